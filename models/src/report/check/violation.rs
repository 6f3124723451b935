//! What cannot be in a report, and where it is.

use std::fmt;

/// Something in a report that cannot be, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Violation {
    pub(super) place: String,
    pub(super) problem: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

pub(in crate::report) type Found = Result<(), Violation>;

pub(in crate::report) fn wrong(problem: impl Into<String>) -> Found {
    Err(violation(problem))
}

/// One of which is not said yet where it is.
pub(in crate::report) fn violation(problem: impl Into<String>) -> Violation {
    Violation { place: String::new(), problem: problem.into() }
}

/// Says where in the report something is.
pub(in crate::report) trait Within {
    /// In a field, or an element of a list.
    fn within(self, place: impl fmt::Display) -> Self;
}

impl<T> Within for Result<T, Violation> {
    fn within(self, place: impl fmt::Display) -> Result<T, Violation> {
        self.map_err(|Violation { place: inner, problem }| {
            let dot = if inner.is_empty() || inner.starts_with('[') { "" } else { "." };
            Violation { place: format!("{place}{dot}{inner}"), problem }
        })
    }
}

pub(in crate::report) fn each<T>(name: &str, items: &[T], check: impl Fn(&T) -> Found) -> Found {
    items.iter().enumerate().try_for_each(|(nth, item)| check(item).within(format_args!("[{nth}]"))).within(name)
}

/// The beginning of a name.
pub(in crate::report) fn short(name: &str) -> String {
    name.chars().take(80).collect()
}

pub(in crate::report) fn optional<T: ?Sized>(name: &str, found: Option<&T>, check: impl Fn(&T) -> Found) -> Found {
    found.map_or(Ok(()), check).within(name)
}
