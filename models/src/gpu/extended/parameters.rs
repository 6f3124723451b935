//! What the model takes of a GPU.

use crate::form::Num;
use crate::gpu::{ClassCost, GpuMachine, Pipe};
use crate::transfer::FROM_POOL;

/// [`GpuMachine`], in numbers that may be known later.
pub(crate) struct Parameters {
    /// Multiprocessors, of which there is one at least.
    pub(crate) multiprocessors: Num,
    /// Threads of a warp.
    pub(crate) lanes: f64,
    /// Cycles a second.
    pub(crate) clock: Num,
    /// Warp instructions that a multiprocessor starts in a cycle.
    pub(crate) issue_slots: Num,
    /// Cycles.
    pub(crate) barrier: Num,
    /// Cycles.
    pub(crate) dispatch: Num,
    /// Seconds that a reduction across teams adds, of up to [`TEAMS_THAT_COMBINE`].
    pub(crate) reduction: Num,
    /// The same of so many further teams.
    pub(crate) reduction_of_teams: Num,
    /// Bytes.
    pub(crate) sector: f64,
    pub(crate) l1: L1,
    pub(crate) l2: L2,
    pub(crate) memory: Memory,
}

/// The cache of a multiprocessor.
pub(crate) struct L1 {
    /// Bytes.
    pub(crate) capacity: Num,
    /// Bytes of `capacity` for each byte of shared memory.
    pub(crate) taken_by_shared: Num,
    /// Cycles.
    pub(crate) latency: Num,
    /// Bytes a cycle.
    pub(crate) throughput: Num,
}

/// The cache of all multiprocessors.
pub(crate) struct L2 {
    /// Bytes.
    pub(crate) capacity: Num,
    /// Cycles.
    pub(crate) latency: Num,
    /// Bytes a second.
    pub(crate) bandwidth: Num,
    /// Bytes a cycle.
    pub(crate) per_multiprocessor: Num,
    /// Atomic updates of one place in a cycle.
    pub(crate) updates: Num,
    /// Whether a kernel finds nothing there from before: never so at a launch of a program.
    pub(crate) is_emptied: bool,
}

/// The memory on the device.
pub(crate) struct Memory {
    /// Cycles.
    pub(crate) latency: Num,
    /// Bytes a second.
    pub(crate) bandwidth: Num,
    pub(crate) tlb: Option<Tlb>,
}

/// Where address translation gets slow.
pub(crate) struct Tlb {
    /// Bytes.
    pub(crate) reach: Num,
    /// Cycles.
    pub(crate) miss: Num,
}

/// What an instruction of a class costs a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub(crate) pipe: Pipe,
    /// Results of threads in a cycle.
    pub(crate) per_cycle: Num,
    /// Cycles.
    pub(crate) latency: Num,
    /// Machine instructions.
    pub(crate) instructions: Num,
}

/// Teams that LLVM 19's runtime for devices combines at a time; those beyond wait for them.
const TEAMS_THAT_COMBINE: f64 = 1024.0;

impl Parameters {
    /// Seconds to combine what so many teams leave for each other, of so many bytes each: the buffer for those that combine comes from the driver in each
    /// launch, if the runtime has no room of its own for it.
    pub(crate) fn combining(&self, bytes: u32, teams: Num, allocation: Num) -> Num {
        let of_driver = TEAMS_THAT_COMBINE * f64::from(bytes) > FROM_POOL;
        let waiting = teams.div_ceil(TEAMS_THAT_COMBINE) - 1.0;
        self.reduction + self.reduction_of_teams * waiting + if of_driver { allocation } else { Num::ZERO }
    }

    /// What differs from machine to machine, with a key each.
    pub(crate) fn by_keys(&mut self) -> Vec<(String, &mut Num)> {
        let Parameters {
            multiprocessors,
            clock,
            issue_slots,
            barrier,
            dispatch,
            reduction,
            reduction_of_teams,
            l1,
            l2,
            memory,
            ..
        } = self;
        let all = [
            ("multiprocessors", multiprocessors),
            ("clock", clock),
            ("issue_slots", issue_slots),
            ("barrier", barrier),
            ("dispatch", dispatch),
            ("reduction", reduction),
            ("reduction_of_teams", reduction_of_teams),
            ("l1.capacity", &mut l1.capacity),
            ("l1.taken_by_shared", &mut l1.taken_by_shared),
            ("l1.latency", &mut l1.latency),
            ("l1.throughput", &mut l1.throughput),
            ("l2.capacity", &mut l2.capacity),
            ("l2.latency", &mut l2.latency),
            ("l2.bandwidth", &mut l2.bandwidth),
            ("l2.per_multiprocessor", &mut l2.per_multiprocessor),
            ("l2.updates", &mut l2.updates),
            ("memory.latency", &mut memory.latency),
            ("memory.bandwidth", &mut memory.bandwidth),
        ];
        let tlb = memory.tlb.iter_mut().flat_map(|tlb| [("tlb.reach", &mut tlb.reach), ("tlb.miss", &mut tlb.miss)]);
        all.into_iter().chain(tlb).map(|(key, number)| (key.to_owned(), number)).collect()
    }
}

impl Cost {
    /// As of [`Parameters`].
    pub(crate) fn by_keys(&mut self) -> Vec<(String, &mut Num)> {
        let Cost { pipe: _, per_cycle, latency, instructions } = self;
        let all = [("per_cycle", per_cycle), ("latency", latency), ("instructions", instructions)];
        all.map(|(key, number)| (key.to_owned(), number)).into()
    }
}

impl From<&GpuMachine> for Parameters {
    fn from(machine: &GpuMachine) -> Parameters {
        let GpuMachine { l1, l2, memory, .. } = machine;
        Parameters {
            multiprocessors: machine.sms.into(),
            lanes: machine.limits.lanes as f64,
            clock: machine.clock.get().into(),
            issue_slots: machine.issue_slots.into(),
            barrier: machine.barrier.get().into(),
            dispatch: machine.dispatch.get().into(),
            reduction: machine.reduction.fixed.get().into(),
            reduction_of_teams: machine.reduction.of_teams.get().into(),
            sector: machine.sector.get(),
            l1: L1 {
                capacity: l1.capacity.get().into(),
                taken_by_shared: l1.taken_by_shared.into(),
                latency: l1.latency.get().into(),
                throughput: l1.throughput.get().into(),
            },
            l2: L2 {
                capacity: l2.capacity.get().into(),
                latency: l2.latency.get().into(),
                bandwidth: l2.bandwidth.get().into(),
                per_multiprocessor: l2.per_sm.get().into(),
                updates: l2.updates.into(),
                is_emptied: l2.is_emptied,
            },
            memory: Memory {
                latency: memory.latency.get().into(),
                bandwidth: memory.bandwidth.get().into(),
                tlb: memory.tlb.map(|tlb| Tlb { reach: tlb.reach.get().into(), miss: tlb.miss.get().into() }),
            },
        }
    }
}

impl From<&ClassCost> for Cost {
    fn from(cost: &ClassCost) -> Cost {
        Cost {
            pipe: cost.pipe,
            per_cycle: cost.per_cycle.into(),
            latency: cost.latency.get().into(),
            instructions: cost.instructions.into(),
        }
    }
}
