//! What stands in the way of better loops, by kind, and what a programmer can do about each.

use super::{Dependence, Location, text_in_source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What stands in the way of a transformation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// In words.
    pub text: String,
    /// Its kind; `other` in reports of schema version 4.
    #[serde(default, skip_serializing_if = "ObstacleKind::is_other")]
    pub obstacle: ObstacleKind,
    /// The places in the source that it is about; for a dependence, where it comes from and where it leads to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<Location>,
    /// The dependence, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence: Option<Box<Dependence>>,
}

impl Reason {
    /// The same at these places.
    #[must_use]
    pub fn at(self, locations: impl IntoIterator<Item = Location>) -> Reason {
        Reason { locations: locations.into_iter().collect(), ..self }
    }

    /// What it is, in words of the source, whichever version reported it.
    pub fn words(&self) -> String {
        text_in_source(&self.text)
    }

    /// The same in short, for tables: `anti dependence of A`.
    pub fn in_short(&self) -> String {
        let short = |found: &Dependence| format!("{} dependence of {}", found.kind.name(), found.objects());
        self.dependence.as_deref().map_or_else(|| self.words(), short)
    }

    /// What is to be mended: a loop that can be left early has no count either.
    pub fn obstacle_to_mend(&self) -> ObstacleKind {
        match self.obstacle {
            ObstacleKind::CountUnknown if self.text.ends_with("it can be left early") => ObstacleKind::Exit,
            obstacle => obstacle,
        }
    }

    /// What would remove it, in words for the programmer.
    pub fn removal(&self) -> &'static str {
        self.dependence.as_deref().map_or_else(|| self.obstacle_to_mend().removal(), Dependence::removal)
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Reason {
        ObstacleKind::Other.reason(text)
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Reason {
        text.to_owned().into()
    }
}

/// Kinds of obstacles, by what would remove them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObstacleKind {
    /// Two iterations touch the same place.
    Dependence,
    /// A variable keeps its value from one iteration to the next, or is used after the loop.
    CarriedValue,
    /// What an inner loop leaves in its variables is used after it.
    ValueUsedBehind,
    /// A variable of each thread's own is used after the loop that threads share.
    OwnVariableUsedBehind,
    /// All threads of a team have one variable.
    SharedVariable,
    /// Several loops follow one another.
    SeveralLoops,
    /// More loops lie in each other than are looked at.
    TooDeep,
    /// A function of which nothing is known.
    UnknownCall,
    /// A function calls itself.
    Recursion,
    /// A function or statement has effects that are not followed.
    Effect,
    /// The code asks which thread it is.
    ThreadNumber,
    /// An iteration can end the loop.
    Exit,
    /// Too many accesses to compare, or too much code.
    TooManyAccesses,
    /// How often a loop runs is read from memory.
    CountFromMemory,
    /// How often a loop runs depends on another loop's iteration.
    CountOfOuterLoop,
    /// How often an inner loop runs is read from memory for each iteration of an outer one, as the lengths of a list's rows.
    CountByData,
    /// How often a loop runs is not known before it begins.
    CountUnknown,
    /// How often a loop runs is not known before the region begins.
    CountUnknownBeforeRegion,
    /// A `dist_schedule` clause.
    DistributeSchedule,
    /// Threads ask for iterations while the loop runs.
    DynamicSchedule,
    /// Each thread has several iterations in a row.
    BlockSchedule,
    /// A `schedule` clause on whose order the program may rely.
    OrderOfSchedule,
    /// One thread may run all iterations.
    OneThread,
    /// Only teams share the loop.
    SharedByTeamsOnly,
    /// The code is compiled without optimisation.
    NotOptimised,
    /// The compiler was told to assume a thread for each iteration.
    Oversubscription,
    /// A reduction's variable is used for something else.
    ReductionUsed,
    /// A reduction's variable decides what else an iteration of a loop in each thread reads.
    ReductionInOrder,
    /// A reduction's variable is updated by another operation.
    ReductionOperation,
    /// A reduction of an array or structure.
    ReductionOfSeveral,
    /// How a reduction's variables are combined is not known.
    ReductionCombined,
    /// More would have to be tested than is worth it.
    TooManyConditions,
    /// Statements between the loops.
    StatementsBetween,
    /// A loop's condition does more than to compare.
    ConditionWithEffects,
    /// All iterations together are too many for the number's width.
    TooManyIterations,
    /// None: arrays are different ones, as the host's code shows, and nothing tests it.
    DifferentArrays,
    /// The plugin's own check failed.
    Unexpected,
    /// Another one, as the text says.
    #[default]
    Other,
}

impl ObstacleKind {
    fn is_other(&self) -> bool {
        *self == ObstacleKind::Other
    }

    /// An obstacle of this kind, in words.
    pub fn reason(self, text: impl Into<String>) -> Reason {
        Reason { text: text.into(), obstacle: self, locations: Vec::new(), dependence: None }
    }

    /// What the programmer can do about it: one row a kind.
    pub fn removal(self) -> &'static str {
        match self {
            ObstacleKind::Dependence => {
                "if iterations need each other's results, the loop must stay in order: bring another loop outward"
            }
            ObstacleKind::CarriedValue => {
                "declare the variable inside the loop if each iteration has its own value; if it is a sum over an inner loop \
                 that is used behind that loop alone, let the threads of a team share that loop: teams distribute on the outer loop, and on the inner one parallel \
                 for reduction(+: sum), with sum declared between the two"
            }
            ObstacleKind::ValueUsedBehind => {
                "let each iteration compute by itself what is used behind the loop, if it can; a sum, or the least or the greatest of values, the threads of a \
                 team can find together, by parallel for reduction"
            }
            ObstacleKind::OwnVariableUsedBehind => {
                "declare the variable inside the loop, or name it in a reduction clause"
            }
            ObstacleKind::SharedVariable => {
                "name the variable in a private clause, as private(j) for a loop's counter, or declare it inside the loop"
            }
            ObstacleKind::SeveralLoops => "give each of the loops a region of its own, or join them into one loop",
            ObstacleKind::TooDeep => "split the nest: the loops further inside are left to each thread",
            ObstacleKind::UnknownCall => {
                "define the function in this file (static inline), so that the plugin can look into it, or call it before the loop"
            }
            ObstacleKind::Recursion => "write the function as a loop",
            ObstacleKind::Effect => "move the call or the statement out of the loop that threads share",
            ObstacleKind::ThreadNumber => {
                "use the loop's variable instead of the thread's number, or give what one thread does a region of its own"
            }
            ObstacleKind::Exit => {
                "replace break, return or goto by a condition around the rest of the body, if later iterations would do nothing"
            }
            ObstacleKind::TooManyAccesses => "split the region: fewer accesses can be compared pair by pair",
            ObstacleKind::CountFromMemory => "copy the count into a local variable before the directive",
            ObstacleKind::CountOfOuterLoop => {
                "let the inner loop run over the whole range and put an if around its body, if that wastes little"
            }
            ObstacleKind::CountByData => "store rows of one length, padded, if that wastes little",
            ObstacleKind::CountUnknown => {
                "write a counted loop, as for (int j = 0; j < n; j++), whose bound stays the same"
            }
            ObstacleKind::CountUnknownBeforeRegion => {
                "compute the bound before the directive, in a variable of its own"
            }
            ObstacleKind::DistributeSchedule => "leave the dist_schedule clause out, if nothing relies on it",
            ObstacleKind::DynamicSchedule => {
                "use schedule(static), or no schedule clause, if iterations take equally long"
            }
            ObstacleKind::BlockSchedule => "leave the schedule clause out, if there is one",
            ObstacleKind::OrderOfSchedule => {
                "leave the schedule and dist_schedule clauses out, if there are any and nothing relies on the order of iterations"
            }
            ObstacleKind::OneThread => "leave num_threads and if out of the directive, or ask for more than one thread",
            ObstacleKind::SharedByTeamsOnly => "write teams distribute parallel for, so that threads share the loop",
            ObstacleKind::NotOptimised => "compile with -O1 or more",
            ObstacleKind::Oversubscription => "leave -fopenmp-assume-teams-oversubscription out",
            ObstacleKind::ReductionUsed => "use the reduction's variable for nothing but the update, as s += x",
            ObstacleKind::ReductionInOrder => {
                "write x first, as in any = x || any or all = x && all, if x may be computed in each iteration"
            }
            ObstacleKind::ReductionOperation => "update the variable by the operation that the reduction clause names",
            ObstacleKind::ReductionOfSeveral => "reduce single variables instead of an array or a structure",
            ObstacleKind::ReductionCombined => "use one of OpenMP's own reduction operations",
            ObstacleKind::TooManyConditions => {
                "make pointers that never overlap restrict parameters of the function, so that less has to be tested"
            }
            ObstacleKind::StatementsBetween => {
                "move the statements between the loops into the inner loop, or before the nest"
            }
            ObstacleKind::ConditionWithEffects => {
                "compute nothing in the loop's condition but the comparison: what it is compared with, in a variable before the loop"
            }
            ObstacleKind::TooManyIterations => "use 64-bit loop variables (long)",
            ObstacleKind::DifferentArrays => "nothing stands in the way",
            ObstacleKind::Unexpected => "nothing in the source: please report this with the source file",
            ObstacleKind::Other => "docs/remarks.md says more about what stands in the way",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_version_4_are_read() {
        let reason: Reason = serde_yaml::from_str("text: the loop can be left in its middle\n").unwrap();
        assert_eq!((reason.obstacle, reason.dependence.is_none()), (ObstacleKind::Other, true));
    }
}
