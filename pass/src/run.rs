//! One run of the plugin on one module.

use crate::analyse::{self, Setting};
use crate::dependences::{self, Phases, RegionDependences, UnitKind};
use crate::emit;
use crate::facts::{self, KernelFacts};
use crate::ffi::{RemarkKind, SessionRef, Str, ipda_remarks_enabled, ipda_warn, ipda_with_session};
use crate::ir::{DataLayout, DeclarationGuard, Nameless, Value};
use crate::maps;
use crate::omp::{ExecutionMode, KernelEnvironment, KernelName};
use crate::options::{self, Options, Remarks};
use crate::outline::{self, TargetRegion};
use crate::print;
use crate::transform::nested::{self, Apply, GivenBack};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::report::{Hardware, ModeKind, RegionKind, Report, SCHEMA_VERSION, Side};
use ipda_symbolic::{Banks, MemoryGeometry};
use llvm_sys::prelude::LLVMModuleRef;
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;

/// Why the plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// At the start of clang's pipeline, or as `-passes=ipda`.
    Start,
    /// At the end of clang's pipeline.
    Last,
    /// As `-passes='print<ipda>'`.
    Print,
    /// As `-passes='print<ipda-ddg>'`: the dependences.
    Graph,
    /// As `-passes='print<ipda-ddg-dot>'`: the same for Graphviz.
    Dot,
}

/// # Safety
/// `session` and `module` are valid for the time of the call.
pub(crate) unsafe fn run(session: SessionRef, raw: LLVMModuleRef, kind: Kind, parameters: &str) -> bool {
    // SAFETY: by the caller's promise.
    let changed = unsafe { tell(session, raw, kind, parameters) };
    // SAFETY: by the caller's promise; LLVM keeps owning the module.
    let module = ManuallyDrop::new(unsafe { Module::new(raw) });
    // After the analysis, which is of the code as it was written.
    let apply = match std::env::var_os("IPDA_TRANSFORM") {
        Some(value) if value == "report" => Apply::No,
        Some(value) if value != "off" => Apply::Yes,
        _ => return changed,
    };
    if kind != Kind::Start || !has_regions(&module) || side(&module) != Side::Host {
        return changed;
    }
    let done = nested::give_back_nests(session, &module, apply);
    done.iter().for_each(GivenBack::tell);
    changed || apply == Apply::Yes && done.iter().any(|done| done.outcome.is_ok())
}

/// # Safety
/// `session` and `module` are valid for the time of the call.
unsafe fn tell(session: SessionRef, raw: LLVMModuleRef, kind: Kind, parameters: &str) -> bool {
    // SAFETY: by the caller's promise; LLVM keeps owning the module.
    let module = ManuallyDrop::new(unsafe { Module::new(raw) });
    if matches!(kind, Kind::Graph | Kind::Dot) {
        let (found, _) = dependences_in(session, &module);
        match kind {
            Kind::Dot => found.iter().for_each(|region| eprint!("{}", dependences::to_dot(region))),
            _ => eprint!("{}", dependences::text(&found)),
        }
        return false;
    }
    if !has_regions(&module) {
        return false;
    }
    let changed = kind == Kind::Start
        && side(&module) == Side::Device
        && std::env::var_os("IPDA_TRANSFORM").is_some()
        && fuse_all(session, &module).iter().inspect(|done| eprintln!("{done:?}")).filter(|(_, done)| done.is_ok()).count() > 0;
    let (options, problems) = Options::read(parameters);
    let side = side(&module);
    // Once a compilation, by the side that speaks.
    let speaks = speaks(&options, side, &module);
    if kind == Kind::Start && speaks {
        for problem in &problems {
            // SAFETY: the module is valid.
            unsafe { ipda_warn(raw, Str::new(problem)) };
        }
    }
    // SAFETY: the module is valid.
    let remarks =
        unsafe { ipda_remarks_enabled(raw, RemarkKind::Missed) || ipda_remarks_enabled(raw, RemarkKind::Analysis) };
    let remarks = remarks && options.remarks != Remarks::Off;
    if kind == Kind::Last {
        if side == Side::Device && speaks {
            emit::made_spmd(&module, remarks);
        }
        return changed;
    }
    if kind == Kind::Start && !remarks && options.report.is_none() {
        return changed;
    }
    let gpu = options.gpu.as_deref().and_then(|name| options::load_gpu(name).ok());
    let (report, facts) = analyse_module(session, &module, gpu.as_ref(), side);
    if kind == Kind::Print {
        eprint!("{}", print::text(&report));
        return changed;
    }
    if side == Side::Device && !speaks {
        facts::plant(&module, &facts);
        return changed;
    }
    if speaks {
        if remarks {
            emit::remarks(&module, &report);
        }
        if let Some(path) = &options.report
            && let Err(problem) = emit::write_report(path, &report, processor(&module).as_deref())
        {
            // SAFETY: the module is valid.
            unsafe { ipda_warn(raw, Str::new(&problem)) };
        }
        if side == Side::Device {
            emit::remember(report, options.report);
        }
    }
    changed
}

/// What the plugin would report of a module, without a pipeline around it: nothing is printed or written, no option is read from
/// the environment, and the module is afterwards as it was. Counted for `gpu`, else for the target's usual device.
pub fn report(module: &Module<'_>, gpu: Option<&Gpu>) -> Report {
    with_session(module, |session| analyse_module(session, module, gpu, side(module)).0)
}

/// The dependences of a module's regions and kernels; of all functions, where it has none. The module is afterwards as it was.
pub fn dependences(module: &Module<'_>) -> Vec<RegionDependences> {
    dependences_with_times(module).0
}

/// The same, and how long it took.
pub fn dependences_with_times(module: &Module<'_>) -> (Vec<RegionDependences>, Phases) {
    with_session(module, |session| dependences_in(session, module))
}

/// Does some work with the analyses of a module, without a pipeline around it.
fn with_session<R>(module: &Module<'_>, work: impl FnOnce(SessionRef) -> R) -> R {
    struct Work<F, R> {
        work: Option<F>,
        result: Option<std::thread::Result<R>>,
    }
    extern "C" fn call<F: FnOnce(SessionRef) -> R, R>(context: *mut c_void, session: SessionRef) {
        // SAFETY: `context` is the work below, which lives during the call.
        let state = unsafe { &mut *context.cast::<Work<F, R>>() };
        if let Some(work) = state.work.take() {
            state.result = Some(catch_unwind(AssertUnwindSafe(|| work(session))));
        }
    }
    fn callback<F: FnOnce(SessionRef) -> R, R>(_: &Work<F, R>) -> extern "C" fn(*mut c_void, SessionRef) {
        call::<F, R>
    }
    let mut state = Work { work: Some(work), result: None };
    let each = callback(&state);
    // SAFETY: the module is valid, and the callback runs during the call only.
    unsafe { ipda_with_session(module.as_mut_ptr(), (&raw mut state).cast(), each) };
    // A fault goes on where C++ is left behind.
    state.result.expect("the callback runs once").unwrap_or_else(|fault| resume_unwind(fault))
}

/// Fuses loops of a device module's kernels into the numbers of threads where that is legal and pays: what was done with each, or why not.
pub fn fuse_loops(module: &Module<'_>) -> Vec<(String, Result<String, String>)> {
    with_session(module, |session| fuse_all(session, module))
}

/// Makes nests of the collapsed loops of a host module's target regions where it pays: of how many loops each is now, or why it was left
/// alone, by the region's name.
pub fn give_back_nests(module: &Module<'_>) -> Vec<(String, Result<usize, String>)> {
    let done = with_session(module, |session| nested::give_back_nests(session, module, Apply::Yes));
    done.into_iter().map(|done| (done.region, done.outcome)).collect()
}

fn fuse_all(session: SessionRef, module: &Module<'_>) -> Vec<(String, Result<String, String>)> {
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let gpu = usual_gpu(&module.get_triple().as_str().to_string_lossy());
    let geometry = geometry_of(&gpu);
    let setting = Setting {
        session,
        layout: DataLayout::of(module),
        geometry: &geometry,
        banks: banks_of(&gpu),
        source: &source,
        device_schedules: None,
        device_environment: None,
        maps: None,
        is_host: false,
        has_device_image: false,
    };
    let fuse = |region: &TargetRegion| (region.symbol.clone(), crate::transform::transform(session, &setting, region));
    outline::find(module).iter().filter(|region| region.kind == RegionKind::Target).map(fuse).collect()
}

fn dependences_in(session: SessionRef, module: &Module<'_>) -> (Vec<RegionDependences>, Phases) {
    let _untouched = DeclarationGuard::new(module);
    let side = side(module);
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let gpu = usual_gpu(&module.get_triple().as_str().to_string_lossy());
    let geometry = geometry_of(&gpu);
    let setting = |maps| Setting {
        session,
        layout: DataLayout::of(module),
        geometry: &geometry,
        banks: banks_of(&gpu),
        source: &source,
        device_schedules: None,
        device_environment: None,
        maps,
        is_host: side == Side::Host,
        has_device_image: false,
    };
    let mut phases = Phases::default();
    let regions = outline::find(module);
    if regions.is_empty() {
        let functions = outline::functions(module);
        let found = functions
            .iter()
            .map(|function| dependences::dependences_of(&setting(None), function, UnitKind::Function, &mut phases));
        return (found.collect(), phases);
    }
    let kind = |region: &TargetRegion| match region.kind {
        RegionKind::Target => UnitKind::Region,
        RegionKind::Kernel => UnitKind::Kernel,
    };
    let maps = maps_of(session, module, side);
    let found = regions.iter().map(|region| {
        dependences::dependences_of(&setting(maps.get(&region.symbol)), region, kind(region), &mut phases)
    });
    (found.collect(), phases)
}

/// The map clauses by kernel name; the host's module alone shows them.
fn maps_of(session: SessionRef, module: &Module<'_>, side: Side) -> FxHashMap<String, maps::Maps> {
    if side == Side::Host { maps::find(session, DataLayout::of(module), module) } else { FxHashMap::default() }
}

/// Whether there is anything to do, found out cheaply: most modules have nothing.
fn has_regions(module: &Module<'_>) -> bool {
    let is_region = |symbol: &[u8]| symbol.starts_with(KernelName::PREFIX.as_bytes());
    module.get_functions().any(|function| is_region(function.get_name().to_bytes()))
        || is_for_gpu(module) && outline::has_kernels(module)
}

/// clang marks OpenMP's device modules; of other languages, all code for a GPU is the device's.
fn side(module: &Module<'_>) -> Side {
    if module.get_flag("openmp-device").is_some() || is_for_gpu(module) { Side::Device } else { Side::Host }
}

fn is_for_gpu(module: &Module<'_>) -> bool {
    let triple = module.get_triple();
    let triple = triple.as_str().to_bytes();
    triple.starts_with(b"nvptx") || triple.starts_with(b"amdgcn")
}

/// The processor by which reports of one source are told apart: those of other languages than OpenMP come from each device's module.
fn processor(module: &Module<'_>) -> Option<String> {
    (is_for_gpu(module) && module.get_flag("openmp-device").is_none()).then(|| outline::processor(module))?
}

/// Whether this compilation tells people about the regions.
fn speaks(options: &Options, side: Side, module: &Module<'_>) -> bool {
    match (options.remarks, side) {
        (Remarks::Here, _) | (_, Side::Host) => true,
        // The host's module knows OpenMP's regions, and no others.
        (_, Side::Device) => module.get_flag("openmp-device").is_none() || !facts::another_compilation_speaks(),
    }
}

/// Analyses all regions; the module is afterwards as it was.
fn analyse_module(
    session: SessionRef,
    module: &Module<'_>,
    gpu: Option<&Gpu>,
    side: Side,
) -> (Report, Vec<KernelFacts>) {
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
    let mut planted = Vec::new();
    let regions = regions
        .iter()
        .map(|region| {
            let kernel = region.symbol.clone();
            let (device_schedules, device_environment) = facts::of_kernel(&embedded, &kernel);
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
                has_device_image: !embedded.is_empty(),
            };
            let (mut result, schedules) = analyse::region(&setting, region);
            if let Some(maps) = maps.get(&kernel) {
                maps::attach(&mut result, maps);
            }
            planted.push(KernelFacts { kernel, schedules });
            result
        })
        .collect();
    let report = Report { regions, ..header(module, side, gpu) };
    (report, planted)
}

/// The GPU that stands for a device's target where none is named.
fn usual_gpu(triple: &str) -> Gpu {
    static NVIDIA: OnceLock<Gpu> = OnceLock::new();
    static AMD: OnceLock<Gpu> = OnceLock::new();
    let (entry, name) = if triple.starts_with("amdgcn") { (&AMD, "mi210") } else { (&NVIDIA, "h200") };
    entry.get_or_init(|| Gpu::builtin(name).expect("the default entries are built in")).clone()
}

fn geometry_of(gpu: &Gpu) -> MemoryGeometry {
    MemoryGeometry { lanes: gpu.lanes, sector_bytes: gpu.sector.get().into(), line_bytes: gpu.line.get().into() }
}

fn banks_of(gpu: &Gpu) -> Banks {
    Banks { count: gpu.banks, word_bytes: gpu.bank_word.get() }
}

/// A report without regions.
fn header(module: &Module<'_>, side: Side, gpu: Gpu) -> Report {
    let geometry = geometry_of(&gpu);
    Report {
        ipda_report: SCHEMA_VERSION,
        tool: concat!("ipda ", env!("CARGO_PKG_VERSION")).into(),
        source: module.get_source_file_name().to_string_lossy().into_owned(),
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
pub(crate) fn current_mode(module: &Module<'_>, kernel: &str) -> Option<ModeKind> {
    let environment = module.get_global(&format!("{kernel}_kernel_environment"))?;
    Some(match KernelEnvironment::of_global(Value::of(&environment))?.mode {
        ExecutionMode::Spmd => ModeKind::Spmd,
        ExecutionMode::Generic => ModeKind::Generic,
        ExecutionMode::MadeSpmd => ModeKind::MadeSpmd,
    })
}
