//! The dependence test: at which distances of the loops around them two accesses to one object touch common bytes.
//!
//! The test of iteration-point differences (the thesis's section 4.3): the difference of the two addresses at the iterations `i` of the
//! source and `i + D` of the sink, with `D` unknown, is shown to stay out of the bytes' overlap, or what is left is described by directions.
//!
//! Two tests are asked one after the other: `linear` knows numbers alone and tells most for sure, `affine` knows symbols and has the
//! elimination. What neither reads may meet anywhere. `docs/research/dependence.md` has what each proves.

mod affine;
mod linear;
mod wrapping;

pub(crate) use affine::{Counterpart, Frames};

use crate::atom::{AtomId, LoopId};
use crate::facts::{Fact, Facts};
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

/// Steps of work that a test takes to be set up.
const STEPS_OF_TEST: usize = 32;

/// Why vectors are not excluded that are there.
const MEET: &str = "the addresses meet at these distances";

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
    pub missing: Cow<'static, str>,
    /// Polynomials over values that are known before the loops run: where all are at least 0, there is no such collision.
    pub excluded_if: Option<Vec<Polynomial>>,
}

/// At which distances `source` and `sink` on one object may collide; without any vector, they are independent. `common`: the loops around
/// both, outermost first. All vectors are reported, also those in which the sink comes first. For one and the same access as source and sink
/// (`same`), the vector of all equal iterations is no dependence, and vectors that are mirror images of others are left out.
///
/// Nothing is assumed beyond the facts of the accesses. Loaded values are taken to be equal at both ends only within one iteration of all
/// common loops; see [`dependence_with`].
pub fn dependence(space: &mut Space, source: &Access, sink: &Access, common: &[LoopId], same: bool) -> Vec<Vector> {
    dependence_with(space, source, sink, common, same, &|_| false)
}

/// [`dependence`], where loads that satisfy `is_constant` read memory that nothing writes while the common loops run.
pub fn dependence_with(
    space: &mut Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    same: bool,
    is_constant: &dyn Fn(AtomId) -> bool,
) -> Vec<Vector> {
    space.work_on(STEPS_OF_TEST + source.facts.iter().len() + sink.facts.iter().len());
    if space.is_spent() {
        return anywhere(common.len(), same, "the region takes too many steps to analyse");
    }
    let iterations: SmallVec<[AtomId; 4]> = common.iter().filter_map(|&id| space.iteration(id).as_atom()).collect();
    linear::linear(space, source, sink, common, &iterations, same)
        .or_else(|| affine::affine(space, source, sink, common, same, is_constant))
        .unwrap_or_else(|| anywhere(common.len(), same, "the addresses are not affine in the iterations of the loops"))
}

/// All distances.
fn anywhere(loops: usize, same: bool, missing: &'static str) -> Vec<Vector> {
    let any = Step { less: true, equal: true, greater: true, distance: None };
    let vector = |steps| Vector { steps, certain: false, missing: missing.into(), excluded_if: None };
    if !same {
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
        certain: affine::depends_on_iterations_alone(space, source) && affine::is_simple(space, source, sink, common),
        missing: MEET.into(),
        excluded_if: None,
    }
}

impl Access {
    /// Whether wherever `other` runs, this runs in the same iterations of its loops, as far as facts say, and accesses the same bytes there.
    pub fn covers(&self, other: &Access) -> bool {
        let holds = |fact: &Rc<Fact>| other.facts.contains(&fact.polynomial);
        self.bytes == other.bytes
            && other.loops.starts_with(&self.loops)
            && self.address == other.address
            && (self.facts == other.facts || self.facts.iter().all(holds))
    }
}

impl Step {
    fn directions(&self) -> [bool; 3] {
        [self.less, self.equal, self.greater]
    }

    /// Whether one iteration more than one is room enough for its distance.
    fn is_near(&self) -> bool {
        self.distance.as_ref().is_none_or(Polynomial::is_zero)
    }

    /// Whether the direction is possible.
    pub fn allows(&self, direction: Direction) -> bool {
        match direction {
            Direction::Less => self.less,
            Direction::Equal => self.equal,
            Direction::Greater => self.greater,
        }
    }
}

impl Vector {
    /// Whether the same directions are possible.
    fn has_directions_of(&self, other: &Vector) -> bool {
        self.steps.iter().map(Step::directions).eq(other.steps.iter().map(Step::directions))
    }

    /// Adds the distances of a vector of the same directions.
    fn widen(&mut self, other: &Vector) {
        let is_same = self.steps == other.steps;
        self.certain = self.certain && (is_same || self.is_near()) || other.certain && (is_same || other.is_near());
        for (step, added) in self.steps.iter_mut().zip(&other.steps) {
            if step.distance != added.distance {
                step.distance = None;
            }
        }
    }

    /// Whether its distances are such that one iteration more than one is room enough.
    fn is_near(&self) -> bool {
        self.steps.iter().all(Step::is_near)
    }
}
