//! Closed forms of predictions: the times of a region as a [`Form`] over its captured variables and the machines.
//!
//! What a closed form does otherwise than a prediction with numbers is in `docs/models.md`.

mod access;
mod device;
mod host;
mod host_traffic;
mod machine;
mod pattern;
mod reach;

use std::collections::BTreeMap;

use ipda_symbolic::Polynomial;

use crate::estimate::Assumption;
use crate::form::{Form, Leaf, Num, record};
use crate::gpu::Pipe;
use crate::machine::gpu_machine;
use crate::predict::{Comparison, Machines, PredictError, Residence, Setting};
use crate::quantity::Seconds;
use crate::report::InstructionClass;
use crate::summary::{Bound, Group, Point, RegionSummary, varies_with};
use crate::transfer::{Direction, Pages};

pub use machine::machine_values;

/// The times of a region, to be evaluated at a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Closed {
    /// Its results are the host's seconds, the device's with launch and transfers, those of the kernel alone, and of transfers alone.
    pub form: Form,
    /// What was assumed.
    pub notes: Vec<Assumption>,
}

/// What a form says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// On the host.
    pub host: Seconds,
    /// On the device, with launch and transfers, of the version that runs.
    pub device: Seconds,
    /// Of the kernel alone.
    pub kernel: Seconds,
    /// Of the transfers alone.
    pub transfers: Seconds,
}

impl Times {
    /// Who is faster.
    pub fn comparison(&self) -> Comparison {
        Comparison::of(self.host, self.device)
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
        let seconds = |at: usize| Seconds::new(results.get(at).copied().unwrap_or(f64::NAN));
        Times { host: seconds(0), device: seconds(1), kernel: seconds(2), transfers: seconds(3) }
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
    let gpu = gpu_machine(&machines.gpu)?.machine;
    let keys = machine::Keys::of(machines)?;
    let cpu = crate::machine::cpu_machine(&machines.cpu)?.machine;
    let (form, notes) = record(|| {
        let bound = summary.bind_later();
        let builder = Builder {
            bound: &bound,
            keys: &keys,
            machines,
            setting,
            pipes: gpu.costs.iter().map(|(class, cost)| (*class, cost.pipe)).collect(),
            lanes: summary.lanes.into(),
            sector: machines.gpu.sector.get().into(),
            line: machines.gpu.line.get().into(),
            cpu_line: cpu.line.get(),
            page: cpu.tlb.page.get(),
        };
        let (kernel, transfers) = (builder.kernel()?, builder.transfers());
        let device = kernel + transfers + keys.leaf("gpu.launch");
        let results = vec![builder.host(), device, kernel, transfers];
        let notes = bound.notes().into_iter().map(Assumption).collect();
        Ok::<_, PredictError>((results, notes))
    })?;
    Ok(Closed { form, notes })
}

/// What all parts of a closed form are made from.
struct Builder<'a> {
    bound: &'a Bound<'a>,
    keys: &'a machine::Keys,
    machines: &'a Machines,
    setting: &'a Setting,
    pipes: BTreeMap<InstructionClass, Pipe>,
    lanes: f64,
    /// Of the device, in bytes.
    sector: f64,
    line: f64,
    /// Of the host.
    cpu_line: f64,
    page: f64,
}

/// The iterations of a loop at which conditions are tried.
const TRIED: u32 = 4;
/// The same of each loop, where conditions depend on several.
const TRIED_OF_SEVERAL: u32 = 2;

impl Builder<'_> {
    fn summary(&self) -> &RegionSummary {
        self.bound.summary()
    }

    /// How likely an access's conditions hold, on average over the loops around it.
    fn likelihood(&self, group: &Group, loops: &[usize]) -> Num {
        let expressions: Vec<&Polynomial> =
            group.conditions.iter().filter_map(|condition| condition.expression()).collect();
        let summary = self.summary();
        let varies = |l: &&usize| expressions.iter().any(|p| varies_with(&summary.space, p, summary.loops[**l].index));
        let varying: Vec<usize> = loops.iter().filter(varies).copied().collect();
        let tried = if varying.len() > 1 { TRIED_OF_SEVERAL } else { TRIED };
        let mut points = vec![(Point::new(), 1.0)];
        for of in varying {
            let at = |(point, share): &(Point, f64)| {
                let trips = self.bound.trips(of, point);
                let with = |number: u32| {
                    let number = (trips * ((f64::from(number) + 0.5) / f64::from(tried))).floor();
                    let point = point.iter().copied().chain([(summary.loops[of].index, number)]).collect();
                    (point, share / f64::from(tried))
                };
                (0..tried).map(with).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(at).collect();
        }
        points.iter().map(|(point, share)| self.bound.chance(&group.conditions, point) * *share).sum()
    }

    fn transfers(&self) -> Num {
        let link = |key: &str| self.keys.leaf(&format!("link.{key}"));
        let (to, from) = match self.setting.pages {
            Pages::Pinned => ("to_device", "from_device"),
            Pages::Pageable => ("to_device_pageable", "from_device_pageable"),
        };
        let of_direction = |direction: Direction| match direction {
            Direction::To => vec![to],
            Direction::From => vec![from],
            Direction::ToFrom => vec![to, from],
            Direction::Alloc => vec![],
        };
        let (mut time, mut bytes_of_all, mut each) = (Num::ZERO, Num::ZERO, Num::ZERO);
        for map in self.summary().maps.iter().filter(|map| !map.by_value) {
            let (Some(direction), Some(bytes)) = (map.direction, self.bound.mapped_bytes(&map.name)) else { continue };
            if self.setting.resident == Residence::OnTheDevice || self.setting.present.contains(&map.name) {
                continue;
            }
            let ways = of_direction(direction);
            let once = link("latency") * ways.len() as f64 + link("allocation");
            time += bytes * ways.into_iter().map(|rate| 1.0 / link(rate)).sum::<Num>();
            match bytes.known() {
                Some(_) => time += once,
                None => {
                    bytes_of_all += bytes;
                    each += once;
                }
            }
        }
        // Where there are no bytes, nothing is mapped.
        time + bytes_of_all.min(1.0) * each
    }
}
