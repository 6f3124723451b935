//! The decision between host and device where a region is launched.

mod classes;
mod labels;
mod launch;
pub(crate) mod launch_plan;
mod likeness;
mod permit;
pub(crate) mod read_only;
mod support;
pub(crate) mod table;
mod teams;

pub(crate) use launch::{Choice, Offered};
pub(crate) use likeness::likeness_of;
pub(crate) use permit::{Permit, Stay, permit};
pub(crate) use support::{Support, has_floating_point, is_known_host};
pub(crate) use teams::ask_for_teams;

use ipda_models::report::{OnHost, Reject};

/// What the report says of a region.
pub(crate) fn in_report(permit: &Result<Permit, Stay>) -> OnHost {
    let reason = permit.as_ref().err();
    let reason = reason.map(|stay| Reject { name: stay.name().into(), reason: stay.to_string(), location: None });
    OnHost { may_run: reason.is_none(), reason }
}
