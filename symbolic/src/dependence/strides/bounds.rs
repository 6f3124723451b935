//! Invariant bounds of the distances, from trip counts.

use super::ByLoop;
use crate::atom::AtomId;
use crate::coeff::Coeff;
use crate::dependence::Access;
use crate::dependence::pair::{assume, is_invariant};
use crate::dependence::wrapping::is_about_place;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;

/// How many bounds of one distance are kept.
const MAX_BOUNDS: usize = 2;

type Bounds = SmallVec<[Polynomial; MAX_BOUNDS]>;

/// What is known of the distances, and of invariant values.
pub(super) struct Known {
    /// Each is one; the sharpest is not known.
    pub lows: ByLoop<Bounds>,
    pub highs: ByLoop<Bounds>,
    /// About invariant values, where both accesses run.
    pub facts: Facts,
}

/// `None` where the two never both run, or a loop's first iteration number is not known.
pub(super) fn read(space: &Space, source: &Access, sink: &Access, iterations: &[AtomId]) -> Option<Known> {
    let mut facts = Facts::none();
    let lows: ByLoop<Coeff> =
        iterations.iter().map(|&iteration| space.atom_range(iteration).low().cloned()).collect::<Option<_>>()?;
    let here = last_iterations(space, source, iterations, &lows, &mut facts)?;
    let is_alike = source.facts == sink.facts;
    let there = if is_alike { here.clone() } else { last_iterations(space, sink, iterations, &lows, &mut facts)? };
    let mut known = Known { lows: ByLoop::new(), highs: ByLoop::new(), facts };
    for (index, low) in lows.into_iter().enumerate() {
        let low = Polynomial::from(low);
        let from_first = |last: &Polynomial| if low.is_zero() { last.clone() } else { last - &low };
        let highs: Bounds = there[index].iter().map(from_first).collect();
        let backwards: Bounds = here[index].iter().map(from_first).collect();
        // The loop runs at all.
        for count in highs.iter().chain(backwards.iter().filter(|_| !is_alike)) {
            if !assume(&mut known.facts, count.clone()) {
                return None;
            }
        }
        known.lows.push(backwards.into_iter().map(|bound| -bound).collect());
        known.highs.push(highs);
    }
    Some(known)
}

/// Invariant upper bounds of the iteration numbers, where bounds that follow outer loops are taken at these loops' ends; facts about
/// invariant values are added to `known`.
fn last_iterations(
    space: &Space,
    access: &Access,
    iterations: &[AtomId],
    lows: &[Coeff],
    known: &mut Facts,
) -> Option<ByLoop<Bounds>> {
    let mut of_loop: ByLoop<SmallVec<[&Polynomial; 4]>> = iterations.iter().map(|_| SmallVec::new()).collect();
    for fact in access.facts.iter() {
        let innermost = iterations.iter().rposition(|iteration| fact.atoms.contains(iteration));
        if let Some(index) = innermost {
            of_loop[index].push(&fact.polynomial);
        } else if !is_about_place(&fact.polynomial, access)
            && is_invariant(space, &fact.polynomial)
            && !assume(known, fact.polynomial.clone())
        {
            return None;
        }
    }
    let mut found: ByLoop<Bounds> = ByLoop::new();
    for (index, facts) in of_loop.iter().enumerate() {
        let mut bounds = Bounds::new();
        for fact in facts {
            let Some((factor, mut bound)) = fact.split_affine(iterations[index]) else { continue };
            if factor.as_constant() != Some(&Coeff::MINUS_ONE) {
                continue;
            }
            let is_invariant = (0..index).rev().all(|outer| {
                let end = at_end(space, &bound, iterations[outer], &lows[outer], found[outer].first(), known);
                end.map(|end| bound = end).is_some()
            }) && is_invariant(space, &bound);
            if is_invariant && bounds.len() < MAX_BOUNDS && !bounds.contains(&bound) {
                bounds.push(bound);
            }
        }
        let own = space.atom_range(iterations[index]).high();
        bounds.extend(own.filter(|_| bounds.len() < MAX_BOUNDS).cloned().map(Polynomial::from));
        found.push(bounds);
    }
    Some(found)
}

/// The most that a bound is where an outer iteration number goes from its first value to its last.
fn at_end(
    space: &Space,
    bound: &Polynomial,
    iteration: AtomId,
    first: &Coeff,
    last: Option<&Polynomial>,
    known: &Facts,
) -> Option<Polynomial> {
    if bound.degree_in(iteration) == 0 {
        return Some(bound.clone());
    }
    let (factor, rest) = bound.split_affine(iteration)?;
    let range = space.plain_range(&factor, known);
    if range.is_non_negative() {
        Some(rest + &factor * last?)
    } else if (-&factor).as_constant().is_some_and(Coeff::is_positive) {
        Some(rest + factor.scale(first))
    } else {
        None
    }
}
