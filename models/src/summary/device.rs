//! A device that reads a region.

use super::{Bound, RegionSummary};
use crate::form::Num;
use crate::gpu::GpuMachine;
use crate::gpu::geometry::Device;
use crate::gpu::occupancy::{LimitsLater, teams_later};

/// The units in which a device moves data and sets memory aside for it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// What moves.
    pub sector: f64,
    /// What a cache sets aside.
    pub line: f64,
}

/// For how many teams a device has room at a time.
pub struct Room {
    pub(crate) limits: LimitsLater,
    pub(crate) multiprocessors: Num,
}

impl From<&GpuMachine> for Room {
    fn from(machine: &GpuMachine) -> Room {
        Room { limits: (&machine.limits).into(), multiprocessors: machine.sms.into() }
    }
}

impl Room {
    /// For teams of a multiprocessor that have so many threads, with so many registers each, and so many bytes of shared memory.
    pub(crate) fn of_multiprocessor(&self, threads: Num, registers: u64, shared: u64) -> Num {
        teams_later(&self.limits, threads, registers, shared)
    }
}

/// A device that reads a region.
pub(crate) struct OnDevice<'a> {
    pub(crate) bound: &'a Bound<'a>,
    /// Whose code it runs.
    pub(crate) processor: &'a str,
    /// What the runtime knows of it.
    pub(crate) runtime: &'a Device,
    pub(crate) grain: Grain,
    /// Where it is not known, all teams run at a time.
    pub(crate) room: Option<&'a Room>,
}

impl OnDevice<'_> {
    pub(super) fn summary(&self) -> &RegionSummary {
        self.bound.summary()
    }

    pub(super) fn lanes(&self) -> f64 {
        self.summary().lanes.into()
    }
}
