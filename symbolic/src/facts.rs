//! What is known where an expression is evaluated, and answers that may be unknown.

use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::interval::Interval;
use crate::polynomial::{Atoms, Monomial, Polynomial};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Polynomials that are known to be at least 0, such as those of the guards that dominate an access. Cheap to clone, and a key for
/// what was derived: equal where the same was assumed in the same order.
#[derive(Clone, Debug, Default)]
pub struct Facts(Option<Rc<Known>>);

#[derive(Clone, Debug, Default)]
struct Known {
    nonneg: Vec<Rc<Fact>>,
    // What facts about one atom alone say of it, ascending.
    ranges: Vec<(AtomId, Interval)>,
    // Of all facts in their order.
    hash: u64,
}

/// A polynomial that is at least 0.
#[derive(Debug)]
pub(crate) struct Fact {
    pub(crate) polynomial: Polynomial,
    /// Those outside of other atoms, ascending.
    pub(crate) atoms: Atoms,
    hash: u64,
}

impl Facts {
    /// Nothing is known beyond the atoms' ranges.
    pub fn none() -> Facts {
        Facts::default()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Adds that `polynomial >= 0`.
    pub fn assume_nonneg(&mut self, polynomial: Polynomial) {
        if polynomial.as_constant().is_some() {
            return;
        }
        if self.contains(&polynomial) {
            return;
        }
        let (hash, atoms) = (hash_of(&polynomial), polynomial.atoms());
        self.add(Rc::new(Fact { polynomial, atoms, hash }));
    }

    /// Adds that `polynomial == 0`.
    pub fn assume_zero(&mut self, polynomial: Polynomial) {
        self.assume_nonneg(-&polynomial);
        self.assume_nonneg(polynomial);
    }

    /// Whether the polynomial is one of those that are at least 0.
    pub(crate) fn contains(&self, polynomial: &Polynomial) -> bool {
        let hash = hash_of(polynomial);
        self.known().iter().any(|known| known.hash == hash && known.polynomial == *polynomial)
    }

    /// The polynomials that are at least 0.
    pub fn nonneg(&self) -> impl ExactSizeIterator<Item = &Polynomial> + Clone {
        self.known().iter().map(|fact| &fact.polynomial)
    }

    /// The facts with their atoms.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Rc<Fact>> + Clone {
        self.known().iter()
    }

    fn known(&self) -> &[Rc<Fact>] {
        self.0.as_ref().map_or(&[], |known| &known.nonneg)
    }

    /// The facts that satisfy a condition on their position.
    pub(crate) fn select(&self, mut is_wanted: impl FnMut(usize) -> bool) -> Facts {
        let mut selected = Facts::none();
        for (index, fact) in self.known().iter().enumerate() {
            if is_wanted(index) {
                selected.add(Rc::clone(fact));
            }
        }
        selected
    }

    /// All terms that are not constant, with the facts that they are part of.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Polynomial, &Monomial, &Coeff)> {
        let all = self
            .nonneg()
            .flat_map(|fact| fact.terms().map(move |(monomial, coefficient)| (fact, monomial, coefficient)));
        all.filter(|(_, monomial, _)| !monomial.is_one())
    }

    /// What facts about an atom alone say of it.
    pub(crate) fn atom_range(&self, atom: AtomId) -> Option<&Interval> {
        let ranges = &self.0.as_ref()?.ranges;
        ranges.binary_search_by_key(&atom, |(at, _)| *at).ok().map(|at| &ranges[at].1)
    }

    fn add(&mut self, fact: Rc<Fact>) {
        let known = Rc::make_mut(self.0.get_or_insert_default());
        if let Some((atom, range)) = bound_on_atom(&fact) {
            match known.ranges.binary_search_by_key(&atom, |(at, _)| *at) {
                Ok(at) => {
                    let bound = &mut known.ranges[at].1;
                    // Facts that contradict each other describe code that never runs: anything may be said about it.
                    *bound = bound.intersect(&range).unwrap_or(range);
                }
                Err(at) => known.ranges.insert(at, (atom, range)),
            }
        }
        known.hash = known.hash.rotate_left(5) ^ fact.hash;
        known.nonneg.push(fact);
    }
}

impl PartialEq for Facts {
    fn eq(&self, other: &Facts) -> bool {
        let same = |(a, b): (&Rc<Fact>, &Rc<Fact>)| Rc::ptr_eq(a, b) || a.polynomial == b.polynomial;
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => {
                let may_be_equal = a.hash == b.hash && a.nonneg.len() == b.nonneg.len();
                Rc::ptr_eq(a, b) || may_be_equal && a.nonneg.iter().zip(&b.nonneg).all(same)
            }
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for Facts {}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.as_ref().map_or(0, |known| known.hash));
    }
}

fn hash_of(polynomial: &Polynomial) -> u64 {
    let mut hasher = FxHasher::default();
    polynomial.hash(&mut hasher);
    hasher.finish()
}

/// Reads `k*atom + c >= 0` as a bound on the atom.
fn bound_on_atom(fact: &Fact) -> Option<(AtomId, Interval)> {
    let [atom] = fact.atoms[..] else { return None };
    let mut terms = fact.polynomial.terms();
    let (first, factor) = terms.next()?;
    let rest = terms.next().map_or(&Coeff::ZERO, |(_, rest)| rest);
    // With one atom alone, a second term is the constant, unless there are powers.
    if first.degree() != 1 {
        return None;
    }
    let range = match factor.signum() {
        1 => Interval::at_least((-rest).div_ceil(factor)?),
        _ => Interval::at_most(rest.div_floor(&-factor)?),
    };
    Some((atom, range))
}

/// The answer to a question that cannot always be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds for all values.
    Yes,
    /// It holds for no values.
    No,
    /// Neither was shown.
    Unknown,
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
            _ => Truth::Unknown,
        }
    }
}
