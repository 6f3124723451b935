//! What the executor asks of LLVM's IR beyond what the plugin's own view of it gives. One of the two files of the crate with `unsafe` code; the other is `source_types/nodes.rs`.
//!
//! SAFETY of all calls below: handles are used only while their module exists, and each function is called on the kind of value that it
//! asks for, which the callers establish by the opcode or the type.
#![allow(clippy::undocumented_unsafe_blocks)]

use crate::program::Ordering;
use inkwell::module::Module;
use inkwell::values::AsValueRef;
use ipda_llvm::{Type, Value};
use llvm_sys::core::*;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::LLVMTypeRef;
use llvm_sys::transforms::pass_builder::{LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses};
pub(crate) use llvm_sys::{LLVMAtomicRMWBinOp as RmwOp, LLVMRealPredicate as FloatPredicate};
use rustc_hash::FxHashSet;
use std::ffi::{CStr, CString};

/// The callee of a call, whatever it is.
pub(crate) fn called(call: Value) -> Value {
    unsafe { Value::from_raw(LLVMGetCalledValue(call.raw())) }
}

pub(crate) fn return_type(function_type: Type) -> Type {
    unsafe { Type::from_raw(LLVMGetReturnType(function_type.raw())) }
}

/// The type of a function, not of the pointer to it.
pub(crate) fn value_type(global: Value) -> Type {
    unsafe { Type::from_raw(LLVMGlobalGetValueType(global.raw())) }
}

pub(crate) fn float_predicate(value: Value) -> FloatPredicate {
    unsafe { LLVMGetFCmpPredicate(value.raw()) }
}

pub(crate) fn rmw_op(value: Value) -> RmwOp {
    unsafe { LLVMGetAtomicRMWBinOp(value.raw()) }
}

fn ordering_of(raw: llvm_sys::LLVMAtomicOrdering) -> Ordering {
    use llvm_sys::LLVMAtomicOrdering::*;
    match raw {
        LLVMAtomicOrderingNotAtomic => Ordering::NotAtomic,
        LLVMAtomicOrderingUnordered | LLVMAtomicOrderingMonotonic => Ordering::Relaxed,
        LLVMAtomicOrderingAcquire => Ordering::Acquire,
        LLVMAtomicOrderingRelease => Ordering::Release,
        LLVMAtomicOrderingAcquireRelease | LLVMAtomicOrderingSequentiallyConsistent => Ordering::AcquireRelease,
    }
}

/// Of a load, store, fence or read-modify-write operation.
pub(crate) fn ordering(value: Value) -> Ordering {
    ordering_of(unsafe { LLVMGetOrdering(value.raw()) })
}

/// Of a compare-exchange that succeeds, and of one that does not.
pub(crate) fn exchange_orderings(value: Value) -> (Ordering, Ordering) {
    let (success, failure) =
        unsafe { (LLVMGetCmpXchgSuccessOrdering(value.raw()), LLVMGetCmpXchgFailureOrdering(value.raw())) };
    (ordering_of(success), ordering_of(failure))
}

pub(crate) fn alignment(value: Value) -> u32 {
    unsafe { LLVMGetAlignment(value.raw()) }
}

pub(crate) fn allocated_type(alloca: Value) -> Type {
    unsafe { Type::from_raw(LLVMGetAllocatedType(alloca.raw())) }
}

/// The indices of an `extractvalue` or `insertvalue`.
pub(crate) fn indices(value: Value) -> Vec<u32> {
    unsafe {
        let count = LLVMGetNumIndices(value.raw()) as usize;
        std::slice::from_raw_parts(LLVMGetIndices(value.raw()), count).to_vec()
    }
}

/// The mask of a `shufflevector`; negative where any value does.
pub(crate) fn shuffle_mask(value: Value) -> Vec<i32> {
    unsafe { (0..LLVMGetNumMaskElements(value.raw())).map(|index| LLVMGetMaskValue(value.raw(), index)).collect() }
}

/// The bits of a floating-point constant of type `float` or `double`.
pub(crate) fn float_bits(value: Value) -> u64 {
    let mut lost = 0;
    let number = unsafe { LLVMConstRealGetDouble(value.raw(), &mut lost) };
    if value.ty().kind() == llvm_sys::LLVMTypeKind::LLVMFloatTypeKind {
        u64::from((number as f32).to_bits())
    } else {
        number.to_bits()
    }
}

/// An integer constant of up to 128 bits.
pub(crate) fn wide_int(value: Value) -> u128 {
    let bits = value.ty().int_bits().unwrap_or(64);
    if bits <= 64 {
        return u128::from(unsafe { LLVMConstIntGetZExtValue(value.raw()) });
    }
    let text = print(value);
    let number = text.rsplit(' ').next().unwrap_or("0");
    let number = number.parse::<i128>().map(|n| n as u128).or_else(|_| number.parse::<u128>()).unwrap_or(0);
    if bits < 128 { number & ((1 << bits) - 1) } else { number }
}

/// The words of a constant of more than 128 bits, the low one first; none where it does not fit into 128 bits as a signed number.
pub(crate) fn words(value: Value) -> Option<Vec<u64>> {
    let number: i128 = print(value).rsplit(' ').next()?.parse().ok()?;
    let count = value.ty().int_bits()?.div_ceil(64);
    Some((0..count).map(|word| (number >> (64 * word).min(127)) as u64).collect())
}

/// The text form of a value.
pub(crate) fn print(value: Value) -> String {
    unsafe {
        let raw = LLVMPrintValueToString(value.raw());
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

pub(crate) fn vector_length(ty: Type) -> u32 {
    unsafe { LLVMGetVectorSize(ty.raw()) }
}

pub(crate) fn array_length(ty: Type) -> u64 {
    unsafe { LLVMGetArrayLength2(ty.raw()) }
}

pub(crate) fn struct_fields(ty: Type) -> u32 {
    unsafe { LLVMCountStructElementTypes(ty.raw()) }
}

pub(crate) fn pointer_space(ty: Type) -> u32 {
    unsafe { LLVMGetPointerAddressSpace(ty.raw()) }
}

/// The type that a pointer argument is passed by value as.
pub(crate) fn by_value(call: Value, argument: u32) -> Option<Type> {
    const NAME: &[u8] = b"byval";
    unsafe {
        let kind = LLVMGetEnumAttributeKindForName(NAME.as_ptr().cast(), NAME.len());
        let attribute = LLVMGetCallSiteEnumAttribute(call.raw(), argument + 1, kind);
        let ty: LLVMTypeRef = (!attribute.is_null()).then(|| LLVMGetTypeAttributeValue(attribute))?;
        (!ty.is_null()).then_some(Type::from_raw(ty))
    }
}

/// Adds all of `source` to `module`.
pub(crate) fn link(module: &Module<'_>, source: Module<'_>) -> Result<(), String> {
    let source = std::mem::ManuallyDrop::new(source);
    // The source is consumed, whatever the result.
    match unsafe { LLVMLinkModules2(module.as_mut_ptr(), source.as_mut_ptr()) } {
        0 => Ok(()),
        _ => Err("the device runtime library does not fit the module".into()),
    }
}

/// Runs passes by their names in LLVM.
pub(crate) fn run_passes(module: &Module<'_>, passes: &str) -> Result<(), String> {
    let passes = CString::new(passes).expect("names of passes hold no zero byte");
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = LLVMRunPasses(module.as_mut_ptr(), passes.as_ptr(), std::ptr::null_mut(), options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let text = LLVMGetErrorMessage(error);
        let message = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(text);
        Err(message)
    }
}

/// Kinds of constants that are neither globals nor expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstantKind {
    Int,
    Float,
    Aggregate,
    /// `undef` or `poison`.
    Undefined,
    Other,
}

pub(crate) fn constant_kind(value: Value) -> ConstantKind {
    use llvm_sys::LLVMValueKind::*;
    match unsafe { LLVMGetValueKind(value.raw()) } {
        LLVMConstantIntValueKind => ConstantKind::Int,
        LLVMConstantFPValueKind => ConstantKind::Float,
        LLVMUndefValueValueKind | LLVMPoisonValueKind => ConstantKind::Undefined,
        LLVMConstantArrayValueKind
        | LLVMConstantStructValueKind
        | LLVMConstantVectorValueKind
        | LLVMConstantDataArrayValueKind
        | LLVMConstantDataVectorValueKind => ConstantKind::Aggregate,
        _ => ConstantKind::Other,
    }
}

/// Bytes of a pointer of an address space.
pub(crate) fn pointer_bytes(module: &Module<'_>, space: u32) -> u64 {
    unsafe {
        let layout = llvm_sys::target::LLVMGetModuleDataLayout(module.as_mut_ptr());
        u64::from(llvm_sys::target::LLVMPointerSizeForAS(layout, space))
    }
}

/// The text of an assembly call, as the IR prints it.
pub(crate) fn assembly(call: Value) -> String {
    let text = print(called(call));
    text.split('"').nth(1).unwrap_or_default().to_owned()
}

/// The plugin's view of a global value of inkwell's.
pub(crate) fn value(global: &impl AsValueRef) -> Value {
    unsafe { Value::from_raw(global.as_value_ref()) }
}

/// Inlines the user's functions into those that call them.
pub(crate) fn inline_helpers(module: &Module<'_>, library: &FxHashSet<String>) -> Result<(), String> {
    use inkwell::attributes::{Attribute, AttributeLoc};
    let kind = Attribute::get_named_enum_kind_id;
    let always = module.get_context().create_enum_attribute(kind("alwaysinline"), 0);
    for function in module.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        // The device runtime is left as it is: some of its functions must stay whole.
        let name = function.get_name().to_string_lossy().into_owned();
        // What clang made of constructs is called as it is: those calls are none of the user's.
        if library.contains(&name)
            || is_runtime_name(&name)
            || name.contains("omp_outlined")
            || name.starts_with("__omp_offloading_")
        {
            function.remove_enum_attribute(AttributeLoc::Function, kind("alwaysinline"));
            continue;
        }
        for attribute in ["noinline", "optnone"] {
            function.remove_enum_attribute(AttributeLoc::Function, kind(attribute));
        }
        function.add_attribute(AttributeLoc::Function, always);
    }
    run_passes(module, "always-inline")
}

/// Whether a function is the device runtime's by its name alone, or a helper that clang makes for reductions.
pub(crate) fn is_runtime_name(name: &str) -> bool {
    const PREFIXES: [&str; 4] = ["__kmpc_", "_ZN4ompx", "__llvm_omp", "_omp_reduction_"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || name.contains("omp$reduction$reduction_func")
}
