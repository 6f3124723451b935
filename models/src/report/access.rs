//! Accesses to memory: their strides, classes and counts.

use super::{Condition, Guarantee, Hardware, Lanes, Location, Quantity, all_hold};
use ipda_symbolic::pieces;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

impl Access {
    /// The lanes of a warp that make the access, where that is fixed; else all of them.
    pub fn lanes(&self, warp_lanes: u32) -> u64 {
        self.active_lanes.as_ref().and_then(Lanes::count).unwrap_or(warp_lanes.into())
    }

    /// How far each lane that makes it is from lane 0, where the stride lists that.
    pub fn listed_distances(&self, warp_lanes: u32) -> Option<Vec<i128>> {
        if self.stride.kind != StrideKind::Vector {
            return None;
        }
        let text = self.stride.text.as_deref()?;
        let all: Vec<i128> = text.split(' ').map(|distance| distance.parse().ok()).collect::<Option<_>>()?;
        match self.active_lanes.as_ref().and_then(Lanes::list) {
            Some(list) => list.map(|lane| all.get(lane as usize).copied()).collect(),
            None => (all.len() == warp_lanes as usize).then_some(all),
        }
    }

    /// The fewest sectors that hold the bytes of a warp, each once where it is listed which these are.
    pub fn least_sectors(&self, hardware: &Hardware) -> u64 {
        let lanes = self.lanes(hardware.warp_lanes);
        let bytes = match self.listed_distances(hardware.warp_lanes) {
            Some(all) => pieces(all.into_iter().map(|distance| (distance, self.bytes)), 1),
            None => self.bytes.saturating_mul(lanes),
        };
        bytes.div_ceil(u64::from(hardware.sector_bytes.max(1)))
    }

    /// The condition under which it runs, in words, where it does not always run.
    pub fn condition(&self) -> Option<String> {
        all_hold(&self.conditions)
    }

    /// How the stride follows from the address, a sentence a step, with sectors of so many bytes.
    pub fn steps(&self, sector_bytes: u32) -> Vec<String> {
        let mut steps = vec![format!("the address is {}", self.address)];
        if self.one_thread {
            steps.push("one thread makes the access".into());
            return steps;
        }
        let moved =
            |Moved { name, value }: &Moved| format!("in lane t of a warp, {name} is {value}, with t for [lane number]");
        steps.extend(self.moved.iter().map(moved));
        steps.push(self.stride.step());
        if let Some(sectors) = self.sectors {
            let bytes = if self.bytes == 1 { "1 byte".to_owned() } else { format!("{} bytes", self.bytes) };
            steps.push(format!(
                "{bytes} in each lane touch {} sectors of {sector_bytes} bytes with the base on a line, and {} at worst",
                sectors.aligned, sectors.worst
            ));
        }
        if let Some(passes) = self.bank_passes {
            steps.push(format!("the banks need {} passes, {} without conflicts", passes.needed, passes.least));
        }
        steps
    }
}

/// One access to global memory, or to memory that a team shares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// The class in the words that people use: of all accesses of its group together, where it is in one.
    pub class: Class,
    /// For an access of a group: the class that it would have alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_alone: Option<Class>,
    /// The group with which it is counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// For a stride with row ends: the class of warps in which no row ends; as `class`.
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
    /// The conditions under which it runs, where it does not always run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
    /// How often one thread runs it for one iteration of its parallel loop.
    pub executions: Quantity,
    /// Guarantees of the language that the result rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<Guarantee>,
    /// Whether one thread makes it, so that no lanes are apart.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub one_thread: bool,
    /// Whether it is an atomic update of an integer whose old value nobody uses, so that compilers may make one of several of the same place.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub may_be_combined: bool,
    /// What in the address differs from lane to lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Moved>,
    /// Values in the address that are computed in floating point from numbers of iterations, which they rise or fall with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rising: Vec<Rising>,
    /// Where neighbouring threads of the host's version write into one cache line at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub false_sharing: Option<FalseSharing>,
}

/// A name in an address, and its value in each lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Moved {
    /// Of an iteration or a thread's number: `i`, `[threadIdx.x]`.
    pub name: String,
    /// An expression in `[lane number]`.
    pub value: String,
}

/// A name in an address, and what it rises or falls evenly with, rounded to integers, as `(int)(j * scale)` does with `j`. Which numbers it has is not
/// said: predictions take it to go through the array once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rising {
    /// What the address calls it: `[x]`, `[a value]`.
    pub name: String,
    /// An expression in iteration numbers.
    pub with: String,
}

/// Threads of the host's version that take a cache line from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// With the bank conflicts that the strides make.
    pub needed: u64,
    /// Without conflicts.
    pub least: u64,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

impl Stride {
    /// For `row-ends`: the lengths of rows, the shortest first, each with the difference where it ends and no longer one does.
    pub fn rows(&self) -> Vec<(&str, &str)> {
        let [lengths, ends] =
            [&self.row_length, &self.at_row_ends].map(|text| split_list(text.as_deref().unwrap_or_default()));
        if lengths.len() == ends.len() { lengths.into_iter().zip(ends).collect() } else { Vec::new() }
    }

    /// How far lanes are from lane 0, in words.
    fn step(&self) -> String {
        let from = "so the distance of lane t from lane 0 is";
        let or_none = |text: &Option<String>| text.clone().unwrap_or_default();
        match (self.kind, self.text.as_deref()) {
            (StrideKind::Constant, Some("0")) => "it is the same in all lanes".into(),
            (StrideKind::Constant | StrideKind::Symbolic, Some(stride)) => format!("{from} t times {stride} bytes"),
            (StrideKind::Vector, Some(lanes)) => format!("{from}, lane by lane, {lanes} bytes"),
            (StrideKind::PerLane, Some(distance)) => format!("{from} {distance} bytes"),
            (StrideKind::RowEnds, Some(within)) => format!(
                "so neighbouring lanes are {within} bytes apart, and {} where a row of {} ends between them",
                or_none(&self.at_row_ends),
                or_none(&self.row_length)
            ),
            _ => format!("so no distance between lanes is known: {}", or_none(&self.reason)),
        }
    }
}

/// Splits a list of expressions at the commas that are in no parentheses or brackets.
fn split_list(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// Kinds of stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// With the base address and all symbolic offsets on a line boundary.
    pub aligned: u64,
    /// The most over all alignments that the access size allows.
    pub worst: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_split_outside_of_parentheses() {
        assert_eq!(split_list("4*min([a], [b]), -8, [f(x, y)]"), ["4*min([a], [b])", "-8", "[f(x, y)]"]);
    }
}
