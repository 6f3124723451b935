//! Accesses in loops that the plugin changed.

use ipda_models::report::{Access, ChangedNest, Class, Hardware, Loop, MemoryKind, Region, ValueType};
use ipda_models::sizes::Sizes;

use super::lanes::{active, found, sectors};
use super::runs::{ancestors, is_index};
use super::{Basis, all_blocks, own_block, words};
use crate::select::values::{NoNames, Scope, Values};

/// An access in loops that the plugin changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Changed {
    /// Bytes between neighbouring threads.
    Stride(i128),
    /// They are not the same everywhere, or for all sizes.
    Other,
    /// Only one thread of a row makes it.
    OneThread,
}

/// The count in the loops that the plugin made, within a row: neighbouring threads are one iteration of the fastest loop apart.
pub fn in_changed_loops(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Option<InChanged> {
    if access.memory == MemoryKind::Shared || matches!(access.class, Class::DataDependent | Class::Unknown) {
        return None;
    }
    let nest = region.changed_nest(access)?;
    let fastest = nest.fastest;
    let is_inside = ancestors(access, region).iter().any(|each| each.id == fastest.id);
    let (own, all) = ([own_block(access, region)], all_blocks(access, region));
    if !is_inside {
        // One thread of a row makes it.
        let needed = words(access, hardware);
        let group = access.group.as_ref().map(|_| {
            let of_thread = found(&[0], &all, access, hardware);
            (of_thread.sectors, of_thread.least)
        });
        return Some(InChanged { needed, basis: Basis::Exact, class: Class::Uniform, how: Changed::OneThread, group });
    }
    let offsets = |otherwise: Sizes| {
        let at = |lane: i128| {
            let number = of_lane(&nest, lane, values, otherwise)?;
            values.assumed(&access.address, &Fastest { fastest, number, region }, otherwise)
        };
        let first = at(0)?;
        active(access, hardware).into_iter().map(|lane| Some(at(lane)? - first)).collect::<Option<Vec<i128>>>()
    };
    // What holds for both is taken to hold for all sizes.
    let (places, other) = (offsets(Sizes::Counted)?, offsets(Sizes::Compared)?);
    let needed = sectors(&places, &own, hardware);
    let together = found(&places, &all, access, hardware);
    let step = |offsets: &[i128]| {
        let step = offsets.get(1).copied().unwrap_or(0);
        (0..).zip(offsets).all(|(lane, offset)| *offset == step * lane).then_some(step)
    };
    let how = match (step(&places), step(&other)) {
        (Some(step), Some(same)) if step == same => Changed::Stride(step),
        _ => Changed::Other,
    };
    let is_same = [&own[..], &all].iter().all(|of| sectors(&other, of, hardware) == sectors(&places, of, hardware));
    let (basis, class) = match is_same {
        true => (Basis::Exact, together.class),
        false => (Basis::Assumed, access.class),
    };
    let group = access.group.as_ref().map(|_| (together.sectors, together.least));
    Some(InChanged { needed, basis, class, how, group })
}

/// The number of the fastest loop's iteration that a lane of a row's first warp takes.
pub fn of_lane(nest: &ChangedNest<'_>, lane: i128, values: &Values, otherwise: Sizes) -> Option<i128> {
    let apart = nest.apart.map_or(Some(1), |apart| values.assumed(apart, &NoNames, otherwise))?;
    lane.checked_mul(apart)
}

/// What is found of an access in changed loops.
pub struct InChanged {
    pub needed: u64,
    pub basis: Basis,
    pub class: Class,
    pub how: Changed,
    /// Sectors of the access's group, and the fewest.
    pub group: Option<(u64, u64)>,
}

/// The iteration number of the fastest loop differs from thread to thread, those of the others do not.
struct Fastest<'a> {
    fastest: &'a Loop,
    number: i128,
    region: &'a Region,
}

impl Scope for Fastest<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(if is_index(self.fastest, name) { self.number } else { 0 })
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        // Arrays begin at a cache line.
        self.region.captures.iter().any(|capture| capture.name == name && capture.ty == ValueType::Pointer).then_some(0)
    }
}
