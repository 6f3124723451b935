//! Exact integers: one or two machine words as long as they fit, big integers beyond.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// An exact integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Coeff(Repr);

// Invariant: the first whenever the value fits, so that derived equality is equality of values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    // Products of ranges of addresses: they are everywhere, and are not to be allocated.
    Wide(Wide),
    // Rare, and not to make words larger.
    Big(Box<BigInt>),
}

/// An integer of two words, aligned as one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Wide {
    high: u64,
    low: u64,
}

impl Wide {
    fn new(n: i128) -> Wide {
        Wide { high: (n >> 64) as u64, low: n as u64 }
    }

    fn get(self) -> i128 {
        (i128::from(self.high) << 64) | i128::from(self.low)
    }
}

impl Coeff {
    /// 0.
    pub const ZERO: Coeff = Coeff(Repr::Small(0));
    /// 1.
    pub const ONE: Coeff = Coeff(Repr::Small(1));
    /// -1.
    pub const MINUS_ONE: Coeff = Coeff(Repr::Small(-1));

    /// 2 to the power of `exponent`.
    pub fn pow2(exponent: u32) -> Coeff {
        if exponent < i128::BITS - 1 { Coeff::from(1_i128 << exponent) } else { Coeff::from(BigInt::one() << exponent) }
    }

    /// Whether the value is 0.
    pub fn is_zero(&self) -> bool {
        *self == Coeff::ZERO
    }

    /// Whether the value is 1.
    pub fn is_one(&self) -> bool {
        *self == Coeff::ONE
    }

    /// Whether the value is 1 or -1.
    pub(crate) fn is_unit(&self) -> bool {
        matches!(self.0, Repr::Small(1 | -1))
    }

    /// Whether the value is below 0.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether the value is above 0.
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// -1, 0 or 1.
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(n) => n.signum() as i32,
            Repr::Wide(n) => n.get().signum() as i32,
            Repr::Big(n) if n.is_negative() => -1,
            Repr::Big(_) => 1,
        }
    }

    /// The distance from 0.
    pub fn abs(&self) -> Coeff {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The value as a machine integer, if it fits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n) => Some(n),
            Repr::Wide(_) | Repr::Big(_) => None,
        }
    }

    /// The value as an integer of two words, if it fits.
    fn to_i128(&self) -> Option<i128> {
        match self.0 {
            Repr::Small(n) => Some(n.into()),
            Repr::Wide(n) => Some(n.get()),
            Repr::Big(_) => None,
        }
    }

    /// Both values as integers of two words, if they fit.
    fn wide(&self, other: &Coeff) -> Option<(i128, i128)> {
        self.to_i128().zip(other.to_i128())
    }

    /// The value as an unsigned machine integer, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(n) => u64::try_from(*n).ok(),
            Repr::Wide(n) => u64::try_from(n.get()).ok(),
            Repr::Big(_) => None,
        }
    }

    /// The greatest integer that is not above the quotient; `None` for a zero divisor.
    pub fn div_floor(&self, divisor: &Coeff) -> Option<Coeff> {
        if divisor.is_zero() {
            return None;
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0)
            && let Some(quotient) = a.checked_div(*b)
        {
            let inexact = a % b != 0;
            return Some(Coeff::from(quotient - i64::from(inexact && ((a < &0) != (b < &0)))));
        }
        if let Some((a, b)) = self.wide(divisor)
            && let Some(quotient) = a.checked_div(b)
        {
            let inexact = a % b != 0;
            return Some(Coeff::from(quotient - i128::from(inexact && ((a < 0) != (b < 0)))));
        }
        Some(Coeff::from(self.to_big().div_floor(&divisor.to_big())))
    }

    /// The least integer that is not below the quotient; `None` for a zero divisor.
    pub fn div_ceil(&self, divisor: &Coeff) -> Option<Coeff> {
        (-self).div_floor(divisor).map(|q| -q)
    }

    /// The quotient rounded towards zero; `None` for a zero divisor.
    pub fn div_trunc(&self, divisor: &Coeff) -> Option<Coeff> {
        if self.is_negative() == divisor.is_negative() { self.div_floor(divisor) } else { self.div_ceil(divisor) }
    }

    /// The quotient, if it is an integer.
    pub fn div_exact(&self, divisor: &Coeff) -> Option<Coeff> {
        let quotient = self.div_floor(divisor)?;
        (&quotient * divisor == *self).then_some(quotient)
    }

    /// The remainder in `0..|divisor|`; `None` for a zero divisor.
    pub fn rem_euclid(&self, divisor: &Coeff) -> Option<Coeff> {
        let divisor = divisor.abs();
        Some(self - &(&self.div_floor(&divisor)? * &divisor))
    }

    /// The greatest common divisor, never negative; `gcd(0, 0)` is 0.
    pub fn gcd(&self, other: &Coeff) -> Coeff {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => {
                let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                Coeff::from(a)
            }
            _ => match self.wide(other) {
                Some((a, b)) => {
                    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
                    while b != 0 {
                        (a, b) = (b, a % b);
                    }
                    i128::try_from(a).map_or_else(|_| Coeff::from(BigInt::from(a)), Coeff::from)
                }
                None => Coeff::from(self.to_big().gcd(&other.to_big())),
            },
        }
    }

    /// How often 2 divides the value; `None` for 0.
    pub fn trailing_zeros(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(0) => None,
            Repr::Small(n) => Some(u64::from(n.trailing_zeros())),
            Repr::Wide(n) => Some(u64::from(n.get().trailing_zeros())),
            Repr::Big(n) => n.trailing_zeros(),
        }
    }

    /// The exponent, if the value is a power of 2.
    pub fn log2(&self) -> Option<u32> {
        let exponent = u32::try_from(self.trailing_zeros()?).ok()?;
        (self.is_positive() && self.bits() == u64::from(exponent) + 1).then_some(exponent)
    }

    /// How many bits the distance from 0 needs; 0 for 0.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Repr::Small(n) => u64::from(i64::BITS - n.unsigned_abs().leading_zeros()),
            Repr::Wide(n) => u64::from(i128::BITS - n.get().unsigned_abs().leading_zeros()),
            Repr::Big(n) => n.bits(),
        }
    }

    /// Bitwise and in two's complement of unlimited width.
    pub fn bit_and(&self, other: &Coeff) -> Coeff {
        match self.wide(other) {
            Some((a, b)) => Coeff::from(a & b),
            None => Coeff::from(self.to_big() & other.to_big()),
        }
    }

    /// Bitwise or in two's complement of unlimited width.
    pub fn bit_or(&self, other: &Coeff) -> Coeff {
        match self.wide(other) {
            Some((a, b)) => Coeff::from(a | b),
            None => Coeff::from(self.to_big() | other.to_big()),
        }
    }

    /// Bitwise exclusive or in two's complement of unlimited width.
    pub fn bit_xor(&self, other: &Coeff) -> Coeff {
        match self.wide(other) {
            Some((a, b)) => Coeff::from(a ^ b),
            None => Coeff::from(self.to_big() ^ other.to_big()),
        }
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Wide(n) => BigInt::from(n.get()),
            Repr::Big(n) => BigInt::clone(n),
        }
    }
}

impl From<BigInt> for Coeff {
    fn from(n: BigInt) -> Coeff {
        match n.to_i128() {
            Some(n) => Coeff::from(n),
            None => Coeff(Repr::Big(Box::new(n))),
        }
    }
}

impl From<i64> for Coeff {
    fn from(n: i64) -> Coeff {
        Coeff(Repr::Small(n))
    }
}

impl From<i32> for Coeff {
    fn from(n: i32) -> Coeff {
        Coeff::from(i64::from(n))
    }
}

impl From<u32> for Coeff {
    fn from(n: u32) -> Coeff {
        Coeff::from(i64::from(n))
    }
}

impl From<u64> for Coeff {
    fn from(n: u64) -> Coeff {
        Coeff::from(i128::from(n))
    }
}

impl From<i128> for Coeff {
    fn from(n: i128) -> Coeff {
        Coeff(i64::try_from(n).map_or_else(|_| Repr::Wide(Wide::new(n)), Repr::Small))
    }
}

/// Implements an operator for all mixes of values and references: words where the checked operation fits, else big integers.
macro_rules! operator {
    ($trait:ident, $method:ident, $checked:ident) => {
        impl $trait<&Coeff> for &Coeff {
            type Output = Coeff;
            fn $method(self, other: &Coeff) -> Coeff {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0)
                    && let Some(small) = a.$checked(*b)
                {
                    return Coeff::from(small);
                }
                if let Some((a, b)) = self.wide(other)
                    && let Some(wide) = a.$checked(b)
                {
                    return Coeff::from(wide);
                }
                Coeff::from(self.to_big().$method(other.to_big()))
            }
        }
        impl $trait<Coeff> for Coeff {
            type Output = Coeff;
            fn $method(self, other: Coeff) -> Coeff {
                (&self).$method(&other)
            }
        }
        impl $trait<&Coeff> for Coeff {
            type Output = Coeff;
            fn $method(self, other: &Coeff) -> Coeff {
                (&self).$method(other)
            }
        }
        impl $trait<Coeff> for &Coeff {
            type Output = Coeff;
            fn $method(self, other: Coeff) -> Coeff {
                self.$method(&other)
            }
        }
    };
}

operator!(Add, add, checked_add);
operator!(Sub, sub, checked_sub);
operator!(Mul, mul, checked_mul);

impl Neg for &Coeff {
    type Output = Coeff;
    fn neg(self) -> Coeff {
        match &self.0 {
            Repr::Small(n) if *n != i64::MIN => Coeff(Repr::Small(-n)),
            _ => &Coeff::ZERO - self,
        }
    }
}

impl Neg for Coeff {
    type Output = Coeff;
    fn neg(self) -> Coeff {
        -&self
    }
}

impl Ord for Coeff {
    fn cmp(&self, other: &Coeff) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            // What takes more words is further from 0 than any that takes less.
            (_, Repr::Big(_)) => 0.cmp(&other.signum()),
            (Repr::Big(_), _) => self.signum().cmp(&0),
            (Repr::Small(a), Repr::Wide(b)) => i128::from(*a).cmp(&b.get()),
            (Repr::Wide(a), Repr::Small(b)) => a.get().cmp(&i128::from(*b)),
            (Repr::Wide(a), Repr::Wide(b)) => a.get().cmp(&b.get()),
        }
    }
}

impl PartialOrd for Coeff {
    fn partial_cmp(&self, other: &Coeff) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Coeff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Wide(n) => n.get().fmt(f),
            Repr::Big(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Coeff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for Coeff {
    type Err = num_bigint::ParseBigIntError;
    fn from_str(text: &str) -> Result<Coeff, Self::Err> {
        text.parse::<BigInt>().map(Coeff::from)
    }
}

/// Powers with more bits than this are not computed.
const MAX_POWER_BITS: u64 = 4096;

/// The power, unless it has no value or too many bits.
pub(crate) fn power_of(base: &Coeff, exponent: &Coeff) -> Option<Coeff> {
    if exponent.is_negative() {
        return None;
    }
    if base.is_zero() || base.is_one() || *base == Coeff::MINUS_ONE {
        let is_odd = exponent.trailing_zeros() == Some(0);
        return Some(match exponent.is_zero() || (*base == Coeff::MINUS_ONE && !is_odd) {
            true => Coeff::ONE,
            false => base.clone(),
        });
    }
    let exponent = exponent.to_u64().filter(|&exponent| exponent.saturating_mul(base.bits()) <= MAX_POWER_BITS)?;
    let (mut power, mut square, mut left) = (Coeff::ONE, base.clone(), exponent);
    while left > 0 {
        if left % 2 == 1 {
            power = &power * &square;
        }
        square = &square * &square;
        left /= 2;
    }
    Some(power)
}

#[cfg(test)]
mod tests {
    use super::{Coeff, Repr};
    use num_bigint::BigInt;
    use num_integer::Integer;
    use num_traits::{One, Signed, Zero};

    /// Numbers around the ends of one and of two words, and some between.
    fn numbers() -> Vec<BigInt> {
        let near = |exponent: u32| (-2..=2).map(move |by| (BigInt::one() << exponent) + by);
        let positive: Vec<BigInt> = [0, 31, 62, 63, 64, 100, 126, 127, 128, 200].into_iter().flat_map(near).collect();
        let odd = positive.iter().map(|n| n * 15);
        let all: Vec<BigInt> = odd.chain(positive.iter().cloned()).collect();
        all.iter().map(|n| -n).chain(all.iter().cloned()).collect()
    }

    fn of(n: &BigInt) -> Coeff {
        Coeff::from(n.clone())
    }

    #[test]
    fn operations_are_those_of_big_integers() {
        let all = numbers();
        for a in &all {
            let x = of(a);
            assert_eq!((x.to_string(), x.bits(), -&x), (a.to_string(), a.bits(), of(&-a)));
            assert_eq!((x.signum() < 0, x.is_zero(), x.abs()), (a.is_negative(), a.is_zero(), of(&a.abs())));
            assert_eq!(
                (x.trailing_zeros(), x.to_i64(), x.to_u64()),
                (a.trailing_zeros(), i64::try_from(a).ok(), u64::try_from(a).ok())
            );
            for b in &all {
                let y = of(b);
                assert_eq!((&x + &y, &x - &y, &x * &y), (of(&(a + b)), of(&(a - b)), of(&(a * b))), "{a} {b}");
                assert_eq!((x.cmp(&y), x.gcd(&y)), (a.cmp(b), of(&a.gcd(b))), "{a} {b}");
                let bits = (x.bit_and(&y), x.bit_or(&y), x.bit_xor(&y));
                assert_eq!(bits, (of(&(a & b)), of(&(a | b)), of(&(a ^ b))), "{a} {b}");
                let quotient = (!b.is_zero()).then(|| of(&a.div_floor(b)));
                assert_eq!(x.div_floor(&y), quotient, "{a} {b}");
            }
        }
    }

    #[test]
    fn a_number_has_one_form() {
        for n in numbers() {
            let form = match of(&n).0 {
                Repr::Small(_) => 0,
                Repr::Wide(_) => 1,
                Repr::Big(_) => 2,
            };
            let least = if i64::try_from(&n).is_ok() {
                0
            } else if i128::try_from(&n).is_ok() {
                1
            } else {
                2
            };
            assert_eq!(form, least, "{n}");
            // By a way around.
            assert_eq!(&(&of(&n) + &Coeff::pow2(300)) - &Coeff::pow2(300), of(&n));
        }
    }
}
