//! Accesses that are counted together: a warp makes them one soon after the other, and what one of them has fetched, the others find in the
//! first-level cache. The sectors of such a group are the union over its accesses. (Reference groups: Carr, McKinley and Tseng, "Compiler Optimizations
//! for Improving Data Locality", ASPLOS 1994.)

use crate::coalesce::{
    ActiveLanes, CoalescingClass, MemoryGeometry, Span, TransactionCount, active_offsets, alignments, ascending,
    class_of_count, classify, natural_alignment, pieces, touched, within_rows,
};
use crate::ipd::Stride;

/// Accesses beyond which no more join a group.
const MAX_MEMBERS: usize = 256;

/// What one lane touches with an access of a group: the distance from the group's base, and how much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block {
    /// Bytes from what the addresses of all accesses of the group have in common.
    pub offset: i64,
    /// Bytes of the access.
    pub bytes: u64,
}

/// What a group of accesses costs a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupCount {
    /// Of all its bytes together.
    pub class: CoalescingClass,
    /// For a stride with row ends: the class of warps in which no row ends.
    pub within_rows: Option<CoalescingClass>,
    /// Sectors that hold a byte of any of its accesses; none where the stride is not constant.
    pub sectors: Option<TransactionCount>,
    /// Lines, likewise.
    pub lines: Option<TransactionCount>,
    /// The fewest sectors that could hold the bytes, each once.
    pub least: Option<u64>,
}

/// Counts accesses of one stride together; with the common base on a line boundary, and at worst.
pub fn count_group(stride: &Stride, active: &ActiveLanes, blocks: &[Block], geometry: &MemoryGeometry) -> GroupCount {
    let within_rows = within_rows(stride).map(|inside| class(&inside, active, blocks, geometry));
    let class = class(stride, active, blocks, geometry);
    let Some((spans, base)) = spans(stride, active, blocks, geometry) else {
        return GroupCount { class, within_rows, sectors: None, lines: None, least: None };
    };
    let alignment = alignment(blocks);
    let count = |unit| {
        let aligned = touched(&spans, base, unit);
        let shifted = |shift: u64| touched(&spans, base % alignment + shift, unit);
        TransactionCount { aligned, worst: alignments(alignment, unit, geometry).map(shifted).fold(aligned, u64::max) }
    };
    GroupCount {
        class,
        within_rows,
        sectors: Some(count(geometry.sector_bytes)),
        lines: Some(count(geometry.line_bytes)),
        least: Some(least(&spans, geometry)),
    }
}

/// Which of some accesses of one stride share sectors: of each, the first of its group. A group touches at most so many sectors; where the
/// stride is not constant, each lane may touch its own.
pub fn groups(
    stride: &Stride,
    active: &ActiveLanes,
    blocks: &[Block],
    geometry: &MemoryGeometry,
    most: u64,
) -> Vec<usize> {
    let unit = geometry.sector_bytes;
    let Some(offsets) = active_offsets(stride, active, geometry.lanes) else {
        let span = |at: usize| (i128::from(blocks[at].offset), blocks[at].bytes);
        // Nearest bytes that are less than a sector apart may lie in one.
        let may_share = |a: usize, b: usize| {
            let ((a, a_bytes), (b, b_bytes)) = (span(a), span(b));
            let near = |from: i128, bytes: u64, to: i128| to < from + i128::from(bytes) + i128::from(unit) - 1;
            near(a, a_bytes, b) && near(b, b_bytes, a)
        };
        let touched = |members: &[usize]| {
            u64::from(geometry.lanes).saturating_mul(pieces(members.iter().map(|&at| span(at)), unit))
        };
        return partition(blocks.len(), may_share, touched, most);
    };
    let of_block = |block: &Block| {
        let start = i128::from(block.offset);
        offsets.iter().map(|offset| (start.saturating_add(*offset), block.bytes)).collect()
    };
    groups_of(&blocks.iter().map(of_block).collect::<Vec<_>>(), unit, most)
}

/// The same of the bytes that the lanes of a warp touch with each access.
fn groups_of(accesses: &[Vec<(i128, u64)>], sector: u64, most: u64) -> Vec<usize> {
    let together = |members: &[usize]| pieces(members.iter().flat_map(|&at| accesses[at].iter().copied()), sector);
    let alone: Vec<u64> = (0..accesses.len()).map(|at| together(&[at])).collect();
    let shares = |a: usize, b: usize| together(&[a, b]) < alone[a] + alone[b];
    partition(accesses.len(), shares, together, most)
}

/// Runs of units that follow each other, each from its first to its last, in ascending order and apart.
type Runs = Vec<(i64, i64)>;

/// The sectors that a warp touches with an access, of which these are the lanes' addresses in ascending order.
pub fn sectors_at(addresses: &[i64], bytes: u64, sector: u64) -> Runs {
    let shift = sector.is_power_of_two().then(|| sector.trailing_zeros());
    let of = |at: i64| shift.map_or_else(|| at.div_euclid(sector as i64), |shift| at >> shift);
    let mut runs: Runs = Vec::with_capacity(addresses.len());
    if let Some(behind) = bytes.checked_sub(1) {
        for &address in addresses {
            join(&mut runs, (of(address), of(address.saturating_add_unsigned(behind))));
        }
    }
    runs
}

/// Appends units that begin at none before those of the last run.
fn join(runs: &mut Runs, (first, last): (i64, i64)) {
    match runs.last_mut() {
        Some((_, end)) if first <= *end => *end = last.max(*end),
        _ => runs.push((first, last)),
    }
}

fn length(runs: &[(i64, i64)]) -> u64 {
    runs.iter().map(|(first, last)| last.abs_diff(*first) + 1).fold(0, u64::saturating_add)
}

/// The units of some of several accesses, each once.
fn length_together(accesses: &[Runs], members: &[usize]) -> u64 {
    let mut all: Runs = members.iter().flat_map(|&at| accesses[at].iter().copied()).collect();
    all.sort_unstable();
    let mut runs = Vec::with_capacity(all.len());
    all.into_iter().for_each(|run| join(&mut runs, run));
    length(&runs)
}

/// How many [sectors](sectors_at) some accesses touch, each group's once: in a group are those that [share sectors](groups), if together they touch no
/// more than `most`.
pub fn sectors_together(accesses: &[Runs], most: u64) -> u64 {
    let Some((first, others)) = accesses.split_first() else { return 0 };
    let alone: Vec<u64> = accesses.iter().map(|runs| length(runs)).collect();
    if others.iter().all(|runs| runs == first) {
        return if alone[0] <= most { alone[0] } else { alone.iter().sum() };
    }
    let shares = |a: usize, b: usize| length_together(accesses, &[a, b]) < alone[a] + alone[b];
    let group = partition(accesses.len(), shares, |members| length_together(accesses, members), most);
    let of_group = |of: usize| {
        let members: Vec<usize> = (0..accesses.len()).filter(|&at| group[at] == of).collect();
        length_together(accesses, &members)
    };
    (0..accesses.len()).filter(|&at| group[at] == at).map(of_group).sum()
}

/// In order, each joins the groups with which it shares something, if they touch no more than `most` together, else the last that does so
/// with it alone.
fn partition(
    count: usize,
    shares: impl Fn(usize, usize) -> bool,
    touched: impl Fn(&[usize]) -> u64,
    most: u64,
) -> Vec<usize> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..count {
        let near: Vec<usize> = (0..groups.len().min(MAX_MEMBERS))
            .filter(|&group| groups[group].iter().any(|&other| shares(other, at)))
            .collect();
        let with = |near: &[usize]| {
            let mut members: Vec<usize> = near.iter().flat_map(|&group| groups[group].iter().copied()).collect();
            members.push(at);
            members.sort_unstable();
            (members.len() <= MAX_MEMBERS && touched(&members) <= most).then_some(members)
        };
        let joined = [&near[..], near.last().map_or(&[], std::slice::from_ref)]
            .into_iter()
            .filter(|near| !near.is_empty())
            .find_map(|near| Some((with(near)?, near.to_vec())));
        match joined {
            Some((members, of)) => {
                let mut number = 0..;
                groups.retain(|_| number.next().is_none_or(|number| !of.contains(&number)));
                groups.push(members);
            }
            None => groups.push(vec![at]),
        }
    }
    let mut first = vec![0; count];
    for members in &groups {
        members.iter().for_each(|&at| first[at] = members[0]);
    }
    first
}

/// The bytes of all lanes, from a line boundary at or below the lowest block, and how far the base that is common to all is from one then.
fn spans(
    stride: &Stride,
    active: &ActiveLanes,
    blocks: &[Block],
    geometry: &MemoryGeometry,
) -> Option<(Vec<Span>, u64)> {
    let offsets = active_offsets(stride, active, geometry.lanes)?;
    let lowest = blocks.iter().map(|block| i128::from(block.offset)).min()?;
    let base = lowest.rem_euclid(i128::from(geometry.line_bytes));
    let of_block = |block: &Block| {
        let start = i128::from(block.offset) - lowest;
        offsets.iter().map(move |offset| (start.saturating_add(*offset), block.bytes)).collect::<Vec<Span>>()
    };
    Some((ascending(blocks.iter().flat_map(of_block).collect()), base as u64))
}

/// What the common base is a multiple of: all that its members ask for.
fn alignment(blocks: &[Block]) -> u64 {
    blocks.iter().map(|block| natural_alignment(block.bytes)).max().unwrap_or(1)
}

fn least(spans: &[Span], geometry: &MemoryGeometry) -> u64 {
    touched(spans, 0, 1).div_ceil(geometry.sector_bytes)
}

fn class(stride: &Stride, active: &ActiveLanes, blocks: &[Block], geometry: &MemoryGeometry) -> CoalescingClass {
    let own = classify(stride, active, blocks.first().map_or(0, |block| block.bytes), geometry);
    let Some((spans, base)) = spans(stride, active, blocks, geometry) else { return own };
    if own == CoalescingClass::Uniform {
        return own;
    }
    let unit = geometry.sector_bytes;
    let alignment = alignment(blocks);
    let shifted = |shift: u64| touched(&spans, base % alignment + shift, unit);
    let fewest = alignments(alignment, unit, geometry).map(shifted).min().unwrap_or(0);
    let lanes = active_offsets(stride, active, geometry.lanes).map_or(0, |offsets| offsets.len() as u64);
    let of_lane = blocks.iter().map(|block| (i128::from(block.offset), block.bytes));
    let most = lanes.saturating_mul(pieces(of_lane, 1).div_ceil(unit));
    class_of_count(fewest, least(&spans, geometry), most)
}
