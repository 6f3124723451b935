//! What flags, attributes and metadata say of a value.

use super::{MemoryEffects, TypeKind, Value};
use crate::attributes::{FUNCTION, kind};
use crate::ffi;
use crate::module::metadata_operands;
use llvm_sys::LLVMIntPredicate as IntPredicate;
use llvm_sys::LLVMOpcode as Opcode;
use llvm_sys::core::*;
use std::ffi::CStr;

/// Whether the types of two accesses say that they never meet in memory (strict aliasing).
pub fn types_differ(first: Value, second: Value) -> bool {
    // SAFETY: both are instructions that are alive.
    unsafe { ffi::ipda_types_differ(first.0, second.0) }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// Whether an operation is marked `nsw`.
    pub fn has_nsw(self) -> bool {
        self.is_instruction() && unsafe { LLVMGetNSW(self.0) != 0 }
    }

    /// Whether an operation is marked `nuw`.
    pub fn has_nuw(self) -> bool {
        self.is_instruction() && unsafe { LLVMGetNUW(self.0) != 0 }
    }

    /// Whether a `zext` is marked `nneg`.
    pub fn has_nneg(self) -> bool {
        self.is_instruction() && unsafe { LLVMGetNNeg(self.0) != 0 }
    }

    /// Whether an element's address is marked `inbounds`: it lies in the object of its base, or just behind it.
    pub fn is_inbounds(self) -> bool {
        self.is(Opcode::LLVMGetElementPtr) && unsafe { LLVMIsInBounds(self.0) != 0 }
    }

    /// Whether a loop, given the branch at its end, must end or do something that others see: by its own mark, or by that of its function.
    pub fn must_progress(self) -> bool {
        let (node, mark) = ("llvm.loop", "llvm.loop.mustprogress");
        // SAFETY: `self` is an instruction in a function; operands are looked at as what they are.
        unsafe {
            let attribute = kind("mustprogress");
            if !LLVMGetEnumAttributeAtIndex(self.block().function().0, FUNCTION, attribute).is_null() {
                return true;
            }
            let node = LLVMGetMDKindID(node.as_ptr().cast(), node.len() as u32);
            let properties = metadata_operands(LLVMGetMetadata(self.0, node));
            properties.into_iter().any(|property| {
                metadata_operands(property).first().is_some_and(|&name| {
                    let mut length = 0;
                    let text = if name.is_null() { std::ptr::null() } else { LLVMGetMDString(name, &raw mut length) };
                    !text.is_null() && std::slice::from_raw_parts(text.cast::<u8>(), length as usize) == mark.as_bytes()
                })
            })
        }
    }

    /// Whether a load or store goes to a member of a structure, by its mark for strict aliasing or the steps of its address.
    pub fn accesses_member(self) -> bool {
        let kind = "tbaa";
        // SAFETY: `self` is an instruction; operands are only compared.
        let mark = unsafe {
            metadata_operands(LLVMGetMetadata(self.0, LLVMGetMDKindID(kind.as_ptr().cast(), kind.len() as u32)))
        };
        let pointer = self.operand(u32::from(self.is(Opcode::LLVMStore)));
        let is_step = |at: &Value| at.is(Opcode::LLVMGetElementPtr);
        let mut steps = std::iter::successors(Some(pointer).filter(is_step), |at| Some(at.operand(0)).filter(is_step));
        matches!(mark[..], [base, accessed, ..] if base != accessed)
            || steps.any(|step| step.gep_source().kind() == TypeKind::LLVMStructTypeKind)
    }

    /// Which part of a structure an `extractvalue` takes, if it takes one of the structure's own parts.
    pub fn extracted_part(self) -> Option<u32> {
        let path = self.is(Opcode::LLVMExtractValue).then(|| self.part_path());
        path.and_then(|path| if let [part] = path[..] { Some(part) } else { None })
    }

    /// Which part of a structure or array an `extractvalue` takes or an `insertvalue` replaces: a number for each level, from the outside in.
    pub fn part_path(self) -> Vec<u32> {
        if !self.is(Opcode::LLVMExtractValue) && !self.is(Opcode::LLVMInsertValue) {
            return Vec::new();
        }
        // SAFETY: the instruction has this many indices.
        unsafe { std::slice::from_raw_parts(LLVMGetIndices(self.0), LLVMGetNumIndices(self.0) as usize) }.to_vec()
    }

    /// What the optimiser may assume or change of an operation on floating-point numbers, by LLVM's flags but `contract`, which is the code generator's business.
    pub fn licence(self) -> u32 {
        const CONTRACT: u32 = 1 << 5;
        let has_flags = self.is_instruction() && unsafe { LLVMCanValueUseFastMathFlags(self.0) != 0 };
        let flags = if has_flags { unsafe { LLVMGetFastMathFlags(self.0) } } else { 0 };
        flags & !CONTRACT
    }

    /// Which elements of its two vectors a `shufflevector` takes.
    pub fn shuffle_mask(self) -> Vec<i32> {
        if !self.is(Opcode::LLVMShuffleVector) {
            return Vec::new();
        }
        // SAFETY: the instruction has this many elements.
        unsafe { (0..LLVMGetNumMaskElements(self.0)).map(|at| LLVMGetMaskValue(self.0, at)).collect() }
    }

    /// Whether an `or` is marked `disjoint`.
    pub fn is_disjoint(self) -> bool {
        self.is_instruction() && unsafe { LLVMGetIsDisjoint(self.0) != 0 }
    }

    /// Whether an atomic update orders other accesses.
    pub fn is_ordering(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::{LLVMAtomicOrderingMonotonic, LLVMAtomicOrderingUnordered};
        !matches!(unsafe { LLVMGetOrdering(self.0) }, LLVMAtomicOrderingMonotonic | LLVMAtomicOrderingUnordered)
    }

    /// The bytes of which a load's or store's address is a multiple.
    pub fn alignment(self) -> u64 {
        // SAFETY: `self` is a load or a store.
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    /// The bytes of which a function says that its parameter's address is a multiple; 1 where it says nothing.
    pub fn parameter_alignment(self) -> u64 {
        // SAFETY: `self` is a parameter, and its function is alive.
        unsafe {
            let function = LLVMGetParamParent(self.0);
            let at = (0..LLVMCountParams(function)).find(|&at| LLVMGetParam(function, at) == self.0);
            let attribute = at.map(|at| LLVMGetEnumAttributeAtIndex(function, at + 1, kind("align")));
            attribute.filter(|found| !found.is_null()).map_or(1, |found| LLVMGetEnumAttributeValue(found))
        }
    }

    /// Whether a load or store is volatile or atomic.
    pub fn is_volatile_or_atomic(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        unsafe { LLVMGetVolatile(self.0) != 0 || LLVMGetOrdering(self.0) != LLVMAtomicOrderingNotAtomic }
    }

    /// Whether an atomic update orders nothing else.
    pub fn is_relaxed(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        unsafe { LLVMGetVolatile(self.0) == 0 && LLVMGetOrdering(self.0) == LLVMAtomicOrderingMonotonic }
    }

    /// The pointer that an address is computed from, behind index arithmetic and changes of the address space.
    pub fn base_of_address(self) -> Value {
        let mut base = self;
        while base.is(Opcode::LLVMGetElementPtr) || base.is(Opcode::LLVMAddrSpaceCast) {
            base = base.operand(0);
        }
        base
    }

    /// Whether a load or store is volatile.
    pub fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// The target of a function's module.
    pub fn target_triple(self) -> String {
        unsafe { CStr::from_ptr(LLVMGetTarget(LLVMGetGlobalParent(self.0))).to_string_lossy().into_owned() }
    }

    /// The text that a function has for an attribute.
    pub fn text_attribute(self, name: &str) -> Option<String> {
        unsafe {
            let found = LLVMGetStringAttributeAtIndex(self.0, FUNCTION, name.as_ptr().cast(), name.len() as u32);
            if found.is_null() {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetStringAttributeValue(found, &raw mut length);
            Some(String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize)).into_owned())
        }
    }

    /// Whether a function must stay as it is, since it is compiled without optimisation.
    pub fn is_not_optimised(self) -> bool {
        unsafe {
            let kind = kind("optnone");
            !LLVMGetEnumAttributeAtIndex(self.0, FUNCTION, kind).is_null()
        }
    }

    /// Whether an argument is marked as leading to memory to which nothing else leads.
    pub fn is_noalias(self) -> bool {
        self.attribute_of_argument("noalias").is_some()
    }

    /// How many bytes there are behind an argument at least, where that is marked: for an array by reference, as many as it has.
    pub fn dereferenceable_bytes(self) -> Option<u64> {
        let attribute = self.attribute_of_argument("dereferenceable")?;
        // SAFETY: the attribute is one that has a number.
        Some(unsafe { LLVMGetEnumAttributeValue(attribute) })
    }

    fn attribute_of_argument(self, name: &str) -> Option<llvm_sys::prelude::LLVMAttributeRef> {
        if !self.is_argument() {
            return None;
        }
        // SAFETY: an argument has a function, of which it is a parameter.
        let attribute = unsafe {
            let function = Value(LLVMGetParamParent(self.0));
            let position = function.params().into_iter().position(|param| param == self)?;
            let kind = kind(name);
            LLVMGetEnumAttributeAtIndex(function.0, position as u32 + 1, kind)
        };
        (!attribute.is_null()).then_some(attribute)
    }

    /// Whether a call has an attribute, by itself or by its function.
    pub(super) fn call_attribute(self, name: &str) -> Option<u64> {
        unsafe {
            let kind = kind(name);
            let own = LLVMGetCallSiteEnumAttribute(self.0, FUNCTION, kind);
            let found = match self.callee() {
                Some(callee) if own.is_null() => LLVMGetEnumAttributeAtIndex(callee.0, FUNCTION, kind),
                _ => own,
            };
            (!found.is_null()).then(|| LLVMGetEnumAttributeValue(found))
        }
    }

    /// Whether a function is declared to throw nothing.
    pub fn throws_nothing(self) -> bool {
        unsafe {
            let kind = kind("nounwind");
            !LLVMGetEnumAttributeAtIndex(self.0, FUNCTION, kind).is_null()
        }
    }

    /// Whether a call must not be moved under or out of conditions, since threads make it together.
    pub fn is_convergent(self) -> bool {
        self.call_attribute("convergent").is_some()
    }

    /// Whether a call reads and writes no memory, by its attributes.
    pub fn touches_no_memory(self) -> bool {
        self.memory_effects() == MemoryEffects::NONE
    }

    /// The minimum and maximum signed number that attributes and metadata say an argument or instruction may be.
    pub fn signed_range(self) -> Option<(i64, i64)> {
        self.range(ffi::Reading::Signed).map(|(min, max)| (min as i64, max as i64))
    }

    /// The minimum and maximum natural number that attributes and metadata say an argument or instruction may be.
    pub fn natural_range(self) -> Option<(u64, u64)> {
        self.range(ffi::Reading::Unsigned)
    }

    pub(super) fn range(self, reading: ffi::Reading) -> Option<(u64, u64)> {
        let (mut min, mut max) = (0, 0);
        self.ty().int_bits()?;
        unsafe { ffi::ipda_range(self.0, reading, &raw mut min, &raw mut max) }.then_some((min, max))
    }

    /// Whether a comparison of floats asks if the first is less (or equal), not greater; none where it asks something else.
    pub fn float_is_less(self) -> Option<bool> {
        use llvm_sys::LLVMRealPredicate::*;
        match unsafe { LLVMGetFCmpPredicate(self.0) } {
            LLVMRealOLT | LLVMRealOLE | LLVMRealULT | LLVMRealULE => Some(true),
            LLVMRealOGT | LLVMRealOGE | LLVMRealUGT | LLVMRealUGE => Some(false),
            _ => None,
        }
    }

    /// By which a comparison of floats compares.
    pub fn float_predicate(self) -> llvm_sys::LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// What an atomic update does.
    pub fn update_operation(self) -> u32 {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) as u32 }
    }

    /// By which a comparison of integers compares.
    pub fn int_predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }
}
