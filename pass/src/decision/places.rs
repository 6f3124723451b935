//! Where something is done: in which loops, and behind which effects.

use super::forms::{number, plain};
use super::labels::{Labels, State};
use super::parts::{Part, part, writes_variable};
use super::ways::Decision;
use ipda_llvm::{BlockId, Cfg, Opcode, Value};
use llvm_sys::prelude::LLVMBasicBlockRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// Conditions within a condition that are followed.
const MAX_PARTS: u32 = 12;

/// The state in which each load and each effect finds memory.
pub(super) fn states(labels: &Labels, combining: &FxHashSet<LLVMBasicBlockRef>, cfg: &Cfg) -> FxHashMap<Value, State> {
    let is_effect = |value: Value| part(value, labels, cfg) == Part::Effect;
    let counts: Vec<bool> = cfg.blocks.iter().map(|block| !combining.contains(&block.raw())).collect();
    let has_effects: Vec<bool> =
        (0..cfg.blocks.len()).map(|at| counts[at] && cfg.blocks[at].instructions().any(is_effect)).collect();
    let of_interest = |index: &usize| {
        !labels.is_runtime_loop(*index, cfg) && cfg.loops[*index].blocks.iter().any(|&block| has_effects[block])
    };
    let loops: Vec<usize> = (0..cfg.loops.len()).filter(of_interest).collect();
    let (mut all, mut shared) = (0, 0);
    let mut found = FxHashMap::default();
    for (at, block) in cfg.blocks.iter().enumerate() {
        let in_loop = cfg.loop_chain(cfg.loop_of(at)).find_map(|inner| loops.iter().position(|&of| of == inner));
        for value in block.instructions() {
            let has_effect = counts[at] && has_effects[at] && is_effect(value);
            if value.is(Opcode::LLVMLoad) {
                let base = value.operand(0).base_of_address();
                let behind = if base.is_argument() && !has_effect { shared } else { all };
                if !(base.is_global_variable() && base.is_constant_global()) {
                    found.insert(value, State { behind, in_loop });
                }
            } else if has_effect && !value.is(Opcode::LLVMStore) {
                found.insert(value, State { behind: all, in_loop });
            }
            // An atomic read is an effect, too: the next one may find something else.
            if has_effect {
                all += 1;
                shared += u32::from(!writes_variable(value));
            }
        }
    }
    found
}

impl Labels {
    /// The numbers of all loops of the program around a block. The runtime's, which go through a thread's shares of a loop, are none.
    pub(super) fn around(&self, at: BlockId, cfg: &Cfg) -> u64 {
        let around = cfg.loop_chain(cfg.loop_of(at)).filter_map(|index| self.of_loop(index, cfg));
        number(&around.collect::<Vec<u64>>())
    }

    fn of_loop(&self, index: usize, cfg: &Cfg) -> Option<u64> {
        if let Some(shared) = self.shared_loop(index, cfg) {
            return Some(self.of_shared_loop(shared));
        }
        if self.is_runtime_loop(index, cfg) {
            return None;
        }
        // All that is asked before an exit, however it is put together.
        let mut asked = Vec::new();
        let natural = &cfg.loops[index];
        for from in exits(index, cfg) {
            let end = cfg.blocks[from].terminator();
            if let Some(condition) = end.and_then(Value::branch_condition).filter(|&condition| self.decides(condition))
            {
                self.parts(condition, cfg, MAX_PARTS, &mut asked);
            }
            let before = std::iter::successors(Some(from), |&block| self.branches.above[block]);
            for block in before.take_while(|&block| block != natural.header && natural.contains(block)) {
                let decisions = self.branches.ways[block].iter().flat_map(|ways| &ways.decisions);
                for Decision::Branch { condition: on, .. } | Decision::Switch { on, .. } in decisions {
                    self.parts(*on, cfg, MAX_PARTS, &mut asked);
                }
            }
        }
        self.step(1 + asked.len());
        asked.sort_unstable();
        asked.dedup();
        Some(number(&("loop", asked)))
    }

    /// The numbers of the questions that a condition consists of.
    fn parts(&self, condition: Value, cfg: &Cfg, depth: u32, asked: &mut Vec<u64>) {
        let condition = plain(condition);
        if condition.as_int().is_some() {
            return;
        }
        if depth == 0 || !self.is_choice(condition, cfg) {
            return asked.push(self.counted(condition));
        }
        self.step(1);
        if condition.is(Opcode::LLVMPHI) {
            condition.incoming().into_iter().for_each(|(value, _)| self.parts(value, cfg, depth - 1, asked));
        } else {
            condition.operands().for_each(|operand| self.parts(operand, cfg, depth - 1, asked));
        }
    }

    /// Whether only the runtime says when a loop ends, and none of the program's loops is meant by it.
    pub(super) fn is_runtime_loop(&self, index: usize, cfg: &Cfg) -> bool {
        let is_runtimes = |from: BlockId| {
            let end = cfg.blocks[from].terminator();
            end.and_then(Value::branch_condition).is_some_and(|condition| !self.decides(condition))
        };
        let mut exits = exits(index, cfg).peekable();
        self.shared_loop(index, cfg).is_none() && exits.peek().is_some() && exits.all(is_runtimes)
    }
}

/// The blocks of a loop from which control leaves it.
fn exits(index: usize, cfg: &Cfg) -> impl Iterator<Item = BlockId> {
    let natural = &cfg.loops[index];
    let leaves = |at: &BlockId| cfg.successors[*at].iter().any(|to| !natural.contains(*to));
    natural.blocks.iter().copied().filter(leaves)
}
