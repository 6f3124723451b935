//! What other programs ask of the plugin: reports, dependences and changed modules, without a run of clang.

use super::{Wanted, analyse_module, banks_of, geometry_of, maps_of, side, transform_module, usual_gpu};
use crate::analyse::Setting;
use crate::budget::Budget;
use crate::dependences::{self, Phases, RegionDependences, UnitKind};
use crate::ffi::{SessionRef, ipda_with_session};
use crate::ir::{DataLayout, DeclarationGuard};
use crate::outline::{self, TargetRegion};
use crate::transform::Outcome;
use crate::transform::nested::{self, Apply};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_models::options::Options;
use ipda_models::report::{RegionKind, Report, Side, TransformationState};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

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
pub(super) fn with_session<R>(module: &Module<'_>, work: impl FnOnce(SessionRef) -> R) -> R {
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

pub(super) fn dependences_in(
    session: SessionRef,
    module: &Module<'_>,
    mut phases: Phases,
) -> (Vec<RegionDependences>, Phases) {
    let _untouched = DeclarationGuard::new(module);
    let side = side(module);
    let source = module.get_source_file_name().to_string_lossy().into_owned();
    let gpu = usual_gpu(&module.get_triple().as_str().to_string_lossy());
    let geometry = geometry_of(&gpu);
    let setting = |maps, budget| Setting {
        session,
        layout: DataLayout::of(module),
        geometry: &geometry,
        banks: banks_of(&gpu),
        source: &source,
        device_schedules: None,
        device_environment: None,
        maps,
        is_host: side == Side::Host,
        budget,
        has_device_image: false,
        takes_host_shapes: false,
    };
    let regions = outline::find(module);
    if regions.is_empty() {
        let functions = outline::functions(module);
        let budget = Budget::of_module(functions.len());
        let found = functions.iter().map(|function| {
            dependences::dependences_of(&setting(None, budget), function, UnitKind::Function, &mut phases)
        });
        return (found.collect(), phases);
    }
    let kind = |region: &TargetRegion| match region.kind {
        RegionKind::Target => UnitKind::Region,
        RegionKind::Kernel => UnitKind::Kernel,
    };
    let maps = maps_of(session, module, side);
    let budget = Budget::of_module(regions.len());
    let found = regions.iter().map(|region| {
        dependences::dependences_of(&setting(maps.get(&region.symbol), budget), region, kind(region), &mut phases)
    });
    (found.collect(), phases)
}
