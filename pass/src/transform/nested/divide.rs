//! How the body of a loop takes its number apart: quotient and remainder by an extent that is known before the loop.

use super::find::Chunk;
use crate::openmp;
use ipda_llvm::{Opcode, Value};
use ipda_symbolic::Signedness;
use rustc_hash::FxHashSet;

/// Operations from which an extent is computed, beyond which it is not moved out of the loop.
const MAX_EXTENT: usize = 32;

/// A number of a loop taken apart by an extent, as the body computes it.
pub(super) struct Division {
    pub extent: Value,
    /// What must be moved out of the loop to know the extent there, in order.
    pub computed_by: Vec<Value>,
    pub quotients: Vec<Value>,
    pub remainders: Vec<Value>,
}

/// Whether both the quotient and the remainder of a number by something are computed.
pub(super) fn is_taken_apart(number: Value) -> bool {
    let users = number.users();
    let is =
        |user: &Value, opcodes: [Opcode; 2]| opcodes.iter().any(|&opcode| user.is(opcode)) && user.operand(0) == number;
    let rest_of = |product: Value| {
        users.iter().any(|user| user.is(Opcode::LLVMSub) && user.operands().any(|part| part == product))
    };
    let has_rest =
        |quotient: &Value| quotient.users().into_iter().any(|user| user.is(Opcode::LLVMMul) && rest_of(user));
    let quotients: Vec<&Value> = users.iter().filter(|user| is(user, [Opcode::LLVMUDiv, Opcode::LLVMSDiv])).collect();
    let has_remainder = users.iter().any(|user| is(user, [Opcode::LLVMURem, Opcode::LLVMSRem]));
    quotients.into_iter().any(|quotient| has_remainder || has_rest(quotient))
}

impl Chunk {
    /// How the body takes a number of the loop apart; none where it does not, or takes only one of quotient and remainder.
    pub(super) fn division(&self, number: Value) -> Result<Option<Division>, String> {
        let divides = |user: &Value| {
            let is_division = user.is(Opcode::LLVMUDiv) || user.is(Opcode::LLVMSDiv);
            let is_remainder = user.is(Opcode::LLVMURem) || user.is(Opcode::LLVMSRem);
            (is_division || is_remainder)
                && user.operand(0) == number
                && user.operand(1) != number
                && self.contains(*user)
        };
        let users = number.users();
        let divisions: Vec<Value> = users.into_iter().filter(divides).collect();
        let Some(first) = self.body.instructions().find(|value| divisions.contains(value)) else { return Ok(None) };
        let extent = first.operand(1);
        let same = divisions.into_iter().filter(|division| is_same(division.operand(1), extent, MAX_EXTENT));
        let is_quotient = |value: &Value| value.is(Opcode::LLVMUDiv) || value.is(Opcode::LLVMSDiv);
        let (quotients, mut remainders): (Vec<Value>, Vec<Value>) = same.partition(is_quotient);
        for &quotient in &quotients {
            for product in quotient.users().into_iter().filter(|user| user.is(Opcode::LLVMMul)) {
                let factor = if product.operand(0) == quotient { product.operand(1) } else { product.operand(0) };
                if is_same(factor, extent, MAX_EXTENT) {
                    let is_rest = |user: &Value| {
                        user.is(Opcode::LLVMSub) && user.operand(0) == number && user.operand(1) == product
                    };
                    remainders.extend(product.users().into_iter().filter(is_rest));
                }
            }
        }
        if quotients.is_empty() || remainders.is_empty() {
            return Ok(None);
        }
        let mut signs = quotients.iter().chain(&remainders).map(|value| value.opcode());
        let is_signed = signs.any(|opcode| matches!(opcode, Some(Opcode::LLVMSDiv | Opcode::LLVMSRem)));
        if is_signed && self.reading == Signedness::Unsigned {
            return Err("the loop's number is unsigned, and is divided as a signed one".into());
        }
        if self.reading == Signedness::Signed && !self.facts.is_natural(extent) {
            return Err("the length of an inner loop is not known to be positive".into());
        }
        // Where the division is certainly made, the extent is not 0.
        for value in self.body.instructions().take_while(|&value| value != first) {
            if !goes_on(value) {
                return Err("an iteration may end the program before it finds its counters".into());
            }
        }
        let computed_by = self.computed_by(extent, first)?;
        Ok(Some(Division { extent, computed_by, quotients, remainders }))
    }

    /// What of the loop an extent is computed from, where that is nothing but arithmetic before its first use.
    fn computed_by(&self, extent: Value, first: Value) -> Result<Vec<Value>, String> {
        let varies = || "the length of an inner loop is not known before the loop".to_string();
        let mut needed: FxHashSet<Value> = FxHashSet::default();
        let mut open = vec![extent];
        while let Some(value) = open.pop().filter(|_| needed.len() <= MAX_EXTENT) {
            if self.contains(value) && needed.insert(value) {
                if value.block() != self.body || !is_arithmetic(value) {
                    return Err(varies());
                }
                open.extend(value.operands());
            }
        }
        if !open.is_empty() || needed.len() > MAX_EXTENT {
            return Err(varies());
        }
        let order = self.body.instructions().take_while(|&value| value != first);
        let found: Vec<Value> = order.filter(|value| needed.contains(value)).collect();
        if found.len() == needed.len() { Ok(found) } else { Err(varies()) }
    }
}

/// Whether what follows an instruction is certainly reached.
fn goes_on(value: Value) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMCall) => {
            let is_mark = |name: &str| name.starts_with("llvm.lifetime.") || name.starts_with("llvm.dbg.");
            value.calls(is_mark) || openmp::effects(value).is_some_and(|effects| effects.is_mathematics)
        }
        Some(Opcode::LLVMLoad | Opcode::LLVMStore) => !value.is_volatile_or_atomic(),
        _ => true,
    }
}

fn is_arithmetic(value: Value) -> bool {
    matches!(
        value.opcode(),
        Some(
            Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMUDiv
                | Opcode::LLVMSDiv
                | Opcode::LLVMSExt
                | Opcode::LLVMZExt
                | Opcode::LLVMTrunc
        )
    )
}

/// Whether two values are computed alike.
fn is_same(a: Value, b: Value, depth: usize) -> bool {
    a == b
        || depth > 0
            && is_arithmetic(a)
            && a.is_instruction()
            && a.opcode() == b.opcode()
            && a.ty() == b.ty()
            && a.operand_count() == b.operand_count()
            && a.operands().zip(b.operands()).all(|(a, b)| is_same(a, b, depth / 2))
}
