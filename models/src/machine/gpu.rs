//! GPUs.

use std::collections::BTreeMap;

use ipda_hwdb::Gpu;

use super::{Described, MachineError, NeededFor, Reader, known, needed};
use crate::gpu::geometry::RuntimeDevice;
use crate::gpu::occupancy::SmLimits;
use crate::gpu::{ClassCost, GpuMachine, L1, L2, Memory, Pipe, Reduction, hong_kim};
use crate::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz, Seconds};
use crate::report::InstructionClass;

/// A GPU for the extended model.
///
/// # Errors
/// If the description lacks a value that nothing can stand in for.
pub fn gpu_machine(gpu: &Gpu) -> Result<Described<GpuMachine>, MachineError> {
    let mut reader = Reader::new(&gpu.name);
    let r = &mut reader;
    let clock = needed!(r, gpu.chip.clock);
    let sms = needed!(r, gpu.chip.multiprocessors);
    let schedulers = needed!(r, gpu.issue.schedulers);
    let limits = limits(gpu, schedulers, r)?;
    let costs = costs(gpu, schedulers as f64, r)?;
    r.only_for(NeededFor::All);
    let l1_size = needed!(r, gpu.memory.l1_size);
    let l1 = L1 {
        capacity: Bytes::new(l1_size as f64),
        // Where both are one memory, the cache is what is left of it: its size is then at least that of shared memory.
        taken_by_shared: if l1_size >= limits.shared { 1.0 } else { 0.0 },
        latency: Cycles::new(needed!(r, gpu.memory.l1_latency)),
        throughput: BytesPerCycle::new(needed!(r, gpu.memory.l1_bandwidth)),
    };
    let l2 = l2(gpu, clock, sms as f64, r)?;
    let memory = Memory {
        latency: Cycles::new(needed!(r, gpu.memory.latency)),
        bandwidth: BytesPerSecond::new(bandwidth(gpu, r)?),
        // Descriptions do not say how much memory the translation covers.
        tlb: None,
    };
    // Left out where nobody has measured it.
    let runtime = known!(r, gpu.launch.runtime).unwrap_or(0.0);
    let launch = Seconds::new(needed!(r, gpu.launch.kernel) + runtime);
    let context = known!(r, gpu.launch.context).unwrap_or_else(|| {
        r.rule("launch.context", "what the first use of the device costs is not known, and left out");
        0.0
    });
    r.only_for(NeededFor::Barriers);
    let barrier = shared_latency(gpu, r)?;
    r.rule("issue.barrier", "a barrier takes as long as an access to shared memory");
    r.only_for(NeededFor::TeamReduction);
    let reduction = reduction(gpu, r);
    r.only_for(NeededFor::DynamicSchedule);
    r.rule("openmp.dispatch", "to ask for a chunk of a dynamic schedule takes as long as an atomic update in L2");
    let machine = GpuMachine {
        sms,
        clock: Hertz::new(clock),
        issue_slots: schedulers as f64,
        limits,
        costs,
        sector: Bytes::new(gpu.sector.get().into()),
        l1,
        l2,
        memory,
        launch,
        context: Seconds::new(context),
        barrier: Cycles::new(barrier),
        dispatch: l2.latency,
        reduction,
    };
    Ok(reader.finish(machine))
}

fn l2(gpu: &Gpu, clock: f64, sms: f64, r: &mut Reader<'_>) -> Result<L2, MachineError> {
    let l2_bandwidth = needed!(r, gpu.memory.l2_bandwidth);
    let per_sm = match known!(r, gpu.memory.departure_delay_coalesced) {
        Some(delay) => f64::from(gpu.line.get()) / delay,
        None => {
            r.rule("memory.departure_delay_coalesced", "a multiprocessor takes no more from L2 than its equal part");
            l2_bandwidth / clock / sms
        }
    };
    Ok(L2 {
        capacity: Bytes::new(needed!(r, gpu.memory.l2_size) as f64),
        latency: Cycles::new(needed!(r, gpu.memory.l2_latency)),
        bandwidth: BytesPerSecond::new(l2_bandwidth),
        // At least the equal part: what all take together was measured.
        per_sm: BytesPerCycle::new(per_sm.max(l2_bandwidth / clock / sms)),
        updates: updates(gpu, r),
        is_emptied: false,
    })
}

fn updates(gpu: &Gpu, r: &mut Reader<'_>) -> f64 {
    r.only_for(NeededFor::Updates);
    let updates = known!(r, gpu.memory.l2_updates).unwrap_or_else(|| {
        r.rule("memory.l2_updates", "the second level makes one atomic update of a place a cycle");
        1.0
    });
    r.only_for(NeededFor::All);
    updates
}

fn reduction(gpu: &Gpu, r: &mut Reader<'_>) -> Reduction {
    let fixed = known!(r, gpu.launch.reduction);
    let of_teams = known!(r, gpu.launch.reduction_of_teams);
    if fixed.is_none() || of_teams.is_none() {
        r.rule("launch.reduction", "what a reduction across teams adds is not known, and left out");
    }
    Reduction { fixed: Seconds::new(fixed.unwrap_or(0.0)), of_teams: Seconds::new(of_teams.unwrap_or(0.0)) }
}

fn bandwidth(gpu: &Gpu, r: &mut Reader<'_>) -> Result<f64, MachineError> {
    if let Some(sustained) = known!(r, gpu.memory.sustained_bandwidth) {
        return Ok(sustained);
    }
    r.rule("memory.sustained_bandwidth", "kernels get the whole bandwidth of the memory's interface");
    Ok(needed!(r, gpu.memory.bandwidth))
}

fn shared_latency(gpu: &Gpu, r: &mut Reader<'_>) -> Result<f64, MachineError> {
    if let Some(latency) = known!(r, gpu.memory.shared_latency) {
        return Ok(latency);
    }
    r.rule("memory.shared_latency", "shared memory is as far away as L1");
    Ok(needed!(r, gpu.memory.l1_latency))
}

fn limits(gpu: &Gpu, schedulers: u64, r: &mut Reader<'_>) -> Result<SmLimits, MachineError> {
    let occupancy = &gpu.occupancy;
    Ok(SmLimits {
        lanes: gpu.lanes.into(),
        warps: needed!(r, occupancy.warps),
        teams: needed!(r, occupancy.blocks),
        threads_per_team: needed!(r, occupancy.threads_per_block),
        registers: needed!(r, occupancy.registers),
        registers_per_thread: needed!(r, occupancy.registers_per_thread),
        register_unit: needed!(r, occupancy.register_granularity),
        // Each scheduler has its own part of the registers.
        parts: schedulers,
        shared: needed!(r, occupancy.shared_memory),
        shared_per_team: needed!(r, occupancy.shared_memory_per_block),
        shared_unit: needed!(r, occupancy.shared_memory_granularity),
        shared_reserved: needed!(r, occupancy.shared_memory_reserved),
    })
}

/// Instructions of a division of integers of 32 bits: what ptxas 12.4 adds for sm_70 to sm_90, 24 where it is signed and 20 where not. AMD's compilers
/// make about as many.
const INSTRUCTIONS_OF_DIVISION: f64 = 22.0;

/// What each class costs. A sequence of instructions is as long as the throughput says, and its instructions wait for each other.
fn costs(
    gpu: &Gpu,
    schedulers: f64,
    r: &mut Reader<'_>,
) -> Result<BTreeMap<InstructionClass, ClassCost>, MachineError> {
    let mut costs = BTreeMap::new();
    for class in InstructionClass::ALL {
        r.only_for(NeededFor::Class(class));
        costs.insert(class, cost(gpu, schedulers, class, r)?);
    }
    Ok(costs)
}

fn single(pipe: Pipe, per_cycle: f64, latency: f64) -> ClassCost {
    ClassCost { pipe, per_cycle, latency: Cycles::new(latency), instructions: 1.0 }
}

/// Instructions of a pipe that wait for each other.
fn sequence(pipe: Pipe, per_cycle: f64, of_pipe: f64, latency: f64) -> ClassCost {
    let instructions = (of_pipe / per_cycle).max(1.0);
    ClassCost { pipe, per_cycle, latency: Cycles::new(latency * instructions), instructions }
}

/// One row a class, however long the table is.
fn cost(gpu: &Gpu, schedulers: f64, class: InstructionClass, r: &mut Reader<'_>) -> Result<ClassCost, MachineError> {
    use InstructionClass as Class;
    let throughput = &gpu.throughput;
    Ok(match class {
        Class::LoadGlobal | Class::StoreGlobal => single(Pipe::LoadStore, needed!(r, throughput.load_store), 0.0),
        Class::Atomic => {
            r.rule("throughput.atomic", "atomic updates are started at the rate of loads");
            single(Pipe::LoadStore, needed!(r, throughput.load_store), 0.0)
        }
        Class::LoadShared => {
            let latency = shared_latency(gpu, r)?;
            single(Pipe::LoadStore, needed!(r, throughput.load_store), latency)
        }
        Class::StoreShared => single(Pipe::LoadStore, needed!(r, throughput.load_store), 0.0),
        Class::LoadLocal | Class::LoadConstant => {
            r.rule("memory.local", "a thread's own memory and constants are found in L1");
            single(Pipe::LoadStore, needed!(r, throughput.load_store), needed!(r, gpu.memory.l1_latency))
        }
        Class::StoreLocal => single(Pipe::LoadStore, needed!(r, throughput.load_store), 0.0),
        Class::Float16 => {
            r.rule("throughput.fp16", "floats of 16 bits cost what those of 32 bits do");
            single(Pipe::Float32, needed!(r, throughput.fp32), needed!(r, gpu.issue.arithmetic_latency))
        }
        Class::Float32 => single(Pipe::Float32, needed!(r, throughput.fp32), needed!(r, gpu.issue.arithmetic_latency)),
        Class::Float64 => single(Pipe::Float64, needed!(r, throughput.fp64), needed!(r, gpu.issue.fp64_latency)),
        Class::Divide32 => sequence(
            Pipe::Float32,
            needed!(r, throughput.fp32_divide),
            needed!(r, throughput.fp32),
            needed!(r, gpu.issue.arithmetic_latency),
        ),
        Class::Divide64 => sequence(
            Pipe::Float64,
            needed!(r, throughput.fp64_divide),
            needed!(r, throughput.fp64),
            needed!(r, gpu.issue.fp64_latency),
        ),
        Class::Special32 => {
            r.rule("throughput.functions", "roots, exponentials and sines of 32 bits all cost what a root does");
            sequence(
                Pipe::Float32,
                needed!(r, throughput.fp32_sqrt),
                needed!(r, throughput.fp32),
                needed!(r, gpu.issue.arithmetic_latency),
            )
        }
        Class::Special64 => {
            r.rule("throughput.functions", "roots, exponentials and sines of 64 bits all cost what a root does");
            sequence(
                Pipe::Float64,
                needed!(r, throughput.fp64_sqrt),
                needed!(r, throughput.fp64),
                needed!(r, gpu.issue.fp64_latency),
            )
        }
        Class::Convert => {
            // NVIDIA's special units convert as well (Nsight Compute, Kernel Profiling Guide, Pipelines, XU); of doubles, their own units do a part.
            r.rule(
                "throughput.convert",
                "conversions take as long as special functions, or as those from and to 64 bits where these are faster",
            );
            let of_doubles = needed!(r, throughput.convert64);
            let per_cycle = known!(r, throughput.special).map_or(of_doubles, |special| special.max(of_doubles));
            single(Pipe::Special, per_cycle, needed!(r, gpu.issue.arithmetic_latency))
        }
        Class::Integer32 => {
            single(Pipe::Integer, needed!(r, throughput.int32), needed!(r, gpu.issue.arithmetic_latency))
        }
        // Two of 32 bits.
        Class::Integer64 => {
            let half = needed!(r, throughput.int32) / 2.0;
            sequence(Pipe::Integer, half, 2.0 * half, needed!(r, gpu.issue.arithmetic_latency))
        }
        Class::IntegerDivide => {
            r.rule("throughput.divisions", "all divisions of integers cost what those of 32 bits do");
            // Several kinds of units share the sequence: its length does not follow from what it takes of one of them.
            ClassCost {
                pipe: Pipe::Integer,
                per_cycle: needed!(r, throughput.int32_divide),
                latency: Cycles::new(INSTRUCTIONS_OF_DIVISION * needed!(r, gpu.issue.arithmetic_latency)),
                instructions: INSTRUCTIONS_OF_DIVISION,
            }
        }
        // As many as can be started.
        Class::Branch | Class::Barrier | Class::Call => {
            if class == Class::Call {
                r.rule("throughput.call", "code that is called and not counted costs one instruction");
            }
            let started = schedulers * f64::from(gpu.lanes);
            single(Pipe::Control, started, needed!(r, gpu.issue.arithmetic_latency))
        }
    })
}

/// A GPU for the model of Hong and Kim.
///
/// # Errors
/// If the description lacks one of its parameters.
pub fn hong_kim_parameters(
    gpu: &Gpu,
    load_bytes_per_warp: Bytes,
) -> Result<Described<hong_kim::Parameters>, MachineError> {
    let mut reader = Reader::new(&gpu.name);
    let r = &mut reader;
    let machine = hong_kim::Parameters {
        mem_ld: Cycles::new(needed!(r, gpu.memory.latency)),
        departure_del_uncoal: Cycles::new(needed!(r, gpu.memory.departure_delay_uncoalesced)),
        departure_del_coal: Cycles::new(needed!(r, gpu.memory.departure_delay_coalesced)),
        issue_cycles: Cycles::new(needed!(r, gpu.issue.issue_cycles)),
        freq: Hertz::new(needed!(r, gpu.chip.clock)),
        mem_bandwidth: BytesPerSecond::new(needed!(r, gpu.memory.bandwidth)),
        load_bytes_per_warp,
    };
    Ok(reader.finish(machine))
}

/// What OpenMP's runtime knows of a GPU, by LLVM's name of its processor.
///
/// # Errors
/// If the number of its compute units, which teams depend on, is not known.
pub fn runtime_device(gpu: &Gpu) -> Result<RuntimeDevice, MachineError> {
    if gpu.processor.starts_with("gfx") {
        let mut reader = Reader::new(&gpu.name);
        let units = needed!(reader, gpu.chip.multiprocessors);
        return Ok(RuntimeDevice::amd(gpu.lanes.into(), units));
    }
    Ok(RuntimeDevice::NVIDIA)
}
