//! How many iterations a team takes at a time.
//!
//! clang gives each team as many as it has threads, a number that it asks the device's runtime for. LLVM's pass for OpenMP (of LLVM 19) replaces
//! that call by the most threads that the kernel is compiled for, 128 where nothing is said, while the runtime starts teams of 32 threads where
//! there are few iterations: three of four teams then find no work, and the threads of the others have four iterations each. Asked for by the
//! register that has the number, it stays what it is.

use crate::openmp::outline::TargetRegion;
use crate::openmp::{ASKS_SIZE_OF_TEAM, SIZE_OF_TEAM};
use inkwell::module::Module;
use ipda_llvm::{Code, Opcode, Value};

/// What shares a loop among teams.
const SHARED_BY: &str = "__kmpc_distribute_static_init_";

/// Lets the teams of NVIDIA's GPUs take as many iterations as they have threads, but in regions that are to be left as they are; whether there are
/// such.
pub(crate) fn keep_size_of_team<'a>(module: &Module<'_>, left: impl Iterator<Item = &'a TargetRegion>) -> bool {
    if !module.get_triple().as_str().to_bytes().starts_with(b"nvptx") {
        return false;
    }
    let Some(asked) = module.get_function(ASKS_SIZE_OF_TEAM) else { return false };
    let left: Vec<&TargetRegion> = left.collect();
    // Without optimisation nothing takes the number's place.
    let is_left = |call: &Value| {
        let function = call.block().function();
        function.is_not_optimised() || left.iter().any(|region| is_part(region, function))
    };
    let asked = Value::of(&asked);
    let is_asked = |call: &Value| call.is(Opcode::LLVMCall) && call.callee() == Some(asked);
    let is_chunk = |call: &Value| is_asked(call) && is_share_of_team(*call) && !is_left(call);
    let calls: Vec<Value> = asked.users().into_iter().filter(is_chunk).collect();
    for call in &calls {
        call.replace_all_uses(Code::before(*call).intrinsic(SIZE_OF_TEAM, &[]));
        call.erase();
    }
    !calls.is_empty()
}

/// Whether a function has a part of a region's kernel in it, or all of it, by the name that clang gives it.
pub(crate) fn is_part(region: &TargetRegion, function: Value) -> bool {
    let name = function.name();
    let rest = name.strip_prefix(region.symbol.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("_omp_outlined") || rest.starts_with("_debug__"))
}

/// Whether a number says how many iterations a team takes at a time, be it widened.
fn is_share_of_team(number: Value) -> bool {
    number.users().into_iter().any(|user| {
        let shares = user.is_call() && user.calls(|name| name.starts_with(SHARED_BY));
        shares && user.call_args().last() == Some(&number) || user.is(Opcode::LLVMZExt) && is_share_of_team(user)
    })
}
