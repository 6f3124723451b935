//! Remarks by LLVM's channel. Each ends with its name, under which the book explains it.

use ipda_llvm::{RemarkKind, Value};
use ipda_models::report::Location;

/// Who gets a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Audience {
    /// People, and the file of an optimisation record where one is written.
    All,
    /// That file alone.
    Record,
}

/// Tells something of a place in a function.
pub(crate) fn remark(function: Value, (kind, audience): (RemarkKind, Audience), name: &str, text: &str, at: &Location) {
    let text = ipda_symbolic::in_words(text);
    ipda_llvm::remark(function, kind, name, &format!("{text} [{name}]"), at, audience == Audience::Record);
}
