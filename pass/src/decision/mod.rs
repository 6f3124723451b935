//! The decision between host and device where a region is launched.

mod choices;
mod classes;
mod eligibility;
mod forms;
mod labels;
mod launch;
pub(crate) mod launch_plan;
mod opposites;
mod parts;
mod places;
pub(crate) mod read_only;
mod shared_loops;
mod structural_hash;
mod support;
pub(crate) mod table;
mod teams;
mod ways;

pub(crate) use eligibility::{Eligible, Ineligible, eligibility};
pub(crate) use launch::{Choice, Offered};
pub(crate) use structural_hash::structural_hash_of;
pub(crate) use support::{Support, has_floating_point, is_known_host};
pub(crate) use teams::ask_for_teams;

use ipda_models::report::{OnHost, Reject};

/// What the report says of a region.
pub(crate) fn in_report(eligibility: &Result<Eligible, Ineligible>) -> OnHost {
    let reason = eligibility.as_ref().err();
    let reason = reason.map(|stay| Reject { name: stay.name().into(), reason: stay.to_string(), location: None });
    OnHost { may_run: reason.is_none(), reason }
}
