//! The dependence test: at which distances of the loops around them two accesses to one object touch common bytes.
//!
//! The test of iteration-point differences (the thesis's section 4.3): the difference of the two addresses at the iterations `i` of the
//! source and `i + D` of the sink, with `D` unknown, is shown to stay out of the bytes' overlap, or what is left is described by directions.
//!
//! Two tests are asked one after the other: `linear` knows numbers alone and tells most for sure, `affine` knows symbols and has the
//! elimination. What neither reads may meet anywhere. `docs/research/dependence.md` has what each proves.

mod access;
mod affine;
mod linear;
mod vector;
mod wrapping;

pub use access::Access;
pub(crate) use affine::{Counterpart, Frames};
pub use vector::{Direction, Pair, Step, Vector};

use crate::id::{AtomId, LoopId};
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use vector::MEET;

/// Steps of work that a test takes to be set up.
const STEPS_OF_TEST: usize = 32;

/// At which distances `source` and `sink` on one object may collide; without any vector, they are independent. `common`: the loops around
/// both, outermost first. All vectors are reported, also those in which the sink comes first. For one and the same access as source and sink
/// ([`Pair::Itself`]), the vector of all equal iterations is no dependence, and vectors that are mirror images of others are left out.
///
/// Nothing is assumed beyond the facts of the accesses. Loaded values are taken to be equal at both ends only within one iteration of all
/// common loops; see [`dependence_with`].
pub fn dependence(space: &mut Space, source: &Access, sink: &Access, common: &[LoopId], pair: Pair) -> Vec<Vector> {
    dependence_with(space, source, sink, common, pair, &|_| false)
}

/// [`dependence`], where loads that satisfy `is_constant` read memory that nothing writes while the common loops run.
pub fn dependence_with(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    pair: Pair,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Vec<Vector> {
    space.work_on(STEPS_OF_TEST + source.facts.iter().len() + sink.facts.iter().len());
    if space.is_spent() {
        return anywhere(common.len(), pair, "the region takes too many steps to analyse");
    }
    let iterations: SmallVec<[AtomId; 4]> = common.iter().filter_map(|&id| space.iteration(id).as_atom()).collect();
    linear::linear(space, source, sink, common, &iterations, pair)
        .or_else(|| affine::affine(space, source, sink, common, pair, is_constant))
        .unwrap_or_else(|| anywhere(common.len(), pair, "the addresses are not affine in the iterations of the loops"))
}

/// All distances.
fn anywhere(loops: usize, pair: Pair, missing: &'static str) -> Vec<Vector> {
    let any = Step { less: true, equal: true, greater: true, distance: None };
    let vector = |steps| Vector { steps, certain: false, missing: missing.into(), excluded_if: None };
    if pair == Pair::Two {
        return vec![vector(vec![any; loops])];
    }
    let first = |level: usize| {
        let mut steps = vec![any.clone(); loops];
        steps[..level].fill(Step { less: false, equal: true, greater: false, distance: Some(Polynomial::zero()) });
        steps[level] = Step { less: true, equal: false, greater: false, distance: None };
        vector(steps)
    };
    (0..loops).map(first).collect()
}

/// The collision of two accesses that have one address in each iteration of the common loops, and never in different ones: what
/// [`dependence_with`] says of them.
pub fn dependence_within_iterations(space: &Space, source: &Access, sink: &Access, common: &[LoopId]) -> Vector {
    let equal = Step { less: false, equal: true, greater: false, distance: Some(Polynomial::zero()) };
    Vector {
        steps: vec![equal; common.len()],
        certain: affine::depends_on_iterations_alone(space, source)
            && affine::bounds_decide(space, source, sink, common),
        missing: MEET.into(),
        excluded_if: None,
    }
}
