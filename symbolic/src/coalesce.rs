//! Memory transactions: how many sectors and lines the lanes of a warp touch (CUDA C++ Programming Guide, *Device Memory Accesses*), and how many
//! passes over banks they take.

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

/// Blocks of more bytes are copied, not accessed: passes are not counted for them.
const MAX_BANKED_BYTES: u64 = 1 << 16;

/// The banks of a memory that the threads of a team share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Banks {
    /// How many banks work at the same time.
    pub count: u32,
    /// Bytes of a word: neighbouring words lie in neighbouring banks.
    pub word_bytes: u32,
}

/// In how many passes banked memory serves one warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BankPasses {
    /// Passes that the lanes' words need.
    pub needed: u64,
    /// Passes without any conflict: more than 1 where the lanes' bytes exceed what all banks hold side by side.
    pub least: u64,
}

/// The lanes of a warp that make an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActiveLanes {
    /// Every lane.
    All,
    /// Those that are marked.
    Only(Vec<bool>),
}

impl ActiveLanes {
    fn contains(&self, lane: usize) -> bool {
        match self {
            ActiveLanes::All => true,
            ActiveLanes::Only(marked) => marked.get(lane).is_some_and(|&marked| marked),
        }
    }
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
    /// At its best alignment no more sectors than the lanes' bytes fill, each byte once.
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

/// Sectors that the active lanes of a warp touch with an access of `bytes` a lane; `offset` is lane 0's distance from a line boundary,
/// whether it is active or not. `None` where the stride is not constant.
pub fn count_sectors(
    stride: &Stride,
    active: &ActiveLanes,
    bytes: u64,
    offset: &Coeff,
    geometry: &MemoryGeometry,
) -> Option<TransactionCount> {
    count(stride, active, bytes, offset, geometry, geometry.sector_bytes)
}

/// Lines that a warp touches; as [`count_sectors`].
pub fn count_lines(
    stride: &Stride,
    active: &ActiveLanes,
    bytes: u64,
    offset: &Coeff,
    geometry: &MemoryGeometry,
) -> Option<TransactionCount> {
    count(stride, active, bytes, offset, geometry, geometry.line_bytes)
}

/// Passes that banked memory needs for an access of `bytes` a lane, with all bases on a word of the first bank. Lanes that read one word
/// share it. As on NVIDIA's devices, so many neighbouring lanes are served together as fill the banks once. `None` where the stride is not
/// constant, and for blocks that no lane accesses as one.
pub fn bank_passes(stride: &Stride, active: &ActiveLanes, bytes: u64, lanes: u32, banks: &Banks) -> Option<BankPasses> {
    if bytes > MAX_BANKED_BYTES {
        return None;
    }
    let offsets = lane_offsets(stride, lanes)?;
    let word = i128::from(banks.word_bytes);
    let together = (u64::from(banks.count * banks.word_bytes) / bytes.max(1)).clamp(1, u64::from(lanes)) as usize;
    let mut passes = BankPasses { needed: 0, least: 0 };
    for (group, offsets) in offsets.chunks(together).enumerate() {
        let mut words: Vec<i128> = Vec::new();
        for (lane, &offset) in offsets.iter().enumerate() {
            if active.contains(group * together + lane) && bytes > 0 {
                words.extend(offset.div_euclid(word)..=(offset + i128::from(bytes) - 1).div_euclid(word));
            }
        }
        words.sort_unstable();
        words.dedup();
        let mut load = vec![0_u64; banks.count as usize];
        for word in &words {
            load[word.rem_euclid(i128::from(banks.count)) as usize] += 1;
        }
        passes.needed += load.into_iter().max().unwrap_or(0);
        passes.least += (words.len() as u64).div_ceil(u64::from(banks.count));
    }
    Some(passes)
}

/// The class of an access of `bytes` in each active lane. It is a property of the stride: of the alignments that the size allows, the
/// best counts.
pub fn classify(stride: &Stride, active: &ActiveLanes, bytes: u64, geometry: &MemoryGeometry) -> CoalescingClass {
    let Some(offsets) = active_offsets(stride, active, geometry.lanes) else {
        return match stride {
            Stride::DataDependent { .. } | Stride::FollowsData(_) => CoalescingClass::DataDependent,
            Stride::Unknown(_) => CoalescingClass::Unknown,
            _ => CoalescingClass::Symbolic,
        };
    };
    if offsets.iter().all(|&offset| offset == offsets[0]) {
        return CoalescingClass::Uniform;
    }
    let lanes = offsets.len() as u64;
    let spans = ascending(offsets.into_iter().map(|offset| (offset, bytes)).collect());
    let unit = geometry.sector_bytes;
    let fewest = alignments(natural_alignment(bytes), unit, geometry).map(|base| touched(&spans, base, unit)).min();
    class_of_count(fewest.unwrap_or(0), touched(&spans, 0, 1).div_ceil(unit), lanes)
}

/// The class of a count of sectors, where so few could do and so many are one for each lane.
pub(crate) fn class_of_count(sectors: u64, least: u64, most: u64) -> CoalescingClass {
    match sectors {
        sectors if sectors <= least => CoalescingClass::Coalesced,
        sectors if sectors >= most => CoalescingClass::Uncoalesced,
        _ => CoalescingClass::Strided,
    }
}

/// The class of the accesses inside the rows of [`Stride::RowEnds`]; `None` for other strides.
pub fn classify_within_rows(
    stride: &Stride,
    active: &ActiveLanes,
    bytes: u64,
    geometry: &MemoryGeometry,
) -> Option<CoalescingClass> {
    Some(classify(&within_rows(stride)?, active, bytes, geometry))
}

/// The stride inside the rows of [`Stride::RowEnds`]; `None` for other strides.
pub(crate) fn within_rows(stride: &Stride) -> Option<Stride> {
    let Stride::RowEnds { within, .. } = stride else { return None };
    Some(match within.as_constant() {
        Some(constant) => Stride::Constant(constant.clone()),
        None => Stride::Symbolic(within.clone()),
    })
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
    active: &ActiveLanes,
    bytes: u64,
    offset: &Coeff,
    geometry: &MemoryGeometry,
    unit: u64,
) -> Option<TransactionCount> {
    let offsets = active_offsets(stride, active, geometry.lanes)?;
    let spans = ascending(offsets.into_iter().map(|offset| (offset, bytes)).collect());
    let base = offset.rem_euclid(&Coeff::from(geometry.line_bytes))?.to_u64()?;
    let aligned = touched(&spans, base, unit);
    let counts = alignments(natural_alignment(bytes), unit, geometry).map(|base| touched(&spans, base, unit));
    Some(TransactionCount { aligned, worst: counts.fold(aligned, u64::max) })
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
        | Stride::PerLane(_)
        | Stride::DataDependent { .. }
        | Stride::FollowsData(_)
        | Stride::Unknown(_) => None,
    }
}

/// Each active lane's distance from lane 0, where it is constant.
pub(crate) fn active_offsets(stride: &Stride, active: &ActiveLanes, lanes: u32) -> Option<Vec<i128>> {
    let all = lane_offsets(stride, lanes)?.into_iter().enumerate();
    Some(all.filter(|(lane, _)| active.contains(*lane)).map(|(_, offset)| offset).collect())
}

/// The first of some bytes, and how many they are.
pub(crate) type Span = (i128, u64);

/// Each once, in order.
pub(crate) fn ascending(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    spans.dedup();
    spans
}

/// What the address of an access of so many bytes is a multiple of.
pub(crate) fn natural_alignment(bytes: u64) -> u64 {
    if bytes == 0 { 1 } else { 1 << bytes.trailing_zeros() }
}

/// The distances from a line boundary at which what is aligned so can start; of those that are whole units apart, and so touch equally
/// many, one.
pub(crate) fn alignments(alignment: u64, unit: u64, geometry: &MemoryGeometry) -> impl Iterator<Item = u64> + use<> {
    let period = if unit.is_multiple_of(alignment) { unit } else { geometry.line_bytes };
    (0..period).step_by(alignment.min(period) as usize)
}

/// How many pieces of memory, of `unit` bytes each, hold any of these bytes: the first of each span, and how many follow it. All who count
/// sectors ask here.
pub fn pieces(spans: impl IntoIterator<Item = (i128, u64)>, unit: u64) -> u64 {
    touched(&ascending(spans.into_iter().collect()), 0, unit)
}

/// The same of spans in ascending order that lie `base` further on.
pub(crate) fn touched(spans: &[Span], base: u64, unit: u64) -> u64 {
    let base = i128::from(base);
    // Division of integers this wide is what all the rest costs many times over.
    let shift = unit.is_power_of_two().then(|| unit.trailing_zeros());
    let unit_of = |at: i128| shift.map_or_else(|| at.div_euclid(i128::from(unit)), |shift| at >> shift);
    let mut total = 0_i128;
    let mut next_new = i128::MIN;
    for &(offset, bytes) in spans.iter().filter(|(_, bytes)| *bytes > 0) {
        let start = offset.saturating_add(base);
        let (first, last) = (unit_of(start).max(next_new), unit_of(start.saturating_add(i128::from(bytes) - 1)));
        if last >= first {
            total += last - first + 1;
            next_new = last + 1;
        }
    }
    u64::try_from(total).unwrap_or(u64::MAX)
}
