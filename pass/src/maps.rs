//! The map clauses of a region, as far as the host's launch shows them.

use crate::ir::{Opcode, Value};
use crate::omp::{Launch, map_type};
use inkwell::module::Module;
use inkwell::values::AsValueRef;
use ipda_models::report::{Map, Region};
use rustc_hash::FxHashMap;

/// One entry of the launch's argument arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MapEntry {
    flags: u64,
    /// None where the size is computed when the program runs.
    bytes: Option<u64>,
}

/// Maps by kernel name. Of several launches of one kernel the first counts: they come from one directive.
pub(crate) fn find(module: &Module<'_>) -> FxHashMap<String, Vec<MapEntry>> {
    let mut maps = FxHashMap::default();
    let Some(launch) = module.get_function("__tgt_target_kernel") else { return maps };
    for call in Value(launch.as_value_ref()).users() {
        let Some(launch) = Launch::decode(call) else { continue };
        let id = launch.region_id.name();
        let Some(kernel) = id.strip_prefix('.').and_then(|id| id.strip_suffix(".region_id")) else { continue };
        if let Some(entries) = entries(launch) {
            maps.entry(kernel.to_string()).or_insert(entries);
        }
    }
    maps
}

fn entries(launch: Launch) -> Option<Vec<MapEntry>> {
    const SIZES: i64 = 4;
    const TYPES: i64 = 5;
    let stored = |field: i64| {
        launch.argument_stores().into_iter().find(|&store| launch.stored_field(store) == Some(field)).map(|store| store.operand(0))
    };
    let types = base(stored(TYPES)?).initializer()?;
    let sizes = base(stored(SIZES)?);
    let mut entries = Vec::new();
    while let Some(flags) = types.aggregate_element(entries.len() as u32) {
        let flags = flags.as_int()? as u64;
        let bytes = size(sizes, entries.len() as i64);
        entries.push(MapEntry { flags, bytes });
    }
    Some(entries)
}

/// The variable that a pointer into an array belongs to.
fn base(mut pointer: Value) -> Value {
    while pointer.is(Opcode::LLVMGetElementPtr) {
        pointer = pointer.operand(0);
    }
    pointer
}

/// The constant size at an index: of a constant array, or of a local one that is copied from a constant and partly overwritten.
fn size(array: Value, index: i64) -> Option<u64> {
    let constant = |array: Value| array.initializer()?.aggregate_element(index as u32)?.as_int().map(|bytes| bytes as u64);
    if array.is_global_variable() {
        return constant(array);
    }
    let mut initial = None;
    for user in array.users() {
        if user.is_call() && user.callee().is_some_and(|callee| callee.name().starts_with("llvm.memcpy")) && user.operand(0) == array {
            initial = constant(user.operand(1));
        }
        let is_element = user.is(Opcode::LLVMGetElementPtr) && user.operand(user.operand_count() - 1).as_int() == Some(index);
        if is_element && user.users().into_iter().any(|store| store.is(Opcode::LLVMStore) && store.operand(1) == user) {
            return None;
        }
    }
    initial
}

/// Gives the region's captured variables their maps: entries that are kernel arguments, in order.
pub(crate) fn attach(region: &mut Region, entries: &[MapEntry]) {
    let arguments: Vec<&MapEntry> = entries.iter().filter(|entry| entry.flags & map_type::TARGET_PARAMETER != 0).collect();
    if arguments.len() != region.captures.len() {
        return;
    }
    for (capture, entry) in region.captures.iter_mut().zip(arguments) {
        capture.map = Some(Map {
            kind: map_type::describe(entry.flags).into(),
            bytes: entry.bytes.map(|bytes| bytes.to_string()),
            implicit: entry.flags & map_type::IMPLICIT != 0,
        });
    }
}
