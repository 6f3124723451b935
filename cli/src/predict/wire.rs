//! Predictions for programs, times in seconds.

use std::collections::BTreeMap;

use ipda_models::machine;
use ipda_models::predict::{Machines, OperationType, Prediction, Roofline, Roofs};
use ipda_models::spread::{Cause, Spread};
use ipda_models::{Assumption, Estimate, Term, Unit};
use serde::Serialize;

use super::sweep::{Side, Swept, faster};
use super::verdict;
use crate::document::Detail;

/// Changes where an old reader would misread the text.
const VERSION: u32 = 1;

/// All predictions.
#[derive(Serialize)]
pub struct Document<'a> {
    ipda_prediction: u32,
    regions: &'a [Record],
}

impl Document<'_> {
    /// Of regions.
    pub fn new(regions: &[Record]) -> Document<'_> {
        Document { ipda_prediction: VERSION, regions }
    }
}

/// A region.
#[derive(Serialize)]
pub struct Record {
    source: String,
    function: String,
    location: String,
    gpu: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    roofs: Option<RoofsRecord>,
    cpu: String,
    link: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<&'static str>,
    /// Where a launch runs under IPDA_OFFLOAD=model: on the device as well where the host is predicted to be faster and that is in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    launch: Option<&'static str>,
    /// Variables whose transfers are not counted, since nobody knows how much they map; only the host is then a choice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    without_transfers_of: Vec<String>,
    host: HostRecord,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    device: Vec<DeviceRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_device: Option<String>,
    transfers: TransfersRecord,
    assumptions: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sweep: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crossings: Vec<Crossing>,
}

#[derive(Serialize)]
struct HostRecord {
    teams: u64,
    threads: u64,
    #[serde(flatten)]
    doubt: DoubtRecord,
    #[serde(flatten)]
    time: Time,
}

#[derive(Serialize)]
struct DeviceRecord {
    /// The name of its recipe.
    version: String,
    runs: bool,
    teams: u64,
    threads: u64,
    /// With transfers.
    total: f64,
    /// The factor within which the time with transfers is expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_within: Option<f64>,
    #[serde(flatten)]
    doubt: DoubtRecord,
    #[serde(flatten)]
    time: Time,
    #[serde(skip_serializing_if = "Option::is_none")]
    roofline: Option<RooflineRecord>,
}

#[derive(Serialize)]
struct TransfersRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    #[serde(flatten)]
    time: Time,
}

/// How far a time may be off.
#[derive(Serialize)]
struct DoubtRecord {
    /// The factor within which it is expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<f64>,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    doubts: Vec<CauseRecord>,
}

#[derive(Serialize)]
struct CauseRecord {
    cause: &'static str,
    factor: f64,
}

impl DoubtRecord {
    fn new(spread: Option<Spread>, causes: &[Cause]) -> DoubtRecord {
        let doubts = causes.iter().map(|cause| CauseRecord { cause: cause.name(), factor: cause.factor() }).collect();
        DoubtRecord { within: spread.map(Spread::factor), doubts }
    }
}

/// What the kernel computes and moves, and how near it comes to what the device can do at most.
#[derive(Serialize)]
struct RooflineRecord {
    memory_bytes: f64,
    l2_bytes: f64,
    /// By class.
    operations: BTreeMap<&'static str, f64>,
    /// The same by type.
    operations_by_type: BTreeMap<&'static str, f64>,
    /// Operations on floats for each byte of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    intensity: Option<f64>,
    /// Operations on floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations_per_second: Option<f64>,
    roof: String,
    share: f64,
}

/// What the device can do at most in a second.
#[derive(Serialize)]
struct RoofsRecord {
    memory_bytes: f64,
    l2_bytes: f64,
    operations_by_type: BTreeMap<&'static str, f64>,
}

#[derive(Serialize)]
struct Time {
    seconds: f64,
    bound_by: String,
    terms: Vec<TermRecord>,
}

#[derive(Serialize)]
struct TermRecord {
    name: String,
    value: f64,
    unit: &'static str,
    equation: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<TermRecord>,
}

#[derive(Serialize)]
struct Row {
    value: i64,
    host: f64,
    device: Option<f64>,
    choice: Option<&'static str>,
}

#[derive(Serialize)]
struct Crossing {
    from: i64,
    choice: &'static str,
}

impl Record {
    /// What was predicted for a region.
    pub fn new(
        source: &str,
        prediction: &Prediction,
        swept: Option<&Swept>,
        machines: &Machines,
        detail: Detail,
    ) -> Record {
        let versions = prediction.device.iter().flatten();
        let described = machine::gpu_machine(&machines.gpu).ok();
        let device = versions.map(|version| DeviceRecord {
            version: version.recipe.name(),
            runs: version.is_run,
            teams: version.launch.teams,
            threads: version.launch.threads,
            total: (version.estimate.total() + prediction.transfers.total()).get(),
            total_within: prediction.device_spread(version).map(Spread::factor),
            doubt: DoubtRecord::new(version.spread, &version.causes),
            time: time(&version.estimate, detail),
            roofline: version.roofline.as_ref().map(roofline),
        });
        let mut assumptions: Vec<String> = prediction.assumptions().into_iter().map(|each| each.0.clone()).collect();
        match detail {
            Detail::Brief => {
                assumptions.extend(machine::in_short(&prediction.rests).into_iter().map(|Assumption(text)| text))
            }
            Detail::Full => {
                assumptions.extend(prediction.rests.iter().map(|rest| format!("{}: {}", rest.device, rest.text)));
            }
        }
        let known = |side: Side| verdict::known(side, &prediction.without);
        let row = |(value, host, device): &(i64, f64, Option<f64>)| Row {
            value: *value,
            host: *host,
            device: *device,
            choice: faster(*host, *device).and_then(known).map(Side::name),
        };
        Record {
            source: source.to_owned(),
            function: prediction.function.clone(),
            location: prediction.place.clone(),
            gpu: machines.gpu.name.clone(),
            roofs: described.map(|described| roofs(&Roofs::of(&described.machine))),
            cpu: machines.cpu.name.clone(),
            link: machines.link.name.clone(),
            choice: prediction
                .comparison()
                .and_then(|comparison| known(comparison.choice().map_or(Side::Neither, Side::from)))
                .map(Side::name),
            launch: prediction.launch_choice().map(|choice| Side::from(choice).name()),
            without_transfers_of: prediction.without.clone(),
            host: HostRecord {
                teams: prediction.host.threads.teams,
                threads: prediction.host.threads.threads,
                doubt: match &prediction.host.doubt {
                    Some(doubt) => DoubtRecord::new(Some(doubt.spread), &doubt.causes),
                    None => DoubtRecord::new(None, &[]),
                },
                time: time(&prediction.host.estimate, detail),
            },
            device: device.collect(),
            no_device: prediction.device.as_ref().err().cloned(),
            transfers: TransfersRecord {
                within: prediction.transfers_spread().map(Spread::factor),
                time: time(&prediction.transfers, detail),
            },
            assumptions,
            sweep: swept.map(|swept| swept.rows.iter().map(row).collect()).unwrap_or_default(),
            crossings: swept
                .filter(|_| prediction.without.is_empty())
                .map(|swept| {
                    swept.crossings.iter().map(|(from, to)| Crossing { from: *from, choice: to.name() }).collect()
                })
                .unwrap_or_default(),
        }
    }
}

fn by_type(count: impl Fn(OperationType) -> Option<f64>) -> BTreeMap<&'static str, f64> {
    OperationType::ALL.into_iter().filter_map(|each| Some((each.name(), count(each)?))).collect()
}

fn roofline(of: &Roofline) -> RooflineRecord {
    RooflineRecord {
        memory_bytes: of.memory.get(),
        l2_bytes: of.l2.get(),
        operations: of.operations.iter().map(|(class, count)| (class.name(), *count)).collect(),
        operations_by_type: by_type(|each| Some(of.of_type(each)).filter(|count| *count > 0.0)),
        intensity: of.intensity(),
        operations_per_second: of.is_counted().then(|| of.rate()),
        roof: of.roof.to_string(),
        share: of.share,
    }
}

fn roofs(of: &Roofs) -> RoofsRecord {
    RoofsRecord {
        memory_bytes: of.memory.get(),
        l2_bytes: of.l2.get(),
        operations_by_type: by_type(|each| of.of_type(each)),
    }
}

fn time(estimate: &Estimate, detail: Detail) -> Time {
    Time {
        seconds: estimate.total().get(),
        bound_by: estimate.bound_by().to_string(),
        terms: estimate.terms().iter().map(|of| term(of, detail)).collect(),
    }
}

fn term(of: &Term, detail: Detail) -> TermRecord {
    TermRecord {
        name: of.name.clone(),
        value: of.value,
        unit: match of.unit {
            Unit::Seconds => "s",
            Unit::Cycles => "cycles",
            Unit::Bytes => "bytes",
            Unit::BytesPerSecond => "bytes/s",
            Unit::Count => "",
        },
        equation: format!("{} ({})", of.equation.text, of.equation.source),
        terms: match detail {
            Detail::Brief => Vec::new(),
            Detail::Full => of.children.iter().map(|child| term(child, detail)).collect(),
        },
    }
}
