//! What a reduction needs whose loop is fused with others: parts of sums meet that did not before, and there are more iterations than teams
//! should combine copies for.
//!
//! ```text
//! for first = team*c; first < n; first += teams*c: parallel for i in first..first+c: sum += a[i]; combine(sum)     once for each chunk
//! first, last = block of the team:                 parallel for i in first..last:    sum += a[i]; combine(sum)     once for each team
//! ```
//!
//! Which iterations meet in a copy, and in which order copies are combined, is left open by OpenMP (5.2, section 5.5.5).

use super::schedule::is_size_of_team;
use crate::analysis::dependences::{is_copy, steps};
use crate::openmp::{self, Schedule, Worksharing};
use ipda_llvm::{Opcode, Value, forget_promises};

/// Each thread's part is another one: what was promised of the sums on the way holds no more.
pub(super) fn reorder(function: Value) {
    let locals: Vec<Value> = function.instructions().filter(|value| value.is(Opcode::LLVMAlloca)).collect();
    locals.into_iter().filter(|local| is_copy(*local)).flat_map(steps).for_each(forget_promises);
}

/// Likewise in the functions by which the runtime makes one value of two.
pub(super) fn reorder_combiners(function: Value) {
    let calls = function.instructions().filter(|value| value.is_call() && openmp::combines_copies(*value));
    let given: Vec<Value> = calls.flat_map(Value::call_args).filter(|arg| arg.is_function()).collect();
    let called = given.iter().flat_map(|function| function.instructions()).filter(|value| value.is_call());
    let called: Vec<Value> = called.filter_map(Value::callee).filter(|callee| !callee.is_declaration()).collect();
    let is_combiner = |function: &Value| openmp::is_made_by_compiler(&function.name());
    given.into_iter().chain(called).filter(is_combiner).flat_map(Value::instructions).for_each(forget_promises);
}

/// Gives each team one block of iterations, behind which it combines its threads' copies, instead of one after the other.
pub(super) fn combine_once(over_teams: Worksharing) {
    if over_teams.schedule == Schedule::StaticChunked && is_size_of_team(over_teams.chunk) {
        openmp::make_one_block(over_teams);
    }
}
