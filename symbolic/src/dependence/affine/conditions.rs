//! Conditions that could be tested before the loops run: what a split lacked, taken for granted in another try.

use super::bounds::Variables;
use super::directions::Directions;
use super::solve::{Node, Solver};
use crate::dependence::Vector;
use crate::dependence::conditions::{is_extreme, is_of_few_iterations, without_sizes};
use crate::dependence::pair::tightened;
use crate::dependence::tree::merge_from;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many conditions one vector is excluded under.
const MAX_CONDITIONS: usize = 3;

/// All vectors.
pub(super) fn vectors(
    space: &Space,
    variables: Variables,
    known: Facts,
    start: Node,
    same: bool,
    mut is_simple: impl FnMut() -> bool,
) -> Vec<Vector> {
    let loops = start.distances.len();
    let are_iterations = variables.are_iterations();
    let mut solver = Solver::new(space, variables, known);
    solver.assume_counts(&start.constraints);
    let settled = solutions(&mut solver, &start);
    if settled.is_empty() {
        return Vec::new();
    }
    let missing = solver.missing.take();
    let mut vectors = directed(&mut solver, &start, settled, same, || are_iterations && is_simple());
    let is_open = vectors.iter().any(|vector| !vector.certain);
    if let Some(missing) = missing.filter(|_| is_open)
        && let Some((conditions, left)) = under_conditions(&mut solver, missing, &start, same)
    {
        for vector in vectors.iter_mut().filter(|vector| !vector.certain) {
            if !left.iter().any(|other| meets(other, vector)) {
                vector.excluded_if = Some(conditions.clone());
            }
        }
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
    same: bool,
    is_simple: impl FnMut() -> bool,
) -> Vec<Vector> {
    let mut directions = Directions::new(solver, same, start.distances.clone());
    settled.into_iter().for_each(|node| directions.refine(node, Vec::new()));
    directions.vectors(is_simple)
}

/// Conditions under which all splits succeed, with the vectors that are left then.
fn under_conditions(
    solver: &mut Solver<'_>,
    missing: Polynomial,
    start: &Node,
    same: bool,
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
            let left = directed(solver, start, settled, same, || false);
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
