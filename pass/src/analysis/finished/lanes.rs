//! Which ways the lanes of a warp go at branches of finished code.
//!
//! Conditions are followed to what lanes have of their own. Numbers of threads, and what grows evenly with them, tell few warps' lanes apart: those at an
//! edge. Values loaded by them, or drawn at random from them, tell each lane apart, and their lowest bits the lanes of each warp.

use crate::openmp;
use ipda_llvm::{Block, Cfg, IntPredicate, Opcode, Value};
use rustc_hash::FxHashMap;

/// Values beyond which a condition is not followed.
const MAX_VALUES: usize = 2_000;

/// Additions and changes of width from one iteration to the next that are looked at.
const MAX_STEPS: u32 = 8;

/// Which ways the lanes of a warp go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lanes {
    /// All the same, but for few warps.
    Together,
    /// Different ones in each warp.
    InEachWarp,
    /// Each its own, as values say that have nothing to do with each other.
    Apart,
}

/// How a value differs between the lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Differs {
    Not,
    /// Between lanes of few warps, as rows do.
    Seldom,
    /// Evenly from lane to lane.
    Evenly,
    /// In the same way in each warp.
    InEachWarp,
    /// From each lane to each other.
    ByLane,
}

/// The ways at a branch, in warps of so many lanes.
pub(super) fn at_branch(cfg: &Cfg, end: Value, lanes: u32) -> Lanes {
    let Some(condition) = end.branch_condition() else { return Lanes::Together };
    match (Follower { cfg, lanes: lanes.into(), found: FxHashMap::default() }).of(condition) {
        Differs::Not | Differs::Seldom | Differs::Evenly => Lanes::Together,
        Differs::InEachWarp => Lanes::InEachWarp,
        Differs::ByLane => Lanes::Apart,
    }
}

struct Follower<'a> {
    cfg: &'a Cfg,
    /// Remainders by no more than this differ between the lanes of a warp, and quotients by no less between lanes of few warps.
    lanes: i64,
    /// What is known of values; of those that are being followed, that they do not differ.
    found: FxHashMap<Value, Differs>,
}

impl Follower<'_> {
    fn of(&mut self, value: Value) -> Differs {
        if !value.is_instruction() {
            return Differs::Not;
        }
        if let Some(&known) = self.found.get(&value) {
            return known;
        }
        if self.found.len() == MAX_VALUES {
            return Differs::Not;
        }
        self.found.insert(value, Differs::Not);
        let differs = self.of_instruction(value);
        self.found.insert(value, differs);
        differs
    }

    fn of_all(&mut self, values: impl IntoIterator<Item = Value>) -> Differs {
        values.into_iter().map(|value| self.of(value)).max().unwrap_or(Differs::Not)
    }

    fn of_instruction(&mut self, value: Value) -> Differs {
        use Opcode::*;
        match value.opcode() {
            Some(LLVMPHI) => self.of_phi(value),
            Some(LLVMLoad) => self.of_load(value),
            Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => Differs::ByLane,
            Some(LLVMCall | LLVMInvoke) => self.of_call(value),
            Some(LLVMUDiv | LLVMSDiv) => match (self.of(value.operand(0)), value.operand(1).as_int()) {
                (Differs::Evenly, by) if by.is_none_or(|by| by.saturating_abs() >= self.lanes) => Differs::Seldom,
                (differs, _) => differs.max(self.of(value.operand(1))),
            },
            Some(LLVMLShr | LLVMAShr) => match (self.of(value.operand(0)), value.operand(1).as_int()) {
                (Differs::Evenly, Some(by)) if 1_i64.checked_shl(by as u32).is_none_or(|by| by >= self.lanes) => {
                    Differs::Seldom
                }
                (differs, _) => differs.max(self.of(value.operand(1))),
            },
            // By a power of two, lanes have each remainder equally often.
            Some(LLVMURem | LLVMSRem) => {
                let is_short = value.operand(1).as_int().is_some_and(|by| by.saturating_abs() <= self.lanes);
                if is_short { self.of_low_bits(value) } else { self.of_all(value.operands()) }
            }
            Some(LLVMAnd) => {
                let is_short = value.operand(1).as_int().is_some_and(|mask| (0..self.lanes).contains(&mask));
                if is_short { self.of_low_bits(value) } else { self.of_all(value.operands()) }
            }
            // Mixed with itself, a number is a random one.
            Some(LLVMXor) => match [0, 1].map(|at| self.of(value.operand(at))) {
                [one, other] if one.min(other) >= Differs::Seldom => Differs::ByLane,
                [one, other] => one.max(other),
            },
            // What digits of a number are put together to differs as evenly as the number, and few warps are at the bound that it has.
            Some(LLVMAdd | LLVMSub | LLVMMul | LLVMOr) if value.operand(1).as_int().is_none() => self.of_digits(value),
            Some(LLVMICmp) => {
                let is_equality = matches!(value.int_predicate(), IntPredicate::LLVMIntEQ | IntPredicate::LLVMIntNE);
                let has_constant = value.operand(1).as_int().is_some();
                if is_equality || has_constant { self.of_all(value.operands()) } else { self.of_digits(value) }
            }
            Some(LLVMAlloca) => Differs::Not,
            _ => self.of_all(value.operands()),
        }
    }

    /// Of a number that digits are put together to.
    fn of_digits(&mut self, value: Value) -> Differs {
        match self.of_all(value.operands()) {
            Differs::InEachWarp => Differs::Evenly,
            differs => differs,
        }
    }

    /// Of the lowest bits of a number, no more than a warp has lanes.
    fn of_low_bits(&mut self, value: Value) -> Differs {
        match self.of_all(value.operands()) {
            Differs::Evenly => Differs::InEachWarp,
            differs => differs,
        }
    }

    /// What goes from one iteration to the next otherwise than by steps leaves no order among lanes: random numbers, for one.
    fn of_phi(&mut self, phi: Value) -> Differs {
        let differs = self.of_all(phi.incoming().into_iter().map(|(value, _)| value));
        let block = phi.block();
        let header = self.cfg.id(block).filter(|&at| self.cfg.loops.iter().any(|natural| natural.header == at));
        let Some(natural) = header.and_then(|at| self.cfg.loops.iter().find(|natural| natural.header == at)) else {
            return differs;
        };
        let is_next = |from: &Block| self.cfg.id(*from).is_some_and(|from| natural.contains(from));
        let mut next = phi.incoming().into_iter().filter(|(_, from)| is_next(from)).map(|(value, _)| value);
        let is_even = next.all(|value| !value.is_instruction() || goes_on_by_steps(value, phi, MAX_STEPS));
        if differs >= Differs::Evenly && !is_even { Differs::ByLane } else { differs }
    }

    fn of_load(&mut self, load: Value) -> Differs {
        let address = load.operand(0);
        let own = address.base_of_address();
        if own.is(Opcode::LLVMAlloca) {
            // What the runtime leaves there are a thread's first and last iterations.
            let is_of_runtime = |user: Value| user.calls(|name| name.starts_with("__kmpc_"));
            let differs = if own.users().into_iter().any(is_of_runtime) { Differs::Evenly } else { Differs::ByLane };
            return differs;
        }
        match self.of(address) {
            Differs::Evenly => Differs::ByLane,
            differs => differs,
        }
    }

    fn of_call(&mut self, call: Value) -> Differs {
        let is_thread = |name: &str| {
            const PREFIXES: [&str; 2] = ["llvm.nvvm.read.ptx.sreg.tid.", "llvm.amdgcn.workitem.id."];
            const NAMES: [&str; 3] =
                ["omp_get_thread_num", "__kmpc_global_thread_num", "__kmpc_get_hardware_thread_id_in_block"];
            NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        };
        if call.calls(is_thread) {
            return Differs::Evenly;
        }
        if call.calls(openmp::is_runtime_name) {
            return Differs::Not;
        }
        let differs = self.of_all(call.call_args());
        // A function of the program does with them what it likes.
        let is_known = call.calls(|name| name.starts_with("llvm.")) || call.calls(openmp::is_mathematics);
        if differs >= Differs::Evenly && !is_known { Differs::ByLane } else { differs }
    }
}

/// Whether a value is another one with something added, but for its width.
fn goes_on_by_steps(value: Value, from: Value, depth: u32) -> bool {
    use Opcode::*;
    let Some(depth) = depth.checked_sub(1) else { return false };
    if value == from {
        return true;
    }
    let leads = |at: u32| goes_on_by_steps(value.operand(at), from, depth);
    match value.opcode() {
        Some(LLVMAdd | LLVMSub | LLVMOr | LLVMFAdd | LLVMFSub) => leads(0) || leads(1),
        Some(LLVMGetElementPtr | LLVMTrunc | LLVMSExt | LLVMZExt | LLVMFreeze) => leads(0),
        // How the optimiser writes that a number becomes as wide as before.
        Some(LLVMAShr | LLVMLShr) => {
            let widened = value.operand(0);
            let is_same = value.operand(1).as_int().is_some() && value.operand(1) == widened.operand(1);
            widened.is(LLVMShl) && is_same && goes_on_by_steps(widened.operand(0), from, depth)
        }
        Some(LLVMPHI) => value.incoming().into_iter().any(|(value, _)| goes_on_by_steps(value, from, depth)),
        _ => false,
    }
}
