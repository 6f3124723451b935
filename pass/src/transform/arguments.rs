//! The kernel's arguments by the atoms that stand for them.

use super::guard::{Condition, Extent};
use super::sum::{Factor, Given, MAX_DEPTH, Operation, Sum};
use crate::analysis::comparison;
use crate::analysis::dependences::SharedNest;
use crate::analysis::region::Analysis;
use ipda_llvm::Value;
use ipda_models::report::ConditionRole;
use ipda_models::versions::GuardCondition;
use ipda_symbolic::{Atom, AtomId, Interval, OpaqueOp, Polynomial, Predicate, Signedness, Space, TripCount};
use rustc_hash::FxHashMap;

/// The variables by the symbols that stand for them in the analysis of a flattened kernel.
pub(crate) struct Arguments {
    known: FxHashMap<AtomId, Given>,
    /// How many parameters the kernel has.
    params: usize,
    /// Behind the kernel's parameters come the numbers and pointers that it reads.
    pub(super) reads: Vec<Read>,
}

/// A number or pointer that a kernel reads where a parameter leads to, before it does anything else: nobody writes it while the kernel runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    /// The parameter, or a pointer that is read before.
    pub param: usize,
    pub offset: u64,
    pub bits: u32,
    pub is_pointer: bool,
    /// What must be positive: else the kernel does not read it, and it may not be there.
    pub when: Vec<Sum>,
}

/// Arguments beside the space of their symbols.
pub(crate) struct InSpace<'a> {
    arguments: &'a Arguments,
    space: &'a Space,
}

/// Numbers and pointers that a kernel reads at most.
const MAX_READS: usize = 24;

impl Arguments {
    pub(crate) fn of(analysis: &mut Analysis<'_>, params: &[Value]) -> Arguments {
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
        Arguments { known, params: params.len(), reads: Vec::new() }
    }

    /// Takes numbers and pointers that are read from memory, for counts of a nest's loops and addresses in it, as if the kernel were given them, where
    /// they are read whenever the loops around run, and not written.
    pub(super) fn add_reads(&mut self, analysis: &mut Analysis<'_>, nest: &mut SharedNest) {
        let counts = nest.nest.loops.iter().filter_map(|entry| match &entry.trips {
            TripCount::Exactly(count) => Some(count.clone()),
            _ => None,
        });
        let addresses = nest.accesses.iter().map(|access| access.address.clone());
        let values: Vec<Polynomial> = counts.chain(addresses).collect();
        for atom in values.iter().flat_map(|value| analysis.lowering.space.atoms(value)).collect::<Vec<_>>() {
            if self.known.contains_key(&atom) || !matches!(analysis.lowering.space.atom(atom), Atom::Load { .. }) {
                continue;
            }
            let Some(read) = self.read_of(analysis, nest, atom) else { continue };
            let place = |read: &Read| (read.param, read.offset, read.bits, read.is_pointer);
            let same = |other: &Read| place(other) == place(&read);
            let known = self.reads.iter().position(same);
            if known.is_none() && self.reads.len() == MAX_READS {
                continue;
            }
            let param = self.params + known.unwrap_or(self.reads.len());
            let reading = if read.is_pointer { Signedness::Unsigned } else { Signedness::Signed };
            let given = Given { param, bits: read.bits, reading, is_pointer: read.is_pointer };
            if known.is_none() {
                self.reads.push(read);
            }
            self.known.extend(std::iter::once(atom).chain(nest.stand_in(atom)).map(|atom| (atom, given)));
            nest.nest.fixed.push(atom);
        }
    }

    fn read_of(&self, analysis: &mut Analysis<'_>, nest: &SharedNest, atom: AtomId) -> Option<Read> {
        let load = analysis.lowering.load_of(atom)?;
        let Atom::Load { address, .. } = analysis.lowering.space.atom(atom) else { return None };
        let address = address.clone();
        let pointers = address.atoms().into_iter().find_map(|atom| Some((atom, self.given(atom)?)));
        let (pointer, given) = pointers.filter(|(_, given)| given.is_pointer)?;
        let offset = (&address - &Polynomial::from(pointer)).as_constant()?.to_u64()?;
        let is_pointer = load.ty().is_generic_pointer();
        let bits = if is_pointer { 64 } else { load.ty().int_bits().filter(|bits| [32, 64].contains(bits))? };
        // The kernel reads it by one instruction, which faults where it is not at a multiple of its size, as in packed structures.
        let size = u64::from(bits / 8);
        let by_param = analysis.lowering.argument_of(pointer).map(Value::parameter_alignment);
        if load.alignment() < size && !(by_param.is_some_and(|by| by >= size) && offset.is_multiple_of(size)) {
            return None;
        }
        let whole = Interval::of_width(bits, Signedness::Signed);
        let is_known = is_pointer || analysis.lowering.space.range(&atom.into()).is_within(&whole);
        if !is_known || analysis.lowering.is_written_in_region(load) {
            return None;
        }
        let around = nest.loops_around(analysis, load)?;
        let arguments = self.in_space(&analysis.lowering.space);
        let mut when = around.iter().map(|count| arguments.sum(count)).collect::<Option<Vec<_>>>()?;
        // What leads there has to be read, too.
        for needed in given.param.checked_sub(self.params).into_iter().flat_map(|at| &self.reads[at].when) {
            if !when.contains(needed) {
                when.push(needed.clone());
            }
        }
        Some(Read { param: given.param, offset, bits, is_pointer, when })
    }

    pub(crate) fn given(&self, atom: AtomId) -> Option<Given> {
        self.known.get(&atom).copied()
    }

    /// The parameters that lead to two objects; none where a pointer that is read does.
    pub(super) fn pair(&self, objects: [AtomId; 2]) -> Option<(usize, usize)> {
        let is_param = |given: &Given| given.is_pointer && given.param < self.params;
        let [first, second] = objects.map(|object| self.given(object).filter(is_param));
        Some((first?.param, second?.param))
    }

    /// What people call a variable.
    fn name(&self, analysis: &Analysis<'_>, given: Given) -> String {
        let atoms = self.known.iter().filter(|(_, other)| **other == given).map(|(&atom, _)| atom);
        atoms.min().map_or_else(|| "a size".into(), |atom| comparison::plain(&analysis.text(&atom.into())))
    }

    /// Adds to a guard that it and `sums` are computed exactly; whether that can be determined.
    pub(super) fn require_exact(
        &self,
        analysis: &Analysis<'_>,
        sums: &[Sum],
        guard: &mut Vec<Condition>,
        conditions: &mut Vec<GuardCondition>,
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
                let role = Some(ConditionRole::Sizes);
                conditions.push(GuardCondition { text: words, not_negative: None, role });
            }
        }
        for given in all.iter().flat_map(Sum::given).filter(Given::is_taken_as_small) {
            if !guard.contains(&Condition::Small(given)) {
                guard.push(Condition::Small(given));
                let least = if given.reading == Signedness::Unsigned { "0" } else { "-2^31" };
                let words = format!("{least} <= {} < 2^31", self.name(analysis, given));
                let role = Some(ConditionRole::OwnVersion);
                conditions.push(GuardCondition { text: words, not_negative: None, role });
            }
        }
        true
    }

    /// The same, to make sums.
    pub(crate) fn in_space<'a>(&'a self, space: &'a Space) -> InSpace<'a> {
        InSpace { arguments: self, space }
    }
}

impl InSpace<'_> {
    /// A polynomial over them.
    pub(crate) fn sum(&self, value: &Polynomial) -> Option<Sum> {
        self.nested(value, MAX_DEPTH)
    }

    /// What lies between two addresses, both so far from where one of the pointers leads.
    pub(super) fn extent(&self, low: &Polynomial, high: &Polynomial) -> Option<Extent> {
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
            Atom::Op(OpaqueOp::Min, _) => Operation::Min,
            Atom::Op(OpaqueOp::Max, _) => Operation::Max,
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
