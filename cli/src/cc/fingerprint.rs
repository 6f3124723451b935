//! What a compiler cache does not see by itself: the plugin's file, and options from the environment and from a file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use ipda_models::files;
use ipda_models::hash::fnv1a;
use ipda_models::options::{self, OPTIONS, OptionFile};

use crate::toolchain::full_version;

/// Options and descriptions of machines are no longer than that, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is hashed: FNV-1a with 64 bits is the same on every machine, and of a file in no time.
#[derive(Default)]
struct Hash(Vec<u8>);

impl Hash {
    /// Adds a part, apart from what follows it.
    fn part(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        self.0.extend((bytes.len() as u64).to_le_bytes());
    }

    /// Adds what a file holds, if it can be read.
    fn file(&mut self, path: &Path) {
        if let Ok(bytes) = files::read(path, MAX_BYTES) {
            self.part(&bytes);
        }
    }

    fn text(&self) -> String {
        format!("{:016x}", fnv1a(&self.0))
    }
}

/// Whether the compilation is asked for a report.
pub fn writes_report() -> bool {
    options::report().is_some()
}

/// A number that changes with the plugin and with its options.
pub fn of_options(plugin: &Path) -> Result<String> {
    let mut hash = Hash::default();
    let bytes = fs::read(plugin).with_context(|| format!("cannot read {}", plugin.display()))?;
    hash.part(&bytes);
    let mut options: Vec<_> = env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("IPDA_")).collect();
    options.sort();
    for (name, value) in &options {
        hash.part(name.as_encoded_bytes());
        hash.part(value.as_encoded_bytes());
    }
    if let Some(path) = OptionFile::path() {
        hash.file(&path);
    }
    let file = OptionFile::here();
    for option in OPTIONS.iter().filter(|option| option.values == "NAME") {
        let in_environment = options::variable(&option.variable()).map(PathBuf::from);
        for name in in_environment.into_iter().chain(file.get(option.key).map(PathBuf::from)) {
            hash.file(&name);
        }
    }
    Ok(hash.text())
}

/// For a cache that calls this program as its compiler: a number that also changes with clang, and is never the same twice where a
/// report is asked for.
pub fn of_compilation(clang: &Path, plugin: &Path) -> Result<String> {
    let mut hash = Hash::default();
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
