//! Addresses are residues modulo `2^64`: a difference that is a multiple of that, or close to one, is a collision too.

use super::access::Access;
use crate::atom::{Atom, Varies};
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use smallvec::SmallVec;

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
}

/// Which end of the distance from a base a fact bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Low,
    High,
}

/// The base of a fact that is one of [`Access::stays_near`].
fn place(fact: &Polynomial, access: &Access) -> Option<(AtomId, Side)> {
    let (last, constant) = fact.terms().next_back()?;
    if fact.terms().len() < 2 || !last.is_one() || *constant <= Coeff::pow2(62) {
        return None;
    }
    let base = |side: Side| {
        let mut terms = fact.terms().filter(|(monomial, _)| !monomial.is_one()).peekable();
        let mut base = None;
        for (monomial, factor) in access.address.terms().filter(|(monomial, _)| !monomial.is_one()) {
            let is_of_offset = |&(other, by): &(&Monomial, &Coeff)| {
                other == monomial && if side == Side::Low { by == factor } else { *by == -factor }
            };
            if terms.next_if(is_of_offset).is_none() {
                let atom = monomial.powers().next().filter(|_| monomial.degree() == 1 && factor.is_one());
                let (atom, _) = atom.filter(|_| base.is_none())?;
                base = Some(atom);
            }
        }
        base.filter(|_| terms.next().is_none())
    };
    // In machine words; places with other constants are none that are asked about.
    let (offset, reach) = (access.address.constant_term().to_i64()?, 1_u64 << 63);
    let constant = constant.to_u64()?;
    if reach.checked_add_signed(offset) == Some(constant)
        && let Some(base) = base(Side::Low)
    {
        return Some((base, Side::Low));
    }
    let high = offset.checked_neg().and_then(|offset| reach.checked_add_signed(offset)?.checked_sub(access.bytes));
    if high != Some(constant) {
        return None;
    }
    base(Side::High).map(|base| (base, Side::High))
}

/// Whether a fact is one of [`Access::stays_near`].
pub(super) fn is_about_place(fact: &Polynomial, access: &Access) -> bool {
    place(fact, access).is_some()
}

/// The bases that the access stays near to at both sides, or is at a constant distance from.
fn bases(access: &Access) -> SmallVec<[AtomId; 1]> {
    // Facts do not say of a constant that it is small.
    let offset = access.address.constant_term();
    if let Some(base) = access.address.without_constant().as_atom()
        && offset.abs() < Coeff::pow2(62)
    {
        return SmallVec::from_slice(&[base]);
    }
    let places: SmallVec<[(AtomId, Side); 2]> = access.facts.nonneg().filter_map(|fact| place(fact, access)).collect();
    let is_low = |&(base, side): &(AtomId, Side)| side == Side::Low && places.contains(&(base, Side::High));
    places.iter().filter(|place| is_low(place)).map(|(base, _)| *base).collect()
}

/// Whether facts say that both addresses stay within `2^63` of one base, so that their exact difference is that of the machine.
pub(super) fn stays_below_wrap(space: &Space, source: &Access, sink: &Access) -> bool {
    let is_symbol = |atom| matches!(space.atom(atom), Atom::Symbol(symbol) if symbol.varies == Varies::No);
    let here = bases(source);
    if here.is_empty() {
        return false;
    }
    let there = if std::ptr::eq(source, sink) { here.clone() } else { bases(sink) };
    here.into_iter().any(|base| is_symbol(base) && there.contains(&base))
}
