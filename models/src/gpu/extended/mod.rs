//! Our model, for GPUs with caches and several schedulers.
//!
//! A kernel takes as long as the slowest of: the fullest multiprocessor's throughput (instruction issue, each kind of unit, L1, what
//! it takes from L2), the chain of waits of its teams one after another, the L2, and the memory; where that chain and one of the others are about as
//! slow, longer ([`network`]). That the others overlap perfectly is the model's main assumption: where two of them are equally slow, the
//! truth is above.
//!
//! Each equation is written once, over numbers that may be known later: [`extended`] carries them out and names their terms,
//! [`crate::closed`] writes them down.

mod access;
mod compute;
mod memory;
mod network;
mod parameters;
mod parts;
mod spread;
mod terms;

use super::{GpuMachine, Work};
use crate::error::ModelError;
use crate::estimate::{Assumption, Bound, Equation, Estimate, Term};
use crate::form::Num;
use crate::gpu::occupancy::{Occupancy, occupancy};
use crate::quantity::{Bytes, Seconds};
use crate::report::InstructionClass;
use crate::spread::{Cause, Spread};

pub(crate) use access::{Access, Apart, ApartBy, Touched};
pub(crate) use compute::Instructions;
pub(crate) use parameters::{Cost, Parameters};
pub(crate) use parts::{Kernel, Parts};
pub use spread::Filling;
pub(crate) use spread::Handed;

use terms::{INPUT, ours};

/// The model.
///
/// # Errors
/// If an input has no meaning, a team does not fit on a multiprocessor, or a class of instructions has no cost.
pub fn extended(machine: &GpuMachine, work: &Work) -> Result<Estimate, ModelError> {
    let occupancy = checked(machine, work)?;
    let parameters = Parameters::from(machine);
    let parts = parts(machine, work, &parameters, &occupancy)?;

    let terms = parts.terms(machine, work);
    let (bound, slowest) = terms
        .iter()
        .map(|(bound, term)| (*bound, term.value))
        .max_by(|(_, left), (_, right)| left.total_cmp(right))
        .unwrap_or((Bound::Nothing, 0.0));
    let seconds = parts.seconds(&parameters).get();
    // Rounding apart, nothing is longer than the whole.
    debug_assert!(seconds.is_nan() || seconds >= slowest * (1.0 - 1e-9), "a part is longer than the kernel");
    let seconds = seconds.max(slowest);
    let bound_by = match () {
        () if seconds == 0.0 && machine.launch == Seconds::ZERO => Bound::Nothing,
        () if seconds < machine.launch.get() => Bound::Overhead,
        () => bound,
    };
    let queues = Term::new(
        "queues",
        ours("T of waits P and a station with T = P + D * U / (1 - U), U = M / T, less the largest part"),
        Seconds::new(seconds - slowest),
    );
    let kernel = Term::new("kernel", ours("the largest of its parts + queues"), Seconds::new(seconds))
        .with_parts(terms.into_iter().map(|(_, term)| term))
        .with_parts([queues])
        .with_parts(parts.spread.terms(machine, work, &occupancy));
    let terms = vec![kernel, Term::new("launch", Equation::new("launch", INPUT), machine.launch)];
    let apart =
        vec![Term::new("context", Equation::new("once, at the first use of the device", INPUT), machine.context)];
    Estimate::of(terms, apart, assumptions(work), bound_by)
}

/// What a kernel moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moved {
    /// Between L1 and L2.
    pub l2: Bytes,
    /// Between L2 and memory.
    pub memory: Bytes,
}

/// What a kernel moves, as [`extended`] sees it.
///
/// # Errors
/// As of [`extended`].
pub fn moved(machine: &GpuMachine, work: &Work) -> Result<Moved, ModelError> {
    let parts = parts(machine, work, &Parameters::from(machine), &checked(machine, work)?)?;
    let bytes = |sectors: Num| machine.sector * (sectors * parts.spread.warp_iterations).get();
    Ok(Moved { l2: bytes(parts.traffic.from_l2), memory: bytes(parts.traffic.from_memory) })
}

/// How far the kernel's time of [`extended`] may be off by the model, and why beside by what bounds it, loads that are
/// under way only where waits do;
/// `unsure` is by how much its description's caches and waits may be off.
///
/// # Errors
/// As of [`extended`].
pub(crate) fn spread(machine: &GpuMachine, work: &Work, unsure: Spread) -> Result<(Spread, Option<Cause>), ModelError> {
    let parameters = Parameters::from(machine);
    let parts = parts(machine, work, &parameters, &checked(machine, work)?)?;
    let why = match (parts.are_few_warps(&parameters).known(), parts.traffic.is_repeated.known()) {
        (Some(true), _) => Some(Cause::FewWarps),
        (_, Some(true)) => Some(Cause::LoadsUnderWay),
        _ => None,
    };
    Ok((Spread::of_square(parts.square(&parameters, unsure.square()).get()), why))
}

/// How many teams run at a time, of inputs that have a meaning.
fn checked(machine: &GpuMachine, work: &Work) -> Result<Occupancy, ModelError> {
    machine.check()?;
    work.check()?;
    if work.needs.threads != work.launch.threads {
        return Err(ModelError::new("needs.threads", work.needs.threads, "the threads of the launch"));
    }
    occupancy(&machine.limits, &work.needs)
}

fn parts(
    machine: &GpuMachine,
    work: &Work,
    parameters: &Parameters,
    occupancy: &Occupancy,
) -> Result<Parts, ModelError> {
    let cost = |class: InstructionClass| machine.costs.get(&class).map(Cost::from);
    Parts::of(parameters, &Kernel::of(machine, work, occupancy), &cost)
}

impl Kernel {
    /// A kernel in numbers.
    fn of(machine: &GpuMachine, work: &Work, occupancy: &Occupancy) -> Kernel {
        let mut instructions = Instructions::new(work.arithmetic_parallelism.into());
        instructions.bank_passes = work.bank_passes;
        for (class, count) in &work.instructions {
            instructions.add(Num::ONE, *class, *count);
        }
        for access in &work.accesses {
            instructions.add(Num::ONE, access.kind.class(), access.executions());
        }
        instructions.add_barriers(Num::ONE, work.barriers);
        Kernel {
            handed: Handed {
                teams: work.busy_teams.max(1).into(),
                fits: occupancy.teams.into(),
                busy_threads: work.busy_threads.max(1).into(),
                iterations: work.iterations.into(),
                omp_rep: work.omp_rep.into(),
                of_chunk: work.of_chunk.into(),
                longest: work.longest.into(),
                requests: work.requests.into(),
                filling: work.filling,
            },
            instructions,
            accesses: work.accesses.iter().map(|access| Access::of(access, machine.sector.get())).collect(),
            shared_memory: work.needs.shared,
            memory_parallelism: work.memory_parallelism.into(),
            sections: work.sections.into(),
        }
    }
}

fn assumptions(work: &Work) -> Vec<Assumption> {
    let mut all = vec!["computing, waiting and moving data overlap but for queues".to_owned()];
    if work.needs.registers == 0 {
        all.push("registers are unknown and limit nothing".to_owned());
    }
    all.into_iter().map(Assumption).collect()
}
