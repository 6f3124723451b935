//! CPUs.

use ipda_hwdb::Cpu;
use ipda_hwdb::cpu::Cache;

use super::{Described, MachineError, NeededFor, Reader, known, needed};
use crate::cpu::liao_chapman::Parameters;
use crate::cpu::{CacheLevel, CpuMachine, CpuMemory, CpuTlb, PerThreads, Transfers};
use crate::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz, Seconds};

/// A CPU for the extended model.
///
/// # Errors
/// If the description lacks a value that nothing can stand in for.
pub fn cpu_machine(cpu: &Cpu) -> Result<Described<CpuMachine>, MachineError> {
    let mut reader = Reader::new(&cpu.name);
    let r = &mut reader;
    let clock = needed!(r, cpu.chip.clock);
    let sockets = known!(r, cpu.chip.sockets).unwrap_or_else(|| {
        r.rule("chip.sockets", "the machine has one package");
        1
    });
    let cores = needed!(r, cpu.chip.cores).saturating_mul(sockets);
    r.only_for(NeededFor::SharedCores);
    let smt_throughput = smt_throughput(cpu, r);
    r.only_for(NeededFor::All);
    let line = f64::from(cpu.line.get());
    let caches = caches(cpu, r)?;
    let last = caches.last().map_or(Cycles::ZERO, |cache| cache.latency);
    let memory = memory(cpu, clock, (sockets, last), r)?;
    let tlb = tlb(cpu, last, r)?;
    let [load_across_lines, store_across_lines] = across_lines(cpu, r);
    r.rule("memory.transfers", "lines move between several levels at the same time");
    r.rule("memory.outstanding_misses", "a core has as many misses under way as its bandwidth and latency imply");
    r.rule("memory.prefetch_stride", "the hardware fetches ahead for distances of up to half a page");
    let fixed = |cycles: f64| PerThreads { fixed: Cycles::new(cycles), each: Cycles::ZERO };
    let costs = openmp(cpu, r)?;
    let join = costs.join.unwrap_or_else(|| {
        r.rule("openmp.join", "ending a region takes as long as a barrier");
        costs.synchronisation
    });
    let teams_schedule = known!(r, cpu.openmp.teams_schedule).unwrap_or_else(|| {
        r.rule("openmp.teams_schedule", "handing a loop out to teams is part of what starting the region costs");
        0.0
    });
    let dynamic_chunk = fixed(dynamic_chunk(cpu, memory.latency, r));
    let machine = CpuMachine {
        clock: Hertz::new(clock),
        cores,
        smt_throughput,
        line: Bytes::new(line),
        caches,
        memory,
        transfers: Transfers::Overlap,
        outstanding_misses: (memory.bandwidth_of_core.get() * memory.latency.get() / clock / line).max(1.0),
        prefetch_stride: Bytes::new(tlb.page.get() / 2.0),
        tlb,
        load_across_lines,
        store_across_lines,
        // Where nobody has measured it, nothing is reported.
        thread: cpu.openmp.thread.as_ref().ok().map(|thread| Seconds::new(thread.get().get())),
        fork: fixed(costs.startup),
        join: fixed(join),
        barrier: fixed(costs.synchronisation),
        static_schedule: Cycles::new(costs.static_schedule),
        teams_schedule: Cycles::new(teams_schedule),
        dynamic_chunk,
        // The analyser's figure is of the whole body, with the loop's own instructions.
        loop_overhead: Cycles::ZERO,
    };
    Ok(reader.finish(machine))
}

/// What a load and a store take longer where they lie across two lines.
fn across_lines(cpu: &Cpu, r: &mut Reader<'_>) -> [Cycles; 2] {
    let known = [known!(r, cpu.chip.load_across_lines), known!(r, cpu.chip.store_across_lines)];
    if known.contains(&None) {
        r.rule("chip.across_lines", "what lies across two lines takes no longer than what lies within one");
    }
    known.map(|cycles| Cycles::new(cycles.unwrap_or(0.0)))
}

/// The cycles that a thread takes to get a chunk of a dynamic schedule.
fn dynamic_chunk(cpu: &Cpu, latency: Cycles, r: &mut Reader<'_>) -> f64 {
    r.only_for(NeededFor::DynamicSchedule);
    known!(r, cpu.openmp.dynamic_schedule).unwrap_or_else(|| {
        r.rule("openmp.dynamic_schedule", "to get a chunk takes as long as a load that goes to memory");
        latency.get()
    })
}

/// The levels that the description has.
fn caches(cpu: &Cpu, r: &mut Reader<'_>) -> Result<Vec<CacheLevel>, MachineError> {
    let mut caches: Vec<CacheLevel> = Vec::new();
    for (name, cache) in [("L1", &cpu.l1d), ("L2", &cpu.l2), ("L3", &cpu.l3)] {
        if cache.size.is_err() && name != "L1" {
            // Not every CPU has all levels.
            continue;
        }
        let level = level(name, cache, caches.last(), r)?;
        caches.push(level);
    }
    Ok(caches)
}

/// The memory of so many packages, which takes no less time than the last cache.
fn memory(
    cpu: &Cpu,
    clock: f64,
    (sockets, last): (u64, Cycles),
    r: &mut Reader<'_>,
) -> Result<CpuMemory, MachineError> {
    let latency = Cycles::new(needed!(r, cpu.memory.latency) * clock).max(last);
    let (of_package, of_core) = bandwidths(cpu, sockets, r)?;
    let (write_back, write_back_of_core) = memory_write_back(cpu, r);
    Ok(CpuMemory {
        latency,
        bandwidth: BytesPerSecond::new(of_package),
        bandwidth_of_core: BytesPerSecond::new(of_core),
        write_back,
        write_back_of_core,
    })
}

fn tlb(cpu: &Cpu, last: Cycles, r: &mut Reader<'_>) -> Result<CpuTlb, MachineError> {
    let page = needed!(r, cpu.tlb.page) as f64;
    let miss = known!(r, cpu.tlb.walk).unwrap_or_else(|| {
        r.rule("tlb.walk", "a page walk takes as long as a load that finds its data in the last cache");
        last.get()
    });
    let walks = known!(r, cpu.tlb.walks).unwrap_or_else(|| {
        r.rule("tlb.walks", "a core makes one page walk at a time");
        1.0
    });
    Ok(CpuTlb {
        entries: needed!(r, cpu.tlb.l2_entries) as f64,
        page: Bytes::new(page),
        miss: Cycles::new(miss),
        walks: walks.max(1.0),
    })
}

/// What a core gets done with 1, 2, ... threads; between the numbers that are known in proportion.
fn smt_throughput(cpu: &Cpu, r: &mut Reader<'_>) -> Vec<f64> {
    let most = known!(r, cpu.chip.threads_per_core).unwrap_or(1).max(1) as usize;
    let Ok(known) = &cpu.chip.smt_throughput else {
        if most > 1 {
            r.rule("chip.smt_throughput", "a core does no more with several threads than with one");
        }
        return vec![1.0; most];
    };
    r.used(known.key(), known.assumption(), known.kind());
    let points: Vec<(f64, f64)> =
        known.value().points().map(|(threads, times)| (f64::from(threads), times.get().max(1.0))).collect();
    let at = |threads: f64| {
        let below = points.iter().rev().find(|(of, _)| *of <= threads).copied().unwrap_or((1.0, 1.0));
        match points.iter().find(|(of, _)| *of > threads) {
            Some(above) => below.1 + (above.1 - below.1) * (threads - below.0) / (above.0 - below.0),
            None => below.1,
        }
    };
    let mut all: Vec<f64> = (1..=most as u32).map(|threads| at(threads.into())).collect();
    // A description may say that more threads do less; they then need not be used.
    for place in 1..all.len() {
        all[place] = all[place].max(all[place - 1]);
    }
    all
}

/// What all cores together get from memory, and what one core does.
fn bandwidths(cpu: &Cpu, sockets: u64, r: &mut Reader<'_>) -> Result<(f64, f64), MachineError> {
    if let Ok(by_threads) = &cpu.memory.bandwidth_by_threads {
        r.used(by_threads.key(), by_threads.assumption(), by_threads.kind());
        let points: Vec<(u32, f64)> =
            by_threads.value().points().map(|(threads, rate)| (threads, rate.get())).collect();
        let most = points.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        if let Some((threads, rate)) = points.first() {
            return Ok((most, rate / f64::from((*threads).max(1))));
        }
    }
    let of_package = match known!(r, cpu.memory.sustained_bandwidth) {
        Some(sustained) => sustained,
        None => {
            r.rule("memory.sustained_bandwidth", "cores get the whole bandwidth of the memory's interface");
            needed!(r, cpu.memory.bandwidth)
        }
    };
    if sockets > 1 {
        r.rule("memory.packages", "data lies near the threads that use it, in all packages");
    }
    let of_core = known!(r, cpu.memory.core_bandwidth).unwrap_or_else(|| {
        r.rule("memory.core_bandwidth", "one core can draw the bandwidth of its package");
        of_package
    });
    Ok((of_package * sockets as f64, of_core))
}

/// What a line that goes back takes over one that comes, from what threads change in place and what they read.
fn write_back(read: f64, updated: f64) -> f64 {
    (read / updated - 1.0).max(0.0)
}

/// The same where neither is known.
const AS_LONG: f64 = 1.0;

/// As of the most threads that were measured, and of one alone: where threads do not fill the memory's interface, what goes back hides behind
/// what comes.
fn memory_write_back(cpu: &Cpu, r: &mut Reader<'_>) -> (f64, f64) {
    if let (Ok(read_of), Ok(updated)) = (&cpu.memory.bandwidth_by_threads, &cpu.memory.updates_by_threads) {
        let last = |table: &ipda_hwdb::Value<ipda_hwdb::ByThreads<ipda_hwdb::BytesPerSecond>>| {
            table.value().points().last().map(|(threads, rate)| (threads, rate.get()))
        };
        let first = |table: &ipda_hwdb::Value<ipda_hwdb::ByThreads<ipda_hwdb::BytesPerSecond>>| {
            table.value().points().next().filter(|(threads, _)| *threads == 1).map(|(_, rate)| rate.get())
        };
        if let (Some((threads, read)), Some((others, changed))) = (last(read_of), last(updated))
            && threads == others
        {
            r.used(updated.key(), updated.assumption(), updated.kind());
            let of_all = write_back(read, changed);
            let alone = first(read_of).zip(first(updated)).map(|(read, changed)| write_back(read, changed));
            return (of_all, alone.unwrap_or(of_all));
        }
    }
    r.rule("memory.updates_by_threads", "a line that goes back to memory takes as long as one that comes");
    (AS_LONG, AS_LONG)
}

fn level(
    name: &str,
    cache: &Cache,
    nearer: Option<&CacheLevel>,
    r: &mut Reader<'_>,
) -> Result<CacheLevel, MachineError> {
    let throughput = match (known!(r, cache.bandwidth), nearer) {
        (Some(bandwidth), _) => bandwidth,
        (None, Some(nearer)) => {
            r.rule(&format!("{name}.bandwidth"), format!("{name} gives half of what the level before does"));
            nearer.throughput.get() / 2.0
        }
        (None, None) => needed!(r, cache.bandwidth),
    };
    // Nothing goes back to the first one.
    let updated = nearer.and_then(|_| known!(r, cache.update_bandwidth));
    if updated.is_none() && nearer.is_some() {
        r.rule(
            &format!("{name}.update_bandwidth"),
            format!("a line that goes back to {name} takes as long as one that comes"),
        );
    }
    let cores = known!(r, cache.cores).unwrap_or_else(|| {
        r.rule(&format!("{name}.cores"), format!("{name} is a core's own"));
        1
    });
    Ok(CacheLevel {
        name: name.to_owned(),
        capacity: Bytes::new(needed!(r, cache.size) as f64),
        cores,
        latency: Cycles::new(needed!(r, cache.latency)),
        throughput: BytesPerCycle::new(throughput),
        write_back: updated.map_or(AS_LONG, |updated| write_back(throughput, updated)),
    })
}

/// What libomp costs, in cycles.
struct OpenMpCosts {
    startup: f64,
    join: Option<f64>,
    static_schedule: f64,
    synchronisation: f64,
}

fn openmp(cpu: &Cpu, r: &mut Reader<'_>) -> Result<OpenMpCosts, MachineError> {
    let costs = OpenMpCosts {
        startup: needed!(r, cpu.openmp.startup),
        join: known!(r, cpu.openmp.join),
        static_schedule: needed!(r, cpu.openmp.static_schedule),
        synchronisation: needed!(r, cpu.openmp.synchronisation),
    };
    let threads = known!(r, cpu.openmp.threads);
    let whose = threads.map_or_else(String::new, |threads| format!(", those of {threads} threads,"));
    r.rule("openmp.threads", format!("the costs of OpenMP{whose} hold for any number of threads"));
    Ok(costs)
}

/// A CPU for the model of Liao and Chapman.
///
/// # Errors
/// If the description lacks one of its parameters.
pub fn liao_chapman_parameters(cpu: &Cpu) -> Result<Described<Parameters>, MachineError> {
    let mut reader = Reader::new(&cpu.name);
    let r = &mut reader;
    let costs = openmp(cpu, r)?;
    let join = costs.join.unwrap_or_else(|| {
        r.rule("openmp.join", "ending a region is part of what starting it costs");
        0.0
    });
    let schedule = Cycles::new(costs.static_schedule);
    let clock = needed!(r, cpu.chip.clock);
    let tlb_entries = needed!(r, cpu.tlb.l2_entries) as f64;
    // The thesis's miss is the look-up in the last level, where its POWER9 has no figure for a walk.
    let tlb_miss = known!(r, cpu.tlb.walk).or_else(|| known!(r, cpu.tlb.l2_latency)).unwrap_or_else(|| {
        r.rule("tlb.walk", "a miss of the translation buffers costs nothing");
        0.0
    });
    let loop_overhead = Cycles::new(needed!(r, cpu.openmp.loop_overhead));
    r.only_for(NeededFor::DynamicSchedule);
    let schedule_dynamic = known!(r, cpu.openmp.dynamic_schedule).map_or_else(
        || {
            r.rule("openmp.dynamic_schedule", "a chunk of a dynamic schedule costs what a static one does");
            schedule
        },
        Cycles::new,
    );
    let machine = Parameters {
        clock: Hertz::new(clock),
        fork: Cycles::new(costs.startup),
        join: Cycles::new(join),
        synchronization: Cycles::new(costs.synchronisation),
        schedule_static: schedule,
        schedule_chunked: schedule,
        schedule_dynamic,
        loop_overhead,
        tlb_entries,
        tlb_miss: Cycles::new(tlb_miss),
    };
    Ok(reader.finish(machine))
}
