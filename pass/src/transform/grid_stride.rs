//! Threads that go through all their iterations of a distributed loop in one loop of their own.
//!
//! clang has a team take chunk after chunk, as many iterations as it has threads, and starts a parallel region for each:
//!
//! ```c
//! for (first = team * threads; first < n; first += teams * threads)   // distribute
//!   parallel for (i = first + thread; i <= min(first + threads, n) - 1; i += threads)
//!     body(i);
//! ```
//!
//! LLVM 19's runtime has a parallel region meet at barriers and set up the team's state in shared memory, also in SPMD mode: each thread
//! pays that for each of its iterations, and no two of them overlap. Here the team starts one parallel region for all its chunks. Each thread
//! has the same iterations as before, in the same order (a grid-stride loop: Harris, "CUDA Pro Tip: Write Flexible Kernels with
//! Grid-Stride Loops", 2013):
//!
//! ```c
//! first = team * threads;
//! if (first < n)
//!   parallel for (i = first + thread; i <= n - 1; i += teams * threads)
//!     body(i);
//! ```

use super::{combine, overlap};
use crate::analysis::dependences::{is_copy, is_list, is_listed};
use crate::openmp::{self, Call, OutlinedArgs, Schedule, Sharing, Worksharing, asks_for_last_iteration};
use crate::openmp::{NUMBER_OF_TEAMS, SIZE_OF_TEAM, begins_or_ends_life};
use ipda_llvm::{BlockId, Cfg, Code, IntPredicate, Opcode, Type, Value, integer};
use ipda_symbolic::Signedness;
use rustc_hash::FxHashSet;

/// NVIDIA's registers for the number of the team, and of the thread in its team.
const TEAM: &str = "llvm.nvvm.read.ptx.sreg.ctaid.x";
const THREAD: &str = "llvm.nvvm.read.ptx.sreg.tid.x";

/// What the runtime functions of a body may be, if it is entered once for all chunks, beside the end of reductions whose copies may be combined
/// once: none that counts on a chunk's end, or keeps a thread's variables.
const HARMLESS: [&str; 5] = [
    "__kmpc_for_static_fini",
    "__kmpc_global_thread_num",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_get_hardware_num_threads_in_block",
    "__kmpc_get_warp_size",
];

/// Which argument of a body is the last iteration that its threads are to go to.
const BOUND: usize = 3;

/// A distributed loop in a kernel in SPMD mode whose chunks have as many iterations as the team has threads, with the loop of its threads.
pub(super) struct Distributed {
    teams: Worksharing,
    threads: Worksharing,
    /// What each thread of a team runs.
    body: Value,
    /// Where the last iteration of a chunk is read for the parallel region.
    handed: Value,
}

impl Distributed {
    /// The loop that a call hands out to teams; none if it has another shape than clang's. `only_updates_copies`: what threads have of
    /// reductions is only updated in it, by the operation that combines it.
    pub(super) fn of(init: Value, only_updates_copies: bool) -> Option<Distributed> {
        let teams = static_init(init)?;
        if teams.schedule != Schedule::StaticChunked {
            return None;
        }
        let [(handed, region)] = loads(teams.upper)?.into_iter().filter_map(handed_on).collect::<Vec<_>>()[..] else {
            return None;
        };
        let (body, threads) = threads_of(region, only_updates_copies)?;
        let is_by_one = threads.schedule == Schedule::StaticChunked && threads.chunk.as_int() == Some(1);
        // Each thread would end with its own chunk.
        let asks_for_end = !loads(threads.upper)?.is_empty();
        let are_alike = handed.ty().int_bits() == type_of(threads.lower)?.int_bits();
        let is_counted =
            is_step(teams.stride) && is_step(threads.stride) && is_bound(*body.params().get(BOUND)?, threads);
        (is_by_one && !asks_for_end && are_alike && is_counted && starts_anew(body, threads)).then_some(Distributed {
            teams,
            threads,
            body,
            handed,
        })
    }

    /// Lets each team start one parallel region.
    pub(super) fn start_once(self) {
        let Distributed { teams, threads, body, handed } = self;
        // Parts of sums meet that did not before.
        for function in [teams.call.block().function(), body] {
            combine::reorder(function);
            combine::reorder_combiners(function);
        }
        let here = Code::before(teams.call);
        let ty = handed.ty();
        let last = here.load(ty, teams.upper);
        let count = count_of(&here, last, teams.reading);
        let (team, size) = (register(&here, TEAM), register(&here, SIZE_OF_TEAM));
        if asks_for_last_iteration(teams.call) {
            let chunk = here.binary(Opcode::LLVMUDiv, less_one(&here, count), size);
            let of = here.binary(Opcode::LLVMURem, chunk, register(&here, NUMBER_OF_TEAMS));
            tell_last(&here, teams.call, here.compare(IntPredicate::LLVMIntEQ, of, team));
        }
        let first =
            here.resize(least(&here, here.binary(Opcode::LLVMMul, team, size), count), ty, Signedness::Unsigned);
        here.store(first, teams.lower);
        // What comes behind adds the step to it.
        here.store(first, teams.upper);
        let rest = here.binary(Opcode::LLVMSub, here.resize(count, ty, Signedness::Unsigned), first);
        here.store(rest, teams.stride);
        handed.replace_all_uses(last);
        teams.call.erase();
        let cfg = Cfg::new(body);
        let counted = counted_loops(&cfg, threads).filter(|_| !tells_threads_apart(body, &mut FxHashSet::default()));
        for index in counted.map(|counted| counted.loops).unwrap_or_default() {
            cfg.loops[index].latch_terminators(&cfg).for_each(overlap::mark);
        }

        let here = Code::before(threads.call);
        let count = count_of(&here, here.load(ty, threads.upper), threads.reading);
        let thread = here.resize(here.intrinsic(THREAD, &[]), ty, Signedness::Unsigned);
        let first = here.binary(Opcode::LLVMAdd, here.load(ty, threads.lower), thread);
        here.store(first, threads.lower);
        let all = here.binary(Opcode::LLVMMul, register(&here, NUMBER_OF_TEAMS), register(&here, SIZE_OF_TEAM));
        let step = least(&here, all, count);
        here.store(here.resize(step, ty, Signedness::Unsigned), threads.stride);
        if asks_for_last_iteration(threads.call) {
            let (first, last) = (here.resize(first, count.ty(), Signedness::Unsigned), less_one(&here, count));
            let behind = here.binary(Opcode::LLVMSub, last, first);
            // Of nothing, nobody has the last.
            let divisor =
                here.binary(Opcode::LLVMOr, step, here.resize(is_zero(&here, step), step.ty(), Signedness::Unsigned));
            let is_met = is_zero(&here, here.binary(Opcode::LLVMURem, behind, divisor));
            let has_any = here.compare(IntPredicate::LLVMIntULT, first, count);
            tell_last(&here, threads.call, here.binary(Opcode::LLVMAnd, has_any, is_met));
        }
        threads.call.erase();
    }
}

/// The set-up of a shared loop by a call.
fn static_init(call: Value) -> Option<Worksharing> {
    match openmp::decode(call) {
        Ok(Call::StaticInit(init)) => Some(init),
        _ => None,
    }
}

/// Of the loads of a chunk's last iteration, the one that goes to a parallel region as its second argument, with the region's call.
fn handed_on(load: Value) -> Option<(Value, Value)> {
    let mut value = load;
    while !value.ty().is_pointer() {
        let [user] = value.users()[..] else { return None };
        if !matches!(user.opcode(), Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMIntToPtr)) {
            return None;
        }
        value = user;
    }
    let [store] = value.users()[..] else { return None };
    let slot = (store.is(Opcode::LLVMStore) && store.operand(0) == value).then(|| store.operand(1))?;
    let is_second = slot.is(Opcode::LLVMGetElementPtr) && slot.operand(slot.operand_count() - 1).as_int() == Some(1);
    let array = is_second.then(|| slot.operand(0))?;
    let calls: Vec<Value> =
        array.users().into_iter().filter(|user| user.is_call() && !begins_or_ends_life(*user)).collect();
    let [call] = calls[..] else { return None };
    Some((load, call))
}

/// The body of a parallel region that one call starts for all threads of the team, and the only loop that they share in it.
fn threads_of(region: Value, only_updates_copies: bool) -> Option<(Value, Worksharing)> {
    const IF: usize = 2;
    const NUM_THREADS: usize = 3;
    let Ok(Call::Outlined(outlined)) = openmp::decode(region) else { return None };
    let args = region.call_args();
    let starts_all = args.get(IF)?.as_int() == Some(1) && args.get(NUM_THREADS)?.as_int() == Some(-1);
    let is_device = matches!(outlined.args, OutlinedArgs::Array { .. });
    if !outlined.parallel || !starts_all || !is_device {
        return None;
    }
    shared_in(outlined.body, region, only_updates_copies)
}

/// The function that a call runs, or the one that stands for it with debug information, with the only loop among threads in it.
fn shared_in(body: Value, caller: Value, only_updates_copies: bool) -> Option<(Value, Worksharing)> {
    if !body.is_local() || body.users() != [caller] || waits(body, &mut FxHashSet::default()) || has_own_globals(body) {
        return None;
    }
    let is_harmless = |call: Value| {
        call.calls(|name| !name.starts_with("__kmpc_") || HARMLESS.contains(&name))
            || only_updates_copies && openmp::combines_copies(call)
    };
    let (mut found, mut own) = (Vec::new(), Vec::new());
    for call in body.instructions().filter(|instruction| instruction.is_call()) {
        match openmp::decode(call).ok()? {
            Call::StaticInit(init) => found.push(init),
            Call::User(callee) => own.push((callee, call)),
            _ if is_harmless(call) => {}
            _ => return None,
        }
    }
    match (&found[..], &own[..]) {
        ([init], _) if init.sharing == Sharing::Threads => Some((body, *init)),
        ([], [(callee, call)]) if hands_on_bound(body, *call) => shared_in(*callee, *call, only_updates_copies),
        _ => None,
    }
}

/// Whether a function, or one that it calls, has a barrier: it may count on the one at the end of each chunk, too.
fn waits(function: Value, seen: &mut FxHashSet<Value>) -> bool {
    let is_barrier = |call: Value| {
        let is_named = |name: &str| name.starts_with("__kmpc_barrier") || name.starts_with("llvm.nvvm.bar");
        call.calls(is_named) || call.is_assembly() && call.is_convergent()
    };
    seen.insert(function)
        && function.instructions().filter(|value| value.is_call()).any(|call| {
            let callee = call.callee().filter(|callee| is_followed(*callee));
            is_barrier(call) || callee.is_some_and(|callee| waits(callee, seen))
        })
}

/// Whether a function, or one that it calls, asks for the number of a thread or a team, or how many there are: it may have memory for each of them.
fn tells_threads_apart(function: Value, seen: &mut FxHashSet<Value>) -> bool {
    let asks = |name: &str| openmp::tells_users_numbers(name) || name.starts_with("omp_get_num_t");
    seen.insert(function)
        && function.instructions().filter(|value| value.is_call()).any(|call| {
            let callee = call.callee().filter(|callee| is_followed(*callee));
            call.calls(asks) || callee.is_some_and(|callee| tells_threads_apart(callee, seen))
        })
}

/// Whether a function is the program's: what the runtime's do, their names tell.
fn is_followed(function: Value) -> bool {
    function.is_function() && !function.is_declaration() && !function.with_name(openmp::is_runtime_name)
}

/// Whether a body uses variables of its own that are no local ones: memory that a team shares, and what an `allocate` clause puts there.
fn has_own_globals(body: Value) -> bool {
    fn is_own(value: Value) -> bool {
        match value.is_global_variable() {
            true => !value.is_constant_global() && (value.is_local() || !value.ty().is_generic_pointer()),
            false => value.is_constant() && !value.is_function() && value.operands().any(is_own),
        }
    }
    body.instructions().flat_map(Value::operands).any(is_own)
}

/// Whether a call in a body gets the last iteration as the body does, and nobody else.
fn hands_on_bound(body: Value, call: Value) -> bool {
    let (Some(bound), Some(handed)) = (body.params().get(BOUND).copied(), call.call_args().get(BOUND).copied()) else {
        return false;
    };
    let kept = handed.is(Opcode::LLVMLoad).then(|| handed.operand(0));
    let is_kept =
        |store: Value| store.is(Opcode::LLVMStore) && store.operand(0) == bound && Some(store.operand(1)) == kept;
    let is_only = kept.and_then(loads).is_some_and(|loads| loads == [handed]) && handed.users() == [call];
    is_only && matches!(bound.users()[..], [store] if is_kept(store))
}

/// All loads of a variable of clang's for a shared loop; none where it is used in other ways than such variables are.
fn loads(variable: Value) -> Option<Vec<Value>> {
    if !variable.is(Opcode::LLVMAlloca) {
        return None;
    }
    let mut loads = Vec::new();
    for user in variable.users() {
        match user.opcode() {
            Some(Opcode::LLVMLoad) => loads.push(user),
            Some(Opcode::LLVMStore) if user.operand(1) == variable && user.operand(0) != variable => {}
            Some(Opcode::LLVMCall) if static_init(user).is_some() || begins_or_ends_life(user) => {}
            _ => return None,
        }
    }
    Some(loads)
}

/// The type of what is in a variable.
fn type_of(variable: Value) -> Option<Type> {
    loads(variable)?.first().map(|load| load.ty())
}

/// Whether a variable is only added to others.
fn is_step(variable: Value) -> bool {
    let is_added = |load: Value| load.users().into_iter().all(|user| user.is(Opcode::LLVMAdd));
    loads(variable).is_some_and(|loads| loads.into_iter().all(is_added))
}

/// Whether a number, the last iteration of the team, is only compared with, and where the loop of the threads begins as its last iteration.
fn is_bound(number: Value, threads: Worksharing) -> bool {
    number.users().into_iter().all(|user| match user.opcode() {
        Some(Opcode::LLVMICmp) => true,
        // Unsigned numbers are compared with one more.
        Some(Opcode::LLVMTrunc | Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMAdd) => is_bound(user, threads),
        Some(Opcode::LLVMStore) if user.operand(0) == number => {
            let kept = user.operand(1);
            kept == threads.upper
                || loads(kept).is_some_and(|loads| loads.into_iter().all(|load| is_bound(load, threads)))
        }
        _ => false,
    })
}

/// Whether no iteration finds in a variable of the thread's own what an earlier one left there: each chunk begins with new ones.
fn starts_anew(body: Value, threads: Worksharing) -> bool {
    let cfg = Cfg::new(body);
    let Some(counted) = counted_loops(&cfg, threads) else { return false };
    let own = [Some(threads.lower), Some(threads.upper), Some(threads.stride), counted.variable];
    let allocas = body.instructions().filter(|value| value.is(Opcode::LLVMAlloca) && !own.contains(&Some(*value)));
    let ends = returning(&cfg);
    // An iteration that does not come back to the loop is one, too.
    let is_in_loop = |block| counted.loops.iter().any(|&index| cfg.loops[index].contains(block));
    let is_inside = |user: &Value| cfg.id(user.block()).is_none_or(|block| is_in_loop(block) || !ends.contains(&block));
    let is_local = |variable: &Value| variable.block() == cfg.blocks[0];
    allocas.into_iter().all(|variable| {
        // Each time that it is run, it makes another one.
        if !is_local(&variable) {
            return false;
        }
        let (users, before): (Vec<Value>, Vec<Value>) = variable.users().into_iter().partition(is_inside);
        let is_load = |user: &Value| user.is(Opcode::LLVMLoad);
        let is_store =
            |user: &Value| user.is(Opcode::LLVMStore) && user.operand(1) == variable && user.operand(0) != variable;
        // Declared in the loop.
        if users.iter().any(|user| begins_or_ends_life(*user)) {
            return true;
        }
        // Whoever has its address, as references have, may write to it in the loop.
        let is_plain = |user: &Value| {
            is_load(user)
                || is_store(user)
                || begins_or_ends_life(*user)
                || user.is_call() && static_init(*user).is_some()
        };
        if users.is_empty() && is_list(variable) {
            return true;
        }
        let is_copy = is_copy(variable);
        let is_listed = |user: &Value| is_copy && user.is(Opcode::LLVMStore) && is_listed(*user, variable);
        if !before.iter().all(|user| is_plain(user) || is_listed(user)) {
            return false;
        }
        // Whoever started a reduction knows that it is only updated.
        if is_copy {
            return users.iter().all(|user| is_load(user) || is_store(user));
        }
        // Only read there.
        if users.iter().all(is_load) {
            return true;
        }
        let (loads, others): (Vec<Value>, Vec<Value>) = users.into_iter().partition(is_load);
        let is_set = |load: &Value| others.iter().any(|store| comes_first(&cfg, *store, *load));
        others.iter().all(is_store) && loads.iter().all(is_set)
    })
}

/// The blocks that a function may return from, later.
fn returning(cfg: &Cfg) -> FxHashSet<BlockId> {
    let returns = |block: &BlockId| cfg.blocks[*block].terminator().is_some_and(|end| end.is(Opcode::LLVMRet));
    let mut open: Vec<BlockId> = (0..cfg.blocks.len()).filter(returns).collect();
    let mut found: FxHashSet<BlockId> = open.iter().copied().collect();
    while let Some(block) = open.pop() {
        open.extend(cfg.predecessors[block].iter().filter(|before| found.insert(**before)));
    }
    found
}

/// The loops of the threads: one, or several of which one runs.
struct Counted {
    loops: Vec<usize>,
    /// What counts the one loop, where that is no value of its own.
    variable: Option<Value>,
}

/// The loops that begin with the first iteration of the thread; none if they are not known, or if a value other than that of the counter goes from one
/// iteration to the next.
fn counted_loops(cfg: &Cfg, threads: Worksharing) -> Option<Counted> {
    let firsts = loads(threads.lower)?;
    let users: Vec<Value> = firsts.iter().flat_map(|first| first.users()).collect();
    let outermost: Vec<usize> = (0..cfg.loops.len()).filter(|index| cfg.loops[*index].parent.is_none()).collect();
    let header = |index: usize| cfg.blocks[cfg.loops[index].header];
    let kept: Vec<Value> = users.iter().copied().filter(|user| user.is(Opcode::LLVMStore)).collect();
    if let [start] = kept[..] {
        let counter = start.operand(1);
        let is_counted = |index: &usize| {
            header(*index).instructions().any(|value| value.is(Opcode::LLVMLoad) && value.operand(0) == counter)
        };
        let [index] = outermost.into_iter().filter(is_counted).collect::<Vec<_>>()[..] else { return None };
        return Some(Counted { loops: vec![index], variable: Some(counter) });
    }
    let phis = |index: usize| header(index).instructions().filter(|value| value.is(Opcode::LLVMPHI));
    let is_counted = |index: &usize| phis(*index).any(|phi| users.contains(&phi));
    let loops: Vec<usize> = outermost.into_iter().filter(is_counted).collect();
    let are_counters_alone = loops.iter().all(|&index| phis(index).count() == 1);
    (kept.is_empty() && !loops.is_empty() && are_counters_alone).then_some(Counted { loops, variable: None })
}

/// Whether an instruction runs before another one wherever that runs.
fn comes_first(cfg: &Cfg, earlier: Value, later: Value) -> bool {
    if earlier.block() == later.block() {
        return earlier.block().instructions().find(|value| [earlier, later].contains(value)) == Some(earlier);
    }
    let blocks = (cfg.id(earlier.block()), cfg.id(later.block()));
    matches!(blocks, (Some(earlier), Some(later)) if cfg.dominates(earlier, later))
}

/// One more than the number of the last iteration, in 64 bits.
fn count_of(here: &Code, last: Value, reading: Signedness) -> Value {
    let wide = here.resize(last, integer(last, 64), reading);
    here.binary(Opcode::LLVMAdd, wide, Value::int_of(wide.ty(), 1))
}

/// What a register has, in 64 bits.
fn register(here: &Code, name: &str) -> Value {
    let value = here.intrinsic(name, &[]);
    here.resize(value, integer(value, 64), Signedness::Unsigned)
}

fn less_one(here: &Code, number: Value) -> Value {
    here.binary(Opcode::LLVMSub, number, Value::int_of(number.ty(), 1))
}

fn is_zero(here: &Code, number: Value) -> Value {
    here.compare(IntPredicate::LLVMIntEQ, number, Value::int_of(number.ty(), 0))
}

/// Leaves, as the runtime does for a call, whether there is the last iteration of all.
fn tell_last(here: &Code, init: Value, is_last: Value) {
    const FLAG: u32 = 3;
    here.store(here.resize(is_last, integer(is_last, 32), Signedness::Unsigned), init.operand(FLAG));
}

fn least(here: &Code, left: Value, right: Value) -> Value {
    here.select(here.compare(IntPredicate::LLVMIntULT, left, right), left, right)
}
