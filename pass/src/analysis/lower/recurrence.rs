//! Phis of loop headers. One iteration is lowered with an opaque stand-in for the phi; what rests on the stand-in is then
//! forgotten, and what the iteration makes of it tells the closed form ([`super::closed_form`]), if there is one.

use super::predicate::Readings;
use super::{Guarantees, KnownPhi, Lowered, Lowering};
use ipda_llvm::{BlockId, Value};
use ipda_symbolic::{Interval, LoopId, Signedness, Symbol, Varies};
use std::collections::BTreeSet;

/// A stand-in for a header phi, and what one iteration makes of it.
pub(super) struct OneStep {
    pub placeholder: Lowered,
    pub stepped: Lowered,
}

/// Where a header phi comes from: before the loop, and at the end of an iteration.
#[derive(Clone, Copy)]
pub(super) struct HeaderPhi {
    pub start: (Value, BlockId),
    pub next: (Value, BlockId),
}

impl Lowering<'_> {
    /// Takes a header phi that nobody has looked at as the signed iteration number of its loop.
    pub(crate) fn take_as_iteration_number(&mut self, phi: Value) {
        self.known_phis.insert(phi, KnownPhi::IterationNumber(Signedness::Signed));
    }

    pub(super) fn header_phi(&mut self, value: Value, bits: u32, index: usize) -> Lowered {
        match self.known_phis.get(&value).cloned() {
            // The runtime hands out numbers from 0 to the trip count less one, which the variable's type holds.
            Some(KnownPhi::IterationNumber(reading)) => {
                let number = self.iteration(index);
                let lowered = self.residue(number, bits, Guarantees::default());
                return match reading {
                    // Never negative, so the natural number as well.
                    Signedness::Signed => Lowered { signed: true, unsigned: true, ..lowered },
                    Signedness::Unsigned => Lowered { unsigned: true, ..lowered },
                };
            }
            Some(KnownPhi::ChunkStart) => return self.opaque(bits, "chunk start", Varies::No),
            None => {}
        }
        let Some(phi) = self.ends_of(value, index) else { return self.unknown(value, bits) };
        let name = self.name_or(value, "a recurrence");
        if !self.is_handed_out(index)
            && let Some(rotating) = self.rotating(value, bits, index)
        {
            return rotating;
        }
        let start = self.value_at(phi.start.0, phi.start.1);
        let Some(step) = self.one_step(value, bits, index, phi.next) else {
            let reason = "it changes in loops that are nested too deeply";
            return self.opaque(bits, &name, Varies::PerThread(reason.into()));
        };
        if self.is_handed_out(index) {
            // The loop's number is not how often this thread has come here.
            if step.stepped.value == step.placeholder.value {
                return start;
            }
            return self.beside_the_number(bits, index, &start, &step).unwrap_or_else(|| {
                self.opaque(bits, &name, Varies::PerThread("each thread counts its own iterations".into()))
            });
        }
        match self.closed_form(bits, index, &start, &step) {
            Some(closed) => closed,
            None => self.varying(value, &name, bits, index, &start, &step),
        }
    }

    /// Where a header phi comes from, if it has one start and one next value.
    pub(super) fn ends_of(&self, phi: Value, index: usize) -> Option<HeaderPhi> {
        let natural = &self.cfg.loops[index];
        let (mut starts, mut nexts) = (Vec::new(), Vec::new());
        for (incoming, from) in phi.incoming() {
            match self.cfg.id(from) {
                Some(from) if natural.contains(from) => nexts.push((incoming, from)),
                Some(from) => starts.push((incoming, from)),
                None => {}
            }
        }
        match (&starts[..], &nexts[..]) {
            (&[start], &[next]) => Some(HeaderPhi { start, next }),
            _ => None,
        }
    }

    /// A phi that goes along with the number that the runtime hands out: with equal steps, but for a factor, their difference stays.
    fn beside_the_number(&mut self, bits: u32, index: usize, start: &Lowered, step: &OneStep) -> Option<Lowered> {
        let header = self.cfg.blocks[self.cfg.loops[index].header];
        let is_number = |phi: &Value| matches!(self.known_phis.get(phi), Some(KnownPhi::IterationNumber(_)));
        let known = header.phis().find(is_number)?;
        let ends = self.ends_of(known, index)?;
        let first = self.value_at(ends.start.0, ends.start.1);
        let next = self.value_at(ends.next.0, ends.next.1);
        let number = self.iteration(index);
        let (taken, own) = (&next.value - &number, &step.stepped.value - &step.placeholder.value);
        let (_, unit) = taken.leading_term()?;
        let (_, coefficient) = own.leading_term()?;
        let factor = coefficient.div_exact(unit)?;
        let at_zero = &start.value - &first.value.scale(&factor);
        if !(&own - &taken.scale(&factor)).is_zero() || self.varies_between_threads(&at_zero) {
            return None;
        }
        let closed = self.residue(&at_zero + &number.scale(&factor), bits, start.rests_on.and(step.stepped.rests_on));
        let both =
            |reading| start.is_exact(reading) && step.stepped.is_exact(reading) && step.placeholder.is_exact(reading);
        let (signed, unsigned) = (both(Signedness::Signed), both(Signedness::Unsigned));
        Some(self.settled(Lowered { signed: closed.signed || signed, unsigned: closed.unsigned || unsigned, ..closed }))
    }

    /// A header phi without a closed form. If neither its start nor its step differs between threads, its value does
    /// not either.
    fn varying(&mut self, phi: Value, name: &str, bits: u32, index: usize, start: &Lowered, step: &OneStep) -> Lowered {
        let stepped = &step.stepped;
        let uniform = !self.varies_between_threads(&start.value) && !self.varies_between_threads(&stepped.value);
        let varies = if uniform {
            // Where the loop begins anew, it may begin with another value, and step by another one.
            let moves = |id: &LoopId| {
                [start, stepped].iter().any(|part| self.space.varies_with(&part.value, |with| with == *id))
            };
            let around = (0..self.cfg.loops.len()).map(|index| self.loop_id(index)).filter(moves);
            Varies::WithLoops(around.chain([self.loop_id(index)]).collect())
        } else {
            self.varies_as_computed(phi, "it changes from iteration to iteration by no formula that is known")
        };
        self.opaque(bits, name, varies)
    }

    /// Looks at one iteration, supposing that the phi is an exact integer. What was lowered meanwhile and rests on the stand-in is
    /// forgotten. None where recurrences are nested too deeply.
    ///
    /// The stand-in varies with the loop: no recurrence that is found on the way may take it for a constant of its own.
    fn one_step(&mut self, phi: Value, bits: u32, index: usize, (next, latch): (Value, BlockId)) -> Option<OneStep> {
        let reading = if reads_unsigned(phi, next) { Signedness::Unsigned } else { Signedness::Signed };
        let symbol = Symbol {
            name: "provisional".into(),
            range: Interval::of_width(bits, if bits == 1 { Signedness::Unsigned } else { reading }),
            varies: Varies::WithLoops(BTreeSet::from([self.loop_id(index)])),
        };
        let symbol = self.space.symbol(symbol);
        let placeholder = match reading {
            Signedness::Signed if bits > 1 => self.exact_signed(symbol, bits, Guarantees::default()),
            _ => self.exact_unsigned(symbol, bits, Guarantees::default()),
        };
        let stand_in = placeholder.clone();
        let install = |this: &mut Self, place| this.cache.insert(phi, stand_in, place);
        let stepped = self.with_stand_in(install, |this| this.value_at(next, latch))?;
        Some(OneStep { placeholder, stepped })
    }
}

/// Whether the code reads a counter as a natural number: some operation on it or on its next value does, and none reads a sign.
fn reads_unsigned(phi: Value, next: Value) -> bool {
    let here = Readings::of(phi);
    let there = if next.is_instruction() { Readings::of(next) } else { Readings::default() };
    (here.unsigned || there.unsigned) && !here.signed && !there.signed
}
