//! The part of OpenMP's device runtime that no call of a module reaches, removed before LLVM looks at it.
//!
//! clang puts the runtime's functions into each device module as local ones. One of them, `__kmpc_parallel_51`, calls the threads' function with any
//! number of pointers up to 64, in three places: 14,000 lines, which LLVM's passes read and change, and OpenMP's most of all, until the number of a
//! call is inlined. That is some 30 ms, a third of what optimising a module with one kernel takes. But modules have few such calls, whose numbers are
//! constants:
//!
//! ```text
//! switch count: 0: f(), 1: f(a[0]), 2: f(a[0], a[1]), ..      becomes      switch count: 2: f(a[0], a[1])
//! ```
//!
//! What LLVM makes of the module is the same: it would have found it out later.

use crate::openmp::is_runtime_name;
use inkwell::module::Module;
use ipda_llvm::{Opcode, Value};

/// Removes what is not reached. Whether there was anything.
pub(crate) fn trim(module: &Module<'_>) -> bool {
    let mut functions: Vec<Value> = module
        .get_functions()
        .map(|function| Value::of(&function))
        .filter(|function| function.is_local() && !function.is_declaration() && function.with_name(is_runtime_name))
        .collect();
    let count = functions.len();
    // One that only an unused one calls is unused as well.
    while let Some(at) = functions.iter().position(|function| function.users().is_empty()) {
        functions.swap_remove(at).erase_function();
    }
    let switches: Vec<_> = functions.iter().flat_map(|&function| cases_to_keep(function)).collect();
    switches.iter().for_each(|(switch, numbers)| switch.keep_cases(numbers));
    functions.len() < count || !switches.is_empty()
}

/// The switches of a function on what it is passed, where all calls pass constants, with these; but those that have no other cases.
fn cases_to_keep(function: Value) -> Vec<(Value, Vec<i64>)> {
    let switches = function.blocks().into_iter().filter_map(|block| block.terminator());
    let to_keep = |switch: Value| {
        let parameter = switch.branch_condition().filter(|value| value.is_argument())?.argument_number()?;
        let numbers = numbers_passed(function, parameter)?;
        let has_others =
            || switch.switch_cases().iter().any(|(case, _)| !case.as_int().is_some_and(|case| numbers.contains(&case)));
        has_others().then(|| (switch, numbers.clone()))
    };
    switches.filter(|end| end.is(Opcode::LLVMSwitch)).filter_map(to_keep).collect()
}

/// What all calls of a function pass for a parameter; none where somebody else may call it, or what is passed is no constant.
fn numbers_passed(function: Value, parameter: usize) -> Option<Vec<i64>> {
    let passed = |user: Value| {
        let is_call = user.callee() == Some(function);
        let arguments = if is_call { user.call_args() } else { Vec::new() };
        if arguments.contains(&function) { None } else { arguments.get(parameter)?.as_int() }
    };
    function.users().into_iter().map(passed).collect()
}
