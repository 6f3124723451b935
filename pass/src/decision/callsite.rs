//! The host's launches: of regions that may run on the host as well, and of kernels whose loops the device side has fused.
//!
//! A launch of the first kind goes through a function that decides and, for the host, fails, whereupon its caller runs the host's version.
//!
//! clang tells the runtime how many iterations the loop has that was written, and from that the runtime chooses how many teams and threads it
//! starts. A launch of a changed kernel goes through a function that multiplies the count as the kernel will, calls the runtime, and puts the
//! count back. Where the count stays as it was, that costs speed alone: the kernel's loops go round in chunks, and are right for any
//! number of teams and threads. (The device side changes nothing where the compiler was told to rely on more.)

#![allow(unsafe_code)]

use crate::analysis::maps;
use crate::decision::{Choice, Offered, Support};
use crate::facts::{self, DeviceImage};
use crate::openmp::{Launch, map_type};
use crate::transform::Sum;
use inkwell::module::Module;
use ipda_llvm::{Code, Value, append_block, constant, integer};
use llvm_sys::LLVMIntPredicate::{LLVMIntSGE, LLVMIntSGT};
use llvm_sys::core::*;
use llvm_sys::target::{LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize};
use std::collections::BTreeMap;

/// Marks a module whose launches were looked at, for a plugin that runs twice.
const MARK: &str = "ipda.launches";

/// The layout of `KernelArgsTy`, version 3, with pointers of 8 bytes.
mod field {
    pub(super) const VERSION: i64 = 0;
    pub(super) const TYPES: i64 = 5;
    pub(super) const TRIP_COUNT: i64 = 8;
    pub(super) const KNOWN_VERSION: i64 = 3;
    pub(super) const BASE_POINTERS_OFFSET: u64 = 8;
    pub(super) const TRIP_COUNT_OFFSET: u64 = 56;
}

/// Lets all launches of changed kernels tell the runtime how many iterations those have, and those of regions that may run on the host
/// decide where. Whether there was any.
pub(crate) fn edit(module: &Module<'_>, images: &[DeviceImage], permits: &BTreeMap<String, Offered>) -> bool {
    let Some(runtime) = module.get_function("__tgt_target_kernel") else { return false };
    if module.get_global_metadata_size(MARK) > 0 || !has_known_layout(module) {
        return false;
    }
    let runtime = Value::of(&runtime);
    let support = if permits.is_empty() { None } else { Support::link(module).ok() };
    let mut choices: BTreeMap<String, Choice<'_>> = BTreeMap::new();
    let mut made: BTreeMap<(String, Option<Entries>), Value> = BTreeMap::new();
    // Uses come last first.
    for call in runtime.users().into_iter().rev().filter(|user| user.is_call()) {
        let Some((launch, kernel)) = Launch::decode(call).and_then(|launch| Some((launch, launch.kernel()?))) else {
            continue;
        };
        if !has_known_version(launch) {
            continue;
        }
        let factors = facts::common_factors(images, &kernel);
        let entries = entries(launch, factors);
        let permit = support.and_then(|support| Some((support, permits.get(&kernel)?)));
        let choice = permit.map(|(support, offered)| {
            let new = || Choice::new(module, support, &kernel, offered);
            *choices.entry(kernel.clone()).or_insert_with(new)
        });
        if entries.is_none() && choice.is_none() {
            continue;
        }
        let name = format!("__ipda_launch_{kernel}");
        let make = || {
            let function = function_in_place_of(runtime, call.block().function(), &name);
            let launch = |here: &Code, with: &[Value]| match &entries {
                Some(entries) => launch_multiplied(runtime, with, here, factors, entries),
                None => here.call(runtime, with),
            };
            match choice {
                Some(choice) => choice.write(function, launch),
                None => {
                    let here = Code::at_end(append_block(function));
                    here.return_value(launch(&here, &function.params()));
                }
            }
            function
        };
        let function = *made.entry((kernel.clone(), entries.clone())).or_insert_with(make);
        call.set_operand(call.operand_count() - 1, function);
    }
    if !made.is_empty() {
        let _ = module.add_global_metadata(MARK, &module.get_context().metadata_node(&[]));
    }
    !made.is_empty()
}

fn has_known_version(launch: Launch) -> bool {
    let is_version = |version: &Value| version.as_int() == Some(field::KNOWN_VERSION);
    let versions = launch.fillers(field::VERSION);
    !versions.is_empty() && versions.iter().all(is_version)
}

fn has_known_layout(module: &Module<'_>) -> bool {
    // SAFETY: the module is valid, and owns its layout.
    unsafe {
        let layout = LLVMGetModuleDataLayout(module.as_mut_ptr());
        LLVMPointerSize(layout) == 8 && LLVMByteOrder(layout) == LLVMByteOrdering::LLVMLittleEndian
    }
}

/// Places in a launch's arrays, by the kernel's parameters.
type Entries = Vec<Option<u64>>;

/// For each of the kernel's parameters, up to the last one that factors need, at which place of the launch's arrays it lies, if it is needed;
/// none where the launch is not to be changed.
fn entries(launch: Launch, factors: &[Sum]) -> Option<Entries> {
    let counts = launch.fillers(field::TRIP_COUNT);
    let [types] = launch.fillers(field::TYPES)[..] else { return None };
    // A count of 0 says that clang knew none, and the runtime chooses.
    if factors.is_empty() || counts.iter().all(|count| count.is_null()) {
        return None;
    }
    let types = maps::base(types);
    if !types.is_constant_global() {
        return None;
    }
    let types = types.initializer()?;
    let type_at = |index: u64| types.aggregate_element(u32::try_from(index).ok()?)?.as_int().map(|flags| flags as u64);
    let is_needed = |param: usize| factors.iter().flat_map(Sum::given).any(|given| given.param == param);
    let last = factors.iter().flat_map(Sum::given).map(|given| given.param).max().unwrap_or(0);
    // The host's addresses are not the device's.
    if factors.iter().flat_map(Sum::given).any(|given| given.is_pointer) || is_needed(0) {
        return None;
    }
    // The runtime's own parameter comes first.
    let mut entries = vec![None];
    let mut index = 0;
    while entries.len() <= last {
        let flags = type_at(index)?;
        if flags & map_type::TARGET_PARAMETER != 0 {
            let is_literal = flags & map_type::LITERAL != 0;
            let needed = is_needed(entries.len());
            if needed && !is_literal {
                return None;
            }
            entries.push(needed.then_some(index));
        }
        index += 1;
    }
    Some(entries)
}

/// Calls the runtime with the trip count multiplied by `factors`.
fn launch_multiplied(runtime: Value, params: &[Value], here: &Code, factors: &[Sum], entries: &[Option<u64>]) -> Value {
    let arguments = params[params.len() - 1];
    let [byte, word, wide] = [8, 64, 128].map(|bits| integer(arguments, bits));
    let pointer = arguments.ty();
    let base_pointers = here.element(byte, arguments, field::BASE_POINTERS_OFFSET);
    let base_pointers = here.load(pointer, base_pointers);
    let literal = |entry: &Option<u64>| match entry {
        Some(index) => here.load(word, here.element(pointer, base_pointers, *index)),
        None => constant(word, "0"),
    };
    let given: Vec<Value> = entries.iter().map(literal).collect();
    let count_at = here.element(byte, arguments, field::TRIP_COUNT_OFFSET);
    let count = here.load(word, count_at);
    let all = |so_far: Value, more: Value| here.binary(llvm_sys::LLVMOpcode::LLVMAnd, so_far, more);
    // A count that has no number of 64 bits is of no use to anybody: it stays as it was.
    let fits = |number: Value| here.compare(LLVMIntSGE, constant(number.ty(), &i64::MAX.to_string()), number);
    let mut is_valid = here.compare(LLVMIntSGE, count, constant(word, "0"));
    let mut product = count;
    for factor in factors {
        let factor = factor.compute(here, &given, arguments);
        let is_positive = here.compare(LLVMIntSGT, factor, constant(factor.ty(), "0"));
        is_valid = all(all(is_valid, is_positive), fits(factor));
        let [a, b] = [product, here.resize(factor, word, false)].map(|number| here.resize(number, wide, false));
        let exact = here.binary(llvm_sys::LLVMOpcode::LLVMMul, a, b);
        is_valid = all(is_valid, fits(exact));
        product = here.resize(exact, word, false);
    }
    here.store(here.select(is_valid, product, count), count_at);
    let result = here.call(runtime, params);
    // The caller may launch with the same structure again.
    here.store(count, count_at);
    result
}

/// An internal function that takes what another one does, compiled like a third one.
fn function_in_place_of(original: Value, like: Value, name: &str) -> Value {
    const FUNCTION: u32 = u32::MAX;
    let name = std::ffi::CString::new(name).unwrap_or_default();
    // SAFETY: both are functions of one module.
    unsafe {
        let ty = LLVMGlobalGetValueType(original.raw());
        let function = LLVMAddFunction(LLVMGetGlobalParent(original.raw()), name.as_ptr(), ty);
        LLVMSetLinkage(function, llvm_sys::LLVMLinkage::LLVMInternalLinkage);
        let kind = |name: &str| LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        let kept = [kind("nounwind"), kind("uwtable"), kind("mustprogress")];
        for (from, enums) in [(like, &kept[1..]), (original, &kept[..1])] {
            let mut attributes =
                vec![std::ptr::null_mut(); LLVMGetAttributeCountAtIndex(from.raw(), FUNCTION) as usize];
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
