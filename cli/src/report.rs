//! `ipda report`: what the reports hold, for people and for programs, and the rules that a build must keep.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::anyhow;
use ipda_hwdb::Gpu;
use ipda_models::report::Report;

use crate::document::Extent;
use crate::document::terminal::Page;
use crate::findings::{Finder, Finding};
use crate::formats::{self, Format, Head, Rows};
use crate::gate::Rule;
use crate::input;
use crate::select::rows::{Kind, List};
use crate::select::totals::Totals;
use crate::select::{Query, Unseen};
use crate::terminal::{RULE_BROKEN, UNREADABLE, WRONG_COMMAND, complain};
use crate::view::{self, Line, Shown};

/// From more regions on, only the summary is printed, unless all are asked for.
const MAX_PAGES: usize = 24;
/// Accesses in the list of what costs most.
const COSTLY_ACCESSES: usize = 10;

/// Files that cannot be read, and are named.
const MAX_ERRORS: usize = 20;

/// What is printed.
pub struct Request<'a> {
    /// Report files and folders.
    pub paths: &'a [PathBuf],
    /// What of them.
    pub query: &'a Query,
    /// In which form.
    pub format: Format,
    /// Lists instead of everything.
    pub only: Option<Kind>,
    /// Whether every region's tables are printed, however many there are.
    pub all: bool,
    /// The device whose roofs kernels are held against.
    pub gpu: Option<&'a Gpu>,
    /// What must hold.
    pub rules: &'a [Rule],
    /// How much of them is reported to people.
    pub extent: Extent,
    /// Their page.
    pub page: &'a Page,
}

/// Reads, prints, checks the rules.
pub fn run(request: &Request<'_>) -> ExitCode {
    let (mut collected, mut errors) = collect(request);
    let mut out = BufWriter::new(crate::terminal::output());
    let written = collected.write(request, &mut out).and_then(|()| out.flush());
    match written {
        // A reader that has seen enough closes the pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => errors.push(anyhow::Error::new(error).context("cannot write the output")),
        Ok(()) => {}
    }
    drop(out);
    for error in errors.iter().take(MAX_ERRORS) {
        complain(error);
    }
    if errors.len() > MAX_ERRORS {
        complain(&anyhow!("and {} more such files", errors.len() - MAX_ERRORS));
    }
    for warning in collected.values.warnings() {
        complain(&anyhow::Error::msg(warning));
    }
    // A rule for what is not there would never be broken.
    let no_rule = if request.rules.is_empty() { "" } else { ": no rule was checked for it" };
    let misspelt = collected.unseen.sentences();
    for sentence in &misspelt {
        complain(&anyhow!("{sentence}{no_rule}"));
    }
    let mut is_broken = false;
    for rule in request.rules {
        match rule.check(&collected.totals, request.paths, request.query, &collected.values) {
            Ok(broken) => {
                for sentence in &broken {
                    is_broken = true;
                    complain(&anyhow::Error::msg(sentence.clone()));
                }
            }
            Err(error) => {
                complain(&error);
                errors.push(error);
            }
        }
    }
    match () {
        () if !errors.is_empty() => ExitCode::from(UNREADABLE),
        () if !misspelt.is_empty() => ExitCode::from(WRONG_COMMAND),
        () if is_broken => ExitCode::from(RULE_BROKEN),
        () => ExitCode::SUCCESS,
    }
}

/// What the output needs, and no more of the reports.
struct Collected {
    values: crate::select::values::Values,
    unseen: Unseen,
    totals: Totals,
    lists: Vec<List>,
    lines: Vec<Line>,
    regions: usize,
    reports: Vec<Report>,
    findings: Vec<Finding>,
}

fn collect(request: &Request<'_>) -> (Collected, Vec<anyhow::Error>) {
    let Request { paths, query, format, only, all, gpu, .. } = request;
    let is_page = *format == Format::Table && only.is_none();
    let most = if *format == Format::Table { query.rows_for_people() } else { query.rows_for_programs() };
    let lists = match (format, only) {
        (_, Some(kind)) => vec![List::new(*kind, query, most)],
        (Format::Table, None) => vec![List::new(Kind::Accesses, query, COSTLY_ACCESSES.min(most))],
        (Format::Csv, None) => vec![List::new(Kind::Accesses, query, most)],
        (Format::Md, None) => [Kind::Regions, Kind::Accesses].map(|kind| List::new(kind, query, most)).into(),
        (Format::Json | Format::Yaml, None) => {
            let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Rooflines || gpu.is_some());
            kinds.map(|kind| List::new(kind, query, most)).collect()
        }
        (Format::Sarif | Format::Gcc | Format::Codequality, None) => Vec::new(),
    };
    let mut collected = Collected {
        values: query.values(),
        unseen: query.regions.unseen(),
        totals: Totals::default(),
        lists,
        lines: Vec::new(),
        regions: 0,
        reports: Vec::new(),
        findings: Vec::new(),
    };
    let mut finder = Finder::new(paths);
    let has_findings = format.is_of_findings() || collected.lists.iter().any(|list| list.kind == Kind::Actions);
    let errors = input::for_each(paths, |mut report| {
        let Collected { values, unseen, totals, lists, lines, regions, reports, findings } = &mut collected;
        unseen.see(&report);
        if !query.narrow(&mut report, values) {
            return;
        }
        totals.add(&Totals::of_file(&report));
        for region in &report.regions {
            *regions += 1;
            let line = Line::of(*regions, region, &report, values);
            totals.add(line.totals());
            if is_page {
                lines.push(line);
            }
        }
        lists.iter_mut().for_each(|list| list.add(&report, values, *gpu));
        if has_findings {
            let found = finder.of(&report, values);
            lists
                .iter_mut()
                .filter(|list| list.kind == Kind::Actions)
                .for_each(|list| list.add_findings(&report, &found));
            if format.is_of_findings() {
                findings.extend(found);
            }
        }
        view::keep_worst(lines, query, most);
        if is_page && (*all || *regions <= MAX_PAGES) {
            reports.push(report);
        } else if !*all {
            *reports = Vec::new();
        }
    });
    (collected, errors)
}

impl Collected {
    fn write(&mut self, request: &Request<'_>, out: &mut impl Write) -> io::Result<()> {
        let Collected { values, totals, lists, lines, regions, reports, findings, .. } = self;
        if request.format.is_of_findings() {
            return formats::write_findings(out, request.format, findings);
        }
        let tables = lists.iter_mut().map(|list| {
            let rows = list.finish();
            Rows { kind: list.kind, left_out: list.seen - rows.len(), rows }
        });
        let tables: Vec<Rows> = tables.collect();
        if request.format != Format::Table {
            let head = Head { totals: totals.clone(), basis: totals.basis_sentence(values) };
            return formats::write(out, request.format, &head, &tables);
        }
        if totals.files == 0 {
            let text = "nothing in the reports is what was asked for\n";
            // Of a name that is misspelt, the complaint says more.
            let is_reported = request.query.filters() && self.unseen.sentences().is_empty();
            return out.write_all(if is_reported { text } else { "" }.as_bytes());
        }
        let shown = Shown {
            totals,
            values,
            lines,
            regions: *regions,
            reports,
            gpu: request.gpu,
            list: &tables[0],
            is_list_only: request.only.is_some(),
            sort: request.query.sort,
        };
        out.write_all(view::render(shown, request.extent).on(request.page).as_bytes())
    }
}
