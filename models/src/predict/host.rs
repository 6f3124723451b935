//! The host's time.

use std::collections::BTreeSet;

use super::{Machines, Model, PredictError, Setting};
use crate::cpu::extended as model;
use crate::cpu::liao_chapman::{Parameters, Part, liao_chapman};
use crate::cpu::{CpuMachine, HostEnvironment, HostThreads, Schedule, Work, extended, host_threads};
use crate::error::ModelError;
use crate::estimate::{Assumption, Equation, Estimate, Term};
use crate::form::Num;
use crate::gpu::thesis;
use crate::machine::{self, Described, NeededFor, Rest};
use crate::policy;
use crate::quantity::{Cycles, Seconds};
use crate::spread::{Cause, Spread, is_estimated};
use crate::summary::{Bound, HostCost, HostWork};
use crate::versions::VersionId;

/// The host's time.
#[derive(Debug, Clone, PartialEq)]
pub struct HostPrediction {
    /// The time and its terms.
    pub estimate: Estimate,
    /// Who runs it.
    pub threads: HostThreads,
    /// What an iteration of each shared loop costs.
    pub costs: Vec<(String, HostCost)>,
    /// How far the time may be off; none for models of others.
    pub doubt: Option<HostDoubt>,
}

/// How far a time on the host may be off.
#[derive(Debug, Clone, PartialEq)]
pub struct HostDoubt {
    /// By which factor.
    pub spread: Spread,
    /// Why.
    pub causes: Vec<Cause>,
    /// As a choice of a launch takes it, which counts threads that are not made, and cores that are shared, for longer times.
    pub(super) side: policy::Host,
    /// By what the device's time is off by as well.
    pub(super) shared: Spread,
}

impl HostDoubt {
    /// Whether there are more threads than cores.
    pub fn shares_cores(&self) -> bool {
        self.side.shares_cores == Num::ONE
    }
}

pub(super) fn host(
    bound: &Bound<'_>,
    machines: &Machines,
    setting: &Setting,
    rests: &mut Vec<Rest>,
) -> Result<HostPrediction, PredictError> {
    let described = machine::cpu_machine(&machines.cpu)?;
    let machine = &described.machine;
    let threads = threads(bound, machine, setting)?;
    let processor = machines.cpu.processor.as_str();
    let width = machines.cpu.chip.issue_width.as_ref().ok().map(|width| width.get().get() as f64);
    let works = bound.host_work(machine, processor, width, threads.all());
    let is_dynamic = |work: &HostWork| matches!(work.work.schedule, Schedule::Dynamic(_) | Schedule::Guided(_));
    let mut needs = BTreeSet::new();
    if works.iter().any(is_dynamic) {
        needs.insert(NeededFor::DynamicSchedule);
    }
    if threads.all() > machine.cores {
        needs.insert(NeededFor::SharedCores);
    }
    let estimates = match setting.model {
        Model::Extended => {
            machine::add_used(rests, &described.rests, &needs);
            let one = |works: Vec<&HostWork>| {
                let loops = works.into_iter().map(|work| work.work.clone()).collect();
                extended(machine, &Work { threads: threads.all(), loops, start: setting.start })
            };
            estimates(&works, one)?
        }
        Model::Published | Model::Thesis => {
            let parameters = machine::liao_chapman_parameters(&machines.cpu)?;
            machine::add_used(rests, &parameters.rests, &needs);
            published(bound, machines, setting, &works, (&parameters.machine, threads.all()))?
        }
    };
    let costs = works.iter().map(|work| (work.work.name.clone(), work.cost.clone())).collect();
    let doubt =
        (setting.model == Model::Extended).then(|| doubt(bound, &described, &works, &estimates, threads, setting));
    Ok(HostPrediction { estimate: estimates, threads, costs, doubt })
}

/// The time by the published model, with so many threads: of the code, or of the thesis's set-up of it.
fn published(
    bound: &Bound<'_>,
    machines: &Machines,
    setting: &Setting,
    works: &[HostWork],
    (parameters, threads): (&Parameters, u64),
) -> Result<Estimate, ModelError> {
    let processor = machines.cpu.processor.as_str();
    let of_thesis = (setting.model == Model::Thesis).then(|| {
        bound.thesis_work(&machines.gpu.processor, processor, machines.gpu.sector.get().into(), VersionId::AS_WRITTEN)
    });
    let cycles = |work: &HostWork| {
        let number = works.iter().position(|other| other == work).unwrap_or_default();
        match of_thesis.as_ref().and_then(|all| all.get(number)) {
            Some(thesis) => {
                let at = |(loops, cycles): (u32, &f64)| cycles * thesis::executions(loops, 0);
                Cycles::new((0_u32..).zip(&thesis.host_cycles).map(at).sum())
            }
            None => {
                let of_thread = (work.work.iterations as f64 / threads as f64).max(1.0);
                work.work.cycles_per_iteration + work.work.cycles_once / of_thread
            }
        }
    };
    let part = |work: &HostWork| Part {
        name: work.work.name.clone(),
        iterations: work.work.iterations,
        schedule: work.work.schedule,
        machine_per_iter: cycles(work),
        cache_per_iter: Cycles::ZERO,
        pages_per_chunk: if setting.model == Model::Thesis { 0.0 } else { work.pages / threads as f64 },
        ordered: Cycles::ZERO,
        reduction: Cycles::ZERO,
    };
    let one = |works: Vec<&HostWork>| {
        let parts: Vec<Part> = works.into_iter().map(part).collect();
        liao_chapman(parameters, threads, &parts)
    };
    estimates(works, one)
}

/// How far the time may be off, and why.
fn doubt(
    bound: &Bound<'_>,
    described: &Described<CpuMachine>,
    works: &[HostWork],
    estimate: &Estimate,
    threads: HostThreads,
    setting: &Setting,
) -> HostDoubt {
    let machine = &described.machine;
    let loops = works.iter().map(|work| work.work.clone()).collect();
    let is_unsure = is_estimated(&described.rests);
    let unsure = if is_unsure { Spread::NONE.and(Cause::Estimates) } else { Spread::NONE };
    let by_model = model::spread(machine, &Work { threads: threads.all(), loops, start: setting.start }, unsure);
    let mut causes = vec![Cause::of_host(estimate.bound_by())];
    let estimates = (is_unsure && causes[0] != Cause::OverheadOfHost).then_some(Cause::Estimates);
    let first_touch = bound.summary().fills_new_memory().then_some(Cause::FirstTouch);
    let own = by_model.with(first_touch.as_slice());
    let shared = bound.causes();
    causes.extend(estimates.into_iter().chain(first_touch).chain(shared.iter().copied()));
    let shares_cores = threads.all() > machine.cores;
    let making = machine.thread.map_or(0.0, |thread| thread.get() * threads.all().saturating_sub(1) as f64);
    let half = Seconds::new(making / 2.0);
    let mut spread =
        Spread::of_sum(&[(estimate.total(), own.with(&shared)), (half, Spread::NONE.and(Cause::ThreadsNotMade))]);
    causes.extend((half > Seconds::ZERO).then_some(Cause::ThreadsNotMade));
    if shares_cores {
        spread = spread.and(Cause::SharedCores);
        causes.push(Cause::SharedCores);
    }
    let side = policy::Host {
        seconds: estimate.total().get().into(),
        square: own.square(),
        making: making.into(),
        shares_cores: if shares_cores { Num::ONE } else { Num::ZERO },
    };
    HostDoubt { spread, causes, side, shared: Spread::NONE.with(&shared) }
}

fn threads(bound: &Bound<'_>, machine: &CpuMachine, setting: &Setting) -> Result<HostThreads, ModelError> {
    let processors = machine.cores.saturating_mul(machine.smt_throughput.len() as u64);
    let environment = HostEnvironment { num_threads: setting.threads, ..HostEnvironment::of(processors) };
    host_threads(bound.host_request(), &environment)
}

/// All loops in one region; or, where some are run again and again, each for itself, times how often.
fn estimates(
    works: &[HostWork],
    one: impl Fn(Vec<&HostWork>) -> Result<Estimate, ModelError>,
) -> Result<Estimate, ModelError> {
    if works.iter().all(|work| work.repeats.is_none()) {
        return one(works.iter().collect());
    }
    let (mut terms, mut assumptions): (Vec<Term>, Vec<Assumption>) = (Vec::new(), Vec::new());
    let mut largest: Option<(f64, Estimate)> = None;
    for work in works {
        let (estimate, repeats) = (one(vec![work])?, work.repeats.unwrap_or(1.0));
        for term in estimate.terms() {
            let once = !work.starts_threads && matches!(term.name.as_str(), "fork" | "join" | "Fork" | "Join");
            let (times, text) = if once { (1.0, "once") } else { (repeats, "time of one * how often it is run") };
            let time = Seconds::new(term.value * times);
            terms.push(Term::new(term.name.clone(), Equation::new(text, "extended"), time).with_parts([
                Term::new("how often", Equation::new("iterations of the loops around", "input"), times),
                term.clone(),
            ]));
        }
        for assumption in estimate.assumptions() {
            if !assumptions.contains(assumption) {
                assumptions.push(assumption.clone());
            }
        }
        let time = estimate.total().get() * repeats;
        if largest.as_ref().is_none_or(|(longest, _)| time > *longest) {
            largest = Some((time, estimate));
        }
    }
    let bound = largest.map_or(crate::estimate::Bound::Nothing, |(_, estimate)| estimate.bound_by());
    Estimate::of(terms, Vec::new(), assumptions, bound)
}
