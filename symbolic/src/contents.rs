//! What occurs in a value, in short: most questions about its atoms are answered with no by this alone.

use crate::atom::{Atom, Symbol, Varies};
use crate::id::AtomId;
use std::ops::BitOr;

/// A set of kinds of atoms, and of numbers of atoms modulo 64, that occur, also inside of other atoms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Contents {
    kinds: u8,
    atoms: u64,
}

impl Contents {
    /// A value that may differ between threads and is not understood.
    pub(crate) const PER_THREAD: Contents = Contents { kinds: 1, atoms: 0 };
    /// A value that depends on what memory holds.
    pub(crate) const DATA: Contents = Contents { kinds: 2, atoms: 0 };
    /// A thread's own number or place.
    pub(crate) const BY_THREAD: Contents = Contents { kinds: 4, atoms: 0 };
    /// What is made of other values, other than a load.
    pub(crate) const OPERATION: Contents = Contents { kinds: 8, atoms: 0 };
    pub(crate) const LOAD: Contents = Contents { kinds: 16, atoms: 0 };

    pub(crate) fn of_atom(atom: AtomId) -> Contents {
        Contents { kinds: 0, atoms: 1 << (atom.index() % 64) }
    }

    pub(crate) fn of_kind(atom: &Atom) -> Contents {
        match atom {
            Atom::Symbol(Symbol { varies, .. }) => match varies {
                Varies::No | Varies::WithLoops(_) => Contents::default(),
                Varies::Thread => Contents::BY_THREAD,
                Varies::Data(_) => Contents::DATA,
                Varies::PerThread(_) => Contents::PER_THREAD,
            },
            Atom::Iteration(_) => Contents::default(),
            Atom::Load { .. } => Contents::LOAD,
            Atom::Predicate(_) | Atom::FloorDiv(..) | Atom::Wrap { .. } | Atom::Op(..) => Contents::OPERATION,
        }
    }

    /// Whether one of the given may occur. Of kinds the answer is exact; atoms may be taken for others.
    pub(crate) fn may_have(self, wanted: Contents) -> bool {
        self.kinds & wanted.kinds != 0 || self.atoms & wanted.atoms != 0
    }
}

impl BitOr for Contents {
    type Output = Contents;
    fn bitor(self, other: Contents) -> Contents {
        Contents { kinds: self.kinds | other.kinds, atoms: self.atoms | other.atoms }
    }
}
