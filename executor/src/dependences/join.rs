//! Which access of the graph is which access of the program, and which of the program's loops are those that the graph numbers.

use super::record::Record;
use crate::program::{Program, Site, SiteId};
use ipda::dependences::{AccessNode, RegionDependences};
use ipda_models::report::AccessKind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Iteration numbers by loop of the graph, outermost first.
pub(super) type Iterations = SmallVec<[i64; 4]>;

/// How the program's accesses are named in the graph.
#[derive(Debug, Default)]
pub(super) struct Join {
    nodes: FxHashMap<SiteId, usize>,
    /// By access of the program: which of its loops are those around the access in the graph, where 0 stands for one that never comes round.
    loops: FxHashMap<SiteId, SmallVec<[Option<usize>; 4]>>,
    /// Accesses that ran and are in the graph neither as such nor as effects that are not followed: flattening removes some that others make
    /// superfluous.
    pub missing: Vec<SiteId>,
    /// Accesses that ran and cannot be distinguished from others, or whose loops cannot.
    pub unclear: usize,
}

impl Join {
    pub(super) fn of(program: &Program, region: &RegionDependences, record: &Record) -> Join {
        let mut join = Join::default();
        let mut ran: Vec<SiteId> = record.touches.iter().map(|touch| touch.site).collect();
        ran.sort_unstable();
        ran.dedup();
        let mut by_key: FxHashMap<(AccessKind, &[_]), Vec<SiteId>> = FxHashMap::default();
        for &site in &ran {
            let entry = program.site(site);
            if !entry.is_runtime {
                by_key.entry((entry.kind, &entry.place)).or_default().push(site);
            }
        }
        let mut groups: Vec<(&Site, Vec<SiteId>)> =
            by_key.into_values().map(|sites| (program.site(sites[0]), sites)).collect();
        groups.sort_unstable_by_key(|(_, sites)| sites[0]);
        for (site, sites) in groups {
            let nodes: Vec<usize> =
                (0..region.accesses.len()).filter(|&node| is_same_place(&region.accesses[node], site)).collect();
            match nodes[..] {
                [] if is_opaque(region, site) => {}
                [] => join.missing.extend(sites),
                // Code that was copied, as the tests of loops are.
                [node] => join.nodes.extend(sites.iter().map(|&site| (site, node))),
                _ if nodes.len() == sites.len() => join.nodes.extend(sites.into_iter().zip(nodes)),
                _ => join.unclear += sites.len(),
            }
        }
        join.number_loops(region, record);
        join
    }

    fn number_loops(&mut self, region: &RegionDependences, record: &Record) {
        let mut comes_round: FxHashMap<SiteId, SmallVec<[bool; 8]>> = FxHashMap::default();
        let mut varies_in_depth: FxHashSet<SiteId> = FxHashSet::default();
        for touch in &record.touches {
            let rounds = record.rounds(touch);
            let seen = comes_round.entry(touch.site).or_insert_with(|| SmallVec::from_elem(false, rounds.len()));
            if seen.len() != rounds.len() {
                varies_in_depth.insert(touch.site);
            }
            for (seen, round) in seen.iter_mut().zip(rounds) {
                *seen |= *round != 0;
            }
        }
        for (site, comes_round) in comes_round {
            let Some(&node) = self.nodes.get(&site) else { continue };
            let loops = (!varies_in_depth.contains(&site)).then(|| positions(region, node, &comes_round)).flatten();
            match loops {
                Some(loops) => _ = self.loops.insert(site, loops),
                None => {
                    self.nodes.remove(&site);
                    self.unclear += 1;
                }
            }
        }
    }

    /// The access of the graph, and the iteration it was in.
    pub(super) fn name(&self, site: SiteId, rounds: &[u32]) -> Option<(usize, Iterations)> {
        let node = *self.nodes.get(&site)?;
        let number = |position: &Option<usize>| position.map_or(0, |at| i64::from(rounds[at]));
        Some((node, self.loops.get(&site)?.iter().map(number).collect()))
    }
}

/// Where in the program's loops those of the graph are. What the runtime does for a loop whose iterations it hands out may take several of the
/// program's loops: with one thread all but one run once.
fn positions(region: &RegionDependences, node: usize, comes_round: &[bool]) -> Option<SmallVec<[Option<usize>; 4]>> {
    let loops = &region.accesses[node].loops;
    let shared = loops.iter().filter(|&&number| region.loops[number].shared).count();
    let sequential = loops.len() - shared;
    if !loops[..shared].iter().all(|&number| region.loops[number].shared) {
        return None;
    }
    let outer = comes_round.len().checked_sub(sequential)?;
    let mut positions: SmallVec<[Option<usize>; 4]> = (0..outer).filter(|&at| comes_round[at]).map(Some).collect();
    if shared == 1 && positions.is_empty() {
        positions.push(None);
    }
    if shared == outer {
        positions = (0..outer).map(Some).collect();
    }
    if positions.len() != shared {
        return None;
    }
    positions.extend((outer..comes_round.len()).map(Some));
    Some(positions)
}

fn is_same_place(node: &AccessNode, site: &Site) -> bool {
    node.kind == site.kind
        && (site.bytes == 0 || node.bytes == site.bytes)
        && node.location.as_ref() == site.place.first()
        && node.called_from == site.place.get(1..).unwrap_or_default()
}

/// Whether the graph says of this place that what happens there is not followed.
fn is_opaque(region: &RegionDependences, site: &Site) -> bool {
    let place = site.place.first();
    let opaque = region.opaque.iter().map(|opaque| opaque.location.as_ref());
    let rejects = region.rejects.iter().map(|reject| reject.location.as_ref());
    opaque.chain(rejects).any(|location| location == place || location.is_none())
}
