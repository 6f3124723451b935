//! One run of the plugin on one module.

use crate::analyse::{self, Setting};
use crate::callsite;
use crate::decision::table;
use crate::decision::{self, Permit, Stay};
use crate::dependences::{self, Phases, RegionDependences, UnitKind};
use crate::emit;
use crate::facts::{self, KernelFacts};
use crate::ffi::{RemarkKind, SessionRef, Str, ipda_remarks_enabled, ipda_warn, ipda_with_session};
use crate::finished::{self, SourceRegion, marks};
use crate::ir::{DataLayout, DeclarationGuard, Nameless, Value};
use crate::launched::{launched_in, predictable};
use crate::maps;
use crate::omp::{self, ExecutionMode, KernelEnvironment, KernelName, Launch};
use crate::options::{self, Decision, Options, Remarks, Transform};
use crate::outline::{self, TargetRegion};
use crate::print;
use crate::transform::nested::{self, Apply, GivenBack};
use crate::transform::{Outcome, fallback};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::report::{Hardware, ModeKind, Names, RegionKind, Report, SCHEMA_VERSION, Side, TransformationState};
use ipda_models::table::Table;
use ipda_symbolic::{Banks, MemoryGeometry};
use llvm_sys::prelude::LLVMModuleRef;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::time::Duration;

/// Why the plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In front of the optimiser.
    Start(Pipeline),
    /// At the end of clang's pipeline.
    Last,
    /// As `-passes='print<ipda>'`.
    Print,
    /// As `-passes='print<ipda-model>'`: what became of the code.
    Model,
    /// As `-passes='print<ipda-table>'`: what a launch decides by.
    Table,
    /// As `-passes='print<ipda-ddg>'`: the dependences.
    Graph,
    /// As `-passes='print<ipda-ddg-dot>'`: the same for Graphviz.
    Dot,
}

/// What a start is the start of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pipeline {
    /// clang's pipeline, at whose end the plugin runs again.
    Whole,
    /// Nothing else: `-passes=ipda`.
    Alone,
}

/// # Safety
/// `session` and `module` are valid for the time of the call.
pub(crate) unsafe fn run(session: SessionRef, raw: LLVMModuleRef, kind: Kind, parameters: &str) -> bool {
    // SAFETY: by the caller's promise; LLVM keeps owning the module.
    let module = ManuallyDrop::new(unsafe { Module::new(raw) });
    if matches!(kind, Kind::Graph | Kind::Dot) {
        let (found, _) = dependences_in(session, &module, Phases::default());
        match kind {
            Kind::Dot => found.iter().for_each(|region| eprint!("{}", dependences::to_dot(region))),
            _ => eprint!("{}", dependences::text(&found)),
        }
        return false;
    }
    if !has_regions(&module) {
        return false;
    }
    let (options, problems) = Options::read(parameters);
    let side = side(&module);
    // Once a compilation, by the side that speaks.
    let speaks = speaks(&options, side, &module);
    let is_start = matches!(kind, Kind::Start(_));
    if is_start && speaks {
        for problem in &problems {
            // SAFETY: the module is valid.
            unsafe { ipda_warn(raw, Str::new(problem)) };
        }
    }
    // SAFETY: the module is valid.
    let are_enabled = |kind| unsafe { ipda_remarks_enabled(raw, kind) };
    let remarks = [RemarkKind::Missed, RemarkKind::Analysis, RemarkKind::Passed].into_iter().any(are_enabled);
    let remarks = remarks && options.remarks != Remarks::Off;
    let gpu = options.gpu.as_deref().and_then(|name| options::load_gpu(name).ok());
    if kind == Kind::Last {
        return at_end(session, &module, gpu.as_ref(), side, remarks);
    }
    if kind == Kind::Model {
        let text = emit::finished_code();
        let now = || print::code(&finished_report(session, &module, gpu.as_ref(), side));
        eprint!("{}", text.unwrap_or_else(now));
        return false;
    }
    if kind == Kind::Table {
        tables_now(session, &module, gpu.as_ref(), &options).iter().for_each(|table| eprint!("{table}"));
        return false;
    }
    let is_told = kind == Kind::Print || remarks || options.report.is_some();
    // Of the code as it was written, as the host has it.
    let decides = is_start && options.decision == Decision::On;
    let likenesses: BTreeMap<String, u64> = match side {
        Side::Device if decides && module.get_flag("openmp-device").is_some() => likenesses(session, &module),
        _ => BTreeMap::new(),
    };
    let (launched, machines) = match side {
        Side::Host if decides => launched_in(session, &module, &options),
        _ => (Vec::new(), Err(String::new())),
    };
    let has_end = kind == Kind::Start(Pipeline::Whole);
    let wanted = match side {
        _ if is_told => Wanted::All,
        _ if !has_end => Wanted::These(BTreeSet::new()),
        Side::Device if is_for_gpu(&module) => Wanted::These(likenesses.keys().cloned().collect()),
        Side::Device => Wanted::These(BTreeSet::new()),
        Side::Host => Wanted::These(predictable(&launched)),
    };
    // Who reads a report learns what became of each loop, and predictions rest on it.
    let is_numbered =
        has_end && (options.report.is_some() || !likenesses.is_empty() || !predictable(&launched).is_empty());
    let numbered = is_numbered.then(|| marks::number_sources(&module));
    let told = (!wanted.is_nothing()).then(|| analyse_module(session, &module, gpu.as_ref(), side, &wanted));
    let outcomes = transform_module(session, &module, gpu.as_ref(), side, &options, is_start);
    let changed = outcomes.values().any(Outcome::is_done);
    let (mut report, mut facts, sources) =
        told.unwrap_or_else(|| (empty_report(&module, gpu.as_ref()), Vec::new(), Vec::new()));
    if let Some(numbered) = numbered {
        if changed {
            marks::note_copies(&module, &numbered);
        }
        finished::remember(sources);
    } else if is_start {
        finished::remember(Vec::new());
    }
    let kernels: BTreeSet<&String> = outcomes.keys().chain(likenesses.keys()).collect();
    let is_new = |kernel: &&String| !facts.iter().any(|facts| facts.kernel == **kernel);
    let fact = |kernel: &String| KernelFacts { kernel: kernel.clone(), ..KernelFacts::default() };
    let others: Vec<KernelFacts> = kernels.into_iter().filter(is_new).map(fact).collect();
    facts.extend(others);
    for (number, facts) in facts.iter_mut().enumerate() {
        facts.likeness = likenesses.get(&facts.kernel).copied();
        facts.outcome = outcomes.get(&facts.kernel).cloned().unwrap_or_default();
        if let (Some(region), Some(told)) = (report.regions.get_mut(number), &facts.outcome.told) {
            region.transformation = Some(Names::of(region).in_transformation(told.clone()));
        }
    }
    if kind == Kind::Print {
        eprint!("{}", print::text(&report));
        return false;
    }
    // Whoever speaks: a host's compilation lets the launches follow.
    if side == Side::Device && (changed || !speaks) {
        let is_empty = |facts: &KernelFacts| {
            facts.schedules.is_empty() && facts.outcome == Outcome::default() && facts.likeness.is_none()
        };
        if !facts.iter().all(is_empty) {
            facts::plant(&module, &facts);
        }
    }
    if side == Side::Device && !speaks {
        return changed;
    }
    for launched in &launched {
        let number = facts.iter().position(|facts| facts.kernel == launched.region.symbol);
        if let Some(region) = number.and_then(|number| report.regions.get_mut(number)) {
            region.on_host = Some(decision::in_report(&launched.permit));
        }
    }
    if speaks && is_told {
        if remarks {
            emit::remarks(&module, &report);
        }
        if options.report.is_some() {
            report.note_sources();
        }
        if let Some(path) = &options.report
            && let Err(problem) = emit::write_report(path, &report, processor(&module).as_deref())
        {
            // SAFETY: the module is valid.
            unsafe { ipda_warn(raw, Str::new(&problem)) };
        }
    }
    if speaks && (is_told || !launched.is_empty()) {
        emit::remember(report, if is_told { options.report.clone() } else { None });
    }
    if side == Side::Device || !is_start {
        return changed;
    }
    // After the analysis, which is of the code as it was written.
    let offered = launched.iter().filter_map(|launched| Some((launched.region.symbol.clone(), launched.offer()?)));
    let has_followed = callsite::edit(&module, &offered.collect());
    let has_launches = !launched.is_empty();
    if has_end {
        table::remember(launched.into_iter().map(|launched| launched.waiting).collect(), machines);
    }
    let done = nested::give_back_nests(session, &module, &|region| match options.transform.of_region(region) {
        Transform::Off => None,
        Transform::Report => Some(Apply::No),
        Transform::On => Some(Apply::Yes),
    });
    if remarks {
        done.iter().for_each(GivenBack::tell);
    }
    has_followed || has_launches || done.iter().any(GivenBack::is_done)
}

/// Of which regions it is asked what a report says.
enum Wanted {
    All,
    /// Those with these names in the module.
    These(BTreeSet<String>),
}

impl Wanted {
    fn is_nothing(&self) -> bool {
        matches!(self, Wanted::These(names) if names.is_empty())
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Wanted::All => true,
            Wanted::These(names) => names.contains(name),
        }
    }
}

/// The tables of a module: those that it has, else those of the code as it is now.
fn tables_now(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, options: &Options) -> Vec<Table> {
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
fn at_end(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, side: Side, remarks: bool) -> bool {
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
fn finished_report(session: SessionRef, module: &Module<'_>, gpu: Option<&Gpu>, side: Side) -> Report {
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
fn add_code(
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
fn with_setting<R>(
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
        has_device_image: false,
        takes_host_shapes: false,
    })
}

/// What the plugin would report of a module, without a pipeline around it: nothing is printed or written, no option is read from
/// the environment, and the module is afterwards as it was. Counted for `gpu`, else for the target's usual device.
pub fn report(module: &Module<'_>, gpu: Option<&Gpu>) -> Report {
    with_session(module, |session| analyse_module(session, module, gpu, side(module), &Wanted::All).0)
}

/// The dependences of a module's regions and kernels; of all functions, where it has none. The module is afterwards as it was.
pub fn dependences(module: &Module<'_>) -> Vec<RegionDependences> {
    with_session(module, |session| dependences_in(session, module, Phases::default())).0
}

/// The same, and how long it took; pairs are tested twice, so that the second time tells what the tests alone take.
pub fn dependences_with_times(module: &Module<'_>) -> (Vec<RegionDependences>, Phases) {
    let phases = Phases { again: Some(Duration::ZERO), ..Phases::default() };
    with_session(module, |session| dependences_in(session, module, phases))
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

/// Fuses loops of a device module's kernels into the numbers of threads where that is legal and pays; tells of each kernel whether it
/// was done, and where not, why.
pub fn fuse_loops(module: &Module<'_>) -> Vec<(String, Result<(), String>)> {
    let outcomes = with_session(module, |session| {
        transform_module(session, module, None, side(module), &Options::default(), true)
    });
    let sentence = |outcome: Outcome| match outcome.told {
        Some(told) if told.state == TransformationState::Done => Ok(()),
        Some(told) => {
            Err(told.reasons.first().map_or("the loops are best as they are", |reason| &reason.text).to_string())
        }
        None => Err("there is nothing to fuse".into()),
    };
    outcomes.into_iter().map(|(kernel, outcome)| (kernel, sentence(outcome))).collect()
}

/// Makes nests of the collapsed loops of a host module's target regions where it pays: of how many loops each is now, or why it was left
/// alone, by the region's name.
pub fn give_back_nests(module: &Module<'_>) -> Vec<(String, Result<usize, String>)> {
    let done = with_session(module, |session| nested::give_back_nests(session, module, &|_| Some(Apply::Yes)));
    done.into_iter().map(|done| (done.region, done.outcome)).collect()
}

/// What becomes of the kernels of a device module, by their names; changes them if `applies`, for the first time only.
fn transform_module(
    session: SessionRef,
    module: &Module<'_>,
    gpu: Option<&Gpu>,
    side: Side,
    options: &Options,
    applies: bool,
) -> BTreeMap<String, Outcome> {
    const MARK: &str = "ipda.transformed";
    let is_openmp = module.get_flag("openmp-device").is_some();
    let is_marked = module.get_global_metadata_size(MARK) > 0;
    if side != Side::Device || !is_openmp || is_marked || options.transform.are_off() {
        return BTreeMap::new();
    }
    let _nameless = Nameless::new(module);
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let gpu = gpu.cloned().unwrap_or_else(|| usual_gpu(&module.get_triple().as_str().to_string_lossy()));
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
        takes_host_shapes: options.takes_host_shapes,
    };
    let outcome = |region: &TargetRegion| {
        let applies = match options.transform.of_region(region) {
            Transform::Off => return None,
            Transform::Report => false,
            Transform::On => applies,
        };
        let transform = || crate::transform::transform(&setting, module, region, applies);
        // What other regions have become must still be told, and reach the host.
        let outcome = catch_unwind(AssertUnwindSafe(transform)).unwrap_or_else(|_| {
            let text = "internal error: loops are left as they are; please report this with the source file";
            // SAFETY: the module is valid.
            unsafe { ipda_warn(module.as_mut_ptr(), Str::new(text)) };
            Outcome::failed()
        });
        Some((region.symbol.clone(), outcome))
    };
    let regions = outline::find(module);
    let targets = regions.iter().filter(|region| region.kind == RegionKind::Target);
    let outcomes: BTreeMap<String, Outcome> = targets.filter_map(outcome).collect();
    if applies && outcomes.values().any(Outcome::is_done) {
        let context = module.get_context();
        // The mark is for a plugin that is loaded twice.
        let _ = module.add_global_metadata(MARK, &context.metadata_node(&[]));
    }
    outcomes
}

fn dependences_in(session: SessionRef, module: &Module<'_>, mut phases: Phases) -> (Vec<RegionDependences>, Phases) {
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
        takes_host_shapes: false,
    };
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

/// What tells whether the host's versions of a device module's regions are like them, by kernel.
fn likenesses(session: SessionRef, module: &Module<'_>) -> BTreeMap<String, u64> {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let regions = outline::find(module);
    let of_region =
        |region: &TargetRegion| Some((region.symbol.clone(), decision::likeness_of_region(session, region)?));
    regions.iter().filter_map(of_region).collect()
}

/// For each region of a host's module that is launched, by its number among all, whether it may run on the host although a device is there.
pub(crate) fn permits_in(
    session: SessionRef,
    module: &Module<'_>,
) -> BTreeMap<usize, (TargetRegion, Result<Permit, Stay>)> {
    let _untouched = DeclarationGuard::new(module);
    let _nameless = Nameless::new(module);
    let Some(runtime) = module.get_function("__tgt_target_kernel") else { return BTreeMap::new() };
    let launches = Value::of(&runtime).users().into_iter().filter_map(Launch::decode);
    // How often, and whether a mapper stands behind what the launch shows.
    let mut launched: FxHashMap<String, (usize, bool)> = FxHashMap::default();
    for (kernel, launch) in launches.filter_map(|launch| Some((launch.kernel()?, launch))) {
        let (count, has_mappers) = launched.entry(kernel).or_default();
        *count += 1;
        *has_mappers |= launch.has_mappers();
    }
    let maps = maps_of(session, module, Side::Host);
    let shares_memory = omp::requires_shared_memory(module);
    let images = facts::read(module);
    let permit = |region: &TargetRegion| {
        let (launches, has_mappers) = *launched.get(&region.symbol)?;
        // clang calls the host's version where a launch fails, and where an if clause says so.
        let starts = region.entry.users().into_iter().filter(|user| user.callee() == Some(region.entry)).count();
        Some(match () {
            () if shares_memory => Err(Stay::SharedMemory),
            () if starts > launches => Err(Stay::OwnCondition),
            () if has_mappers => Err(Stay::Mapper),
            () => decision::permit(session, region, maps.get(&region.symbol), |likeness| {
                facts::are_like(&images, &region.symbol, likeness)
            }),
        })
    };
    let with_permit = |(number, region): (usize, TargetRegion)| {
        let permit = permit(&region)?;
        Some((number, (region, permit)))
    };
    outline::find(module).into_iter().enumerate().filter_map(with_permit).collect()
}

pub(crate) fn file_of(module: &Module<'_>, region: &TargetRegion) -> String {
    let place = region.holder().function_location().map(|location| location.file);
    place.unwrap_or_else(|| module.get_source_file_name().to_string_lossy().into_owned())
}

/// The map clauses by kernel name; the host's module alone shows them.
pub(crate) fn maps_of(session: SessionRef, module: &Module<'_>, side: Side) -> FxHashMap<String, maps::Maps> {
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
pub(crate) fn processor(module: &Module<'_>) -> Option<String> {
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
                has_device_image: !embedded.is_empty(),
                takes_host_shapes: false,
            };
            let analyse::Analysed { region: mut result, schedules, loops, readings } =
                analyse::region(&setting, region);
            let captures = result.captures.iter().map(|capture| capture.name.clone()).collect();
            sources.push(SourceRegion { symbol: kernel.clone(), captures, readings, loops });
            if let Some(maps) = maps.get(&kernel) {
                maps::attach(&mut result, maps);
            }
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
pub(crate) fn current_mode(module: &Module<'_>, kernel: &str) -> Option<ModeKind> {
    let environment = module.get_global(&format!("{kernel}_kernel_environment"))?;
    Some(match KernelEnvironment::of_global(Value::of(&environment))?.mode {
        ExecutionMode::Spmd => ModeKind::Spmd,
        ExecutionMode::Generic => ModeKind::Generic,
        ExecutionMode::MadeSpmd => ModeKind::MadeSpmd,
    })
}
