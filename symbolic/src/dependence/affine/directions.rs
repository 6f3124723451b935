//! Solutions by directions: loops whose distances equations tie to others are taken apart, outer ones first (the hierarchy of
//! Burke and Cytron, "Interprocedural Dependence Analysis and Parallelization", 1986).

use super::solve::{Equation, Node, Solver, note};
use super::worth::{cost_of, tightened, without_sizes};
use crate::dependence::vector::{ByLoop, Direction, MEET, Pair, Step, Vector};
use crate::polynomial::Polynomial;
use std::rc::Rc;

/// How many cases are looked at for one pair; what is left is not refined.
const MAX_DIRECTIONS: u32 = 128;

/// Nodes as vectors.
pub(super) struct Directions<'a, 'b> {
    pub solver: &'a mut Solver<'b>,
    /// Source and sink are one access: of two vectors that mirror each other, that in which the source comes first is enough.
    pub pair: Pair,
    /// The distances as they were before equations were looked at.
    untied: ByLoop<Polynomial>,
    pub found: Vec<(Node, Vec<Step>)>,
    left: u32,
}

impl<'a, 'b> Directions<'a, 'b> {
    pub fn new(solver: &'a mut Solver<'b>, pair: Pair, untied: ByLoop<Polynomial>) -> Directions<'a, 'b> {
        Directions { solver, pair, untied, found: Vec::new(), left: MAX_DIRECTIONS }
    }

    /// Goes on with the loops behind those that have steps.
    pub fn refine(&mut self, mut node: Node, mut steps: Vec<Step>) {
        let level = steps.len();
        let is_mirrored = self.pair == Pair::Itself && steps.iter().all(|step| !step.less && !step.greater);
        let Some(distance) = node.distances.get(level).cloned() else {
            if !is_mirrored {
                self.found.push((node, steps));
            }
            return;
        };
        if let Some(value) = distance.as_constant() {
            if is_mirrored && value.is_negative() {
                return;
            }
            let (less, greater) = (value.is_positive(), value.is_negative());
            steps.push(Step { less, equal: value.is_zero(), greater, distance: Some(distance) });
            return self.refine(node, steps);
        }
        let is_invariant = self.solver.variables.are_absent(&distance);
        let is_free = self.is_free(&node, level);
        // Whether a tied distance has a direction for sure is not known.
        node.is_exact &= is_free;
        let known = is_invariant.then(|| distance.clone());
        if self.left == 0 || !is_mirrored && (is_invariant || is_free) {
            let one = Polynomial::one();
            let mut step = Step { less: true, equal: true, greater: !is_mirrored, distance: known };
            if is_invariant {
                step.less = !self.solver.proves(&-&distance);
                step.equal = !self.solver.proves(&(&distance - &one)) && !self.solver.refutes(&distance);
                step.greater &= !self.solver.proves(&distance);
            }
            if self.left == 0 {
                self.solver.space.limits.count(|hits| hits.dependence_nodes += 1);
            }
            steps.push(step);
            return self.refine(node, steps);
        }
        for direction in [Direction::Less, Direction::Equal, Direction::Greater] {
            if is_mirrored && direction == Direction::Greater {
                continue;
            }
            self.left = self.left.saturating_sub(1);
            self.enter(&node, &steps, &distance, direction);
        }
    }

    fn enter(&mut self, node: &Node, before: &[Step], distance: &Polynomial, direction: Direction) {
        let with = |step: Step| {
            let mut steps = Vec::with_capacity(self.untied.len());
            steps.extend_from_slice(before);
            steps.push(step);
            steps
        };
        if direction == Direction::Equal {
            let steps = with(Step { less: false, equal: true, greater: false, distance: Some(Polynomial::zero()) });
            let mut node = node.clone();
            node.reopen();
            node.distances[before.len()] = Polynomial::zero();
            node.equations.push(Equation::exact(distance.clone()));
            self.solver.identify(&mut node);
            let mut settled = Vec::new();
            self.solver.settle(node, &mut settled);
            return settled.into_iter().for_each(|node| self.refine(node, steps.clone()));
        }
        let less = direction == Direction::Less;
        let sign = if less { distance.clone() } else { -distance };
        let constraint = sign - Polynomial::one();
        let mut noted = Vec::new();
        if self.solver.is_contradiction(&node.constraints, &constraint, &mut noted) {
            return;
        }
        let is_invariant = self.solver.variables.are_absent(distance);
        let distance = is_invariant.then(|| distance.clone());
        let steps = with(Step { less, equal: false, greater: !less, distance });
        let mut node = node.clone();
        noted.into_iter().for_each(|condition| note(&mut node.excluded_if, condition));
        node.constraints.insert(0, Rc::new(constraint));
        let kept = std::mem::take(&mut node.kept);
        if kept.iter().any(|equation| self.solver.is_out_of_reach(&mut node, equation)) {
            return;
        }
        node.kept = kept;
        self.refine(node, steps);
    }

    /// Whether nothing ties a distance to others: neither what equations left nor what is known where it is 0.
    fn is_free(&self, node: &Node, level: usize) -> bool {
        let distance = &node.distances[level];
        let atoms = distance.atoms();
        let is_tied = |form: &Polynomial| atoms.iter().any(|&atom| form.has(atom));
        let others = node.distances.iter().enumerate().filter(|(other, _)| *other != level);
        *distance == self.untied[level]
            && !others.map(|(_, other)| other).any(is_tied)
            && !node.kept.iter().any(|equation| is_tied(&equation.form))
            && !node.identities.iter().any(|identity| identity.loops.contains(&level))
            && !node.constraints.iter().any(|constraint| is_tied(constraint) && self.joins_ends(constraint))
    }

    /// Whether a form holds iteration numbers of both ends.
    fn joins_ends(&self, form: &Polynomial) -> bool {
        let holds = |is_sink: bool| {
            // A distance that stands for itself is of neither end.
            let terms = self.untied.iter().filter(|distance| distance.as_atom().is_none()).flat_map(Polynomial::terms);
            let of_end = terms.filter(|(_, factor)| factor.is_positive() == is_sink);
            of_end.flat_map(|(monomial, _)| monomial.powers()).any(|(atom, _)| form.has(atom))
        };
        holds(true) && holds(false)
    }

    /// Vectors of what was found, those of the same directions together. `bounds_decide`: facts are such that equations and bounds of loops alone decide.
    pub fn vectors(self, mut bounds_decide: impl FnMut() -> bool) -> Vec<Vector> {
        let mut vectors: Vec<Vector> = Vec::new();
        let mut simple = None;
        for (node, steps) in &self.found {
            let is_reached =
                |step: &Step| step.distance.as_ref().is_none_or(|distance| distance.as_constant().is_some());
            let certain =
                node.is_exact && steps.iter().all(is_reached) && *simple.get_or_insert_with(&mut bounds_decide);
            let excluded_if = if certain { None } else { condition(self.solver, node) };
            let mut vector = Vector { steps: steps.clone(), certain, missing: MEET.into(), excluded_if };
            match vectors.iter_mut().find(|known| known.has_directions_of(&vector)) {
                Some(known) => {
                    known.widen(&vector);
                    if known.excluded_if != vector.excluded_if {
                        known.excluded_if = None;
                    }
                }
                None => {
                    if let Some(Equation { form, low, high }) = node.kept.first() {
                        let form = self.solver.space.display(form);
                        vector.missing = format!("it was not shown that {form} is never in {low}..{high}").into();
                    }
                    vectors.push(vector);
                }
            }
        }
        vectors
    }
}

/// The simplest condition that excludes a node.
fn condition(solver: &Solver<'_>, node: &Node) -> Option<Vec<Polynomial>> {
    let mut best = solver.apart_if.iter().min_by_key(|condition| cost_of(condition)).cloned();
    for (at, condition) in node.excluded_if.iter().enumerate() {
        // Below, it loses one term at most.
        let is_cheaper = |best: &Polynomial| (condition.terms().len().saturating_sub(1), 0) < cost_of(best);
        if best.as_ref().is_some_and(|best| !is_cheaper(best)) || node.excluded_if[..at].contains(condition) {
            continue;
        }
        let condition = without_sizes(solver.space, tightened(condition.clone()), &solver.known);
        // Whether it is of use takes longer to tell.
        if best.as_ref().is_none_or(|best| cost_of(&condition) < cost_of(best)) && solver.is_worth_a_test(&condition) {
            best = Some(condition);
        }
    }
    Some(vec![best?])
}
