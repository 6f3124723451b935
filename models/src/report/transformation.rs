//! What became of the loops of a region.

use super::{Location, Reason};
use serde::{Deserialize, Serialize};

/// What was done with the loops of a region, or why they are as they were written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    /// How far it went.
    pub state: TransformationState,
    /// The loops that make the number of a thread together, the slowest first; without a better order, none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<NamedLoop>,
    /// Whether a loop was brought past others, and not only fused with the one around it.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub is_interchange: bool,
    /// What it gains, or would gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<Gain>,
    /// What the kernel tests before it takes the changed loops; otherwise it runs those that were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// What each of the conditions is for, in their order; in reports that were made before there was this, none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<ConditionRole>,
    /// What stands in the way; of loops that were or could be changed, what makes that right beside the conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// What a person could write instead, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clause: Option<String>,
}

/// What a condition of a changed loop nest is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "for", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ConditionRole {
    /// A loop of the nest runs: where it fails, that loop has no iteration, and what stands in all loops of the nest never runs.
    Iterations,
    /// The plugin's own version: that its numbers and what it tests are computed exactly, or that there are so few threads that it
    /// pays. Whoever writes the loops in this order needs none of it.
    OwnVersion,
    /// The result, by sizes.
    Sizes,
    /// The result: these bytes of two arrays are apart.
    Apart {
        /// Of one of them.
        first: Extent,
        /// Of the other one.
        second: Extent,
    },
}

/// The bytes of an array that a region may access, in the form of conditions (`8*n*m`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The array's name.
    pub array: String,
    /// The first byte's distance from the place that the array's pointer leads to.
    pub low: String,
    /// How many bytes from there on; none where it is less than 1.
    pub size: String,
}

impl Transformation {
    /// What stands in the way of a better order.
    pub fn obstacles(&self) -> &[Reason] {
        if self.is_changeable() { &[] } else { &self.reasons }
    }

    /// What makes it right to change the loops, beside the conditions.
    pub fn rests_on(&self) -> &[Reason] {
        if self.is_changeable() { &self.reasons } else { &[] }
    }

    fn is_changeable(&self) -> bool {
        matches!(self.state, TransformationState::Done | TransformationState::Possible)
    }
}

/// How far a transformation went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TransformationState {
    /// The loops were changed.
    Done,
    /// They could be, and the user asked for a report only.
    Possible,
    /// The order that was written is the best one.
    Best,
    /// They were left as they are, for the reasons given.
    Left,
}

/// A loop for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedLoop {
    /// Its variable in the source, else `loop0`, `loop1`, ... as in the region's list.
    pub name: String,
    /// Where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The sectors that a warp touches and the threads that share the work, where each size that nothing is known of is 1021.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// In one iteration of the innermost loop, as written; other accesses are spread over these iterations.
    pub sectors_before: f64,
    /// The same in the better order.
    pub sectors_after: f64,
    /// Threads among which the work is shared, as written.
    pub threads_before: f64,
    /// The same in the better order.
    pub threads_after: f64,
    /// The innermost loop, where it runs in each thread; else the counts are for one iteration of each thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_iteration_of: Option<String>,
}
