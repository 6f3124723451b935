//! Places in the user's source.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in the user's source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
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

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
