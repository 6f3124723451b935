//! Accesses in loops that the plugin changed.

use ipda_models::report::{Access, ChangedNest, Class, Hardware, Loop, MemoryKind, Region, ValueType};
use ipda_models::sizes::Sizes;

use super::basis::Basis;
use super::blocks::{all_blocks, own_block, words};
use super::lanes::{active, found, sectors};
use super::runs::{ancestors, is_index};
use crate::select::values::{NoNames, Scope, Values};

/// An access in loops that the plugin changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Changed {
    /// Bytes between neighbouring threads.
    Stride(i128),
    /// The same within a row of the fastest loop's iterations, which ends within a warp.
    Rows(i128),
    /// They are not the same everywhere, or for all sizes.
    Other,
    /// They are a size that may be any, as in `a[i*s + j*t]`: none of the loops goes along what lies side by side for all sizes.
    Open,
    /// The threads of a warp are a tile of several loops' iterations.
    Tile,
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
        let least = None;
        return Some(InChanged {
            needed,
            least,
            basis: Basis::Exact,
            class: Class::Uniform,
            how: Changed::OneThread,
            group,
        });
    }
    let offsets = |otherwise: Sizes| {
        let at = |lane: i128| {
            let numbers = of_lane(&nest, region, lane, values, otherwise)?;
            values.assumed(&access.address, &OfLane { numbers, region }, otherwise)
        };
        let first = at(0)?;
        active(access, hardware).into_iter().map(|lane| Some(at(lane)? - first)).collect::<Option<Vec<i128>>>()
    };
    // What holds for both is taken to hold for all sizes.
    let (places, other) = (offsets(Sizes::Counted)?, offsets(Sizes::Compared)?);
    let alone = found(&places, &own, access, hardware);
    let (needed, least) = (alone.sectors, Some(alone.least));
    let together = found(&places, &all, access, hardware);
    let step = |offsets: &[i128]| {
        let step = offsets.get(1).copied().unwrap_or(0);
        (0..).zip(offsets).all(|(lane, offset)| *offset == step * lane).then_some(step)
    };
    let how = match (step(&places), step(&other)) {
        _ if !nest.tile.is_empty() => Changed::Tile,
        (Some(step), Some(same)) if step == same => Changed::Stride(step),
        _ => {
            let within = |places: &[i128], otherwise: Sizes| step_within_rows(&nest, region, places, values, otherwise);
            match (within(&places, Sizes::Counted), within(&other, Sizes::Compared)) {
                (Some(step), Some(same)) if step == same => Changed::Rows(step),
                _ if goes_along_nothing(access, region, values) => Changed::Open,
                _ => Changed::Other,
            }
        }
    };
    let is_same = [&own[..], &all].iter().all(|of| sectors(&other, of, hardware) == sectors(&places, of, hardware));
    let (basis, class) = match is_same {
        _ if how == Changed::Open => (Basis::Assumed, Class::Symbolic),
        true => (Basis::Exact, together.class),
        false => (Basis::Assumed, access.class),
    };
    let group = access.group.as_ref().map(|_| (together.sectors, together.least));
    Some(InChanged { needed, least, basis, class, how, group })
}

/// Whether no loop around an access moves it by the same for all sizes.
fn goes_along_nothing(access: &Access, region: &Region, values: &Values) -> bool {
    ancestors(access, region).into_iter().all(|each| {
        let step = |otherwise: Sizes| {
            let at =
                |number| values.assumed(&access.address, &OfLane { numbers: vec![(each, number)], region }, otherwise);
            Some(at(1)? - at(0)?)
        };
        match (step(Sizes::Counted), step(Sizes::Compared)) {
            (Some(step), Some(other)) => step == 0 || step != other,
            _ => false,
        }
    })
}

/// Bytes between the places of neighbouring lanes that are neighbouring iterations of the fastest loop, if these are the same for all.
fn step_within_rows(
    nest: &ChangedNest<'_>,
    region: &Region,
    places: &[i128],
    values: &Values,
    otherwise: Sizes,
) -> Option<i128> {
    let numbers = |lane: usize| of_lane(nest, region, lane as i128, values, otherwise);
    let mut steps = Vec::new();
    for (lane, pair) in places.windows(2).enumerate() {
        let (here, next) = (numbers(lane)?, numbers(lane + 1)?);
        let is_next = here.iter().zip(&next).all(|((of, number), (_, other))| {
            let by = if of.id == nest.fastest.id { 1 } else { 0 };
            *other == number + by
        });
        steps.extend(is_next.then(|| pair[1] - pair[0]));
    }
    steps.dedup();
    if let [step] = steps[..] { Some(step) } else { None }
}

/// The numbers of the iterations that a lane of a row's or tile's first warp takes, of each loop that has others than the first.
pub fn of_lane<'a>(
    nest: &ChangedNest<'a>,
    region: &'a Region,
    lane: i128,
    values: &Values,
    otherwise: Sizes,
) -> Option<Vec<(&'a Loop, i128)>> {
    let apart = |apart: Option<&str>| apart.map_or(Some(1), |apart| values.assumed(apart, &NoNames, otherwise));
    if nest.tile.is_empty() && nest.apart.is_none() {
        return Some(of_lane_in_rows(nest, region, lane, values, otherwise));
    }
    if nest.tile.is_empty() {
        return Some(vec![(nest.fastest, lane.checked_mul(apart(nest.apart)?)?)]);
    }
    let mut numbers: Vec<(&Loop, i128)> = Vec::new();
    let mut rest = lane;
    for part in nest.tile.iter().rev() {
        let lanes = i128::from(part.lanes.max(1));
        let moved = (rest % lanes).checked_mul(apart(part.apart)?)?;
        rest /= lanes;
        match numbers.iter_mut().find(|(of, _)| of.id == part.of.id) {
            Some((_, number)) => *number = number.checked_add(moved)?,
            None => numbers.push((part.of, moved)),
        }
    }
    Some(numbers)
}

/// The same where loops make the number of a thread together, of which the faster ones end within a warp.
fn of_lane_in_rows<'a>(
    nest: &ChangedNest<'a>,
    region: &'a Region,
    lane: i128,
    values: &Values,
    otherwise: Sizes,
) -> Vec<(&'a Loop, i128)> {
    let threads = nest.version.recipe.threads();
    let mut loops =
        threads.iter().rev().filter_map(|named| region.loops.iter().find(|entry| named.is(entry))).peekable();
    let (mut numbers, mut rest) = (Vec::new(), lane);
    while let Some(of) = loops.next() {
        let length = of.trips.value.as_deref().and_then(|trips| values.assumed_count(trips, &NoNames, otherwise));
        // How long a row is may depend on the row; the last loop takes what is left.
        let length = length.filter(|&length| length > 0 && loops.peek().is_some()).unwrap_or(i128::MAX);
        numbers.push((of, rest % length));
        rest /= length;
    }
    numbers
}

/// What is found of an access in changed loops.
pub struct InChanged {
    pub needed: u64,
    /// The fewest that hold the same bytes, where that is known.
    pub least: Option<u64>,
    pub basis: Basis,
    pub class: Class,
    pub how: Changed,
    /// Sectors of the access's group, and the fewest.
    pub group: Option<(u64, u64)>,
}

/// The iteration numbers of some loops differ from thread to thread, those of the others do not.
struct OfLane<'a> {
    numbers: Vec<(&'a Loop, i128)>,
    region: &'a Region,
}

impl Scope for OfLane<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        let own = self.numbers.iter().find(|(of, _)| is_index(of, name));
        Some(own.map_or(0, |(_, number)| *number))
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        // Arrays begin at a cache line.
        self.region.captures.iter().any(|capture| capture.name == name && capture.ty == ValueType::Pointer).then_some(0)
    }
}
