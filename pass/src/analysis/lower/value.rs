//! A value as a polynomial, and what of the language makes it one.

use ipda_symbolic::{Polynomial, Signedness};

/// Language guarantees that a value rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Guarantees {
    /// Signed overflow is undefined.
    pub no_signed_wrap: bool,
    /// The compiler marked an unsigned operation as free of overflow.
    pub no_unsigned_wrap: bool,
    /// A shift by the width or more is undefined.
    pub shift_within_width: bool,
    /// The compiler marked an operation as one on bits that are not set in both operands.
    pub disjoint_bits: bool,
    /// The compiler marked a value as not negative.
    pub not_negative: bool,
    /// A loop that does nothing that others see must end.
    pub loops_end: bool,
    /// Addresses marked `inbounds` stay in their objects.
    pub inbounds: bool,
    /// What the program asks the compiler to assume.
    pub assumed: bool,
}

impl Guarantees {
    pub(crate) fn and(self, other: Guarantees) -> Guarantees {
        Guarantees {
            no_signed_wrap: self.no_signed_wrap || other.no_signed_wrap,
            no_unsigned_wrap: self.no_unsigned_wrap || other.no_unsigned_wrap,
            shift_within_width: self.shift_within_width || other.shift_within_width,
            disjoint_bits: self.disjoint_bits || other.disjoint_bits,
            not_negative: self.not_negative || other.not_negative,
            loops_end: self.loops_end || other.loops_end,
            inbounds: self.inbounds || other.inbounds,
            assumed: self.assumed || other.assumed,
        }
    }
}

/// An integer or pointer value as a polynomial.
#[derive(Debug, Clone)]
pub(crate) struct Lowered {
    /// Congruent to the value modulo 2^bits.
    pub value: Polynomial,
    pub bits: u32,
    /// `value` is the two's complement value.
    pub signed: bool,
    /// `value` is the unsigned value.
    pub unsigned: bool,
    pub rests_on: Guarantees,
}

impl Lowered {
    /// Whether `value` is the value read with a sign, or without one.
    pub(super) fn is_exact(&self, signedness: Signedness) -> bool {
        match signedness {
            Signedness::Signed => self.signed,
            Signedness::Unsigned => self.unsigned,
        }
    }
}
