//! What commands say to people, whatever it is shown on: headings, paragraphs, lines of a source, tables. `terminal` and `markdown` write a whole
//! document; pages take its tables.

pub mod markdown;
pub mod terminal;

/// How much of the reports a document says.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// How much to say.
    pub detail: Detail,
    /// Which loops tables are of.
    pub loops: Loops,
}

/// How much to say about an access.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// What a decision needs.
    #[default]
    Brief,
    /// Everything that the report has.
    Full,
}

/// Which loops are shown.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Loops {
    /// Those that run: as the plugin changed them.
    #[default]
    AsRun,
    /// Those of the source.
    AsWritten,
}

/// The look of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As everything else.
    Plain,
    /// Headings.
    Bold,
    /// What costs most.
    Bad,
    /// What needs a look.
    Doubtful,
    /// Less important.
    Faint,
}

/// A document, block by block.
#[derive(Default, PartialEq)]
pub struct Document {
    /// How much it tells.
    pub extent: Extent,
    blocks: Vec<Block>,
}

#[derive(PartialEq)]
enum Block {
    /// One line, however long.
    Line {
        indent: usize,
        tone: Tone,
        text: String,
    },
    /// Text that may be broken, right of a label.
    Paragraph {
        narrowest: usize,
        indent: usize,
        label_width: usize,
        label: String,
        tone: Tone,
        text: String,
    },
    /// Text that may be broken, whose first line begins with a mark; the others are indented by `hang`.
    Hanging {
        indent: usize,
        hang: usize,
        tone: Tone,
        mark: String,
        text: String,
    },
    /// Lines that stay as they are, below each other.
    Code {
        indent: usize,
        lines: Vec<(Tone, String)>,
    },
    Table(Table),
    Blank,
}

impl Document {
    /// An empty one.
    pub fn new(extent: Extent) -> Document {
        Document { extent, blocks: Vec::new() }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: impl Into<String>) {
        self.line(Tone::Bold, text);
    }

    /// Adds one line as it is, however long.
    pub fn line(&mut self, tone: Tone, text: impl Into<String>) {
        self.indented(0, tone, text);
    }

    /// The same, indented.
    pub fn indented(&mut self, indent: usize, tone: Tone, text: impl Into<String>) {
        self.blocks.push(Block::Line { indent, tone, text: text.into() });
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.blocks.push(Block::Blank);
    }

    /// Adds a paragraph that is indented by `indent`.
    pub fn wrapped(&mut self, indent: usize, text: &str) {
        self.labelled(indent, 0, "", Tone::Plain, text);
    }

    /// Adds a paragraph that stands right of a label of `label_width` columns.
    pub fn labelled(&mut self, indent: usize, label_width: usize, label: &str, tone: Tone, text: &str) {
        self.labelled_from(0, indent, label_width, label, tone, text);
    }

    /// The same on pages of at least `narrowest` columns alone.
    pub fn labelled_from(
        &mut self,
        narrowest: usize,
        indent: usize,
        label_width: usize,
        label: &str,
        tone: Tone,
        text: &str,
    ) {
        let (label, text) = (label.to_owned(), text.to_owned());
        self.blocks.push(Block::Paragraph { narrowest, indent, label_width, label, tone, text });
    }

    /// Adds a paragraph whose first line begins with a mark, and whose other lines are indented by `hang`.
    pub fn hanging(&mut self, indent: usize, hang: usize, tone: Tone, mark: &str, text: &str) {
        self.blocks.push(Block::Hanging { indent, hang, tone, mark: mark.to_owned(), text: text.to_owned() });
    }

    /// Adds lines that are never broken.
    pub fn code(&mut self, indent: usize, lines: Vec<(Tone, String)>) {
        if !lines.is_empty() {
            self.blocks.push(Block::Code { indent, lines });
        }
    }

    /// Adds a table.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Adds another document.
    pub fn append(&mut self, other: &mut Document) {
        self.blocks.append(&mut other.blocks);
    }
}

/// A table, whose rows may have notes below them.
#[derive(Default, PartialEq)]
pub struct Table {
    /// What stands before each of its lines.
    pub indent: usize,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Where notes begin, and the columns of their labels.
    pub notes: (usize, usize),
    /// The column that names a row: a note that several rows have is reported with the first, with the names of the others. None: with each.
    pub named_by: Option<usize>,
}

/// A row.
#[derive(PartialEq)]
pub struct Row {
    /// How it looks.
    pub tone: Tone,
    /// A text for each column.
    pub cells: Vec<String>,
    /// What more there is to say of it: labels and texts.
    pub notes: Vec<Note>,
    /// The same behind what cells have no room for.
    pub details: Vec<Note>,
}

/// A label and a text.
pub type Note = (&'static str, String);

impl Row {
    /// Without notes.
    pub fn new(tone: Tone, cells: Vec<String>) -> Row {
        Row { tone, cells, notes: Vec::new(), details: Vec::new() }
    }
}

impl From<Vec<String>> for Row {
    fn from(cells: Vec<String>) -> Row {
        Row::new(Tone::Plain, cells)
    }
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq)]
pub struct Column {
    title: &'static str,
    is_number: bool,
    shrink: Shrink,
    /// The narrowest page that it is on.
    narrowest: usize,
    /// Where a cell is cut: the label of a note that has it, and how much of it.
    reported: Option<(&'static str, usize)>,
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
    /// It goes on in further lines. A table with such a column has no notes.
    Wrap,
}

impl Column {
    const fn shrinking(title: &'static str, shrink: Shrink) -> Column {
        Column { title, is_number: false, shrink, narrowest: 0, reported: None }
    }

    /// Text that must stay whole.
    pub const fn word(title: &'static str) -> Column {
        Column::shrinking(title, Shrink::Never)
    }

    /// A number.
    pub const fn number(title: &'static str) -> Column {
        Column { is_number: true, ..Column::shrinking(title, Shrink::Never) }
    }

    /// Text that may lose its end.
    pub const fn name(title: &'static str) -> Column {
        Column::shrinking(title, Shrink::End)
    }

    /// Text that may lose its start.
    pub const fn path(title: &'static str) -> Column {
        Column::shrinking(title, Shrink::Start)
    }

    /// Text that may be broken.
    pub const fn text(title: &'static str) -> Column {
        Column::shrinking(title, Shrink::Wrap)
    }

    /// Its title.
    pub fn title(&self) -> &str {
        self.title
    }

    /// Whether numbers stand in it.
    pub fn is_number(&self) -> bool {
        self.is_number
    }

    /// The same on pages of at least `narrowest` columns alone.
    pub const fn from(self, narrowest: usize) -> Column {
        Column { narrowest, ..self }
    }

    /// The same with a note below a row whose cell is cut, which has at most `most` characters of it.
    pub const fn reported(self, label: &'static str, most: usize) -> Column {
        Column { reported: Some((label, most)), ..self }
    }
}

impl Table {
    /// Whether cells may take several lines.
    fn wraps(&self) -> bool {
        self.columns.iter().any(|column| column.shrink == Shrink::Wrap)
    }

    /// Of rows without notes.
    pub fn plain(indent: usize, columns: &[Column], rows: Vec<Vec<String>>) -> Table {
        let rows = rows.into_iter().map(Row::from).collect();
        Table { indent, columns: columns.to_vec(), rows, ..Table::default() }
    }

    /// The notes of each row, where cells are cut as `is_cut` says of a row and a column.
    fn all_notes(&self, is_cut: impl Fn(&Row, usize) -> bool) -> Vec<Vec<Note>> {
        let of_row = |row: &Row| {
            let cut = self.columns.iter().enumerate().filter_map(|(nth, column)| {
                let (label, most) = column.reported.filter(|_| is_cut(row, nth))?;
                Some((label, elided(&row.cells[nth], most)))
            });
            row.notes.iter().cloned().chain(cut).chain(row.details.iter().cloned()).collect()
        };
        let mut notes: Vec<Vec<Note>> = self.rows.iter().map(of_row).collect();
        if let Some(place) = self.named_by {
            self.say_once(&mut notes, place);
        }
        notes
    }

    /// What several rows have in the same words is reported with the first, with the names of the others.
    fn say_once(&self, notes: &mut [Vec<Note>], name: usize) {
        let name = |row: usize| &self.rows[row].cells[name];
        for nth in 0..notes.len() {
            let (before, behind) = notes.split_at_mut(nth + 1);
            for note in before[nth].iter_mut().filter(|note| note.0 != "group") {
                let mut others: Vec<String> = Vec::new();
                for (row, other) in (nth + 1..).zip(behind.iter_mut()) {
                    let count = other.len();
                    other.retain(|each| each != note);
                    let own = name(row);
                    if other.len() < count && own != "?" && own != name(nth) && !others.contains(own) {
                        others.push(own.clone());
                    }
                }
                if !others.is_empty() {
                    note.1 += &format!(" (the same at {})", crate::words::and(&others));
                }
            }
        }
    }
}

/// `text` in at most `width` characters: its start, and an ellipsis where something is missing.
pub fn elided(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}
