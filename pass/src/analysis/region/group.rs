//! Which accesses are made one soon after the other: in one iteration, by the same lanes, at addresses that differ by constants, with nothing
//! between that may write what a later one reads, or lets other threads do so. What one of them fetches, the others find in the first-level cache.
//!
//! Loads alone: NVIDIA's and AMD's first-level caches write through, so that each store takes its sectors to the L2 however near others are.

use super::Analysis;
use crate::analysis::effects::effect;
use crate::analysis::lower::ObjectKind;
use ipda_llvm::{BlockId, Value, types_differ};
use ipda_models::report::AccessKind;
use ipda_symbolic::{AtomId, Polynomial};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks that are looked at between two that run equally often.
const MAX_BETWEEN: usize = 64;
/// Groups that wait for more accesses; the oldest waits no longer.
const MAX_OPEN: usize = 256;
/// Writes that a group's later accesses are compared with.
const MAX_WRITES: usize = 64;

/// An access of the region.
pub(crate) struct Touch {
    pub instruction: Value,
    pub kind: AccessKind,
    /// Bytes; 0 where they are not known.
    pub bytes: u64,
    pub address: Polynomial,
    /// The pointers that the address is built on.
    pub objects: Vec<AtomId>,
}

/// Accesses that may still be joined by others.
#[derive(Clone)]
struct Open {
    members: Vec<usize>,
    /// What was written since the first.
    writes: Vec<usize>,
}

struct Finder<'a, 'b> {
    analysis: &'a Analysis<'b>,
    touches: &'a [&'a Touch],
    /// The address without what it has beside the others, and how far beyond that it is.
    parts: Vec<(Polynomial, i64)>,
    by_instruction: FxHashMap<Value, Vec<usize>>,
    /// Of each access, the first of those that it is made with.
    first: Vec<usize>,
}

/// Of each access, the first of those with which it is made.
pub(crate) fn made_together(analysis: &Analysis<'_>, touches: &[&Touch]) -> Vec<usize> {
    let part = |touch: &Touch| {
        let constant = touch.address.constant_term().to_i64();
        (touch.address.without_constant(), constant.unwrap_or(i64::MAX))
    };
    let mut by_instruction: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
    for (at, touch) in touches.iter().enumerate() {
        by_instruction.entry(touch.instruction).or_default().push(at);
    }
    let parts = touches.iter().map(|touch| part(touch)).collect();
    let mut finder = Finder { analysis, touches, parts, by_instruction, first: (0..touches.len()).collect() };
    let mut behind: FxHashMap<BlockId, Vec<Open>> = FxHashMap::default();
    for block in 0..analysis.cfg.blocks.len() {
        finder.behind(block, &mut behind);
    }
    finder.first
}

impl Finder<'_, '_> {
    /// Finds what is open behind a block, if not known yet.
    fn behind(&mut self, block: BlockId, known: &mut FxHashMap<BlockId, Vec<Open>>) {
        let mut pending = vec![block];
        // Each begins with what is open behind the one before.
        while let Some(&at) = pending.last() {
            if known.contains_key(&at) {
                pending.pop();
                continue;
            }
            let before = self.before(at);
            if let Some((before, _)) = &before
                && !known.contains_key(before)
            {
                pending.push(*before);
                continue;
            }
            let mut open = Vec::new();
            if let Some((before, between)) = before {
                open = known[&before].clone();
                between.into_iter().for_each(|block| self.go_through(block, &mut open, Joining::No));
            }
            self.go_through(at, &mut open, Joining::Yes);
            known.insert(at, open);
            pending.pop();
        }
    }

    /// The block that runs before this one in the same iteration, and equally often; with the blocks that may run between.
    fn before(&self, block: BlockId) -> Option<(BlockId, Vec<BlockId>)> {
        let cfg = self.analysis.cfg;
        let before = cfg.immediate_dominator(block).filter(|&before| before != block)?;
        let around = cfg.loop_of(block);
        let header = around.map(|index| cfg.loops[index].header);
        if cfg.loop_of(before) != around || header == Some(block) {
            return None;
        }
        let mut between: FxHashSet<BlockId> = FxHashSet::default();
        let mut pending = vec![before];
        while let Some(at) = pending.pop() {
            let next = &cfg.successors[at];
            // A loop between may touch anything; whoever leaves does not come here.
            let goes_elsewhere = |&to: &BlockId| cfg.loop_of(to) != around || header == Some(to);
            if next.is_empty() || next.iter().any(goes_elsewhere) || between.len() > MAX_BETWEEN {
                return None;
            }
            pending.extend(next.iter().copied().filter(|&to| to != block && between.insert(to)));
        }
        let mut between: Vec<BlockId> = between.into_iter().collect();
        between.sort_unstable();
        Some((before, between))
    }

    fn go_through(&mut self, block: BlockId, open: &mut Vec<Open>, joining: Joining) {
        for instruction in self.analysis.cfg.blocks[block].instructions() {
            if effect(instruction).is_some() {
                open.clear();
                continue;
            }
            let Some(touches) = self.by_instruction.get(&instruction).cloned() else { continue };
            for at in touches {
                match self.touches[at].kind {
                    AccessKind::Load if joining == Joining::Yes => self.load(at, open),
                    AccessKind::Load | AccessKind::CopyFrom => {}
                    AccessKind::Store | AccessKind::CopyTo => Self::write(at, open),
                    AccessKind::Atomic => open.clear(),
                }
            }
        }
    }

    fn load(&mut self, at: usize, open: &mut Vec<Open>) {
        /// No more of them are reported by their distance.
        const FAR: u64 = 1 << 40;
        let (variable, constant) = &self.parts[at];
        if self.touches[at].bytes == 0 || self.touches[at].bytes > FAR || constant.unsigned_abs() > FAR {
            return;
        }
        let is_joined = |found: &&mut Open| {
            self.parts[found.members[0]].0 == *variable
                && self.touches[found.members[0]].objects == self.touches[at].objects
                && found.writes.iter().all(|&write| !self.may_meet(write, at))
        };
        match open.iter_mut().find(is_joined) {
            Some(found) => {
                self.first[at] = self.first[found.members[0]];
                found.members.push(at);
            }
            None => {
                if open.len() >= MAX_OPEN {
                    open.remove(0);
                }
                open.push(Open { members: vec![at], writes: Vec::new() });
            }
        }
    }

    /// What is written behind a load does not change what that has fetched: only later ones may find it changed.
    fn write(write: usize, open: &mut Vec<Open>) {
        open.retain(|found| found.writes.len() < MAX_WRITES);
        open.iter_mut().for_each(|found| found.writes.push(write));
    }

    /// Whether a write may touch what its own thread loads.
    fn may_meet(&self, write: usize, load: usize) -> bool {
        let (a, b) = (self.touches[write], self.touches[load]);
        let ((a_variable, a_constant), (b_variable, b_constant)) = (&self.parts[write], &self.parts[load]);
        if a_variable == b_variable && a.bytes > 0 {
            let ends_before = |from: i64, bytes: u64, to: i64| i128::from(from) + i128::from(bytes) <= i128::from(to);
            return !ends_before(*a_constant, a.bytes, *b_constant) && !ends_before(*b_constant, b.bytes, *a_constant);
        }
        if types_differ(a.instruction, b.instruction) {
            return false;
        }
        let is_pair_apart = |&x: &AtomId| b.objects.iter().all(|&y| self.are_apart(x, y));
        a.objects.is_empty() || b.objects.is_empty() || !a.objects.iter().all(is_pair_apart)
    }

    /// Whether pointers that are built on these never lead to common bytes.
    fn are_apart(&self, x: AtomId, y: AtomId) -> bool {
        let lowering = &self.analysis.lowering;
        let (kind_x, kind_y) = (lowering.object(x), lowering.object(y));
        let is_of_team = |kind: Option<&ObjectKind>| kind == Some(&ObjectKind::Shared);
        let is_variable = |atom| lowering.global_of(atom).is_some();
        let is_restrict = |atom| lowering.argument_of(atom).is_some_and(Value::is_noalias);
        let is_argument = |atom| lowering.argument_of(atom).is_some();
        x != y
            && (is_of_team(kind_x) && is_argument(y)
                || is_argument(x) && is_of_team(kind_y)
                || is_variable(x) && is_variable(y)
                || is_argument(x) && is_argument(y) && (is_restrict(x) || is_restrict(y)))
    }
}

/// Whether loads join what is open, or do not always run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    Yes,
    No,
}
