//! What attributes, and LLVM's own knowledge of C's library, say of the memory that a call touches.

use super::Value;
use crate::attributes::{FUNCTION, attribute, kind};
use crate::ffi;
use llvm_sys::core::*;
use llvm_sys::prelude::LLVMAttributeRef;
use std::ops::{BitAnd, BitOr};

/// The memory that a call may read and write: that behind its arguments, that which no code here can name, as `errno`, and all other. LLVM's
/// `MemoryEffects`, in the bits of its attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEffects(u64);

#[allow(missing_docs)] // the names say it
impl MemoryEffects {
    pub const NONE: MemoryEffects = MemoryEffects(0);
    pub const READS_ARGUMENTS: MemoryEffects = MemoryEffects(0b00_00_01);
    pub const WRITES_ARGUMENTS: MemoryEffects = MemoryEffects(0b00_00_10);
    pub const WRITES_INACCESSIBLE: MemoryEffects = MemoryEffects(0b00_10_00);
    pub const READS_OTHER: MemoryEffects = MemoryEffects(0b01_00_00);
    pub const READS: MemoryEffects = MemoryEffects(0b01_01_01);
    pub const WRITES: MemoryEffects = MemoryEffects(0b10_10_10);
    pub const ANY: MemoryEffects = MemoryEffects(0b11_11_11);

    /// Without what arguments lead to.
    #[must_use]
    pub fn elsewhere(self) -> MemoryEffects {
        self & MemoryEffects(0b11_11_00)
    }

    /// Whether any of these is among them.
    pub fn has(self, some: MemoryEffects) -> bool {
        self & some != MemoryEffects::NONE
    }
}

impl BitAnd for MemoryEffects {
    type Output = MemoryEffects;

    fn bitand(self, other: MemoryEffects) -> MemoryEffects {
        MemoryEffects(self.0 & other.0)
    }
}

impl BitOr for MemoryEffects {
    type Output = MemoryEffects;

    fn bitor(self, other: MemoryEffects) -> MemoryEffects {
        MemoryEffects(self.0 | other.0)
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// What a call may touch, by its attributes and those of its function.
    pub fn memory_effects(self) -> MemoryEffects {
        let kind = kind("memory");
        let value = |attribute: LLVMAttributeRef| match attribute.is_null() {
            true => MemoryEffects::ANY,
            false => MemoryEffects(unsafe { LLVMGetEnumAttributeValue(attribute) }),
        };
        let own = value(unsafe { LLVMGetCallSiteEnumAttribute(self.0, FUNCTION, kind) });
        match self.callee() {
            Some(callee) => own & value(unsafe { LLVMGetEnumAttributeAtIndex(callee.0, FUNCTION, kind) }),
            None => own,
        }
    }

    /// Notes at a call, and at no other of its function, that it touches no more than that.
    pub fn limit_memory(self, to: MemoryEffects) {
        let effects = self.memory_effects() & to;
        unsafe { LLVMAddCallSiteAttribute(self.0, FUNCTION, attribute(self.0, "memory", effects.0)) }
    }

    /// Declares a function as the attributes `const` and `pure` do: it touches no more than that, returns, and throws nothing. A text attribute
    /// of that name decides who says so.
    pub fn declare_memory(self, effects: MemoryEffects, by: &str) {
        let enums = [("memory", effects.0), ("nounwind", 0), ("willreturn", 0)];
        unsafe {
            for (name, value) in enums {
                LLVMAddAttributeAtIndex(self.0, FUNCTION, attribute(self.0, name, value));
            }
        }
        self.add_text_attribute(by, "");
    }

    /// Gives a function an attribute that is text.
    pub fn add_text_attribute(self, name: &str, value: &str) {
        // SAFETY: the function is alive, and the attribute as long as its context.
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(self.0));
            let [(name, length), (value, of_value)] =
                [name, value].map(|text| (text.as_ptr().cast(), text.len() as u32));
            let text = LLVMCreateStringAttribute(context, name, length, value, of_value);
            LLVMAddAttributeAtIndex(self.0, FUNCTION, text);
        }
    }

    /// What LLVM knows of a call of a function of C's library: by the function's name and type, and where the program has not told the compiler to
    /// know nothing of it.
    pub fn library_effects(self) -> Option<MemoryEffects> {
        let mut effects = 0;
        unsafe { ffi::ipda_library_effects(self.0, &raw mut effects) }.then_some(MemoryEffects(effects))
    }
}
