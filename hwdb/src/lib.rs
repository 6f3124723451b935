//! Hardware descriptions: one YAML file a device, every value with its unit and the document it comes from.
//!
//! The entries of `entries/` are part of the program; a user's own file is read with [`Gpu::load`]. A value that no public
//! document states is marked `estimate: true` and gives its `basis` instead of a `source`:
//!
//! ```yaml
//! name: toy
//! product: Toy GPU
//! processor: toy1 # as LLVM calls it
//! warp_lanes: {value: 32, unit: lanes, source: "Toy GPU manual, page 3"}
//! sector: {value: 32, unit: bytes, source: "Toy GPU manual, page 4"}
//! line: {value: 128, unit: bytes, estimate: true, basis: "the line of the Toy GPU's predecessor"}
//! banks: {value: 32, unit: banks, source: "Toy GPU manual, page 5"}
//! bank_word: {value: 4, unit: bytes, source: "Toy GPU manual, page 5"}
//! ```
#![forbid(unsafe_code)]

mod cpu;
mod error;
mod gpu;
mod quantity;

pub use cpu::{Cpu, architectures};
pub use error::LoadError;
pub use gpu::{Gpu, names};
pub use quantity::{Bytes, Estimate};
