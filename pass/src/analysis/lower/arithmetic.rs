//! Integer instructions: ring operations stay polynomials, divisions and comparisons need exact operands.

use super::predicate::{sign_extended_low_bits, signedness};
use super::{ADDRESS_BITS, Guarantees, Lowered, Lowering};
use ipda_llvm::{BlockId, IntPredicate, Opcode, Value};
use ipda_symbolic::{Facts, Interval, OpaqueOp, Polynomial, Signedness, Space};

impl Lowering<'_> {
    pub(super) fn arithmetic(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        self.checked_arithmetic(value, bits, block, a, b, |space, a, b| match opcode {
            Opcode::LLVMAdd => Some(a + b),
            Opcode::LLVMSub => Some(a - b),
            _ => space.product(a, b),
        })
    }

    /// Shifts: multiplication, or flooring division, by a power of two. An amount that is not below the width makes the result poison, which
    /// nothing that runs may depend on.
    pub(super) fn shift(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        if let Some((source, low)) = sign_extended_low_bits(value) {
            let lowered = self.low_bits(source, low, block);
            let integer = self.exact_in(&lowered, Signedness::Signed, block);
            let extended = self.exact_signed(integer, bits, lowered.rests_on);
            return self.settled(extended);
        }
        let amount = self.value_at(value.operand(1), block);
        // Read either way, an amount below the width is the same.
        let exponent = if amount.signed || amount.unsigned {
            amount.value.clone()
        } else {
            self.exact_in(&amount, Signedness::Unsigned, block)
        };
        let amounts = Interval::between(0, i64::from(bits) - 1);
        let within = self.space.range(&exponent).is_within(&amounts);
        let guarantee = Guarantees { shift_within_width: !within, ..amount.rests_on };
        if opcode == Opcode::LLVMShl {
            let mut operand = self.value_at(value.operand(0), block);
            operand.rests_on = operand.rests_on.and(guarantee);
            let power = self.space.op(OpaqueOp::Shl, vec![Polynomial::from(1), exponent]);
            // The factor is 2^amount as a number, also where the width has no such number: what `nsw` says of a shift is what it says of this product.
            let rests_on = Guarantees::default();
            let power = Lowered { value: power, bits, signed: true, unsigned: true, rests_on };
            return self.checked_arithmetic(value, bits, block, operand, power, |space, a, b| space.product(a, b));
        }
        let signedness = if opcode == Opcode::LLVMLShr { Signedness::Unsigned } else { Signedness::Signed };
        let (operand, rests_on) = self.exact_at(value.operand(0), signedness, block);
        let quotient = self.space.op(OpaqueOp::Shr, vec![operand, exponent]);
        match signedness {
            Signedness::Signed => self.exact_signed(quotient, bits, rests_on.and(guarantee)),
            Signedness::Unsigned => self.exact_unsigned(quotient, bits, rests_on.and(guarantee)),
        }
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
            let residue = self.space.congruent(bits, &lowered.value);
            let facts = if is_residue_enough(value) { Facts::none() } else { self.facts_at(block) };
            lowered = self.residue_under(residue, bits, rests_on, &facts);
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
        // Truncating division is flooring division where the dividend is not negative and the divisor positive. A divisor of zero is
        // undefined, so one that is not negative is at least one.
        let floors = !is_signed
            || b.as_constant().is_some_and(|b| b.is_one())
            || (self.space.proves_nonneg(&a, &facts) && self.space.proves_nonneg(&b, &facts));
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

    pub(super) fn comparison(&mut self, value: Value, block: BlockId) -> Lowered {
        let (left, right) = (value.operand(0), value.operand(1));
        if self.bits(left).is_none() {
            return self.unknown(value, 1);
        }
        use IntPredicate::*;
        let predicate = value.int_predicate();
        let is_natural = match signedness(predicate) {
            Some(reading) => reading == Signedness::Unsigned,
            // Equal numbers are equal in both readings: in the one that needs no conversion.
            None => {
                let sides = [left, right].map(|side| self.value_at(side, block));
                sides.iter().all(|side| side.unsigned) && !sides.iter().all(|side| side.signed)
            }
        };
        let is_natural = is_natural || self.bits(left) == Some(1) || left.ty().is_pointer();
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
}

/// Whether nobody asks for more than the residue of an address's part: whether it is the number itself is a question of long proofs.
fn is_residue_enough(value: Value) -> bool {
    let asks_for_residue = |user: Value| match user.opcode() {
        Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul) => !user.has_nsw() && !user.has_nuw(),
        // Who asks for exact indices has them proven where they are used.
        Some(Opcode::LLVMGetElementPtr) => user.operand(0) != value,
        _ => false,
    };
    value.ty().int_bits() == Some(ADDRESS_BITS) && value.users().into_iter().all(asks_for_residue)
}
