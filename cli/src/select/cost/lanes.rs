//! Where the lanes of a warp are, as the report says, and what that makes of sectors.

use ipda_models::report::{Access, Class, Hardware, Lanes, Loop, StrideKind};
use ipda_symbolic::{Block, pieces};

use super::blocks::most;
use super::runs::is_index;
use crate::select::values::Scope;

/// The number of lane *t* and of its warp for expressions in them, in the iterations that `at` says.
struct Lane<'a> {
    number: i128,
    warp: i128,
    at: &'a dyn Scope,
}

impl Scope for Lane<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        self.at.index(name)
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        match name {
            "lane number" => Some(self.number),
            "warp number" | "warp of team" | "warp of row" => Some(self.warp),
            _ => None,
        }
    }
}

/// The lanes that make an access, as far as they are the same in all warps.
pub fn active(access: &Access, hardware: &Hardware) -> Vec<i128> {
    match access.active_lanes.as_ref().and_then(Lanes::list) {
        Some(list) => list.map(i128::from).collect(),
        None => (0..i128::from(hardware.warp_lanes)).collect(),
    }
}

/// The value of an expression.
pub type Evaluate<'a> = &'a dyn Fn(&str, &dyn Scope) -> Option<i128>;

/// The iterations in which an expression is asked for its value: the same of each loop.
#[derive(Clone, Copy)]
enum Which {
    First,
    Second,
    Middle,
    Last,
}

struct Iterations<'a> {
    which: Which,
    /// The innermost first.
    loops: &'a [&'a Loop],
    value: Evaluate<'a>,
}

impl Scope for Iterations<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        let at = self.loops.iter().position(|each| is_index(each, name))?;
        let outer = Iterations { loops: &self.loops[at + 1..], ..*self };
        let trips = (self.value)(self.loops[at].trips.value.as_deref()?, &outer)?;
        let last = (trips - 1).max(0);
        Some(match self.which {
            Which::First => 0,
            Which::Second => last.min(1),
            Which::Middle => last / 2,
            Which::Last => last,
        })
    }
}

/// An access in its loops.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub access: &'a Access,
    pub hardware: &'a Hardware,
    /// The innermost first.
    pub loops: &'a [&'a Loop],
}

/// What a warp touches with an access, or with the accesses of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// Sectors.
    pub sectors: u64,
    /// The fewest that could do.
    pub least: u64,
    /// The class that this makes.
    pub class: Class,
}

impl At<'_> {
    /// What a warp touches with these blocks of a thread; none where it differs from iteration to iteration. What holds for the first, the
    /// second, the middle and the last one is taken to hold for all.
    pub fn count(&self, blocks: &[Block], value: Evaluate<'_>) -> Option<Found> {
        let At { access, hardware, loops } = *self;
        let of = |which| {
            let offsets = lane_offsets(access, hardware, value, &Iterations { which, loops, value })?;
            Some(found(&offsets, blocks, access, hardware))
        };
        let first = of(Which::First)?;
        [Which::Second, Which::Middle, Which::Last].into_iter().all(|which| of(which) == Some(first)).then_some(first)
    }

    /// Whether all warps need as many sectors as the first one, which stands for them in sums: rows that end inside of warps differ.
    pub fn is_of_all_warps(&self, blocks: &[Block], value: Evaluate<'_>) -> bool {
        /// So many warps are looked at where each has an expression of its own.
        const TRIED: i128 = 32;
        let At { access, hardware, loops } = *self;
        let at = Iterations { which: Which::First, loops, value };
        let stride = &access.stride;
        match stride.kind {
            StrideKind::RowEnds => {
                let lanes = i128::from(hardware.warp_lanes.max(1));
                let within = stride.text.as_deref().and_then(|text| value(text, &at));
                let rows = rows(access, value, &at);
                let (Some(within), Some(rows)) = (within, rows) else { return false };
                let shorter = std::iter::once(within).chain(rows.iter().map(|row| row.at_end));
                rows.iter()
                    .zip(shorter)
                    .all(|(row, shorter)| row.length % lanes == 0 || lanes % row.length == 0 || row.at_end == shorter)
            }
            StrideKind::PerLane if stride.text.as_ref().is_some_and(|text| text.contains("[warp ")) => {
                let of = |warp| {
                    let offsets = offsets_of_warp(access, hardware, value, &at, warp);
                    offsets.map(|offsets| sectors(&offsets, blocks, hardware))
                };
                let first = of(0);
                (1..TRIED).all(|warp| of(warp) == first)
            }
            _ => true,
        }
    }
}

/// How far each lane's address is from lane 0's in the first warp, in the iterations that `at` says.
pub fn lane_offsets(access: &Access, hardware: &Hardware, value: Evaluate<'_>, at: &dyn Scope) -> Option<Vec<i128>> {
    offsets_of_warp(access, hardware, value, at, 0)
}

/// The same in a warp; rows begin with it.
fn offsets_of_warp(
    access: &Access,
    hardware: &Hardware,
    value: Evaluate<'_>,
    at: &dyn Scope,
    warp: i128,
) -> Option<Vec<i128>> {
    let stride = &access.stride;
    let text = stride.text.as_deref()?;
    let lanes = active(access, hardware);
    match stride.kind {
        StrideKind::Constant | StrideKind::Symbolic => {
            let step = value(text, at)?;
            lanes.iter().map(|lane| lane.checked_mul(step)).collect()
        }
        StrideKind::RowEnds => {
            let step = value(text, at)?;
            let rows = rows(access, value, at)?;
            lanes.iter().map(|&lane| in_rows(lane, step, &rows)).collect()
        }
        StrideKind::PerLane => lanes.iter().map(|&number| value(text, &Lane { number, warp, at })).collect(),
        StrideKind::Vector => access.listed_distances(hardware.warp_lanes),
        StrideKind::DataDependent | StrideKind::Unknown => None,
    }
}

/// Rows of a collapsed nest.
struct Row {
    length: i128,
    /// The difference between the lanes between which it ends, and none that is longer.
    at_end: i128,
}

/// The rows of an access, the shortest first; each divides the next.
fn rows(access: &Access, value: Evaluate<'_>, at: &dyn Scope) -> Option<Vec<Row>> {
    let of = |(length, at_end)| Some(Row { length: value(length, at)?, at_end: value(at_end, at)? });
    let rows: Vec<Row> = access.stride.rows().into_iter().map(of).collect::<Option<_>>()?;
    let are_nested =
        rows.iter().all(|row| row.length > 0) && rows.windows(2).all(|two| two[1].length % two[0].length == 0);
    (are_nested && !rows.is_empty()).then_some(rows)
}

/// How far a lane is from lane 0, with which all rows begin.
fn in_rows(lane: i128, within: i128, rows: &[Row]) -> Option<i128> {
    let mut distance = 0_i128;
    // Of the steps to the lane, those at which a row of this length ends, or a longer one.
    let mut steps = lane;
    let mut step = within;
    for row in rows {
        let ends = lane / row.length;
        distance = distance.checked_add((steps - ends).checked_mul(step)?)?;
        (steps, step) = (ends, row.at_end);
    }
    distance.checked_add(steps.checked_mul(step)?)
}

/// The sectors that lanes at `offsets` touch, where lane 0 is at the start of a cache line.
pub fn sectors(offsets: &[i128], blocks: &[Block], hardware: &Hardware) -> u64 {
    pieces(spans(offsets, blocks), hardware.sector_bytes.max(1).into())
}

fn spans(offsets: &[i128], blocks: &[Block]) -> impl Iterator<Item = (i128, u64)> {
    let of_block = move |block: &Block| {
        let (start, bytes) = (i128::from(block.offset), block.bytes.max(1));
        offsets.iter().map(move |offset| (offset.saturating_add(start), bytes))
    };
    blocks.iter().flat_map(of_block)
}

/// What lanes at `offsets` touch with an access, or with a group of accesses of which it is one.
pub fn found(offsets: &[i128], blocks: &[Block], access: &Access, hardware: &Hardware) -> Found {
    let count = sectors(offsets, blocks, hardware);
    let sector = u64::from(hardware.sector_bytes.max(1));
    let of_lane = |unit| pieces(spans(&[0], blocks), unit);
    let least = pieces(spans(offsets, blocks), 1).div_ceil(sector);
    let most = match blocks {
        [_] => most(access, hardware),
        _ => of_lane(1).div_ceil(sector).saturating_mul(access.lanes(hardware.warp_lanes)),
    };
    let class = match count {
        _ if offsets.windows(2).all(|pair| pair[0] == pair[1]) => Class::Uniform,
        count if count <= least => Class::Coalesced,
        count if count >= most => Class::Uncoalesced,
        _ => Class::Strided,
    };
    Found { sectors: count, least, class }
}
