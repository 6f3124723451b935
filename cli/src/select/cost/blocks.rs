//! What lanes touch: of an access, and of the accesses that are counted together.

use ipda_models::report::{Access, Hardware, MemoryKind, Region};
use ipda_symbolic::Block;

/// What a thread touches with an access, from what it has in common with those of its group.
pub fn own_block(access: &Access, region: &Region) -> Block {
    let member = region.group_of(access).and_then(|group| group.members.iter().find(|each| each.access == access.id));
    Block { offset: member.map_or(0, |member| member.offset), bytes: access.bytes }
}

/// The same with all accesses of its group; where it is alone, with itself.
pub fn all_blocks(access: &Access, region: &Region) -> Vec<Block> {
    region.group_of(access).map_or_else(|| vec![own_block(access, region)], |group| group.blocks().collect())
}

/// The fewest sectors that hold the bytes of all lanes, each its own.
pub fn least_of_lanes(access: &Access, hardware: &Hardware) -> u64 {
    let bytes = access.bytes.saturating_mul(access.lanes(hardware.warp_lanes));
    bytes.div_ceil(u64::from(hardware.sector_bytes.max(1)))
}

/// The sectors that one thread needs.
pub fn words(access: &Access, hardware: &Hardware) -> u64 {
    match access.memory {
        MemoryKind::Global => access.bytes.div_ceil(u64::from(hardware.sector_bytes.max(1))),
        MemoryKind::Shared => 1,
    }
}

pub fn most(access: &Access, hardware: &Hardware) -> u64 {
    words(access, hardware).saturating_mul(access.lanes(hardware.warp_lanes))
}
