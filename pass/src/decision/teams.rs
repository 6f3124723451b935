//! Teams on the host, as LLVM 19's libomp has them.
//!
//! A thread that has worked in a team keeps that team's numbers (`th_teams_size`), and `__kmpc_fork_teams` asks for teams only where a thread
//! has none: a worker that later comes to a region of teams itself ends in a failed assertion. Clang asks for teams itself only where a
//! clause says how many. A program whose launches all ran on a device has no such workers, and one whose launches may run on the host does.

use crate::facts::DeviceImage;
use inkwell::AddressSpace;
use inkwell::module::Module;
use ipda_llvm::{Code, Value, constant, integer};
use rustc_hash::FxHashSet;

const FORK: &str = "__kmpc_fork_teams";
const ASK: &str = "__kmpc_push_num_teams";

/// Whether a region's host version starts teams.
///
/// Within a parallel region it must not, and libomp runs `nowait` in one of its own: a reduction of teams is taken there for one of the region's
/// threads, which lose its result or wait for each other, and in a parallel region of the host's own teams even the threads get lost.
pub(super) fn has_teams(host: Value) -> bool {
    let mut work = vec![host];
    let mut seen = FxHashSet::default();
    while let Some(function) = work.pop() {
        if !seen.insert(function.raw()) {
            continue;
        }
        for call in function.instructions().filter(|instruction| instruction.is_call()) {
            if call.calls(|name| name == FORK) {
                return true;
            }
            // What a parallel construct or a task runs is among the arguments.
            work.extend(call.operands().filter(|operand| operand.is_function() && !operand.is_declaration()));
        }
    }
    false
}

/// Lets the code of a module with device images ask for teams wherever it starts some without a clause: for as many as the runtime takes where
/// nobody asks. Whether there was any.
pub(crate) fn ask_for_teams(module: &Module<'_>, images: &[DeviceImage]) -> bool {
    let Some(fork) = module.get_function(FORK) else { return false };
    let is_fork = |user: &Value| user.calls(|name| name == FORK);
    let is_silent = |fork: &Value| {
        let mut around = fork.block().function().instructions();
        !around.any(|other| other.calls(|name| name.starts_with(ASK)))
    };
    let forks: Vec<Value> = Value::of(&fork).users().into_iter().filter(is_fork).filter(is_silent).collect();
    if forks.is_empty() || images.is_empty() {
        return false;
    }
    let context = module.get_context();
    let (word, pointer) = (context.i32_type(), context.ptr_type(AddressSpace::default()));
    let [number, ask] = [
        ("__kmpc_global_thread_num", word.fn_type(&[pointer.into()], false)),
        (ASK, context.void_type().fn_type(&[pointer.into(), word.into(), word.into(), word.into()], false)),
    ]
    .map(|(name, ty)| Value::of(&module.get_function(name).unwrap_or_else(|| module.add_function(name, ty, None))));
    for fork in forks {
        let (code, place) = (Code::before(fork), fork.operand(0));
        let any = constant(integer(fork, 32), "0");
        code.call(ask, &[place, code.call(number, &[place]), any, any]);
    }
    true
}
