//! The commands: sources with regions, and generated nests.

use super::build::Form;
use super::check::{Findings, Shares};
use super::nests::{ARRAY_BYTES, Nest, POINTERS, PRELUDE};
use super::runs::{Judged, Places};
use crate::arguments::{Argument, Defaults, Description, Fill};
use crate::batch::{self, GeneratedNest};
use crate::load::LoadError;
use crate::oracle::{Directives, OracleError, Side, Stage, compile, compile_side};
use crate::source_types::{Parameter, SourceType};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Runs of each generated nest, with other values of its symbols.
const RUNS: u64 = 4;
/// Values of integers in runs of sources, where their comments give none.
const INTEGERS: [i64; 3] = [3, 6, 9];

/// What a command's regions come to.
#[derive(Default)]
struct Sum {
    regions: usize,
    findings: Findings,
    shares: Shares,
    failed_runs: usize,
    wrong: usize,
}

impl Sum {
    fn add(&mut self, judged: &Judged, kernel: usize, findings: &Findings) {
        self.regions += 1;
        if let Some(region) = judged.region(kernel) {
            self.shares.add(region, &findings.fates);
        }
        let sum = &mut self.findings;
        sum.runs += findings.runs;
        sum.conflicts += findings.conflicts;
        sum.distances += findings.distances;
        sum.unclear += findings.unclear;
        sum.cut += findings.cut;
        sum.unknown_guards += findings.unknown_guards;
        self.wrong += findings.wrong.len();
    }

    fn print(&self, out: &mut dyn Write, seconds: f64) -> io::Result<()> {
        let (shares, sum) = (&self.shares, &self.findings);
        writeln!(
            out,
            "{} regions, {} runs, {} that could not be made, {seconds:.1} s",
            self.regions, sum.runs, self.failed_runs
        )?;
        writeln!(
            out,
            "{} pairs of executed accesses that touch a common byte, at {} different distances; accesses not distinguished {}, runs cut short {}, \
             guards of unknown value {}",
            sum.conflicts, sum.distances, sum.unclear, sum.cut, sum.unknown_guards
        )?;
        let share = |part: usize| 100.0 * part as f64 / shares.pairs.max(1) as f64;
        writeln!(
            out,
            "pairs of accesses {}: independent {} ({:.1} %), under conditions {} ({:.1} %), seen to meet {} ({:.1} %), open {} ({:.1} %); \
             said to meet for sure {}, of these seen to {}",
            shares.pairs,
            shares.independent,
            share(shares.independent),
            shares.guarded,
            share(shares.guarded),
            shares.met,
            share(shares.met),
            shares.open,
            share(shares.open),
            shares.certain,
            shares.certain_met
        )?;
        writeln!(
            out,
            "loops {}: parallel {}, under a guard {}; {} wrong",
            shares.loops, shares.parallel, shares.guarded_loops, self.wrong
        )
    }
}

/// Judges the regions of sources; gives how much is wrong.
pub fn inputs(sources: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir()?;
    let mut sum = Sum::default();
    for source in sources {
        let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        if let Err(error) = input(source, &name, folder.path(), &mut sum, out) {
            writeln!(out, "WRONG {name}: {error:#}")?;
            sum.wrong += 1;
        }
    }
    sum.print(out, start.elapsed().as_secs_f64())?;
    Ok(sum.wrong)
}

fn input(source: &Path, name: &str, folder: &Path, sum: &mut Sum, out: &mut dyn Write) -> anyhow::Result<()> {
    let directives = Directives::read(source)?;
    let judged = match load(source, &folder.join("module.bc")) {
        // Code for the host that uses OpenMP's own threads.
        Err(OracleError::Load(error @ LoadError::NoRuntime { .. })) => {
            writeln!(out, "not run: {name}: {error}")?;
            return Ok(());
        }
        other => other?,
    };
    for kernel in judged.subject.kernels(None) {
        let Some(region) = judged.region(kernel) else { continue };
        let parameters = &judged.subject.parameters[kernel];
        let given = with_bytes(directives.description.only_for(parameters), parameters);
        // Assumptions that overlapping pointers would break.
        let may_overlap =
            !region.assumptions.iter().any(|text| text.contains("restrict") || text.contains("strict aliasing"));
        let (mut findings, mut reason) = (Findings::default(), None);
        for integer in INTEGERS {
            let description = given.fill_defaults(parameters, &Defaults { integer, ..Defaults::default() })?;
            for places in [Places::AsDescribed, Places::Overlapping(0), Places::Overlapping(8 * integer as u64)] {
                if !may_overlap && !matches!(places, Places::AsDescribed) {
                    continue;
                }
                if let Err(error) = judged.run(kernel, region, &description, &places, &mut findings) {
                    sum.failed_runs += 1;
                    reason.get_or_insert(error);
                }
            }
        }
        if let Some(error) = reason.filter(|_| findings.runs == 0) {
            writeln!(out, "not run: {name}, '{}': {error}", region.function)?;
        }
        for wrong in &findings.wrong {
            writeln!(out, "WRONG {name}, '{}': {wrong}", region.function)?;
        }
        sum.add(&judged, kernel, &findings);
    }
    Ok(())
}

/// A description that also gives memory to pointers for which there is no default, as those to rows of a length that is a parameter.
fn with_bytes(mut given: Description, parameters: &[Parameter]) -> Description {
    for parameter in parameters {
        let is_pointer = matches!(parameter.ty, Some(SourceType::Pointer(_)));
        let alone = std::slice::from_ref(parameter);
        let has_default = !given.only_for(alone).arguments.is_empty()
            || Description::default().fill_defaults(alone, &Defaults::default()).is_ok();
        if let Some(name) = parameter.name.clone().filter(|_| is_pointer && !has_default) {
            let memory = Argument::Bytes { bytes: ARRAY_BYTES, fill: Fill::Zero, offset: 0 };
            given.arguments.push((name, memory));
        }
    }
    given
}

/// The regions and kernels of a source, or where it has none, its functions.
fn load(source: &Path, module: &Path) -> Result<Judged, OracleError> {
    if source.extension().is_some_and(|extension| extension == "ll") {
        return Ok(Judged::load(source)?);
    }
    compile(source, Stage::FrontEnd, module)?;
    let judged = Judged::load(module)?;
    if !judged.regions.is_empty() {
        return Ok(judged);
    }
    compile_side(source, Stage::FrontEnd, Side::Host, module)?;
    Ok(Judged::load(module)?)
}

/// Judges generated nests; gives how much is wrong.
pub fn generated(seed: u64, count: u64, out: &mut dyn Write) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir()?;
    let mut sum = Sum::default();
    let failures = batch::failures(seed..seed + count, out, |nests, is_counted| {
        let mut uncounted = Sum::default();
        judge(nests, folder.path(), if is_counted { &mut sum } else { &mut uncounted })
    })?;
    sum.print(out, start.elapsed().as_secs_f64())?;
    Ok(failures)
}

/// Compiles nests together, those of one language each, and runs each; gives what is wrong first with those that fail.
fn judge(nests: &[Nest], folder: &Path, sum: &mut Sum) -> Result<Vec<(Nest, Option<String>)>, OracleError> {
    let mut all = Vec::new();
    for is_kernel in [true, false] {
        let own: Vec<&Nest> = nests.iter().filter(|nest| (nest.form == Form::Kernel) == is_kernel).collect();
        if own.is_empty() {
            continue;
        }
        let source = folder.join(if is_kernel { "nests.cu" } else { "nests.c" });
        let text: String = own.iter().map(|nest| nest.text()).collect();
        std::fs::write(&source, format!("{PRELUDE}{text}"))?;
        let module = folder.join("nests.bc");
        compile(&source, Stage::FrontEnd, &module)?;
        let judged = Judged::load(&module)?;
        for nest in own {
            let wrong = one(&judged, nest, sum);
            all.push((nest.clone(), wrong));
        }
    }
    Ok(all)
}

fn one(judged: &Judged, nest: &Nest, sum: &mut Sum) -> Option<String> {
    let &[kernel] = &judged.subject.kernels(Some(&nest.name()))[..] else {
        return Some("there is not one kernel of this name".into());
    };
    let Some(region) = judged.region(kernel) else { return Some("the graph does not know it".into()) };
    let mut findings = Findings::default();
    for run in 0..RUNS {
        let (description, shifts) = arguments(nest, run);
        let description = description.only_for(&judged.subject.parameters[kernel]);
        if judged.run(kernel, region, &description, &Places::Behind(shifts), &mut findings).is_err() {
            sum.failed_runs += 1;
        }
    }
    sum.add(judged, kernel, &findings);
    findings.wrong.first().cloned()
}

/// Every pointer leads to the middle of an array, since subscripts may be negative.
fn arguments(nest: &Nest, run: u64) -> (Description, Vec<(String, u64)>) {
    const MIDDLE: i64 = ARRAY_BYTES as i64 / 2;
    let (values, apart) = nest.values(run);
    let mut arguments: Vec<(String, Argument)> =
        values.into_iter().map(|(name, value)| (name.into(), Argument::Integer(value))).collect();
    let mut shifts = Vec::new();
    for name in POINTERS {
        let seed = nest.seed.wrapping_mul(8).wrapping_add(run);
        // The two that may lead into one array do so with room on both sides.
        let (array, from_middle) = match (name, apart) {
            ("B", Some(apart)) if nest.uses("A") => (Argument::SameAs { name: "A".into(), at: 0 }, apart),
            _ => (Argument::Bytes { bytes: ARRAY_BYTES, fill: Fill::Random { seed, below: 200 }, offset: 0 }, 0),
        };
        arguments.push((name.into(), array));
        shifts.push((name.to_owned(), (MIDDLE + from_middle) as u64));
    }
    (Description::of_arguments(arguments), shifts)
}
