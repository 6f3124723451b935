//! Reports as text for a terminal: a summary, then each region, then the words that were used.

mod accesses;
mod branches;
mod grid;
mod legend;
mod loops;
mod page;
mod region;
mod summary;
mod words;

use ipda_models::report::{MemoryKind, Region, Report, Side};

pub use grid::{Column, Grid};
pub use page::{Detail, Page, Paint, Text, Tone};

/// The whole output for `reports`.
pub fn render(reports: &[Report], page: &Page) -> String {
    let mut out = Text::new(page);
    let region_count: usize = reports.iter().map(|report| report.regions.len()).sum();
    if region_count > 1 {
        summary::write(&mut out, reports);
    }
    let mut number = 0;
    for report in reports {
        heading(&mut out, report);
        for region in &report.regions {
            number += 1;
            region::write(&mut out, number, region, &report.hardware);
        }
        if !report.rejects.is_empty() {
            out.line(Tone::Bold, "Regions that were not analysed");
            region::write_rejects(&mut out, 2, &report.rejects);
            out.blank();
        }
    }
    legend::write(&mut out, reports);
    out.finish()
}

/// The banks, where shared memory is used.
fn banks(report: &Report) -> String {
    let is_shared = |region: &Region| region.accesses.iter().any(|access| access.memory == MemoryKind::Shared);
    if !report.regions.iter().any(is_shared) {
        return String::new();
    }
    format!(", shared memory of {} banks of {} bytes", report.hardware.banks, report.hardware.bank_bytes)
}

fn heading(out: &mut Text, report: &Report) {
    let regions = words::regions_counted(&report.regions);
    let side = match report.side {
        Side::Host => "host",
        Side::Device => "device",
    };
    out.line(Tone::Bold, &format!("{}: {regions}", report.source));
    let hardware = &report.hardware;
    let counted_for = match report.regions.len() {
        0 => String::new(),
        _ => format!(
            "; counted for the GPU {}: warps of {} threads, sectors of {} bytes, cache lines of {} bytes{}",
            hardware.name,
            hardware.warp_lanes,
            hardware.sector_bytes,
            hardware.line_bytes,
            banks(report)
        ),
    };
    out.wrapped(2, &format!("{side} compilation for {}{counted_for}", report.target));
    out.blank();
}
