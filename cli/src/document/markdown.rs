//! A document in Markdown.

use ipda_symbolic::in_words;

use super::{Block, Document, Table, Tone};
use crate::terminal::visible;

impl Document {
    /// The text in Markdown, headings of the third level.
    pub fn in_markdown(&self) -> String {
        let mut text = String::new();
        // Items of one list and lines of one paragraph follow each other; all else is apart.
        let mut is_list = false;
        for block in &self.blocks {
            let piece = match block {
                Block::Blank => continue,
                Block::Line { indent: 0, tone: Tone::Bold, text } => format!("### {}\n", escaped(text.trim())),
                Block::Line { tone: Tone::Bold, text, .. } => format!("**{}**\n", escaped(text.trim())),
                Block::Line { text, .. } => format!("{}\n", escaped(text.trim())),
                Block::Paragraph { label_width: 0, text, .. } => format!("{}\n", escaped(text)),
                Block::Paragraph { label, text, .. } if label.is_empty() => format!("- {}\n", escaped(text)),
                Block::Paragraph { label, text, .. } if label == "-" => format!("- {}\n", escaped(text)),
                Block::Paragraph { label: mark, text, .. } | Block::Hanging { mark, text, .. } => {
                    format!("- {}: {}\n", escaped(mark), escaped(text))
                }
                Block::Code { lines, .. } => code(lines),
                Block::Table(table) => table.in_markdown(),
            };
            let is_item = piece.starts_with("- ");
            let is_next_item = is_list && is_item;
            if !text.is_empty() && !is_next_item {
                text.push('\n');
            }
            text.push_str(&piece);
            is_list = is_item;
        }
        text
    }
}

/// Lines as they are, in a fence that none of them ends.
fn code(lines: &[(Tone, String)]) -> String {
    let lines: Vec<String> = lines.iter().map(|(_, line)| visible(&in_words(line))).collect();
    let ticks = |line: &String| line.len() - line.trim_start_matches('`').len();
    let fence = "`".repeat(lines.iter().map(ticks).max().unwrap_or(0).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", lines.join("\n"))
}

impl Table {
    fn in_markdown(&self) -> String {
        // Nothing is cut.
        let notes = self.all_notes(|_, _| false);
        let has_notes = notes.iter().any(|notes| !notes.is_empty());
        let mut titles: Vec<&str> = self.columns.iter().map(|column| column.title.trim()).collect();
        if has_notes {
            titles.push("notes");
        }
        let mut text = format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(titles.len()));
        for (row, notes) in self.rows.iter().zip(notes) {
            let mut cells: Vec<String> = row.cells.iter().map(|cell| escaped(cell)).collect();
            if has_notes {
                let note = |(label, text): &(&str, String)| match label.is_empty() {
                    true => escaped(text),
                    false => format!("{label}: {}", escaped(text)),
                };
                cells.push(notes.iter().map(note).collect::<Vec<_>>().join("; "));
            }
            text += &format!("| {} |\n", cells.join(" | "));
        }
        text
    }
}

/// A text that stands as it is.
fn escaped(text: &str) -> String {
    let mut result = String::new();
    for c in visible(&in_words(text)).chars() {
        if matches!(c, '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#') {
            result.push('\\');
        }
        result.push(c);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::{Column, Row};
    use super::*;

    #[test]
    fn each_block_is_apart_and_nothing_in_a_text_is_markup() {
        let mut document = Document::default();
        document.heading("A *title*");
        document.blank();
        document.wrapped(2, "one paragraph");
        document.indented(2, Tone::Bold, "the answer");
        document.labelled(2, 8, "label", Tone::Plain, "an item");
        document.hanging(2, 8, Tone::Bad, "a.c:1", "another");
        document.code(2, vec![(Tone::Plain, "7 | a[i];".into()), (Tone::Bold, "``` ^".into())]);
        let mut row = Row::from(vec!["x|y".to_owned(), "7".to_owned()]);
        row.notes.push(("because", "<b>".into()));
        let columns = vec![Column::name("name"), Column::number("n")];
        document.table(Table { columns, rows: vec![row], ..Table::default() });
        let expected = "\
### A \\*title\\*

one paragraph

**the answer**

- label: an item
- a.c:1: another

````text
7 | a[i];
``` ^
````

| name | n | notes |
|---|---|---|
| x\\|y | 7 | because: \\<b\\> |
";
        assert_eq!(document.in_markdown(), expected);
    }
}
