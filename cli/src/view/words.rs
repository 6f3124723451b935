//! What the costs of accesses are called.

use ipda_models::report::{Access, Class, Region, StrideKind};

use crate::select::cost::Cost;
use crate::words::{and, counted, place};

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
