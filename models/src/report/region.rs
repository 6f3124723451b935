//! A region: what it captures, how it runs, and what becomes of its launches.

use super::resources::{HostCode, LaunchClauses, Resources};
use super::transformation::Transformation;
use super::{
    Access, Branch, Charge, Class, FunctionNote, Group, Hardware, Location, Loop, LoopKind, Mapping, ObstacleKind,
    Reason,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One OpenMP target region, or one kernel of another language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The accesses that are counted together, in the order of their first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// Where the lanes of a warp may go different ways, in program order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// Sums over the region.
    pub totals: Totals,
    /// The loop-to-thread mapping that the counts assume.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mapping: Vec<Mapping>,
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
    /// The devices whose code the region's loops and accesses were seen in, where the host's compilation learned of them: of the first, with
    /// what differs on each other one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub on_devices: Vec<OnDevice>,
    /// The clauses that bound its teams and threads, where the module shows them.
    #[serde(default, skip_serializing_if = "LaunchClauses::are_none")]
    pub launch: LaunchClauses,
    /// How many iterations of a loop that teams and their threads share together a team takes at a time, where that is a number which the compiler
    /// put into the code; absent where it is the number of the team's threads, as the runtime starts them. LLVM 19 puts in what the kernel is
    /// compiled for at most, and the runtime starts smaller teams where there are few iterations: then some teams get nothing, and threads of
    /// others more than one iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_chunk: Option<u64>,
    /// Bytes of the numbers that teams combine at the kernel's end, where a reduction goes across teams: what each of them leaves for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_reduction: Option<u32>,
    /// Whether the plugin lets each thread go through its iterations of the loops that teams and their threads share together in one loop (a
    /// grid-stride loop), in one parallel region of its team, where clang has one for each chunk.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub grid_stride: bool,
    /// Functions whose code is not followed and that are known to write no memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<FunctionNote>,
    /// Parts of the region that were not understood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects: Vec<Reject>,
    /// The limits of the analysis's own work that were met: what lies beyond is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// A device that a region was compiled for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnDevice {
    /// LLVM's name of it, such as `sm_90`, or the target.
    pub processor: String,
    /// What accesses are counted for.
    pub hardware: Hardware,
    /// The region as this device runs it, where it differs from the first one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differing: Option<Box<Region>>,
}

/// Where the code of a region comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
            "work" => "the region takes too many steps to analyse",
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

/// The execution modes of clang's device runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// All threads run the region from its start.
    Spmd,
    /// One thread runs the region and wakes the others for each parallel construct.
    Generic,
    /// Written as generic, turned into SPMD by the compiler.
    MadeSpmd,
    /// Not visible in this module.
    Unknown,
    /// The target has none.
    AsOnHost,
}

impl Mode {
    /// What it means for regions of a kind, in a sentence.
    pub fn meaning(self, kind: RegionKind) -> &'static str {
        match self {
            Mode::Spmd if kind == RegionKind::Kernel => "all threads start the kernel together",
            Mode::Spmd => "all threads start the region together",
            Mode::Generic => {
                "one thread of each team runs the code outside of parallel constructs and wakes the others for them"
            }
            Mode::MadeSpmd => {
                "written so that one thread of each team starts it (generic mode); the optimiser has made all threads start it together (SPMD mode)"
            }
            Mode::Unknown => "the host's compilation alone does not tell how the device runs the region",
            Mode::AsOnHost => "this target has no execution modes: the region runs as on the host",
        }
    }
}

/// A variable that the region uses from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// The name in the source, else `argN` by position.
    pub name: String,
    /// What its value is.
    #[serde(rename = "type")]
    pub ty: ValueType,
    /// The map clause, where the module shows it (host side).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<Map>,
}

/// The type of a captured variable: `i32`, `float`, `pointer`, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub enum ValueType {
    /// An integer of so many bits.
    Integer(u32),
    /// A float of 16 bits.
    Half,
    /// A float of 32 bits.
    Float,
    /// A float of 64 bits.
    Double,
    /// An address.
    Pointer,
    /// A structure.
    Struct,
    /// An array.
    Array,
    /// Something else.
    Value,
}

const TYPES: [(ValueType, &str); 7] = [
    (ValueType::Half, "half"),
    (ValueType::Float, "float"),
    (ValueType::Double, "double"),
    (ValueType::Pointer, "pointer"),
    (ValueType::Struct, "struct"),
    (ValueType::Array, "array"),
    (ValueType::Value, "value"),
];

impl std::fmt::Display for ValueType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self, TYPES.iter().find(|(ty, _)| ty == self)) {
            (ValueType::Integer(bits), _) => write!(f, "i{bits}"),
            (_, known) => f.write_str(known.map_or("value", |(_, word)| word)),
        }
    }
}

impl From<ValueType> for String {
    fn from(ty: ValueType) -> String {
        ty.to_string()
    }
}

impl TryFrom<String> for ValueType {
    type Error = String;

    fn try_from(word: String) -> Result<ValueType, String> {
        let bits = word.strip_prefix('i').and_then(|bits| bits.parse().ok());
        let known = TYPES.iter().find(|(_, known)| *known == word).map(|(ty, _)| *ty);
        known
            .or(bits.map(ValueType::Integer))
            .ok_or_else(|| format!("{word:.80} is no type, such as i32, float, pointer"))
    }
}

/// What a map clause moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MapKind {
    /// To the device before the region runs.
    To,
    /// From the device behind it.
    From,
    /// Both.
    ToFrom,
    /// Nothing.
    Alloc,
    /// Passed with the launch.
    #[serde(rename = "by-value")]
    ByValue,
    /// A copy for each thread of what the host has.
    FirstPrivate,
    /// Memory of each thread's own.
    Private,
}

impl MapKind {
    /// The word that the file and every text use.
    pub fn name(self) -> &'static str {
        match self {
            MapKind::To => "to",
            MapKind::From => "from",
            MapKind::ToFrom => "tofrom",
            MapKind::Alloc => "alloc",
            MapKind::ByValue => "by-value",
            MapKind::FirstPrivate => "firstprivate",
            MapKind::Private => "private",
        }
    }
}

/// A map clause as the host module shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// What is moved, and when.
    pub kind: MapKind,
    /// Size in bytes: a number or a symbolic expression; absent where it is not visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// Whether the compiler added the map without a clause.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub implicit: bool,
    /// Whether a launch does not copy it back, whatever the clause says, since the region never writes it; it does where the program finds, when it
    /// runs, that it must.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub stays: bool,
    /// Whether a launch does not bring it to the device, since the region overwrites it entirely; it does where the program finds, when it runs, that it
    /// must.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub made_there: bool,
}

impl Map {
    /// What a launch moves, which may be less than the clause says.
    pub fn moved(&self) -> MapKind {
        match self.kind {
            MapKind::ToFrom if self.stays => MapKind::To,
            MapKind::ToFrom if self.made_there => MapKind::From,
            kind => kind,
        }
    }
}

/// Sums over a region.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnHost {
    /// Whether they may; where one does, IPDA_OFFLOAD says when the program runs.
    pub may_run: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reject>,
}

/// Something that was left alone, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

impl Region {
    /// The group that an access is in.
    pub fn group_of(&self, access: &Access) -> Option<&Group> {
        let id = access.group.as_deref()?;
        self.groups.iter().find(|group| group.id == id)
    }

    /// For what sectors an access stands in sums.
    pub fn charge(&self, access: &Access) -> Charge<'_> {
        match self.group_of(access) {
            None => Charge::Own,
            Some(group) if group.first() == access.id => Charge::Group(group),
            Some(group) => Charge::Counted(group),
        }
    }

    /// The constant count of sectors for which an access stands in sums.
    pub fn charged_sectors(&self, access: &Access) -> Option<u64> {
        match self.charge(access) {
            Charge::Own => access.sectors.map(|count| count.aligned),
            Charge::Group(group) => group.sectors.map(|count| count.aligned),
            Charge::Counted(group) => group.sectors.map(|_| 0),
        }
    }

    /// The lanes of a warp that have iterations of a shared loop at a time: all, or as many as its teams take iterations.
    fn lanes_of_loop(&self, shared: &Loop, warp_lanes: u32) -> u32 {
        let is_same = |variable: &Option<String>| *variable == shared.variable;
        let mut chunks = self.mapping.iter().filter_map(|mapping| match mapping {
            Mapping::ShortChunk { variable, iterations } if is_same(variable) => Some((*iterations).max(1)),
            _ => None,
        });
        let Some(first) = chunks.next() else { return warp_lanes };
        let others: Vec<u32> = chunks.collect();
        let is_thread_loop = |each: &&Loop| matches!(each.kind, LoopKind::For | LoopKind::DistributeParallelFor);
        let loops = self.loops.iter().filter(is_thread_loop).filter(|each| is_same(&each.variable)).count();
        // Loops are named by their variables, which several may have.
        let is_of_all = others.len() + 1 >= loops && others.iter().all(|&other| other == first);
        if is_of_all { first.min(warp_lanes) } else { warp_lanes }
    }

    /// What an access in the loops as written is counted for: a warp has no more lanes than have iterations of the shared loop around it at a time.
    pub fn hardware_of<'a>(&self, access: &Access, hardware: &'a Hardware) -> Cow<'a, Hardware> {
        match self.working_lanes(access, hardware.warp_lanes) {
            lanes if lanes < hardware.warp_lanes => Cow::Owned(Hardware { warp_lanes: lanes, ..hardware.clone() }),
            _ => Cow::Borrowed(hardware),
        }
    }

    fn working_lanes(&self, access: &Access, warp_lanes: u32) -> u32 {
        let find = |id: Option<&str>| self.loops.iter().find(|each| Some(each.id.as_str()) == id);
        let mut around = find(access.in_loop.as_deref());
        for _ in 0..self.loops.len() {
            match around {
                Some(each) if matches!(each.kind, LoopKind::For | LoopKind::DistributeParallelFor) => {
                    return self.lanes_of_loop(each, warp_lanes);
                }
                Some(each) => around = find(each.parent.as_deref()),
                None => break,
            }
        }
        warp_lanes
    }

    /// What the counts take for granted about threads, a sentence each.
    pub fn mapping_sentences(&self, warp_lanes: u32) -> Vec<String> {
        self.mapping.iter().map(|mapping| mapping.sentence(warp_lanes)).collect()
    }
}

impl From<Reject> for Reason {
    fn from(reject: Reject) -> Reason {
        let kind = match &reject.name[..] {
            "UnknownCall" | "IndirectCall" => ObstacleKind::UnknownCall,
            "Recursion" => ObstacleKind::Recursion,
            "TooLarge" | "Limit" => ObstacleKind::TooManyAccesses,
            _ => ObstacleKind::Other,
        };
        kind.reason(reject.reason).at(reject.location)
    }
}
