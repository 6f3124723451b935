//! The text of `print<ipda>`: stable, a line a fact, for FileCheck.

use ipda_models::report::{
    Access, AccessKind, Branch, Charge, CodePlace, FalseSharingCause, HostCode, Lanes, Loop, LoopInstructions,
    LoopKind, MemoryKind, Mode, Quantity, Region, RegionKind, Reject, Report, Resources, Side, StrideKind,
    Transformation, TransformationState,
};
use ipda_models::versions::{DeviceVersion, VersionState};
use std::fmt::Write;

/// The whole report as text.
pub(crate) fn text(report: &Report) -> String {
    let mut out = String::new();
    for entry in &report.regions {
        region(&mut out, report, entry).expect("writing to a string succeeds");
    }
    for reject in &report.rejects {
        reject_line(&mut out, reject, "").expect("writing to a string succeeds");
    }
    out
}

fn region(out: &mut String, report: &Report, region: &Region) -> std::fmt::Result {
    let warp_lanes = report.hardware.warp_lanes;
    let side = match report.side {
        Side::Host => "host",
        Side::Device => "device",
    };
    writeln!(
        out,
        "{} '{}' at {} ({side}, {}: {})",
        if region.kind == RegionKind::Kernel { "kernel" } else { "region" },
        region.function,
        region.location,
        mode(region.mode),
        region.mode.meaning(region.kind)
    )?;
    for capture in &region.captures {
        write!(out, "  capture {} {}", capture.name, capture.ty)?;
        if let Some(map) = &capture.map {
            write!(out, " map {}", map.kind.name())?;
            if map.implicit {
                write!(out, " implicit")?;
            }
            if let Some(bytes) = &map.bytes {
                write!(out, " {bytes} bytes")?;
            }
        }
        writeln!(out)?;
    }
    for entry in &region.loops {
        loop_line(out, entry)?;
    }
    for entry in &region.accesses {
        access(out, entry)?;
        group(out, region, entry)?;
    }
    for entry in &region.branches {
        branch(out, entry)?;
    }
    let sectors = region.totals.sectors.as_deref().unwrap_or("0");
    writeln!(out, "  total sectors {sectors} without-count {}", region.totals.without_count)?;
    for sentence in region.mapping_sentences(warp_lanes) {
        writeln!(out, "  assumes '{sentence}'")?;
    }
    if let Some(reported) = &region.transformation {
        transformation(out, reported)?;
    }
    for entry in &region.resources {
        resources(out, entry)?;
    }
    for note in &region.functions {
        let place = note.location.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        writeln!(out, "  relies on '{}'{place}", note.sentence())?;
    }
    for limit in &region.limits {
        writeln!(out, "  limit {} met {} times", limit.name, limit.count)?;
    }
    for reject in &region.rejects {
        reject_line(out, reject, "  ")?;
    }
    Ok(())
}

fn transformation(out: &mut String, reported: &Transformation) -> std::fmt::Result {
    for (version, obstacles) in reported.parts() {
        let state = match version.map(|version| version.state) {
            Some(VersionState::Made) => "done",
            Some(VersionState::Possible) => "possible",
            None if reported.state == TransformationState::Best => "best",
            Some(VersionState::Left) | None => "left",
        };
        write!(out, "  transformation {state}")?;
        version.map_or(Ok(()), |version| version_words(out, version))?;
        writeln!(out)?;
        let guard = version.map_or(&[][..], |version| &version.guard);
        guard.iter().try_for_each(|condition| writeln!(out, "    if '{}'", condition.text))?;
        for reason in version.map_or(&[][..], |version| &version.rests_on).iter().chain(obstacles) {
            let places: Vec<String> = reason.locations.iter().map(|at| format!(" at {at}")).collect();
            writeln!(out, "    because '{}'{}", reason.text, places.concat())?;
        }
        let clause = version.and_then(|version| version.clause.as_ref());
        clause.map_or(Ok(()), |clause| writeln!(out, "    clause '{clause}'"))?;
    }
    Ok(())
}

fn version_words(out: &mut String, version: &DeviceVersion) -> std::fmt::Result {
    match version.recipe.promoted_arrays() {
        Some(arrays) => write!(out, " registers {}", arrays.join(" "))?,
        None => write!(out, " threads {}", version.recipe.threads_in_words())?,
    }
    if let Some(gain) = &version.gain {
        write!(out, " sectors {} to {}", gain.sectors_before, gain.sectors_after)?;
        write!(out, " of {} to {} threads", gain.threads_before, gain.threads_after)?;
        if let Some(name) = &gain.per_iteration_of {
            write!(out, " per iteration of {name}")?;
        }
    }
    Ok(())
}

fn resources(out: &mut String, resources: &Resources) -> std::fmt::Result {
    write!(out, "  code for {}", resources.processor)?;
    let numbers = [
        ("registers", resources.registers.map(u64::from)),
        ("stack bytes", resources.stack_bytes.map(u64::from)),
        ("shared bytes", resources.shared_bytes),
    ];
    for (name, number) in numbers {
        match number {
            Some(number) => write!(out, " {name} {number}")?,
            None => write!(out, " {name} ?")?,
        }
    }
    writeln!(out)?;
    resources.loops.iter().try_for_each(|entry| instructions(out, entry))?;
    resources.uncounted.iter().try_for_each(|reason| writeln!(out, "    instructions unknown '{reason}'"))
}

fn instructions(out: &mut String, entry: &LoopInstructions) -> std::fmt::Result {
    write!(out, "    ")?;
    code_place(out, &entry.place)?;
    entry.counts.iter().try_for_each(|(class, count)| write!(out, " {} {count}", class.name()))?;
    writeln!(out)
}

fn code_place(out: &mut String, place: &CodePlace) -> std::fmt::Result {
    write!(out, "depth {}", place.depth)?;
    if let Some(line) = place.line {
        write!(out, " line {line}")?;
    }
    if let Some(shared) = &place.shared {
        write!(out, " of {shared}")?;
    }
    write!(out, " runs {}", quantity(&place.executions))?;
    if place.chance < 1.0 {
        let digits = format!("{:.4}", place.chance);
        write!(out, " chance {}", digits.trim_end_matches('0').trim_end_matches('.'))?;
    }
    if let Some(several) = place.at_once {
        write!(out, " iterations-at-once {several}")?;
    }
    if let Some(several) = place.together {
        write!(out, " iterations-together {several}")?;
    }
    write!(out, ":")
}

fn host_code(out: &mut String, code: &HostCode) -> std::fmt::Result {
    writeln!(out, "  code for the host's {}", code.processor)?;
    for entry in &code.loops {
        write!(out, "    ")?;
        code_place(out, &entry.place)?;
        write!(out, " instructions {} loads {} stores {}", entry.instructions, entry.loads, entry.stores)?;
        write!(out, " calls {}", entry.calls)?;
        if !entry.cycles.is_empty() {
            write!(out, " cycles")?;
        }
        entry.cycles.iter().try_for_each(|(name, cycles)| write!(out, " {name} {cycles}"))?;
        writeln!(out)?;
    }
    code.unanalysed.iter().try_for_each(|reason| writeln!(out, "    code unknown '{reason}'"))
}

/// What the regions' code consists of, as text.
pub(crate) fn code(report: &Report) -> String {
    let mut out = String::new();
    for region in &report.regions {
        let written = writeln!(out, "region '{}'", region.function)
            .and_then(|()| region.resources.iter().try_for_each(|entry| resources(&mut out, entry)))
            .and_then(|()| region.host_code.iter().try_for_each(|entry| host_code(&mut out, entry)));
        written.expect("writing to a string succeeds");
    }
    out
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Spmd => "spmd",
        Mode::Generic => "generic",
        Mode::MadeSpmd => "made-spmd",
        Mode::Unknown | Mode::AsOnHost => "unknown",
    }
}

fn quantity(value: &Quantity) -> String {
    match (&value.value, &value.unknown) {
        (Some(value), _) => value.clone(),
        (None, Some(reason)) => format!("unknown '{reason}'"),
        (None, None) => "unknown".into(),
    }
}

fn loop_line(out: &mut String, entry: &Loop) -> std::fmt::Result {
    write!(out, "  {}", entry.id)?;
    if let Some(parent) = &entry.parent {
        write!(out, " in {parent}")?;
    }
    let kind = match entry.kind {
        LoopKind::DistributeParallelFor => "distribute-parallel-for",
        LoopKind::Distribute => "distribute",
        LoopKind::For => "for",
        LoopKind::Sequential => "sequential",
    };
    write!(out, " {kind}")?;
    if let Some(variable) = &entry.variable {
        write!(out, " {variable}")?;
    }
    if let Some(location) = &entry.location {
        write!(out, " at {location}")?;
    }
    write!(out, " trips {}", quantity(&entry.trips))?;
    if let Some(schedule) = &entry.schedule {
        write!(out, " schedule '{}'", schedule.sentence())?;
    }
    writeln!(out)
}

fn access(out: &mut String, access: &Access) -> std::fmt::Result {
    let kind = match access.kind {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
        AccessKind::CopyFrom => "copy-from",
        AccessKind::CopyTo => "copy-to",
    };
    let memory = if access.memory == MemoryKind::Shared { "shared " } else { "" };
    write!(out, "  {} {kind} {memory}{} {} bytes", access.id, access.object, access.bytes)?;
    if let Some(inside) = &access.in_loop {
        write!(out, " in {inside}")?;
    }
    if let Some(location) = &access.location {
        write!(out, " at {location}")?;
    }
    for location in &access.called_from {
        write!(out, " called-from {location}")?;
    }
    writeln!(out)?;
    writeln!(out, "    address {}", access.address)?;
    let stride = &access.stride;
    let text = stride.text.as_deref().unwrap_or("?");
    let reason = stride.reason.as_deref().unwrap_or("");
    let class = access.class.name();
    write!(out, "    stride ")?;
    match stride.kind {
        StrideKind::Constant => write!(out, "constant {text}")?,
        StrideKind::Vector => write!(out, "vector {text}")?,
        StrideKind::Symbolic => write!(out, "symbolic {text}")?,
        StrideKind::RowEnds => {
            let at_ends = stride.at_row_ends.as_deref().unwrap_or("?");
            let length = stride.row_length.as_deref().unwrap_or("?");
            write!(out, "row-ends {text} at row ends {at_ends} every {length} lanes")?;
        }
        StrideKind::PerLane => write!(out, "per-lane {text}")?,
        StrideKind::DataDependent => write!(out, "data-dependent '{reason}'")?,
        StrideKind::Unknown => write!(out, "unknown '{reason}'")?,
    }
    write!(out, " class {class}")?;
    if let Some(alone) = access.class_alone.filter(|alone| *alone != access.class) {
        write!(out, ", alone {}", alone.name())?;
    }
    if let Some(within) = access.class_within_rows {
        write!(out, ", within rows {}", within.name())?;
    }
    if let Some(count) = access.sectors {
        write!(out, " sectors {}..{}", count.aligned, count.worst)?;
    }
    if let Some(count) = access.lines {
        write!(out, " lines {}..{}", count.aligned, count.worst)?;
    }
    if let Some(passes) = access.bank_passes {
        write!(out, " bank passes {} of {}", passes.needed, passes.least)?;
    }
    writeln!(out)?;
    write!(out, "    runs {}", quantity(&access.executions))?;
    if let Some(condition) = access.condition() {
        write!(out, " if {condition}")?;
    }
    if let Some(active) = &access.active_lanes {
        write!(out, " active {}", lanes(active))?;
    }
    writeln!(out)?;
    if let Some(sharing) = &access.false_sharing {
        let cause = match sharing.cause {
            FalseSharingCause::Chunks => "chunks",
            FalseSharingCause::DynamicChunks => "dynamic-chunks",
            FalseSharingCause::ThreadNumber => "thread-number",
        };
        let (apart, line) = (sharing.bytes_apart, sharing.line_bytes);
        writeln!(out, "    false-sharing {apart} bytes apart, line {line}, by {cause}")?;
    }
    Ok(())
}

/// With which accesses it is counted.
fn group(out: &mut String, region: &Region, access: &Access) -> std::fmt::Result {
    match region.charge(access) {
        Charge::Own => Ok(()),
        Charge::Counted(group) => writeln!(out, "    in {}", group.id),
        Charge::Group(group) => {
            let members: Vec<&str> = group.members.iter().map(|member| &member.access[..]).collect();
            write!(out, "    {} of {}", group.id, members.join(" "))?;
            if let Some(count) = group.sectors {
                write!(out, " sectors {}..{}", count.aligned, count.worst)?;
            }
            if let Some(count) = group.lines {
                write!(out, " lines {}..{}", count.aligned, count.worst)?;
            }
            if let Some(least) = group.least {
                write!(out, " least {least}")?;
            }
            writeln!(out)
        }
    }
}

fn lanes(lanes: &Lanes) -> String {
    match (lanes.text(), lanes.reason()) {
        (Some(text), _) => format!("{} {text}", lanes.name()),
        (_, Some(reason)) => format!("{} '{reason}'", lanes.name()),
        (None, None) => lanes.name().into(),
    }
}

fn branch(out: &mut String, branch: &Branch) -> std::fmt::Result {
    write!(out, "  {}", if branch.ends_loop { "loop-end" } else { "branch" })?;
    if let Some(inside) = &branch.in_loop {
        write!(out, " in {inside}")?;
    }
    if let Some(location) = &branch.location {
        write!(out, " at {location}")?;
    }
    writeln!(out, " {}", lanes(&branch.lanes))
}

fn reject_line(out: &mut String, reject: &Reject, indent: &str) -> std::fmt::Result {
    write!(out, "{indent}reject {} '{}'", reject.name, reject.reason)?;
    if let Some(location) = &reject.location {
        write!(out, " at {location}")?;
    }
    writeln!(out)
}
