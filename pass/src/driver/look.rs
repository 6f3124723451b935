//! The look at a module's regions before optimisation: each is flattened once and its loops are analysed once, for all who ask.

use super::compilation::Compilation;
use crate::analysis::region::{self, Analysed, Asked, Begun, Counterpart, Setting};
use crate::common::reject::RejectLog;
use crate::openmp::flatten::{Flat, flatten};
use crate::openmp::outline::TargetRegion;
use ipda_llvm::{Value, warn};
use ipda_models::report::Skewed;
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

/// What is seen of a region; nothing where the plugin itself fails at it: what others have become must still be reported, and reach the host.
pub(super) fn or_nothing<S: Default>(
    compilation: &Compilation<'_, '_>,
    region: &TargetRegion,
    see: impl FnOnce() -> S,
) -> S {
    catch_unwind(AssertUnwindSafe(see)).unwrap_or_else(|_| {
        let text = format!("internal error: {region} is left alone; please report this with the source file");
        warn(compilation.module, &text);
        S::default()
    })
}

/// Adds to a description what is independent in its serial nests.
pub(super) fn add_skewed(description: &mut Option<Analysed>, skewed: Vec<(usize, Skewed)>) {
    let Some(Analysed { region, .. }) = description else { return };
    for (number, skewed) in skewed {
        if let Some(entry) = region.loops.get_mut(number) {
            entry.skewed = Some(skewed);
        }
    }
}

/// A region that is flattened when somebody asks.
pub(super) struct Lazy<'a, 'm, 'ctx> {
    compilation: &'a Compilation<'m, 'ctx>,
    region: &'a TargetRegion,
    flat: OnceCell<Flat>,
}

impl<'a, 'm, 'ctx> Lazy<'a, 'm, 'ctx> {
    pub(super) fn new(compilation: &'a Compilation<'m, 'ctx>, region: &'a TargetRegion) -> Lazy<'a, 'm, 'ctx> {
        Lazy { compilation, region, flat: OnceCell::new() }
    }

    pub(super) fn get(&self) -> &Flat {
        let Lazy { compilation, region, flat } = self;
        flat.get_or_init(|| flatten(compilation.session, region, &compilation.trace))
    }

    /// Analyses it once, if anything is asked. `counterpart` finds what the host's module says of it.
    pub(super) fn answer<'c, P>(
        &'c self,
        asked: Asked,
        counterpart: impl FnOnce() -> Option<&'c Counterpart>,
        plan: impl FnOnce(&[Value], Result<Begun<'_>, RejectLog>) -> P,
    ) -> (Option<Analysed>, Option<P>) {
        if !asked.description && !asked.work {
            return (None, None);
        }
        let flat = self.get();
        let params = flat.code.as_ref().map(|copy| copy.function().params()).unwrap_or_default();
        let setting = Setting { counterpart: counterpart(), ..self.compilation.setting_of(self.region) };
        region::answer(&setting, self.region, flat, asked, |begun| plan(&params, begun))
    }
}
