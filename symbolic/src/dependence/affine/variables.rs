//! The variables of a system: what varies in the addresses of two accesses.

use crate::id::AtomId;
use crate::polynomial::{Monomial, Polynomial};
use smallvec::SmallVec;

/// The depth of what is no iteration number: it is replaced by bounds before those are.
pub(super) const BEFORE_LOOPS: u16 = u16::MAX;

/// What varies, each with how many loops are around it.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    all: SmallVec<[(AtomId, u16); 12]>,
    /// A bit for each that is or was one, by its number: most atoms are none.
    bits: u64,
}

fn bit(atom: AtomId) -> u64 {
    1 << (atom.index() % u64::BITS as usize)
}

impl Variables {
    pub fn add(&mut self, atom: AtomId, depth: u16) {
        if !self.contains(atom) {
            self.all.push((atom, depth));
            self.bits |= bit(atom);
        }
    }

    pub fn remove(&mut self, atoms: [AtomId; 2]) {
        self.all.retain(|(atom, _)| !atoms.contains(atom));
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are no others than iteration numbers.
    pub fn are_iterations(&self) -> bool {
        self.all.iter().all(|&(_, depth)| depth != BEFORE_LOOPS)
    }

    pub fn contains(&self, atom: AtomId) -> bool {
        self.known(atom).is_some()
    }

    fn known(&self, atom: AtomId) -> Option<(AtomId, u16)> {
        if self.bits & bit(atom) == 0 {
            return None;
        }
        self.all.iter().find(|(known, _)| *known == atom).copied()
    }

    fn in_monomial(&self, monomial: &Monomial) -> Option<(AtomId, u16)> {
        monomial.powers().find_map(|(atom, _)| self.known(atom))
    }

    pub fn are_in(&self, monomial: &Monomial) -> bool {
        self.in_monomial(monomial).is_some()
    }

    /// The variables of a form that are the deepest in loops.
    pub fn deepest(&self, form: &Polynomial) -> SmallVec<[AtomId; 2]> {
        let mut found: SmallVec<[AtomId; 2]> = SmallVec::new();
        let mut deepest = 0;
        for (atom, depth) in form.terms().rev().filter_map(|(monomial, _)| self.in_monomial(monomial)) {
            if depth > deepest {
                found.clear();
                deepest = depth;
            }
            if depth == deepest && !found.contains(&atom) {
                found.push(atom);
            }
        }
        found
    }

    /// Whether nothing of it varies.
    pub fn are_absent(&self, form: &Polynomial) -> bool {
        form.terms().all(|(monomial, _)| !self.are_in(monomial))
    }

    /// The variables of a form.
    pub fn in_form(&self, form: &Polynomial) -> SmallVec<[AtomId; 4]> {
        let mut found: SmallVec<[AtomId; 4]> = SmallVec::new();
        for (atom, _) in form.terms().filter_map(|(monomial, _)| self.in_monomial(monomial)) {
            if !found.contains(&atom) {
                found.push(atom);
            }
        }
        found
    }

    /// The variables of a form with their coefficients, the deepest last.
    pub fn factors(&self, form: &Polynomial) -> SmallVec<[(AtomId, Polynomial); 4]> {
        let mut found: SmallVec<[(AtomId, u16); 4]> =
            form.terms().filter_map(|(monomial, _)| self.in_monomial(monomial)).collect();
        found.sort_by_key(|&(atom, depth)| (depth, atom));
        found.dedup();
        found.into_iter().map(|(atom, _)| (atom, form.factor_of(atom))).collect()
    }
}
