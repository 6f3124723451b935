//! `ipda predict`: how long regions take on the host and on the device.

pub(crate) mod growth;
mod launch;
mod machines;
pub(crate) mod roofline;
mod subjects;
pub(crate) mod sweep;
pub(crate) mod table;
pub(crate) mod verdict;
mod wire;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::ValueEnum;
use ipda_models::cpu::Start;
use ipda_models::machine;
use ipda_models::predict::{Model, PredictError, Prediction, Residence, Setting, predict};
use ipda_models::report::Report;
use ipda_models::summary::{Bindings, RegionSummary};
use ipda_models::transfer::Pages;
use ipda_models::yaml;

pub(crate) use self::machines::find_machines;
use self::subjects::{Subject, Unpredicted, subjects};
use self::sweep::{Sweep, Swept};
use crate::document::{Detail, Document, Extent};
use crate::formats::json;
use crate::look::Look;
use crate::select::Wanted;
use crate::select::values::Given;

/// The arguments of `ipda predict`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Report files, or folders of report files (*.yaml). Reports of the host's compilation know most.
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// The device: a name that `ipda hw list` prints, or the path of a description [default: the one that the report counted for].
    #[arg(long, value_name = "NAME|FILE")]
    gpu: Option<String>,
    /// The device's clock: the one that it reaches where power allows, or the one that it always keeps, to which profilers lock it.
    #[arg(long, value_name = "CLOCK", default_value = "boost")]
    clock: Clock,
    /// What the device's L2 holds when a kernel starts: what was copied or used before, or nothing, as where profilers empty it [default: empty with
    /// --clock base, else used].
    #[arg(long, value_name = "L2", conflicts_with = "as_at_launch")]
    l2: Option<L2>,
    /// The host, likewise [default: what all processors of the report's target have in common].
    #[arg(long, value_name = "NAME|FILE")]
    cpu: Option<String>,
    /// What connects them, likewise [default: the GPU's usual link].
    #[arg(long, value_name = "NAME|FILE")]
    link: Option<String>,
    /// Threads on the host, as with OMP_NUM_THREADS [default: all hardware threads].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    threads: Option<u64>,
    /// The value of a variable that the region uses, such as n=4096, of a value that it loads, such as 'load4([first])=7', or of the bytes that
    /// a map moves, such as 'bytes(A)=8192'.
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<Given>,
    #[command(flatten)]
    wanted: Wanted,
    /// Which models: ours (extended), those of the papers (published), or those with the thesis's assumptions (thesis).
    #[arg(long, value_name = "MODEL", default_value = "extended")]
    model: ModelName,
    /// Variables whose data is on the device already, as in A,B.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    present: Vec<String>,
    /// All data is on the device already.
    #[arg(long)]
    resident: bool,
    /// The host's data is in pinned memory.
    #[arg(long)]
    pinned: bool,
    /// The host's caches hold what an earlier run has left in them.
    #[arg(long)]
    warm: bool,
    /// Predict for several values of a variable, each twice the one before; n,m=64..4096 changes two together.
    #[arg(long, value_name = "NAME=FROM..TO")]
    sweep: Option<Sweep>,
    /// Evaluate the closed form that the program carries and decides with at a launch; it is close to the prediction.
    #[arg(long, conflicts_with_all = ["sweep", "model", "format", "details"])]
    as_at_launch: bool,
    /// Also print what the kernels compute and move, and how near they come to what the device can do at most (the roofline model).
    #[arg(long, conflicts_with_all = ["sweep", "as_at_launch", "model", "format"])]
    roofline: bool,
    /// End with status 1 if any region has no prediction, not only if none has.
    #[arg(long)]
    strict: bool,
    /// The form of the output.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
    /// Also print every term with its equation, and everything that the result rests on.
    #[arg(long)]
    details: bool,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Clock {
    Boost,
    Base,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum L2 {
    Used,
    Empty,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelName {
    Extended,
    Published,
    Thesis,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Md,
    Yaml,
    Json,
}

impl Format {
    fn is_for_people(self) -> bool {
        matches!(self, Format::Table | Format::Md)
    }
}

/// What there is to print.
#[derive(Default)]
struct Outcome {
    text: String,
    /// How many regions have a prediction.
    predicted: usize,
    /// Why others have none.
    unpredicted: Vec<anyhow::Error>,
}

/// The command names what no report has.
#[derive(Debug)]
struct WrongCommand(String);

impl std::fmt::Display for WrongCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongCommand {}

/// Prints the predictions. Errors go to standard error, one sentence each; what can be predicted is.
pub fn run(arguments: &Arguments) -> ExitCode {
    let (reports, mut errors) = crate::input::read_all(&arguments.paths);
    match predictions(arguments, &reports) {
        Ok(Outcome { text, predicted, unpredicted }) => {
            errors.extend(crate::terminal::print(&text).err());
            if arguments.strict || predicted == 0 {
                errors.extend(unpredicted);
            } else {
                unpredicted.iter().for_each(crate::terminal::complain);
            }
        }
        Err(error) if error.is::<WrongCommand>() && errors.is_empty() => {
            crate::terminal::complain(&error);
            return ExitCode::from(crate::terminal::WRONG_COMMAND);
        }
        Err(error) => errors.push(error),
    }
    errors.iter().for_each(crate::terminal::complain);
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn predictions(arguments: &Arguments, reports: &[Report]) -> Result<Outcome> {
    let Some(first) = reports.first() else { return Ok(Outcome::default()) };
    let (mut machines, mut chosen) =
        find_machines(arguments.gpu.as_deref(), arguments.cpu.as_deref(), arguments.link.as_deref(), first)?;
    if arguments.clock == Clock::Base {
        chosen.push(machines::at_base_clock(&mut machines.gpu)?);
    }
    let mut bindings = Bindings::new(arguments.define.iter().map(Given::bound));
    let mut subjects: Vec<Subject> = subjects(reports, &arguments.wanted).collect();
    check(arguments, reports, &mut subjects, &bindings)?;
    let setting = setting(arguments);
    if setting.l2 == Start::Cold {
        chosen.push("the device's L2 is empty when a kernel starts, as profilers leave it; --l2 used has it hold what was used before".to_owned());
    }
    let detail = if arguments.details { Detail::Full } else { Detail::Brief };
    let mut out = Document::new(Extent { detail, ..Extent::default() });
    if arguments.as_at_launch {
        table::heading(&mut out, &machines, &chosen, &setting);
        let (predicted, unpredicted) = launch::regions(&mut out, &mut subjects, &bindings, &machines, &setting)?;
        return Ok(Outcome { text: out.on(&arguments.look.page()), predicted, unpredicted: unpredicted.sentences() });
    }
    let mut records = Vec::new();
    let mut rests = Vec::new();
    let mut under_roofs = Vec::new();
    let (mut predicted, mut unpredicted) = (0, Unpredicted::default());
    if let Some(sweep) = &arguments.sweep {
        // What the sweep gives need not be given.
        bindings = sweep.at(&bindings, sweep.from);
    }
    for (number, subject) in subjects.iter_mut().enumerate() {
        let of = |summary: &mut RegionSummary, bindings: &Bindings| predict(summary, bindings, &machines, &setting);
        let found = OfRegion::predict(&mut subject.summary, &bindings, arguments.sweep.as_ref(), of);
        let OfRegion { prediction, swept, growth } = match found {
            Ok(found) => found,
            Err(error) => {
                unpredicted.add(error)?;
                continue;
            }
        };
        predicted += 1;
        if rests.is_empty() && arguments.format.is_for_people() {
            table::heading(&mut out, &machines, &chosen, &setting);
        }
        prediction.rests.iter().for_each(|rest| machine::add(&mut rests, rest));
        match &swept {
            _ if !arguments.format.is_for_people() => {
                records.push(wire::Record::new(&subject.source, &prediction, swept.as_ref(), &machines, detail))
            }
            Some(swept) => table::sweep(&mut out, number + 1, &prediction, swept, arguments.sweep.as_ref()),
            None => {
                let growth = growth.as_ref().map(|(sweep, swept)| (sweep, swept));
                table::region(&mut out, number + 1, &prediction, &bindings, growth);
            }
        }
        under_roofs.push(prediction);
    }
    if arguments.roofline {
        roofline::table(&mut out, &under_roofs, &machines)?;
    }
    table::machines_rest_on(&mut out, &rests);
    let text = match arguments.format {
        Format::Table => out.on(&arguments.look.page()),
        Format::Md => out.in_markdown(),
        Format::Yaml => yaml::write(&wire::Document::new(&records))?,
        Format::Json => json::text(&wire::Document::new(&records)),
    };
    Ok(Outcome { text, predicted, unpredicted: unpredicted.sentences() })
}

/// What was predicted of a region.
struct OfRegion {
    prediction: Prediction,
    /// With the values of the sweep that was asked for.
    swept: Option<Swept>,
    /// With all sizes growing, where no sweep was asked for.
    growth: Option<(Sweep, Swept)>,
}

impl OfRegion {
    fn predict(
        summary: &mut RegionSummary,
        bindings: &Bindings,
        sweep: Option<&Sweep>,
        predict: impl Fn(&mut RegionSummary, &Bindings) -> Result<Prediction, PredictError>,
    ) -> Result<OfRegion, PredictError> {
        let prediction = predict(summary, bindings)?;
        let swept = sweep.map(|sweep| sweep.run(summary, bindings, &predict)).transpose()?;
        let growing = all_sizes(summary, bindings).filter(|_| sweep.is_none());
        let growth = growing.and_then(|sweep| sweep.run(summary, bindings, &predict).ok().map(|swept| (sweep, swept)));
        Ok(OfRegion { prediction, swept, growth })
    }
}

/// What is asked for must be in the reports.
fn check(arguments: &Arguments, reports: &[Report], subjects: &mut [Subject], bindings: &Bindings) -> Result<()> {
    let mut unseen = arguments.wanted.unseen();
    reports.iter().for_each(|report| unseen.see(report));
    let unseen = unseen.sentences();
    if !unseen.is_empty() {
        return Err(WrongCommand(unseen.join("; ")).into());
    }
    if subjects.is_empty() {
        bail!("the reports have no region to predict");
    }
    check_names(subjects, bindings, arguments.sweep.as_ref())?;
    check_maps(subjects, &arguments.present)
}

/// All of a region's sizes that are given, growing together.
fn all_sizes(summary: &mut RegionSummary, bindings: &Bindings) -> Option<Sweep> {
    // Not what is loaded, nor what maps move.
    let sizes = bindings.pairs().map(|(name, _)| name).filter(|name| !name.contains(['(', '[']));
    let names: Vec<String> = sizes.filter(|name| !summary.atoms_named(name).is_empty()).map(str::to_owned).collect();
    (!names.is_empty()).then_some(Sweep { names, from: 32, to: 32_768 })
}

/// Variables that no region maps are mistakes, too.
fn check_maps(subjects: &[Subject], present: &[String]) -> Result<()> {
    let maps = || subjects.iter().flat_map(|subject| &subject.summary.maps).filter(|map| !map.by_value);
    for name in present {
        if !maps().any(|map| map.name == *name) {
            let names: BTreeSet<&str> = maps().map(|map| &map.name[..]).collect();
            bail!("no region maps a variable `{name}`: they map {}", listed_or_none(names));
        }
    }
    Ok(())
}

fn listed_or_none<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names = listed(names.into_iter());
    if names.is_empty() { "none".into() } else { names }
}

/// Names that no region has are mistakes.
fn check_names(subjects: &mut [Subject], bindings: &Bindings, sweep: Option<&Sweep>) -> Result<()> {
    let swept = sweep.map(|sweep| sweep.names.clone()).unwrap_or_default();
    for name in bindings.names().chain(swept.iter().map(String::as_str)) {
        let is_known = subjects.iter_mut().any(|subject| !subject.summary.atoms_named(name).is_empty());
        if !is_known {
            let names: BTreeSet<String> = subjects.iter().flat_map(|subject| subject.summary.names()).collect();
            let known = listed_or_none(names.iter().map(String::as_str));
            bail!("no region has a variable `{name}` that a prediction needs: they need {known}");
        }
    }
    Ok(())
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn setting(arguments: &Arguments) -> Setting {
    Setting {
        model: match arguments.model {
            ModelName::Extended => Model::Extended,
            ModelName::Published => Model::Published,
            ModelName::Thesis => Model::Thesis,
        },
        threads: arguments.threads,
        present: arguments.present.iter().cloned().collect(),
        resident: if arguments.resident { Residence::OnTheDevice } else { Residence::OnTheHost },
        pages: if arguments.pinned { Pages::Pinned } else { Pages::Pageable },
        start: if arguments.warm { Start::Warm } else { Start::Cold },
        l2: match arguments.l2 {
            Some(L2::Empty) => Start::Cold,
            // Launches of programs find what was there.
            None if arguments.clock == Clock::Base && !arguments.as_at_launch => Start::Cold,
            Some(L2::Used) | None => Start::Warm,
        },
    }
}
