//! Accesses that go where lists of neighbours say, beside others that go through the same array in order: `x[rows[i] * n + j]` beside `x[i * n + j]`.
//!
//! What the list names is not known, but it is data of the same array. Where everything between two ends of what the list may name fits into a cache, the
//! array comes once, whatever the list says; where that is more, as much of it is found as the cache keeps.

use ipda_symbolic::{Atom, AtomId, Coeff, Polynomial};

use super::pattern::Group;
use super::value::{Point, varies_with};
use super::{AccessKind, Bound};
use crate::form::Num;

impl Bound<'_> {
    /// For each group of loads whose places are listed: how many bytes of the array the lists may choose among, if another group goes to the place that
    /// the lists' own places say.
    pub(super) fn beside(&self, groups: &[Group]) -> Vec<Option<Num>> {
        let is_drawn = |group: &Group| {
            let is_load = |atom: &AtomId| matches!(self.summary.space.atom(*atom), Atom::Load { .. });
            group.address.as_ref().is_some_and(|address| address.atoms().iter().any(is_load))
        };
        let of = |group: &Group| {
            if group.kind != AccessKind::Load || !is_drawn(group) {
                return None;
            }
            let (in_order, bytes) = self.in_order(group)?;
            let is_other = |other: &&Group| {
                other.kind == AccessKind::Load
                    && other.object == group.object
                    && other.bytes == group.bytes
                    && other.address.as_ref().is_some_and(|address| address.without_constant() == in_order)
            };
            groups.iter().find(is_other).map(|_| bytes)
        };
        groups.iter().map(of).collect()
    }

    /// Where a group would go if each list named its own places, but for a constant, and how many bytes further the lists may lead.
    fn in_order(&self, group: &Group) -> Option<(Polynomial, Num)> {
        let space = &self.summary.space;
        let mut address = group.address.clone()?;
        let mut reach = Num::ZERO;
        for atom in address.atoms() {
            let Atom::Load { address: place, bytes, .. } = space.atom(atom) else { continue };
            let by = address.coefficient_of(atom)?;
            let bytes = Coeff::from(i64::try_from(*bytes).ok()?);
            let moves = |term: &Polynomial| self.summary.loops.iter().any(|l| varies_with(space, term, l.index));
            let number = place.terms().filter_map(|(monomial, factor)| {
                let term = Polynomial::term(monomial.clone(), factor.clone());
                moves(&term).then(|| Some((monomial.clone(), factor.div_exact(&bytes)?)))
            });
            let number = Polynomial::from_terms(number.collect::<Option<Vec<_>>>()?);
            let mut loads = self.summary.accesses.iter();
            let list = loads.find(|access| access.address.as_ref().is_ok_and(|address| address == place))?;
            let entries = self.mapped_bytes_if_known(&list.object)? * (1.0 / list.bytes as f64);
            reach += self.at(&by, &Point::new()).ok()?.abs() * entries;
            address = address.replace(atom, &number);
        }
        Some((address.without_constant(), reach))
    }
}
