//! Finding and reading report files. What can be read is shown; each file that cannot gives one sentence.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use ipda_models::report::{ReadError, Report};

/// Reads the reports at `paths` in their order, those of a folder by name.
pub fn read_all(paths: &[PathBuf]) -> (Vec<Report>, Vec<anyhow::Error>) {
    let mut reports = Vec::new();
    let mut errors = Vec::new();
    for path in paths {
        match files_of(path) {
            Ok(files) => {
                for file in files {
                    read(&file).map_or_else(|error| errors.push(error), |report| reports.push(report));
                }
            }
            Err(error) => errors.push(error),
        }
    }
    (reports, errors)
}

/// The report files at a path, those of a folder by name.
pub fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let cannot_read = || format!("cannot read {}", path.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(path).with_context(cannot_read)? {
        let file = entry.with_context(cannot_read)?.path();
        if file.extension().is_some_and(|extension| extension == "yaml") {
            files.push(file);
        }
    }
    if files.is_empty() {
        bail!("{} contains no report: expected files named *.yaml", path.display());
    }
    files.sort();
    Ok(files)
}

/// Reads one report.
pub fn read(file: &Path) -> Result<Report> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    Report::from_yaml(&text).map_err(|error| match error {
        ReadError::Malformed(problem) => {
            anyhow!("{} is not an ipda report: {problem}", file.display())
        }
        ReadError::Version { .. } => anyhow!("{}: {error}", file.display()),
    })
}
