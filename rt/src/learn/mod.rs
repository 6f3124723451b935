//! Learning from what happened: measured times correct the predictions of a region, and so may turn its choice.
//!
//! Launches are told apart by size classes. In each, a version's factor is the geometric mean of measured over predicted time. The rule:
//! 1. What is predicted to be faster runs, until [`BEFORE_TRIAL`] of its launches are measured.
//! 2. If by then the other version looks faster than even the best of them, it is tried once; again only if it looks faster with both factors.
//! 3. Each run of the other version is set off against what the predicted one would have taken, by its factor. Where the sum becomes a loss,
//!    the class keeps to the prediction for good.
//! 4. Every [`RECHECK`]th launch keeps to the prediction, so that its factor stays that of today.
//!
//! So a class loses at most one run, the one that turned the sum into a loss, as far as the version that did not run would have
//! taken what it took before. Threads that launch at the same time try once together; later runs that are under way at the same time count as one.

pub mod file;

/// A factor is between one by this and this when versions are compared.
pub const BOUND: f64 = 8.0;
/// Measured launches of the predicted version before the other one is tried: one alone may have been disturbed.
pub const BEFORE_TRIAL: u32 = 2;
/// Of so many launches that the other version would get, the predicted one gets one.
pub const RECHECK: u32 = 16;
/// A new measurement counts for at least one in so many: old ones fade.
const MEMORY: u32 = 8;
/// Classes of a version: powers of two of its predicted seconds, from 2^-40 (a picosecond) on.
const EXPONENTS: usize = 64;
const LEAST_EXPONENT: i32 = -40;
/// Classes of a region.
pub const CLASSES: usize = 2 * EXPONENTS;

/// Where a region runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// On the host.
    Host,
    /// On the device.
    Device,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Host => Side::Device,
            Side::Device => Side::Host,
        }
    }
}

/// The predicted seconds of both versions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    /// On the host.
    pub host: f64,
    /// On the device.
    pub device: f64,
    /// What the launch's own code chooses by them. A host that is predicted to be faster may be in doubt.
    pub plain: Side,
}

impl Predicted {
    /// The seconds of a version.
    pub fn of(self, side: Side) -> f64 {
        match side {
            Side::Host => self.host,
            Side::Device => self.device,
        }
    }

    /// Whether both are times.
    pub fn is_known(self) -> bool {
        [self.host, self.device].iter().all(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// Those of which nothing is in doubt.
    pub fn of_times(host: f64, device: f64) -> Predicted {
        Predicted { host, device, plain: if host < device { Side::Host } else { Side::Device } }
    }

    /// The size class: which version is chosen, and the power of two of its time.
    pub fn class(self) -> usize {
        let side = self.plain;
        let exponent = ((self.of(side).to_bits() >> 52) & 0x7ff) as i32 - 1023;
        let step = exponent.saturating_sub(LEAST_EXPONENT).clamp(0, EXPONENTS as i32 - 1) as usize;
        step + if side == Side::Host { 0 } else { EXPONENTS }
    }
}

/// How the version of a launch was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// As the launch's own code would have it.
    AsAsked,
    /// [`Class::choose`] turned it.
    Turned,
}

/// The geometric mean of measured over predicted times.
///
/// Invariant: `factor` is 2 to the power of `log2`, which is computed when it changes, as choices are to be fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor {
    count: u32,
    log2: f64,
    factor: f64,
    /// The least of the ratios, which no disturbance has made large.
    least: f64,
}

impl Default for Factor {
    fn default() -> Factor {
        Factor { count: 0, log2: 0.0, factor: 1.0, least: f64::INFINITY }
    }
}

impl Factor {
    /// What was kept; None where that cannot be.
    pub fn kept(count: u32, log2: f64, least: f64) -> Option<Factor> {
        let none = Factor::default();
        let is_right = match count {
            0 => log2 == none.log2 && least == none.least,
            _ => log2.is_finite() && log2.abs() < 1000.0 && least.is_finite() && least > 0.0,
        };
        is_right.then(|| Factor { count, log2, factor: log2.exp2(), least })
    }

    /// Measurements.
    pub fn count(self) -> u32 {
        self.count
    }

    /// Its logarithm.
    pub fn log2(self) -> f64 {
        self.log2
    }

    /// The least of its measurements.
    pub fn least(self) -> f64 {
        self.least
    }

    fn add(&mut self, ratio: f64) {
        self.least = self.least.min(ratio);
        self.count = self.count.saturating_add(1);
        self.log2 += (ratio.log2() - self.log2) / f64::from(self.count.min(MEMORY));
        self.factor = self.log2.exp2();
    }

    /// Comparing bounded factors never prefers a version that the unbounded ones do not: see the test.
    fn bounded(self) -> f64 {
        bounded(self.factor)
    }
}

fn bounded(factor: f64) -> f64 {
    factor.clamp(1.0 / BOUND, BOUND)
}

/// What is known of a size class.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Class {
    host: Factor,
    device: Factor,
    /// Seconds that the other version saved.
    balance: f64,
    is_closed: bool,
    /// Launches that the other version would have got, since the predicted one was looked at.
    since_check: u32,
    /// The other version's first run is under way.
    is_trying: bool,
}

impl Class {
    /// What was kept; None where that cannot be.
    pub fn kept(host: Factor, device: Factor, balance: f64, is_closed: bool) -> Option<Class> {
        let class = Class { host, device, balance, is_closed, ..Class::default() };
        balance.is_finite().then_some(class)
    }

    /// A version's factor.
    pub fn factor(&self, side: Side) -> Factor {
        match side {
            Side::Host => self.host,
            Side::Device => self.device,
        }
    }

    /// Seconds that runs of the other version saved.
    pub fn balance(&self) -> f64 {
        self.balance
    }

    /// Whether it keeps to the prediction for good.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn corrected(&self, side: Side, predicted: Predicted) -> f64 {
        predicted.of(side) * self.factor(side).bounded()
    }

    /// The version for a launch of this class.
    pub fn choose(&mut self, predicted: Predicted) -> Side {
        let plain = predicted.plain;
        let other = plain.other();
        let known = self.factor(plain);
        if known.count < BEFORE_TRIAL || self.is_closed || self.is_trying {
            return plain;
        }
        if self.factor(other).count == 0 {
            self.is_trying = predicted.of(other) < predicted.of(plain) * bounded(known.least);
            return if self.is_trying { other } else { plain };
        }
        if self.corrected(other, predicted) >= self.corrected(plain, predicted) {
            return plain;
        }
        self.since_check += 1;
        if self.since_check < RECHECK {
            return other;
        }
        self.since_check = 0;
        plain
    }

    /// A launch took so many seconds. What a version's first launch in a program does beside is not the predicted version's fault, but if it was
    /// tried, it was tried with it.
    pub fn add(&mut self, side: Side, chosen: Chosen, predicted: Predicted, seconds: f64, is_first: bool) {
        let ratio = seconds / predicted.of(side);
        let turned = chosen == Chosen::Turned && side != predicted.plain;
        self.is_trying &= !turned;
        if !(ratio.is_finite() && ratio > 0.0) || (is_first && !turned) {
            return;
        }
        if turned {
            let plain = side.other();
            self.balance += predicted.of(plain) * self.factor(plain).factor - seconds;
            self.is_closed |= self.balance < 0.0;
        }
        match side {
            Side::Host => self.host.add(ratio),
            Side::Device => self.device.add(ratio),
        }
    }
}

#[cfg(test)]
mod tests;
