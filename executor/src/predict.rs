//! Joins what a report predicts with what the warps of a run did: strides lane by lane, and counts of sectors and lines.
//!
//! A prediction speaks of the differences between lanes only, so a warp access is judged relative to its first active lane, and
//! modulo 2^64 as addresses are. What the report leaves open (a value that nobody gives) is not checked, and is counted as such.

mod active;
mod branches;
mod by_place;
mod expression;

pub use branches::{BranchExample, BranchOutcome};
pub use by_place::WarpPlace;

use crate::machine::{Extent, WarpBranch};
use crate::program::BranchSite;
use crate::record::{bank_passes, transactions};
use active::LaneSet;
use branches::Branches;
use by_place::{ByPlace, Candidates, Setting, launch_value};
use expression::{Expression, split_list};
use ipda_models::report::{
    Access, AccessKind, Count, Location, LoopKind, MemoryKind, Passes, Region, RegionKind, Report, StrideKind,
};
use ipda_symbolic::{Banks, MemoryGeometry};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;

/// Examples of differences that are kept for each site.
const MAX_EXAMPLES: usize = 3;
/// The words of a report's mapping for counts that hold only where every team has full warps.
const FULL_WARPS: &str = "as teams of full warps do";
/// Likewise, where a warp's threads must be neighbours in x.
const WIDE_TEAMS: &str = "threads wide in x, or have one dimension";

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

/// One run of a kernel.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The region that runs.
    pub kernel: &'a Kernel,
    /// Teams.
    pub teams: Extent,
    /// Threads in each team.
    pub threads: Extent,
    /// The values of captured scalars by the name that the report prints, read as signed or unsigned as they are declared.
    pub symbols: &'a dyn Fn(&str) -> Option<i128>,
}

/// A site of a [`Comparison`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JoinedSite(pub u32);

/// Judges the warp accesses of one run while they happen.
#[derive(Debug)]
pub struct Comparison {
    sites: Vec<SiteOutcome>,
    /// The different predictions of each site's entries.
    predictions: Vec<Vec<Prediction>>,
    by_key: FxHashMap<SiteKey, JoinedSite>,
    branches: Branches,
    setting: Setting,
    /// Whether all threads of a team start the kernel together, so that all come to what is under no condition.
    is_kernel: bool,
    /// The lanes that made an access for which certain lanes are predicted, by warp.
    made: FxHashMap<(JoinedSite, WarpPlace), u64>,
    /// The lanes that work in a loop handed out to threads, by the loop's number and warp.
    working: FxHashMap<(u32, WarpPlace), u64>,
    /// Whether the report speaks of full warps and the run has others.
    is_outside_assumption: bool,
}

impl Comparison {
    /// Takes what the report says about the region that is launched; there may be several of one name, of which each counts.
    pub fn new(report: &Report, launch: &Launch<'_>) -> Comparison {
        let hardware = &report.hardware;
        let geometry = MemoryGeometry {
            lanes: hardware.warp_lanes,
            sector_bytes: hardware.sector_bytes.into(),
            line_bytes: hardware.line_bytes.into(),
        };
        let banks = Banks { count: hardware.banks, word_bytes: hardware.bank_bytes };
        let (teams, threads) = (launch.teams, launch.threads);
        let setting = Setting { teams, threads, lanes: geometry.lanes, iterations: None };
        let regions = report
            .regions
            .iter()
            .filter(|region| region.function == launch.kernel.function && region.location.line == launch.kernel.line);
        let mut comparison = Comparison {
            sites: Vec::new(),
            predictions: Vec::new(),
            by_key: FxHashMap::default(),
            branches: Branches::default(),
            setting,
            is_kernel: false,
            made: FxHashMap::default(),
            working: FxHashMap::default(),
            is_outside_assumption: false,
        };
        let has_parts_of_warps = !threads.count().is_multiple_of(geometry.lanes);
        let is_narrow = !threads.0[0].is_multiple_of(geometry.lanes) && threads.0[1..] != [1, 1];
        for (number, region) in (0..).zip(regions) {
            let assumes = |words: &str| region.mapping.iter().any(|sentence| sentence.contains(words));
            comparison.is_outside_assumption |=
                has_parts_of_warps && assumes(FULL_WARPS) || is_narrow && assumes(WIDE_TEAMS);
            comparison.is_kernel = region.kind == RegionKind::Kernel;
            let setting = Setting { iterations: iterations(region, &setting, launch.symbols), ..setting };
            comparison.branches.add(region, &setting, launch.symbols);
            let reader = Reader { geometry, banks, setting, symbols: launch.symbols };
            for access in &region.accesses {
                let key = SiteKey {
                    kernel: launch.kernel.clone(),
                    kind: access.kind,
                    memory: access.memory,
                    bytes: access.bytes,
                    location: access.location.clone(),
                    called_from: access.called_from.clone(),
                };
                let index = comparison.index(key);
                comparison.sites[index].entries.push((access.id.clone(), access.stride.kind));
                let root = root_loop(region, access).map(|root| number * region.loops.len() as u32 + root);
                let prediction = Prediction::of(access, &reader, root);
                let predictions = &mut comparison.predictions[index];
                if !predictions.contains(&prediction) {
                    predictions.push(prediction);
                    comparison.sites[index].predictions = predictions.len() as u32;
                }
            }
        }
        comparison
    }

    /// The site for a key, whether or not the report has an entry for it. Of memory that a team shares only what the report names is the
    /// user's; the rest is none.
    pub fn site(&mut self, key: SiteKey) -> Option<JoinedSite> {
        // A copy of a number of bytes that the report does not know.
        if !self.by_key.contains_key(&key) && matches!(key.kind, AccessKind::CopyFrom | AccessKind::CopyTo) {
            let unknown = SiteKey { bytes: 0, ..key.clone() };
            if let Some(&site) = self.by_key.get(&unknown) {
                return Some(site);
            }
        }
        if key.memory == MemoryKind::Shared && !self.by_key.contains_key(&key) {
            return None;
        }
        Some(JoinedSite(self.index(key) as u32))
    }

    fn index(&mut self, key: SiteKey) -> usize {
        let next = JoinedSite(self.sites.len() as u32);
        let site = *self.by_key.entry(key.clone()).or_insert(next);
        if site == next {
            self.sites.push(SiteOutcome {
                key,
                entries: Vec::new(),
                predictions: 0,
                tally: Tally::default(),
                differences: Vec::new(),
            });
            self.predictions.push(Vec::new());
        }
        site.0 as usize
    }

    /// The lanes that a warp has.
    fn lanes_of(&self, place: WarpPlace) -> u64 {
        let Setting { threads, lanes, .. } = self.setting;
        let count = threads.count().saturating_sub(place.warp.saturating_mul(lanes)).min(lanes);
        if count >= u64::BITS { u64::MAX } else { (1 << count) - 1 }
    }

    /// Takes one access of one warp.
    pub fn observe(&mut self, site: JoinedSite, warp: &Warp<'_>) {
        let Warp { place, active, addresses } = *warp;
        let index = site.0 as usize;
        let everyone = self.is_kernel.then(|| self.lanes_of(place));
        if let [Prediction { root: Some(root), active: set, .. }] = &self.predictions[index][..] {
            *self.working.entry((*root, place)).or_default() |= active;
            if let LaneSet::Fixed(_) = set {
                *self.made.entry((site, place)).or_default() |= active;
            }
        }
        let outcome = &mut self.sites[index];
        let tally = &mut outcome.tally;
        tally.warp_accesses += 1;
        let judged = self.predictions[index].iter().map(|prediction| {
            let stride = prediction.check(warp);
            // Where the lanes are elsewhere, the numbers are no second difference.
            let counts = match stride {
                Verdict::Differs { .. } => CountVerdict::NotChecked,
                _ => prediction.check_counts(warp),
            };
            (stride, counts, prediction.check_active(warp, everyone))
        });
        // Of several entries that the site may be, one must fit.
        let (stride, counts, made_by) =
            judged.min_by_key(|&(stride, counts, made_by)| rank(stride, counts, made_by)).unwrap_or(NOT_CHECKED);
        let difference = match (stride, counts) {
            (Verdict::Differs { lane, predicted, measured }, _) => Some(Difference::Lane { lane, predicted, measured }),
            (_, CountVerdict::Differs { unit, predicted, measured }) => {
                Some(Difference::Count { unit, predicted, measured })
            }
            _ => match made_by {
                LanesVerdict::Differs { predicted } => Some(Difference::Active { predicted, measured: active }),
                _ => None,
            },
        };
        let compared = matches!(stride, Verdict::Agrees | Verdict::AgreesInForm)
            || counts == CountVerdict::Agrees
            || made_by == LanesVerdict::Agrees;
        match difference {
            Some(_) if !self.is_outside_assumption => tally.wrong += 1,
            None if compared => tally.right += 1,
            _ => {}
        }
        match difference {
            Some(_) if self.is_outside_assumption => {
                tally.outside_assumption += 1;
                return;
            }
            Some(difference) if outcome.differences.len() < MAX_EXAMPLES => {
                let first_address = lanes(active).next().map_or(0, |lane| addresses[lane]);
                outcome.differences.push(Example { active, first_address, difference });
            }
            _ => {}
        }
        match stride {
            Verdict::Agrees => tally.agreeing += 1,
            Verdict::AgreesInForm => tally.agreeing_in_form += 1,
            Verdict::Differs { .. } => tally.differing += 1,
            Verdict::NotChecked => tally.not_checked += 1,
        }
        match counts {
            CountVerdict::Agrees => tally.counts_agreeing += 1,
            CountVerdict::Differs { .. } => tally.counts_differing += 1,
            CountVerdict::NotChecked => {}
        }
        match made_by {
            LanesVerdict::Agrees => tally.lanes_agreeing += 1,
            LanesVerdict::Differs { .. } => tally.lanes_differing += 1,
            LanesVerdict::NotChecked => {}
        }
    }

    /// Takes a warp at a branch of the user's code.
    pub fn observe_branch(&mut self, site: &BranchSite, branch: &WarpBranch) {
        if !site.is_runtime && !self.is_outside_assumption {
            let place = WarpPlace { team: branch.team, warp: branch.warp };
            self.branches.observe(site, place, branch.active, branch.taken);
        }
    }

    /// What came of the run.
    pub fn into_summary(mut self) -> Summary {
        // Lanes that work in a loop and are to make an access in it have made it in some iteration.
        let mut made: Vec<_> = std::mem::take(&mut self.made).into_iter().collect();
        made.sort_unstable_by_key(|&(key, _)| key);
        for ((site, place), measured) in made {
            let [Prediction { root: Some(root), active: LaneSet::Fixed(mask), .. }] =
                &self.predictions[site.0 as usize][..]
            else {
                continue;
            };
            let predicted = mask & self.working.get(&(*root, place)).copied().unwrap_or(0);
            let outcome = &mut self.sites[site.0 as usize];
            if measured & predicted != predicted && !self.is_outside_assumption {
                outcome.tally.wrong += 1;
                outcome.tally.lanes_differing += 1;
                if outcome.differences.len() < MAX_EXAMPLES {
                    let difference = Difference::Active { predicted, measured };
                    outcome.differences.push(Example { active: measured, first_address: 0, difference });
                }
            }
        }
        Summary { sites: self.sites, branches: self.branches.into_outcomes() }
    }
}

/// The loop handed out to threads that an access is in, by its place in the region's list.
fn root_loop(region: &Region, access: &Access) -> Option<u32> {
    let find = |id: &str| region.loops.iter().position(|each| each.id == id);
    let mut at = find(access.in_loop.as_deref()?);
    // No chain is longer than the list.
    for _ in 0..region.loops.len() {
        let index = at?;
        if matches!(region.loops[index].kind, LoopKind::DistributeParallelFor | LoopKind::For) {
            return u32::try_from(index).ok();
        }
        at = find(region.loops[index].parent.as_deref()?);
    }
    None
}

/// The most iterations of any loop of a region that is handed out; none where that is not known.
fn iterations(region: &Region, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<u64> {
    let shared = region.loops.iter().filter(|each| each.kind != LoopKind::Sequential);
    let value = |name: &str| symbols(name).or_else(|| launch_value(setting, name));
    let count = |text: Option<&String>| Expression::read(text?).ok()?.value(&value)?.to_u64();
    shared.map(|each| count(each.trips.value.as_ref())).try_fold(0, |most, count| Some(most.max(count?)))
}

const NOT_CHECKED: (Verdict, CountVerdict, LanesVerdict) =
    (Verdict::NotChecked, CountVerdict::NotChecked, LanesVerdict::NotChecked);

/// The order in which one of several verdicts is taken: an entry that cannot be checked may be the right one, so it comes before
/// one that differs.
fn rank(stride: Verdict, counts: CountVerdict, made_by: LanesVerdict) -> u32 {
    let others_differ =
        matches!(counts, CountVerdict::Differs { .. }) || matches!(made_by, LanesVerdict::Differs { .. });
    match stride {
        Verdict::Agrees if !others_differ => 0,
        Verdict::AgreesInForm if !others_differ => 1,
        Verdict::NotChecked if !others_differ => 2,
        Verdict::Differs { .. } => 4,
        _ => 3,
    }
}

/// Numbers of warp accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All.
    pub warp_accesses: u64,
    /// Those of which each lane is where it should be.
    pub agreeing: u64,
    /// Those whose lanes are equally far apart, where no more is predicted.
    pub agreeing_in_form: u64,
    /// Those with a lane elsewhere.
    pub differing: u64,
    /// Those with nothing to compare.
    pub not_checked: u64,
    /// Those that differ in a run that the report does not speak of: with a part of a warp in each team.
    pub outside_assumption: u64,
    /// Those whose sectors and lines are as many as the report says.
    pub counts_agreeing: u64,
    /// Those with another number of sectors or lines.
    pub counts_differing: u64,
    /// Those made by the lanes that the report says.
    pub lanes_agreeing: u64,
    /// Those made by others.
    pub lanes_differing: u64,
    /// Those of which something was compared, and everything was as predicted.
    pub right: u64,
    /// Those of which something was not.
    pub wrong: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.warp_accesses += other.warp_accesses;
        self.agreeing += other.agreeing;
        self.agreeing_in_form += other.agreeing_in_form;
        self.differing += other.differing;
        self.not_checked += other.not_checked;
        self.outside_assumption += other.outside_assumption;
        self.counts_agreeing += other.counts_agreeing;
        self.counts_differing += other.counts_differing;
        self.lanes_agreeing += other.lanes_agreeing;
        self.lanes_differing += other.lanes_differing;
        self.right += other.right;
        self.wrong += other.wrong;
    }
}

/// A warp access that is not as predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The active lanes, a bit each.
    pub active: u64,
    /// The address of the first of them.
    pub first_address: u64,
    /// What differs.
    pub difference: Difference,
}

/// What is not as predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A lane's distance from the first active lane in bytes.
    Lane {
        /// The lane.
        lane: u32,
        /// None where only equal distances are predicted.
        predicted: Option<i64>,
        /// The real distance.
        measured: i64,
    },
    /// The number of sectors, lines or passes.
    Count {
        /// What is counted.
        unit: Unit,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The lanes that make the access, a bit each.
    Active {
        /// Of the lanes that came, those that the report says.
        predicted: u64,
        /// Those that did.
        measured: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Lane { lane, predicted: Some(predicted), measured } => {
                write!(f, "lane {lane} is {measured} bytes from the first active lane, predicted are {predicted}")
            }
            Difference::Lane { lane, predicted: None, measured } => write!(
                f,
                "lane {lane} is {measured} bytes from the first active lane, which does not fit equal distances"
            ),
            Difference::Count { unit, predicted, measured } => {
                let verb = if matches!(unit, Unit::Pieces(_)) { "touches" } else { "needs" };
                write!(f, "the warp {verb} {measured} {unit}, predicted are {predicted}")
            }
            Difference::Active { predicted, measured } => {
                write!(f, "lanes {measured:#x} make the access, predicted are {predicted:#x}")
            }
        }
    }
}

/// What came of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteOutcome {
    /// The site.
    pub key: SiteKey,
    /// The report's accesses that it may be, with their kinds of stride; none where the report has no entry for it.
    pub entries: Vec<(String, StrideKind)>,
    /// How many different things they predict.
    pub predictions: u32,
    /// The warp accesses.
    pub tally: Tally,
    /// The first few that differ.
    pub differences: Vec<Example>,
}

/// What came of one run, or of several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// In the order of the report, then those that it has no entry for.
    pub sites: Vec<SiteOutcome>,
    /// Branches that the report has.
    pub branches: Vec<BranchOutcome>,
}

impl Summary {
    /// Adds what came of another run; sites of the same key are one, which happens where a kernel runs more than once.
    pub fn merge(&mut self, other: Summary) {
        let known: FxHashMap<SiteKey, usize> =
            self.sites.iter().enumerate().map(|(index, site)| (site.key.clone(), index)).collect();
        for site in other.sites {
            let Some(&index) = known.get(&site.key) else {
                self.sites.push(site);
                continue;
            };
            let here = &mut self.sites[index];
            here.tally += site.tally;
            here.predictions = here.predictions.max(site.predictions);
            let room = MAX_EXAMPLES.saturating_sub(here.differences.len());
            here.differences.extend(site.differences.into_iter().take(room));
        }
        for branch in other.branches {
            match self.branches.iter_mut().find(|known| known.location == branch.location) {
                Some(known) => {
                    known.checked += branch.checked;
                    known.differing += branch.differing;
                    known.wrong = known.wrong.take().or(branch.wrong);
                }
                None => self.branches.push(branch),
            }
        }
    }

    /// Warps at branches of which the report says which lanes go which way, and how many of them went otherwise.
    pub fn branches_checked(&self) -> (u64, u64) {
        self.branches.iter().fold((0, 0), |(all, wrong), each| (all + each.checked, wrong + each.differing))
    }

    /// The numbers of all sites together.
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for site in &self.sites {
            sum += site.tally;
        }
        sum
    }

    /// How many accesses of the report have a stride of this kind.
    pub fn entries_of(&self, kind: StrideKind) -> usize {
        self.sites.iter().flat_map(|site| &site.entries).filter(|(_, each)| *each == kind).count()
    }

    /// Sites with something that is not as predicted.
    pub fn differing(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| !site.differences.is_empty())
    }

    /// Everything that is not as predicted, a sentence each.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let sites = self.differing().flat_map(|site| {
            site.differences.iter().map(move |example| format!("{}: {}", site.key, example.difference))
        });
        let branches = self.branches.iter().filter_map(|branch| {
            branch.wrong.as_ref().map(|example| format!("branch at {}: {example}", branch.location))
        });
        sites.chain(branches)
    }

    /// Sites that are several entries of the report, which predict different things.
    pub fn ambiguous(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| site.predictions > 1)
    }

    /// Sites that ran and of which the report says nothing.
    pub fn without_entry(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| site.entries.is_empty() && site.tally.warp_accesses > 0)
    }

    /// Entries of the report that no warp came to.
    pub fn never_executed(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| !site.entries.is_empty() && site.tally.warp_accesses == 0)
    }
}

#[cfg(test)]
mod tests;
