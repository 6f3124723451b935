//! Reference groups, and whether their indices are loaded.

use std::collections::HashMap;

use ipda_symbolic::{Atom, AtomId, Polynomial};

use super::value::varies_with;
use super::{AccessKind, Bound, Condition};

/// Accesses of one kind to one array in one loop whose addresses differ by constants.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub(crate) object: String,
    pub(crate) kind: AccessKind,
    pub(crate) bytes: f64,
    pub(crate) in_loop: Option<usize>,
    pub(crate) address: Option<Polynomial>,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) active: Option<Vec<u32>>,
    pub(crate) may_be_combined: bool,
    /// Distinct ones, from the first access's address.
    pub(crate) offsets: Vec<f64>,
}

impl Group {
    /// Whether both begin at the same place in the same loop.
    pub(crate) fn is_at(&self, other: &Group) -> bool {
        self.in_loop == other.in_loop
            && self.address.is_some()
            && self.address == other.address
            && self.bytes == other.bytes
    }

    /// Whether both do the same under the same conditions to the same array, not atomically.
    pub(crate) fn is_like(&self, other: &Group) -> bool {
        self.object == other.object
            && self.kind == other.kind
            && self.kind != AccessKind::Atomic
            && self.bytes == other.bytes
            && self.in_loop == other.in_loop
            && self.conditions == other.conditions
    }
}

impl Bound<'_> {
    /// The reference groups of the accesses in a loop and those inside of it.
    pub(crate) fn groups(&self, inside: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        // Those whose addresses are the same but for a constant.
        let mut alike: HashMap<Polynomial, Vec<usize>> = HashMap::new();
        for access in &self.summary.accesses {
            if !self.summary.chain(access.in_loop).contains(&inside) {
                continue;
            }
            let address = match &access.address {
                Ok(address) => Some(address.clone()),
                Err(_) => {
                    self.note(format!("{} in {} goes anywhere: its address is not known", access.object, access.place));
                    None
                }
            };
            let variable = address.as_ref().map(Polynomial::without_constant);
            let distance = |group: &Group| {
                let is_same = group.in_loop == access.in_loop
                    && group.kind == access.kind
                    && group.bytes == access.bytes as f64
                    && group.object == access.object
                    && group.conditions == access.conditions
                    && group.active == access.active
                    && group.may_be_combined == access.may_be_combined;
                let difference = address.as_ref()?.constant_term() - group.address.as_ref()?.constant_term();
                is_same.then_some(difference.to_i64()? as f64)
            };
            let mut candidates = variable.as_ref().and_then(|variable| alike.get(variable)).into_iter().flatten();
            match candidates.find_map(|at| Some((*at, distance(&groups[*at])?))) {
                Some((at, offset)) => {
                    if !groups[at].offsets.contains(&offset) {
                        groups[at].offsets.push(offset);
                    }
                }
                None => {
                    if let Some(variable) = variable {
                        alike.entry(variable).or_default().push(groups.len());
                    }
                    groups.push(Group {
                        object: access.object.clone(),
                        kind: access.kind,
                        bytes: access.bytes.max(1) as f64,
                        in_loop: access.in_loop,
                        address,
                        conditions: access.conditions.clone(),
                        active: access.active.clone(),
                        may_be_combined: access.may_be_combined,
                        offsets: vec![0.0],
                    });
                }
            }
        }
        groups
    }

    /// Whether an address depends on a loop through values that nobody knows.
    pub(crate) fn is_scattered_in(&self, address: &Polynomial, index: AtomId) -> bool {
        self.scattering(address, index).next().is_some()
    }

    /// The values that nobody knows through which an address depends on a loop.
    pub(super) fn scattering(&self, address: &Polynomial, index: AtomId) -> impl Iterator<Item = AtomId> {
        let space = &self.summary.space;
        super::value::atoms_in(space, address).into_iter().filter(move |atom| {
            if self.given(*atom).is_some() {
                return false;
            }
            match space.atom(*atom) {
                Atom::Load { address, .. } => varies_with(space, address, index),
                Atom::Symbol(_) => !self.is_fixed(address, *atom),
                _ => false,
            }
        })
    }

    /// Whether a symbol is the same for all iterations: a variable from outside, or the place where an array begins.
    fn is_fixed(&self, address: &Polynomial, atom: AtomId) -> bool {
        let is_input = self.summary.inputs.iter().any(|input| input.atom == atom);
        is_input || address.coefficient_of(atom).is_some_and(|factor| factor.is_one())
    }

    /// Whether indices of the group are loaded.
    pub(crate) fn is_indirect(&self, group: &Group) -> bool {
        let Some(address) = &group.address else { return true };
        self.summary.loops.iter().any(|l| self.is_scattered_in(address, l.index))
    }
}
