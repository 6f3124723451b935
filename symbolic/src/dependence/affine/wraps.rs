//! Addresses that may wrap: how often `2^64` is in their difference is one more unknown.

use super::solve::{Equation, Node, Solver};
use super::variables::BEFORE_LOOPS;
use crate::coeff::Coeff;
use crate::id::AtomId;
use crate::interval::Interval;
use crate::polynomial::{Monomial, Polynomial};
use std::rc::Rc;

/// By which factors a form is multiplied at most so that bounds can be subtracted.
const MAX_MULTIPLE: i64 = 64;

impl Solver<'_> {
    /// Addresses are residues: where the difference may be beyond `2^64`, `times` that is subtracted.
    pub fn wrap(&mut self, node: &mut Node, times: AtomId) {
        let Some(Equation { form, low, high }) = node.equations.first() else { return };
        let modulus = Coeff::pow2(64);
        let range = self.range(&node.constraints, form);
        let min = range.low().and_then(|min| (min - high).div_ceil(&modulus));
        let max = range.high().and_then(|max| (max - low).div_floor(&modulus));
        if min.as_ref().is_some_and(Coeff::is_zero) && max.as_ref().is_some_and(Coeff::is_zero) {
            return;
        }
        // Where strides are symbols, no multiple is known to lie between two wraps: a bound behind the first one excludes nothing.
        let is_symbolic = form.terms().any(|(monomial, _)| monomial.degree() > 1 && self.variables.are_in(monomial));
        let min = min.filter(|min| !is_symbolic || !min.is_negative());
        let max = max.filter(|max| !is_symbolic || !max.is_positive());
        self.variables.add(times, BEFORE_LOOPS);
        self.wraps = Some(times);
        let times = Polynomial::from(times);
        let equation = Equation { form: form - &times.scale(&modulus), low: low.clone(), high: high.clone() };
        node.equations[0] = equation;
        let bounds = [min.map(|min| &times - &Polynomial::from(min)), max.map(|max| Polynomial::from(max) - &times)];
        node.constraints.extend(bounds.into_iter().flatten().map(Rc::new));
    }

    /// What the values of a form lie in. A multiple of it is bounded, so that bounds of multiples of variables can be used.
    fn range(&self, constraints: &[Rc<Polynomial>], form: &Polynomial) -> Interval {
        let factors = constraints.iter().flat_map(|constraint| constraint.terms());
        let factors = factors.filter(|(monomial, _)| monomial.degree() == 1 && self.variables.are_in(monomial));
        let lcm = |lcm: Coeff, (_, factor): (&Monomial, &Coeff)| {
            let more = &lcm * &factor.abs().div_exact(&lcm.gcd(factor)).unwrap_or(Coeff::ONE);
            if more <= Coeff::from(MAX_MULTIPLE) { more } else { lcm }
        };
        let multiple = factors.fold(Coeff::ONE, lcm);
        let form = form.scale(&multiple);
        let plain = |p: &Polynomial| self.space.plain_range(p, &self.known);
        let own = plain(&form);
        let low = self.lows(constraints, &form).iter().filter_map(|low| plain(low).low().cloned()).max();
        let high = self.highs(constraints, &form).iter().filter_map(|high| plain(high).high().cloned()).min();
        let low = low.into_iter().chain(own.low().cloned()).max();
        let high = high.into_iter().chain(own.high().cloned()).min();
        let divided = |low: Option<Coeff>, high: Option<Coeff>| {
            let low = low.and_then(|low| low.div_ceil(&multiple));
            Interval::new(low, high.and_then(|high| high.div_floor(&multiple)))
        };
        divided(low, high).unwrap_or(Interval::ALL)
    }
}
