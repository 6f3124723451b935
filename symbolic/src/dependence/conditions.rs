//! Conditions that could be tested before the loops run, from proofs that failed: the worst case over all iterations.

use super::node::{Attempts, Node};
use super::pair::is_invariant;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// How many terms are replaced one after the other.
const MAX_ELIMINATED: u32 = 4;
/// How many ways of replacing terms are looked at for one condition.
const MAX_WAYS: u32 = 64;
/// How many results the simplest is chosen from.
const MAX_FOUND: usize = 8;
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
fn is_of_one_iteration(p: &Polynomial) -> bool {
    let constant = p.constant_term();
    p.terms().all(|(monomial, factor)| monomial.is_one() || factor.is_negative())
        && constant <= Coeff::ONE
        && p.terms().len() <= 2
}

/// A polynomial over invariant values such that `p >= 0` wherever it is at least 0: terms that vary are replaced by bounds that facts
/// give (elimination as by Fourier and Motzkin). Of several, the simplest.
fn worst_case(space: &Space, p: &Polynomial, facts: &Facts) -> Option<Polynomial> {
    let mut elimination = Elimination { space, facts, ways: MAX_WAYS, found: Vec::new() };
    elimination.run(p, MAX_ELIMINATED);
    let simplest = elimination.found.into_iter().filter(|found| found.as_constant().is_none()).min_by_key(cost_of)?;
    // g*q + c >= 0 is q + floor(c/g) >= 0.
    let variable = simplest.without_constant();
    let gcd = variable.content();
    let constant = simplest.constant_term().div_floor(&gcd)?;
    Some(variable.div_exact(&gcd)? + Polynomial::from(constant))
}

fn cost_of(p: &Polynomial) -> (usize, usize) {
    (p.terms().len(), p.terms().filter(|(_, factor)| factor.is_negative()).count())
}

struct Elimination<'a> {
    space: &'a Space,
    facts: &'a Facts,
    ways: u32,
    found: Vec<Polynomial>,
}

impl Elimination<'_> {
    fn varies(&self, monomial: &Monomial) -> bool {
        monomial.powers().any(|(atom, _)| !is_invariant(self.space, &Polynomial::from_atom(atom)))
    }

    fn run(&mut self, p: &Polynomial, depth: u32) {
        let Some((monomial, coefficient)) = p.terms().find(|(monomial, _)| self.varies(monomial)) else {
            self.found.push(p.clone());
            return;
        };
        if depth == 0 {
            return;
        }
        for (fact, fact_monomial, fact_coefficient) in self.facts.terms() {
            if fact_coefficient.signum() != coefficient.signum() || !self.varies(fact_monomial) {
                continue;
            }
            let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
            let is_positive = cofactor.is_one() || {
                let cofactor = Polynomial::term(cofactor.clone(), Coeff::ONE);
                self.space.proves_nonneg(&cofactor, self.facts)
            };
            if !is_positive {
                continue;
            }
            if self.ways == 0 || self.found.len() >= MAX_FOUND {
                return;
            }
            self.ways -= 1;
            let (up, down) = (coefficient.abs(), fact_coefficient.abs());
            let rest = &p.scale(&down) - &(&Polynomial::term(cofactor, up) * fact);
            self.run(&rest, depth - 1);
        }
        // The atom's own range.
        if let Some((atom, 1)) = monomial.powers().next().filter(|_| monomial.degree() == 1) {
            let range = self.space.atom_range(atom);
            if let Some(bound) = if coefficient.is_positive() { range.low() } else { range.high() } {
                self.run(&p.replace(atom, &Polynomial::from(bound.clone())), depth - 1);
            }
        }
    }
}
