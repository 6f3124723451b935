//! What stands for sizes that nobody gives: one list, so that each figure can say which it is for.

use std::fmt;

use crate::gpu::thesis;

/// A class of figures, by the size that its unknown sizes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Counts of a launch, and iterations of a loop of which nobody can say how many it has: the thesis's number.
    Counted,
    /// Two orders of loops against each other, as the plugin compares them: a prime, so that no end of a row is also that of a sector.
    Compared,
    /// Predicted times, where all unknown sizes are one: large enough for the device to be busy.
    Timed,
}

impl Sizes {
    /// The size.
    pub const fn value(self) -> u32 {
        match self {
            Sizes::Counted => thesis::TRIPS_OF_A_LOOP as u32,
            Sizes::Compared => 1021,
            Sizes::Timed => 4096,
        }
    }
}

/// `sizes of 1021`.
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sizes of {}", self.value())
    }
}
