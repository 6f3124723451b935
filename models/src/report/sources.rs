//! What source files were like when a report was made.

use super::{Location, Report, SourceFile};
use crate::hash::fnv1a;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What a source is to a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceState {
    /// What was compiled.
    Same,
    /// Something else: places in the report may be those of other code.
    Changed,
    /// The report does not say.
    Unknown,
}

impl SourceFile {
    /// Of a file that is there; none of one that cannot be read.
    pub fn read(file: &str) -> Option<SourceFile> {
        let path = Path::new(file);
        // What is no file, such as a pipe, may never end.
        let bytes = fs::metadata(path).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read(path).ok())?;
        Some(SourceFile { file: file.into(), fnv1a: hash(&bytes) })
    }
}

fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", fnv1a(bytes))
}

impl Report {
    /// Notes what the sources are like now that the report names, where they can be read.
    pub fn note_sources(&mut self) {
        self.sources = self.files().into_iter().filter_map(SourceFile::read).collect();
    }

    /// Whether a source is still what was compiled, by its name in the report and its bytes now.
    pub fn state_of(&self, file: &str, bytes: &[u8]) -> SourceState {
        match self.sources.iter().find(|source| source.file == file) {
            Some(source) if source.fnv1a == hash(bytes) => SourceState::Same,
            Some(_) => SourceState::Changed,
            None => SourceState::Unknown,
        }
    }

    /// The files that places are in, the main source among them.
    fn files(&self) -> BTreeSet<&str> {
        let mut files = BTreeSet::from([&self.source[..]]);
        let mut places: Vec<&Location> = self.rejects.iter().filter_map(|reject| reject.location.as_ref()).collect();
        for region in &self.regions {
            places.push(&region.location);
            places.extend(region.loops.iter().filter_map(|each| each.location.as_ref()));
            places.extend(region.branches.iter().filter_map(|branch| branch.location.as_ref()));
            places.extend(region.rejects.iter().filter_map(|reject| reject.location.as_ref()));
            let rests_on =
                region.transformation.iter().flat_map(|reported| &reported.versions).flat_map(|one| &one.rests_on);
            let reasons = region.transformation.iter().flat_map(|reported| reported.obstacles()).chain(rests_on);
            places.extend(reasons.flat_map(|why| &why.locations));
            for access in &region.accesses {
                places.extend(access.location.iter().chain(&access.called_from));
            }
        }
        files.extend(places.into_iter().map(|place| &place.file[..]));
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_authors() {
        // The test vectors of the reference code.
        assert_eq!(hash(b""), "cbf29ce484222325");
        assert_eq!(hash(b"a"), "af63dc4c8601ec8c");
        assert_eq!(hash(b"foobar"), "85944171f73967e8");
    }

    #[test]
    fn folders_and_missing_files_have_no_hash() {
        assert_eq!(SourceFile::read("/"), None);
        assert_eq!(SourceFile::read("/no/such/file.c"), None);
        assert_eq!(SourceFile::read("/dev/null"), None);
    }
}
