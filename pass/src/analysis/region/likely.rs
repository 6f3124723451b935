//! Loops whose number of iterations no proof finds, as far as predictions ask: steps that only a launch knows, and numbers that are multiplied or
//! divided until they pass a bound.

use super::analysis::Analysis;
use ipda_llvm::{Block, IntPredicate, NaturalLoop, Opcode, Value};
use ipda_models::report::{LikelyTrips, TripsLaw};
use ipda_symbolic::{Facts, Polynomial};

/// What happens to a loop's variable in each iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Multiplied(u32),
    Divided(u32),
    /// The lowest bit that is set goes.
    LosesBit,
    One,
}

/// A test that a loop goes on while a value is on one side of a bound.
struct Test {
    is: Relation,
    value: Value,
    bound: Value,
}

/// How the value is to the bound.
#[derive(Clone, Copy)]
enum Relation {
    Less,
    AtMost,
    More,
    AtLeast,
    Other,
}

impl Analysis<'_> {
    /// How many iterations a loop has, unless it would never end, and what of.
    pub(super) fn likely(&mut self, index: usize) -> Option<(Polynomial, LikelyTrips)> {
        let said = |law, base, bits, is_left_early| LikelyTrips { law, of: String::new(), base, bits, is_left_early };
        if let Some((count, is_left_early)) = self.lowering.supposed_count(index) {
            return Some((count, said(TripsLaw::Number, None, u64::BITS, is_left_early)));
        }
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let inside = |block: Block| cfg.id(block).is_some_and(|at| natural.contains(at));
        let exits = natural.blocks.iter().filter(|&&block| {
            cfg.blocks[block].terminator().is_some_and(|end| !end.successors().iter().all(|to| inside(*to)))
        });
        let is_left_early = exits.count() > 1;
        let tests = self.tests(natural);
        let phis: Vec<Value> = cfg.blocks[natural.header].phis().filter(|phi| phi.ty().int_bits().is_some()).collect();
        for phi in phis {
            let (steps, starts): (Vec<_>, Vec<_>) = phi.incoming().into_iter().partition(|(_, from)| inside(*from));
            let [(start, from)] = starts[..] else { continue };
            let mut steps = steps.into_iter().map(|(next, _)| Some((next, step(next, phi)?)));
            let Some(Some((next, step))) = steps.next() else { continue };
            if steps.any(|other| other.is_none_or(|(_, other)| other != step)) {
                continue;
            }
            for test in &tests {
                let is_of = |value: Value| [phi, next].contains(&plain(value));
                let is_square = plain(test.value).is(Opcode::LLVMMul)
                    && [0, 1].into_iter().all(|at| is_of(plain(test.value).operand(at)));
                let is_tested = if step == Step::One { is_square } else { is_of(test.value) };
                let is_fixed = test.bound.is_constant() || test.bound.is_argument() || !inside(test.bound.block());
                let (Some(from), true) = (cfg.id(from), is_tested && is_fixed) else { continue };
                let [start, bound] = [start, test.bound].map(|value| self.lowering.value_at(value, from).value);
                let one = Polynomial::from(1);
                let (last, least) = match test.is {
                    Relation::Less => (Some(&bound - &one), None),
                    Relation::AtMost => (Some(bound), None),
                    Relation::More => (None, Some(&bound + &one)),
                    Relation::AtLeast => (None, Some(bound)),
                    Relation::Other if bound.is_zero() => (None, Some(one)),
                    Relation::Other => continue,
                };
                let mut quotient = |by: &Polynomial, of: &Polynomial| match of.is_one() {
                    true => by.clone(),
                    false => self.lowering.space.floor_div(by, of, &Facts::none()),
                };
                let (law, base, of) = match (step, last, least) {
                    (Step::Multiplied(by), Some(last), _) => (TripsLaw::Logarithm, Some(by), quotient(&last, &start)),
                    (Step::Divided(by), _, Some(least)) => (TripsLaw::Logarithm, Some(by), quotient(&start, &least)),
                    (Step::LosesBit, _, Some(_)) => (TripsLaw::Bits, None, start),
                    (Step::One, Some(last), _) => (TripsLaw::Root, None, last),
                    _ => continue,
                };
                let bits = phi.ty().int_bits().unwrap_or(u64::BITS);
                return Some((of, said(law, base, bits, is_left_early)));
            }
        }
        None
    }

    /// The comparisons that end a loop.
    fn tests(&self, natural: &NaturalLoop) -> Vec<Test> {
        let is_inside = |block: Block| self.cfg.id(block).is_some_and(|at| natural.contains(at));
        let mut all = Vec::new();
        for end in natural.blocks.iter().filter_map(|&block| self.cfg.blocks[block].terminator()) {
            let successors = end.successors();
            let Some(test) = end.branch_condition().filter(|test| test.is(Opcode::LLVMICmp)) else { continue };
            if successors.iter().all(|to| is_inside(*to)) {
                continue;
            }
            let stays = successors.first().is_some_and(|to| is_inside(*to));
            let Some(is) = relation(test.int_predicate(), stays) else { continue };
            let [left, right] = [0, 1].map(|at| test.operand(at));
            all.push(Test { is, value: left, bound: right });
            let mirrored = match is {
                Relation::Less => Relation::More,
                Relation::AtMost => Relation::AtLeast,
                Relation::More => Relation::Less,
                Relation::AtLeast => Relation::AtMost,
                Relation::Other => Relation::Other,
            };
            all.push(Test { is: mirrored, value: right, bound: left });
        }
        all
    }
}

/// What a comparison says of a loop that goes on where it holds, or where it does not.
fn relation(predicate: IntPredicate, stays: bool) -> Option<Relation> {
    use IntPredicate::*;
    Some(match (predicate, stays) {
        (LLVMIntSLT | LLVMIntULT, true) | (LLVMIntSGE | LLVMIntUGE, false) => Relation::Less,
        (LLVMIntSLE | LLVMIntULE, true) | (LLVMIntSGT | LLVMIntUGT, false) => Relation::AtMost,
        (LLVMIntSGT | LLVMIntUGT, true) | (LLVMIntSLE | LLVMIntULE, false) => Relation::More,
        (LLVMIntSGE | LLVMIntUGE, true) | (LLVMIntSLT | LLVMIntULT, false) => Relation::AtLeast,
        // Of what is compared with zero, all but zero.
        (LLVMIntNE, true) | (LLVMIntEQ, false) => Relation::Other,
        (LLVMIntEQ, true) | (LLVMIntNE, false) => return None,
    })
}

/// What is done to a loop's variable for the next iteration.
fn step(next: Value, phi: Value) -> Option<Step> {
    let next = plain(next);
    let opcode = next.opcode()?;
    if next.operands().count() != 2 {
        return None;
    }
    let [left, right] = [0, 1].map(|at| next.operand(at));
    if plain(left) != phi {
        return None;
    }
    if opcode == Opcode::LLVMAnd {
        let less = plain(right);
        let is_less = less.is(Opcode::LLVMAdd) && less.operand(0) == phi && less.operand(1).as_int() == Some(-1)
            || less.is(Opcode::LLVMSub) && less.operand(0) == phi && less.operand(1).as_int() == Some(1);
        return is_less.then_some(Step::LosesBit);
    }
    if opcode == Opcode::LLVMAdd && plain(right) == phi {
        return Some(Step::Multiplied(2));
    }
    let by = u32::try_from(right.as_int()?).ok()?;
    let power = 1_u32.checked_shl(by).filter(|power| *power > 1);
    let factor = Some(by).filter(|by| *by > 1);
    match opcode {
        Opcode::LLVMShl => power.map(Step::Multiplied),
        Opcode::LLVMMul => factor.map(Step::Multiplied),
        Opcode::LLVMLShr | Opcode::LLVMAShr => power.map(Step::Divided),
        Opcode::LLVMUDiv | Opcode::LLVMSDiv => factor.map(Step::Divided),
        Opcode::LLVMAdd if by == 1 => Some(Step::One),
        _ => None,
    }
}

/// A value without changes of its width.
fn plain(value: Value) -> Value {
    match value.opcode() {
        Some(Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) => plain(value.operand(0)),
        _ => value,
    }
}
