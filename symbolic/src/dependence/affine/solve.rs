//! Equations over variables, taken apart until each fixes one.

use super::ByLoop;
use super::bounds::Variables;
use crate::atom::AtomId;
use crate::coeff::Coeff;
use crate::dependence::conditions::cost_of;
use crate::dependence::split::divided;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use std::rc::Rc;

/// How far from 0 a quotient by a symbolic stride may be.
const MAX_QUOTIENT: i64 = 2;
/// How many values of a form are looked at one by one.
const MAX_VALUES: i64 = 8;
/// How many strides are tried for one equation.
const MAX_SIZES: usize = 4;
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

/// What is 0 where the distances in some loops are 0: the difference of one value at both ends.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub difference: Polynomial,
    /// Positions among the common loops.
    pub loops: SmallVec<[usize; 2]>,
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
    /// What splits ended at, the simplest: a polynomial that was not shown to be at least 0.
    pub missing: Option<Polynomial>,
    splits: u32,
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

    /// Remembers what would exclude it.
    pub fn note(&mut self, condition: Polynomial) {
        if condition.as_constant().is_none() && self.excluded_if.len() < MAX_EXCLUSIONS {
            self.excluded_if.push(condition);
        }
    }

    /// Looks at all equations again.
    pub fn reopen(&mut self) {
        self.equations.extend(self.kept.drain(..));
    }
}

impl<'a> Solver<'a> {
    pub fn new(space: &'a Space, variables: Variables, known: Facts) -> Solver<'a> {
        Solver { space, variables, known, missing: None, splits: MAX_SPLITS }
    }

    /// Adds that each loop runs at all, which is known before it does: what bounds an iteration number is nowhere negative.
    pub fn assume_counts(&mut self, constraints: &[Rc<Polynomial>]) {
        for constraint in constraints {
            if let [(atom, factor)] = &self.variables.factors(constraint)[..] {
                // Of one variable that is at least 0.
                if factor.as_constant() == Some(&Coeff::MINUS_ONE) && self.is_counted(*atom) {
                    self.known.assume_nonneg(&**constraint + &Polynomial::from(*atom));
                }
                continue;
            }
            if let Some(high) = self.highs(constraints, constraint).into_iter().next() {
                self.known.assume_nonneg(high);
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

    /// Whether the form stays outside of the interval; else what would make it do so is noted.
    pub fn is_out_of_reach(&self, node: &mut Node, equation: &Equation) -> bool {
        let one = Polynomial::one();
        let above = Polynomial::from(equation.high.clone()) + &one;
        for low in self.lows(&node.constraints, &equation.form) {
            let beyond = low - &above;
            if self.proves(&beyond) {
                return true;
            }
            node.note(beyond);
        }
        let below = Polynomial::from(equation.low.clone()) - &one;
        for high in self.highs(&node.constraints, &equation.form) {
            let beyond = &below - &high;
            if self.proves(&beyond) {
                return true;
            }
            node.note(beyond);
        }
        false
    }

    /// Whether a constraint cannot be satisfied; else what would make it so is noted.
    pub fn is_contradiction(&self, node: &mut Node, constraint: &Polynomial) -> bool {
        if let Some(value) = constraint.as_constant() {
            return value.is_negative();
        }
        for high in self.highs(&node.constraints, constraint) {
            let beyond = -high - Polynomial::one();
            if self.proves(&beyond) {
                return true;
            }
            node.note(beyond);
        }
        false
    }

    /// Puts the value of a variable in its place everywhere; whether that contradicts nothing.
    fn substitute(&self, node: &mut Node, atom: AtomId, value: &Polynomial) -> bool {
        let has = |form: &Polynomial| form.degree_in(atom) > 0;
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
            if node.constraints.iter().any(|known| is_implied(&constraint, known)) {
                continue;
            }
            if self.is_contradiction(node, &constraint) {
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

    /// Delinearisation: as `size*Q + R` with bounds of `R`, which leave few values of `Q`: an equation for each, with what it adds to `R`.
    #[allow(clippy::type_complexity)]
    fn split(
        &mut self,
        node: &Node,
        equation: &Equation,
        factors: &[(AtomId, Polynomial)],
    ) -> Option<(SmallVec<[(Equation, Polynomial); 2]>, Equation)> {
        for size in self.sizes(&equation.form, factors) {
            let (quotient, rest) = divided(&equation.form, &size);
            if quotient.as_constant().is_some() {
                continue;
            }
            // Then it is an equation of invariant values.
            let is_fixed = self.variables.are_absent(&quotient);
            let remainder = Equation { form: rest, low: equation.low.clone(), high: equation.high.clone() };
            let Some((least, most)) = self.quotients(node, &size, &remainder) else { continue };
            let most_values = if is_fixed { 1 } else { MAX_VALUES };
            if most.checked_sub(least).is_none_or(|more| more >= most_values) {
                continue;
            }
            self.splits = self.splits.checked_sub(1)?;
            let value = |value: i64| {
                let form = &quotient - &Polynomial::from(value);
                (Equation::exact(form), size.scale(&Coeff::from(value)))
            };
            return Some(((least..=most).map(value).collect(), remainder));
        }
        None
    }

    /// From which to which quotient a value is in the interval: with `size >= 0`, a quotient of at least `q` gives at least
    /// `q*size` plus the least remainder.
    fn quotients(&mut self, node: &Node, size: &Polynomial, remainder: &Equation) -> Option<(i64, i64)> {
        let one = Polynomial::one();
        let above = Polynomial::from(remainder.high.clone()) + &one;
        let below = Polynomial::from(remainder.low.clone()) - &one;
        // What is added to the nearest multiple and is still too much, or too little.
        let mut rooms_above = self.lows(&node.constraints, &remainder.form);
        rooms_above.iter_mut().for_each(|low| *low = &*low - &above);
        let mut rooms_below = self.highs(&node.constraints, &remainder.form);
        rooms_below.iter_mut().for_each(|high| *high = &below - &*high);
        if let Some(size) = size.as_constant() {
            let number = |rooms: &[Polynomial]| rooms.iter().filter_map(Polynomial::as_constant).max().cloned();
            if let (Some(above), Some(below)) = (number(&rooms_above), number(&rooms_below)) {
                // q*size + above >= 0 excludes q and more.
                let (first, last) = ((-above).div_ceil(size)?.to_i64()?, below.div_floor(size)?.to_i64()?);
                return Some((last.checked_add(1)?, first.checked_sub(1)?));
            }
        }
        let mut missing = None;
        let mut least_excluded = |rooms: &[Polynomial]| {
            let excluded = (1..=MAX_QUOTIENT).find(|&value| {
                let step = size.scale(&Coeff::from(value));
                rooms.iter().any(|room| self.proves(&(&step + room)))
            });
            if excluded.is_none() && missing.is_none() {
                missing = rooms.iter().map(|room| size + room).min_by_key(weight_of);
            }
            excluded
        };
        let found = least_excluded(&rooms_above).zip(least_excluded(&rooms_below));
        missing.into_iter().for_each(|missing| self.lack(missing));
        let (most, least) = found?;
        if !self.proves(size) {
            self.lack(size.clone());
            return None;
        }
        Some((1 - least, most - 1))
    }

    /// Remembers what was not shown, if it is simpler than what is remembered.
    fn lack(&mut self, missing: Polynomial) {
        if self.missing.as_ref().is_none_or(|known| weight_of(&missing) < weight_of(known)) {
            self.missing = Some(missing);
        }
    }

    /// Strides by which an equation may be taken apart, large ones first: a coefficient, or what its multiples have in common; and its
    /// terms alone.
    fn sizes(&self, form: &Polynomial, factors: &[(AtomId, Polynomial)]) -> SmallVec<[Polynomial; MAX_SIZES]> {
        let mut primitives: SmallVec<[Polynomial; 4]> = SmallVec::new();
        for (_, factor) in factors {
            let primitive = if factor.as_constant().is_some() {
                Polynomial::from(factor.content())
            } else {
                let Some(primitive) = factor.div_exact(&factor.content()) else { continue };
                let is_turned = !self.is_nonneg(&primitive)
                    && (self.is_nonneg(&-&primitive)
                        || primitive.leading_term().is_some_and(|(_, factor)| factor.is_negative()));
                if is_turned { -primitive } else { primitive }
            };
            if !primitives.contains(&primitive) {
                primitives.push(primitive);
            }
        }
        let weight = |p: &Polynomial| (p.degree(), p.leading_term().map(|(_, factor)| factor.abs()));
        primitives.sort_by(|a, b| weight(b).cmp(&weight(a)));
        let mut sizes = SmallVec::new();
        let mut add = |size: Polynomial| {
            if sizes.len() < MAX_SIZES && !size.is_one() && !size.is_zero() && !sizes.contains(&size) {
                sizes.push(size);
            }
        };
        if factors.iter().all(|(_, factor)| factor.as_constant().is_some()) {
            let fixed = form.terms().filter(|(monomial, _)| !monomial.is_one() && !self.variables.are_in(monomial));
            add(Polynomial::from(fixed.fold(Coeff::ZERO, |gcd, (_, factor)| gcd.gcd(factor))));
        }
        for primitive in primitives {
            if primitive.as_constant().is_some() {
                add(primitive);
                continue;
            }
            let times = factors.iter().filter_map(|(_, factor)| multiple(factor, &primitive));
            add(primitive.scale(&times.fold(Coeff::ZERO, |gcd, times| gcd.gcd(&times))));
            if primitive.terms().len() > 1 {
                let parts = primitive.terms().filter(|(monomial, _)| !monomial.is_one());
                parts.for_each(|(monomial, _)| add(Polynomial::term(monomial.clone(), Coeff::ONE)));
            }
        }
        sizes
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

/// How much a condition asks for.
fn weight_of(p: &Polynomial) -> ((usize, usize), u32) {
    (cost_of(p), p.degree())
}

/// How often a polynomial is another, where that is a constant.
fn multiple(p: &Polynomial, of: &Polynomial) -> Option<Coeff> {
    if p.terms().len() != of.terms().len() {
        return None;
    }
    let times = p.leading_term()?.1.div_exact(of.leading_term()?.1)?;
    let is_multiple = p.terms().zip(of.terms()).all(|(a, b)| a.0 == b.0 && *a.1 == b.1 * &times);
    is_multiple.then_some(times)
}
