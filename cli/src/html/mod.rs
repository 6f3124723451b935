//! Reports as pages: one for each compilation, that needs no other file, and an index.

mod detail;
mod entries;
mod example;
mod index;
mod markup;
mod page;
mod picture;
mod region;
mod source;
mod warp;
mod words;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ipda_models::report::{Report, Side};

pub use source::Roots;

use crate::input;

/// Longest part of a page's name that comes from the source's name, in characters.
const MAX_NAME: usize = 100;

/// Writes the pages of the reports at `paths` into `folder`, which is made if need be, and returns how many there are and what could
/// not be read.
///
/// # Errors
/// Where a page cannot be written.
pub fn write(folder: &Path, paths: &[PathBuf], roots: &Roots) -> Result<(usize, Vec<anyhow::Error>)> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut names = Names::default();
    let mut pages = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        let files = input::files_of(path).unwrap_or_else(|error| {
            errors.push(error);
            Vec::new()
        });
        // One report after the other: thousands of them need no more memory than the largest.
        for file in files {
            match input::read(&file) {
                Ok(report) => {
                    let name = names.of(&report);
                    let roots = roots.with(file.parent());
                    let (page, summary) = page::page(&report, &roots);
                    save(&folder.join(&name), page.as_str())?;
                    pages.push((name, summary));
                }
                Err(error) => errors.push(error),
            }
        }
    }
    save(&folder.join("index.html"), index::index(&pages, &errors).as_str())?;
    Ok((pages.len(), errors))
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
