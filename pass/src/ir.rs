//! A read-mostly view of LLVM's IR: small copyable handles over the C interface.
//!
//! Invariant: a handle is used only while the function that holds its value exists. The plugin works on copies of
//! functions (`FunctionCopy`) that live until the end of a region's analysis, and LLVM is single-threaded here. Public
//! for the crate `ipda-executor` alone, which keeps the module that it walks through.

use crate::ffi::{self, RawLocation, SessionRef, Str};
use inkwell::module::Module;
use inkwell::values::AsValueRef;
use ipda_models::report::Location;
use llvm_sys::LLVMValueKind;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use llvm_sys::prelude::*;
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
pub use llvm_sys::{LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMTypeKind as TypeKind};
use std::ffi::{CStr, c_void};

/// Any value: instruction, argument, constant, function, global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(LLVMValueRef);

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(LLVMBasicBlockRef);

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Type(LLVMTypeRef);

/// Sizes and offsets of the module at hand.
#[derive(Debug, Clone, Copy)]
pub struct DataLayout(LLVMTargetDataRef);

fn some(raw: LLVMValueRef) -> Option<Value> {
    (!raw.is_null()).then_some(Value(raw))
}

// SAFETY of all calls below: the handle's value is alive (the module's invariant), and each function is called on the
// kind of value that it asks for, which the guards in front of it establish.
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

    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    fn kind(self) -> LLVMValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == LLVMValueKind::LLVMInstructionValueKind
    }

    pub fn is_argument(self) -> bool {
        self.kind() == LLVMValueKind::LLVMArgumentValueKind
    }

    pub fn is_global_variable(self) -> bool {
        self.kind() == LLVMValueKind::LLVMGlobalVariableValueKind
    }

    pub fn is_function(self) -> bool {
        self.kind() == LLVMValueKind::LLVMFunctionValueKind
    }

    pub fn is_null(self) -> bool {
        self.is_constant() && unsafe { LLVMIsNull(self.0) != 0 }
    }

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

    pub fn is(self, opcode: Opcode) -> bool {
        self.opcode() == Some(opcode)
    }

    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub fn operands(self) -> impl Iterator<Item = Value> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    /// The signed value of an integer constant of at most 64 bits.
    pub fn as_int(self) -> Option<i64> {
        (self.kind() == LLVMValueKind::LLVMConstantIntValueKind && self.ty().int_bits()? <= 64)
            .then(|| unsafe { LLVMConstIntGetSExtValue(self.0) })
    }

    /// The value of a constant of the type `float` or `double`.
    pub(crate) fn as_real(self) -> Option<f64> {
        let is_real = matches!(self.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
        let mut loses = 0;
        (self.kind() == LLVMValueKind::LLVMConstantFPValueKind && is_real)
            .then(|| unsafe { LLVMConstRealGetDouble(self.0, &mut loses) })
    }

    pub fn name(self) -> String {
        self.with_name(str::to_owned)
    }

    /// Looks at the name in its place. It must not change meanwhile.
    pub(crate) fn with_name<R>(self, look: impl FnOnce(&str) -> R) -> R {
        let mut len = 0;
        let data = unsafe { LLVMGetValueName2(self.0, &mut len) };
        let bytes = if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data.cast(), len) } };
        match str::from_utf8(bytes) {
            Ok(name) => look(name),
            Err(_) => look(&String::from_utf8_lossy(bytes)),
        }
    }

    /// Whether a direct call's function has a name that satisfies a condition.
    pub(crate) fn calls(self, is_wanted: impl FnOnce(&str) -> bool) -> bool {
        self.callee().is_some_and(|callee| callee.with_name(is_wanted))
    }

    /// The block of an instruction.
    pub fn block(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn next(self) -> Option<Value> {
        some(unsafe { LLVMGetNextInstruction(self.0) })
    }

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

    pub fn call_args(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|index| self.operand(index)).collect()
    }

    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

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
        const FUNCTION: u32 = u32::MAX;
        let (kind, mark) = ("llvm.loop", "llvm.loop.mustprogress");
        let attribute = "mustprogress";
        // SAFETY: `self` is an instruction in a function; operands are looked at as what they are.
        unsafe {
            let attribute = LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len());
            if !LLVMGetEnumAttributeAtIndex(self.block().function().0, FUNCTION, attribute).is_null() {
                return true;
            }
            let kind = LLVMGetMDKindID(kind.as_ptr().cast(), kind.len() as u32);
            let properties = metadata_operands(LLVMGetMetadata(self.0, kind));
            properties.into_iter().any(|property| {
                metadata_operands(property).first().is_some_and(|&name| {
                    let mut length = 0;
                    let text = if name.is_null() { std::ptr::null() } else { LLVMGetMDString(name, &raw mut length) };
                    !text.is_null() && std::slice::from_raw_parts(text.cast::<u8>(), length as usize) == mark.as_bytes()
                })
            })
        }
    }

    /// Which part of a structure an `extractvalue` takes, if it takes one of the structure's own parts.
    pub fn extracted_part(self) -> Option<u32> {
        if !self.is(Opcode::LLVMExtractValue) {
            return None;
        }
        // SAFETY: the instruction has this many indices.
        unsafe { (LLVMGetNumIndices(self.0) == 1).then(|| *LLVMGetIndices(self.0)) }
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

    /// Whether a load or store is volatile or atomic.
    pub fn is_volatile_or_atomic(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic;
        unsafe { LLVMGetVolatile(self.0) != 0 || LLVMGetOrdering(self.0) != LLVMAtomicOrderingNotAtomic }
    }

    /// Whether an atomic update orders nothing else.
    pub(crate) fn is_relaxed(self) -> bool {
        use llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic;
        unsafe { LLVMGetVolatile(self.0) == 0 && LLVMGetOrdering(self.0) == LLVMAtomicOrderingMonotonic }
    }

    /// The pointer that an address is computed from, behind index arithmetic and changes of the address space.
    pub(crate) fn base_of_address(self) -> Value {
        let mut base = self;
        while base.is(Opcode::LLVMGetElementPtr) || base.is(Opcode::LLVMAddrSpaceCast) {
            base = base.operand(0);
        }
        base
    }

    /// Whether a load or store is volatile.
    pub(crate) fn is_volatile(self) -> bool {
        unsafe { LLVMGetVolatile(self.0) != 0 }
    }

    /// The operation of an atomic update that commutes with itself, and whether its rounding depends on the order.
    pub(crate) fn commuting_update(self) -> Option<(&'static str, bool)> {
        use llvm_sys::LLVMAtomicRMWBinOp::*;
        Some(match unsafe { LLVMGetAtomicRMWBinOp(self.0) } {
            LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub => ("add", false),
            LLVMAtomicRMWBinOpAnd => ("and", false),
            LLVMAtomicRMWBinOpOr => ("or", false),
            LLVMAtomicRMWBinOpXor => ("xor", false),
            LLVMAtomicRMWBinOpMax => ("max", false),
            LLVMAtomicRMWBinOpMin => ("min", false),
            LLVMAtomicRMWBinOpUMax => ("unsigned max", false),
            LLVMAtomicRMWBinOpUMin => ("unsigned min", false),
            LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub => ("float add", true),
            LLVMAtomicRMWBinOpFMax => ("float max", false),
            LLVMAtomicRMWBinOpFMin => ("float min", false),
            _ => return None,
        })
    }

    /// The target of a function's module.
    pub(crate) fn target_triple(self) -> String {
        unsafe { CStr::from_ptr(LLVMGetTarget(LLVMGetGlobalParent(self.0))).to_string_lossy().into_owned() }
    }

    /// Whether a function must stay as it is, since it is compiled without optimisation.
    pub(crate) fn is_not_optimised(self) -> bool {
        const FUNCTION: u32 = u32::MAX;
        let name = "optnone";
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.0, FUNCTION, kind).is_null()
        }
    }

    /// Whether an argument is marked as leading to memory to which nothing else leads.
    pub(crate) fn is_noalias(self) -> bool {
        if !self.is_argument() {
            return false;
        }
        unsafe {
            let function = Value(LLVMGetParamParent(self.0));
            let Some(position) = function.params().into_iter().position(|param| param == self) else { return false };
            let name = "noalias";
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(function.0, position as u32 + 1, kind).is_null()
        }
    }

    /// Whether a call has an attribute, by itself or by its function.
    fn call_attribute(self, name: &str) -> Option<u64> {
        const FUNCTION: u32 = u32::MAX;
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let own = LLVMGetCallSiteEnumAttribute(self.0, FUNCTION, kind);
            let found = match self.callee() {
                Some(callee) if own.is_null() => LLVMGetEnumAttributeAtIndex(callee.0, FUNCTION, kind),
                _ => own,
            };
            (!found.is_null()).then(|| LLVMGetEnumAttributeValue(found))
        }
    }

    /// Whether a call must not be moved under or out of conditions, since threads make it together.
    pub(crate) fn is_convergent(self) -> bool {
        self.call_attribute("convergent").is_some()
    }

    /// Whether a call reads and writes no memory, by its attributes.
    pub(crate) fn touches_no_memory(self) -> bool {
        self.call_attribute("memory") == Some(0)
    }

    /// The least and the greatest signed number that attributes and metadata say an argument or instruction may be.
    pub(crate) fn signed_range(self) -> Option<(i64, i64)> {
        self.range(ffi::Reading::Signed).map(|(least, greatest)| (least as i64, greatest as i64))
    }

    /// The least and the greatest natural number that attributes and metadata say an argument or instruction may be.
    pub(crate) fn natural_range(self) -> Option<(u64, u64)> {
        self.range(ffi::Reading::Unsigned)
    }

    fn range(self, reading: ffi::Reading) -> Option<(u64, u64)> {
        let (mut least, mut greatest) = (0, 0);
        self.ty().int_bits()?;
        unsafe { ffi::ipda_range(self.0, reading, &raw mut least, &raw mut greatest) }.then_some((least, greatest))
    }

    /// Whether a comparison of floats asks if the first is less (or equal), not greater; none where it asks something else.
    pub(crate) fn float_is_less(self) -> Option<bool> {
        use llvm_sys::LLVMRealPredicate::*;
        match unsafe { LLVMGetFCmpPredicate(self.0) } {
            LLVMRealOLT | LLVMRealOLE | LLVMRealULT | LLVMRealULE => Some(true),
            LLVMRealOGT | LLVMRealOGE | LLVMRealUGT | LLVMRealUGE => Some(false),
            _ => None,
        }
    }

    pub(crate) fn float_predicate(self) -> llvm_sys::LLVMRealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    /// What an atomic update does.
    pub(crate) fn update_operation(self) -> u32 {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) as u32 }
    }

    pub fn int_predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// The type that a getelementptr indexes.
    pub fn gep_source(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Pairs of value and predecessor of a phi.
    /// A phi has the block of a switch once for each case that leads here, always with the same value: it is named once.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        let mut incoming = Vec::new();
        for index in 0..unsafe { LLVMCountIncoming(self.0) } {
            let edge =
                unsafe { (Value(LLVMGetIncomingValue(self.0, index)), Block(LLVMGetIncomingBlock(self.0, index))) };
            if !incoming.contains(&edge) {
                incoming.push(edge);
            }
        }
        incoming
    }

    /// As LLVM writes it.
    pub(crate) fn print(self) -> String {
        unsafe {
            let text = LLVMPrintValueToString(self.0);
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeMessage(text);
            owned
        }
    }

    pub fn successors(self) -> Vec<Block> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|index| Block(unsafe { LLVMGetSuccessor(self.0, index) }))
            .collect()
    }

    /// The condition of a conditional branch or the value of a switch.
    pub fn branch_condition(self) -> Option<Value> {
        match self.opcode() {
            Some(Opcode::LLVMBr) => {
                (unsafe { LLVMIsConditional(self.0) } != 0).then(|| Value(unsafe { LLVMGetCondition(self.0) }))
            }
            Some(Opcode::LLVMSwitch) => Some(self.operand(0)),
            _ => None,
        }
    }

    /// The cases of a switch; the default destination is successor 0.
    pub fn switch_cases(self) -> Vec<(Value, Block)> {
        let successors = self.successors();
        (1..successors.len()).map(|index| (self.operand(2 * index as u32), successors[index])).collect()
    }

    pub fn address_space(self) -> u32 {
        unsafe { LLVMGetPointerAddressSpace(LLVMTypeOf(self.0)) }
    }

    /// The size of the local variable that a pointer is the start of.
    pub(crate) fn allocated_bytes(self, layout: DataLayout) -> Option<u64> {
        match self.opcode()? {
            Opcode::LLVMAlloca => {
                let count = u64::try_from(self.operand(0).as_int()?).ok()?;
                layout.alloc_size(Type(unsafe { LLVMGetAllocatedType(self.0) })).checked_mul(count)
            }
            Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast => self.operand(0).allocated_bytes(layout),
            _ => None,
        }
    }

    /// Whether a value is a global variable that is never written.
    pub(crate) fn is_constant_global(self) -> bool {
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether the linker may not put another variable in a global variable's place.
    pub(crate) fn has_definitive_initializer(self) -> bool {
        use llvm_sys::LLVMLinkage::*;
        let is_own = |linkage| {
            matches!(
                linkage,
                LLVMInternalLinkage
                    | LLVMPrivateLinkage
                    | LLVMExternalLinkage
                    | LLVMLinkOnceODRLinkage
                    | LLVMWeakODRLinkage
            )
        };
        self.initializer().is_some()
            && unsafe { LLVMIsExternallyInitialized(self.0) == 0 && is_own(LLVMGetLinkage(self.0)) }
    }

    pub fn initializer(self) -> Option<Value> {
        if !self.is_global_variable() {
            return None;
        }
        some(unsafe { LLVMGetInitializer(self.0) })
    }

    /// The bytes of a constant string.
    pub fn string_bytes(self) -> Option<&'static [u8]> {
        unsafe {
            if LLVMIsConstantString(self.0) == 0 {
                return None;
            }
            let mut len = 0;
            let data = LLVMGetAsString(self.0, &mut len);
            Some(std::slice::from_raw_parts(data.cast(), len))
        }
    }

    /// An element of a constant aggregate.
    pub fn aggregate_element(self, index: u32) -> Option<Value> {
        some(unsafe { LLVMGetAggregateElement(self.0, index) })
    }

    /// Instructions that use the value.
    pub fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut next = unsafe { LLVMGetFirstUse(self.0) };
        while !next.is_null() {
            users.push(Value(unsafe { LLVMGetUser(next) }));
            next = unsafe { LLVMGetNextUse(next) };
        }
        users
    }

    // Of functions.

    pub fn params(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|index| Value(unsafe { LLVMGetParam(self.0, index) })).collect()
    }

    /// Whether a function has the calling convention of a kernel.
    pub fn is_gpu_kernel(self) -> bool {
        const PTX_KERNEL: u32 = 71;
        const AMDGPU_KERNEL: u32 = 91;
        matches!(unsafe { LLVMGetFunctionCallConv(self.0) }, PTX_KERNEL | AMDGPU_KERNEL)
    }

    /// The team's extents in x, y and z that `!reqd_work_group_size` asks for.
    pub(crate) fn required_team_shape(self) -> [Option<u32>; 3] {
        let mut shape = [0; 3];
        if unsafe { ffi::ipda_required_team_shape(self.0, shape.as_mut_ptr()) } { shape.map(Some) } else { [None; 3] }
    }

    pub fn blocks(self) -> Vec<Block> {
        let mut blocks = vec![];
        let mut next = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !next.is_null() {
            blocks.push(Block(next));
            next = unsafe { LLVMGetNextBasicBlock(next) };
        }
        blocks
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        self.blocks().into_iter().flat_map(Block::instructions)
    }

    /// Where a function that has code begins.
    pub(crate) fn first_instruction(self) -> Option<Value> {
        some(unsafe { LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(self.0)) })
    }

    /// How many instructions a function has.
    pub(crate) fn instruction_count(self) -> usize {
        unsafe { ffi::ipda_instruction_count(self.0) }
    }

    /// Whether a direct call or its callee marks a parameter as the only way to what it points to.
    pub(crate) fn promises_noalias(self) -> bool {
        let name = "noalias";
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            (1..=LLVMGetNumArgOperands(self.0)).any(|at| {
                !LLVMGetCallSiteEnumAttribute(self.0, at, kind).is_null()
                    || self.callee().is_some_and(|callee| !LLVMGetEnumAttributeAtIndex(callee.0, at, kind).is_null())
            })
        }
    }

    /// The source place of an instruction.
    pub fn location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_location(self.0, out) })
    }

    /// The instruction's own place, then those of the calls that were inlined around it.
    fn places(self) -> Vec<SourcePlace> {
        extern "C" fn collect(context: *mut c_void, place: *const ffi::RawPlace) {
            // SAFETY: `context` is the vector below; the strings belong to metadata of the living module.
            unsafe {
                let ffi::RawPlace { at, function, system } = &*place;
                let location = (at.line != 0 && !system).then(|| to_location(at));
                let place = SourcePlace { location, function: function.to_string(), calls_made: false };
                (*context.cast::<Vec<SourcePlace>>()).push(place);
            }
        }
        let mut places: Vec<SourcePlace> = Vec::new();
        unsafe { ffi::ipda_places(self.0, (&raw mut places).cast(), collect) };
        places
    }

    /// The source variable that a normalised loop counter is, as `FunctionCopy::canonicalise` noted it.
    pub(crate) fn counter_name(self) -> Option<String> {
        let mut name = Str::new("");
        // SAFETY: the string belongs to metadata of the living module.
        unsafe { ffi::ipda_counter_name(self.0, &mut name).then(|| name.to_string()) }
    }

    /// The source place of the loop whose back edge is this terminator.
    pub fn loop_location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_loop_location(self.0, out) })
    }

    /// The source place of a function.
    pub fn function_location(self) -> Option<Location> {
        locate(|out| unsafe { ffi::ipda_function_location(self.0, out) })
    }
}

/// A file's name as it leads to the file from here: debug information gives it relative to a folder of its own choice.
fn reachable(directory: &str, file: String) -> String {
    static HERE: std::sync::OnceLock<Option<std::path::PathBuf>> = std::sync::OnceLock::new();
    let here = HERE.get_or_init(|| std::env::current_dir().ok());
    let is_here = directory.is_empty() || directory == "." || here.as_deref() == Some(std::path::Path::new(directory));
    if is_here || file.starts_with('/') { file } else { format!("{directory}/{file}") }
}

/// Reads a location through one of the shim's functions.
fn locate(fill: impl FnOnce(*mut RawLocation) -> bool) -> Option<Location> {
    let mut raw = RawLocation::none();
    // SAFETY: the strings belong to metadata of the living module.
    fill(&mut raw).then(|| unsafe { to_location(&raw) })
}

/// # Safety
/// The owner still holds the strings.
unsafe fn to_location(raw: &RawLocation) -> Location {
    // SAFETY: by the caller's promise.
    let (directory, file) = unsafe { (raw.directory.to_string(), raw.file.to_string()) };
    Location { file: reachable(&directory, file), line: raw.line, column: raw.column }
}

/// A place in the source that an instruction comes from.
struct SourcePlace {
    /// None for code without a line, and for code in system headers.
    location: Option<Location>,
    function: String,
    /// Whether what is called here was made by the compiler, or belongs to a runtime library.
    calls_made: bool,
}

/// Where an instruction was called from: the places of the calls of the user's functions around it, the nearest first. `frames` are
/// the instruction and the calls that are running around it, the nearest first; calls that were inlined around each are seen by
/// themselves. Calls of what clang made of OpenMP's constructs are left out, and places in system headers.
pub fn called_from(frames: &[Value]) -> Vec<Location> {
    let mut places: Vec<SourcePlace> = Vec::new();
    for (depth, frame) in frames.iter().enumerate() {
        let first = places.len();
        places.extend(frame.places());
        if let (Some(call), Some(inner)) = (places.get_mut(first), depth.checked_sub(1)) {
            let callee = frames[inner].block().function().name();
            call.calls_made = crate::omp::is_made_by_compiler(&callee) || crate::omp::is_runtime_name(&callee);
        }
    }
    // In code from a system header the instruction itself is the user's call of that code, as in [`Value::location`].
    let own = places.iter().position(|place| place.location.is_some()).unwrap_or(places.len());
    let is_forwarded = |at: usize| places[at - 1].function.strip_suffix("_debug__") == Some(&places[at].function);
    (own + 1..places.len())
        .filter(|&at| !places[at].calls_made && !is_forwarded(at))
        .filter_map(|at| places[at].location.clone())
        .collect()
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Block {
    /// The handle of a block that LLVM's C interface returned.
    ///
    /// # Safety
    /// The block exists as long as the handle is used.
    pub(crate) unsafe fn from_raw(raw: LLVMBasicBlockRef) -> Block {
        Block(raw)
    }

    /// The block for LLVM's C interface.
    pub fn raw(self) -> LLVMBasicBlockRef {
        self.0
    }

    pub fn instructions(self) -> impl Iterator<Item = Value> {
        std::iter::successors(some(unsafe { LLVMGetFirstInstruction(self.0) }), |value| value.next())
    }

    pub fn phis(self) -> impl Iterator<Item = Value> {
        self.instructions().take_while(|value| value.is(Opcode::LLVMPHI))
    }

    pub fn function(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockParent(self.0) })
    }

    pub fn terminator(self) -> Option<Value> {
        some(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}

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

    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn int_bits(self) -> Option<u32> {
        (self.kind() == TypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.0) })
    }

    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::LLVMPointerTypeKind
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// The type of one of a vector's elements, and how many there are; of anything else, itself.
    pub(crate) fn scalar(self) -> (Type, u64) {
        match self.kind() {
            TypeKind::LLVMVectorTypeKind => (self.element(), unsafe { LLVMGetVectorSize(self.0) }.into()),
            _ => (self, 1),
        }
    }

    /// How many elements an array has.
    pub(crate) fn array_length(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    /// How many fields a structure has.
    pub(crate) fn field_count(self) -> u32 {
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// A field of a structure.
    pub fn field(self, index: u32) -> Type {
        Type(unsafe { LLVMStructGetTypeAtIndex(self.0, index) })
    }

    /// Whether it is a pointer to the generic address space.
    pub(crate) fn is_generic_pointer(self) -> bool {
        self.is_pointer() && unsafe { LLVMGetPointerAddressSpace(self.0) == 0 }
    }

    /// Whether it is an array of pointers to the generic address space.
    pub(crate) fn is_array_of_pointers(self) -> bool {
        self.kind() == TypeKind::LLVMArrayTypeKind && self.element().is_generic_pointer()
    }

    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::LLVMVoidTypeKind
    }

    /// As LLVM writes it; of a structure its members.
    pub(crate) fn definition(self) -> String {
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
        match self.kind() {
            TypeKind::LLVMIntegerTypeKind => format!("i{}", self.int_bits().unwrap_or(0)),
            TypeKind::LLVMFloatTypeKind => "float".into(),
            TypeKind::LLVMDoubleTypeKind => "double".into(),
            TypeKind::LLVMHalfTypeKind => "half".into(),
            TypeKind::LLVMPointerTypeKind => "pointer".into(),
            TypeKind::LLVMStructTypeKind => "struct".into(),
            TypeKind::LLVMArrayTypeKind => "array".into(),
            _ => "value".into(),
        }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl DataLayout {
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

    pub fn field_offset(self, structure: Type, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, structure.0, field) }
    }
}

/// What NVIDIA's annotations say of a function.
pub(crate) struct Annotation {
    pub function: Value,
    pub key: String,
    pub value: i64,
}

/// The entries of `!nvvm.annotations`: a function, then keys with numbers.
#[allow(clippy::undocumented_unsafe_blocks)] // the module outlives the call, and each kind of operand is asked for before it is read
pub(crate) fn nvvm_annotations(module: &Module<'_>) -> Vec<Annotation> {
    let name = c"nvvm.annotations".as_ptr();
    let operands = |node: LLVMValueRef| {
        let mut operands = vec![std::ptr::null_mut(); unsafe { LLVMGetMDNodeNumOperands(node) } as usize];
        unsafe { LLVMGetMDNodeOperands(node, operands.as_mut_ptr()) };
        operands
    };
    let mut nodes =
        vec![std::ptr::null_mut(); unsafe { LLVMGetNamedMetadataNumOperands(module.as_mut_ptr(), name) } as usize];
    unsafe { LLVMGetNamedMetadataOperands(module.as_mut_ptr(), name, nodes.as_mut_ptr()) };
    let mut annotations = Vec::new();
    for node in nodes {
        let operands = operands(node);
        let Some((&function, pairs)) = operands.split_first() else { continue };
        let Some(function) = some(function).filter(|function| function.is_function()) else { continue };
        for pair in pairs.chunks_exact(2) {
            let mut len = 0;
            let text = if pair[0].is_null() { std::ptr::null() } else { unsafe { LLVMGetMDString(pair[0], &mut len) } };
            let value = some(pair[1]).and_then(Value::as_int);
            if let (false, Some(value)) = (text.is_null(), value) {
                let key = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len as usize) };
                annotations.push(Annotation { function, key: String::from_utf8_lossy(key).into_owned(), value });
            }
        }
    }
    annotations
}

/// Values that are made meanwhile get no names.
pub(crate) struct Nameless {
    context: LLVMContextRef,
    before: i32,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the module's context outlives the run
impl Nameless {
    pub(crate) fn new(module: &Module<'_>) -> Nameless {
        let context = unsafe { LLVMGetModuleContext(module.as_mut_ptr()) };
        let before = unsafe { LLVMContextShouldDiscardValueNames(context) };
        unsafe { LLVMContextSetDiscardValueNames(context, 1) };
        Nameless { context, before }
    }
}

impl Drop for Nameless {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above
    fn drop(&mut self) {
        unsafe { LLVMContextSetDiscardValueNames(self.context, self.before) }
    }
}

/// Removes declarations that LLVM's own passes added to a module while copies were worked on.
pub(crate) struct DeclarationGuard {
    module: LLVMModuleRef,
    last: LLVMValueRef,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the module outlives the run
impl DeclarationGuard {
    pub(crate) fn new(module: &Module<'_>) -> DeclarationGuard {
        let module = module.as_mut_ptr();
        DeclarationGuard { module, last: unsafe { LLVMGetLastFunction(module) } }
    }
}

impl Drop for DeclarationGuard {
    #[allow(clippy::undocumented_unsafe_blocks)] // as above; the copies that used the declarations are gone
    fn drop(&mut self) {
        unsafe {
            loop {
                let added = LLVMGetLastFunction(self.module);
                if added == self.last || LLVMIsDeclaration(added) == 0 || !LLVMGetFirstUse(added).is_null() {
                    return;
                }
                LLVMDeleteFunction(added);
            }
        }
    }
}

/// What becomes of the mark on parameters that nothing else leads to what they point to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoAlias {
    Believed,
    Forgotten,
}

/// A copy of a function for analysis, removed from the module when dropped.
pub(crate) struct FunctionCopy {
    session: SessionRef,
    function: Value,
    lacks_stores: bool,
}

#[allow(clippy::undocumented_unsafe_blocks)] // the copy is alive, and the session outlives the run
impl FunctionCopy {
    pub(crate) fn new(session: SessionRef, original: Value) -> FunctionCopy {
        FunctionCopy { session, function: Value(unsafe { ffi::ipda_clone_function(original.0) }), lacks_stores: false }
    }

    /// A function that does nothing but a call like the given one of a runtime function that starts code: what is handed to that code are its
    /// parameters.
    pub(crate) fn around(session: SessionRef, call: Value) -> FunctionCopy {
        FunctionCopy { session, function: Value(unsafe { ffi::ipda_function_around(call.0) }), lacks_stores: false }
    }

    pub(crate) fn function(&self) -> Value {
        self.function
    }

    /// Memory to registers.
    pub(crate) fn promote(&self) {
        unsafe { ffi::ipda_promote(self.session, self.function.0) }
    }

    /// Memory to registers, simplified control flow, loops in simplified form.
    pub(crate) fn canonicalise(&mut self) {
        self.lacks_stores |= unsafe { ffi::ipda_canonicalise(self.session, self.function.0) };
    }

    /// Whether the original stores where the copy does not, since that changes nothing as long as no other thread stores there.
    pub(crate) fn lacks_stores(&self) -> bool {
        self.lacks_stores
    }

    /// Simplifies the arithmetic of a copy in canonical form, as LLVM's pipeline will do it with the original.
    pub(crate) fn simplify(&self) {
        unsafe { ffi::ipda_simplify(self.session, self.function.0) }
    }

    /// Whether a value that the loop with this header computes needs a division in each iteration, as far as LLVM's algebra tells.
    pub(crate) fn needs_division(&self, value: Value, header: Block) -> bool {
        unsafe { ffi::ipda_needs_division(self.session, value.0, header.0) }
    }

    /// Replaces a call by a copy of its callee's body, and returns the calls in that, other than of intrinsics, in program order; none
    /// where LLVM refuses.
    pub(crate) fn inline(&self, call: Value, noalias: NoAlias) -> Option<Vec<Value>> {
        extern "C" fn collect(context: *mut c_void, call: LLVMValueRef) {
            // SAFETY: `context` is the vector below.
            unsafe { (*context.cast::<Vec<Value>>()).push(Value(call)) }
        }
        let mut calls: Vec<Value> = Vec::new();
        let believe = noalias == NoAlias::Believed;
        unsafe { ffi::ipda_inline_call(call.0, believe, (&raw mut calls).cast(), collect) }.then_some(calls)
    }

    /// Whether an instruction of `blocks`, other than those of `except`, may write the memory that `reader`, a load or a block copy,
    /// reads. Its address is taken to be the same throughout.
    pub(crate) fn may_be_written(&self, reader: Value, blocks: impl Iterator<Item = Block>, except: &[Value]) -> bool {
        let blocks: Vec<LLVMBasicBlockRef> = blocks.map(|block| block.0).collect();
        let except: Vec<LLVMValueRef> = except.iter().map(|value| value.0).collect();
        unsafe {
            let (blocks, count) = (blocks.as_ptr(), blocks.len());
            ffi::ipda_may_be_written(self.session, reader.0, blocks, count, except.as_ptr(), except.len())
        }
    }

    /// The last write, before `place`, of what `reader`, a load or a block copy, reads. It dominates the place. None where nothing is
    /// known.
    pub(crate) fn last_write(&self, reader: Value, place: Place) -> Option<Write> {
        let (no_value, no_block) = (std::ptr::null_mut(), std::ptr::null_mut());
        let (past, merge, from) = match place {
            Place::Reader => (no_value, no_block, no_block),
            Place::Before(write) => (write.0, no_block, no_block),
            Place::Edge { from, to } => (no_value, to.0, from.0),
        };
        let mut raw = ffi::RawWrite { kind: 0, instruction: no_value, block: no_block };
        if !unsafe { ffi::ipda_last_write(self.session, reader.0, past, merge, from, &mut raw) } {
            return None;
        }
        match raw.kind {
            0 => Some(Write::Nothing),
            1 => some(raw.instruction).map(Write::Instruction),
            _ => Some(Write::Merge(Block(raw.block))),
        }
    }

    /// The source variables that the function's values hold, in program order, but clang's own, of which only a loop's number is asked for.
    pub(crate) fn variables(&self) -> Vec<Variable> {
        extern "C" fn collect(context: *mut c_void, value: LLVMValueRef, variable: *const ffi::RawVariable) {
            // SAFETY: `context` is the vector below; the variable and its name live during the call.
            unsafe {
                let variables = &mut *context.cast::<Vec<Variable>>();
                let ffi::RawVariable { name, depth, artificial, scope, ty } = &*variable;
                if *artificial && name.starts_with(b".") && !name.starts_with(crate::names::NUMBER.as_bytes()) {
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
        let mut variables: Vec<Variable> = Vec::new();
        unsafe { ffi::ipda_variables(self.function.0, (&raw mut variables).cast(), collect) }
        variables
    }
}

/// A place from which to look for a write.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// The reader itself.
    Reader,
    /// In front of a write.
    Before(Value),
    /// The edge between blocks, where [`Write::Merge`] of the second was found. Along a back edge, any write to the same object is
    /// found.
    Edge { from: Block, to: Block },
}

/// A place in the source with the calls that were inlined around it, or none. Code that is inlined for a call without a place keeps its own
/// places alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodePlace(LLVMMetadataRef);

impl CodePlace {
    pub(crate) const NONE: CodePlace = CodePlace(std::ptr::null_mut());
}

/// How memory got its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Write {
    /// Nothing in the function wrote it.
    Nothing,
    /// The instruction may have.
    Instruction(Value),
    /// On different ways into the block, different instructions may have.
    Merge(Block),
}

/// A source variable that a value holds.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub value: Value,
    pub name: String,
    /// Inlined calls around the variable's scope.
    pub depth: u32,
    /// Made by the compiler.
    pub artificial: bool,
    /// The identity of the scope.
    pub scope: usize,
    pub ty: SourceType,
}

/// A type of the source, from debug information.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceType(*const c_void);

impl SourceType {
    /// The member that lies `offset` bytes into what the type, a pointer or a structure, leads to.
    pub(crate) fn member(self, offset: u64) -> Option<(String, SourceType)> {
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
        unsafe { ffi::ipda_discard_function(self.session, self.function.0) }
    }
}

/// Builds instructions in a copy.
pub(crate) struct Builder(LLVMBuilderRef);

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Builder {
    /// A builder that inserts before `instruction` and gives new instructions its source place.
    pub(crate) fn before(instruction: Value) -> Builder {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(instruction.0));
            let builder = LLVMCreateBuilderInContext(context);
            LLVMPositionBuilderBefore(builder, instruction.0);
            LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction.0));
            Builder(builder)
        }
    }

    /// A local variable, as a pointer to the generic address space.
    pub(crate) fn alloca(&self, ty: Type) -> Value {
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
    pub(crate) fn alloca_bytes(&self, size: Value, bytes: u64) -> Value {
        // SAFETY: as for Value.
        let array = unsafe { LLVMArrayType2(LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(size.0))), bytes) };
        self.alloca(Type(array))
    }

    pub(crate) fn load(&self, ty: Type, address: Value) -> Value {
        Value(unsafe { LLVMBuildLoad2(self.0, ty.0, address.0, c"".as_ptr()) })
    }

    /// The element `index` of an array of pointers.
    pub(crate) fn pointer_slot(&self, array: Value, index: u64) -> Value {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(array.0));
            let pointer = LLVMPointerTypeInContext(context, 0);
            let mut index = LLVMConstInt(LLVMInt64TypeInContext(context), index, 0);
            Value(LLVMBuildInBoundsGEP2(self.0, pointer, array.0, &mut index, 1, c"".as_ptr()))
        }
    }

    /// A pointer as a load of a type of numbers finds it in memory.
    pub(crate) fn pointer_as(&self, pointer: Value, ty: Type) -> Value {
        match ty.int_bits() {
            Some(_) => Value(unsafe { LLVMBuildPtrToInt(self.0, pointer.0, ty.0, c"".as_ptr()) }),
            None => pointer,
        }
    }

    /// Writes a pointer down where nothing may be left out: from here on, calls that are not known may write to what it leads to.
    pub(crate) fn let_escape(&self, pointer: Value, to: Value) {
        unsafe {
            let store = LLVMBuildStore(self.0, pointer.0, to.0);
            LLVMSetVolatile(store, 1);
        }
    }

    /// The same pointer in a form that memory promotion does not see through.
    pub(crate) fn hide_pointer(&self, pointer: Value) -> Value {
        unsafe {
            let context = LLVMGetTypeContext(LLVMTypeOf(pointer.0));
            let number = LLVMBuildPtrToInt(self.0, pointer.0, LLVMInt64TypeInContext(context), c"".as_ptr());
            Value(LLVMBuildIntToPtr(self.0, number, LLVMTypeOf(pointer.0), c"".as_ptr()))
        }
    }

    pub(crate) fn call(&self, callee: Value, args: &[Value]) -> Value {
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

/// Edits of copies.
#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    pub(crate) fn replace_all_uses(self, with: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }

    /// The place of an instruction, for another instruction to have.
    pub(crate) fn place(self) -> CodePlace {
        CodePlace(unsafe { LLVMInstructionGetDebugLoc(self.0) })
    }

    pub(crate) fn set_place(self, place: CodePlace) {
        unsafe { LLVMInstructionSetDebugLoc(self.0, place.0) }
    }

    pub(crate) fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Removes a function that nothing alive refers to.
    pub(crate) fn erase_function(self) {
        unsafe { LLVMDeleteFunction(self.0) }
    }

    /// The pointers in an array that a call is given, where each was stored there once, in front of the call. The array is then no more.
    pub(crate) fn take_pointers(self, array: Value, count: usize) -> Option<Vec<Value>> {
        let mut pointers: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); count];
        let found = unsafe { ffi::ipda_take_pointers(self.0, array.0, pointers.as_mut_ptr(), count) };
        found.then(|| pointers.into_iter().map(Value).collect())
    }

    pub(crate) fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    pub(crate) fn has_operand(self, value: Value) -> bool {
        self.operands().any(|operand| operand == value)
    }

    /// Whether an instruction only computes: a number from numbers, or an address.
    pub(crate) fn is_cast_or_arithmetic(self) -> bool {
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
    pub(crate) fn replace_operand(self, old: Value, new: Value) {
        for index in (0..self.operand_count()).filter(|&index| self.operand(index) == old) {
            self.set_operand(index, new);
        }
    }

    pub(crate) fn null_of(ty: Type) -> Value {
        Value(unsafe { LLVMConstNull(ty.0) })
    }

    pub(crate) fn int_of(ty: Type, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(ty.0, value, 0) })
    }

    pub(crate) fn i32_type(self) -> Type {
        Type(unsafe { LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(self.0))) })
    }

    /// Whether a call may write memory, by its attributes.
    pub(crate) fn call_may_write(self) -> bool {
        unsafe {
            let kind = |name: &str| LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            const FUNCTION: u32 = u32::MAX;
            let memory = kind("memory");
            for attribute in [
                LLVMGetCallSiteEnumAttribute(self.0, FUNCTION, memory),
                self.callee()
                    .map_or(std::ptr::null_mut(), |callee| LLVMGetEnumAttributeAtIndex(callee.0, FUNCTION, memory)),
            ] {
                // Two bits a location, the upper of the two: may modify.
                if !attribute.is_null() && LLVMGetEnumAttributeValue(attribute) & 0b10_10_10 == 0 {
                    return false;
                }
            }
            true
        }
    }
}

/// Whether the types of two accesses say that they never meet in memory (strict aliasing).
pub(crate) fn types_differ(first: Value, second: Value) -> bool {
    // SAFETY: both are instructions that are alive.
    unsafe { ffi::ipda_types_differ(first.0, second.0) }
}

/// The operands of a metadata node, null ones too; none where it is no node.
///
/// # Safety
/// `node` is null or metadata as a value.
pub(crate) unsafe fn metadata_operands(node: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: by the caller's promise; the second call writes as many as the first tells.
    unsafe {
        if node.is_null() || LLVMIsAMDNode(node).is_null() {
            return Vec::new();
        }
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
        LLVMGetMDNodeOperands(node, operands.as_mut_ptr());
        operands
    }
}

/// The function name in the source of a mangled name.
pub fn demangle(mangled: &str) -> String {
    extern "C" fn store(context: *mut c_void, name: Str) {
        // SAFETY: `context` is the string below; the shim's string lives during the call.
        unsafe { *context.cast::<String>() = name.to_string() }
    }
    let mut name = String::new();
    // SAFETY: the callback runs during the call only.
    unsafe { ffi::ipda_demangle(Str::new(mangled), (&raw mut name).cast(), store) }
    name
}
