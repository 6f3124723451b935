//! Other programs, run for a limited time.

use std::fs::File;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
#[derive(Debug)]
pub enum Ended {
    /// By itself.
    Exited {
        /// How.
        status: ExitStatus,
        /// What it wrote to its standard output.
        output: Vec<u8>,
        /// What it wrote to its standard error.
        messages: String,
    },
    /// It was stopped.
    TimedOut,
}

/// Runs a program for at most `limit`.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Ended> {
    const STEP: Duration = Duration::from_millis(5);
    // Files, for pipes fill up while nobody reads them.
    let (output, messages) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut child = command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(messages.try_clone()?).spawn()?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            let messages = String::from_utf8_lossy(&contents(messages)?).into_owned();
            return Ok(Ended::Exited { status, output: contents(output)?, messages });
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::TimedOut);
        }
        std::thread::sleep(STEP);
    }
}

fn contents(mut file: File) -> io::Result<Vec<u8>> {
    use io::{Read, Seek};
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_takes_too_long_is_stopped() {
        let ended = run(Command::new("sleep").arg("60"), Duration::from_millis(50));
        assert!(matches!(ended, Ok(Ended::TimedOut)));
    }

    #[test]
    fn what_a_program_writes_is_kept() {
        let ended = run(Command::new("echo").arg("words"), Duration::from_secs(30));
        assert!(matches!(ended, Ok(Ended::Exited { output, .. }) if output == b"words\n"));
    }
}
