//! Joins what a report predicts with what the warps of a run did: strides lane by lane, and counts of sectors and lines.
//!
//! A prediction speaks of the differences between lanes only, so a warp access is judged relative to its first active lane, and
//! modulo 2^64 as addresses are. What the report leaves open (a value that nobody gives) is not checked, and is counted as such.

use crate::record::transactions;
use ipda_models::report::{Access, AccessKind, Count, Location, Report, StrideKind};
use ipda_symbolic::{
    Atom, AtomId, Coeff, Interval, LoopId, MemoryGeometry, ParseError, Polynomial, Space, Symbol, Varies, parse,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::fmt;

/// Examples of differences that are kept for each site.
const MAX_EXAMPLES: usize = 3;
/// The words of a report's mapping for counts that hold only where every team has full warps.
const FULL_WARPS: &str = "as teams of full warps do";

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
    /// Nothing is predicted, or it has no value here.
    Open,
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
        /// What is counted: pieces of this many bytes.
        unit: u64,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The report has no numbers for such a warp.
    NotChecked,
}

/// A predicted number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// This many.
    Exactly(u64),
    /// This many or fewer.
    AtMost(u64),
}

impl Prediction {
    /// Reads an access of a report. `symbols` gives the values of captured scalars by the name that the report prints, read as
    /// signed or unsigned as they are declared.
    pub fn of(access: &Access, geometry: &MemoryGeometry, symbols: &dyn Fn(&str) -> Option<i128>) -> Prediction {
        let counts = [(geometry.sector_bytes, access.sectors), (geometry.line_bytes, access.lines)];
        Prediction {
            distances: Distances::of(access, geometry.lanes as usize, symbols),
            bytes: access.bytes,
            geometry: *geometry,
            counts: counts.into_iter().filter_map(|(unit, count)| Some((unit, count?))).collect(),
            start: Expression::read(&access.address)
                .ok()
                .and_then(|address| address.constant_term(geometry.line_bytes)),
        }
    }

    /// Compares the byte addresses of the active lanes; `addresses` has one for each lane, of which the others are not looked at.
    pub fn check(&self, active: u64, addresses: &[u64]) -> Verdict {
        if active.count_ones() < 2 {
            return Verdict::NotChecked;
        }
        match &self.distances {
            Distances::Known(distances) => check_known(distances, active, addresses),
            Distances::OneOf(candidates) => {
                // Of several that do not fit, the one that fits the most lanes tells best what is wrong.
                let mut best = Verdict::NotChecked;
                for candidate in candidates {
                    let verdict = check_known(candidate, active, addresses);
                    match (verdict, best) {
                        (Verdict::Differs { lane, .. }, Verdict::Differs { lane: before, .. }) if lane <= before => {}
                        (Verdict::Differs { .. }, _) => best = verdict,
                        _ => return verdict,
                    }
                }
                best
            }
            Distances::Multiples => check_multiples(active, addresses),
            Distances::Open => Verdict::NotChecked,
        }
    }

    /// Compares the sectors and lines that the active lanes touch with the report's numbers.
    pub fn check_counts(&self, active: u64, addresses: &[u64]) -> CountVerdict {
        let Distances::Known(distances) = &self.distances else { return CountVerdict::NotChecked };
        let Some(first) = lanes(active).next() else { return CountVerdict::NotChecked };
        let Some(distance) = distances.get(first) else { return CountVerdict::NotChecked };
        // Where lane 0 is, or would be.
        let origin = addresses[first].wrapping_sub(*distance);
        let is_uniform = distances.iter().all(|&distance| distance == 0);
        let is_full = is_uniform || lanes(active).eq(0..self.geometry.lanes as usize);
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
                return CountVerdict::Differs { unit, predicted, measured };
            }
            result = CountVerdict::Agrees;
        }
        result
    }
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
    fn of(access: &Access, lanes: usize, symbols: &dyn Fn(&str) -> Option<i128>) -> Distances {
        let stride = &access.stride;
        let Some(text) = stride.text.as_deref() else { return Distances::Open };
        let value = |text: &str| Expression::read(text).ok().and_then(|expression| expression.residue(symbols));
        let multiples = |difference: u64| (0..lanes as u64).map(|lane| lane.wrapping_mul(difference)).collect();
        match stride.kind {
            StrideKind::Constant => value(text).map_or(Distances::Open, |value| Distances::Known(multiples(value))),
            StrideKind::Vector => {
                let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
                numbers.map(value).collect::<Option<Vec<u64>>>().map_or(Distances::Open, Distances::Known)
            }
            StrideKind::Symbolic => {
                value(text).map_or(Distances::Multiples, |value| Distances::Known(multiples(value)))
            }
            StrideKind::RowEnds => {
                let list = |text: &Option<String>| -> Option<Vec<u64>> {
                    split_list(text.as_deref()?).into_iter().map(value).collect()
                };
                let rows = value(text).zip(list(&stride.at_row_ends)).zip(list(&stride.row_length));
                rows.and_then(|((within, differences), lengths)| in_rows(within, &differences, &lengths, lanes))
                    .map_or(Distances::Open, Distances::OneOf)
            }
            StrideKind::PerLane | StrideKind::DataDependent | StrideKind::Unknown => Distances::Open,
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

/// Splits at the commas that are in no parentheses or brackets.
fn split_list(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// An expression of a report, with the names that occur in it.
struct Expression {
    space: Space,
    polynomial: Polynomial,
}

impl Expression {
    fn read(text: &str) -> Result<Expression, ParseError> {
        let mut space = Space::new();
        // Numbers whose default names are in no report.
        let mut next_loop = u32::MAX / 2;
        declare(&mut space, text, &mut next_loop);
        let polynomial = parse(&mut space, text)?;
        Ok(Expression { space, polynomial })
    }

    /// The value modulo 2^64; none where a part has no value, such as an iteration number or a value in memory.
    fn residue(&self, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<u64> {
        let mut value_of = |atom: AtomId| match self.space.atom(atom) {
            Atom::Symbol(symbol) => symbols(&symbol.name).map(Coeff::from),
            _ => None,
        };
        let value = self.space.eval(&self.polynomial, &mut value_of)?;
        value.rem_euclid(&Coeff::pow2(u64::BITS))?.to_u64()
    }

    fn constant_term(&self, modulus: u64) -> Option<u64> {
        // A condition may read back as one minus its opposite, which moves its factor into the constant.
        if self.polynomial.atoms().into_iter().any(AtomId::is_idempotent) {
            return None;
        }
        self.polynomial.constant_term().rem_euclid(&Coeff::from(modulus))?.to_u64()
    }
}

/// Makes the names of a text known, so that it can be read: `[n]` is a value of the program, `i` an iteration number.
fn declare(space: &mut Space, text: &str, next_loop: &mut u32) {
    const SIGNS: [&str; 6] = [" <= ", " < ", " >= ", " > ", " == ", " != "];
    let starts_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '#');
    let continues_name = |c: char| starts_name(c) || c.is_numeric() || c == '.';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut end = c.len_utf8();
        if c == '[' {
            let Some(length) = bracketed_length(rest) else { return };
            let inner = &rest[1..length - 1];
            // A name never has a comparison in it.
            if SIGNS.iter().any(|sign| inner.contains(sign)) {
                declare(space, inner, next_loop);
            } else if space.find(&rest[..length]).is_none() {
                space.symbol(Symbol { name: inner.into(), range: Interval::ALL, varies: Varies::No });
            }
            end = length;
        } else if starts_name(c) {
            end = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            match behind.chars().next() {
                // The range of a loaded value.
                Some('[') => end += bracketed_length(behind).unwrap_or(behind.len()),
                // An operation.
                Some('(' | '@') => {}
                _ if space.find(name).is_some() => {}
                _ => {
                    space.name_loop(LoopId(*next_loop), name);
                    *next_loop += 1;
                }
            }
        }
        rest = &rest[end..];
    }
}

/// Length of the brackets that a text starts with.
fn bracketed_length(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.char_indices().find_map(|(index, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(index + c.len_utf8())
    })
}

/// One run of a kernel.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The region that runs.
    pub kernel: &'a Kernel,
    /// Threads in each team.
    pub threads: u32,
    /// The values of captured scalars: see [`Prediction::of`].
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
        let regions = report
            .regions
            .iter()
            .filter(|region| region.function == launch.kernel.function && region.location.line == launch.kernel.line);
        let mut comparison = Comparison {
            sites: Vec::new(),
            predictions: Vec::new(),
            by_key: FxHashMap::default(),
            is_outside_assumption: false,
        };
        for region in regions {
            comparison.is_outside_assumption |= !launch.threads.is_multiple_of(geometry.lanes)
                && region.mapping.iter().any(|sentence| sentence.contains(FULL_WARPS));
            for access in &region.accesses {
                let key = SiteKey {
                    kernel: launch.kernel.clone(),
                    kind: access.kind,
                    bytes: access.bytes,
                    location: access.location.clone(),
                    called_from: access.called_from.clone(),
                };
                let index = comparison.index(key);
                comparison.sites[index].entries.push((access.id.clone(), access.stride.kind));
                let prediction = Prediction::of(access, &geometry, launch.symbols);
                let predictions = &mut comparison.predictions[index];
                if !predictions.contains(&prediction) {
                    predictions.push(prediction);
                    comparison.sites[index].predictions = predictions.len() as u32;
                }
            }
        }
        comparison
    }

    /// The site for a key, whether or not the report has an entry for it.
    pub fn site(&mut self, key: SiteKey) -> JoinedSite {
        // A copy of a number of bytes that the report does not know.
        if !self.by_key.contains_key(&key) && matches!(key.kind, AccessKind::CopyFrom | AccessKind::CopyTo) {
            let unknown = SiteKey { bytes: 0, ..key.clone() };
            if let Some(&site) = self.by_key.get(&unknown) {
                return site;
            }
        }
        JoinedSite(self.index(key) as u32)
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

    /// Takes one access of one warp: `addresses` has one byte address for each lane, of which those of the active lanes count.
    pub fn observe(&mut self, site: JoinedSite, active: u64, addresses: &[u64]) {
        let index = site.0 as usize;
        let outcome = &mut self.sites[index];
        let tally = &mut outcome.tally;
        tally.warp_accesses += 1;
        let judged = self.predictions[index].iter().map(|prediction| {
            let stride = prediction.check(active, addresses);
            // Where the lanes are elsewhere, the numbers are no second difference.
            let counts = match stride {
                Verdict::Differs { .. } => CountVerdict::NotChecked,
                _ => prediction.check_counts(active, addresses),
            };
            (stride, counts)
        });
        // Of several entries that the site may be, one must fit.
        let (stride, counts) = judged.min_by_key(|&(stride, counts)| rank(stride, counts)).unwrap_or(NOT_CHECKED);
        let difference = match (stride, counts) {
            (Verdict::Differs { lane, predicted, measured }, _) => Some(Difference::Lane { lane, predicted, measured }),
            (_, CountVerdict::Differs { unit, predicted, measured }) => {
                Some(Difference::Count { unit, predicted, measured })
            }
            _ => None,
        };
        let compared = matches!(stride, Verdict::Agrees | Verdict::AgreesInForm) || counts == CountVerdict::Agrees;
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
    }

    /// What came of the run.
    pub fn into_summary(self) -> Summary {
        Summary { sites: self.sites }
    }
}

const NOT_CHECKED: (Verdict, CountVerdict) = (Verdict::NotChecked, CountVerdict::NotChecked);

/// The order in which one of several verdicts is taken: an entry that cannot be checked may be the right one, so it comes before
/// one that differs.
fn rank(stride: Verdict, counts: CountVerdict) -> u32 {
    let counts_differ = matches!(counts, CountVerdict::Differs { .. });
    match stride {
        Verdict::Agrees if !counts_differ => 0,
        Verdict::AgreesInForm if !counts_differ => 1,
        Verdict::NotChecked if !counts_differ => 2,
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
    /// The number of sectors or lines.
    Count {
        /// What is counted: pieces of this many bytes.
        unit: u64,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
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
                write!(f, "the warp touches {measured} pieces of {unit} bytes, predicted are {predicted}")
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
mod tests {
    use super::*;
    use ipda_models::report::{
        Class, Hardware, Mode, ModeKind, Quantity, Region, SCHEMA_VERSION, Side, Stride, Totals,
    };
    use proptest::prelude::*;

    const H200: MemoryGeometry = MemoryGeometry { lanes: 32, sector_bytes: 32, line_bytes: 128 };
    const ALL: u64 = u32::MAX as u64;
    const BASE: u64 = 0x1000_0000;

    fn access(kind: StrideKind, text: &str) -> Access {
        Access {
            id: "acc0".into(),
            in_loop: None,
            kind: AccessKind::Load,
            object: "A".into(),
            bytes: 4,
            location: Some(Location { file: "a.c".into(), line: 3, column: 5 }),
            called_from: vec![],
            address: "[A] + 4*i".into(),
            stride: Stride { kind, text: Some(text.into()), at_row_ends: None, row_length: None, reason: None },
            class: Class::Symbolic,
            class_within_rows: None,
            sectors: None,
            lines: None,
            greedy_requests: None,
            condition: None,
            executions: Quantity { value: Some("1".into()), unknown: None },
            assumptions: vec![],
        }
    }

    fn row_ends(within: &str, at_row_ends: &str, row_length: &str) -> Access {
        let mut access = access(StrideKind::RowEnds, within);
        access.stride.at_row_ends = Some(at_row_ends.into());
        access.stride.row_length = Some(row_length.into());
        access
    }

    /// `n` is 100, `m` is 7, nothing else has a value.
    fn symbols(name: &str) -> Option<i128> {
        match name {
            "n" => Some(100),
            "m" => Some(7),
            _ => None,
        }
    }

    fn prediction(access: &Access) -> Prediction {
        Prediction::of(access, &H200, &symbols)
    }

    /// Addresses of 32 lanes by a function of the lane.
    fn addresses(of: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..32).map(|lane| BASE.wrapping_add(of(lane))).collect()
    }

    fn differs(lane: u32, predicted: impl Into<Option<i64>>, measured: i64) -> Verdict {
        Verdict::Differs { lane, predicted: predicted.into(), measured }
    }

    #[test]
    fn a_constant_is_a_distance_for_each_lane() {
        let four = prediction(&access(StrideKind::Constant, "4"));
        assert_eq!(four.check(ALL, &addresses(|lane| 4 * lane)), Verdict::Agrees);
        assert_eq!(four.check(ALL, &addresses(|lane| 8 * lane)), differs(1, 4, 8));
        let one_off = addresses(|lane| 4 * lane + u64::from(lane == 17));
        assert_eq!(four.check(ALL, &one_off), differs(17, 68, 69));
        // The lane that is elsewhere does not run.
        assert_eq!(four.check(ALL & !(1 << 17), &one_off), Verdict::Agrees);
        assert_eq!(four.check(1 << 17, &one_off), Verdict::NotChecked);
        assert_eq!(four.check(0, &one_off), Verdict::NotChecked);
        // Relative to the first lane that runs.
        assert_eq!(four.check(1 << 17 | 1 << 20, &one_off), differs(20, 12, 11));
        let minus = prediction(&access(StrideKind::Constant, "-4"));
        assert_eq!(minus.check(ALL, &addresses(|lane| 0_u64.wrapping_sub(4 * lane))), Verdict::Agrees);
        assert_eq!(minus.check(ALL, &addresses(|lane| 4 * lane)), differs(1, -4, 4));
    }

    #[test]
    fn a_vector_has_a_distance_for_each_lane() {
        let text: Vec<String> = (0..32).map(|lane| (lane * lane).to_string()).collect();
        let squares = prediction(&access(StrideKind::Vector, &text.join(" ")));
        assert_eq!(squares.check(ALL, &addresses(|lane| lane * lane)), Verdict::Agrees);
        assert_eq!(squares.check(ALL & !0b1111, &addresses(|lane| lane * lane)), Verdict::Agrees);
        assert_eq!(squares.check(ALL, &addresses(|lane| lane)), differs(2, 4, 2));
        // Of a list for fewer lanes, nothing is said of the others.
        let short = prediction(&access(StrideKind::Vector, "0 4 8 12"));
        assert_eq!(short.check(0b1111, &addresses(|lane| 4 * lane)), Verdict::Agrees);
        assert_eq!(short.check(ALL, &addresses(|lane| 4 * lane)), Verdict::NotChecked);
    }

    #[test]
    fn expressions_get_the_programs_values() {
        let cases = [
            ("4*[n]", 400),
            ("-4*[n] + [m]", -393),
            ("4*[n]*[m]", 2800),
            ("4*floor([n]/[m])", 56),
            ("4*min([n], [m])", 28),
            ("4*[[m] < [n]]", 4),
            ("4*[[n] <= [m]] + 8", 8),
            ("4*u32([n])", 400),
        ];
        for (text, stride) in cases {
            let expression = prediction(&access(StrideKind::Symbolic, text));
            assert_eq!(
                expression.check(ALL, &addresses(|lane| lane.wrapping_mul(stride as u64))),
                Verdict::Agrees,
                "{text}"
            );
            let other = addresses(|lane| lane.wrapping_mul(stride as u64 + 4));
            assert_eq!(expression.check(ALL, &other), differs(1, stride, stride + 4), "{text}");
        }
    }

    #[test]
    fn without_a_value_only_the_form_is_checked() {
        // A value that is not given, an iteration number, values in memory, another value of a variable's name.
        let texts =
            ["4*[k]", "4*j", "4*load4([p] + 8)", "4*[load4u@2([p] + 8)]", "4*load4[0,9]([p])", "4*[n.2]", "4*#ij.2"];
        for text in texts {
            let open = prediction(&access(StrideKind::Symbolic, text));
            assert_eq!(open.distances, Distances::Multiples, "{text}");
            assert_eq!(open.check(ALL, &addresses(|lane| 52 * lane)), Verdict::AgreesInForm);
            assert_eq!(open.check(ALL, &addresses(|lane| 52 * (lane / 2))), differs(1, None, 0).in_lane(2, 52));
            assert_eq!(open.check(0b11, &addresses(|lane| 52 * lane)), Verdict::NotChecked);
            assert_eq!(open.check(0b1001, &addresses(|lane| 52 * lane + lane % 2)), differs(3, None, 157));
            assert_eq!(open.check(0b101_0001, &addresses(|lane| 52 * lane)), Verdict::AgreesInForm);
        }
        assert_eq!(prediction(&access(StrideKind::DataDependent, "4")).distances, Distances::Open);
        let unknown = prediction(&access(StrideKind::Unknown, "4"));
        assert_eq!(unknown.check(ALL, &addresses(|lane| 4 * lane)), Verdict::NotChecked);
    }

    impl Verdict {
        fn in_lane(self, lane: u32, measured: i64) -> Verdict {
            match self {
                Verdict::Differs { predicted, .. } => Verdict::Differs { lane, predicted, measured },
                other => other,
            }
        }
    }

    #[test]
    fn rows_end_where_the_warp_happens_to_stand() {
        // Rows of 7 elements in an array with 100 a row.
        let rows = prediction(&row_ends("4", "4*[n] - 4*[m] + 4", "[m]"));
        let at = |start: u64| addresses(move |lane| 400 * ((start + lane) / 7) + 4 * ((start + lane) % 7));
        for start in 0..20 {
            assert_eq!(rows.check(ALL, &at(start)), Verdict::Agrees, "{start}");
            assert_eq!(rows.check(ALL & 0x0f0f_3c30, &at(start)), Verdict::Agrees, "{start}");
        }
        // Rows of another length: the two that fit one end each.
        let mut wrong = at(0);
        wrong[20..].iter_mut().for_each(|address| *address += 372);
        assert_eq!(rows.check(ALL, &wrong), differs(20, 824, 1196));
        let rows_of_6 = addresses(|lane| 400 * (lane / 6) + 4 * (lane % 6));
        assert!(matches!(rows.check(ALL, &rows_of_6), Verdict::Differs { .. }));
        // A row that is longer than a warp may end in it or not, once.
        let long = prediction(&row_ends("4", "-4*[n] + 4", "[n]"));
        let at = |start: u64| addresses(move |lane| 4 * ((start + lane) % 100));
        for start in 0..100 {
            assert_eq!(long.check(ALL, &at(start)), Verdict::Agrees, "{start}");
        }
        assert_eq!(prediction(&row_ends("4", "8", "[k]")).distances, Distances::Open);
        assert_eq!(prediction(&row_ends("4", "8", "[n] - 100")).distances, Distances::Open);
    }

    #[test]
    fn lists_are_split_outside_of_parentheses() {
        assert_eq!(split_list("4*min([a], [b]), -8, [f(x, y)]"), ["4*min([a], [b])", "-8", "[f(x, y)]"]);
    }

    proptest! {
        /// Against the enumerated nest: iteration c of `collapse(3)` with `rows` and `columns`, in an array with other extents.
        #[test]
        fn rows_in_rows(
            columns in 1_u64..40,
            rows in 1_u64..6,
            pitch in 0_u64..200,
            plane in 0_u64..2000,
            start in 0_u64..5000,
            active in any::<u32>(),
            victim in 0_u32..32,
        ) {
            let element = |c: u64| {
                4 * (c % columns) + 4 * pitch * (c / columns % rows) + 4 * plane * (c / columns / rows)
            };
            let row_end = 4 * (pitch as i64 - columns as i64 + 1);
            let plane_end = 4 * (plane as i64 - (rows as i64 - 1) * pitch as i64 - columns as i64 + 1);
            let access = row_ends("4", &format!("{row_end}, {plane_end}"), &format!("{columns}, {}", rows * columns));
            let predicted = prediction(&access);
            let mut there = addresses(|lane| element(start + lane));
            let active = u64::from(active | 1 << victim);
            let verdict = predicted.check(active, &there);
            if active.count_ones() < 2 {
                prop_assert_eq!(verdict, Verdict::NotChecked);
            } else {
                prop_assert_eq!(verdict, Verdict::Agrees);
                // Nothing is at an odd distance.
                there[victim as usize] += 1;
                let is_difference = matches!(predicted.check(active, &there), Verdict::Differs { .. });
                prop_assert!(is_difference);
            }
        }

        /// Counting sectors is counting the sectors of all bytes.
        #[test]
        fn sectors_against_a_set(stride in -300_i64..300, start in 0_u64..128, active in 1_u32..) {
            let there = addresses(|lane| (10_000 + start).wrapping_add(lane.wrapping_mul(stride as u64)));
            let bytes = lanes(active.into()).flat_map(|lane| there[lane]..there[lane] + 4);
            let sectors: std::collections::BTreeSet<u64> = bytes.map(|byte| byte / 32).collect();
            prop_assert_eq!(transactions(active.into(), &there, 4, 32), sectors.len() as u64);
        }
    }

    fn counted(aligned: u64, worst: u64) -> Access {
        let mut access = access(StrideKind::Constant, "4");
        access.sectors = Some(Count { aligned, worst });
        access
    }

    #[test]
    fn counts_are_compared_by_alignment() {
        let right = prediction(&counted(4, 5));
        let shifted = |by: u64| addresses(move |lane| by + 4 * lane);
        assert_eq!(right.check_counts(ALL, &shifted(0)), CountVerdict::Agrees);
        assert_eq!(right.check_counts(ALL, &shifted(4)), CountVerdict::Agrees);
        // Not aligned to its own size: the report does not speak of that.
        assert_eq!(right.check_counts(ALL, &shifted(2)), CountVerdict::NotChecked);
        let differs = |predicted: Bound, measured: u64| CountVerdict::Differs { unit: 32, predicted, measured };
        let three = prediction(&counted(3, 5));
        assert_eq!(three.check_counts(ALL, &shifted(0)), differs(Bound::Exactly(3), 4));
        assert_eq!(three.check_counts(ALL, &shifted(32)), CountVerdict::Agrees);
        let few = prediction(&counted(4, 4));
        assert_eq!(few.check_counts(ALL, &shifted(4)), differs(Bound::AtMost(4), 5));
        // Half a warp: no more than a whole one.
        assert_eq!(right.check_counts(0xffff, &shifted(0)), CountVerdict::Agrees);
        assert_eq!(prediction(&counted(1, 1)).check_counts(0xffff, &shifted(0)), differs(Bound::AtMost(1), 2));
        // Counted with lane 0 eight bytes behind a boundary.
        let mut behind = counted(5, 5);
        behind.address = "[A] + 4*i + 8".into();
        assert_eq!(prediction(&behind).check_counts(ALL, &shifted(8)), CountVerdict::Agrees);
        assert_eq!(prediction(&behind).check_counts(ALL, &shifted(0)), CountVerdict::Agrees);
        behind.sectors = Some(Count { aligned: 4, worst: 5 });
        assert_eq!(prediction(&behind).check_counts(ALL, &shifted(8)), differs(Bound::Exactly(4), 5));
        // Lines too.
        let mut lines = counted(4, 5);
        lines.lines = Some(Count { aligned: 2, worst: 2 });
        let two = CountVerdict::Differs { unit: 128, predicted: Bound::Exactly(2), measured: 1 };
        assert_eq!(prediction(&lines).check_counts(ALL, &shifted(0)), two);
    }

    fn kernel() -> Kernel {
        Kernel { function: "f".into(), line: 2 }
    }

    fn report(accesses: Vec<Access>) -> Report {
        let region = Region {
            function: "f".into(),
            location: Location { file: "a.c".into(), line: 2, column: 0 },
            mode: Mode { kind: ModeKind::Spmd, why: String::new() },
            captures: vec![],
            loops: vec![],
            accesses,
            totals: Totals::default(),
            mapping: vec!["loop i: a warp starting at a multiple of 32 (as teams of full warps do)".into()],
            rejects: vec![],
        };
        let elsewhere = Region { function: "g".into(), ..region.clone() };
        Report {
            ipda_report: SCHEMA_VERSION,
            tool: String::new(),
            source: "a.c".into(),
            side: Side::Device,
            target: "nvptx64-nvidia-cuda".into(),
            hardware: Hardware { name: "h200".into(), warp_lanes: 32, sector_bytes: 32, line_bytes: 128 },
            regions: vec![region, elsewhere],
            rejects: vec![],
        }
    }

    fn key(column: u32) -> SiteKey {
        SiteKey {
            kernel: kernel(),
            kind: AccessKind::Load,
            bytes: 4,
            location: Some(Location { file: "a.c".into(), line: 3, column }),
            called_from: vec![],
        }
    }

    fn compare(accesses: Vec<Access>, threads: u32, runs: &[(SiteKey, u64, Vec<u64>)]) -> Summary {
        let kernel = kernel();
        let launch = Launch { kernel: &kernel, threads, symbols: &symbols };
        let mut comparison = Comparison::new(&report(accesses), &launch);
        for (key, active, addresses) in runs {
            let site = comparison.site(key.clone());
            comparison.observe(site, *active, addresses);
        }
        comparison.into_summary()
    }

    fn in_column(column: u32, mut access: Access) -> Access {
        access.location = Some(Location { file: "a.c".into(), line: 3, column });
        access
    }

    #[test]
    fn a_summary_tells_what_came_of_each_site() {
        let accesses = vec![
            in_column(5, counted(4, 5)),
            in_column(6, access(StrideKind::Symbolic, "4*[k]")),
            in_column(7, access(StrideKind::Constant, "8")),
            in_column(8, access(StrideKind::Unknown, "?")),
        ];
        let runs = [
            (key(5), ALL, addresses(|lane| 4 * lane)),
            (key(5), ALL, addresses(|lane| 4 * lane + 4)),
            (key(5), 1, addresses(|lane| 4 * lane)),
            (key(6), ALL, addresses(|lane| 400 * lane)),
            (key(7), ALL, addresses(|lane| 16 * lane)),
            (key(9), ALL, addresses(|lane| 4 * lane)),
            (SiteKey { bytes: 8, ..key(5) }, ALL, addresses(|lane| 8 * lane)),
        ];
        let summary = compare(accesses, 128, &runs);
        let expected = Tally {
            warp_accesses: 7,
            agreeing: 2,
            agreeing_in_form: 1,
            differing: 1,
            not_checked: 3,
            outside_assumption: 0,
            counts_agreeing: 3,
            counts_differing: 0,
            right: 4,
            wrong: 1,
        };
        assert_eq!(summary.tally(), expected);
        let kinds = [StrideKind::Constant, StrideKind::Symbolic, StrideKind::Unknown, StrideKind::Vector];
        assert_eq!(kinds.map(|kind| summary.entries_of(kind)), [2, 1, 1, 0]);
        let differing: Vec<&SiteOutcome> = summary.differing().collect();
        assert_eq!(differing.len(), 1);
        assert_eq!((&differing[0].key, differing[0].differences.len()), (&key(7), 1));
        assert_eq!(
            differing[0].differences[0].difference.to_string(),
            "lane 1 is 16 bytes from the first active lane, predicted are 8"
        );
        let keys = |sites: &mut dyn Iterator<Item = &SiteOutcome>| -> Vec<SiteKey> {
            sites.map(|site| site.key.clone()).collect()
        };
        assert_eq!(keys(&mut summary.without_entry()), [key(9), SiteKey { bytes: 8, ..key(5) }]);
        assert_eq!(keys(&mut summary.never_executed()), [key(8)]);
        assert_eq!(summary.ambiguous().count(), 0);
        assert_eq!(key(5).to_string(), "load of 4 bytes at a.c:3:5 in the region of 'f' in line 2");
    }

    #[test]
    fn calls_tell_sites_of_one_place_apart() {
        let from = |line: u32| vec![Location { file: "a.c".into(), line, column: 1 }];
        let near = Access { called_from: from(10), ..access(StrideKind::Constant, "4") };
        let far = Access { called_from: from(11), ..access(StrideKind::Constant, "400") };
        let runs = [
            (SiteKey { called_from: from(10), ..key(5) }, ALL, addresses(|lane| 4 * lane)),
            (SiteKey { called_from: from(11), ..key(5) }, ALL, addresses(|lane| 400 * lane)),
            (key(5), ALL, addresses(|lane| 4 * lane)),
        ];
        let summary = compare(vec![near, far], 128, &runs);
        assert_eq!((summary.tally().agreeing, summary.without_entry().count()), (2, 1));
    }

    #[test]
    fn of_several_entries_one_must_fit() {
        let both = vec![access(StrideKind::Constant, "4"), access(StrideKind::Constant, "400")];
        let runs = [
            (key(5), ALL, addresses(|lane| 4 * lane)),
            (key(5), ALL, addresses(|lane| 400 * lane)),
            (key(5), ALL, addresses(|lane| 8 * lane)),
        ];
        let summary = compare(both, 128, &runs);
        assert_eq!((summary.tally().agreeing, summary.tally().differing), (2, 1));
        assert_eq!(summary.ambiguous().count(), 1);
        // An entry that says nothing may be the one.
        let open = vec![access(StrideKind::Constant, "4"), access(StrideKind::Unknown, "?")];
        let summary = compare(open, 128, &runs);
        assert_eq!((summary.tally().agreeing, summary.tally().differing, summary.tally().not_checked), (1, 0, 2));
        // Twice the same is one.
        let same = vec![access(StrideKind::Constant, "4"), access(StrideKind::Symbolic, "4")];
        let summary = compare(same, 128, &runs);
        assert_eq!((summary.ambiguous().count(), summary.tally().differing), (0, 2));
        assert_eq!(summary.sites[0].entries.len(), 2);
    }

    #[test]
    fn counts_differ_by_themselves() {
        let summary = compare(vec![counted(3, 5)], 128, &[(key(5), ALL, addresses(|lane| 4 * lane))]);
        assert_eq!((summary.tally().agreeing, summary.tally().counts_differing), (1, 1));
        let example = summary.sites[0].differences[0];
        assert_eq!((example.active, example.first_address), (ALL, BASE));
        assert_eq!(example.difference.to_string(), "the warp touches 4 pieces of 32 bytes, predicted are 3");
    }

    #[test]
    fn parts_of_warps_are_outside_of_what_the_report_assumes() {
        let runs = [(key(5), ALL, addresses(|lane| 8 * lane)), (key(5), ALL, addresses(|lane| 4 * lane))];
        let four = || vec![access(StrideKind::Constant, "4")];
        let tally = compare(four(), 48, &runs).tally();
        assert_eq!((tally.agreeing, tally.differing, tally.outside_assumption), (1, 0, 1));
        let tally = compare(four(), 96, &runs).tally();
        assert_eq!((tally.agreeing, tally.differing, tally.outside_assumption), (1, 1, 0));
    }

    #[test]
    fn copies_of_unknown_size_are_one_entry() {
        let copy = Access { kind: AccessKind::CopyTo, bytes: 0, ..access(StrideKind::Unknown, "?") };
        let key = SiteKey { kind: AccessKind::CopyTo, bytes: 12, ..key(5) };
        let summary = compare(vec![copy], 128, &[(key, ALL, addresses(|lane| 32 * lane))]);
        assert_eq!((summary.without_entry().count(), summary.never_executed().count()), (0, 0));
        assert_eq!(summary.tally().warp_accesses, 1);
    }

    #[test]
    fn runs_of_one_kernel_are_added() {
        let wrong = [(key(5), ALL, addresses(|lane| 8 * lane))];
        let accesses = || vec![access(StrideKind::Constant, "4"), in_column(6, access(StrideKind::Constant, "4"))];
        let mut sum = compare(accesses(), 128, &wrong);
        for _ in 0..5 {
            sum.merge(compare(accesses(), 128, &wrong));
        }
        sum.merge(compare(accesses(), 128, &[(key(6), ALL, addresses(|lane| 4 * lane))]));
        assert_eq!((sum.tally().differing, sum.tally().agreeing), (6, 1));
        assert_eq!((sum.sites.len(), sum.sites[0].differences.len()), (2, MAX_EXAMPLES));
        assert_eq!((sum.entries_of(StrideKind::Constant), sum.never_executed().count()), (2, 0));
    }
}
