//! The fast way for affine addresses: sums of values that vary, each times something that nothing changes while the loops run.
//!
//! The difference of the two addresses is one equation over the iteration numbers of both ends (and over quotients and loaded values, as
//! unknowns of their own). It is taken apart by the largest stride first, `S*Q + R` with `|R| < S` being 0 only where `Q` and `R` are
//! (delinearisation with proven bounds); what is left are equations with coefficients of 1, of which each gives one unknown by others.
//! Bounds are eliminated from the innermost loop outwards, each with what bounds it there (as by Fourier and Motzkin, so that triangular
//! nests keep their shape), and what is to be proven is one polynomial over invariant values that mostly collapses to a constant.
//!
//! Every step keeps all solutions, so that nothing is called independent wrongly: an equation or a bound that is not understood is left
//! alone, and directions that are not excluded are possible. Facts are used only where they are affine, too.
//!
//! It ends: each equation that is looked at is dropped, kept for later, or takes a variable away; splits, cases of directions and ways to
//! bound a polynomial are counted.

mod bounds;
mod conditions;
mod directions;
mod proofs;
mod read;
mod solve;
mod strides;

use super::Access;
use super::Vector;
use crate::atom::{AtomId, LoopId};
use crate::space::Space;
use smallvec::SmallVec;

/// One entry a common loop.
type ByLoop<T> = SmallVec<[T; 4]>;

/// All vectors; `None` where addresses are not affine, may wrap, or guards may exclude more.
pub(super) fn affine(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    same: bool,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Vec<Vector>> {
    if !super::wrapping::stays_below_wrap(space, source, sink) {
        return None;
    }
    let Some((variables, known, start)) = read::read(space, source, sink, common, is_constant)? else {
        // The two never both run.
        return Some(Vec::new());
    };
    let vectors = conditions::vectors(space, variables, known, start, same, || is_simple(space, source, sink, common));
    let is_open = || !vectors.is_empty() && read::may_exclude_more(space, source, sink);
    if is_open() { None } else { Some(vectors) }
}

/// Whether equations and bounds of loops alone decide which iterations meet.
fn is_simple(space: &Space, source: &Access, sink: &Access, common: &[LoopId]) -> bool {
    let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
    let iterations: ByLoop<AtomId> = common.iter().filter_map(|&id| space.known_iteration(id)).collect();
    !has_own_loops
        && [(source, sink), (sink, source)]
            .into_iter()
            .all(|(access, other)| super::linear::Bounds::read(space, access, other, &iterations).is_simple)
}
