//! What a shared loop does, in numbers that may be known later.

use crate::cpu::work::{self, Handout, Lines, ParallelLoop, Start};
use crate::cpu::{AccessKind, ScheduleLater};
use crate::form::Num;
use crate::quantity::Bytes;
use crate::reuse::reached;

/// [`ParallelLoop`], and who runs it.
pub(crate) struct SharedLoop {
    pub(crate) threads: Num,
    pub(crate) iterations: Num,
    pub(crate) schedule: ScheduleLater,
    pub(crate) handout: Handout,
    /// What the thread with the longest iterations does, over the average.
    pub(crate) longest: Num,
    /// Of one iteration, with everything in the first cache.
    pub(crate) cycles: Num,
    /// What each thread does once.
    pub(crate) once: Num,
    /// Vectors across lines, of one iteration.
    pub(crate) loads_across_lines: Num,
    pub(crate) stores_across_lines: Num,
    /// Misses under way: 1 or more.
    pub(crate) memory_parallelism: Num,
    pub(crate) accesses: Vec<Access>,
    pub(crate) start: Start,
}

/// A reference group.
pub(crate) struct Access {
    pub(crate) kind: AccessKind,
    /// The distance between two executions in bytes; none where there is no fixed one.
    pub(crate) stride: Option<Num>,
    pub(crate) probability: Num,
    /// How many iterations each loop around runs when it is reached, the outermost first, and how often each is reached, and the access at the end.
    pub(crate) trips: Vec<Num>,
    pub(crate) before: Vec<Num>,
    pub(crate) lines: Touched,
    /// Pages count only of accesses that jump: others make few walks for many lines.
    pub(crate) pages: Touched,
}

/// Distinct lines or pages.
#[derive(Clone)]
pub(crate) struct Touched {
    /// While the loops outside of a depth stand still; at the end by one execution.
    pub(crate) at: Vec<Num>,
    /// By all iterations of all threads.
    pub(crate) whole: Num,
}

impl Touched {
    /// Nothing, in so many loops.
    pub(crate) fn nothing(loops: usize) -> Touched {
        Touched { at: vec![Num::ZERO; loops + 1], whole: Num::ZERO }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.whole == Num::ZERO && self.at.iter().all(|at| *at == Num::ZERO)
    }
}

impl SharedLoop {
    /// A loop in numbers.
    pub(super) fn of(threads: u64, shared: &ParallelLoop, start: Start) -> SharedLoop {
        SharedLoop {
            threads: threads.into(),
            iterations: shared.iterations.into(),
            schedule: shared.schedule.later(),
            handout: shared.handout,
            longest: shared.longest.into(),
            cycles: shared.cycles_per_iteration.get().into(),
            once: shared.cycles_once.get().into(),
            loads_across_lines: shared.across_lines.loads.into(),
            stores_across_lines: shared.across_lines.stores.into(),
            memory_parallelism: shared.memory_parallelism.into(),
            accesses: shared.accesses.iter().map(Access::of).collect(),
            start,
        }
    }
}

impl Access {
    fn of(access: &work::Access) -> Access {
        let probability = access.probability.into();
        let trips: Vec<Num> = access.loops.iter().map(|around| around.trips.into()).collect();
        let touched = |unit: fn(Lines) -> f64| Touched {
            at: (0..=trips.len()).map(|depth| unit(access.at(depth)).into()).collect(),
            whole: unit(access.whole).into(),
        };
        Access {
            kind: access.kind,
            stride: access.stride.map(|stride| stride.get().into()),
            probability,
            before: reached(probability, &trips),
            lines: touched(|lines| lines.lines),
            pages: touched(|lines| lines.pages),
            trips,
        }
    }

    /// The same in numbers that are known, of what is called so.
    pub(crate) fn known(&self, name: &str) -> work::Access {
        let lines = |depth: usize| Lines { lines: self.lines.at[depth].get(), pages: self.pages.at[depth].get() };
        let around = |(depth, trips): (usize, &Num)| work::Loop { trips: trips.get(), footprint: lines(depth) };
        work::Access {
            name: name.to_owned(),
            kind: self.kind,
            stride: self.stride.map(|stride| Bytes::new(stride.get())),
            probability: self.probability.get(),
            loops: self.trips.iter().enumerate().map(around).collect(),
            body: lines(self.depth()),
            whole: Lines { lines: self.lines.whole.get(), pages: self.pages.whole.get() },
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.trips.len()
    }

    /// How often each line that a load fetches counts as waited for, if nothing fetches ahead for distances beyond that.
    pub(super) fn waited_for(&self, prefetch_stride: f64) -> Num {
        match (self.kind, self.stride) {
            (AccessKind::Store, _) => Num::ZERO,
            (AccessKind::Load, None) => Num::ONE,
            (AccessKind::Load, Some(bytes)) => bytes.more(prefetch_stride).number(),
        }
    }
}
