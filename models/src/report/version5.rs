//! Reports of versions 4 and 5, made ones of version 6: what they say in sentences becomes values, and a sentence that no plugin wrote is an
//! error. What became of loops becomes a version.

use super::check::{self, Within, short, violation};
use super::{
    Condition, Guarantee, Lanes, Mapping, Mode, Moved, SCHEMA_VERSION, Schedule, Violation, WarpStart, Workers,
};
use crate::expressions;
use crate::versions::VersionId;
use ipda_symbolic::Space;
use serde::Serialize;
use serde_yaml::{Mapping as Table, Value};

type Converted<T> = Result<T, Violation>;

/// The same report in version 6. What is of another shape than a report stays as it is: whoever reads it says so.
pub(super) fn upgraded(mut report: Value) -> Converted<Value> {
    let warp_lanes = report.get("hardware").and_then(|hardware| hardware.get("warp_lanes")).and_then(Value::as_u64);
    if let Some(report) = report.as_mapping_mut() {
        report.insert("ipda_report".into(), SCHEMA_VERSION.into());
    }
    for (nth, found) in tables(report.get_mut("regions")).enumerate() {
        region(found, warp_lanes.unwrap_or_default()).within(format_args!("regions[{nth}]"))?;
    }
    Ok(report)
}

/// The tables in a list.
fn tables(list: Option<&mut Value>) -> impl Iterator<Item = &mut Table> {
    list.and_then(Value::as_sequence_mut).into_iter().flatten().filter_map(Value::as_mapping_mut)
}

/// The texts in a list.
fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_sequence().into_iter().flatten().filter_map(Value::as_str)
}

/// Makes a text of a table a value, in a field that may have another name.
fn replace<T: Serialize>(
    table: &mut Table,
    [from, to]: [&str; 2],
    convert: impl FnOnce(&str) -> Converted<T>,
) -> Converted<()> {
    if let Some(text) = table.get(from).and_then(Value::as_str) {
        let value = convert(text).within(from)?;
        table.remove(from);
        table.insert(to.into(), plain(&value));
    }
    Ok(())
}

/// The same of a list of texts.
fn replace_all<T: Serialize>(table: &mut Table, field: &str, convert: impl Fn(&str) -> Converted<T>) -> Converted<()> {
    if let Some(list) = table.get(field) {
        let each = |(nth, text)| convert(text).within(format_args!("{field}[{nth}]"));
        let found: Vec<&str> = texts(list).collect();
        if list.as_sequence().is_none_or(|list| list.len() != found.len()) {
            return not_known("list of sentences", field);
        }
        let values = found.into_iter().enumerate().map(each).collect::<Converted<Vec<T>>>()?;
        table.insert(field.into(), plain(&values));
    }
    Ok(())
}

fn plain(value: &impl Serialize) -> Value {
    serde_yaml::to_value(value).expect("texts, numbers and lists are values")
}

fn not_known<T>(what: &str, text: &str) -> Converted<T> {
    Err(violation(format!("'{}' is no {what} that reports of its version have", short(text))))
}

fn region(region: &mut Table, warp_lanes: u64) -> Converted<()> {
    if let Some(found) = region.get("mode").and_then(Value::as_mapping) {
        let word = |key| found.get(key).and_then(Value::as_str).unwrap_or_default();
        let mode = mode(word("kind"), word("why")).within("mode")?;
        region.insert("mode".into(), plain(&mode));
    }
    for (nth, each) in tables(region.get_mut("loops")).enumerate() {
        replace(each, ["schedule"; 2], schedule).within(format_args!("loops[{nth}]"))?;
    }
    for (nth, found) in tables(region.get_mut("accesses")).enumerate() {
        access(found).within(format_args!("accesses[{nth}]"))?;
    }
    for (nth, branch) in tables(region.get_mut("branches")).enumerate() {
        lanes_in(branch, "lanes").within(format_args!("branches[{nth}]"))?;
    }
    if let Some(reported) = region.get_mut("transformation").and_then(Value::as_mapping_mut) {
        transformation(reported).within("transformation")?;
    }
    replace_all(region, "mapping", |text| mapping(text, warp_lanes))
}

/// What is said of the better loops moves from the region to a version of it.
fn transformation(reported: &mut Table) -> Converted<()> {
    if reported.contains_key("versions") {
        return Err(violation("this report is older than that field")).within("versions");
    }
    let (state, field) = match reported.get("state").and_then(Value::as_str) {
        Some("done") => ("made", "rests_on"),
        Some("possible") => ("possible", "rests_on"),
        _ if reported.contains_key("threads") => ("left", "reasons"),
        _ => return Ok(()),
    };
    let mut fused = Table::from_iter([("step".into(), "fused".into())]);
    let mut version =
        Table::from_iter([("id".into(), VersionId::new(1).to_string().into()), ("state".into(), state.into())]);
    let mut take = |field: &str, to: &mut Table, name: &str| {
        if let Some(value) = reported.remove(field) {
            to.insert(name.into(), value);
        }
    };
    ["threads", "is_interchange"].into_iter().for_each(|field| take(field, &mut fused, field));
    ["gain", "clause"].into_iter().for_each(|field| take(field, &mut version, field));
    take("reasons", &mut version, field);
    version.insert("recipe".into(), vec![Value::from(fused)].into());
    let guard = guard(reported)?;
    // Nothing tests for what was left.
    if state != "left" {
        version.insert("guard".into(), guard.into());
    }
    reported.insert("versions".into(), vec![Value::from(version)].into());
    Ok(())
}

/// The conditions of a version, each with what it is for, where that was reported.
fn guard(reported: &mut Table) -> Converted<Vec<Value>> {
    let mut list = |field| match reported.remove(field) {
        Some(Value::Sequence(list)) => Ok(list),
        Some(_) => not_known("list", field),
        None => Ok(Vec::new()),
    };
    let (conditions, roles) = (list("conditions")?, list("roles")?);
    if !roles.is_empty() && roles.len() != conditions.len() {
        let problem = format!("{} for {} conditions", roles.len(), conditions.len());
        return Err(violation(problem)).within("roles");
    }
    let roles = roles.into_iter().map(Some).chain(std::iter::repeat(None));
    let condition = |(text, role): (Value, Option<Value>)| {
        let role = role.map(|role| ("role".into(), role));
        Table::from_iter([("text".into(), text)].into_iter().chain(role)).into()
    };
    Ok(conditions.into_iter().zip(roles).map(condition).collect())
}

fn access(access: &mut Table) -> Converted<()> {
    lanes_in(access, "active_lanes")?;
    replace(access, ["condition", "conditions"], conditions)?;
    replace_all(access, "assumptions", |text| {
        let known = Guarantee::ALL.into_iter().find(|guarantee| guarantee.sentence() == text);
        known.map_or_else(|| not_known("assumption", text), Ok)
    })?;
    if let Some(steps) = access.remove("steps") {
        let mut moved = Vec::new();
        for (nth, text) in texts(&steps).enumerate() {
            match step(text).within(format_args!("steps[{nth}]"))? {
                Step::OneThread => _ = access.insert("one_thread".into(), true.into()),
                Step::Moved(found) => moved.push(found),
                Step::Follows => {}
            }
        }
        access.insert("moved".into(), plain(&moved));
    }
    Ok(())
}

fn mode(kind: &str, why: &str) -> Converted<Mode> {
    Ok(match kind {
        "spmd" => Mode::Spmd,
        "generic" => Mode::Generic,
        "made-spmd" => Mode::MadeSpmd,
        "unknown" if why.starts_with("this target has no execution modes") => Mode::AsOnHost,
        "unknown" => Mode::Unknown,
        _ => return not_known("mode", kind),
    })
}

/// An expression. Whether a long one is any is found out by those who need its value: nobody reads one that takes long.
fn expression(text: &str) -> Converted<String> {
    const LONG: usize = 1024;
    check::expression(text)?;
    match text.len() > LONG || expressions::read(&mut Space::new(), text).is_ok() {
        true => Ok(text.to_owned()),
        false => not_known("expression", text),
    }
}

fn schedule(text: &str) -> Converted<Schedule> {
    let plain = [
        Schedule::Static { over: Workers::Teams },
        Schedule::Static { over: Workers::Threads },
        Schedule::StaticInTeam,
        Schedule::Guided,
        Schedule::Runtime,
        Schedule::Auto,
    ];
    if let Some(found) = plain.into_iter().find(|schedule| schedule.sentence() == text) {
        return Ok(found);
    }
    let within = |start: &str, end: &str| text.strip_prefix(start)?.strip_suffix(end).map(str::to_owned);
    let before = |start: &str, end: &str| Some(text.strip_prefix(start)?.rsplit_once(end)?.0.to_owned());
    let chunked = |over| move |chunk| Schedule::StaticChunked { over, chunk };
    let found = within("static, chunk ", ", over teams")
        .map(chunked(Workers::Teams))
        .or_else(|| before("static, chunk ", ": ").map(chunked(Workers::Threads)))
        .or_else(|| before("dynamic, chunk ", ": ").map(|chunk| Schedule::Dynamic { chunk }));
    // The words behind the chunk are those of the value, too.
    match found.filter(|found| found.sentence() == text) {
        Some(found) => found.chunk().map_or(Ok(()), |chunk| expression(chunk).map(drop)).map(|()| found),
        None => not_known("schedule", text),
    }
}

/// `not [a] and [b]; one thread of the team`
fn conditions(text: &str) -> Converted<Vec<Condition>> {
    let one = Condition::OneThread.words();
    let (others, is_one) = match text.strip_suffix(&one[..]) {
        Some(others) => (others.strip_suffix("; ").unwrap_or(others), true),
        None => (text, false),
    };
    let parts = if others.is_empty() { Vec::new() } else { conjuncts(others) };
    let all = parts.into_iter().map(condition).chain(is_one.then_some(Ok(Condition::OneThread)));
    all.collect()
}

fn condition(text: &str) -> Converted<Condition> {
    for known in [Condition::Long, Condition::NotFollowed] {
        if text == known.words() {
            return Ok(known);
        }
    }
    match text.strip_prefix("not ") {
        Some(opposite) => Ok(Condition::HoldsNot { value: expression(opposite)? }),
        None => Ok(Condition::Holds { value: expression(text)? }),
    }
}

/// The parts between `and`s outside of brackets.
fn conjuncts(text: &str) -> Vec<&str> {
    const AND: &str = " and ";
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        if depth == 0 && at >= start && text[at..].starts_with(AND) {
            parts.push(&text[start..at]);
            start = at + AND.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Lanes in a field.
fn lanes_in(table: &mut Table, field: &str) -> Converted<()> {
    let Some(found) = table.get(field).and_then(Value::as_mapping) else { return Ok(()) };
    let word = |key: &str| found.get(key).and_then(Value::as_str).unwrap_or_default();
    if matches!(word("kind"), "fixed" | "symbolic") && word("text").is_empty() {
        return not_known("set of lanes", word("kind")).within(field);
    }
    let lanes = lanes(word("kind"), word("text"), word("reason")).within(field)?;
    table.insert(field.into(), plain(&lanes));
    Ok(())
}

fn lanes(kind: &str, text: &str, reason: &str) -> Converted<Lanes> {
    Ok(match kind {
        "uniform" => Lanes::Uniform,
        "by-warp" => Lanes::ByWarp,
        "fixed" => Lanes::Fixed { lanes: lane_list(text).map_or_else(|| not_known("list of lanes", text), Ok)? },
        "symbolic" => Lanes::Symbolic { conditions: conditions(text)? },
        "data-dependent" => Lanes::DataDependent { reason: reason.into() },
        "unknown" => Lanes::Unknown { reason: reason.into() },
        _ => return not_known("kind of lanes", kind),
    })
}

/// `0-15 20`, of which each is greater than the one before.
fn lane_list(text: &str) -> Option<Vec<(u32, u32)>> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for run in text.split_whitespace() {
        let (first, last) = run.split_once('-').unwrap_or((run, run));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        match runs.last_mut() {
            Some((_, before)) if *before >= first => return None,
            Some((_, before)) if before.checked_add(1) == Some(first) => *before = last,
            _ => runs.push((first, last)),
        }
        if first > last {
            return None;
        }
    }
    Some(runs)
}

fn mapping(text: &str, warp_lanes: u64) -> Converted<Mapping> {
    let lanes = u32::try_from(warp_lanes).unwrap_or_default();
    for known in [Mapping::WideTeams, Mapping::DefaultSchedule] {
        if text == known.sentence(lanes) {
            return Ok(known);
        }
    }
    // The words behind the loop's name are those of the value, too.
    match of_loop(text).filter(|found| found.sentence(lanes) == text) {
        Some(found) => Ok(found),
        None => not_known("mapping of iterations to threads", text),
    }
}

fn of_loop(text: &str) -> Option<Mapping> {
    let (name, rest) = text.split_once(": ")?;
    let variable = name.strip_prefix("loop ").map(str::to_owned);
    let between = |start: &str, end: &str| Some(rest.strip_prefix(start)?.split_once(end)?.0.to_owned());
    if let Some(iterations) = between("neighbouring threads of a warp are ", " iteration") {
        let start = match () {
            () if rest.contains(" apart, a warp starting") => WarpStart::FullWarps,
            () if rest.contains(" apart, where they ask") => WarpStart::AsAsked,
            () if rest.contains(" apart; of a team") => WarpStart::PartOfTeam,
            () => WarpStart::Anywhere,
        };
        return Some(Mapping::Apart { variable, iterations, start });
    }
    if let Some(iterations) =
        between("each thread has a block of consecutive iterations, floor(", " / [threads of loop])")
    {
        return Some(Mapping::Block { variable, iterations });
    }
    let iterations = between("a team has ", " iterations at a time")?.parse().ok()?;
    Some(Mapping::ShortChunk { variable, iterations })
}

/// How a step that led to a stride is said in version 6.
enum Step {
    OneThread,
    Moved(Moved),
    /// It follows from the access.
    Follows,
}

fn step(text: &str) -> Converted<Step> {
    if text == "one thread makes the access" {
        return Ok(Step::OneThread);
    }
    if let Some(rest) = text.strip_prefix("in lane t of a warp, ") {
        let value = rest.strip_suffix(", with t for [lane number]").and_then(|rest| rest.split_once(" is "));
        return match value {
            Some((name, value)) => Ok(Step::Moved(Moved { name: name.into(), value: value.into() })),
            None => not_known("step", text),
        };
    }
    let is_bytes = || {
        text.split_once(' ').is_some_and(|(number, rest)| {
            number.parse::<u64>().is_ok() && rest.starts_with("bytes in each lane touch ")
        })
    };
    let follows = ["the address is ", "it is the same in all lanes", "so ", "the banks need "];
    match follows.iter().any(|start| text.starts_with(start)) || is_bytes() {
        true => Ok(Step::Follows),
        false => not_known("step", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(value: &str) -> Condition {
        Condition::Holds { value: value.into() }
    }

    #[test]
    fn sentences_of_schedules_become_values_and_others_are_errors() {
        let chunked = |over, chunk: &str| Schedule::StaticChunked { over, chunk: chunk.into() };
        for expected in [
            chunked(Workers::Teams, "[n] + 1"),
            chunked(Workers::Threads, "1"),
            chunked(Workers::Threads, "64"),
            chunked(Workers::Threads, "max([n], 1)"),
            Schedule::Static { over: Workers::Teams },
            Schedule::Static { over: Workers::Threads },
            Schedule::StaticInTeam,
            Schedule::Dynamic { chunk: "[c]".into() },
            Schedule::Guided,
            Schedule::Runtime,
            Schedule::Auto,
        ] {
            assert_eq!(schedule(&expected.sentence()), Ok(expected));
        }
        for wrong in [
            "with chunk 64: neighbouring threads are 64 iterations apart",
            "static, with chunk 64: neighbouring threads are 64 iterations apart",
            "static, chunk 64: neighbouring threads are 63 iterations apart",
            "static, chunk many: of them: neighbouring threads are many: of them iterations apart",
            "static",
            "",
        ] {
            assert!(schedule(wrong).unwrap_err().to_string().contains("is no "), "{wrong}");
        }
    }

    #[test]
    fn sentences_of_conditions_become_values_and_others_are_errors() {
        let not = Condition::HoldsNot { value: "[a < [b and c]]".into() };
        let all = [holds("[i < 32]"), not, Condition::NotFollowed, Condition::Long];
        let text = super::super::all_hold(&all).unwrap();
        assert_eq!(conditions(&text), Ok(all.to_vec()));
        assert_eq!(conditions("one thread of the team"), Ok(vec![Condition::OneThread]));
        let both = [holds("[n]"), Condition::OneThread];
        assert_eq!(conditions("[n]; one thread of the team"), Ok(both.to_vec()));
        assert!(conditions("[i < 32] && [n]").unwrap_err().to_string().contains("is no expression"));
    }

    #[test]
    fn sentences_of_mappings_become_values_and_others_are_errors() {
        let apart = |start, iterations: &str| Mapping::Apart {
            variable: Some("j, i".into()),
            iterations: iterations.into(),
            start,
        };
        for expected in [
            apart(WarpStart::FullWarps, "1"),
            apart(WarpStart::Anywhere, "[n]"),
            apart(WarpStart::AsAsked, "64"),
            apart(WarpStart::PartOfTeam, "2"),
            Mapping::Block { variable: None, iterations: "[n] + floor([m] / 2)".into() },
            Mapping::ShortChunk { variable: None, iterations: 8 },
            Mapping::WideTeams,
            Mapping::DefaultSchedule,
        ] {
            assert_eq!(mapping(&expected.sentence(64), 64), Ok(expected));
        }
        let other = apart(WarpStart::FullWarps, "1").sentence(32);
        assert!(mapping(&other, 64).unwrap_err().to_string().contains("is no mapping"));
        assert!(mapping("loop i: threads take what they like", 64).is_err());
    }

    #[test]
    fn lanes_and_steps_become_values() {
        assert_eq!(lanes("fixed", "0-15 20", ""), Ok(Lanes::Fixed { lanes: vec![(0, 15), (20, 20)] }));
        assert_eq!(lanes("fixed", "0-3 4 5-7 9", ""), Ok(Lanes::Fixed { lanes: vec![(0, 7), (9, 9)] }));
        assert_eq!(lanes("symbolic", "[[lane number] < [n]]", "").unwrap().text().unwrap(), "[[lane number] < [n]]");
        for (kind, text) in [("fixed", "5-1"), ("fixed", "3 3"), ("fixed", "0-4294967296"), ("some", "")] {
            assert!(lanes(kind, text, "").is_err(), "{kind} {text}");
        }
        let found = step("in lane t of a warp, i is [lane number], with t for [lane number]");
        assert!(matches!(found, Ok(Step::Moved(Moved { name, value })) if name == "i" && value == "[lane number]"));
        assert!(step("in lane t of a warp, nothing moves").is_err() && step("and so on").is_err());
    }
}
