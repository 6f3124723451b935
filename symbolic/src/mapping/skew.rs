//! Rescheduling: iterations of a serial nest that are independent once its loops are skewed.
//!
//! ```text
//! for i in 0..n: for j in 0..m: c[i + j] += a[i] * b[j]
//! for p in 0..n + m - 1: for i in max(0, p - m + 1)..=min(n - 1, p): c[p] += a[i] * b[p - i]
//! ```
//!
//! Iterations whose numbers have the same sum p stay together. Where no dependence leads from one p to another, these are independent, as if each had a
//! thread of its own (a placement, in Feautrier's "Some efficient solutions to the affine scheduling problem", 1992). Inside of one p the nest's loops
//! run in their order but for the last of those that are summed up, whose number follows from the others: that is the order of the program, so each
//! sum of floating-point numbers is the same, bit by bit. Only serial nests are skewed: iterations of a loop that is parallel by the program's word
//! depend on nothing, or are wrong as they are written.

use super::nest::{NestLoop, Objection};
use crate::dependence::{Access, Step};
use crate::facts::Facts;
use crate::id::LoopId;
use crate::nest::TripCount;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// A sum of iteration numbers, each times 1, 0 or -1: p.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skew {
    /// The first that is not 0 is 1.
    times: Vec<i8>,
}

impl Skew {
    /// Of a factor for each loop of the nest, outermost first. None where there are others than 1, 0 and -1, where the first that is not 0 is not 1, and
    /// where all are 0.
    pub fn new(times: Vec<i8>) -> Option<Skew> {
        let is_possible = times.iter().all(|times| (-1..=1).contains(times));
        let first = times.iter().find(|times| **times != 0);
        (is_possible && first == Some(&1)).then_some(Skew { times })
    }

    /// All of so many loops, those of few loops first: a single one is not skewed.
    pub fn all(loops: usize) -> Vec<Skew> {
        let all = (0..loops).fold(vec![Vec::new()], |all: Vec<Vec<i8>>, _| {
            all.iter().flat_map(|times| [0, 1, -1].map(|next| [&times[..], &[next]].concat())).collect()
        });
        let mut all: Vec<Skew> = all.into_iter().filter_map(Skew::new).collect();
        all.sort_by_key(|skew| skew.summed().count());
        all
    }

    /// The factor of each loop.
    pub fn times(&self) -> &[i8] {
        &self.times
    }

    /// The loops whose numbers are summed up.
    pub fn summed(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.times.iter().enumerate().filter(|(_, times)| **times != 0).map(|(of, _)| of)
    }

    /// Whether it is a sum of several loops' numbers.
    pub fn is_skewed(&self) -> bool {
        self.summed().count() > 1
    }

    /// The loop whose number follows from p and the others: the last one that is summed up.
    pub fn following(&self) -> usize {
        self.summed().next_back().expect("one factor is not 0")
    }

    /// The loops that run for each p, outermost first: all but the one that follows.
    pub fn inside(&self) -> impl Iterator<Item = usize> {
        let following = self.following();
        (0..self.times.len()).filter(move |&of| of != following)
    }

    /// The first and the last value of p, of loops that run so often, each at least once.
    pub fn range(&self, trips: &[Polynomial]) -> (Polynomial, Polynomial) {
        self.range_behind(0, trips)
    }

    /// The range of the part of the sum from a loop on.
    fn range_behind(&self, from: usize, trips: &[Polynomial]) -> (Polynomial, Polynomial) {
        let mut range = (Polynomial::zero(), Polynomial::zero());
        for of in self.summed().filter(|&of| of >= from) {
            let last = &trips[of] - &Polynomial::one();
            match self.times[of] {
                1 => range.1 = &range.1 + &last,
                _ => range.0 = &range.0 - &last,
            }
        }
        range
    }

    /// Beside 0 and its last iteration, the first and the last iteration of a loop inside that has any for a p; none of a loop that runs all. `numbers`
    /// are the iteration numbers of the loops. In between, all of its iterations have some.
    pub fn limits(
        &self,
        of: usize,
        trips: &[Polynomial],
        p: &Polynomial,
        numbers: &[Polynomial],
    ) -> Option<(Polynomial, Polynomial)> {
        if self.times[of] == 0 {
            return None;
        }
        let left = self.left(of, p, numbers);
        let (first, last) = self.range_behind(of + 1, trips);
        // What is left of p, less (or with) this number, is in the range of the others.
        Some(match self.times[of] {
            1 => (&left - &last, &left - &first),
            _ => (&first - &left, &last - &left),
        })
    }

    /// What the loops from one on have to add together.
    fn left(&self, from: usize, p: &Polynomial, numbers: &[Polynomial]) -> Polynomial {
        self.summed().filter(|&of| of < from).fold(p.clone(), |left, of| match self.times[of] {
            1 => &left - &numbers[of],
            _ => &left + &numbers[of],
        })
    }

    /// The number of the loop that follows.
    pub fn number_that_follows(&self, p: &Polynomial, numbers: &[Polynomial]) -> Polynomial {
        let left = self.left(self.following(), p, numbers);
        if self.times[self.following()] == 1 { left } else { -&left }
    }

    /// Whether the dependences, from source to sink in the program's order, all stay within one p, and go forwards where iterations of one p are ordered by
    /// a sum of their numbers, each times a factor; else why not. A step without a known distance may be any in its directions.
    pub fn objection(&self, dependences: &[Vec<Step>], schedule: &[i64]) -> Option<Objection> {
        let by = self.following();
        dependences.iter().enumerate().find_map(|(dependence, steps)| {
            let times = |factors: &mut dyn Iterator<Item = i64>| {
                let parts = factors.zip(steps).filter(|(factor, _)| *factor != 0);
                let part = |(factor, step): (i64, &Step)| Some(step.known_distance()?.scale(&factor.into()));
                parts.map(part).try_fold(Polynomial::zero(), |sum, part| Some(sum + part?))
            };
            if !times(&mut self.times.iter().map(|&times| times.into())).is_some_and(|sum| sum.is_zero()) {
                return Some(Objection::Separated { dependence, by });
            }
            let is_of_one_iteration = steps.iter().all(|step| !step.less && !step.greater);
            let distance = times(&mut schedule.iter().copied());
            let goes_forwards =
                distance.and_then(|sum| sum.as_constant().map(|sum| !sum.is_negative() && !sum.is_zero()));
            let is_kept = is_of_one_iteration || goes_forwards == Some(true);
            (!is_kept).then_some(Objection::Reversed { dependence, by })
        })
    }

    /// An access of a nest by p, which is a loop around those inside and is counted from 0: from the first value of the sum on. None where it is not in
    /// these loops, the innermost ones around it, or where one is not known to run an exact number of times that all of them have alike.
    pub fn of_access(&self, space: &mut Space, access: &Access, nest: &[NestLoop], p: LoopId) -> Option<Access> {
        let ids: Vec<LoopId> = nest.iter().map(|entry| entry.id).collect();
        let outer = access.loops.strip_suffix(&ids[..])?;
        let trips = trips_of(nest)?;
        let numbers: Vec<Polynomial> = ids.iter().map(|&id| space.iteration(id)).collect();
        let atom = numbers[self.following()].as_atom()?;
        let (first, last) = self.range(&trips);
        let place = space.iteration(p);
        let value = self.number_that_follows(&(&place + &first), &numbers);
        let of_value = |space: &mut Space, of: &Polynomial| {
            space.substitute(of, &mut |other| Some(&value).filter(|_| other == atom).cloned())
        };
        let mut facts = Facts::none();
        for fact in access.facts.nonneg() {
            facts.assume_nonneg(of_value(space, fact));
        }
        // As of the iteration number in whose place it stands.
        facts.assume_nonneg(value.clone());
        facts.assume_nonneg(&(&last - &first) - &place);
        let loops = outer.iter().copied().chain([p]).chain(self.inside().map(|of| ids[of])).collect();
        Some(Access { address: of_value(space, &access.address), bytes: access.bytes, loops, facts })
    }
}

/// How often the loops of a nest run, where that is known of all.
fn trips_of(nest: &[NestLoop]) -> Option<Vec<Polynomial>> {
    let trips = |entry: &NestLoop| match &entry.trips {
        TripCount::Exactly(trips) => Some(trips.clone()),
        _ => None,
    };
    nest.iter().map(trips).collect()
}
