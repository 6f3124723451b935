//! Tables with one line a row, that shrink to the page.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::page::{elided, elided_start};
use crate::terminal::visible;
use ipda_symbolic::in_words;

/// Blanks between columns, and where the page is too narrow for that.
const WIDE_GAP: usize = 2;
const NARROW_GAP: usize = 1;
/// So much of a name is enough to recognise it.
const RECOGNISABLE: usize = 12;

/// A column of a table.
#[derive(Clone, Copy)]
pub struct Column {
    title: &'static str,
    alignment: CellAlignment,
    shrink: Shrink,
}

/// What may happen to a cell where the page is too narrow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shrink {
    /// Nothing.
    Never,
    /// Its end may go.
    End,
    /// Its start may go.
    Start,
}

impl Column {
    /// Text that must stay whole.
    pub const fn word(title: &'static str) -> Column {
        Column { title, alignment: CellAlignment::Left, shrink: Shrink::Never }
    }

    /// A number.
    pub const fn number(title: &'static str) -> Column {
        Column { title, alignment: CellAlignment::Right, shrink: Shrink::Never }
    }

    /// Text that may lose its end.
    pub const fn name(title: &'static str) -> Column {
        Column { title, alignment: CellAlignment::Left, shrink: Shrink::End }
    }

    /// Text that may lose its start.
    pub const fn path(title: &'static str) -> Column {
        Column { title, alignment: CellAlignment::Left, shrink: Shrink::Start }
    }
}

/// A table whose cells have been shortened to fit.
pub struct Grid {
    /// The titles.
    pub header: String,
    /// One line a row.
    pub rows: Vec<String>,
    widths: Vec<usize>,
}

impl Grid {
    /// Sets `rows` under the titles of `columns` in at most `width` characters, as far as shortening allows.
    pub fn new(columns: &[Column], rows: &[Vec<String>], width: usize) -> Grid {
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| in_words(cell)).collect()).collect();
        let (widths, gap) = fitted(columns, &rows, width);
        let mut table = Table::new();
        table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(columns.iter().map(|column| column.title));
        for row in &rows {
            table.add_row(row.iter().zip(columns).zip(&widths).map(|((cell, column), &width)| match column.shrink {
                Shrink::Never => visible(cell),
                Shrink::End => elided(&visible(cell), width),
                Shrink::Start => elided_start(&visible(cell), width),
            }));
        }
        for (setting, column) in table.column_iter_mut().zip(columns) {
            setting.set_padding((0, gap as u16)).set_cell_alignment(column.alignment);
        }
        let mut lines = table.lines();
        let header = lines.next().unwrap_or_default();
        Grid { header, rows: lines.collect(), widths }
    }

    /// Whether a cell of that column was too long.
    pub fn shortened(&self, column: usize, cell: &str) -> bool {
        in_words(cell).chars().count() > self.widths[column]
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
