//! Types and their layout in memory.

use super::{DataLayout, Type};
use inkwell::module::Module;
use ipda_models::report::ValueType;
use llvm_sys::LLVMTypeKind as TypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::{LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType};
use std::ffi::CStr;

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Type {
    /// The handle of a type that LLVM's C interface returned.
    ///
    /// # Safety
    /// The type's context exists as long as the handle is used.
    pub unsafe fn from_raw(raw: LLVMTypeRef) -> Type {
        Type(raw)
    }

    /// The type for LLVM's C interface.
    pub fn raw(self) -> LLVMTypeRef {
        self.0
    }

    /// Of which kind it is.
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// How wide an integer type is.
    pub fn int_bits(self) -> Option<u32> {
        (self.kind() == TypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.0) })
    }

    /// Whether it is that of a pointer.
    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::LLVMPointerTypeKind
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// The type of one of a vector's elements, and how many there are; of anything else, itself.
    pub fn scalar(self) -> (Type, u64) {
        match self.kind() {
            TypeKind::LLVMVectorTypeKind => (self.element(), unsafe { LLVMGetVectorSize(self.0) }.into()),
            _ => (self, 1),
        }
    }

    /// How many elements an array has.
    pub fn array_length(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// How many fields a structure has.
    pub fn field_count(self) -> u32 {
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// A field of a structure.
    pub fn field(self, index: u32) -> Type {
        Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// Whether a structure has no padding between its fields.
    pub fn is_packed(self) -> bool {
        unsafe { LLVMIsPackedStruct(self.0) != 0 }
    }

    /// Whether it is a pointer to the generic address space.
    pub fn is_generic_pointer(self) -> bool {
        self.is_pointer() && unsafe { LLVMGetPointerAddressSpace(self.0) == 0 }
    }

    /// Whether it is an array of pointers to the generic address space.
    pub fn is_array_of_pointers(self) -> bool {
        self.kind() == TypeKind::LLVMArrayTypeKind && self.element().is_generic_pointer()
    }

    /// Whether it is that of no value.
    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }

    /// As LLVM writes it; of a structure its members.
    pub fn definition(self) -> String {
        let text = unsafe {
            let text = LLVMPrintTypeToString(self.0);
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            owned
        };
        text.rsplit(" = type ").next().unwrap_or_default().to_owned()
    }

    /// The name that reports use.
    pub fn describe(self) -> String {
        self.value_type().to_string()
    }

    /// What it is to a report.
    pub fn value_type(self) -> ValueType {
        match self.kind() {
            TypeKind::LLVMIntegerTypeKind => ValueType::Integer(self.int_bits().unwrap_or(0)),
            TypeKind::LLVMFloatTypeKind => ValueType::Float,
            TypeKind::LLVMDoubleTypeKind => ValueType::Double,
            TypeKind::LLVMHalfTypeKind => ValueType::Half,
            TypeKind::LLVMPointerTypeKind => ValueType::Pointer,
            TypeKind::LLVMStructTypeKind => ValueType::Struct,
            TypeKind::LLVMArrayTypeKind => ValueType::Array,
            _ => ValueType::Value,
        }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl DataLayout {
    /// Of a module.
    pub fn of(module: &Module<'_>) -> DataLayout {
        DataLayout(unsafe { LLVMGetModuleDataLayout(module.as_mut_ptr()) })
    }

    /// Bytes from one array element to the next.
    pub fn alloc_size(self, ty: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.0, ty.0) }
    }

    /// Bytes that a load or store moves.
    pub fn store_size(self, ty: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.0, ty.0) }
    }

    /// At which byte a structure's field begins.
    pub fn field_offset(self, structure: Type, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, structure.0, field) }
    }
}
