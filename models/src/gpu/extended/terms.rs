//! The parts of a prediction by name.

use super::parts::Parts;
use super::spread::Spread;
use crate::estimate::{Bound, Equation, Term};
use crate::form::Num;
use crate::gpu::occupancy::Occupancy;
use crate::gpu::{GpuMachine, Work};
use crate::quantity::{Bytes, Cycles, Seconds};

pub(super) const INPUT: &str = "input";
const OURS: &str = "extended";

pub(super) const fn ours(text: &'static str) -> Equation {
    Equation::new(text, OURS)
}

fn cycles(cycles: Num) -> Cycles {
    Cycles::new(cycles.get())
}

impl Parts {
    /// What the kernel's time is the largest of.
    pub(super) fn terms(&self, machine: &GpuMachine, work: &Work) -> Vec<(Bound, Term)> {
        let on_multiprocessor = |(bound, part): &(Bound, Num)| {
            let time = cycles(*part * self.spread.warp_iterations_of_sm) / machine.clock;
            (*bound, self.of_multiprocessor(*bound, machine, time))
        };
        let on_device = |(bound, part): &(Bound, Num)| {
            (*bound, self.of_device(*bound, machine, Seconds::new((*part * self.spread.warp_iterations).get())))
        };
        let latency = (Bound::Latency, self.latency(machine, work));
        let before = self.of_multiprocessor.iter().map(on_multiprocessor);
        let updates = Term::new(
            "atomic updates",
            ours("(updates of one place / updates per cycle + critical sections * 3 * L2 latency) / clock"),
            cycles(self.updates) / machine.clock,
        );
        let updates = (self.updates != Num::ZERO).then_some((Bound::Updates, updates));
        before.chain([latency]).chain(updates).chain(self.of_device.iter().map(on_device)).collect()
    }

    fn of_multiprocessor(&self, bound: Bound, machine: &GpuMachine, time: Seconds) -> Term {
        match bound {
            Bound::Issue => Term::new("issue", ours("instructions / issue slots * warp iterations / clock"), time),
            Bound::L1 => Term::new("L1", ours("sectors * sector / L1 throughput * warp iterations / clock"), time)
                .with_parts([Term::new(
                    "L1 bytes of a warp",
                    ours("sectors * sector * executions"),
                    machine.sector * self.traffic.asked.get(),
                )]),
            Bound::L2 => {
                let equation = ours("its part of L2 bytes / L2 bytes per cycle / clock");
                Term::new("L2 to multiprocessor", equation, time)
            }
            // Its name is that of the units.
            units => {
                let equation = ours("sum of count * lanes / per cycle, * warp iterations / clock");
                Term::new(units.to_string(), equation, time)
            }
        }
    }

    fn of_device(&self, bound: Bound, machine: &GpuMachine, time: Seconds) -> Term {
        let bytes = |sectors: Num| -> Bytes { machine.sector * (sectors * self.spread.warp_iterations).get() };
        match bound {
            Bound::L2 => Term::new("L2", ours("L2 bytes / L2 bandwidth"), time).with_parts([Term::new(
                "L2 bytes",
                ours("what L1 does not have, all stores and atomics"),
                bytes(self.traffic.from_l2),
            )]),
            _ => Term::new("memory", ours("memory bytes / memory bandwidth"), time).with_parts([Term::new(
                "memory bytes",
                ours("what L2 does not have"),
                bytes(self.traffic.from_memory),
            )]),
        }
    }

    fn latency(&self, machine: &GpuMachine, work: &Work) -> Term {
        Term::new(
            "latency",
            ours(
                "(max(waits, issue of a warp) * max(OMP_Rep * rounds, of chunk * longest) + requests * rounds) / clock",
            ),
            cycles(self.latency) / machine.clock,
        )
        .with_parts([
            Term::new(
                "arithmetic waits",
                ours("sum of count * latency / arithmetic parallelism"),
                cycles(self.compute.arithmetic_waits),
            ),
            Term::new(
                "memory waits",
                ours("loads together * latency of the slowest, + their sectors one after another"),
                cycles(self.memory_waits),
            ),
            Term::new("barriers", ours("barriers * barrier"), cycles(self.compute.barrier_waits)),
            Term::new("requests", ours("chunks that a thread asks for * dispatch"), cycles(self.requests)),
            Term::new("issue of a warp", ours("instructions, one a cycle"), cycles(self.compute.issue_of_warp)),
            Term::new("rounds", ours("ceil(teams of multiprocessor / teams at a time)"), self.spread.rounds.get()),
            Term::new("OMP_Rep", Equation::new("iterations of a thread", INPUT), work.omp_rep as f64),
            Term::new(
                "of chunk",
                Equation::new("iterations of a thread in one chunk of its team", INPUT),
                work.of_chunk as f64,
            ),
            Term::new("longest", Equation::new("longest iteration or chunk / average one", INPUT), work.longest),
        ])
    }
}

impl Spread {
    pub(super) fn terms(&self, machine: &GpuMachine, work: &Work, occupancy: &Occupancy) -> [Term; 5] {
        let busy = machine.sms.min(work.busy_teams.max(1)) as f64;
        let count = |name, equation, count: Num| Term::new(name, ours(equation), count.get());
        [
            Term::new("occupancy", ours("warps at a time / warps possible"), occupancy.share(&machine.limits)),
            count("teams at a time", "min(what fits, teams of multiprocessor)", self.teams_at_a_time),
            count("teams of multiprocessor", "ceil(teams / multiprocessors)", self.teams_of_sm),
            Term::new("busy multiprocessors", ours("min(multiprocessors, teams)"), busy),
            count("warp iterations", "iterations / busy threads * busy warps", self.warp_iterations),
        ]
    }
}
