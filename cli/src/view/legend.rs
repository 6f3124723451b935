//! What the words in the tables mean; only those that were used.

use ipda_models::report::{Access, Branch, Class, Lanes, MemoryKind, Region, RegionKind, Report, StrideKind};

use super::accesses::{self, Costed};
use super::summary::WIDE;
use crate::document::{Detail, Document, Loops, Tone};
use crate::select::cost::Changed;
use crate::select::values::Values;
use crate::words::{CLASSES, class_meaning, divides_warps};

const LABEL: usize = 16;

/// Writes the legend, if there is anything to explain.
pub fn write(out: &mut Document, reports: &[Report], values: &Values) {
    let regions: Vec<&Region> = reports.iter().flat_map(|report| &report.regions).collect();
    let values = &values.afresh();
    let loops = out.extent.loops;
    let costed = |report| move |region| accesses::costed(region, report, values, loops);
    let costed: Vec<Costed> =
        reports.iter().flat_map(|report| report.regions.iter().flat_map(costed(report))).collect();
    let accesses: Vec<&Access> = costed.iter().map(|(access, _)| *access).collect();
    let branches: Vec<&Branch> = regions.iter().flat_map(|region| &region.branches).collect();
    let divides = branches.iter().any(|branch| divides_warps(&branch.lanes));
    if accesses.is_empty() && !divides {
        return;
    }
    let is_global = |access: &&Access| access.memory == MemoryKind::Global;
    out.heading("What the words mean");
    let mut entry = |word: &str, meaning: &str| out.labelled(2, LABEL, word, Tone::Plain, meaning);
    entry("warp", "threads that run in step; their accesses are served together");
    if divides
        || accesses.iter().any(|access| access.active_lanes.is_some() || access.stride.kind == StrideKind::PerLane)
    {
        entry("lane", "a thread's place in its warp, counted from 0");
    }
    if accesses.iter().any(is_global) {
        entry("sector", "the smallest piece of memory that is moved");
    }
    if !accesses.iter().all(is_global) {
        entry("passes", "how often a warp asks shared memory, each of whose banks gives one word a pass");
    }
    entry("stride", "bytes from one thread's address to the next thread's");
    let as_it_was = |kind| costed.iter().any(|(access, cost)| access.stride.kind == kind && cost.changed.is_none());
    if as_it_was(StrideKind::RowEnds) {
        entry("in a row", "the stride, but where a row of collapsed loops ends");
    }
    if as_it_was(StrideKind::PerLane) {
        entry("by lane", "the line below gives the distance of each lane");
    }
    if costed.iter().any(|(_, cost)| cost.changed == Some(Changed::Tile)) {
        entry("tile", "the threads of a warp take iterations of several loops");
    }
    if accesses.iter().any(is_global) {
        entry("sectors", "how many a warp touches: arrays aligned to a line..at worst");
    }
    entry("least", "the fewest that hold the bytes of a warp");
    if accesses.iter().any(|access| access.group.is_some()) {
        entry("group", "loads that find each other's sectors, counted once, for the first");
    }
    let runs = match regions.iter().all(|region| region.kind == RegionKind::Kernel) {
        true => "how often a thread makes the access in one run of the kernel",
        false => "how often a thread makes the access for one shared iteration",
    };
    entry("runs", runs);
    entry("[N]", "the value of N when the program runs");
    for each in CLASSES {
        if costed.iter().any(|(_, cost)| cost.class == each) {
            entry(each.name(), class_meaning(each));
        }
    }
    if divides {
        entry("branches", "where threads of a warp disagree, it goes one way after the other");
    }
    for (mark, meaning) in marks(&costed, &branches) {
        entry(mark, &meaning);
    }
    of_regions(out, &regions, &costed);
    if out.extent.detail == Detail::Full {
        out.labelled(
            2,
            LABEL,
            "greedy",
            Tone::Plain,
            "the count of a greedy fit of the addresses into 256-byte requests",
        );
    }
}

/// What tables and lines of whole regions say.
fn of_regions(out: &mut Document, regions: &[&Region], costed: &[Costed]) {
    let loops = out.extent.loops;
    let mut entry = |word: &str, meaning: &str| out.labelled(2, LABEL, word, Tone::Plain, meaning);
    let is_excessive = |(_, cost): &Costed| cost.class != Class::Coalesced && cost.class != Class::Uniform;
    if regions.len() > 1 || costed.iter().any(is_excessive) {
        entry("excess", "sectors beyond the fewest, of all warps in one launch");
    }
    if regions.iter().any(|region| region.transformation.is_some()) {
        match loops {
            Loops::AsRun => entry("changed", "what the plugin did; tables show the loops as they run"),
            Loops::AsWritten => entry("changed", "what the plugin did; tables show the loops as written"),
        }
        if regions.len() > 1 {
            entry(
                "loops",
                "changed in this way; possible: the plugin was not asked to; best: none are better; left: something stands in the way",
            );
        }
    }
    let mut entry = |word: &str, meaning: &str| out.labelled_from(WIDE, 2, LABEL, word, Tone::Plain, meaning);
    if regions.len() > 1 {
        entry("undecided", "accesses whose sectors the data decide, or that are not understood");
        if regions.iter().any(|region| !region.rejects.is_empty()) {
            entry("rejects", "parts of a region that were not understood");
        }
    }
}

/// What stands before rows, and what it means.
fn marks(costed: &[Costed<'_>], branches: &[&Branch]) -> Vec<(&'static str, String)> {
    let is_fixed = |branch: &Branch| matches!(branch.lanes, Lanes::Fixed { .. });
    let (mut marks, mut costly) = (Vec::new(), Vec::new());
    for (class, word) in [(Class::Uncoalesced, "uncoalesced"), (Class::BankConflict, "bank conflicts")] {
        if costed.iter().any(|(_, cost)| cost.class == class) {
            costly.push(word);
        }
    }
    if branches.iter().any(|branch| is_fixed(branch)) {
        costly.push("every warp is divided");
    }
    if !costly.is_empty() {
        marks.push(("!", costly.join(", or ")));
    }
    let is_open = |branch: &Branch| divides_warps(&branch.lanes) && !is_fixed(branch);
    if costed.iter().any(|(_, cost)| cost.known().is_none()) || branches.iter().any(|branch| is_open(branch)) {
        let is_by_warp = costed.iter().any(|(_, cost)| cost.is_by_warp());
        let or = if is_by_warp { ", or not the same in all warps" } else { "" };
        marks.push(("?", format!("not known before the program runs{or}")));
    }
    marks
}
