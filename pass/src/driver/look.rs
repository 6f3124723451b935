//! The look at a module's regions before optimisation: each is flattened once and its loops are analysed once, for all who ask.

use super::compilation::Compilation;
use super::launches::{Launched, Launches};
use super::module::is_for_gpu;
use crate::analysis::dependences::only_update_copies;
use crate::analysis::region::{self, Analysed, Analysis, Asked, Begun};
use crate::analysis::written::{self, Use};
use crate::common::reject::RejectLog;
use crate::decision;
use crate::openmp;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use crate::transform::overwritten::{self, Overwritten};
use crate::transform::{self, Found};
use ipda_llvm::{Value, warn};
use ipda_models::options::Transform;
use ipda_models::report::RegionKind;
use std::cell::OnceCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Which regions are described as a report does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Described {
    All,
    /// Those that a launch may decide for, where the device is a GPU.
    Decided,
    Nothing,
}

/// The plugin itself failed at a region.
pub(super) struct Failed;

/// What is seen of a region of a device's module.
#[derive(Default)]
pub(super) struct OnDevice {
    pub description: Option<Analysed>,
    /// What tells whether the host's version is like it.
    pub structural_hash: Option<u64>,
    /// What it does to the memory that its captured variables lead to, where that is asked and known.
    pub uses: Option<Vec<Use>>,
    /// What it overwrites entirely, where that is asked and known.
    pub overwritten: Vec<Overwritten>,
    /// Whether its threads keep no more than copies of reductions from one iteration to the next, and only update these; where plans are asked.
    pub only_updates_copies: bool,
    /// What may be done with its loops, where that is asked.
    pub finding: Option<Result<Found, Failed>>,
}

/// What is seen of a region of a host's module.
#[derive(Default)]
pub(super) struct OnHost {
    pub description: Option<Analysed>,
    pub launched: Option<Launched>,
}

/// What is asked of a device's regions.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedOfDevice {
    pub described: Described,
    pub structural_hash: bool,
    pub uses: bool,
    pub plans: bool,
}

/// Looks at all regions of a device's module, which is afterwards as it was.
pub(super) fn at_device(compilation: &Compilation<'_, '_>, asked: AskedOfDevice) -> Vec<OnDevice> {
    compilation.trace.enter("look");
    let _untouched = compilation.untouched();
    let one = |region: &TargetRegion| {
        let plans = asked.plans
            && region.kind == RegionKind::Target
            && region.transform(&compilation.options) != Transform::Off;
        or_nothing(compilation, region, || device_region(compilation, region, asked, plans))
    };
    let seen = compilation.regions.iter().map(one).collect();
    compilation.ends("look");
    seen
}

fn device_region(
    compilation: &Compilation<'_, '_>,
    region: &TargetRegion,
    asked: AskedOfDevice,
    plans: bool,
) -> OnDevice {
    let flat = Lazy::new(compilation, region);
    let structural_hash = asked.structural_hash.then(|| decision::structural_hash_of(flat.get())).flatten();
    let uses = (asked.uses && region.kind == RegionKind::Target).then(|| written::of_kernel(flat.get())).flatten();
    let description = match asked.described {
        Described::All => true,
        Described::Decided => structural_hash.is_some() && is_for_gpu(compilation.module),
        Described::Nothing => false,
    };
    let unplanned = plans.then(|| transform::without_plan(flat.get())).flatten();
    let plans = plans && unplanned.is_none();
    let overwrites = overwritten::may_be_any(uses.as_deref());
    let (description, answers) = flat.answer(Asked { description, work: plans || overwrites }, |params, begun| {
        let known = begun.as_ref().ok().filter(|begun| overwrites && begun.log.first().is_none());
        let overwritten = known.map(|begun| overwritten::of_region(&mut begun.analysis.clone(), params));
        let reduces = begun.as_ref().ok().filter(|begun| plans && combines_copies(&begun.analysis));
        let only_updates = reduces.is_some_and(|begun| only_update_copies(&mut begun.analysis.clone()));
        let plan = || catch_unwind(AssertUnwindSafe(|| transform::plan(region, params, begun))).map_err(|_| Failed);
        (overwritten.unwrap_or_default(), only_updates, plans.then(plan))
    });
    let (overwritten, only_updates_copies, finding) = answers.unwrap_or_default();
    let finding = unplanned.map(Ok).or(finding);
    OnDevice { description, structural_hash, uses, overwritten, only_updates_copies, finding }
}

/// Whether a region ends with reductions.
fn combines_copies(analysis: &Analysis<'_>) -> bool {
    analysis.cfg.blocks.iter().flat_map(|block| block.instructions()).any(openmp::combines_copies)
}

/// Looks at all regions of a host's module, which is afterwards as it was.
pub(super) fn at_host(
    compilation: &Compilation<'_, '_>,
    described: Described,
    launches: Option<&Launches>,
) -> Vec<OnHost> {
    compilation.trace.enter("look");
    let _untouched = compilation.untouched();
    let one = |(number, region): (usize, &TargetRegion)| {
        or_nothing(compilation, region, || host_region(compilation, number, described, launches))
    };
    let seen = compilation.regions.iter().enumerate().map(one).collect();
    compilation.ends("look");
    seen
}

fn host_region(
    compilation: &Compilation<'_, '_>,
    number: usize,
    described: Described,
    launches: Option<&Launches>,
) -> OnHost {
    let flat = Lazy::new(compilation, &compilation.regions[number]);
    let launched = launches.and_then(|launches| launches.of_region(compilation, number, || flat.get()));
    let description = match described {
        Described::All => true,
        Described::Decided => launched.as_ref().is_some_and(|launched| launched.waiting.is_predictable()),
        Described::Nothing => false,
    };
    let (description, _) = flat.answer(Asked { description, work: false }, |_, _| ());
    OnHost { description, launched }
}

/// What is seen of a region; nothing where the plugin itself fails at it: what others have become must still be reported, and reach the host.
fn or_nothing<S: Default>(compilation: &Compilation<'_, '_>, region: &TargetRegion, see: impl FnOnce() -> S) -> S {
    catch_unwind(AssertUnwindSafe(see)).unwrap_or_else(|_| {
        let text = format!("internal error: {region} is left alone; please report this with the source file");
        warn(compilation.module, &text);
        S::default()
    })
}

/// A region that is flattened when somebody asks.
struct Lazy<'a, 'm, 'ctx> {
    compilation: &'a Compilation<'m, 'ctx>,
    region: &'a TargetRegion,
    flat: OnceCell<Flat>,
}

impl<'a, 'm, 'ctx> Lazy<'a, 'm, 'ctx> {
    fn new(compilation: &'a Compilation<'m, 'ctx>, region: &'a TargetRegion) -> Lazy<'a, 'm, 'ctx> {
        Lazy { compilation, region, flat: OnceCell::new() }
    }

    fn get(&self) -> &Flat {
        let Lazy { compilation, region, flat } = self;
        flat.get_or_init(|| flatten(compilation.session, region, &compilation.trace))
    }

    /// Analyses it once, if anything is asked.
    fn answer<P>(
        &self,
        asked: Asked,
        plan: impl FnOnce(&[Value], Result<Begun<'_>, RejectLog>) -> P,
    ) -> (Option<Analysed>, Option<P>) {
        if !asked.description && !asked.work {
            return (None, None);
        }
        let flat = self.get();
        let params = flat.code.as_ref().map(|copy| copy.function().params()).unwrap_or_default();
        let setting = self.compilation.setting_of(self.region);
        region::answer(&setting, self.region, flat, asked, |begun| plan(&params, begun))
    }
}
