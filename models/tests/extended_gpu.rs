//! Our GPU model, on kernels whose times follow by hand from the round numbers of the machine in `common`.

mod common;

use common::{gpu, rows, rows_in_teams, streamed, vector_addition};
use ipda_models::gpu::extended::{Filling, extended};
use ipda_models::gpu::occupancy::TeamNeeds;
use ipda_models::gpu::{AccessKind, GpuMachine, Pipe, Tlb, Work};
use ipda_models::quantity::{Bytes, BytesPerSecond, Cycles, Seconds};
use ipda_models::report::InstructionClass;
use ipda_models::{Bound, Estimate};

fn run(machine: &GpuMachine, work: &Work) -> Estimate {
    extended(machine, work).expect("right inputs")
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-30), "{found} is not {expected}");
}

fn value(estimate: &Estimate, name: &str) -> f64 {
    estimate.term(name).unwrap_or_else(|| panic!("no term {name} in\n{estimate}")).value
}

#[test]
fn a_long_vector_addition_takes_the_memory_s_bandwidth() {
    let elements = 100_000_000;
    let estimate = run(&gpu(), &vector_addition(elements));
    // 12 bytes an element at 1000 GB/s.
    near(value(&estimate, "memory bytes"), 12e8);
    near(value(&estimate, "memory"), 1.2e-3);
    assert_eq!(estimate.bound_by(), Bound::Memory);
    // A warp is served by the memory for 200 cycles of its 423.5, in 611 rounds of 16 of the 9766 teams of a multiprocessor.
    let [alone, served, busy] = [611.0 * 423.5e-9, 611.0 * 200e-9, 1.2e-3];
    near(value(&estimate, "latency"), alone);
    let of_network = (alone + busy + ((busy - alone) * (busy - alone) + 4.0 * served * busy).sqrt()) / 2.0;
    let short = 1.0 - value(&estimate, "kernel") / of_network;
    assert!((0.0..0.02).contains(&short), "{short}");
    near(estimate.total().get(), value(&estimate, "kernel") + 5e-6);
    near(value(&estimate, "occupancy"), 1.0);
    // The context is reported, and not counted.
    near(estimate.apart()[0].value, 0.5);
}

#[test]
fn a_short_one_waits_once_and_is_launched() {
    // One team: 4 warps on one multiprocessor. Two loads of 200 cycles from L2, where so little lies from before, two at a time, and 3 sectors of each
    // after the first.
    let estimate = run(&gpu(), &vector_addition(128));
    let memory = 200.0 + 2.0 * 3.0 * 32.0 / 128.0;
    let arithmetic = (9.0 * 4.0 + 8.0) / 2.0;
    near(value(&estimate, "memory waits"), memory);
    near(value(&estimate, "arithmetic waits"), arithmetic);
    near(value(&estimate, "latency"), (memory + arithmetic) * 1e-9);
    // Four warps hardly meet each other.
    let queues = value(&estimate, "queues");
    assert!(queues > 0.0 && queues < 0.01 * value(&estimate, "latency"), "{queues}");
    near(estimate.total().get(), (memory + arithmetic) * 1e-9 + queues + 5e-6);
    assert_eq!(estimate.bound_by(), Bound::Overhead);
}

#[test]
fn reuse_of_a_row_s_sectors_is_found_where_the_warps_sectors_fit() {
    // One warp a multiprocessor: its 32 sectors are 1 kB, and each is used 8 times.
    let estimate = run(&gpu(), &rows_in_teams(2560, 4096, 32));
    // y's sectors, and those of A once; x's row once for each multiprocessor (team).
    let expected = 2560.0 * 4096.0 * 4.0;
    let from_l2 = value(&estimate, "L2 bytes");
    assert!(from_l2 >= expected && from_l2 < 1.5 * expected, "{from_l2} against {expected}");
    // Without an L1 every access fetches: 8 times as much.
    let mut without = gpu();
    without.l1.capacity = Bytes::ZERO;
    assert!(value(&run(&without, &rows_in_teams(2560, 4096, 32)), "L2 bytes") > 7.9 * expected);
}

#[test]
fn too_many_warps_lose_the_rows_sectors() {
    // 64 warps of 32 sectors are 64 kB: they fit into 128 kB, not into 48.
    let work = rows(80 * 2048, 4096);
    let large = value(&run(&gpu(), &work), "L2 bytes");
    let mut small = gpu();
    small.l1.capacity = Bytes::new(49_152.0);
    assert!(value(&run(&small, &work), "L2 bytes") > 2.0 * large);
}

/// 5 MB of sectors that are used again fit into the L2 of 6 MB, twice as much does not.
#[test]
fn more_multiprocessors_can_be_slower_where_the_l2_is_too_small() {
    let time = |sms| {
        let mut machine = gpu();
        machine.l1.capacity = Bytes::ZERO;
        machine.sms = sms;
        run(&machine, &rows(160 * 2048, 4096))
    };
    assert!(value(&time(160), "memory bytes") > 2.0 * value(&time(80), "memory bytes"));
    assert!(time(160).total() > time(80).total());
}

#[test]
fn what_all_teams_read_comes_from_memory_once() {
    let work = rows(80 * 2048, 1024);
    let estimate = run(&gpu(), &work);
    // A once, y once, x once: 4 kB that stay in the L2.
    let rows = 80.0 * 2048.0;
    let least = rows * 4096.0 + rows * 4.0 + 4096.0;
    let found = value(&estimate, "memory bytes");
    assert!(found >= least * 0.999 && found < 1.3 * least, "{found} against {least}");
}

#[test]
fn units_bound_kernels_that_use_them() {
    let bound = |class, count: f64| {
        let work = vector_addition(80 * 2048 * 10);
        let instructions = [(class, count)].into_iter().collect();
        run(&gpu(), &Work { instructions, arithmetic_parallelism: 8.0, ..work }).bound_by()
    };
    assert_eq!(bound(InstructionClass::Float64, 10_000.0), Bound::Pipe(Pipe::Float64));
    assert_eq!(bound(InstructionClass::Divide64, 1000.0), Bound::Pipe(Pipe::Float64));
    assert_eq!(bound(InstructionClass::Special32, 10_000.0), Bound::Pipe(Pipe::Special));
    // 64 a cycle are 2 warp instructions, of which 4 can start.
    assert_eq!(bound(InstructionClass::Float32, 10_000.0), Bound::Pipe(Pipe::Float32));
    let mut narrow = gpu();
    narrow.issue_slots = 1.0;
    let work = Work { arithmetic_parallelism: 8.0, ..vector_addition(80 * 2048 * 10) };
    let work = Work { instructions: [(InstructionClass::Integer32, 10_000.0)].into_iter().collect(), ..work };
    assert_eq!(run(&narrow, &work).bound_by(), Bound::Issue);
}

#[test]
fn a_float64_kernel_takes_what_its_units_give() {
    // 1000 operations for each of 80 * 2048 threads: 32 a cycle on each of 80 multiprocessors.
    let work = vector_addition(80 * 2048);
    let instructions = [(InstructionClass::Float64, 1000.0)].into_iter().collect();
    let estimate = run(&gpu(), &Work { instructions, arithmetic_parallelism: 8.0, ..work });
    near(value(&estimate, "float64 units"), 1000.0 * 2048.0 / 32.0 * 1e-9);
}

#[test]
fn the_last_teams_wait_for_a_round_of_their_own() {
    let mut machine = gpu();
    machine.launch = Seconds::ZERO;
    // Latency alone: 16 teams fit on each of 80 multiprocessors.
    let chain = |teams: u64| {
        let work = vector_addition(128 * teams);
        let instructions = [(InstructionClass::Float32, 1000.0)].into_iter().collect();
        run(&machine, &Work { instructions, accesses: Vec::new(), arithmetic_parallelism: 1.0, ..work })
    };
    let one = value(&chain(80 * 16), "latency");
    near(one, 4000e-9);
    near(value(&chain(80 * 16 + 1), "latency"), 2.0 * one);
    near(value(&chain(80 * 32), "latency"), 2.0 * one);
}

#[test]
fn threads_that_go_round_take_that_much_longer() {
    let once = vector_addition(1280 * 128);
    let mut thrice = Work { iterations: 3 * once.iterations, omp_rep: 3, ..once.clone() };
    thrice.accesses.iter_mut().for_each(|access| access.total *= 3.0);
    // Of neither does L2 hold anything.
    let mut small = gpu();
    small.l2.capacity = Bytes::new(1e6);
    near(value(&run(&small, &thrice), "latency"), 3.0 * value(&run(&small, &once), "latency"));
    near(value(&run(&small, &thrice), "issue"), 3.0 * value(&run(&small, &once), "issue"));
}

#[test]
fn idle_lanes_cost_what_busy_ones_do() {
    // schedule(static, 4): 32 of 128 threads work, in one warp of four.
    let all = vector_addition(1280 * 128);
    let few = Work { busy_threads: 32, omp_rep: 4, filling: Filling::Evenly, ..all.clone() };
    near(value(&run(&gpu(), &few), "warp iterations"), value(&run(&gpu(), &all), "warp iterations"));
    near(value(&run(&gpu(), &few), "latency"), 4.0 * value(&run(&gpu(), &all), "latency"));
    // 4 of 32 lanes: 8 times the warps' work.
    let narrow = Work { busy_threads: 4, omp_rep: 32, filling: Filling::Evenly, ..all.clone() };
    near(value(&run(&gpu(), &narrow), "issue"), 8.0 * value(&run(&gpu(), &all), "issue"));
}

#[test]
fn shared_memory_takes_its_part_of_the_l1() {
    let plain = rows(80 * 2048, 4096);
    let with = Work { needs: TeamNeeds { shared: 6 << 10, ..plain.needs }, ..plain.clone() };
    assert!(value(&run(&gpu(), &with), "L2 bytes") > value(&run(&gpu(), &plain), "L2 bytes"));
    let mut apart = gpu();
    apart.l1.taken_by_shared = 0.0;
    near(value(&run(&apart, &with), "L2 bytes"), value(&run(&apart, &plain), "L2 bytes"));
}

#[test]
fn banks_and_barriers_cost() {
    let plain = vector_addition(1280 * 128);
    let conflicts = Work { bank_passes: 31.0, ..plain.clone() };
    // 31 passes of a cycle for 64 warps of each multiprocessor.
    let more = value(&run(&gpu(), &conflicts), "load-store units") - value(&run(&gpu(), &plain), "load-store units");
    near(more, 31.0 * 64.0 * 1e-9);
    let waits = Work { barriers: 5.0, ..plain };
    near(value(&run(&gpu(), &waits), "barriers"), 100.0);
}

#[test]
fn stores_reach_the_l2_every_time() {
    let loaded = rows_in_teams(2560, 4096, 32);
    let mut stored = loaded.clone();
    stored.accesses[0].kind = AccessKind::Store;
    let more = value(&run(&gpu(), &stored), "L2 bytes") / value(&run(&gpu(), &loaded), "L2 bytes");
    assert!(more > 7.0, "{more}");
    // The L2 puts them together before they go to memory: not more than is read there.
    near(value(&run(&gpu(), &stored), "memory bytes"), value(&run(&gpu(), &loaded), "memory bytes"));
}

#[test]
fn what_threads_use_again_in_their_next_iteration_is_in_the_l2() {
    // Three times the same 1.97 MB: in a cache of 6 MB they lie from before, of one of 2 MB they are fetched once but for what lies there, and with 1 MB most
    // of it comes again.
    let thrice = Work { iterations: 3 * 1280 * 128, omp_rep: 3, ..vector_addition(1280 * 128) };
    let bytes = 1280.0 * 128.0 * 12.0;
    near(value(&run(&gpu(), &thrice), "memory bytes"), 0.0);
    let mut small = gpu();
    small.l2.capacity = Bytes::new(2e6);
    near(value(&run(&small, &thrice), "memory bytes"), bytes * (2.0 * bytes / 2e6 - 1.0));
    small.l2.capacity = Bytes::new(1e6);
    assert!(value(&run(&small, &thrice), "memory bytes") > 2.0 * 1280.0 * 128.0 * 12.0);
}

#[test]
fn atomics_are_waited_for_at_the_l2() {
    let work = Work { accesses: vec![streamed("sum", AccessKind::Atomic, 128.0)], ..vector_addition(128) };
    let stored = Work { accesses: vec![streamed("sum", AccessKind::Store, 128.0)], ..work.clone() };
    assert!(value(&run(&gpu(), &work), "memory waits") > 200.0 / 2.0);
    assert_eq!(value(&run(&gpu(), &stored), "memory waits"), 0.0);
}

#[test]
fn more_memory_than_the_translation_covers_is_slower_without_a_jump() {
    let wait = |reach: f64| {
        let mut machine = gpu();
        machine.memory.tlb = Some(Tlb { reach: Bytes::new(reach), miss: Cycles::new(600.0) });
        value(&run(&machine, &vector_addition(1_000_000)), "memory waits")
    };
    near(wait(12e6), wait(1e9));
    assert!(wait(11.99e6) > wait(12e6) && wait(11.99e6) < wait(12e6) + 1.0);
    assert!(wait(1e6) > wait(12e6) + 500.0);
}

#[test]
fn dynamic_schedules_cost_their_requests() {
    let plain = vector_addition(1280 * 128);
    let dynamic = Work { requests: 2, ..plain.clone() };
    near(value(&run(&gpu(), &dynamic), "latency") - value(&run(&gpu(), &plain), "latency"), 1000e-9);
}

#[test]
fn nothing_to_do_is_a_launch() {
    let none = Work { iterations: 0, omp_rep: 0, busy_threads: 0, ..vector_addition(128) };
    near(run(&gpu(), &none).total().get(), 5e-6);
    let work = Work { iterations: 0, ..vector_addition(128) };
    let estimate = run(&gpu(), &Work { instructions: Default::default(), accesses: Vec::new(), ..work });
    near(estimate.total().get(), 5e-6);
}

#[test]
fn impossible_inputs_are_named() {
    let parameter = |machine: &GpuMachine, work: &Work| extended(machine, work).expect_err("impossible").parameter;
    let (good, work) = (gpu(), vector_addition(1000));
    let with = |change: fn(&mut GpuMachine)| {
        let mut machine = gpu();
        change(&mut machine);
        machine
    };
    assert_eq!(parameter(&with(|gpu| gpu.sms = 0), &work), "sms");
    assert_eq!(parameter(&with(|gpu| gpu.memory.bandwidth = BytesPerSecond::ZERO), &work), "memory.bandwidth");
    assert_eq!(parameter(&with(|gpu| gpu.l2.latency = Cycles::new(1.0)), &work), "latency of L1, L2, memory");
    assert_eq!(parameter(&with(|gpu| gpu.costs.clear()), &work), "costs");
    assert_eq!(parameter(&good, &Work { omp_rep: 0, ..work.clone() }), "omp_rep");
    assert_eq!(parameter(&good, &Work { iterations: 1 << 40, ..work.clone() }), "iterations");
    assert_eq!(parameter(&good, &Work { busy_threads: 129, ..work.clone() }), "busy_threads");
    assert_eq!(parameter(&good, &Work { memory_parallelism: 0.5, ..work.clone() }), "memory_parallelism");
    let twice = [(InstructionClass::LoadGlobal, 1.0)].into_iter().collect();
    assert_eq!(parameter(&good, &Work { instructions: twice, ..work.clone() }), "instructions");
    let needs = TeamNeeds { threads: 64, ..work.needs };
    assert_eq!(parameter(&good, &Work { needs, ..work }), "needs.threads");
}

#[test]
fn teams_without_iterations_do_not_help() {
    let machine = gpu();
    // 512 rows in 16 teams of a warp, and the same by 4 of these teams, four times as many each.
    let all = rows_in_teams(512, 4096, 32);
    let few = Work { busy_teams: 4, omp_rep: 4, of_chunk: 4, ..all.clone() };
    let time = |work: &Work| value(&run(&machine, work), "kernel");
    near(value(&run(&machine, &few), "busy multiprocessors"), 4.0);
    near(value(&run(&machine, &few), "L1"), 4.0 * value(&run(&machine, &all), "L1"));
    // One warp on each multiprocessor waits four times as often.
    near(time(&few), 4.0 * time(&all));
    // The busiest does the longest chunk, and no average iterations besides.
    let triangle = Work { longest: 1.8, ..few.clone() };
    near(time(&triangle), 1.8 * time(&few));
    let error = extended(&machine, &Work { busy_teams: 17, ..few }).expect_err("more than there are");
    assert_eq!(error.parameter, "busy_teams");
}

#[test]
fn sums_of_rows_of_a_triangle_take_as_long_as_the_longest() {
    let machine = gpu();
    let even = rows(1280, 1280);
    let triangle = Work { longest: 2.0, ..even.clone() };
    let time = |work: &Work| value(&run(&machine, work), "kernel");
    assert!(time(&triangle) > 1.5 * time(&even), "one round of teams: {} and {}", time(&even), time(&triangle));
    // The multiprocessor with the long iterations does more of everything.
    let more = |name: &str| value(&run(&machine, &triangle), name) / value(&run(&machine, &even), name);
    near(more("L2 to multiprocessor"), more("L1"));
    assert!(more("L1") > 1.0 && more("L2") == 1.0, "{} and {}", more("L1"), more("L2"));
    let error = extended(&machine, &Work { longest: 0.5, ..even }).expect_err("less than the average");
    assert_eq!(error.parameter, "longest");
}

#[test]
fn what_lines_take_is_not_there_for_others() {
    let machine = gpu();
    let whole = rows(1_280_000, 1280);
    let mut spread = whole.clone();
    for access in &mut spread.accesses {
        access.body.spread = 4.0;
        access.loops.iter_mut().for_each(|around| around.footprint.spread = 4.0);
    }
    let bytes = |work: &Work| value(&run(&machine, work), "L2 bytes");
    assert!(bytes(&spread) > bytes(&whole), "{} and {}", bytes(&whole), bytes(&spread));
}
