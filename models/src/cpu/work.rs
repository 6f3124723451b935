//! What a parallel region does, as far as the extended model is concerned.

use super::schedule::Schedule;
use crate::error::{ModelError, at_least_one, non_negative, share, some};
use crate::quantity::{Bytes, Cycles};

/// A parallel region.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Its threads.
    pub threads: u64,
    /// Its loops, one after another, each with a barrier at its end.
    pub loops: Vec<ParallelLoop>,
    /// What the caches hold before it.
    pub start: Start,
}

/// What the caches hold when a region begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Nothing that the region needs.
    Cold,
    /// What an earlier run of the same region has left.
    Warm,
}

/// A loop whose iterations the threads share.
#[derive(Debug, Clone, PartialEq)]
pub struct ParallelLoop {
    /// What to call it.
    pub name: String,
    /// Its iterations, of all threads.
    pub iterations: u64,
    /// How they are split.
    pub schedule: Schedule,
    /// Between whom.
    pub handout: Handout,
    /// What the thread with the longest iterations does, over what one does on average: above 1 where inner loops get shorter or longer.
    pub longest: f64,
    /// What LLVM's cost model, or its machine-code analyser, says of one iteration, with everything in the first cache; of the vectorised code, divided by
    /// the iterations that it does at once.
    pub cycles_per_iteration: Cycles,
    /// The same of what each thread does once.
    pub cycles_once: Cycles,
    /// Accesses of one iteration that lie across two lines.
    pub across_lines: AcrossLines,
    /// Misses that the code can have under way, because none needs the other: 1 or more.
    pub memory_parallelism: f64,
    /// Its accesses to memory, one entry for all that differ by a constant (a reference group).
    pub accesses: Vec<Access>,
}

/// Who gets parts of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handout {
    /// Threads.
    Threads,
    /// Teams, with a static schedule, and each team's threads: `distribute parallel for`, for which clang's code asks the runtime twice.
    TeamsAndThreads,
}

/// Vectors that lie across two lines, of one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AcrossLines {
    /// That are loaded.
    pub loads: f64,
    /// That are stored.
    pub stores: f64,
}

/// Accesses from one place of the source, or from several that touch the same data in the same iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// As the report calls it.
    pub name: String,
    /// What is done.
    pub kind: AccessKind,
    /// The distance between two successive executions; none where there is no fixed one, and nothing can be fetched ahead.
    pub stride: Option<Bytes>,
    /// How likely it is that the code is reached.
    pub probability: f64,
    /// The loops around the access, the outermost first, without the parallel loop.
    pub loops: Vec<Loop>,
    /// What one execution touches: one line, or more where vectors are longer.
    pub body: Lines,
    /// The distinct data that all iterations of the parallel loop touch together.
    pub whole: Lines,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// Lines are fetched.
    Load,
    /// Lines are fetched and, later, written back.
    Store,
}

/// A loop around an access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loop {
    /// How many iterations it runs when it is reached.
    pub trips: f64,
    /// The distinct data that the access touches while the loop runs once from start to end.
    pub footprint: Lines,
}

/// Distinct data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// In cache lines.
    pub lines: f64,
    /// In pages.
    pub pages: f64,
}

impl Access {
    /// The distinct data while the loops outside of `depth` stand still; the body's beyond the last loop.
    pub(crate) fn at(&self, depth: usize) -> Lines {
        self.loops.get(depth).map_or(self.body, |around| around.footprint)
    }

    fn check(&self) -> Result<(), ModelError> {
        share("access.probability", self.probability)?;
        for Lines { lines, pages } in self.loops.iter().map(|around| around.footprint).chain([self.body, self.whole]) {
            non_negative("access.lines", lines)?;
            non_negative("access.pages", pages)?;
        }
        for around in &self.loops {
            non_negative("access.loops.trips", around.trips)?;
        }
        non_negative("access.executions", self.loops.iter().map(|around| around.trips).product())?;
        Ok(())
    }
}

impl Work {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        some("threads", self.threads)?;
        for shared in &self.loops {
            non_negative("cycles_per_iteration", shared.cycles_per_iteration.get())?;
            non_negative("cycles_once", shared.cycles_once.get())?;
            non_negative("across_lines.loads", shared.across_lines.loads)?;
            non_negative("across_lines.stores", shared.across_lines.stores)?;
            at_least_one("memory_parallelism", shared.memory_parallelism)?;
            at_least_one("longest", shared.longest)?;
            shared.accesses.iter().try_for_each(Access::check)?;
        }
        Ok(())
    }
}
