//! Calls of runtime libraries and of LLVM's intrinsics, in words for people.

use crate::ir::demangle;
use ipda_models::report::in_source;

/// What a call is in the source: `a critical section`, `a call of step`.
pub(crate) fn called(function: &str) -> String {
    in_source(function).map_or_else(|| format!("a call of {}", demangle(function)), str::to_owned)
}
