//! Who may know of functions and variables, and what calls hand over.

use super::{Value, some};
use crate::attributes::kind;
use crate::ffi;
use llvm_sys::LLVMLinkage::*;
use llvm_sys::LLVMOpcode as Opcode;
use llvm_sys::core::*;

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// Whether no other module knows a function or variable by its name.
    pub fn is_local(self) -> bool {
        matches!(unsafe { LLVMGetLinkage(self.0) }, LLVMInternalLinkage | LLVMPrivateLinkage)
    }

    /// Whether a value is a function or variable that is defined here, and neither shares its place with another definition nor gives way to one.
    pub fn is_only_definition(self) -> bool {
        (self.is_function() || self.is_global_variable())
            && !self.is_declaration()
            && (self.is_local() || unsafe { LLVMGetLinkage(self.0) } == LLVMExternalLinkage)
    }

    /// Whether each thread has a global variable of its own.
    pub fn is_thread_local(self) -> bool {
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Whether it is `undef` or `poison`.
    pub fn is_undefined(self) -> bool {
        unsafe { LLVMIsUndef(self.0) != 0 }
    }

    /// The function of an argument.
    pub fn function_of_argument(self) -> Value {
        Value(unsafe { LLVMGetParamParent(self.0) })
    }

    /// Which argument of its function it is.
    pub fn argument_number(self) -> Option<usize> {
        self.function_of_argument().params().into_iter().position(|param| param == self)
    }

    /// Whether an argument is a copy of what the caller names.
    pub fn is_copy_of_callers(self) -> bool {
        self.has_one_of_marks(&["byval"])
    }

    /// Whether an argument is a place that the calling convention asks for: of a copy, or for a result.
    pub fn is_passed_in_memory(self) -> bool {
        self.has_one_of_marks(&["byval", "sret", "inalloca", "preallocated", "byref"])
    }

    fn has_one_of_marks(self, marks: &[&str]) -> bool {
        let function = self.function_of_argument();
        let Some(number) = self.argument_number() else { return true };
        marks.iter().any(|mark| unsafe {
            let kind = kind(mark);
            !LLVMGetEnumAttributeAtIndex(function.0, number as u32 + 1, kind).is_null()
        })
    }

    /// Whether a direct call's arguments are those that its callee is declared with.
    pub fn calls_as_declared(self) -> bool {
        self.callee().is_some_and(|callee| unsafe {
            LLVMGetCalledFunctionType(self.0) == LLVMGlobalGetValueType(callee.0)
                && LLVMIsFunctionVarArg(LLVMGlobalGetValueType(callee.0)) == 0
        })
    }

    /// Whether a call or its callee is marked as returning what nothing else leads to.
    pub fn returns_noalias(self) -> bool {
        const RESULT: u32 = 0;
        unsafe {
            let kind = kind("noalias");
            !LLVMGetCallSiteEnumAttribute(self.0, RESULT, kind).is_null()
                || self.callee().is_some_and(|callee| !LLVMGetEnumAttributeAtIndex(callee.0, RESULT, kind).is_null())
        }
    }

    /// By how many bytes an element's address lies behind its base, where that is a constant.
    pub fn constant_step(self) -> Option<i64> {
        let mut bytes = 0;
        (self.is(Opcode::LLVMGetElementPtr) && unsafe { ffi::ipda_constant_step(self.0, &raw mut bytes) })
            .then_some(bytes)
    }

    /// What a `ret` returns.
    pub fn returned(self) -> Option<Value> {
        let returns = self.is(Opcode::LLVMRet) && self.operand_count() == 1;
        returns.then(|| some(unsafe { LLVMGetOperand(self.0, 0) })).flatten()
    }

    /// Whether a constant may hold the address of a variable, or one that is computed.
    pub fn may_hold_addresses(self) -> bool {
        if !self.is_constant() || self.opcode().is_some() {
            return true;
        }
        if self.is_null() || self.is_undefined() || self.is_function() || self.string_bytes().is_some() {
            return false;
        }
        // What stands for a function or variable is one of these, too.
        let is_global = unsafe { !LLVMIsAGlobalValue(self.0).is_null() };
        is_global || self.operands().any(Value::may_hold_addresses)
    }
}
