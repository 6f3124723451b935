//! A launch of a kernel: how it starts, who listens to it, and how it ends.

use crate::extent::Extent;
use crate::program::{Place, SiteId};
use crate::race::Race;
use ipda_models::report::MemoryKind;
use rustc_hash::FxHashSet;
use std::fmt;

/// In which order the threads of a launch run. Where the lanes of a warp move together by definition (AMD), it is the order of warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The lanes of a warp together, warps and teams in turn.
    Warps,
    /// Thread by thread, from the first.
    Forward,
    /// Thread by thread, from the last.
    Reversed,
    /// Thread by thread in a random order, with changes in between.
    Shuffled {
        /// Same seed, same order.
        seed: u64,
    },
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Warps => write!(f, "warps"),
            Order::Forward => write!(f, "forward"),
            Order::Reversed => write!(f, "reversed"),
            Order::Shuffled { seed } => write!(f, "shuffled:{seed}"),
        }
    }
}

/// Whether races are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Races {
    /// Every access of the user's code is checked.
    Detect,
    /// None is.
    Ignore,
}

/// How a kernel is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Number of teams.
    pub teams: Extent,
    /// Threads of a team that work on parallel regions; in generic mode one more warp is started, as the OpenMP library does.
    pub threads: Extent,
    /// In which order threads run.
    pub order: Order,
    /// Whether races are looked for.
    pub races: Races,
    /// The most operations of a warp (or of a thread, where threads run one by one), so that an endless loop ends.
    pub max_steps: u64,
}

/// Operations that are enough for any honest test and end an endless loop within a minute or so.
pub const MAX_STEPS: u64 = 2_000_000_000;

/// One access of a warp to global memory, or to memory that its team shares.
#[derive(Debug)]
pub struct WarpAccess<'a> {
    /// The access in the program.
    pub site: SiteId,
    /// Which memory.
    pub memory: MemoryKind,
    /// The team.
    pub team: u32,
    /// The warp of the team.
    pub warp: u32,
    /// How often each enclosing loop has come round, outermost first, over the calls that led here.
    pub iteration: &'a [u32],
    /// The lanes that took part, a bit each.
    pub active: u64,
    /// The address of each lane; those of other lanes mean nothing.
    pub addresses: &'a [u64],
    /// Bytes a lane.
    pub bytes: u64,
}

/// A warp at a conditional branch.
#[derive(Debug, Clone, Copy)]
pub struct WarpBranch {
    /// The branch in the program.
    pub branch: u32,
    /// The team.
    pub team: u32,
    /// The warp of the team.
    pub warp: u32,
    /// The lanes that are there, a bit each.
    pub active: u64,
    /// Those of them for which the first way was chosen.
    pub taken: u64,
}

impl WarpBranch {
    /// Whether the lanes go different ways.
    pub fn is_divergent(&self) -> bool {
        self.taken != 0 && self.taken != self.active
    }
}

/// Who listens to what warps do. Called in [`Order::Warps`] only.
pub trait Observer {
    /// A warp touches memory that is not its lanes' own.
    fn access(&mut self, access: &WarpAccess<'_>);
    /// A warp comes to a conditional branch.
    fn branch(&mut self, branch: &WarpBranch);
    /// Whether [`WarpAccess::iteration`] is looked at.
    fn wants_iterations(&self) -> bool;
    /// Whether lanes' accesses to memory of their own are reported, too: as if it were global memory.
    fn wants_own_memory(&self) -> bool {
        false
    }
}

/// Why a launch ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of end.
    pub kind: FaultKind,
    /// What happened, in a sentence.
    pub message: String,
    /// Where in the source, where known: the place, then the calls around it.
    pub place: Place,
    /// The function that was running.
    pub function: String,
    /// Thread of the team, where one thread is to blame.
    pub thread: Option<u32>,
    /// The team.
    pub team: u32,
}

/// Kinds of early ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// More operations than [`Launch::max_steps`].
    OutOfSteps,
    /// Anything else: what was going on was wrong, or is not known here.
    Wrong,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = self.place.first() {
            write!(f, "{place}: ")?;
        } else if !self.function.is_empty() {
            write!(f, "in {}: ", self.function)?;
        }
        write!(f, "{}", self.message)?;
        match self.thread {
            Some(thread) => write!(f, " (team {}, thread {thread})", self.team),
            None => write!(f, " (team {})", self.team),
        }
    }
}

impl std::error::Error for Fault {}

/// What a launch that came to its end has done, beside what is in memory.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Pairs of places that touch the same memory without order.
    pub races: Vec<Race>,
    /// Places in global memory that several threads have updated atomically, in any order; only where races are looked for.
    pub updated_by_several: FxHashSet<u64>,
    /// Text that the kernel printed.
    pub output: String,
    /// Operations: of warps in [`Order::Warps`], else of threads.
    pub steps: u64,
    /// How many threads a team had: in generic mode one warp more than were asked for.
    pub threads_of_team: u32,
}
