//! Reports as nobody writes them, through every command: none may fail otherwise than with a sentence, take long, or take much memory.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser;
use ipda_models::report::Report;
use peak_alloc::PeakAlloc;
use serde_yaml::Value;

use crate::Arguments;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What no command may take longer than.
const LONGEST: Duration = Duration::from_secs(5);
/// A command that takes so long never ends.
const ENDLESS: Duration = Duration::from_secs(300);
/// What no command may take more than, in megabytes.
const MAX_MEMORY: f32 = 500.0;
/// Memory is counted for the whole process.
static ALONE: Mutex<()> = Mutex::new(());
/// Of a thread, as the system gives it to a program.
const STACK: usize = 8 << 20;

/// Numbers from a seed: splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap_or(0)
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// A report that the plugin wrote, its source where there is one, and values of its variables.
struct Seed {
    report: &'static str,
    source: Option<&'static str>,
    values: &'static [&'static str],
}

const SEEDS: [Seed; 7] = [
    Seed { report: "built/gemm.yaml", source: Some("built/gemm.c"), values: &["NI=300", "NJ=200", "NK=100"] },
    Seed { report: "built/mvt.yaml", source: Some("built/mvt.c"), values: &["n=1000"] },
    Seed { report: "built/gather.yaml", source: Some("built/gather.c"), values: &["n=1000"] },
    Seed { report: "swap/optimised.yaml", source: None, values: &["n=1000", "m=70"] },
    Seed { report: "gemm.yaml", source: None, values: &[] },
    Seed { report: "kinds.yaml", source: None, values: &[] },
    Seed { report: "kernel.yaml", source: None, values: &[] },
];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Values in the place of others: the ends of ranges, other types, expressions that grow, names that are commands.
const VALUES: [&str; 44] = [
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "33",
    "255",
    "4096",
    "4097",
    "65535",
    "2147483647",
    "4294967295",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "18446744073709551615",
    "1e18",
    "1e308",
    "-0.0",
    ".nan",
    ".inf",
    "~",
    "[]",
    "{}",
    "''",
    "=",
    "yes",
    "loop0",
    "loop1",
    "loop2",
    "acc0",
    "0-31",
    "0-4294967295",
    "0 2 4 6",
    "31-0",
    "4*[n]",
    "'[n]*[n]*[n]*[n]*[n]'",
    "'4*i*[n] + 4*j - 18446744073709551616'",
    "'(i + 1)/0'",
    "'[min(n, m)] / ([n] - [n])'",
    "\"\\e[2J\\e]0;title\\a\"",
    "\"a\\u202eb\\nc\\0\"",
    "'<script>alert(1)</script>'",
];

/// Values that are made, for they are long.
fn long_value(random: &mut Random) -> String {
    match random.below(8) {
        0 => "9".repeat(300 + random.below(70_000)),
        1 => format!("'{}i{}'", "(".repeat(20_000), ")".repeat(20_000)),
        2 => format!("'{}'", vec!["[n]*[m]*i*j"; 2_000].join(" + ")),
        3 => format!("'{}'", (0..3_000).map(|at| format!("[v{at}]")).collect::<Vec<_>>().join("*")),
        4 => format!("'{}'", vec!["([n] + [m] + i)"; 40].join("*")),
        5 => format!("'{}'", "max(".repeat(3_000)),
        6 => "[".repeat(50_000),
        _ => "x".repeat(300_000),
    }
}

/// Changes a report's text once.
fn change(lines: &mut Vec<String>, random: &mut Random) {
    if lines.is_empty() {
        return;
    }
    let at = random.below(lines.len());
    let key = |line: &str| line.split_once(": ").map(|(key, _)| key.trim_start_matches([' ', '-']).to_owned());
    match random.below(12) {
        // A value that another line of the same kind has is one that the check lets through.
        0..=3 => {
            let wanted = key(&lines[at]);
            let alike: Vec<&String> = lines.iter().filter(|line| wanted.is_some() && key(line) == wanted).collect();
            if let Some((_, value)) = alike.get(random.below(alike.len())).and_then(|line| line.split_once(": ")) {
                lines[at] = with_value(&lines[at], value);
            }
        }
        4..=6 => {
            let value = random.one_of(&VALUES);
            lines[at] = with_value(&lines[at], value);
        }
        7 => {
            let value = long_value(random);
            lines[at] = with_value(&lines[at], &value);
        }
        8 => drop(lines.remove(at)),
        // A part of the report over and over: an access, a loop, a region.
        9 => {
            let end = (at + 1 + random.below(60)).min(lines.len());
            let part: Vec<String> = lines[at..end].to_vec();
            let times = *random.one_of(&[&1, &2, &40, &400]);
            for _ in 0..times {
                lines.splice(end..end, part.iter().cloned());
            }
        }
        10 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        _ => match random.below(4) {
            0 => lines.truncate(at),
            1 => lines[at].insert_str(0, "  "),
            2 => lines[at].push(char::from_u32(random.below(0x300) as u32).unwrap_or('x')),
            // Nested maps, of which each line is one.
            _ => {
                let depth = random.below(600);
                lines.splice(at..at, (0..depth).map(|depth| format!("{}a:", " ".repeat(depth))));
            }
        },
    }
}

/// A line with another value, if it has one.
fn with_value(line: &str, value: &str) -> String {
    line.split_once(": ").map_or_else(|| line.to_owned(), |(key, _)| format!("{key}: {value}"))
}

fn mutated(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        change(&mut lines, random);
    }
    lines.join("\n") + "\n"
}

/// All that may be asked about a report.
fn commands(folder: &Path, seed: &Seed) -> Vec<Vec<String>> {
    let report = folder.join("r.yaml").display().to_string();
    let old = data(seed.report).display().to_string();
    let place = Path::new(seed.report).with_extension("c");
    let place = format!("{}:17", place.file_name().unwrap_or_default().display());
    let root = folder.display().to_string();
    let pages = folder.join("pages").display().to_string();
    let mut all: Vec<Vec<&str>> = vec![
        vec!["report", "--all", "--details", &report],
        vec!["report", "--format", "json", "--fail-on", "excess>10%", &report],
        vec!["report", "--format", "md", "--only", "loops", "-D", "n=9000000000000000000", &report],
        vec!["report", "--format", "csv", "--sort", "place", &report],
        vec!["report", "--format", "yaml", "--gpu", "v100", &report],
        vec!["report", "--html", &pages, "--cpu", "epyc-milan", "--source", &root, &report],
        vec!["explain", "--report", &report, &place],
        vec!["explain", "--format", "md", "--report", &report, &place],
        vec!["diff", "--fail-on-worse", &old, &report],
        vec!["diff", "--format", "yaml", &report, &old],
        vec!["fix", "--dry-run", "--root", &root, &report],
        vec!["fix", "--dry-run", "--assume", "--root", &root, &report],
        vec!["fix", "--dry-run", "--guard", "--root", &root, &report],
    ];
    let values: Vec<&str> = seed.values.iter().flat_map(|value| ["-D", value]).collect();
    let forms: [&[&str]; 4] = [
        &["--details"],
        &["--format", "md", "--details"],
        &["--format", "json", "--model", "published"],
        &["--as-at-launch"],
    ];
    for more in forms {
        all.push([&["predict", "--cpu", "epyc-milan", "--gpu", "h200"], more, &values, &[&report]].concat());
    }
    all.into_iter().map(|words| ["ipda"].into_iter().chain(words).map(str::to_owned).collect()).collect()
}

/// Processor time of this thread so far: on a busy machine, a command takes longer than its work.
fn processor_time() -> Duration {
    let spent = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux has it of each thread");
    let nanoseconds = spent.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the time on processors comes first"))
}

/// What was wrong with a command, if anything was.
fn problem(words: &[String]) -> Option<String> {
    let arguments = Arguments::try_parse_from(words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
    let before = MEMORY.current_usage_as_mb();
    MEMORY.reset_peak_usage();
    let start = processor_time();
    let run = catch_unwind(AssertUnwindSafe(|| crate::run(arguments)));
    let (took, memory) = (processor_time() - start, MEMORY.peak_usage_as_mb() - before);
    match run {
        Err(_) => Some("fails".into()),
        Ok(_) if took > LONGEST => Some(format!("takes {:.1} s", took.as_secs_f64())),
        Ok(_) if memory > MAX_MEMORY => Some(format!("takes {memory:.0} MB")),
        Ok(_) => None,
    }
}

/// What the mutated reports of a run were like.
#[derive(Default)]
struct Outcome {
    read: usize,
    slowest: Duration,
    problems: Vec<String>,
}

fn run(first: u64, count: u64, now: &Mutex<(String, Instant)>) -> Outcome {
    let mut folder = tempfile::tempdir().expect("a temporary folder");
    // One report alone is asked for to look at it.
    folder.disable_cleanup(count == 1);
    let mut outcome = Outcome::default();
    for number in first..first + count {
        let mut random = Random(number);
        let seed = &SEEDS[random.below(SEEDS.len())];
        let text = mutated(&fs::read_to_string(data(seed.report)).expect("the report is there"), &mut random);
        if let Some(source) = seed.source {
            let name = Path::new(source).file_name().expect("a file");
            fs::copy(data(source), folder.path().join(name)).expect("the folder is writable");
        }
        fs::write(folder.path().join("r.yaml"), &text).expect("the folder is writable");
        outcome.read += usize::from(Report::from_yaml(&text).is_ok());
        for words in commands(folder.path(), seed) {
            *now.lock().unwrap() = (format!("report {number}: {}", words.join(" ")), Instant::now());
            let start = processor_time();
            if let Some(problem) = problem(&words) {
                outcome.problems.push(format!("report {number}, ipda {}: {problem}", words[1..].join(" ")));
            }
            outcome.slowest = outcome.slowest.max(processor_time() - start);
        }
    }
    outcome
}

/// Runs in a thread with the stack of a program, beside one that looks whether it goes on.
fn watched_run(first: u64, count: u64) -> Outcome {
    let now = Arc::new(Mutex::new((String::new(), Instant::now())));
    let own = Arc::clone(&now);
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(move || run(first, count, &own)).unwrap();
    while !worker.is_finished() {
        std::thread::sleep(Duration::from_millis(50));
        let (what, start) = now.lock().unwrap().clone();
        if !what.is_empty() && start.elapsed() > ENDLESS {
            // A thread cannot be ended.
            let _ = writeln!(io::stderr(), "endless: {what}");
            std::process::abort();
        }
    }
    worker.join().expect("the run itself does not fail")
}

/// What there is to say of a run without problems.
fn check(first: u64, count: u64) -> String {
    let _alone = ALONE.lock();
    let Outcome { read, slowest, problems } = watched_run(first, count);
    let text = format!(
        "{count} reports, of which {read} can be right, through {} commands each:\n{} problems, the slowest command took {:.2} s\n{}",
        commands(Path::new(""), &SEEDS[0]).len(),
        problems.len(),
        slowest.as_secs_f64(),
        problems.join("\n")
    );
    assert!(problems.is_empty(), "{text}");
    // Where nothing gets through the door, nothing behind it is tested.
    assert!(read as u64 >= count / 10, "{text}");
    text
}

#[test]
fn mutated_reports() {
    check(0, 200);
}

/// `scripts/bench mutated-reports`: IPDA_MUTATED is how many, IPDA_MUTATED_FROM the number of the first.
#[test]
#[ignore = "takes minutes"]
fn many_mutated_reports() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let text = check(number("IPDA_MUTATED_FROM", 1_000_000), number("IPDA_MUTATED", 10_000));
    io::stdout().write_all(text.as_bytes()).expect("somebody reads it");
}

/// The places of the texts in a document, each named by the keys that lead to it, and once where a list has many of its kind.
fn texts(node: &Value, place: &str, found: &mut BTreeSet<String>) {
    match node {
        Value::String(_) => drop(found.insert(place.to_owned())),
        Value::Sequence(items) => items.iter().for_each(|item| texts(item, &format!("{place}[]"), found)),
        Value::Mapping(fields) => fields.iter().for_each(|(key, value)| {
            texts(value, &format!("{place}.{}", key.as_str().unwrap_or_default()), found);
        }),
        _ => {}
    }
}

/// Puts something behind each text at a place.
fn put_behind(node: &mut Value, place: &str, wanted: &str, end: &str) {
    match node {
        Value::String(text) if place == wanted => text.push_str(end),
        Value::Sequence(items) => {
            items.iter_mut().for_each(|item| put_behind(item, &format!("{place}[]"), wanted, end));
        }
        Value::Mapping(fields) => fields.iter_mut().for_each(|(key, value)| {
            put_behind(value, &format!("{place}.{}", key.as_str().unwrap_or_default()), wanted, end);
        }),
        _ => {}
    }
}

/// Every text of a report, one kind at a time, brings commands for a terminal along, and a line that a diff would begin with.
#[test]
fn no_text_of_a_report_is_a_command() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().unwrap();
    // These have texts of all kinds.
    let [gemm, _, _, swap, _, _, kernel] = SEEDS;
    for seed in [gemm, swap, kernel] {
        if let Some(source) = seed.source {
            let name = Path::new(source).file_name().expect("a file");
            fs::copy(data(source), folder.path().join(name)).expect("the folder is writable");
        }
        let report: Value = serde_yaml::from_str(&fs::read_to_string(data(seed.report)).unwrap()).unwrap();
        let mut places = BTreeSet::new();
        texts(&report, "", &mut places);
        assert!(places.len() > 15, "{places:?}");
        for place in places {
            let mut changed = report.clone();
            put_behind(&mut changed, "", &place, "\u{1b}[31mx\u{1b}[8m\u{9b}2J\u{202e}\r\n+++ b/x");
            fs::write(folder.path().join("r.yaml"), serde_yaml::to_string(&changed).unwrap()).unwrap();
            for words in commands(folder.path(), &seed) {
                assert_eq!(problem(&words), None, "{}{place} {words:?}", seed.report);
            }
        }
    }
}

/// What was found in reports of others, and what the changes above are unlikely to make.
#[test]
fn hostile_reports() {
    let _alone = ALONE.lock();
    let gemm = fs::read_to_string(data("built/gemm.yaml")).unwrap();
    let [.., last] = &gemm.match_indices("parent: ").map(|(at, _)| at).collect::<Vec<_>>()[..] else {
        panic!("no loops")
    };
    let id = gemm[..*last].rsplit("- id: ").next().unwrap().lines().next().unwrap();
    let own_parent = format!("{}parent: {id}{}", &gemm[..*last], &gemm[*last..][gemm[*last..].find('\n').unwrap()..]);
    let digits = "9".repeat(1_000_000);
    let hostile = [
        gemm.replace("warp_lanes: 32", "warp_lanes: 4294967295"),
        own_parent,
        gemm.replace("sector_bytes: 32", "sector_bytes: 0").replace("bytes: 4\n", "bytes: 0\n"),
        gemm.replace("trips:\n", &format!("trips:\n{}", "- ".repeat(50_000))),
        (0..50_000).map(|depth| format!("{}a:\n", " ".repeat(depth % 1000))).collect(),
        "{a: ".repeat(50_000),
        "a: &a [x, x, x, x, x, x, x, x]\n".to_owned() + &"b: [*a, *a, *a, *a]\n".repeat(1000),
        gemm.replace("'4*[NJ]'", &digits).replace("4*[NJ]", &digits),
        gemm.replace("gemm.c", "\"\\e]0;a\\a\\e[2J.c\"").replace("function: gemm", "function: \"\\e[31m\\u202e\""),
    ];
    let folder = tempfile::tempdir().unwrap();
    let sizes = hostile.iter().map(String::len).collect::<Vec<_>>();
    for (number, text) in hostile.into_iter().enumerate() {
        assert_ne!(text, gemm, "{number}");
        fs::write(folder.path().join("r.yaml"), text).unwrap();
        fs::copy(data("built/gemm.c"), folder.path().join("gemm.c")).unwrap();
        for words in commands(folder.path(), &SEEDS[0]) {
            assert_eq!(problem(&words), None, "{number} {words:?} {sizes:?}");
        }
    }
}
