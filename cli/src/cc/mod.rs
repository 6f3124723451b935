//! `ipda cc` and `ipda c++`: clang 19 with the plugin, in the place of a compiler.

mod command;
mod fingerprint;
mod look;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Result, anyhow, bail};

pub use crate::toolchain::Language;
use crate::toolchain::{self, clang, plugin};
use command::{CommandLine, Nvidia};

/// What `ipda cc --help` prints, since all other words are the compiler's.
pub const HELP: &str = "\
Compile with clang 19 and the plugin: adds the flags that load libipda.so, and passes everything else on

Usage: ipda cc [--look] [--print] [--] [ccache|sccache] [clang] [ARGUMENTS]...
       ipda c++ [--look] [--print] [--] [ccache|sccache] [clang++] [ARGUMENTS]...

Use it where a compiler's name is expected: CC='ipda cc', or CC=ipda-cc if it must be one word. The plugin is not loaded for
linking, preprocessing and the like. For NVIDIA's GPUs it looks for a CUDA tree (CUDA_PATH, what scripts/setup made,
/usr/local/cuda), unless the arguments name one. LIBIPDA=PATH names another plugin.

Options, which come before all others:
  --look               Compile one source only for its report, and keep no code; no CUDA tree is needed. The report is written
                       to what IPDA_REPORT names, else to SOURCE.ipda.yaml in the current folder, with + for each / of the path
  --print              Print the command instead of running it
  --print-fingerprint  Print a number for compiler caches, which changes with the compiler, the plugin and its options
";

/// The command that a call stands for.
struct Call {
    /// A compiler cache that gets the command.
    launcher: Option<OsString>,
    program: PathBuf,
    /// What is told the driver beside the user's arguments.
    added: Vec<OsString>,
    arguments: Vec<OsString>,
    /// What the environment gets: PATH, where the tools of a CUDA tree have to be found on it.
    environment: Vec<(&'static str, OsString)>,
}

/// The language of a compiler, where this program was called by a compiler's name: `ipda-cc`, `ipda-c++`.
pub fn called_as_compiler() -> Option<Language> {
    let name = env::args_os().next()?;
    match Path::new(&name).file_name()?.to_str()? {
        "ipda-cc" => Some(Language::C),
        "ipda-c++" => Some(Language::Cxx),
        _ => None,
    }
}

/// Becomes the compiler; comes back only where there is none.
pub fn run(language: Language, arguments: &[OsString]) -> Result<ExitCode> {
    let (options, rest) = arguments.split_at(arguments.iter().take_while(|word| is_own_option(word)).count());
    if arguments.is_empty() || matches!(arguments, [only] if only == "--help") {
        return print(HELP.as_bytes());
    }
    let rest = rest.strip_prefix(&[OsString::from("--")]).unwrap_or(rest);
    if options.iter().any(|option| option == "--print-fingerprint") {
        let clang = clang(language, None)?;
        let number = fingerprint::of_compilation(&clang, &plugin()?)?;
        return print(format!("{number}\n").as_bytes());
    }
    let prints = options.iter().any(|option| option == "--print");
    if options.iter().any(|option| option == "--look") {
        let look = look::Look::new(language, rest)?;
        return if prints { print(&look.shell_line()) } else { look.run() };
    }
    let call = Call::new(language, rest)?;
    if prints {
        return print(&call.shell_line());
    }
    let mut command = call.command();
    let error = command.exec();
    Err(anyhow!("cannot start {}: {error}", command.get_program().to_string_lossy()))
}

fn is_own_option(word: &OsStr) -> bool {
    ["--look", "--print", "--print-fingerprint"].iter().any(|option| word == *option)
}

fn print(text: &[u8]) -> Result<ExitCode> {
    crate::terminal::print_exactly(text)?;
    Ok(ExitCode::SUCCESS)
}

impl Call {
    fn new(language: Language, words: &[OsString]) -> Result<Call> {
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
    fn without_flags(language: Language, words: &[OsString]) -> Result<(Call, CommandLine)> {
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

    fn load_plugin(&mut self) -> Result<()> {
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
    fn find_cuda(&mut self, line: &CommandLine) -> bool {
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

    fn words(&self) -> Vec<&OsStr> {
        let launcher = self.launcher.as_deref();
        let flags = self.added.iter().chain(&self.arguments).map(OsString::as_os_str);
        launcher.into_iter().chain([self.program.as_os_str()]).chain(flags).collect()
    }

    fn command(&self) -> Command {
        let words = self.words();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The command as a shell takes it.
    fn shell_line(&self) -> Vec<u8> {
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
