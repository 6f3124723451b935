//! The loops whose iterations the runtime hands out, by what the program says of them.

use super::forms::plain;
use crate::openmp::{self, Call, Sharing};
use ipda_llvm::{Opcode, Value};
use rustc_hash::FxHashMap;

/// A loop whose iterations are shared.
pub(super) struct SharedLoop {
    pub sharing: Sharing,
    /// The program's values for the first number, and for the last: none of a loop that goes on with what another was given.
    pub bounds: [Vec<Value>; 2],
}

/// All of a function, by the call that asks the runtime for iterations and by the variable in which that says where they begin.
#[derive(Default)]
pub(super) struct SharedLoops {
    all: Vec<SharedLoop>,
    by_call: FxHashMap<Value, usize>,
    by_lower: FxHashMap<Value, usize>,
}

impl SharedLoops {
    pub(super) fn of(instructions: &[Value], is_of_runtime: impl Fn(Value) -> bool) -> SharedLoops {
        let mut found = SharedLoops::default();
        let mut bound: FxHashMap<Value, (usize, usize)> = FxHashMap::default();
        let is_programs = |value: &Value| !is_of_runtime(plain(*value));
        for &call in instructions.iter().filter(|value| value.is_call()) {
            match openmp::decode(call) {
                Ok(Call::StaticInit(init)) => {
                    let at = found.add(call, SharedLoop { sharing: init.sharing, bounds: Default::default() });
                    found.by_lower.insert(plain(init.lower), at);
                    bound.insert(plain(init.lower), (at, 0));
                    bound.insert(plain(init.upper), (at, 1));
                }
                Ok(Call::DispatchInit { first, last, .. }) => {
                    let bounds = [first, last].map(|value| Some(value).filter(is_programs).into_iter().collect());
                    found.add(call, SharedLoop { sharing: Sharing::Threads, bounds });
                }
                // It asks for the loop that was prepared last.
                Ok(Call::DispatchNext { lower, .. }) if !found.all.is_empty() => {
                    found.by_lower.insert(plain(lower), found.all.len() - 1);
                }
                _ => {}
            }
        }
        for &store in instructions.iter().filter(|value| value.is(Opcode::LLVMStore)) {
            if let Some(&(at, end)) = bound.get(&plain(store.operand(1)))
                && is_programs(&store.operand(0))
            {
                found.all[at].bounds[end].push(store.operand(0));
            }
        }
        found
    }

    fn add(&mut self, call: Value, shared: SharedLoop) -> usize {
        self.by_call.insert(call, self.all.len());
        self.all.push(shared);
        self.all.len() - 1
    }

    /// The loop that a call prepares.
    pub(super) fn prepared_by(&self, call: Value) -> Option<&SharedLoop> {
        self.by_call.get(&call).map(|&at| &self.all[at])
    }

    /// The loop that a counter counts.
    pub(super) fn counted_by(&self, counter: Value) -> Option<&SharedLoop> {
        let first =
            |value: Value| value.is(Opcode::LLVMLoad).then(|| self.by_lower.get(&plain(value.operand(0)))).flatten();
        let begins = counter.incoming().into_iter().filter_map(|(value, _)| first(plain(value)));
        begins.map(|&at| &self.all[at]).next()
    }
}
