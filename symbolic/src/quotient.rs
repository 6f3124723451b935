//! Constructors of what leaves the polynomials: floor division, and reduction to a machine width.

use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::example::AtExamples;
use crate::facts::Facts;
use crate::id::Idempotent;
use crate::interval::{Interval, Signedness};
use crate::limits::{MAX_DEGREE, MAX_TERMS};
use crate::polynomial::Polynomial;
use crate::predicate::leads_negative;
use crate::space::Space;

impl Space {
    /// The quotient `a / b` rounded down; it has no value where `b` is 0. The facts hold where it is used.
    pub fn floor_div(&mut self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Polynomial {
        if b.is_zero() {
            return self.intern_quotient(a, b);
        }
        if leads_negative(b) {
            return self.floor_div(&-a, &-b, facts);
        }
        // floor((q*b + r)/b) = q + floor(r/b)
        let (quotient, rest) = split_multiple(a, b);
        quotient + self.floor_div_reduced(&rest, b, facts)
    }

    /// The remainder `a - b * floor(a / b)`, which has the divisor's sign; a fresh unknown value where it would be too large.
    pub fn floor_rem(&mut self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Polynomial {
        let quotient = self.floor_div(a, b, facts);
        let whole = self.product_or_unknown(&quotient, b);
        a - &whole
    }

    fn floor_div_reduced(&mut self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Polynomial {
        if a.is_zero() {
            return Polynomial::zero();
        }
        // Where the divisor is 0 there is no quotient to get wrong.
        let positive = self.proves_nonneg(b, facts);
        if let Some(gcd) = Some(a.variable_content().gcd(&b.content())).filter(|gcd| !gcd.is_one()) {
            // floor((g*q + c)/(g*b)) = floor((q + floor(c/g))/b) for b > 0; for other b where g divides c.
            let constant = a.constant_term();
            if (positive || constant.div_exact(&gcd).is_some())
                && let Some(variable) = a.without_constant().div_exact(&gcd)
                && let Some(constant) = constant.div_floor(&gcd)
                && let Some(b) = b.div_exact(&gcd)
            {
                return self.floor_div(&(variable + Polynomial::from(constant)), &b, facts);
            }
        }
        if positive && let Some(quotient) = self.small_quotient(a, b, facts) {
            return Polynomial::from(quotient);
        }
        if let Some((inner, divisor)) = self.nested_quotient(a, b, facts) {
            return self.floor_div(&inner, &divisor, facts);
        }
        if let Some(turned) = turned(a, b) {
            return -&self.floor_div(&turned, b, facts);
        }
        self.intern_quotient(a, b)
    }

    /// 0 where `0 <= a < b`, -1 where `-b <= a < 0`; for constant `b`, what all of the dividend's range gives.
    fn small_quotient(&self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<Coeff> {
        let likely = match self.quotient_at_examples(a, b, facts) {
            AtExamples::Different => return None,
            AtExamples::Same(quotient) => Some(quotient),
            AtExamples::Unknown => None,
        };
        if let Some(divisor) = b.as_constant() {
            let quotient = |bound: Option<&Coeff>| bound?.div_floor(divisor);
            let range = match &likely {
                Some(likely) => {
                    let least = likely * divisor;
                    let greatest = &least + divisor - Coeff::ONE;
                    self.range_within(a, facts, &Interval::new(Some(least), Some(greatest))?)?
                }
                None => self.range_under(a, facts),
            };
            let (low, high) = (quotient(range.low())?, quotient(range.high())?);
            return (low == high).then_some(low);
        }
        [Coeff::ZERO, Coeff::MINUS_ONE].into_iter().find(|quotient| {
            let rest = || a - &b.scale(quotient);
            likely.as_ref().is_none_or(|likely| likely == quotient)
                && self.proves_nonneg(&rest(), facts)
                && self.proves_nonneg(&(b - &rest() - Polynomial::one()), facts)
        })
    }

    /// `floor((floor(x/y) + r)/b) = floor((x + r*y)/(y*b))` for positive `y` and `b`: gives the new dividend and divisor.
    fn nested_quotient(&mut self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<(Polynomial, Polynomial)> {
        let mut quotients = a.atoms().into_iter().filter(|&atom| matches!(self.atom(atom), Atom::FloorDiv(..)));
        let (inner, None) = (quotients.next()?, quotients.next()) else { return None };
        let (factor, rest) = a.split_affine(inner)?;
        let Atom::FloorDiv(x, y) = self.atom(inner).clone() else { return None };
        let positive = |p| self.proves_nonneg(p, facts);
        if !factor.is_one() || !positive(b) || !positive(&y) {
            return None;
        }
        let rest = self.product(&rest, &y)?;
        let divisor = self.product(b, &y)?;
        Some((x + rest, divisor))
    }

    fn intern_quotient(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let range = self.range(a).div_floor(&self.range(b));
        if let Some(value) = range.as_point() {
            return Polynomial::from(value.clone());
        }
        self.intern(Atom::FloorDiv(a.clone(), b.clone()), range, Idempotent::No)
    }

    /// The value reduced modulo `2^bits` into the signed or unsigned range.
    pub fn wrap(&mut self, signed: Signedness, bits: u32, value: &Polynomial) -> Polynomial {
        self.wrap_under(signed, bits, value, &Facts::none())
    }

    /// [`Space::wrap`] where the facts hold, which may show that nothing wraps.
    pub fn wrap_under(&mut self, signed: Signedness, bits: u32, value: &Polynomial, facts: &Facts) -> Polynomial {
        let range = Interval::of_width(bits, signed);
        // Intervals alone first: the search with facts costs more.
        let fits = |value| self.is_within(value, &Facts::none(), &range) || self.is_within(value, facts, &range);
        if fits(value) {
            return value.clone();
        }
        let simpler = self.congruent(bits, value);
        if let Some(constant) = simpler.as_constant() {
            return Polynomial::from(reduce(signed, bits, constant));
        }
        if simpler != *value && fits(&simpler) {
            return simpler;
        }
        let value = simpler;
        let low = self.low_part(signed, bits, &value, facts);
        let high = &value - &low;
        low + self.intern(Atom::Wrap { signed, bits, value: high }, range, Idempotent::No)
    }

    /// A part of a value that no reduction touches: with all other terms multiples of a power of two `g`, a part in `0..g` is the same before
    /// and after, since the range begins and ends at multiples of `g`.
    fn low_part(&self, signed: Signedness, bits: u32, value: &Polynomial, facts: &Facts) -> Polynomial {
        let widest = u64::from(if signed == Signedness::Signed { bits.saturating_sub(1) } else { bits });
        let zeros = |coefficient: &Coeff| coefficient.trailing_zeros().unwrap_or(0).min(widest);
        let variable = value.terms().filter(|(monomial, _)| !monomial.is_one());
        let mut steps: Vec<u64> =
            variable.map(|(_, coefficient)| zeros(coefficient)).filter(|&step| step > 0).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        steps.dedup();
        for step in steps {
            let unit = Coeff::pow2(step as u32);
            let below = Polynomial::from_terms(value.terms().filter_map(|(monomial, coefficient)| {
                let part = match monomial.is_one() {
                    true => coefficient.rem_euclid(&unit)?,
                    false if zeros(coefficient) >= step => Coeff::ZERO,
                    false => coefficient.clone(),
                };
                Some((monomial.clone(), part))
            }));
            let fits = Interval::between(0, &unit - &Coeff::ONE);
            if !below.is_zero() && self.is_within(&below, facts, &fits) {
                return below;
            }
        }
        Polynomial::zero()
    }

    /// A simpler polynomial that is equal modulo `2^bits`: without inner reductions that do not matter, with small coefficients.
    pub fn congruent(&self, bits: u32, value: &Polynomial) -> Polynomial {
        let mut value = value.clone();
        while let Some(simpler) = self.without_wider_wrap(bits, &value) {
            value = simpler;
        }
        value.map_coefficients(|coefficient| reduce(Signedness::Signed, bits, coefficient))
    }

    /// Takes one inner reduction away. In `c * wrap_n(x)` it does not matter if `2^bits` divides `c * 2^n`.
    fn without_wider_wrap(&self, bits: u32, value: &Polynomial) -> Option<Polynomial> {
        value.atoms().into_iter().find_map(|atom| {
            let Atom::Wrap { bits: inner_bits, value: inner, .. } = self.atom(atom) else { return None };
            let (factor, _) = value.split_affine(atom)?;
            let is_small = factor.terms().len() * inner.terms().len() <= MAX_TERMS
                && factor.degree() + inner.degree() <= MAX_DEGREE;
            let zeros = factor.content().trailing_zeros()?;
            (is_small && u64::from(*inner_bits) + zeros >= u64::from(bits)).then(|| value.replace(atom, inner))
        })
    }
}

/// `b - a - 1`, by which `floor(a/b) = -floor((b - a - 1)/b)`, where that has the other sign: of both forms of a quotient by a number there is one only,
/// as of what rounds towards zero on each side of it.
fn turned(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let is_turned = b.as_constant().is_some() && leads_negative(&a.without_constant());
    is_turned.then(|| b - a - Polynomial::one())
}

/// The quotient and rest of `a` by `b`, with everything in the quotient that divides; coefficients of the rest by a constant
/// divisor lie in `(-b/2, b/2]`, and its constant in `[0, b)`.
pub(crate) fn split_multiple(a: &Polynomial, b: &Polynomial) -> (Polynomial, Polynomial) {
    let Some(divisor) = b.as_constant() else {
        return a.div_rem(b);
    };
    let two = Coeff::from(2);
    let quotient = Polynomial::from_terms(a.terms().map(|(monomial, coefficient)| {
        let quotient = if monomial.is_one() {
            coefficient.div_floor(divisor)
        } else {
            // Nearest integer, halves down.
            (coefficient * &two - divisor).div_ceil(&(divisor * &two))
        };
        (monomial.clone(), quotient.expect("the divisor is not 0"))
    }));
    let rest = a - &quotient.scale(divisor);
    (quotient, rest)
}

/// The number that is congruent modulo `2^bits` and in the signed or unsigned range.
pub(crate) fn reduce(signed: Signedness, bits: u32, value: &Coeff) -> Coeff {
    let width = Interval::of_width(bits, signed);
    if width.contains(value) {
        return value.clone();
    }
    let modulus = Coeff::pow2(bits);
    let residue = value.rem_euclid(&modulus).expect("a power of 2 is not 0");
    if width.contains(&residue) { residue } else { residue - modulus }
}
