//! The optional library of programs whose launches choose between host and device: `libipda_rt.so`, linked or preloaded.
//!
//! It finds out which machines the program runs on, and puts what predictions need of them in the place of what the build named; it measures
//! launches and tells how far predictions are off (IPDA_LOG), and learns from that (IPDA_LEARN). The program calls the three functions below
//! where they are there. Nothing that is wrong with files, variables or tables stops a program: it is told once, and what was compiled in stays.

pub mod learn;
pub mod machines;
mod openmp;
mod pending;
mod region;
mod runtime;
mod settings;
mod tell;
pub mod values;

use std::panic::catch_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::learn::{Predicted, Side};
pub use crate::region::Region;
use crate::runtime::{HostVersion, Runtime, WANTS_TIMES};
use crate::tell::{lock, tell_once};

/// Set in a choice that runs on the host.
const ON_THE_HOST: i64 = 1 << 62;
/// Bits of what the launch's code says of the host: that it has chosen it, that the choice may be turned.
const HOST_CHOSEN: i32 = 1;
const HOST_ALLOWED: i32 = 2;

/// After a fault nothing is done any more.
static IS_OFF: AtomicBool = AtomicBool::new(false);
/// Held while a region is taken in.
static TAKING_IN: Mutex<()> = Mutex::new(());

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
    let Some(region) = (unsafe { region.as_ref() }) else { return 0 };
    guarded(0, || {
        let runtime = Runtime::get();
        let flags = if runtime.settings.wants_times() { WANTS_TIMES } else { 0 };
        let _held = lock(&TAKING_IN);
        // Once: another thread may have begun to use them.
        if region.own.load(Ordering::Acquire).is_null() {
            static IS_REGISTERED: AtomicBool = AtomicBool::new(false);
            if runtime.settings.wants_times() && !IS_REGISTERED.swap(true, Ordering::Relaxed) {
                // SAFETY: a function of this library, which stays; without room for it nothing is told at the end.
                unsafe { atexit(finish) };
            }
            // SAFETY: the plugin has made it, as the caller says.
            let (state, prepared) = runtime.region(&unsafe { region.carried() });
            if let Some(prepared) = prepared {
                region.set_prepared(&prepared);
            }
            region.own.store(std::ptr::from_ref(state).cast_mut(), Ordering::Release);
        }
        flags
    })
}

/// A launch before its work: returns a number for [`__ipda_rt_end`], with bit 62 set if it is to run on the host. `on_host` has bit 0 if the
/// launch's code chose the host, bit 1 if the host may run it and the choice may be turned.
///
/// # Safety
/// `region` is null or one that the plugin has made.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_choose(
    region: *const Region,
    on_host: i32,
    host: f64,
    device: f64,
    _values: *const f64,
    _count: i32,
) -> i64 {
    let asked = if on_host & HOST_CHOSEN == 0 { Side::Device } else { Side::Host };
    let bit = |side: Side| if side == Side::Host { ON_THE_HOST } else { 0 };
    guarded(bit(asked), || {
        // SAFETY: null or right, as the caller says; what it leads to was stored by `__ipda_rt_region` and stays.
        let state = unsafe { region.as_ref().and_then(|region| region.own.load(Ordering::Acquire).as_ref()) };
        let (Some(state), Some(runtime)) = (state, Runtime::existing()) else { return bit(asked) };
        let version = if on_host & HOST_ALLOWED == 0 { HostVersion::Settled } else { HostVersion::MayRun };
        let launch = runtime.begin(state, asked, version, Predicted { host, device });
        pending::put(launch) | bit(launch.side)
    })
}

/// A launch after its work, from the thread that began it.
///
/// # Safety
/// None beyond those of the other two: `region` is not used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __ipda_rt_end(_region: *const Region, token: i64) {
    guarded((), || {
        if let (Some((launch, seconds)), Some(runtime)) = (pending::take(token & !ON_THE_HOST), Runtime::existing()) {
            runtime.end(&launch, seconds);
        }
    });
}
