//! The report's two writings: in front of the optimiser, and again where its end has more to say.

use super::carried;
use super::compilation::Compilation;
use super::module::processor;
use super::warn;
use crate::analysis::finished::SourceRegion;
use crate::tell::{emit, print};
use ipda_models::report::Report;
use ipda_models::source;
use std::path::PathBuf;

/// Tells people for the first time; what is kept for the second.
pub(super) fn first(compilation: &Compilation<'_, '_>, mut report: Report) -> (Report, Option<PathBuf>) {
    source::tell_clauses(&mut report);
    if compilation.has_remarks() {
        emit::remarks(&compilation.regions, &report);
    }
    let path = compilation.options.report.clone();
    if let Some(path) = &path {
        report.note_sources();
        if let Err(problem) = emit::write_report(path, &report, processor(compilation.module).as_deref()) {
            warn(compilation.module, &problem);
        }
    }
    (report, path)
}

/// Whether the finished code of all of a report's regions can be told.
pub(super) fn has_code(report: &Report, sources: &[SourceRegion]) -> bool {
    !sources.is_empty() && sources.len() == report.regions.len()
}

/// Kernels that were made SPMD meanwhile are told, and the report that people asked for is written again if it has changed.
pub(super) fn second(compilation: &Compilation<'_, '_>, mut report: Report, path: Option<PathBuf>, has_code: bool) {
    if has_code && path.is_some() {
        carried::finish(print::code(&report));
    }
    let Compilation { module, regions, .. } = compilation;
    let is_changed = emit::tell_made_spmd(module, regions, &mut report, compilation.has_remarks()) || has_code;
    if let Some(path) = path.filter(|_| is_changed) {
        // The first writing told of any problem.
        let _ = emit::write_report(&path, &report, processor(module).as_deref());
    }
}
