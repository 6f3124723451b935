//! What threads keep in memory of their own: arrays that they index, and registers that did not fit.
//!
//! It lies in the device's memory and goes through the same caches as all other (NVIDIA's CUDA C++ Programming Guide, Device Memory Accesses, Local
//! Memory): words of 4 bytes that have the same place in the stacks of neighbouring threads are neighbours.

use super::device::OnDevice;
use crate::form::Num;
use crate::gpu::AccessKind;
use crate::gpu::extended::{Access, Touched};
use crate::report::InstructionClass;
use crate::reuse::reached;

/// What it is called among arrays.
pub(super) const STACK: &str = "(a thread's own memory)";

/// Bytes of a word.
const WORD: f64 = 4.0;

/// What a thread does in its own memory in an iteration of a shared loop.
pub(super) struct OnStack {
    words: f64,
    loads: Num,
    stores: Num,
}

impl OnStack {
    /// A thread's with so many bytes.
    pub(super) fn of(stack: Option<u64>) -> OnStack {
        OnStack { words: stack.map_or(0.0, |bytes| bytes as f64 / WORD), loads: Num::ZERO, stores: Num::ZERO }
    }

    /// Whether so many of these instructions are accesses to it. Of a stack whose size is not known they are found in the first cache.
    pub(super) fn takes(&mut self, class: InstructionClass, count: Num) -> bool {
        let sum = match class {
            InstructionClass::LoadLocal => &mut self.loads,
            InstructionClass::StoreLocal => &mut self.stores,
            _ => return false,
        };
        if self.words == 0.0 {
            return false;
        }
        *sum += count;
        true
    }
}

impl OnDevice<'_> {
    /// The accesses to it. Lanes are taken to be at the same place of their stacks, and to go through all of it before they come back.
    pub(super) fn on_stack(&self, stack: &OnStack, teams: Num, threads: Num) -> Vec<Access> {
        let sectors_of_word = Num::new(WORD * self.lanes() / self.grain.sector);
        let access = |(kind, count): (AccessKind, Num)| {
            if count == Num::ZERO {
                return None;
            }
            let words = count.clamp(1.0, stack.words.max(1.0));
            let trips = vec![count / words, words];
            let touched = |words: Num| {
                let team = words * sectors_of_word * threads.div_ceil(self.lanes());
                Touched { team, grid: team * teams, spread: Num::ONE, waits: words }
            };
            Some(Access {
                kind,
                references: 1.0,
                probability: Num::ONE,
                before: reached(Num::ONE, &trips),
                trips,
                turn: 1.0,
                anew: Num::ONE,
                touched: vec![touched(words), touched(words), touched(Num::ONE)],
                sectors: sectors_of_word,
                departures: Num::ONE,
                // Nothing is there before, and nothing is needed after.
                total: Num::ZERO,
                updates: Num::ZERO,
                apart: None,
                same: None,
                probes: None,
            })
        };
        [(AccessKind::Load, stack.loads), (AccessKind::Store, stack.stores)].into_iter().filter_map(access).collect()
    }
}
