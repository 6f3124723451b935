//! The report file: one versioned YAML document per translation unit, written by the plugin and read by the `ipda` program.
//!
//! These are wire types: they only carry text and numbers across a file, and change only with [`SCHEMA_VERSION`].
//! Symbolic quantities travel as text in the form that `ipda-symbolic` prints (`4*[NJ]` is four times the value of `NJ`).

mod calls;
mod dependence;
mod names;
mod obstacle;
mod resources;
mod sources;
mod transformation;

pub use calls::{in_source, number_in_source, text_in_source};
pub use dependence::{Dependence, DependenceEnd, DependenceKind, DependenceStep};
pub use names::Names;
pub use obstacle::{ObstacleKind, Reason};
pub use resources::{CodePlace, HostCode, HostLoop, InstructionClass, LaunchClauses, LoopInstructions, Resources};
pub use sources::{SourceFile, SourceState};
pub use transformation::{Gain, NamedLoop, Transformation, TransformationState};

use serde::{Deserialize, Serialize};

/// The version of this schema; a reader refuses files with a later one.
pub const SCHEMA_VERSION: u32 = 5;

/// The oldest version that is still read: version 4 has no hashes of sources, and of what stands in the way of better loops the words alone.
pub const OLDEST_VERSION: u32 = 4;

/// Words in [`Region::mapping`] where counts hold only for teams of full warps.
pub const FULL_WARPS: &str = "as teams of full warps do";

/// Words in [`Region::mapping`] where counts hold only for teams whose rows are full warps.
pub const WIDE_TEAMS: &str = "threads wide in x: a warp's threads are neighbours in x";

/// Everything that the plugin saw in one translation unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// From [`OLDEST_VERSION`] to [`SCHEMA_VERSION`].
    pub ipda_report: u32,
    /// Name and version of the writer, such as `ipda 0.1.0`.
    pub tool: String,
    /// The main source file as it was given to the compiler.
    pub source: String,
    /// What the source files were like that the report names places in, as far as the compilation could read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceFile>,
    /// Which compilation the report was made in.
    pub side: Side,
    /// The target triple of that compilation.
    pub target: String,
    /// The device whose lanes, sectors and lines were counted.
    pub hardware: Hardware,
    /// The target regions, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// Regions that were found and could not be described at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects: Vec<Reject>,
}

/// Host or device compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The host's module.
    Host,
    /// A device module.
    Device,
}

/// Sizes that the counts rest on; from the hardware database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Entry name in the hardware database, such as `h200`.
    pub name: String,
    /// Threads that execute together.
    pub warp_lanes: u32,
    /// Smallest unit of a memory transaction, bytes.
    pub sector_bytes: u32,
    /// Cache line, bytes.
    pub line_bytes: u32,
    /// Banks of the memory that a team shares.
    pub banks: u32,
    /// Word of a bank, bytes.
    pub bank_bytes: u32,
}

/// A place in the user's source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// File name as the compiler knows it.
    pub file: String,
    /// Line, counted from 1; 0 where only the file is known.
    pub line: u32,
    /// Column, counted from 1; 0 where only the line is known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub column: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        Ok(())
    }
}

/// One OpenMP target region, or one kernel of another language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// Where the code comes from.
    #[serde(default, skip_serializing_if = "RegionKind::is_target")]
    pub kind: RegionKind,
    /// The function in the source that contains the region, or that is the kernel.
    pub function: String,
    /// The directive, or the kernel's first line.
    pub location: Location,
    /// How the device runs the region.
    pub mode: Mode,
    /// Variables that the region uses from outside, in the order of the kernel's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captures: Vec<Capture>,
    /// All loops, outer before inner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<Loop>,
    /// All accesses to global memory, and to memory that a team shares, in program order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accesses: Vec<Access>,
    /// Where the lanes of a warp may go different ways, in program order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// Sums over the region.
    pub totals: Totals,
    /// The loop-to-thread mapping that the counts assume, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapping: Vec<String>,
    /// What was done with its loops; absent where no loop lies in a shared one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transformation: Option<Transformation>,
    /// What its finished code needs, for each processor that it was compiled for, where the host's compilation saw it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resources>,
    /// What its host version consists of, where the host's compilation saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_code: Option<HostCode>,
    /// Whether a launch may run on the host instead, where the host's compilation saw it launched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_host: Option<OnHost>,
    /// The clauses that bound its teams and threads, where the module shows them.
    #[serde(default, skip_serializing_if = "LaunchClauses::are_none")]
    pub launch: LaunchClauses,
    /// Parts of the region that were not understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects: Vec<Reject>,
    /// The limits of the analysis's own work that were met: what lies beyond is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// Where the code of a region comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegionKind {
    /// An OpenMP target construct.
    #[default]
    Target,
    /// A kernel that reads the numbers of its threads and teams directly: CUDA, HIP.
    Kernel,
}

impl RegionKind {
    fn is_target(&self) -> bool {
        *self == RegionKind::Target
    }
}

/// A limit of the analysis's own work that was met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// Stable name, such as `product-terms`.
    pub name: String,
    /// How often.
    pub count: u64,
}

impl Limit {
    /// What there was too much of, in words for people; none for names that another version gave.
    pub fn meaning(&self) -> Option<&'static str> {
        Some(match self.name.as_str() {
            "product-terms" => "an expression would have too many terms",
            "product-degree" => "an expression would have too high a degree",
            "atom-size" => "an expression would be too long",
            "proof-terms" => "an expression has too many terms to find its range case by case",
            "proof-tries" => "the range of an expression takes too many tries to find",
            "all-proof-tries" => "the ranges of all expressions together take too many tries to find",
            "dependence-nodes" => "two accesses may meet in too many combinations of directions to look at each",
            "dependence-proofs" => "whether two accesses meet takes too many proofs to find",
            "extreme-parts" => "what an address is at least or at most takes too many cases to find",
            "value-depth" | "uniform-depth" => "a value is computed in too many steps",
            "nested-recurrences" => "too many variables of loops depend on each other",
            "loop-exits" => "a loop has too many exits",
            "exit-test-parts" => "the condition that ends a loop has too many parts",
            "source-values" => "a value is computed from too many others",
            "writes" => "too many writes may have left a value where it is read",
            "store-parts" => "too many stores to different places may have left a value where it is read",
            "table-entries" => "a constant table has too many entries",
            "table-cases" => "too many entries of a constant table may be the one that is read",
            "switch-cases" => "a switch has too many cases",
            _ => return None,
        })
    }
}

/// A conditional jump in code that several threads run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// The innermost loop around it; absent for code outside of loops.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "loop")]
    pub in_loop: Option<String>,
    /// Where in the source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Whether the jump ends a loop.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ends_loop: bool,
    /// Whether several conditions of the source, joined by "and" or "or", are this one jump.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_joined: bool,
    /// For which lanes the condition holds.
    pub lanes: Lanes,
}

/// For which lanes of a warp something holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lanes {
    /// Which kind of answer this is.
    pub kind: LanesKind,
    /// The lanes (`0-15`, `0 2 4`), or the condition as an expression in `[lane number]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// For `data-dependent`, `unknown`: the reason in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Lanes {
    /// How many lanes a `fixed` set has.
    pub fn count(&self) -> Option<u64> {
        let number = |text: &str| text.parse::<u32>().ok().map(u64::from);
        let run = |run: &str| match run.split_once('-') {
            Some((first, last)) => Some(number(last)?.checked_sub(number(first)?)? + 1),
            None => number(run).map(|_| 1),
        };
        let list = self.text.as_deref().filter(|_| self.kind == LanesKind::Fixed)?;
        list.split_whitespace().map(run).sum()
    }
}

impl Access {
    /// The lanes of a warp that make the access, where that is fixed; else all of them.
    pub fn lanes(&self, warp_lanes: u32) -> u64 {
        self.active_lanes.as_ref().and_then(Lanes::count).unwrap_or(warp_lanes.into())
    }
}

/// Kinds of lane sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LanesKind {
    /// All threads that come here together agree.
    Uniform,
    /// The lanes of one warp agree; warps may differ.
    ByWarp,
    /// The same lanes in every warp.
    Fixed,
    /// Depends on values known when the program runs.
    Symbolic,
    /// Depends on values loaded from memory.
    DataDependent,
    /// Not understood.
    Unknown,
}

impl LanesKind {
    /// The words that every text uses.
    pub fn name(self) -> &'static str {
        match self {
            LanesKind::Uniform => "uniform",
            LanesKind::ByWarp => "by-warp",
            LanesKind::Fixed => "fixed",
            LanesKind::Symbolic => "symbolic",
            LanesKind::DataDependent => "data-dependent",
            LanesKind::Unknown => "unknown",
        }
    }
}

/// Execution mode of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mode {
    /// The mode.
    pub kind: ModeKind,
    /// Why it runs so, in a sentence.
    pub why: String,
}

/// The execution modes of clang's device runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModeKind {
    /// All threads run the region from its start.
    Spmd,
    /// One thread runs the region and wakes the others for each parallel construct.
    Generic,
    /// Written as generic, turned into SPMD by the compiler.
    MadeSpmd,
    /// Not visible in this module.
    Unknown,
}

/// A variable that the region uses from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// The name in the source, else `argN` by position.
    pub name: String,
    /// `i32`, `i64`, `float`, `double`, `pointer`, ...
    #[serde(rename = "type")]
    pub ty: String,
    /// The map clause, where the module shows it (host side).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<Map>,
}

/// A map clause as the host module shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// `to`, `from`, `tofrom`, `alloc`, `by-value`, ...
    pub kind: String,
    /// Size in bytes: a number or a symbolic expression; absent where it is not visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Whether the compiler added the map without a clause.
    #[serde(default, skip_serializing_if = "is_false")]
    pub implicit: bool,
}

fn is_false(b: &bool) -> bool {
    !*b
}

/// One loop of a region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loop {
    /// `loop0`, `loop1`, ...: unique in the region.
    pub id: String,
    /// The enclosing loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// What the loop is for OpenMP.
    pub kind: LoopKind,
    /// The variable in the source, where debug information tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// What expressions call the number of its iteration, counted from 0; absent where none has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// The loop in the source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// How many iterations: an expression, or why it is not known.
    pub trips: Quantity,
    /// How iterations are handed out; absent for sequential loops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Sectors per warp and iteration of the accesses directly in this loop (base addresses aligned), summed where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<u64>,
    /// How many accesses directly in this loop have no constant count.
    #[serde(default)]
    pub accesses_without_count: u32,
}

/// What a loop is for OpenMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// `distribute parallel for`: iterations over all threads of all teams.
    DistributeParallelFor,
    /// `distribute`: iterations over teams.
    Distribute,
    /// `for` in a parallel region: iterations over the threads of a team.
    For,
    /// Runs inside one thread.
    Sequential,
}

/// A number or expression, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// The expression as text; a plain number when it is constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
}

/// One access to global memory, or to memory that a team shares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// `acc0`, `acc1`, ...: unique in the region.
    pub id: String,
    /// The innermost loop around it; absent for code outside of loops.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "loop")]
    pub in_loop: Option<String>,
    /// Load, store, ...
    pub kind: AccessKind,
    /// Which memory.
    #[serde(default, skip_serializing_if = "MemoryKind::is_global")]
    pub memory: MemoryKind,
    /// The array or object: `A`, `p->data`, or `?` where it is not known.
    pub object: String,
    /// Bytes per lane.
    pub bytes: u64,
    /// Where in the source, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The calls of the program's own functions through which the code was reached, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called_from: Vec<Location>,
    /// The address as an expression.
    pub address: String,
    /// The difference in bytes between neighbouring threads.
    pub stride: Stride,
    /// The class in the words that people use.
    pub class: Class,
    /// For a stride with row ends: the class of warps in which no row ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_within_rows: Option<Class>,
    /// Sectors per warp: least, with all bases on a line boundary; absent where not constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Count>,
    /// Lines per warp, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Count>,
    /// Count of the thesis's greedy fit into 256-byte requests, where strides are constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greedy_requests: Option<u64>,
    /// For memory that a team shares: passes over the banks that one warp needs; absent where not constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_passes: Option<Passes>,
    /// The lanes that make the access, where a condition decides. Counts are for those lanes where they are `fixed`, else for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_lanes: Option<Lanes>,
    /// The condition under which it runs, where it does not always run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// How often one thread runs it for one iteration of its parallel loop.
    pub executions: Quantity,
    /// Guarantees of the language that the result rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// How the stride follows from the address, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Where neighbouring threads of the host's version write into one cache line at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_sharing: Option<FalseSharing>,
}

/// Threads of the host's version that take a cache line from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FalseSharing {
    /// Bytes between what neighbouring threads write.
    pub bytes_apart: u64,
    /// The line of the host's caches, bytes.
    pub line_bytes: u32,
    /// What puts them there.
    pub cause: FalseSharingCause,
}

/// Why threads write near each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FalseSharingCause {
    /// They take short chunks in turn.
    Chunks,
    /// They take short chunks as they get free.
    DynamicChunks,
    /// Each writes to the element of its number.
    ThreadNumber,
}

impl FalseSharing {
    /// How many threads write into one line.
    pub fn threads(&self) -> u64 {
        u64::from(self.line_bytes).div_ceil(self.bytes_apart.max(1))
    }

    /// What it is and what helps, in a sentence.
    pub fn sentence(&self) -> String {
        let FalseSharing { bytes_apart, line_bytes, cause } = self;
        let threads = self.threads();
        let advice = match cause {
            FalseSharingCause::Chunks => {
                "without a schedule clause the host hands out blocks, and the device single iterations as before".into()
            }
            FalseSharingCause::DynamicChunks => format!("chunks {threads} times as long keep them apart"),
            FalseSharingCause::ThreadNumber => {
                "a variable of each thread's own (private, reduction) or elements as long as a line keep them apart"
                    .into()
            }
        };
        format!(
            "on the host neighbouring threads write {bytes_apart} bytes apart, {threads} of them into one cache line of {line_bytes} bytes, which they take from each other; {advice}"
        )
    }
}

/// Which memory an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryKind {
    /// The device's memory, in sectors and lines.
    #[default]
    Global,
    /// Memory on the chip that the threads of a team share, in banks.
    Shared,
}

impl MemoryKind {
    fn is_global(&self) -> bool {
        *self == MemoryKind::Global
    }
}

/// Passes over the banks of shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// With the bank conflicts that the strides make.
    pub needed: u64,
    /// Without conflicts.
    pub least: u64,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes atomically.
    Atomic,
    /// A block copy reads here.
    CopyFrom,
    /// A block copy or fill writes here.
    CopyTo,
}

/// The inter-thread stride.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stride {
    /// Which kind of answer this is.
    pub kind: StrideKind,
    /// Bytes between neighbouring lanes as text: `4`, `4*[NJ]`; from lane 0, a list for a vector, or an expression in `[lane number]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// For `row-ends`: the difference where the row ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_row_ends: Option<String>,
    /// For `row-ends`: lanes from one row end to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_length: Option<String>,
    /// For `data-dependent`, `unknown`: the reason in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Kinds of stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrideKind {
    /// One number for all lanes.
    Constant,
    /// Constants that differ from lane to lane.
    Vector,
    /// An expression whose value is known when the program runs.
    Symbolic,
    /// Regular but for the lanes at which a row of a collapsed nest ends.
    RowEnds,
    /// An expression in `[lane number]` for the distance from lane 0, whose value is known when the program runs.
    PerLane,
    /// Depends on values loaded from memory.
    DataDependent,
    /// Not understood.
    Unknown,
}

/// Coalescing classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// All lanes use one address.
    Uniform,
    /// The least number of sectors that the access size allows.
    Coalesced,
    /// Between coalesced and uncoalesced.
    Strided,
    /// One sector (or more) a lane.
    Uncoalesced,
    /// Shared memory: no two words of one bank.
    ConflictFree,
    /// Shared memory: several words of one bank.
    BankConflict,
    /// Depends on values known when the program runs.
    Symbolic,
    /// Depends on values loaded from memory.
    DataDependent,
    /// Not understood.
    Unknown,
}

impl AccessKind {
    /// The words that every text uses.
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic",
            AccessKind::CopyFrom => "copy from",
            AccessKind::CopyTo => "copy to",
        }
    }
}

impl Class {
    /// The word that the file and every text use.
    pub fn name(self) -> &'static str {
        match self {
            Class::Uniform => "uniform",
            Class::Coalesced => "coalesced",
            Class::Strided => "strided",
            Class::Uncoalesced => "uncoalesced",
            Class::ConflictFree => "conflict-free",
            Class::BankConflict => "bank-conflict",
            Class::Symbolic => "symbolic",
            Class::DataDependent => "data-dependent",
            Class::Unknown => "unknown",
        }
    }
}

/// A count of memory transactions per warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// With the base address and all symbolic offsets on a line boundary.
    pub aligned: u64,
    /// The most over all alignments that the access size allows.
    pub worst: u64,
}

/// Sums over a region.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Sectors per warp over the region for one iteration of the parallel loop: an expression in the trip counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<String>,
    /// Accesses that are not part of `sectors` because they have no constant count.
    #[serde(default)]
    pub without_count: u32,
    /// Number of accesses by class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_class: Vec<(Class, u32)>,
}

/// Whether launches of a region may run on the host although a device is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OnHost {
    /// Whether they may; where one does is decided when the program runs.
    pub may_run: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reject>,
}

/// Something that was left alone, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reject {
    /// Stable name, such as `unknown-runtime-call`.
    pub name: String,
    /// The reason in a sentence.
    pub reason: String,
    /// Where, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// Why a report file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Not a report, or not YAML.
    #[error("{0}")]
    Malformed(#[from] serde_yaml::Error),
    /// Written by another version.
    #[error(
        "report schema version {found}, this program reads versions {OLDEST_VERSION} to {SCHEMA_VERSION}: use the `ipda` of the same release as the plugin"
    )]
    Version {
        /// The version in the file.
        found: u32,
    },
}

const VERSIONS: std::ops::RangeInclusive<u32> = OLDEST_VERSION..=SCHEMA_VERSION;

impl Report {
    /// The YAML text of the report.
    pub fn to_yaml(&self) -> String {
        serde_yaml::to_string(self).expect("a report has only strings, numbers and lists")
    }

    /// Reads one report; the version is checked before anything else.
    pub fn from_yaml(text: &str) -> Result<Report, ReadError> {
        #[derive(Deserialize)]
        struct Version {
            ipda_report: u32,
        }
        // Most files are right, and are read once.
        let read = match serde_yaml::from_str::<Report>(text) {
            Ok(report) if VERSIONS.contains(&report.ipda_report) => return Ok(report),
            read => read,
        };
        let Version { ipda_report: found } = serde_yaml::from_str(text)?;
        if !VERSIONS.contains(&found) {
            return Err(ReadError::Version { found });
        }
        Ok(read?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Report {
        let stride = Stride {
            kind: StrideKind::Symbolic,
            text: Some("4*[NJ]".into()),
            at_row_ends: None,
            row_length: None,
            reason: None,
        };
        let access = Access {
            id: "acc0".into(),
            in_loop: Some("loop0".into()),
            kind: AccessKind::Load,
            memory: MemoryKind::Global,
            object: "C".into(),
            bytes: 4,
            location: Some(Location { file: "gemm.c".into(), line: 7, column: 19 }),
            called_from: vec![Location { file: "main.c".into(), line: 30, column: 5 }],
            address: "[C] + 4*i*[NJ]".into(),
            stride,
            class: Class::Symbolic,
            class_within_rows: None,
            sectors: None,
            lines: None,
            greedy_requests: None,
            bank_passes: None,
            active_lanes: Some(Lanes { kind: LanesKind::Symbolic, text: Some("[[n] > 3]".into()), reason: None }),
            condition: Some("[i < 32]".into()),
            executions: Quantity { value: Some("[NJ]".into()), unknown: None },
            assumptions: vec![],
            steps: vec!["a step".into()],
            false_sharing: Some(FalseSharing { bytes_apart: 4, line_bytes: 64, cause: FalseSharingCause::Chunks }),
        };
        Report {
            ipda_report: SCHEMA_VERSION,
            tool: "ipda 0.0.0".into(),
            source: "gemm.c".into(),
            sources: vec![SourceFile { file: "gemm.c".into(), fnv1a: "cbf29ce484222325".into() }],
            side: Side::Host,
            target: "x86_64-pc-linux-gnu".into(),
            hardware: Hardware {
                name: "h200".into(),
                warp_lanes: 32,
                sector_bytes: 32,
                line_bytes: 128,
                banks: 32,
                bank_bytes: 4,
            },
            regions: vec![Region {
                kind: RegionKind::Target,
                function: "gemm".into(),
                location: Location { file: "gemm.c".into(), line: 4, column: 0 },
                mode: Mode { kind: ModeKind::MadeSpmd, why: "because: it is".into() },
                captures: vec![Capture { name: "C".into(), ty: "pointer".into(), map: None }],
                loops: vec![],
                accesses: vec![access],
                branches: vec![],
                totals: Totals { sectors: Some("0".into()), without_count: 1, by_class: vec![(Class::Symbolic, 1)] },
                mapping: vec![],
                transformation: None,
                resources: vec![Resources {
                    processor: "sm_90".into(),
                    registers: Some(40),
                    stack_bytes: Some(0),
                    shared_bytes: None,
                    loops: vec![LoopInstructions {
                        place: CodePlace {
                            depth: 1,
                            line: Some(7),
                            shared: Some("loop0".into()),
                            executions: Quantity { value: Some("[NJ]".into()), unknown: None },
                            chance: 0.5,
                        },
                        counts: [(InstructionClass::LoadGlobal, 2.0), (InstructionClass::Float32, 1.5)].into(),
                    }],
                    uncounted: None,
                }],
                host_code: Some(HostCode {
                    processor: "x86-64".into(),
                    loops: vec![HostLoop {
                        place: CodePlace {
                            depth: 2,
                            line: None,
                            shared: Some("loop0".into()),
                            executions: Quantity { value: None, unknown: Some("it depends on data".into()) },
                            chance: 1.0,
                        },
                        instructions: 12.0,
                        loads: 2.0,
                        stores: 1.0,
                        calls: 0.0,
                        cycles: [("znver3".into(), 2.25)].into(),
                    }],
                    unanalysed: None,
                }),
                on_host: Some(OnHost {
                    may_run: false,
                    reason: Some(Reject { name: "NoSection".into(), reason: "no: clause".into(), location: None }),
                }),
                launch: LaunchClauses {
                    num_teams: Some(Quantity { value: Some("[n]".into()), unknown: None }),
                    ..LaunchClauses::default()
                },
                rejects: vec![Reject { name: "Recursion".into(), reason: "f calls itself".into(), location: None }],
                limits: vec![Limit { name: "product-terms".into(), count: 2 }],
            }],
            rejects: vec![],
        }
    }

    #[test]
    fn a_report_survives_the_file() {
        let report = small();
        assert_eq!(Report::from_yaml(&report.to_yaml()).expect("its own text is read"), report);
    }

    #[test]
    fn a_report_from_before_the_decision_is_read() {
        let mut report = small();
        report.regions[0].on_host = None;
        let text = report.to_yaml();
        assert!(!text.contains("on_host"));
        assert_eq!(Report::from_yaml(&text).unwrap(), report);
        report.regions[0].on_host = Some(OnHost { may_run: true, reason: None });
        assert!(report.to_yaml().contains("on_host:\n    may_run: true\n"), "{}", report.to_yaml());
    }

    #[test]
    fn lanes_are_counted_by_runs() {
        let lanes = |kind, text: &str| Lanes { kind, text: Some(text.into()), reason: None };
        assert_eq!(lanes(LanesKind::Fixed, "0-15 20 22 24-25").count(), Some(20));
        assert_eq!(lanes(LanesKind::Fixed, "").count(), Some(0));
        assert_eq!(lanes(LanesKind::Fixed, "5-1").count(), None);
        assert_eq!(lanes(LanesKind::Symbolic, "0").count(), None);
    }

    #[test]
    fn another_version_is_told_before_anything_else() {
        let text = "ipda_report: 999\nsomething: new\n";
        let error = Report::from_yaml(text).expect_err("another version");
        assert!(matches!(error, ReadError::Version { found: 999 }), "{error}");
    }

    #[test]
    fn a_report_of_version_4_is_read() {
        let mut old = small();
        (old.ipda_report, old.sources) = (4, Vec::new());
        assert_eq!(Report::from_yaml(&old.to_yaml()).unwrap(), old);
        let older = old.to_yaml().replace("ipda_report: 4", "ipda_report: 3");
        let error = Report::from_yaml(&older).expect_err("too old").to_string();
        assert!(error.contains("version 3, this program reads versions 4 to 5"), "{error}");
    }

    #[test]
    fn misspelt_keys_are_errors() {
        let text = small().to_yaml().replace("side:", "sides:");
        assert!(matches!(Report::from_yaml(&text), Err(ReadError::Malformed(_))));
    }
}
