//! Searches for lower bounds by combining facts: `p` less a multiple of a fact has fewer terms, and what is a lower bound of that is one of `p`. So
//! linear programs are shown to have no solution (Farkas's lemma), here with polynomials as facts and few of them at a time.

use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::id::AtomId;
use crate::limits::MAX_TRIES;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use rustc_hash::FxHashMap;

/// How many facts are combined for one bound.
const MAX_COMBINED: u32 = 4;
/// A try with a polynomial of more factors than this, of all terms together, counts as several.
const FACTORS_PER_TRY: usize = 32;

impl Space {
    /// A lower bound of `p`, found by one fact alone.
    pub(crate) fn low_by_one_fact(&self, p: &Polynomial, facts: &Facts) -> Option<Coeff> {
        Search::new(self, facts, MAX_TRIES).lower_bound(p, 1)
    }

    /// A lower bound of `p`, found by combining facts; `known` is one already, and none is greater than `least`.
    pub(crate) fn search_lower_bound(
        &self,
        p: &Polynomial,
        facts: &Facts,
        known: Option<Coeff>,
        least: Option<&Coeff>,
    ) -> Option<Coeff> {
        let is_best = |low: &Option<Coeff>| low.as_ref().is_some_and(|low| least.is_some_and(|least| low >= least));
        if is_best(&known) {
            return known;
        }
        let all = self.limits.tries();
        let mut search = Search::new(self, facts, all);
        let mut best = known;
        // Few facts before many, so that a proof in one step is not missed for the sake of a long one.
        for depth in 1..=MAX_COMBINED {
            if all == 0 || is_decided(&best) || is_best(&best) {
                break;
            }
            best = best.max(search.lower_bound(p, depth));
        }
        let ended_early = all > 0 && search.tries == 0;
        self.limits.spend(all - search.tries);
        if ended_early {
            self.limits.count(|hits| hits.proof_tries += 1);
        }
        best
    }
}

/// A term of a fact that is not constant.
struct FactTerm<'a> {
    fact: &'a Polynomial,
    monomial: &'a Monomial,
    coefficient: &'a Coeff,
}

struct Search<'a> {
    space: &'a Space,
    facts: &'a Facts,
    /// By the first atom of their monomials.
    terms: FxHashMap<AtomId, Vec<FactTerm<'a>>>,
    /// How many are left.
    tries: u32,
}

impl<'a> Search<'a> {
    fn new(space: &'a Space, facts: &'a Facts, tries: u32) -> Search<'a> {
        let mut search = Search { space, facts, terms: FxHashMap::default(), tries };
        for (fact, monomial, coefficient) in facts.terms() {
            let Some((first, _)) = monomial.powers().next() else { continue };
            search.terms.entry(first).or_default().push(FactTerm { fact, monomial, coefficient });
        }
        search
    }

    /// Subtracts multiples of facts that cancel terms of `p`: if `n*p - q*f >= low` with `n > 0`, `q >= 0` and `f >= 0`, then
    /// `p >= low/n`. Stops at a positive bound, which decides the sign.
    fn lower_bound(&mut self, p: &Polynomial, depth: u32) -> Option<Coeff> {
        let (space, facts) = (self.space, self.facts);
        let mut best = space.plain_range(p, facts).low().cloned();
        if depth == 0 {
            return best;
        }
        let is_unbounded = |(monomial, coefficient): &(&Monomial, &Coeff)| {
            space.monomial_range(monomial, facts).scale(coefficient).low().is_none()
        };
        // A term without bound must go; without one, any may be worth replacing.
        let variable = p.terms().filter(|(monomial, _)| !monomial.is_one());
        let unbounded = if best.is_none() { variable.clone().find(is_unbounded) } else { None };
        let candidates = variable.filter(|term| unbounded.is_none_or(|only| only == *term));
        let factors: usize = p.terms().map(|(monomial, _)| monomial.powers().len()).sum();
        let cost = 1 + u32::try_from(factors / FACTORS_PER_TRY).unwrap_or(u32::MAX);
        for (monomial, coefficient) in candidates {
            for (atom, _) in monomial.powers() {
                for index in 0..self.terms.get(&atom).map_or(0, Vec::len) {
                    let FactTerm { fact, monomial: fact_monomial, coefficient: fact_coefficient } =
                        self.terms[&atom][index];
                    if self.tries == 0 || is_decided(&best) {
                        return best;
                    }
                    space.limits.work_on(1);
                    if coefficient.signum() != fact_coefficient.signum() {
                        continue;
                    }
                    let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
                    let (up, down) = reduced_ratio(coefficient, fact_coefficient);
                    // Products that raise the degree lead away from a bound.
                    let is_small = cofactor.is_one() || cofactor.degree() + fact.degree() <= p.degree();
                    if !is_small || !space.monomial_range(&cofactor, facts).is_non_negative() {
                        continue;
                    }
                    self.tries = self.tries.saturating_sub(cost);
                    space.limits.work_on(p.terms().len() + fact.terms().len());
                    let rest = &p.scale(&down) - &(&Polynomial::term(cofactor, up) * fact);
                    let low = self.lower_bound(&rest, depth - 1).and_then(|low| low.div_ceil(&down));
                    best = best.max(low);
                }
            }
        }
        best
    }
}

fn is_decided(low: &Option<Coeff>) -> bool {
    low.as_ref().is_some_and(Coeff::is_positive)
}

/// The quotient of two coefficients of one sign as a fraction of positive integers without common divisor.
fn reduced_ratio(numerator: &Coeff, denominator: &Coeff) -> (Coeff, Coeff) {
    let gcd = numerator.gcd(denominator);
    let divide = |n: &Coeff| n.abs().div_exact(&gcd).expect("a common divisor divides");
    (divide(numerator), divide(denominator))
}
