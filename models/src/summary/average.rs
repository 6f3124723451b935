//! Sums over loops whose bounds may depend on the loops around them.
//!
//! Where what lies inside depends on a loop's number as a polynomial, three of its iterations stand for all: the first, the middle and the
//! last, with weights that make sums of polynomials up to the third degree exact (Simpson's rule for sums). Where it depends on it in
//! another way, by a condition say, evenly spread iterations do.

use ipda_symbolic::{AtomId, Polynomial};

use super::Bound;
use super::bind::Known;
use super::gpu_work::Phase;
use super::value::{is_polynomial_in, varies_with};
use crate::form::Num;

/// Loops with so few iterations are gone through one by one.
const FEW: f64 = 16.0;
/// Iterations that stand for all where three do not.
const SPREAD: u32 = 32;
/// The same, where each becomes a part of a form.
const SPREAD_LATER: u32 = 4;

/// Numbers of iterations that are under way.
pub(crate) type Point = Vec<(AtomId, Num)>;

impl Bound<'_> {
    /// The sum of `inside` over all iterations of the loops, the outermost first. `uses` are expressions that `inside` depends on.
    pub(crate) fn sum(
        &self,
        loops: &[usize],
        point: &mut Point,
        uses: &[&Polynomial],
        inside: &dyn Fn(&Point) -> Num,
    ) -> Num {
        let Some((first, rest)) = loops.split_first() else { return inside(point) };
        let trips = self.trips(*first, point);
        let index = self.summary.loops[*first].index;
        let mut sum = Num::ZERO;
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
    pub(crate) fn longest(&self, phase: &Phase, of_iterations: Num) -> Num {
        let Some(shared) = phase.parallel.last() else { return Num::ONE };
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
        let depends = |l: &usize| {
            let trips = self.summary.loops[*l].trips.as_ref();
            trips.is_ok_and(|trips| varies_with(&self.summary.space, trips, index))
        };
        if !nests.iter().flatten().any(depends) {
            return Num::ONE;
        }
        let does = |number: Num| -> Num {
            let mut point = point.clone();
            point.push((index, number.clamp(0.0, (trips - 1.0).max(0.0))));
            nests.iter().map(|inner| self.sum(inner, &mut point, &[], &|_| Num::ONE)).sum()
        };
        let mean = |first: Num, length: Num| {
            let last = first + (length - 1.0).max(0.0);
            (does(first) + 4.0 * does((first + last) / 2.0) + does(last)) / 6.0
        };
        let block = of_iterations.clamp(1.0, trips.max(1.0));
        let all = mean(Num::ZERO, trips);
        let most = mean(Num::ZERO, block).max(mean(trips - block, block));
        all.more(0.0).choose(most / all.more(0.0).choose(all, 1.0), 1.0).max(1.0)
    }

    /// The iterations that stand for all, with weights that add up to their number.
    fn nodes(&self, of: usize, rest: &[usize], trips: Num, uses: &[&Polynomial]) -> Vec<(Num, Num)> {
        let known = trips.known();
        if known.is_some_and(|trips| trips <= 0.0) {
            return Vec::new();
        }
        let space = &self.summary.space;
        let index = self.summary.loops[of].index;
        let bounds = rest.iter().filter_map(|inner| self.summary.loops[*inner].trips.as_ref().ok());
        let depending: Vec<&Polynomial> =
            bounds.chain(uses.iter().copied()).filter(|p| varies_with(space, p, index)).collect();
        if depending.is_empty() || known.is_some_and(|trips| trips <= 1.0) {
            return vec![((trips - 1.0).max(0.0) / 2.0, trips)];
        }
        if let Some(trips) = known.filter(|trips| *trips <= FEW && self.known == Known::Now) {
            let whole = trips.floor();
            let mut all: Vec<(Num, Num)> = (0..whole as u32).map(|number| (number.into(), Num::ONE)).collect();
            if trips > whole {
                all.push((whole.into(), (trips - whole).into()));
            }
            return all;
        }
        if depending.iter().all(|p| is_polynomial_in(space, p, index)) {
            let last = (trips - 1.0).max(0.0);
            // One iteration has the number 0, whatever the weights.
            let end = (trips + 1.0) / (6.0 * last.max(1.0));
            return vec![(Num::ZERO, trips * end), (last / 2.0, trips * (1.0 - 2.0 * end)), (last, trips * end)];
        }
        let spread = if self.known == Known::Now { SPREAD } else { SPREAD_LATER };
        let part = trips / spread;
        (0..spread).map(|number| (((f64::from(number) + 0.5) * part).floor(), part)).collect()
    }
}
