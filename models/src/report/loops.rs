//! Loops and branches.

use super::{Lanes, Location, Schedule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conditional jump in code that several threads run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The innermost loop around it; absent for code outside of loops.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "loop")]
    pub in_loop: Option<String>,
    /// Where in the source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether the jump ends a loop.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub ends_loop: bool,
    /// Whether several conditions of the source, joined by "and" or "or", are this one jump.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub is_joined: bool,
    /// For which lanes the condition holds.
    pub lanes: Lanes,
}

/// One loop of a region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// `loop0`, `loop1`, ...: unique in the region.
    pub id: String,
    /// The enclosing loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What the loop is for OpenMP.
    pub kind: LoopKind,
    /// The variable in the source, where debug information says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// What expressions call the number of its iteration, counted from 0; absent where none has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The loop in the source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// How many iterations: an expression, or why it is not known.
    pub trips: Quantity,
    /// How many iterations at most, where the loop can be left before: an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
    /// How many places the range has at first that each iteration halves, as a search in a sorted table does: an expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halved: Option<String>,
    /// How many iterations for all that predictions need, where `trips` is not known: what only a launch knows is taken to be in order, as a step that is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likely: Option<LikelyTrips>,
    /// How iterations are handed out; absent for sequential loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Sectors per warp and iteration of the accesses directly in this loop (base addresses aligned), summed where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<u64>,
    /// How many accesses directly in this loop have no constant count.
    #[serde(default)]
    pub accesses_without_count: u32,
    /// What is independent in the nest of which this is the outermost loop, where that is no loop as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skewed: Option<Skewed>,
}

/// A serial nest whose iterations with different sums of their numbers are independent of each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skewed {
    /// What the sum is called in the expressions here, such as `p`.
    pub name: String,
    /// The sum of iteration numbers, counted from 0: an expression.
    pub place: String,
    /// Its first value.
    pub from: String,
    /// Its last value.
    pub to: String,
    /// The loops that run for each value, outermost first, in the order of the program.
    pub inside: Vec<SkewedLoop>,
    /// The loop whose iteration number follows from the others.
    pub follows: String,
    /// That number: an expression.
    pub number: String,
    /// The pairs of arrays that must not overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<[String; 2]>,
}

/// A loop of a nest that is skewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkewedLoop {
    /// Its id.
    pub of: String,
    /// Expressions: its first iteration number is the greatest of them.
    pub from: Vec<String>,
    /// Expressions: its last iteration number is the least of them.
    pub to: Vec<String>,
}

/// How many iterations a loop runs, unless its numbers are such that it would never end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LikelyTrips {
    /// What that follows from.
    pub law: TripsLaw,
    /// An expression.
    pub of: String,
    /// By what its value is multiplied or divided in each iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u32>,
    /// Bits of its variable: where the expression has no value, it is no more than they hold.
    pub bits: u32,
    /// Whether it can be left before.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub is_left_early: bool,
}

/// What a number of iterations is of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TripsLaw {
    /// The same.
    Number,
    /// One more than the whole part of its logarithm.
    Logarithm,
    /// About its root.
    Root,
    /// The bits that are set in it.
    Bits,
}

/// What a loop is for OpenMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// `distribute parallel for`: iterations over all threads of all teams.
    DistributeParallelFor,
    /// `distribute`: iterations over teams.
    Distribute,
    /// `for` in a parallel region: iterations over the threads of a team.
    For,
    /// Runs inside one thread.
    Sequential,
}

/// A number or expression, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// The expression as text; a plain number when it is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

impl NamedLoop {
    /// Whether it is this loop of a region.
    pub fn is(&self, of_region: &Loop) -> bool {
        match (&self.location, &of_region.location) {
            (Some(own), Some(other)) if own != other => false,
            // A macro puts several loops at one place.
            _ => of_region.id == self.name || of_region.variable.as_deref() == Some(&self.name),
        }
    }
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
