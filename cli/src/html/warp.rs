//! Where the lanes of one warp touch memory, as far as a report tells.

use std::collections::{BTreeMap, BTreeSet};

use ipda_models::report::{Access, Class, Hardware, LanesKind, MemoryKind, StrideKind};

use super::example::Expression;

/// Most lanes that a warp is believed to have: a report that names more is no reason to draw them.
const MAX_LANES: u32 = 128;
/// Most bytes that one lane touches in a picture.
const MAX_BYTES: u64 = 4096;

/// The bytes that one warp touches.
pub struct Warp {
    /// For each lane that makes the access, the distance of its first byte from the start of a line (of the banks, for shared memory).
    pub starts: BTreeMap<u32, i64>,
    /// Bytes of each lane.
    pub bytes: i64,
    /// Lanes of a warp, those that do not make the access among them.
    pub lanes: u32,
    /// The values that stand for sizes, by their names.
    pub given: Vec<(String, i64)>,
    /// In which lane the first row ends, for a stride with row ends.
    pub row_end: Option<u32>,
}

impl Warp {
    /// What an access touches, with all bases at the start of a line.
    ///
    /// # Errors
    /// The reason where it is not known, or where a count of it does not agree with the report's.
    pub fn of(access: &Access, hardware: &Hardware) -> Result<Warp, &'static str> {
        if access.class == Class::DataDependent || access.stride.kind == StrideKind::DataDependent {
            return Err("which sectors it touches depends on what memory holds");
        }
        let lanes = hardware.warp_lanes.clamp(1, MAX_LANES);
        let bytes = i64::try_from(access.bytes.clamp(1, MAX_BYTES)).expect("it is small");
        let mut warp = Warp { starts: BTreeMap::new(), bytes, lanes, given: Vec::new(), row_end: None };
        let distances = warp.distances(access).ok_or("what its lanes touch is not known in closed form")?;
        let base = Expression::read(&access.address).and_then(|address| address.constant_term()).unwrap_or(0);
        let active = active(access, lanes);
        for (lane, distance) in (0..).zip(distances).filter(|(lane, _)| active.contains(lane)) {
            let start = base.checked_add(distance).filter(|start| start.checked_abs().is_some_and(|far| far < 1 << 60));
            warp.starts.insert(lane, start.ok_or("its lanes are too far apart for a picture")?);
        }
        match warp.agrees(access, hardware) {
            true => Ok(warp),
            false => Err("a picture of it would not agree with the counts"),
        }
    }

    /// The distance of each lane from lane 0.
    fn distances(&mut self, access: &Access) -> Option<Vec<i64>> {
        let lanes = i64::from(self.lanes);
        let text = access.stride.text.as_deref()?;
        match access.stride.kind {
            StrideKind::Constant | StrideKind::Symbolic => {
                let stride = self.evaluate(text)?;
                (0..lanes).map(|lane| lane.checked_mul(stride)).collect()
            }
            StrideKind::Vector => {
                let list = text.trim_matches(['(', ')', '[', ']']).split([',', ' ']).filter(|part| !part.is_empty());
                let distances: Vec<i64> = list.map(|part| part.parse().ok()).collect::<Option<_>>()?;
                (distances.len() == self.lanes as usize).then_some(distances)
            }
            StrideKind::PerLane => {
                let expression = Expression::read(text)?;
                self.given = expression.given();
                (0..self.lanes).map(|lane| expression.in_lane(lane)).collect()
            }
            StrideKind::RowEnds => self.with_row_ends(access, text),
            StrideKind::DataDependent | StrideKind::Unknown => None,
        }
    }

    /// Rows that are longer than a warp end in its middle: the picture shows a warp in which one does.
    fn with_row_ends(&mut self, access: &Access, text: &str) -> Option<Vec<i64>> {
        let within = self.evaluate(text)?;
        let at_end = self.evaluate(access.stride.at_row_ends.as_deref()?)?;
        let length = self.evaluate(access.stride.row_length.as_deref()?)?.max(1);
        let first_end = if length < self.lanes.into() { length } else { i64::from(self.lanes / 2) };
        self.row_end = u32::try_from(first_end).ok().filter(|lane| *lane < self.lanes);
        let mut distance = 0_i64;
        let mut distances = vec![0];
        for lane in 1..i64::from(self.lanes) {
            let ends = lane >= first_end && (lane - first_end) % length == 0;
            distance = distance.checked_add(if ends { at_end } else { within })?;
            distances.push(distance);
        }
        Some(distances)
    }

    fn evaluate(&mut self, text: &str) -> Option<i64> {
        let expression = Expression::read(text)?;
        for name in expression.given() {
            if !self.given.contains(&name) {
                self.given.push(name);
            }
        }
        expression.value()
    }

    /// Whether what would be drawn is what the report counts.
    fn agrees(&self, access: &Access, hardware: &Hardware) -> bool {
        if access.bytes > MAX_BYTES || hardware.warp_lanes > MAX_LANES || self.starts.is_empty() {
            return false;
        }
        let counted = match access.memory {
            MemoryKind::Global => access.sectors.map(|count| count.aligned),
            // Passes also depend on how wide the accesses are, which the picture does not show.
            MemoryKind::Shared => None,
        };
        counted.is_none_or(|count| count == self.blocks(hardware.sector_bytes).len() as u64)
    }

    /// The numbers of the blocks of `size` bytes that the warp touches: sectors, lines, words.
    pub fn blocks(&self, size: u32) -> BTreeSet<i64> {
        let size = i64::from(size.max(1));
        let of_lane = |start: &i64| start.div_euclid(size)..=(start + self.bytes - 1).div_euclid(size);
        self.starts.values().flat_map(of_lane).collect()
    }

    /// For each bank of shared memory the different words that the warp asks it for.
    pub fn words_of_banks(&self, hardware: &Hardware) -> BTreeMap<i64, u64> {
        let mut banks = BTreeMap::new();
        for word in self.blocks(hardware.bank_bytes) {
            *banks.entry(word.rem_euclid(i64::from(hardware.banks.max(1)))).or_default() += 1;
        }
        banks
    }
}

/// The lanes that make the access: all of them where that is not fixed.
fn active(access: &Access, lanes: u32) -> BTreeSet<u32> {
    let fixed = access.active_lanes.as_ref().filter(|set| set.kind == LanesKind::Fixed);
    let Some(text) = fixed.and_then(|set| set.text.as_deref()) else {
        return (0..lanes).collect();
    };
    let number = |text: &str| text.parse::<u32>().ok();
    let run = |run: &str| match run.split_once('-') {
        Some((first, last)) => Some(number(first)?..=number(last)?.min(lanes)),
        None => number(run).map(|lane| lane..=lane),
    };
    text.split_whitespace().filter_map(run).flatten().filter(|lane| *lane < lanes).collect()
}
