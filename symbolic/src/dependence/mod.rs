//! The dependence test: at which distances of the loops around them two accesses to one object touch common bytes.
//!
//! The test of iteration-point differences (the thesis's section 4.3): the difference of the two addresses at the iterations `i` of the
//! source and `i + D` of the sink, with `D` unknown, is shown to stay out of the bytes' overlap, or what is left is told by directions.

use crate::atom::LoopId;
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// An access as the dependence test sees it.
#[derive(Clone, Debug)]
pub struct Access {
    /// Byte address, a residue modulo `2^64`.
    pub address: Polynomial,
    /// Size; at least 1.
    pub bytes: u64,
    /// The loops around it, outermost first.
    pub loops: Vec<LoopId>,
    /// What holds whenever it runs: bounds of its loops' iteration numbers, guards that dominate it.
    pub facts: Facts,
}

/// The iteration number of the source is less than, equal to, or greater than that of the sink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The source comes in an earlier iteration.
    Less,
    /// Both come in one iteration.
    Equal,
    /// The sink comes in an earlier iteration.
    Greater,
}

/// A loop's entry of a vector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// [`Direction::Less`] is possible.
    pub less: bool,
    /// [`Direction::Equal`] is possible.
    pub equal: bool,
    /// [`Direction::Greater`] is possible.
    pub greater: bool,
    /// The iteration number of the sink minus that of the source, where it is one value.
    pub distance: Option<Polynomial>,
}

/// A set of distances at which the accesses may collide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector {
    /// For the common loops, outermost first.
    pub steps: Vec<Step>,
    /// A collision with this vector exists for sure whenever the loops run long enough.
    pub certain: bool,
    /// Why it is not excluded.
    pub missing: String,
    /// Polynomials over values that are known before the loops run: where all are at least 0, there is no such collision.
    pub excluded_if: Option<Vec<Polynomial>>,
}

/// What the test finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Where collisions may be; without any, the accesses are independent.
    pub vectors: Vec<Vector>,
    /// Conditions that were assumed.
    pub under: Vec<Polynomial>,
}

/// Tests `source` against `sink` on one object. `common`: the loops around both, outermost first. All vectors are reported, also those in
/// which the sink comes first. For one and the same access as source and sink (`same`), the vector of all equal iterations is no
/// dependence, and vectors that are mirror images of others are left out.
pub fn dependence(_space: &mut Space, source: &Access, sink: &Access, common: &[LoopId], same: bool) -> Verdict {
    let _ = (source, sink);
    let any = || Step { less: true, equal: true, greater: true, distance: None };
    let missing = "not tested";
    let vector = |steps| Vector { steps, certain: false, missing: missing.into(), excluded_if: None };
    let vectors = match same && common.is_empty() {
        true => Vec::new(),
        false => vec![vector(common.iter().map(|_| any()).collect())],
    };
    Verdict { vectors, under: Vec::new() }
}
