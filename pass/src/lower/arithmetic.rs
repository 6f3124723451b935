//! Integer instructions and intrinsics: ring operations stay polynomials, divisions and comparisons need exact
//! operands.

use super::predicate::signedness;
use super::{Guarantees, Lowered, Lowering};
use crate::cfg::BlockId;
use crate::ir::{IntPredicate, Opcode, Value};
use ipda_symbolic::{Coeff, Facts, OpaqueOp, Polynomial, Signedness, Space};

impl Lowering<'_> {
    pub(super) fn arithmetic(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        self.checked_arithmetic(value, bits, block, a, b, |space, a, b| match opcode {
            Opcode::LLVMAdd => Some(a + b),
            Opcode::LLVMSub => Some(a - b),
            _ => space.product(a, b),
        })
    }

    /// Shifts by a constant amount: multiplication, or flooring division, by a power of two.
    pub(super) fn shift(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let Some(amount) = self.shift_amount(value, bits) else { return self.unknown(value, bits) };
        let factor = Polynomial::from(Coeff::pow2(amount));
        if opcode == Opcode::LLVMShl {
            if amount + 1 == bits {
                // 2^(bits-1) is no signed number of this width, so the mark `nsw` would not be that of a product.
                return self.unknown(value, bits);
            }
            let operand = self.value_at(value.operand(0), block);
            let constant = self.exact_unsigned(factor, bits, Guarantees::default());
            return self.checked_arithmetic(value, bits, block, operand, constant, |space, a, b| space.product(a, b));
        }
        let signedness = if opcode == Opcode::LLVMLShr { Signedness::Unsigned } else { Signedness::Signed };
        let (operand, rests_on) = self.exact_at(value.operand(0), signedness, block);
        let quotient = self.space.floor_div(&operand, &factor, &Facts::none());
        match signedness {
            Signedness::Signed => self.exact_signed(quotient, bits, rests_on),
            Signedness::Unsigned => self.exact_unsigned(quotient, bits, rests_on),
        }
    }

    /// The constant amount of a shift, if it is less than the width.
    fn shift_amount(&self, value: Value, bits: u32) -> Option<u32> {
        value.operand(1).as_int().filter(|amount| (0..i64::from(bits)).contains(amount)).map(|amount| amount as u32)
    }

    fn checked_arithmetic(
        &mut self,
        value: Value,
        bits: u32,
        block: BlockId,
        a: Lowered,
        b: Lowered,
        combine: impl Fn(&mut Space, &Polynomial, &Polynomial) -> Option<Polynomial>,
    ) -> Lowered {
        let rests_on = a.rests_on.and(b.rests_on);
        // Below 64 bits the result is likely to be widened, where only an exact value helps; addresses are residues
        // anyway.
        let signed = value.has_nsw() && (bits < 64 || (a.signed && b.signed));
        let unsigned = value.has_nuw() && (bits < 64 || (a.unsigned && b.unsigned));
        let (left, right) = if signed {
            (self.exact_in(&a, Signedness::Signed, block), self.exact_in(&b, Signedness::Signed, block))
        } else if unsigned {
            (self.exact_in(&a, Signedness::Unsigned, block), self.exact_in(&b, Signedness::Unsigned, block))
        } else {
            (a.value.clone(), b.value.clone())
        };
        let Some(result) = combine(&mut self.space, &left, &right) else {
            return self.unknown(value, bits);
        };
        let mut lowered = self.residue(result, bits, rests_on);
        if signed && !lowered.signed {
            lowered.signed = true;
            lowered.rests_on.no_signed_wrap = true;
        }
        if unsigned && !signed && !lowered.unsigned {
            lowered.unsigned = true;
            lowered.rests_on.no_unsigned_wrap = true;
        }
        if !lowered.signed && !lowered.unsigned {
            let value = self.space.congruent(bits, &lowered.value);
            let facts = self.facts_at(block);
            lowered = self.residue_under(value, bits, rests_on, &facts);
        }
        lowered
    }

    pub(super) fn division(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        use Opcode::*;
        let is_signed = matches!(opcode, LLVMSDiv | LLVMSRem);
        let quotient_wanted = matches!(opcode, LLVMSDiv | LLVMUDiv);
        let signedness = if is_signed { Signedness::Signed } else { Signedness::Unsigned };
        let (a, on_a) = self.exact_at(value.operand(0), signedness, block);
        let (b, on_b) = self.exact_at(value.operand(1), signedness, block);
        let facts = self.facts_at(block);
        let one = Polynomial::from(1);
        // Truncating division is flooring division where the dividend is not negative and the divisor positive. For
        // unsigned operands a divisor of zero is undefined, so it is at least one.
        let floors = !is_signed
            || b.as_constant().is_some_and(|b| b.is_one())
            || (self.space.prove_nonneg(&a, &facts).is_yes() && self.space.prove_nonneg(&(&b - &one), &facts).is_yes());
        let result = if floors {
            let quotient = self.space.floor_div(&a, &b, &facts);
            if quotient_wanted { Some(quotient) } else { self.space.product(&quotient, &b).map(|whole| &a - &whole) }
        } else {
            let op = if quotient_wanted { OpaqueOp::TruncDiv } else { OpaqueOp::TruncRem };
            Some(self.space.op(op, vec![a, b]))
        };
        match result {
            None => self.unknown(value, bits),
            Some(result) if is_signed => self.exact_signed(result, bits, on_a.and(on_b)),
            Some(result) => self.exact_unsigned(result, bits, on_a.and(on_b)),
        }
    }

    pub(super) fn bitwise(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        let rests_on = a.rests_on.and(b.rests_on);
        if bits == 1 {
            let Some(both) = self.space.product(&a.value, &b.value) else { return self.unknown(value, 1) };
            let result = match opcode {
                Opcode::LLVMAnd => both,
                Opcode::LLVMOr => &(&a.value + &b.value) - &both,
                _ => &(&a.value + &b.value) - &both.scale(&Coeff::from(2)),
            };
            return self.exact_unsigned(result, 1, rests_on);
        }
        if opcode == Opcode::LLVMOr && value.is_disjoint() {
            return self.residue(&a.value + &b.value, bits, rests_on);
        }
        let op = match opcode {
            Opcode::LLVMAnd => OpaqueOp::And,
            Opcode::LLVMOr => OpaqueOp::Or,
            _ => OpaqueOp::Xor,
        };
        let (a, b) = (self.exact(&a, Signedness::Unsigned), self.exact(&b, Signedness::Unsigned));
        let result = self.space.op(op, vec![a, b]);
        self.exact_unsigned(result, bits, rests_on)
    }

    pub(super) fn truncate(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let operand = value.operand(0);
        // clang passes a captured scalar as a 64-bit argument; its low bits are the variable.
        if operand.is_argument() && bits > 1 {
            return self.captured_scalar(value, operand, bits);
        }
        let lowered = self.value_at(operand, block);
        if bits == 1 && self.fits(&lowered.value, 1, Signedness::Unsigned) {
            return self.exact_unsigned(lowered.value, 1, lowered.rests_on);
        }
        let value = self.space.congruent(bits, &lowered.value);
        if bits == 1 && !self.fits(&value, 1, Signedness::Unsigned) {
            let bit = self.space.wrap(Signedness::Unsigned, 1, &value);
            return self.exact_unsigned(bit, 1, lowered.rests_on);
        }
        let facts = self.facts_at(block);
        self.residue_under(value, bits, lowered.rests_on, &facts)
    }

    pub(super) fn extend(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let operand = value.operand(0);
        if opcode == Opcode::LLVMZExt {
            let signedness = if value.has_nneg() { Signedness::Signed } else { Signedness::Unsigned };
            let (natural, rests_on) = self.exact_at(operand, signedness, block);
            return self.exact_unsigned(natural, bits, rests_on);
        }
        // A condition is 0 or 1 in the algebra, and its sign is that one bit.
        let (integer, rests_on) = match self.bits(operand) {
            Some(1) => {
                let lowered = self.value_at(operand, block);
                (-&lowered.value, lowered.rests_on)
            }
            _ => self.exact_at(operand, Signedness::Signed, block),
        };
        self.exact_signed(integer, bits, rests_on)
    }

    pub(super) fn comparison(&mut self, value: Value, block: BlockId) -> Lowered {
        let (left, right) = (value.operand(0), value.operand(1));
        if self.bits(left).is_none() {
            return self.unknown(value, 1);
        }
        use IntPredicate::*;
        let predicate = value.int_predicate();
        let is_natural =
            signedness(predicate) == Some(Signedness::Unsigned) || self.bits(left) == Some(1) || left.ty().is_pointer();
        let reading = if is_natural { Signedness::Unsigned } else { Signedness::Signed };
        let (a, on_a) = self.exact_at(left, reading, block);
        let (b, on_b) = self.exact_at(right, reading, block);
        let difference = &a - &b;
        let one = Polynomial::from(1);
        let result = match predicate {
            LLVMIntEQ => self.space.zero(&difference),
            LLVMIntNE => {
                let equal = self.space.zero(&difference);
                self.space.not(&equal)
            }
            LLVMIntSGE | LLVMIntUGE => self.space.nonneg(&difference),
            LLVMIntSLE | LLVMIntULE => self.space.nonneg(&-&difference),
            LLVMIntSGT | LLVMIntUGT => self.space.nonneg(&(&difference - &one)),
            LLVMIntSLT | LLVMIntULT => self.space.nonneg(&(&-&difference - &one)),
        };
        self.exact_unsigned(result, 1, on_a.and(on_b))
    }

    /// A minimum, maximum or absolute value, by the name of LLVM's intrinsic. None for other functions.
    pub(super) fn integer_intrinsic(&mut self, name: &str, value: Value, bits: u32, block: BlockId) -> Option<Lowered> {
        let (op, signedness) = match name.strip_prefix("llvm.")?.split_once('.')?.0 {
            "smax" => (OpaqueOp::Max, Signedness::Signed),
            "smin" => (OpaqueOp::Min, Signedness::Signed),
            "umax" => (OpaqueOp::Max, Signedness::Unsigned),
            "umin" => (OpaqueOp::Min, Signedness::Unsigned),
            "abs" => {
                let (a, rests_on) = self.exact_at(value.operand(0), Signedness::Signed, block);
                let result = self.space.op(OpaqueOp::Max, vec![a.clone(), -&a]);
                return Some(self.exact_unsigned(result, bits, rests_on));
            }
            _ => return None,
        };
        let (a, on_a) = self.exact_at(value.operand(0), signedness, block);
        let (b, on_b) = self.exact_at(value.operand(1), signedness, block);
        let (result, rests_on) = (self.space.op(op, vec![a, b]), on_a.and(on_b));
        Some(match signedness {
            Signedness::Signed => self.exact_signed(result, bits, rests_on),
            Signedness::Unsigned => self.exact_unsigned(result, bits, rests_on),
        })
    }
}
