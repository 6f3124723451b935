//! The instructions that kernels consist of after the device's optimisation, loop by loop, and the text in which they reach the host.

use crate::cfg::Cfg;
use crate::ir::{Opcode, Type, TypeKind, Value};
use crate::omp::{self, Call, KernelName};
use inkwell::module::Module;
use ipda_models::report::{InstructionClass as Class, LoopInstructions};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) const PREFIX: &str = "__ipda_instructions_";
const HEADER: &str = "ipda instructions 1\n";

/// Instructions of one kernel beyond which they are not counted.
const MAX_INSTRUCTIONS: usize = 200_000;
/// Loops of one kernel beyond which they are not told.
const MAX_LOOPS: usize = 500;
/// Calls of functions that stay calls, around each other or one after the other in one kernel.
const MAX_CALLS: usize = 64;
/// Steps from a pointer to the variable that it points into.
const MAX_STEPS: usize = 32;

/// The instructions of one kernel, or why they were not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    pub kernel: String,
    pub loops: Result<Vec<LoopInstructions>, String>,
}

/// Counts the instructions of a module's kernels.
pub(super) fn count(module: &Module<'_>) -> Vec<Counted> {
    let kernels = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    let of_kernel = |function| {
        let function = Value::of(&function);
        let kernel = function.name();
        KernelName::parse(&kernel)?;
        Some(Counted { kernel, loops: in_kernel(function) })
    };
    kernels.filter_map(of_kernel).collect()
}

fn in_kernel(kernel: Value) -> Result<Vec<LoopInstructions>, String> {
    let mut loops: Vec<LoopInstructions> = Vec::new();
    let mut work = vec![(kernel, 0)];
    let (mut instructions, mut calls) = (0, 0);
    while let Some((function, around)) = work.pop() {
        instructions += function.instruction_count();
        calls += 1;
        if instructions > MAX_INSTRUCTIONS {
            return Err("it has too many instructions".into());
        }
        if calls > MAX_CALLS {
            return Err("it has too many calls, or a function calls itself".into());
        }
        let cfg = Cfg::new(function);
        if cfg.irreducible {
            return Err("its loops are entangled".into());
        }
        let mut depths: Vec<u32> = Vec::new();
        for natural in &cfg.loops {
            depths.push(natural.parent.map_or(around, |parent| depths[parent]) + 1);
        }
        let first = loops.len();
        loops.push(LoopInstructions { depth: around, line: None, counts: BTreeMap::new() });
        for (natural, &depth) in cfg.loops.iter().zip(&depths) {
            let latch = natural.latches.first().and_then(|&latch| cfg.blocks[latch].terminator());
            let header = cfg.blocks[natural.header].terminator();
            let place = latch.and_then(Value::loop_location).or_else(|| header.and_then(Value::location));
            let line = place.map(|place| place.line).filter(|&line| line > 0);
            loops.push(LoopInstructions { depth, line, counts: BTreeMap::new() });
        }
        if loops.len() > MAX_LOOPS {
            return Err("it has too many loops".into());
        }
        let mut called = Vec::new();
        for (id, block) in cfg.blocks.iter().enumerate() {
            let innermost = cfg.loop_of(id);
            let entry = &mut loops[innermost.map_or(first, |at| first + 1 + at)];
            for instruction in block.instructions() {
                if let Some((class, count)) = class_of(instruction) {
                    *entry.counts.entry(class).or_default() += count;
                }
                called.extend(runs(instruction).map(|callee| (callee, entry.depth)));
            }
        }
        // The first call is looked at first.
        work.extend(called.into_iter().rev());
    }
    Ok(loops)
}

/// The function of the program that a call starts, directly or by the runtime.
fn runs(instruction: Value) -> Option<Value> {
    let callee = match omp::decode(instruction) {
        _ if !instruction.is_call() => return None,
        Ok(Call::User(callee)) => callee,
        Ok(Call::Outlined(outlined)) => outlined.body,
        _ => return None,
    };
    (!callee.is_declaration()).then_some(callee)
}

/// The class of an instruction, and how many of it the device runs; none for what costs nothing.
fn class_of(instruction: Value) -> Option<(Class, u64)> {
    use Opcode::*;
    let of_operand = || instruction.operand(0).ty().scalar();
    Some(match instruction.opcode()? {
        LLVMLoad => (
            of_memory(
                instruction.operand(0),
                [Class::LoadGlobal, Class::LoadShared, Class::LoadLocal, Class::LoadConstant],
            ),
            1,
        ),
        LLVMStore => (
            of_memory(
                instruction.operand(1),
                [Class::StoreGlobal, Class::StoreShared, Class::StoreLocal, Class::StoreGlobal],
            ),
            1,
        ),
        LLVMAtomicRMW | LLVMAtomicCmpXchg => (Class::Atomic, 1),
        LLVMFence => (Class::Barrier, 1),
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFNeg | LLVMFCmp => {
            let (ty, lanes) = of_operand();
            (float(ty), lanes)
        }
        LLVMFDiv => {
            let (ty, lanes) = of_operand();
            (if is_double(ty) { Class::Divide64 } else { Class::Divide32 }, lanes)
        }
        LLVMFRem => {
            let (ty, lanes) = of_operand();
            (special(ty), lanes)
        }
        LLVMFPTrunc | LLVMFPExt | LLVMFPToSI | LLVMFPToUI | LLVMSIToFP | LLVMUIToFP => (Class::Convert, of_operand().1),
        LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => (Class::IntegerDivide, of_operand().1),
        LLVMAdd | LLVMSub | LLVMMul | LLVMShl | LLVMLShr | LLVMAShr | LLVMAnd | LLVMOr | LLVMXor | LLVMICmp => {
            let (ty, lanes) = of_operand();
            (integer(ty), lanes)
        }
        LLVMSExt | LLVMZExt | LLVMSelect => {
            let (ty, lanes) = instruction.ty().scalar();
            (integer(ty), lanes)
        }
        LLVMGetElementPtr => {
            let steps = instruction.operands().skip(1).filter(|index| !index.is_constant()).count();
            return (steps > 0).then_some((Class::Integer64, steps as u64));
        }
        LLVMBr if instruction.branch_condition().is_some() => (Class::Branch, 1),
        LLVMSwitch => (Class::Branch, 1),
        LLVMCall | LLVMInvoke => return of_call(instruction),
        _ => return None,
    })
}

fn of_call(call: Value) -> Option<(Class, u64)> {
    let Some(callee) = call.callee() else { return Some((Class::Call, 1)) };
    let (ty, lanes) = call.ty().scalar();
    callee.with_name(|name| {
        if let Some(rest) = name.strip_prefix("llvm.nvvm.").or_else(|| name.strip_prefix("llvm.amdgcn.")) {
            let is_any = |words: &[&str]| words.iter().any(|word| rest.contains(word));
            return Some(match () {
                () if is_any(&["barrier", "bar.", "membar", "fence"]) => (Class::Barrier, 1),
                () if is_any(&["sqrt", "sin", "cos", "ex2", "exp", "lg2", "log", "rcp"]) => (special(ty), lanes),
                () if is_any(&["read.ptx", "workitem", "workgroup"]) => (Class::Integer32, 1),
                () => (Class::Call, 1),
            });
        }
        if let Some(rest) = name.strip_prefix("llvm.") {
            return match rest.split('.').next().unwrap_or_default() {
                "fma" | "fmuladd" | "minnum" | "maxnum" | "minimum" | "maximum" | "fabs" | "copysign" | "floor"
                | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" => Some((float(ty), lanes)),
                "memcpy" | "memmove" | "memset" => Some((Class::Call, 1)),
                _ if !omp::is_pure_intrinsic(name) => None,
                _ if ty.int_bits().is_some() => Some((integer(ty), lanes)),
                _ => Some((special(ty), lanes)),
            };
        }
        if name.starts_with("__kmpc_barrier") || name == "__kmpc_syncwarp" {
            return Some((Class::Barrier, 1));
        }
        let is_special = omp::is_function_of_numbers(name) && callee.is_declaration();
        Some(if is_special { (special(ty), lanes) } else { (Class::Call, 1) })
    })
}

fn is_double(ty: Type) -> bool {
    ty.kind() == TypeKind::LLVMDoubleTypeKind
}

fn float(ty: Type) -> Class {
    match ty.kind() {
        TypeKind::LLVMDoubleTypeKind => Class::Float64,
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => Class::Float16,
        _ => Class::Float32,
    }
}

fn special(ty: Type) -> Class {
    if is_double(ty) { Class::Special64 } else { Class::Special32 }
}

fn integer(ty: Type) -> Class {
    let is_wide = ty.int_bits().is_some_and(|bits| bits > 32) || ty.is_pointer() || is_double(ty);
    if is_wide { Class::Integer64 } else { Class::Integer32 }
}

/// One of the classes for global, shared, local and constant memory, by what a pointer points into.
fn of_memory(mut pointer: Value, [global, shared, local, constant]: [Class; 4]) -> Class {
    // The numbers of both NVIDIA's and AMD's targets.
    const SHARED: u32 = 3;
    const CONSTANT: u32 = 4;
    const LOCAL: u32 = 5;
    for _ in 0..MAX_STEPS {
        match pointer.address_space() {
            SHARED => return shared,
            CONSTANT => return constant,
            LOCAL => return local,
            _ => {}
        }
        match pointer.opcode() {
            Some(Opcode::LLVMAlloca) => return local,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAddrSpaceCast | Opcode::LLVMBitCast) => {
                pointer = pointer.operand(0);
            }
            _ => break,
        }
    }
    global
}

/// A line for each kernel, and below it one for each loop: depth, line or `-`, and what is counted.
pub(super) fn write(kernels: &[Counted]) -> String {
    let mut text = HEADER.to_string();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string succeeds");
    for counted in kernels {
        line(format_args!("kernel {}", counted.kernel));
        match &counted.loops {
            Err(reason) => line(format_args!("uncounted {reason}")),
            Ok(loops) => {
                for entry in loops {
                    let at = entry.line.map_or_else(|| "-".to_string(), |line| line.to_string());
                    let counts = entry.counts.iter().map(|(class, count)| format!(" {}={count}", class.name()));
                    line(format_args!("{} {at}{}", entry.depth, counts.collect::<String>()));
                }
            }
        }
    }
    text
}

pub(super) fn parse(text: &str) -> Option<Vec<Counted>> {
    let mut kernels: Vec<Counted> = Vec::new();
    for line in text.trim_end_matches('\0').strip_prefix(HEADER)?.lines() {
        if let Some(kernel) = line.strip_prefix("kernel ") {
            kernels.push(Counted { kernel: kernel.into(), loops: Ok(Vec::new()) });
            continue;
        }
        let last = kernels.last_mut()?;
        match line.strip_prefix("uncounted ") {
            Some(reason) => last.loops = Err(reason.into()),
            None => last.loops.as_mut().ok()?.push(parse_loop(line)?),
        }
    }
    Some(kernels)
}

fn parse_loop(text: &str) -> Option<LoopInstructions> {
    let mut words = text.split(' ');
    let depth = words.next()?.parse().ok()?;
    let line = match words.next()? {
        "-" => None,
        line => Some(line.parse().ok()?),
    };
    let count = |word: &str| {
        let (name, count) = word.split_once('=')?;
        let class = Class::ALL.into_iter().find(|class| class.name() == name)?;
        Some((class, count.parse().ok()?))
    };
    Some(LoopInstructions { depth, line, counts: words.map(count).collect::<Option<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_survive_the_way_through_the_object() {
        let inner = LoopInstructions {
            depth: 2,
            line: Some(12),
            counts: [(Class::LoadGlobal, 2), (Class::Special64, 1)].into(),
        };
        let outside = LoopInstructions { depth: 0, line: None, counts: BTreeMap::new() };
        let kernels = vec![
            Counted { kernel: "f".into(), loops: Ok(vec![outside, inner]) },
            Counted { kernel: "g".into(), loops: Err("it has too many loops".into()) },
        ];
        assert_eq!(parse(&write(&kernels)), Some(kernels));
    }

    #[test]
    fn other_texts_are_no_counts() {
        for text in
            ["", "ipda instructions 9\n", "ipda instructions 1\n0 -", "ipda instructions 1\nkernel f\n0 - moves=1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
