//! Addresses are residues modulo `2^64`: a difference that is a multiple of that, or close to one, is a collision too.

use super::Access;
use super::node::Equation;
use crate::atom::{Atom, AtomId, Varies};
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::interval::Interval;
use crate::polynomial::Polynomial;
use crate::space::Space;

impl Access {
    /// Adds that the distance of the address from `base`, taken as an exact integer, is that of a place inside of one object: from
    /// `-2^63` to `2^63`, all bytes included. So it is for pointers marked `inbounds` whose offsets are read as exact signed values.
    pub fn stays_near(&mut self, base: &Polynomial) {
        let [low, high] = self.near(base);
        self.facts.assume_nonneg(low);
        self.facts.assume_nonneg(high);
    }

    fn near(&self, base: &Polynomial) -> [Polynomial; 2] {
        let offset = &self.address - base;
        let reach = Polynomial::from(Coeff::pow2(63));
        [&offset + &reach, &reach - &offset - Polynomial::from(Coeff::from(self.bytes))]
    }

    fn is_near(&self, base: AtomId) -> bool {
        self.near(&Polynomial::from(base)).iter().all(|fact| self.facts.contains(fact))
    }
}

/// Whether a fact is one of [`Access::stays_near`].
pub(super) fn is_about_place(fact: &Polynomial, access: &Access) -> bool {
    let far = Coeff::pow2(62);
    fact.terms().len() >= 2
        && fact.constant_term() > far
        && access.address.atoms().iter().any(|&base| access.near(&Polynomial::from(base)).contains(fact))
}

/// A symbol that both addresses start from.
pub(super) fn common_base(space: &Space, source: &Access, sink: &Access) -> Option<AtomId> {
    let is_base = |address: &Polynomial, atom| address.coefficient_of(atom).is_some_and(|factor| factor.is_one());
    source.address.atoms().into_iter().find(|&atom| {
        let is_symbol = matches!(space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No);
        is_symbol && is_base(&source.address, atom) && is_base(&sink.address, atom) && source.is_near(atom)
    })
}

/// Whether facts say that both addresses stay within `2^63` of one base, so that their exact difference is that of the machine.
pub(super) fn stays_below_wrap(space: &Space, source: &Access, sink: &Access) -> bool {
    common_base(space, source, sink).is_some_and(|base| sink.is_near(base))
}

/// Whether the form stays so small that it is in its interval where it is so modulo `2^64`.
pub(super) fn is_below_wrap(space: &Space, equation: &Equation, facts: &Facts) -> bool {
    let Equation { form, low, high } = equation;
    let fits = |range: &Interval| {
        let below = Coeff::pow2(64);
        range.low().is_some_and(|least| *least > high - &below) && range.high().is_some_and(|most| *most < low + &below)
    };
    fits(&space.plain_range(form, facts)) || fits(&space.range_under(form, facts))
}

/// Whether a value in the interval is congruent to the form, modulo what `2^64` and all coefficients are multiples of.
pub(super) fn has_residue(equation: &Equation) -> bool {
    let Equation { form, low, high } = equation;
    let gcd = form.without_constant().content().gcd(&Coeff::pow2(64));
    let constant = form.constant_term();
    let bounds = (low - &constant).div_ceil(&gcd).zip((high - &constant).div_floor(&gcd));
    bounds.is_none_or(|(least, most)| least <= most)
}
