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
//! conflicts with as much and is stranded: its thread has ended and nobody was or can be told of it, so that every later access
//! that conflicts with it races with it. Plain writes conflict with everything, hence replace all that was before. What
//! remains are plain reads and atomic accesses that nothing orders: one in the cell, a few in a list, more in a tree that
//! cells with equal histories share. None of this guesses what may be released later, so that it stays exact.
//!
//! *What is promised.* Every race reported is one. For every byte, the first access that races there is reported together with
//! an earlier access to this byte that it races with. What comes after the first race at a byte is searched with a history
//! that may be incomplete.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::array;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::mem;
use std::rc::Rc;

/// Where in the program an access stands; the caller numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Site(pub u32);

/// What an access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AccessKind {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// What an atomic access does to memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicKind {
    /// An atomic load, or a compare-and-exchange that found another value.
    Read,
    /// An atomic store.
    Write,
    /// An atomic read-modify-write.
    Update,
}

/// The memory order of an atomic access or a fence; sequentially consistent counts as [`Order::AcquireRelease`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Orders nothing.
    Relaxed,
    /// Takes what was published.
    Acquire,
    /// Publishes what is known.
    Release,
    /// Both.
    AcquireRelease,
}

impl Order {
    fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcquireRelease)
    }

    fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcquireRelease)
    }
}

/// Who meets at a barrier.
#[derive(Clone, Copy, Debug)]
pub enum Participants<'a> {
    /// All threads of the team that have not ended.
    WholeTeam,
    /// These threads of the team, counted over all teams.
    Threads(&'a [u32]),
}

/// One of the two accesses of a race.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaceSide {
    /// The thread, counted over all teams.
    pub thread: u32,
    /// Where in the program.
    pub site: Site,
    /// An atomic read-modify-write counts as a write.
    pub kind: AccessKind,
    /// Whether the access is atomic; never so on both sides.
    pub atomic: bool,
}

/// Two places in the program whose accesses race, with the first example.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The access that came first in this run.
    pub first: RaceSide,
    /// The access that raced with it.
    pub second: RaceSide,
    /// A byte that both touched.
    pub address: u64,
    /// How many bytes the second access touched.
    pub bytes: u32,
    /// How many accesses were seen to race this way.
    pub count: u64,
}

/// The most threads of a launch.
pub const MAX_THREADS: u32 = 1 << THREAD_BITS;
/// The most bytes of an atomic access.
pub const MAX_ATOMIC_BYTES: u32 = 16;

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

/// How an access touches memory; what it conflicts with depends on this alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Touch {
    Read,
    AtomicRead,
    AtomicWrite,
    Write,
}

impl Touch {
    /// By their numbers; all but the last are kept side by side in a cell.
    const ALL: [Touch; 4] = [Touch::Read, Touch::AtomicRead, Touch::AtomicWrite, Touch::Write];
    const BESIDE: usize = 3;

    fn conflicts(self, other: Touch) -> bool {
        let both = [self, other];
        both.contains(&Touch::Write) || both.contains(&Touch::Read) && both.contains(&Touch::AtomicWrite)
    }

    /// Whether everything that conflicts with `other` conflicts with this.
    fn covers(self, other: Touch) -> bool {
        self == other || self == Touch::Write || other == Touch::AtomicRead
    }
}

const TOUCH_BITS: u32 = 2;
const THREAD_BITS: u32 = 26;
/// The first bit of the time; two bits above it say that a stamp is none, but a link.
const TIME_SHIFT: u32 = TOUCH_BITS + THREAD_BITS;
const MAX_TIME: u64 = 1 << (62 - TIME_SHIFT);
const THREAD_MASK: u64 = (MAX_THREADS as u64 - 1) << TOUCH_BITS;
const TOUCH_MASK: u64 = (1 << TOUCH_BITS) - 1;

/// Who accessed, when, and how; 0 is nobody, since time begins at 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Stamp(u64);

impl Stamp {
    fn new(time: u64, thread: u32) -> Stamp {
        Stamp(time << TIME_SHIFT | u64::from(thread) << TOUCH_BITS)
    }

    fn with_touch(self, touch: Touch) -> Stamp {
        Stamp(self.0 & !TOUCH_MASK | touch as u64)
    }

    fn touch(self) -> Touch {
        Touch::ALL[(self.0 & TOUCH_MASK) as usize]
    }

    fn thread(self) -> u32 {
        ((self.0 & THREAD_MASK) >> TOUCH_BITS) as u32
    }

    fn time(self) -> u64 {
        self.0 >> TIME_SHIFT
    }
}

/// An access that is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Access {
    stamp: Stamp,
    site: Site,
}

impl Access {
    fn thread(self) -> u32 {
        self.stamp.thread()
    }

    fn touch(self) -> Touch {
        self.stamp.touch()
    }

    /// Whether one thread did both with no event between that orders.
    fn is_at_once_with(self, other: Access) -> bool {
        self.stamp.with_touch(Touch::Read) == other.stamp.with_touch(Touch::Read)
    }

    fn side(self) -> RaceSide {
        let (kind, atomic) = match self.touch() {
            Touch::Read => (AccessKind::Read, false),
            Touch::AtomicRead => (AccessKind::Read, true),
            Touch::AtomicWrite => (AccessKind::Write, true),
            Touch::Write => (AccessKind::Write, false),
        };
        RaceSide { thread: self.thread(), site: self.site, kind, atomic }
    }
}

/// The bytes of one access.
#[derive(Clone, Copy)]
struct Span {
    address: u64,
    bytes: u32,
}

impl Span {
    fn end(self) -> u64 {
        self.address + u64::from(self.bytes)
    }
}

/// Bytes of an aligned word: from the first up to but without the last.
#[derive(Clone, Copy)]
struct Part {
    from: u8,
    to: u8,
}

impl Part {
    const WHOLE: Part = Part { from: 0, to: WORD as u8 };

    fn is_whole(self) -> bool {
        self.from == 0 && usize::from(self.to) == WORD
    }

    fn bytes(self) -> impl Iterator<Item = usize> {
        usize::from(self.from)..usize::from(self.to)
    }
}

/// The words of a range of bytes.
fn words(start: u64, end: u64) -> impl Iterator<Item = (u64, Part)> {
    let mut at = start;
    std::iter::from_fn(move || {
        let word = at / WORD as u64;
        let first = word * WORD as u64;
        let next = end.min(first + WORD as u64);
        let part = (at < next).then(|| (word, Part { from: (at - first) as u8, to: (next - first) as u8 }));
        at = next;
        part
    })
}

/// Bytes of a word that has a cell of its own.
const WORD: usize = 4;
/// Bytes of memory whose cells are allocated together.
const PAGE_BYTES: u64 = 1024;
const PAGE_CELLS: usize = PAGE_BYTES as usize / WORD;

/// What is remembered of a word or a byte: the last plain write, and other accesses since.
#[derive(Clone, Copy, Default)]
struct Cell {
    write: Stamp,
    /// An access, or a link to more.
    other: Stamp,
    write_site: Site,
    other_site: Site,
}

/// The other accesses of a cell.
#[derive(Clone, Copy)]
enum Others {
    Nobody,
    One(Access),
    Crowd(u32),
}

const LINK: u64 = 1 << 63;
const SPLIT: u64 = 1 << 62;

impl Cell {
    fn written(access: Access) -> Cell {
        Cell { write: access.stamp, write_site: access.site, ..Cell::default() }
    }

    /// The cell of a word whose bytes have cells of their own.
    fn divided(quad: u32) -> Cell {
        Cell { other: Stamp(LINK | SPLIT | u64::from(quad)), ..Cell::default() }
    }

    fn quad(self) -> Option<u32> {
        (self.other.0 & (LINK | SPLIT) == LINK | SPLIT).then_some(self.other.0 as u32)
    }

    fn is_empty(self) -> bool {
        self.write == Stamp::default() && self.other == Stamp::default()
    }

    fn write(self) -> Option<Access> {
        (self.write != Stamp::default()).then_some(Access { stamp: self.write, site: self.write_site })
    }

    fn others(self) -> Others {
        match self.other.0 {
            0 => Others::Nobody,
            link if link & LINK == 0 => Others::One(Access { stamp: self.other, site: self.other_site }),
            link => Others::Crowd(link as u32),
        }
    }

    fn set_others(&mut self, others: Others) {
        let access = match others {
            Others::Nobody => Access { stamp: Stamp::default(), site: Site::default() },
            Others::One(access) => access,
            Others::Crowd(crowd) => Access { stamp: Stamp(LINK | u64::from(crowd)), site: Site::default() },
        };
        (self.other, self.other_site) = (access.stamp, access.site);
    }

    /// Remembers an access if no other thread and nothing atomic was here; else changes nothing.
    #[inline]
    fn touch_alone(&mut self, me: Access) -> bool {
        let foreign_write = (self.write.0 ^ me.stamp.0) & THREAD_MASK != 0 && self.write.0 != 0;
        let read = me.stamp.with_touch(Touch::Read);
        let foreign_other = (self.other.0 ^ read.0) & (THREAD_MASK | TOUCH_MASK | LINK) != 0 && self.other.0 != 0;
        if foreign_write || foreign_other {
            return false;
        }
        match me.touch() {
            Touch::Write => *self = Cell::written(me),
            Touch::Read => (self.other, self.other_site) = (me.stamp, me.site),
            // An own plain read conflicts with more than an atomic access.
            Touch::AtomicRead | Touch::AtomicWrite if self.other.0 != 0 => return false,
            Touch::AtomicRead | Touch::AtomicWrite => (self.other, self.other_site) = (me.stamp, me.site),
        }
        true
    }
}

/// The cells of all memory that was touched.
struct Shadow {
    pages: Vec<Box<[Cell; PAGE_CELLS]>>,
    free: Vec<u32>,
    by_number: FxHashMap<u64, u32>,
    /// Pages used lately: number and index.
    recent: Box<[(u64, u32); RECENT]>,
}

/// How many pages are found without a search.
const RECENT: usize = 256;
const NO_PAGE: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct CellAt {
    page: u32,
    index: usize,
}

fn index_in_page(word: u64) -> usize {
    word as usize % PAGE_CELLS
}

impl Shadow {
    fn new() -> Shadow {
        Shadow {
            pages: Vec::new(),
            free: Vec::new(),
            by_number: FxHashMap::default(),
            recent: Box::new([(NO_PAGE, 0); RECENT]),
        }
    }

    #[inline]
    fn locate(&mut self, word: u64) -> CellAt {
        let number = word / PAGE_CELLS as u64;
        let (recent, page) = self.recent[number as usize % RECENT];
        let page = if recent == number { page } else { self.search(number) };
        CellAt { page, index: index_in_page(word) }
    }

    #[inline]
    fn cell_mut(&mut self, at: CellAt) -> &mut Cell {
        &mut self.pages[at.page as usize][at.index]
    }

    #[inline(never)]
    fn search(&mut self, number: u64) -> u32 {
        let page = *self.by_number.entry(number).or_insert_with(|| {
            self.free.pop().unwrap_or_else(|| {
                self.pages.push(Box::new([Cell::default(); PAGE_CELLS]));
                u32::try_from(self.pages.len() - 1).expect("fewer than 2^32 pages")
            })
        });
        self.recent[number as usize % RECENT] = (number, page);
        page
    }

    /// The numbers of pages that have bytes in the range.
    fn pages_between(&self, start: u64, end: u64) -> Vec<u64> {
        let numbers = start / PAGE_BYTES..end.div_ceil(PAGE_BYTES);
        if numbers.end.saturating_sub(numbers.start) < self.by_number.len() as u64 {
            numbers.filter(|number| self.by_number.contains_key(number)).collect()
        } else {
            self.by_number.keys().copied().filter(|number| numbers.contains(number)).collect()
        }
    }

    /// Gives up a page whose cells are all empty.
    fn remove(&mut self, number: u64) {
        if let Some(page) = self.by_number.remove(&number) {
            self.free.push(page);
        }
        self.recent[number as usize % RECENT] = (NO_PAGE, 0);
    }
}

/// Items known by their index, which is used again after they are taken.
struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T: Default> Slab<T> {
    fn new() -> Slab<T> {
        Slab { items: Vec::new(), free: Vec::new() }
    }

    fn insert(&mut self, item: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.items[index as usize] = item;
            return index;
        }
        self.items.push(item);
        u32::try_from(self.items.len() - 1).expect("fewer than 2^32 items")
    }

    fn take(&mut self, index: u32) -> T {
        self.free.push(index);
        mem::take(&mut self.items[index as usize])
    }
}

/// The accesses to cells where one is not enough.
struct Crowds {
    crowds: Slab<Crowd>,
    /// Threads of the launch.
    threads: u32,
    nobody: Rc<Multitude>,
    /// Steps taken lately, so that cells with equal histories come to share a tree; the older ones apart.
    steps: [FxHashMap<(usize, Access), Step>; 2],
}

/// Accesses since the last plain write, none of which may be forgotten because of another.
#[derive(Clone)]
enum Crowd {
    Few(SmallVec<[Access; FEW]>),
    Many(Rc<Multitude>),
}

impl Default for Crowd {
    fn default() -> Crowd {
        Crowd::Few(SmallVec::new())
    }
}

/// Accesses in a list; more go into a tree.
const FEW: usize = 4;
/// After so many new steps the older ones are given up.
const STEPS: usize = 4096;

/// Many accesses, the last of each thread and touch.
#[derive(Clone)]
struct Multitude {
    /// By touch and thread.
    accesses: Tree<Mark>,
    /// The latest time of each touch, 0 where there is none.
    newest: [u64; Touch::BESIDE],
    team: Teams,
    /// The access that came first.
    first: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Teams {
    One(u32),
    Several,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Mark {
    time: u64,
    site: Site,
}

/// Adding an access to one multitude gives the other.
struct Step {
    /// Kept so that its address stays its own.
    _from: Rc<Multitude>,
    to: Rc<Multitude>,
}

impl Crowds {
    fn new(threads: u32) -> Crowds {
        let nobody = Multitude {
            accesses: Tree::EMPTY,
            newest: [0; Touch::BESIDE],
            team: Teams::Several,
            first: Access { stamp: Stamp::default(), site: Site::default() },
        };
        Crowds {
            crowds: Slab::new(),
            threads,
            nobody: Rc::new(nobody),
            steps: [FxHashMap::default(), FxHashMap::default()],
        }
    }

    fn remove(&mut self, crowd: u32) {
        self.crowds.take(crowd);
    }

    fn duplicate(&mut self, crowd: u32) -> Others {
        let copy = self.crowds.items[crowd as usize].clone();
        Others::Crowd(self.crowds.insert(copy))
    }

    /// An access of the crowd that races with this one.
    fn racing(&self, crowd: u32, me: Access, order: &HappensBefore) -> Option<Access> {
        let races = |other: &Access| other.touch().conflicts(me.touch()) && !order.is_known(me.thread(), other.stamp);
        let many = match &self.crowds.items[crowd as usize] {
            Crowd::Few(accesses) => return accesses.iter().copied().find(races),
            Crowd::Many(many) => many,
        };
        let conflicting = (0..Touch::BESIDE).filter(|&touch| Touch::ALL[touch].conflicts(me.touch()));
        let newest = conflicting.map(|touch| many.newest[touch]).max().unwrap_or(0);
        if newest == 0 || many.is_before_barrier(newest, me.thread(), order) {
            return None;
        }
        many.accesses.find(|key, mark| Some(self.access(key, mark)).filter(races))
    }

    /// The accesses since the last plain write after one more.
    fn insert(&mut self, others: Others, me: Access, order: &HappensBefore) -> Others {
        let crowd = match others {
            Others::Nobody => return Others::One(me),
            Others::One(other) if is_replaced(other, me, order) => return Others::One(me),
            Others::One(other) if makes_needless(other, me, order) => return others,
            Others::One(other) => {
                return Others::Crowd(self.crowds.insert(Crowd::Few(smallvec![other, me])));
            }
            Others::Crowd(crowd) => crowd,
        };
        let rest = match &mut self.crowds.items[crowd as usize] {
            Crowd::Few(accesses) => {
                if accesses.iter().any(|&other| makes_needless(other, me, order)) {
                    return others;
                }
                accesses.retain(|other| !is_replaced(*other, me, order));
                if accesses.len() < FEW {
                    accesses.push(me);
                    (accesses.len() == 1).then_some(me)
                } else {
                    let accesses = mem::take(accesses);
                    let start = self.nobody.clone();
                    let many =
                        accesses.into_iter().chain([me]).fold(start, |many, access| self.step(many, access, order));
                    self.crowds.items[crowd as usize] = Crowd::Many(many);
                    None
                }
            }
            Crowd::Many(many) => {
                let newest = many.newest.into_iter().max().unwrap_or(0);
                if many.is_covered_by(me.touch()) && many.is_before_barrier(newest, me.thread(), order) {
                    Some(me)
                } else if many.first.touch().covers(me.touch()) && order.is_stranded(many.first.stamp) {
                    many.is_covered_by(many.first.touch()).then_some(many.first)
                } else {
                    let many = mem::replace(many, self.nobody.clone());
                    let many = self.step(many, me, order);
                    self.crowds.items[crowd as usize] = Crowd::Many(many);
                    None
                }
            }
        };
        match rest {
            Some(access) => {
                self.crowds.take(crowd);
                Others::One(access)
            }
            None => others,
        }
    }

    fn step(&mut self, from: Rc<Multitude>, access: Access, order: &HappensBefore) -> Rc<Multitude> {
        let key = (Rc::as_ptr(&from).addr(), access);
        if let Some(step) = self.steps.iter().find_map(|steps| steps.get(&key)) {
            return step.to.clone();
        }
        let to = self.add(&from, access, order);
        let [new, old] = &mut self.steps;
        if new.len() == STEPS {
            *old = mem::take(new);
        }
        new.insert(key, Step { _from: from, to: to.clone() });
        to
    }

    fn add(&self, from: &Rc<Multitude>, access: Access, order: &HappensBefore) -> Rc<Multitude> {
        let key = access.touch() as u32 * self.threads + access.thread();
        let mark = Mark { time: access.stamp.time(), site: access.site };
        if from.accesses.get(key).time == mark.time {
            return from.clone();
        }
        let mut to = Multitude::clone(from);
        to.accesses.set(key, mark);
        let newest = &mut to.newest[access.touch() as usize];
        *newest = mark.time.max(*newest);
        let team = Teams::One(order.team_of(access.thread()));
        if Rc::ptr_eq(from, &self.nobody) {
            (to.first, to.team) = (access, team);
        } else if to.team != team {
            to.team = Teams::Several;
        }
        Rc::new(to)
    }

    fn access(&self, key: u32, mark: Mark) -> Access {
        let touch = Touch::ALL[(key / self.threads) as usize];
        Access { stamp: Stamp::new(mark.time, key % self.threads).with_touch(touch), site: mark.site }
    }
}

impl Multitude {
    /// Whether all accesses up to a time are of the thread's team and known from its last barrier.
    fn is_before_barrier(&self, newest: u64, thread: u32, order: &HappensBefore) -> bool {
        let team = order.team_of(thread);
        self.team == Teams::One(team) && order.knows_whole_team(team, newest)
    }

    fn is_covered_by(&self, touch: Touch) -> bool {
        (0..Touch::BESIDE).all(|other| self.newest[other] == 0 || touch.covers(Touch::ALL[other]))
    }
}

/// Whether an earlier access may be forgotten because of a later one.
fn is_replaced(earlier: Access, later: Access, order: &HappensBefore) -> bool {
    later.touch().covers(earlier.touch()) && order.is_known(later.thread(), earlier.stamp)
}

/// Whether a later access need not be remembered because of an earlier one.
fn makes_needless(earlier: Access, later: Access, order: &HappensBefore) -> bool {
    earlier.touch().covers(later.touch()) && (earlier.is_at_once_with(later) || order.is_stranded(earlier.stamp))
}

/// Up to which time the accesses of threads, and of whole teams, are known; 0 where nothing is.
type Knowledge = Tree<u64>;

/// What every thread knows of what others did.
struct HappensBefore {
    time: u64,
    /// The stamp of each thread's accesses at present.
    now: Vec<Stamp>,
    threads: Vec<Thread>,
    teams: Vec<Team>,
    /// What atomic accesses and fences published, by the address of the atomic access.
    publications: BTreeMap<u64, Publication>,
    nothing: Knowledge,
}

struct Thread {
    team: u32,
    /// The last time at which others could come to know the thread's own accesses, other than with the whole team.
    released: u64,
    /// The last barrier of its team that it took part in if it has ended; else [`LIVE`].
    left: u64,
    /// Contains what its team knows; `None` if that is all.
    knowledge: Option<Knowledge>,
    fences: Option<Box<Fences>>,
}

const LIVE: u64 = u64::MAX;

struct Fences {
    /// What was known at the last release fence: published by later atomic writes.
    released: Option<Knowledge>,
    /// What atomic reads saw: known from the next acquire fence on.
    acquirable: Option<Knowledge>,
}

struct Team {
    /// The time of the last barrier of the whole team.
    barrier: u64,
    /// The last of its barriers that is known outside.
    exported: u64,
    live: u32,
    /// What all of its threads learnt from others up to the last barrier.
    knowledge: Option<Knowledge>,
    /// Its live threads that know more.
    informed: Vec<u32>,
}

struct Publication {
    bytes: u32,
    knowledge: Knowledge,
}

impl HappensBefore {
    fn new(teams: u32, threads_per_team: u32) -> HappensBefore {
        let threads = teams * threads_per_team;
        let thread =
            |thread| Thread { team: thread / threads_per_team, released: 0, left: LIVE, knowledge: None, fences: None };
        let team = |_| Team { barrier: 0, exported: 0, live: threads_per_team, knowledge: None, informed: Vec::new() };
        HappensBefore {
            time: 1,
            now: (0..threads).map(|thread| Stamp::new(1, thread)).collect(),
            threads: (0..threads).map(thread).collect(),
            teams: (0..teams).map(team).collect(),
            publications: BTreeMap::new(),
            nothing: Tree::EMPTY,
        }
    }

    fn team_of(&self, thread: u32) -> u32 {
        self.threads[thread as usize].team
    }

    /// Whether an access happened before what the thread does now.
    fn is_known(&self, thread: u32, access: Stamp) -> bool {
        let (other, time) = (access.thread(), access.time());
        if other == thread {
            return true;
        }
        let (me, them) = (&self.threads[thread as usize], &self.threads[other as usize]);
        let team = &self.teams[me.team as usize];
        if me.team == them.team && team.barrier.min(them.left) > time {
            return true;
        }
        let Some(knowledge) = me.knowledge.as_ref().or(team.knowledge.as_ref()) else { return false };
        knowledge.get(other) > time || knowledge.get(self.team_key(them.team)).min(them.left) > time
    }

    /// Whether everything that threads of the team did up to a time is known in the team from its last barrier.
    fn knows_whole_team(&self, team: u32, time: u64) -> bool {
        let team = &self.teams[team as usize];
        team.barrier > time && team.live as usize == self.threads_per_team()
    }

    /// Whether no thread but its own knows the access, and none ever will.
    fn is_stranded(&self, access: Stamp) -> bool {
        let (thread, time) = (&self.threads[access.thread() as usize], access.time());
        if thread.left == LIVE || time < thread.released {
            return false;
        }
        let team = &self.teams[thread.team as usize];
        time >= thread.left || team.live == 0 && time >= team.exported
    }

    fn threads_per_team(&self) -> usize {
        self.threads.len() / self.teams.len()
    }

    fn team_key(&self, team: u32) -> u32 {
        self.threads.len() as u32 + team
    }

    fn tick(&mut self) -> u64 {
        self.time += 1;
        assert!(self.time < MAX_TIME, "too many barriers and releases");
        self.time
    }

    /// Later accesses of the thread are not known to whoever learns of it at this time.
    fn begin(&mut self, thread: u32, time: u64) {
        self.now[thread as usize] = Stamp::new(time, thread);
        self.threads[thread as usize].released = time;
    }

    /// What the thread learnt from others.
    fn learnt(&self, thread: u32) -> &Knowledge {
        let me = &self.threads[thread as usize];
        me.knowledge.as_ref().or(self.teams[me.team as usize].knowledge.as_ref()).unwrap_or(&self.nothing)
    }

    fn learn(&mut self, thread: u32, knowledge: Knowledge) {
        let me = &mut self.threads[thread as usize];
        if me.knowledge.replace(knowledge).is_none() {
            self.teams[me.team as usize].informed.push(thread);
        }
    }

    fn acquire(&mut self, thread: u32, published: &Knowledge) {
        let knowledge = self.learnt(thread).join(published);
        self.learn(thread, knowledge);
    }

    /// Everything that the thread knows, for others.
    fn release(&mut self, thread: u32) -> Knowledge {
        let mut knowledge = self.learnt(thread).clone();
        let team = self.team_of(thread);
        let barrier = self.teams[team as usize].barrier;
        if barrier > 0 {
            knowledge.set(self.team_key(team), barrier);
            self.teams[team as usize].exported = barrier;
        }
        let time = self.tick();
        knowledge.set(thread, time);
        self.begin(thread, time);
        knowledge
    }

    fn fence(&mut self, thread: u32, order: Order) {
        if order.acquires()
            && let Some(fences) = &mut self.threads[thread as usize].fences
            && let Some(published) = fences.acquirable.take()
        {
            self.acquire(thread, &published);
        }
        if order.releases() {
            let knowledge = self.release(thread);
            self.fences(thread).released = Some(knowledge);
        }
    }

    fn fences(&mut self, thread: u32) -> &mut Fences {
        let fences = &mut self.threads[thread as usize].fences;
        fences.get_or_insert_with(|| Box::new(Fences { released: None, acquirable: None }))
    }

    fn take_publication(&mut self, thread: u32, span: Span, order: Order) {
        let Some(knowledge) = self.publication(span).cloned() else { return };
        if order.acquires() {
            self.acquire(thread, &knowledge);
        } else {
            let acquirable = &mut self.fences(thread).acquirable;
            *acquirable = Some(acquirable.as_ref().map_or(knowledge.clone(), |old| old.join(&knowledge)));
        }
    }

    fn publication(&self, span: Span) -> Option<&Knowledge> {
        let publication = self.publications.get(&span.address)?;
        (publication.bytes == span.bytes).then_some(&publication.knowledge)
    }

    fn publish(&mut self, thread: u32, span: Span, kind: AtomicKind, order: Order) {
        let given = if order.releases() {
            Some(self.release(thread))
        } else {
            self.threads[thread as usize].fences.as_ref().and_then(|fences| fences.released.clone())
        };
        // An update goes on with the release sequence of what it read.
        let kept = self.publication(span).filter(|_| kind == AtomicKind::Update).cloned();
        self.drop_publications(span.address, span.end());
        let knowledge = match (kept, given) {
            (Some(kept), Some(given)) => given.join(&kept),
            (Some(knowledge), None) | (None, Some(knowledge)) => knowledge,
            (None, None) => return,
        };
        self.publications.insert(span.address, Publication { bytes: span.bytes, knowledge });
    }

    fn drop_publications(&mut self, start: u64, end: u64) {
        if self.publications.is_empty() {
            return;
        }
        let from = start.saturating_sub(u64::from(MAX_ATOMIC_BYTES) - 1);
        let touched =
            self.publications.range(from..end).filter(|(address, old)| *address + u64::from(old.bytes) > start);
        let touched: SmallVec<[u64; 4]> = touched.map(|(&address, _)| address).collect();
        for address in touched {
            self.publications.remove(&address);
        }
    }

    fn barrier(&mut self, team: u32, participants: Participants<'_>) {
        let live = self.teams[team as usize].live as usize;
        match participants {
            Participants::Threads(threads) if threads.len() < live || !threads.is_sorted_by(|a, b| a < b) => {
                self.barrier_of_some(threads);
            }
            _ => self.barrier_of_all(team),
        }
    }

    fn barrier_of_all(&mut self, team: u32) {
        let time = self.tick();
        let per_team = self.threads_per_team();
        let first = team as usize * per_team;
        for thread in first..first + per_team {
            self.now[thread] = Stamp::new(time, thread as u32);
        }
        self.teams[team as usize].barrier = time;
        for thread in mem::take(&mut self.teams[team as usize].informed) {
            let Some(knowledge) = self.threads[thread as usize].knowledge.take() else { continue };
            let team = &mut self.teams[team as usize];
            team.knowledge = Some(team.knowledge.as_ref().map_or(knowledge.clone(), |known| known.join(&knowledge)));
        }
    }

    fn barrier_of_some(&mut self, threads: &[u32]) {
        let time = self.tick();
        let mut knowledge = self.nothing.clone();
        for &thread in threads {
            knowledge = knowledge.join(self.learnt(thread));
        }
        for &thread in threads {
            knowledge.set(thread, time);
            self.begin(thread, time);
        }
        for &thread in threads {
            self.learn(thread, knowledge.clone());
        }
    }

    fn thread_ended(&mut self, thread: u32) {
        let me = &mut self.threads[thread as usize];
        if me.left != LIVE {
            return;
        }
        let team = &mut self.teams[me.team as usize];
        me.left = team.barrier;
        me.fences = None;
        team.live -= 1;
        if me.knowledge.take().is_some() {
            team.informed.retain(|&other| other != thread);
        }
    }
}

/// Values by number, in nodes that copies share. Absent is the default value.
#[derive(Clone)]
struct Tree<V> {
    root: Option<Rc<Node<V>>>,
    /// Levels below the root.
    height: u32,
    /// The root has the keys that become this number without the bits of all levels: no more levels than its keys need.
    block: u32,
}

#[derive(Clone)]
enum Node<V> {
    Inner([Option<Rc<Node<V>>>; ARITY]),
    Leaf([V; ARITY]),
}

const ARITY_BITS: u32 = 3;
const ARITY: usize = 1 << ARITY_BITS;

impl<V: Copy + Default + PartialEq> Tree<V> {
    const EMPTY: Tree<V> = Tree { root: None, height: 0, block: 0 };

    fn get(&self, key: u32) -> V {
        if block_of(key, self.height) != self.block {
            return V::default();
        }
        let mut node = &self.root;
        for level in (0..=self.height).rev() {
            let child = child_index(key, level);
            match node.as_deref() {
                None => break,
                Some(Node::Leaf(values)) => return values[child],
                Some(Node::Inner(children)) => node = &children[child],
            }
        }
        V::default()
    }

    fn set(&mut self, key: u32, value: V) {
        if self.root.is_none() {
            (self.height, self.block) = (0, block_of(key, 0));
        }
        while block_of(key, self.height) != self.block {
            self.raise();
        }
        let mut node = &mut self.root;
        for level in (0..=self.height).rev() {
            let empty = || {
                Rc::new(if level == 0 {
                    Node::Leaf([V::default(); ARITY])
                } else {
                    Node::Inner([const { None }; ARITY])
                })
            };
            match Rc::make_mut(node.get_or_insert_with(empty)) {
                Node::Leaf(values) => {
                    values[child_index(key, level)] = value;
                    return;
                }
                Node::Inner(children) => node = &mut children[child_index(key, level)],
            }
        }
    }

    /// Puts a level above the root.
    fn raise(&mut self) {
        let mut children = [const { None }; ARITY];
        children[child_index(self.block, 0)] = self.root.take();
        self.root = Some(Rc::new(Node::Inner(children)));
        self.height += 1;
        self.block >>= ARITY_BITS;
    }

    /// The first answer for a value that is not the default.
    fn find<T>(&self, mut ask: impl FnMut(u32, V) -> Option<T>) -> Option<T> {
        find_below(self.root.as_ref()?, self.block, &mut ask)
    }
}

fn block_of(key: u32, height: u32) -> u32 {
    key.checked_shr((height + 1) * ARITY_BITS).unwrap_or(0)
}

fn child_index(key: u32, level: u32) -> usize {
    (key >> (level * ARITY_BITS)) as usize % ARITY
}

fn find_below<V: Copy + Default + PartialEq, T>(
    node: &Node<V>,
    prefix: u32,
    ask: &mut impl FnMut(u32, V) -> Option<T>,
) -> Option<T> {
    let keys = prefix << ARITY_BITS..;
    match node {
        Node::Leaf(values) => {
            keys.zip(values).filter(|(_, value)| **value != V::default()).find_map(|(key, &value)| ask(key, value))
        }
        Node::Inner(children) => keys.zip(children).find_map(|(key, child)| find_below(child.as_deref()?, key, ask)),
    }
}

impl Knowledge {
    /// The greater of the values; shares with either where it can.
    fn join(&self, other: &Knowledge) -> Knowledge {
        if self.root.is_none() || other.root.is_none() {
            return if other.root.is_none() { self.clone() } else { other.clone() };
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        while (a.height, a.block) != (b.height, b.block) {
            if a.height <= b.height { a.raise() } else { b.raise() }
        }
        let root = a.root.as_ref().zip(b.root.as_ref()).map(|(a, b)| join_nodes(a, b));
        Knowledge { root, ..a }
    }
}

fn join_nodes(a: &Rc<Node<u64>>, b: &Rc<Node<u64>>) -> Rc<Node<u64>> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    match (&**a, &**b) {
        (Node::Leaf(x), Node::Leaf(y)) => {
            let both: [u64; ARITY] = array::from_fn(|i| x[i].max(y[i]));
            match both {
                both if both == *x => a.clone(),
                both if both == *y => b.clone(),
                both => Rc::new(Node::Leaf(both)),
            }
        }
        (Node::Inner(x), Node::Inner(y)) => {
            let both: [_; ARITY] = array::from_fn(|i| match (&x[i], &y[i]) {
                (Some(x), Some(y)) => Some(join_nodes(x, y)),
                (x, y) => x.as_ref().or(y.as_ref()).cloned(),
            });
            let shares = |with: &[Option<Rc<Node<u64>>>; ARITY]| {
                both.iter().zip(with).all(|(new, old)| new.as_ref().map(Rc::as_ptr) == old.as_ref().map(Rc::as_ptr))
            };
            if shares(x) {
                a.clone()
            } else if shares(y) {
                b.clone()
            } else {
                Rc::new(Node::Inner(both))
            }
        }
        (Node::Leaf(_), Node::Inner(_)) | (Node::Inner(_), Node::Leaf(_)) => unreachable!("trees of one height"),
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
