//! Repeated measurements.

use statrs::statistics::{Data, Max, Min, OrderStatistics};
use std::time::Instant;

/// What repeating a measurement gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Samples {
    /// The one in the middle, or the mean of the two there.
    pub median: f64,
    /// The lower and the upper quartile, as shares of the median.
    pub quartiles: (f64, f64),
    /// The smallest and the largest.
    pub min: f64,
    pub max: f64,
    /// How many.
    pub count: usize,
}

impl Samples {
    /// Takes `count` samples.
    pub fn take(count: usize, mut sample: impl FnMut() -> f64) -> Samples {
        Samples::of((0..count.max(1)).map(|_| sample()).collect())
    }

    /// Of these values, of which there is at least one.
    pub fn of(values: Vec<f64>) -> Samples {
        let count = values.len();
        let mut values = Data::new(values);
        let median = values.median();
        Samples {
            median,
            quartiles: (values.lower_quartile() / median, values.upper_quartile() / median),
            min: values.min(),
            max: values.max(),
            count,
        }
    }

    /// How far apart they are, in words, where the one in the middle is taken.
    pub fn spread(&self) -> String {
        format!("median of {}, half of them within {}", self.count, self.quarters())
    }

    /// The same where the best is taken: what interrupts work only makes it slower.
    pub fn spread_from_best(&self) -> String {
        format!("best of {}, half of them within {} of their median", self.count, self.quarters())
    }

    fn quarters(&self) -> String {
        let percent = |share: f64| format!("{:+.0} %", (share - 1.0) * 100.0);
        format!("{} and {}", percent(self.quartiles.0), percent(self.quartiles.1))
    }
}

/// Seconds that it takes.
pub fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::Samples;

    #[test]
    fn the_middle_and_the_quarters() {
        let samples = Samples::of(vec![8.0, 1.0, 4.0, 2.0, 100.0, 3.0, 5.0, 6.0]);
        assert_eq!((samples.median, samples.min, samples.count), (4.5, 1.0, 8));
        assert_eq!(samples.max, 100.0);
        assert_eq!(samples.spread(), "median of 8, half of them within -46 % and +59 %");
    }
}
