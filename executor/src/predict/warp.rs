//! A warp at an access.

use super::by_place::WarpPlace;

/// A warp at an access.
#[derive(Debug, Clone, Copy)]
pub struct Warp<'a> {
    /// Which warp.
    pub place: WarpPlace,
    /// The lanes that take part, a bit each.
    pub active: u64,
    /// One byte address for each lane, of which those of the active lanes count.
    pub addresses: &'a [u64],
}

/// The active lanes, in ascending order.
pub(super) fn lanes(active: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |lane| active >> lane & 1 == 1)
}
