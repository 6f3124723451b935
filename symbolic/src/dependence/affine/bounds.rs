//! Invariant bounds of affine forms.

use super::solve::Solver;
use super::worth::is_wide;
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many bounds of one form are collected, in how many ways they are sought, and how many variables one after the other.
const MAX_BOUNDS: usize = 3;
const MAX_WAYS: u32 = 24;
const MAX_ELIMINATED: u32 = 12;
/// A form, and how far from the end it is: whether by the edge of a type, its variables, those that fall, its terms.
type Ranked = ((bool, usize, usize, usize), Polynomial);

pub(super) type Bounds = SmallVec<[Polynomial; MAX_BOUNDS]>;

/// Bounds as they are found.
struct Search<'a> {
    found: Bounds,
    ways: u32,
    /// Whether a bound is what was sought, so that no others are.
    is_enough: &'a mut dyn FnMut(&Polynomial) -> bool,
    is_done: bool,
}

impl Solver<'_> {
    /// Invariant polynomials that are nowhere greater than the form, where the constraints are at least 0.
    pub fn lows(&self, constraints: &[Rc<Polynomial>], form: &Polynomial) -> Bounds {
        self.lows_until(constraints, form, &mut |_| false).0
    }

    /// Invariant polynomials that are nowhere less than the form.
    pub fn highs(&self, constraints: &[Rc<Polynomial>], form: &Polynomial) -> Bounds {
        let mut found = self.lows(constraints, &-form);
        found.iter_mut().for_each(|bound| *bound = -&*bound);
        found
    }

    /// Whether one of the lower bounds is enough; none is sought behind the first that is.
    pub fn has_low(
        &self,
        constraints: &[Rc<Polynomial>],
        form: &Polynomial,
        mut is_enough: impl FnMut(&Polynomial) -> bool,
    ) -> bool {
        self.lows_until(constraints, form, &mut is_enough).1
    }

    /// Whether it holds how often addresses wrap, which nothing bounds: then it has no bounds.
    pub fn is_unbounded(&self, constraints: &[Rc<Polynomial>], form: &Polynomial) -> bool {
        self.wraps.is_some_and(|wraps| form.has(wraps) && !constraints.iter().any(|constraint| constraint.has(wraps)))
    }

    fn lows_until(
        &self,
        constraints: &[Rc<Polynomial>],
        form: &Polynomial,
        is_enough: &mut dyn FnMut(&Polynomial) -> bool,
    ) -> (Bounds, bool) {
        let mut search = Search { found: Bounds::new(), ways: MAX_WAYS, is_enough, is_done: false };
        self.eliminate(constraints, form, MAX_ELIMINATED, &mut search);
        if search.ways == 0 && search.found.is_empty() {
            self.space.limits.count(|hits| hits.dependence_proofs += 1);
        }
        (search.found, search.is_done)
    }

    /// Subtracts multiples of constraints until nothing varies.
    fn eliminate(&self, constraints: &[Rc<Polynomial>], form: &Polynomial, depth: u32, search: &mut Search<'_>) {
        let atoms = self.variables.deepest(form);
        if atoms.is_empty() {
            if !search.found.contains(form) {
                search.is_done = (search.is_enough)(form);
                search.found.push(form.clone());
            }
            return;
        }
        if depth == 0 || self.space.is_spent() {
            return;
        }
        let atom = next_eliminated(constraints, form, &atoms);
        let wanted = form.factor_of(atom);
        let is_positive = self.is_nonneg(&wanted);
        let amount = if is_positive { wanted } else { -wanted };
        if !is_positive && !self.is_nonneg(&amount) {
            return;
        }
        let rest = |constraint: &Rc<Polynomial>| {
            let constraint = &**constraint;
            let rest = match constraint.number_times(atom) {
                Some(factor) if factor.is_positive() != is_positive => return None,
                Some(factor) if factor.is_unit() => less(form, &amount, constraint),
                Some(factor) => less(form, &amount.div_exact(&factor.abs())?, constraint),
                None if !constraint.has(atom) => return None,
                None => {
                    let factor = constraint.factor_of(atom);
                    let factor = if is_positive { factor } else { -factor };
                    let (times, rest) = amount.div_rem(&factor);
                    if !rest.is_zero() || !self.is_nonneg(&times) {
                        return None;
                    }
                    less(form, &times, constraint)
                }
            };
            // What is nowhere negative ends at 0, other values where symbols say.
            let (mut varying, mut falling) = (0, 0);
            for (_, factor) in rest.terms().filter(|(monomial, _)| self.variables.are_in(monomial)) {
                varying += 1;
                falling += usize::from(factor.is_negative());
            }
            let distance = (is_wide(constraint), varying, falling, rest.terms().len());
            Some((distance, rest))
        };
        let mut rests: SmallVec<[Ranked; 4]> = SmallVec::new();
        constraints.iter().filter_map(rest).for_each(|ranked| rests.push(ranked));
        self.space.work_on(rests.iter().map(|(_, rest)| rest.terms().len()).sum());
        // What has few variables is nearest to the end; the edges of a type are true, but no way to anything that is not as large.
        rests.sort_by_key(|(distance, _)| *distance);
        for (_, rest) in rests {
            if search.is_done || search.found.len() >= MAX_BOUNDS || search.ways == 0 {
                return;
            }
            search.ways -= 1;
            self.eliminate(constraints, &rest, depth - 1, search);
        }
    }
}

/// The first variable to be eliminated: one after the other leads to the same, unless factors do not divide each other.
fn next_eliminated(constraints: &[Rc<Polynomial>], form: &Polynomial, atoms: &[AtomId]) -> AtomId {
    let divides = |atom: AtomId| {
        let by = |p: &Polynomial| p.number_times(atom).map(Coeff::abs);
        let wanted = by(form);
        constraints
            .iter()
            .filter_map(|constraint| by(constraint))
            .all(|factor| factor.is_one() || wanted.as_ref().is_some_and(|wanted| wanted.div_exact(&factor).is_some()))
    };
    match atoms {
        &[atom] => atom,
        _ => atoms.iter().copied().find(|&atom| divides(atom)).unwrap_or(atoms[0]),
    }
}

/// `p` without so many times another.
fn less(p: &Polynomial, times: &Polynomial, other: &Polynomial) -> Polynomial {
    match times.as_constant() {
        Some(times) => p.less(times, other),
        None => p - &(times * other),
    }
}
