//! What launches learn (`support/learn.h`, `support/decide.c`), on simulated machines: the code is that of programs, and only the runtime and the clock are not.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use ipda_models::form::{Leaf, Num, record};
use ipda_models::table::{Carried, Prediction, Program, Reading};
use ipda_models::versions::VersionId;
use proptest::prelude::*;

/// What happens at a launch, as `learning.c` has it.
const PRESENT: u64 = 1;
const NO_WAIT: u64 = 2;
const FAILS: u64 = 4;
const STAYS_UNDER_WAY: u64 = 8;
const WITH_CLAUSE: u64 = 16;

fn machine() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("learning-{}", std::process::id()));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learning/learning.c");
        let built = Command::new("cc")
            .args(["-Oz", "-ffp-contract=off", "-Wall", "-Werror", "-o"])
            .arg(&output)
            .arg(source)
            .arg("-lm")
            .status();
        assert!(built.is_ok_and(|status| status.success()), "a C compiler, which linking Rust needs too");
        output
    })
}

/// A prediction that says what its launch captures: the host's seconds, those as they are weighed, and the device's.
fn program() -> Program {
    let names = ["host", "weighed", "device"];
    let (form, ()) = record(|| {
        let [host, weighed, device] = names.map(|name| Num::leaf(Leaf::Captured(name.into())));
        Ok::<_, ()>((vec![host, Num::ZERO, weighed, Num::ONE, Num::ONE, device], ()))
    })
    .expect("nothing fails");
    let carried = |(entry, name): (u32, &str)| Carried { name: name.into(), entry, reading: Reading::Double };
    let captured = (0..).zip(names).map(carried).collect();
    let prediction = Prediction { form, versions: vec![VersionId::new(0)], captured, notes: Vec::new() };
    prediction.program().expect("it has a program")
}

/// A launch: predicted and true times, in seconds.
#[derive(Debug, Clone, Copy)]
struct Launch {
    host: f64,
    weighed: f64,
    device: f64,
    /// On the device and on the host.
    takes: [f64; 2],
    happens: u64,
    region: u64,
}

impl Launch {
    /// Predicted without doubts, and nothing happens.
    fn new((host, device): (f64, f64), (on_host, on_device): (f64, f64)) -> Launch {
        Launch { host, weighed: host, device, takes: [on_device, on_host], happens: 0, region: 0 }
    }

    fn with(self, happens: u64) -> Launch {
        Launch { happens: self.happens | happens, ..self }
    }

    /// Whether the prediction chooses the host.
    fn plain(&self) -> bool {
        self.weighed < self.device && self.happens & (PRESENT | WITH_CLAUSE) == 0
    }

    /// What launches alike share.
    fn class(&self) -> (u64, [i32; 3], bool) {
        let exponents = [self.host, self.weighed, self.device].map(|seconds| seconds.log2().floor() as i32);
        (self.region, exponents, self.weighed < self.device)
    }
}

/// Where launches ran, and their seconds. The first ones on the device and on the host take so much more.
fn run(extra: [f64; 2], launches: &[Launch], variables: &[(&str, &str)]) -> Vec<(bool, f64)> {
    let nanoseconds = |seconds: f64| (seconds * 1e9) as u64;
    let program = program();
    let counts = [program.bytes.len(), program.spread].map(|count| (count as u64).to_ne_bytes());
    let mut input = [&counts.concat()[..], &program.bytes].concat();
    let regions = launches.iter().map(|launch| launch.region + 1).max().unwrap_or(1);
    let mut put = |number: u64| input.extend(number.to_ne_bytes());
    extra.map(nanoseconds).into_iter().chain([regions]).for_each(&mut put);
    for launch in launches {
        [launch.host, launch.weighed, launch.device].map(f64::to_bits).into_iter().for_each(&mut put);
        launch.takes.map(nanoseconds).into_iter().chain([launch.happens, launch.region]).for_each(&mut put);
    }
    let mut command = Command::new(machine());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("IPDA_") || name.starts_with("OMP_")) {
        command.env_remove(name);
    }
    command.env("IPDA_OFFLOAD", "model").envs(variables.iter().copied());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it was built");
    let mut stdin = child.stdin.take().expect("it has one");
    let writer = std::thread::spawn(move || stdin.write_all(&input).expect("it reads"));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("it has written");
    assert!(output.status.success(), "{}", output.status);
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let line = |line: &str| {
        let (side, took) = line.split_once(' ').expect("two words");
        (side == "h", took.parse::<f64>().expect("a number") / 1e9)
    };
    let ran: Vec<_> = text.lines().map(line).collect();
    assert_eq!(ran.len(), launches.len());
    ran
}

/// Where they ran, a letter each.
fn sides(extra: [f64; 2], launches: &[Launch]) -> String {
    letters(&run(extra, launches, &[]))
}

fn letters(ran: &[(bool, f64)]) -> String {
    ran.iter().map(|(is_on_host, _)| if *is_on_host { 'h' } else { 'd' }).collect()
}

/// Predicted: the device takes 1 s, the host 2 s; in truth the device takes 4.
fn wrong() -> Launch {
    Launch::new((2.0, 1.0), (2.0, 4.0))
}

#[test]
fn a_wrong_prediction_is_turned_after_three_launches() {
    // The first launch on the device is not counted, the next three are. The first one on the host is the trial, and not counted either, so that
    // another one follows. The 16th that would be the host's is the device's again.
    let ran = sides([4000.0, 2000.0], &[wrong(); 60]);
    assert_eq!(ran, format!("dddd{}d{}", "h".repeat(16), "h".repeat(39)));
    // Where the host takes long as well, and the prediction says so, nothing is tried.
    let both = Launch::new((5.0, 1.0), (5.0, 4.0));
    assert_eq!(sides([0.0; 2], &[both; 20]), "d".repeat(20));
    // Nor where that is in doubt.
    let doubted = Launch { weighed: 4.5, ..wrong() };
    assert_eq!(sides([0.0; 2], &[doubted; 20]), "d".repeat(20));
}

#[test]
fn the_user_can_do_without() {
    for variables in
        [[("IPDA_LEARN", "off")], [("IPDA_REPRODUCIBLE", "1")], [("IPDA_OFFLOAD", "always")], [("IPDA_OFFLOAD", "")]]
    {
        assert_eq!(letters(&run([0.0; 2], &[wrong(); 12], &variables)), "d".repeat(12));
    }
    assert_eq!(letters(&run([0.0; 2], &[wrong(); 12], &[("IPDA_OFFLOAD", "never")])), "h".repeat(12));
    assert_eq!(letters(&run([0.0; 2], &[wrong(); 8], &[("IPDA_LEARN", "on")])), "ddddhhhh");
}

#[test]
fn a_trial_that_lost_is_the_last() {
    // The host has run before, so that the trial counts at once.
    let host = Launch { region: 1, ..Launch::new((1.0, 2.0), (1.0, 2.0)) };
    let lost = Launch::new((2.0, 1.0), (5.0, 4.0));
    let ran = sides([1.0; 2], &[&[host][..], &[lost; 100]].concat());
    assert_eq!(ran, format!("hddddh{}", "d".repeat(95)));
}

#[test]
fn gains_are_set_off_against_losses() {
    // Three launches of the host save 2 s each, and then each takes 1 s more than the device.
    let worse = Launch { takes: [4.0, 5.0], ..wrong() };
    let ran = sides([0.0; 2], &[&[wrong(); 8][..], &[worse; 20]].concat());
    // What the first one on the host saves is not counted.
    assert_eq!(ran, format!("dddd{}{}", "h".repeat(4 + 7), "d".repeat(13)));
}

#[test]
fn a_host_that_was_predicted_to_be_faster_is_corrected() {
    let other = Launch { region: 1, ..Launch::new((2.0, 1.0), (2.0, 1.0)) };
    let slow = Launch::new((1.0, 2.0), (9.0, 2.0));
    // A device that the program has not used yet would have to be started.
    assert_eq!(sides([1.0; 2], &[slow; 20]), "h".repeat(20));
    let ran = sides([1.0; 2], &[&[other][..], &[slow; 30]].concat());
    assert_eq!(ran, format!("dhhhh{}h{}", "d".repeat(16), "d".repeat(9)));
}

#[test]
fn what_is_no_measurement() {
    // Data that is there, a device clause, launches that return before their work is done, or fail, or run at the same time as others.
    for happens in [PRESENT, WITH_CLAUSE, NO_WAIT, FAILS] {
        assert_eq!(sides([0.0; 2], &[wrong().with(happens); 40]), "d".repeat(40), "{happens}");
    }
    let pair = [wrong().with(STAYS_UNDER_WAY), wrong()];
    assert_eq!(sides([0.0; 2], &[pair; 20].concat()), "d".repeat(40));
    // What does not wait may be under way for good.
    let ran = sides([0.0; 2], &[&[wrong().with(NO_WAIT)][..], &[wrong(); 20]].concat());
    assert_eq!(ran, "d".repeat(21));
}

#[test]
fn data_that_is_there_now_and_then_hides_nothing() {
    // The device is fast where nothing is to be copied.
    let there = Launch { takes: [0.01, 2.0], ..wrong() }.with(PRESENT);
    let ran = sides([0.0; 2], &[[wrong(), there]; 12].concat());
    let (free, bound): (String, String) = (ran.chars().step_by(2).collect(), ran.chars().skip(1).step_by(2).collect());
    assert_eq!(bound, "d".repeat(12));
    assert!(free.starts_with("dddd") && free.ends_with("hhh"), "{free}");
    // Where it was there for long, it is not asked for at each launch, but in the end.
    let ran = sides([0.0; 2], &[&[there; 1000][..], &[wrong(); 1000]].concat());
    assert!(ran.ends_with(&"h".repeat(100)), "{ran}");
}

#[test]
fn one_launch_in_three_without_disturbance_is_enough() {
    let right = Launch::new((2.0, 1.0), (2.0, 1.0));
    let disturbed = Launch { takes: [400.0, 800.0], ..right };
    let ran = sides([100.0; 2], &[&[right, disturbed, disturbed, right][..], &[right; 20]].concat());
    assert_eq!(ran, "d".repeat(24));
}

#[test]
fn a_trial_that_the_device_fails_is_the_last() {
    let other = Launch { region: 1, ..Launch::new((2.0, 1.0), (2.0, 1.0)) };
    let slow = Launch::new((1.0, 2.0), (9.0, 2.0)).with(FAILS);
    let ran = sides([0.0; 2], &[&[other][..], &[slow; 30]].concat());
    assert_eq!(ran, format!("dhhhhd{}", "h".repeat(25)));
}

#[test]
fn what_finds_no_place_is_not_learned() {
    let many: Vec<Launch> = (0..6000).map(|region| Launch { region, ..wrong() }).collect();
    let all: Vec<Launch> = (0..6).flat_map(|_| many.clone()).collect();
    let ran = sides([0.0; 2], &all);
    // The table has 1,024 places. Of the six launches of a class in it, the device is measured by three, and the host gets the others.
    let on_host = ran.chars().filter(|side| *side == 'h').count();
    assert!((3 * 1000..=3 * 1024).contains(&on_host), "{on_host}");
}

/// A machine on which each class has factors by which times are longer than predicted.
fn scenario() -> impl Strategy<Value = Vec<Launch>> {
    let class = (-12.0..2.0_f64, 0.1..10.0_f64, 1.0..3.0_f64, -7.0..7.0_f64, -7.0..7.0_f64);
    let classes = proptest::collection::vec(class, 1..5);
    let launches = proptest::collection::vec((any::<prop::sample::Index>(), 1.0..1.9_f64, 0_u8..10), 1..400);
    (classes, launches).prop_map(|(classes, launches)| {
        let launch = |(index, size, kind): (prop::sample::Index, f64, u8)| {
            let number = index.index(classes.len());
            let (exponent, ratio, doubt, on_host, on_device) = classes[number];
            let host = exponent.exp2() * size;
            let device = exponent.exp2() * ratio * size;
            let mut launch = Launch::new((host, device), (host * f64::exp2(on_host), device * f64::exp2(on_device)));
            launch.weighed = host * doubt;
            launch.region = number as u64;
            // Now and then data is there, and then the device takes less.
            if kind == 0 {
                launch.happens = PRESENT;
                launch.takes[0] *= 0.01;
            }
            launch
        };
        launches.into_iter().map(launch).collect()
    })
}

/// What launches take if all run where the prediction says, where the first one on each side takes more.
fn as_predicted(extra: [f64; 2], launches: &[Launch]) -> f64 {
    let mut has_run = [false; 2];
    let takes = |launch: &Launch| {
        let side = usize::from(launch.plain());
        launch.takes[side] + if std::mem::replace(&mut has_run[side], true) { 0.0 } else { extra[side] }
    };
    launches.iter().map(takes).sum()
}

/// One launch of each class that is not where the prediction says is what may be lost: the longest that there was. The host's first launch is lost beside.
fn may_be_lost(extra: [f64; 2], launches: &[Launch], ran: &[(bool, f64)]) -> f64 {
    let mut longest: BTreeMap<_, f64> = BTreeMap::new();
    for (launch, (is_on_host, _)) in launches.iter().zip(ran) {
        if *is_on_host != launch.plain() {
            let seconds = longest.entry(launch.class()).or_default();
            *seconds = seconds.max(launch.takes[usize::from(*is_on_host)]);
        }
    }
    let first_on_host = launches.iter().zip(ran).find(|(_, (is_on_host, _))| *is_on_host);
    let first = first_on_host.filter(|(launch, _)| !launch.plain()).map_or(0.0, |(_, (_, seconds))| *seconds);
    longest.values().sum::<f64>() + first.max(extra[1])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The first launch on each side costs up to a thousand times as much as others, and data is there now and then.
    #[test]
    fn what_is_lost_is_one_launch_a_class(launches in scenario(), extra in 0.0..1000.0_f64) {
        let least = launches.iter().map(|launch| launch.takes[0].min(launch.takes[1])).fold(f64::INFINITY, f64::min);
        let extra = [extra * least; 2];
        let ran = run(extra, &launches, &[]);
        let took: f64 = ran.iter().map(|(_, seconds)| seconds).sum();
        let bound = as_predicted(extra, &launches) + may_be_lost(extra, &launches, &ran);
        prop_assert!(took <= bound * 1.002, "{took} s in place of {bound}: {}", letters(&ran));
    }

    /// Another process disturbs two launches of three, on whichever side they run.
    #[test]
    fn what_is_lost_where_launches_are_disturbed(launches in scenario(), by in proptest::collection::vec(1.0..50.0_f64, 400)) {
        let mut counts: BTreeMap<_, usize> = BTreeMap::new();
        let disturbed = |(launch, by): (&Launch, &f64)| {
            let count = counts.entry(launch.class()).or_default();
            *count += 1;
            let by = if *count % 3 == 0 { 1.0 } else { *by };
            Launch { takes: launch.takes.map(|seconds| seconds * by), happens: 0, ..*launch }
        };
        let launches: Vec<Launch> = launches.iter().zip(&by).map(disturbed).collect();
        let ran = run([0.0; 2], &launches, &[]);
        let took: f64 = ran.iter().map(|(_, seconds)| seconds).sum();
        let bound = as_predicted([0.0; 2], &launches) + may_be_lost([0.0; 2], &launches, &ran);
        prop_assert!(took <= bound * 1.002, "{took} s in place of {bound}: {}", letters(&ran));
    }

    /// Nothing that is wrong by less than it takes to notice turns a choice: predictions that are right stay as they are.
    #[test]
    fn right_predictions_are_kept(launches in scenario()) {
        let right = |launch: &Launch| Launch { takes: [launch.device, launch.host], happens: 0, weighed: launch.host, ..*launch };
        let launches: Vec<Launch> = launches.iter().map(right).collect();
        let plain: String = launches.iter().map(|launch| if launch.plain() { 'h' } else { 'd' }).collect();
        prop_assert_eq!(sides([0.0; 2], &launches), plain);
    }
}
