//! `ipda hw` from outside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn hw(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ipda")).arg("hw").args(arguments).output().expect("ipda starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of this name in an empty folder of the test's own.
fn file(test: &str, name: &str, content: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).expect("the folder can be made");
    let path = folder.join(name);
    fs::write(&path, content).expect("the folder is writable");
    path
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the repository")
}

#[test]
fn list_names_every_kind() {
    let output = hw(&["list"]);
    assert!(output.status.success());
    let text = text(&output.stdout);
    for words in [["gpu", "h200"], ["cpu", "power9"], ["link", "nvlink-c2c"]] {
        let line = text.lines().find(|line| line.split_whitespace().take(2).eq(words));
        assert!(line.is_some(), "{words:?}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

#[test]
fn show_tells_values_and_where_they_come_from() {
    let output = hw(&["show", "sm_70"]);
    assert!(output.status.success());
    let text = text(&output.stdout);
    assert!(
        text.starts_with(
            "gpu v100: NVIDIA Tesla V100 SXM2 16 GB (Volta, compute capability 7.0)\nalso called: sm_70, "
        ),
        "{text}"
    );
    let row = |key: &str| {
        let line = text
            .lines()
            .find(|line| line.split_whitespace().next() == Some(key))
            .unwrap_or_else(|| panic!("{key}\n{text}"));
        line.split_whitespace().skip(1).take(3).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(row("chip.clock"), "1.53 GHz fact");
    assert_eq!(row("memory.latency"), "437 cycles measured");
    assert_eq!(row("memory.capacity"), "16 GiB fact");
    assert_eq!(row("occupancy.registers_per_thread"), "255 registers unverified");
    assert_eq!(row("throughput.fp32_divide"), "6.4 results/cycle estimate");
}

#[test]
fn show_takes_files_and_tells_what_is_not_known() {
    let path = file(
        "show",
        "toy.yaml",
        "kind: link\nname: toy\nproduct: Toy\ntransfer: {latency: {unknown: \"nobody tried\"}}\n",
    );
    let output = hw(&["show", &path.to_string_lossy()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let text = text(&output.stdout);
    assert!(
        text.lines().any(|line| line.split_whitespace().eq(["transfer.latency", "?", "unknown", "nobody", "tried"])),
        "{text}"
    );
}

#[test]
fn unknown_names() {
    let output = hw(&["show", "epyc-milano"]);
    assert!(!output.status.success());
    assert!(
        text(&output.stderr)
            .starts_with("ipda: unknown device `epyc-milano`: did you mean `epyc-milan`? the known ones are ")
    );
}

#[test]
fn check_accepts_every_entry() {
    let mut files = Vec::new();
    for kind in ["gpu", "cpu", "link"] {
        let folder = fs::read_dir(repository().join("hwdb/entries").join(kind)).expect("the entries are there");
        files.extend(folder.map(|entry| entry.expect("readable").path().to_string_lossy().into_owned()));
    }
    let arguments: Vec<&str> = ["check"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = hw(&arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), files.len());
}

#[test]
fn check_tells_every_mistake_of_every_file_and_fails() {
    let good = "kind: link\nname: toy\nproduct: Toy\n";
    let first = file("check", "good.yaml", good);
    let second = file(
        "check",
        "bad.yaml",
        &format!("{good}transfr: {{}}\ntransfer:\n  latency: {{value: 3, unit: GB/s, source: \"x\"}}\n"),
    );
    let third = first.with_file_name("missing.yaml");
    let paths = [&first, &second, &third].map(|path| path.to_string_lossy().into_owned());
    let output = hw(&["check", &paths[0], &paths[1], &paths[2]]);
    assert!(!output.status.success());
    let folder = format!("{}/", first.parent().expect("in a folder").display());
    assert_eq!(
        text(&output.stdout).replace(&folder, ""),
        "good.yaml: link toy: 0 facts, 0 measured, 0 unverified, 0 estimates, 8 unknown\n"
    );
    assert_eq!(
        text(&output.stderr).replace(&folder, ""),
        "ipda: bad.yaml:4:1: unknown key `transfr`: did you mean `transfer`?\n\
         ipda: bad.yaml:6:29: transfer.latency.unit: expected the unit `s`, `ms`, `us` or `ns`, found `GB/s`\n\
         ipda: cannot read the hardware description missing.yaml: No such file or directory (os error 2)\n"
    );
}

#[test]
fn the_schema_is_the_file() {
    let output = hw(&["schema"]);
    assert_eq!(
        text(&output.stdout),
        fs::read_to_string(repository().join("hwdb/schema.json")).expect("the file is there")
    );
}

#[test]
fn no_word_of_the_list_is_cut() {
    let list = |width: &str| text(&hw(&["list", "--width", width]).stdout);
    let sorted = |text: &str| {
        let mut words: Vec<String> =
            text.split_whitespace().map(|word| word.trim_end_matches(';').to_owned()).collect();
        words.retain(|word| !["also", "product"].contains(&&word[..]));
        words.sort();
        words
    };
    let wide = list("400");
    assert_eq!(wide.lines().count(), 1 + ipda_hwdb::Device::builtins().len());
    for width in [60, 80, 120] {
        let narrow = list(&width.to_string());
        assert!(narrow.lines().all(|line| line.chars().count() <= width), "{narrow}");
        assert_eq!(sorted(&narrow), sorted(&wide));
    }
}

#[test]
fn more_threads_than_processors_are_refused() {
    let output = hw(&["measure", "--quick", "--threads", "60000"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.starts_with("ipda: --threads 60000 are more than this machine's processors"), "{message}");
}

#[test]
fn what_measure_prints_is_accepted_by_check() {
    let output = hw(&["measure", "--quick", "--threads", "1", "--name", "this-machine"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let path = file("measure", "here.yaml", &text(&output.stdout));
    let output = hw(&["check", &path.to_string_lossy()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("here.yaml: cpu this-machine: "));
}

#[test]
fn measuring_without_a_driver_says_so() {
    let output = Command::new(env!("CARGO_BIN_EXE_ipda"))
        .args(["hw", "measure", "gpu"])
        .env("IPDA_LIBCUDA", "/no/such/libcuda.so")
        .output()
        .expect("ipda starts");
    let message = text(&output.stderr);
    assert!(!output.status.success());
    assert!(message.starts_with("ipda: no GPU can be measured: ") && message.lines().count() == 1, "{message}");
}

#[test]
fn the_documentation_s_examples_are_right() {
    let document = fs::read_to_string(repository().join("docs/hardware.md")).expect("the document is there");
    let examples: Vec<&str> = document.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 4);
    for (at, example) in examples.into_iter().enumerate() {
        let path = file("documentation", &format!("{at}.yaml"), example);
        let output = hw(&["check", &path.to_string_lossy()]);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}
