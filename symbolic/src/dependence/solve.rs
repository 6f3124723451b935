//! Equations solved for one unknown.

use super::node::Equation;
use super::pair::is_fixed;
use crate::atom::{Atom, AtomId};
use crate::coeff::Coeff;
use crate::polynomial::Polynomial;
use crate::space::Space;
use std::cmp::Reverse;

/// An atom with its value by an equation that fixes it: with invariant terms, or small ones.
pub(super) fn simply_solved(space: &Space, equation: &Equation) -> Option<(AtomId, Polynomial)> {
    let is_simple = |form: &Polynomial| {
        let is_linear = form.degree() <= 1;
        let varying = form.atoms().into_iter().filter(|&atom| !is_fixed(space, atom)).count();
        varying <= 1 || is_linear && form.terms().all(|(_, coefficient)| coefficient.abs().is_one())
    };
    is_simple(&equation.form).then(|| solved(space, equation)).flatten()
}

/// An atom with its value by an exact equation in which its coefficient is 1 or -1: a distance before others, late ones before early ones.
pub(super) fn solved(space: &Space, equation: &Equation) -> Option<(AtomId, Polynomial)> {
    if !equation.is_exact() {
        return None;
    }
    let mut candidates: Vec<AtomId> =
        equation.form.atoms().into_iter().filter(|&atom| !is_fixed(space, atom)).collect();
    candidates.sort_by_key(|&atom| (!matches!(space.atom(atom), Atom::Symbol(_)), Reverse(atom)));
    candidates.into_iter().find_map(|atom| {
        let (factor, rest) = space.split_affine(&equation.form, atom)?;
        let rest = rest - Polynomial::from(equation.low.clone());
        match factor.as_constant() {
            Some(factor) if factor.is_one() => Some((atom, -rest)),
            Some(factor) if *factor == Coeff::MINUS_ONE => Some((atom, rest)),
            _ => None,
        }
    })
}
