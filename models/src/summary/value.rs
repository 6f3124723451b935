//! Numbers for expressions.
//!
//! All are computed as `f64`, which holds integers up to 2^53 exactly: more than any array has bytes.

use ipda_symbolic::{Atom, AtomId, Coeff, OpaqueOp, Polynomial, Predicate, Signedness, Space};

/// Where atoms have values.
pub(super) trait Scope {
    /// The value of an atom, if it is given one as a whole; else it is computed from what it is made of.
    fn given(&self, space: &Space, atom: AtomId) -> Option<f64>;
}

impl<F: Fn(AtomId) -> Option<f64>> Scope for F {
    fn given(&self, _: &Space, atom: AtomId) -> Option<f64> {
        self(atom)
    }
}

/// The value of an expression, or the first atom that has none.
pub(super) fn value(space: &Space, p: &Polynomial, scope: &dyn Scope) -> Result<f64, AtomId> {
    let mut sum = 0.0;
    for (monomial, coefficient) in p.terms() {
        let mut product = number(coefficient);
        for (atom, power) in monomial.powers() {
            // What a factor of 0 stands beside need not be known.
            if product == 0.0 {
                break;
            }
            product *= atom_value(space, atom, scope)?.powi(power as i32);
        }
        sum += product;
    }
    Ok(sum)
}

/// A coefficient as a number.
pub(super) fn number(coefficient: &Coeff) -> f64 {
    coefficient.to_i64().map_or_else(|| coefficient.to_string().parse().unwrap_or(f64::MAX), |small| small as f64)
}

fn atom_value(space: &Space, atom: AtomId, scope: &dyn Scope) -> Result<f64, AtomId> {
    if let Some(given) = scope.given(space, atom) {
        return Ok(given);
    }
    let of = |p: &Polynomial| value(space, p, scope);
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match space.atom(atom) {
        Atom::Symbol(_) | Atom::Iteration(_) | Atom::Load { .. } => Err(atom),
        Atom::Predicate(Predicate::NonNegative(p)) => Ok(truth(of(p)? >= 0.0)),
        Atom::Predicate(Predicate::Zero(p)) => Ok(truth(of(p)? == 0.0)),
        Atom::FloorDiv(dividend, divisor) => match of(divisor)? {
            0.0 => Err(atom),
            divisor => Ok((of(dividend)? / divisor).floor()),
        },
        Atom::Wrap { signed, bits, value } => {
            let modulus = 2_f64.powi(*bits as i32);
            let reduced = of(value)?.rem_euclid(modulus);
            let is_negative = *signed == Signedness::Signed && reduced >= modulus / 2.0;
            Ok(if is_negative { reduced - modulus } else { reduced })
        }
        Atom::Op(op, operands) => {
            let operands = operands.iter().map(of).collect::<Result<Vec<f64>, AtomId>>()?;
            let mut all = operands.into_iter();
            let first = all.next().ok_or(atom)?;
            all.try_fold(first, |left, right| operation(*op, left, right).ok_or(atom))
        }
    }
}

fn operation(op: OpaqueOp, left: f64, right: f64) -> Option<f64> {
    let bits = |of: fn(i64, i64) -> i64| Some(of(left as i64, right as i64) as f64);
    match op {
        OpaqueOp::Min => Some(left.min(right)),
        OpaqueOp::Max => Some(left.max(right)),
        OpaqueOp::And => bits(|left, right| left & right),
        OpaqueOp::Or => bits(|left, right| left | right),
        OpaqueOp::Xor => bits(|left, right| left ^ right),
        OpaqueOp::Pow => (right >= 0.0).then(|| left.powf(right)),
        OpaqueOp::Shl => (right >= 0.0).then(|| left * right.exp2()),
        OpaqueOp::Shr => (right >= 0.0).then(|| (left / right.exp2()).floor()),
        OpaqueOp::TruncDiv => (right != 0.0).then(|| (left / right).trunc()),
        OpaqueOp::TruncRem => (right != 0.0).then(|| left % right),
    }
}

/// All atoms in an expression, with those that others are made of, but not what leads to a loaded value.
pub(super) fn atoms_in(space: &Space, p: &Polynomial) -> Vec<AtomId> {
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

/// Whether an expression differs from iteration to iteration of a loop, through loaded values too.
pub(super) fn varies_with(space: &Space, p: &Polynomial, index: AtomId) -> bool {
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
