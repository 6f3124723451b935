//! Machines and kernels for tests. The numbers are round; no prediction for a product rests on them.
#![allow(dead_code)]

use std::collections::BTreeMap;

use ipda_models::cpu;
use ipda_models::gpu::extended::Filling;
use ipda_models::gpu::geometry::Launch;
use ipda_models::gpu::hong_kim;
use ipda_models::gpu::occupancy::{SmLimits, TeamNeeds};
use ipda_models::gpu::{
    Access, AccessKind, ClassCost, Footprint, GpuMachine, L1, L2, Loop, Memory, Pipe, Reduction, Work,
};
use ipda_models::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz, Seconds};
use ipda_models::report::InstructionClass;

/// Compute capability 7.0, from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
pub const SM_70: SmLimits = SmLimits {
    lanes: 32,
    warps: 64,
    teams: 32,
    threads_per_team: 1024,
    registers: 65536,
    registers_per_thread: 255,
    register_unit: 256,
    parts: 4,
    shared: 96 << 10,
    shared_per_team: 96 << 10,
    shared_unit: 256,
    shared_reserved: 0,
};

/// A GPU with 80 multiprocessors at 1 GHz and 1000 GB/s.
pub fn gpu() -> GpuMachine {
    let cost = |pipe, per_cycle, latency, instructions| ClassCost {
        pipe,
        per_cycle,
        latency: Cycles::new(latency),
        instructions,
    };
    let costs = BTreeMap::from([
        (InstructionClass::LoadGlobal, cost(Pipe::LoadStore, 32.0, 0.0, 1.0)),
        (InstructionClass::StoreGlobal, cost(Pipe::LoadStore, 32.0, 0.0, 1.0)),
        (InstructionClass::Atomic, cost(Pipe::LoadStore, 16.0, 0.0, 1.0)),
        (InstructionClass::LoadShared, cost(Pipe::LoadStore, 32.0, 20.0, 1.0)),
        (InstructionClass::Float32, cost(Pipe::Float32, 64.0, 4.0, 1.0)),
        (InstructionClass::Float64, cost(Pipe::Float64, 32.0, 8.0, 1.0)),
        (InstructionClass::Divide64, cost(Pipe::Float64, 2.0, 100.0, 10.0)),
        (InstructionClass::Special32, cost(Pipe::Special, 16.0, 16.0, 1.0)),
        (InstructionClass::Integer32, cost(Pipe::Integer, 64.0, 4.0, 1.0)),
        (InstructionClass::Branch, cost(Pipe::Control, 64.0, 8.0, 1.0)),
    ]);
    GpuMachine {
        sms: 80,
        clock: Hertz::new(1e9),
        issue_slots: 4.0,
        limits: SM_70,
        costs,
        sector: Bytes::new(32.0),
        l1: L1 {
            capacity: Bytes::new(131_072.0),
            taken_by_shared: 1.0,
            latency: Cycles::new(28.0),
            throughput: BytesPerCycle::new(128.0),
        },
        l2: L2 {
            capacity: Bytes::new(6e6),
            latency: Cycles::new(200.0),
            bandwidth: BytesPerSecond::new(2000e9),
            per_sm: BytesPerCycle::new(64.0),
            updates: 1.0,
            is_emptied: false,
        },
        memory: Memory { latency: Cycles::new(400.0), bandwidth: BytesPerSecond::new(1000e9), tlb: None },
        launch: Seconds::new(5e-6),
        context: Seconds::new(0.5),
        barrier: Cycles::new(20.0),
        dispatch: Cycles::new(500.0),
        reduction: Reduction { fixed: Seconds::new(50e-6), of_teams: Seconds::new(5e-6) },
    }
}

/// The access of `A[i] = ..` or `.. = A[i]` with floats, where a thread has one element: 4 sectors a warp.
pub fn streamed(name: &str, kind: AccessKind, elements: f64) -> Access {
    Access {
        name: name.to_owned(),
        kind,
        references: 1.0,
        probability: 1.0,
        sectors: 4.0,
        in_step: 4.0,
        turn: 1.0,
        anew: 1.0,
        loops: Vec::new(),
        body: Footprint { warp: 128.0, team: 512.0, grid: 4.0 * elements, spread: 1.0 },
        total: 4.0 * elements,
        updates: 0.0,
        apart: None,
        same: None,
        probes: None,
    }
}

/// `for i in 0..elements: C[i] = A[i] + B[i]`, with floats, an element for each thread of teams of 128.
pub fn vector_addition(elements: u64) -> Work {
    let teams = elements.div_ceil(128);
    let count = elements as f64;
    Work {
        iterations: elements,
        launch: Launch { teams, threads: 128 },
        busy_teams: teams,
        omp_rep: 1,
        of_chunk: 1,
        longest: 1.0,
        busy_threads: 128,
        filling: Filling::InTurn,
        requests: 0,
        sections: 0.0,
        needs: TeamNeeds { threads: 128, registers: 16, shared: 0 },
        instructions: BTreeMap::from([
            (InstructionClass::Float32, 1.0),
            (InstructionClass::Integer32, 8.0),
            (InstructionClass::Branch, 1.0),
        ]),
        bank_passes: 0.0,
        accesses: vec![
            streamed("A", AccessKind::Load, count),
            streamed("B", AccessKind::Load, count),
            streamed("C", AccessKind::Store, count),
        ],
        arithmetic_parallelism: 2.0,
        memory_parallelism: 2.0,
        barriers: 0.0,
    }
}

/// `for i in 0..n: for j in 0..m: y[i] += A[i][j] * x[j]`, with floats, a row for each thread: neighbours are m elements apart.
pub fn rows(n: u64, m: u64) -> Work {
    rows_in_teams(n, m, 128)
}

/// The same with teams of that many threads.
pub fn rows_in_teams(n: u64, m: u64, threads: u64) -> Work {
    let (rows, columns, team) = (n as f64, m as f64, threads as f64);
    let row = (4.0 * columns).max(32.0);
    let all_rows = Footprint { warp: 32.0 * row, team: team * row, grid: rows * row, spread: 1.0 };
    let walked = Access {
        name: "A".to_owned(),
        kind: AccessKind::Load,
        references: 1.0,
        probability: 1.0,
        sectors: 32.0,
        in_step: 32.0,
        turn: 1.0,
        anew: 1.0,
        loops: vec![Loop { trips: columns, footprint: all_rows }],
        body: Footprint { warp: 1024.0, team: 32.0 * team, grid: 32.0 * rows, spread: 1.0 },
        total: rows * row,
        updates: 0.0,
        apart: None,
        same: None,
        probes: None,
    };
    let vector = Footprint { warp: row, team: row, grid: row, spread: 1.0 };
    let same = Footprint { warp: 32.0, team: 32.0, grid: 32.0, spread: 1.0 };
    let uniform = Access {
        name: "x".to_owned(),
        sectors: 1.0,
        in_step: 1.0,
        turn: 1.0,
        anew: 1.0,
        loops: vec![Loop { trips: columns, footprint: vector }],
        body: same,
        total: row,
        updates: 0.0,
        apart: None,
        same: None,
        probes: None,
        ..walked.clone()
    };
    Work {
        instructions: BTreeMap::from([
            (InstructionClass::Float32, columns),
            (InstructionClass::Integer32, 3.0 * columns),
            (InstructionClass::Branch, columns),
        ]),
        accesses: vec![walked, uniform, streamed("y", AccessKind::Store, rows)],
        launch: Launch { teams: n.div_ceil(threads), threads },
        busy_teams: n.div_ceil(threads),
        busy_threads: threads,
        filling: Filling::Evenly,
        needs: TeamNeeds { threads, registers: 16, shared: 0 },
        ..vector_addition(n)
    }
}

/// A CPU with 8 cores of two threads at 2 GHz and 100 GB/s.
pub fn processor() -> cpu::CpuMachine {
    let level = |name: &str, capacity, cores, latency, throughput| cpu::CacheLevel {
        name: name.to_owned(),
        capacity: Bytes::new(capacity),
        cores,
        latency: Cycles::new(latency),
        throughput: BytesPerCycle::new(throughput),
        write_back: 1.0,
    };
    let cost = |fixed, each| cpu::PerThreads { fixed: Cycles::new(fixed), each: Cycles::new(each) };
    cpu::CpuMachine {
        clock: Hertz::new(2e9),
        cores: 8,
        smt_throughput: vec![1.0, 1.25],
        line: Bytes::new(64.0),
        caches: vec![
            level("L1", 32768.0, 1, 4.0, 64.0),
            level("L2", 1_048_576.0, 1, 14.0, 32.0),
            level("L3", 16_777_216.0, 8, 50.0, 16.0),
        ],
        memory: cpu::CpuMemory {
            latency: Cycles::new(200.0),
            bandwidth: BytesPerSecond::new(100e9),
            bandwidth_of_core: BytesPerSecond::new(20e9),
            write_back: 1.0,
            write_back_of_core: 1.0,
        },
        transfers: cpu::Transfers::Overlap,
        outstanding_misses: 10.0,
        prefetch_stride: Bytes::new(2048.0),
        tlb: cpu::CpuTlb { entries: 1536.0, page: Bytes::new(4096.0), miss: Cycles::new(30.0), walks: 1.0 },
        load_across_lines: Cycles::new(0.5),
        store_across_lines: Cycles::new(1.0),
        thread: None,
        fork: cost(1000.0, 100.0),
        join: cost(500.0, 0.0),
        barrier: cost(200.0, 50.0),
        static_schedule: Cycles::new(50.0),
        teams_schedule: Cycles::new(70.0),
        dynamic_chunk: cost(50.0, 10.0),
        loop_overhead: Cycles::new(0.5),
    }
}

/// `for i in 0..n: for j in 0..m: sum += A[i][j]`, with doubles, 2 cycles an element, the rows shared among `threads`.
pub fn sums_of_rows(n: u64, m: u64, threads: u64) -> cpu::Work {
    let (rows, columns) = (n as f64, m as f64);
    let lines = |bytes: f64| cpu::Lines { lines: (bytes / 64.0).max(1.0), pages: (bytes / 4096.0).max(1.0) };
    let row = lines(8.0 * columns);
    let access = cpu::Access {
        name: "A".to_owned(),
        kind: cpu::AccessKind::Load,
        stride: Some(Bytes::new(8.0)),
        probability: 1.0,
        loops: vec![cpu::Loop { trips: columns, footprint: row }],
        body: cpu::Lines { lines: 1.0, pages: 1.0 },
        whole: lines(8.0 * rows * columns),
    };
    let shared = cpu::ParallelLoop {
        name: "rows".to_owned(),
        iterations: n,
        schedule: cpu::Schedule::Static,
        handout: cpu::Handout::Threads,
        longest: 1.0,
        cycles_per_iteration: Cycles::new(2.0 * columns),
        cycles_once: Cycles::ZERO,
        across_lines: cpu::AcrossLines { loads: 0.0, stores: 0.0 },
        memory_parallelism: 4.0,
        accesses: vec![access],
    };
    cpu::Work { threads, loops: vec![shared], start: cpu::Start::Cold }
}

/// The machine of Hong and Kim's worked case.
pub fn paper_machine() -> hong_kim::Parameters {
    hong_kim::Parameters {
        mem_ld: Cycles::new(420.0),
        departure_del_uncoal: Cycles::new(10.0),
        departure_del_coal: Cycles::new(4.0),
        issue_cycles: Cycles::new(4.0),
        freq: Hertz::new(1e9),
        mem_bandwidth: BytesPerSecond::new(80e9),
        load_bytes_per_warp: Bytes::new(128.0),
    }
}

/// The kernel of Hong and Kim's worked case.
pub fn paper_kernel() -> hong_kim::Work {
    hong_kim::Work {
        comp_insts: 27.0,
        coal_mem_insts: 0.0,
        uncoal_mem_insts: 6.0,
        synch_insts: 6.0,
        uncoal_per_mw: 32.0,
        active_warps: 20.0,
        blocks: 80.0,
        active_blocks_per_sm: 5.0,
        active_sms: 16.0,
        omp_rep: 1.0,
    }
}
