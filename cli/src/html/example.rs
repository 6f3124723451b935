//! What an expression of a report is where every size has the same example value: for pictures, and to tell what matters more.

use std::collections::BTreeMap;

use ipda_symbolic::{AtomId, Coeff, Interval, LoopId, Polynomial, Space, Symbol, Varies, parse};

/// The value of each size that nothing is known of.
pub const SIZE: i64 = 128;
/// The number of the iteration of each loop: in the middle, so that triangular loops are as long as they are on average.
pub const ITERATION: i64 = SIZE / 2;

/// Names for places in the launch rather than sizes: the first of them stands for all.
const PLACES: [&str; 5] = ["lane number", "warp number", "warp of team", "warp of row", "first iteration"];
/// The same where a coordinate follows.
const NUMBERS: [&str; 2] = ["threadIdx.", "blockIdx."];

/// An expression that can be evaluated.
pub struct Expression {
    space: Space,
    polynomial: Polynomial,
    values: BTreeMap<AtomId, (String, i64)>,
    lane: Option<AtomId>,
}

impl Expression {
    /// Reads the text of an expression; none where it has a form that is not for reading, such as a sentence.
    pub fn read(text: &str) -> Option<Expression> {
        let mut space = Space::new();
        let mut values = BTreeMap::new();
        let mut lane = None;
        for name in names(text) {
            match name {
                Name::Bracketed(name) => {
                    let symbol = Symbol { name: name.to_owned(), range: Interval::ALL, varies: Varies::No };
                    let atom = space.symbol(symbol).as_atom()?;
                    if name == "lane number" {
                        lane = Some(atom);
                    }
                    let is_place = PLACES.contains(&name) || NUMBERS.iter().any(|start| name.starts_with(start));
                    values.insert(atom, (format!("[{name}]"), if is_place { 0 } else { SIZE }));
                }
                Name::Bare(name) => {
                    let id = LoopId(u32::try_from(values.len()).ok()?);
                    let atom = space.iteration(id).as_atom()?;
                    space.name_loop(id, name);
                    values.insert(atom, (name.to_owned(), ITERATION));
                }
            }
        }
        let polynomial = parse(&mut space, text).ok()?;
        Some(Expression { space, polynomial, values, lane })
    }

    /// Its value in a lane; none where it depends on what memory holds, or is too large.
    pub fn in_lane(&self, lane: u32) -> Option<i64> {
        let value_of = &mut |atom| {
            if Some(atom) == self.lane {
                return Some(Coeff::from(i64::from(lane)));
            }
            self.values.get(&atom).map(|(_, value)| Coeff::from(*value))
        };
        self.space.eval(&self.polynomial, value_of)?.to_i64()
    }

    /// Its value where it is the same in all lanes.
    pub fn value(&self) -> Option<i64> {
        self.in_lane(0)
    }

    /// The number that it adds to its other terms.
    pub fn constant_term(&self) -> Option<i64> {
        self.polynomial.constant_term().to_i64()
    }

    /// The names that its value rests on, each with its example value.
    pub fn given(&self) -> Vec<(String, i64)> {
        let atoms = self.space.atoms(&self.polynomial);
        let used = atoms.iter().filter_map(|atom| self.values.get(atom));
        used.filter(|(_, value)| *value != 0).cloned().collect()
    }
}

/// The value of a text, where it has one.
pub fn value(text: &str) -> Option<i64> {
    match text.parse() {
        Ok(number) => Some(number),
        Err(_) => Expression::read(text)?.value(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name<'a> {
    Bracketed(&'a str),
    Bare(&'a str),
}

/// The names in a text, each once. What belongs to the form of an expression is not among them.
fn names(text: &str) -> Vec<Name<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '[' {
            let inner = bracketed(rest);
            let is_comparison = [" < ", " > ", " <= ", " >= ", " == ", " != "].iter().any(|sign| inner.contains(sign));
            if is_comparison || inner.is_empty() {
                rest = &rest[1..];
            } else {
                found.push(Name::Bracketed(inner));
                rest = &rest[(inner.len() + 2).min(rest.len())..];
            }
        } else if c.is_alphabetic() || matches!(c, '_' | '#') {
            let continues = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '.');
            let end = rest.find(|c| !continues(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            rest = &rest[end..];
            // An operation has arguments; a load may have a range and a memory state before them.
            if rest.starts_with(['[', '@']) {
                rest = &rest[rest.find('(').unwrap_or(rest.len())..];
            } else if !rest.starts_with('(') {
                found.push(Name::Bare(name));
            }
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What stands between the bracket at the start and the one that closes it.
fn bracketed(text: &str) -> &str {
    let mut depth = 0_u32;
    for (index, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[1..index];
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_reports_have_values() {
        for (text, expected) in [
            ("4", Some(4)),
            ("4*[NJ] + 4", Some(4 * 128 + 4)),
            ("[NJ]*[NK]", Some(128 * 128)),
            ("-[#i] + [n] - 1", Some(-1)),
            ("[n] - i - 1", Some(128 - 64 - 1)),
            ("4*floor(#ij / 48)", Some(4)),
            ("128*[blockIdx.x]*[lane number] + [a[0].n]", Some(128)),
            ("[[n] > 3]", Some(1)),
            ("load4([start] + 4*i + 4) - load4([start] + 4*i)", None),
            ("load1[0,5]@2([p])", None),
            ("max([n], 5)", Some(128)),
            ("not an expression", None),
            ("[", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn lanes_differ_and_names_are_told() {
        let squares = Expression::read("4*[lane number]^2 + [n]*[lane number] + 64*[warp of team]").expect("it is one");
        assert_eq!((0..3).map(|lane| squares.in_lane(lane)).collect::<Vec<_>>(), [Some(0), Some(132), Some(272)]);
        assert_eq!(squares.given(), [("[n]".to_owned(), SIZE)]);
    }
}
