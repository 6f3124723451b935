//! The evaluator of programs (`support/program.h`) against forms, and what launches decide by it (`support/decide.c`): the same bits.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use ipda_models::form::{Leaf, Num, record};
use ipda_models::table::{
    Carried, DEVICE, HOST, MAX_SLOTS, MAX_VERSIONS, Prediction, Reading, SQUARES, Seconds, UNREAD, WEIGHED,
};
use ipda_models::versions::VersionId;
use ipda_symbolic::Signedness;
use proptest::prelude::*;

const THREADS: i32 = 7;
/// Iterations of all launches.
const TRIPS: u64 = 12_345;
const MACHINE: f64 = 2.75;
/// From here on, every double is a whole number.
const ALL_WHOLE: f64 = (1_u64 << 52) as f64;

/// The evaluator and the decision, compiled as the plugin's own are.
fn evaluator() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("evaluator-{}", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/evaluator/evaluator.c");
        let built = Command::new("cc")
            .args(["-Oz", "-ffp-contract=off", "-Wall", "-Werror", "-o"])
            .arg(&output)
            .arg(source)
            .status();
        assert!(built.is_ok_and(|status| status.success()), "a C compiler, which linking Rust needs too");
        output
    })
}

/// A launch: the bits of its entries and their sizes.
type Launch<'a> = (&'a [u64], &'a [u64]);

/// What came of a launch.
#[derive(Debug, PartialEq)]
struct Launched {
    /// In bits: on the host, as it is and as it is weighed, on the device, and the version that takes least.
    times: (u64, u64, u64, VersionId),
    /// What is decided, when nothing is remembered and when it is: bit 0 for the host, from bit 2 on the version.
    decided: [u64; 2],
    /// What both spreads follow from, in bits.
    squares: [u64; 2],
    /// The variables that it read, in bits.
    values: Vec<u64>,
}

impl Launched {
    fn of(seconds: Seconds, squares: [u64; 2], values: Vec<u64>) -> Launched {
        let Seconds { host, weighed, device, version, .. } = seconds;
        let decided = u64::from(weighed < device) | u64::from(version.number()) << 2;
        Launched {
            times: (normal(host), normal(weighed), normal(device), version),
            decided: [decided; 2],
            squares,
            values,
        }
    }
}

fn run(prediction: &Prediction, launches: &[Launch<'_>]) -> Vec<Launched> {
    let program = prediction.program().expect("it has a program");
    let prepared = prediction.prepared(|_| Some(MACHINE)).expect("all of the machine is known");
    let mut input: Vec<u8> = Vec::new();
    for (entries, sizes) in launches {
        let counts = [program.bytes.len(), program.spread, prepared.len(), entries.len()].map(|count| count as u64);
        input.extend(counts.into_iter().flat_map(u64::to_ne_bytes));
        input.extend(&program.bytes);
        let numbers = prepared.iter().map(|number| number.to_bits()).chain(entries.iter().copied());
        input.extend(numbers.chain(sizes.iter().copied()).chain([TRIPS, THREADS as u64]).flat_map(u64::to_ne_bytes));
    }
    let mut child =
        Command::new(evaluator()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was built");
    child.stdin.take().expect("it has one").write_all(&input).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let number = |word: &str| u64::from_str_radix(word, 16).expect("a number");
    let bits = |word: &str| normal(f64::from_bits(number(word)));
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let version = VersionId::new(number(words[3]).try_into().expect("a version"));
        Launched {
            times: (bits(words[0]), bits(words[1]), bits(words[2]), version),
            decided: [number(words[4]), number(words[5])],
            squares: [bits(words[6]), bits(words[7])],
            values: words[8..].iter().map(|word| bits(word)).collect(),
        }
    };
    text.lines().map(line).collect()
}

/// A number's bits, those of all that is none alike.
fn normal(number: f64) -> u64 {
    if number.is_nan() { f64::NAN.to_bits() } else { number.to_bits() }
}

/// Checks that a prediction gives what its form gives, for each launch.
fn check(prediction: &Prediction, launches: &[Launch<'_>]) {
    let found = run(prediction, launches);
    assert_eq!(found.len(), launches.len());
    for (found, (entries, sizes)) in found.into_iter().zip(launches) {
        let results = prediction.evaluate(|_| Some(MACHINE), entries, sizes, TRIPS, THREADS.into());
        let seconds = prediction.seconds(&results).expect("it has a version");
        let read = prediction.captured.iter().map(|carried| {
            let bits = match carried.reading {
                Reading::Trips => TRIPS,
                Reading::Memory { .. } => UNREAD as i64 as u64,
                Reading::Size => sizes[carried.entry as usize],
                _ => entries[carried.entry as usize],
            };
            normal(carried.reading.number(bits))
        });
        let squares = [normal(results[SQUARES]), normal(results[SQUARES + 1])];
        assert_eq!(found, Launched::of(seconds, squares, read.collect()), "{}", prediction.form);
    }
}

/// The results of a random program of so many steps: those of its last ones, of which a version's can be an earlier one's again.
fn program(choices: &[(u8, u8, u8)], leaves: Vec<Num>, versions: &[(VersionId, u8)]) -> Vec<Num> {
    let numbers = [0.0, 1.0, 2.5, -0.75, 1e300, 1e-310, ALL_WHOLE + 1.0];
    let mut all: Vec<Num> = leaves.into_iter().chain(numbers.map(Num::new)).collect();
    for (kind, a, b) in choices {
        let of = |at: &u8| all[usize::from(*at) % all.len()];
        let (a, b) = (of(a), of(b));
        all.push(match kind % 12 {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 | 4 => a / b,
            5 => a.min(b),
            6 => a.max(b),
            7 => a.floor(),
            8 => a.ceil(),
            9 => a.less(b).choose(b, a),
            10 => (a.at_most(b)).and(!a.is(b)).number(),
            _ => a.is(0.0).or(b.more(a)).choose(a, 1.0),
        });
    }
    let last = |back: usize| all[all.len() - 1 - back];
    let device = versions.iter().enumerate().map(|(at, (_, choice))| last(DEVICE + usize::from(*choice) % (at + 1)));
    [last(0), last(1), last(2), last(0), last(1)].into_iter().chain(device).collect()
}

fn entry() -> impl Strategy<Value = u64> {
    let reals = prop_oneof![-1e6..1e6, any::<f64>(), Just(-0.0), Just(f64::INFINITY), Just(-0.5)];
    let floats = any::<f32>().prop_map(|number| number.to_bits().into());
    prop_oneof![0_u64..100, Just(u64::MAX), any::<u64>(), reals.prop_map(f64::to_bits), floats]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn programs_compute_what_forms_say(
        choices in prop::collection::vec(any::<(u8, u8, u8)>(), 2..120),
        versions in prop::collection::btree_map((0..MAX_VERSIONS).prop_map(VersionId::new), any::<u8>(), 1..=4),
        entries in prop::array::uniform7(entry()),
        sizes in prop::array::uniform7(entry()),
    ) {
        let readings = [
            Reading::Signed(32),
            Reading::Size,
            Reading::Double,
            Reading::Float,
            Reading::Natural(64),
            Reading::Natural(8),
            Reading::Signed(64),
            Reading::Trips,
            Reading::Memory { offset: -8, bytes: 4, signedness: Signedness::Signed },
        ];
        let versions: Vec<(VersionId, u8)> = versions.into_iter().collect();
        let named = |number: usize| format!("v{number}");
        let (form, ()) = record(|| {
            let captured = (0..readings.len()).map(|number| Leaf::Captured(named(number)));
            let leaves = captured.chain([Leaf::HostThreads, Leaf::Machine("m".into())]);
            Ok::<_, ()>((program(&choices, leaves.map(Num::leaf).collect(), &versions), ()))
        })
        .expect("nothing fails");
        let number = |leaf: &Leaf| match leaf {
            Leaf::Captured(name) => name[1..].parse::<usize>().ok(),
            Leaf::HostThreads | Leaf::Machine(_) => None,
        };
        let carried = |number| Carried { name: named(number), entry: number as u32 % 7, reading: readings[number] };
        let captured = form.leaves().iter().filter_map(number).map(carried).collect();
        let versions = versions.into_iter().map(|(version, _)| version).collect();
        check(&Prediction { form, versions, captured, notes: Vec::new() }, &[(&entries, &sizes)]);
    }
}

/// A prediction of one double, without transfers: the host's time and those of versions.
fn of_one(work: impl FnOnce(Num) -> Vec<Num>) -> Prediction {
    let (form, results) = record(|| {
        let mut results = work(Num::leaf(Leaf::Captured("x".into())));
        results.insert(HOST + 1, Num::ZERO);
        results.insert(WEIGHED, results[HOST]);
        results.splice(SQUARES..SQUARES, [Num::ONE, results[HOST]]);
        let count = results.len();
        Ok::<_, ()>((results, count))
    })
    .expect("nothing fails");
    let versions = (0..(results - DEVICE) as u8).map(VersionId::new).collect();
    let captured = vec![Carried { name: "x".into(), entry: 0, reading: Reading::Double }];
    Prediction { form, versions, captured, notes: Vec::new() }
}

#[test]
fn floors_are_those_of_the_form() {
    let near =
        [0.0, 0.5, 1.0 - f64::EPSILON, 1.0, 1.5, ALL_WHOLE - 0.5, ALL_WHOLE, 2.0 * ALL_WHOLE + 2.0, 9.3e18, 1e300];
    let special = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324];
    let bits: Vec<[u64; 1]> = near.into_iter().flat_map(|x| [x, -x]).chain(special).map(|x| [x.to_bits()]).collect();
    let launches: Vec<Launch<'_>> = bits.iter().map(|bits| (&bits[..], &[0][..])).collect();
    check(&of_one(|x| vec![x.floor(), Num::ZERO]), &launches);
}

#[test]
fn a_program_has_as_many_steps_as_the_evaluator_has_slots() {
    let sum_of = |count: usize| of_one(|x| vec![(0..count).fold(x, |sum, _| sum * 0.5 + x), x]);
    let bits = [2.5_f64.to_bits()];
    check(&sum_of((MAX_SLOTS - 5) / 2), &[(&bits, &[0])]);
    assert!(sum_of(MAX_SLOTS / 2).program().is_err());
}

#[test]
fn the_first_of_the_versions_that_take_least_is_taken() {
    let prediction = of_one(|x| vec![Num::ONE, x, Num::new(2.0), x.min(3.0), Num::new(2.0)]);
    let bits = [1.0, 2.0, 2.5, 4.0, f64::NAN, f64::INFINITY].map(|x: f64| [x.to_bits()]);
    let launches: Vec<Launch<'_>> = bits.iter().map(|bits| (&bits[..], &[0][..])).collect();
    check(&prediction, &launches);
    let taken: Vec<u8> = run(&prediction, &launches).iter().map(|launched| launched.times.3.number()).collect();
    // Of a time that is no number it is not known whether it is the least: the lowest version stays.
    assert_eq!(taken, [0, 0, 1, 1, 0, 1]);
}
