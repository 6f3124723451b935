//! Remarks by LLVM's channel. Each ends with its name, under which the book explains it.

use ipda_llvm::{RemarkKind, Value};
use ipda_models::report::Location;

/// Tells something of a place in a function.
pub(crate) fn remark(function: Value, kind: RemarkKind, name: &str, text: &str, at: &Location) {
    ipda_llvm::remark(function, kind, name, &format!("{text} [{name}]"), at);
}
