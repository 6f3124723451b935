//! The facts of an access in words: tables, explanations and pages take them from here.

use ipda_models::report::{
    Access, AccessKind, Class, Hardware, Lanes, Loop, LoopKind, MemoryKind, Region, RegionKind, Stride, StrideKind,
};

use crate::select::cost::{Changed, Cost, all_iterations, ancestors, holds_numbers_of};
use crate::words::{and, counted, place};

/// `load and store of C`, `copy to buffer`, of accesses that differ in their kinds alone.
pub fn name(access: &Access, kinds: impl Iterator<Item = AccessKind>) -> String {
    let object = match access.object.as_str() {
        "?" => "an object that is not known",
        object => object,
    };
    let shared = if access.memory == MemoryKind::Shared { "shared " } else { "" };
    let mut is_copy = true;
    let kinds: Vec<String> = kinds
        .map(|kind| {
            is_copy &= matches!(kind, AccessKind::CopyFrom | AccessKind::CopyTo);
            if kind == AccessKind::Atomic { "atomic update".to_owned() } else { kind.name().to_owned() }
        })
        .collect();
    format!("{}{} {shared}{object}", and(&kinds), if is_copy { "" } else { " of" })
}

/// How far the threads of a warp are apart. `short` writes what is computed of the thread's number.
pub fn distance(stride: &Stride, short: impl Fn(&str) -> String) -> String {
    let Stride { kind, text, at_row_ends, row_length, .. } = stride;
    let text = text.as_deref().unwrap_or("?");
    match kind {
        StrideKind::Constant if text == "0" => "all threads use one address".to_owned(),
        StrideKind::Constant | StrideKind::Symbolic => format!("neighbouring threads are {text} bytes apart"),
        StrideKind::Vector => format!("the distances of the threads, in bytes: {text}"),
        StrideKind::PerLane => short(text),
        StrideKind::RowEnds => format!(
            "neighbouring threads are {text} bytes apart, and {} where a row of {} iterations ends between them",
            at_row_ends.as_deref().unwrap_or("?"),
            row_length.as_deref().unwrap_or("?")
        ),
        StrideKind::DataDependent | StrideKind::Unknown => "known only to the running program".to_owned(),
    }
}

/// The same in the loops as the plugin changed them.
pub fn changed_distance(changed: Changed) -> String {
    match changed {
        Changed::Stride(1) => "neighbouring threads are 1 byte apart".into(),
        Changed::Stride(bytes) => format!("neighbouring threads are {bytes} bytes apart"),
        Changed::Rows(bytes) => format!("neighbouring threads are {bytes} bytes apart, but where rows end"),
        Changed::OneThread => "one thread of a row makes the access".into(),
        Changed::Tile => "the threads of a warp go along several loops".into(),
        Changed::Other => "the distance of neighbouring threads depends on sizes".into(),
        Changed::Open => "the distance of neighbouring threads is a size that may be any".into(),
    }
}

/// Which lanes make it, where not all of a warp or none of it do.
pub fn lanes(access: &Access, hardware: &Hardware) -> Option<String> {
    let lanes = access.active_lanes.as_ref()?;
    match lanes {
        Lanes::Uniform | Lanes::ByWarp => None,
        Lanes::Fixed { .. } => {
            let (list, count) = (lanes.text()?, lanes.count()?);
            Some(format!("{list} of each warp ({count} of {})", hardware.warp_lanes))
        }
        Lanes::Symbolic { .. } => lanes.text().map(|text| format!("those with {text}")),
        Lanes::DataDependent { reason } | Lanes::Unknown { reason } => Some(format!("not known: {reason}")),
    }
}

/// How often a thread makes it in the loops as they were written, in numbers that are the same throughout an iteration of the loop that threads share;
/// none where these say nothing of it.
pub fn executions(access: &Access, region: &Region) -> Option<String> {
    let count = access.executions.value.as_deref()?;
    let loops = ancestors(access, region);
    let inner: Vec<&Loop> = loops.into_iter().take_while(|each| each.kind == LoopKind::Sequential).collect();
    if holds_numbers_of(count, &inner) { all_iterations(count, &inner, &inner) } else { Some(count.to_owned()) }
}

/// The same in words.
pub fn runs(access: &Access, region: Option<&Region>) -> String {
    let kind = region.map_or(RegionKind::Target, |region| region.kind);
    let count = match region {
        Some(region) => executions(access, region),
        None => access.executions.value.clone(),
    };
    let in_thread = match (count.as_deref(), &access.executions.unknown) {
        (Some("1"), _) => "once".to_owned(),
        (Some(count), _) => format!("{count} times"),
        (None, None) if access.executions.value.is_some() => {
            "an unknown number of times (loops around it have other lengths in each iteration)".to_owned()
        }
        (None, reason) => {
            format!("an unknown number of times ({})", reason.as_deref().unwrap_or("no reason is given"))
        }
    };
    let of = match kind {
        RegionKind::Target => "for one iteration of the loop that threads share",
        RegionKind::Kernel => "in one run of the kernel",
    };
    format!("{in_thread} in a thread {of}")
}

/// What is added where the loops that run keep its value.
pub const IN_REGISTER: &str =
    " as written; as it runs, once for all iterations of the innermost loop, in which the value stays in a register";

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
    let places = if places.is_empty() { String::new() } else { format!(" at {}", and(&places)) };
    let with = counted(group.members.len() as u64 - 1, "other load");
    Some(match own.needed {
        Some(needed) => {
            format!("with {with}{places}: {} of a warp together, {} would do", counted(needed, "sector"), own.least)
        }
        None => format!("with {with}{places}: {} of a warp together would do", counted(own.least, "sector")),
    })
}
