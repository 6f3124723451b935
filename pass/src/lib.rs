//! `libipda.so`: an LLVM 19 pass plugin that finds OpenMP target regions, reports how their memory accesses coalesce, changes their loops, and lets
//! their launches choose between host and device.
//!
//! The order of the work: `openmp` finds the regions, makes one function of each and decodes what OpenMP makes of the loops, `analysis` turns
//! addresses into algebra and asks `ipda-symbolic` for strides, transactions and dependences, `transform` changes loops, `decision` lets launches
//! choose, and `output` reports by remarks, by a file, and as text for tests. `driver` says what happens when; [`report`] and its like do
//! the same for a program that holds a module, such as the executor. `ARCHITECTURE.md` says which of these layers may use which.
//!
//! There is no `unsafe` here: LLVM is reached through `ipda-llvm`.

#![deny(unsafe_code)]

mod analysis;
mod common;
mod decision;
mod driver;
mod facts;
mod openmp;
mod output;
mod transform;

pub use analysis::dependences;
pub use common::budget::limit_steps;
pub use driver::{
    Counted, FusedKernel, LoopRequest, dependences, dependences_with_times, empty_report, fuse_loops, give_back_nests,
    overlap_iterations, report,
};
pub use openmp::called_from;
pub use openmp::outline::{DeviceKernel, device_kernels};

use ipda_llvm::{Plugin, PluginInfo};

/// What LLVM asks a pass plugin for.
#[allow(unsafe_code)] // the name is LLVM's, and no other function has it
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    Plugin { run: driver::run, check_parameters: driver::check_parameters }.info(VERSION)
}
