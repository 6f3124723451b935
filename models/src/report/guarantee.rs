//! Guarantees of the language that results rest on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the program, the language or the compiler promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Guarantee {
    /// Signed arithmetic does not overflow.
    SignedArithmetic,
    /// Nor does unsigned arithmetic that is marked so.
    UnsignedArithmetic,
    /// Shifts are by less than the width.
    Shifts,
    /// Numbers that are marked as without common bits have none.
    DisjointBits,
    /// Values that are marked as not negative are not.
    NotNegative,
    /// Loops without effects end.
    LoopsEnd,
    /// Pointers that are compared stay in their objects.
    PointersInObjects,
    /// What the program asks the compiler to assume holds.
    Assumed,
    /// Lengths of array sections are not negative.
    SectionLengths,
}

impl Guarantee {
    /// All of them.
    pub const ALL: [Guarantee; 9] = [
        Guarantee::SignedArithmetic,
        Guarantee::UnsignedArithmetic,
        Guarantee::Shifts,
        Guarantee::DisjointBits,
        Guarantee::NotNegative,
        Guarantee::LoopsEnd,
        Guarantee::PointersInObjects,
        Guarantee::Assumed,
        Guarantee::SectionLengths,
    ];

    /// In words.
    pub fn sentence(self) -> &'static str {
        match self {
            Guarantee::SignedArithmetic => {
                "signed index arithmetic does not overflow (the language leaves overflow undefined)"
            }
            Guarantee::UnsignedArithmetic => {
                "index arithmetic that the compiler marked free of unsigned overflow does not overflow"
            }
            Guarantee::Shifts => "shifts are by less than the width (the language leaves others undefined)",
            Guarantee::DisjointBits => "numbers that the compiler marked as without common bits have none",
            Guarantee::NotNegative => "values that the compiler marked as not negative are not",
            Guarantee::LoopsEnd => {
                "loops that do nothing that others see end (the language lets the compiler suppose it)"
            }
            Guarantee::PointersInObjects => {
                "pointers that are compared stay in their objects (the language leaves others undefined)"
            }
            Guarantee::Assumed => "what the program asks the compiler to assume holds",
            Guarantee::SectionLengths => {
                "lengths of array sections in map clauses are not negative (OpenMP leaves others undefined)"
            }
        }
    }
}
