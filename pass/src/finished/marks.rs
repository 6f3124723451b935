//! Numbers that loops carry through the optimiser: private properties of `!llvm.loop`, which passes keep and do not look at.

use crate::cfg::{Cfg, NaturalLoop};
use crate::ffi::{Str, ipda_branch_weights, ipda_loop_mark, ipda_mark_loop, ipda_unmark_loops};
use crate::ir::Value;
use crate::omp;
use crate::outline::TargetRegion;
use inkwell::module::Module;
use llvm_sys::core::{LLVMGetMDKindIDInContext, LLVMGetMetadata, LLVMGetTypeContext, LLVMSetMetadata};
use llvm_sys::prelude::LLVMValueRef;
use rustc_hash::FxHashSet;

/// A loop of the source.
pub(crate) const SOURCE: &str = "ipda.loop";
/// A loop of a copy that fused loops run in.
pub(crate) const FUSED: &str = "ipda.fused";
/// A loop behind the optimiser.
pub(crate) const FINISHED: &str = "ipda.finished";

/// Functions of one region beyond which loops are not followed.
const MAX_FUNCTIONS: usize = 256;

/// The number of the loop with these back edges under a name.
pub(crate) fn of_loop(cfg: &Cfg, natural: &NaturalLoop, key: &str) -> Option<u32> {
    natural.latches.iter().find_map(|&latch| of_latch(cfg.blocks[latch].terminator()?, key))
}

fn of_latch(latch: Value, key: &str) -> Option<u32> {
    let mut number = 0;
    // SAFETY: a terminator of a living function.
    unsafe { ipda_loop_mark(latch.raw(), Str::new(key), &mut number) }.then_some(number)
}

/// Numbers a loop. Where its back edges say different things of it, it stays as it is: passes would believe what they ignore now.
fn mark(cfg: &Cfg, natural: &NaturalLoop, key: &str, number: u32) {
    let latches: Vec<Value> = natural.latches.iter().filter_map(|&latch| cfg.blocks[latch].terminator()).collect();
    let Some((first, others)) = latches.split_first() else { return };
    let before = properties(*first);
    if others.iter().any(|&latch| properties(latch) != before) {
        return;
    }
    // SAFETY: a terminator of a living function.
    unsafe { ipda_mark_loop(first.raw(), Str::new(key), number) };
    let now = properties(*first);
    others.iter().for_each(|&latch| set_properties(latch, now));
}

/// What is known of the loop with this back edge.
fn properties(latch: Value) -> LLVMValueRef {
    // SAFETY: a terminator of a living function.
    unsafe { LLVMGetMetadata(latch.raw(), kind(latch)) }
}

fn set_properties(latch: Value, properties: LLVMValueRef) {
    // SAFETY: a terminator of a living function; null removes what is there.
    unsafe { LLVMSetMetadata(latch.raw(), kind(latch), properties) };
}

fn kind(latch: Value) -> u32 {
    let name = "llvm.loop";
    // SAFETY: a terminator of a living function.
    unsafe { LLVMGetMDKindIDInContext(LLVMGetTypeContext(latch.ty().raw()), name.as_ptr().cast(), name.len() as u32) }
}

/// Takes all numbers from a module's loops.
pub(crate) fn remove(module: &Module<'_>) {
    // SAFETY: the module is valid.
    unsafe { ipda_unmark_loops(module.as_mut_ptr(), Str::new("ipda.")) };
}

/// How a branch's control is divided among its successors, by its profile.
pub(crate) fn branch_weights(terminator: Value, successors: usize) -> Option<Vec<u32>> {
    let mut weights = vec![0; successors];
    // SAFETY: a terminator, and room for as many numbers as are asked for.
    unsafe { ipda_branch_weights(terminator.raw(), weights.as_mut_ptr(), successors) }.then_some(weights)
}

/// The functions that a region's code is in, in the order in which they are found.
pub(crate) fn functions_of(entry: Value) -> Vec<Value> {
    let defined = |value: &Value| value.is_function() && !value.is_declaration();
    let is_program = |value: &Value| defined(value) && !value.with_name(omp::is_runtime_name);
    let mut found: Vec<Value> = Vec::new();
    let mut work: Vec<Value> =
        if entry.is_call() { entry.operands().filter(is_program).collect() } else { vec![entry] };
    while let Some(function) = work.pop() {
        if found.len() == MAX_FUNCTIONS || found.contains(&function) {
            continue;
        }
        found.push(function);
        work.extend(function.instructions().flat_map(Value::operands).filter(is_program));
    }
    found
}

/// Numbers all loops of regions, from 1. Returns the functions that they are in.
pub(crate) fn number_sources(regions: &[TargetRegion]) -> FxHashSet<Value> {
    let mut seen = FxHashSet::default();
    let mut number = 0;
    for region in regions {
        for function in functions_of(region.entry) {
            if !seen.insert(function) {
                continue;
            }
            let cfg = Cfg::new(function);
            for natural in &cfg.loops {
                number += 1;
                mark(&cfg, natural, SOURCE, number);
            }
        }
    }
    seen
}

/// Notes which loops are in copies that were made since `before`.
pub(crate) fn note_copies(regions: &[TargetRegion], before: &FxHashSet<Value>) {
    for region in regions {
        for function in functions_of(region.entry).into_iter().filter(|function| !before.contains(function)) {
            let cfg = Cfg::new(function);
            cfg.loops.iter().for_each(|natural| mark(&cfg, natural, FUSED, 1));
        }
    }
}

/// Numbers on the loops of some functions for a while, under [`FINISHED`].
pub(crate) struct Numbered {
    before: Vec<(Value, LLVMValueRef)>,
}

impl Numbered {
    pub(crate) fn new(functions: &[Value]) -> Numbered {
        let mut before = Vec::new();
        let mut number = 0;
        for &function in functions {
            let cfg = Cfg::new(function);
            for natural in &cfg.loops {
                let latches = natural.latches.iter().filter_map(|&latch| cfg.blocks[latch].terminator());
                before.extend(latches.map(|latch| (latch, properties(latch))));
                number += 1;
                mark(&cfg, natural, FINISHED, number);
            }
        }
        Numbered { before }
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        self.before.iter().rev().for_each(|&(latch, properties)| set_properties(latch, properties));
    }
}
