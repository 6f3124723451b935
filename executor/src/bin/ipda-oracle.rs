//! The program `ipda-oracle`, for those who work on ipda: puts sources and generated kernels to the test.

use anyhow::Context;
use clap::{Parser, Subcommand};
use comfy_table::{CellAlignment, Table, presets};
use ipda_executor::dependences;
use ipda_executor::fuzz::{self, Outcome};
use ipda_executor::generate::Generated;
use ipda_executor::limited::{self, Ended};
use ipda_executor::mappings;
use ipda_executor::oracle::{self, KINDS, Sample, Side, Verdict};
use ipda_executor::phases::{self, Point, Regions};
use ipda_executor::transform;
use ipda_models::files::{self, Kind};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{self, ExitCode};
use std::time::{Duration, Instant};

/// What `fuzz-one --keep` writes.
const BITCODE: Kind = Kind { name: "LLVM bitcode", beginnings: &[b"BC\xc0\xde"] };

/// Compares what the plugin predicts, and what kernels compute, with what happens when they run.
#[derive(Parser)]
#[command(name = "ipda-oracle", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The most steps that any analysis takes: what is said and done where they run out must be right, too.
    #[arg(long, global = true)]
    steps: Option<u64>,
}

#[derive(Subcommand)]
enum Command {
    /// Compile C and C++ sources, run all their kernels, and print how predictions fared.
    Inputs {
        /// The sources. Comments `// ARGS: ...` in them hold arguments, `// ORACLE: ...` what is expected.
        #[arg(required = true)]
        sources: Vec<PathBuf>,
    },
    /// Compare what the analysis says of sources at several points of the compiler's way with what it says at the front end.
    Phases {
        /// The sources.
        #[arg(required = true)]
        sources: Vec<PathBuf>,
        /// End with status 1 where two points have different known answers.
        #[arg(long)]
        expect_same: bool,
        /// Keep regions in functions of their own, which the host's optimiser would inline.
        #[arg(long)]
        keep_regions: bool,
    },
    /// Change the index arithmetic of generated kernels: the analysis must end in time, and be right where the kernel still runs.
    FuzzLower {
        /// For how long.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// The first kernel's seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// One of these changes, by its seeds: exit status 1 where a prediction is wrong.
    FuzzOne {
        /// The kernel's.
        #[arg(long)]
        kernel: u64,
        /// The change's.
        #[arg(long)]
        change: u64,
        /// The kernel's module, if it has been made [default: made anew].
        #[arg(long)]
        module: Option<PathBuf>,
        /// Where to leave the changed module, as bitcode.
        #[arg(long)]
        keep: Option<PathBuf>,
    },
    /// Run regions by one thread and compare all accesses that meet with the dependence graph: those of sources, or of generated nests.
    Dependences {
        /// The sources. Without any, nests are generated.
        sources: Vec<PathBuf>,
        /// The first nest's seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many nests.
        #[arg(long, default_value_t = 500)]
        count: u64,
    },
    /// Run kernels as written and as the plugin changes them, on the same memory: those of sources, or generated nests.
    Transform {
        /// The sources. Without any, nests are generated.
        sources: Vec<PathBuf>,
        #[command(flatten)]
        code: transform::Code,
        /// Print the sectors that warps touch instead, before and after, and as written by hand.
        #[arg(long, requires = "sources", conflicts_with = "recovery")]
        sectors: bool,
        /// Take collapse clauses out of the sources instead, and print whether they are found again.
        #[arg(long, requires = "sources")]
        recovery: bool,
        /// Generate nests that make atomic updates.
        #[arg(long, conflicts_with = "sources")]
        atomics: bool,
        /// Generate nests that reach arrays through pointers that are chosen, or change places.
        #[arg(long, conflicts_with_all = ["sources", "atomics"])]
        pointers: bool,
        /// Generate products, of whose results a thread may take several in lockstep.
        #[arg(long, conflicts_with_all = ["sources", "atomics", "pointers"])]
        products: bool,
        /// Print the generated nests instead, and what becomes of each.
        #[arg(long, conflicts_with = "sources")]
        show: bool,
        /// The first nest's seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many nests.
        #[arg(long, default_value_t = 500)]
        count: u64,
    },
    /// Run four kernels by each of the 40 mappings of two loops to teams and threads that TileK's authors compare, and print what each costs.
    Mappings {
        /// A folder of CUDA's, whose ptxas says how many registers each takes.
        #[arg(long, value_name = "FOLDER")]
        cuda: Option<PathBuf>,
    },
    /// Print the report of a module.
    #[command(hide = true)]
    Report {
        /// Bitcode or LLVM's text.
        module: PathBuf,
    },
    /// Generate kernels from seeds, run them, and compare results and predictions; print the first failures as small test inputs.
    Generated {
        /// The first seed.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// How many.
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// Print the failing functions as they are, without making them smaller.
        #[arg(long)]
        keep_size: bool,
    },
}

fn main() -> ExitCode {
    let Arguments { command, steps } = Arguments::parse();
    if let Some(steps) = steps {
        ipda::limit_steps(steps);
    }
    let result = match command {
        Command::Inputs { sources } => inputs(&sources),
        Command::Phases { sources, expect_same, keep_regions } => {
            phases(&sources, if keep_regions { Regions::Kept } else { Regions::Inlined })
                .map(|contradictions| if expect_same { contradictions } else { 0 })
        }
        Command::FuzzLower { seconds, seed } => fuzz_lower(Duration::from_secs(seconds), seed),
        Command::FuzzOne { kernel, change, module, keep } => fuzz_one(kernel, change, module, keep),
        Command::Dependences { sources, seed, count } if sources.is_empty() => {
            dependences::generated(seed, count, &mut io::stdout().lock())
        }
        Command::Dependences { sources, .. } => dependences::inputs(&sources, &mut io::stdout().lock()),
        Command::Transform { sources, code, atomics, pointers, products, show, seed, count, .. }
            if show || sources.is_empty() =>
        {
            let kinds =
                [(atomics, transform::ATOMICS), (pointers, transform::POINTERS), (products, transform::PRODUCTS)];
            let (first, mut out) = (first_seed(seed, kinds), io::stdout().lock());
            if show {
                transform::show(&code, first, count, &mut out)
            } else {
                transform::generated(&code, first, count, &mut out)
            }
        }
        Command::Transform { sources, code, sectors: true, .. } => {
            transform::sectors(&code, &sources, &mut io::stdout().lock())
        }
        Command::Transform { sources, code, recovery: true, .. } => {
            transform::recovery(&code, &sources, &mut io::stdout().lock()).map(|found| found.lost() + found.disputed)
        }
        Command::Transform { sources, code, .. } => transform::inputs(&code, &sources, &mut io::stdout().lock()),
        Command::Mappings { cuda } => mappings::mappings(cuda.as_deref(), &mut io::stdout().lock()),
        Command::Report { module } => print_report(&module),
        Command::Generated { seed, count, keep_size } => {
            generated(seed, count, if keep_size { Size::Keep } else { Size::Shrink })
        }
    };
    match result {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "ipda-oracle: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// What all kernels come to.
#[derive(Default)]
struct Sum {
    kernels: usize,
    entries: [usize; KINDS.len()],
    warp_accesses: u64,
    lane_accesses: u64,
    checked: u64,
    agreeing: u64,
    differing: u64,
    counts_agreeing: u64,
    counts_differing: u64,
    groups_agreeing: u64,
    groups_differing: u64,
    lanes_agreeing: u64,
    lanes_differing: u64,
    branches: u64,
    branches_differing: u64,
    never: usize,
    unknown_to_report: usize,
    ambiguous: usize,
    launches: usize,
    wrong: usize,
}

impl Sum {
    fn add(&mut self, verdict: &Verdict) {
        let tally = verdict.summary.tally();
        self.kernels += 1;
        for (sum, entries) in self.entries.iter_mut().zip(verdict.entries()) {
            *sum += entries;
        }
        self.warp_accesses += tally.warp_accesses;
        self.lane_accesses += verdict.lane_accesses;
        self.agreeing += tally.right;
        self.differing += tally.wrong;
        self.checked += tally.right + tally.wrong;
        self.counts_agreeing += tally.counts_agreeing;
        self.counts_differing += tally.counts_differing;
        self.groups_agreeing += tally.groups_agreeing;
        self.groups_differing += tally.groups_differing;
        self.lanes_agreeing += tally.lanes_agreeing;
        self.lanes_differing += tally.lanes_differing;
        let (branches, differing) = verdict.summary.branches_checked();
        self.branches += branches;
        self.branches_differing += differing;
        self.never += verdict.summary.never_executed().count();
        self.unknown_to_report += verdict.summary.without_entry().count();
        self.ambiguous += verdict.summary.ambiguous().count();
        self.launches += verdict.launches;
        self.wrong += verdict.wrong.len();
    }

    fn print(&self, out: &mut impl Write, seconds: f64) -> io::Result<()> {
        let all: usize = self.entries.iter().sum();
        let share = |part: usize| if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 };
        let kinds = ["constant", "vector", "symbolic", "row ends", "per lane", "data-dependent", "unknown"];
        let shares: Vec<String> = kinds
            .iter()
            .zip(self.entries)
            .map(|(kind, part)| format!("{kind} {part} ({:.1} %)", share(part)))
            .collect();
        writeln!(out, "{} kernels, {} launches, {:.1} s", self.kernels, self.launches, seconds)?;
        writeln!(out, "accesses in the reports: {all}: {}", shares.join(", "))?;
        writeln!(
            out,
            "accesses of warps: {}, of lanes {}; compared {}, as predicted {}, not {}; of these with numbers of sectors and lines: {} right, {} not",
            self.warp_accesses,
            self.lane_accesses,
            self.checked,
            self.agreeing,
            self.differing,
            self.counts_agreeing,
            self.counts_differing
        )?;
        writeln!(
            out,
            "lanes that make an access: {} accesses as predicted, {} not; warps at branches: {} as predicted, {} not",
            self.lanes_agreeing,
            self.lanes_differing,
            self.branches - self.branches_differing,
            self.branches_differing
        )?;
        writeln!(
            out,
            "groups of accesses, with numbers of sectors and lines of all together: {} right, {} not",
            self.groups_agreeing, self.groups_differing
        )?;
        writeln!(
            out,
            "in the report but never ran {}, ran but not in the report {}, several predictions for one place {}",
            self.never, self.unknown_to_report, self.ambiguous
        )?;
        if self.checked == 0 {
            return writeln!(out, "nothing was compared; {} wrong", self.wrong);
        }
        let agreement = 100.0 * self.agreeing as f64 / self.checked as f64;
        writeln!(out, "agreement: {agreement:.4} % of {} compared; {} wrong", self.checked, self.wrong)
    }
}

fn inputs(sources: &[PathBuf]) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut out = io::stdout().lock();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header([
        "input",
        "kernel",
        "const",
        "vec",
        "symb",
        "rows",
        "lane",
        "data",
        "unkn",
        "warp accesses",
        "as predicted",
        "not",
        "verdict",
    ]);
    for column in 2..=11 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let (mut sum, mut failures) = (Sum::default(), Vec::new());
    for source in sources {
        let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let verdicts = match oracle::source(source, folder.path()) {
            Ok(verdicts) => verdicts,
            Err(error) => {
                sum.wrong += 1;
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        for verdict in verdicts {
            sum.add(&verdict);
            let tally = verdict.summary.tally();
            let mut row = vec![name.clone(), verdict.kernel.clone()];
            row.extend(verdict.entries().map(|count| if count == 0 { String::new() } else { count.to_string() }));
            row.push(tally.warp_accesses.to_string());
            row.push(tally.right.to_string());
            row.push(tally.wrong.to_string());
            row.push(if verdict.wrong.is_empty() { "ok".into() } else { format!("{} WRONG", verdict.wrong.len()) });
            table.add_row(row);
            failures.extend(verdict.wrong.iter().map(|wrong| format!("{name}, {}: {wrong}", verdict.kernel)));
        }
    }
    writeln!(out, "{}\n", table.trim_fmt())?;
    for failure in &failures {
        writeln!(out, "WRONG {failure}")?;
    }
    sum.print(&mut out, start.elapsed().as_secs_f64())?;
    Ok(sum.wrong)
}

/// Changes of one kernel.
const CHANGES: u64 = 20;
/// The most time for a changed kernel: for its analysis and its runs.
const FUZZ_LIMIT: Duration = Duration::from_secs(5);

fn fuzz_lower(time: Duration, first: u64) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut out = io::stdout().lock();
    let (mut right, mut skipped, mut compared, mut failures) = (0_u64, 0_u64, 0_u64, 0);
    let mut kernel = first;
    while start.elapsed() < time {
        let module = folder.path().join("kernel.bc");
        fuzz::module(&Generated::from_seed(kernel), &module)?;
        for change in 0..CHANGES {
            if start.elapsed() >= time {
                break;
            }
            let (kernel, change) = (kernel.to_string(), change.to_string());
            let mut child = process::Command::new(&own);
            child.args(["fuzz-one", "--kernel", &kernel, "--change", &change, "--module"]).arg(&module);
            let failure = match limited::run(&mut child, FUZZ_LIMIT)? {
                Ended::Exited { status, output, .. } if status.success() => {
                    match String::from_utf8_lossy(&output).trim().parse::<u64>() {
                        Ok(accesses) => (right, compared) = (right + 1, compared + accesses),
                        Err(_) => skipped += 1,
                    }
                    continue;
                }
                Ended::Exited { output, messages, .. } => {
                    format!("{}{messages}", String::from_utf8_lossy(&output))
                }
                Ended::TimedOut => format!("more than {} seconds", FUZZ_LIMIT.as_secs()),
            };
            failures += 1;
            writeln!(out, "WRONG: fuzz-one --kernel {kernel} --change {change}: {}", failure.trim())?;
        }
        kernel += 1;
    }
    writeln!(
        out,
        "{} kernels, {} changes: {right} right with {compared} accesses of warps compared, {skipped} do not run, {failures} wrong",
        kernel - first,
        right + skipped + failures as u64
    )?;
    Ok(failures)
}

fn fuzz_one(kernel: u64, change: u64, module: Option<PathBuf>, keep: Option<PathBuf>) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let generated = Generated::from_seed(kernel);
    let module = match module {
        Some(module) => module,
        None => {
            let made = folder.path().join("kernel.bc");
            fuzz::module(&generated, &made)?;
            made
        }
    };
    let changed = folder.path().join("changed.bc");
    let outcome = fuzz::one(&generated, &module, change, &changed)?;
    if let (Some(keep), true) = (keep, changed.exists()) {
        files::replace(&keep, &std::fs::read(&changed)?, BITCODE)?;
    }
    let mut out = io::stdout().lock();
    match outcome {
        Outcome::Right(accesses) => writeln!(out, "{accesses}")?,
        Outcome::Skipped(reason) => writeln!(out, "skipped: {reason}")?,
        Outcome::Wrong(sentences) => {
            writeln!(out, "{}", sentences.join("; "))?;
            return Ok(sentences.len());
        }
    }
    Ok(0)
}

fn print_report(module: &Path) -> anyhow::Result<usize> {
    io::stdout().lock().write_all(phases::report_text(module)?.as_bytes())?;
    Ok(0)
}

/// Gives the number of contradictions.
fn phases(sources: &[PathBuf], regions: Regions) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut out = io::stdout().lock();
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["input", "side", "point", "accesses", "same", "changed", "missing", "why"]);
    let (mut contradictions, mut timeouts, mut failures) = (Vec::new(), 0, Vec::new());
    let (mut all, mut same) = (0, 0);
    for source in sources {
        let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        for (side, side_name) in [(Side::Device, "device"), (Side::Host, "host")] {
            let points = match phases::points(source, side, regions, folder.path()) {
                Ok(points) => points,
                Err(error) => {
                    failures.push(format!("{name}, {side_name}: {error}"));
                    continue;
                }
            };
            let mut points = std::iter::once("front end").chain(phases::POINTS).zip(points);
            let front = points.next();
            for (point, later) in front.iter().map(|(point, later)| (*point, later)) {
                tell_missing(&name, side_name, point, later, &mut timeouts, &mut failures);
            }
            let Some((_, Point::Report(front))) = front else { continue };
            for (point, later) in points {
                tell_missing(&name, side_name, point, &later, &mut timeouts, &mut failures);
                let Point::Report(later) = later else { continue };
                let agreement = phases::compare(&front, &later);
                let mut why: Vec<String> =
                    agreement.changed.iter().map(|(change, count)| format!("{count} {}", change.name())).collect();
                if agreement.without_region > 0 {
                    why.push(format!("{} in regions not found any more", agreement.without_region));
                }
                (all, same) = (all + agreement.accesses, same + agreement.same);
                table.add_row([
                    name.clone(),
                    side_name.to_owned(),
                    point.to_owned(),
                    agreement.accesses.to_string(),
                    agreement.same.to_string(),
                    agreement.changed.values().sum::<usize>().to_string(),
                    agreement.missing.to_string(),
                    why.join(", "),
                ]);
                let reported = agreement.contradictions.into_iter();
                contradictions.extend(reported.map(|sentence| format!("{name}, {side_name}, {point}: {sentence}")));
            }
        }
    }
    writeln!(out, "{}\n", table.trim_fmt())?;
    for failure in &failures {
        writeln!(out, "FAILED {failure}")?;
    }
    for contradiction in &contradictions {
        writeln!(out, "CONTRADICTION {contradiction}")?;
    }
    writeln!(
        out,
        "{same} of {all} answers are those of the front end; {} contradictions, {timeouts} timeouts, {} failures",
        contradictions.len(),
        failures.len()
    )?;
    Ok(contradictions.len())
}

fn tell_missing(name: &str, side: &str, at: &str, point: &Point, timeouts: &mut u64, failures: &mut Vec<String>) {
    match point {
        Point::Report(_) => {}
        Point::TimedOut => {
            *timeouts += 1;
            failures.push(format!("{name}, {side}, {at}: it took too long"));
        }
        Point::Failed(reason) => failures.push(format!("{name}, {side}, {at}: {reason}")),
    }
}

/// Whether failing functions are made smaller.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Keep,
    Shrink,
}

/// The first seed of nests of the kind that is asked for, of kinds with their first seeds.
fn first_seed(seed: u64, kinds: [(bool, u64); 3]) -> u64 {
    let first = kinds.into_iter().find(|(is_asked, _)| *is_asked).map_or(0, |(_, first)| first);
    if seed < first { seed + first } else { seed }
}

fn generated(first: u64, count: u64, size: Size) -> anyhow::Result<usize> {
    /// Functions of one compilation: clang's start is shared.
    const BATCH: u64 = 20;
    /// Failures that are printed.
    const MAX_FAILURES: usize = 5;
    let start = Instant::now();
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut out = io::stdout().lock();
    let (mut sum, mut shown) = (Sum::default(), 0);
    let seeds: Vec<u64> = (first..first + count).collect();
    for batch in seeds.chunks(BATCH as usize) {
        let functions = batch.iter().map(|&seed| Generated::from_seed(seed)).collect();
        for Sample { generated, verdict } in oracle::sample(functions, folder.path())? {
            sum.add(&verdict);
            let Some(wrong) = verdict.wrong.first() else { continue };
            writeln!(out, "WRONG {}: {wrong} (and {} more)", generated.name(), verdict.wrong.len() - 1)?;
            if shown < MAX_FAILURES {
                shown += 1;
                let small = match size {
                    Size::Keep => generated,
                    Size::Shrink => generated.shrink(&mut |smaller| oracle::fails(smaller, wrong, folder.path())),
                };
                writeln!(out, "{}", small.as_test_input(wrong))?;
            }
        }
    }
    sum.print(&mut out, start.elapsed().as_secs_f64())?;
    Ok(sum.wrong)
}
