//! What the waits of warps and the stations that they share add to each other.
//!
//! A kernel is a closed queueing network: its warps, of which the device always holds the same number, circulate between waits, which each has for
//! itself, and a station that they share, such as the units of a multiprocessor or the banks of the memory. By mean value analysis for
//! many customers (P. Schweitzer, "Approximate analysis of multiclass closed networks of queues", 1979), a warp that is served for D finds as many others
//! there as there are on average, and takes D / (1 - U), where the station is busy for the share U of the time. This holds for any
//! times of service where the station is shared in turn (F. Baskett, K. Chandy, R. Muntz and F. Palacios, "Open, closed, and mixed networks of
//! queues with different classes of customers", 1975).
//!
//! With P for what a warp alone takes, D included, and M for how long the station needs for all of them, the time T has
//! T = P + D * U / (1 - U) and U = M / T. If D is next to nothing, T is the larger of P and M; if all of P is D, it is their sum.

use crate::form::Num;

/// What stands for nothing, so that nothing is divided by 0.
const SMALLEST: f64 = 1e-300;

/// The time for which a station's warps are under way: `alone` is what one takes that meets no other, of which it is served for `service`, and `busy` how
/// long the station needs for all.
///
/// The equation's solution is the larger one of `alone` and `busy`, and beyond it D * M / (h + sqrt(h * h + D * M)), with half of their
/// difference h. A step of Newton's method from above takes the root's place: the result is at most 6.1 % too short, never longer, and rises with
/// all three.
pub(super) fn time(alone: Num, service: Num, busy: Num) -> Num {
    if service == Num::ZERO || busy == Num::ZERO {
        return alone.max(busy);
    }
    let half = (alone - busy).abs() * 0.5;
    let above = half + (service + busy) * 0.5;
    let inverse = 1.0 / above.max(SMALLEST);
    let root = (above + half * (half * inverse) + busy * (service * inverse)) * 0.5;
    alone.max(busy) + busy * (service / (half + root).max(SMALLEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(alone: f64, service: f64, busy: f64) -> f64 {
        time(alone.into(), service.into(), busy.into()).get()
    }

    /// Relative distance of two times, the first being exact.
    fn short(exact: f64, found: f64) -> f64 {
        1.0 - found / exact
    }

    #[test]
    fn a_station_that_serves_in_no_time_is_a_bound_and_one_that_is_all_of_the_way_adds_up() {
        assert_eq!(of(3.0, 0.0, 2.0), 3.0);
        assert_eq!(of(2.0, 0.0, 3.0), 3.0);
        for busy in [0.01, 0.5, 1.0, 2.0, 100.0] {
            let error = short(1.0 + busy, of(1.0, 1.0, busy));
            assert!((-1e-9..0.02).contains(&error), "{busy}: {error}");
        }
        assert_eq!(of(0.0, 0.0, 0.0), 0.0);
        assert_eq!(of(1e200, 1e200, 1e200), 2e200);
    }

    /// `N` customers, counted one by one: a delay and many stations with the same work (Reiser and Lavenberg, "Mean-value analysis of closed
    /// multichain queuing networks", 1980).
    fn by_mean_value_analysis(delay: f64, service: f64, stations: f64, customers: u32) -> f64 {
        let mut waiting = 0.0;
        let mut between = delay + service;
        for customer in 1..=customers {
            let response = service * (1.0 + waiting / stations);
            between = delay + response;
            waiting = f64::from(customer) / between * response;
        }
        between
    }

    #[test]
    fn a_round_takes_as_long_as_in_a_network_of_many_customers() {
        for (delay, service) in [(300.0, 200.0), (500.0, 20.0), (10.0, 400.0)] {
            for customers in [200, 1000, 5000, 20_000] {
                let stations = 2000.0;
                // All of them keep the stations busy for that long in a round.
                let busy = service * f64::from(customers) / stations;
                let exact = by_mean_value_analysis(delay, service, stations, customers);
                let error = short(exact, of(delay + service, service, busy));
                assert!((-0.002..0.06).contains(&error), "{delay} {service} {customers}: {error}");
            }
        }
    }

    #[test]
    fn it_is_near_the_solution_and_rises_with_each_part() {
        let steps = |from: i32, to: i32| (from..=to).map(|exponent| 2_f64.powf(f64::from(exponent) / 4.0));
        for service in steps(-48, 0) {
            for busy in steps(-40, 40) {
                let found = of(1.0, service, busy);
                let exact = (1.0 + busy + ((1.0 - busy) * (1.0 - busy) + 4.0 * service * busy).sqrt()) / 2.0;
                let error = short(exact, found);
                assert!((-1e-9..0.061).contains(&error), "{service} {busy}: {error}");
                let more = [of(1.01, service, busy), of(1.0, service * 1.01, busy), of(1.0, service, busy * 1.01)];
                assert!(more.iter().all(|more| *more >= found * (1.0 - 1e-12)), "{service} {busy}: {found} {more:?}");
            }
        }
    }
}
