//! Updates whose order does not matter: one associative and commutative operation on what was there before. In memory they are a load, the
//! operation and a store to the same place (Pottenger and Eigenmann, "Idiom Recognition in the Polaris Parallelizing Compiler", ICS 1995).

use super::accesses::Accesses;
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_llvm::{IntPredicate, Opcode, Operation, Value};

/// What a value makes of one carried operand by an associative and commutative operation, and that operand.
pub(super) fn operation(value: Value, is_carried: impl Fn(Value) -> bool) -> Option<(Operation, Value)> {
    use Opcode::*;
    let (operation, places): (Operation, &[u32]) = match value.opcode()? {
        LLVMAdd => (Operation::ADD, &[0, 1]),
        LLVMSub => (Operation::ADD, &[0]),
        LLVMMul => (Operation::MULTIPLY, &[0, 1]),
        LLVMAnd => (Operation::AND, &[0, 1]),
        LLVMOr => (Operation::OR, &[0, 1]),
        LLVMXor => (Operation::XOR, &[0, 1]),
        LLVMFAdd => (Operation::FLOAT_ADD, &[0, 1]),
        LLVMFSub => (Operation::FLOAT_ADD, &[0]),
        LLVMFMul => (Operation::FLOAT_MULTIPLY, &[0, 1]),
        LLVMCall => {
            let name = value.callee()?.name();
            match name.strip_prefix("llvm.").map(|name| name.split('.').next().unwrap_or_default()) {
                Some("fmuladd" | "fma") => (Operation::FLOAT_ADD, &[2]),
                Some("smax") => (Operation::MAX, &[0, 1]),
                Some("smin") => (Operation::MIN, &[0, 1]),
                Some("umax") => (Operation::UNSIGNED_MAX, &[0, 1]),
                Some("umin") => (Operation::UNSIGNED_MIN, &[0, 1]),
                _ => (of_mathematics(&name)?, &[0, 1]),
            }
        }
        LLVMSelect => return minimum_or_maximum(value, is_carried),
        _ => return None,
    };
    let arguments: Vec<Value> = if value.is_call() { value.call_args() } else { value.operands().collect() };
    let carried: Vec<u32> = (0..arguments.len() as u32).filter(|&at| is_carried(arguments[at as usize])).collect();
    match carried[..] {
        [only] if places.contains(&only) => Some((operation, arguments[only as usize])),
        _ => None,
    }
}

/// What functions of mathematics choose of two numbers.
fn of_mathematics(name: &str) -> Option<Operation> {
    Some(match openmp::plain_name(name) {
        "fmax" => Operation::FLOAT_MAX,
        "fmin" => Operation::FLOAT_MIN,
        _ => return None,
    })
}

/// `a < b ? a : b` and the like, as the operation on one of the two.
fn minimum_or_maximum(select: Value, is_carried: impl Fn(Value) -> bool) -> Option<(Operation, Value)> {
    let (test, yes, no) = (select.operand(0), select.operand(1), select.operand(2));
    let operation = chosen_by(test, yes, no)?;
    let carried = match (is_carried(yes), is_carried(no)) {
        (true, false) => yes,
        (false, true) => no,
        _ => return None,
    };
    let only_chooses = test.users().iter().all(|&user| user == select);
    only_chooses.then_some((operation, carried))
}

/// Which of two values a test of both chooses.
pub(super) fn chosen_by(test: Value, yes: Value, no: Value) -> Option<Operation> {
    if !matches!(test.opcode(), Some(Opcode::LLVMICmp | Opcode::LLVMFCmp)) {
        return None;
    }
    let (left, right) = (test.operand(0), test.operand(1));
    let chooses_left = match () {
        () if (left, right) == (yes, no) => true,
        () if (left, right) == (no, yes) => false,
        () => return None,
    };
    Some(match test.opcode()? {
        Opcode::LLVMICmp => {
            use IntPredicate::*;
            let (is_less, is_signed) = match test.int_predicate() {
                LLVMIntSLT | LLVMIntSLE => (true, true),
                LLVMIntSGT | LLVMIntSGE => (false, true),
                LLVMIntULT | LLVMIntULE => (true, false),
                LLVMIntUGT | LLVMIntUGE => (false, false),
                LLVMIntEQ | LLVMIntNE => return None,
            };
            match (is_less == chooses_left, is_signed) {
                (true, true) => Operation::MIN,
                (false, true) => Operation::MAX,
                (true, false) => Operation::UNSIGNED_MIN,
                (false, false) => Operation::UNSIGNED_MAX,
            }
        }
        Opcode::LLVMFCmp if test.float_is_less()? == chooses_left => Operation::FLOAT_MIN,
        Opcode::LLVMFCmp => Operation::FLOAT_MAX,
        _ => return None,
    })
}

/// A load, an operation on what it finds, and a store of the outcome to the same place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryUpdate {
    pub load: usize,
    pub store: usize,
    pub operation: Operation,
}

/// All updates in memory.
pub(super) fn in_memory(accesses: &Accesses) -> Vec<MemoryUpdate> {
    let items = &accesses.items;
    let mut updates = Vec::new();
    for (store, item) in items.iter().enumerate().filter(|(_, item)| item.instruction.is(Opcode::LLVMStore)) {
        let value = item.instruction.operand(0);
        let is_load = |value: Value| value.is(Opcode::LLVMLoad);
        let loaded = |value: Value| {
            is_load(value)
                && items.iter().take(store).any(|load| {
                    load.instruction == value
                        && load.test.address == item.test.address
                        && load.test.bytes == item.test.bytes
                        && load.loops == item.loops
                })
        };
        let Some((operation, from)) = operation(value, loaded) else { continue };
        let is_used_once = |value: Value, by: Value| value.users().iter().all(|&user| user == by);
        let through_test = value.is(Opcode::LLVMSelect).then(|| value.operand(0));
        let only_here = from.users().iter().all(|&user| user == value || Some(user) == through_test);
        let load = items.iter().take(store).position(|load| load.instruction == from);
        if let Some(load) = load
            && only_here
            && is_used_once(value, item.instruction)
        {
            updates.push(MemoryUpdate { load, store, operation });
        }
    }
    updates
}

/// The updates that stay at one place in all iterations of a loop.
pub(super) fn at_one_place(
    analysis: &mut Analysis<'_>,
    accesses: &Accesses,
    updates: &[MemoryUpdate],
    index: usize,
) -> Vec<MemoryUpdate> {
    let mut stay = Vec::new();
    for update in updates {
        let item = &accesses.items[update.store];
        if item.loops.contains(&index) && !analysis.lowering.varies_in(&item.address, index) {
            stay.push(update.clone());
        }
    }
    stay
}
