//! What a report must be like before anything is made of it. Reports are files that anyone may have written: numbers out of all proportion,
//! loops inside of themselves and the like end here, and the rest of the project need not expect them.

mod parts;
mod transformation;
mod violation;

pub(super) use parts::expression;
pub use violation::Violation;
pub(super) use violation::{Within, short, violation};

use parts::{MAX_NESTED, count, location, number, place, quantity, size, text};
use violation::{Found, each, optional, wrong};

use super::{
    Access, Branch, CodePlace, Condition, Count, Group, Hardware, Lanes, LaunchClauses, Lockstep, Loop, Mapping, Moved,
    OnDevice, Region, Reject, Report, Resources, Rising, Schedule, Skewed, SkewedLoop, SourceFile, Stride,
};
use std::collections::{HashMap, HashSet};

/// Loops in a region.
const MAX_LOOPS: usize = 10_000;

/// Of a report whose version is not the one that its fields are in.
pub(super) fn version(found: u32) -> Violation {
    Violation {
        place: "ipda_report".into(),
        problem: format!("version {found}, where {} is expected", super::SCHEMA_VERSION),
    }
}

/// Checks a whole report.
pub(super) fn report(report: &Report) -> Found {
    let Report { ipda_report: _, tool, source, sources, side: _, target, hardware, regions, rejects } = report;
    text(tool).within("tool")?;
    text(source).within("source")?;
    each("sources", sources, source_file)?;
    text(target).within("target")?;
    self::hardware(hardware).within("hardware")?;
    for (nth, found) in regions.iter().enumerate() {
        let warp_lanes = hardware.warp_lanes;
        region(found, warp_lanes).within(format_args!(
            "regions[{nth}] ({}, {})",
            short(&found.function),
            found.location.line
        ))?;
    }
    each("rejects", rejects, reject)
}

fn source_file(found: &SourceFile) -> Found {
    text(&found.file).within("file")?;
    let is_hash = found.fnv1a.len() == 16 && found.fnv1a.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Ok(()) } else { wrong("expected 16 hexadecimal digits").within("fnv1a") }
}

fn hardware(found: &Hardware) -> Found {
    let Hardware { name, warp_lanes, sector_bytes, line_bytes, banks, bank_bytes, reuse_sectors } = found;
    text(name).within("name")?;
    size("warp_lanes", *warp_lanes)?;
    size("sector_bytes", *sector_bytes)?;
    size("line_bytes", *line_bytes)?;
    size("banks", *banks)?;
    size("bank_bytes", *bank_bytes)?;
    optional("reuse_sectors", reuse_sectors.as_ref(), |sectors| count(*sectors))
}

fn reject(found: &Reject) -> Found {
    text(&found.name).within("name")?;
    text(&found.reason).within("reason")?;
    place(found.location.as_ref())
}

fn region(region: &Region, warp_lanes: u32) -> Found {
    let Region {
        kind: _,
        function,
        location: at,
        mode: _,
        captures,
        loops,
        accesses,
        groups,
        branches,
        totals,
        mapping,
        transformation,
        resources,
        host_code,
        on_host,
        on_devices,
        launch,
        team_chunk,
        team_reduction: _,
        grid_stride: _,
        functions,
        rejects,
        limits,
    } = region;
    text(function).within("function")?;
    location(at).within("location")?;
    each("captures", captures, |capture| {
        text(&capture.name).within("name")?;
        let Some(map) = &capture.map else { return Ok(()) };
        optional("map.bytes", map.bytes.as_deref(), expression)
    })?;
    let known = self::loops(loops).within("loops")?;
    each("loops", loops, |entry| optional("skewed", entry.skewed.as_ref(), |found| of_skewed(found, &known)))?;
    accesses_of(accesses, &known, warp_lanes).within("accesses")?;
    groups_of(groups, accesses).within("groups")?;
    each("branches", branches, |found| branch(found, &known, warp_lanes))?;
    optional("totals.sectors", totals.sectors.as_deref(), expression)?;
    each("mapping", mapping, self::mapping)?;
    optional("transformation", transformation.as_ref(), transformation::transformation)?;
    each("resources", resources, |found| self::resources(found, &known))?;
    if let Some(code) = host_code {
        host(code, &known).within("host_code")?;
    }
    if let Some(reason) = on_host.as_ref().and_then(|found| found.reason.as_ref()) {
        reject(reason).within("on_host.reason")?;
    }
    each("on_devices", on_devices, on_device)?;
    self::launch(launch).within("launch")?;
    team_chunk.map_or(Ok(()), chunk_of_team).within("team_chunk")?;
    each("functions", functions, |note| {
        text(&note.function).within("function")?;
        place(note.location.as_ref())
    })?;
    each("rejects", rejects, reject)?;
    each("limits", limits, |limit| {
        text(&limit.name).within("name")?;
        count(limit.count).within("count")
    })
}

/// What differs on a device is said of a region that speaks of no other device.
fn on_device(found: &OnDevice) -> Found {
    let OnDevice { processor, hardware, differing } = found;
    text(processor).within("processor")?;
    self::hardware(hardware).within("hardware")?;
    let Some(differing) = differing else { return Ok(()) };
    if !differing.on_devices.is_empty() {
        return wrong("a region of one device that names others").within("differing.on_devices");
    }
    region(differing, hardware.warp_lanes).within("differing")
}

/// The ids of the loops.
type Known<'a> = HashSet<&'a str>;

/// A loop stands behind the one around it, so that none is inside of itself.
fn loops(loops: &[Loop]) -> Result<Known<'_>, Violation> {
    if loops.len() > MAX_LOOPS {
        wrong(format!("{} of them; {MAX_LOOPS} are read", loops.len()))?;
    }
    let mut depths: HashMap<&str, usize> = HashMap::new();
    for (nth, each) in loops.iter().enumerate() {
        let depth = one_loop(each, &depths).within(format_args!("[{nth}]"))?;
        depths.insert(&each.id, depth);
    }
    Ok(depths.into_keys().collect())
}

/// What is independent once the loops of a nest are skewed.
fn of_skewed(found: &Skewed, known: &Known<'_>) -> Found {
    let Skewed { name, place, from, to, inside, follows, number, apart } = found;
    text(name).within("name")?;
    for (field, value) in [("place", place), ("from", from), ("to", to), ("number", number)] {
        expression(value).within(field)?;
    }
    each("inside", inside, |SkewedLoop { of, from, to }| {
        of_loop(of, known).within("of")?;
        each("from", from, |bound: &String| expression(bound))?;
        each("to", to, |bound: &String| expression(bound))
    })?;
    of_loop(follows, known).within("follows")?;
    each("apart", apart, |pair| pair.iter().try_for_each(|name| text(name)))
}

fn one_loop(each: &Loop, depths: &HashMap<&str, usize>) -> Result<usize, Violation> {
    let Loop {
        id,
        parent,
        kind: _,
        variable,
        index,
        location,
        trips,
        at_most,
        halved,
        likely,
        schedule,
        sectors,
        accesses_without_count: _,
        skewed: _,
    } = each;
    text(id).within("id")?;
    if depths.contains_key(&id[..]) {
        wrong(format!("{} is the id of another loop, too", short(id))).within("id")?;
    }
    let depth = match parent {
        None => 0,
        Some(parent) => match depths.get(&parent[..]) {
            Some(depth) => depth + 1,
            None => return not_a_loop(parent, "before this one").within("parent").map(|()| 0),
        },
    };
    if depth >= MAX_NESTED {
        wrong(format!("nested deeper than {MAX_NESTED}"))?;
    }
    optional("variable", variable.as_deref(), text)?;
    optional("index", index.as_deref(), text)?;
    place(location.as_ref())?;
    quantity(trips).within("trips")?;
    optional("at_most", at_most.as_deref(), expression)?;
    optional("halved", halved.as_deref(), expression)?;
    optional("likely.of", likely.as_ref().map(|likely| &likely.of[..]), expression)?;
    optional("schedule.chunk", schedule.as_ref().and_then(Schedule::chunk), expression)?;
    optional("sectors", sectors.as_ref(), |sectors| count(*sectors))?;
    Ok(depth)
}

fn not_a_loop(id: &str, whereabouts: &str) -> Found {
    wrong(format!("there is no loop {} {whereabouts}", short(id)))
}

fn of_loop(id: &str, known: &Known<'_>) -> Found {
    if known.contains(id) { Ok(()) } else { not_a_loop(id, "in the region") }
}

fn accesses_of(accesses: &[Access], known: &Known<'_>, warp_lanes: u32) -> Found {
    let mut ids = HashSet::new();
    for (nth, found) in accesses.iter().enumerate() {
        access(found, known, warp_lanes).within(format_args!("[{nth}]"))?;
        if !ids.insert(&found.id) {
            wrong(format!("{} is the id of another access, too", short(&found.id)))
                .within(format_args!("[{nth}].id"))?;
        }
    }
    Ok(())
}

/// Each access is in the group that it names, and in no other.
fn groups_of(groups: &[Group], accesses: &[Access]) -> Found {
    let named: HashMap<&str, &str> =
        accesses.iter().filter_map(|access| Some((&access.id[..], access.group.as_deref()?))).collect();
    let mut members: HashMap<&str, &str> = HashMap::new();
    for (nth, group) in groups.iter().enumerate() {
        self::group(group, &named, &mut members).within(format_args!("[{nth}]"))?;
    }
    match named.iter().find(|(access, _)| !members.contains_key(*access)) {
        Some((access, group)) => wrong(format!("there is no group {} with {}", short(group), short(access))),
        None => Ok(()),
    }
}

fn group<'a>(group: &'a Group, named: &HashMap<&str, &str>, members: &mut HashMap<&'a str, &'a str>) -> Found {
    let Group { id, members: own, sectors, lines, least } = group;
    text(id).within("id")?;
    optional("sectors", sectors.as_ref(), both)?;
    optional("lines", lines.as_ref(), both)?;
    optional("least", least.as_ref(), |least| count(*least))?;
    if own.is_empty() {
        wrong("no access").within("members")?;
    }
    for member in own {
        text(&member.access).within("members")?;
        count(member.bytes).and_then(|()| count(member.offset.unsigned_abs())).within("members")?;
        if named.get(&member.access[..]) != Some(&&id[..]) || members.insert(&member.access, id).is_some() {
            wrong(format!("{} is no access of the group", short(&member.access))).within("members")?;
        }
    }
    Ok(())
}

fn access(access: &Access, known: &Known<'_>, warp_lanes: u32) -> Found {
    let Access {
        id,
        in_loop,
        kind: _,
        memory: _,
        object,
        bytes,
        location: at,
        called_from,
        address,
        stride,
        class: _,
        class_alone: _,
        group: _,
        class_within_rows: _,
        sectors,
        lines,
        greedy_requests,
        bank_passes,
        active_lanes,
        conditions,
        executions,
        assumptions: _,
        one_thread: _,
        may_be_combined: _,
        moved,
        rising,
        false_sharing,
    } = access;
    text(id).within("id")?;
    optional("loop", in_loop.as_deref(), |id| of_loop(id, known))?;
    text(object).within("object")?;
    count(*bytes).within("bytes")?;
    place(at.as_ref())?;
    each("called_from", called_from, location)?;
    expression(address).within("address")?;
    self::stride(stride).within("stride")?;
    optional("sectors", sectors.as_ref(), both)?;
    optional("lines", lines.as_ref(), both)?;
    optional("greedy_requests", greedy_requests.as_ref(), |requests| count(*requests))?;
    optional("bank_passes", bank_passes.as_ref(), |passes| count(passes.needed.max(passes.least)))?;
    optional("active_lanes", active_lanes.as_ref(), |found| lanes(found, warp_lanes))?;
    each("conditions", conditions, condition)?;
    quantity(executions).within("executions")?;
    each("moved", moved, |Moved { name, value }| {
        text(name).within("name")?;
        expression(value).within("value")
    })?;
    each("rising", rising, |Rising { name, with }| {
        expression(name).within("name")?;
        expression(with).within("with")
    })?;
    optional("false_sharing", false_sharing.as_ref(), |sharing| {
        count(sharing.bytes_apart).within("bytes_apart")?;
        size("line_bytes", sharing.line_bytes)
    })
}

fn both(found: &Count) -> Found {
    count(found.aligned).within("aligned")?;
    count(found.worst).within("worst")
}

fn stride(found: &Stride) -> Found {
    let Stride { kind: _, text: distance, at_row_ends, row_length, reason } = found;
    optional("text", distance.as_deref(), expression)?;
    optional("at_row_ends", at_row_ends.as_deref(), expression)?;
    optional("row_length", row_length.as_deref(), expression)?;
    optional("reason", reason.as_deref(), text)
}

fn branch(found: &Branch, known: &Known<'_>, warp_lanes: u32) -> Found {
    optional("loop", found.in_loop.as_deref(), |id| of_loop(id, known))?;
    place(found.location.as_ref())?;
    lanes(&found.lanes, warp_lanes).within("lanes")
}

fn condition(found: &Condition) -> Found {
    optional("value", found.value(), expression)
}

fn mapping(found: &Mapping) -> Found {
    let (variable, iterations) = match found {
        Mapping::Apart { variable, iterations, start: _ } | Mapping::Block { variable, iterations } => {
            (variable, Some(&iterations[..]))
        }
        Mapping::ShortChunk { variable, iterations: _ } => (variable, None),
        Mapping::WideTeams | Mapping::DefaultSchedule => return Ok(()),
    };
    optional("variable", variable.as_deref(), text)?;
    optional("iterations", iterations, expression)
}

fn lanes(found: &Lanes, warp_lanes: u32) -> Found {
    optional("reason", found.reason(), text)?;
    match found {
        Lanes::Symbolic { conditions } => each("conditions", conditions, condition),
        Lanes::Fixed { lanes } => {
            let mut least = 0;
            let rises = lanes.iter().all(|&(first, last)| {
                let rises = least <= first && first <= last && last < warp_lanes;
                least = last.saturating_add(1);
                rises
            });
            if rises && !lanes.is_empty() {
                Ok(())
            } else {
                wrong(format!("no rising lanes of a warp of {warp_lanes}")).within("lanes")
            }
        }
        Lanes::Uniform | Lanes::ByWarp | Lanes::DataDependent { .. } | Lanes::Unknown { .. } => Ok(()),
    }
}

fn resources(found: &Resources, known: &Known<'_>) -> Found {
    let Resources { processor, registers, stack_bytes: _, shared_bytes, loops, uncounted } = found;
    text(processor).within("processor")?;
    optional("registers", registers.as_ref(), |registers| count((*registers).into()))?;
    optional("shared_bytes", shared_bytes.as_ref(), |bytes| count(*bytes))?;
    each("loops", loops, |each| {
        code_place(&each.place, known).within("place")?;
        optional("load_runs", each.load_runs.as_ref(), |runs| number(*runs))?;
        each.counts.iter().try_for_each(|(class, found)| number(*found).within(class.name())).within("counts")
    })?;
    optional("uncounted", uncounted.as_deref(), text)
}

fn code_place(found: &CodePlace, known: &Known<'_>) -> Found {
    let CodePlace { depth, line: _, shared, executions, chance, at_once, together, lockstep } = found;
    if *depth as usize > MAX_NESTED {
        wrong(format!("nested deeper than {MAX_NESTED}")).within("depth")?;
    }
    optional("shared", shared.as_deref(), |id| of_loop(id, known))?;
    quantity(executions).within("executions")?;
    for (name, several) in [("at_once", at_once), ("together", together)] {
        if several.is_some_and(|several| several < 2) {
            wrong("less than 2".to_string()).within(name)?;
        }
    }
    if let Some(Lockstep { of, apart, trips, least }) = lockstep {
        if together.is_none() {
            wrong("without together".to_string()).within("lockstep")?;
        }
        of_loop(of, known).within("lockstep.of")?;
        text(apart).within("lockstep.apart")?;
        text(trips).within("lockstep.trips")?;
        count(*least).within("lockstep.least")?;
    }
    match (0.0..=1.0).contains(chance) {
        true => Ok(()),
        false => wrong(format!("{chance} is not from 0 to 1")).within("chance"),
    }
}

fn host(code: &super::HostCode, known: &Known<'_>) -> Found {
    text(&code.processor).within("processor")?;
    each("loops", &code.loops, |each| {
        code_place(&each.place, known).within("place")?;
        number(each.instructions).within("instructions")?;
        number(each.loads).within("loads")?;
        number(each.stores).within("stores")?;
        number(each.calls).within("calls")?;
        each.cycles
            .iter()
            .try_for_each(|(name, cycles)| {
                text(name)?;
                number(*cycles).within(short(name))
            })
            .within("cycles")
    })?;
    optional("unanalysed", code.unanalysed.as_deref(), text)
}

fn chunk_of_team(chunk: u64) -> Found {
    if chunk == 0 { wrong("0 is no number of iterations") } else { count(chunk) }
}

fn launch(clauses: &LaunchClauses) -> Found {
    let LaunchClauses { num_teams, thread_limit, num_threads } = clauses;
    optional("num_teams", num_teams.as_ref(), quantity)?;
    optional("thread_limit", thread_limit.as_ref(), quantity)?;
    optional("num_threads", num_threads.as_ref(), quantity)
}
