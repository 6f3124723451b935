//! Small exact cases: where all trip counts are small numbers, all pairs of iterations are looked at.

use super::tree::{Leaf, merged};
use super::{Access, Direction, Vector};
use crate::atom::{Atom, AtomId, LoopId, Varies};
use crate::coeff::Coeff;
use crate::polynomial::Polynomial;
use crate::space::Space;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// How many iterations each end may have.
const MAX_POINTS: i64 = 128;

/// An iteration of the loops around an access, with the part of the address that follows them.
struct Point {
    common: SmallVec<[i64; 4]>,
    offset: u64,
}

struct End {
    points: Vec<Point>,
    /// All facts were looked at.
    is_complete: bool,
    /// The part of the address that no iteration changes.
    rest: Polynomial,
}

/// The vectors by enumeration; `None` where it does not apply.
pub(super) fn enumerated(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    same: bool,
) -> Option<Vec<Vector>> {
    let (from, to) = (end(space, source, common)?, end(space, sink, common)?);
    let apart = (&to.rest - &from.rest).as_constant().cloned()?;
    let apart = residue(&apart)?;
    let mut found: BTreeSet<SmallVec<[i64; 4]>> = BTreeSet::new();
    for there in &to.points {
        for here in &from.points {
            let difference = there.offset.wrapping_sub(here.offset).wrapping_add(apart);
            if difference < source.bytes || difference.wrapping_neg() < sink.bytes {
                found.insert(there.common.iter().zip(&here.common).map(|(there, here)| there - here).collect());
            }
        }
    }
    let certain = from.is_complete && to.is_complete;
    // By directions; a distance that is not the same in all of them is none.
    let mut leaves: Vec<Leaf> = Vec::new();
    for distances in found {
        let first = distances.iter().find(|&&distance| distance != 0);
        if same && first.is_none_or(|&first| first < 0) {
            continue;
        }
        let directions: Vec<Direction> = distances.iter().map(|&distance| direction(distance)).collect();
        let distances = distances.iter().map(|&distance| Some(Polynomial::from(distance)));
        match leaves.iter_mut().find(|leaf| leaf.directions == directions) {
            Some(leaf) => {
                for (known, distance) in leaf.distances.iter_mut().zip(distances) {
                    if *known != distance {
                        *known = None;
                    }
                }
            }
            None => {
                let missing = "these iterations meet".into();
                leaves.push(Leaf { directions, distances: distances.collect(), certain, missing });
            }
        }
    }
    leaves.sort_by(|a, b| a.directions.iter().map(order).cmp(b.directions.iter().map(order)));
    Some(merged(leaves.into_iter().map(|leaf| (leaf, None)).collect(), common.len()))
}

fn order(direction: &Direction) -> u8 {
    *direction as u8
}

fn direction(distance: i64) -> Direction {
    match distance.signum() {
        1 => Direction::Less,
        0 => Direction::Equal,
        _ => Direction::Greater,
    }
}

fn residue(value: &Coeff) -> Option<u64> {
    value.rem_euclid(&Coeff::pow2(64))?.to_u64()
}

fn end(space: &mut Space, access: &Access, common: &[LoopId]) -> Option<End> {
    let iterations: Vec<AtomId> =
        access.loops.iter().map(|&id| space.iteration(id).as_atom()).collect::<Option<Vec<_>>>()?;
    let mut counts: SmallVec<[i64; 4]> = SmallVec::new();
    let mut product = 1_i64;
    for &iteration in &iterations {
        let high = space
            .atom_range(iteration)
            .high()
            .into_iter()
            .chain(access.facts.atom_range(iteration).and_then(|range| range.high()));
        let high = match high.min() {
            Some(high) => high.to_i64(),
            None => space.range_under(&iteration.into(), &access.facts).high().and_then(Coeff::to_i64),
        };
        let count = high.filter(|&high| high < MAX_POINTS)? + 1;
        product *= count.max(0);
        if product > MAX_POINTS {
            return None;
        }
        counts.push(count.max(0));
    }
    let moves = |p: &Polynomial| space.depends_on(p, |atom| matches!(space.atom(atom), Atom::Iteration(_)));
    let is_known = |atom: AtomId| match space.atom(atom) {
        Atom::Iteration(_) => iterations.contains(&atom),
        Atom::Symbol(_) | Atom::Load { .. } => false,
        _ => true,
    };
    let is_evaluable = |p: &Polynomial| space.atoms(p).into_iter().all(is_known);
    let (mut moving, mut rest) = (Polynomial::zero(), Polynomial::zero());
    for (monomial, coefficient) in access.address.terms() {
        let term = Polynomial::term(monomial.clone(), coefficient.clone());
        if moves(&term) {
            moving = moving + term;
        } else {
            rest = rest + term;
        }
    }
    let varies = space.atoms(&rest).into_iter().any(|atom| match space.atom(atom) {
        Atom::Symbol(symbol) => symbol.varies != Varies::No,
        Atom::Load { .. } => true,
        _ => false,
    });
    if varies || !is_evaluable(&moving) {
        return None;
    }
    let facts: Vec<&Polynomial> = access.facts.nonneg().filter(|fact| is_evaluable(fact)).collect();
    let is_complete = facts.len() == access.facts.nonneg().len();
    let mut points = Vec::new();
    for number in 0..product {
        let mut left = number;
        let values: FxHashMap<AtomId, Coeff> = iterations
            .iter()
            .zip(&counts)
            .map(|(&iteration, &count)| {
                let value = left % count;
                left /= count;
                (iteration, Coeff::from(value))
            })
            .collect();
        let mut value_of = |atom: AtomId| values.get(&atom).cloned();
        let mut fails = |fact: &&Polynomial| space.eval(fact, &mut value_of).is_some_and(|value| value.is_negative());
        if facts.iter().any(&mut fails) {
            continue;
        }
        let offset = residue(&space.eval(&moving, &mut value_of)?)?;
        let at = |id: &LoopId| {
            let index = access.loops.iter().position(|other| other == id)?;
            values.get(&iterations[index])?.to_i64()
        };
        points.push(Point { common: common.iter().map(at).collect::<Option<_>>()?, offset });
    }
    Some(End { points, is_complete, rest })
}
