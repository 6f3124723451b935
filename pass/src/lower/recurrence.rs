//! Phis of loop headers: one whose step does not change in the loop is `start + step * iteration number`. The step is
//! found by lowering one iteration with an opaque stand-in for the phi; what rests on the stand-in is then forgotten.

use super::{Guarantees, Lowered, Lowering};
use crate::cfg::BlockId;
use crate::ir::{IntPredicate, Opcode, Value};
use ipda_symbolic::{Signedness, Varies};
use std::collections::BTreeSet;

/// What a header phi is known to be before its own definition is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KnownPhi {
    /// The iteration number of its loop (a worksharing loop's variable), which the runtime reads as given.
    IterationNumber(Signedness),
    /// The first iteration of a chunk that the runtime hands out; equal for all threads of a team.
    ChunkStart,
}

/// A stand-in for a header phi, and what one iteration makes of it.
struct OneStep {
    placeholder: Lowered,
    stepped: Lowered,
}

impl Lowering<'_> {
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
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let (mut starts, mut nexts) = (Vec::new(), Vec::new());
        for (incoming, from) in value.incoming() {
            match cfg.id(from) {
                Some(from) if natural.contains(from) => nexts.push((incoming, from)),
                Some(from) => starts.push((incoming, from)),
                None => {}
            }
        }
        let ([(start, entry)], [(next, latch)]) = (&starts[..], &nexts[..]) else {
            return self.unknown(value, bits);
        };
        let (start, entry, next, latch) = (*start, *entry, *next, *latch);
        let start = self.value_at(start, entry);
        // Suppose the phi is an exact signed value, and see what one iteration makes of it.
        let Some(step) = self.one_step(value, bits, next, latch) else {
            let name = self.name_or(value, "a recurrence");
            let reason = "it changes in loops that are nested too deeply";
            return self.opaque(bits, &name, Varies::PerThread(reason.into()));
        };
        if self.is_handed_out(index) {
            // The loop's number is not how often this thread has come here.
            if step.stepped.value == step.placeholder.value {
                return start;
            }
            let name = self.name_or(value, "a recurrence");
            return self.opaque(bits, &name, Varies::PerThread("each thread counts its own iterations".into()));
        }
        if let Some(closed) = self.induction(value, bits, index, &start, next, &step) {
            return closed;
        }
        self.varying(value, bits, index, &start, &step)
    }

    /// The closed form `start + step * number` of a header phi, if it has one.
    fn induction(
        &mut self,
        phi: Value,
        bits: u32,
        index: usize,
        start: &Lowered,
        next: Value,
        OneStep { placeholder, stepped }: &OneStep,
    ) -> Option<Lowered> {
        let atom = placeholder.value.as_atom()?;
        let step = &stepped.value - &placeholder.value;
        if self.space.depends_on(&step, |at| at == atom) || self.varies_in(&step, index) {
            return None;
        }
        let number = self.iteration(index);
        let advance = self.space.product(&step, &number)?;
        let mut closed = self.residue(&start.value + &advance, bits, start.rests_on.and(stepped.rests_on));
        // By induction: exact at the start, and every step stays so: by its mark, or because it is a step by one from
        // below a bound.
        let bound = self.steps_by_one(phi, next).then(|| self.bound_signedness(phi, index)).flatten();
        closed.signed |=
            start.signed && (bound == Some(Signedness::Signed) || (stepped.signed && self.is_marked_chain(next, phi)));
        closed.unsigned |= start.unsigned && bound == Some(Signedness::Unsigned);
        Some(closed)
    }

    /// Whether `next` is reached from the phi by operations that are all marked `nsw`.
    fn is_marked_chain(&self, next: Value, phi: Value) -> bool {
        let mut at = next;
        for _ in 0..8 {
            if at == phi {
                return true;
            }
            if !matches!(at.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub)) || !at.has_nsw() {
                return false;
            }
            at = at.operand(0);
        }
        false
    }

    /// Whether `next` is the phi plus one.
    fn steps_by_one(&self, phi: Value, next: Value) -> bool {
        let is = |a: u32, b: u32| next.operand(a) == phi && next.operand(b).as_int() == Some(1);
        next.is(Opcode::LLVMAdd) && (is(0, 1) || is(1, 0))
    }

    /// The signedness of a header test `phi < bound` that guards the loop's body.
    fn bound_signedness(&self, phi: Value, index: usize) -> Option<Signedness> {
        let (predicate, left, right) = self.test_to_stay(index, self.cfg.loops[index].header)?;
        let on_left = left == phi;
        if !on_left && right != phi {
            return None;
        }
        use IntPredicate::*;
        match (predicate, on_left) {
            (LLVMIntULT, true) | (LLVMIntUGT, false) => Some(Signedness::Unsigned),
            (LLVMIntSLT, true) | (LLVMIntSGT, false) => Some(Signedness::Signed),
            _ => None,
        }
    }

    /// A header phi without a closed form. If neither its start nor its step differs between threads, its value does
    /// not either.
    fn varying(&mut self, phi: Value, bits: u32, index: usize, start: &Lowered, step: &OneStep) -> Lowered {
        let name = self.name_or(phi, "a recurrence");
        let stepped = &step.stepped;
        let uniform = !self.varies_between_threads(&start.value) && !self.varies_between_threads(&stepped.value);
        let varies = if uniform {
            Varies::WithLoops(BTreeSet::from([self.loop_id(index)]))
        } else {
            self.varies_as_computed(phi, "it changes from iteration to iteration without a closed form")
        };
        self.opaque(bits, &name, varies)
    }

    /// Looks at one iteration. What was lowered meanwhile and rests on the stand-in is forgotten. None where recurrences are nested
    /// too deeply.
    fn one_step(&mut self, phi: Value, bits: u32, next: Value, latch: BlockId) -> Option<OneStep> {
        let placeholder = self.opaque(bits, "provisional", Varies::No);
        let stand_in = placeholder.clone();
        let install = |this: &mut Self, place| this.cache.insert(phi, stand_in, place);
        let stepped = self.with_stand_in(install, |this| this.value_at(next, latch))?;
        Some(OneStep { placeholder, stepped })
    }
}
