//! One line a region, for files with many, and what costs most.

use ipda_models::report::{Class, Region, Report};

use crate::access::may_be_uncoalesced;
use crate::action::{self, Action, State};
use crate::document::{Column, Document, Row, Table, Tone};
use crate::select::cost::Cost;
use crate::select::rows::{Cell, Kind, state};
use crate::select::totals::Totals;
use crate::select::values::Values;
use crate::words::{counted, grouped, percent_text};

/// A region in the summary.
pub struct Line {
    /// Its number in the output; none where its tables are not printed.
    number: Option<usize>,
    function: String,
    file: String,
    line: u32,
    target: String,
    /// What became of its loops.
    loops: &'static str,
    totals: Totals,
    may_be_uncoalesced: bool,
    /// What to do about it first.
    action: Option<Action>,
}

impl Line {
    /// Of region `number` of a report.
    pub fn of(number: usize, region: &Region, report: &Report, values: &Values) -> Line {
        let action = action::of_region(region, report, values).into_iter().next();
        Line {
            action: action.filter(|action| action.state != State::Nothing),
            number: Some(number),
            function: region.function.clone(),
            file: region.location.file.clone(),
            line: region.location.line,
            target: report.target.clone(),
            loops: region.transformation.as_ref().map_or("", state),
            totals: Totals::of_region(region, report, values),
            may_be_uncoalesced: region
                .accesses
                .iter()
                .any(|access| may_be_uncoalesced(access, &Cost::of(access, region, &report.hardware, values))),
        }
    }

    /// By what regions are sorted.
    pub fn weight(&self) -> f64 {
        self.totals.sectors.excess + self.totals.passes.excess
    }

    /// Its sums.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// Gives it the number that its region has on the page, where regions stand there in this order of their numbers.
    pub fn renumber(&mut self, order: &[usize]) {
        self.number = self.number.and_then(|number| order.iter().position(|&read| read == number)).map(|at| at + 1);
    }

    /// Says that the region's tables are not printed.
    pub fn without_number(&mut self) {
        self.number = None;
    }

    fn of_class(&self, class: Class) -> String {
        self.totals.of_class(class).to_string()
    }
}

/// A column of the table, and what stands in it.
type Field = (Column, fn(&Line) -> String);

const NUMBER: Field = (Column::number("region"), |line| line.number.map_or(String::new(), |n| n.to_string()));
const FUNCTION: Field = (Column::name("function"), |line| line.function.clone());
/// In a single source file, where the line tells the regions apart.
const LINE: Field = (Column::number("line"), |line| line.line.to_string());
/// In several files.
const DIRECTIVE: Field = (Column::path("directive"), |line| format!("{}:{}", line.file, line.line));
const COSTS: [Field; 2] = [
    (Column::number("excess"), |line| grouped(line.totals.sectors.excess)),
    (Column::number("%"), |line| line.totals.sectors.percent().map_or("-".into(), percent_text)),
];
const COUNTS: [Field; 4] = [
    (Column::number("uncoalesced"), |line| line.of_class(Class::Uncoalesced)),
    (Column::number("strided").from(WIDE), |line| line.of_class(Class::Strided)),
    (Column::number("symbolic").from(WIDE), |line| line.of_class(Class::Symbolic)),
    (Column::number("undecided").from(WIDE), |line| {
        (line.totals.of_class(Class::DataDependent) + line.totals.of_class(Class::Unknown)).to_string()
    }),
];
/// Only where there are some.
const CONFLICTS: Field = (Column::number("bank conflicts"), |line| line.of_class(Class::BankConflict));
const DIVERGENT: Field = (Column::number("divergent").from(WIDE), |line| line.totals.divergent.to_string());
const REJECTS: Field = (Column::number("rejects").from(WIDE), |line| line.totals.rejects.to_string());
const LOOPS: Field = (Column::word("loops"), |line| line.loops.to_owned());
/// Only where the reports were made for several targets.
const TARGET: Field = (Column::path("target"), |line| line.target.clone());

/// A page that is narrower has no room for all columns.
pub const WIDE: usize = 100;

fn fields(lines: &[Line]) -> Vec<Field> {
    let differ = |get: fn(&Line) -> &str| lines.iter().any(|line| get(line) != get(&lines[0]));
    let any = |is_so: fn(&Line) -> bool| lines.iter().any(is_so);
    let mut fields = Vec::new();
    if any(|line| line.number.is_some()) {
        fields.push(NUMBER);
    }
    fields.push(FUNCTION);
    fields.push(if differ(|line| &line.file) { DIRECTIVE } else { LINE });
    fields.extend(COSTS);
    fields.extend(COUNTS);
    if any(|line| line.totals.of_class(Class::BankConflict) > 0) {
        fields.push(CONFLICTS);
    }
    if any(|line| line.totals.divergent > 0) {
        fields.push(DIVERGENT);
    }
    if any(|line| line.totals.rejects > 0) {
        fields.push(REJECTS);
    }
    if any(|line| !line.loops.is_empty()) {
        fields.push(LOOPS);
    }
    if differ(|line| &line.target) {
        fields.push(TARGET);
    }
    fields
}

/// Writes the table of regions, the worst first, and says how many are not in it.
pub fn write(out: &mut Document, lines: &[Line], left_out: usize) {
    if lines.is_empty() {
        return;
    }
    let fields = fields(lines);
    let row = |line: &Line| {
        let tone = match () {
            () if line.totals.of_class(Class::Uncoalesced) > 0 => Tone::Bad,
            () if line.may_be_uncoalesced && line.weight() > 0.0 => Tone::Doubtful,
            () => Tone::Plain,
        };
        Row::new(tone, fields.iter().map(|(_, cell)| cell(line)).collect())
    };
    out.heading("Summary");
    out.table(Table {
        columns: fields.iter().map(|(column, _)| *column).collect(),
        rows: lines.iter().map(row).collect(),
        ..Table::default()
    });
    if left_out > 0 {
        out.wrapped(0, &format!("... and {left_out} with less; --top 0 lists all"));
    }
    out.blank();
}

/// Writes what to do first about each region, the worst first; what is to do at several places is reported once.
pub fn write_actions(out: &mut Document, lines: &[Line]) {
    /// Places that a person reads.
    const MAX_PLACES: usize = 3;
    let mut reported: Vec<(Vec<String>, State, String)> = Vec::new();
    for action in lines.iter().filter_map(|line| line.action.as_ref()) {
        let sentence = action.sentence();
        match reported.iter_mut().find(|(_, _, other)| *other == sentence) {
            Some((places, ..)) if places.contains(&action.place()) => {}
            Some((places, ..)) => places.push(action.place()),
            None => reported.push((vec![action.place()], action.state, sentence)),
        }
    }
    if reported.is_empty() {
        return;
    }
    out.heading("What to do");
    reported.sort_by_key(|(_, state, _)| *state);
    for (mut places, state, sentence) in reported {
        let more = places.len().saturating_sub(MAX_PLACES);
        places.truncate(MAX_PLACES);
        if more > 0 {
            places.push(format!("{more} more places"));
        }
        let tone = if state == State::Todo { Tone::Bad } else { Tone::Plain };
        out.labelled(2, 2, "", tone, &format!("{}: {sentence}", places.join(", ")));
    }
    out.blank();
}

/// Writes the sums, and what they rest on.
pub fn write_totals(out: &mut Document, totals: &Totals, values: &Values) {
    let Totals { files, regions, changed, .. } = totals;
    let mut parts = vec![counted(*files, "report"), counted(*regions, "region")];
    if *changed > 0 {
        parts.push(format!("{changed} with loops that the plugin changed"));
    }
    let classes: Vec<String> = totals.classes().map(|(class, count)| format!("{count} {}", class.name())).collect();
    let accesses = counted(totals.accesses(), "access");
    let classes = if classes.is_empty() { String::new() } else { format!(": {}", classes.join(", ")) };
    out.wrapped(0, &format!("{}; {accesses}{classes}", parts.join(", ")));
    out.wrapped(0, &totals.traffic_sentence());
    if let Some(basis) = totals.basis_sentence(values) {
        out.wrapped(0, &format!("where {basis}"));
    }
    out.blank();
}

/// The columns of the list of accesses that people read, by their names in [`Kind::columns`].
const OF_ACCESSES: [(&str, Column); 9] = [
    ("excess", Column::number("excess")),
    ("place", Column::path("place")),
    ("function", Column::name("function").from(WIDE)),
    ("access", Column::word("access").from(WIDE)),
    ("array", Column::name("array")),
    ("stride", Column::name("stride")),
    ("class", Column::word("class")),
    ("needed", Column::number("sectors")),
    ("least", Column::number("least")),
];

/// Whether a row of the list of accesses has an excess.
pub fn is_costly(row: &[Cell]) -> bool {
    let at = Kind::Accesses.columns().iter().position(|column| *column == "excess");
    at.is_some_and(|at| matches!(row.get(at), Some(Cell::Number(excess)) if *excess > 0.0))
}

/// Writes a list as a table for people.
pub fn write_list(out: &mut Document, kind: Kind, rows: &[Vec<Cell>], left_out: usize) {
    let columns: Vec<(&str, Column)> = match kind {
        Kind::Accesses => OF_ACCESSES.to_vec(),
        Kind::Actions => columns_of(kind, &["place", "function", "state", "rule", "action"]),
        Kind::Regions => {
            columns_of(kind, &["place", "function", "excess", "of", "percent", "accesses", "open", "loops"])
        }
        Kind::Loops => columns_of(kind, &["place", "function", "id", "variable", "kind", "trips", "schedule"]),
        Kind::Branches => columns_of(kind, &["place", "function", "loop", "ends_loop", "lanes", "where"]),
        Kind::Changes => {
            columns_of(kind, &["place", "function", "state", "loops", "sectors_before", "sectors_after", "reasons"])
        }
        Kind::Rejects => columns_of(kind, &["place", "function", "name", "reason"]),
        Kind::Rooflines => columns_of(
            kind,
            &[
                "place",
                "function",
                "memory_bytes",
                "l2_bytes",
                "single",
                "double",
                "special",
                "integer",
                "roof",
                "share",
            ],
        ),
        Kind::Differences => columns_of(kind, &["change", "place", "function", "what", "cost", "was_cost"]),
    };
    let text = |row: &[Cell], name: &str| -> String {
        let at = |name: &str| kind.columns().iter().position(|column| *column == name).map(|at| &row[at]);
        match name {
            "place" => ["file", "line", "column"]
                .iter()
                .filter_map(|part| at(part))
                .filter_map(plain)
                .collect::<Vec<_>>()
                .join(":"),
            // What the excess is of: where the access stands for its group, that of the group.
            "needed" | "least" if kind == Kind::Accesses => at(&format!("group_{name}"))
                .and_then(shown)
                .or_else(|| at(name).and_then(shown))
                .unwrap_or_else(|| "-".into()),
            name => at(name).and_then(shown).unwrap_or_else(|| "-".into()),
        }
    };
    let row = |row: &Vec<Cell>| Row::new(tone(row), columns.iter().map(|(name, _)| text(row, name)).collect());
    out.table(Table {
        columns: columns.iter().map(|(_, column)| *column).collect(),
        rows: rows.iter().map(row).collect(),
        ..Table::default()
    });
    if rows.is_empty() {
        out.wrapped(0, &format!("no {}", kind.name()));
    }
    if left_out > 0 {
        out.wrapped(0, &format!("... and {left_out} more; --top 0 lists all"));
    }
    out.blank();
}

fn columns_of(kind: Kind, names: &[&'static str]) -> Vec<(&'static str, Column)> {
    let is_number = |name: &str| {
        matches!(
            name,
            "excess"
                | "of"
                | "percent"
                | "accesses"
                | "open"
                | "sectors_before"
                | "sectors_after"
                | "memory_bytes"
                | "l2_bytes"
                | "single"
                | "double"
                | "special"
                | "integer"
                | "share"
        )
    };
    let column = |&name: &&'static str| match name {
        "place" => (name, Column::path(name)),
        name if is_number(name) => (name, Column::number(name)),
        "state" | "kind" | "ends_loop" => (name, Column::word(name)),
        name => (name, Column::name(name)),
    };
    debug_assert!(names.iter().all(|name| *name == "place" || kind.columns().contains(name)));
    names.iter().map(column).collect()
}

/// Without groups of digits.
fn plain(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Number(_) => Some(cell.text().into_owned()),
        cell => shown(cell),
    }
}

fn shown(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Empty => None,
        Cell::Text(text) => Some(text.clone()),
        Cell::Number(number) if number.fract() == 0.0 => Some(grouped(*number)),
        Cell::Number(_) => Some(cell.text().into_owned()),
    }
}

/// Rows of accesses are coloured by their class.
fn tone(row: &[Cell]) -> Tone {
    let is = |name: &str| row.contains(&Cell::Text(name.to_owned()));
    if [Class::Uncoalesced, Class::BankConflict].iter().any(|class| is(class.name())) { Tone::Bad } else { Tone::Plain }
}
