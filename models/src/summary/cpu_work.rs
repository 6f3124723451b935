//! What the host does, for the extended model.

use super::average::Point;
use super::gpu_work::{Phase, Version};
use super::pattern::{Group, Threads};
use super::{AccessKind, Bound, Handout, HostPart, Shift};
use crate::cpu::{self, Access, AcrossLines, CpuMachine, HostRequest, Lines, ParallelLoop, Schedule};
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

/// Cycles of one iteration of a shared loop, with everything in the first cache.
#[derive(Debug, Clone, PartialEq)]
pub struct HostCost {
    /// What the model takes.
    pub cycles: f64,
    /// Of the machine-code analyser, and for which processor.
    pub analyser: Option<(String, f64)>,
    /// max(instructions / width, loads / ports, stores / ports).
    pub three_terms: f64,
}

/// Ports for loads and stores of the three-term bound (Abel and Reineke, "uiCA", ICS 2022: its baseline, for processors since Haswell).
const LOAD_PORTS: f64 = 2.0;
/// The same for stores.
const STORE_PORTS: f64 = 1.0;
/// Instructions that start in a cycle in the same bound, where the description does not say.
const WIDTH: f64 = 4.0;

impl Bound<'_> {
    /// The clauses as libomp sees them.
    pub fn host_request(&self) -> HostRequest {
        let clauses = &self.summary.clauses;
        let clause = |p: &Option<ipda_symbolic::Polynomial>| {
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
        // A store fetches its lines itself: what is read at the same place, in an order that is fetched ahead, comes with it.
        let comes_with_store = |group: &&Group| {
            let is_same =
                |store: &Group| store.kind != AccessKind::Load && store.offsets == group.offsets && store.is_at(group);
            group.kind == AccessKind::Load && groups.iter().any(is_same) && !self.is_indirect(group)
        };
        let fetching: Vec<&Group> = groups.iter().filter(|group| !comes_with_store(group)).collect();
        let shifts = self.shifts(&fetching);
        let accesses: Vec<Access> = fetching
            .iter()
            .zip(shifts)
            .map(|(group, shift)| self.host_access(group, shift, &own, &threads_of_loop, machine))
            .collect();
        let cost = self.host_cost(&own, processor, width, iterations, threads);
        let loads: f64 =
            groups.iter().filter(|group| group.kind == AccessKind::Load).map(|group| group.offsets.len() as f64).sum();
        let is_chained = groups.iter().any(|group| group.address.is_some() && self.is_indirect(group));
        let depth: f64 = self.innermost_trips(&groups, &own);
        // Loads of different iterations do not wait for each other, as far as the processor looks ahead; of a chain, half.
        let parallelism = machine.outstanding_misses.min(loads.max(1.0) * depth.max(1.0));
        let schedule = self.host_schedule(phase.of);
        // Others take what a long iteration leaves, but under a static schedule without chunks.
        let longest = match schedule {
            Schedule::Static => self.longest(&own, Num::new((iterations / threads as f64).ceil())).get(),
            Schedule::Chunked(_) | Schedule::Dynamic(_) | Schedule::Guided(_) => 1.0,
        };
        let pages = accesses.iter().map(|access| access.whole.pages).sum();
        HostWork {
            repeats,
            starts_threads: !before.is_empty(),
            work: ParallelLoop {
                name: self.summary.loops[phase.of].name.clone(),
                iterations: iterations as u64,
                schedule,
                handout: self.host_handout(phase.of),
                longest,
                cycles_per_iteration: Cycles::new(cost.cycles),
                across_lines: self.across_lines(&groups, &own, &threads_of_loop, machine.line.get()),
                memory_parallelism: if is_chained { (parallelism / 2.0).max(1.0) } else { parallelism.max(1.0) },
                accesses,
            },
            cost,
            pages,
        }
    }

    /// Iterations of the innermost loops around accesses, which out-of-order execution has under way together.
    fn innermost_trips(&self, groups: &[Group], phase: &Phase) -> f64 {
        let deepest = groups.iter().max_by_key(|group| self.summary.chain(group.in_loop).len());
        let Some(deepest) = deepest else { return 1.0 };
        let inner = self.inner(phase, deepest.in_loop);
        let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
        self.mean_trips(&all).last().map_or(1.0, |trips| trips.get())
    }

    fn host_schedule(&self, of: usize) -> Schedule {
        let length = |p: &ipda_symbolic::Polynomial| self.at(p, &Point::new()).map_or(1.0, Num::get).max(1.0) as u64;
        match &self.summary.loops[of].schedule {
            Handout::Default | Handout::Block => Schedule::Static,
            Handout::InTurn(chunk) => Schedule::Chunked(length(chunk)),
            Handout::Dynamic(chunk) => Schedule::Dynamic(length(chunk)),
            Handout::Guided => Schedule::Guided(1),
            Handout::Other(text) => {
                self.note(format!("the host's schedule ({text}) is taken as the default one"));
                Schedule::Static
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
        let conditions: Vec<&ipda_symbolic::Polynomial> =
            group.conditions.iter().filter_map(super::Condition::expression).collect();
        let reached = self.sum(all, &mut Point::new(), &[], &|_| Num::ONE).get();
        let made = self.sum(all, &mut Point::new(), &conditions, &|point| self.chance(&group.conditions, point)).get();
        if reached > 0.0 { (made / reached).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Cycles of an iteration: the analyser's for the processor, else for the one that was compiled for, else the bound.
    fn host_cost(&self, phase: &Phase, processor: &str, width: Option<f64>, iterations: f64, threads: u64) -> HostCost {
        let width = width.unwrap_or(WIDTH);
        let bound_of = |instructions: f64, loads: f64, stores: f64| {
            (instructions / width).max(loads / LOAD_PORTS).max(stores / STORE_PORTS)
        };
        let Some(code) = &self.summary.host_code else { return self.cost_without_code(phase, bound_of) };
        let times = |part: &HostPart| -> f64 {
            let executions = self.mean(&part.executions, phase, part.depth).get() * part.chance;
            match part.shared {
                Some(of) if of == phase.of => executions,
                // Once for each thread that has iterations.
                None => executions * (threads as f64).min(iterations) / iterations.max(1.0),
                Some(_) => 0.0,
            }
        };
        let parts: Vec<(&HostPart, f64)> =
            code.parts.iter().map(|part| (part, times(part))).filter(|(_, times)| *times > 0.0).collect();
        // Code that cannot be told from what surrounds the loop says nothing of it.
        if !parts.iter().any(|(part, _)| part.shared == Some(phase.of)) {
            return self.cost_without_code(phase, bound_of);
        }
        let three_terms =
            parts.iter().map(|(part, times)| bound_of(part.instructions, part.loads, part.stores) * times).sum();
        // What is outside of loops has no analysis of its own.
        let analysed = |name: &str| -> Option<f64> {
            let cycles = |part: &HostPart| part.cycles.iter().find(|(of, _)| of == name).map(|(_, cycles)| *cycles);
            let or_bound =
                |part: &HostPart| cycles(part).unwrap_or(bound_of(part.instructions, part.loads, part.stores));
            let is_analysed = parts.iter().any(|(part, _)| cycles(part).is_some());
            is_analysed.then(|| parts.iter().map(|(part, times)| or_bound(part) * times).sum())
        };
        let analyser =
            [processor, &code.processor].into_iter().find_map(|name| Some((name.to_owned(), analysed(name)?)));
        match &analyser {
            None => {
                self.note("the report has no analysis of the host's loops: the bound by width and ports stands for it")
            }
            Some((name, _)) if name != processor => {
                self.note(format!("the host's loops were analysed for {name}, not for {processor}"));
            }
            Some(_) => {}
        }
        HostCost { cycles: analyser.as_ref().map_or(three_terms, |(_, cycles)| *cycles), analyser, three_terms }
    }

    /// Without the host's code: the device's instructions, one by one, or an instruction for each access and one to compute with it.
    fn cost_without_code(&self, phase: &Phase, bound_of: impl Fn(f64, f64, f64) -> f64) -> HostCost {
        let (mut instructions, mut loads, mut stores) = (0.0, 0.0, 0.0);
        for group in self.groups(phase.of) {
            let inner = self.inner(phase, group.in_loop);
            let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
            let times: f64 = self.mean_trips(&all)[phase.outside.len() + phase.parallel.len()..]
                .iter()
                .map(|trips| trips.get())
                .product();
            let count = times * group.offsets.len() as f64;
            match group.kind {
                AccessKind::Load => loads += count,
                AccessKind::Store | AccessKind::Atomic => stores += count,
            }
            instructions += 2.0 * count;
        }
        self.note("the report has no code of the host's version: two instructions for each access stand for it, without vectors");
        let three_terms = bound_of(instructions, loads, stores);
        HostCost { cycles: three_terms, analyser: None, three_terms }
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
