//! The program `ipda-trace`, which `ipda trace` starts: runs kernels of a device module on the CPU.

use anyhow::{Context, bail};
use clap::Parser;
use comfy_table::{CellAlignment, Table, presets};
use ipda_executor::arguments::{Defaults, Description};
use ipda_executor::interpreter::{Extent, Launch, MAX_STEPS, Order, Races};
use ipda_executor::judge::{self, Finding, Plan};
use ipda_executor::load::LoadOptions;
use ipda_executor::predict::BranchOutcome;
use ipda_executor::subject::Subject;
use ipda_executor::trace::{self, Trace};
use ipda_executor::trial;
use ipda_models::files::{self, Kind};
use ipda_models::report::MemoryKind;
use ipda_models::waiting::Waiting;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What --records writes over.
const RECORDS: Kind =
    Kind { name: "records of ipda trace", beginnings: &[b"{\"kernel\":", b"{\"memory\":", b"{\"team\":"] };

const EXIT_STATUS: &str =
    "Exit status: 0 if all is as predicted and checked, 1 if something differs or races, 2 if it could not be run.";

/// Runs the kernels of a device module on the CPU, and prints what their warps touched beside what the plugin predicts.
///
/// The module is what clang makes with
/// `-O2 -g -Xclang -debug-info-kind=constructor -fopenmp --offload-arch=sm_90 -nogpulib --offload-device-only -emit-llvm -c`,
/// best with `-Xclang -disable-llvm-passes` in addition: then it is what the plugin analyses.
#[derive(Parser)]
#[command(name = "ipda trace", bin_name = "ipda trace", version, after_help = EXIT_STATUS)]
struct Arguments {
    /// The device module: bitcode or LLVM's text.
    module: PathBuf,
    /// The kernel: its function in the source, or FUNCTION:LINE, or the name in the module [default: all].
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The kernel's arguments as YAML: docs/trace.md has the form, --print-args prints an example. What is left out gets a default.
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
    /// Print the kernel's arguments as YAML that --args takes, and end.
    #[arg(long)]
    print_args: bool,
    /// The number of teams [default: what the file of arguments says, else 3].
    #[arg(long, value_name = "NUMBER[,NUMBER[,NUMBER]]", value_parser = read_extent)]
    teams: Option<Extent>,
    /// The number of threads in a team [default: what the file of arguments says, else 64].
    #[arg(long, value_name = "NUMBER[,NUMBER[,NUMBER]]", value_parser = read_extent)]
    threads: Option<Extent>,
    /// The device that predictions are made for: a name in the hardware database, or a file [default: by the module's target].
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// Only run and count: do not analyse the module.
    #[arg(long)]
    no_predictions: bool,
    /// Write a line of JSON for each access of a warp to a file: place, team, warp, iteration, active lanes, addresses, sectors.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Also run in other thread orders and geometries, look for races, and say whether results depend on any of them.
    #[arg(long)]
    check: bool,
    /// Check that the kernels of this changed module compute what those of MODULE do, in all orders and geometries, without new races.
    #[arg(long, value_name = "MODULE")]
    against: Option<PathBuf>,
    /// The kernel of the changed module [default: the one of the same function and line, or else of the same place in the list].
    #[arg(long, value_name = "NAME", requires = "against")]
    against_kernel: Option<String>,
    /// The device runtime's bitcode [default: that of the installed LLVM 19].
    #[arg(long, value_name = "FILE")]
    device_runtime: Option<PathBuf>,
    /// The most operations that a warp or thread may do, so that an endless loop ends.
    #[arg(long, value_name = "NUMBER", default_value_t = MAX_STEPS)]
    max_steps: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        // A reader that has seen enough closes the pipe.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "ipda trace: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let options = LoadOptions { device_runtime: arguments.device_runtime.clone() };
    let gpu = match &arguments.gpu {
        Some(name) => Some(load_gpu(name)?),
        None => None,
    };
    let load = |path: &Path| {
        if arguments.no_predictions {
            Subject::without_predictions(path, &options, gpu.as_ref())
        } else {
            Subject::load(path, &options, gpu.as_ref())
        }
    };
    let subject = {
        let _line = Waiting::on("analysing the module");
        load(&arguments.module)?
    };
    let description = match &arguments.args {
        Some(path) => Description::read(path)?,
        None => Description::default(),
    };
    let kernels = asked_kernels(&subject, arguments)?;
    let given_to = |kernel: usize| match kernels.len() {
        1 => description.clone(),
        // One description for several kernels: each takes what it knows.
        _ => description.only_for(&subject.parameters[kernel]),
    };
    if kernels.len() > 1 {
        check_for_several(arguments, &subject, &kernels, &description)?;
    }
    let mut out = io::stdout().lock();
    let given = description.launch.unwrap_or_default();
    let asked = (arguments.teams.or(given.teams), arguments.threads.or(given.threads));
    let (teams, threads) = (asked.0.unwrap_or(3.into()), asked.1.unwrap_or(64.into()));
    let launch = Launch { teams, threads, order: Order::Warps, races: Races::Detect, max_steps: arguments.max_steps };
    let mut plan = Plan { max_steps: arguments.max_steps, ..Plan::around(teams, threads) };
    // Numbers that were asked for are the largest: a region without a `teams` construct, say, is for one team.
    for geometry in &mut plan.geometries {
        geometry.0 = asked.0.map_or(geometry.0, |most| geometry.0.at_most(most.count()));
    }
    // Numbers that nobody asked for give way to what the kernel allows.
    let launch_of = |kernel: usize| {
        let (max_teams, max_threads) = subject.program.kernels()[kernel].at_most(teams, threads);
        Launch {
            teams: if asked.0.is_some() { teams } else { max_teams },
            threads: if asked.1.is_some() { threads } else { max_threads },
            ..launch
        }
    };
    let has_checks = arguments.check || arguments.against.is_some();
    let described = |kernel: usize| {
        let mut launches = vec![launch_of(kernel)];
        if has_checks {
            let all = plan.for_kernel(&subject.program.kernels()[kernel]);
            launches.extend(all.launches().filter(|launch| launch.order == Order::Warps));
            launches.dedup();
        }
        trial::with_room(&subject, kernel, &given_to(kernel), &Defaults::default(), &launches)
    };
    if arguments.print_args {
        for &kernel in &kernels {
            let filled = described(kernel).fill_defaults(&subject.parameters[kernel], &Defaults::default())?;
            write!(out, "{}", filled.to_yaml())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wrong = if let Some(path) = &arguments.against {
        // Nothing is predicted of a changed module.
        let changed = Subject::without_predictions(path, &options, gpu.as_ref())?;
        compare(&mut out, arguments, path, (&subject, &changed), &kernels, &described, &plan)?
    } else {
        trace_all(&mut out, arguments, &subject, &kernels, &described, &launch_of, &plan)?
    };
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Of several kernels, no arguments are printed, and one at least must have each parameter that is described.
fn check_for_several(
    arguments: &Arguments,
    subject: &Subject,
    kernels: &[usize],
    description: &Description,
) -> anyhow::Result<()> {
    let knows = |kernel: usize, key: &str| {
        let own = description.only_for(&subject.parameters[kernel]);
        own.arguments.iter().any(|(known, _)| known == key)
    };
    let is_unknown = |key: &str| !kernels.iter().any(|&kernel| knows(kernel, key));
    if let Some((key, _)) = description.arguments.iter().find(|(key, _)| is_unknown(key)) {
        bail!("none of the kernels has a parameter '{key}', which the description of the arguments gives");
    }
    if arguments.print_args {
        let known: Vec<String> = kernels.iter().map(|&kernel| region_name(subject, kernel)).collect();
        bail!("there are several kernels: name one with --kernel, of {}", known.join(", "));
    }
    Ok(())
}

/// The kernels that are asked for.
fn asked_kernels(subject: &Subject, arguments: &Arguments) -> anyhow::Result<Vec<usize>> {
    let kernels = subject.kernels(arguments.kernel.as_deref());
    if kernels.is_empty() {
        let known: Vec<String> = subject
            .program
            .kernels()
            .iter()
            .map(|kernel| format!("{}:{}", kernel.source_function, kernel.line))
            .collect();
        match &arguments.kernel {
            Some(name) => {
                bail!("there is no kernel '{name}' in {}; there are: {}", arguments.module.display(), known.join(", "))
            }
            None => bail!("there is no kernel in {}", arguments.module.display()),
        }
    }
    Ok(kernels)
}

/// Compares kernels with those of the changed module, and says how many findings there are.
fn compare(
    out: &mut impl Write,
    arguments: &Arguments,
    path: &Path,
    (original, changed): (&Subject, &Subject),
    kernels: &[usize],
    described: &dyn Fn(usize) -> Description,
    plan: &Plan,
) -> anyhow::Result<usize> {
    let mut wrong = 0;
    for (index, &kernel) in kernels.iter().enumerate() {
        let name = format!("{}:{}", original.region(kernel).function, original.region(kernel).line);
        let plan = plan.for_kernel(&original.program.kernels()[kernel]);
        let line = Waiting::on(format!("comparing {name}, kernel {} of {}", index + 1, kernels.len()));
        let other = arguments.against_kernel.as_deref().unwrap_or(&name);
        let candidates = changed.kernels(Some(other));
        let other = match (candidates.first(), &arguments.against_kernel) {
            (Some(&other), _) => other,
            (None, None) if changed.program.kernels().len() == original.program.kernels().len() => kernels[index],
            _ => {
                let known: Vec<String> =
                    changed.kernels(None).iter().map(|&kernel| region_name(changed, kernel)).collect();
                bail!(
                    "{} has no kernel for '{other}'; there are: {}; name one with --against-kernel",
                    path.display(),
                    known.join(", ")
                )
            }
        };
        let compared = judge::compare((original, kernel), (changed, other), &described(kernel), &plan);
        drop(line);
        wrong += compared.changed.len();
        tell(out, &name, &compared.changed, &plan, Check::Against)?;
        if !compared.original.is_empty() {
            writeln!(out, "  the original itself has {} of these:", compared.original.len())?;
            for finding in &compared.original {
                writeln!(out, "    {finding}")?;
            }
        }
    }
    Ok(wrong)
}

/// Runs kernels, checks them where that is asked for, and says how many findings there are.
fn trace_all(
    out: &mut impl Write,
    arguments: &Arguments,
    subject: &Subject,
    kernels: &[usize],
    described: &dyn Fn(usize) -> Description,
    launch_of: &dyn Fn(usize) -> Launch,
    plan: &Plan,
) -> anyhow::Result<usize> {
    let mut wrong = 0;
    let mut records = match &arguments.records {
        Some(path) => Some(BufWriter::new(files::create(path, RECORDS).context("there are no records")?)),
        None => None,
    };
    for (nth, &kernel) in kernels.iter().enumerate() {
        let name = region_name(subject, kernel);
        let of = format!("{name}, kernel {} of {}", nth + 1, kernels.len());
        let line = Waiting::on(format!("running {of}"));
        let description = described(kernel);
        let code = &subject.program.kernels()[kernel];
        let launch = launch_of(kernel);
        let result = trace::trace(subject, kernel, &description, &launch, records.as_mut())
            .with_context(|| format!("kernel {name} cannot be run"))?;
        drop(line);
        wrong += print(out, subject, kernel, &launch, &result)?;
        if arguments.check {
            let plan = plan.for_kernel(code);
            let line = Waiting::on(format!("checking {of}, {} launches", plan.launches().count()));
            let findings = judge::examine(subject, kernel, &description, &plan);
            drop(line);
            wrong += findings.len();
            tell(out, &name, &findings, &plan, Check::Alone)?;
        }
    }
    Ok(wrong)
}

/// Up to three numbers with commas between them: extents in x, y and z.
fn read_extent(text: &str) -> Result<Extent, String> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let mut extent = Extent([1; 3]);
    match numbers {
        Ok(numbers) if numbers.len() <= 3 => extent.0[..numbers.len()].copy_from_slice(&numbers),
        _ => return Err("expected a number, or up to three with commas between them".into()),
    }
    Ok(extent)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

fn load_gpu(name: &str) -> anyhow::Result<ipda_hwdb::Gpu> {
    // A name, or a file by its path.
    let is_path = name.contains(['/', '.']);
    Ok(if is_path { ipda_hwdb::Gpu::load(Path::new(name))? } else { ipda_hwdb::Gpu::builtin(name)? })
}

/// A kernel as --kernel names it.
fn region_name(subject: &Subject, kernel: usize) -> String {
    let region = subject.region(kernel);
    format!("{}:{}", region.function, region.line)
}

/// What a series of runs is for.
#[derive(Clone, Copy)]
enum Check {
    Alone,
    Against,
}

/// Tells the verdict of a series of runs.
fn tell(out: &mut impl Write, name: &str, findings: &[Finding], plan: &Plan, check: Check) -> io::Result<()> {
    let runs = plan.launches().count();
    if findings.is_empty() {
        let (good, races) = match check {
            Check::Alone => ("computes the same", "no race"),
            Check::Against => ("computes the same", "no race that the original lacks"),
        };
        return writeln!(
            out,
            "kernel {name}: {good} in {runs} launches ({} orders of threads, {} geometries), {races}",
            plan.orders.len(),
            plan.geometries.len()
        );
    }
    writeln!(out, "kernel {name}: {} found in {runs} launches", findings.len())?;
    for finding in findings {
        writeln!(out, "  {finding}")?;
    }
    Ok(())
}

/// Prints the table of a launch; gives the number of things that are wrong.
fn print(out: &mut impl Write, subject: &Subject, kernel: usize, launch: &Launch, result: &Trace) -> io::Result<usize> {
    let region = subject.region(kernel);
    writeln!(out, "kernel {}:{}, {}", region.function, region.line, judge::geometry_text(launch))?;
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["  line:col", "access", "id", "bytes", "warps", "lanes", "sectors", "predicted", "as predicted"]);
    for column in 3..=6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let per = |sum: u64, warps: u64| match warps {
        0 => "-".to_owned(),
        _ if sum.is_multiple_of(warps) => (sum / warps).to_string(),
        _ => format!("{:.2}", sum as f64 / warps as f64),
    };
    for row in result.rows(subject, kernel) {
        table.add_row([
            format!("  {}", row.place),
            row.kind.name().to_owned(),
            row.ids.clone(),
            row.bytes.to_string(),
            row.counts.warps.to_string(),
            per(row.counts.lanes, row.counts.warps),
            match row.memory {
                MemoryKind::Global => per(row.counts.sectors, row.counts.warps),
                MemoryKind::Shared => format!("{} passes", per(row.counts.passes, row.counts.warps)),
            },
            row.predicted.clone(),
            row.verdict.clone(),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    for (place, counts) in result.divergent_branches(subject) {
        writeln!(out, "  lanes go different ways at {place}: {} of {} times", counts.divergent, counts.warps)?;
    }
    for branch in &result.summary.branches {
        if let Some(example) = &branch.wrong {
            writeln!(out, "  NO: at {}, {example}", branch.location)?;
        }
    }
    let tally = result.summary.tally();
    writeln!(
        out,
        "  {} accesses of warps: {} as predicted, {} not, {} with nothing to compare",
        tally.warp_accesses,
        tally.right,
        tally.wrong,
        tally.warp_accesses - tally.right - tally.wrong
    )?;
    if !result.run.outcome.output.is_empty() {
        writeln!(out, "  the kernel printed:\n{}", result.run.outcome.output)?;
    }
    let is_wrong = |branch: &&BranchOutcome| branch.wrong.is_some();
    let mut wrong = result.summary.differing().count() + result.summary.branches.iter().filter(is_wrong).count();
    for race in judge::races(subject, launch, &result.run) {
        writeln!(out, "  {race}")?;
        wrong += 1;
    }
    Ok(wrong)
}
