//! What libomptarget starts: LLVM's own tests of it (`offload/test/offloading/small_trip_count.c`, `high_trip_count_block_limit.cpp`),
//! and what follows from its code.

use ipda_models::gpu::geometry::{
    DistSchedule, Environment, ExecutionMode, HighTripCount, Launch, Request, RuntimeDevice, Schedule, Share, launch,
    share,
};

const PLAIN: Request = Request {
    mode: ExecutionMode::Spmd,
    num_teams: None,
    thread_limit: None,
    trip_count: 0,
    kernel_max_threads: None,
    kernel_min_threads: None,
};

#[track_caller]
fn check(request: Request, environment: Environment, teams: u64, threads: u64) {
    let found = launch(&RuntimeDevice::NVIDIA, &request, &environment).expect("a launch");
    assert_eq!(found, Launch { teams, threads }, "{request:?}");
}

fn trips(trip_count: u64) -> Request {
    Request { trip_count, ..PLAIN }
}

#[test]
fn few_iterations_make_smaller_teams() {
    let usual = Environment::default();
    check(trips(128), usual, 4, 32);
    check(trips(127), usual, 4, 32);
    check(trips(129), usual, 5, 32);
    check(trips(1), usual, 1, 32);
    let eight = Environment { min_threads_for_low_trip_count: 8, ..usual };
    check(trips(128), eight, 16, 8);
    check(trips(127), eight, 16, 8);
    check(trips(129), eight, 17, 8);
    // The user's number is never changed.
    let limited = Request { thread_limit: Some(4), ..trips(128) };
    check(limited, usual, 32, 4);
    check(limited, eight, 32, 4);
}

#[test]
fn more_iterations_make_teams_of_a_power_of_two() {
    // 3200 * 32 = 102,400 and 3200 * 128 = 409,600 are the borders.
    check(trips(102_399), Environment::default(), 3200, 32);
    check(trips(102_400), Environment::default(), 3200, 32);
    check(trips(102_401), Environment::default(), 1601, 64);
    check(trips(200_000), Environment::default(), 3125, 64);
    check(trips(204_801), Environment::default(), 1601, 128);
    check(trips(409_599), Environment::default(), 3200, 128);
    check(trips(409_600), Environment::default(), 3200, 128);
}

#[test]
fn many_iterations_use_teams_again() {
    check(trips(819_200), Environment::default(), 3200, 128);
    let more = Environment { high_trip_count: HighTripCount::MoreTeams, ..Environment::default() };
    check(trips(819_200), more, 6400, 128);
}

#[test]
fn clauses_and_variables_limit() {
    let usual = Environment::default();
    check(Request { num_teams: Some(7), ..trips(1_000_000) }, usual, 7, 128);
    check(Request { thread_limit: Some(256), ..trips(1_000_000) }, usual, 3200, 256);
    check(Request { thread_limit: Some(4096), ..trips(1_000_000) }, usual, 977, 1024);
    check(Request { thread_limit: Some(100), ..trips(1000) }, usual, 10, 100);
    check(PLAIN, usual, 3200, 128);
    let five = Environment { num_teams: Some(5), ..usual };
    check(trips(1_000_000), five, 5, 128);
    check(Request { num_teams: Some(7), ..trips(10) }, five, 5, 128);
    let narrow = Environment { teams_thread_limit: Some(64), ..usual };
    check(trips(1_000_000), narrow, 3200, 64);
    check(Request { thread_limit: Some(100), ..trips(1_000_000) }, narrow, 3200, 64);
    // What registers allow, and what the kernel's environment says.
    check(Request { kernel_max_threads: Some(96), ..trips(1_000_000) }, usual, 3200, 96);
    check(Request { kernel_min_threads: Some(512), ..trips(10_000_000) }, usual, 3200, 512);
}

#[test]
fn generic_kernels_have_a_team_for_each_iteration_and_a_warp_more() {
    let usual = Environment::default();
    let generic = |trip_count| Request { mode: ExecutionMode::Generic, ..trips(trip_count) };
    check(generic(1000), usual, 1000, 128);
    check(generic(10_000), usual, 3200, 128);
    check(Request { thread_limit: Some(64), ..generic(1000) }, usual, 1000, 96);
    check(Request { mode: ExecutionMode::GenericSpmd, thread_limit: Some(64), ..trips(1000) }, usual, 1000, 64);
}

/// What the INFO messages of libomptarget 19.1.7 said with a driver that pretends to have an H100, of one program with these constructs.
#[test]
fn as_the_runtime_did_it() {
    let usual = Environment::default();
    let plain = trips(0);
    let teams = Request { num_teams: Some(7), ..plain };
    let limited = Request { thread_limit: Some(96), ..plain };
    let few = Request { thread_limit: Some(64), kernel_max_threads: Some(64), ..plain };
    let many = Request { thread_limit: Some(512), kernel_max_threads: Some(512), ..plain };
    let alone = Request { num_teams: Some(1), ..plain };
    let generic_spmd = Request { mode: ExecutionMode::GenericSpmd, ..plain };
    let limited_generic_spmd = Request { mode: ExecutionMode::GenericSpmd, ..few };
    let generic = Request { mode: ExecutionMode::Generic, ..plain };
    let limited_generic = Request { mode: ExecutionMode::Generic, ..few };
    let all = [plain, teams, limited, few, many, alone, generic_spmd, limited_generic_spmd, generic, limited_generic];
    let rows = |trip_count, environment, expected: [(u64, u64); 10]| {
        for (request, (teams, threads)) in all.into_iter().zip(expected) {
            check(Request { trip_count, ..request }, environment, teams, threads);
        }
    };
    let full = (3200, 128);
    rows(0, usual, [full, (7, 128), (3200, 96), (3200, 64), (3200, 512), (1, 128), full, (3200, 64), full, (3200, 64)]);
    let hundred =
        [(4, 32), (7, 128), (2, 96), (2, 64), (1, 512), (1, 128), (100, 128), (100, 64), (100, 128), (100, 64)];
    rows(100, usual, hundred);
    let middle =
        [(2344, 64), (7, 128), (1563, 96), (2344, 64), (293, 512), (1, 128), full, (3200, 64), full, (3200, 64)];
    rows(150_000, usual, middle);
    let million = [full, (7, 128), (3200, 96), (3200, 64), (1954, 512), (1, 128), full, (3200, 64), full, (3200, 64)];
    rows(1_000_000, usual, million);
    let five = Environment { num_teams: Some(5), ..usual };
    let of_five = [(5, 32), (5, 128), (5, 96), (5, 64), (2, 512), (1, 128), (5, 128), (5, 64), (5, 128), (5, 64)];
    rows(1000, five, of_five);
    let narrow = Environment { teams_thread_limit: Some(48), ..usual };
    let of_narrow =
        [(32, 32), (7, 48), (21, 48), (21, 48), (21, 48), (1, 48), (1000, 48), (1000, 48), (1000, 48), (1000, 48)];
    rows(1000, narrow, of_narrow);
    let eight = Environment { min_threads_for_low_trip_count: 8, ..usual };
    let of_eight =
        [(125, 8), (7, 128), (11, 96), (16, 64), (2, 512), (1, 128), (1000, 128), (1000, 64), (1000, 128), (1000, 64)];
    rows(1000, eight, of_eight);
    let more = Environment { high_trip_count: HighTripCount::MoreTeams, ..usual };
    let of_more = [
        (7813, 128),
        (7, 128),
        (10_417, 96),
        (15_625, 64),
        (1954, 512),
        (1, 128),
        (1_000_000, 128),
        (1_000_000, 64),
        (1_000_000, 128),
        (1_000_000, 64),
    ];
    rows(1_000_000, more, of_more);
    check(plain, more, (1 << 31) - 1, 128);
    // A limit that the compiler does not know: the initial thread's warp comes on top.
    let at_run_time = Request { mode: ExecutionMode::Generic, thread_limit: Some(96), ..trips(100) };
    check(at_run_time, usual, 100, 128);
}

#[test]
fn amd_has_teams_by_compute_units() {
    let mi210 = RuntimeDevice::amd(64, 104);
    let found = launch(&mi210, &trips(10_000_000), &Environment::default()).expect("a launch");
    assert_eq!(found, Launch { teams: 416, threads: 256 });
}

#[test]
fn nothing_is_never_asked_for() {
    let error = launch(&RuntimeDevice::NVIDIA, &Request { num_teams: Some(0), ..PLAIN }, &Environment::default());
    assert_eq!(error.expect_err("no teams").to_string(), "num_teams is 0, expected at least 1");
}

/// The same by going through the schedule as the device's runtime does: who does which iteration.
fn counted(trips: u64, launch: Launch, dist: DistSchedule, schedule: Schedule) -> (u64, u64) {
    let chunk = match dist {
        DistSchedule::TeamByTeam => launch.threads,
        DistSchedule::Chunked(length) => length,
        DistSchedule::Even => trips.div_ceil(launch.teams),
    };
    let piece = match schedule {
        Schedule::InTurn => 1,
        Schedule::Chunked(length) | Schedule::Dynamic(length) => length,
    };
    let mut done = vec![0_u64; (launch.teams * launch.threads) as usize];
    for iteration in 0..trips {
        let team = iteration / chunk % launch.teams;
        let thread = iteration % chunk / piece % launch.threads;
        done[(team * launch.threads + thread) as usize] += 1;
    }
    let busy = |team: &[u64]| team.iter().filter(|count| **count > 0).count() as u64;
    let teams = done.chunks(launch.threads as usize);
    (done.iter().copied().max().unwrap_or(0), teams.map(busy).max().unwrap_or(0))
}

#[test]
fn shares_are_those_that_counting_gives() {
    let schedules =
        [Schedule::InTurn, Schedule::Chunked(1), Schedule::Chunked(3), Schedule::Chunked(100), Schedule::Dynamic(2)];
    let dists = [DistSchedule::TeamByTeam, DistSchedule::Chunked(5), DistSchedule::Chunked(64), DistSchedule::Even];
    let mut compared = 0;
    for trips in [1, 2, 7, 31, 32, 33, 100, 255, 1000] {
        for (teams, threads) in [(1, 1), (1, 32), (3, 8), (7, 5), (40, 32)] {
            for (dist, schedule) in dists.into_iter().flat_map(|dist| schedules.map(|schedule| (dist, schedule))) {
                let launch = Launch { teams, threads };
                let found = share(trips, launch, dist, schedule).expect("a loop");
                let (most, busy) = counted(trips, launch, dist, schedule);
                let found = (found.omp_rep, found.busy_threads);
                assert_eq!(found, (most, busy), "{trips} {launch:?} {dist:?} {schedule:?}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 900);
}

#[test]
fn shares_of_the_usual_schedules() {
    let launch = Launch { teams: 3200, threads: 128 };
    let of = |trips, dist, schedule| share(trips, launch, dist, schedule).expect("a loop");
    let usual = of(819_201, DistSchedule::TeamByTeam, Schedule::InTurn);
    assert_eq!(usual, Share { omp_rep: 3, busy_threads: 128, requests: 0 });
    // schedule(static, 4): 32 of 128 lanes of a team do four each.
    let four = of(819_200, DistSchedule::TeamByTeam, Schedule::Chunked(4));
    assert_eq!(four, Share { omp_rep: 8, busy_threads: 32, requests: 0 });
    let dynamic = of(819_200, DistSchedule::TeamByTeam, Schedule::Dynamic(1));
    assert_eq!(dynamic, Share { omp_rep: 2, busy_threads: 128, requests: 4 });
    let chunked = of(819_200, DistSchedule::Chunked(1024), Schedule::InTurn);
    assert_eq!(chunked, Share { omp_rep: 8, busy_threads: 128, requests: 0 });
    assert_eq!(of(0, DistSchedule::TeamByTeam, Schedule::InTurn).omp_rep, 0);
    assert!(share(1, launch, DistSchedule::Chunked(0), Schedule::InTurn).is_err());
}
