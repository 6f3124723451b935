//! Functions whose code is not followed, and of which is known all the same what they do.

use super::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A function that a region calls, and that is believed to write no memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FunctionNote {
    /// Its name in the source.
    pub function: String,
    /// What it does.
    pub effects: FunctionEffects,
    /// Who says so.
    pub known_by: KnownBy,
    /// The first call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// What a function does beside computing its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionEffects {
    /// It touches no memory.
    Const,
    /// It may read memory.
    Pure,
}

/// How it is known what a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnownBy {
    /// By an attribute of its declaration.
    Attribute,
    /// By an option.
    Option,
    /// It belongs to C's library.
    Library,
    /// Its code was looked at, though it is not followed.
    Body,
}

impl FunctionNote {
    /// What the answers rest on, and what they leave out.
    pub fn sentence(&self) -> String {
        let FunctionNote { function, effects, .. } = self;
        let word = match effects {
            FunctionEffects::Const => "const",
            FunctionEffects::Pure => "pure",
        };
        let by = match self.known_by {
            KnownBy::Attribute => format!("by its attribute {word}"),
            KnownBy::Option => format!("by the option {word}"),
            KnownBy::Library => "as a function of C's library".to_owned(),
            KnownBy::Body => "as its code shows".to_owned(),
        };
        match effects {
            FunctionEffects::Const => format!("{function} touches no memory, {by}"),
            FunctionEffects::Pure => {
                format!("{function} writes no memory, {by}; what it reads is not counted")
            }
        }
    }
}
