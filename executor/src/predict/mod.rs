//! Joins what a report predicts with what the warps of a run did: strides lane by lane, and counts of sectors and lines.
//!
//! A prediction speaks of the differences between lanes only, so a warp access is judged relative to its first active lane, and
//! modulo 2^64 as addresses are. What the report leaves open (a value that nobody gives) is not checked, and is counted as such.

mod active;
mod branches;
mod by_place;
mod comparison;
mod distances;
mod expression;
mod groups;
mod reader;
mod summary;
mod verdict;
mod warp;

pub use branches::{BranchExample, BranchOutcome};
pub use by_place::WarpPlace;
pub use comparison::{Comparison, Launch};
pub use summary::{Difference, Example, JoinedSite, SiteOutcome, Summary, Tally};
pub use verdict::{Bound, CountVerdict, Unit, Verdict};
pub use warp::Warp;

use crate::record::{bank_passes, transactions};
use active::LaneSet;
use distances::Distances;
pub(crate) use expression::Expression;
use ipda_models::report::{Access, AccessKind, Count, Location, MemoryKind, Passes};
use ipda_symbolic::{Banks, MemoryGeometry};
use reader::Reader;
use smallvec::SmallVec;
use std::fmt;
use verdict::LanesVerdict;
use warp::lanes;

/// A target region, by what its kernel's name says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kernel {
    /// The function in the source.
    pub function: String,
    /// The directive's line.
    pub line: u32,
}

/// A place in the program that touches memory, as the report can name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SiteKey {
    /// The region.
    pub kernel: Kernel,
    /// Load, store, ...
    pub kind: AccessKind,
    /// Which memory.
    pub memory: MemoryKind,
    /// Bytes per lane.
    pub bytes: u64,
    /// Where in the source, where known.
    pub location: Option<Location>,
    /// The calls of the program's own functions around it, the nearest first.
    pub called_from: Vec<Location>,
}

impl fmt::Display for SiteKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bytes", self.kind.name(), self.bytes)?;
        match &self.location {
            Some(location) => write!(f, " at {location}")?,
            None => write!(f, " at an unknown place")?,
        }
        for location in &self.called_from {
            write!(f, ", called from {location}")?;
        }
        write!(f, " in the region of '{}' in line {}", self.kernel.function, self.kernel.line)
    }
}

/// What one access of a report says about a warp, with the program's values put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prediction {
    distances: Distances,
    bytes: u64,
    geometry: MemoryGeometry,
    /// Predicted numbers of sectors and lines, each with the unit's size.
    counts: SmallVec<[(u64, Count); 2]>,
    /// Predicted passes over the banks of shared memory.
    passes: Option<(Banks, Passes)>,
    /// The lanes that make the access.
    active: LaneSet,
    /// The number of the loop handed out to threads that it is in; the same for all accesses in that loop.
    root: Option<u32>,
    /// Lane 0's distance from a line boundary for which `Count::aligned` was counted.
    start: Option<u64>,
}

impl Prediction {
    /// Reads an access of a report, with the values that the program and the launch give.
    fn of(access: &Access, reader: &Reader<'_>, root: Option<u32>) -> Prediction {
        let geometry = &reader.geometry;
        let counts = [(geometry.sector_bytes, access.sectors), (geometry.line_bytes, access.lines)];
        // In a kernel of the source every thread comes to what is under no condition.
        let active = access.active_lanes.as_ref();
        Prediction {
            distances: Distances::of(access, reader),
            bytes: access.bytes,
            geometry: *geometry,
            counts: counts.into_iter().filter_map(|(unit, count)| Some((unit, count?))).collect(),
            passes: access.bank_passes.map(|passes| (reader.banks, passes)),
            active: active.map_or(LaneSet::Together, |lanes| LaneSet::of(lanes, &reader.setting, reader.symbols)),
            root,
            start: Expression::read(&access.address)
                .ok()
                .and_then(|address| address.constant_term(geometry.line_bytes)),
        }
    }

    /// Compares the byte addresses of the active lanes.
    pub fn check(&self, warp: &Warp<'_>) -> Verdict {
        let Warp { place, active, addresses } = *warp;
        if active.count_ones() < 2 {
            return Verdict::NotChecked;
        }
        self.distances.check(place, active, addresses)
    }

    /// Compares the lanes that make the access; gives those that were predicted, if they are others. `everyone`: the lanes of the warp
    /// that come, where all that there are do.
    fn check_active(&self, warp: &Warp<'_>, everyone: Option<u64>) -> LanesVerdict {
        let agrees = |agrees: bool, predicted: u64| {
            if agrees { LanesVerdict::Agrees } else { LanesVerdict::Differs { predicted } }
        };
        match (&self.active, everyone) {
            (LaneSet::Together, Some(everyone)) => agrees(warp.active == everyone, everyone),
            (set, everyone) => match set.masks(warp.place) {
                None => LanesVerdict::NotChecked,
                Some(masks) => {
                    let fits = |mask: u64| match everyone {
                        Some(everyone) => warp.active == mask & everyone,
                        None => warp.active & !mask == 0,
                    };
                    let fitting = masks.iter().any(|&mask| fits(mask));
                    agrees(fitting, masks.first().map_or(0, |mask| mask & everyone.unwrap_or(u64::MAX)))
                }
            },
        }
    }

    /// The lanes that the numbers are for.
    fn counted_lanes(&self) -> u64 {
        let all = if self.geometry.lanes >= u64::BITS { u64::MAX } else { (1 << self.geometry.lanes) - 1 };
        if let LaneSet::Fixed(mask) = self.active { mask & all } else { all }
    }

    /// Compares the sectors and lines that the active lanes touch, or the passes that they need, with the report's numbers.
    pub fn check_counts(&self, warp: &Warp<'_>) -> CountVerdict {
        let Warp { active, addresses, .. } = *warp;
        let Distances::Known(distances) = &self.distances else { return CountVerdict::NotChecked };
        let Some(first) = lanes(active).next() else { return CountVerdict::NotChecked };
        let Some(distance) = distances.get(first) else { return CountVerdict::NotChecked };
        // Where lane 0 is, or would be.
        let origin = addresses[first].wrapping_sub(*distance);
        let is_uniform = distances.iter().all(|&distance| distance == 0);
        let is_full = is_uniform || active == self.counted_lanes();
        let is_at_start = self.start == Some(origin % self.geometry.line_bytes);
        let alignment = if self.bytes == 0 { 1 } else { 1 << self.bytes.trailing_zeros() };
        let mut result = CountVerdict::NotChecked;
        for &(unit, count) in &self.counts {
            let predicted = match () {
                () if is_full && is_at_start => Bound::Exactly(count.aligned),
                () if origin % alignment == 0 => Bound::AtMost(count.worst),
                () => continue,
            };
            let measured = transactions(active, addresses, self.bytes, unit);
            if !predicted.allows(measured) {
                return CountVerdict::Differs { unit: Unit::Pieces(unit), predicted, measured };
            }
            result = CountVerdict::Agrees;
        }
        // Whichever bank lane 0 begins at: only where in a word matters.
        if let Some((banks, passes)) = &self.passes
            && origin % u64::from(banks.word_bytes.max(1)) == 0
        {
            let (needed, least) = bank_passes(active, addresses, self.bytes, banks);
            for (unit, predicted, measured) in
                [(Unit::Passes, passes.needed, needed), (Unit::LeastPasses, passes.least, least)]
            {
                let predicted = if is_full { Bound::Exactly(predicted) } else { Bound::AtMost(predicted) };
                if !predicted.allows(measured) {
                    return CountVerdict::Differs { unit, predicted, measured };
                }
            }
            result = CountVerdict::Agrees;
        }
        result
    }
}

#[cfg(test)]
mod tests;
