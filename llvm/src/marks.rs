//! Numbers that loops carry through the optimiser: private properties of `!llvm.loop`, which passes keep and do not look at. And how likely
//! branches are.

use crate::ffi::{self, Str};
use crate::module::{metadata_operands, metadata_text};
use crate::{BlockId, Cfg, NaturalLoop, Opcode, Value};
use inkwell::module::Module;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMMetadataRef, LLVMValueRef};

/// What is known of the loop with a certain back edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopProperties(LLVMValueRef);

impl LoopProperties {
    /// Of the loop with this back edge.
    pub fn of(latch: Value) -> LoopProperties {
        // SAFETY: a terminator of a living function.
        LoopProperties(unsafe { LLVMGetMetadata(latch.raw(), kind(latch)) })
    }

    /// Sets them for the loop with this back edge.
    pub fn set(self, latch: Value) {
        // SAFETY: a terminator of a living function of the same module; null removes what is there.
        unsafe { LLVMSetMetadata(latch.raw(), kind(latch), self.0) };
    }
}

fn kind(latch: Value) -> u32 {
    let name = "llvm.loop";
    // SAFETY: a terminator of a living function.
    unsafe { LLVMGetMDKindIDInContext(LLVMGetTypeContext(latch.ty().raw()), name.as_ptr().cast(), name.len() as u32) }
}

/// Properties without a value, such as `llvm.loop.unroll.disable`, of the loop with this branch as a back edge.
impl Value {
    /// Whether it is a back edge of a loop of which something is said.
    pub fn has_loop_properties(self) -> bool {
        !self.loop_properties().is_empty()
    }

    /// Whether that is said of the loop.
    pub fn has_loop_property(self, name: &str) -> bool {
        // SAFETY: the node is alive.
        let operands = |property| unsafe { metadata_operands(property) };
        self.loop_properties().iter().any(|&property| {
            let first = operands(property).first().copied();
            // SAFETY: the operand is alive as its node is.
            first.is_some_and(|first| unsafe { metadata_text(first) } == Some(name.as_bytes()))
        })
    }

    /// Says it of the loop.
    pub fn add_loop_property(self, name: &str) {
        self.add_property(name, None);
    }

    /// Says of the loop that something is so many.
    pub fn add_loop_count(self, name: &str, count: u32) {
        self.add_property(name, Some(Value::int_of(crate::integer(self.block().function(), 32), count.into())));
    }

    /// A node that holds itself is distinct from others.
    fn add_property(self, name: &str, number: Option<Value>) {
        // SAFETY: all nodes are of one context, and the temporary one is replaced.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.block().function().raw()));
            let text = LLVMMDStringInContext2(context, name.as_ptr().cast(), name.len());
            let mut parts = vec![text];
            parts.extend(number.map(|number| LLVMValueAsMetadata(number.raw())));
            let property = LLVMMDNodeInContext2(context, parts.as_mut_ptr(), parts.len());
            let itself = LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
            let others = self.loop_properties().into_iter().skip(1).filter(|other| !other.is_null());
            let mut all: Vec<LLVMMetadataRef> = std::iter::once(itself)
                .chain(others.map(|other| LLVMValueAsMetadata(other)))
                .chain([property])
                .collect();
            let node = LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len());
            LLVMMetadataReplaceAllUsesWith(itself, node);
            LLVMSetMetadata(self.raw(), kind(self), LLVMMetadataAsValue(context, node));
        }
    }

    /// The loop itself, then what is said of it; nothing of other instructions than branches.
    fn loop_properties(self) -> Vec<LLVMValueRef> {
        if !self.is(Opcode::LLVMBr) {
            return Vec::new();
        }
        // SAFETY: the instruction is alive.
        unsafe { metadata_operands(LLVMGetMetadata(self.raw(), kind(self))) }
    }
}

impl NaturalLoop {
    /// Its back edges' terminators.
    pub fn latch_terminators(&self, cfg: &Cfg) -> impl Iterator<Item = Value> {
        self.latches.iter().filter_map(|&latch| cfg.blocks[latch].terminator())
    }

    /// The number that it has under a key.
    pub fn number(&self, cfg: &Cfg, key: &str) -> Option<u32> {
        self.latch_terminators(cfg).find_map(|latch| number_at(latch, key))
    }

    /// The number under a key at one of its branches that leads out: unrolling leaves what is said of a loop at the branch that was a back edge, and the
    /// last of the copies may end with another one.
    pub fn number_at_exit(&self, cfg: &Cfg, key: &str) -> Option<u32> {
        let leads_out = |block: &&BlockId| cfg.successors[**block].iter().any(|to| !self.contains(*to));
        let mut exits = self.blocks.iter().filter(leads_out).filter_map(|&block| cfg.blocks[block].terminator());
        exits.find_map(|exit| number_at(exit, key))
    }

    /// Gives it a number. Where its back edges say different things of it, it stays as it is: passes would believe what they ignore now.
    pub fn set_number(&self, cfg: &Cfg, key: &str, number: u32) {
        let latches: Vec<Value> = self.latch_terminators(cfg).collect();
        let Some((first, others)) = latches.split_first() else { return };
        let before = LoopProperties::of(*first);
        if others.iter().any(|&latch| LoopProperties::of(latch) != before) {
            return;
        }
        // SAFETY: a terminator of a living function.
        unsafe { ffi::ipda_mark_loop(first.raw(), Str::new(key), number) };
        let now = LoopProperties::of(*first);
        others.iter().for_each(|&latch| now.set(latch));
    }
}

fn number_at(branch: Value, key: &str) -> Option<u32> {
    let mut number = 0;
    // SAFETY: a terminator of a living function.
    unsafe { ffi::ipda_loop_mark(branch.raw(), Str::new(key), &mut number) }.then_some(number)
}

/// Takes all numbers whose keys begin so from a module's loops.
pub fn forget_loop_numbers(module: &Module<'_>, keys: &str) {
    // SAFETY: the module is valid.
    unsafe { ffi::ipda_unmark_loops(module.as_mut_ptr(), Str::new(keys)) };
}

/// Makes two functions of each that has a [choice](Value::note_choice) noted and is called in one place: one for each way. Whether there was one.
///
/// Behind interprocedural passes this is right where a new function would not be: no call that they know is given what it was not given before.
pub fn part_choices(module: &Module<'_>) -> bool {
    // SAFETY: the module is valid.
    unsafe { ffi::ipda_part_choices(module.as_mut_ptr()) }
}

impl Value {
    /// How a branch's control is divided among its successors, by its profile.
    pub fn branch_weights(self, successors: usize) -> Option<Vec<u32>> {
        let mut weights = vec![0; successors];
        // SAFETY: a terminator, and room for as many numbers as are asked for.
        unsafe { ffi::ipda_branch_weights(self.raw(), weights.as_mut_ptr(), successors) }.then_some(weights)
    }
}
