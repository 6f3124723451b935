//! The equations of the model, over numbers that may be known later.

use super::access::Access;
use super::compute::{Compute, Instructions};
use super::memory::Traffic;
use super::network;
use super::parameters::{Cost, Parameters};
use super::spread::{Handed, Spread};
use crate::error::ModelError;
use crate::estimate::Bound;
use crate::form::{Num, Truth};
use crate::report::InstructionClass;
use crate::spread::{Cause, of_longest};

/// What a kernel does: [`Work`](crate::gpu::Work), in numbers that may be known later.
pub(crate) struct Kernel {
    pub(crate) handed: Handed,
    pub(crate) instructions: Instructions,
    pub(crate) accesses: Vec<Access>,
    /// Bytes of shared memory of a team.
    pub(crate) shared_memory: u64,
    /// Loads of a thread that can be under way together: 1 or more.
    pub(crate) memory_parallelism: Num,
    /// Critical sections of all threads.
    pub(crate) sections: Num,
}

/// How often a critical section goes to L2 and back at least: to take the lock, for what it is there for, and to give the lock back.
const WAYS_OF_SECTION: f64 = 3.0;

/// What a kernel's time is the largest of, and what that is made of.
pub(crate) struct Parts {
    pub(super) spread: Spread,
    pub(super) compute: Compute,
    pub(super) traffic: Traffic,
    /// Cycles of a multiprocessor for one warp and one iteration of the parallel loop: to start instructions, of its units, of L1, and to
    /// take what comes from L2.
    pub(super) of_multiprocessor: Vec<(Bound, Num)>,
    /// Cycles that a warp waits for memory.
    pub(super) memory_waits: Num,
    /// Cycles for chunks that a thread asks for.
    pub(super) requests: Num,
    /// How many iterations one after another a multiprocessor's teams do, of those that are longest.
    turns: Num,
    /// Cycles of the teams of a multiprocessor one after another.
    pub(super) latency: Num,
    /// Cycles of the L2 to update the places one after the other that several threads update, and of critical sections.
    pub(super) updates: Num,
    /// Seconds of the L2 and of the memory for one warp and one iteration of the parallel loop.
    pub(super) of_device: [(Bound, Num); 2],
}

impl Parts {
    /// `cost` says what an instruction of each class costs.
    ///
    /// # Errors
    /// If a class of instructions has no cost.
    pub(crate) fn of(
        parameters: &Parameters,
        kernel: &Kernel,
        cost: &dyn Fn(InstructionClass) -> Option<Cost>,
    ) -> Result<Parts, ModelError> {
        let Handed { omp_rep, of_chunk, longest, iterations, requests, .. } = kernel.handed;
        let spread = Spread::of(parameters.multiprocessors, parameters.lanes, &kernel.handed);
        let Kernel { accesses, shared_memory, memory_parallelism, .. } = kernel;
        let traffic = Traffic::of(parameters, accesses, &spread, *shared_memory, *memory_parallelism);
        let compute = Compute::of(parameters, &kernel.instructions, cost)?;
        let memory_waits = traffic.wait;
        let waits = compute.waits + memory_waits;
        // Nothing of a warp overlaps with its own issue but other warps.
        let path = waits.max(compute.issue_of_warp);
        let requests = parameters.dispatch * requests;
        // Of a loop without iterations, none is long.
        let turns = omp_rep * spread.rounds;
        // Where all are as long as each other, none takes longer than a round.
        let turns = match (of_chunk * longest).known() {
            Some(1.0) => turns,
            _ => turns.max((of_chunk * longest).min(iterations)),
        };
        let sector_at = |bytes: Num| parameters.sector / bytes;
        let mut of_multiprocessor = vec![(Bound::Issue, compute.issue)];
        of_multiprocessor.extend(compute.units.iter().map(|(pipe, cycles)| (Bound::Pipe(*pipe), *cycles)));
        of_multiprocessor.push((Bound::L1, traffic.asked * sector_at(parameters.l1.throughput)));
        of_multiprocessor.push((Bound::L2, traffic.from_l2 * sector_at(parameters.l2.per_multiprocessor)));
        let of_device = [
            (Bound::L2, traffic.from_l2 * sector_at(parameters.l2.bandwidth)),
            (Bound::Memory, traffic.from_memory * sector_at(parameters.memory.bandwidth)),
        ];
        let latency = path * turns + requests * spread.rounds;
        // What is updated once waits for nobody.
        let waiting = kernel.accesses.iter().map(|access| (access.updates - 1.0).max(0.0)).sum::<Num>();
        let updates = waiting / parameters.l2.updates + kernel.sections * (parameters.l2.latency * WAYS_OF_SECTION);
        let parts = Parts {
            spread,
            compute,
            traffic,
            of_multiprocessor,
            memory_waits,
            requests,
            turns,
            latency,
            updates,
            of_device,
        };
        Ok(parts)
    }

    /// The kernel's seconds: the largest of all parts, and of what waits and each station take together, where factors that several have in common
    /// are taken once.
    pub(crate) fn seconds(&self, parameters: &Parameters) -> Num {
        let of_multiprocessor = largest(&self.of_multiprocessor, |_| true) * self.spread.warp_iterations_of_sm;
        let [of_l2, of_memory] = self.of_device.map(|(_, part)| part * self.spread.warp_iterations);
        let with_station = |service: Num, busy: Num| network::time(self.latency, service * self.turns, busy);
        // A multiprocessor starts an instruction of a warp each cycle.
        let on_multiprocessor = with_station(self.compute.issue_of_warp, of_multiprocessor);
        let in_memory = with_station(self.traffic.served, of_memory * parameters.clock);
        let in_cycles = on_multiprocessor.max(in_memory).max(self.updates);
        (in_cycles / parameters.clock).max(of_l2)
    }

    /// Whether there are fewer warps at a time than schedulers.
    pub(super) fn are_few_warps(&self, parameters: &Parameters) -> Truth {
        let schedulers = parameters.multiprocessors * parameters.issue_slots;
        (self.spread.all_at_a_time * self.spread.warps_of_team).less(schedulers)
    }

    /// The square of the logarithm of the time's spread: of what takes longest, and of a device that few warps share. `unsure` is that of what a
    /// description says of caches and waits.
    pub(crate) fn square(&self, parameters: &Parameters, unsure: Num) -> Num {
        let of_clock = 1.0 / parameters.clock;
        let (of_multiprocessor, of_device) =
            (self.spread.warp_iterations_of_sm * of_clock, self.spread.warp_iterations);
        let of = |parts: &[(Bound, Num)], times: Num, is: fn(&Bound) -> bool| largest(parts, is) * times;
        let is_cache = |bound: &Bound| matches!(bound, Bound::L1 | Bound::L2);
        let units = of(&self.of_multiprocessor, of_multiprocessor, is_of_units);
        let caches =
            of(&self.of_multiprocessor, of_multiprocessor, is_cache).max(of(&self.of_device, of_device, is_cache));
        let memory = of(&self.of_device, of_device, |bound| *bound == Bound::Memory);
        let updates =
            (self.updates != Num::ZERO).then_some((self.updates * of_clock, Num::new(Cause::Updates.square())));
        let are_few = self.are_few_warps(parameters);
        let few = are_few.choose(Cause::FewWarps.square(), 0.0);
        // With few warps, that is what the factor of these tells.
        let repeated = self.traffic.is_repeated.choose(are_few.choose(0.0, Cause::LoadsUnderWay.square()), 0.0);
        let all = [
            (memory, Num::new(Cause::MemoryOfDevice.square())),
            (caches, unsure + Cause::CachesOfDevice.square()),
            (units, Num::new(Cause::UnitsOfDevice.square())),
            (self.latency * of_clock, unsure + Cause::LatencyOfDevice.square() + repeated),
        ];
        of_longest(all.into_iter().chain(updates)) + few
    }
}

/// The largest of those parts.
fn largest(parts: &[(Bound, Num)], is: impl Fn(&Bound) -> bool) -> Num {
    parts.iter().filter(|(bound, _)| is(bound)).map(|(_, part)| *part).reduce(Num::max).unwrap_or(Num::ZERO)
}

/// Whether it is a multiprocessor's start of instructions or one of its units.
fn is_of_units(bound: &Bound) -> bool {
    !matches!(bound, Bound::L1 | Bound::L2)
}
