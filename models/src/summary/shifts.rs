//! Accesses that touch what others touch a few iterations earlier or later: rows above and below in a stencil.
//!
//! As far as caches keep what lies between, such rows come once (the layer conditions of H. Stengel et al., "Quantifying performance
//! bottlenecks of stencil computations using the execution-cache-memory model", ICS 2015).

use std::collections::{BTreeMap, HashMap};

use ipda_symbolic::{Atom, AtomId, Coeff, Polynomial};

use super::pattern::Group;
use super::value::{Point, all_atoms_in, divided, number, quotient, varies_with};
use super::{AccessKind, Bound};
use crate::form::Num;

/// The most iterations between two accesses that are looked for.
const FURTHEST: i64 = 8;

/// How far a group is behind another one, whose data it touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shift {
    /// The loop.
    pub(crate) of: usize,
    /// Iterations of it.
    pub(crate) by: f64,
}

impl Shift {
    /// What of the group's data the other one does not touch, once the loop has done so many iterations.
    pub(crate) fn share_of_new(self, trips: Num) -> Num {
        (self.by / trips.max(1.0)).min(1.0)
    }
}

/// How far an iteration of a loop, or of a block of its iterations, moves an address.
#[derive(Clone)]
struct Level {
    step: Polynomial,
    /// How many there are, where that is known.
    trips: Option<Polynomial>,
}

/// How many times a polynomial is another one, where that is a number.
fn ratio(p: &Polynomial, of: &Polynomial) -> Option<f64> {
    let (one, other) = (p.leading_term()?, of.leading_term()?);
    let is_multiple = one.0 == other.0 && p.scale(other.1) == of.scale(one.1);
    is_multiple.then(|| number(one.1) / number(other.1))
}

/// The most groups that are compared with each other.
const MAX_COMPARED: usize = 64;

impl Bound<'_> {
    /// How many bytes each group of loads is from another one that touches the same data at another time, where that is a launch's value: the rows above
    /// and below in a stencil. Of those that touch the same, one has none.
    pub(crate) fn distances(&self, groups: &[Group]) -> Vec<Option<(Num, Polynomial)>> {
        let mut first: Vec<usize> = Vec::new();
        let mut distances = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let is_load = group.kind == AccessKind::Load && group.address.is_some();
            let distance = first.iter().filter(|_| is_load).find_map(|other| self.distance(group, &groups[*other]));
            if is_load && distance.is_none() && first.len() < MAX_COMPARED {
                first.push(at);
            }
            distances.push(distance);
        }
        distances
    }

    /// By how many iterations of a loop with such steps a distance comes about, where these are few. A few elements beside a row count as none.
    pub(crate) fn iterations_apart(apart: &Polynomial, step: &Polynomial) -> Option<f64> {
        let is_it = |by: &i64| {
            let far = step * &Polynomial::constant(Coeff::from(*by));
            let (rows, beside) = (far.without_constant(), apart.without_constant());
            let is_row = !rows.is_zero() && step.constant_term().is_zero();
            far == *apart || -far.clone() == *apart || is_row && (rows == beside || -rows == beside)
        };
        (1..=FURTHEST).find(is_it).map(|by| by as f64)
    }

    /// How many bytes two groups of one array are apart in all iterations.
    fn distance(&self, one: &Group, other: &Group) -> Option<(Num, Polynomial)> {
        let is_alike = one.object == other.object && one.bytes == other.bytes && one.in_loop == other.in_loop;
        if !is_alike {
            return None;
        }
        let apart = one.address.clone()? - other.address.clone()?;
        let changing = all_atoms_in(&self.summary.space, &apart);
        let is_fixed = self.summary.loops.iter().all(|l| !changing.contains(&l.index));
        if !is_fixed || !apart.is_zero() && self.passes_by(one, &apart) {
            return None;
        }
        // None where both sides of a branch load the same.
        let bytes = self.at(&apart, &Point::new()).ok()?.abs();
        Some((bytes, apart))
    }

    /// Whether a group that is so many bytes further never comes to where this one is: the halves of a butterfly's blocks, `x[2 * half * b + k]` and the same
    /// `half` further, with `k` below `half`. That is known where blocks without gaps inside, all as long, begin at multiples of a length.
    pub(super) fn passes_by(&self, group: &Group, apart: &Polynomial) -> bool {
        let Some(address) = &group.address else { return false };
        let levels: Option<Vec<Vec<Level>>> =
            self.summary.chain(group.in_loop).into_iter().map(|of| self.levels(address, of)).collect();
        let Some(levels) = levels.map(|levels| levels.concat()) else { return false };
        let (elements, blocks): (Vec<Level>, Vec<Level>) = levels
            .into_iter()
            .filter(|level| !level.step.is_zero())
            .partition(|level| level.step.as_constant().is_some());
        let [Level { step, trips: Some(trips) }] = &elements[..] else { return false };
        let (mut blocks, mut length) = (blocks, step * trips);
        // Blocks that follow each other are one.
        while let Some(at) = blocks.iter().position(|level| level.step == length && level.trips.is_some()) {
            length = length * blocks.swap_remove(at).trips.unwrap_or_default();
        }
        let in_blocks = |p: &Polynomial| ratio(p, &length).map(f64::abs);
        let Some(by) = in_blocks(apart) else { return false };
        if blocks.is_empty() {
            return by >= 1.0;
        }
        let in_numbers = blocks.iter().filter_map(|level| in_blocks(&level.step));
        let Some(least) = in_numbers.reduce(f64::min) else { return false };
        let shortest = blocks.iter().find(|level| in_blocks(&level.step) == Some(least)).map(|level| &level.step);
        let is_multiple = |level: &Level| match in_blocks(&level.step) {
            Some(step) => (step / least).fract() == 0.0,
            None => shortest.is_some_and(|shortest| quotient(&level.step, shortest).is_some()),
        };
        blocks.iter().all(is_multiple) && (by - (by / least).round() * least).abs() >= 1.0
    }

    /// How a loop moves an address: element by element and, where its number is divided, once or several times, block by block. None where nobody knows.
    fn levels(&self, address: &Polynomial, of: usize) -> Option<Vec<Level>> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let trips = self.summary.loops[of].trips.as_ref().ok().filter(|trips| space.is_invariant(trips)).cloned();
        let of_loop = |atom: &AtomId| varies_with(space, &Polynomial::from_atom(*atom), index);
        let moving: Vec<AtomId> = address.atoms().iter().copied().filter(of_loop).collect();
        let mut units = vec![Polynomial::one()];
        for atom in &moving {
            self.units(*atom, index, &mut units)?;
        }
        // Each is a multiple of the one before.
        units.sort_by_key(|unit| (unit.degree(), unit.as_constant().cloned()));
        let mut levels = Vec::new();
        for (at, unit) in units.iter().enumerate() {
            let mut step = Polynomial::zero();
            for atom in &moving {
                step = &step + &(address.coefficient_of(*atom)? * self.moved_by(*atom, index, unit)?);
            }
            let trips = match units.get(at + 1) {
                Some(next) => Some(quotient(next, unit)?),
                None => trips.as_ref().and_then(|trips| quotient(trips, unit)),
            };
            levels.push(Level { step, trips });
        }
        Some(levels)
    }

    /// What an atom that moves with a loop's number is but for its width: the variable of a loop that a clause collapsed is as wide as it was declared.
    fn but_for_width(&self, atom: AtomId) -> Option<AtomId> {
        match self.summary.space.atom(atom) {
            Atom::Wrap { value, .. } => value.as_atom(),
            _ => Some(atom),
        }
    }

    /// How many iterations there are in blocks that quotients and rests of a loop's number make, and of such. None where it is anything else.
    fn units(&self, atom: AtomId, index: AtomId, found: &mut Vec<Polynomial>) -> Option<Polynomial> {
        let atom = self.but_for_width(atom)?;
        if atom == index {
            return Some(Polynomial::one());
        }
        let (dividend, divisor, is_quotient) = divided(&self.summary.space, atom)?;
        if !self.summary.space.is_invariant(&divisor) {
            return None;
        }
        let own = self.units(dividend.as_atom()?, index, found)?;
        let unit = &own * &divisor;
        if !found.contains(&unit) {
            found.push(unit.clone());
        }
        Some(if is_quotient { unit } else { own })
    }

    /// By how much an atom goes on where a loop's number does by a block of iterations, in the blocks' first part.
    fn moved_by(&self, atom: AtomId, index: AtomId, unit: &Polynomial) -> Option<Polynomial> {
        let atom = self.but_for_width(atom)?;
        if atom == index {
            return Some(unit.clone());
        }
        let (dividend, divisor, is_quotient) = divided(&self.summary.space, atom)?;
        let by = self.moved_by(dividend.as_atom()?, index, unit)?;
        if by.is_zero() {
            return Some(by);
        }
        match (quotient(&by, &divisor), quotient(&divisor, &by)) {
            (Some(whole), _) => Some(if is_quotient { whole } else { Polynomial::zero() }),
            (None, Some(_)) => Some(if is_quotient { Polynomial::zero() } else { by }),
            (None, None) => None,
        }
    }

    /// For each group the shift from another, and no two in a circle: one of those that touch the same has none.
    pub(crate) fn shifts(&self, groups: &[&Group]) -> Vec<Option<Shift>> {
        let mut shifts = vec![None; groups.len()];
        let mut is_reached = vec![false; groups.len()];
        let mut at: HashMap<Polynomial, Vec<usize>> = HashMap::new();
        for (number, group) in groups.iter().enumerate() {
            if let Some(address) = &group.address {
                at.entry(address.without_constant()).or_default().push(number);
            }
        }
        for first in 0..groups.len() {
            if is_reached[first] {
                continue;
            }
            is_reached[first] = true;
            let mut reached = vec![first];
            while let Some(from) = reached.pop() {
                for (to, shift) in self.shifts_from(groups, from, &at) {
                    if !is_reached[to] {
                        (shifts[to], is_reached[to]) = (Some(shift), true);
                        reached.push(to);
                    }
                }
            }
        }
        shifts
    }

    /// The groups that touch what a group does a few iterations of one loop later or earlier, by their numbers, each with how far it is behind.
    /// A few elements beside count as none. `at` has the groups whose addresses are a polynomial but for a constant.
    fn shifts_from(
        &self,
        groups: &[&Group],
        from: usize,
        at: &HashMap<Polynomial, Vec<usize>>,
    ) -> BTreeMap<usize, Shift> {
        let from = groups[from];
        let mut shifts = BTreeMap::new();
        let Some(address) = &from.address else { return shifts };
        let here = address.without_constant();
        for of in self.summary.chain(from.in_loop) {
            let Some(stride) = address.coefficient_of(self.summary.loops[of].index) else { continue };
            if stride.is_zero() || !stride.constant_term().is_zero() {
                continue;
            }
            for by in 1..=FURTHEST {
                let far = &stride * &Polynomial::constant(Coeff::from(by));
                let beside = [&here + &far, &here - &far].into_iter().filter_map(|there| at.get(&there)).flatten();
                for to in beside.filter(|to| from.is_like(groups[**to])) {
                    shifts.entry(*to).or_insert(Shift { of, by: by as f64 });
                }
            }
        }
        shifts
    }
}
