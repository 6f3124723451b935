//! The report's two writings: before optimisation, and again where its end has more to say.

use super::carried::{self, Telling};
use super::compilation::Compilation;
use super::module::processor;
use super::{relayed, reported::Reported};
use crate::analysis::finished::SourceRegion;
use crate::facts;
use crate::output::emit::{self, Audience};
use crate::output::print;
use ipda_llvm::warn;
use ipda_models::options::Remarks;
use ipda_models::report::{Report, Side};
use ipda_models::source;

/// Tells people for the first time; what is kept for the second.
pub(super) fn first(compilation: &Compilation<'_, '_>, own: Report, reported: &[Reported]) -> Telling {
    let kernels: Vec<String> = reported.iter().map(|reported| reported.source.symbol.clone()).collect();
    let shown = relayed::shown(compilation.images(), &own, &kernels);
    let path = compilation.options.report.clone().filter(|_| compilation.speaks());
    let mut telling = Telling { own, shown, kernels, path };
    source::tell_clauses(telling.shown_mut());
    let report = telling.shown();
    let regions = &compilation.regions;
    match compilation.side {
        Side::Device if compilation.tells_of_code() => emit::of_code(regions, report, |_| Audience::All),
        Side::Host if compilation.has_remarks() => {
            // A device's compilation has reported on its code, but in a file that this one writes anew.
            let has_reported = |region: usize| {
                let found = relayed::find(compilation.images(), &telling.kernels[region]);
                compilation.options.remarks == Remarks::Auto && found.is_some_and(|(relayed, _)| relayed.is_reported)
            };
            let audience = |region| if has_reported(region) { Audience::Record } else { Audience::All };
            emit::of_code(regions, report, audience);
            emit::of_launches(regions, report);
        }
        _ => {}
    }
    if let Some(path) = telling.path.clone() {
        let report = telling.shown_mut();
        report.note_sources();
        if let Err(problem) = emit::write_report(&path, report, processor(compilation.module).as_deref()) {
            warn(compilation.module, &problem);
        }
    }
    telling
}

/// Whether the finished code of all of a report's regions can be determined.
pub(super) fn has_code(report: &Report, sources: &[SourceRegion]) -> bool {
    !sources.is_empty() && sources.len() == report.regions.len()
}

/// Kernels that were made SPMD meanwhile are reported, and the report that people asked for is written again if it has changed. A device's goes to
/// the host's compilation, where that follows.
pub(super) fn second(compilation: &Compilation<'_, '_>, mut telling: Telling, has_code: bool) {
    let Compilation { module, regions, .. } = compilation;
    if let Some(shown) = &mut telling.shown {
        relayed::add_host_code(&telling.own, shown);
    }
    if has_code && telling.path.is_some() {
        carried::finish(print::code(telling.shown()));
    }
    let with_remarks = compilation.side == Side::Device && compilation.tells_of_code();
    let is_changed = emit::tell_made_spmd(module, regions, telling.shown_mut(), with_remarks) || has_code;
    if let Some(path) = telling.path.as_ref().filter(|_| is_changed) {
        // The first writing reported any problem.
        let _ = emit::write_report(path, telling.shown(), processor(module).as_deref());
    }
    if compilation.side == Side::Device && compilation.relays() {
        facts::plant_report(module, telling.shown(), &telling.kernels, compilation.tells_of_code());
    }
}
