//! Loops as they were written, behind a guard that mostly holds. What they need in registers, the kernel needs however rarely they run; so they
//! are not unrolled where the compiler has not already taken them apart, by LLVM or by ptxas.

use crate::ir::{Opcode, Value, metadata_operands};
use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};
use std::ptr;

const MARK: &str = "ipda.fallback";
/// Says that a loop is not to be unrolled whose count is found only when it runs; that it is not to be unrolled at all.
const UNROLLED_IF_KNOWN: &str = "llvm.loop.unroll.runtime.disable";
const NOT_UNROLLED: &str = "llvm.loop.unroll.disable";

/// Marks the loops of a function.
pub(super) fn mark(function: Value) {
    for branch in function.instructions().filter(|value| !properties(*value).is_empty()) {
        [MARK, UNROLLED_IF_KNOWN].into_iter().for_each(|name| add(branch, name));
    }
}

/// Behind the optimiser, which unrolls the loops whose counts it knows, keeps the marked ones from being unrolled.
pub(crate) fn keep_small(module: &Module<'_>) {
    for function in module.get_functions() {
        for branch in Value::of(&function).instructions() {
            let properties = properties(branch);
            if properties.iter().any(|&property| is_named(property, MARK)) {
                add(branch, NOT_UNROLLED);
            }
        }
    }
}

/// What the branch at the end of a loop says of it, behind the loop itself; nothing of other instructions.
fn properties(branch: Value) -> Vec<LLVMValueRef> {
    if !branch.is(Opcode::LLVMBr) {
        return Vec::new();
    }
    // SAFETY: the instruction is alive.
    unsafe { metadata_operands(LLVMGetMetadata(branch.raw(), kind())) }
}

/// Adds a property to a loop. A node that holds itself is distinct from others.
fn add(branch: Value, name: &str) {
    // SAFETY: all nodes are of one context, and the temporary one is replaced.
    unsafe {
        let context = LLVMGetTypeContext(LLVMTypeOf(branch.block().function().raw()));
        let text = LLVMMDStringInContext2(context, name.as_ptr().cast(), name.len());
        let property = LLVMMDNodeInContext2(context, [text].as_mut_ptr(), 1);
        let itself = LLVMTemporaryMDNode(context, ptr::null_mut(), 0);
        let others = properties(branch).into_iter().skip(1).filter(|other| !other.is_null());
        let mut all: Vec<LLVMMetadataRef> =
            std::iter::once(itself).chain(others.map(|other| LLVMValueAsMetadata(other))).chain([property]).collect();
        let node = LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len());
        LLVMMetadataReplaceAllUsesWith(itself, node);
        LLVMSetMetadata(branch.raw(), kind(), LLVMMetadataAsValue(context, node));
    }
}

fn kind() -> u32 {
    const KIND: &str = "llvm.loop";
    // SAFETY: a name with its length.
    unsafe { LLVMGetMDKindID(KIND.as_ptr().cast(), KIND.len() as u32) }
}

fn is_named(property: LLVMValueRef, name: &str) -> bool {
    // SAFETY: the node is alive; what is no text gives null.
    unsafe {
        metadata_operands(property).first().is_some_and(|&first| {
            let mut length = 0;
            let text = if first.is_null() { ptr::null() } else { LLVMGetMDString(first, &raw mut length) };
            !text.is_null() && std::slice::from_raw_parts(text.cast::<u8>(), length as usize) == name.as_bytes()
        })
    }
}
