//! Choices between two values: least and greatest values where they are meant, else sums of value times condition.

use crate::atom::{Atom, OpaqueOp};
use crate::facts::Facts;
use crate::polynomial::Polynomial;
use crate::space::Space;

impl Space {
    /// `a` where the condition, an indicator polynomial, is 1, else `b`: `min(a, b)` and `max(a, b)` where the condition compares the two,
    /// also for absolute values and for values brought between two bounds. `None` where it would be too large.
    pub fn choose(&mut self, condition: &Polynomial, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        if a == b || condition.is_one() {
            return Some(a.clone());
        }
        if condition.is_zero() {
            return Some(b.clone());
        }
        if self.is_literal(condition)
            && let Some(op) = self.compared(condition, a, b)
        {
            return Some(self.op(op, vec![a.clone(), b.clone()]));
        }
        let gain = self.product(condition, &(a - b))?;
        Some(b + &gain)
    }

    /// Whether taking `a` under the condition, else `b`, takes the greatest or the least of them.
    fn compared(&mut self, condition: &Polynomial, a: &Polynomial, b: &Polynomial) -> Option<OpaqueOp> {
        let above = |space: &mut Space, b: &Polynomial| space.ge(a, b) == *condition || space.gt(a, b) == *condition;
        let below = |space: &mut Space, b: &Polynomial| space.le(a, b) == *condition || space.lt(a, b) == *condition;
        if above(self, b) {
            return Some(OpaqueOp::Max);
        }
        if below(self, b) {
            return Some(OpaqueOp::Min);
        }
        // x < low ? low : min(x, high) is max(low, min(x, high)) where low <= high; and the other way round.
        let Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), args) = self.atom(b.as_atom()?).clone() else { return None };
        let tested = args.iter().position(|arg| match op {
            OpaqueOp::Min => above(self, arg),
            _ => below(self, arg),
        })?;
        let mut others = args.iter().enumerate().filter(|&(index, _)| index != tested).map(|(_, other)| other);
        let is_between = match op {
            OpaqueOp::Min => others.all(|other| self.prove_nonneg(&(other - a), &Facts::none()).is_yes()),
            _ => others.all(|other| self.prove_nonneg(&(a - other), &Facts::none()).is_yes()),
        };
        is_between.then_some(if op == OpaqueOp::Min { OpaqueOp::Max } else { OpaqueOp::Min })
    }

    /// Whether a condition is one predicate or its opposite.
    fn is_literal(&self, condition: &Polynomial) -> bool {
        let atom = condition.as_atom().or_else(|| (Polynomial::one() - condition).as_atom());
        atom.is_some_and(|atom| matches!(self.atom(atom), Atom::Predicate(_)))
    }
}
