//! What a loop asks before each iteration, asked for the iteration of one number alone.
//!
//! ```text
//! for (j = start; j < end; j += 2)       number k has an iteration if start + 2 * k < end
//! ```
//!
//! The sum is computed in a width in which nothing wraps around: numbers that have no iteration may be beyond what the counter holds.

use super::counter::Counter;
use ipda_llvm::{Block, Cfg, Code, IntPredicate, NaturalLoop, Opcode, Value, integer};
use ipda_symbolic::Signedness;

/// A comparison of a counter with what does not change in the loop.
pub(super) struct Question {
    comparison: Value,
    /// Which of its operands is the end.
    end: u32,
    /// Of the comparison, with the counter on the left.
    predicate: IntPredicate,
    /// How the counter and the end are read.
    readings: [Signedness; 2],
    step: i64,
    /// The counter's position among those of the loop.
    pub counter: usize,
}

impl Question {
    /// Whether a loop asks so.
    pub(super) fn is_in(cfg: &Cfg, index: usize) -> bool {
        let natural = &cfg.loops[index];
        let [latch] = natural.latches[..] else { return false };
        let mut before = cfg.predecessors[natural.header].iter().filter(|&&from| from != latch);
        let (Some(&preheader), None) = (before.next(), before.next()) else { return false };
        let mut inside = cfg.successors[natural.header].iter().filter(|&&to| natural.contains(to));
        let (Some(&inside), None) = (inside.next(), inside.next()) else { return false };
        let counters = Counter::all(cfg, natural, preheader, latch);
        counters.is_ok_and(|counters| Question::find(cfg, natural, cfg.blocks[inside], &counters).is_some())
    }

    /// What a loop asks whose header goes on to `inside` while a counter, which a constant brings nearer to its end, has not come there; none if it asks in another form.
    pub(super) fn find(cfg: &Cfg, natural: &NaturalLoop, inside: Block, counters: &[Counter]) -> Option<Question> {
        let branch = cfg.blocks[natural.header].terminator()?;
        let comparison = branch.branch_condition().filter(|condition| condition.is(Opcode::LLVMICmp))?;
        if branch.successors().first() != Some(&inside) {
            return None;
        }
        let of = |operand: u32| {
            let value = comparison.operand(operand);
            let (value, reading) = match value.opcode() {
                Some(Opcode::LLVMSExt) => (value.operand(0), Some(Signedness::Signed)),
                Some(Opcode::LLVMZExt) => (value.operand(0), Some(Signedness::Unsigned)),
                _ => (value, None),
            };
            let counter = counters.iter().position(|counter| counter.is(value))?;
            Some((operand, counter, reading))
        };
        let (operand, counter, cast) = of(0).or_else(|| of(1))?;
        let end = 1 - operand;
        let is_fixed = is_fixed(cfg, natural, comparison.operand(end), MAX_DEPTH);
        let predicate = comparison.int_predicate();
        let predicate = if operand == 0 { predicate } else { swapped(predicate)? };
        let (goes_up, reading) = direction(predicate)?;
        let step = counters[counter].constant_step()?;
        let comes_nearer = if goes_up { step > 0 } else { step < 0 };
        let readings = [cast.unwrap_or(reading), reading];
        (is_fixed && comes_nearer).then_some(Question { comparison, end, predicate, readings, step, counter })
    }

    /// Whether there is an iteration of a number that is at least 0, of a counter that begins at `start`.
    pub(super) fn ask(&self, here: &Code, start: Value, number: Value) -> Value {
        let end = self.comparison.operand(self.end);
        let bits = if end.ty().int_bits().is_some_and(|bits| bits <= 32) { 64 } else { 128 };
        let wide = integer(start, bits);
        let [start, end] = [(start, self.readings[0]), (end, self.readings[1])]
            .map(|(value, reading)| here.resize(value, wide, reading));
        let size = Value::int_of(wide, self.step.unsigned_abs());
        let all = here.binary(Opcode::LLVMMul, here.resize(number, wide, Signedness::Unsigned), size);
        let opcode = if self.step < 0 { Opcode::LLVMSub } else { Opcode::LLVMAdd };
        here.compare(with_sign(self.predicate), here.binary(opcode, start, all), end)
    }
}

/// Operations that an end may consist of, one below the other.
const MAX_DEPTH: u32 = 8;

/// Whether a value is the same in all iterations.
fn is_fixed(cfg: &Cfg, natural: &NaturalLoop, value: Value, depth: u32) -> bool {
    use Opcode::{
        LLVMAShr, LLVMAdd, LLVMAnd, LLVMLShr, LLVMMul, LLVMOr, LLVMSDiv, LLVMSExt, LLVMShl, LLVMSub, LLVMTrunc,
        LLVMUDiv, LLVMXor, LLVMZExt,
    };
    if !value.is_instruction() {
        return true;
    }
    let Some(block) = cfg.id(value.block()) else { return false };
    if !natural.contains(block) {
        return true;
    }
    let is_operation = matches!(
        value.opcode(),
        Some(
            LLVMAShr
                | LLVMAdd
                | LLVMAnd
                | LLVMLShr
                | LLVMMul
                | LLVMOr
                | LLVMSDiv
                | LLVMSExt
                | LLVMShl
                | LLVMSub
                | LLVMTrunc
                | LLVMUDiv
                | LLVMXor
                | LLVMZExt
        )
    );
    is_operation && depth > 0 && value.operands().all(|operand| is_fixed(cfg, natural, operand, depth - 1))
}

/// Whether a counter goes up while a predicate holds, and how both sides are read; none where it may do either.
fn direction(predicate: IntPredicate) -> Option<(bool, Signedness)> {
    use IntPredicate::*;
    match predicate {
        LLVMIntSLT | LLVMIntSLE => Some((true, Signedness::Signed)),
        LLVMIntULT | LLVMIntULE => Some((true, Signedness::Unsigned)),
        LLVMIntSGT | LLVMIntSGE => Some((false, Signedness::Signed)),
        LLVMIntUGT | LLVMIntUGE => Some((false, Signedness::Unsigned)),
        LLVMIntEQ | LLVMIntNE => None,
    }
}

/// With the sides exchanged.
fn swapped(predicate: IntPredicate) -> Option<IntPredicate> {
    use IntPredicate::*;
    Some(match predicate {
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntEQ | LLVMIntNE => return None,
    })
}

/// The same of numbers that are wide enough for both readings.
fn with_sign(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntULT => LLVMIntSLT,
        LLVMIntULE => LLVMIntSLE,
        LLVMIntUGT => LLVMIntSGT,
        LLVMIntUGE => LLVMIntSGE,
        same => same,
    }
}
