//! Loops that halve a range of places until none is left, as searches in sorted tables do: `mid = (lo + hi) / 2`, and either end goes there.

use super::analysis::Analysis;
use ipda_llvm::{Cfg, IntPredicate, NaturalLoop, Opcode, Value};
use ipda_symbolic::Polynomial;

/// Values of one end that are looked at in an iteration.
const MAX_VALUES: usize = 16;

/// Operations between an end and the middle that are looked through.
const MAX_DEPTH: u32 = 8;

/// The two ends of a range, as phis of a loop's header.
struct Ends<'a> {
    cfg: &'a Cfg,
    natural: &'a NaturalLoop,
    ends: [Value; 2],
}

impl Analysis<'_> {
    /// How long the range is at first that a loop halves in each iteration; none where it does not.
    pub(super) fn halved(&mut self, index: usize) -> Option<Polynomial> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let phis: Vec<Value> = cfg.blocks[natural.header].phis().filter(|phi| phi.ty().int_bits().is_some()).collect();
        let pairs = phis.iter().flat_map(|&low| phis.iter().map(move |&high| [low, high]));
        let mut found = pairs.filter(|[low, high]| low != high).map(|ends| Ends { cfg, natural, ends });
        let found = found.find(|ends| ends.are_halved() && ends.are_in_order())?;
        let [low, high] = found.ends.map(|phi| {
            let outside =
                phi.incoming().into_iter().filter(|(_, from)| cfg.id(*from).is_some_and(|at| !natural.contains(at)));
            outside.collect::<Vec<_>>()
        });
        let ([(low, from)], [(high, _)]) = (&low[..], &high[..]) else { return None };
        let from = cfg.id(*from)?;
        let [low, high] = [*low, *high].map(|value| self.lowering.value_at(value, from).value);
        Some(&high - &low)
    }
}

impl Ends<'_> {
    /// Whether each iteration moves one end to the middle, or next to it, and the other stays.
    fn are_halved(&self) -> bool {
        self.ends.into_iter().all(|end| {
            let next = end.incoming().into_iter().filter(|(_, from)| self.is_inside(*from)).map(|(value, _)| value);
            let values = next.into_iter().map(|value| self.leaves(value)).collect::<Option<Vec<_>>>();
            let values = values.unwrap_or_default().concat();
            let goes = |value: &Value| self.is_beside_middle(*value);
            values.iter().any(goes) && values.iter().all(|value| *value == end || goes(value))
        })
    }

    /// Whether a test of the loop says that it goes on while the first end is below the second.
    fn are_in_order(&self) -> bool {
        use IntPredicate::*;
        let ends = self.natural.blocks.iter().filter_map(|&block| self.cfg.blocks[block].terminator());
        let mut tests = ends.filter_map(|end| {
            let test = end.branch_condition().filter(|test| test.is(Opcode::LLVMICmp))?;
            let stays = end.successors().first().is_some_and(|to| self.is_inside(*to));
            Some((test, stays)).filter(|_| !end.successors().iter().all(|to| self.is_inside(*to)))
        });
        let [low, high] = self.ends;
        tests.any(|(test, stays)| {
            let [left, right] = [0, 1].map(|at| beside(test.operand(at)));
            let apart = plain(left);
            let (is_above, is_below) = match right.as_int() {
                Some(_) if apart.is(Opcode::LLVMSub) => {
                    let [from, less] = [0, 1].map(|at| beside(apart.operand(at)));
                    (from == high && less == low, from == low && less == high)
                }
                _ => (left == high && right == low, left == low && right == high),
            };
            let is_more = matches!(test.int_predicate(), LLVMIntSGT | LLVMIntSGE | LLVMIntUGT | LLVMIntUGE);
            let is_less = matches!(test.int_predicate(), LLVMIntSLT | LLVMIntSLE | LLVMIntULT | LLVMIntULE);
            let (is_more, is_less) = if stays { (is_more, is_less) } else { (is_less, is_more) };
            is_above && is_more || is_below && is_less
        })
    }

    fn is_inside(&self, block: ipda_llvm::Block) -> bool {
        self.cfg.id(block).is_some_and(|at| self.natural.contains(at))
    }

    /// The values that one may be, behind joins within the loop; none where there are too many. Joins of inner loops lead back to themselves.
    fn leaves(&self, value: Value) -> Option<Vec<Value>> {
        let (mut open, mut seen, mut found) = (vec![value], Vec::new(), Vec::new());
        while let Some(value) = open.pop() {
            if seen.contains(&value) {
                continue;
            }
            if seen.len() == MAX_VALUES {
                return None;
            }
            seen.push(value);
            match value.opcode() {
                Some(Opcode::LLVMPHI) if self.is_join(value) => {
                    open.extend(value.incoming().into_iter().map(|(value, _)| value));
                }
                Some(Opcode::LLVMSelect) => open.extend([1, 2].map(|at| value.operand(at))),
                _ => found.push(value),
            }
        }
        Some(found)
    }

    /// Whether a phi joins ways within the loop, in no iteration but its own.
    fn is_join(&self, phi: Value) -> bool {
        self.is_inside(phi.block()) && phi.block() != self.cfg.blocks[self.natural.header]
    }

    fn is_beside_middle(&self, value: Value) -> bool {
        let value = plain(value);
        let is_step = |value: Value| value.as_int().is_some_and(|step| step.abs() <= 1);
        match value.opcode() {
            Some(Opcode::LLVMAdd | Opcode::LLVMSub) if is_step(value.operand(1)) => self.is_middle(value.operand(0)),
            _ => self.is_middle(value),
        }
    }

    /// Whether a value is half of the sum of both ends, or one end and half of what they are apart.
    fn is_middle(&self, value: Value) -> bool {
        let value = plain(value);
        let is_end = |value: Value| self.ends.contains(&plain(value));
        if let Some(sum) = half(value) {
            let sum = plain(sum);
            return sum.is(Opcode::LLVMAdd) && is_end(sum.operand(0)) && is_end(sum.operand(1));
        }
        let is_offset = |at: u32| half(plain(value.operand(at))).is_some_and(|apart| self.are_apart(apart, MAX_DEPTH));
        value.is(Opcode::LLVMAdd)
            && (is_end(value.operand(0)) && is_offset(1) || is_end(value.operand(1)) && is_offset(0))
    }

    /// Whether a value is what both ends are apart, now or after the iteration before.
    fn are_apart(&self, value: Value, depth: u32) -> bool {
        let (value, Some(depth)) = (plain(value), depth.checked_sub(1)) else { return false };
        match value.opcode() {
            Some(Opcode::LLVMSub) => true,
            Some(Opcode::LLVMAdd) if value.operand(1).as_int().is_some() => self.are_apart(value.operand(0), depth),
            Some(Opcode::LLVMPHI) if self.is_inside(value.block()) => {
                let inside = value.incoming().into_iter().filter(|(_, from)| self.is_inside(*from));
                inside.into_iter().all(|(value, _)| self.are_apart(value, depth))
            }
            _ => false,
        }
    }
}

/// A value without changes of its width and what is added to it.
fn beside(value: Value) -> Value {
    let value = plain(value);
    match value.opcode() {
        Some(Opcode::LLVMAdd | Opcode::LLVMSub) if value.operand(1).as_int().is_some() => beside(value.operand(0)),
        _ => value,
    }
}

/// What is divided by two.
fn half(value: Value) -> Option<Value> {
    let by = match value.opcode()? {
        Opcode::LLVMSDiv | Opcode::LLVMUDiv => 2,
        Opcode::LLVMAShr | Opcode::LLVMLShr => 1,
        _ => return None,
    };
    (value.operand(1).as_int() == Some(by)).then(|| value.operand(0))
}

/// A value without changes of its width.
fn plain(value: Value) -> Value {
    match value.opcode() {
        Some(Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) => plain(value.operand(0)),
        _ => value,
    }
}
