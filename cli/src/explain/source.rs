//! Lines of the user's source, with a mark below what is meant.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use ipda_models::report::Location;

use crate::select::is_same_file;
use crate::view::{Text, Tone};

/// Source files that were looked for, each once.
pub struct Sources {
    /// The file as the user names it.
    named: PathBuf,
    /// Folders that reports are in: paths may be relative to them.
    folders: Vec<PathBuf>,
    read: HashMap<String, Option<Vec<String>>>,
}

impl Sources {
    /// With the file that the user asks about, and the folders of the reports.
    pub fn new(named: &Path, reports: &[PathBuf]) -> Sources {
        let folder =
            |path: &PathBuf| if path.is_dir() { Some(path.clone()) } else { path.parent().map(Path::to_owned) };
        Sources { named: named.to_owned(), folders: reports.iter().filter_map(folder).collect(), read: HashMap::new() }
    }

    /// Writes a line of the source with a mark below its column; nothing where the file is not there.
    pub fn write(&mut self, out: &mut Text, indent: usize, location: &Location) {
        let Some(line) = self.line(location) else { return };
        let number = location.line.to_string();
        // A tab is as wide as a blank, above and below.
        let shown = line.replace('\t', " ");
        let start = shown.chars().take_while(|c| c.is_whitespace()).count();
        let text: String = shown.chars().skip(start).collect();
        out.line(Tone::Plain, &format!("{:indent$}{number} | {text}", ""));
        let before = line.get(..location.column.saturating_sub(1) as usize).map(|before| before.chars().count());
        let Some(at) = before.filter(|_| location.column > 0).and_then(|at| at.checked_sub(start)) else { return };
        if at <= text.chars().count() {
            out.line(Tone::Bold, &format!("{:1$}| {2:3$}^", "", indent + number.len() + 1, "", at));
        }
    }

    fn line(&mut self, location: &Location) -> Option<String> {
        if !self.read.contains_key(&location.file) {
            let lines = self.find(&location.file).map(|text| text.lines().map(str::to_owned).collect());
            self.read.insert(location.file.clone(), lines);
        }
        let lines = self.read.get(&location.file)?.as_ref()?;
        lines.get(usize::try_from(location.line).ok()?.checked_sub(1)?).cloned()
    }

    fn find(&self, file: &str) -> Option<String> {
        let named = is_same_file(&self.named.to_string_lossy(), file).then(|| self.named.clone());
        let beside = self.folders.iter().map(|folder| folder.join(file));
        named.into_iter().chain([PathBuf::from(file)]).chain(beside).find_map(|path| fs::read_to_string(path).ok())
    }
}
