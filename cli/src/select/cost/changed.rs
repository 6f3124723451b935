//! Accesses in loops that the plugin changed.

use ipda_models::report::{Access, Class, Hardware, Loop, LoopKind, MemoryKind, Region, ValueType};
use ipda_models::sizes::Sizes;
use ipda_models::versions::DeviceVersion;

use super::lanes::{active, found, sectors};
use super::runs::{ancestors, is_index};
use super::{Basis, all_blocks, own_block, words};
use crate::select::values::{Scope, Values};

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
    let (_, fastest) = around(access, region)?;
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
        let at = |lane: i128| values.assumed(&access.address, &Fastest { fastest, lane, region }, otherwise);
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

/// The changed nest that an access is in, with its fastest loop: neighbouring threads take neighbouring iterations of that.
pub fn around<'a>(access: &Access, region: &'a Region) -> Option<(&'a DeviceVersion, &'a Loop)> {
    let around = ancestors(access, region);
    let is_around = |id: &str| around.iter().any(|each| each.id == id);
    region.transformation.as_ref()?.made().find_map(|version| {
        // What a clause collapsed has one number for all of its loops: other orders of it are counted as written.
        let named = version.recipe.threads().last().filter(|_| !version.recipe.is_order_of_collapsed())?;
        let fastest = region.loops.iter().find(|each| named.is(each))?;
        // The loop that threads share is around all of its nest.
        let parent = |each: &&'a Loop| region.loops.iter().find(|other| Some(&other.id) == each.parent.as_ref());
        let chain = std::iter::successors(Some(fastest), parent).take(region.loops.len());
        let shared = chain.into_iter().find(|each| each.kind != LoopKind::Sequential)?;
        is_around(&shared.id).then_some((version, fastest))
    })
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
    lane: i128,
    region: &'a Region,
}

impl Scope for Fastest<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(if is_index(self.fastest, name) { self.lane } else { 0 })
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        // Arrays begin at a cache line.
        self.region.captures.iter().any(|capture| capture.name == name && capture.ty == ValueType::Pointer).then_some(0)
    }
}
