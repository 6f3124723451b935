//! The functions that clang spreads a combined construct over, from the kernel to the loop's body, and copies of them that get more
//! parameters.
//!
//! ```text
//! kernel(A, n) -> outlined(team, A, n) -> body(thread, low, high, A, n)
//! kernel(A, n) -> outlined.ipda(team, A, n, choice, trips) -> body.ipda(thread, low, high, A, n, choice, trips)
//! ```

use super::check;
use super::helpers::leaves_own_results;
use crate::analysis::finished::marks;
use crate::openmp::{self, Call, OutlinedArgs, Sharing, Worksharing};
use ipda_llvm::{
    Cfg, Code, IntPredicate, Opcode, Session, Type, Value, add_without_sign, compare_without_sign, integer,
};
use ipda_symbolic::Signedness;

/// Functions from a kernel to a shared loop, and functions of a region with shared loops, beyond which it is given up.
const MAX_LINKS: usize = 8;
const MAX_FUNCTIONS: usize = 64;

/// Captured values that the device's runtime can hand to a parallel region: it traps at more.
const MAX_CAPTURED: usize = 64;

/// The functions that lead to the loops that threads share, from the kernel on.
pub(super) struct Chain {
    /// The kernel first, each behind the one that leads to it.
    pub functions: Vec<Value>,
    /// How each but the kernel is come to, in the same order.
    ways: Vec<Way>,
    /// The one of them that starts the device's runtime, by its place: the kernel, or what it wraps where variables are described for
    /// debuggers. The kernel where no runtime is started.
    pub head: usize,
    /// The shared loops in the order in which they run.
    pub loops: Vec<SharedPlace>,
}

/// Where a shared loop is: in which of the functions, and which one there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedPlace {
    pub function: usize,
    pub nth: usize,
}

/// A call that leads from one function to another.
#[derive(Debug, Clone, Copy)]
struct Way {
    from: usize,
    /// Its place among the instructions.
    place: usize,
}

impl Chain {
    pub(super) fn find(session: Session, kernel: Value) -> Result<Chain, String> {
        let mut chain = Chain { functions: vec![kernel], ways: Vec::new(), head: 0, loops: Vec::new() };
        if !chain.follow(session, 0, 0)? {
            return Err("it has no loop that threads share".into());
        }
        // Who runs it waits for nobody, though its ends look like barriers.
        let mut holders = chain.loops.iter().map(|place| chain.functions[place.function]);
        if chain.loops.len() > 1 && holders.any(starts_parallel_region) {
            return Err(
                "it has a parallel region inside of another one, beside several loops that threads share".into()
            );
        }
        Ok(chain)
    }

    /// Whether a function leads to shared loops.
    fn follow(&mut self, session: Session, at: usize, depth: usize) -> Result<bool, String> {
        let function = self.functions[at];
        if self.head == 0 && starts_runtime(function) {
            self.head = at;
        }
        let own = shared_by_threads(function).len();
        if own > 0 {
            self.loops.extend((0..own).map(|nth| SharedPlace { function: at, nth }));
            return Ok(true);
        }
        let mut leads = false;
        for call in calls_in_order(function) {
            let next = match callee(call) {
                Ok(Some(next)) => next,
                Ok(None) => continue,
                Err(_) if leaves_own_results(session, call) => continue,
                Err(problem) => return Err(problem),
            };
            let is_known = next.is_declaration() || self.functions.contains(&next);
            if is_known || depth > MAX_LINKS || self.functions.len() == MAX_FUNCTIONS {
                return Err("its code was not found, or runs in several places".into());
            }
            let place =
                function.instructions().position(|value| value == call).expect("an instruction of the function");
            self.functions.push(next);
            self.ways.push(Way { from: at, place });
            leads |= self.follow(session, self.functions.len() - 1, depth + 1)?;
        }
        Ok(leads)
    }

    /// The function that leads to this one; none of the kernel.
    pub(super) fn above(&self, function: usize) -> Option<usize> {
        Some(self.ways[function.checked_sub(1)?].from)
    }

    /// The functions from the kernel to this one.
    pub(super) fn path_to(&self, function: usize) -> Vec<usize> {
        let mut path: Vec<usize> = std::iter::successors(Some(function), |&at| self.above(at)).collect();
        path.reverse();
        path
    }

    /// The call that leads to a function, in the function that leads there or in a copy of that one.
    pub(super) fn call_to(&self, function: usize, from: Value) -> Value {
        from.instructions().nth(self.ways[function - 1].place).expect("a copy has the same instructions")
    }

    /// The call that leads to a function, in a copy of the kernel for analysis.
    pub(super) fn entry_of(&self, function: usize, copy: Value) -> Option<Value> {
        call_between(copy, self.functions[function])
    }

    /// Removes what the kernel no longer leads to.
    pub(super) fn erase(&self) {
        let mut functions = self.functions[1..].to_vec();
        while let Some(at) = functions.iter().position(|function| function.users().is_empty()) {
            let unused = functions.swap_remove(at);
            let named = unused.instructions().flat_map(Value::operands).filter(|value| value.is_function());
            // The runtime starts some by wrappers.
            let wrappers: Vec<Value> = named.filter(|value| is_wrapper_of(*value, &functions)).collect();
            unused.erase_function();
            functions.extend(wrappers);
        }
    }

    /// Copies some functions, with all that lead to them but the kernel, each with as many more parameters of 64 bits as `extra` says, which are
    /// handed down. The copies by the functions' places, and the wrappers by which the runtime starts some of them.
    pub(super) fn copy(
        &self,
        wanted: &[usize],
        extra: impl Fn(usize) -> usize,
    ) -> Result<(Vec<Option<Value>>, Vec<Value>), String> {
        let mut copies: Vec<Option<Value>> = vec![None; self.functions.len()];
        for at in wanted.iter().flat_map(|&function| self.path_to(function)).filter(|&at| at > 0) {
            copies[at].get_or_insert_with(|| with_more(self.functions[at], extra(at) as u32));
        }
        // Leading one call elsewhere moves the places of others.
        let link = |at: usize| Some((at, copies[self.above(at)?]?, copies[at]?));
        let links: Vec<(usize, Value, Value, Value)> =
            (1..copies.len()).filter_map(link).map(|(at, from, to)| (at, self.call_to(at, from), from, to)).collect();
        let mut wrappers = Vec::new();
        for (at, call, from, to) in links {
            let params = from.params();
            wrappers.extend(lead_to(call, self.functions[at], to, &params[params.len() - extra(at)..])?);
        }
        Ok((copies, wrappers))
    }
}

/// A copy of a function with `extra` more parameters of 64 bits behind its own.
fn with_more(function: Value, extra: u32) -> Value {
    function.clone_to_run(extra, ".ipda")
}

/// Where a function leads to another one, directly or by the runtime.
pub(super) fn call_between(function: Value, next: Value) -> Option<Value> {
    function.instructions().find(|call| call.is_call() && callee(*call) == Ok(Some(next)))
}

/// The calls of a function, in the order in which its blocks run.
fn calls_in_order(function: Value) -> Vec<Value> {
    let cfg = Cfg::new(function);
    cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is_call()).collect()
}

/// The function of the compiler's that a call leads to, directly or by the runtime; none for calls of the runtime's own.
fn callee(call: Value) -> Result<Option<Value>, String> {
    match openmp::decode(call) {
        Ok(Call::Outlined(outlined)) => Ok(Some(outlined.body)),
        Ok(Call::User(callee)) if openmp::is_made_by_compiler(&callee.name()) => Ok(Some(callee)),
        Ok(Call::User(_) | Call::Indirect) => Err("it runs other code around the loop".into()),
        _ => Ok(None),
    }
}

/// Lets a call, direct or by the runtime, lead to another function that takes more. The wrapper that had to be copied for it, if any.
pub(super) fn lead_to(call: Value, from: Value, to: Value, extra: &[Value]) -> Result<Option<Value>, String> {
    match openmp::decode(call) {
        Ok(Call::Outlined(outlined)) => match outlined.args {
            OutlinedArgs::Array { array, count } => {
                extend_array(call, array, count, to, extra)?;
                let wrapper = call.operand(WRAPPER);
                if wrapper.is_null() {
                    return Ok(None);
                }
                let wrapper = copy_of_wrapper(wrapper, from, to, count, extra.len())?;
                call.set_operand(WRAPPER, wrapper);
                Ok(Some(wrapper))
            }
            OutlinedArgs::Direct(_) => {
                extend_call(call, to, extra);
                Ok(None)
            }
        },
        _ => {
            call_instead(call, to, extra);
            Ok(None)
        }
    }
}

/// Whether a function calls one of some others, in the way of clang's wrappers.
fn is_wrapper_of(function: Value, others: &[Value]) -> bool {
    openmp::is_made_by_compiler(&function.name())
        && !others.contains(&function)
        && function.instructions().any(|call| call.callee().is_some_and(|callee| others.contains(&callee)))
}

/// The position of the wrapper among the arguments of `__kmpc_parallel_51`.
const WRAPPER: u32 = 6;

/// A copy of the function by which waiting threads start their work, for work that takes more captured values.
fn copy_of_wrapper(wrapper: Value, from: Value, to: Value, count: usize, extra: usize) -> Result<Value, String> {
    let copy = with_more(wrapper, 0);
    let find = |is_it: &dyn Fn(&Value) -> bool| {
        copy.instructions().find(|value| value.is_call() && value.callee().is_some_and(|callee| is_it(&callee)))
    };
    let captured = find(&|callee| callee.name() == "__kmpc_get_shared_variables");
    let (Some(captured), Some(start)) = (captured, find(&|callee| *callee == from)) else {
        copy.erase_function();
        return Err("its parallel construct has another form than clang's".into());
    };
    let here = Code::before(start);
    let pointer = captured.operand(0).ty();
    let array = here.load(pointer, captured.operand(0));
    let value = |at: usize| here.load(integer(start, 64), here.element(pointer, array, (count + at) as u64));
    let extra: Vec<Value> = (0..extra).map(value).collect();
    call_instead(start, to, &extra);
    Ok(copy)
}

/// Replaces a call by one of a copy of the callee with more arguments.
pub(super) fn call_instead(call: Value, callee: Value, extra: &[Value]) {
    let args = [&call.call_args()[..], extra].concat();
    let new = Code::before(call).call(callee, &args);
    new.set_convention_of(call);
    if !call.ty().is_void() {
        call.replace_all_uses(new);
    }
    call.erase();
}

/// Lets a runtime call of the host's start a copy of its body, with more captured values behind those that it is given.
fn extend_call(call: Value, body: Value, extra: &[Value]) {
    let mut args = call.call_args();
    // The second one counts them, the third one is the body.
    args[1] = Value::int_of(args[1].ty(), args[1].as_int().unwrap_or(0) as u64 + extra.len() as u64);
    args[2] = body;
    args.extend(extra);
    let Some(callee) = call.callee() else { return };
    let new = Code::before(call).call(callee, &args);
    new.set_convention_of(call);
    call.erase();
}

/// Lets a runtime call start a copy of its body, with more captured values in the array that it is given.
fn extend_array(call: Value, array: Value, count: usize, body: Value, extra: &[Value]) -> Result<(), String> {
    let variable = if array.is(Opcode::LLVMAddrSpaceCast) { array.operand(0) } else { array };
    if count + extra.len() > MAX_CAPTURED {
        return Err(format!(
            "its loops would need more than the {MAX_CAPTURED} variables from outside that OpenMP's runtime hands on"
        ));
    }
    if !variable.is(Opcode::LLVMAlloca) {
        return Err("its variables from outside are handed on in another form than clang's".into());
    }
    let new = variable.replaced_by_pointers(count + extra.len());
    let array = if array == variable { new } else { array };
    let (here, pointer) = (Code::before(call), Type::generic_pointer(call));
    for (at, &value) in extra.iter().enumerate() {
        let slot = here.element(pointer, array, (count + at) as u64);
        here.store(here.as_pointer(value, pointer), slot);
    }
    let length = call.call_args()[8];
    call.set_operand(5, body);
    call.set_operand(8, Value::int_of(length.ty(), (count + extra.len()) as u64));
    Ok(())
}

/// Whether a function, or one that it calls, starts a parallel region.
fn starts_parallel_region(function: Value) -> bool {
    let starts = |call: Value| matches!(openmp::decode(call), Ok(Call::Outlined(outlined)) if outlined.parallel);
    let all = marks::functions_of(function).into_iter().flat_map(Value::instructions);
    all.into_iter().filter(|value| value.is_call()).any(starts)
}

fn starts_runtime(function: Value) -> bool {
    function.instructions().any(check::starts_runtime)
}

/// The calls that prepare a function's loops which threads share, in the order in which they run.
pub(super) fn shared_by_threads(function: Value) -> Vec<Value> {
    let is_of_threads = |call: &Value| match openmp::decode(*call) {
        Ok(Call::StaticInit(init)) => init.sharing == Sharing::Threads,
        Ok(Call::DispatchInit { .. }) => true,
        _ => false,
    };
    let is_there = function.instructions().any(|value| value.is_call() && is_of_threads(&value));
    if !is_there {
        return Vec::new();
    }
    calls_in_order(function).into_iter().filter(is_of_threads).collect()
}

/// The last call before another one that prepares a loop which teams share.
pub(super) fn shared_by_teams(function: Value, before: Value) -> Option<Worksharing> {
    let calls = calls_in_order(function).into_iter().take_while(|call| *call != before);
    let inits = calls.filter_map(|call| match openmp::decode(call) {
        Ok(Call::StaticInit(init)) if init.sharing == Sharing::Teams => Some(init),
        _ => None,
    });
    inits.last()
}

/// Lets a shared loop run as many iterations as are made `of` its own number of them, in the code of the front end: there the last iteration's number is
/// a variable that is written once, or a constant.
pub(super) fn set_iterations(
    function: Value,
    init: &Worksharing,
    of: impl FnOnce(&Code, Value) -> Value,
) -> Result<(), String> {
    let missing = || "the shared loop has another form than clang's".to_string();
    let order: Vec<Value> = function.instructions().collect();
    let place = |value: &Value| order.iter().position(|other| other == value);
    // The first store is the loop's bound.
    let bound = stores_to(init.upper).min_by_key(place).ok_or_else(missing)?;
    let (store, uses) = match bound.operand(0) {
        last if last.is(Opcode::LLVMLoad) => (written_once(last.operand(0)).ok_or_else(missing)?, Vec::new()),
        last => (bound, uses_of_constant(init, bound, last).ok_or_else(missing)?),
    };
    let here = Code::before(store);
    let (value, wide) = (store.operand(0), integer(store, 64));
    let one = Value::int_of(wide, 1);
    let count = here.binary(Opcode::LLVMAdd, here.resize(value, wide, Signedness::Signed), one);
    let all = of(&here, count);
    let new = here.resize(here.binary(Opcode::LLVMSub, all, one), value.ty(), Signedness::Signed);
    let behind = here.resize(all, value.ty(), Signedness::Signed);
    store.set_operand(0, new);
    for (user, operand, what) in uses {
        user.set_operand(operand, if what == Bound::Last { new } else { behind });
    }
    Ok(())
}

/// Lets a loop over teams count without a sign, in the code of the front end, as `limit` has it.
pub(super) fn count_without_sign(init: &Worksharing) -> Result<(), String> {
    let counters = counters(init);
    let mut is_tested = false;
    for variable in [init.lower, init.upper].into_iter().chain(counters.iter().copied()) {
        for user in loads_of(variable).flat_map(|load| load.users()) {
            if user.is(Opcode::LLVMICmp) {
                is_tested |= counters == [variable];
                compare_without_sign(user);
            } else {
                add_without_sign(user);
            }
        }
    }
    if is_tested { Ok(()) } else { Err("the shared loop has another form than clang's".into()) }
}

/// The variables that begin at a shared loop's lower bound.
fn counters(init: &Worksharing) -> Vec<Value> {
    let starts = loads_of(init.lower).flat_map(|load| {
        load.users().into_iter().filter(move |user| user.is(Opcode::LLVMStore) && user.operand(0) == load)
    });
    let mut variables: Vec<Value> = starts.map(|store| store.operand(1)).collect();
    variables.dedup();
    variables
}

/// What a constant in the code of a loop's bounds is.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// The last iteration's number.
    Last,
    /// The next number.
    Behind,
}

/// The store to a variable that is else only read.
fn written_once(variable: Value) -> Option<Value> {
    let users = variable.users();
    let is_plain = |user: &Value| match user.opcode() {
        Some(Opcode::LLVMLoad) => true,
        Some(Opcode::LLVMStore) => user.operand(1) == variable,
        _ => user.is_call() && openmp::begins_or_ends_life(*user),
    };
    let stores: Vec<Value> = stores_to(variable).collect();
    let [store] = stores[..] else { return None };
    (is_only_way_to_local(variable) && users.iter().all(is_plain)).then_some(store)
}

/// Whether a value is a local variable, or the one pointer by which it is used where variables are in an address space of their own.
fn is_only_way_to_local(variable: Value) -> bool {
    if !variable.is(Opcode::LLVMAddrSpaceCast) {
        return variable.is(Opcode::LLVMAlloca);
    }
    let local = variable.operand(0);
    let is_known = |user: Value| user == variable || user.is_call() && openmp::begins_or_ends_life(user);
    local.is(Opcode::LLVMAlloca) && local.users().into_iter().all(is_known)
}

fn stores_to(variable: Value) -> impl Iterator<Item = Value> {
    variable.users().into_iter().filter(move |user| user.is(Opcode::LLVMStore) && user.operand(1) == variable)
}

fn loads_of(variable: Value) -> impl Iterator<Item = Value> {
    variable.users().into_iter().filter(move |user| user.is(Opcode::LLVMLoad))
}

/// Where else a loop's code has the number of its last iteration, or the next one, as constants; none where it has other constants there, or
/// does not hold what the runtime gives it against its bound. The runtime's upper bound may not exceed the last number, and the loop's variable,
/// which begins at the lower bound, stays below the next.
fn uses_of_constant(init: &Worksharing, first: Value, last: Value) -> Option<Vec<(Value, u32, Bound)>> {
    let last_number = last.as_int()?;
    let mut uses = Vec::new();
    let compared = |variable: Value| {
        let users = loads_of(variable).flat_map(|load| load.users());
        users.filter(|user| user.is(Opcode::LLVMICmp) && user.operands().any(|operand| operand.as_int().is_some()))
    };
    for test in compared(init.upper) {
        let is_it = matches!(test.int_predicate(), IntPredicate::LLVMIntSGT | IntPredicate::LLVMIntUGT)
            && test.operand(1) == last;
        uses.push(is_it.then_some((test, 1, Bound::Last))?);
    }
    if uses.is_empty() {
        return None;
    }
    for store in stores_to(init.upper).filter(|&store| store != first) {
        let value = store.operand(0);
        // It is written anew before the runtime sees it.
        if value.as_int().is_some() {
            return None;
        }
        if value.is(Opcode::LLVMPHI) {
            for at in 0..value.operands().count() as u32 {
                if value.operand(at).as_int().is_some() {
                    uses.push((value.operand(at) == last).then_some((value, at, Bound::Last))?);
                }
            }
        }
    }
    for test in counters(init).into_iter().flat_map(compared) {
        let is_it = matches!(test.int_predicate(), IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntULT)
            && last_number.checked_add(1).is_some_and(|behind| test.operand(1).as_int() == Some(behind));
        uses.push(is_it.then_some((test, 1, Bound::Behind))?);
    }
    Some(uses)
}
