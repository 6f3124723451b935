//! What there is to do, for programs: each remedy with the text that makes the change in the source, where `ipda fix` can write it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use ipda_models::files;
use ipda_models::report::{Region, Report, SourceState};
use ipda_models::source::{Request, Source};
use ipda_models::versions::DeviceVersion;

use crate::action::{self, Action, Rule};
use crate::fix::{self, Change, Trust};
use crate::select::values::Values;

/// A source is no longer than that, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// A remedy in a function.
pub struct Finding {
    pub action: Action,
    pub function: String,
    pub fix: Option<Fix>,
}

/// A change of a source file.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What it is, in words.
    pub text: String,
    /// The file, as the report names it.
    pub file: String,
    /// Its pieces.
    pub replacements: Vec<Replacement>,
    /// The same as `patch -p1` takes it.
    pub diff: String,
}

/// Text in place of other text. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    pub start: (usize, usize),
    pub end: (usize, usize),
    pub text: String,
}

/// Finds remedies, and reads the sources that they are for, each once.
pub struct Finder {
    folders: Vec<PathBuf>,
    sources: HashMap<String, Option<Source>>,
    reported: HashSet<(String, u32, u32, &'static str, String)>,
}

impl Finder {
    /// For the reports at these paths: sources are looked for from here and beside the reports.
    pub fn new(reports: &[PathBuf]) -> Finder {
        let folder = |path: &PathBuf| match path.is_dir() {
            true => Some(path.clone()),
            false => path.parent().map(Path::to_owned),
        };
        let folders = std::iter::once(PathBuf::new()).chain(reports.iter().filter_map(folder)).collect();
        Finder { folders, sources: HashMap::new(), reported: HashSet::new() }
    }

    /// Those of a report that no other report had before: a region is compiled for the host and for each device.
    pub fn of(&mut self, report: &Report, values: &Values) -> Vec<Finding> {
        report.regions.iter().flat_map(|region| self.of_one(region, report, values)).collect()
    }

    /// The same of one region.
    pub fn of_one(&mut self, region: &Region, report: &Report, values: &Values) -> Vec<Finding> {
        let mut found = Vec::new();
        for action in action::of_region(region, report, values) {
            let at = &action.location;
            let key = (at.file.clone(), at.line, at.column, action.rule.name(), action.sentence());
            if self.reported.insert(key) {
                let fix = (action.rule == Rule::LoopOrder).then(|| self.fix(region, report)).flatten();
                found.push(Finding { action, function: region.function.clone(), fix });
            }
        }
        found
    }

    /// What `ipda fix` would write for a region: where a change rests on conditions, with an `if` that tests them.
    fn fix(&mut self, region: &Region, report: &Report) -> Option<Fix> {
        let requested: Vec<&DeviceVersion> = fix::requested(region);
        let [reported] = requested[..] else { return None };
        let request = Request::of(region, reported).ok()?;
        let file = request.file().to_owned();
        let source = self.source(&file)?;
        if report.state_of(&file, &source.text) != SourceState::Same {
            return None;
        }
        let try_with = |trust| Change::new((region, reported), &request, source, trust).ok();
        let change = try_with(Trust::Proven).or_else(|| try_with(Trust::Guarded))?;
        let changed = fix::edited(&source.text, &[&change]);
        let diff = String::from_utf8(fix::diff::unified(&file, &source.text, &changed)).ok()?;
        let replacement = |edit: &ipda_models::source::Edit| {
            Some(Replacement {
                start: place_of(&source.text, edit.range.start)?,
                end: place_of(&source.text, edit.range.end)?,
                text: String::from_utf8(edit.text.clone()).ok()?,
            })
        };
        let replacements = change.edits.iter().map(replacement).collect::<Option<Vec<_>>>()?;
        Some(Fix { text: change.text, file, replacements, diff })
    }

    fn source(&mut self, file: &str) -> Option<&Source> {
        if !self.sources.contains_key(file) {
            let read = self.folders.iter().find_map(|folder| files::read(&folder.join(file), MAX_BYTES).ok());
            self.sources.insert(file.to_owned(), read.map(Source::new));
        }
        self.sources.get(file)?.as_ref()
    }
}

/// The line and the column of a byte; none where the line is no text.
fn place_of(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let before = text.get(..at)?;
    let line = before.iter().filter(|&&byte| byte == b'\n').count();
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let column = std::str::from_utf8(&before[start..]).ok()?.chars().count();
    Some((line + 1, column + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "a\n\u{e4}b\n".as_bytes();
        assert_eq!(place_of(text, 0), Some((1, 1)));
        assert_eq!(place_of(text, 4), Some((2, 2)));
        assert_eq!(place_of(text, 6), Some((3, 1)));
        assert_eq!(place_of(text, 3), None);
    }
}
