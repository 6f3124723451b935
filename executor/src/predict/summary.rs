//! What comes of comparing: numbers for each place, and examples of what is not as predicted.

use super::SiteKey;
use super::branches::BranchOutcome;
use super::verdict::{Bound, Unit};
use ipda_models::report::StrideKind;
use rustc_hash::FxHashMap;
use std::fmt;

/// The number of a site of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JoinedSite(pub u32);

/// Examples of differences that are kept for each site.
pub(super) const MAX_EXAMPLES: usize = 3;

/// Numbers of warp accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All.
    pub warp_accesses: u64,
    /// Those of which each lane is where it should be.
    pub agreeing: u64,
    /// Those whose lanes are equally far apart, where no more is predicted.
    pub agreeing_in_form: u64,
    /// Those with a lane elsewhere.
    pub differing: u64,
    /// Those with nothing to compare.
    pub not_checked: u64,
    /// Those that differ in a run that the report does not speak of: with a part of a warp in each team.
    pub outside_assumption: u64,
    /// Those whose sectors and lines are as many as the report says.
    pub counts_agreeing: u64,
    /// Those with another number of sectors or lines.
    pub counts_differing: u64,
    /// Groups of accesses whose sectors and lines together are as many as the report says, by warp and time.
    pub groups_agreeing: u64,
    /// Those with another number.
    pub groups_differing: u64,
    /// Those made by the lanes that the report says.
    pub lanes_agreeing: u64,
    /// Those made by others.
    pub lanes_differing: u64,
    /// Those of which something was compared, and everything was as predicted.
    pub right: u64,
    /// Those of which something was not.
    pub wrong: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.warp_accesses += other.warp_accesses;
        self.agreeing += other.agreeing;
        self.agreeing_in_form += other.agreeing_in_form;
        self.differing += other.differing;
        self.not_checked += other.not_checked;
        self.outside_assumption += other.outside_assumption;
        self.counts_agreeing += other.counts_agreeing;
        self.counts_differing += other.counts_differing;
        self.groups_agreeing += other.groups_agreeing;
        self.groups_differing += other.groups_differing;
        self.lanes_agreeing += other.lanes_agreeing;
        self.lanes_differing += other.lanes_differing;
        self.right += other.right;
        self.wrong += other.wrong;
    }
}

/// A warp access that is not as predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// The active lanes, a bit each.
    pub active: u64,
    /// The address of the first of them.
    pub first_address: u64,
    /// What differs.
    pub difference: Difference,
}

/// What is not as predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A lane's distance from the first active lane in bytes.
    Lane {
        /// The lane.
        lane: u32,
        /// None where only equal distances are predicted.
        predicted: Option<i64>,
        /// The real distance.
        measured: i64,
    },
    /// The number of sectors, lines or passes.
    Count {
        /// What is counted.
        unit: Unit,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The number of sectors or lines of all accesses of the group that ends here.
    Group {
        /// What is counted.
        unit: Unit,
        /// What the report says.
        predicted: Bound,
        /// What was touched.
        measured: u64,
    },
    /// The lanes that make the access, a bit each.
    Active {
        /// Of the lanes that came, those that the report says.
        predicted: u64,
        /// Those that did.
        measured: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Lane { lane, predicted: Some(predicted), measured } => {
                write!(f, "lane {lane} is {measured} bytes from the first active lane, predicted are {predicted}")
            }
            Difference::Lane { lane, predicted: None, measured } => write!(
                f,
                "lane {lane} is {measured} bytes from the first active lane, which does not fit equal distances"
            ),
            Difference::Count { unit, predicted, measured } => {
                let verb = if matches!(unit, Unit::Pieces(_)) { "touches" } else { "needs" };
                write!(f, "the warp {verb} {measured} {unit}, predicted are {predicted}")
            }
            Difference::Group { unit, predicted, measured } => {
                write!(
                    f,
                    "the warp touches {measured} {unit} with all accesses of the group, predicted are {predicted}"
                )
            }
            Difference::Active { predicted, measured } => {
                write!(f, "lanes {measured:#x} make the access, predicted are {predicted:#x}")
            }
        }
    }
}

/// What came of one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteOutcome {
    /// The site.
    pub key: SiteKey,
    /// The report's accesses that it may be, with their kinds of stride; none where the report has no entry for it.
    pub entries: Vec<(String, StrideKind)>,
    /// How many different things they predict.
    pub predictions: u32,
    /// The warp accesses.
    pub tally: Tally,
    /// The first few that differ.
    pub differences: Vec<Example>,
}

/// What came of one run, or of several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// In the order of the report, then those that it has no entry for.
    pub sites: Vec<SiteOutcome>,
    /// Branches that the report has.
    pub branches: Vec<BranchOutcome>,
}

impl Summary {
    /// Adds what came of another run; sites of the same key are one, which happens where a kernel runs more than once.
    pub fn merge(&mut self, other: Summary) {
        let known: FxHashMap<SiteKey, usize> =
            self.sites.iter().enumerate().map(|(index, site)| (site.key.clone(), index)).collect();
        for site in other.sites {
            let Some(&index) = known.get(&site.key) else {
                self.sites.push(site);
                continue;
            };
            let here = &mut self.sites[index];
            here.tally += site.tally;
            here.predictions = here.predictions.max(site.predictions);
            let room = MAX_EXAMPLES.saturating_sub(here.differences.len());
            here.differences.extend(site.differences.into_iter().take(room));
        }
        for branch in other.branches {
            match self.branches.iter_mut().find(|known| known.location == branch.location) {
                Some(known) => {
                    known.checked += branch.checked;
                    known.differing += branch.differing;
                    known.wrong = known.wrong.take().or(branch.wrong);
                }
                None => self.branches.push(branch),
            }
        }
    }

    /// Warps at branches of which the report says which lanes go which way, and how many of them went otherwise.
    pub fn branches_checked(&self) -> (u64, u64) {
        self.branches.iter().fold((0, 0), |(all, wrong), each| (all + each.checked, wrong + each.differing))
    }

    /// The numbers of all sites together.
    pub fn tally(&self) -> Tally {
        let mut sum = Tally::default();
        for site in &self.sites {
            sum += site.tally;
        }
        sum
    }

    /// How many accesses of the report have a stride of this kind.
    pub fn entries_of(&self, kind: StrideKind) -> usize {
        self.sites.iter().flat_map(|site| &site.entries).filter(|(_, each)| *each == kind).count()
    }

    /// Sites with something that is not as predicted.
    pub fn differing(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| !site.differences.is_empty())
    }

    /// Everything that is not as predicted, a sentence each.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let sites = self.differing().flat_map(|site| {
            site.differences.iter().map(move |example| format!("{}: {}", site.key, example.difference))
        });
        let branches = self.branches.iter().filter_map(|branch| {
            branch.wrong.as_ref().map(|example| format!("branch at {}: {example}", branch.location))
        });
        sites.chain(branches)
    }

    /// Sites that are several entries of the report, which predict different things.
    pub fn ambiguous(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| site.predictions > 1)
    }

    /// Sites that ran and of which the report says nothing.
    pub fn without_entry(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| site.entries.is_empty() && site.tally.warp_accesses > 0)
    }

    /// Entries of the report that no warp came to.
    pub fn never_executed(&self) -> impl Iterator<Item = &SiteOutcome> {
        self.sites.iter().filter(|site| !site.entries.is_empty() && site.tally.warp_accesses == 0)
    }
}
