//! Lists in the forms that other programs read.

pub mod json;
mod sarif;
mod schema;

pub use schema::{Of as SchemaOf, schema};

use std::io::{self, Write};

use clap::ValueEnum;
use ipda_models::yaml;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::document::{Column, Document, Table};
use crate::findings::Finding;
use crate::select::rows::{Cell, Kind};
use crate::select::totals::Totals;
use crate::terminal::visible;

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
pub struct Rows {
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
pub fn write(out: &mut impl Write, format: Format, head: &Head, tables: &[Rows]) -> io::Result<()> {
    match format {
        Format::Json => out.write_all(json::lists(&Lists { head, tables }).as_bytes()),
        Format::Yaml => {
            // A writer of YAML leaves marks that turn text as they are.
            let tables: Vec<Rows> = tables.iter().map(Rows::visible).collect();
            let text = yaml::write(&Lists { head, tables: &tables }).map_err(io::Error::other)?;
            out.write_all(text.as_bytes())
        }
        Format::Csv => tables.iter().try_for_each(|table| csv(out, table)),
        Format::Md => out.write_all(document(head, tables).in_markdown().as_bytes()),
        Format::Table | Format::Sarif | Format::Gcc | Format::Codequality => Ok(()),
    }
}

/// Writes what to do.
pub fn write_findings(out: &mut impl Write, format: Format, findings: &[Finding]) -> io::Result<()> {
    let text = match format {
        Format::Sarif => json::text(&sarif::sarif(findings)),
        Format::Codequality => json::text(&sarif::code_quality(findings)),
        _ => sarif::gcc(findings),
    };
    out.write_all(text.as_bytes())
}

/// The totals as keys and values.
fn summary(head: &Head) -> [(&'static str, Cell); 12] {
    let Totals { files, regions, changed, sectors, passes, divergent, rejects, .. } = &head.totals;
    [
        ("files", (*files).into()),
        ("regions", (*regions).into()),
        ("regions_changed", (*changed).into()),
        ("accesses", head.totals.accesses().into()),
        ("accesses_open", (sectors.open.all() + passes.open.all()).into()),
        ("excess_sectors", Cell::Number(sectors.excess)),
        ("all_sectors", Cell::Number(sectors.all)),
        ("excess_passes", Cell::Number(passes.excess)),
        ("all_passes", Cell::Number(passes.all)),
        ("divergent_branches", (*divergent).into()),
        ("rejects", (*rejects).into()),
        ("assumed", head.basis.as_deref().map_or(Cell::Empty, Cell::from)),
    ]
}

/// The document of all lists.
struct Lists<'a> {
    head: &'a Head,
    tables: &'a [Rows],
}

impl Serialize for Lists<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_map(None)?;
        document.serialize_entry("ipda_list", &VERSION)?;
        document.serialize_entry("totals", &Fields(&summary(self.head)))?;
        for table in self.tables {
            document.serialize_entry(table.kind.name(), table)?;
        }
        document.end()
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = self.kind.columns();
        let row = |row: &Vec<Cell>| {
            let all = columns.iter().copied().zip(row.iter().cloned());
            all.filter(|(_, cell)| *cell != Cell::Empty).collect::<Vec<_>>()
        };
        serializer.collect_seq(self.rows.iter().map(row).map(Fields))
    }
}

/// Keys and values in their order.
struct Fields<T>(T);

impl<T: AsRef<[(&'static str, Cell)]>> Serialize for Fields<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.as_ref().iter().map(|(key, cell)| (key, cell)))
    }
}

impl Rows {
    /// The same with hidden characters as programmers write them.
    fn visible(&self) -> Rows {
        let cell = |cell: &Cell| match cell {
            Cell::Text(text) => Cell::Text(visible(text)),
            other => other.clone(),
        };
        let rows = self.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        Rows { rows, ..*self }
    }
}

fn csv(out: &mut impl Write, table: &Rows) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(table.kind.columns())?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|cell| visible(&cell.text())))?;
    }
    writer.flush()
}

/// Columns that a page has room for; the others are the same in most rows.
const NOT_IN_MARKDOWN: [&str; 5] = ["source", "side", "target", "region_line", "unit"];

/// The lists for people who read them in Markdown.
fn document(head: &Head, tables: &[Rows]) -> Document {
    let mut out = Document::default();
    let shared = match head.totals.passes.all > 0.0 {
        true => format!(" {} of shared memory.", head.totals.passes.sentence("passes")),
        false => String::new(),
    };
    out.wrapped(0, &format!("{}.{shared}", head.totals.sectors.sentence("sectors")));
    if let Some(basis) = &head.basis {
        out.wrapped(0, &format!("Assumed: {basis}."));
    }
    for table in tables {
        let columns = table.kind.columns();
        let shown: Vec<usize> = (0..columns.len()).filter(|&nth| !NOT_IN_MARKDOWN.contains(&columns[nth])).collect();
        let row = |row: &Vec<Cell>| shown.iter().map(|&nth| row[nth].text().into_owned()).collect();
        let titles: Vec<Column> = shown.iter().map(|&nth| Column::word(columns[nth])).collect();
        out.heading(table.kind.name());
        out.table(Table::plain(0, &titles, table.rows.iter().map(row).collect()));
        if table.left_out > 0 {
            out.wrapped(0, &format!("{} more rows.", table.left_out));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_breaks_a_form() {
        let cell = Cell::Text("a\"b,|\n=<script>\\\u{202e}".into());
        let head = Head { totals: Totals::default(), basis: None };
        let row = vec![cell; Kind::Rejects.columns().len()];
        let tables = [Rows { kind: Kind::Rejects, rows: vec![row], left_out: 0 }];
        let text = |format| {
            let mut text = Vec::new();
            write(&mut text, format, &head, &tables).expect("memory");
            String::from_utf8(text).expect("it is UTF-8")
        };
        assert!(text(Format::Csv).contains(r#"\u{202e}","a""b,|\n=<script>\\u{202e}","#), "{}", text(Format::Csv));
        let json: serde_json::Value = serde_json::from_str(&text(Format::Json)).expect("it is JSON");
        assert_eq!(json["rejects"][0]["file"], "a\"b,|\n=<script>\\\u{202e}");
        assert!(text(Format::Md).contains(r#"| a"b,\|\\n=\<script\>\\\\u{202e} |"#), "{}", text(Format::Md));
        let yaml: serde_json::Value = yaml::read(&text(Format::Yaml)).expect("it is YAML");
        assert_eq!(yaml["rejects"][0]["file"], r#"a"b,|\n=<script>\\u{202e}"#);
    }
}
