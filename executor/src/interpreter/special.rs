//! Functions of mathematics that Rust's library lacks: those of the C library here. Their last bits are no device's.

#[link(name = "m")]
unsafe extern "C" {
    safe fn tgamma(x: f64) -> f64;
    safe fn lgamma(x: f64) -> f64;
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn j0(x: f64) -> f64;
    safe fn j1(x: f64) -> f64;
    safe fn jn(n: i32, x: f64) -> f64;
    safe fn y0(x: f64) -> f64;
    safe fn y1(x: f64) -> f64;
    safe fn yn(n: i32, x: f64) -> f64;
    safe fn logb(x: f64) -> f64;
    safe fn remainder(x: f64, y: f64) -> f64;
    safe fn nextafter(x: f64, y: f64) -> f64;
    safe fn nextafterf(x: f32, y: f32) -> f32;
}

/// Functions of numbers of one type, computed as `double`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Gamma,
    LogGamma,
    Erf,
    Erfc,
    J0,
    J1,
    /// `b` is the number, `a` the integer.
    Jn,
    Y0,
    Y1,
    Yn,
    Logb,
    Acosh,
    Asinh,
    Atanh,
    PositiveDifference,
    /// The rest of the quotient that is rounded to the nearest.
    Remainder,
    /// The last three bits of that quotient.
    Quotient,
    /// Towards the second number.
    NextAfter,
    /// The part behind the point.
    Fraction,
    /// The number with an exponent of 0, between 1/2 and 1.
    Mantissa,
    /// That exponent.
    Exponent,
}

pub(super) fn of_doubles(function: Special, a: f64, b: f64, integer: i32) -> f64 {
    match function {
        Special::Gamma => tgamma(a),
        Special::LogGamma => lgamma(a),
        Special::Erf => erf(a),
        Special::Erfc => erfc(a),
        Special::J0 => j0(a),
        Special::J1 => j1(a),
        Special::Jn => jn(integer, a),
        Special::Y0 => y0(a),
        Special::Y1 => y1(a),
        Special::Yn => yn(integer, a),
        Special::Logb => logb(a),
        Special::Acosh => a.acosh(),
        Special::Asinh => a.asinh(),
        Special::Atanh => a.atanh(),
        Special::PositiveDifference if a.is_nan() || b.is_nan() => f64::NAN,
        Special::PositiveDifference => (a - b).max(0.0),
        Special::Remainder => remainder(a, b),
        Special::Quotient => {
            let quotient = ((a - remainder(a, b)) / b).round();
            if quotient.is_finite() { quotient % 8.0 } else { 0.0 }
        }
        Special::NextAfter => nextafter(a, b),
        Special::Fraction if a.is_infinite() => 0.0_f64.copysign(a),
        Special::Fraction => (a - a.trunc()).copysign(a),
        Special::Mantissa | Special::Exponent if a == 0.0 || !a.is_finite() => {
            if function == Special::Mantissa {
                a
            } else {
                0.0
            }
        }
        Special::Exponent => logb(a) + 1.0,
        Special::Mantissa => {
            // In two steps: the power alone may be out of range.
            let exponent = logb(a) as i32 + 1;
            let half = exponent / 2;
            a * 2.0_f64.powi(-half) * 2.0_f64.powi(half - exponent)
        }
    }
}

pub(super) fn of_floats(function: Special, a: f32, b: f32, integer: i32) -> f32 {
    match function {
        Special::NextAfter => nextafterf(a, b),
        _ => of_doubles(function, a.into(), b.into(), integer) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two(function: Special, a: f64, b: f64) -> f64 {
        of_doubles(function, a, b, b as i32)
    }

    #[test]
    fn numbers_come_apart_and_together() {
        for a in [0.75, -13.5, 1e-310, 3e300, 8.0] {
            let (mantissa, exponent) = (two(Special::Mantissa, a, 0.0), two(Special::Exponent, a, 0.0));
            assert!((0.5..1.0).contains(&mantissa.abs()), "{a}: {mantissa}");
            assert_eq!(
                mantissa * 2.0_f64.powi(exponent as i32 / 2) * 2.0_f64.powi(exponent as i32 - exponent as i32 / 2),
                a
            );
            assert_eq!(a.trunc() + two(Special::Fraction, a, 0.0), a);
        }
        assert_eq!(two(Special::Fraction, f64::NEG_INFINITY, 0.0).to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn functions_are_those_of_their_names() {
        assert_eq!(two(Special::Gamma, 5.0, 0.0), 24.0);
        assert_eq!((two(Special::Remainder, 7.0, 2.0), two(Special::Quotient, 7.0, 2.0)), (-1.0, 4.0));
        assert_eq!(two(Special::Jn, 1.5, 1.0), j1(1.5));
        assert_eq!(two(Special::NextAfter, 1.0, 2.0), 1.0 + f64::EPSILON);
        assert_eq!(of_floats(Special::NextAfter, 1.0, 2.0, 0), 1.0 + f32::EPSILON);
    }
}
