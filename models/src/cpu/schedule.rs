//! How a loop's iterations are split over the threads of a CPU.

use crate::error::{ModelError, some};
use crate::form::Num;

/// The loop's schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// One part for each thread, of the same length.
    Static,
    /// `schedule(static, n)`: chunks of n, in turn.
    Chunked(u64),
    /// `schedule(dynamic, n)`: chunks of n, to whoever is free.
    Dynamic(u64),
    /// `schedule(guided, n)`: chunks that get shorter, down to n.
    Guided(u64),
}

/// What the busiest thread gets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// Schedule_times: its chunks.
    pub schedule_times: f64,
    /// Chunk_size, on average.
    pub chunk_size: f64,
    /// Its iterations, which are at most `schedule_times * chunk_size`.
    pub iterations: f64,
}

impl Schedule {
    /// What the busiest of `threads` gets of `iterations`, if all threads are equally fast.
    ///
    /// # Errors
    /// If there are no threads, or chunks without iterations.
    pub fn split(self, iterations: u64, threads: u64) -> Result<Split, ModelError> {
        some("threads", threads)?;
        if let Schedule::Chunked(length) | Schedule::Dynamic(length) | Schedule::Guided(length) = self {
            some("chunk", length)?;
        }
        if iterations == 0 {
            return Ok(Split { schedule_times: 0.0, chunk_size: 0.0, iterations: 0.0 });
        }
        let (times, most) = self.later().split(iterations.into(), threads.into());
        let (schedule_times, iterations) = (times.get(), most.get());
        Ok(Split { schedule_times, chunk_size: iterations / schedule_times, iterations })
    }
}

/// A schedule whose lengths may be known later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ScheduleLater {
    Static,
    Chunked(Num),
    Dynamic(Num),
    Guided(Num),
}

impl Schedule {
    /// The same, in numbers that may be known later.
    pub(super) fn later(self) -> ScheduleLater {
        match self {
            Schedule::Static => ScheduleLater::Static,
            Schedule::Chunked(length) => ScheduleLater::Chunked(length.into()),
            Schedule::Dynamic(length) => ScheduleLater::Dynamic(length.into()),
            Schedule::Guided(length) => ScheduleLater::Guided(length.into()),
        }
    }
}

impl ScheduleLater {
    /// The schedule, where lengths are numbers.
    pub(crate) fn now(self) -> Schedule {
        match self {
            ScheduleLater::Static => Schedule::Static,
            ScheduleLater::Chunked(length) => Schedule::Chunked(length.get() as u64),
            ScheduleLater::Dynamic(length) => Schedule::Dynamic(length.get() as u64),
            ScheduleLater::Guided(length) => Schedule::Guided(length.get() as u64),
        }
    }

    /// Cycles to hand a loop out, of which a thread gets so many chunks.
    pub(crate) fn handing_out(self, chunks: Num, once: Num, of_chunk: Num) -> Num {
        match self {
            ScheduleLater::Static | ScheduleLater::Chunked(_) => once,
            ScheduleLater::Dynamic(_) | ScheduleLater::Guided(_) => of_chunk * chunks,
        }
    }

    /// Chunks and iterations of the busiest thread.
    pub(crate) fn split(self, iterations: Num, threads: Num) -> (Num, Num) {
        let even = iterations.div_ceil(threads);
        match self {
            ScheduleLater::Static => (Num::ONE, even),
            ScheduleLater::Chunked(length) | ScheduleLater::Dynamic(length) => {
                let length = length.max(1.0);
                let times = iterations.div_ceil(length).div_ceil(threads);
                (times, iterations.min(times * length))
            }
            // libomp takes 1 / (2 * threads) of what is left, until that is less than 2 * threads * (length + 1), and chunks of `length`
            // from there on (`kmp_sch_guided_iterative_chunked`). A thread's part of the first ones is its part of the logarithm to the
            // base 1 / (1 - 1 / (2 * threads)): near 2 - 1 / (2 * threads) natural ones.
            ScheduleLater::Guided(length) => {
                let length = length.max(1.0);
                let border = 2.0 * threads * (length + 1.0);
                let shrinking = (2.0 - 0.5 / threads) * logarithm(iterations / border);
                (shrinking + (iterations.min(border) / (length * threads)).ceil(), even)
            }
        }
    }
}

/// Points at which tangents to the logarithm are taken: powers of this.
const TANGENT_BASE: f64 = 4.0;
/// How many: up to 4^15.
const TANGENTS: u32 = 16;

/// Half of what the least tangent is above the logarithm at most.
const BETWEEN_TANGENTS: f64 = 0.117;

/// The natural logarithm, 0 below 1: the least of its tangents, moved so that it is as far above as below.
fn logarithm(number: Num) -> Num {
    let tangent = |power: u32| {
        let at = TANGENT_BASE.powi(power as i32);
        number / at + (at.ln() - 1.0 - BETWEEN_TANGENTS)
    };
    (1..TANGENTS).map(tangent).fold(tangent(0), Num::min).max(0.0)
}
