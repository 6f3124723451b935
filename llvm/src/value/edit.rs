//! Edits of copies.

use super::{MemoryEffects, Type, Value};
use crate::ffi;
use llvm_sys::LLVMOpcode as Opcode;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;

/// A place in the source with the calls that were inlined around it, or none. Code that is inlined for a call without a place keeps its own
/// places alone.
#[derive(Debug, Clone, Copy)]
pub struct CodePlace(LLVMMetadataRef);

impl CodePlace {
    /// None.
    pub const NONE: CodePlace = CodePlace(std::ptr::null_mut());
}

/// Builds instructions in a copy.
pub struct Builder(LLVMBuilderRef);

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Builder {
    /// A builder that inserts before `instruction` and gives new instructions its source place.
    pub fn before(instruction: Value) -> Builder {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(instruction.0));
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, instruction.0);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction.0));
            Builder(builder)
        }
    }

    /// A local variable, as a pointer to the generic address space.
    pub fn alloca(&self, ty: Type) -> Value {
        unsafe {
            let variable = LLVMBuildAlloca(self.0, ty.0, c"".as_ptr());
            if LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == 0 {
                return Value(variable);
            }
            let generic = LLVMPointerTypeInContext(LLVMGetTypeContext(ty.0), 0);
            Value(LLVMBuildAddrSpaceCast(self.0, variable, generic, c"".as_ptr()))
        }
    }

    /// A local array of bytes.
    pub fn alloca_bytes(&self, size: Value, bytes: u64) -> Value {
        // SAFETY: as for Value.
        let array = unsafe { LLVMArrayType2(LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(size.0))), bytes) };
        self.alloca(Type(array))
    }

    /// What memory holds.
    pub fn load(&self, ty: Type, address: Value) -> Value {
        Value(unsafe { LLVMBuildLoad2(self.0, ty.0, address.0, c"".as_ptr()) })
    }

    /// The element `index` of an array of pointers.
    pub fn pointer_slot(&self, array: Value, index: u64) -> Value {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(array.0));
            let pointer = LLVMPointerTypeInContext(context, 0);
            let mut index = LLVMConstInt(LLVMInt64TypeInContext(context), index, 0);
            Value(LLVMBuildInBoundsGEP2(self.0, pointer, array.0, &mut index, 1, c"".as_ptr()))
        }
    }

    /// A pointer as a load of a type of numbers finds it in memory.
    pub fn pointer_as(&self, pointer: Value, ty: Type) -> Value {
        match ty.int_bits() {
            Some(_) => Value(unsafe { LLVMBuildPtrToInt(self.0, pointer.0, ty.0, c"".as_ptr()) }),
            None => pointer,
        }
    }

    /// Writes a pointer down where nothing may be left out: from here on, calls that are not known may write to what it leads to.
    pub fn let_escape(&self, pointer: Value, to: Value) {
        unsafe {
            let store = LLVMBuildStore(self.0, pointer.0, to.0);
            LLVMSetVolatile(store, 1);
        }
    }

    /// The same pointer in a form that memory promotion does not see through.
    pub fn hide_pointer(&self, pointer: Value) -> Value {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(pointer.0));
            let number = LLVMBuildPtrToInt(self.0, pointer.0, LLVMInt64TypeInContext(context), c"".as_ptr());
            Value(LLVMBuildIntToPtr(self.0, number, LLVMTypeOf(pointer.0), c"".as_ptr()))
        }
    }

    /// A call of a function.
    pub fn call(&self, callee: Value, args: &[Value]) -> Value {
        unsafe {
            let ty = LLVMGlobalGetValueType(callee.0);
            let mut args: Vec<LLVMValueRef> = args.iter().map(|arg| arg.0).collect();
            Value(LLVMBuildCall2(self.0, ty, callee.0, args.as_mut_ptr(), args.len() as u32, c"".as_ptr()))
        }
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        // SAFETY: made by `before`, used by nobody else.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// Puts another value in the place of this one wherever it is used.
    pub fn replace_all_uses(self, with: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }

    /// The place of an instruction, for another instruction to have.
    pub fn place(self) -> CodePlace {
        CodePlace(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    /// Gives an instruction a place in the source.
    pub fn set_place(self, place: CodePlace) {
        unsafe { LLVMInstructionSetDebugLoc(self.0, place.0) }
    }

    /// Removes an instruction that nothing uses.
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Notes that a parameter of a function chooses between two ways through it: [`part_choices`](crate::part_choices) makes two functions of it.
    pub fn note_choice(self, parameter: usize) {
        unsafe { ffi::ipda_note_choice(self.0, parameter as u32) }
    }

    /// Lets a function stay one, whatever was [noted](Value::note_choice) of it.
    pub fn forget_choice(self) {
        unsafe { ffi::ipda_forget_choice(self.0) }
    }

    /// Removes the cases of a switch but those for these numbers, which are sign-extended: the others are never asked for.
    pub fn keep_cases(self, numbers: &[i64]) {
        unsafe { ffi::ipda_keep_cases(self.0, numbers.as_ptr(), numbers.len()) }
    }

    /// Removes a function that nothing alive refers to.
    pub fn erase_function(self) {
        unsafe { ffi::ipda_erase_function(self.0) }
    }

    /// The pointers in an array that a call is given, where each was stored there once, before the call. The array is then no more.
    pub fn take_pointers(self, array: Value, count: usize) -> Option<Vec<Value>> {
        let mut pointers: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count];
        let found = unsafe { ffi::ipda_take_pointers(self.0, array.0, pointers.as_mut_ptr(), count) };
        found.then(|| pointers.into_iter().map(Value).collect())
    }

    /// Changes one operand.
    pub fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// Whether a value is among the operands.
    pub fn has_operand(self, value: Value) -> bool {
        self.operands().any(|operand| operand == value)
    }

    /// Whether an instruction only computes: a number from numbers, or an address.
    pub fn is_cast_or_arithmetic(self) -> bool {
        use Opcode::*;
        self.opcode().is_some_and(|opcode| {
            matches!(
                opcode,
                LLVMTrunc
                    | LLVMZExt
                    | LLVMSExt
                    | LLVMAdd
                    | LLVMSub
                    | LLVMMul
                    | LLVMShl
                    | LLVMLShr
                    | LLVMAShr
                    | LLVMAnd
                    | LLVMOr
                    | LLVMXor
                    | LLVMICmp
                    | LLVMSelect
                    | LLVMGetElementPtr
                    | LLVMFreeze
            )
        })
    }

    /// Uses another value wherever an instruction uses `old`.
    pub fn replace_operand(self, old: Value, new: Value) {
        for index in (0..self.operand_count()).filter(|&index| self.operand(index) == old) {
            self.set_operand(index, new);
        }
    }

    /// The constant of zeros of a type.
    pub fn null_of(ty: Type) -> Value {
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    /// An integer constant.
    pub fn int_of(ty: Type, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(ty.0, value, 0) })
    }

    /// The integer type of 32 bits, in the value's context.
    pub fn i32_type(self) -> Type {
        Type(unsafe { LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(self.0))) })
    }

    /// Whether a call may write memory, by its attributes.
    pub fn call_may_write(self) -> bool {
        self.memory_effects().has(MemoryEffects::WRITES)
    }
}
