//! What a warp computes in one iteration of the parallel loop.

use std::collections::BTreeMap;

use crate::error::ModelError;
use crate::gpu::{AccessKind, GpuMachine, Pipe, Work};
use crate::quantity::Cycles;
use crate::report::InstructionClass;

/// Cycles of one warp and one iteration of the parallel loop.
pub(super) struct Compute {
    /// Of a multiprocessor, to start all instructions.
    pub(super) issue: Cycles,
    /// The same, by a warp alone, which starts one in a cycle.
    pub(super) issue_of_warp: Cycles,
    /// Of a multiprocessor's units.
    pub(super) pipes: BTreeMap<Pipe, Cycles>,
    /// Until the results of arithmetic are there.
    pub(super) wait: Cycles,
}

impl Compute {
    pub(super) fn of(machine: &GpuMachine, work: &Work) -> Result<Compute, ModelError> {
        let mut counts = work.instructions.clone();
        for access in &work.accesses {
            *counts.entry(class_of(access.kind)).or_insert(0.0) += access.executions();
        }
        let lanes = machine.limits.lanes as f64;
        let (mut instructions, mut wait) = (0.0, Cycles::ZERO);
        let mut pipes = BTreeMap::new();
        for (class, count) in counts {
            if count == 0.0 {
                continue;
            }
            let cost = machine.costs.get(&class).ok_or_else(|| {
                ModelError::new("costs", format!("without {}", class.name()), "a cost for each class that occurs")
            })?;
            instructions += count * cost.instructions;
            *pipes.entry(cost.pipe).or_insert(Cycles::ZERO) += Cycles::new(count * lanes / cost.per_cycle);
            // Waits for global memory are counted by the level that has the data.
            if !is_global(class) {
                wait += cost.latency * (count / work.arithmetic_parallelism);
            }
        }
        // Each further pass keeps the units for the time of one instruction of a warp.
        if let Some(shared) = machine.costs.get(&InstructionClass::LoadShared) {
            let passes = Cycles::new(work.bank_passes * lanes / shared.per_cycle);
            *pipes.entry(shared.pipe).or_insert(Cycles::ZERO) += passes;
        } else if work.bank_passes > 0.0 {
            return Err(ModelError::new("costs", "without load-shared", "a cost for it where banks conflict"));
        }
        let issue = Cycles::new(instructions / machine.issue_slots);
        Ok(Compute { issue, issue_of_warp: Cycles::new(instructions), pipes, wait })
    }
}

fn class_of(kind: AccessKind) -> InstructionClass {
    match kind {
        AccessKind::Load => InstructionClass::LoadGlobal,
        AccessKind::Store => InstructionClass::StoreGlobal,
        AccessKind::Atomic => InstructionClass::Atomic,
    }
}

fn is_global(class: InstructionClass) -> bool {
    matches!(class, InstructionClass::LoadGlobal | InstructionClass::StoreGlobal | InstructionClass::Atomic)
}
