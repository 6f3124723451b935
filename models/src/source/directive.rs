//! The OpenMP directive of a loop, and a `collapse` clause in it.

use std::ops::Range;

use super::text::{Kind, Source, Token, Within, tokens};
use super::{Edit, Objection};

/// Words that directives' names are made of.
const NAMES: [&[u8]; 7] = [b"target", b"teams", b"distribute", b"parallel", b"for", b"simd", b"loop"];

/// Clauses whose variables cannot be the counter of a loop that the directive takes.
const NOT_FOR_COUNTERS: [&[u8]; 5] = [b"firstprivate", b"shared", b"reduction", b"in_reduction", b"copyin"];

/// A directive before a loop.
pub struct Directive<'a> {
    source: &'a Source,
    /// Without comments.
    tokens: Vec<Token>,
    /// How many of them are its name, with `#pragma omp`.
    name: usize,
}

impl<'a> Directive<'a> {
    /// The directive of the loop whose word `for` is at a token.
    ///
    /// # Errors
    /// A sentence where there is none that a clause can be added to.
    pub(super) fn of_loop(source: &'a Source, head: usize) -> Result<Directive<'a>, Objection> {
        let line = source.line(source.tokens[head].range.start);
        let missing = || {
            Objection::Program(format!(
                "no `#pragma omp` stands before the loop in line {line}: a macro or _Pragma makes its directive"
            ))
        };
        let at = source.before(head).filter(|&at| source.tokens[at].kind == Kind::Directive).ok_or_else(missing)?;
        let range = source.tokens[at].range.clone();
        let mut tokens = tokens(&source.text, range.clone(), Within::Directive);
        tokens.retain(|token| token.kind != Kind::Comment);
        let word = |at: usize| tokens.get(at).map_or(&b""[..], |token: &Token| &source.text[token.range.clone()]);
        if (word(0), word(1), word(2)) != (b"#", b"pragma", b"omp") {
            return Err(missing());
        }
        let name = (3..tokens.len()).find(|&at| !NAMES.contains(&word(at))).unwrap_or(tokens.len());
        if !matches!(word(name - 1), b"for" | b"simd" | b"loop" | b"distribute") {
            let line = source.line(range.start);
            return Err(Objection::Program(format!("the directive in line {line} is none of a loop")));
        }
        Ok(Directive { source, tokens, name })
    }

    /// The directive of a target region that begins in a line.
    ///
    /// # Errors
    /// A sentence where there is none, or several.
    pub(super) fn of_target(source: &'a Source, line: u32) -> Result<Directive<'a>, Objection> {
        let missing = || {
            Objection::Program(format!(
                "no `#pragma omp target` is all of line {line}: a macro or _Pragma makes its directive, or another file"
            ))
        };
        let is_there =
            |token: &&Token| token.kind == Kind::Directive && source.line(token.range.start) == line as usize;
        let range = source.tokens.iter().find(is_there).ok_or_else(missing)?.range.clone();
        let mut tokens = tokens(&source.text, range, Within::Directive);
        tokens.retain(|token| token.kind != Kind::Comment);
        let word = |at: usize| tokens.get(at).map_or(&b""[..], |token: &Token| &source.text[token.range.clone()]);
        if (word(0), word(1), word(2), word(3)) != (b"#", b"pragma", b"omp", b"target") {
            return Err(missing());
        }
        let name = (3..tokens.len()).find(|&at| !NAMES.contains(&word(at))).unwrap_or(tokens.len());
        Ok(Directive { source, tokens, name })
    }

    /// Where its last token ends.
    pub(super) fn end(&self) -> usize {
        self.tokens[self.tokens.len() - 1].range.end
    }

    /// The text of some tokens, with what stands between them.
    pub(super) fn text_of(&self, tokens: &Range<usize>) -> &'a [u8] {
        &self.source.text[self.tokens[tokens.start].range.start..self.tokens[tokens.end - 1].range.end]
    }

    /// The bytes of a clause, from its name to its closing bracket, by the tokens in its brackets.
    pub(super) fn clause_range(&self, inside: &Range<usize>) -> Range<usize> {
        self.tokens[inside.start - 2].range.start..self.tokens[inside.end].range.end
    }

    /// Whether a space stands before a token.
    pub(super) fn has_space_before(&self, token: usize) -> bool {
        self.tokens[token - 1].range.end < self.tokens[token].range.start
    }

    /// Where it begins.
    pub fn start(&self) -> usize {
        self.tokens[0].range.start
    }

    /// Whether a region for a device begins with it, so that other statements may stand around it.
    pub fn begins_target(&self) -> bool {
        self.word(3) == b"target"
    }

    /// The line in which it begins.
    pub fn line(&self) -> usize {
        self.source.line(self.tokens[0].range.start)
    }

    pub(super) fn word(&self, at: usize) -> &[u8] {
        self.tokens.get(at).map_or(b"", |token| &self.source.text[token.range.clone()])
    }

    /// The clauses with brackets, and the tokens in these.
    pub(super) fn clauses(&self) -> Vec<(&[u8], Range<usize>)> {
        let mut found = Vec::new();
        let mut at = self.name;
        while at < self.tokens.len() {
            let name = at;
            at += 1;
            if self.word(at) != b"(" {
                continue;
            }
            let mut depth = 0;
            while at < self.tokens.len() {
                match self.word(at) {
                    b"(" => depth += 1,
                    b")" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                at += 1;
            }
            found.push((self.word(name), name + 2..at));
            at += 1;
        }
        found
    }

    fn collapse_clause(&self) -> Option<Range<usize>> {
        self.clauses().into_iter().find(|(name, _)| *name == b"collapse").map(|(_, inside)| inside)
    }

    /// How many loops it takes now.
    ///
    /// # Errors
    /// A sentence where that is not written as a number.
    pub(super) fn loops(&self) -> Result<usize, Objection> {
        let Some(inside) = self.collapse_clause() else { return Ok(1) };
        let number = || std::str::from_utf8(self.word(inside.start)).ok()?.parse().ok().filter(|&count| count >= 1);
        let other = || Objection::Program(format!("the collapse clause in line {} has no plain number", self.line()));
        number().filter(|_| inside.len() == 1).ok_or_else(other)
    }

    /// Why a counter that is declared elsewhere cannot become one of its loops' counters.
    pub(super) fn objection_to(&self, variable: &[u8]) -> Option<String> {
        let names = |inside: &Range<usize>| inside.clone().any(|at| self.word(at) == variable);
        self.clauses().iter().find(|(clause, inside)| NOT_FOR_COUNTERS.contains(clause) && names(inside)).map(
            |(clause, _)| {
                let [clause, variable] = [clause, variable].map(String::from_utf8_lossy);
                format!("the counter {variable} is in the {clause} clause of line {}", self.line())
            },
        )
    }

    /// Edits by which it takes so many loops.
    ///
    /// # Errors
    /// A sentence where other clauses stand in the way.
    pub(super) fn collapse(&self, count: usize) -> Result<Vec<Edit>, Objection> {
        let is_ordered = |at: usize| self.word(at) == b"ordered";
        if (self.name..self.tokens.len()).any(is_ordered) {
            return Err(Objection::Clause(format!("the directive in line {} has an ordered clause", self.line())));
        }
        if let Some(inside) = self.collapse_clause() {
            let range = self.tokens[inside.start].range.clone();
            return Ok(vec![Edit { range, text: count.to_string().into_bytes() }]);
        }
        let at = self.tokens[self.name - 1].range.end;
        let clause = format!(" collapse({count})").into_bytes();
        let room = self.room(at, clause.len());
        Ok(std::iter::once(Edit { range: at..at, text: clause }).chain(room).collect())
    }

    /// Where backslashes stand in a column of their own, spaces before one give way.
    fn room(&self, at: usize, wanted: usize) -> Option<Edit> {
        let line = self.source.line_range(at);
        let text = self.source.text[at..line.end].strip_suffix(b"\\")?;
        let spaces = text.iter().rev().take_while(|&&byte| byte == b' ').count();
        let given = wanted.min(spaces.saturating_sub(1));
        let end = at + text.len();
        (given > 0).then(|| Edit { range: end - given..end, text: Vec::new() })
    }
}
