//! The clock that a busy core runs with.

use std::hint::black_box;

use crate::samples::{Samples, seconds};

/// Steps of one sample, each of two instructions that need the one before: less than a millisecond, so that the system leaves some of them
/// undisturbed on a busy machine too.
const STEPS: u64 = 500_000;

/// Hertz, by a chain of rotations and exclusive ors, which take a cycle each on all processors of this architecture since 2006.
#[cfg(target_arch = "x86_64")]
pub fn clock(samples: usize) -> Result<(Samples, &'static str), String> {
    let sample = || {
        let elapsed = seconds(|| {
            let mut value = black_box(0x9e37_79b9_7f4a_7c15_u64);
            let key = black_box(0x1234_5678_9abc_def1_u64);
            for _ in 0..STEPS {
                value = value.rotate_left(7) ^ key;
            }
            black_box(value);
        });
        2.0 * STEPS as f64 / elapsed
    };
    // The first one wakes the core up.
    sample();
    Ok((
        Samples::take(samples, sample),
        "chain of dependent rotations and exclusive ors, a cycle each, on one busy core",
    ))
}

/// Not known where instructions of a known latency are not.
#[cfg(not(target_arch = "x86_64"))]
pub fn clock(_samples: usize) -> Result<(Samples, &'static str), String> {
    let _ = (black_box(()), STEPS, seconds);
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
        .map_err(|error| format!("the system states no frequency: {error}"))?;
    let kilohertz: f64 = text.trim().parse().map_err(|_| "the system's frequency is no number".to_owned())?;
    Ok((Samples::of(vec![kilohertz * 1e3]), "the system's cpuinfo_max_freq; no instruction's latency is known here"))
}
