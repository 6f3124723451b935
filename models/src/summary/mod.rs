//! What a region does, in symbols: everything that predictions need, before the program's values are known.
//!
//! A [`RegionSummary`] does not know where its [`Expressions`] come from: [`RegionSummary::from_report`] reads them from a report's texts, and
//! the analysis that has them hands them over. [`RegionSummary::bind`] gives it values, and [`Bound`] makes from that what the models take.

mod average;
mod bind;
mod count;
mod cpu_work;
mod device;
mod device_access;
mod device_work;
mod digits;
mod expressions;
mod footprint;
mod host_cost;
mod instructions;
mod interior;
mod launched;
mod loaded;
mod names;
mod neighbours;
mod own_memory;
mod pattern;
mod phase;
mod reach;
mod read;
mod region;
mod rising;
mod rows;
mod share;
mod shifts;
mod thesis;
mod thread_numbers;
mod turns;
mod value;
mod walks;

pub(crate) use cpu_work::{OnHost, PhaseOnHost};
pub(crate) use device::OnDevice;
pub(crate) use device_work::PhaseOnDevice;
pub(crate) use host_cost::Width;
pub(crate) use shifts::Shift;

pub use bind::{Bindings, Bound, MissingValues, TRIPS_WITHOUT_A_VALUE};
pub use cpu_work::HostWork;
pub use device::{Grain, Room};
pub use device_work::{DeviceWork, Published};
pub use expressions::{AccessExpressions, CodeExpressions, Expressions, LoopExpressions, NO_SIZE, Names};
pub use host_cost::HostCost;
pub use loaded::Loaded;
pub use names::{is_trips, size_name, sized, trips_name};
pub use region::{
    AccessKind, AccessSummary, ChangedNest, Clauses, Condition, DeviceCode, DevicePart, Expression, Handout, HostCode,
    HostPart, InLockstep, Input, Likely, LoopSummary, MapSummary, RegionSummary, VersionSummary,
};
pub use thesis::ThesisWork;
pub use thread_numbers::NUMBERS as NUMBERS_OF_THREADS;
