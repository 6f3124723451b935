//! From flat functions to what is known of them: addresses as algebra, regions with strides, dependences, finished code, what is written.

pub(crate) mod allocations;
pub(crate) mod comparison;
pub mod dependences;
pub(crate) mod effects;
pub(crate) mod finished;
pub(crate) mod lower;
pub(crate) mod maps;
pub(crate) mod names;
pub(crate) mod region;
pub(crate) mod written;
