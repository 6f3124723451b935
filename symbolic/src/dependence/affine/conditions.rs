//! Conditions that could be tested before the loops run: what a split lacked, taken for granted in another try.

use super::directions::Directions;
use super::merge::merge_from;
use super::read::Reading;
use super::solve::{Node, Solver};
use super::worth::{is_extreme, is_of_few_iterations, tightened, without_sizes};
use crate::dependence::vector::{Pair, Vector};
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many conditions one vector is excluded under.
const MAX_CONDITIONS: usize = 3;

/// All vectors. `wraps`: stands for how often `2^64` is in the difference of the addresses, where that may be.
pub(super) fn vectors(
    space: &Space,
    Reading { variables, known, apart_if, mut start }: Reading,
    wraps: Option<AtomId>,
    pair: Pair,
    mut bounds_decide: impl FnMut(&Space) -> bool,
) -> Vec<Vector> {
    let loops = start.distances.len();
    let mut solver = Solver::new(space, variables, known);
    solver.apart_if = apart_if;
    let are_iterations = solver.variables.are_iterations();
    if let Some(times) = wraps {
        solver.wrap(&mut start, times);
    }
    let settled = solutions(&mut solver, &start);
    if settled.is_empty() {
        return Vec::new();
    }
    let missing = solver.missing.take();
    let mut vectors = directed(&mut solver, &start, settled, pair, || are_iterations && bounds_decide(space));
    let is_open = vectors.iter().any(|vector| !vector.certain);
    if let Some(missing) = missing.filter(|_| is_open)
        && let Some((conditions, left)) = under_conditions(&mut solver, missing, &start, pair)
    {
        for vector in vectors.iter_mut().filter(|vector| !vector.certain) {
            // What is left under the conditions may have some of its own: both together exclude it.
            let met = left.iter().filter(|other| meets(other, vector));
            let more: Option<Vec<_>> = met.map(|other| other.excluded_if.clone()).collect();
            if let Some(more) = more
                && (vector.excluded_if.is_none() || more.is_empty())
            {
                vector.excluded_if = Some(strongest(conditions.iter().cloned().chain(more.into_iter().flatten())));
            }
        }
    }
    in_order(vectors, loops)
}

/// Vectors of cases of which at least one occurs.
pub(super) fn united(cases: Vec<Vec<Vector>>, loops: usize) -> Vec<Vector> {
    let mut united: Vec<Vector> = Vec::new();
    for (at, vectors) in cases.into_iter().enumerate() {
        for known in &mut united {
            known.certain &= vectors.iter().any(|vector| vector.certain && vector.has_directions_of(known));
        }
        for vector in vectors {
            let Some(known) = united.iter_mut().find(|known| known.has_directions_of(&vector)) else {
                united.push(Vector { certain: vector.certain && at == 0, ..vector });
                continue;
            };
            let is_certain = known.certain && vector.certain;
            known.widen(&vector);
            known.certain &= is_certain;
            known.excluded_if = known.excluded_if.take().zip(vector.excluded_if).map(|(mut all, more)| {
                let more: Vec<_> = more.into_iter().filter(|condition| !all.contains(condition)).collect();
                all.extend(more);
                all
            });
        }
    }
    in_order(united, loops)
}

/// Conditions, but for those that follow from another one that asks for a constant more.
fn strongest(conditions: impl Iterator<Item = Polynomial>) -> Vec<Polynomial> {
    let mut kept: Vec<Polynomial> = Vec::new();
    for condition in conditions {
        let follows =
            |p: &Polynomial, from: &Polynomial| (p - from).as_constant().is_some_and(|more| !more.is_negative());
        if !kept.iter().any(|known| follows(&condition, known)) {
            kept.retain(|known| !follows(known, &condition));
            kept.push(condition);
        }
    }
    kept
}

fn in_order(mut vectors: Vec<Vector>, loops: usize) -> Vec<Vector> {
    if vectors.len() < 2 {
        return vectors;
    }
    let order = |vector: &Vector| -> Vec<[bool; 3]> {
        vector.steps.iter().map(|step| [!step.less, !step.equal, !step.greater]).collect()
    };
    vectors.sort_by_cached_key(order);
    merge_from(vectors, 0, loops)
}

fn solutions(solver: &mut Solver<'_>, start: &Node) -> Vec<Node> {
    let mut settled = Vec::new();
    solver.settle(start.clone(), &mut settled);
    settled
}

fn directed(
    solver: &mut Solver<'_>,
    start: &Node,
    settled: Vec<Node>,
    pair: Pair,
    bounds_decide: impl FnMut() -> bool,
) -> Vec<Vector> {
    let mut directions = Directions::new(solver, pair, start.distances.clone());
    let loops = start.distances.len();
    settled.into_iter().for_each(|node| directions.refine(node, Vec::with_capacity(loops)));
    directions.vectors(bounds_decide)
}

/// Conditions under which all splits succeed, with the vectors that are left then.
fn under_conditions(
    solver: &mut Solver<'_>,
    missing: Polynomial,
    start: &Node,
    pair: Pair,
) -> Option<(Vec<Polynomial>, Vec<Vector>)> {
    let mut conditions = Vec::new();
    let simplified = |solver: &Solver<'_>, p| without_sizes(solver.space, tightened(p), &solver.known);
    let mut next = simplified(solver, missing);
    loop {
        let is_useful = next.as_constant().is_none()
            && !is_of_few_iterations(&next)
            && !is_extreme(solver.space, &next, &solver.known)
            && !solver.refutes(&next);
        if !is_useful || conditions.len() >= MAX_CONDITIONS || conditions.contains(&next) {
            return None;
        }
        solver.known.assume_nonneg(next.clone());
        conditions.push(next);
        solver.missing = None;
        let settled = solutions(solver, start);
        if settled.iter().all(|node| node.kept.is_empty()) {
            let left = directed(solver, start, settled, pair, || false);
            return Some((conditions, left));
        }
        let missing = solver.missing.take()?;
        next = simplified(solver, missing);
    }
}

/// Whether two vectors have directions in common.
fn meets(a: &Vector, b: &Vector) -> bool {
    a.steps.iter().zip(&b.steps).all(|(a, b)| a.less && b.less || a.equal && b.equal || a.greater && b.greater)
}
