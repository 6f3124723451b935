//! What leads from a kernel to a version of its code.

use super::edit::{Edit, Reading};
use super::{chain, check, fallback, guard};
use crate::analysis::finished::marks;
use ipda_llvm::{Block, Code, Value};
use ipda_models::report::{ObstacleKind, Reason};

/// Lets a kernel run a version of its code, which chooses between fused loops and those that were written by what the guard says. Its own functions
/// run no more, and are removed.
pub(super) fn dispatch(kernel: Value, mut edit: Edit) -> Result<(), Reason> {
    let original = edit.chain.functions[1];
    let next = edit.copies[0];
    if let Some(problem) = check::starts_more_than_once(kernel, original, next) {
        return Err(ObstacleKind::Unexpected.reason(problem));
    }
    edit.finish();
    let entry = edit.chain.entry();
    let here = Code::before(entry);
    let params = edit.plan.params_and_reads(&here, &kernel.params(), original, Reading::WhereItIsThere);
    let guard = guard::function(&edit.plan.guard, &params, original);
    let choice = guard.map(|guard| here.call(guard, &params));
    let given = edit.plan.given_before(&here, &params, entry, choice);
    chain::lead_to(entry, original, next, &given)?;
    edit.is_kept = true;
    // Behind the function that starts the runtime.
    if edit.plan.is_guarded() {
        let chosen = edit.copies[edit.chain.head];
        chosen.note_choice(chosen.params().len() - edit.plan.count_given());
    }
    Block::keep_quiet(edit.written());
    if edit.plan.falls_back {
        fallback::mark(edit.written());
    }
    edit.copies.iter().for_each(|copy| marks::note_fused(*copy, edit.written()));
    edit.chain.erase();
    Ok(())
}
