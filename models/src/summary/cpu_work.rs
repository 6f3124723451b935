//! What the host does, for the extended model.

use ipda_symbolic::Polynomial;

use super::average::Point;
use super::gpu_work::{Phase, Version};
use super::pattern::{Group, Threads};
use super::{AccessKind, Bound, Handout, HostCost, Shift};
use crate::cpu::{self, Access, AcrossLines, CpuMachine, HostRequest, Lines, ParallelLoop, ScheduleLater};
use crate::form::Num;
use crate::quantity::{Bytes, Cycles};
use crate::report::LoopKind;

/// One shared loop of the region on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostWork {
    /// How often it is run.
    pub repeats: f64,
    /// Whether each time the threads start anew, as in a `distribute` loop of one team.
    pub starts_threads: bool,
    /// What it does.
    pub work: ParallelLoop,
    /// What an iteration costs, and who says so.
    pub cost: HostCost,
    /// Pages that all iterations touch.
    pub pages: f64,
}

impl Bound<'_> {
    /// The clauses as libomp sees them.
    pub fn host_request(&self) -> HostRequest {
        let clauses = &self.summary.clauses;
        let clause = |p: &Option<Polynomial>| {
            p.as_ref().and_then(|p| self.at(p, &Point::new()).ok()).map(|value| value.get().max(0.0) as u64)
        };
        let (thread_limit, num_threads) = (clause(&clauses.thread_limit), clause(&clauses.num_threads));
        let has_teams =
            self.summary.loops.iter().any(|l| matches!(l.kind, LoopKind::Distribute | LoopKind::DistributeParallelFor));
        if has_teams {
            HostRequest::Teams { num_teams: clause(&clauses.num_teams), thread_limit, num_threads }
        } else {
            HostRequest::Parallel { thread_limit, num_threads }
        }
    }

    /// What the host does, shared loop by shared loop. `processor` is LLVM's name of the CPU, `width` the instructions that it starts in
    /// a cycle.
    pub fn host_work(&self, machine: &CpuMachine, processor: &str, width: Option<f64>, threads: u64) -> Vec<HostWork> {
        let phases = self.phases(Version::AsWritten).unwrap_or_default();
        phases.iter().map(|phase| self.host_phase(phase, machine, processor, width, threads)).collect()
    }

    fn host_phase(
        &self,
        phase: &Phase,
        machine: &CpuMachine,
        processor: &str,
        width: Option<f64>,
        threads: u64,
    ) -> HostWork {
        // With one team, it goes through the iterations of an outer `distribute` one after another.
        let (last, before) = phase.parallel.split_last().map_or((phase.of, &[][..]), |(last, before)| (*last, before));
        let outer = [&phase.outside[..], before].concat();
        let all = [&outer[..], &[last]].concat();
        let trips: Vec<f64> = self.mean_trips(&all).into_iter().map(Num::get).collect();
        let repeats: f64 = trips[..outer.len()].iter().product();
        let iterations = trips.last().copied().unwrap_or(0.0).ceil();
        let own = Phase { of: phase.of, outside: outer.clone(), parallel: vec![last] };
        let groups = self.groups(phase.of);
        let threads_of_loop = Threads { loops: vec![(last, iterations)], step: 1.0 };
        let fetching = self.fetching(&groups);
        let shifts = self.shifts(&fetching);
        let accesses: Vec<Access> = fetching
            .iter()
            .zip(shifts)
            .map(|(group, shift)| self.host_access(group, shift, &own, &threads_of_loop, machine))
            .collect();
        let cost = self.host_cost(&own, processor, width, iterations, threads);
        let parallelism = self.misses_under_way(&groups, &own, machine.outstanding_misses.into()).get();
        let schedule = self.host_schedule(phase.of);
        let longest = self.longest_on_host(&own, schedule, Num::new((iterations / threads as f64).ceil())).get();
        let pages = accesses.iter().map(|access| access.whole.pages).sum();
        HostWork {
            repeats,
            starts_threads: !before.is_empty(),
            work: ParallelLoop {
                name: self.summary.loops[phase.of].name.clone(),
                iterations: iterations as u64,
                schedule: schedule.now(),
                handout: self.host_handout(phase.of),
                longest,
                cycles_per_iteration: Cycles::new(cost.cycles),
                across_lines: self.across_lines(&groups, &own, &threads_of_loop, machine.line.get()),
                memory_parallelism: parallelism.max(1.0),
                accesses,
            },
            cost,
            pages,
        }
    }

    /// The groups that fetch lines. A store fetches its lines itself: what is read at the same place, in an order that is fetched ahead,
    /// comes with it.
    pub(crate) fn fetching<'g>(&self, groups: &'g [Group]) -> Vec<&'g Group> {
        let comes_with_store = |group: &Group| {
            let is_same =
                |store: &Group| store.kind != AccessKind::Load && store.offsets == group.offsets && store.is_at(group);
            group.kind == AccessKind::Load && groups.iter().any(is_same) && !self.is_indirect(group)
        };
        groups.iter().filter(|group| !comes_with_store(group)).collect()
    }

    /// Misses that the code has under way, of at most so many. Loads of different iterations do not wait for each other, as far as the
    /// processor looks ahead; of a chain, half.
    pub(crate) fn misses_under_way(&self, groups: &[Group], phase: &Phase, most: Num) -> Num {
        let loads = groups.iter().filter(|group| group.kind == AccessKind::Load);
        let loads: f64 = loads.map(|group| group.offsets.len() as f64).sum();
        let is_chained = groups.iter().any(|group| group.address.is_some() && self.is_indirect(group));
        let misses = most.min(self.innermost_trips(groups, phase).max(1.0) * loads.max(1.0));
        if is_chained { misses / 2.0 } else { misses }
    }

    /// Iterations of the innermost loops around accesses, which out-of-order execution has under way together.
    fn innermost_trips(&self, groups: &[Group], phase: &Phase) -> Num {
        let deepest = groups.iter().max_by_key(|group| self.summary.chain(group.in_loop).len());
        let Some(deepest) = deepest else { return Num::ONE };
        let inner = self.inner(phase, deepest.in_loop);
        let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
        self.mean_trips(&all).last().copied().unwrap_or(Num::ONE)
    }

    /// What the thread with the longest iterations does, over what one does on average, of so many iterations of a thread. Others take
    /// what a long iteration leaves, but under a static schedule without chunks.
    pub(crate) fn longest_on_host(&self, phase: &Phase, schedule: ScheduleLater, of_thread: Num) -> Num {
        match schedule {
            ScheduleLater::Static => self.longest(phase, of_thread),
            ScheduleLater::Chunked(_) | ScheduleLater::Dynamic(_) | ScheduleLater::Guided => Num::ONE,
        }
    }

    pub(crate) fn host_schedule(&self, of: usize) -> ScheduleLater {
        let length = |p: &Polynomial| self.at(p, &Point::new()).unwrap_or(Num::ONE).max(1.0);
        match &self.summary.loops[of].schedule {
            Handout::Default | Handout::Block => ScheduleLater::Static,
            Handout::InTurn(chunk) => ScheduleLater::Chunked(length(chunk)),
            Handout::Dynamic(chunk) => ScheduleLater::Dynamic(length(chunk)),
            Handout::Guided => ScheduleLater::Guided,
            Handout::Other(text) => {
                self.note(format!("the host's schedule ({text}) is taken as the default one"));
                ScheduleLater::Static
            }
        }
    }

    pub(crate) fn host_handout(&self, of: usize) -> cpu::Handout {
        match self.summary.loops[of].kind {
            LoopKind::DistributeParallelFor => cpu::Handout::TeamsAndThreads,
            _ => cpu::Handout::Threads,
        }
    }

    /// How many vectors of one iteration lie across two lines.
    fn across_lines(&self, groups: &[Group], phase: &Phase, threads: &Threads, line: f64) -> AcrossLines {
        let mut across = AcrossLines { loads: 0.0, stores: 0.0 };
        for group in groups {
            let inner = self.inner(phase, group.in_loop);
            let innermost = inner.last().copied().unwrap_or(threads.loops[0].0);
            let distance = self.distance(group, innermost);
            let Some(share) = distance.and_then(|distance| self.share_across_lines(group, distance, line)) else {
                continue;
            };
            let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
            let trips = self.mean_trips(&all).split_off(all.len() - inner.len()).into_iter().product::<Num>().get();
            let executions = trips * self.probability(group, &all) * share;
            match group.kind {
                AccessKind::Load => across.loads += executions,
                AccessKind::Store | AccessKind::Atomic => across.stores += executions,
            }
        }
        across
    }

    /// How many vectors across lines there are for one execution of a group whose executions are that far apart: where they follow each
    /// other, and arrays begin anywhere in a line, one vector at each line's end, of whatever width. None where they do not, and where each
    /// executes alone.
    pub(crate) fn share_across_lines(&self, group: &Group, distance: f64, line: f64) -> Option<f64> {
        let is_vector = distance == group.bytes && distance < line && group.kind != AccessKind::Atomic;
        is_vector.then(|| group.offsets.len() as f64 * distance / line)
    }

    /// How likely an access is made where its loop's body runs.
    fn probability(&self, group: &Group, all: &[usize]) -> f64 {
        let conditions: Vec<&Polynomial> = group.conditions.iter().filter_map(super::Condition::expression).collect();
        let reached = self.sum(all, &mut Point::new(), &[], &|_| Num::ONE).get();
        let made = self.sum(all, &mut Point::new(), &conditions, &|point| self.chance(&group.conditions, point)).get();
        if reached > 0.0 { (made / reached).clamp(0.0, 1.0) } else { 1.0 }
    }

    fn host_access(
        &self,
        group: &Group,
        shift: Option<Shift>,
        phase: &Phase,
        threads: &Threads,
        machine: &CpuMachine,
    ) -> Access {
        let inner = self.inner(phase, group.in_loop);
        let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
        let outside = phase.outside.len() + phase.parallel.len();
        let trips = self.mean_trips(&all).split_off(outside);
        let inner: Vec<(usize, f64)> = inner.into_iter().zip(trips.into_iter().map(Num::get)).collect();
        let (line, page) = (machine.line.get(), machine.tlb.page.get());
        let touched = |together: f64, around: &[(usize, f64)], inside: &[(usize, f64)]| Lines {
            lines: self.pieces(group, threads, together, around, inside, line),
            pages: self.pieces(group, threads, together, around, inside, page),
        };
        let mut further = touched(1.0, &inner, &[]);
        let body = further;
        let mut loops = Vec::new();
        for depth in (0..inner.len()).rev() {
            let (around, inside) = inner.split_at(depth);
            let found = touched(1.0, around, inside);
            let executions: f64 = inside.iter().map(|(_, trips)| trips.max(1.0)).product();
            further = Lines {
                lines: found.lines.min(body.lines * executions).max(further.lines),
                pages: found.pages.min(body.pages * executions).max(further.pages),
            };
            loops.push(cpu::Loop { trips: inner[depth].1, footprint: further });
        }
        loops.reverse();
        let iterations = threads.loops[0].1;
        let found = touched(iterations, &[], &inner);
        let whole = Lines { lines: found.lines.max(further.lines), pages: found.pages.max(further.pages) };
        let whole = self.own_part(shift, &threads.loops, &inner, &mut loops, whole);
        Access {
            name: group.object.clone(),
            kind: match group.kind {
                AccessKind::Load => cpu::AccessKind::Load,
                AccessKind::Store | AccessKind::Atomic => cpu::AccessKind::Store,
            },
            stride: self.stride(group, threads, &inner).map(Bytes::new),
            probability: self.probability(group, &all),
            loops,
            body,
            whole,
        }
    }

    /// What of an access's data is not that of the one that it is shifted from: footprints of the loops that lead from one to the other,
    /// and of all around them.
    fn own_part(
        &self,
        shift: Option<Shift>,
        threads: &[(usize, f64)],
        inner: &[(usize, f64)],
        loops: &mut [cpu::Loop],
        whole: Lines,
    ) -> Lines {
        let Some(shift) = shift else { return whole };
        let part = |lines: Lines, trips: f64| {
            let share = shift.share_of_new(trips);
            Lines { lines: lines.lines * share, pages: lines.pages * share }
        };
        match inner.iter().position(|(of, _)| *of == shift.of) {
            Some(at) => {
                let trips = inner[at].1;
                loops[..=at].iter_mut().for_each(|around| around.footprint = part(around.footprint, trips));
                part(whole, trips)
            }
            None => threads.iter().find(|(of, _)| *of == shift.of).map_or(whole, |(_, trips)| part(whole, *trips)),
        }
    }

    /// The distance between two successive executions, in the innermost loop that moves the address.
    fn stride(&self, group: &Group, threads: &Threads, inner: &[(usize, f64)]) -> Option<f64> {
        let innermost = inner.last().map_or(threads.loops[0].0, |(of, _)| *of);
        self.distance(group, innermost)
    }
}
