//! What the host's module says of the regions that a device's compilation describes.

use super::compilation::Compilation;
use super::look::Described;
use super::look_at_host::look_at_host;
use super::reported;
use crate::analysis::region::Counterpart;
use crate::openmp::outline::TargetRegion;
use inkwell::module::Module;
use ipda_llvm::{Session, with_module};
use ipda_models::options::{Options, Trace};
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

impl Compilation<'_, '_> {
    /// What the host's module says of the regions of a device's, where somebody reads of them, or writes their names.
    pub(super) fn counterpart(&self, region: &TargetRegion) -> Option<&Counterpart> {
        let find = || {
            let is_asked = self.relays() || self.options.mapping.has_any() && self.is_part_of_host();
            let Some(file) = self.host.file().filter(|_| is_asked) else { return FxHashMap::default() };
            let step = self.trace.begin("names", None);
            let found = all(file, &self.options).unwrap_or_default();
            step.end(format_args!("{} regions of the host's", found.len()));
            found
        };
        self.counterparts.get_or_init(find).get(&region.symbol)
    }
}

/// By kernel, of the host's module in a file; none where it cannot be read.
fn all(file: &Path, options: &Options) -> Option<FxHashMap<String, Counterpart>> {
    let work = |module: &Module<'_>| {
        Session::with(module, |session| {
            let options = Options { trace: Trace::Off, ..options.clone() };
            let compilation = Compilation::new(session, module, options, "names");
            let seen = look_at_host(&compilation, Described::All, None);
            let (report, reported) = reported::report(&compilation, seen.into_iter().map(|seen| seen.description));
            let counterpart = |(region, reported): (_, &reported::Reported)| {
                let maps = compilation.maps().get(&reported.source.symbol);
                let lengths = maps.map_or(&[][..], |maps| maps.lengths(reported.source.captures.len()));
                (reported.source.symbol.clone(), Counterpart::new(region, lengths))
            };
            report.regions.iter().zip(&reported).map(counterpart).collect()
        })
    };
    // Names are not worth a region.
    catch_unwind(AssertUnwindSafe(|| with_module(file, work))).unwrap_or_default()
}
