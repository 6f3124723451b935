//! A region: its nest of loops as a diagram, what became of it, and what its code needs.

use ipda_models::report::{
    Capture, Dependence, Gain, Lanes, Loop, LoopInstructions, Names, Quantity, Reason, Region, Resources,
    Transformation, TransformationState,
};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, VersionState};
use maud::{Markup, html};

use super::context::Context;
use super::entries::Kind;
use super::markup::{list, row, said, titles};
use super::words::{Mark, loop_name, mark, region_name, sentence_case};
use crate::action;
use crate::view::{clause_sentence, differences, launches, version_sentence};
use crate::words::{self, counted, divides_warps, in_tree_order, iterations, left, mode_name, relies_on};

/// The section of a region on its source's page.
pub fn section(anchor: usize, nth: usize, context: &Context) -> Markup {
    let region = &context.report().regions[nth];
    html! {
        h3 id={ "h" (anchor) } { (said(sentence_case(&region_name(region)))) }
        p.sub { (context.place(&region.location)) }
        @for action in action::of_region(region, context.report(), &context.values) {
            p.helps {
                (said(sentence_case(&action.sentence()))) "."
                @if let Some(text) = &action.in_source { " " span.sub { "In the source: " (said(text)) "." } }
            }
        }
        @if let Some(change) = &region.transformation { (transformation(region, change, context)) }
        h4 { "Loops" }
        (nest(nth, None, context))
        (context.predictions.of_region(nth))
        (needs(region))
        h4 { "How it runs" }
        (frame(region, nth, context))
        (branches(region, context))
        (captures(&region.captures))
        @if !region.rejects.is_empty() || !region.limits.is_empty() {
            h4 { "Not understood" }
            ul {
                (context.rejects(&region.rejects))
                @for limit in &region.limits {
                    li {
                        "The analysis gave up where "
                        (limit.meaning().unwrap_or("what lies beyond is unknown"))
                        "; what is reported stays right " code { (limit.name) }
                    }
                }
            }
        }
        (list("What the counts rely on", &relies_on(region)))
    }
}

/// How a region runs.
fn frame(region: &Region, nth: usize, context: &Context) -> Markup {
    let launch = [
        ("num_teams", &region.launch.num_teams),
        ("thread_limit", &region.launch.thread_limit),
        ("num_threads", &region.launch.num_threads),
    ];
    let (sectors, without) = context.entries.per_iteration(nth);
    let without = match without {
        0 => String::new(),
        n => format!(", and {} whose count depends on sizes or data", counted(n, "access")),
    };
    html! {
        dl {
            (row("Mode", format_args!("{}: {}", mode_name(region.mode), region.mode.meaning(region.kind))))
            @for sentence in region.mapping_sentences(context.report().hardware.warp_lanes) {
                (row("Threads", sentence))
            }
            @for (clause, quantity) in launch {
                @if let Some(quantity) = quantity {
                    (row("Launch", format_args!("{clause}({})", quantity_text(quantity))))
                }
            }
            @if region.grid_stride { (row("Launch", words::GRID_STRIDE)) }
            @if let Some(chunk) = region.team_chunk {
                @let takes = "iterations at a time, whatever number of threads it has";
                (row("Launch", format_args!("a team takes {chunk} {takes}")))
            }
            @for (device, sentences) in differences(region) {
                @for sentence in sentences {
                    (row("Other devices", format_args!("{}: {sentence}", device.processor)))
                }
            }
            @if let Some(on_host) = &region.on_host { (row("Launches", launches(on_host))) }
            @if let Some(sectors) = sectors {
                (row("Sectors", format_args!("{sectors} per warp for one iteration of the shared loop{without}")))
            }
        }
    }
}

/// The nest as boxes inside of each other, with the accesses of each loop. `here` is highlighted.
pub fn nest(nth: usize, here: Option<&str>, context: &Context) -> Markup {
    let region = &context.report().regions[nth];
    html! {
        @if region.loops.is_empty() { p.sub { "There are no loops." } }
        div.nest {
            (signs(region, None, context))
            (boxes(&in_tree_order(region), region, here, context))
        }
    }
}

/// The boxes of loops of one depth, each with those inside of it.
fn boxes(mut loops: &[(usize, &Loop)], region: &Region, here: Option<&str>, context: &Context) -> Markup {
    html! {
        @while let [(depth, each), rest @ ..] = loops {
            @let inner = rest.iter().take_while(|(of, _)| of > depth).count();
            @let position = position_in_threads(region, each);
            @let fused = if position.is_some() { " fused" } else { "" };
            @let here_too = if here == Some(&each.id) { " here" } else { "" };
            div class={ "lp" (fused) (here_too) } {
                p {
                    @match each.location.as_ref().and_then(|at| context.entries.of_place(at, Kind::Loop)) {
                        Some(entry) => { a href={ "#e" (context.entries.anchor(entry)) } { (said(loop_name(each))) } }
                        None => { (said(loop_name(each))) }
                    }
                    @if let Some(position) = position { " " span.tag { (position) } }
                    br;
                    span.sub { (said(iterations(each, region))) }
                }
                (signs(region, Some(&each.id), context))
                (boxes(&rest[..inner], region, here, context))
            }
            @let () = loops = &rest[inner..];
        }
    }
}

/// The accesses directly in a loop as links, one for each place.
fn signs(region: &Region, in_loop: Option<&str>, context: &Context) -> Markup {
    let mut entries: Vec<(usize, &str, Mark)> = Vec::new();
    for access in region.accesses.iter().filter(|access| access.in_loop.as_deref() == in_loop) {
        let entry = access.location.as_ref().and_then(|at| context.entries.of_place(at, Kind::Accesses));
        if let Some(entry) = entry
            && !entries.iter().any(|(known, ..)| *known == entry)
        {
            entries.push((entry, &access.object, mark(&context.entries.all[entry])));
        }
    }
    html! {
        @if !entries.is_empty() {
            p.signs {
                @for (entry, object, mark) in entries {
                    a class={ "chip " (mark.class) } href={ "#e" (context.entries.anchor(entry)) } {
                        (mark.sign) " " (said(object))
                    }
                    " "
                }
            }
        }
    }
}

/// What part of a thread's number a loop makes, where loops were fused.
fn position_in_threads(region: &Region, each: &Loop) -> Option<&'static str> {
    let versions = &region.transformation.as_ref()?.versions;
    let of_version = |version: &DeviceVersion| {
        if version.recipe.promoted_arrays().is_some() {
            return None;
        }
        let threads = version.recipe.threads();
        if version.recipe.digits_in_words().is_some() {
            let is_made = version.state == VersionState::Made;
            return threads.iter().any(|named| named.is(each)).then_some(match is_made {
                true => "mapped; threads run digits of its iteration numbers",
                false => "could be mapped; threads would run digits of its iteration numbers",
            });
        }
        let position = threads.iter().position(|named| named.is(each))?;
        Some(match (position + 1 == threads.len(), version.state) {
            _ if !version.recipe.lanes().is_empty() => match version.state {
                VersionState::Made => "tiled; a warp takes neighbouring iterations of several loops",
                _ => "could be tiled; a warp would take neighbouring iterations of several loops",
            },
            (true, VersionState::Made) => "collapsed; neighbouring threads take neighbouring iterations",
            (false, VersionState::Made) => "collapsed",
            (true, _) => "could be collapsed; neighbouring threads would take neighbouring iterations",
            (false, _) => "could be collapsed",
        })
    };
    versions.iter().filter(|version| version.is_right()).find_map(of_version)
}

fn transformation(region: &Region, change: &Transformation, context: &Context) -> Markup {
    html! {
        @for (version, obstacles) in change.parts() {
            p.done { b { (said(done(region, change, version))) } }
            @if !obstacles.is_empty() {
                ul {
                    @for (nth, each) in obstacles.iter().enumerate() {
                        // Several reasons in a row are often removed by one change.
                        @let is_last = obstacles.get(nth + 1).is_none_or(|next| next.removal() != each.removal());
                        (reason(region, "Because ", each, is_last.then(|| each.removal()), context))
                    }
                }
            }
            @if let Some(version) = version { (of_version(version, region, context)) }
        }
    }
}

fn of_version(version: &DeviceVersion, region: &Region, context: &Context) -> Markup {
    let names = Names::of(region);
    let guard: Vec<String> = version.guard.iter().map(|condition| names.in_text(&condition.text)).collect();
    html! {
        @if !version.rests_on.is_empty() {
            ul { @for each in &version.rests_on { (reason(region, "Relies on this: ", each, None, context)) } }
        }
        @if let Some(sentence) = clause_sentence(version, region) { p { (said(sentence_case(&sentence))) "." } }
        @if let Some(each) = &version.gain { (gain(&names, each)) }
        (list("What the kernel tests each time; where it does not hold, it runs what was written", &guard))
    }
}

/// What was done with the loops, or would be in one version of them.
fn done(region: &Region, change: &Transformation, version: Option<&DeviceVersion>) -> String {
    let Some(version) = version else {
        return match change.state {
            TransformationState::Best => "No other order of the loops touches fewer sectors.".into(),
            _ if change.versions.is_empty() => format!("The loops were {}.", left(region)),
            _ => format!("The other loops were {}.", left(region)),
        };
    };
    format!("{}.", sentence_case(&version_sentence(version, region)))
}

/// An item of a list: what stands in the way or what a version relies on, and where.
fn reason(region: &Region, what: &str, reason: &Reason, removal: Option<&str>, context: &Context) -> Markup {
    let names = Names::of(region);
    let mut places = reason.locations.clone();
    places.dedup();
    html! {
        li {
            (what) (said(names.in_text(&reason.words())))
            @for (nth, location) in places.iter().enumerate() {
                (if nth == 0 { ": " } else { ", " }) (context.place(location))
            }
            @if let Some(distance) = reason.dependence.as_deref().and_then(Dependence::distance) {
                br; "From the earlier access to the later one: " (said(names.in_text(&distance))) "."
            }
            @if let Some(removal) = removal { br; span.sub { "What helps: " (said(removal)) "." } }
        }
    }
}

fn gain(names: &Names<'_>, gain: &Gain) -> Markup {
    let per = gain.per_iteration_of.as_ref().map(|name| format!(" in an iteration of {}", names.in_text(name)));
    let rows = [
        (format!("sectors that a warp touches{}", per.unwrap_or_default()), gain.sectors_before, gain.sectors_after),
        ("threads that share the work".to_owned(), gain.threads_before, gain.threads_after),
    ];
    html! {
        table.gain {
            caption { "As written \u{2192} changed, with " (Sizes::Compared) }
            @for (what, before, after) in rows.iter().filter(|(_, before, after)| before != after) {
                tr { th scope="row" { (said(what)) } td { (rounded(*before)) " \u{2192} " (rounded(*after)) } }
            }
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The columns of what code needs.
const NEEDS: [&str; 4] =
    ["processor", "registers a thread", "bytes of stack a thread", "bytes of shared memory a team"];

/// Registers, stack, shared memory, for each processor; and the instructions of its loops.
fn needs(region: &Region) -> Markup {
    let shown = |count: Option<u64>| count.map_or("not known".to_owned(), |count| count.to_string());
    html! {
        @if !region.resources.is_empty() {
            h4 { "What its code needs" }
            table {
                (titles(NEEDS))
                @for code in &region.resources {
                    tr {
                        th scope="row" { (said(&code.processor)) }
                        td { (shown(code.registers.map(u64::from))) }
                        td { (shown(code.stack_bytes.map(u64::from))) }
                        td { (shown(code.shared_bytes)) }
                    }
                }
            }
            @for code in &region.resources {
                @for sentence in words::at_once(code).into_iter().chain(words::together(code, region)) {
                    p.sub { "On " (said(&code.processor)) ", " (sentence) "." }
                }
                (instructions(code))
            }
        }
    }
}

fn instructions(code: &Resources) -> Markup {
    let counted: Vec<&LoopInstructions> = code.loops.iter().filter(|entry| !entry.counts.is_empty()).collect();
    html! {
        @if let Some(reason) = &code.uncounted {
            p.sub { "Instructions for " (said(&code.processor)) " were not counted: " (said(reason)) }
        }
        @if !counted.is_empty() {
            details {
                summary { "Instructions for " (said(&code.processor)) }
                ul { @for entry in counted { li { (words::instructions(entry)) } } }
            }
        }
    }
}

fn branches(region: &Region, context: &Context) -> Markup {
    let dividing: Vec<_> = region.branches.iter().filter(|branch| divides_warps(&branch.lanes)).collect();
    html! {
        @if !dividing.is_empty() {
            details {
                summary {
                    (counted(dividing.len() as u64, "condition")) " on which the threads of a warp may disagree"
                }
                ul {
                    @for branch in dividing {
                        li {
                            @match &branch.location {
                                Some(location) => { (context.place(location)) }
                                None => { "place not known" }
                            }
                            ": " (said(lanes(&branch.lanes)))
                            @if branch.ends_loop { "; it ends a loop" }
                        }
                    }
                }
            }
        }
    }
}

fn lanes(lanes: &Lanes) -> String {
    match (lanes.text(), lanes.reason()) {
        (Some(text), _) => format!("{}, lanes {text}", lanes.name()),
        (None, Some(reason)) => format!("{}: {reason}", lanes.name()),
        (None, None) => lanes.name().to_owned(),
    }
}

fn captures(captures: &[Capture]) -> Markup {
    let map = |capture: &Capture| match &capture.map {
        Some(map) => {
            let bytes = map.bytes.as_deref().unwrap_or("not known").to_owned();
            (format!("{}{}", map.kind.name(), words::map_notes(map)), bytes)
        }
        None => ("not shown here".to_owned(), String::new()),
    };
    html! {
        @if !captures.is_empty() {
            details {
                summary { (counted(captures.len() as u64, "variable")) " from outside" }
                table {
                    (titles(["name", "type", "map", "bytes"]))
                    @for capture in captures {
                        @let (kind, bytes) = map(capture);
                        tr {
                            th scope="row" { (said(&capture.name)) }
                            td { (said(&capture.ty)) }
                            td { (kind) }
                            td { (said(bytes)) }
                        }
                    }
                }
            }
        }
    }
}

fn quantity_text(quantity: &Quantity) -> &str {
    quantity.value.as_deref().or(quantity.unknown.as_deref()).unwrap_or("not known")
}
