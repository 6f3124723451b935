//! Numbers that may be known later.

use std::fmt;
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

use super::Form;
use super::range::Range;
use super::recording::{RECORDING, Recording};
use super::step::{Leaf, Place, Step, max, min};

/// A number, or a place in the form that is being recorded. Two are equal if they are the same number or the same place; whether two places have
/// the same value is not known.
///
/// What a number is made of decides which computation follows, and that is to be the same whether values are there yet: numbers that forms know only
/// later are [given](Num::given), and are not [known](Num::known).
#[derive(Clone, Copy, PartialEq)]
pub struct Num(Inner);

#[derive(Clone, Copy, PartialEq)]
enum Inner {
    /// The same at each launch.
    Known(f64),
    /// Of this launch; where it lies whatever the launch.
    Given(f64, Range),
    Later(Place),
}

/// Whether something holds, now or later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truth(Num);

/// Runs `work`, in which [`Num::leaf`] gives values that are known later: the form of the numbers that it returns, in that order, and what it
/// returns beside. It has no step that no result needs. What `work` records within `work` is a form of its own, of which no number
/// may leave it.
pub fn record<T, E>(work: impl FnOnce() -> Result<(Vec<Num>, T), E>) -> Result<(Form, T), E> {
    let around = RECORDING.replace(Some(Recording::default()));
    // A fault in `work` leaves a recording behind, which the next one replaces.
    let outcome = work().map(|(results, beside)| (results.into_iter().map(Num::place).collect::<Vec<Place>>(), beside));
    let recorded = RECORDING.replace(around).unwrap_or_default();
    let (results, beside) = outcome?;
    let form = Form { results, ..recorded.form };
    Ok((form.in_order(), beside))
}

fn recording<R>(work: impl FnOnce(&mut Recording) -> R) -> R {
    RECORDING.with_borrow_mut(|recording| work(recording.get_or_insert_default()))
}

impl Num {
    /// Nothing.
    pub const ZERO: Num = Num::new(0.0);
    /// One.
    pub const ONE: Num = Num::new(1.0);

    /// A number.
    pub const fn new(value: f64) -> Num {
        Num(Inner::Known(value))
    }

    /// The value that something has which forms know later.
    pub const fn given(value: f64) -> Num {
        Num(Inner::Given(value, Range::CAPTURED))
    }

    /// A value that is known later; only while a form is recorded.
    pub fn leaf(leaf: Leaf) -> Num {
        Num(Inner::Later(recording(|recording| recording.leaf(leaf))))
    }

    /// The number, if it is the same at each launch.
    pub const fn known(self) -> Option<f64> {
        match self.0 {
            Inner::Known(value) => Some(value),
            Inner::Given(..) | Inner::Later(_) => None,
        }
    }

    /// The number, if it is one.
    pub const fn now(self) -> Option<f64> {
        match self.0 {
            Inner::Known(value) | Inner::Given(value, _) => Some(value),
            Inner::Later(_) => None,
        }
    }

    /// The number; what is known later is no number.
    pub const fn get(self) -> f64 {
        match self.0 {
            Inner::Known(value) | Inner::Given(value, _) => value,
            Inner::Later(_) => f64::NAN,
        }
    }

    fn place(self) -> Place {
        match self.0 {
            Inner::Known(value) | Inner::Given(value, _) => recording(|recording| recording.constant(value)),
            Inner::Later(place) => place,
        }
    }

    /// What becomes of it, if it is a number: as known as it is.
    pub(crate) fn changed(self, now: impl FnOnce(f64) -> f64) -> Option<Num> {
        self.now().map(|_| self.then(now, |later| later))
    }

    /// What becomes of both, if they are numbers: as known as they are.
    pub(crate) fn together(self, other: Num, now: impl FnOnce(f64, f64) -> f64) -> Option<Num> {
        let number = now(self.now()?, other.now()?);
        let is_known = self.known().and(other.known()).is_some();
        Some(if is_known { Num::new(number) } else { Num(Inner::Given(number, Range::ANY)) })
    }

    /// The number that becomes of it, which is as known as it is.
    fn then(self, now: impl FnOnce(f64) -> f64, later: impl FnOnce(Num) -> Num) -> Num {
        match self.0 {
            Inner::Known(value) => Num::new(now(value)),
            Inner::Given(value, _) => Num(Inner::Given(now(value), Range::ANY)),
            Inner::Later(_) => later(self),
        }
    }

    fn with(self, other: Num, now: impl FnOnce(f64, f64) -> f64, later: impl FnOnce(Place, Place) -> Step) -> Num {
        match (self.0, other.0) {
            (Inner::Known(a), Inner::Known(b)) => Num::new(now(a, b)),
            (Inner::Known(a) | Inner::Given(a, _), Inner::Known(b) | Inner::Given(b, _)) => {
                let step = later(0, 1);
                let given = || Num(Inner::Given(now(a, b), Range::of(step, |at| [self, other][at as usize].range())));
                self.always(other, step).unwrap_or_else(given)
            }
            _ => Num::of(later(self.place(), other.place())),
        }
    }

    fn of(step: Step) -> Num {
        recording(|recording| {
            let place = recording.simplified(step);
            match recording.form.steps[place as usize] {
                Step::Constant(bits) => Num::new(f64::from_bits(bits)),
                _ => Num(Inner::Later(place)),
            }
        })
    }

    /// Where it lies, if it is a number.
    fn range(self) -> Range {
        match self.0 {
            Inner::Known(value) => Range { low: value, high: value },
            Inner::Given(_, range) => range,
            Inner::Later(_) => Range::ANY,
        }
    }

    /// What a step of two numbers gives at any launch, so that forms leave it out: as [`Recording::simplified`] does.
    fn always(self, other: Num, step: Step) -> Option<Num> {
        let is = |one: Num, value: f64| one.known() == Some(value);
        let is_below = |low: Num, high: Num| low.range().high <= high.range().low;
        match step {
            Step::Multiply(..) | Step::And(..) if is(self, 0.0) || is(other, 0.0) => Some(Num::ZERO),
            Step::Divide(..) if is(self, 0.0) => Some(Num::ZERO),
            Step::Or(..) if is(self, 1.0) || is(other, 1.0) => Some(Num::ONE),
            Step::Min(..) if is_below(self, other) => Some(self),
            Step::Min(..) if is_below(other, self) => Some(other),
            Step::Max(..) if is_below(self, other) => Some(other),
            Step::Max(..) if is_below(other, self) => Some(self),
            Step::Less(..) if is_below(other, self) => Some(Num::ZERO),
            Step::Less(..) if self.range().high < other.range().low => Some(Num::ONE),
            _ => None,
        }
    }

    /// The smaller one.
    pub fn min(self, other: impl Into<Num>) -> Num {
        self.with(other.into(), min, Step::Min)
    }

    /// The larger one.
    pub fn max(self, other: impl Into<Num>) -> Num {
        self.with(other.into(), max, Step::Max)
    }

    /// Not below `low`, and not above `high`, which counts where `low` is above it.
    pub fn clamp(self, low: impl Into<Num>, high: impl Into<Num>) -> Num {
        self.max(low).min(high)
    }

    /// The largest whole number that is not above.
    pub fn floor(self) -> Num {
        match self.0 {
            Inner::Given(value, _) => Num(Inner::Given(value.floor(), Range::of(Step::Floor(0), |_| self.range()))),
            _ => self.then(f64::floor, |later| Num::of(Step::Floor(later.place()))),
        }
    }

    /// The smallest whole number that is not below.
    pub fn ceil(self) -> Num {
        self.then(f64::ceil, |later| -(-later).floor())
    }

    /// Without what is behind the point.
    pub fn trunc(self) -> Num {
        self.then(f64::trunc, |later| later.less(0.0).choose(later.ceil(), later.floor()))
    }

    /// Without its sign.
    pub fn abs(self) -> Num {
        self.then(f64::abs, |later| later.max(-later))
    }

    /// A whole power that is not negative.
    pub fn powi(self, power: u32) -> Num {
        self.then(|value| value.powi(power as i32), |later| (0..power).map(|_| later).product())
    }

    /// How often a number from 1 to 2^32 is halved until it is 1; 0 below. What is known later is interpolated between powers of two, no more than 0.001 off.
    pub fn log2(self) -> Num {
        self.then(|value| value.max(1.0).log2(), Num::log2_later)
    }

    fn log2_later(self) -> Num {
        let mut left = self.max(1.0);
        let mut halvings = Num::ZERO;
        for bits in [16.0, 8.0, 4.0, 2.0, 1.0_f64] {
            let is_above = left.at_least(bits.exp2());
            halvings += is_above.number() * bits;
            left = is_above.choose(left * (-bits).exp2(), left);
        }
        // A cubic that is right at 1 and at 2.
        let above = left - 1.0;
        halvings + above + above * (1.0 - above) * (0.422 - 0.158 * above)
    }

    /// 2 to the power of a number from 0 to 32. What is known later is interpolated between powers of two, no more than 0.4 % off.
    pub fn exp2(self) -> Num {
        self.then(f64::exp2, Num::exp2_later)
    }

    fn exp2_later(self) -> Num {
        let (mut left, mut power) = (self.clamp(0.0, 32.0), Num::ONE);
        for bits in [16.0, 8.0, 4.0, 2.0, 1.0_f64] {
            let is_above = left.at_least(bits);
            power = is_above.choose(power * bits.exp2(), power);
            left = is_above.choose(left - bits, left);
        }
        power * (left * (left + 2.0) * (1.0 / 3.0) + 1.0)
    }

    /// The root of a number from 1 to 2^32, at most 0.2 % above; 1 below. What is known later begins with a power of two, and Newton's step.
    pub fn root(self) -> Num {
        self.then(|value| value.max(1.0).sqrt(), Num::root_later)
    }

    fn root_later(self) -> Num {
        let number = self.max(1.0);
        let (mut left, mut root) = (number, Num::ONE);
        for bits in [16.0, 8.0, 4.0, 2.0_f64] {
            let is_above = left.at_least(bits.exp2());
            root = is_above.choose(root * (bits / 2.0).exp2(), root);
            left = is_above.choose(left * (-bits).exp2(), left);
        }
        // A line through 1 and 2 is nowhere further than 6 % from the root.
        let near = root * (left + 2.0) / 3.0;
        (near + number / near) / 2.0
    }

    /// The quotient of whole numbers, rounded up.
    pub fn div_ceil(self, divisor: impl Into<Num>) -> Num {
        let divisor = divisor.into();
        // A division by what machines know becomes a product, whose rounding must not lead beyond a whole number.
        let later = || ((self - 1.0) / divisor).floor() + 1.0;
        self.together(divisor, |dividend, divisor| (dividend / divisor).ceil()).unwrap_or_else(later)
    }

    /// Whether it is less.
    pub fn less(self, other: impl Into<Num>) -> Truth {
        let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
        Truth(self.with(other.into(), |a, b| truth(a < b), Step::Less))
    }

    /// Whether it is more.
    pub fn more(self, other: impl Into<Num>) -> Truth {
        other.into().less(self)
    }

    /// Whether it is not more.
    pub fn at_most(self, other: impl Into<Num>) -> Truth {
        !self.more(other)
    }

    /// Whether it is not less.
    pub fn at_least(self, other: impl Into<Num>) -> Truth {
        !self.less(other)
    }

    /// Whether both are the same number.
    pub fn is(self, other: impl Into<Num>) -> Truth {
        let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
        Truth(self.with(other.into(), |a, b| truth(a == b), Step::Equal))
    }
}

impl Truth {
    /// It holds.
    pub const ALWAYS: Truth = Truth(Num::ONE);
    /// It does not hold.
    pub const NEVER: Truth = Truth(Num::ZERO);

    /// Whether it holds, if that is known.
    pub fn known(self) -> Option<bool> {
        self.0.known().map(|value| value != 0.0)
    }

    /// Whether it holds, if that can be said now.
    pub fn now(self) -> Option<bool> {
        self.0.now().map(|value| value != 0.0)
    }

    /// The first if it holds, else the other.
    pub fn choose(self, then: impl Into<Num>, otherwise: impl Into<Num>) -> Num {
        let (then, otherwise) = (then.into(), otherwise.into());
        let of = || Range::of(Step::Choose(0, 1, 2), |at| [self.0, then, otherwise][at as usize].range());
        match (self.now(), self.known()) {
            (Some(true), Some(_)) => then,
            (Some(false), Some(_)) => otherwise,
            // Which one it is is of this launch, if there are two.
            (Some(_), None) if then == otherwise => then,
            (Some(holds), None) => match if holds { then } else { otherwise }.0 {
                Inner::Known(value) | Inner::Given(value, _) => Num(Inner::Given(value, of())),
                Inner::Later(place) => Num(Inner::Later(place)),
            },
            (None, _) => Num::of(Step::Choose(self.0.place(), then.place(), otherwise.place())),
        }
    }

    /// 1 if it holds, else 0.
    pub fn number(self) -> Num {
        self.choose(1.0, 0.0)
    }

    /// Whether both hold.
    pub fn and(self, other: Truth) -> Truth {
        Truth(self.0.with(other.0, |a, b| a * b, Step::And))
    }

    /// Whether one holds.
    pub fn or(self, other: Truth) -> Truth {
        Truth(self.0.with(other.0, f64::max, Step::Or))
    }
}

impl std::ops::Not for Truth {
    type Output = Truth;
    fn not(self) -> Truth {
        Truth(self.0.then(|value| 1.0 - value, |later| Num::of(Step::Not(later.place()))))
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Truth {
        if holds { Truth::ALWAYS } else { Truth::NEVER }
    }
}

impl From<f64> for Num {
    fn from(value: f64) -> Num {
        Num::new(value)
    }
}

impl From<u64> for Num {
    fn from(value: u64) -> Num {
        Num::new(value as f64)
    }
}

impl From<u32> for Num {
    fn from(value: u32) -> Num {
        Num::new(f64::from(value))
    }
}

impl Default for Num {
    fn default() -> Num {
        Num::ZERO
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $now:expr, $step:ident) => {
        impl<T: Into<Num>> $trait<T> for Num {
            type Output = Num;
            fn $method(self, other: T) -> Num {
                self.with(other.into(), $now, Step::$step)
            }
        }

        impl $trait<Num> for f64 {
            type Output = Num;
            fn $method(self, other: Num) -> Num {
                Num::new(self).$method(other)
            }
        }
    };
}
operator!(Add, add, |a, b| a + b, Add);
operator!(Sub, sub, |a, b| a - b, Subtract);
operator!(Mul, mul, |a, b| a * b, Multiply);
operator!(Div, div, |a, b| a / b, Divide);

impl Neg for Num {
    type Output = Num;
    fn neg(self) -> Num {
        self.then(|value| -value, |later| later * -1.0)
    }
}

impl<T: Into<Num>> AddAssign<T> for Num {
    fn add_assign(&mut self, other: T) {
        *self = *self + other;
    }
}

impl<T: Into<Num>> MulAssign<T> for Num {
    fn mul_assign(&mut self, other: T) {
        *self = *self * other;
    }
}

impl Sum for Num {
    fn sum<I: Iterator<Item = Num>>(all: I) -> Num {
        all.fold(Num::ZERO, |sum, one| sum + one)
    }
}

impl Product for Num {
    fn product<I: Iterator<Item = Num>>(all: I) -> Num {
        all.fold(Num::ONE, |product, one| product * one)
    }
}

impl fmt::Debug for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Inner::Known(value) | Inner::Given(value, _) => value.fmt(f),
            Inner::Later(place) => write!(f, "t{place}"),
        }
    }
}

impl fmt::Display for Num {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Inner::Known(value) | Inner::Given(value, _) => value.fmt(f),
            Inner::Later(place) => write!(f, "t{place}"),
        }
    }
}
