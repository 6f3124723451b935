//! Finding and reading report files. What can be read is shown; each file that cannot gives one sentence.

mod progress;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use ipda_models::files;
use ipda_models::report::{ReadError, Report};

use progress::Progress;

/// Reports that are read ahead of the one that is waited for; more of them would only take memory.
const READ_AHEAD: usize = 64;

/// A report is no longer than that, in bytes: it holds tens of thousands of accesses.
pub const MAX_BYTES: u64 = 64 << 20;

/// What every report begins with.
const KEY: &str = "ipda_report";

/// From so many files on, several threads read.
const MANY_FILES: usize = 16;

/// Reads the reports at `paths` in their order, those of a folder by name.
pub fn read_all(paths: &[PathBuf]) -> (Vec<Report>, Vec<anyhow::Error>) {
    let mut reports = Vec::new();
    let errors = for_each(paths, |report| reports.push(report));
    (reports, errors)
}

/// Gives each report at `paths` to `take`, in the order of the paths, those of a folder by name, and keeps none. Files that cannot be read
/// are left out, with a sentence for each; of a folder's files, those that never were reports, without.
pub fn for_each(paths: &[PathBuf], mut take: impl FnMut(Report)) -> Vec<anyhow::Error> {
    let mut errors = Vec::new();
    let mut files: Vec<File> = Vec::new();
    for path in paths {
        let origin = if path.is_dir() { Origin::Folder } else { Origin::Named };
        match files_of(path) {
            Ok(found) => files.extend(found.into_iter().map(|path| File { path, origin })),
            Err(error) => errors.push(error),
        }
    }
    let mut progress = Progress::new(files.len());
    let mut others = 0;
    let mut take = |read: Option<Result<Report>>| {
        progress.step();
        match read {
            Some(Ok(report)) => take(report),
            Some(Err(error)) => errors.push(error),
            None => others += 1,
        }
    };
    if files.len() < MANY_FILES {
        files.iter().map(File::read).for_each(take);
    } else {
        read_in_threads(&files, &mut take);
    }
    progress.finish();
    if others > 0 && others == files.len() {
        errors.push(anyhow!("no report is among the files named *.yaml"));
    }
    errors
}

/// A file that may be a report.
struct File {
    path: PathBuf,
    origin: Origin,
}

/// Where the path of a file comes from.
#[derive(Clone, Copy)]
enum Origin {
    /// The user names it.
    Named,
    /// It lies in a folder, perhaps beside files of other programs.
    Folder,
}

impl File {
    /// The report; none where the file is of another program.
    fn read(&self) -> Option<Result<Report>> {
        if let Origin::Named = self.origin {
            return Some(read(&self.path));
        }
        match text_of(&self.path) {
            Ok(text) if !text.is_empty() && !text.contains(KEY) => None,
            Ok(text) => Some(parsed(&self.path, &text)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// Several threads read, and what they read is taken in the order of the files.
fn read_in_threads(files: &[File], take: &mut dyn FnMut(Option<Result<Report>>)) {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(8);
    let next = AtomicUsize::new(0);
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (send, receive) = mpsc::sync_channel::<(usize, Option<Result<Report>>)>(READ_AHEAD);
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
                    if send.send((at, file.read())).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut early: BTreeMap<usize, Option<Result<Report>>> = BTreeMap::new();
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
    parsed(file, &text_of(file)?)
}

fn text_of(file: &Path) -> Result<String> {
    files::read_text(file, MAX_BYTES).map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::NotFound => {
                "; a source without target regions and kernels has no report, nor one compiled without -fopenmp"
            }
            _ => "",
        };
        anyhow!("cannot read {}: {error}{hint}", file.display())
    })
}

fn parsed(file: &Path, text: &str) -> Result<Report> {
    Report::from_yaml(text).map_err(|error| match error {
        ReadError::Malformed(_) if !text.contains(KEY) => {
            anyhow!("{} is no report of ipda: it has no key {KEY}", file.display())
        }
        ReadError::Malformed(problem) => {
            anyhow!("{} is not an ipda report: {problem}", file.display())
        }
        ReadError::Impossible(_) => anyhow!("{} cannot be right: {error}", file.display()),
        ReadError::Version { .. } => anyhow!("{}: {error}", file.display()),
    })
}
