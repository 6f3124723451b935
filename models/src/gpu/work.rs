//! What a kernel does, as far as the extended model is concerned.

use std::collections::BTreeMap;

use super::extended::Filling;
use super::geometry::Launch;
use super::occupancy::TeamNeeds;
use crate::error::{ModelError, at_least_one, non_negative, positive, share, some};
use crate::report::InstructionClass;

/// What a kernel does. Counts are those of one warp while its threads do one iteration each of the parallel loop, which is as
/// often as one thread does it where the warp is not divided.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Iterations of the parallel loop (of the collapsed one, where loops are collapsed), of all threads together.
    pub iterations: u64,
    /// Teams and threads; [`geometry`](super::geometry) predicts them.
    pub launch: Launch,
    /// Teams that get iterations at all; the others end as soon as they start.
    pub busy_teams: u64,
    /// The most iterations of the parallel loop that one thread does one after another: OMP_Rep.
    pub omp_rep: u64,
    /// Of these, the ones of one chunk of its team, which are as long as each other; 1 where a chunk is one for each thread.
    pub of_chunk: u64,
    /// What the longest iteration (or chunk of a team, where that is more than one for each thread) of the parallel loop does, over what one does on average: above 1 where inner loops get shorter or longer.
    pub longest: f64,
    /// Threads of a team that get iterations; fewer than its threads under `schedule(static, k)`.
    pub busy_threads: u64,
    /// How the lanes of warps are filled with iterations.
    pub filling: Filling,
    /// How often one thread asks the runtime for a chunk of a dynamic schedule; 0 under static ones.
    pub requests: u64,
    /// What a team needs while it runs; its threads are those of `launch`.
    pub needs: TeamNeeds,
    /// Instructions by class, without accesses to global memory, which are in `accesses`.
    pub instructions: BTreeMap<InstructionClass, f64>,
    /// Further passes over the banks of shared memory, beyond one for each access.
    pub bank_passes: f64,
    /// The accesses to global memory, one entry for all that differ by a constant (a reference group).
    pub accesses: Vec<Access>,
    /// Arithmetic instructions of a thread that can be under way together, because none needs the other: 1 or more.
    pub arithmetic_parallelism: f64,
    /// Loads of a thread that can be under way together: 1 or more.
    pub memory_parallelism: f64,
    /// Barriers of the team.
    pub barriers: f64,
    /// Critical sections of the whole kernel, which run one after the other.
    pub sections: f64,
}

/// Accesses to global memory from one place of the source, or from several that touch the same data in the same iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// As the report calls it.
    pub name: String,
    /// What is done.
    pub kind: AccessKind,
    /// How many places of the source the entry stands for: 3 for `a[i-1] + a[i] + a[i+1]`.
    pub references: f64,
    /// How likely it is that the code is reached: 1, or the chance of the branches around it.
    pub probability: f64,
    /// Sectors that one warp touches with one access at one place.
    pub sectors: f64,
    /// How many of these give way to new ones at the same time, as the loop around goes on: all of `sectors` where the lanes' addresses
    /// have the same position in their sectors, 1 where each has another (or where that is not known, which is the slower case).
    pub in_step: f64,
    /// The loops of the thread around the access, the outermost first, without the parallel loop.
    pub loops: Vec<Loop>,
    /// Executions in a row of which the accesses are under way together, as those of an unrolled loop: 1 or more.
    pub turn: f64,
    /// The share of a warp's sectors that caches fetch anew though they keep nothing but what is under way together: 1, or less where accesses share
    /// sectors in a turn.
    pub anew: f64,
    /// The distinct data of all `references` in one turn.
    pub body: Footprint,
    /// The distinct bytes that the whole kernel touches here.
    pub total: f64,
    /// How often the whole kernel updates one place atomically; 0 of loads and stores.
    pub updates: f64,
    /// How far it is ahead of or behind another access, whose data it touches at another time.
    pub apart: Option<Apart>,
    /// The place in [`Work::accesses`] of one before it that goes through the same data of each thread, perhaps in another of its loops: caches hold that once.
    pub same: Option<usize>,
    /// The places that it comes to in a search that halves a sorted table: the first of them are the same in all searches.
    pub probes: Option<f64>,
}

/// How far an access is from another one, whose data it touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// In bytes.
    pub bytes: f64,
    /// What brings it there.
    pub by: ApartBy,
}

/// What brings an access to the data of another one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ApartBy {
    /// The thread so many further on, in the same iteration of its own loops.
    Threads(f64),
    /// So many iterations of the thread's loop at that depth.
    Iterations(usize, f64),
    /// Another iteration of the parallel loop.
    Any,
    /// A list, which leads anywhere within that distance.
    List,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// The warp waits for it, sooner or later.
    Load,
    /// Nobody waits for it.
    Store,
    /// Done in the L2, and waited for.
    Atomic,
}

impl AccessKind {
    /// The class of its instruction.
    pub(crate) fn class(self) -> InstructionClass {
        match self {
            AccessKind::Load => InstructionClass::LoadGlobal,
            AccessKind::Store => InstructionClass::StoreGlobal,
            AccessKind::Atomic => InstructionClass::Atomic,
        }
    }
}

/// A loop around an access.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loop {
    /// How often it iterates when it is reached.
    pub trips: f64,
    /// The distinct data that the access touches while the loop runs once from start to end.
    pub footprint: Footprint,
}

/// Distinct data, in bytes of whole sectors, that some threads touch while each does the same piece of the program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Footprint {
    /// Touched by one warp; where its lanes slide along each other, by each of them.
    pub warp: f64,
    /// Touched by one team.
    pub team: f64,
    /// Touched by all teams that run at a time.
    pub grid: f64,
    /// Bytes of the whole cache lines around it, over those of its sectors: 1 to the sectors of a line. Caches fetch sectors, and set aside lines.
    pub spread: f64,
}

impl Access {
    /// How often a warp makes it in one iteration of the parallel loop.
    pub(crate) fn executions(&self) -> f64 {
        self.references * self.probability * self.trips_before(self.loops.len())
    }

    /// How often the loop at that depth is reached, or the access itself at the depth of its loops.
    pub(crate) fn trips_before(&self, depth: usize) -> f64 {
        self.loops[..depth.min(self.loops.len())].iter().map(|around| around.trips).product()
    }

    /// The distinct data while the loops outside of `depth` stand still; the body's beyond the last loop.
    pub(crate) fn at(&self, depth: usize) -> Footprint {
        self.loops.get(depth).map_or(self.body, |around| around.footprint)
    }

    fn check(&self) -> Result<(), ModelError> {
        at_least_one("access.references", self.references)?;
        share("access.probability", self.probability)?;
        positive("access.sectors", self.sectors)?;
        positive("access.in_step", self.in_step)?;
        at_least_one("access.turn", self.turn)?;
        share("access.anew", self.anew)?;
        for footprint in self.loops.iter().map(|around| around.footprint).chain([self.body]) {
            positive("access.footprint.warp", footprint.warp)?;
            positive("access.footprint.team", footprint.team)?;
            positive("access.footprint.grid", footprint.grid)?;
            at_least_one("access.footprint.spread", footprint.spread)?;
        }
        for around in &self.loops {
            non_negative("access.loops.trips", around.trips)?;
        }
        non_negative("access.total", self.total)?;
        non_negative("access.updates", self.updates)?;
        non_negative("access.apart", self.apart.map_or(0.0, |apart| apart.bytes))?;
        non_negative("access.executions", self.executions())?;
        Ok(())
    }
}

impl Work {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        some("launch.teams", self.launch.teams)?;
        some("launch.threads", self.launch.threads)?;
        // No thread gets anything of a loop without iterations.
        if self.iterations > 0 {
            some("omp_rep", self.omp_rep)?;
            some("busy_threads", self.busy_threads)?;
            some("busy_teams", self.busy_teams)?;
        }
        if self.busy_threads > self.launch.threads {
            return Err(ModelError::new("busy_threads", self.busy_threads, "at most the threads of a team"));
        }
        if self.busy_teams > self.launch.teams {
            return Err(ModelError::new("busy_teams", self.busy_teams, "at most the teams of the launch"));
        }
        let threads = u128::from(self.busy_teams) * u128::from(self.busy_threads);
        let capacity = threads.saturating_mul(u128::from(self.omp_rep));
        if u128::from(self.iterations) > capacity {
            return Err(ModelError::new(
                "iterations",
                self.iterations,
                "at most busy_teams * busy_threads * omp_rep, since every iteration has a thread",
            ));
        }
        for (class, count) in &self.instructions {
            non_negative("instructions", *count)?;
            if class.is_of_global_memory() {
                return Err(ModelError::new("instructions", class.name(), "no global memory; that is in accesses"));
            }
        }
        at_least_one("longest", self.longest)?;
        non_negative("bank_passes", self.bank_passes)?;
        at_least_one("arithmetic_parallelism", self.arithmetic_parallelism)?;
        at_least_one("memory_parallelism", self.memory_parallelism)?;
        non_negative("barriers", self.barriers)?;
        self.accesses.iter().try_for_each(Access::check)
    }
}
