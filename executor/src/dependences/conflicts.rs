//! Which executed accesses meet: all pairs that touch a common byte, at least one of them to write, by the distance of their iterations.

use super::join::{Iterations, Join};
use super::record::Record;
use crate::program::SiteId;
use ipda::dependences::{AccessNode, RegionDependences};
use ipda_models::report::AccessKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Pairs of executed accesses that are looked at in one run.
const MAX_PAIRS: usize = 3_000_000;

/// Two accesses of the graph that touch a common byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Meeting {
    /// The one that ran first.
    pub earlier: usize,
    pub later: usize,
    /// Iteration of the later less that of the earlier, by loop around both, outermost first.
    pub distance: Iterations,
}

/// A value that goes from an iteration of a loop to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Carried {
    pub write: usize,
    pub read: usize,
    pub distance: Iterations,
}

/// All that meet in a run.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    pub all: Vec<Meeting>,
    /// Reads, with the last write before them.
    pub values: Vec<Carried>,
    /// Bytes that accesses of the graph have written.
    pub written: FxHashSet<u64>,
    /// Pairs of executed accesses.
    pub pairs: usize,
    pub is_cut: bool,
}

pub(super) fn writes(node: &AccessNode) -> bool {
    matches!(node.kind, AccessKind::Store | AccessKind::CopyTo | AccessKind::Atomic)
}

pub(super) fn reads(node: &AccessNode) -> bool {
    matches!(node.kind, AccessKind::Load | AccessKind::CopyFrom | AccessKind::Atomic)
}

/// How many loops are around both.
pub(super) fn common_depth(region: &RegionDependences, a: usize, b: usize) -> usize {
    let (a, b) = (&region.accesses[a].loops, &region.accesses[b].loops);
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

struct Executed {
    site: SiteId,
    node: usize,
    iterations: Iterations,
    address: u64,
    writes: bool,
}

impl Conflicts {
    pub(super) fn of(region: &RegionDependences, record: &Record, join: &Join) -> Conflicts {
        let mut executed: Vec<Executed> = Vec::new();
        let mut at_byte: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut bytes_in_order: Vec<u64> = Vec::new();
        let mut last_write: FxHashMap<u64, usize> = FxHashMap::default();
        let mut values: FxHashSet<Carried> = FxHashSet::default();
        let mut conflicts = Conflicts { is_cut: record.is_cut, ..Conflicts::default() };
        for touch in &record.touches {
            let Some((node, iterations)) = join.name(touch.site, record.rounds(touch)) else { continue };
            let entry = &region.accesses[node];
            let own = Executed { site: touch.site, node, iterations, address: touch.address, writes: writes(entry) };
            for byte in touch.address..touch.address + touch.bytes {
                if let Some(&writer) = last_write.get(&byte).filter(|_| reads(entry)) {
                    let distance = distance(region, &executed[writer], &own);
                    let carried = Carried { write: executed[writer].node, read: node, distance };
                    if values.insert(carried.clone()) {
                        conflicts.values.push(carried);
                    }
                }
                if own.writes {
                    last_write.insert(byte, executed.len());
                }
                let list = at_byte.entry(byte).or_default();
                if list.is_empty() {
                    bytes_in_order.push(byte);
                }
                list.push(executed.len());
            }
            executed.push(own);
        }
        conflicts.written = last_write.into_keys().collect();
        let mut seen: FxHashSet<Meeting> = FxHashSet::default();
        for byte in bytes_in_order {
            conflicts.at_byte(region, byte, &at_byte[&byte], &executed, &mut seen);
        }
        conflicts
    }

    fn at_byte(
        &mut self,
        region: &RegionDependences,
        byte: u64,
        list: &[usize],
        executed: &[Executed],
        seen: &mut FxHashSet<Meeting>,
    ) {
        for (position, &earlier) in list.iter().enumerate() {
            let earlier = &executed[earlier];
            for &later in &list[position + 1..] {
                let later = &executed[later];
                // Each pair once: at the first byte of both.
                if !(earlier.writes || later.writes) || earlier.address.max(later.address) != byte {
                    continue;
                }
                if self.pairs >= MAX_PAIRS {
                    self.is_cut = true;
                    return;
                }
                self.pairs += 1;
                let distance = distance(region, earlier, later);
                // Two copies of one access: they are in one iteration where code before a loop is a copy of what is in it.
                let are_copies = earlier.node == later.node && earlier.site != later.site;
                if are_copies && distance.iter().all(|&step| step == 0) {
                    continue;
                }
                let meeting = Meeting { earlier: earlier.node, later: later.node, distance };
                if !seen.contains(&meeting) {
                    seen.insert(meeting.clone());
                    self.all.push(meeting);
                }
            }
        }
    }
}

fn distance(region: &RegionDependences, earlier: &Executed, later: &Executed) -> Iterations {
    let depth = common_depth(region, earlier.node, later.node);
    let numbers = later.iterations.iter().zip(&earlier.iterations);
    numbers.take(depth).map(|(later, earlier)| later - earlier).collect()
}
