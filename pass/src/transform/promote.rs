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
use super::profit::{Cost, cost};
use super::propose::{Choice, Costs, Subject};
use super::prove::Plan;
use crate::analysis::dependences::{NestAccess, Promotable, RegionAccesses};
use crate::analysis::region::Analysis;
use crate::common::budget::Stage;
use ipda_models::report::Reason;
use ipda_models::versions::Recipe;
use ipda_symbolic::AtomId;

/// Pairs of arrays that a guard compares for nothing but a gain: each costs a launch some instructions of every thread.
const MOST_PAIRS: usize = 16;

/// What is kept in registers where some arrays lie apart, if that pays.
pub(super) fn promote(analysis: &mut Analysis<'_>, accesses: &RegionAccesses, subject: &Subject<'_>) -> Option<Plan> {
    let found = subject.nest.promotable(analysis);
    if found.is_empty() || !costs(analysis, subject, &found).pay() {
        return None;
    }
    analysis.begin(Stage::Orders);
    let mut objects: Vec<AtomId> = found.iter().flat_map(pairs).flatten().collect();
    objects.sort_unstable();
    objects.dedup();
    let touched = accesses.touched(analysis, &objects);
    let mut conditions = Conditions::new(analysis, &subject.arguments, &touched);
    let mut shown = shown(analysis, subject, found.iter().flat_map(pairs));
    let is_shown = |shown: &[Shown], pair: [AtomId; 2]| shown.iter().any(|each| each.pair == pair);
    let mut kept: Vec<Promotable> = found
        .into_iter()
        .filter(|each| pairs(each).all(|pair| is_shown(&shown, pair) || can_be_apart(&conditions, pair)))
        .collect();
    let time = |each: &Promotable| cost_with(analysis, subject, std::slice::from_ref(each)).time();
    kept.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut compared: Vec<[AtomId; 2]> = Vec::new();
    kept.retain(|each| {
        let new: Vec<_> = pairs(each).filter(|&pair| !is_shown(&shown, pair) && !compared.contains(&pair)).collect();
        let is_kept = compared.len() + new.len() <= MOST_PAIRS;
        compared.extend(new.into_iter().filter(|_| is_kept));
        is_kept
    });
    shown.retain(|shown| kept.iter().flat_map(pairs).any(|pair| pair == shown.pair));
    let costs = costs(analysis, subject, &kept);
    if !costs.pay() {
        return None;
    }
    for required in compared.into_iter().filter_map(|pair| conditions.apart(pair)).flatten().collect::<Vec<_>>() {
        conditions.require(required);
    }
    if conditions.require_exact_sums(&[]) != Ok(true) {
        return None;
    }
    let Conditions { guard, told, .. } = conditions;
    let expected = Expected::of(analysis, &subject.nest.accesses, &subject.as_written, &subject.arguments)?;
    let mut arrays: Vec<String> = kept.iter().map(|each| analysis.object_name(each.object)).collect();
    arrays.sort();
    arrays.dedup();
    let recipe = Recipe::promoted(subject.named(analysis, subject.nest.in_cfg(0)), arrays);
    Some(Plan {
        at: subject.at,
        mapping: subject.as_written.mapping.clone(),
        digits: subject.nest.digits,
        trips: Vec::new(),
        tests: Vec::new(),
        reciprocals: Vec::new(),
        number_bits: subject.number_bits(analysis),
        falls_back: true,
        is_distributed: false,
        reduces: false,
        assignment: subject.assignment,
        guard,
        apart_by_host: shown.iter().map(|shown| shown.params).collect(),
        written: subject.written(analysis),
        reads: subject.arguments.reads.clone(),
        conditions: told,
        rests_on: shown.into_iter().map(|shown| shown.reason).collect(),
        choice: Choice { recipe, gain: subject.gain(analysis, &costs), has_clause: false },
        expected,
    })
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

/// Whether it can be tested that two objects lie apart.
fn can_be_apart(conditions: &Conditions<'_, '_>, pair: [AtomId; 2]) -> bool {
    let can_hold = |(condition, ..): &Required| condition.as_constant() != Some(false);
    conditions.apart(pair).is_some_and(|required| required.iter().all(can_hold))
}

fn costs(analysis: &Analysis<'_>, subject: &Subject<'_>, kept: &[Promotable]) -> Costs {
    Costs { before: cost_with(analysis, subject, &[]), after: cost_with(analysis, subject, kept) }
}

/// What the loops cost as written, but for what is loaded and stored once in front of an innermost loop and behind it.
fn cost_with(analysis: &Analysis<'_>, subject: &Subject<'_>, kept: &[Promotable]) -> Cost {
    let mut accesses: Vec<NestAccess> = subject.nest.accesses.clone();
    for each in kept {
        let id = analysis.lowering.loop_id(each.index);
        let is_kept = |access: &&mut NestAccess| access.object == Some(each.object) && access.loops.last() == Some(&id);
        for access in accesses.iter_mut().filter(is_kept) {
            access.loops.pop();
        }
    }
    cost(analysis, &subject.sizes, &accesses, &subject.as_written)
}
