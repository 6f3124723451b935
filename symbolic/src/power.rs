//! Powers with exponents that are no constants, as closed forms of geometric sequences and shifts by variables need them.

use crate::atom::OpaqueOp;
use crate::coeff::{Coeff, power_of};
use crate::facts::Facts;
use crate::limits::MAX_DEGREE;
use crate::polynomial::Polynomial;
use crate::space::Space;

impl Space {
    /// `base` to the power of `exponent`, which has no value for negative exponents. Products of powers of one base are kept apart:
    /// `pow(2, i + 1)` is `2*pow(2, i)` where `i >= 0`.
    pub(crate) fn power(&mut self, base: &Polynomial, exponent: &Polynomial, facts: &Facts) -> Polynomial {
        let simple = self.simple_power(base, exponent, facts);
        simple.or_else(|| self.split_power(base, exponent, facts)).unwrap_or_else(|| {
            let args = vec![base.clone(), exponent.clone()];
            self.intern_op(OpaqueOp::Pow, args)
        })
    }

    fn simple_power(&mut self, base: &Polynomial, exponent: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        if let Some(exponent) = exponent.as_constant() {
            if let Some(base) = base.as_constant() {
                return power_of(base, exponent).map(Polynomial::from);
            }
            let exponent = exponent.to_u64().filter(|&exponent| exponent <= u64::from(MAX_DEGREE))?;
            return (0..exponent).try_fold(Polynomial::one(), |product, _| self.product(&product, base));
        }
        let base = base.as_constant()?;
        if base.is_one() {
            Some(Polynomial::one())
        } else if base.is_zero() {
            Some(self.zero_under(exponent, facts))
        } else if *base == Coeff::MINUS_ONE {
            let odd = self.floor_rem(exponent, &Polynomial::from(2), facts);
            Some(Polynomial::one() - odd.scale(&Coeff::from(2)))
        } else {
            // A power of 2 as base: the exponent is that of 2.
            let log = base.log2().filter(|log| (2..=MAX_DEGREE).contains(log))?;
            let power = self.power(&Polynomial::from(2), exponent, facts);
            (0..log).try_fold(Polynomial::one(), |product, _| self.product(&product, &power))
        }
    }

    /// The product of the powers by the exponent's terms, as far as these are known not to be negative.
    fn split_power(&mut self, base: &Polynomial, exponent: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        let mut apart = Vec::new();
        for (monomial, coefficient) in exponent.terms() {
            let term = Polynomial::term(monomial.clone(), coefficient.clone());
            if self.proves_nonneg(&term, facts) {
                apart.push((Polynomial::term(monomial.clone(), Coeff::ONE), coefficient.clone()));
            }
        }
        let sum = |parts: &[(Polynomial, Coeff)]| {
            parts.iter().fold(Polynomial::zero(), |sum, (part, factor)| sum + part.scale(factor))
        };
        let mut rest = exponent - &sum(&apart);
        if !rest.is_zero() && !self.proves_nonneg(&rest, facts) {
            // Not all of them can be taken out; the constant may.
            apart.retain(|(part, _)| part.is_one());
            rest = exponent - &sum(&apart);
            if !self.proves_nonneg(&rest, facts) {
                return None;
            }
        }
        let is_whole = apart.is_empty() || rest.is_zero() && matches!(&apart[..], [(_, factor)] if factor.is_one());
        if is_whole {
            return None;
        }
        let mut product = if rest.is_zero() { Polynomial::one() } else { self.power(base, &rest, facts) };
        for (part, factor) in apart {
            if part.is_one() {
                product = self.product(&product, &self.constant_power(base, &factor)?)?;
                continue;
            }
            let times = factor.to_u64().filter(|&times| times <= u64::from(MAX_DEGREE))?;
            let power = self.intern_op(OpaqueOp::Pow, vec![base.clone(), part]);
            for _ in 0..times {
                product = self.product(&product, &power)?;
            }
        }
        Some(product)
    }

    fn constant_power(&self, base: &Polynomial, exponent: &Coeff) -> Option<Polynomial> {
        match base.as_constant() {
            Some(base) => power_of(base, exponent).map(Polynomial::from),
            None => None,
        }
    }
}
