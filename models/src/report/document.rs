//! The document: what a report file holds, from its version to its regions.

use super::hardware::Hardware;
use super::region::{Region, Reject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of this schema; a reader refuses files with a later one.
pub const SCHEMA_VERSION: u32 = 6;

/// The oldest version that is still read. Versions 4 and 5 have sentences for schedules, mappings, conditions and lanes, and what became of
/// the loops without a list of versions; version 4 has no hashes of sources, and of what stands in the way of better loops the words alone.
pub const OLDEST_VERSION: u32 = 4;

/// Bytes of the longest report that is read: source files of people have reports of some hundred kilobytes.
pub const MAX_BYTES: u64 = 64 << 20;

/// Everything that the plugin saw in one translation unit.
///
/// Invariant: one that comes from a text was checked. Its sizes and counts are in bounds, its loops form a forest in which each stands
/// behind the one around it, and what names a loop names one of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, try_from = "Unchecked")]
#[schemars(!try_from)]
pub struct Report {
    /// [`SCHEMA_VERSION`]: what is read of an older one is made one of this.
    pub ipda_report: u32,
    /// Name and version of the writer, such as `ipda 0.1.0`.
    pub tool: String,
    /// The main source file as it was given to the compiler.
    pub source: String,
    /// What the source files were like that the report names places in, as far as the compilation could read them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceFile>,
    /// Which compilation the report was made in.
    pub side: Side,
    /// The target triple of that compilation.
    pub target: String,
    /// The device whose lanes, sectors and lines were counted.
    pub hardware: Hardware,
    /// The target regions, in source order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<Region>,
    /// Regions that were found and could not be described at all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejects: Vec<Reject>,
}

/// A report as its text has it, with anything in its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    pub ipda_report: u32,
    pub tool: String,
    pub source: String,
    #[serde(default)]
    pub sources: Vec<SourceFile>,
    pub side: Side,
    pub target: String,
    pub hardware: Hardware,
    #[serde(default)]
    pub regions: Vec<Region>,
    #[serde(default)]
    pub rejects: Vec<Reject>,
}

/// Host or device compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The host's module.
    Host,
    /// A device module.
    Device,
}

/// A source file that the report names places in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// As in locations.
    pub file: String,
    /// The 64-bit FNV-1a hash of its bytes, in 16 hexadecimal digits.
    pub fnv1a: String,
}
