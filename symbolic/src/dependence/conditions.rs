//! Conditions that could be tested before the loops run, from proofs that failed: the worst case over all iterations.

use super::eliminate::eliminated;
use super::node::{Attempts, Node};
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many sets of conditions are tried.
pub(super) const MAX_CONDITION_SETS: usize = 4;

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
        if !set.is_empty() && set.iter().all(|p| can_hold(p) && !is_of_one_iteration(p)) && !sets.contains(&set) {
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

/// Whether it says that sizes are at most 1, under which no loop is worth a test.
pub(super) fn is_of_one_iteration(p: &Polynomial) -> bool {
    let constant = p.constant_term();
    p.terms().all(|(monomial, factor)| monomial.is_one() || factor.is_negative())
        && constant <= Coeff::ONE
        && p.terms().len() <= 2
}

/// A polynomial over invariant values such that `p >= 0` wherever it is at least 0: terms that vary are replaced by bounds that facts
/// give (elimination as by Fourier and Motzkin). Of several, the simplest.
fn worst_case(space: &Space, p: &Polynomial, facts: &Facts) -> Option<Polynomial> {
    let found = eliminated(space, p, facts);
    normalised(&found.into_iter().filter(|found| found.as_constant().is_none()).min_by_key(cost_of)?)
}

/// `g*q + c >= 0` as `q + floor(c/g) >= 0`; `None` for constants.
pub(super) fn normalised(condition: &Polynomial) -> Option<Polynomial> {
    let variable = condition.without_constant();
    let gcd = variable.content();
    let constant = condition.constant_term().div_floor(&gcd)?;
    Some(variable.div_exact(&gcd)? + Polynomial::from(constant))
}

pub(super) fn cost_of(p: &Polynomial) -> (usize, usize) {
    (p.terms().len(), p.terms().filter(|(_, factor)| factor.is_negative()).count())
}
