//! The published GPU model: its worked case, every equation of the execution time, and where it jumps.

mod common;

use common::{paper_kernel, paper_machine};
use ipda_models::gpu::geometry::{DistSchedule, Launch, Schedule, share};
use ipda_models::gpu::hong_kim::{Case, Parameters, Work, hong_kim};
use ipda_models::gpu::occupancy::{TeamNeeds, occupancy};
use ipda_models::gpu::thesis::{self, Instructions, Reading};
use ipda_models::quantity::{BytesPerSecond, Cycles, Hertz};
use ipda_models::{Bound, Term};

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-3 * expected.abs(), "{found} is not within 0.1 % of {expected}");
}

#[test]
fn the_worked_case_of_the_paper() {
    let model = hong_kim(&paper_machine(), &paper_kernel()).expect("the paper's inputs");
    near(model.mem_l_uncoal.get(), 730.0);
    near(model.mem_l.get(), 730.0);
    near(model.departure_delay.get(), 320.0);
    near(model.mwp_without_bw, 2.28125);
    near(model.mwp_peak_bw, 28.52);
    near(model.mwp, 2.28125);
    near(model.mem_cycles.get(), 4380.0);
    near(model.comp_cycles.get(), 132.0);
    near(model.cwp, 20.0);
    near(model.rep, 1.0);
    assert_eq!(model.case, Case::MemoryBound);
    near(model.exec_cycles.get(), 38428.19);
    near((model.exec_cycles + model.synch_cost).get(), 50728.19);
    near(model.estimate.total().get(), 50728.19e-9);
    assert_eq!(model.estimate.bound_by(), Bound::Latency);
    assert!(model.estimate.assumptions().is_empty());
}

#[test]
fn the_estimate_names_the_papers_terms() {
    let estimate = hong_kim(&paper_machine(), &paper_kernel()).expect("the paper's inputs").estimate;
    for (name, value) in [("MWP", 2.28125), ("CWP", 20.0), ("Mem_L", 730.0), ("N", 20.0), ("Rep", 1.0)] {
        near(estimate.term(name).map(|term: &Term| term.value).unwrap_or(f64::NAN), value);
    }
}

#[test]
fn few_warps_keep_neither_busy() {
    // One warp: MWP = CWP = N = 1. 6 * 730 + 33 * 4 = 4512, and Rep is 80 / 80.
    let work = Work { active_warps: 1.0, active_blocks_per_sm: 5.0, ..paper_kernel() };
    let model = hong_kim(&paper_machine(), &work).expect("right inputs");
    assert_eq!((model.case, model.mwp, model.cwp), (Case::FewWarps, 1.0, 1.0));
    near(model.exec_cycles.get(), 4512.0);
    // With one warp there is no other to wait for.
    assert_eq!(model.synch_cost, Cycles::ZERO);
}

#[test]
fn much_computation_hides_memory() {
    // 105 coalesced departures fit into Mem_L, so MWP is N = 20; 1006 instructions of 4 cycles against 6 * 420 at memory.
    let work = Work { comp_insts: 400.0, coal_mem_insts: 6.0, uncoal_mem_insts: 0.0, ..paper_kernel() };
    let model = hong_kim(&paper_machine(), &work).expect("right inputs");
    assert!(model.mwp > model.cwp && model.comp_cycles < model.mem_cycles);
    assert_eq!(model.case, Case::ComputationBound);
    near(model.mwp, 20.0_f64.min(80e9 / (128e9 / 420.0 * 16.0)));
    near(model.exec_cycles.get(), 420.0 + 406.0 * 4.0 * 20.0);
    assert_eq!(model.estimate.bound_by(), Bound::Computation);
}

#[test]
fn more_computation_than_memory_takes_the_memory_equation() {
    // Comp_Cycles 4024 > Mem_Cycles 2520: the second equation, although MWP > CWP.
    let work = Work { comp_insts: 1000.0, coal_mem_insts: 6.0, uncoal_mem_insts: 0.0, ..paper_kernel() };
    let model = hong_kim(&paper_machine(), &work).expect("right inputs");
    assert!(model.mwp > model.cwp);
    assert_eq!(model.case, Case::MemoryBound);
    near(model.exec_cycles.get(), 2520.0 * 20.0 / model.mwp + 4024.0 / 6.0 * (model.mwp - 1.0));
}

#[test]
fn bandwidth_limits_the_warps_at_memory() {
    // 8 GB/s: MWP_peak_BW = 8 / (0.17534 * 16) = 2.85; 4 GB/s: half of it.
    let slow = Parameters { mem_bandwidth: BytesPerSecond::new(4e9), ..paper_machine() };
    let model = hong_kim(&slow, &paper_kernel()).expect("right inputs");
    near(model.mwp, 1.42578);
    assert_eq!(model.estimate.bound_by(), Bound::Memory);
    near(model.exec_cycles.get(), 4380.0 * 20.0 / 1.42578 + 22.0 * 0.42578);
}

#[test]
fn bandwidth_of_less_than_one_warp_makes_no_synchronisation_negative() {
    let slow = Parameters { mem_bandwidth: BytesPerSecond::new(1e9), ..paper_machine() };
    let model = hong_kim(&slow, &paper_kernel()).expect("right inputs");
    assert!(model.mwp < 1.0);
    assert_eq!(model.synch_cost, Cycles::ZERO);
    near(model.exec_cycles.get(), 4380.0 * 20.0 / model.mwp);
}

#[test]
fn without_memory_there_is_computation_alone() {
    let work = Work { uncoal_mem_insts: 0.0, ..paper_kernel() };
    let model = hong_kim(&paper_machine(), &work).expect("right inputs");
    assert_eq!(model.case, Case::ComputationAlone);
    // 27 instructions of 4 cycles for each of 20 warps.
    near(model.exec_cycles.get(), 2160.0);
    assert_eq!(model.synch_cost, Cycles::ZERO);
    let nothing = Work { comp_insts: 0.0, ..work };
    assert_eq!(hong_kim(&paper_machine(), &nothing).expect("nothing to do").exec_cycles, Cycles::ZERO);
}

#[test]
fn mixed_accesses_are_weighted() {
    // Half coalesced: Mem_L = (730 + 420) / 2, departure (320 + 4) / 2.
    let work = Work { coal_mem_insts: 3.0, uncoal_mem_insts: 3.0, ..paper_kernel() };
    let model = hong_kim(&paper_machine(), &work).expect("right inputs");
    near(model.mem_l.get(), 575.0);
    near(model.departure_delay.get(), 162.0);
    near(model.mwp, 575.0 / 162.0);
    near(model.mem_cycles.get(), 3.0 * 730.0 + 3.0 * 420.0);
}

#[test]
fn repetitions_multiply() {
    let once = hong_kim(&paper_machine(), &paper_kernel()).expect("right inputs");
    let work = Work { blocks: 160.0, omp_rep: 3.0, ..paper_kernel() };
    let more = hong_kim(&paper_machine(), &work).expect("right inputs");
    near(more.exec_cycles.get(), 6.0 * once.exec_cycles.get());
    near(more.synch_cost.get(), 6.0 * once.synch_cost.get());
}

/// The published equations are not continuous where they meet: at CWP = MWP the second is below the third, or above.
#[test]
fn the_jump_between_the_second_and_the_third_equation() {
    let at = |comp_insts| {
        let work = Work { comp_insts, coal_mem_insts: 6.0, uncoal_mem_insts: 0.0, ..paper_kernel() };
        hong_kim(&paper_machine(), &work).expect("right inputs")
    };
    // MWP = 16.40625, CWP = 1 + 2520 / (4 * (comp + 6)): equal at comp = 34.8925.
    let (before, after) = (at(34.892), at(34.893));
    assert_eq!((before.case, after.case), (Case::MemoryBound, Case::ComputationBound));
    // (2520 * 20 / 16.406 + 163.56 / 6 * 15.406) = 3492 against 420 + 163.56 * 20 = 3691.
    near(before.exec_cycles.get(), 3492.0);
    near(after.exec_cycles.get(), 3691.3);
}

/// Likewise where computation outgrows memory: the third equation's time falls back to the second's.
#[test]
fn the_jump_where_computation_outgrows_memory() {
    let at = |comp_insts| {
        let work = Work { comp_insts, coal_mem_insts: 6.0, uncoal_mem_insts: 0.0, ..paper_kernel() };
        hong_kim(&paper_machine(), &work).expect("right inputs")
    };
    let (before, after) = (at(624.0), at(624.001));
    assert_eq!((before.case, after.case), (Case::ComputationBound, Case::MemoryBound));
    near(before.exec_cycles.get(), 420.0 + 2520.0 * 20.0);
    near(after.exec_cycles.get(), 2520.0 * 20.0 / 16.40625 + 420.0 * 15.40625);
}

#[test]
fn impossible_inputs_are_named() {
    let error = |work: &Work| hong_kim(&paper_machine(), work).expect_err("impossible").to_string();
    assert_eq!(
        error(&Work { active_sms: 0.0, ..paper_kernel() }),
        "active_sms is 0, expected a number above 0, from 1e-30 to 1e30"
    );
    assert_eq!(
        error(&Work { comp_insts: -1.0, ..paper_kernel() }),
        "comp_insts is -1, expected a number from 0 to 1e30"
    );
    assert_eq!(
        error(&Work { omp_rep: f64::NAN, ..paper_kernel() }),
        "omp_rep is NaN, expected a number from 0 to 1e30"
    );
    assert!(hong_kim(&Parameters { freq: Hertz::ZERO, ..paper_machine() }, &paper_kernel()).is_err());
}

#[test]
fn fewer_blocks_than_run_at_a_time_are_pointed_out() {
    let model = hong_kim(&paper_machine(), &Work { blocks: 40.0, ..paper_kernel() }).expect("right inputs");
    assert_eq!(model.estimate.assumptions().len(), 1);
}

#[test]
fn the_thesiss_set_up() {
    // Two nested loops, one access in the inner one under a condition: 128 * 128 / 2 times.
    let place =
        Instructions { loops: 2, conditions: 1, coalesced: 1.0, integer: 2.0, float: 1.0, ..Default::default() };
    let launch = Launch { teams: 3200, threads: 128 };
    let share = share(9600 * 96, launch, DistSchedule::TeamByTeam, Schedule::InTurn).expect("a loop");
    let needs = TeamNeeds { threads: 128, registers: 32, shared: 0 };
    let fits = occupancy(&common::SM_70, &needs).expect("a team fits");
    let work =
        |reading| thesis::work(&[place], reading, 32.0, thesis::V100_SMS, launch, share, fits).expect("right inputs");
    let counted = work(Reading::IssueRate);
    assert_eq!((counted.coal_mem_insts, counted.comp_insts), (8192.0, 3.0 * 8192.0));
    assert_eq!(work(Reading::Latency).comp_insts, 16.0 * 8192.0);
    // 3200 * 128 threads for 921,600 iterations: 3 each. 16 teams a multiprocessor, 64 warps.
    assert_eq!((counted.omp_rep, counted.active_warps, counted.active_sms), (3.0, 64.0, 84.0));
    let model = hong_kim(&thesis::v100(Cycles::new(2.0), Cycles::new(10.0)), &counted).expect("right inputs");
    near(model.rep, 3200.0 / (16.0 * 84.0));
    // One team for 84 multiprocessors: what is not there does not run.
    let few = thesis::work(&[place], Reading::IssueRate, 32.0, 84, Launch { teams: 1, threads: 128 }, share, fits);
    let few = few.expect("right inputs");
    assert_eq!((few.active_sms, few.active_blocks_per_sm, few.active_warps), (1.0, 1.0, 4.0));
}
