//! Our model of a parallel region: for each loop the largest of three bounds (compute, latency, bandwidth), beside the cost of
//! starting, handing out and ending.

use super::machine::{CpuMachine, Transfers};
use super::memory::{Placement, Traffic};
use super::schedule::Split;
use super::work::{Access, AccessKind, Handout, ParallelLoop, Start, Work};
use crate::error::ModelError;
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::quantity::{Cycles, Seconds};

const fn ours(text: &'static str) -> Equation {
    Equation::new(text, "extended")
}

const fn input(text: &'static str) -> Equation {
    Equation::new(text, "input")
}

/// The model.
///
/// # Errors
/// If an input has no meaning: no threads, no caches, negative counts.
pub fn extended(machine: &CpuMachine, work: &Work) -> Result<Estimate, ModelError> {
    machine.check()?;
    work.check()?;
    let overhead = |name, equation, cycles: Cycles| Term::new(name, equation, cycles / machine.clock);
    let mut terms = vec![overhead("fork", ours("fixed + each * threads"), machine.fork.of(work.threads))];
    let mut largest = (Bound::Nothing, 0.0);
    for (number, shared) in work.loops.iter().enumerate() {
        let placement = Placement::of(machine.cores.into(), work.threads.into(), shared.iterations.into());
        let split = shared.schedule.split(shared.iterations, work.threads)?;
        let (term, bound) = of_loop(machine, shared, placement, split, work.start);
        if term.value > largest.1 {
            largest = (bound, term.value);
        }
        terms.push(term);
        let of_chunk = machine.dynamic_chunk.of(work.threads).get().into();
        let once = machine.static_schedule.get().into();
        let handing_out = shared.schedule.later().handing_out(split.schedule_times.into(), once, of_chunk);
        let of_teams = match shared.handout {
            Handout::Threads => Cycles::ZERO,
            Handout::TeamsAndThreads => machine.teams_schedule,
        };
        let equation = ours("once for teams, once or chunks of a thread * (fixed + each * threads)");
        terms.push(overhead("schedule", equation, of_teams + Cycles::new(handing_out.get())));
        // Threads that are done with the last loop end the region, where they wait for each other once.
        if number + 1 < work.loops.len() {
            terms.push(overhead("barrier", ours("fixed + each * threads"), machine.barrier.of(work.threads)));
        }
    }
    terms.push(overhead("join", ours("fixed + each * threads"), machine.join.of(work.threads)));
    let total: f64 = terms.iter().map(|term| term.value).sum();
    let loops = terms.iter().filter(|term| !term.children.is_empty()).map(|term| term.value).sum::<f64>();
    let bound = match () {
        () if total == 0.0 => Bound::Nothing,
        () if loops < total / 2.0 => Bound::Overhead,
        () => largest.0,
    };
    let more = work.threads.saturating_sub(1) as f64;
    let made = machine.thread.map(|thread| {
        Term::new(
            "threads",
            ours("making a thread * (threads - 1), once, when a program first needs them"),
            thread * more,
        )
    });
    Estimate::of(terms, made.into_iter().collect(), assumptions(machine, work), bound)
}

fn assumptions(machine: &CpuMachine, work: &Work) -> Vec<Assumption> {
    let mut all = vec!["computing, waiting and moving data overlap completely".to_owned()];
    all.push(match work.start {
        Start::Cold => "the caches hold nothing of the region's data at its start".to_owned(),
        Start::Warm => "the caches hold at its start what an earlier run of the region left".to_owned(),
    });
    if work.threads > machine.cores {
        all.push("threads that share a core are equally fast".to_owned());
    }
    all.into_iter().map(Assumption).collect()
}

fn of_loop(
    machine: &CpuMachine,
    shared: &ParallelLoop,
    placement: Placement,
    split: Split,
    start: Start,
) -> (Term, Bound) {
    // The busiest thread does as much as with so many average iterations.
    let iterations = split.iterations * shared.longest;
    let traffic = Traffic::of(machine, shared, placement, iterations, start);
    let smt = &machine.smt_throughput;
    let of_core = placement.of_core.get();
    // A core with more threads than it has room for does no more than when it is full.
    let slowdown = of_core / smt[smt.len().min(of_core as usize) - 1];
    let analyser = shared.cycles_per_iteration * iterations;
    let overhead = machine.loop_overhead * iterations;
    let across = shared.across_lines;
    let across = (machine.load_across_lines * across.loads + machine.store_across_lines * across.stores) * iterations;
    let compute = (analyser + overhead + across) * slowdown / machine.clock;
    let (latency, waits) = latency(machine, shared, placement, &traffic);
    let (bandwidth, levels, slowest_is_memory) = bandwidth(machine, shared, placement, &traffic);

    let parts = [
        (Bound::Computation, compute),
        (Bound::Latency, latency),
        (if slowest_is_memory { Bound::Memory } else { Bound::Caches }, bandwidth),
    ];
    let (bound, longest) =
        parts.into_iter().max_by(|left, right| left.1.get().total_cmp(&right.1.get())).expect("three parts");
    let term = Term::new(&shared.name, ours("max(compute, latency, bandwidth), of the busiest thread"), longest)
        .with_parts([
            Term::new(
                "compute",
                ours("(analyser + loop overhead + across lines) * threads of core / SMT throughput / clock"),
                compute,
            )
            .with_parts([
                Term::new("analyser", input("cycles of an iteration * iterations of a thread"), analyser),
                Term::new("loop overhead", input("loop overhead * iterations of a thread"), overhead),
                Term::new("across lines", ours("loads and stores across lines * what each takes longer"), across),
                Term::new("iterations of a thread", ours("of the busiest, as many average ones"), iterations),
            ]),
            Term::new("latency", ours("(sum of waits / parallelism + page walks) / clock"), latency).with_parts(waits),
            Term::new("bandwidth", ours("of the levels: the largest, or the sum"), bandwidth).with_parts(levels),
        ]);
    (term, bound)
}

/// How long a thread waits for lines that nothing fetches ahead, and for page walks.
fn latency(
    machine: &CpuMachine,
    shared: &ParallelLoop,
    placement: Placement,
    traffic: &Traffic,
) -> (Seconds, Vec<Term>) {
    let (parallelism, at_a_time) = placement.under_way(
        shared.memory_parallelism.into(),
        machine.outstanding_misses.into(),
        machine.tlb.walks.into(),
    );
    let (parallelism, at_a_time) = (parallelism.get(), at_a_time.get());
    let fetched_ahead = |access: &Access| access.stride.is_some_and(|stride| stride <= machine.prefetch_stride);
    let waited_for = |access: &Access| access.kind == AccessKind::Load && !fetched_ahead(access);
    let lines_into = |level: usize| -> f64 {
        let all = shared.accesses.iter().zip(&traffic.into[level]);
        all.filter(|(access, _)| waited_for(access)).map(|(_, lines)| lines).sum()
    };
    let last = machine.caches.len() - 1;
    let mut waits = Cycles::ZERO;
    let mut terms = Vec::new();
    for level in 0..=last {
        let further = if level == last { 0.0 } else { lines_into(level + 1) };
        let found = (lines_into(level) - further).max(0.0);
        let (name, latency) = match machine.caches.get(level + 1) {
            Some(cache) => (cache.name.as_str(), cache.latency),
            None => ("memory", machine.memory.latency),
        };
        let wait = latency * found / parallelism;
        terms.push(Term::new(format!("waits for {name}"), ours("lines found there * latency / parallelism"), wait));
        waits += wait;
    }
    let walks = machine.tlb.miss * traffic.pages.iter().sum::<f64>() / at_a_time;
    terms.push(Term::new("page walks", ours("pages that the TLB does not know * TLB miss / walks at a time"), walks));
    ((waits + walks) / machine.clock, terms)
}

/// How long it takes to move all lines, and whether that is the memory's doing.
fn bandwidth(
    machine: &CpuMachine,
    shared: &ParallelLoop,
    placement: Placement,
    traffic: &Traffic,
) -> (Seconds, Vec<Term>, bool) {
    let (mut longest, mut sum, mut memory_is_longest) = (Seconds::ZERO, Seconds::ZERO, false);
    let mut terms = Vec::new();
    for (level, lines) in traffic.into.iter().enumerate() {
        let write_back = machine.caches.get(level + 1).map_or(machine.memory.write_back, |cache| cache.write_back);
        // What is stored comes in and goes out again.
        let moved = |(access, lines): (&Access, &f64)| match access.kind {
            AccessKind::Load => *lines,
            AccessKind::Store => (1.0 + write_back) * lines,
        };
        let bytes = machine.line * shared.accesses.iter().zip(lines).map(moved).sum::<f64>();
        let (name, time) = match machine.caches.get(level + 1) {
            Some(cache) => (cache.name.as_str(), bytes * placement.of_core.get() / cache.throughput / machine.clock),
            None => {
                let of_core = bytes / machine.memory.bandwidth_of_core;
                let of_all = bytes / machine.memory.bandwidth;
                let time = placement.in_memory(of_core.get().into(), of_all.get().into(), shared.longest.into());
                ("memory", Seconds::new(time.get()))
            }
        };
        let equation = if name == "memory" {
            ours("bytes * max(threads of core / bandwidth of core, threads / bandwidth)")
        } else {
            ours("bytes * threads of core / throughput / clock")
        };
        let moved = Term::new(
            format!("bytes from {name}"),
            ours("lines * line, stored ones with what going back takes"),
            bytes,
        );
        terms.push(Term::new(format!("from {name}"), equation, time).with_parts([moved]));
        sum += time;
        if time >= longest {
            (longest, memory_is_longest) = (time, name == "memory");
        }
    }
    match machine.transfers {
        Transfers::Overlap => (longest, terms, memory_is_longest),
        Transfers::Serial => (sum, terms, memory_is_longest),
    }
}
