//! The generator of random kernels against two compilers' worth of judges: clang's own code for the host, with sanitizers and with
//! threads, must leave behind what the generator says.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ipda_executor::generate::{Generated, PRELUDE, ParameterValue, Passing};

/// A file with several generated functions and a program that runs them all.
struct Batch {
    kernels: Vec<Generated>,
    folder: tempfile::TempDir,
}

impl Batch {
    fn new(seeds: impl Iterator<Item = u64>) -> Batch {
        let kernels: Vec<Generated> = seeds.map(Generated::from_seed).collect();
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
             /* Behind it, or in front of it, nothing may be touched. */\n\
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

fn argument_text(argument: &ipda_executor::arguments::Argument) -> String {
    match argument {
        ipda_executor::arguments::Argument::Integer(value) => value.to_string(),
        ipda_executor::arguments::Argument::Float(value) => format!("{value:?}"),
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

fn check_seeds(seeds: std::ops::Range<u64>) {
    let batch = Batch::new(seeds);
    for at_end in ["-DAT_END=1", "-DAT_END=0"] {
        batch.check(&[&SANITIZED[..], &[at_end, "-DKERNELS=\"kernels.c\""]].concat(), &[]);
    }
    compile(&DEVICE, &batch.path("kernels.c"), &batch.path("device.bc"));
    for threads in ["1", "4", "7"] {
        batch.check(&["-O2", "-fopenmp", "-DAT_END=1", "-DKERNELS=\"host.c\""], &[("OMP_NUM_THREADS", threads)]);
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
    let mut counts: std::collections::BTreeMap<&str, u32> =
        Generated::all_features().iter().map(|&name| (name, 0)).collect();
    let (mut steps, mut iterations) = (Vec::new(), Vec::new());
    for kernel in (0..SEEDS).map(Generated::from_seed) {
        for name in kernel.features() {
            *counts.get_mut(name).unwrap() += 1;
        }
        steps.push(kernel.work().0);
        iterations.push(kernel.work().1);
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
