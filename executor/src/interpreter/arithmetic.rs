//! Arithmetic on machine words: integers zero-extended from their width, floating-point numbers as bits.

use super::special;
use crate::program::{
    Comparison, Conversion, FloatComparison, FloatWidth, Funnel, IntFunction, IntOp, Math, Update, WordsOp,
};

/// The low `bits` bits.
#[inline]
pub(super) fn low(word: u64, bits: u8) -> u64 {
    if bits >= 64 { word } else { word & ((1 << bits) - 1) }
}

/// The word as a signed number of `bits` bits.
#[inline]
pub(super) fn signed(word: u64, bits: u8) -> i64 {
    let unused = 64 - u32::from(bits.clamp(1, 64));
    ((word << unused) as i64) >> unused
}

fn low_wide(word: u128, bits: u8) -> u128 {
    if bits >= 128 { word } else { word & ((1 << bits) - 1) }
}

fn signed_wide(word: u128, bits: u8) -> i128 {
    let unused = 128 - u32::from(bits.clamp(1, 128));
    ((word << unused) as i128) >> unused
}

/// The sentence for a division that has no result.
pub(super) const DIVISION: &str = "a division by zero, or of the least number by -1";

/// An operation on integers of up to 64 bits; `None` for a division that has no result. A shift by the width or more gives 0.
#[inline]
pub(super) fn int(op: IntOp, bits: u8, a: u64, b: u64) -> Option<u64> {
    let (sa, sb) = (signed(a, bits), signed(b, bits));
    let most = || (1_i128 << (bits - 1)) - 1;
    let clamp = |value: i128| value.clamp(-most() - 1, most()) as u64;
    let fits = |value: i128| (-most() - 1..=most()).contains(&value);
    let word = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::Mul => a.wrapping_mul(b),
        IntOp::UDiv => a.checked_div(b)?,
        IntOp::URem => a.checked_rem(b)?,
        IntOp::SDiv => sa.checked_div(sb).filter(|&quotient| fits(quotient.into()))? as u64,
        IntOp::SRem => {
            if sb == 0 || (sb == -1 && !fits(-i128::from(sa))) {
                return None;
            }
            sa.wrapping_rem(sb) as u64
        }
        IntOp::Shl => {
            if b < u64::from(bits) {
                a << b
            } else {
                0
            }
        }
        IntOp::LShr => {
            if b < u64::from(bits) {
                a >> b
            } else {
                0
            }
        }
        IntOp::AShr => {
            if b < u64::from(bits) {
                (sa >> b) as u64
            } else {
                0
            }
        }
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::SMin => sa.min(sb) as u64,
        IntOp::SMax => sa.max(sb) as u64,
        IntOp::UMin => a.min(b),
        IntOp::UMax => a.max(b),
        IntOp::UAddSat => (u128::from(a) + u128::from(b)).min(u128::from(low(u64::MAX, bits))) as u64,
        IntOp::USubSat => a.saturating_sub(b),
        IntOp::SAddSat => clamp(i128::from(sa) + i128::from(sb)),
        IntOp::SSubSat => clamp(i128::from(sa) - i128::from(sb)),
        IntOp::UAddOverflows => u64::from(u128::from(a) + u128::from(b) > u128::from(low(u64::MAX, bits))),
        IntOp::SAddOverflows => u64::from(!fits(i128::from(sa) + i128::from(sb))),
        IntOp::USubOverflows => u64::from(b > a),
        IntOp::SSubOverflows => u64::from(!fits(i128::from(sa) - i128::from(sb))),
        IntOp::UMulOverflows => u64::from(u128::from(a) * u128::from(b) > u128::from(low(u64::MAX, bits))),
        IntOp::SMulOverflows => u64::from(!fits(i128::from(sa) * i128::from(sb))),
        IntOp::MulHighU => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        IntOp::MulHighS => ((i128::from(sa) * i128::from(sb)) >> bits) as u64,
    };
    Some(low(word, bits))
}

/// As [`int`], on up to 128 bits.
pub(super) fn wide_int(op: IntOp, bits: u8, a: u128, b: u128) -> Option<u128> {
    let (sa, sb) = (signed_wide(a, bits), signed_wide(b, bits));
    let small = b < u128::from(bits);
    let most = (u128::MAX >> (129 - u32::from(bits.clamp(1, 128)))) as i128;
    let clamp = |value: i128| value.clamp(-most - 1, most);
    let word = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::Mul => a.wrapping_mul(b),
        IntOp::UDiv => a.checked_div(b)?,
        IntOp::URem => a.checked_rem(b)?,
        IntOp::SDiv => sa.checked_div(sb).filter(|&quotient| clamp(quotient) == quotient)? as u128,
        IntOp::SRem if sb == -1 && sa == -most - 1 => return None,
        IntOp::SRem => sa.checked_rem(sb)? as u128,
        IntOp::Shl => {
            if small {
                a << b
            } else {
                0
            }
        }
        IntOp::LShr => {
            if small {
                a >> b
            } else {
                0
            }
        }
        IntOp::AShr => {
            if small {
                (sa >> b) as u128
            } else {
                0
            }
        }
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::SMin => sa.min(sb) as u128,
        IntOp::SMax => sa.max(sb) as u128,
        IntOp::UMin => a.min(b),
        IntOp::UMax => a.max(b),
        IntOp::UAddSat => a.saturating_add(b).min(low_wide(u128::MAX, bits)),
        IntOp::USubSat => a.saturating_sub(b),
        IntOp::SAddSat => clamp(sa.saturating_add(sb)) as u128,
        IntOp::SSubSat => clamp(sa.saturating_sub(sb)) as u128,
        // The translation makes no others of this width.
        _ => return None,
    };
    Some(low_wide(word, bits))
}

fn holds<T: Ord, S: Ord>(comparison: Comparison, unsigned: (T, T), signed: (S, S)) -> bool {
    match comparison {
        Comparison::Eq => unsigned.0 == unsigned.1,
        Comparison::Ne => unsigned.0 != unsigned.1,
        Comparison::Ugt => unsigned.0 > unsigned.1,
        Comparison::Uge => unsigned.0 >= unsigned.1,
        Comparison::Ult => unsigned.0 < unsigned.1,
        Comparison::Ule => unsigned.0 <= unsigned.1,
        Comparison::Sgt => signed.0 > signed.1,
        Comparison::Sge => signed.0 >= signed.1,
        Comparison::Slt => signed.0 < signed.1,
        Comparison::Sle => signed.0 <= signed.1,
    }
}

#[inline]
pub(super) fn compare(comparison: Comparison, bits: u8, a: u64, b: u64) -> u64 {
    u64::from(holds(comparison, (a, b), (signed(a, bits), signed(b, bits))))
}

pub(super) fn wide_compare(comparison: Comparison, bits: u8, a: u128, b: u128) -> u64 {
    u64::from(holds(comparison, (a, b), (signed_wide(a, bits), signed_wide(b, bits))))
}

/// The words of a result, of numbers of as many words, the low one first; a comparison has one.
pub(super) fn words(op: WordsOp, a: &[u64], b: &[u64]) -> Vec<u64> {
    let both = |of: fn(u64, u64) -> u64| a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect();
    match op {
        WordsOp::And => both(|a, b| a & b),
        WordsOp::Or => both(|a, b| a | b),
        WordsOp::Xor => both(|a, b| a ^ b),
        WordsOp::Add => added(a, b.iter().copied(), 0),
        // In two's complement.
        WordsOp::Sub => added(a, b.iter().map(|word| !word), 1),
        WordsOp::Mul => {
            let mut product = vec![0; a.len()];
            for (low, &one) in a.iter().enumerate() {
                let mut carry = 0;
                for (place, &other) in (low..a.len()).zip(b) {
                    let sum = u128::from(one) * u128::from(other) + u128::from(product[place]) + carry;
                    product[place] = sum as u64;
                    carry = sum >> 64;
                }
            }
            product
        }
        WordsOp::Shl => {
            // A product with a power of two; none of longer shifts, whose result is poison.
            let mut factor = vec![0; a.len()];
            if let Some(word) = factor.get_mut((b[0] / 64) as usize) {
                *word = 1 << (b[0] % 64);
            }
            words(WordsOp::Mul, a, &factor)
        }
        WordsOp::Choose(comparison) => {
            let is_first = words(WordsOp::Compare(comparison), a, b) == [1];
            if is_first { a.to_vec() } else { b.to_vec() }
        }
        WordsOp::Compare(comparison) => {
            let order = a.iter().rev().cmp(b.iter().rev());
            let sign = |words: &[u64]| words.last().map_or(0, |&word| word as i64 >> 63);
            let signed = sign(a).cmp(&sign(b)).then(order);
            vec![u64::from(holds(comparison, (order as i8, 0), (signed as i8, 0)))]
        }
    }
}

fn added(a: &[u64], b: impl Iterator<Item = u64>, first: u128) -> Vec<u64> {
    let mut carry = first;
    let sum = |(&a, b)| {
        let sum = u128::from(a) + u128::from(b) + carry;
        carry = sum >> 64;
        sum as u64
    };
    a.iter().zip(b).map(sum).collect()
}

/// The two words of a sign-extended number.
pub(super) fn wide_sign_extend(word: u64, from: u8, bits: u8) -> u128 {
    low_wide(signed(word, from) as i128 as u128, bits)
}

pub(super) fn int_function(function: IntFunction, bits: u8, a: u64) -> u64 {
    let unused = 64 - u32::from(bits);
    let word = match function {
        IntFunction::CountOnes => a.count_ones().into(),
        IntFunction::LeadingZeros => u64::from(a.leading_zeros()) - u64::from(unused),
        IntFunction::TrailingZeros => u64::from(a.trailing_zeros()).min(bits.into()),
        IntFunction::SwapBytes => a.swap_bytes() >> unused,
        IntFunction::ReverseBits => a.reverse_bits() >> unused,
        IntFunction::Abs => signed(a, bits).unsigned_abs(),
    };
    low(word, bits)
}

#[inline]
fn single(word: u64) -> f32 {
    f32::from_bits(word as u32)
}

#[inline]
fn double(word: u64) -> f64 {
    f64::from_bits(word)
}

macro_rules! math {
    ($function:expr, $float:ty, $special:path, $a:expr, $b:expr, $c:expr, $integer:expr) => {{
        let (a, b, c): ($float, $float, $float) = ($a, $b, $c);
        match $function {
            Math::Add => a + b,
            Math::Sub => a - b,
            Math::Mul => a * b,
            Math::Div => a / b,
            Math::Rem => a % b,
            Math::Neg => -a,
            Math::Abs => a.abs(),
            Math::Sqrt => a.sqrt(),
            Math::ReciprocalSqrt => 1.0 / a.sqrt(),
            Math::Floor => a.floor(),
            Math::Ceil => a.ceil(),
            Math::Trunc => a.trunc(),
            Math::RoundEven => a.round_ties_even(),
            Math::Round => a.round(),
            Math::Fma => a.mul_add(b, c),
            Math::MulAdd => a * b + c,
            Math::Min => a.min(b),
            Math::Max => a.max(b),
            Math::CopySign => a.copysign(b),
            Math::Exp => a.exp(),
            Math::Exp2 => a.exp2(),
            Math::Exp10 => (10.0 as $float).powf(a),
            Math::ExpM1 => a.exp_m1(),
            Math::Log => a.ln(),
            Math::Log2 => a.log2(),
            Math::Log10 => a.log10(),
            Math::Log1p => a.ln_1p(),
            Math::Sin => a.sin(),
            Math::Cos => a.cos(),
            Math::Tan => a.tan(),
            Math::Asin => a.asin(),
            Math::Acos => a.acos(),
            Math::Atan => a.atan(),
            Math::Atan2 => a.atan2(b),
            Math::Sinh => a.sinh(),
            Math::Cosh => a.cosh(),
            Math::Tanh => a.tanh(),
            Math::Pow => a.powf(b),
            Math::PowI => a.powi($integer),
            Math::Cbrt => a.cbrt(),
            Math::Hypot => a.hypot(b),
            Math::Special(function) => $special(function, a, b, $integer),
            // In steps, each of which is exact but for the last.
            Math::Ldexp => {
                let (mut scaled, mut left) = (a, $integer.clamp(-5000, 5000));
                while left != 0 && scaled.is_finite() && scaled != 0.0 {
                    let step = left.clamp(-100, 100);
                    scaled *= (2.0 as $float).powi(step);
                    left -= step;
                }
                scaled
            }
            Math::Minimum | Math::Maximum if a.is_nan() || b.is_nan() => a + b,
            Math::Minimum => {
                if a < b || (a == b && a.is_sign_negative()) {
                    a
                } else {
                    b
                }
            }
            Math::Maximum => {
                if a > b || (a == b && a.is_sign_positive()) {
                    a
                } else {
                    b
                }
            }
        }
    }};
}

#[inline]
pub(super) fn math(function: Math, width: FloatWidth, [a, b, c]: [u64; 3]) -> u64 {
    // These change the sign alone. Which NaN the others give is up to the processor, and to how this code was compiled.
    let keeps_bits = matches!(function, Math::Neg | Math::Abs | Math::CopySign);
    match width {
        FloatWidth::Single => {
            let result =
                math!(function, f32, special::of_floats, single(a), single(b), single(c), signed(b, 32) as i32);
            if result.is_nan() && !keeps_bits { f32::NAN } else { result }.to_bits().into()
        }
        FloatWidth::Double => {
            let result =
                math!(function, f64, special::of_doubles, double(a), double(b), double(c), signed(b, 32) as i32);
            if result.is_nan() && !keeps_bits { f64::NAN } else { result }.to_bits()
        }
    }
}

#[inline]
pub(super) fn float_compare(comparison: FloatComparison, width: FloatWidth, a: u64, b: u64) -> u64 {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match width {
        FloatWidth::Single => single(a).partial_cmp(&single(b)),
        FloatWidth::Double => double(a).partial_cmp(&double(b)),
    };
    u64::from(match order {
        Some(Equal) => comparison.equal,
        Some(Greater) => comparison.greater,
        Some(Less) => comparison.less,
        None => comparison.unordered,
    })
}

/// Whether a number is in one of the classes of LLVM's `is.fpclass`.
pub(super) fn is_class(width: FloatWidth, classes: u16, word: u64) -> u64 {
    use std::num::FpCategory;
    let (category, negative, quiet) = match width {
        FloatWidth::Single => (single(word).classify(), single(word).is_sign_negative(), word & (1 << 22) != 0),
        FloatWidth::Double => (double(word).classify(), double(word).is_sign_negative(), word & (1 << 51) != 0),
    };
    let class = match (category, negative) {
        (FpCategory::Nan, _) => {
            if quiet {
                1
            } else {
                0
            }
        }
        (FpCategory::Infinite, true) => 2,
        (FpCategory::Normal, true) => 3,
        (FpCategory::Subnormal, true) => 4,
        (FpCategory::Zero, true) => 5,
        (FpCategory::Zero, false) => 6,
        (FpCategory::Subnormal, false) => 7,
        (FpCategory::Normal, false) => 8,
        (FpCategory::Infinite, false) => 9,
    };
    // LLVM's order: signalling NaN is bit 0, quiet NaN bit 1.
    u64::from(classes >> class & 1)
}

#[inline]
pub(super) fn convert(conversion: Conversion, word: u64) -> u64 {
    let to_signed = |value: f64, bits: u8| {
        let most = ((1_i128 << (bits - 1)) - 1) as i64;
        low((value as i64).clamp(-most - 1, most) as u64, bits)
    };
    let to_unsigned = |value: f64, bits: u8| (value as u64).min(low(u64::MAX, bits));
    let number = |from: FloatWidth| match from {
        FloatWidth::Single => f64::from(single(word)),
        FloatWidth::Double => double(word),
    };
    match conversion {
        Conversion::Truncate { bits } => low(word, bits),
        Conversion::SignExtend { from, to } => low(signed(word, from) as u64, to),
        Conversion::FloatToSigned { from, bits } => to_signed(number(from), bits),
        Conversion::FloatToUnsigned { from, bits } => to_unsigned(number(from), bits),
        Conversion::SignedToFloat { bits, to: FloatWidth::Single } => (signed(word, bits) as f32).to_bits().into(),
        Conversion::SignedToFloat { bits, to: FloatWidth::Double } => (signed(word, bits) as f64).to_bits(),
        Conversion::UnsignedToFloat { to: FloatWidth::Single } => (word as f32).to_bits().into(),
        Conversion::UnsignedToFloat { to: FloatWidth::Double } => (word as f64).to_bits(),
        Conversion::SingleToDouble => f64::from(single(word)).to_bits(),
        Conversion::DoubleToSingle => (double(word) as f32).to_bits().into(),
        // A null pointer of the window is all ones, a generic one is zero.
        Conversion::WindowToGeneric { window } => {
            if word == u64::from(u32::MAX) {
                0
            } else {
                window + word
            }
        }
        Conversion::GenericToWindow { window } => {
            if word == 0 {
                u64::from(u32::MAX)
            } else {
                low(word.wrapping_sub(window), 32)
            }
        }
    }
}

/// The new value of an atomic update.
pub(super) fn update(update: Update, bits: u8, old: u64, operand: u64) -> u64 {
    match update {
        Update::Exchange => operand,
        Update::Int(op) => int(op, bits, old, operand).unwrap_or(0),
        Update::Nand => low(!(old & operand), bits),
        Update::Float(function, width) => math(function, width, [old, operand, 0]),
        Update::IncrementWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        Update::DecrementWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
    }
}

/// The bits of `a` and `b`, one after the other, moved by `c`.
pub(super) fn funnel(shift: Funnel, bits: u8, [a, b, c]: [u64; 3]) -> u64 {
    let both = u128::from(a) << bits | u128::from(b);
    let by = c % u64::from(bits);
    let moved = match shift {
        Funnel::Left => (both << by) >> bits,
        Funnel::Right => both >> by,
    };
    low(moved as u64, bits)
}

/// NVIDIA's `prmt`: four bytes of eight, chosen by the nibbles of `c`.
pub(super) fn byte_permute([a, b, c]: [u64; 3]) -> u64 {
    let bytes = ((b << 32) | low(a, 32)).to_le_bytes();
    (0..4).fold(0, |word, index| {
        let choice = c >> (4 * index);
        let byte = bytes[(choice & 7) as usize];
        let byte = if choice & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
        word | u64::from(byte) << (8 * index)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_wide_numbers_agree() {
        let numbers = [0, 1, -1, 7, -9, i128::from(u64::MAX), i128::from(i64::MIN), 1 << 100, -(1 << 100) + 5];
        let of = |number: i128| [number as u64, (number >> 64) as u64];
        let longer =
            |number: i128| [number as u64, (number >> 64) as u64, (number >> 127) as u64, (number >> 127) as u64];
        for a in numbers {
            for b in numbers {
                let result = |op| words(op, &of(a), &of(b));
                assert_eq!(result(WordsOp::Add), of(a.wrapping_add(b)));
                assert_eq!(result(WordsOp::Sub), of(a.wrapping_sub(b)));
                assert_eq!(result(WordsOp::Mul), of(a.wrapping_mul(b)));
                let by = b as u64 % 128;
                assert_eq!(words(WordsOp::Shl, &of(a), &of(by.into())), of(a << by));
                let compare = |comparison| words(WordsOp::Compare(comparison), &longer(a), &longer(b));
                assert_eq!(compare(Comparison::Slt), [u64::from(a < b)], "{a} {b}");
                assert_eq!(compare(Comparison::Uge), [u64::from(a as u128 >= b as u128)]);
                assert_eq!(compare(Comparison::Eq), [u64::from(a == b)]);
                assert_eq!(words(WordsOp::Choose(Comparison::Sgt), &longer(a), &longer(b)), longer(a.max(b)));
                assert_eq!(words(WordsOp::Choose(Comparison::Slt), &longer(a), &longer(b)), longer(a.min(b)));
            }
        }
    }

    #[test]
    fn narrow_and_wide_agree() {
        let ops = [
            IntOp::Add,
            IntOp::Sub,
            IntOp::Mul,
            IntOp::UDiv,
            IntOp::SDiv,
            IntOp::URem,
            IntOp::SRem,
            IntOp::Shl,
            IntOp::LShr,
            IntOp::AShr,
            IntOp::And,
            IntOp::Or,
            IntOp::Xor,
            IntOp::SMin,
            IntOp::SMax,
            IntOp::UMin,
            IntOp::UMax,
            IntOp::UAddSat,
            IntOp::USubSat,
            IntOp::SAddSat,
            IntOp::SSubSat,
        ];
        let words = [0, 1, 2, 5, 7, 127, 128, 129, 200, 254, 255];
        for op in ops {
            for a in words {
                for b in words {
                    let narrow = int(op, 8, a, b).map(u128::from);
                    assert_eq!(narrow, wide_int(op, 8, a.into(), b.into()), "{op:?} of {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn overflows_are_reported() {
        let cases = [
            (IntOp::UAddOverflows, 200, 56, 1),
            (IntOp::UAddOverflows, 200, 55, 0),
            (IntOp::SAddOverflows, 100, 28, 1),
            (IntOp::SAddOverflows, 100, 27, 0),
            (IntOp::USubOverflows, 1, 2, 1),
            (IntOp::SSubOverflows, 128, 1, 1),
            (IntOp::UMulOverflows, 16, 16, 1),
            (IntOp::SMulOverflows, 16, 8, 1),
            (IntOp::SMulOverflows, 16, 7, 0),
        ];
        for (op, a, b, expected) in cases {
            assert_eq!(int(op, 8, a, b), Some(expected), "{op:?} of {a} and {b}");
        }
        assert_eq!(int(IntOp::SDiv, 8, 128, 255), None, "-128 / -1 has no result");
        assert_eq!(int(IntOp::MulHighU, 32, 1 << 31, 6), Some(3));
        assert_eq!(int(IntOp::MulHighS, 32, u32::MAX.into(), 2), Some(u32::MAX.into()));
    }

    #[test]
    fn conversions_keep_to_their_width() {
        assert_eq!(convert(Conversion::SignExtend { from: 8, to: 32 }, 0x80), 0xffff_ff80);
        assert_eq!(convert(Conversion::Truncate { bits: 4 }, 0xab), 0xb);
        let minus_two = (-2.7_f64).to_bits();
        assert_eq!(convert(Conversion::FloatToSigned { from: FloatWidth::Double, bits: 32 }, minus_two), 0xffff_fffe);
        let large = 1e30_f32.to_bits().into();
        assert_eq!(convert(Conversion::FloatToSigned { from: FloatWidth::Single, bits: 32 }, large), 0x7fff_ffff);
        assert_eq!(f32::from_bits(convert(Conversion::UnsignedToFloat { to: FloatWidth::Single }, 3) as u32), 3.0);
        assert_eq!(funnel(Funnel::Left, 8, [0b1000_0001, 0b1100_0000, 1]), 0b0000_0011);
        assert_eq!(funnel(Funnel::Right, 8, [1, 0b1100_0000, 1]), 0b1110_0000);
        assert_eq!(byte_permute([0x4433_2211, 0x8877_6655, 0x3210]), 0x4433_2211);
        assert_eq!(byte_permute([0x4433_2211, 0x8877_6655, 0x7654]), 0x8877_6655);
        assert_eq!(update(Update::IncrementWrap, 32, 4, 4), 0);
        assert_eq!(update(Update::DecrementWrap, 32, 0, 4), 4);
    }
}
