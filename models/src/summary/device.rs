//! A device that reads a region.

use super::{Bound, RegionSummary};
use crate::gpu::geometry::Device;

/// The units in which a device moves data and sets memory aside for it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// What moves.
    pub sector: f64,
    /// What a cache sets aside.
    pub line: f64,
}

/// A device that reads a region.
pub(crate) struct OnDevice<'a> {
    pub(crate) bound: &'a Bound<'a>,
    /// Whose code it runs.
    pub(crate) processor: &'a str,
    /// What the runtime knows of it.
    pub(crate) runtime: &'a Device,
    pub(crate) grain: Grain,
}

impl OnDevice<'_> {
    pub(super) fn summary(&self) -> &RegionSummary {
        self.bound.summary()
    }

    pub(super) fn lanes(&self) -> f64 {
        self.summary().lanes.into()
    }
}
