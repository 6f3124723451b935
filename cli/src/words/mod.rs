//! The words for people, each in one place.

pub mod terms;

use ipda_models::report::{
    Access, Class, Count, FunctionNote, Gain, Hardware, Lanes, Location, Loop, LoopInstructions, LoopKind, Map,
    MemoryKind, Mode, Names, Region, RegionKind, Resources,
};

/// That the plugin made grid-stride loops.
pub const GRID_STRIDE: &str = "each thread has its iterations in one loop, changed by the plugin: else its team would enter a parallel region for each of them";

/// That threads do several iterations at once, where the plugin made them.
pub fn at_once(code: &Resources) -> Option<String> {
    let several = code.loops.iter().filter_map(|entry| entry.place.at_once).max()?;
    let why = "changed by the plugin: their loads are under way together";
    Some(format!("each thread does {several} iterations at once, {why}"))
}

/// That threads take several iterations in lockstep where there are many, where the plugin made such loops: a launch of one team takes one at a time, and a
/// `num_teams` clause may ask for that. Of loops as written, also what else the kernel tests.
pub fn together(code: &Resources, region: &Region) -> Option<String> {
    let several = code.loops.iter().filter_map(|entry| entry.place.together).max()?;
    let asked = region.launch.num_teams.as_ref().map(|asked| asked.value.as_deref());
    let teams = match asked.map(|value| value.map(|value| (value, value.parse::<u64>()))) {
        Some(Some((_, Ok(1)))) => return None,
        None | Some(Some((_, Ok(_)))) => None,
        Some(Some((value, Err(_)))) => Some(format!("{} is more than 1", name_in(value))),
        Some(None) => Some("the num_teams clause asks for more than 1".to_owned()),
    };
    let names = Names::of(region);
    let guard = region.transformation.iter().flat_map(|change| &change.lockstep_guard);
    let tested = guard.map(|condition| names.in_text(&condition.text));
    let all: Vec<String> = ["there are enough".to_owned()].into_iter().chain(teams).chain(tested).collect();
    let why = "changed by the plugin: what it loads for one serves all";
    Some(format!("where {}, each thread takes {several} iterations in lockstep, {why}", and(&all)))
}

/// A name without brackets, where an expression is nothing else.
fn name_in(value: &str) -> &str {
    let name = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    name.filter(|name| !name.contains(['[', ']'])).unwrap_or(value)
}

/// `1 loop`, `2 loops`, `2 accesses`.
pub fn counted(n: impl Into<u64>, noun: &str) -> String {
    let n = n.into();
    let plural = match (n, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{n} {noun}{plural}")
}

/// `1234567` as `1,234,567`; what is beyond exact numbers, rounded, as `1.2e20`.
pub fn grouped(number: f64) -> String {
    const EXACT: f64 = 1e15;
    if number >= EXACT {
        return format!("{number:.1e}");
    }
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `0`, `0.4`, `56`: whole percents but below one, and never 100 for less.
pub fn percent_text(percent: f64) -> String {
    match percent {
        percent if percent > 0.0 && percent < 1.0 => format!("{:.1}", percent.max(0.1)),
        percent if percent < 100.0 => format!("{:.0}", percent.min(99.0)),
        percent => format!("{percent:.0}"),
    }
}

/// Three digits.
pub fn rounded(number: f64) -> String {
    let digits = (2 - number.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{number:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// `a`, `a and b`, `a, b and c`.
pub fn and(parts: &[String]) -> String {
    match parts {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        all => all.concat(),
    }
}

/// `1 kernel, 2 OpenMP target regions`.
pub fn regions_counted<'a>(regions: impl IntoIterator<Item = &'a Region>) -> String {
    let (mut targets, mut kernels) = (0_u64, 0_u64);
    for region in regions {
        match region.kind {
            RegionKind::Target => targets += 1,
            RegionKind::Kernel => kernels += 1,
        }
    }
    match (targets, kernels) {
        (0, 0) => "no OpenMP target region and no kernel".to_owned(),
        (targets, 0) => counted(targets, "OpenMP target region"),
        (0, kernels) => counted(kernels, "kernel"),
        (targets, kernels) => format!("{}, {}", counted(targets, "OpenMP target region"), counted(kernels, "kernel")),
    }
}

/// What people call a memory.
pub fn memory_name(memory: MemoryKind) -> &'static str {
    match memory {
        MemoryKind::Global => "global memory",
        MemoryKind::Shared => "shared memory",
    }
}

/// Whether the lanes of a warp may disagree.
pub fn divides_warps(lanes: &Lanes) -> bool {
    !matches!(lanes, Lanes::Uniform | Lanes::ByWarp)
}

/// All classes: those that cost most, those that may, those that are well.
pub const CLASSES: [Class; 9] = [
    Class::Uncoalesced,
    Class::BankConflict,
    Class::Strided,
    Class::Symbolic,
    Class::DataDependent,
    Class::Unknown,
    Class::Coalesced,
    Class::ConflictFree,
    Class::Uniform,
];

/// What a class means, for someone who reads it for the first time.
pub fn class_meaning(class: Class) -> &'static str {
    match class {
        Class::Uniform => "all threads of a warp use the same address",
        Class::Coalesced => "neighbouring threads use neighbouring bytes: the fewest sectors",
        Class::Strided => "more sectors than necessary, but threads still share some",
        Class::Uncoalesced => "each thread of a warp needs a sector of its own, most of it unused",
        Class::BankConflict => {
            "threads of a warp use different words of one bank of shared memory, one after the other"
        }
        Class::ConflictFree => "the words of a warp are in different banks of shared memory, or are one word",
        Class::Symbolic => {
            "the count depends on a value that is known only when the program runs: uncoalesced where the stride is a sector or more"
        }
        Class::DataDependent => "the address depends on values in memory, as in A[index[i]]",
        Class::Unknown => "not understood; the line below the access says why",
    }
}

/// An execution mode.
pub fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Spmd => "SPMD",
        Mode::Generic => "generic",
        Mode::MadeSpmd => "made SPMD",
        Mode::Unknown | Mode::AsOnHost => "unknown",
    }
}

/// The guarantees that any of the accesses rests on, each once.
pub fn guarantees<'a>(accesses: impl IntoIterator<Item = &'a Access>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for guarantee in accesses.into_iter().flat_map(|access| &access.assumptions) {
        if !all.iter().any(|reported| reported == guarantee.sentence()) {
            all.push(guarantee.sentence().to_owned());
        }
    }
    all
}

/// What all that is said of a region rests on.
pub fn relies_on(region: &Region) -> Vec<String> {
    let functions = region.functions.iter().map(FunctionNote::sentence);
    guarantees(&region.accesses).into_iter().chain(functions).collect()
}

/// `17:34`, without the column where that is not known.
pub fn place(location: Option<&Location>) -> String {
    match location {
        Some(location) if location.column > 0 => format!("{}:{}", location.line, location.column),
        Some(location) if location.line > 0 => location.line.to_string(),
        _ => "?".to_owned(),
    }
}

/// `4`, or `4..5` where the alignment matters.
pub fn count(count: Count) -> String {
    if count.aligned == count.worst { count.aligned.to_string() } else { format!("{}..{}", count.aligned, count.worst) }
}

/// What counts are made for.
pub fn counted_for(hardware: &Hardware) -> String {
    format!(
        "counted for the GPU {}: warps of {} threads, sectors of {} bytes, cache lines of {} bytes",
        hardware.name, hardware.warp_lanes, hardware.sector_bytes, hardware.line_bytes
    )
}

/// What a map does otherwise than its kind says, each behind a comma.
pub fn map_notes(map: &Map) -> String {
    let implicit = if map.implicit { ", implicit" } else { "" };
    let stays = if map.stays { ", not copied back, as it is never written" } else { "" };
    let made = if map.made_there { ", not copied there where all of it is overwritten" } else { "" };
    [implicit, stays, made].concat()
}

/// What a loop of the finished code consists of.
pub fn instructions(entry: &LoopInstructions) -> String {
    let place = match (entry.place.depth, entry.place.line) {
        (0, _) => "outside of loops".to_owned(),
        (depth, Some(line)) => format!("in a loop at line {line}, depth {depth}"),
        (depth, None) => format!("in a loop at depth {depth}"),
    };
    let count = |count: f64| (count * 100.0).round() / 100.0;
    let counts: Vec<String> =
        entry.counts.iter().map(|(class, of)| format!("{} {}", count(*of), class.name())).collect();
    format!("{place}: {}", counts.join(", "))
}

/// How many iterations a loop has, and who runs them.
pub fn iterations(each: &Loop) -> String {
    let who = match each.kind {
        LoopKind::DistributeParallelFor => "shared among all threads of all teams",
        LoopKind::Distribute => "shared among the teams",
        LoopKind::For => "shared among the threads of a team",
        LoopKind::Sequential => "one after the other in each thread",
    };
    match (each.trips.value.as_deref(), &each.trips.unknown) {
        (Some("1"), _) => format!("1 iteration, {who}"),
        (Some(trips), _) => format!("{trips} iterations, {who}"),
        (None, reason) => {
            format!("an unknown number of iterations ({}), {who}", reason.as_deref().unwrap_or("no reason is given"))
        }
    }
}

/// What people call a region.
pub fn region_name(region: &Region) -> String {
    let what = match region.kind {
        RegionKind::Target => "target region of",
        RegionKind::Kernel => "kernel",
    };
    format!("{what} {} ({})", region.function, region.location)
}

/// What people call a loop.
pub fn loop_name(each: &Loop) -> String {
    let line = each.location.as_ref().map(|location| format!(" (line {})", location.line)).unwrap_or_default();
    match &each.variable {
        Some(variable) => format!("loop over {variable}{line}"),
        None => format!("{}{line}", each.id),
    }
}

/// What expressions call a loop's iteration number.
pub fn index_name(each: &Loop) -> &str {
    each.index.as_deref().or(each.variable.as_deref()).unwrap_or(&each.id)
}

/// The region's loops with their depths, each before the loops inside of it, siblings in the order of the report.
pub fn in_tree_order(region: &Region) -> Vec<(usize, &Loop)> {
    let is_root = |each: &Loop| match &each.parent {
        None => true,
        // A parent that the report does not have must not hide the loop.
        Some(parent) => !region.loops.iter().any(|other| other.id == *parent),
    };
    let mut found = Vec::new();
    let mut pending: Vec<(usize, &Loop)> =
        region.loops.iter().rev().filter(|each| is_root(each)).map(|each| (0, each)).collect();
    while let Some((depth, each)) = pending.pop() {
        found.push((depth, each));
        let inner = region.loops.iter().rev().filter(|other| other.parent.as_ref() == Some(&each.id));
        pending.extend(inner.map(|other| (depth + 1, other)));
    }
    found
}

/// The loop's variable, or its id where that is not known or not the only one of its name.
pub fn short_name<'a>(id: &'a str, region: &'a Region) -> &'a str {
    let variable = region.loops.iter().find(|each| each.id == id).and_then(|each| each.variable.as_deref());
    match variable {
        Some(name) if region.loops.iter().filter(|each| each.variable.as_deref() == Some(name)).count() == 1 => name,
        _ => id,
    }
}

/// Whether another order of loops serves for its threads: its sectors alone would not have been reason enough.
pub fn is_for_threads(gain: &Gain) -> bool {
    /// What the plugin asks of an order that it takes for its sectors.
    const MIN_GAIN: f64 = 0.9;
    gain.sectors_after > MIN_GAIN * gain.sectors_before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0.0), "0");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(1_234_567.0), "1,234,567");
        assert_eq!(grouped(1.25e20), "1.2e20");
    }

    #[test]
    fn a_part_is_never_called_the_whole_or_nothing() {
        assert_eq!(percent_text(99.9), "99");
        assert_eq!(percent_text(0.001), "0.1");
        assert_eq!(percent_text(0.0), "0");
        assert_eq!(percent_text(100.0), "100");
    }
}
