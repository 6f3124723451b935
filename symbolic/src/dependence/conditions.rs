//! Conditions that could be tested before the loops run, from proofs that failed: the worst case over all iterations.

use super::eliminate::{eliminated, is_wide};
use super::node::{Attempts, Node};
use super::pair::tightened;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// How many sets of conditions are tried.
pub(super) const MAX_CONDITION_SETS: usize = 4;

/// A condition that holds for fewer values, and fails for more than so many, is not worth a test.
const FEW_VALUES: i64 = 4;
const MANY_VALUES: i64 = 1 << 16;

/// Sets of conditions, each of which may make one failed attempt succeed; those of the fewest terms first.
pub(super) fn candidates(space: &Space, node: &Node, attempts: &Attempts) -> Vec<Vec<Polynomial>> {
    let mut sets: Vec<Vec<Polynomial>> = Vec::new();
    for attempt in attempts {
        let worst = |p: &Polynomial| worst_case(space, p, &node.near).or_else(|| worst_case(space, p, &node.full));
        let Some(mut set) = attempt.iter().map(worst).collect::<Option<Vec<_>>>() else { continue };
        set.dedup();
        // What the others imply need not be asked.
        let mut index = 0;
        while index < set.len() {
            let mut others = node.near.clone();
            set.iter()
                .enumerate()
                .filter(|&(at, _)| at != index)
                .for_each(|(_, other)| others.assume_nonneg(other.clone()));
            if space.proves_nonneg(&set[index], &others) {
                set.remove(index);
            } else {
                index += 1;
            }
        }
        let can_hold = |p: &Polynomial| !space.proves_nonneg(&(-p - Polynomial::one()), &node.near);
        let is_useful = |p: &Polynomial| can_hold(p) && !is_of_few_iterations(p) && !is_extreme(space, p, &node.near);
        if !set.is_empty() && set.iter().all(is_useful) && !sets.contains(&set) {
            sets.push(set);
        }
    }
    let cost = |set: &Vec<Polynomial>| {
        let parts = set.iter().map(cost_of);
        parts.fold((set.len(), 0, 0), |(count, terms, below), (more, negative)| (count, terms + more, below + negative))
    };
    sets.sort_by_key(cost);
    sets.truncate(MAX_CONDITION_SETS);
    sets
}

/// Whether it holds for few values alone, at one end of many: at the edge of a type's range, or for a loop that hardly runs.
pub(super) fn is_extreme(space: &Space, p: &Polynomial, facts: &Facts) -> bool {
    let range = space.plain_range(p, facts);
    is_wide(p)
        || outgrows_itself(p)
        || range.high().is_some_and(|high| *high < Coeff::from(FEW_VALUES))
            && range.low().is_none_or(|low| *low < Coeff::from(-MANY_VALUES))
}

/// Whether it says that sizes are at most some small number, under which no loop is worth a test.
pub(super) fn is_of_few_iterations(p: &Polynomial) -> bool {
    let constant = p.constant_term();
    p.terms().all(|(monomial, factor)| monomial.is_one() || factor.is_negative())
        && constant < Coeff::from(FEW_VALUES)
        && p.terms().len() <= 2
}

/// A polynomial over invariant values such that `p >= 0` wherever it is at least 0: terms that vary are replaced by bounds that facts
/// give (elimination as by Fourier and Motzkin). Of several, the simplest.
fn worst_case(space: &Space, p: &Polynomial, facts: &Facts) -> Option<Polynomial> {
    let found = eliminated(space, p, facts);
    found
        .into_iter()
        .filter(|found| found.as_constant().is_none())
        .min_by_key(cost_of)
        .map(|p| without_sizes(space, tightened(p), facts))
}

/// Whether a multiple of each positive term is subtracted, as in `n - m*n`: for `m <= 1` alone can it hold.
fn outgrows_itself(p: &Polynomial) -> bool {
    let variable = || p.terms().filter(|(monomial, _)| !monomial.is_one());
    let positive = || variable().filter(|(_, factor)| factor.is_positive());
    let is_multiple = |(monomial, factor): (&Monomial, &Coeff)| {
        factor.is_negative()
            && positive().all(|(other, _)| other.degree() < monomial.degree() && monomial.div_exact(other).is_some())
    };
    positive().next().is_some() && variable().any(is_multiple)
}

/// Divided by what is positive anyway.
pub(super) fn without_sizes(space: &Space, p: Polynomial, facts: &Facts) -> Polynomial {
    if !p.constant_term().is_zero() {
        return p;
    }
    let sizes = p.atoms();
    let sizes = sizes.into_iter().filter(|&atom| space.plain_range(&atom.into(), facts).is_positive());
    sizes.fold(p, |p, atom| match p.div_rem(&atom.into()) {
        (quotient, rest) if rest.is_zero() => tightened(quotient),
        _ => p,
    })
}

pub(super) fn cost_of(p: &Polynomial) -> (usize, usize) {
    (p.terms().len(), p.terms().filter(|(_, factor)| factor.is_negative()).count())
}
