//! Conditions under which code runs, and the lanes for which they hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Condition {
    /// The expression is not 0.
    Holds {
        /// `[i < 32]`
        value: String,
    },
    /// The expression is 0.
    HoldsNot {
        /// `[i < 32]`
        value: String,
    },
    /// One that is longer than anyone reads.
    Long,
    /// One that is not followed.
    NotFollowed,
    /// One thread of the team alone comes here.
    OneThread,
}

impl Condition {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Condition::Holds { value } => value.clone(),
            Condition::HoldsNot { value } => format!("not {value}"),
            Condition::Long => "under a long condition".into(),
            Condition::NotFollowed => "under a condition that is not followed".into(),
            Condition::OneThread => "one thread of the team".into(),
        }
    }

    /// The expression.
    pub fn value(&self) -> Option<&str> {
        match self {
            Condition::Holds { value } | Condition::HoldsNot { value } => Some(value),
            Condition::Long | Condition::NotFollowed | Condition::OneThread => None,
        }
    }
}

/// Characters of conditions beyond which nobody reads them: a page of algebra.
const LONGEST: usize = 160;

/// That all of them hold, in words; none where there are none.
pub fn all_hold(conditions: &[Condition]) -> Option<String> {
    let (one, others): (Vec<_>, Vec<_>) = conditions.iter().partition(|each| **each == Condition::OneThread);
    let mut others: Vec<String> = others.into_iter().map(Condition::words).collect();
    if others.iter().map(String::len).sum::<usize>() > LONGEST {
        others = vec![Condition::Long.words()];
    }
    let parts =
        (!others.is_empty()).then(|| others.join(" and ")).into_iter().chain(one.first().map(|one| one.words()));
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// For which lanes of a warp something holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Lanes {
    /// All threads that come here together agree.
    Uniform,
    /// The lanes of one warp agree; warps may differ.
    ByWarp,
    /// The same lanes in every warp.
    Fixed {
        /// The first and the last of each run, rising.
        lanes: Vec<(u32, u32)>,
    },
    /// Depends on values known when the program runs.
    Symbolic {
        /// Expressions in `[lane number]`, which must all hold.
        conditions: Vec<Condition>,
    },
    /// Depends on values loaded from memory.
    DataDependent {
        /// Which, in a sentence.
        reason: String,
    },
    /// Not understood.
    Unknown {
        /// Why not, in a sentence.
        reason: String,
    },
}

impl Lanes {
    /// These lanes, which rise.
    pub fn fixed(lanes: impl IntoIterator<Item = u32>) -> Lanes {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for lane in lanes {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(lane) => *last = lane,
                _ => runs.push((lane, lane)),
            }
        }
        Lanes::Fixed { lanes: runs }
    }

    /// The words that every text uses.
    pub fn name(&self) -> &'static str {
        match self {
            Lanes::Uniform => "uniform",
            Lanes::ByWarp => "by-warp",
            Lanes::Fixed { .. } => "fixed",
            Lanes::Symbolic { .. } => "symbolic",
            Lanes::DataDependent { .. } => "data-dependent",
            Lanes::Unknown { .. } => "unknown",
        }
    }

    /// The lanes, where they are the same in every warp.
    pub fn list(&self) -> Option<impl Iterator<Item = u32>> {
        match self {
            Lanes::Fixed { lanes } => Some(lanes.iter().flat_map(|&(first, last)| first..=last)),
            _ => None,
        }
    }

    /// How many lanes a fixed set has.
    pub fn count(&self) -> Option<u64> {
        match self {
            Lanes::Fixed { lanes } => {
                Some(lanes.iter().map(|&(first, last)| u64::from(last.saturating_sub(first)) + 1).sum())
            }
            _ => None,
        }
    }

    /// The lanes (`0-15`, `0 2 4`), or the condition in words.
    pub fn text(&self) -> Option<String> {
        match self {
            Lanes::Fixed { lanes } => {
                let run = |&(first, last): &(u32, u32)| match last.saturating_sub(first) {
                    0 => first.to_string(),
                    1 => format!("{first} {last}"),
                    _ => format!("{first}-{last}"),
                };
                Some(lanes.iter().map(run).collect::<Vec<_>>().join(" "))
            }
            Lanes::Symbolic { conditions } => all_hold(conditions),
            Lanes::Uniform | Lanes::ByWarp | Lanes::DataDependent { .. } | Lanes::Unknown { .. } => None,
        }
    }

    /// Why they are not known.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Lanes::DataDependent { reason } | Lanes::Unknown { reason } => Some(reason),
            Lanes::Uniform | Lanes::ByWarp | Lanes::Fixed { .. } | Lanes::Symbolic { .. } => None,
        }
    }
}
