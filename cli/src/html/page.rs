//! One page: what to look at first, the regions, the source, and the panel with what there is to say about each place.

use std::collections::BTreeSet;

use ipda_models::report::{Class, Report};
use ipda_models::sizes::Sizes;
use maud::{Markup, html};

use super::context::Context;
use super::detail;
use super::entries::{Before, Entries, Kind, Thing};
use super::frame::{filter, frame, theme_switch};
use super::index::Summary;
use super::markup::{said, titles};
use super::picture::Pictures;
use super::source::{self, Roots};
use super::times::{MachineNames, Predictions};
use super::words::{access_name, amount, bar, mark_of, region_name, sentence_case, state};
use crate::action::{self, Action, Rule, State};
use crate::select::cost::Cost;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::words::{self, CLASSES, class_meaning, counted, counted_for, regions_counted};

/// So many rows of a table stand open, the others behind a line to click.
const OPEN_ROWS: usize = 10;
/// Functions of one place that the filter finds.
const NAMED_FUNCTIONS: usize = 8;

/// What pages need besides reports.
pub struct Options {
    /// Where sources are.
    pub roots: Roots,
    /// What times are predicted for.
    pub machines: MachineNames,
}

/// The whole page of the compilations of one source, and their lines of the index.
pub fn page(reports: &[Report], options: &Options, values: &Values) -> (Markup, Vec<Summary>) {
    let values = values.afresh();
    let [first, ..] = reports else { return (Markup::default(), Vec::new()) };
    let (mut pictures, mut summaries, mut before) = (Pictures::default(), Vec::new(), Before::default());
    let (mut panel, mut main) = (Vec::new(), Vec::new());
    for (nth, report) in reports.iter().enumerate() {
        let entries = Entries::of(report, &values, before);
        before = entries.behind();
        let predictions = Predictions::new(&options.machines, report, &values);
        let mut context = Context::new(&entries, predictions, std::mem::take(&mut pictures), &values);
        for (number, entry) in entries.all.iter().enumerate() {
            panel.push(detail::section(number, entry, &mut context));
        }
        let (markup, summary) = one_compilation(&context, options, &values);
        main.push(html! {
            @if reports.len() > 1 {
                h2.unit id={ "c" (nth) } { (said(sentence_case(&crate::view::compilation(report)))) }
                p.sub { (said(sentence_case(&counted_for(&report.hardware)))) "." }
            }
            (markup)
        });
        summaries.push(summary);
        pictures = context.pictures;
    }
    let body = html! {
        (pictures.definitions())
        header {
            p.up { a href="index.html" { "All files" } }
            h1 { (said(&first.source)) }
            @match reports {
                [only] => { p.sub { (said(compilation(only))) ". Written by " (said(&only.tool)) "." } }
                _ => { (contents(reports)) }
            }
            (theme_switch())
        }
        div #grid {
            main {
                @if reports.iter().any(|report| !report.regions.is_empty()) {
                    p.keys #keys {
                        (filter()) " Keys: " kbd { "j" } " next, " kbd { "k" } " previous, " kbd { "Enter" }
                        " to the panel, " kbd { "Esc" } " back."
                    }
                }
                @for each in &main { (each) }
                (legend(first, &values))
            }
            aside #panel aria-label="What is known about the selected place" {
                p.hint { "Choose a mark beside the source, or a row of a table." }
                button #close type="button" { "Close" }
                @for each in &panel { (each) }
            }
        }
    };
    (frame(&first.source, body), summaries)
}

/// The compilations of a page, as links.
fn contents(reports: &[Report]) -> Markup {
    html! {
        nav aria-label="Compilations" {
            p.sub { "Compiled " (reports.len()) " times, by " (said(&reports[0].tool)) ":" }
            ul {
                @for (nth, report) in reports.iter().enumerate() {
                    li { a href={ "#c" (nth) } { (said(compilation(report))) } }
                }
            }
        }
    }
}

/// What one compilation has to say.
fn one_compilation(context: &Context, options: &Options, values: &Values) -> (Markup, Summary) {
    let (entries, report) = (context.entries, context.report());
    let totals: Vec<Totals> = report.regions.iter().map(|region| Totals::of_region(region, report, values)).collect();
    let mut all = Totals::default();
    totals.iter().for_each(|each| all.add(each));
    let actions: Vec<Vec<Action>> =
        report.regions.iter().map(|region| action::of_region(region, report, values)).collect();
    let markup = html! {
        (overview(report, &all, values))
        (to_do(context, &actions))
        @if !entries.all.is_empty() { (source::sections(entries, &options.roots)) }
        (places(entries))
        (regions(context, &totals))
        (context.predictions.roofs())
        @if !report.rejects.is_empty() {
            section { h2 { "Regions that were not analysed" } ul { (context.rejects(&report.rejects)) } }
        }
    };
    (markup, Summary::of(report, all, actions.into_iter().flatten()))
}

fn compilation(report: &Report) -> String {
    format!("{}; {}", sentence_case(&crate::view::compilation(report)), counted_for(&report.hardware))
}

fn overview(report: &Report, totals: &Totals, values: &Values) -> Markup {
    let count = html! { b { (sentence_case(&regions_counted(&report.regions))) } };
    if report.regions.is_empty() {
        let why = if report.rejects.is_empty() {
            "This file has no code for a GPU: there is nothing to show."
        } else {
            "What was found could not be analysed; the reasons follow."
        };
        return html! { section.overview { p { (count) ". " (why) } } };
    }
    let traffic = [(&totals.sectors, "sectors"), (&totals.passes, "passes over the banks of shared memory")];
    html! {
        section.overview {
            p { (count) ", " (counted(totals.accesses(), "access")) " to memory that threads share." }
            p.signs {
                @for class in CLASSES.into_iter().filter(|class| totals.of_class(*class) > 0) {
                    @let mark = mark_of(class);
                    span class={ "chip " (mark.class) } {
                        (mark.sign) " " (totals.of_class(class)) " " (class.name())
                    }
                    " "
                }
            }
            @for (traffic, noun) in traffic.into_iter().filter(|(traffic, _)| traffic.all > 0.0) {
                p { (sentence_case(&traffic.sentence(noun))) " in one launch of each region." }
            }
            @if totals.changed > 0 {
                p {
                    "In " (counted(totals.changed, "region"))
                    " the plugin changed the loops; counts are those of the changed loops."
                }
            }
            @if let Some(basis) = totals.basis_sentence(values) { p.sub { (said(sentence_case(&basis))) "." } }
        }
    }
}

/// What to do, the most urgent first.
fn to_do(context: &Context, actions: &[Vec<Action>]) -> Markup {
    let entries = context.entries;
    let mut reported: Vec<(usize, &Action)> =
        actions.iter().enumerate().flat_map(|(nth, of)| of.iter().map(move |action| (nth, action))).collect();
    reported.retain(|(_, action)| action.state != State::Nothing);
    reported.sort_by_key(|(_, action)| action.state);
    let rows = reported.into_iter().map(|(nth, action)| {
        let kind = if action.rule == Rule::LoopOrder { Kind::Loop } else { Kind::Accesses };
        let entry = entries.of_place(&action.location, kind).or_else(|| entries.of_region(nth));
        html! {
            tr data-f=(said(&entries.report.regions[nth].function)) {
                td {
                    a href={ "#e" (entries.anchor(entry.unwrap_or(0))) } {
                        span.pl { "line " (action.location.line) }
                    }
                }
                td {
                    @match action.state {
                        State::Todo => { span class="tag may" { "to do" } }
                        State::Done | State::Nothing => { span class="tag good" { "done" } }
                    }
                }
                td {
                    (said(sentence_case(&action.text)))
                    @if let Some(text) = &action.in_source { br; span.sub { "In the source: " (said(text)) "." } }
                }
                td { (said(action.worth.as_deref().unwrap_or(""))) }
            }
        }
    });
    table("What to do", &["place", "state", "remedy", "worth"], rows.collect())
}

/// The table of all places with accesses, the costliest first.
fn places(entries: &Entries) -> Markup {
    let order = entries.by_weight();
    let all: f64 = order.iter().map(|number| entries.all[*number].excess()).sum();
    let rows = order.iter().filter_map(|number| {
        let entry = &entries.all[*number];
        let Thing::Accesses(blocks) = &entry.thing else { return None };
        let function = |nth: &usize| &entries.report.regions[*nth].function[..];
        let functions: BTreeSet<&str> = blocks.iter().flat_map(|block| &block.regions).map(function).collect();
        let functions: Vec<&str> = functions.into_iter().take(NAMED_FUNCTIONS).collect();
        let is_open = entry.excess() == 0.0 && blocks.iter().any(|block| block.cost.needed.is_none());
        Some(html! {
            tr data-f=(said(functions.join(" "))) {
                td {
                    a href={ "#e" (entries.anchor(*number)) } {
                        @match entry.location {
                            Some(at) if at.file == entries.report.source => {
                                span.pl { "line " (words::place(Some(at))) }
                            }
                            Some(at) => { (said(at)) }
                            None => { "place not known" }
                        }
                    }
                }
                td {
                    (said(access_name(&blocks[0])))
                    @if blocks.len() > 1 { " and " (blocks.len() - 1) " more" }
                }
                td { (entry.class().map_or(mark_of(Class::Unknown).tag(""), |class| mark_of(class).tag(class.name()))) }
                td { (said(amount(&blocks[0]))) }
                td.num data-v=(entry.excess()) { @if is_open { "not known" } @else { (bar(entry.excess(), all)) } }
            }
        })
    });
    let head = ["place", "access", "class", "a warp moves", "share of the excess"];
    table("Where to look first", &head, rows.collect())
}

fn regions(context: &Context, totals: &[Totals]) -> Markup {
    let entries = context.entries;
    let regions = &entries.report.regions;
    let excess: Vec<f64> = totals.iter().map(|each| each.sectors.excess + each.passes.excess).collect();
    let all: f64 = excess.iter().sum();
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by(|a, b| excess[*b].total_cmp(&excess[*a]));
    let rows = order.into_iter().map(|nth| {
        let region = &regions[nth];
        html! {
            tr {
                td {
                    a href={ "#e" (entries.anchor(entries.of_region(nth).unwrap_or(0))) } {
                        (said(region_name(region)))
                    }
                }
                td { (state(region)) }
                td.num { (region.accesses.len()) }
                td.num { (region.rejects.len()) }
                td.num data-v=(excess[nth]) { (bar(excess[nth], all)) }
                @if let Some(faster) = context.predictions.in_short(nth) { td.num { (faster) } }
            }
        }
    });
    let faster = format!("faster, with {}", Sizes::Timed);
    let head = ["region", "its loops", "accesses", "not understood", "share of the excess", &faster];
    let columns = if context.predictions.in_short(0).is_some() { 6 } else { 5 };
    table("Regions", &head[..columns], rows.collect())
}

fn table(title: &str, head: &[&str], rows: Vec<Markup>) -> Markup {
    if rows.is_empty() {
        return Markup::default();
    }
    let (open, folded) = rows.split_at(rows.len().min(OPEN_ROWS));
    let part = |rows: &[Markup]| {
        html! {
            table {
                thead { (titles(head.iter().copied())) }
                tbody { @for row in rows { (row) } }
            }
        }
    };
    html! {
        section.rows {
            h2 { (title) }
            (part(open))
            @if !folded.is_empty() { details { summary { (folded.len()) " more" } (part(folded)) } }
        }
    }
}

fn legend(report: &Report, values: &Values) -> Markup {
    let mut classes = BTreeSet::new();
    for region in &report.regions {
        for access in &region.accesses {
            let cost = [Cost::of, Cost::as_written].map(|of| of(access, region, &report.hardware, values));
            classes.extend(cost.map(|cost| cost.class));
        }
    }
    if classes.is_empty() {
        return Markup::default();
    }
    let words = [
        ("warp", "threads that execute together; their accesses are served together (AMD: wavefront)"),
        ("lane", "a thread's place in its warp, counted from 0"),
        ("sector", "the smallest piece of memory that is moved; each one that a warp touches costs bandwidth"),
        ("excessive", "more sectors than would hold the bytes that the warp uses"),
        ("stride", "bytes from the address of one thread to that of the next"),
        ("[N]", "the value of N when the program runs"),
    ];
    html! {
        section.legend {
            h2 { "What the words mean" }
            dl {
                @for (word, meaning) in words { dt { (word) } dd { (meaning) } }
                @for class in CLASSES.into_iter().filter(|class| classes.contains(class)) {
                    dt { (mark_of(class).tag(class.name())) }
                    dd { (class_meaning(class)) }
                }
            }
        }
    }
}
