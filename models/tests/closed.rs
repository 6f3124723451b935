//! Closed forms against predictions with numbers. With `IPDA_REPORTS=FOLDER` and `--ignored`, of all regions of that folder's reports.
#![expect(clippy::print_stdout, reason = "figures are printed with --nocapture")]

mod regions;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::closed::{Closed, Times, closed, machine_values};
use ipda_models::cpu::Start;
use ipda_models::form::{Leaf, Stage, Step};
use ipda_models::policy::Evidence;
use ipda_models::predict::{Machines, PredictError, Prediction, Residence, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary, is_trips, size_name};
use ipda_models::table::SQUARES;
use ipda_models::transfer::Pages;

/// Values of all captured variables.
const SIZES: [f64; 9] = [0.0, 1.0, 7.0, 32.0, 33.0, 100.0, 1024.0, 9600.0, 1e5];

/// Values of captured variables, and of the bytes of maps whose length is not known, of which each name has one: all the same, small, odd, large, powers
/// of two, and small beside large ones. No two of them have a product that a 32-bit integer does not hold.
const VALUES: [(&[f64], &[f64]); 6] = [
    (&[4096.0], &[1e8]),
    (&[17.0, 5.0, 9.0, 3.0, 12.0, 6.0], &[4096.0, 1000.0, 20_000.0]),
    (&[1009.0, 331.0, 127.0, 613.0, 2003.0, 251.0], &[1e6, 4_000_003.0, 77_777.0]),
    (&[30_000.0, 4000.0, 16_384.0, 10_000.0, 300.0, 20_000.0], &[1e9, 3e8, 123_456_789.0]),
    (&[64.0, 1024.0, 256.0, 32.0, 2048.0, 16.0], &[1e7, 2e6, 65_536.0]),
    (&[1.0, 33.0, 2.0, 700.0, 1_000_003.0, 7.0], &[1e5, 3e7, 8e8]),
];

/// Where the times of host and device differ by no more than this factor, either may be chosen.
const NEAR: f64 = 1.01;

/// The relative difference that the times of a closed form and of a prediction may have.
const MAX_ERROR: f64 = 0.02;

fn machines(gpu: &str, cpu: &str, link: &str) -> Machines {
    Machines {
        gpu: Gpu::find(gpu).expect("a GPU"),
        cpu: Cpu::find(cpu).expect("a CPU"),
        link: Link::find(link).expect("a link"),
    }
}

const MEASURED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/measured-cpu.yaml");

fn some_machines() -> [Machines; 3] {
    [
        machines("h200", "epyc-milan", "pcie5"),
        machines("v100", "power9", "nvlink2"),
        machines("h200", MEASURED, "pcie5"),
    ]
}

/// All regions of the reports of which there are predictions.
fn summaries_of(reports: &[Report]) -> Vec<RegionSummary> {
    let of = |report: &Report| -> Vec<RegionSummary> {
        report.regions.iter().map(|region| RegionSummary::from_report(region, &report.hardware)).collect()
    };
    let has_times = |summary: &RegionSummary| {
        !matches!(closed(summary, &some_machines()[0], &Setting::default()), Err(PredictError::Nothing { .. }))
    };
    reports.iter().flat_map(of).filter(has_times).collect()
}

/// Those of all reports that tests have.
fn summaries() -> Vec<RegionSummary> {
    let written = [
        regions::gemm(),
        regions::triangle(),
        regions::with_chunk(regions::gemm(), 128),
        regions::with_chunk(regions::triangle(), 128),
        regions::stencil(),
        regions::reduction(),
        regions::two_loops(),
        regions::collapsed(),
        regions::nested(),
        regions::condition(),
        regions::indirect(),
        regions::triangles(3),
    ];
    let mut reports: Vec<Report> = written.map(|text| Report::from_yaml(text).expect("a report")).into();
    let folders =
        ["data", "predict"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests").join(folder));
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| files_in(folder)).collect();
    files.sort();
    reports.extend(files.iter().filter_map(|file| Report::from_yaml(&std::fs::read_to_string(file).ok()?).ok()));
    assert!(reports.len() >= 20, "the reports of the program's tests are there");
    summaries_of(&reports)
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    entries.flat_map(|path| if path.is_dir() { files_in(&path) } else { vec![path] }).collect()
}

/// With that value of all variables, and of all sizes of maps that the form asks for.
fn with_numbers(
    summary: &mut RegionSummary,
    form: &Closed,
    value: f64,
    machines: &Machines,
    setting: &Setting,
) -> Prediction {
    with_values(summary, form, value, machines, setting).expect("a prediction")
}

fn with_values(
    summary: &mut RegionSummary,
    form: &Closed,
    value: f64,
    machines: &Machines,
    setting: &Setting,
) -> Result<Prediction, PredictError> {
    let captured = form.form.leaves().iter().filter_map(|leaf| match leaf {
        Leaf::Captured(name) => Some(name.clone()),
        Leaf::Machine(_) | Leaf::HostThreads => None,
    });
    let bindings = Bindings::new(summary.names().into_iter().chain(captured).map(|name| (name, value)));
    predict(summary, &bindings, machines, setting)
}

fn in_closed_form(closed: &Closed, value: f64, machines: &BTreeMap<String, f64>, setting: &Setting) -> Times {
    let threads = setting.threads.map_or(machines["cpu.processors"], |threads| threads as f64);
    closed.times(machines, |_| Some(value), threads)
}

fn close(one: f64, other: f64, within: f64) -> bool {
    (one - other).abs() <= within * one.abs().max(other.abs())
}

/// A case: its name, host and device in numbers, and as closed forms.
type Pair = (String, [f64; 2], [f64; 2]);

/// Whether the device runs the version of the form: where a guard fails for some values, as for more iterations than 32 bits count, it runs another.
fn has_version_of(form: &Closed, numbers: &Prediction) -> bool {
    numbers.device_version().is_some_and(|version| form.versions.contains(&version.version))
}

fn pairs_of(summaries: &mut [RegionSummary], machines: &[Machines], threads: &[Option<u64>]) -> Vec<Pair> {
    let mut all = Vec::new();
    for machines in machines {
        let values = machine_values(machines).expect("all are described");
        for summary in &mut *summaries {
            for threads in threads {
                let setting = Setting { threads: *threads, ..Setting::default() };
                let form = closed(summary, machines, &setting).expect("a form");
                for size in SIZES {
                    // Clauses that ask for no team have no prediction.
                    let Ok(numbers) = with_values(summary, &form, size, machines, &setting) else { continue };
                    let Some(device) = numbers.device_total() else { continue };
                    if !has_version_of(&form, &numbers) {
                        continue;
                    }
                    let times = in_closed_form(&form, size, &values, &setting);
                    let place = format!("{} at {}", summary.function, summary.place);
                    let name = format!("{place}, all {size}, {threads:?} threads, {}", machines.gpu.name);
                    let numbers = [numbers.host.estimate.total().get(), device.get()];
                    all.push((name, numbers, [times.host.get(), times.device.get()]));
                }
            }
        }
    }
    all
}

fn pairs() -> &'static [Pair] {
    static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
    PAIRS.get_or_init(|| pairs_of(&mut summaries(), &some_machines(), &[None, Some(4)]))
}

/// The cases in which the other side is chosen although it is not nearly as fast, and how many choose the other side at all.
fn other_decisions(pairs: &[Pair]) -> (Vec<&Pair>, usize) {
    let chooses = |[host, device]: [f64; 2]| device < host;
    let differ = pairs.iter().filter(|(_, numbers, form)| chooses(*numbers) != chooses(*form));
    let differ: Vec<&Pair> = differ.collect();
    let is_far = |(_, [host, device], _): &&&Pair| host.max(*device) / host.min(*device) > NEAR;
    (differ.iter().copied().filter(|pair| is_far(&pair)).collect(), differ.len())
}

/// The relative difference of each pair of times, in ascending order; without cases whose loops have no iterations.
fn errors(pairs: &[Pair]) -> Vec<(f64, String)> {
    let sides = pairs.iter().filter(|(name, _, _)| !name.contains("all 0,")).flat_map(|(name, numbers, form)| {
        (0..2).map(move |side| (name, ["host", "device"][side], numbers[side], form[side]))
    });
    let mut errors: Vec<(f64, String)> = sides
        .map(|(name, side, number, form)| {
            ((form / number).max(number / form) - 1.0, format!("{side} of {name}: {number:.4e} and {form:.4e}"))
        })
        .collect();
    errors.sort_by(|left, right| left.0.total_cmp(&right.0));
    errors
}

fn share_within(errors: &[(f64, String)], limit: f64) -> f64 {
    100.0 * errors.iter().filter(|(error, _)| *error <= limit).count() as f64 / errors.len() as f64
}

fn print_figures(pairs: &[Pair]) {
    let errors = errors(pairs);
    let [one, ten, quarter] = [0.01, 0.1, 0.25].map(|limit| share_within(&errors, limit));
    println!("the same decision in {} of {} cases", pairs.len() - other_decisions(pairs).1, pairs.len());
    println!("times within 1 %: {one:.1} %, 10 %: {ten:.1} %, 25 %: {quarter:.1} %");
    errors.iter().rev().take(12).for_each(|(error, text)| println!("  {error:.2} {text}"));
}

#[test]
fn closed_forms_decide_as_predictions_do() {
    print_figures(pairs());
    let (far, _) = other_decisions(pairs());
    assert!(far.is_empty(), "{far:?}");
}

#[test]
fn closed_forms_have_the_times_of_predictions() {
    let errors = errors(pairs());
    assert!(share_within(&errors, MAX_ERROR) == 100.0, "{:?}", errors.last());
}

/// What a name has of some values, of which others have others.
fn value_of(name: &str, (variables, bytes): (&[f64], &[f64])) -> f64 {
    let number = name.bytes().fold(0, |sum, byte| (sum * 31 + usize::from(byte)) % 1_000_003);
    let all = if is_size(name) { bytes } else { variables };
    all[number % all.len()]
}

fn is_size(name: &str) -> bool {
    name.starts_with("bytes(")
}

/// What a launch gives a name: of maps first what is known of them.
fn at_launch(name: &str, bindings: &Bindings, reported: &Bindings) -> Option<f64> {
    let value_in = |all: &Bindings| all.pairs().find(|(own, _)| *own == name).map(|(_, value)| value);
    let [first, next] = if is_size(name) { [reported, bindings] } else { [bindings, reported] };
    value_in(first).or_else(|| value_in(next))
}

/// How many times were compared where variables have different values, and which are apart, with data on the device already.
fn apart_with_values(summaries: &mut [RegionSummary], machines: &Machines) -> (usize, Vec<String>) {
    let values = machine_values(machines).expect("all are described");
    let setting = Setting { resident: Residence::OnTheDevice, ..Setting::default() };
    let (mut compared, mut apart) = (0, Vec::new());
    for summary in summaries {
        let Ok(form) = closed(summary, machines, &setting) else { continue };
        let captured = form.form.leaves().iter().filter_map(|leaf| match leaf {
            Leaf::Captured(name) => Some(name.clone()),
            Leaf::Machine(_) | Leaf::HostThreads => None,
        });
        let names: Vec<String> = summary.names().into_iter().chain(captured).collect();
        for of in VALUES {
            let bindings = Bindings::new(names.iter().map(|name| (name.clone(), value_of(name, of))));
            let Ok(prediction) = predict(summary, &bindings, machines, &setting) else { continue };
            let reported = summary.bind(&bindings).expect("values").known_at_launch();
            let times = form.times(&values, |name| at_launch(name, &bindings, &reported), values["cpu.processors"]);
            let device = prediction.device_version().filter(|_| has_version_of(&form, &prediction));
            let host = (prediction.host.estimate.total(), times.host);
            let kernel = device.map(|version| (version.kernel(), times.kernel));
            for (side, (number, time)) in kernel.map(|kernel| ("kernel", kernel)).into_iter().chain([("host", host)]) {
                compared += 1;
                if !close(number.get(), time.get(), MAX_ERROR) {
                    let place = format!("{} at {}", summary.function, summary.place);
                    apart.push(format!(
                        "{side} of {place} with {:?}: {number} and {time}",
                        bindings.pairs().collect::<Vec<_>>()
                    ));
                }
            }
        }
    }
    (compared, apart)
}

#[test]
fn different_values_count() {
    let (compared, apart) = apart_with_values(&mut summaries(), &some_machines()[0]);
    assert!(apart.is_empty() && compared > 200, "{} of {compared}: {apart:#?}", apart.len());
}

#[test]
fn other_settings_count() {
    let machines = &some_machines()[0];
    let values = machine_values(machines).expect("all are described");
    let settings = [
        Setting { start: Start::Warm, ..Setting::default() },
        Setting { resident: Residence::OnTheDevice, ..Setting::default() },
        Setting { pages: Pages::Pinned, ..Setting::default() },
        Setting { present: ["A".to_owned()].into(), ..Setting::default() },
    ];
    for mut summary in summaries() {
        for setting in &settings {
            let form = closed(&summary, machines, setting).expect("a form");
            for size in [100.0, 1024.0, 9600.0] {
                let numbers = with_numbers(&mut summary, &form, size, machines, setting);
                let times = in_closed_form(&form, size, &values, setting);
                let (host, device) =
                    (numbers.host.estimate.total().get(), numbers.device_total().expect("times").get());
                let name = format!("{} of {size}, {setting:?}", summary.function);
                assert!(close(host, times.host.get(), MAX_ERROR), "{name}: {host} and {}", times.host.get());
                assert!(close(device, times.device.get(), MAX_ERROR), "{name}: {device} and {}", times.device.get());
            }
        }
    }
}

#[test]
#[ignore = "needs a folder with reports, IPDA_REPORTS"]
fn of_a_folder() {
    let folder = std::env::var("IPDA_REPORTS").expect("IPDA_REPORTS is a folder with reports");
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let texts = paths.map(|path| std::fs::read_to_string(path).expect("a text"));
    let reports: Vec<Report> = texts.filter_map(|text| Report::from_yaml(&text).ok()).collect();
    let mut summaries = summaries_of(&reports);
    let pairs = pairs_of(&mut summaries, &some_machines()[..1], &[None]);
    print_figures(&pairs);
    let (compared, apart) = apart_with_values(&mut summaries, &some_machines()[0]);
    println!("with different values: {} of {compared} times apart: {apart:#?}", apart.len());
    let (far, _) = other_decisions(&pairs);
    far.iter().for_each(|pair| println!("another decision: {pair:?}"));
    // Where a size is none, a product of two negative numbers of iterations can be some.
    assert!(far.len() * 1000 <= pairs.len(), "more than one in a thousand decide otherwise");
    assert!(share_within(&errors(&pairs), MAX_ERROR) >= 99.9);
    assert!(apart.len() * 1000 <= compared, "more than one in a thousand times are apart");
}

/// What bounds a time may differ where two parts are as long, and with it how sure the time is.
#[test]
fn launches_weigh_as_predictions_do() {
    let (mut alike, mut others) = (0, Vec::new());
    for machines in some_machines() {
        let values = machine_values(&machines).expect("all are described");
        for summary in &mut summaries() {
            for threads in [None, Some(4)] {
                let setting = Setting { threads, ..Setting::default() };
                let form = closed(summary, &machines, &setting).expect("a form");
                for size in SIZES {
                    let numbers = with_numbers(summary, &form, size, &machines, &setting);
                    let (Some(weighed), Some(choice)) = (numbers.weighed(&Evidence::OF_CASES), numbers.launch_choice())
                    else {
                        continue;
                    };
                    let times = in_closed_form(&form, size, &values, &setting);
                    assert!(times.weighed >= times.host, "doubt never speaks for the host: {times:?}");
                    if choice == times.choice() && close(weighed.get(), times.weighed.get(), 0.05) {
                        alike += 1;
                    } else {
                        others.push(format!(
                            "{} of {size}, {threads:?} threads, {}: {choice:?} by {weighed}, {:?} by {}",
                            summary.function,
                            machines.gpu.name,
                            times.choice(),
                            times.weighed
                        ));
                    }
                }
            }
        }
    }
    assert!(
        others.len() * 50 <= alike,
        "{} of {} are weighed otherwise: {others:#?}",
        others.len(),
        alike + others.len()
    );
}

/// What a launch prints of how far its times may be off. What bounds a time may differ where two parts are as long.
#[test]
fn launches_tell_spreads_as_predictions_do() {
    let (mut alike, mut others) = (0, Vec::new());
    let machines = &some_machines()[0];
    let values = machine_values(machines).expect("all are described");
    for summary in &mut summaries() {
        let setting = Setting::default();
        let form = closed(summary, machines, &setting).expect("a form");
        for size in SIZES {
            let numbers = with_numbers(summary, &form, size, machines, &setting);
            let device = numbers.device_version().and_then(|version| numbers.device_spread(version));
            let (Some(doubt), Some(device)) = (&numbers.host.doubt, device) else { continue };
            let results = form.form.evaluate(|leaf| match leaf {
                Leaf::Machine(key) => values.get(key).copied(),
                Leaf::Captured(_) => Some(size),
                Leaf::HostThreads => Some(values["cpu.processors"]),
            });
            for (at, spread) in [doubt.spread, device].into_iter().enumerate() {
                let factor = results[SQUARES + at].sqrt().exp();
                match close(factor, spread.factor(), 0.05) {
                    true => alike += 1,
                    false => {
                        others.push(format!("{at} of {} of {size}: {factor}, {}", summary.function, spread.factor()))
                    }
                }
            }
        }
    }
    let apart = others.len();
    assert!(apart * 50 <= alike, "{apart} of {} are other spreads: {others:#?}", alike + apart);
}

#[test]
fn a_form_of_one_machine_holds_for_another() {
    let [built_for, found, _] = some_machines();
    // What a form keeps of its machine are lines, pages and sectors.
    let found = Machines { cpu: Cpu::find("xeon-8470").expect("a CPU"), gpu: found.gpu, link: found.link };
    let values = machine_values(&found).expect("all are described");
    let setting = Setting::default();
    for mut summary in summaries() {
        let form = closed(&summary, &built_for, &setting).expect("a form");
        let own = closed(&summary, &found, &setting).expect("a form");
        for size in SIZES {
            let [one, other] = [&form, &own].map(|form| in_closed_form(form, size, &values, &setting));
            assert!(close(one.host.get(), other.host.get(), 0.01), "{} of {size}", summary.function);
            assert!(close(one.device.get(), other.device.get(), 0.01), "{} of {size}", summary.function);
        }
        let _ = with_numbers(&mut summary, &own, 10.0, &found, &setting);
    }
}

#[test]
fn no_value_makes_a_form_lose_its_numbers() {
    let setting = Setting::default();
    for machines in some_machines() {
        let values = machine_values(&machines).expect("all are described");
        for summary in summaries() {
            let form = closed(&summary, &machines, &setting).expect("a form");
            let captured: Vec<String> = form.form.leaves().iter().map(ToString::to_string).collect();
            for value in [0.0, 1.0, -1.0, -9.2e18, 9_007_199_254_740_992.0, 9.223_372_036_854_776e18, 0.5] {
                // All of that value, and each of it alone.
                let alone =
                    |at: usize| move |name: &str, names: &[String]| names.get(at).is_some_and(|own| own == name);
                for at in 0..=captured.len() {
                    let of = |name: &str| Some(if at == 0 || alone(at - 1)(name, &captured) { value } else { 100.0 });
                    for threads in [0.0, 1.0, 256.0, value] {
                        let Times { host, device, kernel, transfers, weighed } = form.times(&values, of, threads);
                        for time in [host, device, kernel, transfers, weighed] {
                            let time = time.get();
                            assert!(time.is_finite() && time >= -1e-12, "{time} of {} with {value}", summary.function);
                        }
                    }
                }
            }
        }
    }
}

/// What gives more in the same time, and what takes longer where there is more of it.
const FASTER_WITH_MORE: [&str; 12] = [
    "gpu.memory.bandwidth",
    "gpu.l2.bandwidth",
    "gpu.l2.per_multiprocessor",
    "gpu.l2.updates",
    "gpu.l1.throughput",
    "gpu.issue_slots",
    "cpu.memory.bandwidth",
    "cpu.memory.bandwidth_of_core",
    "cpu.l2.throughput",
    "cpu.l3.throughput",
    "link.to_device_pageable",
    "link.from_device_pageable",
];
const SLOWER_WITH_MORE: [&str; 9] = [
    "gpu.memory.latency",
    "gpu.l2.latency",
    "gpu.l1.latency",
    "gpu.launch",
    "cpu.memory.latency",
    "cpu.fork",
    "cpu.tlb.miss",
    "link.latency",
    "link.allocation",
];

#[test]
fn better_machines_are_never_slower() {
    let setting = Setting::default();
    for machines in some_machines() {
        let values = machine_values(&machines).expect("all are described");
        for summary in summaries() {
            let form = closed(&summary, &machines, &setting).expect("a form");
            for size in SIZES {
                let times = |values: &BTreeMap<String, f64>| in_closed_form(&form, size, values, &setting);
                let before = times(&values);
                let of =
                    |keys: &[&'static str], factor: f64| -> Vec<_> { keys.iter().map(|key| (*key, factor)).collect() };
                for (key, factor) in [of(&FASTER_WITH_MORE, 3.0), of(&SLOWER_WITH_MORE, 0.3)].concat() {
                    let mut better = values.clone();
                    *better.get_mut(key).expect("a key of machines") *= factor;
                    // What the memory takes beyond L2 stays the same: it is where warps queue.
                    if key == "gpu.l2.latency" {
                        *better.get_mut("gpu.memory.latency").expect("a key of machines") -=
                            (1.0 - factor) * values[key];
                    }
                    let after = times(&better);
                    let name = format!("{} of {size}, {key} times {factor}", summary.function);
                    assert!(after.host.get() <= before.host.get() * (1.0 + 1e-9), "host of {name}");
                    assert!(after.device.get() <= before.device.get() * (1.0 + 1e-9), "device of {name}");
                }
            }
        }
    }
}

/// Lanes further apart, which touch more sectors, are never faster; nor is a little less cache much slower.
#[test]
fn more_sectors_and_a_little_less_cache() {
    let [machines, ..] = some_machines();
    let values = machine_values(&machines).expect("all are described");
    let setting = Setting::default();
    let form = |p: i64| {
        // No row comes near another one.
        let report = Report::from_yaml(&regions::strided(p, 1 << 21)).expect("a report");
        closed(&summaries_of(&[report])[0], &machines, &setting).expect("a form")
    };
    for size in [100.0, 1024.0, 20_000.0] {
        let times: Vec<f64> = [4, 8, 16, 32, 64]
            .iter()
            .map(|p| in_closed_form(&form(*p), size, &values, &setting).kernel.get())
            .collect();
        assert!(times.is_sorted_by(|one, other| *one <= other * (1.0 + 1e-9)), "{size}: {times:?}");
    }
    for summary in summaries() {
        let form = closed(&summary, &machines, &setting).expect("a form");
        for size in SIZES {
            for key in ["gpu.l1.capacity", "gpu.l2.capacity", "cpu.l1.capacity", "cpu.l2.capacity", "cpu.l3.capacity"] {
                for factor in [1e-3, 0.1, 1.0, 7.0] {
                    let with = |factor: f64| {
                        let mut other = values.clone();
                        *other.get_mut(key).expect("a key of machines") *= factor;
                        let times = in_closed_form(&form, size, &other, &setting);
                        [times.host.get(), times.device.get()]
                    };
                    for (one, other) in with(factor).into_iter().zip(with(factor * (1.0 - 1e-7))) {
                        let name = format!("{} of {size}, {key} times {factor}", summary.function);
                        assert!((one - other).abs() <= 1e-3 * one, "{name}: {one} and {other}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_built_in_machine_has_times() {
    let built_for = &some_machines()[0];
    let text = Report::from_yaml(regions::gemm()).expect("a report");
    let summary = &summaries_of(&[text])[0];
    let form = closed(summary, built_for, &Setting::default()).expect("a form");
    for gpu in ipda_hwdb::names() {
        for cpu in ipda_hwdb::cpu_names() {
            let machines = Machines {
                gpu: Gpu::builtin(gpu).expect("built in"),
                cpu: Cpu::builtin(cpu).expect("built in"),
                link: built_for.link.clone(),
            };
            // Some CPUs stand for whole architectures of which not even the clock is known.
            let Ok(values) = machine_values(&machines) else { continue };
            let Times { host, device, .. } = in_closed_form(&form, 1000.0, &values, &Setting::default());
            for time in [host, device] {
                assert!(time.get() > 0.0 && time.get() < 10.0, "{time} of {gpu} and {cpu}");
            }
        }
    }
}

/// Steps at a launch, and how many of them are divisions.
fn cost(closed: &Closed) -> (usize, usize) {
    let form = &closed.form;
    let is_step = |step: &Step| !matches!(step, Step::Leaf(_) | Step::Constant(_));
    let late: Vec<&Step> = form
        .stages()
        .iter()
        .zip(form.steps())
        .filter(|(stage, step)| **stage == Stage::Launch && is_step(step))
        .map(|(_, step)| step)
        .collect();
    (late.len(), late.iter().filter(|step| matches!(step, Step::Divide(..))).count())
}

#[test]
fn a_form_is_cheap() {
    let machines = &some_machines()[0];
    for (number, summary) in summaries().iter().enumerate() {
        let form = closed(summary, machines, &Setting::default()).expect("a form");
        let (steps, divisions) = cost(&form);
        let prepared = form.form.prepared().len();
        println!("{} {}: {steps} steps, {divisions} divisions, {prepared} prepared", summary.function, summary.place);
        if number == 0 {
            assert_eq!(summary.place, "gemm.c:12");
            assert!(steps <= MAX_STEPS && divisions <= MAX_DIVISIONS, "{steps} steps, {divisions} divisions");
        }
    }
}

/// What gemm's form may cost at a launch.
const MAX_STEPS: usize = 772;
const MAX_DIVISIONS: usize = 37;

#[test]
fn forms_of_deep_nests_stay_short() {
    const MAX_STEPS: usize = 20_000;
    let of_nest = |loops| {
        let report = Report::from_yaml(regions::triangles(loops)).expect("a report");
        let summary = RegionSummary::from_report(&report.regions[0], &report.hardware);
        closed(&summary, &some_machines()[0], &Setting::default())
    };
    for loops in [3, 5, 6, 12, 31] {
        let Closed { form, notes, .. } = of_nest(loops).expect("a form");
        assert!(form.steps().len() <= MAX_STEPS, "{loops} loops: {} steps", form.steps().len());
        // What stands for less than it did is reported.
        let is_reported = notes.iter().any(|note| note.0.contains("the middle one stands for all"));
        assert_eq!(is_reported, loops > 5, "{loops} loops: {notes:?}");
    }
    let refused = of_nest(32).expect_err("too deep").to_string();
    assert!(refused.contains("more than 32 of its loops are inside one another"), "{refused}");
}

#[test]
fn forms_of_deep_nests_say_what_numbers_do() {
    let (machines, setting) = (&some_machines()[0], Setting::default());
    let values = machine_values(machines).expect("all are described");
    for loops in [5, 7, 12] {
        let report = Report::from_yaml(regions::triangles(loops)).expect("a report");
        let mut summary = RegionSummary::from_report(&report.regions[0], &report.hardware);
        let form = closed(&summary, machines, &setting).expect("a form");
        for value in [1.0, 3.0, 7.0] {
            let numbers = with_numbers(&mut summary, &form, value, machines, &setting);
            let times = in_closed_form(&form, value, &values, &setting);
            let (host, device) = (numbers.host.estimate.total().get(), numbers.device_total().expect("times").get());
            let name = format!("{loops} loops of {value}");
            assert!(close(host, times.host.get(), MAX_ERROR), "{name}: {host} and {}", times.host.get());
            assert!(close(device, times.device.get(), MAX_ERROR), "{name}: {device} and {}", times.device.get());
        }
    }
}

#[test]
fn leaves_are_what_the_report_and_the_machines_have() {
    let machines = &some_machines()[0];
    let values = machine_values(machines).expect("all are described");
    for summary in summaries() {
        let form = closed(&summary, machines, &Setting::default()).expect("a form").form;
        for leaf in form.leaves() {
            match leaf {
                Leaf::Machine(key) => assert!(values.contains_key(key), "{key}"),
                Leaf::Captured(name) => {
                    let is_size = summary.maps.iter().any(|map| size_name(&map.name) == *name);
                    assert!(
                        is_size
                            || is_trips(name)
                            || summary.loaded().iter().any(|loaded| loaded.name == *name)
                            || summary.inputs.iter().any(|input| input.name == *name),
                        "{name}"
                    );
                }
                Leaf::HostThreads => {}
            }
        }
    }
}
