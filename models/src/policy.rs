//! Where a launch runs, given what is predicted, how sure that is, and that somebody wrote `target`.
//!
//! Whoever marks a region for the device has a reason to. Let x be the logarithm of the host's time over the device's. Before anything is predicted, x is
//! normally distributed as among [measured cases](Evidence); the prediction y is x with a normally distributed error, whose standard deviation s follows
//! from both [spreads](crate::spread). A choice that turns out wrong loses the factor exp |x|. So the host is expected to lose less where the mean of x, given y, is below 0
//! (the posterior mean of a normal distribution: Gelman et al., *Bayesian Data Analysis*, 2013, section 2.5):
//!
//! ```text
//! (y / s^2 + mean / variance) / (1 / s^2 + 1 / variance) < 0    that is    host * exp(s^2 * mean / variance) < device
//! ```
//!
//! The left side is the host's time as it is [weighed](Evidence::weighed). A launch does not know whether the host's threads exist: half of the time to make them counts, and
//! as an error as well. Where more threads run than there are cores, the host's time counts as often as measured ones were longer.

use crate::form::Num;
use crate::spread::{self, Cause, DEVIATIONS};

/// What measured cases say before anything is predicted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The mean of the logarithms of measured times on the host over those on the device.
    pub mean: f64,
    /// Their variance.
    pub variance: f64,
    /// The mean of the logarithms of measured over predicted such quotients, where the host's threads share cores.
    pub shared_cores: f64,
}

/// The host's side of a launch; all may be known later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Host {
    /// Predicted seconds.
    pub seconds: Num,
    /// The square of the logarithm of their spread.
    pub square: Num,
    /// Seconds to make all threads but the first.
    pub making: Num,
    /// 1 if there are more threads than cores, else 0.
    pub shares_cores: Num,
}

impl Host {
    /// The square of the logarithm of the spread of the time with half of that to make threads.
    fn square_with_making(&self) -> Num {
        let of_making = Num::new(Cause::ThreadsNotMade.square());
        spread::of_sum(&[(self.seconds, self.square), (self.making * 0.5, of_making)])
    }

    /// The same where nobody knows how much threads that share cores gain, as predictions tell it.
    pub(crate) fn square_in_all(&self) -> Num {
        self.square_with_making() + self.shares_cores * Cause::SharedCores.square()
    }
}

impl Evidence {
    /// Of all cases at hand with both times: the 96 of `test-inputs/decisions/study.csv`, from which the last number comes, and 45 of an H200
    /// (`docs/research/measured`). `scripts/bench thesis-decisions` computes the three again, and judges each case with those of other programs.
    pub const OF_CASES: Evidence = Evidence { mean: 1.20, variance: 6.52, shared_cores: 1.35 };

    /// The mean over the variance: how much a doubtful prediction is worth less for the host.
    pub fn preference(&self) -> f64 {
        self.mean / self.variance
    }

    /// The seconds on the host that are compared with those on the device, whose spread has a logarithm of that square.
    pub fn weighed(&self, host: &Host, square_of_device: Num) -> Num {
        let Host { seconds, making, shares_cores, .. } = *host;
        let half = making * 0.5;
        let all = host.square_with_making() + square_of_device;
        let doubt = raised(all * (self.preference() / DEVIATIONS.powi(2)));
        let shared = 1.0 + shares_cores * (self.shared_cores.exp() - 1.0);
        (seconds + half) * (doubt * shared)
    }
}

/// How often the exponential's quotient is squared.
const SQUARINGS: u32 = 6;

/// The exponential of a number that is not below 0, by its limit: (1 + x / 64)^64, of which forms can be made. It is below by 1 % for 1, by 12 % for 4.
fn raised(exponent: Num) -> Num {
    (0..SQUARINGS).fold(1.0 + exponent * (0.5_f64).powi(SQUARINGS as i32), |power, _| power * power)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{Continuous, Normal};

    fn host(seconds: f64, square: f64) -> Host {
        Host { seconds: seconds.into(), square: square.into(), making: Num::ZERO, shares_cores: Num::ZERO }
    }

    const EVIDENCE: Evidence = Evidence { mean: 2.0, variance: 5.0, shared_cores: 1.5 };

    #[test]
    fn what_is_certain_is_compared_as_it_is() {
        assert_eq!(EVIDENCE.weighed(&host(0.5, 0.0), Num::ZERO).get(), 0.5);
        assert_eq!(EVIDENCE.weighed(&host(0.0, 1.0), Num::ONE).get(), 0.0);
    }

    #[test]
    fn threads_that_may_have_to_be_made_count_half() {
        let with = Host { making: Num::new(2.0), ..host(1.0, 0.0) };
        // (1 + 1) * exp((half of the time is off by one deviation)^2 * 2 / 5)
        let expected = 2.0 * (0.25_f64 * 0.4).exp();
        assert!((EVIDENCE.weighed(&with, Num::ZERO).get() / expected - 1.0).abs() < 1e-3);
    }

    #[test]
    fn threads_that_share_cores_count_as_often_as_measured_ones_were_longer() {
        let shared = Host { shares_cores: Num::ONE, ..host(1.0, 0.0) };
        assert!((EVIDENCE.weighed(&shared, Num::ZERO).get() - 1.5_f64.exp()).abs() < 1e-12);
    }

    /// The expected logarithms of what is lost on the host and on the device, by integration.
    fn losses(predicted: f64, deviation: f64) -> (f64, f64) {
        let prior = Normal::new(EVIDENCE.mean, EVIDENCE.variance.sqrt()).expect("a deviation above 0");
        let error = Normal::new(predicted, deviation).expect("a deviation above 0");
        let steps = (-4000..4000).map(|step| f64::from(step) / 100.0);
        steps.fold((0.0, 0.0), |(host, device), x| {
            let weight = prior.pdf(x) * error.pdf(x);
            (host + weight * x.max(0.0), device + weight * (-x).max(0.0))
        })
    }

    proptest! {
        #[test]
        fn the_side_that_is_expected_to_lose_less_is_taken(predicted in -6.0..3.0_f64, deviation in 0.3..2.5_f64) {
            let square = (deviation * DEVIATIONS).powi(2);
            let weighed = EVIDENCE.weighed(&host(predicted.exp(), square / 2.0), Num::new(square / 2.0)).get();
            let (on_host, on_device) = losses(predicted, deviation);
            // But for what the exponential is off by.
            prop_assume!((predicted + deviation * deviation * EVIDENCE.preference()).abs() > 0.06);
            prop_assert_eq!(weighed < 1.0, on_host < on_device);
        }

        #[test]
        fn more_doubt_never_speaks_for_the_host(seconds in 1e-6..1.0_f64, less in 0.0..4.0, more in 0.0..4.0) {
            let of = |square: f64| EVIDENCE.weighed(&host(seconds, square), Num::ZERO).get();
            prop_assert!(of(less) <= of(less + more) && of(less) >= seconds);
        }
    }
}
