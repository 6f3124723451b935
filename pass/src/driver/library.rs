//! What other programs ask of the plugin: reports, dependences and changed modules, without a run of clang.

use super::compilation::Compilation;
use super::device;
use super::look::Described;
use super::look_at_device::{AskedOfDevice, look_at_device};
use super::look_at_host::look_at_host;
use super::reported;
use crate::analysis::dependences::{self, Phases, RegionDependences, UnitKind};
use crate::analysis::region::Setting;
use crate::common::apply::Apply;
use crate::openmp::outline::TargetRegion;
use crate::transform::Outcome;
use crate::transform::chunk::HandedOut;
use crate::transform::{coarsen, nested, overlap};
use inkwell::module::Module;
use ipda_hwdb::Gpu;
use ipda_llvm::{DeclarationGuard, Session};
use ipda_models::options::{ByRegion, Options, VersionRequest};
use ipda_models::report::{ObstacleKind, Reason, RegionKind, Report, Side, TransformationState};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

/// What the plugin would report of a module, without a pipeline around it: nothing is printed or written, no option is read from
/// the environment, and the module is afterwards as it was. Counted for `gpu`, else for the target's usual device.
pub fn report(module: &Module<'_>, gpu: Option<&Gpu>) -> Report {
    with_compilation(module, gpu, |compilation| match compilation.side {
        Side::Device => {
            let asked = AskedOfDevice { described: Described::All, structural_hash: false, uses: false, plans: false };
            device::report(compilation, &mut look_at_device(compilation, asked), &[], &HandedOut::default()).0
        }
        Side::Host => {
            let seen = look_at_host(compilation, Described::All, None);
            reported::report(compilation, seen.into_iter().map(|seen| seen.description)).0
        }
    })
}

/// A report that says only what it is about: for those who run a module and do not ask for predictions.
pub fn empty_report(module: &Module<'_>, gpu: Option<&Gpu>) -> Report {
    with_compilation(module, gpu, |compilation| compilation.header())
}

/// The dependences of a module's regions and kernels; of all functions, where it has none. The module is afterwards as it was.
pub fn dependences(module: &Module<'_>) -> Vec<RegionDependences> {
    Session::with(module, |session| dependences_in(session, module, Phases::default())).0
}

/// The same, and how long it took; pairs are tested twice, so that the second time says what the tests alone take.
pub fn dependences_with_times(module: &Module<'_>) -> (Vec<RegionDependences>, Phases) {
    let phases = Phases { again: Some(Duration::ZERO), ..Phases::default() };
    Session::with(module, |session| dependences_in(session, module, phases))
}

/// A kernel whose loops were fused.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FusedKernel {
    /// Whether that is right since some of the arrays that launches hand over are different ones, which nothing tests.
    pub rests_on_host: bool,
    /// Whether lanes of a warp are tiles of several loops.
    pub has_tiles: bool,
    /// The mappings that were made, as `IPDA_MAPPING` names them.
    pub mappings: Vec<String>,
}

/// What is made of each nest, whether or not it pays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopRequest {
    /// The version of this number.
    Number(NonZeroUsize),
    /// A mapping, or one for each of some regions, as `IPDA_MAPPING` has it.
    Mapping(ByRegion<Option<String>>),
}

impl LoopRequest {
    /// `2`, or `i/8 j | i%8`, or `main:42=j i,solve=i j`.
    ///
    /// # Errors
    /// A sentence where it is number 0, and where it is no mapping.
    pub fn parse(text: &str) -> Result<LoopRequest, String> {
        match text.parse::<usize>().map(NonZeroUsize::new) {
            Ok(None) => Err("version 0 is the loops as they are written".into()),
            Ok(Some(number)) => Ok(LoopRequest::Number(number)),
            Err(_) => ByRegion::<Option<String>>::parse(text).map(LoopRequest::Mapping),
        }
    }
}

/// Of which kernels [`fuse_loops`] says that they were changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Those whose loops were fused.
    Fused,
    /// Also those of which only the schedule is another.
    Scheduled,
}

/// Fuses loops of a device module's kernels into the numbers of threads where that is legal and pays, or as the
/// request asks for; says of each kernel whether it
/// was done, and where not, why. `host` is the host's module, whose launches show which arrays are different ones.
pub fn fuse_loops(
    module: &Module<'_>,
    host: Option<&Path>,
    request: Option<LoopRequest>,
    counted: Counted,
) -> Vec<(String, Result<FusedKernel, String>)> {
    let is_shown = |reason: &Reason| reason.obstacle == ObstacleKind::DifferentArrays;
    let sentence = |outcome: Outcome| match outcome.reported {
        Some(reported) if reported.state == TransformationState::Done => {
            let mut rests_on = reported.versions.iter().flat_map(|version| &version.rests_on);
            let has_tiles = reported.made().any(|version| !version.recipe.lanes().is_empty());
            let mappings = reported.made().map(|version| version.recipe.threads_in_words()).collect();
            Ok(FusedKernel { rests_on_host: rests_on.any(is_shown), has_tiles, mappings })
        }
        Some(reported) => {
            Err(reported.obstacles().next().map_or("the loops are best as they are", |reason| &reason.text).to_string())
        }
        None => Err("there is nothing to fuse".into()),
    };
    let (version, mapping) = match request {
        Some(LoopRequest::Number(number)) => {
            (ByRegion::of_all(Some(VersionRequest::Number(number))), ByRegion::default())
        }
        Some(LoopRequest::Mapping(mapping)) => (ByRegion::default(), mapping),
        None => Default::default(),
    };
    let options = Options { host_code: host.map(Path::to_owned), version, mapping, ..Options::default() };
    with_options(module, options, |compilation| {
        if !device::may_transform(compilation) {
            return Vec::new();
        }
        let asked = AskedOfDevice { described: Described::Nothing, structural_hash: false, uses: false, plans: true };
        let mut seen = look_at_device(compilation, asked);
        let outcomes = device::change(compilation, &mut seen, Apply::Yes);
        let handed_out = device::hand_out(compilation, &seen);
        let of_region = |(region, outcome): (&TargetRegion, Option<Outcome>)| {
            let fused = outcome.map(sentence);
            let is_changed =
                counted == Counted::Scheduled && handed_out.is_grid_stride(region) && !matches!(fused, Some(Ok(_)));
            let reported = if is_changed { Some(Ok(FusedKernel::default())) } else { fused };
            Some((region.symbol.clone(), reported?))
        };
        let mut reported: Vec<_> = compilation.regions.iter().zip(outcomes).filter_map(of_region).collect();
        reported.sort_by(|(a, _), (b, _)| a.cmp(b));
        reported
    })
}

/// Lets threads of grid-stride loops do several iterations at once, in a module after optimisation, and take several together where as many threads as
/// `enough` are left; whether any does.
pub fn overlap_iterations(module: &Module<'_>, enough: u64) -> bool {
    with_compilation(module, None, |compilation| {
        let is_coarse = coarsen::settle(module, || Some(enough));
        overlap::overlap(module, || compilation.gpu()) || is_coarse
    })
}

/// Makes nests of the collapsed loops of a host module's target regions where it pays: of how many loops each is now, or why it was left
/// alone, by the region's name.
pub fn give_back_nests(module: &Module<'_>) -> Vec<(String, Result<usize, String>)> {
    let done = with_compilation(module, None, |compilation| {
        nested::give_back_nests(compilation.session, module, &compilation.regions, &|_| Some(Apply::Yes))
    });
    done.into_iter().map(|done| (done.region, done.outcome)).collect()
}

pub(super) fn dependences_in(
    session: Session,
    module: &Module<'_>,
    mut phases: Phases,
) -> (Vec<RegionDependences>, Phases) {
    let compilation = Compilation::new(session, module, Options::default(), "library");
    let has_regions = !compilation.regions.is_empty();
    let compilation = compilation.or_functions();
    let _untouched = DeclarationGuard::new(module);
    let of_region = |region: &TargetRegion| {
        let kind = match region.kind {
            _ if !has_regions => UnitKind::Function,
            RegionKind::Target => UnitKind::Region,
            RegionKind::Kernel => UnitKind::Kernel,
        };
        let setting = Setting { maps: compilation.maps().get(&region.symbol), ..compilation.setting() };
        dependences::dependences_of(&setting, region, kind, &mut phases)
    };
    let found = compilation.regions.iter().map(of_region).collect();
    (found, phases)
}

/// Does some work with a module, without a pipeline around it and with no option from the environment.
fn with_compilation<R>(module: &Module<'_>, gpu: Option<&Gpu>, work: impl FnOnce(&Compilation<'_, '_>) -> R) -> R {
    Session::with(module, |session| {
        work(&Compilation::new(session, module, Options::default(), "library").with_gpu(gpu))
    })
}

/// The same with options of the caller's.
fn with_options<R>(module: &Module<'_>, options: Options, work: impl FnOnce(&Compilation<'_, '_>) -> R) -> R {
    Session::with(module, |session| work(&Compilation::new(session, module, options, "library")))
}
