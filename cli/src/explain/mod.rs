//! `ipda explain FILE:LINE[:COLUMN]`: what was found at a place in the source, step by step, and what would make it better.

mod access;
mod json;
mod loops;
mod place;
mod source;
mod subject;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde_json::Value;

use crate::action::State;
use crate::findings::{Finder, Finding};
use ipda_models::report::{Location, Region, Report};

use crate::document::terminal::Page;
use crate::document::{Document, Tone};
use crate::input;
use crate::select::is_same_file;
use crate::select::values::Values;
use crate::terminal::UNREADABLE;

pub use place::Place;

use source::{INDENT, LABEL, Sources};
use subject::{Subject, subjects};

/// Nearest lines that are named where nothing is known of a line.
const MAX_NEAREST: usize = 5;

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
    /// Markdown.
    Md,
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
    let is_reported = !found.texts.is_empty();
    let mut notes = Document::default();
    for file in sources.changed() {
        notes.line(Tone::Doubtful, format!("{file} has changed since it was compiled"));
        notes
            .wrapped(INDENT, "what follows is of the earlier text, whose lines may have been others: compile it again");
        notes.blank();
    }
    let text = match format {
        Format::Text | Format::Md => {
            notes.append(&mut found.document(place, all));
            if *format == Format::Md { notes.in_markdown() } else { notes.on(page) }
        }
        Format::Json => crate::formats::json::text(&json::document(place, &found.records, &found.findings)),
    };
    let written = crate::terminal::print(&text);
    for error in &errors {
        crate::terminal::complain(error);
    }
    for warning in values.warnings() {
        crate::terminal::complain(&anyhow::Error::msg(warning));
    }
    match written {
        Err(error) => {
            crate::terminal::complain(&error);
            ExitCode::from(UNREADABLE)
        }
        _ if errors.is_empty() && is_reported => ExitCode::SUCCESS,
        _ => ExitCode::from(UNREADABLE),
    }
}

/// What the reports have at a place, and near it.
#[derive(Default)]
struct Found {
    /// Each text once, with the targets that it holds for.
    texts: Vec<(Document, Vec<String>)>,
    /// What is where else in the file.
    near: BTreeMap<u32, String>,
    /// What there is to do about the regions here, each once.
    findings: Vec<Finding>,
    /// The same for programs.
    records: Vec<Value>,
}

impl Found {
    fn add(&mut self, report: &Report, request: &Request<'_>, sources: &mut Sources, finder: &mut Finder) {
        let Request { place, values, .. } = request;
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
        // What stands in the way of better loops is reported once, behind the accesses.
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
            let mut out = Document::default();
            subject.write(&mut out, sources, values);
            let target = format!("{} for {}", report.hardware.name, report.target);
            match self.texts.iter_mut().find(|(other, _)| *other == out) {
                Some((_, targets)) if targets.contains(&target) => {}
                Some((_, targets)) => targets.push(target),
                None => self.texts.push((out, vec![target])),
            }
        }
    }

    fn document(mut self, place: &Place, reports: usize) -> Document {
        let mut out = Document::default();
        if let Some((_, first)) = self.texts.first() {
            let differ = self.texts.iter().any(|(_, targets)| targets != first);
            for (text, targets) in &mut self.texts {
                if differ {
                    out.line(Tone::Faint, format!("counted for {}", targets.join(", ")));
                }
                out.append(text);
            }
            to_do(&mut out, &self.findings);
            return out;
        }
        if reports == 0 {
            out.wrapped(
                0,
                "there is no report: compile with the plugin and IPDA_REPORT, and name the report with --report",
            );
            return out;
        }
        if self.near.is_empty() {
            out.wrapped(0, &format!("no report says anything about {}", place.file));
            out.wrapped(0, "is the file compiled with the plugin, and with IPDA_REPORT? --report names its report");
            return out;
        }
        out.wrapped(
            0,
            &format!(
                "nothing is reported about {}:{}; the nearest lines of which something is reported:",
                place.file, place.line
            ),
        );
        let mut lines: Vec<(&u32, &String)> = self.near.iter().collect();
        lines.sort_by_key(|(line, _)| line.abs_diff(place.line));
        lines.truncate(MAX_NEAREST);
        lines.sort();
        for (line, name) in lines {
            out.wrapped(INDENT, &format!("{}:{line}: {name}", place.file));
        }
        out
    }
}

/// What there is to do about the regions of a place, as the report's tables say it.
fn to_do(out: &mut Document, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    out.heading("What to do");
    for Finding { action, .. } in findings {
        let tone = if action.state == State::Todo { Tone::Bad } else { Tone::Plain };
        out.hanging(INDENT, LABEL, tone, &action.place(), &action.sentence());
        if let Some(text) = &action.in_source {
            out.labelled(INDENT, LABEL, "", Tone::Plain, &format!("in the source: {text}"));
        }
    }
    out.blank();
}

/// Those at the column; without one there, those of the nearest column to the left; without a column, all.
fn at_column(here: Vec<(u32, Subject<'_>)>, column: Option<u32>) -> Vec<Subject<'_>> {
    let chosen = column.and_then(|column| {
        let to_the_left = here.iter().map(|(at, _)| *at).filter(|&at| at <= column).max();
        to_the_left.or_else(|| here.iter().map(|(at, _)| *at).min())
    });
    here.into_iter().filter(|(at, _)| chosen.is_none_or(|chosen| *at == chosen)).map(|(_, subject)| subject).collect()
}

/// Accesses of which the same is to be said are merged with the first.
fn said_once(subjects: Vec<Subject<'_>>) -> Vec<Subject<'_>> {
    let mut reported: Vec<Subject<'_>> = Vec::new();
    for subject in subjects {
        if let Subject::Access(group) = &subject {
            let same = reported.iter_mut().find_map(|other| match other {
                Subject::Access(first) if first.is_like(group) => Some(first),
                _ => None,
            });
            if let Some(first) = same {
                first.alike.push(group.name_with_place());
                continue;
            }
        }
        reported.push(subject);
    }
    reported
}
