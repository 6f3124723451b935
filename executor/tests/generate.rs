//! The generator of random kernels against two compilers' worth of judges: clang's own code for the host, with sanitizers and with
//! threads, must leave behind what the generator says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ipda_executor::arguments::{Argument, Description};
use ipda_executor::generate::{Generated, PRELUDE, ParameterValue, Passing};

/// A file with several generated functions and a program that runs them all.
struct Batch {
    kernels: Vec<Generated>,
    folder: tempfile::TempDir,
}

impl Batch {
    fn new(kernels: Vec<Generated>) -> Batch {
        let batch = Batch { kernels, folder: tempfile::tempdir().unwrap() };
        let functions: String = batch.kernels.iter().map(Generated::c_function).collect();
        std::fs::write(batch.path("kernels.c"), format!("{PRELUDE}{functions}")).unwrap();
        // In a team of one thread, clang 19 with its runtime for the host leaves out iterations of `distribute parallel for` with
        // this schedule.
        let others = functions.replace("schedule(static, 1)", "schedule(static, 2)");
        std::fs::write(batch.path("host.c"), format!("{PRELUDE}{others}")).unwrap();
        std::fs::write(batch.path("main.c"), batch.main_program()).unwrap();
        std::fs::write(batch.path("input"), batch.input()).unwrap();
        batch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Reads the memory of all kernels one after the other, runs each, and writes the memory out in the same order.
    fn main_program(&self) -> String {
        let mut text = String::from(
            "#include KERNELS\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n\
             enum { PAGE = 4096 };\n\
             static FILE *in, *out;\n\
             static char *pages(size_t n, size_t *all) {\n\
             \x20 *all = (n + PAGE - 1) / PAGE * PAGE;\n\
             \x20 char *p = mmap(0, *all + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n\
             \x20 if (p == MAP_FAILED || mprotect(p + PAGE, *all, PROT_READ | PROT_WRITE)) exit(2);\n\
             \x20 return p + PAGE;\n\
             }\n\
             /* Behind it, or before it, nothing may be touched. */\n\
             static void *get(size_t n) {\n\
             \x20 size_t all; char *p = pages(n, &all);\n\
             \x20 if (AT_END) p += all - n;\n\
             \x20 if (fread(p, 1, n, in) != n) exit(3);\n\
             \x20 return p;\n\
             }\n\
             static void put(void *p, size_t n) { if (fwrite(p, 1, n, out) != n) exit(4); }\n\
             int main(int argc, char **argv) {\n\
             \x20 (void)argc; in = fopen(argv[1], \"rb\"); out = fopen(argv[2], \"wb\");\n",
        );
        for kernel in &self.kernels {
            let (mut gets, mut list, mut puts) = (String::new(), Vec::new(), String::new());
            for (number, parameter) in kernel.parameters().iter().enumerate() {
                match &parameter.value {
                    ParameterValue::Scalar(argument) => list.push(argument_text(argument)),
                    ParameterValue::Memory { bytes, passing, .. } => {
                        let size = bytes.len();
                        writeln!(gets, "    void *p{number} = get({size});").unwrap();
                        writeln!(puts, "    put(p{number}, {size});").unwrap();
                        let ty = parameter.declaration.rsplit_once(' ').unwrap().0;
                        list.push(match passing {
                            Passing::Pointer => format!("p{number}"),
                            Passing::Value => format!("*({ty} *)p{number}"),
                        });
                    }
                }
            }
            writeln!(
                text,
                "  {{\n{gets}    fputs(\"{0} \", stderr);\n    {0}({1});\n{puts}  }}",
                kernel.name(),
                list.join(", ")
            )
            .unwrap();
        }
        text + "  return fclose(out);\n}\n"
    }

    fn input(&self) -> Vec<u8> {
        let mut input = Vec::new();
        for kernel in &self.kernels {
            for parameter in kernel.parameters() {
                if let ParameterValue::Memory { bytes, .. } = parameter.value {
                    input.extend(bytes);
                }
            }
        }
        input
    }

    /// Compiles the program, runs it, and compares what it leaves behind.
    fn check(&self, flags: &[&str], variables: &[(&str, &str)]) {
        let program = self.path("program");
        let mut arguments = vec!["-Wno-source-uses-openmp", "-Wno-pass-failed"];
        arguments.extend(flags);
        compile(&arguments, &self.path("main.c"), &program);
        let output = self.path("output");
        let mut command = Command::new(&program);
        command.args([self.path("input"), output.clone()]).envs(variables.iter().copied());
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{flags:?}: {}\n{}", ended.status, text(&ended));
        self.compare(&std::fs::read(&output).unwrap(), flags);
    }

    fn compare(&self, mut output: &[u8], how: &[&str]) {
        for kernel in &self.kernels {
            let expected = kernel.expected().contents;
            for parameter in kernel.parameters() {
                let ParameterValue::Memory { name, bytes, .. } = parameter.value else { continue };
                let (found, rest) = output.split_at(bytes.len());
                output = rest;
                let (_, wanted) = expected.iter().find(|(other, _)| *other == name).unwrap();
                if wanted != found {
                    let place = wanted.iter().zip(found).position(|(a, b)| a != b);
                    panic!("{name} differs at byte {place:?} with {how:?} in\n{}", kernel.c_function());
                }
            }
        }
        assert!(output.is_empty());
    }
}

fn argument_text(argument: &Argument) -> String {
    match argument {
        Argument::Integer(value) => value.to_string(),
        Argument::Float(value) => format!("{value:?}"),
        other => panic!("{other:?} is no number"),
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs the workspace's clang, which must not complain.
fn compile(flags: &[&str], source: &Path, to: &Path) {
    let prefix = std::env::var("LLVM_SYS_191_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-19".to_owned());
    let output =
        Command::new(Path::new(&prefix).join("bin/clang")).args(flags).arg(source).arg("-o").arg(to).output().unwrap();
    assert!(output.status.success(), "{flags:?}\n{}", text(&output));
    assert_eq!(text(&output), "", "{flags:?}");
}

/// Whatever C leaves undefined ends the program; this needs no library beside the compiler.
const SANITIZED: [&str; 3] = ["-O1", "-fsanitize=undefined", "-fsanitize-trap=undefined"];
const DEVICE: [&str; 10] = [
    "-O2",
    "-fopenmp",
    "-fopenmp-targets=nvptx64",
    "--offload-arch=sm_90",
    "-nogpulib",
    "--offload-device-only",
    "-emit-llvm",
    "-c",
    "-Wno-source-uses-openmp",
    "-Wno-pass-failed",
];

fn check_seeds(seeds: Range<u64>) {
    check(&Batch::new(seeds.map(Generated::from_seed).collect()));
}

fn check(batch: &Batch) {
    for at_end in ["-DAT_END=1", "-DAT_END=0"] {
        batch.check(&[&SANITIZED[..], &[at_end, "-DKERNELS=\"kernels.c\""]].concat(), &[]);
    }
    compile(&DEVICE, &batch.path("kernels.c"), &batch.path("device.bc"));
    // With -O2, clang 19 reads before arrays and behind them in vectorised loops with conditions (`simd`, `B[x % m]`).
    for threads in ["1", "4", "7"] {
        batch.check(&["-O1", "-fopenmp", "-DAT_END=1", "-DKERNELS=\"host.c\""], &[("OMP_NUM_THREADS", threads)]);
    }
}

#[test]
fn clang_agrees_with_the_expected_contents() {
    check_seeds(0..25);
}

/// The same for many more, a few at a time: for changes of the generator.
#[test]
#[ignore = "takes minutes"]
fn clang_agrees_with_the_expected_contents_of_many() {
    let first: u64 = std::env::var("FIRST_SEED").map_or(0, |text| text.parse().unwrap());
    for start in (first..first + 2000).step_by(100) {
        eprintln!("{start}");
        check_seeds(start..start + 100);
    }
}

#[test]
fn all_shapes_occur() {
    const SEEDS: u64 = 2000;
    let mut counts: BTreeMap<&str, u32> = Generated::all_features().iter().map(|&name| (name, 0)).collect();
    let (mut steps, mut iterations) = (Vec::new(), Vec::new());
    let part = |seeds: Range<u64>| -> Vec<_> {
        seeds.map(Generated::from_seed).map(|kernel| (kernel.features(), kernel.work())).collect()
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let starts = (0..SEEDS).step_by(250);
        let threads: Vec<_> = starts.map(|start| scope.spawn(move || part(start..start + 250))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    for (features, work) in parts {
        for name in features {
            *counts.get_mut(name).unwrap() += 1;
        }
        steps.push(work.0);
        iterations.push(work.1);
    }
    for values in [&mut steps, &mut iterations] {
        values.sort_unstable();
    }
    let quantiles = |values: &[u64]| [0, 10, 50, 90, 99].map(|part| values[values.len() * part / 100]);
    let list: String = counts.iter().map(|(name, count)| format!("{count:6}  {name}\n")).collect();
    eprintln!("of {SEEDS} kernels:\n{list}steps {:?}, iterations {:?}", quantiles(&steps), quantiles(&iterations));
    let rare: Vec<_> = counts.iter().filter(|(_, count)| **count < 5).collect();
    assert!(rare.is_empty(), "{rare:?}");
}

/// The names of kernels' parameters in clang's debug information, by the function's name and in the order of the source.
fn parameters_in_module(text: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let field = |line: &str, key: &str| {
        let (_, rest) = line.split_once(key)?;
        Some(rest.trim_start_matches('"').split(['"', ',', ')']).next().unwrap().to_owned())
    };
    let mut names: BTreeMap<String, Vec<(u32, String)>> = BTreeMap::new();
    for line in text.lines().filter(|line| line.contains("!DILocalVariable(") && line.contains("arg: ")) {
        let scope = field(line, "scope: ").unwrap();
        let position: u32 = field(line, "arg: ").unwrap().parse().unwrap();
        names.entry(scope).or_default().push((position, field(line, "name: ").unwrap_or_default()));
    }
    let mut kernels: Vec<(String, u32, Vec<String>)> = Vec::new();
    for line in text.lines().filter(|line| line.contains("distinct !DISubprogram(")) {
        let name = field(line, "name: ").unwrap_or_default();
        let Some(of) = name.strip_prefix("__omp_offloading_").and_then(|name| name.strip_suffix("_debug__")) else {
            continue;
        };
        let (function, source_line) = of.rsplit_once("_l").unwrap();
        // The bodies of constructs inside of a kernel have longer names.
        let Ok(source_line) = source_line.parse() else { continue };
        let function = function.rsplit_once('_').unwrap().1;
        let mut own = names.remove(line.split(' ').next().unwrap()).unwrap_or_default();
        own.sort();
        let own = own.into_iter().map(|(_, name)| name).filter(|name| name != "dyn_ptr").collect();
        kernels.push((function.to_owned(), source_line, own));
    }
    kernels.sort();
    let mut by_function = BTreeMap::new();
    for (function, _, own) in kernels {
        by_function.entry(function).or_insert_with(Vec::new).push(own);
    }
    by_function
}

#[test]
fn kernels_have_the_parameters_that_are_described() {
    let batch = Batch::new((0..150).map(Generated::from_seed).collect());
    let mut flags = vec!["-g", "-Xclang", "-debug-info-kind=constructor", "-S", "-Xclang", "-disable-llvm-passes"];
    flags.extend(DEVICE.iter().filter(|flag| **flag != "-c"));
    compile(&flags, &batch.path("kernels.c"), &batch.path("device.ll"));
    let found = parameters_in_module(&std::fs::read_to_string(batch.path("device.ll")).unwrap());
    let mut extents = 0;
    for kernel in &batch.kernels {
        let mut wanted = Vec::new();
        for arguments in kernel.kernels() {
            let name = |(position, (name, _)): (usize, (String, _))| match name.strip_prefix("arg") {
                Some(number) => {
                    assert_eq!(number, (position + 1).to_string());
                    extents += 1;
                    "vla".to_owned()
                }
                None => name,
            };
            wanted.push(arguments.into_iter().enumerate().map(name).collect::<Vec<String>>());
        }
        // Without debug information there is no `_debug__`, and with it every kernel has one.
        assert_eq!(found.get(kernel.name()), Some(&wanted), "{}", kernel.c_function());
    }
    assert!(extents > 0);
}

#[test]
fn a_seed_always_means_the_same() {
    for seed in [0, 17, u64::MAX] {
        let (one, two) = (Generated::from_seed(seed), Generated::from_seed(seed));
        assert_eq!(one.c_function(), two.c_function());
        assert_eq!(one.expected(), two.expected());
        assert_eq!(one.kernels(), two.kernels());
    }
}

#[test]
fn what_fails_gets_small_and_stays_sound() {
    let has = |wanted: &'static str| move |kernel: &Generated| kernel.features().contains(wanted);
    let mut small = Vec::new();
    for wanted in [
        "atomic update",
        "reduction(+)",
        "triangular collapse",
        "index from memory",
        "while",
        "team array",
        "two regions",
    ] {
        let large = (0..).map(Generated::from_seed).find(has(wanted)).unwrap();
        let mut asked = 0;
        let shrunk = large.shrink(&mut |candidate| {
            asked += 1;
            has(wanted)(candidate)
        });
        assert!(has(wanted)(&shrunk), "{wanted}");
        let lines = shrunk.c_function().lines().count();
        assert!(lines <= 17, "{wanted}: {lines} lines after {asked} questions\n{}", shrunk.c_function());
        assert!(shrunk.work().1 <= 8, "{wanted}: {:?}\n{}", shrunk.work(), shrunk.c_function());
        small.push(shrunk);
    }
    small.sort_by_key(|kernel| kernel.name().to_owned());
    small.dedup_by_key(|kernel| kernel.name().to_owned());
    check(&Batch::new(small));
}

#[test]
fn a_test_input_says_how_it_is_run() {
    let batch = Batch::new(Vec::new());
    let with_extents =
        |kernel: &Generated| kernel.features().contains("rows of variable length") && kernel.kernels().len() == 1;
    let kernel = (0..).map(Generated::from_seed).find(with_extents).unwrap();
    let text = kernel.as_test_input("Sums differ: the two threads of a team that share a row.");
    std::fs::write(batch.path("input.c"), &text).unwrap();
    compile(&DEVICE, &batch.path("input.c"), &batch.path("input.bc"));
    assert!(text.starts_with("// Sums differ"));
    assert!(text.contains(&format!("seed {}", kernel.seed())));
    let yaml: String =
        text.lines().filter_map(|line| line.strip_prefix("// ARGS: ")).map(|line| format!("{line}\n")).collect();
    let read = Description::parse(&yaml, Path::new("input.yaml")).unwrap();
    assert_eq!(read.arguments, kernel.kernels()[0]);
    assert_eq!(read.launch.and_then(|launch| launch.teams).map(|teams| teams.count()), Some(kernel.geometry().0));
}
