//! The launch of a phase, and what its threads get.

use ipda_symbolic::Polynomial;

use super::average::Point;
use super::gpu_work::{HandedOut, Phase};
use super::{Bound, Handout};
use crate::error::ModelError;
use crate::form::Num;
use crate::gpu::geometry::{
    DistSchedule, Environment, ExecutionMode, Launch, Pieces, Request, RuntimeDevice, Share, launch, share,
};
use crate::report::LoopKind;

impl Bound<'_> {
    pub(super) fn launch(&self, device: &RuntimeDevice, has_teams: bool, trips: f64) -> Result<Launch, ModelError> {
        let clauses = &self.summary.clauses;
        let clause = |p: &Option<Polynomial>| {
            p.as_ref().and_then(|p| self.at(p, &Point::new()).ok()).map(|value| value.get().max(0.0) as u64)
        };
        let limit = [clause(&clauses.thread_limit), clause(&clauses.num_threads)].into_iter().flatten().min();
        let request = Request {
            mode: self.summary.mode,
            num_teams: if has_teams { clause(&clauses.num_teams) } else { Some(1) },
            thread_limit: limit,
            trip_count: if has_teams { trips as u64 } else { 0 },
            kernel_max_threads: None,
            kernel_min_threads: None,
        };
        if has_teams && trips < 1.0 && request.num_teams.is_none() {
            // The runtime starts as many teams as the device has room for, and none finds anything to do.
            return Ok(Launch { teams: device.default_teams, threads: device.default_threads });
        }
        launch(device, &request, &Environment::default())
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

    /// What threads get, and how far neighbours are apart.
    pub(super) fn shares(
        &self,
        phase: &Phase,
        handed_out: &HandedOut,
        launch: Launch,
        workers: u64,
    ) -> Result<(Share, f64), ModelError> {
        let is_for = self.summary.loops[phase.of].kind == LoopKind::For;
        let own = handed_out.of_threads.get() as u64;
        let (pieces, step) = self.pieces_of_threads(phase.of, own.into(), workers.max(1).into());
        let (schedule, step) = (pieces.now(), step.get());
        let team = Launch { teams: launch.teams, threads: workers };
        if !handed_out.is_nested {
            let dist = if is_for { DistSchedule::Even } else { DistSchedule::TeamByTeam };
            return Ok((share(own, team, dist, schedule)?, step));
        }
        let rounds = (handed_out.of_teams.get() as u64).div_ceil(launch.teams.max(1));
        let of_round = share(own, Launch { teams: 1, threads: workers }, DistSchedule::Even, schedule)?;
        Ok((
            Share {
                omp_rep: of_round.omp_rep.saturating_mul(rounds),
                busy_threads: of_round.busy_threads,
                requests: of_round.requests.saturating_mul(rounds),
            },
            step,
        ))
    }
}
