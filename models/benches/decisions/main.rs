//! Predicted against measured offloading decisions: `scripts/bench thesis-decisions` compiles the inputs and starts this with the study's table
//! and the folder of reports, `NAME.SIZE.yaml` each.
#![allow(clippy::print_stdout)]

mod policies;
mod scores;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::closed::{closed, machine_values};
use ipda_models::policy::Evidence;
use ipda_models::predict::{Machines, Model, Residence, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary};

use policies::{Elsewhere, POLICIES, Seen, decided, evidence};
use scores::{Case, Scores};

/// What is compared, with its name in the tables.
const MODELS: [(&str, Model, Maps, ThreadsMade); 5] = [
    ("extended", Model::Extended, Maps::Own, ThreadsMade::InFirstKernel),
    ("published", Model::Published, Maps::Own, ThreadsMade::Before),
    ("thesis", Model::Thesis, Maps::Own, ThreadsMade::Before),
    ("threads made before", Model::Extended, Maps::Own, ThreadsMade::Before),
    ("maps of programs", Model::Extended, Maps::OfProgram, ThreadsMade::InFirstKernel),
];

/// Of these, what the closed form at a launch computes, which knows nothing of threads that are not made yet.
const AS_AT_LAUNCH: usize = 3;

/// The columns of the table of cases; more models are in the scores.
const COLUMNS: usize = 3;

/// When the host's threads are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadsMade {
    /// In the first kernel of a program.
    InFirstKernel,
    /// Before anything is timed.
    Before,
}

/// Which transfers a kernel's time holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maps {
    /// Those of all arrays that it uses, as the study says.
    Own,
    /// The same, but none where the program maps its arrays around several kernels.
    OfProgram,
}

/// Threads of the host in the study.
const THREADS: [u64; 2] = [4, 160];

/// The study's two sizes.
const MODES: [&str; 2] = ["test", "benchmark"];

/// A kernel of the study.
struct Kernel {
    name: String,
    /// Whether it is the first of its program, which makes the host's threads.
    is_first: bool,
    /// Whether the program maps its arrays around several kernels.
    is_mapped_around: bool,
    /// By mode.
    sizes: [u64; 2],
    /// By threads and mode.
    measured: [[f64; 2]; 2],
}

/// A kernel in one size on one number of threads.
struct Row<'a> {
    kernel: &'a Kernel,
    mode: usize,
    threads: usize,
    predictions: Vec<Times>,
    /// What a launch predicts.
    seen: Seen,
    /// By the closed form that a program carries.
    at_launch: Times,
}

/// Predicted times in seconds.
#[derive(Clone, Copy)]
struct Times {
    host: f64,
    device: f64,
}

impl Row<'_> {
    fn measured(&self) -> f64 {
        self.kernel.measured[self.threads][self.mode]
    }

    /// Whether the closed form decides as the prediction with numbers does.
    fn is_alike_at_launch(&self) -> bool {
        let is_device = |times: Times| times.device < times.host;
        is_device(self.predictions[AS_AT_LAUNCH]) == is_device(self.at_launch)
    }

    fn case(&self, model: usize) -> Case {
        let Times { host, device } = self.predictions[model];
        Case { measured: self.measured(), predicted: host / device }
    }
}

fn main() -> ExitCode {
    // Cargo adds an argument of its own.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [table, reports, elsewhere @ ..] = &arguments[..] else {
        // `cargo test --benches` starts this without any.
        return ExitCode::SUCCESS;
    };
    match run(Path::new(table), Path::new(reports), elsewhere) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn run(table: &Path, reports: &Path, elsewhere: &[String]) -> Result<(), String> {
    let kernels = kernels(table)?;
    let tables = elsewhere.iter().map(|file| measured_elsewhere(Path::new(file)));
    let elsewhere: Vec<Elsewhere> = tables.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let machines = Machines {
        gpu: Gpu::find("v100").map_err(|error| error.to_string())?,
        cpu: Cpu::find("power9").map_err(|error| error.to_string())?,
        link: Link::find("nvlink2").map_err(|error| error.to_string())?,
    };
    let mut rows = Vec::new();
    for (mode, name) in MODES.iter().enumerate() {
        for (threads, number) in THREADS.iter().enumerate() {
            for kernel in &kernels {
                let file = reports.join(format!("{}.{}.yaml", kernel.name.to_lowercase(), kernel.sizes[mode]));
                let predictions = MODELS
                    .iter()
                    .map(|(_, model, maps, made)| times(&file, &machines, kernel, *number, (*model, *maps, *made)))
                    .collect::<Result<_, _>>()
                    .map_err(|why| format!("{} {name}, {number} threads: {why}", kernel.name))?;
                let seen = seen(&file, &machines, kernel, *number, kernel.measured[threads][mode])
                    .map_err(|why| format!("{} {name}: {why}", kernel.name))?;
                let at_launch =
                    at_launch(&file, &machines, *number).map_err(|why| format!("{} {name}: {why}", kernel.name))?;
                rows.push(Row { kernel, mode, threads, predictions, seen, at_launch });
            }
        }
    }
    print_rows(&rows);
    let alike = rows.iter().filter(|row| row.is_alike_at_launch()).count();
    println!(
        "\nthe closed forms that launches compute decide as `{}` in {alike} of {}",
        MODELS[AS_AT_LAUNCH].0,
        rows.len()
    );
    print_policies(&rows.iter().map(|row| &row.seen).collect::<Vec<_>>(), &elsewhere);
    print_scores("all", &rows, |_| true);
    for (threads, number) in THREADS.iter().enumerate() {
        for (mode, name) in MODES.iter().enumerate() {
            let title = format!("{name}, {number} threads");
            print_scores(&title, &rows, |row| row.mode == mode && row.threads == threads);
        }
    }
    Ok(())
}

/// What a launch predicts, which does not know whether the host's threads exist.
fn seen(file: &Path, machines: &Machines, kernel: &Kernel, threads: u64, measured: f64) -> Result<Seen, String> {
    let setting = Setting { threads: Some(threads), ..Setting::default() };
    let prediction = predict(&mut summary(file)?, &Bindings::default(), machines, &setting);
    Ok(Seen {
        program: program_of(&kernel.name),
        measured: measured.ln(),
        prediction: prediction.map_err(|error| error.to_string())?,
    })
}

fn times(
    file: &Path,
    machines: &Machines,
    kernel: &Kernel,
    threads: u64,
    (model, maps, threads_made): (Model, Maps, ThreadsMade),
) -> Result<Times, String> {
    let mut summary = summary(file)?;
    let is_resident = maps == Maps::OfProgram && kernel.is_mapped_around;
    let resident = if is_resident { Residence::OnTheDevice } else { Residence::OnTheHost };
    let setting = Setting { model, threads: Some(threads), resident, ..Setting::default() };
    let prediction =
        predict(&mut summary, &Bindings::default(), machines, &setting).map_err(|error| error.to_string())?;
    let device = prediction.device_total().ok_or("no prediction for the device")?;
    if maps == Maps::Own
        && threads_made == ThreadsMade::InFirstKernel
        && let Some(wanted) = std::env::var_os("IPDA_DECISIONS_TELL")
        && wanted.to_string_lossy() == format!("{} {threads}", kernel.name)
    {
        tell(file, &prediction);
    }
    // The study leaves out what the first launch costs on the GPU, but not what the first region costs on the host.
    let made: f64 = prediction.host.estimate.apart().iter().map(|term| term.value).sum();
    let first = if threads_made == ThreadsMade::InFirstKernel && kernel.is_first { made } else { 0.0 };
    Ok(Times { host: prediction.host.estimate.total().get() + first, device: device.get() })
}

fn summary(file: &Path) -> Result<RegionSummary, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let report: Report = serde_yaml::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let [region] = &report.regions[..] else { return Err(format!("{}: not one region", file.display())) };
    Ok(RegionSummary::from_report(region, &report.hardware))
}

/// What the program itself computes at the launch.
fn at_launch(file: &Path, machines: &Machines, threads: u64) -> Result<Times, String> {
    let form = closed(&summary(file)?, machines, &Setting::default()).map_err(|error| error.to_string())?;
    let values = machine_values(machines).map_err(|error| error.to_string())?;
    let times = form.times(&values, |_| None, threads as f64);
    Ok(Times { host: times.host.get(), device: times.device.get() })
}

/// All that the prediction consists of.
fn tell(file: &Path, prediction: &ipda_models::predict::Prediction) {
    println!("{}\nhost {}", file.display(), prediction.host.estimate);
    for version in prediction.device.iter().flatten() {
        println!("device, {:?}: {}", version.launch, version.estimate);
    }
    println!("transfers {}", prediction.transfers);
    prediction.notes.iter().for_each(|note| println!("assumed: {}", note.0));
    prediction.rests.iter().for_each(|rest| println!("rests on: {} {}", rest.key, rest.text));
}

/// Kernels of one program differ by a digit at the end.
fn program_of(kernel: &str) -> String {
    kernel.trim_end_matches(|letter: char| letter.is_ascii_digit()).to_lowercase()
}

/// A line of a table by the names of its columns.
struct Line<'a> {
    columns: BTreeMap<&'a str, &'a str>,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn text(&self, name: &str) -> Result<&'a str, String> {
        self.columns.get(name).copied().ok_or_else(|| format!("no {name} in: {}", self.text))
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        self.text(name)?.parse().map_err(|error| format!("{name} in {}: {error}", self.text))
    }
}

/// What is made of each line of a table that names its columns first.
fn read<T>(table: &Path, of_line: impl Fn(&Line<'_>) -> Result<T, String>) -> Result<Vec<T>, String> {
    let text = fs::read_to_string(table).map_err(|error| format!("{}: {error}", table.display()))?;
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let names: Vec<&str> = lines.next().ok_or("the table has no names")?.split(',').collect();
    lines.map(|text| of_line(&Line { columns: names.iter().copied().zip(text.split(',')).collect(), text })).collect()
}

/// The cases of a table of `scripts/gpu-check decide`.
fn measured_elsewhere(table: &Path) -> Result<Vec<Elsewhere>, String> {
    read(table, |line| {
        let measured = (line.number("host_s")? / line.number("device_s")?).ln();
        Ok(Elsewhere { program: program_of(line.text("kernel")?), measured })
    })
}

fn kernels(table: &Path) -> Result<Vec<Kernel>, String> {
    read(table, kernel)
}

fn kernel(line: &Line<'_>) -> Result<Kernel, String> {
    let size = |mode: &str| line.number(mode).map(|size| size as u64);
    let measured = |threads: u64| -> Result<[f64; 2], String> {
        Ok([line.number(&format!("test_{threads}_threads"))?, line.number(&format!("benchmark_{threads}_threads"))?])
    };
    Ok(Kernel {
        name: line.text("kernel")?.to_owned(),
        is_first: line.text("order")? == "first",
        is_mapped_around: line.text("maps")? == "around",
        sizes: [size("test")?, size("benchmark")?],
        measured: [measured(THREADS[0])?, measured(THREADS[1])?],
    })
}

fn print_rows(rows: &[Row<'_>]) {
    print!("{:<10} {:>5} {:>7} {:>9}", "kernel", "SIZE", "threads", "measured");
    MODELS[..COLUMNS].iter().for_each(|(name, ..)| print!(" {name:>11} "));
    println!(" {:>13} {:>13}", "host", "device");
    for row in rows {
        let (size, threads) = (row.kernel.sizes[row.mode], THREADS[row.threads]);
        print!("{:<10} {size:>5} {threads:>7} {:>9.2}", row.kernel.name, row.measured());
        for model in 0..COLUMNS {
            let case = row.case(model);
            print!(" {:>11} {}", short(case.predicted), if case.is_right() { ' ' } else { 'x' });
        }
        let Times { host, device } = row.predictions[0];
        println!(" {:>10} ms {:>10} ms", short(host * 1e3), short(device * 1e3));
    }
}

/// Three digits are more than any prediction is good for.
fn short(number: f64) -> String {
    let digits = if number >= 100.0 { 0 } else { 1 + usize::from(number < 10.0) + usize::from(number < 0.1) };
    format!("{number:.digits$}")
}

/// The policies, judged on each program by the others.
fn print_policies(cases: &[&Seen], elsewhere: &[Elsewhere]) {
    let all = evidence(cases, &elsewhere.iter().collect::<Vec<_>>());
    let used = Evidence::OF_CASES;
    println!(
        "\nevidence of all cases (in use): mean {:.2} ({:.2}), variance {:.2} ({:.2}), shared cores {:.2} ({:.2})",
        all.mean, used.mean, all.variance, used.variance, all.shared_cores, used.shared_cores
    );
    print_head("policies");
    for (name, policy) in POLICIES {
        print_score(name, &decided(policy, cases, elsewhere));
    }
}

fn print_head(title: &str) {
    println!(
        "\n{title:<26} {:>8} {:>12} {:>9} {:>9} {:>8} {:>10}",
        "right", "of losses", "balanced", "rank", "factor", "lost time"
    );
}

fn print_score(name: &str, cases: &[Case]) {
    let scores = Scores::of(cases);
    let rank = scores.rank_correlation.map_or("-".to_owned(), |rank| format!("{rank:.2}"));
    let factor = if scores.rank_correlation.is_some() { format!("{:.2}", scores.mean_factor) } else { "-".into() };
    println!(
        "  {name:<24} {:>3} / {:>2} {:>7} / {:>2} {:>8.0}% {rank:>9} {factor:>8} {:>10.3}",
        scores.right(),
        cases.len(),
        scores.right_on_host,
        scores.on_host,
        100.0 * scores.balanced_accuracy(),
        scores.lost_time,
    );
}

fn print_scores(title: &str, rows: &[Row<'_>], of: impl Fn(&Row<'_>) -> bool) {
    let rows: Vec<&Row<'_>> = rows.iter().filter(|row| of(row)).collect();
    print_head(title);
    for (model, (name, ..)) in MODELS.iter().enumerate() {
        print_score(name, &rows.iter().map(|row| row.case(model)).collect::<Vec<_>>());
    }
    for (name, predicted) in [("always offload", f64::INFINITY), ("always the host", 0.0)] {
        print_score(name, &rows.iter().map(|row| Case { measured: row.measured(), predicted }).collect::<Vec<_>>());
    }
}
