//! Where the things are that a compilation with the plugin needs: clang 19, the plugin, a CUDA tree.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, anyhow, bail};

/// The LLVM that the plugin is built for.
pub const LLVM_VERSION: &str = "19";

/// The file name of the plugin.
const PLUGIN: &str = "libipda.so";

/// The variable that names a plugin elsewhere. It is none of the plugin's own options, whose names begin with `IPDA_`.
const PLUGIN_VARIABLE: &str = "LIBIPDA";

/// Where Debian's packages are.
const DEBIAN_LLVM: &str = "/usr/lib/llvm-19";

/// What the driver is asked to compile when no file name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `clang`.
    C,
    /// `clang++`.
    Cxx,
}

impl Language {
    fn driver(self) -> &'static str {
        match self {
            Language::C => "clang",
            Language::Cxx => "clang++",
        }
    }
}

/// The program of that name on PATH.
pub fn on_path(name: impl AsRef<Path>) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(&name)).find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// The driver of clang 19; one that the user names by its path is taken where it is of that version.
pub fn clang(language: Language, named: Option<&OsStr>) -> Result<PathBuf> {
    if let Some(path) = named.map(Path::new).filter(|path| path.components().count() > 1) {
        return match version_of(path) {
            Some(version) if version == LLVM_VERSION => Ok(path.to_owned()),
            Some(version) => bail!("{} is clang {version}; the plugin works in clang {LLVM_VERSION}", path.display()),
            None => bail!("{} is not a clang that runs", path.display()),
        };
    }
    let driver = language.driver();
    let prefix = env::var_os("LLVM_SYS_191_PREFIX").map(PathBuf::from);
    let installed = prefix.into_iter().chain([PathBuf::from(DEBIAN_LLVM)]).map(|llvm| llvm.join("bin").join(driver));
    let versioned = on_path(format!("{driver}-{LLVM_VERSION}"));
    let found = versioned.into_iter().chain(installed.filter(|path| is_program(path))).next();
    let plain = || on_path(driver).filter(|path| version_of(path).is_some_and(|version| version == LLVM_VERSION));
    found.or_else(plain).ok_or_else(|| {
        anyhow!("there is no {driver} {LLVM_VERSION}; on Debian: apt-get install clang-{LLVM_VERSION}, elsewhere set LLVM_SYS_191_PREFIX")
    })
}

/// The first number of the version of a clang.
fn version_of(program: &Path) -> Option<String> {
    // An installed one tells by its name, which saves a process for each compilation.
    let real = fs::canonicalize(program).ok()?;
    if real.components().any(|part| part.as_os_str() == "llvm-19") || real.ends_with("clang-19") {
        return Some(LLVM_VERSION.into());
    }
    let version = full_version(program)?;
    version.split('.').next().map(str::to_owned)
}

/// The version as a clang prints it, such as `19.1.7`.
pub fn full_version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (_, rest) = text.split_once("clang version ")?;
    rest.split(|c: char| c != '.' && !c.is_ascii_digit()).next().map(str::to_owned)
}

/// The folder of LLVM, with `bin` and `lib`, that a driver belongs to.
pub fn llvm_of(clang: &Path) -> PathBuf {
    let real = fs::canonicalize(clang).unwrap_or_else(|_| clang.to_owned());
    real.parent().and_then(Path::parent).map_or_else(|| DEBIAN_LLVM.into(), Path::to_owned)
}

/// The plugin: what the variable names, else beside this program, where packages have it, or in a build tree.
pub fn plugin() -> Result<PathBuf> {
    if let Some(named) = env::var_os(PLUGIN_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from) {
        return match fs::canonicalize(&named) {
            Ok(path) if path.is_file() => Ok(path),
            _ => bail!("{PLUGIN_VARIABLE} names {}, which is no file", named.display()),
        };
    }
    let own = env::current_exe()?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    let places = ["", "../lib/ipda", "../lib", "../release", "../debug"];
    let mut candidates = places.iter().map(|place| folder.join(place).join(PLUGIN));
    let found = candidates.find(|path| path.is_file()).and_then(|path| fs::canonicalize(path).ok());
    found.ok_or_else(|| {
        anyhow!(
            "there is no {PLUGIN} beside {} or in ../lib/ipda; set {PLUGIN_VARIABLE} to it, or build it in a checkout with \
             `cargo build --release -p ipda`",
            own.display()
        )
    })
}

/// A CUDA tree that has what clang takes from it, and the folder that `scripts/setup` makes one in.
pub fn cuda() -> Option<PathBuf> {
    let named = env::var_os("CUDA_PATH").filter(|value| !value.is_empty()).map(PathBuf::from);
    let installed = ["/usr/local/cuda", "/usr/lib/cuda"].map(PathBuf::from);
    named.into_iter().chain(cached_cuda()).chain(installed).find(|tree| tree.join("nvvm/libdevice").is_dir())
}

/// What `scripts/setup` made, the newest first.
fn cached_cuda() -> Vec<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    let entries = cache.and_then(|cache| fs::read_dir(cache.join("ipda")).ok());
    let numbers = |path: &PathBuf| -> Option<Vec<u32>> {
        let version = path.file_name()?.to_str()?.strip_prefix("cuda-")?;
        version.split('.').map(|part| part.parse().ok()).collect()
    };
    let mut trees: Vec<PathBuf> = entries.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    trees.retain(|tree| numbers(tree).is_some());
    trees.sort_by_key(|tree| std::cmp::Reverse(numbers(tree)));
    trees
}

/// PATH with one more folder at its end.
pub fn path_with(folder: PathBuf) -> Option<OsString> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
    if !folders.contains(&folder) {
        folders.push(folder);
    }
    env::join_paths(folders).ok()
}
