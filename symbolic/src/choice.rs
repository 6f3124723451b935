//! Choices between two values: minima and maxima where they are meant, else sums of value times condition
//! (gated single assignment: Ottenstein, Ballance and MacCabe, "The Program Dependence Web", PLDI 1990; sums in the thesis's section 2.3).

use crate::atom::{Atom, OpaqueOp, Predicate};
use crate::facts::Facts;
use crate::id::AtomId;
use crate::polynomial::Polynomial;
use crate::predicate::reduced;
use crate::space::Space;

impl Space {
    /// The value of which one definition holds in each case: the sum of definition times condition, an indicator polynomial, or a minimum or
    /// maximum where the conditions choose one. `facts` hold wherever it is used. `None` where it would be too large.
    pub fn merge(&mut self, definitions: Vec<(Polynomial, Polynomial)>, facts: &Facts) -> Option<Polynomial> {
        if definitions.len() > 1
            && let Some((chosen, rest)) = self.first_choice(&definitions)
        {
            let (condition, value) = &definitions[chosen];
            let otherwise = self.merge(rest, facts)?;
            return self.choose(condition, value, &otherwise, facts);
        }
        if let [(condition, value)] = &definitions[..]
            && condition.is_one()
        {
            return Some(value.clone());
        }
        definitions.iter().try_fold(Polynomial::zero(), |sum, (condition, value)| {
            let part = self.product(condition, value)?;
            Some(&sum + &part)
        })
    }

    /// A definition whose condition is a literal that excludes those of all others, and these others where it fails.
    fn first_choice(&self, definitions: &[(Polynomial, Polynomial)]) -> Option<(usize, Vec<(Polynomial, Polynomial)>)> {
        (0..definitions.len()).find_map(|chosen| {
            let (atom, holds) = self.literal(&definitions[chosen].0)?;
            let fails = Polynomial::one() - &holds;
            let others = definitions.iter().enumerate().filter(|&(index, _)| index != chosen);
            let where_it_fails = |(_, (condition, value)): (usize, &(Polynomial, Polynomial))| {
                let is_excluded = condition.replace(atom, &holds).is_zero();
                is_excluded.then(|| (condition.replace(atom, &fails), value.clone()))
            };
            Some((chosen, others.map(where_it_fails).collect::<Option<_>>()?))
        })
    }

    /// `a` where the condition, an indicator polynomial, is 1, else `b`: `min(a, b)` and `max(a, b)` where the condition compares the two,
    /// also for absolute values and for values brought between two bounds. `facts` hold wherever it is used. `None` where it would be too
    /// large.
    pub fn choose(
        &mut self,
        condition: &Polynomial,
        a: &Polynomial,
        b: &Polynomial,
        facts: &Facts,
    ) -> Option<Polynomial> {
        if a == b || condition.is_one() {
            return Some(a.clone());
        }
        if condition.is_zero() {
            return Some(b.clone());
        }
        if let Some(tested) = self.tested(condition)
            && let Some(op) = self.compared(&tested, a, b, facts)
        {
            return Some(self.op(op, vec![a.clone(), b.clone()]));
        }
        let gain = self.product(condition, &(a - b))?;
        Some(b + &gain)
    }

    /// Whether taking `a` where `tested >= 0`, else `b`, takes their maximum or their minimum.
    fn compared(&self, tested: &Polynomial, a: &Polynomial, b: &Polynomial, facts: &Facts) -> Option<OpaqueOp> {
        if is_sign_of(tested, &(a - b)) {
            return Some(OpaqueOp::Max);
        }
        if is_sign_of(tested, &(b - a)) {
            return Some(OpaqueOp::Min);
        }
        // x < low ? low : min(x, high) is max(low, min(x, high)) where low <= high; and the other way round.
        let Atom::Op(op @ (OpaqueOp::Min | OpaqueOp::Max), args) = self.atom(b.as_atom()?) else { return None };
        let outward = |arg: &Polynomial| if *op == OpaqueOp::Min { a - arg } else { arg - a };
        let x = args.iter().position(|arg| is_sign_of(tested, &outward(arg)))?;
        let mut others = args.iter().enumerate().filter(|&(index, _)| index != x).map(|(_, other)| other);
        let is_between = others.all(|other| self.proves_nonneg(&-outward(other), facts));
        is_between.then_some(if *op == OpaqueOp::Min { OpaqueOp::Max } else { OpaqueOp::Min })
    }

    /// What is at least 0 exactly where a condition that is one comparison holds.
    fn tested(&self, condition: &Polynomial) -> Option<Polynomial> {
        let (atom, holds) = self.literal(condition)?;
        let Atom::Predicate(Predicate::NonNegative(tested)) = self.atom(atom) else { return None };
        Some(if holds.is_one() { tested.clone() } else { -tested - Polynomial::one() })
    }

    /// Of a condition that is one predicate or its opposite: the predicate, and its value where the condition holds.
    fn literal(&self, condition: &Polynomial) -> Option<(AtomId, Polynomial)> {
        let is_predicate = |atom: &AtomId| matches!(self.atom(*atom), Atom::Predicate(_));
        let opposite = || (Polynomial::one() - condition).as_atom().map(|atom| (atom, Polynomial::zero()));
        let literal = condition.as_atom().map(|atom| (atom, Polynomial::one())).or_else(opposite);
        literal.filter(|(atom, _)| is_predicate(atom))
    }
}

/// Whether `tested >= 0`, in its least form, says that a difference is at least 0, or that it is above: at 0 both may be taken.
fn is_sign_of(tested: &Polynomial, difference: &Polynomial) -> bool {
    [Polynomial::zero(), Polynomial::one()].iter().any(|least| reduced(&(difference - least)) == *tested)
}
