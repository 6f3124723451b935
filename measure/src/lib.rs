//! Micro-benchmarks of the machine that they run on, and a hardware description with what they found.
//!
//! The costs of OpenMP are those of the libomp that is found at run time; a GPU is asked through the driver's library. What cannot be
//! measured here is left unknown, with the reason.

mod chase;
mod clock;
mod cpu;
mod cuda;
mod devices;
mod entry;
mod environment;
mod gpu;
mod library;
mod machine;
mod openmp;
mod pages;
mod samples;
mod stream;
mod threads;

pub use cpu::{Effort, measure_cpu};
pub use devices::{CudaDriver, GpuDevice};
pub use environment::variable;
pub use gpu::GpuBench;
pub use library::Library;
pub use machine::{Cache, Machine};
