//! What loops are found to walk along, and the rows that they are of.

use ipda_symbolic::AtomId;

/// What a loop does with rows.
#[derive(Debug)]
pub(super) struct OfLoop {
    /// The accesses by which it walks along arrays.
    pub(super) walks: Vec<usize>,
    /// The rows that it is one of.
    pub(super) rows: Option<Rows>,
}

/// The rows that a loop is one of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// The loop around.
    pub(super) around: usize,
    /// The place where the row begins.
    pub(super) start: AtomId,
    /// Whether beginnings and lengths are listed; else a row goes from the value that the loop around loads to the one that its next iteration does.
    pub(super) are_listed: bool,
}
