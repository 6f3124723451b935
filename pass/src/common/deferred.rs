//! Numbers that are decided after optimisation, as calls that stand for what they are where nothing is decided.
//!
//! ```text
//! width = __ipda_width(loop, most, trips, others);                 1, or `most`
//! i = __ipda_iteration_32(loop, most, width, number, trips);      number, or one iteration of number * width ..
//! ```
//!
//! What the optimiser cannot look into it keeps apart: where it ends, whatever was computed from `i` still shows (`transform/coarsen.rs`).

use inkwell::module::Module;
use ipda_llvm::{Code, Returned, Value};
use ipda_symbolic::Signedness;

const WIDTH: &str = "__ipda_width";
const ITERATION: &str = "__ipda_iteration_";

/// How many iterations of the slowest of some fused loops a thread takes together.
#[derive(Clone, Copy)]
pub(crate) struct Width {
    pub call: Value,
    /// Which loops they are, among all of the program.
    pub of: i64,
    /// If it takes several, so many.
    pub most: i64,
    /// How often the slowest loop runs, and all others together.
    pub trips: Value,
    pub others: Value,
}

/// The first, or the only one, of the iterations that a thread takes together.
#[derive(Clone, Copy)]
pub(crate) struct Iteration {
    pub call: Value,
    /// As those of the width.
    pub of: i64,
    pub most: i64,
    pub width: Value,
    /// Of as many as the loop has, rounded up to whole ones.
    pub number: Value,
    pub trips: Value,
}

impl Width {
    /// Asks for it; `trips` and `others` are numbers of 64 bits.
    pub(crate) fn ask(here: &Code, (of, most): (u64, u32), trips: Value, others: Value) -> Value {
        let wide = trips.ty();
        let function = here.deferred_function(WIDTH, (wide, &[wide; 4]), Returned::Number(1));
        here.call(function, &[Value::int_of(wide, of), Value::int_of(wide, most.into()), trips, others])
    }

    pub(crate) fn of(call: Value) -> Option<Width> {
        let args = args_of(call, |name| name == WIDTH)?;
        Some(Width { call, of: args[0].as_int()?, most: args[1].as_int()?, trips: args[2], others: args[3] })
    }
}

impl Iteration {
    /// Asks for it, by a width and in as many bits as the number has.
    pub(crate) fn ask(here: &Code, (of, most): (u64, u32), width: Value, number: Value, trips: Value) -> Value {
        let (wide, ty) = (width.ty(), number.ty());
        let name = format!("{ITERATION}{}", ty.int_bits().unwrap_or(64));
        let types = [wide, wide, wide, ty, ty];
        let function = here.deferred_function(&name, (ty, &types), Returned::Param(3));
        let [of, most] = [of, most.into()].map(|number| Value::int_of(wide, number));
        here.call(function, &[of, most, width, number, here.resize(trips, ty, Signedness::Unsigned)])
    }

    pub(crate) fn of(call: Value) -> Option<Iteration> {
        let args = args_of(call, |name| name.starts_with(ITERATION))?;
        let [width, number, trips] = [args[2], args[3], args[4]];
        Some(Iteration { call, of: args[0].as_int()?, most: args[1].as_int()?, width, number, trips })
    }
}

fn args_of(call: Value, is_named: impl FnOnce(&str) -> bool) -> Option<Vec<Value>> {
    (call.is_call() && call.calls(is_named)).then(|| call.call_args())
}

/// What a call stands for where nothing is decided.
pub(crate) fn stands_for(call: Value) -> Option<Value> {
    let one = |width: Width| Value::int_of(width.call.ty(), 1);
    Width::of(call).map(one).or_else(|| Iteration::of(call).map(|iteration| iteration.number))
}

/// Removes the functions that nothing calls any more. Whether there were any.
pub(crate) fn remove_functions(module: &Module<'_>) -> bool {
    let is_one = |name: &str| name == WIDTH || name.starts_with(ITERATION);
    let functions: Vec<Value> = module.get_functions().map(|function| Value::of(&function)).collect();
    let unused: Vec<Value> =
        functions.into_iter().filter(|function| function.with_name(is_one) && function.users().is_empty()).collect();
    unused.iter().for_each(|function| function.erase_function());
    !unused.is_empty()
}
