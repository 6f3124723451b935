//! Equations over variables, taken apart until each fixes one, which the others then give (the substitution of the Omega test: Pugh, "The Omega Test: a
//! Fast and Practical Integer Programming Algorithm for Dependence Analysis", Supercomputing 1991).

use super::frames::Identity;
use super::variables::Variables;
use crate::coeff::Coeff;
use crate::dependence::vector::ByLoop;
use crate::facts::Facts;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many values of a form are looked at one by one.
pub(super) const MAX_VALUES: i64 = 8;
/// How often equations are taken apart for one pair.
const MAX_SPLITS: u32 = 64;
/// How many conditions are collected that would each exclude what was found.
const MAX_EXCLUSIONS: usize = 24;

/// `low <= form <= high`.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub form: Polynomial,
    pub low: Coeff,
    pub high: Coeff,
}

/// A part of what may be a solution.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// To be looked at.
    pub equations: SmallVec<[Equation; 2]>,
    /// Those that no further step was found for.
    pub kept: SmallVec<[Equation; 1]>,
    /// Forms that are at least 0.
    pub constraints: Vec<Rc<Polynomial>>,
    /// Iteration numbers of the sink less those of the source.
    pub distances: ByLoop<Polynomial>,
    pub identities: Vec<Identity>,
    /// Whether all that satisfies the constraints is a solution, as far as equations go.
    pub is_exact: bool,
    /// Polynomials any of which would exclude it, were it at least 0.
    pub excluded_if: Vec<Polynomial>,
}

pub(super) struct Solver<'a> {
    pub space: &'a Space,
    pub variables: Variables,
    /// About invariant values.
    pub known: Facts,
    /// How often `2^64` is in the difference, where that is unknown.
    pub wraps: Option<AtomId>,
    /// Polynomials of which none is at least 0 where both run.
    pub apart_if: Vec<Polynomial>,
    /// What splits ended at, the simplest: a polynomial that was not shown to be at least 0.
    pub missing: Option<Polynomial>,
    /// The first stride by which splits lacked bounds because it may be negative.
    pub unsigned: Option<Polynomial>,
    /// How often more equations may be taken apart.
    pub splits: u32,
}

impl Equation {
    pub fn exact(form: Polynomial) -> Equation {
        Equation { form, low: Coeff::ZERO, high: Coeff::ZERO }
    }

    fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// Divided by the greatest common divisor of the coefficients; `None` where no values fit (the GCD test, with an interval).
    fn reduced(self) -> Option<Equation> {
        let gcd = self
            .form
            .terms()
            .filter(|(monomial, _)| !monomial.is_one())
            .fold(Coeff::ZERO, |gcd, (_, factor)| if gcd.is_one() { gcd } else { gcd.gcd(factor) });
        let constant = self.form.constant_term();
        let (low, high) = (&self.low - &constant, &self.high - &constant);
        if gcd.is_zero() {
            return (!low.is_positive() && !high.is_negative()).then_some(self);
        }
        if gcd.is_one() && self.is_exact() && self.low.is_zero() {
            return Some(self);
        }
        let (low, high) = (low.div_ceil(&gcd)?, high.div_floor(&gcd)?);
        if low > high {
            return None;
        }
        // The interval is moved to 0, so that sizes divide the constant as they do the rest.
        let shift = if low.is_positive() || high.is_negative() { low.clone() } else { Coeff::ZERO };
        let form = self.form.without_constant().div_exact(&gcd)? - Polynomial::from(shift.clone());
        Some(Equation { form, low: low - &shift, high: high - &shift })
    }
}

impl Node {
    pub fn new(
        equation: Equation,
        constraints: Vec<Rc<Polynomial>>,
        distances: ByLoop<Polynomial>,
        identities: Vec<Identity>,
    ) -> Node {
        Node {
            equations: SmallVec::from_iter([equation]),
            kept: SmallVec::new(),
            constraints,
            distances,
            identities,
            is_exact: true,
            excluded_if: Vec::new(),
        }
    }

    /// Adds that in each of some sets of loops, by their positions, one of the distances is not 0.
    pub fn keep_apart(&mut self, sets: impl IntoIterator<Item = SmallVec<[usize; 2]>>) {
        let never = |loops| Identity { difference: Polynomial::one(), loops };
        self.identities.extend(sets.into_iter().map(never));
    }

    /// Looks at all equations again.
    pub fn reopen(&mut self) {
        self.equations.extend(self.kept.drain(..));
    }
}

impl<'a> Solver<'a> {
    pub fn new(space: &'a Space, variables: Variables, known: Facts) -> Solver<'a> {
        Solver {
            space,
            variables,
            known,
            wraps: None,
            apart_if: Vec::new(),
            missing: None,
            unsigned: None,
            splits: MAX_SPLITS,
        }
    }

    /// Adds that each loop runs at all, which is known before it does: what bounds an iteration number is nowhere negative.
    pub fn assume_counts(&mut self, constraints: &[Rc<Polynomial>], distances: &[Polynomial]) {
        let is_distance = |atom: &AtomId| distances.iter().any(|distance| distance.as_atom() == Some(*atom));
        for constraint in constraints {
            match &self.variables.in_form(constraint)[..] {
                [] => {}
                // Of a distance that is left for an iteration number, the bounds of that have been looked at.
                atoms if atoms.iter().any(is_distance) => {}
                // Of one variable that is at least 0.
                &[atom] => {
                    if constraint.number_times(atom) == Some(&Coeff::MINUS_ONE) && self.is_counted(atom) {
                        self.known.assume_nonneg(&**constraint + &Polynomial::from(atom));
                    }
                }
                _ => {
                    if let Some(high) = self.highs(constraints, constraint).into_iter().next() {
                        self.known.assume_nonneg(high);
                    }
                }
            }
        }
    }

    fn is_counted(&self, atom: AtomId) -> bool {
        self.space.atom_range(atom).is_non_negative()
    }

    /// All solutions, as nodes without open equations.
    pub fn settle(&mut self, mut node: Node, settled: &mut Vec<Node>) {
        while let Some(equation) = node.equations.pop() {
            let Some(equation) = equation.reduced() else { return };
            let factors = self.variables.factors(&equation.form);
            if factors.is_empty() && equation.form.as_constant().is_some() {
                continue;
            }
            let is_symbolic = factors.iter().any(|(_, factor)| factor.as_constant().is_none());
            if let Some((mut quotients, remainder)) = self.split(&node, &equation, &factors) {
                let last = quotients.pop();
                for (quotient, shift) in quotients {
                    let mut part = node.clone();
                    // The quotient is looked at first.
                    part.equations.extend([shifted(&remainder, &shift), quotient]);
                    self.settle(part, settled);
                }
                // Without values of the quotient there is no solution.
                let Some((quotient, shift)) = last else { return };
                node.equations.extend([shifted(&remainder, &shift), quotient]);
                continue;
            }
            let is_unit =
                |(_, factor): &&(AtomId, Polynomial)| factor.as_constant().is_some_and(|factor| factor.abs().is_one());
            let unit = factors.iter().rev().find(is_unit).filter(|_| !is_symbolic);
            let values = (&equation.high - &equation.low).to_i64().filter(|more| *more < MAX_VALUES && self.splits > 0);
            let (Some((atom, factor)), Some(more)) = (unit, values) else {
                if self.is_out_of_reach(&mut node, &equation) {
                    return;
                }
                node.is_exact = false;
                if !factors.is_empty() {
                    node.kept.push(equation);
                }
                continue;
            };
            node.is_exact = node.is_exact && self.is_about_distance(&node, &equation.form);
            // Whether it is out of reach, the constraints of the variable tell when its value is put in its place.
            // factor * atom + rest = value, with a factor of 1 or -1.
            let rest = &equation.form - &(factor * &Polynomial::from(*atom));
            let solved = |offset: i64| {
                let value = Polynomial::from(&equation.low + &Coeff::from(offset)) - &rest;
                if factor.is_one() { value } else { -value }
            };
            for offset in 0..more {
                self.splits = self.splits.saturating_sub(1);
                let mut part = node.clone();
                if self.substitute(&mut part, *atom, &solved(offset)) {
                    self.settle(part, settled);
                }
            }
            if !self.substitute(&mut node, *atom, &solved(more)) {
                return;
            }
        }
        settled.push(node);
    }

    /// Whether an equation of the form fixes a distance: values of anything else need not occur, but addresses wrap as often as they do.
    fn is_about_distance(&self, node: &Node, form: &Polynomial) -> bool {
        let mut variable = form.without_constant();
        if let Some(wraps) = self.wraps {
            variable = variable.replace(wraps, &Polynomial::zero());
        }
        let is_it = |distance: &Polynomial| *distance == variable || -distance == variable;
        variable.is_zero() || node.distances.iter().any(is_it)
    }

    /// Whether the form stays outside of the interval; else what would make it do so is noted.
    pub fn is_out_of_reach(&self, node: &mut Node, equation: &Equation) -> bool {
        let Node { constraints, excluded_if, .. } = node;
        if self.is_unbounded(constraints, &equation.form) {
            return false;
        }
        let above = Polynomial::from(&equation.high + &Coeff::ONE);
        self.is_beyond(constraints, &equation.form, &above, excluded_if)
            || self.is_beyond(
                constraints,
                &-&equation.form,
                &Polynomial::from(&Coeff::ONE - &equation.low),
                excluded_if,
            )
    }

    /// Whether the form is nowhere less than a number, by one of its bounds; what would make it so by others is noted.
    fn is_beyond(
        &self,
        constraints: &[Rc<Polynomial>],
        form: &Polynomial,
        number: &Polynomial,
        noted: &mut Vec<Polynomial>,
    ) -> bool {
        self.has_low(constraints, form, |low| {
            let beyond = low - number;
            let is_beyond = self.proves(&beyond);
            if !is_beyond {
                note(noted, beyond);
            }
            is_beyond
        })
    }

    /// Whether a constraint cannot be satisfied; else what would make it so is noted.
    pub fn is_contradiction(
        &self,
        constraints: &[Rc<Polynomial>],
        constraint: &Polynomial,
        noted: &mut Vec<Polynomial>,
    ) -> bool {
        match constraint.as_constant() {
            Some(value) => value.is_negative(),
            None => self.is_beyond(constraints, &-constraint, &Polynomial::one(), noted),
        }
    }

    /// Puts the value of a variable in its place everywhere; whether that contradicts nothing.
    fn substitute(&self, node: &mut Node, atom: AtomId, value: &Polynomial) -> bool {
        let has = |form: &Polynomial| form.has(atom);
        for equation in node.equations.iter_mut().filter(|equation| has(&equation.form)) {
            equation.form = equation.form.replace(atom, value);
        }
        if node.kept.iter().any(|equation| has(&equation.form)) {
            node.reopen();
            for equation in node.equations.iter_mut().filter(|equation| has(&equation.form)) {
                equation.form = equation.form.replace(atom, value);
            }
        }
        for distance in node.distances.iter_mut().filter(|distance| has(distance)) {
            *distance = distance.replace(atom, value);
        }
        for identity in node.identities.iter_mut().filter(|identity| has(&identity.difference)) {
            identity.difference = identity.difference.replace(atom, value);
        }
        let mut changed: SmallVec<[Rc<Polynomial>; 4]> = SmallVec::new();
        node.constraints.retain(|constraint| {
            let is_changed = has(constraint);
            if is_changed {
                changed.push(Rc::new(constraint.replace(atom, value)));
            }
            !is_changed
        });
        self.identify(node);
        for constraint in changed {
            let is_known = || self.variables.are_absent(&constraint) && self.is_nonneg(&constraint);
            if node.constraints.iter().any(|known| is_implied(&constraint, known)) || is_known() {
                continue;
            }
            if self.is_contradiction(&node.constraints, &constraint, &mut node.excluded_if) {
                return false;
            }
            if constraint.as_constant().is_none() {
                node.constraints.push(constraint);
            }
        }
        true
    }

    /// Uses what is known where distances are 0.
    pub fn identify(&self, node: &mut Node) {
        let distances = &node.distances;
        let holds = |identity: &Identity| identity.loops.iter().all(|&index| distances[index].is_zero());
        let (known, open): (Vec<_>, Vec<_>) = std::mem::take(&mut node.identities).into_iter().partition(holds);
        node.identities = open;
        node.equations.extend(known.into_iter().map(|identity| Equation::exact(identity.difference)));
    }
}

/// Remembers what would exclude a node.
pub(super) fn note(noted: &mut Vec<Polynomial>, condition: Polynomial) {
    if condition.as_constant().is_none() && noted.len() < MAX_EXCLUSIONS {
        noted.push(condition);
    }
}

fn shifted(equation: &Equation, by: &Polynomial) -> Equation {
    Equation { form: &equation.form + by, low: equation.low.clone(), high: equation.high.clone() }
}

/// Whether `p >= 0` wherever `known >= 0`: it is as much, or a constant more.
fn is_implied(p: &Polynomial, known: &Polynomial) -> bool {
    let variable = |p: &Polynomial| p.terms().len() - usize::from(!p.constant_term().is_zero());
    let count = variable(p);
    count == variable(known)
        && p.terms().zip(known.terms()).take(count).all(|(a, b)| a == b)
        && p.constant_term() >= known.constant_term()
}
