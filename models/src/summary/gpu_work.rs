//! What the device does, for the extended model.

use std::collections::BTreeMap;

use super::average::Point;
use super::bind::Known;
use super::instructions::{Parallelism, ratio};
use super::pattern::{Group, Threads};
use super::value::atoms_in;
use super::{AccessKind, Bound, DeviceCode};
use crate::error::ModelError;
use crate::form::Num;
use crate::gpu::geometry::{Launch, RuntimeDevice};
use crate::gpu::occupancy::TeamNeeds;
use crate::gpu::{self, Footprint, Work};
use crate::report::{InstructionClass, LoopKind};

/// Which version of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// With the loops as they were written.
    AsWritten,
    /// With the loops fused that the transformation names.
    Transformed,
}

/// The units in which a device moves data and sets memory aside for it, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// What moves.
    pub sector: f64,
    /// What a cache sets aside.
    pub line: f64,
}

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

/// A shared loop with the loops around it, as a version runs them.
pub(crate) struct Phase {
    /// The shared loop itself.
    pub(crate) of: usize,
    /// Sequential loops around shared ones.
    pub(crate) outside: Vec<usize>,
    /// The loops whose iterations are handed out, the slowest first.
    pub(crate) parallel: Vec<usize>,
}

/// How a version hands out the iterations of a phase.
pub(crate) struct HandedOut {
    /// The loops, the slowest first, with their iterations: whole numbers where these are known.
    pub(crate) loops: Vec<(usize, Num)>,
    /// Of all of them together.
    pub(crate) iterations: Num,
    /// Those that teams share, and those that the threads of a team do.
    pub(crate) of_teams: Num,
    pub(crate) of_threads: Num,
    /// Whether a team works on one iteration of the outer loops at a time.
    pub(crate) is_nested: bool,
    pub(crate) has_teams: bool,
}

impl Bound<'_> {
    /// The phases of a version; none where the version does not exist.
    pub(crate) fn phases(&self, version: Version) -> Option<Vec<Phase>> {
        let summary = self.summary;
        let phase = |of: usize| {
            let chain = summary.chain(Some(of));
            let is_shared = |l: &usize| summary.loops[*l].kind != LoopKind::Sequential;
            let (parallel, outside) = chain.into_iter().partition(is_shared);
            Phase { of, outside, parallel }
        };
        let phases: Vec<Phase> = summary.phases().into_iter().map(phase).collect();
        match version {
            Version::AsWritten => Some(phases),
            Version::Transformed => {
                let threads = &summary.transformed.as_ref()?.threads;
                // Only whole kernels of one shared loop are changed.
                let [only] = &phases[..] else { return None };
                threads
                    .contains(&only.of)
                    .then(|| vec![Phase { of: only.of, outside: only.outside.clone(), parallel: threads.clone() }])
            }
        }
    }

    pub(crate) fn handed_out(&self, phase: &Phase, version: Version) -> HandedOut {
        let all = [&phase.outside[..], &phase.parallel[..]].concat();
        let whole = |trips: Num| if self.known == Known::Now { trips.ceil() } else { trips };
        let trips = self.mean_trips(&all).split_off(phase.outside.len()).into_iter().map(whole);
        let loops: Vec<(usize, Num)> = phase.parallel.iter().copied().zip(trips).collect();
        let product = |loops: &[(usize, Num)]| loops.iter().map(|(_, trips)| *trips).product::<Num>();
        let iterations = product(&loops);
        let (last, outer) = loops.split_last().map_or((iterations, &loops[..]), |(last, outer)| (last.1, outer));
        let is_nested = version == Version::AsWritten && loops.len() > 1;
        let (of_teams, of_threads) = if is_nested { (product(outer), last) } else { (iterations, iterations) };
        let has_teams = phase.parallel.iter().any(|l| self.summary.loops[*l].kind != LoopKind::For);
        HandedOut { iterations, of_teams, of_threads, is_nested, has_teams, loops }
    }

    /// The loops of a thread around an access of the phase, the outermost first.
    pub(crate) fn inner(&self, phase: &Phase, in_loop: Option<usize>) -> Vec<usize> {
        let chain = self.summary.chain(in_loop);
        chain.into_iter().filter(|l| !phase.parallel.contains(l) && !phase.outside.contains(l)).collect()
    }

    /// The mean number of iterations of each loop when it is reached.
    pub(crate) fn mean_trips(&self, loops: &[usize]) -> Vec<Num> {
        let mut before = Num::ONE;
        let mut trips = Vec::new();
        for depth in 1..=loops.len() {
            if self.known == Known::Later && !self.depends(loops[depth - 1], &loops[..depth - 1]) {
                trips.push(self.trips(loops[depth - 1], &Point::new()));
                before *= trips[depth - 1];
                continue;
            }
            let reached = self.sum(&loops[..depth], &mut Point::new(), &[], &|_| Num::ONE);
            trips.push(ratio(reached, before));
            before = reached;
        }
        trips
    }

    /// Whether the iterations of a loop depend on those of others, but through loaded values, which nobody knows later.
    fn depends(&self, of: usize, on: &[usize]) -> bool {
        let trips = self.summary.loops[of].trips.as_ref();
        let atoms = trips.map_or_else(|_| Vec::new(), |trips| atoms_in(&self.summary.space, trips));
        on.iter().any(|l| atoms.contains(&self.summary.loops[*l].index))
    }

    /// What the device does, shared loop by shared loop. `None` where there is no such version.
    ///
    /// # Errors
    /// If a clause or a chunk has no meaning.
    pub fn device_work(
        &self,
        processor: &str,
        device: &RuntimeDevice,
        grain: Grain,
        version: Version,
    ) -> Result<Option<Vec<DeviceWork>>, ModelError> {
        let Some(phases) = self.phases(version) else { return Ok(None) };
        let code = self.code_for(processor);
        if code.is_none_or(|code| code.parts.is_empty()) {
            self.note("the report has no instructions of the device's code: only its accesses are counted");
        }
        let mut works = Vec::new();
        for (number, phase) in phases.iter().enumerate() {
            let is_first = number == 0;
            works.push(self.work_of(phase, code, device, grain, version, is_first)?);
        }
        Ok(Some(works))
    }

    fn work_of(
        &self,
        phase: &Phase,
        code: Option<&DeviceCode>,
        device: &RuntimeDevice,
        grain: Grain,
        version: Version,
        is_first: bool,
    ) -> Result<DeviceWork, ModelError> {
        let outside: f64 = self.mean_trips(&phase.outside).into_iter().map(Num::get).product();
        let handed_out = self.handed_out(phase, version);
        let launch = self.launch(device, handed_out.has_teams, handed_out.of_teams.get())?;
        let workers = self.workers(device.lanes.into(), launch.threads.into()).get() as u64;
        let (share, step) = self.shares(phase, &handed_out, launch, workers)?;
        let busy = share.busy_threads as f64;
        let parallel: Vec<(usize, f64)> = handed_out.loops.iter().map(|(of, trips)| (*of, trips.get())).collect();
        let threads = Threads { loops: parallel.clone(), step };
        // A team of a nest works on one iteration of the outer loops.
        let mut at_once = threads.clone();
        if handed_out.is_nested
            && let Some((_, trips)) = at_once.loops.last_mut()
        {
            *trips = trips.min(busy * step).max(1.0);
        }

        let instructions = code.map(|code| self.instructions(code, phase, &share, is_first)).unwrap_or_default();
        let factor = if code.is_some() { self.instructions_factor(version, phase) } else { 1.0 };
        let counts: BTreeMap<InstructionClass, f64> =
            instructions.counts.iter().map(|(class, count)| (*class, count * factor)).collect();

        let groups = self.groups(phase.of);
        let nest = Nest {
            phase,
            parallel: &parallel,
            threads: &threads,
            at_once: &at_once,
            busy,
            launch,
            sector: grain.sector,
            line: grain.line,
        };
        let accesses: Vec<(gpu::Access, Published)> = groups.iter().map(|group| self.access(group, &nest)).collect();
        let work = Work {
            iterations: handed_out.iterations.get() as u64,
            launch,
            omp_rep: share.omp_rep,
            longest: self.longest(phase, Num::ONE).get(),
            busy_threads: share.busy_threads,
            requests: share.requests,
            needs: TeamNeeds {
                threads: launch.threads,
                registers: code.and_then(|code| code.registers).unwrap_or(0),
                shared: code.and_then(|code| code.shared).unwrap_or(0),
            },
            barriers: counts.get(&InstructionClass::Barrier).copied().unwrap_or(0.0),
            instructions: counts,
            // Accesses to shared memory are counted without conflicts.
            bank_passes: 0.0,
            accesses: Vec::new(),
            arithmetic_parallelism: instructions.parallelism.arithmetic,
            memory_parallelism: self.memory_parallelism(&groups, instructions.parallelism),
        };
        let (accesses, published): (Vec<gpu::Access>, Vec<Published>) = accesses.into_iter().unzip();
        let name = self.summary.loops[phase.of].name.clone();
        Ok(DeviceWork { name, repeats: outside, work: Work { accesses, ..work }, published })
    }

    /// Loads of a thread that can be under way together: those of the code, or of the innermost loops; half of them where one waits for
    /// another one's value.
    pub(crate) fn memory_parallelism(&self, groups: &[Group], of_code: Parallelism) -> f64 {
        let depth = |group: &Group| self.summary.chain(group.in_loop).len();
        let deepest = groups.iter().map(depth).max().unwrap_or(0);
        let innermost = groups.iter().filter(|group| group.kind == AccessKind::Load && depth(group) == deepest);
        let loads = of_code.loads.unwrap_or_else(|| innermost.map(|group| group.offsets.len() as f64).sum());
        let is_chained = groups.iter().any(|group| group.address.is_some() && self.is_indirect(group));
        (loads / if is_chained { 2.0 } else { 1.0 }).max(1.0)
    }

    /// A group of accesses for the model, and whether it is coalesced.
    fn access(&self, group: &Group, nest: &Nest<'_>) -> (gpu::Access, Published) {
        let inner = self.inner(nest.phase, group.in_loop);
        let all = [&nest.phase.outside[..], &nest.phase.parallel[..], &inner[..]].concat();
        let trips = self.mean_trips(&all).split_off(nest.phase.outside.len() + nest.phase.parallel.len());
        let inner: Vec<(usize, f64)> = inner.into_iter().zip(trips.into_iter().map(Num::get)).collect();
        let lanes = self.summary.lanes;
        let (sectors, in_step) = self.sectors(group, nest.threads, &inner, lanes, nest.sector);
        let references = group.offsets.len() as f64;
        let teams = nest.launch.teams as f64;
        let all_iterations: f64 = nest.parallel.iter().map(|(_, trips)| trips).product();
        let mut further = Footprint { warp: sectors * nest.sector, team: 0.0, grid: 0.0, spread: 1.0 };
        let mut footprints = Vec::new();
        for depth in (0..=inner.len()).rev() {
            let (around, inside) = inner.split_at(depth);
            let touched = |threads: &Threads, together: f64| {
                self.pieces(group, threads, together, around, inside, nest.sector) * nest.sector
            };
            let executions: f64 = inside.iter().map(|(_, trips)| trips.max(1.0)).product();
            // No more than every execution's own sectors.
            let most = sectors * nest.sector * references * executions;
            let warp = touched(nest.at_once, f64::from(lanes).min(nest.busy)).clamp(further.warp.min(most), most);
            let warps = (nest.busy / f64::from(lanes)).ceil().max(1.0);
            let team = touched(nest.at_once, nest.busy).clamp(warp.min(warp * warps), warp * warps).max(further.team);
            let whole_grid = touched(nest.at_once, (nest.busy * teams).min(all_iterations));
            let grid = whole_grid.clamp(team, team * teams).max(further.grid);
            let pieces = |piece: f64| self.pieces(group, nest.at_once, nest.busy, around, inside, piece) * piece;
            let spread = (pieces(nest.line) / pieces(nest.sector)).clamp(1.0, nest.line / nest.sector);
            further = Footprint { warp, team, grid, spread };
            footprints.push(further);
        }
        footprints.reverse();
        let body = footprints.pop().unwrap_or(further);
        let total = self.pieces(
            group,
            &Threads { step: 1.0, ..nest.threads.clone() },
            all_iterations,
            &[],
            &inner,
            nest.sector,
        );
        let total = (total * nest.sector).max(further.grid);
        let conditions: Vec<&ipda_symbolic::Polynomial> =
            group.conditions.iter().filter_map(super::Condition::expression).collect();
        let reached = self.sum(&all, &mut Point::new(), &[], &|_| Num::ONE).get();
        let made = if group.active.is_some() || reached == 0.0 {
            reached
        } else {
            self.sum(&all, &mut Point::new(), &conditions, &|point| self.chance(&group.conditions, point)).get()
        };
        let active = group.active.as_ref().map_or(f64::from(lanes), |active| active.len() as f64);
        let least = (active * group.bytes / nest.sector).ceil().max(1.0);
        // On average over alignments, an access that begins within a sector touches one more.
        let published = Published { is_coalesced: sectors <= least + 1.0, bytes_of_warp: active * group.bytes };
        let access = gpu::Access {
            name: group.object.clone(),
            kind: group.kind.into(),
            references,
            probability: if reached > 0.0 { (made / reached).clamp(0.0, 1.0) } else { 1.0 },
            sectors,
            in_step: in_step.min(sectors),
            loops: inner
                .iter()
                .zip(footprints)
                .map(|((_, trips), footprint)| gpu::Loop { trips: *trips, footprint })
                .collect(),
            body,
            total,
        };
        (access, published)
    }
}

/// What all groups of a phase have in common.
struct Nest<'a> {
    phase: &'a Phase,
    parallel: &'a [(usize, f64)],
    threads: &'a Threads,
    at_once: &'a Threads,
    busy: f64,
    launch: Launch,
    sector: f64,
    line: f64,
}
