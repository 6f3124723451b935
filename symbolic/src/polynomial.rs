//! Polynomials over atoms with exact integer coefficients; equal as functions of independent atoms means identical.

use crate::coeff::Coeff;
use crate::id::AtomId;
pub use crate::monomial::Monomial;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

/// Atoms, ascending and each once.
pub type Atoms = SmallVec<[AtomId; 8]>;

/// A sum of monomials with integer coefficients.
// Invariant: monomials strictly descending (the constant last), no zero coefficients.
#[derive(PartialEq, Eq, Hash, Debug, Default)]
pub struct Polynomial(Terms);

impl Clone for Polynomial {
    fn clone(&self) -> Polynomial {
        // The derived one asks for room element by element.
        let mut terms = Terms::with_capacity(self.0.len());
        self.0.iter().for_each(|term| terms.push(term.clone()));
        Polynomial(terms)
    }
}

/// Most polynomials are short: constants, atoms, two atoms and a constant.
type Terms = SmallVec<[(Monomial, Coeff); IN_PLACE]>;
const IN_PLACE: usize = 3;

impl Polynomial {
    /// 0.
    pub fn zero() -> Polynomial {
        Polynomial(Terms::new())
    }

    /// 1.
    pub fn one() -> Polynomial {
        Polynomial::constant(1)
    }

    /// A constant.
    pub fn constant(value: impl Into<Coeff>) -> Polynomial {
        Polynomial::term(Monomial::default(), value.into())
    }

    /// A single atom.
    pub fn from_atom(atom: AtomId) -> Polynomial {
        Polynomial(smallvec![(Monomial::from(atom), Coeff::ONE)])
    }

    /// A single term.
    pub fn term(monomial: Monomial, coefficient: Coeff) -> Polynomial {
        if coefficient.is_zero() { Polynomial::zero() } else { Polynomial(smallvec![(monomial, coefficient)]) }
    }

    /// The sum of terms in any order, with repetitions.
    pub fn from_terms(terms: impl IntoIterator<Item = (Monomial, Coeff)>) -> Polynomial {
        Polynomial::normalised(terms.into_iter().collect())
    }

    /// The sum of many, in the time that sorting their terms takes.
    pub(crate) fn sum_of(parts: Vec<Polynomial>) -> Polynomial {
        match <[Polynomial; 1]>::try_from(parts) {
            Ok([only]) => only,
            Err(parts) => Polynomial::normalised(parts.into_iter().flat_map(|part| part.0).collect()),
        }
    }

    fn normalised(mut terms: Terms) -> Polynomial {
        if terms.is_sorted_by(|(a, _), (b, _)| a > b) {
            if terms.iter().any(|(_, coefficient)| coefficient.is_zero()) {
                terms.retain(|(_, coefficient)| !coefficient.is_zero());
            }
            return Polynomial(terms);
        }
        terms.sort_by(|(a, _), (b, _)| b.cmp(a));
        terms.dedup_by(|(monomial, coefficient), (kept, sum)| {
            let is_same = monomial == kept;
            if is_same {
                *sum = &*sum + &*coefficient;
            }
            is_same
        });
        terms.retain(|(_, coefficient)| !coefficient.is_zero());
        Polynomial(terms)
    }

    /// The terms, highest degree first and the constant last.
    pub fn terms(&self) -> impl DoubleEndedIterator<Item = (&Monomial, &Coeff)> + ExactSizeIterator + Clone {
        self.0.iter().map(|(monomial, coefficient)| (monomial, coefficient))
    }

    /// The first term; `None` for 0.
    pub fn leading_term(&self) -> Option<(&Monomial, &Coeff)> {
        self.terms().next()
    }

    /// Whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is 1.
    pub fn is_one(&self) -> bool {
        self.as_constant().is_some_and(Coeff::is_one)
    }

    /// The value, if no atom occurs.
    pub fn as_constant(&self) -> Option<&Coeff> {
        static ZERO: Coeff = Coeff::ZERO;
        match self.0.as_slice() {
            [] => Some(&ZERO),
            [(monomial, coefficient)] if monomial.is_one() => Some(coefficient),
            _ => None,
        }
    }

    /// The atom, if this is nothing but one atom.
    pub fn as_atom(&self) -> Option<AtomId> {
        match self.0.as_slice() {
            [(monomial, coefficient)] if coefficient.is_one() => monomial.as_atom(),
            _ => None,
        }
    }

    /// The atom, if this is one atom and possibly a constant.
    pub fn as_atom_and_constant(&self) -> Option<AtomId> {
        self.as_affine_in_atom().filter(|_| self.0[0].1.is_one())
    }

    /// The atom, if this is a multiple of one atom, and possibly a constant.
    pub(crate) fn as_affine_in_atom(&self) -> Option<AtomId> {
        let (first, rest) = self.0.split_first()?;
        let is_rest_constant = rest.iter().all(|(monomial, _)| monomial.is_one());
        first.0.as_atom().filter(|_| is_rest_constant)
    }

    /// The term without atoms.
    pub fn constant_term(&self) -> Coeff {
        match self.0.last() {
            Some((monomial, coefficient)) if monomial.is_one() => coefficient.clone(),
            _ => Coeff::ZERO,
        }
    }

    /// Everything but the term without atoms.
    pub fn without_constant(&self) -> Polynomial {
        let variable = match self.0.split_last() {
            Some(((monomial, _), variable)) if monomial.is_one() => variable,
            _ => &self.0[..],
        };
        Polynomial(variable.iter().cloned().collect())
    }

    /// The polynomial minus another, where that is a number.
    pub(crate) fn distance_from(&self, other: &Polynomial) -> Option<Coeff> {
        let split = |p: &Polynomial| match p.0.last() {
            Some((monomial, _)) if monomial.is_one() => p.0.len() - 1,
            _ => p.0.len(),
        };
        let (own, others) = (split(self), split(other));
        (self.0[..own] == other.0[..others]).then(|| self.constant_term() - other.constant_term())
    }

    /// The terms whose atoms all are such, and the others.
    pub(crate) fn partition(&self, mut is_such: impl FnMut(AtomId) -> bool) -> [Polynomial; 2] {
        let mut parts = [Polynomial::zero(), Polynomial::zero()];
        for (monomial, coefficient) in &self.0 {
            let part = usize::from(!monomial.powers().all(|(atom, _)| is_such(atom)));
            parts[part].0.push((monomial.clone(), coefficient.clone()));
        }
        parts
    }

    /// The atoms that occur outside of other atoms, ascending and each once.
    pub fn atoms(&self) -> Atoms {
        let mut atoms = Atoms::new();
        for (monomial, _) in &self.0 {
            monomial.powers().for_each(|(atom, _)| atoms.push(atom));
        }
        if self.0.len() > 1 {
            atoms.sort_unstable();
            atoms.dedup();
        }
        atoms
    }

    /// The highest sum of powers in a term; 0 for constants.
    pub fn degree(&self) -> u32 {
        self.leading_term().map_or(0, |(monomial, _)| monomial.degree())
    }

    /// The highest power of an atom outside of other atoms.
    pub fn degree_in(&self, atom: AtomId) -> u32 {
        self.terms().map(|(monomial, _)| monomial.degree_in(atom)).max().unwrap_or(0)
    }

    /// Whether an atom occurs outside of other atoms.
    pub(crate) fn has(&self, atom: AtomId) -> bool {
        self.0.iter().any(|(monomial, _)| monomial.has(atom))
    }

    /// The factor of the atom's first power; `None` where higher powers occur.
    pub fn coefficient_of(&self, atom: AtomId) -> Option<Polynomial> {
        self.split_affine(atom).map(|(coefficient, _)| coefficient)
    }

    /// The factor of the atom's first power; terms with higher ones are left out.
    pub(crate) fn factor_of(&self, atom: AtomId) -> Polynomial {
        // The order of monomials is that of their products with the atom.
        let mut terms = Terms::new();
        for (monomial, factor) in &self.0 {
            if monomial.degree_in(atom) == 1 {
                terms.push((monomial.without(atom), factor.clone()));
            }
        }
        Polynomial(terms)
    }

    /// Writes the polynomial as `coefficient * atom + rest`, neither with the atom outside of other atoms; `None` where higher powers occur.
    pub fn split_affine(&self, atom: AtomId) -> Option<(Polynomial, Polynomial)> {
        if self.degree_in(atom) > 1 {
            return None;
        }
        Some((self.factor_of(atom), self.terms_without(atom)))
    }

    fn terms_without(&self, atom: AtomId) -> Polynomial {
        let mut terms = Terms::new();
        for (monomial, coefficient) in &self.0 {
            if !monomial.has(atom) {
                terms.push((monomial.clone(), coefficient.clone()));
            }
        }
        Polynomial(terms)
    }

    /// The greatest common divisor of all coefficients, the constant's too; 0 for 0.
    pub fn content(&self) -> Coeff {
        gcd_of(self.0.iter().map(|(_, coefficient)| coefficient))
    }

    /// The greatest common divisor of the coefficients of atoms; 0 for constants.
    pub(crate) fn variable_content(&self) -> Coeff {
        gcd_of(self.terms().filter(|(monomial, _)| !monomial.is_one()).map(|(_, coefficient)| coefficient))
    }

    /// The polynomial times a constant.
    pub fn scale(&self, factor: &Coeff) -> Polynomial {
        if factor.is_one() { self.clone() } else { self.map_coefficients(|coefficient| coefficient * factor) }
    }

    /// The polynomial divided by a constant; `None` unless it divides every coefficient.
    pub fn div_exact(&self, divisor: &Coeff) -> Option<Polynomial> {
        let divide =
            |(monomial, coefficient): &(Monomial, Coeff)| Some((monomial.clone(), coefficient.div_exact(divisor)?));
        self.0.iter().map(divide).collect::<Option<Terms>>().map(Polynomial)
    }

    /// Applies a function to every coefficient.
    pub fn map_coefficients(&self, mut f: impl FnMut(&Coeff) -> Coeff) -> Polynomial {
        let mut mapped = Terms::with_capacity(self.0.len());
        for (monomial, coefficient) in &self.0 {
            let coefficient = f(coefficient);
            if !coefficient.is_zero() {
                mapped.push((monomial.clone(), coefficient));
            }
        }
        Polynomial(mapped)
    }

    /// Puts a value in place of an atom where it occurs outside of other atoms.
    pub fn replace(&self, atom: AtomId, value: &Polynomial) -> Polynomial {
        if let Some(value) = value.as_constant() {
            let term = |(monomial, coefficient): &(Monomial, Coeff)| match monomial.degree_in(atom) {
                0 => (monomial.clone(), coefficient.clone()),
                power => (monomial.without(atom), (0..power).fold(coefficient.clone(), |product, _| &product * value)),
            };
            return Polynomial::from_terms(self.0.iter().map(term));
        }
        if let Some(times) = self.number_times(atom) {
            return self.terms_without(atom).merge(value, |b| b * times, |a, b| a + &(b * times));
        }
        let mut terms = Terms::with_capacity(self.0.len() + value.0.len());
        for (monomial, coefficient) in &self.0 {
            match monomial.degree_in(atom) {
                0 => terms.push((monomial.clone(), coefficient.clone())),
                1 => {
                    let rest = monomial.without(atom);
                    terms.extend(value.0.iter().map(|(other, factor)| (rest.mul(other), coefficient * factor)));
                }
                power => {
                    let rest = Polynomial::term(monomial.without(atom), coefficient.clone());
                    terms.extend((&rest * &value.pow(power)).0);
                }
            }
        }
        Polynomial::normalised(terms)
    }

    /// Puts other atoms in the place of some, outside of other atoms.
    pub(crate) fn rename(&self, mut name_of: impl FnMut(AtomId) -> AtomId) -> Polynomial {
        Polynomial::from_terms(self.0.iter().map(|(monomial, coefficient)| {
            let powers = monomial.powers().map(|(atom, power)| Monomial::power(name_of(atom), power));
            (powers.reduce(|product, power| product.mul(&power)).unwrap_or_default(), coefficient.clone())
        }))
    }

    /// The coefficient of the atom's first power, if that is a number other than 0.
    pub fn number_times(&self, atom: AtomId) -> Option<&Coeff> {
        let mut with = self.0.iter().filter(|(monomial, _)| monomial.has(atom));
        match (with.next(), with.next()) {
            (Some((monomial, coefficient)), None) if monomial.degree() == 1 => Some(coefficient),
            _ => None,
        }
    }

    /// The polynomial to a power.
    pub fn pow(&self, exponent: u32) -> Polynomial {
        (0..exponent).fold(Polynomial::one(), |product, _| &product * self)
    }

    /// Quotient and remainder with `self = quotient * divisor + remainder`, dividing leading terms as long as the
    /// coefficients divide exactly. The quotient is 0 where the divisor's leading term has an idempotent atom or is constant.
    pub fn div_rem(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let (mut quotient, mut remainder) = (Polynomial::zero(), Polynomial::zero());
        let Some((lead, lead_coefficient)) = divisor.leading_term() else {
            return (quotient, self.clone());
        };
        if lead.is_one() || lead.powers().any(|(atom, _)| atom.is_idempotent()) {
            return (quotient, self.clone());
        }
        // Terminates: each step removes the leading term and adds only smaller ones (idempotence lowers degrees).
        let mut rest = self.clone();
        while let Some((monomial, coefficient)) = rest.leading_term() {
            let step = monomial.div_exact(lead).zip(coefficient.div_exact(lead_coefficient));
            match step {
                Some((monomial, coefficient)) => {
                    let step = Polynomial::term(monomial, coefficient);
                    rest = &rest - &(&step * divisor);
                    quotient = &quotient + &step;
                }
                None => {
                    let lead = Polynomial::term(monomial.clone(), coefficient.clone());
                    rest = &rest - &lead;
                    remainder = &remainder + &lead;
                }
            }
        }
        (quotient, remainder)
    }

    /// The sum with another, whose coefficients are taken as they are made, and those of monomials of both as they are put together.
    fn merge(
        &self,
        other: &Polynomial,
        made: impl Fn(&Coeff) -> Coeff,
        together: impl Fn(&Coeff, &Coeff) -> Coeff,
    ) -> Polynomial {
        let (mut left, mut right) = (&self.0[..], &other.0[..]);
        let most = left.len().max(right.len());
        // What does not fit in place gets room for all.
        let mut sum = Terms::with_capacity(if most > IN_PLACE { left.len() + right.len() } else { most });
        while let ([a, left_rest @ ..], [b, right_rest @ ..]) = (left, right) {
            match b.0.cmp(&a.0) {
                Ordering::Less => {
                    sum.push(a.clone());
                    left = left_rest;
                }
                Ordering::Greater => {
                    sum.push((b.0.clone(), made(&b.1)));
                    right = right_rest;
                }
                Ordering::Equal => {
                    let coefficient = together(&a.1, &b.1);
                    if !coefficient.is_zero() {
                        sum.push((a.0.clone(), coefficient));
                    }
                    (left, right) = (left_rest, right_rest);
                }
            }
        }
        left.iter().for_each(|term| sum.push(term.clone()));
        right.iter().for_each(|(monomial, coefficient)| sum.push((monomial.clone(), made(coefficient))));
        Polynomial(sum)
    }

    /// The polynomial without so many times another; `times` is not 0.
    pub(crate) fn less(&self, times: &Coeff, other: &Polynomial) -> Polynomial {
        match times.is_one() {
            true => self - other,
            false => self.merge(other, |b| -(b * times), |a, b| a - &(b * times)),
        }
    }

    /// The sum with a constant.
    fn plus_constant(mut self, constant: Coeff) -> Polynomial {
        match self.0.last_mut() {
            Some((monomial, last)) if monomial.is_one() => {
                *last = &*last + &constant;
                if last.is_zero() {
                    self.0.pop();
                }
            }
            _ if constant.is_zero() => {}
            _ => self.0.push((Monomial::default(), constant)),
        }
        self
    }
}

fn gcd_of<'a>(coefficients: impl Iterator<Item = &'a Coeff>) -> Coeff {
    let mut gcd = Coeff::ZERO;
    for coefficient in coefficients {
        gcd = gcd.gcd(coefficient);
        if gcd.is_one() {
            break;
        }
    }
    gcd
}

impl From<AtomId> for Polynomial {
    fn from(atom: AtomId) -> Polynomial {
        Polynomial::from_atom(atom)
    }
}

impl From<Coeff> for Polynomial {
    fn from(value: Coeff) -> Polynomial {
        Polynomial::constant(value)
    }
}

impl From<i64> for Polynomial {
    fn from(value: i64) -> Polynomial {
        Polynomial::constant(value)
    }
}

impl Add for &Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        self.merge(other, Coeff::clone, |a, b| a + b)
    }
}

impl Sub for &Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        self.merge(other, |b| -b, |a, b| a - b)
    }
}

/// Without limit: see [`Space::product`](crate::Space::product) for products whose size is not known to be small.
impl Mul for &Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        match (self.as_constant(), other.as_constant()) {
            (Some(factor), _) => return other.scale(factor),
            (_, Some(factor)) => return self.scale(factor),
            (None, None) => {}
        }
        let products = self.0.iter().flat_map(|(m, c)| other.0.iter().map(move |(n, d)| (m.mul(n), c * d)));
        Polynomial::from_terms(products)
    }
}

impl Neg for &Polynomial {
    type Output = Polynomial;
    fn neg(self) -> Polynomial {
        self.map_coefficients(|c| -c)
    }
}

impl Add<&Polynomial> for Polynomial {
    type Output = Polynomial;
    fn add(self, other: &Polynomial) -> Polynomial {
        match other.as_constant() {
            Some(constant) => self.plus_constant(constant.clone()),
            None => &self + other,
        }
    }
}

impl Sub<&Polynomial> for Polynomial {
    type Output = Polynomial;
    fn sub(self, other: &Polynomial) -> Polynomial {
        match other.as_constant() {
            Some(constant) => self.plus_constant(-constant),
            None => &self - other,
        }
    }
}

impl Mul<&Polynomial> for Polynomial {
    type Output = Polynomial;
    fn mul(self, other: &Polynomial) -> Polynomial {
        &self * other
    }
}

/// Implements an operator on values through the ones on references.
macro_rules! by_value {
    ($trait:ident, $method:ident) => {
        impl $trait for Polynomial {
            type Output = Polynomial;
            fn $method(self, other: Polynomial) -> Polynomial {
                self.$method(&other)
            }
        }
        impl $trait<Polynomial> for &Polynomial {
            type Output = Polynomial;
            fn $method(self, other: Polynomial) -> Polynomial {
                self.$method(&other)
            }
        }
    };
}

by_value!(Add, add);
by_value!(Sub, sub);
by_value!(Mul, mul);

impl Neg for Polynomial {
    type Output = Polynomial;
    fn neg(mut self) -> Polynomial {
        for (_, coefficient) in &mut self.0 {
            *coefficient = -&*coefficient;
        }
        self
    }
}
