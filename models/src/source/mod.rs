//! Loops and directives in a program's source: by which clause threads would share more loops of a nest, in which order, and what stands in the
//! way of that. All who say such a clause, or write it, ask here.

mod clause;
mod directive;
mod maps;
mod nest;
mod request;
mod text;

pub use clause::Clause;
pub use directive::Directive;
pub use maps::{OneWay, Way, edits as map_edits, one_way};
pub use nest::{Head, Nest};
pub use request::{Request, Written, report_clauses};
pub use text::{Kind, Source, Token};

use std::fmt;
use std::ops::Range;

/// Other text in place of some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What goes, in bytes of the source.
    pub range: Range<usize>,
    /// What comes.
    pub text: Vec<u8>,
}

/// Why loops of a source are not written in another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Objection {
    /// No clause does it as the loops are, or it would change what they compute.
    Clause(String),
    /// A person may write it; by its text alone, a program does not see how.
    Program(String),
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Objection::Clause(text) | Objection::Program(text)) = self;
        f.write_str(text)
    }
}

impl From<Objection> for String {
    fn from(objection: Objection) -> String {
        let (Objection::Clause(text) | Objection::Program(text)) = objection;
        text
    }
}
