//! How code reads integers: with or without a sign, as comparisons and other operations tell; and the complements of comparisons.

use ipda_llvm::{IntPredicate, Opcode, Value};
use ipda_symbolic::Signedness;
use rustc_hash::FxHashSet;

/// How the predicate reads its operands; none for equality, which holds in both readings or in neither.
pub(super) fn signedness(predicate: IntPredicate) -> Option<Signedness> {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ | LLVMIntNE => None,
        LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE => Some(Signedness::Signed),
        LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE => Some(Signedness::Unsigned),
    }
}

/// The predicate that holds exactly where the given one does not.
pub(super) fn inverse(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntULE => LLVMIntUGT,
    }
}

/// How the operations on a value read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Readings {
    /// Some operation reads a natural number.
    pub unsigned: bool,
    /// Some operation reads a sign.
    pub signed: bool,
}

impl Readings {
    /// What the users of a value say, and those of the merges that it goes into.
    pub(super) fn of(value: Value) -> Readings {
        let mut all = Readings::of_users(value);
        if value.is(Opcode::LLVMTrunc) && value.operand(0).is_argument() {
            // A captured variable may be taken out of its carrier several times.
            let same = |user: &Value| user.is(Opcode::LLVMTrunc) && user.ty() == value.ty();
            for sibling in value.operand(0).users().into_iter().filter(same) {
                all = all.and(Readings::of_users(sibling));
            }
            all.signed |= value.operand(0).users().into_iter().any(takes_sign);
        }
        for merge in value.users().into_iter().filter(|user| user.is(Opcode::LLVMPHI)) {
            all = all.and(Readings::of_users(merge));
        }
        all
    }

    fn and(self, other: Readings) -> Readings {
        Readings { unsigned: self.unsigned || other.unsigned, signed: self.signed || other.signed }
    }

    fn of_users(value: Value) -> Readings {
        use Opcode::*;
        let mut all = Readings::default();
        for user in value.users() {
            match user.opcode() {
                Some(LLVMICmp) => {
                    let reading = signedness(user.int_predicate());
                    all.unsigned |= reading == Some(Signedness::Unsigned);
                    all.signed |= reading == Some(Signedness::Signed);
                    // What a natural counter is compared with.
                    let is_counter = |other: Value| other.is(LLVMAdd) && other.has_nuw() && !other.has_nsw();
                    all.unsigned |= reading.is_none() && user.operands().any(is_counter);
                }
                // What is left over of handing a variable on to outlined code reads nothing.
                Some(LLVMZExt) => all.unsigned |= !user.has_nneg() && !is_unused(user),
                Some(LLVMUDiv | LLVMURem | LLVMUIToFP) => all.unsigned = true,
                Some(LLVMSExt | LLVMSDiv | LLVMSRem | LLVMAShr | LLVMSIToFP) => all.signed = true,
                Some(LLVMAdd | LLVMSub | LLVMMul) => all.signed |= user.has_nsw(),
                _ => {}
            }
        }
        all
    }
}

/// Whether a value is shifted up, and down again with its sign: so optimised code widens the low bits of a register.
fn takes_sign(up: Value) -> bool {
    up.is(Opcode::LLVMShl) && up.users().into_iter().any(|down| sign_extended_low_bits(down).is_some())
}

/// What `value` widens with its sign, and from how many bits, where it does so by two shifts.
pub(super) fn sign_extended_low_bits(value: Value) -> Option<(Value, u32)> {
    let bits = value.ty().int_bits()?;
    let up = value.is(Opcode::LLVMAShr).then(|| value.operand(0)).filter(|up| up.is(Opcode::LLVMShl))?;
    let amount = value.operand(1).as_int()?;
    let is_same = up.operand(1).as_int() == Some(amount) && (1..i64::from(bits)).contains(&amount);
    is_same.then(|| (up.operand(0), bits - amount as u32))
}

/// Whether all that is made of a value is more of its kind: conversions and shifts that lead nowhere.
fn is_unused(value: Value) -> bool {
    use Opcode::*;
    let (mut open, mut seen) = (vec![value], FxHashSet::default());
    while let Some(at) = open.pop() {
        for user in at.users() {
            let leads_on = matches!(
                user.opcode(),
                Some(LLVMIntToPtr | LLVMPtrToInt | LLVMTrunc | LLVMZExt | LLVMLShr | LLVMShl | LLVMOr)
            );
            if !leads_on {
                return false;
            }
            if seen.insert(user) {
                open.push(user);
            }
        }
    }
    true
}
