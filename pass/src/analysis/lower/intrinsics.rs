//! LLVM's integer intrinsics: minima, maxima, saturating and checked arithmetic as algebra; of the others, that they are equal where their
//! operands are, and their ranges.

use super::{Guarantees, Lowered, Lowering};
use crate::openmp;
use ipda_llvm::{BlockId, Value};
use ipda_symbolic::{Interval, OpaqueOp, Polynomial, Signedness};

impl Lowering<'_> {
    /// The result of an intrinsic, by its name. None for other functions.
    pub(super) fn integer_intrinsic(&mut self, name: &str, value: Value, bits: u32, block: BlockId) -> Option<Lowered> {
        let words: Vec<&str> = name.strip_prefix("llvm.")?.split('.').collect();
        let signedness = match words[0].chars().next()? {
            'u' => Signedness::Unsigned,
            _ => Signedness::Signed,
        };
        let width = Interval::of_width(bits, signedness);
        match words[..] {
            ["smax" | "smin" | "umax" | "umin", _] => {
                let op = if words[0].ends_with("max") { OpaqueOp::Max } else { OpaqueOp::Min };
                let (a, b, rests_on) = self.two_arguments(value, signedness, block);
                let result = self.space.op(op, vec![a, b]);
                Some(self.in_width(result, bits, signedness, rests_on))
            }
            ["abs", _] => {
                let (a, mut rests_on) = self.exact_at(value.operand(0), Signedness::Signed, block);
                let least_is_poison = value.operand(1).as_int().is_some_and(|flag| flag != 0);
                let result = self.space.op(OpaqueOp::Max, vec![a.clone(), -&a]);
                let unsigned = self.exact_unsigned(result, bits, rests_on);
                let highest = Interval::of_width(bits, Signedness::Signed);
                let fits = self.space.range(&unsigned.value).is_within(&highest);
                rests_on.no_signed_wrap |= least_is_poison && !fits;
                Some(Lowered { signed: fits || least_is_poison, rests_on, ..unsigned })
            }
            ["sadd" | "uadd" | "ssub" | "usub", "sat", _] => {
                let (a, b, rests_on) = self.two_arguments(value, signedness, block);
                let result = if words[0].ends_with("add") { &a + &b } else { &a - &b };
                let (low, high) = (width.low()?.clone(), width.high()?.clone());
                let result = self.space.op(OpaqueOp::Max, vec![result, Polynomial::from(low)]);
                let result = self.space.op(OpaqueOp::Min, vec![result, Polynomial::from(high)]);
                Some(self.in_width(result, bits, signedness, rests_on))
            }
            ["ctpop" | "ctlz" | "cttz", _] => {
                let at_most_all = Interval::between(0, i64::from(bits));
                let range = self.value_range(value, bits).intersect(&at_most_all).unwrap_or(at_most_all);
                Some(self.unknown_in(value, bits, range))
            }
            _ if openmp::is_pure_intrinsic(name) => Some(self.unknown(value, bits)),
            _ => None,
        }
    }

    /// One part of what an addition, subtraction or multiplication with a check for overflow gives: the result, or whether it overflowed.
    pub(super) fn checked_part(&mut self, value: Value, bits: u32, block: BlockId) -> Option<Lowered> {
        let call = value.operand(0);
        let name = call.callee()?.name();
        let words: Vec<&str> = name.strip_prefix("llvm.")?.split('.').collect();
        let ["sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul", "with", "overflow", _] = words[..] else {
            return None;
        };
        let (sign, operation) = words[0].split_at(1);
        let signedness = if sign == "s" { Signedness::Signed } else { Signedness::Unsigned };
        let width = self.bits(call.operand(0))?;
        let (a, b, rests_on) = self.two_arguments(call, signedness, block);
        let result = match operation {
            "add" => &a + &b,
            "sub" => &a - &b,
            _ => self.space.product(&a, &b)?,
        };
        match value.extracted_part()? {
            0 => Some(self.residue(self.space.congruent(bits, &result), bits, rests_on)),
            1 => {
                let range = Interval::of_width(width, signedness);
                let above = self.space.nonneg(&(&result - &Polynomial::from(range.low()?.clone())));
                let below = self.space.nonneg(&(&Polynomial::from(range.high()?.clone()) - &result));
                let fits = self.space.product(&above, &below)?;
                let overflows = self.space.not(&fits);
                Some(self.exact_unsigned(overflows, 1, rests_on))
            }
            _ => None,
        }
    }

    fn two_arguments(
        &mut self,
        call: Value,
        signedness: Signedness,
        block: BlockId,
    ) -> (Polynomial, Polynomial, Guarantees) {
        let (a, on_a) = self.exact_at(call.operand(0), signedness, block);
        let (b, on_b) = self.exact_at(call.operand(1), signedness, block);
        (a, b, on_a.and(on_b))
    }

    fn in_width(&self, value: Polynomial, bits: u32, signedness: Signedness, rests_on: Guarantees) -> Lowered {
        let lowered = match signedness {
            Signedness::Signed => self.exact_signed(value, bits, rests_on),
            Signedness::Unsigned => self.exact_unsigned(value, bits, rests_on),
        };
        self.settled(lowered)
    }
}
