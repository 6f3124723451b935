//! Remarks and warnings, through LLVM's own channel.

use crate::Value;
pub use crate::ffi::RemarkKind;
use crate::ffi::{self, RawLocation, Str};
use inkwell::module::Module;
use ipda_models::report::Location;

/// Tells whoever compiles the module.
pub fn warn(module: &Module<'_>, text: &str) {
    // SAFETY: the module is valid, and the text lives during the call.
    unsafe { ffi::ipda_warn(module.as_mut_ptr(), Str::new(text)) };
}

/// Whether people see the plugin's remarks of a kind.
pub fn remarks_are_enabled(module: &Module<'_>, kind: RemarkKind) -> bool {
    // SAFETY: the module is valid.
    unsafe { ffi::ipda_remarks_enabled(module.as_mut_ptr(), kind) }
}

/// Who gets a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// People, and the file of an optimisation record where one is written.
    All,
    /// That file alone.
    Record,
}

/// A remark about a place in a function; `name` is what it is filtered by.
pub fn remark(function: Value, kind: RemarkKind, name: &str, text: &str, at: &Location, audience: Audience) {
    let (directory, file) = (Str::new(""), Str::new(&at.file));
    let at = RawLocation { directory, file, line: at.line, column: at.column.max(1) };
    let only_recorded = audience == Audience::Record;
    // SAFETY: the function belongs to a module that is alive, and the strings live during the call.
    unsafe { ffi::ipda_emit_remark(function.raw(), kind, Str::new(name), Str::new(text), &at, only_recorded) }
}
