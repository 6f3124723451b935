//! Equations over distances, taken apart by their largest strides.

use super::ByLoop;
use super::bounds::Known;
use crate::coeff::Coeff;
use crate::dependence::split::divided;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;

/// How many combinations of quotients are looked at.
const MAX_SOLUTIONS: usize = 8;
/// How far from 0 a quotient by a symbolic stride may be.
const MAX_QUOTIENT: i64 = 2;
/// How often equations are split for one pair.
const MAX_SPLITS: u32 = 64;

/// `low <= rest + sum of factors * distances <= high`.
#[derive(Clone, Debug)]
pub(super) struct Equation {
    pub factors: ByLoop<Polynomial>,
    pub rest: Polynomial,
    pub low: Coeff,
    pub high: Coeff,
}

/// A set of distances that solve the equations.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// From which to which; as the loop allows where there is nothing.
    pub distances: ByLoop<Option<(Polynomial, Polynomial)>>,
    /// Whether all of them are solutions.
    pub is_exact: bool,
    /// Polynomials any of which would exclude it, were it at least 0.
    pub excluded_if: Vec<Polynomial>,
}

impl Solution {
    /// Whether all distances are 0.
    pub fn is_of_one_iteration(&self) -> bool {
        let is_zero = |(low, high): &(Polynomial, Polynomial)| low.is_zero() && high.is_zero();
        self.is_exact && self.distances.iter().all(|distance| distance.as_ref().is_some_and(is_zero))
    }
}

pub(super) struct System<'a> {
    pub space: &'a Space,
    pub known: Known,
    solutions: Vec<Solution>,
    /// What the way ends at: a polynomial that was not shown to be at least 0.
    missing: Option<Polynomial>,
    /// How many splits are left.
    left: u32,
}

impl Equation {
    /// Divided by the greatest common divisor of the coefficients; `None` where no values fit (the GCD test, with an interval).
    fn reduced(mut self) -> Option<Equation> {
        let constant = self.rest.constant_term();
        let parts = self.factors.iter().flat_map(Polynomial::terms);
        let all = parts.chain(self.rest.terms().filter(|(monomial, _)| !monomial.is_one()));
        let gcd = all.fold(Coeff::ZERO, |gcd, (_, coefficient)| if gcd.is_one() { gcd } else { gcd.gcd(coefficient) });
        let (low, high) = (&self.low - &constant, &self.high - &constant);
        if gcd.is_zero() {
            return (!low.is_positive() && !high.is_negative()).then_some(self);
        }
        if gcd.is_one() {
            return Some(self);
        }
        let (low, high) = (low.div_ceil(&gcd)?, high.div_floor(&gcd)?);
        if low > high {
            return None;
        }
        for factor in &mut self.factors {
            *factor = factor.div_exact(&gcd)?;
        }
        // The interval is moved to 0, so that sizes divide the constant as they do the rest.
        let shift = if low.is_positive() || high.is_negative() { low.clone() } else { Coeff::ZERO };
        self.rest = self.rest.without_constant().div_exact(&gcd)? - Polynomial::from(shift.clone());
        (self.low, self.high) = (low - &shift, high - &shift);
        Some(self)
    }

    fn fix(&mut self, index: usize, value: &Polynomial) {
        if !self.factors[index].is_zero() {
            self.rest = &self.rest + &(&self.factors[index] * value);
            self.factors[index] = Polynomial::zero();
        }
    }
}

impl<'a> System<'a> {
    pub fn new(space: &'a Space, known: Known) -> System<'a> {
        System { space, known, solutions: Vec::new(), missing: None, left: MAX_SPLITS }
    }

    pub fn take_solutions(&mut self) -> Vec<Solution> {
        std::mem::take(&mut self.solutions)
    }

    pub fn take_missing(&mut self) -> Option<Polynomial> {
        self.missing.take()
    }

    /// Assumes a condition; whether it can hold and is worth a test.
    pub fn assume(&mut self, condition: Polynomial) -> bool {
        let can_hold = condition.as_constant().is_none() && !self.proves(&(-&condition - Polynomial::one()));
        self.known.facts.assume_nonneg(condition);
        can_hold
    }

    /// Finds all solutions; whether that is all that can be known.
    pub fn solve_all(&mut self, equation: Equation) -> bool {
        let distances = equation.factors.iter().map(|_| None).collect();
        self.solutions.clear();
        self.left = MAX_SPLITS;
        let start = Solution { distances, is_exact: true, excluded_if: Vec::new() };
        self.solve(SmallVec::from_buf([equation]), start).is_some()
    }

    fn solve(&mut self, mut open: SmallVec<[Equation; 1]>, mut solution: Solution) -> Option<()> {
        let Some(equation) = open.pop() else {
            self.solutions.push(solution);
            return (self.solutions.len() <= MAX_SOLUTIONS).then_some(());
        };
        // Without solution.
        let Some(equation) = equation.reduced() else { return Some(()) };
        let mut unknown = (0..equation.factors.len()).filter(|&index| !equation.factors[index].is_zero());
        let one = Polynomial::one();
        let Some(index) = unknown.next() else {
            if equation.rest.as_constant().is_none() {
                let above = &equation.rest - &Polynomial::from(equation.high) - &one;
                let below = Polynomial::from(equation.low) - &equation.rest - &one;
                if self.proves(&above) || self.proves(&below) {
                    return Some(());
                }
                solution.is_exact = false;
                solution.excluded_if.extend([above, below]);
            }
            return self.solve(open, solution);
        };
        let is_single = unknown.next().is_none();
        let factor = equation.factors[index].as_constant().filter(|factor| is_single && factor.abs().is_one());
        let Some(factor) = factor else { return self.split(equation, open, solution) };
        let (low, high) = (Polynomial::from(equation.low), Polynomial::from(equation.high));
        let (low, high) = match factor.is_positive() {
            true => (low - &equation.rest, high - &equation.rest),
            false => (&equation.rest - &high, &equation.rest - &low),
        };
        let Some((low, high)) = self.within(index, low, high, &mut solution) else { return Some(()) };
        if low == high {
            open.iter_mut().for_each(|equation| equation.fix(index, &low));
        } else if open.iter().any(|equation| !equation.factors[index].is_zero()) {
            return None;
        }
        solution.distances[index] = Some((low, high));
        self.solve(open, solution)
    }

    /// The part of an interval of distances that the loop's bounds allow.
    fn within(
        &self,
        index: usize,
        mut low: Polynomial,
        mut high: Polynomial,
        solution: &mut Solution,
    ) -> Option<(Polynomial, Polynomial)> {
        let one = Polynomial::one();
        for bound in &self.known.highs[index] {
            let beyond = &low - bound - &one;
            if self.proves(&beyond) {
                return None;
            }
            solution.excluded_if.push(beyond);
            if bound.as_constant().zip(high.as_constant()).is_some_and(|(bound, high)| bound < high) {
                high = bound.clone();
            }
        }
        for bound in &self.known.lows[index] {
            let beyond = bound - &high - &one;
            if self.proves(&beyond) {
                return None;
            }
            solution.excluded_if.push(beyond);
            if bound.as_constant().zip(low.as_constant()).is_some_and(|(bound, low)| bound > low) {
                low = bound.clone();
            }
        }
        Some((low, high))
    }

    /// Delinearisation: as `size*Q + R` with bounds of `R`, which leave few values of `Q`.
    fn split(&mut self, equation: Equation, open: SmallVec<[Equation; 1]>, solution: Solution) -> Option<()> {
        let size = self.size(&equation)?;
        let Equation { factors, rest, low, high } = equation;
        let mut quotient =
            Equation { factors: ByLoop::new(), rest: Polynomial::zero(), low: Coeff::ZERO, high: Coeff::ZERO };
        let mut remainder = Equation { factors: ByLoop::new(), rest: Polynomial::zero(), low, high };
        let is_symbolic = size.as_constant().is_none();
        for factor in factors {
            // Of constant strides one at a time, so that each step leaves fewer.
            let is_taken = is_symbolic || quotient.factors.iter().all(Polynomial::is_zero);
            let (inner, outer) = match multiple(&factor, &size).filter(|_| is_taken) {
                Some(times) => (Polynomial::from(times), Polynomial::zero()),
                None => (Polynomial::zero(), factor),
            };
            quotient.factors.push(inner);
            remainder.factors.push(outer);
        }
        if self.left == 0 || quotient.factors.iter().all(Polynomial::is_zero) {
            return None;
        }
        self.left -= 1;
        (quotient.rest, remainder.rest) = divided(&rest, &size);
        let (least, most) = self.quotients(&size, &remainder)?;
        if most.checked_sub(least).is_none_or(|more| more >= MAX_SOLUTIONS as i64) {
            return None;
        }
        for value in least..=most {
            let value = Coeff::from(value);
            let mut quotient = quotient.clone();
            (quotient.low, quotient.high) = (value.clone(), value.clone());
            let mut remainder = remainder.clone();
            remainder.rest = &remainder.rest + &size.scale(&value);
            let mut open = open.clone();
            // The quotient's distances are fixed first.
            open.extend([remainder, quotient]);
            self.solve(open, solution.clone())?;
        }
        Some(())
    }

    /// From which to which quotient a value is in the interval: with `size >= 0`, a quotient of at least `q` gives at least
    /// `q*size` plus the least remainder.
    fn quotients(&mut self, size: &Polynomial, remainder: &Equation) -> Option<(i64, i64)> {
        let one = Polynomial::one();
        let alternatives = self.known.highs.iter().chain(&self.known.lows).map(SmallVec::len).max().unwrap_or(0);
        let (mut least, mut most) = (None, None);
        let mut missing = None;
        for alternative in 0..alternatives.max(1) {
            let Some((low, high)) = self.reach(remainder, alternative) else { break };
            let (room_above, room_below) = (
                &low - &Polynomial::from(remainder.high.clone()) - &one,
                Polynomial::from(remainder.low.clone()) - &high - &one,
            );
            if let (Some(size), Some(above), Some(below)) =
                (size.as_constant(), room_above.as_constant(), room_below.as_constant())
            {
                // q*size + above >= 0 excludes q and more.
                let (first, last) = ((-above).div_ceil(size)?.to_i64()?, below.div_floor(size)?.to_i64()?);
                return Some((last.checked_add(1)?, first.checked_sub(1)?));
            }
            for value in 1..=MAX_QUOTIENT {
                let step = size.scale(&Coeff::from(value));
                let (above, below) = (&step + &room_above, &step + &room_below);
                if most.is_none() && self.proves(&above) {
                    most = Some(value - 1);
                }
                if least.is_none() && self.proves(&below) {
                    least = Some(1 - value);
                }
                if least.is_some() && most.is_some() {
                    break;
                }
                if value == 1 && missing.is_none() {
                    missing = Some(if most.is_none() { above } else { below });
                }
            }
            if least.is_some() && most.is_some() {
                break;
            }
        }
        if (least.is_none() || most.is_none()) && self.missing.is_none() {
            self.missing = missing;
        }
        let found = least.zip(most)?;
        if !self.proves(size) {
            self.missing.get_or_insert_with(|| size.clone());
            return None;
        }
        Some(found)
    }

    /// The stride of most factors, each of them large, or 1: a coefficient of the highest degree, and what its multiples have in common.
    fn size(&self, equation: &Equation) -> Option<Polynomial> {
        let weight = |factor: &&Polynomial| (factor.degree(), factor.leading_term().map(|(_, factor)| factor.abs()));
        let largest = equation.factors.iter().max_by_key(weight)?;
        let content = largest.content();
        if content.is_zero() {
            return None;
        }
        let mut primitive = largest.div_exact(&content)?;
        if primitive.as_constant().is_some() {
            return Some(Polynomial::from(content));
        }
        if !self.is_nonneg(&primitive) && self.is_nonneg(&-&primitive)
            || primitive.leading_term().is_some_and(|(_, factor)| factor.is_negative())
        {
            primitive = -primitive;
        }
        let common = equation.factors.iter().filter_map(|factor| multiple(factor, &primitive));
        let gcd = common.fold(Coeff::ZERO, |gcd, times| gcd.gcd(&times));
        Some(primitive.scale(&gcd))
    }

    /// What the terms with distances and the rest can be, from and to.
    fn reach(&self, equation: &Equation, alternative: usize) -> Option<(Polynomial, Polynomial)> {
        let (mut low, mut high) = (equation.rest.clone(), equation.rest.clone());
        for (index, factor) in equation.factors.iter().enumerate().filter(|(_, factor)| !factor.is_zero()) {
            let of = |bounds: &[Polynomial]| bounds.get(alternative).or(bounds.first()).map(|bound| factor * bound);
            let (below, above) = (of(&self.known.lows[index])?, of(&self.known.highs[index])?);
            let (below, above) = if self.is_nonneg(factor) {
                (below, above)
            } else if self.is_nonneg(&-factor) {
                (above, below)
            } else {
                return None;
            };
            (low, high) = (low + below, high + above);
        }
        Some((low, high))
    }
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
