//! How large and how deep a text is, found out without a parser: parsers keep every value in memory before anything can be said about it,
//! and the time that they take for nested brackets grows with the square of their number. All that reads YAML looks here first.

/// Values in one document, keys among them: hundreds of times what the largest source files of people make.
pub const MAX_VALUES: usize = 3_000_000;
/// Maps and lists inside of each other.
pub const MAX_DEPTH: usize = 64;

/// What there is too much of in a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct Excess {
    /// Counted from 1.
    pub line: usize,
    /// Such as `nested deeper than 64`.
    pub problem: String,
}

/// Looks whether a text has a shape that may be parsed.
///
/// # Errors
/// Where it has too many values, is too deep, or uses anchors, aliases or tags.
pub fn check(text: &str) -> Result<(), Excess> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, line: 1, values: 0, blocks: Vec::new(), brackets: 0 };
    match scan.run() {
        Ok(()) => Ok(()),
        Err(problem) => Err(Excess { line: scan.line, problem }),
    }
}

/// Where the scan is.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    values: usize,
    /// The columns of the block maps and lists around, the innermost last.
    blocks: Vec<usize>,
    /// The brackets around.
    brackets: usize,
}

type Found = Result<(), String>;

impl Scan<'_> {
    fn run(&mut self) -> Found {
        while self.at < self.bytes.len() {
            self.line_of_blocks()?;
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), b' ' | b'\t' | b'\n' | b'\r')
    }

    /// Goes to the next line, or to the end.
    fn end_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |length| length + 1);
        self.line += 1;
    }

    fn skip_blanks(&mut self) {
        while self.at < self.bytes.len() && matches!(self.peek(0), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Found {
        self.values += 1;
        if self.values > MAX_VALUES { Err(format!("more than {MAX_VALUES} values")) } else { Ok(()) }
    }

    fn depth(&self) -> Found {
        let depth = self.blocks.len() + self.brackets;
        if depth > MAX_DEPTH { Err(format!("nested deeper than {MAX_DEPTH}")) } else { Ok(()) }
    }

    /// One line, or the lines that a value in it goes on for.
    fn line_of_blocks(&mut self) -> Found {
        let start = self.at;
        self.skip_blanks();
        let column = self.at - start;
        if matches!(self.peek(0), b'\n' | b'#') {
            self.end_line();
            return Ok(());
        }
        // A list may stand in the column of its key.
        let is_dash = self.peek(0) == b'-' && self.is_blank(1);
        while self.blocks.last().is_some_and(|&last| last > column || last == column && !is_dash) {
            self.blocks.pop();
        }
        self.token(start)
    }

    /// What stands behind the marks of lists and keys of a line that begins at `start`.
    fn token(&mut self, start: usize) -> Found {
        loop {
            self.skip_blanks();
            let column = self.at - start;
            match self.peek(0) {
                b'\n' => {
                    self.end_line();
                    return Ok(());
                }
                b'#' => {
                    self.end_line();
                    return Ok(());
                }
                b'-' | b'?' | b':' if self.is_blank(1) => {
                    self.enter(column)?;
                    self.at += 1;
                }
                b'&' | b'*' | b'!' => return Err("anchors, aliases and tags are not read".into()),
                b'|' | b'>' => {
                    self.value()?;
                    return self.skip_block();
                }
                b'[' | b'{' => {
                    self.in_brackets()?;
                    if !self.is_key_mark() {
                        return self.rest_of_line();
                    }
                    self.enter(column)?;
                    self.at += 1;
                }
                b'\'' | b'"' => {
                    self.skip_quoted();
                    self.value()?;
                    if !self.is_key_mark() {
                        return self.rest_of_line();
                    }
                    self.enter(column)?;
                    self.at += 1;
                }
                _ => {
                    self.value()?;
                    if !self.plain_is_key() {
                        return self.skip_plain_lines();
                    }
                    self.enter(column)?;
                    self.at += 1;
                }
            }
        }
    }

    /// A list or map at a column, which may be one that is open already.
    fn enter(&mut self, column: usize) -> Found {
        self.value()?;
        if self.blocks.last() != Some(&column) {
            self.blocks.push(column);
        }
        self.depth()
    }

    fn is_key_mark(&mut self) -> bool {
        self.skip_blanks();
        self.peek(0) == b':' && self.is_blank(1)
    }

    /// What follows a complete value is an error of the text, which its parser tells.
    fn rest_of_line(&mut self) -> Found {
        self.end_line();
        Ok(())
    }

    /// Goes to the colon behind a key, or to the end of the line.
    fn plain_is_key(&mut self) -> bool {
        while self.peek(0) != b'\n' {
            if self.peek(0) == b':' && self.is_blank(1) {
                return true;
            }
            if self.peek(0) == b'#' && matches!(self.bytes[self.at - 1], b' ' | b'\t') {
                break;
            }
            self.at += 1;
        }
        false
    }

    /// A value without quotes goes on in lines that are further right than what it belongs to.
    fn skip_plain_lines(&mut self) -> Found {
        let ends_here = self.peek(0) == b'#';
        self.end_line();
        while !ends_here && self.at < self.bytes.len() {
            let start = self.at;
            self.skip_blanks();
            let column = self.at - start;
            let is_empty = self.peek(0) == b'\n';
            let goes_on = self.blocks.last().is_none_or(|&parent| column > parent);
            if !is_empty && (!goes_on || self.peek(0) == b'#' || self.plain_is_key()) {
                self.at = start;
                break;
            }
            self.end_line();
        }
        Ok(())
    }

    fn skip_quoted(&mut self) {
        let quote = self.peek(0);
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' if quote == b'"' => self.at += 1,
                // A quote in single quotes is written twice, as if another text followed.
                found if found == quote && !(quote == b'\'' && self.peek(1) == quote) => {
                    self.at += 1;
                    return;
                }
                found if found == quote => self.at += 1,
                b'\n' => self.line += 1,
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.bytes.len();
    }

    /// A block of text: the lines that are further right than what it belongs to.
    fn skip_block(&mut self) -> Found {
        let parent = self.blocks.last().copied();
        self.end_line();
        while self.at < self.bytes.len() {
            let start = self.at;
            while self.peek(0) == b' ' {
                self.at += 1;
            }
            let is_inside = self.peek(0) == b'\n' || parent.is_none_or(|parent| self.at - start > parent);
            if !is_inside {
                self.at = start;
                break;
            }
            self.end_line();
        }
        Ok(())
    }

    /// From an opening bracket to behind the one that closes it.
    fn in_brackets(&mut self) -> Found {
        let mut is_plain = false;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            match byte {
                b'[' | b'{' => {
                    self.value()?;
                    self.brackets += 1;
                    self.depth()?;
                    is_plain = false;
                }
                b']' | b'}' => {
                    self.brackets -= 1;
                    is_plain = false;
                    if self.brackets == 0 {
                        self.at += 1;
                        return Ok(());
                    }
                }
                b',' => {
                    self.value()?;
                    is_plain = false;
                }
                b':' if !is_plain || self.is_blank(1) || matches!(self.peek(1), b',' | b'[' | b']' | b'{' | b'}') => {
                    self.value()?;
                    is_plain = false;
                }
                b'#' if matches!(self.bytes[self.at - 1], b' ' | b'\t' | b'\n') => {
                    self.end_line();
                    continue;
                }
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                b'\'' | b'"' if !is_plain => {
                    self.skip_quoted();
                    self.value()?;
                    continue;
                }
                b'&' | b'*' | b'!' if !is_plain => return Err("anchors, aliases and tags are not read".into()),
                _ if !is_plain => {
                    self.value()?;
                    is_plain = true;
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Option<String> {
        check(text).err().map(|error| error.to_string())
    }

    #[test]
    fn depth_is_found_in_every_style() {
        let deep = |open: &str| problem(&open.repeat(100)).unwrap_or_default();
        for open in ["[", "{a: ", "- ", "? ", "\"a\": [", "{'x': ["] {
            assert!(deep(open).ends_with("nested deeper than 64"), "{open}: {}", deep(open));
        }
        let indented: String = (0..100).map(|column| format!("{:column$}a:\n", "")).collect();
        assert_eq!(problem(&indented).as_deref(), Some("line 65: nested deeper than 64"));
        // Behind what looks like text, and is.
        for before in [
            "a: x\n  'y\nb: ",
            "- x\n  \"y\n- ",
            "a: |\n 'x\nb: ",
            "a: 'it''s'\nb: ",
            "a: [b 'c, d]\nb: ",
            "a: x # 'y\nb: ",
        ] {
            let text = format!("{before}{}", "[".repeat(100));
            assert!(problem(&text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_is_text_has_no_shape() {
        let brackets = "[".repeat(100);
        for text in ["a: 4*{}", "a: '{}'", "a: \"\\\"{}\"", "a: |-\n  {}\nb: 1", "# {}", "a: b\n  {}", "- |\n  {}"] {
            assert_eq!(problem(&text.replace("{}", &brackets)), None, "{text}");
        }
        let flat: String = (0..100).map(|_| "- a: 1\n  b:\n  - c: {d: [e, f]}\n").collect();
        assert_eq!(problem(&flat), None);
    }

    #[test]
    fn values_are_counted() {
        assert_eq!(
            problem(&format!("[{}]", "1,".repeat(MAX_VALUES))),
            Some(format!("line 1: more than {MAX_VALUES} values"))
        );
        assert_eq!(problem(&"- \n".repeat(1000)), None);
    }

    #[test]
    fn repetition_by_name_is_refused() {
        for text in ["a: &x 1\nb: *x", "[&x 1]", "a: !!binary x", "- *x"] {
            assert!(problem(text).is_some_and(|problem| problem.contains("aliases")), "{text}");
        }
        assert_eq!(problem("a: x&y\nb: 3*x!\nc: [x*y]\nd: '*'"), None);
    }
}
