//! The machines of closed forms: keys and values.

use std::collections::BTreeMap;

use ipda_hwdb::Cpu;

use crate::cpu::extended as host;
use crate::cpu::{CpuMachine, Transfers};
use crate::form::{Leaf, Num};
use crate::gpu::extended::{Cost, L1, L2, Memory, Parameters};
use crate::gpu::geometry::{Device, Environment, RuntimeDevice};
use crate::gpu::occupancy::LimitsLater;
use crate::gpu::{GpuMachine, Pipe};
use crate::machine::{cpu_machine, gpu_machine, link, runtime_device};
use crate::predict::{Machines, PredictError};
use crate::report::InstructionClass;
use crate::summary::Width;
use crate::transfer::Link;

/// Levels of a CPU's caches; a CPU that has fewer has its last one again in front of the memory.
const LEVELS: usize = 3;

/// Threads of a core that SMT throughputs are told apart for; numbers between count as the one below.
const SMT: [u32; 5] = [1, 2, 3, 4, 8];

/// The value of every key that forms have for machines.
///
/// # Errors
/// If a description lacks a value that nothing can stand in for.
pub fn machine_values(machines: &Machines) -> Result<BTreeMap<String, f64>, PredictError> {
    let mut values = Values::default();
    values.gpu(&gpu_machine(&machines.gpu)?.machine, &runtime_device(&machines.gpu)?);
    values.cpu(&cpu_machine(&machines.cpu)?.machine);
    values.processor(&machines.cpu);
    values.link(&link(&machines.link)?.machine);
    Ok(values.0)
}

/// Machines as leaves.
pub(super) struct Keys(BTreeMap<String, f64>);

impl Keys {
    pub(super) fn of(machines: &Machines) -> Result<Keys, PredictError> {
        Ok(Keys(machine_values(machines)?))
    }

    /// The leaf of a key, which has a value for every machine.
    pub(super) fn leaf(&self, key: &str) -> Num {
        debug_assert!(self.0.contains_key(key), "{key}");
        Num::leaf(Leaf::Machine(key.to_owned()))
    }

    /// A number of things, of which there is one at least.
    pub(super) fn count(&self, key: &str) -> Num {
        self.leaf(key).max(1.0)
    }

    /// The GPU, whose warps have so many lanes, and sectors so many bytes.
    pub(super) fn gpu(&self, lanes: f64, sector: f64) -> Parameters {
        let of = |key: &str| self.leaf(&format!("gpu.{key}"));
        Parameters {
            multiprocessors: self.count("gpu.multiprocessors"),
            lanes,
            clock: of("clock"),
            issue_slots: of("issue_slots"),
            barrier: of("barrier"),
            dispatch: of("dispatch"),
            sector,
            l1: L1 {
                capacity: of("l1.capacity"),
                taken_by_shared: of("l1.taken_by_shared"),
                latency: of("l1.latency"),
                throughput: of("l1.throughput"),
            },
            l2: L2 {
                capacity: of("l2.capacity"),
                latency: of("l2.latency"),
                bandwidth: of("l2.bandwidth"),
                per_multiprocessor: of("l2.per_multiprocessor"),
            },
            // No description says how much memory the translation covers.
            memory: Memory { latency: of("memory.latency"), bandwidth: of("memory.bandwidth"), tlb: None },
        }
    }

    /// The host, whose lines and pages have so many bytes.
    pub(super) fn cpu(&self, line: f64, page: f64) -> host::Parameters {
        let of = |key: &str| self.leaf(&format!("cpu.{key}"));
        let cost = |key: &str| host::Cost { fixed: of(key), each: Num::ZERO };
        let cache = |level: usize| host::Cache {
            capacity: of(&format!("l{level}.capacity")),
            cores: of(&format!("l{level}.cores")),
            latency: of(&format!("l{level}.latency")),
            throughput: of(&format!("l{level}.throughput")),
            stored: of(&format!("l{level}.stored")),
        };
        host::Parameters {
            clock: of("clock"),
            cores: self.count("cpu.cores"),
            smt_throughput: SMT.map(|threads| (threads, of(&format!("smt.{threads}")))).to_vec(),
            line,
            page,
            caches: (1..=LEVELS).map(cache).collect(),
            memory: host::Memory {
                latency: of("memory.latency"),
                bandwidth: of("memory.bandwidth"),
                bandwidth_of_core: of("memory.bandwidth_of_core"),
                stored: of("memory.stored"),
            },
            // As all descriptions have it.
            transfers: Transfers::Overlap,
            outstanding_misses: of("outstanding_misses"),
            prefetch_stride: page / 2.0,
            tlb: host::Tlb { entries: of("tlb.entries"), miss: of("tlb.miss"), walks: of("tlb.walks") },
            load_across_lines: of("load_across_lines"),
            store_across_lines: of("store_across_lines"),
            fork: cost("fork"),
            join: cost("join"),
            barrier: cost("barrier"),
            static_schedule: of("static_schedule"),
            teams_schedule: of("teams_schedule"),
            dynamic_chunk: cost("dynamic_chunk"),
            loop_overhead: Num::ZERO,
        }
    }

    /// What the runtime knows of the GPU.
    pub(super) fn runtime(&self, lanes: f64) -> Device {
        let of = |key: &str| self.count(&format!("gpu.runtime.{key}"));
        Device {
            lanes: lanes.into(),
            max_threads: of("max_threads"),
            default_threads: of("default_threads"),
            max_teams: of("max_teams"),
            default_teams: of("default_teams"),
            fewest_threads: Environment::default().min_threads_for_low_trip_count.into(),
        }
    }

    /// What an instruction of a class costs, which these units do.
    pub(super) fn cost(&self, class: InstructionClass, pipe: Pipe) -> Cost {
        let of = |key: &str| self.leaf(&format!("gpu.{}.{key}", class.name()));
        Cost { pipe, per_cycle: of("per_cycle"), latency: of("latency"), instructions: of("instructions") }
    }

    /// The GPU's limits on teams.
    pub(super) fn limits(&self, lanes: f64) -> LimitsLater {
        let of = |key: &str| self.leaf(&format!("gpu.limits.{key}"));
        LimitsLater {
            lanes,
            warps: of("warps"),
            teams: of("teams"),
            registers: of("registers"),
            register_unit: of("register_unit"),
            parts: of("parts"),
            shared: of("shared"),
            shared_unit: of("shared_unit"),
            shared_reserved: of("shared_reserved"),
        }
    }

    /// The leaf of a key, if it is one.
    pub(super) fn find(&self, key: &str) -> Option<Num> {
        self.0.contains_key(key).then(|| self.leaf(key))
    }
}

#[derive(Default)]
struct Values(BTreeMap<String, f64>);

impl Values {
    fn add<const N: usize>(&mut self, of: &str, values: [(&str, f64); N]) {
        self.0.extend(values.into_iter().map(|(key, value)| (format!("{of}.{key}"), value)));
    }

    fn gpu(&mut self, machine: &GpuMachine, runtime: &RuntimeDevice) {
        let GpuMachine { limits, l1, l2, memory, .. } = machine;
        self.add(
            "gpu",
            [
                ("multiprocessors", machine.sms as f64),
                ("clock", machine.clock.get()),
                ("issue_slots", machine.issue_slots),
                ("launch", machine.launch.get()),
                ("barrier", machine.barrier.get()),
                ("dispatch", machine.dispatch.get()),
            ],
        );
        self.add(
            "gpu.limits",
            [
                ("warps", limits.warps as f64),
                ("teams", limits.teams as f64),
                ("registers", limits.registers as f64),
                ("register_unit", limits.register_unit as f64),
                ("parts", limits.parts as f64),
                ("shared", limits.shared as f64),
                ("shared_unit", limits.shared_unit as f64),
                ("shared_reserved", limits.shared_reserved as f64),
            ],
        );
        self.add(
            "gpu.l1",
            [
                ("capacity", l1.capacity.get()),
                ("taken_by_shared", l1.taken_by_shared),
                ("latency", l1.latency.get()),
                ("throughput", l1.throughput.get()),
            ],
        );
        self.add(
            "gpu.l2",
            [
                ("capacity", l2.capacity.get()),
                ("latency", l2.latency.get()),
                ("bandwidth", l2.bandwidth.get()),
                ("per_multiprocessor", l2.per_sm.get()),
            ],
        );
        self.add("gpu.memory", [("latency", memory.latency.get()), ("bandwidth", memory.bandwidth.get())]);
        self.add(
            "gpu.runtime",
            [
                ("max_threads", runtime.max_threads as f64),
                ("default_threads", runtime.default_threads as f64),
                ("max_teams", runtime.max_teams as f64),
                ("default_teams", runtime.default_teams as f64),
            ],
        );
        for (class, cost) in &machine.costs {
            let (latency, instructions) = (cost.latency.get(), cost.instructions);
            let values = [("per_cycle", cost.per_cycle), ("latency", latency), ("instructions", instructions)];
            self.add(&format!("gpu.{}", class.name()), values);
        }
    }

    fn cpu(&mut self, machine: &CpuMachine) {
        let smt = &machine.smt_throughput;
        self.add(
            "cpu",
            [
                ("clock", machine.clock.get()),
                ("cores", machine.cores as f64),
                ("processors", machine.cores.saturating_mul(smt.len() as u64) as f64),
                ("outstanding_misses", machine.outstanding_misses),
                ("fork", machine.fork.fixed.get()),
                ("join", machine.join.fixed.get()),
                ("barrier", machine.barrier.fixed.get()),
                ("load_across_lines", machine.load_across_lines.get()),
                ("store_across_lines", machine.store_across_lines.get()),
                ("static_schedule", machine.static_schedule.get()),
                ("teams_schedule", machine.teams_schedule.get()),
                ("dynamic_chunk", machine.dynamic_chunk.fixed.get()),
            ],
        );
        for threads in SMT {
            let throughput = smt[smt.len().min(threads as usize) - 1];
            self.0.insert(format!("cpu.smt.{threads}"), throughput);
        }
        let memory = &machine.memory;
        for level in 0..LEVELS {
            // What is not there has what is in front of it, and takes no time.
            let there = &machine.caches[level.min(machine.caches.len() - 1)];
            let is_there = level < machine.caches.len();
            let values = [
                ("capacity", there.capacity.get()),
                ("cores", there.cores as f64),
                ("latency", there.latency.get()),
                ("throughput", if is_there { there.throughput.get() } else { 1e30 }),
                ("stored", if is_there { 1.0 + there.write_back } else { 0.0 }),
            ];
            self.add(&format!("cpu.l{}", level + 1), values);
        }
        self.add(
            "cpu.memory",
            [
                ("latency", memory.latency.get()),
                ("bandwidth", memory.bandwidth.get()),
                ("bandwidth_of_core", memory.bandwidth_of_core.get()),
                ("stored", 1.0 + memory.write_back),
            ],
        );
        self.add(
            "cpu.tlb",
            [("entries", machine.tlb.entries), ("miss", machine.tlb.miss.get()), ("walks", machine.tlb.walks)],
        );
    }

    /// Which processor it is for LLVM, of all that there are descriptions of.
    fn processor(&mut self, cpu: &Cpu) {
        for other in ipda_hwdb::cpu_targets() {
            self.0.insert(format!("cpu.is.{}", other.processor), 0.0);
        }
        // Forms name no others, as every machine must have a value for each of their keys.
        if let Some(is) = self.0.get_mut(&format!("cpu.is.{}", cpu.processor)) {
            *is = 1.0;
        }
        let width = cpu.chip.issue_width.as_ref().map_or(Width::USUAL.get(), |width| width.get().get() as f64);
        self.0.insert("cpu.width".to_owned(), width);
    }

    fn link(&mut self, link: &Link) {
        self.add("link", link.fields());
    }
}
