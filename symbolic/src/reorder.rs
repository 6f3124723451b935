//! Which loops of a nest may become threads, and in which order the others may run inside of them.
//!
//! The textbook's rule for an interchange, that vectors stay lexicographically non-negative, is not enough where loops are fused into the
//! number of a thread: threads run in any order, so whatever a fused loop carries is lost. `A[p][j][i] = A[p][j-1][i-1]` has the vector
//! (0, 1, 1); with p and i fused its ends lie in different threads.

use crate::atom::{Atom, LoopId};
use crate::coeff::Coeff;
use crate::dependence::{Direction, Step};
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

/// How the loops of a nest would run, by their positions in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Those that make the number of a thread together, the slowest first.
    pub threads: Vec<usize>,
    /// Those that run in each thread, outermost first.
    pub inside: Vec<usize>,
}

/// Why an order is not known to compute the same.
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

impl Nest {
    /// The nest in which fused loops have as many iterations as they have at most, where how often they run changes evenly with the
    /// iterations of other fused loops; and these loops.
    pub fn hulls(&self, space: &mut Space, order: &Order) -> (Nest, Vec<Hull>) {
        let mut nest = self.clone();
        let mut hulls = Vec::new();
        let mut fused = order.threads.clone();
        fused.sort_unstable();
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

    /// The orders that make threads of the outermost loops and more: of the next ones, or first of one from further inside and then the
    /// next ones. Threads run in any order, so each of them may be the fastest.
    pub fn orders(&self) -> Vec<Order> {
        let depth = self.loops.len();
        let mut orders: Vec<Order> = Vec::new();
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
                    let order = Order { threads, inside: all[count..].to_vec() };
                    if !orders.contains(&order) {
                        orders.push(order);
                    }
                }
            }
        }
        orders
    }

    /// Why an order of all its loops may compute something else; none where it computes the same.
    pub fn objection(&self, space: &Space, order: &Order) -> Option<Objection> {
        self.of_bounds(space, order).or_else(|| self.of_dependences(order))
    }

    /// The numbers of iterations of fused loops must be known before all of them begin, those of the others when they are entered.
    fn of_bounds(&self, space: &Space, order: &Order) -> Option<Objection> {
        let of_thread = order.threads.iter().map(|&of| (of, true, 0));
        let of_inside = order.inside.iter().enumerate().map(|(around, &of)| (of, false, around));
        of_thread.chain(of_inside).find_map(|(of, is_fused, around)| {
            let trips = match &self.loops[of].trips {
                TripCount::Exactly(trips) => trips,
                // In the program's order, a loop that nothing is brought past may run as often as it likes.
                _ if !is_fused && self.keeps_place(order, of) => return None,
                TripCount::AtMost(_) => return Some(Objection::Trips { of, why: "it can be left early".into() }),
                TripCount::Modulo(_) => {
                    return Some(Objection::Trips { of, why: "its counter may wrap around".into() });
                }
                TripCount::Unknown(why) => return Some(Objection::Trips { of, why: why.clone() }),
            };
            let is_around =
                |on: usize| !is_fused && (order.threads.contains(&on) || order.inside[..around].contains(&on));
            let mut not_around = (0..self.loops.len()).filter(|&on| !is_around(on));
            let is_read = space.depends_on(trips, |atom| matches!(space.atom(atom), Atom::Load { .. }));
            let is_unknown = !is_read && space.varies_per_thread(trips);
            let with = space.loops_of(trips);
            match not_around.clone().find(|&on| is_unknown || with.contains(&self.loops[on].id)) {
                Some(on) => Some(Objection::Bounds { of, on }),
                None => not_around.next().filter(|_| is_read).map(|_| Objection::Read { of }),
            }
        })
    }

    /// Whether the same loops are around one as in the program, or fused.
    fn keeps_place(&self, order: &Order, at: usize) -> bool {
        let Some(position) = order.inside.iter().position(|&inside| inside == at) else { return false };
        let mut around = order.threads.iter().chain(&order.inside[..position]);
        around.all(|&before| before < at) && order.inside[position + 1..].iter().all(|&behind| behind > at)
    }

    fn of_dependences(&self, order: &Order) -> Option<Objection> {
        self.dependences.iter().enumerate().find_map(|(dependence, steps)| {
            let separated = |by| Objection::Separated { dependence, by };
            self.separated(steps, order).map(separated).or_else(|| {
                let by = self.reversed(steps, order)?;
                Some(Objection::Reversed { dependence, by })
            })
        })
    }

    /// The steps that matter: iterations of the parallel loops that differ may run in any order anyway.
    fn first_that_matters(&self, steps: &[Step]) -> Option<usize> {
        if self.is_scheduled {
            return Some(0);
        }
        steps[..self.parallel].iter().all(|step| step.allows(Direction::Equal)).then_some(self.parallel)
    }

    /// A fused loop in whose different iterations the ends may lie.
    fn separated(&self, steps: &[Step], order: &Order) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        order.threads.iter().copied().filter(|&at| at >= first).find(|&at| {
            let itself = carries(steps, first, at);
            // Carried further outside, both ways are possible.
            let outside = (first..at).any(|outer| carries(steps, first, outer));
            itself || outside && (steps[at].less || steps[at].greater)
        })
    }

    /// A loop inside that comes first at a dependence which another one carries in the program, and goes backwards. Asked where no fused
    /// loop separates the ends.
    fn reversed(&self, steps: &[Step], order: &Order) -> Option<usize> {
        let first = self.first_that_matters(steps)?;
        let is_equal = |at: &usize| steps[*at].allows(Direction::Equal);
        if !order.threads.iter().filter(|&&at| at >= first).all(is_equal) {
            return None;
        }
        order.inside.iter().enumerate().find_map(|(position, &at)| {
            let may_come_first = order.inside[..position].iter().all(is_equal) && steps[at].greater;
            let behind = &order.inside[position + 1..];
            let is_carried = behind.iter().any(|&outer| outer < at && carries(steps, first, outer));
            (may_come_first && is_carried).then_some(at)
        })
    }
}

/// Whether a dependence may be carried at a loop in the program's order.
fn carries(steps: &[Step], first: usize, at: usize) -> bool {
    steps[at].less && steps[first..at].iter().all(|step| step.allows(Direction::Equal))
}
