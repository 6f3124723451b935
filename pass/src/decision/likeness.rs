//! Whether the host's version of a region computes what the device's does: a program can tell its compilers apart, by macros and variants.
//!
//! Both are made from one source by one front end, so what they write to memory has the same expressions. How iterations reach threads
//! differs, and is left out: expressions end at loops' variables.

use crate::cfg::Cfg;
use crate::ffi::SessionRef;
use crate::flatten;
use crate::ir::{Block, Opcode, Value};
use crate::omp;
use crate::outline::TargetRegion;
use crate::reject::RejectLog;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Operations of an expression that are looked at, one in the other.
const MAX_DEPTH: u32 = 12;

/// The number of a region's version in a device's module; none where not all of its code is followed.
pub(crate) fn likeness_of_region(session: SessionRef, region: &TargetRegion) -> Option<u64> {
    let mut log = RejectLog::default();
    let copy = flatten::flatten(session, region.entry, &mut log).ok()?;
    log.into_vec().is_empty().then(|| likeness(copy.function()))
}

/// A number that is the same for two flattened versions of a region that write the same: a sum over all that is written, in any order.
pub(crate) fn likeness(function: Value) -> u64 {
    let cfg = Cfg::new(function);
    let combining = combining_blocks(function);
    let mut sum = 0_u64;
    // Whether all iterations are done is tested in other places on the device.
    let mut compared = FxHashSet::default();
    let blocks = function.blocks();
    for block in blocks.into_iter().filter(|block| !combining.contains(&block.raw())) {
        for instruction in block.instructions() {
            let mut hasher = FxHasher::default();
            let counts = write(instruction, &cfg, &mut hasher);
            if counts && (!instruction.is(Opcode::LLVMICmp) || compared.insert(hasher.finish())) {
                sum = sum.wrapping_add(hasher.finish());
            }
        }
    }
    sum
}

/// Notes what an instruction writes, or calls; whether it does.
fn write(instruction: Value, cfg: &Cfg, to: &mut FxHasher) -> bool {
    let is_local = |pointer: Value| pointer.base_of_address().is(Opcode::LLVMAlloca);
    match instruction.opcode() {
        Some(Opcode::LLVMStore) if !instruction.is_volatile() && !is_local(instruction.operand(1)) => {
            expression(instruction.operand(0), MAX_DEPTH, to);
            expression(instruction.operand(1), MAX_DEPTH, to);
            true
        }
        Some(Opcode::LLVMAtomicRMW) => {
            expression(instruction.operand(1), MAX_DEPTH, to);
            true
        }
        Some(Opcode::LLVMFCmp) => {
            expression(instruction, MAX_DEPTH, to);
            true
        }
        // The runtimes hand out iterations by other comparisons.
        Some(Opcode::LLVMICmp) if !hands_out(instruction, cfg) => {
            let number = instruction.operand(1).as_int().filter(|number| !(-1..=1).contains(number));
            number.hash(to);
            number.is_some()
        }
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => instruction.callee().is_some_and(|callee| {
            let name = callee.name();
            let is_of_program =
                omp::is_function_of_numbers(&name) || !omp::is_runtime_name(&name) && !name.starts_with("llvm.");
            if is_of_program {
                omp::plain_name(&name).hash(to);
            }
            is_of_program
        }),
        _ => false,
    }
}

/// Whether a comparison is the runtime's: it ends a loop, or looks at bounds that the runtime left in memory.
fn hands_out(compare: Value, cfg: &Cfg) -> bool {
    let compared = compare.operand(0);
    // The end of the next chunk is the sum of an end and a step.
    let compared = if compared.is(Opcode::LLVMAdd) { compared.operand(0) } else { compared };
    let is_bound = compared.is(Opcode::LLVMLoad) && compared.operand(0).base_of_address().is(Opcode::LLVMAlloca);
    let ends_loop = |user: Value| {
        let inner = user.is(Opcode::LLVMBr).then(|| cfg.id(user.block())).flatten().and_then(|id| cfg.loop_of(id));
        let stays = |way: Block| cfg.id(way).is_some_and(|id| inner.is_some_and(|inner| cfg.loops[inner].contains(id)));
        inner.is_some() && !user.successors().into_iter().all(stays)
    };
    is_bound || compare.users().into_iter().any(ends_loop)
}

fn expression(value: Value, depth: u32, to: &mut FxHasher) {
    if let Some(number) = value.as_int() {
        number.hash(to);
        return;
    }
    let Some(opcode) = value.opcode().filter(|_| depth > 0) else {
        // Constants of other types by their text; arguments and variables by being one.
        if value.is_constant() && !value.is_global_variable() && !value.is_function() {
            value.print().hash(to);
        }
        return;
    };
    match opcode {
        // What is loaded is told by where from; what loops and branches make is not followed.
        Opcode::LLVMAlloca => {}
        Opcode::LLVMPHI => {
            let mut choices: Vec<Option<i64>> =
                value.incoming().iter().map(|(incoming, _)| incoming.as_int()).collect();
            if choices.iter().all(Option::is_some) {
                choices.sort_unstable();
                choices.hash(to);
            }
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            value.callee().map(|callee| omp::plain_name(&callee.name()).to_owned()).hash(to);
        }
        _ => {
            (opcode as u32).hash(to);
            if matches!(opcode, Opcode::LLVMICmp) {
                (value.int_predicate() as u32).hash(to);
            }
            value.operands().for_each(|operand| expression(operand, depth - 1, to));
        }
    }
}

/// Where the copies of a reduction are made one: the runtimes do that in different ways.
fn combining_blocks(function: Value) -> FxHashSet<llvm_sys::prelude::LLVMBasicBlockRef> {
    let mut found = FxHashSet::default();
    for block in function.blocks() {
        let Some(end) = block.terminator() else { continue };
        if !block.instructions().any(omp::combines_copies) {
            continue;
        }
        // The last way leads on where nothing is to be combined.
        let ways = end.successors();
        let is_switch = end.is(Opcode::LLVMSwitch);
        let on = if is_switch { ways.first() } else { ways.last() };
        let mut work: Vec<Block> = ways.iter().filter(|way| Some(*way) != on).copied().collect();
        while let Some(block) = work.pop() {
            if Some(&block) != on && found.insert(block.raw()) {
                work.extend(block.terminator().map(Value::successors).unwrap_or_default());
            }
        }
    }
    found
}
