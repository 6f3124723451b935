//! Interval arithmetic (Moore, *Interval Analysis*, 1966) over the integers. Every result contains all values that the operation can take.

use crate::coeff::{Coeff, power_of};
use std::cmp::Ordering;
use std::fmt;

/// How bits are read as an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Signedness {
    /// Two's complement.
    Signed,
    /// Never negative.
    Unsigned,
}

/// All integers between two bounds, each of which may be missing.
// Invariant: not empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    low: Option<Coeff>,
    high: Option<Coeff>,
}

/// An end of an interval, for the arithmetic of products and quotients.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Bound {
    MinusInfinity,
    Finite(Coeff),
    PlusInfinity,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: None, high: None };
    /// 0 and above.
    pub const NON_NEGATIVE: Interval = Interval { low: Some(Coeff::ZERO), high: None };
    /// 0 and 1.
    pub const BOOLEAN: Interval = Interval { low: Some(Coeff::ZERO), high: Some(Coeff::ONE) };

    /// From `low` to `high`, both included; a missing bound is infinite. Bounds of a value that cannot exist (`high` below `low`)
    /// give the point `low`.
    pub fn from_bounds(low: Option<Coeff>, high: Option<Coeff>) -> Interval {
        let point = low.clone();
        Interval::new(low, high).unwrap_or(Interval { low: point.clone(), high: point })
    }

    /// From `low` to `high`, both included; `None` where that is empty. A missing bound is infinite.
    pub fn new(low: Option<Coeff>, high: Option<Coeff>) -> Option<Interval> {
        match (&low, &high) {
            (Some(l), Some(h)) if l > h => None,
            _ => Some(Interval { low, high }),
        }
    }

    /// From `low` to `high` in any order, both included.
    pub fn between(a: impl Into<Coeff>, b: impl Into<Coeff>) -> Interval {
        let (a, b) = (a.into(), b.into());
        Interval { low: Some(a.clone().min(b.clone())), high: Some(a.max(b)) }
    }

    /// One value.
    pub fn point(value: impl Into<Coeff>) -> Interval {
        let value = value.into();
        Interval { low: Some(value.clone()), high: Some(value) }
    }

    /// `low` and above.
    pub fn at_least(low: impl Into<Coeff>) -> Interval {
        Interval { low: Some(low.into()), high: None }
    }

    /// `high` and below.
    pub fn at_most(high: impl Into<Coeff>) -> Interval {
        Interval { low: None, high: Some(high.into()) }
    }

    /// What an integer of a width can hold.
    pub fn of_width(bits: u32, signed: Signedness) -> Interval {
        let (low, high) = match signed {
            Signedness::Unsigned => (Coeff::ZERO, Coeff::pow2(bits) - Coeff::ONE),
            Signedness::Signed => match i64::BITS.checked_sub(bits) {
                _ if bits == 0 => (Coeff::ZERO, Coeff::ZERO),
                Some(spare) => (Coeff::from(i64::MIN >> spare), Coeff::from(i64::MAX >> spare)),
                None => (-Coeff::pow2(bits - 1), Coeff::pow2(bits - 1) - Coeff::ONE),
            },
        };
        Interval { low: Some(low), high: Some(high) }
    }

    /// The least value; `None` where there is none.
    pub fn low(&self) -> Option<&Coeff> {
        self.low.as_ref()
    }

    /// The greatest value; `None` where there is none.
    pub fn high(&self) -> Option<&Coeff> {
        self.high.as_ref()
    }

    /// The value, if there is only one.
    pub fn as_point(&self) -> Option<&Coeff> {
        self.low.as_ref().filter(|_| self.low == self.high)
    }

    /// Whether the value lies in the interval.
    pub fn contains(&self, value: &Coeff) -> bool {
        self.low.as_ref().is_none_or(|low| low <= value) && self.high.as_ref().is_none_or(|high| value <= high)
    }

    /// Whether all values lie in `other`.
    pub fn is_within(&self, other: &Interval) -> bool {
        self.begins_in(other) && self.ends_in(other)
    }

    /// Whether no value lies below all of `other`.
    pub(crate) fn begins_in(&self, other: &Interval) -> bool {
        let is_above = |least: &Coeff| self.low.as_ref().is_some_and(|low| least <= low);
        other.low.as_ref().is_none_or(is_above)
    }

    /// Whether no value lies above all of `other`.
    pub(crate) fn ends_in(&self, other: &Interval) -> bool {
        let is_below = |greatest: &Coeff| self.high.as_ref().is_some_and(|high| high <= greatest);
        other.high.as_ref().is_none_or(is_below)
    }

    /// Whether no value is below 0.
    pub fn is_non_negative(&self) -> bool {
        self.low.as_ref().is_some_and(|low| !low.is_negative())
    }

    /// Whether all values are above 0.
    pub fn is_positive(&self) -> bool {
        self.low.as_ref().is_some_and(Coeff::is_positive)
    }

    /// Whether all values are below 0.
    pub fn is_negative(&self) -> bool {
        self.high.as_ref().is_some_and(Coeff::is_negative)
    }

    /// What both contain; `None` where that is nothing.
    pub fn intersect(&self, other: &Interval) -> Option<Interval> {
        let either = |a: &Option<Coeff>, b: &Option<Coeff>, kept: Ordering| match (a, b) {
            (Some(first), Some(second)) if second.cmp(first) == kept => b.clone(),
            (Some(_), _) => a.clone(),
            (None, _) => b.clone(),
        };
        let low = either(&self.low, &other.low, Ordering::Greater);
        let high = either(&self.high, &other.high, Ordering::Less);
        Interval::new(low, high)
    }

    /// The least interval that contains both.
    pub fn hull(&self, other: &Interval) -> Interval {
        let low = self.low.as_ref().zip(other.low.as_ref()).map(|(a, b)| a.min(b).clone());
        let high = self.high.as_ref().zip(other.high.as_ref()).map(|(a, b)| a.max(b).clone());
        Interval { low, high }
    }

    /// Sums.
    pub fn add(&self, other: &Interval) -> Interval {
        let sum = |a: &Option<Coeff>, b: &Option<Coeff>| Some(a.as_ref()? + b.as_ref()?);
        Interval { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    /// Negated values.
    pub fn neg(&self) -> Interval {
        Interval { low: self.high.as_ref().map(|high| -high), high: self.low.as_ref().map(|low| -low) }
    }

    /// Differences.
    pub fn sub(&self, other: &Interval) -> Interval {
        self.add(&other.neg())
    }

    /// Products.
    pub fn mul(&self, other: &Interval) -> Interval {
        if let Some(factor) = self.as_point() {
            return other.scale(factor);
        }
        if self.is_non_negative() && other.is_non_negative() {
            let high = self.high.as_ref().zip(other.high.as_ref()).map(|(a, b)| a * b);
            if let (Some(a), Some(b), Some(high)) = (&self.low, &other.low, high) {
                return Interval { low: Some(a * b), high: Some(high) };
            }
        }
        self.corners(other, Bound::mul)
    }

    /// Products with a number.
    pub fn scale(&self, factor: &Coeff) -> Interval {
        let end = |bound: &Option<Coeff>| bound.as_ref().map(|bound| bound * factor);
        match factor.signum() {
            0 => Interval::point(0),
            1 if factor.is_one() => self.clone(),
            1 => Interval { low: end(&self.low), high: end(&self.high) },
            _ => Interval { low: end(&self.high), high: end(&self.low) },
        }
    }

    /// Powers: tighter than repeated products, since they are monotone, or even and never negative.
    pub fn pow(&self, exponent: u32) -> Interval {
        match exponent {
            0 => return Interval::point(1),
            1 => return self.clone(),
            _ => {}
        }
        let power = |bound: &Coeff| nth_power(bound, exponent);
        let (low, high) = (self.low.as_ref().map(power), self.high.as_ref().map(power));
        if exponent % 2 == 1 || self.is_non_negative() {
            Interval { low, high }
        } else if self.high.as_ref().is_some_and(|high| !high.is_positive()) {
            Interval { low: high, high: low }
        } else {
            Interval { low: Some(Coeff::ZERO), high: low.and_then(|low| high.map(|high| low.max(high))) }
        }
    }

    /// Quotients rounded down. All integers where the divisor can be 0.
    pub fn div_floor(&self, divisor: &Interval) -> Interval {
        if divisor.is_negative() {
            return self.neg().div_floor(&divisor.neg());
        }
        if !divisor.is_positive() {
            return Interval::ALL;
        }
        self.corners(divisor, Bound::div_floor)
    }

    /// Quotients rounded towards 0. All integers where the divisor can be 0.
    pub fn div_trunc(&self, divisor: &Interval) -> Interval {
        if divisor.is_negative() {
            return self.neg().div_trunc(&divisor.neg());
        }
        if !divisor.is_positive() {
            return Interval::ALL;
        }
        self.corners(divisor, Bound::div_trunc)
    }

    /// Remainders of [`Interval::div_trunc`]: they have the dividend's sign. All integers where the divisor can be 0.
    pub fn rem_trunc(&self, divisor: &Interval) -> Interval {
        let divisor = if divisor.is_negative() { divisor.neg() } else { divisor.clone() };
        if !divisor.is_positive() {
            return Interval::ALL;
        }
        let largest = Interval { low: Some(Coeff::ZERO), high: divisor.high.map(|high| high - Coeff::ONE) };
        let smallest = largest.neg();
        let positive = self.intersect(&Interval::NON_NEGATIVE).and_then(|part| {
            let high = part.high_bound().min(largest.high_bound());
            Interval::new(Some(Coeff::ZERO), high.finite())
        });
        let negative = self.intersect(&Interval::at_most(0)).and_then(|part| {
            let low = part.low_bound().max(smallest.low_bound());
            Interval::new(low.finite(), Some(Coeff::ZERO))
        });
        match (positive, negative) {
            (Some(positive), Some(negative)) => positive.hull(&negative),
            (positive, negative) => positive.or(negative).unwrap_or(Interval::ALL),
        }
    }

    /// Bitwise and.
    pub fn bit_and(&self, other: &Interval) -> Interval {
        match (self.is_non_negative(), other.is_non_negative()) {
            (true, true) => Interval::of_bounds(Bound::zero(), self.high_bound().min(other.high_bound())),
            (true, false) => Interval::of_bounds(Bound::zero(), self.high_bound()),
            (false, true) => Interval::of_bounds(Bound::zero(), other.high_bound()),
            (false, false) => self.common_width(other),
        }
    }

    /// Bitwise or.
    pub fn bit_or(&self, other: &Interval) -> Interval {
        if !self.is_non_negative() || !other.is_non_negative() {
            return self.common_width(other);
        }
        let low = self.low_bound().max(other.low_bound());
        Interval::of_bounds(low, self.all_bits(other))
    }

    /// Bitwise exclusive or.
    pub fn bit_xor(&self, other: &Interval) -> Interval {
        if !self.is_non_negative() || !other.is_non_negative() {
            return self.common_width(other);
        }
        Interval::of_bounds(Bound::zero(), self.all_bits(other))
    }

    /// Products with powers of two; negative powers are left out.
    pub fn shl(&self, shift: &Interval) -> Interval {
        self.mul(&shift.pow2())
    }

    /// Quotients by powers of two, rounded down; negative powers are left out.
    pub fn shr(&self, shift: &Interval) -> Interval {
        self.div_floor(&shift.pow2())
    }

    /// The smaller of two values.
    pub fn min(&self, other: &Interval) -> Interval {
        Interval::of_bounds(self.low_bound().min(other.low_bound()), self.high_bound().min(other.high_bound()))
    }

    /// The larger of two values.
    pub fn max(&self, other: &Interval) -> Interval {
        Interval::of_bounds(self.low_bound().max(other.low_bound()), self.high_bound().max(other.high_bound()))
    }

    /// The values of the comparison `self >= other`: 0, 1 or both.
    pub fn at_least_other(&self, other: &Interval) -> Interval {
        let difference = self.sub(other);
        if difference.is_non_negative() {
            Interval::point(1)
        } else if difference.is_negative() {
            Interval::point(0)
        } else {
            Interval::BOOLEAN
        }
    }

    /// Values to the power of other values; negative powers are left out.
    pub fn to_power(&self, exponent: &Interval) -> Interval {
        let Some(exponent) = exponent.intersect(&Interval::NON_NEGATIVE) else { return Interval::ALL };
        let largest = self.low_bound().max(self.neg().low_bound()).max(self.high_bound()).max(self.neg().high_bound());
        let largest = match (largest, exponent.high()) {
            (Bound::Finite(base), Some(exponent)) => small_power(&base.max(Coeff::ONE), exponent),
            _ => None,
        };
        if !self.is_non_negative() {
            return Interval { low: largest.as_ref().map(|high| -high), high: largest };
        }
        // Of positive bases, larger exponents give no smaller powers.
        let least = self.low().zip(exponent.low()).filter(|(base, _)| base.is_positive());
        let low = least.and_then(|(base, exponent)| small_power(base, exponent)).unwrap_or(Coeff::ZERO);
        Interval { low: Some(low), high: largest }
    }

    /// `2^shift`, as far as it is worth computing.
    fn pow2(&self) -> Interval {
        const LARGEST: i64 = 256;
        let power = |bound: &Coeff| bound.to_i64().filter(|b| (0..=LARGEST).contains(b)).map(|b| Coeff::pow2(b as u32));
        let low = self.low.as_ref().and_then(power).unwrap_or(Coeff::ONE);
        match self.high.as_ref() {
            Some(high) if high.is_negative() => Interval::ALL,
            high => Interval { low: Some(low), high: high.and_then(power) },
        }
    }

    /// The greatest number with as many bits as the greatest value of either interval.
    fn all_bits(&self, other: &Interval) -> Bound {
        match self.high_bound().max(other.high_bound()) {
            Bound::Finite(high) => u32::try_from(high.bits())
                .map_or(Bound::PlusInfinity, |bits| Bound::Finite(Coeff::pow2(bits) - Coeff::ONE)),
            infinite => infinite,
        }
    }

    /// The least two's complement range that holds both intervals.
    fn common_width(&self, other: &Interval) -> Interval {
        let hull = self.hull(other);
        let (Some(low), Some(high)) = (hull.low, hull.high) else {
            return Interval::ALL;
        };
        // -2^k needs k bits beside the sign: count those of -1 - low.
        let below = (Coeff::MINUS_ONE - low).abs().bits();
        let bits = below.max(high.bits());
        u32::try_from(bits).map_or(Interval::ALL, |bits| Interval::of_width(bits + 1, Signedness::Signed))
    }

    /// The hull of an operation's four corner values, for operations that are monotone in each argument.
    fn corners(&self, other: &Interval, operation: impl Fn(&Bound, &Bound) -> Bound) -> Interval {
        let (a, b) = ([self.low_bound(), self.high_bound()], [other.low_bound(), other.high_bound()]);
        let values = a.iter().flat_map(|x| b.iter().map(|y| operation(x, y)));
        let (mut low, mut high) = (Bound::PlusInfinity, Bound::MinusInfinity);
        for value in values {
            low = low.min(value.clone());
            high = high.max(value);
        }
        Interval::of_bounds(low, high)
    }

    fn low_bound(&self) -> Bound {
        self.low.clone().map_or(Bound::MinusInfinity, Bound::Finite)
    }

    fn high_bound(&self) -> Bound {
        self.high.clone().map_or(Bound::PlusInfinity, Bound::Finite)
    }

    fn of_bounds(low: Bound, high: Bound) -> Interval {
        Interval { low: low.finite(), high: high.finite() }
    }
}

/// A power that is worth computing, of a base of at least 1.
fn small_power(base: &Coeff, exponent: &Coeff) -> Option<Coeff> {
    const LARGEST_BITS: u64 = 256;
    power_of(base, exponent).filter(|power| power.bits() <= LARGEST_BITS)
}

impl Bound {
    fn zero() -> Bound {
        Bound::Finite(Coeff::ZERO)
    }

    fn finite(self) -> Option<Coeff> {
        match self {
            Bound::Finite(value) => Some(value),
            Bound::MinusInfinity | Bound::PlusInfinity => None,
        }
    }

    fn signum(&self) -> i32 {
        match self {
            Bound::MinusInfinity => -1,
            Bound::Finite(value) => value.signum(),
            Bound::PlusInfinity => 1,
        }
    }

    fn infinity(sign: i32) -> Bound {
        match sign.cmp(&0) {
            Ordering::Less => Bound::MinusInfinity,
            Ordering::Equal => Bound::zero(),
            Ordering::Greater => Bound::PlusInfinity,
        }
    }

    /// 0 times infinity is 0: an infinite bound stands for arbitrarily large finite values.
    fn mul(&self, other: &Bound) -> Bound {
        match (self, other) {
            (Bound::Finite(a), Bound::Finite(b)) => Bound::Finite(a * b),
            _ => Bound::infinity(self.signum() * other.signum()),
        }
    }

    /// For positive divisors; a finite value by an ever larger one tends to 0 or, rounded down, to -1.
    fn div_floor(&self, divisor: &Bound) -> Bound {
        match (self, divisor) {
            (Bound::Finite(a), Bound::Finite(b)) => a.div_floor(b).map_or(Bound::zero(), Bound::Finite),
            (Bound::Finite(a), _) if a.is_negative() => Bound::Finite(Coeff::MINUS_ONE),
            (Bound::Finite(_), _) => Bound::zero(),
            _ => Bound::infinity(self.signum()),
        }
    }

    /// For positive divisors; a finite value by an ever larger one tends to 0.
    fn div_trunc(&self, divisor: &Bound) -> Bound {
        match (self, divisor) {
            (Bound::Finite(a), Bound::Finite(b)) => a.div_trunc(b).map_or(Bound::zero(), Bound::Finite),
            (Bound::Finite(_), _) => Bound::zero(),
            _ => Bound::infinity(self.signum()),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.low {
            Some(low) => write!(f, "[{low}, ")?,
            None => f.write_str("[-inf, ")?,
        }
        match &self.high {
            Some(high) => write!(f, "{high}]"),
            None => f.write_str("inf]"),
        }
    }
}

/// By squaring: few products of large numbers.
fn nth_power(base: &Coeff, exponent: u32) -> Coeff {
    match exponent {
        0 => Coeff::ONE,
        1 => base.clone(),
        _ => {
            let half = nth_power(base, exponent / 2);
            let square = &half * &half;
            if exponent % 2 == 1 { &square * base } else { square }
        }
    }
}
