//! Which loops of a nest, or parts of them, may become threads, and in which order the others may run inside of them.
//!
//! The rule for an interchange, that vectors stay lexicographically non-negative (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*, 2001, section 5.2), is not enough where loops are fused into the
//! number of a thread: threads run in any order, so whatever a fused loop carries is lost. `A[p][j][i] = A[p][j-1][i-1]` has the vector
//! (0, 1, 1); with p and i fused its ends lie in different threads.
//!
//! A loop in parts is strip-mined: its iteration number is written in digits, and each digit is counted by a loop of its own. In the order of
//! the digits the program's order stays, so a dependence on the loop is some dependences on its digits, of which the same is asked.

use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::dependence::{Direction, Step};
use crate::id::{AtomId, LoopId};
use crate::nest::TripCount;
use crate::polynomial::Polynomial;
use crate::space::Space;
use std::cmp::Reverse;

/// A perfect nest: each loop holds the next one and nothing else that has an effect.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Its loops, outermost first.
    pub loops: Vec<NestLoop>,
    /// How many of the outermost run in parallel by the program's word: their iterations may run in any order.
    pub parallel: usize,
    /// Whether the program says which iterations a thread gets, and so may rely on their order.
    pub is_scheduled: bool,
    /// Values that are read from memory, and the same whenever they are read, from before the nest begins.
    pub fixed: Vec<AtomId>,
    /// The dependences between the accesses inside, from source to sink in the program's order; a step for each loop.
    pub dependences: Vec<Vec<Step>>,
}

/// A loop of a nest.
#[derive(Clone, Debug)]
pub struct NestLoop {
    /// By which its iteration number is known.
    pub id: LoopId,
    /// How often it runs whenever it is entered.
    pub trips: TripCount,
}

/// How the loops of a nest would run: where the digits of their iteration numbers are counted.
///
/// Invariant: the parts of each loop are the digits of one mixed-radix number, and each is there once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    threads: Vec<Part>,
    inside: Vec<Part>,
}

/// A digit of a loop's iteration number: the number divided by `size`, modulo `count`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The loop's position in its nest.
    pub of: usize,
    /// The digit's weight: how many iterations lie between two of its values.
    pub size: Count,
    /// How many values it has.
    pub count: Count,
}

/// A number of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Known when the code is made.
    Const(u32),
    /// As many as the loop's other parts leave of its trip count, rounded up: the last values may have no iteration. Of a size: what that
    /// makes it.
    Rest,
}

/// Why a mapping is not known to compute the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// It is not known how often the loop runs.
    Trips {
        /// The loop's position.
        of: usize,
        /// Why.
        why: String,
    },
    /// How often a loop runs depends on the iteration of one that would not be around it any more.
    Bounds {
        /// The loop's position.
        of: usize,
        /// The other's.
        on: usize,
    },
    /// How often a loop runs is read from memory, where it may be another number whenever it is read.
    Read {
        /// The loop's position.
        of: usize,
    },
    /// Source and sink of a dependence may come to different threads.
    Separated {
        /// Its position.
        dependence: usize,
        /// The loop in whose different iterations they are.
        by: usize,
    },
    /// The sink of a dependence may come before its source.
    Reversed {
        /// Its position.
        dependence: usize,
        /// The loop that would run it backwards.
        by: usize,
    },
}

/// A fused loop that runs less often in some iterations of others: it gets as many numbers of threads as it needs at most, and those of
/// them do nothing that are not below `base + sum of slope * iteration`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hull {
    /// The loop's position.
    pub of: usize,
    /// How often it runs in the first iterations of the others.
    pub base: Polynomial,
    /// By how much that grows with each iteration of which other fused loop.
    pub slopes: Vec<(usize, Coeff)>,
}

impl Part {
    /// All of a loop.
    pub fn whole(of: usize) -> Part {
        Part { of, size: Count::Const(1), count: Count::Rest }
    }

    /// Whether it is all of its loop.
    pub fn is_whole(&self) -> bool {
        *self == Part::whole(self.of)
    }
}

impl Mapping {
    /// The textbook's order: each loop is one part.
    pub fn of_loops(threads: &[usize], inside: &[usize]) -> Mapping {
        let whole = |loops: &[usize]| loops.iter().copied().map(Part::whole).collect();
        Mapping { threads: whole(threads), inside: whole(inside) }
    }

    /// Of parts of a nest's loops that make the number of a thread together, the slowest first, and those that run in each thread, outermost
    /// first. None where a loop has no part, or its parts are not the digits of one number, which may have four: each size the product of the
    /// counts of lower parts, and one count the rest, with no more than one part above.
    pub fn of_parts(loops: usize, threads: Vec<Part>, inside: Vec<Part>) -> Option<Mapping> {
        let mapping = Mapping { threads, inside };
        let parts = mapping.in_order();
        let mut of_loops = parts.chunk_by(|a, b| a.of == b.of);
        let has_all = (0..loops).all(|of| of_loops.next().is_some_and(|parts| parts[0].of == of && are_digits(parts)));
        (has_all && of_loops.next().is_none()).then_some(mapping)
    }

    /// The parts that make the number of a thread together, the slowest first.
    pub fn threads(&self) -> &[Part] {
        &self.threads
    }

    /// The parts that run in each thread, outermost first.
    pub fn inside(&self) -> &[Part] {
        &self.inside
    }

    /// The loops that have parts in the number of a thread, each once, by the places of their first parts.
    pub fn fused(&self) -> impl Iterator<Item = usize> {
        let is_first = |&(at, part): &(usize, &Part)| self.threads[..at].iter().all(|before| before.of != part.of);
        self.threads.iter().enumerate().filter(is_first).map(|(_, part)| part.of)
    }

    /// The same order of loops that are whole, where neighbouring threads are a tile of some of them: so many numbers of each, powers of two, which
    /// are below the numbers of the tiles. None where that is no mapping.
    #[must_use]
    pub fn with_lanes(&self, lanes: &[(usize, u32)]) -> Option<Mapping> {
        let tile_of = |of: usize| lanes.iter().find(|(other, _)| *other == of).map(|(_, tile)| Count::Const(*tile));
        let tile = |part: &Part| Part { size: tile_of(part.of).unwrap_or(part.size), ..*part };
        let lane = |part: &Part| Some(Part { count: tile_of(part.of)?, ..*part });
        let threads = self.threads.iter().map(tile).chain(self.threads.iter().filter_map(lane)).collect();
        let is_possible = self.keeps_loops_whole() && lanes.iter().all(|(_, tile)| tile.is_power_of_two());
        let mapping = Mapping { threads, inside: self.inside.clone() };
        let loops = self.threads.len() + self.inside.len();
        Mapping::of_parts(loops, mapping.threads, mapping.inside).filter(|_| is_possible)
    }

    /// How many numbers of a fused loop neighbouring threads have together as one tile: as many are there more than it has iterations, at most, less one.
    /// That is 1 of a loop that is whole.
    pub fn tile(&self, of: usize) -> u32 {
        let rest = self.threads.iter().find(|part| part.of == of && part.count == Count::Rest);
        rest.map_or(1, |part| match part.size {
            Count::Const(size) => size,
            Count::Rest => 1,
        })
    }

    /// Whether it is the textbook's order.
    pub fn keeps_loops_whole(&self) -> bool {
        self.parts().all(Part::is_whole)
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.threads.iter().chain(&self.inside)
    }

    /// The parts of loops further outside first, and of those of one loop the highest.
    fn in_order(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.parts().copied().collect();
        parts.sort_by_key(|part| (part.of, Reverse(part.size)));
        parts
    }

    /// Whether the iteration of a loop is known where a part begins that runs in each thread.
    fn is_around(&self, on: usize, place: usize) -> bool {
        self.inside[place..].iter().all(|part| part.of != on)
    }

    /// Whether the same loops are around the one at a place inside as in the program, or fused.
    fn keeps_place(&self, place: usize) -> bool {
        let part = self.inside[place];
        let mut around = self.threads.iter().chain(&self.inside[..place]);
        part.is_whole()
            && around.all(|before| before.of < part.of)
            && self.inside[place + 1..].iter().all(|behind| behind.of > part.of)
    }
}

/// Whether parts of a loop, the highest first, are the digits of one number.
fn are_digits(parts: &[Part]) -> bool {
    // A dependence on the loop is several on its digits: twice as many with each.
    const MAX_DIGITS: usize = 4;
    if parts.len() > MAX_DIGITS {
        return false;
    }
    let mut size = Some(Count::Const(1));
    let mut rests = 0;
    for (above, part) in parts.iter().enumerate().rev() {
        if Some(part.size) != size || part.count == Count::Rest && above > 1 {
            return false;
        }
        size = match (part.size, part.count) {
            (Count::Const(size), Count::Const(count @ 2..)) => size.checked_mul(count).map(Count::Const),
            (_, Count::Const(0 | 1)) => return false,
            _ => Some(Count::Rest),
        };
        rests += usize::from(part.count == Count::Rest);
    }
    rests == 1
}

impl Nest {
    /// The nest in which fused loops have as many iterations as they have at most, where how often they run changes evenly with the
    /// iterations of other fused loops; and these loops.
    pub fn hulls(&self, space: &mut Space, mapping: &Mapping) -> (Nest, Vec<Hull>) {
        let mut nest = self.clone();
        let mut hulls = Vec::new();
        // All parts of them must be.
        let mut fused: Vec<usize> = mapping.fused().filter(|&of| mapping.is_around(of, 0)).collect();
        fused.sort_unstable();
        fused.dedup();
        for &of in &fused {
            if let Some((trips, hull)) = nest.hull(space, &fused, of) {
                nest.loops[of].trips = TripCount::Exactly(trips);
                hulls.push(hull);
            }
        }
        (nest, hulls)
    }

    /// How often a loop runs at most. Loops before it have their hulls.
    fn hull(&self, space: &mut Space, fused: &[usize], of: usize) -> Option<(Polynomial, Hull)> {
        let TripCount::Exactly(trips) = &self.loops[of].trips else { return None };
        let (mut base, mut most, mut slopes) = (trips.clone(), trips.clone(), Vec::new());
        for &on in fused.iter().take_while(|&&on| on < of) {
            let number = space.iteration(self.loops[on].id).as_atom()?;
            if base.degree_in(number) == 0 {
                continue;
            }
            let (slope, _) = base.split_affine(number)?;
            let slope = slope.as_constant()?.clone();
            let TripCount::Exactly(count) = &self.loops[on].trips else { return None };
            let last = if slope.is_negative() { Polynomial::zero() } else { count - &Polynomial::one() };
            most = most.replace(number, &last);
            base = base.replace(number, &Polynomial::zero());
            slopes.push((on, slope));
        }
        let is_even = !self.loops.iter().any(|entry| space.varies_with(&base, |with| with == entry.id));
        (is_even && !slopes.is_empty()).then_some((most, Hull { of, base, slopes }))
    }

    /// The mappings of whole loops that make threads of the outermost loops and more: of the next ones, or first of one from further inside
    /// and then the next ones. Threads run in any order, so each of them may be the fastest.
    pub fn mappings(&self) -> Vec<Mapping> {
        let depth = self.loops.len();
        let mut mappings: Vec<Mapping> = Vec::new();
        for second in self.parallel..depth {
            let mut all: Vec<usize> = (0..depth).filter(|&at| at != second).collect();
            all.insert(self.parallel, second);
            for count in self.parallel + 1..=depth {
                let mut fused = all[..count].to_vec();
                fused.sort_unstable();
                for fastest in (0..count).rev() {
                    let mut threads = fused.clone();
                    let at = threads.remove(fastest);
                    threads.push(at);
                    let mapping = Mapping::of_loops(&threads, &all[count..]);
                    if !mappings.contains(&mapping) {
                        mappings.push(mapping);
                    }
                }
            }
        }
        mappings
    }

    /// Why a mapping of all its loops may compute something else; none where it computes the same.
    pub fn objection(&self, space: &Space, mapping: &Mapping) -> Option<Objection> {
        self.of_bounds(space, mapping).or_else(|| self.of_dependences(mapping))
    }

    /// The numbers of iterations of fused loops must be known before all of them begin, those of the others when they are entered. So where
    /// digits are of other sizes at both ends of a dependence, a loop further outside decides which end comes first.
    fn of_bounds(&self, space: &Space, mapping: &Mapping) -> Option<Objection> {
        let of_thread = mapping.threads.iter().map(|part| (part.of, None));
        let of_inside = mapping.inside.iter().enumerate().map(|(place, part)| (part.of, Some(place)));
        of_thread.chain(of_inside).find_map(|(of, place)| {
            let trips = match &self.loops[of].trips {
                TripCount::Exactly(trips) => trips,
                // In the program's order, a loop that nothing is brought past may run as often as it likes.
                _ if place.is_some_and(|place| mapping.keeps_place(place)) => return None,
                TripCount::AtMost(_) => return Some(Objection::Trips { of, why: "it can be left early".into() }),
                TripCount::Modulo(_) => {
                    return Some(Objection::Trips { of, why: "its counter may wrap around".into() });
                }
                TripCount::Unknown(why) => return Some(Objection::Trips { of, why: why.clone() }),
            };
            let is_around = |on: usize| place.is_some_and(|place| mapping.is_around(on, place));
            let mut not_around = (0..self.loops.len()).filter(|&on| !is_around(on));
            let is_read = space
                .depends_on(trips, |atom| matches!(space.atom(atom), Atom::Load { .. }) && !self.fixed.contains(&atom));
            let is_unknown = !is_read && space.varies_per_thread(trips);
            let with = space.loops_of(trips);
            match not_around.clone().find(|&on| is_unknown || with.contains(&self.loops[on].id)) {
                Some(on) => Some(Objection::Bounds { of, on }),
                None => not_around.next().filter(|_| is_read).map(|_| Objection::Read { of }),
            }
        })
    }

    fn of_dependences(&self, mapping: &Mapping) -> Option<Objection> {
        let strips = StripMined::new(self, mapping);
        self.dependences.iter().enumerate().find_map(|(dependence, steps)| {
            let objection = |steps: &[Step]| {
                let separated = |by| Objection::Separated { dependence, by };
                strips.separated(steps).map(separated).or_else(|| {
                    let by = strips.reversed(steps)?;
                    Some(Objection::Reversed { dependence, by })
                })
            };
            match mapping.keeps_loops_whole() {
                true => objection(steps),
                false => strips.vectors(steps).iter().find_map(|steps| objection(steps)),
            }
        })
    }
}

/// A nest that has a loop for each part of a mapping, in the program's order.
struct StripMined {
    /// The loops, outermost first.
    parts: Vec<Part>,
    /// How many of them are of parallel loops.
    parallel: usize,
    is_scheduled: bool,
    /// Where the mapping has them, by their positions.
    threads: Vec<usize>,
    inside: Vec<usize>,
}

impl StripMined {
    fn new(nest: &Nest, mapping: &Mapping) -> StripMined {
        let parts = mapping.in_order();
        let places = |of: &[Part]| of.iter().filter_map(|part| parts.iter().position(|other| other == part)).collect();
        let (threads, inside) = (places(&mapping.threads), places(&mapping.inside));
        let parallel = parts.iter().filter(|part| part.of < nest.parallel).count();
        StripMined { parts, parallel, is_scheduled: nest.is_scheduled, threads, inside }
    }

    /// The vectors of a dependence that has a step for each loop as it was.
    fn vectors(&self, steps: &[Step]) -> Vec<Vec<Step>> {
        self.parts.chunk_by(|a, b| a.of == b.of).fold(vec![Vec::new()], |vectors, parts| {
            let steps = steps_of_parts(&steps[parts[0].of], parts);
            let longer = |outer: &Vec<Step>| steps.iter().map(|inner| [&outer[..], inner].concat()).collect::<Vec<_>>();
            vectors.iter().flat_map(longer).collect()
        })
    }

    /// The steps that matter: iterations of the parallel loops that differ may run in any order anyway.
    fn first_that_matters(&self, steps: &[Step]) -> Option<usize> {
        if self.is_scheduled {
            return Some(0);
        }
        steps[..self.parallel].iter().all(|step| step.allows(Direction::Equal)).then_some(self.parallel)
    }

    /// A loop with a fused part in whose different iterations the ends may lie.
    fn separated(&self, steps: &[Step]) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        let by = self.threads.iter().copied().filter(|&at| at >= first).find(|&at| {
            let itself = carries(steps, first, at);
            // Carried further outside, both ways are possible.
            let outside = (first..at).any(|outer| carries(steps, first, outer));
            itself || outside && (steps[at].less || steps[at].greater)
        });
        by.map(|at| self.parts[at].of)
    }

    /// A loop with a part inside that comes first at a dependence which another one carries in the program, and goes backwards. Asked where no
    /// fused part separates the ends.
    fn reversed(&self, steps: &[Step]) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        let is_equal = |at: &usize| steps[*at].allows(Direction::Equal);
        if !self.threads.iter().filter(|&&at| at >= first).all(is_equal) {
            return None;
        }
        let matters = |at: &&usize| **at >= first;
        let by = self.inside.iter().filter(matters).enumerate().find(|&(position, &at)| {
            let mut before = self.inside.iter().filter(matters).take(position);
            let may_come_first = before.all(is_equal) && steps[at].greater;
            let mut behind = self.inside.iter().filter(matters).skip(position + 1);
            may_come_first && behind.any(|&outer| outer < at && carries(steps, first, outer))
        });
        by.map(|(_, &at)| self.parts[at].of)
    }
}

/// Whether a dependence may be carried at a loop in the program's order.
fn carries(steps: &[Step], first: usize, at: usize) -> bool {
    steps[at].less && steps[first..at].iter().all(|step| step.allows(Direction::Equal))
}

/// The steps of a loop's parts, the highest first, that a step of the loop consists of: one of these combinations.
fn steps_of_parts(step: &Step, parts: &[Part]) -> Vec<Vec<Step>> {
    if let [_] = parts {
        return vec![vec![step.clone()]];
    }
    match step.distance.as_ref().and_then(|distance| distance.as_constant()?.to_i64()) {
        Some(distance) => steps_by(distance.into(), parts),
        None => steps_of_directions(step, parts.len()),
    }
}

/// The steps of parts between two numbers at a distance, as in a subtraction by hand: with s values of the lowest digit, that one differs by
/// r = distance mod s or, where it borrows from the others, by r - s; the others by what is left, divided by s.
fn steps_by(distance: i128, parts: &[Part]) -> Vec<Vec<Step>> {
    let [others @ .., lowest] = parts else { return vec![Vec::new()] };
    match lowest.count {
        _ if others.is_empty() => vec![vec![step_by(distance)]],
        Count::Const(count) => {
            let count = i128::from(count);
            let rest = distance.rem_euclid(count);
            let borrowed = (rest > 0).then_some(rest - count);
            let with = |by: i128| {
                let longer = move |others: Vec<Step>| [others, vec![step_by(by)]].concat();
                steps_by((distance - by) / count, others).into_iter().map(longer)
            };
            std::iter::once(rest).chain(borrowed).flat_map(with).collect()
        }
        Count::Rest => steps_of_directions(&step_by(distance), parts.len()),
    }
}

fn step_by(distance: i128) -> Step {
    Step { less: distance > 0, equal: distance == 0, greater: distance < 0, distance: None }
}

/// The steps of so many parts where only the directions of the loop's are known: the highest digit that differs has the loop's direction, and
/// those below it any.
fn steps_of_directions(step: &Step, parts: usize) -> Vec<Vec<Step>> {
    let any = Step { less: true, equal: true, greater: true, distance: None };
    if step.less && step.equal && step.greater {
        return vec![vec![any; parts]];
    }
    let first = |way: Step| {
        let any = any.clone();
        (0..parts).map(move |at| {
            let mut steps = vec![step_by(0); parts];
            steps[at] = way.clone();
            steps[at + 1..].fill(any.clone());
            steps
        })
    };
    let less = step.less.then(|| first(step_by(1))).into_iter().flatten();
    let greater = step.greater.then(|| first(step_by(-1))).into_iter().flatten();
    less.chain(greater).chain(step.equal.then(|| vec![step_by(0); parts])).collect()
}
