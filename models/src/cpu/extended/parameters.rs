//! What the model takes of a CPU.

use crate::cpu::{CpuMachine, PerThreads, Transfers};
use crate::form::Num;

/// [`CpuMachine`], in numbers that may be known later.
pub(crate) struct Parameters {
    /// Cycles a second.
    pub(crate) clock: Num,
    /// Of which there is one at least.
    pub(crate) cores: Num,
    /// What a core gets done with so many threads, or up to the next number, over what it does with one: from one thread on, rising.
    pub(crate) smt_throughput: Vec<(u32, Num)>,
    /// Bytes.
    pub(crate) line: f64,
    pub(crate) page: f64,
    /// The nearest first.
    pub(crate) caches: Vec<Cache>,
    pub(crate) memory: Memory,
    pub(crate) transfers: Transfers,
    pub(crate) outstanding_misses: Num,
    /// Bytes.
    pub(crate) prefetch_stride: f64,
    pub(crate) tlb: Tlb,
    /// Cycles, here and below.
    pub(crate) load_across_lines: Num,
    pub(crate) store_across_lines: Num,
    pub(crate) fork: Cost,
    pub(crate) join: Cost,
    pub(crate) barrier: Cost,
    pub(crate) static_schedule: Num,
    pub(crate) teams_schedule: Num,
    pub(crate) dynamic_chunk: Cost,
    pub(crate) loop_overhead: Num,
}

/// A level of the caches.
#[derive(Clone, Copy)]
pub(crate) struct Cache {
    /// Bytes.
    pub(crate) capacity: Num,
    /// Cores that share it.
    pub(crate) cores: Num,
    /// Cycles.
    pub(crate) latency: Num,
    /// Bytes a cycle that one core gets from here.
    pub(crate) throughput: Num,
    /// How often a stored line counts that comes from here, as it goes back.
    pub(crate) stored: Num,
}

/// The memory.
pub(crate) struct Memory {
    /// Cycles.
    pub(crate) latency: Num,
    /// Bytes a second of all cores, and of one alone.
    pub(crate) bandwidth: Num,
    pub(crate) bandwidth_of_core: Num,
    /// As of a cache; where all cores fill the memory's interface, and where each gets what it can take.
    pub(crate) stored: Num,
    pub(crate) stored_of_core: Num,
}

/// The address translation.
pub(crate) struct Tlb {
    pub(crate) entries: Num,
    /// Cycles.
    pub(crate) miss: Num,
    pub(crate) walks: Num,
}

/// Cycles that grow with the number of threads.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) fixed: Num,
    pub(crate) each: Num,
}

impl Cost {
    pub(crate) fn of(self, threads: Num) -> Num {
        self.fixed + self.each * threads
    }
}

impl From<PerThreads> for Cost {
    fn from(cost: PerThreads) -> Cost {
        Cost { fixed: cost.fixed.get().into(), each: cost.each.get().into() }
    }
}

impl Parameters {
    /// How many times as long a thread takes that shares its core with others, of so many in all. A core with more threads than it has
    /// room for does no more than when it is full.
    pub(super) fn slowdown(&self, of_core: Num) -> Num {
        let mut fewer = self.smt_throughput.iter().rev();
        let most = fewer.next().map_or(Num::ONE, |(_, throughput)| 1.0 / *throughput);
        let nexts = self.smt_throughput.iter().rev().map(|(next, _)| *next);
        let of = |slower: Num, ((_, throughput), next): (&(u32, Num), u32)| {
            of_core.less(next).choose(1.0 / *throughput, slower)
        };
        of_core * fewer.zip(nexts).fold(most, of)
    }
}

impl Parameters {
    /// The same with throughputs for so many threads of a core: one that has fewer does no more with them.
    #[must_use]
    pub(crate) fn with_threads_of_core(mut self, threads: &[u32]) -> Parameters {
        let known = |threads: u32| self.smt_throughput[self.smt_throughput.len().min(threads as usize) - 1].1;
        self.smt_throughput = threads.iter().map(|&threads| (threads, known(threads))).collect();
        self
    }

    /// The same with so many levels of caches: one that is not there holds what the last one does, and takes no time.
    #[must_use]
    pub(crate) fn with_levels(mut self, levels: usize) -> Parameters {
        let last = self.caches[self.caches.len() - 1];
        self.caches.resize(levels, Cache { throughput: Num::new(1e30), stored: Num::ZERO, ..last });
        self
    }

    /// What differs from machine to machine, with a key each.
    pub(crate) fn by_keys(&mut self) -> Vec<(String, &mut Num)> {
        // What costs more with every thread does so on no machine that is described.
        let Parameters {
            clock,
            cores,
            smt_throughput,
            caches,
            memory,
            outstanding_misses,
            tlb,
            load_across_lines,
            store_across_lines,
            fork,
            join,
            barrier,
            static_schedule,
            teams_schedule,
            dynamic_chunk,
            // What is the same on all machines that are described.
            line: _,
            page: _,
            transfers: _,
            prefetch_stride: _,
            loop_overhead: _,
        } = self;
        let all = [
            ("clock", clock),
            ("cores", cores),
            ("memory.latency", &mut memory.latency),
            ("memory.bandwidth", &mut memory.bandwidth),
            ("memory.bandwidth_of_core", &mut memory.bandwidth_of_core),
            ("memory.stored", &mut memory.stored),
            ("memory.stored_of_core", &mut memory.stored_of_core),
            ("outstanding_misses", outstanding_misses),
            ("tlb.entries", &mut tlb.entries),
            ("tlb.miss", &mut tlb.miss),
            ("tlb.walks", &mut tlb.walks),
            ("load_across_lines", load_across_lines),
            ("store_across_lines", store_across_lines),
            ("fork", &mut fork.fixed),
            ("join", &mut join.fixed),
            ("barrier", &mut barrier.fixed),
            ("static_schedule", static_schedule),
            ("teams_schedule", teams_schedule),
            ("dynamic_chunk", &mut dynamic_chunk.fixed),
        ];
        let smt = smt_throughput.iter_mut().map(|(threads, throughput)| (format!("smt.{threads}"), throughput));
        let caches = (1..).zip(caches).flat_map(|(level, cache)| {
            let Cache { capacity, cores, latency, throughput, stored } = cache;
            [
                ("capacity", capacity),
                ("cores", cores),
                ("latency", latency),
                ("throughput", throughput),
                ("stored", stored),
            ]
            .map(|(key, number)| (format!("l{level}.{key}"), number))
        });
        all.map(|(key, number)| (key.to_owned(), number)).into_iter().chain(smt).chain(caches).collect()
    }
}

impl From<&CpuMachine> for Parameters {
    fn from(machine: &CpuMachine) -> Parameters {
        let CpuMachine { memory, tlb, .. } = machine;
        Parameters {
            clock: machine.clock.get().into(),
            cores: machine.cores.into(),
            smt_throughput: (1..).zip(machine.smt_throughput.iter().map(|times| Num::new(*times))).collect(),
            line: machine.line.get(),
            page: tlb.page.get(),
            caches: machine
                .caches
                .iter()
                .map(|cache| Cache {
                    capacity: cache.capacity.get().into(),
                    cores: cache.cores.into(),
                    latency: cache.latency.get().into(),
                    throughput: cache.throughput.get().into(),
                    stored: (1.0 + cache.write_back).into(),
                })
                .collect(),
            memory: Memory {
                latency: memory.latency.get().into(),
                bandwidth: memory.bandwidth.get().into(),
                bandwidth_of_core: memory.bandwidth_of_core.get().into(),
                stored: (1.0 + memory.write_back).into(),
                stored_of_core: (1.0 + memory.write_back_of_core).into(),
            },
            transfers: machine.transfers,
            outstanding_misses: machine.outstanding_misses.into(),
            prefetch_stride: machine.prefetch_stride.get(),
            tlb: Tlb { entries: tlb.entries.into(), miss: tlb.miss.get().into(), walks: tlb.walks.into() },
            load_across_lines: machine.load_across_lines.get().into(),
            store_across_lines: machine.store_across_lines.get().into(),
            fork: machine.fork.into(),
            join: machine.join.into(),
            barrier: machine.barrier.into(),
            static_schedule: machine.static_schedule.get().into(),
            teams_schedule: machine.teams_schedule.get().into(),
            dynamic_chunk: machine.dynamic_chunk.into(),
            loop_overhead: machine.loop_overhead.get().into(),
        }
    }
}
