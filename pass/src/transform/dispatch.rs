//! What leads from a kernel to a version of its code.
//!
//! ```text
//! kernel(A, C, n): loops as written
//! kernel(A, C, n): choice = guard(A, C, n); if choice: changed loops, else: loops as written
//! ```
//!
//! Versions behind a test at run time, as LLVM's `LoopVersioning` makes them of one loop; here of all functions from the kernel to its loops.

use super::edit::{Edit, Reading};
use super::{chain, check, fallback, guard};
use crate::analysis::finished::marks;
use ipda_llvm::{Block, Code, Value};
use ipda_models::report::{ObstacleKind, Reason};

/// Lets a kernel run a version of its code, which chooses between fused loops and those that were written by what the guards say. Its own functions
/// run no more, and are removed.
pub(super) fn dispatch(kernel: Value, mut edit: Edit) -> Result<(), Reason> {
    let entries = edit.entries();
    for &(function, _) in &entries {
        let [original, next] = [edit.chain.functions[function], edit.copy(function)];
        if let Some(problem) = check::starts_more_than_once(kernel, original, next) {
            return Err(ObstacleKind::Unexpected.reason(problem));
        }
    }
    edit.finish();
    // Leading one call elsewhere moves the places of others.
    let calls: Vec<Value> = entries.iter().map(|&(function, _)| edit.chain.call_to(function, kernel)).collect();
    for ((function, numbers), entry) in entries.into_iter().zip(calls) {
        let original = edit.chain.functions[function];
        let here = Code::before(entry);
        let mut given = Vec::new();
        for plan in numbers.into_iter().map(|number| &edit.plans[number]) {
            let params = plan.params_and_reads(&here, &kernel.params(), original, Reading::WhereItIsThere);
            let choice = guard::function(&plan.guard, &params, original).map(|guard| here.call(guard, &params));
            given.extend(plan.given_before(&here, &params, entry, choice));
        }
        chain::lead_to(entry, original, edit.copy(function), &given)?;
        edit.is_kept = true;
    }
    // Behind the function that starts the runtime.
    if let Some((chosen, parameter)) = edit.parted() {
        chosen.note_choice(parameter);
    }
    let mut all: Vec<Block> = Vec::new();
    for (number, plan) in edit.plans.iter().enumerate() {
        let written = edit.written(number);
        Block::keep_quiet(written);
        if plan.falls_back {
            fallback::mark(written);
        }
        all.extend(written);
    }
    edit.made_functions().for_each(|copy| marks::note_fused(copy, &all));
    edit.chain.erase();
    Ok(())
}
