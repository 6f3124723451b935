//! Lists in the forms that other programs read.

mod sarif;
mod schema;

pub use schema::{Of as SchemaOf, schema};

use std::io::{self, Write};

use clap::ValueEnum;

use crate::findings::Finding;
use crate::select::rows::{Cell, Kind};
use crate::select::totals::{Totals, Traffic};
use crate::terminal::{is_hidden, visible};

/// The version of the documents: readers can rely on the meaning of keys and columns while it stays.
const VERSION: u32 = 3;

/// How the output is written.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// For people, on a terminal.
    #[default]
    Table,
    /// A YAML document.
    Yaml,
    /// A JSON document.
    Json,
    /// Comma-separated values, with a line of column names.
    Csv,
    /// Tables in Markdown.
    Md,
    /// What to do, for code scanning: SARIF 2.1.0, with fixes.
    Sarif,
    /// What to do, a line each, as a compiler prints warnings.
    Gcc,
    /// What to do, for GitLab's code quality.
    Codequality,
}

impl Format {
    /// Whether it has what to do, and no lists.
    pub fn is_of_findings(self) -> bool {
        matches!(self, Format::Sarif | Format::Gcc | Format::Codequality)
    }
}

/// A list that is ready.
pub struct Table {
    /// What it is of.
    pub kind: Kind,
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
    /// Rows that were left out.
    pub left_out: usize,
}

/// What is above the lists.
pub struct Head {
    /// Sums over all that was selected.
    pub totals: Totals,
    /// What figures rest on, where values were missing.
    pub basis: Option<String>,
}

/// Writes the lists; CSV has room for one.
pub fn write(out: &mut impl Write, format: Format, head: &Head, tables: &[Table]) -> io::Result<()> {
    match format {
        Format::Json => json(out, head, tables),
        Format::Yaml => yaml(out, head, tables),
        Format::Csv => tables.iter().try_for_each(|table| csv(out, table)),
        Format::Md => markdown(out, head, tables),
        Format::Table | Format::Sarif | Format::Gcc | Format::Codequality => Ok(()),
    }
}

/// Writes what to do.
pub fn write_findings(out: &mut impl Write, format: Format, findings: &[Finding]) -> io::Result<()> {
    match format {
        Format::Sarif => writeln!(out, "{:#}", sarif::sarif(findings)),
        Format::Codequality => writeln!(out, "{:#}", sarif::code_quality(findings)),
        _ => out.write_all(sarif::gcc(findings).as_bytes()),
    }
}

/// The totals as keys and values.
fn summary(head: &Head) -> Vec<(&'static str, Cell)> {
    let Totals { files, regions, changed, sectors, passes, divergent, rejects, .. } = &head.totals;
    let traffic = |traffic: &Traffic| [traffic.excess, traffic.all].map(Cell::Number);
    let [excess, all] = traffic(sectors);
    let [excessive_passes, all_passes] = traffic(passes);
    vec![
        ("files", (*files).into()),
        ("regions", (*regions).into()),
        ("regions_changed", (*changed).into()),
        ("accesses", head.totals.accesses().into()),
        ("accesses_open", (sectors.open + passes.open).into()),
        ("excess_sectors", excess),
        ("all_sectors", all),
        ("excess_passes", excessive_passes),
        ("all_passes", all_passes),
        ("divergent_branches", (*divergent).into()),
        ("rejects", (*rejects).into()),
        ("assumed", head.basis.as_deref().map_or(Cell::Empty, Cell::from)),
    ]
}

fn json(out: &mut impl Write, head: &Head, tables: &[Table]) -> io::Result<()> {
    writeln!(out, "{{\n  \"ipda_list\": {VERSION},\n  \"totals\": {{")?;
    let summary: Vec<String> =
        summary(head).iter().map(|(key, cell)| format!("    \"{key}\": {}", scalar(cell))).collect();
    write!(out, "{}\n  }}", summary.join(",\n"))?;
    for table in tables {
        writeln!(out, ",\n  \"{}\": [", table.kind.name())?;
        for (nth, row) in table.rows.iter().enumerate() {
            let fields = table.kind.columns().iter().zip(row).filter(|(_, cell)| **cell != Cell::Empty);
            let fields: Vec<String> = fields.map(|(key, cell)| format!("\"{key}\": {}", scalar(cell))).collect();
            let comma = if nth + 1 < table.rows.len() { "," } else { "" };
            writeln!(out, "    {{{}}}{comma}", fields.join(", "))?;
        }
        write!(out, "  ]")?;
    }
    writeln!(out, "\n}}")
}

fn yaml(out: &mut impl Write, head: &Head, tables: &[Table]) -> io::Result<()> {
    writeln!(out, "ipda_list: {VERSION}\ntotals:")?;
    for (key, cell) in summary(head) {
        writeln!(out, "  {key}: {}", scalar(&cell))?;
    }
    for table in tables {
        let end = if table.rows.is_empty() { " []" } else { "" };
        writeln!(out, "{}:{end}", table.kind.name())?;
        for row in &table.rows {
            let fields = table.kind.columns().iter().zip(row).filter(|(_, cell)| **cell != Cell::Empty);
            for (nth, (key, cell)) in fields.enumerate() {
                // JSON's strings are YAML's, too.
                writeln!(out, "{} {key}: {}", if nth == 0 { "-" } else { " " }, scalar(cell))?;
            }
        }
    }
    Ok(())
}

fn csv(out: &mut impl Write, table: &Table) -> io::Result<()> {
    writeln!(out, "{}", table.kind.columns().join(","))?;
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(csv_cell).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// Columns that a page has room for; the others are the same in most rows.
const NOT_IN_MARKDOWN: [&str; 5] = ["source", "side", "target", "region_line", "unit"];

fn markdown(out: &mut impl Write, head: &Head, tables: &[Table]) -> io::Result<()> {
    writeln!(out, "{}.", markdown_cell(&Cell::Text(head.totals.sectors.sentence("sectors"))))?;
    if head.totals.passes.all > 0.0 {
        writeln!(out, "{} of shared memory.", head.totals.passes.sentence("passes"))?;
    }
    if let Some(basis) = &head.basis {
        writeln!(out, "\nAssumed: {}.", markdown_cell(&Cell::Text(basis.clone())))?;
    }
    for table in tables {
        let shown = |column: &&str| !NOT_IN_MARKDOWN.contains(column);
        let columns: Vec<&str> = table.kind.columns().iter().copied().filter(shown).collect();
        writeln!(out, "\n### {}\n", table.kind.name())?;
        writeln!(out, "| {} |", columns.join(" | "))?;
        writeln!(out, "|{}", "---|".repeat(columns.len()))?;
        for row in &table.rows {
            let cells = table.kind.columns().iter().zip(row).filter(|(column, _)| shown(column));
            let cells: Vec<String> = cells.map(|(_, cell)| markdown_cell(cell)).collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        if table.left_out > 0 {
            writeln!(out, "\n{} more rows.", table.left_out)?;
        }
    }
    Ok(())
}

/// A whole number without a fraction, others with what they need.
pub fn number(value: f64) -> String {
    if value.is_finite() { format!("{value}") } else { "0".into() }
}

fn scalar(cell: &Cell) -> String {
    match cell {
        Cell::Empty => "null".into(),
        Cell::Number(value) => number(*value),
        Cell::Text(text) => quoted(text),
    }
}

/// A string of JSON, which is one of YAML, too.
fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\t' => result.push_str("\\t"),
            // YAML takes these for line ends, or for nothing at all.
            c if is_hidden(c) => {
                result.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => result.push(c),
        }
    }
    result.push('"');
    result
}

fn csv_cell(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Number(value) => number(*value),
        Cell::Text(text) => {
            let text = visible(text);
            if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
        }
    }
}

fn markdown_cell(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Number(value) => number(*value),
        Cell::Text(text) => {
            let mut result = String::new();
            for c in visible(text).chars() {
                match c {
                    '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#' => {
                        result.push('\\');
                        result.push(c);
                    }
                    c => result.push(c),
                }
            }
            result
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_breaks_a_form() {
        let text = Cell::Text("a\"b,|\n=<script>\\".into());
        assert_eq!(scalar(&text), r#""a\"b,|\n=<script>\\""#);
        assert_eq!(csv_cell(&text), r#""a""b,|\n=<script>\""#);
        assert_eq!(markdown_cell(&text), r#"a"b,\|\\n=\<script\>\\"#);
    }

    #[test]
    fn numbers_are_numbers_in_every_form() {
        for (value, text) in [(0.0, "0"), (1e15, "1000000000000000"), (97.06, "97.06"), (f64::NAN, "0")] {
            assert_eq!(number(value), text);
            assert!(serde_yaml::from_str::<f64>(text).is_ok());
        }
    }
}
