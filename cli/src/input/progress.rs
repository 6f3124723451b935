//! How far the reading is: a line on a terminal, nothing elsewhere.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Whoever waits less wants no bar.
const PATIENCE: Duration = Duration::from_millis(400);
/// Between two drawings.
const INTERVAL: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: usize = 30;

/// The bar, if there is anyone to see it.
pub struct Progress {
    all: usize,
    done: usize,
    started: Instant,
    drawn: Option<Instant>,
    is_seen: bool,
}

impl Progress {
    /// Of `all` files.
    pub fn new(all: usize) -> Progress {
        Progress { all, done: 0, started: Instant::now(), drawn: None, is_seen: io::stderr().is_terminal() }
    }

    /// One file more is done.
    pub fn step(&mut self) {
        self.done += 1;
        if !self.is_seen || self.started.elapsed() < PATIENCE {
            return;
        }
        if self.drawn.is_none_or(|at| at.elapsed() >= INTERVAL) {
            self.drawn = Some(Instant::now());
            let _ = write!(io::stderr(), "\r{}", line(self.done, self.all));
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if self.drawn.is_some() {
            let _ = write!(io::stderr(), "\r{:1$}\r", "", line(self.all, self.all).len());
        }
    }
}

fn line(done: usize, all: usize) -> String {
    let filled = (WIDTH * done).checked_div(all).unwrap_or(WIDTH);
    format!("[{:-<WIDTH$}] {done} of {all} reports", "#".repeat(filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills() {
        assert_eq!(line(0, 4), "[------------------------------] 0 of 4 reports");
        assert_eq!(line(2, 4), "[###############---------------] 2 of 4 reports");
        assert_eq!(line(4, 4), "[##############################] 4 of 4 reports");
    }
}
