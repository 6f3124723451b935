//! Small copyable handles of LLVM's values, blocks and types.

mod commuting;
mod edit;
mod effects;
mod facts;
mod linkage;
mod parts;
mod types;

pub use commuting::{Operation, OrderOfUpdates};
pub use edit::{Builder, CodePlace};
pub use effects::MemoryEffects;
pub use facts::types_differ;

use crate::attributes::kind;
use inkwell::values::AsValueRef;
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMTargetDataRef;
use llvm_sys::{LLVMOpcode as Opcode, LLVMTypeKind as TypeKind};

/// Any value: instruction, argument, constant, function, global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub(crate) LLVMValueRef);

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub(crate) LLVMBasicBlockRef);

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Type(pub(crate) LLVMTypeRef);

/// Sizes and offsets of the module at hand.
#[derive(Debug, Clone, Copy)]
pub struct DataLayout(pub(crate) LLVMTargetDataRef);

pub(crate) fn some(raw: LLVMValueRef) -> Option<Value> {
    (!raw.is_null()).then_some(Value(raw))
}

// SAFETY of all calls below: the handle's value is alive (the module's invariant), and each function is called on the
// kind of value that it asks for, which the guards before it establish.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Value {
    /// The handle of one of inkwell's values.
    pub fn of(value: &impl AsValueRef) -> Value {
        Value(value.as_value_ref())
    }

    /// The handle of a value that LLVM's C interface returned.
    ///
    /// # Safety
    /// The value exists as long as the handle is used.
    pub unsafe fn from_raw(raw: LLVMValueRef) -> Value {
        Value(raw)
    }

    /// The value for LLVM's C interface.
    pub fn raw(self) -> LLVMValueRef {
        self.0
    }

    /// Its type.
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    /// Whether it is an instruction.
    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    /// Whether it is a parameter of a function.
    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    /// Whether it is a global variable.
    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    /// Whether it is a function.
    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    /// Whether it is a constant of zeros.
    pub fn is_null(self) -> bool {
        self.is_constant() && unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// Whether it is a constant, the address of a function or variable among them.
    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    /// The opcode of an instruction or constant expression.
    pub fn opcode(self) -> Option<Opcode> {
        match self.kind() {
            LLVMValueKind::LLVMInstructionValueKind => Some(unsafe { LLVMGetInstructionOpcode(self.0) }),
            LLVMValueKind::LLVMConstantExprValueKind => Some(unsafe { LLVMGetConstOpcode(self.0) }),
            _ => None,
        }
    }

    /// Whether it is an instruction or constant expression with that opcode.
    pub fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    /// How many operands it has.
    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    /// One of its operands.
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// Its operands in their order.
    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// The signed value of an integer constant of at most 64 bits.
    pub fn as_int(self) -> Option<i64> {
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_bits()? <= 64)
            .then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// The value of a constant of the type `float` or `double`.
    pub fn as_real(self) -> Option<f64> {
        let is_real = matches!(self.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
        let mut loses = 0;
        (self.kind() == LLVMValueKind::LLVMConstantFPValueKind && is_real)
            .then(|| unsafe { LLVMConstRealGetDouble(self.0, &mut loses) })
    }

    /// Its name; empty where it has none.
    pub fn name(self) -> String {
        self.with_name(str::to_owned)
    }

    /// Looks at the name in its place. It must not change meanwhile.
    pub fn with_name<R>(self, look: impl FnOnce(&str) -> R) -> R {
        let mut len = 0;
        let data = unsafe { LLVMGetValueName2(self.0, &mut len) };
        let bytes = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast(), len) } };
        match str::from_utf8(bytes) {
            Ok(name) => look(name),
            Err(_) => look(&String::from_utf8_lossy(bytes)),
        }
    }

    /// Whether a direct call's function has a name that satisfies a condition.
    pub fn calls(self, is_wanted: impl FnOnce(&str) -> bool) -> bool {
        self.callee().is_some_and(|callee| callee.with_name(is_wanted))
    }

    /// The block of an instruction.
    pub fn block(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// The instruction behind this one in its block.
    pub fn next(self) -> Option<Value> {
        some(unsafe { LLVMGetNextInstruction(self.0) })
    }

    /// Whether it is a call, one that may throw included.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Some(Opcode::LLVMCall | Opcode::LLVMInvoke))
    }

    /// Whether a call is assembly code.
    pub fn is_assembly(self) -> bool {
        self.is_call() && unsafe { !LLVMIsAInlineAsm(LLVMGetCalledValue(self.0)).is_null() }
    }

    /// The function that a call names, if it names one.
    pub fn callee(self) -> Option<Value> {
        self.is_call().then(|| Value(unsafe { LLVMGetCalledValue(self.0) })).filter(|callee| callee.is_function())
    }

    /// What a call passes.
    pub fn call_args(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|index| self.operand(index)).collect()
    }

    /// Whether a function or variable is defined elsewhere.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Whether a direct call or its callee marks a parameter as the only way to what it points to.
    pub fn promises_noalias(self) -> bool {
        unsafe {
            let kind = kind("noalias");
            (1..=LLVMGetNumArgOperands(self.0)).any(|at| {
                !LLVMGetCallSiteEnumAttribute(self.0, at, kind).is_null()
                    || self.callee().is_some_and(|callee| !LLVMGetEnumAttributeAtIndex(callee.0, at, kind).is_null())
            })
        }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Block {
    /// The handle of a block that LLVM's C interface returned.
    ///
    /// # Safety
    /// The block exists as long as the handle is used.
    pub unsafe fn from_raw(raw: LLVMBasicBlockRef) -> Block {
        Block(raw)
    }

    /// The block for LLVM's C interface.
    pub fn raw(self) -> LLVMBasicBlockRef {
        self.0
    }

    /// Its instructions in their order.
    pub fn instructions(self) -> impl Iterator<Item = Value> {
        std::iter::successors(some(unsafe { LLVMGetFirstInstruction(self.0) }), |value| value.next())
    }

    /// The phis at its beginning.
    pub fn phis(self) -> impl Iterator<Item = Value> {
        self.instructions().take_while(|value| value.is(Opcode::LLVMPHI))
    }

    /// The function that it is in.
    pub fn function(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    /// The instruction at its end.
    pub fn terminator(self) -> Option<Value> {
        some(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Whether the compiler says that it is never reached: there is nothing but `unreachable` in it.
    pub fn is_unreachable(self) -> bool {
        self.instructions().next().is_some_and(|first| first.is(Opcode::LLVMUnreachable))
    }
}
