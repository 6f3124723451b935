//! Accesses that touch what others touch a few iterations earlier or later: rows above and below in a stencil.
//!
//! As far as caches keep what lies between, such rows come once (the layer conditions of H. Stengel et al., "Quantifying performance
//! bottlenecks of stencil computations using the execution-cache-memory model", ICS 2015).

use ipda_symbolic::{Coeff, Polynomial};

use super::pattern::Group;
use super::{AccessKind, Bound};

/// The most iterations between two accesses that are looked for.
const FURTHEST: i64 = 8;

/// How far a group is behind another one, whose data it touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shift {
    /// The loop.
    pub(crate) of: usize,
    /// Iterations of it.
    pub(crate) by: f64,
}

impl Shift {
    /// What of the group's data the other one does not touch, once the loop has done so many iterations.
    pub(crate) fn share_of_new(self, trips: f64) -> f64 {
        (self.by / trips.max(1.0)).min(1.0)
    }
}

impl Bound<'_> {
    /// For each group the shift from another, and no two in a circle: one of those that touch the same has none.
    pub(crate) fn shifts(&self, groups: &[&Group]) -> Vec<Option<Shift>> {
        let mut shifts = vec![None; groups.len()];
        let mut is_reached = vec![false; groups.len()];
        for first in 0..groups.len() {
            if is_reached[first] {
                continue;
            }
            is_reached[first] = true;
            let mut reached = vec![first];
            while let Some(from) = reached.pop() {
                for to in 0..groups.len() {
                    let shift = if is_reached[to] { None } else { self.shift(groups[from], groups[to]) };
                    if shift.is_some() {
                        (shifts[to], is_reached[to]) = (shift, true);
                        reached.push(to);
                    }
                }
            }
        }
        shifts
    }

    /// How many iterations of one loop one group is from the other. A few elements beside count as none.
    fn shift(&self, from: &Group, to: &Group) -> Option<Shift> {
        let is_alike = from.object == to.object
            && from.kind == to.kind
            && from.kind != AccessKind::Atomic
            && from.bytes == to.bytes
            && from.in_loop == to.in_loop
            && from.conditions == to.conditions;
        if !is_alike {
            return None;
        }
        let address = from.address.as_ref()?;
        let difference = to.address.as_ref()? - address;
        let difference = &difference - &Polynomial::constant(difference.constant_term());
        let chain = self.summary.chain(from.in_loop);
        let of_loop = |of: usize| {
            let stride = address.coefficient_of(self.summary.loops[of].index)?;
            let times = |by: i64| &stride * &Polynomial::constant(Coeff::from(by));
            let by = (1..=FURTHEST).find(|by| difference == times(*by) || difference == times(-*by))?;
            Some(Shift { of, by: by as f64 })
        };
        if difference.is_zero() { None } else { chain.into_iter().find_map(of_loop) }
    }
}
