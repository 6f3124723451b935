//! What became of a region's loops: the finished code is asked how often it runs, in the words of the report.
//!
//! Before optimisation every loop gets a number ([`marks`]) that it keeps through rotation, unrolling and vectorisation. Behind the
//! optimiser the region is flattened and lowered again ([`places`]): trip counts are those of the finished loops, so unroll and vector factors
//! divide themselves out, and what the remainder loops have left to do is known exactly. Branches say how likely code is ([`chance`]), and what lanes have of their own whether a
//! warp runs both of their sides ([`lanes`]). The
//! device's instructions are counted in the IR (`facts/instructions`), the host's in its machine code ([`host_code`]).

mod chance;
mod code;
mod exceptions;
pub(crate) mod host_code;
mod lanes;
pub(crate) mod marks;
mod places;
mod source;
mod unrolled;
mod versions;

pub(crate) use chance::main_thread;
pub(crate) use code::in_region;
pub(crate) use places::{Finished, FinishedLoop};
pub(crate) use source::{InLockstep, SourceRegion, source_of, symbols};

/// A count as it is reported.
pub(crate) fn rounded(count: f64) -> f64 {
    const PLACES: f64 = 1e4;
    (count * PLACES).round() / PLACES
}
