//! The lists, their columns and cells.

use std::borrow::Cow;

use clap::ValueEnum;
use serde::ser::{Serialize, Serializer};

/// What a list is of.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What to do, what was done, and where nothing is to be done.
    Actions,
    /// Target regions and kernels.
    Regions,
    /// Accesses to memory.
    Accesses,
    /// Loops.
    Loops,
    /// Conditions on which threads of a warp may disagree.
    Branches,
    /// What was done with loops, or what stands in the way.
    Changes,
    /// What was not understood.
    Rejects,
    /// What kernels compute and move, and how near they come to what a device can do; printed with --gpu.
    Rooflines,
    /// What two builds differ in.
    #[value(skip)]
    Differences,
}

impl Kind {
    /// All lists, in the order of a document.
    pub const ALL: [Kind; 8] = [
        Kind::Actions,
        Kind::Regions,
        Kind::Accesses,
        Kind::Loops,
        Kind::Branches,
        Kind::Changes,
        Kind::Rejects,
        Kind::Rooflines,
    ];

    /// The key of a document.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Actions => "actions",
            Kind::Regions => "regions",
            Kind::Accesses => "accesses",
            Kind::Loops => "loops",
            Kind::Branches => "branches",
            Kind::Changes => "changes",
            Kind::Rejects => "rejects",
            Kind::Rooflines => "rooflines",
            Kind::Differences => "differences",
        }
    }

    /// The columns.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Kind::Actions => &[
                "file",
                "line",
                "column",
                "function",
                "state",
                "rule",
                "action",
                "worth",
                "in_source",
                "fix",
                "source",
                "side",
                "target",
            ],
            Kind::Regions => &[
                "file", "line", "function", "excess", "of", "percent", "accesses", "open", "basis", "loops", "source",
                "side", "target",
            ],
            Kind::Accesses => &[
                "file",
                "line",
                "column",
                "function",
                "region_line",
                "access",
                "array",
                "bytes",
                "loop",
                "stride",
                "class",
                "needed",
                "least",
                "group",
                "group_needed",
                "group_least",
                "unit",
                "runs",
                "excess",
                "basis",
                "loops",
                "reason",
                "source",
                "side",
                "target",
            ],
            Kind::Loops => &[
                "file", "line", "column", "function", "id", "variable", "parent", "kind", "trips", "schedule",
                "source", "side", "target",
            ],
            Kind::Branches => &[
                "file",
                "line",
                "column",
                "function",
                "loop",
                "ends_loop",
                "lanes",
                "where",
                "reason",
                "source",
                "side",
                "target",
            ],
            Kind::Changes => &[
                "file",
                "line",
                "function",
                "state",
                "loops",
                "sectors_before",
                "sectors_after",
                "conditions",
                "reasons",
                "places",
                "clause",
                "source",
                "side",
                "target",
            ],
            Kind::Rejects => &["file", "line", "column", "function", "name", "reason", "source", "side", "target"],
            Kind::Rooflines => &[
                "file",
                "line",
                "function",
                "gpu",
                "assumed",
                "memory_bytes",
                "l2_bytes",
                "half",
                "single",
                "double",
                "special",
                "integer",
                "intensity",
                "seconds",
                "roof",
                "share",
                "source",
                "side",
                "target",
            ],
            Kind::Differences => &[
                "change",
                "place",
                "was_at",
                "function",
                "what",
                "class",
                "was_class",
                "needed",
                "was_needed",
                "cost",
                "was_cost",
            ],
        }
    }
}

/// A cell of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing is known, or there is nothing.
    Empty,
    /// Words, a name, an expression.
    Text(String),
    /// A number.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Cell {
        Cell::Number(number as f64)
    }
}

impl Cell {
    /// What stands in a table: a whole number without a fraction, others with what they need.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Cell::Empty => "".into(),
            Cell::Text(text) => text.into(),
            Cell::Number(number) if number.is_finite() => number.to_string().into(),
            Cell::Number(_) => "0".into(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// From here on, not all whole numbers are exact.
        const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        match self {
            Cell::Empty => serializer.serialize_unit(),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Number(number) if !number.is_finite() => serializer.serialize_u64(0),
            Cell::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => {
                serializer.serialize_i64(*number as i64)
            }
            Cell::Number(number) => serializer.serialize_f64(*number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_numbers_in_every_form() {
        for (value, text) in [(0.0, "0"), (1e15, "1000000000000000"), (97.06, "97.06"), (f64::NAN, "0")] {
            let cell = Cell::Number(value);
            assert_eq!(cell.text(), text);
            assert_eq!(serde_json::to_string(&cell).expect("a number"), text);
        }
    }
}
