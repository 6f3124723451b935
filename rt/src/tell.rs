//! What people are told, on standard error.

use std::fmt;
use std::io::Write;
use std::sync::Mutex;

use crate::learn::{Chosen, Side};

static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Tells it. A line is written at once, so that those of several threads do not mix; where it cannot be written, the program goes on.
pub(crate) fn tell(text: &str) {
    let line = format!("ipda: {text}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Tells it unless it was told before.
pub(crate) fn tell_once(text: &str) {
    let mut told = lock(&TOLD);
    if !told.iter().any(|known| known == text) {
        told.push(text.to_owned());
        drop(told);
        tell(text);
    }
}

/// A lock, also where a thread failed that held it: what it guards are numbers, each right by itself.
#[cfg(not(tsan))]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The same for the thread sanitizer: to wait is std's code, in which it does not see what orders threads.
#[cfg(tsan)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    loop {
        match mutex.try_lock() {
            Ok(guard) => return guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::yield_now(),
        }
    }
}

/// A number with four digits, as C's `%.4g` has it.
pub(crate) struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.0;
        if number == 0.0 || !number.is_finite() {
            return write!(f, "{number}");
        }
        // After rounding: 9999.7 has five digits before the point.
        let rounded = format!("{number:.3e}");
        let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let without_zeros = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
        if (-4..4).contains(&exponent) {
            let fixed = format!("{number:.*}", (3 - exponent) as usize);
            return f.write_str(&if exponent < 3 { without_zeros(&fixed) } else { fixed });
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(f, "{}e{sign}{:02}", without_zeros(digits), exponent.unsigned_abs())
    }
}

/// In words.
pub(crate) fn words(side: Side) -> &'static str {
    match side {
        Side::Host => "host",
        Side::Device => "device",
    }
}

/// The line after a launch.
pub(crate) fn launch(region: &str, place: &str, expected: f64, seconds: f64, chosen: Chosen) -> String {
    let compared = if expected.is_finite() && expected > 0.0 {
        format!(", {} times the predicted {} s", Short(seconds / expected), Short(expected))
    } else {
        String::new()
    };
    let why = if chosen == Chosen::Turned { "; it ran there for what was learned" } else { "" };
    format!("{region}: took {} s on the {place}{compared}{why}", Short(seconds))
}

/// What all launches of a region on one side took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sum {
    /// Launches.
    pub launches: u64,
    /// Seconds.
    pub measured: f64,
    /// Launches with a prediction, their seconds, and those that were predicted.
    pub predicted_launches: u64,
    pub predicted_measured: f64,
    pub predicted: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, predicted: f64, seconds: f64) {
        self.launches += 1;
        self.measured += seconds;
        if predicted.is_finite() && predicted > 0.0 {
            self.predicted_launches += 1;
            self.predicted_measured += seconds;
            self.predicted += predicted;
        }
    }
}

/// The table at the end: a line for each region and side that had launches. Nothing where there were none.
pub(crate) fn table(sums: &[(&str, Side, Sum)]) -> Vec<String> {
    let rows: Vec<[String; 6]> = sums
        .iter()
        .filter(|(_, _, sum)| sum.launches > 0)
        .map(|(region, side, sum)| {
            let mean = sum.measured / sum.launches as f64;
            let (predicted, factor) = if sum.predicted_launches > 0 {
                let predicted = sum.predicted / sum.predicted_launches as f64;
                (format!("{} s", Short(predicted)), Short(sum.predicted_measured / sum.predicted).to_string())
            } else {
                ("-".into(), "-".into())
            };
            let measured = format!("{} s", Short(mean));
            [(*region).to_owned(), words(*side).into(), sum.launches.to_string(), predicted, measured, factor]
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let head = ["region", "where", "launches", "predicted", "measured", "measured/predicted"].map(str::to_owned);
    let all: Vec<&[String; 6]> = std::iter::once(&head).chain(&rows).collect();
    let width = |column: usize| all.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &&[String; 6]| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 | 1 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_c_has_them() {
        let cases = [
            (0.264_51, "0.2645"),
            (9_999.7, "1e+04"),
            (9_999.0, "9999"),
            (1_000.0, "1000"),
            (0.000_1, "0.0001"),
            (0.000_012_345, "1.234e-05"),
            (12.0, "12"),
            (-1.5, "-1.5"),
            (1.0 / 3.0, "0.3333"),
            (0.0, "0"),
            (99.999, "100"),
        ];
        for (number, text) in cases {
            assert_eq!(Short(number).to_string(), text);
        }
    }

    #[test]
    fn a_launch_in_words() {
        assert_eq!(
            launch("f at f.c:1", "device", 0.01, 0.015, Chosen::AsAsked),
            "f at f.c:1: took 0.015 s on the device, 1.5 times the predicted 0.01 s"
        );
        assert_eq!(
            launch("f at f.c:1", "host", f64::NAN, 0.015, Chosen::Turned),
            "f at f.c:1: took 0.015 s on the host; it ran there for what was learned"
        );
    }

    /// The page shows what is printed.
    #[test]
    fn the_page_is_right() {
        let page = include_str!("../../docs/runtime.md");
        let (gemm, scale) = ("gemm at gemm.c:12", "scale at gemm.c:30");
        let sum = |launches: u32, predicted: f64, seconds: f64| {
            let mut sum = Sum::default();
            (0..launches).for_each(|_| sum.add(predicted, seconds));
            sum
        };
        let mut lines = table(&[
            (gemm, Side::Host, sum(2, 0.26, 0.52)),
            (gemm, Side::Device, sum(10, 0.0093, 0.0186)),
            (scale, Side::Device, sum(1, f64::NAN, 0.004)),
        ]);
        lines.push(launch(gemm, "device", 0.0093, 0.010_13, Chosen::AsAsked));
        lines.push(launch(scale, "host", 0.002, 0.004, Chosen::Turned));
        for line in lines {
            assert!(page.contains(&format!("\nipda: {line}\n")), "docs/runtime.md has not: {line}");
        }
    }

    #[test]
    fn a_table_of_means() {
        let mut sum = Sum::default();
        sum.add(1.0, 2.0);
        sum.add(3.0, 4.0);
        sum.add(f64::NAN, 6.0);
        let rows = table(&[("f", Side::Device, sum), ("f", Side::Host, Sum::default())]);
        assert_eq!(
            rows,
            [
                "region  where   launches  predicted  measured  measured/predicted",
                "f       device         3        2 s       4 s                 1.5",
            ]
        );
        assert!(table(&[]).is_empty());
    }
}
