//! Tests of the class of a number, as `isnan`, in the forms that host and device have for them.

use crate::openmp;
use ipda_llvm::{IntPredicate, Opcode, TypeKind, Value};

/// The classes that are asked for, as LLVM numbers them, and whether a number has its sign set, which is none of them.
const NAN: u64 = 0b11;
const INFINITE: u64 = 0b10_0000_0100;
const FINITE: u64 = 0b1_1111_1000;
const SIGN: u64 = 1 << 32;

/// What a value asks of which number: LLVM's own test, what clang's headers make of a function of the device's library, or the sign bit.
pub(super) fn test(value: Value) -> Option<(u64, Value)> {
    match value.opcode()? {
        Opcode::LLVMCall if value.calls(|name| name.starts_with("llvm.is.fpclass.")) => {
            let args = value.call_args();
            Some((u64::try_from(args.get(1)?.as_int()?).ok()?, args[0]))
        }
        Opcode::LLVMICmp if value.operand(1).is_null() => {
            let tested = value.operand(0);
            match value.int_predicate() {
                IntPredicate::LLVMIntNE => Some((class_of(tested)?, tested.call_args()[0])),
                IntPredicate::LLVMIntSLT if is_bits_of_number(tested) => Some((SIGN, tested.operand(0))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a value is but a part of such tests.
pub(super) fn is_part_of_test(value: Value) -> bool {
    let users = value.users();
    class_of(value).is_some() && !users.is_empty() && users.into_iter().all(|user| test(user).is_some())
}

fn class_of(call: Value) -> Option<u64> {
    if !openmp::is_function_of_numbers(call) || call.call_args().len() != 1 {
        return None;
    }
    call.callee()?.with_name(|name| {
        Some(match name.strip_prefix("__nv_")? {
            "isnand" | "isnanf" => NAN,
            "isinfd" | "isinff" => INFINITE,
            "isfinited" | "finitef" => FINITE,
            "signbitd" | "signbitf" => SIGN,
            _ => return None,
        })
    })
}

fn is_bits_of_number(value: Value) -> bool {
    let is_number = |of: Value| matches!(of.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
    value.is(Opcode::LLVMBitCast) && is_number(value.operand(0))
}
