//! The kernel's arguments by the atoms that stand for them.

use super::{Factor, Given, MAX_DEPTH, Operation, Sum};
use crate::analysis::comparison;
use crate::analysis::region::Analysis;
use crate::transform::{Condition, Extent};
use ipda_llvm::Value;
use ipda_models::report::ConditionRole;
use ipda_symbolic::{Atom, AtomId, Interval, OpaqueOp, Polynomial, Predicate, Signedness, Space};
use rustc_hash::FxHashMap;

/// The variables by the symbols that stand for them in the analysis of a flattened kernel.
pub(in crate::transform) struct Arguments(FxHashMap<AtomId, Given>);

/// Arguments beside the space of their symbols.
pub(in crate::transform) struct InSpace<'a> {
    arguments: &'a Arguments,
    space: &'a Space,
}

impl Arguments {
    pub(in crate::transform) fn of(analysis: &mut Analysis<'_>, params: &[Value]) -> Arguments {
        let position = |argument: Value| params.iter().position(|&param| param == argument);
        let mut known = FxHashMap::default();
        for (argument, bits, value) in analysis.lowering.captured_numbers() {
            let (Some(param), Some(atom)) = (position(argument), value.as_atom()) else { continue };
            let range = analysis.lowering.space.range(&value);
            let within = |reading| range.is_within(&Interval::of_width(bits, reading));
            let reading = if within(Signedness::Signed) { Signedness::Signed } else { Signedness::Unsigned };
            if within(reading) {
                known.insert(atom, Given { param, bits, reading, is_pointer: false });
            }
        }
        for (param, &argument) in params.iter().enumerate() {
            let is_pointer = argument.ty().is_pointer();
            if !is_pointer && argument.ty().int_bits() != Some(64) {
                continue;
            }
            let value = analysis.lowering.lower(argument).value;
            let Some(atom) = value.as_atom() else { continue };
            let range = analysis.lowering.space.range(&value);
            let is_signed = !is_pointer && range.is_within(&Interval::of_width(64, Signedness::Signed));
            let reading = if is_signed { Signedness::Signed } else { Signedness::Unsigned };
            if is_pointer || range.is_within(&Interval::of_width(64, reading)) {
                known.insert(atom, Given { param, bits: 64, reading, is_pointer });
            }
        }
        Arguments(known)
    }

    pub(in crate::transform) fn given(&self, atom: AtomId) -> Option<Given> {
        self.0.get(&atom).copied()
    }

    /// What people call a variable.
    fn name(&self, analysis: &Analysis<'_>, given: Given) -> String {
        let atoms = self.0.iter().filter(|(_, other)| **other == given).map(|(&atom, _)| atom);
        atoms.min().map_or_else(|| "a size".into(), |atom| comparison::plain(&analysis.text(&atom.into())))
    }

    /// Adds to a guard that it and `sums` are computed exactly; whether that can be told.
    pub(in crate::transform) fn require_exact(
        &self,
        analysis: &Analysis<'_>,
        sums: &[Sum],
        guard: &mut Vec<Condition>,
        conditions: &mut Vec<(String, ConditionRole)>,
    ) -> bool {
        let all: Vec<Sum> = guard.iter().flat_map(Condition::sums).chain(sums).cloned().collect();
        for divisor in all.iter().flat_map(Sum::divisors).filter(|divisor| divisor.as_constant().is_none()) {
            let Some(condition) = divisor.less_one().map(Condition::AtLeastZero) else { return false };
            if !guard.contains(&condition) {
                guard.push(condition);
                let named: Vec<String> = divisor.given().into_iter().map(|given| self.name(analysis, given)).collect();
                let words = match divisor.as_given() {
                    Some(given) => format!("{} >= 1", self.name(analysis, given)),
                    None => format!("what is divided by, of {}, is positive", named.join(", ")),
                };
                // Counts are what they are said to be only where steps are positive.
                conditions.push((words, ConditionRole::Sizes));
            }
        }
        for given in all.iter().flat_map(Sum::given).filter(Given::is_taken_as_small) {
            if !guard.contains(&Condition::Small(given)) {
                guard.push(Condition::Small(given));
                let least = if given.reading == Signedness::Unsigned { "0" } else { "-2^31" };
                let words = format!("{least} <= {} < 2^31", self.name(analysis, given));
                conditions.push((words, ConditionRole::OwnVersion));
            }
        }
        true
    }

    /// The same, to make sums.
    pub(in crate::transform) fn in_space<'a>(&'a self, space: &'a Space) -> InSpace<'a> {
        InSpace { arguments: self, space }
    }
}

impl InSpace<'_> {
    /// A polynomial over them.
    pub(in crate::transform) fn sum(&self, value: &Polynomial) -> Option<Sum> {
        self.nested(value, MAX_DEPTH)
    }

    /// What lies between two addresses, both so far from where one of the pointers leads.
    pub(in crate::transform) fn extent(&self, low: &Polynomial, high: &Polynomial) -> Option<Extent> {
        let pointer = |atom: &AtomId| self.arguments.given(*atom).filter(|given| given.is_pointer);
        let (base, given) = low.atoms().into_iter().find_map(|atom| Some((atom, pointer(&atom)?)))?;
        let [low, size] = [self.sum(&(low - &Polynomial::from(base)))?, self.sum(&(high - low))?];
        let is_number = |sum: &Sum| sum.given().iter().all(|given| !given.is_pointer);
        (is_number(&low) && is_number(&size)).then_some(Extent { param: given.param, low, size })
    }

    fn nested(&self, value: &Polynomial, depth: u32) -> Option<Sum> {
        let mut terms = Vec::new();
        for (monomial, factor) in value.terms() {
            let powers = monomial.powers().map(|(atom, power)| Some((self.factor(atom, depth)?, power)));
            terms.push((factor.clone(), powers.collect::<Option<_>>()?));
        }
        Sum::new(terms)
    }

    fn factor(&self, atom: AtomId, depth: u32) -> Option<Factor> {
        if let Some(given) = self.arguments.given(atom) {
            return Some(Factor::Given(given));
        }
        let depth = depth.checked_sub(1)?;
        let atom = self.space.atom(atom);
        let operation = match atom {
            Atom::FloorDiv(..) => Operation::Quotient,
            Atom::Op(OpaqueOp::Min, _) => Operation::Least,
            Atom::Op(OpaqueOp::Max, _) => Operation::Greatest,
            Atom::Op(OpaqueOp::TruncDiv, _) => Operation::Truncated,
            Atom::Predicate(Predicate::NonNegative(_)) => Operation::NotNegative,
            Atom::Predicate(Predicate::Zero(_)) => Operation::Zero,
            Atom::Wrap { signed, bits, .. } => Operation::Low(*bits, *signed),
            _ => return None,
        };
        let args = atom.operands().into_iter().map(|arg| self.nested(arg, depth));
        Factor::operation(operation, args.collect::<Option<_>>()?)
    }
}
