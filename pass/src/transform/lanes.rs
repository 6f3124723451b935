//! Tiles of lanes: where two accesses of a nest want neighbouring threads to go along different loops, a warp that is a rectangle of both touches
//! fewer sectors than one that is a row of either.
//!
//! ```text
//! for i, j: B[j*n + i] = A[i*m + j]     a row of 32 lanes: 4 sectors of A, 32 of B; a tile of 4 x 8: 4 of A, 8 of B
//! ```
//!
//! Loops of which neighbours take tiles have as many numbers as whole tiles have: after the last iteration threads are idle.

use super::grid::Sample;
use super::profit::{Candidate, Cost, Sizes, cost_of_sample, disagreeing};
use super::subject::{MIN_GAIN, Subject};
use crate::analysis::dependences::NestAccess;
use crate::analysis::region::Analysis;
use ipda_symbolic::Mapping;

/// Tiles of one nest that are compared, each by the sectors of some warps.
const MAX_SHAPES: usize = 16;
/// Fewer neighbours of the fastest loop touch nearly as many sectors as ones that are anywhere.
const MIN_ALONG: u32 = 4;

/// The best mapping of which neighbours of a warp are a tile of the loops that a mapping fuses, in its order; none where no tile is worth it. Of small
/// sizes, examples, and large ones. What counts are `accesses`.
pub(super) fn tiled(
    analysis: &mut Analysis<'_>,
    subject: &Subject<'_>,
    [few, _, many]: [&Sizes; 3],
    order: &Candidate,
    accesses: &[NestAccess],
) -> Option<Candidate> {
    let nest = &subject.nest;
    let mut pairs = disagreeing(analysis, &subject.sizes, accesses, order);
    pairs.retain(|&pair| may_be_tiled(subject, &order.mapping, pair));
    let lanes = analysis.setting.geometry.lanes;
    let mappings: Vec<Mapping> = mappings_of(&order.mapping, &pairs, lanes).take(MAX_SHAPES).collect();
    if mappings.is_empty() {
        return None;
    }
    let classes = [few, many];
    let of_sample = |analysis: &Analysis<'_>, sizes: &Sizes, candidate: &Candidate, sample: Sample| {
        weight(&cost_of_sample(analysis, sizes, accesses, candidate, sample))
    };
    let measured = |analysis: &Analysis<'_>, sizes: &Sizes, candidate: &Candidate| {
        of_sample(analysis, sizes, candidate, Sample::Spread)
    };
    // Most tiles are worth nothing, as a few warps show where they are much alike.
    let roughly_before = of_sample(analysis, &subject.sizes, order, Sample::Few);
    let mut before = None;
    let mut best: Option<(f64, Candidate)> = None;
    let mut before_of = [None; 2];
    for mapping in mappings {
        let candidate = Candidate::new(analysis, nest, mapping);
        let is_alike = candidate.hulls.is_empty();
        if is_alike && of_sample(analysis, &subject.sizes, &candidate, Sample::Few) > roughly_before {
            continue;
        }
        let before = *before.get_or_insert_with(|| measured(analysis, &subject.sizes, order));
        let part = measured(analysis, &subject.sizes, &candidate) / before;
        if part > MIN_GAIN || best.as_ref().is_some_and(|(least, _)| *least <= part) {
            continue;
        }
        let [few, many] = [0, 1].map(|at| {
            // Where an example runs nothing, it says nothing.
            if !classes[at].let_run(analysis, nest) {
                return 1.0;
            }
            let before = *before_of[at].get_or_insert_with(|| measured(analysis, classes[at], order));
            measured(analysis, classes[at], &candidate) / before
        });
        // It must not lose with few iterations what it gains else.
        if few - 1.0 <= 1.0 - part && many <= 1.0 {
            best = Some((part, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// All tiles of lanes of the loops that a mapping fuses, in its order, whether or not they are worth it.
pub(super) fn all_of(analysis: &Analysis<'_>, subject: &Subject<'_>, order: &Mapping) -> Vec<Mapping> {
    let fused: Vec<usize> = order.fused().collect();
    let with_later =
        |(at, &first): (usize, &usize)| fused[at + 1..].iter().map(move |&second| (first, second)).collect();
    let pairs: Vec<Vec<(usize, usize)>> = fused.iter().enumerate().map(with_later).collect();
    let pairs: Vec<_> = pairs.concat().into_iter().filter(|&pair| may_be_tiled(subject, order, pair)).collect();
    mappings_of(order, &pairs, analysis.setting.geometry.lanes).collect()
}

/// Of loops that a clause collapsed, the last one alone is tiled with loops inside: its neighbouring iterations are those of the shared loop.
pub(super) fn may_be_tiled(subject: &Subject<'_>, order: &Mapping, (first, second): (usize, usize)) -> bool {
    let is_counted = |of: usize| of + 1 >= subject.nest.digits;
    subject.is_order_of_collapsed(order) || is_counted(first) && is_counted(second)
}

fn mappings_of(order: &Mapping, pairs: &[(usize, usize)], lanes: u32) -> impl Iterator<Item = Mapping> {
    shapes(pairs, lanes).into_iter().filter_map(|lanes| order.with_lanes(&lanes))
}

/// The sectors of a mapping, and what lanes wait, as many times as there are numbers of threads for each iteration.
fn weight(cost: &Cost) -> f64 {
    cost.work() * cost.numbers / cost.threads
}

/// Tiles of so many lanes over pairs of loops, and over the three of several pairs.
fn shapes(pairs: &[(usize, usize)], lanes: u32) -> Vec<Vec<(usize, u32)>> {
    let powers = |most: u32| (1..=most.ilog2()).map(|power| 1 << power);
    let mut shapes = Vec::new();
    for &(first, second) in pairs {
        let along = powers(lanes).map(|rows| (rows, lanes / rows)).filter(|(_, along)| *along >= MIN_ALONG);
        shapes.extend(along.map(|(rows, along)| vec![(first, rows), (second, along)]));
    }
    if let [(a, b), (c, d), ..] = *pairs
        && let Some(third) = [c, d].into_iter().find(|of| ![a, b].contains(of))
        && [c, d].iter().any(|of| [a, b].contains(of))
    {
        for (first, second) in powers(lanes / 2).flat_map(|first| powers(lanes / 2).map(move |second| (first, second)))
        {
            let rest = lanes / (first * second).min(lanes);
            if rest >= 2 && first.max(second).max(rest) <= 8 {
                shapes.push(vec![(a, first), (b, second), (third, rest)]);
            }
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::shapes;

    #[test]
    fn tiles_have_as_many_numbers_as_a_warp_has_lanes() {
        for lanes in [32, 64] {
            let all = shapes(&[(0, 1), (0, 2)], lanes);
            assert!(all.iter().all(|shape| shape.iter().map(|(_, count)| count).product::<u32>() == lanes), "{all:?}");
            assert!(all.iter().flatten().all(|(_, count)| *count > 1), "{all:?}");
        }
        assert_eq!(shapes(&[(0, 1)], 32), [(2, 16), (4, 8), (8, 4)].map(|(a, b)| vec![(0, a), (1, b)]));
        assert!(shapes(&[(0, 1), (1, 2)], 32).contains(&vec![(0, 4), (1, 4), (2, 2)]));
        assert_eq!(shapes(&[], 32), Vec::<Vec<(usize, u32)>>::new());
    }
}
