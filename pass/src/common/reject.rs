//! Why something was left alone. Each reason has a stable name, a sentence for people, a place, and a test input that
//! shows it.

use crate::common::budget::Stage;
use crate::common::words::called;
use ipda_models::report::{Location, Reject};

/// A part of a region, or a whole region, that is outside of what the plugin understands. Not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RejectReason {
    /// A runtime function is called with a number of arguments that the table of shapes does not know.
    UnknownRuntimeShape { function: String, found: usize, expected: usize },
    /// A loop is shared among threads by a call that hands the body over as a function (flang does so).
    LoopBodyCallback,
    /// The outlined function of a parallel construct is not a constant or has no body here.
    OutlinedBodyMissing { runtime: String },
    /// The outlined function takes other arguments than the runtime call passes.
    ArgumentMismatch,
    /// A function calls itself, directly or through others.
    Recursion { function: String },
    /// A called function has no body in this module.
    UnknownCall { function: String },
    /// A function is called in whose place the linker may put another one.
    WeakFunction { function: String },
    /// A call through a pointer.
    IndirectCall,
    /// Assembly code that may touch memory.
    Assembly,
    /// A task inside of the region.
    Task { function: String },
    /// More instructions than the limit after calls were inlined.
    TooLarge { limit: usize },
    /// A schedule number that the runtime's documentation does not name.
    UnknownSchedule { number: i64 },
    /// A worksharing call whose loop was not found.
    LoopNotFound { runtime: String },
    /// The loops are entangled: a jump enters one in its middle, as those behind `cancel` do.
    IrreducibleLoop { has_cancel: bool },
    /// Its analysis would take more steps than it has, and was given up at a stage.
    Limit { steps: u64, stage: Stage },
}

impl RejectReason {
    /// The stable name, which remarks carry.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            RejectReason::UnknownRuntimeShape { .. } => "UnknownRuntimeShape",
            RejectReason::LoopBodyCallback => "LoopBodyCallback",
            RejectReason::OutlinedBodyMissing { .. } => "OutlinedBodyMissing",
            RejectReason::ArgumentMismatch => "ArgumentMismatch",
            RejectReason::Recursion { .. } => "Recursion",
            RejectReason::UnknownCall { .. } => "UnknownCall",
            RejectReason::WeakFunction { .. } => "WeakFunction",
            RejectReason::IndirectCall => "IndirectCall",
            RejectReason::Assembly => "Assembly",
            RejectReason::Task { .. } => "Task",
            RejectReason::TooLarge { .. } => "TooLarge",
            RejectReason::UnknownSchedule { .. } => "UnknownSchedule",
            RejectReason::LoopNotFound { .. } => "LoopNotFound",
            RejectReason::IrreducibleLoop { .. } => "IrreducibleLoop",
            RejectReason::Limit { .. } => "Limit",
        }
    }

    /// The reason in a sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            RejectReason::UnknownRuntimeShape { function, found, expected } => {
                format!(
                    "{} is compiled into a form that is not known ({function} has {found} arguments instead of {expected}): by another version of the compiler?", called(function)
                )
            }
            RejectReason::LoopBodyCallback => {
                "the loop's body is handed to the OpenMP runtime as a function, as flang does: this form is not analysed".into()
            }
            RejectReason::OutlinedBodyMissing { runtime } => {
                format!("the code of {} is not in this file", called(runtime))
            }
            RejectReason::ArgumentMismatch => {
                "the code of a parallel construct takes other arguments than it is given".into()
            }
            RejectReason::Recursion { function } => {
                format!("{function} calls itself: accesses inside of it are not in the report")
            }
            RejectReason::UnknownCall { function } => {
                format!("{function} is not defined in this file: its accesses are not in the report")
            }
            RejectReason::WeakFunction { function } => {
                format!("{function} is weak, and another file may define the one that runs: its accesses are not in the report")
            }
            RejectReason::IndirectCall => {
                "a function is called through a pointer: its accesses are not in the report".into()
            }
            RejectReason::Assembly => "assembly code: its accesses are not in the report".into(),
            RejectReason::Task { function } => format!("{} inside of a target region is not analysed", called(function)),
            RejectReason::TooLarge { limit } => {
                format!("the region has more than {limit} instructions, those of the functions that it calls among them")
            }
            RejectReason::UnknownSchedule { number } => format!("the loop's schedule has the unknown number {number}"),
            RejectReason::LoopNotFound { runtime } => format!("{} was not found in the code", called(runtime)),
            RejectReason::IrreducibleLoop { has_cancel: true } => {
                "by cancel, a loop ends early: its iterations are not numbered".into()
            }
            RejectReason::IrreducibleLoop { has_cancel: false } => {
                "a jump (goto) leads into the middle of a loop".into()
            }
            RejectReason::Limit { steps, stage } => {
                format!("to find {stage} takes more than the {steps} steps that the region's analysis has: the rest is left unknown")
            }
        }
    }
}

/// What was left alone in a region, in program order, each reason once per place.
#[derive(Debug, Clone, Default)]
pub(crate) struct RejectLog(Vec<Reject>);

impl RejectLog {
    pub(crate) fn add(&mut self, reason: RejectReason, location: Option<Location>) {
        let reject = Reject { name: reason.name().into(), reason: reason.sentence(), location };
        if !self.0.contains(&reject) {
            self.0.push(reject);
        }
    }

    /// What was reported before, to go on with.
    pub(crate) fn of(reported: Vec<Reject>) -> RejectLog {
        RejectLog(reported)
    }

    pub(crate) fn first(&self) -> Option<&Reject> {
        self.0.first()
    }

    pub(crate) fn into_vec(self) -> Vec<Reject> {
        self.0
    }
}
