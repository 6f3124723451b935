//! How a launch is spread over the device.

use crate::form::Num;

/// What a kernel's threads get.
pub(crate) struct Handed {
    /// Teams that get iterations; of nothing, one.
    pub(crate) teams: Num,
    /// Teams that a multiprocessor has room for.
    pub(crate) fits: Num,
    /// Threads of a team that get iterations; of nothing, one.
    pub(crate) busy_threads: Num,
    /// Iterations of the parallel loop, of all threads together.
    pub(crate) iterations: Num,
    /// The most of one thread: OMP_Rep.
    pub(crate) omp_rep: Num,
    /// Of these, the ones of one chunk of its team.
    pub(crate) of_chunk: Num,
    /// The longest iteration over an average one, or chunk.
    pub(crate) longest: Num,
    /// How often a thread asks the runtime for a chunk.
    pub(crate) requests: Num,
    pub(crate) filling: Filling,
}

/// How many iterations of warps the threads' iterations are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filling {
    /// All warps of a team that have iterations have as many lanes with some.
    Evenly,
    /// Lane after lane, so that only the last warp of all has lanes without; it counts as a whole one.
    InTurn,
}

/// How a launch is spread over the device.
pub(crate) struct Spread {
    /// Teams of the fullest multiprocessor, altogether.
    pub(crate) teams_of_sm: Num,
    /// Teams of the fullest multiprocessor at a time.
    pub(crate) teams_at_a_time: Num,
    /// Teams of all multiprocessors at a time.
    pub(crate) all_at_a_time: Num,
    /// How many teams run one after another.
    pub(crate) rounds: Num,
    /// Warps of a team that have iterations.
    pub(crate) warps_of_team: Num,
    /// How often a warp, of all teams, does an iteration of the parallel loop.
    pub(crate) warp_iterations: Num,
    /// The same, of the fullest multiprocessor; where iterations take differently long, as many average ones.
    pub(crate) warp_iterations_of_sm: Num,
}

impl Spread {
    /// Over so many multiprocessors, with warps of so many lanes.
    pub(crate) fn of(multiprocessors: Num, lanes: f64, handed: &Handed) -> Spread {
        let Handed { teams, busy_threads, iterations, .. } = *handed;
        let teams_of_sm = teams.div_ceil(multiprocessors);
        let teams_at_a_time = teams_of_sm.min(handed.fits);
        let warps_of_team = busy_threads.div_ceil(lanes);
        let warp_iterations = match handed.filling {
            Filling::Evenly => iterations * warps_of_team / busy_threads,
            Filling::InTurn => iterations.div_ceil(lanes),
        };
        // The first team has a whole round, also where another has little.
        let of_first = warps_of_team.min(warp_iterations);
        // The longest iterations are neighbours, and a multiprocessor's teams far from each other: one of them has long ones.
        let average_teams = if handed.longest == Num::ONE { teams_of_sm } else { teams_of_sm - 1.0 + handed.longest };
        Spread {
            teams_of_sm,
            teams_at_a_time,
            all_at_a_time: teams.min(handed.fits * multiprocessors),
            rounds: teams_of_sm.div_ceil(handed.fits),
            warps_of_team,
            warp_iterations,
            warp_iterations_of_sm: (warp_iterations * average_teams / teams).max(of_first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(teams: u64, busy_threads: u64, iterations: u64, filling: Filling) -> Spread {
        let handed = Handed {
            teams: teams.into(),
            fits: 16_u64.into(),
            busy_threads: busy_threads.into(),
            iterations: iterations.into(),
            omp_rep: Num::ONE,
            of_chunk: Num::ONE,
            longest: Num::ONE,
            requests: Num::ZERO,
            filling,
        };
        Spread::of(80_u64.into(), 32.0, &handed)
    }

    #[test]
    fn a_team_more_than_fits_makes_a_round() {
        let rounds = |teams: u64| {
            let Spread { teams_of_sm, teams_at_a_time, all_at_a_time, rounds, .. } =
                spread(teams, 128, teams * 128, Filling::Evenly);
            [teams_of_sm, teams_at_a_time, all_at_a_time, rounds].map(Num::get)
        };
        assert_eq!(rounds(3), [1.0, 1.0, 3.0, 1.0]);
        assert_eq!(rounds(1280), [16.0, 16.0, 1280.0, 1.0]);
        assert_eq!(rounds(1281), [17.0, 16.0, 1280.0, 2.0]);
    }

    #[test]
    fn the_first_of_few_teams_has_a_whole_round() {
        let of_sm = |teams, omp_rep: u64, iterations: u64| {
            let handed = Handed {
                teams: Num::from(teams),
                fits: 2_u64.into(),
                busy_threads: 1024_u64.into(),
                iterations: iterations.into(),
                omp_rep: omp_rep.into(),
                of_chunk: Num::ONE,
                longest: Num::ONE,
                requests: Num::ZERO,
                filling: Filling::InTurn,
            };
            Spread::of(80_u64.into(), 32.0, &handed).warp_iterations_of_sm.get()
        };
        // The second team has a row.
        assert_eq!(of_sm(2_u64, 1, 1025), 32.0);
        // Of many teams, those of a multiprocessor have as many as others on average.
        assert_eq!(of_sm(160_u64, 2, 160 * 1536), 2.0 * 48.0);
        assert_eq!(of_sm(2_u64, 0, 0), 0.0);
    }

    #[test]
    fn warps_that_are_filled_in_turn_are_whole() {
        let warps = |iterations, filling| spread(4, 128, iterations, filling).warp_iterations.get();
        for iterations in [32, 64, 512, 4096] {
            assert_eq!(warps(iterations, Filling::Evenly), warps(iterations, Filling::InTurn));
        }
        assert_eq!([Filling::Evenly, Filling::InTurn].map(|filling| warps(500, filling)), [15.625, 16.0]);
    }
}
