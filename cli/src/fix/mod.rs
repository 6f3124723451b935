//! `ipda fix`: writes down in the source what the analysis found, as a person would write it.

mod change;
pub mod diff;
mod directives;
mod guard;
mod maps;
pub mod rests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use ipda_models::files;
use ipda_models::report::{Location, SourceState, TransformationState};
use ipda_models::source::{Edit, Request, Source};
use ipda_models::versions::DeviceVersion;

use directives::{Directive, Read, Reported, directives};

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
    /// What several ask for, and each another thing.
    withdrawn: Vec<Change>,
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

/// Why something is not written where others ask for other text in its place.
const SOMETHING_ELSE: &str = "another report asks for something else at these lines";

impl File {
    /// Adds a change. Where others ask for something else at its lines, nobody's is made; the lines of the directives whose changes go.
    fn add(&mut self, change: Change) -> Vec<usize> {
        if self.changes.iter().any(|other| other.edits == change.edits) {
            return Vec::new();
        }
        let meets = |a: &Change, b: &Change| a.edits.iter().any(|a| b.edits.iter().any(|b| overlap(a, b)));
        let met: Vec<usize> = self
            .changes
            .iter()
            .chain(&self.withdrawn)
            .filter(|other| meets(other, &change))
            .map(|met| met.line)
            .collect();
        if met.is_empty() {
            self.changes.push(change);
            return met;
        }
        let lines = met.into_iter().chain([change.line]).collect();
        let (withdrawn, rest) = std::mem::take(&mut self.changes).into_iter().partition(|other| meets(other, &change));
        self.changes = rest;
        self.withdrawn.extend::<Vec<Change>>(withdrawn);
        self.withdrawn.push(change);
        lines
    }
}

/// A change, and the report's name of the file.
type Wish<'a> = (&'a str, Change);

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
        let mut all: Vec<Read> = Vec::new();
        for path in &arguments.paths {
            let (paths, errors) = report_files(path);
            self.refusals.extend(errors);
            for path in paths {
                let (reports, errors) = crate::input::read_all(std::slice::from_ref(&path));
                self.refusals.extend(errors.iter().map(|error| format!("{error:#}")));
                all.extend(reports.into_iter().map(|report| (report, path.clone())));
            }
        }
        let directives = directives(&all);
        directives.iter().for_each(|directive| self.add_maps(directive, &root));
        directives.iter().for_each(|directive| self.add_loops(directive, &root));
        self.leave_stale(&all, &root);
        Ok(())
    }

    fn refuse(&mut self, location: &Location, error: &anyhow::Error) {
        let refusal = format!("{location}: nothing written: {error:#}");
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// Adds what a directive's map clauses could say, where all regions that it becomes agree.
    fn add_maps(&mut self, directive: &Directive<'_>, root: &Path) {
        let wanted: Vec<Result<Option<Change>>> =
            directive.regions.iter().map(|reported| self.maps(reported, root)).collect();
        let edits = |at: usize| Some(wanted[at].as_ref().ok()?.as_ref().map(|change| &change.edits));
        let agree = !directive.is_unclear && (1..wanted.len()).all(|at| edits(at) == edits(0));
        for (reported, wanted) in directive.regions.iter().zip(wanted) {
            let added = match wanted {
                Ok(Some(_)) if !agree => Err(anyhow!(
                    "it is compiled more than once, and its map clauses cannot say the same less each time"
                )),
                Ok(Some(change)) => self.write_later(reported, (&reported.region.location.file, change), root),
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = added {
                self.refuse(&reported.region.location, &error);
            }
        }
    }

    /// What a region's map clauses could say.
    fn maps(&mut self, reported: &Reported<'_>, root: &Path) -> Result<Option<Change>> {
        let trust = self.trust;
        let wanted = maps::requested(reported.region, trust);
        if wanted.is_empty() {
            return Ok(None);
        }
        let file = self.file(&reported.region.location.file, reported, root)?;
        maps::change(reported.region, &wanted, &file.source, trust).map_err(anyhow::Error::msg)
    }

    /// Adds other loops of a directive, where all regions that it becomes agree.
    fn add_loops(&mut self, directive: &Directive<'_>, root: &Path) {
        let wanted: Vec<Vec<Result<Wish<'_>>>> =
            directive.regions.iter().map(|reported| self.loops(reported, root)).collect();
        let edits = |at: usize| {
            let edits = wanted[at].iter().map(|wish| wish.as_ref().ok().map(|(_, change)| &change.edits));
            edits.collect::<Vec<_>>()
        };
        let agree = !directive.is_unclear && (1..wanted.len()).all(|at| edits(at) == edits(0));
        let stays = directive.is_unclear || wanted.iter().any(Vec::is_empty);
        for (reported, wanted) in directive.regions.iter().zip(wanted) {
            for wish in wanted {
                let added = match wish {
                    Ok(_) if stays => Err(anyhow!(
                        "it is compiled more than once, and not each time another order of its loops is known to serve"
                    )),
                    Ok(_) if !agree => {
                        Err(anyhow!("it is compiled more than once, and what can be shown right of it differs"))
                    }
                    Ok(wish) => self.write_later(reported, wish, root),
                    Err(error) => Err(error),
                };
                if let Err(error) = added {
                    self.refuse(&reported.region.location, &error);
                }
            }
        }
    }

    /// The other loops that a region asks for; none where they have to stay.
    fn loops<'a>(&mut self, reported: &Reported<'a>, root: &Path) -> Vec<Result<Wish<'a>>> {
        let transformation = reported.region.transformation.as_ref();
        let stays = transformation
            .is_none_or(|reported| matches!(reported.state, TransformationState::Left | TransformationState::Best));
        let wanted = if stays { Vec::new() } else { requested(reported.region) };
        wanted.into_iter().map(|version| self.wish(reported, version, root)).collect()
    }

    fn wish<'a>(&mut self, reported: &Reported<'a>, version: &'a DeviceVersion, root: &Path) -> Result<Wish<'a>> {
        let region = reported.region;
        let request = Request::of(region, version).map_err(|objection| anyhow!("{objection}"))?;
        let trust = self.trust;
        let file = self.file(request.file(), reported, root)?;
        let change = Change::new((region, version), &request, &file.source, trust).map_err(anyhow::Error::msg)?;
        Ok((request.file(), change))
    }

    /// Adds a change to a file that a report names.
    fn write_later(&mut self, reported: &Reported<'_>, (name, mut change): Wish<'_>, root: &Path) -> Result<()> {
        if name != reported.report.source {
            change.text.push_str("; right in the units whose reports were read");
        }
        let (label, file) = self.labelled_file(name, reported, root)?;
        let withdrawn = file.add(change);
        for line in withdrawn {
            let location = Location { file: label.clone(), line: u32::try_from(line)?, column: 0 };
            self.refuse(&location, &anyhow!(SOMETHING_ELSE));
        }
        Ok(())
    }

    /// Changes nothing in a file that has become another one since some of its regions were reported: they may need it as it is.
    fn leave_stale(&mut self, all: &[Read], root: &Path) {
        for (report, path) in all {
            let names: BTreeSet<&str> = report.regions.iter().map(|region| &region.location.file[..]).collect();
            for name in names {
                let found = self.found(name, path, root);
                let Some(file) = self.files.values_mut().find(|file| Some(&file.path) == found.as_ref()) else {
                    continue;
                };
                if report.state_of(name, &file.source.text) == SourceState::Changed && !file.changes.is_empty() {
                    file.changes.clear();
                    let why = format!("it has changed since {} was written: compile it again", path.display());
                    self.refusals.push(format!("{name}: nothing written: {why}"));
                }
            }
        }
    }

    /// The file that a report names.
    fn found(&self, name: &str, report_path: &Path, root: &Path) -> Option<PathBuf> {
        let folders = [Some(Path::new("")), report_path.parent(), Some(root)];
        let candidates = folders.into_iter().flatten().map(|folder| folder.join(name));
        candidates.filter_map(|path| fs::canonicalize(path).ok()).find(|path| path.is_file())
    }

    fn file(&mut self, name: &str, reported: &Reported<'_>, root: &Path) -> Result<&mut File> {
        Ok(self.labelled_file(name, reported, root)?.1)
    }

    /// A file that a report names, if it is what was compiled, and its name in the diff.
    fn labelled_file(&mut self, name: &str, reported: &Reported<'_>, root: &Path) -> Result<(String, &mut File)> {
        let Reported { report, path: report_path, .. } = *reported;
        let path = self.found(name, report_path, root).with_context(|| format!("{name} is not found from here"))?;
        let label =
            path.strip_prefix(root).ok().and_then(Path::to_str).ok_or_else(|| {
                anyhow!("{} is outside of {}: give its folder as --root", path.display(), root.display())
            })?;
        if !self.files.contains_key(label) {
            if label.contains(crate::terminal::is_hidden) {
                bail!("the name {label:?} would be a command in a diff or on a terminal");
            }
            let text = files::read(&path, MAX_BYTES).with_context(|| format!("cannot read {}", path.display()))?;
            let file =
                File { path: path.clone(), source: Source::new(text), changes: Vec::new(), withdrawn: Vec::new() };
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
        Ok((label.to_owned(), file))
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

/// Whether two edits are of common text, or at one place, where only comments can follow one another.
fn overlap(a: &Edit, b: &Edit) -> bool {
    let is_comment = |edit: &Edit| edit.range.is_empty() && edit.text.trim_ascii_start().starts_with(b"/*");
    let (of, other) = (&a.range, &b.range);
    of.start < other.end && other.start < of.end || of == other && !(is_comment(a) && is_comment(b))
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
