//! Operations that compute: each on all lanes of a gang, the results to be kept for those that run.

use super::arithmetic as calculate;
use super::context::Context;
use super::gang::Gang;
use super::memory_access::Trouble;
use super::step::Running;
use super::synchronise::lanes_of;
use crate::program::*;
use std::array;

#[inline]
fn map<const W: usize>(a: &[u64; W], f: impl Fn(u64) -> u64) -> [u64; W] {
    array::from_fn(|lane| f(a[lane]))
}

#[inline]
fn map2<const W: usize>(a: &[u64; W], b: &[u64; W], f: impl Fn(u64, u64) -> u64) -> [u64; W] {
    array::from_fn(|lane| f(a[lane], b[lane]))
}

/// An operation on each lane. The common ones are written out, so that each becomes a loop of its own.
fn int<const W: usize>(op: IntOp, bits: u8, a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match op {
                $(IntOp::$op => map2(a, b, |a, b| calculate::int(IntOp::$op, bits, a, b).unwrap_or(0)),)*
                _ => map2(a, b, |a, b| calculate::int(op, bits, a, b).unwrap_or(0)),
            }
        };
    }
    each!(Add, Sub, Mul, And, Or, Xor, Shl, LShr, AShr)
}

fn compare<const W: usize>(comparison: Comparison, bits: u8, a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match comparison {
                $(Comparison::$op => map2(a, b, |a, b| calculate::compare(Comparison::$op, bits, a, b)),)*
            }
        };
    }
    each!(Eq, Ne, Ugt, Uge, Ult, Ule, Sgt, Sge, Slt, Sle)
}

fn math<const W: usize>(function: Math, width: FloatWidth, a: &[u64; W], b: &[u64; W], c: &[u64; W]) -> [u64; W] {
    macro_rules! each {
        ($($op:ident),*) => {
            match function {
                $(Math::$op => array::from_fn(|lane| calculate::math(Math::$op, width, [a[lane], b[lane], c[lane]])),)*
                _ => array::from_fn(|lane| calculate::math(function, width, [a[lane], b[lane], c[lane]])),
            }
        };
    }
    each!(Add, Sub, Mul, Div, MulAdd, Fma)
}

fn wide<const W: usize>(words: [&[u64; W]; 2], lane: usize) -> u128 {
    u128::from(words[0][lane]) | u128::from(words[1][lane]) << 64
}

impl<const W: usize> Gang<W> {
    /// Runs an operation that has a result and touches no memory.
    #[inline(always)]
    pub(super) fn compute(&mut self, context: &Context<'_, '_, W>, running: &Running, op: &Op) -> Result<(), Trouble> {
        macro_rules! value {
            ($operand:expr) => {
                self.value(context, running, $operand)
            };
        }
        match *op {
            Op::Copy { to, from } => self.put(running, to, *value!(from)),
            Op::Int { op, bits, to, a, b } => {
                let (a, b) = (value!(a), value!(b));
                check_division(op, bits, running.lanes, a, b)?;
                self.put(running, to, int(op, bits, a, b))
            }
            Op::Compare { comparison, bits, to, a, b } => {
                self.put(running, to, compare(comparison, bits, value!(a), value!(b)))
            }
            Op::WideCompare { comparison, bits, to, a, b } => {
                let (a, b) = (a.map(|a| value!(a)), b.map(|b| value!(b)));
                self.put(
                    running,
                    to,
                    array::from_fn(|lane| calculate::wide_compare(comparison, bits, wide(a, lane), wide(b, lane))),
                )
            }
            Op::IntFunction { function, bits, to, a } => {
                self.put(running, to, map(value!(a), |a| calculate::int_function(function, bits, a)))
            }
            Op::Math { function, width, to, arguments: [a, b, c] } => {
                self.put(running, to, math(function, width, value!(a), value!(b), value!(c)))
            }
            Op::FloatCompare { comparison, width, to, a, b } => self.put(
                running,
                to,
                map2(value!(a), value!(b), |a, b| calculate::float_compare(comparison, width, a, b)),
            ),
            Op::IsClass { width, classes, to, a } => {
                self.put(running, to, map(value!(a), |a| calculate::is_class(width, classes, a)))
            }
            Op::Convert { conversion, to, a } => self.put(running, to, convert(conversion, value!(a))),
            Op::Select { to, condition, a, b } => {
                let (condition, a, b) = (value!(condition), value!(a), value!(b));
                self.put(running, to, array::from_fn(|lane| if condition[lane] & 1 == 1 { a[lane] } else { b[lane] }))
            }
            Op::Index { to, base, index, bits, scale, pointer_bits } => {
                let moved = |base: u64, index: u64| {
                    let bytes = calculate::signed(index, bits).wrapping_mul(scale);
                    calculate::low(base.wrapping_add(bytes as u64), pointer_bits)
                };
                self.put(running, to, map2(value!(base), value!(index), moved))
            }
            Op::Extract { to, from, count, index } => {
                let index = value!(index);
                let values = &self.frames[running.frame].values;
                let element = |lane: usize| (from + (index[lane] as u32).min(count - 1)) as usize;
                self.put(running, to, array::from_fn(|lane| values[element(lane)][lane]))
            }
            Op::Funnel { shift, bits, to, arguments: [a, b, c] } => {
                let (a, b, c) = (value!(a), value!(b), value!(c));
                self.put(
                    running,
                    to,
                    array::from_fn(|lane| calculate::funnel(shift, bits, [a[lane], b[lane], c[lane]])),
                )
            }
            Op::BytePermute { to, arguments: [a, b, c] } => {
                let (a, b, c) = (value!(a), value!(b), value!(c));
                self.put(running, to, array::from_fn(|lane| calculate::byte_permute([a[lane], b[lane], c[lane]])))
            }
            Op::IsInWindow { to, address, window } => {
                self.put(running, to, map(value!(address), |address| u64::from(window_of(address) == Some(window))))
            }
            Op::Read { register, to } => {
                let first = self.warp * context.program.lanes + self.first_lane;
                let active = running.lanes << self.first_lane;
                let read = |lane| context.register(register, first + lane as u32, active, self.steps);
                self.put(running, to, array::from_fn(read))
            }
            _ => return self.compute_slots(context, running, op),
        }
        Ok(())
    }

    /// Those with results in several slots, or in one that the operation chooses.
    fn compute_slots(&mut self, context: &Context<'_, '_, W>, running: &Running, op: &Op) -> Result<(), Trouble> {
        let value = |operand| self.value(context, running, operand);
        match *op {
            Op::WideInt { op, bits, to, a, b } => {
                let (a, b) = (a.map(value), b.map(value));
                let words: [Option<u128>; W] =
                    array::from_fn(|lane| calculate::wide_int(op, bits, wide(a, lane), wide(b, lane)));
                if let Some(lane) = lanes_of(running.lanes).find(|&lane| words[lane as usize].is_none()) {
                    return Err(division(lane));
                }
                self.put_wide(running, to, words.map(|word| word.unwrap_or(0)));
            }
            Op::WideSignExtend { from, to, a, bits } => {
                let words = value(a).map(|word| calculate::wide_sign_extend(word, from, bits));
                self.put_wide(running, to, words);
            }
            Op::Words { op, to, operands } => {
                let operands = &context.program.operands[operands.range()];
                let count = operands.len() / 2;
                let results = if matches!(op, WordsOp::Compare(_)) { 1 } else { count };
                let mut words = vec![[0; W]; results];
                for lane in 0..W {
                    let given: Vec<u64> = operands.iter().map(|&operand| value(operand)[lane]).collect();
                    let made = calculate::words(op, &given[..count], &given[count..]);
                    words.iter_mut().zip(made).for_each(|(word, made)| word[lane] = made);
                }
                for (to, words) in (to..).zip(words) {
                    self.put(running, to, words);
                }
            }
            Op::Insert { to, count, index, value: inserted } => {
                let (index, word) = (*value(index), *value(inserted));
                for lane in lanes_of(running.lanes) {
                    let element = (index[lane as usize] as u32).min(count - 1);
                    self.frames[running.frame].values[(to + element) as usize][lane as usize] = word[lane as usize];
                }
            }
            _ => unreachable!("{op:?} computes nothing"),
        }
        Ok(())
    }

    fn put_wide(&mut self, running: &Running, to: Slot, words: [u128; W]) {
        self.put(running, to, words.map(|word| word as u64));
        self.put(running, to + 1, words.map(|word| (word >> 64) as u64));
    }
}

fn convert<const W: usize>(conversion: Conversion, a: &[u64; W]) -> [u64; W] {
    match conversion {
        Conversion::Truncate { bits } => map(a, |a| calculate::low(a, bits)),
        Conversion::SignExtend { from, to } => map(a, |a| calculate::low(calculate::signed(a, from) as u64, to)),
        _ => map(a, |a| calculate::convert(conversion, a)),
    }
}

/// Refuses a division by zero, or one whose quotient does not fit, in a lane that runs.
#[inline]
fn check_division<const W: usize>(op: IntOp, bits: u8, lanes: u64, a: &[u64; W], b: &[u64; W]) -> Result<(), Trouble> {
    if matches!(op, IntOp::UDiv | IntOp::SDiv | IntOp::URem | IntOp::SRem) {
        let fails = |&lane: &u32| calculate::int(op, bits, a[lane as usize], b[lane as usize]).is_none();
        if let Some(lane) = lanes_of(lanes).find(fails) {
            return Err(division(lane));
        }
    }
    Ok(())
}

fn division(lane: u32) -> Trouble {
    Trouble { message: calculate::DIVISION.into(), lane: Some(lane) }
}
