//! Iteration-point differences: by how much an address differs between the lanes of a warp at equal iteration numbers.

use crate::atom::{Atom, AtomId, Symbol, Varies};
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::interval::Interval;
use crate::polynomial::Polynomial;
use crate::quotient::split_multiple;
use crate::space::Space;
use std::cmp::Reverse;

/// Addresses are residues modulo 2 to the power of this.
const ADDRESS_BITS: u32 = 64;

/// How the iterations of a parallel loop go to the lanes of a warp.
#[derive(Clone, Debug)]
pub struct LaneMap {
    /// Lanes of a warp.
    pub lanes: u32,
    /// The iteration number that moves between neighbouring lanes.
    pub iteration: AtomId,
    /// By how much it moves: 1, a chunk size, or a symbolic `ceil(n / threads)`. Equal for all lanes.
    pub step: Polynomial,
    /// Whether lane 0's iteration is a multiple of `lanes * step`.
    pub aligned: bool,
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

/// The stride of the address `e` between the lanes of a warp. `facts` hold wherever a lane uses the address.
///
/// All lanes are taken to be active, at equal iteration numbers of all other loops.
pub fn lane_differences(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Stride {
    let e = match equalise_loads(space, e, map, facts) {
        Ok(e) => space.congruent(ADDRESS_BITS, &e),
        Err(stride) => return stride,
    };
    if let Some(stride) = per_thread_stride(space, &e).or_else(|| per_thread_stride(space, &map.step)) {
        return stride;
    }
    if let Some((rate, _)) = space.split_affine(&e, map.iteration) {
        return match space.product(&rate, &map.step) {
            Some(stride) => uniform_stride(space, &stride),
            None => Stride::Unknown("the difference between lanes is too large an expression".into()),
        };
    }
    lane_by_lane(space, &e, map, facts)
        .unwrap_or_else(|reason| row_ends(space, &e, map, facts).unwrap_or(Stride::Unknown(reason)))
}

/// Replaces loaded values that are equal in all lanes by symbols; fails with the stride if one may differ.
fn equalise_loads(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Result<Polynomial, Stride> {
    let mut equal = Vec::new();
    for load in outermost_loads(space, e) {
        let Atom::Load { address, range, .. } = space.atom(load).clone() else { continue };
        let is_moved = space.depends_on(&address, |atom| atom == map.iteration) || space.varies_per_thread(&address);
        if !is_moved {
            continue;
        }
        let stride = lane_differences(space, &address, map, facts);
        if stride != Stride::Constant(Coeff::ZERO) {
            let reason = format!("it depends on the loaded value {}", space.display(&Polynomial::from(load)));
            return Err(Stride::DataDependent { index: load, index_stride: Box::new(stride), reason });
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

fn uniform_stride(space: &Space, stride: &Polynomial) -> Stride {
    let stride = space.congruent(ADDRESS_BITS, stride);
    match stride.as_constant() {
        Some(constant) => Stride::Constant(constant.clone()),
        None => Stride::Symbolic(stride),
    }
}

/// Puts each lane's iteration number in and subtracts; fails with a reason where a difference depends on where the warp starts.
fn lane_by_lane(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Result<Stride, String> {
    let symbol = Symbol { name: "warp start".into(), range: Interval::NON_NEGATIVE, varies: Varies::No };
    let mut start = space.symbol(symbol);
    let start_atom = start.as_atom().expect("a symbol is one atom");
    if map.aligned {
        let width = map.step.scale(&Coeff::from(map.lanes));
        start = space.product(&start, &width).ok_or("the step between lanes is too large an expression")?;
    }
    let mut addresses = Vec::new();
    let mut differences: Vec<Polynomial> = Vec::new();
    for lane in 0..map.lanes {
        let number = &start + &map.step.scale(&Coeff::from(lane));
        let address = address_in_lane(space, e, map, facts, &number);
        let difference =
            addresses.first().map_or(Polynomial::zero(), |first| space.congruent(ADDRESS_BITS, &(&address - first)));
        if space.depends_on(&difference, |atom| atom == start_atom) {
            return Err("the difference between lanes depends on where the warp starts".into());
        }
        addresses.push(address);
        differences.push(difference);
    }
    let unit = differences.get(1).cloned().unwrap_or_default();
    let multiple = |lane: usize| space.congruent(ADDRESS_BITS, &unit.scale(&Coeff::from(lane as u64)));
    if differences.iter().enumerate().all(|(lane, difference)| *difference == multiple(lane)) {
        return Ok(uniform_stride(space, &unit));
    }
    let constants: Option<Vec<Coeff>> =
        differences.iter().map(|difference| difference.as_constant().cloned()).collect();
    constants
        .map(Stride::Vector)
        .ok_or_else(|| "the difference from lane 0 is not a multiple of the lane's number".into())
}

/// The address in a lane, simplified by what holds there.
fn address_in_lane(space: &mut Space, e: &Polynomial, map: &LaneMap, facts: &Facts, number: &Polynomial) -> Polynomial {
    let mut value_of = |atom| (atom == map.iteration).then(|| number.clone());
    let mut here = Facts::none();
    for fact in facts.nonneg() {
        here.assume_nonneg(space.substitute(fact, &mut value_of));
    }
    if let Some(last) = space.atom_range(map.iteration).high().cloned() {
        here.assume_nonneg(Polynomial::from(last) - number);
    }
    space.substitute_under(e, &here, &mut value_of)
}

/// Reads `e` as `within * c + sum of q * floor((c + s) / n) + rest` for the iteration number c. Between neighbouring lanes the
/// quotient grows by 1 where n divides the later `c + s`, else not at all.
fn row_ends(space: &Space, e: &Polynomial, map: &LaneMap, facts: &Facts) -> Option<Stride> {
    if !map.step.is_one() {
        return None;
    }
    let (within, mut rest) = e.split_affine(map.iteration)?;
    let mut rows: Vec<Row> = Vec::new();
    for atom in rest.atoms() {
        if !space.depends_on(&Polynomial::from(atom), |at| at == map.iteration) {
            continue;
        }
        let (factor, without) = rest.split_affine(atom)?;
        rest = without;
        rows.push(Row { factor, ..row(space, atom, map, facts)? });
    }
    let is_fixed = |p: &Polynomial| !space.depends_on(p, |at| at == map.iteration);
    if !is_fixed(&within) || !is_fixed(&rest) || !rows.iter().all(|row| is_fixed(&row.factor)) {
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
    let (rate, shift) = space.split_affine(dividend, map.iteration)?;
    let is_fixed = !space.depends_on(length, |at| at == map.iteration);
    // A quotient exists only where the length is not 0.
    let is_row = rate.is_one() && is_fixed && space.prove_nonneg(length, facts).is_yes();
    is_row.then(|| Row { factor: Polynomial::one(), shift, length: length.clone() })
}

fn divides(divisor: &Polynomial, multiple: &Polynomial) -> bool {
    split_multiple(multiple, divisor).1.is_zero()
}
