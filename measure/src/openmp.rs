//! What the OpenMP runtime costs: libomp's own entry points, called as compiled code calls them.
//!
//! The method is that of the EPCC micro-benchmarks: many repetitions of a construct without work. Starting and ending a region are measured
//! apart by when threads come and go.

use std::ffi::{CStr, c_char, c_int};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::library::Library;
use crate::samples::{Samples, seconds};

/// Regions of a sample; loops and barriers of a region.
const REPEATS: usize = 200;
/// Iterations of the dynamically scheduled loop that fall to each thread, at a chunk of one.
const CHUNKS: i32 = 500;
/// Between samples: what a core shares with another one's work comes and goes in tenths of seconds, and halves its speed.
const APART: Duration = Duration::from_millis(20);

/// Seconds of each construct.
pub struct Costs {
    /// From the call to when the last thread has begun.
    pub startup: Samples,
    /// From when the last thread is done to the call's end.
    pub join: Samples,
    /// A loop with a static schedule, for each thread.
    pub static_schedule: Samples,
    /// A loop with a static schedule for teams.
    pub teams_schedule: Samples,
    /// A chunk of a loop with a dynamic schedule.
    pub dynamic_schedule: Samples,
    /// A barrier.
    pub barrier: Samples,
    /// The library's name.
    pub library: String,
}

/// kmp.h: `ident_t`.
#[repr(C)]
struct Ident {
    reserved_1: i32,
    flags: i32,
    reserved_2: i32,
    reserved_3: i32,
    source: *const c_char,
}

// SAFETY: nothing changes it, and the text that it leads to is static.
unsafe impl Sync for Ident {}

/// kmp.h: `KMP_IDENT_KMPC`, which all code that clang makes has.
const KMP_IDENT_KMPC: i32 = 2;
const SOURCE: &CStr = c";unknown;unknown;0;0;;";
static HERE: Ident =
    Ident { reserved_1: 0, flags: KMP_IDENT_KMPC, reserved_2: 0, reserved_3: 0, source: SOURCE.as_ptr() };

/// kmp.h: `kmp_sch_static`, `kmp_distribute_static` and `kmp_sch_dynamic_chunked`.
const STATIC: i32 = 34;
const DISTRIBUTE_STATIC: i32 = 92;
const DYNAMIC_CHUNKED: i32 = 35;

type Microtask = extern "C" fn(*const i32, *const i32, *const Shared);
type Fork = unsafe extern "C" fn(*const Ident, c_int, Microtask, ...);
type StaticInit = unsafe extern "C" fn(*const Ident, i32, i32, *mut i32, *mut i32, *mut i32, *mut i32, i32, i32);
type Located = unsafe extern "C" fn(*const Ident, i32);
type DispatchInit = unsafe extern "C" fn(*const Ident, i32, i32, i32, i32, i32, i32);
type DispatchNext = unsafe extern "C" fn(*const Ident, i32, *mut i32, *mut i32, *mut i32, *mut i32) -> i32;

/// libomp's functions by their names, with the signatures of kmp.h.
#[derive(Clone, Copy)]
struct Runtime {
    fork_teams: Fork,
    fork_call: Fork,
    thread_number: unsafe extern "C" fn(*const Ident) -> i32,
    push_num_threads: unsafe extern "C" fn(*const Ident, i32, i32),
    static_init: StaticInit,
    static_fini: Located,
    dispatch_init: DispatchInit,
    dispatch_next: DispatchNext,
    barrier: Located,
}

impl Runtime {
    fn of(library: &Library) -> Result<Runtime, String> {
        // SAFETY: kmp.h declares each of these names with the field's signature, and has not changed them since 2013.
        unsafe {
            Ok(Runtime {
                fork_teams: library.function(c"__kmpc_fork_teams")?,
                fork_call: library.function(c"__kmpc_fork_call")?,
                thread_number: library.function(c"__kmpc_global_thread_num")?,
                push_num_threads: library.function(c"__kmpc_push_num_threads")?,
                static_init: library.function(c"__kmpc_for_static_init_4")?,
                static_fini: library.function(c"__kmpc_for_static_fini")?,
                dispatch_init: library.function(c"__kmpc_dispatch_init_4")?,
                dispatch_next: library.function(c"__kmpc_dispatch_next_4")?,
                barrier: library.function(c"__kmpc_barrier")?,
            })
        }
    }

    /// Runs a region with that many threads, in one team: the host's version of a target region is a parallel region in a league of teams.
    fn region(&self, work: Microtask, shared: &Shared) {
        self.teams(team, &League { work, shared });
    }

    fn teams(&self, of_team: Microtask, league: &League<'_>) {
        // SAFETY: a call as clang makes it: `HERE` is static, one argument follows the function as the count says, and `league` outlives
        // the teams, which have ended when the call returns.
        unsafe { (self.fork_teams)(&raw const HERE, 1, of_team, std::ptr::from_ref(league).cast::<Shared>()) };
    }
}

/// What the team runs.
struct League<'a> {
    work: Microtask,
    shared: &'a Shared,
}

extern "C" fn team(_global: *const i32, _bound: *const i32, league: *const Shared) {
    // SAFETY: `Runtime::region` passes a league that outlives the teams.
    let League { work, shared } = unsafe { &*league.cast::<League<'_>>() };
    let Runtime { fork_call, thread_number, push_num_threads, .. } = shared.runtime;
    // SAFETY: calls as clang makes them: one argument follows the function, and `shared` outlives the region.
    unsafe {
        let own = thread_number(&raw const HERE);
        push_num_threads(&raw const HERE, own, shared.threads);
        fork_call(&raw const HERE, 1, *work, std::ptr::from_ref(*shared));
    }
}

/// What a team does of a `distribute` loop beside its iterations.
extern "C" fn distribute(_global: *const i32, _bound: *const i32, league: *const Shared) {
    // SAFETY: as above.
    let League { shared, .. } = unsafe { &*league.cast::<League<'_>>() };
    // SAFETY: a call as clang makes it.
    let own = unsafe { (shared.runtime.thread_number)(&raw const HERE) };
    shared.longest(seconds_of_static(&shared.runtime, own, DISTRIBUTE_STATIC));
}

/// Seconds to ask for a share of a loop of 1024 iterations.
fn seconds_of_static(runtime: &Runtime, own: i32, schedule: i32) -> f64 {
    let taken = seconds(|| {
        for _ in 0..REPEATS {
            let (mut last, mut lower, mut upper, mut stride) = (0, 0, 1023, 1);
            let (last, lower, upper) = (&raw mut last, &raw mut lower, &raw mut upper);
            // SAFETY: as clang calls them, with places for what they give.
            unsafe {
                (runtime.static_init)(&raw const HERE, own, schedule, last, lower, upper, &raw mut stride, 1, 1);
                (runtime.static_fini)(&raw const HERE, own);
            }
        }
    });
    taken / REPEATS as f64
}

/// What the threads of a region share.
struct Shared {
    runtime: Runtime,
    threads: i32,
    start: Instant,
    /// Nanoseconds after `start` when the last thread came, and when the last one went.
    came: AtomicU64,
    went: AtomicU64,
    /// Seconds of the construct, by the thread that took longest.
    taken: Mutex<f64>,
}

impl Shared {
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn longest(&self, seconds: f64) {
        if let Ok(mut taken) = self.taken.lock() {
            *taken = taken.max(seconds);
        }
    }
}

// Called by the runtime, so none of these may panic.

extern "C" fn come_and_go(_global: *const i32, _bound: *const i32, shared: *const Shared) {
    // SAFETY: `Runtime::region` passes a reference that outlives the region; this holds for all of these functions.
    let shared = unsafe { &*shared };
    shared.came.fetch_max(shared.now(), Ordering::Relaxed);
    shared.went.fetch_max(shared.now(), Ordering::Relaxed);
}

extern "C" fn static_loops(global: *const i32, _bound: *const i32, shared: *const Shared) {
    // SAFETY: as above; the runtime passes the thread's number.
    let (shared, own) = unsafe { (&*shared, *global) };
    shared.longest(seconds_of_static(&shared.runtime, own, STATIC));
}

extern "C" fn dynamic_loop(global: *const i32, _bound: *const i32, shared: *const Shared) {
    // SAFETY: as above.
    let (shared, own) = unsafe { (&*shared, *global) };
    let Runtime { dispatch_init, dispatch_next, .. } = shared.runtime;
    // One thread alone gets the loop as one chunk, and the last call has none to give.
    let mut calls = 0_u32;
    let taken = seconds(|| {
        let (mut last, mut lower, mut upper, mut stride) = (0, 0, 0, 0);
        // SAFETY: as clang calls them for a loop of so many iterations, until there are no more.
        unsafe {
            dispatch_init(&raw const HERE, own, DYNAMIC_CHUNKED, 0, CHUNKS.saturating_mul(shared.threads) - 1, 1, 1);
            loop {
                calls += 1;
                let places = (&raw mut last, &raw mut lower, &raw mut upper, &raw mut stride);
                if dispatch_next(&raw const HERE, own, places.0, places.1, places.2, places.3) == 0 {
                    break;
                }
            }
        }
    });
    shared.longest(taken / f64::from(calls));
}

extern "C" fn barriers(global: *const i32, _bound: *const i32, shared: *const Shared) {
    // SAFETY: as above.
    let (shared, own) = unsafe { (&*shared, *global) };
    let taken = seconds(|| {
        for _ in 0..REPEATS {
            // SAFETY: every thread of the region makes the same calls.
            unsafe { (shared.runtime.barrier)(&raw const HERE, own) };
        }
    });
    shared.longest(taken / REPEATS as f64);
}

/// Measures with that many threads.
///
/// # Errors
/// Where there is no libomp, in words.
pub fn measure(threads: usize, samples: usize) -> Result<Costs, String> {
    let library = Library::open(&names())?;
    let runtime = Runtime::of(&library)?;
    let threads = i32::try_from(threads).map_err(|_| "too many threads".to_owned())?;
    let shared = || Shared {
        runtime,
        threads,
        start: Instant::now(),
        came: AtomicU64::new(0),
        went: AtomicU64::new(0),
        taken: Mutex::new(0.0),
    };
    // The first region makes the threads.
    runtime.region(come_and_go, &shared());
    let mut startups = Vec::new();
    let mut joins = Vec::new();
    for repeat in 0..samples * REPEATS {
        if repeat % REPEATS == 0 {
            sleep(APART);
        }
        let shared = shared();
        runtime.region(come_and_go, &shared);
        let end = shared.now();
        startups.push(shared.came.load(Ordering::Relaxed) as f64 * 1e-9);
        joins.push(end.saturating_sub(shared.went.load(Ordering::Relaxed)) as f64 * 1e-9);
    }
    let construct = |work: Microtask| {
        Samples::take(samples, || {
            sleep(APART);
            let shared = shared();
            // The threads are awake.
            runtime.region(come_and_go, &shared);
            runtime.region(work, &shared);
            shared.taken.lock().map_or(f64::NAN, |taken| *taken)
        })
    };
    Ok(Costs {
        startup: Samples::of(startups),
        join: Samples::of(joins),
        static_schedule: construct(static_loops),
        teams_schedule: Samples::take(samples, || {
            sleep(APART);
            let shared = shared();
            runtime.teams(distribute, &League { work: come_and_go, shared: &shared });
            shared.taken.lock().map_or(f64::NAN, |taken| *taken)
        }),
        dynamic_schedule: construct(dynamic_loop),
        barrier: construct(barriers),
        library: library.name,
    })
}

/// Where libomp is looked for: IPDA_LIBOMP alone where it is set, else by name and where LLVM's packages put it.
fn names() -> Vec<PathBuf> {
    if let Some(path) = crate::variable("IPDA_LIBOMP") {
        return vec![path.into()];
    }
    let mut names: Vec<PathBuf> = ["libomp.so.5", "libomp.so"].map(PathBuf::from).into();
    let mut packages: Vec<PathBuf> =
        std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    packages.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm-")));
    packages.sort();
    names.extend(packages.iter().rev().map(|path| path.join("lib/libomp.so.5")));
    names
}
