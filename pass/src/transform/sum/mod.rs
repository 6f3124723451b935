//! Values that are known when a kernel begins, as sums of products of its arguments and of operations on such sums, and code that computes
//! them exactly.

mod text;

use ipda_llvm::{Code, Opcode, Type, Value, constant, integer};
use ipda_symbolic::{Coeff, Signedness};
use llvm_sys::LLVMIntPredicate;

/// The most bits in which a sum is computed.
const MAX_BITS: u32 = 256;
/// The bits of addresses, and of the largest numbers that GPUs compute with.
const WORD_BITS: u32 = 64;
/// The most bits in which numbers are divided: wider quotients are computed bit by bit.
const DIVISION_BITS: u32 = 64;
/// The most sums in each other.
pub(super) const MAX_DEPTH: u32 = 8;
/// Numbers of more bits are taken to fit in so many, which is tested: products of wide numbers take many registers.
const NUMBER_BITS: u32 = 32;

/// A variable that a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    /// Position among the kernel's parameters.
    pub param: usize,
    pub bits: u32,
    pub reading: Signedness,
    pub is_pointer: bool,
}

/// A sum of products of given variables and operations, with their powers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    terms: Vec<(Coeff, Vec<(Factor, u32)>)>,
    /// In which no part of it overflows, as a number with a sign.
    needed: u32,
}

/// A product of factors with their powers.
pub(super) type Powers = [(Factor, u32)];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Factor {
    Given(Given),
    Operation(Operation, Vec<Sum>),
}

/// What is computed of sums that has no form as a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Min,
    Max,
    /// Of the first by the second, rounded down. The second must be positive.
    Quotient,
    /// Rounded towards 0.
    Truncated,
    /// 1 where it is at least 0, else 0.
    NotNegative,
    /// 1 where it is 0, else 0.
    Zero,
    /// The low bits, read in one way.
    Low(u32, Signedness),
}

impl Given {
    /// Whether sums with it are right only where it fits in fewer bits than it has.
    pub(crate) fn is_taken_as_small(&self) -> bool {
        !self.is_pointer && self.bits > NUMBER_BITS
    }

    fn computed_bits(&self) -> u32 {
        if self.is_taken_as_small() { NUMBER_BITS } else { self.bits }
    }

    /// Whether it is as small as it is taken to be, as code. What is never negative has to be so as a number with a sign.
    pub(crate) fn is_small(&self, here: &Code, params: &[Value], like: Value) -> Value {
        let [narrow, wide] = [NUMBER_BITS, self.bits].map(|bits| integer(like, bits));
        let number = here.resize(params[self.param], wide, Signedness::Unsigned);
        if self.reading == Signedness::Unsigned {
            let end = Value::int_of(wide, 1 << (NUMBER_BITS - 1));
            return here.compare(LLVMIntPredicate::LLVMIntULT, number, end);
        }
        let read_back = here.resize(here.resize(number, narrow, Signedness::Unsigned), wide, Signedness::Signed);
        here.compare(LLVMIntPredicate::LLVMIntEQ, number, read_back)
    }

    /// Its value, in a type that holds it.
    fn compute(&self, here: &Code, params: &[Value], ty: Type, like: Value) -> Value {
        let param = params[self.param];
        let number = if self.is_pointer { here.address(param, integer(like, 64)) } else { param };
        let reading = if self.is_taken_as_small() { Signedness::Signed } else { self.reading };
        let number = here.resize(number, integer(like, self.computed_bits()), Signedness::Unsigned);
        here.resize(number, ty, reading)
    }
}

impl Sum {
    /// None where it would be too large.
    pub(super) fn new(terms: Vec<(Coeff, Vec<(Factor, u32)>)>) -> Option<Sum> {
        let mut needed = 2;
        for (factor, powers) in &terms {
            let widths = powers.iter().map(|(factor, power)| factor.needed().saturating_mul(*power));
            let width = widths.fold(factor.bits().min(MAX_BITS.into()) as u32 + 1, u32::saturating_add);
            needed = needed.max(width);
        }
        needed = needed.saturating_add(terms.len().next_power_of_two().trailing_zeros() + 1);
        (needed <= MAX_BITS).then_some(Sum { terms, needed })
    }

    /// The width in which it is computed.
    fn bits(&self) -> u32 {
        self.needed.max(WORD_BITS).next_power_of_two()
    }

    /// Whether it is seen that it is never negative.
    fn is_not_negative(&self) -> bool {
        let is_even = |power: u32| power.is_multiple_of(2);
        self.terms.iter().all(|(factor, powers)| {
            !factor.is_negative() && powers.iter().all(|(factor, power)| is_even(*power) || factor.is_not_negative())
        })
    }

    /// Its value where it needs no variable.
    pub(crate) fn as_constant(&self) -> Option<Coeff> {
        let constant = |(factor, powers): &(Coeff, Vec<_>)| powers.is_empty().then(|| factor.clone());
        self.terms.iter().map(constant).try_fold(Coeff::from(0), |sum, constant| Some(&sum + &constant?))
    }

    /// By how much it is more than another one, where that is a number whatever the variables are.
    pub(super) fn more_than(&self, other: &Sum) -> Option<Coeff> {
        let is_variable = |(_, powers): &&(Coeff, Vec<_>)| !powers.is_empty();
        let constant = |sum: &Sum| {
            let constants = sum.terms.iter().filter(|(_, powers)| powers.is_empty());
            constants.fold(Coeff::from(0), |all, (factor, _)| &all + factor)
        };
        let is_same = self.terms.iter().filter(is_variable).eq(other.terms.iter().filter(is_variable));
        is_same.then(|| &constant(self) - &constant(other))
    }

    /// Whether it is a sum of multiples of variables.
    pub(super) fn is_linear(&self) -> bool {
        self.terms.iter().all(|(_, powers)| powers.is_empty() || matches!(&powers[..], [(Factor::Given(_), 1)]))
    }

    /// The variable that it is.
    pub(super) fn as_given(&self) -> Option<Given> {
        match &self.terms[..] {
            [(factor, powers)] if factor.is_one() => match &powers[..] {
                [(factor, 1)] => factor.as_given(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variables that it needs.
    pub(crate) fn given(&self) -> Vec<Given> {
        let mut all = Vec::new();
        self.visit(&mut |factor| all.extend(factor.as_given()));
        all
    }

    /// What it divides by: it is right only where these are positive.
    pub(crate) fn divisors(&self) -> Vec<&Sum> {
        let mut all = Vec::new();
        self.visit(&mut |factor| {
            if let Factor::Operation(Operation::Quotient | Operation::Truncated, args) = factor {
                all.push(&args[1]);
            }
        });
        all
    }

    fn visit<'a>(&'a self, look: &mut impl FnMut(&'a Factor)) {
        for (factor, _) in self.terms.iter().flat_map(|(_, powers)| powers) {
            look(factor);
            if let Factor::Operation(_, args) = factor {
                args.iter().for_each(|arg| arg.visit(look));
            }
        }
    }

    /// One less.
    pub(super) fn less_one(&self) -> Option<Sum> {
        self.with_constant(Coeff::from(-1))
    }

    /// So many more.
    pub(super) fn plus(&self, more: u32) -> Option<Sum> {
        if more == 0 { Some(self.clone()) } else { self.with_constant(Coeff::from(i64::from(more))) }
    }

    fn with_constant(&self, more: Coeff) -> Option<Sum> {
        let mut terms = self.terms.clone();
        match terms.iter_mut().find(|(_, powers)| powers.is_empty()) {
            Some((constant, _)) => *constant = &*constant + &more,
            None => terms.push((more, Vec::new())),
        }
        Sum::new(terms)
    }

    /// What a count is multiplied with to be at least this number's product with `more` than it: itself, and its share of what is more.
    pub(super) fn of_longer(&self, count: &Sum, more: u32) -> Option<Sum> {
        let scaled = self.terms.iter().map(|(factor, powers)| (factor * &Coeff::from(i64::from(more)), powers.clone()));
        let scaled = Sum::new(scaled.collect())?;
        let share = Factor::operation(Operation::Quotient, vec![scaled, count.clone()])?;
        let mut terms = self.terms.clone();
        terms.push((Coeff::from(1), vec![(share, 1)]));
        Sum::new(terms)?.with_constant(Coeff::from(1))
    }

    /// A number.
    pub(super) fn number(number: u32) -> Option<Sum> {
        Sum::new(vec![(Coeff::from(i64::from(number)), Vec::new())])
    }

    /// Divided by a number, rounded down.
    pub(super) fn divided_by(&self, by: u32) -> Option<Sum> {
        if by == 1 {
            return Some(self.clone());
        }
        let quotient = Factor::operation(Operation::Quotient, vec![self.clone(), Sum::number(by)?])?;
        Sum::new(vec![(Coeff::from(1), vec![(quotient, 1)])])
    }

    /// 0: as a factor of a launch's trip count, it says that the host does not know the count.
    pub(super) fn zero() -> Sum {
        Sum { terms: Vec::new(), needed: 2 }
    }

    /// Whether it needs more bits than the largest numbers that GPUs compute with.
    pub(super) fn is_wide(&self) -> bool {
        self.bits() > WORD_BITS
    }

    /// Its products, by how many bits each may have so that the sum is less than 2^61 away from 0, and so the same in 64 bits; none where
    /// that cannot be determined.
    pub(super) fn products(&self) -> Option<Vec<(&Powers, u32)>> {
        let carries = self.terms.len().next_power_of_two().trailing_zeros();
        let product = |(factor, powers): &'_ (Coeff, Vec<(Factor, u32)>)| {
            let taken = u32::try_from(factor.bits()).ok()?.checked_add(carries)?;
            (WORD_BITS - 3).checked_sub(taken).filter(|_| powers.iter().all(|(factor, _)| factor.needed() <= WORD_BITS))
        };
        self.terms.iter().map(|term| Some((&term.1[..], product(term)?))).collect()
    }

    /// What code for it computes, where nothing overflows, with values of the kernel's parameters.
    #[cfg(test)]
    pub(super) fn value(&self, params: &[i128]) -> i128 {
        let of = |factor: &Factor| match factor {
            Factor::Given(given) => params[given.param],
            Factor::Operation(operation, args) => {
                let args: Vec<i128> = args.iter().map(|arg| arg.value(params)).collect();
                match operation {
                    Operation::Min => args.into_iter().min().expect("some"),
                    Operation::Max => args.into_iter().max().expect("some"),
                    Operation::Quotient => args[0].div_euclid(args[1]),
                    Operation::Truncated => args[0] / args[1],
                    Operation::NotNegative => i128::from(args[0] >= 0),
                    Operation::Zero => i128::from(args[0] == 0),
                    Operation::Low(..) => args[0],
                }
            }
        };
        let product = |(factor, powers): &(Coeff, Vec<(Factor, u32)>)| {
            let factor = i128::from(factor.to_i64().expect("a small number"));
            powers.iter().fold(factor, |product, (of_power, power)| product * of(of_power).pow(*power))
        };
        self.terms.iter().map(product).sum()
    }

    /// Computes it, in its own width.
    pub(crate) fn compute(&self, here: &Code, params: &[Value], like: Value) -> Value {
        self.compute_in(integer(like, self.bits()), here, params, like)
    }

    /// Computes its lowest 64 bits.
    pub(super) fn compute_low(&self, here: &Code, params: &[Value], like: Value) -> Value {
        self.compute_in(integer(like, WORD_BITS), here, params, like)
    }

    /// Modulo 2 to the type's bits.
    fn compute_in(&self, ty: Type, here: &Code, params: &[Value], like: Value) -> Value {
        let number = |factor: &Coeff| {
            let bits = ty.int_bits().unwrap_or(WORD_BITS);
            let residue = factor.rem_euclid(&Coeff::pow2(bits)).unwrap_or_else(|| factor.clone());
            constant(ty, &residue.to_string())
        };
        let mut total = constant(ty, "0");
        for (factor, powers) in &self.terms {
            let mut product = number(factor);
            for (factor, power) in powers {
                let value = factor.compute(here, params, ty, like);
                for _ in 0..*power {
                    product = here.binary(Opcode::LLVMMul, product, value);
                }
            }
            total = here.binary(Opcode::LLVMAdd, total, product);
        }
        total
    }
}

impl Factor {
    fn as_given(&self) -> Option<Given> {
        match self {
            Factor::Given(given) => Some(*given),
            Factor::Operation(..) => None,
        }
    }

    /// An operation on sums; none where it cannot be computed.
    pub(super) fn operation(operation: Operation, args: Vec<Sum>) -> Option<Factor> {
        let fits = |arg: &Sum| arg.needed <= DIVISION_BITS;
        let is_possible = match operation {
            Operation::Min | Operation::Max => !args.is_empty(),
            Operation::Quotient | Operation::Truncated => {
                args.len() == 2 && args.iter().all(fits) && args[1].as_constant().is_none_or(|by| by.is_positive())
            }
            Operation::Low(bits, _) => args.len() == 1 && (1..=64).contains(&bits),
            Operation::NotNegative | Operation::Zero => args.len() == 1,
        };
        is_possible.then_some(Factor::Operation(operation, args))
    }

    /// How many bits its distance from 0 has at most.
    pub(super) fn magnitude_bits(&self) -> u32 {
        match self {
            Factor::Given(given) => given.computed_bits(),
            Factor::Operation(..) => WORD_BITS,
        }
    }

    fn needed(&self) -> u32 {
        match self {
            Factor::Given(given) => given.computed_bits() + 1,
            Factor::Operation(Operation::Min | Operation::Max, args) => {
                args.iter().map(|arg| arg.needed).max().unwrap_or(2)
            }
            Factor::Operation(Operation::Quotient | Operation::Truncated, args) => args[0].needed,
            Factor::Operation(Operation::NotNegative | Operation::Zero, _) => 2,
            // It may be the number itself.
            Factor::Operation(Operation::Low(bits, Signedness::Signed), args) => args[0].needed.min(*bits),
            Factor::Operation(Operation::Low(bits, Signedness::Unsigned), args) => {
                if args[0].is_not_negative() {
                    args[0].needed.min(bits + 1)
                } else {
                    bits + 1
                }
            }
        }
    }

    pub(super) fn is_not_negative(&self) -> bool {
        match self {
            Factor::Given(given) => given.is_pointer || given.reading == Signedness::Unsigned,
            Factor::Operation(operation, args) => match operation {
                Operation::Min | Operation::Quotient | Operation::Truncated => args.iter().all(Sum::is_not_negative),
                Operation::Max => args.iter().any(Sum::is_not_negative),
                Operation::NotNegative | Operation::Zero | Operation::Low(_, Signedness::Unsigned) => true,
                Operation::Low(_, Signedness::Signed) => false,
            },
        }
    }

    /// Its value, in a type that holds it, or its lowest bits.
    pub(super) fn compute(&self, here: &Code, params: &[Value], ty: Type, like: Value) -> Value {
        let (operation, args) = match self {
            Factor::Given(given) => return given.compute(here, params, ty, like),
            Factor::Operation(operation, args) => (operation, args),
        };
        let widest = args.iter().map(Sum::bits).max().unwrap_or(64);
        let own = integer(like, widest);
        let mut args = args.iter().map(|arg| here.resize(arg.compute(here, params, like), own, Signedness::Signed));
        let zero = constant(own, "0");
        let Some(first) = args.next() else { return constant(ty, "0") };
        let choose = |predicate, a: Value, b: Value| here.select(here.compare(predicate, a, b), a, b);
        let value = match operation {
            Operation::Min => args.fold(first, |a, b| choose(LLVMIntPredicate::LLVMIntSLT, a, b)),
            Operation::Max => args.fold(first, |a, b| choose(LLVMIntPredicate::LLVMIntSGT, a, b)),
            Operation::NotNegative | Operation::Zero => {
                let is_zero = *operation == Operation::Zero;
                let predicate = if is_zero { LLVMIntPredicate::LLVMIntEQ } else { LLVMIntPredicate::LLVMIntSGE };
                return here.resize(here.compare(predicate, first, zero), ty, Signedness::Unsigned);
            }
            Operation::Low(bits, reading) => {
                let low = here.resize(first, integer(like, *bits), Signedness::Signed);
                return here.resize(low, ty, *reading);
            }
            Operation::Quotient | Operation::Truncated => {
                // A divisor that the guard excludes must do no harm before that is tested.
                let one = constant(own, "1");
                let by = args.next().map_or(one, |by| choose(LLVMIntPredicate::LLVMIntSGT, by, one));
                let quotient = here.binary(Opcode::LLVMSDiv, first, by);
                let product = here.binary(Opcode::LLVMMul, quotient, by);
                let is_above = here.compare(LLVMIntPredicate::LLVMIntSGT, product, first);
                match operation {
                    Operation::Truncated => quotient,
                    _ => here.binary(Opcode::LLVMSub, quotient, here.resize(is_above, own, Signedness::Unsigned)),
                }
            }
        };
        here.resize(value, ty, Signedness::Signed)
    }
}
