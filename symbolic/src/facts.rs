//! What is known where an expression is evaluated, and answers that may be unknown.

use crate::atom::AtomId;
use crate::coeff::Coeff;
use crate::interval::Interval;
use crate::polynomial::{Monomial, Polynomial};
use rustc_hash::FxHashMap;

/// Polynomials that are known to be at least 0, such as those of the guards that dominate an access.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    nonneg: Vec<Polynomial>,
    // What facts about one atom alone say of it.
    ranges: FxHashMap<AtomId, Interval>,
}

impl Facts {
    /// Nothing is known beyond the atoms' ranges.
    pub fn none() -> Facts {
        Facts::default()
    }

    /// Adds that `polynomial >= 0`.
    pub fn assume_nonneg(&mut self, polynomial: Polynomial) {
        if polynomial.as_constant().is_some() || self.nonneg.contains(&polynomial) {
            return;
        }
        if let Some((atom, range)) = bound_on_atom(&polynomial) {
            let known = self.ranges.entry(atom).or_insert(Interval::ALL);
            // Facts that contradict each other describe code that never runs: anything may be said about it.
            *known = known.intersect(&range).unwrap_or(range);
        }
        self.nonneg.push(polynomial);
    }

    /// Adds that `polynomial == 0`.
    pub fn assume_zero(&mut self, polynomial: Polynomial) {
        self.assume_nonneg(-&polynomial);
        self.assume_nonneg(polynomial);
    }

    /// The polynomials that are at least 0.
    pub fn nonneg(&self) -> &[Polynomial] {
        &self.nonneg
    }

    /// All terms that are not constant, with the facts that they are part of.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Polynomial, &Monomial, &Coeff)> {
        let all = self
            .nonneg
            .iter()
            .flat_map(|fact| fact.terms().map(move |(monomial, coefficient)| (fact, monomial, coefficient)));
        all.filter(|(_, monomial, _)| !monomial.is_one())
    }

    /// What facts about an atom alone say of it.
    pub(crate) fn atom_range(&self, atom: AtomId) -> Option<&Interval> {
        self.ranges.get(&atom)
    }
}

/// Reads `k*atom + c >= 0` as a bound on the atom.
fn bound_on_atom(polynomial: &Polynomial) -> Option<(AtomId, Interval)> {
    let [atom] = polynomial.atoms()[..] else { return None };
    let (factor, rest) = polynomial.split_affine(atom)?;
    let (factor, rest) = (factor.as_constant()?, rest.as_constant()?);
    let range = match factor.signum() {
        1 => Interval::at_least((-rest).div_ceil(factor)?),
        _ => Interval::at_most(rest.div_floor(&-factor)?),
    };
    Some((atom, range))
}

/// The answer to a question that cannot always be decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds for all values.
    Yes,
    /// It holds for no values.
    No,
    /// Neither was shown, for the given reason.
    Unknown(String),
}

impl Truth {
    /// Whether it is shown to hold.
    pub fn is_yes(&self) -> bool {
        *self == Truth::Yes
    }

    /// Whether it is shown to fail.
    pub fn is_no(&self) -> bool {
        *self == Truth::No
    }

    /// Decides `value >= 0` from the value's range.
    pub(crate) fn of_nonneg(range: &Interval) -> Truth {
        match (range.is_non_negative(), range.is_negative()) {
            (true, _) => Truth::Yes,
            (_, true) => Truth::No,
            _ => Truth::Unknown(format!("the value is only known to lie in {range}")),
        }
    }
}
