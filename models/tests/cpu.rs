//! The CPU models: the published one with the thesis's parameters, and ours on loops whose times follow by hand.

mod common;

use common::{processor, sums_of_rows};
use ipda_models::cpu::liao_chapman::{self, Part, liao_chapman};
use ipda_models::cpu::{CpuMachine, Schedule, Start, Transfers, Work, extended};
use ipda_models::quantity::{Bytes, BytesPerSecond, Cycles, Seconds};
use ipda_models::{Bound, Estimate};

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-30), "{found} is not {expected}");
}

fn value(estimate: &Estimate, name: &str) -> f64 {
    estimate.term(name).unwrap_or_else(|| panic!("no term {name} in\n{estimate}")).value
}

fn part(iterations: u64, schedule: Schedule) -> Part {
    Part {
        name: "loop".to_owned(),
        iterations,
        schedule,
        machine_per_iter: Cycles::new(100.0),
        cache_per_iter: Cycles::ZERO,
        pages_per_chunk: 0.0,
        ordered: Cycles::ZERO,
        reduction: Cycles::ZERO,
    }
}

fn cycles(threads: u64, parts: &[Part]) -> f64 {
    liao_chapman(&liao_chapman::power9(), threads, parts).expect("right inputs").total().get() * 3e9
}

#[test]
fn the_published_model_with_the_thesis_s_parameters() {
    // 9600 iterations for 4 threads: 3000 + (10154 + 2400 * (100 + 4)) + 4000.
    near(cycles(4, &[part(9600, Schedule::Static)]), 3000.0 + 10154.0 + 2400.0 * 104.0 + 4000.0);
    // 160 threads: 60 each, and hardly faster.
    near(cycles(160, &[part(9600, Schedule::Static)]), 3000.0 + 10154.0 + 60.0 * 104.0 + 4000.0);
    // The longest thread counts.
    near(cycles(7, &[part(9601, Schedule::Static)]), 3000.0 + 10154.0 + 1372.0 * 104.0 + 4000.0);
}

#[test]
fn schedules_are_paid_for_each_chunk() {
    // 9600 / 100 = 96 chunks, 24 for each of 4 threads.
    let expected = 3000.0 + 24.0 * (10154.0 + 100.0 * 104.0) + 4000.0;
    near(cycles(4, &[part(9600, Schedule::Chunked(100))]), expected);
    near(cycles(4, &[part(9600, Schedule::Dynamic(100))]), expected);
    // A chunk of everything is one thread's.
    near(cycles(4, &[part(9600, Schedule::Dynamic(1 << 60))]), 3000.0 + 10154.0 + 9600.0 * 104.0 + 4000.0);
}

#[test]
fn parts_add_up_with_their_extras() {
    let one = Part {
        cache_per_iter: Cycles::new(10.0),
        pages_per_chunk: 2000.0,
        ordered: Cycles::new(7.0),
        reduction: Cycles::new(11.0),
        ..part(400, Schedule::Static)
    };
    // 2000 pages are more than the 1024 that the translation knows.
    let first = 10154.0 + 100.0 * 104.0 + 100.0 * 10.0 + 2000.0 * 14.0 + 18.0 + 4000.0;
    near(cycles(4, std::slice::from_ref(&one)), 3000.0 + first);
    let known = Part { pages_per_chunk: 1024.0, ..one.clone() };
    near(cycles(4, &[one, known]), 3000.0 + first + first - 2000.0 * 14.0);
}

#[test]
fn splits_are_those_that_counting_gives() {
    for iterations in [0_u64, 1, 5, 64, 100, 1001] {
        for threads in [1_u64, 3, 8, 160] {
            let even = Schedule::Static.split(iterations, threads).expect("threads");
            near(even.iterations, iterations.div_ceil(threads) as f64);
            for length in [1_u64, 7, 64] {
                let mut of_first = 0;
                let mut chunks = 0;
                for (at, start) in (0..iterations).step_by(length as usize).enumerate() {
                    if (at as u64).is_multiple_of(threads) {
                        of_first += length.min(iterations - start);
                        chunks += 1;
                    }
                }
                let split = Schedule::Chunked(length).split(iterations, threads).expect("threads");
                near(split.schedule_times, f64::from(chunks));
                // The first thread has the last chunk only if that is its turn; no thread has more.
                assert!(split.iterations >= of_first as f64 && split.iterations < (of_first + length) as f64 + 0.5);
            }
        }
    }
}

#[test]
fn guided_chunks_are_counted_as_libomp_takes_them() {
    for (iterations, threads, length) in [(100_000_u64, 4_u64, 1_u64), (1_000_000, 16, 8), (50, 4, 1), (10_000, 1, 100)]
    {
        let (mut left, mut chunks) = (iterations as f64, 0.0);
        let border = 2.0 * threads as f64 * (length as f64 + 1.0);
        while left > 0.0 {
            left -= if left < border { length as f64 } else { (left * 0.5 / threads as f64).floor() };
            chunks += 1.0;
        }
        let split = Schedule::Guided(length).split(iterations, threads).expect("threads");
        let counted = chunks / threads as f64;
        assert!((split.schedule_times - counted).abs() <= 0.1 * counted + 1.0, "{split:?} against {counted}");
    }
    assert!(Schedule::Guided(0).split(10, 2).is_err());
    assert!(Schedule::Static.split(10, 0).is_err());
}

#[test]
fn impossible_inputs_of_the_published_model_are_named() {
    let error = liao_chapman(&liao_chapman::power9(), 0, &[]).expect_err("no threads");
    assert_eq!(error.to_string(), "threads is 0, expected at least 1");
    let negative = Part { machine_per_iter: Cycles::new(-1.0), ..part(1, Schedule::Static) };
    assert_eq!(
        liao_chapman(&liao_chapman::power9(), 1, &[negative]).expect_err("negative").parameter,
        "machine_per_iter"
    );
}

fn run(machine: &CpuMachine, work: &Work) -> Estimate {
    extended(machine, work).expect("right inputs")
}

#[test]
fn a_large_loop_of_all_cores_takes_the_memory_s_bandwidth() {
    // 8 GB at 100 GB/s.
    let estimate = run(&processor(), &sums_of_rows(1_000_000, 1000, 8));
    near(value(&estimate, "from memory"), 8e9 / 100e9);
    // 2.5 cycles for each of 125 million elements of a thread, at 2 GHz, are slower.
    assert_eq!(estimate.bound_by(), Bound::Computation);
    let mut fast = processor();
    fast.clock = ipda_models::quantity::Hertz::new(8e9);
    assert_eq!(run(&fast, &sums_of_rows(1_000_000, 1000, 8)).bound_by(), Bound::Memory);
}

#[test]
fn one_core_gets_its_own_bandwidth() {
    let estimate = run(&processor(), &sums_of_rows(1000, 100_000, 1));
    near(value(&estimate, "from memory"), 8e8 / 20e9);
}

#[test]
fn what_fits_is_fetched_once_and_not_at_all_when_warm() {
    // 800 kB: in the L2.
    let cold = sums_of_rows(100, 1000, 1);
    let warm = Work { start: Start::Warm, ..cold.clone() };
    near(value(&run(&processor(), &cold), "bytes from memory"), 800e3);
    near(value(&run(&processor(), &warm), "bytes from memory"), 0.0);
    near(value(&run(&processor(), &warm), "bytes from L3"), 0.0);
    // More than the L1 keeps: random replacement saves nearly nothing of 24 times its size.
    assert!(value(&run(&processor(), &warm), "bytes from L2") > 0.995 * 800e3);
}

#[test]
fn reuse_carried_by_the_parallel_loop_is_found() {
    // Every iteration reads the same row of 8 kB: x[j] in a matrix-vector product.
    let mut work = sums_of_rows(1000, 1000, 4);
    let row = work.loops[0].accesses[0].loops[0].footprint;
    work.loops[0].accesses[0].whole = row;
    let estimate = run(&processor(), &work);
    // Once into each of four L1 and L2, once in all into the L3, which the four threads share.
    near(value(&estimate, "bytes from L2"), 8000.0);
    near(value(&estimate, "bytes from memory"), 2000.0);
}

#[test]
fn a_row_that_does_not_fit_is_fetched_every_time() {
    // The same with a row of 8 MB: more than L2, less than L3.
    let mut work = sums_of_rows(10, 1_000_000, 1);
    work.loops[0].accesses[0].whole = work.loops[0].accesses[0].loops[0].footprint;
    let estimate = run(&processor(), &work);
    assert!(value(&estimate, "bytes from L3") > 0.98 * 80e6);
    near(value(&estimate, "bytes from memory"), 8e6);
}

#[test]
fn far_strides_wait_and_near_ones_are_fetched_ahead() {
    let near_stride = sums_of_rows(1000, 10_000, 1);
    assert_eq!(value(&run(&processor(), &near_stride), "waits for memory"), 0.0);
    // A column: a line and a page for each element.
    let mut column = near_stride.clone();
    let access = &mut column.loops[0].accesses[0];
    access.stride = Some(Bytes::new(80_000.0));
    access.loops[0].footprint = ipda_models::cpu::Lines { lines: 10_000.0, pages: 10_000.0 };
    access.whole = ipda_models::cpu::Lines { lines: 1_250_000.0, pages: 20_000.0 };
    let estimate = run(&processor(), &column);
    assert_eq!(estimate.bound_by(), Bound::Latency);
    // Lines of 8 columns: 640 kB, which the L2 keeps; the translation does not keep 10,000 pages.
    near(value(&estimate, "waits for memory"), 1_250_000.0 * 200.0 / 4.0);
    assert!(value(&estimate, "page walks") > 9e6 * 30.0);
    let mut gathered = near_stride;
    gathered.loops[0].accesses[0].stride = None;
    assert!(value(&run(&processor(), &gathered), "waits for memory") > 0.0);
}

#[test]
fn stores_move_twice_and_are_not_waited_for() {
    let mut work = sums_of_rows(1000, 10_000, 1);
    let loaded = value(&run(&processor(), &work), "bytes from memory");
    work.loops[0].accesses[0].kind = ipda_models::cpu::AccessKind::Store;
    work.loops[0].accesses[0].stride = None;
    let estimate = run(&processor(), &work);
    near(value(&estimate, "bytes from memory"), 2.0 * loaded);
    assert_eq!(value(&estimate, "waits for memory"), 0.0);
}

#[test]
fn what_goes_back_costs_what_was_measured() {
    let mut work = sums_of_rows(1000, 10_000, 1);
    work.loops[0].accesses[0].kind = ipda_models::cpu::AccessKind::Store;
    let mut machine = processor();
    let as_long = run(&machine, &work);
    (machine.memory.write_back, machine.memory.write_back_of_core) = (1.0, 0.25);
    let hidden = run(&machine, &work);
    near(value(&hidden, "from memory") / value(&as_long, "from memory"), 1.25 / 2.0);
    // That is of one core, which does not fill the memory's interface.
    work.threads = machine.cores;
    near(value(&run(&machine, &work), "from memory"), value(&run(&processor(), &work), "from memory"));
    work.threads = 1;
    // Each level has its own.
    near(value(&hidden, "from L3"), value(&as_long, "from L3"));
}

#[test]
fn vectors_across_lines_take_longer() {
    let mut work = sums_of_rows(1000, 1000, 1);
    let within = value(&run(&processor(), &work), "compute");
    work.loops[0].across_lines = ipda_models::cpu::AcrossLines { loads: 125.0, stores: 10.0 };
    // Half a cycle for each load, one for each store.
    near(value(&run(&processor(), &work), "compute") - within, 1000.0 * (125.0 * 0.5 + 10.0) / 2e9);
}

#[test]
fn teams_and_their_threads_ask_for_their_parts() {
    let mut work = sums_of_rows(8, 1, 8);
    work.loops[0].handout = ipda_models::cpu::Handout::TeamsAndThreads;
    near(value(&run(&processor(), &work), "schedule"), (70.0 + 50.0) / 2e9);
    // Teams have a static schedule whatever their threads have.
    work.loops[0].schedule = Schedule::Dynamic(1);
    near(value(&run(&processor(), &work), "schedule"), (70.0 + 130.0) / 2e9);
}

#[test]
fn threads_of_a_core_share_it() {
    // 100 elements of 8 bytes a row stay in the L1.
    let compute = |threads| value(&run(&processor(), &sums_of_rows(16_000, 100, threads)), "compute");
    near(compute(8), 2000.0 * 201.0 / 200.0 * 200.0 / 2e9 * (200.5 / 201.0));
    // Two threads a core do 1.25 times as much together.
    near(compute(16), compute(8) / 1.25);
    // More than the core can have change nothing.
    near(compute(32), compute(16));
}

#[test]
fn more_threads_than_iterations_leave_some_idle() {
    let estimate = run(&processor(), &sums_of_rows(3, 100_000, 8));
    // Three threads draw 20 GB/s each.
    near(value(&estimate, "from memory"), 8e5 / 20e9);
}

#[test]
fn transfers_overlap_or_add_up() {
    let work = sums_of_rows(1000, 100_000, 1);
    let mut machine = processor();
    let overlapped = value(&run(&machine, &work), "bandwidth");
    machine.transfers = Transfers::Serial;
    let serial = value(&run(&machine, &work), "bandwidth");
    near(overlapped, 0.04);
    near(serial, 0.04 + 8e8 / 32.0 / 2e9 + 8e8 / 16.0 / 2e9);
}

#[test]
fn starting_and_ending_costs_by_the_thread() {
    let mut work = sums_of_rows(8, 1, 8);
    let estimate = run(&processor(), &work);
    near(value(&estimate, "fork"), 1800.0 / 2e9);
    near(value(&estimate, "join"), 500.0 / 2e9);
    near(value(&estimate, "schedule"), 50.0 / 2e9);
    // Where the last loop ends, the region does: only those before have barriers.
    assert!(estimate.term("barrier").is_none());
    let twice = Work { loops: vec![work.loops[0].clone(), work.loops[0].clone()], ..work.clone() };
    near(value(&run(&processor(), &twice), "barrier"), 600.0 / 2e9);
    assert_eq!(estimate.bound_by(), Bound::Overhead);
    work.loops[0].schedule = Schedule::Dynamic(1);
    near(value(&run(&processor(), &work), "schedule"), 130.0 / 2e9);
}

#[test]
fn impossible_inputs_of_ours_are_named() {
    let parameter = |machine: &CpuMachine, work: &Work| extended(machine, work).expect_err("impossible").parameter;
    let with = |change: fn(&mut CpuMachine)| {
        let mut machine = processor();
        change(&mut machine);
        machine
    };
    let work = sums_of_rows(100, 100, 4);
    assert_eq!(parameter(&with(|cpu| cpu.cores = 0), &work), "cores");
    assert_eq!(parameter(&with(|cpu| cpu.caches.clear()), &work), "caches");
    assert_eq!(parameter(&with(|cpu| cpu.smt_throughput = vec![1.3, 1.0]), &work), "smt_throughput");
    assert_eq!(parameter(&with(|cpu| cpu.memory.bandwidth = BytesPerSecond::ZERO), &work), "memory.bandwidth");
    assert_eq!(parameter(&with(|cpu| cpu.memory.latency = Cycles::new(1.0)), &work), "memory.latency");
    assert_eq!(parameter(&processor(), &Work { threads: 0, ..work }), "threads");
}

#[test]
fn a_triangle_takes_as_long_as_its_thread_with_the_longest_rows() {
    let even = sums_of_rows(8000, 1000, 8);
    let mut triangle = even.clone();
    triangle.loops[0].longest = 1.9;
    let (even, triangle) = (run(&processor(), &even), run(&processor(), &triangle));
    near(value(&triangle, "compute"), 1.9 * value(&even, "compute"));
    // All threads together move the same.
    assert!(value(&triangle, "bytes from memory") >= value(&even, "bytes from memory"));
}

#[test]
fn making_threads_is_distinguished() {
    let with = CpuMachine { thread: Some(Seconds::new(30e-6)), ..processor() };
    let work = sums_of_rows(8000, 1000, 8);
    let (reported, unreported) = (run(&with, &work), run(&processor(), &work));
    near(reported.apart()[0].value, 7.0 * 30e-6);
    assert_eq!(reported.total(), unreported.total());
    assert!(unreported.apart().is_empty());
}
