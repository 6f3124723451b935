//! Expressions in a lane's number and in the place of its warp, for every place that the warp may have.

use super::expression::Expression;
use crate::interpreter::Extent;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Places of a warp that are tried where a run does not say which one it has.
const MAX_CANDIDATES: u64 = 512;

/// A warp of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WarpPlace {
    /// The team.
    pub team: u32,
    /// The warp of the team.
    pub warp: u32,
}

/// What a run knows that holds for all of its warps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    pub teams: Extent,
    pub threads: Extent,
    /// Lanes of a warp.
    pub lanes: u32,
    /// The most iterations of any loop that is handed out to threads; none where that is not known.
    pub iterations: Option<u64>,
}

/// What a name in an expression means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Value(i128),
    Lane,
    WarpOfTeam,
    /// The warp among those of its row of the team.
    WarpOfRow,
    /// The team's number along an axis.
    Team(usize),
    /// The number of the warp's first thread along an axis.
    Thread(usize),
    /// The warp among those that share iterations: which one is not known.
    WarpNumber,
    /// The first lane's iteration: which one is not known.
    FirstIteration,
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The value of one of the engine's own names that is the same in all threads of a launch.
pub(super) fn launch_value(setting: &Setting, name: &str) -> Option<i128> {
    let (teams, threads) = (setting.teams, setting.threads);
    if name == "threads" {
        return Some(threads.count().into());
    }
    if name == "warps of row" {
        let [width, lanes] = [threads.0[0], setting.lanes];
        return width.is_multiple_of(lanes).then(|| (width / lanes).into());
    }
    let (base, axis) = name.split_once('.')?;
    let axis = AXES.iter().position(|&known| known == axis)?;
    match base {
        "blockDim" => Some(threads.0[axis].into()),
        "gridDim" => Some(teams.0[axis].into()),
        _ => None,
    }
}

impl Meaning {
    fn of(name: &str, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<Meaning> {
        match name {
            "lane number" => return Some(Meaning::Lane),
            "warp of team" => return Some(Meaning::WarpOfTeam),
            "warp of row" => return Some(Meaning::WarpOfRow),
            "warp number" => return Some(Meaning::WarpNumber),
            "first iteration" => return Some(Meaning::FirstIteration),
            _ => {}
        }
        if let Some(value) = symbols(name).or_else(|| launch_value(setting, name)) {
            return Some(Meaning::Value(value));
        }
        let (base, axis) = name.split_once('.')?;
        let axis = AXES.iter().position(|&known| known == axis)?;
        match base {
            "blockIdx" => Some(Meaning::Team(axis)),
            "threadIdx" => Some(Meaning::Thread(axis)),
            _ => None,
        }
    }
}

/// An expression that has a value for each lane, once it is known where the warp is.
#[derive(Debug, Clone)]
pub(super) struct ByPlace {
    text: String,
    expression: Rc<Expression>,
    meanings: Vec<(String, Meaning)>,
    setting: Setting,
    cache: RefCell<FxHashMap<Vec<i128>, Rc<Candidates>>>,
}

impl PartialEq for ByPlace {
    fn eq(&self, other: &ByPlace) -> bool {
        (&self.text, &self.meanings, self.setting) == (&other.text, &other.meanings, other.setting)
    }
}

impl Eq for ByPlace {}

/// The values that the lanes of a warp may have, one list for each place that it may be at.
#[derive(Debug)]
pub(super) struct Candidates {
    /// Modulo 2^64; none where the expression has no value in a lane.
    pub lanes: Vec<Vec<Option<u64>>>,
    /// Whether the warp is certainly at one of these places.
    pub is_all: bool,
}

impl ByPlace {
    /// None where the expression depends on what only memory or the loops around tell.
    pub(super) fn read(text: &str, setting: &Setting, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<ByPlace> {
        let expression = Expression::read(text).ok()?;
        let meaning = |name: String| Some((Meaning::of(&name, setting, symbols)?, name));
        let meanings: Option<Vec<_>> = expression.names()?.into_iter().map(meaning).collect();
        Some(ByPlace {
            text: text.into(),
            expression: Rc::new(expression),
            meanings: meanings?.into_iter().map(|(meaning, name)| (name, meaning)).collect(),
            setting: *setting,
            cache: RefCell::default(),
        })
    }

    /// The values in the lanes of a warp.
    pub(super) fn values(&self, place: WarpPlace) -> Rc<Candidates> {
        let reported: Vec<i128> =
            self.meanings.iter().map(|&(_, meaning)| self.reported(meaning, place).unwrap_or(0)).collect();
        if let Some(known) = self.cache.borrow().get(&reported) {
            return known.clone();
        }
        let found = Rc::new(self.search(&reported));
        self.cache.borrow_mut().insert(reported, found.clone());
        found
    }

    /// What a run shows of a warp.
    fn reported(&self, meaning: Meaning, place: WarpPlace) -> Option<i128> {
        let Setting { teams, threads, lanes, .. } = self.setting;
        Some(match meaning {
            Meaning::Value(value) => value,
            Meaning::WarpOfTeam => place.warp.into(),
            Meaning::WarpOfRow => (threads.position(place.warp * lanes)[0] / lanes).into(),
            Meaning::Team(axis) => teams.position(place.team)[axis].into(),
            Meaning::Thread(axis) => threads.position(place.warp * lanes)[axis].into(),
            Meaning::Lane | Meaning::WarpNumber | Meaning::FirstIteration => return None,
        })
    }

    /// How many values one of the numbers can have that a run does not say.
    fn extent(&self, meaning: Meaning) -> Option<u64> {
        let Setting { threads, lanes, iterations, .. } = self.setting;
        let warps = |threads: u64| threads.div_ceil(lanes.into());
        match meaning {
            Meaning::WarpNumber => Some(warps(iterations?).max(warps(threads.count().into())).max(1)),
            Meaning::FirstIteration => Some(iterations?.max(1)),
            _ => Some(1),
        }
    }

    fn search(&self, reported: &[i128]) -> Candidates {
        let is_open = |meaning: Meaning| matches!(meaning, Meaning::WarpNumber | Meaning::FirstIteration);
        let extents: Vec<Option<u64>> = self.meanings.iter().map(|&(_, meaning)| self.extent(meaning)).collect();
        let all = extents.iter().try_fold(1_u64, |all, extent| all.checked_mul((*extent)?));
        let is_all = all.is_some_and(|all| all <= MAX_CANDIDATES);
        let (mut lanes, mut seen) = (Vec::new(), FxHashSet::default());
        for number in 0..all.unwrap_or(MAX_CANDIDATES).min(MAX_CANDIDATES) {
            let mut rest = number;
            let mut values = reported.to_vec();
            for (value, (&(_, meaning), extent)) in values.iter_mut().zip(self.meanings.iter().zip(&extents)) {
                if is_open(meaning) {
                    let extent = extent.unwrap_or(MAX_CANDIDATES);
                    (*value, rest) = ((rest % extent).into(), rest / extent);
                }
            }
            let candidate: Vec<Option<u64>> = (0..self.setting.lanes).map(|lane| self.in_lane(&values, lane)).collect();
            if seen.insert(candidate.clone()) {
                lanes.push(candidate);
            }
        }
        Candidates { lanes, is_all }
    }

    fn in_lane(&self, values: &[i128], lane: u32) -> Option<u64> {
        self.expression.residue(&|name| {
            let index = self.meanings.iter().position(|(known, _)| known == name)?;
            Some(if self.meanings[index].1 == Meaning::Lane { lane.into() } else { values[index] })
        })
    }
}
