//! The table of a region's accesses, with a line below each that needs a word more.

use ipda_models::report::{Access, Class, Hardware, Region, StrideKind};

use super::grid::{Column, Grid};
use super::loops;
use super::page::{Detail, Text, Tone};
use super::words;

/// Where the notes begin.
const NOTE_INDENT: usize = 14;
/// Columns for a note's label.
const NOTE_LABEL: usize = 10;

const STRIDE: usize = 6;
const RUNS: usize = 10;
const COLUMNS: [Column; 11] = [
    Column::word(" "),
    Column::word("line:col"),
    Column::word("access"),
    Column::name("array"),
    Column::number("bytes"),
    Column::name("loop"),
    Column::name("stride"),
    Column::word("class"),
    Column::number("sectors"),
    Column::number("least"),
    Column::name("runs"),
];

/// Writes the accesses in the order of the loop tree, and of the program inside each loop.
pub fn write(out: &mut Text, region: &Region, hardware: &Hardware) {
    let accesses = in_loop_order(region);
    let rows: Vec<Vec<String>> = accesses.iter().map(|access| row(access, region, hardware)).collect();
    let grid = Grid::new(&COLUMNS, &rows, out.page.width);
    out.line(Tone::Faint, &grid.header);
    for ((access, row), line) in accesses.iter().zip(&rows).zip(&grid.rows) {
        out.line(tone(access.class), line);
        let mut notes = notes(access, region);
        for (column, label) in [(STRIDE, "stride"), (RUNS, "runs")] {
            if grid.shortened(column, &row[column]) {
                notes.push((label, row[column].clone()));
            }
        }
        if out.page.detail == Detail::Full {
            notes.extend(details(access));
        }
        for (label, text) in notes {
            out.labelled(NOTE_INDENT, NOTE_LABEL, label, Tone::Plain, &text);
        }
    }
}

fn in_loop_order(region: &Region) -> Vec<&Access> {
    let order = loops::in_tree_order(region);
    let mut accesses: Vec<&Access> = region.accesses.iter().collect();
    // Stable, so that program order stays; code outside of all loops comes first.
    accesses
        .sort_by_key(|access| access.in_loop.as_ref().and_then(|id| order.iter().position(|(_, each)| each.id == *id)));
    accesses
}

fn tone(class: Class) -> Tone {
    match class {
        Class::Uncoalesced | Class::BankConflict => Tone::Bad,
        Class::Strided | Class::Symbolic | Class::DataDependent | Class::Unknown => Tone::Doubtful,
        Class::Uniform | Class::Coalesced | Class::ConflictFree => Tone::Plain,
    }
}

fn row(access: &Access, region: &Region, hardware: &Hardware) -> Vec<String> {
    let mark = match access.class {
        Class::Uncoalesced | Class::BankConflict => "!",
        Class::Symbolic | Class::DataDependent | Class::Unknown => "?",
        Class::Uniform | Class::Coalesced | Class::ConflictFree | Class::Strided => "",
    };
    let place = match &access.location {
        Some(location) if location.column > 0 => format!("{}:{}", location.line, location.column),
        Some(location) => location.line.to_string(),
        None => "?".to_owned(),
    };
    let in_loop = access.in_loop.as_deref().map_or("none", |id| loops::short_name(id, region));
    vec![
        mark.to_owned(),
        place,
        access.kind.name().to_owned(),
        access.object.clone(),
        access.bytes.to_string(),
        in_loop.to_owned(),
        stride(access),
        access.class.name().to_owned(),
        access.sectors.map_or_else(|| "?".to_owned(), words::count),
        least_sectors(access, hardware).to_string(),
        access.executions.value.clone().unwrap_or_else(|| "?".to_owned()),
    ]
}

fn stride(access: &Access) -> String {
    let text = access.stride.text.as_deref();
    match access.stride.kind {
        StrideKind::Constant | StrideKind::Vector | StrideKind::Symbolic => text.unwrap_or("?").to_owned(),
        StrideKind::RowEnds => format!("{} in a row", text.unwrap_or("?")),
        StrideKind::PerLane | StrideKind::DataDependent => "varies".to_owned(),
        StrideKind::Unknown => "?".to_owned(),
    }
}

/// The fewest sectors that hold the bytes of a warp.
fn least_sectors(access: &Access, hardware: &Hardware) -> u64 {
    let lanes = if access.class == Class::Uniform { 1 } else { u64::from(hardware.warp_lanes) };
    access.bytes.saturating_mul(lanes).div_ceil(u64::from(hardware.sector_bytes.max(1)))
}

fn notes(access: &Access, region: &Region) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    if let Some(location) = access.location.as_ref().filter(|at| at.file != region.location.file) {
        notes.push(("in file", location.file.clone()));
    }
    if let Some(condition) = &access.condition {
        notes.push(("only if", condition.clone()));
    }
    if let Some(difference) = &access.stride.at_row_ends {
        let every = access.stride.row_length.as_ref().map(|n| format!(", every {n} threads")).unwrap_or_default();
        notes.push(("row ends", format!("{difference} bytes to the next thread{every}")));
    }
    if let Some(reason) = &access.stride.reason {
        notes.push(("because", reason.clone()));
    }
    if let Some(reason) = &access.executions.unknown {
        notes.push(("runs", format!("unknown: {reason}")));
    }
    notes
}

fn details(access: &Access) -> Vec<(&'static str, String)> {
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
    details
}
