//! Latencies by pointer chase: each load's address is what the one before it gave (McVoy and Staelin, "lmbench: Portable Tools for
//! Performance Analysis", USENIX 1996).

use std::hint::black_box;

use crate::pages::{Buffer, Pages};
use crate::samples::{Samples, seconds};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// Chains that are followed at a time: more than any processor has walkers of page tables.
pub const SIDE_BY_SIDE: usize = 8;

/// In which order lines are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// All lines of a page before the next page, so that translations count little; lines and pages in random order.
    PageByPage,
    /// One line of each page, in random order: translations count most.
    OneLineEachPage,
}

/// How a buffer is gone through.
#[derive(Debug, Clone, Copy)]
pub struct Chase {
    /// Bytes of the buffer.
    pub bytes: usize,
    /// Bytes of a line.
    pub line: usize,
    /// Bytes of a page.
    pub page: usize,
    pub order: Order,
    pub pages: Pages,
}

impl Chase {
    /// Seconds of a load, in samples of so many loads each, which go on where the one before ended.
    pub fn seconds_per_load(&self, loads: usize, samples: usize) -> Samples {
        let visits = self.visits();
        let mut buffer = Buffer::new(self.bytes, self.pages);
        link(buffer.words_mut(), &visits);
        let words = buffer.words();
        // The first round brings the buffer to where it fits.
        let start = visits.first().copied().unwrap_or_default();
        let mut at = follow(words, start, visits.len().max(loads));
        Samples::take(samples, || seconds(|| at = black_box(follow(words, at, loads))) / loads as f64)
    }

    /// The same where [`SIDE_BY_SIDE`] chains are followed at a time, none of which waits for another: seconds for each load of each chain.
    pub fn seconds_per_load_side_by_side(&self, loads: usize, samples: usize) -> Samples {
        let visits = self.visits();
        let mut buffer = Buffer::new(self.bytes, self.pages);
        let part = (visits.len() / SIDE_BY_SIDE).max(1);
        let mut at = [visits.first().copied().unwrap_or_default(); SIDE_BY_SIDE];
        for (start, ring) in at.iter_mut().zip(visits.chunks_exact(part)) {
            link(buffer.words_mut(), ring);
            *start = ring[0];
        }
        let words = buffer.words();
        let steps = (loads / SIDE_BY_SIDE).max(1);
        at = follow_all(words, at, part.max(steps));
        Samples::take(samples, || {
            seconds(|| at = black_box(follow_all(words, at, steps))) / (steps * SIDE_BY_SIDE) as f64
        })
    }

    /// The words that are visited, in this order.
    fn visits(&self) -> Vec<usize> {
        let mut random = Random::new();
        let lines_of_page = (self.page / self.line).max(1);
        let mut visits = Vec::new();
        for page in shuffled((self.bytes / self.page).max(1)) {
            let mut lines: Vec<usize> = (0..lines_of_page).collect();
            match self.order {
                Order::PageByPage => random.shuffle(&mut lines),
                // Not the same one in each page: lines at one distance fight for the same places of a cache.
                Order::OneLineEachPage => lines = vec![random.below(lines_of_page)],
            }
            visits.extend(lines.iter().map(|line| (page * self.page + line * self.line) / WORD));
        }
        visits.retain(|word| *word < self.bytes / WORD);
        visits
    }
}

/// Makes each visited word hold the next one's place, in a ring.
fn link(words: &mut [u64], visits: &[usize]) {
    for (at, word) in visits.iter().enumerate() {
        words[*word] = visits[(at + 1) % visits.len()] as u64;
    }
}

/// The numbers below `count`, in random order.
pub fn shuffled(count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    Random::new().shuffle(&mut numbers);
    numbers
}

fn follow(words: &[u64], start: usize, loads: usize) -> usize {
    let mut at = start;
    for _ in 0..loads {
        // The comparison with the length is off the chain: it waits for no load but this one's own.
        at = words[at] as usize;
    }
    at
}

fn follow_all(words: &[u64], mut at: [usize; SIDE_BY_SIDE], loads: usize) -> [usize; SIDE_BY_SIDE] {
    for _ in 0..loads {
        at = at.map(|place| words[place] as usize);
    }
    at
}

/// Marsaglia's xorshift: the same order in every run.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: usize = 4096;

    fn ring(chase: &Chase) -> Vec<usize> {
        let visits = chase.visits();
        let mut words = vec![0; chase.bytes / WORD];
        link(&mut words, &visits);
        (0..visits.len()).map(|loads| follow(&words, visits[0], loads)).collect()
    }

    #[test]
    fn every_line_is_visited_once() {
        let chase = Chase { bytes: 5 * PAGE, line: 64, page: PAGE, order: Order::PageByPage, pages: Pages::Base };
        let mut lines: Vec<usize> = ring(&chase).iter().map(|word| word * WORD / 64).collect();
        for pages in lines.chunks(64) {
            assert!(pages.iter().all(|line| line / 64 == pages[0] / 64), "page by page");
        }
        lines.sort_unstable();
        assert_eq!(lines, (0..5 * 64).collect::<Vec<_>>());
    }

    #[test]
    fn every_page_is_visited_once() {
        let chase =
            Chase { bytes: 100 * PAGE, line: 128, page: PAGE, order: Order::OneLineEachPage, pages: Pages::Base };
        let mut pages: Vec<usize> = ring(&chase).iter().map(|word| word * WORD / PAGE).collect();
        pages.sort_unstable();
        assert_eq!(pages, (0..100).collect::<Vec<_>>());
    }

    #[test]
    fn chains_side_by_side_visit_every_line_but_a_rest() {
        let chase =
            Chase { bytes: 100 * PAGE, line: 64, page: PAGE, order: Order::OneLineEachPage, pages: Pages::Base };
        let visits = chase.visits();
        let mut words = vec![0; chase.bytes / WORD];
        let part = visits.len() / SIDE_BY_SIDE;
        let mut at = [0; SIDE_BY_SIDE];
        for (start, ring) in at.iter_mut().zip(visits.chunks_exact(part)) {
            link(&mut words, ring);
            *start = ring[0];
        }
        let mut pages: Vec<usize> =
            (0..part).flat_map(|loads| follow_all(&words, at, loads)).map(|word| word * WORD / PAGE).collect();
        pages.sort_unstable();
        pages.dedup();
        assert_eq!(pages.len(), 96);
        assert!(chase.seconds_per_load_side_by_side(1000, 3).median > 0.0);
    }

    #[test]
    fn buffers_of_less_than_a_page() {
        let chase = Chase { bytes: 256, line: 64, page: PAGE, order: Order::PageByPage, pages: Pages::Base };
        assert_eq!(ring(&chase).len(), 4);
        assert!(chase.seconds_per_load(1000, 3).median > 0.0);
    }
}
