//! Expressions of a report, read back: what they depend on, and their values.

use ipda_symbolic::{Atom, AtomId, Coeff, Interval, LoopId, ParseError, Polynomial, Space, Symbol, Varies, parse};

/// Splits at the commas that are in no parentheses or brackets.
pub(super) fn split_list(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(|c| {
        depth += i32::from(matches!(c, '(' | '[')) - i32::from(matches!(c, ')' | ']'));
        c == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// An expression of a report, with the names that occur in it.
#[derive(Debug)]
pub(crate) struct Expression {
    space: Space,
    polynomial: Polynomial,
}

impl Expression {
    pub(crate) fn read(text: &str) -> Result<Expression, ParseError> {
        let mut space = Space::new();
        // Numbers whose default names are in no report.
        let mut next_loop = u32::MAX / 2;
        declare(&mut space, text, &mut next_loop);
        let polynomial = parse(&mut space, text)?;
        Ok(Expression { space, polynomial })
    }

    /// The value modulo 2^64; none where a part has no value, such as an iteration number or a value in memory.
    pub(super) fn residue(&self, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<u64> {
        let value = self.value(symbols)?;
        value.rem_euclid(&Coeff::pow2(u64::BITS))?.to_u64()
    }

    /// The value as a number; none as for [`Expression::residue`].
    pub(crate) fn value(&self, symbols: &dyn Fn(&str) -> Option<i128>) -> Option<Coeff> {
        let mut value_of = |atom: AtomId| match self.space.atom(atom) {
            Atom::Symbol(symbol) => symbols(&symbol.name).map(Coeff::from),
            _ => None,
        };
        self.space.eval(&self.polynomial, &mut value_of)
    }

    /// The names of the values of the program that occur in it; none where also something else does that only a run can tell.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for atom in self.space.atoms(&self.polynomial) {
            match self.space.atom(atom) {
                Atom::Symbol(symbol) => names.push(symbol.name.clone()),
                Atom::Iteration(_) | Atom::Load { .. } => return None,
                _ => {}
            }
        }
        Some(names)
    }

    pub(super) fn constant_term(&self, modulus: u64) -> Option<u64> {
        // A condition may read back as one minus its opposite, which moves its factor into the constant.
        if self.polynomial.atoms().into_iter().any(AtomId::is_idempotent) {
            return None;
        }
        self.polynomial.constant_term().rem_euclid(&Coeff::from(modulus))?.to_u64()
    }
}

/// Makes the names of a text known, so that it can be read: `[n]` is a value of the program, `i` an iteration number.
fn declare(space: &mut Space, text: &str, next_loop: &mut u32) {
    const SIGNS: [&str; 6] = [" <= ", " < ", " >= ", " > ", " == ", " != "];
    let starts_name = |c: char| c.is_alphabetic() || matches!(c, '_' | '#');
    let continues_name = |c: char| starts_name(c) || c.is_numeric() || c == '.';
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut end = c.len_utf8();
        if c == '[' {
            let Some(length) = bracketed_length(rest) else { return };
            let inner = &rest[1..length - 1];
            // A name never has a comparison in it.
            if SIGNS.iter().any(|sign| inner.contains(sign)) {
                declare(space, inner, next_loop);
            } else if space.find(&rest[..length]).is_none() {
                space.symbol(Symbol { name: inner.into(), range: Interval::ALL, varies: Varies::No });
            }
            end = length;
        } else if starts_name(c) {
            end = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            let (name, behind) = rest.split_at(end);
            match behind.chars().next() {
                // The range of a loaded value.
                Some('[') => end += bracketed_length(behind).unwrap_or(behind.len()),
                // An operation.
                Some('(' | '@') => {}
                _ if space.find(name).is_some() => {}
                _ => {
                    space.name_loop(LoopId(*next_loop), name);
                    *next_loop += 1;
                }
            }
        }
        rest = &rest[end..];
    }
}

/// Length of the brackets that a text starts with.
fn bracketed_length(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.char_indices().find_map(|(index, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(index + c.len_utf8())
    })
}
