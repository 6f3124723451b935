//! Groups of accesses that the report counts together: the sectors that a warp touches with all of them, one time after the other.

use super::summary::JoinedSite;
use super::verdict::{Bound, CountVerdict, Unit};
use super::warp::{Warp, lanes};
use super::{Distances, Prediction, WarpPlace};
use ipda_models::report::{Count, Group};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the report says of the groups of a kernel, and how far warps have come with them.
#[derive(Debug, Default)]
pub(super) struct Groups {
    all: Vec<Predicted>,
    by_site: FxHashMap<JoinedSite, (usize, usize)>,
    open: FxHashMap<(usize, WarpPlace), Running>,
}

#[derive(Debug)]
struct Predicted {
    first: Prediction,
    /// The distance of the first access from what all have in common.
    offset: u64,
    /// What that is a multiple of.
    alignment: u64,
    members: usize,
    /// Predicted numbers of sectors and lines, each with the unit's size.
    counts: Vec<(u64, Count)>,
}

/// A warp that has made some of a group's accesses.
#[derive(Debug)]
struct Running {
    active: u64,
    /// What the addresses of all have in common, for lane 0.
    base: u64,
    next: usize,
    /// First bytes, and how many.
    touched: Vec<(u64, u64)>,
}

impl Groups {
    /// Takes a group whose accesses are these sites, each of which is no other access.
    pub(super) fn add(&mut self, group: &Group, sites: &[JoinedSite], first: Prediction) {
        let number = self.all.len();
        let alignment = |bytes: u64| if bytes == 0 { 1 } else { 1 << bytes.trailing_zeros() };
        let units = [(first.geometry.sector_bytes, group.sectors), (first.geometry.line_bytes, group.lines)];
        self.all.push(Predicted {
            offset: group.members.first().map_or(0, |member| member.offset.cast_unsigned()),
            alignment: group.members.iter().map(|member| alignment(member.bytes)).max().unwrap_or(1),
            members: sites.len(),
            counts: units.into_iter().filter_map(|(unit, count)| Some((unit, count?))).collect(),
            first,
        });
        self.by_site.extend(sites.iter().enumerate().map(|(at, site)| (*site, (number, at))));
    }

    /// Takes an access of a warp; behind the last of its group, what comes of comparing.
    pub(super) fn observe(&mut self, site: JoinedSite, warp: &Warp<'_>, bytes: u64) -> Option<CountVerdict> {
        let &(number, at) = self.by_site.get(&site)?;
        let predicted = &self.all[number];
        let key = (number, warp.place);
        if at == 0 {
            let base = predicted.base(warp)?;
            self.open.insert(key, Running { active: warp.active, base, next: 0, touched: Vec::new() });
        }
        let running = self.open.get_mut(&key)?;
        if running.next != at || running.active != warp.active {
            self.open.remove(&key);
            return None;
        }
        running.next += 1;
        running.touched.extend(lanes(warp.active).map(|lane| (warp.addresses[lane], bytes)));
        if running.next < predicted.members {
            return None;
        }
        let running = self.open.remove(&key)?;
        Some(predicted.check(&running))
    }
}

impl Predicted {
    fn base(&self, warp: &Warp<'_>) -> Option<u64> {
        let Distances::Known(distances) = &self.first.distances else { return None };
        let lane = lanes(warp.active).next()?;
        Some(warp.addresses[lane].wrapping_sub(*distances.get(lane)?).wrapping_sub(self.offset))
    }

    fn check(&self, running: &Running) -> CountVerdict {
        let Distances::Known(distances) = &self.first.distances else { return CountVerdict::NotChecked };
        let is_uniform = distances.iter().all(|&distance| distance == 0);
        let is_full = is_uniform || running.active == self.first.counted_lanes();
        let mut result = CountVerdict::NotChecked;
        for &(unit, count) in &self.counts {
            let predicted = match () {
                () if is_full && running.base.is_multiple_of(self.first.geometry.line_bytes) => {
                    Bound::Exactly(count.aligned)
                }
                () if running.base.is_multiple_of(self.alignment) => Bound::AtMost(count.worst),
                () => continue,
            };
            let pieces = running.touched.iter().filter(|(_, bytes)| *bytes > 0);
            let pieces = pieces.flat_map(|(start, bytes)| start / unit..=(start + bytes - 1) / unit);
            let measured = pieces.collect::<BTreeSet<u64>>().len() as u64;
            if !predicted.allows(measured) {
                return CountVerdict::Differs { unit: Unit::Pieces(unit), predicted, measured };
            }
            result = CountVerdict::Agrees;
        }
        result
    }
}
