//! JSON for programs, of which a terminal gets no command.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use crate::terminal::is_hidden;

/// The text of a document, with a line for each value.
pub fn text(document: &impl Serialize) -> String {
    written(document, usize::MAX)
}

/// The text of a document of lists, with a line for each row.
pub fn lists(document: &impl Serialize) -> String {
    /// The document's object, and its lists.
    const AROUND_ROWS: usize = 2;
    written(document, AROUND_ROWS)
}

fn written(document: &impl Serialize, deepest: usize) -> String {
    let mut text = Vec::new();
    let layout = Layout { depth: 0, deepest, is_empty: true };
    document.serialize(&mut Serializer::with_formatter(&mut text, layout)).expect("memory, and keys that are texts");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Indented down to a depth, and in one line what is deeper; characters that do not stand in a line are escaped.
struct Layout {
    depth: usize,
    deepest: usize,
    /// Whether nothing was written since the last bracket was opened.
    is_empty: bool,
}

impl Layout {
    fn open(&mut self, out: &mut (impl Write + ?Sized), bracket: &str) -> io::Result<()> {
        (self.depth, self.is_empty) = (self.depth + 1, true);
        out.write_all(bracket.as_bytes())
    }

    fn close(&mut self, out: &mut (impl Write + ?Sized), bracket: &str) -> io::Result<()> {
        self.depth -= 1;
        if !self.is_empty && self.depth < self.deepest {
            write!(out, "\n{:1$}", "", 2 * self.depth)?;
        }
        self.is_empty = false;
        out.write_all(bracket.as_bytes())
    }

    /// What stands before a value of a list, or before a key.
    fn next(&mut self, out: &mut (impl Write + ?Sized), is_first: bool) -> io::Result<()> {
        self.is_empty = false;
        out.write_all(if is_first { b"" } else { b"," })?;
        match (self.depth <= self.deepest, is_first) {
            (true, _) => write!(out, "\n{:1$}", "", 2 * self.depth),
            (false, true) => Ok(()),
            (false, false) => out.write_all(b" "),
        }
    }
}

impl Formatter for Layout {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, "[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, "]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.next(out, is_first)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, "{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, "}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.next(out, is_first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        fragment.chars().try_for_each(|c| match is_hidden(c) {
            true => write!(out, "\\u{:04x}", u32::from(c)),
            false => write!(out, "{c}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_str, json};

    #[test]
    fn rows_are_lines_and_hidden_characters_are_escaped() {
        let rows = json!({ "a": [{ "x": [1, 2], "y": { "z": "\u{202e}\u{9b}\"\n" } }, {}], "b": [] });
        let expected = "{\n  \"a\": [\n    {\"x\": [1, 2], \"y\": {\"z\": \"\\u202e\\u009b\\\"\\n\"}},\n    {}\n  ],\n  \"b\": []\n}\n";
        assert_eq!(lists(&rows), expected);
        assert_eq!(from_str::<Value>(expected).expect("it is JSON"), rows);
        assert_eq!(text(&json!({ "a": [1, {}] })), "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n");
    }
}
