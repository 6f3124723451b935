//! Predictions: a region with values, machines, and a choice of model make times for the host and for each version on the device.

mod compare;
mod device;
mod error;
mod host;
mod roofline;
mod setting;

use std::collections::BTreeSet;

use crate::estimate::{Assumption, Estimate};
use crate::machine::{self, NeededFor, Rest};
use crate::policy::Evidence;
use crate::quantity::{Bytes, Seconds};
use crate::spread::{Cause, Spread};
use crate::summary::{Bindings, Bound, MapSummary, RegionSummary};
use crate::transfer::{Direction, Mapped, Pages, Presence, transfer};

pub use compare::{Choice, Comparison};
pub use device::DevicePrediction;
pub use error::PredictError;
pub use host::{HostDoubt, HostPrediction};
pub use roofline::{OperationType, Roof, Roofline, Roofs};
pub use setting::{Machines, Model, Residence, Setting};

/// The times of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The region's function.
    pub function: String,
    /// Where it is.
    pub place: String,
    /// Why no launch runs on the host, where none does.
    pub stays: Option<String>,
    /// On the host.
    pub host: HostPrediction,
    /// On the device, version by version; or why there is none.
    pub device: Result<Vec<DevicePrediction>, String>,
    /// The data's way; nothing in the thesis's set-up.
    pub transfers: Estimate,
    /// The variables whose transfers are not among them, because nobody knows how much they map.
    pub without: Vec<String>,
    /// What was assumed of the region.
    pub notes: Vec<Assumption>,
    /// What the machines' parameters rest on that were used.
    pub rests: Vec<Rest>,
}

/// Predicts the times of a region.
///
/// # Errors
/// If values or parameters of the machines are missing, or the region has no loop that threads share.
pub fn predict(
    summary: &mut RegionSummary,
    bindings: &Bindings,
    machines: &Machines,
    setting: &Setting,
) -> Result<Prediction, PredictError> {
    let (function, place) = (summary.function.clone(), summary.place.clone());
    prediction(summary, bindings, machines, setting).map_err(|error| match error {
        PredictError::Model(error) => PredictError::Values { function, place, error },
        other => other,
    })
}

fn prediction(
    summary: &mut RegionSummary,
    bindings: &Bindings,
    machines: &Machines,
    setting: &Setting,
) -> Result<Prediction, PredictError> {
    let of_thesis = (setting.model == Model::Thesis).then(|| summary.not_of_thesis()).flatten();
    let unpredictable = summary.unpredictable.clone().or(of_thesis);
    let bound = summary.bind(bindings)?;
    let region = bound.summary();
    if region.phases().is_empty() {
        let reason = "it has no loop of which threads share the iterations";
        let reason = unpredictable.unwrap_or_else(|| reason.to_owned());
        return Err(PredictError::Nothing { function: region.function.clone(), place: region.place.clone(), reason });
    }
    let mut rests = Vec::new();
    let mut host = host::host(&bound, machines, setting, &mut rests)?;
    let device = match unpredictable {
        Some(reason) => Err(reason),
        None => Ok(device::versions(&bound, machines, setting, &mut rests)?),
    };
    let transfers = transfers(&bound, machines, setting, &mut rests)?;
    // Some of what both sides are off by shows when the device's is computed.
    if let Some(doubt) = &mut host.doubt {
        doubt.shared = Spread::NONE.with(&bound.causes());
    }
    Ok(Prediction {
        function: region.function.clone(),
        place: region.place.clone(),
        stays: region.stays.clone(),
        host,
        device,
        transfers,
        without: unknown_transfers(&bound, setting),
        notes: bound.notes().into_iter().map(Assumption).collect(),
        rests,
    })
}

impl Prediction {
    /// The version that the device runs: the changed one where the plugin changed it.
    pub fn device_version(&self) -> Option<&DevicePrediction> {
        let versions = self.device.as_ref().ok()?;
        versions.iter().find(|version| version.is_run).or(versions.first())
    }

    /// What was assumed of the region and by the models, each once.
    pub fn assumptions(&self) -> Vec<&Assumption> {
        let versions = self.device.iter().flatten().flat_map(|version| version.estimate.assumptions());
        let of_models = self.host.estimate.assumptions().iter().chain(versions);
        let mut all: Vec<&Assumption> = Vec::new();
        for assumption in self.notes.iter().chain(of_models).chain(self.transfers.assumptions()) {
            if !all.contains(&assumption) {
                all.push(assumption);
            }
        }
        all
    }

    /// How far the transfers' time may be off; none for models of others, and where nothing moves.
    pub fn transfers_spread(&self) -> Option<Spread> {
        let is_reported = self.host.doubt.is_some() && self.transfers.total() > Seconds::ZERO;
        is_reported.then(|| Spread::NONE.and(Cause::Transfers))
    }

    /// How far the device's time may be off, with launch and transfers; none for models of others.
    pub fn device_spread(&self, version: &DevicePrediction) -> Option<Spread> {
        Some(self.with_kernel(version, version.spread?))
    }

    /// The same, if the kernel's may be off so much.
    fn with_kernel(&self, version: &DevicePrediction, spread: Spread) -> Spread {
        let of = |cause: Cause| Spread::NONE.and(cause);
        Spread::of_sum(&[
            (version.kernel(), spread),
            (version.launching(), of(Cause::Launch)),
            (self.transfers.total(), self.transfers_spread().unwrap_or(Spread::NONE)),
        ])
    }

    /// The host's time as it is [weighed](crate::policy) with that evidence; none where nothing is known of the device's.
    pub fn weighed(&self, evidence: &Evidence) -> Option<Seconds> {
        let (version, doubt) = (self.device_version()?, self.host.doubt.as_ref()?);
        let of_device = self.with_kernel(version, version.own?);
        // What both are off by may cancel out or not: it counts once.
        Some(Seconds::new(evidence.weighed(&doubt.side, of_device.square() + doubt.shared.square()).get()))
    }

    /// Where a launch runs that may choose; none where nothing is known of the device's time.
    pub fn launch_choice(&self) -> Option<Choice> {
        let is_host = self.weighed(&Evidence::OF_CASES)? < self.device_total()?;
        Some(if is_host { Choice::Host } else { Choice::Device })
    }

    /// The device's time with launch and transfers.
    pub fn device_total(&self) -> Option<Seconds> {
        Some(self.device_version()?.estimate.total() + self.transfers.total())
    }

    /// Whether no loop that threads share has an iteration.
    pub fn is_idle(&self) -> bool {
        let mut works = self.device.iter().flatten().flat_map(|version| &version.works);
        self.device.is_ok() && works.all(|work| work.repeats == 0.0 || work.work.iterations == 0)
    }

    /// Who is faster; none where the device has no time.
    pub fn comparison(&self) -> Option<Comparison> {
        Some(Comparison::of(self.host.estimate.total(), self.device_total()?))
    }
}

/// The variables of which something is moved and nobody knows how much.
fn unknown_transfers(bound: &Bound<'_>, setting: &Setting) -> Vec<String> {
    if setting.model == Model::Thesis || setting.resident == Residence::OnTheDevice {
        return Vec::new();
    }
    let moves = |map: &&MapSummary| {
        let is_moved = matches!(map.direction, Some(Direction::To | Direction::From | Direction::ToFrom));
        is_moved && !map.by_value && !setting.present.contains(&map.name)
    };
    let maps = bound.summary().maps.iter().filter(moves);
    maps.filter(|map| !bound.is_size_known(map)).map(|map| map.name.clone()).collect()
}

fn transfers(
    bound: &Bound<'_>,
    machines: &Machines,
    setting: &Setting,
    rests: &mut Vec<Rest>,
) -> Result<Estimate, PredictError> {
    if setting.model == Model::Thesis {
        return Ok(Estimate::of(Vec::new(), Vec::new(), Vec::new(), crate::estimate::Bound::Nothing)?);
    }
    let described = machine::link(&machines.link)?;
    let mut maps = Vec::new();
    for map in bound.summary().maps.iter().filter(|map| !map.by_value) {
        let (Some(direction), Some(bytes)) = (map.direction, bound.mapped_bytes(&map.name)) else { continue };
        let is_present = setting.resident == Residence::OnTheDevice || setting.present.contains(&map.name);
        maps.push(Mapped {
            name: map.name.clone(),
            bytes: Bytes::new(bytes.get()),
            direction,
            presence: if is_present { Presence::Present } else { Presence::New },
            pages: setting.pages,
        });
    }
    if maps.iter().any(|map| map.presence == Presence::New) {
        let pages = match setting.pages {
            Pages::Pinned => NeededFor::Pinned,
            Pages::Pageable => NeededFor::Pageable,
        };
        machine::add_used(rests, &described.rests, &BTreeSet::from([pages, NeededFor::Allocation]));
    }
    Ok(transfer(&described.machine, &maps)?)
}
