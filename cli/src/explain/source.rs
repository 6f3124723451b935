//! Lines of the user's source, with a mark below what is meant.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ipda_models::files;
use ipda_models::report::{Location, Report, SourceState};

use crate::document::{Document, Tone};
use crate::select::is_same_file;

/// The indentation of what is said about a thing.
pub const INDENT: usize = 2;
/// Columns of the labels.
pub const LABEL: usize = 12;
/// A file that is longer is hardly a source.
const MAX_BYTES: u64 = 16 << 20;

/// Source files that were looked for, each once.
pub struct Sources {
    /// The file as the user names it.
    named: PathBuf,
    /// Folders that reports are in: paths may be relative to them.
    folders: Vec<PathBuf>,
    read: HashMap<String, Option<File>>,
    /// Files that are not what was compiled.
    changed: BTreeSet<String>,
}

struct File {
    bytes: Vec<u8>,
    lines: Vec<String>,
}

impl Sources {
    /// With the file that the user asks about, and the folders of the reports.
    pub fn new(named: &Path, reports: &[PathBuf]) -> Sources {
        let folder =
            |path: &PathBuf| if path.is_dir() { Some(path.clone()) } else { path.parent().map(Path::to_owned) };
        let folders = reports.iter().filter_map(folder).collect();
        Sources { named: named.to_owned(), folders, read: HashMap::new(), changed: BTreeSet::new() }
    }

    /// Writes a line of the source with a mark below its column; nothing where the file is not there.
    pub fn write(&mut self, out: &mut Document, indent: usize, location: &Location) {
        let Some(line) = self.line(location) else { return };
        let number = location.line.to_string();
        // A tab is as wide as a blank, above and below.
        let shown = line.replace('\t', " ");
        let start = shown.chars().take_while(|c| c.is_whitespace()).count();
        let text: String = shown.chars().skip(start).collect();
        let mut lines = vec![(Tone::Plain, format!("{number} | {text}"))];
        let before = line.get(..location.column.saturating_sub(1) as usize).map(|before| before.chars().count());
        let at = before.filter(|_| location.column > 0).and_then(|at| at.checked_sub(start));
        if let Some(at) = at.filter(|at| *at <= text.chars().count()) {
            lines.push((Tone::Bold, format!("{:1$}| {2:3$}^", "", number.len() + 1, "", at)));
        }
        out.code(indent, lines);
    }

    fn line(&mut self, location: &Location) -> Option<String> {
        let lines = &self.file(&location.file)?.lines;
        lines.get(usize::try_from(location.line).ok()?.checked_sub(1)?).cloned()
    }

    /// Compares the source that the user asks about with what a report was made of.
    pub fn compare(&mut self, report: &Report) {
        let named = self.named.to_string_lossy().into_owned();
        for source in report.sources.iter().filter(|source| is_same_file(&named, &source.file)) {
            let state = self.file(&source.file).map(|file| report.state_of(&source.file, &file.bytes));
            if state == Some(SourceState::Changed) {
                self.changed.insert(source.file.clone());
            }
        }
    }

    /// The files that are not what was compiled, as far as was looked.
    pub fn changed(&self) -> impl Iterator<Item = &str> {
        self.changed.iter().map(String::as_str)
    }

    fn file(&mut self, file: &str) -> Option<&File> {
        if !self.read.contains_key(file) {
            let read = self.find(file).map(|bytes| {
                let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
                File { bytes, lines }
            });
            self.read.insert(file.to_owned(), read);
        }
        self.read.get(file)?.as_ref()
    }

    fn find(&self, file: &str) -> Option<Vec<u8>> {
        let named = is_same_file(&self.named.to_string_lossy(), file).then(|| self.named.clone());
        let beside = self.folders.iter().map(|folder| folder.join(file));
        named.into_iter().chain([PathBuf::from(file)]).chain(beside).find_map(|path| files::read(&path, MAX_BYTES).ok())
    }
}
