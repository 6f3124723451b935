//! Between what values a step's result lies: what need not be compared.

use super::step::{Leaf, Step};

/// The least and the largest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Range {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// What machines and programs know is below that: integers of 64 bits, and what models believe of machines.
const LARGEST_CAPTURED: f64 = 18_446_744_073_709_551_616.0;
const LARGEST_OF_MACHINE: f64 = 1e30;

impl Range {
    pub(super) const ANY: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY };
    /// Of what programs know.
    pub(super) const CAPTURED: Range = Range { low: -LARGEST_CAPTURED, high: LARGEST_CAPTURED };
    const TRUTH: Range = Range { low: 0.0, high: 1.0 };

    pub(super) fn of_leaf(leaf: &Leaf) -> Range {
        match leaf {
            Leaf::Machine(_) => Range { low: 0.0, high: LARGEST_OF_MACHINE },
            Leaf::Captured(_) | Leaf::HostThreads => Range::CAPTURED,
        }
    }

    pub(super) fn of(step: Step, of: impl Fn(u32) -> Range) -> Range {
        match step {
            Step::Constant(bits) => {
                let value = f64::from_bits(bits);
                Range { low: value, high: value }
            }
            Step::Leaf(_) => Range::ANY,
            Step::Add(a, b) => Range::of_ends([of(a).low + of(b).low, of(a).high + of(b).high]),
            Step::Subtract(a, b) => Range::of_ends([of(a).low - of(b).high, of(a).high - of(b).low]),
            Step::Multiply(a, b) => {
                let (a, b) = (of(a), of(b));
                // What is not bounded, times 0, is 0, as all values are finite.
                let times = |a: f64, b: f64| if a == 0.0 || b == 0.0 { 0.0 } else { a * b };
                Range::of_ends([times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)])
            }
            Step::Divide(a, b) => {
                let (a, b) = (of(a), of(b));
                match b.low {
                    low if low > 0.0 => Range::of_ends([a.low / low, a.low / b.high, a.high / low, a.high / b.high]),
                    low if low >= 0.0 && a.low >= 0.0 => Range { low: 0.0, ..Range::ANY },
                    _ => Range::ANY,
                }
            }
            Step::Min(a, b) => Range { low: of(a).low.min(of(b).low), high: of(a).high.min(of(b).high) },
            Step::Max(a, b) => Range { low: of(a).low.max(of(b).low), high: of(a).high.max(of(b).high) },
            Step::Floor(a) => Range { low: of(a).low.floor(), high: of(a).high.floor() },
            Step::Less(..) | Step::Equal(..) | Step::And(..) | Step::Or(..) | Step::Not(_) => Range::TRUTH,
            Step::Choose(_, b, c) => Range { low: of(b).low.min(of(c).low), high: of(b).high.max(of(c).high) },
        }
    }

    fn of_ends<const N: usize>(ends: [f64; N]) -> Range {
        if ends.iter().any(|end| end.is_nan()) {
            return Range::ANY;
        }
        Range {
            low: ends.into_iter().fold(f64::INFINITY, f64::min),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
