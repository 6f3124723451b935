//! What follows from the definition of rounded-down quotients, as facts for range proofs.
//!
//! These are what undoing a collapsed loop needs: with `c <= ni*nj - 1` and `nj >= 1`, the row `floor(c / nj)` is at most `ni - 1`, and
//! the column `c - nj*floor(c / nj)` is in `[0, nj - 1]`.

use crate::atom::{Atom, OpaqueOp};
use crate::facts::Facts;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;
use rustc_hash::FxHashSet;

impl Space {
    /// The facts, with those added that the quotients in the terms of `p` and of the facts obey.
    pub(crate) fn with_quotient_facts(&self, p: &Polynomial, facts: &Facts) -> Facts {
        let mut all = facts.clone();
        let mut seen = FxHashSet::default();
        let atoms = p.atoms().into_iter().chain(facts.iter().flat_map(|fact| fact.atoms.iter().copied()));
        for atom in atoms.filter(|&atom| matches!(self.atom(atom), Atom::FloorDiv(..)) && seen.insert(atom)) {
            let Atom::FloorDiv(dividend, divisor) = self.atom(atom) else { continue };
            if !self.is_positive(divisor, facts) {
                continue;
            }
            let quotient = Polynomial::from(atom);
            let one = Polynomial::one();
            if self.plain_range(dividend, facts).is_non_negative() {
                all.assume_nonneg(quotient.clone());
            }
            let remainder = dividend - &(divisor * &quotient);
            all.assume_nonneg(divisor - &(&remainder + &one));
            all.assume_nonneg(remainder);
            // From a fact `bound - dividend >= 0` with bound = divisor*x + y: the quotient is at most x + floor(y / divisor).
            for fact in facts.nonneg() {
                self.limits.work_on(fact.terms().len() + dividend.terms().len());
                let (x, y) = (fact + dividend).div_rem(divisor);
                let y = self.plain_range(&y, facts);
                if y.is_negative() {
                    all.assume_nonneg(&(&x - &one) - &quotient);
                } else if y.high().is_some_and(|high| high.is_zero()) {
                    all.assume_nonneg(&x - &quotient);
                }
            }
        }
        self.add_truncated_quotients(&mut all);
        for (outer, inner) in self.nested_quotients(p) {
            // With divisors m*d and d, floor(a / (m*d)) is floor(q / m) for q = floor(a / d): the same two bounds, one level up.
            let (Atom::FloorDiv(_, long), Atom::FloorDiv(_, short)) = (self.atom(outer), self.atom(inner)) else {
                continue;
            };
            let (rows, rest) = long.div_rem(short);
            if !rest.is_zero() || !self.is_positive(short, facts) || !self.is_positive(&rows, facts) {
                continue;
            }
            let remainder = &Polynomial::from(inner) - &(&rows * &Polynomial::from(outer));
            all.assume_nonneg(&rows - &(&remainder + &Polynomial::one()));
            all.assume_nonneg(remainder);
        }
        all
    }

    /// Whether intervals show that a divisor is positive, which may be a count in steps: `floor((n + 15) / 16)` where `n >= 1`.
    fn is_positive(&self, divisor: &Polynomial, facts: &Facts) -> bool {
        let is_count = || {
            let Atom::FloorDiv(dividend, step) = self.atom(divisor.as_atom()?) else { return None };
            Some(self.plain_range(dividend, facts).div_floor(&self.plain_range(step, facts)).is_positive())
        };
        self.plain_range(divisor, facts).is_positive() || is_count() == Some(true)
    }

    /// A quotient that is rounded towards 0 and positive, by a positive divisor, is that of a dividend that is not negative.
    fn add_truncated_quotients(&self, facts: &mut Facts) {
        let mut seen = FxHashSet::default();
        let atoms: Vec<AtomId> = facts.iter().flat_map(|fact| fact.atoms.iter().copied()).collect();
        for atom in atoms {
            let Atom::Op(OpaqueOp::TruncDiv, operands) = self.atom(atom) else { continue };
            let [dividend, divisor] = &operands[..] else { continue };
            let quotient = Polynomial::from(atom);
            let is_positive = |p: &Polynomial| self.plain_range(p, facts).is_positive();
            if !seen.insert(atom) || !is_positive(divisor) || !is_positive(&quotient) {
                continue;
            }
            let remainder = dividend - &(divisor * &quotient);
            facts.assume_nonneg(divisor - &(&remainder + &Polynomial::one()));
            facts.assume_nonneg(remainder);
        }
    }

    /// Pairs of quotients in the terms of `p` that divide the same value.
    fn nested_quotients(&self, p: &Polynomial) -> Vec<(AtomId, AtomId)> {
        let atoms = p.atoms();
        let dividend = |atom: AtomId| match self.atom(atom) {
            Atom::FloorDiv(dividend, _) => Some(dividend),
            _ => None,
        };
        let pairs = atoms.iter().flat_map(|&outer| atoms.iter().map(move |&inner| (outer, inner)));
        pairs
            .filter(|&(outer, inner)| outer != inner && dividend(outer).is_some() && dividend(outer) == dividend(inner))
            .collect()
    }
}
