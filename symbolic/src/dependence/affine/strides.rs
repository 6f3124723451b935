//! Delinearisation: an equation as `S*Q + R`, where bounds of `R` leave few values of `Q` (Maslov, "Delinearization: An Efficient Way to Break Multiloop
//! Dependence Equations", PLDI 1992; here `S` may be a symbol, and the bounds are proven).

use super::solve::{Equation, MAX_VALUES, Node, Solver};
use super::worth::cost_of;
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::polynomial::{Monomial, Polynomial};
use smallvec::SmallVec;
use std::cmp::Reverse;

/// How far from 0 a quotient by a symbolic stride may be.
const MAX_QUOTIENT: i64 = 2;
/// How many strides are tried for one equation.
const MAX_SIZES: usize = 4;

impl Solver<'_> {
    /// Delinearisation: as `size*Q + R` with bounds of `R`, which leave few values of `Q`: an equation for each, with what it adds to `R`.
    #[allow(clippy::type_complexity)]
    pub fn split(
        &mut self,
        node: &Node,
        equation: &Equation,
        factors: &[(AtomId, Polynomial)],
    ) -> Option<(SmallVec<[(Equation, Polynomial); 2]>, Equation)> {
        // With coefficients of 1 and nothing else there is no stride.
        let is_plain =
            |(_, factor): &(AtomId, Polynomial)| factor.as_constant().is_some_and(|factor| factor.abs().is_one());
        let others = equation.form.terms().filter(|(monomial, _)| !monomial.is_one()).count();
        if others == factors.len() && factors.iter().all(is_plain) {
            return None;
        }
        for size in self.sizes(&equation.form, factors) {
            let (quotient, rest) = divided(&equation.form, &size);
            if quotient.as_constant().is_some() || self.is_unbounded(&node.constraints, &rest) {
                continue;
            }
            // Then it is an equation of invariant values.
            let is_fixed = self.variables.are_absent(&quotient);
            let remainder = Equation { form: rest, low: equation.low.clone(), high: equation.high.clone() };
            let Some((min, max)) = self.quotients(node, &size, &remainder) else { continue };
            let max_values = if is_fixed { 1 } else { MAX_VALUES };
            if max.checked_sub(min).is_none_or(|more| more >= max_values) {
                continue;
            }
            if self.splits == 0 {
                self.space.limits.count(|hits| hits.dependence_nodes += 1);
                return None;
            }
            self.splits -= 1;
            let value = |value: i64| {
                let form = &quotient - &Polynomial::from(value);
                (Equation::exact(form), size.scale(&Coeff::from(value)))
            };
            return Some(((min..=max).map(value).collect(), remainder));
        }
        None
    }

    /// From which to which quotient a value is in the interval: with `size >= 0`, a quotient of at least `q` gives at least
    /// `q*size` plus the least remainder.
    fn quotients(&mut self, node: &Node, size: &Polynomial, remainder: &Equation) -> Option<(i64, i64)> {
        let one = Polynomial::one();
        let above = Polynomial::from(remainder.high.clone()) + &one;
        let below = Polynomial::from(remainder.low.clone()) - &one;
        // What is added to the nearest multiple and is still too much, or too little.
        let mut rooms_above = self.lows(&node.constraints, &remainder.form);
        if rooms_above.is_empty() && self.unsigned.is_none() {
            self.unsigned = self.unsigned_stride(&remainder.form);
        }
        rooms_above.iter_mut().for_each(|low| *low = &*low - &above);
        let rooms_below = || {
            let mut rooms = self.highs(&node.constraints, &remainder.form);
            rooms.iter_mut().for_each(|high| *high = &below - &*high);
            rooms
        };
        let number = |rooms: &[Polynomial]| rooms.iter().filter_map(Polynomial::as_constant).max().cloned();
        let mut known_below = None;
        if let Some(size) = size.as_constant()
            && let Some(above) = number(&rooms_above)
        {
            let rooms = known_below.insert(rooms_below());
            if let Some(below) = number(rooms) {
                // q*size + above >= 0 excludes q and more.
                let (first, last) = ((-above).div_ceil(size)?.to_i64()?, below.div_floor(size)?.to_i64()?);
                return Some((last.checked_add(1)?, first.checked_sub(1)?));
            }
        }
        let mut missing = None;
        let mut least_excluded = |rooms: &[Polynomial]| {
            let excluded = (1..=MAX_QUOTIENT).find(|&value| {
                let step = size.scale(&Coeff::from(value));
                rooms.iter().any(|room| self.proves(&(&step + room)))
            });
            if excluded.is_none() && missing.is_none() {
                missing = rooms.iter().map(|room| size + room).min_by_key(weight_of);
            }
            excluded
        };
        let max = least_excluded(&rooms_above);
        // Without the one, the other serves for what is missing alone.
        let min = match max.is_some() || rooms_above.is_empty() {
            true => least_excluded(&known_below.unwrap_or_else(rooms_below)),
            false => None,
        };
        let found = max.zip(min);
        missing.into_iter().for_each(|missing| self.lack(missing));
        let (max, min) = found?;
        if !self.proves(size) {
            self.lack(size.clone());
            return None;
        }
        Some((1 - min, max - 1))
    }

    /// The stride of the innermost loop that may be negative, as far as is known: a form has bounds only where the signs of its strides are known.
    fn unsigned_stride(&self, form: &Polynomial) -> Option<Polynomial> {
        let factors = self.variables.factors(form);
        let strides = factors.into_iter().rev().map(|(_, factor)| factor);
        let mut unsigned = strides.filter(|stride| !self.is_nonneg(stride) && !self.is_nonneg(&-stride));
        let stride = unsigned.next()?;
        let is_turned = stride.leading_term().is_some_and(|(_, factor)| factor.is_negative());
        Some(if is_turned { -stride } else { stride })
    }

    /// Remembers what was not shown, if it is simpler than what is remembered.
    fn lack(&mut self, missing: Polynomial) {
        if self.missing.as_ref().is_none_or(|known| weight_of(&missing) < weight_of(known)) {
            self.missing = Some(missing);
        }
    }

    /// Strides by which an equation may be taken apart, large ones first: a coefficient, or what its multiples have in common; and its
    /// terms alone.
    fn sizes(&self, form: &Polynomial, factors: &[(AtomId, Polynomial)]) -> SmallVec<[Polynomial; MAX_SIZES]> {
        let mut primitives: SmallVec<[Polynomial; 4]> = SmallVec::new();
        for (_, factor) in factors {
            let primitive = if factor.as_constant().is_some() {
                Polynomial::from(factor.content())
            } else {
                let Some(primitive) = factor.div_exact(&factor.content()) else { continue };
                let is_turned = !self.is_nonneg(&primitive)
                    && (self.is_nonneg(&-&primitive)
                        || primitive.leading_term().is_some_and(|(_, factor)| factor.is_negative()));
                if is_turned { -primitive } else { primitive }
            };
            if !primitives.contains(&primitive) {
                primitives.push(primitive);
            }
        }
        let weight = |p: &Polynomial| (p.degree(), p.leading_term().map(|(_, factor)| factor.abs()));
        primitives.sort_by_key(|p| Reverse(weight(p)));
        let mut sizes = SmallVec::new();
        let mut add = |size: Polynomial| {
            if sizes.len() < MAX_SIZES && !size.is_one() && !size.is_zero() && !sizes.contains(&size) {
                sizes.push(size);
            }
        };
        if factors.iter().all(|(_, factor)| factor.as_constant().is_some()) {
            let fixed = form.terms().filter(|(monomial, _)| !monomial.is_one() && !self.variables.are_in(monomial));
            add(Polynomial::from(fixed.fold(Coeff::ZERO, |gcd, (_, factor)| gcd.gcd(factor))));
        }
        for primitive in primitives {
            if primitive.as_constant().is_some() {
                add(primitive);
                continue;
            }
            let times = factors.iter().filter_map(|(_, factor)| multiple(factor, &primitive));
            add(primitive.scale(&times.fold(Coeff::ZERO, |gcd, times| gcd.gcd(&times))));
            if primitive.terms().len() > 1 {
                let parts = primitive.terms().filter(|(monomial, _)| !monomial.is_one());
                parts.for_each(|(monomial, _)| add(Polynomial::term(monomial.clone(), Coeff::ONE)));
            }
        }
        sizes
    }
}

/// How much a condition asks for.
fn weight_of(p: &Polynomial) -> ((usize, usize), u32) {
    (cost_of(p), p.degree())
}

/// How often a polynomial is another, where that is a constant.
fn multiple(p: &Polynomial, of: &Polynomial) -> Option<Coeff> {
    if p.terms().len() != of.terms().len() {
        return None;
    }
    let times = p.leading_term()?.1.div_exact(of.leading_term()?.1)?;
    let is_multiple = p.terms().zip(of.terms()).all(|(a, b)| a.0 == b.0 && *a.1 == b.1 * &times);
    is_multiple.then_some(times)
}

/// Quotient and rest; by a constant, the nearest multiple of each coefficient.
fn divided(form: &Polynomial, size: &Polynomial) -> (Polynomial, Polynomial) {
    let Some(size) = size.as_constant() else {
        return match single(size) {
            Some((monomial, coefficient)) => by_monomial(form, monomial, coefficient),
            None => form.div_rem(size),
        };
    };
    by_monomial(form, &Monomial::default(), size)
}

fn single(size: &Polynomial) -> Option<(&Monomial, &Coeff)> {
    let mut terms = size.terms();
    terms.next().filter(|_| terms.next().is_none())
}

/// The terms that the monomial divides, each with the nearest multiple of the coefficient.
fn by_monomial(form: &Polynomial, monomial: &Monomial, coefficient: &Coeff) -> (Polynomial, Polynomial) {
    let two = Coeff::from(2);
    let quotient = Polynomial::from_terms(form.terms().filter_map(|(term, factor)| {
        let cofactor = term.div_exact(monomial)?;
        let nearest = (factor * &two - coefficient).div_ceil(&(coefficient * &two))?;
        Some((cofactor, nearest))
    }));
    let divisor = Polynomial::term(monomial.clone(), coefficient.clone());
    let rest = form - &(&quotient * &divisor);
    (quotient, rest)
}
