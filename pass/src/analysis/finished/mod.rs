//! What became of a region's loops: the finished code is asked how often it runs, in the words of the report.
//!
//! Before optimisation every loop gets a number ([`marks`]) that it keeps through rotation, unrolling and vectorisation. Behind the
//! optimiser the region is flattened and lowered again ([`places`]): trip counts are those of the finished loops, so unroll and vector factors
//! divide themselves out, and what the remainder loops have left to do is known exactly. Branches tell how likely code is ([`chance`]). The
//! device's instructions are counted in the IR (`facts/instructions`), the host's in its machine code ([`host_code`]).

mod chance;
mod code;
pub(crate) mod host_code;
pub(crate) mod marks;
mod places;
mod unrolled;
mod versions;

pub(crate) use code::{Finished, FinishedLoop, in_region};

use crate::analysis::region::SourceLoop;
use ipda_models::summary::Expressions;
use ipda_models::table::Reading;
use std::cell::RefCell;
use std::rc::Rc;

/// A region as the report has it.
#[derive(Debug, Clone)]
pub(crate) struct SourceRegion {
    /// The kernel's name in the module.
    pub symbol: String,
    /// The captured variables, in the order of the kernel's arguments.
    pub captures: Vec<String>,
    /// How the bits are read that arrive in them, in the same order; none where they are no number.
    pub readings: Vec<Option<Reading>>,
    pub loops: Vec<SourceLoop>,
    /// The region's expressions, until they are taken to predict.
    pub expressions: Rc<RefCell<Option<Expressions>>>,
}

/// What was known of a kernel before optimisation.
pub(crate) fn source_of<'a>(sources: &'a [SourceRegion], symbol: &str) -> Option<&'a SourceRegion> {
    sources.iter().find(|source| source.symbol == symbol)
}

/// The names of kernels of which something was known, in the order of the report.
pub(crate) fn symbols(sources: &[SourceRegion]) -> Vec<&str> {
    sources.iter().map(|source| &source.symbol[..]).collect()
}

/// A count as it is reported.
pub(crate) fn rounded(count: f64) -> f64 {
    const PLACES: f64 = 1e4;
    (count * PLACES).round() / PLACES
}
