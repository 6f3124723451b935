//! What is written to standard output and standard error: whatever a report, a program or a file's name brings along, a terminal gets no
//! command from it.

use std::fmt::Display;
use std::io::{self, Write};

use anyhow::Result;

/// Exit status where something could not be read or written.
pub const UNREADABLE: u8 = 1;
/// Exit status where the command is wrong: it names what is not there.
pub const WRONG_COMMAND: u8 = 2;
/// Exit status where a rule is broken.
pub const RULE_BROKEN: u8 = 3;

/// Longest part of a sentence for standard error, in characters: parsers repeat what they find, however long it is.
const LONGEST_SENTENCE: usize = 4000;

/// `text` with its control characters, line ends among them, and the marks that turn the direction of text, as a programmer writes them:
/// `\u{1b}`.
pub fn visible(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut result, c));
    result
}

fn push_visible(result: &mut String, c: char) {
    if is_hidden(c) { result.extend(c.escape_default()) } else { result.push(c) }
}

/// Whether a character does something else than to stand in a line. Those that turn the direction of text: Unicode Standard Annex 9, section 2.
pub fn is_hidden(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a text may have colours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colours {
    /// A command chose them; names in its text are [`visible`].
    Kept,
    /// They can only come from what was read: they hide text, too.
    Shown,
}

/// A text of lines, in which colours are the only commands.
fn of_lines(text: &str, colours: Colours) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = if colours == Colours::Kept { colour_length(rest) } else { 0 };
        match c {
            '\n' | '\t' => result.push(c),
            _ if colour > 0 => result.push_str(&rest[..colour]),
            _ => push_visible(&mut result, c),
        }
        rest = &rest[colour.max(c.len_utf8())..];
    }
    result
}

/// Bytes of the sequence "select graphic rendition" that a text begins with.
fn colour_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\x1b[") else { return 0 };
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
    if parameters[length..].starts_with('m') { length + 3 } else { 0 }
}

/// Writes a command's text to standard output. A reader that has seen enough closes the pipe.
pub fn print(text: &str) -> Result<()> {
    print_exactly(of_lines(text, Colours::Kept).as_bytes())
}

/// The same for what another program reads, which takes each byte for what it is.
pub fn print_exactly(text: &[u8]) -> Result<()> {
    let mut output = output();
    match output.write_all(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(anyhow::Error::new(error).context("cannot write the output"))
        }
        _ => Ok(()),
    }
}

/// Standard output.
#[cfg(not(test))]
pub fn output() -> impl Write {
    io::stdout().lock()
}

/// Nothing, which fails where a terminal would take something for a command.
#[cfg(test)]
pub fn output() -> impl Write {
    Watched
}

/// Takes what commands write, and fails where a terminal would take something for a command.
#[cfg(test)]
struct Watched;

#[cfg(test)]
impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let hidden = text.chars().find(|&c| is_hidden(c) && c != '\n' && c != '\t');
        assert_eq!(hidden, None, "a terminal is given a command");
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what went wrong to standard error.
pub fn complain(error: &anyhow::Error) {
    tell(format_args!("ipda: {error:#}"));
}

/// Writes a sentence to standard error.
pub fn tell(sentence: impl Display) {
    let sentence = sentence.to_string();
    let mut shown: String = sentence.chars().take(LONGEST_SENTENCE).collect();
    if shown.len() < sentence.len() {
        shown.push_str(" ...");
    }
    // Nobody is left to be told where this fails.
    #[cfg(not(test))]
    let _ = writeln!(io::stderr(), "{}", of_lines(&shown, Colours::Shown));
    #[cfg(test)]
    let _ = writeln!(Watched, "{}", of_lines(&shown, Colours::Shown));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_terminals_are_shown() {
        assert_eq!(
            visible("a\x1b]0;title\x07\u{9b}2J\u{202e}\r\nb\u{7f}"),
            r"a\u{1b}]0;title\u{7}\u{9b}2J\u{202e}\r\nb\u{7f}"
        );
        assert_eq!(visible("\u{e4}\u{4e2d} \u{1f600} 4*[n]"), "\u{e4}\u{4e2d} \u{1f600} 4*[n]");
    }

    #[test]
    fn lines_and_colours_stay() {
        let of_lines = |text| of_lines(text, Colours::Kept);
        assert_eq!(of_lines("\x1b[1;31mbad\x1b[0m\n\tx\n"), "\x1b[1;31mbad\x1b[0m\n\tx\n");
        assert_eq!(of_lines("\x1b[2J\x1b[1;3\x1b[m"), "\\u{1b}[2J\\u{1b}[1;3\x1b[m");
        assert_eq!(of_lines("\x1b"), "\\u{1b}");
    }

    #[test]
    fn sentences_have_no_colours() {
        let text = of_lines("cannot read \x1b[8mhidden\x1b[m\n", Colours::Shown);
        assert_eq!(text, "cannot read \\u{1b}[8mhidden\\u{1b}[m\n");
    }
}
