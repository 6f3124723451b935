//! Numbers that know what they measure: bytes over a rate are a time, bytes and cycles have no sum.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $name(f64);

        impl $name {
            /// None of it.
            pub const ZERO: $name = $name(0.0);

            /// This many.
            pub const fn new(value: f64) -> $name {
                $name(value)
            }

            /// The number alone.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// The larger of both.
            pub fn max(self, other: $name) -> $name {
                $name(self.0.max(other.0))
            }

            /// The smaller of both.
            pub fn min(self, other: $name) -> $name {
                $name(self.0.min(other.0))
            }
        }

        impl Add for $name {
            type Output = $name;
            fn add(self, other: $name) -> $name {
                $name(self.0 + other.0)
            }
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                self.0 += other.0;
            }
        }

        impl Sum for $name {
            fn sum<I: Iterator<Item = $name>>(all: I) -> $name {
                $name(all.map(|one| one.0).sum())
            }
        }

        impl Mul<f64> for $name {
            type Output = $name;
            fn mul(self, factor: f64) -> $name {
                $name(self.0 * factor)
            }
        }

        impl Div<f64> for $name {
            type Output = $name;
            fn div(self, divisor: f64) -> $name {
                $name(self.0 / divisor)
            }
        }

        impl Div for $name {
            type Output = f64;
            fn div(self, other: $name) -> f64 {
                self.0 / other.0
            }
        }
    };
}

macro_rules! quotient {
    ($dividend:ident / $divisor:ident = $quotient:ident) => {
        impl Div<$divisor> for $dividend {
            type Output = $quotient;
            fn div(self, divisor: $divisor) -> $quotient {
                $quotient(self.0 / divisor.0)
            }
        }
    };
}

quantity!(
    /// Time by a processor's clock.
    Cycles
);
quantity!(
    /// Time.
    Seconds
);
quantity!(
    /// Amounts of data.
    Bytes
);
quantity!(
    /// Cycles a second.
    Hertz
);
quantity!(
    /// Data over time.
    BytesPerSecond
);
quantity!(
    /// Data over a processor's time.
    BytesPerCycle
);

quotient!(Cycles / Hertz = Seconds);
quotient!(Bytes / BytesPerSecond = Seconds);
quotient!(Bytes / BytesPerCycle = Cycles);

impl Mul<Hertz> for Seconds {
    type Output = Cycles;
    fn mul(self, clock: Hertz) -> Cycles {
        Cycles(self.0 * clock.0)
    }
}

impl Mul<Hertz> for BytesPerCycle {
    type Output = BytesPerSecond;
    fn mul(self, clock: Hertz) -> BytesPerSecond {
        BytesPerSecond(self.0 * clock.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_have_the_unit_that_they_should() {
        assert_eq!(Cycles::new(3e9) / Hertz::new(1.5e9), Seconds::new(2.0));
        assert_eq!(Bytes::new(900.0) / BytesPerSecond::new(9.0), Seconds::new(100.0));
        assert_eq!(Bytes::new(128.0) / BytesPerCycle::new(64.0), Cycles::new(2.0));
        assert_eq!(Seconds::new(2.0) * Hertz::new(4.0), Cycles::new(8.0));
        assert_eq!(BytesPerCycle::new(2.0) * Hertz::new(4.0), BytesPerSecond::new(8.0));
        assert_eq!([Bytes::new(1.0), Bytes::new(2.0)].into_iter().sum::<Bytes>(), Bytes::new(3.0));
    }
}
