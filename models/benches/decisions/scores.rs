//! How good decisions and predicted speedups are.

use statrs::statistics::{Data, OrderStatistics, RankTieBreaker, Statistics};

/// One case of the study: what was measured, and what is predicted.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Time on the host over that on the device; above 1, offloading pays.
    pub measured: f64,
    /// The same, predicted.
    pub predicted: f64,
}

impl Case {
    /// Whether the prediction leads to the faster side.
    pub fn is_right(self) -> bool {
        (self.measured > 1.0) == (self.predicted > 1.0)
    }
}

/// What is reported about a way to decide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scores {
    /// Cases decided rightly, where offloading pays.
    pub right_on_device: usize,
    /// Cases where offloading pays.
    pub on_device: usize,
    /// Cases decided rightly, where offloading loses.
    pub right_on_host: usize,
    /// Cases where offloading loses.
    pub on_host: usize,
    /// Spearman's rank correlation of predicted and measured speedups; none where all predictions are the same.
    pub rank_correlation: Option<f64>,
    /// The geometric mean of the factor by which a prediction is off: exp(mean |ln(predicted / measured)|).
    pub mean_factor: f64,
    /// The time that all cases take when decided so over that of the best decisions: the geometric mean.
    pub lost_time: f64,
}

impl Scores {
    /// Of these cases.
    pub fn of(cases: &[Case]) -> Scores {
        let (pays, loses): (Vec<Case>, Vec<Case>) = cases.iter().partition(|case| case.measured > 1.0);
        let right = |cases: &[Case]| cases.iter().filter(|case| case.is_right()).count();
        Scores {
            right_on_device: right(&pays),
            on_device: pays.len(),
            right_on_host: right(&loses),
            on_host: loses.len(),
            rank_correlation: rank_correlation(cases),
            mean_factor: cases.iter().map(|case| factor(case.predicted / case.measured)).geometric_mean(),
            lost_time: cases
                .iter()
                .map(|case| if case.is_right() { 1.0 } else { factor(case.measured) })
                .geometric_mean(),
        }
    }

    /// Cases decided rightly.
    pub fn right(&self) -> usize {
        self.right_on_device + self.right_on_host
    }

    /// The mean of the two shares of right decisions.
    pub fn balanced_accuracy(&self) -> f64 {
        let share = |right: usize, of: usize| right as f64 / of.max(1) as f64;
        f64::midpoint(share(self.right_on_device, self.on_device), share(self.right_on_host, self.on_host))
    }
}

/// How many times larger or smaller than 1.
fn factor(ratio: f64) -> f64 {
    ratio.max(1.0 / ratio)
}

/// Spearman's: the correlation of ranks, those of equal values being their mean.
fn rank_correlation(cases: &[Case]) -> Option<f64> {
    let ranks = |of: fn(&Case) -> f64| {
        let values: Vec<f64> = cases.iter().map(of).collect();
        Data::new(values).ranks(RankTieBreaker::Average)
    };
    let (measured, predicted) = (ranks(|case| case.measured), ranks(|case| case.predicted));
    let spread = (&measured).std_dev() * (&predicted).std_dev();
    (spread > 0.0).then(|| measured.covariance(predicted) / spread)
}
