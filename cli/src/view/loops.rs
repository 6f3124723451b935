//! A region's loop nest as a tree.

use ipda_models::report::{Access, Loop, LoopKind, MemoryKind, Region, Schedule};

use super::accesses::{Costed, READABLE};
use crate::document::{Detail, Document, Tone, elided};
use crate::words::{counted, in_tree_order};

/// Writes the tree, at the right of a label.
pub fn write(out: &mut Document, indent: usize, label_width: usize, region: &Region, costed: &[Costed<'_>]) {
    if region.loops.is_empty() {
        out.labelled(indent, label_width, "loops", Tone::Plain, "none");
        return;
    }
    for (nth, (depth, each)) in in_tree_order(region).iter().enumerate() {
        let label = if nth == 0 { "loops" } else { "" };
        let text = sentence(each, region, costed, out.extent.detail);
        out.labelled(indent, label_width + 2 * depth, label, Tone::Plain, &text);
    }
}

fn sentence(each: &Loop, region: &Region, costed: &[Costed<'_>], detail: Detail) -> String {
    let readable = |text: &str| if detail == Detail::Full { text.to_owned() } else { elided(text, READABLE) };
    let mut text = each.id.clone();
    if let Some(variable) = &each.variable {
        text += &format!(" {variable}");
    }
    match &each.location {
        Some(location) if location.file == region.location.file => text += &format!(", line {}", location.line),
        Some(location) => text += &format!(", {location}"),
        None => {}
    }
    let trips = match (each.trips.value.as_deref(), &each.trips.unknown) {
        (Some("1"), _) => "1 iteration".to_owned(),
        (Some(trips), _) => format!("{} iterations", readable(trips)),
        (None, Some(reason)) => format!("unknown number of iterations ({})", readable(reason)),
        (None, None) => "unknown number of iterations".to_owned(),
    };
    text += &format!(": {trips} {}", distribution(each, region, detail));
    if detail == Detail::Brief {
        return text;
    }
    // The report has the constant counts; given values may add others.
    let is_added = |access: &Access| access.sectors.is_none() && access.memory == MemoryKind::Global;
    let inside = costed.iter().filter(|(access, _)| access.in_loop.as_ref() == Some(&each.id) && is_added(access));
    let added: Vec<u64> = inside.filter_map(|(_, cost)| cost.known_charge()).collect();
    let without = u64::from(each.accesses_without_count).saturating_sub(added.len() as u64);
    let sectors = each.sectors.into_iter().chain(added).reduce(u64::saturating_add);
    if let Some(sectors) = sectors {
        text += &format!("; {} per warp and iteration", counted(sectors, "sector"));
    }
    if without > 0 {
        text += &format!("; {} whose count depends on sizes or data", counted(without, "access"));
    }
    text
}

/// Who runs the iterations, by which directive and schedule.
fn distribution(each: &Loop, region: &Region, detail: Detail) -> String {
    let (who, directive) = match each.kind {
        LoopKind::DistributeParallelFor if region.launch.is_one_team() => {
            ("over all threads of one team", "distribute parallel for")
        }
        LoopKind::Distribute if region.launch.is_one_team() => ("all in one team", "distribute"),
        LoopKind::DistributeParallelFor => ("over all threads of all teams", "distribute parallel for"),
        LoopKind::Distribute => ("over teams", "distribute"),
        LoopKind::For => ("over the threads of a team", "for"),
        LoopKind::Sequential => return "in each thread".to_owned(),
    };
    match &each.schedule {
        // What clang does without a clause needs no words.
        Some(Schedule::StaticChunked { chunk, .. }) if chunk == "1" && detail == Detail::Brief => {
            format!("{who} ({directive})")
        }
        Some(schedule) => format!("{who} ({directive}, schedule {})", schedule.sentence()),
        None => format!("{who} ({directive})"),
    }
}
