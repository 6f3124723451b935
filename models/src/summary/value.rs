//! Numbers for expressions, known now or later.
//!
//! They are computed as `f64`, which holds integers up to 2^53 exactly: more than any array has bytes. What the arithmetic of machines leaves in
//! expressions can be larger by far, and cancel: then known numbers are computed as integers of any size, and what is known later from the
//! largest term to the smallest, so that equal large ones are gone before small ones come.

use std::collections::BTreeSet;

use ipda_symbolic::{Atom, AtomId, Coeff, Monomial, OpaqueOp, Polynomial, Predicate, Signedness, Space};

use crate::form::Num;

/// Numbers of iterations that are under way.
pub(crate) type Point = Vec<(AtomId, Num)>;

/// Where atoms have values.
pub(super) trait Scope {
    /// The value of an atom, if it is given one as a whole; else it is computed from what it is made of.
    fn given(&self, space: &Space, atom: AtomId) -> Option<Num>;
}

impl<F: Fn(AtomId) -> Option<Num>> Scope for F {
    fn given(&self, _: &Space, atom: AtomId) -> Option<Num> {
        self(atom)
    }
}

/// Beyond this, `f64` leaves integers out.
const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// Beyond this, numbers are no integers of a program.
const LARGEST_INTEGER: f64 = (1_u128 << 100) as f64;

/// The value of an expression, or the first atom that has none.
pub(super) fn value(space: &Space, p: &Polynomial, scope: &dyn Scope) -> Result<Num, AtomId> {
    let terms = || p.terms().map(|(monomial, coefficient)| (monomial, number(coefficient)));
    let (sum, is_exact) = if terms().any(|(_, coefficient)| coefficient.abs() > EXACT) {
        let mut terms: Vec<_> = terms().collect();
        terms.sort_by(|(_, a), (_, b)| b.abs().total_cmp(&a.abs()));
        in_doubles(space, terms.into_iter(), scope)?
    } else {
        in_doubles(space, terms(), scope)?
    };
    let exact = (!is_exact && sum.now().is_some()).then(|| exact_value(space, p, scope)).flatten();
    Ok(exact.and_then(|exact| sum.changed(|_| exact)).unwrap_or(sum))
}

/// The sum of terms, and whether no part of it was too large to be exact.
fn in_doubles<'a>(
    space: &Space,
    terms: impl Iterator<Item = (&'a Monomial, f64)>,
    scope: &dyn Scope,
) -> Result<(Num, bool), AtomId> {
    let mut sum = Num::ZERO;
    let mut is_exact = true;
    let mut note = |number: Num| is_exact &= number.now().is_none_or(|value| value.abs() <= EXACT);
    for (monomial, coefficient) in terms {
        let mut product = Num::new(coefficient);
        for (atom, power) in monomial.powers() {
            // What a factor of 0 stands beside need not be known.
            if product == Num::ZERO {
                break;
            }
            product *= atom_value(space, atom, scope)?.powi(power);
        }
        sum += product;
        note(product);
        note(sum);
    }
    Ok((sum, is_exact))
}

/// The value with integers of any size; what is no integer, such as the middle of a loop, counts rounded down. `None` where a number is missing
/// or none.
fn exact_value(space: &Space, p: &Polynomial, scope: &dyn Scope) -> Option<f64> {
    let mut given = |atom: AtomId| {
        let given = scope.given(space, atom)?.now()?.floor();
        (given.abs() < LARGEST_INTEGER).then(|| Coeff::from(given as i128))
    };
    space.eval(p, &mut given).map(|value| number(&value))
}

/// A coefficient as a number.
pub(super) fn number(coefficient: &Coeff) -> f64 {
    coefficient.to_i64().map_or_else(|| coefficient.to_string().parse().unwrap_or(f64::MAX), |small| small as f64)
}

fn atom_value(space: &Space, atom: AtomId, scope: &dyn Scope) -> Result<Num, AtomId> {
    if let Some(given) = scope.given(space, atom) {
        return Ok(given);
    }
    let of = |p: &Polynomial| value(space, p, scope);
    match space.atom(atom) {
        Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. } => Err(atom),
        Atom::Predicate(Predicate::NonNegative(p)) => Ok(of(p)?.at_least(0.0).number()),
        Atom::Predicate(Predicate::Zero(p)) => Ok(of(p)?.is(0.0).number()),
        Atom::FloorDiv(dividend, divisor) => {
            let divisor = divisor_of(of(divisor)?).ok_or(atom)?;
            Ok((of(dividend)? / divisor).floor())
        }
        Atom::Wrap { signed, bits, value } => {
            let modulus = 2_f64.powi(*bits as i32);
            let value = of(value)?;
            let wrapped = |value: f64| {
                let reduced = value.rem_euclid(modulus);
                let is_negative = *signed == Signedness::Signed && reduced >= modulus / 2.0;
                if is_negative { reduced - modulus } else { reduced }
            };
            if let Some(wrapped) = value.changed(wrapped) {
                return Ok(wrapped);
            }
            // Of what is known later, wide integers are taken not to wrap: their halves have no exact sums.
            if *bits > WIDEST_WRAP {
                return Ok(value);
            }
            let reduced = |value: Num| value - (value / modulus).floor() * modulus;
            Ok(match signed {
                Signedness::Signed => reduced(value + modulus / 2.0) - modulus / 2.0,
                Signedness::Unsigned => reduced(value),
            })
        }
        Atom::Op(op, operands) => {
            let is_mask = |p: &Polynomial| p.constant_term() == Coeff::from(-1_i64) && p.as_constant().is_none();
            if let (OpaqueOp::And, [one, other]) = (op, &operands[..])
                && is_mask(one) != is_mask(other)
            {
                let (mask, masked) = if is_mask(one) { (of(one)?, of(other)?) } else { (of(other)?, of(one)?) };
                // What `x & (y - 1)` is written for is that y is a power of 2.
                return Ok(known(*op, masked, mask).unwrap_or_else(|| rest(masked, mask + 1.0)));
            }
            if let ([one, other], OpaqueOp::And | OpaqueOp::Or | OpaqueOp::Xor) = (&operands[..], op)
                && let Some((number, bit)) = with_bit(space, one, other)
            {
                let (number, bit) = (of(number)?, of(bit)?);
                return Ok(known(*op, number, bit).unwrap_or_else(|| of_bit(*op, number, bit)));
            }
            let operands = operands.iter().map(of).collect::<Result<Vec<Num>, AtomId>>()?;
            let mut all = operands.into_iter();
            let first = all.next().ok_or(atom)?;
            all.try_fold(first, |left, right| operation(*op, left, right).ok_or(atom))
        }
    }
}

/// A number that goes on with loops, and a variable beside it: what `x ^ y`, `x & y` and `x | y` are written for is that y is a bit, as the partner of a
/// butterfly is `x ^ y`.
fn with_bit<'p>(space: &Space, one: &'p Polynomial, other: &'p Polynomial) -> Option<(&'p Polynomial, &'p Polynomial)> {
    let is_of_loops =
        |p: &Polynomial| all_atoms_in(space, p).into_iter().any(|atom| matches!(space.atom(atom), Atom::Iteration(_)));
    let is_variable =
        |p: &Polynomial| p.as_atom().is_some_and(|atom| matches!(space.atom(atom), Atom::Symbol(_))) && !is_of_loops(p);
    match (is_variable(one), is_variable(other)) {
        (true, false) if is_of_loops(other) => Some((other, one)),
        (false, true) if is_of_loops(one) => Some((one, other)),
        _ => None,
    }
}

/// An operation on a number that is not negative and on one of its bits, or on no bit.
fn of_bit(op: OpaqueOp, number: Num, bit: Num) -> Num {
    let unit = bit.max(1.0);
    let is_set = rest((number / unit).floor(), Num::new(2.0));
    match op {
        OpaqueOp::And => bit * is_set,
        OpaqueOp::Or => number + bit * (1.0 - is_set),
        _ => number + bit * (1.0 - 2.0 * is_set),
    }
}

/// What an atom divides, by what, and whether it is the quotient, else the remainder.
pub(super) fn divided(space: &Space, atom: AtomId) -> Option<(Polynomial, Polynomial, bool)> {
    Some(match space.atom(atom) {
        Atom::FloorDiv(dividend, divisor) => (dividend.clone(), divisor.clone(), true),
        Atom::Op(OpaqueOp::TruncDiv, operands) => (operands.first()?.clone(), operands.get(1)?.clone(), true),
        Atom::Op(OpaqueOp::TruncRem, operands) => (operands.first()?.clone(), operands.get(1)?.clone(), false),
        // What `x & (y - 1)` is written for is that y is a power of 2.
        Atom::Op(OpaqueOp::And, operands) => {
            let is_mask = |p: &&Polynomial| p.constant_term() == Coeff::from(-1_i64) && p.as_constant().is_none();
            let mask = operands.iter().find(is_mask)?;
            let dividend = operands.iter().find(|operand| *operand != mask)?;
            (dividend.clone(), mask + &Polynomial::one(), false)
        }
        _ => return None,
    })
}

/// What is left of a number that is not negative when it is divided.
fn rest(value: Num, divisor: Num) -> Num {
    let divisor = divisor.max(1.0);
    value - (value / divisor).floor() * divisor
}

/// Nothing is divided by 0: of what is known later, by 1 instead.
fn divisor_of(divisor: Num) -> Option<Num> {
    match divisor.known() {
        Some(0.0) => None,
        Some(_) => Some(divisor),
        None => Some(divisor.is(0.0).choose(1.0, divisor)),
    }
}

/// The widest integers whose wrapping is written down for what is known later.
const WIDEST_WRAP: u32 = 48;

/// The largest power and shift that is written down as products of what is known later.
const LARGEST_POWER: f64 = 8.0;

/// An operation on two numbers that are the same at each launch.
fn known(op: OpaqueOp, left: Num, right: Num) -> Option<Num> {
    left.known().and(right.known()).and_then(|_| operation(op, left, right))
}

fn operation(op: OpaqueOp, left: Num, right: Num) -> Option<Num> {
    let bits = |of: fn(i64, i64) -> i64| left.together(right, |left, right| of(left as i64, right as i64) as f64);
    match op {
        OpaqueOp::Min => Some(left.min(right)),
        OpaqueOp::Max => Some(left.max(right)),
        OpaqueOp::And => {
            let low_bits = |value: Num, mask: Num| {
                let mask = mask.known().filter(|mask| *mask > 0.0 && (*mask + 1.0).log2().fract() == 0.0)?;
                Some(rest(value, Num::new(mask + 1.0)))
            };
            bits(|left, right| left & right).or_else(|| low_bits(left, right)).or_else(|| low_bits(right, left))
        }
        OpaqueOp::Or => bits(|left, right| left | right),
        OpaqueOp::Xor => bits(|left, right| left ^ right),
        OpaqueOp::Pow => {
            let Some(power) = right.known() else {
                // Numbers of loops that multiply in each iteration.
                return left.known().filter(|base| *base > 1.0).map(|base| (right * base.log2()).exp2());
            };
            if power < 0.0 {
                return None;
            }
            match left.known() {
                Some(left) => Some(Num::new(left.powf(power))),
                None => (power.fract() == 0.0 && power <= LARGEST_POWER).then(|| left.powi(power as u32)),
            }
        }
        OpaqueOp::Shl => right.now().is_none_or(|by| by >= 0.0).then(|| left * right.exp2()),
        OpaqueOp::Shr => right.now().is_none_or(|by| by >= 0.0).then(|| (left / right.exp2()).floor()),
        OpaqueOp::TruncDiv => Some((left / divisor_of(right)?).trunc()),
        OpaqueOp::TruncRem => {
            let right = divisor_of(right)?;
            let later = || left - (left / right).trunc() * right;
            Some(left.together(right, |left, right| left % right).unwrap_or_else(later))
        }
    }
}

/// What is left of an expression that is divided by a product without rest.
pub(super) fn quotient(p: &Polynomial, by: &Polynomial) -> Option<Polynomial> {
    let (divisor, factor) = by.terms().next().filter(|_| by.terms().len() == 1)?;
    let terms = p.terms().map(|(monomial, own)| Some((monomial.div_exact(divisor)?, own.div_exact(factor)?)));
    terms.collect::<Option<Vec<_>>>().map(Polynomial::from_terms)
}

/// All atoms in an expression, with those that others are made of, but not what leads to a loaded value.
pub(crate) fn atoms_in(space: &Space, p: &Polynomial) -> Vec<AtomId> {
    let mut found = Vec::new();
    let mut pending: Vec<&Polynomial> = vec![p];
    while let Some(p) = pending.pop() {
        for atom in p.atoms() {
            if !found.contains(&atom) {
                found.push(atom);
                if !matches!(space.atom(atom), Atom::Load { .. }) {
                    pending.extend(space.atom(atom).operands());
                }
            }
        }
    }
    found
}

/// All atoms in an expression, with those that others are made of and that lead to loaded values.
pub(super) fn all_atoms_in(space: &Space, p: &Polynomial) -> BTreeSet<AtomId> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<&Polynomial> = vec![p];
    while let Some(p) = pending.pop() {
        for atom in p.atoms() {
            if found.insert(atom) {
                pending.extend(space.atom(atom).operands());
            }
        }
    }
    found
}

/// Whether an expression differs from iteration to iteration of a loop, through loaded values too.
pub(crate) fn varies_with(space: &Space, p: &Polynomial, index: AtomId) -> bool {
    let mut pending: Vec<&Polynomial> = vec![p];
    let mut seen = Vec::new();
    while let Some(p) = pending.pop() {
        for atom in p.atoms() {
            if atom == index {
                return true;
            }
            if !seen.contains(&atom) {
                seen.push(atom);
                pending.extend(space.atom(atom).operands());
            }
        }
    }
    false
}

/// Whether an index occurs only in products, not inside of conditions, quotients and the like.
pub(super) fn is_polynomial_in(space: &Space, p: &Polynomial, index: AtomId) -> bool {
    p.atoms().iter().all(|atom| {
        *atom == index || space.atom(*atom).operands().iter().all(|operand| !varies_with(space, operand, index))
    })
}

/// A mean from a sum; 0 of nothing.
pub(crate) fn ratio(sum: Num, count: Num) -> Num {
    match count.known() {
        Some(count) => {
            if count > 0.0 {
                sum / count
            } else {
                Num::ZERO
            }
        }
        None => sum / count.more(0.0).choose(count, 1.0),
    }
}
