//! Where code lies among the loops that people see.

use super::accesses::Item;
use crate::analysis::region::Analysis;
use ipda_llvm::BlockId;
use ipda_symbolic::LoopId;

/// How code lies to the loops that people see.
pub(crate) enum Position {
    /// In these, outermost first.
    InLoops(Vec<usize>),
    /// In a loop over chunks: inside of it are these.
    PerChunk(Vec<usize>),
}

impl Position {
    pub(crate) fn of(analysis: &Analysis<'_>, block: BlockId) -> Position {
        let cfg = analysis.cfg;
        let is_hidden = |index: &usize| analysis.nest.hidden.contains(index);
        let chain: Vec<usize> = cfg.loop_chain(cfg.loop_of(block)).collect();
        let hidden = chain.iter().position(is_hidden);
        // In the shared loop that runs over the chunk, chunks do not matter: its iterations have numbers of their own.
        let numbers_again = |at: usize| chain[..at].iter().any(|&index| analysis.nest.shared_at(index).is_some());
        match hidden {
            Some(at) if !numbers_again(at) => {
                let inside = |&index: &usize| cfg.loop_chain(Some(index)).any(|outer| outer == chain[at]);
                Position::PerChunk((0..cfg.loops.len()).filter(inside).collect())
            }
            _ => Position::InLoops(chain.into_iter().rev().filter(|index| !is_hidden(index)).collect()),
        }
    }
}

/// Whether a block is on every way through the loops around it.
pub(crate) fn runs_in_every_iteration(analysis: &Analysis<'_>, block: BlockId, loops: &[usize]) -> bool {
    let cfg = analysis.cfg;
    let mut inner = block;
    for &index in loops.iter().rev() {
        if !cfg.loops[index].latches.iter().all(|&latch| cfg.dominates(inner, latch)) {
            return false;
        }
        inner = cfg.loops[index].header;
    }
    true
}

/// The loops around both of two accesses.
pub(super) fn common_loops(a: &Item, b: &Item) -> Vec<usize> {
    a.loops.iter().zip(&b.loops).take_while(|(a, b)| a == b).map(|(&index, _)| index).collect()
}

/// The same for the test.
pub(super) fn loop_ids(analysis: &Analysis<'_>, loops: &[usize]) -> Vec<LoopId> {
    loops.iter().map(|&index| analysis.lowering.loop_id(index)).collect()
}
