//! A region: its nest of loops as a diagram, what became of it, and what its code needs.

use ipda_models::report::{
    Capture, Dependence, Gain, Lanes, Loop, Names, Quantity, Reason, Region, Resources, Transformation,
    TransformationState,
};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, VersionState};

use super::detail::{Context, list, row, sentence_case};
use super::entries::Kind;
use super::markup::{Html, html};
use super::words::{iterations, loop_name, mark, region_name};
use crate::action;
use crate::view::{clause_sentence, differences, launches, version_sentence};
use crate::words::{counted, divides_warps, in_tree_order, mode_name, relies_on};

/// Writes what there is to say about a region.
pub fn write(out: &mut Html, anchor: usize, nth: usize, context: &mut Context) {
    let region = &context.report().regions[nth];
    html!(out, "<h3 id=\"h" (anchor) "\">" (sentence_case(&region_name(region))) "</h3>");
    html!(out, "<p class=\"sub\">" {context.place(&region.location)} "</p>");
    for action in action::of_region(region, context.report(), &context.values) {
        html!(out, "<p class=\"helps\">" (sentence_case(&action.sentence())) ".");
        if let Some(text) = &action.in_source {
            html!(out, " <span class=\"sub\">In the source: " (text) ".</span>");
        }
        html!(out, "</p>");
    }
    if let Some(change) = &region.transformation {
        transformation(out, region, change, context);
    }
    html!(out, "<h4>Loops</h4>");
    nest(out, nth, None, context);
    context.predictions.write(out, nth);
    needs(out, region);
    html!(out, "<h4>How it runs</h4><dl>");
    row(out, "Mode", &format!("{}: {}", mode_name(region.mode), region.mode.meaning(region.kind)));
    for sentence in region.mapping_sentences(context.report().hardware.warp_lanes) {
        row(out, "Threads", &sentence);
    }
    let launch = [
        ("num_teams", &region.launch.num_teams),
        ("thread_limit", &region.launch.thread_limit),
        ("num_threads", &region.launch.num_threads),
    ];
    for (clause, quantity) in launch {
        if let Some(quantity) = quantity {
            row(out, "Launch", &format!("{clause}({})", quantity_text(quantity)));
        }
    }
    if let Some(chunk) = region.team_chunk {
        row(out, "Launch", &format!("a team takes {chunk} iterations at a time, whatever number of threads it has"));
    }
    for (device, sentences) in differences(region) {
        sentences.iter().for_each(|sentence| row(out, "Other devices", &format!("{}: {sentence}", device.processor)));
    }
    if let Some(on_host) = &region.on_host {
        row(out, "Launches", &launches(on_host));
    }
    let (sectors, without) = context.entries.per_iteration(nth);
    if let Some(sectors) = sectors {
        let without = match without {
            0 => String::new(),
            n => format!(", and {} whose count depends on sizes or data", counted(n, "access")),
        };
        row(out, "Sectors", &format!("{sectors} per warp for one iteration of the shared loop{without}"));
    }
    html!(out, "</dl>");
    branches(out, region, context);
    captures(out, &region.captures);
    if !region.rejects.is_empty() || !region.limits.is_empty() {
        html!(out, "<h4>Not understood</h4><ul>");
        for reject in &region.rejects {
            html!(out, "<li>" (reject.reason) " <code>" (reject.name) "</code>");
            if let Some(location) = &reject.location {
                html!(out, " " {context.place(location)});
            }
            html!(out, "</li>");
        }
        for limit in &region.limits {
            let meaning = limit.meaning().unwrap_or("what lies beyond is unknown");
            html!(out, "<li>The analysis gave up where " (meaning) "; what is told stays right <code>" (limit.name) "</code></li>");
        }
        html!(out, "</ul>");
    }
    list(out, "What the counts rely on", &relies_on(region));
}

/// The nest as boxes inside of each other, with the accesses of each loop. `here` is told apart.
pub fn nest(out: &mut Html, nth: usize, here: Option<&str>, context: &Context) {
    let region = &context.report().regions[nth];
    if region.loops.is_empty() {
        html!(out, "<p class=\"sub\">There are no loops.</p>");
    }
    html!(out, "<div class=\"nest\">");
    signs(out, region, None, context);
    let mut open = 0;
    for (depth, each) in in_tree_order(region) {
        while open > depth {
            html!(out, "</div>");
            open -= 1;
        }
        let position = position_in_threads(region, each);
        html!(out, "<div class=\"lp" (if position.is_some() { " fused" } else { "" }) (if here == Some(&each.id) { " here" } else { "" }) "\"><p>");
        match each.location.as_ref().and_then(|at| context.entries.of_place(at, Kind::Loop)) {
            Some(entry) => html!(out, "<a href=\"#e" (context.entries.anchor(entry)) "\">" (loop_name(each)) "</a>"),
            None => html!(out, (loop_name(each))),
        }
        if let Some(position) = position {
            html!(out, " <span class=\"tag\">" (position) "</span>");
        }
        html!(out, "<br><span class=\"sub\">" (iterations(each)) "</span></p>");
        signs(out, region, Some(&each.id), context);
        open += 1;
    }
    for _ in 0..open {
        html!(out, "</div>");
    }
    html!(out, "</div>");
}

/// The accesses directly in a loop, one sign each.
fn signs(out: &mut Html, region: &Region, in_loop: Option<&str>, context: &Context) {
    let mut entries: Vec<(usize, &str, _)> = Vec::new();
    for access in region.accesses.iter().filter(|access| access.in_loop.as_deref() == in_loop) {
        let entry = access.location.as_ref().and_then(|at| context.entries.of_place(at, Kind::Accesses));
        if let Some(entry) = entry
            && !entries.iter().any(|(known, ..)| *known == entry)
        {
            entries.push((entry, &access.object, mark(&context.entries.all[entry])));
        }
    }
    if entries.is_empty() {
        return;
    }
    html!(out, "<p class=\"signs\">");
    for (entry, object, mark) in entries {
        html!(out, "<a class=\"chip " (mark.class) "\" href=\"#e" (context.entries.anchor(entry)) "\">" (mark.sign) " " (object) "</a> ");
    }
    html!(out, "</p>");
}

/// What part of a thread's number a loop makes, where loops were fused.
fn position_in_threads(region: &Region, each: &Loop) -> Option<&'static str> {
    let versions = &region.transformation.as_ref()?.versions;
    let of_version = |version: &DeviceVersion| {
        if version.recipe.promoted_arrays().is_some() {
            return None;
        }
        let threads = version.recipe.threads();
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

fn transformation(out: &mut Html, region: &Region, change: &Transformation, context: &Context) {
    for (version, obstacles) in change.parts() {
        html!(out, "<p class=\"done\"><b>" (done(region, change, version)) "</b></p>");
        if !obstacles.is_empty() {
            html!(out, "<ul>");
            for (nth, reason) in obstacles.iter().enumerate() {
                // Several reasons in a row are often removed by one change.
                let removal = Some(reason.removal());
                let is_last = obstacles.get(nth + 1).is_none_or(|next| Some(next.removal()) != removal);
                self::reason(out, region, "Because ", reason, removal.filter(|_| is_last), context);
            }
            html!(out, "</ul>");
        }
        let Some(version) = version else { continue };
        if !version.rests_on.is_empty() {
            html!(out, "<ul>");
            for each in &version.rests_on {
                reason(out, region, "Relies on this: ", each, None, context);
            }
            html!(out, "</ul>");
        }
        if let Some(sentence) = clause_sentence(version, region) {
            html!(out, "<p>" (sentence_case(&sentence)) ".</p>");
        }
        let names = Names::of(region);
        if let Some(each) = &version.gain {
            gain(out, &names, each);
        }
        let guard: Vec<String> = version.guard.iter().map(|condition| names.in_text(&condition.text)).collect();
        list(out, "What the kernel tests each time; where it does not hold, it runs what was written", &guard);
    }
}

/// What became of the loops, or of one version of them.
fn done(region: &Region, change: &Transformation, version: Option<&DeviceVersion>) -> String {
    let Some(version) = version else {
        return match change.state {
            TransformationState::Best => "No other order of the loops touches fewer sectors.".into(),
            _ if change.versions.is_empty() => "The loops were left as they were written.".into(),
            _ => "The other loops were left as they were written.".into(),
        };
    };
    format!("{}.", sentence_case(&version_sentence(version, region)))
}

/// An item of a list: what stands in the way or what a version relies on, and where.
fn reason(out: &mut Html, region: &Region, what: &str, reason: &Reason, removal: Option<&str>, context: &Context) {
    let names = Names::of(region);
    html!(out, "<li>"(what)(names.in_text(&reason.words())));
    let mut places = reason.locations.clone();
    places.dedup();
    for (nth, location) in places.iter().enumerate() {
        html!(out, (if nth == 0 { ": " } else { ", " }) {context.place(location)});
    }
    if let Some(distance) = reason.dependence.as_deref().and_then(Dependence::distance) {
        html!(out, "<br>From the earlier access to the later one: " (names.in_text(&distance)) ".");
    }
    if let Some(removal) = removal {
        html!(out, "<br><span class=\"sub\">What helps: " (removal) ".</span>");
    }
    html!(out, "</li>");
}

fn gain(out: &mut Html, names: &Names<'_>, gain: &Gain) {
    let per = gain.per_iteration_of.as_ref().map(|name| format!(" in an iteration of {}", names.in_text(name)));
    let of = per.unwrap_or_default();
    html!(out, "<table class=\"gain\"><caption>As written \u{2192} changed, with " (Sizes::Compared) "</caption>");
    let rows = [
        (format!("sectors that a warp touches{of}"), gain.sectors_before, gain.sectors_after),
        ("threads that share the work".to_owned(), gain.threads_before, gain.threads_after),
    ];
    for (what, before, after) in rows.into_iter().filter(|(_, before, after)| before != after) {
        html!(out, "<tr><th scope=\"row\">" (what) "</th><td>" (rounded(before)) " \u{2192} " (rounded(after)) "</td></tr>");
    }
    html!(out, "</table>");
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Registers, stack, shared memory, for each processor; and the instructions of its loops.
fn needs(out: &mut Html, region: &Region) {
    if region.resources.is_empty() {
        return;
    }
    html!(
        out,
        "<h4>What its code needs</h4><table><tr><th scope=\"col\">processor</th><th scope=\"col\">registers a thread</th><th scope=\"col\">bytes of stack a thread</th><th scope=\"col\">bytes of shared memory a team</th></tr>"
    );
    let shown = |count: Option<u64>| count.map_or("not known".to_owned(), |count| count.to_string());
    for code in &region.resources {
        html!(out, "<tr><th scope=\"row\">" (code.processor) "</th><td>" (shown(code.registers.map(u64::from))) "</td><td>" (shown(code.stack_bytes.map(u64::from))) "</td><td>" (shown(code.shared_bytes)) "</td></tr>");
    }
    html!(out, "</table>");
    for code in &region.resources {
        instructions(out, code);
    }
}

fn instructions(out: &mut Html, code: &Resources) {
    if let Some(reason) = &code.uncounted {
        html!(out, "<p class=\"sub\">Instructions for " (code.processor) " were not counted: " (reason) "</p>");
    }
    let counted = code.loops.iter().filter(|entry| !entry.counts.is_empty());
    let sentences: Vec<String> = counted
        .map(|entry| {
            let place = match (entry.place.depth, entry.place.line) {
                (0, _) => "outside of loops".to_owned(),
                (depth, Some(line)) => format!("loop at line {line}, depth {depth}"),
                (depth, None) => format!("loop at depth {depth}"),
            };
            let counts: Vec<String> =
                entry.counts.iter().map(|(class, count)| format!("{} {}", rounded(*count), class.name())).collect();
            format!("{place}: {}", counts.join(", "))
        })
        .collect();
    if sentences.is_empty() {
        return;
    }
    html!(out, "<details><summary>Instructions for " (code.processor) "</summary><ul>");
    for sentence in sentences {
        html!(out, "<li>" (sentence) "</li>");
    }
    html!(out, "</ul></details>");
}

fn branches(out: &mut Html, region: &Region, context: &Context) {
    let dividing: Vec<_> = region.branches.iter().filter(|branch| divides_warps(&branch.lanes)).collect();
    if dividing.is_empty() {
        return;
    }
    html!(out, "<details><summary>" (counted(dividing.len() as u64, "condition")) " on which the threads of a warp may disagree</summary><ul>");
    for branch in dividing {
        html!(out, "<li>");
        match &branch.location {
            Some(location) => html!(out, { context.place(location) }),
            None => html!(out, "place not known"),
        }
        html!(out, ": " (lanes(&branch.lanes)) (if branch.ends_loop { "; it ends a loop" } else { "" }) "</li>");
    }
    html!(out, "</ul></details>");
}

fn lanes(lanes: &Lanes) -> String {
    match (lanes.text(), lanes.reason()) {
        (Some(text), _) => format!("{}, lanes {text}", lanes.name()),
        (None, Some(reason)) => format!("{}: {reason}", lanes.name()),
        (None, None) => lanes.name().to_owned(),
    }
}

fn captures(out: &mut Html, captures: &[Capture]) {
    if captures.is_empty() {
        return;
    }
    html!(out, "<details><summary>" (counted(captures.len() as u64, "variable")) " from outside</summary><table><tr><th scope=\"col\">name</th><th scope=\"col\">type</th><th scope=\"col\">map</th><th scope=\"col\">bytes</th></tr>");
    for capture in captures {
        let (kind, bytes) = match &capture.map {
            Some(map) => {
                let implicit = if map.implicit { ", without a clause" } else { "" };
                let stays = if map.stays { ", not copied back, as it is never written" } else { "" };
                let made = if map.made_there { ", not copied there where all of it is overwritten" } else { "" };
                (format!("{}{implicit}{stays}{made}", map.kind.name()), map.bytes.as_deref().unwrap_or("not known"))
            }
            None => ("not shown here".to_owned(), ""),
        };
        html!(out, "<tr><th scope=\"row\">" (capture.name) "</th><td>" (capture.ty) "</td><td>" (kind) "</td><td>" (bytes) "</td></tr>");
    }
    html!(out, "</table></details>");
}

fn quantity_text(quantity: &Quantity) -> &str {
    quantity.value.as_deref().or(quantity.unknown.as_deref()).unwrap_or("not known")
}
