//! Iteration-point differences (the thesis's section 4.1): by how much an address differs between the lanes of a warp at equal iteration numbers.

use crate::atom::{Atom, OpaqueOp, Symbol, Varies};
use crate::coeff::Coeff;
use crate::contents::Contents;
use crate::facts::Facts;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::quotient::split_multiple;
use crate::space::Space;
use std::cmp::Reverse;

/// Addresses are residues modulo 2 to the power of this.
const ADDRESS_BITS: u32 = 64;

/// Names of the engine's own unknowns; they have spaces, as no variable's name does. The number of a warp among those that share iterations.
const WARP: &str = "warp number";
/// The number of a warp in its team.
const WARP_IN_TEAM: &str = "warp of team";
/// The number of a warp in its row of the team.
const WARP_IN_ROW: &str = "warp of row";
/// How many warps a row of a team has.
const WARPS_IN_ROW: &str = "warps of row";
/// The iteration that the first lane works on.
const FIRST_ITERATION: &str = "first iteration";

/// How what tells threads apart goes to the lanes of a warp.
#[derive(Clone, Debug)]
pub struct LaneMap {
    /// Lanes of a warp that work.
    pub lanes: u32,
    /// The lane's number in its warp, from 0.
    pub lane: AtomId,
    /// Atoms that tell a warp from others: its number, its first iteration.
    places: Vec<AtomId>,
    /// Atoms that differ between lanes, each as an expression in the lane's number; all other atoms in it are equal in all lanes.
    moved: Vec<(AtomId, Polynomial)>,
}

/// With which iteration of a parallel loop the first lane of a warp begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// With a multiple of the warp's width times the distance of lanes.
    Aligned,
    /// With any.
    Anywhere,
}

impl LaneMap {
    /// A map that moves nothing yet.
    pub fn new(space: &mut Space, lanes: u32) -> LaneMap {
        LaneMap { lanes, lane: space.lane_number(), places: Vec::new(), moved: Vec::new() }
    }

    /// Neighbouring lanes take iterations of a parallel loop that are `step` apart. `None` where the step is too large an expression.
    pub fn move_iterations(
        &mut self,
        space: &mut Space,
        iteration: AtomId,
        step: &Polynomial,
        start: Start,
    ) -> Option<()> {
        let first = match start {
            Start::Aligned => {
                let warp = self.place(space, WARP);
                space.product(&warp, &step.scale(&Coeff::from(self.lanes)))?
            }
            Start::Anywhere => self.place(space, FIRST_ITERATION),
        };
        let value = &first + &space.product(step, &self.lane.into())?;
        self.moved.push((iteration, value));
        Some(())
    }

    /// Each of `threads` threads has one block of the `count` iterations of a parallel loop; the first of them have one iteration more
    /// where the division leaves a rest. Lanes are at the same iteration of their blocks. `None` where that is too large an expression.
    pub fn move_blocks(
        &mut self,
        space: &mut Space,
        iteration: AtomId,
        count: &Polynomial,
        threads: &Polynomial,
        facts: &Facts,
    ) -> Option<()> {
        let first = self.place(space, FIRST_ITERATION);
        let thread = self.linear_number(space);
        let first_thread = &thread - &self.lane.into();
        let block = space.floor_div(count, threads, facts);
        let rest = count - &space.product(&block, threads)?;
        let mut with_more = |thread| space.op_under(OpaqueOp::Min, vec![thread, rest.clone()], facts);
        let more = with_more(thread) - with_more(first_thread);
        let value = &(&first + &space.product(&block, &self.lane.into())?) + &more;
        self.moved.push((iteration, value));
        Some(())
    }

    /// The atom numbers the threads of a team; warps are full, and start at multiples of their width.
    pub fn move_thread_number(&mut self, space: &mut Space, number: AtomId) {
        let linear = self.linear_number(space);
        self.moved.push((number, linear));
    }

    /// The atoms number the threads of a team in up to three dimensions, the first fastest. Where the first extent is not known, it is taken
    /// to be a multiple of the warp's width, or the only one.
    ///
    /// `width` is the symbol of the first extent, where the code reads it.
    pub fn move_thread_numbers(
        &mut self,
        space: &mut Space,
        numbers: [Option<AtomId>; 3],
        extents: [Option<u32>; 3],
        width: Option<AtomId>,
    ) {
        let has_one_row = extents[1..] == [Some(1), Some(1)];
        let lanes = self.lanes;
        let is_row = |extent: u32| extent.is_multiple_of(lanes) || has_one_row;
        let Some(width) = extents[0].filter(|&extent| !is_row(extent)) else {
            // A warp lies in one row: only the first number moves.
            let in_row = self.number_in(space, if has_one_row { WARP_IN_TEAM } else { WARP_IN_ROW });
            self.moved.extend(numbers[0].map(|number| (number, in_row)));
            self.places.extend(numbers[1..].iter().flatten());
            if let Some(width) = width {
                let warps = Polynomial::from(space.own_symbol(WARPS_IN_ROW, Varies::No));
                self.moved.push((width, warps.scale(&Coeff::from(self.lanes))));
            }
            return;
        };
        let linear = self.linear_number(space);
        let width = Polynomial::from(i64::from(width));
        let row = space.floor_div(&linear, &width, &Facts::none());
        let column = space.floor_rem(&linear, &width, &Facts::none());
        self.moved.extend(numbers[0].map(|number| (number, column)));
        let Some(height) = extents[1].map(|height| Polynomial::from(i64::from(height))) else { return };
        let (y, z) = (space.floor_rem(&row, &height, &Facts::none()), space.floor_div(&row, &height, &Facts::none()));
        self.moved.extend(numbers[1].map(|number| (number, y)));
        self.moved.extend(numbers[2].map(|number| (number, z)));
    }

    /// The number of a thread in its team.
    fn linear_number(&mut self, space: &mut Space) -> Polynomial {
        self.number_in(space, WARP_IN_TEAM)
    }

    /// The number of a thread among those whose warps are numbered so.
    fn number_in(&mut self, space: &mut Space, warps: &'static str) -> Polynomial {
        let warp = self.place(space, warps);
        &warp.scale(&Coeff::from(self.lanes)) + &self.lane.into()
    }

    fn place(&mut self, space: &mut Space, name: &'static str) -> Polynomial {
        let place = space.own_symbol(name, Varies::No);
        if !self.places.contains(&place) {
            self.places.push(place);
        }
        place.into()
    }

    /// The atoms that differ between lanes, each as an expression in the lane's number.
    pub fn moved(&self) -> impl Iterator<Item = (AtomId, &Polynomial)> {
        self.moved.iter().map(|(atom, value)| (*atom, value))
    }

    /// Whether a value depends on what tells a warp from others.
    fn is_placed(&self, space: &Space, p: &Polynomial) -> bool {
        space.depends_on(p, |atom| self.places.contains(&atom))
    }

    fn value_of(&self, atom: AtomId) -> Option<Polynomial> {
        value_among(&self.moved, atom)
    }

    /// The map for one lane alone.
    fn in_lane(&self, space: &mut Space, lane: u32) -> LaneValues {
        let number = Polynomial::from(i64::from(lane));
        let mut value_of = |atom| (atom == self.lane).then(|| number.clone());
        let mut values: LaneValues =
            self.moved.iter().map(|(atom, value)| (*atom, space.substitute(value, &mut value_of))).collect();
        values.push((self.lane, number.clone()));
        values
    }

    /// Whether a value can differ between threads by what the map moves.
    fn moves(&self, space: &Space, p: &Polynomial) -> bool {
        let movable = self.moved.iter().map(|(atom, _)| atom).chain(&self.places).chain([&self.lane]);
        let movable = movable.fold(Contents::default(), |all, &atom| all | Contents::of_atom(atom));
        if !space.contents(p).may_have(movable) {
            return false;
        }
        let differs = |value| self.is_placed(space, value) || space.mentions(value, self.lane);
        let is_moved = |atom| self.moved.iter().any(|(moved, value)| *moved == atom && differs(value));
        space.depends_on(p, |atom| atom == self.lane || self.places.contains(&atom) || is_moved(atom))
    }

    /// The stride of a value of which the map does not say what it is in a lane.
    fn unmoved_stride(&self, space: &Space, p: &Polynomial) -> Option<Stride> {
        per_thread_stride(space, p).or_else(|| {
            if !space.varies_by_thread(p) {
                return None;
            }
            let own = space.atoms(p).into_iter().find(|&atom| {
                let by_thread = matches!(space.atom(atom), Atom::Symbol(Symbol { varies: Varies::Thread, .. }));
                by_thread && atom != self.lane && !self.places.contains(&atom) && self.value_of(atom).is_none()
            })?;
            let name = space.display(&own.into()).to_string();
            let reason =
                format!("it depends on the thread by {name}, and how that goes to the lanes of a warp is not known");
            Some(Stride::Unknown(reason))
        })
    }
}

/// Atoms with their values.
type LaneValues = Vec<(AtomId, Polynomial)>;

fn value_among(values: &[(AtomId, Polynomial)], atom: AtomId) -> Option<Polynomial> {
    values.iter().find(|(moved, _)| *moved == atom).map(|(_, value)| value.clone())
}

/// The difference `E(t) - E(0)` in bytes between lane t and lane 0 of a warp, for all lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stride {
    /// `t * c`.
    Constant(Coeff),
    /// A constant for each lane; the first is 0.
    Vector(Vec<Coeff>),
    /// `t * p`, with `p` equal for all lanes.
    Symbolic(Polynomial),
    /// Neighbouring lanes differ by `within`, except where a row of a collapsed nest ends between them.
    RowEnds {
        /// The difference inside a row.
        within: Polynomial,
        /// What ends between some lanes, innermost first; never empty. Each row length divides the next.
        ends: Vec<RowEnd>,
    },
    /// `E(t) - E(0)` as an expression in the lane's number t, and possibly in what tells warps apart, such as their numbers.
    PerLane(Polynomial),
    /// Depends on a value loaded from memory that differs between lanes.
    DataDependent {
        /// The loaded value.
        index: AtomId,
        /// The stride of the load itself.
        index_stride: Box<Stride>,
        /// Which value, in a sentence.
        reason: String,
    },
    /// Depends on values in memory, but not through one loaded index; how, in a sentence.
    FollowsData(String),
    /// Not understood, for the given reason.
    Unknown(String),
}

/// What is left to say of the stride of an address that may differ between threads other than by iteration numbers.
pub fn per_thread_stride(space: &Space, address: &Polynomial) -> Option<Stride> {
    let unknown = space.unknown_reason(address).map(Stride::Unknown);
    unknown.or_else(|| space.data_reason(address).map(Stride::FollowsData))
}

/// A place between two lanes at which a row of a collapsed nest ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEnd {
    /// Lanes from one such place to the next; equal for all lanes, at least 1.
    pub row_length: Polynomial,
    /// The whole difference in bytes between the two lanes, if no longer row ends there.
    pub difference: Polynomial,
}

/// The lanes of a warp for which a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaneCondition {
    /// The condition is the same for all threads that come here in one iteration of the loops around.
    Uniform,
    /// For all lanes of a warp or none; warps may differ.
    ByWarp,
    /// In every warp, for the lanes marked here and no others.
    Lanes(Vec<bool>),
    /// The condition as an expression in the lane's number and the warp's place.
    Symbolic(Polynomial),
    /// Depends on values loaded from memory, as the sentence says.
    DataDependent(String),
    /// Not understood, for the given reason.
    Unknown(String),
}

/// The stride of the address `e` between the lanes of a warp. `facts` hold wherever a lane uses the address.
///
/// All lanes are taken to be active, at equal iteration numbers of all loops whose numbers are not moved.
pub fn lane_differences(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Stride {
    let e = match equalise_loads(space, e, map, facts) {
        Ok(e) => space.congruent(ADDRESS_BITS, &e),
        Err(stride) => return *stride,
    };
    if let Some(stride) = map.unmoved_stride(space, &e) {
        return stride;
    }
    let in_lane = substitute_lane(space, &e, map);
    if space.varies_per_thread(&in_lane) {
        return too_large_a_difference();
    }
    if let Some((rate, _)) = space.split_affine(&in_lane, map.lane) {
        let rate = space.congruent(ADDRESS_BITS, &rate);
        if !map.is_placed(space, &rate) {
            return uniform_stride(rate);
        }
    }
    regular(space, &e, map, facts)
        .or_else(|| row_ends(space, &in_lane, map, facts))
        .unwrap_or_else(|| per_lane(space, &in_lane, map, facts))
}

/// For which lanes a condition, an indicator polynomial, holds. `facts` hold wherever it is asked.
pub fn lane_condition(space: &mut Space, condition: &Polynomial, map: &LaneMap, facts: &Facts) -> LaneCondition {
    let is_moved = map.moves(space, condition);
    let condition = match equalise_loads(space, condition, map, facts) {
        Ok(condition) => condition,
        Err(stride) => {
            return match *stride {
                Stride::DataDependent { reason, .. } | Stride::FollowsData(reason) => {
                    LaneCondition::DataDependent(reason)
                }
                Stride::Unknown(reason) => LaneCondition::Unknown(reason),
                _ => LaneCondition::DataDependent("it depends on loaded values that differ between lanes".into()),
            };
        }
    };
    match map.unmoved_stride(space, &condition) {
        Some(Stride::FollowsData(reason)) => return LaneCondition::DataDependent(reason),
        Some(Stride::Unknown(reason)) => return LaneCondition::Unknown(reason),
        _ => {}
    }
    if !map.moves(space, &condition) {
        // Where the lanes of a warp load one value, other warps may load another.
        return if is_moved { LaneCondition::ByWarp } else { LaneCondition::Uniform };
    }
    let in_lane = substitute_lane(space, &condition, map);
    if space.varies_per_thread(&in_lane) {
        return LaneCondition::Unknown("the condition is too large an expression".into());
    }
    if !space.mentions(&in_lane, map.lane) {
        return LaneCondition::ByWarp;
    }
    // What is open in the first lane and differs in the last needs no look at those between.
    let first = in_one_lane(space, &condition, map, facts, 0);
    if first.as_constant().is_none() && in_one_lane(space, &condition, map, facts, last_lane(map)) != first {
        return LaneCondition::Symbolic(in_lane);
    }
    let lanes = lane_by_lane(space, &condition, map, facts);
    if lanes.iter().all(|value| *value == lanes[0]) {
        return if lanes[0].as_constant().is_some() { LaneCondition::Uniform } else { LaneCondition::ByWarp };
    }
    let constants: Option<Vec<bool>> =
        lanes.iter().map(|value| value.as_constant().map(|value| !value.is_zero())).collect();
    constants.map_or(LaneCondition::Symbolic(in_lane), LaneCondition::Lanes)
}

/// Replaces loaded values that are equal in all lanes by symbols; fails with the stride if one may differ.
fn equalise_loads(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Result<Polynomial, Box<Stride>> {
    let mut equal = Vec::new();
    for load in outermost_loads(space, e) {
        let Atom::Load { address, range, .. } = space.atom(load).clone() else { continue };
        if !map.moves(space, &address) && map.unmoved_stride(space, &address).is_none() {
            continue;
        }
        let stride = lane_differences(space, &address, map, facts);
        if stride != Stride::Constant(Coeff::ZERO) {
            let reason = format!("it depends on the loaded value {}", space.display(&Polynomial::from(load)));
            return Err(Box::new(Stride::DataDependent { index: load, index_stride: Box::new(stride), reason }));
        }
        let name = space.display(&Polynomial::from(load)).to_string();
        equal.push((load, space.symbol(Symbol { name, range, varies: Varies::No })));
    }
    if equal.is_empty() {
        return Ok(e.clone());
    }
    Ok(space.substitute(e, &mut |atom| equal.iter().find(|(load, _)| *load == atom).map(|(_, symbol)| symbol.clone())))
}

/// Loads that occur outside of other loads' addresses.
fn outermost_loads(space: &Space, e: &Polynomial) -> Vec<AtomId> {
    if !space.contents(e).may_have(Contents::LOAD) {
        return Vec::new();
    }
    let mut loads = Vec::new();
    let mut seen = Vec::new();
    let mut open = e.atoms();
    while let Some(atom) = open.pop() {
        if seen.contains(&atom) {
            continue;
        }
        seen.push(atom);
        match space.atom(atom) {
            Atom::Load { .. } => loads.push(atom),
            other => open.extend(other.operands().into_iter().flat_map(Polynomial::atoms)),
        }
    }
    loads.sort_unstable();
    loads
}

fn uniform_stride(stride: Polynomial) -> Stride {
    match stride.as_constant() {
        Some(constant) => Stride::Constant(constant.clone()),
        None => Stride::Symbolic(stride),
    }
}

/// A value with the lane's number as an unknown.
fn substitute_lane(space: &mut Space, e: &Polynomial, map: &LaneMap) -> Polynomial {
    let in_lane = space.substitute(e, &mut |atom| map.value_of(atom));
    space.congruent(ADDRESS_BITS, &in_lane)
}

/// A value in each lane, simplified by what holds there.
fn lane_by_lane(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Vec<Polynomial> {
    (0..map.lanes).map(|lane| in_one_lane(space, e, map, facts, lane)).collect()
}

fn in_one_lane(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts, lane: u32) -> Polynomial {
    let values = map.in_lane(space, lane);
    let mut value_of = |atom| value_among(&values, atom);
    let here = facts_in_lane(space, map, facts, &mut value_of);
    space.substitute_under(e, &here, &mut value_of)
}

fn last_lane(map: &LaneMap) -> u32 {
    map.lanes.saturating_sub(1)
}

/// What holds in a lane, by the values that the moved atoms have there.
fn facts_in_lane(
    space: &mut Space,
    map: &LaneMap,
    facts: &Facts,
    value_of: &mut dyn FnMut(AtomId) -> Option<Polynomial>,
) -> Facts {
    let mut here = Facts::none();
    for fact in facts.nonneg() {
        here.assume_nonneg(space.substitute(fact, value_of));
    }
    for (atom, _) in &map.moved {
        let Some(value) = value_of(*atom) else { continue };
        let range = space.atom_range(*atom).clone();
        if let Some(last) = range.high() {
            here.assume_nonneg(Polynomial::from(last.clone()) - value);
        }
    }
    here
}

/// The stride of addresses whose differences are the same in every warp: constants, or multiples of one value.
fn regular(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Option<Stride> {
    // Most that differ from warp to warp do so at the ends already.
    let [first, last] = [0, last_lane(map)].map(|lane| in_one_lane(space, e, map, facts, lane));
    if map.is_placed(space, &space.congruent(ADDRESS_BITS, &(&last - &first))) {
        return None;
    }
    let lanes = lane_by_lane(space, e, map, facts);
    let difference = |address: &Polynomial| space.congruent(ADDRESS_BITS, &(address - &lanes[0]));
    let differences: Vec<Polynomial> = lanes.iter().map(difference).collect();
    if differences.iter().any(|difference| map.is_placed(space, difference)) {
        return None;
    }
    let unit = differences.get(1).cloned().unwrap_or_default();
    let multiple = |lane: usize| space.congruent(ADDRESS_BITS, &unit.scale(&Coeff::from(lane as u64)));
    if differences.iter().enumerate().all(|(lane, difference)| *difference == multiple(lane)) {
        return Some(uniform_stride(unit));
    }
    let constants: Option<Vec<Coeff>> =
        differences.iter().map(|difference| difference.as_constant().cloned()).collect();
    constants.map(Stride::Vector)
}

/// The general case: the difference from lane 0 as an expression in the lane's number.
fn per_lane(space: &mut Space, in_lane: &Polynomial, map: &LaneMap, facts: &Facts) -> Stride {
    let mut here = facts_in_lane(space, map, facts, &mut |atom| map.value_of(atom));
    here.assume_nonneg(Polynomial::from(i64::from(map.lanes) - 1) - Polynomial::from(map.lane));
    let in_lane = space.substitute_under(in_lane, &here, &mut |_| None);
    // An unknown that came in here stands for another value in each lane: it would be its own difference.
    if space.varies_per_thread(&in_lane) {
        return too_large_a_difference();
    }
    let values = map.in_lane(space, 0);
    let first = space.substitute(&in_lane, &mut |atom| value_among(&values, atom));
    let difference = space.congruent(ADDRESS_BITS, &(&in_lane - &first));
    if space.varies_per_thread(&difference) {
        return too_large_a_difference();
    }
    Stride::PerLane(difference)
}

fn too_large_a_difference() -> Stride {
    Stride::Unknown("the difference between lanes is too large an expression".into())
}

/// Reads an address as `within * t + sum of q * floor((t + s) / n) + rest` for the lane's number t. Between neighbouring lanes the
/// quotient grows by 1 where n divides the later `t + s`, else not at all.
fn row_ends(space: &Space, in_lane: &Polynomial, map: &LaneMap, facts: &Facts) -> Option<Stride> {
    let (within, mut rest) = in_lane.split_affine(map.lane)?;
    let mut rows: Vec<Row> = Vec::new();
    for atom in rest.atoms() {
        if !space.mentions(&Polynomial::from(atom), map.lane) {
            continue;
        }
        let (factor, without) = rest.split_affine(atom)?;
        rest = without;
        rows.push(Row { factor, ..row(space, atom, map, facts)? });
    }
    let is_fixed = |p: &Polynomial| !space.mentions(p, map.lane);
    let is_same = |p: &Polynomial| is_fixed(p) && !map.is_placed(space, p);
    if rows.is_empty() || !is_same(&within) || !is_fixed(&rest) || !rows.iter().all(|row| is_same(&row.factor)) {
        return None;
    }
    // In a chain of divisors, the shortest divides the most.
    let lengths: Vec<Polynomial> = rows.iter().map(|row| row.length.clone()).collect();
    rows.sort_by_key(|row| Reverse(lengths.iter().filter(|length| divides(&row.length, length)).count()));
    let is_nested = |pair: &[Row]| pair[0].shift == pair[1].shift && divides(&pair[0].length, &pair[1].length);
    if !rows.windows(2).all(is_nested) {
        return None;
    }
    let mut difference = within.clone();
    let ends = rows.into_iter().map(|row| {
        difference = space.congruent(ADDRESS_BITS, &(&difference + &row.factor));
        RowEnd { row_length: row.length, difference: difference.clone() }
    });
    Some(Stride::RowEnds { ends: ends.collect(), within })
}

/// `factor * floor((c + shift) / length)`.
struct Row {
    factor: Polynomial,
    shift: Polynomial,
    length: Polynomial,
}

fn row(space: &Space, atom: AtomId, map: &LaneMap, facts: &Facts) -> Option<Row> {
    let Atom::FloorDiv(dividend, length) = space.atom(atom) else { return None };
    let (rate, shift) = space.split_affine(dividend, map.lane)?;
    let is_same = !space.mentions(length, map.lane) && !map.is_placed(space, length);
    // A quotient exists only where the length is not 0.
    let is_row = rate.is_one() && is_same && space.proves_nonneg(length, facts);
    is_row.then(|| Row { factor: Polynomial::one(), shift, length: length.clone() })
}

fn divides(divisor: &Polynomial, multiple: &Polynomial) -> bool {
    split_multiple(multiple, divisor).1.is_zero()
}
