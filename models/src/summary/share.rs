//! The launch of a phase, and what its threads get.

use super::average::Point;
use super::gpu_work::Phase;
use super::{Bound, Handout};
use crate::error::ModelError;
use crate::gpu::geometry::{
    DistSchedule, Environment, ExecutionMode, Launch, Request, RuntimeDevice, Schedule, Share, launch, share,
};
use crate::report::LoopKind;

impl Bound<'_> {
    pub(super) fn launch(&self, device: &RuntimeDevice, has_teams: bool, trips: f64) -> Result<Launch, ModelError> {
        let clauses = &self.summary.clauses;
        let clause = |p: &Option<ipda_symbolic::Polynomial>| {
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
    pub(super) fn workers(&self, device: &RuntimeDevice, launch: Launch) -> u64 {
        match self.summary.mode {
            ExecutionMode::Generic if launch.threads > device.lanes => launch.threads - device.lanes,
            ExecutionMode::Generic | ExecutionMode::Spmd | ExecutionMode::GenericSpmd => launch.threads,
        }
    }

    /// What threads get, and how far neighbours are apart.
    pub(super) fn shares(
        &self,
        phase: &Phase,
        parallel: &[(usize, f64)],
        launch: Launch,
        workers: u64,
        is_nested: bool,
    ) -> Result<(Share, f64), ModelError> {
        let length =
            |p: &ipda_symbolic::Polynomial| self.at(p, &Point::new()).map_or(1.0, |value| value.get()).max(1.0);
        let is_for = self.summary.loops[phase.of].kind == LoopKind::For;
        let own =
            if is_nested { parallel[parallel.len() - 1].1 } else { parallel.iter().map(|(_, trips)| trips).product() };
        let own = own as u64;
        let (schedule, step) = match &self.summary.loops[phase.of].schedule {
            Handout::Default => (Schedule::InTurn, 1.0),
            // The pieces of a block follow each other in time, threads are a block apart.
            Handout::Block if is_for => {
                let block = own.div_ceil(workers.max(1)).max(1);
                (Schedule::Chunked(block), block as f64)
            }
            Handout::Block => (Schedule::InTurn, 1.0),
            Handout::InTurn(chunk) => (Schedule::Chunked(length(chunk) as u64), length(chunk)),
            Handout::Dynamic(chunk) => (Schedule::Dynamic(length(chunk) as u64), length(chunk)),
            Handout::Guided => {
                self.note("chunks of a guided schedule are taken as if they were dynamic ones of length 1");
                (Schedule::Dynamic(1), 1.0)
            }
            Handout::Other(text) => {
                self.note(format!("the schedule ({text}) is taken as the default one"));
                (Schedule::InTurn, 1.0)
            }
        };
        let team = Launch { teams: launch.teams, threads: workers };
        if !is_nested {
            let dist = if is_for { DistSchedule::Even } else { DistSchedule::TeamByTeam };
            return Ok((share(own, team, dist, schedule)?, step));
        }
        let outer: f64 = parallel[..parallel.len() - 1].iter().map(|(_, trips)| trips).product();
        let rounds = (outer as u64).div_ceil(launch.teams.max(1));
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
