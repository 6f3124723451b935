//! One run of the plugin on one module.

mod analysis;
mod end;
mod library;
mod module;
mod permits;

pub(crate) use analysis::current_mode;
pub use analysis::empty_report;
use analysis::{analyse_module, banks_of, geometry_of, usual_gpu};
use end::{at_end, finished_report, tables_now};
use library::dependences_in;
pub use library::{dependences, dependences_with_times, fuse_loops, give_back_nests, report};
pub(crate) use module::{file_of, maps_of, processor};
use module::{has_regions, is_for_gpu, side, speaks};
use permits::likenesses;
pub(crate) use permits::permits_in;

use crate::analyse::Setting;
use crate::budget::Budget;
use crate::callsite;
use crate::decision::table;
use crate::decision::{self};
use crate::dependences::{self, Phases};
use crate::emit;
use crate::facts::{self, KernelFacts};
use crate::ffi::{RemarkKind, SessionRef, Str, ipda_remarks_enabled, ipda_warn};
use crate::finished::{self, marks};
use crate::ir::{DataLayout, Nameless};
use crate::launched::{launched_in, predictable};
use crate::outline::{self, TargetRegion};
use crate::print;
use crate::transform::Outcome;
use crate::transform::nested::{self, Apply, GivenBack};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::options::{Decision, Options, Remarks, Transform};
use ipda_models::report::{Names, RegionKind, Side};
use llvm_sys::prelude::LLVMModuleRef;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    let gpu = options.gpu.as_deref().and_then(|name| Gpu::find(name).ok());
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
    let has_asked = decides && decision::ask_for_teams(&module);
    let has_launches = !launched.is_empty();
    if has_end {
        table::remember(launched.into_iter().map(|launched| launched.waiting).collect(), machines);
    }
    let done = nested::give_back_nests(session, &module, &|region| match region.transform(&options) {
        Transform::Off => None,
        Transform::Report => Some(Apply::No),
        Transform::On => Some(Apply::Yes),
    });
    if remarks {
        done.iter().for_each(GivenBack::tell);
    }
    has_followed || has_asked || has_launches || done.iter().any(GivenBack::is_done)
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
    let regions = outline::find(module);
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
        budget: Budget::of_module(regions.len()),
        has_device_image: false,
        takes_host_shapes: options.takes_host_shapes,
    };
    let outcome = |region: &TargetRegion| {
        let applies = match region.transform(options) {
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
    let targets = regions.iter().filter(|region| region.kind == RegionKind::Target);
    let outcomes: BTreeMap<String, Outcome> = targets.filter_map(outcome).collect();
    if applies && outcomes.values().any(Outcome::is_done) {
        let context = module.get_context();
        // The mark is for a plugin that is loaded twice.
        let _ = module.add_global_metadata(MARK, &context.metadata_node(&[]));
    }
    outcomes
}
