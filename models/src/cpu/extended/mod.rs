//! Our model of a parallel region: for each loop the largest of three bounds (compute, latency, bandwidth), beside the cost of
//! starting, handing out and ending.
//!
//! Each equation is written once, over numbers that may be known later: [`extended`] carries them out and names their terms,
//! [`crate::closed`] writes them down.

mod memory;
mod parameters;
mod parts;
mod shared;

use super::machine::CpuMachine;
use super::schedule::Schedule;
use super::work::{Start, Work};
use crate::error::{ModelError, some};
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::form::Num;
use crate::quantity::Cycles;
use crate::spread::Spread;

pub(crate) use parameters::Parameters;
pub(crate) use parts::{Part, Parts, seconds, square};
pub(crate) use shared::{Access, SharedLoop, Touched};

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
    let parameters = Parameters::from(machine);
    let threads = Num::from(work.threads);
    let overhead = |name, equation, cycles: Num| Term::new(name, equation, Cycles::new(cycles.get()) / machine.clock);
    let by_threads = ours("fixed + each * threads");
    let mut terms = vec![overhead("fork", by_threads, parameters.fork.of(threads))];
    let mut largest = (Bound::Nothing, 0.0);
    for (number, shared) in work.loops.iter().enumerate() {
        if let Schedule::Chunked(length) | Schedule::Dynamic(length) | Schedule::Guided(length) = shared.schedule {
            some("chunk", length)?;
        }
        let parts = Parts::of(&parameters, &SharedLoop::of(work.threads, shared, work.start));
        let (term, bound) = parts.term(machine, &shared.name);
        if term.value > largest.1 {
            largest = (bound, term.value);
        }
        terms.push(term);
        let equation = ours("once for teams, once or chunks of a thread * (fixed + each * threads)");
        terms.push(overhead("schedule", equation, parts.schedule));
        // Threads that are done with the last loop end the region, where they wait for each other once.
        if number + 1 < work.loops.len() {
            terms.push(overhead("barrier", by_threads, parameters.barrier.of(threads)));
        }
    }
    terms.push(overhead("join", by_threads, parameters.join.of(threads)));
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

/// How far the time of [`extended`] may be off by the model; `unsure` is by how much more on a machine that nobody measured.
pub(crate) fn spread(machine: &CpuMachine, work: &Work, unsure: Spread) -> Spread {
    let parameters = Parameters::from(machine);
    let part = |shared| Part {
        parts: Parts::of(&parameters, &SharedLoop::of(work.threads, shared, work.start)),
        repeats: None,
        starts_threads: true,
    };
    let region: Vec<Part> = work.loops.iter().map(part).collect();
    let all = seconds(&parameters, work.threads.into(), &region);
    Spread::of_square(square(&parameters, all, &region, unsure.square()).get())
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

impl Parts {
    /// The loop's time without handing it out, and what bounds it.
    fn term(&self, machine: &CpuMachine, name: &str) -> (Term, Bound) {
        let cycles = |cycles: Num| Cycles::new(cycles.get());
        let seconds = |count: Num| cycles(count) / machine.clock;
        let (latency, bandwidth) = (self.latency * self.iterations, self.bandwidth * self.iterations);
        let (moves, from_memory) = (self.moves.iter().map(|time| time.get()), self.moves[self.moves.len() - 1].get());
        let mover = if moves.fold(0.0, f64::max) <= from_memory { Bound::Memory } else { Bound::Caches };
        let parts = [(Bound::Computation, self.compute), (Bound::Latency, latency), (mover, bandwidth)];
        let (bound, longest) =
            parts.into_iter().max_by(|left, right| left.1.get().total_cmp(&right.1.get())).expect("three parts");
        let compute = Term::new(
            "compute",
            ours("(analyser + loop overhead + across lines) * threads of core / SMT throughput / clock"),
            seconds(self.compute),
        )
        .with_parts([
            Term::new("analyser", input("cycles of an iteration * iterations of a thread"), cycles(self.analyser)),
            Term::new("loop overhead", input("loop overhead * iterations of a thread"), cycles(self.overhead)),
            Term::new(
                "across lines",
                ours("loads and stores across lines * what each takes longer"),
                cycles(self.across_lines),
            ),
            Term::new("iterations of a thread", ours("of the busiest, as many average ones"), self.iterations.get()),
        ]);
        let term = Term::new(name, ours("max(compute, latency, bandwidth), of the busiest thread"), seconds(longest));
        let latency = Term::new("latency", ours("(sum of waits / parallelism + page walks) / clock"), seconds(latency))
            .with_parts(self.waiting(machine));
        let bandwidth = Term::new("bandwidth", ours("of the levels: the largest, or the sum"), seconds(bandwidth))
            .with_parts(self.moving(machine));
        (term.with_parts([compute, latency, bandwidth]), bound)
    }

    /// How long a thread waits for lines that nothing fetches ahead, and for page walks.
    fn waiting(&self, machine: &CpuMachine) -> Vec<Term> {
        let cycles = |wait: Num| Cycles::new((wait * self.iterations).get());
        let wait = |(level, wait): (usize, &Num)| {
            let name = format!("waits for {}", behind(machine, level));
            Term::new(name, ours("lines found there * latency / parallelism"), cycles(*wait))
        };
        let walks = ours("pages that the TLB does not know * TLB miss / walks at a time");
        let walks = Term::new("page walks", walks, cycles(self.walks));
        self.waits.iter().enumerate().map(wait).chain([walks]).collect()
    }

    /// How long it takes to move all lines.
    fn moving(&self, machine: &CpuMachine) -> Vec<Term> {
        let from = |(level, (lines, time)): (usize, (&Num, &Num))| {
            let name = behind(machine, level);
            let equation = match machine.caches.get(level + 1) {
                Some(_) => ours("bytes * threads of core / throughput / clock"),
                None => ours("bytes * max(threads of core / bandwidth of core, threads / bandwidth)"),
            };
            let time = Cycles::new((*time * self.iterations).get()) / machine.clock;
            let bytes = machine.line * (*lines * self.iterations).get();
            let bytes = Term::new(
                format!("bytes from {name}"),
                ours("lines * line, stored ones with what going back takes"),
                bytes,
            );
            Term::new(format!("from {name}"), equation, time).with_parts([bytes])
        };
        self.lines.iter().zip(&self.moves).enumerate().map(from).collect()
    }
}

/// What is behind a level.
fn behind(machine: &CpuMachine, level: usize) -> &str {
    machine.caches.get(level + 1).map_or("memory", |cache| &cache.name)
}
