//! One line a region, for files with many.

use ipda_models::report::{Access, Class, LanesKind, Region, Report};

use super::grid::{Column, Grid};
use super::page::{Text, Tone};
use super::words::may_be_uncoalesced;

/// A column of the table, and what stands in it.
type Field = (Column, fn(&Report, &Region) -> String);

/// In a single source file, where the line tells the regions apart.
const LINE: Field = (Column::number("line"), |_, region| region.location.line.to_string());
/// In several files.
const DIRECTIVE: Field = (Column::path("directive"), |_, region| region.location.to_string());
const COUNTS: [Field; 5] = [
    (Column::number("accesses"), |_, region| region.accesses.len().to_string()),
    (Column::number("uncoalesced"), |_, region| of_class(region, &[Class::Uncoalesced])),
    (Column::number("strided"), |_, region| of_class(region, &[Class::Strided])),
    (Column::number("symbolic"), |_, region| of_class(region, &[Class::Symbolic])),
    (Column::number("undecided"), |_, region| of_class(region, &[Class::DataDependent, Class::Unknown])),
];
/// Only where there are some.
const CONFLICTS: Field = (Column::number("bank conflicts"), |_, region| of_class(region, &[Class::BankConflict]));
const DIVERGENT: Field = (Column::number("divergent"), |_, region| divergent(region).to_string());
/// Only where there are rejects.
const REJECTS: Field = (Column::number("rejects"), |_, region| region.rejects.len().to_string());
/// Only where the reports were made for several targets.
const TARGET: Field = (Column::path("target"), |report, _| report.target.clone());

fn fields(regions: &[(&Report, &Region)]) -> Vec<Field> {
    let differ = |get: fn(&Report, &Region) -> String| {
        regions.iter().any(|(report, region)| get(report, region) != get(regions[0].0, regions[0].1))
    };
    let mut fields = vec![(Column::name("function"), (|_, region| region.function.clone()) as fn(&_, &Region) -> _)];
    fields.push(if differ(|_, region| region.location.file.clone()) { DIRECTIVE } else { LINE });
    fields.extend(COUNTS);
    if regions.iter().any(|(_, region)| region.accesses.iter().any(|access| access.class == Class::BankConflict)) {
        fields.push(CONFLICTS);
    }
    if regions.iter().any(|(_, region)| divergent(region) > 0) {
        fields.push(DIVERGENT);
    }
    if regions.iter().any(|(_, region)| !region.rejects.is_empty()) {
        fields.push(REJECTS);
    }
    if differ(TARGET.1) {
        fields.push(TARGET);
    }
    fields
}

/// Writes the table of all regions, and which to look at first.
pub fn write(out: &mut Text, reports: &[Report]) {
    let regions: Vec<(&Report, &Region)> =
        reports.iter().flat_map(|report| report.regions.iter().map(move |region| (report, region))).collect();
    let fields = fields(&regions);
    let columns: Vec<Column> =
        [Column::number("region")].into_iter().chain(fields.iter().map(|(column, _)| *column)).collect();
    let row = |number: usize, report: &Report, region: &Region| -> Vec<String> {
        let cells = fields.iter().map(|(_, cell)| cell(report, region));
        [number.to_string()].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> =
        (1..).zip(&regions).map(|(number, (report, region))| row(number, report, region)).collect();
    let grid = Grid::new(&columns, &rows, out.page.width);

    let uncoalesced = |access: &Access| access.class == Class::Uncoalesced;
    out.line(Tone::Bold, "Summary");
    out.line(Tone::Faint, &grid.header);
    for (line, (_, region)) in grid.rows.iter().zip(&regions) {
        let tone = if region.accesses.iter().any(uncoalesced) { Tone::Bad } else { Tone::Plain };
        out.line(tone, line);
    }
    out.blank();
    out.wrapped(0, &where_to_look("uncoalesced accesses", uncoalesced, &regions));
    if regions.iter().any(|(_, region)| region.accesses.iter().any(may_be_uncoalesced)) {
        let what = "accesses with a symbolic stride (uncoalesced where it is a sector or more)";
        out.wrapped(0, &where_to_look(what, may_be_uncoalesced, &regions));
    }
    out.blank();
}

/// Branches that divide every warp.
fn divergent(region: &Region) -> usize {
    region.branches.iter().filter(|branch| branch.lanes.kind == LanesKind::Fixed).count()
}

fn of_class(region: &Region, classes: &[Class]) -> String {
    region.accesses.iter().filter(|access| classes.contains(&access.class)).count().to_string()
}

fn where_to_look(what: &str, matters: fn(&Access) -> bool, regions: &[(&Report, &Region)]) -> String {
    let numbers: Vec<String> = (1..)
        .zip(regions)
        .filter(|(_, (_, region))| region.accesses.iter().any(matters))
        .map(|(number, _): (usize, _)| number.to_string())
        .collect();
    let all = regions.len();
    match numbers.as_slice() {
        [] => format!("No region has {what}."),
        numbers if numbers.len() == all => format!("All {all} regions have {what}."),
        [only] => format!("1 of {all} regions has {what}: region {only}."),
        several => format!("{} of {all} regions have {what}: regions {}.", several.len(), several.join(", ")),
    }
}
