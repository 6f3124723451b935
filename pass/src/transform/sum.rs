//! Values that are known when a kernel begins, as sums of products of its arguments, and code that computes them exactly.

use super::Extent;
use super::build::{Code, constant, integer};
use crate::analyse::Analysis;
use crate::ir::{Opcode, Value};
use ipda_symbolic::{AtomId, Coeff, Polynomial, Signedness};
use rustc_hash::FxHashMap;
use std::fmt;
use std::str::FromStr;

/// The most bits in which a sum is computed.
const MAX_BITS: u32 = 256;

/// A variable that a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Given {
    /// Position among the kernel's parameters.
    pub param: usize,
    pub bits: u32,
    pub reading: Signedness,
    pub is_pointer: bool,
}

/// A sum of products of given variables with their powers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    terms: Vec<(Coeff, Vec<(Given, u32)>)>,
    /// In which no part of it overflows.
    bits: u32,
}

/// The variables by the symbols that stand for them in the analysis of a flattened kernel.
pub(super) struct Arguments(FxHashMap<AtomId, Given>);

impl Arguments {
    pub(super) fn of(analysis: &mut Analysis<'_>, params: &[Value]) -> Arguments {
        let position = |argument: Value| params.iter().position(|&param| param == argument);
        let mut known = FxHashMap::default();
        for (argument, bits, value) in analysis.lowering.captured_numbers() {
            let (Some(param), Some(atom)) = (position(argument), value.as_atom()) else { continue };
            let range = analysis.lowering.space.range(&value);
            let within = |reading| range.is_within(&ipda_symbolic::Interval::of_width(bits, reading));
            let reading = if within(Signedness::Signed) { Signedness::Signed } else { Signedness::Unsigned };
            if within(reading) {
                known.insert(atom, Given { param, bits, reading, is_pointer: false });
            }
        }
        for (param, &argument) in params.iter().enumerate().filter(|(_, param)| param.ty().is_pointer()) {
            if let Some(atom) = analysis.lowering.lower(argument).value.as_atom() {
                known.insert(atom, Given { param, bits: 64, reading: Signedness::Unsigned, is_pointer: true });
            }
        }
        Arguments(known)
    }

    pub(super) fn given(&self, atom: AtomId) -> Option<Given> {
        self.0.get(&atom).copied()
    }

    /// What lies between two addresses, both so far from where one of the pointers leads.
    pub(super) fn extent(&self, low: &Polynomial, high: &Polynomial) -> Option<Extent> {
        let is_pointer = |atom: &AtomId| self.given(*atom).is_some_and(|given| given.is_pointer);
        let base = low.atoms().into_iter().find(is_pointer)?;
        let from_base = low - &Polynomial::from(base);
        let is_number = |sum: &Sum| sum.given().all(|given| !given.is_pointer);
        let [low, size] = [self.sum(&from_base)?, self.sum(&(high - low))?];
        (is_number(&low) && is_number(&size)).then_some(Extent { param: self.given(base)?.param, low, size })
    }

    /// A polynomial over them.
    pub(super) fn sum(&self, value: &Polynomial) -> Option<Sum> {
        let mut terms = Vec::new();
        for (monomial, factor) in value.terms() {
            let powers = monomial.powers().map(|(atom, power)| Some((*self.0.get(&atom)?, power)));
            terms.push((factor.clone(), powers.collect::<Option<_>>()?));
        }
        Sum::new(terms)
    }
}

impl Sum {
    fn new(terms: Vec<(Coeff, Vec<(Given, u32)>)>) -> Option<Sum> {
        let mut bits = 2;
        for (factor, powers) in &terms {
            let width: u32 = powers.iter().map(|(given, power)| (given.bits + 1) * power).sum();
            bits = bits.max(width + factor.bits() as u32 + 1);
        }
        bits += terms.len().next_power_of_two().trailing_zeros() + 1;
        let bits = bits.max(64).next_power_of_two();
        (bits <= MAX_BITS).then_some(Sum { terms, bits })
    }

    /// Its value where it needs no variable.
    pub(super) fn as_constant(&self) -> Option<Coeff> {
        let constant = |(factor, powers): &(Coeff, Vec<_>)| powers.is_empty().then(|| factor.clone());
        self.terms.iter().map(constant).try_fold(Coeff::from(0), |sum, constant| Some(&sum + &constant?))
    }

    /// The variables that it needs.
    pub(crate) fn given(&self) -> impl Iterator<Item = Given> + '_ {
        self.terms.iter().flat_map(|(_, powers)| powers.iter().map(|(given, _)| *given))
    }

    /// Computes it, in its own width.
    pub(crate) fn compute(&self, here: &Code, params: &[Value], like: Value) -> Value {
        let ty = integer(like, self.bits);
        let mut total = constant(ty, "0");
        for (factor, powers) in &self.terms {
            let mut product = constant(ty, &factor.to_string());
            for (given, power) in powers {
                let param = params[given.param];
                let number = if param.ty().is_pointer() { here.address(param, integer(like, 64)) } else { param };
                let variable = here.resize(number, integer(like, given.bits), false);
                let variable = here.resize(variable, ty, given.reading == Signedness::Signed);
                for _ in 0..*power {
                    product = here.binary(Opcode::LLVMMul, product, variable);
                }
            }
            total = here.binary(Opcode::LLVMAdd, total, product);
        }
        total
    }
}

/// `3*s32.2*s64.4^2 + -1`: three times the product of the kernel's parameter 2, read as a signed number of 32 bits, and the square of its
/// parameter 4, less one. `p64.1` is a pointer.
impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (factor, powers)) in self.terms.iter().enumerate() {
            write!(f, "{}{factor}", if number == 0 { "" } else { " + " })?;
            for (given, power) in powers {
                let reading = match (given.is_pointer, given.reading) {
                    (true, _) => 'p',
                    (false, Signedness::Signed) => 's',
                    (false, Signedness::Unsigned) => 'u',
                };
                write!(f, "*{reading}{}.{}", given.bits, given.param)?;
                if *power != 1 {
                    write!(f, "^{power}")?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Sum {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Sum, &'static str> {
        let power = |word: &str| {
            let (given, power) =
                word.split_once('^').map_or((word, Some(1)), |(given, power)| (given, power.parse().ok()));
            let (bits, param) = given.get(1..)?.split_once('.')?;
            let (is_pointer, reading) = match given.get(..1)? {
                "p" => (true, Signedness::Unsigned),
                "s" => (false, Signedness::Signed),
                "u" => (false, Signedness::Unsigned),
                _ => return None,
            };
            let bits = bits.parse().ok().filter(|bits| (1..=64).contains(bits))?;
            Some((Given { param: param.parse().ok()?, bits, reading, is_pointer }, power?))
        };
        let term = |text: &str| {
            let mut words = text.split('*');
            let factor: Coeff = words.next()?.parse().ok()?;
            Some((factor, words.map(power).collect::<Option<Vec<_>>>()?))
        };
        let terms = text.split(" + ").filter(|term| !term.is_empty()).map(term);
        terms.collect::<Option<_>>().and_then(Sum::new).ok_or("not a sum of products of a kernel's parameters")
    }
}
