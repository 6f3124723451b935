//! Which conditions are worth a test before the loops run, and their simplest form.

use super::solve::Solver;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// A condition that holds for fewer values, and fails for more than so many, is not worth a test.
const FEW_VALUES: i64 = 4;
const MANY_VALUES: i64 = 1 << 16;
/// Bounds of this size and more are taken for those of a type: true, but no way to anything that is not as large.
pub(super) const TYPE_EDGE: i64 = 1 << 30;

/// Whether it has a constant as large as the bounds of a type.
pub(super) fn is_wide(p: &Polynomial) -> bool {
    p.constant_term().abs() >= Coeff::from(TYPE_EDGE)
}

/// What says the same of integers with the least coefficients: `g*q + c >= 0` is `q + floor(c/g) >= 0`.
pub(super) fn tightened(fact: Polynomial) -> Polynomial {
    let gcd = fact.variable_content();
    if gcd.is_one() {
        return fact;
    }
    let variable = fact.without_constant();
    let constant = fact.constant_term().div_floor(&gcd);
    match variable.div_exact(&gcd).zip(constant) {
        Some((variable, constant)) => variable + Polynomial::from(constant),
        None => fact,
    }
}

/// Whether it holds for few values alone, at one end of many: at the edge of a type's range, or for a loop that hardly runs.
pub(super) fn is_extreme(space: &Space, p: &Polynomial, facts: &Facts) -> bool {
    let range = space.plain_range(p, facts);
    is_wide(p)
        || outgrows_itself(p)
        || range.high().is_some_and(|high| *high < Coeff::from(FEW_VALUES))
            && range.low().is_none_or(|low| *low < Coeff::from(-MANY_VALUES))
}

impl Solver<'_> {
    /// Whether a condition may hold, and for more than few values: where a loop runs from `m` to before `n`, `m + 1 >= n` says that it runs once.
    pub fn is_worth_a_test(&self, condition: &Polynomial) -> bool {
        let is_of_few_values = || {
            let range = self.space.plain_range(condition, &self.known);
            range.low().is_none_or(|low| *low < Coeff::from(-MANY_VALUES))
                && self.proves(&(Polynomial::from(FEW_VALUES - 1) - condition))
        };
        !is_of_few_iterations(condition)
            && !is_extreme(self.space, condition, &self.known)
            && !is_of_few_values()
            && !self.refutes(condition)
    }
}

/// Whether it says that sizes are at most some small number, under which no loop is worth a test.
pub(super) fn is_of_few_iterations(p: &Polynomial) -> bool {
    let constant = p.constant_term();
    p.terms().all(|(monomial, factor)| monomial.is_one() || factor.is_negative())
        && constant < Coeff::from(FEW_VALUES)
        && p.terms().len() <= 2
}

/// Whether a multiple of each positive term is subtracted, as in `n - m*n`: for `m <= 1` alone can it hold.
fn outgrows_itself(p: &Polynomial) -> bool {
    let variable = || p.terms().filter(|(monomial, _)| !monomial.is_one());
    let positive = || variable().filter(|(_, factor)| factor.is_positive());
    let is_multiple = |(monomial, factor): (&Monomial, &Coeff)| {
        factor.is_negative()
            && positive().all(|(other, _)| other.degree() < monomial.degree() && monomial.div_exact(other).is_some())
    };
    positive().next().is_some() && variable().any(is_multiple)
}

/// Divided by what is positive anyway.
pub(super) fn without_sizes(space: &Space, p: Polynomial, facts: &Facts) -> Polynomial {
    if !p.constant_term().is_zero() {
        return p;
    }
    let sizes = p.atoms();
    let sizes = sizes.into_iter().filter(|&atom| space.plain_range(&atom.into(), facts).is_positive());
    sizes.fold(p, |p, atom| match p.div_rem(&atom.into()) {
        (quotient, rest) if rest.is_zero() => tightened(quotient),
        _ => p,
    })
}

pub(super) fn cost_of(p: &Polynomial) -> (usize, usize) {
    (p.terms().len(), p.terms().filter(|(_, factor)| factor.is_negative()).count())
}

/// Adds a fact; whether it can hold.
pub(super) fn assume(facts: &mut Facts, fact: Polynomial) -> bool {
    match fact.as_constant() {
        Some(value) => !value.is_negative(),
        None => {
            facts.assume_nonneg(tightened(fact));
            true
        }
    }
}
