//! What there is to say about one place, for the panel beside the source.

use ipda_models::report::{Access, Class, Lanes, Location, MemoryKind, Report, StrideKind};
use ipda_models::sizes::Sizes;

use super::entries::{Block, Entries, Entry, Thing};
use super::markup::{Html, html};
use super::picture::Pictures;
use super::times::Predictions;
use super::warp::Warp;
use super::words::{access_name, alone, amount, change, excess, iterations, loop_name, mark_of, region_name, stride};
use super::{region, source};
use crate::action::{Place, advice};
use crate::select::values::Values;
use crate::words::{self, class_meaning};

/// So many accesses of one place stand open, the others behind a line to click.
const OPEN: usize = 3;
/// So many regions of an access are named.
const NAMED_REGIONS: usize = 6;

/// What the entries of a page share.
pub struct Context<'a> {
    /// All entries.
    pub entries: &'a Entries<'a>,
    /// The files with lines.
    pub files: Vec<&'a str>,
    /// The drawings.
    pub pictures: Pictures,
    /// Times.
    pub predictions: Predictions,
    /// Sizes.
    pub values: Values,
}

impl<'a> Context<'a> {
    /// For the entries of a report, with the drawings that the page has by now.
    pub fn new(entries: &'a Entries<'a>, predictions: Predictions, pictures: Pictures, values: &Values) -> Context<'a> {
        Context { entries, files: source::files(entries), pictures, predictions, values: values.afresh() }
    }

    /// The report.
    pub fn report(&self) -> &'a Report {
        self.entries.report
    }

    /// A place as a link to its line.
    pub fn place(&self, location: &Location) -> Html {
        let mut out = Html::default();
        match self.files.iter().position(|file| *file == location.file) {
            Some(file) if location.line > 0 => {
                html!(out, "<a class=\"at\" href=\"#f" (self.entries.before.files + file) "l" (location.line) "\">" (location) "</a>");
            }
            _ => html!(out, (location)),
        }
        out
    }
}

/// Writes the section of an entry.
pub fn write(out: &mut Html, number: usize, entry: &Entry, context: &mut Context) {
    let anchor = context.entries.anchor(number);
    html!(out, "<section class=\"entry\" id=\"e" (anchor) "\" tabindex=\"-1\" aria-labelledby=\"h" (anchor) "\"");
    if let Some(location) = entry.location.filter(|at| at.line > 0) {
        html!(out, " data-at=\"" (location) "\"");
    }
    html!(out, ">");
    match &entry.thing {
        Thing::Region(nth) => region::write(out, anchor, *nth, context),
        Thing::Loop(found) => {
            let each = found[0].1;
            html!(out, "<h3 id=\"h" (anchor) "\">" (loop_name(each)) "</h3>");
            at(out, entry.location, context);
            for (nth, each) in found.iter().take(NAMED_REGIONS) {
                html!(out, "<p>" (iterations(each)) ", in " {region_link(*nth, context)} ".</p>");
                if let Some(schedule) = &each.schedule {
                    html!(out, "<p class=\"sub\">Schedule: " (schedule.sentence()) "</p>");
                }
                region::nest(out, *nth, Some(&each.id), context);
            }
            more(out, found.len(), "region");
        }
        Thing::Reject(reject) => {
            html!(out, "<h3 id=\"h" (number) "\">Not understood</h3>");
            at(out, entry.location, context);
            html!(out, "<p>" (reject.reason) "</p><p class=\"sub\">Name of the reason: <code>" (reject.name) "</code></p>");
        }
        Thing::Accesses(blocks) => {
            html!(out, "<h3 id=\"h" (anchor) "\">" (title(blocks)) "</h3>");
            at(out, entry.location, context);
            for (nth, each) in blocks.iter().enumerate() {
                if nth == OPEN {
                    html!(out, "<details><summary>" (blocks.len() - OPEN) " more at this place</summary>");
                }
                block(out, each, blocks.len() > 1, context);
            }
            if blocks.len() > OPEN {
                html!(out, "</details>");
            }
        }
    }
    html!(out, "</section>\n");
}

fn title(blocks: &[Block]) -> String {
    match blocks {
        [only] => access_name(only),
        [first, ..] => format!("{} accesses, the first a {}", blocks.len(), access_name(first)),
        [] => String::new(),
    }
}

fn at(out: &mut Html, location: Option<&Location>, context: &Context) {
    match location {
        Some(location) => html!(out, "<p class=\"sub\">" {context.place(location)} "</p>"),
        None => html!(out, "<p class=\"sub\">The place in the source is not known: compile with -g.</p>"),
    }
}

fn more(out: &mut Html, all: usize, noun: &str) {
    if all > NAMED_REGIONS {
        html!(out, "<p class=\"sub\">and in " (words::counted((all - NAMED_REGIONS) as u64, noun)) " more</p>");
    }
}

/// A region as a link to its entry.
fn region_link(nth: usize, context: &Context) -> Html {
    let mut out = Html::default();
    let name = region_name(&context.report().regions[nth]);
    match context.entries.of_region(nth) {
        Some(entry) => html!(out, "<a href=\"#e" (context.entries.anchor(entry)) "\">" (name) "</a>"),
        None => html!(out, (name)),
    }
    out
}

fn block(out: &mut Html, block: &Block, is_one_of_several: bool, context: &mut Context) {
    let access = block.access;
    let mark = mark_of(block.cost.class);
    html!(out, "<div class=\"block\">");
    if is_one_of_several {
        html!(out, "<h4>" (access_name(block)) "</h4>");
    }
    html!(out, "<p class=\"verdict\"><span class=\"tag " (mark.class) "\">" (mark.sign) " " (block.cost.class.name()) "</span> ");
    html!(out, (excess(block).unwrap_or_else(|| amount(block))) "</p>");
    let meaning = match block.cost.class {
        Class::Unknown => "not understood",
        class => class_meaning(class),
    };
    html!(out, "<p class=\"sub\">" (sentence_case(meaning)) ".</p>");
    what_helps(out, block, context);
    match change(block) {
        None => figure(out, &block.warp, access, context),
        Some(how) => {
            let place = block.regions.first().map(|nth| region_link(*nth, context)).unwrap_or_default();
            html!(out, "<p>In the loops as the plugin changed them (" {place} "): " (how) ".</p>");
            if let Some(warp) = &block.changed {
                warp_figure(out, warp, access, context);
            }
            html!(out, "<details><summary>In the loops as they were written: " (block.written.name()) "</summary>");
            figure(out, &block.warp, access, context);
            html!(out, "</details>");
        }
    }
    html!(out, "<dl>");
    row(out, if block.cost.changed.is_some() { "As written" } else { "Stride" }, &stride(block));
    if let Some(reason) = &access.stride.reason {
        row(out, "Because", reason);
    }
    row(out, "Moves", &amount(block));
    let region = block.regions.first().map(|nth| &context.report().regions[*nth]);
    if let Some(group) = region.and_then(|region| crate::view::words::group(access, &block.cost, region)) {
        row(out, "Group", &sentence_case(&group));
        row(out, "Alone", &alone(block));
    }
    if let Some(count) = access.sectors.filter(|count| count.aligned != count.worst) {
        row(out, "At worst", &format!("{} sectors, where the array begins badly aligned", count.worst));
    }
    row(
        out,
        "Size",
        &format!("{} in each thread, {}", words::counted(access.bytes, "byte"), words::memory_name(access.memory)),
    );
    match (&access.executions.value, &access.executions.unknown) {
        _ if block.cost.is_in_register => {
            row(out, "Runs", "once for all iterations of the innermost loop, in which its place stays in a register");
        }
        (Some(runs), _) if runs == "1" => row(out, "Runs", "once in a thread, for one iteration of its shared loop"),
        (Some(runs), _) => row(out, "Runs", &format!("{runs} times in a thread, for one iteration of its shared loop")),
        (None, Some(reason)) => row(out, "Runs", &format!("not known how often: {reason}")),
        (None, None) => row(out, "Runs", "not known how often"),
    }
    if let Some(condition) = access.condition() {
        row(out, "Only if", &condition);
    }
    lanes(out, access);
    html!(out, "<dt>Address</dt><dd><code>" (access.address) "</code></dd>");
    if !access.called_from.is_empty() {
        html!(out, "<dt>Called at</dt><dd>");
        for (nth, place) in access.called_from.iter().enumerate() {
            html!(out, (if nth == 0 { "" } else { ", from " }) {context.place(place)});
        }
        html!(out, "</dd>");
    }
    if let Some(sharing) = &access.false_sharing {
        row(out, "Host", &sharing.sentence());
    }
    html!(out, "<dt>In</dt><dd>");
    for (nth, number) in block.regions.iter().take(NAMED_REGIONS).enumerate() {
        html!(out, (if nth == 0 { "" } else { "; " }) {region_link(*number, context)});
    }
    more(out, block.regions.len(), "region");
    html!(out, "</dd></dl>");
    list(out, "How the stride follows", &access.steps(context.report().hardware.sector_bytes));
    list(out, "What this relies on", &words::guarantees([access]));
    html!(out, "</div>");
}

/// What would make the access cost less.
fn what_helps(out: &mut Html, block: &Block, context: &Context) {
    let Some(nth) = block.regions.first() else { return };
    let report = context.report();
    let place = Place { access: block.access, region: &report.regions[*nth], report };
    match advice(&place, &block.cost, &context.values) {
        Some(advice) => html!(out, "<p class=\"helps\"><b>What helps:</b> " (advice.full) ".</p>"),
        None if block.cost.weight() > 0.0 => {
            html!(out, "<p class=\"helps\"><b>What helps:</b> other loops; see " {region_link(*nth, context)} ".</p>")
        }
        None => {}
    }
}

fn figure(out: &mut Html, warp: &Result<Warp, &'static str>, access: &Access, context: &mut Context) {
    match warp {
        Ok(warp) => warp_figure(out, warp, access, context),
        Err(reason) => html!(out, "<p class=\"sub\">No picture: "(*reason) ".</p>"),
    }
}

fn warp_figure(out: &mut Html, warp: &Warp, access: &Access, context: &mut Context) {
    let hardware = &context.entries.report.hardware;
    let lanes = words::counted(warp.starts.len() as u64, "lane");
    let (picture, shows) = match access.memory {
        MemoryKind::Global => {
            let sectors = words::counted(warp.blocks(hardware.sector_bytes).len() as u64, "sector");
            let lines = words::counted(warp.blocks(hardware.line_bytes).len() as u64, "line");
            (context.pictures.of_sectors(warp, hardware), format!("{lanes} touch {sectors} in {lines} of memory"))
        }
        MemoryKind::Shared => {
            let deepest = warp.words_of_banks(hardware).into_values().max().unwrap_or(0);
            let asked = words::counted(deepest, "word");
            (context.pictures.of_banks(warp, hardware), format!("{lanes} ask the banks for up to {asked} of one bank"))
        }
    };
    html!(out, "<figure>" {picture.show(&shows)} "<figcaption>" (sentence_case(&shows)));
    if !warp.assumed.is_empty() {
        html!(out, ", drawn for " (warp.assumed.join(", ")) " = " (Sizes::Counted.value()));
    }
    if let Some(lane) = warp.row_end {
        html!(out, "; a row ends at lane "(lane));
    } else if access.stride.kind == StrideKind::RowEnds {
        html!(out, "; a warp in which a row ends touches two rows");
    }
    html!(out, ".</figcaption></figure>");
}

fn lanes(out: &mut Html, access: &Access) {
    let Some(lanes) = &access.active_lanes else { return };
    let told = lanes.text().unwrap_or_default();
    let text = match lanes {
        Lanes::Uniform | Lanes::ByWarp => return,
        Lanes::Fixed { .. } => format!("only {told} of each warp"),
        Lanes::Symbolic { .. } => format!("those with {told}"),
        Lanes::DataDependent { reason } | Lanes::Unknown { reason } => format!("not known: {reason}"),
    };
    row(out, "Lanes", &text);
}

/// A term and what it is.
pub fn row(out: &mut Html, term: &'static str, text: &str) {
    html!(out, "<dt>" (term) "</dt><dd>" (text) "</dd>");
}

/// A list to open, or nothing where it is empty.
pub fn list(out: &mut Html, summary: &'static str, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    html!(out, "<details><summary>" (summary) "</summary><ol>");
    for sentence in sentences {
        html!(out, "<li>" (sentence) "</li>");
    }
    html!(out, "</ol></details>");
}

/// With a capital letter at its start.
pub fn sentence_case(text: &str) -> String {
    // What begins with a clause stays as it is written in the source.
    if text.split(' ').next().is_some_and(|word| word.contains('(')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
