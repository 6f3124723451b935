//! Whether the host's version of a region computes what the device's does: a program can tell its compilers apart, by macros and variants.
//!
//! Both are made from one source by one front end, so that all that the program wrote is in both, with the same operands under the same
//! conditions, in the same loops. How iterations reach threads differs, and is left out, as is how the copies of a reduction are made one, but for
//! what is done with two of them.

use super::forms::number;
use super::labels::Labels;
use super::parts::{Part, part, writes_variable};
use super::places::states;
use crate::openmp::flatten::Flat;
use crate::openmp::{self, Call};
use ipda_llvm::{Block, BlockId, Cfg, Opcode, Value};
use llvm_sys::prelude::LLVMBasicBlockRef;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a region's version in a device's module; none where not all of its code is followed.
pub(crate) fn structural_hash_of(flat: &Flat) -> Option<u64> {
    let copy = flat.code.as_ref().ok()?;
    if flat.log.first().is_none() { structural_hash(copy.function()) } else { None }
}

/// A number that is the same for two flattened versions of a region that do the same: a sum over all that is computed, in any order, and over
/// what touches memory with all that was done before it.
pub(crate) fn structural_hash(function: Value) -> Option<u64> {
    // Where the program asks, both versions stay on the device.
    if function.instructions().any(|call| call.is_call() && call.calls(asks_where)) {
        return None;
    }
    let cfg = Cfg::new(function);
    let combining = combining_blocks(function);
    let labels = Labels::new(function, &cfg, &combining.all, |labels| states(labels, &combining.all, &cfg))?;
    let needed = needed(function, &labels, &cfg);
    let mut sum = 0_u64;
    let mut computed = FxHashSet::default();
    // Of the effects so far, in the order of the code.
    let mut done = 0_u64;
    // The last of them that others may see.
    let mut shared = 0_u64;
    // Of effects and of what they are in.
    let mut order = 0_u64;
    let mut around: FxHashMap<Option<usize>, u64> = FxHashMap::default();
    // How many parallel regions are around the end of each block.
    let mut parallel = vec![0_i32; cfg.blocks.len()];
    for (at, block) in cfg.blocks.iter().enumerate() {
        let mut depth = cfg.predecessors[at].iter().find(|&&from| from < at).map_or(0, |&from| parallel[from]);
        parallel[at] = depth + block.instructions().map(opened).sum::<i32>();
        if combining.all.contains(&block.raw()) {
            if combining.of_two.contains(&block.raw()) {
                let is_effect = |&value: &Value| part(value, &labels, &cfg) == Part::Effect;
                for effect in block.instructions().filter(is_effect) {
                    sum = sum.wrapping_add(number(&("combined", labels.of(effect))));
                }
            }
            continue;
        }
        // When a loop ends: nothing else need depend on it.
        if is_behind_loop(at, &cfg) && labels.is_decided(at, &cfg) {
            let way_out = number(&("way out", labels.conditions(*block, &cfg)));
            if computed.insert(way_out) {
                sum = sum.wrapping_add(way_out);
            }
        }
        let mut place = || *around.entry(cfg.loop_of(at)).or_insert_with(|| labels.around(at, &cfg));
        for instruction in block.instructions() {
            depth += opened(instruction);
            let label = labels.of(instruction);
            let counted = match part(instruction, &labels, &cfg) {
                Part::None => continue,
                Part::Value if !needed.contains(&instruction) => continue,
                Part::Value if reads_memory(instruction) => {
                    let is_captured = instruction.operand(0).base_of_address().is_argument();
                    number(&("read", label, if is_captured { shared } else { done }))
                }
                // What is computed twice is computed once, where an optimiser has seen it.
                Part::Value => number(&("value", labels.counted(instruction))),
                Part::Shared => {
                    let of = labels.prepared_by(instruction).map(|shared| labels.of_shared_loop(shared));
                    order = number(&("sharing", of, labels.conditions(*block, &cfg), place(), depth, order));
                    sum = sum.wrapping_add(order);
                    continue;
                }
                Part::Effect => {
                    let conditions = labels.conditions(*block, &cfg);
                    done = number(&("effect", label, conditions, done));
                    if !writes_variable(instruction) {
                        shared = done;
                    }
                    order = number(&("effect", label, conditions, place(), depth, order));
                    sum = sum.wrapping_add(order);
                    continue;
                }
            };
            if computed.insert(counted) {
                sum = sum.wrapping_add(counted);
            }
        }
    }
    (!labels.is_spent()).then_some(sum)
}

/// What something that is seen outside, or the way that control takes, is computed from. What else there is depends on how the front end moves
/// captured values, which is another way with `-g`.
fn needed(function: Value, labels: &Labels, cfg: &Cfg) -> FxHashSet<Value> {
    use Opcode::*;
    let is_seen = |value: &Value| match value.opcode() {
        Some(LLVMStore | LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMRet | LLVMInvoke) => true,
        _ if value.is_call() => part(*value, labels, cfg) != Part::Value,
        _ => part(*value, labels, cfg) == Part::Effect,
    };
    let mut work: Vec<Value> = function.instructions().filter(is_seen).collect();
    let mut found: FxHashSet<Value> = work.iter().copied().collect();
    while let Some(value) = work.pop() {
        work.extend(value.operands().filter(|operand| operand.is_instruction() && found.insert(*operand)));
    }
    found
}

/// Whether a load finds what other code may have written, on whose order its value depends.
fn reads_memory(instruction: Value) -> bool {
    instruction.is(Opcode::LLVMLoad) && !instruction.operand(0).base_of_address().is(Opcode::LLVMAlloca)
}

/// Whether a function of the runtime tells code where it runs, or lets only some threads run it.
fn asks_where(name: &str) -> bool {
    let is_for_some = || ["__kmpc_master", "__kmpc_masked", "__kmpc_single"].contains(&name);
    openmp::tells_users_numbers(name) || name.starts_with("omp_") || is_for_some()
}

/// Whether a parallel region begins or ends there.
fn opened(instruction: Value) -> i32 {
    match openmp::decode(instruction) {
        Ok(Call::ParallelMark(true)) => 1,
        Ok(Call::ParallelMark(false)) => -1,
        _ => 0,
    }
}

/// Whether control comes to a block out of a loop that it is not in.
fn is_behind_loop(at: BlockId, cfg: &Cfg) -> bool {
    let leaves = |&from: &BlockId| cfg.loop_of(from).is_some_and(|inner| !cfg.loops[inner].contains(at));
    cfg.predecessors[at].iter().any(leaves)
}

/// Where the copies of a reduction are made one: the runtimes do that in different ways.
#[derive(Default)]
struct Combining {
    all: FxHashSet<LLVMBasicBlockRef>,
    /// Those of them in which one thread puts its copy to the original, without atomics, which both sides have.
    of_two: FxHashSet<LLVMBasicBlockRef>,
}

fn combining_blocks(function: Value) -> Combining {
    let mut found = Combining::default();
    for block in function.blocks() {
        let Some(end) = block.terminator() else { continue };
        if !block.instructions().any(openmp::combines_copies) {
            continue;
        }
        // The last way leads on where nothing is to be combined.
        let ways = end.successors();
        let is_switch = end.is(Opcode::LLVMSwitch);
        let on = if is_switch { ways.first() } else { ways.last() };
        let combining: Vec<Block> = ways.iter().filter(|way| Some(*way) != on).copied().collect();
        let follow = |first: &[Block], found: &mut FxHashSet<LLVMBasicBlockRef>| {
            let mut work = first.to_vec();
            while let Some(block) = work.pop() {
                if Some(&block) != on && found.insert(block.raw()) {
                    work.extend(block.terminator().map(Value::successors).unwrap_or_default());
                }
            }
        };
        follow(&combining[..combining.len().min(1)], &mut found.of_two);
        follow(&combining, &mut found.all);
    }
    found
}
