//! Directives that are compiled more than once: those of templates, of headers, and of sources that are included several times. What is right of one
//! of the regions that they become need not be so of another one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ipda_models::report::{Location, Region, Report};

/// A report, and where it was read.
pub type Read = (Report, PathBuf);

/// A region, and the report that it is in.
#[derive(Clone, Copy)]
pub struct Reported<'a> {
    pub region: &'a Region,
    pub report: &'a Report,
    pub path: &'a Path,
}

/// What the reports say of one directive.
pub struct Directive<'a> {
    place: Place<'a>,
    pub regions: Vec<Reported<'a>>,
    /// Whether it also became a region of which nothing could be said.
    pub is_unclear: bool,
}

/// A directive's place. One file has several names, by the folder in which each unit is compiled: it is known by what is in it.
struct Place<'a> {
    line: u32,
    file: &'a str,
    content: Option<&'a str>,
}

impl<'a> Place<'a> {
    fn of(location: &'a Location, report: &'a Report) -> Place<'a> {
        let source = report.sources.iter().find(|source| source.file == location.file);
        Place { line: location.line, file: &location.file, content: source.map(|source| &source.fnv1a[..]) }
    }

    fn may_be(&self, other: &Place<'_>) -> bool {
        let name = |place: &Place<'_>| Path::new(place.file).file_name().map(ToOwned::to_owned);
        self.line == other.line
            && match (self.content, other.content) {
                (Some(own), Some(other)) => own == other,
                _ => name(self) == name(other),
            }
    }
}

/// What a report says of a place: of a region, or nothing.
type Said<'a> = (Place<'a>, Option<Reported<'a>>);

/// The directives of all reports, in the order in which these name them. What is said of a file of unknown content is said of each that it may be, which
/// are known when all others are.
pub fn directives<'a>(all: &'a [Read]) -> Vec<Directive<'a>> {
    let (known, unknown): (Vec<Said<'a>>, Vec<Said<'a>>) =
        all.iter().flat_map(said).partition(|(place, _)| place.content.is_some());
    let mut found: Vec<Directive<'a>> = Vec::new();
    let mut in_line: HashMap<u32, Vec<usize>> = HashMap::new();
    for (place, reported) in known.into_iter().chain(unknown) {
        let here: &mut Vec<usize> = in_line.entry(place.line).or_default();
        let mut at: Vec<usize> = here.iter().copied().filter(|&at| found[at].place.may_be(&place)).collect();
        if at.is_empty() {
            at.push(found.len());
            here.push(found.len());
            found.push(Directive { place, regions: Vec::new(), is_unclear: false });
        }
        for at in at {
            found[at].regions.extend(reported);
            found[at].is_unclear |= reported.is_none();
        }
    }
    found
}

fn said((report, path): &Read) -> Vec<Said<'_>> {
    let regions = report.regions.iter();
    let regions = regions.map(|region| (Place::of(&region.location, report), Some(Reported { region, report, path })));
    let unclear = report.rejects.iter().filter_map(|reject| reject.location.as_ref());
    regions.chain(unclear.map(|location| (Place::of(location, report), None))).collect()
}
