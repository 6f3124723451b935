//! Arrays that a kernel overwrites entirely, and never reads before: what they hold need not be brought to the device.
//!
//! ```text
//! #pragma omp target teams distribute parallel for map(tofrom: y[0:n])
//! for i: y[i] = 0; for j: y[i] += A[i*m + j]
//! ```
//!
//! A result rests on this: what is not brought and not written comes back as something else. So there must be one store that runs in all iterations of
//! all loops around it, whose numbers of iterations and whose address are sums of what the launch is given; whether its bytes are all of the section's
//! is asked at each launch, in numbers (`fills` in `support/decide.c`).

use crate::analysis::dependences::{Position, runs_in_every_iteration};
use crate::analysis::finished::main_thread;
use crate::analysis::region::Analysis;
use crate::analysis::written::{self, Use};
use crate::openmp::{self, Reads};
use crate::transform::{Arguments, Sum};
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{AtomId, Coeff, Polynomial, TripCount};

/// Loops around a store.
pub(crate) const MAX_LOOPS: usize = 4;

/// A store to all bytes of an array, where the numbers of a launch say so.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Overwritten {
    /// Position among the captured variables.
    pub capture: usize,
    /// Bytes of the store.
    pub bytes: u64,
    /// Bytes from where the captured pointer leads to its first one.
    pub start: Sum,
    /// What is not 0 where the loops run at all.
    pub when: Vec<Sum>,
    /// By how many bytes each of the loops around it moves it on, and how often that runs.
    pub loops: Vec<(Sum, Sum)>,
}

impl Overwritten {
    /// All sums that a launch computes of it.
    pub(crate) fn sums(&self) -> impl Iterator<Item = &Sum> {
        let of_loops = self.loops.iter().flat_map(|(stride, trips)| [stride, trips]);
        [&self.start].into_iter().chain(&self.when).chain(of_loops)
    }
}

/// An access that leads from captured pointers.
struct Touch {
    block: BlockId,
    instruction: Value,
    pointer: Value,
    bytes: Option<u64>,
    /// Positions of these among the kernel's parameters.
    params: Vec<usize>,
}

/// Whether it is worth an analysis.
pub(crate) fn may_be_any(uses: Option<&[Use]>) -> bool {
    uses.is_some_and(|uses| uses.contains(&Use::MayBeWritten))
}

/// The arrays that a region overwrites, of those that its captured pointers lead to.
pub(crate) fn of_region(analysis: &mut Analysis<'_>, params: &[Value]) -> Vec<Overwritten> {
    let Some((reads, stores)) = touches(analysis, params) else { return Vec::new() };
    let mut known = Vec::new();
    for store in &stores {
        let [param] = store.params[..] else { continue };
        let mut own = reads.iter().filter(|read| read.params.contains(&param));
        if params[param].ty().is_pointer() && own.all(|read| is_behind(analysis, read, store)) {
            known.extend(Regular::of(analysis, store, param));
        }
    }
    // Behind all that was looked at: what was not is no argument yet.
    let arguments = Arguments::of(analysis, params);
    let mut found: Vec<Overwritten> = Vec::new();
    for store in &known {
        if !found.iter().any(|other| other.capture + 1 == store.param) {
            found.extend(store.in_arguments(analysis, &arguments));
        }
    }
    // What is known of a value may be wrong where work was given up.
    if analysis.lowering.space.gave_up() { Vec::new() } else { found }
}

/// What is read, and what is stored to; none where anything may be read, or the kernel may wait for what others do: while it waits, others may read what
/// has not been brought.
fn touches(analysis: &Analysis<'_>, params: &[Value]) -> Option<(Vec<Touch>, Vec<Touch>)> {
    let (mut reads, mut stores) = (Vec::new(), Vec::new());
    let layout = analysis.setting.layout;
    for (block, code) in analysis.cfg.blocks.iter().enumerate() {
        for instruction in code.instructions() {
            let touch = |pointer, bytes| {
                let params = written::led_from(pointer, params)?;
                Some(Touch { block, instruction, pointer, bytes, params })
            };
            match instruction.opcode()? {
                Opcode::LLVMLoad => {
                    let read = touch(instruction.operand(0), Some(layout.store_size(instruction.ty())))?;
                    if instruction.is_volatile_or_atomic() {
                        return None;
                    }
                    reads.push(read);
                }
                Opcode::LLVMStore => {
                    let bytes = layout.store_size(instruction.operand(0).ty());
                    let store = touch(instruction.operand(1), Some(bytes))?;
                    // The plugin's own marks are volatile stores to variables.
                    if instruction.is_volatile_or_atomic() && !store.params.is_empty() {
                        return None;
                    }
                    stores.push(store);
                }
                Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMFence => return None,
                Opcode::LLVMCall => {
                    for pointer in read_by_call(instruction)? {
                        reads.push(touch(pointer, None)?);
                    }
                }
                _ => {}
            }
        }
    }
    Some((reads, stores))
}

/// The pointers through which a call reads; none where that is not known.
fn read_by_call(call: Value) -> Option<Vec<Value>> {
    let pointers = || call.call_args().into_iter().filter(|arg| arg.ty().is_pointer());
    if openmp::block_operation(call).is_some() {
        // What is filled is not read.
        return Some(pointers().skip(1).collect());
    }
    if let Some(effects) = openmp::effects(call) {
        return match effects.reads {
            Reads::Nothing => Some(Vec::new()),
            Reads::Arguments => Some(pointers().collect()),
            Reads::Anything => None,
        };
    }
    let is_known = written::writes_of(call).is_some();
    // Not a number of threads `in_block`.
    let waits = call.calls(|name| ["flush", "critical", "_lock"].iter().any(|what| name.contains(what)));
    // What the runtime reads are its own words, and what combines the copies of a reduction leads there through memory.
    (is_known && !waits).then(Vec::new)
}

/// Whether a read comes in each iteration after the store, and of nothing else.
fn is_behind(analysis: &mut Analysis<'_>, read: &Touch, store: &Touch) -> bool {
    let comes_before = match read.block == store.block {
        true => {
            let mut all = analysis.cfg.blocks[read.block].instructions();
            all.find(|&instruction| instruction == read.instruction || instruction == store.instruction)
                == Some(store.instruction)
        }
        false => analysis.cfg.dominates(store.block, read.block),
    };
    let mut around = analysis.cfg.loop_chain(analysis.cfg.loop_of(store.block));
    let is_inside = around.all(|index| analysis.cfg.loops[index].contains(read.block));
    let is_part = matches!((read.bytes, store.bytes), (Some(read), Some(store)) if read <= store);
    comes_before
        && is_inside
        && is_part
        && read.params.len() == 1
        && address(analysis, read) == address(analysis, store)
}

fn address(analysis: &mut Analysis<'_>, touch: &Touch) -> Polynomial {
    let lowered = analysis.lowering.value_at(touch.pointer, touch.block).value;
    analysis.lowering.refine(&lowered, touch.block)
}

/// A store that runs in every iteration of the loops around it.
struct Regular {
    /// Position among the kernel's parameters.
    param: usize,
    bytes: u64,
    address: Polynomial,
    when: Polynomial,
    /// The number of each loop's iteration, and how many there are.
    loops: Vec<(AtomId, Polynomial)>,
}

impl Regular {
    /// None where it does not, or not in a known number of them.
    fn of(analysis: &mut Analysis<'_>, store: &Touch, param: usize) -> Option<Regular> {
        let Position::InLoops(around) = Position::of(analysis, store.block) else { return None };
        if around.len() > MAX_LOOPS || !runs_in_every_iteration(analysis, store.block, &around) {
            return None;
        }
        let mut loops = Vec::new();
        for index in around {
            let TripCount::Exactly(trips) = analysis.lowering.trip_count(index) else { return None };
            loops.push((analysis.lowering.iteration(index).as_atom()?, trips));
        }
        let when = condition_of_loops(analysis, store.block)?;
        Some(Regular { param, bytes: store.bytes?, address: address(analysis, store), when, loops })
    }

    /// The same as what a launch can compute. A sum knows no iteration numbers, and nothing that is read.
    fn in_arguments(&self, analysis: &Analysis<'_>, arguments: &Arguments) -> Option<Overwritten> {
        let is_pointer =
            |atom: &AtomId| arguments.given(*atom).is_some_and(|given| given.is_pointer && given.param == self.param);
        let pointer = self.address.atoms().into_iter().find(is_pointer)?;
        let space = arguments.in_space(&analysis.lowering.space);
        let sum = |value: &Polynomial| {
            if value.is_zero() {
                return "0".parse::<Sum>().ok();
            }
            let sum = space.sum(value)?;
            let is_known = sum.given().iter().all(|given| !given.is_pointer)
                && sum.divisors().iter().all(|divisor| divisor.as_constant().is_some());
            is_known.then_some(sum)
        };
        let mut start = &self.address - &Polynomial::from(pointer);
        let mut loops = Vec::new();
        let mut strides = Vec::new();
        let mut goes_up = true;
        for (number, trips) in &self.loops {
            let (stride, others) = start.split_affine(*number)?;
            goes_up &= has_no_negative(&stride);
            strides.push((stride.clone(), trips.as_constant().and_then(Coeff::to_i64)));
            loops.push((sum(&stride)?, sum(trips)?));
            start = others;
        }
        if leaves_gaps(self.bytes, &strides) {
            return None;
        }
        // As in the inside of a field: what lies before it is in the section, and stays.
        if goes_up && has_no_negative(&start) && !start.constant_term().is_zero() {
            return None;
        }
        let when = if self.when.is_one() { Vec::new() } else { vec![sum(&self.when)?] };
        Some(Overwritten { capture: self.param.checked_sub(1)?, bytes: self.bytes, start: sum(&start)?, when, loops })
    }
}

/// Whether bytes stay between stores of so many, which loops move on by these strides, as often as known: members of structures, or all but the last of a
/// row. For this, all longer strides are multiples of the one that leaves them.
fn leaves_gaps(bytes: u64, loops: &[(Polynomial, Option<i64>)]) -> bool {
    let repeats = || loops.iter().filter(|(stride, trips)| *trips != Some(1) && !stride.is_zero());
    let constant = |stride: &Polynomial| Some(stride.as_constant()?.to_i64()?.unsigned_abs());
    let mut known: Vec<(u64, Option<i64>)> =
        repeats().filter_map(|(stride, trips)| Some((constant(stride)?, *trips))).collect();
    known.sort_unstable();
    let mut together = bytes;
    for (stride, trips) in known {
        if stride > together {
            let gap = Coeff::from(stride);
            let is_multiple = |coefficient: &Coeff| coefficient.rem_euclid(&gap).is_some_and(|rest| rest.is_zero());
            let mut others = repeats().filter(|(other, _)| constant(other).is_none());
            return others.all(|(other, _)| other.terms().all(|(_, coefficient)| is_multiple(coefficient)));
        }
        let Some(more) = trips.and_then(|trips| u64::try_from(trips).ok()) else { return false };
        together = together.saturating_add(stride.saturating_mul(more.saturating_sub(1)));
    }
    false
}

/// Whether a sum is not below 0 for numbers that are not.
fn has_no_negative(sum: &Polynomial) -> bool {
    sum.terms().all(|(_, coefficient)| !coefficient.is_negative())
}

/// The condition under which the kernel comes to the outermost loop around a block, or to the block. Between a call that hands out iterations, and the
/// loop over them, all code is the compiler's.
fn condition_of_loops(analysis: &mut Analysis<'_>, block: BlockId) -> Option<Polynomial> {
    let outermost = analysis.cfg.loop_chain(analysis.cfg.loop_of(block)).last();
    let header = outermost.map_or(block, |index| analysis.cfg.loops[index].header);
    let chain: Vec<usize> = analysis.cfg.loop_chain(analysis.cfg.loop_of(block)).collect();
    let calls = analysis.nest.shared.iter().filter(|shared| chain.contains(&shared.index)).map(|shared| shared.call);
    let prepares = |call: Value| {
        let at = analysis.cfg.id(call.block())?;
        (analysis.cfg.loop_of(at).is_none() && analysis.cfg.dominates(at, header)).then_some(at)
    };
    let from = calls.filter_map(prepares).min().unwrap_or(header);
    // The device's runtime lets a thread begin.
    let ends = analysis.cfg.blocks.iter().filter_map(|block| block.terminator());
    let start =
        ends.filter_map(|end| main_thread(analysis.cfg, end)).find(|&start| analysis.cfg.dominates(start, from));
    analysis.lowering.path_condition(start.unwrap_or(0), from)
}
