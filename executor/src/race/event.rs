//! What a launch does, as far as races go, and what a race is.

/// Where in the program an access stands; the caller numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site(pub u32);

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// The most bytes of an atomic access.
pub const MAX_ATOMIC_BYTES: u32 = 16;

/// What an atomic access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicKind {
    /// An atomic load, or a compare-and-exchange that found another value.
    Read,
    /// An atomic store.
    Write,
    /// An atomic read-modify-write.
    Update,
}

/// The memory order of an atomic access or a fence; sequentially consistent counts as [`Order::AcquireRelease`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Orders nothing.
    Relaxed,
    /// Takes what was published.
    Acquire,
    /// Publishes what is known.
    Release,
    /// Both.
    AcquireRelease,
}

impl Order {
    pub(super) fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease)
    }

    pub(super) fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease)
    }
}

/// Who meets at a barrier.
#[derive(Clone, Copy, Debug)]
pub enum Participants<'a> {
    /// All threads of the team that have not ended.
    WholeTeam,
    /// These threads of the team, counted over all teams.
    Threads(&'a [u32]),
}

/// One of the two accesses of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceSide {
    /// The thread, counted over all teams.
    pub thread: u32,
    /// Where in the program.
    pub site: Site,
    /// An atomic read-modify-write counts as a write.
    pub kind: AccessKind,
    /// Whether the access is atomic; never so on both sides.
    pub atomic: bool,
}

/// Two places in the program whose accesses race, with the first example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access that came first in this run.
    pub first: RaceSide,
    /// The access that raced with it.
    pub second: RaceSide,
    /// A byte that both touched.
    pub address: u64,
    /// How many bytes the second access touched.
    pub bytes: u32,
    /// How many accesses were seen to race this way.
    pub count: u64,
}
