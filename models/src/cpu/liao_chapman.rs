//! The model of Liao and Chapman, "A compile-time cost model for OpenMP" (IPDPS 2007), in the form of A. Chikin's thesis, "Compiler-Driven
//! Performance on Heterogeneous Computing Platforms" (2018), figure 5.2, but that the loop's overhead counts for each iteration, not for each chunk.

use super::schedule::Schedule;
use crate::error::{ModelError, non_negative, positive, some};
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::quantity::{Cycles, Hertz, Seconds};

/// The machine parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// The clock.
    pub clock: Hertz,
    /// Fork
    pub fork: Cycles,
    /// Join
    pub join: Cycles,
    /// Synchronization, at the end of each part of the region.
    pub synchronization: Cycles,
    /// Schedule, for the one chunk of a thread of a static schedule.
    pub schedule_static: Cycles,
    /// Schedule, for each chunk of a static schedule with a chunk size.
    pub schedule_chunked: Cycles,
    /// Schedule, for each chunk of a dynamic or guided schedule.
    pub schedule_dynamic: Cycles,
    /// Loop_overhead, for each iteration.
    pub loop_overhead: Cycles,
    /// Pages that the address translation knows.
    pub tlb_entries: f64,
    /// What another page costs.
    pub tlb_miss: Cycles,
}

/// The POWER9 of the thesis's table 5.2. It has only one cost of schedules, that of static ones, which all of its kernels have; "parallel
/// startup" is Fork, and Join is not listed.
pub fn power9() -> Parameters {
    let schedule = Cycles::new(10154.0);
    Parameters {
        clock: Hertz::new(3.0e9),
        fork: Cycles::new(3000.0),
        join: Cycles::ZERO,
        synchronization: Cycles::new(4000.0),
        schedule_static: schedule,
        schedule_chunked: schedule,
        schedule_dynamic: schedule,
        loop_overhead: Cycles::new(4.0),
        tlb_entries: 1024.0,
        tlb_miss: Cycles::new(14.0),
    }
}

/// A loop of the region whose iterations the threads share.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What to call it.
    pub name: String,
    /// Its iterations, of all threads.
    pub iterations: u64,
    /// How they are split.
    pub schedule: Schedule,
    /// Machine_per_iter: what the machine-code analyser says of one iteration.
    pub machine_per_iter: Cycles,
    /// Cache, of one iteration. The thesis leaves it out.
    pub cache_per_iter: Cycles,
    /// Pages that a chunk touches; none costs anything as long as the translation knows them all. The thesis leaves it out.
    pub pages_per_chunk: f64,
    /// Ordered, of one chunk.
    pub ordered: Cycles,
    /// Reduction, of one chunk.
    pub reduction: Cycles,
}

const SOURCE: &str = "Liao-Chapman 2007";

/// Parallel_region = Fork + sum over the parts of the longest thread + Join.
///
/// # Errors
/// If an input has no meaning: no threads, negative counts.
pub fn liao_chapman(machine: &Parameters, threads: u64, parts: &[Part]) -> Result<Estimate, ModelError> {
    some("threads", threads)?;
    positive("clock", machine.clock.get())?;
    let costs = [
        ("fork", machine.fork),
        ("join", machine.join),
        ("synchronization", machine.synchronization),
        ("schedule_static", machine.schedule_static),
        ("schedule_chunked", machine.schedule_chunked),
        ("schedule_dynamic", machine.schedule_dynamic),
        ("loop_overhead", machine.loop_overhead),
        ("tlb_miss", machine.tlb_miss),
    ];
    for (name, cost) in costs {
        non_negative(name, cost.get())?;
    }
    non_negative("tlb_entries", machine.tlb_entries)?;
    let equation = |text| Equation::new(text, SOURCE);
    let seconds = |cycles: Cycles| cycles / machine.clock;
    let mut terms = vec![Term::new("Fork", equation("Fork / clock"), seconds(machine.fork))];
    let mut computing = Seconds::ZERO;
    for part in parts {
        let (term, loop_time) = of_part(machine, threads, part)?;
        terms.push(term);
        computing += loop_time;
    }
    terms.push(Term::new("Join", equation("Join / clock"), seconds(machine.join)));
    let total: f64 = terms.iter().map(|term| term.value).sum();
    let bound = match () {
        () if total == 0.0 => Bound::Nothing,
        () if computing.get() > total / 2.0 => Bound::Computation,
        () => Bound::Overhead,
    };
    let balanced = "dynamic schedules give all threads the same";
    let is_dynamic = |part: &Part| matches!(part.schedule, Schedule::Dynamic(_) | Schedule::Guided(_));
    let assumptions = parts.iter().any(is_dynamic).then(|| Assumption(balanced.to_owned()));
    Estimate::of(terms, Vec::new(), assumptions.into_iter().collect(), bound)
}

/// The longest thread's time, and how much of it is the loop's own.
fn of_part(machine: &Parameters, threads: u64, part: &Part) -> Result<(Term, Seconds), ModelError> {
    non_negative("machine_per_iter", part.machine_per_iter.get())?;
    non_negative("cache_per_iter", part.cache_per_iter.get())?;
    non_negative("pages_per_chunk", part.pages_per_chunk)?;
    non_negative("ordered", part.ordered.get())?;
    non_negative("reduction", part.reduction.get())?;
    let split = part.schedule.split(part.iterations, threads)?;
    let schedule = match part.schedule {
        Schedule::Static => machine.schedule_static,
        Schedule::Chunked(_) => machine.schedule_chunked,
        Schedule::Dynamic(_) | Schedule::Guided(_) => machine.schedule_dynamic,
    };
    let tlb =
        if part.pages_per_chunk > machine.tlb_entries { machine.tlb_miss * part.pages_per_chunk } else { Cycles::ZERO };
    let cache = part.cache_per_iter * split.chunk_size + tlb;
    let overhead = machine.loop_overhead * split.chunk_size;
    let chunk = part.machine_per_iter * split.chunk_size + cache + overhead;
    let parallel_for = (schedule + chunk + part.ordered + part.reduction) * split.schedule_times;
    let thread = parallel_for + machine.synchronization;
    let equation = |text| Equation::new(text, SOURCE);
    let input = |text| Equation::new(text, "input");
    let term = Term::new(
        &part.name,
        equation("max over threads of (Parallel_for + Synchronization) / clock"),
        thread / machine.clock,
    )
    .with_parts([
        Term::new("Synchronization", input("Synchronization"), machine.synchronization),
        Term::new(
            "Parallel_for",
            equation("Schedule_times * (Schedule + Loop_chunk + Ordered + Reduction)"),
            parallel_for,
        )
        .with_parts([
            Term::new("Schedule_times", equation("chunks of the busiest thread"), split.schedule_times),
            Term::new("Schedule", input("Schedule"), schedule),
            Term::new(
                "Loop_chunk",
                equation("Machine_per_iter * Chunk_size + Cache + Loop_overhead * Chunk_size"),
                chunk,
            )
            .with_parts([
                Term::new("Machine_per_iter", input("the machine-code analyser"), part.machine_per_iter),
                Term::new("Chunk_size", equation("iterations of a chunk"), split.chunk_size),
                Term::new("Cache", equation("cache_per_iter * Chunk_size + pages * TLB miss"), cache),
                Term::new("Loop_overhead", equation("Loop_overhead * Chunk_size"), overhead),
            ]),
            Term::new("Ordered", input("Ordered"), part.ordered),
            Term::new("Reduction", input("Reduction"), part.reduction),
        ]),
    ]);
    Ok((term, chunk * split.schedule_times / machine.clock))
}
