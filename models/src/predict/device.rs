//! The device's time, version by version.

use ipda_symbolic::Polynomial;
use std::collections::BTreeSet;

use super::roofline::Roofline;
use super::{Machines, Model, PredictError, Setting};
use crate::cpu::Start;
use crate::error::ModelError;
use crate::estimate::{Assumption, Bound as BoundBy, Equation, Estimate, Term};
use crate::gpu::extended::{self as model, Parameters, extended};
use crate::gpu::geometry::{Launch, Share};
use crate::gpu::hong_kim::{self, hong_kim};
use crate::gpu::occupancy::{Occupancy, occupancy};
use crate::gpu::thesis;
use crate::gpu::{GpuMachine, Work};
use crate::machine::{self, Described, NeededFor, Rest};
use crate::quantity::{Bytes, Seconds};
use crate::report::InstructionClass;
use crate::spread::{Cause, Spread, is_estimated};
use crate::summary::{Bound, DeviceWork, Grain, Room};
use crate::versions::{Recipe, VersionId};

/// The device's time of a version of the region.
#[derive(Debug, Clone, PartialEq)]
pub struct DevicePrediction {
    /// Which version.
    pub version: VersionId,
    /// How it came about.
    pub recipe: Recipe,
    /// Whether it is the one that the compiled program runs.
    pub is_run: bool,
    /// Its teams and threads.
    pub launch: Launch,
    /// What it does, shared loop by shared loop.
    pub works: Vec<DeviceWork>,
    /// The time of the kernel and of its launch, without transfers.
    pub estimate: Estimate,
    /// How far the kernel's time may be off; none for models of others.
    pub spread: Option<Spread>,
    /// Without what the host's is off by as well.
    pub(super) own: Option<Spread>,
    /// Why.
    pub causes: Vec<Cause>,
    /// What it is under the device's roofs, by our model; none of a kernel that does nothing.
    pub roofline: Option<Roofline>,
}

pub(super) fn versions(
    bound: &Bound<'_>,
    machines: &Machines,
    setting: &Setting,
    rests: &mut Vec<Rest>,
) -> Result<Vec<DevicePrediction>, PredictError> {
    let mut described = machine::gpu_machine(&machines.gpu)?;
    described.machine.l2.is_emptied = setting.l2 == Start::Cold;
    let runtime = machine::runtime_device(&machines.gpu)?;
    let grain = Grain { sector: machines.gpu.sector.get().into(), line: machines.gpu.line.get().into() };
    let room = Room::from(&described.machine);
    let summary = bound.summary();
    let as_written = (VersionId::AS_WRITTEN, Recipe::default());
    let others = summary.versions.iter().map(|version| (version.id, version.recipe.clone()));
    let mut versions = Vec::new();
    let runs = version_that_runs(bound);
    let mut needs = BTreeSet::new();
    for (version, recipe) in std::iter::once(as_written).chain(others) {
        let Some(works) = bound.device_work(&machines.gpu.processor, &runtime, grain, Some(&room), version)? else {
            continue;
        };
        let Some(launch) = works.first().map(|work| work.work.launch) else { continue };
        works.iter().for_each(|work| needs.extend(needs_of(&work.work)));
        let estimate = match setting.model {
            Model::Extended => together(&works, &described.machine, |work| extended(&described.machine, &work.work))?,
            Model::Published => {
                together(&works, &described.machine, |work| published(machines, &described.machine, work, rests))?
            }
            Model::Thesis => in_thesis(bound, machines, &described.machine, version, &works, rests)?,
        };
        let reduction = combining(bound, machines, &described.machine, launch, setting.model)?;
        if reduction.is_some() {
            needs.insert(NeededFor::TeamReduction);
        }
        let is_run = version == runs;
        let roofline = match setting.model {
            Model::Extended => Roofline::of(&described.machine, &works, of_kernel(&estimate))?,
            Model::Published | Model::Thesis => None,
        };
        let estimate = with_reduction(estimate, reduction)?;
        let (own, causes) = match setting.model {
            Model::Extended => doubt(&described, &works, reduction, estimate.bound_by())?,
            Model::Published | Model::Thesis => (None, Vec::new()),
        };
        let shared = if own.is_some() { bound.causes() } else { Vec::new() };
        let spread = own.map(|own| own.with(&shared));
        let causes = [causes, shared].concat();
        versions.push(DevicePrediction {
            version,
            recipe,
            is_run,
            launch,
            works,
            estimate,
            spread,
            own,
            causes,
            roofline,
        });
    }
    if setting.model == Model::Extended {
        machine::add_used(rests, &described.rests, &needs);
    }
    Ok(versions)
}

/// The version that runs with these values: the changed one, unless they show that its guard fails.
fn version_that_runs(bound: &Bound<'_>) -> VersionId {
    let made = bound.summary().version_that_runs();
    let guard = bound.summary().version(made).map(|version| &version.guard[..]).unwrap_or_default();
    let fails = |least: &Polynomial| bound.at(least, &Vec::new()).is_ok_and(|value| value.get() < 0.0);
    match guard.iter().find(|(_, least)| fails(least)) {
        Some((text, _)) => {
            bound.note(format!("the loops run as they were written: {text} does not hold"));
            VersionId::AS_WRITTEN
        }
        None => made,
    }
}

/// How far a kernel's time may be off by what the host's is not off by, and why.
fn doubt(
    described: &Described<GpuMachine>,
    works: &[DeviceWork],
    reduction: Option<Seconds>,
    bound_by: BoundBy,
) -> Result<(Option<Spread>, Vec<Cause>), ModelError> {
    let machine = &described.machine;
    let (mut parts, mut causes) = (Vec::new(), vec![Cause::of_kernel(bound_by)]);
    let is_unsure = is_estimated(&described.rests);
    let unsure = if is_unsure { Spread::NONE.and(Cause::Estimates) } else { Spread::NONE };
    for work in works {
        let (spread, why) = model::spread(machine, &work.work, unsure)?;
        parts.push((of_kernel(&extended(machine, &work.work)?) * work.repeats, spread));
        let counts = |why: &Cause| *why != Cause::LoadsUnderWay || causes[0] == Cause::LatencyOfDevice;
        causes.extend(why.filter(counts).filter(|why| !causes.contains(why)));
    }
    if let Some(combining) = reduction {
        parts.push((combining, Spread::NONE.and(Cause::Reduction)));
        causes.push(Cause::Reduction);
    }
    let rests_on_rates = matches!(causes[0], Cause::CachesOfDevice | Cause::LatencyOfDevice);
    causes.extend((is_unsure && rests_on_rates).then_some(Cause::Estimates));
    Ok((Some(Spread::of_sum(&parts)), causes))
}

/// What teams take to combine, where a reduction goes across teams; the models of others do not know it.
fn combining(
    bound: &Bound<'_>,
    machines: &Machines,
    machine: &GpuMachine,
    launch: Launch,
    model: Model,
) -> Result<Option<Seconds>, PredictError> {
    let Some(bytes) = bound.summary().team_reduction.filter(|_| model == Model::Extended) else { return Ok(None) };
    let allocation = machine::link(&machines.link)?.machine.allocation.get();
    let seconds = Parameters::from(machine).combining(bytes, launch.teams.into(), allocation.into());
    Ok(Some(Seconds::new(seconds.get())))
}

/// With the time that teams take to combine, before that of the launch.
fn with_reduction(estimate: Estimate, reduction: Option<Seconds>) -> Result<Estimate, ModelError> {
    let Some(reduction) = reduction else { return Ok(estimate) };
    let mut terms = estimate.terms().to_vec();
    let equation = Equation::new("reduction + further 1024 teams * what they wait + the buffer's allocation", "input");
    terms.insert(terms.len() - 1, Term::new("reduction", equation, reduction));
    let is_most = reduction > of_kernel(&estimate);
    let bound = if is_most { BoundBy::Overhead } else { estimate.bound_by() };
    Estimate::of(terms, estimate.apart().to_vec(), estimate.assumptions().to_vec(), bound)
}

/// The time of a kernel, which is what its launch leaves of all.
fn of_kernel(estimate: &Estimate) -> Seconds {
    Seconds::new((estimate.total().get() - of_launch(estimate).get()).max(0.0))
}

fn of_launch(estimate: &Estimate) -> Seconds {
    let terms = estimate.terms().iter().filter(|term| term.name == "launch");
    Seconds::new(terms.map(|term| term.value).sum::<f64>() + 0.0)
}

impl DevicePrediction {
    /// The part of the time that is the kernel's.
    pub fn kernel(&self) -> Seconds {
        of_kernel(&self.estimate)
    }

    /// The part of the time that is the launch's.
    pub fn launching(&self) -> Seconds {
        of_launch(&self.estimate)
    }
}

/// What of a description the work uses.
fn needs_of(work: &Work) -> BTreeSet<NeededFor> {
    let classes = work.instructions.iter().filter(|(_, count)| **count > 0.0).map(|(class, _)| *class);
    let of_access = work.accesses.iter().map(|access| access.kind.class());
    let mut needs: BTreeSet<NeededFor> = classes.chain(of_access).map(NeededFor::Class).collect();
    if work.barriers > 0.0 {
        needs.insert(NeededFor::Barriers);
    }
    if work.sections > 0.0 || work.accesses.iter().any(|access| access.updates > 1.0) {
        needs.insert(NeededFor::Updates);
    }
    if work.requests > 0 {
        needs.insert(NeededFor::DynamicSchedule);
    }
    needs
}

/// The kernel's shared loops one after another, and one launch.
fn together(
    works: &[DeviceWork],
    machine: &GpuMachine,
    mut of: impl FnMut(&DeviceWork) -> Result<Estimate, ModelError>,
) -> Result<Estimate, ModelError> {
    let mut terms = Vec::new();
    let mut apart = Vec::new();
    let mut assumptions: Vec<Assumption> = Vec::new();
    let mut largest = (0.0, BoundBy::Nothing);
    for work in works {
        let estimate = of(work)?;
        let is_launch = |term: &&Term| term.name == "launch";
        let own: Vec<Term> = estimate.terms().iter().filter(|term| !is_launch(term)).cloned().collect();
        let time: f64 = own.iter().map(|term| term.value).sum::<f64>() * work.repeats;
        if time > largest.0 {
            largest = (time, estimate.bound_by());
        }
        if works.len() == 1 && work.repeats == 1.0 {
            terms.extend(own);
        } else {
            let how_often =
                Term::new("how often", Equation::new("iterations of the loops around", "input"), work.repeats);
            let equation = Equation::new("time of one * how often it is run", "extended");
            let name = format!("loop {}", work.name);
            terms.push(Term::new(name, equation, Seconds::new(time)).with_parts([how_often]).with_parts(own));
        }
        apart = estimate.apart().to_vec();
        for assumption in estimate.assumptions() {
            if !assumptions.contains(assumption) {
                assumptions.push(assumption.clone());
            }
        }
    }
    terms.push(Term::new("launch", Equation::new("launch", "input"), machine.launch));
    let bound = if largest.0 < machine.launch.get() { BoundBy::Overhead } else { largest.1 };
    Estimate::of(terms, apart, assumptions, bound)
}

/// Hong and Kim's model with the region's own counts.
fn published(
    machines: &Machines,
    machine: &GpuMachine,
    work: &DeviceWork,
    rests: &mut Vec<Rest>,
) -> Result<Estimate, ModelError> {
    let Work { launch, accesses, instructions, .. } = &work.work;
    let (mut coalesced, mut uncoalesced, mut transactions, mut bytes) = (0.0, 0.0, 0.0, 0.0);
    for (access, seen) in accesses.iter().zip(&work.published) {
        let executions = access.executions();
        bytes += executions * seen.bytes_of_warp;
        if seen.is_coalesced {
            coalesced += executions;
        } else {
            uncoalesced += executions;
            transactions += executions * access.sectors;
        }
    }
    let all = coalesced + uncoalesced;
    let is_barrier = |class: &InstructionClass| *class == InstructionClass::Barrier;
    let of_warp = if all > 0.0 { bytes / all } else { f64::from(machines.gpu.line.get()) };
    let parameters = machine::hong_kim_parameters(&machines.gpu, Bytes::new(of_warp)).map_err(|error| ModelError {
        parameter: "GPU",
        found: error.to_string(),
        expected: "a description with the model's parameters",
    })?;
    machine::add_used(rests, &parameters.rests, &BTreeSet::new());
    let occupancy = occupancy(&machine.limits, &work.work.needs)?;
    let (blocks, active_sms, active_blocks_per_sm) = spread(launch, machine, &occupancy);
    let counts = hong_kim::Work {
        comp_insts: instructions.iter().filter(|(class, _)| !is_barrier(class)).map(|(_, count)| count).sum(),
        coal_mem_insts: coalesced,
        uncoal_mem_insts: uncoalesced,
        synch_insts: work.work.barriers,
        uncoal_per_mw: if uncoalesced > 0.0 { (transactions / uncoalesced).max(1.0) } else { 1.0 },
        active_warps: (active_blocks_per_sm * occupancy.warps as f64 / occupancy.teams as f64).max(1.0),
        blocks,
        active_blocks_per_sm,
        active_sms,
        omp_rep: work.work.omp_rep as f64,
    };
    Ok(hong_kim(&parameters.machine, &counts)?.estimate)
}

fn spread(launch: &Launch, machine: &GpuMachine, occupancy: &Occupancy) -> (f64, f64, f64) {
    let blocks = launch.teams as f64;
    let active_sms = blocks.min(machine.sms as f64);
    (blocks, active_sms, (occupancy.teams as f64).min(blocks / active_sms))
}

/// Hong and Kim's model in the thesis's set-up: nothing but the kernels.
fn in_thesis(
    bound: &Bound<'_>,
    machines: &Machines,
    machine: &GpuMachine,
    version: VersionId,
    works: &[DeviceWork],
    rests: &mut Vec<Rest>,
) -> Result<Estimate, PredictError> {
    let described = machine::hong_kim_parameters(&machines.gpu, Bytes::new(f64::from(machines.gpu.line.get())))?;
    machine::add_used(rests, &described.rests, &BTreeSet::new());
    let of_thesis = bound.thesis_work(&machines.gpu.processor, &machines.cpu.processor, machine.sector.get(), version);
    let mut terms = Vec::new();
    let mut assumptions = vec![Assumption(format!(
        "as in the thesis: loops run {} iterations, conditions hold {} of the time, transfers and launches cost nothing",
        thesis::TRIPS_OF_A_LOOP,
        thesis::TAKEN
    ))];
    let mut largest = (0.0, BoundBy::Nothing);
    for (work, seen) in works.iter().zip(of_thesis) {
        let share =
            Share { omp_rep: work.work.omp_rep, busy_threads: work.work.busy_threads, requests: work.work.requests };
        let occupancy = occupancy(&machine.limits, &work.work.needs)?;
        let reading = thesis::Reading::IssueRate;
        let (uncoal, launch) = (seen.uncoal_per_mw, work.work.launch);
        let counts = thesis::work(&seen.instructions, reading, uncoal, machine.sms, launch, share, occupancy)?;
        let estimate = hong_kim(&described.machine, &counts)?.estimate;
        if estimate.total().get() > largest.0 {
            largest = (estimate.total().get(), estimate.bound_by());
        }
        terms.extend(estimate.terms().iter().cloned());
        assumptions.extend(estimate.assumptions().iter().cloned());
    }
    Ok(Estimate::of(terms, Vec::new(), assumptions, largest.1)?)
}
