//! Ranges of polynomials: interval arithmetic, sharpened by facts and by deciding predicates both ways.

use crate::atom::{Atom, AtomId, Predicate};
use crate::coeff::Coeff;
use crate::facts::{Facts, Truth};
use crate::interval::Interval;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};

/// How many predicates are decided both ways, one inside the other.
const MAX_CASES: u32 = 3;
/// How many facts are combined for one bound.
const MAX_COMBINED: u32 = 4;
/// How many bounds are kept for when they are asked for again.
const MAX_KEPT: usize = 1 << 14;

/// Greatest known lower bounds, by the facts that have to do with the polynomial, and by the polynomial.
#[derive(Debug, Default)]
pub(crate) struct BoundCache {
    lows: RefCell<FxHashMap<Facts, FxHashMap<Polynomial, Option<Coeff>>>>,
    kept: Cell<usize>,
}

impl BoundCache {
    pub(crate) fn clear(&self) {
        self.lows.borrow_mut().clear();
        self.kept.set(0);
    }

    fn get(&self, p: &Polynomial, facts: &Facts) -> Option<Option<Coeff>> {
        self.lows.borrow().get(facts)?.get(p).cloned()
    }

    fn keep(&self, p: &Polynomial, facts: &Facts, low: Option<Coeff>) {
        if self.kept.get() >= MAX_KEPT {
            self.clear();
        }
        self.kept.set(self.kept.get() + 1);
        self.lows.borrow_mut().entry(facts.clone()).or_default().insert(p.clone(), low);
    }
}

impl Space {
    /// What the values of a polynomial lie in.
    pub fn range(&self, p: &Polynomial) -> Interval {
        self.range_under(p, &Facts::none())
    }

    /// What the values of a polynomial lie in where the facts hold.
    pub fn range_under(&self, p: &Polynomial, facts: &Facts) -> Interval {
        let plain = self.plain_range(p, facts);
        if plain.as_point().is_some() {
            return plain;
        }
        let facts = self.relevant(p, facts);
        let (low, high) = (self.low(p, &facts), self.low(&-p, &facts).map(|low| -low));
        // Contradictory facts: the place is never reached.
        let combined = Interval::new(low, high);
        combined.and_then(|combined| plain.intersect(&combined)).unwrap_or(plain)
    }

    /// Whether `p >= 0` where the facts hold.
    pub fn prove_nonneg(&self, p: &Polynomial, facts: &Facts) -> Truth {
        let plain = self.plain_range(p, facts);
        if let decided @ (Truth::Yes | Truth::No) = Truth::of_nonneg(&plain) {
            return decided;
        }
        let relevant = self.relevant(p, facts);
        if self.low(p, &relevant).is_some_and(|low| !low.is_negative()) {
            return Truth::Yes;
        }
        Truth::of_nonneg(&self.range_under(p, facts))
    }

    /// The facts that can tell something about `p`: those that share atoms with it, or with facts that do.
    fn relevant(&self, p: &Polynomial, facts: &Facts) -> Facts {
        if facts.is_empty() {
            return Facts::none();
        }
        let mut reached: FxHashSet<AtomId> = FxHashSet::default();
        let reach = |reached: &mut FxHashSet<AtomId>, atoms: &[AtomId]| {
            for &atom in atoms {
                reached.extend(self.linked(atom));
            }
        };
        reach(&mut reached, &p.atoms());
        let mut is_relevant = vec![false; facts.iter().len()];
        let mut left = is_relevant.len();
        loop {
            let before = left;
            for (fact, is_relevant) in facts.iter().zip(&mut is_relevant) {
                let touches = |atom: &AtomId| self.linked(*atom).iter().any(|linked| reached.contains(linked));
                if !*is_relevant && fact.atoms.iter().any(touches) {
                    *is_relevant = true;
                    left -= 1;
                    reach(&mut reached, &fact.atoms);
                }
            }
            match left {
                0 => return facts.clone(),
                _ if left == before => return facts.select(|index| is_relevant[index]),
                _ => {}
            }
        }
    }

    /// A lower bound of the values of a polynomial where the facts hold.
    fn low(&self, p: &Polynomial, facts: &Facts) -> Option<Coeff> {
        if let Some(known) = self.bounds.get(p, facts) {
            return known;
        }
        let low = self.low_by_cases(p, &self.with_quotient_facts(p, facts), MAX_CASES);
        self.bounds.keep(p, facts, low.clone());
        low
    }

    /// The facts together with the condition, an indicator polynomial, being 1.
    pub fn assume(&self, facts: &Facts, condition: &Polynomial) -> Facts {
        let mut facts = facts.clone();
        for atom in condition.atoms().into_iter().filter(|atom| atom.is_idempotent()) {
            // If the condition cannot be 1 without the atom being 1 (or 0), the atom is 1 (or 0).
            for (impossible, implied) in [(Indicator::Zero, Indicator::One), (Indicator::One, Indicator::Zero)] {
                if condition.replace(atom, &impossible.polynomial()).is_zero() {
                    facts = self.assume_indicator(&facts, atom, implied);
                }
            }
        }
        facts
    }

    /// The facts together with an indicator having a value.
    pub(crate) fn assume_indicator(&self, facts: &Facts, atom: AtomId, value: Indicator) -> Facts {
        let mut facts = facts.clone();
        facts.assume_zero(Polynomial::from(atom) - value.polynomial());
        match (self.atom(atom), value) {
            (Atom::Predicate(Predicate::NonNegative(p)), Indicator::One) => facts.assume_nonneg(p.clone()),
            (Atom::Predicate(Predicate::NonNegative(p)), Indicator::Zero) => {
                facts.assume_nonneg(-p - Polynomial::one())
            }
            (Atom::Predicate(Predicate::Zero(p)), Indicator::One) => facts.assume_zero(p.clone()),
            _ => {}
        }
        facts
    }

    fn low_by_cases(&self, p: &Polynomial, facts: &Facts, cases: u32) -> Option<Coeff> {
        let decided = |atom: &AtomId| atom.is_idempotent() && p.terms().len() > 1;
        if cases > 0
            && let Some(atom) = p.atoms().into_iter().find(decided)
        {
            let case = |value: Indicator| {
                let facts = self.assume_indicator(facts, atom, value);
                self.low_by_cases(&p.replace(atom, &value.polynomial()), &facts, cases - 1)
            };
            return case(Indicator::One).zip(case(Indicator::Zero)).map(|(one, zero)| one.min(zero));
        }
        let plain = self.plain_range(p, facts).low().cloned();
        if facts.is_empty() || p.as_constant().is_some() {
            return plain;
        }
        let all = self.limits.tries();
        let mut tries = all;
        // Few facts before many, so that a proof in one step is not missed for the sake of a long one.
        let mut best = plain;
        for depth in 1..=MAX_COMBINED {
            if best.as_ref().is_some_and(Coeff::is_positive) {
                break;
            }
            best = best.max(self.lower_bound(p, facts, depth, &mut tries));
        }
        self.limits.spend(all - tries);
        if all > 0 && tries == 0 {
            self.limits.count(|hits| hits.proof_tries += 1);
        }
        best
    }

    /// Interval arithmetic, term by term.
    pub(crate) fn plain_range(&self, p: &Polynomial, facts: &Facts) -> Interval {
        p.terms().fold(Interval::point(0), |sum, (monomial, coefficient)| {
            sum.add(&self.monomial_range(monomial, facts).scale(coefficient))
        })
    }

    fn monomial_range(&self, monomial: &Monomial, facts: &Facts) -> Interval {
        monomial.powers().fold(Interval::point(1), |product, (atom, power)| {
            let own = self.atom_range(atom);
            let range = facts.atom_range(atom).and_then(|known| own.intersect(known));
            product.mul(&range.as_ref().unwrap_or(own).pow(power))
        })
    }

    /// A lower bound of `p`, found by subtracting multiples of facts that cancel terms of it:
    /// if `n*p - q*f >= low` with `n > 0`, `q >= 0` and `f >= 0`, then `p >= low/n`. Stops at a
    /// positive bound, which decides the sign.
    fn lower_bound(&self, p: &Polynomial, facts: &Facts, depth: u32, tries: &mut u32) -> Option<Coeff> {
        let mut best = self.plain_range(p, facts).low().cloned();
        if depth == 0 {
            return best;
        }
        let is_unbounded = |(monomial, coefficient): &(&Monomial, &Coeff)| {
            self.monomial_range(monomial, facts).scale(coefficient).low().is_none()
        };
        // A term without bound must go; without one, any may be worth replacing.
        let variable = p.terms().filter(|(monomial, _)| !monomial.is_one());
        let unbounded = variable.clone().find(is_unbounded);
        let candidates = variable.filter(|term| unbounded.is_none_or(|only| only == *term));
        for (monomial, coefficient) in candidates {
            for (fact, fact_monomial, fact_coefficient) in facts.terms() {
                if *tries == 0 || best.as_ref().is_some_and(Coeff::is_positive) {
                    return best;
                }
                if coefficient.signum() != fact_coefficient.signum() {
                    continue;
                }
                let Some(cofactor) = monomial.div_exact(fact_monomial) else { continue };
                let (up, down) = reduced_ratio(coefficient, fact_coefficient);
                // Products that raise the degree lead away from a bound.
                let is_small = cofactor.is_one() || cofactor.degree() + fact.degree() <= p.degree();
                if !is_small || !self.monomial_range(&cofactor, facts).is_non_negative() {
                    continue;
                }
                *tries -= 1;
                let rest = &p.scale(&down) - &(&Polynomial::term(cofactor, up) * fact);
                let low = self.lower_bound(&rest, facts, depth - 1, tries).and_then(|low| low.div_ceil(&down));
                best = best.max(low);
            }
        }
        best
    }
}

/// A value of an indicator.
#[derive(Clone, Copy)]
pub(crate) enum Indicator {
    Zero,
    One,
}

impl Indicator {
    pub(crate) fn polynomial(self) -> Polynomial {
        match self {
            Indicator::Zero => Polynomial::zero(),
            Indicator::One => Polynomial::one(),
        }
    }
}

/// The quotient of two coefficients of one sign as a fraction of positive integers without common divisor.
fn reduced_ratio(numerator: &Coeff, denominator: &Coeff) -> (Coeff, Coeff) {
    let gcd = numerator.gcd(denominator);
    let divide = |n: &Coeff| n.abs().div_exact(&gcd).expect("a common divisor divides");
    (divide(numerator), divide(denominator))
}
