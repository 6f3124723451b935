//! Conditions that could be tested before the loops run: what a split lacked, taken for granted in another try.

use super::directions::Directions;
use super::merge::merge_from;
use super::read::Reading;
use super::solve::{Node, Solver};
use super::worth::{tightened, without_sizes};
use crate::dependence::vector::{Pair, Vector};
use crate::facts::Facts;
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
    let lacking = Lacking::take(&mut solver);
    let mut vectors = directed(&mut solver, &start, settled, pair, || are_iterations && bounds_decide(space));
    let is_open = vectors.iter().any(|vector| !vector.certain);
    if let Some(lacking) = lacking.filter(|_| is_open)
        && let Some((conditions, left)) = under_conditions(&mut solver, lacking, &start, pair)
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

/// What splits lacked.
enum Lacking {
    /// A bound, where signs are known.
    Bound(Polynomial),
    /// The sign of a stride, without which no bound is known.
    Sign(Polynomial),
}

impl Lacking {
    fn take(solver: &mut Solver<'_>) -> Option<Lacking> {
        let sign = solver.unsigned.take().map(Lacking::Sign);
        solver.missing.take().map(Lacking::Bound).or(sign)
    }

    /// The simplest condition under which it is there.
    fn condition(self, solver: &Solver<'_>) -> Polynomial {
        let (Lacking::Bound(p) | Lacking::Sign(p)) = self;
        without_sizes(solver.space, tightened(p), &solver.known)
    }
}

/// Conditions under which all splits succeed, with the vectors that are left then.
fn under_conditions(
    solver: &mut Solver<'_>,
    lacking: Lacking,
    start: &Node,
    pair: Pair,
) -> Option<(Vec<Polynomial>, Vec<Vector>)> {
    let before = solver.known.clone();
    let (mut bounds, mut signs): (Vec<Polynomial>, Vec<Polynomial>) = Default::default();
    let mut next = lacking;
    loop {
        let of_kind = if matches!(next, Lacking::Bound(_)) { &mut bounds } else { &mut signs };
        let condition = next.condition(solver);
        let is_useful = condition.as_constant().is_none() && solver.is_worth_a_test(&condition);
        if !is_useful || of_kind.len() >= MAX_CONDITIONS || of_kind.contains(&condition) {
            return None;
        }
        solver.known.assume_nonneg(condition.clone());
        of_kind.push(condition);
        (solver.missing, solver.unsigned) = (None, None);
        let settled = solutions(solver, start);
        if settled.iter().all(|node| node.kept.is_empty()) {
            let left = directed(solver, start, settled, pair, || false);
            return Some((with_needed_signs(solver, before, bounds, signs), left));
        }
        next = Lacking::take(solver)?;
    }
}

/// Conditions without the signs that follow from the others: where a row is at least as long as what is used of it, its length is positive.
fn with_needed_signs(
    solver: &mut Solver<'_>,
    before: Facts,
    bounds: Vec<Polynomial>,
    signs: Vec<Polynomial>,
) -> Vec<Polynomial> {
    if signs.is_empty() {
        return bounds;
    }
    let all = std::mem::replace(&mut solver.known, before);
    bounds.iter().for_each(|bound| solver.known.assume_nonneg(bound.clone()));
    let mut needed = Vec::new();
    // The last ones are of the outermost strides, which rest on those inside.
    for sign in signs {
        if !solver.proves(&sign) {
            needed.push(sign.clone());
        }
        solver.known.assume_nonneg(sign);
    }
    solver.known = all;
    bounds.into_iter().chain(needed).collect()
}

/// Whether two vectors have directions in common.
fn meets(a: &Vector, b: &Vector) -> bool {
    a.steps.iter().zip(&b.steps).all(|(a, b)| a.less && b.less || a.equal && b.equal || a.greater && b.greater)
}
