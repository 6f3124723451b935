//! What became of a region's loops: the finished code is asked how often it runs, in the words of the report.
//!
//! In front of the optimiser every loop gets a number ([`marks`]) that it keeps through rotation, unrolling and vectorisation. Behind the
//! optimiser the region is flattened and lowered again ([`places`]): trip counts are those of the finished loops, so unroll and vector factors
//! divide themselves out, and what the remainder loops have left to do is known exactly. Branches tell how likely code is ([`chance`]). The
//! device's instructions are counted in the IR (`facts/instructions`), the host's in its machine code ([`machine`]).

mod chance;
mod code;
pub(crate) mod machine;
pub(crate) mod marks;
mod places;
mod source;
mod unrolled;
mod versions;

pub(crate) use code::{Finished, FinishedLoop, in_region};

use ipda_models::report::LoopKind;
use ipda_models::summary::Expressions;
use ipda_models::table::Reading;
use std::cell::RefCell;
use std::rc::Rc;

/// A loop as the report has it.
#[derive(Debug, Clone)]
pub(crate) struct SourceLoop {
    /// The number that it carries through the optimiser.
    pub mark: Option<u32>,
    /// Its place among the loops of the report, where it is one of them.
    pub number: Option<usize>,
    /// Its `id` in the report; that of the shared loop whose chunks it hands out, where the report has it not.
    pub id: Option<String>,
    pub role: Role,
    /// What expressions call its iteration number.
    pub index: Option<String>,
    /// How often it runs, where that is known.
    pub trips: Option<String>,
    /// The least constant by which one of its integers goes up or down.
    pub step: Option<i64>,
}

/// What a loop is to the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// All threads that come here run all iterations.
    Sequential,
    /// Its iterations are shared.
    Shared(LoopKind),
    /// Hands a team its part of a shared loop, as many iterations at a time as it has threads.
    TeamsPart,
    /// Runs over a thread's chunks, of so many iterations where that is fixed.
    Chunks(Option<i64>),
}

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

/// What was known of a kernel in front of the optimiser.
pub(crate) fn source_of<'a>(sources: &'a [SourceRegion], symbol: &str) -> Option<&'a SourceRegion> {
    sources.iter().find(|source| source.symbol == symbol)
}

/// The names of kernels of which something was known, in the order of the report.
pub(crate) fn symbols(sources: &[SourceRegion]) -> Vec<&str> {
    sources.iter().map(|source| &source.symbol[..]).collect()
}

/// A count as it is told.
pub(crate) fn rounded(count: f64) -> f64 {
    const PLACES: f64 = 1e4;
    (count * PLACES).round() / PLACES
}
