//! How often a loop runs: its exit test as a slack that falls by a fixed amount in each iteration, until it is
//! negative.

use super::memo::StandIns;
use super::{Lowered, Lowering, predicate};
use crate::cfg::BlockId;
use crate::ir::{IntPredicate, Opcode, Value};
use ipda_symbolic::{Coeff, Interval, OpaqueOp, Polynomial, Signedness, TripCount, Truth};

impl Lowering<'_> {
    /// Sets a worksharing loop's trip count, which the runtime calls tell. `phi` holds the iteration number.
    pub(crate) fn set_trips(&mut self, index: usize, trips: TripCount, phi: Value) {
        self.bound_iteration(index, &trips);
        if let (TripCount::Modulo(_) | TripCount::Unknown(_), Some(bits)) = (&trips, self.bits(phi)) {
            // The count is only known modulo the width; the number fits the variable in any case.
            let highest = &Coeff::pow2(bits) - &Coeff::from(2);
            let id = self.loop_id(index);
            self.space.set_iteration_range(id, Interval::from_bounds(Some(Coeff::from(0)), Some(highest)));
        }
        self.trips.insert(index, trips, StandIns::default());
    }

    fn bound_iteration(&mut self, index: usize, trips: &TripCount) {
        if let TripCount::Exactly(count) | TripCount::AtMost(count) = trips {
            // A header that tests first is entered once more, with the count itself as the number; of what the runtime hands out, the
            // number is below the count wherever it is used.
            let reaches_count = self.is_tested_first(index) && !self.is_handed_out(index);
            let less = Coeff::from(i64::from(!reaches_count));
            let highest = self.space.range(count).high().map(|high| (high - less).max(Coeff::from(0)));
            let id = self.loop_id(index);
            self.space.set_iteration_range(id, Interval::from_bounds(Some(Coeff::from(0)), highest));
        }
    }

    /// How often a loop runs each time it is entered.
    pub(crate) fn trip_count(&mut self, index: usize) -> TripCount {
        if let Some((trips, rests_on)) = self.trips.get(index) {
            self.rest_on(rests_on);
            return trips;
        }
        // While the count is being found, the loop has none: a bound that depends on it is not invariant.
        let none_yet = TripCount::Unknown("its bound depends on the loop itself".into());
        let (trips, rests_on) = self.tracked(|this| {
            let install = |this: &mut Self, place| this.trips.insert(index, none_yet, place);
            let found = this.with_stand_in(install, |this| this.find_trip_count(index));
            found.unwrap_or_else(|| TripCount::Unknown("it is nested too deeply".into()))
        });
        if rests_on.is_empty() {
            self.bound_iteration(index, &trips);
        }
        self.trips.insert(index, trips.clone(), rests_on);
        trips
    }

    fn find_trip_count(&mut self, index: usize) -> TripCount {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let exits = self.exits(index);
        if exits.is_empty() {
            return TripCount::Unknown("the loop has no exit".into());
        }
        let tested = if exits.contains(&natural.header) {
            natural.header
        } else if let [latch] = natural.latches[..]
            && exits.contains(&latch)
        {
            latch
        } else {
            return TripCount::Unknown("the loop is left from its middle".into());
        };
        let Some((count, is_exact)) = self.count_by_exit(index, tested) else {
            return TripCount::Unknown("the condition that ends the loop has no closed form".into());
        };
        // Tested at its end, a loop runs once more than the test says to go on, and at least once.
        let (count, least) = if self.is_tested_first(index) { (count, 0) } else { (&count + &Polynomial::from(1), 1) };
        let least = Polynomial::from(least);
        let facts = self.facts_at(natural.header);
        let count = match self.space.prove_nonneg(&(&count - &least), &facts) {
            Truth::Yes => count,
            Truth::No => least,
            // For a loop that is tested first, a count below zero reads as none.
            Truth::Unknown(_) if least.is_zero() => count,
            Truth::Unknown(_) => self.space.op(OpaqueOp::Max, vec![count, least]),
        };
        match (exits.len(), is_exact) {
            (1, true) => TripCount::Exactly(count),
            (1, false) => TripCount::Modulo(count),
            _ => TripCount::AtMost(count),
        }
    }

    /// Whether a loop's header can end it before the body has run. Such a header runs once more than the body.
    pub(crate) fn is_tested_first(&self, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        self.exits(index).contains(&natural.header) && !natural.latches.contains(&natural.header)
    }

    /// Blocks of a loop with an edge out of it.
    fn exits(&self, index: usize) -> Vec<BlockId> {
        let mut blocks: Vec<BlockId> = self.exit_edges(index).map(|(from, _)| from).collect();
        blocks.dedup();
        blocks
    }

    /// The edges out of a loop, other than to where the program ends.
    pub(super) fn exit_edges(&self, index: usize) -> impl Iterator<Item = (BlockId, BlockId)> {
        let natural = &self.cfg.loops[index];
        let edges = natural.blocks.iter().flat_map(|&from| self.cfg.successors[from].iter().map(move |&to| (from, to)));
        edges.filter(|&(_, to)| !natural.contains(to) && !self.is_dead_end(to))
    }

    /// Whether a block only leads to `unreachable` (a failed assertion, a thrown exception).
    fn is_dead_end(&self, block: BlockId) -> bool {
        self.cfg.blocks[block].terminator().is_some_and(|terminator| terminator.is(Opcode::LLVMUnreachable))
    }

    /// The comparison that ends `block`, an exit of the loop, as the test to go on.
    pub(super) fn test_to_stay(&self, index: usize, block: BlockId) -> Option<(IntPredicate, Value, Value)> {
        let terminator = self.cfg.blocks[block].terminator()?;
        let condition = terminator.branch_condition().filter(|condition| condition.is(Opcode::LLVMICmp))?;
        let stays_when_true = self.cfg.loops[index].contains(self.cfg.id(terminator.successors()[0])?);
        let predicate = condition.int_predicate();
        let predicate = if stays_when_true { predicate } else { predicate::inverse(predicate) };
        Some((predicate, condition.operand(0), condition.operand(1)))
    }

    /// In how many iterations the exit test of `block` says to go on, and whether that is exact or a residue.
    fn count_by_exit(&mut self, index: usize, block: BlockId) -> Option<(Polynomial, bool)> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let (predicate, left, right) = self.test_to_stay(index, block)?;
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        use IntPredicate::*;
        let (a, b, strict) = match predicate {
            LLVMIntSLT | LLVMIntULT => (left, right, true),
            LLVMIntSLE | LLVMIntULE => (left, right, false),
            LLVMIntSGT | LLVMIntUGT => (right, left, true),
            LLVMIntSGE | LLVMIntUGE => (right, left, false),
            LLVMIntNE => return self.count_by_inequality(index, block, left, right),
            LLVMIntEQ => return None,
        };
        let reading = predicate::signedness(predicate)?;
        let (a, b) =
            (self.stepping_value(index, a, block, reading, b), self.stepping_value(index, b, block, reading, a));
        // Goes on while slack >= 0; slack = rest + rate * number.
        let slack = &(&b - &a) - &Polynomial::from(i64::from(strict));
        let (rate, rest) = self.space.split_affine(&slack, atom)?;
        let rate = rate.as_constant()?.clone();
        if rate.signum() >= 0 || self.varies_in(&rest, index) {
            return None;
        }
        let step = -&rate;
        let facts = self.facts_at(natural.header);
        let steps = self.space.floor_div(&rest, &Polynomial::from(step), &facts);
        Some((&steps + &Polynomial::from(1), true))
    }

    /// A side of the exit test as an exact integer. An unmarked counter that steps by one towards a bound of its own
    /// width cannot wrap: each step is taken only below the bound.
    fn stepping_value(
        &mut self,
        index: usize,
        value: Value,
        block: BlockId,
        signedness: Signedness,
        bound: Value,
    ) -> Polynomial {
        let lowered = self.value_at(value, block);
        if !lowered.is_exact(signedness) {
            let number = self.iteration(index);
            let by_one = number.as_atom().and_then(|atom| self.space.split_affine(&lowered.value, atom)).is_some_and(
                |(rate, rest)| {
                    let step_is_one = rate.as_constant().is_some_and(|rate| rate.is_one());
                    step_is_one && self.fits(&rest, lowered.bits, signedness)
                },
            );
            let bound = self.value_at(bound, block);
            let bound_is_invariant =
                number.as_atom().is_some_and(|atom| !self.space.depends_on(&bound.value, |at| at == atom));
            if by_one && bound_is_invariant {
                return lowered.value;
            }
        }
        self.exact(&lowered, signedness)
    }

    /// `left != right` as the test to go on: the difference reaches zero after rest / -rate iterations.
    fn count_by_inequality(
        &mut self,
        index: usize,
        block: BlockId,
        left: Value,
        right: Value,
    ) -> Option<(Polynomial, bool)> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let (left, right) = (self.value_at(left, block), self.value_at(right, block));
        let is_exact = left.signed && right.signed || left.unsigned && right.unsigned;
        let difference = &left.value - &right.value;
        let (rate, rest) = self.space.split_affine(&difference, atom)?;
        let rate = rate.as_constant()?.clone();
        if rate.is_zero() || self.varies_in(&rest, index) {
            return None;
        }
        let count = if rate.signum() > 0 { (-&rest).div_exact(&rate) } else { rest.div_exact(&-&rate) };
        // A constant below zero: the counter goes all the way around.
        let count = count.filter(|count| count.as_constant().is_none_or(|count| !count.is_negative()))?;
        Some((count, is_exact))
    }

    /// What `source`, which is defined in a loop, is after the loop has ended; `value` in its last iteration.
    pub(super) fn after_loop(&mut self, source: Value, mut value: Lowered, index: usize) -> Lowered {
        if !self.varies_in(&value.value, index) {
            return value;
        }
        let bits = value.bits;
        let lost = |this: &mut Self, reason: &str| {
            let varies = this.varies_after_loop(source, index, reason);
            this.opaque(bits, "a last value", varies)
        };
        if self.is_handed_out(index) {
            return lost(self, "it is the last value of a loop of which each thread has its own part");
        }
        let Some(exit) = self.exit_number(index) else {
            return lost(self, "it is the last value of a loop whose number of iterations is not known");
        };
        let number = self.iteration(index);
        let atom = number.as_atom().expect("an iteration number is one atom");
        value.value = self.space.substitute(&value.value, &mut |at| (at == atom).then(|| exit.clone()));
        // What has no closed form depends on when the loop ends.
        if self.varies_in(&value.value, index) && self.varies_between_threads(&exit) {
            return lost(self, "it is the last value of a loop that threads leave at different times");
        }
        value
    }

    /// Whether the runtime hands out the loop's iterations or chunks, so that its number is not how often a thread has come by.
    pub(super) fn is_handed_out(&self, index: usize) -> bool {
        self.handed_out.contains(&index)
    }

    /// The number of the iteration in which the loop is left, where that is one number and at least zero.
    fn exit_number(&mut self, index: usize) -> Option<Polynomial> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let TripCount::Exactly(count) = self.trip_count(index) else { return None };
        // Left in the header: after `count` full iterations. Left at the end: in the last of them.
        let exit = if self.is_tested_first(index) { count } else { &count - &Polynomial::from(1) };
        let entry_facts = self.facts_at(natural.header);
        if self.space.prove_nonneg(&exit, &entry_facts).is_yes() {
            return Some(exit);
        }
        let zero = Polynomial::from(0);
        Some(self.space.op(OpaqueOp::Max, vec![exit, zero]))
    }
}
