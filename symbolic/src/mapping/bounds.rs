//! The most and the least of a count over the iterations of loops around it.

use crate::atom::Atom;
use crate::coeff::Coeff;
use crate::facts::Facts;
use crate::id::{AtomId, LoopId};
use crate::polynomial::Polynomial;
use crate::space::Space;

/// What is of another number of values than these is not enumerated: a remainder by a small number is.
const MOST_VALUES: i64 = 16;
/// Quotients within quotients that are looked into.
const MAX_DEPTH: u32 = 4;

/// Bounds of values that change with the iterations of loops, as numbers that do not: at least the most that they are, or at most the least. They are not always
/// reached, as each part of a sum is taken at its own best.
pub(super) struct Bounds<'a> {
    pub(super) space: &'a mut Space,
    /// All loops that a bound must not depend on.
    pub(super) loops: Vec<LoopId>,
    /// Iteration numbers, each of which goes from 0 to a number that does not change.
    pub(super) last: Vec<(AtomId, Polynomial)>,
}

/// Which end of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Most,
    Least,
}

impl End {
    /// That of a value which, times `factor`, has this end.
    fn of_part(self, factor: &Coeff) -> End {
        match (self, factor.is_negative()) {
            (end, false) => end,
            (End::Most, true) => End::Least,
            (End::Least, true) => End::Most,
        }
    }
}

impl Bounds<'_> {
    /// A number that the value never exceeds, if one is known.
    pub(super) fn most(&mut self, value: &Polynomial) -> Option<Polynomial> {
        self.end(value, End::Most, 0)
    }

    fn changes(&self, value: &Polynomial) -> bool {
        self.space.varies_with(value, |with| self.loops.contains(&with))
    }

    fn end(&mut self, value: &Polynomial, end: End, depth: u32) -> Option<Polynomial> {
        if !self.changes(value) {
            return Some(value.clone());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let quotients: Vec<(AtomId, Polynomial, Coeff)> =
            value.atoms().into_iter().filter_map(|atom| self.quotient(atom)).collect();
        for (atom, dividend, divisor) in &quotients {
            if let Some(found) = self.with_remainder(value, end, (*atom, dividend, divisor)) {
                return Some(found);
            }
        }
        for (atom, dividend, divisor) in &quotients {
            if let Some(found) = self.in_quotient(value, end, depth, (*atom, dividend, divisor)) {
                return Some(found);
            }
        }
        // Each of the others by itself.
        let atom = value.atoms().into_iter().find(|atom| self.changes(&(*atom).into()))?;
        let (factor, rest) = value.split_affine(atom)?;
        let factor = factor.as_constant()?.clone();
        let of_atom = self.end_of_atom(atom, end.of_part(&factor), depth)?;
        self.end(&(rest + of_atom.scale(&factor)), end, depth)
    }

    /// An atom that is a quotient by a constant above 0.
    fn quotient(&self, atom: AtomId) -> Option<(AtomId, Polynomial, Coeff)> {
        let Atom::FloorDiv(dividend, divisor) = self.space.atom(atom) else { return None };
        let divisor = divisor.as_constant()?;
        let is_positive = !divisor.is_negative() && !divisor.is_zero();
        is_positive.then(|| (atom, dividend.clone(), divisor.clone()))
    }

    /// Where the value is `r + m * (q - d * floor(q / d))` and `r` does not change: the remainder is from 0 to d - 1.
    fn with_remainder(
        &mut self,
        value: &Polynomial,
        end: End,
        (atom, q, d): (AtomId, &Polynomial, &Coeff),
    ) -> Option<Polynomial> {
        let (factor, rest) = self.space.split_affine(value, atom)?;
        let m = factor.as_constant()?.div_exact(&-d)?;
        let rest = rest - q.scale(&m);
        if self.changes(&rest) {
            return None;
        }
        let remainder = match end.of_part(&m) {
            End::Most => d - &Coeff::ONE,
            End::Least => Coeff::ZERO,
        };
        Some(rest + Polynomial::from(m * remainder))
    }

    /// Where the quotient stands once: `s * floor(q / d) + r` is `s * floor((q + s * d * r) / d)`, in which what both have in common meets.
    fn in_quotient(
        &mut self,
        value: &Polynomial,
        end: End,
        depth: u32,
        (atom, q, d): (AtomId, &Polynomial, &Coeff),
    ) -> Option<Polynomial> {
        let (sign, rest) = self.space.split_affine(value, atom)?;
        let sign = sign.as_constant().filter(|sign| **sign == Coeff::ONE || **sign == Coeff::MINUS_ONE)?.clone();
        let inside = q + &rest.scale(d).scale(&sign);
        if self.space.depends_on(&inside, |of| of == atom) {
            return None;
        }
        let inside = self.end(&inside, end.of_part(&sign), depth + 1)?;
        Some(self.space.floor_div(&inside, &Polynomial::from(d.clone()), &Facts::none()).scale(&sign))
    }

    fn end_of_atom(&mut self, atom: AtomId, end: End, depth: u32) -> Option<Polynomial> {
        if let Some((_, last)) = self.last.iter().find(|(number, _)| *number == atom) {
            return Some(if end == End::Most { last.clone() } else { Polynomial::zero() });
        }
        if let Some((_, dividend, divisor)) = self.quotient(atom) {
            let dividend = self.end(&dividend, end, depth + 1)?;
            return Some(self.space.floor_div(&dividend, &Polynomial::from(divisor), &Facts::none()));
        }
        let range = self.space.range(&atom.into());
        let (low, high) = (range.low()?.to_i64()?, range.high()?.to_i64()?);
        let of_few = high.checked_sub(low)? < MOST_VALUES;
        of_few.then(|| Polynomial::from(if end == End::Most { high } else { low }))
    }
}
