//! What remarks say, in sentences.

use ipda_llvm::RemarkKind;
use ipda_models::report::{
    Access, AccessKind, Branch, Capture, Charge, Class, Group, Lanes, Location, Loop, LoopKind, MemoryKind, Mode,
    Reason, Region, RegionKind, Report, Resources, StrideKind, Transformation, TransformationState,
};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, Gain, VersionState};

/// A remark: its kind, its name, its text, and the place that it is about.
pub(super) type Remark<'a> = (RemarkKind, &'static str, String, Option<&'a Location>);

/// What was done with the loops, or why nothing: a remark for each version.
pub(super) fn transformation_remarks(reported: &Transformation) -> Vec<Remark<'_>> {
    let mut remarks = Vec::new();
    for (version, obstacles) in reported.parts() {
        let (kind, name, text) = version.map_or_else(|| without_version_text(reported), version_text);
        let threads = version.map_or(&[][..], |version| version.recipe.threads());
        let at = obstacles.first().and_then(|reason| reason.locations.first());
        let at = at.or_else(|| threads.first().and_then(|entry| entry.location.as_ref()));
        remarks.push((kind, name, text, at));
    }
    remarks
}

fn without_version_text(reported: &Transformation) -> (RemarkKind, &'static str, String) {
    match reported.state {
        TransformationState::Best => {
            (RemarkKind::Analysis, "BestOrder", "no other order of the loops touches fewer sectors".into())
        }
        _ => {
            let reasons = reasons_text(&reported.reasons);
            let which = if reported.versions.is_empty() { "the loops" } else { "the other loops" };
            (RemarkKind::Missed, "NotCollapsed", format!("{which} are left as they are: {reasons}"))
        }
    }
}

fn version_text(version: &DeviceVersion) -> (RemarkKind, &'static str, String) {
    let names: Vec<&str> = version.recipe.threads().iter().map(|entry| &entry.name[..]).collect();
    let names = match &names[..] {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        all => all.concat(),
    };
    let gain = version.gain.as_ref().map_or(String::new(), gain_text);
    let conditions: Vec<&str> = version.guard.iter().map(|condition| &condition.text[..]).collect();
    let conditions = match &conditions[..] {
        [] => String::new(),
        all => format!("; where {}, as the kernel tests", all.join(", and ")),
    };
    let clause = version.clause.as_deref().map_or(String::new(), |clause| format!("; to write it yourself, {clause}"));
    let reasons = reasons_text(&version.reasons);
    let rests_on: String = version.rests_on.iter().map(|reason| format!("; {}", reason_text(reason))).collect();
    if let Some(promotion) = version.promotion_in_words() {
        let rests = format!("{conditions}{rests_on}");
        return match version.state {
            VersionState::Made => (RemarkKind::Passed, "Promoted", format!("{promotion}: {gain}{rests}")),
            VersionState::Possible => {
                (RemarkKind::Missed, "CouldPromote", format!("{promotion}, which was not asked for: {gain}{rests}"))
            }
            VersionState::Left => {
                (RemarkKind::Missed, "NotPromoted", format!("{promotion}, though {gain} then: {reasons}"))
            }
        };
    }
    let (verb, tile) = (version.recipe.participle(), version.recipe.tiles_in_words());
    let gain = if gain.is_empty() { "what that gains is not counted".to_owned() } else { gain };
    match version.state {
        VersionState::Made => (
            RemarkKind::Passed,
            "Collapsed",
            format!("{verb} the loops over {names}{tile}: {gain}{conditions}{rests_on}{clause}"),
        ),
        VersionState::Possible => (
            RemarkKind::Missed,
            "CouldCollapse",
            format!(
                "the loops over {names} could be {verb}{tile}, which was not asked for: {gain}{conditions}{rests_on}{clause}"
            ),
        ),
        VersionState::Left => {
            let though = version.gain.as_ref().and_then(lost_text);
            let though = though.map_or(String::new(), |gain| format!(", though {gain} then"));
            let text = format!("the loops over {names} are not {verb}{tile}{though}: {reasons}{clause}");
            (RemarkKind::Missed, "NotCollapsed", text)
        }
    }
}

/// What a version does to a warp's sectors and to the number of threads.
fn gain_text(gain: &Gain) -> String {
    let per = gain.per_iteration_of.as_deref().map_or(String::new(), |name| format!(" in an iteration of {name}"));
    // What is done for the number of threads alone reads as a loss of sectors otherwise.
    if gain.sectors_after >= gain.sectors_before && gain.threads_after > gain.threads_before {
        let before = match gain.sectors_after == gain.sectors_before {
            true => ", as before".to_owned(),
            false => format!(" instead of {}", gain.sectors_before),
        };
        return format!(
            "for {} {} threads share the work instead of {}; a warp touches {} sectors{per}{before}",
            Sizes::Compared,
            gain.threads_after,
            gain.threads_before,
            gain.sectors_after
        );
    }
    let threads = match gain.threads_after == gain.threads_before {
        true => String::new(),
        false => format!(", and {} threads share the work instead of {}", gain.threads_after, gain.threads_before),
    };
    format!(
        "for {} a warp touches {} sectors{per} instead of {}{threads}",
        Sizes::Compared,
        gain.sectors_after,
        gain.sectors_before
    )
}

/// What is lost where a version is not made; none where it would be no better in either.
fn lost_text(gain: &Gain) -> Option<String> {
    let Gain { sectors_before, sectors_after, threads_before, threads_after, .. } = gain;
    match (sectors_after < sectors_before, threads_after > threads_before) {
        (true, _) => Some(gain_text(gain)),
        (false, true) => {
            Some(format!("for {} {threads_after} threads share the work instead of {threads_before}", Sizes::Compared))
        }
        (false, false) => None,
    }
}

/// Each of them once: two that differ in their kind may read alike.
fn reasons_text(reasons: &[Reason]) -> String {
    let mut all: Vec<String> = Vec::new();
    for text in reasons.iter().map(reason_text) {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all.join("; ")
}

pub(super) fn reason_text(reason: &Reason) -> String {
    match &reason.locations[..] {
        [] => reason.text.clone(),
        [from, to] if from != to => format!("{}, from {from} to {to}", reason.text),
        [at, ..] => format!("{} at {at}", reason.text),
    }
}

pub(super) fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

pub(super) fn class_name(class: Class) -> &'static str {
    match class {
        Class::Symbolic => "dependent on sizes",
        Class::DataDependent => "dependent on data",
        plain => plain.name(),
    }
}

pub(super) fn region_text(region: &Region, report: &Report) -> String {
    let mode = match region.mode {
        Mode::Spmd => "SPMD mode: ",
        Mode::Generic => "generic mode: ",
        Mode::MadeSpmd => "made SPMD: ",
        Mode::Unknown | Mode::AsOnHost => "",
    };
    let classes: Vec<String> =
        region.totals.by_class.iter().map(|(class, count)| format!("{count} {}", class_name(*class))).collect();
    let classes = if classes.is_empty() { String::new() } else { format!(" ({})", classes.join(", ")) };
    let shared = region.accesses.iter().filter(|access| access.memory == MemoryKind::Shared).count();
    let memories = match shared {
        0 => "to global memory".to_owned(),
        shared => format!("to global memory and {shared} to shared memory"),
    };
    format!(
        "{}, {mode}{}; {}, {} {memories}{classes}, counted for {} with {} threads a warp",
        subject(region),
        region.mode.meaning(region.kind),
        plural(region.loops.len(), "loop", "loops"),
        plural(region.accesses.len() - shared, "access", "accesses"),
        report.hardware.name,
        report.hardware.warp_lanes,
    )
}

/// What a thread of the finished code takes, where that is known.
pub(super) fn resources_text(region: &Region) -> Option<String> {
    let registers = |code: &Resources| {
        let stack = code
            .stack_bytes
            .filter(|&bytes| bytes > 0)
            .map_or(String::new(), |bytes| format!(" and {bytes} bytes of stack"));
        Some(format!("{} registers{stack} on {}", code.registers?, code.processor))
    };
    let registers: Vec<String> = region.resources.iter().filter_map(registers).collect();
    (!registers.is_empty()).then(|| format!("a thread takes {}", registers.join(", ")))
}

/// What a launch leaves on the device although its clause, or clang for want of one, copies it back.
pub(super) fn not_copied_back_text(capture: &Capture) -> Option<String> {
    let map = capture.map.as_ref().filter(|map| map.stays)?;
    let name = &capture.name;
    let less = map.bytes.as_deref().map_or(String::new(), |bytes| format!(": {} bytes less", readable(bytes)));
    let clause = if map.implicit { "a clause map(to:)" } else { "map(to:) in place of map(tofrom:)" };
    Some(format!("{name} is never written here, and not copied back{less}; to write it yourself, {clause} for {name}"))
}

/// What a launch does not bring to the device although its clause, or clang for want of one, does.
pub(super) fn not_brought_text(capture: &Capture) -> Option<String> {
    let map = capture.map.as_ref().filter(|map| map.made_there)?;
    let name = &capture.name;
    let less = map.bytes.as_deref().map_or(String::new(), |bytes| format!(": {} bytes less", readable(bytes)));
    let clause = if map.implicit { "a clause map(from:)" } else { "map(from:) in place of map(tofrom:)" };
    Some(format!(
        "{name} is overwritten here, and not copied to the device where that is all of it{less}; to write it yourself, {clause} for {name}"
    ))
}

/// What a sentence about a region is about.
pub(super) fn subject(region: &Region) -> String {
    match region.kind {
        RegionKind::Target => format!("target region in '{}'", region.function),
        RegionKind::Kernel => format!("kernel '{}'", region.function),
    }
}

pub(super) fn loop_text(entry: &Loop) -> String {
    let kind = match entry.kind {
        LoopKind::DistributeParallelFor => "parallel over teams and threads",
        LoopKind::Distribute => "parallel over teams",
        LoopKind::For => "parallel over the threads of a team",
        LoopKind::Sequential => "sequential in each thread",
    };
    let name = entry.variable.as_deref().map_or_else(|| entry.id.clone(), |variable| format!("loop over {variable}"));
    let trips = match (&entry.trips.value, &entry.trips.unknown) {
        (Some(count), _) => format!("{count} iterations"),
        (None, reason) => format!("number of iterations not known ({})", reason.as_deref().unwrap_or("no reason")),
    };
    let schedule =
        entry.schedule.as_ref().map(|schedule| format!("; schedule {}", schedule.sentence())).unwrap_or_default();
    format!("{name}: {kind}, {trips}{schedule}")
}

pub(super) fn kind_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "load from",
        AccessKind::Store => "store to",
        AccessKind::Atomic => "atomic update of",
        AccessKind::CopyFrom => "copy from",
        AccessKind::CopyTo => "copy to",
    }
}

pub(super) fn stride_sentence(access: &Access) -> String {
    let stride = &access.stride;
    let text = stride.text.as_deref().unwrap_or("?");
    match stride.kind {
        StrideKind::Constant if text == "0" => "all threads of a warp use one address".into(),
        StrideKind::Constant | StrideKind::Symbolic => format!("neighbouring threads are {text} bytes apart"),
        StrideKind::Vector => format!("the threads of a warp are {text} bytes from the first"),
        StrideKind::PerLane => format!("each thread of a warp is {} bytes from the first", readable(text)),
        StrideKind::RowEnds => format!(
            "neighbouring threads are {text} bytes apart, and {} at row ends, every {} threads",
            stride.at_row_ends.as_deref().unwrap_or("?"),
            stride.row_length.as_deref().unwrap_or("?")
        ),
        StrideKind::DataDependent | StrideKind::Unknown => {
            format!(
                "the distance between neighbouring threads is not known: {}",
                stride.reason.as_deref().unwrap_or("no reason")
            )
        }
    }
}

/// The names of the sizes that a stride depends on.
fn sizes_of(stride: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in stride.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match &names[..] {
        [] => "the stride".to_owned(),
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        all => all.concat(),
    }
}

/// The beginning of an expression, if all of it is more than a person reads; the report has the whole.
pub(super) fn readable(text: &str) -> String {
    const READABLE: usize = 80;
    if text.chars().count() <= READABLE {
        return text.to_owned();
    }
    text.chars().take(READABLE - 3).chain("...".chars()).collect()
}

pub(super) fn access_text(access: &Access, region: &Region) -> String {
    let mut text = format!("{} ({} bytes): {}", what(access), access.bytes, stride_sentence(access));
    match access.class_within_rows {
        Some(within) => text.push_str(&format!("; {} within rows", class_name(within))),
        None => text.push_str(&format!("; {}", class_name(access.class))),
    }
    if let Some(count) = access.sectors {
        text.push_str(&format!(", {} a warp", sectors_text(count.aligned, count.worst)));
    }
    match region.charge(access) {
        Charge::Own => {}
        Charge::Group(group) => text.push_str(&format!("; {}", group_text(group))),
        Charge::Counted(group) => text.push_str(&format!("; counted with {}", first_of(group, region))),
    }
    if let Some(passes) = access.bank_passes {
        text.push_str(&format!(", {} a warp", plural(passes.needed as usize, "pass", "passes")));
    }
    if let Some(lanes) = &access.active_lanes
        && let (Lanes::Fixed { .. }, Some(list)) = (lanes, lanes.text())
    {
        text.push_str(&format!("; by threads {} of each warp", readable(&list)));
    }
    if let Some(runs) = &access.executions.value
        && runs != "1"
    {
        text.push_str(&format!("; runs {runs} times in each thread's iteration"));
    }
    if let Some(condition) = access.condition() {
        text.push_str(&format!("; if {}", readable(&condition)));
    }
    text
}

/// `together with 7 more accesses 32 sectors a warp`.
fn group_text(group: &Group) -> String {
    let others = plural(group.members.len() - 1, "more access", "more accesses");
    let sectors = group.sectors.map(|count| format!(", {} a warp", sectors_text(count.aligned, count.worst)));
    format!("together with {others}{}", sectors.unwrap_or_default())
}

/// The access for which a group is counted, by its place.
fn first_of(group: &Group, region: &Region) -> String {
    let first = region.accesses.iter().find(|access| access.id == group.first());
    let place = first.and_then(|first| first.location.as_ref());
    place.map_or_else(|| "an access before it".into(), |place| format!("the access at {place}"))
}

/// The access, as `store to shared tile`.
pub(super) fn what(access: &Access) -> String {
    let memory = if access.memory == MemoryKind::Shared { "shared " } else { "" };
    format!("{} {memory}{}", kind_name(access.kind), access.object)
}

/// Why a branch costs time, if it may.
pub(super) fn divergence_text(branch: &Branch) -> Option<String> {
    let text = readable(&branch.lanes.text().unwrap_or_default());
    let may = if branch.ends_loop {
        "threads of a warp may leave the loop one after the other"
    } else {
        "threads of a warp may go different ways"
    };
    Some(match &branch.lanes {
        Lanes::Uniform | Lanes::ByWarp => return None,
        Lanes::Fixed { .. } if branch.ends_loop => {
            format!("every warp is divided: threads {text} stay in the loop, the others leave it")
        }
        Lanes::Fixed { .. } => {
            format!("every warp is divided: threads {text} go one way, then the others the other way")
        }
        Lanes::Symbolic { .. } => {
            format!("{may}: those with {text} {}", if branch.ends_loop { "stay" } else { "go one way" })
        }
        Lanes::DataDependent { reason } | Lanes::Unknown { reason } => format!("{may}: {reason}"),
    })
}

pub(super) fn sectors_text(aligned: u64, worst: u64) -> String {
    if aligned == worst {
        plural(aligned as usize, "sector", "sectors")
    } else {
        format!("{aligned} to {worst} sectors")
    }
}

/// The bytes that a thread uses with an access and those of its group.
fn bytes_of_lane(access: &Access, region: &Region) -> u64 {
    region.group_of(access).map_or(access.bytes, Group::bytes_of_lane)
}

pub(super) fn missed_text(access: &Access, region: &Region, report: &Report) -> Option<(&'static str, String)> {
    // What the loops gain in which the kernel now runs is reported as done.
    if region.changed_stride(access).is_some_and(|stride| stride.unsigned_abs() <= access.bytes) {
        return None;
    }
    let bytes = access.lanes(report.hardware.warp_lanes).saturating_mul(bytes_of_lane(access, region));
    let group = region.group_of(access);
    let least = group.and_then(|group| group.least);
    let least = least.unwrap_or_else(|| match group {
        Some(_) => bytes.div_ceil(u64::from(report.hardware.sector_bytes)),
        None => access.least_sectors(&report.hardware),
    });
    let what = what(access);
    match access.class {
        Class::Uniform | Class::Coalesced | Class::ConflictFree => None,
        Class::BankConflict => {
            let passes = access.bank_passes?;
            Some((
                "BankConflict",
                format!(
                    "{what} has bank conflicts: {}; {} passes a warp instead of {}",
                    stride_sentence(access),
                    passes.needed,
                    passes.least
                ),
            ))
        }
        Class::Strided | Class::Uncoalesced => {
            let count = group.map_or(access.sectors, |group| group.sectors)?;
            let sectors = sectors_text(count.aligned, count.worst);
            let with = group.map_or_else(String::new, |group| match group.members.len() - 1 {
                1 => "with the other access of its group ".to_owned(),
                others => format!("with the {others} other accesses of its group "),
            });
            let stride = stride_sentence(access);
            Some((
                "Uncoalesced",
                format!("{what} is not coalesced: {stride}; {with}{sectors} a warp instead of {least}"),
            ))
        }
        Class::Symbolic if access.stride.kind == StrideKind::RowEnds => None,
        // Of shared memory, only conflicts that are sure are worth a word.
        _ if access.memory == MemoryKind::Shared => None,
        Class::Symbolic if access.stride.kind == StrideKind::PerLane => Some((
            "SymbolicStride",
            format!("{what} may not be coalesced: {}; {least} sectors a warp at best", stride_sentence(access)),
        )),
        Class::Symbolic => Some((
            "SymbolicStride",
            format!(
                "{what} is uncoalesced unless {} is tiny: {}; {least} sectors a warp at best",
                sizes_of(access.stride.text.as_deref().unwrap_or_default()),
                stride_sentence(access)
            ),
        )),
        Class::DataDependent => {
            Some(("DataDependent", format!("{what} may not be coalesced: {}", stride_sentence(access))))
        }
        Class::Unknown => Some(("UnknownStride", format!("{what} may not be coalesced: {}", stride_sentence(access)))),
    }
}
