//! What lowering knows of a function, for all its parts.

use super::limits::{Limit, LimitHits};
use super::memo::{Memo, StandIns};
use super::registers::Threads;
use super::turns::Turns;
use super::value::Lowered;
use ipda_llvm::{BlockId, Cfg, DataLayout, FunctionCopy, SourceType, Value, Write};
use ipda_models::report::Location;
use ipda_symbolic::{AtomId, Facts, Polynomial, Signedness, Space, TripCount, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

/// Addresses, and what is computed like them, are residues of this width.
pub(super) const ADDRESS_BITS: u32 = 64;

/// Lowers the values of one flattened function.
#[derive(Clone)]
pub(crate) struct Lowering<'a> {
    pub space: Space,
    pub cfg: &'a Cfg,
    pub(super) layout: DataLayout,
    pub(super) names: FxHashMap<Value, String>,
    /// Names of what structures hold, for people.
    pub members: Members,
    pub(super) argument_names: FxHashMap<Value, String>,
    pub(super) known_phis: FxHashMap<Value, KnownPhi>,
    /// Loops whose iterations or chunks the runtime hands out.
    pub(super) handed_out: FxHashSet<usize>,
    pub(super) cache: Memo<Value, Lowered>,
    /// How many stand-ins are in force, and on which of them rests what is being computed.
    pub(super) stand_ins: u32,
    /// Values that are computed in floating point from integers, which they rise or fall evenly with: for predictions alone.
    pub(crate) rising: Vec<(AtomId, Value)>,
    pub(super) rests_on: StandIns,
    /// The variable in the low bits of an argument, by argument and width.
    pub(super) captured_scalars: FxHashMap<(Value, u32), Lowered>,
    /// Those of them that are known not to be negative.
    pub(super) not_negative: FxHashSet<(Value, u32)>,
    /// Loads by their atoms, and the other way round.
    pub(super) loads: FxHashMap<AtomId, Value>,
    pub(super) epochs: FxHashMap<Epoch, u32>,
    pub(super) invariant_loads: FxHashMap<(Value, usize), bool>,
    /// Values as seen from a loop, or from none.
    pub(super) exits: Memo<(Value, Option<usize>), Lowered>,
    pub(super) trips: Memo<usize, TripCount>,
    pub(super) facts: Memo<BlockId, Facts>,
    pub(super) path_conditions: Memo<(BlockId, BlockId), Option<Polynomial>>,
    /// Loops whose trip counts are right because the loops must end.
    pub(super) loops_that_must_end: FxHashSet<usize>,
    /// Loops whose trip counts are right because signed sums do not wrap.
    pub(super) loops_of_signed_sums: FxHashSet<usize>,
    /// Loops whose trip counts are right because pointers stay in their objects.
    pub(super) loops_in_objects: FxHashSet<usize>,
    /// The stand-in for what nothing shows, that steps are above zero, while it is supposed.
    pub(super) supposed_steps: Option<StandIns>,
    pub(super) objects: FxHashMap<AtomId, ObjectKind>,
    /// Pointer arguments by their symbols, and global variables.
    pub(super) arguments: FxHashMap<AtomId, Value>,
    /// What tells threads apart.
    pub threads: Threads,
    pub(super) globals: FxHashMap<AtomId, Value>,
    pub(super) turns: Turns,
    /// Blocks where what the program asks to assume holds.
    pub(super) assumed: Vec<bool>,
    /// Whether the tests before loops say nothing of what is asked but how often these run: those that compare the places of objects, and those joined
    /// of many parts.
    pub(crate) is_deaf_to_overlap: bool,
    /// Whether no facts are looked for: values are as right without, but less simple.
    pub(crate) is_deaf_to_facts: bool,
    /// Tests of many parts, which are unknowns then.
    pub(super) tests: FxHashSet<AtomId>,
    pub(super) copy: &'a FunctionCopy,
    pub(super) depth: u32,
    pub(super) limit_hits: LimitHits,
    /// The place of the first value that was not looked at as all steps of work were used up.
    pub(super) gave_up_at: Option<Location>,
}

/// What is known of members before anything is lowered.
#[derive(Clone, Default)]
pub(crate) struct Members {
    /// The types of pointer variables.
    pub types: FxHashMap<Value, SourceType>,
    /// Names by the text of the load, without the numbers of memory's states.
    pub known: FxHashMap<String, String>,
}

/// What a header phi is known to be before its own definition is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KnownPhi {
    /// The iteration number of its loop (a worksharing loop's variable), which the runtime reads as given.
    IterationNumber(Signedness),
    /// The first iteration of a chunk that the runtime hands out; equal for all threads of a team.
    ChunkStart,
}

/// What a pointer atom stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// Memory that other threads see: an argument, a global variable, a pointer read from memory.
    Global,
    /// A variable in memory that the threads of a team share.
    Shared,
    /// A variable of one thread.
    Private,
    /// A record of the runtime, such as a task's; what its pointers lead to is not followed.
    Runtime,
}

/// The state of the memory that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Epoch {
    /// That which a reader finds.
    Of(Value),
    /// That since a write.
    Since(Write),
}

impl Lowering<'_> {
    /// Notes that something is left unknown for the sake of a limit.
    pub(super) fn met(&self, limit: Limit) {
        self.limit_hits.add(limit);
    }

    /// Counts steps of work; whether all are used up, so that what is asked for must stay unknown.
    pub(super) fn gives_up(&self, steps: usize) -> bool {
        self.space.work_on(steps);
        self.space.is_spent()
    }

    /// A value that is not looked at, as all steps of work are used up.
    pub(super) fn given_up(&mut self, value: Value) -> Lowered {
        // The first that has a place: a constant or an argument has none.
        if self.gave_up_at.is_none() {
            self.gave_up_at = value.location();
        }
        let bits = self.bits(value).unwrap_or(64);
        let why = "the region takes too many steps to analyse";
        self.opaque(bits, "not analysed", Varies::PerThread(why.into()))
    }

    /// Where the steps of work were used up.
    pub(crate) fn gave_up_at(&self) -> Option<Location> {
        self.gave_up_at.clone()
    }

    /// The limits that were met, the algebra's first, with their names in reports.
    pub(crate) fn limit_hits(&self) -> Vec<(&'static str, u64)> {
        let algebra = self.space.limit_hits().by_name().into_iter().filter(|(_, count)| *count > 0);
        algebra.chain(self.limit_hits.by_name()).collect()
    }
}
