//! Regions of a report under the roofs of a device: what they compute and move, and how near they are predicted to come to what it can do.

use ipda_hwdb::{Cpu, Gpu, Link};
use ipda_models::predict::{Machines, OperationType, PredictError, Prediction, Roofline, Setting, predict};
use ipda_models::report::{Region, Report};
use ipda_models::sizes::Sizes;
use ipda_models::summary::{Bindings, RegionSummary};

use crate::predict::roofline::{amount, of_type};
use crate::select::values::Values;
use crate::words::{and, rounded};

/// A region's kernel.
pub struct UnderRoofs {
    /// The device.
    pub gpu: String,
    /// The sizes that were not given, which have a value of their own.
    pub assumed: Vec<String>,
    /// What it is.
    pub roofline: Roofline,
}

impl UnderRoofs {
    /// Of the version that runs, on a device or on the one that the report counted for.
    ///
    /// # Errors
    /// Why there is no prediction.
    pub fn of(region: &Region, report: &Report, gpu: Option<&Gpu>, values: &Values) -> Result<UnderRoofs, String> {
        let machines = machines(report, gpu).map_err(|error| format!("{error:#}"))?;
        let setting = Setting::default();
        let mut summary = RegionSummary::from_report(region, &report.hardware);
        let given = Bindings::new(values.all_given().map(|(name, value)| (name.to_owned(), value as f64)));
        let (prediction, assumed) = match predict(&mut summary, &given, &machines, &setting) {
            Err(PredictError::Missing(missing)) => {
                let sizes = missing.names.iter().map(|name| (name.clone(), f64::from(Sizes::Timed.value())));
                let all = given.pairs().map(|(name, value)| (name.to_owned(), value)).chain(sizes);
                (predict(&mut summary, &Bindings::new(all), &machines, &setting), missing.names)
            }
            prediction => (prediction, Vec::new()),
        };
        let prediction: Prediction = prediction.map_err(|error| error.to_string())?;
        let version = prediction.device_version().ok_or_else(|| match &prediction.device {
            Err(reason) => reason.clone(),
            Ok(_) => "no version runs".to_owned(),
        })?;
        let roofline = version.roofline.clone().ok_or("the kernel does nothing with these sizes")?;
        Ok(UnderRoofs { gpu: machines.gpu.name, assumed, roofline })
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        let UnderRoofs { gpu, assumed, roofline } = self;
        let counts = OperationType::ALL.into_iter().map(|of| (roofline.of_type(of), of));
        let operations: Vec<String> =
            counts.filter(|(count, _)| *count > 0.0).map(|(count, of)| of_type(count, of)).collect();
        let operations = match roofline.is_counted() {
            true => format!("operations: {}", operations.join(", ")),
            false => "operations are not known without the device's finished code".to_owned(),
        };
        let intensity = roofline.intensity().map(|of| format!("; {} on floats for each byte of memory", rounded(of)));
        let with = match &assumed[..] {
            [] => String::new(),
            names => format!(", with {} for {}", Sizes::Timed.value(), and(names)),
        };
        format!(
            "{}B from memory, {}B from L2; {operations}{}; predicted for {gpu}{with}: {}, {:.0} % of what {} allows",
            amount(roofline.memory.get()),
            amount(roofline.l2.get()),
            intensity.unwrap_or_default(),
            roofline.time,
            roofline.share * 100.0,
            roofline.roof,
        )
    }
}

/// The host's time is not asked for, so that any will do.
fn machines(report: &Report, gpu: Option<&Gpu>) -> anyhow::Result<Machines> {
    let gpu = gpu.map_or_else(|| Gpu::find(&report.hardware.name), |gpu| Ok(gpu.clone()))?;
    let cpu = Cpu::of_target(&report.target).or_else(|| Cpu::of_target("x86_64-unknown-linux-gnu"));
    let cpu = cpu.ok_or_else(|| anyhow::anyhow!("no host is known"))?;
    let link = Link::find(gpu.links.first().map_or("pcie4", |name| &name[..]))?;
    Ok(Machines { gpu, cpu, link })
}
