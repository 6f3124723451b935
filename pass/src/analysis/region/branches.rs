//! Where the lanes of a warp may go different ways (divergence analysis: Coutinho, Sampaio, Pereira and Meira, "Divergence Analysis and Optimizations",
//! PACT 2011; here with exact conditions instead of two classes of values).

use super::Analysis;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_models::report::{Branch, Region};
use ipda_symbolic::{LaneCondition, Polynomial};

impl Analysis<'_> {
    pub(super) fn branches(&mut self, result: &mut Region) {
        for block in 0..self.cfg.blocks.len() {
            if let Some(branch) = self.branch(block) {
                result.branches.push(branch);
            }
        }
    }

    fn branch(&mut self, block: BlockId) -> Option<Branch> {
        let terminator = self.cfg.blocks[block].terminator()?;
        let targets = &self.cfg.successors[block];
        if targets.len() < 2 || !matches!(terminator.opcode(), Some(Opcode::LLVMBr | Opcode::LLVMSwitch)) {
            return None;
        }
        let shared = self.nest.thread_loop(self.cfg, block).cloned();
        if shared.is_none() && !self.runs_in_all_threads(terminator) {
            return None;
        }
        // The tests of loops that the runtime shares out end with the threads' iterations: no choice of the program's.
        let innermost = self.cfg.loop_of(block);
        let leaves = |index: usize| targets.iter().any(|&to| !self.cfg.loops[index].contains(to));
        let is_handed_out = |index: usize| self.nest.hidden.contains(&index) || self.nest.shared_at(index).is_some();
        if innermost.is_some_and(|index| is_handed_out(index) && (leaves(index) || self.nest.hidden.contains(&index))) {
            return None;
        }
        let ends_loop = innermost.is_some_and(leaves);
        let place = self.place_of(terminator, shared.as_ref());
        let lanes = self.lanes_at_branch(block, ends_loop.then_some(innermost).flatten(), &place);
        // Around a shared loop clang asks whether there are any iterations.
        let is_made = shared.is_none() && (self.is_target || !self.nest.shared.is_empty());
        let is_answered = matches!(lanes, LaneCondition::Unknown(_)) && asks_runtime(terminator);
        if is_made && lanes == LaneCondition::Uniform || is_answered {
            return None;
        }
        Some(Branch {
            in_loop: self.reported_loop(block),
            location: terminator.location(),
            ends_loop,
            is_joined: terminator.branch_condition().is_some_and(is_joined),
            lanes: self.lanes(&lanes),
        })
    }

    /// For which lanes the jump takes its first way: those that stay, if it ends a loop.
    fn lanes_at_branch(&mut self, block: BlockId, ended: Option<usize>, place: &super::stride::Place) -> LaneCondition {
        let targets = self.cfg.successors[block].clone();
        let is_jump = self.cfg.blocks[block].terminator().is_some_and(|terminator| terminator.is(Opcode::LLVMBr));
        let ways = match ended {
            Some(index) => targets.iter().copied().filter(|&to| self.cfg.loops[index].contains(to)).collect(),
            // Of two ways one decides; of many each may differ.
            None if is_jump => targets[..1].to_vec(),
            None => targets,
        };
        let mut worst = LaneCondition::Uniform;
        for to in ways {
            let Some(condition) = self.lowering.branch_condition(block, to) else {
                return LaneCondition::Unknown("the condition is not followed".into());
            };
            let condition: Polynomial = self.lowering.refine(&condition, block);
            let lanes = self.lanes_where(&condition, block, place);
            if rank(&lanes) > rank(&worst) {
                worst = lanes;
            }
        }
        worst
    }

    /// The innermost loop around a block that the report has.
    pub(super) fn reported_loop(&self, block: BlockId) -> Option<String> {
        let mut chain = self.cfg.loop_chain(self.cfg.loop_of(block));
        chain.find_map(|at| self.visible.get(&at)).map(|number| format!("loop{number}"))
    }
}

/// Whether a condition is made of others.
fn is_joined(condition: Value) -> bool {
    use Opcode::{LLVMAnd, LLVMOr, LLVMSelect, LLVMXor};
    matches!(condition.opcode(), Some(LLVMAnd | LLVMOr | LLVMXor | LLVMSelect))
}

/// Whether the answer of an OpenMP runtime function decides a jump: the program has no such choice.
fn asks_runtime(terminator: Value) -> bool {
    // A comparison, the lesser of two bounds, a load: so deep clang's conditions go.
    const DEPTH: u32 = 4;
    terminator.branch_condition().is_some_and(|condition| comes_from_runtime(condition, DEPTH))
}

/// Whether a value is what the runtime returned, or left in a variable of the compiler's own.
fn comes_from_runtime(value: Value, depth: u32) -> bool {
    let name = |call: Value| call.callee().map(Value::name).unwrap_or_default();
    let is_of_runtime = |call| name(call).starts_with("__kmpc_");
    let sets_bounds =
        |call| is_of_runtime(call) && (name(call).contains("static_init") || name(call).contains("dispatch"));
    match value.opcode() {
        _ if depth == 0 => false,
        Some(Opcode::LLVMCall) if is_of_runtime(value) => true,
        Some(Opcode::LLVMLoad) => value.operand(0).users().into_iter().any(sets_bounds),
        Some(Opcode::LLVMICmp | Opcode::LLVMSelect) => {
            (0..value.operand_count()).any(|index| comes_from_runtime(value.operand(index), depth - 1))
        }
        Some(Opcode::LLVMCall) => value.call_args().into_iter().any(|argument| comes_from_runtime(argument, depth - 1)),
        _ => false,
    }
}

/// Of several conditions, the one of which the least is known stands for all.
fn rank(lanes: &LaneCondition) -> u32 {
    match lanes {
        LaneCondition::Uniform => 0,
        LaneCondition::ByWarp => 1,
        LaneCondition::Lanes(_) => 2,
        LaneCondition::Symbolic(_) => 3,
        LaneCondition::DataDependent(_) => 4,
        LaneCondition::Unknown(_) => 5,
    }
}
