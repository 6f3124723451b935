//! Makes the names in a text known to a space, so that the text can be read.

use ipda_symbolic::{Interval, LoopId, Space, Symbol, Varies};

/// Loops that no list names have numbers from here on.
const FIRST_UNLISTED: u32 = 1 << 20;

/// Declares every name in `text` that the space does not know.
pub(super) fn declare_all(space: &mut Space, text: &str) {
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        if next == '[' {
            at += bracket(space, rest);
        } else if is_start(next) {
            let name = &rest[..rest.find(|c| !continues(c)).unwrap_or(rest.len())];
            let is_operation = rest[name.len()..].starts_with(['(', '[', '@']);
            if !is_operation && space.find(name).is_none() {
                declare_bare(space, name);
            }
            at += name.len();
            // The range of a loaded value.
            if rest[name.len()..].starts_with('[') {
                at += closing(&rest[name.len()..]).unwrap_or(1);
            }
        } else {
            at += next.len_utf8();
        }
    }
}

/// How far to go on from a bracket: into a comparison, behind a name.
fn bracket(space: &mut Space, rest: &str) -> usize {
    let Some(end) = closing(rest) else { return 1 };
    let label = &rest[..end];
    if space.find(label).is_some() {
        return end;
    }
    let inner = &rest[1..end - 1];
    if [" <= ", " < ", " >= ", " > ", " == ", " != "].iter().any(|sign| inner.contains(sign)) {
        return 1;
    }
    declare(space, inner);
    end
}

/// Declares a value that is not known.
pub(super) fn declare(space: &mut Space, name: &str) {
    let varies = Varies::PerThread("it is only known by its name".into());
    space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies });
}

fn declare_bare(space: &mut Space, name: &str) {
    // A number that stands for no other name: each that is declared here takes the next.
    let is_free = |number: &u32| space.find(&format!("[unlisted {number}]")).is_none();
    let number = (0..).find(is_free).unwrap_or_default();
    declare(space, &format!("unlisted {number}"));
    space.name_loop(LoopId(FIRST_UNLISTED + number), name);
}

/// Behind the bracket that closes the first.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (index, character) in text.char_indices() {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '#')
}

fn continues(c: char) -> bool {
    is_start(c) || c.is_numeric() || c == '.'
}

#[cfg(test)]
mod tests {
    use super::*;
    use ipda_symbolic::parse;

    #[test]
    fn what_reports_say_can_be_read() {
        let texts = [
            "[A] + 4*[NK]*i + 4*k",
            "load4([arg3] + 4*loop0.2 + 4) - load4([arg3] + 4*loop0.2)",
            "[[lane number] + 32*[warp number] <= loop1.2]",
            "8*[n]*floor(i / [m]) + load4[0,7]@2([p->data]) + min(32, [n])",
            "[p[i].x] + 4*other",
        ];
        for text in texts {
            let mut space = Space::new();
            declare_all(&mut space, text);
            let read = parse(&mut space, text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(!read.is_zero());
        }
    }
}
