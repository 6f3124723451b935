//! What it takes to make a thread.

use std::sync::Barrier;
use std::time::Instant;

use crate::samples::Samples;

/// Threads of a sample, as many as a large machine's runtime makes at a time.
pub const MADE: usize = 32;

/// Seconds for a thread when one makes [`MADE`] of them, until the last has begun.
pub fn seconds_to_make(samples: usize) -> Samples {
    Samples::take(samples, || {
        let begun = Barrier::new(MADE + 1);
        std::thread::scope(|scope| {
            let start = Instant::now();
            for _ in 0..MADE {
                scope.spawn(|| begun.wait());
            }
            begun.wait();
            start.elapsed().as_secs_f64() / MADE as f64
        })
    })
}
