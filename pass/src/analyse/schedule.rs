//! Which thread runs which iteration: schedules, and how the iterations of a loop map to the lanes of a warp.

use super::Analysis;
use crate::ir::Value;
use crate::nest::{SharedLoop, strip_casts};
use crate::omp::{Schedule, Sharing};
use ipda_symbolic::TripCount;
use ipda_symbolic::{LaneMap, Polynomial};

/// How the device compilation hands out the iterations of a shared loop: what the host module cannot tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceSchedule {
    pub schedule: Schedule,
    /// The chunk size, where it is a number.
    pub chunk: Option<i64>,
}

impl Analysis<'_> {
    /// The device's own word on the schedules, if it speaks of the same loops.
    fn known_schedules(&self) -> Option<&[DeviceSchedule]> {
        self.setting.device_schedules.as_deref().filter(|all| all.len() == self.nest.shared.len())
    }

    /// The schedule on the device, as far as this module tells it.
    fn device_schedule(&self, shared: &SharedLoop) -> (Schedule, Option<i64>) {
        let position = self.nest.shared.iter().position(|other| other.call == shared.call).unwrap_or(0);
        if let Some(known) = self.known_schedules().and_then(|all| all.get(position)) {
            return (known.schedule, known.chunk);
        }
        // The host hands out blocks by default, the device single iterations.
        match (self.setting.is_host, shared.schedule) {
            (true, Schedule::Static) => (Schedule::StaticChunked, Some(1)),
            (_, schedule) => (schedule, shared.chunk.as_int()),
        }
    }

    pub(super) fn schedule_text(&mut self, shared: &SharedLoop) -> String {
        let (schedule, chunk) = self.device_schedule(shared);
        let chunk_text = match chunk {
            Some(number) => number.to_string(),
            None => {
                let chunk = self.chunk(shared);
                self.text(&chunk)
            }
        };
        match (shared.sharing, schedule) {
            (Sharing::Teams, Schedule::StaticChunked) => format!("static, chunk {chunk_text}, over teams"),
            (Sharing::Teams, _) => "static, one block for each team".into(),
            (_, Schedule::StaticChunked) if chunk == Some(1) => {
                "static, chunk 1: neighbouring threads take neighbouring iterations".into()
            }
            (_, Schedule::StaticChunked) => {
                format!("static, chunk {chunk_text}: neighbouring threads are {chunk_text} iterations apart")
            }
            (_, Schedule::Static) if self.team_chunk_is_threads(shared) => {
                "static, one block for each thread; within a team's chunk that is one iteration".into()
            }
            (_, Schedule::Static) => "static, one block of consecutive iterations for each thread".into(),
            (_, Schedule::Dynamic) => format!("dynamic, chunk {chunk_text}: threads take iterations as they get free"),
            (_, Schedule::Guided) => "guided: threads take shrinking chunks as they get free".into(),
            (_, Schedule::Runtime) => "runtime: chosen by OMP_SCHEDULE when the program runs".into(),
            (_, Schedule::Auto) => "auto: chosen by the implementation".into(),
        }
    }

    fn chunk(&mut self, shared: &SharedLoop) -> Polynomial {
        let block = self.cfg.id(shared.call.block()).unwrap_or(0);
        self.lowering.value_at(shared.chunk, block).value
    }

    /// How the iterations of a loop map to the lanes of a warp; or why that is not fixed.
    pub(super) fn lane_map(&mut self, shared: &SharedLoop) -> Result<LaneMap, String> {
        let iteration = self.lowering.iteration(shared.index).as_atom().expect("an iteration number is one atom");
        let lanes = self.short_team_chunk(shared).unwrap_or(self.setting.geometry.lanes);
        let (schedule, chunk) = self.device_schedule(shared);
        let (step, aligned) = match schedule {
            Schedule::StaticChunked => match chunk {
                Some(1) => (Polynomial::from(1), self.chunks_are_aligned(shared)),
                Some(chunk) => (Polynomial::from(chunk), false),
                None => (self.chunk(shared), false),
            },
            // A team's chunk has as many iterations as the team has threads.
            Schedule::Static if self.team_chunk_is_threads(shared) => {
                (Polynomial::from(1), self.chunks_are_aligned(shared))
            }
            Schedule::Static if shared.distributed_by.is_some() => {
                return Err(
                    "a team has a chunk of iterations of its own size, of which each thread gets a block".into()
                );
            }
            // The runtime gives some threads one iteration more than others, so no single step exists.
            Schedule::Static => return Err(self.block_sentence(shared)),
            Schedule::Dynamic | Schedule::Guided | Schedule::Runtime | Schedule::Auto => {
                let name = match schedule {
                    Schedule::Dynamic => "dynamic",
                    Schedule::Guided => "guided",
                    Schedule::Runtime => "runtime",
                    _ => "auto",
                };
                return Err(format!(
                    "with schedule({name}) it is decided while the program runs which thread gets which iteration"
                ));
            }
        };
        Ok(LaneMap { lanes, iteration, step, aligned })
    }

    /// The iterations that a team gets at a time, where they are fewer than a warp has lanes.
    pub(super) fn short_team_chunk(&self, shared: &SharedLoop) -> Option<u32> {
        if self.setting.is_host {
            return None;
        }
        let teams = &self.nest.shared[shared.distributed_by?];
        let chunk = teams.chunk.as_int().filter(|_| teams.schedule == Schedule::StaticChunked)?;
        u32::try_from(chunk).ok().filter(|&chunk| chunk > 0 && chunk < self.setting.geometry.lanes)
    }

    /// Whether a team's chunk of a distributed loop is as long as the team has threads, as it is without a `dist_schedule` clause.
    fn team_chunk_is_threads(&self, shared: &SharedLoop) -> bool {
        let Some(teams) = shared.distributed_by.map(|outer| &self.nest.shared[outer]) else { return false };
        if self.setting.is_host || !self.has_mode {
            // There, and on targets that are no GPU, the clause's absence shows as a schedule without chunks.
            return teams.schedule == Schedule::Static;
        }
        is_number_of_threads(teams.chunk)
    }

    /// Whether each warp starts at a multiple of its width: the loop starts at 0 and teams take multiples of it.
    fn chunks_are_aligned(&self, shared: &SharedLoop) -> bool {
        // A team of at most 48 threads may go on at iteration 48, in the middle of a warp's width.
        if self.most_threads.is_some_and(|most| most % self.setting.geometry.lanes != 0) {
            return false;
        }
        let Some(outer) = shared.distributed_by else { return true };
        let chunk = self.nest.shared[outer].chunk;
        match chunk.as_int() {
            // On the host the distribute part has no chunk: the device uses the number of threads.
            Some(_) if self.setting.is_host => true,
            Some(chunk) => chunk % i64::from(self.setting.geometry.lanes) == 0,
            None => is_number_of_threads(chunk),
        }
    }

    fn block_sentence(&mut self, shared: &SharedLoop) -> String {
        let blocks = match self.lowering.trip_count(shared.index) {
            TripCount::Exactly(count) | TripCount::Modulo(count) => format!("floor({} / threads)", self.text(&count)),
            TripCount::AtMost(_) | TripCount::Unknown(_) => "many".into(),
        };
        format!("each thread has a block of consecutive iterations, {blocks} or one more of them")
    }

    /// The assumptions about threads that the counts rest on.
    pub(super) fn mapping(&mut self) -> Vec<String> {
        let mut sentences = Vec::new();
        let lanes = self.setting.geometry.lanes;
        for shared in &self.nest.shared {
            if shared.sharing != Sharing::Threads {
                continue;
            }
            let name = self
                .variable(shared.index)
                .map_or_else(|| "the parallel loop".to_string(), |variable| format!("loop {}", variable.name));
            if let Some(chunk) = self.short_team_chunk(shared) {
                sentences.push(format!("{name}: a team has {chunk} iterations at a time: no more of its threads work"));
            }
            if let Ok(map) = self.lane_map(shared) {
                let step = self.text(&map.step);
                let apart = if step == "1" { "1 iteration".into() } else { format!("{step} iterations") };
                let start = if map.aligned {
                    format!(", a warp starting at a multiple of {lanes} (as teams of full warps do)")
                } else if shared.distributed_by.is_some() && step != "1" {
                    format!(
                        "; of a team with T threads, T / {step} get iterations: counts are for warps in which all do"
                    )
                } else {
                    String::new()
                };
                let sentence = format!("{name}: neighbouring threads of a warp are {apart} apart{start}");
                if !sentences.contains(&sentence) {
                    sentences.push(sentence);
                }
            }
        }
        if self.setting.is_host && !sentences.is_empty() && self.known_schedules().is_none() {
            sentences.push("the device's object is not at hand: its default schedule is assumed".into());
        }
        sentences
    }
}

/// Whether a chunk is what the device runtime says the team's threads are.
fn is_number_of_threads(chunk: Value) -> bool {
    strip_casts(chunk).callee().is_some_and(|callee| callee.name() == "__kmpc_get_hardware_num_threads_in_block")
}
