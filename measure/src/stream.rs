//! Bandwidth: of the memory by how many threads read it, of the caches by one thread.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use crate::pages::{Buffer, Pages};
use crate::samples::{Samples, seconds};

/// Bytes per second that `threads` threads get together when each reads its own `bytes` from end to end.
pub fn read(threads: usize, bytes: usize, samples: usize) -> Samples {
    let started = Barrier::new(threads);
    let ended = Barrier::new(threads);
    let run = || {
        // Made by the thread that reads it, so that it lies where that thread runs.
        let buffer = Buffer::new(bytes, Pages::Huge);
        let mut rates = Vec::with_capacity(samples);
        // The first time is left out: pages that were never read may all be one.
        for _ in 0..=samples {
            started.wait();
            let start = Instant::now();
            black_box(sum_of(black_box(buffer.words())));
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

/// Bytes per second that one thread gets when it reads the same `bytes` again and again.
pub fn read_again(bytes: usize, samples: usize) -> Samples {
    let buffer = Buffer::new(bytes, Pages::Huge);
    let times = (BYTES_OF_SAMPLE / bytes.max(1)).max(1);
    let read = || {
        for _ in 0..times {
            black_box(sum_of(black_box(buffer.words())));
        }
    };
    // The first time brings the buffer to where it fits.
    read();
    Samples::take(samples, || (times * bytes) as f64 / seconds(read))
}

/// What a sample of a cache's bandwidth reads at least, so that it takes far longer than a look at the clock.
const BYTES_OF_SAMPLE: usize = 16 << 20;

#[inline(always)]
fn plain_sum(words: &[u64]) -> u64 {
    words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// With the widest vectors that the processor has of those that can be asked for here: a cache gives more than narrow ones can take.
fn sum_of(words: &[u64]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn wide_sum(words: &[u64]) -> u64 {
            plain_sum(words)
        }
        // SAFETY: the processor has these vectors.
        return unsafe { wide_sum(words) };
    }
    plain_sum(words)
}
