//! Expressions of a report, read back: what they depend on, and their values.

use ipda_symbolic::{Atom, AtomId, Coeff, ParseError, Polynomial, Space, declare_as_symbols, parse};

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
        declare_as_symbols(&mut space, text, &mut next_loop);
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

    /// The names of the values of the program that occur in it; none where also something else does that only a run can show.
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
