//! What values are by themselves: operations without their operands, types, and constants.

use crate::openmp;
use ipda_llvm::{Opcode, Type, TypeKind, Value};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Parts of structures, one in the other, that are followed.
const MAX_PARTS: usize = 256;

/// What an operation is, without its operands.
pub(super) fn kind(value: Value, opcode: Opcode) -> u64 {
    let ty = form(value.ty());
    match opcode {
        Opcode::LLVMICmp => number(&(opcode as u32, value.int_predicate() as u32)),
        Opcode::LLVMFCmp => number(&(opcode as u32, value.float_predicate() as u32, value.licence())),
        Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul | Opcode::LLVMFDiv | Opcode::LLVMFNeg => {
            number(&(opcode as u32, ty, value.licence()))
        }
        Opcode::LLVMShuffleVector => number(&(opcode as u32, ty, value.shuffle_mask())),
        Opcode::LLVMAtomicRMW => number(&(opcode as u32, value.update_operation(), ty, value.is_ordering())),
        Opcode::LLVMGetElementPtr => number(&(opcode as u32, shape(value.gep_source()))),
        Opcode::LLVMExtractValue | Opcode::LLVMInsertValue => number(&(opcode as u32, value.part_path())),
        // The host has an instruction for what the device calls.
        Opcode::LLVMFRem => number(&(Opcode::LLVMCall as u32, Some("fmod"), ty)),
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let name = value.callee().map(|callee| openmp::plain_name(&callee.name()).to_owned());
            number(&(Opcode::LLVMCall as u32, name, ty))
        }
        // What only moves bits moves the same ones as a number or as an integer; a captured `double` is either, by what is made for debuggers.
        Opcode::LLVMLoad => number(&(opcode as u32, bits(value.ty()), value.is_volatile_or_atomic())),
        Opcode::LLVMPHI | Opcode::LLVMSelect => number(&(opcode as u32, bits(value.ty()))),
        Opcode::LLVMStore => number(&(opcode as u32, value.is_volatile_or_atomic())),
        _ => number(&(opcode as u32, ty)),
    }
}

/// A type as far as it matters: of a vector, all.
fn form(ty: Type) -> String {
    match ty.kind() {
        TypeKind::LLVMVectorTypeKind => ty.definition(),
        _ => ty.describe(),
    }
}

/// A type by its form in memory: of numbers, how many bits they have.
fn bits(ty: Type) -> String {
    match ty.kind() {
        TypeKind::LLVMDoubleTypeKind => "i64".to_owned(),
        TypeKind::LLVMFloatTypeKind => "i32".to_owned(),
        _ => form(ty),
    }
}

/// A type with all that it consists of.
fn shape(ty: Type) -> u64 {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind => {
            number(&ty.describe())
        }
        TypeKind::LLVMArrayTypeKind => number(&("array", ty.array_length(), shape(ty.element()))),
        // Names of structures are numbered as they come, the host's also by those that only the host has.
        TypeKind::LLVMStructTypeKind => {
            let fields: Vec<u64> = (0..ty.field_count()).map(|at| shape(ty.field(at))).collect();
            number(&("structure", ty.is_packed(), fields))
        }
        _ => number(&ty.definition()),
    }
}

/// A value without what changes its form alone.
pub(super) fn plain(mut value: Value) -> Value {
    loop {
        value = match value.opcode() {
            Some(Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast | Opcode::LLVMFreeze) => value.operand(0),
            Some(Opcode::LLVMIntToPtr) if value.operand(0).is(Opcode::LLVMPtrToInt) => value.operand(0).operand(0),
            Some(Opcode::LLVMExtractValue) => match inserted(value) {
                Some(inserted) => inserted,
                None => return value,
            },
            Some(Opcode::LLVMPHI) => match value.incoming()[..] {
                [(only, _)] if only != value => only,
                _ => return value,
            },
            _ => return value,
        };
    }
}

/// What was put where an `extractvalue` takes it out.
fn inserted(mut value: Value) -> Option<Value> {
    let mut path = Vec::new();
    while value.is(Opcode::LLVMExtractValue) {
        path.splice(0..0, value.part_path());
        value = value.operand(0);
    }
    let mut path = &path[..];
    for _ in 0..MAX_PARTS {
        if !value.is(Opcode::LLVMInsertValue) {
            return None;
        }
        let changed = value.part_path();
        value = match path.strip_prefix(&changed[..]) {
            Some([]) => return Some(value.operand(1)),
            Some(rest) => {
                path = rest;
                value.operand(1)
            }
            None if changed.starts_with(path) => return None,
            None => value.operand(0),
        };
    }
    None
}

/// The number of a constant: of a table, what it holds.
pub(super) fn of_constant(value: Value, depth: u32) -> u64 {
    if let Some(int) = value.as_int() {
        return number(&("int", int, value.ty().describe()));
    }
    if value.is_function() {
        return number(&("function", openmp::plain_name(&value.name())));
    }
    if value.is_global_variable() {
        // The names of what has no content here are those of another file.
        return match value.initializer().filter(|_| value.is_constant_global()) {
            Some(held) => number(&("variable", of_table(held, depth))),
            None => number(&("variable", value.name())),
        };
    }
    match value.opcode().filter(|_| depth > 0) {
        Some(opcode) => {
            let operands: Vec<u64> = value.operands().map(|operand| of_constant(plain(operand), depth - 1)).collect();
            number(&("expression", kind(value, opcode), operands))
        }
        None if value.is_null() => number(&("null", shape(value.ty()))),
        None if value.as_real().is_some_and(|real| !real.is_nan()) => {
            number(&("real", value.as_real().map(f64::to_bits), value.ty().describe()))
        }
        None => number(&("constant", value.print())),
    }
}

/// The number of what a constant variable holds.
fn of_table(held: Value, depth: u32) -> u64 {
    let is_of_parts = matches!(held.ty().kind(), TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind);
    let parts: Vec<u64> = held.operands().filter(|_| is_of_parts).map(|part| of_table(part, depth)).collect();
    match () {
        () if !parts.is_empty() => number(&("table", shape(held.ty()), parts)),
        () if depth == 0 || held.ty().kind() == TypeKind::LLVMArrayTypeKind && !held.is_null() => {
            number(&("held", held.print()))
        }
        () => of_constant(held, depth - 1),
    }
}

/// Numbers are added up, so that the hash must be far from linear: SipHash, which is the same in each run.
pub(super) fn number(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}
