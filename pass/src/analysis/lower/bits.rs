//! Bit operations and changes of width: polynomials where the bits allow, else operations on exact integers.

use super::{Lowered, Lowering};
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{Coeff, OpaqueOp, Polynomial, Signedness};

impl Lowering<'_> {
    pub(super) fn bitwise(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        if opcode == Opcode::LLVMAnd
            && let Some(masked) = self.masked_variable(value, bits, block)
        {
            return masked;
        }
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        let rests_on = a.rests_on.and(b.rests_on);
        if bits == 1 {
            return match self.of_conditions(opcode, &a.value, &b.value) {
                Some(result) => {
                    let result = self.exact_unsigned(result, 1, rests_on);
                    self.unless_by_test(value, result)
                }
                None => self.unknown(value, 1),
            };
        }
        if opcode == Opcode::LLVMOr && value.is_disjoint() {
            // Without bits in common nothing is carried: the sum, read with a sign or without.
            let mut sum = self.residue(&a.value + &b.value, bits, rests_on);
            let (signed, unsigned) = (a.signed && b.signed, a.unsigned && b.unsigned);
            sum.rests_on.disjoint_bits |= signed && !sum.signed || unsigned && !sum.unsigned;
            sum.signed |= signed;
            sum.unsigned |= unsigned;
            return sum;
        }
        let ones = |lowered: &Lowered| lowered.value.as_constant().is_some_and(|value| *value == Coeff::from(-1));
        if opcode == Opcode::LLVMXor && (ones(&a) || ones(&b)) {
            let operand = if ones(&b) { a } else { b };
            let complement = self.residue(&Polynomial::from(-1) - &operand.value, bits, rests_on);
            return Lowered { signed: complement.signed || operand.signed, ..complement };
        }
        let op = match opcode {
            Opcode::LLVMAnd => OpaqueOp::And,
            Opcode::LLVMOr => OpaqueOp::Or,
            _ => OpaqueOp::Xor,
        };
        let facts = self.facts_at(block);
        if op == OpaqueOp::And
            && let Some(mask) =
                [&a, &b].into_iter().find(|side| side.value.as_constant().is_some_and(|mask| !mask.is_negative()))
        {
            // The mask takes the low bits, which are the same in every number that is congruent.
            let mask = mask.value.clone();
            let operand = if a.value == mask { &b.value } else { &a.value };
            let masked = self.space.op_under(op, vec![operand.clone(), mask], &facts);
            let masked = self.exact_unsigned(masked, bits, rests_on);
            return self.settled(masked);
        }
        // Two's complement has as many copies of the sign as one likes: the operation on the signed values is the signed value.
        let reading = if a.signed && b.signed { Signedness::Signed } else { Signedness::Unsigned };
        let (a, b) = (self.exact_in(&a, reading, block), self.exact_in(&b, reading, block));
        let result = self.space.op_under(op, vec![a, b], &facts);
        let result = match reading {
            Signedness::Signed => self.exact_signed(result, bits, rests_on),
            Signedness::Unsigned => self.exact_unsigned(result, bits, rests_on),
        };
        self.settled(result)
    }

    /// The low bits of a captured variable, which optimised code reads straight from its carrier; none where it is none.
    fn masked_variable(&mut self, value: Value, bits: u32, block: BlockId) -> Option<Lowered> {
        let (carrier, low) = carrier(value.operand(0))?;
        let mask = value.operand(1).as_int().filter(|&mask| mask >= 0 && mask < 1 << low)?;
        let (variable, facts) = (self.low_bits(carrier, low, block), self.facts_at(block));
        let masked = if mask == (1 << low) - 1 {
            self.exact_in(&variable, Signedness::Unsigned, block)
        } else {
            self.space.op_under(OpaqueOp::And, vec![variable.value, Polynomial::from(mask)], &facts)
        };
        let masked = self.exact_unsigned(masked, bits, variable.rests_on);
        Some(self.settled(masked))
    }

    /// An operation on two conditions, which are 0 or 1; none where it is too large.
    fn of_conditions(&mut self, opcode: Opcode, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        let both = self.space.product(a, b)?;
        Some(match opcode {
            Opcode::LLVMAnd => both,
            Opcode::LLVMOr => &(a + b) - &both,
            _ => &(a + b) - &both.scale(&Coeff::from(2)),
        })
    }

    /// The low bits of a value, as a residue.
    pub(super) fn low_bits(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        if let Some((carrier, _)) = carrier(value).filter(|&(_, carried)| !value.is_argument() && carried >= bits) {
            return self.low_bits(carrier, bits, block);
        }
        if value.is_argument() && bits > 1 {
            let taken_out = |user: &Value| user.is(Opcode::LLVMTrunc) && user.ty().int_bits() == Some(bits);
            let trunc = value.users().into_iter().find(taken_out);
            return self.captured_scalar(trunc.unwrap_or(value), value, bits);
        }
        let lowered = self.value_at(value, block);
        let value = self.space.congruent(bits, &lowered.value);
        let facts = self.facts_at(block);
        self.residue_under(value, bits, lowered.rests_on, &facts)
    }

    pub(super) fn truncate(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let operand = value.operand(0);
        // clang passes a captured scalar as a 64-bit argument; its low bits are the variable.
        if bits > 1 {
            return self.low_bits(operand, bits, block);
        }
        let lowered = self.value_at(operand, block);
        if self.fits(&lowered.value, 1, Signedness::Unsigned) {
            return self.exact_unsigned(lowered.value, 1, lowered.rests_on);
        }
        let value = self.space.congruent(bits, &lowered.value);
        if !self.fits(&value, 1, Signedness::Unsigned) {
            let bit = self.space.wrap(Signedness::Unsigned, 1, &value);
            return self.exact_unsigned(bit, 1, lowered.rests_on);
        }
        self.residue(value, 1, lowered.rests_on)
    }

    pub(super) fn extend(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let operand = value.operand(0);
        if opcode == Opcode::LLVMZExt {
            let signedness = if value.has_nneg() { Signedness::Signed } else { Signedness::Unsigned };
            let (natural, mut rests_on) = self.exact_at(operand, signedness, block);
            rests_on.not_negative |= value.has_nneg() && !self.space.range(&natural).is_non_negative();
            // The new bits are zero, the sign too.
            return Lowered { value: natural, bits, signed: true, unsigned: true, rests_on };
        }
        // A condition is 0 or 1 in the algebra, and its sign is that one bit.
        let (integer, rests_on) = match self.bits(operand) {
            Some(1) => {
                let lowered = self.value_at(operand, block);
                (-&lowered.value, lowered.rests_on)
            }
            _ => self.exact_at(operand, Signedness::Signed, block),
        };
        let extended = self.exact_signed(integer, bits, rests_on);
        self.settled(extended)
    }
}

/// The argument that carries a variable in its low bits, and the width of the variable, where the code shows it.
fn carrier(value: Value) -> Option<(Value, u32)> {
    if value.is_argument() {
        let width = |user: Value| match user.opcode()? {
            Opcode::LLVMTrunc => user.ty().int_bits(),
            Opcode::LLVMAnd => (user.operand(1).as_int() == Some(i64::from(u32::MAX))).then_some(u32::BITS),
            Opcode::LLVMShl => (user.operand(1).as_int() == Some(i64::from(u32::BITS))).then_some(u32::BITS),
            _ => None,
        };
        let bits = value.users().into_iter().find_map(width).filter(|&bits| (2..63).contains(&bits))?;
        return Some((value, bits));
    }
    // Handing the variable on clears what is above it.
    let mask = value.is(Opcode::LLVMAnd).then(|| value.operand(1).as_int())??;
    let argument = Some(value.operand(0)).filter(|operand| operand.is_argument())?;
    (mask == i64::from(u32::MAX)).then_some((argument, u32::BITS))
}
