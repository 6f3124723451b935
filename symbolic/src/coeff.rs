//! Exact integers: machine words as long as they fit, big integers beyond.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// An exact integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Coeff(Repr);

// Invariant: `Small` whenever the value fits, so that derived equality is equality of values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    // Rare, and not to make words larger.
    Big(Box<BigInt>),
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
        if exponent < i64::BITS - 1 { Coeff::from(1_i64 << exponent) } else { Coeff::from(BigInt::one() << exponent) }
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
            Repr::Big(_) => None,
        }
    }

    /// The value as an unsigned machine integer, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(n) => u64::try_from(*n).ok(),
            Repr::Big(n) => n.to_u64(),
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
            _ => Coeff::from(self.to_big().gcd(&other.to_big())),
        }
    }

    /// How often 2 divides the value; `None` for 0.
    pub fn trailing_zeros(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(0) => None,
            Repr::Small(n) => Some(u64::from(n.trailing_zeros())),
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
            Repr::Big(n) => n.bits(),
        }
    }

    /// Bitwise and in two's complement of unlimited width.
    pub fn bit_and(&self, other: &Coeff) -> Coeff {
        Coeff::from(self.to_big() & other.to_big())
    }

    /// Bitwise or in two's complement of unlimited width.
    pub fn bit_or(&self, other: &Coeff) -> Coeff {
        Coeff::from(self.to_big() | other.to_big())
    }

    /// Bitwise exclusive or in two's complement of unlimited width.
    pub fn bit_xor(&self, other: &Coeff) -> Coeff {
        Coeff::from(self.to_big() ^ other.to_big())
    }

    fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Big(n) => BigInt::clone(n),
        }
    }
}

impl From<BigInt> for Coeff {
    fn from(n: BigInt) -> Coeff {
        match n.to_i64() {
            Some(small) => Coeff(Repr::Small(small)),
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
        match i64::try_from(n) {
            Ok(small) => Coeff::from(small),
            Err(_) => Coeff(Repr::Big(Box::new(BigInt::from(n)))),
        }
    }
}

impl From<i128> for Coeff {
    fn from(n: i128) -> Coeff {
        Coeff::from(BigInt::from(n))
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
            // What is no word is further from 0 than any.
            (Repr::Small(_), Repr::Big(_)) => 0.cmp(&other.signum()),
            (Repr::Big(_), Repr::Small(_)) => self.signum().cmp(&0),
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
