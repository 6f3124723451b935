//! What an instruction does beside the accesses that are followed: effects that make an order of their own or are not known.

use crate::openmp;
use ipda_llvm::{Opcode, Value};

/// Why an instruction's effects are not followed; none where it has no others than its accesses.
pub(super) fn effect(instruction: Value) -> Option<String> {
    match instruction.opcode()? {
        Opcode::LLVMLoad | Opcode::LLVMStore if instruction.is_volatile() => {
            (!is_mark(instruction)).then(|| "a volatile access".into())
        }
        Opcode::LLVMLoad | Opcode::LLVMStore if instruction.is_volatile_or_atomic() => {
            Some("an atomic load or store".into())
        }
        Opcode::LLVMAtomicRMW => match () {
            () if instruction.is_volatile() => Some("a volatile access".into()),
            () if instruction.is_ordering() => Some("an atomic update that orders other accesses".into()),
            () if !instruction.users().is_empty() => Some("an atomic update whose result is used".into()),
            () if instruction.commuting_update().is_none() => Some("an atomic exchange".into()),
            () => None,
        },
        Opcode::LLVMAtomicCmpXchg => Some("an atomic compare and exchange".into()),
        Opcode::LLVMFence => Some("a memory fence".into()),
        Opcode::LLVMInvoke | Opcode::LLVMCall => call(instruction),
        Opcode::LLVMCallBr | Opcode::LLVMVAArg | Opcode::LLVMResume => {
            Some("an exception, or an argument list of variable length,".into())
        }
        _ => None,
    }
}

fn call(call: Value) -> Option<String> {
    if call.is_assembly() {
        return Some("inline assembly".into());
    }
    let Some(callee) = call.callee() else { return Some("a call through a pointer".into()) };
    let name = callee.name();
    let operation = name.strip_prefix("llvm.").unwrap_or(&name).split('.').next().unwrap_or("");
    if openmp::is_block_operation(operation) {
        let args = call.call_args();
        let is_volatile = name.starts_with("llvm.") && args.get(3).is_none_or(|flag| flag.as_int() != Some(0));
        let has_size = args.get(2).is_some_and(|size| size.as_int().is_some_and(|bytes| bytes >= 0));
        return match () {
            () if is_volatile => Some("a volatile copy or fill of memory".into()),
            () if !has_size => Some("a copy or fill of memory of unknown size".into()),
            () => None,
        };
    }
    // What it reads and leaves in memory is followed, and `errno` is each thread's own.
    if is_harmless(&name) || prepares_code(call) || openmp::effects(call).is_some() {
        return None;
    }
    // As CUDA's own function is called, too.
    if name.contains("barrier") {
        return Some("a barrier".into());
    }
    let called = crate::common::words::called(&name);
    match call.touches_no_memory() {
        true if call.is_convergent() => Some(format!("{called}, which threads make together")),
        true => None,
        false => Some(called),
    }
}

/// The plugin's own note that a variable's address is known elsewhere: nothing reads it. Where variables are in an address space of their own, there is
/// a cast between.
fn is_mark(store: Value) -> bool {
    if !store.is(Opcode::LLVMStore) {
        return false;
    }
    let place = store.operand(1);
    let is_only_use = |address: Value, of: Value| of.users().iter().all(|&user| user == address);
    match place.is(Opcode::LLVMAddrSpaceCast) {
        true => {
            place.operand(0).is(Opcode::LLVMAlloca) && is_only_use(place, place.operand(0)) && is_only_use(store, place)
        }
        false => place.is(Opcode::LLVMAlloca) && is_only_use(store, place),
    }
}

/// Whether a call hands out iterations, or marks where parallel code begins or ends: the loops say what it does.
fn prepares_code(call: Value) -> bool {
    use openmp::Call::{AllocShared, DispatchInit, DispatchNext, FreeShared, ParallelMark, StaticInit};
    matches!(
        openmp::decode(call),
        Ok(StaticInit(_)
            | DispatchInit { .. }
            | DispatchNext { .. }
            | AllocShared { .. }
            | FreeShared
            | ParallelMark(_))
    )
}

/// Functions that end loops, tell numbers, or are words to the compiler.
pub(crate) fn is_harmless(name: &str) -> bool {
    const PREFIXES: [&str; 12] = [
        "llvm.lifetime.",
        "llvm.dbg.",
        "llvm.assume",
        "llvm.experimental.noalias.scope.decl",
        "llvm.invariant.",
        "llvm.nvvm.read.ptx.sreg.",
        "llvm.amdgcn.workitem.id.",
        "llvm.amdgcn.workgroup.id.",
        "llvm.stacksave",
        "llvm.stackrestore",
        "__kmpc_target_",
        "__kmpc_push_num_te",
    ];
    const NAMES: [&str; 5] = [
        "__kmpc_push_num_threads",
        "__kmpc_for_static_fini",
        "__kmpc_distribute_static_fini",
        "__kmpc_dispatch_fini_4",
        "__kmpc_dispatch_deinit",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&name) || openmp::tells_numbers(name)
}
