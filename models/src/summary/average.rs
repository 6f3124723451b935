//! Sums over loops whose bounds may depend on the loops around them.
//!
//! Where what lies inside depends on a loop's number as a polynomial, three of its iterations stand for all: the first, the middle and the
//! last, with weights that make sums of polynomials up to the third degree exact (Simpson's rule for sums). Where it depends on it in
//! another way, by a condition say, evenly spread iterations do.
//!
//! Each loop multiplies how many points that are. In nests that would have too many, the middle iteration alone stands for all of their inner
//! loops: the same ones whatever the values of variables, so that a form says what numbers do.

use ipda_symbolic::Polynomial;

use super::count::Together;
use super::phase::Phase;
use super::value::{Point, is_polynomial_in, varies_with};
use super::{Bound, Condition};
use crate::form::Num;

/// Iterations that stand for all where three do not, and at which conditions are tried: each becomes a part of a form.
const SPREAD: u32 = 4;

/// Where in the middle half of their parts such iterations lie, for each loop of a nest in turn: by rests of multiples of irrational numbers
/// (the golden ratio, the roots of 2, 3 and 7), so that no period of a program's meets them all, nor are two loops' numbers equal at all of them. Each is as far from
/// its part's middle as the one of the last part but so many is on the other side, so that sums of what grows evenly are exact.
const PLACES: [[f64; 2]; 4] = [
    [0.559_016_994_374_947, 0.368_033_988_749_895],
    [0.457_106_781_186_548, 0.664_213_562_373_095],
    [0.616_025_403_784_439, 0.482_050_807_568_877],
    [0.572_875_655_532_295, 0.395_751_311_064_591],
];
/// The first, the middle and the last iteration.
const THREE: u32 = 3;
/// The same of each loop, where conditions depend on several.
const TRIED_OF_SEVERAL: u32 = 2;

/// How many points a nest is looked at, times the cube of its loops: each loop's mean is of all points, at each of which the bounds of the loops
/// around are computed, and each of these may hold the numbers of all others.
const MAX_BOUNDS: usize = 1 << 17;

const TOO_DEEP: &str =
    "the loops are too many to look at several iterations of each: the middle one stands for all of inner loops";

/// The iterations of a loop that stand for all.
#[derive(Debug, Clone, Copy)]
enum StandIns {
    Middle,
    /// The first, the middle and the last.
    Three,
    /// So many in parts of the same length, of the loop at that depth.
    Spread(u32, usize),
}

/// Counts the points at which a nest of so many loops is looked at.
struct Points {
    so_far: usize,
    most: usize,
}

impl Points {
    fn of_nest(loops: usize) -> Points {
        Points { so_far: 1, most: MAX_BOUNDS / loops.saturating_pow(3).max(1) }
    }

    /// Whether there may be so many for each so far; then there are.
    fn may_have(&mut self, each: u32) -> bool {
        let all = self.so_far * each as usize;
        let is_possible = all <= self.most;
        if is_possible {
            self.so_far = all;
        }
        is_possible
    }
}

impl Bound<'_> {
    /// The sum of `inside` over all iterations of the loops, the outermost first. `uses` are expressions that `inside` depends on.
    pub(crate) fn sum(
        &self,
        loops: &[usize],
        point: &mut Point,
        uses: &[&Polynomial],
        inside: &dyn Fn(&Point) -> Num,
    ) -> Num {
        self.sum_of(&self.stand_ins(loops, uses), point, inside)
    }

    fn sum_of(&self, loops: &[(usize, StandIns)], point: &mut Point, inside: &dyn Fn(&Point) -> Num) -> Num {
        let Some(((first, stand_ins), rest)) = loops.split_first() else { return inside(point) };
        let trips = self.trips(*first, point);
        let index = self.summary.loops[*first].index;
        let mut sum = Num::ZERO;
        for (number, weight) in nodes(*stand_ins, trips) {
            point.push((index, number));
            sum += weight * self.sum_of(rest, point, inside);
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
        let nests: Vec<Vec<usize>> =
            self.groups(phase.of).iter().map(|group| self.inner(phase, group.in_loop)).collect();
        let depends = |l: &usize| {
            let trips = self.summary.loops[*l].bound();
            trips.is_some_and(|trips| varies_with(&self.summary.space, trips, index))
        };
        if !nests.iter().flatten().any(depends) {
            return Num::ONE;
        }
        // Of the loops outside, the middle.
        let mut point = Point::new();
        let mut trips = Num::ONE;
        for around in self.around(phase) {
            let of_loop = self.trips(around, &point);
            if around == *shared {
                trips = of_loop;
            } else {
                point.push((self.summary.loops[around].index, ((of_loop - 1.0) / 2.0).floor().max(0.0)));
            }
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

    /// What stands for all iterations of each loop.
    fn stand_ins(&self, loops: &[usize], uses: &[&Polynomial]) -> Vec<(usize, StandIns)> {
        let space = &self.summary.space;
        let mut points = Points::of_nest(loops.len());
        let of = |(at, of): (usize, &usize)| {
            let index = self.summary.loops[*of].index;
            let bounds = loops[at + 1..].iter().filter_map(|inner| self.summary.loops[*inner].bound());
            let depending: Vec<&Polynomial> =
                bounds.chain(uses.iter().copied()).filter(|p| varies_with(space, p, index)).collect();
            let is_polynomial = depending.iter().all(|p| is_polynomial_in(space, p, index));
            let stand_ins = match (depending.is_empty(), is_polynomial) {
                (true, _) => StandIns::Middle,
                (false, true) if points.may_have(THREE) => StandIns::Three,
                (false, false) if points.may_have(SPREAD) => StandIns::Spread(SPREAD, at),
                (false, _) => {
                    self.note(TOO_DEEP);
                    if is_polynomial { StandIns::Middle } else { StandIns::Spread(1, at) }
                }
            };
            (*of, stand_ins)
        };
        loops.iter().enumerate().map(of).collect()
    }

    /// How likely conditions hold, on average over the loops around, for one of the lanes at least that do something together: counted where that is
    /// possible, else tried.
    pub(crate) fn likelihood(&self, conditions: &[Condition], loops: &[usize], together: &Together) -> Num {
        let (counted, left) = self.counted(conditions, loops, together);
        if left.is_empty() { counted } else { counted * self.tried(&left, loops, together) }
    }

    /// How likely conditions hold at some iterations that stand for all. Of the loop that varies fastest all iterations are counted, where that is possible.
    fn tried(&self, conditions: &[Condition], loops: &[usize], together: &Together) -> Num {
        let summary = self.summary;
        let varying = |conditions: &[Condition]| -> Vec<usize> {
            let expressions: Vec<&Polynomial> = conditions.iter().filter_map(Condition::expression).collect();
            let varies =
                |l: &&usize| expressions.iter().any(|p| varies_with(&summary.space, p, summary.loops[**l].index));
            loops.iter().filter(varies).copied().collect()
        };
        let all = varying(conditions);
        let Some((within, others)) = all.split_last() else {
            return self.mean_chance(conditions, &all, &Point::new());
        };
        let row = if others.is_empty() { self.row_of(conditions, *within) } else { None };
        let points = match &row {
            Some(row) => {
                let at = |number: u32| {
                    let place = (row.rows * (place(number, SPREAD, 0) / f64::from(SPREAD))).floor();
                    (vec![(row.quotient, place)], 1.0 / f64::from(SPREAD))
                };
                (0..SPREAD).map(at).collect()
            }
            None if others.is_empty() => return self.mean_chance(conditions, &all, &Point::new()),
            None => self.tried_points(others, &Point::new()),
        };
        let at = |(point, share): &(Point, f64)| {
            let (counted, left) = self.counted_within(conditions, *within, point, together, row.as_ref());
            let around = if row.is_some() { Point::new() } else { point.clone() };
            let tried = if left.is_empty() { Num::ONE } else { self.mean_chance(&left, &[*within], &around) };
            counted * tried * *share
        };
        points.iter().map(at).sum()
    }

    fn mean_chance(&self, conditions: &[Condition], varying: &[usize], point: &Point) -> Num {
        let points = self.tried_points(varying, point);
        points.iter().map(|(point, share)| self.chance(conditions, point) * *share).sum()
    }

    /// Iterations of loops that stand for all, where others have come to a point, and the share of each.
    fn tried_points(&self, varying: &[usize], point: &Point) -> Vec<(Point, f64)> {
        let summary = self.summary;
        let wanted = if varying.len() > 1 { TRIED_OF_SEVERAL } else { SPREAD };
        let mut number_of_points = Points::of_nest(varying.len());
        let mut points = vec![(point.clone(), 1.0)];
        for (depth, of) in varying.iter().enumerate() {
            let tried = if number_of_points.may_have(wanted) { wanted } else { 1 };
            if tried < wanted {
                self.note(TOO_DEEP);
            }
            let at = |(point, share): &(Point, f64)| {
                let trips = self.trips(*of, point);
                let with = |number: u32| {
                    let number = (trips * (place(number, tried, depth) / f64::from(tried))).floor();
                    let point = point.iter().copied().chain([(summary.loops[*of].index, number)]).collect();
                    (point, share / f64::from(tried))
                };
                (0..tried).map(with).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(at).collect();
        }
        points
    }
}

/// The numbers of the iterations that stand for all, with weights that add up to how many there are.
fn nodes(stand_ins: StandIns, trips: Num) -> Vec<(Num, Num)> {
    let known = trips.known();
    if known.is_some_and(|trips| trips <= 0.0) {
        return Vec::new();
    }
    let last = (trips - 1.0).max(0.0);
    match stand_ins {
        _ if known.is_some_and(|trips| trips <= 1.0) => vec![(last / 2.0, trips)],
        StandIns::Middle => vec![(last / 2.0, trips)],
        StandIns::Three => {
            // One iteration has the number 0, whatever the weights.
            let end = (trips + 1.0) / (6.0 * last.max(1.0));
            vec![(Num::ZERO, trips * end), (last / 2.0, trips * (1.0 - 2.0 * end)), (last, trips * end)]
        }
        StandIns::Spread(count, depth) => {
            let part = trips / count;
            (0..count).map(|number| ((place(number, count, depth) * part).floor(), part)).collect()
        }
    }
}

/// Where a part's iteration lies that stands for it, in lengths of parts: somewhere in its middle half.
fn place(part: u32, of: u32, depth: usize) -> f64 {
    let mirrored = (of - 1).saturating_sub(part);
    let within = |part: u32| PLACES[depth % PLACES.len()][part as usize % 2];
    f64::from(part) + if part <= mirrored { within(part) } else { 1.0 - within(mirrored) }
}
