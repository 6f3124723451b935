//! What comes of comparing one warp with one prediction.

use std::fmt;

/// What comes of comparing the addresses of a warp with a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// All active lanes are where they should be.
    Agrees,
    /// The lanes are equally far apart, as predicted; how far, the prediction leaves open.
    AgreesInForm,
    /// A lane is elsewhere.
    Differs {
        /// The first such lane.
        lane: u32,
        /// Its predicted distance from the first active lane in bytes; none where only the form is predicted.
        predicted: Option<i64>,
        /// Its real distance.
        measured: i64,
    },
    /// There is nothing to compare: no prediction, or a single active lane.
    NotChecked,
}

/// What comes of comparing the sectors and lines that a warp touches with the report's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountVerdict {
    /// As many as predicted, or no more than predicted where only the most is.
    Agrees,
    /// Another number.
    Differs {
        /// What is counted.
        unit: Unit,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The report has no numbers for such a warp.
    NotChecked,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Pieces of memory of so many bytes.
    Pieces(u64),
    /// Passes over the banks of shared memory.
    Passes,
    /// Passes that as many words need without any conflict.
    LeastPasses,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Pieces(bytes) => write!(f, "pieces of {bytes} bytes"),
            Unit::Passes => write!(f, "passes over the banks"),
            Unit::LeastPasses => write!(f, "passes over the banks at least"),
        }
    }
}

/// A predicted number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// This many.
    Exactly(u64),
    /// This many or fewer.
    AtMost(u64),
}

/// What comes of comparing the lanes that make an access with the report's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanesVerdict {
    Agrees,
    Differs { predicted: u64 },
    NotChecked,
}

/// Of several verdicts the first that is none of a difference; of differences the one that fits the most lanes, which says best what is
/// wrong.
pub(super) fn best(verdicts: impl Iterator<Item = Verdict>) -> Verdict {
    let mut best = Verdict::NotChecked;
    for verdict in verdicts {
        match (verdict, best) {
            (Verdict::Differs { lane, .. }, Verdict::Differs { lane: before, .. }) if lane <= before => {}
            (Verdict::Differs { .. }, _) => best = verdict,
            _ => return verdict,
        }
    }
    best
}

impl Bound {
    pub(super) fn allows(self, measured: u64) -> bool {
        match self {
            Bound::Exactly(count) => measured == count,
            Bound::AtMost(count) => measured <= count,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Exactly(count) => write!(f, "{count}"),
            Bound::AtMost(count) => write!(f, "at most {count}"),
        }
    }
}
