//! The same module at several points of the compiler's way: does the analysis say the same of each access?

use crate::limited::{self, Ended};
use crate::load::{self, LoadError};
use crate::oracle::{OracleError, Side, Stage, compile_side, tool};
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use ipda_models::report::{Access, Class, Location, Report, StrideKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The most time for an optimisation, and for an analysis.
const LIMIT: Duration = Duration::from_secs(20);

/// The points behind the front end, by LLVM's names for the passes that lead there.
pub const POINTS: [&str; 3] = ["function(mem2reg)", "default<O1>", "default<O2>"];

/// What the analysis says of a module file, as a report's text: what a child process prints.
pub fn report_text(module: &Path) -> Result<String, LoadError> {
    let context = Context::create();
    let module = load::read_any(&context, module)?;
    Ok(ipda::report(&module, None).to_yaml())
}

/// A report of one point, or why there is none.
#[derive(Debug)]
pub enum Point {
    /// What the analysis says.
    Report(Box<Report>),
    /// LLVM or the analysis took longer than the limit.
    TimedOut,
    /// Something went wrong, in a sentence.
    Failed(String),
}

/// Why an access has another answer at a later point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Fewer accesses at the place.
    Merged,
    /// More of them.
    Unrolled,
    /// More bytes at once.
    Vectorised,
    /// In another loop.
    Hoisted,
    /// Not understood any more.
    LessKnown,
    /// Understood now.
    BetterKnown,
    /// In other words.
    OtherWords,
    /// A known answer that is not the one before.
    Contradiction,
}

impl Change {
    /// The word of the table.
    pub fn name(self) -> &'static str {
        match self {
            Change::Merged => "merged",
            Change::Unrolled => "unrolled",
            Change::Vectorised => "vectorised",
            Change::Hoisted => "hoisted",
            Change::LessKnown => "unknown",
            Change::BetterKnown => "better known",
            Change::OtherWords => "other words",
            Change::Contradiction => "CONTRADICTION",
        }
    }
}

/// The accesses of a point against those of the front end.
#[derive(Debug, Default)]
pub struct Agreement {
    /// Places with an access, by kind and object, at the front end.
    pub accesses: usize,
    /// Those with the same answer.
    pub same: usize,
    /// Those with another, by why.
    pub changed: BTreeMap<Change, usize>,
    /// Those that are not there any more.
    pub missing: usize,
    /// Of these, those whose whole region is not found any more.
    pub without_region: usize,
    /// Contradictions, a sentence each.
    pub contradictions: Vec<String>,
}

/// Whether the optimiser may inline what clang has made of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regions {
    /// As it likes: on the host, regions then have no function of their own any more.
    Inlined,
    /// No.
    Kept,
}

/// Reports of one side of a source: at the front end, then at [`POINTS`].
pub fn points(source: &Path, side: Side, regions: Regions, folder: &Path) -> Result<Vec<Point>, OracleError> {
    let module = folder.join("front-end.bc");
    compile_side(source, Stage::FrontEnd, side, &module)?;
    if regions == Regions::Kept {
        keep_regions(&module)?;
    }
    let mut all = vec![analyse(&module)?];
    for passes in POINTS {
        let later = folder.join("later.bc");
        let mut opt = Command::new(tool("opt"));
        opt.arg(format!("-passes={passes}")).arg(&module).arg("-o").arg(&later);
        all.push(match limited::run(&mut opt, LIMIT)? {
            Ended::Exited { status, .. } if status.success() => analyse(&later)?,
            Ended::Exited { messages, .. } => Point::Failed(first_line(&messages)),
            Ended::TimedOut => Point::TimedOut,
        });
    }
    Ok(all)
}

fn keep_regions(path: &Path) -> Result<(), LoadError> {
    let context = Context::create();
    let module = load::read_any(&context, path)?;
    let kind = Attribute::get_named_enum_kind_id;
    let noinline = context.create_enum_attribute(kind("noinline"), 0);
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy().into_owned();
        // What clang makes of a region's parts is inlined into it.
        let is_part = name.contains("_debug__") || name.contains("omp_outlined");
        if name.starts_with("__omp_offloading_") && !is_part {
            function.remove_enum_attribute(AttributeLoc::Function, kind("alwaysinline"));
            function.add_attribute(AttributeLoc::Function, noinline);
        }
    }
    if module.write_bitcode_to_path(path) {
        Ok(())
    } else {
        Err(LoadError::Unreadable { path: path.to_owned(), reason: "it cannot be written again".into() })
    }
}

/// Analyses a module in a process of its own.
fn analyse(module: &Path) -> Result<Point, OracleError> {
    let own: PathBuf = std::env::current_exe()?;
    let ended = limited::run(Command::new(own).arg("report").arg(module), LIMIT)?;
    Ok(match ended {
        Ended::Exited { status, output, .. } if status.success() => {
            match Report::from_yaml(&String::from_utf8_lossy(&output)) {
                Ok(report) => Point::Report(Box::new(report)),
                Err(error) => Point::Failed(error.to_string()),
            }
        }
        Ended::Exited { messages, .. } => Point::Failed(first_line(&messages)),
        Ended::TimedOut => Point::TimedOut,
    })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or("it failed without a word").to_owned()
}

/// A place of a region that touches memory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    function: String,
    line: u32,
    location: Option<Location>,
    kind: &'static str,
    object: String,
}

fn accesses(report: &Report) -> BTreeMap<Key, Vec<&Access>> {
    let mut all: BTreeMap<Key, Vec<&Access>> = BTreeMap::new();
    for region in &report.regions {
        for access in &region.accesses {
            let key = Key {
                function: region.function.clone(),
                line: region.location.line,
                location: access.location.clone(),
                kind: access.kind.name(),
                object: access.object.clone(),
            };
            all.entry(key).or_default().push(access);
        }
    }
    all
}

/// Compares a later point with the front end.
pub fn compare(front: &Report, later: &Report) -> Agreement {
    let (before, after) = (accesses(front), accesses(later));
    let mut agreement = Agreement { accesses: before.len(), ..Agreement::default() };
    let is_region_there = |key: &Key| {
        later.regions.iter().any(|region| region.function == key.function && region.location.line == key.line)
    };
    for (key, before) in &before {
        // Optimised code may have lost the object's name.
        let found = after.get(key).or_else(|| {
            let same_place = |other: &Key| Key { object: key.object.clone(), ..other.clone() } == *key;
            let mut others = after.iter().filter(|(other, _)| same_place(other));
            others.next().map(|(_, found)| found).filter(|_| others.next().is_none())
        });
        match found {
            None => {
                agreement.missing += 1;
                agreement.without_region += usize::from(!is_region_there(key));
            }
            Some(after) => match change(before, after) {
                None => agreement.same += 1,
                Some(change) => {
                    *agreement.changed.entry(change).or_default() += 1;
                    if change == Change::Contradiction {
                        agreement.contradictions.push(sentence(key, before, after));
                    }
                }
            },
        }
    }
    agreement
}

fn answer(access: &Access) -> (Option<&str>, Class) {
    (access.stride.text.as_deref(), access.class)
}

fn is_known(access: &Access) -> bool {
    !matches!(access.stride.kind, StrideKind::Unknown | StrideKind::DataDependent)
}

fn is_number(access: &Access) -> bool {
    matches!(access.stride.kind, StrideKind::Constant | StrideKind::Vector)
}

/// Why the accesses at a place have other answers; none where each has one of those that there were before.
fn change(before: &[&Access], after: &[&Access]) -> Option<Change> {
    let has = |list: &[&Access], access: &Access| list.iter().any(|other| answer(other) == answer(access));
    let bytes = |list: &[&Access]| list.iter().map(|access| access.bytes).max();
    if after.iter().all(|access| has(before, access)) && before.iter().all(|access| has(after, access)) {
        return None;
    }
    if bytes(after) > bytes(before) {
        return Some(Change::Vectorised);
    }
    if after.iter().any(|access| !is_known(access)) && before.iter().all(|access| is_known(access)) {
        return Some(Change::LessKnown);
    }
    if after.iter().all(|access| is_known(access)) && before.iter().any(|access| !is_known(access)) {
        return Some(Change::BetterKnown);
    }
    let all_numbers = before.iter().chain(after).all(|access| is_number(access));
    if all_numbers && after.iter().any(|access| !has(before, access)) {
        return Some(Change::Contradiction);
    }
    Some(match after.len().cmp(&before.len()) {
        std::cmp::Ordering::Less => Change::Merged,
        std::cmp::Ordering::Greater => Change::Unrolled,
        std::cmp::Ordering::Equal if before.iter().zip(after).any(|(a, b)| a.in_loop != b.in_loop) => Change::Hoisted,
        std::cmp::Ordering::Equal => Change::OtherWords,
    })
}

fn sentence(key: &Key, before: &[&Access], after: &[&Access]) -> String {
    let texts = |list: &[&Access]| {
        let texts: Vec<String> = list
            .iter()
            .map(|access| format!("{} ({})", access.stride.text.as_deref().unwrap_or("?"), access.class.name()))
            .collect();
        texts.join(", ")
    };
    let place = key.location.as_ref().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    format!("{} of {} at {place}: stride {} before, {} after", key.kind, key.object, texts(before), texts(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(stride: &str, class: &str, bytes: u64) -> Access {
        let head = "id: acc0\nkind: load\nobject: A\naddress: '[A]'\nexecutions: {}";
        ipda_models::yaml::read(&format!("{head}\nstride: {stride}\nclass: {class}\nbytes: {bytes}\n")).unwrap()
    }

    #[test]
    fn only_other_numbers_of_as_many_bytes_contradict() {
        let four = access("{ kind: constant, text: '4' }", "coalesced", 4);
        let none = access("{ kind: constant, text: '0' }", "uniform", 4);
        let wide = access("{ kind: constant, text: '16' }", "coalesced", 16);
        let open = access("{ kind: unknown }", "unknown", 4);
        let symbolic = access("{ kind: symbolic, text: '4*[n]' }", "symbolic", 4);
        let other = access("{ kind: symbolic, text: '4*[arg1]' }", "symbolic", 4);
        assert_eq!(change(&[&four], &[&four]), None);
        assert_eq!(change(&[&four], &[&four, &four]), None);
        assert_eq!(change(&[&four], &[&none]), Some(Change::Contradiction));
        assert_eq!(change(&[&four], &[&wide]), Some(Change::Vectorised));
        assert_eq!(change(&[&four], &[&open]), Some(Change::LessKnown));
        assert_eq!(change(&[&open], &[&four]), Some(Change::BetterKnown));
        assert_eq!(change(&[&four, &none], &[&none]), Some(Change::Merged));
        assert_eq!(change(&[&symbolic], &[&other]), Some(Change::OtherWords));
    }
}
