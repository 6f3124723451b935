//! What is done behind the optimiser: tables, and what became of the code.

use super::{Wanted, analyse_module, banks_of, empty_report, geometry_of, is_for_gpu, side, usual_gpu};
use crate::analyse::{self, Setting};
use crate::budget::Budget;
use crate::decision::table;
use crate::ffi::SessionRef;
use crate::finished::{self, marks};
use crate::ir::{DataLayout, DeclarationGuard, Nameless};
use crate::launched::{launched_in, predictable};
use crate::transform::fallback;
use crate::{emit, facts, outline};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::options::Options;
use ipda_models::report::{Report, Side};
use ipda_models::table::Table;

/// The tables of a module: those that it has, else those of the code as it is now.
pub(super) fn tables_now(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, options: &Options) -> Vec<Table> {
    let made = table::read(module);
    if !made.is_empty() || side(module) == Side::Device {
        return made;
    }
    let (launched, machines) = launched_in(session, module, options);
    let wanted = Wanted::These(predictable(&launched));
    let (mut report, _, sources) = analyse_module(session, module, gpu, Side::Host, &wanted);
    let symbols: Vec<String> = sources.iter().map(|source| source.symbol.clone()).collect();
    finished::remember(sources);
    let processors: Vec<String> = machines.iter().map(|machines| machines.cpu.processor.clone()).collect();
    with_setting(session, module, gpu, Side::Host, |setting| {
        add_code(module, setting, &symbols, &processors, &mut report);
    });
    let waiting = launched.into_iter().map(|launched| launched.waiting).collect();
    let tables = table::tables(waiting, &report, &machines);
    finished::remember(Vec::new());
    tables
}

/// Behind the optimiser: what became of the code is told to the host's compilation, written behind the report, and put where launches
/// decide by it. Whether the module has other functions than before.
pub(super) fn at_end(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, side: Side, remarks: bool) -> bool {
    if side == Side::Device {
        fallback::keep_small(module);
    }
    let sources = finished::symbols();
    if !sources.is_empty() && side == Side::Device {
        with_setting(session, module, gpu, side, |setting| facts::plant_instructions(module, setting));
    }
    let (waiting, machines) = table::remembered();
    let has_tables = !waiting.is_empty();
    emit::complete(module, remarks, |report, path| {
        let has_code = !sources.is_empty() && sources.len() == report.regions.len();
        let mut processors: Vec<String> = machines.iter().map(|machines| machines.cpu.processor.clone()).collect();
        if path.is_some() {
            // Who reads it may predict for any.
            processors.extend(finished::machine::known_processors(&report.target));
        }
        if has_code {
            with_setting(session, module, gpu, side, |setting| {
                add_code(module, setting, &sources, &processors, report);
            });
        }
        if side == Side::Host {
            table::put(module, waiting, report, &machines);
        }
        has_code
    });
    if !sources.is_empty() {
        marks::remove(module);
    }
    has_tables
}

/// The regions of a module as it is now, and the code that they consist of.
pub(super) fn finished_report(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, side: Side) -> Report {
    let mut report = empty_report(module, gpu);
    let regions = outline::find(module);
    with_setting(session, module, gpu, side, |setting| {
        report.regions = regions.iter().map(|region| analyse::empty_region(setting, region)).collect();
        let symbols: Vec<String> = regions.iter().map(|region| region.symbol.clone()).collect();
        let processors = finished::machine::known_processors(&report.target);
        add_code(module, setting, &symbols, &processors, &mut report);
    });
    report
}

/// Adds to a report what its regions, which have these names in the module, now consist of, and what that costs on processors of the host's
/// architecture.
pub(super) fn add_code(
    module: &Module<'_>,
    setting: &Setting<'_>,
    symbols: &[String],
    processors: &[String],
    report: &mut Report,
) {
    if report.side == Side::Device && !is_for_gpu(module) {
        return;
    }
    if report.side == Side::Device {
        let mut found = facts::own_resources(module, setting);
        for (region, symbol) in report.regions.iter_mut().zip(symbols) {
            if let Some(at) = found.iter().position(|(kernel, _)| kernel == symbol) {
                region.resources = vec![found.swap_remove(at).1];
            }
        }
        return;
    }
    let regions = outline::find(module);
    let find = |symbol: &String| regions.iter().find(|region| region.symbol == *symbol);
    let (told, regions): (Vec<_>, Vec<_>) =
        report.regions.iter_mut().zip(symbols).filter_map(|(told, symbol)| Some((told, find(symbol)?))).unzip();
    for (told, code) in told.into_iter().zip(finished::machine::host_codes(module, setting, &regions, processors)) {
        told.host_code = Some(code);
    }
}

/// Hands what is known of a module behind the optimiser to `work`; the module is afterwards as it was.
pub(super) fn with_setting<R>(
    session: SessionRef,
    module: &Module<'_>,
    gpu: Option<&Gpu>,
    side: Side,
    work: impl FnOnce(&Setting<'_>) -> R,
) -> R {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let gpu = gpu.cloned().unwrap_or_else(|| usual_gpu(&module.get_triple().as_str().to_string_lossy()));
    let geometry = geometry_of(&gpu);
    work(&Setting {
        session,
        layout: DataLayout::of(module),
        geometry: &geometry,
        banks: banks_of(&gpu),
        source: &module.get_source_file_name().to_string_lossy(),
        device_schedules: None,
        device_environment: None,
        maps: None,
        is_host: side == Side::Host,
        budget: Budget::of_module(outline::find(module).len()),
        has_device_image: false,
        takes_host_shapes: false,
    })
}
