//! Constructors of operations without polynomial form, which are folded where a polynomial form exists after all.

use crate::atom::{Atom, OpaqueOp};
use crate::coeff::{Coeff, power_of};
use crate::facts::Facts;
use crate::id::Idempotent;
use crate::interval::{Interval, Signedness};
use crate::polynomial::Polynomial;

use crate::quotient::split_multiple;
use crate::space::Space;

/// Shifts beyond this are not computed.
const MAX_SHIFT: i64 = 4096;

impl Space {
    /// Numbers whose least one is the value: of the minima in it, and of maxima that are subtracted. It may be one alone; none where there are too many.
    pub fn least_of(&self, value: &Polynomial) -> Option<Vec<Polynomial>> {
        const MAX_PARTS: usize = 4;
        let (mut parts, mut left) = (Vec::new(), vec![value.clone()]);
        while let Some(value) = left.pop() {
            let split = value.atoms().into_iter().find_map(|atom| {
                let Atom::Op(op, args) = self.atom(atom) else { return None };
                let (factor, _) = value.split_affine(atom)?;
                let is_negative = factor.as_constant()?.is_negative();
                let is_least = *op == if is_negative { OpaqueOp::Max } else { OpaqueOp::Min };
                is_least.then_some((atom, args))
            });
            match split {
                Some((atom, args)) => left.extend(args.iter().rev().map(|arg| value.replace(atom, arg))),
                None => parts.push(value),
            }
            if parts.len() + left.len() > MAX_PARTS {
                return None;
            }
        }
        Some(parts)
    }

    /// An operation on exact integers. Shifts, divisions and remainders take two arguments, the others one or more.
    ///
    /// # Panics
    /// Where the number of arguments is wrong.
    pub fn op(&mut self, op: OpaqueOp, args: Vec<Polynomial>) -> Polynomial {
        self.op_under(op, args, &Facts::none())
    }

    /// [`Space::op`] where the facts hold.
    pub fn op_under(&mut self, op: OpaqueOp, args: Vec<Polynomial>, facts: &Facts) -> Polynomial {
        if op.is_associative_commutative() {
            return self.combine(op, args, facts);
        }
        let [a, b]: [Polynomial; 2] = args.try_into().expect("shifts, divisions and remainders have two arguments");
        let folded = match op {
            OpaqueOp::Pow => return self.power(&a, &b, facts),
            OpaqueOp::Shl => match shift_factor(&b) {
                Some(factor) => Some(a.scale(&factor)),
                None => {
                    let factor = self.power(&Polynomial::from(2), &b, facts);
                    self.product(&a, &factor)
                }
            },
            OpaqueOp::Shr => shift_factor(&b).map(|factor| self.floor_div(&a, &Polynomial::from(factor), facts)),
            OpaqueOp::TruncDiv => self.truncated_quotient(&a, &b, facts),
            OpaqueOp::TruncRem => self.truncated_quotient(&a, &b, facts).and_then(|quotient| {
                let whole = self.product(&quotient, &b)?;
                Some(&a - &whole)
            }),
            _ => unreachable!("associative operations were handled"),
        };
        folded.unwrap_or_else(|| self.intern_op(op, vec![a, b]))
    }

    /// The quotient rounded towards 0 as a floor division, where the signs are known.
    fn truncated_quotient(&mut self, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        let is_positive = |p: &Polynomial| self.proves_nonneg(&(p - &Polynomial::one()), facts);
        let (a, b) = match () {
            () if is_positive(b) => (a.clone(), b.clone()),
            () if is_positive(&-b) => (-a, -b),
            () => return None,
        };
        if split_multiple(&a, &b).1.is_zero() || self.proves_nonneg(&a, facts) {
            Some(self.floor_div(&a, &b, facts))
        } else if self.proves_nonneg(&-&a, facts) {
            Some(-self.floor_div(&-a, &b, facts))
        } else {
            None
        }
    }

    /// Associative and commutative operations: nested ones flattened, constants folded, arguments sorted.
    fn combine(&mut self, op: OpaqueOp, args: Vec<Polynomial>, facts: &Facts) -> Polynomial {
        let mut constant = None;
        let mut rest: Vec<Polynomial> = Vec::new();
        for arg in self.flatten(op, args) {
            match arg.as_constant() {
                Some(value) => {
                    let value = value.clone();
                    constant = Some(match constant.take() {
                        Some(known) => fold(op, &known, &value).expect("associative operations are total"),
                        None => value,
                    });
                }
                None => rest.push(arg),
            }
        }
        rest.extend(constant.map(Polynomial::from));
        // Pairs that have a polynomial form are replaced by it until none is left.
        'search: loop {
            for first in 0..rest.len() {
                for second in first + 1..rest.len() {
                    if let Some(folded) = self.fold_pair(op, &rest[first], &rest[second], facts) {
                        rest.remove(second);
                        rest.remove(first);
                        if rest.is_empty() {
                            return folded;
                        }
                        rest.push(folded);
                        continue 'search;
                    }
                }
            }
            break;
        }
        assert!(!rest.is_empty(), "{} needs an argument", op.name());
        if rest.len() == 1 {
            return rest.remove(0);
        }
        rest.sort_by(|a, b| b.terms().cmp(a.terms()));
        self.intern_op(op, rest)
    }

    fn flatten(&self, op: OpaqueOp, args: Vec<Polynomial>) -> Vec<Polynomial> {
        let nested = |arg: Polynomial| match arg.as_atom().map(|atom| self.atom(atom)) {
            Some(Atom::Op(inner, args)) if *inner == op => args.clone(),
            _ => vec![arg],
        };
        args.into_iter().flat_map(nested).collect()
    }

    /// A polynomial form for two arguments, if there is one.
    fn fold_pair(&mut self, op: OpaqueOp, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        match op {
            OpaqueOp::Min | OpaqueOp::Max => {
                let (min, max) = if self.proves_nonneg(&(b - a), facts) {
                    (a, b)
                } else if self.proves_nonneg(&(a - b), facts) {
                    (b, a)
                } else {
                    return None;
                };
                Some(if op == OpaqueOp::Min { min.clone() } else { max.clone() })
            }
            OpaqueOp::And | OpaqueOp::Or if a == b => Some(a.clone()),
            OpaqueOp::Xor if a == b => Some(Polynomial::zero()),
            OpaqueOp::And | OpaqueOp::Or | OpaqueOp::Xor => self
                .fold_mask(op, a, b, facts)
                .or_else(|| self.fold_mask(op, b, a, facts))
                .or_else(|| self.fold_bits(op, a, b, facts)),
            _ => None,
        }
    }

    /// Bit operations with constants that select a run of bits, or all but a run.
    fn fold_mask(&mut self, op: OpaqueOp, a: &Polynomial, mask: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        let mask = mask.as_constant()?;
        match op {
            OpaqueOp::Or | OpaqueOp::Xor if mask.is_zero() => Some(a.clone()),
            OpaqueOp::Or if *mask == Coeff::MINUS_ONE => Some(Polynomial::from(-1)),
            OpaqueOp::Xor if *mask == Coeff::MINUS_ONE => Some(-a - Polynomial::one()),
            OpaqueOp::And => self.masked(a, mask, facts),
            OpaqueOp::Or if has_short_form(mask) => {
                Some(a + &(Polynomial::from(mask.clone()) - self.masked(a, mask, facts)?))
            }
            OpaqueOp::Xor if has_short_form(mask) => {
                let common = self.masked(a, mask, facts)?;
                Some(a + &(Polynomial::from(mask.clone()) - common.scale(&Coeff::from(2))))
            }
            _ => None,
        }
    }

    /// The bits of a value that a constant mask selects, if these, or the others, are one run.
    fn masked(&mut self, a: &Polynomial, mask: &Coeff, facts: &Facts) -> Option<Polynomial> {
        if mask.is_negative() {
            let others = self.masked(a, &(Coeff::MINUS_ONE - mask), facts)?;
            return Some(a - &others);
        }
        if mask.is_zero() {
            return Some(Polynomial::zero());
        }
        // The bits low..high of a are (a mod 2^high) - (a mod 2^low).
        let low = Coeff::pow2(u32::try_from(mask.trailing_zeros()?).ok()?);
        let high = mask + &low;
        high.log2().map(|_| {
            let below_low = self.floor_rem(a, &Polynomial::from(low), facts);
            self.floor_rem(a, &Polynomial::from(high), facts) - below_low
        })
    }

    /// Bit operations on truth values, and on values that have no bits in common.
    fn fold_bits(&mut self, op: OpaqueOp, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<Polynomial> {
        let is_low = |p, bits| self.is_within(p, facts, &Interval::of_width(bits, Signedness::Unsigned));
        let sum = match op {
            OpaqueOp::And => Polynomial::zero(),
            _ => a + b,
        };
        for (high, low) in [(a, b), (b, a)] {
            let zeros = high.content().trailing_zeros().and_then(|zeros| u32::try_from(zeros).ok())?;
            if is_low(low, zeros) {
                return Some(sum);
            }
        }
        if !is_low(a, 1) || !is_low(b, 1) {
            return None;
        }
        let both = self.product(a, b)?;
        Some(match op {
            OpaqueOp::And => both,
            OpaqueOp::Or => sum - both,
            _ => sum - both.scale(&Coeff::from(2)),
        })
    }

    pub(crate) fn intern_op(&mut self, op: OpaqueOp, args: Vec<Polynomial>) -> Polynomial {
        let constants: Option<Vec<&Coeff>> = args.iter().map(Polynomial::as_constant).collect();
        if let Some([a, b]) = constants.as_deref()
            && let Some(value) = fold(op, a, b)
        {
            return Polynomial::from(value);
        }
        let range = args.iter().map(|arg| self.range(arg)).reduce(|a, b| range_of(op, &a, &b)).unwrap_or(Interval::ALL);
        self.intern(Atom::Op(op, args), range, Idempotent::No)
    }
}

/// The value of an operation on numbers, where it has one.
pub(crate) fn fold(op: OpaqueOp, a: &Coeff, b: &Coeff) -> Option<Coeff> {
    Some(match op {
        OpaqueOp::Min => a.min(b).clone(),
        OpaqueOp::Max => a.max(b).clone(),
        OpaqueOp::And => a.bit_and(b),
        OpaqueOp::Or => a.bit_or(b),
        OpaqueOp::Xor => a.bit_xor(b),
        OpaqueOp::Pow => power_of(a, b)?,
        OpaqueOp::Shl => a * power_of_two(b)?,
        OpaqueOp::Shr => shift_right(a, b)?,
        OpaqueOp::TruncDiv => a.div_trunc(b)?,
        OpaqueOp::TruncRem => a - a.div_trunc(b)? * b,
    })
}

fn range_of(op: OpaqueOp, a: &Interval, b: &Interval) -> Interval {
    match op {
        OpaqueOp::Min => a.min(b),
        OpaqueOp::Max => a.max(b),
        OpaqueOp::And => a.bit_and(b),
        OpaqueOp::Or => a.bit_or(b),
        OpaqueOp::Xor => a.bit_xor(b),
        OpaqueOp::Pow => a.to_power(b),
        OpaqueOp::Shl => a.shl(b),
        OpaqueOp::Shr => a.shr(b),
        OpaqueOp::TruncDiv => a.div_trunc(b),
        OpaqueOp::TruncRem => a.rem_trunc(b),
    }
}

fn shift_right(a: &Coeff, b: &Coeff) -> Option<Coeff> {
    match power_of_two(b) {
        Some(divisor) => a.div_floor(&divisor),
        // Nothing but the sign is left.
        None if b.is_positive() && a.bits() <= MAX_SHIFT as u64 => {
            Some(if a.is_negative() { Coeff::MINUS_ONE } else { Coeff::ZERO })
        }
        None => None,
    }
}

fn shift_factor(shift: &Polynomial) -> Option<Coeff> {
    power_of_two(shift.as_constant()?)
}

fn power_of_two(exponent: &Coeff) -> Option<Coeff> {
    exponent.to_i64().filter(|bits| (0..=MAX_SHIFT).contains(bits)).map(|bits| Coeff::pow2(bits as u32))
}

/// Whether what a mask sets or flips has a short form, which more than the operation itself says: one bit, or all bits below one; or all others.
fn has_short_form(mask: &Coeff) -> bool {
    let bits = if mask.is_negative() { Coeff::MINUS_ONE - mask } else { mask.clone() };
    let low = bits.trailing_zeros();
    low == Some(0) || low.is_some_and(|low| bits.bits() == low + 1)
}
