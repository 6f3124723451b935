//! How often a loop runs, and what that says of its iteration number.

use super::Lowering;
use super::exit_tests::Precision;
use super::memo::StandIns;
use ipda_llvm::Value;
use ipda_symbolic::{Coeff, Interval, OpaqueOp, Polynomial, TripCount, Truth};

/// Steps of work that a loop takes to be looked at, beside those of its exits' conditions.
const STEPS_OF_LOOP: usize = 16;

impl Lowering<'_> {
    /// Sets a worksharing loop's trip count, which the runtime calls say. `phi` holds the iteration number.
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

    /// Takes a loop's count to fit in 32 bits with a sign. OpenMP leaves it open what happens where the type of the loop's variable does not hold
    /// how often it runs (canonical loop form), and fused loops run only where the kernel has found that all their iterations together are fewer
    /// than 2^31 (`transform/limit`).
    pub(crate) fn fits_signed_count(&mut self, index: usize) {
        let id = self.loop_id(index);
        let number = self.space.iteration(id);
        let highest = &Coeff::pow2(31) - &Coeff::from(2);
        let known = self.space.range(&number);
        if known.high().is_none_or(|high| *high > highest) {
            self.space.set_iteration_range(id, Interval::from_bounds(Some(Coeff::from(0)), Some(highest)));
            self.rests_on_sums(index);
        }
    }

    /// Notes that a loop's trip count is right because signed sums do not wrap.
    pub(crate) fn rests_on_sums(&mut self, index: usize) {
        self.loops_of_signed_sums.insert(index);
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
        if self.gives_up(STEPS_OF_LOOP) {
            return TripCount::Unknown("the region takes too many steps to analyse".into());
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
            // There is more to know in the loop now.
            for &block in &self.cfg.loops[index].blocks {
                self.facts.remove(block);
            }
        }
        self.trips.insert(index, trips.clone(), rests_on);
        trips
    }

    /// How often a loop runs, if the steps that its tests rest on are above zero, which nothing shows; and whether it can be left before. For
    /// predictions alone.
    pub(crate) fn supposed_count(&mut self, index: usize) -> Option<(Polynomial, bool)> {
        let cfg = self.cfg;
        let tested_first = self.is_tested_first(index);
        let exits = self.exits(index);
        // What rests on the supposition is forgotten with it.
        let suppose = |this: &mut Self, place| this.supposed_steps = Some(place);
        let found = self.with_stand_in(suppose, |this| {
            let found: Vec<_> = exits.iter().map(|&exit| (exit, this.stays(index, exit))).collect();
            this.supposed_steps = None;
            found
        })?;
        let mut is_left_early = false;
        let mut counts = Vec::new();
        for (exit, stays) in found {
            let Some(stays) = stays else {
                is_left_early = true;
                continue;
            };
            is_left_early |= stays.precision == Precision::AtMost;
            let is_in_header = tested_first && exit == cfg.loops[index].header;
            counts.push(&stays.count + &Polynomial::from(i64::from(!is_in_header)));
        }
        let first = counts.first().cloned()?;
        let count = if counts.len() == 1 { first } else { self.space.op(OpaqueOp::Min, counts) };
        Some((count, is_left_early))
    }

    /// Whether steps count as above zero that nothing shows to be so; what is being computed then rests on that.
    pub(super) fn supposes_steps(&mut self) -> bool {
        if let Some(supposition) = self.supposed_steps {
            self.rest_on(supposition);
        }
        self.supposed_steps.is_some()
    }

    fn find_trip_count(&mut self, index: usize) -> TripCount {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let exits = self.exits(index);
        if exits.is_empty() {
            return TripCount::Unknown("the loop has no exit".into());
        }
        let tested_first = self.is_tested_first(index);
        let mut counts = Vec::new();
        let mut is_exact = exits.len() == 1;
        for &exit in &exits {
            // An exit that some iterations pass by says nothing.
            let Some(stays) = self.stays(index, exit) else { continue };
            let is_in_header = tested_first && exit == natural.header;
            is_exact &= stays.precision != Precision::AtMost && (is_in_header || natural.latches == [exit]);
            // Behind the header, the iteration that leaves has begun: one more than the test says to go on.
            if is_in_header || !tested_first {
                let one_more = Polynomial::from(i64::from(!is_in_header));
                counts.push(&stays.count + &one_more);
                continue;
            }
            // It begins even where the test never says to go on.
            let facts = self.facts_at(natural.header);
            let stays = match self.space.prove_nonneg(&stays.count, &facts) {
                Truth::Yes => stays.count,
                Truth::No => Polynomial::zero(),
                Truth::Unknown => self.space.op(OpaqueOp::Max, vec![stays.count, Polynomial::zero()]),
            };
            counts.push(&stays + &Polynomial::one());
        }
        let Some(first) = counts.first().cloned() else {
            return TripCount::Unknown("the condition that ends the loop is not known as a formula".into());
        };
        let facts = self.facts_at(natural.header);
        let count = if counts.len() == 1 { first } else { self.space.op_under(OpaqueOp::Min, counts, &facts) };
        let least = Polynomial::from(i64::from(!tested_first));
        let count = match self.space.prove_nonneg(&(&count - &least), &facts) {
            Truth::Yes => count,
            Truth::No => least,
            // For a loop that is tested first, a count below zero reads as none.
            Truth::Unknown if tested_first => count,
            Truth::Unknown => self.space.op(OpaqueOp::Max, vec![count, least]),
        };
        if is_exact { TripCount::Exactly(count) } else { TripCount::AtMost(count) }
    }
}
