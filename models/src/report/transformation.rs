//! What became of the loops of a region.

use super::{Location, Loop, Reason};
use crate::versions::{DeviceVersion, VersionState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was done with the loops of a region, or why they are as they were written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transformation {
    /// How far it went.
    pub state: TransformationState,
    /// What stands in the way of better loops, where it is not known which these would be: of those that no version is of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The versions beside the one that was written: those that were made or could be, and those that something stands in the way of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<DeviceVersion>,
}

/// What a condition of a changed loop nest is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The array's name.
    pub array: String,
    /// The first byte's distance from the place that the array's pointer leads to.
    pub low: String,
    /// How many bytes from there on; none where it is less than 1.
    pub size: String,
}

impl NamedLoop {
    /// Whether it is this loop of a region.
    pub fn is(&self, of_region: &Loop) -> bool {
        match (&self.location, &of_region.location) {
            (Some(own), Some(other)) => own == other,
            _ => of_region.id == self.name || of_region.variable.as_deref() == Some(&self.name),
        }
    }
}

impl Transformation {
    /// The versions that the kernel takes where their guards hold: each of another one of the loops that threads share.
    pub fn made(&self) -> impl Iterator<Item = &DeviceVersion> + Clone {
        self.versions.iter().filter(|version| version.state == VersionState::Made)
    }

    /// What there is to tell: each version with what stands in its way; where there is none, or others stay, what stands in the way of better loops.
    pub fn parts(&self) -> Vec<(Option<&DeviceVersion>, &[Reason])> {
        let of_version = |version| -> (Option<&DeviceVersion>, &[Reason]) { (Some(version), &version.reasons) };
        let mut parts: Vec<_> = self.versions.iter().map(of_version).collect();
        if parts.is_empty() || !self.reasons.is_empty() {
            parts.push((None, &self.reasons));
        }
        parts
    }

    /// What stands in the way of better loops.
    pub fn obstacles(&self) -> impl Iterator<Item = &Reason> {
        self.reasons.iter().chain(self.versions.iter().flat_map(|version| &version.reasons))
    }
}

/// How far a transformation went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TransformationState {
    /// A version with changed loops was made.
    Done,
    /// One could be made, and the user asked for a report only.
    Possible,
    /// The order that was written is the best one.
    Best,
    /// They were left as they are, for the reasons given.
    Left,
}

/// A loop for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedLoop {
    /// Its variable in the source, else `loop0`, `loop1`, ... as in the region's list.
    pub name: String,
    /// Where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// The sectors that a warp touches and the threads that share the work, where each size that nothing is known of is
/// [`Sizes::Compared`](crate::sizes::Sizes).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
