//! Conditions that hold for exceptional numbers alone: what is no number, infinite, too small to be normal, or too large for the usual way of a
//! mathematical function, whose code the compiler puts into a kernel's with all of its special cases.

use ipda_llvm::{IntPredicate, Opcode, RealPredicate, Value};

/// How likely an exception is: what LLVM's estimates of branches (`BranchProbabilityInfo`) take for a number that is none.
pub(super) const EXCEPTION: f64 = 1.0 / (1024.0 * 1024.0);

/// Magnitudes from here on are taken for exceptions where a condition asks for them, as the reductions of angles do from 105,615 or 2^31 on.
const LARGE: f64 = 65_536.0;

/// The upper halves of doubles: the least that is normal, and those from which on exponentials overflow, infinities and what is no number included.
const MIN_NORMAL: i64 = 0x0010_0000;
const INFINITE: i64 = 0x7fe0_0000;

/// Conditions of conditions that are looked at.
const MAX_DEPTH: u32 = 4;

/// The result of a condition that it has for exceptions alone.
pub(super) fn exceptional(condition: Value) -> Option<bool> {
    of_condition(condition, MAX_DEPTH)
}

fn of_condition(condition: Value, depth: u32) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let part = |at: u32| of_condition(condition.operand(at), depth);
    let constant = |at: u32| condition.operand(at).as_int().map(|value| value != 0);
    match condition.opcode()? {
        Opcode::LLVMFCmp => of_floats(condition),
        Opcode::LLVMICmp => of_halves(condition),
        Opcode::LLVMXor if constant(1) == Some(true) => part(0).map(|result| !result),
        Opcode::LLVMAnd => all([part(0), part(1)]),
        Opcode::LLVMOr => any([part(0), part(1)]),
        Opcode::LLVMSelect if constant(2) == Some(false) => all([part(0), part(1)]),
        Opcode::LLVMSelect if constant(1) == Some(true) => any([part(0), part(2)]),
        _ => None,
    }
}

/// Of two conditions that must both hold.
fn all(parts: [Option<bool>; 2]) -> Option<bool> {
    if parts.contains(&Some(true)) { Some(true) } else { (parts == [Some(false); 2]).then_some(false) }
}

/// Of two conditions of which one must hold.
fn any(parts: [Option<bool>; 2]) -> Option<bool> {
    if parts.contains(&Some(false)) { Some(false) } else { (parts == [Some(true); 2]).then_some(true) }
}

fn of_floats(comparison: Value) -> Option<bool> {
    use RealPredicate::*;
    match comparison.float_predicate() {
        LLVMRealUNO => return Some(true),
        LLVMRealORD => return Some(false),
        _ => {}
    }
    let (value, bound) = (comparison.operand(0), comparison.operand(1).as_real()?);
    let is_equality = |is: &dyn Fn(RealPredicate) -> bool| is(comparison.float_predicate()) && bound.is_infinite();
    if is_equality(&|by| matches!(by, LLVMRealOEQ | LLVMRealUEQ)) {
        return Some(true);
    }
    if is_equality(&|by| matches!(by, LLVMRealONE | LLVMRealUNE)) {
        return Some(false);
    }
    let is_magnitude = value.calls(|name| name.contains("fabs"));
    // An upper half as a float, by which exponentials find what overflows.
    let is_half = is_magnitude && is_bits(value.operand(0));
    ((is_magnitude && bound >= LARGE) || is_half).then(|| comparison.float_is_less().map(|is_less| !is_less)).flatten()
}

/// Comparisons of a double's upper half.
fn of_halves(comparison: Value) -> Option<bool> {
    use IntPredicate::*;
    let bound = comparison.operand(1).as_int()?;
    let is_less = match comparison.int_predicate() {
        LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE => true,
        LLVMIntSGT | LLVMIntSGE | LLVMIntUGT | LLVMIntUGE => false,
        LLVMIntEQ if bound >= INFINITE => return is_upper_half(comparison.operand(0)).then_some(true),
        LLVMIntNE if bound >= INFINITE => return is_upper_half(comparison.operand(0)).then_some(false),
        _ => return None,
    };
    if !is_upper_half(comparison.operand(0)) {
        return None;
    }
    match bound {
        ..=MIN_NORMAL if bound >= MIN_NORMAL - 1 => Some(is_less),
        // One less than all of them, as zero is then the largest.
        INFINITE.. => Some(!is_less),
        _ => None,
    }
}

/// Whether an integer is the upper half of a double, or a step or bits of it.
fn is_upper_half(value: Value) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMCall) => value.calls(|name| name == "llvm.nvvm.d2i.hi"),
        Some(Opcode::LLVMAdd | Opcode::LLVMAnd) if value.operand(1).as_int().is_some() => {
            is_upper_half(value.operand(0))
        }
        Some(Opcode::LLVMPHI) => {
            // Of what was scaled up because it was too small.
            value.incoming().into_iter().any(|(from, _)| from.is(Opcode::LLVMCall) && is_upper_half(from))
        }
        _ => false,
    }
}

fn is_bits(value: Value) -> bool {
    let is_of_half = |from: Value| from.calls(|name| name == "llvm.nvvm.d2i.hi");
    value.is(Opcode::LLVMBitCast) && is_of_half(value.operand(0))
}
