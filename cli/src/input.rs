//! Finding and reading report files. What can be read is shown; each file that cannot gives one sentence.

mod progress;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ipda_models::report::{ReadError, Report};

use progress::Progress;

/// Reports that are read ahead of the one that is waited for; more of them would only take memory.
const READ_AHEAD: usize = 64;

/// From so many files on, several threads read.
const MANY_FILES: usize = 16;

/// Reads the reports at `paths` in their order, those of a folder by name.
#[allow(dead_code, reason = "for commands that need all reports at once")]
pub fn read_all(paths: &[PathBuf]) -> (Vec<Report>, Vec<anyhow::Error>) {
    let mut reports = Vec::new();
    let errors = for_each(paths, |report| reports.push(report));
    (reports, errors)
}

/// Gives each report at `paths` to `take`, in the order of the paths, those of a folder by name, and keeps none. Files that cannot be read
/// are left out, with a sentence for each.
pub fn for_each(paths: &[PathBuf], mut take: impl FnMut(Report)) -> Vec<anyhow::Error> {
    let mut errors = Vec::new();
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        match files_of(path) {
            Ok(found) => files.extend(found),
            Err(error) => errors.push(error),
        }
    }
    let mut progress = Progress::new(files.len());
    let mut take = |read: Result<Report>| {
        progress.step();
        read.map_or_else(|error| errors.push(error), &mut take);
    };
    if files.len() < MANY_FILES {
        files.iter().map(|file| read(file)).for_each(take);
    } else {
        read_in_threads(&files, &mut take);
    }
    progress.finish();
    errors
}

/// Several threads read, and what they read is taken in the order of the files.
fn read_in_threads(files: &[PathBuf], take: &mut dyn FnMut(Result<Report>)) {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(8);
    let next = AtomicUsize::new(0);
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(usize, Result<Report>)>(READ_AHEAD);
        for _ in 0..threads {
            let send = send.clone();
            let (next, taken) = (&next, &taken);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    // One long file does not let the others run far ahead.
                    while at > taken.load(Ordering::Acquire) + READ_AHEAD {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    if send.send((at, read(file))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early: BTreeMap<usize, Result<Report>> = BTreeMap::new();
        let mut at = 0;
        for (read_at, report) in receive {
            early.insert(read_at, report);
            while let Some(report) = early.remove(&at) {
                take(report);
                at += 1;
                taken.store(at, Ordering::Release);
            }
        }
    });
}

/// The report files at a path: itself, or those in a folder by name.
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
