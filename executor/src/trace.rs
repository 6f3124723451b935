//! One launch in which everything is counted and compared with what the report predicts, and the table of it.

use crate::arguments::{Description, Prepared};
use crate::interpreter::{Launch, Observer, WarpAccess, WarpBranch};
use crate::memory::Memory;
use crate::predict::{self, Comparison, JoinedSite, Summary, Warp, WarpPlace};
use crate::program::{Site, SiteId};
use crate::record::{BranchCounts, Counts, SiteCounts, Stream};
use crate::subject::{Run, RunError, Subject};
use ipda_models::report::{Access, AccessKind, MemoryKind};
use std::fmt::Write as _;
use std::io;

/// What came of a traced launch.
#[derive(Debug)]
pub struct Trace {
    /// The launch itself.
    pub run: Run,
    /// Counts by access of the program.
    pub counts: Counts,
    /// How the predictions fared.
    pub summary: Summary,
}

/// Counts, streams and compares at once.
struct Tracer<'a, W> {
    stream: Recorder<W>,
    comparison: Comparison,
    /// The comparison's numbers of each access of the program, in global memory and in a team's; none for those that are not the user's.
    sites: Vec<[Option<JoinedSite>; 2]>,
    subject: &'a Subject,
    kernel: usize,
}

enum Recorder<W> {
    Counts(Counts),
    Stream(Box<Stream<W>>),
}

impl<W: io::Write> Observer for Tracer<'_, W> {
    fn access(&mut self, access: &WarpAccess<'_>) {
        let site = self.subject.program.site(access.site);
        let joined = if site.bytes != 0 {
            self.sites[access.site.0 as usize][slot(access.memory)]
        } else {
            // The size of a copy may be known only now.
            let key = self.subject.key(self.kernel, site, access.memory, access.bytes);
            key.and_then(|key| self.comparison.site(key))
        };
        let Some(joined) = joined else { return };
        let place = WarpPlace { team: access.team, warp: access.warp };
        self.comparison.observe(joined, &Warp { place, active: access.active, addresses: access.addresses });
        match &mut self.stream {
            Recorder::Counts(counts) => counts.access(access),
            Recorder::Stream(stream) => stream.access(access),
        }
    }

    fn branch(&mut self, branch: &WarpBranch) {
        self.comparison.observe_branch(&self.subject.program.branches()[branch.branch as usize], branch);
        match &mut self.stream {
            Recorder::Counts(counts) => counts.branch(branch),
            Recorder::Stream(stream) => stream.branch(branch),
        }
    }

    fn wants_iterations(&self) -> bool {
        matches!(self.stream, Recorder::Stream(_))
    }
}

const MEMORIES: [MemoryKind; 2] = [MemoryKind::Global, MemoryKind::Shared];

fn slot(memory: MemoryKind) -> usize {
    usize::from(memory == MemoryKind::Shared)
}

/// Runs a kernel with warps in lockstep. Each access of a warp to global memory goes to `records`, if any, as a line of JSON.
pub fn trace<W: io::Write>(
    subject: &Subject,
    kernel: usize,
    description: &Description,
    launch: &Launch,
    records: Option<W>,
) -> Result<Trace, RunError> {
    let (memory, prepared) = subject.memory(kernel, description)?;
    trace_on(subject, kernel, description, (memory, prepared), launch, records)
}

/// As [`trace`], on a memory that [`Subject::memory`] has made for the description.
pub fn trace_on<W: io::Write>(
    subject: &Subject,
    kernel: usize,
    description: &Description,
    (memory, prepared): (Memory, Prepared),
    launch: &Launch,
    records: Option<W>,
) -> Result<Trace, RunError> {
    let symbols = subject.symbols(kernel, description)?;
    let value = |name: &str| symbols.iter().find(|(other, _)| other == name).map(|&(_, value)| value);
    let region = subject.region(kernel);
    let mut comparison = Comparison::new(
        &subject.report,
        &predict::Launch { kernel: &region, teams: launch.teams, threads: launch.threads, symbols: &value },
    );
    let sites = subject
        .program
        .sites()
        .map(|(_, site)| MEMORIES.map(|memory| comparison.site(subject.key(kernel, site, memory, site.bytes)?)))
        .collect();
    let counts = Counts::new(&subject.program, subject.geometry(), subject.banks());
    let stream = match records {
        Some(out) => {
            let prefix = |(_, site): (SiteId, &Site)| prefix(subject, kernel, site);
            let prefixes = subject.program.sites().map(prefix).collect();
            Recorder::Stream(Box::new(Stream::new(counts, prefixes, out)))
        }
        None => Recorder::Counts(counts),
    };
    let mut tracer = Tracer { stream, comparison, sites, subject, kernel };
    let run = subject.run_on(kernel, memory, prepared, launch, Some(&mut tracer))?;
    let counts = match tracer.stream {
        Recorder::Counts(counts) => counts,
        Recorder::Stream(stream) => stream.finish().map_err(RunError::Records)?,
    };
    Ok(Trace { run, counts, summary: tracer.comparison.into_summary() })
}

fn json_string(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => result.extend(['\\', c]),
            c if c.is_control() => result.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

/// What a record says of an access of the program, as members of a JSON object.
fn prefix(subject: &Subject, kernel: usize, site: &Site) -> String {
    let Some(key) = subject.key(kernel, site, MemoryKind::Global, site.bytes) else { return String::new() };
    let is_same = |access: &&Access| {
        access.kind == key.kind && access.location == key.location && access.called_from == key.called_from
    };
    let regions = subject.report.regions.iter();
    let own = regions.filter(|each| each.function == key.kernel.function && each.location.line == key.kernel.line);
    let ids: Vec<&str> = own.flat_map(|each| &each.accesses).filter(is_same).map(|access| access.id.as_str()).collect();
    let text = json_string;
    let calls: Vec<String> = key.called_from.iter().map(|call| text(&call.to_string())).collect();
    format!(
        "\"kernel\":{},\"id\":{},\"kind\":\"{}\",\"place\":{},\"called_from\":[{}],",
        text(&format!("{}:{}", key.kernel.function, key.kernel.line)),
        text(&ids.join(" ")),
        key.kind.name(),
        key.location.as_ref().map_or_else(|| "null".to_owned(), |place| text(&place.to_string())),
        calls.join(",")
    )
}

/// One line of the table: an access in the source.
#[derive(Debug, Clone)]
pub struct Row {
    /// Where.
    pub place: String,
    /// Load, store, ...
    pub kind: AccessKind,
    /// Which memory.
    pub memory: MemoryKind,
    /// The report's numbers of it: `acc3`.
    pub ids: String,
    /// Bytes a lane.
    pub bytes: u64,
    /// The counts.
    pub counts: SiteCounts,
    /// Sectors a warp with all lanes touches, as the report says.
    pub predicted: String,
    /// Whether the report was right.
    pub verdict: String,
}

/// What the report predicts, in a few characters.
fn predicted(accesses: &[&Access]) -> String {
    let mut texts: Vec<String> = Vec::new();
    for access in accesses {
        let text = match access.sectors {
            _ if access.memory == MemoryKind::Shared => match access.bank_passes {
                Some(passes) => format!("{} of {} passes", passes.needed, passes.least),
                None => access.class.name().to_owned(),
            },
            Some(count) if count.aligned == count.worst => count.aligned.to_string(),
            Some(count) => format!("{}..{}", count.aligned, count.worst),
            None => match &access.stride.text {
                Some(stride) => format!("stride {stride}"),
                None => access.class.name().to_owned(),
            },
        };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(" or ")
}

impl Trace {
    /// The table's lines: all accesses of the region, in the order of the report, those that never ran and those that the report does not
    /// know included.
    pub fn rows(&self, subject: &Subject, kernel: usize) -> Vec<Row> {
        let region = subject.region(kernel);
        let accesses: Vec<&Access> = subject
            .report
            .regions
            .iter()
            .filter(|each| each.function == region.function && each.location.line == region.line)
            .flat_map(|each| &each.accesses)
            .collect();
        let mut rows = Vec::new();
        for outcome in &self.summary.sites {
            let mut counts = SiteCounts::default();
            for (id, site) in subject.program.sites() {
                let own = self.counts.site(id);
                let bytes = if site.bytes == 0 { own.bytes } else { site.bytes };
                if own.warps > 0
                    && subject.key(kernel, site, outcome.key.memory, bytes).is_some_and(|key| key == outcome.key)
                {
                    add(&mut counts, own);
                }
            }
            if outcome.entries.is_empty() && counts.warps == 0 {
                continue;
            }
            let entries: Vec<&Access> = accesses
                .iter()
                .copied()
                .filter(|access| outcome.entries.iter().any(|(id, _)| *id == access.id))
                .collect();
            let mut place =
                outcome.key.location.as_ref().map_or_else(|| "?".to_owned(), |at| format!("{}:{}", at.line, at.column));
            for call in &outcome.key.called_from {
                let _ = write!(place, " < {}:{}", call.line, call.column);
            }
            let tally = &outcome.tally;
            let verdict = match (outcome.entries.is_empty(), counts.warps) {
                (true, _) => "not in the report".to_owned(),
                (_, 0) => "never ran".to_owned(),
                _ if !outcome.differences.is_empty() => format!("NO: {}", outcome.differences[0].difference),
                _ if tally.agreeing + tally.agreeing_in_form + tally.counts_agreeing + tally.lanes_agreeing > 0 => {
                    "yes".to_owned()
                }
                _ if tally.outside_assumption > 0 => "outside of the report's assumptions".to_owned(),
                _ => "nothing to compare".to_owned(),
            };
            rows.push(Row {
                place,
                kind: outcome.key.kind,
                memory: outcome.key.memory,
                ids: outcome.entries.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>().join(" "),
                bytes: if outcome.key.bytes == 0 { counts.bytes } else { outcome.key.bytes },
                counts,
                predicted: predicted(&entries),
                verdict,
            });
        }
        rows
    }

    /// The user's conditional branches at which lanes of a warp went different ways.
    pub fn divergent_branches(&self, subject: &Subject) -> Vec<(String, BranchCounts)> {
        let sites = subject.program.branches();
        let mut found: Vec<(String, BranchCounts)> = Vec::new();
        for (branch, counts) in sites.iter().zip(&self.counts.branches) {
            if branch.is_runtime || counts.divergent == 0 {
                continue;
            }
            let place = crate::interpreter::place_text(&branch.place);
            match found.iter_mut().find(|(other, _)| *other == place) {
                Some((_, sum)) => {
                    sum.warps += counts.warps;
                    sum.divergent += counts.divergent;
                }
                None => found.push((place, *counts)),
            }
        }
        found
    }
}

fn add(sum: &mut SiteCounts, more: &SiteCounts) {
    if more.full_warps > 0 {
        sum.least = if sum.full_warps == 0 { more.least } else { sum.least.min(more.least) };
        sum.most = sum.most.max(more.most);
    }
    sum.warps += more.warps;
    sum.full_warps += more.full_warps;
    sum.lanes += more.lanes;
    sum.sectors += more.sectors;
    sum.lines += more.lines;
    sum.passes += more.passes;
    sum.bytes = sum.bytes.max(more.bytes);
}
