//! Sectors of memory that warps touch: as written, as changed by the plugin, and as written by an expert.

use super::pair::{Code, Pair};
use crate::arguments::{Defaults, Description};
use crate::interpreter::{Launch, Order, Races};
use crate::memory::Memory;
use crate::oracle::Directives;
use crate::record::Counts;
use crate::subject::{RunError, Subject};
use comfy_table::{CellAlignment, Table, presets};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The size of problems that sources say nothing of: odd, so that rows begin anywhere.
const SIZE: i64 = 97;
/// Room for three dimensions of this size.
const ELEMENTS: u64 = 1 << 20;
/// More threads than such a problem has rows, fewer than it has elements.
const GEOMETRY: (u32, u32) = (8, 128);
/// Operations of a warp after which a run ends.
const MAX_STEPS: u64 = 200_000_000;

/// What the warps of a launch touch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Traffic {
    /// Sectors, over all accesses of warps to global memory by the user's code.
    pub sectors: u64,
    /// How many such accesses of single lanes there were.
    pub lanes: u64,
}

impl Traffic {
    /// As if all warps were full, of so many lanes: what a warp touches for each of its accesses.
    fn per_warp(self, warp: u32) -> f64 {
        if self.lanes == 0 { 0.0 } else { self.sectors as f64 / self.accesses(warp) }
    }

    /// The accesses of warps that there were, as if all warps were full.
    fn accesses(self, warp: u32) -> f64 {
        self.lanes as f64 / f64::from(warp)
    }
}

/// Runs a kernel once, on what its source's comments say, else on problems of one size.
pub(super) fn traffic(subject: &Subject, kernel: usize, given: &Description) -> Result<Traffic, RunError> {
    let parameters = &subject.parameters[kernel];
    let defaults = Defaults { integer: SIZE, count: ELEMENTS, ..Defaults::default() };
    let filled = given.only_for(parameters).fill_defaults(parameters, &defaults)?;
    let (memory, prepared): (Memory, _) = subject.memory(kernel, &filled)?;
    let (teams, threads) = subject.program.kernels()[kernel].at_most(GEOMETRY.0.into(), GEOMETRY.1.into());
    let launch = Launch { teams, threads, order: Order::Warps, races: Races::Ignore, max_steps: MAX_STEPS };
    let mut counts = Counts::new(&subject.program, subject.geometry(), subject.banks());
    subject.run_on(kernel, memory, prepared, &launch, Some(&mut counts))?;
    let own = subject.program.sites().filter(|(_, site)| !site.is_runtime).map(|(id, _)| counts.site(id));
    Ok(own.fold(Traffic::default(), |sum, site| Traffic {
        sectors: sum.sectors + site.sectors,
        lanes: sum.lanes + site.lanes,
    }))
}

/// A region's traffic as written, as changed, and as an expert writes it.
struct Row {
    /// The lanes of a warp.
    warp: u32,
    plain: Traffic,
    after: Traffic,
    by_hand: Option<Traffic>,
}

impl Row {
    fn is_worse(&self) -> bool {
        self.by_hand.is_some_and(|by_hand| self.after.sectors > by_hand.sectors)
    }

    /// Before the optimiser both have the same accesses, so that their numbers say nothing.
    fn cells(&self, code: &Code) -> Vec<String> {
        let all = [Some(self.plain), Some(self.after), self.by_hand];
        let of_warps = [self.plain, self.after].map(|traffic| format!("{:.0}", traffic.accesses(self.warp)));
        let sectors = all.map(|traffic| traffic.map_or_else(String::new, |traffic| traffic.sectors.to_string()));
        let of_a_warp = all
            .map(|traffic| traffic.map_or_else(String::new, |traffic| format!("{:.1}", traffic.per_warp(self.warp))));
        let verdict = match self.by_hand {
            None => "",
            Some(_) if self.is_worse() => "NO",
            Some(_) => "yes",
        };
        let of_warps = of_warps.into_iter().filter(|_| code.optimised);
        sectors.into_iter().chain(of_a_warp).chain([verdict.to_owned()]).chain(of_warps).collect()
    }
}

/// Prints a table with a row for each region that was changed, or that an expert writes otherwise; gives how many are worse than the expert's.
pub fn sectors(code: &Code, sources: &[PathBuf], out: &mut dyn Write) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir()?;
    let of_sectors = ["plain", "transformed", "by hand", "of a warp, plain", "transformed", "by hand"];
    let mut header = vec!["input", "region"];
    header.extend(of_sectors);
    header.push("no more than by hand");
    if code.optimised {
        header.extend(["accesses of warps, plain", "transformed"]);
    }
    let mut table = table(&header);
    let (mut worse, mut notes) = (0, Vec::new());
    for source in sources {
        let directives = Directives::read(source)?;
        if directives.fails.is_some() {
            continue;
        }
        let twin = directives.by_hand.as_ref().map(|name| source.with_file_name(name));
        let pair = Pair::compile(code, source, folder.path())?;
        let expert = twin.as_deref().map(|twin| Pair::compile(code, twin, folder.path())).transpose()?;
        let experts = expert.as_ref().map(|expert| in_order(&expert.original)).unwrap_or_default();
        for (number, kernel) in in_order(&pair.original).into_iter().enumerate() {
            let Some(changed) = pair.changed_kernel(kernel) else { continue };
            if pair.outcome(kernel).is_err() && expert.is_none() {
                continue;
            }
            let of = |subject, kernel| traffic(subject, kernel, &directives.description);
            let measured = || -> Result<Row, RunError> {
                let twin = expert.as_ref().zip(experts.get(number));
                Ok(Row {
                    warp: pair.original.program.lanes(),
                    plain: of(&pair.original, kernel)?,
                    after: of(&pair.changed, changed)?,
                    by_hand: twin.map(|(expert, &kernel)| of(&expert.original, kernel)).transpose()?,
                })
            };
            let region = pair.original.region(kernel);
            let names = [file_name(source), format!("{}:{}", region.function, region.line)];
            match measured() {
                Ok(row) => {
                    worse += usize::from(row.is_worse());
                    table.add_row(names.into_iter().chain(row.cells(code)));
                }
                Err(error) => notes.push(format!("not run: {}: {error}", names.join(", "))),
            }
        }
    }
    writeln!(out, "{table}")?;
    notes.iter().try_for_each(|note| writeln!(out, "\n{note}"))?;
    Ok(worse)
}

/// A table as Markdown has it, with numbers from the third column on.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN);
    table.set_header(header.to_vec());
    for column in 2..header.len() {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// The kernels as their regions stand in the source.
pub(super) fn in_order(subject: &Subject) -> Vec<usize> {
    let mut kernels = subject.kernels(None);
    kernels.sort_by_key(|&kernel| subject.program.kernels()[kernel].line);
    kernels
}

pub(super) fn file_name(source: &Path) -> String {
    source.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
