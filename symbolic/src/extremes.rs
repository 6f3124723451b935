//! What an expression is at least, or at most, wherever some numbers run: an expression without them.
//!
//! Each number gives way to an end of its range; which end that is, the sign of its factor tells (Banerjee, *Dependence Analysis for
//! Supercomputing*, 1988, with symbolic bounds).
//! What is no polynomial in it is taken apart before: a condition by its two cases, a minimum or maximum by its arguments, a quotient
//! with its remainder as two numbers of their own. What stays gives way to the ends of its own range.

use crate::atom::{Atom, OpaqueOp, Predicate, Symbol, Varies};
use crate::bounds::Indicator;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::id::AtomId;
use crate::interval::Interval;
use crate::polynomial::Polynomial;
use crate::predicate::{leads_negative, reduced};
use crate::space::Space;

/// How many times an expression is taken apart for one bound.
const MAX_PARTS: u32 = 96;
/// Ends of ranges of this size and more are those of a type, which say nothing beside a symbolic bound.
const TYPE_EDGE: i64 = 1 << 30;
/// An end that needs more bits is none.
const LARGEST_BITS: u32 = 62;

/// An end of a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The lower one.
    Min,
    /// The upper one.
    Max,
}

/// A number that runs from 0 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Running {
    /// An iteration number or a symbol.
    pub number: AtomId,
    /// What it is at most, where that is known; it may depend on numbers that are known later.
    pub last: Option<Polynomial>,
}

/// Why an expression has no such bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unbounded {
    /// It does not grow or fall evenly with this number.
    Uneven(AtomId),
    /// How far this number goes is not known.
    Endless(AtomId),
    /// It depends on what memory holds at places that this number tells.
    Data(AtomId),
    /// The bound would be too large an expression.
    TooLarge,
}

impl Space {
    /// What `p` is at least, or at most, wherever the facts hold and the numbers are in their ranges, inner ones before those that their ranges
    /// depend on. It need not be reached.
    ///
    /// # Errors
    /// Why no bound was found.
    pub fn extreme(
        &mut self,
        p: &Polynomial,
        numbers: &[Running],
        facts: &Facts,
        end: End,
    ) -> Result<Polynomial, Unbounded> {
        Search { space: self, parts: MAX_PARTS, assumed: None }.found(p, numbers, facts, end)
    }

    /// [`Space::extreme`] where some more is at least 0, which is added: sizes that numbers are multiplied by, and whose signs are not known.
    ///
    /// # Errors
    /// Why no bound was found.
    pub fn extreme_of_sizes(
        &mut self,
        p: &Polynomial,
        numbers: &[Running],
        facts: &Facts,
        end: End,
        sizes: &mut Vec<Polynomial>,
    ) -> Result<Polynomial, Unbounded> {
        Search { space: self, parts: MAX_PARTS, assumed: Some(sizes) }.found(p, numbers, facts, end)
    }
}

impl End {
    /// The same end of what is multiplied by -1.
    fn opposite(self) -> End {
        match self {
            End::Min => End::Max,
            End::Max => End::Min,
        }
    }

    /// The operation that keeps what lies outside.
    fn outer(self) -> OpaqueOp {
        match self {
            End::Min => OpaqueOp::Min,
            End::Max => OpaqueOp::Max,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    NotNegative,
    NotPositive,
}

struct Search<'a> {
    space: &'a mut Space,
    /// How many are left.
    parts: u32,
    /// What is taken to be at least 0, where more may be.
    assumed: Option<&'a mut Vec<Polynomial>>,
}

type Bound = Result<Polynomial, Unbounded>;

impl Search<'_> {
    fn found(mut self, p: &Polynomial, numbers: &[Running], facts: &Facts, end: End) -> Bound {
        let found = self.run(p.clone(), numbers, facts, end);
        if self.parts == 0 {
            self.space.limits.count(|hits| hits.extreme_parts += 1);
        }
        found
    }

    fn run(&mut self, p: Polynomial, numbers: &[Running], facts: &Facts, end: End) -> Bound {
        let Some((first, outer)) = numbers.split_first() else { return Ok(p) };
        let Some(atom) = self.composite(&p, first.number) else {
            let p = self.at_end(&p, first, facts, end)?;
            return self.run(p, outer, facts, end);
        };
        self.parts = self.parts.checked_sub(1).ok_or(Unbounded::TooLarge)?;
        let uneven = Unbounded::Uneven(first.number);
        if atom.is_idempotent() {
            if let Some(p) = self.without_remainder(&p, atom, facts, end) {
                return self.run(p, numbers, facts, end);
            }
            return self.by_cases(&p, atom, numbers, facts, end);
        }
        let (factor, rest) = p.split_affine(atom).ok_or(uneven)?;
        match self.space.atom(atom).clone() {
            Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), args) => {
                // c*max(a, b) is max(c*a, c*b) for c >= 0, and min(c*a, c*b) for c <= 0.
                let flipped = if op == OpaqueOp::Max { OpaqueOp::Min } else { OpaqueOp::Max };
                let by = match self.sign(&factor, facts).ok_or(uneven)? {
                    Sign::NotNegative => op,
                    Sign::NotPositive => flipped,
                };
                let mut bounds = Vec::new();
                for arg in args {
                    let one = &self.product(&factor, &arg)? + &rest;
                    bounds.push(self.run(one, numbers, facts, end)?);
                }
                Ok(self.space.op(by, bounds))
            }
            Atom::FloorDiv(dividend, divisor) if self.is_size(&divisor, first.number, facts) => {
                let is_apart = !self.depends(&rest, first.number) && !self.depends(&factor, first.number);
                if !is_apart && dividend.as_atom() == Some(first.number) {
                    return self.by_rows(&p, &divisor, numbers, facts, end);
                }
                if !is_apart && let Some(multiple) = multiple_of(&divisor, &factor) {
                    // b*floor(a / b) is a less the remainder.
                    let place = self.running("remainder", &divisor);
                    let whole = &dividend - &Polynomial::from(place.number);
                    let p = &self.product(&multiple, &whole)? + &rest;
                    let (numbers, facts) = extended(&[place], numbers, facts);
                    return self.run(p, &numbers, &facts, end);
                }
                let bound = |this: &mut Self, end| {
                    let dividend = this.run(dividend.clone(), std::slice::from_ref(first), facts, end)?;
                    Ok(this.space.floor_div(&dividend, &divisor, facts))
                };
                let p = &self.replaced(&factor, bound, facts, end)? + &rest;
                self.run(p, numbers, facts, end)
            }
            Atom::Op(OpaqueOp::TruncRem, args) if !self.depends(&args[1], first.number) => {
                let p = &self.by_remainder([&args[0], &args[1]], &factor, facts, end)? + &rest;
                self.run(p, numbers, facts, end)
            }
            _ => {
                let p = &self.by_range(atom, &factor, first, facts, end)? + &rest;
                self.run(p, numbers, facts, end)
            }
        }
    }

    /// A polynomial that is at least, or at most, as large as one in which a condition on the remainder of a number occurs: that holds at places all
    /// over the number's range, and so says little of where in it the number is.
    fn without_remainder(&mut self, p: &Polynomial, atom: AtomId, facts: &Facts, end: End) -> Option<Polynomial> {
        let Atom::Predicate(Predicate::Zero(difference)) = self.space.atom(atom) else { return None };
        let is_quotient = |atom: AtomId| matches!(self.space.atom(atom), Atom::FloorDiv(..));
        if !difference.atoms().into_iter().any(is_quotient) {
            return None;
        }
        let (factor, rest) = self.space.split_affine(p, atom)?;
        let is_added = (self.sign(&factor, facts)? == Sign::NotNegative) == (end == End::Max);
        Some(if is_added { rest + factor } else { rest })
    }

    /// The factor times the maximum or minimum of `a % b` over all a, in the place of the factor times the remainder.
    fn by_remainder(&mut self, [a, b]: [&Polynomial; 2], factor: &Polynomial, facts: &Facts, end: End) -> Bound {
        let size = self.space.op(OpaqueOp::Max, vec![b.clone(), -b]);
        let most = &size - &Polynomial::one();
        let is_natural = self.space.proves_nonneg(a, facts);
        let bound = |_: &mut Self, end| {
            Ok(match end {
                End::Max => most.clone(),
                End::Min if is_natural => Polynomial::zero(),
                End::Min => -&most,
            })
        };
        self.replaced(factor, bound, facts, end)
    }

    /// The factor times an end of the atom's range, in the place of the factor times the atom.
    fn by_range(&mut self, atom: AtomId, factor: &Polynomial, first: &Running, facts: &Facts, end: End) -> Bound {
        let is_loaded = |at| matches!(self.space.atom(at), Atom::Load { .. });
        let (limit, why_not) = match self.space.depends_on(&atom.into(), is_loaded) {
            true => (Coeff::from(TYPE_EDGE), Unbounded::Data(first.number)),
            // No object is as large as the range of addresses.
            false => (Coeff::pow2(LARGEST_BITS), Unbounded::Uneven(first.number)),
        };
        let bound = |this: &mut Self, end| {
            this.number_at_end(&atom.into(), facts, end, &limit).map(Polynomial::from).ok_or(why_not)
        };
        self.replaced(factor, bound, facts, end)
    }

    /// What has the number inside, and is taken apart next: conditions first, then quotients by the largest divisors.
    fn composite(&self, p: &Polynomial, number: AtomId) -> Option<AtomId> {
        let order = |&atom: &AtomId| match self.space.atom(atom) {
            _ if atom.is_idempotent() => (0, 0),
            Atom::Op(OpaqueOp::Min | OpaqueOp::Max, _) => (1, 0),
            Atom::FloorDiv(_, divisor) => (2, u32::MAX - divisor.degree()),
            _ => (3, 0),
        };
        let has_it = |&atom: &AtomId| atom != number && self.depends(&atom.into(), number);
        p.atoms().into_iter().filter(has_it).min_by_key(order)
    }

    /// The outermost of what each case of a condition gives, where that is known to hold, or to fail.
    fn by_cases(&mut self, p: &Polynomial, atom: AtomId, numbers: &[Running], facts: &Facts, end: End) -> Bound {
        let mut bounds = Vec::new();
        for value in [Indicator::One, Indicator::Zero] {
            let facts = self.space.assume_indicator(facts, atom, value);
            let fixed = match (self.space.atom(atom), value) {
                (Atom::Predicate(Predicate::Zero(zero)), Indicator::One) => self.solved(zero, numbers[0].number),
                _ => None,
            };
            let mut value_of = |at| match at {
                at if at == atom => Some(value.polynomial()),
                at if at == numbers[0].number => fixed.clone(),
                _ => None,
            };
            let case = self.space.substitute_under(p, &facts, &mut value_of);
            bounds.push(self.in_case(case, numbers, &facts, end)?);
        }
        Ok(self.space.op(end.outer(), bounds))
    }

    /// The bound in one case, in which the condition itself may bound the value.
    fn in_case(&mut self, case: Polynomial, numbers: &[Running], facts: &Facts, end: End) -> Bound {
        let plain = self.number_at_end(&case, facts, end, &Coeff::from(TYPE_EDGE)).map(Polynomial::from);
        match (self.run(case, numbers, facts, end), plain) {
            (Ok(bound), Some(plain)) => Ok(self.space.op(end.opposite().outer(), vec![bound, plain])),
            (Err(_), Some(plain)) => Ok(plain),
            (found, None) => found,
        }
    }

    /// A number that a value is at least, or at most, where one is known whose magnitude is below a limit.
    fn number_at_end(&self, p: &Polynomial, facts: &Facts, end: End, limit: &Coeff) -> Option<Coeff> {
        let number = match end {
            End::Min => self.space.low_above(p, facts, &-limit),
            End::Max => self.space.low_above(&-p, facts, &-limit).map(|low| -low),
        };
        number.filter(|number| number.abs() < *limit)
    }

    /// `c = b*row + place` in place of the number `c`, as in the rows of a collapsed nest.
    fn by_rows(&mut self, p: &Polynomial, length: &Polynomial, numbers: &[Running], facts: &Facts, end: End) -> Bound {
        let Running { number, last } = &numbers[0];
        let rows = last.as_ref().map(|last| self.space.floor_div(last, length, facts));
        let place = self.running("place in row", length);
        let row = Running { number: self.natural("row"), last: rows };
        let there = &self.product(length, &row.number.into())? + &place.number.into();
        let (numbers, mut facts) = extended(&[place, row], &numbers[1..], facts);
        facts.assume_zero(&there - &Polynomial::from(*number));
        let p = self.space.substitute_under(p, &facts, &mut |at| (at == *number).then(|| there.clone()));
        self.run(p, &numbers, &facts, end)
    }

    /// A bound of the factor times a value, from a bound of the value.
    fn replaced(
        &mut self,
        factor: &Polynomial,
        mut bound: impl FnMut(&mut Self, End) -> Bound,
        facts: &Facts,
        end: End,
    ) -> Bound {
        let ends: &[End] = match self.sign(factor, facts) {
            Some(Sign::NotNegative) => &[end],
            Some(Sign::NotPositive) => &[end.opposite()],
            None => &[End::Min, End::Max],
        };
        let mut products = Vec::new();
        for &end in ends {
            let bound = bound(self, end)?;
            products.push(self.product(factor, &bound)?);
        }
        Ok(self.space.op(end.outer(), products))
    }

    /// A polynomial in a number at the end of the number's range at which it is least, or greatest.
    fn at_end(&mut self, p: &Polynomial, running: &Running, facts: &Facts, end: End) -> Bound {
        let Running { number, last } = running;
        let degree = p.degree_in(*number);
        if degree == 0 {
            return Ok(p.clone());
        }
        let replaced = |this: &mut Self, value: &Polynomial| {
            this.space.substitute(p, &mut |at| (at == *number).then(|| value.clone()))
        };
        let next = replaced(self, &(&Polynomial::from(*number) + &Polynomial::one()));
        let step = &next - p;
        // What holds here need not hold on the way to the end.
        let mut always = facts.clone();
        if degree > 1 {
            let depends = |fact: &&Polynomial| !self.space.depends_on(fact, |at| at == *number);
            let kept: Vec<Polynomial> = facts.nonneg().filter(depends).cloned().collect();
            always = Facts::none();
            kept.into_iter().for_each(|fact| always.assume_nonneg(fact));
        }
        let first = replaced(self, &Polynomial::zero());
        let sign = self.sign(&step, &always);
        let grows = |sign| sign == Sign::NotNegative;
        if sign.is_some_and(|sign| grows(sign) == (end == End::Min)) {
            return Ok(first);
        }
        let last = last.as_ref().ok_or(Unbounded::Endless(*number))?;
        let at_last = replaced(self, last);
        match sign {
            Some(_) => Ok(at_last),
            None if degree > 1 => Err(Unbounded::Uneven(*number)),
            // At one of the two ends in any case.
            None => {
                let change = self.space.op(end.outer(), vec![Polynomial::zero(), &at_last - &first]);
                Ok(&change + &first)
            }
        }
    }

    fn sign(&mut self, p: &Polynomial, facts: &Facts) -> Option<Sign> {
        let proven = |space: &Space, facts: &Facts| match () {
            () if space.proves_nonneg(p, facts) => Some(Sign::NotNegative),
            () if space.proves_nonneg(&-p, facts) => Some(Sign::NotPositive),
            () => None,
        };
        let mut known = facts.clone();
        self.assumed.iter().flat_map(|sizes| sizes.iter()).for_each(|size| known.assume_nonneg(size.clone()));
        let found = proven(self.space, &known);
        if found.is_some() || !self.space.is_invariant(p) {
            return found;
        }
        let sizes = self.assumed.as_mut()?;
        // Of a sum of sizes and their products each size, else the whole.
        let is_reversed = leads_negative(p);
        let is_sum = p.terms().all(|(_, coefficient)| coefficient.is_negative() == is_reversed);
        let assumed: Vec<Polynomial> = match is_sum {
            true => p.atoms().into_iter().map(Polynomial::from).collect(),
            false => vec![reduced(&if is_reversed { -p } else { p.clone() })],
        };
        let is_open = |size: &Polynomial| !self.space.proves_nonneg(size, &known);
        sizes.extend(assumed.into_iter().filter(is_open));
        Some(if is_reversed { Sign::NotPositive } else { Sign::NotNegative })
    }

    fn depends(&self, p: &Polynomial, number: AtomId) -> bool {
        self.space.depends_on(p, |at| at == number)
    }

    /// Whether it is positive and the same for all values of the number.
    fn is_size(&self, p: &Polynomial, number: AtomId, facts: &Facts) -> bool {
        !self.depends(p, number) && self.space.proves_nonneg(&(p - &Polynomial::one()), facts)
    }

    /// The value of an atom where a polynomial is zero.
    fn solved(&self, zero: &Polynomial, atom: AtomId) -> Option<Polynomial> {
        let (factor, rest) = self.space.split_affine(zero, atom)?;
        match factor.as_constant() {
            Some(factor) if factor.is_one() => Some(-rest),
            Some(factor) if *factor == Coeff::MINUS_ONE => Some(rest),
            _ => None,
        }
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial) -> Bound {
        self.space.product(a, b).ok_or(Unbounded::TooLarge)
    }

    /// A number from 0 to before `count`.
    fn running(&mut self, name: &str, count: &Polynomial) -> Running {
        Running { number: self.natural(name), last: Some(count - &Polynomial::one()) }
    }

    fn natural(&mut self, name: &str) -> AtomId {
        let varies = Varies::WithLoops([].into());
        let symbol = Symbol { name: name.into(), range: Interval::NON_NEGATIVE, varies };
        self.space.symbol(symbol).as_atom().expect("a symbol is one atom")
    }
}

/// More numbers, with what is known of them.
fn extended(more: &[Running], numbers: &[Running], facts: &Facts) -> (Vec<Running>, Facts) {
    let mut facts = facts.clone();
    for Running { number, last } in more {
        if let Some(last) = last {
            facts.assume_nonneg(last - &Polynomial::from(*number));
        }
    }
    (more.iter().chain(numbers).cloned().collect(), facts)
}

/// How many times the divisor a factor is, if it is a multiple.
fn multiple_of(divisor: &Polynomial, factor: &Polynomial) -> Option<Polynomial> {
    match divisor.as_constant() {
        Some(divisor) => factor.div_exact(divisor),
        None => Some(factor.div_rem(divisor)).filter(|(_, rest)| rest.is_zero()).map(|(multiple, _)| multiple),
    }
}
