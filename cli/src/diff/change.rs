//! What can become of something between two builds.

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It costs more, in a launch of its region that does so, too.
    Worse,
    /// It was not there.
    New,
    /// It costs less.
    Better,
    /// It is no longer there.
    Gone,
    /// It is another, and costs the same as far as is known; or it costs more, and its region no more.
    Changed,
}

impl Change {
    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Change::Worse => "worse",
            Change::New => "new",
            Change::Better => "better",
            Change::Gone => "gone",
            Change::Changed => "changed",
        }
    }
}
