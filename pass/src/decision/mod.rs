//! The decision between host and device where a region is launched.

mod launch;
mod permit;

pub(crate) use launch::{Choice, Support};
pub(crate) use permit::{Permit, Stay, permit};
