//! What [`crate::gpu::extended`] takes of a region, for numbers that are known later.

use super::Builder;
use super::access::Grid;
use super::reach::Threads;
use crate::error::ModelError;
use crate::form::Num;
use crate::gpu::extended::{Filling, Handed, Instructions, Kernel, Parts, Reuse};
use crate::gpu::geometry::{
    Device, Environment, ExecutionMode, HighTripCount, ShareLater, TeamsLater, share_later, started,
};
use crate::gpu::occupancy::teams_later;
use crate::report::{InstructionClass, LoopKind};
use crate::summary::{DeviceCode, HandedOut, Parallelism, Phase, Point, Version};

/// What the runtime starts.
#[derive(Clone, Copy)]
struct Launch {
    teams: Num,
    threads: Num,
    /// The teams beyond which they are used again.
    most_teams: Num,
    /// Whether the threads of a team are whole warps that all get iterations, but for the last ones.
    has_full_warps: bool,
}

impl Builder<'_> {
    /// The kernel's time, without its launch.
    pub(super) fn kernel(&self) -> Result<Num, ModelError> {
        let changed = self.summary().transformed.as_ref().is_some_and(|transformed| transformed.is_done);
        let of = |version| self.bound.phases(version);
        let (version, phases) = match changed.then(|| of(Version::Transformed)).flatten() {
            Some(phases) => (Version::Transformed, phases),
            None => (Version::AsWritten, of(Version::AsWritten).unwrap_or_default()),
        };
        let code = self.bound.code_for(&self.machines.gpu.processor);
        if code.is_none_or(|code| code.parts.is_empty()) {
            self.bound.note("the report has no instructions of the device's code: only its accesses are counted");
        }
        let parameters = self.keys.gpu(self.lanes, self.sector);
        let mut time = Num::ZERO;
        for (number, phase) in phases.iter().enumerate() {
            let outside: Num = self.bound.mean_trips(&phase.outside).into_iter().product();
            let kernel = self.phase_on_device(phase, version, code, number == 0);
            let cost = |class: InstructionClass| Some(self.keys.cost(class, *self.pipes.get(&class)?));
            time += outside * Parts::of(&parameters, &kernel, &cost)?.seconds(&parameters);
        }
        Ok(time)
    }

    fn phase_on_device(&self, phase: &Phase, version: Version, code: Option<&DeviceCode>, is_first: bool) -> Kernel {
        let handed_out = self.bound.handed_out(phase, version);
        let launch = self.launch(handed_out.has_teams, handed_out.of_teams);
        let Launch { teams, threads, .. } = launch;
        let iterations = handed_out.iterations;
        let (share, step) = self.share(phase, &handed_out, launch);

        let shared = code.and_then(|code| code.shared).unwrap_or(0);
        let registers = code.and_then(|code| code.registers).unwrap_or(0);
        let has_full_warps = step == Num::ONE && launch.has_full_warps;
        let threads_of_loop = Threads { loops: handed_out.loops.clone(), step };
        // A team of a nest works on one iteration of the outer loops.
        let mut at_once = threads_of_loop.clone();
        if handed_out.is_nested
            && let Some((_, trips)) = at_once.loops.last_mut()
        {
            *trips = trips.min(share.busy_threads * step).max(1.0);
        }
        let grid =
            Grid { phase, threads: &threads_of_loop, at_once: &at_once, busy: share.busy_threads, teams, iterations };
        let groups = self.bound.groups(phase.of);
        let accesses = self.accesses(&groups, &grid);
        let (mut instructions, of_code) = self.instructions(code, phase, &share, is_first);
        for access in &accesses {
            instructions.add(access.executions(), access.kind.class(), access.references);
        }
        Kernel {
            handed: Handed {
                teams,
                fits: teams_later(&self.keys.limits(self.lanes), threads, registers, shared),
                busy_threads: share.busy_threads,
                iterations,
                omp_rep: share.omp_rep,
                longest: self.bound.longest(phase, Num::ONE),
                requests: share.requests,
                filling: if has_full_warps { Filling::InTurn } else { Filling::Evenly },
            },
            instructions,
            accesses,
            reuse: Reuse::OfAll,
            shared_memory: shared,
            memory_parallelism: self.bound.memory_parallelism(&groups, of_code),
        }
    }

    fn launch(&self, has_teams: bool, trips: Num) -> Launch {
        let clauses = &self.summary().clauses;
        let clause = |p: &Option<_>| p.as_ref().and_then(|p| self.bound.at(p, &Point::new()).ok()).map(|n| n.max(1.0));
        let limit = match (clause(&clauses.thread_limit), clause(&clauses.num_threads)) {
            (Some(limit), Some(threads)) => Some(limit.min(threads)),
            (limit, threads) => limit.or(threads),
        };
        let runtime = |key: &str| self.keys.count(&format!("gpu.runtime.{key}"));
        let device = Device {
            lanes: self.lanes.into(),
            max_threads: runtime("max_threads"),
            default_threads: runtime("default_threads"),
            max_teams: runtime("max_teams"),
            default_teams: runtime("default_teams"),
            fewest_threads: Environment::default().min_threads_for_low_trip_count.into(),
        };
        let num_teams = if has_teams { clause(&clauses.num_teams) } else { Some(Num::ONE) };
        let trips = has_teams.then_some(trips);
        let mode = self.summary().mode;
        let (teams, threads) = started(&device, mode, num_teams, limit, trips, HighTripCount::ReuseTeams);
        // A loop without iterations starts teams all the same.
        let (teams, threads) = (teams.max(1.0), threads.max(1.0));
        let as_needed = num_teams.is_none() && mode == ExecutionMode::Spmd;
        let most_teams = if as_needed { device.default_teams.min(device.max_teams) } else { teams };
        Launch { teams, threads, most_teams, has_full_warps: limit.is_none() && as_needed }
    }

    fn share(&self, phase: &Phase, handed_out: &HandedOut, launch: Launch) -> (ShareLater, Num) {
        let Launch { teams, threads, most_teams, .. } = launch;
        let workers = self.bound.workers(self.lanes.into(), threads);
        let own = handed_out.of_threads;
        let (pieces, step) = self.bound.pieces_of_threads(phase.of, own, workers);
        if !handed_out.is_nested {
            let is_for = self.summary().loops[phase.of].kind == LoopKind::For;
            let chunk = is_for.then(|| own.div_ceil(teams));
            return (share_later(own, TeamsLater { most_teams, threads: workers }, chunk, pieces), step);
        }
        let rounds = handed_out.of_teams.div_ceil(most_teams);
        let of_round = share_later(own, TeamsLater { most_teams: Num::ONE, threads: workers }, Some(own), pieces);
        let share = ShareLater { omp_rep: of_round.omp_rep * rounds, requests: of_round.requests * rounds, ..of_round };
        (share, step)
    }

    /// The instructions of one iteration of the shared loop, without accesses to global memory, and what of them can be under way together.
    fn instructions(
        &self,
        code: Option<&DeviceCode>,
        phase: &Phase,
        share: &ShareLater,
        is_first: bool,
    ) -> (Instructions, Parallelism) {
        let mut counts = Vec::new();
        let (mut parallelism, mut hottest) = (Parallelism::default(), 0.0);
        for part in code.map(|code| &code.parts[..]).unwrap_or_default() {
            let times = self.bound.times_of(part, phase, share.busy_threads, share.omp_rep, is_first);
            let Some(times) = times else { continue };
            let own = part.counts.iter().filter(|(class, _)| !class.is_of_global_memory());
            counts.extend(own.map(|(class, count)| (times, *class, count * part.chance)));
            let size: f64 = part.counts.iter().map(|(_, count)| count).sum();
            let heat = size * part.chance * self.bound.times_of_a_thousand(&part.executions, phase, part.depth);
            if heat > hottest {
                (hottest, parallelism) = (heat, part.parallelism());
            }
        }
        let mut instructions = Instructions::new(parallelism.arithmetic);
        for (times, class, count) in counts {
            instructions.add(times, class, count);
            if class == InstructionClass::Barrier {
                instructions.add_barriers(times, count);
            }
        }
        (instructions, parallelism)
    }
}
