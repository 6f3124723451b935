//! Regions, loops, conditions and what was not understood, explained.

use ipda_models::report::{
    Branch, Dependence, Lanes, Location, Loop, Names, Reason, Region, Reject, Report, Transformation,
    TransformationState,
};

use super::source::{INDENT, LABEL, Sources};
use crate::action::of_reject_or_where;
use crate::document::{Document, Tone};
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::view::{clause_sentence, version_sentences};
use crate::words::{in_tree_order, iterations, loop_name, mode_name, region_name};

fn heading(out: &mut Document, sources: &mut Sources, location: &Location, name: &str) {
    out.heading(format!("{location}: {name}"));
    sources.write(out, INDENT, location);
    out.blank();
}

/// What happens to a region as a whole.
pub fn write_region(out: &mut Document, sources: &mut Sources, region: &Region, report: &Report, values: &Values) {
    heading(out, sources, &region.location, &region_name(region));
    let values = &values.afresh();
    let totals = Totals::of_region(region, report, values);
    let mode = format!("{}: {}", mode_name(region.mode), region.mode.meaning(region.kind));
    out.labelled(INDENT, LABEL, "mode", Tone::Plain, &mode);
    for sentence in region.mapping_sentences(report.hardware.warp_lanes) {
        out.labelled(INDENT, LABEL, "threads", Tone::Plain, &sentence);
    }
    for (nth, (_, each)) in in_tree_order(region).iter().enumerate() {
        let label = if nth == 0 { "loops" } else { "" };
        out.labelled(INDENT, LABEL, label, Tone::Plain, &format!("{}: {}", loop_name(each), iterations(each, region)));
    }
    for skewed in region.loops.iter().filter_map(|each| each.skewed.as_ref()) {
        out.labelled(INDENT, LABEL, "skewed", Tone::Plain, &skewed.sentence(region));
    }
    let classes: Vec<String> = totals.classes().map(|(class, count)| format!("{count} {}", class.name())).collect();
    let accesses = match totals.accesses() {
        0 => "none".to_owned(),
        count => format!("{count}: {}", classes.join(", ")),
    };
    out.labelled(INDENT, LABEL, "accesses", Tone::Plain, &accesses);
    out.labelled(INDENT, LABEL, "traffic", Tone::Plain, &totals.traffic_sentence());
    if let Some(basis) = totals.basis_sentence(values) {
        out.labelled(INDENT, LABEL, "", Tone::Plain, &format!("where {basis}"));
    }
    if let Some(change) = &region.transformation {
        write_change(out, sources, change, region);
    }
    for reject in &region.rejects {
        out.labelled(INDENT, LABEL, "left out", Tone::Doubtful, &reject.reason);
        out.labelled(INDENT, LABEL, "what helps", Tone::Plain, of_reject_or_where(reject));
    }
    out.blank();
}

/// How often a loop runs, and in which threads.
pub fn write_loop(out: &mut Document, sources: &mut Sources, each: &Loop, region: &Region, report: &Report) {
    let Some(location) = &each.location else { return };
    heading(out, sources, location, &format!("{} in the {}", loop_name(each), region_name(region)));
    out.labelled(INDENT, LABEL, "runs", Tone::Plain, &iterations(each, region));
    if let Some(schedule) = &each.schedule {
        out.labelled(INDENT, LABEL, "schedule", Tone::Plain, &schedule.sentence());
    }
    if let Some(skewed) = &each.skewed {
        out.labelled(INDENT, LABEL, "skewed", Tone::Plain, &skewed.sentence(region));
    }
    let ends = region.branches.iter().filter(|branch| branch.ends_loop && branch.in_loop.as_ref() == Some(&each.id));
    for branch in ends {
        if let Some(text) = divergence(branch, report) {
            out.labelled(INDENT, LABEL, "threads", Tone::Doubtful, &text);
        }
    }
    if let Some(change) = &region.transformation {
        write_change(out, sources, change, region);
    }
    out.blank();
}

/// On which threads a condition holds.
pub fn write_branch(out: &mut Document, sources: &mut Sources, branch: &Branch, region: &Region, report: &Report) {
    let Some(location) = &branch.location else { return };
    heading(out, sources, location, &format!("condition in the {}", region_name(region)));
    let text = divergence(branch, report);
    let tone = if text.is_some() { Tone::Doubtful } else { Tone::Plain };
    let text = text.unwrap_or_else(|| "the threads of a warp agree: it costs no more than the test".into());
    out.labelled(INDENT, LABEL, "threads", tone, &text);
    out.blank();
}

/// What was not understood.
pub fn write_reject(out: &mut Document, sources: &mut Sources, reject: &Reject) {
    let Some(location) = &reject.location else { return };
    heading(out, sources, location, "not understood");
    out.labelled(INDENT, LABEL, "because", Tone::Doubtful, &format!("{} [{}]", reject.reason, reject.name));
    out.labelled(INDENT, LABEL, "what helps", Tone::Plain, of_reject_or_where(reject));
    out.blank();
}

/// What was done with the loops; what stands in the way, with both lines, and what would remove it.
fn write_change(out: &mut Document, sources: &mut Sources, change: &Transformation, region: &Region) {
    let names = Names::of(region);
    for (version, obstacles) in change.parts() {
        let is_left = version.map_or(change.state != TransformationState::Best, |version| !version.is_right());
        for (nth, sentence) in version_sentences(change, version, region).iter().enumerate() {
            let label = if nth == 0 { "changed" } else { "" };
            let tone = if is_left && nth == 0 { Tone::Doubtful } else { Tone::Plain };
            out.labelled(INDENT, LABEL, label, tone, sentence);
        }
        if let Some(sentence) = version.and_then(|version| clause_sentence(version, region)) {
            out.labelled(INDENT, LABEL, "", Tone::Plain, &sentence);
        }
        for reason in version.map_or(&[][..], |version| &version.rests_on) {
            out.labelled(INDENT, LABEL, "relies on", Tone::Plain, &names.in_text(&reason.words()));
        }
        write_obstacles(out, sources, obstacles, &names);
    }
}

fn write_obstacles(out: &mut Document, sources: &mut Sources, obstacles: &[Reason], names: &Names<'_>) {
    for (nth, reason) in obstacles.iter().enumerate() {
        out.labelled(INDENT, LABEL, "in the way", Tone::Doubtful, &names.in_text(&reason.words()));
        let mut places = reason.locations.clone();
        places.dedup();
        let is_reported = nth > 0 && obstacles[nth - 1].locations == reason.locations;
        for (nth, location) in places.iter().enumerate().filter(|_| !is_reported) {
            let which = match (places.len(), nth) {
                (1, _) => "at",
                (_, 0) => "from",
                _ => "to",
            };
            out.labelled(INDENT, LABEL, "", Tone::Plain, &format!("{which} {location}"));
            sources.write(out, INDENT + LABEL, location);
        }
        if let Some(distance) = reason.dependence.as_deref().and_then(Dependence::distance) {
            let text = format!("from the earlier access to the later one: {}", names.in_text(&distance));
            out.labelled(INDENT, LABEL, "", Tone::Plain, &text);
        }
        let advice = reason.removal();
        // Several reasons in a row are often removed by one change.
        if obstacles.get(nth + 1).is_none_or(|next| next.removal() != advice) {
            out.labelled(INDENT, LABEL, "what helps", Tone::Plain, advice);
        }
    }
}

/// The loops of a region whose accesses wait for another order.
pub fn write_open_change(out: &mut Document, sources: &mut Sources, region: &Region) {
    let Some(change) = &region.transformation else { return };
    out.heading(format!("the loops of the {}", region_name(region)));
    write_change(out, sources, change, region);
    out.blank();
}

/// What it means that threads of a warp disagree; none where they agree.
fn divergence(branch: &Branch, report: &Report) -> Option<String> {
    let lanes = &branch.lanes;
    let cost = if branch.ends_loop {
        "some leave the loop earlier and wait for the others"
    } else {
        "the warp runs one way, then the other, while the rest of its threads wait"
    };
    let all = report.hardware.warp_lanes;
    let which = lanes.text().unwrap_or_default();
    let who = match lanes {
        Lanes::Uniform | Lanes::ByWarp => return None,
        Lanes::Fixed { .. } => {
            let count = lanes.count().unwrap_or_default();
            format!("it holds for {count} of the {all} threads of every warp (those with the numbers {which})")
        }
        Lanes::Symbolic { .. } => format!("it holds for the threads with {which}"),
        Lanes::DataDependent { reason } | Lanes::Unknown { reason } => {
            format!("for which threads it holds is not known: {reason}")
        }
    };
    Some(format!("{who}; where threads of a warp disagree, {cost}"))
}
