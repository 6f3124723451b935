//! What the extended model has to know about a GPU.

use std::collections::BTreeMap;
use std::fmt;

use super::occupancy::SmLimits;
use crate::error::{ModelError, at_least_one, non_negative, positive, some};
use crate::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz, Seconds};
use crate::report::InstructionClass;

/// A GPU, as far as the extended model is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuMachine {
    /// Streaming multiprocessors (AMD: compute units) that the product has enabled.
    pub sms: u64,
    /// The clock of the multiprocessors under load.
    pub clock: Hertz,
    /// Warp instructions that a multiprocessor starts in a cycle: its schedulers, times what each issues.
    pub issue_slots: f64,
    /// What limits how many teams a multiprocessor runs at a time; `lanes` of it are the threads of a warp.
    pub limits: SmLimits,
    /// What an instruction of each class costs; [`extended`](super::extended) refuses work with a class that is missing.
    pub costs: BTreeMap<InstructionClass, ClassCost>,
    /// The unit in which memory moves.
    pub sector: Bytes,
    /// The cache of each multiprocessor.
    pub l1: L1,
    /// The cache of all multiprocessors.
    pub l2: L2,
    /// The memory on the device.
    pub memory: Memory,
    /// From the host's call to the kernel's first instruction and from its last one back, when all is warm.
    pub launch: Seconds,
    /// What the first use of the device costs once: the context, the module. Never part of a kernel's time.
    pub context: Seconds,
    /// How long the threads of a team wait for each other when all have arrived.
    pub barrier: Cycles,
    /// To ask the runtime for a chunk of a dynamic schedule.
    pub dispatch: Cycles,
    /// What a reduction across teams adds.
    pub reduction: Reduction,
}

/// What a reduction across teams adds to a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reduction {
    /// Of up to 1024 teams.
    pub fixed: Seconds,
    /// Of each further 1024.
    pub of_teams: Seconds,
}

/// What an instruction of a class costs a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClassCost {
    /// The units that do it.
    pub pipe: Pipe,
    /// Results (of threads, not of warps) that these units of one multiprocessor give in a cycle.
    pub per_cycle: f64,
    /// Until an instruction that needs the result can start.
    pub latency: Cycles,
    /// Machine instructions that the class's operation becomes: 1, or the length of the sequence (divisions, functions).
    pub instructions: f64,
}

/// The units of a multiprocessor that do instructions side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pipe {
    /// Integers, comparisons, conversions of some.
    Integer,
    /// Floats of 32 bits.
    Float32,
    /// Floats of 16 bits.
    Float16,
    /// Floats of 64 bits.
    Float64,
    /// Reciprocals, roots, sines, conversions.
    Special,
    /// Addresses of memory accesses, and shared memory.
    LoadStore,
    /// Jumps and barriers.
    Control,
}

impl Pipe {
    /// All of them.
    pub const ALL: [Pipe; 7] =
        [Pipe::Integer, Pipe::Float32, Pipe::Float16, Pipe::Float64, Pipe::Special, Pipe::LoadStore, Pipe::Control];
}

impl fmt::Display for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pipe::Integer => "integer",
            Pipe::Float32 => "float32",
            Pipe::Float16 => "float16",
            Pipe::Float64 => "float64",
            Pipe::Special => "special",
            Pipe::LoadStore => "load-store",
            Pipe::Control => "control",
        })
    }
}

/// The cache of a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L1 {
    /// What it holds; 0 where loads from global memory pass it by.
    pub capacity: Bytes,
    /// The part of `capacity` that shared memory takes, of each byte that teams use of that: 1 where both are one memory, else 0.
    pub taken_by_shared: f64,
    /// Of a load that finds its data.
    pub latency: Cycles,
    /// What it gives in a cycle.
    pub throughput: BytesPerCycle,
}

/// The cache of all multiprocessors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct L2 {
    /// What it holds.
    pub capacity: Bytes,
    /// Of a load that finds its data there.
    pub latency: Cycles,
    /// What it gives to all multiprocessors together.
    pub bandwidth: BytesPerSecond,
    /// What one multiprocessor can take from it in a cycle.
    pub per_sm: BytesPerCycle,
    /// Atomic updates of one place that it makes in a cycle, one after the other.
    pub updates: f64,
    /// Whether it holds nothing when a kernel starts, as where profilers empty it; else what was copied or used before.
    pub is_emptied: bool,
}

/// The memory on the device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Memory {
    /// Of a load that goes there.
    pub latency: Cycles,
    /// What it gives in the best case: the data sheet's figure, or what a copy reaches.
    pub bandwidth: BytesPerSecond,
    /// What the address translation adds, where that is known.
    pub tlb: Option<Tlb>,
}

/// Where address translation gets slow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tlb {
    /// How much memory it covers.
    pub reach: Bytes,
    /// What a load waits longer beyond that.
    pub miss: Cycles,
}

impl GpuMachine {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        some("sms", self.sms)?;
        positive("clock", self.clock.get())?;
        positive("issue_slots", self.issue_slots)?;
        self.limits.check()?;
        positive("sector", self.sector.get())?;
        non_negative("l1.capacity", self.l1.capacity.get())?;
        crate::error::share("l1.taken_by_shared", self.l1.taken_by_shared)?;
        positive("l1.latency", self.l1.latency.get())?;
        positive("l1.throughput", self.l1.throughput.get())?;
        non_negative("l2.capacity", self.l2.capacity.get())?;
        positive("l2.bandwidth", self.l2.bandwidth.get())?;
        positive("l2.per_sm", self.l2.per_sm.get())?;
        positive("l2.updates", self.l2.updates)?;
        positive("memory.bandwidth", self.memory.bandwidth.get())?;
        if self.l2.latency < self.l1.latency || self.memory.latency < self.l2.latency {
            let found = format!("{}, {}, {}", self.l1.latency.get(), self.l2.latency.get(), self.memory.latency.get());
            return Err(ModelError::new("latency of L1, L2, memory", found, "rising"));
        }
        positive("memory.latency", self.memory.latency.get())?;
        if let Some(tlb) = self.memory.tlb {
            positive("memory.tlb.reach", tlb.reach.get())?;
            non_negative("memory.tlb.miss", tlb.miss.get())?;
        }
        non_negative("launch", self.launch.get())?;
        non_negative("context", self.context.get())?;
        non_negative("barrier", self.barrier.get())?;
        non_negative("dispatch", self.dispatch.get())?;
        non_negative("reduction.fixed", self.reduction.fixed.get())?;
        non_negative("reduction.of_teams", self.reduction.of_teams.get())?;
        for cost in self.costs.values() {
            positive("costs.per_cycle", cost.per_cycle)?;
            non_negative("costs.latency", cost.latency.get())?;
            at_least_one("costs.instructions", cost.instructions)?;
        }
        Ok(())
    }
}
