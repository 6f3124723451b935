//! The names that people know values by, from debug information.

use ipda_llvm::{FunctionCopy, Opcode, SourceType, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variable in which clang keeps the normalised number of a worksharing loop.
pub(crate) const NUMBER: &str = ".omp.iv";

/// Values that are looked at between a worksharing loop's number and one of its variables: a few for each loop that a clause collapses.
const MAX_OPERATIONS: usize = 64;

/// What debug information says about names.
#[derive(Clone, Default)]
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
        let variables = copy.variables(NUMBER);
        // What the one value of each variable is; none where it has several.
        let mut single: FxHashMap<(usize, &str), Option<Value>> = FxHashMap::default();
        for variable in &variables {
            let value = single.entry((variable.scope, &variable.name)).or_insert(Some(variable.value));
            *value = value.filter(|&value| value == variable.value);
        }
        let numbers: Vec<&Variable> =
            variables.iter().filter(|variable| variable.name == NUMBER && variable.value.is(Opcode::LLVMPHI)).collect();
        let private = private_ones(&variables, &numbers);
        let mut depths: FxHashMap<Value, u32> = FxHashMap::default();
        let mut names = Names::default();
        for variable in &variables {
            // Of what the compiler made, the kernel's parameters and each thread's copies of variables carry the user's names.
            let is_named = variable.value.is_argument() || private.contains(&(variable.scope, &variable.name));
            let made = variable.artificial && (!is_named || variable.name.starts_with('.'));
            if made || variable.name.is_empty() || variable.value.is_constant() {
                continue;
            }
            // An inner counter that begins at the number of the loop around is not what that loop is known by.
            if numbers.iter().any(|number| number.value == variable.value) {
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
        for number in numbers {
            names.counters.insert(number.value, counters_of(number, &variables, &private));
        }
        names.name_clauses(copy);
        names
    }

    /// A variable in which clang keeps what a clause asks for is called as the clause: its own name says nothing.
    fn name_clauses(&mut self, copy: &FunctionCopy) {
        const MADE: &str = ".capture_expr.";
        let calls = copy.function().instructions().filter(|value| value.is_call());
        for call in calls {
            let clauses: &[(usize, &str)] = match () {
                () if call.calls(|name| name == "__kmpc_push_num_teams") => &[(2, "num_teams"), (3, "thread_limit")],
                () if call.calls(|name| name == "__kmpc_push_num_threads") => &[(2, "num_threads")],
                () => continue,
            };
            let args = call.call_args();
            for &(at, clause) in clauses {
                let Some(&asked) = args.get(at) else { continue };
                let below = |value: &Value| value.is(Opcode::LLVMTrunc).then(|| value.operand(0));
                for carrier in std::iter::successors(Some(asked), below) {
                    if let Some(name) = self.variables.get_mut(&carrier).filter(|name| name.starts_with(MADE)) {
                        clause.clone_into(name);
                    }
                }
            }
        }
    }
}

/// The variables that count for the loop with a number.
fn counters_of(number: &Variable, variables: &[Variable], private: &FxHashSet<(usize, &str)>) -> Vec<Counter> {
    // Beside clang's number, the loop's own variables are marked as made by the compiler.
    let of_loop = variables.iter().filter(|variable| variable.artificial && variable.scope == number.scope);
    let known = number.value.counters();
    if !known.is_empty() {
        let starts_at_zero = |name: &String| {
            let first = of_loop.clone().find(|variable| variable.name == *name);
            first.is_some_and(|variable| variable.value.as_int() == Some(0))
        };
        return known.into_iter().map(|name| Counter { starts_at_zero: starts_at_zero(&name), name }).collect();
    }
    let mut counters: Vec<Counter> = Vec::new();
    for variable in of_loop {
        let is_counter = may_be_counter(variable) && !private.contains(&(variable.scope, &variable.name));
        if is_counter && counters.iter().all(|counter| counter.name != variable.name) {
            let starts_at_zero = variable.value.as_int() == Some(0);
            counters.push(Counter { name: variable.name.clone(), starts_at_zero });
        }
    }
    counters
}

/// Whether a variable that clang made for a worksharing loop may be one of the loop's own.
fn may_be_counter(variable: &Variable) -> bool {
    !variable.name.starts_with(['.', '_'])
        && variable.name != "this"
        && !variable.value.is(Opcode::LLVMAlloca)
        && !variable.value.is_argument()
}

/// Those variables of worksharing loops that are none of its counters, by scope and name: each thread's copy of what a clause names, as the counter of
/// an inner loop that is declared outside of it, or a sum. A counter is computed from the loop's number in each iteration, and joins values nowhere
/// inside of the loop; where it is the number itself, debug information keeps only the constant at which it starts.
fn private_ones<'a>(variables: &'a [Variable], numbers: &[&Variable]) -> FxHashSet<(usize, &'a str)> {
    let mut known: FxHashMap<usize, Vec<String>> = FxHashMap::default();
    for number in numbers {
        known.entry(number.scope).or_default().extend(number.value.counters());
    }
    let number_of: FxHashMap<usize, Value> = numbers.iter().map(|number| (number.scope, number.value)).collect();
    let (mut computed, mut others, mut joined) = <(FxHashSet<_>, FxHashSet<_>, FxHashSet<_>)>::default();
    for variable in variables.iter().filter(|variable| variable.artificial && may_be_counter(variable)) {
        let Some(&number) = number_of.get(&variable.scope) else { continue };
        let (key, value) = ((variable.scope, &variable.name[..]), variable.value);
        if let Some(counters) = known.get(&variable.scope).filter(|counters| !counters.is_empty()) {
            if !counters.contains(&variable.name) {
                joined.insert(key);
            }
        } else if value.is(Opcode::LLVMPHI) && value.block() != number.block() {
            joined.insert(key);
        } else if is_computed_from(value, number) {
            computed.insert(key);
        } else if !value.is_constant() {
            others.insert(key);
        }
    }
    others.retain(|key| !computed.contains(key));
    joined.extend(others);
    joined
}

/// Whether a value is made of another one without a branch between them.
fn is_computed_from(value: Value, of: Value) -> bool {
    let mut seen: Vec<Value> = vec![value];
    let mut at = 0;
    while let Some(&value) = seen.get(at).filter(|_| at < MAX_OPERATIONS) {
        if value == of {
            return true;
        }
        if value.is_instruction() && !value.is(Opcode::LLVMPHI) && !value.is(Opcode::LLVMLoad) {
            let new: Vec<Value> = value.operands().filter(|operand| !seen.contains(operand)).collect();
            seen.extend(new);
        }
        at += 1;
    }
    false
}
