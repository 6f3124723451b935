//! What leads from a kernel to one of the versions of its code.

use super::edit::Edit;
use super::{chain, check, fallback, guard};
use ipda_llvm::{self, Block, Code, Returned, Type, Value, append_block, integer};
use ipda_models::report::{ObstacleKind, Reason};
use llvm_sys::LLVMIntPredicate;

/// Lets a kernel run the first of some versions whose guard holds, else its own code. They come in order of preference; only the last one may
/// need no guard.
pub(super) fn dispatch(kernel: Value, mut edits: Vec<Edit>) -> Result<(), Reason> {
    edits.iter_mut().for_each(Edit::finish);
    let original = edits[0].chain.functions[1];
    let guard = |edit: &Edit| guard::function(&edit.plan.guard, kernel, original);
    let guards: Vec<Option<Value>> = edits.iter().map(guard).collect();
    let choosers = Choosers { made: guards.iter().copied().flatten().collect(), is_kept: false };
    Dispatch { choosers, edits, guards }.write(kernel, original)
}

/// Functions that choose between versions, callers last; removed unless they are kept.
struct Choosers {
    made: Vec<Value>,
    is_kept: bool,
}

struct Dispatch {
    // They are removed before what they call.
    choosers: Choosers,
    edits: Vec<Edit>,
    /// Of each edit, what tells whether it may run; none where it always may.
    guards: Vec<Option<Value>>,
}

impl Dispatch {
    fn write(mut self, kernel: Value, original: Value) -> Result<(), Reason> {
        let entry = self.edits[0].chain.entry();
        let is_chosen = self.guards[0].is_some();
        let next = if is_chosen { self.choice()? } else { self.edits[0].copies[0] };
        if let Some(problem) = check::starts_more_than_once(kernel, original, next) {
            return Err(ObstacleKind::Unexpected.reason(problem));
        }
        self.choosers.is_kept = true;
        self.edits.iter_mut().for_each(|edit| edit.is_kept = true);
        let here = Code::before(entry);
        let params = kernel.params();
        let mut given = Vec::new();
        for (Edit { plan, .. }, guard) in self.edits.iter().zip(&self.guards) {
            let before = plan.given_before(&here, &params, entry);
            given.extend(if is_chosen { before } else { plan.with_reciprocals(&here, &before) });
            given.extend(guard.map(|guard| here.call(guard, &params)));
        }
        chain::lead_to(entry, original, next, &given)?;
        if is_chosen {
            self.edits.iter().flat_map(|edit| &edit.copies).copied().for_each(Value::keep_quiet);
            if self.edits.iter().all(|edit| edit.plan.falls_back) {
                self.edits[0].chain.functions[1..].iter().copied().for_each(fallback::mark);
            }
        }
        Ok(())
    }

    /// A function that runs the first version whose guard holds, or the code as it was. Behind what the code as it was takes, it takes for each
    /// version what its copies are given, and what its guard said. Where the kernel wraps the function that starts the runtime, that one is
    /// there once: the choice is made behind it.
    fn choice(&mut self) -> Result<Value, String> {
        let head = self.edits[0].chain.head;
        let original = self.edits[0].chain.functions[head + 1];
        let count = original.params().len();
        let answer = integer(original, 64);
        let mut types: Vec<Type> = original.params().into_iter().map(Value::ty).collect();
        for (edit, guard) in self.edits.iter().zip(&self.guards) {
            types.extend(edit.copies[head].params()[count..].iter().map(|param| param.ty()));
            types.extend(guard.map(|_| answer));
        }
        let either = ipda_llvm::function(original, &types, Returned::Nothing, ".either");
        self.choosers.made.push(either);
        let params = either.params();
        let (common, mut rest) = params.split_at(count);
        let mut block = append_block(either);
        let mut last = Some(original);
        for (edit, guard) in self.edits.iter().zip(&self.guards) {
            let (given, others) = rest.split_at(edit.plan.count_given());
            let mut then = block;
            match (guard, others) {
                (Some(_), [said, others @ ..]) => {
                    let here = Code::at_end(block);
                    let holds = here.compare(LLVMIntPredicate::LLVMIntNE, *said, Value::int_of(answer, 0));
                    [then, block] = [append_block(either), append_block(either)];
                    here.branch_if(holds, then, block);
                    rest = others;
                }
                _ => last = None,
            }
            let computed = edit.plan.with_reciprocals(&Code::at_end(then), given);
            run(then, edit.copies[head], &[common, &computed].concat());
        }
        if let Some(original) = last {
            run(block, original, common);
        }
        if head == 0 { Ok(either) } else { self.wrapped(head, either) }
    }

    /// The copy of the function that starts the runtime, made anew so that it leads to `either` where it led to the first version, and hands on what
    /// that takes beside.
    fn wrapped(&mut self, head: usize, either: Value) -> Result<Value, String> {
        const OTHER_FORM: &str = "its kernel begins in another form than clang's";
        if head > 1 {
            return Err(OTHER_FORM.into());
        }
        let first = self.edits[0].copies[head];
        let more = either.params().len() - first.params().len();
        let wrapper = chain::with_more(self.edits[0].copies[0], more as u32, ".guarded");
        self.edits.iter_mut().for_each(|edit| edit.copies.remove(0).erase_function());
        let link = chain::call_to(wrapper, first);
        let params = wrapper.params();
        let given = &params[params.len() - more..];
        let starter = link.ok_or(OTHER_FORM.to_string()).and_then(|link| chain::lead_to(link, first, either, given));
        self.choosers.made.extend(starter.as_ref().ok().copied().flatten());
        self.choosers.made.push(wrapper);
        starter.map(|_| wrapper)
    }
}

impl Drop for Choosers {
    fn drop(&mut self) {
        if !self.is_kept {
            self.made.iter().rev().for_each(|made| made.erase_function());
        }
    }
}

fn run(block: Block, callee: Value, args: &[Value]) {
    let code = Code::at_end(block);
    code.call(callee, args);
    code.return_void();
}
