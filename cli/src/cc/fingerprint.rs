//! What a compiler cache does not see by itself: the plugin's file, and options from the environment and from a file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::toolchain::full_version;

/// FNV-1a with 64 bits: the same on every machine, and of a file in no time.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// Adds a part, apart from what follows it.
    fn part(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    fn file(&mut self, path: &Path) -> Option<String> {
        let bytes = fs::read(path).ok()?;
        self.part(&bytes);
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The option file that the plugin reads.
fn option_file() -> String {
    env::var("IPDA_CONFIG").ok().filter(|value| !value.is_empty()).unwrap_or_else(|| "ipda.yaml".into())
}

/// The value of a key of the option file, which is one line.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))?;
    Some(value.trim().trim_matches(['"', '\''])).filter(|value| !value.is_empty())
}

/// The report that the compilation is asked for: a file or a folder.
pub fn report() -> Option<PathBuf> {
    let in_file = || value(&fs::read_to_string(option_file()).ok()?, "report").map(PathBuf::from);
    env::var_os("IPDA_REPORT").filter(|value| !value.is_empty()).map(PathBuf::from).or_else(in_file)
}

/// Whether the compilation is asked for a report.
pub fn writes_report() -> bool {
    report().is_some()
}

/// A number that changes with the plugin and with its options.
pub fn of_options(plugin: &Path) -> Result<String> {
    let mut hash = Hash::new();
    let bytes = fs::read(plugin).with_context(|| format!("cannot read {}", plugin.display()))?;
    hash.part(&bytes);
    let mut options: Vec<_> = env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("IPDA_")).collect();
    options.sort();
    for (name, value) in &options {
        hash.part(name.as_encoded_bytes());
        hash.part(value.as_encoded_bytes());
    }
    let text = hash.file(Path::new(&option_file())).unwrap_or_default();
    for (variable, key) in [("IPDA_GPU", "gpu"), ("IPDA_CPU", "cpu"), ("IPDA_LINK", "link")] {
        for name in [env::var(variable).ok().as_deref(), value(&text, key)].into_iter().flatten() {
            hash.file(Path::new(name));
        }
    }
    Ok(hash.text())
}

/// For a cache that calls this program as its compiler: a number that also changes with clang, and is never the same twice where a
/// report is asked for.
pub fn of_compilation(clang: &Path, plugin: &Path) -> Result<String> {
    let mut hash = Hash::new();
    hash.part(of_options(plugin)?.as_bytes());
    hash.part(env!("CARGO_PKG_VERSION").as_bytes());
    hash.part(full_version(clang).unwrap_or_default().as_bytes());
    if writes_report() {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        hash.part(&now.as_nanos().to_le_bytes());
        hash.part(&std::process::id().to_le_bytes());
    }
    Ok(hash.text())
}
