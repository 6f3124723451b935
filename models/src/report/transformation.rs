//! What became of the loops of a region.

use super::Reason;
use crate::versions::{DeviceVersion, GuardCondition, VersionState};
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
    /// What the kernel tests, besides that there are enough iterations, before a thread takes several in lockstep of loops that stay as they are written: all
    /// of it must hold. Where a version takes them, its guard is that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lockstep_guard: Vec<GuardCondition>,
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
