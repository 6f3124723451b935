//! Which thread runs which iteration: schedules, and how the iterations of a loop map to the lanes of a warp.

use super::analysis::{Analysis, DeviceSchedule};
use crate::openmp::nest::{SharedLoop, strip_casts};
use crate::openmp::{self, Schedule, Sharing};
use ipda_llvm::Value;
use ipda_models::report::{self, Mapping, WarpStart, Workers};
use ipda_symbolic::{Coeff, LaneMap, Polynomial, Start, TripCount};

impl Analysis<'_> {
    /// The device's own word on the schedules, if it speaks of the same loops.
    fn known_schedules(&self) -> Option<&[DeviceSchedule]> {
        self.setting.device_schedules.as_deref().filter(|all| all.len() == self.nest.shared.len())
    }

    /// The schedule on the device, as far as this module says it.
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

    /// How a shared loop's iterations are handed out.
    pub(super) fn schedule(&mut self, shared: &SharedLoop) -> report::Schedule {
        let (schedule, _) = self.device_schedule(shared);
        let over = match shared.sharing {
            Sharing::Teams => Workers::Teams,
            Sharing::Threads => Workers::Threads,
        };
        match (shared.sharing, schedule) {
            (_, Schedule::StaticChunked) => report::Schedule::StaticChunked { over, chunk: self.chunk_text(shared) },
            (Sharing::Teams, _) => report::Schedule::Static { over },
            (_, Schedule::Static) if self.team_chunk_is_threads(shared) => report::Schedule::StaticInTeam,
            (_, Schedule::Static) => report::Schedule::Static { over },
            (_, Schedule::Dynamic) => report::Schedule::Dynamic { chunk: self.chunk_text(shared) },
            (_, Schedule::Guided) => report::Schedule::Guided,
            (_, Schedule::Runtime) => report::Schedule::Runtime,
            (_, Schedule::Auto) => report::Schedule::Auto,
        }
    }

    fn chunk_text(&mut self, shared: &SharedLoop) -> String {
        let chunk = self.length_of_chunk(shared);
        self.text(&chunk)
    }

    /// The iterations of a chunk on the device.
    pub(super) fn length_of_chunk(&mut self, shared: &SharedLoop) -> Polynomial {
        self.device_schedule(shared).1.map_or_else(|| self.chunk(shared), Polynomial::from)
    }

    fn chunk(&mut self, shared: &SharedLoop) -> Polynomial {
        let block = self.cfg.id(shared.call.block()).unwrap_or(0);
        self.lowering.value_at(shared.chunk, block).value
    }

    /// How threads' numbers, and the iterations of the loop that threads share, go to the lanes of a warp; with the reason where the latter
    /// is not fixed.
    pub(super) fn lane_map(&mut self, shared: Option<&SharedLoop>) -> (LaneMap, Result<(), String>) {
        let mut map = LaneMap::new(&mut self.lowering.space, self.setting.geometry.lanes);
        let numbers = self.lowering.threads.numbers();
        if numbers.iter().any(Option::is_some) {
            let (extents, width) = (self.lowering.threads.extents, self.lowering.threads.width());
            map.move_thread_numbers(&mut self.lowering.space, numbers, extents, width);
        }
        if let Some(number) = self.lowering.threads.number_in_team() {
            map.move_thread_number(&mut self.lowering.space, number);
        }
        // Threads are numbered by whole warps, also where some lanes get no iterations.
        if let Some(working) = shared.and_then(|shared| self.working_lanes(shared)) {
            map.lanes = working;
        }
        let moved = shared.map_or(Ok(()), |shared| self.move_iterations(&mut map, shared));
        (map, moved)
    }

    fn move_iterations(&mut self, map: &mut LaneMap, shared: &SharedLoop) -> Result<(), String> {
        let iteration = self.lowering.iteration(shared.index).as_atom().expect("an iteration number is one atom");
        match self.share(shared)? {
            Share::Strided { step, start } => map.move_iterations(&mut self.lowering.space, iteration, &step, start),
            Share::Block { count } => {
                let threads = self.lowering.threads_of_loop();
                let block = self.cfg.id(shared.call.block()).unwrap_or(0);
                let facts = self.lowering.facts_at(block);
                map.move_blocks(&mut self.lowering.space, iteration, &count, &threads, &facts)
            }
        }
        .ok_or_else(|| "the step between lanes is too large an expression".to_string())
    }

    /// Which iterations of a loop neighbouring threads get; or why that is not fixed.
    fn share(&mut self, shared: &SharedLoop) -> Result<Share, String> {
        let (schedule, chunk) = self.device_schedule(shared);
        let one = Polynomial::from(1);
        Ok(match schedule {
            Schedule::StaticChunked => match chunk {
                Some(1) => Share::Strided { step: one, start: self.start_of_chunks(shared) },
                Some(chunk) => Share::Strided { step: Polynomial::from(chunk), start: Start::Anywhere },
                None => Share::Strided { step: self.chunk(shared), start: Start::Anywhere },
            },
            // A team's chunk has as many iterations as the team has threads.
            Schedule::Static if self.team_chunk_is_threads(shared) => {
                Share::Strided { step: one, start: self.start_of_chunks(shared) }
            }
            Schedule::Static if shared.distributed_by.is_some() => {
                // All but the last chunk are full; of the last one, as much as the team has.
                Share::Block { count: self.lowering.iterations_of_team() }
            }
            Schedule::Static => match self.lowering.trip_count(shared.index) {
                TripCount::Exactly(count) => Share::Block { count },
                _ => return Err("each thread has a block of consecutive iterations, of how many is not known".into()),
            },
            // LLVM's device runtime: lanes that ask at the same time get chunks in the order of their numbers.
            Schedule::Dynamic | Schedule::Guided if self.has_mode && !self.setting.is_host => Share::Strided {
                step: chunk.map_or_else(|| self.chunk(shared), |chunk| Polynomial::from(chunk.max(1))),
                start: Start::Anywhere,
            },
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
        })
    }

    /// The lanes of a warp that have iterations at a time, where they are fewer than it has: where a team's chunk is short, and where threads have one
    /// iteration each of a loop that has no more, or of a team that has no more threads.
    pub(super) fn working_lanes(&mut self, shared: &SharedLoop) -> Option<u32> {
        if self.setting.is_host {
            return None;
        }
        let has_one_each = match self.device_schedule(shared) {
            (Schedule::StaticChunked, chunk) => chunk == Some(1),
            (Schedule::Static, _) => self.team_chunk_is_threads(shared),
            _ => false,
        };
        let trips = match self.lowering.trip_count(shared.index) {
            TripCount::Exactly(count) => {
                count.as_constant().and_then(Coeff::to_i64).and_then(|count| u32::try_from(count).ok())
            }
            _ => None,
        };
        let of_all = [trips, self.max_threads].into_iter().flatten().filter(|&count| has_one_each && count > 1);
        let lanes = self.setting.geometry.lanes;
        of_all.filter(|&count| count < lanes).chain(self.short_team_chunk(shared)).min()
    }

    /// The iterations that a team gets at a time, where they are fewer than a warp has lanes.
    fn short_team_chunk(&self, shared: &SharedLoop) -> Option<u32> {
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

    fn start_of_chunks(&self, shared: &SharedLoop) -> Start {
        if self.chunks_are_aligned(shared) { Start::Aligned } else { Start::Anywhere }
    }

    /// Whether each warp starts at a multiple of its width: the loop starts at 0 and teams take multiples of it.
    fn chunks_are_aligned(&self, shared: &SharedLoop) -> bool {
        // A team of at most 48 threads may go on at iteration 48, in the middle of a warp's width.
        if self.max_threads.is_some_and(|most| most % self.setting.geometry.lanes != 0) {
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

    /// The assumptions about threads that the counts rest on.
    pub(super) fn mapping(&mut self) -> Vec<Mapping> {
        let mut all = Vec::new();
        for shared in &self.nest.shared {
            if shared.sharing != Sharing::Threads {
                continue;
            }
            let variable = self.variable(shared.index).map(|variable| variable.name);
            if let Some(iterations) = self.working_lanes(shared) {
                all.push(Mapping::ShortChunk { variable: variable.clone(), iterations });
            }
            let Ok(share) = self.share(shared) else { continue };
            let mapping = self.mapping_of(shared, &share, variable);
            if !all.contains(&mapping) {
                all.push(mapping);
            }
        }
        all.extend(self.assumes_wide_teams().then_some(Mapping::WideTeams));
        if self.setting.is_host && !all.is_empty() && self.known_schedules().is_none() {
            all.push(Mapping::DefaultSchedule);
        }
        all
    }
}

/// Which iterations of a loop neighbouring threads get.
enum Share {
    /// A fixed number apart.
    Strided { step: Polynomial, start: Start },
    /// One block of all of them each.
    Block { count: Polynomial },
}

impl Analysis<'_> {
    fn mapping_of(&self, shared: &SharedLoop, share: &Share, variable: Option<String>) -> Mapping {
        let (step, start) = match share {
            Share::Strided { step, start } => (step, *start),
            Share::Block { count } => return Mapping::Block { variable, iterations: self.text(count) },
        };
        let start = match self.device_schedule(shared).0 {
            Schedule::Dynamic | Schedule::Guided => WarpStart::AsAsked,
            _ if start == Start::Aligned => WarpStart::FullWarps,
            _ if shared.distributed_by.is_some() && !step.is_one() => WarpStart::PartOfTeam,
            _ => WarpStart::Anywhere,
        };
        Mapping::Apart { variable, iterations: self.text(step), start }
    }

    /// Whether something is taken of a team's shape: the code reads threads' numbers and the shape is not known.
    fn assumes_wide_teams(&self) -> bool {
        let [x, y, z] = self.lowering.threads.numbers();
        let extents = self.lowering.threads.extents;
        let has_one_row = extents[1..] == [Some(1), Some(1)] && self.lowering.threads.width().is_none();
        let is_known = extents[0].is_some() || has_one_row;
        !is_known && (x.is_some() || y.is_some() || z.is_some())
    }
}

/// Whether a chunk is what the device runtime says the team's threads are.
fn is_number_of_threads(chunk: Value) -> bool {
    strip_casts(chunk).calls(openmp::is_size_of_team)
}
