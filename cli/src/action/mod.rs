//! What to do about a region: a remedy for each thing that costs it time, the most urgent first; else that nothing is to be done, and why.

mod advice;
mod loops;
mod rejects;
mod remedy;
mod shape;

use ipda_models::report::{Access, Class, MemoryKind, Region, Report};

use crate::select::cost::Cost;
use crate::select::values::Values;

pub use advice::{Place, advice};
pub use rejects::of_reject_or_where;
pub use remedy::{Action, Rule, State};

use remedy::Traffic;

/// Accesses that waste less of their region's traffic are not worth a sentence of their own.
const MIN_SHARE: f64 = 0.05;

/// What there is to do about a region; there is always an answer, and the first is the most urgent.
pub fn of_region(region: &Region, report: &Report, values: &Values) -> Vec<Action> {
    let values = &values.afresh();
    let traffic = Traffic::of(region, report, values);
    let mut found = Vec::new();
    found.extend(shape::idle_teams(region));
    found.extend(loops::of_versions(region, &traffic));
    found.extend(of_accesses(region, report, values, &traffic));
    found.extend(shape::atomics(region));
    found.extend(shape::few_iterations(region, &found));
    found.extend(shape::maps(region));
    found.extend(shape::not_understood(region));
    // Stable: what comes first above comes first among its like.
    found.sort_by_key(|action| action.state);
    if found.is_empty() {
        found.push(shape::nothing(region, report, values));
    }
    found
}

/// Remedies for single accesses, the costliest first, each once.
fn of_accesses(region: &Region, report: &Report, values: &Values, traffic: &Traffic) -> Vec<Action> {
    let mut costly: Vec<(&Access, Cost, f64)> = region
        .accesses
        .iter()
        .map(|access| {
            let cost = Cost::of(access, region, &report.hardware, values);
            let weight = cost.weight();
            (access, cost, weight)
        })
        .filter(|(.., weight)| *weight > 0.0)
        .collect();
    costly.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut found: Vec<Action> = Vec::new();
    for (access, cost, weight) in costly {
        let is_open = matches!(cost.class, Class::DataDependent | Class::Unknown);
        let is_shared = access.memory == MemoryKind::Shared;
        if !is_open && !is_shared && weight < MIN_SHARE * traffic.excess {
            continue;
        }
        let Some(advice) = advice(&Place { access, region, report }, &cost, values) else { continue };
        if let Some(same) = found.iter_mut().find(|other| other.rule == advice.rule && other.text == advice.short) {
            same.add(access);
            continue;
        }
        let location = access.location.as_ref().unwrap_or(&region.location);
        let worth = traffic.worth.clone().filter(|_| advice.rule == Rule::Uncoalesced && found.is_empty());
        let action = Action::new(advice.state, advice.rule, location, advice.short).worth(worth);
        found.push(Action { accesses: vec![access.id.clone()], ..action });
    }
    found
}
