//! Kinds and places of attributes.

use inkwell::attributes::Attribute;
use llvm_sys::core::{LLVMCreateEnumAttribute, LLVMGetTypeContext, LLVMTypeOf};
use llvm_sys::prelude::{LLVMAttributeRef, LLVMValueRef};

/// The place of a function's attributes, and of a call's own.
pub(crate) const FUNCTION: u32 = llvm_sys::LLVMAttributeFunctionIndex;

/// LLVM's number of the attributes of a name that are no text.
pub(crate) fn kind(name: &str) -> u32 {
    Attribute::get_named_enum_kind_id(name)
}

/// An attribute in the context of a value, which is alive; `value` is 0 for one that has none.
pub(crate) fn attribute(like: LLVMValueRef, name: &str, value: u64) -> LLVMAttributeRef {
    // SAFETY: the value is alive.
    unsafe { LLVMCreateEnumAttribute(LLVMGetTypeContext(LLVMTypeOf(like)), kind(name), value) }
}
