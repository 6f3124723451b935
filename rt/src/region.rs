//! A region as the program's code has it, which the plugin makes.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicPtr, AtomicU64, Ordering};

use crate::launch::State;
use crate::runtime::Carried;

/// What the library knows of `%ipda.region`, which the plugin's code has for 64-bit hosts. That code changes what is atomic here.
#[repr(C)]
pub struct Region {
    name: *const c_char,
    next: AtomicPtr<Region>,
    launches_on_host: AtomicI64,
    launches_on_device: AtomicI64,
    entries: *const i32,
    entry_count: i32,
    is_listed: AtomicI32,
    table: *const u8,
    table_length: i64,
    prepared: *const AtomicU64,
    prepared_count: i64,
    ready: AtomicI32,
    wants: AtomicI32,
    own: AtomicPtr<State>,
}

const _: () = assert!(size_of::<Region>() == 96);
const _: () = assert!(std::mem::offset_of!(Region, table) == 48 && std::mem::offset_of!(Region, prepared) == 64);
const _: () = assert!(std::mem::offset_of!(Region, ready) == 80 && std::mem::offset_of!(Region, own) == 88);

impl Region {
    /// What it carries.
    ///
    /// # Safety
    /// Its pointers are those of the plugin's code: a name that ends with a zero or null, and as many bytes of table as it says, or null.
    pub(crate) unsafe fn carried(&self) -> Carried<'_> {
        let name = if self.name.is_null() {
            "a region".to_owned()
        } else {
            // SAFETY: not null, and the caller vouches for the rest.
            unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
        };
        let length = usize::try_from(self.table_length).unwrap_or(0);
        let table = (!self.table.is_null() && length > 0).then(|| {
            // SAFETY: not null, and the caller vouches for the rest.
            unsafe { std::slice::from_raw_parts(self.table, length) }
        });
        Carried { name, table, prepared: self.prepared().len() }
    }

    /// Room for what its prediction needs of machines, as bits. Another thread may read it at any time.
    fn prepared(&self) -> &[AtomicU64] {
        let count = usize::try_from(self.prepared_count).unwrap_or(0);
        if self.prepared.is_null() || count == 0 {
            return &[];
        }
        // SAFETY: the plugin's code has that many, which are of the size and alignment of the numbers.
        unsafe { std::slice::from_raw_parts(self.prepared, count) }
    }

    /// Replaces what its prediction needs of machines.
    pub(crate) fn set_prepared(&self, values: &[f64]) {
        for (place, value) in self.prepared().iter().zip(values) {
            place.store(value.to_bits(), Ordering::Relaxed);
        }
    }

    /// What the library keeps of it, if it was taken in.
    pub(crate) fn state(&self) -> Option<&'static State> {
        // SAFETY: only `set_state` stores something, which stays.
        unsafe { self.own.load(Ordering::Acquire).as_ref() }
    }

    pub(crate) fn set_state(&self, state: &'static State) {
        self.own.store(std::ptr::from_ref(state).cast_mut(), Ordering::Release);
    }
}
