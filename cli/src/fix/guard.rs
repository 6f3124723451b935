//! Loops in two orders under an `if`, and what is said above loops that nothing tests.

use ipda_models::source::{Directive, Edit, Kind, Nest, Source};

/// A comment above the directive that starts there.
pub fn comment(source: &Source, start: usize, words: &str) -> Edit {
    let line = source.line_range(start);
    let indent = String::from_utf8_lossy(&source.text[line.start..start]).into_owned();
    let text = format!("{indent}/* right only where {words} */{}", line_end(source));
    Edit { range: line.start..line.start, text: text.into_bytes() }
}

/// Edits that put the loops, which others change, into the first branch of an `if`, and what stands there now into the other one.
///
/// # Errors
/// A sentence where the loops cannot be written twice, or nothing may stand around the directive.
pub fn both(source: &Source, directive: &Directive<'_>, nest: &Nest, tests: &[String]) -> Result<Vec<Edit>, String> {
    if !directive.begins_target() {
        return Err(format!(
            "the directive in line {} is inside another construct, where no `if` may stand around it",
            directive.line()
        ));
    }
    let first = source.token_at(directive.start()).unwrap_or(nest.end);
    check_copy(source, first + 1..nest.end)?;
    let line = source.line_range(directive.start());
    let indent = String::from_utf8_lossy(&source.text[line.start..directive.start()]).into_owned();
    let end = source.tokens[nest.end - 1].range.end;
    let original = &source.text[line.start..end];
    let new_line = line_end(source);
    let and = format!(" &&{new_line}{indent}    ");
    let head = format!("{indent}if ({}) {{{new_line}", tests.join(&and));
    let middle = format!("{new_line}{indent}}} else {{{new_line}");
    let tail = format!("{new_line}{indent}}}");
    let otherwise = [middle.as_bytes(), original, tail.as_bytes()].concat();
    Ok(vec![Edit { range: line.start..line.start, text: head.into_bytes() }, Edit { range: end..end, text: otherwise }])
}

fn line_end(source: &Source) -> &'static str {
    if source.text.windows(2).any(|two| two == b"\r\n") { "\r\n" } else { "\n" }
}

/// Whether tokens mean the same where they stand twice.
fn check_copy(source: &Source, tokens: std::ops::Range<usize>) -> Result<(), String> {
    let refused = |at: usize, what: &str| {
        let line = source.line(source.tokens[at].range.start);
        Err(format!("line {line} has {what}, so that the loops cannot be written twice"))
    };
    for at in tokens {
        let text = source.bytes(at);
        match source.tokens[at].kind {
            Kind::Directive => {
                let words = String::from_utf8_lossy(&text[1..]);
                if !words.trim_start().starts_with("pragma") {
                    return refused(at, "a line of the preprocessor");
                }
            }
            Kind::Word if matches!(text, b"static" | b"goto" | b"asm" | b"__asm" | b"__asm__" | b"__COUNTER__") => {
                return refused(at, &format!("`{}`", String::from_utf8_lossy(text)));
            }
            Kind::Word => {
                let begins = source.before(at).is_some_and(|at| matches!(source.bytes(at), b";" | b"{" | b"}" | b")"));
                if begins && text != b"default" && source.bytes(source.skip_comments(at + 1)) == b":" {
                    return refused(at, "a label");
                }
            }
            _ => {}
        }
    }
    Ok(())
}
