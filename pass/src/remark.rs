//! Remarks by LLVM's channel. Each ends with its name, under which the book explains it.

use crate::ffi::{RawLocation, RemarkKind, Str, ipda_emit_remark};
use crate::ir::Value;
use ipda_models::report::Location;

/// Tells something of a place in a function.
pub(crate) fn remark(function: Value, kind: RemarkKind, name: &str, text: &str, at: &Location) {
    let text = format!("{text} [{name}]");
    let (directory, file) = (Str::new(""), Str::new(&at.file));
    let at = RawLocation { directory, file, line: at.line, column: at.column.max(1) };
    // SAFETY: the function belongs to a module that is alive, and the strings live during the call.
    unsafe { ipda_emit_remark(function.raw(), kind, Str::new(name), Str::new(&text), &at) }
}
