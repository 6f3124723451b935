//! Which loops of a nest, or parts of them, may become threads, and in which order the others may run inside of them.
//!
//! The rule for an interchange, that vectors stay lexicographically non-negative (Allen and Kennedy, *Optimizing Compilers for Modern
//! Architectures*, 2001, section 5.2), is not enough where loops are fused into the
//! number of a thread: threads run in any order, so whatever a fused loop carries is lost. `A[p][j][i] = A[p][j-1][i-1]` has the vector
//! (0, 1, 1); with p and i fused its ends lie in different threads.
//!
//! A loop in parts is strip-mined: its iteration number is written in digits, and each digit is counted by a loop of its own. In the order of
//! the digits the program's order stays, so a dependence on the loop is some dependences on its digits, of which the same is asked.

use super::bounds::Bounds;
use super::map::Mapping;
use super::strips::StripMined;
use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::dependence::Step;
use crate::id::{AtomId, LoopId};
use crate::nest::TripCount;
use crate::polynomial::Polynomial;
use crate::space::Space;

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

/// A fused loop that runs less often in some iterations of others: it gets as many numbers of threads as it needs at most, of which some do nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hull {
    /// The loop's position.
    pub of: usize,
    /// How often it runs in the first iterations of the others; in each of them, where that does not change evenly.
    pub base: Polynomial,
    /// By how much that grows with each iteration of which other fused loop.
    pub slopes: Vec<(usize, Coeff)>,
    /// Which of its numbers do nothing.
    pub idle: Idle,
}

/// Which numbers of a hull have no iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// Those that are not below `base + sum of slope * iteration`. The others are iterations' numbers.
    Last,
    /// Those below the iteration of the loop that its count falls with. The others are by so much more than iterations' numbers: in a triangle whose rows begin
    /// at the diagonal, they count columns.
    First,
    /// Those that are not below `base`, which changes with the other iterations as by a remainder: what the loop itself asks before an iteration tells.
    Asked,
}

impl Hull {
    /// The loop with each iteration of which it has one iteration less, if its count changes with nothing else: only of such may the first numbers be idle.
    pub fn falls_with(&self) -> Option<usize> {
        match &self.slopes[..] {
            [(on, slope)] if *slope == Coeff::MINUS_ONE => Some(*on),
            _ => None,
        }
    }
}

impl Nest {
    /// The nest in which fused loops have as many iterations as they have at most, where how often they run changes evenly with the
    /// iterations of other fused loops, or is the least of such numbers; in mappings of whole loops also where [`Bounds`] know the most of it, of loops that
    /// can be `asked`. And these loops, once for each number.
    pub fn hulls(
        &self,
        space: &mut Space,
        mapping: &Mapping,
        can_be_asked: impl Fn(usize) -> bool,
    ) -> (Nest, Vec<Hull>) {
        let mut nest = self.clone();
        let mut hulls = Vec::new();
        // All parts of them must be.
        let mut fused: Vec<usize> = mapping.fused().filter(|&of| mapping.is_around(of, 0)).collect();
        fused.sort_unstable();
        fused.dedup();
        for &of in &fused {
            let is_asked = mapping.keeps_loops_whole() && can_be_asked(of);
            let asked = |space: &mut Space| if is_asked { nest.asked(space, &fused, of) } else { None };
            if let Some((trips, of_loop)) = nest.hull(space, &fused, of).or_else(|| asked(space)) {
                nest.loops[of].trips = TripCount::Exactly(trips);
                hulls.extend(of_loop);
            }
        }
        (nest, hulls)
    }

    /// How often a loop runs at most, and what it must be below in each iteration of others. Loops before it have their hulls.
    fn hull(&self, space: &mut Space, fused: &[usize], of: usize) -> Option<(Polynomial, Vec<Hull>)> {
        let TripCount::Exactly(trips) = &self.loops[of].trips else { return None };
        let mut found = Vec::new();
        for part in space.least_of(trips)? {
            found.push(self.hull_of(space, fused, of, part)?);
        }
        // What is the same in all iterations says most.
        let at = found.iter().position(|(_, hull)| hull.slopes.is_empty()).unwrap_or(0);
        let most = found[at].0.clone();
        let hulls: Vec<Hull> = found.into_iter().map(|(_, hull)| hull).collect();
        hulls.iter().any(|hull| !hull.slopes.is_empty()).then_some((most, hulls))
    }

    /// How often a loop runs at most of which only its own condition tells how often it runs in each iteration of others.
    fn asked(&self, space: &mut Space, fused: &[usize], of: usize) -> Option<(Polynomial, Vec<Hull>)> {
        let TripCount::Exactly(trips) = &self.loops[of].trips else { return None };
        let mut last = Vec::new();
        for entry in fused.iter().take_while(|&&on| on < of).map(|&on| &self.loops[on]) {
            let TripCount::Exactly(count) = &entry.trips else { return None };
            last.push((space.iteration(entry.id).as_atom()?, count - &Polynomial::one()));
        }
        let loops = self.loops.iter().map(|entry| entry.id).collect();
        let most = Bounds { space, loops, last }.most(trips)?;
        (most != *trips).then(|| (most, vec![Hull { of, base: trips.clone(), slopes: Vec::new(), idle: Idle::Asked }]))
    }

    /// The greatest value of a count that changes evenly with the iterations of others, and how it does.
    fn hull_of(&self, space: &mut Space, fused: &[usize], of: usize, count: Polynomial) -> Option<(Polynomial, Hull)> {
        let (mut base, mut most, mut slopes) = (count.clone(), count, Vec::new());
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
        is_even.then_some((most, Hull { of, base, slopes, idle: Idle::Last }))
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
        self.of_bounds(space, mapping).or_else(|| self.of_dependences(mapping, &self.dependences).next())
    }

    /// Why a mapping of all its loops may compute something else, whatever the dependences are.
    ///
    /// The numbers of iterations of fused loops must be known before all of them begin, those of the others when they are entered. So where
    /// digits are of other sizes at both ends of a dependence, a loop further outside decides which end comes first.
    pub fn of_bounds(&self, space: &Space, mapping: &Mapping) -> Option<Objection> {
        let of_thread = mapping.threads().iter().map(|part| (part.of, None));
        let of_inside = mapping.inside().iter().enumerate().map(|(place, part)| (part.of, Some(place)));
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

    /// Of each dependence among these that a mapping of all loops may not keep, why; in their order.
    pub fn of_dependences<'a>(
        &self,
        mapping: &Mapping,
        dependences: &'a [Vec<Step>],
    ) -> impl Iterator<Item = Objection> + 'a {
        let strips = StripMined::new(mapping, self.parallel, self.is_scheduled);
        let is_whole = mapping.keeps_loops_whole();
        dependences.iter().enumerate().filter_map(move |(dependence, steps)| {
            let objection = |steps: &[Step]| {
                let separated = |by| Objection::Separated { dependence, by };
                strips.separated(steps).map(separated).or_else(|| {
                    let by = strips.reversed(steps)?;
                    Some(Objection::Reversed { dependence, by })
                })
            };
            match is_whole {
                true => objection(steps),
                false => strips.vectors(steps).iter().find_map(|steps| objection(steps)),
            }
        })
    }
}
