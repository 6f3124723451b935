//! `ipda cc --look`: a compilation for its report alone.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

use anyhow::{Context, Result, anyhow, bail};

use super::command::{CommandLine, Nvidia};
use ipda_models::{files, options};

use super::call::Call;
use crate::scratch::Scratch;
use crate::toolchain::Language;

/// The variable that names a report.
const REPORT: &str = "IPDA_REPORT";

/// One source, compiled up to LLVM's code for the device and for the host.
pub struct Look {
    call: Call,
    source: String,
    report: Place,
}

/// Where the report goes.
enum Place {
    /// To this file of the current folder.
    Here(PathBuf),
    /// Where the user says: to a file, or into a folder.
    Named(PathBuf),
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
        let report = match options::report() {
            Some(path) => Place::Named(path),
            None => Place::Here(report_of(&source, &env::current_dir()?)),
        };
        if let Place::Here(path) = &report {
            call.environment.push((REPORT, path.into()));
        }
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
        let before = identity(self.report.path());
        let mut command = self.call.command();
        let status =
            command.status().with_context(|| anyhow!("cannot start {}", command.get_program().to_string_lossy()))?;
        if status.success() {
            crate::terminal::tell(format_args!("ipda cc --look: {}", self.outcome(before)?));
        }
        Ok(exit_code(status))
    }

    /// What there is to say of the report; an error where it cannot be written, of which clang only warns.
    fn outcome(&self, before: Option<Identity>) -> Result<String> {
        let path = self.report.path();
        let is_folder = path.is_dir() || path.as_os_str().as_bytes().ends_with(b"/");
        // In a folder, nothing says which file is new.
        let is_written = !is_folder && identity(path) != before;
        if !is_written && (is_folder || is_plain(path)) {
            // A folder that is not there would have been made.
            let folder = if is_folder { path.ancestors().find(|folder| folder.exists()) } else { path.parent() };
            if !is_folder {
                files::check(path, files::REPORT).context("there is no report")?;
            }
            let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            try_to_write(folder)
                .with_context(|| format!("there is no report: cannot write to {}", folder.display()))?;
        }
        Ok(match &self.report {
            Place::Named(_) if is_written || is_folder || !is_plain(path) => {
                "no code is kept; the report is where IPDA_REPORT or ipda.yaml says".into()
            }
            Place::Here(path) if is_written => {
                format!("no code is kept; `ipda report {}` shows what was found", path.display())
            }
            _ => format!("no target region or kernel in {}, and so no report; regions need -fopenmp", self.source),
        })
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

impl Place {
    fn path(&self) -> &Path {
        match self {
            Place::Here(path) | Place::Named(path) => path,
        }
    }
}

/// The report of a source, in the folder `here`, another for each: its path from there, with `+` for `/` and for each step upward, as the plugin
/// names reports in folders.
fn report_of(source: &str, here: &Path) -> PathBuf {
    let (source, here) = (files::lexically_normal(&here.join(source)), files::lexically_normal(here));
    let common = source.components().zip(here.components()).take_while(|(one, other)| one == other).count();
    let rest: PathBuf = source.components().skip(common).collect();
    let mut name = vec![b'+'; here.components().count() - common];
    for byte in rest.as_os_str().as_bytes() {
        match byte {
            b'/' => name.push(b'+'),
            b'+' | b'%' => name.extend_from_slice(format!("%{byte:x}").as_bytes()),
            other => name.push(*other),
        }
    }
    name.extend_from_slice(b".ipda.yaml");
    OsString::from_vec(name).into()
}

type Identity = (u64, i64, i64);

/// What tells a file from the one that was there before: a report is put in place whole.
fn identity(path: &Path) -> Option<Identity> {
    let found = fs::metadata(path).ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec()))
}

/// Whether it is a file, or could become one: pipes and devices look the same before and after.
fn is_plain(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |found| found.is_file())
}

/// Makes a file in a folder as the plugin does, and removes it again.
fn try_to_write(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".ipda-look-{}", std::process::id()));
    fs::File::create_new(&file)?;
    fs::remove_file(file)
}

/// As shells have it.
fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_has_a_report_of_its_own() {
        let name = |source: &str| report_of(source, Path::new("/p/build")).display().to_string();
        assert_eq!(name("x.c"), "x.c.ipda.yaml");
        assert_eq!(name("./a/../x.c"), "x.c.ipda.yaml");
        assert_eq!(name("/p/build/a/x.c"), "a+x.c.ipda.yaml");
        assert_eq!(name("a+x.c"), "a%2bx.c.ipda.yaml");
        assert_eq!(name("../src/x.c"), "+src+x.c.ipda.yaml");
        assert_eq!(name("/x.c"), "++x.c.ipda.yaml");
    }
}
