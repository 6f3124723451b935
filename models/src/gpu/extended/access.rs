//! Accesses to global memory as the model sees them, in numbers that may be known later.

use crate::form::Num;
use crate::gpu::{self, AccessKind, Footprint};
use crate::reuse::reached;

/// A reference group; counts are of one warp and one iteration of the parallel loop, data is in sectors.
pub(crate) struct Access {
    pub(crate) kind: AccessKind,
    /// Places of the source.
    pub(crate) references: f64,
    /// How likely it is that the code is reached.
    pub(crate) probability: Num,
    /// How often each loop around iterates when it is reached, the outermost first.
    pub(crate) trips: Vec<Num>,
    /// How often each of them is reached, and the access at the end: [`reached`].
    pub(crate) before: Vec<Num>,
    /// Executions in a row that are under way together.
    pub(crate) turn: f64,
    /// The share of sectors that caches fetch anew though they keep nothing but what is under way together.
    pub(crate) anew: Num,
    /// Touched while the loops outside of a depth stand still; at the end in one turn.
    pub(crate) touched: Vec<Touched>,
    /// Of one execution.
    pub(crate) sectors: Num,
    /// How many times in a row of executions some of the sectors give way to others, until all have: how often a warp waits for them.
    pub(crate) departures: Num,
    /// Touched by the whole kernel.
    pub(crate) total: Num,
    /// How often the whole kernel updates one place atomically.
    pub(crate) updates: Num,
    /// How far it is ahead of or behind another access, whose data it touches at another time.
    pub(crate) apart: Option<Apart>,
    /// One before it that goes through the same data of each thread.
    pub(crate) same: Option<usize>,
    /// The places that it comes to in a search that halves a sorted table.
    pub(crate) probes: Option<Num>,
}

/// How far an access is from another one, whose data it touches, and what brings it there: [`gpu::Apart`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Apart {
    pub(crate) sectors: Num,
    pub(crate) by: ApartBy,
}

/// [`gpu::ApartBy`], in numbers that may be known later.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ApartBy {
    Threads(Num),
    Iterations(usize, f64),
    Any,
    List,
}

impl Apart {
    fn of(apart: gpu::Apart, sector: f64) -> Apart {
        let by = match apart.by {
            gpu::ApartBy::Threads(threads) => ApartBy::Threads(threads.into()),
            gpu::ApartBy::Iterations(depth, by) => ApartBy::Iterations(depth, by),
            gpu::ApartBy::Any => ApartBy::Any,
            gpu::ApartBy::List => ApartBy::List,
        };
        Apart { sectors: (apart.bytes / sector).into(), by }
    }

    fn known(self, sector: f64) -> gpu::Apart {
        let by = match self.by {
            ApartBy::Threads(threads) => gpu::ApartBy::Threads(threads.get()),
            ApartBy::Iterations(depth, by) => gpu::ApartBy::Iterations(depth, by),
            ApartBy::Any => gpu::ApartBy::Any,
            ApartBy::List => gpu::ApartBy::List,
        };
        gpu::Apart { bytes: self.sectors.get() * sector, by }
    }
}

/// Distinct sectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touched {
    /// By a team.
    pub(crate) team: Num,
    /// By all teams that run at a time.
    pub(crate) grid: Num,
    /// Sectors of the lines around, over these.
    pub(crate) spread: Num,
    /// How often a warp waits for its own, if it finds again what it has.
    pub(crate) waits: Num,
}

impl Access {
    /// An access in numbers, for sectors of so many bytes.
    pub(crate) fn of(access: &gpu::Access, sector: f64) -> Access {
        let in_step = access.in_step.clamp(1.0, access.sectors.max(1.0));
        let touched = |bytes: Footprint| Touched {
            team: (bytes.team / sector).into(),
            grid: (bytes.grid / sector).into(),
            spread: bytes.spread.into(),
            waits: (bytes.warp / sector / in_step).into(),
        };
        let depths = 0..=access.loops.len();
        let probability = access.probability.into();
        let trips: Vec<Num> = access.loops.iter().map(|around| around.trips.into()).collect();
        Access {
            kind: access.kind,
            references: access.references,
            before: reached(probability, &trips),
            probability,
            trips,
            turn: access.turn,
            anew: access.anew.into(),
            touched: depths.map(|depth| touched(access.at(depth))).collect(),
            sectors: access.sectors.into(),
            departures: (access.sectors / in_step).into(),
            total: (access.total / sector).into(),
            updates: access.updates.into(),
            apart: access.apart.map(|apart| Apart::of(apart, sector)),
            same: access.same,
            probes: access.probes.map(Num::from),
        }
    }

    /// The same in numbers that are known, of what is called so.
    pub(crate) fn known(&self, name: &str, sector: f64) -> gpu::Access {
        let in_step = self.sectors.get() / self.departures.get();
        let bytes = |touched: &Touched| Footprint {
            warp: touched.waits.get() * in_step * sector,
            team: touched.team.get() * sector,
            grid: touched.grid.get() * sector,
            spread: touched.spread.get(),
        };
        let mut loops: Vec<gpu::Loop> = Vec::new();
        for (trips, touched) in self.trips.iter().zip(&self.touched) {
            loops.push(gpu::Loop { trips: trips.get(), footprint: bytes(touched) });
        }
        gpu::Access {
            name: name.to_owned(),
            kind: self.kind,
            references: self.references,
            probability: self.probability.get(),
            sectors: self.sectors.get(),
            in_step,
            loops,
            turn: self.turn,
            anew: self.anew.get(),
            body: bytes(&self.touched[self.depth()]),
            total: self.total.get() * sector,
            updates: self.updates.get(),
            apart: self.apart.map(|apart| apart.known(sector)),
            same: self.same,
            probes: self.probes.map(Num::get),
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.before.len() - 1
    }

    /// How often the loop at that depth is reached; a turn of the access itself beyond the last loop.
    pub(super) fn before(&self, depth: usize) -> Num {
        if depth < self.depth() { self.before[depth] } else { self.executions() / self.turn }
    }

    pub(super) fn touched(&self, depth: usize) -> Touched {
        self.touched[depth.min(self.depth())]
    }

    /// How often a warp makes it, at each of its places.
    pub(crate) fn executions(&self) -> Num {
        self.before[self.depth()]
    }

    /// Those of its sectors that no other access has which is under way at the same time.
    pub(super) fn asked_anew(&self) -> Num {
        self.asked() * self.anew
    }

    /// Sectors that a warp asks for.
    pub(super) fn asked(&self) -> Num {
        self.executions() * (self.sectors * self.references)
    }
}
