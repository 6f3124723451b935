//! Loops that stay as they were written, in a copy behind a guard that tells the optimiser which arrays lie apart: it keeps in registers what an innermost
//! loop would else load and store in each iteration.
//!
//! ```text
//! for i in threads: for j: x[i] += A[i*n + j] * y[j]
//! if x apart from A and y:  for i in threads: sum = x[i]; for j: sum += A[i*n + j] * y[j]; x[i] = sum
//! ```

use super::check::Expected;
use super::conditions::{Conditions, Required};
use super::different::different_arrays;
use super::guard::Condition;
use super::profit::{Candidate, Cost, cost};
use super::propose::{Choice, Costs};
use super::prove::Plan;
use super::registers::{accesses_with, is_fused};
use super::subject::Subject;
use crate::analysis::dependences::{NestAccess, Promotable, RegionAccesses};
use crate::analysis::region::Analysis;
use crate::common::budget::Stage;
use ipda_models::report::Reason;
use ipda_models::versions::{GuardCondition, Recipe};
use ipda_symbolic::{Atom, AtomId};

/// Pairs of arrays that a guard compares for nothing but a gain: each costs a launch some instructions of every thread.
const MAX_PAIRS: usize = 16;

/// The loops as they are written, with what stays in registers where some arrays lie apart, if that pays.
pub(super) fn promote(analysis: &mut Analysis<'_>, accesses: &RegionAccesses, subject: &Subject<'_>) -> Option<Plan> {
    let Promotion { kept, shown, guard, reported, costs } =
        find(analysis, accesses, subject, &subject.as_written, None)?;
    let expected = Expected::of(analysis, &subject.nest.accesses, &subject.as_written, &subject.arguments)?;
    let mut arrays: Vec<String> = kept.iter().map(|each| analysis.object_name(each.object)).collect();
    arrays.sort();
    arrays.dedup();
    let recipe = Recipe::promoted(subject.named(analysis, subject.nest.in_cfg(0)), arrays);
    let choice = Choice { recipe, gain: Some(subject.gain(analysis, &costs)), has_clause: false };
    Some(Plan {
        guard,
        apart_by_host: shown.iter().map(|shown| shown.params).collect(),
        conditions: reported,
        rests_on: shown.into_iter().map(|shown| shown.reason).collect(),
        ..Plan::as_written(analysis, subject, expected, choice)
    })
}

/// Lets the guard of changed loops compare what it need not for their result, where that pays on top.
pub(super) fn promote_too(
    analysis: &mut Analysis<'_>,
    accesses: &RegionAccesses,
    subject: &Subject<'_>,
    plan: &mut Plan,
) {
    let candidate = Candidate::new(analysis, &subject.nest, plan.mapping.clone());
    let Some(found) = find(analysis, accesses, subject, &candidate, Some(plan)) else { return };
    let Promotion { shown, guard, reported, .. } = found;
    for (condition, words) in guard.into_iter().zip(reported) {
        if !plan.guard.contains(&condition) {
            plan.guard.push(condition);
            plan.conditions.push(words);
        }
    }
    for Shown { params, reason, .. } in shown {
        plan.apart_by_host.push(params);
        if !plan.rests_on.contains(&reason) {
            plan.rests_on.push(reason);
        }
    }
}

/// What stays in registers, and what shows that it may.
struct Promotion {
    kept: Vec<Promotable>,
    shown: Vec<Shown>,
    guard: Vec<Condition>,
    reported: Vec<GuardCondition>,
    costs: Costs,
}

/// What pays in loops that run by a candidate, beside what a plan for them tests anyway.
fn find(
    analysis: &mut Analysis<'_>,
    accesses: &RegionAccesses,
    subject: &Subject<'_>,
    candidate: &Candidate,
    plan: Option<&Plan>,
) -> Option<Promotion> {
    let mut found = subject.nest.promotable(analysis);
    found.retain(|each| !is_fused(analysis, candidate, each));
    if found.is_empty() || !pays(analysis, subject, candidate, &found) {
        return None;
    }
    analysis.begin(Stage::Orders);
    let mut objects: Vec<AtomId> = found.iter().flat_map(pairs).flatten().collect();
    objects.sort_unstable();
    objects.dedup();
    let touched = accesses.touched(analysis, &objects);
    let mut conditions = Conditions::new(analysis, &subject.arguments, &touched);
    let tested = plan.map_or(&[][..], |plan| &plan.guard);
    let is_tested = |pair: [AtomId; 2]| {
        subject.arguments.pair(pair).is_some_and(|params| tested.iter().any(|condition| condition.is_of(params)))
    };
    let mut shown = shown(analysis, subject, found.iter().flat_map(pairs).filter(|&pair| !is_tested(pair)));
    let is_free = |shown: &[Shown], pair: [AtomId; 2]| is_tested(pair) || shown.iter().any(|each| each.pair == pair);
    let mut kept: Vec<Promotable> = found
        .into_iter()
        .filter(|each| pairs(each).all(|pair| is_free(&shown, pair) || can_be_apart(subject, &conditions, pair)))
        .collect();
    let time = |each: &Promotable| cost_with(analysis, subject, candidate, std::slice::from_ref(each)).time();
    kept.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut compared: Vec<[AtomId; 2]> = Vec::new();
    kept.retain(|each| {
        let new: Vec<_> = pairs(each).filter(|&pair| !is_free(&shown, pair) && !compared.contains(&pair)).collect();
        let is_kept = compared.len() + new.len() <= MAX_PAIRS;
        compared.extend(new.into_iter().filter(|_| is_kept));
        is_kept
    });
    shown.retain(|shown| kept.iter().flat_map(pairs).any(|pair| pair == shown.pair));
    let costs = costs(analysis, subject, candidate, &kept);
    // What is tested anyway is reported anyway.
    if !pays(analysis, subject, candidate, &kept) || plan.is_some() && compared.is_empty() && shown.is_empty() {
        return None;
    }
    for required in compared.into_iter().filter_map(|pair| conditions.apart(pair)).flatten().collect::<Vec<_>>() {
        conditions.require(required);
    }
    if conditions.require_exact_sums(&[]) != Ok(true) {
        return None;
    }
    let Conditions { guard, reported, .. } = conditions;
    Some(Promotion { kept, shown, guard, reported, costs })
}

/// The pairs of objects that must lie apart, of which one is written.
fn pairs(each: &Promotable) -> impl Iterator<Item = [AtomId; 2]> {
    let of = |&other: &AtomId| [each.object.min(other), each.object.max(other)];
    each.apart_from.iter().map(of)
}

/// Two objects that the host's code shows to be different arrays: they need no test.
struct Shown {
    pair: [AtomId; 2],
    /// The kernel's parameters that lead to them.
    params: (usize, usize),
    reason: Reason,
}

fn shown(analysis: &Analysis<'_>, subject: &Subject<'_>, pairs: impl Iterator<Item = [AtomId; 2]>) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for pair in pairs {
        if all.iter().any(|shown| shown.pair == pair) {
            continue;
        }
        let [Some(first), Some(second)] = pair.map(|object| analysis.lowering.argument_of(object)) else { continue };
        let Some(params) = subject.arguments.pair(pair) else { continue };
        let reason = different_arrays(analysis, pair, [first, second]);
        all.extend(reason.map(|reason| Shown { pair, params, reason }));
    }
    all
}

/// Whether it can be tested that two objects lie apart, and said of their accesses: only of those that parameters lead to.
fn can_be_apart(subject: &Subject<'_>, conditions: &Conditions<'_, '_>, pair: [AtomId; 2]) -> bool {
    let can_hold = |(condition, ..): &Required| condition.as_constant() != Some(false);
    let is_of_params = subject.arguments.pair(pair).is_some();
    is_of_params && conditions.apart(pair).is_some_and(|required| required.iter().all(can_hold))
}

fn costs(analysis: &Analysis<'_>, subject: &Subject<'_>, candidate: &Candidate, kept: &[Promotable]) -> Costs {
    let after = cost_with(analysis, subject, candidate, kept);
    let before = cost_with(analysis, subject, candidate, &[]).in_iterations_of(&after);
    Costs { before, after }
}

/// Whether that pays in what is known of the accesses: those whose places the data decide are the same before and after, and may well be cached.
fn pays(analysis: &Analysis<'_>, subject: &Subject<'_>, candidate: &Candidate, kept: &[Promotable]) -> bool {
    let space = &analysis.lowering.space;
    let is_by_data = |access: &NestAccess| {
        space.depends_on(&access.address, |atom| match space.atom(atom) {
            Atom::Load { address, .. } => !space.loops_of(address).is_empty(),
            _ => false,
        })
    };
    let of = |kept: &[Promotable]| {
        let mut accesses = accesses_with(analysis, subject, kept);
        accesses.retain(|access| !is_by_data(access));
        cost(analysis, &subject.sizes, &accesses, candidate)
    };
    Costs { before: of(&[]), after: of(kept) }.pay()
}

/// What loops cost, but for what is loaded and stored once before an innermost loop and behind it.
fn cost_with(analysis: &Analysis<'_>, subject: &Subject<'_>, candidate: &Candidate, kept: &[Promotable]) -> Cost {
    cost(analysis, &subject.sizes, &accesses_with(analysis, subject, kept), candidate)
}
