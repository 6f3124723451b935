//! The host's time in closed form: [`crate::cpu::extended`] for numbers that are known later.

use super::Builder;
use super::host_traffic::{Lines, Sharing};
use super::reach::{Move, Reach};
use crate::cpu::{ClausesLater, Placement, ProcessLater, threads_later};
use crate::form::{Leaf, Num};
use crate::report::LoopKind;
use crate::summary::{AccessKind, Group, HostPart, Phase, Point, Version, three_terms};

use super::machine::SMT;

/// A shared loop on the host.
struct OnHost {
    repeats: Num,
    /// Whether loops around it run it again and again.
    is_repeated: bool,
    starts_threads: bool,
    /// Cycles of the loop, with handing it out.
    cycles: Num,
}

impl Builder<'_> {
    /// The time of the host's version.
    pub(super) fn host(&self) -> Num {
        let threads = self.host_threads();
        let phases = self.bound.phases(Version::AsWritten).unwrap_or_default();
        let all: Vec<OnHost> = phases.iter().map(|phase| self.phase_on_host(phase, threads)).collect();
        let cpu = |key: &str| self.keys.leaf(&format!("cpu.{key}"));
        let around = cpu("fork") + cpu("join");
        let cycles = if all.iter().any(|phase| phase.is_repeated) {
            let of = |phase: &OnHost| {
                let starts = if phase.starts_threads { phase.repeats * around } else { around };
                phase.cycles * phase.repeats + starts
            };
            all.iter().map(of).sum()
        } else {
            let barriers = cpu("barrier") * all.len().saturating_sub(1) as f64;
            all.iter().map(|phase| phase.cycles).sum::<Num>() + (around + barriers)
        };
        cycles / cpu("clock")
    }

    fn host_threads(&self) -> Num {
        let clauses = &self.summary().clauses;
        let clause = |p: &Option<_>| p.as_ref().and_then(|p| self.bound.at(p, &Point::new()).ok()).map(|n| n.max(1.0));
        let is_team = |kind| matches!(kind, LoopKind::Distribute | LoopKind::DistributeParallelFor);
        let clauses = ClausesLater {
            has_teams: self.summary().loops.iter().any(|l| is_team(l.kind)).into(),
            num_teams: clause(&clauses.num_teams),
            thread_limit: clause(&clauses.thread_limit),
            num_threads: clause(&clauses.num_threads),
        };
        // It may use all processors.
        let all = self.keys.count("cpu.processors");
        let process = ProcessLater { most: all, available: all, usual: Num::leaf(Leaf::HostThreads) };
        let (teams, threads) = threads_later(&clauses, &process);
        teams * threads
    }

    fn phase_on_host(&self, phase: &Phase, threads: Num) -> OnHost {
        // With one team, it goes through the iterations of an outer `distribute` one after another.
        let (last, before) = phase.parallel.split_last().map_or((phase.of, &[][..]), |(last, before)| (*last, before));
        let outside = [&phase.outside[..], before].concat();
        let trips = self.bound.mean_trips(&[&outside[..], &[last]].concat());
        let repeats: Num = trips[..outside.len()].iter().copied().product();
        let iterations = trips[outside.len()];
        let is_repeated = !outside.is_empty();
        let own = Phase { of: phase.of, outside, parallel: vec![last] };

        let schedule = self.bound.host_schedule(phase.of);
        let (chunks, of_thread) = schedule.split(iterations, threads);
        let longest = self.bound.longest_on_host(&own, schedule, of_thread);
        let of_thread = of_thread * longest;
        let cpu = |key: &str| self.keys.leaf(&format!("cpu.{key}"));
        let handing_out = schedule.handing_out(chunks, cpu("static_schedule"), cpu("dynamic_chunk"));

        let placement = Placement::of(self.keys.count("cpu.cores"), threads, iterations);
        let groups = self.bound.groups(phase.of);
        let sharing = Sharing { placement, iterations, longest };
        let lines = self.lines(&groups, &own, &sharing);
        let (of_iteration, once) = self.cycles(&own);
        let slowdown = placement.of_core * self.slowness(placement.of_core);
        let compute = ((of_iteration + self.across_lines(&groups, &own)) * of_thread + once) * slowdown;
        let waits = self.waits(&groups, &own, &lines, placement);
        let cycles = compute.max(of_thread * waits.max(self.moves(&lines, &sharing)));
        let of_teams = match self.bound.host_handout(phase.of) {
            crate::cpu::Handout::Threads => Num::ZERO,
            crate::cpu::Handout::TeamsAndThreads => cpu("teams_schedule"),
        };
        OnHost { repeats, is_repeated, starts_threads: !before.is_empty(), cycles: cycles + of_teams + handing_out }
    }

    /// 1 over what a core gets done with so many threads.
    fn slowness(&self, of_core: Num) -> Num {
        let of = |threads: usize| 1.0 / self.keys.leaf(&format!("cpu.smt.{threads}"));
        let fewer =
            |slower: Num, (threads, next): (usize, usize)| of_core.less(next as f64).choose(of(threads), slower);
        let pairs = SMT.into_iter().zip(SMT.into_iter().skip(1)).rev();
        pairs.fold(of(SMT[SMT.len() - 1]), fewer)
    }

    /// Cycles of one iteration, and of what each thread does once, with everything in the first cache.
    fn cycles(&self, phase: &Phase) -> (Num, Num) {
        let of_phase = |part: &HostPart| part.shared == Some(phase.of);
        let code = self.summary().host_code.as_ref();
        let Some(code) = code.filter(|code| code.parts.iter().any(of_phase)) else {
            return (self.bound.cycles_without_code(phase, self.width()), Num::ZERO);
        };
        let mut names: Vec<&str> =
            code.parts.iter().flat_map(|part| &part.cycles).map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            self.bound
                .note("the report has no analysis of the host's loops: the bound by width and ports stands for it");
        }
        let cycles = |part: &HostPart| {
            let bound = three_terms(part.instructions.into(), part.loads.into(), part.stores.into(), self.width());
            let of = |name: &str| {
                let known = part.cycles.iter().find(|(own, _)| own == name).map(|(_, cycles)| Num::new(*cycles));
                known.unwrap_or(bound)
            };
            let usual = of(&code.processor);
            let others = names.iter().filter(|name| **name != code.processor);
            let other = |name: &&str| Some(self.keys.find(&format!("cpu.is.{name}"))? * (of(name) - usual));
            usual + others.filter_map(other).sum::<Num>()
        };
        let (mut of_iteration, mut once) = (Num::ZERO, Num::ZERO);
        for part in &code.parts {
            let times = || self.bound.mean(&part.executions, phase, part.depth);
            match part.shared {
                Some(of) if of == phase.of => of_iteration += times() * (cycles(part) * part.chance),
                None => once += times() * (cycles(part) * part.chance),
                Some(_) => {}
            }
        }
        (of_iteration, once)
    }

    /// Cycles that vectors across lines take longer, of one iteration.
    fn across_lines(&self, groups: &[Group], phase: &Phase) -> Num {
        let of = |group: &Group| {
            let key = if group.kind == AccessKind::Load { "load" } else { "store" };
            let inner = self.bound.inner(phase, group.in_loop);
            let innermost = inner.last().or(phase.parallel.last()).copied()?;
            let Move::By(distance) = Reach::new(self.bound, group, self.cpu_line).of_loop(innermost) else {
                return None;
            };
            let share = self.bound.share_across_lines(group, distance.known()?, self.cpu_line)?;
            let all = [&phase.outside[..], &phase.parallel[..], &inner[..]].concat();
            let trips = self.bound.mean_trips(&all).split_off(all.len() - inner.len());
            let executions = trips.into_iter().product::<Num>() * self.likelihood(group, &all);
            Some(executions * self.keys.leaf(&format!("cpu.{key}_across_lines")) * share)
        };
        groups.iter().filter_map(of).sum()
    }

    fn width(&self) -> Num {
        self.keys.leaf("cpu.width")
    }

    /// Cycles in which a thread waits for lines that nothing fetches ahead, and for page walks; of one iteration.
    fn waits(&self, groups: &[Group], phase: &Phase, lines: &Lines, placement: Placement) -> Num {
        let cpu = |key: &str| self.keys.leaf(&format!("cpu.{key}"));
        let misses = cpu("outstanding_misses");
        let of_code = self.bound.misses_under_way(groups, phase, misses);
        let (parallelism, at_a_time) = placement.under_way(of_code, misses, cpu("tlb.walks"));
        let walks = lines.walks * cpu("tlb.miss") / at_a_time;
        let Some([l1, l2, l3]) = lines.waited_for else { return walks };
        let found = l1 * cpu("l2.latency")
            + l2 * (cpu("l3.latency") - cpu("l2.latency"))
            + l3 * (cpu("memory.latency") - cpu("l3.latency"));
        found / parallelism + walks
    }

    /// Cycles in which all lines move, of one iteration: of the slowest level.
    fn moves(&self, lines: &Lines, sharing: &Sharing) -> Num {
        let cpu = |key: &str| self.keys.leaf(&format!("cpu.{key}"));
        let [from_l2, from_l3, from_memory] = lines.moved;
        let of_line = |rate: Num| self.cpu_line / rate;
        let of_memory = |rate: &str| self.cpu_line * cpu("clock") / cpu(rate);
        let (of_core, of_all) = (of_memory("memory.bandwidth_of_core"), of_memory("memory.bandwidth"));
        let near = (from_l2 * of_line(cpu("l2.throughput"))).max(from_l3 * of_line(cpu("l3.throughput")));
        let Sharing { placement, longest, .. } = *sharing;
        (near * placement.of_core).max(from_memory * placement.in_memory(of_core, of_all, longest))
    }
}
