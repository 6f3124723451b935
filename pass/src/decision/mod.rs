//! The decision between host and device where a region is launched.

mod code;
mod launch;
mod likeness;
mod permit;
mod stand_in;
pub(crate) mod table;

pub(crate) use launch::{Choice, Offered, Support};
pub(crate) use likeness::likeness_of_region;
pub(crate) use permit::{Permit, Stay, permit};
use stand_in::{closed_form, machine_values};
