//! Whether, how often and by which threads an instruction is run.

use super::Analysis;
use crate::cfg::BlockId;
use crate::ir::{Opcode, Value};
use crate::nest::SharedLoop;
use crate::omp::Sharing;
use ipda_symbolic::TripCount;
use ipda_symbolic::{Coeff, Polynomial};

impl Analysis<'_> {
    /// The condition under which the access runs in an iteration of its parallel loop, and how often at most.
    pub(super) fn executions(
        &mut self,
        block: BlockId,
        shared: Option<&SharedLoop>,
    ) -> (Option<String>, Result<Polynomial, String>) {
        let mut count = Polynomial::from(1);
        let mut unknown = None;
        let mut conditions: Vec<Polynomial> = Vec::new();
        let mut unclear = false;
        let mut inner = block;
        for index in self.cfg.loop_chain(self.cfg.loop_of(block)).collect::<Vec<_>>() {
            match self.condition_in_body(index, inner) {
                Some(condition) if condition.as_constant().is_some_and(Coeff::is_one) => {}
                Some(condition) => conditions.push(condition),
                None => unclear = true,
            }
            let header = self.cfg.loops[index].header;
            let once_more = inner == header && self.lowering.is_tested_first(index);
            inner = header;
            if shared.is_some_and(|shared| shared.index == index) {
                break;
            }
            if self.nest.hidden.contains(&index)
                || self.nest.shared_at(index).is_some_and(|shared| shared.sharing == Sharing::Teams)
            {
                continue;
            }
            match self.lowering.trip_count(index) {
                TripCount::AtMost(trips) => unknown = Some(self.at_most(&trips)),
                TripCount::Exactly(trips) | TripCount::Modulo(trips) => {
                    match self.lowering.space.product(&count, &(&trips + &Polynomial::from(i64::from(once_more)))) {
                        Some(product) => count = product,
                        None => unknown = Some("the product of the trip counts is too large".to_string()),
                    }
                }
                TripCount::Unknown(reason) => unknown = Some(reason),
            }
        }
        // Nobody reads a page of algebra.
        const MAX_LENGTH: usize = 160;
        let mut texts: Vec<String> = conditions.iter().rev().map(|condition| self.condition_text(condition)).collect();
        if texts.iter().map(String::len).sum::<usize>() > MAX_LENGTH {
            texts = vec!["under a long condition".into()];
        }
        if unclear {
            texts.push("under a condition that is not followed".into());
        }
        let condition = (!texts.is_empty()).then(|| texts.join(" and "));
        (condition, unknown.map_or(Ok(count), Err))
    }

    fn condition_text(&self, condition: &Polynomial) -> String {
        let opposite = self.lowering.space.not(condition);
        match opposite.as_atom() {
            Some(_) => format!("not {}", self.text(&opposite)),
            None => self.text(condition),
        }
    }

    /// The condition under which an iteration of a loop comes to `block`.
    fn condition_in_body(&mut self, index: usize, block: BlockId) -> Option<Polynomial> {
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
