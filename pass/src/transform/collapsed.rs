//! Loops that a clause collapsed, in the order in which they are written: a thread may take iterations of the slower one together.
//!
//! ```text
//! for x in threads 0..n*m: i = x / m, j = x % m, for k: C[i*m + j] += A[i*p + k] * B[k*m + j]
//! for x in threads 0..n*m/4: i = 4 * (x / m), j = x % m, of rows i to i+3: the same, with one load of B for four products
//! ```

use super::check::Expected;
use super::conditions::Conditions;
use super::prove::Plan;
use super::subject::Subject;
use super::together::{in_lockstep, together};
use crate::analysis::region::Analysis;
use ipda_models::report::ConditionRole;
use ipda_symbolic::Polynomial;

/// The plan that leaves the loops that a clause collapsed as they are, and takes iterations of the slowest one together, where that pays.
pub(super) fn together_as_written(analysis: &mut Analysis<'_>, subject: &Subject<'_>) -> Option<Plan> {
    let candidate = &subject.as_written;
    let expected = Expected::of(analysis, &subject.nest.accesses, candidate, &subject.arguments)?;
    let costs = subject.costs(analysis, &subject.sizes, candidate);
    let choice = subject.choice(analysis, &candidate.mapping, &costs);
    let plan = Plan::as_written(analysis, subject, expected, choice);
    let mut plan = Plan { is_right_unguarded: true, is_version: false, ..plan };
    take_together(analysis, subject, &mut plan);
    plan.coarse.is_some().then_some(plan)
}

/// Lets a plan that leaves collapsed loops as they are take iterations of the slowest one together, where that pays.
pub(super) fn take_together(analysis: &mut Analysis<'_>, subject: &Subject<'_>, plan: &mut Plan) {
    const DIGITS: std::ops::RangeInclusive<usize> = 2..=3;
    let candidate = &subject.as_written;
    let digits = subject.nest.digits;
    if !DIGITS.contains(&digits) || plan.mapping != candidate.mapping || !subject.divides_by_sizes {
        return;
    }
    let Some(together) = together(analysis, subject, candidate) else { return };
    let mut conditions = Conditions::new(analysis, &subject.arguments, &[]);
    let count = |at: usize| Some((at, conditions.sum(candidate.trips(at)?)?));
    let Some(trips) = (0..digits).map(count).collect::<Option<Vec<_>>>() else { return };
    // In what is linearised by hand, two negative counts make a number of iterations that is positive.
    for (at, _) in &trips {
        let positive = candidate.trips(*at).map(|count| count - &Polynomial::one());
        let required = positive.and_then(|positive| conditions.not_negative(&positive, ConditionRole::Iterations));
        if !required.is_some_and(|required| conditions.require(required)) {
            return;
        }
    }
    let fits = subject
        .nest
        .wrapped
        .as_ref()
        .map(|count| conditions.numbers_fit(count, &subject.limit(analysis, &plan.mapping)));
    let has_numbers = match fits {
        None => true,
        Some(fits) => fits.is_some_and(|fits| conditions.require(fits)),
    };
    if !has_numbers {
        return;
    }
    let sums: Vec<_> = trips.iter().map(|(_, sum)| sum.clone()).collect();
    if conditions.require_exact_sums(&sums) != Ok(true) {
        return;
    }
    let Conditions { guard, reported, .. } = conditions;
    for (condition, words) in guard.into_iter().zip(reported) {
        if !plan.guard.contains(&condition) {
            plan.guard.push(condition);
            plan.conditions.push(words);
        }
    }
    let nest = &analysis.nest;
    plan.is_distributed = nest.shared_at(subject.nest.in_cfg(0)).is_some_and(|shared| shared.distributed_by.is_some());
    plan.trips = trips;
    plan.coarse = Some(together);
    plan.in_lockstep = in_lockstep(analysis, subject, candidate, together);
}
