//! The options file `ipda.yaml`, as the plugin and `ipda cc` read it: one reader, so that both see the same.

use crate::files;
use crate::yaml;
use serde::Deserialize;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where the options are if [`CONFIG`] names no other file.
pub const FILE_NAME: &str = "ipda.yaml";
/// The environment variable that names another file.
pub const CONFIG: &str = "IPDA_CONFIG";
/// The environment variable that counts before the file's `report`.
pub const REPORT: &str = "IPDA_REPORT";
/// A file of options is no longer than that, in bytes.
const MOST_BYTES: u64 = 64 << 10;

/// What the file says, each option as it is written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionFile {
    /// Where reports are written: a file or a folder.
    pub report: Option<PathBuf>,
    /// The device to count for.
    pub gpu: Option<String>,
    /// The host that predictions are for.
    pub cpu: Option<String>,
    /// What connects both.
    pub link: Option<String>,
    /// Which compilation makes remarks.
    pub remarks: Option<String>,
    /// What is done with loops.
    pub transform: Option<String>,
    /// Whether launches decide.
    pub decision: Option<String>,
}

impl OptionFile {
    /// The file that counts here: the one that the environment names, else the one in the working directory if there is any.
    pub fn path() -> Option<PathBuf> {
        let named = variable(CONFIG).map(PathBuf::from);
        named.or_else(|| Some(PathBuf::from(FILE_NAME)).filter(|path| path.exists()))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A sentence where it cannot be read, or says what no option is.
    pub fn read(path: &Path) -> Result<OptionFile, String> {
        let text =
            files::read_text(path, MOST_BYTES).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let read = yaml::read::<Option<OptionFile>>(&text).map_err(|error| {
            format!("{}: {error}; the keys are report, gpu, cpu, link, remarks, transform, decision", path.display())
        })?;
        // An empty file is an empty list of options.
        Ok(read.unwrap_or_default())
    }

    /// What counts here. A file that cannot be read says nothing; the plugin tells what is wrong with it.
    pub fn here() -> OptionFile {
        OptionFile::path().and_then(|path| OptionFile::read(&path).ok()).unwrap_or_default()
    }
}

/// A variable of the environment; an empty one is none.
pub fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The report that a compilation is asked for here, by the environment or by the file: a file or a folder.
pub fn report() -> Option<PathBuf> {
    variable(REPORT).map(PathBuf::from).or_else(|| OptionFile::here().report)
}
