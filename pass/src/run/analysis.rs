//! The analysis of all regions of a module, and what a report says around them.

use super::{Wanted, maps_of, side};
use crate::analyse::{self, Setting};
use crate::budget::Budget;
use crate::facts::{self, KernelFacts};
use crate::ffi::SessionRef;
use crate::finished::SourceRegion;
use crate::ir::{DataLayout, DeclarationGuard, Nameless, Value};
use crate::omp::{ExecutionMode, KernelEnvironment};
use crate::{maps, outline};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::report::{Hardware, Mode, Names, Report, SCHEMA_VERSION, Side};
use ipda_symbolic::{Banks, MemoryGeometry};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

/// Analyses all regions; the module is afterwards as it was.
pub(super) fn analyse_module(
    session: SessionRef,
    module: &Module<'_>,
    gpu: Option<&Gpu>,
    side: Side,
    wanted: &Wanted,
) -> (Report, Vec<KernelFacts>, Vec<SourceRegion>) {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let embedded = if side == Side::Host { facts::read(module) } else { Vec::new() };
    let device_triple = embedded.first().map_or(triple.as_str(), |image| image.triple.as_str());
    let gpu = gpu.cloned().unwrap_or_else(|| usual_gpu(device_triple));
    let geometry = geometry_of(&gpu);
    let regions = outline::find(module);
    let maps = maps_of(session, module, side);
    let budget = Budget::of_module(regions.len());
    let (mut planted, mut sources) = (Vec::new(), Vec::new());
    let regions = regions
        .iter()
        .filter(|region| wanted.has(&region.symbol))
        .map(|region| {
            let kernel = region.symbol.clone();
            let (facts, device_environment) = facts::of_kernel(&embedded, &kernel);
            let device_schedules = facts.map(|facts| facts.schedules.clone()).filter(|all| !all.is_empty());
            let setting = Setting {
                session,
                layout: DataLayout::of(module),
                geometry: &geometry,
                banks: banks_of(&gpu),
                source: &source,
                device_schedules,
                device_environment,
                maps: maps.get(&kernel),
                is_host: side == Side::Host,
                budget,
                has_device_image: !embedded.is_empty(),
                takes_host_shapes: false,
            };
            let analyse::Analysed { region: mut result, schedules, loops, readings, mut expressions } =
                analyse::region(&setting, region);
            let captures = result.captures.iter().map(|capture| capture.name.clone()).collect();
            if let Some(maps) = maps.get(&kernel) {
                maps::attach(&mut result, expressions.as_mut(), maps);
            }
            let expressions = Rc::new(RefCell::new(expressions));
            sources.push(SourceRegion { symbol: kernel.clone(), captures, readings, loops, expressions });
            result.resources = facts::resources(&embedded, &kernel);
            let told = facts.and_then(|facts| facts.outcome.told.clone());
            result.transformation = told.map(|told| Names::of(&result).in_transformation(told));
            planted.push(KernelFacts { kernel, schedules, ..KernelFacts::default() });
            result
        })
        .collect();
    let report = Report { regions, ..header(module, side, gpu) };
    (report, planted, sources)
}

/// The GPU that stands for a device's target where none is named.
pub(super) fn usual_gpu(triple: &str) -> Gpu {
    static NVIDIA: OnceLock<Gpu> = OnceLock::new();
    static AMD: OnceLock<Gpu> = OnceLock::new();
    let (entry, name) = if triple.starts_with("amdgcn") { (&AMD, "mi210") } else { (&NVIDIA, "h200") };
    entry.get_or_init(|| Gpu::builtin(name).expect("the default entries are built in")).clone()
}

pub(super) fn geometry_of(gpu: &Gpu) -> MemoryGeometry {
    MemoryGeometry { lanes: gpu.lanes, sector_bytes: gpu.sector.get().into(), line_bytes: gpu.line.get().into() }
}

pub(super) fn banks_of(gpu: &Gpu) -> Banks {
    Banks { count: gpu.banks, word_bytes: gpu.bank_word.get() }
}

/// A report without regions.
pub(super) fn header(module: &Module<'_>, side: Side, gpu: Gpu) -> Report {
    let geometry = geometry_of(&gpu);
    Report {
        ipda_report: SCHEMA_VERSION,
        tool: concat!("ipda ", env!("CARGO_PKG_VERSION")).into(),
        source: module.get_source_file_name().to_string_lossy().into_owned(),
        sources: Vec::new(),
        side,
        target: module.get_triple().as_str().to_string_lossy().into_owned(),
        hardware: Hardware {
            name: gpu.name,
            warp_lanes: geometry.lanes,
            sector_bytes: geometry.sector_bytes as u32,
            line_bytes: geometry.line_bytes as u32,
            banks: gpu.banks,
            bank_bytes: gpu.bank_word.get(),
        },
        regions: Vec::new(),
        rejects: Vec::new(),
    }
}

/// A report that says only what it is about: for those who run a module and do not ask for predictions.
pub fn empty_report(module: &Module<'_>, gpu: Option<&Gpu>) -> Report {
    let gpu = gpu.cloned().unwrap_or_else(|| usual_gpu(&module.get_triple().as_str().to_string_lossy()));
    header(module, side(module), gpu)
}

/// The mode that a kernel's environment has now.
pub(crate) fn current_mode(module: &Module<'_>, kernel: &str) -> Option<Mode> {
    let environment = module.get_global(&format!("{kernel}_kernel_environment"))?;
    Some(match KernelEnvironment::of_global(Value::of(&environment))?.mode {
        ExecutionMode::Spmd => Mode::Spmd,
        ExecutionMode::Generic => Mode::Generic,
        ExecutionMode::MadeSpmd => Mode::MadeSpmd,
    })
}
