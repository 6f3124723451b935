//! Closed forms of predictions: the times of a region as a [`Form`] over its captured variables and the machines.
//!
//! They are the models' own equations ([`crate::summary`], [`crate::cpu`], [`crate::gpu`]), recorded instead of carried out. What differs from
//! a prediction with numbers is in `docs/research/models.md`.

mod machine;

use std::collections::BTreeMap;

use crate::cpu::extended as host;
use crate::cpu::{ClausesLater, ProcessLater, threads_later};
use crate::error::ModelError;
use crate::estimate::Assumption;
use crate::form::{Form, Leaf, Num, record};
use crate::gpu::extended::Parts;
use crate::policy::{Evidence, Host};
use crate::predict::{Choice, Comparison, Machines, PredictError, Residence, Setting};
use crate::quantity::Seconds;
use crate::report::InstructionClass;
use crate::spread::{Cause, of_sum};
use crate::summary::{Bound, Grain, OnDevice, OnHost, PhaseOnDevice, PhaseOnHost, RegionSummary, Room};
use crate::table::{self, DEVICE};
use crate::transfer::{Moves, Rates};
use crate::versions::VersionId;

pub use machine::machine_values;

use machine::Numbers;

/// The most loops inside one another for which a form is made: averages over iterations that others decide take steps without end in deeper ones.
const DEEPEST: usize = 32;

/// The times of a region, to be evaluated at a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// Its results are those of [`table::Prediction::form`], and behind them for each version the seconds of the kernel alone.
    pub form: Form,
    /// The versions that a launch may take.
    pub versions: Vec<VersionId>,
    /// What was assumed.
    pub notes: Vec<Assumption>,
    /// The guesses among that, without their reasons: how many iterations loops run whose trip counts are not known.
    pub guesses: Vec<String>,
}

/// What a form says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// On the host.
    pub host: Seconds,
    /// On the device, with launch and transfers, of the version that takes least.
    pub device: Seconds,
    /// Of its kernel alone.
    pub kernel: Seconds,
    /// Of the transfers alone.
    pub transfers: Seconds,
    /// On the host, as it is [weighed](crate::policy) for the launch's choice.
    pub weighed: Seconds,
}

impl Times {
    /// Who is faster.
    pub fn comparison(&self) -> Comparison {
        Comparison::of(self.host, self.device)
    }

    /// Where a launch runs that may choose.
    pub fn choice(&self) -> Choice {
        if self.weighed < self.device { Choice::Host } else { Choice::Device }
    }
}

impl Closed {
    /// The times with these values: of the machines, of captured variables, and of what `omp_get_max_threads` gives.
    pub fn times(
        &self,
        machines: &BTreeMap<String, f64>,
        captured: impl Fn(&str) -> Option<f64>,
        host_threads: f64,
    ) -> Times {
        let results = self.form.evaluate(|leaf| match leaf {
            Leaf::Machine(key) => machines.get(key).copied(),
            Leaf::Captured(name) => captured(name),
            Leaf::HostThreads => Some(host_threads),
        });
        let launch = table::Seconds::of(&results, &self.versions).expect("a form has a version");
        let version = self.versions.iter().position(|version| *version == launch.version);
        let kernel = version.map_or(f64::NAN, |at| results[DEVICE + self.versions.len() + at]);
        let [host, device, kernel, transfers, weighed] =
            [launch.host, launch.device, kernel, launch.transfers, launch.weighed].map(Seconds::new);
        Times { host, device, kernel, transfers, weighed }
    }
}

/// The times of a region as a form over captured variables, the machines' parameters ([`machine_values`]) and the host's threads. Of the
/// machines only what their names stand for counts: which code of the device and of the host they run, and the units in which they move
/// memory.
///
/// # Errors
/// If parameters of the machines are missing, or the region has no loop that threads share.
pub fn closed(summary: &RegionSummary, machines: &Machines, setting: &Setting) -> Result<Closed, PredictError> {
    let nothing = |reason: &str| PredictError::Nothing {
        function: summary.function.clone(),
        place: summary.place.clone(),
        reason: reason.to_owned(),
    };
    if let Some(reason) = &summary.unpredictable {
        return Err(nothing(reason));
    }
    if summary.phases().is_empty() {
        return Err(nothing("it has no loop of which threads share the iterations"));
    }
    let is_ambiguous = |name: &&String| summary.inputs.iter().filter(|input| input.name == **name).count() > 1;
    if let Some(name) = summary.names().iter().find(is_ambiguous) {
        return Err(nothing(&format!("several of its captured variables are called {name}")));
    }
    if (0..summary.loops.len()).any(|index| summary.chain(Some(index)).len() > DEEPEST) {
        return Err(nothing(&format!("more than {DEEPEST} of its loops are inside one another")));
    }
    let (form, (versions, notes, guesses)) = record(|| {
        let bound = summary.bind_later();
        let numbers = Numbers::later(machines, summary.lanes)?;
        let builder = Builder { bound: &bound, numbers: &numbers, machines, setting };
        let (version, (kernel, of_kernel)) = builder.kernel()?;
        let transfers = builder.transfers();
        let (host, of_host) = builder.host();
        let device = kernel + transfers + numbers.launch;
        let of_launch = Num::new(Cause::Launch.square());
        let of_transfers = Num::new(Cause::Transfers.square());
        let parts_of_device =
            |of_kernel: Num| of_sum(&[(kernel, of_kernel), (numbers.launch, of_launch), (transfers, of_transfers)]);
        let of_device = parts_of_device(of_kernel);
        // What both sides share may cancel out or not: it counts once.
        let shared: f64 = bound.causes().into_iter().map(Cause::square).sum();
        let shared = bound.square_of_unread() + shared;
        let weighed = Evidence::OF_CASES.weighed(&builder.on_host(host, of_host), of_device + shared);
        let squares = [builder.on_host(host, of_host + shared).square_in_all(), parts_of_device(of_kernel + shared)];
        let results = [&[host, transfers, weighed][..], &squares, &[device, kernel]].concat();
        let versions = vec![version];
        let notes = bound.notes().into_iter().map(Assumption).collect();
        Ok::<_, PredictError>((results, (versions, notes, bound.guesses())))
    })?;
    Ok(Closed { form, versions, notes, guesses })
}

/// What all parts of a closed form are made from.
struct Builder<'a> {
    bound: &'a Bound<'a>,
    numbers: &'a Numbers,
    machines: &'a Machines,
    setting: &'a Setting,
}

impl Builder<'_> {
    fn summary(&self) -> &RegionSummary {
        self.bound.summary()
    }

    /// The version that a launch takes, with the time of its kernel, without its launch, and the square of that time's spread. Between loops as
    /// written and fused ones the kernel's guard chooses: its time is that of the fused ones.
    fn kernel(&self) -> Result<(VersionId, (Num, Num)), ModelError> {
        let Machines { gpu: described, .. } = self.machines;
        let grain = Grain { sector: described.sector.get().into(), line: described.line.get().into() };
        let Numbers { limits, gpu, .. } = self.numbers;
        let room = Room { limits: *limits, multiprocessors: gpu.multiprocessors };
        let device = OnDevice {
            bound: self.bound,
            processor: &described.processor,
            runtime: &self.numbers.runtime,
            grain,
            room: Some(&room),
        };
        let version = self.summary().version_that_runs();
        let (version, phases) = match device.phases(version) {
            Some(phases) => (version, phases),
            None => (VersionId::AS_WRITTEN, device.phases(VersionId::AS_WRITTEN).unwrap_or_default()),
        };
        Ok((version, self.of_phases(phases)?))
    }

    /// The time of a kernel of these phases, and the square of its spread.
    fn of_phases(&self, phases: Vec<PhaseOnDevice>) -> Result<(Num, Num), ModelError> {
        let Numbers { gpu, costs, .. } = self.numbers;
        let cost = |class: InstructionClass| costs.get(&class).copied();
        let mut times = Vec::new();
        if let (Some(bytes), Some(phase)) = (self.summary().team_reduction, phases.first()) {
            let combining = gpu.combining(bytes, phase.teams(), self.numbers.link["allocation"]);
            times.push((combining, Cause::Reduction.square().into()));
        }
        for phase in phases {
            let repeats = phase.repeats;
            let parts = Parts::of(gpu, &phase.kernel(), &cost)?;
            times.push((repeats * parts.seconds(gpu), parts.square(gpu, self.numbers.unsure[0])));
        }
        Ok((times.iter().map(|(time, _)| *time).sum(), of_sum(&times)))
    }

    /// The time of the host's version, and the square of its spread.
    fn host(&self) -> (Num, Num) {
        let (cpu, threads) = (&self.numbers.cpu, self.host_threads());
        let on_host = OnHost {
            bound: self.bound,
            parameters: cpu,
            width: self.numbers.width,
            is: &|name| self.numbers.is.get(name).copied(),
            threads,
            start: self.setting.start,
        };
        let part = |phase: PhaseOnHost| host::Part {
            parts: host::Parts::of(cpu, &phase.shared),
            repeats: phase.repeats,
            starts_threads: phase.starts_threads,
        };
        let parts: Vec<host::Part> = on_host.phases().into_iter().map(part).collect();
        let seconds = host::seconds(cpu, threads, &parts);
        (seconds, host::square(cpu, seconds, &parts, self.numbers.unsure[1]))
    }

    /// The host's side, whose time has this spread by the model.
    fn on_host(&self, seconds: Num, square: Num) -> Host {
        let threads = self.host_threads();
        let making = self.numbers.thread * (threads - 1.0).max(0.0);
        let shares_cores = threads.more(self.numbers.cpu.cores).number();
        let first_touch = if self.summary().fills_new_memory() { Cause::FirstTouch.square() } else { 0.0 };
        Host { seconds, square: square + first_touch, making, shares_cores }
    }

    fn host_threads(&self) -> Num {
        let [num_teams, thread_limit, num_threads] = self.bound.clauses().map(|clause| clause.map(|n| n.max(1.0)));
        let clauses = ClausesLater { has_teams: self.bound.has_teams().into(), num_teams, thread_limit, num_threads };
        // It may use all processors.
        let all = self.numbers.processors;
        let process = ProcessLater { most: all, available: all, usual: Num::leaf(Leaf::HostThreads) };
        let (teams, threads) = threads_later(&clauses, &process);
        teams * threads
    }

    fn transfers(&self) -> Num {
        let rates = Rates::of(self.setting.pages, |field| self.numbers.link[field]);
        let mapped = self.summary().maps.iter().filter(|map| !map.by_value);
        let moved = mapped.filter_map(|map| {
            let is_present =
                self.setting.resident == Residence::OnTheDevice || self.setting.present.contains(&map.name);
            let (direction, bytes) = (map.direction.filter(|_| !is_present)?, self.bound.mapped_bytes(&map.name)?);
            Some(Moves::of(&rates, bytes, direction).seconds())
        });
        moved.sum()
    }
}
