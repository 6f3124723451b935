//! Sums over loops whose bounds may depend on the loops around them.
//!
//! Where what lies inside depends on a loop's number as a polynomial, three of its iterations stand for all: the first, the middle and the
//! last, with weights that make sums of polynomials up to the third degree exact (Simpson's rule for sums). Where it depends on it in
//! another way, by a condition say, evenly spread iterations do.

use ipda_symbolic::{AtomId, Polynomial};

use super::Bound;
use super::value::{is_polynomial_in, varies_with};

/// Loops with so few iterations are gone through one by one.
const FEW: f64 = 16.0;
/// Iterations that stand for all where three do not.
const SPREAD: u32 = 32;

/// Numbers of iterations that are under way.
pub(super) type Point = Vec<(AtomId, f64)>;

impl Bound<'_> {
    /// The sum of `inside` over all iterations of the loops, the outermost first. `uses` are expressions that `inside` depends on.
    pub(super) fn sum(
        &self,
        loops: &[usize],
        point: &mut Point,
        uses: &[&Polynomial],
        inside: &dyn Fn(&Point) -> f64,
    ) -> f64 {
        let Some((first, rest)) = loops.split_first() else { return inside(point) };
        let trips = self.trips(*first, point);
        let index = self.summary.loops[*first].index;
        let mut sum = 0.0;
        for (number, weight) in self.nodes(*first, rest, trips, uses) {
            point.push((index, number));
            sum += weight * self.sum(rest, point, uses, inside);
            point.pop();
        }
        sum
    }

    /// The iterations that stand for all, with weights that add up to their number.
    fn nodes(&self, of: usize, rest: &[usize], trips: f64, uses: &[&Polynomial]) -> Vec<(f64, f64)> {
        if trips <= 0.0 {
            return Vec::new();
        }
        let space = &self.summary.space;
        let index = self.summary.loops[of].index;
        let bounds = rest.iter().filter_map(|inner| self.summary.loops[*inner].trips.as_ref().ok());
        let depending: Vec<&Polynomial> =
            bounds.chain(uses.iter().copied()).filter(|p| varies_with(space, p, index)).collect();
        if depending.is_empty() || trips <= 1.0 {
            return vec![((trips - 1.0).max(0.0) / 2.0, trips)];
        }
        if trips <= FEW {
            let whole = trips.floor();
            let mut all: Vec<(f64, f64)> = (0..whole as u32).map(|number| (f64::from(number), 1.0)).collect();
            if trips > whole {
                all.push((whole, trips - whole));
            }
            return all;
        }
        if depending.iter().all(|p| is_polynomial_in(space, p, index)) {
            let end = (trips + 1.0) / (6.0 * (trips - 1.0));
            let last = trips - 1.0;
            return vec![(0.0, trips * end), (last / 2.0, trips * (1.0 - 2.0 * end)), (last, trips * end)];
        }
        let part = trips / f64::from(SPREAD);
        (0..SPREAD).map(|number| (((f64::from(number) + 0.5) * part).floor(), part)).collect()
    }
}
