//! The device's time in closed form: [`crate::gpu::extended`] for numbers that are known later.

use std::collections::BTreeMap;

use super::Builder;
use super::reach::Threads;
use super::traffic::{self, Grid};
use crate::form::Num;
use crate::gpu::Pipe;
use crate::gpu::geometry::{
    Device, Environment, ExecutionMode, HighTripCount, Pieces, ShareLater, TeamsLater, share_later, started,
};
use crate::gpu::occupancy::{LimitsLater, teams_later};
use crate::report::{InstructionClass, LoopKind};
use crate::summary::{DeviceCode, Handout, Phase, Point, Version, is_float, is_global, is_integer};

/// What the runtime starts.
#[derive(Clone, Copy)]
struct Launch {
    teams: Num,
    threads: Num,
    /// The teams beyond which they are used again.
    most_teams: Num,
    /// Whether the threads of a team are whole warps that all get iterations, but for the last.
    has_full_warps: bool,
}

/// How a launch is spread over the device: as in the extended model.
pub(super) struct Spread {
    pub(super) teams_at_a_time: Num,
    pub(super) all_at_a_time: Num,
    /// 1 over the warps that run at a time and have iterations.
    pub(super) per_warp: Num,
    pub(super) warp_iterations: Num,
}

/// What the threads of a warp do in one iteration, by how often they do it.
#[derive(Default)]
pub(super) struct Instructions {
    by_times: Vec<(Num, BTreeMap<InstructionClass, f64>)>,
    arithmetic_parallelism: f64,
    loads: Option<f64>,
}

impl Instructions {
    pub(super) fn add(&mut self, times: Num, class: InstructionClass, count: f64) {
        let at = self.by_times.iter().position(|(other, _)| *other == times).unwrap_or_else(|| {
            self.by_times.push((times, BTreeMap::new()));
            self.by_times.len() - 1
        });
        *self.by_times[at].1.entry(class).or_insert(0.0) += count;
    }

    /// The sum of what each instruction costs.
    fn sum(&self, cost: impl Fn(InstructionClass, f64) -> Num) -> Num {
        let of = |counts: &BTreeMap<InstructionClass, f64>| {
            counts.iter().map(|(class, count)| cost(*class, *count)).sum::<Num>()
        };
        self.by_times.iter().map(|(times, counts)| *times * of(counts)).sum()
    }
}

impl Builder<'_> {
    /// The kernel's time, without its launch.
    pub(super) fn kernel(&self) -> Num {
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
        let times = phases.iter().enumerate().map(|(number, phase)| {
            let outside: Num = self.bound.mean_trips(&phase.outside).into_iter().product();
            outside * self.phase_on_device(phase, version, code, number == 0)
        });
        times.sum()
    }

    fn phase_on_device(&self, phase: &Phase, version: Version, code: Option<&DeviceCode>, is_first: bool) -> Num {
        let outside = phase.outside.len();
        let trips = self.bound.mean_trips(&[&phase.outside[..], &phase.parallel[..]].concat()).split_off(outside);
        let parallel: Vec<(usize, Num)> = phase.parallel.iter().copied().zip(trips).collect();
        let iterations: Num = parallel.iter().map(|(_, trips)| *trips).product();
        let is_nested = version == Version::AsWritten && parallel.len() > 1;
        let before_last: Num = parallel[..parallel.len() - 1].iter().map(|(_, trips)| *trips).product();
        let has_teams = phase.parallel.iter().any(|l| self.summary().loops[*l].kind != LoopKind::For);
        let launch = self.launch(has_teams, if is_nested { before_last } else { iterations });
        let Launch { teams, threads, .. } = launch;
        let (share, step) = self.share(phase, &parallel, before_last, launch, is_nested);

        let shared = code.and_then(|code| code.shared).unwrap_or(0);
        let registers = code.and_then(|code| code.registers).unwrap_or(0);
        let fits = teams_later(&self.limits(), threads, registers, shared);
        let multiprocessors = self.keys.count("gpu.multiprocessors");
        let teams_of_sm = teams.div_ceil(multiprocessors);
        let teams_at_a_time = teams_of_sm.min(fits);
        let rounds = teams_of_sm.div_ceil(fits);
        let all_at_a_time = teams.min(teams_at_a_time * multiprocessors);
        let warps = share.busy_threads.div_ceil(self.lanes);
        let has_full_warps = step == Num::ONE && launch.has_full_warps;
        let warp_iterations =
            if has_full_warps { iterations.div_ceil(self.lanes) } else { iterations * warps / share.busy_threads };
        let per_warp = 1.0 / (all_at_a_time * warps);
        let spread = Spread { teams_at_a_time, all_at_a_time, per_warp, warp_iterations };

        let longest = self.bound.longest(phase, Num::ONE);
        let warp_iterations_of_sm = match longest.known() {
            Some(1.0) => warp_iterations * (teams_of_sm / teams),
            _ => warp_iterations * ((teams_of_sm - 1.0 + longest) / teams),
        };

        let threads_of_loop = Threads { loops: parallel.clone(), step };
        // A team of a nest works on one iteration of the outer loops.
        let mut at_once = threads_of_loop.clone();
        if is_nested && let Some((_, trips)) = at_once.loops.last_mut() {
            *trips = trips.min(share.busy_threads * step).max(1.0);
        }
        let grid =
            Grid { phase, threads: &threads_of_loop, at_once: &at_once, busy: share.busy_threads, teams, iterations };
        let mut instructions = self.instructions(code, phase, &share, is_first);
        let accesses = self.accesses(&grid);
        for access in &accesses {
            instructions.add(access.executions(), access.class(), access.references());
        }
        let traffic = traffic::of(self, &accesses, &spread, shared);
        let loads = instructions.loads.unwrap_or_else(|| traffic::innermost_loads(&accesses));
        let chain = if traffic::is_chained(&accesses) { 2.0 } else { 1.0 };
        let memory_parallelism = (loads / chain).max(1.0);

        let clock = self.keys.leaf("gpu.clock");
        let waits = self.arithmetic_waits(&instructions) + traffic.wait / memory_parallelism;
        let issue = instructions.sum(|class, count| self.cost(class, "instructions") * count);
        let path = waits.max(issue);
        let mut latency = path * (share.omp_rep * rounds).max(longest.min(iterations));
        if share.requests != Num::ZERO {
            latency += share.requests * rounds * self.keys.leaf("gpu.dispatch");
        }
        let of_sm = self
            .units(&instructions)
            .into_iter()
            .chain([issue / self.keys.leaf("gpu.issue_slots"), traffic.l1, traffic.taken])
            .fold(Num::ZERO, Num::max);
        ((of_sm * warp_iterations_of_sm).max(latency) / clock).max(warp_iterations * traffic.of_all)
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

    fn share(
        &self,
        phase: &Phase,
        parallel: &[(usize, Num)],
        outer: Num,
        launch: Launch,
        is_nested: bool,
    ) -> (ShareLater, Num) {
        let Launch { teams, threads, most_teams, .. } = launch;
        // In generic mode one warp only waits.
        let workers = match self.summary().mode {
            ExecutionMode::Generic => threads.more(self.lanes).choose(threads - self.lanes, threads),
            ExecutionMode::Spmd | ExecutionMode::GenericSpmd => threads,
        };
        let of = &self.summary().loops[phase.of];
        let last = parallel[parallel.len() - 1].1;
        let own = if is_nested { last } else { outer * last };
        let length = |p| self.bound.at(p, &Point::new()).unwrap_or(Num::ONE).max(1.0);
        let is_for = of.kind == LoopKind::For;
        let (pieces, step) = match &of.schedule {
            Handout::Block if is_for => {
                let block = own.div_ceil(workers).max(1.0);
                (Pieces::Chunked(block), block)
            }
            Handout::Default | Handout::Block => (Pieces::InTurn, Num::ONE),
            Handout::InTurn(chunk) => (Pieces::Chunked(length(chunk)), length(chunk)),
            Handout::Dynamic(chunk) => (Pieces::Dynamic(length(chunk)), length(chunk)),
            Handout::Guided => (Pieces::Dynamic(Num::ONE), Num::ONE),
            Handout::Other(text) => {
                self.bound.note(format!("the schedule ({text}) is taken as the default one"));
                (Pieces::InTurn, Num::ONE)
            }
        };
        if !is_nested {
            let chunk = is_for.then(|| own.div_ceil(teams));
            return (share_later(own, TeamsLater { most_teams, threads: workers }, chunk, pieces), step);
        }
        let rounds = outer.div_ceil(most_teams);
        let of_round = share_later(own, TeamsLater { most_teams: Num::ONE, threads: workers }, Some(own), pieces);
        let share = ShareLater { omp_rep: of_round.omp_rep * rounds, requests: of_round.requests * rounds, ..of_round };
        (share, step)
    }

    fn limits(&self) -> LimitsLater {
        let of = |key: &str| self.keys.leaf(&format!("gpu.limits.{key}"));
        LimitsLater {
            lanes: self.lanes,
            warps: of("warps"),
            teams: of("teams"),
            registers: of("registers"),
            register_unit: of("register_unit"),
            parts: of("parts"),
            shared: of("shared"),
            shared_unit: of("shared_unit"),
            shared_reserved: of("shared_reserved"),
        }
    }

    /// The instructions of one iteration of the shared loop, without accesses to global memory.
    fn instructions(
        &self,
        code: Option<&DeviceCode>,
        phase: &Phase,
        share: &ShareLater,
        is_first: bool,
    ) -> Instructions {
        let mut all = Instructions { arithmetic_parallelism: 1.0, ..Instructions::default() };
        let mut hottest = 0.0;
        for part in code.map(|code| &code.parts[..]).unwrap_or_default() {
            let executions = || self.bound.mean(&part.executions, phase, part.depth);
            let times = match part.shared {
                Some(of) if of == phase.of => executions(),
                // Code between the shared loops runs once for many iterations of the inner one, and code around all of them once for a thread.
                Some(of) if phase.parallel.contains(&of) => {
                    let inner = self.bound.mean_trips(&phase.parallel).last().copied().unwrap_or(Num::ONE);
                    executions() / inner.div_ceil(share.busy_threads).max(1.0)
                }
                // Code without loops is taken as if each thread had one iteration, as most have.
                None if is_first => match executions() {
                    times if times.known().is_some() => times,
                    times => times / share.omp_rep.max(1.0),
                },
                _ => continue,
            };
            for (class, count) in part.counts.iter().filter(|(class, _)| !is_global(*class)) {
                all.add(times, *class, count * part.chance);
            }
            let of = |is: fn(InstructionClass) -> bool| -> f64 {
                part.counts.iter().filter(|(class, _)| is(*class)).map(|(_, count)| count).sum()
            };
            let heat = of(|_| true) * part.chance * self.bound.times_of_a_thousand(&part.executions, phase, part.depth);
            if heat > hottest {
                hottest = heat;
                let (floats, integers) = (of(is_float), of(is_integer));
                all.arithmetic_parallelism = ((floats + integers) / floats.max(integers).max(1.0)).max(1.0);
                let stores = of(|class| matches!(class, InstructionClass::StoreGlobal | InstructionClass::Atomic));
                let loads = of(|class| class == InstructionClass::LoadGlobal);
                all.loads = Some(loads / stores.max(1.0)).filter(|loads| *loads > 0.0);
            }
        }
        all
    }

    fn cost(&self, class: InstructionClass, of: &str) -> Num {
        self.keys.leaf(&format!("gpu.{}.{of}", class.name()))
    }

    /// Cycles until results of arithmetic are there, and at barriers.
    fn arithmetic_waits(&self, instructions: &Instructions) -> Num {
        instructions.sum(|class, count| match class {
            _ if is_global(class) => Num::ZERO,
            InstructionClass::Barrier => {
                self.cost(class, "latency") * (count / instructions.arithmetic_parallelism)
                    + self.keys.leaf("gpu.barrier") * count
            }
            _ => self.cost(class, "latency") * (count / instructions.arithmetic_parallelism),
        })
    }

    /// Cycles of each kind of units of a multiprocessor, for a warp.
    fn units(&self, instructions: &Instructions) -> Vec<Num> {
        let of_pipe = |pipe: Pipe| {
            instructions.sum(|class, count| match self.pipes.get(&class) {
                Some(own) if *own == pipe => count * self.lanes / self.cost(class, "per_cycle"),
                _ => Num::ZERO,
            })
        };
        Pipe::ALL.into_iter().map(of_pipe).collect()
    }
}
