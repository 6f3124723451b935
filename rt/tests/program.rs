//! A program with the library preloaded: what it computes with, what it prints, where it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::closed::machine_values;
use ipda_models::form::{Form, Leaf, Num, record};
use ipda_models::predict::Machines;
use ipda_models::table::{Allowed, Carried, MachineNames, Prediction, Reading, Table, Version};
use ipda_models::versions::VersionId;

/// The library that was built for this test lies beside it.
fn library() -> PathBuf {
    std::env::current_exe().expect("the test has a path").with_file_name("libipda_rt.so")
}

fn compiled(source: &str, name: &str, flags: &[&str]) -> PathBuf {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let built = Command::new("cc").args(flags).arg("-o").arg(&output).arg(source).arg("-pthread").status();
    assert!(built.is_ok_and(|status| status.success()), "a C compiler, which linking Rust needs too");
    output
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| compiled("tests/program/program.c", "program", &["-O1", "-fPIE", "-pie"]))
}

/// A driver with one GPU, an H100 on a PCI Express card.
fn driver() -> &'static Path {
    static DRIVER: OnceLock<PathBuf> = OnceLock::new();
    DRIVER.get_or_init(|| compiled("../measure/tests/driver/driver.c", "driver", &["-shared", "-fPIC", "-O1"]))
}

fn machines(gpu: &str) -> Machines {
    Machines {
        gpu: Gpu::builtin(gpu).unwrap(),
        cpu: Cpu::builtin("xeon-6148").unwrap(),
        link: Link::builtin("pcie4").unwrap(),
    }
}

/// A driver with two GPUs of different kinds.
fn two_gpus() -> &'static Path {
    static DRIVER: OnceLock<PathBuf> = OnceLock::new();
    DRIVER.get_or_init(|| compiled("tests/program/two-gpus.c", "two-gpus", &["-shared", "-fPIC", "-O1"]))
}

/// `n / cpu`, `link` for the transfers, `n / gpu + link` and more, with some leaf of each machine; of the GPU one that differs between those that are used here.
fn form() -> Form {
    let (one, other) = (machine_values(&machines("h100-pcie")).unwrap(), machine_values(&machines("v100")).unwrap());
    let first = |kind: &str| one.keys().find(|key| key.starts_with(kind)).unwrap().clone();
    let gpu = one.iter().find(|(key, value)| key.starts_with("gpu.") && other.get(*key) != Some(value)).unwrap().0;
    let (cpu, link) = (first("cpu."), first("link."));
    let recorded = record(|| {
        let n = Num::leaf(Leaf::Captured("n".into()));
        let leaf = |key: &str| Num::leaf(Leaf::Machine(key.to_owned()));
        let device = n / leaf(gpu) + leaf(&link);
        let host = n / leaf(&cpu);
        Ok::<_, ()>((vec![host, leaf(&link), host, Num::ONE, Num::ONE, device * 2.0, device], ()))
    });
    recorded.unwrap().0
}

/// What is computed once, with a GPU, the xeon-6148 and PCI Express 4.
fn prepared(gpu: &str) -> Vec<f64> {
    let known = machine_values(&machines(gpu)).unwrap();
    let form = form();
    let values = form.values(|leaf| match leaf {
        Leaf::Machine(key) => known.get(key).copied(),
        _ => None,
    });
    form.prepared().iter().map(|place| values[*place as usize]).collect()
}

/// The table of a build for a V100.
fn table() -> Vec<u8> {
    table_of(form())
}

fn table_of(form: Form) -> Vec<u8> {
    let carried = Carried { name: "n".into(), entry: 0, reading: Reading::Signed(32) };
    let versions = vec![VersionId::new(0), VersionId::new(1)];
    let machines = MachineNames { gpu: "v100".into(), cpu: "x86_64".into(), link: "pcie3".into() };
    table_with(machines, Ok(Prediction { form, versions, captured: vec![carried], notes: Vec::new() }))
}

fn table_with(machines: MachineNames, prediction: Result<Prediction, String>) -> Vec<u8> {
    let table = Table {
        function: "first".into(),
        file: "program.c".into(),
        line: 1,
        kernel: "__omp_offloading_first_l1".into(),
        on_host: Ok(Allowed { entries: Vec::new() }),
        versions: [(0, "as written"), (1, "loops i, j fused")]
            .map(|(number, name)| Version { id: VersionId::new(number), name: name.into(), guard: Vec::new() })
            .into(),
        machines,
        prediction,
    };
    table.to_bytes().bytes
}

struct Ran {
    choices: String,
    prepared: Vec<Vec<f64>>,
    stderr: String,
}

/// Runs it with the library, without a GPU unless the variables name a driver.
fn run(table: &[u8], threads: usize, launches: &[&str], variables: &[(&str, &str)]) -> Ran {
    run_with(form().prepared().len(), table, threads, launches, variables)
}

fn run_with(prepared: usize, table: &[u8], threads: usize, launches: &[&str], variables: &[(&str, &str)]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table");
    std::fs::write(&file, table).unwrap();
    let mut command = Command::new(program());
    command.arg(&file).args([prepared.to_string(), threads.to_string()]).args(launches);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("IPDA_")) {
        command.env_remove(name);
    }
    command.env("LD_PRELOAD", library()).env("IPDA_LIBCUDA", "/no/such/libcuda.so").envs(variables.iter().copied());
    let output = command.output().expect("the program starts");
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines();
    let choices = lines.next().unwrap_or_default().to_owned();
    let numbers = |line: &str| line.split_whitespace().map(|number| number.parse().unwrap()).collect();
    Ran { choices, prepared: lines.map(numbers).collect(), stderr: String::from_utf8(output.stderr).unwrap() }
}

const OTHERS: [(&str, &str); 3] = [("IPDA_OFFLOAD", "model"), ("IPDA_CPU", "xeon-6148"), ("IPDA_LINK", "pcie4")];

#[test]
fn a_program_without_the_library_does_without() {
    let output = Command::new(program()).args(["/no/such/table", "0", "1"]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "no library\n");
}

#[test]
fn machines_that_are_found_replace_those_of_the_build() {
    // Both regions are launched, each of them twice.
    let launches = ["1,0,2", "1,0,2"];
    let driver = [("IPDA_LIBCUDA", driver().to_str().unwrap())];
    let ran = run(&table(), 1, &launches, &[&OTHERS[..], &driver].concat());
    assert_eq!(ran.stderr, "");
    assert_eq!(ran.choices, "uuuu");
    assert_eq!(ran.prepared, [prepared("h100-pcie"), prepared("h100-pcie")]);
    // What the user names wins.
    let named = [("IPDA_GPU", "v100")];
    let ran = run(&table(), 1, &launches, &[&OTHERS[..], &driver, &named].concat());
    assert_eq!((ran.stderr.as_str(), &ran.prepared[0]), ("", &prepared("v100")));
    // Without a driver the build's GPU stays.
    let ran = run(&table(), 1, &launches, &OTHERS);
    assert_eq!((ran.stderr.as_str(), &ran.prepared[1]), ("", &prepared("v100")));
}

#[test]
fn a_folder_with_descriptions_and_what_is_wrong_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("mine.yaml", "kind: gpu\nbased_on: h100-pcie\nname: mine\n");
    write("other.yaml", "kind: gpu\nbased_on: h100-pcie\nname: other\nmemory: {latency: {value: -1, unit: cycles}}\n");
    let folder = [("IPDA_HWDB", folder.path().to_str().unwrap()), ("IPDA_GPU", "mine")];
    let ran = run(&table(), 1, &["1,0,2", "1,0,2"], &[&OTHERS[..], &folder].concat());
    assert_eq!(ran.prepared[0], prepared("h100-pcie"));
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("ipda: IPDA_HWDB: ") && ran.stderr.contains("other.yaml:4:"), "{}", ran.stderr);
}

#[test]
fn what_does_not_exist_is_reported_once() {
    let wrong = [("IPDA_GPU", "h20"), ("IPDA_HWDB", "/no/such")];
    let ran = run(&table(), 4, &["1,0,20", "1,0,20"], &[&OTHERS[..], &wrong].concat());
    assert_eq!(ran.prepared[0], prepared("v100"));
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("ipda: IPDA_HWDB=/no/such: "), "{lines:?}");
    assert!(lines[1].starts_with("ipda: IPDA_GPU=h20: unknown GPU `h20`"), "{lines:?}");
}

#[test]
fn of_machines_that_the_build_did_not_name_nothing_is_said() {
    let unknown = || "unknown".to_owned();
    let machines = MachineNames { gpu: unknown(), cpu: unknown(), link: unknown() };
    let table = table_with(machines, Err("the machine is not known".into()));
    let ran = run_with(0, &table, 1, &["1,0,2"], &[&OTHERS[..], &[("IPDA_LOG", "calls")]].concat());
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_broken_table_leaves_what_was_compiled_in() {
    let good = table();
    let other_version = [b"ipda table 9\n".as_slice(), &good[14..]].concat();
    let damaged = [&good[..good.len() - 1], b"?"].concat();
    for (bytes, why) in [
        (&good[..good.len() / 2], "the decision table is cut off"),
        (&damaged, "the decision table is damaged"),
        (b"nonsense", "there is no decision table of ipda's"),
        (&other_version, "the decision table is of another version of ipda"),
    ] {
        let ran = run(bytes, 2, &["1,0,2"], &OTHERS);
        assert_eq!((ran.choices.as_str(), ran.prepared[0][0]), ("uuuu", -1.0));
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.starts_with(&format!("ipda: first at program.c:1: {why}")), "{}", ran.stderr);
        assert!(ran.stderr.ends_with("; what was compiled in stays\n"), "{}", ran.stderr);
    }
}

#[test]
fn a_table_that_does_not_fit() {
    // Less room than its prediction needs, and a leaf that no machine has.
    let less = run_with(1, &table(), 1, &["1,0,2"], &OTHERS);
    assert_eq!((less.choices.as_str(), less.prepared[0][0]), ("uu", -1.0));
    let stderr = "ipda: first at program.c:1: its table needs 3 values of machines, and it has room for 1; what was compiled in stays\n";
    assert_eq!(less.stderr, stderr);
    let unknown = record(|| {
        let time = Num::leaf(Leaf::Captured("n".into())) / Num::leaf(Leaf::Machine("gpu.magic".into()));
        Ok::<_, ()>((vec![time; 7], ()))
    });
    let ran = run_with(1, &table_of(unknown.unwrap().0), 1, &["1,0,2"], &OTHERS);
    assert_eq!((ran.choices.as_str(), ran.prepared[0][0]), ("uu", -1.0));
    assert!(ran.stderr.contains("its prediction needs gpu.magic, which"), "{}", ran.stderr);
}

#[test]
fn gpus_of_two_kinds() {
    let machine = two_gpus().to_str().unwrap();
    let preload = format!("{} {machine}", library().display());
    let variables = [&OTHERS[..], &[("IPDA_LIBCUDA", machine), ("LD_PRELOAD", &preload)]].concat();
    // The default device is the L4, which the driver counts last.
    let launches = ["1e9,0,2", "1e9,1,2"];
    let ran = run(&table(), 1, &launches, &variables);
    assert_eq!((ran.stderr.as_str(), ran.choices.as_str()), ("", "uuuu"));
    assert_eq!(ran.prepared, [prepared("l4"), prepared("l4")]);
    // The other one where that is open, if it is faster than the choice: the prediction says 1000 for n = 1000 and the H100's leaf, in seconds.
    let any = [&variables[..], &[("IPDA_DEVICES", "any")]].concat();
    let launches = ["1e9,0,2", "1e9,1,2", "1e-9,1,2", "nan,1,1"];
    let ran = run(&table(), 1, &launches, &any);
    assert_eq!((ran.stderr.as_str(), ran.choices.as_str()), ("", "uu11uuu"));
    let fixed = [&any[..], &[("IPDA_OFFLOAD", "model"), ("IPDA_REPRODUCIBLE", "1")]].concat();
    assert_eq!(run(&table(), 1, &launches, &fixed).choices, "uuuuuuu");
}

#[test]
fn no_table_is_no_fault() {
    let ran = run(b"", 1, &["1,0,2"], &OTHERS);
    assert_eq!((ran.stderr.as_str(), ran.choices.as_str(), ran.prepared[0][0]), ("", "uu", -1.0));
}

#[test]
fn the_log_names_the_machines() {
    for log in ["calls", "summary"] {
        let ran = run(&table(), 1, &["1,0,2"], &[&OTHERS[..], &[("IPDA_LOG", log)]].concat());
        assert_eq!(ran.stderr, "ipda: predictions are for v100, xeon-6148, pcie4\n");
    }
}

#[test]
fn what_was_learned_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("learned");
    let kept = [&OTHERS[..], &[("IPDA_LEARN", file.to_str().unwrap()), ("KNOWN", "1")]].concat();
    // The second one of each pair is the second region's.
    let launches = ["1,0,1", "1,0,6"];
    let stderr = |variables: &[(&str, &str)]| run(&table(), 1, &launches, variables).stderr;
    assert_eq!(stderr(&kept), "0 known: 0 0 0 0 0\n0 known: 0 0 0 0 0\n");
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 1 + 6);
    // Classes 0, 2 and 4 of the first region, 1, 3 and 5 of the second one, whose odd ones are closed.
    let known = "3 known: 6 -42 9 0 4.5\n3 known: 9 -63 9 3 4.5\n";
    assert_eq!(stderr(&kept), known);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    // On another machine nothing is known, nor where launches learn nothing.
    assert!(stderr(&[&kept[..], &[("IPDA_GPU", "h200")]].concat()).starts_with("0 known"));
    for fixed in [("IPDA_OFFLOAD", "always"), ("IPDA_REPRODUCIBLE", "1"), ("IPDA_LEARN", "off")] {
        assert_eq!(stderr(&[&kept[..], &[fixed]].concat()), "");
    }

    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}damage\n")).unwrap();
    let damaged = stderr(&kept);
    assert!(damaged.ends_with(known) && damaged.contains("is damaged, and left out"), "{damaged}");

    std::fs::write(&file, "dear diary\n").unwrap();
    let other = stderr(&kept);
    assert_eq!(other.lines().count(), 3, "{other}");
    assert!(other.contains("it does not hold learned times; nothing is kept in it"), "{other}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "dear diary\n");
}

#[test]
fn many_threads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("learned");
    let variables = [&OTHERS[..], &[("IPDA_LEARN", file.to_str().unwrap())]].concat();
    let ran = run(&table(), 8, &["1,0,200", "1,0,200"], &variables);
    assert_eq!(ran.choices, "u".repeat(8 * 400));
    // All of the first region's, half of the second one's.
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1 + 200 + 100);
}

/// The library with rustc's own sanitizer in it, which stable compilers have for those who ask so; built beside this test's. Optimised, as
/// else std's generic functions are those without a sanitizer.
fn library_with_sanitizer() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("thread-sanitizer");
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "-q",
            "--release",
            "-p",
            "ipda-rt",
            "--lib",
            "--target",
            "x86_64-unknown-linux-gnu",
            "--target-dir",
        ])
        .arg(&folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("IPDA_RT_TSAN", "1")
        .env("RUSTFLAGS", "-g -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer")
        .status();
    assert!(built.is_ok_and(|status| status.success()));
    folder.join("x86_64-unknown-linux-gnu/release/libipda_rt.so")
}

/// All that eight threads do in it at once: regions are taken in, classes are kept, devices are compared. What is set up
/// once is set up before: std's code for that has no sanitizer in it, which would not see that it orders threads.
#[test]
#[ignore = "builds the library anew and needs clang's thread sanitizer"]
fn threads_do_not_race() {
    let library = library_with_sanitizer();
    let clang = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or("/usr/lib/llvm-19".into()) + "/bin/clang";
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program-with-sanitizer");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/program.c");
    let machine = two_gpus();
    // Linked, as the tool that names places in reports must not get it.
    let built = Command::new(clang)
        .args(["-O1", "-g", "-fsanitize=thread", source, "-o"])
        .arg(&program)
        .arg("-Wl,--no-as-needed")
        .args([&library, machine])
        .status();
    assert!(built.is_ok_and(|status| status.success()));
    let folder = tempfile::tempdir().unwrap();
    let learned = folder.path().join("learned");
    let table = folder.path().join("table");
    std::fs::write(&table, self::table()).unwrap();
    let machine = machine.to_str().unwrap();
    for variables in [
        &[("IPDA_LOG", "calls")][..],
        &[("IPDA_LEARN", learned.to_str().unwrap()), ("IPDA_LOG", "summary")],
        &[("IPDA_DEVICES", "any"), ("IPDA_LIBCUDA", machine)],
        &[("IPDA_GPU", "h20"), ("IPDA_LOG", "summary")],
    ] {
        // At addresses that the sanitizer knows.
        let output = Command::new("setarch")
            .arg("-R")
            .arg(&program)
            .arg(&table)
            .args([&form().prepared().len().to_string(), "8", "1,0,100", "1e9,1,100"])
            .env("TAKE_IN_FIRST", "1")
            .env("LD_LIBRARY_PATH", library.parent().expect("a folder"))
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !stderr.contains("ThreadSanitizer"), "{variables:?}: {stderr}");
        let choices = String::from_utf8_lossy(&output.stdout);
        assert_eq!(choices.lines().next().map(str::len), Some(8 * 200), "{stderr}");
    }
}
