//! Which level of the memory gives what, and how long a warp waits for it.
//!
//! Reuse is found as in [`crate::reuse`]. Data that several warps of a team, or several teams, touch in the same iteration is reused
//! too, with what the body touches as working set. Working sets are those of all accesses that share the cache: in L1 the teams
//! of one multiprocessor that run at a time, in L2 those of all.

use super::Spread;
use crate::gpu::{Access, AccessKind, GpuMachine, Work};
use crate::quantity::{Bytes, Cycles};
use crate::reuse::{Carried, fetched};

/// What moves, and how long a warp waits for it.
pub(super) struct Traffic {
    /// What one warp asks L1 for in one iteration of the parallel loop.
    pub(super) l1_of_warp: Bytes,
    /// What goes between all L1 and the L2 while the kernel runs.
    pub(super) from_l2: Bytes,
    /// What goes between L2 and memory.
    pub(super) from_memory: Bytes,
    /// How long a warp waits in one iteration of the parallel loop, if it waits for each access on its own.
    pub(super) wait: Cycles,
}

impl Traffic {
    pub(super) fn of(machine: &GpuMachine, work: &Work, spread: &Spread) -> Traffic {
        let sets = WorkingSets::of(work, spread);
        let taken = spread.teams_at_a_time * work.needs.shared as f64 * machine.l1.taken_by_shared;
        let l1_capacity = (machine.l1.capacity.get() - taken).max(0.0);
        let mut all =
            Traffic { l1_of_warp: Bytes::ZERO, from_l2: Bytes::ZERO, from_memory: Bytes::ZERO, wait: Cycles::ZERO };
        let beyond_tlb = beyond_tlb(machine, work);
        for access in &work.accesses {
            let in_l1 = if access.kind == AccessKind::Load { l1_capacity } else { 0.0 };
            let asked = access.executions() * access.sectors * machine.sector.get();
            let team_fetches = from_l2_by_team(access, asked * spread.warps_of_team, &sets, in_l1);
            let all_fetch = team_fetches * spread.warp_iterations / spread.warps_of_team;
            let memory = from_memory(access, all_fetch, spread, &sets, machine.l2.capacity.get());
            all.l1_of_warp += Bytes::new(asked);
            all.from_l2 += Bytes::new(all_fetch);
            all.from_memory += Bytes::new(memory);
            if access.kind == AccessKind::Store || spread.warp_iterations == 0.0 {
                continue;
            }
            let warp_fetches = from_l2_by_warp(access, asked, &sets, in_l1);
            let behind_l1 = waits(access, machine, warp_fetches).min(access.executions());
            let behind_l2 = waits(access, machine, memory / spread.warp_iterations).min(behind_l1);
            let memory_latency = machine.memory.latency + beyond_tlb;
            // The sectors of one access come one after another.
            let departures = machine.sector * (access.sectors - 1.0).max(0.0) / machine.l1.throughput;
            all.wait += machine.l1.latency * (access.executions() - behind_l1)
                + machine.l2.latency * (behind_l1 - behind_l2)
                + memory_latency * behind_l2
                + departures * access.executions();
        }
        all
    }
}

/// How many accesses of a warp wait for that many bytes from further away: one for all sectors that are fetched in step.
fn waits(access: &Access, machine: &GpuMachine, bytes: f64) -> f64 {
    bytes / machine.sector.get() / access.in_step.clamp(1.0, access.sectors.max(1.0))
}

/// What loads that go to memory wait longer, since addresses are translated for more memory than the buffer covers.
fn beyond_tlb(machine: &GpuMachine, work: &Work) -> Cycles {
    let touched: f64 = work.accesses.iter().map(|access| access.total).sum();
    match machine.memory.tlb {
        Some(tlb) if touched > tlb.reach.get() => tlb.miss * (1.0 - tlb.reach.get() / touched),
        _ => Cycles::ZERO,
    }
}

/// What is touched while the loops outside of a depth stand still, by depth, the whole nest first and the innermost body last.
struct WorkingSets {
    l1: Vec<f64>,
    l2: Vec<f64>,
}

impl WorkingSets {
    fn of(work: &Work, spread: &Spread) -> WorkingSets {
        let deepest = work.accesses.iter().map(|access| access.loops.len()).max().unwrap_or(0);
        let sum = |depth, teams| work.accesses.iter().map(|access| set_aside(access, depth, teams)).sum();
        let by_depth = |teams: f64| (0..=deepest).map(|depth| sum(depth, teams)).collect();
        WorkingSets { l1: by_depth(spread.teams_at_a_time), l2: by_depth(spread.all_at_a_time) }
    }
}

/// The reuse of an access from the inside outwards: between threads in the body, then along each loop. `of` says what the sharers touch.
fn carried<'a>(
    access: &'a Access,
    sets: &'a [f64],
    of: impl Fn(usize) -> f64 + 'a,
    times: f64,
) -> impl Iterator<Item = Carried> + 'a {
    let depth = access.loops.len();
    (0..=depth).rev().map(move |at| Carried {
        // Between two iterations of a loop lies what one of them touches.
        working: sets[(at + 1).min(depth)].into(),
        fetched: (of(at) * access.trips_before(at) * access.probability * times).into(),
    })
}

fn from_l2_by_team(access: &Access, asked: f64, sets: &WorkingSets, capacity: f64) -> f64 {
    fetched(asked.into(), carried(access, &sets.l1, |depth| access.at(depth).team, 1.0), capacity.into()).get()
}

fn from_l2_by_warp(access: &Access, asked: f64, sets: &WorkingSets, capacity: f64) -> f64 {
    fetched(asked.into(), carried(access, &sets.l1, |depth| access.at(depth).warp, 1.0), capacity.into()).get()
}

/// Teams that do not run at the same time find each other's data only if what all of those touch fits.
fn from_memory(access: &Access, asked: f64, spread: &Spread, sets: &WorkingSets, capacity: f64) -> f64 {
    let times = spread.warp_iterations / (spread.all_at_a_time * spread.warps_of_team);
    let together = |depth| shared_by(access, depth, spread.all_at_a_time);
    let along_parallel_loop = Carried { working: sets.l2[0].into(), fetched: access.total.into() };
    let reuse = carried(access, &sets.l2, together, times).chain([along_parallel_loop]);
    fetched(asked.into(), reuse, capacity.into()).get()
}

/// What that many teams touch while the loops outside of a depth stand still.
fn shared_by(access: &Access, depth: usize, teams: f64) -> f64 {
    (access.at(depth).team * teams).min(access.at(depth).grid)
}

/// What caches set aside for it: whole lines (NVIDIA, Nsight Compute Kernel Profiling Guide: a line of L1 and L2 is four sectors with one tag).
fn set_aside(access: &Access, depth: usize, teams: f64) -> f64 {
    shared_by(access, depth, teams) * access.at(depth).spread
}
