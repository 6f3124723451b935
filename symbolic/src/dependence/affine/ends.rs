//! Which values two accesses have in common.

use crate::atom::{Atom, Varies};
use crate::id::{AtomId, LoopId};
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;

/// What says which values both ends have in common.
pub(super) struct Ends<'a> {
    pub space: &'a Space,
    pub common: &'a [LoopId],
    pub own: &'a [LoopId],
    pub is_constant: &'a dyn Fn(AtomId) -> bool,
}

impl Ends<'_> {
    /// The common loops in whose same iterations an atom has the same value at both ends, by position; `None` where it need not.
    pub fn same_in(&self, atom: AtomId) -> Option<SmallVec<[usize; 2]>> {
        let all = || Some((0..self.common.len()).collect());
        let within_iteration = || if self.own.is_empty() { all() } else { None };
        let position = |id: &LoopId| self.common.iter().position(|other| other == id);
        match self.space.atom(atom) {
            Atom::Iteration(id) => position(id).map(|index| SmallVec::from_slice(&[index])),
            Atom::Symbol(symbol) => match &symbol.varies {
                Varies::No => Some(SmallVec::new()),
                Varies::WithLoops(loops) => loops.iter().map(position).collect(),
                Varies::Thread => all(),
                Varies::Data(_) | Varies::PerThread(_) => within_iteration(),
            },
            Atom::Load { .. } if !(self.is_constant)(atom) => within_iteration(),
            compound => {
                let mut loops: SmallVec<[usize; 2]> = SmallVec::new();
                for operand in compound.operands().into_iter().flat_map(Polynomial::atoms) {
                    for index in self.same_in(operand)? {
                        if !loops.contains(&index) {
                            loops.push(index);
                        }
                    }
                }
                Some(loops)
            }
        }
    }
}
