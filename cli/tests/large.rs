//! The reports of a large build: time, memory, and what happens where a file is broken.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A report of each kind of region, for a source of its own.
fn write_reports(folder: &Path, count: usize) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let [gemm, kernel] = ["gemm", "kernel"]
        .map(|name| fs::read_to_string(data.join(name).with_extension("yaml")).expect("a report of the golden tests"));
    for nth in 0..count {
        let text = if nth % 4 == 0 {
            kernel.replace("kernel.cu", &format!("src/module{}/kernel{nth}.cu", nth % 100))
        } else {
            gemm.replace("gemm.c", &format!("src/module{}/gemm{nth}.c", nth % 100))
        };
        fs::write(folder.join(format!("report{nth:06}.yaml")), text).expect("a temporary file");
    }
}

/// What the program prints on both channels, its status, time, and the most memory it had, in KiB.
fn run(arguments: &[&str]) -> (String, String, Option<i32>, Duration, u64) {
    let started = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ipda"));
    let mut child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ipda starts");
    let status = format!("/proc/{}/status", child.id());
    let (send, receive) = std::sync::mpsc::channel::<()>();
    let watcher = std::thread::spawn(move || {
        let mut peak = 0;
        loop {
            // The system keeps the most that there was.
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let found = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
            peak = found.unwrap_or(0).max(peak);
            if receive.recv_timeout(Duration::from_millis(5)) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                break peak;
            }
        }
    });
    let mut errors = child.stderr.take().expect("a pipe");
    let read_errors = std::thread::spawn(move || std::io::read_to_string(&mut errors).unwrap_or_default());
    let text = std::io::read_to_string(child.stdout.take().expect("a pipe")).expect("text");
    let status = child.wait().expect("it ends");
    drop(send);
    let peak = watcher.join().expect("the watcher ends");
    (text, read_errors.join().expect("text"), status.code(), started.elapsed(), peak)
}

#[test]
fn a_broken_file_is_named_and_the_others_are_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_reports(folder.path(), 60);
    fs::write(folder.path().join("report000007.yaml"), "ipda_report: [").expect("a temporary file");
    fs::write(folder.path().join("report000031.yaml"), [0xff, 0xfe]).expect("a temporary file");
    // Of another program.
    fs::write(folder.path().join("ipda.yaml"), "report: reports/\n").expect("a temporary file");
    let path = folder.path().to_str().expect("a path");
    let (text, errors, status, ..) = run(&["report", path, "--top", "3"]);
    assert_eq!(status, Some(1), "{errors}");
    assert!(text.contains("58 reports, 58 regions"), "{text}");
    assert!(text.contains("... and 55 with less"), "{text}");
    assert_eq!(errors.lines().count(), 2, "{errors}");
    for name in ["report000007.yaml is not an ipda report", "cannot read", "report000031.yaml"] {
        assert!(errors.contains(name), "{errors}");
    }
}

#[test]
fn the_order_of_files_decides_and_not_that_of_threads() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_reports(folder.path(), 100);
    let path = folder.path().to_str().expect("a path");
    let csv = || run(&["report", path, "--format", "csv", "--sort", "place"]).0;
    let first = csv();
    assert_eq!(first, csv());
    let files: Vec<&str> = first.lines().skip(1).map(|line| line.split(',').next().expect("a cell")).collect();
    let numbers: Vec<u32> = files
        .iter()
        .map(|file| {
            file.rsplit('/')
                .next()
                .expect("a name")
                .trim_matches(|c: char| !c.is_ascii_digit())
                .parse()
                .expect("a number")
        })
        .collect();
    assert!(numbers.is_sorted());
    assert_eq!(numbers.iter().max(), Some(&99));
}

/// One report with many regions in functions with long names.
fn many_regions(count: usize) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gemm.yaml");
    let text = fs::read_to_string(data).expect("a report of the golden tests");
    let (head, region) = text.split_once("regions:\n").expect("regions");
    let long = "a_function_whose_name_a_generator_of_templates_made_".repeat(4);
    let regions = (0..count).map(|nth| {
        region
            .replace("function: gemm", &format!("function: {long}{nth}"))
            .replace("line: 12", &format!("line: {}", 1000 + nth))
    });
    format!("{head}regions:\n{}", regions.collect::<String>())
}

#[test]
fn five_hundred_regions_with_long_names_stay_readable() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("many.yaml");
    fs::write(&file, many_regions(500)).expect("a temporary file");
    let path = file.to_str().expect("a path");
    for width in ["60", "80", "120", "300"] {
        let (text, errors, status, ..) = run(&["report", path, "--width", width]);
        assert_eq!(status, Some(0), "{errors}");
        assert!(text.contains("... and 480 with less"), "{text}");
        assert!(text.lines().count() < 60, "{text}");
        let wide = text.lines().filter(|line| line.chars().count() > width.parse().expect("a number"));
        assert_eq!(wide.collect::<Vec<&str>>(), [""; 0], "at width {width}");
    }
    let (all, ..) = run(&["report", path, "--all", "--top", "0"]);
    assert!(all.contains("\n[500] "));
    let (one, ..) = run(&["report", path, "--region", "1250"]);
    assert!(one.contains("\n[1] ") && !one.contains("[2]"), "{one}");
}

/// `cargo test --release -p ipda-cli --test large -- --ignored --nocapture` prints the figures.
#[test]
#[ignore = "writes 10,000 files; figures are those of the release build"]
fn ten_thousand_reports_take_seconds_and_little_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_reports(folder.path(), 10_000);
    let path = folder.path().to_str().expect("a path");
    let pages = tempfile::tempdir().expect("a temporary folder");
    let pages = pages.path().to_str().expect("a path");
    let list = ["report", path, "--format", "json", "--only", "accesses"];
    let uncoalesced = ["report", path, "--class", "uncoalesced"];
    let html = ["report", path, "--html", pages];
    for arguments in [&["report", path][..], &uncoalesced, &list, &html, &["diff", path, path]] {
        let (text, errors, status, time, peak) = run(arguments);
        let options =
            arguments.iter().filter(|each| ![path, pages].contains(each)).copied().collect::<Vec<&str>>().join(" ");
        eprintln!("{options}: {:.1} s, {} MiB, {} KiB of output", time.as_secs_f64(), peak / 1024, text.len() / 1024);
        assert_eq!(status, Some(0), "{errors}");
        assert!(time < Duration::from_secs(60));
        assert!(peak < 600 * 1024);
    }
    assert_eq!(fs::read_dir(pages).expect("the pages").count(), 10_001, "one for each source, and the index");
    let (_, _, _, time, peak) = run(&["report", path]);
    assert!(time < Duration::from_secs(20) && peak < 64 * 1024, "{time:?}, {peak} KiB");
}
