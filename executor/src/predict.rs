//! Joins what a report predicts with what the warps of a run did: strides lane by lane, and counts of sectors and lines.
//!
//! A prediction speaks of the differences between lanes only, so a warp access is judged relative to its first active lane, and
//! modulo 2^64 as addresses are. What the report leaves open (a value that nobody gives) is not checked, and is counted as such.

mod active;
mod branches;
mod by_place;
mod comparison;
mod expression;
mod summary;

pub use branches::{BranchExample, BranchOutcome};
pub use by_place::WarpPlace;
pub use comparison::{Comparison, JoinedSite, Launch};
pub use summary::{Difference, Example, SiteOutcome, Summary, Tally};

use crate::record::{bank_passes, transactions};
use active::LaneSet;
use by_place::{ByPlace, Candidates, Setting, launch_value};
use expression::{Expression, split_list};
use ipda_models::report::{Access, AccessKind, Count, Location, MemoryKind, Passes, StrideKind};
use ipda_symbolic::{Banks, MemoryGeometry};
use smallvec::SmallVec;
use std::fmt;

/// A target region, by what its kernel's name tells.
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

/// How far the lanes are from lane 0, in bytes modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Distances {
    Known(Vec<u64>),
    /// One of these, by where in a row of a collapsed nest the warp starts.
    OneOf(Vec<Vec<u64>>),
    /// Multiples of one difference whose value is not known.
    Multiples,
    /// By an expression in the lane's number and the warp's place: the distance from lane 0, or between neighbours.
    ByPlace(ByPlace, Reading),
    /// Nothing is predicted, or it has no value here.
    Open,
}

/// What an expression gives for each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The distance from lane 0.
    Distance,
    /// The distance between neighbouring lanes.
    Step,
}

/// A warp at an access.
#[derive(Debug, Clone, Copy)]
pub struct Warp<'a> {
    /// Which warp.
    pub place: WarpPlace,
    /// The lanes that take part, a bit each.
    pub active: u64,
    /// One byte address for each lane, of which those of the active lanes count.
    pub addresses: &'a [u64],
}

/// What comes of comparing the addresses of a warp with a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All active lanes are where they should be.
    Agrees,
    /// The lanes are equally far apart, as predicted; how far, the prediction leaves open.
    AgreesInForm,
    /// A lane is elsewhere.
    Differs {
        /// The first such lane.
        lane: u32,
        /// Its predicted distance from the first active lane in bytes; none where only the form is predicted.
        predicted: Option<i64>,
        /// Its real distance.
        measured: i64,
    },
    /// There is nothing to compare: no prediction, or a single active lane.
    NotChecked,
}

/// What comes of comparing the sectors and lines that a warp touches with the report's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountVerdict {
    /// As many as predicted, or no more than predicted where only the most is.
    Agrees,
    /// Another number.
    Differs {
        /// What is counted.
        unit: Unit,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The report has no numbers for such a warp.
    NotChecked,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Pieces of memory of so many bytes.
    Pieces(u64),
    /// Passes over the banks of shared memory.
    Passes,
    /// Passes that as many words need without any conflict.
    LeastPasses,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Pieces(bytes) => write!(f, "pieces of {bytes} bytes"),
            Unit::Passes => write!(f, "passes over the banks"),
            Unit::LeastPasses => write!(f, "passes over the banks at least"),
        }
    }
}

/// A predicted number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// This many.
    Exactly(u64),
    /// This many or fewer.
    AtMost(u64),
}

/// What predictions are read with.
struct Reader<'a> {
    geometry: MemoryGeometry,
    banks: Banks,
    setting: Setting,
    symbols: &'a dyn Fn(&str) -> Option<i128>,
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
        match &self.distances {
            Distances::Known(distances) => check_known(distances, active, addresses),
            Distances::OneOf(candidates) => {
                best(candidates.iter().map(|candidate| check_known(candidate, active, addresses)))
            }
            Distances::Multiples => check_multiples(active, addresses),
            Distances::ByPlace(by_place, reading) => {
                let Candidates { lanes, is_all } = &*by_place.values(place);
                let verdict = best(lanes.iter().map(|lanes| check_lanes(lanes, *reading, active, addresses)));
                match verdict {
                    // The place that the warp has is perhaps not among those that were tried.
                    Verdict::Differs { .. } if !is_all => Verdict::NotChecked,
                    _ => verdict,
                }
            }
            Distances::Open => Verdict::NotChecked,
        }
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

/// What comes of comparing the lanes that make an access with the report's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LanesVerdict {
    Agrees,
    Differs { predicted: u64 },
    NotChecked,
}

/// Of several verdicts the first that is none of a difference; of differences the one that fits the most lanes, which tells best what is
/// wrong.
fn best(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut best = Verdict::NotChecked;
    for verdict in verdicts {
        match (verdict, best) {
            (Verdict::Differs { lane, .. }, Verdict::Differs { lane: before, .. }) if lane <= before => {}
            (Verdict::Differs { .. }, _) => best = verdict,
            _ => return verdict,
        }
    }
    best
}

impl Bound {
    fn allows(self, measured: u64) -> bool {
        match self {
            Bound::Exactly(count) => measured == count,
            Bound::AtMost(count) => measured <= count,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Exactly(count) => write!(f, "{count}"),
            Bound::AtMost(count) => write!(f, "at most {count}"),
        }
    }
}

/// The active lanes, in ascending order.
fn lanes(active: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |lane| active >> lane & 1 == 1)
}

fn check_known(distances: &[u64], active: u64, addresses: &[u64]) -> Verdict {
    let mut active = lanes(active);
    let Some(first) = active.next().filter(|&lane| lane < distances.len()) else { return Verdict::NotChecked };
    for lane in active {
        // Only so many lanes were counted on.
        let Some(distance) = distances.get(lane) else { return Verdict::NotChecked };
        let predicted = distance.wrapping_sub(distances[first]);
        let measured = addresses[lane].wrapping_sub(addresses[first]);
        if predicted != measured {
            return Verdict::Differs {
                lane: lane as u32,
                predicted: Some(predicted as i64),
                measured: measured as i64,
            };
        }
    }
    Verdict::Agrees
}

/// As [`check_known`], where some lanes may have no value.
fn check_lanes(values: &[Option<u64>], reading: Reading, active: u64, addresses: &[u64]) -> Verdict {
    let distance = |(lane, value): (usize, &Option<u64>)| match (value, reading) {
        (None, _) if active >> lane & 1 == 0 => Some(0),
        (Some(value), Reading::Step) => Some(value.wrapping_mul(lane as u64)),
        (value, _) => *value,
    };
    let distances: Option<Vec<u64>> = values.iter().enumerate().map(distance).collect();
    distances.map_or(Verdict::NotChecked, |distances| check_known(&distances, active, addresses))
}

fn check_multiples(active: u64, addresses: &[u64]) -> Verdict {
    let mut active = lanes(active);
    let (Some(first), Some(second)) = (active.next(), active.next()) else { return Verdict::NotChecked };
    let measured = |lane: usize| addresses[lane].wrapping_sub(addresses[first]) as i64;
    let apart = |lane: usize| (lane - first) as i128;
    let mut verdict = Verdict::NotChecked;
    if i128::from(measured(second)) % apart(second) != 0 {
        return Verdict::Differs { lane: second as u32, predicted: None, measured: measured(second) };
    }
    for lane in active {
        if i128::from(measured(lane)) * apart(second) != i128::from(measured(second)) * apart(lane) {
            return Verdict::Differs { lane: lane as u32, predicted: None, measured: measured(lane) };
        }
        verdict = Verdict::AgreesInForm;
    }
    verdict
}

impl Distances {
    fn of(access: &Access, reader: &Reader<'_>) -> Distances {
        let (stride, lanes) = (&access.stride, reader.geometry.lanes as usize);
        let Some(text) = stride.text.as_deref() else { return Distances::Open };
        let symbols = |name: &str| (reader.symbols)(name).or_else(|| launch_value(&reader.setting, name));
        let value = |text: &str| Expression::read(text).ok().and_then(|expression| expression.residue(&symbols));
        let by_place = |text: &str| ByPlace::read(text, &reader.setting, reader.symbols);
        let multiples = |difference: u64| (0..lanes as u64).map(|lane| lane.wrapping_mul(difference)).collect();
        match stride.kind {
            StrideKind::Constant => value(text).map_or(Distances::Open, |value| Distances::Known(multiples(value))),
            StrideKind::Vector => {
                let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
                numbers.map(value).collect::<Option<Vec<u64>>>().map_or(Distances::Open, Distances::Known)
            }
            StrideKind::Symbolic => match value(text) {
                Some(value) => Distances::Known(multiples(value)),
                None => {
                    by_place(text).map_or(Distances::Multiples, |by_place| Distances::ByPlace(by_place, Reading::Step))
                }
            },
            StrideKind::PerLane => {
                by_place(text).map_or(Distances::Open, |by_place| Distances::ByPlace(by_place, Reading::Distance))
            }
            StrideKind::RowEnds => {
                let list = |text: &Option<String>| -> Option<Vec<u64>> {
                    split_list(text.as_deref()?).into_iter().map(value).collect()
                };
                let rows = value(text).zip(list(&stride.at_row_ends)).zip(list(&stride.row_length));
                rows.and_then(|((within, differences), lengths)| in_rows(within, &differences, &lengths, lanes))
                    .map_or(Distances::Open, Distances::OneOf)
            }
            StrideKind::DataDependent | StrideKind::Unknown => Distances::Open,
        }
    }
}

/// The lanes' distances for each place in the rows at which a warp can start; none where the lengths are no chain of divisors.
fn in_rows(within: u64, differences: &[u64], lengths: &[u64], lanes: usize) -> Option<Vec<Vec<u64>>> {
    /// For each lane, the longest row that ends before it.
    type Ends = Vec<Option<usize>>;
    if lengths.is_empty() || lengths.len() != differences.len() || lengths[0] == 0 {
        return None;
    }
    // With each pattern, the first lane before which the row of the latest length ends, if that is in the warp.
    let mut patterns: Vec<(Ends, Option<u64>)> = Vec::new();
    for (row, &length) in lengths.iter().enumerate() {
        // A row ends before lane `first` and each `length` lanes after it.
        let ending = |ends: &Ends, first: u64| {
            let mut ends = ends.clone();
            for lane in (first as usize..lanes).step_by(usize::try_from(length).unwrap_or(usize::MAX)) {
                ends[lane] = Some(row);
            }
            (ends, Some(first))
        };
        let shorter = row.checked_sub(1).map_or(1, |shorter| lengths[shorter]);
        if length == 0 || length % shorter != 0 {
            return None;
        }
        let before = match row {
            0 => vec![(vec![None; lanes], Some(1))],
            _ => std::mem::take(&mut patterns),
        };
        for (ends, first) in before {
            // A longer row ends only where a shorter one does.
            let Some(first) = first else {
                patterns.push((ends, None));
                continue;
            };
            let last = first + (length - shorter);
            patterns.extend((first..=last.min(lanes as u64 - 1)).step_by(shorter as usize).map(|at| ending(&ends, at)));
            if last >= lanes as u64 {
                patterns.push((ends, None));
            }
        }
    }
    let mut all: Vec<Vec<u64>> = Vec::new();
    for (ends, _) in patterns {
        let mut at = 0_u64;
        let distances: Vec<u64> = (0..lanes)
            .map(|lane| {
                if lane > 0 {
                    at = at.wrapping_add(ends[lane].map_or(within, |row| differences[row]));
                }
                at
            })
            .collect();
        if !all.contains(&distances) {
            all.push(distances);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests;
