//! What the names of runtime functions and intrinsics say of a call.

use super::KernelName;
use ipda_llvm::{Opcode, Value};

/// Whether a function is what clang made of a construct.
pub(crate) fn is_made_by_compiler(name: &str) -> bool {
    name.starts_with(KernelName::PREFIX) || name.contains("omp_outlined")
}

/// Whether a name belongs to a runtime library, not to the user.
pub(crate) fn is_runtime_name(name: &str) -> bool {
    const PREFIXES: [&str; 11] = [
        "__kmpc_",
        "omp_",
        "_ZN4ompx",
        "__tgt_",
        "__nv_",
        "__ocml_",
        "__ockl_",
        "__llvm_omp_",
        "__assert",
        "__cxa_",
        "__clang_call_",
    ];
    const STD_TERMINATE: &str = "_ZSt9terminatev";
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || matches!(name, "malloc" | "free" | STD_TERMINATE)
}

/// Whether a function tells the number of the thread or the team, or how many there are.
pub(crate) fn tells_numbers(name: &str) -> bool {
    const NAMES: [&str; 9] = [
        "omp_get_thread_num",
        "omp_get_num_threads",
        "omp_get_team_num",
        "omp_get_num_teams",
        "__kmpc_global_thread_num",
        "__kmpc_get_hardware_thread_id_in_block",
        "__kmpc_get_hardware_num_threads_in_block",
        "__kmpc_get_warp_size",
        "__kmpc_warp_active_thread_mask",
    ];
    NAMES.contains(&name)
}

/// The device runtime's function that tells the number of a team's threads.
pub(crate) const ASKS_SIZE_OF_TEAM: &str = "__kmpc_get_hardware_num_threads_in_block";

/// NVIDIA's register that has the number of a team's threads.
pub(crate) const SIZE_OF_TEAM: &str = "llvm.nvvm.read.ptx.sreg.ntid.x";

/// NVIDIA's register that has the number of teams.
pub(crate) const NUMBER_OF_TEAMS: &str = "llvm.nvvm.read.ptx.sreg.nctaid.x";

/// Whether a function says how many threads a team has: the device's runtime's, or NVIDIA's register.
pub(crate) fn is_size_of_team(name: &str) -> bool {
    matches!(name, ASKS_SIZE_OF_TEAM | SIZE_OF_TEAM)
}

/// Whether the program, and not the compiler, asks by a function for the number of the thread or the team.
pub(crate) fn tells_users_numbers(name: &str) -> bool {
    const PREFIXES: [&str; 4] = [
        "omp_get_ancestor_thread_num",
        "llvm.nvvm.read.ptx.sreg.",
        "llvm.amdgcn.workitem.id.",
        "llvm.amdgcn.workgroup.id.",
    ];
    matches!(name, "omp_get_thread_num" | "omp_get_team_num") || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A block copy or fill by its plain name, which is an intrinsic on most targets.
pub(crate) fn is_block_operation(name: &str) -> bool {
    matches!(name, "memcpy" | "memmove" | "memset")
}

/// Whether an instruction can order threads one after the other: then each may find in memory what another has left, without a race.
pub(crate) fn lets_threads_take_turns(instruction: Value) -> bool {
    const PREFIXES: [&str; 6] = [
        "__kmpc_critical",
        "__kmpc_ordered",
        "omp_set_lock",
        "omp_set_nest_lock",
        "omp_test_lock",
        "omp_test_nest_lock",
    ];
    match instruction.opcode() {
        // A lock of the program's own making.
        Some(Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence) => true,
        Some(Opcode::LLVMAtomicRMW) => instruction.is_ordering(),
        Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
            instruction.calls(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
        }
        _ => false,
    }
}

/// Whether a thread may learn by an instruction what something else than its team has written meanwhile.
pub(crate) fn orders_memory(instruction: Value) -> bool {
    lets_threads_take_turns(instruction)
        || instruction.is_call() && instruction.calls(|name| name.starts_with("__kmpc_flush"))
}

/// Whether a function of the runtime writes no memory of the program's, other than the local variables that it is given.
pub(crate) fn writes_nothing_of_users(name: &str) -> bool {
    const PREFIXES: [&str; 22] = [
        "__kmpc_barrier",
        "__kmpc_critical",
        "__kmpc_dispatch_",
        "__kmpc_distribute_static_",
        "__kmpc_end_critical",
        "__kmpc_end_ordered",
        "__kmpc_flush",
        "__kmpc_for_static_",
        "__kmpc_fork_call",
        "__kmpc_fork_teams",
        "__kmpc_ordered",
        "__kmpc_parallel_51",
        "__kmpc_push_num_",
        "__kmpc_simple_barrier",
        "__kmpc_syncwarp",
        "__kmpc_target_deinit",
        "__kmpc_target_init",
        "omp_set_lock",
        "omp_set_nest_lock",
        "omp_test_",
        "omp_unset_lock",
        "omp_unset_nest_lock",
    ];
    tells_numbers(name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What a block operation does: its arguments are the target, what is copied or the byte to fill with, and the number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOperation {
    Copy,
    Fill,
}

/// Decodes a block operation by LLVM's own name; none for what is none, or a volatile one.
pub(crate) fn block_operation(call: Value) -> Option<BlockOperation> {
    let kind = call.callee()?.with_name(|name| match name.strip_prefix("llvm.")?.split('.').next()? {
        "memcpy" | "memmove" => Some(BlockOperation::Copy),
        "memset" => Some(BlockOperation::Fill),
        _ => None,
    })?;
    (call.call_args().get(3)?.as_int() == Some(0)).then_some(kind)
}

/// Whether a call tells LLVM that a local variable begins or ceases to live: it holds nothing then.
pub(crate) fn begins_or_ends_life(call: Value) -> bool {
    call.calls(|name| name.starts_with("llvm.lifetime."))
}

/// Says where the runtime has room for the copies of a reduction.
pub(crate) const REDUCTION_BUFFER: &str = "__kmpc_reduction_get_fixed_buffer";

/// Whether a call makes one value of the copies of a reduction, which it is given in a list.
pub(crate) fn combines_copies(call: Value) -> bool {
    const NAMES: [&str; 4] = [
        "__kmpc_nvptx_parallel_reduce_nowait_v2",
        "__kmpc_nvptx_teams_reduce_nowait_v2",
        "__kmpc_reduce",
        "__kmpc_reduce_nowait",
    ];
    call.calls(|name| NAMES.contains(&name))
}

/// Whether a function is one that clang makes for a reduction with an operator of OpenMP's; what a program declares is called from it by another name.
pub(crate) fn is_of_reduction(name: &str) -> bool {
    const PARTS: [&str; 2] = ["$reduction$reduction_func", ".omp.reduction.reduction_func"];
    name.starts_with("_omp_reduction_") || PARTS.iter().any(|part| name.contains(part))
}
