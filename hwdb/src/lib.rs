//! Hardware descriptions: one YAML file a device, every value with its unit and where it comes from.
//!
//! The entries of `entries/` are part of the program; a user's own file is read with [`Gpu::load`], [`Cpu::load`] or [`Link::load`]. A
//! value is a fact with its `source`, measured (`measured_by`, `method`), or an estimate with its `basis`; what nobody can say
//! is left out, or says why: `{unknown: "why"}`. A file that says `based_on: NAME` states only what differs from that entry.
//!
//! ```yaml
//! kind: gpu
//! name: toy
//! product: Toy GPU
//! processor: toy1 # as LLVM calls it
//! coalescing:
//!   warp_lanes: {value: 32, unit: lanes, source: "Toy GPU manual, page 3"}
//!   sector: {value: 32, unit: bytes, source: "Toy GPU manual, page 4"}
//!   line: {value: 128, unit: bytes, estimate: true, basis: "the line of the Toy GPU's predecessor"}
//!   banks: {value: 32, unit: banks, source: "Toy GPU manual, page 5"}
//!   bank_word: {value: 4, unit: bytes, source: "Toy GPU manual, page 5"}
//! memory:
//!   latency: {value: 420, unit: cycles, measured_by: "us, for this file", method: "pointer chase through 1 GiB"}
//! ```
#![forbid(unsafe_code)]

pub mod cpu;
mod device;
mod entry;
mod error;
pub mod gpu;
mod keys;
pub mod link;
mod reader;
mod schema;
mod section;
pub mod shape;
mod units;
mod value;

pub use cpu::{Cpu, CpuTarget, architectures, cpu_names, cpu_targets};
pub use device::Device;
pub use error::LoadError;
pub use gpu::{Gpu, names};
pub use link::{Link, link_names};
pub use schema::json_schema;
pub use units::{
    Banks, Blocks, ByThreads, Bytes, BytesPerCycle, BytesPerSecond, Capacity, Cores, Count, Counted, Cycles, Entries,
    Hertz, Lanes, Multiprocessors, Operations, PerCycle, Registers, Reserved, Schedulers, Seconds, Sockets, Threads,
    Times, Warps, Ways,
};
pub use value::{Evidence, Kind, Known, Missing, Parameter, Value};
