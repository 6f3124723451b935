//! Folders for what is not kept.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, anyhow};

/// A new folder, which goes with this value.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(purpose: &str) -> Result<Scratch> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = env::temp_dir().join(format!("ipda-{purpose}-{}-{now}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| anyhow!("cannot write to {}: {error}", folder.display()))?;
        Ok(Scratch(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
