//! One access: who, when, how, and which bytes.

use super::event::{AccessKind, RaceSide, Site};

/// How an access touches memory; what it conflicts with depends on this alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Touch {
    Read,
    AtomicRead,
    AtomicWrite,
    Write,
}

impl Touch {
    /// By their numbers; all but the last are kept side by side in a cell.
    pub(super) const ALL: [Touch; 4] = [Touch::Read, Touch::AtomicRead, Touch::AtomicWrite, Touch::Write];
    pub(super) const BESIDE: usize = 3;

    pub(super) fn conflicts(self, other: Touch) -> bool {
        let both = [self, other];
        both.contains(&Touch::Write) || both.contains(&Touch::Read) && both.contains(&Touch::AtomicWrite)
    }

    /// Whether everything that conflicts with `other` conflicts with this.
    pub(super) fn covers(self, other: Touch) -> bool {
        self == other || self == Touch::Write || other == Touch::AtomicRead
    }
}

pub(super) const TOUCH_BITS: u32 = 2;
pub(super) const THREAD_BITS: u32 = 26;
/// The most threads of a launch.
pub const MAX_THREADS: u32 = 1 << THREAD_BITS;
/// The first bit of the time; two bits above it say that a stamp is none, but a link.
pub(super) const TIME_SHIFT: u32 = TOUCH_BITS + THREAD_BITS;
pub(super) const MAX_TIME: u64 = 1 << (62 - TIME_SHIFT);
pub(super) const THREAD_MASK: u64 = (MAX_THREADS as u64 - 1) << TOUCH_BITS;
pub(super) const TOUCH_MASK: u64 = (1 << TOUCH_BITS) - 1;

/// Who accessed, when, and how; 0 is nobody, since time begins at 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Stamp(pub(super) u64);

impl Stamp {
    pub(super) fn new(time: u64, thread: u32) -> Stamp {
        Stamp(time << TIME_SHIFT | u64::from(thread) << TOUCH_BITS)
    }

    pub(super) fn with_touch(self, touch: Touch) -> Stamp {
        Stamp(self.0 & !TOUCH_MASK | touch as u64)
    }

    pub(super) fn touch(self) -> Touch {
        Touch::ALL[(self.0 & TOUCH_MASK) as usize]
    }

    pub(super) fn thread(self) -> u32 {
        ((self.0 & THREAD_MASK) >> TOUCH_BITS) as u32
    }

    pub(super) fn time(self) -> u64 {
        self.0 >> TIME_SHIFT
    }
}

/// An access that is remembered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub(super) stamp: Stamp,
    pub(super) site: Site,
}

impl Access {
    pub(super) fn thread(self) -> u32 {
        self.stamp.thread()
    }

    pub(super) fn touch(self) -> Touch {
        self.stamp.touch()
    }

    /// Whether one thread did both with no event between that orders.
    pub(super) fn is_at_once_with(self, other: Access) -> bool {
        self.stamp.with_touch(Touch::Read) == other.stamp.with_touch(Touch::Read)
    }

    pub(super) fn side(self) -> RaceSide {
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
pub(super) struct Span {
    pub(super) address: u64,
    pub(super) bytes: u32,
}

impl Span {
    pub(super) fn end(self) -> u64 {
        self.address + u64::from(self.bytes)
    }
}

/// Bytes of a word that has a cell of its own.
pub(super) const WORD: usize = 4;

/// Bytes of an aligned word: from the first up to but without the last.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) from: u8,
    pub(super) to: u8,
}

impl Part {
    pub(super) const WHOLE: Part = Part { from: 0, to: WORD as u8 };

    pub(super) fn is_whole(self) -> bool {
        self.from == 0 && usize::from(self.to) == WORD
    }

    pub(super) fn bytes(self) -> impl Iterator<Item = usize> {
        usize::from(self.from)..usize::from(self.to)
    }
}

/// The words of a range of bytes.
pub(super) fn words(start: u64, end: u64) -> impl Iterator<Item = (u64, Part)> {
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
