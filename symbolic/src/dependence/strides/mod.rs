//! The fast way for symbolic strides: both addresses have the same invariant coefficients of the common iteration numbers.
//!
//! The difference is `c + sum of C_k * D_k` with `C_k` and `c` over values that nothing changes while the loops run (the thesis's
//! iteration-point difference of uniformly generated references). Distances are bounded by trip counts, and what varies is taken
//! apart by the largest stride first, so that a proof is one polynomial that mostly collapses to a constant.

mod bounds;
mod proofs;
mod system;
mod vectors;

use super::linear::Bounds;
use super::pair::{is_fixed, tightened};
use super::wrapping::stays_below_wrap;
use super::{Access, Vector};
use crate::atom::{AtomId, LoopId};
use crate::coeff::Coeff;
use crate::polynomial::Polynomial;
use crate::space::Space;
use smallvec::SmallVec;
use system::{Equation, System};

/// What the fast way finds.
pub(super) enum Outcome {
    /// All vectors.
    Decided(Vec<Vector>),
    /// All vectors where the polynomial is at least 0.
    Under(Polynomial, Vec<Vector>),
    /// It does not apply.
    Open,
}

/// One entry a common loop.
type ByLoop<T> = SmallVec<[T; 4]>;

pub(super) fn strides(
    space: &Space,
    source: &Access,
    sink: &Access,
    common: &[LoopId],
    iterations: &[AtomId],
    same: bool,
) -> Outcome {
    let has_own_loops = source.loops.len() != common.len() || sink.loops.len() != common.len();
    if has_own_loops || iterations.len() != common.len() {
        return Outcome::Open;
    }
    let Some(equation) = equation(space, source, sink, iterations) else { return Outcome::Open };
    if !stays_below_wrap(space, source, sink) {
        return Outcome::Open;
    }
    let Some(bounds) = bounds::read(space, source, sink, iterations) else { return Outcome::Open };
    let mut system = System::new(space, bounds);
    if system.solve_all(equation.clone()) {
        let solutions = system.take_solutions();
        if solutions.is_empty() {
            return Outcome::Decided(Vec::new());
        }
        let is_simple = [(source, sink), (sink, source)]
            .into_iter()
            .all(|(access, other)| Bounds::read(space, access, other, iterations).is_simple);
        // Guards and bounds that follow other loops may exclude more, though not what meets in one and the same iteration.
        let is_in_place = source.facts == sink.facts && solutions.iter().all(|solution| solution.is_of_one_iteration());
        if !is_simple && !is_in_place {
            return Outcome::Open;
        }
        return Outcome::Decided(vectors::vectors(&system, solutions, same, is_simple));
    }
    let Some(missing) = system.take_missing().map(tightened) else { return Outcome::Open };
    if !system.assume(missing.clone()) || !system.solve_all(equation) {
        return Outcome::Open;
    }
    let solutions = system.take_solutions();
    Outcome::Under(missing, vectors::vectors(&system, solutions, same, false))
}

/// `-sink bytes < difference < source bytes`, where both addresses have the same coefficients.
fn equation(space: &Space, source: &Access, sink: &Access, iterations: &[AtomId]) -> Option<Equation> {
    let difference = &sink.address - &source.address;
    // Indicators are decided both ways, which is not for here.
    let is_plain = |(atom, _): (AtomId, u32)| !atom.is_idempotent() && is_fixed(space, atom);
    if !difference.terms().all(|(monomial, _)| monomial.powers().all(is_plain)) {
        return None;
    }
    let mut terms: ByLoop<Vec<_>> = iterations.iter().map(|_| Vec::new()).collect();
    for (monomial, coefficient) in sink.address.terms() {
        let mut varying = monomial.powers().filter(|&(atom, _)| !is_fixed(space, atom));
        let Some((atom, power)) = varying.next() else { continue };
        let index = iterations.iter().position(|&iteration| iteration == atom)?;
        if power != 1 || varying.next().is_some() {
            return None;
        }
        terms[index].push((monomial.div_exact(&atom.into())?, coefficient.clone()));
    }
    let factors = terms.into_iter().map(Polynomial::from_terms).collect();
    let low = Coeff::ONE - Coeff::from(sink.bytes);
    let high = Coeff::from(source.bytes) - Coeff::ONE;
    Some(Equation { factors, rest: difference, low, high })
}
