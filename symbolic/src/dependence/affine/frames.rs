//! The frames of pairs of accesses, which are kept for those to come.

use super::variables::Variables;
use crate::dependence::vector::ByLoop;
use crate::facts::{Fact, Facts};
use crate::id::{AtomId, LoopId};
use crate::polynomial::Polynomial;
use smallvec::SmallVec;
use std::rc::Rc;

/// Atoms of the sink with what stands for them.
pub(super) type Renamed = SmallVec<[(AtomId, AtomId); 8]>;

pub(super) fn rename(p: &Polynomial, renamed: &Renamed) -> Polynomial {
    p.rename(|atom| renamed.iter().find(|(known, _)| *known == atom).map_or(atom, |&(_, there)| there))
}

/// What is 0 where the distances in some loops are 0: the difference of one value at both ends.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub difference: Polynomial,
    /// Positions among the common loops.
    pub loops: SmallVec<[usize; 2]>,
}

/// How many frames are kept for accesses to come.
const MAX_KEPT: usize = 16;

/// All that a system is but for its equation.
#[derive(Debug)]
pub(super) struct Frame {
    pub variables: Variables,
    /// About invariant values.
    pub known: Facts,
    pub constraints: Vec<Rc<Polynomial>>,
    pub distances: ByLoop<Polynomial>,
    pub identities: Vec<Identity>,
    /// Polynomials of which none is at least 0 where both run.
    pub apart_if: Vec<Polynomial>,
    /// What stands for atoms of the sink's address; for iteration numbers that are projected, their distance.
    pub renamed: Renamed,
    /// Iteration numbers that are left out of the source's address.
    pub projected: ByLoop<AtomId>,
}

/// What holds where an access runs, but for what says nothing about iterations.
pub(super) type Guards = SmallVec<[Rc<Fact>; 16]>;

/// Two accesses as far as their frame is the same as that of others.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub loops: [Vec<LoopId>; 2],
    pub common: Vec<LoopId>,
    pub is_even: ByLoop<bool>,
    pub facts: [Guards; 2],
}

/// Frames of accesses before; none where accesses never both run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    kept: Vec<(Key, Option<Rc<Frame>>)>,
    next: usize,
}

impl Frames {
    /// The frame that was kept of accesses that are alike.
    pub(super) fn find(
        &self,
        loops: [&[LoopId]; 2],
        common: &[LoopId],
        is_even: &[bool],
        facts: &[Guards; 2],
    ) -> Option<Option<Rc<Frame>>> {
        let is_same = |key: &Key| {
            key.loops[0] == loops[0]
                && key.loops[1] == loops[1]
                && key.common == common
                && key.is_even[..] == *is_even
                && are_same(&key.facts[0], &facts[0])
                && are_same(&key.facts[1], &facts[1])
        };
        self.kept.iter().find(|(key, _)| is_same(key)).map(|(_, frame)| frame.clone())
    }

    /// Keeps a frame, in place of the oldest where there are many.
    pub(super) fn keep(&mut self, key: Key, frame: Option<Rc<Frame>>) {
        if self.kept.len() < MAX_KEPT {
            self.kept.push((key, frame));
        } else {
            self.kept[self.next] = (key, frame);
            self.next = (self.next + 1) % MAX_KEPT;
        }
    }
}

fn are_same(a: &[Rc<Fact>], b: &[Rc<Fact>]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Rc::ptr_eq(a, b) || a.polynomial == b.polynomial)
}
