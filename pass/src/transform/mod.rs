//! Loops fused into the number of a thread: what is legal and pays is done on copies of the region's code, which have the loops as they were written
//! as well, for where a guard does not hold.

mod body;
pub(crate) mod chain;
mod check;
mod choose;
mod combine;
mod counter;
mod dispatch;
mod edit;
pub(crate) mod fallback;
mod guard;
pub(crate) mod nested;
mod profit;
mod propose;
mod prove;
mod schedule;
mod sum;

use crate::analysis::region::Setting;
use crate::openmp;
use crate::openmp::outline::TargetRegion;
use choose::Finding;
pub(crate) use choose::{Found, plan, without_plan};
use edit::Edit;
use guard::{Condition, Extent};
use inkwell::module::Module;
use ipda_models::report::{ObstacleKind, Reason, Transformation, TransformationState};
use ipda_models::source::Clause;
use ipda_models::versions::{DeviceVersion, Recipe, VersionId, VersionState};
use propose::Choice;
pub(crate) use sum::Sum;

const OVERSUBSCRIPTION: &str = "the compiler was told to assume that there is a thread for each iteration as written";

/// What became of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    /// For people; none where there is nothing to fuse.
    pub told: Option<Transformation>,
    /// What was made, in order of preference.
    pub versions: Vec<Made>,
}

/// A version of a kernel's code that was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    /// By which numbers, multiplied, the loop that is shared among teams has more iterations than the one that was written.
    pub factors: Vec<Sum>,
}

impl Outcome {
    /// Of a region at which the plugin itself failed.
    pub(crate) fn failed() -> Outcome {
        let text = "internal error: please report this with the source file";
        Outcome::left(None, vec![ObstacleKind::Unexpected.reason(text)])
    }

    fn left(choice: Option<Choice>, reasons: Vec<Reason>) -> Outcome {
        Outcome { told: Some(told(TransformationState::Left, choice, reasons)), versions: Vec::new() }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.state == TransformationState::Done)
    }
}

/// Loops that stay as they are, and why; what would be better, where that is known, does not come about for the same reasons.
fn told(state: TransformationState, choice: Option<Choice>, reasons: Vec<Reason>) -> Transformation {
    match choice {
        Some(choice) => {
            Transformation { state, reasons: Vec::new(), versions: vec![left(VersionId::new(1), choice, reasons)] }
        }
        None => Transformation { state, reasons, versions: Vec::new() },
    }
}

fn left(id: VersionId, choice: Choice, reasons: Vec<Reason>) -> DeviceVersion {
    DeviceVersion { reasons, ..version(id, choice, VersionState::Left) }
}

fn version(id: VersionId, choice: Choice, state: VersionState) -> DeviceVersion {
    let recipe = Recipe::fused(choice.threads, choice.is_interchange);
    DeviceVersion {
        id,
        state,
        clause: choice.has_clause.then(|| Clause::of_recipe(&recipe).advice()),
        recipe,
        gain: Some(choice.gain),
        guard: Vec::new(),
        rests_on: Vec::new(),
        reasons: Vec::new(),
    }
}

/// Fuses loops of a region's kernel as it was found that they may be and should be, or only tries.
pub(crate) fn carry_out(
    setting: &Setting<'_>,
    module: &Module<'_>,
    region: &TargetRegion,
    Found(found): Found,
    applies: bool,
) -> Outcome {
    let plans = match found {
        Finding::Nothing => return Outcome::default(),
        Finding::Best => {
            let told = told(TransformationState::Best, None, Vec::new());
            return Outcome { told: Some(told), versions: Vec::new() };
        }
        Finding::Left(choice, reasons) => return Outcome::left(choice, reasons),
        Finding::Better(plans) => plans,
    };
    let best = plans[0].choice.clone();
    if let Some(reason) = forbids(module, region) {
        return Outcome::left(Some(best), vec![reason]);
    }
    // Where something stands between loops, a clause is an error, or changes what they compute.
    let without_clause = Choice { has_clause: false, ..best };
    let mut made = None;
    let mut refused: Vec<(Choice, Reason)> = Vec::new();
    for plan in plans {
        let choice = Choice { has_clause: false, ..plan.choice.clone() };
        match Edit::make(setting, module, region, plan) {
            Ok(edit) => {
                made = Some(edit);
                break;
            }
            Err(reason) => refused.push((choice, reason)),
        }
    }
    let Some(edit) = made else {
        let reasons = refused.into_iter().map(|(_, reason)| reason).take(1).collect();
        return Outcome::left(Some(without_clause), reasons);
    };
    let (state, of_each) = match applies {
        true => (TransformationState::Done, VersionState::Made),
        false => (TransformationState::Possible, VersionState::Possible),
    };
    // What launches choose from has the first numbers.
    let mut ids = (1..).map(VersionId::new);
    let mut told: Vec<DeviceVersion> = (&mut ids).take(1).map(|id| edit.told(id, of_each)).collect();
    told.extend(refused.into_iter().zip(&mut ids).map(|((choice, reason), id)| left(id, choice, vec![reason])));
    let told = Transformation { state, reasons: Vec::new(), versions: told };
    let mut versions = Vec::new();
    if applies {
        versions.push(edit.made());
        if let Err(reason) = dispatch::dispatch(region.entry, edit) {
            return Outcome::left(Some(without_clause), vec![reason]);
        }
    }
    Outcome { told: Some(told), versions }
}

/// Why a kernel's loops stay as they are, whatever could be done with them.
fn forbids(module: &Module<'_>, region: &TargetRegion) -> Option<Reason> {
    // A loop that is run without going round, by as many threads as the host counts, would lose iterations.
    if openmp::assumes_oversubscription(module) {
        return Some(ObstacleKind::Oversubscription.reason(OVERSUBSCRIPTION));
    }
    // Whoever debugs code wants it as it was written.
    let is_not_optimised = region.entry.is_not_optimised();
    is_not_optimised.then(|| ObstacleKind::NotOptimised.reason("it is compiled without optimisation"))
}
