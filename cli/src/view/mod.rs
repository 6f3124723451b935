//! Reports for people: a summary, then each region, then the words that were used.

mod accesses;
mod branches;
mod changes;
mod devices;
mod legend;
mod loops;
mod region;
mod summary;

use ipda_hwdb::Gpu;
use ipda_models::report::{MemoryKind, Region, Report};

use crate::document::{Document, Extent};
use crate::formats::Rows;
use crate::select::rows::Kind;
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::select::{Query, Sort};
use crate::words::{counted_for, regions_counted};

pub use accesses::costed;
pub use changes::{clause_sentence, reason, version_sentence, version_sentences};
pub use devices::{compilation, differences};
pub use region::launches;
pub use summary::Line;

/// What is printed for people.
pub struct Shown<'a> {
    /// Sums.
    pub totals: &'a Totals,
    /// What figures rest on.
    pub values: &'a Values,
    /// The worst regions.
    pub lines: &'a mut [Line],
    /// How many regions there are.
    pub regions: usize,
    /// The reports whose tables are printed; none of them where there are too many.
    pub reports: &'a [Report],
    /// The device whose roofs kernels are held against.
    pub gpu: Option<&'a Gpu>,
    /// The worst accesses, or the list that was asked for.
    pub list: &'a Rows,
    /// Whether only a list was asked for.
    pub is_list_only: bool,
    /// The order of regions.
    pub sort: Sort,
}

/// The whole output.
pub fn render(shown: Shown<'_>, extent: Extent) -> Document {
    let mut out = Document::new(extent);
    let Shown { totals, values, lines, regions, reports, gpu, list, is_list_only, sort } = shown;
    if is_list_only {
        summary::write_list(&mut out, list.kind, &list.rows, list.left_out);
        if matches!(list.kind, Kind::Accesses | Kind::Regions) {
            summary::write_totals(&mut out, totals, values);
        }
        return out;
    }
    let order = order(reports, values, sort);
    if regions > 1 {
        if reports.is_empty() {
            lines.iter_mut().for_each(Line::without_number);
        } else {
            let read: Vec<usize> = order.iter().flat_map(|of| of.regions.iter().map(|(_, read)| *read)).collect();
            lines.iter_mut().for_each(|line| line.renumber(&read));
        }
        summary::write(&mut out, lines, regions - lines.len());
        summary::write_totals(&mut out, totals, values);
        summary::write_actions(&mut out, lines);
        if reports.is_empty() {
            let costly: Vec<_> = list.rows.iter().filter(|row| summary::is_costly(row)).cloned().collect();
            if !costly.is_empty() {
                out.heading("What costs most");
                summary::write_list(&mut out, list.kind, &costly, 0);
            }
            let hint = "ipda report --region FUNCTION or FILE:LINE prints the tables of a region, --all those of all";
            out.wrapped(0, hint);
            out.blank();
        }
    }
    let mut number = 0;
    for Ordered { report, regions, .. } in order {
        heading(&mut out, report);
        for (region, _) in regions {
            number += 1;
            region::write(&mut out, number, region, report, values, gpu);
        }
        if !report.rejects.is_empty() {
            out.heading("Regions that were not analysed");
            region::write_rejects(&mut out, 2, &report.rejects);
            out.blank();
        }
    }
    legend::write(&mut out, reports, values);
    out
}

/// A report with its regions in the order in which they are printed, each with its number in the order of reading.
struct Ordered<'a> {
    report: &'a Report,
    regions: Vec<(&'a Region, usize)>,
    weight: f64,
}

/// Reports and their regions, those that waste most first.
fn order<'a>(reports: &'a [Report], values: &Values, sort: Sort) -> Vec<Ordered<'a>> {
    let mut read = 0;
    let of_report = |report: &'a Report| {
        let weigh = |region: &'a Region| {
            read += 1;
            let totals = Totals::of_region(region, report, &values.afresh());
            (region, read, totals.sectors.excess + totals.passes.excess)
        };
        let mut weighed: Vec<(&Region, usize, f64)> = report.regions.iter().map(weigh).collect();
        if sort != Sort::Place {
            weighed.sort_by(|a, b| b.2.total_cmp(&a.2));
        }
        let weight = weighed.iter().map(|(.., weight)| *weight).fold(0.0, f64::max);
        Ordered { report, regions: weighed.into_iter().map(|(region, read, _)| (region, read)).collect(), weight }
    };
    let mut all: Vec<Ordered> = reports.iter().map(of_report).collect();
    if sort != Sort::Place {
        all.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    }
    all
}

/// Leaves the worst of a summary's lines, with some to spare until the end.
pub fn keep_worst(lines: &mut Vec<Line>, query: &Query, most: usize) {
    if query.sort != Sort::Place {
        lines.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    }
    lines.truncate(most);
}

/// The banks, where shared memory is used.
fn banks(report: &Report) -> String {
    let is_shared = |region: &Region| region.accesses.iter().any(|access| access.memory == MemoryKind::Shared);
    if !report.regions.iter().any(is_shared) {
        return String::new();
    }
    format!(", shared memory of {} banks of {} bytes", report.hardware.banks, report.hardware.bank_bytes)
}

fn heading(out: &mut Document, report: &Report) {
    let regions = regions_counted(&report.regions);
    out.heading(format!("{}: {regions}", report.source));
    let counted_for = match report.regions.len() {
        0 => String::new(),
        _ => format!("; {}{}", counted_for(&report.hardware), banks(report)),
    };
    out.wrapped(2, &format!("{}{counted_for}", compilation(report)));
    out.blank();
}
