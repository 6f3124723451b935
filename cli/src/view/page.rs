//! The page that text is set on: width, colour, wrapping.

use crate::terminal::visible;
use ipda_symbolic::in_words;

/// How the output is to look.
pub struct Page {
    /// Columns.
    pub width: usize,
    /// Colour or none.
    pub paint: Paint,
    /// How much to say.
    pub detail: Detail,
    /// Which loops tables are of.
    pub loops: Loops,
}

/// Which loops are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// Those that run: as the plugin changed them.
    AsRun,
    /// Those of the source.
    AsWritten,
}

/// Whether to colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Plain text.
    None,
    /// ANSI escape sequences.
    Ansi,
}

/// How much to say about an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What a decision needs.
    Brief,
    /// Everything that the report has.
    Full,
}

/// The look of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// As the terminal has it.
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

/// Text on a page, line by line.
pub struct Text<'a> {
    /// The page it is set on.
    pub page: &'a Page,
    lines: String,
}

impl<'a> Text<'a> {
    /// An empty text.
    pub fn new(page: &'a Page) -> Text<'a> {
        Text { page, lines: String::new() }
    }

    /// Adds one line as it is, however long.
    pub fn line(&mut self, tone: Tone, text: &str) {
        let text = visible(&in_words(text.trim_end()));
        match tone.sgr() {
            Some(sgr) if self.page.paint == Paint::Ansi => {
                self.lines.push_str(&format!("\x1b[{sgr}m{text}\x1b[0m"));
            }
            _ => self.lines.push_str(&text),
        }
        self.lines.push('\n');
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.lines.push('\n');
    }

    /// Adds a paragraph that is indented by `indent`.
    pub fn wrapped(&mut self, indent: usize, text: &str) {
        self.labelled(indent, 0, "", Tone::Plain, text);
    }

    /// Adds a paragraph that stands right of a label of `label_width` columns.
    pub fn labelled(&mut self, indent: usize, label_width: usize, label: &str, tone: Tone, text: &str) {
        let column = indent + label_width;
        for (nth, part) in wrap(&in_words(text), self.page.width.saturating_sub(column)).iter().enumerate() {
            let label = if nth == 0 { label } else { "" };
            self.line(tone, &format!("{:indent$}{label:label_width$}{part}", ""));
        }
    }

    /// Adds a paragraph whose first line begins with a mark, and whose other lines are indented by `hang`.
    pub fn hanging(&mut self, indent: usize, hang: usize, tone: Tone, mark: &str, text: &str) {
        let text = in_words(text);
        let width = |column: usize| self.page.width.saturating_sub(column);
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

    /// The text.
    pub fn finish(self) -> String {
        self.lines
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

/// `text` in at most `width` characters: its start, and an ellipsis where something is missing.
pub fn elided(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// As [`elided`], but keeps the end, which tells file paths apart.
pub fn elided_start(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    ['…'].into_iter().chain(text.chars().skip(length + 1 - width)).collect()
}
