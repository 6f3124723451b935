//! The symbols for what differs between the two accesses of a dependence test.

use crate::id::{AtomId, LoopId};

/// What a symbol of the space stands for in dependence tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Counterpart {
    /// The iteration number of the sink minus that of the source.
    Distance(LoopId),
    /// The iteration number of a loop around the sink alone.
    Iteration(LoopId),
    /// The sink's value of an atom that need not be that of the source.
    Value(AtomId),
    /// The product of two atoms of which one is known by its range alone.
    Product(AtomId, AtomId),
    /// What is left of a number where a quotient of it has been taken away.
    Rest { of: AtomId, quotient: AtomId },
    /// How often `2^64` is in the difference of two addresses.
    Wraps,
}
