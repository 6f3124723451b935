//! Integers of more than 128 bits, as guards of changed kernels compute with: whole words, in slots of their own.

use super::{Body, Translator};
use crate::program::{Comparison, Conversion, IntOp, Op, Operand, Slot, WordsOp};

/// An operation on words; none for those that are not supported.
pub(super) fn operation(op: IntOp) -> Option<WordsOp> {
    Some(match op {
        IntOp::Add => WordsOp::Add,
        IntOp::Sub => WordsOp::Sub,
        IntOp::Mul => WordsOp::Mul,
        IntOp::Shl => WordsOp::Shl,
        IntOp::And => WordsOp::And,
        IntOp::Or => WordsOp::Or,
        IntOp::Xor => WordsOp::Xor,
        IntOp::SMax => WordsOp::Choose(Comparison::Sgt),
        IntOp::SMin => WordsOp::Choose(Comparison::Slt),
        IntOp::UMax => WordsOp::Choose(Comparison::Ugt),
        IntOp::UMin => WordsOp::Choose(Comparison::Ult),
        _ => return None,
    })
}

/// With which bits a number gets longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    Zero,
    Sign,
}

impl Translator<'_, '_> {
    pub(super) fn words(&mut self, body: &mut Body, op: WordsOp, to: Slot, [a, b]: [&[Operand]; 2]) {
        let operands = self.span_of_operands(&[a, b].concat());
        self.emit(body, Op::Words { op, to, operands });
    }

    /// A number of `bits` bits in `count` words.
    pub(super) fn extend_words(
        &mut self,
        body: &mut Body,
        extension: Extension,
        to: Slot,
        count: usize,
        from: &[Operand],
        bits: u32,
    ) {
        let zero = self.constant(0);
        let top = from.len() - 1;
        let mut words = from.to_vec();
        words.resize(count, zero);
        self.copy_all(body, to, &words);
        if extension == Extension::Sign {
            let last = Operand::slot(to + top as u32);
            let conversion = Conversion::SignExtend { from: (bits - 64 * top as u32) as u8, to: 64 };
            self.emit(body, Op::Convert { conversion, to: to + top as u32, a: last });
            let most = self.constant(63);
            for word in top + 1..count {
                self.emit(body, Op::Int { op: IntOp::AShr, bits: 64, to: to + word as u32, a: last, b: most });
            }
        }
    }
}
