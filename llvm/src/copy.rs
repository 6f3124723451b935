//! Copies of functions for analysis, and what is known of their memory and variables.

use crate::ffi::{self, Str};
use crate::{Block, Session, Value, some};
use llvm_sys::prelude::*;
use std::ffi::c_void;

/// What becomes of the mark on parameters that nothing else leads to what they point to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NoAlias {
    /// It is taken at its word.
    Believed,
    /// It is taken away.
    Forgotten,
}

/// A copy of a function for analysis, removed from the module when dropped.
pub struct FunctionCopy {
    session: Session,
    function: Value,
    lacks_stores: bool,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the copy is alive, and the session outlives the run
impl FunctionCopy {
    /// Of a function with a body.
    pub fn new(session: Session, original: Value) -> FunctionCopy {
        FunctionCopy { session, function: Value(unsafe { ffi::ipda_clone_function(original.0) }), lacks_stores: false }
    }

    /// A function that does nothing but a call like the given one of a runtime function that starts code: what is handed to that code are its
    /// parameters.
    pub fn around(session: Session, call: Value) -> FunctionCopy {
        FunctionCopy { session, function: Value(unsafe { ffi::ipda_function_around(call.0) }), lacks_stores: false }
    }

    /// The copy itself.
    pub fn function(&self) -> Value {
        self.function
    }

    /// Memory to registers.
    pub fn promote(&self) {
        unsafe { ffi::ipda_promote(self.session.0, self.function.0) }
    }

    /// Memory to registers, simplified control flow, loops in simplified form.
    pub fn canonicalise(&mut self) {
        self.lacks_stores |= unsafe { ffi::ipda_canonicalise(self.session.0, self.function.0) };
    }

    /// Whether the original stores where the copy does not, since that changes nothing as long as no other thread stores there.
    pub fn lacks_stores(&self) -> bool {
        self.lacks_stores
    }

    /// Simplifies the arithmetic of a copy in canonical form, as LLVM's pipeline will do it with the original.
    pub fn simplify(&self) {
        unsafe { ffi::ipda_simplify(self.session.0, self.function.0) }
    }

    /// Whether a value that the loop with this header computes needs a division in each iteration, as far as LLVM's algebra tells.
    pub fn needs_division(&self, value: Value, header: Block) -> bool {
        unsafe { ffi::ipda_needs_division(self.session.0, value.0, header.0) }
    }

    /// Replaces a call by a copy of its callee's body, and returns the calls in that, other than of intrinsics, in program order; none
    /// where LLVM refuses.
    pub fn inline(&self, call: Value, noalias: NoAlias) -> Option<Vec<Value>> {
        let mut calls: Vec<Value> = Vec::new();
        let believe = noalias == NoAlias::Believed;
        unsafe { ffi::ipda_inline_call(call.0, believe, (&raw mut calls).cast(), collect_call) }.then_some(calls)
    }

    /// Whether an instruction of `blocks`, other than those of `except`, may write the memory that `reader`, a load or a block copy,
    /// reads. Its address is taken to be the same throughout.
    pub fn may_be_written(&self, reader: Value, blocks: impl Iterator<Item = Block>, except: &[Value]) -> bool {
        let blocks: Vec<LLVMBasicBlockRef> = blocks.map(|block| block.0).collect();
        let except: Vec<LLVMValueRef> = except.iter().map(|value| value.0).collect();
        unsafe {
            let (blocks, count) = (blocks.as_ptr(), blocks.len());
            ffi::ipda_may_be_written(self.session.0, reader.0, blocks, count, except.as_ptr(), except.len())
        }
    }

    /// The last write, before `place`, of what `reader`, a load or a block copy, reads. It dominates the place. None where nothing is
    /// known.
    pub fn last_write(&self, reader: Value, place: Place) -> Option<Write> {
        let (no_value, no_block) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (past, merge, from) = match place {
            Place::Reader => (no_value, no_block, no_block),
            Place::Before(write) => (write.0, no_block, no_block),
            Place::Edge { from, to } => (no_value, to.0, from.0),
        };
        let mut raw = ffi::RawWrite { kind: 0, instruction: no_value, block: no_block };
        if !unsafe { ffi::ipda_last_write(self.session.0, reader.0, past, merge, from, &mut raw) } {
            return None;
        }
        match raw.kind {
            0 => Some(Write::Nothing),
            1 => some(raw.instruction).map(Write::Instruction),
            _ => Some(Write::Merge(Block(raw.block))),
        }
    }

    /// The source variables that the function's values hold, in program order; of clang's own (`.name`) those alone whose names begin with `kept`.
    pub fn variables(&self, kept: &str) -> Vec<Variable> {
        extern "C" fn collect(context: *mut c_void, value: LLVMValueRef, variable: *const ffi::RawVariable) {
            // SAFETY: `context` is the vector below; the variable and its name live during the call.
            unsafe {
                let (variables, kept) = &mut *context.cast::<(Vec<Variable>, &str)>();
                let ffi::RawVariable { name, depth, artificial, scope, ty } = &*variable;
                if *artificial && name.starts_with(b".") && !name.starts_with(kept.as_bytes()) {
                    return;
                }
                variables.push(Variable {
                    value: Value(value),
                    name: name.to_string(),
                    depth: *depth,
                    artificial: *artificial,
                    scope: *scope as usize,
                    ty: SourceType(*ty),
                });
            }
        }
        let mut found: (Vec<Variable>, &str) = (Vec::new(), kept);
        unsafe { ffi::ipda_variables(self.function.0, (&raw mut found).cast(), collect) }
        found.0
    }
}

extern "C" fn collect_call(context: *mut c_void, call: LLVMValueRef) {
    // SAFETY: `context` is a vector of the caller's.
    unsafe { (*context.cast::<Vec<Value>>()).push(Value(call)) }
}

impl Value {
    /// Replaces a call in code that will run by a copy of its callee's body, and returns the calls in that, other than of intrinsics; none where LLVM or
    /// the program refuses, or where the callee's parameters come with promises for this one call.
    pub fn inline_to_run(self) -> Option<Vec<Value>> {
        let mut calls: Vec<Value> = Vec::new();
        // SAFETY: the call is alive, and the callback runs during the call only.
        unsafe { ffi::ipda_inline_to_run(self.0, (&raw mut calls).cast(), collect_call) }.then_some(calls)
    }
}

/// A place from which to look for a write.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// The reader itself.
    Reader,
    /// Before a write.
    Before(Value),
    /// The edge between blocks, where [`Write::Merge`] of the second was found. Along a back edge, any write to the same object is
    /// found.
    Edge {
        /// Where control comes from.
        from: Block,
        /// Where it goes on.
        to: Block,
    },
}

/// How memory got its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Write {
    /// Nothing in the function wrote it.
    Nothing,
    /// The instruction may have.
    Instruction(Value),
    /// On different ways into the block, different instructions may have.
    Merge(Block),
}

/// A source variable that a value holds.
#[derive(Debug, Clone)]
pub struct Variable {
    /// What it holds.
    pub value: Value,
    /// In the source.
    pub name: String,
    /// Inlined calls around the variable's scope.
    pub depth: u32,
    /// Made by the compiler.
    pub artificial: bool,
    /// The identity of the scope.
    pub scope: usize,
    /// In the source.
    pub ty: SourceType,
}

/// A type of the source, from debug information.
#[derive(Debug, Clone, Copy)]
pub struct SourceType(*const c_void);

impl SourceType {
    /// Whether it is a reference, as what a region captures of a variable of its own.
    pub fn is_reference(self) -> bool {
        // SAFETY: the type belongs to the living module's metadata.
        unsafe { ffi::ipda_is_reference(self.0) }
    }

    /// The member that lies `offset` bytes into what the type, a pointer or a structure, leads to.
    pub fn member(self, offset: u64) -> Option<(String, SourceType)> {
        extern "C" fn store(context: *mut c_void, name: Str, ty: *const c_void) {
            // SAFETY: `context` is the option below; the string lives during the call.
            unsafe { *context.cast::<Option<(String, SourceType)>>() = Some((name.to_string(), SourceType(ty))) }
        }
        let mut found: Option<(String, SourceType)> = None;
        // SAFETY: the type belongs to the living module's metadata.
        unsafe { ffi::ipda_member(self.0, offset, (&raw mut found).cast(), store) };
        found
    }
}

impl Drop for FunctionCopy {
    fn drop(&mut self) {
        // SAFETY: nothing but the handles of this analysis refers to the copy.
        unsafe { ffi::ipda_discard_function(self.session.0, self.function.0) }
    }
}
