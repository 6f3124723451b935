//! Perfect nests of `for` loops in a source.

use std::ops::Range;

use super::Objection;
use super::text::{Kind, Source};

/// The head of a loop: `for (init; condition; step)`.
#[derive(Debug, Clone)]
pub struct Head {
    /// From `for` to behind the bracket.
    pub range: Range<usize>,
    /// The tokens between the brackets.
    pub tokens: Range<usize>,
    /// Its three parts, as tokens.
    pub parts: [Range<usize>; 3],
    /// The counter.
    pub variable: Vec<u8>,
    /// Whether the head declares the counter.
    pub declares: bool,
}

/// Loops of which each holds the next one and nothing else.
pub struct Nest {
    /// Outermost first.
    pub heads: Vec<Head>,
    /// The tokens of what the innermost of them repeats.
    pub body: Range<usize>,
    /// The token behind all of it.
    pub end: usize,
}

impl Nest {
    /// The nest of `depth` loops that begins with the word `for` at a token.
    ///
    /// # Errors
    /// A sentence where the source has no such nest.
    pub(super) fn read(source: &Source, first: usize, depth: usize) -> Result<Nest, Objection> {
        let mut heads: Vec<Head> = Vec::new();
        let mut braces: Vec<usize> = Vec::new();
        let mut at = first;
        for level in 0..depth {
            let head = head(source, at)?;
            at = source.skip_comments(head.tokens.end + 1);
            heads.push(head);
            let mut opened = 0;
            while level + 1 < depth && source.bytes(at) == b"{" {
                opened += 1;
                at = source.skip_comments(at + 1);
            }
            braces.push(opened);
            if level + 1 < depth && source.bytes(at) != b"for" {
                return Err(between(source, &heads[level], at));
            }
        }
        let body = at..end_of_statement(source, at);
        let mut end = body.end;
        let mut at = source.skip_comments(end);
        for (level, opened) in braces.iter().enumerate().rev() {
            for _ in 0..*opened {
                if source.bytes(at) != b"}" {
                    return Err(between(source, &heads[level], at));
                }
                end = at + 1;
                at = source.skip_comments(end);
            }
        }
        Ok(Nest { heads, body, end })
    }
}

fn between(source: &Source, outer: &Head, at: usize) -> Objection {
    let place = source.tokens.get(at).map_or(source.text.len(), |token| token.range.start);
    let name = String::from_utf8_lossy(&outer.variable);
    Objection::Clause(format!(
        "line {} stands between the loop over {name} and the one inside it; a collapse clause takes loops that hold nothing but the \
         next one",
        source.line(place)
    ))
}

/// Reads the head of a loop in the form that OpenMP takes.
fn head(source: &Source, at: usize) -> Result<Head, Objection> {
    let start = source.tokens[at].range.start;
    let line = source.line(start);
    let other =
        || Objection::Clause(format!("line {line} has a loop in another form than `for (i = first; i < end; ++i)`"));
    let open = source.skip_comments(at + 1);
    if source.bytes(open) != b"(" {
        return Err(other());
    }
    let close = closing(source, open).ok_or_else(other)?;
    let parts: Vec<Range<usize>> = split(source, open + 1..close, b";");
    let [init, condition, step]: [Range<usize>; 3] = parts.try_into().map_err(|_| other())?;
    if (open..close).any(|at| matches!(source.tokens[at].kind, Kind::Comment | Kind::Directive)) {
        let text = format!("line {line} has a comment or a directive in the head of its loop");
        return Err(Objection::Program(text));
    }
    let assigned = init.clone().find(|&at| source.bytes(at) == b"=").ok_or_else(other)?;
    let variable = assigned.checked_sub(1).filter(|at| init.contains(at)).ok_or_else(other)?;
    let name = source.bytes(variable);
    let is_canonical = source.tokens[variable].kind == Kind::Word
        && split(source, init.clone(), b",").len() == 1
        && !step.clone().any(|at| matches!(source.bytes(at), b"," | b"&&" | b"||" | b"?"))
        && is_condition(source, &condition, name)
        && is_step(source, &step, name);
    if !is_canonical {
        return Err(other());
    }
    Ok(Head {
        range: start..source.tokens[close].range.end,
        variable: name.to_vec(),
        declares: variable > init.start,
        tokens: open + 1..close,
        parts: [init, condition, step],
    })
}

/// `i < end`, or `end > i`: the counter alone is what is compared, last of all, and with what it is not in.
fn is_condition(source: &Source, condition: &Range<usize>, name: &[u8]) -> bool {
    let words: Vec<&[u8]> = condition.clone().map(|at| source.bytes(at)).collect();
    let end = match words[..] {
        [variable, sign, ref end @ ..] if variable == name && is_comparison(sign) => end,
        [ref end @ .., sign, variable] if variable == name && is_comparison(sign) => end,
        _ => return false,
    };
    // A first `&` takes an address. In brackets as well: whoever writes these there sees why this is left to them.
    let is_later = |(at, &word): (usize, &&[u8])| {
        matches!(word, b"," | b"&&" | b"||" | b"?" | b"==" | b"|" | b"^" | b"=") || word == b"&" && at > 0
    };
    !end.is_empty()
        && !end.iter().enumerate().any(is_later)
        && !end.iter().any(|word| *word == name || is_comparison(word))
}

fn is_comparison(sign: &[u8]) -> bool {
    matches!(sign, b"<" | b"<=" | b">" | b">=" | b"!=")
}

/// `++i`, `i++`, `i += c`, `i = i + c`, and the same downwards.
fn is_step(source: &Source, step: &Range<usize>, name: &[u8]) -> bool {
    let words: Vec<&[u8]> = step.clone().map(|at| source.bytes(at)).collect();
    match words[..] {
        [b"++" | b"--", variable] | [variable, b"++" | b"--"] => variable == name,
        [variable, b"+=" | b"-=", ref rest @ ..] => variable == name && !rest.is_empty() && !rest.contains(&name),
        [variable, b"=", first, b"+" | b"-", ref rest @ ..] => {
            variable == name && first == name && !rest.is_empty() && !rest.contains(&name)
        }
        _ => false,
    }
}

/// The bracket that closes the one at a token.
fn closing(source: &Source, open: usize) -> Option<usize> {
    let mut depth = 0;
    for at in open..source.tokens.len() {
        match source.bytes(at) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Tokens apart at a sign that stands in no brackets.
fn split(source: &Source, range: Range<usize>, sign: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut depth = 0;
    let mut start = range.start;
    for at in range.clone() {
        match source.bytes(at) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            other if other == sign && depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..range.end);
    parts
}

/// The token behind the statement that begins at a token.
fn end_of_statement(source: &Source, at: usize) -> usize {
    let at = source.skip_comments(at);
    let behind_brackets = |at: usize| {
        let open = source.skip_comments(at);
        closing(source, open).map_or(source.tokens.len(), |close| close + 1)
    };
    match source.bytes(at) {
        b"" => at,
        b"{" => behind_brackets(at),
        b"for" | b"while" | b"switch" => end_of_statement(source, behind_brackets(at + 1)),
        b"if" => {
            let end = end_of_statement(source, behind_brackets(at + 1));
            let next = source.skip_comments(end);
            if source.bytes(next) == b"else" { end_of_statement(source, next + 1) } else { end }
        }
        b"do" => {
            let end = source.skip_comments(end_of_statement(source, at + 1));
            (end..source.tokens.len()).find(|&at| source.bytes(at) == b";").map_or(end, |at| at + 1)
        }
        _ if source.tokens[at].kind == Kind::Directive => end_of_statement(source, at + 1),
        _ => {
            let mut depth = 0;
            for at in at..source.tokens.len() {
                match source.bytes(at) {
                    b"(" | b"[" | b"{" => depth += 1,
                    b")" | b"]" | b"}" if depth == 0 => return at,
                    b")" | b"]" | b"}" => depth -= 1,
                    b";" if depth == 0 => return at + 1,
                    _ => {}
                }
            }
            source.tokens.len()
        }
    }
}
