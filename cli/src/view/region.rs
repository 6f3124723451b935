//! One region: how it runs, its loops, its accesses, and what was not understood.

use ipda_hwdb::Gpu;
use ipda_models::report::{
    Capture, Hardware, Limit, Mapping, MemoryKind, OnHost, Region, RegionKind, Reject, Report, Resources,
};
use ipda_models::sizes::Sizes;

use super::accesses::Costed;
use super::{accesses, branches, changes, devices, loops};
use crate::access::may_be_uncoalesced;
use crate::action::{self, Action, State};
use crate::document::{Detail, Document, Loops, Tone};
use crate::roofs::UnderRoofs;
use crate::select::totals::{Totals, per_iteration};
use crate::select::values::Values;
use crate::words::{
    CLASSES, GRID_STRIDE, and, at_once, counted, divides_warps, instructions, map_notes, memory_name, mode_name,
    relies_on, together,
};

/// Columns for the labels at the left.
const LABEL: usize = 11;
/// Sizes without a value that a line names; of more, only the number.
const MAX_NAMED: usize = 4;
/// The indentation of everything below a region's heading.
const INDENT: usize = 2;

/// Writes region `number` of the output: what to do, the accesses, then what they rest on; and what it is under the roofs of a device.
pub fn write(out: &mut Document, number: usize, region: &Region, report: &Report, values: &Values, gpu: Option<&Gpu>) {
    let hardware = &report.hardware;
    let costed = accesses::costed(region, report, &values.afresh(), out.extent.loops);
    out.heading(format!("[{number}] {}{}, {}", kind(region), region.function, region.location));
    write_actions(out, &action::of_region(region, report, values));
    out.blank();
    if !region.accesses.is_empty() {
        accesses::write(out, &costed, region, hardware);
        out.blank();
    }
    if region.branches.iter().any(|branch| divides_warps(&branch.lanes)) {
        branches::write(out, region, hardware);
        out.blank();
    }
    write_traffic(out, region, report, values);
    if let Some(gpu) = gpu {
        let found = UnderRoofs::of(region, report, Some(gpu), values);
        let text = found.map_or_else(|reason| format!("not predicted: {reason}"), |found| found.sentence());
        out.labelled(INDENT, LABEL, "roofline", Tone::Plain, &text);
    }
    write_list(out, "accesses", Tone::Plain, &class_counts(&costed, hardware));
    write_changes(out, region);
    for (device, sentences) in devices::differences(region) {
        write_list(out, &format!("on {}", device.processor), Tone::Plain, &sentences);
    }
    write_frame(out, region, report, &accesses::costed(region, report, &values.afresh(), Loops::AsWritten));
    if !region.rejects.is_empty() {
        out.indented(INDENT, Tone::Doubtful, "not understood");
        write_rejects(out, 2 * INDENT, &region.rejects);
    }
    out.blank();
}

/// What to do, a line each.
fn write_actions(out: &mut Document, actions: &[Action]) {
    for action in actions {
        let tone = if action.state == State::Todo { Tone::Bad } else { Tone::Plain };
        out.hanging(INDENT, LABEL, tone, &action.place(), &action.sentence());
        if let Some(text) = &action.in_source {
            out.labelled(INDENT, LABEL, "", Tone::Plain, &format!("in the source: {text}"));
        }
    }
}

/// How many sectors the region moves, and how many of them are excess.
fn write_traffic(out: &mut Document, region: &Region, report: &Report, values: &Values) {
    if region.accesses.is_empty() {
        return;
    }
    // Only sizes that this region needs are named.
    let aside = &values.afresh();
    let totals = Totals::of_region(region, report, aside);
    let text = match totals.sizes_of_figures(aside) {
        None => totals.traffic_sentence(),
        Some(_) if aside.missing().is_empty() => {
            format!(
                "depends on the data; with {} for what is not known: {}",
                Sizes::Counted.value(),
                totals.traffic_sentence()
            )
        }
        Some(_) => {
            let missing = aside.missing();
            let names = match missing.len() {
                ..=MAX_NAMED => and(&missing),
                count => format!("{} and {} more", missing[..MAX_NAMED].join(", "), count - MAX_NAMED),
            };
            let each = match missing.len() {
                1 => "it",
                2 => "both",
                _ => "each",
            };
            format!(
                "depends on {names}; with {} for {each} (-D {}=... gives another value): {}",
                Sizes::Counted.value(),
                missing[0],
                totals.traffic_sentence()
            )
        }
    };
    out.labelled(INDENT, LABEL, "traffic", Tone::Plain, &text);
    if out.extent.detail == Detail::Full && region.accesses.iter().any(|access| access.memory == MemoryKind::Global) {
        let costed = accesses::costed(region, report, aside, Loops::AsWritten);
        out.labelled(INDENT, LABEL, "total", Tone::Plain, &total(region, &costed, values));
    }
}

/// Under which conditions the changed loops run, or why the loops stay as they are.
fn write_changes(out: &mut Document, region: &Region) {
    if let Some(change) = &region.transformation {
        let reported = match out.extent.detail {
            Detail::Full => changes::sentences(change, region),
            Detail::Brief => changes::sentences_beside_the_action(change, region),
        };
        write_list(out, "changed", Tone::Plain, &reported);
    }
}

/// How the region runs.
fn write_frame(out: &mut Document, region: &Region, report: &Report, costed: &[Costed<'_>]) {
    let detail = out.extent.detail;
    loops::write(out, INDENT, LABEL, region, costed);
    let is_plain = |mapping: &Mapping| matches!(mapping, Mapping::Apart { iterations, .. } if iterations == "1");
    if detail == Detail::Full || !region.mapping.iter().all(is_plain) {
        write_list(out, "threads", Tone::Plain, &region.mapping_sentences(report.hardware.warp_lanes));
    }
    let divides = region.branches.iter().any(|branch| divides_warps(&branch.lanes));
    if divides || detail == Detail::Full && !region.branches.is_empty() {
        out.labelled(INDENT, LABEL, "branches", Tone::Plain, &branch_counts(region));
    }
    if detail == Detail::Full {
        let captures: Vec<String> = region.captures.iter().map(capture).collect();
        write_list(out, "captured", Tone::Plain, &captures);
    }
    let mode = format!("{}: {}", mode_name(region.mode), region.mode.meaning(region.kind));
    out.labelled(INDENT, LABEL, "mode", Tone::Plain, &mode);
    if detail == Detail::Full && region.grid_stride {
        out.labelled(INDENT, LABEL, "schedule", Tone::Plain, GRID_STRIDE);
    }
    let launches: Vec<String> = region.on_host.iter().map(launches).collect();
    write_list(out, "launches", Tone::Plain, &launches);
    let code: Vec<String> = region.resources.iter().flat_map(|code| code_of(code, region, detail)).collect();
    write_list(out, "code", Tone::Plain, &code);
    write_list(out, "relies on", Tone::Plain, &relies_on(region));
    let limits: Vec<String> = region.limits.iter().map(|limit| limit_met(limit, detail)).collect();
    write_list(out, "limits", Tone::Doubtful, &limits);
}

/// What a limit that was met means for the reader.
fn limit_met(limit: &Limit, detail: Detail) -> String {
    let places = match limit.count {
        1 => "one place".to_owned(),
        count => format!("{count} places"),
    };
    let meaning = limit.meaning().unwrap_or("what lies beyond is unknown");
    let name = if detail == Detail::Full { format!(" [{}]", limit.name) } else { String::new() };
    format!("the analysis gave up at {places}, where {meaning}; what is reported stays right{name}")
}

fn kind(region: &Region) -> &'static str {
    match region.kind {
        RegionKind::Target => "",
        RegionKind::Kernel => "kernel ",
    }
}

/// Writes one line for each of `rejects`.
pub fn write_rejects(out: &mut Document, indent: usize, rejects: &[Reject]) {
    for reject in rejects {
        let place = reject.location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default();
        let text = format!("{place}{} [{}]", reject.reason, reject.name);
        out.labelled(indent, 2, "-", Tone::Doubtful, &text);
    }
}

fn write_list(out: &mut Document, label: &str, tone: Tone, sentences: &[String]) {
    for (nth, sentence) in sentences.iter().enumerate() {
        out.labelled(INDENT, LABEL, if nth == 0 { label } else { "" }, tone, sentence);
    }
}

fn capture(capture: &Capture) -> String {
    let mut text = format!("{}: {}", capture.name, capture.ty);
    if let Some(map) = &capture.map {
        text += &format!(", map {}", map.kind.name());
        if let Some(bytes) = &map.bytes {
            text += &format!(", {bytes} {}", if bytes == "1" { "byte" } else { "bytes" });
        }
        text += &map_notes(map);
    }
    text
}

/// Where launches may run.
pub fn launches(on_host: &OnHost) -> String {
    match &on_host.reason {
        None => "may run on the host, if IPDA_OFFLOAD says so when the program runs".into(),
        Some(reason) => format!("stay on the device: {} [{}]", reason.reason, reason.name),
    }
}

/// What the finished code needs; with all details also what its loops consist of.
fn code_of(code: &Resources, region: &Region, detail: Detail) -> Vec<String> {
    let mut needs = Vec::new();
    needs.extend(code.registers.map(|count| format!("{} a thread", counted(u64::from(count), "register"))));
    let of = |bytes: u64, what: &str, each: &str| match bytes {
        0 => format!("no {what}"),
        bytes => format!("{} of {what} {each}", counted(bytes, "byte")),
    };
    needs.extend(code.stack_bytes.map(|bytes| of(u64::from(bytes), "stack", "a thread")));
    needs.extend(code.shared_bytes.map(|bytes| of(bytes, "shared memory", "a team")));
    if needs.is_empty() && detail == Detail::Brief {
        return Vec::new();
    }
    if needs.is_empty() {
        needs.push("what it needs is not known before linking".into());
    }
    let mut lines = vec![format!("{}: {}", code.processor, needs.join(", "))];
    lines.extend(at_once(code));
    lines.extend(together(code, region));
    if detail == Detail::Full {
        lines.extend(code.loops.iter().filter(|entry| !entry.counts.is_empty()).map(instructions));
        lines.extend(code.uncounted.as_ref().map(|reason| format!("instructions not counted: {reason}")));
    }
    lines
}

/// A line for each memory that is used.
fn class_counts(costed: &[Costed<'_>], hardware: &Hardware) -> Vec<String> {
    if costed.is_empty() {
        return vec!["none to global memory".to_owned()];
    }
    let of = |memory: MemoryKind| costed.iter().filter(move |(access, _)| access.memory == memory).collect();
    let both: [(MemoryKind, Vec<&Costed>); 2] =
        [MemoryKind::Global, MemoryKind::Shared].map(|memory| (memory, of(memory)));
    let used = both.iter().filter(|(_, accesses)| !accesses.is_empty());
    used.map(|(memory, accesses)| memory_counts(*memory, accesses, hardware)).collect()
}

fn memory_counts(memory: MemoryKind, accesses: &[&Costed<'_>], hardware: &Hardware) -> String {
    let mut counts = Vec::new();
    for each in CLASSES {
        let n = accesses.iter().filter(|(_, cost)| cost.class == each).count();
        if n > 0 {
            counts.push(format!("{n} {}", each.name()));
        }
    }
    let mut text = format!("{} to {}: {}", accesses.len(), memory_name(memory), counts.join(", "));
    // The usual case where array extents are arguments; it must not look harmless.
    if accesses.iter().any(|(access, cost)| may_be_uncoalesced(access, cost)) {
        let sector = hardware.sector_bytes;
        text += &format!("; symbolic strides of {sector} bytes or more are uncoalesced");
    }
    text
}

/// How many branches divide warps, and how many do not.
fn branch_counts(region: &Region) -> String {
    let dividing = region.branches.iter().filter(|branch| divides_warps(&branch.lanes)).count();
    let all = region.branches.len();
    match (all - dividing, dividing) {
        (_, 0) => format!("{} on which the threads of a warp agree", counted(all as u64, "condition")),
        (0, _) => format!("{} on which the threads of a warp may disagree", counted(dividing as u64, "condition")),
        (same, _) => format!(
            "{} on which the threads of a warp may disagree, {same} on which they agree",
            counted(dividing as u64, "condition")
        ),
    }
}

/// The sectors of a warp for one iteration, as an expression, with all details.
fn total(region: &Region, costed: &[Costed<'_>], values: &Values) -> String {
    let costed = costed.iter().map(|(access, cost)| (*access, cost));
    let (sectors, without) = per_iteration(region, costed, values);
    let without = match without {
        0 => String::new(),
        n => format!("; not in it: {} whose count depends on sizes or data", counted(n, "access")),
    };
    match sectors {
        Some(sectors) => {
            let noun = if sectors == "1" { "sector" } else { "sectors" };
            let unit = match region.kind {
                RegionKind::Target => "for one iteration of the parallel loop",
                RegionKind::Kernel => "for one run of the kernel",
            };
            format!("{sectors} {noun} per warp {unit}{without}")
        }
        None => "the count of each access depends on sizes or data".to_owned(),
    }
}
