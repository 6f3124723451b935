//! Bandwidth: of the memory by how many threads use it, of the caches by one thread (McCalpin, "Memory Bandwidth and Machine Balance in Current High
//! Performance Computers", 1995).

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use crate::pages::{Buffer, Pages};
use crate::samples::{Samples, seconds};

/// What is done with every word of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// It is read.
    Read,
    /// It is changed in place: its line comes, and goes back later.
    Update,
}

impl Work {
    fn on(self, words: &mut [u64]) {
        match self {
            Work::Read => _ = black_box(sum_of(black_box(words))),
            Work::Update => raise(black_box(words)),
        }
    }
}

/// Bytes per second that `threads` threads get together when each goes through its own `bytes` from end to end, in the pages that programs
/// get: all bytes counted once.
pub fn together(work: Work, threads: usize, bytes: usize, samples: usize) -> Samples {
    let started = Barrier::new(threads);
    let ended = Barrier::new(threads);
    let run = || {
        // Made by the thread that uses it, so that it lies where that thread runs.
        let mut buffer = Buffer::new(bytes, Pages::Usual);
        let mut rates = Vec::with_capacity(samples);
        // The first time is left out: pages that were never read may all be one.
        for _ in 0..=samples {
            started.wait();
            let start = Instant::now();
            work.on(buffer.words_mut());
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

/// Bytes per second that one thread gets when it goes through the same `bytes` again and again, from so many words behind the begin of a line
/// on.
pub fn again(work: Work, bytes: usize, behind: usize, samples: usize) -> Samples {
    let mut buffer = Buffer::new(bytes + behind * size_of::<u64>(), Pages::Usual);
    let words = &mut buffer.words_mut()[behind..];
    let times = (BYTES_OF_SAMPLE / bytes.max(1)).max(1);
    let mut go = || (0..times).for_each(|_| work.on(words));
    // The first time brings the buffer to where it fits.
    go();
    Samples::take(samples, || (times * bytes) as f64 / seconds(&mut go))
}

/// What a sample of a cache's bandwidth goes through at least, so that it takes far longer than a look at the clock.
const BYTES_OF_SAMPLE: usize = 16 << 20;

/// Defines a function with the widest vectors that the processor has of those that can be asked for here: a cache gives more than narrow
/// ones can take.
macro_rules! with_wide_vectors {
    ($(#[$doc:meta])* fn $name:ident($words:ident: $type:ty) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        fn $name($words: $type) $(-> $result)? {
            #[inline(always)]
            fn plain($words: $type) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                #[target_feature(enable = "avx2")]
                fn wide($words: $type) $(-> $result)? {
                    plain($words)
                }
                // SAFETY: the processor has these vectors.
                return unsafe { wide($words) };
            }
            plain($words)
        }
    };
}

with_wide_vectors! {
    fn sum_of(words: &[u64]) -> u64 {
        words.iter().fold(0, |sum, word| sum.wrapping_add(*word))
    }
}

with_wide_vectors! {
    fn raise(words: &mut [u64]) {
        words.iter_mut().for_each(|word| *word = word.wrapping_add(3));
    }
}

#[cfg(test)]
mod tests {
    use super::{raise, sum_of};

    #[test]
    fn every_word_is_read_and_changed() {
        let mut words: Vec<u64> = (0..1001).collect();
        assert_eq!(sum_of(&words), 500_500);
        raise(&mut words[3..]);
        assert_eq!(sum_of(&words), 500_500 + 3 * 998);
    }
}
