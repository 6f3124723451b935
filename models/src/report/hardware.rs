//! The device that a report counts for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sizes that the counts rest on; from the hardware database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hardware {
    /// Entry name in the hardware database, such as `h200`.
    pub name: String,
    /// Threads that execute together.
    pub warp_lanes: u32,
    /// Smallest unit of a memory transaction, bytes.
    pub sector_bytes: u32,
    /// Cache line, bytes.
    pub line_bytes: u32,
    /// Banks of the memory that a team shares.
    pub banks: u32,
    /// Word of a bank, bytes.
    pub bank_bytes: u32,
    /// Sectors that a group of accesses may touch; absent where each access is counted alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse_sectors: Option<u64>,
}
