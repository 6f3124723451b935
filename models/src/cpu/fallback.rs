//! How many threads run a target region on the host.
//!
//! As LLVM 19's libomp does it for `teams` (`__kmp_push_num_teams` in `openmp/runtime/src/kmp_runtime.cpp`), which surprises: without
//! clauses there is one team; `num_threads` never raises the number; and teams times threads never exceeds the machine's processors
//! unless `KMP_TEAMS_THREAD_LIMIT` says so.

use crate::error::{ModelError, some};
use crate::form::{Num, Truth};

/// A target region, as the program writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostRequest {
    /// With `teams`, and a parallel loop inside.
    Teams {
        /// The `num_teams` clause.
        num_teams: Option<u64>,
        /// The `thread_limit` clause.
        thread_limit: Option<u64>,
        /// The `num_threads` clause.
        num_threads: Option<u64>,
    },
    /// Without.
    Parallel {
        /// The `thread_limit` clause.
        thread_limit: Option<u64>,
        /// The `num_threads` clause.
        num_threads: Option<u64>,
    },
}

/// The machine and the environment variables of libomp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostEnvironment {
    /// Hardware threads of the machine.
    pub processors: u64,
    /// Those that the process may use.
    pub available: u64,
    /// `OMP_NUM_THREADS`
    pub num_threads: Option<u64>,
    /// `OMP_NUM_TEAMS`
    pub num_teams: Option<u64>,
    /// `OMP_TEAMS_THREAD_LIMIT`
    pub teams_thread_limit: Option<u64>,
    /// `KMP_TEAMS_THREAD_LIMIT`
    pub kmp_teams_thread_limit: Option<u64>,
}

impl HostEnvironment {
    /// A process with all hardware threads of a machine, and no variables.
    pub fn of(processors: u64) -> HostEnvironment {
        HostEnvironment {
            processors,
            available: processors,
            num_threads: None,
            num_teams: None,
            teams_thread_limit: None,
            kmp_teams_thread_limit: None,
        }
    }
}

/// Teams and the threads of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostThreads {
    /// The teams.
    pub teams: u64,
    /// The threads of each.
    pub threads: u64,
}

impl HostThreads {
    /// All threads.
    pub fn all(self) -> u64 {
        self.teams.saturating_mul(self.threads)
    }
}

/// How many threads run the region on the host.
///
/// # Errors
/// If there are no processors, or a clause or a variable that is given is 0.
pub fn host_threads(request: HostRequest, environment: &HostEnvironment) -> Result<HostThreads, ModelError> {
    some("processors", environment.processors)?;
    some("available", environment.available)?;
    let (HostRequest::Teams { thread_limit, num_threads, .. } | HostRequest::Parallel { thread_limit, num_threads }) =
        request;
    let num_teams = match request {
        HostRequest::Teams { num_teams, .. } => num_teams,
        HostRequest::Parallel { .. } => None,
    };
    let given = [
        ("num_teams", num_teams),
        ("thread_limit", thread_limit),
        ("num_threads", num_threads),
        ("OMP_NUM_THREADS", environment.num_threads),
        ("OMP_NUM_TEAMS", environment.num_teams),
        ("OMP_TEAMS_THREAD_LIMIT", environment.teams_thread_limit),
        ("KMP_TEAMS_THREAD_LIMIT", environment.kmp_teams_thread_limit),
    ];
    for (name, value) in given {
        some(name, value.unwrap_or(1))?;
    }
    let (num_teams, thread_limit) = match request {
        HostRequest::Teams { .. } => {
            (num_teams.or(environment.num_teams), thread_limit.or(environment.teams_thread_limit))
        }
        HostRequest::Parallel { .. } => (None, thread_limit),
    };
    let clauses = ClausesLater {
        has_teams: matches!(request, HostRequest::Teams { .. }).into(),
        num_teams: num_teams.map(Num::from),
        thread_limit: thread_limit.map(Num::from),
        num_threads: num_threads.map(Num::from),
    };
    let process = ProcessLater {
        most: environment.kmp_teams_thread_limit.unwrap_or(environment.processors).into(),
        available: environment.available.into(),
        usual: environment.num_threads.unwrap_or(environment.available).into(),
    };
    let (teams, threads) = threads_later(&clauses, &process);
    Ok(HostThreads { teams: teams.get() as u64, threads: threads.get() as u64 })
}

/// The clauses of a region, or what the environment says instead, in numbers that may be known later.
pub(crate) struct ClausesLater {
    pub(crate) has_teams: Truth,
    pub(crate) num_teams: Option<Num>,
    pub(crate) thread_limit: Option<Num>,
    pub(crate) num_threads: Option<Num>,
}

/// A process, in numbers that may be known later.
pub(crate) struct ProcessLater {
    /// The most threads of all teams.
    pub(crate) most: Num,
    /// Hardware threads that it may use.
    pub(crate) available: Num,
    /// Threads of its parallel regions.
    pub(crate) usual: Num,
}

/// Teams, and the threads of each.
pub(crate) fn threads_later(clauses: &ClausesLater, process: &ProcessLater) -> (Num, Num) {
    let least = |number: Num, limit: Option<Num>| limit.map_or(number, |limit| number.min(limit));
    let usual = process.usual.max(1.0);
    let teams = clauses.num_teams.map_or(Num::ONE, |teams| teams.clamp(1.0, process.most));
    let room = (process.most / teams).floor();
    let wanted = clauses.thread_limit.unwrap_or_else(|| (process.available / teams).floor());
    let in_teams = least(room.min(usual).min(wanted), clauses.num_threads).max(1.0);
    let alone = least(clauses.num_threads.unwrap_or(usual), clauses.thread_limit).max(1.0);
    (clauses.has_teams.choose(teams, Num::ONE), clauses.has_teams.choose(in_teams, alone))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What programs on a machine with 2 processors printed, with libomp 19.1.7.
    #[test]
    fn as_libomp_does_it() {
        let teams = |num_teams, thread_limit, num_threads| HostRequest::Teams { num_teams, thread_limit, num_threads };
        let plain = teams(None, None, None);
        let two = HostEnvironment::of(2);
        let wide = HostEnvironment { kmp_teams_thread_limit: Some(16), ..two };
        let six = HostEnvironment { num_threads: Some(6), ..wide };
        let check = |request, environment: &HostEnvironment, expected| {
            let found = host_threads(request, environment).expect("right inputs");
            assert_eq!((found.teams, found.threads), expected, "{request:?} {environment:?}");
        };
        check(plain, &two, (1, 2));
        check(teams(Some(3), None, None), &two, (2, 1));
        check(teams(None, Some(5), None), &two, (1, 2));
        check(teams(None, None, Some(7)), &two, (1, 2));
        check(teams(Some(2), Some(3), Some(7)), &two, (2, 1));
        check(plain, &HostEnvironment { num_teams: Some(3), ..two }, (2, 1));
        check(plain, &HostEnvironment { available: 1, ..two }, (1, 1));
        check(plain, &six, (1, 2));
        check(teams(None, Some(5), None), &six, (1, 5));
        check(teams(None, Some(5), Some(2)), &six, (1, 2));
        check(teams(None, Some(2), Some(5)), &six, (1, 2));
        check(teams(Some(2), Some(3), Some(7)), &six, (2, 3));
        check(plain, &HostEnvironment { teams_thread_limit: Some(4), ..six }, (1, 4));
        check(teams(Some(3), None, None), &HostEnvironment { teams_thread_limit: Some(9), ..six }, (3, 5));
        check(teams(Some(3), None, None), &HostEnvironment { teams_thread_limit: Some(9), ..wide }, (3, 2));
        let all = HostEnvironment { num_threads: Some(9), num_teams: Some(5), teams_thread_limit: Some(9), ..wide };
        check(plain, &all, (5, 3));
        let parallel = |thread_limit, num_threads| HostRequest::Parallel { thread_limit, num_threads };
        check(parallel(None, None), &HostEnvironment { num_threads: Some(4), ..two }, (1, 4));
        check(parallel(Some(5), None), &six, (1, 5));
        check(parallel(Some(5), Some(9)), &six, (1, 5));
    }

    #[test]
    fn clauses_of_nothing_are_errors() {
        let request = HostRequest::Teams { num_teams: Some(0), thread_limit: None, num_threads: None };
        let error = host_threads(request, &HostEnvironment::of(2)).expect_err("no teams");
        assert_eq!(error.to_string(), "num_teams is 0, expected at least 1");
    }
}
