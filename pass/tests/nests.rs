//! Collapsed loops against the nests that they become: random programs, compiled with and without the edit, must print the same with any
//! number of threads. Each iteration writes down its variables and enters them into a sum of its thread that depends on the order.

use inkwell::context::Context;
use inkwell::module::Module;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Regions of one program.
const REGIONS: u64 = 12;

/// Sizes of which each region gets all pairs.
const SIZES: [i64; 6] = [0, 1, 2, 3, 7, 16];

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}

/// The head of one loop over `variable`.
fn head(random: &mut Random, variable: &str) -> String {
    let ty = random.pick(&["int", "int", "int", "unsigned", "long", "unsigned long", "short"]);
    let is_signed = !ty.starts_with("unsigned");
    let low = if is_signed && random.chance(3) {
        random.pick(&["-2", "-c", "n - 3"])
    } else {
        random.pick(&["0", "0", "1", "c"])
    };
    let high = random.pick(&["n", "m", "n", "m", "n + m", "9", "35", "64"]);
    let step = random.pick(&["1", "1", "1", "2", "3", "s"]);
    let v = variable;
    // Below 0 a number without a sign goes on at the other end.
    let down = if is_signed { step } else { "1" };
    match random.below(5) {
        0 => format!("for ({ty} {v} = {high}; {v} > {low}; {v} -= {down})"),
        1 if is_signed => format!("for ({ty} {v} = {high}; {v} >= {low}; {v} -= {down})"),
        2 => format!("for ({ty} {v} = {low}; {v} <= {high}; {v} += {step})"),
        3 if ty != "short" => format!("for ({ty} {v} = 0; {v} != {high}; {v}++)"),
        _ => format!("for ({ty} {v} = {low}; {v} < {high}; {v} += {step})"),
    }
}

/// One region in a function of its own.
fn region(random: &mut Random, name: &str) -> String {
    let depth = 2 + random.below(3).min(1) as usize + usize::from(random.chance(8));
    let collapsed = if random.chance(5) { 2 } else { depth };
    let variables = &["i", "j", "k", "l"][..depth];
    let construct = random.pick(&[
        "target teams distribute parallel for",
        "target teams distribute parallel for",
        "target teams distribute parallel for simd",
        "target parallel for",
        "target parallel for simd",
        "target teams distribute",
        "target teams loop",
    ]);
    let shares = construct.contains("parallel for");
    let schedule = match random.pick(&["", "", "static", "static, 1", "static, 3", "dynamic", "dynamic, 2", "guided"]) {
        kind if kind.is_empty() || !shares => String::new(),
        kind => format!(" schedule({kind})"),
    };
    let is_in_order = construct == "target parallel for" && random.chance(3);
    let is_ordered = !schedule.contains("dynamic") && !schedule.contains("guided");
    let mut clauses = format!("{schedule} collapse({collapsed})");
    if construct.contains("teams") && random.chance(3) {
        clauses += " num_teams(2)";
    }
    if construct.contains("distribute") && random.chance(4) {
        clauses += random.pick(&[" dist_schedule(static)", " dist_schedule(static, 5)"]);
    }
    // Only two loops have places enough in the array for each iteration.
    if is_in_order {
        clauses += " ordered";
    }
    let has_sum = depth > 2 || random.chance(3);
    if has_sum {
        clauses += " reduction(+ : sum)";
    }
    // Otherwise what is copied out differs from run to run, without the edit too.
    let has_one_last = is_ordered && !clauses.contains("dist_") && !clauses.contains("teams");
    let has_last = shares && has_one_last && random.chance(4);
    if has_last {
        clauses += " lastprivate(last)";
    }
    // What tells threads apart is no part of a simd loop.
    let records = !construct.contains("simd") && !construct.contains("loop") && !random.chance(3);
    let mut text =
        format!("__attribute__((noinline)) void {name}(int n, int m, int c, int s) {{\n  long sum = 0, last = -1;\n");
    writeln!(text, "#pragma omp {construct}{clauses} map(tofrom : sum, last)").expect("a string");
    // Places that go by the iteration's number alone, beside values that do not.
    let is_whole = depth <= 3 && random.chance(4);
    let ty = random.pick(&["int", "long", "unsigned", "unsigned long"]);
    for (variable, end) in variables.iter().zip(["n", "m", "3", "2"]) {
        let whole = format!("for ({ty} {variable} = 0; {variable} < {end}; {variable}++)");
        writeln!(text, "  {}", if is_whole { whole } else { head(random, variable) }).expect("a string");
    }
    let key = |scale: [i64; 4]| {
        let parts = variables.iter().zip(scale).map(|(variable, scale)| format!("{scale} * (long){variable}"));
        parts.collect::<Vec<_>>().join(" + ")
    };
    writeln!(text, "  {{\n    long key = {};", key([10007, 101, 13, 7])).expect("a string");
    if has_last {
        writeln!(text, "    last = key;").expect("a string");
    }
    if random.chance(4) {
        writeln!(text, "    if ((i ^ j) & 1) continue;").expect("a string");
    }
    if is_whole {
        let number = if depth == 2 { "i * m + j" } else { "(i * m + j) * 3 + k" };
        writeln!(text, "    written[{number}] = i + 1;").expect("a string");
    } else if depth == 2 {
        writeln!(text, "    written[(i + 8) * 128 + (j + 8)] = key;").expect("a string");
    }
    if records {
        writeln!(text, "    record(key);").expect("a string");
    }
    if is_in_order {
        writeln!(text, "#pragma omp ordered\n    together = together * 31 + key;").expect("a string");
    }
    if has_sum {
        writeln!(text, "    sum += key * key + 1;").expect("a string");
    }
    writeln!(text, "  }}\n  tell(\"{name}\", n, m, sum, last, {});\n}}", i32::from(is_ordered)).expect("a string");
    text
}

fn program(random: &mut Random) -> String {
    let mut text = "\
#include <omp.h>
#include <stdio.h>
#include <string.h>
#define SIZE (1 << 14)
static long written[SIZE], sums[64], together;
static void record(long key) {
  int at = (omp_get_team_num() * 8 + omp_get_thread_num()) & 63;
  sums[at] = sums[at] * 31 + key + 1;
}
static void tell(const char *name, int n, int m, long sum, long last, int ordered) {
  unsigned long all = 0;
  for (int at = 0; at < SIZE; ++at)
    all = all * 31 + written[at];
  // Without an iteration, what is lastprivate has no value.
  last = all || sum ? last : 0;
  printf(\"%s %d %d: %ld %ld %lx\", name, n, m, sum, last, all + together);
  for (int at = 0; at < 64; ++at)
    if (sums[at] && (ordered || omp_get_max_threads() == 1))
      printf(\" %d:%lx\", at, sums[at]);
  puts(\"\");
  memset(written, 0, sizeof written);
  memset(sums, 0, sizeof sums);
}
"
    .to_string();
    for at in 0..REGIONS {
        text += &region(random, &format!("region{at}"));
    }
    text += "int main(void) {\n";
    for n in SIZES {
        for m in SIZES {
            for at in 0..REGIONS {
                writeln!(text, "  region{at}({n}, {m}, {}, {});", (n + m) % 4, 1 + (n * m) % 4).expect("a string");
            }
        }
    }
    text + "  return 0;\n}\n"
}

fn clang(folder: &Path, args: &str) {
    let llvm = PathBuf::from(std::env::var_os("LLVM_SYS_191_PREFIX").unwrap_or_else(|| "/usr/lib/llvm-19".into()));
    let lib = llvm.join("lib");
    let clang = Command::new(llvm.join("bin/clang"))
        .current_dir(folder)
        .args(args.split(' '))
        .arg(format!("-Wl,-rpath,{}", lib.display()))
        .output()
        .expect("clang 19 is installed");
    assert!(clang.status.success(), "{}", String::from_utf8_lossy(&clang.stderr));
}

/// What a program prints; none where it does not end, in one of several runs: on a machine with much to do, the runtime's threads may not wake
/// each other in time, without the edit too.
fn run(program: &Path, threads: u32) -> Option<String> {
    const TRIES: u32 = 3;
    (0..TRIES).find_map(|_| run_once(program, threads))
}

fn run_once(program: &Path, threads: u32) -> Option<String> {
    const TIMED_OUT: i32 = 124;
    let run = Command::new("timeout")
        .arg("60")
        .arg(program)
        .env("OMP_NUM_THREADS", threads.to_string())
        .env("OMP_DYNAMIC", "false")
        // There may be fewer processors than threads: those that wait must not keep the others from working.
        .env("OMP_WAIT_POLICY", "passive")
        .env("KMP_BLOCKTIME", "0")
        .output()
        .expect("the program runs");
    if run.status.code() == Some(TIMED_OUT) {
        return None;
    }
    let error = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{} with {threads} threads: {}: {error}", program.display(), run.status);
    Some(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// Compares programs of some seeds; how many loops became nests, and how often each reason stood in the way.
fn compare(seeds: std::ops::Range<u64>) {
    let (mut nests, mut reasons) = (0, std::collections::BTreeMap::new());
    for seed in seeds {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = |name: &str| folder.path().join(name);
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let source = program(&mut random);
        std::fs::write(path("input.c"), &source).expect("the folder is writable");
        clang(folder.path(), "-w -O2 -g -fopenmp -c -emit-llvm -Xclang -disable-llvm-passes input.c -o without.bc");
        let context = Context::create();
        let module = Module::parse_bitcode_from_path(path("without.bc"), &context).expect("clang's bitcode");
        for (region, outcome) in ipda::give_back_nests(&module) {
            match outcome {
                Ok(_) => nests += 1,
                Err(reason) => reasons.entry(reason).or_insert_with(Vec::new).push((seed, region)),
            }
        }
        module.verify().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        module.write_bitcode_to_path(path("with.bc"));
        for name in ["with", "without"] {
            let level = random.pick(&["-O1", "-O2", "-O3 -march=native"]);
            clang(folder.path(), &format!("-w {level} -fopenmp {name}.bc -o {name}"));
        }
        for threads in [1, 2, 3, 4, 7] {
            let Some(without) = run(&path("without"), threads) else {
                eprintln!("seed {seed} does not end with {threads} threads");
                continue;
            };
            let with = run(&path("with"), threads).unwrap_or_else(|| "it does not end".into());
            let differs = with.lines().zip(without.lines()).find(|(with, without)| with != without);
            if with != without {
                std::fs::write(std::env::temp_dir().join("nests-differ.c"), &source).expect("a temporary folder");
                panic!("seed {seed}, {threads} threads: {differs:?}");
            }
        }
    }
    for (reason, places) in &reasons {
        eprintln!("{} times: {reason} ({:?})", places.len(), places[0]);
    }
    eprintln!("{nests} nests");
    assert!(nests > 0);
}

#[test]
fn some_programs_print_the_same() {
    compare(1..4);
}

#[test]
#[ignore = "takes minutes"]
fn many_programs_print_the_same() {
    compare(100..160);
}
