//! Accesses as the dependence test sees them.

use crate::facts::{Fact, Facts};
use crate::id::LoopId;
use crate::polynomial::Polynomial;
use smallvec::SmallVec;
use std::rc::Rc;

/// An access as the dependence test sees it.
#[derive(Clone, Debug)]
pub struct Access {
    /// Byte address, a residue modulo `2^64`.
    pub address: Polynomial,
    /// Size; at least 1.
    pub bytes: u64,
    /// The loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// What holds whenever it runs: bounds of its loops' iteration numbers, guards that dominate it.
    pub facts: Facts,
}

impl Access {
    /// Whether wherever `other` runs, this runs in the same iterations of its loops, as far as facts say, and accesses the same bytes there.
    pub fn covers(&self, other: &Access) -> bool {
        let holds = |fact: &Rc<Fact>| other.facts.contains(&fact.polynomial);
        self.bytes == other.bytes
            && other.loops.starts_with(&self.loops)
            && self.address == other.address
            && (self.facts == other.facts || self.facts.iter().all(holds))
    }
}

/// Loops around one of the two alone.
pub(super) fn own_loops(source: &Access, sink: &Access, common: &[LoopId]) -> SmallVec<[LoopId; 4]> {
    source.loops.iter().chain(&sink.loops).copied().filter(|id| !common.contains(id)).collect()
}
