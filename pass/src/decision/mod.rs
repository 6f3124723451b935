//! The decision between host and device where a region is launched.

mod launch;
mod likeness;
mod permit;

pub(crate) use launch::{Choice, Support};
pub(crate) use likeness::likeness_of_region;
pub(crate) use permit::{Permit, Stay, permit};
