//! The table of conditions on which the threads of a warp may disagree.

use ipda_models::report::{Branch, Hardware, Lanes, Region};

use super::accesses::{NOTE_INDENT, NOTE_LABEL, READABLE};
use super::grid::{Column, Grid};
use super::loops;
use super::page::{Detail, Text, Tone, elided};
use super::words::{self, divides_warps};

const COLUMNS: [Column; 5] = [
    Column::word(" "),
    Column::word("line:col"),
    Column::word("branch"),
    Column::name("loop"),
    Column::name("lanes that take it"),
];

/// Writes the table in the order of the program.
pub fn write(out: &mut Text, region: &Region, hardware: &Hardware) {
    let branches: Vec<&Branch> = region.branches.iter().filter(|branch| divides_warps(&branch.lanes)).collect();
    let rows: Vec<Vec<String>> = branches.iter().map(|branch| row(branch, region, hardware)).collect();
    let grid = Grid::new(&COLUMNS, &rows, out.page.width);
    out.line(Tone::Faint, &grid.header);
    for (branch, line) in branches.iter().zip(&grid.rows) {
        let is_fixed = matches!(branch.lanes, Lanes::Fixed { .. });
        let tone = if is_fixed { Tone::Bad } else { Tone::Doubtful };
        out.line(tone, line);
        if let Some(location) = branch.location.as_ref().filter(|at| at.file != region.location.file) {
            out.labelled(NOTE_INDENT, NOTE_LABEL, "in file", Tone::Plain, &location.file);
        }
        let label = if branch.lanes.reason().is_some() { "because" } else { "where" };
        let text = branch.lanes.reason().map(str::to_owned).or_else(|| branch.lanes.text());
        if let Some(text) = text.filter(|_| !is_fixed) {
            let text = if out.page.detail == Detail::Full { text } else { elided(&text, READABLE) };
            out.labelled(NOTE_INDENT, NOTE_LABEL, label, Tone::Plain, &text);
        }
    }
}

fn row(branch: &Branch, region: &Region, hardware: &Hardware) -> Vec<String> {
    vec![
        if matches!(branch.lanes, Lanes::Fixed { .. }) { "!" } else { "?" }.to_owned(),
        words::place(branch.location.as_ref()),
        if branch.ends_loop { "stay in loop" } else { "condition" }.to_owned(),
        branch.in_loop.as_deref().map_or("none", |id| loops::short_name(id, region)).to_owned(),
        lanes(&branch.lanes, hardware),
    ]
}

fn lanes(lanes: &Lanes, hardware: &Hardware) -> String {
    match (lanes.text(), lanes.count()) {
        (Some(list), Some(count)) => format!("{count} of {}: {list}", hardware.warp_lanes),
        _ => lanes.name().to_owned(),
    }
}
