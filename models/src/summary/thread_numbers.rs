//! Regions without a loop that threads share, whose threads find their parts by their numbers:
//!
//! ```c
//! #pragma omp target teams num_teams(blocks) thread_limit(256)
//! #pragma omp parallel
//!   { int i = omp_get_team_num() * 256 + omp_get_thread_num(); if (i < n) y[i] += a * x[i]; }
//! ```
//!
//! They are as a loop over all threads, whose iteration `t` has the team `floor(t / threads)`: so they are summed up.

use ipda_symbolic::{Facts, Polynomial};

use super::expressions::{Expressions, Names};
use crate::report::{Condition, Hardware, Loop, LoopKind, Quantity, Region, RegionKind};

/// What expressions call what tells threads apart.
const TEAM: &str = "[omp_get_team_num]";
const TEAMS: &str = "[omp_get_num_teams]";
const THREAD: &str = "[thread number]";
const THREADS: &str = "[omp_get_num_threads]";
const LANE: &str = "[lane number]";
const WARP: &str = "[warp of team]";

/// The loop over threads.
const LOOP: &str = "threads";

/// What clang has a team consist of where no clause says it (`OMPGridValues.h`): 128 threads of NVIDIA's devices, whose warps have 32 lanes, and 256 of AMD's.
fn usual_threads(hardware: &Hardware) -> u32 {
    if hardware.warp_lanes > 32 { 256 } else { 128 }
}

/// Why regions have no prediction of which [`lacks_teams`] holds.
pub(super) const NO_TEAMS: &str =
    "its threads find their parts by their numbers, and no clause num_teams says how many teams there are";

/// Whether threads find their parts by their teams' numbers, and nobody says how many teams there are.
pub(super) fn lacks_teams(region: &Region) -> bool {
    shares_no_loop(region) && region.launch.num_teams.is_none() && texts(region).any(|text| text.contains(TEAM))
}

fn shares_no_loop(region: &Region) -> bool {
    let is_shared = |l: &Loop| l.kind != LoopKind::Sequential;
    region.kind != RegionKind::Kernel && !region.loops.iter().any(is_shared) && !region.accesses.is_empty()
}

/// The region with a loop over its threads, and what it is; none where threads share a loop, or nobody says how many teams there are.
pub(super) fn over_threads(region: &Region, hardware: &Hardware) -> Option<(Region, Expressions)> {
    if !shares_no_loop(region) {
        return None;
    }
    let names = |name: &str| texts(region).any(|text| text.contains(name));
    let has_teams = names(TEAM);
    let value = |asked: &Option<Quantity>| asked.as_ref().and_then(|asked| asked.value.clone());
    // One thread does what no thread has a number in.
    let is_parallel = has_teams || [THREAD, LANE, WARP].into_iter().any(names);
    let teams = match value(&region.launch.num_teams) {
        Some(teams) if is_parallel => teams,
        None if has_teams => return None,
        _ => "1".to_owned(),
    };
    let threads = match is_parallel {
        true => {
            let asked = (value(&region.launch.num_threads), value(&region.launch.thread_limit));
            match asked {
                (Some(threads), Some(limit)) if threads != limit => format!("min({threads}, {limit})"),
                (Some(threads), _) | (None, Some(threads)) => threads,
                (None, None) => usual_threads(hardware).to_string(),
            }
        }
        false => "1".to_owned(),
    };
    let mut region = region.clone();
    let own = Some(LOOP.to_owned());
    region.loops.iter_mut().filter(|l| l.parent.is_none()).for_each(|l| l.parent.clone_from(&own));
    region.accesses.iter_mut().filter(|access| access.in_loop.is_none()).for_each(|it| it.in_loop.clone_from(&own));
    let kind =
        if region.launch.num_teams.is_some() || has_teams { LoopKind::DistributeParallelFor } else { LoopKind::For };
    region.loops.insert(0, whole(&region, kind));
    let mut all = Expressions::of(&region);
    let mut read = |text: &str| all.names().read(text);
    let (Ok(teams), Ok(threads)) = (read(&teams), read(&threads)) else { return None };
    give_numbers(all.names(), &teams, &threads, hardware.warp_lanes);
    let mut all = all.filled(&region);
    all.loops[0].trips = Ok(&teams * &threads);
    Some((region, all))
}

fn whole(region: &Region, kind: LoopKind) -> Loop {
    Loop {
        id: LOOP.to_owned(),
        parent: None,
        kind,
        variable: None,
        index: None,
        location: Some(region.location.clone()),
        trips: Quantity { value: None, unknown: None },
        at_most: None,
        halved: None,
        schedule: None,
        sectors: None,
        accesses_without_count: 0,
        skewed: None,
    }
}

/// What is said of addresses, conditions and counts.
fn texts(region: &Region) -> impl Iterator<Item = &str> {
    let conditions = region.accesses.iter().flat_map(|access| &access.conditions);
    let conditions = conditions.filter_map(|condition| match condition {
        Condition::Holds { value } | Condition::HoldsNot { value } => Some(&value[..]),
        Condition::Long | Condition::NotFollowed | Condition::OneThread => None,
    });
    let counts = region.loops.iter().filter_map(|l| l.trips.value.as_deref());
    region.accesses.iter().map(|access| &access.address[..]).chain(conditions).chain(counts)
}

/// Says what the numbers of threads are, of an iteration of the loop over all of them.
fn give_numbers(names: &mut Names, teams: &Polynomial, threads: &Polynomial, lanes: u32) {
    let iteration = Polynomial::from(names.indices[0]);
    let lanes = Polynomial::constant(lanes);
    let space = names.space();
    let team = space.floor_div(&iteration, threads, &Facts::none());
    let number = &iteration - &(threads * &team);
    let warp = space.floor_div(&number, &lanes, &Facts::none());
    let lane = &number - &(&lanes * &warp);
    for (name, value) in
        [(TEAM, team), (THREAD, number), (WARP, warp), (LANE, lane), (TEAMS, teams.clone()), (THREADS, threads.clone())]
    {
        names.give(name, value);
    }
}
