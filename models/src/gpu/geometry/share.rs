//! Which iterations a thread of a `distribute parallel for` gets.

use super::launch::Launch;
use crate::error::{ModelError, some};
use crate::form::Num;

/// How teams share the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistSchedule {
    /// As clang does it for a combined construct without the clause: chunks as long as a team has threads, in turn.
    TeamByTeam,
    /// `dist_schedule(static, n)`: chunks of n, in turn.
    Chunked(u64),
    /// One part for each team, of the same length: `distribute` outside of a combined construct.
    Even,
}

/// How the threads of a team share a chunk of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// As clang does it without the clause: iterations in turn.
    InTurn,
    /// `schedule(static, n)`: chunks of n, in turn.
    Chunked(u64),
    /// `schedule(dynamic, n)`: chunks of n, to whoever is free. The share is that of threads which are equally fast.
    Dynamic(u64),
}

/// What threads get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The most iterations of one thread: OMP_Rep.
    pub omp_rep: u64,
    /// The most threads of a team that get iterations at all.
    pub busy_threads: u64,
    /// How often the busiest thread asks the runtime for a chunk, under a dynamic schedule.
    pub requests: u64,
}

/// What the busiest thread gets of `trips` iterations.
///
/// # Errors
/// If there are no teams, no threads, or chunks without iterations.
pub fn share(trips: u64, launch: Launch, dist: DistSchedule, schedule: Schedule) -> Result<Share, ModelError> {
    let teams = some("teams", launch.teams)?;
    let threads = some("threads", launch.threads)?;
    if trips == 0 {
        return Ok(Share { omp_rep: 0, busy_threads: 0, requests: 0 });
    }
    let chunk = match dist {
        DistSchedule::TeamByTeam => threads,
        DistSchedule::Chunked(length) => some("dist_schedule", length)?,
        DistSchedule::Even => trips.div_ceil(teams),
    };
    let (length, asks) = match schedule {
        Schedule::InTurn => (1, false),
        Schedule::Chunked(length) => (some("schedule", length)?, false),
        Schedule::Dynamic(length) => (some("schedule", length)?, true),
    };
    // The first thread of the first team has the most: whatever comes in turn comes to it first.
    let chunks = trips.div_ceil(chunk);
    let chunks_of_team = chunks.div_ceil(teams);
    let last = trips - (chunks - 1) * chunk;
    let whole = chunk.min(trips);
    let of_last = if (chunks - 1).is_multiple_of(teams) { last } else { whole };
    let omp_rep =
        (chunks_of_team - 1) * of_first_thread(whole, length, threads) + of_first_thread(of_last, length, threads);
    let pieces = whole.div_ceil(length);
    Ok(Share {
        omp_rep,
        busy_threads: pieces.min(threads),
        // One request for each piece and one that finds nothing left.
        requests: if asks { chunks_of_team.saturating_mul(pieces.div_ceil(threads).saturating_add(1)) } else { 0 },
    })
}

/// The iterations that the first of `threads` does of so many, in pieces of `length` in turn.
fn of_first_thread(iterations: u64, length: u64, threads: u64) -> u64 {
    let pieces = iterations.div_ceil(length);
    let of_first = pieces.div_ceil(threads);
    if (pieces - 1).is_multiple_of(threads) {
        // The last piece is its own, and as long as what is left.
        (of_first - 1) * length + (iterations - (pieces - 1) * length)
    } else {
        of_first * length
    }
}

/// How a team's threads share its iterations, in numbers that may be known later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Pieces {
    /// Iterations in turn.
    InTurn,
    /// Pieces of that length in turn.
    Chunked(Num),
    /// Pieces of that length to whoever is free.
    Dynamic(Num),
}

/// What the busiest thread gets, in numbers that may be known later.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared {
    pub(crate) omp_rep: Num,
    /// Of these, the ones of one chunk of its team, which lie side by side with its neighbours'; 1 where a chunk is one for each thread.
    pub(crate) of_chunk: Num,
    pub(crate) busy_threads: Num,
    pub(crate) requests: Num,
}

/// Teams and threads that share a loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Teams {
    /// The teams, or more where they are no fewer than it takes for an iteration for each thread.
    pub(crate) max_teams: Num,
    pub(crate) threads: Num,
}

/// [`share`] for chunks of a length that is not the number of a team's threads, in as few steps.
pub(crate) fn share_of_chunks(trips: Num, teams: Teams, chunk: Num, pieces: Pieces) -> Shared {
    let whole = chunk.min(trips);
    let of_chunk = share_of_busiest(whole, Teams { max_teams: Num::ONE, ..teams }, Some(whole), pieces);
    let rounds = trips.div_ceil(chunk).div_ceil(teams.max_teams);
    Shared {
        omp_rep: of_chunk.omp_rep * rounds,
        of_chunk: of_chunk.omp_rep,
        requests: of_chunk.requests * rounds,
        ..of_chunk
    }
}

/// [`share`] in few steps: all chunks are as long as the first one. `chunk` is what a team gets at a time; none if that is an iteration
/// for each of its threads.
pub(crate) fn share_of_busiest(trips: Num, teams: Teams, chunk: Option<Num>, pieces: Pieces) -> Shared {
    let Teams { max_teams, threads } = teams;
    let of_team = chunk.unwrap_or(threads).min(trips);
    let (length, asks) = match pieces {
        Pieces::InTurn => {
            let busy_threads = chunk.map_or(of_team, |_| of_team.min(threads)).max(1.0);
            let omp_rep = trips.div_ceil(threads).div_ceil(max_teams);
            return Shared { omp_rep, of_chunk: Num::ONE, busy_threads, requests: Num::ZERO };
        }
        Pieces::Chunked(length) => (length.max(1.0), Num::ZERO),
        Pieces::Dynamic(length) => (length.max(1.0), Num::ONE),
    };
    let chunks = trips.div_ceil(chunk.unwrap_or(threads).max(1.0)).div_ceil(max_teams);
    let pieces = of_team.div_ceil(length);
    let rounds = pieces.div_ceil(threads);
    Shared {
        omp_rep: chunks * (length * rounds).min(of_team),
        of_chunk: Num::ONE,
        busy_threads: pieces.min(threads).max(1.0),
        requests: asks * chunks * (rounds + 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_shared_as_counting_says() {
        for (trips, teams, threads, chunk) in [
            (512, 16, 32, 128),
            (40, 2, 32, 128),
            (128, 4, 32, 128),
            (1280, 3, 32, 128),
            (960, 7, 64, 96),
            (600, 4, 64, 30),
        ] {
            let launch = Launch { teams, threads };
            let counted = share(trips, launch, DistSchedule::Chunked(chunk), Schedule::InTurn).expect("a loop");
            let at = Teams { max_teams: teams.into(), threads: threads.into() };
            let found = share_of_chunks(trips.into(), at, chunk.into(), Pieces::InTurn);
            let found = [found.omp_rep, found.busy_threads].map(|number| number.get() as u64);
            assert_eq!(found, [counted.omp_rep, counted.busy_threads], "{trips} in {teams} of {threads} by {chunk}");
        }
    }
}
