//! What the lanes of a launch work on: memory, their team, and who watches.

use super::launch::Observer;
use super::synchronise::{Barriers, Met, Warp, lanes_of};
use crate::extent::Extent;
use crate::memory::Memory;
use crate::program::{Program, Register};
use crate::race::{Participants, RaceDetector};
use rustc_hash::FxHashMap;

/// What a vain attempt at a lock counts, in operations.
pub(super) const SPIN_COST: u64 = 1 << 12;

/// What the gangs of a team work on.
pub(super) struct Context<'a, 'o, const W: usize> {
    pub program: &'a Program,
    pub constants: Vec<[u64; W]>,
    /// What memory holds that nobody has written, and values that nobody has set.
    pub never_written: u8,
    /// Bytes that the kernel has allocated, freed ones included.
    pub allocated: u64,
    /// How often it has done so.
    pub allocations: u64,
    pub memory: &'a mut Memory,
    pub shared: Vec<u8>,
    pub team: u32,
    /// Threads of a team.
    pub threads: u32,
    pub shape: Shape,
    pub detector: Option<RaceDetector>,
    /// Which thread has updated a place of global memory atomically, while races are looked for; none where several have.
    pub updated: FxHashMap<u64, Option<u32>>,
    pub observer: Option<&'a mut (dyn Observer + 'o)>,
    pub wants_iterations: bool,
    pub wants_own_memory: bool,
    pub iteration: Vec<u32>,
    pub warps: Vec<Warp>,
    pub barriers: Barriers,
    pub output: String,
    /// Operations so far, over all teams.
    pub steps: u64,
    /// What AMD's kernels find their launch's sizes in.
    pub packet: u64,
    pub implicit_arguments: u64,
}

/// The league's and its teams' extents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub teams: Extent,
    /// As many as run: in generic mode a warp more than were asked for.
    pub threads: Extent,
}

impl<const W: usize> Context<'_, '_, W> {
    pub(super) fn register(&self, register: Register, thread: u32, active: u64, clock: u64) -> u64 {
        let lane = u64::from(thread % self.program.lanes);
        let all = if self.program.lanes == 64 { u64::MAX } else { (1 << self.program.lanes) - 1 };
        let Shape { teams, threads } = self.shape;
        let along = |axis: u8, of: [u32; 3]| u64::from(of[usize::from(axis.min(2))]);
        match register {
            Register::Thread(axis) => along(axis, threads.position(thread)),
            Register::Threads(axis) => along(axis, threads.0),
            Register::Team(axis) => along(axis, teams.position(self.team)),
            Register::Teams(axis) => along(axis, teams.0),
            Register::Lane => lane,
            Register::WarpSize => self.program.lanes.into(),
            Register::Warp => (thread / self.program.lanes).into(),
            Register::LanesBelow => (1 << lane) - 1,
            Register::LanesUpTo => ((1 << lane) - 1) | 1 << lane,
            Register::LanesAbove => all & !(((1 << lane) - 1) | 1 << lane),
            Register::LanesFrom => all & !((1 << lane) - 1),
            Register::LaneBit => 1 << lane,
            Register::Active => active,
            Register::Clock => clock,
            Register::DispatchPacket => self.packet,
            Register::ImplicitArguments => self.implicit_arguments,
        }
    }

    pub(super) fn complete_barriers(&mut self) {
        let (team, warps, detector) = (self.team, &self.warps, &mut self.detector);
        let (lanes, threads) = (self.program.lanes, self.threads);
        self.barriers.complete(warps, |waiting| {
            let Some(detector) = detector else { return };
            if warps.iter().zip(waiting).all(|(warp, &waiting)| warp.alive == waiting) {
                detector.barrier(team, Participants::WholeTeam);
                return;
            }
            let members: Vec<u32> = (0..)
                .zip(waiting)
                .flat_map(|(warp, &waiting)| lanes_of(waiting).map(move |lane| team * threads + warp * lanes + lane))
                .collect();
            detector.barrier(team, Participants::Threads(&members));
        });
    }

    pub(super) fn complete_exchanges(&mut self, warp: u32) {
        let mut met = Vec::new();
        self.warps[warp as usize].resolve(|lanes| met.push(lanes));
        for lanes in met {
            self.met(warp, lanes);
        }
    }

    /// Lanes have met in a way that orders their accesses.
    pub(super) fn met(&mut self, warp: u32, Met(lanes): Met) {
        if lanes.count_ones() < 2 {
            return;
        }
        if let Some(detector) = &mut self.detector {
            let first = self.team * self.threads + warp * self.program.lanes;
            let members: Vec<u32> = lanes_of(lanes).map(|lane| first + lane).collect();
            detector.barrier(self.team, Participants::Threads(&members));
        }
    }
}
