//! What the runtime starts for a kernel.

/// Teams and the threads of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// The teams.
    pub teams: u64,
    /// The threads of each.
    pub threads: u64,
}
