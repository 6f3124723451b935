//! Comparison predicates of LLVM: how they read their operands, and their complements.

use crate::ir::IntPredicate;
use ipda_symbolic::Signedness;

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
