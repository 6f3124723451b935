//! What a version of a region does on the device.

use ipda_symbolic::Polynomial;
use std::collections::BTreeMap;

use super::device::{Grain, OnDevice, Room};
use super::device_access::Grid;

use super::instructions::{Parallelism, THOUSAND};
use super::own_memory::{OnStack, STACK};
use super::pattern::Group;
use super::phase::{HandedOut, Phase, Taken};
use super::reach::Threads;
use super::value::Point;
use super::{AccessKind, Bound, DeviceCode, DevicePart, InLockstep};
use crate::error::{ModelError, some};
use crate::form::{Num, Truth};
use crate::gpu::extended::{Access, Filling, Handed, Instructions, Kernel};
use crate::gpu::geometry::{
    ExecutionMode, HighTripCount, Launch, RuntimeDevice, Shared, Teams, share_of_busiest, share_of_chunks, started,
};
use crate::gpu::occupancy::TeamNeeds;
use crate::gpu::{self, Work};
use crate::report::{InstructionClass, Lockstep, LoopKind};
use crate::spread::Cause;
use crate::versions::VersionId;

/// One shared loop of the region on the device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceWork {
    /// The loop, for people.
    pub name: String,
    /// How often the kernel goes through it.
    pub repeats: f64,
    /// What it does.
    pub work: Work,
    /// Its groups of accesses as the published model sees them.
    pub published: Vec<Published>,
}

/// A group of accesses as the published model sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// Whether it is coalesced.
    pub is_coalesced: bool,
    /// Bytes that the lanes of a warp ask for.
    pub bytes_of_warp: f64,
}

/// A shared loop on the device: [`DeviceWork`], in numbers that may be known later.
pub(crate) struct PhaseOnDevice {
    of: usize,
    /// How often the kernel goes through it.
    pub(crate) repeats: Num,
    launched: Launched,
    busy_teams: Num,
    /// Teams for which a multiprocessor has room, where that is known.
    fits: Num,
    registers: u64,
    shared: u64,
    iterations: Num,
    share: Shared,
    longest: Num,
    filling: Filling,
    /// Without accesses to global memory.
    instructions: Instructions,
    accesses: Vec<Access>,
    /// The group of each, first of all accesses.
    groups: Vec<Group>,
    memory_parallelism: Num,
    /// Critical sections of all threads.
    sections: Num,
}

/// The finished code of a phase.
struct OfCode<'a> {
    code: Option<&'a DeviceCode>,
    phase: &'a Phase,
    version: VersionId,
    share: &'a Shared,
    /// Whether threads take several iterations in lockstep.
    in_lockstep: Truth,
}

/// What the runtime starts.
#[derive(Clone, Copy)]
struct Launched {
    teams: Num,
    threads: Num,
    /// Of a team, the most that a parallel region in it takes.
    at_work: Option<Num>,
    /// The teams beyond which they are used again.
    max_teams: Num,
    /// Whether the threads of a team are whole warps that all get iterations, but for the last ones.
    has_full_warps: bool,
}

impl Bound<'_> {
    /// What the device does, shared loop by shared loop. `None` where there is no such version. Where its `room` is not known, all teams run at a time.
    ///
    /// # Errors
    /// If a clause or a chunk has no meaning.
    pub fn device_work(
        &self,
        processor: &str,
        device: &RuntimeDevice,
        grain: Grain,
        room: Option<&Room>,
        version: VersionId,
    ) -> Result<Option<Vec<DeviceWork>>, ModelError> {
        OnDevice { bound: self, processor, runtime: &device.into(), grain, room }.work(version)
    }

    /// Loads of a thread that can be under way together: those of the code, or of the innermost loops; half of them where one waits for
    /// another one's value.
    pub(crate) fn memory_parallelism(&self, groups: &[Group], of_code: Parallelism) -> Num {
        let depth = |group: &Group| self.summary.chain(group.in_loop).len();
        let deepest = groups.iter().map(depth).max().unwrap_or(0);
        let innermost = groups.iter().filter(|group| group.kind == AccessKind::Load && depth(group) == deepest);
        let loads = of_code.loads.unwrap_or_else(|| innermost.map(|group| group.offsets.len() as f64).sum());
        let is_chained = groups.iter().any(|group| group.address.is_some() && self.is_indirect(group));
        if groups.iter().any(|group| self.is_indirect(group)) {
            self.rests_on(Cause::DataDependentAddresses);
        }
        Num::new((loads / if is_chained { 2.0 } else { 1.0 }).max(1.0))
    }
}

impl OnDevice<'_> {
    /// The shared loops of a version; none where it does not exist.
    pub(crate) fn phases(&self, version: VersionId) -> Option<Vec<PhaseOnDevice>> {
        self.of_version(version, |device| device.phases_here(version))
    }

    /// What is asked of a version, of the region whose loops are its digits where threads run such.
    fn of_version<T>(&self, version: VersionId, ask: impl FnOnce(&OnDevice<'_>) -> T) -> T {
        match self.by_digits(version) {
            Some(bound) => {
                let result = ask(&OnDevice { bound: &bound, ..*self });
                self.bound.assume_as(&bound);
                result
            }
            None => ask(self),
        }
    }

    /// The region whose loops are a version's digits, with the numbers of teams and threads of its launch.
    fn by_digits(&self, version: VersionId) -> Option<Bound<'_>> {
        let bound = self.bound.of_digits(self.summary().digits_of(version)?)?;
        let phase = bound.phases(version)?.into_iter().next()?;
        let launched = OnDevice { bound: &bound, ..*self }.launched(&phase, &bound.handed_out(&phase));
        Some(bound.with_launch(launched.teams, launched.threads))
    }

    fn phases_here(&self, version: VersionId) -> Option<Vec<PhaseOnDevice>> {
        let phases = self.bound.phases(version)?;
        let code = self.bound.code_for(self.processor);
        if code.is_none_or(|code| code.parts.is_empty()) {
            self.bound.note("the report has no instructions of the device's code: only its accesses are counted");
            self.bound.rests_on(Cause::NoCode);
        }
        let of = |(number, phase): (usize, &Phase)| {
            let is_first_in = |of: Option<usize>| match of {
                Some(of) => !phases[..number].iter().any(|before| before.parallel.contains(&of)),
                None => number == 0,
            };
            self.phase(phase, version, code, &is_first_in)
        };
        Some(phases.iter().enumerate().map(of).collect())
    }

    fn phase(
        &self,
        phase: &Phase,
        version: VersionId,
        code: Option<&DeviceCode>,
        is_first_in: &dyn Fn(Option<usize>) -> bool,
    ) -> PhaseOnDevice {
        let handed_out = self.bound.handed_out(phase);
        // What is launched is as many as there are iterations.
        let launched = self.launched(phase, &handed_out);
        let taken = self.taken(code, phase, version, &handed_out, launched);
        let handed_out = match &taken {
            Some(taken) => self.bound.handed_out_in_lockstep(phase, handed_out, taken),
            None => handed_out,
        };
        let chunk = self.chunk(phase, version, &handed_out);
        let (share, step) = self.share(phase, &handed_out, launched, chunk);
        let with_chunks = |length| launched.teams.min(handed_out.of_teams.div_ceil(length)).max(1.0);
        let busy_teams = chunk.map_or(launched.teams, with_chunks);
        let busy_teams = match &taken {
            Some(_) => busy_teams.min(handed_out.iterations.div_ceil(launched.threads).max(1.0)),
            None => busy_teams,
        };
        let has_full_warps = launched.has_full_warps
            && self.summary().team_chunk.is_none_or(|chunk| chunk.is_multiple_of(self.summary().lanes.into()));
        let threads = Threads {
            loops: handed_out.loops.clone(),
            step,
            apart: phase.apart.clone(),
            lanes: phase.lanes.clone(),
            taken,
        };
        // A team of a nest works on one iteration of the outer loops.
        let mut at_once = threads.clone();
        if handed_out.is_nested
            && let Some((_, trips)) = at_once.loops.last_mut()
        {
            *trips = trips.min(share.busy_threads * step).max(1.0);
        }
        let [registers, shared] =
            [code.and_then(|code| code.registers), code.and_then(|code| code.shared)].map(|needed| needed.unwrap_or(0));
        let (fits, teams_at_a_time) = match self.room {
            Some(room) => {
                let fits = room.of_multiprocessor(launched.threads, registers, shared);
                (fits, busy_teams.min(fits * room.multiprocessors))
            }
            None => (busy_teams, busy_teams),
        };
        let groups = self.bound.groups(phase.of);
        let grid = Grid {
            phase,
            threads: &threads,
            at_once: &at_once,
            busy: share.busy_threads,
            teams: teams_at_a_time,
            iterations: handed_out.iterations,
            // Code is of the version that runs.
            turns: &self.bound.turns(&groups, code.filter(|_| version == self.summary().version_that_runs()), phase),
        };
        let done = threads.taken.as_ref().map_or(Truth::NEVER, |taken| taken.is_done);
        let of_code = OfCode { code, phase, version, share: &share, in_lockstep: done };
        let (instructions, stack, of_code) = self.instructions(&of_code, is_first_in);
        let sections = self.sections(phase) * handed_out.iterations;
        let on_stack = self.on_stack(&stack, busy_teams, launched.threads);
        PhaseOnDevice {
            of: phase.of,
            repeats: self.bound.mean_trips(&phase.outside).into_iter().product(),
            launched,
            busy_teams,
            fits,
            registers,
            shared,
            iterations: handed_out.iterations,
            share,
            longest: self.bound.longest(phase, chunk.unwrap_or(Num::ONE)),
            filling: if step == Num::ONE && has_full_warps { Filling::InTurn } else { Filling::Evenly },
            instructions,
            sections,
            accesses: self.accesses(&groups, &grid).into_iter().chain(on_stack).collect(),
            memory_parallelism: done.choose(
                self.bound.memory_parallelism(&groups, of_code[1]),
                self.bound.memory_parallelism(&groups, of_code[0]),
            ),
            groups,
        }
    }

    /// Critical sections of one iteration of the shared loop.
    fn sections(&self, phase: &Phase) -> Num {
        let summary = self.summary();
        let here = summary.critical.iter().filter(|of| summary.chain(Some(**of)).contains(&phase.of));
        let around = |of: &usize| self.bound.inner(phase, summary.loops[*of].parent);
        let sections: Num = here.map(|of| self.bound.mean_trips(&around(of)).into_iter().product::<Num>()).sum();
        if sections != Num::ZERO {
            self.bound.note("critical sections run one after the other, those of different teams as well: each goes to L2 and back three times");
        }
        sections
    }

    /// The iterations that a thread takes in lockstep, in code that can do so: the code asks whether there are many, and more teams than one.
    fn taken(
        &self,
        code: Option<&DeviceCode>,
        phase: &Phase,
        version: VersionId,
        handed_out: &HandedOut,
        launched: Launched,
    ) -> Option<Taken> {
        if version != self.summary().version_that_runs() || handed_out.is_nested {
            return None;
        }
        let of_phase = code?.parts.iter().filter(|part| part.shared == Some(phase.of));
        let InLockstep { several, of, apart, trips, least } =
            of_phase.filter_map(|part| part.lockstep.as_ref()).next()?;
        let at = |p: &Polynomial| self.bound.at(p, &Point::new()).ok();
        let apart = match apart {
            Some(apart) => Some((apart.clone(), at(apart)?.max(1.0))),
            None => None,
        };
        let trips = at(trips)?;
        let is_done = (handed_out.iterations.at_least(*least as f64))
            .and(trips.at_least(f64::from(Lockstep::MIN_WHOLE * several)))
            .and(launched.teams.more(1.0));
        let is_there = phase.parallel.contains(of);
        is_there.then(|| Taken {
            several: is_done.choose(f64::from(*several), Num::ONE),
            is_done,
            of: *of,
            apart,
            trips,
        })
    }

    fn launched(&self, phase: &Phase, handed_out: &HandedOut) -> Launched {
        let HandedOut { has_teams, of_teams, is_nested, .. } = *handed_out;
        let launched_with = self.bound.launched_with(phase.of);
        let trips = launched_with.unwrap_or(of_teams);
        let [num_teams, thread_limit, num_threads] = self.bound.clauses().map(|clause| clause.map(|n| n.max(1.0)));
        // A parallel region inside of `distribute` takes so many of the threads that are there: clang 19 launches no more or fewer for its clause.
        let (num_threads, at_work) = if is_nested { (None, num_threads) } else { (num_threads, None) };
        let limit = match (thread_limit, num_threads) {
            (Some(limit), Some(threads)) => Some(limit.min(threads)),
            (limit, threads) => limit.or(threads),
        };
        let device = self.runtime;
        let num_teams = if has_teams { num_teams } else { Some(Num::ONE) };
        let mode = self.summary().mode;
        let reported = has_teams.then_some(trips);
        let (teams, threads) = started(device, mode, num_teams, limit, reported, HighTripCount::ReuseTeams);
        // Where there is nothing to do, the runtime starts as many teams as the device has room for, and none finds anything.
        let (teams, threads) = if has_teams && num_teams.is_none() {
            let is_nothing = trips.less(1.0);
            (is_nothing.choose(device.default_teams, teams), is_nothing.choose(device.default_threads, threads))
        } else {
            (teams, threads)
        };
        let (teams, threads) = (teams.max(1.0), threads.max(1.0));
        let as_needed = num_teams.is_none() && mode == ExecutionMode::Spmd;
        // A launch that says another number than that of the threads' has no more teams for those.
        let max_teams =
            if as_needed && launched_with.is_none() { device.default_teams.min(device.max_teams) } else { teams };
        Launched { teams, threads, at_work, max_teams, has_full_warps: limit.is_none() && as_needed }
    }

    /// The iterations that a team takes at a time, where that is a number in the code.
    fn chunk(&self, phase: &Phase, version: VersionId, handed_out: &HandedOut) -> Option<Num> {
        let is_together =
            self.summary().loops[phase.of].kind == LoopKind::DistributeParallelFor && !handed_out.is_nested;
        // A program with changed loops has no such number.
        self.summary().team_chunk.filter(|_| is_together && version == VersionId::AS_WRITTEN).map(Num::from)
    }

    fn share(&self, phase: &Phase, handed_out: &HandedOut, launched: Launched, chunk: Option<Num>) -> (Shared, Num) {
        let Launched { teams, threads, at_work, max_teams, has_full_warps } = launched;
        let workers = self.bound.workers(self.lanes().into(), threads);
        let workers = at_work.map_or(workers, |most| workers.min(most));
        let own = handed_out.of_threads;
        let (pieces, step) = self.bound.pieces_of_threads(phase.of, own, workers);
        if let Some(chunk) = chunk {
            // The most teams are no fewer than it takes, where teams have no more threads than a chunk has iterations.
            let max_teams = if has_full_warps { max_teams } else { teams };
            return (share_of_chunks(own, Teams { max_teams, threads: workers }, chunk, pieces), step);
        }
        if !handed_out.is_nested {
            let is_for = self.summary().loops[phase.of].kind == LoopKind::For;
            let chunk = is_for.then(|| own.div_ceil(teams));
            return (share_of_busiest(own, Teams { max_teams, threads: workers }, chunk, pieces), step);
        }
        let rounds = handed_out.of_teams.div_ceil(teams);
        let of_round = share_of_busiest(own, Teams { max_teams: Num::ONE, threads: workers }, Some(own), pieces);
        let share = Shared { omp_rep: of_round.omp_rep * rounds, requests: of_round.requests * rounds, ..of_round };
        (share, step)
    }

    /// The region of digits that the finished code is of, where that is another version.
    fn counted_by_digits(&self, version: VersionId) -> Option<Bound<'_>> {
        let runs = self.summary().version_that_runs();
        (version != runs).then(|| self.by_digits(runs)).flatten()
    }

    /// The instructions of one iteration of the shared loop, without accesses to memory outside of a multiprocessor; those to the thread's own; and what
    /// of them can be under way together, of one iteration at a time and of several in lockstep.
    fn instructions(
        &self,
        of: &OfCode<'_>,
        is_first_in: &dyn Fn(Option<usize>) -> bool,
    ) -> (Instructions, OnStack, [Parallelism; 2]) {
        let OfCode { code, phase, version, share, in_lockstep } = *of;
        let by_digits = self.counted_by_digits(version);
        let bound = by_digits.as_ref().unwrap_or(self.bound);
        let counted = code.and_then(|_| bound.counted_phase(version, phase));
        let of_code = counted.as_ref().unwrap_or(phase);
        let factor = match &counted {
            Some(counted) => self.bound.instructions_factor(bound.handed_out(counted).iterations, phase),
            None => Num::ONE,
        };
        // What is around the loop is the same in all versions, and so is what comes with each chunk of it, as the end of a reduction: no barrier is
        // within iterations that threads share.
        let factor_of = |part: &DevicePart| {
            let is_barrier = |(class, _): &(InstructionClass, f64)| *class == InstructionClass::Barrier;
            let is_of_iterations = part.shared == Some(of_code.of) && !part.counts.iter().any(is_barrier);
            if is_of_iterations { factor } else { Num::ONE }
        };
        let mut counts = Vec::new();
        let repeats: Num = self.bound.mean_trips(&phase.outside).into_iter().product();
        let mut stack = OnStack::of(code.and_then(|code| code.stack));
        let mut parallelism = [Parallelism::default(); 2];
        let mut hottest = [0.0; 2];
        let share_of = |part: &DevicePart| match (part.is_of_several, part.shared) {
            (true, _) => in_lockstep.number(),
            (false, Some(of)) if of == of_code.of => 1.0 - in_lockstep.number(),
            (false, _) => Num::ONE,
        };
        // What digits are in the place of is said of the code in the region of digits alone.
        let code = if by_digits.is_some() { code.and_then(|_| bound.code_for(self.processor)) } else { code };
        for part in code.map(|code| &code.parts[..]).unwrap_or_default() {
            let times = bound.times_of(part, of_code, share.busy_threads, share.omp_rep, is_first_in, repeats);
            let with_iteration = bound.share_with_iteration(of_code.of, part);
            let Some(times) = times.map(|times| times * factor_of(part) * share_of(part) * with_iteration) else {
                continue;
            };
            for (class, count) in part.counts.iter().filter(|(class, _)| !class.is_of_global_memory()) {
                if !stack.takes(*class, times * (count * part.chance)) {
                    counts.push((times, *class, count * part.chance));
                }
            }
            let size: f64 = part.counts.iter().map(|(_, count)| count).sum();
            let heat = size * part.chance * bound.times_of_a_thousand(&part.executions, of_code, part.depth);
            // What a thread runs once, as the end of a reduction, has its own waits.
            let heat = if part.shared.is_some() { heat * THOUSAND } else { heat };
            let at = usize::from(part.is_of_several);
            if heat > hottest[at] {
                (hottest[at], parallelism[at]) = (heat, part.parallelism());
            }
        }
        let [of_one, of_several] = parallelism.map(|of| Num::new(of.arithmetic));
        let mut instructions = Instructions::new(in_lockstep.choose(of_several, of_one));
        for (times, class, count) in counts {
            instructions.add(times, class, count);
            if class == InstructionClass::Barrier {
                instructions.add_barriers(times, count);
            }
        }
        (instructions, stack, parallelism)
    }

    /// What the published model sees of a group whose lanes touch so many sectors.
    fn published(&self, group: &Group, sectors: f64) -> Published {
        let active = group.active.as_ref().map_or(self.lanes(), |active| active.len() as f64);
        let least = (active * group.bytes / self.grain.sector).ceil().max(1.0);
        // An access that begins within a sector touches one more.
        Published { is_coalesced: sectors <= least + 1.0, bytes_of_warp: active * group.bytes }
    }

    /// What a version does, in numbers that are known; none where it does not exist.
    ///
    /// # Errors
    /// If a clause has no meaning.
    pub(super) fn work(&self, version: VersionId) -> Result<Option<Vec<DeviceWork>>, ModelError> {
        self.of_version(version, |device| device.work_here(version))
    }

    fn work_here(&self, version: VersionId) -> Result<Option<Vec<DeviceWork>>, ModelError> {
        let [num_teams, thread_limit, num_threads] = self.bound.clauses();
        for (name, clause) in [("num_teams", num_teams), ("thread_limit", thread_limit), ("num_threads", num_threads)] {
            some(name, clause.map_or(1, |count| count.get() as u64))?;
        }
        let Some(phases) = self.phases_here(version) else { return Ok(None) };
        Ok(Some(phases.iter().map(|phase| self.known(phase)).collect()))
    }

    fn known(&self, phase: &PhaseOnDevice) -> DeviceWork {
        let count = |number: Num| number.get() as u64;
        let launch = Launch { teams: count(phase.launched.teams), threads: count(phase.launched.threads) };
        let (instructions, barriers): (BTreeMap<InstructionClass, f64>, f64) = phase.instructions.known();
        let published = |(at, access): (usize, &Access)| match phase.groups.get(at) {
            Some(group) => self.published(group, access.sectors.get()),
            None => Published { is_coalesced: true, bytes_of_warp: access.sectors.get() * self.grain.sector },
        };
        let of_group = |at: usize| phase.groups.get(at).map_or(STACK, |group| &group.object[..]);
        let accesses = phase.accesses.iter().enumerate();
        let accesses = accesses.map(|(at, access)| access.known(of_group(at), self.grain.sector));
        let iterations = count(phase.iterations);
        let work = Work {
            iterations,
            launch,
            // Of nothing, none has any.
            busy_teams: if iterations == 0 { 0 } else { count(phase.busy_teams) },
            omp_rep: count(phase.share.omp_rep),
            of_chunk: count(phase.share.of_chunk),
            longest: phase.longest.get(),
            busy_threads: if iterations == 0 { 0 } else { count(phase.share.busy_threads) },
            filling: phase.filling,
            requests: count(phase.share.requests),
            needs: TeamNeeds { threads: launch.threads, registers: phase.registers, shared: phase.shared },
            instructions,
            // Accesses to shared memory are counted without conflicts.
            bank_passes: 0.0,
            accesses: accesses.collect::<Vec<gpu::Access>>(),
            arithmetic_parallelism: phase.instructions.arithmetic_parallelism.get(),
            memory_parallelism: phase.memory_parallelism.get(),
            barriers,
            sections: phase.sections.get(),
        };
        DeviceWork {
            name: self.summary().loops[phase.of].name.clone(),
            repeats: phase.repeats.get(),
            work,
            published: phase.accesses.iter().enumerate().map(published).collect(),
        }
    }
}

impl PhaseOnDevice {
    /// Teams that the runtime starts.
    pub(crate) fn teams(&self) -> Num {
        self.launched.teams
    }

    /// The same for the model.
    pub(crate) fn kernel(self) -> Kernel {
        let mut instructions = self.instructions;
        for access in &self.accesses {
            instructions.add(access.executions(), access.kind.class(), access.references);
        }
        Kernel {
            handed: Handed {
                teams: self.busy_teams,
                fits: self.fits,
                busy_threads: self.share.busy_threads,
                iterations: self.iterations,
                omp_rep: self.share.omp_rep,
                of_chunk: self.share.of_chunk,
                longest: self.longest,
                requests: self.share.requests,
                filling: self.filling,
            },
            instructions,
            accesses: self.accesses,
            shared_memory: self.shared,
            memory_parallelism: self.memory_parallelism,
            sections: self.sections,
        }
    }
}
