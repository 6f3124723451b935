//! The history of memory: a cell for each aligned word, made when it is first touched.

use super::access::{Access, Stamp, THREAD_MASK, TOUCH_MASK, Touch, WORD};
use super::event::Site;
use rustc_hash::FxHashMap;

/// Bytes of memory whose cells are allocated together.
pub(super) const PAGE_BYTES: u64 = 1024;
pub(super) const PAGE_CELLS: usize = PAGE_BYTES as usize / WORD;

/// What is remembered of a word or a byte: the last plain write, and other accesses since.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) write: Stamp,
    /// An access, or a link to more.
    pub(super) other: Stamp,
    pub(super) write_site: Site,
    pub(super) other_site: Site,
}

/// The other accesses of a cell.
#[derive(Clone, Copy)]
pub(super) enum Others {
    Nobody,
    One(Access),
    Crowd(u32),
}

pub(super) const LINK: u64 = 1 << 63;
pub(super) const SPLIT: u64 = 1 << 62;

impl Cell {
    pub(super) fn written(access: Access) -> Cell {
        Cell { write: access.stamp, write_site: access.site, ..Cell::default() }
    }

    /// The cell of a word whose bytes have cells of their own.
    pub(super) fn divided(quad: u32) -> Cell {
        Cell { other: Stamp(LINK | SPLIT | u64::from(quad)), ..Cell::default() }
    }

    pub(super) fn quad(self) -> Option<u32> {
        (self.other.0 & (LINK | SPLIT) == LINK | SPLIT).then_some(self.other.0 as u32)
    }

    pub(super) fn is_empty(self) -> bool {
        self.write == Stamp::default() && self.other == Stamp::default()
    }

    pub(super) fn write(self) -> Option<Access> {
        (self.write != Stamp::default()).then_some(Access { stamp: self.write, site: self.write_site })
    }

    pub(super) fn others(self) -> Others {
        match self.other.0 {
            0 => Others::Nobody,
            link if link & LINK == 0 => Others::One(Access { stamp: self.other, site: self.other_site }),
            link => Others::Crowd(link as u32),
        }
    }

    pub(super) fn set_others(&mut self, others: Others) {
        let access = match others {
            Others::Nobody => Access { stamp: Stamp::default(), site: Site::default() },
            Others::One(access) => access,
            Others::Crowd(crowd) => Access { stamp: Stamp(LINK | u64::from(crowd)), site: Site::default() },
        };
        (self.other, self.other_site) = (access.stamp, access.site);
    }

    /// Remembers an access if no other thread and nothing atomic was here; else changes nothing.
    #[inline]
    pub(super) fn touch_alone(&mut self, me: Access) -> bool {
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
pub(super) struct Shadow {
    pub(super) pages: Vec<Box<[Cell; PAGE_CELLS]>>,
    pub(super) free: Vec<u32>,
    pub(super) by_number: FxHashMap<u64, u32>,
    /// Pages used lately: number and index.
    pub(super) recent: Box<[(u64, u32); RECENT]>,
}

/// How many pages are found without a search.
pub(super) const RECENT: usize = 256;
pub(super) const NO_PAGE: u64 = u64::MAX;

#[derive(Clone, Copy)]
pub(super) struct CellAt {
    pub(super) page: u32,
    pub(super) index: usize,
}

pub(super) fn index_in_page(word: u64) -> usize {
    word as usize % PAGE_CELLS
}

impl Shadow {
    pub(super) fn new() -> Shadow {
        Shadow {
            pages: Vec::new(),
            free: Vec::new(),
            by_number: FxHashMap::default(),
            recent: Box::new([(NO_PAGE, 0); RECENT]),
        }
    }

    #[inline]
    pub(super) fn locate(&mut self, word: u64) -> CellAt {
        let number = word / PAGE_CELLS as u64;
        let (recent, page) = self.recent[number as usize % RECENT];
        let page = if recent == number { page } else { self.search(number) };
        CellAt { page, index: index_in_page(word) }
    }

    #[inline]
    pub(super) fn cell_mut(&mut self, at: CellAt) -> &mut Cell {
        &mut self.pages[at.page as usize][at.index]
    }

    #[inline(never)]
    pub(super) fn search(&mut self, number: u64) -> u32 {
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
    pub(super) fn pages_between(&self, start: u64, end: u64) -> Vec<u64> {
        let numbers = start / PAGE_BYTES..end.div_ceil(PAGE_BYTES);
        if numbers.end.saturating_sub(numbers.start) < self.by_number.len() as u64 {
            numbers.filter(|number| self.by_number.contains_key(number)).collect()
        } else {
            self.by_number.keys().copied().filter(|number| numbers.contains(number)).collect()
        }
    }

    /// Gives up a page whose cells are all empty.
    pub(super) fn remove(&mut self, number: u64) {
        if let Some(page) = self.by_number.remove(&number) {
            self.free.push(page);
        }
        self.recent[number as usize % RECENT] = (NO_PAGE, 0);
    }
}
