//! The report's two writings: before optimisation, and again where its end has more to say.

use super::carried::{self, Reports};
use super::compilation::Compilation;
use super::module::processor;
use super::{relayed, reported::Reported};
use crate::analysis::finished::SourceRegion;
use crate::facts;
use crate::output::emit;
use crate::output::print;
use ipda_llvm::Audience;
use ipda_llvm::warn;
use ipda_models::options::Remarks;
use ipda_models::report::{Report, Side};
use ipda_models::source;

/// Tells people for the first time; what is kept for the second.
pub(super) fn first(compilation: &Compilation<'_, '_>, own: Report, reported: &[Reported]) -> Reports {
    let kernels: Vec<String> = reported.iter().map(|reported| reported.source.symbol.clone()).collect();
    let shown = relayed::shown(compilation.images(), &own, &kernels);
    let path = compilation.options.report.clone().filter(|_| compilation.speaks());
    let mut reports = Reports { own, shown, kernels, path };
    source::report_clauses(reports.shown_mut());
    let report = reports.shown();
    let regions = &compilation.regions;
    match compilation.side {
        Side::Device if compilation.reports_code() => emit::of_code(regions, report, |_| Audience::All),
        Side::Host if compilation.has_remarks() => {
            // A device's compilation has reported on its code, but in a file that this one writes anew.
            let has_reported = |region: usize| {
                let found = relayed::find(compilation.images(), &reports.kernels[region]);
                compilation.options.remarks == Remarks::Auto && found.is_some_and(|(relayed, _)| relayed.is_reported)
            };
            let audience = |region| if has_reported(region) { Audience::Record } else { Audience::All };
            emit::of_code(regions, report, audience);
            emit::of_launches(regions, report);
        }
        _ => {}
    }
    if let Some(path) = reports.path.clone() {
        let report = reports.shown_mut();
        report.note_sources();
        if let Err(problem) = emit::write_report(&path, report, processor(compilation.module).as_deref()) {
            warn(compilation.module, &problem);
        }
    }
    reports
}

/// Whether the finished code of all of a report's regions can be determined.
pub(super) fn has_code(report: &Report, sources: &[SourceRegion]) -> bool {
    !sources.is_empty() && sources.len() == report.regions.len()
}

/// Kernels that were made SPMD meanwhile are reported, and the report that people asked for is written again if it has changed. A device's goes to
/// the host's compilation, where that follows.
pub(super) fn second(compilation: &Compilation<'_, '_>, mut reports: Reports, has_code: bool) {
    let Compilation { module, regions, .. } = compilation;
    if let Some(shown) = &mut reports.shown {
        relayed::add_host_code(&reports.own, shown);
    }
    if has_code && reports.path.is_some() {
        carried::finish(print::code(reports.shown()));
    }
    let are_sent = compilation.side == Side::Device && compilation.reports_code();
    let remarks = if are_sent { emit::Remarks::Sent } else { emit::Remarks::LeftOut };
    let is_changed = emit::report_made_spmd(module, regions, reports.shown_mut(), remarks) || has_code;
    if let Some(path) = reports.path.as_ref().filter(|_| is_changed) {
        // The first writing reported any problem.
        let _ = emit::write_report(path, reports.shown(), processor(module).as_deref());
    }
    if compilation.side == Side::Device && compilation.relays() {
        facts::plant_report(module, reports.shown(), &reports.kernels, compilation.reports_code());
    }
}
