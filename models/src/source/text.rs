//! A source file as bytes and tokens: enough of C and C++ to find loops and directives, and to leave everything else as it is.

use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// A string or a character.
    Text,
    /// An operator or a bracket.
    Sign,
    /// A whole line of the preprocessor, with the lines that it goes on in.
    Directive,
    /// A comment.
    Comment,
}

/// A piece of the source.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub range: Range<usize>,
}

/// A source file.
#[derive(Debug)]
pub struct Source {
    /// All of it.
    pub text: Vec<u8>,
    /// Its pieces, without the space between them.
    pub tokens: Vec<Token>,
    /// Where lines begin.
    lines: Vec<usize>,
}

/// Operators of more than one character, longer ones first.
const OPERATORS: [&[u8]; 21] = [
    b"<<=", b">>=", b"...", b"++", b"--", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"<=", b">=", b"==",
    b"!=", b"&&", b"||", b"->", b"::",
];

impl Source {
    /// A source with this text.
    pub fn new(text: Vec<u8>) -> Source {
        let lines =
            std::iter::once(0).chain(text.iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(at, _)| at + 1));
        Source { lines: lines.collect(), tokens: tokens(&text, 0..text.len(), Within::File), text }
    }

    /// The byte at a line and column, both counted from 1; the column behind a line's last is its end. None where the line is shorter.
    pub fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let begin = *self.lines.get((line as usize).checked_sub(1)?)?;
        let at = begin + (column as usize).checked_sub(1)?;
        let end = self.lines.get(line as usize).map_or(self.text.len(), |next| next - 1);
        (at <= end).then_some(at)
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|&begin| begin <= at)
    }

    /// The bytes of the line around a byte, without its end.
    pub fn line_range(&self, at: usize) -> Range<usize> {
        let line = self.line(at);
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[..end].ends_with(b"\r") { end - 1 } else { end };
        self.lines[line - 1]..end.max(self.lines[line - 1])
    }

    /// The bytes of a token; none of one that is not there.
    pub fn bytes(&self, token: usize) -> &[u8] {
        self.tokens.get(token).map_or(b"", |token| &self.text[token.range.clone()])
    }

    /// The token of a kind that begins at a byte.
    pub fn token_at(&self, at: usize) -> Option<usize> {
        self.tokens.binary_search_by_key(&at, |token| token.range.start).ok()
    }

    /// The next token from here on that is no comment.
    pub fn skip_comments(&self, mut token: usize) -> usize {
        while self.tokens.get(token).is_some_and(|token| token.kind == Kind::Comment) {
            token += 1;
        }
        token
    }

    /// The last token before this one that is no comment.
    pub fn before(&self, token: usize) -> Option<usize> {
        (0..token).rev().find(|&at| self.tokens[at].kind != Kind::Comment)
    }

    /// Whether the tokens that a macro could hide begin where the compiler says that something is. What a clause makes, such as a
    /// reduction's sum over the threads, is anywhere in the directive, up to its end.
    pub fn begins_token(&self, at: usize) -> bool {
        let position = self.tokens.partition_point(|token| token.range.start <= at);
        let Some(token) = position.checked_sub(1).map(|last| &self.tokens[last]) else { return false };
        token.range.start == at || token.kind == Kind::Directive && at <= token.range.end
    }
}

/// Whether lines that begin with `#` are the preprocessor's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    File,
    Directive,
}

/// The tokens of a part of a text.
pub(super) fn tokens(text: &[u8], range: Range<usize>, within: Within) -> Vec<Token> {
    let mut all = Vec::new();
    let mut at = range.start;
    let mut begins_line = within == Within::File;
    while at < range.end {
        let rest = &text[at..range.end];
        if rest[0].is_ascii_whitespace() || rest[0] == b'\\' {
            begins_line |= rest[0] == b'\n' && within == Within::File;
            at += 1;
            continue;
        }
        let (kind, length) = match rest {
            [b'#', ..] if begins_line => (Kind::Directive, end_of_directive(rest)),
            _ => first(rest),
        };
        if kind != Kind::Comment {
            begins_line = false;
        }
        all.push(Token { kind, range: at..at + length });
        at += length;
    }
    all
}

/// The token that a text begins with, which is not empty and does not begin with space or a directive.
fn first(text: &[u8]) -> (Kind, usize) {
    let up_to = |end: &[u8]| text.windows(end.len()).skip(2).position(|at| at == end).map_or(text.len(), |at| at + 2);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$' || *byte >= 0x80;
    match text {
        [b'/', b'*', ..] => (Kind::Comment, (up_to(b"*/") + 2).min(text.len())),
        [b'/', b'/', ..] => (Kind::Comment, end_of_line(text)),
        [quote @ (b'"' | b'\''), ..] => (Kind::Text, end_of_text(text, *quote)),
        [b'R', b'"', ..] => (Kind::Text, end_of_raw_text(text)),
        [digit, ..] if digit.is_ascii_digit() => {
            let is_part = |byte: &u8| is_word(byte) || *byte == b'.' || *byte == b'\'';
            (Kind::Number, text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len()))
        }
        [letter, ..] if is_word(letter) => {
            (Kind::Word, text.iter().position(|byte| !is_word(byte)).unwrap_or(text.len()))
        }
        _ => (Kind::Sign, OPERATORS.iter().find(|sign| text.starts_with(sign)).map_or(1, |sign| sign.len())),
    }
}

/// The end of a line that goes on where a backslash is its last character.
fn end_of_line(text: &[u8]) -> usize {
    let ends = |at: usize| {
        let line = text[..at].strip_suffix(b"\r").unwrap_or(&text[..at]);
        text[at] == b'\n' && !line.ends_with(b"\\")
    };
    let end = (0..text.len()).find(|&at| ends(at)).unwrap_or(text.len());
    if text[..end].ends_with(b"\r") { end - 1 } else { end }
}

/// The same, where a comment may hold ends of lines.
fn end_of_directive(text: &[u8]) -> usize {
    let mut end = end_of_line(text);
    while let Some(open) = text[..end].windows(2).rposition(|two| two == b"/*") {
        let closes = |part: &[u8]| part.windows(2).position(|two| two == b"*/");
        if closes(&text[open + 2..end]).is_some() {
            break;
        }
        let Some(close) = closes(&text[end..]) else { return text.len() };
        end += close + 2;
        end += end_of_line(&text[end..]);
    }
    end
}

fn end_of_text(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() && text[at] != quote && text[at] != b'\n' {
        at += if text[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(text.len())
}

fn end_of_raw_text(text: &[u8]) -> usize {
    let open = text.iter().position(|&byte| byte == b'(').unwrap_or(text.len());
    let mark = [b")", text.get(2..open).unwrap_or(b""), b"\""].concat();
    text.windows(mark.len()).position(|at| at == mark).map_or(text.len(), |at| at + mark.len())
}
