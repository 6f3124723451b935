//! A version of a kernel's code: what is made, and what is reported of it.

use super::propose::Choice;
use super::sum::Sum;
use ipda_models::report::NamedLoop;
use ipda_models::source::Clause;
use ipda_models::versions::{DeviceVersion, Recipe, VersionId, VersionState};

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
        clause: (choice.has_clause && is_in_source(&choice.recipe)).then(|| Clause::of_recipe(&choice.recipe).advice()),
        recipe: choice.recipe,
        gain: choice.gain,
        guard: Vec::new(),
        rests_on: Vec::new(),
        reasons: Vec::new(),
    }
}

/// Whether a person can write a mapping's loops: where some have counters in the source, those without were made by a directive such as `tile`.
fn is_in_source(recipe: &Recipe) -> bool {
    let is_made = |named: &NamedLoop| {
        let number = named.name.strip_prefix("loop");
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let made = recipe.threads().iter().filter(|named| is_made(named)).count();
    made == 0 || made == recipe.threads().len()
}
