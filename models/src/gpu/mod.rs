//! How long a kernel takes on a GPU.
//!
//! [`hong_kim`] is the published model, as it is. [`extended`] is ours, for GPUs with caches and several schedulers.
//! [`geometry`] says how many teams and threads OpenMP's runtime starts, and [`occupancy`] how many of them run at a time.

pub mod extended;
pub mod geometry;
pub mod hong_kim;
mod machine;
pub mod occupancy;
pub mod thesis;
mod work;

pub use machine::{ClassCost, GpuMachine, L1, L2, Memory, Pipe, Reduction, Tlb};
pub use work::{Access, AccessKind, Apart, ApartBy, Footprint, Loop, Work};
