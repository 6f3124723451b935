//! Accesses that are counted together, because a warp that makes them in one iteration finds the sectors of one with the others.

use super::Count;
use ipda_symbolic::{Block, pieces};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loads of one iteration whose sectors are fetched once: their addresses differ by constants, and nothing between them may write
/// what they read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// `group0`, `group1`, ...: unique in the region.
    pub id: String,
    /// Its accesses in program order. What the group costs is counted for the first.
    pub members: Vec<Member>,
    /// Sectors per warp that hold a byte of any member; absent where not constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sectors: Option<Count>,
    /// Lines per warp, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<Count>,
    /// The fewest sectors that could hold the bytes of a warp, each once; absent where not constant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<u64>,
}

/// An access of a group, and what one thread touches with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The access.
    pub access: String,
    /// Bytes from what the addresses of all members have in common.
    pub offset: i64,
    /// Bytes of the access.
    pub bytes: u64,
}

/// For what sectors an access stands in sums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge<'a> {
    /// For its own: it is in no group.
    Own,
    /// For those of its group, whose first access it is.
    Group(&'a Group),
    /// For none: they are counted for the first access of its group.
    Counted(&'a Group),
}

impl Group {
    /// What a thread touches with each access.
    pub fn blocks(&self) -> impl Iterator<Item = Block> + Clone + '_ {
        self.members.iter().map(|member| Block { offset: member.offset, bytes: member.bytes })
    }

    /// The bytes that a thread uses, each once.
    pub fn bytes_of_lane(&self) -> u64 {
        pieces(self.blocks().map(|block| (block.offset.into(), block.bytes)), 1)
    }

    /// The id of the access for which the group is counted.
    pub fn first(&self) -> &str {
        self.members.first().map_or("", |member| &member.access)
    }
}
