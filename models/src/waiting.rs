//! A line on a terminal for whoever waits: what is being done, and for how long already. Where standard error is no terminal, nothing.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Whoever waits less wants no line.
const PATIENCE: Duration = Duration::from_millis(400);
/// Between two drawings.
const INTERVAL: Duration = Duration::from_secs(1);

/// The line is there until this is dropped, and then taken away.
pub struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// For `what`, such as `measuring the processors`.
    pub fn on(what: impl Into<String>) -> Waiting {
        if !io::stderr().is_terminal() {
            return Waiting(None);
        }
        let what = what.into();
        let (end, ended) = mpsc::channel();
        let drawer = thread::spawn(move || draw(&mut io::stderr(), &ended, &what, PATIENCE));
        Waiting(Some((end, drawer)))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((end, drawer)) = self.0.take() {
            drop(end);
            // What a line on a terminal comes to is nobody's loss.
            let _ = drawer.join();
        }
    }
}

/// Draws until the other end is gone.
fn draw(out: &mut impl Write, ended: &Receiver<()>, what: &str, patience: Duration) {
    let started = Instant::now();
    let mut longest = 0;
    let mut until = patience;
    while ended.recv_timeout(until) == Err(RecvTimeoutError::Timeout) {
        let line = format!("{what}, {} s", started.elapsed().as_secs());
        longest = longest.max(line.len());
        let _ = write!(out, "\r{line}").and_then(|()| out.flush());
        until = INTERVAL;
    }
    if longest > 0 {
        let _ = write!(out, "\r{:longest$}\r", "").and_then(|()| out.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_waits_sees_a_line_that_goes() {
        let (end, ended) = mpsc::channel();
        let drawer = thread::spawn(move || {
            let mut text = Vec::new();
            draw(&mut text, &ended, "measuring", Duration::ZERO);
            String::from_utf8(text).unwrap()
        });
        thread::sleep(Duration::from_millis(100));
        drop(end);
        assert_eq!(drawer.join().unwrap(), format!("\rmeasuring, 0 s\r{:14}\r", ""));
    }

    #[test]
    fn what_is_done_at_once_has_no_line() {
        let (end, ended) = mpsc::channel();
        drop(end);
        let mut text = Vec::new();
        draw(&mut text, &ended, "measuring", PATIENCE);
        assert!(text.is_empty());
    }
}
