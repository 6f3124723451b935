//! In how many iterations conditions hold, counted: of conditions on one loop's number, or on a quotient or rest of it.
//!
//! A few iterations that stand for all can all lie in one row or column of what the program divides the number into, and a guard of a single
//! column decides about none or all of them. What is linear in such a part of the number is counted instead, in numbers that are known
//! later, too.

use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial, Predicate, Space};

use super::value::{Point, all_atoms_in, number, varies_with};
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
    /// How many of the loop's iterations that follow each other have the same.
    run: Num,
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
    /// For how many lanes that follow each other the part stays the same; none where all lanes have the same.
    run: Option<Num>,
    /// Single values that are left out: the share that each is of all.
    excluded: Vec<Num>,
}

/// Lanes that do something together: if one of them does it, it is done.
#[derive(Clone, Default)]
pub(crate) struct Together {
    /// How many, whose numbers follow each other.
    lanes: Option<Num>,
    /// The loops whose iterations threads share, the slowest first, and how many numbers of threads an iteration of each has.
    runs: Vec<(usize, Num)>,
}

impl Together {
    /// So many lanes of threads that share these loops, which run so often.
    pub(super) fn of(lanes: Num, loops: &[(usize, Num)]) -> Together {
        let mut run = Num::ONE;
        let mut runs = Vec::new();
        for (of, trips) in loops.iter().rev() {
            runs.insert(0, (*of, run));
            run *= trips.max(1.0);
        }
        Together { lanes: Some(lanes).filter(|lanes| *lanes != Num::ONE), runs }
    }

    fn run_of(&self, of: usize) -> Option<Num> {
        self.lanes?;
        self.runs.iter().find(|(own, _)| *own == of).map(|(_, run)| *run)
    }
}

/// What a condition consists of that must all hold.
enum Clause {
    One(Predicate, bool),
    /// Not all of these hold.
    NotAll(Vec<(Predicate, bool)>),
}

impl Clause {
    fn literals(&self) -> Vec<(&Predicate, bool)> {
        match self {
            Clause::One(predicate, holds) => vec![(predicate, *holds)],
            Clause::NotAll(all) => all.iter().map(|(predicate, holds)| (predicate, *holds)).collect(),
        }
    }
}

/// The loop that is counted in, of those that are around, and where in the others.
#[derive(Clone, Copy)]
struct Counting<'a> {
    loops: &'a [usize],
    /// The loop in which is counted wherever the others are; else conditions vary with one loop alone.
    within: Option<usize>,
    point: &'a Point,
    together: &'a Together,
    /// The row in which is counted, of those into which a quotient divides the loop's iterations; the point has the quotient.
    row: Option<&'a Row>,
}

/// Iterations of a loop in which what is divided by the same has the same quotient.
pub(super) struct Row {
    /// The quotient.
    pub(super) quotient: AtomId,
    /// How many there are.
    pub(super) rows: Num,
    divisor: Polynomial,
}

impl Bound<'_> {
    /// The share of iterations in which those conditions hold that can be counted, and the other conditions.
    pub(super) fn counted(
        &self,
        conditions: &[Condition],
        loops: &[usize],
        together: &Together,
    ) -> (Num, Vec<Condition>) {
        let point = Point::new();
        self.counted_at(conditions, Counting { loops, within: None, point: &point, together, row: None })
    }

    /// The same of conditions on several loops, in one of them, where the others have come to a point.
    pub(super) fn counted_within(
        &self,
        conditions: &[Condition],
        within: usize,
        point: &Point,
        together: &Together,
        row: Option<&Row>,
    ) -> (Num, Vec<Condition>) {
        self.counted_at(conditions, Counting { loops: &[within], within: Some(within), point, together, row })
    }

    /// The rows that conditions divide a loop's iterations into.
    pub(super) fn row_of(&self, conditions: &[Condition], of: usize) -> Option<Row> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let number = Polynomial::from_atom(index);
        let mut atoms = conditions.iter().filter_map(Condition::expression).flat_map(|p| all_atoms_in(space, p));
        atoms.find_map(|atom| {
            let (_, divisor, _) = self.division(atom).filter(|(dividend, divisor, is_quotient)| {
                *is_quotient && *dividend == number && !varies_with(space, divisor, index)
            })?;
            let by = self.at(&divisor, &Point::new()).ok()?.max(1.0);
            Some(Row { quotient: atom, rows: self.trips(of, &Point::new()).div_ceil(by).max(1.0), divisor })
        })
    }

    /// An expression as a multiple of the place in a row.
    fn in_row(&self, p: &Polynomial, of: usize, point: &Point, row: &Row) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let start = &row.divisor * &Polynomial::from_atom(row.quotient);
        let is_rest = |atom: &AtomId| match self.division(*atom) {
            Some((dividend, divisor, false)) => dividend == Polynomial::from_atom(index) && divisor == row.divisor,
            _ => false,
        };
        let rests: Vec<AtomId> = p.atoms().iter().copied().filter(is_rest).collect();
        let place = Polynomial::from_atom(index) - start.clone();
        let p = rests.into_iter().fold(p.clone(), |p, rest| p.replace(rest, &place));
        let (factor, rest) = p.split_affine(index)?;
        let moves = |atom: &AtomId| {
            *atom != row.quotient && (*atom == index || varies_with(space, &Polynomial::from_atom(*atom), index))
        };
        if factor.is_zero() || [&factor, &rest].into_iter().any(|p| p.atoms().iter().any(moves)) {
            return None;
        }
        let values = self.at(&row.divisor, point).ok()?.min(self.trips(of, point)).max(1.0);
        let rest = rest + factor.clone() * start;
        Some(Linear { part: Part { index, of: PartOf::All }, factor, rest, values, run: Num::ONE })
    }

    fn counted_at(&self, conditions: &[Condition], counting: Counting<'_>) -> (Num, Vec<Condition>) {
        let mut ranges: Vec<Range> = Vec::new();
        let mut others = Num::ONE;
        let mut left = Vec::new();
        for condition in conditions {
            let parts = self.clauses_of(condition);
            let Some(parts) = parts else {
                left.push(condition.clone());
                continue;
            };
            for (clause, part) in parts {
                let demands = clause.and_then(|clause| {
                    let all = clause.literals().into_iter().map(|(p, holds)| self.demand(p, holds, counting));
                    let all: Vec<Demand> = all.collect::<Option<_>>()?;
                    Some((matches!(clause, Clause::NotAll(_)), all))
                });
                match demands {
                    Some((false, demands)) => demands.into_iter().for_each(|demand| demand.narrow(&mut ranges)),
                    Some((true, demands)) => {
                        let mut own = Vec::new();
                        demands.into_iter().for_each(|demand| demand.narrow(&mut own));
                        let all: Num = own.iter().map(|range| range.share_of_all(counting.together)).product();
                        others *= 1.0 - all;
                    }
                    None => left.push(Condition::Holds(part)),
                }
            }
        }
        let of_any: Num = ranges.iter().map(|range| range.share_of_any(counting.together)).product();
        (of_any * others, left)
    }

    /// The clauses of a condition, as far as they are of predicates, and each as an expression.
    fn clauses_of(&self, condition: &Condition) -> Option<Vec<(Option<Clause>, Polynomial)>> {
        let space = &self.summary.space;
        let holds = match condition {
            Condition::Holds(p) => p.clone(),
            Condition::HoldsNot(p) => space.not(p),
            Condition::InOneOf(..) | Condition::Unclear => return None,
        };
        let literal = |p: &Polynomial| {
            let of = |p: &Polynomial| match space.atom(p.as_atom()?) {
                Atom::Predicate(predicate) => Some(predicate.clone()),
                _ => None,
            };
            let opposite = || of(&space.not(p));
            of(p).map(|found| (found, true)).or_else(|| opposite().map(|found| (found, false)))
        };
        let clause = |part: Polynomial| {
            let one = literal(&part).map(|(predicate, holds)| Clause::One(predicate, holds));
            let not_all = || {
                let all = space.conjuncts(&space.not(&part));
                Some(Clause::NotAll(all.iter().map(literal).collect::<Option<_>>()?))
            };
            (one.or_else(not_all), part)
        };
        Some(space.conjuncts(&holds).into_iter().map(clause).collect())
    }

    fn demand(&self, predicate: &Predicate, holds: bool, counting: Counting<'_>) -> Option<Demand> {
        let Counting { loops, within, point, together, row } = counting;
        let (p, is_zero) = match predicate {
            Predicate::NonNegative(p) if holds => (p.clone(), false),
            Predicate::NonNegative(p) => (-p.clone() - Polynomial::one(), false),
            Predicate::Zero(p) => (p.clone(), true),
        };
        let space = &self.summary.space;
        let varies = |l: &&usize| varies_with(space, &p, self.summary.loops[**l].index);
        let of = match within {
            Some(of) => Some(of).filter(|of| varies(&of))?,
            None => {
                let mut varying = loops.iter().filter(varies);
                let of = *varying.next()?;
                let trips = self.summary.loops[of].bound();
                let is_same =
                    |l: &usize| trips.is_none_or(|trips| !varies_with(space, trips, self.summary.loops[*l].index));
                if varying.next().is_some() || !loops.iter().all(is_same) {
                    return None;
                }
                of
            }
        };
        let found = match row {
            Some(row) => self.in_row(&p, of, point, row),
            None => self.linear(&p, of, point, MAX_DIVISIONS).or_else(|| self.digits(&p, of, point)),
        };
        let Linear { part, factor, rest, values, run } = found?;
        let factor = number(factor.as_constant()?);
        let rest = self.at(&rest, point).ok()?;
        let bound = if factor.abs() == 1.0 { rest * -factor } else { rest * (-1.0 / factor) };
        let (low, high) = match (is_zero, holds) {
            (false, _) if factor > 0.0 => (Some(bound.ceil()), None),
            (false, _) => (None, Some(bound.floor())),
            (true, _) => (Some(bound.ceil()), Some(bound.floor())),
        };
        let run = together.run_of(of).map(|of_loop| of_loop * run);
        Some(Demand { part, values, low, high, run, is_excluded: is_zero && !holds })
    }

    /// The expression as a multiple of a part of the loop's number.
    fn linear(&self, p: &Polynomial, of: usize, point: &Point, divisions: u32) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let varies = |p: &Polynomial| varies_with(space, p, index);
        let moves = |atom: &AtomId| *atom == index || varies(&Polynomial::from_atom(*atom));
        let moving: Vec<AtomId> = p.atoms().iter().copied().filter(moves).collect();
        if moving.as_slice() == [index] {
            let (factor, rest) = p.split_affine(index)?;
            let values = self.trips(of, point).max(1.0);
            return Some(Linear { part: Part { index, of: PartOf::All }, factor, rest, values, run: Num::ONE });
        }
        let divided = moving.iter().filter_map(|atom| self.division(*atom));
        let mut divided = divided.filter(|_| divisions > 0).filter(|(_, divisor, _)| !varies(divisor));
        divided.find_map(|(dividend, divisor, _)| {
            self.divided(p, (of, point), &moving, (dividend, divisor), divisions - 1)
        })
    }

    /// The same, as a multiple of the quotient or of the rest of a division.
    fn divided(
        &self,
        p: &Polynomial,
        (of, point): (usize, &Point),
        moving: &[AtomId],
        (dividend, divisor): (Polynomial, Polynomial),
        divisions: u32,
    ) -> Option<Linear> {
        let (space, index) = (&self.summary.space, self.summary.loops[of].index);
        let whole = self.linear(&dividend, of, point, divisions).filter(|whole| whole.factor.is_one());
        let from_start = whole.filter(|whole| whole.rest.as_constant().is_some());
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
        let is_unit = |atom: &AtomId| dividend.split_affine(*atom).is_some_and(|(factor, _)| factor.is_one());
        let lead = dividend.atoms().iter().copied().filter(leads).find(is_unit)?;
        let around = left.split_affine(lead)?.0;
        let rest = left - around.clone() * dividend.clone();
        let of_quotient = around.clone() * divisor.clone() + of_quotient;
        let of_rest = around + of_rest;
        if [&rest, &of_quotient, &of_rest].into_iter().any(|p| varies_with(space, p, index)) {
            return None;
        }
        let by = self.at(&divisor, point).ok()?.max(1.0);
        let (factor, is_quotient, values, run) = match (of_quotient.is_zero(), of_rest.is_zero(), from_start) {
            (true, false, Some(whole)) => (of_rest, false, whole.values.min(by), whole.run),
            (false, true, Some(whole)) => (of_quotient, true, whole.values.div_ceil(by), whole.run * by),
            // Wherever it begins, what goes on by one has each rest of a number equally often, as `(i + j) % 2`.
            (true, false, None) if divisor.as_constant().is_some() && lead == index => (of_rest, false, by, Num::ONE),
            _ => return None,
        };
        let part = Part { index, of: PartOf::Division(dividend, divisor, is_quotient) };
        Some(Linear { part, factor, rest, values: values.max(1.0), run })
    }

    /// The expression as a multiple of digits that are put together anew: where threads are numbered in blocks of blocks, the place of a thread
    /// along one edge is a digit of its number in its block, and above that one of its block.
    fn digits(&self, p: &Polynomial, of: usize, point: &Point) -> Option<Linear> {
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
                    let digit = self.linear(&Polynomial::from_atom(atom), of, point, MAX_DIVISIONS)?;
                    digits.push((factor, digit.values));
                }
            }
        }
        if varies_with(space, &rest, index) {
            return None;
        }
        self.split(quotients, (of, point), &mut digits)?;
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
        (least.fract() == 0.0).then(|| Linear {
            part,
            factor: Polynomial::from(least as i64),
            rest,
            values,
            run: Num::ONE,
        })
    }

    /// Splits quotients of one dividend into digits: what divides by less has the larger quotient's digits, and its own below them.
    fn split(
        &self,
        mut quotients: Vec<Quotient>,
        (of, point): (usize, &Point),
        digits: &mut Vec<(f64, Num)>,
    ) -> Option<()> {
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
                    let whole = self.linear(&dividend, of, point, MAX_DIVISIONS)?;
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

/// The conditions that an expression is 0 without, and what it is with them.
pub(super) fn with_conditions(space: &Space, p: &Polynomial) -> (Vec<Condition>, Polynomial) {
    let is_predicate = |atom| matches!(space.atom(atom), Atom::Predicate(_));
    let (mut factors, mut rest) = space.factors(p, is_predicate);
    // Where one of several must hold, the expression is the same with any of them.
    if let Some(atom) = rest.atoms().into_iter().find(|&atom| is_predicate(atom)) {
        let values = [Polynomial::one(), Polynomial::zero()].map(|value| rest.replace(atom, &value));
        let whole = values.into_iter().find(|value| !value.atoms().iter().any(|&atom| is_predicate(atom)));
        if let Some(whole) = whole {
            let (none, left) = space.factors(&(&whole - &rest), is_predicate);
            if left == whole {
                let none = none.iter().fold(Polynomial::one(), |all, factor| &all * factor);
                factors.push(space.not(&none));
                rest = whole;
            }
        }
    }
    (factors.into_iter().map(Condition::Holds).collect(), rest)
}

/// What must hold of a part: between two values, or not the one that both are.
struct Demand {
    part: Part,
    values: Num,
    low: Option<Num>,
    high: Option<Num>,
    run: Option<Num>,
    is_excluded: bool,
}

impl Demand {
    fn narrow(self, ranges: &mut Vec<Range>) {
        let at = ranges.iter().position(|range| range.part == self.part).unwrap_or_else(|| {
            let (low, high) = (Num::ZERO, self.values - 1.0);
            let range = Range { part: self.part, values: self.values, low, high, run: self.run, excluded: Vec::new() };
            ranges.push(range);
            ranges.len() - 1
        });
        let range = &mut ranges[at];
        match (self.is_excluded, self.low, self.high) {
            (true, Some(low), Some(high)) => {
                let is_there = low.at_least(0.0).and(high.less(range.values)).and(low.is(high));
                range.excluded.push(is_there.number() / range.values);
            }
            (_, low, high) => {
                range.low = low.map_or(range.low, |low| range.low.max(low));
                range.high = high.map_or(range.high, |high| range.high.min(high));
            }
        }
    }
}

impl Range {
    fn left(&self) -> Num {
        (self.high - self.low + 1.0).max(0.0)
    }

    /// How many lanes beyond one do it together, over those that have the same value; none where they do not matter.
    fn beside(&self, together: &Together) -> Option<(Num, Num)> {
        Some((together.lanes?, self.run?))
    }

    /// The share of lanes that do it, or of which another one does that does it together with them.
    fn share_of_any(&self, together: &Together) -> Num {
        let Some((lanes, run)) = self.beside(together) else {
            let others: Num = self.excluded.iter().map(|share| 1.0 - *share).product();
            return self.left() / self.values * others;
        };
        // Only where lanes with the same value are as many is there a group without any other.
        let others: Num =
            self.excluded.iter().map(|share| 1.0 - *share * ((run - lanes + 1.0).max(0.0) / run)).product();
        let own = self.left() * run;
        // What begins at the start of a period begins with a group.
        let reached = match self.low == Num::ZERO {
            true => own.div_ceil(lanes) * lanes,
            false => own.more(0.0).choose(own + lanes - 1.0, 0.0),
        };
        (reached / (self.values * run)).min(1.0) * others
    }

    /// The share of lanes that do it, as do all that do it together with them.
    fn share_of_all(&self, together: &Together) -> Num {
        let left = self.left();
        let Some((lanes, run)) = self.beside(together) else { return self.share_of_any(together) };
        let others: Num =
            self.excluded.iter().map(|share| (1.0 - *share * ((run + lanes - 1.0) / run)).max(0.0)).product();
        let own = (left * run - (lanes - 1.0)).max(0.0) / (self.values * run);
        left.at_least(self.values).choose(1.0, own) * others
    }
}
