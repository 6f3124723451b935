//! What the compiler made of a region for one device.

use super::Quantity;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the finished device code of a region needs and consists of. Numbers that the device's object does not show are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resources {
    /// The processor, such as `sm_90`; the target's name where the object names none.
    pub processor: String,
    /// Registers of 32 bits for each thread, before linking: functions of other files may need more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Bytes of stack for each thread, in global memory: local arrays, and registers that did not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_bytes: Option<u32>,
    /// Bytes of shared memory for each team, without what the launch adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_bytes: Option<u64>,
    /// The instructions after the device's optimisation, loop by loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LoopInstructions>,
    /// Why the instructions were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncounted: Option<String>,
}

/// The instructions of one natural loop, without those of loops inside of it; at depth 0, of code outside of loops. The code of a function
/// that is called, not inlined, has entries of its own, from the depth of the call on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopInstructions {
    /// Where these instructions are and how often they run.
    pub place: CodePlace,
    /// How many there are of each class, as the optimiser leaves them, on average for one run of the body: those behind a branch count as
    /// often as the branch is likely to lead a warp there.
    pub counts: BTreeMap<InstructionClass, f64>,
    /// How many runs of loads from global memory there are without a store, an update, a barrier or a call between two of them, counted likewise; absent
    /// where there are as many as stores and updates (of the iterations at once, as many as those of one), and at least one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_runs: Option<f64>,
}

impl LoopInstructions {
    /// As many runs of loads as there are if stores and updates lie between them all.
    pub fn usual_load_runs(&self) -> f64 {
        let of = |class: InstructionClass| self.counts.get(&class).copied().unwrap_or(0.0);
        let stores = of(InstructionClass::StoreGlobal) + of(InstructionClass::Atomic);
        (stores / f64::from(self.place.at_once.unwrap_or(1))).max(1.0)
    }
}

/// Where finished code is in its function's loops, and how often it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodePlace {
    /// How many loops of the finished code are around.
    pub depth: u32,
    /// The source line where the loop begins, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The innermost shared loop of the region that the code is in, by its `id`: `executions` are those in one of its iterations. Absent for code
    /// that each thread runs once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<String>,
    /// How often the body runs, in the names of the region's captures and loops. An unrolled or vectorised loop has fewer of them than the
    /// loop in the source, and another entry for what is left over.
    pub executions: Quantity,
    /// How likely the branches of the loops around lead here, on devices a warp: the part of `executions` that happens.
    #[serde(default = "certain", skip_serializing_if = "is_certain")]
    pub chance: f64,
    /// How many iterations of the shared loop the plugin lets a thread do at once, so that their loads are under way together; absent for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_once: Option<u32>,
    /// How many iterations of one of the loops that make a thread's number the plugin lets a thread take together here, where there are enough of
    /// them, so that what it loads for one serves all; absent for one. Other entries of the same loops are of what it does one at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<u32>,
    /// Which iterations these are, and when there are enough, at the shared loop of such code; in reports that were made before there was this, none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lockstep: Option<Lockstep>,
}

/// Which iterations a thread takes in lockstep, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lockstep {
    /// The loop, by its `id`; one that a clause collapsed has the iterations of several.
    pub of: String,
    /// How many of its iterations those are apart that are taken together: an expression in the names of the region's captures, such as `[m]`.
    pub apart: String,
    /// How many iterations there are of the loop of which some are taken together: one of those that a clause collapsed, where these are several.
    pub trips: String,
    /// How many iterations all loops that make the number of a thread have together, at least, where it is done; of the one, four times as
    /// many as are taken together.
    pub least: u64,
}

impl Lockstep {
    /// Whole groups of iterations of the one loop that there are at least, so that little is done twice for a last one.
    pub const MIN_WHOLE: u32 = 4;
}

fn certain() -> f64 {
    1.0
}

fn is_certain(chance: &f64) -> bool {
    *chance == 1.0
}

/// Who says what the host's code costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CostModel {
    /// LLVM's machine-code analyser, of code that is generated for it.
    Mca,
    /// LLVM's cost model (`TargetTransformInfo`), with its scheduling models.
    #[default]
    Tti,
}

impl CostModel {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            CostModel::Mca => "machine-code analyser",
            CostModel::Tti => "cost model",
        }
    }

    /// Of reports that do not tell it.
    const fn unreported() -> CostModel {
        CostModel::Mca
    }

    fn is_unreported(&self) -> bool {
        *self == CostModel::unreported()
    }
}

/// What the compiler made of the host's version of a region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostCode {
    /// The processor that the code was made for, as the compiler calls it (`x86-64`, `pwr9`).
    pub processor: String,
    /// Who says what it costs; the machine-code analyser where it is not reported.
    #[serde(default = "CostModel::unreported", skip_serializing_if = "CostModel::is_unreported")]
    pub model: CostModel,
    /// The finished code, loop by loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<HostLoop>,
    /// Why it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unanalysed: Option<String>,
}

/// The machine code of one loop of the host's version, without that of loops inside of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostLoop {
    /// Where this code is and how often it runs.
    pub place: CodePlace,
    /// Instructions of one run of the body: of its machine code, or what the cost model takes for them.
    pub instructions: f64,
    /// Of these, those that read memory.
    pub loads: f64,
    /// Those that write memory.
    pub stores: f64,
    /// Calls of code that is not looked at.
    #[serde(default, skip_serializing_if = "is_none_of_it")]
    pub calls: f64,
    /// Cycles of one run of the body, with everything in the first cache, for each processor of LLVM's scheduling models that the project's
    /// hardware database names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cycles: BTreeMap<String, f64>,
}

fn is_none_of_it(count: &f64) -> bool {
    *count == 0.0
}

/// The clauses that bound teams and threads: numbers or expressions in the region's captures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LaunchClauses {
    /// `num_teams`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_teams: Option<Quantity>,
    /// `thread_limit`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_limit: Option<Quantity>,
    /// `num_threads`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_threads: Option<Quantity>,
}

impl LaunchClauses {
    /// Whether they ask for a single team.
    pub fn is_one_team(&self) -> bool {
        self.num_teams.as_ref().and_then(|asked| asked.value.as_deref()) == Some("1")
    }

    pub(super) fn are_none(&self) -> bool {
        *self == LaunchClauses::default()
    }
}

/// A class of instructions that cost alike. Pointers of which the memory is not known count as global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InstructionClass {
    /// Loads from global memory.
    LoadGlobal,
    /// Stores to global memory.
    StoreGlobal,
    /// Loads from the memory that a team shares.
    LoadShared,
    /// Stores to the memory that a team shares.
    StoreShared,
    /// Loads from a thread's own memory.
    LoadLocal,
    /// Stores to a thread's own memory.
    StoreLocal,
    /// Loads from constant memory.
    LoadConstant,
    /// Atomic updates.
    Atomic,
    /// Additions and multiplications of floats of 16 bits; a fused multiplication and addition is one.
    Float16,
    /// The same with 32 bits.
    Float32,
    /// The same with 64 bits, and comparisons of them.
    Float64,
    /// Divisions of floats of at most 32 bits.
    Divide32,
    /// Divisions of floats of 64 bits.
    Divide64,
    /// Square roots, exponentials, sines and the like, of at most 32 bits.
    Special32,
    /// The same with 64 bits.
    Special64,
    /// Conversions between floats and integers, and between floats, roundings, and functions that are one instruction of the special units, such as approximate
    /// reciprocals. One from or to 64 bits counts as an operation on floats of 64 bits besides, as their units do a part of it.
    Convert,
    /// Operations on integers of at most 32 bits, choices between values, and comparisons of floats of at most 32 bits.
    Integer32,
    /// Operations on integers of 64 bits; steps of addresses.
    Integer64,
    /// Divisions and remainders of integers.
    IntegerDivide,
    /// Conditional jumps.
    Branch,
    /// Barriers and fences.
    Barrier,
    /// Calls of code that is counted elsewhere or not at all.
    Call,
}

impl InstructionClass {
    /// All classes in their order.
    pub const ALL: [InstructionClass; 22] = [
        InstructionClass::LoadGlobal,
        InstructionClass::StoreGlobal,
        InstructionClass::LoadShared,
        InstructionClass::StoreShared,
        InstructionClass::LoadLocal,
        InstructionClass::StoreLocal,
        InstructionClass::LoadConstant,
        InstructionClass::Atomic,
        InstructionClass::Float16,
        InstructionClass::Float32,
        InstructionClass::Float64,
        InstructionClass::Divide32,
        InstructionClass::Divide64,
        InstructionClass::Special32,
        InstructionClass::Special64,
        InstructionClass::Convert,
        InstructionClass::Integer32,
        InstructionClass::Integer64,
        InstructionClass::IntegerDivide,
        InstructionClass::Branch,
        InstructionClass::Barrier,
        InstructionClass::Call,
    ];

    /// Whether it is an access to global memory.
    pub(crate) fn is_of_global_memory(self) -> bool {
        matches!(self, InstructionClass::LoadGlobal | InstructionClass::StoreGlobal | InstructionClass::Atomic)
    }

    /// Whether it computes with floats.
    pub(crate) fn is_float(self) -> bool {
        use InstructionClass as Class;
        matches!(
            self,
            Class::Float16
                | Class::Float32
                | Class::Float64
                | Class::Divide32
                | Class::Divide64
                | Class::Special32
                | Class::Special64
        )
    }

    /// Whether it computes with integers.
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, InstructionClass::Integer32 | InstructionClass::Integer64 | InstructionClass::IntegerDivide)
    }

    /// The word of the file, and of every text.
    pub fn name(self) -> &'static str {
        match self {
            InstructionClass::LoadGlobal => "load-global",
            InstructionClass::StoreGlobal => "store-global",
            InstructionClass::LoadShared => "load-shared",
            InstructionClass::StoreShared => "store-shared",
            InstructionClass::LoadLocal => "load-local",
            InstructionClass::StoreLocal => "store-local",
            InstructionClass::LoadConstant => "load-constant",
            InstructionClass::Atomic => "atomic",
            InstructionClass::Float16 => "float16",
            InstructionClass::Float32 => "float32",
            InstructionClass::Float64 => "float64",
            InstructionClass::Divide32 => "divide32",
            InstructionClass::Divide64 => "divide64",
            InstructionClass::Special32 => "special32",
            InstructionClass::Special64 => "special64",
            InstructionClass::Convert => "convert",
            InstructionClass::Integer32 => "integer32",
            InstructionClass::Integer64 => "integer64",
            InstructionClass::IntegerDivide => "integer-divide",
            InstructionClass::Branch => "branch",
            InstructionClass::Barrier => "barrier",
            InstructionClass::Call => "call",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_called_the_same_in_files_and_texts() {
        for class in InstructionClass::ALL {
            assert_eq!(serde_yaml::to_string(&class).expect("a word").trim(), class.name());
        }
        assert!(InstructionClass::ALL.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
