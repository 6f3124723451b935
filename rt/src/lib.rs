//! The optional library of programs whose launches choose between host and device: `libipda_rt.so`, linked or preloaded.
//!
//! It finds out which machines the program runs on, and puts what predictions need of them in the place of what the build named; it measures
//! launches and tells how far predictions are off (IPDA_LOG), and learns from that (IPDA_LEARN). The program calls the three functions below
//! where they are there. Nothing that is wrong with files, variables or tables stops a program: it is told once, and what was compiled in stays.

mod devices;
mod launch;
pub mod learn;
pub mod machines;
mod openmp;
mod pending;
mod region;
mod runtime;
mod settings;
mod tell;
mod values;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ipda_models::table::Region;

use crate::launch::{Asked, MayTurn};
use crate::learn::{Predicted, Side};
use crate::region::Shared;
use crate::runtime::Runtime;
use crate::tell::{lock, tell_once};

/// Bit 0 of what a region gets told: its launches are to be measured.
const WANTS_TIMES: i32 = 1;
/// Bits of what the launch's code says: that it has chosen the host, that this may be turned, that the launch may go to another device.
const HOST_CHOSEN: i32 = 1;
const HOST_OPEN: i32 = 2;
const DEVICE_OPEN: i32 = 4;
/// Set in a choice that runs on the host.
const ON_THE_HOST: i64 = 1 << 62;
/// Where a choice has the device's number and one more; nothing is the usual device.
const DEVICE: u32 = 48;
/// A launch's number in a choice.
const NUMBER: i64 = (1 << DEVICE) - 1;

/// After a fault nothing is done any more.
static IS_OFF: AtomicBool = AtomicBool::new(false);
/// Held while a region is taken in.
static TAKING_IN: Mutex<()> = Mutex::new(());
/// Whether something is done at the end.
static IS_REGISTERED: AtomicBool = AtomicBool::new(false);

/// Does it, unless there was a fault: the program's code knows nothing of unwinding.
fn guarded<T>(otherwise: T, work: impl FnOnce() -> T + std::panic::UnwindSafe) -> T {
    if IS_OFF.load(Ordering::Relaxed) {
        return otherwise;
    }
    catch_unwind(work).unwrap_or_else(|_| {
        IS_OFF.store(true, Ordering::Relaxed);
        let _ = catch_unwind(|| tell_once("a fault in libipda_rt.so, which does nothing from here on"));
        otherwise
    })
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

extern "C" fn finish() {
    guarded((), || Runtime::existing().into_iter().for_each(Runtime::finish));
}

/// A region before its first decision: its prepared values become those of the machines that are there. Returns bit 0 if its launches are
/// to be measured. Threads may call it at the same time, and again.
///
/// # Safety
/// `region` is null or one that the plugin has made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_region(region: *const Region) -> i32 {
    // SAFETY: null or right, as the caller says.
    let Some(region) = (unsafe { Shared::of(region) }) else { return 0 };
    guarded(0, || {
        let runtime = Runtime::get();
        let _held = lock(&TAKING_IN);
        // Once: another thread may have begun to use its values.
        let state = region.state().unwrap_or_else(|| {
            if runtime.settings.wants_times() && !IS_REGISTERED.swap(true, Ordering::Relaxed) {
                // SAFETY: a function of this library, which stays; without room for it nothing is told at the end.
                unsafe { atexit(finish) };
            }
            let (state, prepared) = runtime.region(&region.carried());
            prepared.iter().for_each(|prepared| region.set_prepared(prepared));
            region.set_state(state);
            state
        });
        if runtime.settings.wants_times() || !state.others.is_empty() { WANTS_TIMES } else { 0 }
    })
}

/// A launch before its work: returns a number for [`__ipda_rt_end`], with bit 62 set if it is to run on the host, else in bits 48 to 61 the number
/// of the device and one more, or 0 for the usual one. In `asked`, bit 0 says that the launch's code chose the host, bit 1 that the host may run
/// it and this may be turned, bit 2 that it may go to any device. There are `count` values, those that the region's prediction captures.
///
/// # Safety
/// `region` is null or one that the plugin has made, `values` null or so many numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_choose(
    region: *const Region,
    asked: i32,
    host: f64,
    device: f64,
    values: *const f64,
    count: i32,
) -> i64 {
    let side = if asked & HOST_CHOSEN == 0 { Side::Device } else { Side::Host };
    let bit = |side: Side| if side == Side::Host { ON_THE_HOST } else { 0 };
    guarded(bit(side), || {
        // SAFETY: null or right, as the caller says.
        let state = unsafe { Shared::of(region) }.and_then(Shared::state);
        let (Some(state), Some(runtime)) = (state, Runtime::existing()) else { return bit(side) };
        let may = |bit: i32| if asked & bit == 0 { MayTurn::No } else { MayTurn::Yes };
        let values = match usize::try_from(count) {
            // SAFETY: not null, and so many numbers, as the caller says.
            Ok(count) if !values.is_null() => unsafe { std::slice::from_raw_parts(values, count) },
            _ => &[],
        };
        let times = Predicted::of_times(host, device);
        // What may not be turned was not chosen by them.
        let plain = if asked & HOST_OPEN == 0 { times.plain } else { side };
        let predicted = Predicted { plain, ..times };
        let asked = Asked { side, host: may(HOST_OPEN), device: may(DEVICE_OPEN), predicted, values };
        let launch = state.begin(&runtime.settings, &asked);
        let device = launch.device.map_or(0, |number| (i64::from(number) + 1) << DEVICE);
        pending::put(launch) | device | bit(launch.side)
    })
}

/// A launch after its work, from the thread that began it.
///
/// # Safety
/// None beyond those of the other two: `region` is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_end(_region: *const Region, token: i64) {
    guarded((), || {
        if let (Some((launch, seconds)), Some(runtime)) = (pending::take(token & NUMBER), Runtime::existing()) {
            launch.end(&runtime.settings, seconds);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_turns_the_library_off_and_goes_no_further() {
        assert_eq!(guarded(7, || 8), 8);
        assert_eq!(guarded(7, || panic!("a fault that the test makes")), 7);
        assert_eq!(guarded(7, || 8), 7);
    }

    #[test]
    fn nothing_is_no_region() {
        // SAFETY: null is allowed.
        unsafe {
            assert_eq!(__ipda_rt_region(std::ptr::null()), 0);
            assert_eq!(__ipda_rt_choose(std::ptr::null(), 1, 1.0, 2.0, std::ptr::null(), 0), ON_THE_HOST);
            assert_eq!(__ipda_rt_choose(std::ptr::null(), 2, 1.0, 2.0, std::ptr::null(), 0), 0);
            __ipda_rt_end(std::ptr::null(), 12_345);
            __ipda_rt_end(std::ptr::null(), -1);
        }
    }
}
