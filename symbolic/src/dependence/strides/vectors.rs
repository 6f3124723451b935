//! Solutions as vectors.

use super::ByLoop;
use super::system::{Solution, System};
use crate::coeff::Coeff;
use crate::dependence::conditions::{cost_of, is_of_one_iteration};
use crate::dependence::pair::tightened;
use crate::dependence::{Step, Vector};
use crate::polynomial::Polynomial;

/// `is_simple`: facts are such that equations alone decide.
pub(super) fn vectors(system: &System<'_>, solutions: Vec<Solution>, same: bool, is_simple: bool) -> Vec<Vector> {
    let mut vectors: Vec<Vector> = Vec::new();
    for solution in solutions {
        let steps: ByLoop<Step> = (0..solution.distances.len()).map(|index| step(system, &solution, index)).collect();
        let is_reached = |distance: &Option<(Polynomial, Polynomial)>| {
            distance.as_ref().is_none_or(|(low, high)| match (low.as_constant(), high.as_constant()) {
                (Some(low), Some(high)) => low == high || *low <= Coeff::ONE && *high >= Coeff::MINUS_ONE,
                _ => false,
            })
        };
        let certain = is_simple && solution.is_exact && solution.distances.iter().all(is_reached);
        let excluded_if = if certain { None } else { condition(system, &solution) };
        for steps in halved(&steps, same) {
            let missing = "the addresses meet at these distances".into();
            let vector = Vector { steps, certain, missing, excluded_if: excluded_if.clone() };
            match vectors.iter_mut().find(|known| known.has_directions_of(&vector)) {
                Some(known) => {
                    known.widen(&vector);
                    if known.excluded_if != vector.excluded_if {
                        known.excluded_if = None;
                    }
                }
                None => vectors.push(vector),
            }
        }
    }
    let order = |step: &Step| [!step.less, !step.equal, !step.greater];
    vectors.sort_by(|a, b| a.steps.iter().map(order).cmp(b.steps.iter().map(order)));
    vectors
}

fn step(system: &System<'_>, solution: &Solution, index: usize) -> Step {
    let one = Polynomial::one();
    let least_of = |bounds: &[Polynomial]| bounds.iter().find(|bound| bound.as_constant().is_some()).cloned();
    let (low, high) = match &solution.distances[index] {
        Some((low, high)) => (Some(low.clone()), Some(high.clone())),
        None => (least_of(&system.known.lows[index]), least_of(&system.known.highs[index])),
    };
    let is_at_most = |value: &Polynomial| high.as_ref().is_some_and(|high| system.proves(&(value - high)));
    let is_at_least = |value: &Polynomial| low.as_ref().is_some_and(|low| system.proves(&(low - value)));
    let zero = Polynomial::zero();
    Step {
        less: !is_at_most(&zero),
        equal: !is_at_most(&-&one) && !is_at_least(&one),
        greater: !is_at_least(&zero),
        distance: low.filter(|_| solution.distances[index].is_some()).filter(|low| Some(low) == high.as_ref()),
    }
}

/// Of one access with itself, the parts in which the first loop that has a distance has a later iteration in the sink.
fn halved(steps: &[Step], same: bool) -> Vec<Vec<Step>> {
    if !same {
        return vec![steps.to_vec()];
    }
    let mut parts = Vec::new();
    for first in 0..steps.len() {
        if steps[first].less {
            let mut part = steps.to_vec();
            for step in &mut part[..first] {
                *step = Step { less: false, equal: true, greater: false, distance: Some(Polynomial::zero()) };
            }
            (part[first].equal, part[first].greater) = (false, false);
            parts.push(part);
        }
        if !steps[first].equal {
            break;
        }
    }
    parts
}

/// The simplest condition that excludes the solution.
fn condition(system: &System<'_>, solution: &Solution) -> Option<Vec<Polynomial>> {
    let can_hold = |p: &&Polynomial| {
        p.as_constant().is_none() && !is_of_one_iteration(p) && !system.proves(&(-*p - Polynomial::one()))
    };
    let simplest = solution.excluded_if.iter().filter(can_hold).min_by_key(|p| cost_of(p))?;
    Some(vec![tightened(simplest.clone())])
}
