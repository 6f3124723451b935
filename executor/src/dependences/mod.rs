//! The judge of dependences: one thread runs a region in the order of the program, every two of its accesses that meet are found by
//! enumeration, and each must be what the dependence graph says: covered by a distance of its pair and by an edge, and carried by no loop
//! that is called parallel.

mod build;
mod check;
mod command;
mod conflicts;
mod join;
mod nests;
mod record;
mod runs;
mod shapes;
#[cfg(test)]
mod tests;
mod values;

pub use check::{Fate, Findings};
pub use command::{generated, inputs};
