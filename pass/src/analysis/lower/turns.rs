//! Threads that take turns: where critical sections, locks or ordering atomics put threads one after the other, each may find in memory what
//! another has left, without a race.
//!
//! Lanes that read one address at one iteration read one value, unless a write comes between the reads: after one of them, whose thread
//! then hands its turn on, and before the other, whose thread has then taken a turn. A barrier alone does not do that, since reads at one
//! iteration are before the same barriers.

use crate::openmp;
use ipda_llvm::{BlockId, Cfg, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Where in a region threads take turns.
#[derive(Clone)]
pub(super) struct Turns {
    /// The blocks that a thread may run both after and before it orders itself among the others.
    pub(super) between: FxHashSet<BlockId>,
    /// Calls of the runtime that write nothing of the program's.
    pub(super) quiet: Vec<Value>,
    /// Those, and calls that combine copies of reductions: they write these alone.
    pub(super) quiet_but_for_copies: Vec<Value>,
    /// Whether anything may write what a load reads: the same loads are asked for again and again.
    pub(super) written: RefCell<FxHashMap<Value, bool>>,
}

impl Turns {
    pub(super) fn find(cfg: &Cfg) -> Turns {
        let instructions = || cfg.blocks.iter().flat_map(|block| block.instructions());
        let ordering: Vec<BlockId> = instructions()
            .filter(|&instruction| openmp::lets_threads_take_turns(instruction))
            .filter_map(|instruction| cfg.id(instruction.block()))
            .collect();
        let after = reached(&ordering, &cfg.successors);
        let before = reached(&ordering, &cfg.predecessors);
        let quiet: Vec<Value> = instructions().filter(|call| call.calls(openmp::writes_nothing_of_users)).collect();
        let is_of_reduction =
            |call: &Value| openmp::combines_by_operators(*call) || call.calls(|name| name == openmp::REDUCTION_BUFFER);
        let combine = instructions().filter(is_of_reduction);
        Turns {
            between: after.intersection(&before).copied().collect(),
            quiet_but_for_copies: quiet.iter().copied().chain(combine).collect(),
            quiet,
            written: RefCell::default(),
        }
    }
}

/// The blocks that edges lead to from the given ones, and those themselves: the order inside of a block is not looked at.
fn reached(from: &[BlockId], edges: &[Vec<BlockId>]) -> FxHashSet<BlockId> {
    let mut reached: FxHashSet<BlockId> = from.iter().copied().collect();
    let mut open = from.to_vec();
    while let Some(block) = open.pop() {
        open.extend(edges[block].iter().copied().filter(|&next| reached.insert(next)));
    }
    reached
}
