//! OpenMP's shapes: what clang makes of constructs, and how the runtime is called for them.

mod calls;
mod effects;
pub(crate) mod flatten;
mod kernel;
mod mathematics;
mod names;
pub(crate) mod nest;
pub(crate) mod outline;
mod writes;

pub(crate) use calls::{
    Call, Outlined, OutlinedArgs, Schedule, Sharing, Worksharing, asks_for_last_iteration, decode,
    hands_out_iterations, lets_threads_wait, make_one_block,
};
pub(crate) use effects::{
    OutResult, Reads, body as effects_of_body, computes_a_number, declare, effects, forgets_pointers,
    is_function_of_numbers, reported,
};
pub(crate) use kernel::{
    ExecutionMode, KernelEnvironment, KernelName, Launch, assumes_oversubscription, map_type, requires_shared_memory,
};
pub(crate) use mathematics::{is_instruction_on_host, is_mathematics, is_pure_intrinsic, keeps_order, plain_name};
pub(crate) use names::{
    ASKS_SIZE_OF_TEAM, BlockOperation, NUMBER_OF_TEAMS, REDUCTION_BUFFER, SIZE_OF_TEAM, begins_or_ends_life,
    block_operation, combines_copies, is_block_operation, is_made_by_compiler, is_of_reduction, is_runtime_name,
    is_size_of_team, lets_threads_take_turns, orders_memory, tells_numbers, tells_users_numbers,
    writes_nothing_of_users,
};
pub(crate) use writes::combines_by_operators;

use ipda_llvm::Value;
use ipda_models::report::Location;

/// Where an instruction was called from in the user's code ([`ipda_llvm::called_from`]): calls of what clang made of OpenMP's constructs, and of
/// runtime libraries, are left out.
pub fn called_from(frames: &[Value]) -> Vec<Location> {
    ipda_llvm::called_from(frames, |name| is_made_by_compiler(name) || is_runtime_name(name))
}
