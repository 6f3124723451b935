//! What each instruction of a region is to the comparison of its versions.

use super::classes;
use super::labels::Labels;
use crate::analysis::effects;
use crate::openmp::{self, Call};
use ipda_llvm::{Cfg, Opcode, Value};

/// What an instruction adds to the number of its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It hands out iterations, or moves values between variables.
    None,
    /// A value, which is the same whoever computes it.
    Value,
    /// Here a loop is prepared whose iterations are shared.
    Shared,
    /// Something that must happen as often, under the same conditions.
    Effect,
}

pub(super) fn part(instruction: Value, labels: &Labels, cfg: &Cfg) -> Part {
    use Opcode::*;
    let is_local = |pointer: Value| pointer.base_of_address().is(LLVMAlloca);
    match openmp::decode(instruction) {
        Ok(Call::StaticInit(_) | Call::DispatchInit { .. }) => return Part::Shared,
        _ if instruction.is_call() && instruction.calls(orders_threads) => return Part::Effect,
        _ if labels.is_of_runtime(instruction) || labels.is_choice(instruction, cfg) => return Part::None,
        _ => {}
    }
    match instruction.opcode() {
        Some(LLVMStore) if instruction.operand(0).ty().is_pointer() && is_local(instruction.operand(1)) => Part::None,
        Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence) => Part::Effect,
        Some(LLVMLoad) if instruction.is_volatile_or_atomic() => Part::Effect,
        Some(LLVMCall | LLVMInvoke) => instruction.callee().map_or(Part::Effect, |callee| {
            let name = callee.name();
            match () {
                () if classes::is_part_of_test(instruction) => Part::None,
                () if openmp::is_function_of_numbers(instruction) => Part::Value,
                () if openmp::effects(instruction).is_some() => Part::Effect,
                () if openmp::block_operation(instruction).is_some() => Part::Effect,
                () if openmp::is_runtime_name(&name) || effects::is_harmless(&name) => Part::None,
                () => Part::Effect,
            }
        }),
        Some(
            LLVMAlloca | LLVMBr | LLVMSwitch | LLVMRet | LLVMUnreachable | LLVMAddrSpaceCast | LLVMBitCast | LLVMFreeze
            | LLVMPHI | LLVMExtractValue | LLVMInsertValue | LLVMIntToPtr | LLVMPtrToInt | LLVMTrunc | LLVMZExt
            | LLVMSExt,
        ) => Part::None,
        _ => Part::Value,
    }
}

/// Whether an effect is one on a local variable, which what is captured does not lead to.
pub(super) fn writes_variable(instruction: Value) -> bool {
    instruction.is(Opcode::LLVMStore) && instruction.operand(1).base_of_address().is(Opcode::LLVMAlloca)
}

/// Whether a function of the runtime lets threads wait for each other, by the program's word.
fn orders_threads(name: &str) -> bool {
    ["__kmpc_critical", "__kmpc_ordered", "__kmpc_barrier"].iter().any(|prefix| name.starts_with(prefix))
}
