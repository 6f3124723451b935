//! How many iterations a team takes at a time.
//!
//! ```c
//! size = 128;             // before: the kernel's limit, whatever its teams have
//! size = %ntid.x;         // after:  what the runtime started, as 32 threads
//! for (first = team * size; first < n; first += teams * size)
//!   parallel for (i = first; i < min(first + size, n); ++i)
//!     body(i);
//! ```
//!
//! clang gives each team as many as it has threads, a number that it asks the device's runtime for. LLVM's pass for OpenMP (of LLVM 19) replaces
//! that call by the most threads that the kernel is compiled for, 128 where nothing is said, while the runtime starts teams of 32 threads where
//! there are few iterations: three of four teams then find no work, and the threads of the others have four iterations each. Asked for by the
//! register that has the number, it stays what it is.

use super::grid_stride::Distributed;
use crate::openmp::outline::TargetRegion;
use crate::openmp::{ASKS_SIZE_OF_TEAM, ExecutionMode, SIZE_OF_TEAM};
use inkwell::module::Module;
use ipda_llvm::{Code, Opcode, Value};

/// What shares a loop among teams.
const SHARED_BY: &str = "__kmpc_distribute_static_init_";

/// How a program asks for fewer threads.
const SETS_THREADS: &str = "omp_set_num_threads";

/// What became of the loops that teams share.
#[derive(Default)]
pub(crate) struct HandedOut {
    /// The functions with a loop that became a grid-stride loop.
    grid_strides: Vec<Value>,
    is_changed: bool,
}

/// A region whose loops teams share.
pub(crate) struct Shared<'a> {
    pub region: &'a TargetRegion,
    /// Whether it is to stay as it is.
    pub is_left: bool,
    /// Whether its reductions may combine each thread's copy once, instead of once for each chunk of iterations.
    pub only_updates_copies: bool,
}

/// Lets the teams of NVIDIA's GPUs take as many iterations as they have threads, all in one parallel region where the kernel has the shape for it,
/// but in regions that are to be left as they are.
pub(crate) fn hand_out(module: &Module<'_>, regions: &[Shared<'_>]) -> HandedOut {
    let mut done = HandedOut::default();
    if !module.get_triple().as_str().to_bytes().starts_with(b"nvptx") {
        return done;
    }
    let Some(asked) = module.get_function(ASKS_SIZE_OF_TEAM) else { return done };
    // A parallel region then has fewer threads than its team.
    let sets_threads = module.get_function(SETS_THREADS).is_some();
    let asked = Value::of(&asked);
    for call in asked.users() {
        if !(call.is(Opcode::LLVMCall) && call.callee() == Some(asked)) {
            continue;
        }
        let function = call.block().function();
        let shared = regions.iter().find(|shared| is_part(shared.region, function));
        // Without optimisation nothing takes the number's place.
        if function.is_not_optimised() || shared.is_some_and(|shared| shared.is_left) {
            continue;
        }
        let inits = shares_of(call);
        let is_spmd =
            |shared: &&Shared<'_>| shared.region.environment.is_some_and(|known| known.mode == ExecutionMode::Spmd);
        if let Some(shared) = shared.filter(is_spmd).filter(|_| !sets_threads) {
            for loops in inits.iter().filter_map(|init| Distributed::of(*init, shared.only_updates_copies)) {
                loops.start_once();
                // Without the loop over chunks, two functions would save some 2 registers, for half as much code again to compile.
                function.forget_choice();
                done.grid_strides.push(function);
            }
        }
        if !inits.is_empty() {
            call.replace_all_uses(Code::before(call).intrinsic(SIZE_OF_TEAM, &[]));
            call.erase();
            done.is_changed = true;
        }
    }
    done
}

impl HandedOut {
    /// Whether the module is another now.
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Whether a region has a loop that became a grid-stride loop.
    pub(crate) fn is_grid_stride(&self, region: &TargetRegion) -> bool {
        self.grid_strides.iter().any(|function| is_part(region, *function))
    }
}

/// Whether a function has a part of a region's kernel in it, or all of it, by the name that clang gives it.
pub(crate) fn is_part(region: &TargetRegion, function: Value) -> bool {
    let name = function.name();
    let rest = name.strip_prefix(region.symbol.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("_omp_outlined") || rest.starts_with("_debug__"))
}

/// The calls for which a number, be it widened, is how many iterations a team takes at a time.
fn shares_of(number: Value) -> Vec<Value> {
    let shares = |user: Value| {
        let is_share = user.is_call() && user.calls(|name| name.starts_with(SHARED_BY));
        match user.opcode() {
            Some(Opcode::LLVMZExt) => shares_of(user),
            _ if is_share && user.call_args().last() == Some(&number) => vec![user],
            _ => Vec::new(),
        }
    };
    number.users().into_iter().flat_map(shares).collect()
}
