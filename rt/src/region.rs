//! What the library reads and changes of a region, which the plugin makes.

use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use ipda_models::table::Region;

use crate::launch::State;
use crate::runtime::Carried;

/// A region that the plugin made. Its fields are looked at one by one: objects of an earlier version have fewer, of which those up to `library` are the
/// same.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a>(NonNull<Region>, PhantomData<&'a Region>);

impl<'a> Shared<'a> {
    /// None for null.
    ///
    /// # Safety
    /// `region` is null or one that the plugin has made: its pointers are null, or lead to a name that ends with a zero, as many bytes of table and as
    /// many prepared numbers as it says, and what this library put there.
    pub(crate) unsafe fn of(region: *const Region) -> Option<Shared<'a>> {
        Some(Shared(NonNull::new(region.cast_mut())?, PhantomData))
    }

    fn name(self) -> *const c_char {
        // SAFETY: it is alive, as whoever made this says.
        unsafe { (*self.0.as_ptr()).name }
    }

    fn table(self) -> (*const u8, i64) {
        // SAFETY: as above.
        unsafe { ((*self.0.as_ptr()).table, (*self.0.as_ptr()).table_length) }
    }

    fn library(self) -> &'a AtomicPtr<c_void> {
        // SAFETY: as above.
        unsafe { &(*self.0.as_ptr()).library }
    }

    /// What it carries.
    pub(crate) fn carried(self) -> Carried<'a> {
        let name = if self.name().is_null() {
            "a region".to_owned()
        } else {
            // SAFETY: not null, and the maker vouches for the rest.
            unsafe { CStr::from_ptr(self.name()) }.to_string_lossy().into_owned()
        };
        let (table, length) = self.table();
        let length = usize::try_from(length).unwrap_or(0);
        let table = (!table.is_null() && length > 0).then(|| {
            // SAFETY: not null, and the maker vouches for the rest.
            unsafe { std::slice::from_raw_parts(table, length) }
        });
        Carried { name, table, prepared: self.prepared().len() }
    }

    /// Room for what its prediction needs of machines, as bits. Another thread may read it at any time.
    fn prepared(self) -> &'a [AtomicU64] {
        // SAFETY: it is alive, as whoever made this says.
        let (prepared, count) = unsafe { ((*self.0.as_ptr()).prepared, (*self.0.as_ptr()).prepared_count) };
        let count = usize::try_from(count).unwrap_or(0);
        if prepared.is_null() || count == 0 {
            return &[];
        }
        // SAFETY: the plugin's code has that many, which are of the size and alignment of the numbers.
        unsafe { std::slice::from_raw_parts(prepared, count) }
    }

    /// Replaces what its prediction needs of machines: what was remembered with other numbers is no answer any more. Only for a region whose table was
    /// read, so that its layout is this version's.
    pub(crate) fn set_prepared(self, values: &[f64]) {
        for (place, value) in self.prepared().iter().zip(values) {
            place.store(value.to_bits(), Ordering::Relaxed);
        }
        // SAFETY: it is alive, and of this version, as its table was read.
        unsafe { &(*self.0.as_ptr()).generation }.fetch_add(1, Ordering::Release);
    }

    /// What the library keeps of it, if it was registered.
    pub(crate) fn state(self) -> Option<&'static State> {
        // SAFETY: only `set_state` stores something, which stays.
        unsafe { self.library().load(Ordering::Acquire).cast::<State>().as_ref() }
    }

    pub(crate) fn set_state(self, state: &'static State) {
        self.library().store(std::ptr::from_ref(state).cast_mut().cast(), Ordering::Release);
    }
}
