//! The lists, their columns and cells.

use clap::ValueEnum;

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
    /// What two builds differ in.
    #[value(skip)]
    Differences,
}

impl Kind {
    /// All lists, in the order of a document.
    pub const ALL: [Kind; 7] =
        [Kind::Actions, Kind::Regions, Kind::Accesses, Kind::Loops, Kind::Branches, Kind::Changes, Kind::Rejects];

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
