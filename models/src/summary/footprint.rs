//! How many distinct pieces of memory (sectors, lines, pages) accesses touch.
//!
//! What few accesses touch is counted address by address. Beyond that, loops are taken in the order of their strides: as long as the bytes of a
//! loop's iterations meet or share pieces they make one longer block, and from there on copies of the block, as far as they do
//! not lie in each other; copies that do, and slide along each other, are taken as if thrown on the places where they can lie. Where a block can
//! begin is averaged over.

/// Accesses that are counted one by one, at most.
const MOST_COUNTED: f64 = 2048.0;
/// Positions of the first byte in its piece that are averaged over, at most.
const MOST_STARTS: u32 = 8;

/// A loop as far as addresses are concerned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    /// Bytes from one iteration to the next.
    pub(crate) stride: f64,
    /// Iterations.
    pub(crate) count: f64,
}

/// What is touched: `bytes` at each of `offsets` in all iterations of all loops.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern<'a> {
    /// Of one access.
    pub(super) bytes: f64,
    /// Where the accesses of the group begin, from a common place.
    pub(super) offsets: &'a [f64],
    /// The loops.
    pub(super) loops: &'a [Extent],
    /// The place where it all begins is a multiple of this: 0 where it is always a multiple of the piece.
    pub(super) start_unit: f64,
}

impl Pattern<'_> {
    /// The distinct pieces of that size, on average over where the pattern can begin.
    pub(super) fn pieces(&self, piece: f64) -> f64 {
        let loops: Vec<Extent> =
            self.loops.iter().copied().filter(|extent| extent.count > 1.0 && extent.stride != 0.0).collect();
        let accesses = loops.iter().map(|extent| extent.count.ceil()).product::<f64>() * self.offsets.len() as f64;
        if accesses <= MOST_COUNTED { self.counted(piece, &loops) } else { self.estimated(piece, loops) }
    }

    /// Where in a piece the pattern can begin.
    fn starts(&self, piece: f64) -> Vec<f64> {
        let unit = common_divisor(self.start_unit, piece);
        if self.start_unit == 0.0 || unit == 0.0 || unit >= piece {
            return vec![0.0];
        }
        let all = (piece / unit).ceil();
        let taken = all.min(f64::from(MOST_STARTS));
        (0..taken as u32).map(|number| (f64::from(number) * all / taken).floor() * unit).collect()
    }

    fn counted(&self, piece: f64, loops: &[Extent]) -> f64 {
        let mut places: Vec<f64> = self.offsets.to_vec();
        for extent in loops {
            let before = places.len();
            for number in 1..extent.count.ceil() as u32 {
                for place in 0..before {
                    places.push(places[place] + f64::from(number) * extent.stride);
                }
            }
        }
        places.sort_by(f64::total_cmp);
        places.dedup();
        let starts = self.starts(piece);
        let of_start = |start: &f64| {
            let (mut pieces, mut next) = (0.0, f64::NEG_INFINITY);
            for place in &places {
                let first = ((place + start) / piece).floor().max(next);
                let last = ((place + start + self.bytes - 1.0) / piece).floor();
                if last >= first {
                    pieces += last - first + 1.0;
                    next = last + 1.0;
                }
            }
            pieces
        };
        starts.iter().map(of_start).sum::<f64>() / starts.len() as f64
    }

    fn estimated(&self, piece: f64, mut loops: Vec<Extent>) -> f64 {
        for extent in &mut loops {
            extent.stride = extent.stride.abs();
        }
        let (mut block, copies) = clustered(self.offsets, self.bytes, piece);
        loops.extend(copies);
        loops.sort_by(|left, right| left.stride.total_cmp(&right.stride));
        // Loops with the same stride slide along each other.
        let mut merged: Vec<Extent> = Vec::new();
        for extent in loops {
            match merged.last_mut() {
                Some(last) if last.stride == extent.stride => last.count += extent.count - 1.0,
                _ => merged.push(extent),
            }
        }
        let mut lattice: Vec<Extent> = Vec::new();
        let (mut span, mut distinct, mut meets) = (block, 1.0, Meets::Never);
        for extent in merged {
            let reach = extent.stride * (extent.count - 1.0);
            if lattice.is_empty() && extent.stride <= block.max(piece) {
                block += reach;
                span = block;
                continue;
            }
            let is_within = extent.stride < span;
            let coarser = lattice.iter_mut().rev().find(|own| {
                let steps = extent.stride / own.stride;
                is_within && steps.fract() == 0.0 && steps <= own.count
            });
            match coarser {
                Some(own) => own.count += extent.stride / own.stride * (extent.count - 1.0),
                None => {
                    if is_within {
                        distinct *= lattice.iter().map(|own| apart(own, &extent)).fold(1.0, f64::min);
                        if lattice.iter().any(|own| common_divisor(own.stride, extent.stride) < piece) {
                            meets = Meets::AnyWhere;
                        }
                    }
                    lattice.push(extent);
                }
            }
            span += reach;
        }
        let copies = lattice.iter().map(|extent| extent.count).product::<f64>() * distinct;
        // All copies lie at multiples of the strides' common divisor.
        let grid = lattice.iter().fold(0.0, |grid, extent| common_divisor(grid, extent.stride));
        let places = if grid > 0.0 { (span - block) / grid + 1.0 } else { copies };
        let copies = copies.min(places);
        // Copies begin anywhere in a piece unless their strides say otherwise.
        let unit = lattice.iter().fold(self.start_unit, |unit, extent| common_divisor(unit, extent.stride));
        let aligned = Pattern { start_unit: unit, ..self.clone() }.starts(piece);
        let of_start = |start: &f64| ((start + block - 1.0) / piece).floor() + 1.0;
        let of_block = aligned.iter().map(of_start).sum::<f64>() / aligned.len() as f64;
        let all = (span - 1.0) / piece + 1.0;
        let pieces = match meets {
            Meets::Never => copies * of_block,
            // As if thrown on the multiples: each is taken with the same chance, and a piece is touched if one that reaches it is.
            Meets::AnyWhere => all * (1.0 - (1.0 - copies / places).powf(of_block * places / all)),
        };
        pieces.min(all).max(of_block)
    }
}

/// Whether copies of a block that begin at different places can share pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meets {
    Never,
    AnyWhere,
}

/// The share of the copies of two loops that lie at different places: l steps of one are k steps of the other.
fn apart(left: &Extent, right: &Extent) -> f64 {
    let common = common_divisor(left.stride, right.stride);
    let (steps_left, steps_right) = (right.stride / common, left.stride / common);
    let beyond = |steps: f64, extent: &Extent| (1.0 - steps / extent.count).max(0.0);
    1.0 - beyond(steps_left, left) * beyond(steps_right, right)
}

/// Offsets that meet as one block; the blocks, where there are several, as a loop over copies of the longest.
pub(crate) fn clustered(offsets: &[f64], bytes: f64, piece: f64) -> (f64, Option<Extent>) {
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
        Extent { stride: reach / (blocks.len() - 1) as f64, count: blocks.len() as f64 }
    });
    (longest, copies)
}

/// The greatest common divisor; 0 divides nothing but 0.
pub(super) fn common_divisor(left: f64, right: f64) -> f64 {
    let (mut left, mut right) = (left.abs(), right.abs());
    while right >= 1.0 {
        (left, right) = (right, left % right);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn by_hand(pattern: &Pattern<'_>, piece: f64) -> f64 {
        let mut places: Vec<f64> = pattern.offsets.to_vec();
        for extent in pattern.loops {
            let numbers = 0..extent.count as u32;
            places = numbers
                .flat_map(|number| {
                    places.iter().map(move |place| place + f64::from(number) * extent.stride).collect::<Vec<_>>()
                })
                .collect();
        }
        let touched = |place: &f64| (*place as i64..*place as i64 + pattern.bytes as i64).collect::<Vec<_>>();
        let pieces: BTreeSet<i64> = places.iter().flat_map(touched).map(|byte| byte.div_euclid(piece as i64)).collect();
        pieces.len() as f64
    }

    fn pattern<'a>(bytes: f64, offsets: &'a [f64], loops: &'a [Extent]) -> Pattern<'a> {
        Pattern { bytes, offsets, loops, start_unit: 0.0 }
    }

    fn extent(stride: f64, count: f64) -> Extent {
        Extent { stride, count }
    }

    #[test]
    fn rows_columns_and_neighbours() {
        // A row of 1000 floats: 4000 bytes.
        assert_eq!(pattern(4.0, &[0.0], &[extent(4.0, 1000.0)]).pieces(32.0), 125.0);
        // A column of a matrix with rows of 4096 bytes: a sector each.
        assert_eq!(pattern(4.0, &[0.0], &[extent(4096.0, 5000.0)]).pieces(32.0), 5000.0);
        // All of a matrix, in either order.
        let loops = [extent(4096.0, 1000.0), extent(4.0, 1024.0)];
        assert_eq!(pattern(4.0, &[0.0], &loops).pieces(32.0), 128_000.0);
        // A stencil's three rows, along the rows and down: two rows more.
        let rows = [-4096.0, 0.0, 4096.0];
        assert_eq!(pattern(4.0, &rows, &loops).pieces(32.0), 128_256.0);
        // A[i + j].
        let loops = [extent(4.0, 1000.0), extent(4.0, 3000.0)];
        assert_eq!(pattern(4.0, &[0.0], &loops).pieces(32.0), 500.0);
    }

    #[test]
    fn rows_that_begin_within_sectors_cost_more() {
        // 9 floats anywhere in their sectors: (9 * 4 - 4) / 32 + 1 on average.
        let loops = [extent(4.0, 9.0)];
        let anywhere = Pattern { start_unit: 4.0, ..pattern(4.0, &[0.0], &loops) };
        assert_eq!(anywhere.pieces(32.0), 2.0);
        let on_a_sector = pattern(4.0, &[0.0], &loops);
        assert_eq!(on_a_sector.pieces(32.0), 2.0);
    }

    proptest! {
        /// What is counted address by address, against sets of bytes.
        #[test]
        fn few_accesses_are_counted(
            bytes in prop::sample::select(vec![1.0, 4.0, 8.0]),
            loops in prop::collection::vec((prop::sample::select(vec![-40.0, 4.0, 8.0, 32.0, 100.0, 256.0]), 1_u32..8), 0..3),
            offsets in prop::collection::vec(-64_i32..64, 1..4),
        ) {
            let loops: Vec<Extent> = loops.into_iter().map(|(stride, count)| extent(stride, count.into())).collect();
            let offsets: Vec<f64> = offsets.into_iter().map(f64::from).collect();
            let pattern = pattern(bytes, &offsets, &loops);
            for piece in [32.0, 64.0] {
                prop_assert_eq!(pattern.pieces(piece), by_hand(&pattern, piece));
            }
        }

        /// The nests of dense arrays, which are too long to be counted: within a twentieth and a piece for each row.
        #[test]
        fn many_accesses_of_dense_arrays(
            columns in 20_u32..200,
            padding in 0_u32..64,
            rows in 20_u32..120,
            bytes in prop::sample::select(vec![4.0, 8.0]),
            neighbours in prop::sample::select(vec![vec![0], vec![-1, 0, 1]]),
        ) {
            let row = f64::from(columns + padding) * bytes;
            let loops = [extent(bytes, columns.into()), extent(row, rows.into())];
            let offsets: Vec<f64> = neighbours.iter().map(|rows| f64::from(*rows) * row).collect();
            let pattern = pattern(bytes, &offsets, &loops);
            let (found, exact) = (pattern.estimated(32.0, loops.to_vec()), by_hand(&pattern, 32.0));
            let slack = 0.05 * exact + f64::from(rows + 2);
            prop_assert!((found - exact).abs() <= slack, "{} for {}", found, exact);
        }

        /// Any two loops: never more than a piece for each access, never more than the span.
        #[test]
        fn estimates_stay_within_bounds(
            strides in prop::collection::vec(1_u32..5000, 1..4),
            counts in prop::collection::vec(2_u32..60, 4),
        ) {
            let loops: Vec<Extent> =
                strides.iter().zip(&counts).map(|(stride, count)| extent(f64::from(*stride) * 4.0, (*count).into())).collect();
            let pattern = pattern(4.0, &[0.0], &loops);
            let found = pattern.estimated(32.0, loops.clone());
            let accesses: f64 = loops.iter().map(|extent| extent.count).product();
            let span: f64 = loops.iter().map(|extent| extent.stride * (extent.count - 1.0)).sum::<f64>() + 4.0;
            prop_assert!(found >= 1.0 && found <= accesses * 1.0 + 1e-9 && found <= span / 32.0 + 2.0, "{}", found);
        }
    }
}
