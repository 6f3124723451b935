//! What a device's compilation says of its regions, on its way to the host's compilation: only where people read it, and out of the image again
//! before the host's object is written.

use super::plant_text;
use inkwell::module::Module;
use ipda_models::report::{Region, Report};

pub(super) const PREFIX: &str = "__ipda_report_";
const HEADER: &str = "ipda report of kernels ";

/// The report of a device's compilation, and which kernel each of its regions is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relayed {
    pub report: Report,
    kernels: Vec<String>,
}

impl Relayed {
    /// What it says of a kernel.
    pub(crate) fn region(&self, kernel: &str) -> Option<&Region> {
        let at = self.kernels.iter().position(|known| known == kernel)?;
        self.report.regions.get(at)
    }
}

/// Plants a report in a device's module. `kernels`: of each of its regions.
pub(crate) fn plant_report(module: &Module<'_>, report: &Report, kernels: &[String]) {
    plant_text(module, PREFIX, &write(report, kernels));
}

fn write(report: &Report, kernels: &[String]) -> String {
    format!("{HEADER}{}\n{}", kernels.join(" "), report.to_yaml())
}

pub(super) fn parse(text: &str) -> Option<Relayed> {
    let (kernels, report) = text.trim_end_matches('\0').strip_prefix(HEADER)?.split_once('\n')?;
    let kernels: Vec<String> = kernels.split_whitespace().map(str::to_owned).collect();
    let report = Report::from_yaml(report).ok()?;
    (report.regions.len() == kernels.len()).then_some(Relayed { report, kernels })
}
