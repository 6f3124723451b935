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

/// The directives of all reports, in the order in which these name them.
pub fn directives<'a>(all: &'a [Read]) -> Vec<Directive<'a>> {
    let mut found: Vec<Directive<'a>> = Vec::new();
    let mut in_line: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut directive = |location: &'a Location, report: &'a Report, found: &mut Vec<Directive<'a>>| {
        let place = Place::of(location, report);
        let here: &mut Vec<usize> = in_line.entry(place.line).or_default();
        here.iter().copied().find(|&at| found[at].place.may_be(&place)).unwrap_or_else(|| {
            here.push(found.len());
            found.push(Directive { place, regions: Vec::new(), is_unclear: false });
            found.len() - 1
        })
    };
    for (report, path) in all {
        for region in &report.regions {
            let at = directive(&region.location, report, &mut found);
            found[at].regions.push(Reported { region, report, path });
        }
        for location in report.rejects.iter().filter_map(|reject| reject.location.as_ref()) {
            let at = directive(location, report, &mut found);
            found[at].is_unclear = true;
        }
    }
    found
}
