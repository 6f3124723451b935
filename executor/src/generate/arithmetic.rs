//! Arithmetic of C on exact integers and on floats that hold integers (C11 6.3 and 6.5); what is undefined or inexact is refused.

use std::cmp::Ordering;

use super::syntax::{BinaryOp, Type, UnaryOp};

/// Why a program is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reject {
    /// A signed integer leaves its type, in this order of the iterations or in another.
    Overflow,
    /// A float is no integer, or beyond those that are exact.
    Inexact,
    DivisionByZero,
    /// By a negative or too large distance, or bits get lost.
    Shift,
    OutOfArray,
    /// An array has too many elements.
    TooLarge,
    /// Two iterations meet at an element.
    Conflict,
    TooManySteps,
    /// Something is read that nothing was stored to.
    NotInitialised,
    /// A loop's variable leaves its type.
    LoopWraps,
    /// It is no valid C.
    Malformed,
}

/// What evaluation comes to.
pub type Evaluated<T> = Result<T, Reject>;

/// A number while a program runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    Int(i128),
    Float(f64),
}

/// An integer made to fit by leaving out high bits.
pub fn wrapped(value: i128, ty: Type) -> i128 {
    let shift = 128 - ty.bits();
    if ty.is_signed() { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
}

/// An integer result of arithmetic: wrapped where C wraps.
pub fn fitted(value: i128, ty: Type) -> Evaluated<i128> {
    let fits = wrapped(value, ty);
    if fits == value || !ty.is_signed() { Ok(fits) } else { Err(Reject::Overflow) }
}

/// A float result: an integer that is exact, with its neighbours.
fn exact(value: f64, ty: Type) -> Evaluated<f64> {
    let exact = value.fract() == 0.0 && value.abs() <= ty.range().1 as f64;
    if exact { Ok(value) } else { Err(Reject::Inexact) }
}

/// A conversion as in an assignment.
pub fn convert(from: Type, value: Value, to: Type) -> Evaluated<Value> {
    Ok(match value {
        _ if from == to => value,
        Value::Int(value) if to.is_float() => Value::Float(exact(value as f64, to)?),
        Value::Int(value) => Value::Int(wrapped(value, to)),
        Value::Float(value) if to.is_float() => Value::Float(exact(value, to)?),
        Value::Float(value) => {
            let whole = value as i128;
            if whole != wrapped(whole, to) {
                return Err(Reject::Overflow);
            }
            Value::Int(whole)
        }
    })
}

/// The result of an operator on one number.
pub fn unary(op: UnaryOp, from: Type, value: Value) -> Evaluated<(Type, Value)> {
    let ty = from.promoted();
    Ok(match (op, value) {
        (UnaryOp::Negate, Value::Int(value)) => (ty, Value::Int(fitted(-value, ty)?)),
        (UnaryOp::Negate, Value::Float(value)) => (ty, Value::Float(-value)),
        (UnaryOp::Complement, Value::Int(value)) => (ty, Value::Int(fitted(wrapped(!value, ty), ty)?)),
        (UnaryOp::Not, Value::Int(value)) => (Type::I32, Value::Int(i128::from(value == 0))),
        (UnaryOp::Not, Value::Float(value)) => (Type::I32, Value::Int(i128::from(value == 0.0))),
        (UnaryOp::Complement, Value::Float(_)) => return Err(Reject::Malformed),
    })
}

/// The result of an operator on two numbers that both have a value anyway.
pub fn binary(op: BinaryOp, left: (Type, Value), right: (Type, Value)) -> Evaluated<(Type, Value)> {
    if op.is_shift() {
        let ty = left.0.promoted();
        let (Value::Int(a), Value::Int(b)) = (left.1, right.1) else { return Err(Reject::Malformed) };
        if b < 0 || b >= i128::from(ty.bits()) || (op == BinaryOp::ShiftLeft && a < 0) {
            return Err(Reject::Shift);
        }
        let value = if op == BinaryOp::ShiftLeft { a << b } else { a >> b };
        return Ok((ty, Value::Int(fitted(value, ty).map_err(|_| Reject::Shift)?)));
    }
    let ty = left.0.common(right.0);
    let (a, b) = (convert(left.0, left.1, ty)?, convert(right.0, right.1, ty)?);
    let value = match (a, b) {
        (Value::Int(a), Value::Int(b)) => integers(op, ty, a, b)?,
        (Value::Float(a), Value::Float(b)) => floats(op, ty, a, b)?,
        _ => return Err(Reject::Malformed),
    };
    Ok((if op.is_comparison() { Type::I32 } else { ty }, value))
}

fn integers(op: BinaryOp, ty: Type, a: i128, b: i128) -> Evaluated<Value> {
    if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && b == 0 {
        return Err(Reject::DivisionByZero);
    }
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        _ => return Ok(Value::Int(i128::from(compared(op, a.cmp(&b))?))),
    };
    Ok(Value::Int(fitted(value, ty)?))
}

fn floats(op: BinaryOp, ty: Type, a: f64, b: f64) -> Evaluated<Value> {
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        _ => {
            let ordering = a.partial_cmp(&b).ok_or(Reject::Inexact)?;
            return Ok(Value::Int(i128::from(compared(op, ordering)?)));
        }
    };
    Ok(Value::Float(exact(value, ty)?))
}

fn compared(op: BinaryOp, ordering: Ordering) -> Evaluated<bool> {
    Ok(match op {
        BinaryOp::Less => ordering.is_lt(),
        BinaryOp::LessEqual => ordering.is_le(),
        BinaryOp::Greater => ordering.is_gt(),
        BinaryOp::GreaterEqual => ordering.is_ge(),
        BinaryOp::Equal => ordering.is_eq(),
        BinaryOp::NotEqual => ordering.is_ne(),
        _ => return Err(Reject::Malformed),
    })
}
