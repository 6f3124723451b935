//! Changes of loops, most of all collapse and interchange: those that are legal and pay are made in copies of the region's code, which keep the loops as
//! they were written as well, for launches whose guard does not hold.

mod arguments;
mod body;
pub(crate) mod chain;
mod check;
mod choose;
pub(crate) mod chunk;
pub(crate) mod coarsen;
mod collapsed;
mod combine;
mod conditions;
mod counter;
mod different;
mod dispatch;
mod divisors;
mod edit;
mod facts;
pub(crate) mod fallback;
mod grid;
mod grid_stride;
mod guard;
mod helpers;
mod lanes;
mod limit;
pub(crate) mod nested;
pub(crate) mod overlap;
pub(crate) mod overwritten;
mod own_digits;
mod profit;
mod promote;
mod propose;
mod prove;
mod question;
mod registers;
pub(crate) mod runtime;
mod schedule;
mod sizes;
mod subject;
mod sum;
mod together;
mod version;

use crate::analysis::finished::InLockstep;
use crate::analysis::region::Setting;
use crate::common::apply::Apply;
use crate::openmp;
use crate::openmp::outline::TargetRegion;
pub(crate) use arguments::Arguments;
use choose::Finding;
pub(crate) use choose::{Found, plan, without_plan};
use edit::{Edit, Refused};
use inkwell::module::Module;
use ipda_models::report::{ObstacleKind, Reason, Transformation, TransformationState};
use ipda_models::versions::{DeviceVersion, VersionId, VersionState};
use propose::Choice;
use prove::Plan;
pub(crate) use sum::Sum;
pub(crate) use version::Made;
use version::version;

const OVERSUBSCRIPTION: &str = "the compiler was told to assume that there is a thread for each iteration as written";

/// What was made of a region.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    /// What the report says; none where there is nothing to fuse.
    pub reported: Option<Transformation>,
    /// What was made, in order of preference.
    pub versions: Vec<Made>,
    /// Of which loops a thread may take several iterations in lockstep.
    pub in_lockstep: Vec<InLockstep>,
    /// Whether the kernel runs other code than before.
    pub is_changed: bool,
}

impl Outcome {
    /// Of a region at which the plugin itself failed.
    pub(crate) fn failed() -> Outcome {
        let text = "internal error: please report this with the source file";
        Outcome::left(vec![ObstacleKind::Unexpected.reason(text)])
    }

    fn left(reasons: Vec<Reason>) -> Outcome {
        let reported = reported(TransformationState::Left, Vec::new(), reasons);
        Outcome { reported: Some(reported), ..Outcome::default() }
    }
}

/// Loops that stay as they are, with the reasons: `choices` where a better mapping is known, `reasons` of the others.
fn reported(state: TransformationState, choices: Vec<(Choice, Vec<Reason>)>, reasons: Vec<Reason>) -> Transformation {
    let ids = (1..).map(VersionId::new);
    let versions = choices.into_iter().zip(ids).map(|((choice, why), id)| left(id, choice, why)).collect();
    Transformation { state, reasons, versions, lockstep_guard: Vec::new() }
}

fn left(id: VersionId, choice: Choice, reasons: Vec<Reason>) -> DeviceVersion {
    DeviceVersion { reasons, ..version(id, choice, VersionState::Left) }
}

/// What was found of a region's loops, sorted by what is done about it.
#[derive(Default)]
struct Sorted {
    /// The plan of each loop that is changed.
    plans: Vec<Plan>,
    /// Plans to try where the edit of one of these fails.
    others: Vec<Plan>,
    refused: Vec<(Choice, Vec<Reason>)>,
    /// Why loops stay as they are for which no better mapping is known.
    reasons: Vec<Reason>,
    /// Whether a loop is best as it is written.
    is_best: bool,
}

impl Sorted {
    /// Where something forbids all changes, each plan is refused for that reason.
    fn of(found: Vec<Finding>, forbids: Option<Reason>) -> Sorted {
        let mut sorted = Sorted::default();
        for finding in found {
            let finding = match finding {
                Finding::AsWritten(plan, other) => {
                    sorted.plans.extend(forbids.is_none().then_some(*plan));
                    *other
                }
                other => other,
            };
            match finding {
                Finding::Nothing | Finding::AsWritten(..) => {}
                Finding::Best => sorted.is_best = true,
                Finding::Better(better) => {
                    let mut better = better.into_iter();
                    sorted.plans.extend(better.next());
                    sorted.others.extend(better);
                }
                Finding::Left(Some(choice), why) => sorted.refused.push((choice, why)),
                Finding::Left(None, why) => sorted.reasons.extend(why),
            }
        }
        if let Some(reason) = forbids {
            let left = |plan: Plan| (plan.choice, vec![reason.clone()]);
            sorted.refused.extend(sorted.plans.drain(..).map(left));
        }
        sorted
    }
}

/// Fuses the loops of a region's kernel for which a plan was found; with [`Apply::No`] only to report what would be done.
pub(crate) fn apply(
    setting: &Setting<'_>,
    module: &Module<'_>,
    region: &TargetRegion,
    Found(found): Found,
    apply: Apply,
) -> Outcome {
    let loops = found.len();
    let Sorted { plans, others, mut refused, reasons, is_best } = Sorted::of(found, forbids(module, region));
    let edit = make(setting, module, region, (plans, others), loops, &mut refused);
    // Versions are reported; other plans change the code alone.
    let numbers: Vec<usize> = edit.as_ref().map(Edit::versions).unwrap_or_default();
    let (state, of_each) = match (numbers.is_empty(), apply) {
        (true, _) => (TransformationState::Left, VersionState::Left),
        (false, Apply::Yes) => (TransformationState::Done, VersionState::Made),
        (false, Apply::No) => (TransformationState::Possible, VersionState::Possible),
    };
    // Nests that are changed together are one version. What stays where it was written has no number among mappings.
    let highest = |edit: &Edit| edit.plans.iter().map(|plan| plan.number).max();
    let own = VersionId::new(edit.as_ref().and_then(highest).unwrap_or(1));
    let id_of = |edit: &Edit, number: usize| if edit.is_promoted(number) { VersionId::new(1) } else { own };
    let of = |edit: &Edit, number: usize| edit.reported(number, id_of(edit, number), of_each);
    let mut versions: Vec<DeviceVersion> =
        edit.iter().flat_map(|edit| numbers.iter().map(|&number| of(edit, number))).collect();
    versions.sort_by_key(|version| version.id);
    // Those that are left come behind.
    let made_last = versions.last().map_or(0, |version| version.id.number());
    let ids = (made_last..).skip(1).map(VersionId::new);
    let (mut made, mut is_changed) = (Vec::new(), false);
    let (mut in_lockstep, mut lockstep_guard) = (Vec::new(), Vec::new());
    if let Some(edit) = edit.filter(|_| apply == Apply::Yes) {
        let choice = |number: &usize| Choice { has_clause: false, ..edit.plans[*number].choice.clone() };
        let choices: Vec<Choice> = numbers.iter().map(choice).collect();
        made.extend((!numbers.is_empty()).then(|| edit.made()));
        in_lockstep.extend(edit.plans.iter().filter_map(|plan| plan.in_lockstep.clone()));
        lockstep_guard = edit.lockstep_guard();
        match dispatch::dispatch(region.entry, edit) {
            Ok(()) => is_changed = true,
            Err(_) if choices.is_empty() => {}
            Err(reason) => {
                refused.extend(choices.into_iter().map(|choice| (choice, vec![reason.clone()])));
                let reported = reported(TransformationState::Left, refused, reasons);
                return Outcome { reported: Some(reported), ..Outcome::default() };
            }
        }
    }
    if versions.is_empty() && refused.is_empty() && reasons.is_empty() {
        let best = || Transformation { lockstep_guard, ..reported(TransformationState::Best, Vec::new(), Vec::new()) };
        let best = is_best.then(best);
        return Outcome { reported: best, versions: made, in_lockstep, is_changed };
    }
    versions.extend(refused.into_iter().zip(ids).map(|((choice, why), id)| left(id, choice, why)));
    let reported = Some(Transformation { state, reasons, versions, lockstep_guard });
    Outcome { reported, versions: made, in_lockstep, is_changed }
}

/// The edit for as many plans as it succeeds for, with others in place of those that fail; where there is none, the plan is refused with the reason.
fn make(
    setting: &Setting<'_>,
    module: &Module<'_>,
    region: &TargetRegion,
    (mut plans, mut others): (Vec<Plan>, Vec<Plan>),
    loops: usize,
    refused: &mut Vec<(Choice, Vec<Reason>)>,
) -> Option<Edit> {
    while !plans.is_empty() {
        match Edit::make(setting, module, region, plans, loops) {
            Ok(edit) => return Some(edit),
            Err((mut left, Refused { plan, reason })) => {
                let faulty: Vec<Plan> = match plan {
                    Some(number) => {
                        let mut faulty = left.remove(number);
                        // Only the edit shows whether iterations can run in lockstep: without that, the plan may succeed.
                        if faulty.has_order_as_written() && faulty.coarse.take().is_some() {
                            if faulty.is_version {
                                left.insert(number, faulty);
                            }
                            plans = left;
                            continue;
                        }
                        match others.iter().position(|other| other.at == faulty.at) {
                            Some(other) => {
                                left.insert(number, others.remove(other));
                                Vec::new()
                            }
                            None => vec![faulty],
                        }
                    }
                    None => std::mem::take(&mut left),
                };
                // Where statements stand between the loops, a clause would be an error, or change what they compute.
                let without_clause = |plan: Plan| (Choice { has_clause: false, ..plan.choice }, vec![reason.clone()]);
                refused.extend(faulty.into_iter().filter(|plan| plan.is_version).map(without_clause));
                plans = left;
            }
        }
    }
    None
}

/// Why a kernel's loops stay as they are, whatever could be done with them.
fn forbids(module: &Module<'_>, region: &TargetRegion) -> Option<Reason> {
    // Where the runtime runs one iteration for each thread, a launch with fewer threads than the fused loops have iterations loses some.
    if openmp::assumes_oversubscription(module) {
        return Some(ObstacleKind::Oversubscription.reason(OVERSUBSCRIPTION));
    }
    // Code without optimisation is for debuggers.
    let is_not_optimised = region.entry.is_not_optimised();
    is_not_optimised.then(|| ObstacleKind::NotOptimised.reason("it is compiled without optimisation"))
}
