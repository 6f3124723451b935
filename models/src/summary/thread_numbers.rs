//! Regions without a loop that threads share, whose threads find their parts by their numbers:
//!
//! ```c
//! #pragma omp target teams num_teams(blocks) thread_limit(256)
//! #pragma omp parallel
//!   { int i = omp_get_team_num() * 256 + omp_get_thread_num(); if (i < n) y[i] += a * x[i]; }
//! ```
//!
//! They are as a loop over all threads, whose iteration `t` has the team `floor(t / threads)`: so they are summed up. Where `distribute` gives each team
//! iterations of a loop, and a parallel region in it has no loop, that region is as a loop over the threads of a team.

use std::collections::BTreeSet;

use ipda_symbolic::{Facts, Polynomial};

use super::expressions::{Expressions, Names};
use crate::report::{Access, Condition, Hardware, Loop, LoopKind, Quantity, Region, RegionKind};

/// What expressions call what tells threads apart.
const TEAM: &str = "[omp_get_team_num]";
const TEAMS: &str = "[omp_get_num_teams]";
const THREAD: &str = "[thread number]";
const THREADS: &str = "[omp_get_num_threads]";
const LANE: &str = "[lane number]";
const WARP: &str = "[warp of team]";

/// What finished code calls them.
const CODE_TEAM: &str = "[blockIdx.x]";
const CODE_TEAMS: &str = "[gridDim.x]";
const CODE_THREAD: &str = "[threadIdx.x]";
const CODE_THREADS: &str = "[blockDim.x]";

/// What says in expressions which thread it is, and of how many: whoever has no loop that threads share knows its part by them alone.
pub const NUMBERS: [&str; 10] =
    [TEAM, TEAMS, THREAD, THREADS, LANE, WARP, CODE_TEAM, CODE_TEAMS, CODE_THREAD, CODE_THREADS];

/// Those of a thread in its team.
const OF_THREADS: [&str; 3] = [THREAD, LANE, WARP];

/// The loop over threads.
const LOOP: &str = "threads";

/// The loop over the threads of a team.
const OF_TEAM: &str = "threads of a team";

/// What clang has a team consist of where no clause says it (`OMPGridValues.h`): 128 threads of NVIDIA's devices, whose warps have 32 lanes, and 256 of AMD's.
pub(super) fn usual_threads(hardware: &Hardware) -> u32 {
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

/// The region with a loop over its threads, and what it is, with what a prediction notes of it; none where threads share a loop, or nobody says how many
/// teams there are.
pub(super) fn over_threads(region: &Region, hardware: &Hardware) -> Option<(Region, Expressions, &'static str)> {
    const OF_ALL: &str = "no loop is shared: each thread that clauses ask for is as an iteration of one";
    const OF_TEAMS: &str = "the threads of a team share no loop: each that a clause asks for is as an iteration of one";
    let noted = |note| move |(region, expressions)| (region, expressions, note);
    match shares_no_loop(region) {
        true => over_all_threads(region, hardware).map(noted(OF_ALL)),
        false => over_threads_of_team(region, hardware).map(noted(OF_TEAMS)),
    }
}

fn over_all_threads(region: &Region, hardware: &Hardware) -> Option<(Region, Expressions)> {
    let names = |name: &str| texts(region).any(|text| text.contains(name));
    let has_teams = names(TEAM);
    // One thread does what no thread has a number in.
    let is_parallel = has_teams || OF_THREADS.into_iter().any(names);
    let teams = match value(&region.launch.num_teams) {
        Some(teams) if is_parallel => teams,
        None if has_teams => return None,
        _ => "1".to_owned(),
    };
    let threads = match is_parallel {
        true => {
            let asked = (value(&region.launch.num_threads), value(&region.launch.thread_limit));
            match asked {
                (Some(threads), Some(limit)) => least(threads, limit),
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
    region.loops.insert(0, whole(&region, LOOP, kind));
    let mut all = Expressions::of(&region);
    let mut read = |text: &str| all.names().read(text);
    let (Ok(teams), Ok(threads)) = (read(&teams), read(&threads)) else { return None };
    let iteration = Polynomial::from(all.names().indices[0]);
    let team = all.names().space().floor_div(&iteration, &threads, &Facts::none());
    let number = &iteration - &(&threads * &team);
    give_numbers_in_team(&region, all.names(), number, &threads, hardware.warp_lanes);
    let of_code = [(CODE_TEAM, team.clone()), (CODE_TEAMS, teams.clone())];
    let named = [(TEAM, team), (TEAMS, teams.clone())];
    named.into_iter().chain(of_code).for_each(|(name, value)| give(&region, all.names(), name, &value));
    let mut all = all.filled(&region);
    all.loops[0].trips = Ok(&teams * &threads);
    Some((region, all))
}

/// Where teams share the iterations of a loop, and threads none, but find their parts by their numbers in a team: each iteration of the teams has a
/// loop over the threads that are at work.
fn over_threads_of_team(region: &Region, hardware: &Hardware) -> Option<(Region, Expressions)> {
    let of_teams = loop_of_teams(region)?;
    let mut region = region.clone();
    let at = insert_loop_of_team(&mut region, of_teams)?;
    let mut all = Expressions::of(&region);
    let threads = all.names().read(&threads_at_work(&region, hardware)).ok()?;
    let number = Polynomial::from(all.names().indices[at]);
    give_numbers_in_team(&region, all.names(), number, &threads, hardware.warp_lanes);
    let mut all = all.filled(&region);
    all.loops[at].trips = Ok(threads);
    Some((region, all))
}

/// The loop that teams share, where threads share none, but have parts by their numbers.
fn loop_of_teams(region: &Region) -> Option<String> {
    let mut shared = region.loops.iter().filter(|l| l.kind != LoopKind::Sequential);
    let of_teams = shared.next().filter(|l| l.kind == LoopKind::Distribute)?;
    let names_thread = texts(region).any(|text| OF_THREADS.into_iter().any(|name| text.contains(name)));
    let is_meant = region.kind != RegionKind::Kernel && shared.next().is_none() && names_thread;
    is_meant.then(|| of_teams.id.clone())
}

/// A parallel region inside of `distribute` takes so many of the threads that are there.
fn threads_at_work(region: &Region, hardware: &Hardware) -> String {
    let limit = value(&region.launch.thread_limit).unwrap_or_else(|| usual_threads(hardware).to_string());
    match value(&region.launch.num_threads) {
        Some(threads) => least(threads, limit),
        None => limit,
    }
}

/// Puts a loop over a team's threads into the loop that teams share, around all that is in it and that not one thread does alone; its place.
fn insert_loop_of_team(region: &mut Region, of_teams: String) -> Option<usize> {
    let own = Some(OF_TEAM.to_owned());
    let is_of_teams = |id: &Option<String>| id.as_ref() == Some(&of_teams);
    region.loops.iter_mut().filter(|l| is_of_teams(&l.parent)).for_each(|l| l.parent.clone_from(&own));
    let by_one = |access: &Access| access.conditions.iter().any(|condition| matches!(condition, Condition::OneThread));
    let of_all = region.accesses.iter_mut().filter(|access| is_of_teams(&access.in_loop) && !by_one(access));
    of_all.for_each(|access| access.in_loop.clone_from(&own));
    let device = region.resources.iter_mut().flat_map(|code| &mut code.loops).map(|code| &mut code.place);
    let host = region.host_code.iter_mut().flat_map(|code| &mut code.loops).map(|code| &mut code.place);
    device.chain(host).filter(|place| is_of_teams(&place.shared)).for_each(|place| place.shared.clone_from(&own));
    let at = region.loops.iter().position(|l| l.id == of_teams)? + 1;
    let inner = Loop { parent: Some(of_teams), ..whole(region, OF_TEAM, LoopKind::For) };
    region.loops.insert(at, inner);
    Some(at)
}

fn value(asked: &Option<Quantity>) -> Option<String> {
    asked.as_ref().and_then(|asked| asked.value.clone())
}

fn least(one: String, other: String) -> String {
    if one == other { one } else { format!("min({one}, {other})") }
}

fn whole(region: &Region, id: &str, kind: LoopKind) -> Loop {
    Loop {
        id: id.to_owned(),
        parent: None,
        kind,
        variable: None,
        index: None,
        location: Some(region.location.clone()),
        trips: Quantity { value: None, unknown: None },
        at_most: None,
        halved: None,
        likely: None,
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
    let counts = counts.chain(region.loops.iter().filter_map(|l| Some(&l.likely.as_ref()?.of[..])));
    region.accesses.iter().map(|access| &access.address[..]).chain(conditions).chain(counts)
}

/// Says what the numbers of threads are, of a thread's number in its team.
fn give_numbers_in_team(region: &Region, names: &mut Names, number: Polynomial, threads: &Polynomial, lanes: u32) {
    let lanes = Polynomial::constant(lanes);
    let warp = names.space().floor_div(&number, &lanes, &Facts::none());
    let lane = &number - &(&lanes * &warp);
    let of_code = [(CODE_THREAD, number.clone()), (CODE_THREADS, threads.clone())];
    let named = [(THREAD, number), (WARP, warp), (LANE, lane), (THREADS, threads.clone())];
    for (name, value) in named.into_iter().chain(of_code) {
        give(region, names, name, &value);
    }
}

/// Says what a number of threads is, of each call that the program makes for it: `[omp_get_num_threads.2]` is the second one.
fn give(region: &Region, names: &mut Names, name: &str, value: &Polynomial) {
    let stem = format!("{}.", name.trim_end_matches(']'));
    let of_calls =
        texts(region).flat_map(|text| text.match_indices(&stem[..]).map(|(at, _)| &text[at..])).filter_map(|text| {
            let (number, _) = text[stem.len()..].split_once(']')?;
            number.bytes().all(|digit| digit.is_ascii_digit()).then(|| format!("{stem}{number}]"))
        });
    let all: BTreeSet<String> = of_calls.chain([name.to_owned()]).collect();
    all.iter().for_each(|name| names.give(name, value.clone()));
}
