//! Predictions at the edges of what programs can hold: no panic, no time that is none, no error without a sentence. With `IPDA_REPORTS=FOLDER` and
//! `--ignored`, of all regions of that folder's reports.
#![expect(clippy::print_stdout, reason = "what was tried is reported with --nocapture")]

mod regions;

use std::panic::{AssertUnwindSafe, catch_unwind};

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::closed::{closed, machine_values};
use ipda_models::predict::{Comparison, Machines, Model, PredictError, Prediction, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary};

/// Values of captured variables, all of them or one alone.
const EDGES: [f64; 16] = [
    0.0,
    1.0,
    -1.0,
    2.0,
    7.0,
    1000.0,
    2_147_483_647.0,
    2_147_483_648.0,
    -2_147_483_648.0,
    4_294_967_295.0,
    4_294_967_296.0,
    9_007_199_254_740_993.0,
    9_223_372_036_854_775_807.0,
    -9_223_372_036_854_775_808.0,
    0.5,
    1e300,
];

/// Beyond this, the region of a table with as many rows and columns needs more memory than there is, and may be refused.
const GIANT: f64 = (1_u64 << 31) as f64;

/// What the others are where one is at an edge.
const USUAL: f64 = 100.0;

fn machines(gpu: &str, cpu: &str) -> Machines {
    let gpu = Gpu::find(gpu).expect("a GPU");
    let link = Link::find(&gpu.links[0]).expect("a link");
    Machines { gpu, cpu: Cpu::find(cpu).expect("a CPU"), link }
}

fn some_machines() -> [Machines; 4] {
    [
        machines("h200", "epyc-milan"),
        machines("k80", "power9"),
        machines("mi300x", "x86_64"),
        machines("l4", "epyc-milan"),
    ]
}

/// The regions of reports.
fn summaries_of(reports: impl Iterator<Item = Report>) -> Vec<RegionSummary> {
    let of = |report: Report| -> Vec<RegionSummary> {
        report.regions.iter().map(|region| RegionSummary::from_report(region, &report.hardware)).collect()
    };
    reports.flat_map(of).collect()
}

fn summaries() -> Vec<RegionSummary> {
    let texts = [
        regions::gemm(),
        regions::triangle(),
        regions::stencil(),
        regions::two_loops(),
        regions::collapsed(),
        regions::nested(),
        regions::condition(),
        regions::indirect(),
        regions::machine_arithmetic(),
        include_str!("../../cli/tests/data/built/gather.yaml"),
        include_str!("../../cli/tests/data/built/mvt.yaml"),
        include_str!("../../cli/tests/data/kinds.yaml"),
    ];
    summaries_of(texts.into_iter().map(|text| Report::from_yaml(text).expect("a report")))
}

/// What a name alone has, where all edges would take too long.
const SOME_EDGES: [f64; 3] = [0.0, -1.0, 2_147_483_647.0];

/// Values for all names: an edge for all of them, and one of `alone` for each alone.
fn cases(names: &[String], alone: &[f64]) -> Vec<(String, Vec<(String, f64)>)> {
    let mut cases = Vec::new();
    for edge in EDGES {
        let all = |value: f64| names.iter().map(|name| (name.clone(), value)).collect::<Vec<_>>();
        cases.push((format!("all {edge:e}"), all(edge)));
        if names.len() > 1 && alone.contains(&edge) {
            for (at, name) in names.iter().enumerate() {
                let mut values = all(USUAL);
                values[at].1 = edge;
                cases.push((format!("{name} {edge:e}"), values));
            }
        }
    }
    cases
}

/// What is wrong with a prediction.
fn faults(prediction: &Prediction) -> Vec<String> {
    let device = prediction.device.as_ref().into_iter().flatten();
    let estimates = [&prediction.host.estimate, &prediction.transfers].into_iter();
    let all = estimates.chain(device.map(|version| &version.estimate));
    let is_time = |time: f64| time.is_finite() && time >= 0.0;
    let mut faults = Vec::new();
    for estimate in all {
        let is_negative = estimate.total().get().is_sign_negative();
        if is_negative || !is_time(estimate.total().get()) || !estimate.terms().iter().all(|term| is_time(term.value)) {
            faults.push(format!("no time: {estimate}"));
        }
        let text = estimate.to_string();
        if ["NaN", "inf ", "null"].iter().any(|word| text.contains(word)) {
            faults.push(format!("no number: {text}"));
        }
    }
    match prediction.comparison() {
        Some(Comparison::Faster(_, times)) if !(times.is_finite() && times >= 1.0) => {
            faults.push(format!("faster {times} times"));
        }
        _ => {}
    }
    let none = prediction.notes.iter().map(|note| &note.0).filter(|note| note.contains("NaN") || note.is_empty());
    faults.extend(none.map(|note| format!("a note of no number: {note}")));
    faults
}

/// Tries everything of a region; returns how many predictions were made.
fn try_all(
    summary: &mut RegionSummary,
    machines: &Machines,
    threads: &[Option<u64>],
    alone: &[f64],
    faulty: &mut Vec<String>,
) -> usize {
    let names = summary.names();
    let place = format!("{} at {}, {} and {}", summary.function, summary.place, machines.gpu.name, machines.cpu.name);
    let mut tried = 0;
    for (case, values) in cases(&names, alone) {
        let has_giant = values.iter().any(|(_, value)| value.abs() > GIANT);
        let bindings = Bindings::new(values);
        for threads in threads {
            for model in [Model::Extended, Model::Published, Model::Thesis] {
                let setting = Setting { model, threads: *threads, ..Setting::default() };
                tried += 1;
                let found = catch_unwind(AssertUnwindSafe(|| predict(summary, &bindings, machines, &setting)));
                let name = format!("{place}, {case}, {threads:?} threads, {model:?}");
                match found {
                    Err(_) => faulty.push(format!("{name}: panicked")),
                    Ok(Ok(prediction)) => {
                        faulty.extend(faults(&prediction).into_iter().map(|fault| format!("{name}: {fault}")));
                    }
                    Ok(Err(PredictError::Nothing { .. })) => return tried,
                    Ok(Err(error)) => {
                        let text = error.to_string();
                        let says_where = text.contains(&summary.function) && text.contains(&summary.place);
                        // Clauses cannot ask for no threads.
                        let may_be_refused = has_giant || text.ends_with("expected at least 1");
                        if !says_where || !may_be_refused || text.len() > 250 {
                            faulty.push(format!("{name}: {text}"));
                        }
                    }
                }
            }
        }
    }
    let setting = Setting::default();
    let Ok(form) = closed(summary, machines, &setting) else { return tried };
    let values = machine_values(machines).expect("all are described");
    let is_integer = |values: &[(String, f64)]| values.iter().all(|(_, value)| value.abs() <= u64::MAX as f64);
    for (case, of_names) in cases(&names, alone).into_iter().filter(|(_, values)| is_integer(values)) {
        let of = |name: &str| of_names.iter().find(|(other, _)| other == name).map(|(_, value)| *value);
        for threads in [1.0, 3.0, 512.0] {
            tried += 1;
            let times = form.times(&values, of, threads);
            for time in [times.host, times.device, times.kernel, times.transfers] {
                if !time.get().is_finite() || time.get() < -1e-12 {
                    faulty.push(format!("{place}, {case}, {threads} threads, as at a launch: {time}"));
                }
            }
        }
    }
    tried
}

#[test]
fn no_value_leads_to_a_time_that_is_none() {
    let mut faulty = Vec::new();
    let tried: usize = some_machines()
        .iter()
        .map(|machines| {
            summaries()
                .iter_mut()
                .map(|summary| try_all(summary, machines, &[None], &EDGES, &mut faulty))
                .sum::<usize>()
        })
        .sum();
    assert!(tried > 1000, "{tried}");
    assert!(faulty.is_empty(), "{} of {tried}:\n{}", faulty.len(), faulty.join("\n"));
}

/// Large numbers that cancel leave the small one that matters, as a number and as a form.
#[test]
fn counts_of_machine_arithmetic_are_exact() {
    let [machines, ..] = some_machines();
    let values = machine_values(&machines).expect("all are described");
    let report = Report::from_yaml(regions::machine_arithmetic()).expect("a report");
    let [region] = &report.regions[..] else { panic!("a region") };
    let plain = |runs: &str| {
        let mut region = region.clone();
        let code = region.resources.iter_mut().flat_map(|code| &mut code.loops).map(|entry| &mut entry.place);
        let host = region.host_code.iter_mut().flat_map(|code| &mut code.loops).map(|entry| &mut entry.place);
        for (number, place) in code.chain(host).enumerate() {
            let value = if number % 2 == 0 { runs } else { "[m] - 4*floor([m] / 4)" };
            place.executions.value = Some(value.to_owned());
        }
        RegionSummary::from_report(&region, &report.hardware)
    };
    let mut large = RegionSummary::from_report(region, &report.hardware);
    let mut small = plain("floor(([m] + 3) / 16)");
    for m in [1.0, 2.0, 99.0, 1000.0, 1_000_003.0, 2_147_483_647.0] {
        let bindings = Bindings::new([("n".to_owned(), 5000.0), ("m".to_owned(), m)]);
        let of = |summary: &mut RegionSummary| {
            let found = predict(summary, &bindings, &machines, &Setting::default()).expect("a prediction");
            let device = found.device_version().expect("a version").estimate.clone();
            (found.host.estimate, device)
        };
        assert_eq!(of(&mut large), of(&mut small), "{m}");
        let form = |summary| {
            let form = closed(summary, &machines, &Setting::default()).expect("a form");
            let times =
                form.times(&values, |name| bindings.pairs().find(|(own, _)| *own == name).map(|(_, value)| value), 8.0);
            [times.host.get(), times.device.get()]
        };
        // Forms take what unrolled loops leave over as if there were none.
        for (one, other) in form(&large).into_iter().zip(form(&small)) {
            assert!((one - other).abs() <= 0.05 * other, "{m}: {one} and {other}");
        }
    }
}

/// Two negative numbers of iterations are not many.
#[test]
fn negative_counts_are_none() {
    let [machines, ..] = some_machines();
    let (region, hardware) = regions::region(regions::gemm());
    let mut summary = RegionSummary::from_report(&region, &hardware);
    let mut total = |n: f64, m: f64| {
        let bindings = Bindings::new([("n".to_owned(), n), ("m".to_owned(), m)]);
        let found = predict(&mut summary, &bindings, &machines, &Setting::default()).expect("a prediction");
        (found.host.estimate.total(), found.device_total())
    };
    assert_eq!(total(-2e9, -2e9), total(0.0, 0.0));
    assert_eq!(total(100.0, -2e9), total(100.0, 0.0));
}

#[test]
#[ignore = "needs a folder with reports, IPDA_REPORTS"]
fn of_a_folder() {
    let folder = std::env::var("IPDA_REPORTS").expect("IPDA_REPORTS is a folder with reports");
    let paths = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let texts = paths.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    let texts = texts.map(|path| std::fs::read_to_string(path).expect("a text"));
    let mut summaries = summaries_of(texts.filter_map(|text| Report::from_yaml(&text).ok()));
    let mut faulty = Vec::new();
    let (mut tried, mut reported) = (0, 0);
    let machines = some_machines();
    let in_turn = machines.iter().zip([None, Some(1), Some(7), Some(512)]).cycle();
    for (summary, (machines, threads)) in summaries.iter_mut().zip(in_turn) {
        tried += try_all(summary, machines, &[threads], &SOME_EDGES, &mut faulty);
        faulty.iter().skip(reported).for_each(|fault| println!("{fault}"));
        reported = faulty.len();
    }
    println!("{tried} predictions of {} regions", summaries.len());
    assert!(faulty.is_empty(), "{} of {tried}", faulty.len());
}
