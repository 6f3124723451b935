//! The equations of the model, over numbers that may be known later.

use super::memory::{Placement, Traffic};
use super::parameters::Parameters;
use super::shared::SharedLoop;
use crate::cpu::{Handout, Transfers};
use crate::form::Num;
use crate::spread::{Cause, of_longest, of_sum};

/// What a shared loop's time is made of, in cycles.
pub(crate) struct Parts {
    /// Of the busiest thread, as many average ones.
    pub(super) iterations: Num,
    /// With everything in the first cache: the body and its loop, vectors across lines, and what is done once, as if the thread were alone on
    /// its core; and all of that.
    pub(super) analyser: Num,
    pub(super) overhead: Num,
    pub(super) across_lines: Num,
    pub(super) compute: Num,
    /// Of one iteration: for lines that come from behind each level, and for pages.
    pub(super) waits: Vec<Num>,
    pub(super) walks: Num,
    pub(super) latency: Num,
    /// Lines of one iteration that move into each level, and how long that takes.
    pub(super) lines: Vec<Num>,
    pub(super) moves: Vec<Num>,
    pub(super) bandwidth: Num,
    /// To hand the loop out.
    pub(super) schedule: Num,
}

impl Parts {
    pub(crate) fn of(parameters: &Parameters, shared: &SharedLoop) -> Parts {
        let placement = Placement::of(parameters.cores, shared.threads, shared.iterations);
        let (chunks, of_thread) = shared.schedule.split(shared.iterations, shared.threads);
        let iterations = of_thread * shared.longest;
        let across_lines = parameters.load_across_lines * shared.loads_across_lines
            + parameters.store_across_lines * shared.stores_across_lines;
        let of_iteration = shared.cycles + parameters.loop_overhead + across_lines;
        let compute = (of_iteration * iterations + shared.once) * parameters.slowdown(placement.of_core);
        let traffic = Traffic::of(parameters, shared, placement);
        let (waits, walks, latency) = waits(parameters, shared, &traffic, placement);
        let (moves, bandwidth) = moves(parameters, &traffic.moved, placement, shared.longest);
        let of_teams = match shared.handout {
            Handout::Threads => Num::ZERO,
            Handout::TeamsAndThreads => parameters.teams_schedule,
        };
        let of_chunk = parameters.dynamic_chunk.of(shared.threads);
        Parts {
            iterations,
            analyser: shared.cycles * iterations + shared.once,
            overhead: parameters.loop_overhead * iterations,
            across_lines: across_lines * iterations,
            compute,
            waits,
            walks,
            latency,
            lines: traffic.moved,
            moves,
            bandwidth,
            schedule: of_teams + shared.schedule.handing_out(chunks, parameters.static_schedule, of_chunk),
        }
    }

    /// The loop's cycles, with handing it out.
    pub(super) fn cycles(&self) -> Num {
        self.compute.max(self.iterations * self.latency.max(self.bandwidth)) + self.schedule
    }

    /// The square of the logarithm of the spread of what takes longest.
    fn square(&self, unsure: Num) -> Num {
        let parts = [
            (self.compute, Cause::ComputationOfHost),
            (self.iterations * self.bandwidth, Cause::MemoryOfHost),
            (self.iterations * self.latency, Cause::LatencyOfHost),
        ];
        of_longest(parts.map(|(time, cause)| (time, unsure + cause.square())))
    }
}

/// Cycles in which a thread waits for lines that nothing fetches ahead, by the level behind which they are, for page walks, and for all of that;
/// of one iteration.
fn waits(
    parameters: &Parameters,
    shared: &SharedLoop,
    traffic: &Traffic,
    placement: Placement,
) -> (Vec<Num>, Num, Num) {
    let (parallelism, at_a_time) =
        placement.under_way(shared.memory_parallelism, parameters.outstanding_misses, parameters.tlb.walks);
    let walks = traffic.walks * parameters.tlb.miss / at_a_time;
    let Some(into) = &traffic.waited_for else { return (vec![Num::ZERO; parameters.caches.len()], walks, walks) };
    let behind = parameters.caches[1..].iter().map(|cache| cache.latency).chain([parameters.memory.latency]);
    let (mut waits, mut all, mut nearer) = (Vec::new(), Num::ZERO, Num::ZERO);
    for (level, (lines, latency)) in into.iter().zip(behind).enumerate() {
        let further = into.get(level + 1).copied().unwrap_or_default();
        waits.push((*lines - further).max(0.0) * latency / parallelism);
        all += *lines * (latency - nearer);
        nearer = latency;
    }
    (waits, walks, all / parallelism + walks)
}

/// Cycles in which the lines of one iteration move into each level, and in which all of them do.
fn moves(parameters: &Parameters, lines: &[Num], placement: Placement, longest: Num) -> (Vec<Num>, Num) {
    let memory = &parameters.memory;
    let of_memory = |rate: Num| parameters.line * parameters.clock / rate;
    let (of_core, of_all) = (of_memory(memory.bandwidth_of_core), of_memory(memory.bandwidth));
    let nexts = parameters.caches[1..].iter().map(|cache| cache.throughput);
    let near: Vec<Num> = lines.iter().zip(nexts).map(|(lines, rate)| *lines * (parameters.line / rate)).collect();
    let from_memory = lines[lines.len() - 1] * placement.in_memory(of_core, of_all, longest);
    let all = match parameters.transfers {
        Transfers::Overlap => {
            let slowest = near.iter().copied().reduce(Num::max).unwrap_or_default();
            (slowest * placement.of_core).max(from_memory)
        }
        Transfers::Serial => near.iter().copied().sum::<Num>() * placement.of_core + from_memory,
    };
    (near.into_iter().map(|cycles| cycles * placement.of_core).chain([from_memory]).collect(), all)
}

/// A shared loop of a region.
pub(crate) struct Part {
    pub(crate) parts: Parts,
    /// How often it is run; none where it is in no loop.
    pub(crate) repeats: Option<Num>,
    /// Whether each time the threads start anew.
    pub(crate) starts_threads: bool,
}

/// The seconds of a region, by so many threads.
pub(crate) fn seconds(parameters: &Parameters, threads: Num, region: &[Part]) -> Num {
    let around = parameters.fork.of(threads) + parameters.join.of(threads);
    let cycles = if region.iter().any(|part| part.repeats.is_some()) {
        let of = |part: &Part| {
            let repeats = part.repeats.unwrap_or(Num::ONE);
            let starts = if part.starts_threads { repeats * around } else { around };
            part.parts.cycles() * repeats + starts
        };
        region.iter().map(of).sum()
    } else {
        // Threads that are done with the last loop end the region, where they wait for each other once.
        let barriers = parameters.barrier.of(threads) * region.len().saturating_sub(1) as f64;
        region.iter().map(|part| part.parts.cycles()).sum::<Num>() + (around + barriers)
    };
    cycles / parameters.clock
}

/// The square of the logarithm of the spread of a region's seconds, which are so many; `unsure` is that of a machine that nobody measured.
pub(crate) fn square(parameters: &Parameters, seconds: Num, region: &[Part], unsure: Num) -> Num {
    let of = |part: &Part| {
        let cycles = part.parts.cycles() * part.repeats.unwrap_or(Num::ONE);
        (cycles / parameters.clock, part.parts.square(unsure))
    };
    let loops: Vec<(Num, Num)> = region.iter().map(of).collect();
    let inside = loops.iter().map(|(time, _)| *time).sum::<Num>();
    let around = ((seconds - inside).max(0.0), Num::new(Cause::OverheadOfHost.square()));
    of_sum(&[loops, vec![around]].concat())
}
