//! Sums over loops whose bounds may depend on the loops around them.
//!
//! Where what lies inside depends on a loop's number as a polynomial, three of its iterations stand for all: the first, the middle and the
//! last, with weights that make sums of polynomials up to the third degree exact (Simpson's rule for sums). Where it depends on it in
//! another way, by a condition say, evenly spread iterations do.

use ipda_symbolic::{AtomId, Polynomial};

use super::Bound;
use super::gpu_work::Phase;
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

    /// What the first or the last block of the shared loop's iterations does, over what a block does on average, measured by
    /// the innermost iterations around accesses: more than 1 where inner loops get shorter or longer from one shared iteration to the next.
    /// `of_iterations` is the length of a block.
    pub(super) fn longest(&self, phase: &Phase, of_iterations: f64) -> f64 {
        let Some(shared) = phase.parallel.last() else { return 1.0 };
        let index = self.summary.loops[*shared].index;
        let outside = [&phase.outside[..], &phase.parallel[..phase.parallel.len() - 1]].concat();
        // Of the loops outside, the middle.
        let mut point = Point::new();
        for around in outside {
            let trips = self.trips(around, &point);
            point.push((self.summary.loops[around].index, ((trips - 1.0) / 2.0).floor().max(0.0)));
        }
        let trips = self.trips(*shared, &point);
        let nests: Vec<Vec<usize>> =
            self.groups(phase.of).iter().map(|group| self.inner(phase, group.in_loop)).collect();
        let does = |number: f64| -> f64 {
            let mut point = point.clone();
            point.push((index, number.clamp(0.0, (trips - 1.0).max(0.0))));
            nests.iter().map(|inner| self.sum(inner, &mut point, &[], &|_| 1.0)).sum()
        };
        let mean = |first: f64, length: f64| {
            let last = first + (length - 1.0).max(0.0);
            (does(first) + 4.0 * does(f64::midpoint(first, last)) + does(last)) / 6.0
        };
        let block = of_iterations.clamp(1.0, trips.max(1.0));
        let all = mean(0.0, trips);
        if all > 0.0 { (mean(0.0, block).max(mean(trips - block, block)) / all).max(1.0) } else { 1.0 }
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
