//! A region's loops as the report has them, to be found again behind the optimiser.

use super::unrolled::least_step;
use super::{Role, SourceLoop, marks};
use crate::analyse::Analysis;
use crate::nest::SharedLoop;
use crate::omp::{Schedule, Sharing};
use ipda_models::report::{LoopKind, Region};

impl Analysis<'_> {
    /// The region's loops as the report has them, which `loops` has written to `result`, with those that it leaves out.
    pub(crate) fn source_loops(&self, result: &Region) -> Vec<SourceLoop> {
        let number_of = |index: usize| self.visible.get(&index).copied();
        let of_loop = |index: usize| {
            let mark = marks::of_loop(self.cfg, &self.cfg.loops[index], marks::SOURCE);
            let step = least_step(self.cfg, index);
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
