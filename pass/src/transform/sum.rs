//! Values that are known when a kernel begins, as sums of products of its arguments, and code that computes them exactly.

use super::build::{Code, constant, integer};
use crate::analyse::Analysis;
use crate::ir::{Opcode, Value};
use ipda_symbolic::{AtomId, Coeff, Polynomial, Signedness};
use rustc_hash::FxHashMap;

/// The most bits in which a sum is computed.
const MAX_BITS: u32 = 256;

/// A variable that a kernel is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Given {
    /// Position among the kernel's parameters.
    pub param: usize,
    pub bits: u32,
    pub reading: Signedness,
    pub is_pointer: bool,
}

/// A sum of products of given variables with their powers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sum {
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

    /// A polynomial over them.
    pub(super) fn sum(&self, value: &Polynomial) -> Option<Sum> {
        let mut bits = 2;
        let mut terms = Vec::new();
        for (monomial, factor) in value.terms() {
            let powers = monomial.powers().map(|(atom, power)| Some((*self.0.get(&atom)?, power)));
            let powers: Vec<(Given, u32)> = powers.collect::<Option<_>>()?;
            let width: u32 = powers.iter().map(|(given, power)| (given.bits + 1) * power).sum();
            bits = bits.max(width + factor.bits() as u32 + 1);
            terms.push((factor.clone(), powers));
        }
        bits += terms.len().next_power_of_two().trailing_zeros() + 1;
        let bits = bits.max(64).next_power_of_two();
        (bits <= MAX_BITS).then_some(Sum { terms, bits })
    }
}

impl Sum {
    /// Computes it, in its own width.
    pub(super) fn compute(&self, here: &Code, params: &[Value], like: Value) -> Value {
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
