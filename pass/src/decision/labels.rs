//! A number for each value of a flattened region, which says how it is computed: from the numbers of its operands, round after round
//! (Weisfeiler and Lehman 1968). Host and device give the same number to what the program wrote once.
//!
//! What hands out iterations differs between them, and has one number for all: what the runtime says, and what is computed from that. A
//! worksharing loop's counter is such a value, but what is computed from it is the program's.

use super::classes;
use super::forms::{kind, number, of_constant, plain};
use super::opposites::{as_opposite, kind_of_opposite};
use super::shared_loops::{SharedLoop, SharedLoops};
use super::ways::Ways;
use crate::openmp::{self, Call, Sharing};
use ipda_llvm::{Block, BlockId, Cfg, Opcode, Value};
use llvm_sys::prelude::LLVMBasicBlockRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// How often the numbers of what loops carry from one iteration to the next are computed anew. Within an iteration, a number says all that it is
/// computed from.
const ROUNDS: u32 = 4;

/// How deep constants are looked into.
const DEPTH: u32 = 6;

/// Blocks around an operation whose conditions are looked at, from the inside out.
const MAX_CONDITIONS: usize = 256;

/// Operands and conditions that are looked at. Where that is not enough, nothing is known of the region.
const MAX_STEPS: u64 = 1 << 23;

/// How often values are looked at until no more of them turn out to be the runtime's.
const MAX_SWEEPS: u32 = 64;

/// What a value from memory depends on beside the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// How many effects come before it, in the order of the code.
    pub behind: u32,
    /// The loop, of those that have effects, whose iterations it is read in anew.
    pub in_loop: Option<usize>,
}

/// The numbers of a function's values.
pub(super) struct Labels {
    labels: FxHashMap<Value, u64>,
    of_runtime: FxHashSet<Value>,
    counters: FxHashSet<Value>,
    shared_loops: SharedLoops,
    /// How what comes from memory finds it.
    states: FxHashMap<Value, State>,
    /// What is written to each local variable, which distinguishes it from the others.
    written: FxHashMap<Value, u64>,
    /// The numbers of constants that were asked for, which are asked for again in each round.
    constants: RefCell<FxHashMap<Value, u64>>,
    pub(super) branches: Branches,
    /// Of comparisons that are the opposite of another, the number of that.
    pub(super) opposites: FxHashMap<Value, u64>,
    /// What decides that each block runs, and the number of all its conditions, as far as they were asked for in this round.
    pub(super) facts: RefCell<Vec<Option<Rc<[u64]>>>>,
    conditions: RefCell<Vec<Option<u64>>>,
    steps: Cell<u64>,
}

impl Labels {
    /// None where the runtime's part does not come to an end, or all takes too many steps. The `combining` blocks make copies of a reduction one, which is the runtime's way.
    /// In which state each load and each effect finds memory, `states` says.
    pub(super) fn new(
        function: Value,
        cfg: &Cfg,
        combining: &FxHashSet<LLVMBasicBlockRef>,
        states: impl FnOnce(&Labels) -> FxHashMap<Value, State>,
    ) -> Option<Labels> {
        // Of a graph that is no nest of loops, conditions say too little.
        if cfg.irreducible {
            return None;
        }
        // In this order a value comes behind those that it is computed from, but for what loops carry on.
        let instructions: Vec<Value> = cfg.blocks.iter().flat_map(|block| block.instructions()).collect();
        let (of_runtime, counters) = of_runtime(&instructions, cfg)?;
        let is_of_runtime = |value: Value| of_runtime.contains(&value) || counters.contains(&value);
        let shared_loops = SharedLoops::of(&instructions, is_of_runtime);
        let params: FxHashMap<Value, usize> =
            function.params().into_iter().rev().enumerate().map(|(at, param)| (param, at)).collect();
        let mut all = Labels {
            labels: FxHashMap::default(),
            branches: Branches::new(cfg, &of_runtime, combining),
            opposites: FxHashMap::default(),
            facts: RefCell::new(vec![None; cfg.blocks.len()]),
            conditions: RefCell::new(vec![None; cfg.blocks.len()]),
            steps: Cell::new(0),
            of_runtime,
            counters,
            shared_loops,
            states: FxHashMap::default(),
            written: FxHashMap::default(),
            constants: RefCell::default(),
        };
        // The device's kernel has one more parameter, before the others.
        all.labels.extend(params.iter().map(|(&param, &at)| (param, number(&("parameter", at)))));
        all.states = states(&all);
        // Nothing is computed from a branch; blocks count by the conditions under which they run.
        let is_computed = |opcode: &Opcode| {
            use Opcode::*;
            !matches!(opcode, LLVMBr | LLVMSwitch | LLVMIndirectBr | LLVMRet | LLVMUnreachable)
        };
        let operation = |&value: &Value| {
            let kind = kind(value, value.opcode().filter(is_computed)?);
            Some(Operation { value, kind, is_choice: all.is_choice(value, cfg), is_carried: is_carried(value, cfg) })
        };
        let operations: Vec<Operation> = instructions.iter().filter_map(operation).collect();
        all.refine(&operations, cfg);
        let is_users = |value: &Value| !combining.contains(&value.block().raw()) && !all.is_of_runtime(*value);
        let of_program: Vec<Value> = instructions.into_iter().filter(is_users).collect();
        all.written = all.written_to_variables(&of_program, cfg);
        if all.written.len() > 1 {
            all.refine(&operations, cfg);
        }
        (!all.is_spent()).then_some(all)
    }

    /// Whether all steps are used up, and what was said last means nothing.
    pub(super) fn is_spent(&self) -> bool {
        self.steps.get() > MAX_STEPS
    }

    pub(super) fn step(&self, count: usize) {
        self.steps.set(self.steps.get() + count as u64);
    }

    /// Nothing is known of a region whose code is not looked at as a whole.
    fn give_up(&self) {
        self.steps.set(MAX_STEPS + 1);
    }

    fn refine(&mut self, operations: &[Operation], cfg: &Cfg) {
        let (carried, others): (Vec<&Operation>, Vec<&Operation>) = operations.iter().partition(|of| of.is_carried);
        for _ in 0..ROUNDS {
            let next: Vec<u64> = carried.iter().map(|of| self.compute(of.value, of.kind, cfg)).collect();
            self.labels.extend(carried.iter().map(|of| of.value).zip(next));
            // They were those of the round before.
            self.forget_conditions();
            for of in &others {
                let number =
                    if of.is_choice { self.choose(of.value, cfg) } else { self.compute(of.value, of.kind, cfg) };
                self.name(of, number);
            }
            self.forget_conditions();
        }
    }

    fn name(&mut self, of: &Operation, number: u64) {
        let value = of.value;
        let is_users = !of.is_choice && !self.is_of_runtime(value) && classes::test(value).is_none();
        match as_opposite(value).filter(|_| is_users) {
            Some(ty) => {
                self.opposites.insert(value, number);
                self.labels.insert(value, self.either(number, self.truth(ty, false), self.truth(ty, true)));
            }
            None => _ = self.labels.insert(value, number),
        }
    }

    fn forget_conditions(&mut self) {
        self.facts.get_mut().fill(None);
        self.conditions.get_mut().fill(None);
    }

    /// A number for all that the program writes to each of its local variables, and where that is the same for several, such as the copies of a
    /// reduction, for their place among these.
    fn written_to_variables(&self, instructions: &[Value], cfg: &Cfg) -> FxHashMap<Value, u64> {
        let mut writes: FxHashMap<Value, FxHashSet<u64>> = FxHashMap::default();
        let mut variables = Vec::new();
        for &instruction in instructions {
            for (place, address) in written_addresses(instruction).into_iter().enumerate() {
                let variable = plain(address).base_of_address();
                if variable.is(Opcode::LLVMAlloca) && !self.of_runtime.contains(&variable) {
                    let conditions = self.conditions(instruction.block(), cfg);
                    let write = number(&(self.of(instruction), place, conditions));
                    let known = writes.entry(variable).or_insert_with(|| {
                        variables.push(variable);
                        FxHashSet::default()
                    });
                    known.insert(write);
                }
            }
        }
        let mut alike: FxHashMap<u64, u32> = FxHashMap::default();
        let tell_apart = |variable: Value| {
            let mut writes: Vec<u64> = writes[&variable].iter().copied().collect();
            writes.sort_unstable();
            let writes = number(&writes);
            let place = alike.entry(writes).or_default();
            *place += 1;
            (variable, number(&(writes, *place)))
        };
        variables.into_iter().map(tell_apart).collect()
    }

    /// Whether a value is how iterations are handed out.
    pub(super) fn is_of_runtime(&self, value: Value) -> bool {
        self.of_runtime.contains(&value) || self.counters.contains(&value)
    }

    /// Whether it is the program that asks a branch's condition: of what the runtime hands out, only the number of an iteration is the program's.
    pub(super) fn decides(&self, condition: Value) -> bool {
        !self.of_runtime.contains(&condition)
    }

    pub(super) fn of(&self, value: Value) -> u64 {
        let value = plain(value);
        match self.labels.get(&value) {
            Some(&label) => label,
            None if value.is_instruction() => 0,
            None => *self.constants.borrow_mut().entry(value).or_insert_with(|| of_constant(value, DEPTH)),
        }
    }

    /// Under which of the program's conditions a block runs.
    pub(super) fn conditions(&self, block: Block, cfg: &Cfg) -> u64 {
        let Some(block) = cfg.id(block) else { return 0 };
        if let Some(known) = self.conditions.borrow()[block] {
            return known;
        }
        if self.is_spent() {
            return 0;
        }
        let mut around = std::iter::successors(Some(block), |&at| self.branches.above[at]);
        let near = around.by_ref().take(MAX_CONDITIONS);
        let mut found: Vec<u64> = near.flat_map(|at| self.facts(at, cfg).to_vec()).collect();
        if around.next().is_some() {
            self.give_up();
        }
        self.step(1 + found.len());
        // The same question may be asked before each construct.
        found.sort_unstable();
        found.dedup();
        let number = number(&found);
        self.conditions.borrow_mut()[block] = Some(number);
        number
    }

    /// Under which conditions control comes from one block to another.
    fn way(&self, from: Block, to: Block, cfg: &Cfg) -> u64 {
        let condition = from.terminator().and_then(|end| {
            let condition = end.branch_condition().filter(|&condition| self.decides(condition))?;
            Some((self.of(condition), chosen(end, to)))
        });
        number(&(self.conditions(from, cfg), condition))
    }

    fn compute(&self, value: Value, kind: u64, cfg: &Cfg) -> u64 {
        if self.is_spent() {
            return 0;
        }
        if self.counters.contains(&value) {
            return number(&("counter", self.shared_loops.counted_by(value).map(|shared| self.of_shared_loop(shared))));
        }
        if self.of_runtime.contains(&value) {
            return number("runtime");
        }
        if let Some((class, of)) = classes::test(value) {
            return number(&("class", class, self.of(of)));
        }
        let Some(opcode) = value.opcode() else { return 0 };
        let mut operands: Vec<u64> = match opcode {
            Opcode::LLVMAlloca => self.written.get(&value).copied().into_iter().collect(),
            Opcode::LLVMPHI => {
                let ways = value.incoming().into_iter();
                ways.map(|(incoming, from)| number(&(self.of(incoming), self.way(from, value.block(), cfg)))).collect()
            }
            Opcode::LLVMStore => match captured(value) {
                Some((param, bits)) => vec![number(&("captured", self.of(param), bits)), self.of(value.operand(1))],
                None => value.operands().map(|operand| self.of(operand)).collect(),
            },
            Opcode::LLVMCall | Opcode::LLVMInvoke => arguments(value).into_iter().map(|arg| self.of(arg)).collect(),
            _ => value.operands().map(|operand| self.of(operand)).collect(),
        };
        let kind = if as_opposite(value).is_some() { number(&kind_of_opposite(value)) } else { kind };
        let is_in_any_order =
            matches!(opcode, Opcode::LLVMPHI | Opcode::LLVMAdd | Opcode::LLVMMul | Opcode::LLVMFAdd | Opcode::LLVMFMul);
        if is_in_any_order {
            operands.sort_unstable();
        }
        self.step(1 + operands.len());
        number(&(kind, operands, self.states.get(&value)))
    }

    /// The number of a loop whose iterations are shared: among whom, and how many there are.
    pub(super) fn of_shared_loop(&self, shared: &SharedLoop) -> u64 {
        let bounds = shared.bounds.each_ref().map(|values| {
            let mut values: Vec<u64> = values.iter().map(|&value| self.of(value)).collect();
            values.sort_unstable();
            values.dedup();
            values
        });
        number(&("shared", shared.sharing == Sharing::Teams, bounds))
    }

    /// The loop that a call of the runtime prepares.
    pub(super) fn prepared_by(&self, call: Value) -> Option<&SharedLoop> {
        self.shared_loops.prepared_by(call)
    }

    /// The loop whose iterations a loop of the code goes through.
    pub(super) fn shared_loop(&self, index: usize, cfg: &Cfg) -> Option<&SharedLoop> {
        let counters = cfg.blocks[cfg.loops[index].header].phis().filter(|phi| self.counters.contains(phi));
        counters.filter_map(|counter| self.shared_loops.counted_by(counter)).next()
    }
}

/// An instruction that computes something.
struct Operation {
    value: Value,
    /// What it is, without its operands.
    kind: u64,
    is_choice: bool,
    /// Whether a loop carries it from one iteration to the next.
    is_carried: bool,
}

fn is_carried(value: Value, cfg: &Cfg) -> bool {
    let is_header = |at: BlockId| cfg.loop_of(at).is_some_and(|inner| cfg.loops[inner].header == at);
    value.is(Opcode::LLVMPHI) && cfg.id(value.block()).is_some_and(is_header)
}

/// Where an instruction writes what the program computes.
fn written_addresses(instruction: Value) -> Vec<Value> {
    match instruction.opcode() {
        Some(Opcode::LLVMStore) if instruction.operand(0).ty().is_pointer() => Vec::new(),
        Some(Opcode::LLVMStore) => vec![instruction.operand(1)],
        Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => vec![instruction.operand(0)],
        _ if openmp::block_operation(instruction).is_some() => vec![instruction.operand(0)],
        _ => {
            let results = openmp::effects(instruction).map(|effects| effects.results).unwrap_or_default();
            results.into_iter().map(|result| result.pointer(instruction)).collect()
        }
    }
}

/// What a call is given that its name alone does not say: whether the least number's absolute value is undefined is the compiler's business.
fn arguments(call: Value) -> Vec<Value> {
    let mut args = call.call_args();
    if call.calls(|name| openmp::plain_name(name) == "abs") {
        args.truncate(1);
    }
    args
}

/// The branches that decide whether a block runs.
pub(super) struct Branches {
    /// The decisions that lead to each block, where they are followed.
    pub(super) ways: Vec<Option<Ways>>,
    /// The next block above each that branches decide of as well.
    pub(super) above: Vec<Option<BlockId>>,
    /// Whether each block makes copies of a reduction one. What it decides, it decides for itself alone.
    is_combining: Vec<bool>,
}

impl Branches {
    fn new(cfg: &Cfg, of_runtime: &FxHashSet<Value>, combining: &FxHashSet<LLVMBasicBlockRef>) -> Branches {
        let is_combining: Vec<bool> = cfg.blocks.iter().map(|block| combining.contains(&block.raw())).collect();
        let ways_to = |at: BlockId| {
            let is_users = |from: BlockId, condition: Value| {
                !of_runtime.contains(&condition) && (is_combining[at] || !is_combining[from])
            };
            Ways::to(at, cfg, is_users)
        };
        let ways: Vec<Option<Ways>> = (0..cfg.blocks.len()).map(ways_to).collect();
        // In reverse postorder, a block comes behind those that dominate it.
        let is_decided = |at: BlockId| ways[at].as_ref().is_none_or(|ways| !ways.decisions.is_empty());
        let mut above: Vec<Option<BlockId>> = Vec::new();
        for at in 0..cfg.blocks.len() {
            let dominator = cfg.immediate_dominator(at);
            above.push(dominator.and_then(|before| if is_decided(before) { Some(before) } else { above[before] }));
        }
        Branches { ways, above, is_combining }
    }

    /// Whether what one block decides may be a condition of another.
    pub(super) fn matters(&self, from: BlockId, at: BlockId) -> bool {
        self.is_combining[at] || !self.is_combining[from]
    }
}

/// When a branch goes to a block: which of its two ways that is; of a switch, the cases that lead there, and behind the default none of all.
pub(super) fn chosen(branch: Value, to: Block) -> u64 {
    if !branch.is(Opcode::LLVMSwitch) {
        return number(&branch.successors().into_iter().position(|way| way == to));
    }
    let is_default = branch.successors().first() == Some(&to);
    let cases = branch.switch_cases().into_iter().filter(|&(_, way)| (way == to) != is_default);
    let mut cases: Vec<u64> = cases.map(|(case, _)| of_constant(case, 0)).collect();
    cases.sort_unstable();
    number(&(is_default, cases))
}

/// The parameter by which a value was captured that a store puts into a local variable. It has 64 bits; whether all of them are stored depends on
/// what else the front end makes for debuggers. With the number of bits that are, where the program can only mean those.
fn captured(store: Value) -> Option<(Value, Option<u32>)> {
    let stored = plain(store.operand(0));
    let param = if stored.is(Opcode::LLVMTrunc) { plain(stored.operand(0)) } else { stored };
    let is_variable = plain(store.operand(1)).is(Opcode::LLVMAlloca);
    let narrow = stored.ty().int_bits().filter(|&bits| bits < 32);
    (is_variable && param.is_argument()).then_some((param, narrow))
}

/// What hands out iterations, and the counters of the loops over them.
fn of_runtime(instructions: &[Value], cfg: &Cfg) -> Option<(FxHashSet<Value>, FxHashSet<Value>)> {
    let is_runtime_call =
        |value: Value| value.is_call() && value.calls(openmp::is_runtime_name) && openmp::effects(value).is_none();
    let mut found: FxHashSet<Value> = FxHashSet::default();
    let mut counters: FxHashSet<Value> = FxHashSet::default();
    for &value in instructions.iter().filter(|&&value| is_runtime_call(value)) {
        found.insert(value);
        let hands_out = matches!(
            openmp::decode(value),
            Ok(Call::StaticInit(_) | Call::DispatchInit { .. } | Call::DispatchNext { .. })
        );
        if hands_out {
            found.extend(value.call_args().into_iter().map(plain).filter(|arg| arg.is(Opcode::LLVMAlloca)));
        }
    }
    let headers: FxHashSet<BlockId> = cfg.loops.iter().map(|all| all.header).collect();
    for _ in 0..MAX_SWEEPS {
        let before = found.len() + counters.len();
        for &value in instructions {
            if found.contains(&value) || counters.contains(&value) {
                continue;
            }
            let is_found = |operand: Value| found.contains(&plain(operand));
            match value.opcode() {
                Some(Opcode::LLVMPHI) if value.incoming().iter().any(|(incoming, _)| is_found(*incoming)) => {
                    if cfg.id(value.block()).is_some_and(|id| headers.contains(&id)) {
                        counters.insert(value)
                    } else {
                        found.insert(value)
                    };
                }
                Some(Opcode::LLVMLoad | Opcode::LLVMStore) => {
                    let address = value.operand(value.operand_count() - 1).base_of_address();
                    if address.is(Opcode::LLVMAlloca) && found.contains(&address) {
                        found.insert(value);
                    }
                }
                Some(Opcode::LLVMPHI | Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMGetElementPtr) => {}
                Some(_) if value.operands().any(is_found) => _ = found.insert(value),
                // The step from one iteration to the next.
                Some(Opcode::LLVMAdd) if value.operands().any(|operand| counters.contains(&plain(operand))) => {
                    let mut users = value.users().into_iter();
                    if users.all(|user| counters.contains(&user)) {
                        found.insert(value);
                    }
                }
                // Whether there is a next iteration: in the loop's header is nothing of the program's.
                Some(Opcode::LLVMICmp) => {
                    let is_counter = |operand: Value| counters.contains(&operand) && operand.block() == value.block();
                    if value.operands().any(|operand| is_counter(plain(operand))) {
                        found.insert(value);
                    }
                }
                _ => {}
            }
        }
        if before == found.len() + counters.len() {
            return Some((found, counters));
        }
    }
    None
}
