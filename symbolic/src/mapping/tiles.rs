//! Mappings by ordered tiles, as in TileK (Vanderbruggen, Cavazos, Liao and Quinlan, "Directive-Based Tile Abstraction to Distribute Loops on
//! Accelerators", GPGPU-10, 2017): each loop is cut into any number of tiles, which are sorted over all loops or given to teams and threads.
//!
//! The paper wants counts that divide each other. Here the dynamic tile runs as often as is needed to have all iterations, rounded up, and numbers
//! that have none are skipped.

use super::digits::{Count, Given, Part, Size};
use super::map::Mapping;

/// A tile of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// Runs so often.
    Static(u32),
    /// Runs as often as a number says that is known when the loops begin; of lengths below 8.
    Length(u8),
    /// Runs as often as the loop's other tiles leave.
    Dynamic,
    /// One value for each thread.
    Thread,
    /// One value for each team along an axis below 3.
    Gang(u8),
    /// One value for each thread of a team along an axis below 3.
    Worker(u8),
}

impl Tile {
    fn count(self) -> Count {
        match self {
            Tile::Static(count) => Count::Const(count),
            Tile::Length(number) => Count::Given(Given::Length(number)),
            Tile::Dynamic => Count::Rest,
            Tile::Thread => Count::Given(Given::Thread),
            Tile::Gang(axis) => Count::Given(Given::Gang(axis)),
            Tile::Worker(axis) => Count::Given(Given::Worker(axis)),
        }
    }

    /// Where teams and threads stand in a thread's number, the slowest first: teams come one after the other, and their first axis is the fastest. None
    /// of what runs in a thread.
    fn place(self) -> Option<(u8, u8)> {
        match self {
            Tile::Gang(axis) => Some((0, u8::MAX - axis)),
            Tile::Worker(axis) => Some((1, u8::MAX - axis)),
            Tile::Thread => Some((2, 0)),
            Tile::Static(_) | Tile::Length(_) | Tile::Dynamic => None,
        }
    }
}

impl Mapping {
    /// Of the tiles of each loop from outside to inside, with numbers by which those that run in a thread are sorted, over all loops. A loop without a
    /// dynamic tile gets one around all of them, which runs once where they have all of its iterations. None where there are two dynamic tiles of
    /// a loop, two tiles of one number, or two of one axis, and where a static one runs 0 times.
    pub fn of_tiles(loops: &[Vec<(u32, Tile)>]) -> Option<Mapping> {
        let (mut threads, mut inside) = (Vec::new(), Vec::new());
        for (of, tiles) in loops.iter().enumerate() {
            let is_dynamic = |(_, tile): &(u32, Tile)| *tile == Tile::Dynamic;
            let around = if tiles.iter().any(is_dynamic) { None } else { Some((None, Tile::Dynamic)) };
            // A tile that runs once is no digit.
            let tiles = tiles.iter().filter(|(_, tile)| *tile != Tile::Static(1));
            let tiles = around.into_iter().chain(tiles.map(|&(order, tile)| (Some(order), tile)));
            let mut size = Size::ONE;
            for (order, tile) in tiles.collect::<Vec<_>>().into_iter().rev() {
                let part = Part { of, size, count: tile.count() };
                match tile.place() {
                    Some(place) => threads.push((place, part)),
                    None => inside.push((order, part)),
                }
                size = size.times(part.count)?;
            }
        }
        threads.sort_by_key(|(place, _)| *place);
        inside.sort_by_key(|(order, _)| *order);
        let is_twice = |pair: &[(Option<u32>, Part)]| pair[0].0.is_some() && pair[0].0 == pair[1].0;
        let is_sorted = !inside.windows(2).any(is_twice);
        let parts_of = |sorted: Vec<(_, Part)>| sorted.into_iter().map(|(_, part)| part).collect();
        let threads = threads.into_iter().map(|(_, part)| part).collect();
        Mapping::of_parts(loops.len(), threads, parts_of(inside)).filter(|_| is_sorted)
    }

    /// The 8 mappings of two loops to threads that the paper compares: one of them has a tile of threads, around or inside of its dynamic tile, and
    /// either dynamic tile is around the other. Loops further inside stay as they are.
    pub fn for_threads(loops: usize) -> Vec<Mapping> {
        let mut all = Vec::new();
        for parallel in [0, 1] {
            for is_around in [true, false] {
                let cut = [(parallel, Tile::Thread)];
                all.extend(in_both_orders(loops, |of| with_dynamic(&cut, of, is_around)));
            }
        }
        all
    }

    /// The 40 mappings of two loops to teams of threads that the paper compares. Loops further inside stay as they are.
    ///
    /// 16 have one axis: teams along one loop and their threads along the other, each around or inside of its loop's dynamic tile. 24 have two: each loop
    /// has an axis of teams and one of threads, in any order with the dynamic tile, which is the same in both.
    pub fn for_teams(loops: usize) -> Vec<Mapping> {
        let mut all = Vec::new();
        for (of_teams, of_threads) in [(0, 1), (1, 0)] {
            for are_around in [[true, true], [true, false], [false, true], [false, false]] {
                let cut = [(of_teams, Tile::Gang(0)), (of_threads, Tile::Worker(0))];
                all.extend(in_both_orders(loops, |of| {
                    with_dynamic(&cut, of, are_around[usize::from(of == of_threads)])
                }));
            }
        }
        for axes in [[0, 1], [1, 0]] {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let tiles = |of: usize| [Tile::Dynamic, Tile::Gang(axes[of]), Tile::Worker(axes[of])];
                all.extend(in_both_orders(loops, |of| order.map(|at| tiles(of)[at]).to_vec()));
            }
        }
        all
    }
}

/// The tiles of a loop that is cut so, the dynamic one inside of the other or around it.
fn with_dynamic(cut: &[(usize, Tile)], of: usize, is_around: bool) -> Vec<Tile> {
    let mut tiles: Vec<Tile> = cut.iter().filter(|(at, _)| *at == of).map(|(_, tile)| *tile).collect();
    tiles.insert(if is_around { tiles.len() } else { 0 }, Tile::Dynamic);
    tiles
}

/// The first loop's dynamic tile around the second one's, and inside of it.
fn in_both_orders(loops: usize, tiles_of: impl Fn(usize) -> Vec<Tile>) -> Vec<Mapping> {
    let mapping = |outer: usize| {
        let numbered = |of: usize, tiles: Vec<Tile>| {
            let order = if of < 2 { usize::from(of != outer) } else { of };
            tiles.into_iter().map(|tile| (order as u32, tile)).collect()
        };
        let tiles = |of: usize| if of < 2 { tiles_of(of) } else { vec![Tile::Dynamic] };
        let all: Vec<Vec<(u32, Tile)>> = (0..loops).map(|of| numbered(of, tiles(of))).collect();
        Mapping::of_tiles(&all)
    };
    if loops < 2 { Vec::new() } else { [0, 1].into_iter().filter_map(mapping).collect() }
}
