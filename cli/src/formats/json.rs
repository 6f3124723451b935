//! JSON for programs, of which a terminal gets no command.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

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
    let layout = Layout { pretty: PrettyFormatter::new(), depth: 0, deepest };
    document.serialize(&mut Serializer::with_formatter(&mut text, layout)).expect("memory, and keys that are texts");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Indented down to a depth, and in one line what is deeper; characters that do not stand in a line are escaped.
struct Layout {
    pretty: PrettyFormatter<'static>,
    depth: usize,
    deepest: usize,
}

impl Layout {
    fn is_in_line(&self) -> bool {
        self.depth > self.deepest
    }
}

/// Methods that begin and end what is in one line as the compact form does.
macro_rules! nested {
    ($($begin:ident, $end:ident, $end_value:ident;)*) => {$(
        fn $begin<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
            self.depth += 1;
            if self.is_in_line() { CompactFormatter.$begin(out) } else { self.pretty.$begin(out) }
        }

        fn $end<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
            let is_in_line = self.is_in_line();
            self.depth -= 1;
            if is_in_line { CompactFormatter.$end(out) } else { self.pretty.$end(out) }
        }

        fn $end_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
            if self.is_in_line() { Ok(()) } else { self.pretty.$end_value(out) }
        }
    )*};
}

/// Methods that stand before a value, with a blank behind the comma.
macro_rules! before {
    ($($name:ident;)*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
            match (self.is_in_line(), is_first) {
                (false, _) => self.pretty.$name(out, is_first),
                (true, true) => Ok(()),
                (true, false) => out.write_all(b", "),
            }
        }
    )*};
}

impl Formatter for Layout {
    nested! {
        begin_array, end_array, end_array_value;
        begin_object, end_object, end_object_value;
    }

    before! {
        begin_array_value;
        begin_object_key;
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.pretty.begin_object_value(out)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        for c in fragment.chars() {
            match is_hidden(c) {
                true => write!(out, "\\u{:04x}", u32::from(c))?,
                false => write!(out, "{c}")?,
            }
        }
        Ok(())
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
