//! A version of a kernel's code: what is made, and what is reported of it.

use super::propose::Choice;
use super::sum::Sum;
use ipda_models::source::Clause;
use ipda_models::versions::{DeviceVersion, VersionId, VersionState};

/// A version of a kernel's code that was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    /// By which numbers, multiplied, the loop that is shared among teams has more iterations than the one that was written.
    pub factors: Vec<Sum>,
}

/// A version by a mapping, of which no more is known.
pub(super) fn version(id: VersionId, choice: Choice, state: VersionState) -> DeviceVersion {
    DeviceVersion {
        id,
        state,
        clause: choice.has_clause.then(|| Clause::of_recipe(&choice.recipe).advice()),
        recipe: choice.recipe,
        gain: choice.gain,
        guard: Vec::new(),
        rests_on: Vec::new(),
        reasons: Vec::new(),
    }
}
