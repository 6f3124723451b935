//! The instructions that kernels consist of after the device's optimisation, loop by loop, and the text in which they reach the host.

use crate::analysis::finished::{Finished, FinishedLoop, SourceRegion, in_region, rounded, source_of};
use crate::analysis::region::Setting;
use crate::openmp;
use crate::openmp::outline::TargetRegion;
use ipda_llvm::{Opcode, Type, TypeKind, Value};
use ipda_models::report::{CodePlace, InstructionClass as Class, Lockstep, LoopInstructions, Quantity, RegionKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) const PREFIX: &str = "__ipda_instructions_";
const HEADER: &str = "ipda instructions 6\n";

/// Loops of one kernel beyond which they are not reported.
const MAX_LOOPS: usize = 500;
/// Steps from a pointer to the variable that it points into.
const MAX_STEPS: usize = 32;

/// The instructions of one kernel, or why they were not counted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counted {
    pub kernel: String,
    pub loops: Result<Vec<LoopInstructions>, String>,
}

/// Counts the instructions of kernels of OpenMP.
pub(super) fn count<'r>(
    setting: &Setting<'_>,
    regions: impl Iterator<Item = &'r TargetRegion>,
    sources: &[SourceRegion],
) -> Vec<Counted> {
    let of_kernel = |region: &TargetRegion| {
        let source = source_of(sources, &region.symbol);
        let loops = in_region(setting, region, source, in_kernel).and_then(|loops| loops);
        Counted { kernel: region.symbol.clone(), loops }
    };
    regions.filter(|region| region.kind == RegionKind::Target).map(of_kernel).collect()
}

fn in_kernel(finished: &Finished) -> Result<Vec<LoopInstructions>, String> {
    if finished.loops.len() > MAX_LOOPS {
        return Err("it has too many loops".into());
    }
    let empty = |found: &FinishedLoop| LoopInstructions {
        place: found.place.clone(),
        counts: BTreeMap::new(),
        load_runs: None,
    };
    let mut loops: Vec<LoopInstructions> = finished.loops.iter().map(empty).collect();
    // How likely something has ended the last run of loads, of each loop.
    let mut ended = vec![1.0_f64; loops.len()];
    let mut runs = vec![0.0_f64; loops.len()];
    let mut addresses = Addresses::default();
    for &(block, at, chance) in &finished.blocks {
        let all = block.instructions().flat_map(|instruction| {
            let of = class_of(instruction).map(|(class, count)| (class, count as f64 * chance));
            let share = if of.is_some() { addresses.share(instruction, at, chance) } else { 1.0 };
            let also = also_of(instruction).map(|(class, count)| (class, count as f64 * chance));
            of.map(|(class, count)| (class, count * share)).into_iter().chain(also)
        });
        for (class, count) in all.collect::<Vec<_>>() {
            *loops[at].counts.entry(class).or_default() += count;
            match class {
                Class::LoadGlobal => {
                    runs[at] += ended[at].min(chance);
                    ended[at] = 0.0;
                }
                Class::StoreGlobal | Class::Atomic | Class::Barrier | Class::Call => ended[at] = ended[at].max(chance),
                _ => {}
            }
        }
    }
    for (entry, runs) in loops.iter_mut().zip(runs) {
        entry.counts.values_mut().for_each(|count| *count = rounded(*count));
        entry.counts.retain(|_, count| *count > 0.0);
        let runs = rounded(runs);
        entry.load_runs = (runs > 0.0 && runs.max(1.0) != entry.usual_load_runs()).then_some(runs);
    }
    Ok(loops)
}

/// The body of a loop that an address is computed in, what it points into, and its steps that vary, by their places.
type Address = (usize, Value, Vec<(u32, Value)>);

/// Addresses within a team's or a thread's own memory that differ by constants are computed once: what accesses memory adds a constant itself (LLVM's
/// `SeparateConstOffsetFromGEP`, which NVPTX and AMDGPU run in code generation). That is as true of global memory, where the computation stands for what
/// the model of waits lacks when a thread goes along a row.
#[derive(Default)]
struct Addresses {
    /// How likely each has been computed in a run of a loop's body.
    known: FxHashMap<Address, f64>,
}

impl Addresses {
    /// The share of an instruction in the body of a loop that is left of it, if it is come to so likely.
    fn share(&mut self, instruction: Value, at: usize, chance: f64) -> f64 {
        if is_offset(instruction) {
            return 0.0;
        }
        if !is_near(&instruction) || chance <= 0.0 {
            return 1.0;
        }
        let steps = (1..instruction.operand_count()).map(|step| (step, instruction.operand(step)));
        let varying =
            steps.filter(|(_, index)| !index.is_constant()).map(|(step, index)| (step, without_offset(index)));
        let known = self.known.entry((at, base(instruction.operand(0)), varying.collect())).or_default();
        let before = known.min(chance);
        *known = known.max(chance);
        1.0 - before / chance
    }
}

/// Whether a value is an address in a team's or a thread's own memory that is computed from another one.
fn is_near(value: &Value) -> bool {
    let of =
        |pointer| of_memory(pointer, [Class::LoadGlobal, Class::LoadShared, Class::LoadLocal, Class::LoadConstant]);
    value.is(Opcode::LLVMGetElementPtr) && matches!(of(*value), Class::LoadShared | Class::LoadLocal)
}

/// What a pointer points into, without constant steps.
fn base(mut pointer: Value) -> Value {
    for _ in 0..MAX_STEPS {
        let is_constant_step =
            pointer.is(Opcode::LLVMGetElementPtr) && pointer.operands().skip(1).all(Value::is_constant);
        if !is_constant_step && !pointer.is(Opcode::LLVMAddrSpaceCast) {
            break;
        }
        pointer = pointer.operand(0);
    }
    pointer
}

/// An index without constants that are added to it before it becomes as wide as an address.
fn without_offset(mut index: Value) -> Value {
    for _ in 0..MAX_STEPS {
        let narrow = index;
        let is_extended = matches!(narrow.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt));
        let sum = if is_extended { narrow.operand(0) } else { narrow };
        let is_same = !narrow.is(Opcode::LLVMZExt) || narrow.has_nneg() || sum.has_nuw();
        if !adds_offset(sum) || !is_same {
            return if is_extended { sum } else { index };
        }
        index = sum.operand(0);
    }
    index
}

/// Whether an integer is another one and a constant, also if it is made wider.
fn adds_offset(sum: Value) -> bool {
    let has_constant = |opcode: Opcode| sum.is(opcode) && sum.operand(1).as_int().is_some();
    has_constant(Opcode::LLVMAdd) && (sum.has_nsw() || sum.ty().int_bits() == Some(64))
        || has_constant(Opcode::LLVMOr) && sum.is_disjoint()
}

/// Whether a sum with a constant is nothing but indices.
fn is_offset(sum: Value) -> bool {
    let is_index = |user: Value| {
        let is_extended = matches!(user.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt));
        let is_same = !user.is(Opcode::LLVMZExt) || user.has_nneg() || sum.has_nuw();
        is_near(&user) || is_extended && is_same && user.users().iter().all(is_near)
    };
    adds_offset(sum) && sum.users().into_iter().all(is_index)
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
        LLVMFAdd | LLVMFSub | LLVMFMul => {
            let (ty, lanes) = of_operand();
            (float(ty), lanes)
        }
        LLVMFCmp => {
            let (ty, lanes) = of_operand();
            (compared(ty), lanes)
        }
        // Instructions take operands with their signs changed.
        LLVMFNeg => return None,
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
        LLVMSExt | LLVMZExt if is_part_of_another(instruction) => return None,
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

/// Whether an extension is no instruction of its own: loads extend what they load, and addresses are computed from narrow numbers (PTX's `mul.wide`).
fn is_part_of_another(extension: Value) -> bool {
    let narrow = extension.operand(0);
    let is_loaded = narrow.is(Opcode::LLVMLoad) && narrow.ty().int_bits().is_some_and(|bits| bits < 32);
    let is_step = |user: &Value| user.is(Opcode::LLVMGetElementPtr);
    is_loaded || narrow.ty().int_bits() == Some(32) && extension.users().iter().all(is_step)
}

/// What the units for doubles do of a conversion from or to them: devices that have few of these convert them no faster.
fn also_of(instruction: Value) -> Option<(Class, u64)> {
    let (_, lanes) = class_of(instruction).filter(|(class, _)| *class == Class::Convert)?;
    let is_wide = |ty: Type| is_double(ty) || ty.int_bits().is_some_and(|bits| bits > 32);
    let both = [instruction.operand(0).ty(), instruction.ty()];
    both.into_iter().any(|ty| is_wide(ty.scalar().0)).then_some((Class::Float64, lanes))
}

fn of_call(call: Value) -> Option<(Class, u64)> {
    let Some(callee) = call.callee() else { return Some((Class::Call, 1)) };
    let (ty, lanes) = call.ty().scalar();
    callee.with_name(|name| {
        if let Some(rest) = name.strip_prefix("llvm.nvvm.").or_else(|| name.strip_prefix("llvm.amdgcn.")) {
            let is_any = |words: &[&str]| words.iter().any(|word| rest.contains(word));
            let begins_with = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
            return Some(match () {
                // Halves of doubles are registers of their own.
                () if begins_with(&["d2i.lo", "d2i.hi", "lohi.i2d"]) => (Class::Integer32, 1),
                () if begins_with(&["d2", "f2", "i2", "ui2", "ll2", "ull2"]) => (Class::Convert, lanes),
                () if begins_with(&["fabs."]) => return None,
                () if begins_with(&["add.", "mul.r", "fma.", "saturate."]) => (float(ty), lanes),
                () if begins_with(&["fmin.", "fmax."]) => (compared(ty), lanes),
                () if begins_with(&["floor.", "ceil.", "round.", "trunc."]) => (Class::Convert, lanes),
                // One instruction of the special units.
                () if is_any(&[".approx."]) && !begins_with(&["div."]) => (Class::Convert, lanes),
                () if begins_with(&["div."]) => (if is_double(ty) { Class::Divide64 } else { Class::Divide32 }, lanes),
                () if begins_with(&["mulhi.", "mul24.", "sad.", "brev", "popc", "clz", "prmt"]) => (integer(ty), lanes),
                () if is_any(&["barrier", "bar.", "membar", "fence"]) => (Class::Barrier, 1),
                () if is_any(&["sqrt", "sin", "cos", "ex2", "exp", "lg2", "log", "rcp"]) => (special(ty), lanes),
                () if is_any(&["read.ptx", "workitem", "workgroup"]) => (Class::Integer32, 1),
                () => (Class::Call, 1),
            });
        }
        if let Some(rest) = name.strip_prefix("llvm.") {
            return match rest.split('.').next().unwrap_or_default() {
                "fabs" => None,
                "fma" | "fmuladd" | "copysign" => Some((float(ty), lanes)),
                "minnum" | "maxnum" | "minimum" | "maximum" => Some((compared(ty), lanes)),
                "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" => {
                    Some((Class::Convert, lanes))
                }
                "memcpy" | "memmove" | "memset" => Some((Class::Call, 1)),
                _ if !openmp::is_pure_intrinsic(name) => None,
                _ if ty.int_bits().is_some() => Some((integer(ty), lanes)),
                _ => Some((special(ty), lanes)),
            };
        }
        if name.starts_with("__kmpc_barrier") || name == "__kmpc_syncwarp" {
            return Some((Class::Barrier, 1));
        }
        let is_special = openmp::is_mathematics(name) && callee.is_declaration();
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

/// Of a comparison of floats, a smaller or a larger one: units of integers compare all but doubles (NVIDIA, Nsight Compute, Kernel Profiling Guide, Pipelines, ALU).
fn compared(ty: Type) -> Class {
    if is_double(ty) { Class::Float64 } else { Class::Integer32 }
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

/// A line for each kernel, and below it two for each loop: depth, line or `-`, shared loop or `-`, chance, iterations at once or `-`, those in lockstep or
/// `-`, runs of loads or `-`, and what is counted; then how often it runs, or why that is not known. A third one says which iterations are taken in
/// lockstep: of which loop, from how many on, how far they are apart, and of how many.
pub(super) fn write(kernels: &[Counted]) -> String {
    let mut text = HEADER.to_string();
    let mut line = |words: std::fmt::Arguments<'_>| writeln!(text, "{words}").expect("writing to a string succeeds");
    for counted in kernels {
        line(format_args!("kernel {}", counted.kernel));
        match &counted.loops {
            Err(reason) => line(format_args!("uncounted {reason}")),
            Ok(loops) => {
                for LoopInstructions { place, counts, load_runs } in loops {
                    let at = place.line.map_or_else(|| "-".to_string(), |line| line.to_string());
                    let shared = place.shared.as_deref().unwrap_or("-");
                    let counts = counts.iter().map(|(class, count)| format!(" {}={count}", class.name()));
                    let (depth, chance) = (place.depth, place.chance);
                    let [at_once, together] = [place.at_once, place.together]
                        .map(|several| several.map_or_else(|| "-".to_string(), |several| several.to_string()));
                    let runs = load_runs.map_or_else(|| "-".to_string(), |runs| runs.to_string());
                    let several = format!("{at_once} {together} {runs}");
                    line(format_args!("{depth} {at} {shared} {chance} {several}{}", counts.collect::<String>()));
                    match (&place.executions.value, &place.executions.unknown) {
                        (Some(value), _) => line(format_args!("runs {value}")),
                        (None, reason) => line(format_args!("unknown {}", reason.as_deref().unwrap_or_default())),
                    }
                    if let Some(Lockstep { of, apart, trips, least }) = &place.lockstep {
                        line(format_args!("lockstep {of} {least} {apart}; {trips}"));
                    }
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
        if let Some(reason) = line.strip_prefix("uncounted ") {
            last.loops = Err(reason.into());
            continue;
        }
        let loops = last.loops.as_mut().ok()?;
        if let Some(value) = line.strip_prefix("runs ") {
            loops.last_mut()?.place.executions = Quantity { value: Some(value.into()), unknown: None };
        } else if let Some(reason) = line.strip_prefix("unknown ") {
            loops.last_mut()?.place.executions = Quantity { value: None, unknown: Some(reason.into()) };
        } else if let Some(words) = line.strip_prefix("lockstep ") {
            let mut words = words.splitn(3, ' ');
            let (of, least) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
            let (apart, trips) = words.next()?.split_once("; ")?;
            let lockstep = Lockstep { of, apart: apart.into(), trips: trips.into(), least };
            loops.last_mut()?.place.lockstep = Some(lockstep);
        } else {
            loops.push(parse_loop(line)?);
        }
    }
    Some(kernels)
}

fn parse_loop(text: &str) -> Option<LoopInstructions> {
    let mut words = text.split(' ');
    let depth = words.next()?.parse().ok()?;
    let number = |word: &str| match word {
        "-" => Some(None),
        number => number.parse().ok().map(Some),
    };
    let line = number(words.next()?)?;
    let shared = words.next().filter(|&word| word != "-").map(str::to_string);
    let chance: f64 = words.next()?.parse().ok()?;
    let (at_once, together) = (number(words.next()?)?, number(words.next()?)?);
    let load_runs = match words.next()? {
        "-" => None,
        runs => Some(runs.parse().ok().filter(|runs: &f64| runs.is_finite())?),
    };
    let count = |word: &str| {
        let (name, count) = word.split_once('=')?;
        let class = Class::ALL.into_iter().find(|class| class.name() == name)?;
        Some((class, count.parse().ok().filter(|count: &f64| count.is_finite())?))
    };
    let executions = Quantity { value: None, unknown: Some("the device's compilation did not tell".into()) };
    let place = CodePlace { depth, line, shared, executions, chance, at_once, together, lockstep: None };
    Some(LoopInstructions { place, counts: words.map(count).collect::<Option<_>>()?, load_runs })
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: &str = "ipda instructions 6
kernel f
0 - - 0.25 - - -
runs 4*[n] + 1
1 - loop0 0.25 - 2 -
unknown it depends on data
lockstep loop0 540672 [m]*[l]; floor([n] / 2)
2 12 loop0 0.25 4 - 1.5 load-global=2 special64=0.5
runs 4*[n] + 1
kernel g
uncounted it has too many loops
";

    #[test]
    fn counts_survive_the_way_through_the_object() {
        let kernels = parse(COUNTS).expect("it is in the form that is written");
        assert_eq!(write(&kernels), COUNTS);
        let [f, g] = &kernels[..] else { panic!("two kernels") };
        let loops = f.loops.as_ref().expect("they are counted");
        let depths: Vec<u32> = loops.iter().map(|of| of.place.depth).collect();
        assert_eq!((depths, loops[1].place.together, loops[2].place.at_once), (vec![0, 1, 2], Some(2), Some(4)));
        assert_eq!(loops[2].counts, [(Class::LoadGlobal, 2.0), (Class::Special64, 0.5)].into());
        assert_eq!(g.loops, Err("it has too many loops".into()));
    }

    #[test]
    fn other_texts_are_no_counts() {
        let texts = [
            "",
            "ipda instructions 9\n",
            "ipda instructions 6\n0 - - 1",
            "ipda instructions 6\nruns 1",
            "ipda instructions 6\nkernel f\nruns 1",
            "ipda instructions 6\nkernel f\n0 - - 1 - moves=1",
        ];
        for text in texts {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
