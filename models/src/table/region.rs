//! A region as the program's code, which the plugin makes, and the library share it.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU16, AtomicU64};

/// Defines a structure as C lays it out, and a list of its fields' names and places.
macro_rules! shared {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Debug)]
        pub struct $name { $($(#[$doc])* pub $field: $ty,)* }

        impl $name {
            /// The names of all fields and how many bytes from the start each is.
            pub const LAYOUT: &'static [(&'static str, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*];
        }
    };
}

shared! {
    /// What is known of a region when the program runs: `struct ipda_region` of `pass/support/region.h`, for hosts of 64 bits. What is atomic changes.
    Region {
        /// What `IPDA_LOG` prints of it; ends with a zero.
        name: *const c_char,
        /// The next one in the list of those that were launched.
        next: AtomicPtr<Region>,
        /// What its launches took, where that is reported at the end.
        sums: AtomicPtr<c_void>,
        /// What stands for it among what is kept of launches, else 0.
        seed: AtomicU64,
        /// Entries of the launch's arrays that must have a size and must not be on the device for a launch on the host.
        entries: *const i32,
        /// How many.
        entry_count: i32,
        /// Whether it is in the list.
        is_listed: AtomicI32,
        /// Its decision table as bytes, or null.
        table: *const u8,
        /// How many bytes.
        table_length: i64,
        /// Bits of what its prediction needs of machines.
        prepared: *const AtomicU64,
        /// How many numbers.
        prepared_count: i64,
        /// Whether it was offered to the library, and its prediction spread.
        is_ready: AtomicI32,
        /// What the library wants: bit 0 to choose among devices, bit 1 to keep what launches took.
        wants: AtomicI32,
        /// The library's own.
        library: AtomicPtr<c_void>,
        /// The prediction's program within the table, or null.
        program: *const u8,
        /// The last values and their answer.
        memory: *const AtomicU64,
        /// Goes up with the prepared numbers: what was remembered before is no answer any more.
        generation: AtomicI32,
        /// Whether its host version starts teams.
        has_teams: i32,
        /// The names of the variables that its prediction reads, one after the other, each with a zero.
        value_names: *const c_char,
        /// What the prediction takes for granted, in words, or null.
        granted: *const c_char,
        /// The names of the versions, one after the other, each with a zero, or null.
        version_names: *const c_char,
        /// Its prediction's steps as launches evaluate them: so many as [`Placed::spread`](super::Placed::spread) says.
        steps: *const AtomicU16,
    }
}

impl Region {
    /// One without a table.
    pub const fn new(name: &'static CStr) -> Region {
        Region {
            name: name.as_ptr(),
            next: AtomicPtr::new(null_mut()),
            sums: AtomicPtr::new(null_mut()),
            seed: AtomicU64::new(0),
            entries: null(),
            entry_count: 0,
            is_listed: AtomicI32::new(0),
            table: null(),
            table_length: 0,
            prepared: null(),
            prepared_count: 0,
            is_ready: AtomicI32::new(0),
            wants: AtomicI32::new(0),
            library: AtomicPtr::new(null_mut()),
            program: null(),
            memory: null(),
            generation: AtomicI32::new(0),
            has_teams: 0,
            value_names: null(),
            granted: null(),
            version_names: null(),
            steps: null(),
        }
    }
}

/// Words of a region's memory beside those of its values: `IPDA_MEMORY` of `pass/support/program.h`.
pub const MEMORY: usize = 8;
