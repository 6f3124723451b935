//! Variables of the environment, where they can be trusted.

use std::ffi::{OsString, c_ulong};

unsafe extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
}

/// Linux's number for whether a program has more rights than whoever started it.
const AT_SECURE: c_ulong = 23;

/// A variable; an empty one is none. A program that has more rights than whoever started it (set-user-id, for one) has none: they would choose
/// which libraries it opens and which files it writes.
pub fn variable(name: &str) -> Option<OsString> {
    // SAFETY: a question to the C library, which knows the answer from the program's start.
    let has_more_rights = unsafe { getauxval(AT_SECURE) } != 0;
    std::env::var_os(name).filter(|value| !has_more_rights && !value.is_empty())
}
