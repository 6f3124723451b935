//! A document on a terminal: width, colour, wrapping, and tables with one line a row that shrink to the page.

use comfy_table::{CellAlignment, ContentArrangement, presets};
use ipda_symbolic::in_words;

use super::{Block, Column, Document, Shrink, Table, Tone, elided};
use crate::terminal::visible;

/// Blanks between columns, and where the page is too narrow for that.
const WIDE_GAP: usize = 2;
const NARROW_GAP: usize = 1;
/// So much of a name is enough to recognise it.
const RECOGNISABLE: usize = 12;

/// How the output is to look.
#[derive(Clone, Copy)]
pub struct Page {
    /// Columns.
    pub width: usize,
    /// Colour or none.
    pub paint: Paint,
}

/// A page on which nothing is broken or coloured: commands whose lines are read by programs, too.
pub const PLAIN: Page = Page { width: usize::MAX, paint: Paint::None };

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    None,
    /// ANSI escape sequences.
    Ansi,
}

impl Tone {
    /// Parameters of the ANSI sequence "select graphic rendition".
    fn sgr(self) -> Option<&'static str> {
        match self {
            Tone::Plain => None,
            Tone::Bold => Some("1"),
            Tone::Bad => Some("1;31"),
            Tone::Doubtful => Some("33"),
            Tone::Faint => Some("2"),
        }
    }
}

impl Document {
    /// The text for a terminal.
    pub fn on(&self, page: &Page) -> String {
        let mut out = Lines { page: *page, text: String::new() };
        self.blocks.iter().for_each(|block| out.block(block));
        out.text
    }
}

/// The lines so far.
struct Lines {
    page: Page,
    text: String,
}

impl Lines {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Line { indent, tone, text } => self.line(*tone, &format!("{:indent$}{text}", "")),
            Block::Blank => self.text.push('\n'),
            Block::Code { indent, lines } => {
                lines.iter().for_each(|(tone, line)| self.line(*tone, &format!("{:indent$}{line}", "")));
            }
            Block::Paragraph { narrowest, indent, label_width, label, tone, text } => {
                if self.page.width >= *narrowest {
                    self.paragraph(*indent, *label_width, label, *tone, text);
                }
            }
            Block::Hanging { indent, hang, tone, mark, text } => self.hanging(*indent, *hang, *tone, mark, text),
            Block::Table(table) => self.table(table),
        }
    }

    fn line(&mut self, tone: Tone, text: &str) {
        let text = visible(&in_words(text.trim_end()));
        match tone.sgr() {
            Some(sgr) if self.page.paint == Paint::Ansi => self.text.push_str(&format!("\x1b[{sgr}m{text}\x1b[0m")),
            _ => self.text.push_str(&text),
        }
        self.text.push('\n');
    }

    fn paragraph(&mut self, indent: usize, label_width: usize, label: &str, tone: Tone, text: &str) {
        let column = indent + label_width;
        for (nth, part) in wrap(&in_words(text), self.page.width.saturating_sub(column)).iter().enumerate() {
            let label = if nth == 0 { label } else { "" };
            self.line(tone, &format!("{:indent$}{label:label_width$}{part}", ""));
        }
    }

    fn hanging(&mut self, indent: usize, hang: usize, tone: Tone, mark: &str, text: &str) {
        let text = in_words(text);
        let page = self.page.width;
        let width = |column: usize| page.saturating_sub(column);
        let mark = format!("{mark:width$}  ", width = hang.saturating_sub(2));
        let first = wrap(&text, width(indent + mark.chars().count())).swap_remove(0);
        let rest = wrap(
            &text.split_whitespace().skip(first.split_whitespace().count()).collect::<Vec<_>>().join(" "),
            width(indent + hang),
        );
        self.line(tone, &format!("{:indent$}{mark}{first}", ""));
        for part in rest.iter().filter(|part| !part.is_empty()) {
            self.line(tone, &format!("{:1$}{part}", "", indent + hang));
        }
    }

    /// A table of which all columns share the page, and whose rows may take several lines.
    fn wrapping_table(&mut self, table: &Table) {
        let cells = |cells: &[String]| cells.iter().map(|cell| visible(&in_words(cell))).collect::<Vec<_>>();
        let mut set = comfy_table::Table::new();
        set.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        let width = self.page.width.saturating_sub(table.indent) + NARROW_GAP;
        set.set_width(width.try_into().unwrap_or(u16::MAX));
        set.set_header(table.columns.iter().map(|column| column.title));
        table.rows.iter().for_each(|row| _ = set.add_row(cells(&row.cells)));
        set.column_iter_mut().for_each(|column| _ = column.set_padding((0, WIDE_GAP as u16)));
        set.lines().for_each(|line| self.line(Tone::Plain, &format!("{:1$}{line}", "", table.indent)));
    }

    fn table(&mut self, table: &Table) {
        if table.wraps() {
            return self.wrapping_table(table);
        }
        let grid = Grid::new(table, self.page.width);
        let indent = table.indent;
        self.line(Tone::Faint, &format!("{:indent$}{}", "", grid.header));
        let notes = table.all_notes(|row, nth| grid.is_cut(nth, &row.cells[nth]));
        for ((row, line), notes) in table.rows.iter().zip(&grid.rows).zip(notes) {
            self.line(row.tone, &format!("{:indent$}{line}", ""));
            for (label, text) in notes {
                self.paragraph(table.notes.0, table.notes.1, label, Tone::Plain, &text);
            }
        }
    }
}

impl Table {
    /// Whether all of its lines are on a page of that width as they are.
    pub fn fits(&self, width: usize) -> bool {
        let grid = Grid::new(self, width);
        grid.rows.iter().chain([&grid.header]).all(|row| row.trim_end().chars().count() <= width)
    }
}

/// A table whose cells have been shortened to fit.
struct Grid {
    /// The titles.
    header: String,
    /// One line a row.
    rows: Vec<String>,
    /// By column; none of those that the page has no room for.
    widths: Vec<Option<usize>>,
}

impl Grid {
    fn new(table: &Table, width: usize) -> Grid {
        let shown: Vec<usize> = (0..table.columns.len()).filter(|&nth| width >= table.columns[nth].narrowest).collect();
        let columns: Vec<Column> = shown.iter().map(|&nth| table.columns[nth]).collect();
        let cells = |cells: &Vec<String>| shown.iter().map(|&nth| in_words(&cells[nth])).collect();
        let rows: Vec<Vec<String>> = table.rows.iter().map(|row| cells(&row.cells)).collect();
        let (widths, gap) = fitted(&columns, &rows, width.saturating_sub(table.indent));
        let mut set = comfy_table::Table::new();
        set.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        set.set_header(columns.iter().map(|column| column.title));
        for row in &rows {
            set.add_row(row.iter().zip(&columns).zip(&widths).map(|((cell, column), &width)| match column.shrink {
                Shrink::Never | Shrink::Wrap => visible(cell),
                Shrink::End => elided(&visible(cell), width),
                Shrink::Start => elided_start(&visible(cell), width),
            }));
        }
        for (setting, column) in set.column_iter_mut().zip(&columns) {
            let alignment = if column.is_number { CellAlignment::Right } else { CellAlignment::Left };
            setting.set_padding((0, gap as u16)).set_cell_alignment(alignment);
        }
        let mut lines = set.lines();
        let header = lines.next().unwrap_or_default();
        let width_of = |nth: usize| shown.iter().position(|&other| other == nth).map(|at| widths[at]);
        Grid { header, rows: lines.collect(), widths: (0..table.columns.len()).map(width_of).collect() }
    }

    /// Whether a cell of that column is too long.
    fn is_cut(&self, column: usize, cell: &str) -> bool {
        self.widths[column].is_some_and(|width| in_words(cell).chars().count() > width)
    }
}

/// The columns' widths and the gap between them: wide while every shortened column keeps enough to recognise a name.
fn fitted(columns: &[Column], rows: &[Vec<String>], page: usize) -> (Vec<usize>, usize) {
    let titles: Vec<usize> = columns.iter().map(|column| column.title.chars().count()).collect();
    let cells = |nth: usize| rows.iter().map(move |row: &Vec<String>| row[nth].chars().count());
    let natural: Vec<usize> =
        titles.iter().enumerate().map(|(nth, &title)| cells(nth).fold(title, usize::max)).collect();
    let shrunk = |gap: usize, least: usize| {
        let mut widths = natural.clone();
        while widths.iter().map(|width| width + gap).sum::<usize>() > page + gap {
            let widest = (0..widths.len())
                .filter(|&nth| columns[nth].shrink != Shrink::Never && widths[nth] > titles[nth].max(least))
                .max_by_key(|&nth| widths[nth]);
            match widest {
                Some(widest) => widths[widest] -= 1,
                None => return Err(widths),
            }
        }
        Ok(widths)
    };
    match shrunk(WIDE_GAP, RECOGNISABLE) {
        Ok(widths) => (widths, WIDE_GAP),
        Err(_) => (shrunk(NARROW_GAP, 0).unwrap_or_else(|too_wide| too_wide), NARROW_GAP),
    }
}

/// Breaks `text` at blanks into parts of at most `width` characters; a longer word stays whole.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in text.split_whitespace() {
        let last = parts.last_mut().expect("never empty");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            parts.push(word.to_owned());
        }
    }
    parts
}

/// As [`elided`], but keeps the end, which tells file paths apart.
fn elided_start(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(length + 1 - width)).collect()
}
