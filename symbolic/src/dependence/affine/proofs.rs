//! Proofs about invariant values from few facts: what a bound needs is mostly a constant, or one fact away.

use super::solve::Solver;
use crate::coeff::Coeff;
use crate::facts::Truth;
use crate::polynomial::{Monomial, Polynomial};

/// How many facts are combined for one proof, and in how many ways.
const MAX_COMBINED: u32 = 3;
const MAX_WAYS: u32 = 12;

impl Solver<'_> {
    pub fn is_nonneg(&self, p: &Polynomial) -> bool {
        match p.as_constant() {
            Some(value) => !value.is_negative(),
            None => self.space.plain_range(p, &self.known).is_non_negative(),
        }
    }

    /// Whether `p >= 0` follows from few facts.
    pub fn proves(&self, p: &Polynomial) -> bool {
        if let Some(value) = p.as_constant() {
            return !value.is_negative();
        }
        let mut ways = MAX_WAYS;
        self.combines(p, MAX_COMBINED, &mut ways)
    }

    /// Whether `p < 0` follows from few facts.
    pub fn refutes(&self, p: &Polynomial) -> bool {
        self.proves(&(-p - Polynomial::one()))
    }

    /// Subtracts multiples of facts that cancel the first term that may be negative.
    fn combines(&self, p: &Polynomial, depth: u32, ways: &mut u32) -> bool {
        let facts = &self.known;
        match Truth::of_nonneg(&self.space.plain_range(p, facts)) {
            Truth::Yes => return true,
            Truth::No => return false,
            Truth::Unknown if depth == 0 => return false,
            Truth::Unknown => {}
        }
        let may_be_negative = |(monomial, coefficient): &(&Monomial, &Coeff)| {
            !self.space.monomial_range(monomial, facts).scale(coefficient).is_non_negative()
        };
        let mut terms = p.terms().filter(|(monomial, _)| !monomial.is_one());
        let Some((monomial, coefficient)) = terms.find(may_be_negative) else { return false };
        let terms =
            facts.nonneg().flat_map(|fact| fact.terms().map(move |(monomial, factor)| (fact, monomial, factor)));
        for (fact, fact_monomial, fact_coefficient) in terms {
            if fact_coefficient.signum() != coefficient.signum() {
                continue;
            }
            let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
            // Products that raise the degree lead away from a proof.
            let is_small = cofactor.degree() + fact.degree() <= p.degree();
            if !is_small || !cofactor.is_one() && !self.space.monomial_range(&cofactor, facts).is_non_negative() {
                continue;
            }
            let Some(left) = ways.checked_sub(1) else { return false };
            *ways = left;
            let product = &Polynomial::term(cofactor, coefficient.abs()) * fact;
            if self.combines(&(p.scale(&fact_coefficient.abs()) - product), depth - 1, ways) {
                return true;
            }
        }
        false
    }
}
