//! How many teams and threads OpenMP's runtime starts, and what each thread gets.
//!
//! As LLVM 19's libomptarget computes it: `GenericKernelTy::init`, `getNumThreads`, `getNumBlocks` in
//! `offload/plugins-nextgen/common/src/PluginInterface.cpp`; numbers of the targets from `llvm/Frontend/OpenMP/OMPGridValues.h` and the
//! plugins' `initImpl`.

mod launch;
mod share;

pub use launch::Launch;
pub use share::{DistSchedule, Schedule, Share, share};
pub(crate) use share::{Pieces, Shared, Teams, share_of_busiest, share_of_chunks};

use crate::error::{ModelError, some};
use crate::form::Num;

/// What the runtime knows of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuntimeDevice {
    /// Threads of a warp.
    pub lanes: u64,
    /// The most threads of a team (`GV_Max_WG_Size`, which the plugins ask the driver for).
    pub max_threads: u64,
    /// Threads of a team where nothing else is said (`GV_Default_WG_Size`).
    pub default_threads: u64,
    /// The most teams (`GV_Max_Teams`, which the plugins ask the driver for).
    pub max_teams: u64,
    /// The number of teams beyond which teams are used again (`GV_Default_Num_Teams`).
    pub default_teams: u64,
}

impl RuntimeDevice {
    /// Any GPU of NVIDIA since compute capability 3.0: 128 threads and up to 3200 teams, whatever its size.
    pub const NVIDIA: RuntimeDevice = RuntimeDevice {
        lanes: 32,
        max_threads: 1024,
        default_threads: 128,
        // CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X
        max_teams: (1 << 31) - 1,
        default_teams: 3200,
    };

    /// A GPU of AMD: 256 threads, and four teams for each compute unit (`LIBOMPTARGET_AMDGPU_TEAMS_PER_CU`).
    pub const fn amd(lanes: u64, compute_units: u64) -> RuntimeDevice {
        RuntimeDevice {
            lanes,
            max_threads: 1024,
            default_threads: 256,
            // The largest grid of the driver, 2^32 - 1 threads, in teams of the largest size.
            max_teams: u32::MAX as u64 / 1024,
            default_teams: 4 * compute_units,
        }
    }
}

/// How the device runs a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionMode {
    /// All threads from the start: `target teams distribute parallel for`, written so or made so by the optimiser.
    Spmd,
    /// One thread of a team until a parallel region starts the others; a warp more than the program asks for.
    Generic,
    /// Written as generic, run as SPMD: threads as in SPMD, teams as in generic mode.
    GenericSpmd,
}

/// A launch, as the program asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// How the kernel runs.
    pub mode: ExecutionMode,
    /// What the `num_teams` clause says; 1 for a target region without teams.
    pub num_teams: Option<u64>,
    /// What the `thread_limit` or `num_threads` clause says, the smaller of both. If it is a constant, the compiler tells the kernel's
    /// environment as well, and it belongs into `kernel_max_threads` too.
    pub thread_limit: Option<u64>,
    /// The iterations that the runtime is told: of the loop that is distributed over the teams. 0 where it is told none.
    pub trip_count: u64,
    /// `MaxThreads` of the kernel's environment, or what its registers allow (`CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`), the smaller.
    pub kernel_max_threads: Option<u64>,
    /// `MinThreads` of the kernel's environment.
    pub kernel_min_threads: Option<u64>,
}

/// The environment variables of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Environment {
    /// `OMP_NUM_TEAMS`: the most teams.
    pub num_teams: Option<u64>,
    /// `OMP_TEAMS_THREAD_LIMIT`: the most threads of a team.
    pub teams_thread_limit: Option<u64>,
    /// `LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT`: the threads that a team is not made smaller than to get more teams.
    pub min_threads_for_low_trip_count: u64,
    /// `LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT`.
    pub high_trip_count: HighTripCount,
}

/// What happens with more iterations than the default number of teams has threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HighTripCount {
    /// Threads run several iterations each.
    ReuseTeams,
    /// There are as many teams as it takes.
    MoreTeams,
}

impl Default for Environment {
    fn default() -> Environment {
        Environment {
            num_teams: None,
            teams_thread_limit: None,
            min_threads_for_low_trip_count: 32,
            high_trip_count: HighTripCount::ReuseTeams,
        }
    }
}

/// What the runtime starts.
///
/// # Errors
/// If a number of the device, a clause or a variable that is given is 0.
pub fn launch(device: &RuntimeDevice, request: &Request, environment: &Environment) -> Result<Launch, ModelError> {
    some("device.lanes", device.lanes)?;
    some("device.max_threads", device.max_threads)?;
    some("device.default_threads", device.default_threads)?;
    some("device.max_teams", device.max_teams)?;
    some("device.default_teams", device.default_teams)?;
    let given = [
        ("num_teams", request.num_teams),
        ("thread_limit", request.thread_limit),
        ("kernel_max_threads", request.kernel_max_threads),
        ("OMP_NUM_TEAMS", environment.num_teams),
        ("OMP_TEAMS_THREAD_LIMIT", environment.teams_thread_limit),
        ("LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT", Some(environment.min_threads_for_low_trip_count)),
    ];
    for (name, value) in given {
        some(name, value.unwrap_or(1))?;
    }
    let number = |count: u64| Num::from(count);
    let device = Device {
        lanes: number(device.lanes),
        max_threads: number(
            device
                .max_threads
                .min(environment.teams_thread_limit.unwrap_or(u64::MAX))
                .min(request.kernel_max_threads.unwrap_or(u64::MAX)),
        ),
        default_threads: number(device.default_threads.max(request.kernel_min_threads.unwrap_or(0))),
        max_teams: number(device.max_teams.min(environment.num_teams.unwrap_or(u64::MAX))),
        default_teams: number(device.default_teams),
        min_threads: number(environment.min_threads_for_low_trip_count),
    };
    let (teams, threads) = started(
        &device,
        request.mode,
        request.num_teams.map(number),
        request.thread_limit.map(number),
        (request.trip_count > 0).then(|| number(request.trip_count)),
        environment.high_trip_count,
    );
    Ok(Launch { teams: teams.get() as u64, threads: threads.get() as u64 })
}

/// A device and its environment, in numbers that may be known later.
pub(crate) struct Device {
    pub(crate) lanes: Num,
    /// The most that the device, the kernel and the environment allow.
    pub(crate) max_threads: Num,
    pub(crate) default_threads: Num,
    pub(crate) max_teams: Num,
    pub(crate) default_teams: Num,
    pub(crate) min_threads: Num,
}

impl Device {
    /// What differs from machine to machine, with a key each.
    pub(crate) fn by_keys(&mut self) -> Vec<(String, &mut Num)> {
        let Device { lanes: _, max_threads, default_threads, max_teams, default_teams, min_threads: _ } = self;
        let all = [
            ("max_threads", max_threads),
            ("default_threads", default_threads),
            ("max_teams", max_teams),
            ("default_teams", default_teams),
        ];
        all.map(|(key, number)| (key.to_owned(), number)).into()
    }
}

impl From<&RuntimeDevice> for Device {
    fn from(device: &RuntimeDevice) -> Device {
        Device {
            lanes: device.lanes.into(),
            max_threads: device.max_threads.into(),
            default_threads: device.default_threads.into(),
            max_teams: device.max_teams.into(),
            default_teams: device.default_teams.into(),
            min_threads: Environment::default().min_threads_for_low_trip_count.into(),
        }
    }
}

/// Teams and threads; `trips` is what the runtime is told, if anything.
pub(crate) fn started(
    device: &Device,
    mode: ExecutionMode,
    num_teams: Option<Num>,
    thread_limit: Option<Num>,
    trips: Option<Num>,
    high_trip_count: HighTripCount,
) -> (Num, Num) {
    // `getNumThreads`
    let wanted = match (thread_limit, mode) {
        // The warp in which the initial thread waits.
        (Some(clause), ExecutionMode::Generic) => clause + device.lanes,
        (Some(clause), ExecutionMode::Spmd | ExecutionMode::GenericSpmd) => clause,
        (None, _) => device.default_threads,
    };
    let threads = device.max_threads.min(wanted);
    if let Some(teams) = num_teams {
        return (teams.min(device.max_teams), threads);
    }
    let (teams, threads) = match (trips, mode) {
        (None, _) => (device.max_teams, threads),
        (Some(trips), ExecutionMode::Spmd) => match thread_limit {
            Some(_) => of_teams(trips, threads),
            None => for_trip_count(device, trips, threads),
        },
        (Some(trips), ExecutionMode::Generic | ExecutionMode::GenericSpmd) => (trips, threads),
    };
    let teams = match high_trip_count {
        HighTripCount::ReuseTeams => teams.min(device.default_teams),
        HighTripCount::MoreTeams => teams,
    };
    (teams.min(device.max_teams), threads)
}

/// A thread for each iteration.
fn of_teams(trips: Num, threads: Num) -> (Num, Num) {
    (trips.div_ceil(threads), threads)
}

/// `getNumBlocks` for a combined construct without `thread_limit`: a thread for each iteration, and teams made smaller where there would be too few.
fn for_trip_count(device: &Device, trips: Num, threads: Num) -> (Num, Num) {
    let smaller = threads.min(power_of_two(trips.div_ceil(device.default_teams), device.min_threads));
    // As a closed form, the power of 2 says which case it is: it is never below `min_threads`.
    if trips.now().is_none() {
        return of_teams(trips, smaller);
    }
    let min_threads = device.min_threads.min(threads);
    let is_few = trips.less(device.default_teams * min_threads);
    of_teams(trips, trips.less(device.default_teams * threads).choose(is_few.choose(min_threads, smaller), threads))
}

/// The largest number of threads that [`power_of_two`] tells apart where it is known later: the most that runtimes start unasked.
const LARGEST_TEAM: u32 = 256;

/// The smallest power of 2 that is not below `number`, which is not below `min_threads`.
fn power_of_two(number: Num, min_threads: Num) -> Num {
    let power = |number: f64| (number as u64).checked_next_power_of_two().unwrap_or(u64::MAX) as f64;
    if let Some(power) = number.changed(power) {
        return power;
    }
    let first = min_threads.known().map_or(1, |min_threads| (min_threads as u32).max(1).next_power_of_two());
    let steps = (0..).map(|step| first << step).take_while(|power| *power < LARGEST_TEAM);
    steps.fold(Num::from(first), |found, power| number.more(power).choose(2 * power, found))
}
