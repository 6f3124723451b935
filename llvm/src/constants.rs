//! Constants and global variables of modules, and the attributes of functions and calls.

use crate::attributes::{FUNCTION, attribute, kind};
use crate::{DataLayout, Type, Value, some};
use inkwell::AddressSpace;
use inkwell::module::Module;
use inkwell::types::AsTypeRef;
use inkwell::values::AsValueRef;
use llvm_sys::comdat::{LLVMGetOrInsertComdat, LLVMSetComdat};
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::target::{LLVMByteOrder, LLVMByteOrdering, LLVMElementAtOffset, LLVMPointerSize};
use llvm_sys::{LLVMAtomicOrdering, LLVMLinkage, LLVMUnnamedAddr, LLVMVisibility};
use std::ffi::CString;
use std::num::NonZeroU32;

fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// Puts text for the assembler behind that of a module.
pub fn append_assembly(module: &Module<'_>, text: &str) {
    // SAFETY: the module is valid, and copies the text.
    unsafe { LLVMAppendModuleInlineAsm(module.as_mut_ptr(), text.as_ptr().cast(), text.len()) };
}

fn raw(values: &[Value]) -> Vec<LLVMValueRef> {
    values.iter().map(|value| value.raw()).collect()
}

// SAFETY of all calls below: types live as long as their context, which outlives the run.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Type {
    /// An integer type of a module's context.
    pub fn int(module: &Module<'_>, bits: u32) -> Type {
        let bits = NonZeroU32::new(bits).expect("a type has bits");
        let ty = module.get_context().custom_width_int_type(bits).expect("LLVM has integers of that width");
        unsafe { Type::from_raw(ty.as_type_ref()) }
    }

    /// The type of floats of 64 bits of a module's context.
    pub fn double(module: &Module<'_>) -> Type {
        unsafe { Type::from_raw(module.get_context().f64_type().as_type_ref()) }
    }

    /// So many of this type, one after the other.
    pub fn array(self, count: usize) -> Type {
        unsafe { Type::from_raw(LLVMArrayType2(self.raw(), count as u64)) }
    }
}

// SAFETY of all calls below: the layout belongs to a module that is alive.
#[allow(clippy::undocumented_unsafe_blocks)]
impl DataLayout {
    /// The field of a structure that is so many bytes from its start.
    pub fn field_at(self, structure: Type, offset: usize) -> usize {
        unsafe { LLVMElementAtOffset(self.0, structure.raw(), offset as u64) as usize }
    }

    /// Whether pointers have 8 bytes and the lowest byte comes first.
    pub fn is_little_endian_with_64_bits(self) -> bool {
        unsafe { LLVMPointerSize(self.0) == 8 && LLVMByteOrder(self.0) == LLVMByteOrdering::LLVMLittleEndian }
    }
}

// SAFETY of all calls below: the values are alive, and of the kind that is asked for by what the functions say.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Value {
    /// A constant array.
    pub fn array_of(element: Type, items: &[Value]) -> Value {
        unsafe { Value::from_raw(LLVMConstArray2(element.raw(), raw(items).as_mut_ptr(), items.len() as u64)) }
    }

    /// A constant of a structure's type.
    pub fn structure(ty: Type, fields: &[Value]) -> Value {
        unsafe { Value::from_raw(LLVMConstNamedStruct(ty.raw(), raw(fields).as_mut_ptr(), fields.len() as u32)) }
    }

    /// A constant float.
    pub fn real_of(ty: Type, number: f64) -> Value {
        unsafe { Value::from_raw(LLVMConstReal(ty.raw(), number)) }
    }

    /// A constant text with a 0 behind it.
    pub fn text(module: &Module<'_>, text: &str) -> Value {
        let context = unsafe { LLVMGetModuleContext(module.as_mut_ptr()) };
        unsafe { Value::from_raw(LLVMConstStringInContext2(context, text.as_ptr().cast(), text.len(), 0)) }
    }

    /// A constant of a module that nobody else sees, at an address of no meaning.
    pub fn private_constant(module: &Module<'_>, name: &str, initializer: Value) -> Value {
        unsafe {
            let global = LLVMAddGlobal(module.as_mut_ptr(), LLVMTypeOf(initializer.raw()), c_name(name).as_ptr());
            LLVMSetInitializer(global, initializer.raw());
            LLVMSetLinkage(global, LLVMLinkage::LLVMPrivateLinkage);
            LLVMSetGlobalConstant(global, 1);
            LLVMSetUnnamedAddress(global, LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            Value::from_raw(global)
        }
    }

    /// Lets a global variable change.
    pub fn may_change(self) {
        unsafe { LLVMSetGlobalConstant(self.raw(), 0) };
    }

    /// Gives a global variable an address that no other has.
    pub fn has_own_address(self) {
        unsafe { LLVMSetUnnamedAddress(self.raw(), LLVMUnnamedAddr::LLVMNoUnnamedAddr) };
    }

    /// Lets nobody believe that a global variable begins with what it is given here.
    pub fn begins_otherwise(self) {
        unsafe { LLVMSetExternallyInitialized(self.raw(), 1) };
    }

    /// What a global variable begins with.
    pub fn set_initializer(self, value: Value) {
        unsafe { LLVMSetInitializer(self.raw(), value.raw()) };
    }

    /// The section of an object that a global variable is put into.
    pub fn set_section(self, section: &str) {
        unsafe { LLVMSetSection(self.raw(), c_name(section).as_ptr()) };
    }

    /// Where a global variable may begin: at a multiple of so many bytes.
    pub fn set_alignment(self, bytes: u32) {
        unsafe { LLVMSetAlignment(self.raw(), bytes) };
    }

    /// The constant address of a byte of a global variable.
    pub fn byte_at(self, offset: usize) -> Value {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
            let mut offset = LLVMConstInt(LLVMInt64TypeInContext(context), offset as u64, 0);
            Value::from_raw(LLVMConstInBoundsGEP2(LLVMInt8TypeInContext(context), self.raw(), &mut offset, 1))
        }
    }

    /// The type of a global variable's content, or of a function.
    pub fn content_type(self) -> Type {
        unsafe { Type::from_raw(LLVMGlobalGetValueType(self.raw())) }
    }

    /// Defines a global variable for others, hidden, in a group of which a linker keeps one.
    pub fn share_in_group(self, module: &Module<'_>, group: &str) {
        unsafe {
            LLVMSetLinkage(self.raw(), LLVMLinkage::LLVMWeakODRLinkage);
            LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMHiddenVisibility);
            LLVMSetComdat(self.raw(), LLVMGetOrInsertComdat(module.as_mut_ptr(), c_name(group).as_ptr()));
        }
    }

    /// Lets a load of a number of 4 bytes be atomic, in no order with others.
    pub fn set_relaxed(self) {
        unsafe {
            LLVMSetOrdering(self.raw(), LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic);
            LLVMSetAlignment(self.raw(), 4);
        }
    }

    /// Gives a function an attribute without a value.
    pub fn add_attribute(self, name: &str) {
        unsafe { LLVMAddAttributeAtIndex(self.raw(), FUNCTION, attribute(self.raw(), name, 0)) };
    }

    /// Gives a call an attribute of its own.
    pub fn add_call_attribute(self, name: &str) {
        unsafe { LLVMAddCallSiteAttribute(self.raw(), FUNCTION, attribute(self.raw(), name, 0)) };
    }

    /// An internal function that takes what this one does, compiled like another one.
    pub fn function_in_its_place(self, like: Value, name: &str) -> Value {
        unsafe {
            let function =
                LLVMAddFunction(LLVMGetGlobalParent(self.raw()), c_name(name).as_ptr(), self.content_type().raw());
            LLVMSetLinkage(function, LLVMLinkage::LLVMInternalLinkage);
            let kept = [kind("nounwind"), kind("uwtable"), kind("mustprogress")];
            for (from, enums) in [(like, &kept[1..]), (self, &kept[..1])] {
                let count = LLVMGetAttributeCountAtIndex(from.raw(), FUNCTION) as usize;
                let mut attributes = vec![std::ptr::null_mut(); count];
                LLVMGetAttributesAtIndex(from.raw(), FUNCTION, attributes.as_mut_ptr());
                for attribute in attributes {
                    let is_kept = match LLVMIsStringAttribute(attribute) {
                        0 => enums.contains(&LLVMGetEnumAttributeKind(attribute)),
                        _ => from == like,
                    };
                    if is_kept {
                        LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
                    }
                }
            }
            Value::from_raw(function)
        }
    }
}

/// The global variable of a module with that name.
pub fn global(module: &Module<'_>, name: &str) -> Option<Value> {
    module.get_global(name).and_then(|global| some(global.as_value_ref()))
}

/// Keeps constants that nothing in the module may use.
pub fn retain(module: &Module<'_>, constants: &[Value]) {
    const USED: &str = "llvm.used";
    if constants.is_empty() {
        return;
    }
    let before = global(module, USED);
    let listed = before.and_then(Value::initializer).map(|list| list.operands().collect::<Vec<_>>());
    let all = [&listed.unwrap_or_default(), constants].concat();
    // SAFETY: the module and its constants are alive; nothing refers to the old list.
    unsafe {
        let pointer = module.get_context().ptr_type(AddressSpace::default());
        let list = Value::array_of(Type::from_raw(pointer.as_type_ref()), &all);
        if let Some(before) = before {
            LLVMDeleteGlobal(before.raw());
        }
        let global = LLVMAddGlobal(module.as_mut_ptr(), LLVMTypeOf(list.raw()), c_name(USED).as_ptr());
        LLVMSetInitializer(global, list.raw());
        LLVMSetLinkage(global, LLVMLinkage::LLVMAppendingLinkage);
        Value::from_raw(global).set_section("llvm.metadata");
    }
}
