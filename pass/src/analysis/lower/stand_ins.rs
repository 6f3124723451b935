//! Computing something while a header phi or a trip count has a stand-in, and what rests on it.

use super::Lowering;
use super::limits::Limit;
use super::memo::StandIns;

/// How many stand-ins are in force at once: recurrences and trip counts that are looked at one inside the other.
const MAX_STAND_INS: u32 = 16;

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
        let place = StandIns::at(self.stand_ins);
        install(self, place);
        self.stand_ins += 1;
        let result = compute(self);
        self.stand_ins -= 1;
        // The caller takes the stand-in out of the result again; the outer ones still matter.
        self.rests_on = self.rests_on.without(place);
        self.cache.forget(place);
        self.exits.forget(place);
        self.trips.forget(place);
        self.facts.forget(place);
        self.path_conditions.forget(place);
        Some(result)
    }
}
