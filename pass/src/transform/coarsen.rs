//! Several iterations of a thread in lockstep, in loops whose neighbours share what they load.
//!
//! ```text
//! for each (i, j) of the thread:                for each (i, i+1, j) of the thread:
//!   for k: c += A[i][k] * B[k][j]                 for k: b = B[k][j], c0 += A[i][k] * b, c1 += A[i+1][k] * b
//!   C[i][j] = c                                   C[i][j] = c0, C[i+1][j] = c1
//! ```
//!
//! A thread that has loaded an element of B uses it for several rows, so that a multiprocessor is asked for less: unroll and jam of a loop that
//! threads share (Callahan, Cocke, Kennedy, "Estimating Interlock and Improving Balance for Pipelined Architectures", 1988; on GPUs thread
//! coarsening, as Volkov, "Better Performance at Lower Occupancy", 2010, has it). Which loop it is, and how many iterations, is decided with the
//! mapping (`together`); that an iteration's number is one of several, the code asks for through optimisation
//! (`common::deferred`), and here, when each value has its last form, every instruction that depends on it is made several times, one beside the other.
//! So iterations take each step together, and no branch may depend on which one it is.
//!
//! Where the number of iterations is no multiple, the last one is made as often as it takes: in lockstep, all of it load and store the same.
//!
//! With few iterations, there would be fewer threads than a GPU holds: a kernel chooses between both by their number.

use super::fallback::NOT_UNROLLED;
use super::overlap;
use crate::analysis::finished::marks;
use crate::common::deferred::{self, Iteration, Width};
use crate::openmp::NUMBER_OF_TEAMS;
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_llvm::{Block, Cfg, Code, IntPredicate, NaturalLoop, Opcode, Value};
use ipda_models::report::Lockstep;
use rustc_hash::{FxHashMap, FxHashSet};

/// Instructions that are made several times, at most: each may need a register.
const MAX_INSTRUCTIONS: usize = 64;

/// Whole groups of iterations that the slowest loop has at least, so that little is done twice for a last one.
const MIN_WHOLE: i64 = Lockstep::MIN_WHOLE as i64;

/// Loads of a thread under way at once that hide their latency: with so many in each of 32 warps, a multiprocessor has 256 under way, as many as one of the
/// L2, of some 270 cycles, takes at one a cycle (Little's law). ptxas, which takes four turns of a loop at once, would make it several times as many, each
/// with a register or two.
const ENOUGH_LOADS: usize = 8;

/// Calls that tell the compiler, or a debugger, something.
const SAID: [&str; 3] = ["llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl"];

/// How many threads keep a GPU busy that have several iterations each: an eighth of what it holds, which has several loads of each under way (Volkov, as
/// above). The time models have the least regret there: docs/research/registers.md.
pub(crate) fn enough(gpu: &Gpu) -> Option<u64> {
    Some(gpu.resident_threads()? / 8)
}

/// Decides what was left open before optimisation: loops take several iterations together where at least `enough` threads are left. Whether there was
/// anything to decide.
pub(crate) fn settle(module: &Module<'_>, enough: impl Fn() -> Option<u64>) -> bool {
    let functions = || module.get_functions().map(|function| Value::of(&function));
    let calls: Vec<Value> = functions().flat_map(Value::instructions).filter(|value| value.is_call()).collect();
    let iterations: Vec<Iteration> = calls.iter().copied().filter_map(Iteration::of).collect();
    let widths: Vec<Width> = calls.iter().copied().filter_map(Width::of).collect();
    if iterations.is_empty() && widths.is_empty() {
        return deferred::remove_functions(module);
    }
    let enough = enough();
    let mut keys: Vec<i64> = Vec::new();
    for of in iterations.iter().map(|iteration| iteration.of).chain(widths.iter().map(|width| width.of)) {
        if !keys.contains(&of) {
            keys.push(of);
        }
    }
    for key in keys {
        let asked: Vec<Iteration> = iterations.iter().filter(|iteration| iteration.of == key).copied().collect();
        let widths: Vec<&Width> = widths.iter().filter(|width| width.of == key).collect();
        let may_be_many = |enough: &u64| widths.iter().all(|width| width.may_be_many(*enough));
        let enough = enough.filter(may_be_many).filter(|enough| coarsen_all(&asked, *enough));
        for width in widths {
            width.settle(enough);
        }
        // Those of the loops that take one at a time, and of all where one cannot take several.
        for call in functions().flat_map(Value::instructions).filter(|value| value.is_call()).collect::<Vec<_>>() {
            if let Some(iteration) = Iteration::of(call).filter(|iteration| iteration.of == key) {
                call.replace_all_uses(iteration.number);
                call.erase();
            }
        }
    }
    deferred::remove_functions(module);
    true
}

impl Width {
    /// Whether sizes that are known leave it open.
    fn may_be_many(&self, enough: u64) -> bool {
        let (trips, others) = (self.trips.as_int(), self.others.as_int());
        let all = trips.zip(others).map(|(trips, others)| trips.saturating_mul(others));
        trips.is_none_or(|trips| trips >= MIN_WHOLE * self.most)
            && all.is_none_or(|all| all >= self.most.saturating_mul(enough as i64))
    }

    /// Decides it: one where it is not known how many threads are `enough`.
    fn settle(&self, enough: Option<u64>) {
        let Width { call, most, trips, others, .. } = *self;
        let here = Code::before(call);
        let number = |number: i64| Value::int_of(call.ty(), number as u64);
        let width = match enough {
            None => number(1),
            Some(enough) => {
                let is_at_least =
                    |value: Value, least: i64| here.compare(IntPredicate::LLVMIntSGE, value, number(least));
                let all = here.binary(Opcode::LLVMMul, trips, others);
                let are_many = is_at_least(all, most.saturating_mul(enough as i64));
                let are_whole = is_at_least(trips, MIN_WHOLE * most);
                // One team alone may count on who runs what.
                let teams = here.intrinsic(NUMBER_OF_TEAMS, &[]);
                let has_teams = here.compare(IntPredicate::LLVMIntNE, teams, Value::int_of(teams.ty(), 1));
                let both = here.binary(Opcode::LLVMAnd, are_many, are_whole);
                here.select(here.binary(Opcode::LLVMAnd, both, has_teams), number(most), number(1))
            }
        };
        call.replace_all_uses(width);
        call.erase();
    }
}

/// Lets all loops with such iterations choose by the width; or none, where one of them cannot. Those that take one at a time are left with the calls.
fn coarsen_all(asked: &[Iteration], enough: u64) -> bool {
    let mut loops: Vec<Shared> = Vec::new();
    for iteration in asked {
        match loops.iter_mut().find(|shared| shared.contains(iteration.call)) {
            Some(shared) => shared.iterations.push(*iteration),
            None => loops.extend(match Shared::around(*iteration) {
                Some(shared) => Some(shared),
                None => return false,
            }),
        }
    }
    let Some(own) = loops.iter().map(Shared::own).collect::<Option<Vec<_>>>() else { return false };
    // What was copied in vain is never run.
    let copies: Option<Vec<Vec<Block>>> = loops.iter().map(Shared::choose).collect();
    let Some(copies) = copies.filter(|copies| !copies.is_empty()) else { return false };
    for ((shared, own), copies) in loops.iter().zip(&own).zip(&copies) {
        shared.take_together(own, enough);
        freeze_remainders(&shared.blocks);
        freeze_remainders(copies);
    }
    true
}

/// The instructions that depend on which iteration it is.
struct Own {
    in_order: Vec<Value>,
    guard: Option<Guard>,
}

/// A test of whether there is an iteration, as of a triangle: before it nothing is done but to compute what it tests.
struct Guard {
    branch: Value,
    /// What it needs that does not depend on the iteration, but stands behind its number.
    earlier: Vec<Value>,
    /// The instructions that compute the condition.
    test: Vec<Value>,
    /// Whether it holds where there is one.
    runs_if: bool,
}

/// A loop of threads.
struct Shared {
    /// Its blocks, the header first.
    blocks: Vec<Block>,
    /// What it is entered from.
    before: Block,
    latches: Vec<Value>,
    iterations: Vec<Iteration>,
}

impl Shared {
    fn around(iteration: Iteration) -> Option<Shared> {
        let cfg = Cfg::new(iteration.call.block().function());
        let is_marked =
            |at: &usize| cfg.loops[*at].latch_terminators(&cfg).any(|of| of.has_loop_property(overlap::MARK));
        let innermost = cfg.loop_of(cfg.id(iteration.call.block())?);
        let natural = &cfg.loops[cfg.loop_chain(innermost).find(is_marked)?];
        let mut outside = cfg.predecessors[natural.header].iter().filter(|from| !natural.contains(**from));
        let before = *outside.next().filter(|_| outside.next().is_none())?;
        // Which way it takes, is known before it.
        let width = iteration.width;
        let is_known = !width.is_instruction()
            || cfg.id(width.block()).is_some_and(|at| !natural.contains(at) && cfg.dominates(at, before));
        let others = natural.blocks.iter().filter(|&&block| block != natural.header);
        is_known.then(|| Shared {
            blocks: std::iter::once(&natural.header).chain(others).map(|&block| cfg.blocks[block]).collect(),
            before: cfg.blocks[before],
            latches: natural.latch_terminators(&cfg).collect(),
            iterations: vec![iteration],
        })
    }

    fn contains(&self, value: Value) -> bool {
        self.blocks.contains(&value.block())
    }

    /// The instructions that depend on which iteration it is; none where not all that they do can be done for several in lockstep.
    fn own(&self) -> Option<Own> {
        let mut own: FxHashSet<Value> = FxHashSet::default();
        let mut branches: Vec<Value> = Vec::new();
        let mut open: Vec<Value> = self.iterations.iter().map(|iteration| iteration.call).collect();
        while let Some(value) = open.pop() {
            for user in value.users() {
                if user.is_call() && user.calls(|name| name.starts_with("llvm.dbg.")) {
                    continue;
                }
                // From one iteration of the thread to the next, or out of the loop.
                let is_carried = user.is(Opcode::LLVMPHI) && user.block() == self.blocks[0];
                if !user.is_instruction() || !self.contains(user) || is_carried {
                    return None;
                }
                if user.is(Opcode::LLVMBr) {
                    branches.push(user);
                } else if own.insert(user) {
                    open.push(user);
                }
            }
        }
        let instructions = || self.blocks.iter().flat_map(|block| block.instructions());
        let is_iteration = |value: &Value| self.iterations.iter().any(|iteration| iteration.call == *value);
        let is_served = |value: Value| {
            let is_own = own.contains(&value);
            match value.opcode() {
                Some(Opcode::LLVMBr | Opcode::LLVMSwitch) => !is_own,
                Some(Opcode::LLVMPHI | Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem) => {
                    true
                }
                Some(Opcode::LLVMLoad) => is_plain(value, value.operand(0)),
                // Each iteration has a place of its own.
                Some(Opcode::LLVMStore) => is_plain(value, value.operand(1)) && own.contains(&value.operand(1)),
                Some(Opcode::LLVMCall) if is_own => value.calls(overlap::is_pure),
                Some(Opcode::LLVMCall) => {
                    value.calls(|name| overlap::is_pure(name) || SAID.iter().any(|said| name.starts_with(said)))
                }
                _ => overlap::is_computation(value),
            }
        };
        let in_order: Vec<Value> = instructions().filter(|value| own.contains(value)).collect();
        if in_order.len() > MAX_INSTRUCTIONS || !instructions().filter(|value| !is_iteration(value)).all(is_served) {
            return None;
        }
        if !self.shares_enough(&own) {
            return None;
        }
        let guard = match branches[..] {
            [] => None,
            [branch] => Some(self.guard(branch, &in_order)?),
            _ => return None,
        };
        Some(Own { in_order, guard })
    }

    /// Whether its inner loops are left with a sixth less of loads and stores: what does not depend on the iteration, they load once.
    fn shares_enough(&self, own: &FxHashSet<Value>) -> bool {
        const WORTH: f64 = 1.2;
        let cfg = Cfg::new(self.blocks[0].function());
        let index = cfg.id(self.blocks[0]).and_then(|header| cfg.loop_of(header));
        let is_inner = |block: &&Block| cfg.id(**block).is_some_and(|at| cfg.loop_of(at) != index);
        let accesses = self.blocks.iter().filter(is_inner).flat_map(|block| block.instructions());
        let accesses = accesses.filter(|value| value.is(Opcode::LLVMLoad) || value.is(Opcode::LLVMStore));
        let (own, shared): (Vec<Value>, Vec<Value>) = accesses.partition(|value| own.contains(value));
        let (own, shared) = (own.len() as f64, shared.len() as f64);
        own + shared >= WORTH * (own + shared / self.iterations[0].most as f64) && shared > 0.0
    }

    /// A branch as the test of whether there is an iteration.
    fn guard(&self, branch: Value, own: &[Value]) -> Option<Guard> {
        let [Iteration { call, .. }] = self.iterations[..] else { return None };
        let cfg = Cfg::new(call.block().function());
        let condition = branch.branch_condition()?;
        let mut test: FxHashSet<Value> = FxHashSet::default();
        let mut open = vec![condition];
        while let Some(value) = open.pop() {
            if own.contains(&value) && test.insert(value) {
                open.extend(value.operands());
            }
        }
        let order: Vec<Value> = call.block().instructions().collect();
        let place = |value: &Value| order.iter().position(|other| other == value);
        // What it compares with may come to stand before the number of the iteration.
        let mut earlier: FxHashSet<Value> = FxHashSet::default();
        let mut open: Vec<Value> = test.iter().flat_map(|value| value.operands()).collect();
        while let Some(value) = open.pop() {
            if !value.is_instruction() || value == call || test.contains(&value) {
                continue;
            }
            let (from, to) = (cfg.id(value.block())?, cfg.id(call.block())?);
            if from != to && !cfg.dominates(from, to) || from == to && own.contains(&value) {
                return None;
            }
            if from == to && place(&value) > place(&call) && earlier.insert(value) {
                if !overlap::is_computation(value) {
                    return None;
                }
                open.extend(value.operands());
            }
        }
        if !test.contains(&condition) || !test.iter().all(|value| overlap::is_computation(*value)) {
            return None;
        }
        // Of the two ways, one leads to all that is done, and the other one past it.
        let [inside, outside] = branch.successors()[..] else { return None };
        let runs = |to: Block| {
            let to_id = cfg.id(to)?;
            let is_only_way = cfg.predecessors[to_id] == [cfg.id(branch.block())?];
            let is_behind = |value: &Value| {
                overlap::is_computation(*value) || cfg.id(value.block()).is_some_and(|at| cfg.dominates(to_id, at))
            };
            Some(is_only_way && own.iter().all(is_behind))
        };
        let runs_if = match (runs(inside)?, runs(outside)?) {
            (true, false) => true,
            (false, true) => false,
            _ => return None,
        };
        let test = own.iter().copied().filter(|value| test.contains(value)).collect();
        let earlier = order.into_iter().filter(|value| earlier.contains(value)).collect();
        Some(Guard { branch, earlier, test, runs_if })
    }

    /// Lets copies of it run where the width is one: these; none where that could not be done.
    fn choose(&self) -> Option<Vec<Block>> {
        let end = self.before.terminator().expect("a block has an end");
        let here = Code::before(end);
        let width = self.iterations[0].width;
        let several = here.compare(IntPredicate::LLVMIntNE, width, Value::int_of(width.ty(), 1));
        Block::choose_copy(&self.blocks, several)
    }

    /// Makes it take several iterations in lockstep.
    fn take_together(&self, Own { in_order: own, guard }: &Own, enough: u64) {
        let most = self.iterations[0].most as u64;
        let mut copies: Vec<FxHashMap<Value, Value>> = vec![FxHashMap::default(); most as usize - 1];
        let mut firsts: Vec<(Value, Value)> = Vec::new();
        for iteration in &self.iterations {
            let numbers = iteration.numbers(most);
            let numbers =
                guard.as_ref().map_or_else(|| numbers.clone(), |guard| guard.existing(iteration.call, &numbers));
            for (copies, number) in copies.iter_mut().zip(&numbers[1..]) {
                copies.insert(iteration.call, *number);
            }
            firsts.push((iteration.call, numbers[0]));
        }
        for &value in own {
            let behind = |value: Value| {
                let next = value.next().expect("a branch follows");
                if value.is(Opcode::LLVMPHI) { Code::before_records(next) } else { Code::before(next) }
            };
            let mut last = value;
            for copies in &mut copies {
                last = behind(last).copy_of(value);
                if last.has_alias_scopes() {
                    last.forget_alias_scopes();
                }
                copies.insert(value, last);
            }
        }
        for copies in &copies {
            for value in own {
                let copy = copies[value];
                for at in 0..copy.operand_count() {
                    if let Some(other) = copies.get(&copy.operand(at)) {
                        copy.set_operand(at, *other);
                    }
                }
            }
        }
        for (call, first) in firsts {
            call.replace_all_uses(first);
            call.erase();
        }
        for latch in &self.latches {
            latch.add_loop_property(overlap::DONE);
            latch.add_loop_count(marks::TOGETHER, most as u32);
            latch.add_loop_count(marks::TOGETHER_FROM, u32::try_from(most.saturating_mul(enough)).unwrap_or(u32::MAX));
        }
        self.keep_small();
    }

    /// Keeps inner loops that load enough at once from being unrolled by ptxas, too, which would bring all their loads to the front.
    fn keep_small(&self) {
        let cfg = Cfg::new(self.blocks[0].function());
        let is_inner = |natural: &&NaturalLoop| {
            let header = cfg.blocks[natural.header];
            header != self.blocks[0] && self.blocks.contains(&header)
        };
        for natural in cfg.loops.iter().filter(is_inner) {
            let instructions = natural.blocks.iter().flat_map(|&block| cfg.blocks[block].instructions());
            if instructions.filter(|value| value.is(Opcode::LLVMLoad)).count() < ENOUGH_LOADS {
                continue;
            }
            for latch in natural.latch_terminators(&cfg).filter(|latch| !latch.has_loop_property(NOT_UNROLLED)) {
                latch.add_loop_property(NOT_UNROLLED);
            }
        }
    }
}

/// Lets nobody compute the addresses of inner loops by way of the number that a remainder is taken of: strength reduction in the code generator keeps
/// a register for each part of such sums, where a quotient with a sign is a number that it knows nothing of. (A product of `long` matrices has 96 registers
/// instead of 114.) Numbers that are made narrower first stand in no sum.
fn freeze_remainders(blocks: &[Block]) {
    let is_quotient = |value: Value, of: Value| value.is(Opcode::LLVMSDiv) && value.operand(0) == of;
    let is_remainder = |value: &Value| {
        if value.users().iter().any(|user| user.is(Opcode::LLVMTrunc)) {
            return false;
        }
        let multiple = value.is(Opcode::LLVMSub).then(|| value.operand(1)).filter(|of| of.is(Opcode::LLVMMul));
        multiple.is_some_and(|multiple| multiple.operands().any(|factor| is_quotient(factor, value.operand(0))))
    };
    let remainders: Vec<Value> = blocks.iter().flat_map(|block| block.instructions()).filter(is_remainder).collect();
    for remainder in remainders {
        let frozen = Code::before(remainder.next().expect("a branch follows")).freeze(remainder);
        remainder.replace_all_uses(frozen);
        frozen.set_operand(0, remainder);
    }
}

impl Iteration {
    /// Those that are taken together, the last one as often as there are too few.
    fn numbers(&self, most: u64) -> Vec<Value> {
        let here = Code::before(self.call);
        let constant = |of: u64| Value::int_of(self.number.ty(), of);
        let first = here.binary(Opcode::LLVMMul, self.number, constant(most));
        let last = here.binary(Opcode::LLVMSub, self.trips, constant(1));
        let next = |at: u64| {
            let next = here.binary(Opcode::LLVMAdd, first, constant(at));
            here.select(here.compare(IntPredicate::LLVMIntULT, next, last), next, last)
        };
        std::iter::once(first).chain((1..most).map(next)).collect()
    }
}

impl Guard {
    /// In the place of those of some iterations that are not there, one that is; where there is none, nothing is done.
    fn existing(&self, call: Value, numbers: &[Value]) -> Vec<Value> {
        let first = numbers.first().copied().filter(|first| first.is_instruction());
        let before = Code::before(first.unwrap_or(call));
        self.earlier.iter().for_each(|value| before.take(*value));
        let here = Code::before(call);
        let condition = self.branch.branch_condition().expect("it has one");
        let is_there = |number: &Value| {
            let mut known: FxHashMap<Value, Value> = FxHashMap::from_iter([(call, *number)]);
            for &value in &self.test {
                let copy = here.copy_of(value);
                for at in 0..copy.operand_count() {
                    if let Some(other) = known.get(&copy.operand(at)) {
                        copy.set_operand(at, *other);
                    }
                }
                known.insert(value, copy);
            }
            let holds = known[&condition];
            let not = || here.binary(Opcode::LLVMXor, holds, Value::int_of(holds.ty(), 1));
            if self.runs_if { holds } else { not() }
        };
        let are_there: Vec<Value> = numbers.iter().map(is_there).collect();
        let mut one = numbers[numbers.len() - 1];
        for (number, is_there) in numbers.iter().zip(&are_there).rev().skip(1) {
            one = here.select(*is_there, *number, one);
        }
        let any = are_there.iter().copied().reduce(|any, one| here.binary(Opcode::LLVMOr, any, one));
        let any = any.expect("several");
        let runs = if self.runs_if { any } else { here.binary(Opcode::LLVMXor, any, Value::int_of(any.ty(), 1)) };
        self.branch.set_operand(0, runs);
        numbers.iter().zip(&are_there).map(|(number, is_there)| here.select(*is_there, *number, one)).collect()
    }
}

/// Whether an access may be made together with others: of memory that other threads see as well.
fn is_plain(access: Value, pointer: Value) -> bool {
    !access.is_volatile_or_atomic() && !may_lead_to_own(pointer)
}

/// Whether a pointer may lead to a variable of the thread's own, also where it is one of several.
fn may_lead_to_own(pointer: Value) -> bool {
    let (mut seen, mut open) = (FxHashSet::default(), vec![pointer]);
    while let Some(pointer) = open.pop() {
        let base = pointer.base_of_address();
        if base.is(Opcode::LLVMAlloca) {
            return true;
        }
        if seen.insert(base) {
            match base.opcode() {
                Some(Opcode::LLVMSelect) => open.extend([1, 2].map(|at| base.operand(at))),
                Some(Opcode::LLVMFreeze) => open.push(base.operand(0)),
                Some(Opcode::LLVMPHI) => open.extend(base.incoming().into_iter().map(|(value, _)| value)),
                _ => {}
            }
        }
    }
    false
}
