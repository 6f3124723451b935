//! The table of conditions on which the threads of a warp may disagree.

use ipda_models::report::{Branch, Hardware, Lanes, Region};

use super::accesses::{NOTES, READABLE};
use crate::document::{Column, Detail, Document, Note, Row, Table, Tone, elided};
use crate::words;

const COLUMNS: [Column; 5] = [
    Column::word(" "),
    Column::word("line:col"),
    Column::word("branch"),
    Column::name("loop"),
    Column::name("lanes that take it"),
];

/// Writes the table in the order of the program.
pub fn write(out: &mut Document, region: &Region, hardware: &Hardware) {
    let detail = out.extent.detail;
    let branches = region.branches.iter().filter(|branch| words::divides_warps(&branch.lanes));
    let row = |branch: &Branch| Row {
        tone: if is_fixed(branch) { Tone::Bad } else { Tone::Doubtful },
        cells: row(branch, region, hardware),
        notes: notes(branch, region, detail),
        details: Vec::new(),
    };
    out.table(Table { columns: COLUMNS.into(), rows: branches.map(row).collect(), notes: NOTES, ..Table::default() });
}

fn is_fixed(branch: &Branch) -> bool {
    matches!(branch.lanes, Lanes::Fixed { .. })
}

fn notes(branch: &Branch, region: &Region, detail: Detail) -> Vec<Note> {
    let elsewhere = branch.location.as_ref().filter(|at| at.file != region.location.file);
    let mut notes: Vec<Note> = elsewhere.map(|at| ("in file", at.file.clone())).into_iter().collect();
    let label = if branch.lanes.reason().is_some() { "because" } else { "where" };
    let text = branch.lanes.reason().map(str::to_owned).or_else(|| branch.lanes.text());
    if let Some(text) = text.filter(|_| !is_fixed(branch)) {
        notes.push((label, if detail == Detail::Full { text } else { elided(&text, READABLE) }));
    }
    notes
}

fn row(branch: &Branch, region: &Region, hardware: &Hardware) -> Vec<String> {
    vec![
        if is_fixed(branch) { "!" } else { "?" }.to_owned(),
        words::place(branch.location.as_ref()),
        if branch.ends_loop { "stay in loop" } else { "condition" }.to_owned(),
        branch.in_loop.as_deref().map_or("none", |id| words::short_name(id, region)).to_owned(),
        lanes(&branch.lanes, hardware),
    ]
}

fn lanes(lanes: &Lanes, hardware: &Hardware) -> String {
    match (lanes.text(), lanes.count()) {
        (Some(list), Some(count)) => format!("{count} of {}: {list}", hardware.warp_lanes),
        _ => lanes.name().to_owned(),
    }
}
