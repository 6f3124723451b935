//! What a guard proves of the loops behind it, as facts for the optimiser: which arrays have no byte in common, and which nobody writes.
//!
//! ```text
//! for k: C[i*n + j] += A[i*n + k] * B[k*n + j]     C may be A or B: loaded and stored in each iteration
//! if C apart from A and B:  sum = C[..]; for k: sum += ld.global.nc A[..] * ..; C[..] = sum
//! ```
//!
//! The guard compares all bytes that the region touches of two arrays, for all iterations of all its loops, so that what it says holds from the
//! kernel's beginning to its end. What the host's code shows of all launches holds as long. It is stated of accesses whose address is built on the pointer itself that the kernel was given, never of one that
//! is chosen, or read from memory: such an access has no scope, and may be to any array.

use super::body::Fused;
use super::check::Objects;
use super::guard::Condition;
use super::prove::Plan;
use ipda_llvm::{AliasDomain, AliasScope, Cfg, Opcode, Value};

/// Arrays about which facts are stated in one loop: each has a scope, and is compared with all others by the optimiser.
const MAX_ARRAYS: usize = 32;

/// Loads of one thread under way together in an unrolled loop. With four, no kernel of `test-inputs/measure` holds fewer warps for these facts.
const MAX_LOADS: usize = 4;

/// Turns of a loop that LLVM may unroll as a whole.
const MAX_UNROLLED: i64 = 128;

/// What programs say of a loop's unrolling.
const UNROLLING: [&str; 4] =
    ["llvm.loop.unroll.count", "llvm.loop.unroll.disable", "llvm.loop.unroll.enable", "llvm.loop.unroll.full"];

/// Gives the accesses of changed loops numbers, by which they are found in the code that is checked.
pub(super) fn number(fused: &[Fused]) {
    for (number, access) in (0..).zip(accesses(fused)) {
        access.set_number(number);
    }
}

fn accesses(fused: &[Fused]) -> impl Iterator<Item = Value> {
    fused.iter().flat_map(|fused| &fused.accesses).copied()
}

/// Tells what the guards prove of accesses that lead from the kernel's parameters.
pub(super) fn annotate(plans: &[Plan], fused: &[Fused], objects: &Objects) {
    for (plan, fused) in plans.iter().zip(fused) {
        let of_object = |access: &Value| {
            let param = access.number().and_then(|number| objects.get(&number).copied()).flatten()?;
            Some((*access, param))
        };
        let found: Vec<(Value, usize)> = fused.accesses.iter().filter_map(of_object).collect();
        tell_of_loop(plan, &found);
    }
    accesses(fused).for_each(Value::forget_number);
}

fn tell_of_loop(plan: &Plan, accesses: &[(Value, usize)]) {
    let mut apart = apart(&plan.guard);
    apart.extend(&plan.apart_by_host);
    let mut arrays: Vec<usize> = accesses.iter().map(|(_, param)| *param).collect();
    arrays.sort_unstable();
    arrays.dedup();
    arrays.retain(|array| arrays_apart(&apart, *array).next().is_some());
    // Nothing is written, or nothing is known to lie apart.
    if arrays.is_empty() || arrays.len() > MAX_ARRAYS {
        return;
    }
    let Some((first, _)) = accesses.first() else { return };
    limit_unrolling(accesses);
    let domain = AliasDomain::new(first.block().function());
    let scopes: Vec<(usize, AliasScope)> = arrays.into_iter().map(|array| (array, domain.scope())).collect();
    let scope = |array: usize| scopes.iter().find(|(of, _)| *of == array).map(|(_, scope)| *scope);
    for &(access, param) in accesses {
        if let Some(own) = scope(param).filter(|_| !access.has_alias_scopes()) {
            let others: Vec<AliasScope> = arrays_apart(&apart, param).filter_map(scope).collect();
            access.set_alias_scopes(own, &others);
        }
        if access.is(Opcode::LLVMLoad) && is_never_written(plan, &apart, param) {
            access.set_invariant();
        }
    }
}

/// Lets innermost loops be unrolled no further than some loads are under way together: where no store stands between them any more, the compiler
/// brings all of an unrolled loop to its front, each of which takes a register, and warps are lost.
fn limit_unrolling(accesses: &[(Value, usize)]) {
    let Some((first, _)) = accesses.first() else { return };
    let cfg = Cfg::new(first.block().function());
    for index in 0..cfg.loops.len() {
        let natural = &cfg.loops[index];
        let is_inside = |(access, _): &&(Value, usize)| cfg.id(access.block()).is_some_and(|at| natural.contains(at));
        let (loads, stores): (Vec<_>, Vec<_>) =
            accesses.iter().filter(is_inside).partition(|(access, _)| access.is(Opcode::LLVMLoad));
        // What is stored, too, is a sum that stays in one register.
        let is_read_only = |(_, param): &&(Value, usize)| stores.iter().all(|(_, stored)| stored != param);
        let loads = loads.iter().filter(is_read_only).count();
        let is_innermost = cfg.loops.iter().all(|other| other.parent != Some(index));
        let says = |branch: Value| UNROLLING.iter().any(|name| branch.has_loop_property(name));
        // Without a store nothing stood between them before.
        let is_changed = loads > 0 && !stores.is_empty();
        if !is_changed || natural.parent.is_none() || !is_innermost || natural.latch_terminators(&cfg).any(says) {
            continue;
        }
        // Those with a small constant trip count are unrolled as a whole.
        let test = cfg.blocks[natural.header].terminator().filter(|branch| branch.operand_count() == 3);
        let compared = test.map(|branch| branch.operand(0)).filter(|test| test.is(Opcode::LLVMICmp));
        let is_small = |operand: Value| operand.as_int().is_some_and(|count| count.abs() <= MAX_UNROLLED);
        if compared.is_some_and(|test| test.operands().any(is_small)) {
            continue;
        }
        for branch in natural.latch_terminators(&cfg) {
            match MAX_LOADS / loads {
                0 | 1 => branch.add_loop_property("llvm.loop.unroll.disable"),
                count => branch.add_loop_count("llvm.loop.unroll.count", count as u32),
            }
        }
    }
}

/// The pairs of parameters that a guard tests to lead to arrays without a byte in common.
fn apart(guard: &[Condition]) -> Vec<(usize, usize)> {
    let pair = |condition: &Condition| match condition {
        Condition::Apart(first, second) => Some((first.param, second.param)),
        Condition::AtLeastZero(_) | Condition::Small(_) | Condition::Fit(..) | Condition::SeveralThreads => None,
    };
    guard.iter().filter_map(pair).collect()
}

fn arrays_apart(apart: &[(usize, usize)], array: usize) -> impl Iterator<Item = usize> {
    apart.iter().filter_map(move |&(first, second)| match array {
        _ if array == first => Some(second),
        _ if array == second => Some(first),
        _ => None,
    })
}

/// Whether nothing that the kernel writes, anywhere, is in an array.
fn is_never_written(plan: &Plan, apart: &[(usize, usize)], array: usize) -> bool {
    let is_apart = |&written: &usize| arrays_apart(apart, array).any(|other| other == written);
    plan.written.as_ref().is_some_and(|written| written.iter().all(is_apart))
}
