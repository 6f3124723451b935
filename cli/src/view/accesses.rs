//! The tables of a region's accesses, one for each memory, with a line below each that needs a word more.

use ipda_models::report::{Access, Class, Hardware, Lanes, Loop, LoopKind, MemoryKind, Region, Report, StrideKind};

use crate::access;
use crate::document::{Column, Detail, Document, Loops, Note, Row, Table, Tone, elided};
use crate::select::cost::{Changed, Cost, all_iterations, ancestors, holds_numbers_of};
use crate::select::values::Values;
use crate::words;

/// Where the notes begin, and the columns of their labels.
pub const NOTES: (usize, usize) = (14, 10);
/// So much of an expression a person reads; the whole of it is among the details.
pub const READABLE: usize = 100;

/// A page that is narrower has no room for all columns: not for what the loops and the details tell as well.
const NARROW: usize = 76;
/// The column of the place.
const PLACE: usize = 1;

/// The titles, with what the memory's transactions are called.
fn columns(transactions: &'static str, detail: Detail) -> Vec<Column> {
    let most = if detail == Detail::Full { usize::MAX } else { READABLE };
    vec![
        Column::word(" "),
        Column::word("line:col"),
        Column::word("access"),
        Column::name("array"),
        Column::number("bytes").from(NARROW),
        Column::name("loop").from(NARROW),
        Column::name("stride").reported("stride", most),
        Column::word("class"),
        Column::number(transactions),
        Column::number("least").from(NARROW),
        Column::name("runs").reported("runs", most),
    ]
}

/// An access, and what it costs.
pub type Costed<'a> = (&'a Access, Cost);

/// Those of a region, in the order of the report.
pub fn costed<'a>(region: &'a Region, report: &Report, values: &Values, loops: Loops) -> Vec<Costed<'a>> {
    let hardware = &report.hardware;
    let cost = |access| match loops {
        Loops::AsRun => (access, Cost::of(access, region, hardware, values)),
        Loops::AsWritten => (access, Cost::as_written(access, region, hardware, values)),
    };
    region.accesses.iter().map(cost).collect()
}

/// Writes the accesses in the order of the loop tree, and of the program inside each loop.
pub fn write(out: &mut Document, accesses: &[Costed<'_>], region: &Region, hardware: &Hardware) {
    let all = in_loop_order(accesses, region);
    let (global, shared): (Vec<&Costed>, Vec<&Costed>) =
        all.into_iter().partition(|(access, _)| access.memory == MemoryKind::Global);
    if !global.is_empty() {
        out.table(table("sectors", &global, region, hardware, out.extent.detail));
    }
    if !global.is_empty() && !shared.is_empty() {
        out.blank();
    }
    if !shared.is_empty() {
        out.table(table("passes", &shared, region, hardware, out.extent.detail));
    }
}

fn table(
    transactions: &'static str,
    accesses: &[&Costed<'_>],
    region: &Region,
    hardware: &Hardware,
    detail: Detail,
) -> Table {
    let is_full = detail == Detail::Full;
    let row = |(access, cost): &&Costed<'_>| Row {
        tone: tone(cost),
        cells: row(access, cost, region),
        notes: notes((access, cost), region, hardware, detail),
        details: if is_full { details(access, hardware) } else { Vec::new() },
    };
    Table {
        columns: columns(transactions, detail),
        rows: accesses.iter().map(row).collect(),
        notes: NOTES,
        named_by: (!is_full).then_some(PLACE),
        ..Table::default()
    }
}

fn in_loop_order<'a, 'b>(accesses: &'b [Costed<'a>], region: &Region) -> Vec<&'b Costed<'a>> {
    let order = words::in_tree_order(region);
    let mut accesses: Vec<&Costed> = accesses.iter().collect();
    // Stable, so that program order stays; code outside of all loops comes first.
    accesses.sort_by_key(|(access, _)| {
        access.in_loop.as_ref().and_then(|id| order.iter().position(|(_, each)| each.id == *id))
    });
    accesses
}

fn tone(cost: &Cost) -> Tone {
    match cost.class {
        Class::Uncoalesced | Class::BankConflict => Tone::Bad,
        Class::Strided => Tone::Doubtful,
        _ if cost.known().is_none() => Tone::Doubtful,
        _ => Tone::Plain,
    }
}

fn row(access: &Access, cost: &Cost, region: &Region) -> Vec<String> {
    let mark = match cost.class {
        Class::Uncoalesced | Class::BankConflict => "!",
        _ if cost.known().is_none() => "?",
        _ => "",
    };
    let known = cost.known().map(|needed| needed.to_string());
    let needed = access.sectors.filter(|_| cost.changed.is_none()).map(words::count).or(known);
    let least = match access.memory {
        MemoryKind::Shared if access.bank_passes.is_none() => "?".to_owned(),
        _ => cost.least.to_string(),
    };
    let in_loop = access.in_loop.as_deref().map_or("none", |id| words::short_name(id, region));
    vec![
        mark.to_owned(),
        words::place(access.location.as_ref()),
        access.kind.name().to_owned(),
        access.object.clone(),
        access.bytes.to_string(),
        in_loop.to_owned(),
        match cost.changed {
            None if is_uncounted(access, cost, region) => "?".to_owned(),
            None => stride(access),
            Some(Changed::Stride(bytes) | Changed::Rows(bytes)) => bytes.to_string(),
            Some(Changed::OneThread) => "0".to_owned(),
            Some(Changed::Tile) => "tile".to_owned(),
            Some(Changed::Other | Changed::Open) => "?".to_owned(),
        },
        cost.class.name().to_owned(),
        needed.unwrap_or_else(|| "?".to_owned()),
        least,
        runs(access, cost, region).unwrap_or_else(|| "?".to_owned()),
    ]
}

/// How often a thread makes the access, in the loops that the cost is of.
fn runs(access: &Access, cost: &Cost, region: &Region) -> Option<String> {
    if cost.is_in_register {
        let outside: Vec<&Loop> = ancestors(access, region).into_iter().skip(1).collect();
        let inner = product(outside.into_iter().filter(|each| each.kind == LoopKind::Sequential))?;
        return Some(if inner.is_empty() { "1".into() } else { inner.join("*") });
    }
    if is_uncounted(access, cost, region) {
        return None;
    }
    let as_written = access.executions.value.as_deref()?;
    let Some(nest) = cost.changed.and_then(|_| region.changed_nest(access)) else {
        return access::executions(access, region);
    };
    let inner: Vec<&Loop> =
        ancestors(access, region).into_iter().filter(|each| each.kind == LoopKind::Sequential).collect();
    // A thread runs through some of a loop's iterations.
    let own = nest.version.recipe.own_iterations()?;
    if own != 1 {
        let is_left = |each: &&Loop| !nest.version.recipe.threads().iter().any(|named| named.is(each));
        let left: Vec<&Loop> = inner.iter().copied().filter(is_left).collect();
        let text = all_iterations(as_written, &inner, &left)?;
        let text = if text.contains(' ') { format!("({text})") } else { text };
        return Some(if text == "1" { own.to_string() } else { format!("{own}*{text}") });
    }
    // What threads share instead is no longer repeated by each.
    let is_left = |each: &&Loop| !nest.version.recipe.threads().iter().any(|named| named.is(each));
    let left: Vec<&Loop> = inner.iter().copied().filter(is_left).collect();
    let (all, text) = (product(inner.iter().copied())?, product(left.iter().copied())?.join("*"));
    // Products of sums are no factors side by side, nor is what is another number in each iteration of a loop that is left.
    if all != product_of(as_written) || text.contains(' ') || holds_numbers_of(&text, &left) {
        return all_iterations(as_written, &inner, &left);
    }
    Some(if text.is_empty() { "1".into() } else { text })
}

/// Whether an access is in loops by digits of which it is not known what a warp touches.
fn is_uncounted(access: &Access, cost: &Cost, region: &Region) -> bool {
    cost.changed.is_none() && cost.needed.is_none() && region.is_mapped(access)
}

/// The factors of the loops' numbers of iterations, in order; none where one is not known.
fn product<'a>(loops: impl Iterator<Item = &'a Loop>) -> Option<Vec<String>> {
    let trips: Option<Vec<&str>> = loops.map(|each| each.trips.value.as_deref()).collect();
    Some(product_of(&trips?.join("*")))
}

/// The factors of a product of names and at most one number.
fn product_of(text: &str) -> Vec<String> {
    let mut number = 1_u64;
    let mut factors: Vec<String> = Vec::new();
    for factor in text.split('*').filter(|factor| !factor.is_empty()) {
        match factor.parse::<u64>() {
            Ok(value) => number = number.saturating_mul(value),
            Err(_) => factors.push(factor.to_owned()),
        }
    }
    factors.sort();
    if number != 1 {
        factors.insert(0, number.to_string());
    }
    factors
}

pub fn stride(access: &Access) -> String {
    let text = access.stride.text.as_deref();
    match access.stride.kind {
        StrideKind::Constant | StrideKind::Vector | StrideKind::Symbolic => text.unwrap_or("?").to_owned(),
        StrideKind::RowEnds => format!("{} in a row", text.unwrap_or("?")),
        StrideKind::PerLane => "by lane".to_owned(),
        StrideKind::DataDependent => "varies".to_owned(),
        StrideKind::Unknown => "?".to_owned(),
    }
}

fn notes((access, cost): (&Access, &Cost), region: &Region, hardware: &Hardware, detail: Detail) -> Vec<Note> {
    let mut notes = Vec::new();
    let readable = |text: &str| if detail == Detail::Full { text.to_owned() } else { elided(text, READABLE) };
    if let Some(location) = access.location.as_ref().filter(|at| at.file != region.location.file) {
        notes.push(("in file", location.file.clone()));
    }
    if let Some(condition) = access.condition() {
        notes.push(("only if", readable(&condition)));
    }
    notes.extend(lanes(access, hardware, detail).map(|text| ("lanes", text)));
    let is_changed = cost.changed.is_some();
    if let (StrideKind::PerLane, Some(distance), false) = (access.stride.kind, &access.stride.text, is_changed) {
        notes.push(("by lane", format!("{} bytes from lane 0", readable(distance))));
    }
    if let Some(difference) = access.stride.at_row_ends.as_ref().filter(|_| !is_changed) {
        let every = access.stride.row_length.as_ref().map(|n| format!(", every {n} threads")).unwrap_or_default();
        notes.push(("row ends", format!("{difference} bytes to the next thread{every}")));
    }
    if let Some(reason) = access.stride.reason.as_ref().filter(|_| !is_changed) {
        notes.push(("because", reason.clone()));
    }
    if is_uncounted(access, cost, region) {
        notes.push((
            "because",
            "threads run digits of the loops' iterations, and what a warp touches then is not counted".into(),
        ));
    }
    if cost.is_in_register {
        let of = access.in_loop.as_deref().map_or("", |id| words::short_name(id, region));
        notes.push(("register", format!("stays in one while the loop over {of} runs")));
    }
    let is_first = cost.group.is_some_and(|group| group.is_first);
    notes.extend(access::group(access, cost, region).filter(|_| is_first).map(|text| ("group", text)));
    if let Some(sharing) = &access.false_sharing {
        notes.push(("host", sharing.sentence()));
    }
    if let Some(reason) = &access.executions.unknown {
        notes.push(("runs", format!("unknown: {reason}")));
    }
    notes
}

/// Which lanes make the access, as far as the condition does not say it.
fn lanes(access: &Access, hardware: &Hardware, detail: Detail) -> Option<String> {
    let lanes = access.active_lanes.as_ref()?;
    let (is_always, is_full) = (access.conditions.is_empty(), detail == Detail::Full);
    match lanes {
        // The conditions around it have been reported; what is left are loops.
        Lanes::Symbolic { .. } if !is_full => {
            is_always.then(|| "fewer and fewer: lanes leave the loop one after the other".to_owned())
        }
        Lanes::DataDependent { .. } | Lanes::Unknown { .. } if !is_always && !is_full => None,
        _ => access::lanes(access, hardware),
    }
}

fn details(access: &Access, hardware: &Hardware) -> Vec<Note> {
    let mut details = vec![("address", access.address.clone())];
    if !access.called_from.is_empty() {
        let places: Vec<String> = access.called_from.iter().map(ToString::to_string).collect();
        details.push(("called at", places.join(", from ")));
    }
    if let Some(lines) = access.lines {
        details.push(("lines", format!("{} per warp", words::count(lines))));
    }
    if let Some(requests) = access.greedy_requests {
        details.push(("greedy", format!("{} of 256 bytes", words::counted(requests, "request"))));
    }
    // The first tells the address, which stands above.
    for (nth, step) in access.steps(hardware.sector_bytes).into_iter().skip(1).enumerate() {
        details.push((if nth == 0 { "steps" } else { "" }, step));
    }
    details
}
