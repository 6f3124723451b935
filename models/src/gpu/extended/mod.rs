//! Our model, for GPUs with caches and several schedulers.
//!
//! A kernel takes as long as the slowest of: the fullest multiprocessor's throughput (instruction issue, each kind of unit, L1, what
//! it takes from L2), the chain of waits of its teams one after another, the L2, and the memory. That all of these overlap
//! perfectly is the model's main assumption: where two are equally slow, the truth is above.

mod compute;
mod memory;

use super::{GpuMachine, Work};
use crate::error::ModelError;
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::gpu::occupancy::{Occupancy, occupancy};
use crate::quantity::{Cycles, Seconds};

/// How a launch is spread over the device.
struct Spread {
    occupancy: Occupancy,
    /// Multiprocessors that have teams.
    sms: f64,
    /// Teams of the fullest multiprocessor, altogether.
    teams_of_sm: f64,
    /// Teams of the fullest multiprocessor at a time.
    teams_at_a_time: f64,
    /// Teams of all multiprocessors at a time.
    all_at_a_time: f64,
    /// How many teams run one after another.
    rounds: f64,
    /// Warps of a team that have iterations.
    warps_of_team: f64,
    /// How often a warp, of all teams, does an iteration of the parallel loop.
    warp_iterations: f64,
    /// The same, of the fullest multiprocessor; where iterations take differently long, as many average ones.
    warp_iterations_of_sm: f64,
}

impl Spread {
    fn of(machine: &GpuMachine, work: &Work) -> Result<Spread, ModelError> {
        let occupancy = occupancy(&machine.limits, &work.needs)?;
        let teams = work.launch.teams as f64;
        let sms = machine.sms.min(work.launch.teams);
        let teams_of_sm = work.launch.teams.div_ceil(sms);
        let teams_at_a_time = teams_of_sm.min(occupancy.teams);
        let busy = work.busy_threads.max(1);
        let warps_of_team = busy.div_ceil(machine.limits.lanes) as f64;
        let lanes = busy as f64 / warps_of_team;
        let warp_iterations = work.iterations as f64 / lanes;
        Ok(Spread {
            occupancy,
            sms: sms as f64,
            teams_of_sm: teams_of_sm as f64,
            teams_at_a_time: teams_at_a_time as f64,
            all_at_a_time: teams.min((teams_at_a_time * sms) as f64),
            rounds: teams_of_sm.div_ceil(teams_at_a_time) as f64,
            warps_of_team,
            warp_iterations,
            // The longest iterations are neighbours, and a multiprocessor's teams far from each other: one of them has long ones.
            warp_iterations_of_sm: warp_iterations * (teams_of_sm as f64 - 1.0 + work.longest) / teams,
        })
    }
}

const INPUT: &str = "input";
const OURS: &str = "extended";

const fn ours(text: &'static str) -> Equation {
    Equation::new(text, OURS)
}

/// The model.
///
/// # Errors
/// If an input has no meaning, a team does not fit on a multiprocessor, or a class of instructions has no cost.
pub fn extended(machine: &GpuMachine, work: &Work) -> Result<Estimate, ModelError> {
    machine.check()?;
    work.check()?;
    if work.needs.threads != work.launch.threads {
        return Err(ModelError::new("needs.threads", work.needs.threads, "the threads of the launch"));
    }
    let spread = Spread::of(machine, work)?;
    let traffic = memory::Traffic::of(machine, work, &spread);
    let compute = compute::Compute::of(machine, work)?;

    let on_sm = |cycles_of_warp: Cycles| cycles_of_warp * spread.warp_iterations_of_sm / machine.clock;
    let l1 = on_sm(traffic.l1_of_warp / machine.l1.throughput);
    let from_l2 = traffic.from_l2 * (spread.teams_of_sm / work.launch.teams as f64);
    let taken: Seconds = from_l2 / machine.l2.per_sm / machine.clock;
    let waits = compute.wait + traffic.wait / work.memory_parallelism + machine.barrier * work.barriers;
    // Nothing of a warp overlaps with its own issue but other warps.
    let path = waits.max(compute.issue_of_warp);
    let requests = machine.dispatch * work.requests as f64;
    // Of a loop without iterations, none is long.
    let longest = if work.iterations == 0 { 0.0 } else { work.longest };
    let latency =
        (path * (work.omp_rep as f64 * spread.rounds).max(longest) + requests * spread.rounds) / machine.clock;
    let l2 = traffic.from_l2 / machine.l2.bandwidth;
    let memory = traffic.from_memory / machine.memory.bandwidth;

    let mut parts = vec![(
        Bound::Issue,
        Term::new("issue", ours("instructions / issue slots * warp iterations / clock"), on_sm(compute.issue)),
    )];
    for (pipe, cycles) in &compute.pipes {
        let term = Term::new(
            format!("{pipe} units"),
            ours("sum of count * lanes / per cycle, * warp iterations / clock"),
            on_sm(*cycles),
        );
        parts.push((Bound::Pipe(*pipe), term));
    }
    parts.push((
        Bound::L1,
        Term::new("L1", ours("sectors * sector / L1 throughput * warp iterations / clock"), l1)
            .with_parts([Term::new("L1 bytes of a warp", ours("sectors * sector * executions"), traffic.l1_of_warp)]),
    ));
    parts.push((
        Bound::L2,
        Term::new("L2 to multiprocessor", ours("its part of L2 bytes / L2 bytes per cycle / clock"), taken),
    ));
    parts.push((
        Bound::Latency,
        Term::new(
            "latency",
            ours("(max(waits, issue of a warp) * max(OMP_Rep * rounds, longest) + requests * rounds) / clock"),
            latency,
        )
        .with_parts([
            Term::new("arithmetic waits", ours("sum of count * latency / arithmetic parallelism"), compute.wait),
            Term::new(
                "memory waits",
                ours("sum over levels of found there * latency, / memory parallelism"),
                traffic.wait / work.memory_parallelism,
            ),
            Term::new("barriers", ours("barriers * barrier"), machine.barrier * work.barriers),
            Term::new("requests", ours("chunks that a thread asks for * dispatch"), requests),
            Term::new("issue of a warp", ours("instructions, one a cycle"), compute.issue_of_warp),
            Term::new("rounds", ours("ceil(teams of multiprocessor / teams at a time)"), spread.rounds),
            Term::new("OMP_Rep", Equation::new("iterations of a thread", INPUT), work.omp_rep as f64),
            Term::new("longest", Equation::new("longest iteration / average one", INPUT), work.longest),
        ]),
    ));
    parts.push((
        Bound::L2,
        Term::new("L2", ours("L2 bytes / L2 bandwidth"), l2).with_parts([Term::new(
            "L2 bytes",
            ours("what L1 does not have, all stores and atomics"),
            traffic.from_l2,
        )]),
    ));
    parts.push((
        Bound::Memory,
        Term::new("memory", ours("memory bytes / memory bandwidth"), memory).with_parts([Term::new(
            "memory bytes",
            ours("what L2 does not have"),
            traffic.from_memory,
        )]),
    ));

    let (bound, slowest) = parts
        .iter()
        .map(|(bound, term)| (*bound, term.value))
        .max_by(|(_, left), (_, right)| left.total_cmp(right))
        .unwrap_or((Bound::Nothing, 0.0));
    let bound_by = match () {
        () if slowest == 0.0 && machine.launch == Seconds::ZERO => Bound::Nothing,
        () if slowest < machine.launch.get() => Bound::Overhead,
        () => bound,
    };
    let kernel = Term::new("kernel", ours("the largest of its parts"), Seconds::new(slowest))
        .with_parts(parts.into_iter().map(|(_, term)| term))
        .with_parts(spread.terms(machine));
    let terms = vec![kernel, Term::new("launch", Equation::new("launch", INPUT), machine.launch)];
    let apart =
        vec![Term::new("context", Equation::new("once, at the first use of the device", INPUT), machine.context)];
    Estimate::of(terms, apart, assumptions(work), bound_by)
}

impl Spread {
    fn terms(&self, machine: &GpuMachine) -> [Term; 5] {
        let limits = &machine.limits;
        [
            Term::new("occupancy", ours("warps at a time / warps possible"), self.occupancy.share(limits)),
            Term::new("teams at a time", ours("min(what fits, teams of multiprocessor)"), self.teams_at_a_time),
            Term::new("teams of multiprocessor", ours("ceil(teams / multiprocessors)"), self.teams_of_sm),
            Term::new("busy multiprocessors", ours("min(multiprocessors, teams)"), self.sms),
            Term::new("warp iterations", ours("iterations / busy threads * busy warps"), self.warp_iterations),
        ]
    }
}

fn assumptions(work: &Work) -> Vec<Assumption> {
    let mut all = vec!["computing, waiting and moving data overlap completely".to_owned()];
    if work.needs.registers == 0 {
        all.push("registers are unknown and limit nothing".to_owned());
    }
    all.into_iter().map(Assumption).collect()
}
