//! What the extended model has to know about a CPU.

use crate::error::{ModelError, at_least_one, non_negative, positive, some};
use crate::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz, Seconds};

/// A CPU, as far as the extended model is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct CpuMachine {
    /// The clock under load.
    pub clock: Hertz,
    /// Cores.
    pub cores: u64,
    /// What a core gets done with 1, 2, ... threads, compared with one: `[1.0, 1.3]`. As many as a core can have.
    pub smt_throughput: Vec<f64>,
    /// The cache line, the same in all levels.
    pub line: Bytes,
    /// The caches, the nearest first.
    pub caches: Vec<CacheLevel>,
    /// What is behind them.
    pub memory: CpuMemory,
    /// Whether lines move between several levels at the same time.
    pub transfers: Transfers,
    /// Misses of the first cache that a core can have under way.
    pub outstanding_misses: f64,
    /// The largest distance between successive accesses that the hardware fetches ahead for.
    pub prefetch_stride: Bytes,
    /// The address translation.
    pub tlb: CpuTlb,
    /// What a load that lies across two lines takes longer than the analyser's, which takes all to lie within one.
    pub load_across_lines: Cycles,
    /// The same of a store.
    pub store_across_lines: Cycles,
    /// To make a thread, when a program first needs it; reported separately, never part of a region's time.
    pub thread: Option<Seconds>,
    /// To start the threads of a region.
    pub fork: PerThreads,
    /// To end it.
    pub join: PerThreads,
    /// The barrier at the end of a loop.
    pub barrier: PerThreads,
    /// To compute a thread's part of a static schedule, once for each loop.
    pub static_schedule: Cycles,
    /// To compute a team's part, once for each loop that teams share.
    pub teams_schedule: Cycles,
    /// To get one chunk of a dynamic schedule.
    pub dynamic_chunk: PerThreads,
    /// The loop's own instructions for each iteration, where the analyser's figure is without them.
    pub loop_overhead: Cycles,
}

/// A cost that grows with the number of threads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerThreads {
    /// The part that does not.
    pub fixed: Cycles,
    /// What each thread adds.
    pub each: Cycles,
}

impl PerThreads {
    fn check(self, parameter: &'static str) -> Result<(), ModelError> {
        non_negative(parameter, self.fixed.get())?;
        non_negative(parameter, self.each.get())?;
        Ok(())
    }
}

/// One level of the caches.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheLevel {
    /// Such as `L2`.
    pub name: String,
    /// Of one instance.
    pub capacity: Bytes,
    /// Cores that share an instance.
    pub cores: u64,
    /// Of a load that finds its data here. For the first level it is part of the analyser's figure.
    pub latency: Cycles,
    /// What one core gets from here. For the first level it is part of the analyser's figure.
    pub throughput: BytesPerCycle,
    /// How long a line takes that goes back here, over one that comes from here.
    pub write_back: f64,
}

/// The memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuMemory {
    /// Of a load that goes there.
    pub latency: Cycles,
    /// What all cores together get.
    pub bandwidth: BytesPerSecond,
    /// What one core gets alone.
    pub bandwidth_of_core: BytesPerSecond,
    /// How long a line takes that goes back, over one that comes, where all cores fill the memory's interface.
    pub write_back: f64,
    /// The same where each core gets what it can take.
    pub write_back_of_core: f64,
}

/// Whether lines move between several levels at the same time (Hofmann et al., "Bridging the architecture gap", 2020, say which CPUs do).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfers {
    /// The slowest level counts.
    Overlap,
    /// The levels' times add up.
    Serial,
}

/// The address translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuTlb {
    /// Pages that it knows, in its last level.
    pub entries: f64,
    /// The size of a page.
    pub page: Bytes,
    /// To look up another page.
    pub miss: Cycles,
    /// How many misses a core resolves at a time, if none needs what another one brings: 1 or more.
    pub walks: f64,
}

impl CpuMachine {
    pub(crate) fn check(&self) -> Result<(), ModelError> {
        positive("clock", self.clock.get())?;
        some("cores", self.cores)?;
        if self.smt_throughput.is_empty() || !self.smt_throughput.is_sorted() {
            let found = format!("{:?}", self.smt_throughput);
            return Err(ModelError::new("smt_throughput", found, "a rising list that begins with 1"));
        }
        for throughput in &self.smt_throughput {
            at_least_one("smt_throughput", *throughput)?;
        }
        positive("line", self.line.get())?;
        some("caches", self.caches.len() as u64)?;
        let mut latency = Cycles::ZERO;
        for cache in &self.caches {
            non_negative("cache.capacity", cache.capacity.get())?;
            some("cache.cores", cache.cores)?;
            positive("cache.throughput", cache.throughput.get())?;
            non_negative("cache.write_back", cache.write_back)?;
            if positive("cache.latency", cache.latency.get())? < latency.get() {
                return Err(ModelError::new("cache.latency", cache.latency.get(), "rising from level to level"));
            }
            latency = cache.latency;
        }
        if positive("memory.latency", self.memory.latency.get())? < latency.get() {
            return Err(ModelError::new("memory.latency", self.memory.latency.get(), "above that of the caches"));
        }
        positive("memory.bandwidth", self.memory.bandwidth.get())?;
        positive("memory.bandwidth_of_core", self.memory.bandwidth_of_core.get())?;
        non_negative("memory.write_back", self.memory.write_back)?;
        non_negative("memory.write_back_of_core", self.memory.write_back_of_core)?;
        non_negative("load_across_lines", self.load_across_lines.get())?;
        non_negative("store_across_lines", self.store_across_lines.get())?;
        at_least_one("outstanding_misses", self.outstanding_misses)?;
        non_negative("prefetch_stride", self.prefetch_stride.get())?;
        non_negative("tlb.entries", self.tlb.entries)?;
        positive("tlb.page", self.tlb.page.get())?;
        non_negative("tlb.miss", self.tlb.miss.get())?;
        at_least_one("tlb.walks", self.tlb.walks)?;
        non_negative("thread", self.thread.map_or(0.0, Seconds::get))?;
        self.fork.check("fork")?;
        self.join.check("join")?;
        self.barrier.check("barrier")?;
        self.dynamic_chunk.check("dynamic_chunk")?;
        non_negative("static_schedule", self.static_schedule.get())?;
        non_negative("teams_schedule", self.teams_schedule.get())?;
        non_negative("loop_overhead", self.loop_overhead.get())?;
        Ok(())
    }
}
