//! `ipda fix`: writes down in the source what the analysis found, as a person would write it.

mod change;
pub mod diff;
mod guard;
mod maps;
pub mod rests;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use ipda_models::files;
use ipda_models::report::{Location, Region, Report, SourceState, TransformationState};
use ipda_models::source::{Edit, Request, Source};
use ipda_models::versions::DeviceVersion;

pub use change::{Change, requested};
pub use rests::Trust;

/// A source is no longer than that, in bytes.
const MAX_BYTES: u64 = 16 << 20;

/// What `ipda fix` is asked for.
#[derive(clap::Args)]
pub struct Arguments {
    /// Change no file; print what would change, as a diff that `patch -p1` takes.
    #[arg(long)]
    dry_run: bool,
    /// The folder of the sources: no file outside it is changed, and the names in the diff begin there.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    /// Write also what is right only under conditions about sizes and overlapping arrays, and list these in a comment.
    #[arg(long, conflicts_with = "guard")]
    assume: bool,
    /// Write such loops twice, under an `if` that tests the conditions: the changed ones, else those that are there.
    #[arg(long)]
    guard: bool,
    /// Report files, or folders of report files (*.yaml).
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
}

impl Arguments {
    fn trust(&self) -> Trust {
        match (self.assume, self.guard) {
            (true, _) => Trust::Assumed,
            (_, true) => Trust::Guarded,
            _ => Trust::Proven,
        }
    }
}

/// A source file, and what is to change in it.
struct File {
    path: PathBuf,
    source: Source,
    changes: Vec<Change>,
}

/// Runs the command. The exit status is 0 where all that the reports ask for is written.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut work = Work { trust: arguments.trust(), files: BTreeMap::new(), refusals: Vec::new() };
    let result = work.collect(arguments).and_then(|()| work.write(arguments));
    let mut complaints = work.refusals;
    complaints.extend(result.err().map(|error| format!("{error:#}")));
    for complaint in &complaints {
        crate::terminal::tell(format_args!("ipda: {complaint}"));
    }
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl File {
    fn add(&mut self, change: Change) -> Result<()> {
        let is_same = |other: &Change| other.edits == change.edits;
        if self.changes.iter().any(is_same) {
            return Ok(());
        }
        let meets =
            |other: &Change| other.edits.iter().any(|a| change.edits.iter().any(|b| overlap(&a.range, &b.range)));
        if self.changes.iter().any(meets) {
            bail!("another report asks for something else at these lines");
        }
        self.changes.push(change);
        Ok(())
    }
}

struct Work {
    trust: Trust,
    /// By the name in the diff.
    files: BTreeMap<String, File>,
    /// Why something is not written, a sentence each.
    refusals: Vec<String>,
}

impl Work {
    fn collect(&mut self, arguments: &Arguments) -> Result<()> {
        let root = &arguments.root;
        let root = fs::canonicalize(root).with_context(|| format!("cannot find the folder {}", root.display()))?;
        let mut all: Vec<(Report, PathBuf)> = Vec::new();
        for path in &arguments.paths {
            let (paths, errors) = report_files(path);
            self.refusals.extend(errors);
            for path in paths {
                let (reports, errors) = crate::input::read_all(std::slice::from_ref(&path));
                self.refusals.extend(errors.iter().map(|error| format!("{error:#}")));
                all.extend(reports.into_iter().map(|report| (report, path.clone())));
            }
        }
        // A template or a header is compiled several times, and what is legal once need not be so always.
        let stay = |region: &&Region| {
            let reported = region.transformation.as_ref();
            reported
                .is_some_and(|reported| matches!(reported.state, TransformationState::Left | TransformationState::Best))
        };
        let staying: Vec<&Location> =
            all.iter().flat_map(|(report, _)| &report.regions).filter(stay).map(|region| &region.location).collect();
        all.iter().for_each(|(report, path)| self.add(report, path, &root, &staying));
        Ok(())
    }

    fn add(&mut self, report: &Report, report_path: &Path, root: &Path, staying: &[&Location]) {
        for region in &report.regions {
            if let Err(error) = self.add_maps(region, (report, report_path), root) {
                self.refuse(region, &error);
            }
        }
        let requests = report
            .regions
            .iter()
            .flat_map(|region| requested(region).into_iter().map(move |reported| (region, reported)));
        for (region, reported) in requests {
            let added = match staying.contains(&&region.location) {
                true => Err(anyhow!(
                    "it is compiled more than once, and not each time another order of its loops is known to serve"
                )),
                false => self.add_wish((region, reported), (report, report_path), root),
            };
            if let Err(error) = added {
                self.refuse(region, &error);
            }
        }
    }

    fn refuse(&mut self, region: &Region, error: &anyhow::Error) {
        let refusal = format!("{}: nothing written: {error:#}", region.location);
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// Adds what a region's map clauses could say.
    fn add_maps(&mut self, region: &Region, report: (&Report, &Path), root: &Path) -> Result<()> {
        let wanted = maps::requested(region, self.trust);
        if wanted.is_empty() {
            return Ok(());
        }
        let trust = self.trust;
        let file = self.file(&region.location.file, report, root)?;
        match maps::change(region, &wanted, &file.source, trust).map_err(anyhow::Error::msg)? {
            Some(change) => file.add(change),
            None => Ok(()),
        }
    }

    fn add_wish(
        &mut self,
        (region, reported): (&Region, &DeviceVersion),
        (report, report_path): (&Report, &Path),
        root: &Path,
    ) -> Result<()> {
        let request = Request::of(region, reported).map_err(|objection| anyhow!("{objection}"))?;
        let trust = self.trust;
        let file = self.file(request.file(), (report, report_path), root)?;
        file.add(Change::new((region, reported), &request, &file.source, trust).map_err(anyhow::Error::msg)?)
    }

    /// A file that a report names, if it is what was compiled.
    fn file(&mut self, name: &str, (report, report_path): (&Report, &Path), root: &Path) -> Result<&mut File> {
        let folders = [Some(Path::new("")), report_path.parent(), Some(root)];
        let candidates = folders.into_iter().flatten().map(|folder| folder.join(name));
        let path = candidates.filter_map(|path| fs::canonicalize(path).ok()).find(|path| path.is_file());
        let path = path.with_context(|| format!("{name} is not found from here"))?;
        let label =
            path.strip_prefix(root).ok().and_then(Path::to_str).ok_or_else(|| {
                anyhow!("{} is outside of {}: give its folder as --root", path.display(), root.display())
            })?;
        if !self.files.contains_key(label) {
            if label.contains(crate::terminal::is_hidden) {
                bail!("the name {label:?} would be a command in a diff or on a terminal");
            }
            let text = files::read(&path, MAX_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
            let file = File { path: path.clone(), source: Source::new(text), changes: Vec::new() };
            self.files.insert(label.to_owned(), file);
        }
        let file = self.files.get_mut(label).with_context(|| format!("{label} was not read"))?;
        match report.state_of(name, &file.source.text) {
            SourceState::Same => {}
            SourceState::Changed => {
                bail!("{label} has changed since {} was written: compile it again", report_path.display())
            }
            SourceState::Unknown => bail!(
                "{} has no hash of {label}, which would tell whether that is what was compiled: compile it again",
                report_path.display()
            ),
        }
        Ok(file)
    }

    fn write(&self, arguments: &Arguments) -> Result<()> {
        let mut text: Vec<u8> = Vec::new();
        for (label, file) in self.files.iter().filter(|(_, file)| !file.changes.is_empty()) {
            let mut changes: Vec<&Change> = file.changes.iter().collect();
            changes.sort_by_key(|change| change.line);
            // `patch` reads over lines before a file's name.
            let mark = if arguments.dry_run { "# " } else { "" };
            for change in &changes {
                // Names in it come from the report: a line of their own would be one of the diff.
                let reported = crate::terminal::visible(&format!("{label}:{}: {}", change.line, change.text));
                text.extend(format!("{mark}{reported}\n").bytes());
            }
            let changed = edited(&file.source.text, &changes);
            if arguments.dry_run {
                text.extend(diff::unified(label, &file.source.text, &changed));
            } else {
                files::change(&file.path, &file.source.text, &changed)?;
            }
        }
        if text.is_empty() && !arguments.dry_run && self.refusals.is_empty() {
            text = b"nothing to write: no report asks for another order of loops or another map clause\n".to_vec();
        }
        crate::terminal::print_exactly(&text)
    }
}

/// Whether two edits are of common text, or at one place.
fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end || a == b
}

/// The text with all changes.
pub fn edited(text: &[u8], changes: &[&Change]) -> Vec<u8> {
    let mut edits: Vec<&Edit> = changes.iter().flat_map(|change| &change.edits).collect();
    edits.sort_by_key(|edit| edit.range.start);
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        result.extend_from_slice(&text[at..edit.range.start]);
        result.extend_from_slice(&edit.text);
        at = edit.range.end;
    }
    result.extend_from_slice(&text[at..]);
    result
}

/// The reports that a path stands for, and why there are none.
fn report_files(path: &Path) -> (Vec<PathBuf>, Option<String>) {
    /// What every report begins with.
    const KEY: &[u8] = b"ipda_report";
    if !path.is_dir() {
        return (vec![path.to_owned()], None);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|file| file.extension().is_some_and(|kind| kind == "yaml")).collect();
    // A folder may hold files of other programs, too.
    files.retain(|file| {
        files::read(file, crate::input::MAX_BYTES).is_ok_and(|text| text.windows(KEY.len()).any(|part| part == KEY))
    });
    files.sort();
    let complaint = || format!("{} contains no report: expected files named *.yaml", path.display());
    let complaint = files.is_empty().then(complaint);
    (files, complaint)
}
