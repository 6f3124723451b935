//! Mappings of loops to threads.

use super::digits::{Count, Given, Part, Size, are_digits};
use std::cmp::Reverse;

/// How the loops of a nest would run: where the digits of their iteration numbers are counted.
///
/// Invariant: the parts of each loop are the digits of one mixed-radix number, and each is there once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub(super) threads: Vec<Part>,
    pub(super) inside: Vec<Part>,
}

impl Mapping {
    /// The textbook's order: each loop is one part.
    pub fn of_loops(threads: &[usize], inside: &[usize]) -> Mapping {
        let whole = |loops: &[usize]| loops.iter().copied().map(Part::whole).collect();
        Mapping { threads: whole(threads), inside: whole(inside) }
    }

    /// Of parts of a nest's loops that make the number of a thread together, the slowest first, and those that run in each thread, outermost
    /// first. None where a loop has no part, or its parts are not the digits of one number, each size the product of the counts of lower parts, and
    /// one count the rest; and where teams or threads along one axis are two parts, or a part inside.
    pub fn of_parts(loops: usize, threads: Vec<Part>, inside: Vec<Part>) -> Option<Mapping> {
        let mapping = Mapping { threads, inside };
        let parts = mapping.in_order();
        let mut of_loops = parts.chunk_by(|a, b| a.of == b.of);
        let has_all = (0..loops).all(|of| of_loops.next().is_some_and(|parts| parts[0].of == of && are_digits(parts)));
        (has_all && of_loops.next().is_none() && mapping.has_axes_once()).then_some(mapping)
    }

    /// Whether each axis of teams and threads is no more than one part, of the thread's number.
    fn has_axes_once(&self) -> bool {
        let is_axis = |part: &&Part| matches!(part.count, Count::Given(given) if given.is_of_threads());
        let axes: Vec<Count> = self.threads.iter().filter(is_axis).map(|part| part.count).collect();
        let is_first = |(at, axis): (usize, &Count)| !axes[..at].contains(axis);
        axes.iter().enumerate().all(is_first) && !self.inside.iter().any(|part| is_axis(&part))
    }

    /// The size and the count of each part, those of threads first, for loops that run so often, with values of what is given when they begin. The
    /// product of the counts of a loop's parts is no less than it runs: numbers from there on have no iteration. None where a value that is given
    /// is 0, and where a number does not fit.
    pub fn numbers(&self, trips: &[u64], value_of: impl Fn(Given) -> u64) -> Option<Vec<(u64, u64)>> {
        let known = |count: Count| match count {
            Count::Const(count) => Some(u64::from(count)),
            Count::Given(given) => Some(value_of(given)).filter(|&value| value > 0),
            Count::Rest => Some(1),
        };
        let rest = |of: usize| {
            let mut others = self.parts().filter(|part| part.of == of);
            let others = others.try_fold(1_u64, |product, part| product.checked_mul(known(part.count)?))?;
            Some(trips.get(of)?.div_ceil(others))
        };
        let numbers = |part: &Part| {
            let (has_rest, given, constant) = part.size.factors();
            let size = if has_rest { rest(part.of)? } else { 1 }.checked_mul(constant.into())?;
            let size = given.map(Count::Given).try_fold(size, |size, count| size.checked_mul(known(count)?))?;
            let count = if part.count == Count::Rest { rest(part.of)? } else { known(part.count)? };
            Some((size, count))
        };
        self.parts().map(numbers).collect()
    }

    /// The same with numbers for those that are given where a value is known: what a launch of so many teams and threads runs. A digit of one value is
    /// none. None where a value is 0, or a size does not fit.
    #[must_use]
    pub fn with_numbers(&self, value_of: impl Fn(Given) -> Option<u32>) -> Option<Mapping> {
        let known = |count: Count| match count {
            Count::Given(given) => value_of(given).map_or(count, Count::Const),
            Count::Const(_) | Count::Rest => count,
        };
        let is_digit = |count: &Count| *count != Count::Const(1);
        let counted = |part: &Part| {
            // A part's weight is the product of the counts below it.
            let below = self.parts().filter(|other| other.of == part.of && other.size < part.size);
            let mut counts = below.map(|other| known(other.count)).filter(is_digit);
            Some(Part { of: part.of, size: counts.try_fold(Size::ONE, Size::times)?, count: known(part.count) })
        };
        let parts = |parts: &[Part]| {
            let parts = parts.iter().map(counted).collect::<Option<Vec<Part>>>()?;
            Some(parts.into_iter().filter(|part| is_digit(&part.count)).collect())
        };
        let loops = self.parts().map(|part| part.of + 1).max().unwrap_or(0);
        Mapping::of_parts(loops, parts(&self.threads)?, parts(&self.inside)?)
    }

    /// The numbers that are given when the loops begin, each once.
    pub fn given(&self) -> impl Iterator<Item = Given> {
        let mut all: Vec<Given> = Vec::new();
        for part in self.parts() {
            if let Count::Given(given) = part.count
                && !all.contains(&given)
            {
                all.push(given);
            }
        }
        all.into_iter()
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
        let tile_of = |of: usize| lanes.iter().find(|(other, _)| *other == of).map(|(_, tile)| *tile);
        let tile = |part: &Part| Part { size: tile_of(part.of).map_or(part.size, Size::known), ..*part };
        let lane = |part: &Part| Some(Part { count: Count::Const(tile_of(part.of)?), ..*part });
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
        rest.and_then(|part| part.size.as_known()).unwrap_or(1)
    }

    /// The product of the counts of a loop's parts but the rest: what is known of it, and the given numbers. There may be as many numbers of it more
    /// than the loop has iterations, less one. None where what is known does not fit 32 bits.
    pub fn others(&self, of: usize) -> Option<(u32, Vec<Given>)> {
        let (mut known, mut given) = (1_u32, Vec::new());
        for part in self.parts().filter(|part| part.of == of) {
            match part.count {
                Count::Const(count) => known = known.checked_mul(count)?,
                Count::Given(number) => given.push(number),
                Count::Rest => {}
            }
        }
        Some((known, given))
    }

    /// The tile of lanes of an order of loops: how many neighbouring numbers of each fused loop are together, where those are more than one. So that is
    /// empty where all loops are whole. None of all other mappings, and where loops that run in a thread change places.
    pub fn lanes(&self) -> Option<Vec<(usize, u32)>> {
        let fused: Vec<usize> = self.fused().collect();
        let inside: Vec<usize> = self.inside.iter().map(|part| part.of).collect();
        let lanes: Vec<(usize, u32)> =
            fused.iter().map(|&of| (of, self.tile(of))).filter(|(_, tile)| *tile > 1).collect();
        let order = Mapping::of_loops(&fused, &inside);
        let is_it = match lanes[..] {
            [] => order == *self,
            _ => order.with_lanes(&lanes).as_ref() == Some(self),
        };
        (is_it && inside.is_sorted()).then_some(lanes)
    }

    /// Whether it is the textbook's order.
    pub fn keeps_loops_whole(&self) -> bool {
        self.parts().all(Part::is_whole)
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.threads.iter().chain(&self.inside)
    }

    /// The parts of loops further outside first, and of those of one loop the highest.
    pub(super) fn in_order(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.parts().copied().collect();
        parts.sort_by_key(|part| (part.of, Reverse(part.size)));
        parts
    }

    /// Whether the iteration of a loop is known where a part begins that runs in each thread.
    pub(super) fn is_around(&self, on: usize, place: usize) -> bool {
        self.inside[place..].iter().all(|part| part.of != on)
    }

    /// Whether the same loops are around the one at a place inside as in the program, or fused.
    pub(super) fn keeps_place(&self, place: usize) -> bool {
        let part = self.inside[place];
        let mut around = self.threads.iter().chain(&self.inside[..place]);
        part.is_whole()
            && around.all(|before| before.of < part.of)
            && self.inside[place + 1..].iter().all(|behind| behind.of > part.of)
    }
}
