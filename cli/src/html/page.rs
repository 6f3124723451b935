//! One page: what to look at first, the regions, the source, and the panel with what there is to say about each place.

use std::collections::BTreeSet;

use ipda_models::report::Report;
use ipda_models::sizes::Sizes;

use super::Options;
use super::detail::{self, Context, sentence_case};
use super::entries::{Before, Entries, Kind, Thing};
use super::index::Summary;
use super::markup::{Html, html};
use super::picture::Pictures;
use super::source;
use super::times::Predictions;
use super::words::{access_name, amount, mark_of, percent, region_name, share, state};
use crate::action::{self, Action, Rule, State};
use crate::select::cost::Cost;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::words::{self, CLASSES, class_meaning, counted, regions_counted};

/// So many rows of a table stand open, the others behind a line to click.
const OPEN_ROWS: usize = 10;
/// Functions of one place that the filter finds.
const NAMED_FUNCTIONS: usize = 8;

/// The whole page of the compilations of one source, and their lines of the index.
pub fn page(reports: &[Report], options: &Options, values: &Values) -> (Html, Vec<Summary>) {
    let values = values.afresh();
    let (mut panel, mut main, mut pictures) = (Html::default(), Html::default(), Pictures::default());
    let (mut summaries, mut before) = (Vec::new(), Before::default());
    for (nth, report) in reports.iter().enumerate() {
        let entries = Entries::of(report, &values, before);
        before = entries.behind();
        let predictions = Predictions::new(&options.machines, report, &values);
        let mut context = Context::new(&entries, predictions, std::mem::take(&mut pictures), &values);
        for (number, entry) in entries.all.iter().enumerate() {
            detail::write(&mut panel, number, entry, &mut context);
        }
        if reports.len() > 1 {
            html!(main, "<h2 class=\"unit\" id=\"c" (nth) "\">" (sentence_case(&crate::view::compilation(report))) "</h2><p class=\"sub\">" (sentence_case(&hardware(report))) ".</p>\n");
        }
        summaries.push(one_compilation(&mut main, &context, options, &values));
        pictures = context.pictures;
    }

    let [first, ..] = reports else { return (Html::default(), summaries) };
    let has_regions = reports.iter().any(|report| !report.regions.is_empty());
    let mut out = Html::default();
    head(&mut out, &first.source);
    html!(out, {pictures.definitions()} "<header><p class=\"up\"><a href=\"index.html\">All files</a></p><h1>" (first.source) "</h1>\n");
    match reports {
        [only] => html!(out, "<p class=\"sub\">" (compilation(only)) ". Written by " (only.tool) ".</p>"),
        _ => contents(&mut out, reports),
    }
    theme_switch(&mut out);
    html!(out, "</header>\n<div id=\"grid\"><main>\n");
    if has_regions {
        html!(
            out,
            "<p class=\"keys\" id=\"keys\"><label>Only rows with <input id=\"filter\" type=\"search\" autocomplete=\"off\"></label> Keys: <kbd>j</kbd> next, <kbd>k</kbd> previous, <kbd>Enter</kbd> to the panel, <kbd>Esc</kbd> back.</p>\n"
        );
    }
    html!(out, { main });
    legend(&mut out, first, &values);
    html!(out, "</main>\n<aside id=\"panel\" aria-label=\"What is known about the selected place\"><p class=\"hint\">Choose a mark beside the source, or a row of a table.</p><button id=\"close\" type=\"button\">Close</button>\n" {panel} "</aside></div>\n");
    tail(&mut out);
    (out, summaries)
}

/// The compilations of a page, as links.
fn contents(out: &mut Html, reports: &[Report]) {
    html!(out, "<nav aria-label=\"Compilations\"><p class=\"sub\">Compiled " (reports.len()) " times, by " (reports[0].tool) ":</p><ul>");
    for (nth, report) in reports.iter().enumerate() {
        html!(out, "<li><a href=\"#c" (nth) "\">" (compilation(report)) "</a></li>");
    }
    html!(out, "</ul></nav>\n");
}

/// What one compilation has to say.
fn one_compilation(out: &mut Html, context: &Context, options: &Options, values: &Values) -> Summary {
    let (entries, report) = (context.entries, context.report());
    let totals: Vec<Totals> = report.regions.iter().map(|region| Totals::of_region(region, report, values)).collect();
    let mut all = Totals::default();
    totals.iter().for_each(|each| all.add(each));
    let actions: Vec<Vec<Action>> =
        report.regions.iter().map(|region| action::of_region(region, report, values)).collect();
    overview(out, report, &all, values);
    to_do(out, context, &actions);
    if !entries.all.is_empty() {
        source::write(out, entries, &options.roots);
    }
    places(out, entries);
    regions(out, context, &totals);
    context.predictions.roofs(out);
    rejects(out, entries, context);
    Summary::of(report, all, actions.into_iter().flatten())
}

/// What tells pages from other files.
pub const BEGINNING: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"ipda report\">";

/// What both kinds of pages begin with.
pub fn head(out: &mut Html, title: &str) {
    out.raw(BEGINNING);
    html!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>" (title) " \u{2013} ipda</title>\n<style>\n");
    out.raw(include_str!("page.css"));
    html!(out, "</style></head><body>\n");
}

/// What both kinds of pages end with.
pub fn tail(out: &mut Html) {
    html!(out, "<div id=\"tip\" aria-hidden=\"true\"></div>\n<script>\n");
    out.raw(include_str!("page.js"));
    html!(out, "</script></body></html>\n");
}

/// The button that chooses between light and dark; it needs the script.
pub fn theme_switch(out: &mut Html) {
    html!(out, "<button id=\"theme\" type=\"button\">Colours: as the system</button>\n");
}

fn compilation(report: &Report) -> String {
    format!("{}; {}", sentence_case(&crate::view::compilation(report)), hardware(report))
}

fn hardware(report: &Report) -> String {
    let hardware = &report.hardware;
    format!(
        "counted for the GPU {}: warps of {} threads, sectors of {} bytes, cache lines of {} bytes",
        hardware.name, hardware.warp_lanes, hardware.sector_bytes, hardware.line_bytes
    )
}

fn overview(out: &mut Html, report: &Report, totals: &Totals, values: &Values) {
    html!(out, "<section class=\"overview\"><p><b>" (sentence_case(&regions_counted(&report.regions))) "</b>");
    if report.regions.is_empty() {
        let why = if report.rejects.is_empty() {
            "This file has no code for a GPU: there is nothing to show."
        } else {
            "What was found could not be analysed; the reasons follow."
        };
        html!(out, ". " (why) "</p></section>\n");
        return;
    }
    html!(out, ", " (counted(totals.accesses(), "access")) " to memory that threads share.</p><p class=\"signs\">");
    for class in CLASSES {
        let count = totals.of_class(class);
        if count > 0 {
            let mark = mark_of(class);
            html!(out, "<span class=\"chip " (mark.class) "\">" (mark.sign) " " (count) " " (class.name()) "</span> ");
        }
    }
    html!(out, "</p>");
    for (traffic, noun) in [(&totals.sectors, "sectors"), (&totals.passes, "passes over the banks of shared memory")] {
        if traffic.all > 0.0 {
            html!(out, "<p>" (sentence_case(&traffic.sentence(noun))) " in one launch of each region.</p>");
        }
    }
    if totals.changed > 0 {
        html!(out, "<p>In " (counted(totals.changed, "region")) " the plugin changed the loops; counts are those of the changed loops.</p>");
    }
    if let Some(basis) = totals.basis_sentence(values) {
        html!(out, "<p class=\"sub\">" (sentence_case(&basis)) ".</p>");
    }
    html!(out, "</section>\n");
}

/// What to do, the most urgent first.
fn to_do(out: &mut Html, context: &Context, actions: &[Vec<Action>]) {
    let entries = context.entries;
    let mut told: Vec<(usize, &Action)> =
        actions.iter().enumerate().flat_map(|(nth, of)| of.iter().map(move |action| (nth, action))).collect();
    told.retain(|(_, action)| action.state != State::Nothing);
    told.sort_by_key(|(_, action)| action.state);
    let rows = told.into_iter().map(|(nth, action)| {
        let kind = if action.rule == Rule::LoopOrder { Kind::Loop } else { Kind::Accesses };
        let entry = entries.of_place(&action.location, kind).or_else(|| entries.of_region(nth));
        let mut row = Html::default();
        html!(row, "<tr data-f=\"" (entries.report.regions[nth].function) "\"><td><a href=\"#e" (entries.anchor(entry.unwrap_or(0))) "\"><span class=\"pl\">line " (action.location.line) "</span></a></td><td>");
        match action.state {
            State::Todo => html!(row, "<span class=\"tag may\">to do</span>"),
            State::Done | State::Nothing => html!(row, "<span class=\"tag good\">done</span>"),
        }
        html!(row, "</td><td>" (sentence_case(&action.text)));
        if let Some(text) = &action.in_source {
            html!(row, "<br><span class=\"sub\">In the source: " (text) ".</span>");
        }
        html!(row, "</td><td>" (action.worth.as_deref().unwrap_or("")) "</td></tr>\n");
        row
    });
    table(out, "What to do", &["place", "state", "remedy", "worth"], rows.collect());
}

/// The table of all places with accesses, the costliest first.
fn places(out: &mut Html, entries: &Entries) {
    let order = entries.by_weight();
    let all: f64 = order.iter().map(|number| entries.all[*number].excess()).sum();
    let rows = order.iter().map(|number| {
        let entry = &entries.all[*number];
        let Thing::Accesses(blocks) = &entry.thing else { return Html::default() };
        let mark = entry.class().map(mark_of).unwrap_or(mark_of(ipda_models::report::Class::Unknown));
        let mut excess = bar(entry.excess(), all);
        if entry.excess() == 0.0 && blocks.iter().any(|block| block.cost.needed.is_none()) {
            excess = Html::default();
            html!(excess, "not known");
        }
        let mut row = Html::default();
        let functions: BTreeSet<&str> =
            blocks.iter().flat_map(|block| &block.regions).map(|nth| &entries.report.regions[*nth].function[..]).collect();
        html!(row, "<tr data-f=\"" (functions.into_iter().take(NAMED_FUNCTIONS).collect::<Vec<_>>().join(" ")) "\"><td><a href=\"#e" (entries.anchor(*number)) "\">");
        match entry.location {
            Some(at) if at.file == entries.report.source => html!(row, "<span class=\"pl\">line " (words::place(Some(at))) "</span>"),
            Some(at) => html!(row, (at)),
            None => html!(row, "place not known"),
        }
        html!(row, "</a></td><td>" (access_name(&blocks[0])));
        if blocks.len() > 1 {
            html!(row, " and " (blocks.len() - 1) " more");
        }
        html!(row, "</td><td><span class=\"tag " (mark.class) "\">" (mark.sign) " " (entry.class().map_or("", |class| class.name())) "</span></td><td>" (amount(&blocks[0])) "</td><td class=\"num\" data-v=\"" (entry.excess()) "\">");
        html!(row, {excess} "</td></tr>\n");
        row
    });
    let head = ["place", "access", "class", "a warp moves", "share of the excess"];
    table(out, "Where to look first", &head, rows.collect());
}

fn regions(out: &mut Html, context: &Context, totals: &[Totals]) {
    let entries = context.entries;
    let regions = &entries.report.regions;
    let excess: Vec<f64> = totals.iter().map(|each| each.sectors.excess + each.passes.excess).collect();
    let all: f64 = excess.iter().sum();
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by(|a, b| excess[*b].total_cmp(&excess[*a]));
    let rows = order.into_iter().map(|nth| {
        let region = &regions[nth];
        let mut row = Html::default();
        html!(row, "<tr><td><a href=\"#e" (entries.anchor(entries.of_region(nth).unwrap_or(0))) "\">" (region_name(region)) "</a></td><td>" (state(region)) "</td><td class=\"num\">" (region.accesses.len()) "</td><td class=\"num\">" (region.rejects.len()) "</td><td class=\"num\" data-v=\"" (excess[nth]) "\">");
        html!(row, {bar(excess[nth], all)} "</td>");
        if let Some(faster) = context.predictions.in_short(nth) {
            html!(row, "<td class=\"num\">" (faster) "</td>");
        }
        html!(row, "</tr>\n");
        row
    });
    let faster = format!("faster, with {}", Sizes::Timed);
    let head = ["region", "its loops", "accesses", "not understood", "share of the excess", &faster];
    let columns = if context.predictions.in_short(0).is_some() { 6 } else { 5 };
    table(out, "Regions", &head[..columns], rows.collect());
}

/// A part of a whole as a bar and in words.
pub fn bar(part: f64, whole: f64) -> Html {
    let mut out = Html::default();
    if part > 0.0 {
        html!(out, "<span class=\"bar\" style=\"width:" (percent(part, whole).round()) "%\"></span>");
    }
    html!(out, (share(part, whole)));
    out
}

fn table(out: &mut Html, title: &'static str, head: &[&str], rows: Vec<Html>) {
    if rows.is_empty() {
        return;
    }
    html!(out, "<section class=\"rows\"><h2>" (title) "</h2>\n");
    for (nth, rows) in [&rows[..rows.len().min(OPEN_ROWS)], &rows[rows.len().min(OPEN_ROWS)..]].into_iter().enumerate()
    {
        if rows.is_empty() {
            continue;
        }
        if nth == 1 {
            html!(out, "<details><summary>" (rows.len()) " more</summary>");
        }
        html!(out, "<table><thead><tr>");
        for name in head {
            html!(out, "<th scope=\"col\">" (*name) "</th>");
        }
        html!(out, "</tr></thead><tbody>\n");
        for row in rows {
            html!(out, { row });
        }
        html!(out, "</tbody></table>");
        if nth == 1 {
            html!(out, "</details>");
        }
    }
    html!(out, "</section>\n");
}

fn rejects(out: &mut Html, entries: &Entries, context: &Context) {
    if entries.report.rejects.is_empty() {
        return;
    }
    html!(out, "<section><h2>Regions that were not analysed</h2><ul>");
    for reject in &entries.report.rejects {
        html!(out, "<li>" (reject.reason) " <code>" (reject.name) "</code> ");
        if let Some(location) = &reject.location {
            html!(out, { context.place(location) });
        }
        html!(out, "</li>");
    }
    html!(out, "</ul></section>\n");
}

fn legend(out: &mut Html, report: &Report, values: &Values) {
    let mut classes = BTreeSet::new();
    for region in &report.regions {
        for access in &region.accesses {
            let cost = [Cost::of, Cost::as_written].map(|of| of(access, region, &report.hardware, values));
            classes.extend(cost.map(|cost| cost.class));
        }
    }
    if classes.is_empty() {
        return;
    }
    html!(out, "<section class=\"legend\"><h2>What the words mean</h2><dl>");
    let words = [
        ("warp", "threads that execute together; their accesses are served together (AMD: wavefront)"),
        ("lane", "a thread's place in its warp, counted from 0"),
        ("sector", "the smallest piece of memory that is moved; each one that a warp touches costs bandwidth"),
        ("excessive", "more sectors than would hold the bytes that the warp uses"),
        ("stride", "bytes from the address of one thread to that of the next"),
        ("[N]", "the value of N when the program runs"),
    ];
    for (word, meaning) in words {
        html!(out, "<dt>" (word) "</dt><dd>" (meaning) "</dd>");
    }
    for class in CLASSES {
        if classes.contains(&class) {
            let mark = mark_of(class);
            html!(out, "<dt><span class=\"tag " (mark.class) "\">" (mark.sign) " " (class.name()) "</span></dt><dd>" (class_meaning(class)) "</dd>");
        }
    }
    html!(out, "</dl></section>\n");
}
