//! Results kept for reuse while header phis and trip counts have stand-ins: each is remembered with the stand-ins that it rests on, and forgotten
//! with the first of them that goes. What rests on an outer stand-in alone outlives the inner ones, so that nested recurrences
//! do not multiply the work.

use rustc_hash::FxHashMap;
use std::hash::Hash;

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

    /// The one at a place of the stack.
    pub(super) fn at(place: u32) -> StandIns {
        StandIns(1 << place)
    }

    pub(super) fn without(self, other: StandIns) -> StandIns {
        StandIns(self.0 & !other.0)
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

    /// Forgets what rests on a stand-in that goes.
    pub(super) fn forget(&mut self, gone: StandIns) {
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
