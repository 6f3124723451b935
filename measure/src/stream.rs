//! Bandwidth of the memory by how many threads read it.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use crate::pages::{Buffer, Pages};
use crate::samples::Samples;

/// Bytes per second that `threads` threads get together when each reads its own `bytes` from end to end.
pub fn read(threads: usize, bytes: usize, samples: usize) -> Samples {
    let started = Barrier::new(threads);
    let ended = Barrier::new(threads);
    let run = || {
        // Made by the thread that reads it, so that it lies where that thread runs.
        let buffer = Buffer::new(bytes, Pages::Huge);
        let sum = |words: &[u64]| words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word));
        let mut rates = Vec::with_capacity(samples);
        // The first time is left out: pages that were never read may all be one.
        for _ in 0..=samples {
            started.wait();
            let start = Instant::now();
            black_box(sum(black_box(buffer.words())));
            // Together is done when the last one is.
            ended.wait();
            rates.push((threads * bytes) as f64 / start.elapsed().as_secs_f64());
        }
        rates.split_off(1)
    };
    let rates = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).next_back().unwrap_or_default()
    });
    Samples::of(rates)
}
