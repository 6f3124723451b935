//! Other loops, or another order of them.

use ipda_models::report::{
    Access, Dependence, DependenceKind, Directions, Location, NamedLoop, Names, ObstacleKind, Reason, Region,
    TransformationState,
};
use ipda_models::sizes::Sizes;
use ipda_models::versions::{DeviceVersion, VersionState};

use super::remedy::{Action, Rule, State, Traffic};
use crate::words::grouped;
use crate::words::terms::has_word;
use crate::words::{and, is_for_threads};

/// What each version of the loops, and each thing that stands in its way, asks for.
pub fn of_versions(region: &Region, traffic: &Traffic) -> Vec<Action> {
    let Some(change) = &region.transformation else { return Vec::new() };
    let mut found: Vec<Action> = Vec::new();
    for version in &change.versions {
        let is_other = |other: &&DeviceVersion| other.is_right() && other.is_of_nest_of(version);
        match version.state {
            VersionState::Made => found.push(made(version, region)),
            VersionState::Possible => found.push(possible(version, region, traffic)),
            VersionState::Left if change.versions.iter().any(|other| is_other(&other)) => {}
            VersionState::Left => found.extend(left(version, region, traffic)),
        }
    }
    if change.versions.is_empty() && change.state == TransformationState::Left && traffic.excess > 0.0 {
        found.extend(change.reasons.first().map(|reason| {
            let text = format!("{}; then the plugin can look for better loops", in_short(reason, region));
            Action::new(State::Todo, Rule::LoopOrder, place_of(reason, region), text).worth(traffic.worth.clone())
        }));
    }
    found
}

/// `collapse(2) over i and j`, `loops x and y interchanged in collapse(2)`.
fn what_is_done(version: &DeviceVersion, region: &Region) -> String {
    if let Some(arrays) = version.recipe.promoted_arrays() {
        return format!("values of {} kept in registers", and(arrays));
    }
    let names = Names::of(region);
    let order: Vec<String> = version.recipe.threads().iter().map(|named| names.of_loop(named)).collect();
    // One of them may stand for several that the program's own clause collapses.
    let count = order.iter().flat_map(|names| names.split(", ")).count();
    if !version.recipe.lanes().is_empty() || version.recipe.digits_in_words().is_some() {
        return format!("loops {} {}{}", and(&order), version.recipe.participle(), version.recipe.tiles_in_words());
    }
    if version.recipe.is_order_of_collapsed() {
        return match &order[..] {
            [one, other] => format!("loops {other} and {one} interchanged in collapse(2)"),
            order => format!("loops of collapse({count}) in the order {}", order.join(", ")),
        };
    }
    let order_of_loops = if version.recipe.is_interchange() { "in the order" } else { "over" };
    let list = if version.recipe.is_interchange() { order.join(", ") } else { and(&order) };
    format!("collapse({count}) {order_of_loops} {list}")
}

fn made(version: &DeviceVersion, region: &Region) -> Action {
    let gain = gain(version, region).map(|gain| format!(" ({gain})")).unwrap_or_default();
    let text = format!("{}{gain}", what_is_done(version, region));
    let action = Action::new(State::Done, Rule::LoopOrder, &region.location, text);
    let conditions = crate::fix::rests::conditions(region, version);
    let only_where = match &conditions[..] {
        [] => String::new(),
        conditions => format!(", if {}", crate::fix::rests::words(conditions)),
    };
    let in_source =
        version.clause.as_ref().map(|clause| format!("{}{only_where}", imperative(version, clause, region)));
    Action { in_source, ..action }
}

fn possible(version: &DeviceVersion, region: &Region, traffic: &Traffic) -> Action {
    let text = match &version.clause {
        Some(clause) => imperative(version, clause, region),
        None => format!("let the plugin change the loops (IPDA_TRANSFORM=on): {}", what_is_done(version, region)),
    };
    let worth = traffic.worth.clone().or_else(|| gain(version, region));
    Action::new(State::Todo, Rule::LoopOrder, &region.location, text).worth(worth)
}

/// `swap x and y in collapse(2)`, `add collapse(2) to the directive`.
fn imperative(version: &DeviceVersion, clause: &str, region: &Region) -> String {
    let names = Names::of(region);
    let order: Vec<String> = version.recipe.threads().iter().map(|named| names.of_loop(named)).collect();
    match &order[..] {
        [one, other] if version.recipe.is_order_of_collapsed() => format!("swap {other} and {one} in collapse(2)"),
        _ => names.in_text(clause),
    }
}

fn left(version: &DeviceVersion, region: &Region, traffic: &Traffic) -> Option<Action> {
    let reason = version.reasons.first()?;
    // Loops that a directive makes, as tile does, are not in the source.
    let is_made = |named: &NamedLoop| region.loops.iter().any(|each| named.is(each) && each.variable.is_none());
    if reason.obstacle_to_mend() == ObstacleKind::CountUnknown && version.recipe.threads().iter().any(is_made) {
        return None;
    }
    let then = match reason.obstacle_to_mend() {
        // What helps there are other loops than these.
        ObstacleKind::Dependence
        | ObstacleKind::CarriedValue
        | ObstacleKind::ValueUsedBehind
        | ObstacleKind::Exit
        | ObstacleKind::CountByData => String::new(),
        _ if reason.dependence.is_some() => String::new(),
        // Nobody has proven it without that reason, and there may be others.
        _ => format!("; then {} may be possible", what_is_done(version, region)),
    };
    let text = format!("{}{then}", in_short(reason, region));
    let action = Action::new(State::Todo, Rule::LoopOrder, place_of(reason, region), text);
    Some(action.worth(traffic.worth.clone().or_else(|| gain(version, region))))
}

/// What would remove an obstacle, in a line; `ipda explain` has all of it.
fn in_short(reason: &Reason, region: &Region) -> &'static str {
    if let Some(separation) = reason.dependence.as_deref().and_then(Dependence::separation) {
        return separation;
    }
    match (reason.dependence.as_deref(), reason.obstacle) {
        (Some(found), _) if may_be_sum(found, region) => {
            "let the threads of a team share the inner loop by parallel for reduction, if it adds up a value"
        }
        (Some(found), _) if found.kind == DependenceKind::Anti && !is_of_one_place(found) => {
            "bring another loop outward, or write to a second array: iterations overwrite what others read"
        }
        (Some(found), _) if found.certain => "bring another loop outward: iterations need each other's results",
        (Some(_), _) | (None, ObstacleKind::Dependence) => {
            "bring another loop outward: iterations may need each other's results"
        }
        (None, ObstacleKind::CarriedValue) => {
            "let the threads of a team share the inner loop by parallel for reduction, if it adds up a value that is \
             used behind that loop alone; else declare the variable inside the loop"
        }
        _ => reason.removal(),
    }
}

/// Whether both ends are one place of the source, as those of an update are.
fn is_of_one_place(found: &Dependence) -> bool {
    found.source.location.is_some() && found.source.location == found.sink.location
}

/// Whether an update may add up a value over the loop whose iterations need each other: in each it is of the same element.
fn may_be_sum(found: &Dependence, region: &Region) -> bool {
    let Some(carrying) = found.steps.iter().find(|step| step.direction != Directions::Equal) else { return false };
    let is_it = |access: &&Access| access.location == found.source.location && access.kind == found.source.access;
    let name = &carrying.of.name;
    let names = [name.clone(), format!("#{name}")];
    let stays =
        |access: &Access| !access.address.contains("load") && !names.iter().any(|name| has_word(&access.address, name));
    is_of_one_place(found) && region.accesses.iter().filter(is_it).all(stays)
}

fn place_of<'a>(reason: &'a Reason, region: &'a Region) -> &'a Location {
    reason.locations.first().unwrap_or(&region.location)
}

/// `9 sectors a warp instead of 68`, and what that is counted for.
fn gain(version: &DeviceVersion, region: &Region) -> Option<String> {
    let gain = version.gain.as_ref()?;
    let is_number = |trips: &str| trips.parse::<u64>().is_ok();
    let is_known = region.loops.iter().all(|each| each.trips.value.as_deref().is_some_and(is_number));
    let sizes = if is_known { String::new() } else { format!(", with {}", Sizes::Compared) };
    let threads = format!("{} threads instead of {}", grouped(gain.threads_after), grouped(gain.threads_before));
    Some(match is_for_threads(gain) {
        true => format!("{threads}{sizes}"),
        false => format!("{} sectors a warp instead of {}{sizes}", gain.sectors_after, gain.sectors_before),
    })
}
