//! What the compiler made of a region for one device.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the finished device code of a region needs and consists of. Numbers that the device's object does not show are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopInstructions {
    /// How many loops are around the instructions.
    pub depth: u32,
    /// The source line where the loop begins, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// How many there are of each class, as the optimiser leaves them, each counted once however often it runs.
    pub counts: BTreeMap<InstructionClass, u64>,
}

/// A class of instructions that cost alike. Pointers of which the memory is not known count as global.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
    /// Additions, multiplications, comparisons of floats of 16 bits; a fused multiplication and addition is one.
    Float16,
    /// The same with 32 bits.
    Float32,
    /// The same with 64 bits.
    Float64,
    /// Divisions of floats of at most 32 bits.
    Divide32,
    /// Divisions of floats of 64 bits.
    Divide64,
    /// Square roots, exponentials, sines and the like, of at most 32 bits.
    Special32,
    /// The same with 64 bits.
    Special64,
    /// Conversions between floats and integers, and between floats.
    Convert,
    /// Operations on integers of at most 32 bits, and choices between values.
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
