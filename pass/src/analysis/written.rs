//! Whether a region may write what its captured variables lead to: in all of its code, its sequential parts and helpers included, whatever overlaps.
//!
//! A host that knows that an array is never written need not copy it back, so a wrong answer here is a wrong result. All that is not understood
//! writes everything.

use super::effects;
use crate::openmp::flatten::Flat;
use crate::openmp::{self, Call};
use ipda_llvm::{Opcode, Value};
use rustc_hash::FxHashSet;

/// Values on the ways from one address to what it points into.
const MAX_STEPS: usize = 256;

/// What a region does to the memory that a captured variable leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    NeverWritten,
    MayBeWritten,
}

/// Of the variables that a device's kernel captures, in their order; none where anything may be written.
pub(crate) fn of_kernel(flat: &Flat) -> Option<Vec<Use>> {
    // What was left alone may have been taken out of the copy.
    let copy = flat.code.as_ref().ok().filter(|_| flat.log.first().is_none())?;
    let params = copy.function().params();
    // The runtime's own parameter comes first, and leads to nothing of the program's.
    let (_, captured) = params.split_first()?;
    let mut uses = vec![Use::NeverWritten; captured.len()];
    for instruction in copy.function().instructions() {
        for address in written_by(instruction)? {
            write(address, &params, &mut uses)?;
        }
    }
    Some(uses)
}

/// The addresses that an instruction writes to; none where that is not known.
fn written_by(instruction: Value) -> Option<Vec<Value>> {
    match instruction.opcode()? {
        Opcode::LLVMStore => Some(vec![instruction.operand(1)]),
        Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => Some(vec![instruction.operand(0)]),
        Opcode::LLVMCall => writes_of(instruction),
        Opcode::LLVMInvoke | Opcode::LLVMCallBr | Opcode::LLVMVAArg | Opcode::LLVMResume => None,
        _ => Some(Vec::new()),
    }
}

/// The addresses that a call writes to; none where that is not known.
pub(crate) fn writes_of(call: Value) -> Option<Vec<Value>> {
    let name = call.callee()?.name();
    if openmp::block_operation(call).is_some() {
        return Some(vec![call.operand(0)]);
    }
    if openmp::combines_copies(call) {
        return openmp::combines_by_operators(call).then(Vec::new);
    }
    if let Some(effects) = openmp::effects(call) {
        return Some(effects.results.iter().map(|result| result.pointer(call)).collect());
    }
    let shares_work = matches!(
        openmp::decode(call),
        Ok(Call::StaticInit(_) | Call::DispatchInit { .. } | Call::DispatchNext { .. } | Call::ParallelMark(_))
    );
    // A lock is memory of the program's.
    let is_runtime = openmp::tells_numbers(&name)
        || name.starts_with("__kmpc_") && openmp::writes_nothing_of_users(&name) && !starts_code(&name)
        || name.starts_with("__kmpc_end_reduce");
    (shares_work || is_runtime || effects::is_harmless(&name)).then(Vec::new)
}

/// Where code is still started by the runtime, it was not followed.
fn starts_code(name: &str) -> bool {
    name.starts_with("__kmpc_fork_") || name == "__kmpc_parallel_51"
}

/// Notes a write to an address. None where it may lead anywhere.
fn write(address: Value, params: &[Value], uses: &mut [Use]) -> Option<()> {
    for param in led_from(address, params)? {
        *uses.get_mut(param.checked_sub(1)?)? = Use::MayBeWritten;
    }
    Some(())
}

/// The parameters that an address may be built on, by their positions. None where it may lead anywhere.
pub(crate) fn led_from(address: Value, params: &[Value]) -> Option<Vec<usize>> {
    let mut open = vec![address];
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        if seen.len() > MAX_STEPS {
            return None;
        }
        if let Some(param) = params.iter().position(|&param| param == value) {
            found.push(param);
            continue;
        }
        match value.opcode() {
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze) => {
                open.push(value.operand(0));
            }
            Some(Opcode::LLVMIntToPtr) if value.operand(0).is(Opcode::LLVMPtrToInt) => {
                open.push(value.operand(0).operand(0));
            }
            Some(Opcode::LLVMPHI) => open.extend(value.incoming().into_iter().map(|(incoming, _)| incoming)),
            Some(Opcode::LLVMSelect) => open.extend([value.operand(1), value.operand(2)]),
            Some(Opcode::LLVMAlloca) => {}
            // The device's own.
            _ if value.is_global_variable() => {}
            _ => return None,
        }
    }
    Some(found)
}
