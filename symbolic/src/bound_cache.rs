//! Lower bounds of polynomials, kept for when they are asked for again.

use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::polynomial::{Monomial, Polynomial};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};

/// How many terms, powers counted each, the polynomials have whose bounds are kept for when they are asked for again.
const MAX_KEPT: usize = 1 << 17;

/// Greatest known lower bounds, by the facts that have to do with the polynomial, and by the polynomial.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundCache {
    lows: RefCell<FxHashMap<Facts, FxHashMap<Polynomial, Option<Coeff>>>>,
    kept: Cell<usize>,
}

impl BoundCache {
    pub(crate) fn clear(&self) {
        self.lows.borrow_mut().clear();
        self.kept.set(0);
    }

    pub(crate) fn get(&self, p: &Polynomial, facts: &Facts) -> Option<Option<Coeff>> {
        self.lows.borrow().get(facts)?.get(p).cloned()
    }

    pub(crate) fn keep(&self, p: &Polynomial, facts: &Facts, low: Option<Coeff>) {
        if self.kept.get() >= MAX_KEPT {
            self.clear();
        }
        let size = |(monomial, _): (&Monomial, _)| 1 + monomial.powers().len();
        self.kept.set(self.kept.get() + 1 + p.terms().map(size).sum::<usize>());
        self.lows.borrow_mut().entry(facts.clone()).or_default().insert(p.clone(), low);
    }
}
