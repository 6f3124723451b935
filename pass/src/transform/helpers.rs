//! Calls of the program's own functions in and around the loops that threads share: before LLVM's inliner has run, accessors, constructors and the bodies of
//! lambdas are functions.
//!
//! ```text
//! for x in threads 0..n: row(&r, A, x); for j in 0..size(&r): store(&r, j)
//! for x in threads 0..n: r = A + x*m; for j in 0..m: r[j] = ..               in the copy that is changed
//! ```

use crate::analysis::dependences::is_copy;
use crate::openmp::{self, Call};
use ipda_llvm::{Builder, MemoryEffects, Opcode, Session, Value};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Instructions that a function may grow by.
const MAX_INLINED: usize = 4_000;

/// A function whose body is inlined, inside of others.
struct Around {
    function: Value,
    outer: Option<Rc<Around>>,
}

/// Replaces the calls of the program's functions in a copy of a function by their bodies, as far as that is possible.
pub(super) fn inline(function: Value) {
    let mut open: Vec<(Value, Option<Rc<Around>>)> =
        function.instructions().filter(|value| value.is_call()).map(|call| (call, None)).collect();
    let mut left = MAX_INLINED;
    while let Some((call, outer)) = open.pop() {
        let Ok(Call::User(callee)) = openmp::decode(call) else { continue };
        let is_active = std::iter::successors(outer.as_deref(), |at| at.outer.as_deref());
        let is_recursive = callee == function || is_active.into_iter().any(|around| around.function == callee);
        if is_recursive || openmp::is_made_by_compiler(&callee.name()) || !callee.has_definitive_body() {
            continue;
        }
        let Some(rest) = left.checked_sub(callee.instruction_count()) else { continue };
        if let Some(inside) = call.inline_to_run() {
            left = rest;
            let around = Rc::new(Around { function: callee, outer });
            open.extend(inside.into_iter().map(|call| (call, Some(Rc::clone(&around)))));
        }
    }
}

/// Gives a thread variables of its own for what clang allocates where other threads could see it, as it does with variables whose addresses are taken, where
/// no other thread learns of them. Whether there were any.
pub(super) fn keep_own_variables(function: Value) -> bool {
    let calls = function.instructions().filter(|value| value.is_call());
    let own: Vec<(Value, Value, u64, Vec<Value>)> = calls
        .filter_map(|call| {
            let Ok(Call::AllocShared { size }) = openmp::decode(call) else { return None };
            Some((call, size, u64::try_from(size.as_int()?).ok()?, ends_of_own(call)?))
        })
        .collect();
    for (call, size, bytes, ends) in &own {
        let first = function.first_instruction().expect("a block has a terminator");
        call.replace_all_uses(Builder::before(first).alloca_bytes(*size, *bytes));
        ends.iter().chain([call]).for_each(|value| value.erase());
    }
    !own.is_empty()
}

/// The calls that free memory whose address is nowhere but in one function; none where it may be elsewhere, or lives on.
fn ends_of_own(memory: Value) -> Option<Vec<Value>> {
    let (mut open, mut seen, mut ends) = (vec![memory], FxHashSet::default(), Vec::new());
    while let Some(pointer) = open.pop() {
        for user in pointer.users().into_iter().filter(|&user| seen.insert((user, pointer))).collect::<Vec<_>>() {
            match user.opcode()? {
                Opcode::LLVMLoad | Opcode::LLVMICmp => {}
                Opcode::LLVMStore if user.operand(0) != pointer => {}
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMPHI
                | Opcode::LLVMSelect => open.push(user),
                Opcode::LLVMCall if matches!(openmp::decode(user), Ok(Call::FreeShared)) && pointer == memory => {
                    ends.push(user);
                }
                Opcode::LLVMCall
                    if openmp::begins_or_ends_life(user)
                        || user.calls(|name| name.starts_with("llvm.mem"))
                            && openmp::block_operation(user).is_some() => {}
                _ => return None,
            }
        }
    }
    (!ends.is_empty()).then_some(ends)
}

/// Whether a call does nothing but to compute, to read, and to leave results in variables of each thread's own, as constructors and `sincos` do.
pub(super) fn leaves_own_results(session: Session, call: Value) -> bool {
    if !call.is(Opcode::LLVMCall) {
        return false;
    }
    let is_own = |pointer: Value| {
        let base = pointer.base_of_address();
        base.is(Opcode::LLVMAlloca) && !is_copy(base)
    };
    let writes_own_alone = |effects: MemoryEffects| {
        let mut pointers = call.call_args().into_iter().filter(|arg| arg.ty().is_pointer());
        !effects.elsewhere().has(MemoryEffects::WRITES)
            && (!effects.has(MemoryEffects::WRITES_ARGUMENTS) || pointers.all(is_own))
    };
    match openmp::effects(call) {
        Some(effects) => !effects.sets_errno && effects.results.iter().all(|result| is_own(result.pointer(call))),
        None => {
            let inside = call.callee().and_then(|callee| openmp::effects_of_body(session, callee));
            inside.is_some_and(writes_own_alone)
        }
    }
}
