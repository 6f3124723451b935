//! Reports as pages: one for each compilation, that needs no other file, and an index.

mod curve;
mod detail;
mod entries;
mod index;
mod markup;
mod page;
mod picture;
mod region;
mod source;
mod times;
mod warp;
mod words;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ipda_models::report::{Report, Side};

pub use source::Roots;
pub use times::MachineNames;

use crate::input;
use crate::select::Query;

/// What pages need besides reports.
pub struct Options {
    /// Where sources are.
    pub roots: Roots,
    /// What times are predicted for.
    pub machines: MachineNames,
}

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
    // One report after the other: thousands of them need no more memory than the largest.
    let errors = input::for_each(paths, |mut report| {
        if written.is_err() || !query.narrow(&mut report, &values) {
            return;
        }
        let name = names.of(&report);
        let (page, summary) = page::page(&report, options, &values);
        written = save(&folder.join(&name), page.as_str());
        pages.push((name, summary));
    });
    written?;
    save(&folder.join("index.html"), index::index(&pages, &errors).as_str())?;
    Ok(errors)
}

fn save(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Names of pages: each is given once, also where the file system does not tell capital letters from small ones.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn of(&mut self, report: &Report) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let plain: String = report.source.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        // The end of a path tells more than its start.
        let tail = &plain[plain.len().saturating_sub(MAX_NAME)..];
        let side = match report.side {
            Side::Host => "host",
            Side::Device => "device",
        };
        let name = format!("{}-{side}", tail.trim_start_matches(['.', '_']));
        let times = self.0.entry(name.to_ascii_lowercase()).or_insert(0);
        *times += 1;
        match *times {
            1 => format!("{name}.html"),
            // A file name cannot have a tilde of its own, so this name is new.
            n => format!("{name}~{n}.html"),
        }
    }
}
