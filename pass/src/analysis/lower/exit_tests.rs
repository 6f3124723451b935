//! Exit tests of loops: each comparison as a slack that falls by a fixed amount in each iteration, until it is negative.

use super::limits::Limit;
use super::{ADDRESS_BITS, Lowered, Lowering, predicate};
use ipda_llvm::{BlockId, IntPredicate, Opcode, Value};
use ipda_symbolic::{Atom, AtomId, Coeff, Interval, OpaqueOp, Polynomial, Signedness};

/// Comparisons of one exit test beyond which it is not taken apart.
const MAX_CONJUNCTS: usize = 8;

/// Parts of one exit test that are looked at: comparisons, and what joins them.
const MAX_TEST_PARTS: u32 = 64;

/// In how many iterations an exit's test says to go on, before it says to leave.
#[derive(Debug, Clone)]
pub(super) struct Stays {
    pub count: Polynomial,
    pub precision: Precision,
}

/// How well a count is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Precision {
    /// It is the number.
    Exact,
    /// The number may be less: the test has a part that is not followed.
    AtMost,
}

/// One comparison of a test to stay in a loop.
#[derive(Clone, Copy)]
struct Comparison {
    predicate: IntPredicate,
    left: Value,
    right: Value,
}

/// Whether a comparison is all that can end its loop at its exit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    Yes,
    No,
}

/// What a counter is compared with.
struct Bound {
    value: Polynomial,
    /// 1 where the counter must stay off the bound itself, else 0.
    strict: Polynomial,
    alone: Alone,
}

/// A machine integer that an exit test looks at, as a residue.
struct Counter {
    value: Polynomial,
    bits: u32,
    reading: Signedness,
}

impl Lowering<'_> {
    /// In how many iterations the test of `exit`, which every whole iteration makes, says to go on.
    pub(super) fn stays(&mut self, index: usize, exit: BlockId) -> Option<Stays> {
        let cfg = self.cfg;
        let [latch] = cfg.loops[index].latches[..] else { return None };
        // In a loop inside of this one, the test is made many times.
        if !cfg.dominates(exit, latch) || cfg.loop_of(exit) != Some(index) {
            return None;
        }
        let terminator = cfg.blocks[exit].terminator()?;
        let condition = terminator.branch_condition()?;
        let stays_when = cfg.loops[index].contains(cfg.id(terminator.successors()[0])?);
        let mut test = ExitTest::default();
        let is_whole = test.take_apart(condition, stays_when);
        if test.is_cut {
            self.met(Limit::ExitTestParts);
        }
        let comparisons = test.comparisons;
        let mut precision = if is_whole { Precision::Exact } else { Precision::AtMost };
        let mut counts = Vec::new();
        let parts = comparisons.len();
        for comparison in comparisons {
            let alone = if parts == 1 && precision == Precision::Exact { Alone::Yes } else { Alone::No };
            match self.count_by_comparison(index, exit, comparison, alone) {
                Some(count) => counts.push(count),
                None => precision = Precision::AtMost,
            }
        }
        let count = match counts.len() {
            0 => return None,
            1 => counts.remove(0),
            _ => {
                let facts = self.facts_at(cfg.loops[index].header);
                self.space.op_under(OpaqueOp::Min, counts, &facts)
            }
        };
        Some(Stays { count: self.known_in(&count, cfg.loops[index].header), precision })
    }

    /// In how many iterations a comparison in the test of `block`, an exit of the loop, says to go on.
    fn count_by_comparison(
        &mut self,
        index: usize,
        block: BlockId,
        Comparison { predicate, left, right }: Comparison,
        alone: Alone,
    ) -> Option<Polynomial> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        self.bits(left)?;
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        use IntPredicate::*;
        let (low, high, strict) = match predicate {
            LLVMIntSLT | LLVMIntULT => (left, right, true),
            LLVMIntSLE | LLVMIntULE => (left, right, false),
            LLVMIntSGT | LLVMIntUGT => (right, left, true),
            LLVMIntSGE | LLVMIntUGE => (right, left, false),
            LLVMIntNE => return self.count_by_inequality(index, block, left, right, alone),
            LLVMIntEQ => return None,
        };
        let reading = predicate::signedness(predicate)?;
        let (a, b) = (self.value_at(low, block), self.value_at(high, block));
        let strict_by = Polynomial::from(i64::from(strict));
        // Pointers into one object compare as their distances from its start do.
        if left.ty().is_pointer() && self.stays_in_object(left, 0) && self.stays_in_object(right, 0) {
            let slack = &(&b.value - &a.value) - &strict_by;
            let leads_elsewhere = self.space.atoms(&slack).into_iter().any(|atom| self.object(atom).is_some());
            self.loops_in_objects.extend((!leads_elsewhere).then_some(index));
            return if leads_elsewhere { None } else { self.count_slack(index, &slack, atom) };
        }
        let bound = |value| Bound { value, strict: strict_by.clone(), alone };
        let known = |this: &mut Self, side| {
            let exact = this.exact_in(side, reading, natural.header);
            this.known_in(&exact, natural.header)
        };
        let (upper, lower) = (bound(known(self, &b)), bound(known(self, &a)));
        let low = self.side_of_test(index, &a, reading, &upper);
        let high = self.side_of_test(index, &b, reading, &lower);
        let slack = &(&high - &low) - &strict_by;
        self.count_slack(index, &slack, atom)
    }

    /// In how many iterations the slack is at least 0, if it falls evenly: slack = rest + rate * number.
    fn count_slack(&mut self, index: usize, slack: &Polynomial, number: AtomId) -> Option<Polynomial> {
        let header = self.cfg.loops[index].header;
        let facts = self.facts_at(header);
        let (rate, rest) = self.space.split_affine(slack, number)?;
        let step = -&rate;
        let falls = self.space.proves_nonneg(&(&step - &Polynomial::from(1)), &facts)
            || (step.as_constant().is_none() && self.supposes_steps());
        if !falls || self.varies_in(&step, index) || self.varies_in(&rest, index) {
            return None;
        }
        let rest = self.known_in(&rest, header);
        let steps = self.space.floor_div(&rest, &step, &facts);
        Some(&steps + &Polynomial::from(1))
    }

    /// Whether a pointer is made from the start of an object by marked steps of exact size, so that its distance from there is the integer
    /// that the algebra says.
    fn stays_in_object(&mut self, pointer: Value, depth: u32) -> bool {
        const MAX_STEPS: u32 = 8;
        if depth > MAX_STEPS {
            return false;
        }
        if pointer.is_argument() || pointer.is_global_variable() {
            return true;
        }
        let Some(block) = self.cfg.id(pointer.block()) else { return false };
        if pointer.is_inbounds() {
            let is_exact = |this: &mut Self, index: Value| {
                let lowered = this.value_at(index, block);
                lowered.bits < ADDRESS_BITS || this.is_signed_in(&lowered, block)
            };
            let indices: Vec<Value> = pointer.operands().skip(1).collect();
            return indices.into_iter().all(|index| is_exact(self, index))
                && self.stays_in_object(pointer.operand(0), depth + 1);
        }
        let header = self.cfg.loops.iter().position(|natural| natural.header == block);
        let Some(ends) = header.filter(|_| pointer.is(Opcode::LLVMPHI)).and_then(|at| self.ends_of(pointer, at)) else {
            return false;
        };
        let steps_on = ends.next.0.is_inbounds() && ends.next.0.operand(0) == pointer;
        let is_constant = ends.next.0.operands().skip(1).all(|index| index.as_int().is_some());
        steps_on && is_constant && self.stays_in_object(ends.start.0, depth + 1)
    }

    /// A side of an exit test as an exact integer.
    fn side_of_test(&mut self, index: usize, side: &Lowered, reading: Signedness, bound: &Bound) -> Polynomial {
        let counter = if side.is_exact(reading) {
            // A narrow counter that is widened for the comparison.
            match side.value.as_atom().map(|atom| self.space.atom(atom)) {
                Some(Atom::Wrap { signed, bits, value }) => {
                    Counter { value: value.clone(), bits: *bits, reading: *signed }
                }
                _ => return side.value.clone(),
            }
        } else {
            Counter { value: side.value.clone(), bits: side.bits, reading }
        };
        let counter = Counter { value: self.known_in(&counter.value, self.cfg.loops[index].header), ..counter };
        match self.cannot_pass(index, &counter, bound) {
            Some(true) => counter.value,
            _ if self.supposes_steps() => counter.value,
            _ => self.exact(side, reading),
        }
    }

    /// Whether a counter that steps towards a bound reaches or passes it before it wraps: all that it is until then is no further from the start
    /// than where the last step leads.
    fn cannot_pass(
        &mut self,
        index: usize,
        counter: &Counter,
        Bound { value: bound, strict, alone }: &Bound,
    ) -> Option<bool> {
        let atom = self.iteration(index).as_atom()?;
        let facts = self.facts_at(self.cfg.loops[index].header);
        let (rate, start) = self.space.split_affine(&counter.value, atom)?;
        let step = rate.as_constant()?.clone();
        if self.varies_in(bound, index) || self.varies_in(&start, index) || step.is_zero() {
            return None;
        }
        let width = Interval::of_width(counter.bits, counter.reading);
        if !self.space.is_within(&start, &facts, &width) {
            return Some(false);
        }
        let upwards = step.is_positive();
        let stays_within = |range: &Interval| match upwards {
            true => range.high().zip(width.high()).is_some_and(|(high, highest)| high <= highest),
            false => range.low().zip(width.low()).is_some_and(|(low, lowest)| low >= lowest),
        };
        // The last value that is still stepped from, at the most; and the last one itself.
        let last = if upwards { bound - strict } else { bound + strict };
        let beyond = &last + &Polynomial::from(step.clone());
        if stays_within(&self.space.range_under(&beyond, &facts)) {
            return Some(true);
        }
        let distance = if upwards { &last - &start } else { &start - &last };
        let steps = self.space.floor_div(&distance, &Polynomial::from(step.abs()), &facts);
        let end = &start + &(&steps + &Polynomial::from(1)).scale(&step);
        if stays_within(&self.space.range_under(&end, &facts)) {
            return Some(true);
        }
        // Going around by a power of two, the counter comes by the same values again, from all of which the loop goes on: it would never end.
        let goes_round = *alone == Alone::Yes && step.abs().log2().is_some() && self.must_end(index);
        self.loops_that_must_end.extend(goes_round.then_some(index));
        Some(goes_round)
    }

    /// `left != right` as the test to go on: the difference reaches zero after rest / -rate iterations.
    fn count_by_inequality(
        &mut self,
        index: usize,
        block: BlockId,
        left: Value,
        right: Value,
        alone: Alone,
    ) -> Option<Polynomial> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let (left, right) = (self.value_at(left, block), self.value_at(right, block));
        // A bound after the start is only met by wrapping; nothing but that may then end the loop, if wrapping is to be excluded.
        let cannot_wrap = left.signed && right.signed || left.unsigned && right.unsigned;
        let is_exact = cannot_wrap && alone == Alone::Yes && self.has_only_way_out(index);
        let difference = &left.value - &right.value;
        let (rate, rest) = self.space.split_affine(&difference, atom)?;
        let rate = rate.as_constant()?.clone();
        if rate.is_zero() || self.varies_in(&rest, index) {
            return None;
        }
        let rest = self.known_in(&rest, self.cfg.loops[index].header);
        let count = if rate.signum() > 0 { (-&rest).div_exact(&rate) } else { rest.div_exact(&-&rate) };
        // A constant below zero: the counter goes all the way around.
        let count = count.filter(|count| count.as_constant().is_none_or(|count| !count.is_negative()))?;
        // However the counter wraps, it does not meet the bound a second time before it has taken 2^width / step steps.
        let zeros = u32::try_from(rate.trailing_zeros()?).ok()?;
        let first_time = Interval::between(0, &Coeff::pow2(left.bits.saturating_sub(zeros)) - &Coeff::from(1));
        if is_exact {
            return Some(count);
        }
        let facts = self.facts_at(self.cfg.loops[index].header);
        if self.space.is_within(&count, &facts, &first_time) {
            return Some(count);
        }
        Some(self.space.wrap_under(Signedness::Unsigned, left.bits.checked_sub(zeros)?, &count, &facts))
    }
}

/// The comparisons all of which must hold for an exit test to have a truth value.
#[derive(Default)]
struct ExitTest {
    comparisons: Vec<Comparison>,
    looked_at: u32,
    /// Whether there are more parts than are looked at.
    is_cut: bool,
}

impl ExitTest {
    /// Adds what must hold for `condition` to have the wanted truth value. False where there are other parts too, which are left out.
    fn take_apart(&mut self, condition: Value, wanted: bool) -> bool {
        self.looked_at += 1;
        if self.comparisons.len() >= MAX_CONJUNCTS || self.looked_at > MAX_TEST_PARTS {
            self.is_cut = true;
            return false;
        }
        match condition.opcode() {
            Some(Opcode::LLVMICmp) => {
                let predicate = condition.int_predicate();
                let predicate = if wanted { predicate } else { predicate::inverse(predicate) };
                let (left, right) = (condition.operand(0), condition.operand(1));
                self.comparisons.push(Comparison { predicate, left, right });
                true
            }
            Some(Opcode::LLVMAnd) if wanted => self.take_both(condition, [0, 1], wanted),
            Some(Opcode::LLVMOr) if !wanted => self.take_both(condition, [0, 1], wanted),
            // The short-circuit forms of the two: `a ? b : false`, `a ? true : b`.
            Some(Opcode::LLVMSelect) if wanted && condition.operand(2).as_int() == Some(0) => {
                self.take_both(condition, [0, 1], wanted)
            }
            Some(Opcode::LLVMSelect) if !wanted && condition.operand(1).as_int().is_some_and(|yes| yes != 0) => {
                self.take_both(condition, [0, 2], wanted)
            }
            Some(Opcode::LLVMXor) if condition.operand(1).as_int().is_some_and(|ones| ones != 0) => {
                self.take_apart(condition.operand(0), !wanted)
            }
            _ => false,
        }
    }

    fn take_both(&mut self, condition: Value, operands: [u32; 2], wanted: bool) -> bool {
        let [first, second] = operands.map(|operand| self.take_apart(condition.operand(operand), wanted));
        first && second
    }
}
