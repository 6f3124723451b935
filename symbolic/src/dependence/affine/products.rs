//! Products of what varies with values of which nothing is known but their ranges: each is one more value of that kind.

use super::counterpart::Counterpart;
use crate::atom::{Atom, Varies};
use crate::coeff::Coeff;
use crate::dependence::access::Access;
use crate::dependence::wrapping::is_about_place;
use crate::id::AtomId;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;
use smallvec::SmallVec;

/// An access whose address may have such products.
pub(super) struct Products {
    /// The access without them, where it has any.
    pub access: Option<Access>,
}

impl Products {
    /// `None` where products are of other things.
    pub fn of(space: &mut Space, access: &Access) -> Option<Products> {
        let varying = |space: &Space, monomial: &Monomial| -> SmallVec<[(AtomId, u32); 3]> {
            monomial.powers().filter(|&(atom, _)| !space.is_fixed(atom)).collect()
        };
        let is_product = |space: &Space, monomial: &Monomial| {
            let varying = monomial.powers().filter(|&(atom, _)| !space.is_fixed(atom));
            monomial.degree() > 1 && varying.map(|(_, power)| power).sum::<u32>() > 1
        };
        if !access.address.terms().any(|(monomial, _)| is_product(space, monomial)) {
            return Some(Products { access: None });
        }
        let mut terms = Vec::with_capacity(access.address.terms().len());
        for (monomial, factor) in access.address.terms() {
            let factors = varying(space, monomial);
            if !is_product(space, monomial) {
                terms.push((monomial.clone(), factor.clone()));
                continue;
            }
            let is_reported = |atom: AtomId| {
                let mut facts = access.facts.iter().filter(|fact| fact.atoms.contains(&atom));
                facts.any(|fact| !is_about_place(&fact.polynomial, access))
            };
            let is_unknown = |&(atom, _): &(AtomId, u32)| is_unknown(space, atom, &factors) && !is_reported(atom);
            if !factors.iter().any(is_unknown) {
                return None;
            }
            let mut atoms = factors.iter().flat_map(|&(atom, power)| (0..power).map(move |_| atom));
            let first = atoms.next()?;
            let product = atoms.fold(first, |product, atom| space.counterpart(Counterpart::Product(product, atom)));
            let fixed = monomial.powers().filter(|&(atom, _)| space.is_fixed(atom));
            let rest = fixed
                .fold(Polynomial::from(product), |rest, (atom, power)| &rest * &Polynomial::from_atom(atom).pow(power));
            terms.extend(rest.terms().map(|(monomial, _)| (monomial.clone(), factor.clone())));
        }
        Some(Products { access: Some(Access { address: Polynomial::from_terms(terms), ..access.clone() }) })
    }
}

/// Whether any two iterations of the loops that the factors vary with may have different values.
fn is_unknown(space: &Space, atom: AtomId, factors: &[(AtomId, u32)]) -> bool {
    match space.atom(atom) {
        Atom::Symbol(symbol) => match &symbol.varies {
            Varies::No => false,
            // Of one that may be 0, no multiple is known to be another.
            Varies::WithLoops(_) if symbol.range.contains(&Coeff::ZERO) => true,
            Varies::WithLoops(loops) => factors.iter().all(|&(factor, _)| match space.atom(factor) {
                Atom::Iteration(id) => loops.contains(id),
                _ => factor == atom,
            }),
            Varies::Thread | Varies::Data(_) | Varies::PerThread(_) => true,
        },
        Atom::Load { .. } => true,
        _ => false,
    }
}
