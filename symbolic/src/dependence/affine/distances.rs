//! Loops of which the distance is enough.
//!
//! Where the addresses have one coefficient for a loop, its iteration numbers `i` and `i'` are in their difference as `D = i' - i` alone, and
//! from `l <= i <= h` and `l' <= i' <= h'` follows `l' - h <= D <= h' - l`: that is all that remains of them (their elimination by Fourier and
//! Motzkin, which is exact for coefficients of 1).

use super::frames::{Frame, Guards};
use super::worth::{TYPE_EDGE, assume, is_extreme, is_of_few_iterations, tightened};
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use std::rc::Rc;

/// How many pairs of bounds of iteration numbers are made bounds of their distance.
const MAX_BOUNDS: usize = 24;

/// Lower and upper bounds of an iteration number.
pub(super) type Ends = [SmallVec<[Polynomial; 2]>; 2];

/// Whether an iteration number has no other bounds than invariant ones.
pub(super) fn is_boxed(space: &Space, facts: &[Guards; 2], iteration: AtomId) -> bool {
    facts.iter().flatten().filter(|fact| fact.atoms.contains(&iteration)).all(|fact| {
        fact.polynomial.number_times(iteration).is_some_and(|factor| factor.abs().is_one())
            && fact.atoms.iter().all(|&atom| atom == iteration || space.is_fixed(atom))
    })
}

/// Its bounds by facts, in terms of the source, and by its range.
pub(super) fn ends(space: &Space, facts: &Guards, iteration: AtomId) -> Ends {
    let mut ends = Ends::default();
    let atom = Polynomial::from(iteration);
    for fact in facts {
        match fact.polynomial.number_times(iteration).map(Coeff::signum) {
            Some(1) => ends[0].push(&atom - &fact.polynomial),
            Some(-1) => ends[1].push(&fact.polynomial + &atom),
            _ => {}
        }
    }
    let range = space.atom_range(iteration);
    ends[0].extend(range.low().cloned().map(Polynomial::from));
    // The edge of a type says nothing where there is another bound.
    let high = range.high().filter(|&high| ends[1].is_empty() || *high < Coeff::from(TYPE_EDGE));
    ends[1].extend(high.cloned().map(Polynomial::from));
    ends
}

impl Frame {
    /// Leaves the distance of a loop for its two iteration numbers, if nothing but bounds with coefficients of 1 is known of them; whether
    /// that contradicts nothing.
    pub fn project(&mut self, space: &Space, level: usize, (here, there): (AtomId, AtomId), distance: AtomId) -> bool {
        let mut bounds: [Ends; 2] = Default::default();
        for constraint in &self.constraints {
            let degrees = (constraint.degree_in(here), constraint.degree_in(there));
            let (end, atom) = match degrees {
                (0, 0) => continue,
                (1, 0) => (0, here),
                (0, 1) => (1, there),
                _ => return true,
            };
            let Some(factor) = constraint.number_times(atom).filter(|factor| factor.abs().is_one()) else {
                return true;
            };
            let atom = Polynomial::from(atom);
            let bound = if factor.is_negative() { &**constraint + &atom } else { &atom - &**constraint };
            bounds[end][usize::from(factor.is_negative())].push(bound);
        }
        let [[lows, highs], [sink_lows, sink_highs]] = &bounds;
        if (lows.len() + sink_lows.len()) * (highs.len() + sink_highs.len()) > MAX_BOUNDS {
            return true;
        }
        self.constraints.retain(|constraint| !constraint.has(here) && !constraint.has(there));
        self.variables.remove([here, there]);
        self.renamed.iter_mut().filter(|(atom, _)| *atom == here).for_each(|(_, stands)| *stands = distance);
        self.leave_distance(space, level, here, distance, &bounds)
    }

    /// Bounds the distance of a loop by those of its iteration number at both ends; whether they contradict nothing.
    pub fn leave_distance(
        &mut self,
        space: &Space,
        level: usize,
        here: AtomId,
        distance: AtomId,
        bounds: &[Ends; 2],
    ) -> bool {
        let [[lows, highs], [sink_lows, sink_highs]] = bounds;
        let value = Polynomial::from(distance);
        let zero = Polynomial::zero();
        let between = [
            (sink_highs, lows, &value),
            (highs, sink_lows, &-&value),
            (highs, lows, &zero),
            (sink_highs, sink_lows, &zero),
        ];
        self.variables.add(distance, level as u16);
        let different = if bounds[0] == bounds[1] { 3 } else { 4 };
        for (highs, lows, distance) in between.into_iter().take(different) {
            for (high, low) in highs.iter().flat_map(|high| lows.iter().map(move |low| (high, low))) {
                let constraint = tightened(high - low - distance);
                if self.variables.are_absent(&constraint) {
                    // A loop that does not run is not worth a test; bounds of one end that leave no iteration are.
                    if distance.is_zero() && different == 4 && low.as_constant().is_none() {
                        self.note(space, &constraint);
                    }
                    if !assume(&mut self.known, constraint) {
                        return false;
                    }
                } else if !self.constraints.iter().any(|known| **known == constraint) {
                    self.constraints.push(Rc::new(constraint));
                }
            }
        }
        self.distances[level] = value;
        self.projected.push(here);
        true
    }

    /// Notes that the two never both run unless a polynomial is at least 0, if that may be.
    fn note(&mut self, space: &Space, needed: &Polynomial) {
        let opposite = -needed - Polynomial::one();
        let is_useful = needed.as_constant().is_none()
            && !space.proves_nonneg(needed, &self.known)
            && !is_of_few_iterations(&opposite)
            && !is_extreme(space, &opposite, &self.known);
        if is_useful {
            self.apart_if.push(opposite);
        }
    }
}
