//! The test of affine addresses: sums of values that vary, each times something that nothing changes while the loops run.
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
mod cases;
mod conditions;
mod counterpart;
mod digits;
mod directions;
mod distances;
mod ends;
mod frame;
mod frames;
mod merge;
mod products;
mod proofs;
mod read;
mod solve;
mod strides;
mod variables;
mod worth;
mod wraps;

pub(crate) use counterpart::Counterpart;
pub(crate) use frames::Frames;

use super::access::{Access, own_loops};
use super::vector::{ByLoop, Pair, Vector};
use super::wrapping::stays_below_wrap;
use crate::id::{AtomId, LoopId};
use crate::polynomial::Atoms;
use crate::space::Space;
use cases::{Case, cases, conditions as conditions_of};
use digits::Digits;
use ends::Ends;
use smallvec::SmallVec;

/// All vectors; `None` where addresses are not affine, whichever way conditions in them are decided.
pub(super) fn affine(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    pair: Pair,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Option<Vec<Vector>> {
    let wraps = match stays_below_wrap(space, source, sink) {
        true => None,
        false => Some(space.counterpart(Counterpart::Wraps)),
    };
    let task = Task { common, wraps, pair, is_constant };
    let mut decided: Atoms = conditions_of(space, source).chain(conditions_of(space, sink)).collect();
    if decided.is_empty() {
        // Inside, the two never both run.
        return Some(task.vectors(space, source, sink, &[])?.unwrap_or_default());
    }
    decided.sort_unstable();
    decided.dedup();
    let own = own_loops(source, sink, common);
    let cases = cases(&Ends { space, common, own: &own, is_constant }, source, sink, &decided)?;
    let mut vectors = Vec::new();
    for Case { source, sink, apart } in cases {
        vectors.extend(task.vectors(space, &source, &sink, &apart)?);
    }
    Some(conditions::united(vectors, common.len()))
}

/// What is asked about two accesses.
struct Task<'a> {
    common: &'a [LoopId],
    wraps: Option<AtomId>,
    pair: Pair,
    is_constant: &'a dyn Fn(AtomId) -> bool,
}

impl Task<'_> {
    /// The inner `None` where the two never both run, the outer one where they are not affine. Digits tell most; of a number that has no more of
    /// them than iterations, the number itself may.
    fn vectors(
        &self,
        space: &mut Space,
        source: &Access,
        sink: &Access,
        apart: &[SmallVec<[usize; 2]>],
    ) -> Option<Option<Vec<Vector>>> {
        let Some(digits) = Digits::of(space, source, sink, self.common) else {
            return self.solved(space, source, sink, apart, None);
        };
        let in_digits = self.solved(space, source, sink, apart, Some(&digits));
        if matches!(&in_digits, Some(None)) || matches!(&in_digits, Some(Some(vectors)) if vectors.is_empty()) {
            return in_digits;
        }
        let as_written = self.solved(space, source, sink, apart, None);
        let open = |found: &Option<Option<Vec<Vector>>>| {
            let vectors = found.as_ref().map(|vectors| vectors.iter().flatten());
            vectors.map_or(usize::MAX, |vectors| vectors.filter(|vector| vector.excluded_if.is_none()).count())
        };
        let is_better = matches!(&as_written, Some(vectors) if vectors.iter().flatten().next().is_none())
            || open(&as_written) < open(&in_digits);
        if is_better { as_written } else { in_digits }
    }

    fn solved(
        &self,
        space: &mut Space,
        source: &Access,
        sink: &Access,
        apart: &[SmallVec<[usize; 2]>],
        digits: Option<&Digits>,
    ) -> Option<Option<Vec<Vector>>> {
        let Task { common, wraps, pair, is_constant } = *self;
        let Some(mut reading) = read::read(space, source, sink, common, digits, is_constant)? else {
            return Some(None);
        };
        reading.start.keep_apart(apart.iter().cloned());
        let bounds_decide = |space: &Space| bounds_decide(space, source, sink, common);
        Some(Some(conditions::vectors(space, reading, wraps, pair, bounds_decide)))
    }
}

/// Whether nothing varies in the address but iteration numbers of its loops.
pub(super) fn depends_on_iterations_alone(space: &Space, access: &Access) -> bool {
    read::others(space, access).is_empty()
}

/// Whether equations and bounds of loops alone decide which iterations meet.
pub(super) fn bounds_decide(space: &Space, source: &Access, sink: &Access, common: &[LoopId]) -> bool {
    let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
    let iterations: ByLoop<AtomId> = common.iter().filter_map(|&id| space.known_iteration(id)).collect();
    let ends = [(source, sink), (sink, source)];
    let are_alike = || source.bytes == sink.bytes && source.address == sink.address && source.facts == sink.facts;
    let ends = if std::ptr::eq(source, sink) || are_alike() { &ends[..1] } else { &ends[..] };
    let has_only_bounds =
        |&(access, other)| super::linear::Bounds::read(space, access, other, &iterations).has_only_bounds;
    !has_own_loops && ends.iter().all(has_only_bounds)
}
