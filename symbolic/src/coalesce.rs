//! Memory transactions: how many sectors and lines the lanes of a warp touch.

use crate::coeff::Coeff;
use crate::ipd::Stride;

/// Sizes that transactions depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryGeometry {
    /// Lanes of a warp.
    pub lanes: u32,
    /// The smallest unit of a transaction, bytes.
    pub sector_bytes: u64,
    /// A cache line, bytes; a multiple of the sector.
    pub line_bytes: u64,
}

/// How many sectors or lines one warp touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransactionCount {
    /// With lane 0 at the given distance from a line boundary.
    pub aligned: u64,
    /// The most over all distances that are multiples of the access's natural alignment: of the largest power of 2 that divides
    /// its size.
    pub worst: u64,
}

/// What people call an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoalescingClass {
    /// All lanes use one address.
    Uniform,
    /// At its best alignment no more sectors than the lanes' bytes fill.
    Coalesced,
    /// Between coalesced and uncoalesced.
    Strided,
    /// A sector a lane, or more.
    Uncoalesced,
    /// Depends on values that are known when the program runs.
    Symbolic,
    /// Depends on values loaded from memory.
    DataDependent,
    /// Not understood.
    Unknown,
}

/// Sectors that a warp touches with an access of `bytes` a lane; `offset` is lane 0's distance from a line boundary.
/// `None` where the stride is not constant.
pub fn count_sectors(
    stride: &Stride,
    bytes: u64,
    offset: &Coeff,
    geometry: &MemoryGeometry,
) -> Option<TransactionCount> {
    count(stride, bytes, offset, geometry, geometry.sector_bytes)
}

/// Lines that a warp touches; as [`count_sectors`].
pub fn count_lines(stride: &Stride, bytes: u64, offset: &Coeff, geometry: &MemoryGeometry) -> Option<TransactionCount> {
    count(stride, bytes, offset, geometry, geometry.line_bytes)
}

/// The class of an access of `bytes` a lane. It is a property of the stride: of the alignments that the size allows, the best counts.
pub fn classify(stride: &Stride, bytes: u64, geometry: &MemoryGeometry) -> CoalescingClass {
    let Some(offsets) = lane_offsets(stride, geometry.lanes) else {
        return match stride {
            Stride::DataDependent { .. } | Stride::FollowsData(_) => CoalescingClass::DataDependent,
            Stride::Unknown(_) => CoalescingClass::Unknown,
            _ => CoalescingClass::Symbolic,
        };
    };
    if offsets.iter().all(|&offset| offset == 0) {
        return CoalescingClass::Uniform;
    }
    let counts = alignments(bytes, geometry).map(|base| touched(&offsets, base, bytes, geometry.sector_bytes));
    let least = counts.min().unwrap_or(0);
    if least <= (u64::from(geometry.lanes) * bytes).div_ceil(geometry.sector_bytes) {
        CoalescingClass::Coalesced
    } else if least >= u64::from(geometry.lanes) {
        CoalescingClass::Uncoalesced
    } else {
        CoalescingClass::Strided
    }
}

/// The class of the accesses inside the rows of [`Stride::RowEnds`]; `None` for other strides.
pub fn classify_within_rows(stride: &Stride, bytes: u64, geometry: &MemoryGeometry) -> Option<CoalescingClass> {
    let Stride::RowEnds { within, .. } = stride else { return None };
    let inside = match within.as_constant() {
        Some(constant) => Stride::Constant(constant.clone()),
        None => Stride::Symbolic(within.clone()),
    };
    Some(classify(&inside, bytes, geometry))
}

/// The named alternative: requests of at most 256 bytes, fitted greedily as the thesis's figure 4.5 does; `None` where the stride is
/// not constant (the thesis counts each such lane as an unknown request).
///
/// The reading taken: for each access by itself, relative to its own lane 0, over the lanes of one warp, with the access's size
/// where the figure prints 8. As in the figure, a lane that fits extends every request that it fits.
pub fn greedy_requests(stride: &Stride, bytes: u64, geometry: &MemoryGeometry) -> Option<u64> {
    const WINDOW: i128 = 256;
    let mut requests: Vec<(i128, i128)> = Vec::new();
    for c in lane_offsets(stride, geometry.lanes)? {
        let mut fits = false;
        for (low, high) in &mut requests {
            if (*low..=*high).contains(&c) {
                fits = true;
            } else if (*high - WINDOW..=*high).contains(&c) {
                *low = c;
                fits = true;
            } else if (*low..=*low + WINDOW).contains(&c) {
                *high = c + i128::from(bytes);
                fits = true;
            }
        }
        if !fits {
            requests.push((c, c + i128::from(bytes)));
        }
    }
    Some(requests.len() as u64)
}

fn count(
    stride: &Stride,
    bytes: u64,
    offset: &Coeff,
    geometry: &MemoryGeometry,
    unit: u64,
) -> Option<TransactionCount> {
    let offsets = lane_offsets(stride, geometry.lanes)?;
    let base = offset.rem_euclid(&Coeff::from(geometry.line_bytes))?.to_u64()?;
    let aligned = touched(&offsets, base, bytes, unit);
    let worst = alignments(bytes, geometry).map(|base| touched(&offsets, base, bytes, unit)).fold(aligned, u64::max);
    Some(TransactionCount { aligned, worst })
}

/// Each lane's distance from lane 0, where it is constant.
fn lane_offsets(stride: &Stride, lanes: u32) -> Option<Vec<i128>> {
    match stride {
        Stride::Constant(stride) => {
            let stride = i128::from(stride.to_i64()?);
            Some((0..i128::from(lanes)).map(|lane| lane * stride).collect())
        }
        Stride::Vector(offsets) => offsets.iter().map(|offset| offset.to_i64().map(i128::from)).collect(),
        Stride::Symbolic(_)
        | Stride::RowEnds { .. }
        | Stride::DataDependent { .. }
        | Stride::FollowsData(_)
        | Stride::Unknown(_) => None,
    }
}

/// The distances from a line boundary at which an access can start that is aligned to its size.
fn alignments(bytes: u64, geometry: &MemoryGeometry) -> impl Iterator<Item = u64> {
    let natural = if bytes == 0 { 1 } else { 1 << bytes.trailing_zeros() };
    (0..geometry.line_bytes).step_by(natural.min(geometry.line_bytes) as usize)
}

/// How many units of memory hold the lanes' bytes.
fn touched(offsets: &[i128], base: u64, bytes: u64, unit: u64) -> u64 {
    if bytes == 0 {
        return 0;
    }
    let (base, bytes, unit) = (i128::from(base), i128::from(bytes), i128::from(unit));
    let mut spans: Vec<(i128, i128)> = offsets
        .iter()
        .map(|offset| ((base + offset).div_euclid(unit), (base + offset + bytes - 1).div_euclid(unit)))
        .collect();
    spans.sort_unstable();
    let mut total = 0;
    let mut next_new = i128::MIN;
    for (first, last) in spans {
        let first = first.max(next_new);
        if last >= first {
            total += last - first + 1;
            next_new = last + 1;
        }
    }
    total as u64
}
