//! What would make an access cost less.

use ipda_models::report::{AccessKind, Class, Loop, LoopKind, TransformationState};
use ipda_models::sizes::Sizes;
use ipda_models::versions::VersionState;

use super::{Group, terms};
use crate::explain::loop_name;
use crate::select::cost::{Cost, ancestors, is_index};
use crate::select::values::{Scope, Values};
use crate::view::counted;

impl Group<'_> {
    pub(super) fn advice(&self, cost: &Cost, values: &Values) -> Option<String> {
        if cost.weight() <= 0.0 {
            return None;
        }
        let waiting = self.versions_that_wait();
        let has = |state| waiting.clone().any(|version| version.state == state);
        match cost.class {
            Class::BankConflict => Some(
                "one element more in each row of the array, as tile[32][33], puts the words of a column into different banks"
                    .into(),
            ),
            Class::DataDependent if self.accesses.iter().any(|access| access.kind == AccessKind::Atomic) => Some(
                "a private copy of the array for each team, as a local array of the teams region, that its threads update and that is \
                 added to the common one at the end: then few updates meet in one place, and few go to global memory"
                    .into(),
            ),
            Class::DataDependent => Some(
                "sorting or grouping the indices, so that neighbouring threads use neighbouring elements; if the data are so already, nothing"
                    .into(),
            ),
            Class::Unknown => Some("writing the index so that it can be followed: see the reason under \"difference\"".into()),
            _ if has(VersionState::Left) => {
                Some("another order of the loops, which the plugin left alone: what stands in the way is told below".into())
            }
            _ if has(VersionState::Possible) => {
                let has_clause = waiting.clone().any(|version| version.clause.is_some());
                let clause = if has_clause { ", or the clause that is told below" } else { "" };
                Some(format!("letting the plugin change the loops (IPDA_TRANSFORM=on){clause}"))
            }
            _ => self.better_schedule().or_else(|| self.better_loop(values)).or_else(|| self.better_layout()),
        }
    }

    /// A schedule that does not give threads several iterations in a row.
    fn better_schedule(&self) -> Option<String> {
        let apart = |value: &str| {
            let factors = terms::split(value).into_iter().filter_map(|term| {
                term.text.strip_suffix("*[lane number]").and_then(|factor| factor.parse::<u64>().ok())
            });
            factors.max()
        };
        let moved = &self.accesses[0].moved;
        let apart = moved.iter().find_map(|moved| apart(&moved.value)).filter(|&apart| apart > 1)?;
        Some(format!(
            "neighbouring iterations for neighbouring threads: the schedule clause gives each thread {apart} in a row; leave it out"
        ))
    }

    /// A loop in which neighbouring iterations use neighbouring elements.
    fn better_loop(&self, values: &Values) -> Option<String> {
        let access = self.accesses[0];
        let step = |of: &Loop| {
            let at = |value| values.afresh().assumed(&access.address, &At { of, value }, Sizes::Counted);
            Some(at(1)? - at(0)?)
        };
        let around = ancestors(access, self.region);
        // Of loops that the plugin has looked at, it knows all orders.
        let refused = match &self.region.transformation {
            None => None,
            Some(change) if change.state == TransformationState::Left => Some(change.obstacles().next()?),
            Some(_) => return None,
        };
        let found = around.iter().find(|each| {
            each.kind == LoopKind::Sequential
                && access.moved.iter().all(|moved| !is_index(each, &moved.name))
                && step(each).is_some_and(|step| step.unsigned_abs() == u128::from(access.bytes))
        })?;
        let uses = format!("neighbouring iterations of the {} use neighbouring elements", loop_name(found));
        Some(match refused {
            None => format!(
                "{uses}: threads that share this loop, by collapse or by bringing it outward, would need few sectors"
            ),
            Some(reason) => {
                let why = crate::view::reason(reason, self.region);
                format!("{uses}, but the loops stay as they are, {why}; {}", reason.removal())
            }
        })
    }

    fn better_layout(&self) -> Option<String> {
        let access = self.accesses[0];
        let stride: u64 = access.stride.text.as_deref()?.trim_start_matches('-').parse().ok()?;
        (stride > access.bytes).then(|| {
            format!(
                "threads use {} of every {stride}: if these are members of structures, an array for each member; if it is a column, letting neighbouring threads go along the row",
                counted(access.bytes, "byte")
            )
        })
    }
}

/// One iteration number is set, the others are 0.
struct At<'a> {
    of: &'a Loop,
    value: i128,
}

impl Scope for At<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(if is_index(self.of, name) { self.value } else { 0 })
    }
}
