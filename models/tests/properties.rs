//! What holds for all machines and kernels: results are numbers, and better machines are not slower.

mod common;

use ipda_models::cpu::liao_chapman::{self, Part, liao_chapman};
use ipda_models::cpu::{self, Lines, Schedule, Start};
use ipda_models::gpu::extended::{Filling, extended};
use ipda_models::gpu::geometry::{
    DistSchedule, Environment, ExecutionMode, Launch, Request, RuntimeDevice, launch, share,
};
use ipda_models::gpu::hong_kim::{Parameters, Work as HongKimWork, hong_kim};
use ipda_models::gpu::{Access, AccessKind, Footprint, GpuMachine, Loop, Work};
use ipda_models::quantity::{Bytes, BytesPerCycle, BytesPerSecond, Cycles, Hertz};
use ipda_models::report::InstructionClass;
use ipda_models::{Estimate, Unit};
use proptest::prelude::*;

/// Rounding may hide or make a difference of this size.
const ROUNDING: f64 = 1e-9;

#[track_caller]
fn not_slower(better: &Estimate, worse: &Estimate) {
    let (better_total, worse_total) = (better.total().get(), worse.total().get());
    assert!(
        better_total <= worse_total * (1.0 + ROUNDING),
        "{better_total} > {worse_total}:\n{better}\nagainst\n{worse}"
    );
}

fn gpu_run(machine: &GpuMachine, work: &Work) -> Estimate {
    extended(machine, work).expect("right inputs")
}

fn kinds() -> impl Strategy<Value = AccessKind> {
    prop_oneof![3 => Just(AccessKind::Load), 1 => Just(AccessKind::Store), 1 => Just(AccessKind::Atomic)]
}

/// Accesses whose footprints are as large as they can be: outer ones hold inner ones, teams hold warps.
fn accesses() -> impl Strategy<Value = Access> {
    let loops = prop::collection::vec((1.0..200.0_f64, 0.0..=1.0_f64), 0..4);
    (kinds(), 1.0..=32.0_f64, 0.0..=1.0_f64, 1.0..4.0_f64, 0.1..=1.0_f64, (1.0..4.0_f64, 1.0..1e4_f64), loops).prop_map(
        |(kind, sectors, step, references, probability, (of_team, of_grid), trips)| {
            let warp = sectors * 32.0;
            let mut footprint = Footprint { warp, team: warp * of_team, grid: warp * of_team * of_grid, spread: 1.0 };
            let body = footprint;
            let mut loops = Vec::new();
            for (trips, growth) in trips {
                let factor = 1.0 + (trips - 1.0) * growth;
                let grown = |bytes: f64| bytes * factor;
                footprint = Footprint {
                    warp: grown(footprint.warp),
                    team: grown(footprint.team),
                    grid: grown(footprint.grid),
                    spread: 1.0,
                };
                loops.push(Loop { trips, footprint });
            }
            loops.reverse();
            Access {
                name: "A".to_owned(),
                kind,
                references,
                probability,
                sectors,
                in_step: 1.0 + step * (sectors - 1.0),
                loops,
                turn: 1.0,
                anew: 1.0,
                body,
                total: footprint.grid,
                updates: 0.0,
                apart: None,
                same: None,
                probes: None,
            }
        },
    )
}

fn works() -> impl Strategy<Value = Work> {
    let counts = (0.0..1000.0_f64, 0.0..100.0_f64, 0.0..100.0_f64);
    let shape = (1_u64..5000, 1_u64..=1024, 1_u64..10, 0_u64..64, 0_u64..48);
    (counts, shape, prop::collection::vec(accesses(), 0..4), 1.0..8.0_f64, 1.0..8.0_f64, 0.0..3.0_f64).prop_map(
        |(
            (float, double, integer),
            (teams, threads, reps, registers, shared),
            accesses,
            arithmetic,
            memory,
            barriers,
        )| {
            Work {
                iterations: teams * threads * reps - (threads - 1),
                launch: Launch { teams, threads },
                busy_teams: teams,
                omp_rep: reps,
                of_chunk: 1,
                longest: 1.0,
                busy_threads: threads,
                filling: Filling::Evenly,
                requests: reps,
                sections: 0.0,
                needs: ipda_models::gpu::occupancy::TeamNeeds { threads, registers, shared: shared << 10 },
                instructions: [
                    (InstructionClass::Float32, float),
                    (InstructionClass::Float64, double),
                    (InstructionClass::Integer32, integer),
                ]
                .into_iter()
                .collect(),
                bank_passes: barriers,
                accesses,
                arithmetic_parallelism: arithmetic,
                memory_parallelism: memory,
                barriers,
            }
        },
    )
}

/// Cases can be set by PROPTEST_CASES; a case that fails becomes a test of its own.
fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn gpu_terms_add_up_to_the_total(work in works()) {
        let estimate = gpu_run(&common::gpu(), &work);
        let sum: f64 = estimate.terms().iter().map(|term| term.value).sum();
        prop_assert!(estimate.terms().iter().all(|term| term.unit == Unit::Seconds));
        prop_assert!((sum - estimate.total().get()).abs() <= ROUNDING * sum);
    }

    #[test]
    fn a_better_gpu_is_not_slower(work in works(), factor in 1.0..10.0_f64, which in 0..10) {
        let worse = common::gpu();
        let mut better = common::gpu();
        match which {
            0 => better.memory.bandwidth = better.memory.bandwidth * factor,
            1 => better.l2.bandwidth = better.l2.bandwidth * factor,
            2 => better.l2.per_sm = better.l2.per_sm * factor,
            3 => better.l1.throughput = better.l1.throughput * factor,
            4 => better.l1.capacity = better.l1.capacity * factor,
            5 => better.l2.capacity = better.l2.capacity * factor,
            6 => better.issue_slots *= factor,
            7 => better.l2.updates *= factor,
            8 => better.l1.latency = better.l1.latency / factor,
            _ => better.costs.values_mut().for_each(|cost| cost.per_cycle *= factor),
        }
        not_slower(&gpu_run(&better, &work), &gpu_run(&worse, &work));
    }

    /// With more multiprocessors more teams share the L2 at a time. Where it holds what they need, nothing gets slower;
    /// `more_multiprocessors_can_be_slower_where_the_l2_is_too_small` shows the other case.
    #[test]
    fn more_multiprocessors_are_not_slower_with_room_in_the_l2(work in works(), sms in 1_u64..200, more in 1_u64..100) {
        let mut machine = common::gpu();
        machine.l2.capacity = Bytes::new(1e18);
        machine.sms = sms;
        let worse = gpu_run(&machine, &work);
        machine.sms = sms + more;
        not_slower(&gpu_run(&machine, &work), &worse);
    }

    #[test]
    fn more_sectors_are_not_faster(work in works(), factor in 1.0..8.0_f64) {
        let mut more = work.clone();
        more.accesses.iter_mut().for_each(|access| access.sectors *= factor);
        not_slower(&gpu_run(&common::gpu(), &work), &gpu_run(&common::gpu(), &more));
        // The same with data that grows as well.
        for access in &mut more.accesses {
            access.total *= factor;
            let all = access.loops.iter_mut().map(|around| &mut around.footprint).chain([&mut access.body]);
            for footprint in all {
                footprint.warp *= factor;
                footprint.team *= factor;
                footprint.grid *= factor;
            }
        }
        not_slower(&gpu_run(&common::gpu(), &work), &gpu_run(&common::gpu(), &more));
    }

    #[test]
    fn more_instructions_are_not_faster(work in works(), factor in 1.0..8.0_f64) {
        let mut more = work.clone();
        more.instructions.values_mut().for_each(|count| *count *= factor);
        not_slower(&gpu_run(&common::gpu(), &work), &gpu_run(&common::gpu(), &more));
    }

    /// A little less cache or reach changes little: no jump at a working set that just fits.
    #[test]
    fn cache_sizes_make_no_jump(work in works(), capacity in 1e3..1e7_f64) {
        let mut machine = common::gpu();
        machine.l1.capacity = Bytes::new(capacity);
        machine.l2.capacity = Bytes::new(capacity * 10.0);
        let before = gpu_run(&machine, &work).total().get();
        machine.l1.capacity = Bytes::new(capacity * (1.0 - 1e-7));
        machine.l2.capacity = Bytes::new(capacity * 10.0 * (1.0 - 1e-7));
        let after = gpu_run(&machine, &work).total().get();
        prop_assert!((after - before).abs() <= 1e-3 * before, "{before} {after}");
    }

    #[test]
    fn any_inputs_give_numbers_or_errors(
        values in prop::collection::vec(prop_oneof![
            Just(0.0), Just(-1.0), Just(1.0), Just(f64::NAN), Just(f64::INFINITY), Just(1e30), Just(1e-30), Just(f64::MAX), 0.0..1e9_f64
        ], 24),
        counts in prop::collection::vec(prop_oneof![Just(0_u64), Just(1), Just(u64::MAX), 0..10_000_u64], 10),
    ) {
        let parameters = Parameters {
            mem_ld: Cycles::new(values[0]),
            departure_del_uncoal: Cycles::new(values[1]),
            departure_del_coal: Cycles::new(values[2]),
            issue_cycles: Cycles::new(values[3]),
            freq: Hertz::new(values[4]),
            mem_bandwidth: BytesPerSecond::new(values[5]),
            load_bytes_per_warp: Bytes::new(values[6]),
        };
        let published = HongKimWork {
            comp_insts: values[7],
            coal_mem_insts: values[8],
            uncoal_mem_insts: values[9],
            synch_insts: values[10],
            uncoal_per_mw: values[11],
            active_warps: values[12],
            blocks: values[13],
            active_blocks_per_sm: values[14],
            active_sms: values[15],
            omp_rep: values[16],
        };
        if let Ok(model) = hong_kim(&parameters, &published) {
            prop_assert!(model.estimate.total().get().is_finite());
            prop_assert!([model.mwp, model.cwp, model.rep, model.mem_l.get(), model.exec_cycles.get()].iter().all(|value| value.is_finite()));
        }

        let mut machine = common::gpu();
        machine.sms = counts[0];
        machine.memory.bandwidth = BytesPerSecond::new(values[17]);
        machine.l1.capacity = Bytes::new(values[18]);
        machine.l1.throughput = BytesPerCycle::new(values[19]);
        let mut work = common::rows(1000, 100);
        work.iterations = counts[1];
        work.launch = Launch { teams: counts[2], threads: 128 };
        work.busy_teams = counts[2];
        work.omp_rep = counts[3];
        work.accesses[0].sectors = values[20];
        work.accesses[0].loops[0].trips = values[21];
        work.accesses[0].body.team = values[22];
        work.accesses[1].total = values[23];
        if let Ok(estimate) = extended(&machine, &work) {
            prop_assert!(estimate.total().get().is_finite());
            // Printing never fails either.
            prop_assert!(!estimate.to_string().contains("NaN"));
        }

        let mut processor = common::processor();
        processor.cores = counts[4];
        processor.caches[1].capacity = Bytes::new(values[0]);
        processor.tlb.entries = values[1];
        processor.memory.bandwidth = BytesPerSecond::new(values[2]);
        let mut region = common::sums_of_rows(counts[5], 100, counts[6]);
        region.loops[0].schedule = Schedule::Guided(counts[7]);
        region.loops[0].accesses[0].whole.lines = values[3];
        region.loops[0].accesses[0].loops[0].trips = values[4];
        region.loops[0].cycles_per_iteration = Cycles::new(values[5]);
        if let Ok(estimate) = cpu::extended(&processor, &region) {
            prop_assert!(estimate.total().get().is_finite());
            prop_assert!(!estimate.to_string().contains("NaN"));
        }

        let device = RuntimeDevice {
            lanes: counts[0],
            max_threads: counts[1],
            default_threads: counts[2],
            max_teams: counts[3],
            default_teams: counts[4],
        };
        let request = Request {
            mode: ExecutionMode::Spmd,
            num_teams: None,
            thread_limit: Some(counts[5]).filter(|limit| *limit % 2 == 0),
            trip_count: counts[6],
            kernel_max_threads: None,
            kernel_min_threads: None,
        };
        if let Ok(started) = launch(&device, &request, &Environment::default()) {
            prop_assert!(started.teams > 0 && started.threads > 0);
        }
        let schedule = ipda_models::gpu::geometry::Schedule::Dynamic(counts[8]);
        let started = Launch { teams: counts[7], threads: counts[9] };
        if let Ok(part) = share(counts[6], started, DistSchedule::Chunked(counts[5]), schedule) {
            prop_assert!(part.omp_rep <= counts[6]);
        }
    }

    #[test]
    fn a_better_cpu_is_not_slower(
        rows in 1_u64..2000, columns in 1_u64..5000, threads in 1_u64..32, factor in 1.0..10.0_f64, which in 0..6,
        stride in prop::option::of(1.0..1e5_f64), warm in any::<bool>(),
    ) {
        let mut work = common::sums_of_rows(rows, columns, threads);
        work.start = if warm { Start::Warm } else { Start::Cold };
        work.loops[0].accesses[0].stride = stride.map(Bytes::new);
        let mut again = work.loops[0].accesses[0].clone();
        again.whole = Lines { lines: columns as f64, pages: 1.0 + columns as f64 / 64.0 };
        again.loops[0].footprint = again.whole;
        work.loops[0].accesses.push(again);
        let worse = common::processor();
        let mut better = common::processor();
        match which {
            0 => better.memory.bandwidth = better.memory.bandwidth * factor,
            1 => better.memory.bandwidth_of_core = better.memory.bandwidth_of_core * factor,
            2 => better.caches.iter_mut().for_each(|cache| cache.capacity = cache.capacity * factor),
            3 => better.caches.iter_mut().for_each(|cache| cache.throughput = cache.throughput * factor),
            4 => better.outstanding_misses *= factor,
            _ => better.tlb.entries *= factor,
        }
        let run = |machine| cpu::extended(machine, &work).expect("right inputs");
        not_slower(&run(&better), &run(&worse));
    }

    #[test]
    fn the_published_cpu_model_is_not_slower_with_more_threads(iterations in 0_u64..1_000_000, threads in 1_u64..200, cycles in 0.0..1e4_f64) {
        let part = Part {
            name: "loop".to_owned(),
            iterations,
            schedule: Schedule::Static,
            machine_per_iter: Cycles::new(cycles),
            cache_per_iter: Cycles::ZERO,
            pages_per_chunk: 0.0,
            ordered: Cycles::ZERO,
            reduction: Cycles::ZERO,
        };
        let run = |threads| liao_chapman(&liao_chapman::power9(), threads, std::slice::from_ref(&part)).expect("right inputs");
        not_slower(&run(threads + 1), &run(threads));
    }
}

/// The published GPU model is not monotone: with more bandwidth MWP passes CWP, and the third equation's time is above the second's.
#[test]
fn more_bandwidth_can_be_slower_in_the_published_gpu_model() {
    let machine = |bandwidth| Parameters {
        mem_ld: Cycles::new(420.0),
        departure_del_uncoal: Cycles::new(10.0),
        departure_del_coal: Cycles::new(4.0),
        issue_cycles: Cycles::new(4.0),
        freq: Hertz::new(1e9),
        mem_bandwidth: BytesPerSecond::new(bandwidth),
        load_bytes_per_warp: Bytes::new(128.0),
    };
    let work = HongKimWork {
        comp_insts: 34.8,
        coal_mem_insts: 6.0,
        uncoal_mem_insts: 0.0,
        synch_insts: 0.0,
        uncoal_per_mw: 1.0,
        active_warps: 20.0,
        blocks: 80.0,
        active_blocks_per_sm: 5.0,
        active_sms: 16.0,
        omp_rep: 1.0,
    };
    let time = |bandwidth| hong_kim(&machine(bandwidth), &work).expect("right inputs").exec_cycles.get();
    assert!(time(81e9) > time(80e9) + 100.0);
}
