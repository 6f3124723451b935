//! A region's expressions, for those who predict in process: they need not read what the report prints.

use super::analysis::{Analysis, ReportedAccess, ReportedLoop};
use ipda_models::report::{self, Region};
use ipda_models::summary::{AccessExpressions, Clauses, Condition, Expressions, LoopExpressions, Names};
use ipda_symbolic::{Polynomial, Space};

impl Analysis<'_> {
    /// The expressions of all that was reported about the region, but for its maps and its finished code.
    pub(super) fn expressions(&self, region: &Region) -> Expressions {
        let mut all = Expressions::of(region);
        let space = &self.lowering.space;
        let names = all.names();
        let of_loop = |ReportedLoop { trips, at_most, halved, likely, chunk }: &ReportedLoop| LoopExpressions {
            trips: trips.clone().and_then(|trips| names.take(space, &trips)),
            at_most: at_most.as_ref().and_then(|most| names.take(space, most).ok()),
            halved: halved.as_ref().and_then(|halved| names.take(space, halved).ok()),
            likely: likely.as_ref().and_then(|likely| names.take(space, likely).ok()),
            chunk: chunk.as_ref().map(|chunk| names.take(space, chunk)),
        };
        let loops = self.reported.loops.iter().map(of_loop).collect();
        let mut accesses = Vec::new();
        for ReportedAccess { address, conditions, rising } in &self.reported.accesses {
            let conditions =
                conditions.iter().map(|(reported, value)| condition(names, space, reported, value.as_ref()));
            let conditions = conditions.collect();
            let rising = rising
                .iter()
                .filter_map(|(value, with)| Some((names.take(space, value).ok()?, names.take(space, with).ok()?)));
            let rising = rising.collect();
            accesses.push(AccessExpressions { conditions, rising, address: names.take(space, address) });
        }
        let mut clauses = self.reported.clauses.iter().map(|clause| names.take(space, clause.as_ref()?).ok());
        let mut next = || clauses.next().flatten();
        let clauses = Clauses { num_teams: next(), thread_limit: next(), num_threads: next() };
        (all.loops, all.accesses, all.clauses) = (loops, accesses, clauses);
        all
    }
}

fn condition(names: &mut Names, space: &Space, reported: &report::Condition, value: Option<&Polynomial>) -> Condition {
    match (reported, value.map(|value| names.take(space, value))) {
        (report::Condition::Holds { .. }, Some(Ok(value))) => Condition::Holds(value),
        (report::Condition::HoldsNot { .. }, Some(Ok(value))) => Condition::HoldsNot(value),
        _ => Condition::Unclear,
    }
}
