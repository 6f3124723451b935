//! Numbers that loops carry through the optimiser: private properties of `!llvm.loop`, which passes keep and do not look at.

use crate::cfg::{Cfg, NaturalLoop};
use crate::ffi::{Str, ipda_branch_weights, ipda_loop_mark, ipda_mark_loop};
use crate::ir::Value;
use crate::omp;
use crate::outline;
use inkwell::module::Module;
use llvm_sys::core::{LLVMGetMDKindIDInContext, LLVMGetMetadata, LLVMGetModuleContext, LLVMSetMetadata};
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

fn mark(cfg: &Cfg, natural: &NaturalLoop, key: &str, number: u32) {
    for latch in natural.latches.iter().filter_map(|&latch| cfg.blocks[latch].terminator()) {
        // SAFETY: a terminator of a living function.
        unsafe { ipda_mark_loop(latch.raw(), Str::new(key), number) };
    }
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

/// Numbers all loops of a module's regions, from 1. Returns the functions that they are in.
pub(crate) fn number_sources(module: &Module<'_>) -> FxHashSet<Value> {
    let mut seen = FxHashSet::default();
    let mut number = 0;
    for region in outline::find(module) {
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
pub(crate) fn note_copies(module: &Module<'_>, before: &FxHashSet<Value>) {
    for region in outline::find(module) {
        for function in functions_of(region.entry).into_iter().filter(|function| !before.contains(function)) {
            let cfg = Cfg::new(function);
            cfg.loops.iter().for_each(|natural| mark(&cfg, natural, FUSED, 1));
        }
    }
}

/// Numbers on the loops of some functions for a while, under [`FINISHED`].
pub(crate) struct Numbered {
    before: Vec<(Value, LLVMValueRef)>,
    kind: u32,
}

impl Numbered {
    pub(crate) fn new(module: &Module<'_>, functions: &[Value]) -> Numbered {
        let name = "llvm.loop";
        // SAFETY: the module is valid.
        let kind = unsafe {
            LLVMGetMDKindIDInContext(LLVMGetModuleContext(module.as_mut_ptr()), name.as_ptr().cast(), name.len() as u32)
        };
        let mut before = Vec::new();
        let mut number = 0;
        for &function in functions {
            let cfg = Cfg::new(function);
            for natural in &cfg.loops {
                for latch in natural.latches.iter().filter_map(|&latch| cfg.blocks[latch].terminator()) {
                    // SAFETY: a terminator of a living function.
                    before.push((latch, unsafe { LLVMGetMetadata(latch.raw(), kind) }));
                }
                number += 1;
                mark(&cfg, natural, FINISHED, number);
            }
        }
        Numbered { before, kind }
    }
}

impl Drop for Numbered {
    fn drop(&mut self) {
        for &(latch, node) in self.before.iter().rev() {
            // SAFETY: the functions were not changed meanwhile; a null node removes what is there.
            unsafe { LLVMSetMetadata(latch.raw(), self.kind, node) };
        }
    }
}
