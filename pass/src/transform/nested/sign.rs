//! Which numbers are not negative, by what the code says of itself: flags of its operations and conditions on the way to a block.

use ipda_llvm::{BlockId, Cfg, IntPredicate, Opcode, Value};

/// Operations that a proof looks through, one below the other.
const MAX_DEPTH: u32 = 12;

/// What a condition was where a branch was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    True,
    False,
}

/// Comparisons that hold where a block is reached.
pub(super) struct Facts(Vec<(Value, IntPredicate, Value)>);

impl Facts {
    /// What the branches that lead to a block say.
    pub(super) fn at(cfg: &Cfg, block: BlockId) -> Facts {
        let mut facts = Facts(Vec::new());
        let mut at = block;
        while let Some(above) = cfg.immediate_dominator(at) {
            let end = cfg.blocks[above].terminator();
            let condition = end.filter(|end| end.is(Opcode::LLVMBr)).and_then(Value::branch_condition);
            let ways = end.map(Value::successors).unwrap_or_default();
            if let (Some(condition), &[then, otherwise]) = (condition, &ways[..])
                && then != otherwise
            {
                let leads_here =
                    |way| cfg.id(way).is_some_and(|way| cfg.predecessors[way] == [above] && cfg.dominates(way, block));
                match (leads_here(then), leads_here(otherwise)) {
                    (true, false) => facts.add(condition, Outcome::True, MAX_DEPTH),
                    (false, true) => facts.add(condition, Outcome::False, MAX_DEPTH),
                    _ => {}
                }
            }
            at = above;
        }
        facts
    }

    fn add(&mut self, condition: Value, outcome: Outcome, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let holds = outcome == Outcome::True;
        match condition.opcode() {
            Some(Opcode::LLVMAnd) if holds => condition.operands().for_each(|part| self.add(part, outcome, depth)),
            Some(Opcode::LLVMOr) if !holds => condition.operands().for_each(|part| self.add(part, outcome, depth)),
            // `a && b` and `a || b` where b may be poison.
            Some(Opcode::LLVMSelect) => {
                let truth = |index| condition.operand(index).as_int().map(|number| number != 0);
                if holds && truth(2) == Some(false) {
                    [0, 1].into_iter().for_each(|part| self.add(condition.operand(part), outcome, depth));
                } else if !holds && truth(1) == Some(true) {
                    [0, 2].into_iter().for_each(|part| self.add(condition.operand(part), outcome, depth));
                }
            }
            Some(Opcode::LLVMICmp) => {
                let predicate = condition.int_predicate();
                let predicate = if holds { Some(predicate) } else { opposite(predicate) };
                if let Some(predicate) = predicate {
                    self.0.push((condition.operand(0), predicate, condition.operand(1)));
                }
            }
            _ => {}
        }
    }

    /// Whether a number, read with a sign, is not negative.
    pub(super) fn is_natural(&self, value: Value) -> bool {
        self.is_at_least(value, 0, MAX_DEPTH)
    }

    /// Whether a number, read with a sign, is at least so large.
    fn is_at_least(&self, value: Value, least: i64, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        if let Some(number) = value.as_int() {
            return number >= least;
        }
        if self.0.iter().any(|&(a, predicate, b)| says_at_least(value, least, a, predicate, b)) {
            return true;
        }
        let natural = |index| self.is_at_least(value.operand(index), 0, depth);
        let constant = |index| value.operand(index).as_int();
        let by_at_least = |least: i64| constant(1).is_some_and(|number| number >= least);
        let shifted = |by: Option<i64>| by.is_some_and(|by| self.is_at_least(value.operand(0), by, depth));
        match value.opcode() {
            Some(Opcode::LLVMSExt) => self.is_at_least(value.operand(0), least, depth),
            Some(Opcode::LLVMAdd) if value.has_nsw() => {
                shifted(constant(1).and_then(|by| least.checked_sub(by))) || least <= 0 && natural(0) && natural(1)
            }
            Some(Opcode::LLVMSub) if value.has_nsw() => {
                shifted(constant(1).and_then(|by| least.checked_add(by)))
                    || least <= 0 && self.is_ordered(value.operand(1), value.operand(0))
            }
            _ if least > 0 => false,
            Some(Opcode::LLVMZExt) => true,
            Some(Opcode::LLVMMul) => value.has_nsw() && natural(0) && natural(1),
            Some(Opcode::LLVMSDiv) => natural(0) && by_at_least(1),
            Some(Opcode::LLVMUDiv) => by_at_least(2) || natural(0) && by_at_least(1),
            Some(Opcode::LLVMLShr) => by_at_least(1),
            _ => false,
        }
    }

    /// Whether a condition says that one number is at most another, read with a sign.
    fn is_ordered(&self, small: Value, large: Value) -> bool {
        self.0.iter().any(|&(a, predicate, b)| match predicate {
            IntPredicate::LLVMIntSLE | IntPredicate::LLVMIntSLT => (a, b) == (small, large),
            IntPredicate::LLVMIntSGE | IntPredicate::LLVMIntSGT => (a, b) == (large, small),
            _ => false,
        })
    }
}

fn says_at_least(value: Value, least: i64, a: Value, predicate: IntPredicate, b: Value) -> bool {
    let from = |bound: Value| bound.as_int().is_some_and(|bound| bound >= least);
    let above = |bound: Value| bound.as_int().and_then(|bound| bound.checked_add(1)).is_some_and(|next| next >= least);
    match predicate {
        IntPredicate::LLVMIntSLT => b == value && above(a),
        IntPredicate::LLVMIntSLE => b == value && from(a),
        IntPredicate::LLVMIntSGT => a == value && above(b),
        IntPredicate::LLVMIntSGE => a == value && from(b),
        _ => false,
    }
}

fn opposite(predicate: IntPredicate) -> Option<IntPredicate> {
    Some(match predicate {
        IntPredicate::LLVMIntSLT => IntPredicate::LLVMIntSGE,
        IntPredicate::LLVMIntSLE => IntPredicate::LLVMIntSGT,
        IntPredicate::LLVMIntSGT => IntPredicate::LLVMIntSLE,
        IntPredicate::LLVMIntSGE => IntPredicate::LLVMIntSLT,
        _ => return None,
    })
}
