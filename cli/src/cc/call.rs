//! The command that a call of this program as a compiler stands for.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::command::{CommandLine, Nvidia};
use super::fingerprint;
use crate::toolchain::{self, Language, clang, plugin};

/// The command that a call stands for.
pub struct Call {
    /// A compiler cache that gets the command.
    pub launcher: Option<OsString>,
    pub program: PathBuf,
    /// Arguments of the driver beside the user's.
    pub added: Vec<OsString>,
    pub arguments: Vec<OsString>,
    /// What the environment gets: PATH, where the tools of a CUDA tree have to be found on it.
    pub environment: Vec<(&'static str, OsString)>,
}

impl Call {
    pub fn new(language: Language, words: &[OsString]) -> Result<Call> {
        let (mut call, line) = Call::without_flags(language, words)?;
        if line.compiles() && !line.loads_plugin() {
            call.load_plugin()?;
        }
        if line.nvidia() != Nvidia::None && line.has_inputs() && !call.find_cuda(&line) && line.needs_libdevice() {
            hint(line.nvidia());
        }
        Ok(call)
    }

    /// What the words say, with nothing added.
    pub fn without_flags(language: Language, words: &[OsString]) -> Result<(Call, CommandLine)> {
        let (launcher, words) = match words {
            [first, rest @ ..] if is_launcher(first) => (Some(first.clone()), rest),
            all => (None, all),
        };
        let (language, named, arguments) = compiler(language, words)?;
        let program = clang(language, named)?;
        let line = CommandLine::read(arguments);
        let (added, environment) = (Vec::new(), Vec::new());
        Ok((Call { launcher, program, added, arguments: arguments.to_vec(), environment }, line))
    }

    pub fn load_plugin(&mut self) -> Result<()> {
        let plugin = plugin()?;
        self.added.push(joined("-fpass-plugin=", &plugin));
        // A report is written by a compilation, so there has to be one.
        self.launcher = self.launcher.take().filter(|_| !fingerprint::writes_report());
        if self.launcher.is_some() {
            // clang hands this to a plugin that takes arguments, which there is none of; a cache sees another command.
            let number = fingerprint::of_options(&plugin)?;
            self.added.push(format!("-fplugin-arg-ipda-{number}").into());
        }
        Ok(())
    }

    /// Adds what clang needs of a CUDA tree; false where there is none.
    pub fn find_cuda(&mut self, line: &CommandLine) -> bool {
        let named = line.cuda_path();
        let mut flags: Vec<OsString> = Vec::new();
        let found =
            named.is_none().then(toolchain::cuda).flatten().inspect(|tree| flags.push(joined("--cuda-path=", tree)));
        let Some(tree) = named.or(found) else { return false };
        let library = toolchain::llvm_of(&self.program).join("lib");
        if line.nvidia() == Nvidia::OpenMp && !line.names_device_runtime() && library.is_dir() {
            flags.push(joined("--libomptarget-nvptx-bc-path=", &library));
        }
        if !flags.is_empty() {
            // Which of them counts depends on what is done.
            self.added.push("--start-no-unused-arguments".into());
            self.added.append(&mut flags);
            self.added.push("--end-no-unused-arguments".into());
        }
        // There clang looks for nvlink.
        self.environment.extend(toolchain::path_with(tree.join("bin")).map(|path| ("PATH", path)));
        true
    }

    pub fn words(&self) -> Vec<&OsStr> {
        let launcher = self.launcher.as_deref();
        let flags = self.added.iter().chain(&self.arguments).map(OsString::as_os_str);
        launcher.into_iter().chain([self.program.as_os_str()]).chain(flags).collect()
    }

    pub fn command(&self) -> Command {
        let words = self.words();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The command as a shell takes it.
    pub fn shell_line(&self) -> Vec<u8> {
        let variable = |(name, value): &(&str, OsString)| [name.as_bytes(), b"=", &quoted(value)].concat();
        let words = self.environment.iter().map(variable).chain(self.words().into_iter().map(quoted));
        let mut line = words.collect::<Vec<_>>().join(&b' ');
        line.push(b'\n');
        line
    }
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut word = OsString::from(flag);
    word.push(path);
    word
}

fn hint(nvidia: Nvidia) {
    let look = match nvidia {
        // The language of CUDA needs its headers, however far it is compiled.
        Nvidia::Cuda => "",
        Nvidia::OpenMp | Nvidia::None => "; for a report alone there is no need of one: `ipda cc --look ...`",
    };
    crate::terminal::tell(format_args!(
        "ipda cc: there is no CUDA tree, so that code for NVIDIA's GPUs cannot be finished: `ipda doctor` tells how to get one{look}"
    ));
}

/// A word for the shell.
fn quoted(word: &OsStr) -> Vec<u8> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=+:,@%".contains(byte);
    let bytes = word.as_bytes();
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return bytes.to_vec();
    }
    let mut text = vec![b'\''];
    for &byte in bytes {
        match byte {
            b'\'' => text.extend_from_slice(br"'\''"),
            other => text.push(other),
        }
    }
    text.push(b'\'');
    text
}

fn file_name(word: &OsStr) -> &str {
    Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or("")
}

fn is_launcher(word: &OsStr) -> bool {
    matches!(file_name(word), "ccache" | "sccache")
}

/// The compiler that the first word names, if it names one; a bare name is that of the language alone.
fn compiler(language: Language, words: &[OsString]) -> Result<(Language, Option<&OsStr>, &[OsString])> {
    let Some((first, rest)) = words.split_first() else { bail!("there are no arguments for the compiler") };
    let name = file_name(first);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    match plain {
        "clang" | "cc" => Ok((language, Some(first), rest)),
        "clang++" | "c++" => Ok((Language::Cxx, Some(first), rest)),
        "gcc" | "g++" | "icx" | "icpx" | "nvcc" | "hipcc" | "nvc" | "nvc++" => {
            bail!("{name} is another compiler; the plugin works in clang {}", toolchain::LLVM_VERSION)
        }
        _ => Ok((language, None, words)),
    }
}
