//! Accesses that go where lists of neighbours say, beside others that go through the same array in order: `x[rows[i] * n + j]` beside `x[i * n + j]`.
//!
//! What the list names is not known, but it is data of the same array. Where everything between two ends of what the list may name fits into a cache, the
//! array comes once, whatever the list says; where that is more, as much of it is found as the cache keeps.
//!
//! Partners of butterflies are such neighbours, too: `x[i ^ y]` beside `x[i]` is no further than y away.

use ipda_symbolic::{Atom, AtomId, Coeff, OpaqueOp, Polynomial};

use super::pattern::Group;
use super::value::{Point, varies_with};
use super::{AccessKind, Bound};
use crate::form::Num;

impl Bound<'_> {
    /// For each group of loads whose places are listed, or near those of another group: how many bytes of the array they may be among, if another group
    /// goes to the place that the lists' own places say, or that they are near.
    pub(super) fn beside(&self, groups: &[Group]) -> Vec<Option<Num>> {
        let is_drawn = |group: &Group| {
            let is_found = |atom: &AtomId| match self.summary.space.atom(*atom) {
                Atom::Load { .. } => true,
                // Under conditions, one of two partners may be left to the other.
                Atom::Op(OpaqueOp::Xor, _) => group.conditions.is_empty(),
                _ => false,
            };
            group.address.as_ref().is_some_and(|address| address.atoms().iter().any(is_found))
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

    /// Where a group would go if each list named its own places, and each number were the one that it is near, but for a constant; and how many bytes
    /// further it may lead. None where that is where it goes.
    fn in_order(&self, group: &Group) -> Option<(Polynomial, Num)> {
        let space = &self.summary.space;
        let mut address = group.address.clone()?;
        let mut reach = Num::ZERO;
        for atom in address.atoms() {
            let by = address.coefficient_of(atom);
            if let Some((near, bytes)) = by.as_ref().and_then(|by| self.near(atom, by)) {
                reach += bytes;
                address = &address.replace(atom, &Polynomial::zero()) + &near;
                continue;
            }
            let Atom::Load { address: place, bytes, .. } = space.atom(atom) else { continue };
            let bytes = Coeff::from(i64::try_from(*bytes).ok()?);
            let moves = |term: &Polynomial| self.summary.loops.iter().any(|l| varies_with(space, term, l.index));
            let index = place.terms().filter_map(|(monomial, factor)| {
                let term = Polynomial::term(monomial.clone(), factor.clone());
                moves(&term).then(|| Some((monomial.clone(), factor.div_exact(&bytes)?)))
            });
            let index = Polynomial::from_terms(index.collect::<Option<Vec<_>>>()?);
            let mut loads = self.summary.accesses.iter();
            let list = loads.find(|access| access.address.as_ref().is_ok_and(|address| address == place))?;
            let entries = self.mapped_bytes_if_known(&list.object)? * (1.0 / list.bytes as f64);
            reach += self.at(&by?, &Point::new()).ok()?.abs() * entries;
            address = address.replace(atom, &index);
        }
        (group.address.as_ref() != Some(&address)).then(|| (address.without_constant(), reach))
    }

    /// What an atom with a factor is near in all iterations, and how far from it at most: `x ^ y` is no further than y from x.
    fn near(&self, atom: AtomId, factor: &Polynomial) -> Option<(Polynomial, Num)> {
        let space = &self.summary.space;
        let moves = |p: &Polynomial| self.summary.loops.iter().any(|l| varies_with(space, p, l.index));
        let Atom::Op(OpaqueOp::Xor, operands) = space.atom(atom) else { return None };
        let [one, other] = &operands[..] else { return None };
        let (number, away) = match (moves(one), moves(other)) {
            (true, false) => (one, other),
            (false, true) => (other, one),
            _ => return None,
        };
        let [factor_of_one, away] = [factor, away].map(|p| self.at(p, &Point::new()).ok());
        Some((factor * number, factor_of_one?.abs() * away?.abs()))
    }
}
