//! One entry for each place in the source that something is said of, with what it costs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use ipda_models::report::{
    Access, AccessKind, Class, Hardware, Location, Loop, LoopKind, MemoryKind, Region, Reject, Report,
};

use super::example;
use super::warp::Warp;

/// The length of a loop of which the report does not tell it.
pub const UNKNOWN_TRIPS: u64 = 128;

/// Accesses of one place of which the report says the same.
pub struct Block<'a> {
    /// The first of them.
    pub access: &'a Access,
    /// What they do.
    pub kinds: Vec<AccessKind>,
    /// The regions that they are in, by their places in the report.
    pub regions: Vec<usize>,
    /// What their warps touch, or why that is not known.
    pub warp: Result<Warp, &'static str>,
    /// What it costs.
    pub cost: Cost,
}

/// What an access moves.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    /// Sectors, or passes over the banks, for each warp; with the example sizes where they depend on sizes.
    pub needed: Option<u64>,
    /// The fewest that hold the bytes.
    pub least: u64,
    /// How often one thread runs it, with the example sizes.
    pub runs: u64,
}

impl Cost {
    /// What is moved in vain by one warp at a time.
    pub fn excess(&self) -> Option<u64> {
        Some(self.needed?.saturating_sub(self.least))
    }

    /// The same over all runs.
    pub fn total_excess(&self) -> u128 {
        u128::from(self.excess().unwrap_or(0)) * u128::from(self.runs)
    }

    /// What is moved over all runs.
    pub fn total(&self) -> u128 {
        u128::from(self.needed.unwrap_or(self.least)) * u128::from(self.runs)
    }
}

/// What there is to say about a place.
pub enum Thing<'a> {
    /// A region, by its place in the report.
    Region(usize),
    /// A loop, in each region that has it.
    Loop(Vec<(usize, &'a Loop)>),
    /// Accesses.
    Accesses(Vec<Block<'a>>),
    /// Something that was not understood.
    Reject(&'a Reject),
}

impl Thing<'_> {
    fn rank(&self) -> u8 {
        match self {
            Thing::Region(_) => 0,
            Thing::Loop(_) => 1,
            Thing::Accesses(_) => 2,
            Thing::Reject(_) => 3,
        }
    }
}

/// A place and what there is to say about it.
pub struct Entry<'a> {
    /// The place, where it is known.
    pub location: Option<&'a Location>,
    /// What is said.
    pub thing: Thing<'a>,
}

impl Entry<'_> {
    /// What is moved in vain, over all runs of all accesses here.
    pub fn total_excess(&self) -> u128 {
        match &self.thing {
            Thing::Accesses(blocks) => {
                blocks.iter().map(|block| block.cost.total_excess() * block.kinds.len() as u128).sum()
            }
            _ => 0,
        }
    }

    /// The worst class of the accesses here.
    pub fn class(&self) -> Option<Class> {
        match &self.thing {
            Thing::Accesses(blocks) => {
                blocks.iter().map(|block| block.access.class).min_by_key(|class| badness(*class))
            }
            _ => None,
        }
    }
}

/// The place of a class in the order in which people should look.
pub fn badness(class: Class) -> usize {
    crate::view::words::CLASSES.iter().position(|each| *each == class).unwrap_or(usize::MAX)
}

/// All that a report says, in the order of the source: its main file first.
pub struct Entries<'a> {
    /// The report.
    pub report: &'a Report,
    /// The entries.
    pub all: Vec<Entry<'a>>,
    /// The entry of each region.
    regions: HashMap<usize, usize>,
    /// The entries of loops and of accesses by their places.
    places: HashMap<(&'a Location, Kind), usize>,
}

/// Which of the entries of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// That of a loop.
    Loop,
    /// That of the accesses.
    Accesses,
}

impl<'a> Entries<'a> {
    /// Collects them.
    pub fn of(report: &'a Report) -> Entries<'a> {
        let mut all = Vec::new();
        let mut loops: BTreeMap<&Location, Vec<(usize, &Loop)>> = BTreeMap::new();
        let mut accesses: BTreeMap<Option<&Location>, Vec<Block>> = BTreeMap::new();
        for (number, region) in report.regions.iter().enumerate() {
            all.push(Entry { location: Some(&region.location), thing: Thing::Region(number) });
            for each in &region.loops {
                // A loop without a place is told with its region.
                if let Some(location) = &each.location {
                    loops.entry(location).or_default().push((number, each));
                }
            }
            for access in &region.accesses {
                let blocks = accesses.entry(access.location.as_ref()).or_default();
                add(blocks, access, number, region, &report.hardware);
            }
            all.extend(region.rejects.iter().map(reject));
        }
        all.extend(report.rejects.iter().map(reject));
        all.extend(loops.into_iter().map(|(at, found)| Entry { location: Some(at), thing: Thing::Loop(found) }));
        all.extend(accesses.into_iter().map(|(location, mut blocks)| {
            blocks.sort_by_key(|block| (Reverse(block.cost.total_excess()), badness(block.access.class)));
            Entry { location, thing: Thing::Accesses(blocks) }
        }));
        all.sort_by_key(|entry| {
            let file = entry.location.map(|at| (at.file != report.source, at.file.as_str(), at.line, at.column));
            (file.is_none(), file, entry.thing.rank())
        });
        let mut regions = HashMap::new();
        let mut places = HashMap::new();
        for (number, entry) in all.iter().enumerate() {
            match (&entry.thing, entry.location) {
                (Thing::Region(nth), _) => _ = regions.insert(*nth, number),
                (Thing::Loop(_), Some(at)) => _ = places.insert((at, Kind::Loop), number),
                (Thing::Accesses(_), Some(at)) => _ = places.insert((at, Kind::Accesses), number),
                _ => {}
            }
        }
        Entries { report, all, regions, places }
    }

    /// The numbers of the entries of accesses, those first that move most in vain, then those of which that is not known.
    pub fn by_excess(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            (0..self.all.len()).filter(|nth| matches!(self.all[*nth].thing, Thing::Accesses(_))).collect();
        numbers.sort_by_key(|nth| {
            let entry = &self.all[*nth];
            (Reverse(entry.total_excess()), entry.class().map(badness))
        });
        numbers
    }

    /// What all accesses to global memory move in vain, and what they move.
    pub fn totals(&self) -> (u128, u128) {
        let (mut excess, mut total) = (0, 0);
        for entry in &self.all {
            let Thing::Accesses(blocks) = &entry.thing else { continue };
            for block in blocks.iter().filter(|block| block.access.memory == MemoryKind::Global) {
                let times = (block.kinds.len()) as u128;
                excess += block.cost.total_excess() * times;
                total += block.cost.total() * times;
            }
        }
        (excess, total)
    }

    /// What the accesses of a region move in vain.
    pub fn excess_of_region(&self, number: usize) -> u128 {
        let region = &self.report.regions[number];
        let costs = region.accesses.iter().map(|access| {
            let warp = Warp::of(access, &self.report.hardware);
            cost(access, region, &warp, &self.report.hardware).total_excess()
        });
        costs.sum()
    }

    /// The entry of a region.
    pub fn of_region(&self, number: usize) -> Option<usize> {
        self.regions.get(&number).copied()
    }

    /// An entry of a place.
    pub fn of_place(&self, location: &Location, kind: Kind) -> Option<usize> {
        self.places.get(&(location, kind)).copied()
    }
}

fn reject(reject: &Reject) -> Entry<'_> {
    Entry { location: reject.location.as_ref(), thing: Thing::Reject(reject) }
}

fn add<'a>(blocks: &mut Vec<Block<'a>>, access: &'a Access, number: usize, region: &'a Region, hardware: &Hardware) {
    if let Some(block) = blocks.iter_mut().find(|block| says_the_same(block.access, access)) {
        if !block.kinds.contains(&access.kind) {
            block.kinds.push(access.kind);
        }
        if block.regions.last() != Some(&number) {
            block.regions.push(number);
        }
        return;
    }
    let warp = Warp::of(access, hardware);
    let cost = cost(access, region, &warp, hardware);
    blocks.push(Block { access, kinds: vec![access.kind], regions: vec![number], warp, cost });
}

fn says_the_same(a: &Access, b: &Access) -> bool {
    (&a.object, a.bytes, a.memory, a.class, &a.address) == (&b.object, b.bytes, b.memory, b.class, &b.address)
        && (&a.in_loop, &a.condition, &a.executions) == (&b.in_loop, &b.condition, &b.executions)
        && (&a.stride, &a.sectors, &a.bank_passes) == (&b.stride, &b.sectors, &b.bank_passes)
        && (&a.active_lanes, &a.called_from, &a.false_sharing) == (&b.active_lanes, &b.called_from, &b.false_sharing)
}

fn cost(access: &Access, region: &Region, warp: &Result<Warp, &'static str>, hardware: &Hardware) -> Cost {
    let lanes = if access.class == Class::Uniform { 1 } else { access.lanes(hardware.warp_lanes) };
    let (needed, least) = match access.memory {
        MemoryKind::Global => {
            let drawn = || warp.as_ref().ok().map(|warp| warp.blocks(hardware.sector_bytes).len() as u64);
            let least = access.bytes.saturating_mul(lanes).div_ceil(u64::from(hardware.sector_bytes.max(1)));
            (access.sectors.map(|count| count.aligned).or_else(drawn), least)
        }
        MemoryKind::Shared => {
            (access.bank_passes.map(|passes| passes.needed), access.bank_passes.map_or(1, |passes| passes.least))
        }
    };
    Cost { needed, least, runs: runs(access, region) }
}

/// How often one thread runs an access, with the example sizes; where the report does not tell, by the loops around it.
fn runs(access: &Access, region: &Region) -> u64 {
    if let Some(value) = access.executions.value.as_deref().and_then(example::value) {
        return value.try_into().unwrap_or(0);
    }
    let mut runs = 1_u64;
    let mut at = access.in_loop.as_deref();
    for _ in 0..region.loops.len() {
        let Some(each) = at.and_then(|id| region.loops.iter().find(|each| each.id == id)) else { break };
        if each.kind == LoopKind::Sequential {
            let trips = each.trips.value.as_deref().and_then(example::value);
            runs = runs.saturating_mul(trips.and_then(|trips| trips.try_into().ok()).unwrap_or(UNKNOWN_TRIPS));
        }
        at = each.parent.as_deref();
    }
    runs
}
