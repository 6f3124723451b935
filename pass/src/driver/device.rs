//! The phases of a device's compilation.

use super::carried::{self, Started};
use super::compilation::Compilation;
use super::finish;
use super::look::Described;
use super::look_at_device::{AskedOfDevice, OnDevice, look_at_device};
use super::module::is_for_gpu;
use super::reported::{self, Reported};
use crate::analysis::finished::marks::{self, SourceNumbers};
use crate::analysis::finished::{SourceRegion, symbols};
use crate::analysis::region::Setting;
use crate::common::apply::Apply;
use crate::facts::{self, KernelFacts};
use crate::openmp::outline::TargetRegion;
use crate::transform::chunk::{self, HandedOut, Shared};
use crate::transform::{self, Outcome, coarsen, fallback, overlap, runtime};
use inkwell::module::Module;
use ipda_llvm::{Nameless, Run, warn};
use ipda_models::options::{Decision, Maps, Transform};
use ipda_models::report::{Names, Report, Side};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// For a plugin that is loaded twice, or runs twice with other options.
const MARK: &str = "ipda.transformed";

/// Before optimisation: looks at the regions, fuses loops, and reports to people or to the host's compilation. Whether the module was changed.
pub(super) fn start(compilation: &Compilation<'_, '_>, run: Run) -> bool {
    let decides = compilation.options.decision == Decision::On && compilation.is_openmp_device();
    let described = match run {
        _ if compilation.is_reported() => Described::All,
        Run::Start => Described::Decided,
        _ => Described::Nothing,
    };
    let has_report = compilation.options.report.is_some();
    let is_numbered = run == Run::Start && (has_report || decides);
    let numbers = is_numbered.then(|| SourceNumbers::new(compilation.module, &compilation.regions));
    // Nobody else maps.
    let uses = compilation.options.maps == Maps::On && compilation.host_follows();
    let asked = AskedOfDevice { described, structural_hash: decides, uses, plans: may_transform(compilation) };
    let mut seen = look_at_device(compilation, asked);
    // Who reads a report learns what became of each loop, and predictions rest on it.
    let numbers = numbers.filter(|_| has_report || seen.iter().any(|seen| seen.structural_hash.is_some()));
    let may_transform = may_transform(compilation);
    let outcomes = change(compilation, &mut seen, Apply::Yes);
    let is_changed = outcomes.iter().flatten().any(|outcome| outcome.is_changed);
    let handed_out = if may_transform { hand_out(compilation, &seen) } else { HandedOut::default() };
    let is_trimmed = may_transform && runtime::trim(compilation.module);
    if is_trimmed {
        // Loops that a later run changed would reach what is no longer there.
        mark_as_changed(compilation.module);
    }
    let (report, reported) = report(compilation, &mut seen, &outcomes, &handed_out);
    let speaks = compilation.speaks();
    // Whoever speaks: a host's compilation lets the launches follow, decide, and copy less.
    if is_changed || !speaks || uses || decides && compilation.host_follows() {
        plant(compilation, &seen, &reported, outcomes);
    }
    let is_read = compilation.is_reported() && speaks || compilation.relays();
    let report = is_read.then(|| finish::first(compilation, report, &reported));
    let sources = reported.into_iter().map(|reported| reported.source).filter(|_| numbers.is_some()).collect();
    let started = Started { report, sources, is_numbered: numbers.is_some(), ..Started::default() };
    carried::start(compilation.module, started, numbers);
    compilation.ends("start");
    is_changed || handed_out.is_changed() || is_trimmed
}

/// Whether loops may be changed; for the first time only.
pub(super) fn may_transform(compilation: &Compilation<'_, '_>) -> bool {
    let is_marked = compilation.module.get_global_metadata_size(MARK) > 0;
    compilation.side == Side::Device
        && compilation.is_openmp_device()
        && !is_marked
        && !compilation.options.transform.are_off()
}

fn mark_as_changed(module: &Module<'_>) {
    let _ = module.add_global_metadata(MARK, &module.get_context().metadata_node(&[]));
}

/// What becomes of the regions' kernels, by what was found; none where nothing was asked.
pub(super) fn change(compilation: &Compilation<'_, '_>, seen: &mut [OnDevice], apply: Apply) -> Vec<Option<Outcome>> {
    compilation.trace.enter("change");
    let _nameless = Nameless::new(compilation.module);
    let mut outcomes = Vec::new();
    for (region, seen) in compilation.regions.iter().zip(seen) {
        let Some(finding) = seen.finding.take() else {
            outcomes.push(None);
            continue;
        };
        let apply = if region.transform(&compilation.options) == Transform::On { apply } else { Apply::No };
        let step = compilation.trace.begin("change", Some(region));
        let setting = Setting { request: region.mapping(&compilation.options), ..compilation.setting() };
        let outcome = finding.ok().and_then(|finding| {
            let change = || transform::apply(&setting, compilation.module, region, finding, apply);
            catch_unwind(AssertUnwindSafe(change)).ok()
        });
        let outcome = outcome.unwrap_or_else(|| {
            let text = "internal error: loops are left as they are; please report this with the source file";
            warn(compilation.module, text);
            Outcome::failed()
        });
        step.end(if outcome.is_changed { "done" } else { "left" });
        outcomes.push(Some(outcome));
    }
    if apply == Apply::Yes && outcomes.iter().flatten().any(|outcome| outcome.is_changed) {
        mark_as_changed(compilation.module);
    }
    compilation.ends("change");
    outcomes
}

/// Lets teams take iterations in the best way, in kernels that may be changed.
pub(super) fn hand_out(compilation: &Compilation<'_, '_>, seen: &[OnDevice]) -> HandedOut {
    let of_region = |(region, seen): (_, &OnDevice)| Shared {
        region,
        is_left: TargetRegion::transform(region, &compilation.options) != Transform::On,
        only_updates_copies: seen.only_updates_copies,
    };
    let regions: Vec<Shared> = compilation.regions.iter().zip(seen).map(of_region).collect();
    chunk::hand_out(compilation.module, &regions)
}

/// The report of what was seen, with what became of the loops.
pub(super) fn report(
    compilation: &Compilation<'_, '_>,
    seen: &mut [OnDevice],
    outcomes: &[Option<Outcome>],
    handed_out: &HandedOut,
) -> (Report, Vec<Reported>) {
    let (mut report, mut reported) = reported::report(compilation, seen.iter_mut().map(|seen| seen.description.take()));
    for (region, reported) in report.regions.iter_mut().zip(&mut reported) {
        region.grid_stride = handed_out.is_grid_stride(&compilation.regions[reported.region]);
        let outcome = outcomes.get(reported.region).and_then(Option::as_ref);
        reported.source.in_lockstep = outcome.map_or_else(Vec::new, |outcome| outcome.in_lockstep.clone());
        if let Some(outcome) = outcome.and_then(|outcome| outcome.reported.clone()) {
            region.transformation = Some(Names::of(region).in_transformation(outcome));
        }
    }
    (report, reported)
}

/// Leaves in the module what the host's compilation has to know: of the regions that are reported first, then of others by name.
fn plant(
    compilation: &Compilation<'_, '_>,
    seen: &[OnDevice],
    reported: &[Reported],
    mut outcomes: Vec<Option<Outcome>>,
) {
    let mut others: Vec<usize> = (0..seen.len())
        .filter(|&number| !reported.iter().any(|reported| reported.region == number))
        .filter(|&number| {
            outcomes[number].is_some() || seen[number].structural_hash.is_some() || seen[number].uses.is_some()
        })
        .collect();
    others.sort_by_key(|&number| &compilation.regions[number].symbol);
    let schedules = reported.iter().map(|reported| (reported.region, reported.schedules.clone()));
    let mut facts = |(number, schedules): (usize, Vec<_>)| {
        let outcome = outcomes[number].take().unwrap_or_default();
        let OnDevice { structural_hash, uses, overwritten, .. } = &seen[number];
        let symbol = &compilation.regions[number].symbol;
        KernelFacts::new(symbol, schedules, outcome, *structural_hash, uses.clone(), overwritten.clone())
    };
    let facts: Vec<KernelFacts> =
        schedules.chain(others.into_iter().map(|number| (number, Vec::new()))).map(&mut facts).collect();
    if !facts.iter().all(KernelFacts::is_empty) {
        facts::plant(compilation.module, &facts);
    }
}

/// After optimisation: what became of the code is passed to the host's compilation, and written after the report.
pub(super) fn end(compilation: &Compilation<'_, '_>) -> bool {
    compilation.trace.enter("end");
    fallback::keep_small(compilation.module);
    let is_coarse = coarsen::settle(compilation.module, || coarsen::enough(compilation.gpu()));
    let is_changed = overlap::overlap(compilation.module, || compilation.gpu()) || is_coarse;
    let Started { report, sources, is_numbered, .. } = carried::started(compilation.module);
    let Compilation { module, regions, .. } = compilation;
    if !sources.is_empty() {
        let _untouched = compilation.untouched();
        facts::plant_instructions(module, &compilation.setting(), regions, &sources);
    }
    if let Some(mut reports) = report {
        // The host's compilation learns it from the finished image.
        let has_code = reports.path.is_some() && finish::has_code(&reports.own, &sources);
        if has_code {
            add_resources(compilation, &symbols(&sources), &sources, &mut reports.own);
        }
        finish::second(compilation, reports, has_code);
    }
    if is_numbered {
        marks::remove(module);
    }
    compilation.ends("end");
    is_changed
}

/// Adds to a report what its kernels now consist of.
pub(super) fn add_resources(
    compilation: &Compilation<'_, '_>,
    symbols: &[&str],
    sources: &[SourceRegion],
    report: &mut Report,
) {
    if !is_for_gpu(compilation.module) {
        return;
    }
    let _untouched = compilation.untouched();
    let Compilation { module, regions, .. } = compilation;
    let mut found = facts::own_resources(module, &compilation.setting(), regions, sources);
    for (region, symbol) in report.regions.iter_mut().zip(symbols) {
        if let Some(at) = found.iter().position(|(kernel, _)| kernel == symbol) {
            region.resources = vec![found.swap_remove(at).1];
        }
    }
}
