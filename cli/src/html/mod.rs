//! Reports as pages: one for each source with all of its compilations, that needs no other file, and an index.

mod context;
mod curve;
mod detail;
mod drawing;
mod entries;
mod frame;
mod index;
mod markup;
mod page;
mod picture;
mod region;
mod roofline;
mod source;
mod times;
mod warp;
mod words;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ipda_models::files::{self, Kind};
use ipda_models::report::{Report, Side};
use markup::text_of;
use maud::Markup;

pub use page::Options;
pub use source::Roots;
pub use times::MachineNames;

use crate::input;
use crate::select::Query;

/// What is written over.
const PAGE: Kind = Kind { name: "a page of ipda", beginnings: &[frame::BEGINNING.as_bytes()] };

/// Longest part of a page's name that comes from the source's name, in characters.
const MAX_NAME: usize = 100;

/// Writes the pages of the reports at `paths`, or of what the query leaves of them, into `folder`, which is made if need be. Returns what
/// could not be read.
///
/// # Errors
/// Where a page cannot be written, or a machine is not known.
pub fn write(folder: &Path, paths: &[PathBuf], query: &Query, options: &Options) -> Result<Vec<anyhow::Error>> {
    options.machines.check()?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let values = query.values();
    let mut names = Names::default();
    let mut pages = Vec::new();
    let mut written = Ok(());
    // Which reports are of one source is known when all were read once. Then only those are kept whose page waits for others: thousands
    // of reports need no more memory than a few.
    let mut waiting: HashMap<Unit, (usize, Vec<Report>)> = HashMap::new();
    let errors = input::for_each(paths, |report| {
        if let Some(unit) = Unit::of(&report) {
            waiting.entry(unit).or_default().0 += 1;
        }
    });
    let mut write = |mut reports: Vec<Report>| {
        reports.sort_by_key(|report| report.side == Side::Device);
        let [first, ..] = &reports[..] else { return };
        if written.is_err() {
            return;
        }
        let name = names.of(first);
        let (page, summaries) = page::page(&reports, options, &values);
        written = save(&folder.join(&name), page);
        let is_one = summaries.len() == 1;
        let address = |nth| if is_one { name.clone() } else { format!("{name}#c{nth}") };
        pages.extend(summaries.into_iter().enumerate().map(|(nth, summary)| (address(nth), summary)));
    };
    input::for_each(paths, |mut report| {
        let unit = Unit::of(&report);
        let is_wanted = query.narrow(&mut report, &values);
        let report = is_wanted.then_some(report);
        let Some((rest, found)) = unit.as_ref().and_then(|unit| waiting.get_mut(unit)) else {
            return write(report.into_iter().collect());
        };
        // The same report may be named twice.
        found.extend(report.filter(|report| !found.contains(report)));
        *rest = rest.saturating_sub(1);
        if *rest == 0 {
            write(std::mem::take(found));
        }
    });
    written?;
    save(&folder.join("index.html"), index::index(&pages, &errors))?;
    Ok(errors)
}

/// A source, as it was compiled: two of one name are not always the same.
#[derive(PartialEq, Eq, Hash)]
struct Unit {
    source: String,
    fnv1a: String,
}

impl Unit {
    /// None of a report that does not say what its source was like, which has a page of its own.
    fn of(report: &Report) -> Option<Unit> {
        let main = report.sources.iter().find(|source| source.file == report.source)?;
        Some(Unit { source: main.file.clone(), fnv1a: main.fnv1a.clone() })
    }
}

fn save(path: &Path, page: Markup) -> Result<()> {
    Ok(files::replace(path, text_of(page).as_bytes(), PAGE)?)
}

/// Names of pages: each is given once, also where the file system does not tell capital letters from small ones.
struct Names(HashMap<String, u32>);

impl Default for Names {
    fn default() -> Names {
        Names(HashMap::from([("index".to_owned(), 1)]))
    }
}

impl Names {
    fn of(&mut self, report: &Report) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let plain: String = report.source.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        // The end of a path says more than its start.
        let tail = &plain[plain.len().saturating_sub(MAX_NAME)..];
        let name = tail.trim_start_matches(['.', '_']);
        let times = self.0.entry(name.to_ascii_lowercase()).or_insert(0);
        *times += 1;
        match *times {
            1 => format!("{name}.html"),
            // A file name cannot have a tilde of its own, so this name is new.
            n => format!("{name}~{n}.html"),
        }
    }
}
