//! `ipda cc --look`: a compilation for its report alone.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use anyhow::{Context, Result, anyhow, bail};

use super::command::{CommandLine, Nvidia};
use super::fingerprint::writes_report;
use super::{Call, Language};
use crate::scratch::Scratch;

/// The variable that names a report.
const REPORT: &str = "IPDA_REPORT";

/// One source, compiled up to LLVM's code for the device and for the host.
pub struct Look {
    call: Call,
    source: String,
    /// The report's file, unless the user names one.
    report: Option<OsString>,
}

impl Look {
    pub fn new(language: Language, words: &[OsString]) -> Result<Look> {
        let (mut call, line) = Call::without_flags(language, words)?;
        let sources: Vec<&str> = line.sources().collect();
        let source = match sources[..] {
            [source] if line.compiles() => source.to_owned(),
            [_] => bail!("--look compiles, and the arguments only preprocess or check"),
            [] => bail!("there is no source to look at"),
            [..] => bail!("--look takes one source, and there are {}", sources.len()),
        };
        if line.has_kernels() && line.processors().count() > 1 {
            bail!("--look takes one processor for kernels of CUDA and HIP: name one with --offload-arch");
        }
        // No cache: a report is written by a compilation.
        call.launcher = None;
        if !line.loads_plugin() {
            call.load_plugin()?;
        }
        if line.nvidia() == Nvidia::Cuda {
            call.find_cuda(&line);
        }
        call.added.extend(flags(&line).iter().map(OsString::from));
        // As text, images of AMD's GPUs would not be read by the host's compilation.
        call.arguments.retain(|word| word != "-S");
        let report = (!writes_report()).then(|| report_of(&source));
        call.environment.extend(report.iter().map(|path| (REPORT, path.clone())));
        Ok(Look { call, source, report })
    }

    /// The command as a shell takes it, which then writes the report.
    pub fn shell_line(mut self) -> Vec<u8> {
        self.put_output(OsString::from("/dev/null"));
        self.call.shell_line()
    }

    /// Compiles, and says where the report is.
    pub fn run(mut self) -> Result<ExitCode> {
        // What clang writes beside its output goes with it.
        let scratch = Scratch::new("look")?;
        self.put_output(scratch.path().join("code").into());
        let before = self.report.as_deref().and_then(identity);
        let mut command = self.call.command();
        let status =
            command.status().with_context(|| anyhow!("cannot start {}", command.get_program().to_string_lossy()))?;
        if status.success() {
            let _ = writeln!(io::stderr(), "ipda cc --look: {}", self.outcome(before));
        }
        Ok(exit_code(status))
    }

    fn outcome(&self, before: Option<(u64, i64, i64)>) -> String {
        match &self.report {
            None => "no code is kept; the report is where IPDA_REPORT or ipda.yaml says".into(),
            Some(report) if identity(report) == before => {
                format!("no target region or kernel in {}, and so no report; regions need -fopenmp", self.source)
            }
            Some(report) => {
                format!("no code is kept; `ipda report {}` shows what was found", report.to_string_lossy())
            }
        }
    }

    /// Has the output go there, whatever the user says.
    fn put_output(&mut self, output: OsString) {
        let words = &mut self.call.arguments;
        let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
        words.splice(end..end, [OsString::from("-o"), output]);
    }
}

/// What keeps clang from everything that needs GPU vendors' libraries and tools.
fn flags(line: &CommandLine) -> Vec<&'static str> {
    let mut flags = vec!["--start-no-unused-arguments", "-nogpulib", "--end-no-unused-arguments", "-c", "-emit-llvm"];
    if line.has_kernels() {
        flags.push("--offload-device-only");
        if line.has_debug_information() {
            // For NVIDIA's GPUs clang would keep the lines alone, and variables had no names.
            flags.extend(["-Xclang", "-debug-info-kind=constructor"]);
        }
    }
    flags
}

/// The report of a source, in this folder.
fn report_of(source: &str) -> OsString {
    let mut report = Path::new(source).file_name().unwrap_or_default().to_owned();
    report.push(".ipda.yaml");
    report
}

/// What tells a file from the one that was there before: a report is put in place whole.
fn identity(path: &OsStr) -> Option<(u64, i64, i64)> {
    let found = std::fs::metadata(path).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec()))
}

/// As a shell tells it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
