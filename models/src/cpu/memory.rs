//! Which cache gives what, as in [`crate::reuse`].
//!
//! Working sets are those of all threads that share a cache; data that several of them touch counts once, as far as all iterations
//! together touch no more than that.

use super::machine::CpuMachine;
use super::work::{Access, Lines, ParallelLoop, Start};
use crate::form::Num;
use crate::reuse::{Carried, fetched};

/// How threads lie on cores.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placement {
    /// Threads that have iterations.
    pub(crate) threads: Num,
    /// Cores that have threads.
    pub(crate) cores: Num,
    /// Threads of the fullest core.
    pub(crate) of_core: Num,
}

impl Placement {
    /// Threads get cores of their own as long as there are any of `cores`.
    pub(crate) fn of(cores: Num, threads: Num, iterations: Num) -> Placement {
        let threads = threads.min(iterations).max(1.0);
        Placement { threads, cores: threads.min(cores), of_core: threads.div_ceil(cores) }
    }

    /// Threads that share a cache of so many cores.
    pub(crate) fn sharers(self, cores: Num) -> Num {
        (self.cores.min(cores) * self.of_core).min(self.threads)
    }

    /// Misses, and page walks, that a thread has under way: as many as the code can have, and its part of what its core can.
    pub(crate) fn under_way(self, of_code: Num, misses: Num, walks: Num) -> (Num, Num) {
        let misses = of_code.min(misses / self.of_core).max(1.0);
        (misses, misses.min(walks / self.of_core).max(1.0))
    }

    /// How long the memory takes for what a thread moves, if it takes `of_core` for that where a core is alone and `of_all` where all move
    /// data. All threads together move what they would if all had the same to do, of which `longest` is the most.
    pub(crate) fn in_memory(self, of_core: Num, of_all: Num, longest: Num) -> Num {
        (self.of_core * of_core).max(self.threads / longest * of_all)
    }
}

/// What one thread, the busiest, fetches while the loop runs.
pub(super) struct Traffic {
    /// Lines of each access into each level of the caches, from further away.
    pub(super) into: Vec<Vec<f64>>,
    /// Pages of each access that the address translation does not know.
    pub(super) pages: Vec<f64>,
}

impl Traffic {
    pub(super) fn of(
        machine: &CpuMachine,
        shared: &ParallelLoop,
        placement: Placement,
        iterations: f64,
        start: Start,
    ) -> Traffic {
        let run = |sharers| Run { shared, sharers, iterations, start };
        let mut into: Vec<Vec<f64>> = Vec::new();
        for cache in &machine.caches {
            let run = run(placement.sharers(cache.cores.into()).get());
            let capacity = cache.capacity / machine.line;
            let before = into.last();
            let fetched_by = |(at, access): (usize, &Access)| {
                let asked = before.map_or_else(|| run.asked(access, |lines| lines.lines), |lines| lines[at]);
                run.fetched(access, asked, capacity, |lines| lines.lines)
            };
            into.push(shared.accesses.iter().enumerate().map(fetched_by).collect());
        }
        let alone = run(1.0);
        let entries = machine.tlb.entries / placement.of_core.get();
        let pages_of = |access: &Access| {
            let asked = alone.asked(access, |lines| lines.pages);
            alone.fetched(access, asked, entries, |lines| lines.pages)
        };
        Traffic { into, pages: shared.accesses.iter().map(pages_of).collect() }
    }
}

/// A loop that some threads run who share a cache.
struct Run<'a> {
    shared: &'a ParallelLoop,
    sharers: f64,
    iterations: f64,
    start: Start,
}

impl Run<'_> {
    /// What one thread asks the nearest level for.
    fn asked(&self, access: &Access, unit: impl Fn(Lines) -> f64) -> f64 {
        unit(access.body) * access.trips_before(access.loops.len()) * access.probability * self.iterations
    }

    /// What one thread of the sharers fetches into a cache, where each of them asks it for `asked`.
    fn fetched(&self, access: &Access, asked: f64, capacity: f64, unit: impl Fn(Lines) -> f64 + Copy) -> f64 {
        let depth = access.loops.len();
        let nest = (0..=depth).rev().map(|at| Carried {
            working: self.set(|access| self.at(access, (at + 1).min(depth), unit)).into(),
            fetched: (self.at(access, at, unit) * access.trips_before(at) * access.probability * self.iterations)
                .into(),
        });
        let parallel_loop = Carried {
            working: self.set(|access| self.at(access, 0, unit)).into(),
            fetched: self.in_all(access, unit).into(),
        };
        let earlier_run = (self.start == Start::Warm)
            .then(|| Carried { working: self.set(|access| self.in_all(access, unit)).into(), fetched: Num::ZERO });
        let reuse = nest.chain([parallel_loop]).chain(earlier_run);
        fetched((asked * self.sharers).into(), reuse, capacity.into()).get() / self.sharers
    }

    /// What all accesses of the loop touch together.
    fn set(&self, of: impl Fn(&Access) -> f64) -> f64 {
        self.shared.accesses.iter().map(of).sum()
    }

    /// What the sharers touch while the loops outside of a depth stand still.
    fn at(&self, access: &Access, depth: usize, unit: impl Fn(Lines) -> f64) -> f64 {
        let one = unit(access.at(depth));
        (one * self.sharers).min(unit(access.whole).max(one))
    }

    /// What the sharers touch in all of their iterations.
    fn in_all(&self, access: &Access, unit: impl Fn(Lines) -> f64 + Copy) -> f64 {
        let part = self.sharers * self.iterations / (self.shared.iterations as f64).max(1.0);
        (unit(access.whole) * part.min(1.0)).max(self.at(access, 0, unit))
    }
}
