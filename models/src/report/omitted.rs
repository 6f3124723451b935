//! Values that a report leaves out, as their readers take them for granted.

pub(crate) fn is_false(b: &bool) -> bool {
    !*b
}
