//! What clauses and schedules say of teams and threads.

use ipda_symbolic::Polynomial;

use super::value::Point;
use super::{Bound, Handout};
use crate::form::Num;
use crate::gpu::geometry::{ExecutionMode, Pieces};
use crate::report::LoopKind;

impl Bound<'_> {
    /// What the clauses on teams, on a team's threads and on a parallel region's threads say: num_teams, thread_limit, num_threads.
    pub(crate) fn clauses(&self) -> [Option<Num>; 3] {
        let clauses = &self.summary.clauses;
        let value = |p: &Option<Polynomial>| p.as_ref().and_then(|p| self.at(p, &Point::new()).ok());
        [&clauses.num_teams, &clauses.thread_limit, &clauses.num_threads].map(|p| value(p).map(|value| value.max(0.0)))
    }

    /// The threads of a team that take iterations: in generic mode one warp only waits.
    pub(crate) fn workers(&self, lanes: Num, threads: Num) -> Num {
        match self.summary.mode {
            ExecutionMode::Generic => threads.more(lanes).choose(threads - lanes, threads),
            ExecutionMode::Spmd | ExecutionMode::GenericSpmd => threads,
        }
    }

    /// How `workers` share `own` iterations of a loop, and how far neighbours are apart.
    pub(crate) fn pieces_of_threads(&self, of: usize, own: Num, workers: Num) -> (Pieces, Num) {
        let length = |p: &Polynomial| self.at(p, &Point::new()).unwrap_or(Num::ONE).max(1.0);
        let shared = &self.summary.loops[of];
        match &shared.schedule {
            // The pieces of a block follow each other in time, threads are a block apart.
            Handout::Block if shared.kind == LoopKind::For => {
                let block = own.div_ceil(workers).max(1.0);
                (Pieces::Chunked(block), block)
            }
            Handout::Default | Handout::Block => (Pieces::InTurn, Num::ONE),
            Handout::InTurn(chunk) => (Pieces::Chunked(length(chunk)), length(chunk)),
            Handout::Dynamic(chunk) => (Pieces::Dynamic(length(chunk)), length(chunk)),
            Handout::Guided => {
                self.note("chunks of a guided schedule are taken as if they were dynamic ones of length 1");
                (Pieces::Dynamic(Num::ONE), Num::ONE)
            }
            Handout::Other(text) => {
                self.note(format!("the schedule ({text}) is taken as the default one"));
                (Pieces::InTurn, Num::ONE)
            }
        }
    }
}
