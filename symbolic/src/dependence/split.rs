//! Delinearisation with proven bounds: `S*Q + R` with `R` smaller than `S` is near 0 only where `Q` is 0.

use super::node::{Attempts, Equation, Found, Node, note};
use super::pair::{is_fixed, is_invariant};
use crate::coeff::Coeff;
use crate::polynomial::{Monomial, Polynomial};
use crate::space::Space;

/// How many sizes are tried for one equation.
const MAX_SIZES: usize = 6;

/// Two equations for one: where `low <= S*Q + R <= high`, `Q` is 0, and so `low <= R <= high`.
///
/// With `S >= 0`, `Q >= 1` gives at least `S + R`, which is too much where `S + R > high`; and `Q <= -1` at most `R - S`, which is too
/// little where `R - S < low`. Where only one is shown, it is added as a fact.
pub(super) fn split(
    space: &Space,
    node: &mut Node,
    equation: &Equation,
    attempts: &mut Attempts,
) -> Option<(Equation, Equation)> {
    for size in sizes(space, &equation.form) {
        let (quotient, rest) = divided(&equation.form, &size);
        if quotient.is_zero() || is_invariant(space, &quotient) {
            continue;
        }
        // A size that is not known to be positive may be known to be negative.
        let is_negative = !node.proves(space, &size) && node.proves(space, &-&size);
        let (size, quotient) = if is_negative { (-size, -quotient) } else { (size, quotient) };
        let one = Polynomial::one();
        let above = &size + &rest - Polynomial::from(equation.high.clone()) - &one;
        let below = &size - &rest + Polynomial::from(equation.low.clone()) - &one;
        let missing = |node: &Node, p: &Polynomial| !node.proves(space, p);
        let is_size = !missing(node, &size);
        let (no_more, no_less) = (!missing(node, &above), !missing(node, &below));
        if is_size && no_more && no_less {
            let zero = Coeff::ZERO;
            let quotient = Equation { form: quotient, low: zero.clone(), high: zero };
            return Some((quotient, Equation { form: rest, ..equation.clone() }));
        }
        let open = [(is_size, size), (no_more, above), (no_less, below)];
        note(attempts, open.into_iter().filter(|(is_shown, _)| !is_shown).map(|(_, p)| p).collect());
        if is_size {
            let bound = if no_more { Some(-quotient) } else { no_less.then_some(quotient) };
            if let Some(bound) = bound.filter(|bound| !node.full.contains(bound))
                && node.assume(space, bound) == Found::Nothing
            {
                // Nothing is left: an equation that nothing satisfies says so.
                let never = Equation { form: Polynomial::one(), low: Coeff::ZERO, high: Coeff::ZERO };
                return Some((never.clone(), never));
            }
        }
    }
    None
}

/// What may be the size of a dimension: invariant coefficients of what varies, and invariant factors of terms; largest first.
fn sizes(space: &Space, form: &Polynomial) -> Vec<Polynomial> {
    let mut found: Vec<Polynomial> = Vec::new();
    let mut add = |size: Polynomial| {
        let size = if size.leading_term().is_some_and(|(_, factor)| factor.is_negative()) { -size } else { size };
        let is_one = size.as_constant().is_some_and(|value| value.abs().is_one() || value.is_zero());
        if !is_one && !found.contains(&size) {
            found.push(size);
        }
    };
    let is_fixed = |atom| is_fixed(space, atom);
    for atom in form.atoms().into_iter().filter(|&atom| !is_fixed(atom)) {
        if let Some(factor) = form.coefficient_of(atom).filter(|factor| is_invariant(space, factor)) {
            add(factor);
        }
    }
    for (monomial, coefficient) in form.terms() {
        let varying: Vec<_> = monomial.powers().filter(|&(atom, _)| !is_fixed(atom)).collect();
        if varying.is_empty() {
            continue;
        }
        let fixed = monomial.powers().filter(|&(atom, _)| is_fixed(atom));
        let factor =
            fixed.fold(Polynomial::one(), |product, (atom, power)| &product * &Polynomial::from_atom(atom).pow(power));
        add(factor.scale(coefficient));
        add(factor);
    }
    let weight = |size: &Polynomial| {
        let leading = size.leading_term().map(|(_, factor)| factor.abs()).unwrap_or(Coeff::ZERO);
        std::cmp::Reverse((size.degree(), leading))
    };
    found.sort_by_key(weight);
    found.truncate(MAX_SIZES);
    found
}

/// Quotient and rest; by a constant, the nearest multiple of each coefficient.
pub(super) fn divided(form: &Polynomial, size: &Polynomial) -> (Polynomial, Polynomial) {
    let Some(size) = size.as_constant() else {
        return match single(size) {
            Some((monomial, coefficient)) => by_monomial(form, monomial, coefficient),
            None => form.div_rem(size),
        };
    };
    by_monomial(form, &Monomial::default(), size)
}

fn single(size: &Polynomial) -> Option<(&Monomial, &Coeff)> {
    let mut terms = size.terms();
    terms.next().filter(|_| terms.next().is_none())
}

/// The terms that the monomial divides, each with the nearest multiple of the coefficient.
fn by_monomial(form: &Polynomial, monomial: &Monomial, coefficient: &Coeff) -> (Polynomial, Polynomial) {
    let two = Coeff::from(2);
    let quotient = Polynomial::from_terms(form.terms().filter_map(|(term, factor)| {
        let cofactor = term.div_exact(monomial)?;
        let nearest = (factor * &two - coefficient).div_ceil(&(coefficient * &two))?;
        Some((cofactor, nearest))
    }));
    let divisor = Polynomial::term(monomial.clone(), coefficient.clone());
    let rest = form - &(&quotient * &divisor);
    (quotient, rest)
}
