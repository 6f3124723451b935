//! What a dependence test tells: the distances at which two accesses may meet, as vectors of directions.

use crate::polynomial::Polynomial;
use smallvec::SmallVec;
use std::borrow::Cow;

/// One entry a common loop.
pub(super) type ByLoop<T> = SmallVec<[T; 4]>;

/// Why vectors are not excluded that are there.
pub(super) const MEET: &str = "the addresses meet at these distances";

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

/// Which accesses a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// Two accesses.
    Two,
    /// One access and itself, in other iterations.
    Itself,
}

impl Pair {
    /// What two accesses are that have these ids.
    pub fn of<T: PartialEq>(source: T, sink: T) -> Pair {
        if source == sink { Pair::Itself } else { Pair::Two }
    }
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

impl Step {
    pub(super) fn directions(&self) -> [bool; 3] {
        [self.less, self.equal, self.greater]
    }

    /// Whether one iteration more than one is room enough for its distance.
    pub(super) fn is_near(&self) -> bool {
        self.distance.as_ref().is_none_or(Polynomial::is_zero)
    }

    /// The distance where it is one value, also where only directions say so.
    pub(crate) fn known_distance(&self) -> Option<Polynomial> {
        let is_none = !self.less && !self.greater;
        self.distance.clone().or_else(|| is_none.then(Polynomial::zero))
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
    pub(super) fn has_directions_of(&self, other: &Vector) -> bool {
        self.steps.iter().map(Step::directions).eq(other.steps.iter().map(Step::directions))
    }

    /// Adds the distances of a vector of the same directions.
    pub(super) fn widen(&mut self, other: &Vector) {
        let is_same = self.steps == other.steps;
        self.certain = self.certain && (is_same || self.is_near()) || other.certain && (is_same || other.is_near());
        for (step, added) in self.steps.iter_mut().zip(&other.steps) {
            if step.distance != added.distance {
                step.distance = None;
            }
        }
    }

    /// Whether its distances are such that one iteration more than one is room enough.
    pub(super) fn is_near(&self) -> bool {
        self.steps.iter().all(Step::is_near)
    }
}
