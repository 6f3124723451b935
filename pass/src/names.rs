//! The names that people know values by, from debug information.

use crate::ir::{FunctionCopy, Opcode, SourceType, Value};
use rustc_hash::FxHashMap;

/// The variable in which clang keeps the normalised number of a worksharing loop.
pub(crate) const NUMBER: &str = ".omp.iv";

/// What debug information tells about names.
#[derive(Default)]
pub(crate) struct Names {
    /// Source variables by value: the least deeply inlined one wins.
    pub variables: FxHashMap<Value, String>,
    /// The variables of a worksharing loop (several for a collapsed nest) by its phi.
    pub counters: FxHashMap<Value, Vec<Counter>>,
    /// The types of pointer variables.
    pub types: FxHashMap<Value, SourceType>,
}

/// A loop variable of a worksharing loop.
#[derive(Debug, Clone)]
pub(crate) struct Counter {
    pub name: String,
    pub starts_at_zero: bool,
}

impl Names {
    pub(crate) fn read(copy: &FunctionCopy) -> Names {
        let variables = copy.variables();
        // What the one value of each variable is; none where it has several.
        let mut single: FxHashMap<(usize, &str), Option<Value>> = FxHashMap::default();
        for variable in &variables {
            let value = single.entry((variable.scope, &variable.name)).or_insert(Some(variable.value));
            *value = value.filter(|&value| value == variable.value);
        }
        let mut depths: FxHashMap<Value, u32> = FxHashMap::default();
        let mut names = Names::default();
        for variable in &variables {
            // Of what the compiler made, only the kernel's parameters carry the user's names.
            let made = variable.artificial && (!variable.value.is_argument() || variable.name.starts_with('.'));
            if made || variable.name.is_empty() || variable.value.is_constant() {
                continue;
            }
            // A variable that is assigned again names only what it is in a loop or at a join: not its single values.
            let again = single[&(variable.scope, variable.name.as_str())].is_none();
            if again && !variable.value.is(Opcode::LLVMPHI) && !variable.value.is_argument() {
                continue;
            }
            if depths.get(&variable.value).is_none_or(|&depth| variable.depth < depth) {
                depths.insert(variable.value, variable.depth);
                names.variables.insert(variable.value, variable.name.clone());
                names.types.insert(variable.value, variable.ty);
            }
        }
        // Beside clang's number, the loop's own variables are marked as made by the compiler.
        for number in variables.iter().filter(|variable| variable.name == NUMBER && variable.value.is(Opcode::LLVMPHI))
        {
            let mut counters: Vec<Counter> = Vec::new();
            for variable in variables.iter().filter(|variable| variable.artificial && variable.scope == number.scope) {
                let is_counter = !variable.name.starts_with(['.', '_'])
                    && variable.name != "this"
                    && !variable.value.is(Opcode::LLVMAlloca)
                    && !variable.value.is_argument();
                if is_counter && counters.iter().all(|counter| counter.name != variable.name) {
                    let starts_at_zero = variable.value.as_int() == Some(0);
                    counters.push(Counter { name: variable.name.clone(), starts_at_zero });
                }
            }
            names.counters.insert(number.value, counters);
        }
        names
    }
}
