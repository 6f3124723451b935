//! Joins what a report says of branches with the ways that the lanes of warps went.

use super::active::LaneSet;
use super::by_place::{Setting, WarpPlace};
use crate::program::{BranchSite, Ways};
use ipda_models::report::{Lanes, Location, LoopKind, Region};
use rustc_hash::FxHashMap;
use std::fmt;

/// The report's name for what it leaves alone of functions that call themselves.
const RECURSION: &str = "Recursion";

/// What a report says of a branch.
#[derive(Debug)]
struct Entry {
    text: String,
    lanes: LaneSet,
}

/// What came of the branches at one place of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchOutcome {
    /// The place.
    pub location: Location,
    /// Warps at a branch of which the report says which lanes go which way.
    pub checked: u64,
    /// The first that went otherwise.
    pub wrong: Option<BranchExample>,
    /// How many did.
    pub differing: u64,
}

/// A warp whose lanes did not go as predicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchExample {
    /// What the report says.
    pub predicted: String,
    /// The warp.
    pub place: WarpPlace,
    /// The lanes that were there.
    pub active: u64,
    /// Those that went the first way.
    pub taken: u64,
}

impl fmt::Display for BranchExample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "of the lanes {:#x} of warp {} of team {}, {:#x} go one way, predicted is: {}",
            self.active, self.place.warp, self.place.team, self.taken, self.predicted
        )
    }
}

/// Judges the branches of one run.
#[derive(Debug, Default)]
pub(super) struct Branches {
    /// By place, and by whether the branch ends a loop.
    entries: FxHashMap<(Location, bool), usize>,
    predicted: Vec<Vec<Entry>>,
    outcomes: Vec<BranchOutcome>,
}

impl Branches {
    pub(super) fn add(&mut self, region: &Region, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) {
        // Of a function that calls itself, the report has the first call alone.
        let is_recursive = region.rejects.iter().any(|reject| reject.name == RECURSION);
        // Where iterations are handed out clang makes branches of its own.
        let handed_out = region.loops.iter().filter(|each| each.kind != LoopKind::Sequential);
        let made: Vec<&Location> = handed_out.filter_map(|each| each.location.as_ref()).collect();
        for branch in &region.branches {
            let Some(location) = branch.location.as_ref().filter(|location| !made.contains(location)) else { continue };
            let next = self.outcomes.len();
            let index = *self.entries.entry((location.clone(), branch.ends_loop)).or_insert(next);
            if index == next {
                let location = location.clone();
                self.outcomes.push(BranchOutcome { location, checked: 0, wrong: None, differing: 0 });
                self.predicted.push(Vec::new());
            }
            // The report's condition may be that of several branches, which run one after the other at places of their own.
            let is_open = is_recursive || branch.is_joined;
            let lanes = if is_open { LaneSet::Open } else { LaneSet::of(&branch.lanes, setting, symbols) };
            self.predicted[index].push(Entry { text: text(&branch.lanes), lanes });
        }
    }

    /// A warp at a branch at a place. Several branches can stand at one place: one of their entries must fit.
    pub(super) fn observe(&mut self, site: &BranchSite, place: WarpPlace, active: u64, taken: u64) {
        let Some(location) = site.place.first() else { return };
        let Some(&index) = self.entries.get(&(location.clone(), site.ends_loop)) else { return };
        if active.count_ones() < 2 {
            return;
        }
        let is_divergent = taken != 0 && taken != active;
        let fits = |entry: &Entry| match &entry.lanes {
            LaneSet::Together => Some(!is_divergent),
            // The report's condition may be that of the other way.
            lanes if site.ways == Ways::Two => {
                let masks = lanes.masks(place)?;
                Some(masks.iter().any(|mask| taken == mask & active || taken == active & !mask))
            }
            _ => None,
        };
        let fitting: Vec<Option<bool>> = self.predicted[index].iter().map(fits).collect();
        if fitting.contains(&None) {
            return;
        }
        let outcome = &mut self.outcomes[index];
        outcome.checked += 1;
        if !fitting.contains(&Some(true)) {
            outcome.differing += 1;
            let texts: Vec<&str> = self.predicted[index].iter().map(|entry| entry.text.as_str()).collect();
            let predicted = texts.join(" or ");
            outcome.wrong.get_or_insert(BranchExample { predicted, place, active, taken });
        }
    }

    pub(super) fn into_outcomes(self) -> Vec<BranchOutcome> {
        self.outcomes
    }
}

fn text(lanes: &Lanes) -> String {
    lanes.text().map_or_else(|| lanes.name().into(), |text| format!("{} {text}", lanes.name()))
}
