//! The map clauses of a region, as far as the host's launch shows them.

use crate::cfg::Cfg;
use crate::ffi::SessionRef;
use crate::ir::{DataLayout, FunctionCopy, Opcode, Value};
use crate::lower::Lowering;
use crate::omp::{Launch, map_type};
use inkwell::module::Module;
use ipda_models::report::{Map, Region};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instructions of a calling function beyond which sizes that are computed there are not looked at.
const MAX_INSTRUCTIONS: usize = 20_000;

/// One entry of the launch's argument arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MapEntry {
    flags: u64,
    /// As a number or an expression; none where it is not visible.
    bytes: Option<String>,
}

/// Maps by kernel name. Of several launches of one kernel the first counts: they come from one directive.
pub(crate) fn find(session: SessionRef, layout: DataLayout, module: &Module<'_>) -> FxHashMap<String, Vec<MapEntry>> {
    let mut maps = FxHashMap::default();
    let Some(launch) = module.get_function("__tgt_target_kernel") else { return maps };
    let mut seen = FxHashSet::default();
    let calls = Value::of(&launch).users().into_iter().filter(|user| user.is_call());
    // Uses come last first.
    let callers: Vec<Value> = calls.map(|call| call.block().function()).filter(|&caller| seen.insert(caller)).collect();
    for caller in callers.into_iter().rev() {
        if caller.instructions().take(MAX_INSTRUCTIONS + 1).count() <= MAX_INSTRUCTIONS {
            in_caller(session, layout, caller, &mut maps);
        }
    }
    maps
}

fn in_caller(session: SessionRef, layout: DataLayout, caller: Value, maps: &mut FxHashMap<String, Vec<MapEntry>>) {
    let copy = FunctionCopy::new(session, caller);
    copy.canonicalise();
    let cfg = Cfg::new(copy.function());
    let names = crate::names::Names::read(&copy).variables;
    let mut lowering = Lowering::new(
        &copy,
        &cfg,
        layout,
        names,
        &copy.function().params(),
        FxHashMap::default(),
        FxHashSet::default(),
    );
    for call in copy.function().instructions().filter(|value| value.is_call()) {
        let Some(launch) = Launch::decode(call) else { continue };
        let id = launch.region_id.name();
        let Some(kernel) = id.strip_prefix('.').and_then(|id| id.strip_suffix(".region_id")) else { continue };
        if let Some(entries) = entries(&mut lowering, launch) {
            maps.entry(kernel.to_string()).or_insert(entries);
        }
    }
}

fn entries(lowering: &mut Lowering<'_>, launch: Launch) -> Option<Vec<MapEntry>> {
    const SIZES: i64 = 4;
    const TYPES: i64 = 5;
    let stored = |field: i64| {
        launch
            .argument_stores()
            .into_iter()
            .find(|&store| launch.stored_field(store) == Some(field))
            .map(|store| store.operand(0))
    };
    let types = base(stored(TYPES)?).initializer()?;
    let sizes = base(stored(SIZES)?);
    let mut entries = Vec::new();
    while let Some(flags) = types.aggregate_element(entries.len() as u32) {
        let flags = flags.as_int()? as u64;
        let bytes = size(lowering, sizes, entries.len() as i64);
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

/// The size at an index: of a constant array, or of a local one that is copied from a constant and partly overwritten.
fn size(lowering: &mut Lowering<'_>, array: Value, index: i64) -> Option<String> {
    let constant =
        |array: Value| array.initializer()?.aggregate_element(index as u32)?.as_int().map(|bytes| bytes.to_string());
    if array.is_global_variable() {
        return constant(array);
    }
    let mut initial = None;
    for user in array.users() {
        if user.is_call()
            && user.callee().is_some_and(|callee| callee.name().starts_with("llvm.memcpy"))
            && user.operand(0) == array
        {
            initial = constant(user.operand(1));
        }
        // The first element may be stored to without an index.
        let stores: Vec<Value> = if user.is(Opcode::LLVMGetElementPtr)
            && user.operand(user.operand_count() - 1).as_int() == Some(index)
        {
            user.users().into_iter().filter(|store| store.is(Opcode::LLVMStore) && store.operand(1) == user).collect()
        } else if index == 0 && user.is(Opcode::LLVMStore) && user.operand(1) == array {
            vec![user]
        } else {
            continue;
        };
        if let Some(store) = stores.first() {
            let block = lowering.cfg.id(store.block())?;
            let bytes = lowering.value_at(store.operand(0), block).value;
            let known = lowering.space.per_thread_reason(&bytes).is_none();
            return known.then(|| lowering.space.display(&bytes).to_string());
        }
    }
    initial
}

/// Gives the region's captured variables their maps: entries that are kernel arguments, in order.
pub(crate) fn attach(region: &mut Region, entries: &[MapEntry]) {
    let arguments: Vec<&MapEntry> =
        entries.iter().filter(|entry| entry.flags & map_type::TARGET_PARAMETER != 0).collect();
    if arguments.len() != region.captures.len() {
        return;
    }
    for (capture, entry) in region.captures.iter_mut().zip(arguments) {
        capture.map = Some(Map {
            kind: map_type::describe(entry.flags).into(),
            bytes: entry.bytes.clone(),
            implicit: entry.flags & map_type::IMPLICIT != 0,
        });
    }
}
