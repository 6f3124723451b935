//! Facts of accesses that the optimiser may build on: which never meet, and what no one writes. And numbers that accesses carry meanwhile.

use crate::Value;
use crate::module::metadata_operands;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef};

/// Scopes of accesses (LLVM's `!alias.scope`) that are compared with each other alone.
pub struct AliasDomain {
    context: LLVMContextRef,
    node: LLVMMetadataRef,
}

/// A set of accesses of one domain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AliasScope(LLVMMetadataRef);

/// What is said of a load or store, scopes by numbers that tell them apart within a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// The scopes that it is in.
    pub own: Vec<usize>,
    /// Scopes whose accesses touch nothing that it touches.
    pub apart: Vec<usize>,
    /// Whether nobody writes what it reads.
    pub is_invariant: bool,
}

impl Claims {
    /// Leaves out what is said of scopes.
    pub fn without(mut self, scopes: impl Fn(usize) -> bool) -> Claims {
        self.own.retain(|&scope| !scopes(scope));
        self.apart.retain(|&scope| !scopes(scope));
        self
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.apart.is_empty() && !self.is_invariant
    }
}

impl AliasDomain {
    /// A domain for accesses of a function.
    pub fn new(function: Value) -> AliasDomain {
        // SAFETY: the function is alive.
        let context = unsafe { LLVMGetTypeContext(LLVMTypeOf(function.raw())) };
        AliasDomain { context, node: distinct(context, &[]) }
    }

    /// Another scope.
    pub fn scope(&self) -> AliasScope {
        AliasScope(distinct(self.context, &[self.node]))
    }
}

/// A node unlike any other: it holds itself.
fn distinct(context: LLVMContextRef, others: &[LLVMMetadataRef]) -> LLVMMetadataRef {
    // SAFETY: all nodes are of one context, and the temporary one is replaced.
    unsafe {
        let itself = LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
        let mut all: Vec<LLVMMetadataRef> = std::iter::once(itself).chain(others.iter().copied()).collect();
        let node = LLVMMDNodeInContext2(context, all.as_mut_ptr(), all.len());
        LLVMMetadataReplaceAllUsesWith(itself, node);
        node
    }
}

impl Value {
    /// Whether something is said of what a load or store may meet.
    pub fn has_alias_scopes(self) -> bool {
        self.has_metadata("alias.scope") || self.has_metadata("noalias")
    }

    /// Says that a load or store is in a scope, and touches nothing that accesses of others touch.
    pub fn set_alias_scopes(self, own: AliasScope, apart: &[AliasScope]) {
        self.set_metadata("alias.scope", &[own.0]);
        self.set_metadata("noalias", &apart.iter().map(|scope| scope.0).collect::<Vec<_>>());
    }

    /// Takes back what is said of what a load or store may meet.
    pub fn forget_alias_scopes(self) {
        for name in ["alias.scope", "noalias"] {
            // SAFETY: the instruction is alive; null removes what is there.
            unsafe { LLVMSetMetadata(self.raw(), kind(self, name), std::ptr::null_mut()) };
        }
    }

    /// What is said of a load or store.
    pub fn claims(self) -> Claims {
        let scopes = |name: &str| {
            // SAFETY: the instruction is alive, and so are its operands.
            let operands = unsafe { metadata_operands(LLVMGetMetadata(self.raw(), kind(self, name))) };
            operands.into_iter().map(|scope| scope as usize).collect()
        };
        Claims {
            own: scopes("alias.scope"),
            apart: scopes("noalias"),
            is_invariant: self.has_metadata("invariant.load"),
        }
    }

    /// The scopes that a call of `llvm.experimental.noalias.scope.decl` declares: what is said of them holds from one run of that call to the next, as for a
    /// `restrict` parameter of a function that was inlined into a loop.
    pub fn declared_scopes(self) -> Vec<usize> {
        // SAFETY: the instruction is alive, and so are its operands.
        unsafe { metadata_operands(self.operand(0).raw()) }.into_iter().map(|scope| scope as usize).collect()
    }

    /// Says that nobody writes what a load reads while the program can read it.
    pub fn set_invariant(self) {
        self.set_metadata("invariant.load", &[]);
    }

    /// Gives an instruction a number that goes with it and its copies, until a pass that does not know it changes it.
    pub fn set_number(self, number: u64) {
        // SAFETY: the instruction is alive; a number of its context.
        unsafe {
            let number = Value::int_of(crate::integer(self, 64), number);
            self.set_metadata(NUMBER, &[LLVMValueAsMetadata(number.raw())]);
        }
    }

    /// The number of an instruction that was given one.
    pub fn number(self) -> Option<u64> {
        if !self.is_instruction() {
            return None;
        }
        // SAFETY: the instruction is alive, and so are its operands.
        unsafe {
            let operands = metadata_operands(LLVMGetMetadata(self.raw(), kind(self, NUMBER)));
            let first = operands.first().filter(|operand| !operand.is_null());
            first.and_then(|&operand| u64::try_from(Value::from_raw(operand).as_int()?).ok())
        }
    }

    /// Takes it away.
    pub fn forget_number(self) {
        // SAFETY: the instruction is alive; null removes what is there.
        unsafe { LLVMSetMetadata(self.raw(), kind(self, NUMBER), std::ptr::null_mut()) };
    }

    fn has_metadata(self, name: &str) -> bool {
        // SAFETY: the instruction is alive.
        unsafe { !LLVMGetMetadata(self.raw(), kind(self, name)).is_null() }
    }

    fn set_metadata(self, name: &str, operands: &[LLVMMetadataRef]) {
        let mut operands = operands.to_vec();
        // SAFETY: the instruction is alive, and the operands are of its context.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
            LLVMSetMetadata(self.raw(), kind(self, name), LLVMMetadataAsValue(context, node));
        }
    }
}

const NUMBER: &str = "ipda.access";

fn kind(of: Value, name: &str) -> u32 {
    // SAFETY: the value is alive.
    unsafe {
        LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(of.raw())), name.as_ptr().cast(), name.len() as u32)
    }
}
