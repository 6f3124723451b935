//! A region's loops before optimisation, as the report has them.

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
    /// Of which loops a thread may take several iterations in lockstep.
    pub in_lockstep: Vec<InLockstep>,
    /// The region's expressions, until they are taken to predict.
    pub expressions: Rc<RefCell<Option<Expressions>>>,
}

/// Which iterations a thread may take in lockstep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InLockstep {
    /// The loop that threads share, and the one whose iterations are taken together, by the numbers that they carry through the optimiser.
    pub shared: u32,
    pub of: u32,
    /// How many of its iterations those are apart, and how many iterations there are of the one of several loops that a clause collapsed to it.
    pub apart: String,
    pub trips: String,
}

/// What was known of a kernel before optimisation.
pub(crate) fn source_of<'a>(sources: &'a [SourceRegion], symbol: &str) -> Option<&'a SourceRegion> {
    sources.iter().find(|source| source.symbol == symbol)
}

/// The names of kernels of which something was known, in the order of the report.
pub(crate) fn symbols(sources: &[SourceRegion]) -> Vec<&str> {
    sources.iter().map(|source| &source.symbol[..]).collect()
}
