//! What follows from the definition of rounded-down quotients, as facts for range proofs.
//!
//! These are what undoing a collapsed loop needs: with `c <= ni*nj - 1` and `nj >= 1`, the row `floor(c / nj)` is at most `ni - 1`, and
//! the column `c - nj*floor(c / nj)` is in `[0, nj - 1]`.

use crate::atom::Atom;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

impl Space {
    /// The facts, with those added that the quotients in the terms of `p` and of the facts obey.
    pub(crate) fn with_quotient_facts(&self, p: &Polynomial, facts: &Facts) -> Facts {
        let mut all = facts.clone();
        let atoms = p.atoms().into_iter().chain(facts.nonneg().iter().flat_map(Polynomial::atoms));
        for atom in atoms {
            let Atom::FloorDiv(dividend, divisor) = self.atom(atom) else { continue };
            if !self.plain_range(divisor, facts).is_positive() {
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
                let (x, y) = (fact + dividend).div_rem(divisor);
                let y = self.plain_range(&y, facts);
                if y.is_negative() {
                    all.assume_nonneg(&(&x - &one) - &quotient);
                } else if y.high().is_some_and(|high| high.is_zero()) {
                    all.assume_nonneg(&x - &quotient);
                }
            }
        }
        all
    }
}
