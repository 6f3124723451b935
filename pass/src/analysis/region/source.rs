//! A region's loops as the report has them, to be found again after optimisation.

use super::Analysis;
use crate::openmp::nest::SharedLoop;
use crate::openmp::{Schedule, Sharing};
use ipda_models::report::{LoopKind, Region};

/// Under which loops of the source carry their numbers.
pub(crate) const NUMBER_OF_LOOP: &str = "ipda.loop";

/// A loop as the report has it.
#[derive(Debug, Clone)]
pub(crate) struct SourceLoop {
    /// The number that it carries through the optimiser.
    pub mark: Option<u32>,
    /// Its place among the loops of the report, where it is one of them.
    pub number: Option<usize>,
    /// Its `id` in the report; that of the shared loop whose chunks it hands out, where the report has it not.
    pub id: Option<String>,
    pub role: Role,
    /// What expressions call its iteration number.
    pub index: Option<String>,
    /// How often it runs, where that is known.
    pub trips: Option<String>,
    /// The least constant by which one of its integers goes up or down.
    pub step: Option<i64>,
}

/// What a loop is to the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// All threads that come here run all iterations.
    Sequential,
    /// Its iterations are shared.
    Shared(LoopKind),
    /// Hands a team its part of a shared loop, as many iterations at a time as it has threads.
    TeamsPart,
    /// Runs over a thread's chunks, of so many iterations where that is fixed.
    Chunks(Option<i64>),
}

impl Analysis<'_> {
    /// The region's loops as the report has them, which `loops` has written to `result`, with those that it leaves out.
    pub(crate) fn source_loops(&self, result: &Region) -> Vec<SourceLoop> {
        let number_of = |index: usize| self.visible.get(&index).copied();
        let of_loop = |index: usize| {
            let mark = self.cfg.loops[index].number(self.cfg, NUMBER_OF_LOOP);
            let step = self.cfg.counter_steps(index).min();
            let number = number_of(index);
            if let Some(entry) = number.and_then(|number| result.loops.get(number)) {
                let role = match entry.kind {
                    LoopKind::Sequential => Role::Sequential,
                    kind => Role::Shared(kind),
                };
                let (index, trips) = (entry.index.clone(), entry.trips.value.clone());
                return SourceLoop { mark, number, id: Some(entry.id.clone()), role, index, trips, step };
            }
            let is_inside = |shared: usize| self.cfg.loop_chain(Some(shared)).any(|at| at == index);
            let handed_out = self.nest.shared.iter().find(|shared| shared.index != index && is_inside(shared.index));
            let id = handed_out.and_then(|shared| number_of(shared.index)).map(|number| format!("loop{number}"));
            let is_teams_part = self.nest.shared_at(index).is_some_and(|shared| shared.sharing == Sharing::Teams);
            let is_fixed = |shared: &&SharedLoop| shared.schedule == Schedule::StaticChunked;
            let size = handed_out.filter(is_fixed).and_then(|shared| shared.chunk.as_int()).filter(|&size| size > 0);
            let role = if is_teams_part { Role::TeamsPart } else { Role::Chunks(size) };
            SourceLoop { mark, number: None, id, role, index: None, trips: None, step }
        };
        (0..self.cfg.loops.len()).map(of_loop).collect()
    }
}
