//! The look at the regions of a device's module.

use super::compilation::Compilation;
use super::look::{Described, Lazy, add_skewed, or_nothing};
use super::module::is_for_gpu;
use crate::analysis::dependences::{only_update_copies, skewed_nests};
use crate::analysis::region::{Analysed, Analysis, Asked};
use crate::analysis::written::{self, Use};
use crate::decision;
use crate::openmp;
use crate::openmp::outline::TargetRegion;
use crate::transform::overwritten::{self, Overwritten};
use crate::transform::{self, Found};
use ipda_models::options::Transform;
use ipda_models::report::RegionKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The plugin itself failed at a region.
pub(super) struct Failed;

/// What is seen of a region of a device's module.
#[derive(Default)]
pub(super) struct OnDevice {
    pub description: Option<Analysed>,
    /// What says whether the host's version is like it.
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

/// What is asked of a device's regions.
#[derive(Debug, Clone, Copy)]
pub(super) struct AskedOfDevice {
    pub described: Described,
    pub structural_hash: bool,
    pub uses: bool,
    pub plans: bool,
}

/// Looks at all regions of a device's module, which is afterwards as it was.
pub(super) fn look_at_device(compilation: &Compilation<'_, '_>, asked: AskedOfDevice) -> Vec<OnDevice> {
    compilation.trace.enter("look");
    let _untouched = compilation.untouched();
    let one = |region: &TargetRegion| {
        let plans = asked.plans
            && region.kind == RegionKind::Target
            && region.transform(&compilation.options) != Transform::Off;
        or_nothing(compilation, region, || device_region(compilation, region, AskedOfDevice { plans, ..asked }))
    };
    let seen = compilation.regions.iter().map(one).collect();
    compilation.ends("look");
    seen
}

fn device_region(compilation: &Compilation<'_, '_>, region: &TargetRegion, asked: AskedOfDevice) -> OnDevice {
    let flat = Lazy::new(compilation, region);
    let structural_hash = asked.structural_hash.then(|| decision::structural_hash_of(flat.get())).flatten();
    let uses = (asked.uses && region.kind == RegionKind::Target).then(|| written::of_kernel(flat.get())).flatten();
    let description = match asked.described {
        Described::All => true,
        Described::Decided => structural_hash.is_some() && is_for_gpu(compilation.module),
        Described::Nothing => false,
    };
    let unplanned = asked.plans.then(|| transform::without_plan(flat.get())).flatten();
    let plans = asked.plans && unplanned.is_none();
    let overwrites = overwritten::may_be_any(uses.as_deref());
    // For people alone.
    let skews = asked.described == Described::All;
    let asked = Asked { description, work: plans || overwrites || skews };
    let (mut description, answers) = flat.answer(
        asked,
        || compilation.counterpart(region),
        |params, begun| {
            let known = begun.as_ref().ok().filter(|begun| overwrites && begun.log.first().is_none());
            let overwritten = known.map(|begun| overwritten::of_region(&mut begun.analysis.clone(), params));
            let reduces = begun.as_ref().ok().filter(|begun| plans && combines_copies(&begun.analysis));
            let only_updates = reduces.is_some_and(|begun| only_update_copies(&mut begun.analysis.clone()));
            let skewed = begun.as_ref().ok().filter(|_| skews).map(|begun| skewed_nests(&mut begun.analysis.clone()));
            let plan = || catch_unwind(AssertUnwindSafe(|| transform::plan(region, params, begun))).map_err(|_| Failed);
            (overwritten.unwrap_or_default(), only_updates, skewed.unwrap_or_default(), plans.then(plan))
        },
    );
    let (overwritten, only_updates_copies, skewed, finding) = answers.unwrap_or_default();
    add_skewed(&mut description, skewed);
    let finding = unplanned.map(Ok).or(finding);
    OnDevice { description, structural_hash, uses, overwritten, only_updates_copies, finding }
}

/// Whether a region ends with reductions.
fn combines_copies(analysis: &Analysis<'_>) -> bool {
    analysis.cfg.blocks.iter().flat_map(|block| block.instructions()).any(openmp::combines_copies)
}
