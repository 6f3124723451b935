//! Results kept for reuse while header phis and trip counts have stand-ins: each is remembered with the stand-ins that it rests on, and forgotten
//! with the first of them that goes. What rests on an outer stand-in alone outlives the inner ones, so that nested recurrences
//! do not multiply the work.

use super::Lowering;
use super::limits::Limit;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// How many stand-ins are in force at once: recurrences and trip counts that are looked at one inside the other.
const MAX_STAND_INS: u32 = 16;

/// Some of the stand-ins in force, by their places in the stack.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct StandIns(u32);

impl StandIns {
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn and(self, other: StandIns) -> StandIns {
        StandIns(self.0 | other.0)
    }

    fn contains(self, other: StandIns) -> bool {
        self.0 & other.0 != 0
    }
}

/// Results by what was asked.
#[derive(Clone)]
pub(super) struct Memo<K, V> {
    known: FxHashMap<K, (V, StandIns)>,
    // The keys of results that rest on a stand-in; some may be gone already.
    resting: Vec<K>,
}

impl<K: Hash + Eq + Copy, V: Clone> Memo<K, V> {
    pub(super) fn get(&self, key: K) -> Option<(V, StandIns)> {
        self.known.get(&key).cloned()
    }

    pub(super) fn insert(&mut self, key: K, value: V, rests_on: StandIns) {
        if !rests_on.is_empty() {
            self.resting.push(key);
        }
        self.known.insert(key, (value, rests_on));
    }

    pub(super) fn remove(&mut self, key: K) {
        self.known.remove(&key);
    }

    fn forget(&mut self, gone: StandIns) {
        let known = &mut self.known;
        self.resting.retain(|key| match known.get(key) {
            Some((_, rests_on)) if rests_on.contains(gone) => {
                known.remove(key);
                false
            }
            Some((_, rests_on)) => !rests_on.is_empty(),
            None => false,
        });
    }
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Memo<K, V> {
        Memo { known: FxHashMap::default(), resting: Vec::new() }
    }
}

impl Lowering<'_> {
    /// Computes something, and says on which stand-ins it rests.
    pub(super) fn tracked<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> (T, StandIns) {
        let outer = std::mem::take(&mut self.rests_on);
        let result = compute(self);
        let own = self.rests_on;
        self.rests_on = outer.and(own);
        (result, own)
    }

    /// What that which is being computed rests on so far.
    pub(super) fn resting(&self) -> StandIns {
        self.rests_on
    }

    /// Notes that what is being computed rests on these stand-ins too.
    pub(super) fn rest_on(&mut self, stand_ins: StandIns) {
        self.rests_on = self.rests_on.and(stand_ins);
    }

    /// Computes something while a stand-in, which `install` puts into one of the memos, is in force, and forgets what rests on it.
    /// None where too many are in force already.
    pub(super) fn with_stand_in<T>(
        &mut self,
        install: impl FnOnce(&mut Self, StandIns),
        compute: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        if self.stand_ins >= MAX_STAND_INS {
            self.met(Limit::NestedRecurrences);
            return None;
        }
        let place = StandIns(1 << self.stand_ins);
        install(self, place);
        self.stand_ins += 1;
        let result = compute(self);
        self.stand_ins -= 1;
        // The caller takes the stand-in out of the result again; the outer ones still matter.
        self.rests_on.0 &= !place.0;
        self.cache.forget(place);
        self.exits.forget(place);
        self.trips.forget(place);
        self.facts.forget(place);
        self.path_conditions.forget(place);
        Some(result)
    }
}
