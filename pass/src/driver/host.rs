//! The phases of a host's compilation.

use super::carried::{self, Reports, Started};
use super::compilation::Compilation;
use super::launches::{Launched, Launches};
use super::look::Described;
use super::look_at_host::look_at_host;
use super::{finish, reported};
use crate::analysis::finished::marks::{self, SourceNumbers};
use crate::analysis::finished::{self, SourceRegion, symbols};
use crate::common::apply::Apply;
use crate::decision::table::{self, Known};
use crate::decision::{self, launch_plan};
use crate::facts;
use crate::openmp::outline::TargetRegion;
use crate::output::nests;
use crate::transform::nested::{self, GivenBack};
use ipda_llvm::Run;
use ipda_models::options::{Decision, Transform};
use ipda_models::report::Report;
use rustc_hash::FxHashMap;

/// Before optimisation: looks at the regions, reports, and lets launches decide and loops be nests again. Whether the module was
/// changed.
pub(super) fn start(compilation: &Compilation<'_, '_>, run: Run) -> bool {
    let Compilation { module, regions, options, .. } = compilation;
    let is_reported = compilation.is_reported();
    let described = match run {
        _ if is_reported => Described::All,
        Run::Start => Described::Decided,
        _ => Described::Nothing,
    };
    let decides = options.decision == Decision::On;
    let launches = decides.then(|| Launches::of(compilation));
    let is_numbered = run == Run::Start && (options.report.is_some() || decides);
    let numbers = is_numbered.then(|| SourceNumbers::new(module, regions));
    let seen = look_at_host(compilation, described, launches.as_ref());
    let (launched, descriptions): (Vec<Option<Launched>>, Vec<_>) =
        seen.into_iter().map(|seen| (seen.launched, seen.description)).unzip();
    // Who reads a report learns what became of each loop, and predictions rest on it.
    let is_needed =
        options.report.is_some() || launched.iter().flatten().any(|launched| launched.waiting.is_predictable());
    let numbers = numbers.filter(|_| is_needed);
    let (mut report, reported) = reported::report(compilation, descriptions.into_iter());
    for (region, reported) in report.regions.iter_mut().zip(&reported) {
        region.on_host = launched[reported.region].as_ref().map(|launched| decision::in_report(&launched.eligibility));
    }
    let launched: Vec<Launched> = launched.into_iter().flatten().collect();
    let report = match is_reported {
        true => Some(finish::first(compilation, report, &reported)),
        false => (!launched.is_empty()).then(|| Reports::of_own(report)),
    };
    let mut started = Started {
        report,
        sources: reported.into_iter().map(|reported| reported.source).filter(|_| numbers.is_some()).collect(),
        is_numbered: numbers.is_some(),
        images: Some(compilation.shared_images()),
        ..Started::default()
    };
    if let Some(launches) = launches.filter(|_| run == Run::Start) {
        started.waiting = launched.iter().map(|launched| launched.waiting.clone()).collect();
        started.machines = launches.machines;
    }
    // Before anything is changed: launches must find their tables even if what comes here has a fault.
    carried::start(module, started, numbers);
    let is_changed = change(compilation, &launched);
    compilation.ends("start");
    is_changed
}

/// Lets launches decide and follow, and gives collapsed loops their nests back.
fn change(compilation: &Compilation<'_, '_>, launched: &[Launched]) -> bool {
    compilation.trace.enter("change");
    let Compilation { session, module, regions, options, .. } = compilation;
    let offered = launched.iter().filter_map(|launched| {
        let region = &regions[launched.region];
        Some((region.symbol.clone(), launched.offer(region)?))
    });
    let step = compilation.trace.begin("launches", None);
    let has_followed = launch_plan::edit(module, compilation.images(), &offered.collect(), compilation.read_only());
    let has_asked = options.decision == Decision::On && decision::ask_for_teams(module, compilation.images());
    step.end(format_args!("{} of {} regions", launched.len(), regions.len()));
    compilation.ends("launches");
    let request = |region: &TargetRegion| match region.transform(options) {
        Transform::Off => None,
        Transform::Report => Some(Apply::No),
        Transform::On => Some(Apply::Yes),
    };
    let step = compilation.trace.begin("nests", None);
    let done = nested::give_back_nests(*session, module, regions, &request);
    step.end(format_args!("{} loops", done.len()));
    if compilation.has_remarks() {
        done.iter().for_each(nests::report);
    }
    has_followed || has_asked || !launched.is_empty() || done.iter().any(GivenBack::is_done)
}

/// After optimisation: what became of the code is written after the report, and put where launches decide by it. Whether the module has other
/// functions than before.
pub(super) fn end(compilation: &Compilation<'_, '_>) -> bool {
    compilation.trace.enter("end");
    let Started { report, sources, waiting, machines, is_numbered, images } = carried::started(compilation.module);
    images.into_iter().for_each(|images| compilation.has_images(images));
    let has_tables = !waiting.is_empty();
    if let Some(mut reports) = report {
        let has_code = finish::has_code(&reports.own, &sources);
        if has_code {
            let mut processors: Vec<String> = machines.iter().map(|machines| machines.cpu.processor.clone()).collect();
            if reports.path.is_some() {
                // Who reads it may predict for any.
                processors.extend(finished::host_code::known_processors(&reports.own.target));
            }
            add_code(compilation, &symbols(&sources), &sources, &processors, &mut reports.own);
        }
        let step = compilation.trace.begin("tables", None);
        let tables = waiting.len();
        table::put(compilation.module, waiting, Known { report: &reports.own, sources: &sources, machines: &machines });
        step.end(format_args!("{tables} tables"));
        finish::second(compilation, reports, has_code);
    }
    if is_numbered {
        marks::remove(compilation.module);
    }
    if compilation.images().iter().any(|image| image.relayed.is_some()) {
        facts::forget_reports(compilation.module);
    }
    compilation.ends("end");
    has_tables
}

/// Adds to a report what the host's versions of its regions now consist of, and what that costs on processors of the host's architecture.
pub(super) fn add_code(
    compilation: &Compilation<'_, '_>,
    symbols: &[&str],
    sources: &[SourceRegion],
    processors: &[String],
    report: &mut Report,
) {
    let _untouched = compilation.untouched();
    let regions = &compilation.regions;
    let mut by_symbol: FxHashMap<&str, &TargetRegion> = FxHashMap::default();
    for region in regions {
        by_symbol.entry(&region.symbol).or_insert(region);
    }
    let find = |symbol: &str| by_symbol.get(symbol).copied();
    let described = report.regions.iter_mut().zip(symbols);
    let (reported, regions): (Vec<_>, Vec<_>) =
        described.filter_map(|(reported, symbol)| Some((reported, find(symbol)?))).unzip();
    let setting = compilation.setting();
    let codes = finished::host_code::host_codes(
        compilation.module,
        &setting,
        &regions,
        sources,
        processors,
        compilation.options.model,
    );
    for (reported, code) in reported.into_iter().zip(codes) {
        reported.host_code = Some(code);
    }
}
