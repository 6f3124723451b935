//! What a cache keeps: the form that GPU and CPU models share.
//!
//! Wolf, Maydan and Chen, "Combining loop transformations considering caches and scheduling" (MICRO 1996): the reuse that a loop
//! carries is found in a cache if what one iteration of the loop touches fits into it.

use crate::form::Num;

/// How often loops are reached that run so many iterations, and what is in them at the end.
pub(crate) fn reached(probability: Num, trips: &[Num]) -> Vec<Num> {
    let mut before = vec![probability];
    for trips in trips {
        before.push(before[before.len() - 1] * *trips);
    }
    before
}

/// The reuse that one loop carries, or that sharers of a cache have of each other's data.
pub(crate) struct Carried {
    /// What is touched between two uses, by everyone who shares the cache.
    pub(crate) working: Num,
    /// What must be fetched if this reuse, and all reuse further inside, is found in the cache.
    pub(crate) fetched: Num,
}

/// How much is fetched into a cache of that capacity, where `requested` would be without it. `reuse` goes from the inside outwards;
/// a loop's working set is taken to be at least that of the loops inside of it. Reuse with the same working set is found or lost together.
pub(crate) fn fetched(requested: Num, reuse: impl IntoIterator<Item = Carried>, capacity: Num) -> Num {
    let (mut missed, mut left, mut inside) = (requested, requested, Num::ZERO);
    let mut outside = requested;
    let mut reuse = reuse.into_iter().peekable();
    while let Some(carried) = reuse.next() {
        outside = outside.min(carried.fetched);
        if reuse.peek().is_some_and(|next| next.working == carried.working) {
            continue;
        }
        let working = inside.max(carried.working);
        missed = missed - kept(working, capacity) * (left - outside);
        (left, inside) = (outside, working);
    }
    match missed.known() {
        Some(_) => missed.clamp(0.0, requested),
        // But for rounding it is within.
        None => missed,
    }
}

/// What stands for no capacity, so that nothing is divided by 0.
const MIN_CAPACITY: f64 = 1e-9;

/// The largest ratio that is distinguished from larger ones, so that its powers stay finite.
const LARGEST_RATIO: f64 = 1e120;

/// The share of uses that finds its data in a cache of that capacity, if a set of the size `working` is gone through again and again.
///
/// With random replacement, data that is to be used again survives (1 - h) * working misses, each of which hits it with the chance
/// 1 / capacity: h = exp(-(1 - h) * working / capacity). All is kept up to the capacity, and less without a jump beyond. (Strict
/// replacement of the oldest would keep nothing beyond; no large cache does that.) A quotient near that equation's solution takes its place,
/// which no few steps solve.
pub(crate) fn kept(working: Num, capacity: Num) -> Num {
    let ratio = (working / capacity.max(MIN_CAPACITY)).min(LARGEST_RATIO);
    1.0 / (ratio * (1.25 * ratio - 0.25)).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps in which the equation is solved; each halves the distance.
    const HALVINGS: u32 = 40;

    /// The solution of [`kept`]'s equation.
    fn solved(ratio: f64) -> f64 {
        if ratio <= 1.0 {
            return 1.0;
        }
        // h = 1 always solves it; the other solution lies below 1 / ratio, where h - exp(..) grows through zero.
        let (mut low, mut high) = (0.0, 1.0 / ratio);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if (-(1.0 - middle) * ratio).exp() > middle {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn kept_of(working: f64, capacity: f64) -> f64 {
        kept(working.into(), capacity.into()).get()
    }

    #[test]
    fn a_set_that_fits_is_kept_and_twice_the_cache_nearly_lost() {
        assert_eq!(kept_of(100.0, 100.0), 1.0);
        assert_eq!(kept_of(0.0, 0.0), 1.0);
        assert!(kept_of(1.0, 0.0) < 1e-15);
        // h = exp(-2 (1 - h)) has the solution 0.20319.
        assert!((solved(2.0) - 0.20319).abs() < 1e-4);
        assert!(kept_of(100.0 + 1e-6, 100.0) > 0.999, "no jump at the capacity");
    }

    #[test]
    fn random_replacement_keeps_what_the_equation_says() {
        // A cache of 256 lines, of which a miss replaces any one, and a cycle of 400 lines.
        let (capacity, working) = (256_usize, 400_usize);
        let mut cache = vec![usize::MAX; capacity];
        let (mut random, mut hits, rounds) = (1_u64, 0_u32, 400);
        for round in 0..rounds {
            for line in 0..working {
                if cache.contains(&line) {
                    hits += u32::from(round >= rounds / 2);
                } else {
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    cache[(random >> 33) as usize % capacity] = line;
                }
            }
        }
        let measured = f64::from(hits) / (working * rounds / 2) as f64;
        assert!((measured - solved(working as f64 / capacity as f64)).abs() < 0.02, "measured {measured}");
    }

    #[test]
    fn reuse_further_out_needs_more_room() {
        // for i in 10, for j in 20: A[j] (20 lines, used 200 times). One iteration of i touches 20.
        let carried = |working: f64, fetched: f64| Carried { working: working.into(), fetched: fetched.into() };
        let all =
            |capacity: f64| fetched(200.0.into(), [carried(1.0, 200.0), carried(20.0, 20.0)], capacity.into()).get();
        assert_eq!(all(20.0), 20.0);
        assert_eq!(all(0.0), 200.0);
        assert!(all(10.0) > 150.0);
    }

    #[test]
    fn the_quotient_is_near_the_solution() {
        for hundredth in 0..1000 {
            let ratio = f64::from(hundredth) / 100.0;
            let (exact, found) = (solved(ratio), kept_of(ratio, 1.0));
            assert!((exact - found).abs() < 0.04, "{exact} and {found} at {ratio}");
        }
    }
}
