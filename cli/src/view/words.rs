//! The words for people, each in one place.

use ipda_models::report::{
    Access, Class, Count, FunctionNote, Lanes, Location, MemoryKind, Mode, Region, RegionKind, StrideKind,
};

use crate::select::cost::Cost;

/// What it means for people that threads go through their iterations in one loop.
pub const GRID_STRIDE: &str = "each thread goes through all its iterations in one loop (the plugin's change; LLVM's runtime enters a parallel region for each)";

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

/// Whether an access is uncoalesced for some values of the program's variables.
pub fn may_be_uncoalesced(access: &Access, cost: &Cost) -> bool {
    cost.class == Class::Symbolic && access.stride.kind == StrideKind::Symbolic
}

/// With what an access of a group is counted.
pub fn group(access: &Access, cost: &Cost, region: &Region) -> Option<String> {
    let (own, group) = (cost.group?, region.group_of(access)?);
    let others = group.members.iter().filter(|member| member.access != access.id);
    let find = |id: &str| region.accesses.iter().find(|each| each.id == id);
    let place_of = |id: &str| find(id).map(|each| place(each.location.as_ref()));
    if !own.is_first {
        let first = place_of(group.first()).unwrap_or_else(|| "?".into());
        return Some(format!("no sectors beyond those of the load at {first}, for which the group is counted"));
    }
    /// Places that a person reads.
    const NAMED: usize = 8;
    let mut places: Vec<String> = others.filter_map(|member| place_of(&member.access)).collect();
    places.dedup();
    let more = places.len().saturating_sub(NAMED);
    places.truncate(NAMED);
    if more > 0 {
        places.push(format!("{more} more"));
    }
    let places = if places.is_empty() { String::new() } else { format!(" at {}", super::and(&places)) };
    let with = counted(group.members.len() as u64 - 1, "other load");
    Some(match own.needed {
        Some(needed) => {
            format!("with {with}{places}: {} of a warp together, {} would do", counted(needed, "sector"), own.least)
        }
        None => format!("with {with}{places}: {} of a warp together would do", counted(own.least, "sector")),
    })
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
        if !all.iter().any(|told| told == guarantee.sentence()) {
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
