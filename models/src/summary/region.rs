//! A region in symbols, in its parts.

use ipda_symbolic::{AtomId, Given, Polynomial, Space};

use crate::gpu;
use crate::gpu::geometry::ExecutionMode;
use crate::report::{CostModel, InstructionClass, LoopKind, TripsLaw};
use crate::transfer::Direction;
use crate::versions::{Recipe, VersionId};

/// A region in symbols.
#[derive(Debug, Clone)]
pub struct RegionSummary {
    /// The function in the source.
    pub function: String,
    /// Where it is.
    pub place: String,
    /// Why no launch runs on the host, where none does.
    pub stays: Option<String>,
    /// Whose atoms the expressions are over.
    pub space: Space,
    /// Variables from outside.
    pub inputs: Vec<Input>,
    /// Loops, outer before inner.
    pub loops: Vec<LoopSummary>,
    /// The loops over a team's threads by which clang lets one after the other through a critical section.
    pub critical: Vec<usize>,
    /// Accesses to global memory.
    pub accesses: Vec<AccessSummary>,
    /// How far values go on that rise or fall evenly.
    pub slopes: Vec<Slope>,
    /// What is mapped.
    pub maps: Vec<MapSummary>,
    /// How the device runs it.
    pub mode: ExecutionMode,
    /// The clauses on teams and threads.
    pub clauses: Clauses,
    /// How many iterations a team takes at a time of a loop that is shared by teams and threads together, where that is in the code; else as
    /// many as it has threads.
    pub team_chunk: Option<u64>,
    /// Bytes that each team leaves for others, where a reduction goes across teams.
    pub team_reduction: Option<u32>,
    /// Lanes of a warp, and bytes of a sector, that the fixed sets of lanes were found for.
    pub lanes: u32,
    /// The finished device code, for each processor.
    pub device_code: Vec<DeviceCode>,
    /// The finished host code.
    pub host_code: Option<HostCode>,
    /// Its versions beside the one that was written: those that were made or could be.
    pub versions: Vec<VersionSummary>,
    /// Why there can be no prediction for the device.
    pub unpredictable: Option<String>,
    /// What was assumed when the summary was made.
    pub notes: Vec<String>,
    /// Whether it calls what is in other sources.
    pub calls_are_unseen: bool,
    /// The region as a version runs it whose threads run digits of iteration numbers, where there is one.
    pub(super) by_digits: Option<Box<RegionSummary>>,
    /// Of such a region, what is special.
    pub(super) of_digits: Option<OfDigits>,
}

/// A variable from outside of the region.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Its name: `n`, and `n.2` if another before it is called `n`, too.
    pub name: String,
    /// What expressions call it.
    pub atom: AtomId,
    /// Whether it is an address, whose value no prediction needs.
    pub is_pointer: bool,
}

/// An expression, or why there is none.
pub type Expression = Result<Polynomial, String>;

/// A loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopSummary {
    /// As the report calls it.
    pub id: String,
    /// For people.
    pub name: String,
    /// What it is for OpenMP.
    pub kind: LoopKind,
    /// The loop around.
    pub parent: Option<usize>,
    /// The number of its iteration, from 0.
    pub index: AtomId,
    /// How many iterations.
    pub trips: Expression,
    /// How many at most, where the loop can be left before.
    pub at_most: Option<Polynomial>,
    /// How many places the range has at first that each iteration halves.
    pub halved: Option<Polynomial>,
    /// How many there are where `trips` is not known, unless it would never end.
    pub likely: Option<Likely>,
    /// How they are handed out.
    pub schedule: Handout,
}

impl LoopSummary {
    /// What the number of iterations depends on.
    pub(crate) fn bound(&self) -> Option<&Polynomial> {
        self.trips
            .as_ref()
            .ok()
            .or(self.at_most.as_ref())
            .or(self.halved.as_ref())
            .or(self.likely.as_ref().map(|likely| &likely.of))
    }
}

/// [`LikelyTrips`](crate::report::LikelyTrips) in symbols.
#[derive(Debug, Clone, PartialEq)]
pub struct Likely {
    /// What the number of iterations is of the expression.
    pub law: TripsLaw,
    /// The expression.
    pub of: Polynomial,
    /// By what a value is multiplied or divided in each iteration.
    pub base: f64,
    /// Bits of the loop's variable.
    pub bits: f64,
    /// Whether the loop can be left before.
    pub is_left_early: bool,
}

/// How iterations are handed out.
#[derive(Debug, Clone, PartialEq)]
pub enum Handout {
    /// Not at all, or as clang does it without clauses.
    Default,
    /// Chunks of that length in turn.
    InTurn(Polynomial),
    /// A block for each.
    Block,
    /// Chunks of that length to whoever is free.
    Dynamic(Polynomial),
    /// Shrinking chunks to whoever is free.
    Guided,
    /// Not fixed before the program runs, in these words.
    Other(String),
}

/// An access to global memory.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessSummary {
    /// The array.
    pub object: String,
    /// Where in the source, for people.
    pub place: String,
    /// What is done.
    pub kind: AccessKind,
    /// Bytes of one lane.
    pub bytes: u64,
    /// The innermost loop around.
    pub in_loop: Option<usize>,
    /// The address.
    pub address: Expression,
    /// The conditions that must hold.
    pub conditions: Vec<Condition>,
    /// The lanes that make it, where those are fixed.
    pub active: Option<Vec<u32>>,
    /// Whether compilers may make one update of several of the same place.
    pub may_be_combined: bool,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Updates.
    Atomic,
}

impl From<AccessKind> for gpu::AccessKind {
    fn from(kind: AccessKind) -> gpu::AccessKind {
        match kind {
            AccessKind::Load => gpu::AccessKind::Load,
            AccessKind::Store => gpu::AccessKind::Store,
            AccessKind::Atomic => gpu::AccessKind::Atomic,
        }
    }
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Holds where the expression is not 0.
    Holds(Polynomial),
    /// Holds where the expression is 0.
    HoldsNot(Polynomial),
    /// Holds in so many of so many iterations, which lie anywhere.
    InOneOf(Polynomial, Polynomial),
    /// Not understood.
    Unclear,
}

/// What is mapped.
#[derive(Debug, Clone, PartialEq)]
pub struct MapSummary {
    /// The variable.
    pub name: String,
    /// The direction, if it is known.
    pub direction: Option<Direction>,
    /// How much, if it is known.
    pub bytes: Expression,
    /// What its size is called, for those who know it otherwise: `bytes(a)`.
    pub size: AtomId,
    /// Whether it is passed by value, with the launch.
    pub by_value: bool,
}

/// The clauses on teams and threads.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clauses {
    /// `num_teams`
    pub num_teams: Option<Polynomial>,
    /// `thread_limit`
    pub thread_limit: Option<Polynomial>,
    /// `num_threads`
    pub num_threads: Option<Polynomial>,
}

/// The finished device code for one processor.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceCode {
    /// Such as `sm_90`.
    pub processor: String,
    /// Registers of a thread.
    pub registers: Option<u64>,
    /// Bytes of a thread's stack.
    pub stack: Option<u64>,
    /// Bytes of shared memory of a team.
    pub shared: Option<u64>,
    /// Its instructions.
    pub parts: Vec<DevicePart>,
}

/// Finished device code that runs equally often.
#[derive(Debug, Clone, PartialEq)]
pub struct DevicePart {
    /// The shared loop that it is in, else each thread runs it.
    pub shared: Option<usize>,
    /// Loops of the finished code around it.
    pub depth: u32,
    /// How often it runs in one iteration of `shared`.
    pub executions: Expression,
    /// How likely the branches lead here.
    pub chance: f64,
    /// Runs of loads without a store between them.
    pub load_runs: f64,
    /// Whether it takes several iterations in lockstep; else one at a time.
    pub is_of_several: bool,
    /// Which those are, at the loop that threads share.
    pub lockstep: Option<InLockstep>,
    /// Instructions of each class.
    pub counts: Vec<(InstructionClass, f64)>,
}

/// Iterations that a thread takes in lockstep, where there are many: what does not depend on which one it is, is loaded once.
#[derive(Debug, Clone, PartialEq)]
pub struct InLockstep {
    /// How many.
    pub several: u32,
    /// The loop.
    pub of: usize,
    /// How many of its iterations they are apart, where it is one that a clause collapsed from several; else they follow each other.
    pub apart: Option<Polynomial>,
    /// How many iterations there are of the loop of which some are taken together.
    pub trips: Polynomial,
    /// How many all loops have together, at least, where it is done.
    pub least: u64,
}

/// The finished host code.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCode {
    /// The processor that it was made for.
    pub processor: String,
    /// Who says what it costs.
    pub model: CostModel,
    /// Its loops.
    pub parts: Vec<HostPart>,
}

/// Finished host code that runs equally often.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPart {
    /// The shared loop that it is in.
    pub shared: Option<usize>,
    /// Loops of the finished code around it.
    pub depth: u32,
    /// How often it runs in one iteration of `shared`.
    pub executions: Expression,
    /// How likely the branches lead here.
    pub chance: f64,
    /// Instructions, loads, stores of the body.
    pub instructions: f64,
    /// Those that read memory.
    pub loads: f64,
    /// Those that write memory.
    pub stores: f64,
    /// Cycles by processor.
    pub cycles: Vec<(String, f64)>,
}

/// What is special of a region of digits.
#[derive(Debug, Clone)]
pub(crate) struct OfDigits {
    /// The version that it is.
    pub(super) version: VersionId,
    /// The first atom that the region as written does not have.
    pub(super) first: AtomId,
    /// The numbers of teams and threads that digits count.
    pub(super) given: Vec<(Given, AtomId)>,
    /// Its nests of digits.
    pub(super) nests: Vec<OfNest>,
}

/// The same of a nest.
#[derive(Debug, Clone)]
pub(super) struct OfNest {
    /// The fastest digit of threads.
    pub(super) fastest: usize,
    /// The loop that threads share as written.
    pub(super) shared: usize,
    /// How many iterations the launch says that there are.
    pub(super) launched: Polynomial,
    /// How often the loops over a thread's own digits run, the outermost first.
    pub(super) control: Vec<Polynomial>,
    /// The share of numbers that have an iteration.
    pub(super) busy: Vec<Condition>,
}

/// A version of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionSummary {
    /// Which.
    pub id: VersionId,
    /// How it came about.
    pub recipe: Recipe,
    /// Each changed loop nest.
    pub nests: Vec<ChangedNest>,
    /// Whether it was made, or could be.
    pub is_made: bool,
    /// What the kernel tests of sizes before it takes it: each text, and what must not be negative.
    pub guard: Vec<(String, Polynomial)>,
}

/// How the threads share a loop nest that a version changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedNest {
    /// The loops whose iterations make the number of a thread together, the slowest first.
    pub threads: Vec<usize>,
    /// How many iterations neighbouring threads are apart, where one loop is several that a clause collapsed, which changed places.
    pub apart: Option<Polynomial>,
    /// How many lanes of a warp run along each of the loops, or of those that it was collapsed from, the slowest first, where they are a tile.
    pub lanes: Vec<u32>,
}

impl RegionSummary {
    /// Whether it fills arrays that nobody need have touched before: a map brings them from the device alone.
    pub(crate) fn fills_new_memory(&self) -> bool {
        self.maps.iter().any(|map| !map.by_value && map.direction == Some(Direction::From))
    }

    /// A version beside the one that was written; none where it does not exist.
    pub(crate) fn version(&self, id: VersionId) -> Option<&VersionSummary> {
        self.versions.iter().find(|version| version.id == id)
    }

    /// The version that the compiled program runs, which the finished code is of.
    pub(crate) fn version_that_runs(&self) -> VersionId {
        let made = self.versions.iter().find(|version| version.is_made);
        made.map_or(VersionId::AS_WRITTEN, |version| version.id)
    }

    /// Forgets what its host code takes on other processors than the one that it was made for and this one.
    pub fn keep_processor(&mut self, name: &str) {
        if let Some(HostCode { processor, parts, .. }) = &mut self.host_code {
            parts.iter_mut().for_each(|part| part.cycles.retain(|(of, _)| of == processor || of == name));
        }
    }

    /// The loop and those around it, the outermost first.
    pub(crate) fn chain(&self, innermost: Option<usize>) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = innermost;
        // A list of loops that names a later one as parent would not end.
        while let Some(index) = at.filter(|_| chain.len() <= self.loops.len()) {
            chain.push(index);
            at = self.loops[index].parent;
        }
        chain.reverse();
        chain
    }

    /// The shared loops without shared ones inside, in order: what the device or the host runs one after another.
    pub(crate) fn phases(&self) -> Vec<usize> {
        let is_shared = |index: usize| self.loops[index].kind != LoopKind::Sequential;
        let has_inner = |index: usize| {
            (0..self.loops.len())
                .any(|other| other != index && is_shared(other) && self.chain(Some(other)).contains(&index))
        };
        (0..self.loops.len()).filter(|index| is_shared(*index) && !has_inner(*index)).collect()
    }
}

impl Condition {
    /// What it depends on.
    pub(crate) fn expression(&self) -> Option<&Polynomial> {
        match self {
            Condition::Holds(p) | Condition::HoldsNot(p) => Some(p),
            Condition::InOneOf(..) | Condition::Unclear => None,
        }
    }
}

/// How far a value goes on with each step of what it rises with.
#[derive(Debug, Clone)]
pub struct Slope {
    /// What expressions call it.
    pub(super) atom: AtomId,
    /// What the value is called.
    pub(super) value: AtomId,
    /// The array.
    pub(super) object: String,
    /// What the value rises with.
    pub(super) with: Polynomial,
    /// Bytes for each.
    pub(super) unit: Polynomial,
    /// Bytes of the row that it goes along; else it goes through all of the array.
    pub(super) row: Option<Polynomial>,
}
