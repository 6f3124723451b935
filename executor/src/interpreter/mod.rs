//! The interpreter of kernels: teams of warps of lanes, over one memory.
//!
//! In [`Order::Warps`] the lanes of a warp execute together, as on a GPU; of lanes that took different ways those that are furthest back
//! in the program run first, until they meet again. In the other orders each thread runs by itself until it must wait, which shows what the
//! order of threads would hide.

mod access;
mod arithmetic;
mod compute;
mod context;
mod control;
mod gang;
mod launch;
mod memory_access;
mod output;
mod special;
mod step;
mod synchronise;
mod team;

pub use crate::extent::Extent;
pub use launch::{Fault, FaultKind, Launch, MAX_STEPS, Observer, Order, Outcome, Races, WarpAccess, WarpBranch};
pub(crate) use special::Special;
pub(crate) use team::{LAUNCH_ENVIRONMENT, REDUCTION_BUFFER};

use crate::memory::{Memory, VARIABLES};
use crate::program::{Kernel, Program};
use ipda_models::report::Location;

/// Runs a kernel over a memory. `arguments` are the values of its parameters, without the hidden first one of a target region.
pub fn launch(
    program: &Program,
    kernel: &Kernel,
    arguments: &[u64],
    memory: &mut Memory,
    launch: &Launch,
    observer: Option<&mut (dyn Observer + '_)>,
) -> Result<Outcome, Fault> {
    team::launch(program, kernel, arguments, memory, launch, observer)
}

/// A program's variables, as they are before the first launch. To be called once for a memory.
pub fn load_variables(program: &Program, memory: &mut Memory) {
    for global in program.globals.iter().filter(|global| global.window.is_none()) {
        let buffer = memory.allocate_in(VARIABLES, &global.name, global.bytes.len() as u64, 0);
        debug_assert_eq!(memory.address(buffer), global.address);
        memory.contents_mut(buffer).copy_from_slice(&global.bytes);
        if !global.is_readable {
            memory.release(buffer);
        }
    }
}

/// Names the place of an operation for people.
pub fn place_text(place: &[Location]) -> String {
    place.first().map_or_else(|| "an unknown place".to_owned(), ToString::to_string)
}
