//! Remarks by LLVM's channel. Each ends with its name, under which the book explains it.

use ipda_llvm::{Audience, RemarkKind, Value};
use ipda_models::report::Location;

/// Tells something of a place in a function.
pub(crate) fn remark(function: Value, (kind, audience): (RemarkKind, Audience), name: &str, text: &str, at: &Location) {
    let text = ipda_symbolic::in_words(text);
    ipda_llvm::remark(function, kind, name, &format!("{text} [{name}]"), at, audience);
}
