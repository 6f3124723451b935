//! Closed forms of recurrences: what a header phi is in iteration `n`, given its start and what one iteration makes of it
//! (most of the classes of Wolfe, "Beyond Induction Variables", PLDI 1992).
//!
//! | one iteration | in iteration n |
//! |---|---|
//! | `x + d` | `start + d*n` |
//! | `x + p(n)`, p a polynomial | `start +` the sum of p over 0..n (Faulhaber) |
//! | `2^q * x + d` | `start * 2^(q*n) + d * (2^(q*n) - 1) / (2^q - 1)` |
//! | `floor(x / 2^q)` | `floor(start / 2^(q*n))` |
//! | `(x + d) mod m`, with the start below m | `(start + d*n) mod m` |
//! | `f(x)` with `f(f(x)) = x` | start and f(start) in turn |
//! | `v(n)`, which does not look at x | start, then `v(n - 1)` (a wrap-around variable) |
//! | another header phi, and so on round | the starts in turn |

use super::recurrence::OneStep;
use super::{ADDRESS_BITS, Lowered, Lowering};
use ipda_llvm::Value;
use ipda_symbolic::{Atom, AtomId, Coeff, Facts, OpaqueOp, Polynomial, Predicate, Signedness};

/// The sum of `j^k` over `0 <= j < n` is `(c[0] + c[1]*n + ...) / d`.
const POWER_SUMS: [(&[i64], i64); 4] = [(&[0, 1], 1), (&[0, -1, 1], 2), (&[0, 1, -3, 2], 6), (&[0, 0, 1, -2, 1], 4)];

/// Header phis that hand their values round: of more than this, none is followed.
const MAX_ROTATING: usize = 4;

impl Lowering<'_> {
    /// The value in iteration `n` of a phi that has `start` before the loop, if it has a closed form.
    pub(super) fn closed_form(&mut self, bits: u32, index: usize, start: &Lowered, step: &OneStep) -> Option<Lowered> {
        let x = step.placeholder.value.as_atom()?;
        if !self.space.mentions(&step.stepped.value, x) {
            return self.wrap_around(bits, index, start, &step.stepped);
        }
        // By induction: exact at the start, and every step from an exact value leads to one.
        let both =
            |reading| start.is_exact(reading) && step.stepped.is_exact(reading) && step.placeholder.is_exact(reading);
        let (signed, unsigned) = (both(Signedness::Signed), both(Signedness::Unsigned));
        // Sums and products of residues are residues; what else a step does asks for the number itself.
        let mut value = self.sum_or_power(index, start, &step.stepped.value, x);
        if value.is_none() && (signed || unsigned) {
            value = self.repeated_division(index, start, &step.stepped.value, x);
            value = value.or_else(|| self.in_turn(index, start, &step.stepped.value, x));
            value = value.or_else(|| self.modular(index, start, &step.stepped.value, x));
        }
        let mut closed = self.residue(value?, bits, start.rests_on.and(step.stepped.rests_on));
        closed.signed |= signed;
        closed.unsigned |= unsigned;
        Some(self.settled(closed))
    }

    /// Steps that add, or multiply by a power of two.
    fn sum_or_power(&mut self, index: usize, start: &Lowered, stepped: &Polynomial, x: AtomId) -> Option<Polynomial> {
        let number = self.iteration(index);
        let (rate, step) = self.space.split_affine(stepped, x)?;
        if rate.is_one() {
            return Some(&start.value + &self.sum_over_iterations(index, &step)?);
        }
        let shift = rate.as_constant()?.log2().filter(|&shift| shift > 0)?;
        if self.varies_in(&step, index) {
            return None;
        }
        let power = self.space.op(OpaqueOp::Shl, vec![Polynomial::from(1), number.scale(&Coeff::from(shift))]);
        let grown = self.space.product(&start.value, &power)?;
        let added = self.space.product(&step, &(&power - &Polynomial::from(1)))?;
        let divisor = &Coeff::pow2(shift) - &Coeff::from(1);
        // 2^(q*n) - 1 is a multiple of 2^q - 1.
        Some(&grown + &self.space.floor_div(&added, &Polynomial::from(divisor), &Facts::none()))
    }

    /// The sum of a step over the iterations before this one.
    fn sum_over_iterations(&mut self, index: usize, step: &Polynomial) -> Option<Polynomial> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let (mut sum, mut rest) = self.sum_of_conditions(index, step)?;
        let degree = rest.degree_in(atom);
        for power in (0..=degree).rev() {
            let (sums, divisor) = POWER_SUMS.get(power as usize)?;
            let monomial = number.pow(power);
            // What stands before this power of the number.
            let factor = Polynomial::from_terms(rest.terms().filter(|(at, _)| at.degree_in(atom) == power).filter_map(
                |(at, coefficient)| {
                    let (divisor, _) = monomial.leading_term()?;
                    Some((at.div_exact(divisor)?, coefficient.clone()))
                },
            ));
            rest = &rest - &self.space.product(&factor, &monomial)?;
            if factor.is_zero() {
                continue;
            }
            if self.varies_in(&factor, index) {
                return None;
            }
            let mut numerator = Polynomial::from(0);
            for (power, &coefficient) in sums.iter().enumerate() {
                numerator = &numerator + &number.pow(power as u32).scale(&Coeff::from(coefficient));
            }
            // The quotient is whole, also after a common divisor of the factor and the divisor went.
            let common = factor.content().gcd(&Coeff::from(*divisor));
            let (factor, divisor) = (factor.div_exact(&common)?, Coeff::from(*divisor).div_exact(&common)?);
            let whole = self.space.floor_div(&numerator, &Polynomial::from(divisor), &Facts::none());
            sum = &sum + &self.space.product(&factor, &whole)?;
        }
        Some(sum)
    }

    /// The part of a step that is taken under conditions, summed over the iterations before this one, and the rest of the step. A condition
    /// `a + r*j >= 0` with r < 0 holds in the first `floor(a / -r) + 1` iterations, one with r > 0 in all but the first `ceil(-a / r)`.
    fn sum_of_conditions(&mut self, index: usize, step: &Polynomial) -> Option<(Polynomial, Polynomial)> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let (mut sum, mut rest) = (Polynomial::from(0), step.clone());
        for condition in step.atoms() {
            let Atom::Predicate(Predicate::NonNegative(p)) = self.space.atom(condition).clone() else { continue };
            if !self.space.mentions(&p, atom) {
                continue;
            }
            let (factor, without) = rest.split_affine(condition)?;
            let (rate, start) = self.space.split_affine(&p, atom)?;
            let rate = rate.as_constant()?.clone();
            if self.varies_in(&factor, index) || self.varies_in(&start, index) {
                return None;
            }
            let (one, distance) = (Polynomial::from(1), Polynomial::from(rate.abs()));
            let falls = rate.is_negative();
            let dividend = if falls { start } else { &(-&start) - &one };
            let turning = &self.space.floor_div(&dividend, &distance, &Facts::none()) + &one;
            let turning = self.space.op(OpaqueOp::Max, vec![turning, Polynomial::from(0)]);
            let before = self.space.op(OpaqueOp::Min, vec![turning, number.clone()]);
            let holds = if falls { before } else { &number - &before };
            sum = &sum + &self.space.product(&factor, &holds)?;
            rest = without;
        }
        Some((sum, rest))
    }

    /// `floor(x / 2^q)` again and again: `floor(floor(x / a) / b) = floor(x / (a*b))`.
    fn repeated_division(
        &mut self,
        index: usize,
        start: &Lowered,
        stepped: &Polynomial,
        x: AtomId,
    ) -> Option<Polynomial> {
        let number = self.iteration(index);
        let (dividend, divisor, truncates) = match self.space.atom(stepped.as_atom()?) {
            Atom::FloorDiv(a, b) => (a.as_atom()?, b.as_constant()?.clone(), false),
            Atom::Op(OpaqueOp::TruncDiv, args) => (args[0].as_atom()?, args[1].as_constant()?.clone(), true),
            _ => return None,
        };
        let shift = divisor.log2().filter(|&shift| shift > 0 && dividend == x)?;
        // Rounding towards zero is rounding down where the value is never negative, as it stays then.
        if truncates && !self.space.range(&start.value).is_non_negative() {
            return None;
        }
        Some(self.space.op(OpaqueOp::Shr, vec![start.value.clone(), number.scale(&Coeff::from(shift))]))
    }

    /// A step that undoes itself: the start in even iterations, what one step makes of it in odd ones.
    fn in_turn(&mut self, index: usize, start: &Lowered, stepped: &Polynomial, x: AtomId) -> Option<Polynomial> {
        if self.varies_in_but_for(stepped, index, x) {
            return None;
        }
        let twice = self.space.substitute(stepped, &mut |at| (at == x).then(|| stepped.clone()));
        if twice.as_atom() != Some(x) {
            return None;
        }
        let other = self.space.substitute(stepped, &mut |at| (at == x).then(|| start.value.clone()));
        let number = self.iteration(index);
        let is_odd = self.space.floor_rem(&number, &Polynomial::from(2), &Facts::none());
        Some(&start.value + &self.space.product(&is_odd, &(&other - &start.value))?)
    }

    /// A counter that wraps to its start: `(x + d) mod m`, or `x + 1` and back to 0 at m.
    fn modular(&mut self, index: usize, start: &Lowered, stepped: &Polynomial, x: AtomId) -> Option<Polynomial> {
        if self.varies_in_but_for(stepped, index, x) {
            return None;
        }
        let from = Polynomial::from(x);
        let mut found = None;
        for atom in stepped.atoms() {
            match self.space.atom(atom) {
                Atom::FloorDiv(a, m) if stepped.degree_in(atom) == 1 => {
                    let rest = &(a - &(m * &Polynomial::from(atom))) - stepped;
                    found = rest.is_zero().then(|| (a - &from, m.clone(), false));
                }
                Atom::Op(OpaqueOp::TruncRem, args) if stepped.as_atom() == Some(atom) => {
                    found = Some((&args[0] - &from, args[1].clone(), true));
                }
                // (x + 1) * (1 - [x + 1 == m]), or with >= in place of ==.
                Atom::Predicate(Predicate::Zero(p) | Predicate::NonNegative(p)) => {
                    let next = &from + &Polynomial::from(1);
                    let ends = Polynomial::from(atom);
                    let (Some((rate, rest)), true) = (self.space.split_affine(p, x), stepped.degree_in(atom) == 1)
                    else {
                        continue;
                    };
                    if rate.is_one() && *stepped == &next - &(&next * &ends) {
                        // x + rest reaches 0 at x = m - 1.
                        found = Some((Polynomial::from(1), &Polynomial::from(1) - &rest, false));
                    }
                }
                _ => {}
            }
            if found.is_some() {
                break;
            }
        }
        let (step, modulus, truncates) = found?;
        if self.space.mentions(&step, x) || self.space.mentions(&modulus, x) {
            return None;
        }
        let below = &(&modulus - &start.value) - &Polynomial::from(1);
        let holds = |this: &Self, p: &Polynomial| this.space.range(p).is_non_negative();
        if !holds(self, &start.value) || !holds(self, &below) || truncates && !holds(self, &step) {
            return None;
        }
        let number = self.iteration(index);
        let sum = &start.value + &self.space.product(&step, &number)?;
        Some(self.space.floor_rem(&sum, &modulus, &Facts::none()))
    }

    /// A variable that holds what an earlier iteration computed.
    fn wrap_around(&mut self, bits: u32, index: usize, start: &Lowered, stepped: &Lowered) -> Option<Lowered> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let at_first = self.space.substitute(&stepped.value, &mut |at| (at == atom).then(|| Polynomial::from(0)));
        if self.has_changing_loads(&stepped.value, index) || self.varies_in(&at_first, index) {
            return None;
        }
        let before = &number - &Polynomial::from(1);
        let value = self.in_iteration(&stepped.value, atom, &before);
        let minus_one = self.space.substitute(&value, &mut |at| (at == atom).then(|| Polynomial::from(0)));
        let is_first = self.space.zero(&number);
        let (signed, unsigned) = (start.signed && stepped.signed, start.unsigned && stepped.unsigned);
        let is_polynomial =
            value.atoms().into_iter().all(|at| at == atom || !self.space.mentions(&Polynomial::from(at), atom));
        if !is_polynomial || !(signed || unsigned || bits == ADDRESS_BITS) {
            let later = self.space.not(&is_first);
            return self.gate(
                vec![(is_first, start.clone()), (later, Lowered { value, ..stepped.clone() })],
                bits,
                &Facts::none(),
            );
        }
        // What an iteration before the first would have left is often the start: then there is nothing to tell apart.
        let correction = self.space.product(&is_first, &(&start.value - &minus_one))?;
        let rests_on = start.rests_on.and(stepped.rests_on);
        Some(Lowered { value: &value + &correction, bits, signed, unsigned, rests_on })
    }

    /// Header phis each of which takes the next one's value, round in a circle: in iteration n a phi has the start of the one
    /// that is n places on.
    pub(super) fn rotating(&mut self, phi: Value, bits: u32, index: usize) -> Option<Lowered> {
        let mut starts = Vec::new();
        let mut at = phi;
        loop {
            let ends = self.ends_of(at, index)?;
            starts.push(ends.start);
            at = ends.next.0;
            if at == phi {
                break;
            }
            let header = self.cfg.blocks[self.cfg.loops[index].header];
            if starts.len() == MAX_ROTATING || !header.phis().any(|other| other == at) {
                return None;
            }
        }
        let starts: Vec<Lowered> = starts.into_iter().map(|(value, from)| self.value_at(value, from)).collect();
        let number = self.iteration(index);
        let turn = self.space.floor_rem(&number, &Polynomial::from(starts.len() as i64), &Facts::none());
        let parts = starts
            .into_iter()
            .enumerate()
            .map(|(place, start)| (self.space.zero(&(&turn - &Polynomial::from(place as i64))), start));
        let parts = parts.collect();
        self.gate(parts, bits, &Facts::none())
    }

    /// A value with what its sign tells: a signed value that is never negative is also the unsigned one, and so on.
    pub(super) fn settled(&self, mut lowered: Lowered) -> Lowered {
        if lowered.signed != lowered.unsigned {
            let range = self.space.range(&lowered.value);
            let highest = &Coeff::pow2(lowered.bits.max(1) - 1) - &Coeff::from(1);
            lowered.unsigned |= lowered.signed && range.is_non_negative();
            lowered.signed |= lowered.unsigned && range.high().is_some_and(|high| *high <= highest);
        }
        lowered
    }

    fn varies_in_but_for(&mut self, value: &Polynomial, index: usize, x: AtomId) -> bool {
        let without = self.space.substitute(value, &mut |at| (at == x).then(|| Polynomial::from(0)));
        self.has_changing_loads(value, index) || self.varies_in(&without, index)
    }
}
