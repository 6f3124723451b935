//! Whether, how often and by which threads an instruction is run.

use super::analysis::{Analysis, Conditions};
use super::stride::Place;
use crate::openmp::Sharing;
use crate::openmp::nest::SharedLoop;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_models::report::Condition;
use ipda_symbolic::{Coeff, LaneCondition, Polynomial, TripCount};

/// When, how often and by which lanes an instruction is run.
pub(super) struct Executions {
    /// The conditions under which it runs in an iteration of its parallel loop.
    pub conditions: Conditions,
    /// How often it runs at most in such an iteration; or why that is not known.
    pub count: Result<Polynomial, String>,
    /// The lanes that run it, where that is not all of them.
    pub lanes: Option<LaneCondition>,
}

impl Analysis<'_> {
    pub(super) fn executions(&mut self, block: BlockId, shared: Option<&SharedLoop>, place: &Place) -> Executions {
        let mut count = Polynomial::from(1);
        let mut unknown = None;
        let mut conditions: Vec<Polynomial> = Vec::new();
        // Loops that some lanes may leave before others, by their trip counts and, without those, for the reason given.
        let mut goes_on: Vec<Polynomial> = Vec::new();
        let mut leaves_apart = None;
        let mut unclear = false;
        let mut inner = block;
        let mut outermost = 0;
        let mut add = |condition: Option<Polynomial>| match condition {
            Some(condition) if condition.as_constant().is_some_and(Coeff::is_one) => {}
            Some(condition) => conditions.push(condition),
            None => unclear = true,
        };
        for index in self.cfg.loop_chain(self.cfg.loop_of(block)).collect::<Vec<_>>() {
            add(self.condition_in_body(index, inner));
            let header = self.cfg.loops[index].header;
            let once_more = inner == header && self.lowering.is_tested_first(index);
            inner = header;
            if shared.is_some_and(|shared| shared.index == index) {
                outermost = header;
                break;
            }
            if self.nest.hidden.contains(&index)
                || self.nest.shared_at(index).is_some_and(|shared| shared.sharing == Sharing::Teams)
            {
                continue;
            }
            unknown = Some(match self.lowering.trip_count(index) {
                TripCount::AtMost(trips) => self.at_most(&trips),
                TripCount::Unknown(reason) => reason,
                TripCount::Exactly(trips) | TripCount::Modulo(trips) => {
                    let runs = &trips + &Polynomial::from(i64::from(once_more));
                    let number = self.lowering.iteration(index);
                    goes_on.push(&(&runs - &number) - &Polynomial::from(1));
                    match self.lowering.space.product(&count, &runs) {
                        Some(product) => count = product,
                        None => {
                            unknown = Some("how often all loops together run is too large an expression".to_string())
                        }
                    }
                    continue;
                }
            });
            leaves_apart = leaves_apart.or_else(|| self.leave_apart(index, place));
        }
        // In a target region, what leads here from the start is code of the compiler's own making.
        if !self.is_target && shared.is_none() {
            add(self.lowering.path_condition(0, inner));
        }
        let active = match unclear {
            true => Some(LaneCondition::Unknown("a condition is not followed".into())),
            false => self.active_lanes(&conditions, &goes_on, outermost, place),
        };
        let lanes = match active {
            lanes @ Some(LaneCondition::Unknown(_) | LaneCondition::DataDependent(_)) => lanes,
            lanes => leaves_apart.or(lanes),
        };
        let mut conditions = self.reported_conditions(&conditions);
        conditions.extend(unclear.then_some((Condition::NotFollowed, None)));
        Executions { conditions, count: unknown.map_or(Ok(count), Err), lanes }
    }

    /// Conditions for people, those of outer loops first, with their expressions.
    fn reported_conditions(&mut self, conditions: &[Polynomial]) -> Conditions {
        // What predictions still count with; less of it is reported.
        const MAX_LENGTH: usize = 1000;
        let parts = conditions.iter().rev().flat_map(|condition| self.lowering.space.conjuncts(condition));
        let mut all: Vec<_> =
            parts.map(|part| self.condition(&part)).map(|(reported, value)| (reported, Some(value))).collect();
        if all.iter().map(|(reported, _)| reported.words().len()).sum::<usize>() > MAX_LENGTH {
            all = vec![(Condition::Long, None)];
        }
        all
    }

    /// The lanes for which all conditions hold and all loops go on; none where that is all lanes that come to the block `from`.
    fn active_lanes(
        &mut self,
        conditions: &[Polynomial],
        goes_on: &[Polynomial],
        from: BlockId,
        place: &Place,
    ) -> Option<LaneCondition> {
        let mut parts: Vec<Polynomial> =
            conditions.iter().flat_map(|condition| self.lowering.space.conjuncts(condition)).collect();
        let are_conditions = parts.len();
        parts.extend(goes_on.iter().map(|left| self.lowering.space.nonneg(left)));
        let mut all = Polynomial::from(1);
        let mut together = None;
        for (number, part) in parts.iter().enumerate() {
            match self.lanes_where(part, from, place) {
                // A loop that all lanes leave together is no condition on lanes.
                LaneCondition::Uniform if number >= are_conditions => {}
                LaneCondition::Uniform => together = together.or(Some(LaneCondition::Uniform)),
                LaneCondition::ByWarp => together = Some(LaneCondition::ByWarp),
                unknown @ (LaneCondition::Unknown(_) | LaneCondition::DataDependent(_)) => return Some(unknown),
                LaneCondition::Lanes(_) | LaneCondition::Symbolic(_) => match self.lowering.space.product(&all, part) {
                    Some(product) => all = product,
                    None => {
                        return Some(LaneCondition::Unknown("the conditions are too large an expression".into()));
                    }
                },
            }
        }
        if all.as_constant().is_some_and(Coeff::is_one) { together } else { Some(self.lanes_where(&all, from, place)) }
    }

    /// What decides that some lanes may leave a loop before others; none where all leave it together.
    fn leave_apart(&mut self, index: usize, place: &Place) -> Option<LaneCondition> {
        let header = self.cfg.loops[index].header;
        let edges: Vec<(BlockId, BlockId)> = self.lowering.exit_edges(index).collect();
        for (from, to) in edges {
            let conditions = [self.lowering.path_condition(header, from), self.lowering.branch_condition(from, to)];
            for condition in conditions {
                let Some(condition) = condition else {
                    return Some(LaneCondition::Unknown("a loop ends by a condition that is not followed".into()));
                };
                // By what is known in the header: behind it, the conditions would be asked where they hold.
                match self.lanes_where(&condition, header, place) {
                    LaneCondition::Uniform | LaneCondition::ByWarp => {}
                    LaneCondition::Lanes(_) | LaneCondition::Symbolic(_) => {
                        return Some(LaneCondition::Unknown("some lanes may leave a loop before others".into()));
                    }
                    apart => return Some(apart),
                }
            }
        }
        None
    }

    /// A condition as it is reported, and the expression that is reported to be 0 or not.
    pub(super) fn condition(&self, condition: &Polynomial) -> (Condition, Polynomial) {
        let opposite = self.lowering.space.not(condition);
        match opposite.as_atom() {
            Some(_) => (Condition::HoldsNot { value: self.text(&opposite) }, opposite),
            None if let Some(none) = self.text_of_none(&opposite) => (Condition::HoldsNot { value: none }, opposite),
            None => (Condition::Holds { value: self.text(condition) }, condition.clone()),
        }
    }

    /// That none of several conditions holds, as a product: multiplied out, that has a term for each choice of them.
    fn text_of_none(&self, none: &Polynomial) -> Option<String> {
        const MANY: usize = 3;
        let parts = self.lowering.space.conjuncts(none);
        let texts = parts.iter().map(|part| format!("({})", self.text(part)));
        (parts.len() >= MANY).then(|| texts.collect::<Vec<_>>().join("*"))
    }

    /// A condition as an expression that is 1 where it holds, as short as possible.
    pub(crate) fn text_of_condition(&self, condition: &Polynomial) -> String {
        let text = |part: &Polynomial| match self.text_of_none(&self.lowering.space.not(part)) {
            Some(none) => format!("(1 - {none})"),
            None => format!("({})", self.text(part)),
        };
        let parts = self.lowering.space.conjuncts(condition);
        match &parts[..] {
            [one] if self.text_of_none(&self.lowering.space.not(one)).is_none() => self.text(one),
            parts => parts.iter().map(text).collect::<Vec<_>>().join("*"),
        }
    }

    /// The condition under which an iteration of a loop comes to `block`.
    pub(crate) fn condition_in_body(&mut self, index: usize, block: BlockId) -> Option<Polynomial> {
        let natural = &self.cfg.loops[index];
        if block == natural.header {
            return Some(Polynomial::from(1));
        }
        // From the body's first block, so that the loop's own test does not count.
        let inside = |to: &BlockId| natural.contains(*to) && *to != natural.header;
        let bodies: Vec<BlockId> = self.cfg.successors[natural.header].iter().copied().filter(inside).collect();
        match bodies[..] {
            [body] if self.lowering.is_tested_first(index) && self.cfg.dominates(body, block) => {
                self.lowering.path_condition(body, block)
            }
            _ => self.lowering.path_condition(natural.header, block),
        }
    }

    /// Whether all threads of a team run an instruction that is in no loop over threads.
    pub(super) fn runs_in_all_threads(&self, instruction: Value) -> bool {
        self.is_spmd && !self.is_after_reduction(instruction) || self.nest.is_parallel(self.cfg, instruction)
    }

    /// Whether the runtime picks the thread that runs an instruction, to combine partial results.
    fn is_after_reduction(&self, instruction: Value) -> bool {
        let block = self.cfg.id(instruction.block());
        std::iter::successors(block, |&at| self.cfg.immediate_dominator(at)).skip(1).any(|at| {
            let condition = self.cfg.blocks[at].terminator().and_then(Value::branch_condition);
            let decider = condition.map(|value| if value.is(Opcode::LLVMICmp) { value.operand(0) } else { value });
            decider.and_then(Value::callee).is_some_and(|callee| callee.name().contains("_reduce"))
        })
    }
}
