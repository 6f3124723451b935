//! `ipda trace`: hands over to the program `ipda-trace`, which knows LLVM and is built apart from this one.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, anyhow, bail};

const PROGRAM: &str = "ipda-trace";

/// Runs the program with these arguments, and ends as it does.
pub fn run(arguments: &[OsString]) -> Result<ExitCode> {
    let status = Command::new(program()).args(arguments).status().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => anyhow!(
            "the program {PROGRAM} is neither beside this one nor on PATH: where LLVM 19 is installed, build both with \
             `cargo build --release -p ipda-executor -p ipda-cli`"
        ),
        _ => anyhow!("cannot start {PROGRAM}: {error}"),
    })?;
    if let Some(signal) = status.signal() {
        bail!("{PROGRAM} was ended by signal {signal} before it was done");
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// The program beside this one, else the name by which PATH is searched.
fn program() -> PathBuf {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    beside.filter(|path| path.exists()).unwrap_or_else(|| PROGRAM.into())
}
