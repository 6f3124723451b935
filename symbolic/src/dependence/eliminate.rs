//! Elimination of what varies, term by term with facts that bound it, as by Fourier and Motzkin: what is left is invariant.

use super::pair::is_fixed;
use crate::atom::AtomId;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// How many terms are replaced one after the other.
const MAX_ELIMINATED: u32 = 5;
/// How many ways of replacing terms are looked at: for a condition, and for a proof.
const MAX_WAYS: u32 = 64;
const MAX_PROOF_WAYS: u32 = 24;
/// How many results are collected.
const MAX_FOUND: usize = 8;

/// Polynomials over invariant values, each such that `p >= 0` wherever it is at least 0; those of the fewest steps.
pub(super) fn eliminated(space: &Space, p: &Polynomial, facts: &Facts) -> Vec<Polynomial> {
    let mut found = Vec::new();
    // In few steps before many: what takes a detour is no simple condition.
    for depth in 0..=MAX_ELIMINATED {
        let mut collect = |rest: &Polynomial| {
            found.push(rest.clone());
            found.len() >= MAX_FOUND
        };
        Elimination { space, facts, ways: MAX_WAYS, is_done: &mut collect }.run(p, depth);
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Whether an elimination shows that `p >= 0`.
pub(super) fn shows_nonneg(space: &Space, p: &Polynomial, facts: &Facts) -> bool {
    let mut is_done = |rest: &Polynomial| space.plain_range(rest, facts).is_non_negative();
    Elimination { space, facts, ways: MAX_PROOF_WAYS, is_done: &mut is_done }.run(p, MAX_ELIMINATED)
}

struct Elimination<'a> {
    space: &'a Space,
    facts: &'a Facts,
    /// How many are left.
    ways: u32,
    /// Looks at a polynomial in which nothing varies.
    is_done: &'a mut dyn FnMut(&Polynomial) -> bool,
}

impl Elimination<'_> {
    fn varies(&self, monomial: &Monomial) -> bool {
        monomial.powers().any(|(atom, _): (AtomId, u32)| !is_fixed(self.space, atom))
    }

    /// Whether the search is over.
    fn run(&mut self, p: &Polynomial, depth: u32) -> bool {
        let Some((monomial, coefficient)) = p.terms().find(|(monomial, _)| self.varies(monomial)) else {
            return (self.is_done)(p);
        };
        if depth == 0 {
            return false;
        }
        for (fact, fact_monomial, fact_coefficient) in self.facts.terms() {
            if fact_coefficient.signum() != coefficient.signum() {
                continue;
            }
            let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
            let is_positive = cofactor.is_one() || self.space.monomial_range(&cofactor, self.facts).is_non_negative();
            if !is_positive || !self.varies(fact_monomial) {
                continue;
            }
            if self.ways == 0 {
                return false;
            }
            self.ways -= 1;
            let (up, down) = (coefficient.abs(), fact_coefficient.abs());
            let rest = &p.scale(&down) - &(&Polynomial::term(cofactor, up) * fact);
            if self.run(&rest, depth - 1) {
                return true;
            }
        }
        // The atom's own range.
        let Some((atom, 1)) = monomial.powers().next().filter(|_| monomial.degree() == 1) else { return false };
        let range = self.space.atom_range(atom);
        let Some(bound) = (if coefficient.is_positive() { range.low() } else { range.high() }) else { return false };
        self.run(&p.replace(atom, &Polynomial::from(bound.clone())), depth - 1)
    }
}
