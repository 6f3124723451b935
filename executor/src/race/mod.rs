//! Finds accesses that race: two threads touch a byte, at least one of them writes, not both atomically, nothing orders them.
//!
//! Follows FastTrack (Flanagan and Freund 2009), with clocks that are sparse and shared, for 10^5 threads.
//!
//! *Order.* Time counts events that order: barriers and releases. An access is stamped with its thread and the time at which the
//! thread last took part in such an event, so all accesses between two events have one stamp. "A thread's accesses before time x
//! are known" is an entry of a `Knowledge`; "all accesses of a team before its barrier at time x" is one entry for the whole
//! team. What a thread knows is: its own accesses; its team's before the team's last barrier; and its `knowledge`, which contains
//! the team's, empty in most kernels. A release hands out all three, so that whoever acquires it knows what the releasing thread
//! knew: order is transitive by construction. A barrier makes what any participant knew part of what all know.
//!
//! *History.* An access may be forgotten if whatever is going to race with it is going to race with one that is kept. That holds
//! if a kept access (a) comes after it and conflicts with as much: later accesses that know the kept one know it too; or (b)
//! conflicts with as much and is stranded: its thread has ended, and no thread is or can be ordered behind it, so that every later access
//! that conflicts with it races with it. Plain writes conflict with everything, hence replace all that was before. What
//! remains are plain reads and atomic accesses that nothing orders: one in the cell, a few in a list, more in a tree that
//! cells with equal histories share. None of this guesses what may be released later, so that it stays exact.
//!
//! *What is promised.* Every race reported is one. For every byte, the first access that races there is reported together with
//! an earlier access to this byte that it races with. What comes after the first race at a byte is searched with a history
//! that may be incomplete.

mod access;
mod crowds;
mod event;
mod order;
mod shadow;
mod tree;

pub use access::MAX_THREADS;
pub use event::{AccessKind, AtomicKind, MAX_ATOMIC_BYTES, Order, Participants, Race, RaceSide, Site};

use access::{Access, Part, Span, Touch, WORD, words};
use crowds::{Crowds, Slab};
use order::HappensBefore;
use rustc_hash::FxHashMap;
use shadow::{Cell, CellAt, Others, PAGE_BYTES, Shadow, index_in_page};
use std::collections::hash_map::Entry;
use std::mem;

/// Watches the accesses of one kernel launch, in the order in which they happen.
pub struct RaceDetector {
    order: HappensBefore,
    shadow: Shadow,
    crowds: Crowds,
    /// Cells of words that are not always touched as a whole.
    quads: Slab<[Cell; WORD]>,
    findings: Findings,
}

impl RaceDetector {
    /// For a launch of that many teams and threads in each, not more than [`MAX_THREADS`] in all.
    pub fn new(teams: u32, threads_per_team: u32) -> RaceDetector {
        let threads = teams.checked_mul(threads_per_team).filter(|&threads| threads <= MAX_THREADS);
        let threads = threads.expect("not more than MAX_THREADS threads");
        RaceDetector {
            order: HappensBefore::new(teams, threads_per_team),
            shadow: Shadow::new(),
            crowds: Crowds::new(threads),
            quads: Slab::new(),
            findings: Findings::default(),
        }
    }

    /// A plain access of one thread; threads are counted over all teams, team after team.
    #[inline]
    pub fn access(&mut self, thread: u32, address: u64, bytes: u32, kind: AccessKind, site: Site) {
        let touch = match kind {
            AccessKind::Read => Touch::Read,
            AccessKind::Write => Touch::Write,
        };
        self.touch(thread, Span { address, bytes }, touch, site);
    }

    /// An atomic access of one thread. A read takes what was published by the write that it reads if both touch the same bytes,
    /// as "morally strong" accesses of PTX do; all scopes count as wide enough.
    pub fn atomic(&mut self, thread: u32, address: u64, bytes: u32, kind: AtomicKind, order: Order, site: Site) {
        assert!(bytes <= MAX_ATOMIC_BYTES, "atomic accesses of {bytes} bytes do not exist");
        let span = Span { address, bytes };
        if kind != AtomicKind::Write {
            self.order.take_publication(thread, span, order);
        }
        let touch = if kind == AtomicKind::Read { Touch::AtomicRead } else { Touch::AtomicWrite };
        self.touch(thread, span, touch, site);
        if kind != AtomicKind::Read {
            self.order.publish(thread, span, kind, order);
        }
    }

    /// A fence of one thread: with atomic accesses around it, acquires or releases.
    pub fn fence(&mut self, thread: u32, order: Order) {
        self.order.fence(thread, order);
    }

    /// A barrier of a team: everything before it in the participants comes before everything after it in them. It costs the least
    /// where all threads take part that have not ended.
    pub fn barrier(&mut self, team: u32, participants: Participants<'_>) {
        self.order.barrier(team, participants);
    }

    /// A thread does nothing any more and is not waited for by later barriers of the whole team.
    pub fn thread_ended(&mut self, thread: u32) {
        self.order.thread_ended(thread);
    }

    /// Memory was freed or given to somebody else: what was done to these bytes does not count any more.
    pub fn forget(&mut self, start: u64, len: u64) {
        let end = start.saturating_add(len);
        self.order.drop_publications(start, end);
        for number in self.shadow.pages_between(start, end) {
            let page = self.shadow.by_number[&number];
            let (first, next) = (number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
            for (word, part) in words(start.max(first), end.min(next)) {
                self.forget_part(CellAt { page, index: index_in_page(word) }, part);
            }
            if start <= first && next <= end {
                self.shadow.remove(number);
            }
        }
    }

    fn forget_part(&mut self, at: CellAt, part: Part) {
        let cell = *self.shadow.cell_mut(at);
        if part.is_whole() {
            self.release(cell);
            *self.shadow.cell_mut(at) = Cell::default();
        } else if !cell.is_empty() {
            let quad = self.split(at, cell);
            for byte in part.bytes() {
                let old = mem::take(&mut self.quads.items[quad as usize][byte]);
                self.release(old);
            }
        }
    }

    /// The races found so far, in the order of their first examples; one for each unordered pair of sites and kinds.
    pub fn races(&self) -> &[Race] {
        &self.findings.races
    }

    #[inline]
    fn touch(&mut self, thread: u32, span: Span, touch: Touch, site: Site) {
        self.findings.accesses += 1;
        let me = Access { stamp: self.order.now[thread as usize].with_touch(touch), site };
        if span.bytes as usize == WORD && span.address.is_multiple_of(WORD as u64) {
            self.touch_word(span.address / WORD as u64, me, span);
        } else {
            self.touch_words(me, span);
        }
    }

    fn touch_words(&mut self, me: Access, span: Span) {
        for (word, part) in words(span.address, span.end()) {
            if part.is_whole() {
                self.touch_word(word, me, span);
            } else {
                self.touch_part(word, part, me, span);
            }
        }
    }

    #[inline]
    fn touch_word(&mut self, word: u64, me: Access, span: Span) {
        let at = self.shadow.locate(word);
        let cell = self.shadow.cell_mut(at);
        if !cell.touch_alone(me) {
            self.touch_shared_word(word, at, me, span);
        }
    }

    #[cold]
    #[inline(never)]
    fn touch_shared_word(&mut self, word: u64, at: CellAt, me: Access, span: Span) {
        let cell = *self.shadow.cell_mut(at);
        let Some(quad) = cell.quad() else {
            let cell = self.settle(cell, me, Seen { address: word * WORD as u64, span });
            *self.shadow.cell_mut(at) = cell;
            return;
        };
        self.touch_quad(quad, Part::WHOLE, word, me, span);
        if me.touch() == Touch::Write {
            // All four bytes have the same history again.
            self.quads.take(quad);
            *self.shadow.cell_mut(at) = Cell::written(me);
        }
    }

    fn touch_part(&mut self, word: u64, part: Part, me: Access, span: Span) {
        let at = self.shadow.locate(word);
        let cell = *self.shadow.cell_mut(at);
        let quad = self.split(at, cell);
        self.touch_quad(quad, part, word, me, span);
    }

    fn touch_quad(&mut self, quad: u32, part: Part, word: u64, me: Access, span: Span) {
        for byte in part.bytes() {
            let mut cell = self.quads.items[quad as usize][byte];
            if !cell.touch_alone(me) {
                cell = self.settle(cell, me, Seen { address: word * WORD as u64 + byte as u64, span });
            }
            self.quads.items[quad as usize][byte] = cell;
        }
    }

    /// The cell after an access: races with what it remembers are reported, then the access is remembered.
    fn settle(&mut self, mut cell: Cell, me: Access, seen: Seen) -> Cell {
        if let Some(write) = cell.write()
            && !self.order.is_known(me.thread(), write.stamp)
        {
            self.findings.add(write, me, seen);
        }
        let racing = match cell.others() {
            Others::Nobody => None,
            Others::One(other) => Some(other)
                .filter(|other| other.touch().conflicts(me.touch()) && !self.order.is_known(me.thread(), other.stamp)),
            Others::Crowd(crowd) => self.crowds.racing(crowd, me, &self.order),
        };
        if let Some(other) = racing {
            self.findings.add(other, me, seen);
        }
        if me.touch() == Touch::Write {
            self.release(cell);
            self.order.drop_publications(seen.span.address, seen.span.end());
            return Cell::written(me);
        }
        cell.set_others(self.crowds.insert(cell.others(), me, &self.order));
        cell
    }

    /// Gives a word's cell one cell for each byte; returns their index.
    fn split(&mut self, at: CellAt, cell: Cell) -> u32 {
        if let Some(quad) = cell.quad() {
            return quad;
        }
        let mut copies = [cell; WORD];
        if let Others::Crowd(crowd) = cell.others() {
            copies[1..].iter_mut().for_each(|copy| copy.set_others(self.crowds.duplicate(crowd)));
        }
        let quad = self.quads.insert(copies);
        *self.shadow.cell_mut(at) = Cell::divided(quad);
        quad
    }

    /// Frees what a cell refers to.
    fn release(&mut self, cell: Cell) {
        if let Some(quad) = cell.quad() {
            self.quads.take(quad).into_iter().for_each(|cell| self.release(cell));
        } else if let Others::Crowd(crowd) = cell.others() {
            self.crowds.remove(crowd);
        }
    }
}

/// Where a race was seen, and the access that was the second.
#[derive(Clone, Copy)]
struct Seen {
    address: u64,
    span: Span,
}

/// The races found.
#[derive(Default)]
struct Findings {
    races: Vec<Race>,
    /// For each race, the number of the access that was counted last.
    counted: Vec<u64>,
    by_sides: FxHashMap<[(Site, Touch); 2], usize>,
    /// Accesses so far.
    accesses: u64,
}

impl Findings {
    #[cold]
    fn add(&mut self, first: Access, second: Access, seen: Seen) {
        let mut sides = [first, second].map(|side| (side.site, side.touch()));
        sides.sort_unstable();
        match self.by_sides.entry(sides) {
            Entry::Occupied(known) => {
                let index = *known.get();
                // An access that meets the same partner in several cells counts once.
                if mem::replace(&mut self.counted[index], self.accesses) != self.accesses {
                    self.races[index].count += 1;
                }
            }
            Entry::Vacant(new) => {
                new.insert(self.races.len());
                self.counted.push(self.accesses);
                self.races.push(Race {
                    first: first.side(),
                    second: second.side(),
                    address: seen.address.max(seen.span.address),
                    bytes: seen.span.bytes,
                    count: 1,
                });
            }
        }
    }
}
