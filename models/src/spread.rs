//! By which factor a predicted time may be off.
//!
//! A [`Spread`] is a factor s of 1 or more: some 80 % of the times that are measured are expected between the predicted one over s and the predicted one
//! times s. It is composed of [causes](Cause), each with a factor of its own. They are taken to be independent, so that the squares of their logarithms add
//! up. Of a sum of times, each part counts with the square of its share, as errors of sums do.
//!
//! `docs/research/times.md` says which factors are measured, on which kernels, and how often times lie within on kernels that nothing was taken from.

use crate::estimate::Bound;
use crate::form::Num;
use crate::machine::{Rest, Sureness};
use crate::quantity::Seconds;

/// The logarithm of a spread over the standard deviation of the logarithm of a time: within 1.2816 deviations of its mean lie 80 % of a normal
/// distribution.
pub const DEVIATIONS: f64 = 1.281_551_565_544_600_4;

/// Why a time may be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The model of a kernel that the memory's bandwidth bounds. As measured on the half of `test-inputs/times` that models were mended by, like
    /// the next four.
    MemoryOfDevice,
    /// Of one that a kind of units or the issue of instructions bounds.
    UnitsOfDevice,
    /// Of one that waits.
    LatencyOfDevice,
    /// Of one that a cache's throughput bounds.
    CachesOfDevice,
    /// Fewer warps at a time than the device has schedulers: waits and throughput, which overlap in the model, then add up.
    FewWarps,
    /// Loads of a loop that a kernel waits for: how many of them are under way together, as compilers repeat loops once more behind the code that
    /// is looked at. As of few warps, which wait likewise.
    LoadsUnderWay,
    /// Atomic updates that the L2 makes one after the other. Nothing of ours tells their rate; measured kernels took ten times as long as was once
    /// predicted.
    Updates,
    /// Teams that combine at the end of a reduction: what it takes more was between 0.6 and 1.5 times that in four of five launches on the one machine where it was
    /// measured.
    Reduction,
    /// The start of a kernel, which all descriptions estimate.
    Launch,
    /// The link's rate and the allocation of memory, which depend on the driver.
    Transfers,
    /// The model of a region on the host that computation bounds: three quarters of 150 measured regions were within 1.5 with LLVM's cost model
    /// (`docs/research/models.md`).
    ComputationOfHost,
    /// Of one that the memory or caches bound: as measured on one thread, on the same half of kernels.
    MemoryOfHost,
    /// Of one that waits, likewise.
    LatencyOfHost,
    /// Of one that mostly starts and ends: of regions up to 64 KiB, half were off by more than 1.35.
    OverheadOfHost,
    /// A machine that nobody measured: its description's rates are remembered or reckoned, and some that were measured later were off by 2. Of a
    /// device these are waits and caches, as units and memory have data sheets; of a host all, as LLVM's cycles were not compared with it either.
    Estimates,
    /// Threads that may have to be made first, of which a launch does not know: either all of that time is added or nothing. Its mean, which is half of it, is off by itself.
    ThreadsNotMade,
    /// More threads than cores: how much they gain, and from which package's memory they read. The measured cases of `docs/research/decisions.md`
    /// took so many times as long as predicted; that is a mean, and no standard deviation.
    SharedCores,
    /// Arrays that the host writes and nobody has touched before: its system clears each page first.
    FirstTouch,
    /// A loop that counts as 128 iterations, since nothing is known of it.
    UnknownCount,
    /// A loop that goes from place to place as each place says, and counts as the root of 128 iterations: of a count whose logarithm is as likely anywhere up to
    /// 128, the factor is above 128 to the power of 0.4 in 20 %.
    Probes,
    /// A loop that may be left before its end, and counts half: of a place that is as likely anywhere, the factor is above 2.5 in 20 %.
    LeftEarly,
    /// Rows that have their mean length: others may be longer, and those that are handed out together take as long as the longest.
    RowsOfMeanLength,
    /// Conditions on values that are not known, which count half.
    UnknownCondition,
    /// Addresses that depend on loaded values: how many lines a warp touches, and what caches keep of them.
    DataDependentAddresses,
    /// Calls of functions in other sources, whose time is not in the prediction.
    UnseenCalls,
    /// A report without the finished code.
    NoCode,
}

impl Cause {
    /// The factor that it alone makes.
    pub const fn factor(self) -> f64 {
        match self {
            Cause::MemoryOfDevice => 1.1,
            Cause::UnitsOfDevice => 1.9,
            Cause::LatencyOfDevice => 1.4,
            Cause::CachesOfDevice => 4.0,
            Cause::FewWarps | Cause::LoadsUnderWay => 2.3,
            Cause::Updates => 4.0,
            Cause::Reduction => 1.7,
            Cause::Launch => 1.5,
            Cause::Transfers => 1.3,
            Cause::ComputationOfHost => 1.6,
            Cause::MemoryOfHost => 1.17,
            Cause::LatencyOfHost => 1.75,
            Cause::OverheadOfHost => 1.75,
            Cause::Estimates => 2.0,
            // That of one standard deviation.
            Cause::ThreadsNotMade => 3.602_224,
            Cause::SharedCores => 4.5,
            Cause::FirstTouch => 1.5,
            Cause::UnknownCount => 3.0,
            Cause::Probes => 7.0,
            Cause::LeftEarly => 2.5,
            Cause::RowsOfMeanLength => 1.5,
            Cause::UnknownCondition => 1.6,
            Cause::DataDependentAddresses => 1.5,
            Cause::UnseenCalls => 3.0,
            Cause::NoCode => 2.0,
        }
    }

    /// In words, as a part of a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::MemoryOfDevice => "the model of memory bandwidth",
            Cause::UnitsOfDevice => "the model of units",
            Cause::LatencyOfDevice | Cause::LatencyOfHost => "the model of waits",
            Cause::CachesOfDevice => "the model of cache throughput",
            Cause::FewWarps => "few warps",
            Cause::LoadsUnderWay => "loads under way in a loop",
            Cause::Updates => "atomic updates",
            Cause::Reduction => "what teams combine",
            Cause::Launch => "the launch",
            Cause::Transfers => "transfers",
            Cause::ComputationOfHost => "the model of computation",
            Cause::MemoryOfHost => "the model of memory and caches",
            Cause::OverheadOfHost => "starting and ending",
            Cause::Estimates => "a machine that nobody measured",
            Cause::ThreadsNotMade => "threads that are not made yet",
            Cause::SharedCores => "threads that share cores",
            Cause::FirstTouch => "memory touched for the first time",
            Cause::UnknownCount => "an unknown number of iterations",
            Cause::Probes => "an unknown number of probes",
            Cause::LeftEarly => "a loop left early",
            Cause::RowsOfMeanLength => "rows of different lengths",
            Cause::UnknownCondition => "unknown conditions",
            Cause::DataDependentAddresses => "addresses from memory",
            Cause::UnseenCalls => "calls into other sources",
            Cause::NoCode => "code that is not in the report",
        }
    }

    /// The square of the factor's logarithm.
    pub(crate) fn square(self) -> f64 {
        self.factor().ln().powi(2)
    }

    /// What bounds a kernel.
    pub(crate) fn of_kernel(bound: Bound) -> Cause {
        match bound {
            Bound::Memory => Cause::MemoryOfDevice,
            Bound::L1 | Bound::L2 | Bound::Caches => Cause::CachesOfDevice,
            Bound::Latency => Cause::LatencyOfDevice,
            Bound::Updates => Cause::Updates,
            Bound::Overhead | Bound::Link | Bound::Nothing => Cause::Launch,
            Bound::Computation | Bound::Issue | Bound::Pipe(_) => Cause::UnitsOfDevice,
        }
    }

    /// What bounds a region on the host.
    pub(crate) fn of_host(bound: Bound) -> Cause {
        match bound {
            Bound::Latency => Cause::LatencyOfHost,
            Bound::Memory | Bound::Caches | Bound::L1 | Bound::L2 => Cause::MemoryOfHost,
            Bound::Overhead | Bound::Link | Bound::Nothing | Bound::Updates => Cause::OverheadOfHost,
            Bound::Computation | Bound::Issue | Bound::Pipe(_) => Cause::ComputationOfHost,
        }
    }
}

/// A factor.
///
/// Invariant: the square of its logarithm is a number, and not below 0.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Spread {
    square: f64,
}

impl Spread {
    /// Of what is certain.
    pub const NONE: Spread = Spread { square: 0.0 };

    /// Of the square of a factor's logarithm; of what is no number, nothing is known, and none is reported.
    pub(crate) fn of_square(square: f64) -> Spread {
        Spread { square: if square.is_finite() { square.max(0.0) } else { 0.0 } }
    }

    pub(crate) fn square(self) -> Num {
        self.square.into()
    }

    /// The factor: 1 or more.
    pub fn factor(self) -> f64 {
        self.square.sqrt().exp()
    }

    /// With another cause.
    #[must_use]
    pub fn and(self, cause: Cause) -> Spread {
        Spread { square: self.square + cause.square() }
    }

    /// With others.
    #[must_use]
    pub fn with(self, causes: &[Cause]) -> Spread {
        causes.iter().fold(self, |spread, cause| spread.and(*cause))
    }

    /// Of a sum of times with independent errors.
    pub fn of_sum(parts: &[(Seconds, Spread)]) -> Spread {
        let parts: Vec<(Num, Num)> =
            parts.iter().map(|(time, spread)| (time.get().into(), spread.square.into())).collect();
        Spread::of_square(of_sum(&parts).get())
    }

    /// Where a time lies.
    pub fn around(self, time: Seconds) -> (Seconds, Seconds) {
        (Seconds::new(time.get() / self.factor()), Seconds::new(time.get() * self.factor()))
    }
}

/// Times that are as good as none, so that nothing is divided by 0.
const NO_TIME: f64 = 1e-30;

/// The square of a sum's spread, of times and the squares of theirs.
pub(crate) fn of_sum(parts: &[(Num, Num)]) -> Num {
    let all = 1.0 / parts.iter().map(|(time, _)| *time).sum::<Num>().max(NO_TIME);
    parts.iter().map(|(time, square)| (*time * all).powi(2) * *square).sum()
}

/// The square of the spread of what takes longest, of times with the squares of theirs; of several the first.
pub(crate) fn of_longest(parts: impl IntoIterator<Item = (Num, Num)>) -> Num {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Num::ZERO };
    let longer = |(longest, square): (Num, Num), (time, own): (Num, Num)| {
        (longest.max(time), time.more(longest).choose(own, square))
    };
    parts.fold(first, longer).1
}

/// Values of a description of which one says what its memory gives: nobody measures a machine's caches who has not measured that.
const MEASURED: [&str; 3] = ["memory.sustained_bandwidth", "memory.bandwidth_by_threads", "memory.bandwidth"];

/// Whether nobody measured a machine whose description rests on this.
pub(crate) fn is_estimated(rests: &[Rest]) -> bool {
    let is_unsure = |rest: &Rest| matches!(rest.sureness, Sureness::Estimate | Sureness::Rule);
    rests.iter().any(|rest| is_unsure(rest) && MEASURED.contains(&rest.key.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    #[test]
    fn the_share_is_that_of_a_normal_distribution() {
        let within = Normal::standard().cdf(DEVIATIONS) - Normal::standard().cdf(-DEVIATIONS);
        assert!((within - 0.8).abs() < 1e-9, "{within}");
    }

    #[test]
    fn independent_causes_add_up_as_squares() {
        let both = Spread::NONE.and(Cause::FewWarps).and(Cause::LatencyOfDevice);
        let expected = (2.3_f64.ln().powi(2) + 1.4_f64.ln().powi(2)).sqrt().exp();
        assert!((both.factor() - expected).abs() < 1e-12);
        assert_eq!(Spread::NONE.factor(), 1.0);
        assert_eq!(Spread::of_square(f64::NAN), Spread::NONE);
    }

    #[test]
    fn parts_of_a_sum_count_by_their_shares() {
        let sure = Spread::NONE;
        let unsure = Spread::NONE.and(Cause::Estimates);
        let second = Seconds::new(1.0);
        assert_eq!(Spread::of_sum(&[(second, unsure), (Seconds::ZERO, sure)]), unsure);
        let half = Spread::of_sum(&[(second, unsure), (second, sure)]).factor();
        assert!((half - 2.0_f64.sqrt()).abs() < 1e-12, "half of the time is off by 2: {half}");
        assert_eq!(Spread::of_sum(&[]), sure);
        assert_eq!(Spread::of_sum(&[(Seconds::ZERO, unsure)]), sure);
    }

    #[test]
    fn what_takes_longest_says_how_sure_it_is() {
        let of = |memory: f64, waits: f64| {
            let parts = [(memory, Cause::MemoryOfDevice), (waits, Cause::LatencyOfDevice)];
            of_longest(parts.map(|(time, cause)| (time.into(), cause.square().into()))).get()
        };
        assert_eq!(of(2.0, 1.0), Cause::MemoryOfDevice.square());
        assert_eq!(of(1.0, 2.0), Cause::LatencyOfDevice.square());
        assert_eq!(of_longest([]).get(), 0.0);
    }

    #[test]
    fn a_place_that_is_as_likely_anywhere_is_off_by_that_in_one_of_five() {
        // Of u from 0 to 1, half is taken: within the factor f are those from 1 / (2 f) to f / 2.
        let f = Cause::LeftEarly.factor();
        let within = (f / 2.0).min(1.0) - 1.0 / (2.0 * f);
        assert!((within - 0.8).abs() < 1e-12, "{within}");
    }
}
