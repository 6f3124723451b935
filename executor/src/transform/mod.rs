//! The judge of the transformation: every kernel of a device module runs as it was written and as the plugin has changed it, on the same
//! memory, and must leave the same behind, bit by bit, without races and accesses out of bounds that it did not have. What has been
//! changed, and how, is not looked at.

mod build;
mod claims;
mod command;
mod mutant;
mod nests;
mod pair;
mod products;
mod recovery;
mod runs;
mod sectors;
mod setups;
#[cfg(test)]
mod tests;

pub use build::{ATOMICS, POINTERS, PRODUCTS};
pub use command::{generated, inputs, show};
pub use pair::{Code, Pair};
pub use recovery::recovery;
pub(crate) use runs::{Effort, Results, judge};
pub use runs::{Findings, Overlap, Setup};
pub use sectors::sectors;
pub(crate) use sectors::table;
pub(crate) use setups::{Aliases, of_parameters};
