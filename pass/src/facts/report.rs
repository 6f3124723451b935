//! What a device's compilation says of its regions, on its way to the host's compilation: only where people read it, and out of the image again
//! before the host's object is written.

use super::constant::plant_bytes;
use inkwell::module::Module;
use ipda_models::report::{MAX_BYTES, Region, Report};

pub(super) const PREFIX: &str = "__ipda_report_";
const REPORTED: &str = "ipda report that was reported, of kernels ";
const UNREPORTED: &str = "ipda report of kernels ";
/// Of packing, from 0 to 10.
const LEVEL: u8 = 6;

/// The report of a device's compilation, and which kernel each of its regions is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Relayed {
    pub report: Report,
    /// Whether people have seen it as remarks.
    pub is_reported: bool,
    kernels: Vec<String>,
}

impl Relayed {
    /// What it says of a kernel.
    pub(crate) fn region(&self, kernel: &str) -> Option<&Region> {
        let at = self.kernels.iter().position(|known| known == kernel)?;
        self.report.regions.get(at)
    }
}

/// Plants a report in a device's module. `kernels`: of each of its regions; `is_reported`: whether people have seen it as remarks.
pub(crate) fn plant_report(module: &Module<'_>, report: &Report, kernels: &[String], is_reported: bool) {
    plant_bytes(module, PREFIX, &write(report, kernels, is_reported));
}

/// Packed, as ptxas reads each byte as a number of its own.
fn write(report: &Report, kernels: &[String], is_reported: bool) -> Vec<u8> {
    let header = if is_reported { REPORTED } else { UNREPORTED };
    let text = format!("{header}{}\n{}", kernels.join(" "), report.to_yaml());
    miniz_oxide::deflate::compress_to_vec(text.as_bytes(), LEVEL)
}

pub(super) fn parse(bytes: &[u8]) -> Option<Relayed> {
    let text = miniz_oxide::inflate::decompress_to_vec_with_limit(bytes, MAX_BYTES as usize).ok()?;
    let text = std::str::from_utf8(&text).ok()?;
    let reported = text.strip_prefix(REPORTED);
    let (kernels, report) = reported.or_else(|| text.strip_prefix(UNREPORTED))?.split_once('\n')?;
    let kernels: Vec<String> = kernels.split_whitespace().map(str::to_owned).collect();
    let report = Report::from_yaml(report).ok()?;
    (report.regions.len() == kernels.len()).then_some(Relayed { report, is_reported: reported.is_some(), kernels })
}
