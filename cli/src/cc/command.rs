//! What a command line of clang's driver asks for, as far as it matters here.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ipda_models::files;

/// Flags whose value is the next word.
const WITH_VALUE: [&str; 30] = [
    "-o",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-x",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xopenmp-target",
    "-Xcuda-ptxas",
    "-Xoffload-linker",
    "-mllvm",
    "-target",
    "-T",
    "-u",
    "-z",
    "--param",
    "--sysroot",
];

/// Names of files that clang turns into LLVM's code.
const SOURCES: [&str; 17] =
    ["c", "cc", "cp", "cpp", "cxx", "c++", "C", "CC", "CPP", "cu", "hip", "i", "ii", "cui", "ll", "bc", "cppm"];

/// Words with which nothing is compiled to code.
const WITHOUT_CODE: [&str; 5] = ["-E", "-M", "-MM", "-fsyntax-only", "--analyze"];

/// Which device code for NVIDIA's GPUs there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nvidia {
    /// None.
    None,
    /// By OpenMP's target constructs.
    OpenMp,
    /// By kernels in the language of CUDA.
    Cuda,
}

/// The words of a command line, with those of its argument files.
pub struct CommandLine {
    words: Vec<String>,
    inputs: Vec<String>,
    /// The last `-x`.
    language: Option<String>,
}

impl CommandLine {
    pub fn read(arguments: &[OsString]) -> CommandLine {
        let words: Vec<String> =
            arguments.iter().flat_map(|word| files::argument_words(&word.to_string_lossy())).collect();
        let (mut inputs, mut language) = (Vec::new(), None);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word == "--" {
                inputs.extend(rest.by_ref().cloned());
            } else if WITH_VALUE.contains(&&word[..])
                || word.starts_with("-Xopenmp-target=")
                || word.starts_with("-Xarch_")
            {
                let value = rest.next();
                if word == "-x" {
                    language = value.cloned();
                }
            } else if let Some(value) = word.strip_prefix("-x").filter(|value| !value.is_empty()) {
                language = Some(value.to_owned());
            } else if word == "-" || !word.starts_with('-') {
                inputs.push(word.clone());
            }
        }
        CommandLine { words, inputs, language }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    /// The values of a flag that holds them itself, apart at commas.
    fn values<'a>(&'a self, flag: &'a str) -> impl Iterator<Item = &'a str> {
        self.words.iter().filter_map(move |word| word.strip_prefix(flag)).flat_map(|list| list.split(','))
    }

    /// Whether a source becomes code.
    pub fn compiles(&self) -> bool {
        !WITHOUT_CODE.iter().any(|word| self.has(word)) && self.sources().next().is_some()
    }

    /// The inputs that clang turns into LLVM's code.
    pub fn sources(&self) -> impl Iterator<Item = &str> {
        let is_source = |input: &&str| match self.language.as_deref() {
            Some(language) if language != "none" => !language.starts_with("assembler"),
            _ => SOURCES.contains(&extension(input)),
        };
        self.inputs.iter().map(String::as_str).filter(is_source)
    }

    /// Whether a source is in the language of CUDA or HIP.
    pub fn has_kernels(&self) -> bool {
        let is_kernels = |input: &str| matches!(extension(input), "cu" | "cui" | "hip");
        matches!(self.language.as_deref(), Some("cuda" | "hip")) || self.sources().any(is_kernels)
    }

    /// The processors of GPUs that are named.
    pub fn processors(&self) -> impl Iterator<Item = &str> {
        self.values("--offload-arch=")
    }

    /// Whether information for debuggers is asked for.
    pub fn has_debug_information(&self) -> bool {
        self.words.iter().any(|word| word.starts_with("-g") && word != "-g0")
    }

    /// Whether there is anything to work on.
    pub fn has_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Whether the user loads the plugin already.
    pub fn loads_plugin(&self) -> bool {
        self.values("-fpass-plugin=").any(|path| path.ends_with("libipda.so"))
    }

    pub fn nvidia(&self) -> Nvidia {
        let is_cuda =
            self.language.as_deref() == Some("cuda") || self.inputs.iter().any(|input| input.ends_with(".cu"));
        let is_processor = |name: &str| name.starts_with("sm_") || name == "native";
        let for_nvidia = self.values("-fopenmp-targets=").any(|target| target.starts_with("nvptx"))
            || self.values("--offload-arch=").any(is_processor);
        match (is_cuda, for_nvidia) {
            (true, _) => Nvidia::Cuda,
            (false, true) => Nvidia::OpenMp,
            (false, false) => Nvidia::None,
        }
    }

    /// The CUDA tree that the user names.
    pub fn cuda_path(&self) -> Option<PathBuf> {
        self.words.iter().rev().find_map(|word| word.strip_prefix("--cuda-path=")).map(PathBuf::from)
    }

    /// Whether the user names the bitcode of OpenMP's device runtime.
    pub fn names_device_runtime(&self) -> bool {
        self.values("--libomptarget-nvptx-bc-path=").next().is_some()
    }

    /// Whether the code cannot be finished without NVIDIA's libraries.
    pub fn needs_libdevice(&self) -> bool {
        !["-nogpulib", "-nocudalib", "--offload-host-only", "--cuda-host-only"].iter().any(|word| self.has(word))
    }
}

fn extension(input: &str) -> &str {
    Path::new(input).extension().and_then(OsStr::to_str).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        CommandLine::read(&text.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_becomes_code_is_distinguished() {
        for text in ["-c a.c", "a.cpp -o a", "-x c - -c", "-S -xc++ a.txt", "-c -- a.c", "a.o b.c", "-c a.ll"] {
            assert!(line(text).compiles(), "{text}");
        }
        for text in
            ["a.o -o a", "-E a.c", "--version", "-c a.s", "-x assembler a.c -c", "-o a.c b.o", "-MM a.c", "-I a.c"]
        {
            assert!(!line(text).compiles(), "{text}");
        }
    }

    #[test]
    fn devices_are_distinguished() {
        let nvidia = |text: &str| line(text).nvidia();
        assert_eq!(nvidia("-c a.c -fopenmp"), Nvidia::None);
        assert_eq!(nvidia("-c a.c -fopenmp --offload-arch=gfx90a"), Nvidia::None);
        assert_eq!(nvidia("-c a.c -fopenmp --offload-arch=gfx90a,sm_80"), Nvidia::OpenMp);
        assert_eq!(nvidia("-c a.c -fopenmp -fopenmp-targets=x86_64,nvptx64-nvidia-cuda"), Nvidia::OpenMp);
        assert_eq!(nvidia("-c a.cu --offload-arch=sm_80"), Nvidia::Cuda);
        assert_eq!(nvidia("-x cuda -c a.h"), Nvidia::Cuda);
    }
}
