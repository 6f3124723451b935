//! The optional library of programs whose launches choose between host and device: `libipda_rt.so`, linked or preloaded.
//!
//! It finds out which machines the program runs on, and puts what predictions need of them in the place of what the build named; it keeps in a file what
//! launches have learned (IPDA_LEARN), and names the fastest of several devices (IPDA_DEVICES). The program calls the functions below where they are there. Nothing that is wrong with files, variables or tables stops a program: it is reported once, and what was compiled in stays.

mod devices;
mod launch;
pub mod learn;
pub mod machines;
mod messages;
mod openmp;
mod region;
mod runtime;
mod settings;
mod values;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use ipda_models::table::Region;

use crate::learn::Kept;
use crate::messages::{lock, report_once};
use crate::region::Shared;
use crate::runtime::Runtime;

/// Bits of what a region is answered: its launches ask for the device; their times are kept.
const MAY_GO_ELSEWHERE: i32 = 1;
const KEEPS: i32 = 2;

/// After a fault nothing is done any more.
static IS_OFF: AtomicBool = AtomicBool::new(false);
/// Held while a region is registered.
static REGISTERING: Mutex<()> = Mutex::new(());
/// Whether the end of the program calls [`finish`].
static HAS_EXIT_HANDLER: AtomicBool = AtomicBool::new(false);

/// Does it, unless there was a fault: the program's code knows nothing of unwinding.
fn guarded<T>(otherwise: T, work: impl FnOnce() -> T + std::panic::UnwindSafe) -> T {
    if IS_OFF.load(Ordering::Relaxed) {
        return otherwise;
    }
    catch_unwind(work).unwrap_or_else(|_| {
        IS_OFF.store(true, Ordering::Relaxed);
        let _ = catch_unwind(|| report_once("a fault in libipda_rt.so, which does nothing from here on"));
        otherwise
    })
}

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

extern "C" fn finish() {
    guarded((), || Runtime::existing().into_iter().for_each(Runtime::finish));
}

/// A region before its first decision: its prepared values become those of the machines that are there. Returns bit 0 if its launches may go to other
/// devices, bit 1 if their times are kept. Threads may call it at the same time, and again.
///
/// # Safety
/// `region` is null or one that the plugin has made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_region(region: *const Region) -> i32 {
    // SAFETY: null or right, as the caller says.
    let Some(region) = (unsafe { Shared::of(region) }) else { return 0 };
    guarded(0, || {
        let runtime = Runtime::get();
        let _held = lock(&REGISTERING);
        // Once: another thread may have begun to use its values.
        let state = region.state().unwrap_or_else(|| {
            if runtime.settings.file().is_some() && !HAS_EXIT_HANDLER.swap(true, Ordering::Relaxed) {
                // SAFETY: a function of this library, which stays; without room for it nothing is kept at the end.
                unsafe { atexit(finish) };
            }
            let (state, prepared) = runtime.region(&region.carried());
            prepared.iter().for_each(|prepared| region.set_prepared(prepared));
            region.set_state(state);
            state
        });
        let elsewhere = if state.others.is_empty() { 0 } else { MAY_GO_ELSEWHERE };
        elsewhere | if state.keeps() { KEEPS } else { 0 }
    })
}

/// The number and one more of the device that a launch is to go to, where another than the default one is predicted to take less than so many seconds, else 0.
/// There are `count` values, those that the region's prediction captures.
///
/// # Safety
/// `region` is null or one that the plugin has made, `values` null or so many numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_device(region: *const Region, seconds: f64, values: *const f64, count: i32) -> i32 {
    guarded(0, || {
        // SAFETY: null or right, as the caller says.
        let Some(state) = unsafe { Shared::of(region) }.and_then(Shared::state) else { return 0 };
        let values = match usize::try_from(count) {
            // SAFETY: not null, and so many numbers, as the caller says.
            Ok(count) if !values.is_null() => unsafe { std::slice::from_raw_parts(values, count) },
            _ => &[],
        };
        state.faster_device(seconds, values).map_or(0, |number| number + 1)
    })
}

/// What stands for a region in the keys of its classes, in each run alike; 0 where nothing is kept.
///
/// # Safety
/// `region` is null or one that the plugin has made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_seed(region: *const Region) -> u64 {
    // SAFETY: null or right, as the caller says.
    let state = unsafe { Shared::of(region) }.and_then(Shared::state);
    guarded(0, || state.filter(|state| state.keeps()).map_or(0, |state| state.key.seed()))
}

/// Gives the class of that number, of those that are known of a region. Returns 1, or 0 where there is none.
///
/// # Safety
/// `region` is null or one that the plugin has made, and `kept` null or a place for a class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_recall(region: *const Region, number: i32, kept: *mut Kept) -> i32 {
    // SAFETY: null or right, as the caller says.
    let state = unsafe { Shared::of(region) }.and_then(Shared::state);
    let class = guarded(None, || state?.class(usize::try_from(number).ok()?));
    // SAFETY: as above.
    let Some((class, place)) = class.zip(unsafe { kept.as_mut() }) else { return 0 };
    *place = class;
    1
}

/// Keeps what is known of a class by now.
///
/// # Safety
/// `region` is null or one that the plugin has made, and `kept` null or a class.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_keep(region: *const Region, kept: *const Kept) {
    // SAFETY: null or right, as the caller says.
    let (state, kept) = unsafe { (Shared::of(region).and_then(Shared::state), kept.as_ref()) };
    guarded((), || state.zip(kept).into_iter().for_each(|(state, kept)| state.keep(*kept)));
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
        let mut kept = Kept::default();
        // SAFETY: null is allowed.
        unsafe {
            assert_eq!(__ipda_rt_region(std::ptr::null()), 0);
            assert_eq!(__ipda_rt_device(std::ptr::null(), 1.0, std::ptr::null(), 0), 0);
            assert_eq!(__ipda_rt_seed(std::ptr::null()), 0);
            assert_eq!(__ipda_rt_recall(std::ptr::null(), 0, &raw mut kept), 0);
            __ipda_rt_keep(std::ptr::null(), &raw const kept);
            __ipda_rt_keep(std::ptr::null(), std::ptr::null());
        }
    }
}
