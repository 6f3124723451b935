//! What sizes are taken to be where an example of a nest is looked at.

use ipda_symbolic::AtomId;
use rustc_hash::FxHashMap;

/// What sizes are taken to be.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Those that are others than usual.
    pub known: FxHashMap<AtomId, i64>,
    /// The usual one.
    pub unknown: i64,
}

impl Sizes {
    /// What a symbol is taken to be.
    pub(super) fn size(&self, atom: AtomId) -> i64 {
        self.known.get(&atom).copied().unwrap_or(self.unknown)
    }
}
