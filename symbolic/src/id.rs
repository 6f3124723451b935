//! The ids by which atoms, loops and memory accesses are known.

use std::fmt;

/// Names an atom of a [`Space`](crate::Space); ordered by creation, prints `s3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(u32);

impl AtomId {
    // The lowest bit says whether the atom is idempotent, so that polynomials multiply without asking the space.
    pub(crate) fn new(index: usize, idempotent: Idempotent) -> AtomId {
        let index = u32::try_from(index).expect("fewer than 2^31 atoms");
        AtomId(index << 1 | u32::from(idempotent == Idempotent::Yes))
    }

    /// Its number in its space.
    pub fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// All that it is, in the order of atoms.
    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// The inverse of [`AtomId::bits`].
    pub(crate) fn of_bits(bits: u32) -> AtomId {
        AtomId(bits)
    }

    /// Whether the atom is 0 or 1, so that all its powers are equal.
    pub fn is_idempotent(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Whether an atom equals its own square.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idempotent {
    Yes,
    No,
}

impl fmt::Display for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.index())
    }
}

impl fmt::Debug for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Names a loop of the analysed program; prints `loop1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LoopId(pub u32);

impl fmt::Display for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loop{}", self.0)
    }
}

/// Names a memory access of the analysed program; prints `acc7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AccessId(pub u32);

impl fmt::Display for AccessId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "acc{}", self.0)
    }
}
