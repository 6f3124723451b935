//! Elimination of what varies, term by term with facts that bound it, as by Fourier and Motzkin: what is left is invariant.

use super::pair::is_fixed;
use crate::atom::AtomId;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// How many terms are replaced one after the other.
const MAX_ELIMINATED: u32 = 5;
/// How many ways of replacing terms are looked at: for a condition, and for a proof.
const MAX_WAYS: u32 = 64;
const MAX_PROOF_WAYS: u32 = 24;
/// The same for a bound, of which so many are collected.
const MAX_BOUND_WAYS: u32 = 16;
const MAX_BOUNDS: usize = 2;
/// Bounds of this size and more are taken for those of a type: true, but no way to anything that is not as large.
pub(super) const TYPE_EDGE: i64 = 1 << 30;
/// How many results are collected.
const MAX_FOUND: usize = 8;

/// Polynomials over invariant values, each such that `p >= 0` wherever it is at least 0; those of the fewest steps.
pub(super) fn eliminated(space: &Space, p: &Polynomial, facts: &Facts) -> Vec<Polynomial> {
    collected(space, p, facts, Wanted { ways: MAX_WAYS, results: MAX_FOUND, is_exact: false })
}

/// Polynomials over invariant values that are nowhere greater than `p`; those of the fewest steps.
pub(super) fn lower_bounds(space: &Space, p: &Polynomial, facts: &Facts) -> Vec<Polynomial> {
    collected(space, p, facts, Wanted { ways: MAX_BOUND_WAYS, results: MAX_BOUNDS, is_exact: true })
}

/// What is collected, and how long it is sought.
struct Wanted {
    ways: u32,
    results: usize,
    is_exact: bool,
}

fn collected(space: &Space, p: &Polynomial, facts: &Facts, wanted: Wanted) -> Vec<Polynomial> {
    let Wanted { ways, results, is_exact } = wanted;
    let mut found: Vec<Polynomial> = Vec::new();
    // In few steps before many: what takes a detour is no simple condition.
    for depth in 0..=MAX_ELIMINATED {
        let mut is_done = |rest: &Polynomial| {
            if !found.contains(rest) {
                found.push(rest.clone());
            }
            found.len() >= results
        };
        Elimination { space, facts, ways, is_proof: false, is_exact, from_last: false, is_done: &mut is_done }
            .run(p, depth);
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// Whether an elimination shows that `p >= 0`.
pub(super) fn shows_nonneg(space: &Space, p: &Polynomial, facts: &Facts) -> bool {
    let is_fact = |rest: &Polynomial| {
        let exceeds = |fact: &Polynomial| (rest - fact).as_constant().is_some_and(|more| !more.is_negative());
        rest.terms().len() > 1 && facts.nonneg().any(exceeds)
    };
    let mut is_done = |rest: &Polynomial| space.plain_range(rest, facts).is_non_negative() || is_fact(rest);
    // In few steps before many; which term goes first matters where one fact does not suffice for it.
    [(2, false), (MAX_ELIMINATED, false), (3, true)].into_iter().any(|(depth, from_last)| {
        let ways = MAX_PROOF_WAYS;
        Elimination { space, facts, ways, is_proof: true, is_exact: false, from_last, is_done: &mut is_done }
            .run(p, depth)
    })
}

/// Whether it has a constant as large as the bounds of a type.
pub(super) fn is_wide(p: &Polynomial) -> bool {
    p.constant_term().abs() >= Coeff::from(TYPE_EDGE)
}

struct Elimination<'a> {
    space: &'a Space,
    facts: &'a Facts,
    /// How many are left.
    ways: u32,
    /// Any invariant polynomial will do that is not negative.
    is_proof: bool,
    /// Only facts are used that leave `p` as it is, not multiplied.
    is_exact: bool,
    from_last: bool,
    /// Looks at a polynomial in which nothing varies.
    is_done: &'a mut dyn FnMut(&Polynomial) -> bool,
}

impl Elimination<'_> {
    fn varies(&self, monomial: &Monomial) -> bool {
        monomial.powers().any(|(atom, _): (AtomId, u32)| !is_fixed(self.space, atom))
    }

    /// Whether the search is over.
    fn run(&mut self, p: &Polynomial, depth: u32) -> bool {
        let mut varying = p.terms().filter(|(monomial, _)| self.varies(monomial));
        let next = if self.from_last { varying.next_back() } else { varying.next() };
        let Some((monomial, coefficient)) = next else { return (self.is_done)(p) };
        if depth == 0 {
            return false;
        }
        let uses_edges = self.is_proof && is_wide(p);
        let mut rests: Vec<Polynomial> = Vec::new();
        for (fact, fact_monomial, fact_coefficient) in self.facts.terms() {
            self.space.work_on(1);
            let is_unit = fact_coefficient.abs().is_one();
            if fact_coefficient.signum() != coefficient.signum() || self.is_exact && !is_unit {
                continue;
            }
            let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
            if !uses_edges && is_wide(fact) {
                continue;
            }
            let is_positive = cofactor.is_one() || self.space.monomial_range(&cofactor, self.facts).is_non_negative();
            if !is_positive || !self.varies(fact_monomial) {
                continue;
            }
            let (up, down) = (coefficient.abs(), fact_coefficient.abs());
            self.space.work_on(p.terms().len() + fact.terms().len());
            rests.push(&p.scale(&down) - &(&Polynomial::term(cofactor, up) * fact));
        }
        // The atom's own range.
        if let Some((atom, 1)) = monomial.powers().next().filter(|_| monomial.degree() == 1) {
            let range = self.space.atom_range(atom);
            let bound = if coefficient.is_positive() { range.low() } else { range.high() };
            if let Some(bound) = bound.filter(|bound| uses_edges || bound.abs() < Coeff::from(TYPE_EDGE)) {
                rests.push(p - &(Polynomial::from(atom) - Polynomial::from(bound.clone())).scale(coefficient));
            }
        }
        // What has few terms is nearest to the end.
        rests.sort_by_key(|rest| rest.terms().len());
        for rest in rests {
            if self.ways == 0 || self.space.is_spent() {
                return false;
            }
            self.ways -= 1;
            if self.run(&rest, depth - 1) {
                return true;
            }
        }
        false
    }
}
