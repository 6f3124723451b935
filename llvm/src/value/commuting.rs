//! Operations by which a value may be updated in any order: one text for registers, memory and atomic updates.

use super::Value;
use llvm_sys::LLVMAtomicRMWBinOp;
use llvm_sys::core::*;

/// An associative and commutative operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Operation {
    /// For people; what has another name does not go together with it in any order.
    pub name: &'static str,
    /// How its result depends on the order in which updates are made.
    pub order: OrderOfUpdates,
    /// The word of a `reduction` clause.
    pub clause: &'static str,
}

/// How the result of several updates depends on their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OrderOfUpdates {
    /// Not at all: the same bits come out.
    Exact,
    /// Sums and products are rounded each time.
    Rounds,
    /// Which of two zeros comes out, and what a number makes of what is none.
    Chooses,
}

#[allow(missing_docs)] // the names say it
impl Operation {
    pub const ADD: Operation = Operation::exact("add", "+");
    pub const MULTIPLY: Operation = Operation::exact("multiply", "*");
    pub const AND: Operation = Operation::exact("and", "&");
    pub const OR: Operation = Operation::exact("or", "|");
    pub const XOR: Operation = Operation::exact("xor", "^");
    pub const MAX: Operation = Operation::exact("max", "max");
    pub const MIN: Operation = Operation::exact("min", "min");
    pub const UNSIGNED_MAX: Operation = Operation::exact("unsigned max", "max");
    pub const UNSIGNED_MIN: Operation = Operation::exact("unsigned min", "min");
    pub const LOGICAL_AND: Operation = Operation::exact("logical and", "&&");
    pub const LOGICAL_OR: Operation = Operation::exact("logical or", "||");
    pub const FLOAT_ADD: Operation = Operation::of_floats("float add", OrderOfUpdates::Rounds, "+");
    pub const FLOAT_MULTIPLY: Operation = Operation::of_floats("float multiply", OrderOfUpdates::Rounds, "*");
    pub const FLOAT_MAX: Operation = Operation::of_floats("float max", OrderOfUpdates::Chooses, "max");
    pub const FLOAT_MIN: Operation = Operation::of_floats("float min", OrderOfUpdates::Chooses, "min");

    const fn exact(name: &'static str, clause: &'static str) -> Operation {
        Operation { name, order: OrderOfUpdates::Exact, clause }
    }

    const fn of_floats(name: &'static str, order: OrderOfUpdates, clause: &'static str) -> Operation {
        Operation { name, order, clause }
    }

    /// Whether the same bits come out in every order.
    pub fn is_exact(self) -> bool {
        self.order == OrderOfUpdates::Exact
    }

    /// Function attributes by which clang says that the order does not matter to the program; none where nothing says so. It has no flags for
    /// the atomic updates themselves.
    fn freeing_attributes(self) -> &'static [&'static str] {
        match self.order {
            OrderOfUpdates::Exact => &[],
            OrderOfUpdates::Rounds => &["unsafe-fp-math"],
            OrderOfUpdates::Chooses => &["no-nans-fp-math", "no-signed-zeros-fp-math"],
        }
    }
}

#[allow(clippy::undocumented_unsafe_blocks)] // as for Value
impl Value {
    /// The operation of an atomic update that commutes with itself.
    pub fn commuting_update(self) -> Option<Operation> {
        use LLVMAtomicRMWBinOp::*;
        Some(match unsafe { LLVMGetAtomicRMWBinOp(self.0) } {
            LLVMAtomicRMWBinOpAdd | LLVMAtomicRMWBinOpSub => Operation::ADD,
            LLVMAtomicRMWBinOpAnd => Operation::AND,
            LLVMAtomicRMWBinOpOr => Operation::OR,
            LLVMAtomicRMWBinOpXor => Operation::XOR,
            LLVMAtomicRMWBinOpMax => Operation::MAX,
            LLVMAtomicRMWBinOpMin => Operation::MIN,
            LLVMAtomicRMWBinOpUMax => Operation::UNSIGNED_MAX,
            LLVMAtomicRMWBinOpUMin => Operation::UNSIGNED_MIN,
            LLVMAtomicRMWBinOpFAdd | LLVMAtomicRMWBinOpFSub => Operation::FLOAT_ADD,
            LLVMAtomicRMWBinOpFMax => Operation::FLOAT_MAX,
            LLVMAtomicRMWBinOpFMin => Operation::FLOAT_MIN,
            _ => return None,
        })
    }

    /// Whether the program was compiled so that an atomic update by an operation may come in any order. A helper that was inlined leaves its
    /// attributes behind, so all functions of the module with such updates must have them.
    pub fn is_freed_by_flags(self, operation: Operation) -> bool {
        let names = operation.freeing_attributes();
        let has_all = |function: Value| {
            names.iter().all(|name| function.text_attribute(name).as_deref() == Some("true")) && !names.is_empty()
        };
        let updates = |function: Value| {
            let mut all = function.blocks().into_iter().flat_map(|block| block.instructions());
            all.any(|value| value.is(super::Opcode::LLVMAtomicRMW) && value.commuting_update() == Some(operation))
        };
        let own = self.block().function();
        let first = super::some(unsafe { LLVMGetFirstFunction(LLVMGetGlobalParent(own.0)) });
        let next = |function: &Value| super::some(unsafe { LLVMGetNextFunction(function.0) });
        has_all(own) && std::iter::successors(first, next).all(|function| !updates(function) || has_all(function))
    }
}
