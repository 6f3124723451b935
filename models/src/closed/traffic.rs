//! What moves between the levels of the device's memory, in closed form.
//!
//! As in the extended model, but that what is found in a cache is computed for all accesses together, not for each of them: they share
//! working sets and capacities. All numbers are of one warp and one iteration of the parallel loop, in sectors.

use super::Builder;
use super::device::Spread;
use super::reach::{Extent, Move, Reach, Threads};
use crate::form::Num;
use crate::report::InstructionClass;
use crate::reuse::{Carried, fetched};
use crate::summary::{AccessKind, Group, Phase};

/// What all accesses of a phase have in common.
pub(super) struct Grid<'a> {
    pub(super) phase: &'a Phase,
    pub(super) threads: &'a Threads,
    pub(super) at_once: &'a Threads,
    pub(super) busy: Num,
    pub(super) teams: Num,
    pub(super) iterations: Num,
}

/// A reference group.
pub(super) struct Access {
    kind: AccessKind,
    references: f64,
    is_indirect: bool,
    /// How often each loop is reached in an iteration, and the access at the end.
    before: Vec<Num>,
    /// Touched while the loops outside of a depth stand still; at the end by one execution.
    at: Vec<Footprint>,
    sectors: Num,
    /// How many times in a row of executions some of the sectors give way to others, until all have; and how often that happens while the
    /// loops outside of a depth stand still.
    departures: Num,
    waits: Vec<Num>,
    /// Touched by the whole kernel.
    total: Num,
}

/// Distinct sectors.
#[derive(Clone, Copy)]
struct Footprint {
    team: Num,
    grid: Num,
    /// Sectors of the lines around, over these.
    spread: f64,
}

impl Access {
    pub(super) fn executions(&self) -> Num {
        self.before[self.depth()]
    }

    pub(super) fn references(&self) -> f64 {
        self.references
    }

    pub(super) fn class(&self) -> InstructionClass {
        match self.kind {
            AccessKind::Load => InstructionClass::LoadGlobal,
            AccessKind::Store => InstructionClass::StoreGlobal,
            AccessKind::Atomic => InstructionClass::Atomic,
        }
    }

    fn depth(&self) -> usize {
        self.before.len() - 1
    }

    fn asked(&self) -> Num {
        self.executions() * (self.sectors * self.references)
    }

    fn footprint(&self, depth: usize) -> Footprint {
        self.at[depth.min(self.depth())]
    }
}

/// Loads of the deepest loops.
pub(super) fn innermost_loads(accesses: &[Access]) -> f64 {
    let deepest = accesses.iter().map(Access::depth).max().unwrap_or(0);
    let loads = accesses.iter().filter(|access| access.kind == AccessKind::Load && access.depth() == deepest);
    loads.map(|access| access.references).sum()
}

/// Whether a load waits for another one's value.
pub(super) fn is_chained(accesses: &[Access]) -> bool {
    accesses.iter().any(|access| access.is_indirect)
}

impl Builder<'_> {
    pub(super) fn accesses(&self, grid: &Grid<'_>) -> Vec<Access> {
        self.bound
            .groups(grid.phase.of)
            .iter()
            .map(|group| self.access(&Reach::new(self.bound, group, self.sector), grid))
            .collect()
    }

    fn access(&self, reach: &Reach<'_>, grid: &Grid<'_>) -> Access {
        let group = reach.group;
        let inner = self.bound.inner(grid.phase, group.in_loop);
        let all = [&grid.phase.outside[..], &grid.phase.parallel[..], &inner[..]].concat();
        let trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
        let loops: Vec<Extent> =
            inner.iter().zip(&trips).map(|(of, trips)| Extent { move_by: reach.of_loop(*of), count: *trips }).collect();
        let mut before = vec![if group.active.is_some() { Num::ONE } else { self.likelihood(group, &all) }];
        for trips in &trips {
            before.push(before[before.len() - 1] * *trips);
        }
        let active = group.active.as_ref().map_or(self.lanes, |active| active.len() as f64);
        let lanes = reach.of_threads(grid.threads, grid.busy.min(active));
        let team = reach.of_threads(grid.at_once, grid.busy);
        let together = reach.of_threads(grid.at_once, (grid.busy * grid.teams).min(grid.iterations));
        let footprint = |depth: usize| {
            let inside = &loops[depth..];
            let pieces = |threads: &[Extent]| reach.pieces(&[threads, inside].concat(), self.sector);
            let dense = |extent: &Extent| matches!(extent.move_by, Move::By(bytes) if bytes.known().is_some_and(|bytes| bytes > 0.0 && bytes <= self.sector) && extent.count != Num::ONE);
            let spread = if team.iter().chain(inside).any(dense) { 1.0 } else { self.line / self.sector };
            Footprint { team: pieces(&team), grid: pieces(&together), spread }
        };
        let sectors = match group.address {
            Some(_) => reach.of_one().pieces(&lanes, self.sector),
            None => Num::new(self.lanes),
        };
        let departures = self.positions(&lanes, group, sectors);
        // Lanes at random share what they find; others go on side by side.
        let is_random = lanes.iter().any(|extent| extent.move_by == Move::Anywhere);
        let waits = |depth: usize| {
            if is_random {
                reach.pieces(&[&lanes, &loops[depth..]].concat(), self.sector) * (departures / sectors)
            } else {
                reach.pieces(&loops[depth..], self.sector) * departures
            }
        };
        let everywhere = [&reach.of_all_threads(grid.threads)[..], &loops].concat();
        Access {
            kind: group.kind,
            references: group.offsets.len() as f64,
            is_indirect: group.address.is_some() && self.bound.is_indirect(group),
            before,
            at: (0..=loops.len()).map(footprint).collect(),
            departures,
            waits: (0..=loops.len()).map(waits).collect(),
            sectors,
            total: reach.pieces(&everywhere, self.sector),
        }
    }

    /// How many different positions in their sectors the lanes' addresses have.
    fn positions(&self, lanes: &[Extent], group: &Group, sectors: Num) -> Num {
        let moves = |extent: &&Extent| extent.move_by != Move::By(Num::ZERO) && extent.count != Num::ONE;
        let moved = lanes.iter().find(moves).map(|extent| extent.move_by);
        let apart = match moved {
            _ if group.address.is_none() => return sectors,
            // As elements of 2^n bytes, each lies within a sector.
            Some(Move::Anywhere) | None => return Num::ONE,
            Some(Move::By(apart)) => apart,
        };
        let most = (self.sector / group.bytes).max(1.0);
        let is_whole = |number: Num| number.floor().is(number);
        let is_within = apart.known().is_some_and(|apart| apart < self.sector && self.sector % apart == 0.0);
        let halves = is_whole(apart * (2.0 / self.sector)).choose(2.0, most);
        is_whole(apart / self.sector).or(is_within.into()).choose(1.0, halves).min(sectors)
    }
}

/// What moves, and how long a warp waits for it.
pub(super) struct Traffic {
    /// Cycles of a multiprocessor to give what a warp asks its L1 for.
    pub(super) l1: Num,
    /// Cycles to take what comes from L2.
    pub(super) taken: Num,
    /// Seconds of the L2 or of the memory, the slower of both.
    pub(super) of_all: Num,
    /// Cycles of waiting, one access after another.
    pub(super) wait: Num,
}

pub(super) fn of(builder: &Builder<'_>, accesses: &[Access], spread: &Spread, shared: u64) -> Traffic {
    let key = |key: &str| builder.keys.leaf(&format!("gpu.{key}"));
    let taken = spread.teams_at_a_time * (key("l1.taken_by_shared") * shared);
    let l1_capacity = if shared > 0 { (key("l1.capacity") - taken).max(0.0) } else { key("l1.capacity") };
    let sectors = |bytes: Num| bytes / builder.sector;
    let capacity = [sectors(l1_capacity), sectors(key("l2.capacity"))];
    let shared_by = |access: &Access, depth: usize, teams: Num| {
        let Footprint { team, grid, .. } = access.footprint(depth);
        (team * teams).min(grid)
    };
    let set = |depth: usize, teams: Num| -> Num {
        accesses.iter().map(|access| shared_by(access, depth, teams) * access.footprint(depth).spread).sum()
    };
    // From the inside outwards: once the reuse up to a loop is found, what is fetched each time that it is reached.
    let chain = |level: usize, deepest: usize, requested: Num, last: Option<Num>, of: &dyn Fn(usize) -> Num| {
        let teams = [spread.teams_at_a_time, spread.all_at_a_time][level];
        let mut stages: Vec<usize> = (1..=deepest).rev().collect();
        // What threads share in the body has the working set of the parallel loop's iteration.
        if stages.is_empty() && last.is_none() {
            stages.push(0);
        }
        let stage = |at: &usize| Carried { working: set(*at, teams), fetched: of(at.saturating_sub(1)) };
        let along = last.map(|fetched| Carried { working: set(0, teams), fetched });
        fetched(requested, stages.iter().map(stage).chain(along), capacity[level])
    };
    let is_load = |access: &&Access| access.kind == AccessKind::Load;
    let is_store = |access: &&Access| access.kind == AccessKind::Store;
    let is_waited_for = |access: &&Access| access.kind != AccessKind::Store;
    let asked = |is: &dyn Fn(&&Access) -> bool| -> Num { accesses.iter().filter(|a| is(a)).map(Access::asked).sum() };
    let sum = |is: &dyn Fn(&&Access) -> bool, depth: usize, of: &dyn Fn(&Access) -> Num| -> Num {
        let one = |access: &Access| of(access) * access.before[depth.min(access.depth())];
        accesses.iter().filter(|a| is(a)).map(one).sum()
    };
    let deepest =
        |is: &dyn Fn(&&Access) -> bool| accesses.iter().filter(|a| is(a)).map(Access::depth).max().unwrap_or(0);
    let atomics = asked(&|access| access.kind == AccessKind::Atomic);
    let loads = asked(&is_load);
    let of_loads = deepest(&is_load);
    let per_warp_of_team = spread.per_warp * spread.all_at_a_time;
    let by_team = chain(0, of_loads, loads, None, &|depth| {
        sum(&is_load, depth, &|access| access.footprint(depth).team) * per_warp_of_team
    }) + atomics;
    let stores = asked(&is_store);
    let per_iteration = 1.0 / spread.warp_iterations.max(1.0);
    let into_l2 = |is: &dyn Fn(&&Access) -> bool, requested: Num, weight: &dyn Fn(&Access) -> Num| {
        let total: Num = accesses.iter().filter(|a| is(a)).map(|access| access.total * weight(access)).sum();
        chain(1, deepest(is), requested, Some(total * per_iteration), &|depth| {
            sum(is, depth, &|access| shared_by(access, depth, spread.all_at_a_time) * weight(access)) * spread.per_warp
        })
    };
    let alike = |_: &Access| Num::ONE;
    let waited_for_in_memory = into_l2(&is_waited_for, by_team, &alike);
    let from_memory = waited_for_in_memory + into_l2(&is_store, stores, &alike);
    let from_l2 = by_team + stores;

    let waiting = |of: &dyn Fn(&Access) -> Num| -> Num {
        accesses.iter().filter(is_waited_for).map(|a| a.executions() * (of(a) * a.references)).sum()
    };
    let executions = waiting(&|_| Num::ONE);
    let requested = loads + atomics;
    let wait_of = |access: &Access, depth: usize| access.waits[depth.min(access.depth())];
    let waits_of_loads: Num =
        accesses.iter().filter(is_load).map(|a| a.executions() * (a.departures * a.references)).sum();
    let behind_l1 =
        chain(0, of_loads, waits_of_loads, None, &|depth| sum(&is_load, depth, &|access| wait_of(access, depth)));
    let behind_l1 = (behind_l1 + atomics).min(executions);
    let waits_of_sector = |access: &Access| access.departures * (1.0 / access.sectors);
    let behind_l2 = into_l2(&is_waited_for, behind_l1, &waits_of_sector);
    let sector_in_l1 = builder.sector / key("l1.throughput");
    let wait = executions * key("l1.latency")
        + behind_l1 * (key("l2.latency") - key("l1.latency"))
        + behind_l2 * (key("memory.latency") - key("l2.latency"))
        + (requested - executions).max(0.0) * sector_in_l1;
    Traffic {
        l1: (requested + stores) * sector_in_l1,
        taken: from_l2 * (builder.sector / key("l2.per_multiprocessor")),
        of_all: (from_l2 * (builder.sector / key("l2.bandwidth")))
            .max(from_memory * (builder.sector / key("memory.bandwidth"))),
        wait,
    }
}
