//! What there is to say about one place, for the panel beside the source.

use ipda_models::report::{Access, Class, Location, MemoryKind, StrideKind};
use ipda_models::sizes::Sizes;
use maud::{Markup, html};

use super::context::Context;
use super::entries::{Block, Entry, Thing};
use super::markup::{list, row, said};
use super::region;
use super::warp::Warp;
use super::words::{access_name, alone, amount, excess, loop_name, mark_of, sentence_case};
use crate::access::{self, group};
use crate::action::{Place, advice};
use crate::words::{class_meaning, counted, guarantees, iterations, memory_name};

/// So many accesses of one place stand open, the others behind a line to click.
const OPEN: usize = 3;
/// So many regions of an access are named.
const NAMED_REGIONS: usize = 6;

/// The section of an entry.
pub fn section(number: usize, entry: &Entry, context: &mut Context) -> Markup {
    let anchor = context.entries.anchor(number);
    let location = entry.location.filter(|at| at.line > 0).map(said);
    html! {
        section.entry id={ "e" (anchor) } tabindex="-1" aria-labelledby={ "h" (anchor) } data-at=[location] {
            @match &entry.thing {
                Thing::Region(nth) => { (region::section(anchor, *nth, context)) }
                Thing::Loop(found) => {
                    h3 id={ "h" (anchor) } { (said(loop_name(found[0].1))) }
                    (at(entry.location, context))
                    @for (nth, each) in found.iter().take(NAMED_REGIONS) {
                        p { (said(iterations(each, &context.report().regions[*nth]))) ", in " (context.region(*nth)) "." }
                        @if let Some(schedule) = &each.schedule { p.sub { "Schedule: " (said(schedule.sentence())) } }
                        (region::nest(*nth, Some(&each.id), context))
                    }
                    (more(found.len(), "region"))
                }
                Thing::Reject(reject) => {
                    h3 id={ "h" (anchor) } { "Not understood" }
                    (at(entry.location, context))
                    p { (said(&reject.reason)) }
                    p.sub { "Name of the reason: " code { (reject.name) } }
                }
                Thing::Accesses(blocks) => {
                    h3 id={ "h" (anchor) } { (said(title(blocks))) }
                    (at(entry.location, context))
                    @let (open, folded) = blocks.split_at(blocks.len().min(OPEN));
                    @for each in open { (block(each, blocks.len(), context)) }
                    @if !folded.is_empty() {
                        details {
                            summary { (folded.len()) " more at this place" }
                            @for each in folded { (block(each, blocks.len(), context)) }
                        }
                    }
                }
            }
        }
    }
}

fn title(blocks: &[Block]) -> String {
    match blocks {
        [only] => access_name(only),
        [first, ..] => format!("{} accesses, the first a {}", blocks.len(), access_name(first)),
        [] => String::new(),
    }
}

fn at(location: Option<&Location>, context: &Context) -> Markup {
    html! {
        p.sub {
            @match location {
                Some(location) => { (context.place(location)) }
                None => { "The place in the source is not known: compile with -g." }
            }
        }
    }
}

fn more(all: usize, noun: &str) -> Markup {
    html! {
        @if all > NAMED_REGIONS { p.sub { "and in " (counted((all - NAMED_REGIONS) as u64, noun)) " more" } }
    }
}

fn block(block: &Block, blocks: usize, context: &mut Context) -> Markup {
    let access = block.access;
    let meaning = match block.cost.class {
        Class::Unknown => "not understood",
        class => class_meaning(class),
    };
    html! {
        div.block {
            @if blocks > 1 { h4 { (said(access_name(block))) } }
            p.verdict {
                (mark_of(block.cost.class).tag(block.cost.class.name())) " "
                (said(excess(block).unwrap_or_else(|| amount(block))))
            }
            p.sub { (sentence_case(meaning)) "." }
            (what_helps(block, context))
            @match block.cost.changed.map(access::changed_distance) {
                None => { (figure(&block.warp, access, context)) }
                Some(how) => {
                    @let place = block.regions.first().map(|nth| context.region(*nth)).unwrap_or_default();
                    p { "In the loops as the plugin changed them (" (place) "): " (said(how)) "." }
                    @if let Some(warp) = &block.changed { (warp_figure(warp, access, context)) }
                    details {
                        summary { "In the loops as they were written: " (block.written.name()) }
                        (figure(&block.warp, access, context))
                    }
                }
            }
            (facts(block, context))
            (list("How the stride follows", &access.steps(context.report().hardware.sector_bytes)))
            (list("What this relies on", &guarantees([access])))
        }
    }
}

fn facts(block: &Block, context: &Context) -> Markup {
    let access = block.access;
    let region = block.regions.first().map(|nth| &context.report().regions[*nth]);
    html! {
        dl {
            (row(if block.cost.changed.is_some() { "As written" } else { "Stride" }, access::distance(&access.stride, |text| format!("{text} bytes from the first thread"))))
            @if let Some(reason) = &access.stride.reason { (row("Because", reason)) }
            (row("Moves", amount(block)))
            @if let Some(group) = region.and_then(|region| group(access, &block.cost, region)) {
                (row("Group", sentence_case(&group)))
                (row("Alone", alone(block)))
            }
            @if let Some(count) = access.sectors.filter(|count| count.aligned != count.worst) {
                (row("At worst", format_args!("{} sectors, where the array begins badly aligned", count.worst)))
            }
            @let size = counted(access.bytes, "byte");
            (row("Size", format_args!("{size} in each thread, {}", memory_name(access.memory))))
            (row("Runs", runs(block, context)))
            @if let Some(condition) = access.condition() { (row("Only if", condition)) }
            @if let Some(lanes) = access::lanes(access, &context.report().hardware) { (row("Lanes", lanes)) }
            dt { "Address" }
            dd { code { (said(&access.address)) } }
            @if !access.called_from.is_empty() {
                dt { "Called at" }
                dd {
                    @for (nth, place) in access.called_from.iter().enumerate() {
                        @if nth > 0 { ", from " }
                        (context.place(place))
                    }
                }
            }
            @if let Some(sharing) = &access.false_sharing { (row("Host", sharing.sentence())) }
            dt { "In" }
            dd {
                @for (nth, number) in block.regions.iter().take(NAMED_REGIONS).enumerate() {
                    @if nth > 0 { "; " }
                    (context.region(*number))
                }
                (more(block.regions.len(), "region"))
            }
        }
    }
}

fn runs(block: &Block, context: &Context) -> String {
    let region = block.regions.first().map(|nth| &context.report().regions[*nth]);
    let runs = access::runs(block.access, region);
    if block.cost.is_in_register { runs + access::IN_REGISTER } else { runs }
}

/// What would make the access cost less.
fn what_helps(block: &Block, context: &Context) -> Markup {
    let Some(nth) = block.regions.first() else { return Markup::default() };
    let report = context.report();
    let place = Place { access: block.access, region: &report.regions[*nth], report };
    html! {
        @match advice(&place, &block.cost, &context.values) {
            Some(advice) => { p.helps { b { "What helps:" } " " (said(advice.full)) "." } }
            None if block.cost.weight() > 0.0 => {
                p.helps { b { "What helps:" } " other loops; see " (context.region(*nth)) "." }
            }
            None => {}
        }
    }
}

fn figure(warp: &Result<Warp, &'static str>, access: &Access, context: &mut Context) -> Markup {
    match warp {
        Ok(warp) => warp_figure(warp, access, context),
        Err(reason) => html! { p.sub { "No picture: " (reason) "." } },
    }
}

fn warp_figure(warp: &Warp, access: &Access, context: &mut Context) -> Markup {
    let hardware = &context.entries.report.hardware;
    let lanes = counted(warp.starts.len() as u64, "lane");
    let (picture, shows) = match access.memory {
        MemoryKind::Global => {
            let sectors = counted(warp.blocks(hardware.sector_bytes).len() as u64, "sector");
            let lines = counted(warp.blocks(hardware.line_bytes).len() as u64, "line");
            (context.pictures.of_sectors(warp, hardware), format!("{lanes} touch {sectors} in {lines} of memory"))
        }
        MemoryKind::Shared => {
            let deepest = warp.words_of_banks(hardware).into_values().max().unwrap_or(0);
            let asked = counted(deepest, "word");
            (context.pictures.of_banks(warp, hardware), format!("{lanes} ask the banks for up to {asked} of one bank"))
        }
    };
    html! {
        figure {
            (picture.show(&shows))
            figcaption {
                (sentence_case(&shows))
                @if !warp.assumed.is_empty() {
                    ", drawn for " (said(warp.assumed.join(", "))) " = " (Sizes::Counted.value())
                }
                @if let Some(lane) = warp.row_end {
                    "; a row ends at lane " (lane)
                } @else if access.stride.kind == StrideKind::RowEnds {
                    "; a warp in which a row ends touches two rows"
                }
                "."
            }
        }
    }
}
