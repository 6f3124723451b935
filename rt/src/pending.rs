//! The launches that a thread has under way, with when they began.

use std::cell::Cell;
use std::time::Instant;

use crate::launch::Launch;

/// Launches of a thread, one in the other, at most; of more, the outermost are not measured. A launch that never ends, as where an exception
/// goes through it, leaves a place behind that is used again.
const MOST: usize = 8;

struct Pending {
    places: [Cell<Option<(u32, Launch, Instant)>>; MOST],
    serial: Cell<u32>,
}

thread_local! {
    // Nothing in it needs to be dropped, so that it can be used as long as its thread runs.
    static PENDING: Pending =
        const { Pending { places: [const { Cell::new(None) }; MOST], serial: Cell::new(0) } };
}

/// Keeps a launch that begins now: a number by which it is found, which is never 0 nor negative.
pub(crate) fn put(launch: Launch) -> i64 {
    PENDING
        .try_with(|pending| {
            let serial = pending.serial.get().wrapping_add(1).max(1);
            pending.serial.set(serial);
            pending.places[serial as usize % MOST].set(Some((serial, launch, Instant::now())));
            i64::from(serial)
        })
        .unwrap_or(0)
}

/// Takes out the launch of that number, with its seconds until now.
pub(crate) fn take(number: i64) -> Option<(Launch, f64)> {
    let now = Instant::now();
    PENDING
        .try_with(|pending| {
            let place = &pending.places[usize::try_from(number).ok()? % MOST];
            let (serial, launch, start) = place.get()?;
            if i64::from(serial) != number {
                return None;
            }
            place.set(None);
            Some((launch, now.duration_since(start).as_secs_f64()))
        })
        .ok()
        .flatten()
}
