//! Memory whose pages are as large or as small as a measurement needs them.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

/// The size of huge pages where the base page has 4 KiB; larger ones are aligned to it too.
pub const HUGE: usize = 2 << 20;

/// Which pages the system is asked for; it need not give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pages {
    /// The largest ones.
    Huge,
    /// The base ones.
    Base,
    /// Those that a program gets that asks for none in particular.
    Usual,
}

unsafe extern "C" {
    fn madvise(address: *mut c_void, length: usize, advice: c_int) -> c_int;
}

/// Linux's numbers for huge pages and for none, in all architectures that are asked for here.
const MADV_HUGEPAGE: c_int = 14;
const MADV_NOHUGEPAGE: c_int = 15;

/// Words of memory, zero at first.
///
/// Invariant: `start` leads to `words` words that this owns, and `layout` is what they were allocated with.
pub struct Buffer {
    start: NonNull<u64>,
    words: usize,
    layout: Layout,
}

impl Buffer {
    /// `bytes` of memory in such pages.
    pub fn new(bytes: usize, pages: Pages) -> Buffer {
        let words = (bytes / size_of::<u64>()).max(1);
        let size = (words * size_of::<u64>()).next_multiple_of(HUGE);
        let layout =
            Layout::from_size_align(size, HUGE).expect("a size far below the address space and a power of two");
        // SAFETY: the layout's size is not zero.
        let Some(start) = NonNull::new(unsafe { alloc_zeroed(layout) }.cast::<u64>()) else {
            handle_alloc_error(layout)
        };
        let advice = match pages {
            Pages::Huge => Some(MADV_HUGEPAGE),
            Pages::Base => Some(MADV_NOHUGEPAGE),
            Pages::Usual => None,
        };
        if let Some(advice) = advice {
            // SAFETY: the range is aligned to pages and is this allocation; the advice changes no contents. Where the system refuses it, the
            // measurement says what its pages cost, which is what a program would meet.
            unsafe { madvise(start.as_ptr().cast(), size, advice) };
        }
        let mut buffer = Buffer { start, words, layout };
        // Every page is there before anything is measured.
        buffer.words_mut().iter_mut().step_by(512).for_each(|word| *word = 1);
        buffer
    }

    pub fn words(&self) -> &[u64] {
        // SAFETY: by the invariant, and `alloc_zeroed` initialised them.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: by the invariant, initialised, and `self` is borrowed for as long.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody has it after this.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}
