//! Comparisons and their opposites, which are one question.

use ipda_llvm::{IntPredicate, Opcode, RealPredicate, Type, Value};

/// Of a comparison that is taken for the opposite of another, its type: whether a branch has its ways the one way round or the other depends on
/// what the code costs.
pub(super) fn as_opposite(value: Value) -> Option<Type> {
    use IntPredicate::*;
    let is_opposite = match value.opcode()? {
        Opcode::LLVMICmp => {
            matches!(value.int_predicate(), LLVMIntNE | LLVMIntUGE | LLVMIntULE | LLVMIntSGE | LLVMIntSLE)
        }
        Opcode::LLVMFCmp => opposite(value.float_predicate()) < value.float_predicate() as u32,
        _ => false,
    };
    (is_opposite && value.ty().int_bits() == Some(1)).then(|| value.ty())
}

/// The comparison that holds where another does not, of numbers that are none as well.
fn opposite(predicate: RealPredicate) -> u32 {
    // Each bit is a case in which it holds: unordered, less, greater, equal.
    15 - predicate as u32
}

/// The operation and the predicate of a comparison's opposite.
pub(super) fn kind_of_opposite(value: Value) -> (u32, u32) {
    use IntPredicate::*;
    if value.is(Opcode::LLVMFCmp) {
        return (Opcode::LLVMFCmp as u32, opposite(value.float_predicate()));
    }
    let opposite = match value.int_predicate() {
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLE => LLVMIntSGT,
        other => other,
    };
    (Opcode::LLVMICmp as u32, opposite as u32)
}
