//! What the program decides, by branches or by choices of values: both have the same numbers.

use super::forms::{number, of_constant, plain};
use super::labels::{Labels, chosen};
use super::ways::{Decision, Step, Ways};
use ipda_llvm::{Block, BlockId, Cfg, Opcode, Type, Value};
use std::rc::Rc;

/// Conditions within a condition that are asked one by one.
const MAX_PARTS: u32 = 12;

/// Whether a decision is for one thing or another, of which one may be nothing at all.
struct Rule<'a, T> {
    /// Control goes another way.
    away: T,
    /// By the number of what is asked: where it holds, and where not.
    decide: &'a dyn Fn(u64, T, T) -> T,
}

/// What must hold for control to come to a block.
#[derive(Clone, PartialEq, Eq)]
enum Reached {
    Never,
    /// All of these.
    Where(Vec<u64>),
}

impl Labels {
    /// Whether the program decides that a block runs, once control has come to its dominator.
    pub(super) fn is_decided(&self, at: BlockId, cfg: &Cfg) -> bool {
        !self.facts(at, cfg).is_empty()
    }

    /// What the decisions ask that lead to a block from its dominator.
    pub(super) fn facts(&self, at: BlockId, cfg: &Cfg) -> Rc<[u64]> {
        if let Some(known) = &self.facts.borrow()[at] {
            return known.clone();
        }
        let found: Rc<[u64]> = match &self.branches.ways[at] {
            Some(ways) => {
                let rule = Rule { away: Reached::Never, decide: &reached_where };
                match self.decided(ways, &|_| Reached::Where(Vec::new()), &rule, cfg, MAX_PARTS) {
                    Reached::Never => [number("never")].into(),
                    Reached::Where(facts) => facts.into(),
                }
            }
            None => self.joined(at, cfg).into_iter().collect(),
        };
        self.facts.borrow_mut()[at] = Some(found.clone());
        found
    }

    /// The number of all ways to a block from its dominator, of which no single question is left; none where the program decides nothing there.
    fn joined(&self, at: BlockId, cfg: &Cfg) -> Option<u64> {
        let dominator = cfg.immediate_dominator(at)?;
        let way = |&from: &BlockId| {
            let between = std::iter::successors(Some(from), |&block| self.branches.above[block]);
            let between = between.take_while(|&block| !cfg.dominates(block, dominator));
            let between = between.filter(|&block| self.branches.matters(block, at));
            let mut facts: Vec<u64> = between.flat_map(|block| self.facts(block, cfg).to_vec()).collect();
            let end = cfg.blocks[from].terminator();
            let asked = end.and_then(|end| Some((end, end.branch_condition()?)));
            if let Some((end, condition)) =
                asked.filter(|&(_, condition)| self.decides(condition) && self.branches.matters(from, at))
            {
                facts.push(number(&(self.of(condition), chosen(end, cfg.blocks[at]))));
            }
            self.step(1 + facts.len());
            facts.sort_unstable();
            facts.dedup();
            facts
        };
        let ways_in = cfg.predecessors[at].iter().filter(|&&from| !cfg.dominates(at, from));
        let mut ways: Vec<Vec<u64>> = ways_in.map(way).collect();
        ways.sort_unstable();
        ways.dedup();
        (ways.iter().any(|facts| !facts.is_empty())).then(|| number(&("joined", ways)))
    }

    /// What comes of decisions.
    fn decided<T: Clone + PartialEq>(
        &self,
        ways: &Ways,
        arrived: &dyn Fn(BlockId) -> T,
        rule: &Rule<T>,
        cfg: &Cfg,
        parts: u32,
    ) -> T {
        let mut found: Vec<T> = Vec::new();
        let of = |step: Step, found: &[T]| match step {
            Step::Arrived(from) => arrived(from),
            Step::Decision(at) => found[at].clone(),
            Step::Away | Step::Unknown => rule.away.clone(),
        };
        for decision in &ways.decisions {
            let outcome = match decision {
                Decision::Branch { condition, if_true, if_false } => {
                    self.decide(*condition, of(*if_true, &found), of(*if_false, &found), rule, cfg, parts)
                }
                Decision::Switch { on, cases, default } => {
                    let default = of(*default, &found);
                    let mut cases: Vec<(u64, T)> =
                        cases.iter().map(|&(case, step)| (of_constant(case, 0), of(step, &found))).collect();
                    cases.sort_by_key(|&(case, _)| case);
                    self.step(1 + cases.len());
                    let other = cases.into_iter().filter(|(_, outcome)| *outcome != default);
                    let is = |case: u64| number(&("is", self.of(*on), case));
                    let other: Vec<(u64, T)> = other.collect();
                    other.into_iter().rfold(default, |rest, (case, outcome)| (rule.decide)(is(case), outcome, rest))
                }
            };
            found.push(outcome);
        }
        of(ways.first, &found)
    }

    /// What comes of a condition, whose parts are asked one by one, as branches ask them.
    fn decide<T: Clone + PartialEq>(
        &self,
        condition: Value,
        if_true: T,
        if_false: T,
        rule: &Rule<T>,
        cfg: &Cfg,
        parts: u32,
    ) -> T {
        use Opcode::*;
        self.step(1);
        let condition = plain(condition);
        if if_true == if_false || self.is_spent() {
            return if_true;
        }
        if let Some(known) = condition.as_int() {
            return if known == 0 { if_false } else { if_true };
        }
        let ask = |part: Value, if_true: T, if_false: T| self.decide(part, if_true, if_false, rule, cfg, parts - 1);
        let is_made_of_parts = parts > 0 && self.is_choice(condition, cfg);
        match condition.opcode().filter(|_| is_made_of_parts) {
            Some(LLVMSelect) => {
                let [first, second] = [1, 2].map(|at| ask(condition.operand(at), if_true.clone(), if_false.clone()));
                ask(condition.operand(0), first, second)
            }
            Some(LLVMAnd) => {
                let second = ask(condition.operand(1), if_true, if_false.clone());
                ask(condition.operand(0), second, if_false)
            }
            Some(LLVMOr) => {
                let second = ask(condition.operand(1), if_true.clone(), if_false);
                ask(condition.operand(0), if_true, second)
            }
            Some(LLVMXor) => ask(condition.operand(0), if_false, if_true),
            Some(LLVMPHI) => {
                let ways = self.gates(condition, cfg).expect("a phi that is a choice has gates");
                let arrived = |from| ask(incoming_from(condition, cfg.blocks[from]), if_true.clone(), if_false.clone());
                self.decided(ways, &arrived, rule, cfg, parts - 1)
            }
            _ => match self.opposites.get(&condition) {
                Some(&opposite) => (rule.decide)(opposite, if_false, if_true),
                None => (rule.decide)(self.of(condition), if_true, if_false),
            },
        }
    }

    /// Whether a value is one of others by decisions that the program wrote, as branches before it or as a condition.
    pub(super) fn is_choice(&self, value: Value, cfg: &Cfg) -> bool {
        use Opcode::*;
        let is_truth = |value: Value| value.ty().int_bits() == Some(1);
        if self.is_of_runtime(value) || cfg.id(value.block()).is_none() {
            return false;
        }
        match value.opcode() {
            Some(LLVMSelect) => is_truth(value.operand(0)),
            Some(LLVMAnd | LLVMOr) => is_truth(value),
            Some(LLVMXor) => is_truth(value) && value.operand(1).as_int().is_some_and(|with| with != 0),
            Some(LLVMPHI) => self.gates(value, cfg).is_some(),
            _ => false,
        }
    }

    /// The decisions that choose among a phi's values; none where they are those of a loop's iterations.
    fn gates(&self, phi: Value, cfg: &Cfg) -> Option<&Ways> {
        let at = cfg.id(phi.block())?;
        let is_header = cfg.loop_of(at).is_some_and(|inner| cfg.loops[inner].header == at);
        self.branches.ways[at].as_ref().filter(|_| !is_header)
    }

    pub(super) fn choose(&self, choice: Value, cfg: &Cfg) -> u64 {
        let decide = |asked: u64, if_true: Option<u64>, if_false: Option<u64>| match (if_true, if_false) {
            (Some(if_true), Some(if_false)) => Some(self.either(asked, if_true, if_false)),
            (one, other) => one.or(other),
        };
        let rule = Rule { away: None, decide: &decide };
        let of = |at: u32| Some(self.of(choice.operand(at)));
        let truth = |value| Some(self.truth(choice.ty(), value));
        let ask = |first: Option<u64>, second| self.decide(choice.operand(0), first, second, &rule, cfg, MAX_PARTS);
        let chosen = match choice.opcode() {
            Some(Opcode::LLVMSelect) => ask(of(1), of(2)),
            Some(Opcode::LLVMAnd) => ask(of(1), truth(false)),
            Some(Opcode::LLVMOr) => ask(truth(true), of(1)),
            Some(Opcode::LLVMXor) => ask(truth(false), truth(true)),
            _ => self.gates(choice, cfg).and_then(|ways| {
                let arrived = |from| Some(self.of(incoming_from(choice, cfg.blocks[from])));
                self.decided(ways, &arrived, &rule, cfg, MAX_PARTS)
            }),
        };
        chosen.unwrap_or(0)
    }

    /// The number of what is one value where something holds, and another where not.
    pub(super) fn either(&self, asked: u64, if_true: u64, if_false: u64) -> u64 {
        number(&("either", asked, if_true, if_false))
    }

    pub(super) fn truth(&self, ty: Type, value: bool) -> u64 {
        self.of(Value::int_of(ty, value.into()))
    }

    /// The number by which a value is counted: a comparison and its opposite are one.
    pub(super) fn counted(&self, value: Value) -> u64 {
        self.opposites.get(&value).copied().unwrap_or_else(|| self.of(value))
    }
}

/// What a decision means for control that comes to a block after it.
fn reached_where(asked: u64, if_true: Reached, if_false: Reached) -> Reached {
    use Reached::*;
    let with = |mut facts: Vec<u64>, holds: bool| {
        facts.push(number(&(asked, holds)));
        facts.sort_unstable();
        facts.dedup();
        Where(facts)
    };
    match (if_true, if_false) {
        (Never, Never) => Never,
        (Where(facts), Never) => with(facts, true),
        (Never, Where(facts)) => with(facts, false),
        (Where(facts), Where(others)) => Where(vec![number(&("either", asked, facts, others))]),
    }
}

fn incoming_from(phi: Value, from: Block) -> Value {
    let mut ways = phi.incoming().into_iter();
    ways.find(|&(_, block)| block == from).map_or(phi, |(value, _)| value)
}
