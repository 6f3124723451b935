//! Whether the number of a loop that a clause collapsed is taken apart by its digits alone.

use crate::analysis::dependences::{SharedNest, size_of_digit};
use crate::analysis::region::Analysis;
use crate::openmp::nest::strip_casts;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::Polynomial;

/// Whether the code divides the shared loop's number by nothing but how many iterations of the faster loops are one of the slowest, what that leaves by the
/// same of the next one, and so on: where an address needs only the product of two loops, the code may divide by another number first.
pub(super) fn divides_by_sizes(analysis: &mut Analysis<'_>, nest: &SharedNest) -> bool {
    if nest.digits == 1 {
        return false;
    }
    let index = nest.in_cfg(0);
    let Some(shared) = analysis.nest.shared_at(index) else { return false };
    let sizes = &nest.weights[..nest.digits - 1];
    let mut digits = Digits { phi: shared.phi, sizes, wrapped: nest.wrapped.as_ref(), analysis };
    let blocks = digits.analysis.cfg.loops[index].blocks.iter();
    let of_block = |&block: &BlockId| digits.analysis.cfg.blocks[block].instructions().filter(is_division);
    let divisions: Vec<Value> = blocks.flat_map(of_block).collect();
    (0..sizes.len()).all(|level| {
        let mut of_level = divisions.clone();
        of_level.retain(|division| digits.is_rest(division.operand(0), level));
        !of_level.is_empty() && of_level.iter().all(|division| digits.is_size(*division, 1, level))
    })
}

/// The number of a loop that a clause collapsed, as the code takes it apart.
struct Digits<'a, 'b> {
    phi: Value,
    /// How many numbers are one iteration of each loop but the fastest.
    sizes: &'a [Polynomial],
    wrapped: Option<&'a Polynomial>,
    analysis: &'a mut Analysis<'b>,
}

impl Digits<'_, '_> {
    /// Whether a value is what the loops before one leave of the number: of what those before the last one of them leave, `x % size`, or
    /// `x - x / size * size`.
    fn is_rest(&mut self, value: Value, level: usize) -> bool {
        let value = strip_casts(value);
        let Some(above) = level.checked_sub(1) else { return value == self.phi };
        if is_remainder(value) {
            return self.is_rest(value.operand(0), above) && self.is_size(value, 1, above);
        }
        if !value.is(Opcode::LLVMSub) || !self.is_rest(value.operand(0), above) {
            return false;
        }
        let product = strip_casts(value.operand(1));
        let mut is_multiple = |quotient: u32| {
            let division = strip_casts(product.operand(quotient));
            is_division(&division)
                && !is_remainder(division)
                && self.is_rest(division.operand(0), above)
                && self.is_size(division, 1, above)
                && self.is_size(product, 1 - quotient, above)
        };
        product.is(Opcode::LLVMMul) && (is_multiple(0) || is_multiple(1))
    }

    /// Whether an operand is so many numbers as are one iteration of a loop.
    fn is_size(&mut self, of: Value, operand: u32, level: usize) -> bool {
        let Some(block) = self.analysis.cfg.id(of.block()) else { return false };
        let lowering = &mut self.analysis.lowering;
        let size = lowering.value_at(of.operand(operand), block).value;
        size_of_digit(&lowering.space, &size, self.wrapped) == Some(&self.sizes[level])
    }
}

fn is_division(value: &Value) -> bool {
    value.is(Opcode::LLVMUDiv) || value.is(Opcode::LLVMSDiv) || is_remainder(*value)
}

fn is_remainder(value: Value) -> bool {
    value.is(Opcode::LLVMURem) || value.is(Opcode::LLVMSRem)
}
