//! A summary of a region, as a report says it, with its expressions.

use ipda_symbolic::{AtomId, Interval, Mapping, Polynomial, Space, Symbol, Varies, parse};

use super::digits::NestOfDigits;
use super::expressions::{AccessExpressions, CodeExpressions, Expressions, LoopExpressions, NO_SIZE, Names};
use super::names::size_name;
use super::rising::with_slopes;
use super::thread_numbers::{NO_TEAMS, lacks_teams, over_threads, usual_threads};
use super::{
    AccessKind, AccessSummary, ChangedNest, DeviceCode, DevicePart, Expression, Handout, HostCode, HostPart,
    InLockstep, Input, Likely, LoopSummary, MapSummary, RegionSummary, VersionSummary,
};
use crate::expressions::{self, declare};
use crate::gpu::geometry::ExecutionMode;
use crate::report::{
    self, Capture, Hardware, Lanes, MapKind, MemoryKind, Mode, Region, RegionKind, Schedule, ValueType,
};
use crate::transfer::Direction;
use crate::versions::{DeviceVersion, GuardCondition, Recipe, Step, VersionState};

/// Why nothing is predicted of a kernel.
const OF_LAUNCH: &str =
    "how many threads a kernel of CUDA or HIP gets is said where it is launched, which the report does not show";

impl RegionSummary {
    /// What a report says of a region.
    pub fn from_report(region: &Region, hardware: &Hardware) -> RegionSummary {
        match over_threads(region, hardware) {
            Some((region, expressions, note)) => {
                let mut summary = RegionSummary::new(&region, hardware, expressions);
                summary.notes.push(note.to_owned());
                summary
            }
            None => {
                let summary = RegionSummary::new(region, hardware, Expressions::parsed(region));
                let reason = lacks_teams(region).then(|| NO_TEAMS.to_owned());
                RegionSummary { unpredictable: summary.unpredictable.clone().or(reason), ..summary }
            }
        }
    }

    /// A region with its expressions, one for each of its loops and accesses, in their order. The region's own texts of expressions are not looked
    /// at.
    pub fn new(region: &Region, hardware: &Hardware, expressions: Expressions) -> RegionSummary {
        let Expressions { names, loops, accesses, maps, clauses, device_code, host_code } = expressions;
        assert!(loops.len() == region.loops.len() && accesses.len() == region.accesses.len(), "one for each");
        let Names { mut space, inputs, indices, .. } = names;
        let position = |id: &Option<String>| region.loops.iter().position(|l| Some(&l.id) == id.as_ref());
        let input = |(capture, atom): (&Capture, AtomId)| Input {
            name: capture.name.clone(),
            atom,
            is_pointer: capture.ty == ValueType::Pointer,
        };
        let is_global = |(access, _): &(&report::Access, _)| access.memory == MemoryKind::Global;
        let accesses = region.accesses.iter().zip(accesses).filter(is_global);
        let (mut accesses, rising): (Vec<AccessSummary>, Vec<_>) = accesses
            .map(|(access, mut reported)| {
                let rising = std::mem::take(&mut reported.rising);
                (access_summary(access, reported, position), rising)
            })
            .unzip();
        let maps = maps.into_iter().chain(std::iter::repeat(Err(NO_SIZE.into())));
        let maps = region.captures.iter().zip(maps).filter_map(|(capture, bytes)| map(&mut space, capture, bytes));
        let maps = maps.collect();
        let reported = region.transformation.as_ref().map_or(&[][..], |reported| &reported.versions);
        let versions: Vec<VersionSummary> = version(reported, region, &mut space).into_iter().collect();
        let mut loops: Vec<LoopSummary> = (region.loops.iter().zip(indices).zip(loops))
            .map(|((l, index), reported)| loop_summary(l, index, reported, position))
            .collect();
        let critical = critical_sections(region);
        for &of in &critical {
            let threads = clauses.num_threads.clone().or(clauses.thread_limit.clone());
            loops[of].trips = Ok(threads.unwrap_or_else(|| Polynomial::constant(usual_threads(hardware))));
        }
        let slopes = with_slopes(&mut space, &loops, &mut accesses, &rising);
        let summary = RegionSummary {
            function: region.function.clone(),
            place: region.location.to_string(),
            stays: region.on_host.as_ref().and_then(|on_host| Some(on_host.reason.as_ref()?.reason.clone())),
            inputs: region.captures.iter().zip(inputs).map(input).collect(),
            loops,
            critical,
            accesses,
            slopes,
            maps,
            space,
            mode: match region.mode {
                Mode::Spmd | Mode::Unknown | Mode::AsOnHost => ExecutionMode::Spmd,
                Mode::Generic => ExecutionMode::Generic,
                Mode::MadeSpmd => ExecutionMode::GenericSpmd,
            },
            clauses,
            team_chunk: region.team_chunk,
            team_reduction: region.team_reduction,
            lanes: hardware.warp_lanes,
            device_code: (region.resources.iter().zip(device_code))
                .map(|(code, reported)| device(code, reported, position))
                .collect(),
            host_code: region.host_code.as_ref().filter(|code| !code.loops.is_empty()).map(|code| HostCode {
                processor: code.processor.clone(),
                model: code.model,
                parts: code.loops.iter().zip(host_code).map(|(l, reported)| host_part(l, reported, position)).collect(),
            }),
            versions,
            unpredictable: (region.kind == RegionKind::Kernel).then(|| OF_LAUNCH.to_owned()),
            notes: notes(region),
            calls_are_unseen: region.rejects.iter().any(is_call),
            by_digits: None,
            of_digits: None,
        };
        with_digits(summary.without_edges(), region)
    }
}

/// The loops over a team's threads by which clang lets one after the other through a critical section.
fn critical_sections(region: &Region) -> Vec<usize> {
    const THREADS_OF_TEAM: &str = "[threads]";
    let is_variable = region.captures.iter().any(|capture| capture.name == "threads");
    if is_variable || region.kind == RegionKind::Kernel {
        return Vec::new();
    }
    let is_one =
        |l: &report::Loop| l.kind == report::LoopKind::Sequential && l.trips.value.as_deref() == Some(THREADS_OF_TEAM);
    (0..region.loops.len()).filter(|of| is_one(&region.loops[*of])).collect()
}

fn loop_summary(
    l: &report::Loop,
    index: AtomId,
    reported: LoopExpressions,
    position: impl Fn(&Option<String>) -> Option<usize>,
) -> LoopSummary {
    LoopSummary {
        id: l.id.clone(),
        name: l.variable.clone().unwrap_or_else(|| l.id.clone()),
        kind: l.kind,
        parent: position(&l.parent),
        index,
        trips: reported.trips,
        at_most: reported.at_most,
        halved: reported.halved,
        likely: l.likely.as_ref().zip(reported.likely).map(|(likely, of)| Likely {
            law: likely.law,
            of,
            base: f64::from(likely.base.unwrap_or(2).max(2)),
            bits: f64::from(likely.bits),
            is_left_early: likely.is_left_early,
        }),
        schedule: l.schedule.as_ref().map_or(Handout::Default, |schedule| handout(schedule, reported.chunk)),
    }
}

fn access_summary(
    access: &report::Access,
    reported: AccessExpressions,
    position: impl Fn(&Option<String>) -> Option<usize>,
) -> AccessSummary {
    AccessSummary {
        object: access.object.clone(),
        place: access.location.as_ref().map_or_else(|| access.id.clone(), |at| format!("line {}", at.line)),
        kind: kind(access.kind),
        bytes: access.bytes,
        in_loop: position(&access.in_loop),
        address: reported.address,
        conditions: reported.conditions,
        active: access.active_lanes.as_ref().and_then(Lanes::list).map(Iterator::collect),
        may_be_combined: access.may_be_combined,
    }
}

/// Whether it is a call of what is in another source.
fn is_call(reject: &report::Reject) -> bool {
    matches!(&reject.name[..], "UnknownCall" | "IndirectCall")
}

/// What is not in the report, and is assumed instead.
fn notes(region: &Region) -> Vec<String> {
    let mode = matches!(region.mode, Mode::Unknown | Mode::AsOnHost)
        .then_some("how the device runs the region is not in the report: as if all threads started it");
    let has_maps = region.captures.iter().all(|capture| capture.map.is_some());
    let maps = (!has_maps).then_some("what is mapped is not in the report: no transfers are in the prediction");
    let launch = &region.launch;
    let clauses = [
        ("num_teams", &launch.num_teams),
        ("thread_limit", &launch.thread_limit),
        ("num_threads", &launch.num_threads),
    ];
    let unknown = clauses.into_iter().filter(|(_, asked)| asked.as_ref().is_some_and(|asked| asked.value.is_none()));
    let unknown =
        unknown.map(|(name, _)| format!("the number in its clause {name} is not known: as without the clause"));
    let calls = region.rejects.iter().filter(|reject| is_call(reject));
    let mut calls: Vec<String> =
        calls.map(|call| format!("{}, nor is its time in the prediction", call.reason)).collect();
    calls.dedup();
    mode.into_iter().chain(maps).map(str::to_owned).chain(unknown).chain(calls).collect()
}

/// How iterations are handed out, with the chunk's length.
fn handout(schedule: &Schedule, chunk: Option<Expression>) -> Handout {
    match (schedule, chunk) {
        (Schedule::StaticChunked { .. }, Some(Ok(length))) if length.is_one() => Handout::Default,
        (Schedule::StaticChunked { .. }, Some(Ok(length))) => Handout::InTurn(length),
        (Schedule::Dynamic { .. }, Some(Ok(length))) => Handout::Dynamic(length),
        (Schedule::Static { .. }, _) => Handout::Block,
        (Schedule::StaticInTeam, _) => Handout::Default,
        (Schedule::Guided, _) => Handout::Guided,
        (Schedule::StaticChunked { .. } | Schedule::Dynamic { .. } | Schedule::Runtime | Schedule::Auto, _) => {
            Handout::Other(schedule.sentence())
        }
    }
}

fn kind(kind: report::AccessKind) -> AccessKind {
    match kind {
        report::AccessKind::Load | report::AccessKind::CopyFrom => AccessKind::Load,
        report::AccessKind::Store | report::AccessKind::CopyTo => AccessKind::Store,
        report::AccessKind::Atomic => AccessKind::Atomic,
    }
}

fn map(space: &mut Space, capture: &Capture, bytes: Expression) -> Option<MapSummary> {
    let map = capture.map.as_ref()?;
    let symbol = Symbol { name: size_name(&capture.name), range: Interval::ALL, varies: Varies::No };
    Some(MapSummary {
        name: capture.name.clone(),
        direction: match map.moved() {
            MapKind::To => Some(Direction::To),
            MapKind::From => Some(Direction::From),
            MapKind::ToFrom => Some(Direction::ToFrom),
            MapKind::Alloc => Some(Direction::Alloc),
            MapKind::ByValue | MapKind::FirstPrivate | MapKind::Private => None,
        },
        size: space.symbol(symbol).as_atom().expect("a symbol is one atom"),
        bytes,
        by_value: map.kind == MapKind::ByValue,
    })
}

fn device(
    code: &report::Resources,
    reported: Vec<CodeExpressions>,
    position: impl Fn(&Option<String>) -> Option<usize>,
) -> DeviceCode {
    let in_lockstep = |place: &report::CodePlace, reported: Option<[Expression; 2]>| {
        let (report::Lockstep { of, least, .. }, [apart, trips]) = (place.lockstep.as_ref()?, reported?);
        Some(InLockstep {
            several: place.together?,
            of: position(&Some(of.clone()))?,
            apart: Some(apart.ok()?).filter(|apart| !apart.is_one()),
            trips: trips.ok()?,
            least: *least,
        })
    };
    let parts = code.loops.iter().zip(reported).map(|(l, reported)| DevicePart {
        shared: position(&l.place.shared),
        depth: l.place.depth,
        executions: reported.executions,
        chance: l.place.chance,
        load_runs: l.load_runs.unwrap_or_else(|| l.usual_load_runs()),
        is_of_several: l.place.together.is_some(),
        lockstep: in_lockstep(&l.place, reported.lockstep),
        counts: l.counts.iter().map(|(class, count)| (*class, *count)).collect(),
    });
    DeviceCode {
        processor: code.processor.clone(),
        registers: code.registers.map(u64::from),
        stack: code.stack_bytes.map(u64::from),
        shared: code.shared_bytes,
        parts: parts.collect(),
    }
}

fn host_part(
    l: &report::HostLoop,
    executions: Expression,
    position: impl Fn(&Option<String>) -> Option<usize>,
) -> HostPart {
    HostPart {
        shared: position(&l.place.shared),
        depth: l.place.depth,
        executions,
        chance: l.place.chance,
        instructions: l.instructions,
        loads: l.loads,
        stores: l.stores,
        cycles: l.cycles.iter().map(|(processor, cycles)| (processor.clone(), *cycles)).collect(),
    }
}

/// With the region as a version runs it whose threads run digits of iteration numbers, where there is one, or why that cannot be counted.
fn with_digits(summary: RegionSummary, region: &Region) -> RegionSummary {
    let right =
        || region.transformation.iter().flat_map(|change| &change.versions).filter(|version| version.is_right());
    let of_digits = |version: &&DeviceVersion| version.recipe.digits_in_words().is_some();
    let (Some(digits), Some(version)) =
        (right().find_map(|version| version.recipe.digits_in_words()), summary.versions.first())
    else {
        return summary;
    };
    if !version.is_made {
        return RegionSummary { versions: Vec::new(), ..summary };
    }
    let nests = right().filter(of_digits).map(|version| nest_of_digits(version, region));
    let others = version.nests.iter().filter(|nest| !nest.threads.is_empty()).cloned().collect();
    let nests = nests.collect::<Result<Vec<NestOfDigits>, String>>();
    match nests.and_then(|nests| summary.by_digits(version, others, &nests)) {
        Ok(by_digits) => RegionSummary { by_digits: Some(Box::new(by_digits)), ..summary },
        Err(reason) => {
            let reason = format!("its threads run by {digits}, as IPDA_MAPPING asks, which is not counted: {reason}");
            RegionSummary { unpredictable: summary.unpredictable.clone().or(Some(reason)), ..summary }
        }
    }
}

/// The loops of a nest whose digits threads run, and how.
fn nest_of_digits(reported: &DeviceVersion, region: &Region) -> Result<NestOfDigits, String> {
    let threads = reported.recipe.threads();
    let found = threads
        .iter()
        .map(|named| loop_named(named, region).ok_or_else(|| format!("the report has no loop {}", named.name)));
    let mut loops: Vec<(usize, &str)> =
        found.zip(threads).map(|(found, named)| Ok((found?, &named.name[..]))).collect::<Result<_, String>>()?;
    loops.sort_unstable();
    let names: Vec<&str> = loops.iter().map(|(_, name)| *name).collect();
    let mapping = Mapping::parse(&reported.recipe.digits_in_words().unwrap_or_default(), &names)?;
    Ok(NestOfDigits { loops: loops.into_iter().map(|(of, _)| of).collect(), mapping })
}

/// The loop that a recipe names by variable or by id.
fn loop_named(named: &report::NamedLoop, region: &Region) -> Option<usize> {
    let is_it = |l: &report::Loop| {
        let same_name = l.variable.as_ref() == Some(&named.name) || l.id == named.name;
        same_name && (named.location.is_none() || l.location.is_none() || named.location == l.location)
    };
    region.loops.iter().position(is_it)
}

/// The version that the device runs or could run: what is reported of one shared loop each runs together.
fn version(reported: &[DeviceVersion], region: &Region, space: &mut Space) -> Option<VersionSummary> {
    let right = reported.iter().filter(|version| version.is_right());
    let (nests, changed): (Vec<ChangedNest>, Vec<&DeviceVersion>) =
        right.filter_map(|version| Some((changed_nest(version, region, space)?, version))).unzip();
    let first = changed.first()?;
    Some(VersionSummary {
        id: first.id,
        recipe: Recipe::together(changed.iter().map(|version| &version.recipe)),
        nests,
        is_made: first.state == VersionState::Made,
        // Of several nests, each has its own guard, and the others run where one fails.
        guard: match &changed[..] {
            [only] => only.guard.iter().filter_map(|condition| tested(condition, space)).collect(),
            _ => Vec::new(),
        },
    })
}

/// A condition of a guard that says what must not be negative: in words, and as an expression.
fn tested(condition: &GuardCondition, space: &mut Space) -> Option<(String, Polynomial)> {
    let least = expressions::read(space, condition.not_negative.as_deref()?).ok()?;
    Some((condition.text.clone(), least))
}

/// The loops that a version's recipe changes, which it names by variable or by id.
fn changed_nest(reported: &DeviceVersion, region: &Region, space: &mut Space) -> Option<ChangedNest> {
    let of_name = |named: &report::NamedLoop| loop_named(named, region);
    let lanes = reported.recipe.lanes().to_vec();
    // Digits are counted apart.
    if reported.recipe.digits_in_words().is_some() {
        return Some(ChangedNest { threads: Vec::new(), apart: None, lanes });
    }
    if let Some(neighbours) = reported.recipe.steps().iter().find_map(Step::neighbours) {
        declare(space, &neighbours.apart);
        let apart = parse(space, &neighbours.apart).ok()?;
        return Some(ChangedNest { threads: vec![of_name(&neighbours.of)?], apart: Some(apart), lanes });
    }
    let threads = reported.recipe.threads().iter().map(of_name).collect::<Option<Vec<usize>>>()?;
    (threads.len() > 1).then_some(ChangedNest { threads, apart: None, lanes })
}

impl RegionSummary {
    /// Makes a name known that a person gave a value, such as a loaded one, and says which atoms have it: a structure's member may be
    /// read more than once.
    pub fn atoms_named(&mut self, name: &str) -> Vec<AtomId> {
        if let Some(atom) = self.space.find(&format!("[{name}]")).or_else(|| self.space.find(name)) {
            return vec![atom];
        }
        let members = self.space.loads_of(name);
        if !members.is_empty() {
            return members;
        }
        parse(&mut self.space, name).ok().and_then(|read| read.as_atom()).into_iter().collect()
    }

    /// A value that is not known, for those who fill a summary by hand.
    pub fn declare(&mut self, name: &str) -> Option<AtomId> {
        declare(&mut self.space, name);
        self.space.find(&format!("[{name}]"))
    }
}
