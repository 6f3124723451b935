//! Judges the warps of one run while they happen: finds the predictions for a place, and counts what comes of them.

use super::active::LaneSet;
use super::branches::Branches;
use super::by_place::{Setting, WarpPlace, launch_value};
use super::expression::Expression;
use super::groups::Groups;
use super::reader::Reader;
use super::summary::{Difference, Example, JoinedSite, MAX_EXAMPLES, SiteOutcome, Summary, Tally};
use super::verdict::{CountVerdict, LanesVerdict, Verdict};
use super::warp::{Warp, lanes};
use super::{Kernel, Prediction, SiteKey};
use crate::interpreter::{Extent, WarpBranch};
use crate::program::BranchSite;
use ipda_models::report::{
    Access, AccessKind, Group, LoopKind, Mapping, MemoryKind, Region, RegionKind, Report, WarpStart,
};
use ipda_symbolic::{Banks, MemoryGeometry};
use rustc_hash::FxHashMap;

/// One run of a kernel.
#[derive(Clone, Copy)]
pub struct Launch<'a> {
    /// The region that runs.
    pub kernel: &'a Kernel,
    /// Teams.
    pub teams: Extent,
    /// Threads in each team.
    pub threads: Extent,
    /// The values of captured scalars by the name that the report prints, read as signed or unsigned as they are declared.
    pub symbols: &'a dyn Fn(&str) -> Option<i128>,
}

/// Judges the warp accesses of one run while they happen.
#[derive(Debug)]
pub struct Comparison {
    sites: Vec<SiteOutcome>,
    /// The different predictions of each site's entries.
    predictions: Vec<Vec<Prediction>>,
    by_key: FxHashMap<SiteKey, JoinedSite>,
    branches: Branches,
    setting: Setting,
    /// Whether all threads of a team start the kernel together, so that all come to what is under no condition.
    is_kernel: bool,
    /// The lanes that made an access for which certain lanes are predicted, by warp.
    made: FxHashMap<(JoinedSite, WarpPlace), u64>,
    /// The lanes that work in a loop handed out to threads, by the loop's number and warp.
    working: FxHashMap<(u32, WarpPlace), u64>,
    /// Accesses that are counted together.
    groups: Groups,
    /// Whether the report speaks of full warps and the run has others.
    is_outside_assumption: bool,
}

/// What was found of one access of one warp.
struct Judged {
    stride: Verdict,
    counts: CountVerdict,
    of_group: Option<CountVerdict>,
    made_by: LanesVerdict,
}

impl Judged {
    /// The first thing that is not as predicted, for a warp with these lanes.
    fn difference(&self, active: u64) -> Option<Difference> {
        let Judged { stride, counts, of_group, made_by } = *self;
        Some(match (stride, counts, of_group, made_by) {
            (Verdict::Differs { lane, predicted, measured }, ..) => Difference::Lane { lane, predicted, measured },
            (_, CountVerdict::Differs { unit, predicted, measured }, ..) => {
                Difference::Count { unit, predicted, measured }
            }
            (.., Some(CountVerdict::Differs { unit, predicted, measured }), _) => {
                Difference::Group { unit, predicted, measured }
            }
            (.., LanesVerdict::Differs { predicted }) => Difference::Active { predicted, measured: active },
            _ => return None,
        })
    }

    /// Whether anything was compared and is as predicted.
    fn agrees(&self) -> bool {
        matches!(self.stride, Verdict::Agrees | Verdict::AgreesInForm)
            || self.counts == CountVerdict::Agrees
            || self.made_by == LanesVerdict::Agrees
    }

    fn add_to(&self, tally: &mut Tally) {
        match self.stride {
            Verdict::Agrees => tally.agreeing += 1,
            Verdict::AgreesInForm => tally.agreeing_in_form += 1,
            Verdict::Differs { .. } => tally.differing += 1,
            Verdict::NotChecked => tally.not_checked += 1,
        }
        match self.counts {
            CountVerdict::Agrees => tally.counts_agreeing += 1,
            CountVerdict::Differs { .. } => tally.counts_differing += 1,
            CountVerdict::NotChecked => {}
        }
        match self.of_group {
            Some(CountVerdict::Agrees) => tally.groups_agreeing += 1,
            Some(CountVerdict::Differs { .. }) => tally.groups_differing += 1,
            Some(CountVerdict::NotChecked) | None => {}
        }
        match self.made_by {
            LanesVerdict::Agrees => tally.lanes_agreeing += 1,
            LanesVerdict::Differs { .. } => tally.lanes_differing += 1,
            LanesVerdict::NotChecked => {}
        }
    }
}

impl Comparison {
    /// Takes what the report says about the region that is launched; there may be several of one name, of which each counts.
    pub fn new(report: &Report, launch: &Launch<'_>) -> Comparison {
        let hardware = &report.hardware;
        let geometry = MemoryGeometry {
            lanes: hardware.warp_lanes,
            sector_bytes: hardware.sector_bytes.into(),
            line_bytes: hardware.line_bytes.into(),
        };
        let banks = Banks { count: hardware.banks, word_bytes: hardware.bank_bytes };
        let (teams, threads) = (launch.teams, launch.threads);
        let setting = Setting { teams, threads, lanes: geometry.lanes, iterations: None };
        let regions = report
            .regions
            .iter()
            .filter(|region| region.function == launch.kernel.function && region.location.line == launch.kernel.line);
        let mut comparison = Comparison {
            sites: Vec::new(),
            predictions: Vec::new(),
            by_key: FxHashMap::default(),
            branches: Branches::default(),
            setting,
            is_kernel: false,
            made: FxHashMap::default(),
            working: FxHashMap::default(),
            groups: Groups::default(),
            is_outside_assumption: false,
        };
        let mut together = Vec::new();
        // A team of one row is also right where it is narrow: its warps are in that row.
        let has_parts_of_warps = !threads.count().is_multiple_of(geometry.lanes);
        let is_narrow = !threads.0[0].is_multiple_of(geometry.lanes) && threads.0[1..] != [1, 1];
        for (number, region) in (0..).zip(regions) {
            comparison.is_outside_assumption |= region.mapping.iter().any(|mapping| match mapping {
                Mapping::Apart { start: WarpStart::FullWarps, .. } => has_parts_of_warps,
                Mapping::WideTeams => is_narrow,
                _ => false,
            });
            comparison.is_kernel = region.kind == RegionKind::Kernel;
            let setting = Setting { iterations: iterations(region, &setting, launch.symbols), ..setting };
            comparison.branches.add(region, &setting, launch.symbols);
            let reader = Reader { geometry, banks, setting, symbols: launch.symbols };
            let members = comparison.add_region(region, number, &reader, launch);
            let of_group = |group: &Group| -> Option<Vec<(JoinedSite, Prediction)>> {
                group.members.iter().map(|member| members.get(&member.access[..]).cloned()).collect()
            };
            together.extend(region.groups.iter().filter_map(|group| Some((group, of_group(group)?))));
        }
        for (group, members) in together {
            let sites: Vec<JoinedSite> = members.iter().map(|(site, _)| *site).collect();
            // Of a place that is several accesses nobody knows which of them a warp makes.
            let are_known = sites.iter().all(|site| comparison.sites[site.0 as usize].entries.len() == 1);
            if let (true, Some((_, first))) = (are_known, members.into_iter().next()) {
                comparison.groups.add(group, &sites, first);
            }
        }
        comparison
    }

    /// Takes what the report says of the accesses of a region, which is so far in the order of those that are launched; by the names of the accesses.
    fn add_region<'a>(
        &mut self,
        region: &'a Region,
        number: u32,
        reader: &Reader<'_>,
        launch: &Launch<'_>,
    ) -> FxHashMap<&'a str, (JoinedSite, Prediction)> {
        let mut members: FxHashMap<&str, _> = FxHashMap::default();
        for access in &region.accesses {
            let key = SiteKey {
                kernel: launch.kernel.clone(),
                kind: access.kind,
                memory: access.memory,
                bytes: access.bytes,
                location: access.location.clone(),
                called_from: access.called_from.clone(),
            };
            let index = self.index(key);
            self.sites[index].entries.push((access.id.clone(), access.stride.kind));
            let root = root_loop(region, access).map(|root| number * region.loops.len() as u32 + root);
            let prediction = Prediction::of(access, reader, root);
            members.insert(&access.id, (JoinedSite(index as u32), prediction.clone()));
            let predictions = &mut self.predictions[index];
            if !predictions.contains(&prediction) {
                predictions.push(prediction);
                self.sites[index].predictions = predictions.len() as u32;
            }
        }
        members
    }

    /// The site for a key, whether or not the report has an entry for it. Of memory that a team shares only what the report names is the
    /// user's; the rest is none.
    pub fn site(&mut self, key: SiteKey) -> Option<JoinedSite> {
        // A copy of a number of bytes that the report does not know.
        if !self.by_key.contains_key(&key) && matches!(key.kind, AccessKind::CopyFrom | AccessKind::CopyTo) {
            let unknown = SiteKey { bytes: 0, ..key.clone() };
            if let Some(&site) = self.by_key.get(&unknown) {
                return Some(site);
            }
        }
        if key.memory == MemoryKind::Shared && !self.by_key.contains_key(&key) {
            return None;
        }
        Some(JoinedSite(self.index(key) as u32))
    }

    fn index(&mut self, key: SiteKey) -> usize {
        let next = JoinedSite(self.sites.len() as u32);
        let site = *self.by_key.entry(key.clone()).or_insert(next);
        if site == next {
            self.sites.push(SiteOutcome {
                key,
                entries: Vec::new(),
                predictions: 0,
                tally: Tally::default(),
                differences: Vec::new(),
            });
            self.predictions.push(Vec::new());
        }
        site.0 as usize
    }

    /// The lanes that a warp has.
    fn lanes_of(&self, place: WarpPlace) -> u64 {
        let Setting { threads, lanes, .. } = self.setting;
        let count = threads.count().saturating_sub(place.warp.saturating_mul(lanes)).min(lanes);
        if count >= u64::BITS { u64::MAX } else { (1 << count) - 1 }
    }

    /// Takes one access of one warp.
    pub fn observe(&mut self, site: JoinedSite, warp: &Warp<'_>) {
        let Warp { place, active, addresses } = *warp;
        let index = site.0 as usize;
        let everyone = self.is_kernel.then(|| self.lanes_of(place));
        if let [Prediction { root: Some(root), active: set, .. }] = &self.predictions[index][..] {
            *self.working.entry((*root, place)).or_default() |= active;
            if let LaneSet::Fixed(_) = set {
                *self.made.entry((site, place)).or_default() |= active;
            }
        }
        let outcome = &mut self.sites[index];
        let tally = &mut outcome.tally;
        tally.warp_accesses += 1;
        let judged = self.predictions[index].iter().map(|prediction| {
            let stride = prediction.check(warp);
            // Where the lanes are elsewhere, the numbers are no second difference.
            let counts = match stride {
                Verdict::Differs { .. } => CountVerdict::NotChecked,
                _ => prediction.check_counts(warp),
            };
            (stride, counts, prediction.check_active(warp, everyone))
        });
        // Of several entries that the site may be, one must fit.
        let (stride, counts, made_by) =
            judged.min_by_key(|&(stride, counts, made_by)| rank(stride, counts, made_by)).unwrap_or(NOT_CHECKED);
        let bytes = outcome.key.bytes;
        let of_group = self.groups.observe(site, warp, bytes).filter(|_| !self.is_outside_assumption);
        let judged = Judged { stride, counts, of_group, made_by };
        let difference = judged.difference(active);
        match difference {
            Some(_) if !self.is_outside_assumption => tally.wrong += 1,
            None if judged.agrees() => tally.right += 1,
            _ => {}
        }
        match difference {
            Some(_) if self.is_outside_assumption => {
                tally.outside_assumption += 1;
                return;
            }
            Some(difference) if outcome.differences.len() < MAX_EXAMPLES => {
                let first_address = lanes(active).next().map_or(0, |lane| addresses[lane]);
                outcome.differences.push(Example { active, first_address, difference });
            }
            _ => {}
        }
        judged.add_to(tally);
    }

    /// Takes a warp at a branch of the user's code.
    pub fn observe_branch(&mut self, site: &BranchSite, branch: &WarpBranch) {
        if !site.is_runtime && !self.is_outside_assumption {
            let place = WarpPlace { team: branch.team, warp: branch.warp };
            self.branches.observe(site, place, branch.active, branch.taken);
        }
    }

    /// What came of the run.
    pub fn into_summary(mut self) -> Summary {
        // Lanes that work in a loop and are to make an access in it have made it in some iteration.
        let mut made: Vec<_> = std::mem::take(&mut self.made).into_iter().collect();
        made.sort_unstable_by_key(|&(key, _)| key);
        for ((site, place), measured) in made {
            let [Prediction { root: Some(root), active: LaneSet::Fixed(mask), .. }] =
                &self.predictions[site.0 as usize][..]
            else {
                continue;
            };
            let predicted = mask & self.working.get(&(*root, place)).copied().unwrap_or(0);
            let outcome = &mut self.sites[site.0 as usize];
            if measured & predicted != predicted && !self.is_outside_assumption {
                outcome.tally.wrong += 1;
                outcome.tally.lanes_differing += 1;
                if outcome.differences.len() < MAX_EXAMPLES {
                    let difference = Difference::Active { predicted, measured };
                    outcome.differences.push(Example { active: measured, first_address: 0, difference });
                }
            }
        }
        Summary { sites: self.sites, branches: self.branches.into_outcomes() }
    }
}

/// The loop handed out to threads that an access is in, by its place in the region's list.
fn root_loop(region: &Region, access: &Access) -> Option<u32> {
    let find = |id: &str| region.loops.iter().position(|each| each.id == id);
    let mut at = find(access.in_loop.as_deref()?);
    // No chain is longer than the list.
    for _ in 0..region.loops.len() {
        let index = at?;
        if matches!(region.loops[index].kind, LoopKind::DistributeParallelFor | LoopKind::For) {
            return u32::try_from(index).ok();
        }
        at = find(region.loops[index].parent.as_deref()?);
    }
    None
}

/// The most iterations of any loop of a region that is handed out; none where that is not known.
fn iterations(region: &Region, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<u64> {
    let shared = region.loops.iter().filter(|each| each.kind != LoopKind::Sequential);
    let value = |name: &str| symbols(name).or_else(|| launch_value(setting, name));
    let count = |text: Option<&String>| Expression::read(text?).ok()?.value(&value)?.to_u64();
    shared.map(|each| count(each.trips.value.as_ref())).try_fold(0, |most, count| Some(most.max(count?)))
}

const NOT_CHECKED: (Verdict, CountVerdict, LanesVerdict) =
    (Verdict::NotChecked, CountVerdict::NotChecked, LanesVerdict::NotChecked);

/// The order in which one of several verdicts is taken: an entry that cannot be checked may be the right one, so it comes before
/// one that differs.
fn rank(stride: Verdict, counts: CountVerdict, made_by: LanesVerdict) -> u32 {
    let others_differ =
        matches!(counts, CountVerdict::Differs { .. }) || matches!(made_by, LanesVerdict::Differs { .. });
    match stride {
        Verdict::Agrees if !others_differ => 0,
        Verdict::AgreesInForm if !others_differ => 1,
        Verdict::NotChecked if !others_differ => 2,
        Verdict::Differs { .. } => 4,
        _ => 3,
    }
}
