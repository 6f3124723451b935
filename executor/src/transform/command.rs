//! The commands: sources with regions, and generated nests.

use super::build::Nest;
use super::claims::Claimed;
use super::pair::{Code, Pair};
use super::runs::{Effort, Findings, Results, judge};
use super::setups::{self, Aliases};
use crate::batch::{self, GeneratedNest};
use crate::oracle::{Directives, OracleError};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Setups of each generated nest.
const RUNS: u64 = 10;
/// Kernels that are named whose new code never ran.
const MAX_IDLE: usize = 10;
/// What a generated nest begins with that has to be compiled alone.
const PRELUDE: &str = "#include <stddef.h>\n";

/// What a command's kernels come to.
#[derive(Default)]
struct Sum {
    kernels: usize,
    transformed: usize,
    /// Those of the transformed kernels in which new code ran, old code too, and both.
    ran: [usize; 3],
    /// Transformed kernels of which nothing could be compared.
    never: usize,
    /// Those in which lanes of a warp are tiles of several loops.
    tiled: usize,
    /// Kernels in which accesses ran that claim something.
    claiming: usize,
    findings: Findings,
    /// Transformed kernels whose new code never ran, of which not all need be reported.
    idle: Vec<String>,
    /// Why kernels were left alone.
    reasons: BTreeMap<String, usize>,
}

impl Sum {
    fn add(&mut self, name: &str, outcome: Result<(), &str>, findings: &Findings) {
        self.kernels += 1;
        if let Err(reason) = outcome {
            *self.reasons.entry(reason.to_owned()).or_default() += 1;
        } else {
            let [new, old] = findings.ran.map(|count| count > 0);
            self.transformed += 1;
            if !new && self.idle.len() < MAX_IDLE {
                self.idle.push(name.to_owned());
            }
            self.claiming += usize::from(findings.claimed != Claimed::default());
            self.never += usize::from(findings.setups[0] == 0);
            self.ran.iter_mut().zip([new, old, new && old]).for_each(|(sum, ran)| *sum += usize::from(ran));
        }
        self.findings.add(findings);
    }

    fn print(&self, out: &mut dyn Write, seconds: f64) -> io::Result<()> {
        let Sum { kernels, transformed, ran: [new, old, both], never, findings, .. } = self;
        let mut reasons: Vec<(&String, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (reason, count) in reasons {
            writeln!(out, "left alone {count}: {reason}")?;
        }
        if !self.idle.is_empty() {
            writeln!(out, "new code never ran in {}", self.idle.join("; "))?;
        }
        writeln!(
            out,
            "{kernels} kernels, {transformed} transformed; of these new code ran in {new}, code of the original in {old}, both in {both}, \
             none could be compared in {never}"
        )?;
        if self.tiled > 0 {
            writeln!(out, "tiles of lanes in {}", self.tiled)?;
        }
        let [compared, fails, races, depends, on_geometry] = findings.setups;
        writeln!(
            out,
            "setups compared {compared}; not, because the original fails {fails}, has races {races}, depends on the order {depends}, \
             on geometry {on_geometry}"
        )?;
        let Claimed { apart, invariant } = findings.claimed;
        writeln!(
            out,
            "accesses that ran and were said to lie apart from others {apart}, to be invariant {invariant}; in {} kernels",
            self.claiming
        )?;
        writeln!(out, "{} launches compared, {} wrong, {seconds:.1} s", findings.launches, findings.wrong.len())
    }
}

/// Judges the regions of sources; gives how much is wrong.
pub fn inputs(code: &Code, sources: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir()?;
    let mut sum = Sum::default();
    for source in sources {
        let name = source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        match catch_unwind(AssertUnwindSafe(|| input(code, source, &name, folder.path(), &mut sum, out))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                writeln!(out, "WRONG {name}: {error:#}")?;
                sum.findings.wrong.push(name);
            }
            Err(_) => {
                writeln!(out, "WRONG {name}: the plugin fails")?;
                sum.findings.wrong.push(name);
            }
        }
    }
    sum.print(out, start.elapsed().as_secs_f64())?;
    Ok(sum.findings.wrong.len())
}

fn input(
    code: &Code,
    source: &Path,
    name: &str,
    folder: &Path,
    sum: &mut Sum,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let directives = Directives::read(source)?;
    if directives.fails.is_some() {
        return Ok(());
    }
    let pair = Pair::compile_with_host(code, source, folder)?;
    let has_restrict = std::fs::read_to_string(source)?.contains("restrict");
    for kernel in pair.original.kernels(None) {
        let region = pair.original.region(kernel);
        if directives.has_races.contains(&region.function) {
            continue;
        }
        let parameters = &pair.original.parameters[kernel];
        let given = directives.description.only_for(parameters);
        // No launch of the program hands over what overlaps.
        let aliases = match has_restrict || pair.rests_on_host(kernel) {
            true => Aliases::Excluded,
            false => Aliases::Possible,
        };
        let mut setups = setups::of_parameters(&given, parameters, aliases)?;
        let effort = match pair.outcome(kernel) {
            Ok(()) => Effort::Usual,
            Err(_) => {
                setups.truncate(Effort::SETUPS_OF_LITTLE);
                Effort::Little
            }
        };
        let results = match directives.may_depend.contains(&region.function) {
            true => Results::Ignored,
            false => Results::Compared,
        };
        let findings = judge(&pair, kernel, &setups, effort, results);
        if let (Ok(()), Some(reason)) = (pair.outcome(kernel), &findings.failure) {
            let [compared, others @ ..] = findings.setups;
            let region = format!("{}:{}", region.function, region.line);
            let others: usize = others.iter().sum();
            writeln!(
                out,
                "{name}, {region}: {others} of {} setups not compared, the first: {reason}",
                compared + others
            )?;
        }
        for wrong in &findings.wrong {
            writeln!(out, "WRONG {name}, {}:{}: {wrong}", region.function, region.line)?;
        }
        sum.add(&format!("{name}, {}", region.function), pair.outcome(kernel), &findings);
        sum.tiled += usize::from(pair.has_tiles(kernel));
    }
    Ok(())
}

/// Prints the text of generated nests, and what becomes of each.
pub fn show(code: &Code, seed: u64, count: u64, out: &mut dyn Write) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir()?;
    for nest in (seed..seed + count).map(Nest::from_seed) {
        let source = folder.path().join("nest.c");
        std::fs::write(&source, format!("{PRELUDE}{}", nest.text()))?;
        let pair = Pair::compile(code, &source, folder.path())?;
        let outcome = pair.original.kernels(None).first().map_or(Err("no kernel"), |&kernel| pair.outcome(kernel));
        writeln!(out, "// {}\n{}", outcome.err().unwrap_or("transformed"), nest.text())?;
    }
    Ok(0)
}

/// Judges generated nests; gives how many are wrong.
pub fn generated(code: &Code, seed: u64, count: u64, out: &mut dyn Write) -> anyhow::Result<usize> {
    let start = Instant::now();
    let folder = tempfile::tempdir()?;
    let mut sum = Sum::default();
    let failures = batch::failures(seed..seed + count, out, |nests, is_counted| {
        let mut uncounted = Sum::default();
        all(code, nests, folder.path(), if is_counted { &mut sum } else { &mut uncounted })
    })?;
    sum.print(out, start.elapsed().as_secs_f64())?;
    Ok(failures)
}

/// Compiles nests together and judges each; one by one where they do not go together.
fn all(code: &Code, nests: &[Nest], folder: &Path, sum: &mut Sum) -> Result<Vec<(Nest, Option<String>)>, OracleError> {
    let source = folder.join("nests.c");
    let text: String = nests.iter().map(Nest::text).collect();
    std::fs::write(&source, format!("{PRELUDE}{text}"))?;
    let failure = match catch_unwind(AssertUnwindSafe(|| Pair::compile(code, &source, folder))) {
        Ok(Ok(pair)) => return Ok(nests.iter().map(|nest| (nest.clone(), one(&pair, nest, sum))).collect()),
        Ok(Err(error @ OracleError::Compile { .. })) if nests.len() == 1 => return Err(error),
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the plugin fails".to_owned(),
    };
    if let [nest] = nests {
        sum.findings.wrong.push(failure.clone());
        return Ok(vec![(nest.clone(), Some(failure))]);
    }
    nests.iter().try_fold(Vec::new(), |mut found, nest| {
        found.extend(all(code, std::slice::from_ref(nest), folder, sum)?);
        Ok(found)
    })
}

fn one(pair: &Pair, nest: &Nest, sum: &mut Sum) -> Option<String> {
    let &[kernel] = &pair.original.kernels(Some(&nest.name()))[..] else {
        return Some("there is not one kernel of this name".into());
    };
    let parameters = &pair.original.parameters[kernel];
    let outcome = pair.outcome(kernel);
    let (effort, runs) = match outcome {
        Ok(()) => (Effort::Usual, RUNS),
        Err(_) => (Effort::Little, 2),
    };
    let setups: Vec<_> = (0..runs).map(|run| nest.setup(run, parameters)).collect();
    let findings = judge(pair, kernel, &setups, effort, Results::Compared);
    sum.add(&nest.name(), outcome, &findings);
    sum.tiled += usize::from(pair.has_tiles(kernel));
    findings.wrong.first().cloned()
}
