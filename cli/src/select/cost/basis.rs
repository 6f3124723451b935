//! How sure a figure is.

/// Whether a figure holds for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// It follows from the report and from given values.
    Exact,
    /// A value was missing.
    Assumed,
}

impl Basis {
    /// Of a figure that rests on two.
    pub(super) fn and(self, other: Basis) -> Basis {
        if self == Basis::Exact { other } else { Basis::Assumed }
    }
}
