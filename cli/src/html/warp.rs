//! Where the lanes of one warp touch memory, as far as a report says.

use std::collections::{BTreeMap, BTreeSet};

use ipda_models::report::{Access, Class, Hardware, Lanes, MemoryKind, Region, StrideKind, ValueType};
use ipda_models::sizes::Sizes;

use crate::select::cost::of_lane;
use crate::select::values::{Scope, Values};
use crate::words::index_name;

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
    /// The sizes that nothing is known of, of which each is taken as [`Sizes::Counted`].
    pub assumed: Vec<String>,
    /// In which lane the first row ends, for a stride with row ends.
    pub row_end: Option<u32>,
}

/// The numbers of loops and threads: those of the first warp in the first iterations.
struct Places<'a> {
    lane: u32,
    /// The loops whose iterations neighbouring threads take, and which one the lane does.
    shared: Vec<(&'a str, i128)>,
    /// What is at the start of a line.
    bases: Option<&'a Region>,
}

impl Scope for Places<'_> {
    fn index(&self, name: &str) -> Option<i128> {
        Some(self.shared.iter().find(|(of, _)| *of == name).map_or(0, |(_, number)| *number))
    }

    fn symbol(&self, name: &str) -> Option<i128> {
        let is_base =
            |region: &Region| region.captures.iter().any(|each| each.name == name && each.ty == ValueType::Pointer);
        match name {
            "lane number" => Some(self.lane.into()),
            "warp number" | "warp of team" | "warp of row" | "first iteration" => Some(0),
            _ if name.starts_with("threadIdx.") || name.starts_with("blockIdx.") => Some(0),
            _ => self.bases.is_some_and(is_base).then_some(0),
        }
    }
}

/// All names are 0: what is left of an address is what it adds to its terms.
struct Nothing;

impl Scope for Nothing {
    fn index(&self, _: &str) -> Option<i128> {
        Some(0)
    }

    fn symbol(&self, _: &str) -> Option<i128> {
        Some(0)
    }
}

impl Warp {
    /// What an access touches in the loops that were written, with all bases at the start of a line.
    ///
    /// # Errors
    /// The reason where it is not known, or where a count of it does not agree with the report's.
    pub fn of(access: &Access, hardware: &Hardware, values: &Values) -> Result<Warp, &'static str> {
        if access.class == Class::DataDependent || access.stride.kind == StrideKind::DataDependent {
            return Err("which sectors it touches depends on what memory holds");
        }
        let mut warp = Warp::empty(access, hardware)?;
        let values = values.afresh();
        let distances = warp.distances(access, &values).ok_or("what its lanes touch is not known in closed form")?;
        // Where the report has a count, an address that is not at the start of a line is part of it.
        let base = access.sectors.and_then(|_| values.exact(&access.address, &Nothing)).unwrap_or(0);
        warp.place(access, base, &distances)?;
        warp.assumed = values.missing();
        let count = warp.blocks(hardware.sector_bytes).len() as u64;
        match access.sectors {
            Some(reported) if access.memory == MemoryKind::Global && reported.aligned != count => {
                Err("a picture of it would not agree with the counts")
            }
            _ => Ok(warp),
        }
    }

    /// What it touches in the loops that the plugin made: neighbouring threads take neighbouring iterations of the last loop that makes
    /// their number.
    pub fn changed(access: &Access, region: &Region, hardware: &Hardware, values: &Values) -> Option<Warp> {
        let nest = region.changed_nest(access)?;
        let mut warp = Warp::empty(access, hardware).ok()?;
        let values = values.afresh();
        let address = |lane: u32| {
            let numbers = of_lane(&nest, region, lane.into(), &values, Sizes::Counted)?;
            let shared = numbers.into_iter().map(|(of, number)| (index_name(of), number)).collect();
            let places = Places { lane, shared, bases: Some(region) };
            values.assumed(&access.address, &places, Sizes::Counted)
        };
        let first = address(0)?;
        let distances: Vec<i128> = (0..warp.lanes).map(|lane| Some(address(lane)? - first)).collect::<Option<_>>()?;
        warp.place(access, 0, &distances).ok()?;
        warp.assumed = values.missing();
        Some(warp)
    }

    fn empty(access: &Access, hardware: &Hardware) -> Result<Warp, &'static str> {
        if access.bytes > MAX_BYTES || hardware.warp_lanes > MAX_LANES {
            return Err("it touches too much for one");
        }
        let bytes = i64::try_from(access.bytes.max(1)).expect("it is small");
        let lanes = hardware.warp_lanes.max(1);
        Ok(Warp { starts: BTreeMap::new(), bytes, lanes, assumed: Vec::new(), row_end: None })
    }

    /// Sets where the lanes that make the access begin.
    fn place(&mut self, access: &Access, base: i128, distances: &[i128]) -> Result<(), &'static str> {
        let active = active(access, self.lanes);
        for (lane, distance) in (0..).zip(distances).filter(|(lane, _)| active.contains(lane)) {
            let start = base.checked_add(*distance).and_then(|start| i64::try_from(start).ok());
            let start = start.filter(|start| start.checked_abs().is_some_and(|far| far < 1 << 60));
            self.starts.insert(lane, start.ok_or("its lanes are too far apart for a picture")?);
        }
        if self.starts.is_empty() { Err("none of its lanes makes the access") } else { Ok(()) }
    }

    /// The distance of each lane from lane 0.
    fn distances(&mut self, access: &Access, values: &Values) -> Option<Vec<i128>> {
        let text = access.stride.text.as_deref()?;
        let in_lane =
            |text: &str, lane| values.assumed(text, &Places { lane, shared: Vec::new(), bases: None }, Sizes::Counted);
        match access.stride.kind {
            StrideKind::Constant | StrideKind::Symbolic => {
                let stride = in_lane(text, 0)?;
                (0..self.lanes).map(|lane| i128::from(lane).checked_mul(stride)).collect()
            }
            StrideKind::Vector => {
                let list = text.trim_matches(['(', ')', '[', ']']).split([',', ' ']).filter(|part| !part.is_empty());
                let distances: Vec<i128> = list.map(|part| part.parse().ok()).collect::<Option<_>>()?;
                (distances.len() == self.lanes as usize).then_some(distances)
            }
            StrideKind::PerLane => (0..self.lanes).map(|lane| in_lane(text, lane)).collect(),
            StrideKind::RowEnds => {
                let at_end = in_lane(access.stride.at_row_ends.as_deref()?, 0)?;
                let length = in_lane(access.stride.row_length.as_deref()?, 0)?;
                self.with_row_ends(in_lane(text, 0)?, at_end, length.max(1))
            }
            StrideKind::DataDependent | StrideKind::Unknown => None,
        }
    }

    /// Where rows are longer than a warp, most warps are within one, and that is what the picture shows.
    fn with_row_ends(&mut self, within: i128, at_end: i128, length: i128) -> Option<Vec<i128>> {
        let lanes = i128::from(self.lanes);
        if length >= lanes {
            return (0..lanes).map(|lane| lane.checked_mul(within)).collect();
        }
        let first_end = length;
        self.row_end = u32::try_from(first_end).ok().filter(|lane| *lane < self.lanes);
        let mut distance = 0_i128;
        let mut distances = vec![0];
        for lane in 1..lanes {
            let ends = lane >= first_end && (lane - first_end) % length == 0;
            distance = distance.checked_add(if ends { at_end } else { within })?;
            distances.push(distance);
        }
        Some(distances)
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
    match access.active_lanes.as_ref().and_then(Lanes::list) {
        Some(list) => list.take_while(|lane| *lane < lanes).collect(),
        None => (0..lanes).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hardware() -> Hardware {
        serde_yaml::from_str(
            "{name: h200, warp_lanes: 32, sector_bytes: 32, line_bytes: 128, banks: 32, bank_bytes: 4}",
        )
        .expect("it is one")
    }

    /// An access of 4 bytes with this address and these further fields.
    fn access(address: &str, fields: &str) -> Access {
        let text = format!(
            "{{id: acc0, kind: load, object: A, bytes: 4, address: '{address}', executions: {{value: '1'}}, {fields}}}"
        );
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn warp(address: &str, fields: &str) -> Result<Warp, &'static str> {
        Warp::of(&access(address, fields), &hardware(), &Values::new(&[]))
    }

    fn blocks(warp: &Warp) -> [usize; 2] {
        [32, 128].map(|size| warp.blocks(size).len())
    }

    #[test]
    fn constant_strides_are_drawn_from_the_address_on() {
        let counted = "class: coalesced, sectors: {aligned: 5, worst: 5}";
        let shifted =
            warp("[A] + 4*i + 4", &format!("stride: {{kind: constant, text: '4'}}, {counted}")).expect("drawn");
        assert_eq!((blocks(&shifted), shifted.starts[&31]), ([5, 2], 128));
        assert!(shifted.assumed.is_empty());
        // A count that the drawing does not have is no picture's.
        assert!(warp("[A] + 4*i", &format!("stride: {{kind: constant, text: '4'}}, {counted}")).is_err());
    }

    #[test]
    fn sizes_are_assumed_and_named() {
        let symbolic =
            warp("[A] + 4*i*[n]", "class: symbolic, stride: {kind: symbolic, text: '4*[n]'}").expect("drawn");
        assert_eq!((blocks(&symbolic), symbolic.assumed), ([32, 32], vec!["n".to_owned()]));
    }

    #[test]
    fn only_lanes_that_make_the_access_touch_memory() {
        let fields = "class: coalesced, stride: {kind: constant, text: '4'}, active_lanes: {kind: fixed, lanes: [[0, 7], [31, 31], [40, 40]]}";
        let some = warp("[A] + 4*i", fields).expect("drawn");
        assert_eq!((some.starts.len(), blocks(&some)), (9, [2, 1]));
    }

    #[test]
    fn a_row_ends_in_the_picture() {
        let rows = |length| {
            let ends = "text: '4', at_row_ends: '-188'";
            let fields = format!("class: symbolic, stride: {{kind: row-ends, {ends}, row_length: '{length}'}}");
            warp("[A] + 4*i", &fields).expect("drawn")
        };
        assert_eq!((rows(48).row_end, rows(48).starts[&16]), (None, 64));
        assert_eq!(
            (rows(10).row_end, rows(10).starts[&10], rows(10).starts[&20]),
            (Some(10), 36 - 188, 2 * (36 - 188))
        );
    }

    #[test]
    fn lists_and_expressions_tell_each_lane() {
        let list: Vec<String> = (0..32).map(|lane| (8 * (lane / 2)).to_string()).collect();
        let fields = format!("class: strided, stride: {{kind: vector, text: '{}'}}", list.join(", "));
        assert_eq!(warp("[A]", &fields).expect("drawn").starts[&3], 8);
        let squares = "class: symbolic, stride: {kind: per-lane, text: '4*[lane number]^2 + [n]*[warp number]'}";
        assert_eq!(warp("[A]", squares).expect("drawn").starts[&5], 100);
    }

    #[test]
    fn what_is_not_known_has_a_reason() {
        assert!(warp("?", "class: unknown, stride: {kind: unknown, reason: no idea}").is_err());
        assert!(warp("?", "class: data-dependent, stride: {kind: data-dependent}").is_err());
        let far = "class: symbolic, stride: {kind: symbolic, text: '9223372036854775807*[n]'}";
        assert!(warp("[A]", far).is_err());
    }

    #[test]
    fn banks_count_different_words() {
        let column =
            warp("[t]", "memory: shared, class: bank-conflict, stride: {kind: constant, text: '128'}").expect("drawn");
        assert_eq!(column.words_of_banks(&hardware()), BTreeMap::from([(0, 32)]));
        let one =
            warp("[t]", "memory: shared, class: conflict-free, stride: {kind: constant, text: '0'}").expect("drawn");
        assert_eq!(one.words_of_banks(&hardware()), BTreeMap::from([(0, 1)]));
    }
}
