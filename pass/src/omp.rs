//! The table of OpenMP runtime calls as clang 19 makes them: one row a function, with the number of its arguments.
//!
//! Nothing else in the plugin knows the runtime's names and argument positions.

use crate::ir::{Opcode, TypeKind, Value};
use crate::reject::RejectReason;
use inkwell::module::Module;
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

impl Schedule {
    /// Decodes a schedule number; modifiers (monotonic, nonmonotonic) do not matter here.
    fn decode(number: i64) -> Result<(Schedule, Sharing), RejectReason> {
        const MODIFIERS: i64 = (1 << 29) | (1 << 30);
        Ok(match number & !MODIFIERS {
            33 | 65 | 45 => (Schedule::StaticChunked, Sharing::Threads),
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
    /// The chunk size that was asked for.
    pub chunk: Value,
    /// How the runtime reads iteration numbers: by the `u` in its function's name.
    pub reading: Signedness,
    /// The call.
    pub call: Value,
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

/// Whether a name is a function of C's mathematics library: it touches no memory of the program (but errno).
fn is_math_name(name: &str) -> bool {
    const NAMES: [&str; 42] = [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp10",
        "exp2",
        "expm1",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "hypot",
        "ldexp",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "nearbyint",
        "pow",
        "remainder",
        "rint",
        "round",
        "sin",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ];
    NAMES.contains(&name) || name.strip_suffix(['f', 'l']).is_some_and(|base| NAMES.contains(&base))
}

/// A function's name without what compilers for host and device add to it: `sqrt` for `llvm.sqrt.f32`, `sqrtf`, `__nv_sqrtf`.
pub(crate) fn plain_name(name: &str) -> &str {
    let name = name.strip_prefix("__nv_").unwrap_or(name);
    let name = name.strip_prefix("llvm.").and_then(|name| name.split('.').next()).unwrap_or(name);
    match name.strip_suffix(['f', 'l']).filter(|base| is_math_name(base)).unwrap_or(name) {
        "maxnum" => "fmax",
        "minnum" => "fmin",
        name => name,
    }
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

/// Whether a function computes its result from its arguments alone, which are numbers.
pub(crate) fn is_function_of_numbers(name: &str) -> bool {
    is_pure_intrinsic(name) || is_math_name(name) || name.strip_prefix("__nv_").is_some_and(is_math_name)
}

/// Whether a call computes its result from its arguments alone, which are numbers, and does nothing else.
pub(crate) fn computes_a_number(call: Value) -> bool {
    call.calls(|name| is_pure_intrinsic(name) || is_device_mathematics(name) && takes_and_returns_numbers(call))
}

/// Whether a name is reserved for the device's library of mathematics, which clang's headers call in place of C's. Unlike C's it has no
/// errno, and what is declared convergent in it, as all device code is, needs no other threads.
fn is_device_mathematics(name: &str) -> bool {
    ["__nv_", "__ocml_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a call is told no address where it might leave a second result, and has a first.
fn takes_and_returns_numbers(call: Value) -> bool {
    use TypeKind::{LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMHalfTypeKind, LLVMIntegerTypeKind};
    let is_number = |value: Value| {
        let kind = value.ty().scalar().0.kind();
        matches!(kind, LLVMIntegerTypeKind | LLVMHalfTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind)
    };
    is_number(call) && call.call_args().into_iter().all(is_number)
}

/// Whether a function is an intrinsic that computes its result from its arguments alone, which are numbers.
pub(crate) fn is_pure_intrinsic(name: &str) -> bool {
    const NAMES: [&str; 48] = [
        "abs",
        "bitreverse",
        "bswap",
        "canonicalize",
        "ceil",
        "copysign",
        "cos",
        "ctlz",
        "ctpop",
        "cttz",
        "exp",
        "exp10",
        "exp2",
        "fabs",
        "floor",
        "fma",
        "fmuladd",
        "fptosi",
        "fptoui",
        "fshl",
        "fshr",
        "is",
        "ldexp",
        "llrint",
        "llround",
        "log",
        "log10",
        "log2",
        "lrint",
        "lround",
        "maximum",
        "maxnum",
        "minimum",
        "minnum",
        "nearbyint",
        "pow",
        "powi",
        "rint",
        "round",
        "roundeven",
        "sin",
        "smax",
        "smin",
        "sqrt",
        "tan",
        "trunc",
        "umax",
        "umin",
    ];
    name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()).is_some_and(|name| NAMES.contains(&name))
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

/// Whether a call tells which iterations are next.
pub(crate) fn hands_out_iterations(call: Value) -> bool {
    matches!(decode(call), Ok(Call::StaticInit(_) | Call::DispatchNext { .. }))
}

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

/// Lets each team have one block of iterations.
pub(crate) fn make_one_block(init: Worksharing) {
    const SCHEDULE: u32 = 2;
    const DISTRIBUTED_STATIC: u64 = 92;
    let schedule = init.call.operand(SCHEDULE);
    init.call.set_operand(SCHEDULE, Value::int_of(schedule.ty(), DISTRIBUTED_STATIC));
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
        _ if is_runtime_name(name) || callee.is_declaration() && (is_math_name(name) || is_block_operation(name)) => {
            Ok(Call::Runtime)
        }
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

/// Execution mode of a kernel by the third byte of its environment (`OMPTgtExecModeFlags`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionMode {
    Generic,
    Spmd,
    /// Generic as written, SPMD after optimisation.
    MadeSpmd,
}

impl ExecutionMode {
    fn decode(byte: i64) -> Option<ExecutionMode> {
        match byte {
            1 => Some(ExecutionMode::Generic),
            2 => Some(ExecutionMode::Spmd),
            3 => Some(ExecutionMode::MadeSpmd),
            _ => None,
        }
    }
}

/// What a kernel's environment says: `{ ConfigurationEnvironment { i8, i8, i8 mode, i32 least threads, i32 most threads, .. }, .. }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelEnvironment {
    pub mode: ExecutionMode,
    /// The most threads that a team may have (`num_threads`, `thread_limit`), where that is limited.
    pub most_threads: Option<u32>,
}

impl KernelEnvironment {
    pub(crate) fn of_global(environment: Value) -> Option<KernelEnvironment> {
        let configuration = environment.initializer()?.aggregate_element(0)?;
        let number = |index| configuration.aggregate_element(index)?.as_int();
        KernelEnvironment::new(number(2)?, number(4)?)
    }

    /// The same from the bytes of a finished image.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<KernelEnvironment> {
        let most = i32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?);
        KernelEnvironment::new(i64::from(*bytes.get(2)?), i64::from(most))
    }

    fn new(mode: i64, most_threads: i64) -> Option<KernelEnvironment> {
        let most_threads = u32::try_from(most_threads).ok().filter(|&most| most > 0);
        Some(KernelEnvironment { mode: ExecutionMode::decode(mode)?, most_threads })
    }
}

/// A kernel's name taken apart: `__omp_offloading_<device>_<file>_<function>_l<line>[_<count>]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelName {
    /// The mangled name of the function that contains the region.
    pub function: String,
    pub line: u32,
    /// Distinguishes several regions on one line.
    pub count: u32,
}

impl KernelName {
    pub(crate) const PREFIX: &str = "__omp_offloading_";

    pub(crate) fn parse(name: &str) -> Option<KernelName> {
        let rest = name.strip_prefix(Self::PREFIX)?;
        let (device, rest) = rest.split_once('_')?;
        let (file, rest) = rest.split_once('_')?;
        let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !hex(device) || !hex(file) {
            return None;
        }
        let (function, place) = rest.rsplit_once("_l")?;
        let (line, count) = place.split_once('_').unwrap_or((place, "0"));
        Some(KernelName { function: function.into(), line: line.parse().ok()?, count: count.parse().ok()? })
    }
}

/// The kernel launch of the host: `__tgt_target_kernel(ident, device, teams, threads, region id, arguments)`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch {
    pub region_id: Value,
    pub arguments: Value,
}

impl Launch {
    pub(crate) fn decode(call: Value) -> Option<Launch> {
        let args = call.call_args();
        (call.callee()?.name() == "__tgt_target_kernel" && args.len() == 6)
            .then(|| Launch { region_id: args[4], arguments: args[5] })
    }

    /// The kernel's name.
    pub(crate) fn kernel(self) -> Option<String> {
        self.region_id.with_name(|id| id.strip_prefix('.')?.strip_suffix(".region_id").map(str::to_owned))
    }

    /// What fills a field of the argument structure, wherever it is stored.
    pub(crate) fn fillers(self, field: i64) -> Vec<Value> {
        let stores = self.argument_stores().into_iter().filter(|&store| self.stored_field(store) == Some(field));
        stores.map(|store| store.operand(0)).collect()
    }

    /// Whether a mapper that the program declares may say what is mapped.
    pub(crate) fn has_mappers(self) -> bool {
        const MAPPERS: i64 = 7;
        let mappers = self.fillers(MAPPERS);
        mappers.is_empty() || !mappers.iter().all(|mappers| mappers.is_null())
    }

    /// The stores that fill the argument structure.
    pub(crate) fn argument_stores(self) -> Vec<Value> {
        let fields = self.arguments.users().into_iter().filter(|user| user.is(Opcode::LLVMGetElementPtr));
        let stores = fields.flat_map(Value::users).chain(self.arguments.users());
        stores.filter(|user| user.is(Opcode::LLVMStore)).collect()
    }

    /// The structure field that a store into the arguments fills: 1 count, 2 base pointers, 3 pointers, 4 sizes, 5 map
    /// types, 6 names, 7 mappers, 8 trip count.
    pub(crate) fn stored_field(self, store: Value) -> Option<i64> {
        let address = store.operand(1);
        if address == self.arguments {
            return Some(0);
        }
        (address.is(Opcode::LLVMGetElementPtr) && address.operand(0) == self.arguments && address.operand_count() == 3)
            .then(|| address.operand(2).as_int())
            .flatten()
    }
}

/// Whether clang was told that there are as many teams or threads as iterations (`-fopenmp-assume-teams-oversubscription`,
/// `-fopenmp-assume-threads-oversubscription`): the device's runtime may then run a loop's body once, without going round.
pub(crate) fn assumes_oversubscription(module: &Module<'_>) -> bool {
    const FLAGS: [&str; 2] = ["__omp_rtl_assume_teams_oversubscription", "__omp_rtl_assume_threads_oversubscription"];
    let is_set = |name: &str| {
        let value = module.get_global(name).and_then(|flag| Value::of(&flag).initializer());
        value.and_then(Value::as_int).is_some_and(|value| value != 0)
    };
    FLAGS.into_iter().any(is_set)
}

/// Whether the program says `requires unified_shared_memory` (`OMP_REQ_UNIFIED_SHARED_MEMORY` of an entry without a name).
pub(crate) fn requires_shared_memory(module: &Module<'_>) -> bool {
    const REQUIRES: i64 = 16;
    const SHARED_MEMORY: i64 = 8;
    let (flags, data) = (3, 4);
    let entry = module.get_global(".offloading.entry.").and_then(|entry| Value::of(&entry).initializer());
    let field = |field: u32| entry.and_then(|entry| entry.aggregate_element(field)?.as_int());
    field(flags) == Some(REQUIRES) && field(data).is_some_and(|data| data & SHARED_MEMORY != 0)
}

/// Flags of a map clause (`OpenMPOffloadMappingFlags`).
pub(crate) mod map_type {
    pub(crate) const TO: u64 = 0x1;
    pub(crate) const FROM: u64 = 0x2;
    /// Copied in, out, always, deleted: what happens to the data.
    pub(crate) const DIRECTIONS: u64 = 0xf;
    pub(crate) const LITERAL: u64 = 0x100;
    pub(crate) const IMPLICIT: u64 = 0x200;
    /// The entry is an argument of the kernel.
    pub(crate) const TARGET_PARAMETER: u64 = 0x20;
    pub(crate) const PRIVATE: u64 = 0x80;
    /// Which entry's member it is.
    pub(crate) const MEMBER_OF: u64 = 0xffff << 48;

    /// The map type in the words of the clause.
    pub(crate) fn describe(flags: u64) -> &'static str {
        match (flags & LITERAL != 0, flags & PRIVATE != 0, flags & TO != 0, flags & FROM != 0) {
            (true, ..) => "by-value",
            (_, true, true, _) => "firstprivate",
            (_, _, true, true) => "tofrom",
            (_, _, true, false) => "to",
            (_, _, false, true) => "from",
            (_, true, ..) => "private",
            _ => "alloc",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_names_are_taken_apart() {
        let name = |function: &str, line, count| Some(KernelName { function: function.into(), line, count });
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4"), name("gemm", 4, 0));
        assert_eq!(KernelName::parse("__omp_offloading_10_2f__Z3fooIdEvPT__l12_1"), name("_Z3fooIdEvPT_", 12, 1));
        assert_eq!(KernelName::parse("__omp_offloading_10_2f_my_l2_l7"), name("my_l2", 7, 0));
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4_omp_outlined"), None);
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4.omp_outlined"), None);
        assert_eq!(KernelName::parse("__omp_offloading_fe00_98c08f_gemm_l4_debug__"), None);
        assert_eq!(KernelName::parse("gemm"), None);
    }

    #[test]
    fn functions_have_one_name_on_both_sides() {
        let names = ["llvm.sqrt.f32", "sqrtf", "__nv_sqrtf", "llvm.sqrt.f64", "sqrt"].map(plain_name);
        assert_eq!(names, ["sqrt"; 5]);
        assert_eq!(["llvm.maxnum.f64", "fmaxf", "__nv_fmax"].map(plain_name), ["fmax"; 3]);
        assert_eq!(["erf", "erff", "f", "_Z4leafi"].map(plain_name), ["erf", "erf", "f", "_Z4leafi"]);
    }

    #[test]
    fn map_types_read_like_the_clause() {
        assert_eq!(map_type::describe(0x23), "tofrom");
        assert_eq!(map_type::describe(0x21), "to");
        assert_eq!(map_type::describe(0x320), "by-value");
        assert_eq!(map_type::describe(0x20), "alloc");
    }
}
