//! Directions, loop by loop from the outermost: what is excluded is not refined (Burke and Cytron's hierarchy).

use super::node::{Attempts, Equation, Found, Node};
use super::pair::{Pair, is_invariant};
use super::{Direction, MEET, Step, Vector};
use crate::coeff::Coeff;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// How many nodes are looked at before the rest is left unrefined.
const MAX_TREE_NODES: u32 = 256;

/// A combination of directions that is not excluded.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    /// For the outermost loops; in the others, all directions are possible.
    pub directions: Vec<Direction>,
    pub distances: Vec<Option<Polynomial>>,
    pub certain: bool,
    pub missing: String,
}

/// What a search for leaves needs besides the space.
pub(super) struct Search<'a> {
    pub pair: &'a Pair,
    pub same: bool,
    /// Facts are such that equations alone decide.
    pub is_simple: bool,
    pub attempts: Attempts,
    left: u32,
}

impl<'a> Search<'a> {
    pub fn new(pair: &'a Pair, same: bool, is_simple: bool) -> Search<'a> {
        Search { pair, same, is_simple, attempts: Attempts::new(), left: MAX_TREE_NODES }
    }

    /// The leaves of the tree under conditions; `None` where these contradict each other.
    pub fn leaves(
        &mut self,
        space: &mut Space,
        equation: &Equation,
        wraps: bool,
        conditions: &[Polynomial],
    ) -> Option<Vec<Leaf>> {
        let mut root = Node::new(self.pair, equation, wraps);
        let mut leaves = Vec::new();
        self.left = MAX_TREE_NODES;
        for condition in conditions {
            if root.assume(space, condition.clone()) == Found::Nothing {
                return None;
            }
        }
        if root.reduce(space, &mut self.attempts) == Found::Perhaps && !root.is_empty(space, &mut self.attempts) {
            self.refine(space, root, Vec::new(), &mut leaves);
        }
        Some(leaves)
    }

    fn refine(&mut self, space: &mut Space, node: Node, directions: Vec<Direction>, leaves: &mut Vec<Leaf>) {
        let level = directions.len();
        if space.is_spent() {
            self.left = 0;
        }
        if level == node.values.len() || self.left == 0 {
            if self.left == 0 {
                space.limits.count(|hits| hits.dependence_nodes += 1);
            }
            let is_point =
                level == node.values.len() && directions.iter().all(|direction| *direction == Direction::Equal);
            if !(self.same && is_point) {
                leaves.push(self.leaf(space, &node, directions));
            }
            return;
        }
        let is_first = directions.iter().all(|direction| *direction == Direction::Equal);
        for direction in [Direction::Less, Direction::Equal, Direction::Greater] {
            // Source and sink changed places give the same collisions.
            if self.same && is_first && direction == Direction::Greater {
                continue;
            }
            let mut child = node.clone();
            let mut directions = directions.clone();
            directions.push(direction);
            self.left = self.left.saturating_sub(1);
            if self.enter(space, &mut child, &directions) == Found::Perhaps {
                self.refine(space, child, directions, leaves);
            }
        }
    }

    /// Goes into the part of the node with the last direction.
    fn enter(&mut self, space: &mut Space, node: &mut Node, directions: &[Direction]) -> Found {
        let Some((direction, level)) = directions.last().zip(directions.len().checked_sub(1)) else {
            return Found::Perhaps;
        };
        let value = node.values[level].clone();
        let (later, earlier) = (&value - &Polynomial::one(), -&value - Polynomial::one());
        let found = match direction {
            Direction::Less => node.assume(space, later),
            Direction::Greater => node.assume(space, earlier),
            Direction::Equal if value.is_zero() => Found::Perhaps,
            Direction::Equal if node.proves(space, &later) || node.proves(space, &earlier) => Found::Nothing,
            Direction::Equal => {
                let zero = Polynomial::zero();
                let distance = Polynomial::from(self.pair.distances[level]);
                if value == distance {
                    node.substitute(space, self.pair.distances[level], &zero)
                } else {
                    let zero = Coeff::ZERO;
                    node.equations.push(Equation { form: value.clone(), low: zero.clone(), high: zero });
                    Found::Perhaps
                }
            }
        };
        if found == Found::Nothing {
            return found;
        }
        let mut is_changed = value.as_constant().is_none() && (!node.is_decided() || node.is_coupled());
        if *direction == Direction::Equal {
            for identity in &self.pair.identities {
                let is_equal = |&index: &usize| directions.get(index) == Some(&Direction::Equal);
                if identity.loops.contains(&level) && identity.loops.iter().all(is_equal) {
                    is_changed = true;
                    if node.substitute(space, identity.stand_in, &Polynomial::from(identity.original)) == Found::Nothing
                    {
                        return Found::Nothing;
                    }
                }
            }
        }
        if !is_changed {
            return Found::Perhaps;
        }
        if node.reduce(space, &mut self.attempts) == Found::Nothing || node.is_empty(space, &mut self.attempts) {
            return Found::Nothing;
        }
        Found::Perhaps
    }

    fn leaf(&self, space: &Space, node: &Node, directions: Vec<Direction>) -> Leaf {
        let is_known = |value: &&Polynomial| is_invariant(space, value);
        let distances = node.values.iter().map(|value| Some(value).filter(is_known).cloned()).collect();
        let is_free = |(value, &distance): (&Polynomial, _)| {
            value.as_constant().is_some() || *value == Polynomial::from_atom(distance)
        };
        let certain = self.is_simple
            && node.is_decided()
            && !node.is_narrowed
            && directions.len() == node.values.len()
            && node.values.iter().zip(&self.pair.distances).all(is_free);
        let missing = match node.equations.first() {
            Some(equation) => {
                let form = space.display(&equation.form);
                match equation.low == equation.high {
                    true => format!("it was not shown that {form} is never {}", equation.low),
                    false => format!("it was not shown that {form} is never in {}..{}", equation.low, equation.high),
                }
            }
            None if node.wrapping.is_some() => "the distance of the addresses may exceed 2^64".into(),
            None => MEET.into(),
        };
        Leaf { directions, distances, certain, missing }
    }
}

/// Leaves with the conditions under which each is excluded, as vectors: alternatives that differ in one loop alone become one.
pub(super) fn merged(leaves: Vec<(Leaf, Option<Vec<Polynomial>>)>, loops: usize) -> Vec<Vector> {
    let tails = leaves
        .into_iter()
        .map(|(leaf, excluded_if)| {
            let steps = (0..loops).map(|index| step(leaf.directions.get(index), &leaf.distances[index])).collect();
            Vector { steps, certain: leaf.certain, missing: leaf.missing.into(), excluded_if }
        })
        .collect();
    merge_from(tails, 0, loops)
}

fn step(direction: Option<&Direction>, distance: &Option<Polynomial>) -> Step {
    let is = |sought| direction.is_none_or(|direction| *direction == sought);
    Step {
        less: is(Direction::Less),
        equal: is(Direction::Equal),
        greater: is(Direction::Greater),
        distance: distance.clone(),
    }
}

/// Vectors in the order of their directions, those that differ in one loop alone as one.
pub(super) fn merge_from(vectors: Vec<Vector>, level: usize, loops: usize) -> Vec<Vector> {
    if level == loops || vectors.len() < 2 {
        return vectors;
    }
    // What has one direction here lies together.
    let mut groups: Vec<Vec<Vector>> = Vec::new();
    for vector in vectors {
        match groups.last_mut().filter(|group| group[0].steps[level].directions() == vector.steps[level].directions()) {
            Some(group) => group.push(vector),
            None => groups.push(vec![vector]),
        }
    }
    let mut done: Vec<Vec<Vector>> = Vec::new();
    for group in groups {
        let group = merge_from(group, level + 1, loops);
        let is_alike = |other: &Vec<Vector>| {
            other.len() == group.len() && other.iter().zip(&group).all(|(a, b)| can_join(a, b, level))
        };
        match done.iter_mut().find(|other| is_alike(other)) {
            Some(other) => other.iter_mut().zip(group).for_each(|(into, vector)| join(into, vector, level)),
            None => done.push(group),
        }
    }
    done.into_iter().flatten().collect()
}

fn can_join(a: &Vector, b: &Vector, level: usize) -> bool {
    a.steps[level + 1..] == b.steps[level + 1..]
        && a.steps[..level] == b.steps[..level]
        && a.excluded_if == b.excluded_if
}

fn join(into: &mut Vector, other: Vector, level: usize) {
    let (step, added) = (&mut into.steps[level], &other.steps[level]);
    step.less |= added.less;
    step.equal |= added.equal;
    step.greater |= added.greater;
    // Which of several distances is sure is no longer told.
    let is_same = step.distance == added.distance;
    into.certain = match is_same {
        true => into.certain || other.certain,
        false => {
            let is_near = |step: &Step| step.distance.as_ref().is_none_or(Polynomial::is_zero);
            into.certain && is_near(step) || other.certain && is_near(added)
        }
    };
    if !is_same {
        step.distance = None;
    }
}
