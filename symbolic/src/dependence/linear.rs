//! The test of numbers alone: addresses that differ by a constant at equal iterations, with constant coefficients of iteration numbers.
//!
//! The difference is `c + sum of c_k * D_k`. Taken by falling size of the coefficients, what the rest can add is bounded, so that a
//! distance is fixed as soon as the rest cannot reach the next multiple (the bounds of Banerjee, *Dependence Analysis for
//! Supercomputing*, 1988, one loop after the other).

use super::access::Access;
use super::vector::{MEET, Pair, Step, Vector};
use super::wrapping::{is_about_place, stays_below_wrap};
use crate::atom::{Atom, Predicate, Varies};
use crate::coeff::Coeff;
use crate::facts::{Fact, Facts};
use crate::id::{AtomId, LoopId};
use crate::interval::Interval;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;

/// How many combinations of fixed distances are looked at.
const MAX_SOLUTIONS: usize = 8;
/// Numbers of this size can be multiplied and added without overflow.
const LARGEST: i128 = 1 << 80;

/// A loop of the nest as numbers.
struct Term {
    iteration: AtomId,
    coefficient: i128,
    /// Distances that the loop's bounds allow; missing ends are infinite.
    low: Option<i128>,
    high: Option<i128>,
}

/// The vectors, where the difference has that form and no more can be known; empty where no collision exists.
pub(super) fn linear(
    space: &Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    iterations: &[AtomId],
    pair: Pair,
) -> Option<Vec<Vector>> {
    let constant = number(&sink.address.distance_from(&source.address)?)?;
    let mut terms = terms(space, &sink.address, iterations)?;
    let from = Bounds::read(space, source, sink, iterations);
    let are_alike = || source.bytes == sink.bytes && source.address == sink.address && source.facts == sink.facts;
    let to = if std::ptr::eq(source, sink) || constant.eq(&0) && are_alike() {
        from.clone()
    } else {
        Bounds::read(space, sink, source, iterations)
    };
    for (index, term) in terms.iter_mut().enumerate() {
        let distances = to.ranges[index].sub(&from.ranges[index]);
        term.low = distances.low().and_then(number);
        term.high = distances.high().and_then(number);
    }
    let mut order: SmallVec<[usize; 4]> = (0..terms.len()).filter(|&index| terms[index].coefficient != 0).collect();
    order.sort_by_key(|&index| -terms[index].coefficient.abs());
    // -bytes_there < constant + sum < bytes_here.
    let (bytes_here, bytes_there) = (i128::from(source.bytes), i128::from(sink.bytes));
    let (min, max) = (1 - bytes_there - constant, bytes_here - 1 - constant);
    let below = 1_i128 << 64;
    let fits = reach(&terms, &order).is_some_and(|(low, high)| low > max - below && high < min + below);
    if !fits && !stays_below_wrap(space, source, sink) {
        return None;
    }
    if terms.iter().any(|term| matches!((term.low, term.high), (Some(low), Some(high)) if low > high)) {
        return Some(Vec::new());
    }
    let mut solutions = Solutions { terms, order: &order, found: Vec::new() };
    solutions.search(0, min, max)?;
    let vectors = vectors(&solutions.found, pair);
    // Guards may exclude more; that is not for here.
    let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
    let is_open = || !from.has_only_bounds || !to.has_only_bounds || has_own_loops;
    if !vectors.is_empty() && is_open() { None } else { Some(vectors) }
}

/// The loops with the coefficients that an address has for them; `None` where it has others than constant ones.
fn terms(space: &Space, address: &Polynomial, iterations: &[AtomId]) -> Option<SmallVec<[Term; 4]>> {
    let mut terms: SmallVec<[Term; 4]> =
        iterations.iter().map(|&iteration| Term { iteration, coefficient: 0, low: None, high: None }).collect();
    for (monomial, coefficient) in address.terms() {
        let mut powers = monomial.powers();
        match (powers.next(), powers.next()) {
            (None, _) => {}
            (Some((atom, 1)), None) if iterations.contains(&atom) => {
                let term = terms.iter_mut().find(|term| term.iteration == atom)?;
                term.coefficient = number(coefficient)?;
            }
            _ if monomial.powers().all(|(atom, _)| is_plain(space, atom)) => {}
            _ => return None,
        }
    }
    Some(terms)
}

/// Solutions as vectors, those of the same directions as one.
fn vectors(found: &[SmallVec<[Ends; 4]>], pair: Pair) -> Vec<Vector> {
    let mut vectors: Vec<Vector> = Vec::new();
    for ends in found.iter().flat_map(|ends| halved(ends, pair)) {
        let is_reached = |&(low, high): &Ends| {
            low.is_some() && low == high || low.is_none_or(|low| low <= 1) && high.is_none_or(|high| high >= -1)
        };
        let vector = Vector {
            steps: ends.iter().map(step).collect(),
            certain: ends.iter().all(is_reached),
            missing: MEET.into(),
            excluded_if: None,
        };
        match vectors.iter_mut().find(|known| known.has_directions_of(&vector)) {
            Some(known) => known.widen(&vector),
            None => vectors.push(vector),
        }
    }
    vectors
}

/// From and to which distance; missing ends are infinite.
type Ends = (Option<i128>, Option<i128>);

struct Solutions<'a> {
    terms: SmallVec<[Term; 4]>,
    order: &'a [usize],
    /// Products of intervals of distances, one a loop, each of which holds a solution for each of its values.
    found: Vec<SmallVec<[Ends; 4]>>,
}

impl Solutions<'_> {
    /// Looks for distances from a position of the order on, such that the sum of their terms is in the interval. `None` where that takes
    /// too many cases.
    fn search(&mut self, position: usize, low: i128, high: i128) -> Option<()> {
        let Some(&index) = self.order.get(position) else {
            if low <= 0 && 0 <= high {
                if self.found.len() >= MAX_SOLUTIONS {
                    return None;
                }
                self.found.push(self.terms.iter().map(|term| (term.low, term.high)).collect());
            }
            return Some(());
        };
        let is_last = position + 1 == self.order.len();
        let rest = reach(&self.terms, &self.order[position + 1..])?;
        let Term { coefficient, low: min_distance, high: max_distance, .. } = self.terms[index];
        let (sought_low, sought_high) = (low - rest.1, high - rest.0);
        let (min, max) = match coefficient > 0 {
            true => (div_ceil(sought_low, coefficient), sought_high.div_euclid(coefficient)),
            false => (div_ceil(-sought_high, -coefficient), (-sought_low).div_euclid(-coefficient)),
        };
        let min = min_distance.map_or(min, |low| low.max(min));
        let max = max_distance.map_or(max, |high| high.min(max));
        if min > max {
            return Some(());
        }
        if is_last {
            // Whatever the value, the sum is in the interval.
            (self.terms[index].low, self.terms[index].high) = (Some(min), Some(max));
            self.search(position + 1, 0, 0)?;
        } else {
            if max - min >= MAX_SOLUTIONS as i128 {
                return None;
            }
            for value in min..=max {
                (self.terms[index].low, self.terms[index].high) = (Some(value), Some(value));
                self.search(position + 1, low - coefficient * value, high - coefficient * value)?;
            }
        }
        (self.terms[index].low, self.terms[index].high) = (min_distance, max_distance);
        Some(())
    }
}

/// Of one access with itself, the distances at which the first loop that has one has a later iteration in the sink.
fn halved(ends: &[Ends], pair: Pair) -> Vec<SmallVec<[Ends; 4]>> {
    if pair == Pair::Two {
        return vec![SmallVec::from_slice(ends)];
    }
    let mut parts = Vec::new();
    for (first, &(low, high)) in ends.iter().enumerate() {
        if high.is_none_or(|high| high >= 1) {
            let mut part: SmallVec<[Ends; 4]> = SmallVec::from_slice(ends);
            part[..first].fill((Some(0), Some(0)));
            part[first].0 = Some(low.unwrap_or(1).max(1));
            parts.push(part);
        }
        if low.is_some_and(|low| low > 0) || high.is_some_and(|high| high < 0) {
            break;
        }
    }
    parts
}

fn step(&(low, high): &Ends) -> Step {
    let fixed = low.filter(|_| low == high);
    Step {
        less: high.is_none_or(|high| high >= 1),
        equal: low.is_none_or(|low| low <= 0) && high.is_none_or(|high| high >= 0),
        greater: low.is_none_or(|low| low <= -1),
        distance: fixed.map(|value| Polynomial::from(Coeff::from(value))),
    }
}

/// What the terms can add together.
fn reach(terms: &[Term], of: &[usize]) -> Option<(i128, i128)> {
    of.iter().map(|&index| &terms[index]).try_fold((0, 0), |(low, high), term| {
        let ends = (term.low?.checked_mul(term.coefficient)?, term.high?.checked_mul(term.coefficient)?);
        let sum = (low + ends.0.min(ends.1), high + ends.0.max(ends.1));
        (sum.0.abs() < LARGEST && sum.1.abs() < LARGEST).then_some(sum)
    })
}

fn div_ceil(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}

fn number(value: &Coeff) -> Option<i128> {
    value.to_i64().map(i128::from)
}

fn is_plain(space: &Space, atom: AtomId) -> bool {
    matches!(space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No)
}

/// Whether a fact says that an indicator has the value that follows from another fact.
pub(super) fn is_repeated(space: &Space, facts: &Facts, fact: &Fact) -> bool {
    let [atom] = fact.atoms[..] else { return false };
    let Atom::Predicate(Predicate::NonNegative(condition)) = space.atom(atom) else { return false };
    facts.contains(condition) || facts.contains(&(-condition - Polynomial::one()))
}

/// What facts say about the iteration numbers, one by one.
#[derive(Clone)]
pub(super) struct Bounds {
    pub ranges: SmallVec<[Interval; 4]>,
    /// There is nothing but upper bounds of iteration numbers, and facts about symbols that hold for both accesses.
    pub has_only_bounds: bool,
}

impl Bounds {
    pub fn read(space: &Space, access: &Access, other: &Access, iterations: &[AtomId]) -> Bounds {
        let facts = &access.facts;
        let mut ranges: SmallVec<[Interval; 4]> =
            iterations.iter().map(|&iteration| space.atom_range(iteration).clone()).collect();
        let mut has_only_bounds = true;
        for fact in facts.iter() {
            if is_repeated(space, facts, fact) || is_about_place(&fact.polynomial, access) {
                continue;
            }
            let position = |atom| iterations.iter().position(|&iteration| iteration == atom);
            let mut found = fact.atoms.iter().copied().filter_map(position);
            let others = fact.atoms.iter().copied().filter(|&atom| position(atom).is_none());
            let is_plain = others.clone().all(|atom| is_plain(space, atom));
            let (first, second) = (found.next(), found.next());
            // What holds for one end alone may exclude the other.
            let is_shared = first.is_some() || other.facts.contains(&fact.polynomial);
            has_only_bounds &= is_plain && is_shared && second.is_none();
            let (Some(index), None) = (first, second) else { continue };
            let Some((factor, rest)) = fact.polynomial.split_affine(iterations[index]) else {
                has_only_bounds = false;
                continue;
            };
            let bound = space.plain_range(&rest, facts);
            let bound = match factor.as_constant() {
                Some(factor) if *factor == Coeff::MINUS_ONE => Interval::new(None, bound.high().cloned()),
                Some(factor) if factor.is_one() => {
                    has_only_bounds = false;
                    Interval::new(bound.high().map(|high| -high), None)
                }
                _ => {
                    has_only_bounds = false;
                    None
                }
            };
            // Bounds that contradict each other are for the test of affine addresses.
            match bound.and_then(|bound| ranges[index].intersect(&bound)) {
                Some(range) => ranges[index] = range,
                None => has_only_bounds = false,
            }
        }
        Bounds { ranges, has_only_bounds }
    }
}
