//! `ipda cc` and `ipda c++`: clang 19 with the plugin, in the place of a compiler.

mod call;
mod command;
mod fingerprint;
mod look;

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, anyhow};

pub use crate::toolchain::Language;
use crate::toolchain::{clang, plugin};
use call::Call;

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
