//! What a warp computes in one iteration of the parallel loop.

use std::collections::BTreeMap;

use super::parameters::{Cost, Parameters};
use crate::error::ModelError;
use crate::form::Num;
use crate::gpu::Pipe;
use crate::report::InstructionClass;

/// What the threads of a warp do in one iteration of the parallel loop.
pub(crate) struct Instructions {
    /// By how often they do it.
    by_times: Vec<(Num, Counts)>,
    /// Arithmetic instructions that can be under way together: 1 or more.
    pub(crate) arithmetic_parallelism: Num,
    /// Passes over the banks of shared memory, beyond one for each access.
    pub(crate) bank_passes: f64,
}

#[derive(Default)]
struct Counts {
    by_class: BTreeMap<InstructionClass, f64>,
    /// At which the threads of the team wait for each other.
    barriers: f64,
}

impl Instructions {
    pub(crate) fn new(arithmetic_parallelism: Num) -> Instructions {
        Instructions { by_times: Vec::new(), arithmetic_parallelism, bank_passes: 0.0 }
    }

    pub(crate) fn add(&mut self, times: Num, class: InstructionClass, count: f64) {
        if count != 0.0 {
            *self.counts(times).by_class.entry(class).or_insert(0.0) += count;
        }
    }

    pub(crate) fn add_barriers(&mut self, times: Num, count: f64) {
        self.counts(times).barriers += count;
    }

    /// How many there are of each class, and how many barriers, in numbers that are known.
    pub(crate) fn known(&self) -> (BTreeMap<InstructionClass, f64>, f64) {
        let (mut all, mut barriers) = (BTreeMap::new(), 0.0);
        for (times, counts) in self.by_times.iter().map(|(times, counts)| (times.get(), counts)) {
            for (class, count) in &counts.by_class {
                *all.entry(*class).or_insert(0.0) += count * times;
            }
            barriers += counts.barriers * times;
        }
        (all, barriers)
    }

    fn counts(&mut self, times: Num) -> &mut Counts {
        let at = self.by_times.iter().position(|(other, _)| *other == times).unwrap_or_else(|| {
            self.by_times.push((times, Counts::default()));
            self.by_times.len() - 1
        });
        &mut self.by_times[at].1
    }

    /// The sum of what instructions cost.
    fn sum(&self, cost: impl Fn(&Counts) -> Num) -> Num {
        self.by_times.iter().map(|(times, counts)| *times * cost(counts)).sum()
    }

    /// What those cost that occur.
    fn costs(
        &self,
        of: &dyn Fn(InstructionClass) -> Option<Cost>,
    ) -> Result<BTreeMap<InstructionClass, Cost>, ModelError> {
        let missing = |class: InstructionClass| {
            ModelError::new("costs", format!("without {}", class.name()), "a cost for each class that occurs")
        };
        let classes = self.by_times.iter().flat_map(|(_, counts)| counts.by_class.keys());
        classes.map(|class| Ok((*class, of(*class).ok_or_else(|| missing(*class))?))).collect()
    }
}

impl Counts {
    /// The sum of what each instruction costs.
    fn sum(&self, cost: impl Fn(InstructionClass, f64) -> Num) -> Num {
        self.by_class.iter().map(|(class, count)| cost(*class, *count)).sum()
    }
}

/// Cycles of one warp and one iteration of the parallel loop.
pub(crate) struct Compute {
    /// Of a multiprocessor, to start all instructions.
    pub(crate) issue: Num,
    /// The same, by a warp alone, which starts one in a cycle.
    pub(crate) issue_of_warp: Num,
    /// Of a multiprocessor's units.
    pub(crate) units: BTreeMap<Pipe, Num>,
    /// Until the results of arithmetic are there, at barriers, and both.
    pub(crate) arithmetic_waits: Num,
    pub(crate) barrier_waits: Num,
    pub(crate) waits: Num,
}

impl Compute {
    /// `cost` says what an instruction of each class costs.
    ///
    /// # Errors
    /// If a class that occurs has no cost.
    pub(crate) fn of(
        parameters: &Parameters,
        instructions: &Instructions,
        cost: &dyn Fn(InstructionClass) -> Option<Cost>,
    ) -> Result<Compute, ModelError> {
        let costs = instructions.costs(cost)?;
        let lanes = parameters.lanes;
        let issue_of_warp = instructions.sum(|all| all.sum(|class, count| costs[&class].instructions * count));
        let of_pipe = |pipe: Pipe| {
            let of = |class: InstructionClass, count: f64| match costs[&class] {
                cost if cost.pipe == pipe => count * lanes / cost.per_cycle,
                _ => Num::ZERO,
            };
            instructions.sum(|all| all.sum(of))
        };
        let mut units: BTreeMap<Pipe, Num> = costs.values().map(|cost| (cost.pipe, Num::ZERO)).collect();
        units.iter_mut().for_each(|(pipe, cycles)| *cycles = of_pipe(*pipe));
        // Each further pass keeps the units for the time of one instruction of a warp.
        if let Some(shared) = cost(InstructionClass::LoadShared) {
            *units.entry(shared.pipe).or_insert(Num::ZERO) += instructions.bank_passes * lanes / shared.per_cycle;
        } else if instructions.bank_passes > 0.0 {
            return Err(ModelError::new("costs", "without load-shared", "a cost for it where banks conflict"));
        }
        // Waits for global memory are counted by the level that has the data.
        let wait = |class: InstructionClass, count: f64| match class {
            class if class.is_of_global_memory() => Num::ZERO,
            class => costs[&class].latency * count / instructions.arithmetic_parallelism,
        };
        let arithmetic = |all: &Counts| all.sum(wait);
        let at_barriers = |all: &Counts| parameters.barrier * all.barriers;
        Ok(Compute {
            issue: issue_of_warp / parameters.issue_slots,
            issue_of_warp,
            units,
            arithmetic_waits: instructions.sum(arithmetic),
            barrier_waits: instructions.sum(at_barriers),
            waits: instructions.sum(|all| arithmetic(all) + at_barriers(all)),
        })
    }
}
