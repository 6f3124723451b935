//! In how many iterations conditions hold, counted: of conditions on one loop's number, or on a quotient or rest of it.
//!
//! A few iterations that stand for all can all lie in one row or column of what the program divides the number into, and a guard of a single
//! column decides about none or all of them. What is linear in such a part of the number is counted instead, in numbers that are known
//! later, too.

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial, Predicate};

use super::value::{Point, number, varies_with};
use super::{Bound, Condition};
use crate::form::Num;

/// Quotients of quotients that are followed: a nest that a clause collapsed has one for each loop but one.
const MAX_DIVISIONS: u32 = 4;

/// A loop's number, or a part of it that takes the values from 0 on equally often.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    index: AtomId,
    of: PartOf,
}

/// Which part of a loop's number.
#[derive(Debug, Clone, PartialEq)]
enum PartOf {
    /// The number itself.
    All,
    /// What is divided by what, and whether it is the quotient; else it is the rest.
    Division(Polynomial, Polynomial, bool),
    /// Digits of the number, put together anew: a sum in which each counts as often as those below it have values.
    Digits(Polynomial),
}

/// An expression as `factor * part + rest`, and how many values the part has.
struct Linear {
    part: Part,
    factor: Polynomial,
    rest: Polynomial,
    values: Num,
}

/// So often what is left of a dividend when it is divided by a constant.
struct Quotient {
    dividend: Polynomial,
    by: f64,
    factor: f64,
}

/// The values of a part that are left.
struct Range {
    part: Part,
    values: Num,
    low: Num,
    high: Num,
    /// The share that single values leave.
    others: Num,
}

impl Bound<'_> {
    /// The share of iterations in which those conditions hold that can be counted, and the other conditions.
    pub(super) fn counted(&self, conditions: &[Condition], loops: &[usize]) -> (Num, Vec<Condition>) {
        let mut ranges: Vec<Range> = Vec::new();
        let mut left = Vec::new();
        for condition in conditions {
            let demands = self.demands(condition, loops);
            match demands {
                Some(demands) => demands.into_iter().for_each(|demand| demand.narrow(&mut ranges)),
                None => left.push(condition.clone()),
            }
        }
        (ranges.iter().map(Range::share).product(), left)
    }

    /// What a condition demands of parts of loops' numbers; none where it cannot be counted.
    fn demands(&self, condition: &Condition, loops: &[usize]) -> Option<Vec<Demand>> {
        let predicates = |p: &Polynomial| -> Option<Vec<Predicate>> {
            let (monomial, _) = p.terms().next().filter(|_| p.terms().len() == 1)?;
            let of = |(atom, _): (AtomId, u32)| match self.summary.space.atom(atom) {
                Atom::Predicate(predicate) => Some(predicate.clone()),
                _ => None,
            };
            let found: Vec<Predicate> = monomial.powers().map(of).collect::<Option<_>>()?;
            (!found.is_empty()).then_some(found)
        };
        let opposite = |p: &Polynomial| predicates(&(Polynomial::one() - p.clone()));
        let (predicates, holds) = match condition {
            Condition::Holds(p) => match predicates(p) {
                Some(found) => (found, true),
                None => (opposite(p).filter(|found| found.len() == 1)?, false),
            },
            Condition::HoldsNot(p) => (predicates(p).filter(|found| found.len() == 1)?, false),
            Condition::InOneOf(..) | Condition::Unclear => return None,
        };
        predicates.iter().map(|predicate| self.demand(predicate, holds, loops)).collect()
    }

    fn demand(&self, predicate: &Predicate, holds: bool, loops: &[usize]) -> Option<Demand> {
        let (p, is_zero) = match predicate {
            Predicate::NonNegative(p) if holds => (p.clone(), false),
            Predicate::NonNegative(p) => (-p.clone() - Polynomial::one(), false),
            Predicate::Zero(p) => (p.clone(), true),
        };
        let space = &self.summary.space;
        let mut varying = loops.iter().filter(|l| varies_with(space, &p, self.summary.loops[**l].index));
        let of = *varying.next()?;
        let trips = self.summary.loops[of].bound();
        let is_same = |l: &usize| trips.is_none_or(|trips| !varies_with(space, trips, self.summary.loops[*l].index));
        if varying.next().is_some() || !loops.iter().all(is_same) {
            return None;
        }
        let found = self.linear(&p, of, MAX_DIVISIONS).or_else(|| self.digits(&p, of));
        let Linear { part, factor, rest, values } = found?;
        let factor = number(factor.as_constant()?);
        let rest = self.at(&rest, &Point::new()).ok()?;
        let bound = if factor.abs() == 1.0 { rest * -factor } else { rest * (-1.0 / factor) };
        let (low, high) = match (is_zero, holds) {
            (false, _) if factor > 0.0 => (Some(bound.ceil()), None),
            (false, _) => (None, Some(bound.floor())),
            (true, _) => (Some(bound.ceil()), Some(bound.floor())),
        };
        Some(Demand { part, values, low, high, is_excluded: is_zero && !holds })
    }

    /// The expression as a multiple of a part of the loop's number.
    fn linear(&self, p: &Polynomial, of: usize, divisions: u32) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let varies = |p: &Polynomial| varies_with(space, p, index);
        let moves = |atom: &AtomId| *atom == index || varies(&Polynomial::from_atom(*atom));
        let moving: Vec<AtomId> = p.atoms().iter().copied().filter(moves).collect();
        if moving.as_slice() == [index] {
            let (factor, rest) = p.split_affine(index)?;
            let values = self.trips(of, &Point::new()).max(1.0);
            return Some(Linear { part: Part { index, of: PartOf::All }, factor, rest, values });
        }
        let divided = moving.iter().filter_map(|atom| self.division(*atom));
        let mut divided = divided.filter(|_| divisions > 0).filter(|(_, divisor, _)| !varies(divisor));
        divided.find_map(|(dividend, divisor, _)| self.divided(p, of, &moving, (dividend, divisor), divisions - 1))
    }

    /// The same, as a multiple of the quotient or of the rest of a division.
    fn divided(
        &self,
        p: &Polynomial,
        of: usize,
        moving: &[AtomId],
        (dividend, divisor): (Polynomial, Polynomial),
        divisions: u32,
    ) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let whole = self.linear(&dividend, of, divisions)?;
        if !whole.factor.is_one() || whole.rest.as_constant().is_none() {
            return None;
        }
        // p = around * dividend + of_quotient * quotient + of_rest * rest, and dividend = divisor * quotient + rest.
        let (mut of_quotient, mut of_rest) = (Polynomial::zero(), Polynomial::zero());
        let mut left = p.clone();
        for atom in moving {
            let Some((_, _, is_quotient)) =
                self.division(*atom).filter(|(own, by, _)| *own == dividend && *by == divisor)
            else {
                continue;
            };
            let (factor, without) = left.split_affine(*atom)?;
            left = without;
            let sum = if is_quotient { &mut of_quotient } else { &mut of_rest };
            *sum = sum.clone() + factor;
        }
        let leads = |atom: &AtomId| *atom == index || varies_with(space, &Polynomial::from_atom(*atom), index);
        let lead = dividend.atoms().iter().copied().find(leads)?;
        let around = match dividend.split_affine(lead)? {
            (factor, _) if factor.is_one() => left.split_affine(lead)?.0,
            _ => return None,
        };
        let rest = left - around.clone() * dividend.clone();
        let of_quotient = around.clone() * divisor.clone() + of_quotient;
        let of_rest = around + of_rest;
        if [&rest, &of_quotient, &of_rest].into_iter().any(|p| varies_with(space, p, index)) {
            return None;
        }
        let by = self.at(&divisor, &Point::new()).ok()?.max(1.0);
        let (factor, is_quotient, values) = match (of_quotient.is_zero(), of_rest.is_zero()) {
            (true, false) => (of_rest, false, whole.values.min(by)),
            (false, true) => (of_quotient, true, whole.values.div_ceil(by)),
            _ => return None,
        };
        let part = Part { index, of: PartOf::Division(dividend, divisor, is_quotient) };
        Some(Linear { part, factor, rest, values: values.max(1.0) })
    }

    /// The expression as a multiple of digits that are put together anew: where threads are numbered in blocks of blocks, the place of a thread
    /// along one edge is a digit of its number in its block, and above that one of its block.
    fn digits(&self, p: &Polynomial, of: usize) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let moves = |atom: &AtomId| *atom == index || varies_with(space, &Polynomial::from_atom(*atom), index);
        let mut rest = p.clone();
        let mut digits: Vec<(f64, Num)> = Vec::new();
        let mut quotients: Vec<Quotient> = Vec::new();
        for atom in p.atoms().iter().copied().filter(moves) {
            let (factor, without) = rest.split_affine(atom)?;
            let factor = number(factor.as_constant()?);
            rest = without;
            match self.division(atom) {
                None if atom == index => {
                    quotients.push(Quotient { dividend: Polynomial::from_atom(atom), by: 1.0, factor });
                }
                None => return None,
                Some((dividend, divisor, true)) if divisor.as_constant().is_some() => {
                    quotients.push(Quotient { dividend, by: number(divisor.as_constant()?), factor });
                }
                Some(_) => {
                    let digit = self.linear(&Polynomial::from_atom(atom), of, MAX_DIVISIONS)?;
                    digits.push((factor, digit.values));
                }
            }
        }
        if varies_with(space, &rest, index) {
            return None;
        }
        self.split(quotients, of, &mut digits)?;
        digits.sort_by(|(one, _), (other, _)| one.abs().total_cmp(&other.abs()));
        let (least, _) = *digits.first()?;
        let mut values = Num::ONE;
        for (factor, of_digit) in digits {
            if values * least != Num::new(factor) {
                return None;
            }
            values *= of_digit;
        }
        let moving = p.clone() - rest.clone();
        let part = Part { index, of: PartOf::Digits(if least < 0.0 { -moving } else { moving }) };
        (least.fract() == 0.0).then(|| Linear { part, factor: Polynomial::from(least as i64), rest, values })
    }

    /// Splits quotients of one dividend into digits: what divides by less has the larger quotient's digits, and its own below them.
    fn split(&self, mut quotients: Vec<Quotient>, of: usize, digits: &mut Vec<(f64, Num)>) -> Option<()> {
        quotients.sort_by(|one, other| one.by.total_cmp(&other.by));
        while !quotients.is_empty() {
            let Quotient { dividend, by, factor } = quotients.remove(0);
            match quotients.iter_mut().find(|other| other.dividend == dividend) {
                Some(above) => {
                    let values = above.by / by;
                    if values.fract() != 0.0 {
                        return None;
                    }
                    if factor != 0.0 {
                        digits.push((factor, values.into()));
                    }
                    above.factor += factor * values;
                }
                None if factor == 0.0 => {}
                None => {
                    let whole = self.linear(&dividend, of, MAX_DIVISIONS)?;
                    if !whole.factor.is_one() || !whole.rest.is_zero() {
                        return None;
                    }
                    digits.push((factor, whole.values.div_ceil(by).max(1.0)));
                }
            }
        }
        Some(())
    }

    /// What an atom divides by what, and whether it is the quotient.
    fn division(&self, atom: AtomId) -> Option<(Polynomial, Polynomial, bool)> {
        match self.summary.space.atom(atom) {
            Atom::FloorDiv(dividend, divisor) => Some((dividend.clone(), divisor.clone(), true)),
            Atom::Op(op @ (OpaqueOp::TruncDiv | OpaqueOp::TruncRem), operands) => match &operands[..] {
                [dividend, divisor] => Some((dividend.clone(), divisor.clone(), *op == OpaqueOp::TruncDiv)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// What must hold of a part: between two values, or not the one that both are.
struct Demand {
    part: Part,
    values: Num,
    low: Option<Num>,
    high: Option<Num>,
    is_excluded: bool,
}

impl Demand {
    fn narrow(self, ranges: &mut Vec<Range>) {
        let at = ranges.iter().position(|range| range.part == self.part).unwrap_or_else(|| {
            let (low, high) = (Num::ZERO, self.values - 1.0);
            ranges.push(Range { part: self.part, values: self.values, low, high, others: Num::ONE });
            ranges.len() - 1
        });
        let range = &mut ranges[at];
        match (self.is_excluded, self.low, self.high) {
            (true, Some(low), Some(high)) => {
                let is_there = low.at_least(0.0).and(high.less(range.values)).and(low.is(high));
                range.others *= 1.0 - is_there.number() / range.values;
            }
            (_, low, high) => {
                range.low = low.map_or(range.low, |low| range.low.max(low));
                range.high = high.map_or(range.high, |high| range.high.min(high));
            }
        }
    }
}

impl Range {
    fn share(&self) -> Num {
        (self.high - self.low + 1.0).max(0.0) / self.values * self.others
    }
}
