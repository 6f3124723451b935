//! Constructors of predicates: indicator polynomials that are 1 where a condition holds, else 0 (the thesis's section 2.3).

use crate::atom::Predicate;
use crate::bounds::Indicator;
use crate::facts::{Facts, Truth};
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::space::Space;

/// With more indicators than this inside of a condition, they stay there.
const MAX_LIFTED: usize = 3;

impl Space {
    /// The indicator of `p >= 0`.
    pub fn nonneg(&mut self, p: &Polynomial) -> Polynomial {
        self.nonneg_under(p, &Facts::none())
    }

    /// The indicator of `p >= 0`, which may be decided by facts that hold where it is used.
    pub fn nonneg_under(&mut self, p: &Polynomial, facts: &Facts) -> Polynomial {
        self.lift(p, facts, Space::nonneg_plain)
    }

    /// The indicator of `p == 0`.
    pub fn zero(&mut self, p: &Polynomial) -> Polynomial {
        self.zero_under(p, &Facts::none())
    }

    /// The indicator of `p == 0`, which may be decided by facts that hold where it is used.
    pub fn zero_under(&mut self, p: &Polynomial, facts: &Facts) -> Polynomial {
        self.lift(p, facts, Space::zero_plain)
    }

    /// The indicator of `a >= b`.
    pub fn ge(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.nonneg(&(a - b))
    }

    /// The indicator of `a <= b`.
    pub fn le(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.nonneg(&(b - a))
    }

    /// The indicator of `a > b`.
    pub fn gt(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.nonneg(&(a - b - Polynomial::one()))
    }

    /// The indicator of `a < b`.
    pub fn lt(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.gt(b, a)
    }

    /// The indicator of `a == b`.
    pub fn eq(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.zero(&(a - b))
    }

    /// The indicator of `a != b`.
    pub fn ne(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let equal = self.eq(a, b);
        self.not(&equal)
    }

    /// The indicator of the opposite.
    pub fn not(&self, condition: &Polynomial) -> Polynomial {
        Polynomial::one() - condition
    }

    /// The indicator of both; an unknown value where it would be too large.
    pub fn and(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        self.product_or_unknown(a, b)
    }

    /// The indicator of at least one; an unknown value where it would be too large.
    pub fn or(&mut self, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let both = self.and(a, b);
        a + b - both
    }

    /// Indicators that all hold exactly where the condition does: those that its terms have in common, and what is left.
    pub fn conjuncts(&self, condition: &Polynomial) -> Vec<Polynomial> {
        let (mut parts, rest) = self.factors(condition, AtomId::is_idempotent);
        if !rest.is_one() {
            parts.push(rest);
        }
        parts
    }

    /// The chosen indicators, or their opposites, that an expression is a product of, and what is left: `[c]*(1 - [d])*x` is 0 without `c` and
    /// `not d`, and `x` with them.
    pub fn factors(&self, p: &Polynomial, is_chosen: impl Fn(AtomId) -> bool) -> (Vec<Polynomial>, Polynomial) {
        let (mut rest, mut parts) = (p.clone(), Vec::new());
        for atom in p.atoms().into_iter().filter(|&atom| is_chosen(atom)) {
            let (holds, fails) = (rest.replace(atom, &Polynomial::one()), rest.replace(atom, &Polynomial::zero()));
            let indicator = Polynomial::from(atom);
            if fails.is_zero() {
                parts.push(indicator);
                rest = holds;
            } else if holds.is_zero() {
                parts.push(self.not(&indicator));
                rest = fails;
            }
        }
        (parts, rest)
    }

    /// Applies a function to the cases that indicators in `p` distinguish, and puts the results together:
    /// `f([c]*x + (1 - [c])*y)` becomes `[c]*f(x) + (1 - [c])*f(y)`. With too many indicators, none is touched.
    fn lift(
        &mut self,
        p: &Polynomial,
        facts: &Facts,
        f: fn(&mut Space, &Polynomial, &Facts) -> Polynomial,
    ) -> Polynomial {
        let indicators: Vec<AtomId> = p.atoms().into_iter().filter(|atom| atom.is_idempotent()).collect();
        let Some(&indicator) = indicators.first().filter(|_| indicators.len() <= MAX_LIFTED) else {
            return f(self, p, facts);
        };
        let mut case = |value: Indicator| {
            let facts = self.assume_indicator(facts, indicator, value);
            self.lift(&p.replace(indicator, &value.polynomial()), &facts, f)
        };
        let (when_one, when_zero) = (case(Indicator::One), case(Indicator::Zero));
        let gain = self.product_or_unknown(&Polynomial::from(indicator), &(when_one - &when_zero));
        when_zero + gain
    }

    fn nonneg_plain(&mut self, p: &Polynomial, facts: &Facts) -> Polynomial {
        let p = reduced(p);
        match self.prove_nonneg(&p, facts) {
            Truth::Yes => return Polynomial::one(),
            Truth::No => return Polynomial::zero(),
            Truth::Unknown => {}
        }
        // Of p >= 0 and its opposite -p - 1 >= 0, the one with positive leading coefficient is kept.
        if leads_negative(&p) {
            let opposite = -p - Polynomial::one();
            return Polynomial::one() - self.intern_predicate(Predicate::NonNegative(opposite));
        }
        self.intern_predicate(Predicate::NonNegative(p))
    }

    fn zero_plain(&mut self, p: &Polynomial, facts: &Facts) -> Polynomial {
        // g*q + c == 0 has no solution unless g divides c.
        let gcd = p.variable_content();
        let p = if gcd.is_zero() || gcd.is_one() { Some(p.clone()) } else { p.div_exact(&gcd) };
        let Some(p) = p else {
            return Polynomial::zero();
        };
        let (opposite, one) = (-&p, Polynomial::one());
        if self.proves_nonneg(&(&p - &one), facts) || self.proves_nonneg(&(&opposite - &one), facts) {
            return Polynomial::zero();
        }
        if self.proves_nonneg(&p, facts) && self.proves_nonneg(&opposite, facts) {
            return one;
        }
        let p = if leads_negative(&p) { -p } else { p };
        self.intern_predicate(Predicate::Zero(p))
    }
}

/// The least polynomial that is at least 0 exactly where `p` is: `g*q + c >= 0` is `q + floor(c/g) >= 0`.
pub(crate) fn reduced(p: &Polynomial) -> Polynomial {
    let gcd = p.variable_content();
    if gcd.is_one() {
        return p.clone();
    }
    let variable = p.without_constant();
    let divided = variable.div_exact(&gcd).zip(p.constant_term().div_floor(&gcd));
    divided.map_or(p.clone(), |(variable, constant)| variable + Polynomial::from(constant))
}

pub(crate) fn leads_negative(p: &Polynomial) -> bool {
    p.leading_term().is_some_and(|(_, coefficient)| coefficient.is_negative())
}
