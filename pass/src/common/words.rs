//! Calls of runtime libraries and of LLVM's intrinsics, in words for people.

use ipda_llvm::{Value, demangle};
use ipda_models::report::in_source;

/// What a call is in the source: `a critical section`, `a call of step`.
pub(crate) fn called(function: &str) -> String {
    in_source(function).map_or_else(|| format!("a call of {}", demangle(function)), str::to_owned)
}

/// The same of a call with its place: `a critical section (solve.c:17)`.
pub(crate) fn called_at(call: Value) -> String {
    let what = call.callee().map_or_else(|| "a call through a pointer".into(), |callee| called(&callee.name()));
    match call.location() {
        Some(place) => format!("{what} ({}:{})", place.file, place.line),
        None => what,
    }
}
