//! What the host's module says of the regions that a device's compilation describes.

use super::compilation::Compilation;
use super::look::{self, Described};
use super::reported;
use crate::analysis::region::Counterpart;
use inkwell::module::Module;
use ipda_llvm::{Session, with_module};
use ipda_models::options::{Options, Trace};
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// By kernel, of the host's module in a file; none where it cannot be read.
pub(super) fn all(file: &Path, options: &Options) -> Option<FxHashMap<String, Counterpart>> {
    let work = |module: &Module<'_>| {
        Session::with(module, |session| {
            let options = Options { trace: Trace::Off, ..options.clone() };
            let compilation = Compilation::new(session, module, options, "names");
            let seen = look::at_host(&compilation, Described::All, None);
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
