//! The table of OpenMP runtime calls as clang 19 makes them: one row a function, with the number of its arguments.
//!
//! Nothing else in the plugin knows the runtime's names and argument positions.

use super::effects::effects;
use super::names::{begins_or_ends_life, is_block_operation, is_runtime_name};
use crate::common::reject::RejectReason;
use ipda_llvm::{Opcode, Value};
use ipda_symbolic::Signedness;

/// How iterations are handed to threads or teams (`enum sched_type` of the runtime).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// Chunks of a given size, in turn.
    StaticChunked,
    /// One block for each thread or team.
    Static,
    /// Chunks for whoever asks first.
    Dynamic,
    /// Likewise, with shrinking chunks.
    Guided,
    /// Chosen when the program runs.
    Runtime,
    /// Chosen by the implementation.
    Auto,
}

/// What a worksharing loop's iterations are shared among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// The teams of the league.
    Teams,
    /// The threads of a team.
    Threads,
}

/// Of schedule numbers: modifiers (monotonic, nonmonotonic) do not matter here.
const MODIFIERS: i64 = (1 << 29) | (1 << 30);

/// Static chunks that are rounded up to vectors, of `schedule(simd: static, n)`.
const IN_VECTORS: i64 = 45;

impl Schedule {
    /// Decodes a schedule number.
    fn decode(number: i64) -> Result<(Schedule, Sharing), RejectReason> {
        Ok(match number & !MODIFIERS {
            33 | 65 | IN_VECTORS => (Schedule::StaticChunked, Sharing::Threads),
            34 | 66 => (Schedule::Static, Sharing::Threads),
            35 | 67 => (Schedule::Dynamic, Sharing::Threads),
            36 | 68 => (Schedule::Guided, Sharing::Threads),
            37 | 69 => (Schedule::Runtime, Sharing::Threads),
            38 | 70 => (Schedule::Auto, Sharing::Threads),
            91 => (Schedule::StaticChunked, Sharing::Teams),
            92 => (Schedule::Static, Sharing::Teams),
            _ => return Err(RejectReason::UnknownSchedule { number }),
        })
    }
}

/// The set-up of a worksharing loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worksharing {
    pub schedule: Schedule,
    pub sharing: Sharing,
    /// Where the runtime leaves the first iteration of a chunk.
    pub lower: Value,
    /// Where the last one is.
    pub upper: Value,
    /// Where the step to the next chunk is.
    pub stride: Value,
    /// The chunk size that was asked for.
    pub chunk: Value,
    /// How the runtime reads iteration numbers: by the `u` in its function's name.
    pub reading: Signedness,
    /// The call.
    pub call: Value,
}

impl Worksharing {
    /// Whether chunks are rounded up to vectors.
    pub(crate) fn is_in_vectors(&self) -> bool {
        self.call.call_args()[2].as_int().is_some_and(|number| number & !MODIFIERS == IN_VECTORS)
    }
}

/// A runtime call that hands code to threads or teams.
#[derive(Debug, Clone)]
pub(crate) struct Outlined {
    pub body: Value,
    pub args: OutlinedArgs,
    /// Whether the call starts a parallel region (not a league of teams).
    pub parallel: bool,
}

/// How captured values travel to the outlined body.
#[derive(Debug, Clone)]
pub(crate) enum OutlinedArgs {
    /// As arguments of the runtime call (host).
    Direct(Vec<Value>),
    /// In an array of pointers (device).
    Array { array: Value, count: usize },
}

/// A call in a region.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// Starts outlined code.
    Outlined(Outlined),
    /// Prepares a static worksharing loop.
    StaticInit(Worksharing),
    /// Prepares a dynamic one: the bounds come chunk by chunk from `DispatchNext`.
    DispatchInit { schedule: Schedule, first: Value, last: Value, chunk: Value },
    /// Asks for the next chunk.
    DispatchNext { lower: Value, reading: Signedness },
    /// Allocates a variable that other threads may see.
    AllocShared { size: Value },
    /// Frees it.
    FreeShared,
    /// The plugin's own mark of where parallel code begins (`true`) or ends.
    ParallelMark(bool),
    /// A runtime function that reads or writes nothing that the analysis follows.
    Runtime,
    /// A function of another file whose effects are known ([`effects`](super::effects())).
    Known,
    /// An intrinsic of LLVM.
    Intrinsic,
    /// A function of the user.
    User(Value),
    /// A call through a pointer.
    Indirect,
}

fn arity(name: &str, args: &[Value], expected: usize) -> Result<(), RejectReason> {
    if args.len() == expected {
        Ok(())
    } else {
        Err(RejectReason::UnknownRuntimeShape { function: name.into(), found: args.len(), expected })
    }
}

fn body_of(value: Value, runtime: &str) -> Result<Value, RejectReason> {
    if value.is_function() && !value.is_declaration() {
        Ok(value)
    } else {
        Err(RejectReason::OutlinedBodyMissing { runtime: runtime.into() })
    }
}

/// Lets each team have one block of iterations.
pub(crate) fn make_one_block(init: Worksharing) {
    const SCHEDULE: u32 = 2;
    const DISTRIBUTED_STATIC: u64 = 92;
    let schedule = init.call.operand(SCHEDULE);
    init.call.set_operand(SCHEDULE, Value::int_of(schedule.ty(), DISTRIBUTED_STATIC));
}

/// Whether code may read what the call that prepares a shared loop leaves in its flag: whether the thread has the last iteration.
pub(crate) fn asks_for_last_iteration(init: Value) -> bool {
    const FLAG: u32 = 3;
    let flag = init.operand(FLAG);
    let mut pointers = vec![flag, if flag.is(Opcode::LLVMAddrSpaceCast) { flag.operand(0) } else { flag }];
    pointers.dedup();
    let is_harmless = |pointer: Value, user: Value| {
        let sets = user.is(Opcode::LLVMStore) && user.operand(1) == pointer && user.operand(0) != pointer;
        let reads_in_vain =
            || user.is(Opcode::LLVMLoad) && !user.is_volatile_or_atomic() && decides_nothing(user, MAX_USES);
        sets || pointers.contains(&user)
            || user == init
            || begins_or_ends_life(user)
            || is_other_init(user)
            || reads_in_vain()
    };
    pointers.iter().any(|&pointer| pointer.users().into_iter().any(|user| !is_harmless(pointer, user)))
}

/// Uses of uses that are followed.
const MAX_USES: u32 = 4;

/// Whether nothing depends on a value, as after a loop of which clang hands on counters that nobody reads.
fn decides_nothing(value: Value, depth: u32) -> bool {
    value.users().into_iter().all(|user| {
        depth > 0 && user.is_instruction() && user.is_cast_or_arithmetic() && decides_nothing(user, depth - 1)
    })
}

/// A flag is a variable of one loop, which may be prepared by copies of one call.
fn is_other_init(user: Value) -> bool {
    user.calls(is_static_init)
}

/// Decodes a call.
pub(crate) fn decode(call: Value) -> Result<Call, RejectReason> {
    let Some(callee) = call.callee() else {
        if call.is_assembly() {
            // A memory clobber alone orders accesses and makes none.
            let takes_values = !call.call_args().is_empty();
            return if takes_values { Err(RejectReason::Assembly) } else { Ok(Call::Runtime) };
        }
        return Ok(Call::Indirect);
    };
    callee.with_name(|name| decode_named(call, callee, name))
}

/// Whether all threads of a team come to an instruction before one goes on: a barrier, or where a parallel region begins or ends.
pub(crate) fn lets_threads_wait(instruction: Value) -> bool {
    instruction.is_call()
        && (instruction.calls(|name| {
            matches!(name, "__kmpc_barrier" | "__kmpc_barrier_simple_spmd" | "__kmpc_barrier_simple_generic")
        }) || matches!(decode(instruction), Ok(Call::ParallelMark(_))))
}

/// Whether a call says which iterations are next.
pub(crate) fn hands_out_iterations(call: Value) -> bool {
    matches!(decode(call), Ok(Call::StaticInit(_) | Call::DispatchNext { .. }))
}

fn decode_named(call: Value, callee: Value, name: &str) -> Result<Call, RejectReason> {
    if name.starts_with("llvm.") {
        return Ok(Call::Intrinsic);
    }
    let args = call.call_args();
    match name {
        "__kmpc_parallel_51" => {
            arity(name, &args, 9)?;
            if args[5].is_null() {
                return Ok(Call::ParallelMark(args[8].as_int() == Some(0)));
            }
            let body = body_of(args[5], name)?;
            let count = args[8].as_int().ok_or(RejectReason::ArgumentMismatch)?;
            let args = OutlinedArgs::Array { array: args[7], count: count as usize };
            Ok(Call::Outlined(Outlined { body, args, parallel: true }))
        }
        "__kmpc_fork_call" | "__kmpc_fork_teams" => {
            if args.len() < 3 {
                return Err(RejectReason::UnknownRuntimeShape {
                    function: name.into(),
                    found: args.len(),
                    expected: 3,
                });
            }
            if args[2].is_null() {
                return Ok(Call::ParallelMark(args[1].as_int() == Some(0)));
            }
            let body = body_of(args[2], name)?;
            let parallel = name == "__kmpc_fork_call";
            Ok(Call::Outlined(Outlined { body, args: OutlinedArgs::Direct(args[3..].to_vec()), parallel }))
        }
        "__kmpc_alloc_shared" => {
            arity(name, &args, 1)?;
            Ok(Call::AllocShared { size: args[0] })
        }
        "__kmpc_free_shared" => Ok(Call::FreeShared),
        _ if is_static_init(name) => {
            arity(name, &args, 9)?;
            let number = args[2].as_int().unwrap_or(-1);
            let (schedule, sharing) = Schedule::decode(number)?;
            Ok(Call::StaticInit(Worksharing {
                schedule,
                sharing,
                lower: args[4],
                upper: args[5],
                stride: args[6],
                chunk: args[8],
                reading: reading(name),
                call,
            }))
        }
        _ if name.starts_with("__kmpc_dispatch_init_") => {
            arity(name, &args, 7)?;
            let (schedule, _) = Schedule::decode(args[2].as_int().unwrap_or(-1))?;
            Ok(Call::DispatchInit { schedule, first: args[3], last: args[4], chunk: args[6] })
        }
        _ if name.starts_with("__kmpc_dispatch_next_") => {
            arity(name, &args, 6)?;
            Ok(Call::DispatchNext { lower: args[3], reading: reading(name) })
        }
        _ if name.starts_with("__kmpc_for_static_loop")
            || name.starts_with("__kmpc_distribute_static_loop")
            || name.starts_with("__kmpc_distribute_for_static_loop") =>
        {
            Err(RejectReason::LoopBodyCallback)
        }
        _ if name.starts_with("__kmpc_omp_task") || name.starts_with("__kmpc_taskloop") => {
            Err(RejectReason::Task { function: name.into() })
        }
        _ if is_runtime_name(name) || callee.is_declaration() && is_block_operation(name) => Ok(Call::Runtime),
        _ if callee.is_declaration() && effects(call).is_some() => Ok(Call::Known),
        _ => Ok(Call::User(callee)),
    }
}

fn reading(name: &str) -> Signedness {
    if name.ends_with('u') { Signedness::Unsigned } else { Signedness::Signed }
}

fn is_static_init(name: &str) -> bool {
    (name.starts_with("__kmpc_for_static_init_") || name.starts_with("__kmpc_distribute_static_init_"))
        && name.rsplit('_').next().is_some_and(|suffix| matches!(suffix, "4" | "4u" | "8" | "8u"))
}
