//! What the host does, for the extended model.

use ipda_symbolic::Polynomial;

use super::count::Together;
use super::host_cost::Width;
use super::pattern::Group;
use super::phase::Phase;
use super::reach::{Extent, Move, Reach, Threads};
use super::value::Point;
use super::{AccessKind, Bound, Handout, HostCost, Shift};
use crate::cpu::extended::{Access, Parameters, SharedLoop, Touched};
use crate::cpu::{self, AcrossLines, CpuMachine, HostRequest, ParallelLoop, ScheduleLater, Start};
use crate::form::Num;
use crate::quantity::Cycles;
use crate::report::LoopKind;
use crate::reuse::reached;
use crate::versions::VersionId;

/// Accesses that are nearer to each other walk few pages, for each of which they touch many lines.
const FAR: f64 = 512.0;

/// One shared loop of the region on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct HostWork {
    /// How often it is run; none where it is in no loop.
    pub repeats: Option<f64>,
    /// Whether each time the threads start anew, as in a `distribute` loop of one team.
    pub starts_threads: bool,
    /// What it does.
    pub work: ParallelLoop,
    /// What an iteration costs, and who says so.
    pub cost: HostCost,
    /// Pages that all iterations touch.
    pub pages: f64,
}

/// A host that reads a region.
pub(crate) struct OnHost<'a> {
    pub(crate) bound: &'a Bound<'a>,
    pub(crate) parameters: &'a Parameters,
    /// Instructions that it starts in a cycle.
    pub(crate) width: Num,
    /// 1 of the processor that it is for LLVM, 0 of others; none of what is no processor.
    pub(crate) is: &'a dyn Fn(&str) -> Option<Num>,
    pub(crate) threads: Num,
    pub(crate) start: Start,
}

/// A shared loop on the host: [`HostWork`], in numbers that may be known later.
pub(crate) struct PhaseOnHost {
    of: usize,
    pub(crate) repeats: Option<Num>,
    pub(crate) starts_threads: bool,
    pub(crate) shared: SharedLoop,
    /// The arrays of its accesses.
    objects: Vec<String>,
    own: Phase,
}

impl OnHost<'_> {
    pub(crate) fn phases(&self) -> Vec<PhaseOnHost> {
        let phases = self.bound.phases(VersionId::AS_WRITTEN).unwrap_or_default();
        phases.iter().map(|phase| self.phase(phase)).collect()
    }

    fn phase(&self, phase: &Phase) -> PhaseOnHost {
        // With one team, it goes through the iterations of an outer `distribute` one after another.
        let (last, before) = phase.parallel.split_last().map_or((phase.of, &[][..]), |(last, before)| (*last, before));
        let outside = [&phase.outside[..], before].concat();
        let trips = self.bound.mean_trips(&[&outside[..], &[last]].concat());
        let (around, iterations) = (&trips[..outside.len()], self.bound.whole(last, trips[outside.len()]));
        let repeats = (!outside.is_empty()).then(|| around.iter().copied().product());
        let own =
            Phase { of: phase.of, outside, parallel: vec![last], is_changed: false, apart: None, lanes: Vec::new() };
        let groups = self.bound.groups(phase.of);
        let fetching = self.bound.fetching(&groups);
        let shifts = self.bound.shifts(&fetching);
        let access = |(group, shift): (&&Group, &Option<Shift>)| self.access(group, *shift, &own, iterations);
        let schedule = self.bound.host_schedule(phase.of);
        let (_, of_thread) = schedule.split(iterations, self.threads);
        let (cycles, once) = self.bound.host_cycles(&own, Width(self.width), self.is);
        let (loads_across_lines, stores_across_lines) = self.across_lines(&groups, &own);
        PhaseOnHost {
            of: phase.of,
            repeats,
            starts_threads: !before.is_empty(),
            objects: fetching.iter().map(|group| group.object.clone()).collect(),
            shared: SharedLoop {
                threads: self.threads,
                iterations,
                schedule,
                handout: self.bound.host_handout(phase.of),
                longest: self.bound.longest_on_host(&own, schedule, of_thread),
                cycles,
                once,
                loads_across_lines,
                stores_across_lines,
                memory_parallelism: self.bound.misses_under_way(&groups, &own, self.parameters.outstanding_misses),
                accesses: fetching.iter().zip(&shifts).map(access).collect(),
                start: self.start,
            },
            own,
        }
    }

    fn access(&self, group: &Group, shift: Option<Shift>, phase: &Phase, iterations: Num) -> Access {
        let inner = self.bound.inner(phase, group.in_loop);
        let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
        let trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
        let probability = self.bound.likelihood(&group.conditions, &all, &Together::default());
        let innermost = inner.last().or(phase.parallel.last()).copied().unwrap_or(phase.of);
        let stride = match Reach::new(self.bound, group, self.parameters.line).of_loop(innermost) {
            Move::By(distance) => Some(distance.bytes),
            Move::Anywhere => None,
        };
        let touched = |piece: f64| self.touched(group, shift, phase, iterations, &inner, &trips, piece);
        Access {
            kind: match group.kind {
                AccessKind::Load => cpu::AccessKind::Load,
                AccessKind::Store | AccessKind::Atomic => cpu::AccessKind::Store,
            },
            stride,
            probability,
            before: reached(probability, &trips),
            lines: touched(self.parameters.line),
            pages: match self.goes_far(group, &inner) {
                true => touched(self.parameters.page),
                false => Touched::nothing(trips.len()),
            },
            trips,
        }
    }

    /// Distinct pieces of memory of a group, without those that another one touches from which it is shifted.
    #[expect(clippy::too_many_arguments, reason = "the loops and their iterations are known already")]
    fn touched(
        &self,
        group: &Group,
        shift: Option<Shift>,
        phase: &Phase,
        iterations: Num,
        inner: &[usize],
        trips: &[Num],
        piece: f64,
    ) -> Touched {
        let reach = Reach::new(self.bound, group, piece);
        let loops: Vec<Extent> =
            inner.iter().zip(trips).map(|(of, trips)| Extent { move_by: reach.of_loop(*of), count: *trips }).collect();
        let shared = phase.parallel.last().copied().unwrap_or(phase.of);
        let threads =
            Threads { loops: vec![(shared, iterations)], step: Num::ONE, apart: None, lanes: Vec::new(), taken: None };
        let one = reach.of_threads(&threads, Num::ONE);
        let everything = [&reach.of_all_threads(&threads)[..], &loops].concat();
        let share = |of: usize, trips: Num| {
            let new = shift.filter(|shift| shift.of == of).map(|shift| shift.share_of_new(trips));
            new.unwrap_or(Num::ONE)
        };
        let own_part = |depth: usize| -> Num {
            inner.iter().zip(trips).skip(depth).map(|(of, trips)| share(*of, *trips)).product()
        };
        let pieces = |depth: usize| reach.pieces(&[&one[..], &loops[depth..]].concat(), piece) * own_part(depth);
        Touched {
            at: (0..=loops.len()).map(pieces).collect(),
            whole: reach.pieces(&everything, piece) * own_part(0) * share(shared, iterations),
        }
    }

    /// Whether pages matter: some loop goes from page to page.
    fn goes_far(&self, group: &Group, inner: &[usize]) -> bool {
        let reach = Reach::new(self.bound, group, self.parameters.page);
        let is_far = |of: &usize| match reach.of_loop(*of) {
            Move::By(distance) => distance.always().is_none_or(|bytes| bytes >= FAR),
            Move::Anywhere => true,
        };
        // The shared loop's iterations go on page by page; only what lies inside of it jumps.
        inner.iter().any(is_far) || group.address.is_none()
    }

    /// How many vectors of one iteration lie across two lines: of loads, and of stores.
    fn across_lines(&self, groups: &[Group], phase: &Phase) -> (Num, Num) {
        let (mut loads, mut stores) = (Num::ZERO, Num::ZERO);
        for group in groups {
            let inner = self.bound.inner(phase, group.in_loop);
            let innermost = inner.last().or(phase.parallel.last()).copied().unwrap_or(phase.of);
            let Move::By(distance) = Reach::new(self.bound, group, self.parameters.line).of_loop(innermost) else {
                continue;
            };
            let Some(share) =
                distance.always().and_then(|bytes| share_across_lines(group, bytes, self.parameters.line))
            else {
                continue;
            };
            let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
            let trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
            let executions = trips.into_iter().product::<Num>()
                * self.bound.likelihood(&group.conditions, &all, &Together::default())
                * share;
            match group.kind {
                AccessKind::Load => loads += executions,
                AccessKind::Store | AccessKind::Atomic => stores += executions,
            }
        }
        (loads, stores)
    }

    /// A phase in numbers that are known.
    fn known(&self, phase: &PhaseOnHost, cost: HostCost) -> HostWork {
        let shared = &phase.shared;
        let pairs = phase.objects.iter().zip(&shared.accesses);
        let groups = self.bound.groups(phase.of);
        let pages = self.bound.fetching(&groups).into_iter().zip(&shared.accesses).map(|(group, access)| {
            let inner = self.bound.inner(&phase.own, group.in_loop);
            let page = self.parameters.page;
            self.touched(group, None, &phase.own, shared.iterations, &inner, &access.trips, page).whole.get()
        });
        HostWork {
            repeats: phase.repeats.map(Num::get),
            starts_threads: phase.starts_threads,
            pages: pages.sum(),
            work: ParallelLoop {
                name: self.bound.summary().loops[phase.of].name.clone(),
                iterations: shared.iterations.get() as u64,
                schedule: shared.schedule.now(),
                handout: shared.handout,
                longest: shared.longest.get(),
                cycles_per_iteration: Cycles::new(shared.cycles.get()),
                cycles_once: Cycles::new(shared.once.get()),
                across_lines: AcrossLines {
                    loads: shared.loads_across_lines.get(),
                    stores: shared.stores_across_lines.get(),
                },
                memory_parallelism: shared.memory_parallelism.get().max(1.0),
                accesses: pairs.map(|(object, access)| access.known(object)).collect(),
            },
            cost,
        }
    }
}

/// How many vectors across lines there are for one execution of a group whose executions are that far apart: where they follow each
/// other, and arrays begin anywhere in a line, one vector at each line's end, of whatever width. None where they do not, and where each
/// executes alone.
fn share_across_lines(group: &Group, distance: f64, line: f64) -> Option<f64> {
    let is_vector = distance == group.bytes && distance < line && group.kind != AccessKind::Atomic;
    is_vector.then(|| group.offsets.len() as f64 * distance / line)
}

impl Bound<'_> {
    /// The clauses as libomp sees them.
    pub fn host_request(&self) -> HostRequest {
        let clauses = self.clauses().map(|clause| clause.map(|count| count.get() as u64));
        let [num_teams, thread_limit, num_threads] = clauses;
        if self.has_teams() {
            HostRequest::Teams { num_teams, thread_limit, num_threads }
        } else {
            HostRequest::Parallel { thread_limit, num_threads }
        }
    }

    /// Whether teams share a loop.
    pub(crate) fn has_teams(&self) -> bool {
        let is_team = |kind| matches!(kind, LoopKind::Distribute | LoopKind::DistributeParallelFor);
        self.summary.loops.iter().any(|l| is_team(l.kind))
    }

    /// What the host does, shared loop by shared loop. `processor` is LLVM's name of the CPU, `width` the instructions that it starts in
    /// a cycle.
    pub fn host_work(&self, machine: &CpuMachine, processor: &str, width: Option<f64>, threads: u64) -> Vec<HostWork> {
        let width = Width(width.map_or(Width::USUAL, Num::new));
        let host = OnHost {
            bound: self,
            parameters: &machine.into(),
            width: width.0,
            is: &|name| Some(Num::from(u32::from(name == processor))),
            threads: threads.into(),
            start: Start::Cold,
        };
        let reported = |phase: PhaseOnHost| host.known(&phase, self.host_cost(&phase.own, processor, width));
        host.phases().into_iter().map(reported).collect()
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
            ScheduleLater::Chunked(_) | ScheduleLater::Dynamic(_) | ScheduleLater::Guided(_) => Num::ONE,
        }
    }

    pub(crate) fn host_schedule(&self, of: usize) -> ScheduleLater {
        let length = |p: &Polynomial| self.at(p, &Point::new()).unwrap_or(Num::ONE).max(1.0);
        match &self.summary.loops[of].schedule {
            Handout::Default | Handout::Block => ScheduleLater::Static,
            Handout::InTurn(chunk) => ScheduleLater::Chunked(length(chunk)),
            Handout::Dynamic(chunk) => ScheduleLater::Dynamic(length(chunk)),
            Handout::Guided => ScheduleLater::Guided(Num::ONE),
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
}
