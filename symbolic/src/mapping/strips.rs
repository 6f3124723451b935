//! Nests whose loops are counted digit by digit, and what becomes of dependences there.

use super::digits::{Count, Part};
use super::map::Mapping;
use crate::dependence::{Direction, Step};

/// Combinations of steps that are looked at for one dependence.
const MAX_VECTORS: usize = 4096;

/// Digits of a loop of which each difference is followed: twice as many combinations with each.
const MAX_EXACT: usize = 6;

/// A nest that has a loop for each part of a mapping, in the program's order.
pub(super) struct StripMined {
    /// The loops, outermost first.
    parts: Vec<Part>,
    /// How many of them are of parallel loops.
    parallel: usize,
    is_scheduled: bool,
    /// Where the mapping has them, by their positions.
    threads: Vec<usize>,
    inside: Vec<usize>,
}

impl StripMined {
    pub(super) fn new(mapping: &Mapping, parallel: usize, is_scheduled: bool) -> StripMined {
        let parts = mapping.in_order();
        let places = |of: &[Part]| of.iter().filter_map(|part| parts.iter().position(|other| other == part)).collect();
        let (threads, inside) = (places(mapping.threads()), places(mapping.inside()));
        let parallel = parts.iter().filter(|part| part.of < parallel).count();
        StripMined { parts, parallel, is_scheduled, threads, inside }
    }

    /// The vectors of a dependence that has a step for each loop as it was.
    pub(super) fn vectors(&self, steps: &[Step]) -> Vec<Vec<Step>> {
        let of_loops = self.parts.chunk_by(|a, b| a.of == b.of);
        let mut of_loops: Vec<Vec<Vec<Step>>> =
            of_loops.map(|parts| steps_of_parts(&steps[parts[0].of], parts)).collect();
        // Of several digits of several loops there are too many combinations: then the steps of a loop may be any.
        while of_loops.iter().map(Vec::len).product::<usize>() > MAX_VECTORS {
            let most = of_loops.iter_mut().max_by_key(|steps| steps.len());
            let Some(most) = most else { break };
            *most = vec![vec![any(); most[0].len()]];
        }
        of_loops.iter().fold(vec![Vec::new()], |vectors, steps| {
            let longer = |outer: &Vec<Step>| steps.iter().map(|inner| [&outer[..], inner].concat()).collect::<Vec<_>>();
            vectors.iter().flat_map(longer).collect()
        })
    }

    /// The steps that matter: iterations of the parallel loops that differ may run in any order anyway.
    fn first_that_matters(&self, steps: &[Step]) -> Option<usize> {
        if self.is_scheduled {
            return Some(0);
        }
        steps[..self.parallel].iter().all(|step| step.allows(Direction::Equal)).then_some(self.parallel)
    }

    /// A loop with a fused part in whose different iterations the ends may lie.
    pub(super) fn separated(&self, steps: &[Step]) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        let by = self.threads.iter().copied().filter(|&at| at >= first).find(|&at| {
            let itself = carries(steps, first, at);
            // Carried further outside, both ways are possible.
            let outside = (first..at).any(|outer| carries(steps, first, outer));
            itself || outside && (steps[at].less || steps[at].greater)
        });
        by.map(|at| self.parts[at].of)
    }

    /// A loop with a part inside that comes first at a dependence which another one carries in the program, and goes backwards. Asked where no
    /// fused part separates the ends.
    pub(super) fn reversed(&self, steps: &[Step]) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        let is_equal = |at: &usize| steps[*at].allows(Direction::Equal);
        if !self.threads.iter().filter(|&&at| at >= first).all(is_equal) {
            return None;
        }
        let matters = |at: &&usize| **at >= first;
        let by = self.inside.iter().filter(matters).enumerate().find(|&(position, &at)| {
            let mut before = self.inside.iter().filter(matters).take(position);
            let may_come_first = before.all(is_equal) && steps[at].greater;
            let mut behind = self.inside.iter().filter(matters).skip(position + 1);
            may_come_first && behind.any(|&outer| outer < at && carries(steps, first, outer))
        });
        by.map(|(_, &at)| self.parts[at].of)
    }
}

/// Whether a dependence may be carried at a loop in the program's order.
fn carries(steps: &[Step], first: usize, at: usize) -> bool {
    steps[at].less && steps[first..at].iter().all(|step| step.allows(Direction::Equal))
}

/// The steps of a loop's parts, the highest first, that a step of the loop consists of: one of these combinations.
fn steps_of_parts(step: &Step, parts: &[Part]) -> Vec<Vec<Step>> {
    if let [_] = parts {
        return vec![vec![step.clone()]];
    }
    match step.distance.as_ref().and_then(|distance| distance.as_constant()?.to_i64()) {
        Some(distance) if parts.len() <= MAX_EXACT => steps_by(distance.into(), parts),
        Some(distance) => steps_of_directions(&step_by(distance.into()), parts.len()),
        None => steps_of_directions(step, parts.len()),
    }
}

/// The steps of parts between two numbers at a distance, as in a subtraction by hand: with s values of the lowest digit, that one differs by
/// r = distance mod s or, where it borrows from the others, by r - s; the others by what is left, divided by s.
fn steps_by(distance: i128, parts: &[Part]) -> Vec<Vec<Step>> {
    let [others @ .., lowest] = parts else { return vec![Vec::new()] };
    match lowest.count {
        _ if others.is_empty() => vec![vec![step_by(distance)]],
        Count::Const(count) => {
            let count = i128::from(count);
            let rest = distance.rem_euclid(count);
            let borrowed = (rest > 0).then_some(rest - count);
            let with = |by: i128| {
                let longer = move |others: Vec<Step>| [others, vec![step_by(by)]].concat();
                steps_by((distance - by) / count, others).into_iter().map(longer)
            };
            std::iter::once(rest).chain(borrowed).flat_map(with).collect()
        }
        Count::Rest | Count::Given(_) => steps_of_directions(&step_by(distance), parts.len()),
    }
}

fn any() -> Step {
    Step { less: true, equal: true, greater: true, distance: None }
}

fn step_by(distance: i128) -> Step {
    Step { less: distance > 0, equal: distance == 0, greater: distance < 0, distance: None }
}

/// The steps of so many parts where only the directions of the loop's are known: the highest digit that differs has the loop's direction, and
/// those below it any.
fn steps_of_directions(step: &Step, parts: usize) -> Vec<Vec<Step>> {
    if step.less && step.equal && step.greater {
        return vec![vec![any(); parts]];
    }
    let first = |way: Step| {
        (0..parts).map(move |at| {
            let mut steps = vec![step_by(0); parts];
            steps[at] = way.clone();
            steps[at + 1..].fill(any());
            steps
        })
    };
    let less = step.less.then(|| first(step_by(1))).into_iter().flatten();
    let greater = step.greater.then(|| first(step_by(-1))).into_iter().flatten();
    less.chain(greater).chain(step.equal.then(|| vec![step_by(0); parts])).collect()
}
