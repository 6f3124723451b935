//! Which cache gives what, as in [`crate::reuse`].
//!
//! What is found in a cache is computed for all accesses together: they share working sets. Threads share the last level's data; of the
//! nearer ones each has its part. All numbers are of one thread and one iteration of the shared loop.

use super::parameters::Parameters;
use super::shared::{Access, SharedLoop, Touched};
use crate::cpu::{AccessKind, Start};
use crate::form::Num;
use crate::reuse::{Carried, fetched};

/// Working sets of so few lines are found in every cache.
const FEW_LINES: f64 = 64.0;

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

/// What moves between the levels of the memory.
pub(super) struct Traffic {
    /// Lines into each level from further away, with what goes back.
    pub(super) moved: Vec<Num>,
    /// Lines of loads that nothing fetches ahead, into each level; none where there are no such loads.
    pub(super) waited_for: Option<Vec<Num>>,
    /// Pages that the address translation does not know.
    pub(super) walks: Num,
}

impl Traffic {
    pub(super) fn of(parameters: &Parameters, shared: &SharedLoop, placement: Placement) -> Traffic {
        let accesses = &shared.accesses;
        let levels = levels(parameters, shared, placement);
        // What is stored comes in, and goes out to the next level.
        let memory = &parameters.memory;
        let is_full = (placement.threads * memory.bandwidth_of_core).more(memory.bandwidth);
        let in_memory = is_full.choose(memory.stored, memory.stored_of_core);
        let stored = parameters.caches[1..].iter().map(|cache| cache.stored).chain([in_memory]);
        let moved = levels.iter().zip(stored).map(|(level, stored)| {
            level.fetched(accesses, &|access| if access.kind == AccessKind::Load { Num::ONE } else { stored })
        });
        let waited_for = |access: &Access| access.waited_for(parameters.prefetch_stride);
        let mut weights = accesses.iter().map(waited_for).filter(|weight| *weight != Num::ZERO);
        let waited_for = weights.next().map(|first| {
            // A weight that all have is a factor of the whole.
            let factor = if weights.all(|weight| weight == first) { first } else { Num::ONE };
            let weight = |access: &Access| match waited_for(access) {
                weight if weight == factor => Num::ONE,
                weight => weight,
            };
            levels.iter().map(|level| level.fetched(accesses, &weight) * factor).collect()
        });
        let tlb = Level {
            capacity: parameters.tlb.entries,
            sharers: Num::ONE,
            parts: placement.of_core,
            ..Level::of(shared, placement)
        };
        Traffic { moved: moved.collect(), waited_for, walks: tlb.walks(accesses) }
    }
}

/// Each level of the caches, with a thread's part of it.
fn levels(parameters: &Parameters, shared: &SharedLoop, placement: Placement) -> Vec<Level> {
    let last = parameters.caches.len() - 1;
    let level = |(number, cache): (usize, &super::parameters::Cache)| {
        // The first is a core's own.
        let sharers = if number == 0 { placement.of_core } else { placement.sharers(cache.cores) };
        let (sharers, parts) = if number == last { (sharers, Num::ONE) } else { (Num::ONE, sharers) };
        Level { capacity: cache.capacity / parameters.line, sharers, parts, ..Level::of(shared, placement) }
    };
    parameters.caches.iter().enumerate().map(level).collect()
}

/// A cache, or the address translation, and who shares it.
struct Level {
    capacity: Num,
    /// Threads that find each other's data here.
    sharers: Num,
    /// Into how many parts the capacity is divided, beside.
    parts: Num,
    per_iteration: Num,
    busy: Num,
    start: Start,
}

impl Level {
    /// Of a thread alone, without a capacity yet.
    fn of(shared: &SharedLoop, placement: Placement) -> Level {
        Level {
            capacity: Num::ZERO,
            sharers: Num::ONE,
            parts: Num::ONE,
            per_iteration: 1.0 / shared.iterations.max(1.0),
            busy: placement.threads,
            start: shared.start,
        }
    }

    /// What one thread fetches in one iteration, each line with the weight of its access.
    fn fetched(&self, accesses: &[Access], weight: &dyn Fn(&Access) -> Num) -> Num {
        let counted: Vec<(&Access, Num)> =
            accesses.iter().map(|access| (access, weight(access))).filter(|(_, weight)| *weight != Num::ZERO).collect();
        let sum =
            |of: &dyn Fn(&Access) -> Num| -> Num { counted.iter().map(|(access, weight)| of(access) * *weight).sum() };
        let per_sharer = 1.0 / self.sharers;
        let own = |access: &Access, depth: usize| {
            let one = at(access, &access.lines, depth);
            if self.sharers == Num::ONE { one } else { one.min(access.lines.whole * per_sharer) }
        };
        let reached = |depth: usize| sum(&|access| own(access, depth) * before(access, depth));
        let set =
            |depth: usize| accesses.iter().map(|access| own(access, depth)).sum::<Num>() * self.sharers * self.parts;
        let deepest = accesses.iter().map(Access::depth).max().unwrap_or(0);
        let mut stages: Vec<usize> = if deepest == 0 { vec![0] } else { (1..=deepest).rev().collect() };
        // What lies within few lines is found.
        let few = stages.iter().take_while(|stage| {
            let lines: Option<f64> = accesses.iter().map(|access| at(access, &access.lines, **stage).known()).sum();
            lines.is_some_and(|lines| lines <= FEW_LINES)
        });
        let few = few.count();
        let requested = reached(match few {
            0 => deepest,
            _ => stages[few - 1].saturating_sub(1),
        });
        stages.drain(..few);
        let nest =
            stages.into_iter().map(|stage| Carried { working: set(stage), fetched: reached(stage.saturating_sub(1)) });
        // Of all of a thread's iterations, its part of the whole or as much as one of them touches.
        let whole = sum(&|access| access.lines.whole);
        let parallel_loop =
            Carried { working: set(0), fetched: whole.max(reached(0) * self.busy) * self.per_iteration };
        let of_all =
            accesses.iter().map(|access| access.lines.whole).sum::<Num>() * (self.sharers * self.parts / self.busy);
        fetched(requested, nest.chain([parallel_loop]).chain(self.earlier_run(of_all, set(0))), self.capacity)
    }

    /// Pages that one thread looks up in one iteration. Those that all iterations share matter where each of them touches many: where there
    /// are no loops inside of loops.
    fn walks(&self, accesses: &[Access]) -> Num {
        let accesses: Vec<&Access> = accesses.iter().filter(|access| !access.pages.is_nothing()).collect();
        let sum = |of: &dyn Fn(&Access) -> Num| accesses.iter().map(|access| of(access)).sum::<Num>();
        let deepest = accesses.iter().map(|access| access.depth()).max().unwrap_or(0);
        let reached = |depth: usize| sum(&|access| at(access, &access.pages, depth) * before(access, depth));
        let set = |depth: usize| sum(&|access| at(access, &access.pages, depth)) * self.parts;
        // The body's few pages are found.
        let requested = reached(deepest.saturating_sub(1));
        let nest = (1..deepest).rev().map(|depth| Carried { working: set(depth), fetched: reached(depth - 1) });
        let whole = sum(&|access| access.pages.whole);
        let in_all = Carried { working: set(0), fetched: whole.max(reached(0) * self.busy) * self.per_iteration };
        let earlier_run = self.earlier_run(whole * (self.parts / self.busy), set(0));
        fetched(requested, nest.chain([in_all]).chain(earlier_run), self.capacity)
    }

    /// Where the region was run before, what all of its iterations touch may be there still.
    fn earlier_run(&self, of_all: Num, of_one: Num) -> Option<Carried> {
        (self.start == Start::Warm).then(|| Carried { working: of_all.max(of_one), fetched: Num::ZERO })
    }
}

fn at(access: &Access, touched: &Touched, depth: usize) -> Num {
    touched.at[depth.min(access.depth())]
}

fn before(access: &Access, depth: usize) -> Num {
    access.before[depth.min(access.depth())]
}
