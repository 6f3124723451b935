//! One entry for each place in the source that something is said of, with what it costs.

use std::collections::{BTreeMap, HashMap};

use ipda_models::report::{Access, AccessKind, Class, Location, Loop, Region, Reject, Report};

use super::warp::Warp;
use crate::select::cost::{Changed, Cost};
use crate::select::totals::per_iteration;
use crate::select::values::Values;
use crate::words::CLASSES;

/// Accesses of one place of which the same is to be said.
pub struct Block<'a> {
    /// The first of them.
    pub access: &'a Access,
    /// What they do.
    pub kinds: Vec<AccessKind>,
    /// The regions that they are in, by their places in the report.
    pub regions: Vec<usize>,
    /// How many they are.
    count: u32,
    /// What their warps touch in the loops that were written, or why that is not known.
    pub warp: Result<Warp, &'static str>,
    /// What they touch in the loops that the plugin made.
    pub changed: Option<Warp>,
    /// What one of them costs.
    pub cost: Cost,
    /// The class in the loops as they were written.
    pub written: Class,
}

impl Block<'_> {
    /// What is moved in vain in a launch, or as much as that can be.
    pub fn weight(&self) -> f64 {
        self.cost.weight() * f64::from(self.count)
    }

    /// What is known to be moved in vain in a launch.
    pub fn excess(&self) -> f64 {
        self.cost.excess().unwrap_or(0.0) * f64::from(self.count)
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
    fn blocks(&self) -> &[Block<'_>] {
        match &self.thing {
            Thing::Accesses(blocks) => blocks,
            _ => &[],
        }
    }

    /// What all accesses here move in vain in a launch.
    pub fn excess(&self) -> f64 {
        self.blocks().iter().map(Block::excess).sum()
    }

    /// The order in which a reader should see what is in one line; the smallest first.
    pub fn urgency(&self) -> (usize, u8) {
        let class = self.class().filter(|_| self.weight() > 0.0).map_or(usize::MAX, badness);
        (class, self.thing.rank())
    }

    fn weight(&self) -> f64 {
        self.blocks().iter().map(Block::weight).sum()
    }

    /// The worst class of the accesses here, in the loops that run.
    pub fn class(&self) -> Option<Class> {
        self.blocks().iter().map(|block| block.cost.class).min_by_key(|class| badness(*class))
    }
}

/// The place of a class in the order in which people should look.
fn badness(class: Class) -> usize {
    CLASSES.iter().position(|each| *each == class).unwrap_or(usize::MAX)
}

/// How many entries and files of a page come before those of a report.
#[derive(Clone, Copy, Default)]
pub struct Before {
    /// Entries.
    pub entries: usize,
    /// Files.
    pub files: usize,
}

/// All that a report says, in the order of the source: its main file first.
pub struct Entries<'a> {
    /// The report.
    pub report: &'a Report,
    /// What other reports have on the same page.
    pub before: Before,
    /// The entries.
    pub all: Vec<Entry<'a>>,
    /// The entry of each region.
    regions: HashMap<usize, usize>,
    /// The sectors of each region for one iteration, and the accesses that are not in it.
    sums: Vec<(Option<String>, u64)>,
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
    pub fn of(report: &'a Report, values: &Values, before: Before) -> Entries<'a> {
        let mut all = Vec::new();
        let mut loops: BTreeMap<&Location, Vec<(usize, &Loop)>> = BTreeMap::new();
        let mut accesses: BTreeMap<Option<&Location>, Vec<Block>> = BTreeMap::new();
        for (number, region) in report.regions.iter().enumerate() {
            all.push(Entry { location: Some(&region.location), thing: Thing::Region(number) });
            for each in &region.loops {
                // A loop without a place is reported with its region.
                if let Some(location) = &each.location {
                    loops.entry(location).or_default().push((number, each));
                }
            }
            for access in &region.accesses {
                let blocks = accesses.entry(access.location.as_ref()).or_default();
                let cost = Cost::of(access, region, &report.hardware, values);
                add(blocks, access, cost, (number, region), report, values);
            }
            all.extend(region.rejects.iter().map(reject));
        }
        all.extend(report.rejects.iter().map(reject));
        all.extend(loops.into_iter().map(|(at, found)| Entry { location: Some(at), thing: Thing::Loop(found) }));
        all.extend(accesses.into_iter().map(|(location, mut blocks)| {
            blocks.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
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
        let sums = report.regions.iter().map(|region| {
            let costed = crate::view::costed(region, report, &values.afresh(), crate::document::Loops::AsWritten);
            per_iteration(region, costed.iter().map(|(access, cost)| (*access, cost)), values)
        });
        Entries { report, before, all, regions, sums: sums.collect(), places }
    }

    /// The number of an entry on the page, in its anchor.
    pub fn anchor(&self, number: usize) -> usize {
        self.before.entries + number
    }

    /// What comes before the next report's entries.
    pub fn behind(&self) -> Before {
        Before { entries: self.before.entries + self.all.len(), files: self.before.files + files(self).len() }
    }

    /// The numbers of the entries of accesses, those first that move most in vain or may do so.
    pub fn by_weight(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> =
            (0..self.all.len()).filter(|nth| matches!(self.all[*nth].thing, Thing::Accesses(_))).collect();
        numbers.sort_by(|a, b| {
            let (a, b) = (&self.all[*a], &self.all[*b]);
            let classes = a.class().map(badness).cmp(&b.class().map(badness));
            b.weight().total_cmp(&a.weight()).then(classes)
        });
        numbers
    }

    /// The sectors of a region's warp for one iteration of its shared loop, and how many accesses are not in it.
    pub fn per_iteration(&self, number: usize) -> (Option<&str>, u64) {
        let (sectors, without) = &self.sums[number];
        (sectors.as_deref(), *without)
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

/// The files with entries, the main one first.
pub fn files<'a>(entries: &Entries<'a>) -> Vec<&'a str> {
    let mut files: Vec<&str> = vec![&entries.report.source];
    for entry in &entries.all {
        if let Some(at) = entry.location
            && !files.contains(&at.file.as_str())
        {
            files.push(&at.file);
        }
    }
    files
}

fn reject(reject: &Reject) -> Entry<'_> {
    Entry { location: reject.location.as_ref(), thing: Thing::Reject(reject) }
}

fn add<'a>(
    blocks: &mut Vec<Block<'a>>,
    access: &'a Access,
    cost: Cost,
    (number, region): (usize, &Region),
    report: &Report,
    values: &Values,
) {
    if let Some(block) = blocks.iter_mut().find(|block| block.cost == cost && says_the_same(block.access, access)) {
        block.count = block.count.saturating_add(1);
        if !block.kinds.contains(&access.kind) {
            block.kinds.push(access.kind);
        }
        if block.regions.last() != Some(&number) {
            block.regions.push(number);
        }
        return;
    }
    let changed = match cost.changed {
        Some(Changed::Stride(_) | Changed::Rows(_) | Changed::Tile | Changed::Other | Changed::Open) => {
            Warp::changed(access, region, &report.hardware, values)
        }
        Some(Changed::OneThread) | None => None,
    };
    let warp = Warp::of(access, &region.hardware_of(access, &report.hardware), values);
    let written = Cost::as_written(access, region, &report.hardware, &values.afresh()).class;
    let (kinds, regions) = (vec![access.kind], vec![number]);
    blocks.push(Block { access, kinds, regions, count: 1, warp, changed, cost, written });
}

fn says_the_same(a: &Access, b: &Access) -> bool {
    (&a.object, a.bytes, a.memory, a.class, &a.address) == (&b.object, b.bytes, b.memory, b.class, &b.address)
        && (&a.in_loop, &a.conditions, &a.executions) == (&b.in_loop, &b.conditions, &b.executions)
        && (&a.stride, &a.sectors, &a.bank_passes, &a.group) == (&b.stride, &b.sectors, &b.bank_passes, &b.group)
        && (&a.active_lanes, &a.called_from, &a.false_sharing) == (&b.active_lanes, &b.called_from, &b.false_sharing)
}
