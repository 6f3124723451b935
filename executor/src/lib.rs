//! Runs the kernels of a device module on the CPU, for every team and thread, and records what every warp touches.
//!
//! It is the judge of the project: of predicted memory transactions, because it counts those that happen, and of transformed kernels,
//! because it runs them in several thread orders, looks for races, and compares results.

pub mod arguments;
mod batch;
pub mod dependences;
mod extent;
pub mod fuzz;
pub mod generate;
pub mod interpreter;
pub mod judge;
pub mod limited;
mod llvm;
pub mod load;
pub mod mappings;
pub mod memory;
pub mod oracle;
pub mod phases;
pub mod predict;
pub mod program;
pub mod race;
mod random;
pub mod record;
mod source_text;
pub mod source_types;
pub mod subject;
pub mod trace;
pub mod transform;
mod translate;
pub mod trial;
