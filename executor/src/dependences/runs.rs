//! A module with its dependences, and the runs of its kernels.

use super::check::{Check, Findings};
use super::conflicts::Conflicts;
use super::join::Join;
use super::record::{Record, Touch};
use super::values::Values;
use crate::arguments::Description;
use crate::interpreter::{self, Launch, Order, Races};
use crate::load::{LoadError, LoadOptions};
use crate::memory::{BufferId, Memory};
use crate::program::{Site, SiteId};
use crate::source_types::{Parameter, SourceType};
use crate::subject::{RunError, Subject};
use ipda::dependences::{RegionDependences, UnitKind};
use rustc_hash::FxHashSet;
use std::path::Path;

/// Operations after which a run ends.
const MAX_STEPS: u64 = 3_000_000;

/// A module as it runs, and what the graph says of it.
pub(super) struct Judged {
    pub subject: Subject,
    pub regions: Vec<RegionDependences>,
}

impl Judged {
    pub(super) fn load(module: &Path) -> Result<Judged, LoadError> {
        let (subject, regions) = Subject::with_dependences(module, &LoadOptions::default())?;
        Ok(Judged { subject, regions })
    }

    /// What the graph says of a kernel.
    pub(super) fn region(&self, kernel: usize) -> Option<&RegionDependences> {
        let code = &self.subject.program.kernels()[kernel];
        let is_it = |region: &&RegionDependences| {
            region.function == code.source_function
                && (region.kind != UnitKind::Region || region.location.as_ref().is_none_or(|at| at.line == code.line))
        };
        let mut found = self.regions.iter().filter(is_it);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Runs a kernel by one thread and compares. Pointers lead where `places` says, by name.
    pub(super) fn run(
        &self,
        kernel: usize,
        region: &RegionDependences,
        description: &Description,
        places: &Places,
        findings: &mut Findings,
    ) -> Result<(), RunError> {
        let subject = &self.subject;
        let (mut memory, mut prepared) = subject.memory(kernel, description)?;
        let parameters = &subject.parameters[kernel];
        places.apply(parameters, &mut prepared.values);
        let pointers = parameters.iter().zip(&prepared.values).filter_map(|(parameter, &value)| {
            let name = parameter.name.clone().filter(|_| names_address(parameter))?;
            Some((name, i128::from(value)))
        });
        let mut names: Vec<(String, i128)> = pointers.collect();
        names.extend(subject.symbols(kernel, description)?);
        let values = Values::new(names);
        let code = &subject.program.kernels()[kernel];
        let (teams, threads) = code.at_most(1.into(), 1.into());
        let launch = Launch { teams, threads, order: Order::Warps, races: Races::Ignore, max_steps: MAX_STEPS };
        let before = contents(&memory);
        let mut record = Record::default();
        interpreter::launch(&subject.program, code, &prepared.values, &mut memory, &launch, Some(&mut record))?;
        let join = Join::of(&subject.program, region, &record);
        let conflicts = Conflicts::of(region, &record, &join);
        for site in missing(&before, &memory, &record, &join, &conflicts) {
            let sentence = format!("not in the graph: {}", text(subject.program.site(site)));
            if !findings.wrong.contains(&sentence) {
                findings.wrong.push(sentence);
            }
        }
        Check::new(region, &values, findings).run(&join, &conflicts);
        Ok(())
    }
}

/// What memory holds, by address.
fn contents(memory: &Memory) -> Vec<(BufferId, Vec<u8>)> {
    memory.buffers().map(|buffer| (buffer, memory.contents(buffer).to_vec())).collect()
}

/// The accesses outside of the graph that have changed what none in it writes. Others may be superfluous: flattening removes what is not used,
/// and stores of what is there already.
fn missing(
    before: &[(BufferId, Vec<u8>)],
    after: &Memory,
    record: &Record,
    join: &Join,
    conflicts: &Conflicts,
) -> Vec<SiteId> {
    let mut changed: FxHashSet<u64> = FxHashSet::default();
    for (buffer, old) in before {
        let start = after.address(*buffer);
        let differ = old.iter().zip(after.contents(*buffer)).enumerate().filter(|(_, (old, new))| old != new);
        changed.extend(differ.map(|(at, _)| start + at as u64));
    }
    let is_missing = |touch: &&Touch| {
        let mut bytes = touch.address..touch.address + touch.bytes;
        join.missing.contains(&touch.site)
            && bytes.any(|byte| changed.contains(&byte) && !conflicts.written.contains(&byte))
    };
    let mut sites: Vec<SiteId> = record.touches.iter().filter(is_missing).map(|touch| touch.site).collect();
    sites.sort_unstable();
    sites.dedup();
    sites
}

/// Where pointers lead.
pub(super) enum Places {
    /// To what the description gives them.
    AsDescribed,
    /// So many bytes after the start of that, by name.
    Behind(Vec<(String, u64)>),
    /// All into the array of the first, so many bytes apart.
    Overlapping(u64),
}

impl Places {
    fn apply(&self, parameters: &[Parameter], values: &mut [u64]) {
        let mut pointers = parameters.iter().zip(values).filter(|(parameter, _)| is_pointer(parameter));
        match self {
            Places::AsDescribed => {}
            Places::Behind(shifts) => {
                for (parameter, value) in pointers {
                    let shift = shifts.iter().find(|(name, _)| Some(name) == parameter.name.as_ref());
                    *value += shift.map_or(0, |(_, bytes)| *bytes);
                }
            }
            Places::Overlapping(apart) => {
                let Some((_, &mut first)) = pointers.next() else { return };
                for (number, (_, value)) in pointers.enumerate() {
                    *value = first + apart * (number as u64 + 1);
                }
            }
        }
    }
}

/// Whether it is a pointer to numbers, or to rows of them.
fn is_pointer(parameter: &Parameter) -> bool {
    matches!(&parameter.ty, Some(SourceType::Pointer(to)) if holds_numbers(to))
}

/// Whether the graph has its name for an address of numbers. That of a shared variable that is no array stands for its value.
fn names_address(parameter: &Parameter) -> bool {
    let is_array = |ty: &SourceType| matches!(ty, SourceType::Array { .. });
    is_pointer(parameter)
        || matches!(&parameter.ty, Some(SourceType::Reference(to)) if is_array(to) && holds_numbers(to))
}

fn holds_numbers(ty: &SourceType) -> bool {
    match ty {
        SourceType::Array { element, .. } => holds_numbers(element),
        _ => matches!(ty, SourceType::Integer { .. } | SourceType::Float { .. }),
    }
}

fn text(site: &Site) -> String {
    let place = interpreter::place_text(&site.place);
    format!("{} of {} bytes at {place} in {}", site.kind.name(), site.bytes, site.function)
}
