//! Predicted against measured times of regions on the host: `scripts/bench host-model` compiles test-inputs/host/model.c, runs it and starts this
//! with the report and, for each number of threads, the number, the machine's description and what the program printed.
#![allow(clippy::print_stdout)]

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::cpu::Start;
use ipda_models::predict::{Machines, Prediction, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary};
use statrs::statistics::{Data, Max, OrderStatistics};

/// A measured region.
struct Measured {
    function: String,
    n: f64,
    bytes: f64,
    /// In seconds.
    times: Vec<f64>,
}

/// Beside a prediction.
struct Row {
    measured: Measured,
    threads: u64,
    predicted: f64,
    bound: String,
}

impl Measured {
    fn at(&self, share: f64) -> f64 {
        Data::new(self.times.clone()).quantile(share)
    }

    fn median(&self) -> f64 {
        Data::new(self.times.clone()).median()
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        self.predicted / self.measured.median()
    }

    /// Against the least time: what else the machine does only adds to it.
    fn ratio_to_least(&self) -> f64 {
        self.predicted / self.measured.at(0.0)
    }
}

fn main() -> ExitCode {
    // Cargo adds an argument of its own; `cargo test --benches` starts this without any.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some((report, runs)) = arguments.split_first() else { return ExitCode::SUCCESS };
    match run(Path::new(report), runs) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(report: &Path, runs: &[String]) -> Result<(), String> {
    let report: Report =
        serde_yaml::from_str(&read(report)?).map_err(|error| format!("{}: {error}", report.display()))?;
    let mut rows = Vec::new();
    for run in runs.chunks(3) {
        let [threads, machine, times] = run else { return Err("threads, machine and times are needed".into()) };
        let threads: u64 = threads.parse().map_err(|error| format!("{threads}: {error}"))?;
        let machines = Machines {
            gpu: Gpu::find("h200").map_err(|error| error.to_string())?,
            cpu: Cpu::find(machine).map_err(|error| error.to_string())?,
            link: Link::find("pcie5").map_err(|error| error.to_string())?,
        };
        for measured in measured(Path::new(times))? {
            let prediction = prediction(&report, &measured, threads, &machines)?;
            if std::env::var("IPDA_HOST_MODEL_TELL").is_ok_and(|wanted| wanted == measured.function) {
                println!("{} n = {}, {threads} threads\n{}", measured.function, measured.n, prediction.host.estimate);
            }
            let (predicted, bound) =
                (prediction.host.estimate.total().get(), prediction.host.estimate.bound_by().to_string());
            rows.push(Row { measured, threads, predicted, bound });
        }
    }
    print_rows(&rows);
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Lines of a function's name, n, bytes, and times.
fn measured(path: &Path) -> Result<Vec<Measured>, String> {
    let text = read(path)?;
    let of = |line: &str| -> Option<Measured> {
        let mut words = line.split_whitespace();
        let function = words.next()?.to_owned();
        let mut numbers = words.map(|word| word.parse::<f64>().ok());
        let (n, bytes) = (numbers.next()??, numbers.next()??);
        let times = numbers.collect::<Option<Vec<f64>>>()?;
        (!times.is_empty()).then_some(Measured { function, n, bytes, times })
    };
    text.lines().map(|line| of(line).ok_or_else(|| format!("{}: {line}", path.display()))).collect()
}

fn prediction(report: &Report, measured: &Measured, threads: u64, machines: &Machines) -> Result<Prediction, String> {
    let region = report.regions.iter().find(|region| region.function == measured.function);
    let region = region.ok_or_else(|| format!("the report has no region of {}", measured.function))?;
    let mut summary = RegionSummary::from_report(region, &report.hardware);
    let setting = Setting { threads: Some(threads), start: Start::Warm, ..Setting::default() };
    let bindings = Bindings::new([("n".to_owned(), measured.n)]);
    predict(&mut summary, &bindings, machines, &setting)
        .map_err(|error| format!("{} of {}: {error}", measured.function, measured.n))
}

fn print_rows(rows: &[Row]) {
    println!(
        "{:<18} {:>7} {:>9} {:>9} {:>12} {:>13} {:>12} {:>12} {:>7}  bound",
        "region", "threads", "n", "KiB", "measured us", "middle half", "least us", "predicted us", "ratio"
    );
    for row in rows {
        let Measured { function, n, bytes, .. } = &row.measured;
        let median = row.measured.median();
        let spread = |share: f64| (row.measured.at(share) / median - 1.0) * 100.0;
        println!(
            "{function:<18} {:>7} {n:>9} {:>9.0} {:>12.2} {:>+5.0} {:>+5.0} % {:>12.2} {:>12.2} {:>7.2}  {}",
            row.threads,
            bytes / 1024.0,
            median * 1e6,
            spread(0.25),
            spread(0.75),
            row.measured.at(0.0) * 1e6,
            row.predicted * 1e6,
            row.ratio(),
            row.bound
        );
    }
    let by = |of: &dyn Fn(&Row) -> bool, ratio: fn(&Row) -> f64| -> Vec<f64> {
        rows.iter().filter(|row| of(row)).map(|row| (ratio(row) - 1.0).abs() * 100.0).collect()
    };
    let errors = |of: &dyn Fn(&Row) -> bool| by(of, Row::ratio);
    let tell = |name: &str, errors: Vec<f64>| {
        if errors.is_empty() {
            return;
        }
        let mut errors = Data::new(errors);
        println!(
            "{name:<18} median error {:.0} %, three quarters below {:.0} %, largest {:.0} %, of {}",
            errors.median(),
            errors.upper_quartile(),
            errors.max(),
            errors.len()
        );
    };
    println!();
    tell("all", errors(&|_| true));
    tell("against the least", by(&|_| true, Row::ratio_to_least));
    let mut threads: Vec<u64> = rows.iter().map(|row| row.threads).collect();
    threads.dedup();
    for number in threads {
        tell(&format!("{number} threads"), errors(&|row| row.threads == number));
    }
    let (mut from, mut steps) = (0.0, vec![64.0, 1024.0, 32768.0, f64::INFINITY]);
    while !steps.is_empty() {
        let to = steps.remove(0);
        let within = |row: &Row| row.measured.bytes / 1024.0 > from && row.measured.bytes / 1024.0 <= to;
        tell(&format!("up to {to} KiB"), errors(&within));
        from = to;
    }
}
