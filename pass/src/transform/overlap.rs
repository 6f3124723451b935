//! Several iterations of a thread at once, so that their loads are under way together.
//!
//! ```text
//! for (i = first; i <= last; i += step)    // of thread `first`
//!   y[i] = a * x[i];
//! ```
//!
//! A thread that loads four bytes and waits for them keeps four bytes under way. By Little's law (1961) a memory of B bytes a second whose answers take
//! t seconds needs B * t bytes under way, which on recent GPUs is more than four bytes for each thread that they hold, and as answers wait for
//! each other where many are under way (a closed queueing network: N bytes under way get N / (t + N / B) a second), three times as many for three
//! quarters of the rate. So loops of threads whose iterations load little become:
//!
//! ```text
//! for (i = first; i + 3 * step <= last; i += 4 * step) {
//!   x0 = x[i], x1 = x[i + step], x2 = x[i + 2 * step], x3 = x[i + 3 * step];
//!   y[i] = a * x0, y[i + step] = a * x1, y[i + 2 * step] = a * x2, y[i + 3 * step] = a * x3;
//! }
//! for (; i <= last; i += step)
//!   y[i] = a * x[i];
//! ```
//!
//! What the iterations of a thread load must not be what earlier ones of them store. A store goes to another place in each iteration, and what is
//! loaded from the same array is loaded from that very place. That two arrays overlap, and one iteration loads what another one stores, is a race
//! among threads, unless the program knows which iterations meet in a thread: it may where there is one team, which takes one iteration at a time, or
//! where it fixes chunks of teams or numbers threads, and such loops are not marked. Stores, and what the thread adds up, keep their order.
//!
//! It is done after optimisation, when a loop's iterations have become one block each.

use crate::analysis::finished::marks::AT_ONCE;
use crate::openmp::{self, NUMBER_OF_TEAMS};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_llvm::{
    Block, Cfg, Code, DataLayout, IntPredicate, LoopProperties, Opcode, Value, add_incoming, append_block, comes_from,
    integer, lead_to,
};
use rustc_hash::FxHashMap;

/// Of a loop whose iterations are shared among all threads, by whoever made it.
pub(super) const MARK: &str = "ipda.grid_stride";
/// Of the loops that it became.
pub(super) const DONE: &str = "ipda.overlapped";

/// Iterations at once, at most.
const MOST: u64 = 4;
/// Instructions of an iteration beyond which a thread has enough to do, and its registers are needed.
const MAX_INSTRUCTIONS: usize = 48;

/// Marks a loop of threads by its back edge.
pub(super) fn mark(latch: Value) {
    latch.add_loop_property(MARK);
}

/// How many bytes each of the threads that a GPU holds should have under way.
fn bytes_of_thread(gpu: &Gpu) -> Option<f64> {
    const TIMES: f64 = 3.0;
    let (chip, memory) = (&gpu.chip, &gpu.memory);
    let (latency, clock) = (memory.latency.as_ref().ok()?.get(), chip.clock.as_ref().ok()?.get());
    let bandwidth = memory.bandwidth.as_ref().ok()?.get();
    Some(TIMES * (latency.get() / clock.get()) * bandwidth.get() / gpu.resident_threads()? as f64)
}

/// Lets the threads of marked loops have as many bytes under way as they should, where their iterations allow it. Whether any was changed.
pub(crate) fn overlap<'a>(module: &Module<'_>, gpu: impl Fn() -> &'a Gpu) -> bool {
    let layout = DataLayout::of(module);
    let mut is_changed = false;
    for function in module.get_functions() {
        let is_marked = |value: &Value| value.has_loop_property(MARK) && !value.has_loop_property(DONE);
        let latches: Vec<Value> = Value::of(&function).instructions().filter(is_marked).collect();
        for latch in latches {
            if let Some(single) = Single::of(latch) {
                let Some(bytes) = bytes_of_thread(gpu()) else { return is_changed };
                let loaded = single.bytes(layout);
                let times = if loaded == 0 { 1 } else { ((bytes / loaded as f64).round() as u64).clamp(1, MOST) };
                if times > 1 {
                    single.repeat(times);
                    is_changed = true;
                }
            }
        }
    }
    is_changed
}

/// What stands for values of the loop in a copy of its block.
type Copies = FxHashMap<Value, Value>;

/// A loop of one block whose iterations may be mixed.
struct Single {
    block: Block,
    before: Block,
    after: Block,
    latch: Value,
    phis: Vec<Value>,
    /// The instructions of an iteration that are no stores, in their order, without the phis and the branch.
    computed: Vec<Value>,
    stores: Vec<Value>,
    /// What computes whether there is a next iteration, from phis and what does not change.
    test: Vec<Value>,
}

impl Single {
    /// The loop with this back edge; none where it is of another kind.
    fn of(latch: Value) -> Option<Single> {
        let block = latch.block();
        let condition = latch.branch_condition()?;
        let [after] = latch.successors().into_iter().filter(|to| *to != block).collect::<Vec<_>>()[..] else {
            return None;
        };
        let phis: Vec<Value> = block.phis().collect();
        let mut from = phis.first()?.incoming().into_iter().map(|(_, from)| from).filter(|from| *from != block);
        let before = from.next().filter(|_| from.next().is_none())?;
        let enters = before.terminator()?.successors().into_iter().filter(|to| *to == block).count();
        if enters != 1 || !before.terminator()?.is(Opcode::LLVMBr) || !leaves_alone(block, after) {
            return None;
        }
        let (mut computed, mut stores) = (Vec::new(), Vec::new());
        for value in block.instructions().skip(phis.len()).filter(|value| *value != latch) {
            match value.opcode()? {
                // What a thread has for itself, its iterations may hand on.
                Opcode::LLVMStore if value.operand(1).base_of_address().is(Opcode::LLVMAlloca) => return None,
                Opcode::LLVMStore if !value.is_volatile_or_atomic() => stores.push(value),
                // It might find what the iteration stored.
                Opcode::LLVMLoad if !value.is_volatile_or_atomic() && stores.is_empty() => computed.push(value),
                Opcode::LLVMCall if value.calls(|name| name.starts_with("llvm.dbg.")) => {}
                Opcode::LLVMCall if value.calls(is_pure) => computed.push(value),
                _ if is_computation(value) => computed.push(value),
                _ => return None,
            }
        }
        let test = test_of(block, condition)?;
        let counters: Vec<Value> = phis.iter().copied().filter(|phi| counts(block, *phi, condition)).collect();
        if !are_apart(&Counted { block, counters }, &computed, &stores) {
            return None;
        }
        let is_small = computed.len() + stores.len() <= MAX_INSTRUCTIONS;
        is_small.then_some(Single { block, before, after, latch, phis, computed, stores, test })
    }

    /// What an iteration loads that others do not.
    fn bytes(&self, layout: DataLayout) -> u64 {
        let mut varying: Vec<Value> = self.phis.clone();
        let mut bytes = 0;
        for &value in &self.computed {
            if value.operands().any(|operand| varying.contains(&operand)) {
                varying.push(value);
                bytes += if value.is(Opcode::LLVMLoad) { layout.store_size(value.ty()) } else { 0 };
            }
        }
        bytes
    }

    /// Puts a loop in front that does so many iterations at once as long as there are as many.
    fn repeat(&self, times: u64) {
        let function = self.block.function();
        let (head, body) = (append_block(function), append_block(function));

        let at_head = Code::at_end(head);
        let of_phi = |phi: &Value| {
            let start = phi.incoming().into_iter().find(|(_, from)| *from != self.block).expect("it comes from before");
            (*phi, at_head.phi(phi.ty(), &[(start.0, self.before)]))
        };
        let at_start: Copies = self.phis.iter().map(of_phi).collect();
        // None of the next iterations' tests is looked at after one that ends the loop.
        let mut known = at_start.clone();
        let stays_at = |test: Value, here: &Code| {
            let no = Value::int_of(test.ty(), 0);
            let yes = Value::int_of(test.ty(), 1);
            if self.latch.successors()[0] == self.block { test } else { here.select(test, no, yes) }
        };
        let condition = self.latch.branch_condition().expect("it has one");
        let mut tests = Vec::new();
        for _ in 1..times {
            copy(&at_head, &self.test, &mut known);
            tests.push(stays_at(image(&known, condition), &at_head));
            known = self.next(&known);
        }
        let no = Value::int_of(integer(function, 1), 0);
        let all = tests.into_iter().rev().reduce(|later, first| at_head.select(first, later, no)).expect("several");
        let all = if self.stores.is_empty() { all } else { at_head.select(self.has_teams(), all, no) };
        at_head.branch_if(all, body, self.block);

        let at_body = Code::at_end(body);
        let (mut known, mut done) = (at_start.clone(), Vec::new());
        for _ in 0..times {
            copy(&at_body, &self.computed, &mut known);
            let next = self.next(&known);
            done.push(std::mem::replace(&mut known, next));
        }
        for copies in &mut done {
            copy(&at_body, &self.stores, copies);
        }
        let last = done.pop().expect("several");
        let test = image(&last, condition);
        let ways = self.latch.successors();
        let to = |block: Block| if block == self.block { head } else { block };
        at_body.branch_if(test, to(ways[0]), to(ways[1]));
        let latch = body.terminator().expect("just made");
        LoopProperties::of(self.latch).set(latch);
        latch.add_loop_property(DONE);
        latch.add_loop_count(AT_ONCE, times as u32);

        self.lead_around(head, body, &last, &at_start);
        for (phi, first) in &at_start {
            add_incoming(*first, known[phi], body);
        }
        self.latch.add_loop_property(DONE);
        self.latch.add_loop_property("llvm.loop.unroll.disable");
    }

    /// Whether there are more teams than one.
    fn has_teams(&self) -> Value {
        let here = Code::before(self.before.terminator().expect("a block has an end"));
        let teams = here.intrinsic(NUMBER_OF_TEAMS, &[]);
        here.compare(IntPredicate::LLVMIntNE, teams, Value::int_of(teams.ty(), 1))
    }

    /// Lets what comes before lead to the new loop, and what comes after know that control comes from it, too.
    fn lead_around(&self, head: Block, body: Block, last: &Copies, at_start: &Copies) {
        let is_outside = |user: &Value| {
            let is_phi = user.is(Opcode::LLVMPHI) && user.block() == self.after;
            ![self.block, head, body].contains(&user.block()) && !is_phi
        };
        for phi in self.after.phis() {
            let from_loop = phi.incoming().into_iter().find(|(_, from)| *from == self.block);
            let (value, _) = from_loop.expect("each phi knows all ways");
            add_incoming(phi, image(last, value), body);
        }
        for &value in self.phis.iter().chain(&self.computed) {
            let users: Vec<Value> = value.users().into_iter().filter(is_outside).collect();
            if users.is_empty() {
                continue;
            }
            let first = self.after.instructions().next().expect("a block has an end");
            let merged = Code::before(first).phi(value.ty(), &[(value, self.block), (image(last, value), body)]);
            users.into_iter().for_each(|user| user.replace_operand(value, merged));
        }
        let end = self.before.terminator().expect("a block has an end");
        for (at, successor) in end.successors().into_iter().enumerate() {
            if successor == self.block {
                lead_to(end, at as u32, head);
            }
        }
        comes_from(self.block, self.before, head);
        for phi in &self.phis {
            let at = phi.incoming().iter().position(|(_, from)| *from == head).expect("it comes from there");
            phi.set_operand(at as u32, at_start[phi]);
        }
    }

    /// What the phis are in the next iteration.
    fn next(&self, known: &Copies) -> Copies {
        let of_phi = |phi: &Value| {
            let (value, _) =
                phi.incoming().into_iter().find(|(_, from)| *from == self.block).expect("it has a next iteration");
            (*phi, image(known, value))
        };
        self.phis.iter().map(of_phi).collect()
    }
}

fn image(known: &Copies, value: Value) -> Value {
    known.get(&value).copied().unwrap_or(value)
}

/// Copies instructions; what they claim of aliases holds among the accesses of one iteration.
fn copy(here: &Code, instructions: &[Value], known: &mut Copies) {
    for &instruction in instructions {
        let copy = here.copy_of(instruction);
        for at in 0..copy.operand_count() {
            copy.set_operand(at, image(known, copy.operand(at)));
        }
        if copy.has_alias_scopes() {
            copy.forget_alias_scopes();
        }
        known.insert(instruction, copy);
    }
}

/// What a loop's test is computed by, phis' next values too; none where that takes what iterations load.
fn test_of(block: Block, condition: Value) -> Option<Vec<Value>> {
    let mut needed: Vec<Value> = Vec::new();
    let mut open = vec![condition];
    while let Some(value) = open.pop() {
        if !value.is_instruction() || value.block() != block || needed.contains(&value) {
            continue;
        }
        needed.push(value);
        match value.opcode()? {
            Opcode::LLVMPHI => {
                open.extend(value.incoming().into_iter().filter(|(_, from)| *from == block).map(|(next, _)| next))
            }
            // Each copy of a frozen value may be another one.
            _ if value.is_cast_or_arithmetic() && !value.is(Opcode::LLVMFreeze) => open.extend(value.operands()),
            _ => return None,
        }
    }
    let in_order = |value: &Value| needed.contains(value) && !value.is(Opcode::LLVMPHI);
    Some(block.instructions().filter(in_order).collect())
}

/// Whether a loop's only way out leads to a block that no outer loop begins with, and to which nobody else comes if it uses what the loop
/// computed.
fn leaves_alone(block: Block, after: Block) -> bool {
    let cfg = Cfg::new(block.function());
    let (Some(inside), Some(outside)) = (cfg.id(block), cfg.id(after)) else { return false };
    let is_used = |value: Value| {
        value
            .users()
            .into_iter()
            .any(|user| user.block() != block && !(user.is(Opcode::LLVMPHI) && user.block() == after))
    };
    !cfg.dominates(outside, inside) && (cfg.predecessors[outside] == [inside] || !block.instructions().any(is_used))
}

/// A loop and the phis that count its iterations.
struct Counted {
    block: Block,
    counters: Vec<Value>,
}

/// Whether a phi goes up by something fixed, which the loop's test looks at: it would never end if that were nothing.
fn counts(block: Block, phi: Value, test: Value) -> bool {
    let next = phi.incoming().into_iter().find(|(_, from)| *from == block).map(|(next, _)| next);
    let is_fixed = |value: Value| !value.is_instruction() || value.block() != block;
    let steps = |next: &Value| {
        next.is(Opcode::LLVMAdd)
            && (next.operand(0) == phi && is_fixed(next.operand(1))
                || next.operand(1) == phi && is_fixed(next.operand(0)))
    };
    let is_it = |value: Value, next: Value| {
        value == next || matches!(value.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt)) && value.operand(0) == next
    };
    next.filter(steps).is_some_and(|next| test.is(Opcode::LLVMICmp) && test.operands().any(|value| is_it(value, next)))
}

/// Whether no iteration loads what an earlier one stores, as far as one array is concerned.
fn are_apart(counted: &Counted, computed: &[Value], stores: &[Value]) -> bool {
    let root = |address: Value| {
        Some(address.base_of_address()).filter(|root| !root.is_instruction() || root.is(Opcode::LLVMLoad))
    };
    let is_other_place = |store: &Value| {
        let place = store.operand(1);
        let Some(array) = root(place) else { return false };
        let mut loads = computed.iter().filter(|value| value.is(Opcode::LLVMLoad)).map(|load| load.operand(0));
        let mut others = stores.iter().map(|other| other.operand(1));
        let is_apart = |other: Value| other == place || root(other).is_some_and(|root| root != array);
        counted.steps(place) && loads.all(is_apart) && others.all(is_apart)
    };
    stores.iter().all(is_other_place)
}

impl Counted {
    fn is_fixed(&self, value: Value) -> bool {
        !value.is_instruction() || value.block() != self.block
    }

    /// Whether a value is another one in each iteration: what the loop counts, in another width, with something fixed added, times a number.
    fn steps(&self, value: Value) -> bool {
        // In fewer bits, different iterations may come to the same product.
        let is_exact = || value.ty().int_bits() == Some(64) || value.has_nsw() || value.has_nuw();
        let number = |at: u32| value.operand(at).as_int();
        match value.opcode() {
            Some(Opcode::LLVMPHI) => self.is_counter(value),
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMAdd | Opcode::LLVMSub) => {
                let varying: Vec<Value> = value.operands().filter(|operand| !self.is_fixed(*operand)).collect();
                matches!(varying[..], [only] if self.steps(only))
            }
            Some(Opcode::LLVMSExt | Opcode::LLVMZExt) => self.steps(value.operand(0)),
            Some(Opcode::LLVMMul) => {
                is_exact() && number(1).is_some_and(|times| times != 0) && self.steps(value.operand(0))
            }
            Some(Opcode::LLVMShl) => is_exact() && number(1).is_some() && self.steps(value.operand(0)),
            _ => false,
        }
    }

    /// Whether a phi counts, or is another one that does in another width.
    fn is_counter(&self, phi: Value) -> bool {
        let edges = |phi: Value| {
            let (inside, outside): (Vec<_>, Vec<_>) =
                phi.incoming().into_iter().partition(|(_, from)| *from == self.block);
            matches!((&inside[..], &outside[..]), ([_], [_])).then(|| [inside[0].0, outside[0].0])
        };
        let is_wide = |value: Value, narrow: Value, opcode: Opcode| value.is(opcode) && value.operand(0) == narrow;
        let is_same = |counter: &Value| {
            let (Some([next, start]), Some([narrow_next, narrow_start])) = (edges(phi), edges(*counter)) else {
                return false;
            };
            [Opcode::LLVMSExt, Opcode::LLVMZExt]
                .into_iter()
                .any(|opcode| is_wide(next, narrow_next, opcode) && is_wide(start, narrow_start, opcode))
        };
        self.counters.contains(&phi) || self.counters.iter().any(is_same)
    }
}

pub(super) fn is_pure(name: &str) -> bool {
    openmp::is_pure_intrinsic(name) || name.starts_with("llvm.nvvm.mulhi.")
}

/// Whether an instruction computes a value from others and does nothing else.
pub(super) fn is_computation(value: Value) -> bool {
    use Opcode::*;
    let is_float = matches!(
        value.opcode(),
        Some(
            LLVMFAdd
                | LLVMFSub
                | LLVMFMul
                | LLVMFDiv
                | LLVMFNeg
                | LLVMFCmp
                | LLVMSIToFP
                | LLVMUIToFP
                | LLVMFPToSI
                | LLVMFPToUI
                | LLVMFPExt
                | LLVMFPTrunc
                | LLVMBitCast
        )
    );
    value.is_cast_or_arithmetic() || is_float
}
