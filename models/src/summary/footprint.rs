//! How many distinct pieces of memory (sectors, lines, pages) accesses touch, as Ferrante, Sarkar and Thrash count lines ("On Estimating and Enhancing Cache
//! Effectiveness", LCPC 1991).
//!
//! Each loop multiplies the pieces, by its iterations where it goes further than a piece, and by the part of a piece that it moves where
//! it does not. Loops that slide along each other touch no more than what lies between the first and the last byte.

use crate::form::{Num, Truth};

/// How far a loop's iteration moves an address.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Distance {
    pub(crate) bytes: Num,
    /// Whether it is the same whatever values variables have.
    pub(crate) is_fixed: bool,
}

impl Distance {
    /// None.
    pub(crate) const ZERO: Distance = Distance { bytes: Num::ZERO, is_fixed: true };

    /// So many bytes, whatever values variables have.
    pub(crate) const fn fixed(bytes: f64) -> Distance {
        Distance { bytes: Num::new(bytes), is_fixed: true }
    }

    /// The bytes, where no variable changes them.
    pub(crate) fn always(self) -> Option<f64> {
        self.bytes.known().filter(|_| self.is_fixed)
    }
}

/// Blocks of bytes in all iterations of loops, each with its distance and its iterations.
pub(super) struct Pattern {
    pub(super) block: f64,
    pub(super) loops: Vec<(Distance, Num)>,
    /// Whether one loop's iterations go further than the distance of another.
    pub(super) slides: bool,
    /// The share of iterations that touch their blocks: of loops that slide along each other, the others touch what these do not.
    pub(super) share: Num,
}

impl Pattern {
    /// The distinct pieces of that size, of which the share of iterations is still to be taken.
    pub(super) fn pieces(&self, piece: f64) -> Num {
        let of_block = (self.block / piece).max(1.0);
        let factor = |(by, count): &(Distance, Num)| (*count * (by.bytes / piece).min(1.0)).max(1.0);
        let apart = self.loops.iter().map(factor).product::<Num>() * of_block;
        let may_overlap = self.may_overlap(piece);
        if may_overlap.known() == Some(false) {
            return apart;
        }
        let reach: Num = self.loops.iter().map(|(by, count)| (*count - 1.0).max(0.0) * (by.bytes / piece)).sum();
        may_overlap.choose(apart.min((reach + (self.block / piece + 1.0)) / self.share), apart)
    }

    /// Whether loops may slide along each other. Where only one distance is fixed, it is taken as one within the other, as rows and
    /// columns are, but where the loops are known to slide. Loops of which it is known later whether they move count where they do.
    fn may_overlap(&self, piece: f64) -> Truth {
        let (fixed, others): (Vec<_>, Vec<_>) = self.loops.iter().partition(|(by, _)| by.always().is_some());
        let moves = |(by, count): &(Distance, Num)| (!by.bytes.is(0.0)).and(count.more(1.0));
        let are_several = |loops: &[&(Distance, Num)]| match loops.len() {
            0 | 1 => Truth::NEVER,
            _ => loops.iter().map(|of| moves(of).number()).sum::<Num>().more(1.0),
        };
        let is_within_block = |of: &&&(Distance, Num)| of.0.always().is_some_and(|bytes| bytes < self.block);
        let slides = match self.block > piece {
            true => fixed.iter().filter(is_within_block).fold(Truth::NEVER, |any, of| any.or(moves(of))),
            false => self.slides.into(),
        };
        slides.or(are_several(&fixed)).or(are_several(&others))
    }
}

/// What is distinguished from larger quotients, so that their powers stay finite.
const LARGEST_QUOTIENT: f64 = 1e90;

/// Pieces that so many accesses at random touch of an array of that size; each its own where the size is not known.
pub(super) fn spread_over(accesses: Num, bytes: Option<Num>, piece: f64) -> Num {
    let Some(pieces) = bytes.map(|bytes| (bytes / piece).max(1.0)) else { return accesses };
    // 1 - exp(-x), with the first terms of exp(x).
    let x = (accesses / pieces).min(LARGEST_QUOTIENT);
    let beyond = x * (1.0 / 2.0 + x * (1.0 / 6.0));
    accesses * ((1.0 + beyond) / (1.0 + x * (1.0 + beyond)))
}

/// Offsets that meet as one block; the blocks, where there are several, as copies of the longest: how far they are apart, and how many.
pub(crate) fn clustered(offsets: &[f64], bytes: f64, piece: f64) -> (f64, Option<(f64, f64)>) {
    let mut sorted = offsets.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut blocks: Vec<(f64, f64)> = Vec::new();
    for offset in sorted {
        match blocks.last_mut() {
            Some((_, end)) if offset <= *end + piece - bytes.min(piece) => *end = end.max(offset + bytes),
            _ => blocks.push((offset, offset + bytes)),
        }
    }
    let longest = blocks.iter().map(|(start, end)| end - start).fold(bytes, f64::max);
    let copies = (blocks.len() > 1).then(|| {
        let reach = blocks[blocks.len() - 1].0 - blocks[0].0;
        (reach / (blocks.len() - 1) as f64, blocks.len() as f64)
    });
    (longest, copies)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn pattern(block: f64, loops: &[(u32, u32)]) -> Pattern {
        Pattern {
            block,
            loops: loops.iter().map(|(bytes, count)| (Distance::fixed((*bytes).into()), (*count).into())).collect(),
            slides: false,
            share: Num::ONE,
        }
    }

    fn by_hand(block: u32, loops: &[(u32, u32)], piece: u32) -> f64 {
        let mut places = vec![0_u32];
        for (bytes, count) in loops {
            places = places.iter().flat_map(|place| (0..*count).map(move |number| place + number * bytes)).collect();
        }
        let touched = places.iter().flat_map(|place| place / piece..=(place + block - 1) / piece);
        touched.collect::<BTreeSet<u32>>().len() as f64
    }

    proptest! {
        /// Rows and columns of dense arrays, in either order: within a tenth, and a piece for each row.
        #[test]
        fn dense_arrays(
            columns in 8_u32..200,
            rows in 2_u32..100,
            bytes in prop::sample::select(vec![4_u32, 8]),
            piece in prop::sample::select(vec![32_u32, 64, 4096]),
        ) {
            let loops = [(bytes, columns), (bytes * columns, rows)];
            let exact = by_hand(bytes, &loops, piece);
            for loops in [loops, [loops[1], loops[0]]] {
                let found = pattern(bytes.into(), &loops).pieces(piece.into()).get();
                prop_assert!((found - exact).abs() <= 0.1 * exact + 1.0, "{} for {}", found, exact);
            }
        }

        /// Columns with padding between them: a piece for each, or so many that all are touched.
        #[test]
        fn columns(stride in 16_u32..200, rows in 2_u32..500) {
            let loops = [(4 * stride, rows)];
            let (found, exact) = (pattern(4.0, &loops).pieces(32.0).get(), by_hand(4, &loops, 32));
            prop_assert!((found - exact).abs() <= 0.1 * exact, "{} for {}", found, exact);
        }

        /// Sliding along: a quarter.
        #[test]
        fn sliding(near in 8_u32..300, far in 8_u32..300, bytes in prop::sample::select(vec![4_u32, 8])) {
            let loops = [(bytes, near), (bytes, far)];
            let (found, exact) = (pattern(bytes.into(), &loops).pieces(32.0).get(), by_hand(bytes, &loops, 32));
            prop_assert!((found - exact).abs() <= 0.25 * exact + 1.0, "{} for {}", found, exact);
        }

        /// A condition that leaves out the iterations behind the end of a row, which touch what the next row does.
        #[test]
        fn beyond_the_end(row in 40_u32..400, beyond in 1_u32..32, rows in 2_u32..100) {
            let loops = [(8, row + beyond), (8 * row, rows)];
            let share = f64::from(row) / f64::from(row + beyond);
            let found = Pattern { share: share.into(), ..pattern(8.0, &loops) }.pieces(32.0).get() * share;
            let exact = by_hand(8, &[(8, row), (8 * row, rows)], 32);
            prop_assert!((found - exact).abs() <= 0.01 * exact + 1.0, "{} for {}", found, exact);
        }

        /// Draws at random, against 1 - exp(-x).
        #[test]
        fn draws(accesses in 1.0_f64..1e9, bytes in 64.0_f64..1e9) {
            let pieces = bytes / 32.0;
            let exact = pieces * -(-accesses / pieces).exp_m1();
            let found = spread_over(accesses.into(), Some(bytes.into()), 32.0).get();
            prop_assert!((found - exact).abs() <= 0.05 * exact, "{} for {}", found, exact);
        }
    }
}
