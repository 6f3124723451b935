//! What the accesses of a kernel touch, in closed form.

use super::Builder;
use super::reach::{Extent, Move, Reach, Threads};
use crate::form::Num;
use crate::gpu::extended::{Access, Touched};
use crate::summary::{Group, Phase};

/// What all accesses of a phase have in common.
pub(super) struct Grid<'a> {
    pub(super) phase: &'a Phase,
    pub(super) threads: &'a Threads,
    pub(super) at_once: &'a Threads,
    pub(super) busy: Num,
    pub(super) teams: Num,
    pub(super) iterations: Num,
}

impl Builder<'_> {
    pub(super) fn accesses(&self, groups: &[Group], grid: &Grid<'_>) -> Vec<Access> {
        groups.iter().map(|group| self.access(&Reach::new(self.bound, group, self.sector), grid)).collect()
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
        let touched = |depth: usize| {
            let inside = &loops[depth..];
            let pieces = |threads: &[Extent]| reach.pieces(&[threads, inside].concat(), self.sector);
            let is_dense = team.iter().chain(inside).any(|extent| self.is_dense(extent));
            let spread = if is_dense { 1.0 } else { self.line / self.sector };
            Touched { team: pieces(&team), grid: pieces(&together), spread, waits: waits(depth) }
        };
        let everywhere = [&reach.of_all_threads(grid.threads)[..], &loops].concat();
        Access {
            kind: group.kind.into(),
            references: group.offsets.len() as f64,
            before,
            touched: (0..=loops.len()).map(touched).collect(),
            sectors,
            departures,
            total: reach.pieces(&everywhere, self.sector),
        }
    }

    /// Whether a loop goes from sector to sector.
    fn is_dense(&self, extent: &Extent) -> bool {
        let Move::By(bytes) = extent.move_by else { return false };
        extent.count != Num::ONE && bytes.known().is_some_and(|bytes| bytes > 0.0 && bytes <= self.sector)
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
