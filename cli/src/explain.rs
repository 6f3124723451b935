//! `ipda explain FILE:LINE[:COLUMN]`: what was found at a place in the source, step by step, and what would make it better.

mod access;
mod advice;
mod json;
mod loops;
mod source;
pub mod terms;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;

use clap::ValueEnum;
use serde_json::Value;

use crate::action::State;
use crate::findings::{Finder, Finding};
use ipda_models::report::{Branch, Location, Loop, Region, RegionKind, Reject, Report};

use crate::input;
use crate::report::UNREADABLE;
use crate::select::is_same_file;
use crate::select::values::Values;
use crate::view::{Page, Text, Tone};

use access::Group;
pub use advice::of_reject;
use source::Sources;

/// The indentation of what is said about a thing.
const INDENT: usize = 2;
/// Columns of the labels.
const LABEL: usize = 12;
/// Nearest lines that are named where nothing is known of a line.
const MOST_NEAREST: usize = 5;

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    file: String,
    line: u32,
    column: Option<u32>,
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let expected = "expected FILE:LINE or FILE:LINE:COLUMN, such as gemm.c:17:34";
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let (before, last) = text.rsplit_once(':').ok_or(expected)?;
        let last = number(last).ok_or(expected)?;
        let (file, line, column) = match before.rsplit_once(':').and_then(|(file, line)| Some((file, number(line)?))) {
            Some((file, line)) => (file, line, Some(last)),
            None => (before, last, None),
        };
        if file.is_empty() { Err(expected.into()) } else { Ok(Place { file: file.into(), line, column }) }
    }
}

/// What is asked.
pub struct Request<'a> {
    /// Where.
    pub place: &'a Place,
    /// Report files and folders.
    pub reports: &'a [PathBuf],
    /// What the user gives.
    pub values: &'a Values,
    /// The page.
    pub page: &'a Page,
    /// In which form.
    pub format: Format,
}

/// How the explanation is written.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people, on a terminal.
    Text,
    /// A JSON document.
    Json,
}

/// Prints the explanation.
pub fn run(request: &Request<'_>) -> ExitCode {
    let Request { place, reports, values, page, format } = request;
    let mut found = Found::default();
    let mut finder = Finder::new(reports);
    let mut all = 0_usize;
    let mut sources = Sources::new(Path::new(&place.file), reports);
    let errors = input::for_each(reports, |report| {
        all += 1;
        found.add(&report, request, &mut sources, &mut finder);
    });
    let mut is_told = !found.texts.is_empty();
    let mut notes = Text::new(page);
    for file in sources.changed() {
        notes.line(Tone::Doubtful, &format!("{file} has changed since it was compiled"));
        notes
            .wrapped(INDENT, "what follows is of the earlier text, whose lines may have been others: compile it again");
        notes.blank();
    }
    let text = match format {
        Format::Text => notes.finish() + &found.text(place, page, &mut is_told, all),
        Format::Json => crate::formats::json::text(&json::document(place, &found.records, &found.findings)),
    };
    let written = crate::terminal::print(&text);
    for error in &errors {
        crate::complain(error);
    }
    for warning in values.warnings() {
        crate::complain(&anyhow::Error::msg(warning));
    }
    match written {
        Err(error) => {
            crate::complain(&error);
            ExitCode::from(UNREADABLE)
        }
        _ if errors.is_empty() && is_told => ExitCode::SUCCESS,
        _ => ExitCode::from(UNREADABLE),
    }
}

/// What the reports have at a place, and near it.
#[derive(Default)]
struct Found {
    /// Each text once, with the targets that it holds for.
    texts: Vec<(String, Vec<String>)>,
    /// What is where else in the file.
    near: BTreeMap<u32, String>,
    /// What there is to do about the regions here, each once.
    findings: Vec<Finding>,
    /// The same for programs.
    records: Vec<Value>,
}

impl Found {
    fn add(&mut self, report: &Report, request: &Request<'_>, sources: &mut Sources, finder: &mut Finder) {
        let Request { place, values, page, .. } = request;
        let is_in_file = |location: &Location| is_same_file(&location.file, &place.file) && location.line > 0;
        let mut here: Vec<(u32, Subject<'_>)> = Vec::new();
        for region in &report.regions {
            for subject in subjects(region, report) {
                let Some(location) = subject.location() else { continue };
                if !is_in_file(location) {
                    continue;
                }
                if location.line == place.line {
                    here.push((location.column, subject));
                } else {
                    self.near.entry(location.line).or_insert_with(|| subject.name());
                }
            }
        }
        for reject in &report.rejects {
            if let Some(location) = reject.location.as_ref().filter(|location| is_in_file(location)) {
                if location.line == place.line {
                    here.push((location.column, Subject::Reject(reject)));
                } else {
                    self.near.entry(location.line).or_insert_with(|| "what was not understood".into());
                }
            }
        }
        if !here.is_empty() {
            sources.compare(report);
        }
        let mut chosen = said_once(at_column(here, place.column));
        // What stands in the way of better loops is told once, behind the accesses.
        let mut waiting: Vec<&Region> = Vec::new();
        for subject in &chosen {
            if let Subject::Access(group) = subject
                && group.waits_for_a_change(values)
                && !waiting.iter().any(|region| std::ptr::eq(*region, group.region))
            {
                waiting.push(group.region);
            }
        }
        chosen.extend(waiting.into_iter().map(Subject::Change));
        let mut regions: Vec<&Region> = chosen.iter().filter_map(Subject::region).collect();
        regions.dedup_by(|a, b| std::ptr::eq(*a, *b));
        self.findings.extend(regions.iter().flat_map(|region| finder.of_one(region, report, values)));
        self.records.extend(chosen.iter().filter_map(|subject| subject.record(report, values)));
        for subject in chosen {
            let mut out = Text::new(page);
            subject.write(&mut out, sources, values);
            let text = out.finish();
            let target = format!("{} for {}", report.hardware.name, report.target);
            match self.texts.iter_mut().find(|(other, _)| *other == text) {
                Some((_, targets)) if targets.contains(&target) => {}
                Some((_, targets)) => targets.push(target),
                None => self.texts.push((text, vec![target])),
            }
        }
    }

    fn text(self, place: &Place, page: &Page, is_told: &mut bool, reports: usize) -> String {
        let mut out = Text::new(page);
        if !self.texts.is_empty() {
            let first = &self.texts[0].1;
            let differ = self.texts.iter().any(|(_, targets)| targets != first);
            let mut result = String::new();
            for (text, targets) in &self.texts {
                if differ {
                    let mut heading = Text::new(page);
                    heading.line(Tone::Faint, &format!("counted for {}", targets.join(", ")));
                    result += &heading.finish();
                }
                result += text;
            }
            return result + &to_do(&self.findings, page);
        }
        *is_told = false;
        if reports == 0 {
            out.wrapped(
                0,
                "there is no report: compile with the plugin and IPDA_REPORT, and name the report with --report",
            );
            return out.finish();
        }
        if self.near.is_empty() {
            out.wrapped(0, &format!("no report says anything about {}", place.file));
            out.wrapped(0, "is the file compiled with the plugin, and with IPDA_REPORT? --report names its report");
            return out.finish();
        }
        out.wrapped(
            0,
            &format!("nothing is told of {}:{}; the nearest lines of which something is told:", place.file, place.line),
        );
        let mut lines: Vec<(&u32, &String)> = self.near.iter().collect();
        lines.sort_by_key(|(line, _)| line.abs_diff(place.line));
        lines.truncate(MOST_NEAREST);
        lines.sort();
        for (line, name) in lines {
            out.wrapped(INDENT, &format!("{}:{line}: {name}", place.file));
        }
        out.finish()
    }
}

/// What there is to do about the regions of a place, as the report's tables say it.
fn to_do(findings: &[Finding], page: &Page) -> String {
    let mut out = Text::new(page);
    if findings.is_empty() {
        return out.finish();
    }
    out.line(Tone::Bold, "What to do");
    for Finding { action, .. } in findings {
        let tone = if action.state == State::Todo { Tone::Bad } else { Tone::Plain };
        out.hanging(INDENT, LABEL, tone, &action.place(), &action.sentence());
        if let Some(text) = &action.in_source {
            out.labelled(INDENT, LABEL, "", Tone::Plain, &format!("in the source: {text}"));
        }
    }
    out.blank();
    out.finish()
}

/// Those at the column; without one there, those of the nearest column to the left; without a column, all.
fn at_column(here: Vec<(u32, Subject<'_>)>, column: Option<u32>) -> Vec<Subject<'_>> {
    let chosen = column.and_then(|column| {
        let to_the_left = here.iter().map(|(at, _)| *at).filter(|&at| at <= column).max();
        to_the_left.or_else(|| here.iter().map(|(at, _)| *at).min())
    });
    here.into_iter().filter(|(at, _)| chosen.is_none_or(|chosen| *at == chosen)).map(|(_, subject)| subject).collect()
}

/// Accesses of which the same is to be said are told of with the first.
fn said_once(subjects: Vec<Subject<'_>>) -> Vec<Subject<'_>> {
    let mut told: Vec<Subject<'_>> = Vec::new();
    for subject in subjects {
        if let Subject::Access(group) = &subject {
            let same = told.iter_mut().find_map(|other| match other {
                Subject::Access(first) if first.is_like(group) => Some(first),
                _ => None,
            });
            if let Some(first) = same {
                first.alike.push(group.name_with_place());
                continue;
            }
        }
        told.push(subject);
    }
    told
}

/// Something that can be explained.
enum Subject<'a> {
    Region(&'a Region, &'a Report),
    Access(Group<'a>),
    Loop(&'a Loop, &'a Region, &'a Report),
    Branch(&'a Branch, &'a Region, &'a Report),
    Reject(&'a Reject),
    Change(&'a Region),
}

/// All that a region has, in the order of the source.
fn subjects<'a>(region: &'a Region, report: &'a Report) -> Vec<Subject<'a>> {
    let mut all = vec![Subject::Region(region, report)];
    all.extend(region.loops.iter().map(|each| Subject::Loop(each, region, report)));
    let mut groups: Vec<Group<'a>> = Vec::new();
    for access in &region.accesses {
        match groups.iter_mut().find(|group| group.takes(access, region)) {
            Some(group) => group.accesses.push(access),
            None => groups.push(Group { accesses: vec![access], alike: Vec::new(), region, report }),
        }
    }
    groups.sort_by_key(|group| group.accesses[0].location.as_ref().map(|location| (location.line, location.column)));
    all.extend(groups.into_iter().map(Subject::Access));
    // That a loop ends is told with the loop, if it is told there.
    let is_told = |branch: &&Branch| {
        branch.ends_loop
            && region
                .loops
                .iter()
                .any(|each| branch.in_loop.as_ref() == Some(&each.id) && each.location == branch.location)
    };
    let conditions = region.branches.iter().filter(|branch| !is_told(branch));
    all.extend(conditions.map(|branch| Subject::Branch(branch, region, report)));
    all.extend(region.rejects.iter().map(Subject::Reject));
    all
}

impl Subject<'_> {
    fn location(&self) -> Option<&Location> {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => Some(&region.location),
            Subject::Access(group) => group.accesses[0].location.as_ref(),
            Subject::Loop(each, ..) => each.location.as_ref(),
            Subject::Branch(branch, ..) => branch.location.as_ref(),
            Subject::Reject(reject) => reject.location.as_ref(),
        }
    }

    fn region(&self) -> Option<&Region> {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => Some(region),
            Subject::Access(group) => Some(group.region),
            Subject::Loop(_, region, _) | Subject::Branch(_, region, _) => Some(region),
            Subject::Reject(_) => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Subject::Region(region, _) | Subject::Change(region) => region_name(region),
            Subject::Access(group) => group.name(),
            Subject::Loop(each, ..) => loop_name(each),
            Subject::Branch(..) => "a condition".into(),
            Subject::Reject(reject) => reject.reason.clone(),
        }
    }

    fn write(&self, out: &mut Text, sources: &mut Sources, values: &Values) {
        match self {
            Subject::Region(region, report) => loops::write_region(out, sources, region, report, values),
            Subject::Access(group) => group.write(out, sources, values),
            Subject::Loop(each, region, report) => loops::write_loop(out, sources, each, region, report),
            Subject::Branch(branch, region, report) => loops::write_branch(out, sources, branch, region, report),
            Subject::Reject(reject) => loops::write_reject(out, sources, reject),
            Subject::Change(region) => loops::write_open_change(out, sources, region),
        }
    }
}

/// What people call a region.
fn region_name(region: &Region) -> String {
    let what = match region.kind {
        RegionKind::Target => "target region of",
        RegionKind::Kernel => "kernel",
    };
    format!("{what} {} ({})", region.function, region.location)
}

/// What people call a loop.
pub fn loop_name(each: &Loop) -> String {
    let line = each.location.as_ref().map(|location| format!(" (line {})", location.line)).unwrap_or_default();
    match &each.variable {
        Some(variable) => format!("loop over {variable}{line}"),
        None => format!("{}{line}", each.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read() {
        let place = |file: &str, line, column| Place { file: file.into(), line, column };
        assert_eq!("a.c:7".parse(), Ok(place("a.c", 7, None)));
        assert_eq!("a.c:7:12".parse(), Ok(place("a.c", 7, Some(12))));
        assert_eq!("c:a.c:7".parse(), Ok(place("c:a.c", 7, None)));
        for bad in ["a.c", "a.c:x", ":7", "a.c:0"] {
            bad.parse::<Place>().expect_err(bad);
        }
    }
}
