//! What the library reads and changes of a region, which the plugin makes.

use std::ffi::CStr;
use std::sync::atomic::{AtomicU64, Ordering};

use ipda_models::table::Region;

use crate::launch::State;
use crate::runtime::Carried;

/// A region that the plugin made.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a>(&'a Region);

impl<'a> Shared<'a> {
    /// None for null.
    ///
    /// # Safety
    /// `region` is null or one that the plugin has made: its pointers are null, or lead to a name that ends with a zero, as many bytes of table and as
    /// many prepared numbers as it says, and what this library put there.
    pub(crate) unsafe fn of(region: *const Region) -> Option<Shared<'a>> {
        // SAFETY: null or right, as the caller says.
        unsafe { region.as_ref() }.map(Shared)
    }

    /// What it carries.
    pub(crate) fn carried(self) -> Carried<'a> {
        let name = if self.0.name.is_null() {
            "a region".to_owned()
        } else {
            // SAFETY: not null, and the maker vouches for the rest.
            unsafe { CStr::from_ptr(self.0.name) }.to_string_lossy().into_owned()
        };
        let length = usize::try_from(self.0.table_length).unwrap_or(0);
        let table = (!self.0.table.is_null() && length > 0).then(|| {
            // SAFETY: not null, and the maker vouches for the rest.
            unsafe { std::slice::from_raw_parts(self.0.table, length) }
        });
        Carried { name, table, prepared: self.prepared().len() }
    }

    /// Room for what its prediction needs of machines, as bits. Another thread may read it at any time.
    fn prepared(self) -> &'a [AtomicU64] {
        let count = usize::try_from(self.0.prepared_count).unwrap_or(0);
        if self.0.prepared.is_null() || count == 0 {
            return &[];
        }
        // SAFETY: the plugin's code has that many, which are of the size and alignment of the numbers.
        unsafe { std::slice::from_raw_parts(self.0.prepared, count) }
    }

    /// Replaces what its prediction needs of machines: what was remembered with other numbers is no answer any more. Only for a region whose table was
    /// read, so that its layout is this version's.
    pub(crate) fn set_prepared(self, values: &[f64]) {
        for (place, value) in self.prepared().iter().zip(values) {
            place.store(value.to_bits(), Ordering::Relaxed);
        }
        self.0.generation.fetch_add(1, Ordering::Release);
    }

    /// What the library keeps of it, if it was taken in.
    pub(crate) fn state(self) -> Option<&'static State> {
        // SAFETY: only `set_state` stores something, which stays.
        unsafe { self.0.library.load(Ordering::Acquire).cast::<State>().as_ref() }
    }

    pub(crate) fn set_state(self, state: &'static State) {
        self.0.library.store(std::ptr::from_ref(state).cast_mut().cast(), Ordering::Release);
    }
}
