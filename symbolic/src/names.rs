//! The names in a text, for those who read texts of which they do not know the names beforehand.

use crate::atom::{Symbol, Varies};
use crate::id::LoopId;
use crate::interval::Interval;
use crate::parse::balanced_length;
use crate::space::Space;

/// A name as texts have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name<'a> {
    /// `[n]`: a value of the program.
    Symbol(&'a str),
    /// `i`: the number of an iteration.
    Bare(&'a str),
}

/// Hands each name of a text that the space does not print to `declare`, which makes it known; then [`parse`](crate::parse()) can read the text.
pub fn declare_unknown(space: &mut Space, text: &str, declare: &mut dyn FnMut(&mut Space, Name<'_>)) {
    const SIGNS: [&str; 6] = [" <= ", " < ", " >= ", " > ", " == ", " != "];
    let starts_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '#');
    let continues_name = |c: char| starts_name(c) || c.is_numeric() || c == '.';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut end = c.len_utf8();
        if c == '[' {
            let Some(length) = balanced_length(rest) else { return };
            let inner = &rest[1..length - 1];
            // A name never has a comparison in it.
            if SIGNS.iter().any(|sign| inner.contains(sign)) {
                declare_unknown(space, inner, declare);
            } else if space.find(&rest[..length]).is_none() {
                declare(space, Name::Symbol(inner));
            }
            end = length;
        } else if c == '`' {
            end = rest[1..].find('`').map_or(rest.len(), |at| at + 2);
        } else if starts_name(c) {
            end = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            match behind.chars().next() {
                // The range of a loaded value.
                Some('[') => end += balanced_length(behind).unwrap_or(behind.len()),
                // An operation, or a load's member.
                Some('(' | '@' | '`') => {}
                _ if space.find(name).is_some() => {}
                _ => declare(space, Name::Bare(name)),
            }
        }
        rest = &rest[end..];
    }
}

/// [`declare_unknown`] where nothing is known of the names: symbols of any value that nothing changes, and loops, of which `next_loop` is the next free number.
pub fn declare_as_symbols(space: &mut Space, text: &str, next_loop: &mut u32) {
    declare_unknown(space, text, &mut |space, name| match name {
        Name::Symbol(name) => {
            space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
        }
        Name::Bare(name) => {
            space.name_loop(LoopId(*next_loop), name);
            *next_loop += 1;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn names_are_found_once_and_texts_can_be_read_then() {
        let texts = [
            ("[A] + 4*[NK]*i + 4*k + i", "[A] [NK] i k"),
            ("load4([arg3] + 4*loop0.2 + 4) - load4([arg3] + 4*loop0.2)", "[arg3] loop0.2"),
            ("[[lane number] + 32*[warp number] <= loop1.2]", "[lane number] [warp number] loop1.2"),
            ("8*[n]*floor(i / [m]) + load4[0,7]@2([p->data]) + min(32, [n])", "[n] i [m] [p->data]"),
            ("[p[i].x] + 4*other", "[p[i].x] other"),
        ];
        for (text, names) in texts {
            let mut space = Space::new();
            let mut found: Vec<String> = Vec::new();
            declare_unknown(&mut space, text, &mut |space, name| match name {
                Name::Symbol(name) => {
                    space.symbol(Symbol { name: name.into(), range: Interval::ALL, varies: Varies::No });
                    found.push(format!("[{name}]"));
                }
                Name::Bare(name) => {
                    space.name_loop(LoopId(found.len() as u32), name);
                    found.push(name.into());
                }
            });
            assert_eq!(found.join(" "), names);
            assert!(parse(&mut space, text).is_ok_and(|read| !read.is_zero()), "{text}");
        }
    }

    #[test]
    fn brackets_that_do_not_close_end_the_search() {
        let mut space = Space::new();
        declare_unknown(&mut space, "1 + [n", &mut |_, name| panic!("{name:?}"));
    }
}
