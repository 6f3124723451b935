//! From IR values to exact algebra: each integer or pointer of a flattened region as a polynomial over atoms.
//!
//! A machine value `v` of N bits becomes a [`Lowered`] polynomial that is congruent to it modulo 2^N, and that *is* its signed or unsigned
//! value where that is proven: by the range of the polynomial, or by a guarantee of the language (`nsw`, `nuw`), which is recorded.
//! Addresses are residues modulo 2^64, so they never need such a proof; an index that is widened from 32 bits does.
//!
//! Values defined under conditions are sums of definition times path condition (gated single assignment); header phis that step by a
//! fixed amount are affine in the loop's iteration number; everything else is an atom with a reason.

use crate::cfg::{BlockId, Cfg};
use crate::ir::{DataLayout, FunctionCopy, IntPredicate, Opcode, TypeKind, Value};
use crate::omp;
use ipda_symbolic::{Atom, AtomId, Coeff, Facts, Interval, LoopId, OpaqueOp, Polynomial, Signedness, Space, Symbol, Varies};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Language guarantees that a value rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Guarantees {
    /// Signed overflow is undefined.
    pub no_signed_wrap: bool,
    /// The compiler marked an unsigned operation as free of overflow.
    pub no_unsigned_wrap: bool,
}

impl Guarantees {
    fn and(self, other: Guarantees) -> Guarantees {
        Guarantees {
            no_signed_wrap: self.no_signed_wrap || other.no_signed_wrap,
            no_unsigned_wrap: self.no_unsigned_wrap || other.no_unsigned_wrap,
        }
    }
}

/// An integer or pointer value as a polynomial.
#[derive(Debug, Clone)]
pub(crate) struct Lowered {
    /// Congruent to the value modulo 2^bits.
    pub value: Polynomial,
    pub bits: u32,
    /// `value` is the two's complement value.
    pub signed: bool,
    /// `value` is the unsigned value.
    pub unsigned: bool,
    pub rests_on: Guarantees,
}

/// What a pointer atom stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    /// Memory that other threads see: an argument, a global variable, a pointer read from memory.
    Global,
    /// A variable of one thread or team.
    Private,
}

/// How many times a loop runs.
#[derive(Debug, Clone)]
pub(crate) enum Trips {
    /// As often as the polynomial says where that is positive, else not at all.
    Exactly(Polynomial),
    /// Likewise, but the polynomial is the count only modulo 2 to the width of the loop's variable.
    Modulo(Polynomial),
    /// No more often than that: the loop can also be left elsewhere.
    AtMost(Polynomial),
    /// Not known, with the reason.
    Unknown(String),
}

/// What a header phi is known to be before its own definition is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KnownPhi {
    /// The iteration number of its loop (a worksharing loop's variable).
    IterationNumber,
    /// The first iteration of a chunk that the runtime hands out; equal for all threads of a team.
    ChunkStart,
}

/// Lowers the values of one flattened function.
pub(crate) struct Lowering<'a> {
    pub space: Space,
    pub cfg: &'a Cfg,
    layout: DataLayout,
    names: FxHashMap<Value, String>,
    argument_names: FxHashMap<Value, String>,
    known_phis: FxHashMap<Value, KnownPhi>,
    cache: FxHashMap<Value, Lowered>,
    /// Cached values that rest on a provisional phi, to be forgotten with it.
    provisional_values: FxHashSet<Value>,
    /// The provisional phis in force, outer before inner, and how often one was looked at.
    provisional: Vec<(Value, Lowered)>,
    provisional_reads: u64,
    /// The variable in the low bits of an argument, by argument and width.
    captured_scalars: FxHashMap<(Value, u32), Lowered>,
    /// Loads by their atoms, and the other way round.
    loads: FxHashMap<AtomId, Value>,
    epochs: FxHashMap<Value, u32>,
    invariant_loads: FxHashMap<(Value, usize), bool>,
    exit_cache: FxHashMap<(Value, Option<usize>), Lowered>,
    trips: Vec<Option<Trips>>,
    facts: FxHashMap<BlockId, Facts>,
    edge_conditions: FxHashMap<(BlockId, BlockId), Polynomial>,
    objects: FxHashMap<AtomId, ObjectKind>,
    /// Pointer arguments by their symbols.
    arguments: FxHashMap<AtomId, Value>,
    copy: &'a FunctionCopy,
    depth: u32,
}

/// Nested operands beyond which a value becomes an atom of its own.
const MAX_DEPTH: u32 = 400;

impl<'a> Lowering<'a> {
    /// `names`: source variables by value. `known_phis`: what the runtime calls tell about header phis.
    pub(crate) fn new(
        copy: &'a FunctionCopy,
        cfg: &'a Cfg,
        layout: DataLayout,
        names: FxHashMap<Value, String>,
        arguments: &[Value],
        known_phis: FxHashMap<Value, KnownPhi>,
    ) -> Lowering<'a> {
        let argument_names = arguments.iter().enumerate().map(|(index, &arg)| (arg, format!("arg{index}"))).collect();
        Lowering {
            space: Space::new(),
            cfg,
            layout,
            names,
            argument_names,
            known_phis,
            cache: FxHashMap::default(),
            provisional_values: FxHashSet::default(),
            provisional: Vec::new(),
            provisional_reads: 0,
            captured_scalars: FxHashMap::default(),
            loads: FxHashMap::default(),
            epochs: FxHashMap::default(),
            invariant_loads: FxHashMap::default(),
            exit_cache: FxHashMap::default(),
            trips: vec![None; cfg.loops.len()],
            facts: FxHashMap::default(),
            edge_conditions: FxHashMap::default(),
            objects: FxHashMap::default(),
            arguments: FxHashMap::default(),
            copy,
            depth: 0,
        }
    }

    /// The loop's name in the algebra.
    pub(crate) fn loop_id(&self, index: usize) -> LoopId {
        LoopId(index as u32)
    }

    /// The iteration number of a loop.
    pub(crate) fn iteration(&mut self, index: usize) -> Polynomial {
        let id = self.loop_id(index);
        self.space.iteration(id)
    }

    /// How a loop's iteration number is printed.
    pub(crate) fn name_loop(&mut self, index: usize, name: &str) {
        let id = self.loop_id(index);
        self.space.name_loop(id, name);
    }

    /// A value of at least 1 that is equal in all threads.
    pub(crate) fn positive_symbol(&mut self, name: &str) -> Polynomial {
        self.space.symbol(Symbol { name: name.into(), range: Interval::at_least(1), varies: Varies::No })
    }

    /// The variable that arrives in an argument: its name, where one is known, and its type.
    pub(crate) fn captured(&self, argument: Value) -> (Option<String>, String) {
        let mut carrier = argument;
        let mut name = self.names.get(&argument).cloned();
        // A captured float arrives as the bits of an integer.
        while let Some(inner) = carrier.users().into_iter().find(|user| matches!(user.opcode(), Some(Opcode::LLVMTrunc | Opcode::LLVMBitCast)))
        {
            carrier = inner;
            name = name.or_else(|| self.names.get(&carrier).cloned());
        }
        (name, carrier.ty().describe())
    }

    /// Sets a worksharing loop's trip count, which the runtime calls tell. `phi` holds the iteration number.
    pub(crate) fn set_trips(&mut self, index: usize, trips: Trips, phi: Value) {
        self.bound_iteration(index, &trips);
        if let (Trips::Modulo(_) | Trips::Unknown(_), Some(bits)) = (&trips, self.bits(phi)) {
            // The count is only known modulo the width; the number fits the variable in any case.
            let highest = &Coeff::pow2(bits) - &Coeff::from(2);
            let id = self.loop_id(index);
            self.space.set_iteration_range(id, Interval::from_bounds(Some(Coeff::from(0)), Some(highest)));
        }
        self.trips[index] = Some(trips);
    }

    fn bound_iteration(&mut self, index: usize, trips: &Trips) {
        if let Trips::Exactly(count) | Trips::AtMost(count) = trips {
            let highest = self.space.range(count).high().map(|high| high - Coeff::from(1));
            let id = self.loop_id(index);
            self.space.set_iteration_range(id, Interval::from_bounds(Some(Coeff::from(0)), highest));
        }
    }

    /// The argument that a symbol stands for.
    pub(crate) fn argument_of(&self, atom: AtomId) -> Option<Value> {
        self.arguments.get(&atom).copied()
    }

    /// What a pointer atom stands for; none for atoms that are no pointers.
    pub(crate) fn object(&self, atom: AtomId) -> Option<&ObjectKind> {
        self.objects.get(&atom)
    }

    /// The value as seen by an instruction in `block`: loops in between have ended.
    pub(crate) fn value_at(&mut self, value: Value, block: BlockId) -> Lowered {
        let lowered = self.lower(value);
        if !value.is_instruction() {
            return lowered;
        }
        let Some(definition) = self.cfg.id(value.block()) else {
            return lowered;
        };
        let use_loop = self.cfg.loop_of(block);
        let left: Vec<usize> = self
            .cfg
            .loop_chain(self.cfg.loop_of(definition))
            .take_while(|&at| !self.cfg.loops[at].contains(block))
            .collect();
        if left.is_empty() {
            return lowered;
        }
        if let Some(cached) = self.exit_cache.get(&(value, use_loop)) {
            return cached.clone();
        }
        let mut result = lowered;
        for index in left {
            result = self.after_loop(result, index);
        }
        self.exit_cache.insert((value, use_loop), result.clone());
        result
    }

    /// A value defined in a loop, after the loop has ended.
    fn after_loop(&mut self, mut value: Lowered, index: usize) -> Lowered {
        let number = self.iteration(index);
        let atom = number.as_atom().expect("an iteration number is one atom");
        if !self.space.depends_on(&value.value, |at| at == atom) {
            return value;
        }
        match self.exit_number(index) {
            Some(exit) => {
                value.value = self.space.substitute(&value.value, &mut |at| (at == atom).then(|| exit.clone()));
                value
            }
            None => {
                let reason = "it is the last value of a loop whose number of iterations is not known";
                self.opaque(value.bits, "last", Varies::PerThread(reason.into()))
            }
        }
    }

    /// The number of the iteration in which the loop is left, where that is one number and at least zero.
    fn exit_number(&mut self, index: usize) -> Option<Polynomial> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let exits = self.exits(index);
        let &[exiting] = exits.as_slice() else { return None };
        let Trips::Exactly(count) = self.trip_count(index) else { return None };
        // Left in the header: after `count` full iterations. Left at the latch: in the last of them.
        let exit = if exiting == natural.header {
            count
        } else if natural.latches == [exiting] {
            &count - &Polynomial::from(1)
        } else {
            return None;
        };
        let entry_facts = self.facts_at(natural.header);
        if self.space.prove_nonneg(&exit, &entry_facts).is_yes() {
            return Some(exit);
        }
        let zero = Polynomial::from(0);
        Some(self.space.op(OpaqueOp::Max, vec![exit, zero]))
    }

    /// Blocks of a loop with an edge out of it.
    fn exits(&self, index: usize) -> Vec<BlockId> {
        let natural = &self.cfg.loops[index];
        natural
            .blocks
            .iter()
            .copied()
            .filter(|&block| self.cfg.successors[block].iter().any(|&to| !natural.contains(to) && !self.is_dead_end(to)))
            .collect()
    }

    /// Whether a block only leads to `unreachable` (a failed assertion, a thrown exception).
    fn is_dead_end(&self, block: BlockId) -> bool {
        self.cfg.blocks[block].terminator().is_some_and(|terminator| terminator.is(Opcode::LLVMUnreachable))
    }

    /// How often a loop runs each time it is entered.
    pub(crate) fn trip_count(&mut self, index: usize) -> Trips {
        if let Some(trips) = &self.trips[index] {
            return trips.clone();
        }
        // While the count is being found, the loop has none: a bound that depends on it is not invariant.
        self.trips[index] = Some(Trips::Unknown("its bound depends on the loop itself".into()));
        let reads = self.provisional_reads;
        let trips = self.find_trip_count(index);
        if self.provisional_reads == reads {
            self.bound_iteration(index, &trips);
            self.trips[index] = Some(trips.clone());
        } else {
            self.trips[index] = None;
        }
        trips
    }

    fn find_trip_count(&mut self, index: usize) -> Trips {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let exits = self.exits(index);
        if exits.is_empty() {
            return Trips::Unknown("the loop has no exit".into());
        }
        let tested = if exits.contains(&natural.header) {
            natural.header
        } else if let [latch] = natural.latches[..] && exits.contains(&latch) {
            latch
        } else {
            return Trips::Unknown("the loop is left from its middle".into());
        };
        let Some(count) = self.count_by_exit(index, tested) else {
            return Trips::Unknown("the condition that ends the loop has no closed form".into());
        };
        let count = if tested == natural.header { count } else { &count + &Polynomial::from(1) };
        if exits.len() == 1 { Trips::Exactly(count) } else { Trips::AtMost(count) }
    }

    /// In how many iterations the exit test of `block` says to go on.
    fn count_by_exit(&mut self, index: usize, block: BlockId) -> Option<Polynomial> {
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let terminator = cfg.blocks[block].terminator()?;
        let condition = terminator.branch_condition()?;
        if !condition.is(Opcode::LLVMICmp) {
            return None;
        }
        let stays_when_true = natural.contains(cfg.id(terminator.successors()[0])?);
        let mut predicate = condition.int_predicate();
        if !stays_when_true {
            predicate = inverse(predicate);
        }
        let (left, right) = (condition.operand(0), condition.operand(1));
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        use IntPredicate::*;
        let (a, b, strict) = match predicate {
            LLVMIntSLT | LLVMIntULT => (left, right, true),
            LLVMIntSLE | LLVMIntULE => (left, right, false),
            LLVMIntSGT | LLVMIntUGT => (right, left, true),
            LLVMIntSGE | LLVMIntUGE => (right, left, false),
            LLVMIntNE => return self.count_by_inequality(index, block, left, right),
            LLVMIntEQ => return None,
        };
        let unsigned = matches!(predicate, LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE);
        let (a, b) = if unsigned {
            (self.stepping_value(index, a, block, Signedness::Unsigned, b), self.stepping_value(index, b, block, Signedness::Unsigned, a))
        } else {
            (self.stepping_value(index, a, block, Signedness::Signed, b), self.stepping_value(index, b, block, Signedness::Signed, a))
        };
        // Goes on while slack >= 0; slack = rest + rate * number.
        let slack = &(&b - &a) - &Polynomial::from(i64::from(strict));
        let (rate, rest) = self.space.split_affine(&slack, atom)?;
        let rate = rate.as_constant()?.clone();
        if rate.signum() >= 0 || self.varies_in(&rest, index) {
            return None;
        }
        let step = -&rate;
        let facts = self.facts_at(natural.header);
        let steps = self.space.floor_div(&rest, &Polynomial::from(step), &facts);
        Some(&steps + &Polynomial::from(1))
    }

    /// A side of the exit test as an exact integer. An unmarked counter that steps by one towards a bound of its own width cannot wrap:
    /// each step is taken only below the bound.
    fn stepping_value(&mut self, index: usize, value: Value, block: BlockId, signedness: Signedness, bound: Value) -> Polynomial {
        let lowered = self.value_at(value, block);
        if !matches!((signedness, lowered.signed, lowered.unsigned), (Signedness::Signed, true, _) | (Signedness::Unsigned, _, true)) {
            let number = self.iteration(index);
            let by_one = number.as_atom().and_then(|atom| self.space.split_affine(&lowered.value, atom)).is_some_and(|(rate, rest)| {
                let step_is_one = rate.as_constant().is_some_and(|rate| rate.is_one());
                step_is_one && self.fits(&rest, lowered.bits, signedness)
            });
            let bound = self.value_at(bound, block);
            let bound_is_invariant = number.as_atom().is_some_and(|atom| !self.space.depends_on(&bound.value, |at| at == atom));
            if by_one && bound_is_invariant {
                return lowered.value;
            }
        }
        self.exact(&lowered, signedness)
    }

    /// `left != right` as the test to go on: the difference reaches zero after rest / -rate iterations.
    fn count_by_inequality(&mut self, index: usize, block: BlockId, left: Value, right: Value) -> Option<Polynomial> {
        let number = self.iteration(index);
        let atom = number.as_atom()?;
        let difference = &self.value_at(left, block).value - &self.value_at(right, block).value;
        let (rate, rest) = self.space.split_affine(&difference, atom)?;
        let rate = rate.as_constant()?.clone();
        if rate.is_zero() || self.varies_in(&rest, index) {
            return None;
        }
        if rate.signum() > 0 {
            (-&rest).div_exact(&rate)
        } else {
            rest.div_exact(&-&rate)
        }
    }

    fn fits(&self, value: &Polynomial, bits: u32, signedness: Signedness) -> bool {
        self.space.range(value).is_within(&Interval::of_width(bits, signedness))
    }

    /// A value as it is known where the facts of a block hold: conversions that cannot wrap there are gone.
    pub(crate) fn refine(&mut self, value: &Polynomial, block: BlockId) -> Polynomial {
        if !self.has_wraps(value) {
            return value.clone();
        }
        let facts = self.facts_at(block);
        self.space.substitute_under(value, &facts, &mut |_| None)
    }

    fn has_wraps(&self, value: &Polynomial) -> bool {
        self.space.atoms(value).into_iter().any(|atom| matches!(self.space.atom(atom), Atom::Wrap { .. }))
    }

    /// Whether the polynomial is the unsigned value where the facts of a block hold.
    pub(crate) fn fits_in(&mut self, lowered: &Lowered, block: BlockId) -> bool {
        let facts = self.facts_at(block);
        self.space.range_under(&lowered.value, &facts).is_within(&Interval::of_width(lowered.bits, Signedness::Unsigned))
    }

    /// The exact signed or unsigned value.
    pub(crate) fn exact(&mut self, lowered: &Lowered, signedness: Signedness) -> Polynomial {
        let proven = match signedness {
            Signedness::Signed => lowered.signed,
            Signedness::Unsigned => lowered.unsigned,
        };
        if proven { lowered.value.clone() } else { self.space.wrap(signedness, lowered.bits, &lowered.value) }
    }

    /// The exact value where the facts of a block hold.
    pub(crate) fn exact_in(&mut self, lowered: &Lowered, signedness: Signedness, block: BlockId) -> Polynomial {
        let proven = match signedness {
            Signedness::Signed => lowered.signed,
            Signedness::Unsigned => lowered.unsigned,
        };
        if proven {
            return lowered.value.clone();
        }
        let facts = self.facts_at(block);
        self.space.wrap_under(signedness, lowered.bits, &lowered.value, &facts)
    }

    fn signed_at(&mut self, value: Value, block: BlockId) -> (Polynomial, Guarantees) {
        let lowered = self.value_at(value, block);
        (self.exact_in(&lowered, Signedness::Signed, block), lowered.rests_on)
    }

    fn unsigned_at(&mut self, value: Value, block: BlockId) -> (Polynomial, Guarantees) {
        let lowered = self.value_at(value, block);
        (self.exact_in(&lowered, Signedness::Unsigned, block), lowered.rests_on)
    }

    /// A residue, with what its range proves about exactness.
    fn residue(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        self.residue_under(value, bits, rests_on, &Facts::none())
    }

    fn residue_under(&self, value: Polynomial, bits: u32, rests_on: Guarantees, facts: &Facts) -> Lowered {
        let within = |range: &Interval, signedness| range.is_within(&Interval::of_width(bits, signedness));
        let mut range = self.space.range(&value);
        // The search with facts is for what intervals alone do not show.
        if !within(&range, Signedness::Signed) && !facts.nonneg().is_empty() {
            range = self.space.range_under(&value, facts);
        }
        let (signed, unsigned) = (within(&range, Signedness::Signed), within(&range, Signedness::Unsigned));
        Lowered { value, bits, signed, unsigned, rests_on }
    }

    fn exact_signed(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        Lowered { signed: true, ..self.residue(value, bits, rests_on) }
    }

    fn exact_unsigned(&self, value: Polynomial, bits: u32, rests_on: Guarantees) -> Lowered {
        Lowered { unsigned: true, ..self.residue(value, bits, rests_on) }
    }

    /// A fresh symbol of a width.
    fn opaque(&mut self, bits: u32, name: &str, varies: Varies) -> Lowered {
        let range = if bits == 1 { Interval::of_width(1, Signedness::Unsigned) } else { Interval::of_width(bits, Signedness::Signed) };
        let value = self.space.symbol(Symbol { name: name.into(), range, varies });
        if bits == 1 {
            self.exact_unsigned(value, 1, Guarantees::default())
        } else {
            self.exact_signed(value, bits, Guarantees::default())
        }
    }

    /// Bits of an integer or pointer; none for other types.
    fn bits(&self, value: Value) -> Option<u32> {
        let ty = value.ty();
        match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => ty.int_bits(),
            TypeKind::LLVMPointerTypeKind => Some(8 * self.layout.store_size(ty) as u32),
            _ => None,
        }
    }

    /// The polynomial of a value at the place of its definition.
    pub(crate) fn lower(&mut self, value: Value) -> Lowered {
        if let Some(lowered) = self.cache.get(&value) {
            self.provisional_reads += u64::from(self.provisional_values.contains(&value));
            return lowered.clone();
        }
        let reads = self.provisional_reads;
        let lowered = if self.depth >= MAX_DEPTH {
            let bits = self.bits(value).unwrap_or(64);
            self.opaque(bits, "deep", Varies::PerThread("its definition is nested too deeply".into()))
        } else {
            self.depth += 1;
            let lowered = self.lower_uncached(value);
            self.depth -= 1;
            lowered
        };
        if self.provisional_reads != reads {
            self.provisional_values.insert(value);
        }
        self.cache.insert(value, lowered.clone());
        lowered
    }

    fn lower_uncached(&mut self, value: Value) -> Lowered {
        let Some(bits) = self.bits(value) else {
            return self.unknown(value, 64);
        };
        if let Some(constant) = value.as_int() {
            return match bits {
                1 => self.exact_unsigned(Polynomial::from(constant & 1), 1, Guarantees::default()),
                _ => self.exact_signed(Polynomial::from(constant), bits, Guarantees::default()),
            };
        }
        if value.is_null() {
            return self.exact_signed(Polynomial::from(0), bits, Guarantees::default());
        }
        if value.is_argument() {
            return self.argument(value, bits);
        }
        if value.is_global_variable() || value.is_function() {
            let name = value.name();
            let internal = value.is_function() || omp::is_runtime_name(&name) || name.starts_with("__omp_rtl") || name.starts_with('.');
            return self.pointer(&name, bits, if internal { ObjectKind::Private } else { ObjectKind::Global });
        }
        match value.opcode() {
            Some(opcode) => self.instruction(value, opcode, bits),
            None => self.unknown(value, bits),
        }
    }

    fn argument(&mut self, value: Value, bits: u32) -> Lowered {
        let name = self.names.get(&value).or_else(|| self.argument_names.get(&value)).cloned().unwrap_or_else(|| "argument".into());
        if value.ty().is_pointer() {
            let pointer = self.pointer(&name, bits, ObjectKind::Global);
            self.arguments.extend(pointer.value.as_atom().map(|atom| (atom, value)));
            pointer
        } else {
            self.scalar(value, bits, &name)
        }
    }

    /// A scalar variable of the program, as the number that the code reads it as: natural where only unsigned operations look at it.
    fn scalar(&mut self, value: Value, bits: u32, name: &str) -> Lowered {
        let (mut unsigned, mut signed) = (false, false);
        for user in value.users() {
            use IntPredicate::*;
            match user.opcode() {
                Some(Opcode::LLVMICmp) => {
                    let predicate = user.int_predicate();
                    unsigned |= matches!(predicate, LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE);
                    signed |= matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE);
                }
                Some(Opcode::LLVMZExt | Opcode::LLVMUDiv | Opcode::LLVMURem | Opcode::LLVMUIToFP) => unsigned |= !user.has_nneg(),
                Some(Opcode::LLVMSExt | Opcode::LLVMSDiv | Opcode::LLVMSRem | Opcode::LLVMSIToFP) => signed = true,
                Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul) => signed |= user.has_nsw(),
                _ => {}
            }
        }
        if !unsigned || signed || bits == 1 {
            return self.opaque(bits, name, Varies::No);
        }
        let range = Interval::of_width(bits, Signedness::Unsigned);
        let symbol = self.space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
        self.exact_unsigned(symbol, bits, Guarantees::default())
    }

    fn pointer(&mut self, name: &str, bits: u32, kind: ObjectKind) -> Lowered {
        let range = Interval::of_width(bits, Signedness::Unsigned);
        let value = self.space.symbol(Symbol { name: name.into(), range, varies: Varies::No });
        self.objects.insert(value.as_atom().expect("a symbol is one atom"), kind);
        self.exact_unsigned(value, bits, Guarantees::default())
    }

    fn instruction(&mut self, value: Value, opcode: Opcode, bits: u32) -> Lowered {
        // A constant expression stands everywhere; it has no loop to be left.
        let block = if value.is_instruction() { self.cfg.id(value.block()).unwrap_or(0) } else { 0 };
        use Opcode::*;
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul => self.arithmetic(value, opcode, bits, block),
            LLVMShl => match self.shift_amount(value, bits) {
                Some(amount) => {
                    let factor = Polynomial::from(Coeff::pow2(amount));
                    self.scale(value, bits, block, &factor)
                }
                None => self.unknown(value, bits),
            },
            LLVMLShr | LLVMAShr => match self.shift_amount(value, bits) {
                Some(amount) => {
                    let divisor = Polynomial::from(Coeff::pow2(amount));
                    let (operand, rests_on) = if opcode == LLVMLShr {
                        self.unsigned_at(value.operand(0), block)
                    } else {
                        self.signed_at(value.operand(0), block)
                    };
                    let quotient = self.space.floor_div(&operand, &divisor, &Facts::none());
                    let mut result = self.residue(quotient, bits, rests_on);
                    result.signed |= opcode == LLVMAShr;
                    result.unsigned |= opcode == LLVMLShr;
                    result
                }
                None => self.unknown(value, bits),
            },
            LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem => self.division(value, opcode, bits, block),
            LLVMAnd | LLVMOr | LLVMXor => self.bitwise(value, opcode, bits, block),
            LLVMTrunc => self.truncate(value, bits, block),
            LLVMZExt => {
                let (operand, rests_on) = if value.has_nneg() {
                    self.signed_at(value.operand(0), block)
                } else {
                    self.unsigned_at(value.operand(0), block)
                };
                self.exact_unsigned(operand, bits, rests_on)
            }
            LLVMSExt => {
                let (operand, rests_on) = match self.bits(value.operand(0)) {
                    Some(1) => {
                        let lowered = self.value_at(value.operand(0), block);
                        (-&lowered.value, lowered.rests_on)
                    }
                    _ => self.signed_at(value.operand(0), block),
                };
                self.exact_signed(operand, bits, rests_on)
            }
            LLVMAddrSpaceCast if !matches!(value.operand(0).address_space(), 0 | 1) => {
                self.pointer("a local", bits, ObjectKind::Private)
            }
            LLVMBitCast | LLVMAddrSpaceCast | LLVMFreeze | LLVMIntToPtr | LLVMPtrToInt => match self.bits(value.operand(0)) {
                Some(from) if from == bits => self.value_at(value.operand(0), block),
                _ => self.unknown(value, bits),
            },
            LLVMGetElementPtr => self.element_pointer(value, bits, block),
            LLVMICmp => self.comparison(value, block),
            LLVMSelect => {
                let condition = self.value_at(value.operand(0), block);
                let (yes, no) = (self.value_at(value.operand(1), block), self.value_at(value.operand(2), block));
                self.gate(vec![(condition.value.clone(), yes), (self.space.not(&condition.value), no)], bits)
                    .unwrap_or_else(|| self.unknown(value, bits))
            }
            LLVMPHI => self.phi(value, bits, block),
            LLVMLoad => self.load(value, bits, block),
            LLVMAlloca => {
                let name = self.names.get(&value).map_or("a local".into(), |name| format!("local {name}"));
                self.pointer(&name, bits, ObjectKind::Private)
            }
            LLVMCall | LLVMInvoke => self.call(value, bits, block),
            _ => self.unknown(value, bits),
        }
    }

    /// The constant amount of a shift, if it is less than the width.
    fn shift_amount(&self, value: Value, bits: u32) -> Option<u32> {
        value.operand(1).as_int().filter(|amount| (0..i64::from(bits)).contains(amount)).map(|amount| amount as u32)
    }

    fn scale(&mut self, value: Value, bits: u32, block: BlockId, factor: &Polynomial) -> Lowered {
        let operand = self.value_at(value.operand(0), block);
        let constant = self.exact_unsigned(factor.clone(), bits, Guarantees::default());
        self.checked_arithmetic(value, bits, block, operand, constant, |space, a, b| space.product(a, b))
    }

    fn arithmetic(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        self.checked_arithmetic(value, bits, block, a, b, |space, a, b| match opcode {
            Opcode::LLVMAdd => Some(a + b),
            Opcode::LLVMSub => Some(a - b),
            _ => space.product(a, b),
        })
    }

    fn checked_arithmetic(
        &mut self,
        value: Value,
        bits: u32,
        block: BlockId,
        a: Lowered,
        b: Lowered,
        combine: impl Fn(&mut Space, &Polynomial, &Polynomial) -> Option<Polynomial>,
    ) -> Lowered {
        let rests_on = a.rests_on.and(b.rests_on);
        // Below 64 bits the result is likely to be widened, where only an exact value helps; addresses are residues anyway.
        let signed = value.has_nsw() && (bits < 64 || (a.signed && b.signed));
        let unsigned = value.has_nuw() && (bits < 64 || (a.unsigned && b.unsigned));
        let (left, right) = if signed {
            (self.exact_in(&a, Signedness::Signed, block), self.exact_in(&b, Signedness::Signed, block))
        } else if unsigned {
            (self.exact_in(&a, Signedness::Unsigned, block), self.exact_in(&b, Signedness::Unsigned, block))
        } else {
            (a.value.clone(), b.value.clone())
        };
        let Some(result) = combine(&mut self.space, &left, &right) else {
            return self.unknown(value, bits);
        };
        let mut lowered = self.residue(result, bits, rests_on);
        if signed && !lowered.signed {
            lowered.signed = true;
            lowered.rests_on.no_signed_wrap = true;
        }
        if unsigned && !signed && !lowered.unsigned {
            lowered.unsigned = true;
            lowered.rests_on.no_unsigned_wrap = true;
        }
        if !lowered.signed && !lowered.unsigned {
            let value = self.space.congruent(bits, &lowered.value);
            let facts = self.facts_at(block);
            lowered = self.residue_under(value, bits, rests_on, &facts);
        }
        lowered
    }

    fn division(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        use Opcode::*;
        let is_signed = matches!(opcode, LLVMSDiv | LLVMSRem);
        let quotient_wanted = matches!(opcode, LLVMSDiv | LLVMUDiv);
        let ((a, on_a), (b, on_b)) = if is_signed {
            (self.signed_at(value.operand(0), block), self.signed_at(value.operand(1), block))
        } else {
            (self.unsigned_at(value.operand(0), block), self.unsigned_at(value.operand(1), block))
        };
        let facts = self.facts_at(block);
        let one = Polynomial::from(1);
        // Truncating division is flooring division where the dividend is not negative and the divisor positive. For unsigned
        // operands a divisor of zero is undefined, so it is at least one.
        let floors = !is_signed
            || b.as_constant().is_some_and(|b| b.is_one())
            || (self.space.prove_nonneg(&a, &facts).is_yes() && self.space.prove_nonneg(&(&b - &one), &facts).is_yes());
        let result = if floors {
            let quotient = self.space.floor_div(&a, &b, &facts);
            if quotient_wanted {
                Some(quotient)
            } else {
                self.space.product(&quotient, &b).map(|whole| &a - &whole)
            }
        } else {
            let op = if quotient_wanted { OpaqueOp::TruncDiv } else { OpaqueOp::TruncRem };
            Some(self.space.op(op, vec![a, b]))
        };
        match result {
            None => self.unknown(value, bits),
            Some(result) if is_signed => self.exact_signed(result, bits, on_a.and(on_b)),
            Some(result) => self.exact_unsigned(result, bits, on_a.and(on_b)),
        }
    }

    fn bitwise(&mut self, value: Value, opcode: Opcode, bits: u32, block: BlockId) -> Lowered {
        let (a, b) = (self.value_at(value.operand(0), block), self.value_at(value.operand(1), block));
        let rests_on = a.rests_on.and(b.rests_on);
        if bits == 1 {
            let Some(both) = self.space.product(&a.value, &b.value) else { return self.unknown(value, 1) };
            let result = match opcode {
                Opcode::LLVMAnd => both,
                Opcode::LLVMOr => &(&a.value + &b.value) - &both,
                _ => &(&a.value + &b.value) - &both.scale(&Coeff::from(2)),
            };
            return self.exact_unsigned(result, 1, rests_on);
        }
        if opcode == Opcode::LLVMOr && value.is_disjoint() {
            return self.residue(&a.value + &b.value, bits, rests_on);
        }
        let op = match opcode {
            Opcode::LLVMAnd => OpaqueOp::And,
            Opcode::LLVMOr => OpaqueOp::Or,
            _ => OpaqueOp::Xor,
        };
        let (a, b) = (self.exact(&a, Signedness::Unsigned), self.exact(&b, Signedness::Unsigned));
        let result = self.space.op(op, vec![a, b]);
        self.exact_unsigned(result, bits, rests_on)
    }

    fn truncate(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let operand = value.operand(0);
        // clang passes a captured scalar as a 64-bit argument; its low bits are the variable.
        if operand.is_argument() && bits > 1 {
            if let Some(scalar) = self.captured_scalars.get(&(operand, bits)) {
                return scalar.clone();
            }
            let name = self.names.get(&value).or_else(|| self.names.get(&operand)).or_else(|| self.argument_names.get(&operand));
            let name = name.cloned().unwrap_or_else(|| "argument".into());
            let scalar = self.scalar(value, bits, &name);
            self.captured_scalars.insert((operand, bits), scalar.clone());
            return scalar;
        }
        let lowered = self.value_at(operand, block);
        let value = self.space.congruent(bits, &lowered.value);
        if bits == 1 && !self.fits(&value, 1, Signedness::Unsigned) {
            let bit = self.space.wrap(Signedness::Unsigned, 1, &value);
            return self.exact_unsigned(bit, 1, lowered.rests_on);
        }
        let facts = self.facts_at(block);
        self.residue_under(value, bits, lowered.rests_on, &facts)
    }

    fn element_pointer(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let base = self.value_at(value.operand(0), block);
        let mut address = base.value;
        let mut rests_on = base.rests_on;
        let mut ty = value.gep_source();
        for position in 1..value.operand_count() {
            let index = value.operand(position);
            if position > 1 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = index.as_int().unwrap_or(0) as u32;
                address = &address + &Polynomial::from(self.layout.field_offset(ty, field) as i64);
                ty = ty.field(field);
                continue;
            }
            if position > 1 {
                ty = ty.element();
            }
            let size = Coeff::from(self.layout.alloc_size(ty) as i64);
            let lowered = self.value_at(index, block);
            rests_on = rests_on.and(lowered.rests_on);
            let index = if lowered.bits < bits { self.exact_in(&lowered, Signedness::Signed, block) } else { lowered.value };
            address = &address + &index.scale(&size);
        }
        // An address is never widened: a residue is all that is asked of it.
        let value = self.space.congruent(bits, &address);
        Lowered { value, bits, signed: false, unsigned: false, rests_on }
    }

    fn comparison(&mut self, value: Value, block: BlockId) -> Lowered {
        let (left, right) = (value.operand(0), value.operand(1));
        if self.bits(left).is_none() {
            return self.unknown(value, 1);
        }
        use IntPredicate::*;
        let predicate = value.int_predicate();
        let unsigned = matches!(predicate, LLVMIntULT | LLVMIntULE | LLVMIntUGT | LLVMIntUGE);
        let ((a, on_a), (b, on_b)) = if unsigned || self.bits(left) == Some(1) || left.ty().is_pointer() {
            (self.unsigned_at(left, block), self.unsigned_at(right, block))
        } else {
            (self.signed_at(left, block), self.signed_at(right, block))
        };
        let difference = &a - &b;
        let one = Polynomial::from(1);
        let result = match predicate {
            LLVMIntEQ => self.space.zero(&difference),
            LLVMIntNE => {
                let equal = self.space.zero(&difference);
                self.space.not(&equal)
            }
            LLVMIntSGE | LLVMIntUGE => self.space.nonneg(&difference),
            LLVMIntSLE | LLVMIntULE => self.space.nonneg(&-&difference),
            LLVMIntSGT | LLVMIntUGT => self.space.nonneg(&(&difference - &one)),
            LLVMIntSLT | LLVMIntULT => self.space.nonneg(&(&-&difference - &one)),
        };
        self.exact_unsigned(result, 1, on_a.and(on_b))
    }

    /// The sum of definition times condition. None where it grows beyond the algebra's limit.
    fn gate(&mut self, parts: Vec<(Polynomial, Lowered)>, bits: u32) -> Option<Lowered> {
        let (_, first) = parts.first()?;
        if parts.iter().all(|(_, part)| part.value == first.value) {
            return Some(Lowered {
                signed: parts.iter().all(|(_, part)| part.signed),
                unsigned: parts.iter().all(|(_, part)| part.unsigned),
                rests_on: parts.iter().fold(Guarantees::default(), |all, (_, part)| all.and(part.rests_on)),
                ..first.clone()
            });
        }
        // One view for all parts, exact where possible: a sum of a signed and an unsigned value is neither.
        let view = if parts.iter().all(|(_, part)| part.signed) {
            Some(Signedness::Signed)
        } else if parts.iter().all(|(_, part)| part.unsigned) || bits == 1 {
            Some(Signedness::Unsigned)
        } else if bits < 64 {
            Some(Signedness::Signed)
        } else {
            None
        };
        let mut sum = Polynomial::from(0);
        let mut rests_on = Guarantees::default();
        for (condition, part) in parts {
            let value = match view {
                Some(signedness) => self.exact(&part, signedness),
                None => part.value,
            };
            sum = &sum + &self.space.product(&condition, &value)?;
            rests_on = rests_on.and(part.rests_on);
        }
        let mut lowered = self.residue(sum, bits, rests_on);
        lowered.signed |= view == Some(Signedness::Signed);
        lowered.unsigned |= view == Some(Signedness::Unsigned);
        Some(lowered)
    }

    fn phi(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        if let Some(index) = self.cfg.loops.iter().position(|natural| natural.header == block) {
            return self.header_phi(value, bits, index);
        }
        let incoming: Vec<(Value, BlockId)> =
            value.incoming().into_iter().filter_map(|(value, from)| Some((value, self.cfg.id(from)?))).collect();
        if let [(only, from)] = incoming[..] {
            let _ = from;
            return self.value_at(only, block);
        }
        let name = self.names.get(&value).cloned().unwrap_or_else(|| "a choice".into());
        let entangled = |this: &mut Self| this.opaque(bits, &name, Varies::PerThread("its definitions depend on entangled branches".into()));
        let Some(top) = self.cfg.immediate_dominator(block) else { return entangled(self) };
        let mut parts = Vec::new();
        for (source, from) in incoming {
            let Some(condition) = self.edge_condition(top, from, block) else { return entangled(self) };
            let lowered = self.value_at(source, from);
            parts.push((condition, lowered));
        }
        self.gate(parts, bits).unwrap_or_else(|| entangled(self))
    }

    /// The condition under which control, being at `top`, comes to `block`. None where loops in between make it unclear.
    pub(crate) fn path_condition(&mut self, top: BlockId, block: BlockId) -> Option<Polynomial> {
        if top == block {
            return Some(Polynomial::from(1));
        }
        if let Some(condition) = self.edge_conditions.get(&(top, block)) {
            return Some(condition.clone());
        }
        let mut sum = Polynomial::from(0);
        let mut left_loops = Vec::new();
        for from in self.cfg.predecessors[block].clone() {
            // A back edge: `block` was already reached when it is taken.
            if from >= block {
                continue;
            }
            // A loop all of whose exits lead here is left to here each time it is entered.
            if let Some(index) = self.left_loop(top, from, block)
                && self.exits_only_to(index, block)
            {
                if !left_loops.contains(&index) {
                    left_loops.push(index);
                    sum = &sum + &self.path_condition(top, self.cfg.loops[index].header)?;
                }
                continue;
            }
            sum = &sum + &self.edge_condition(top, from, block)?;
        }
        if self.provisional.is_empty() {
            self.edge_conditions.insert((top, block), sum.clone());
        }
        Some(sum)
    }

    /// The condition under which control, being at `top`, takes the edge.
    fn edge_condition(&mut self, top: BlockId, from: BlockId, to: BlockId) -> Option<Polynomial> {
        if from < top || !self.cfg.dominates(top, from) {
            return None;
        }
        // Leaving a loop that lies between: it is left once each time it is entered, if it has one exit.
        if let Some(index) = self.left_loop(top, from, to) {
            let one_exit = self.exits(index).len() == 1;
            let header = self.cfg.loops[index].header;
            return if one_exit { self.path_condition(top, header) } else { None };
        }
        let reached = self.path_condition(top, from)?;
        let taken = self.branch_condition(from, to)?;
        self.space.product(&reached, &taken)
    }

    /// The outermost loop that the edge leaves, of those that do not contain `top`.
    fn left_loop(&self, top: BlockId, from: BlockId, to: BlockId) -> Option<usize> {
        let loops = &self.cfg.loops;
        self.cfg.loop_chain(self.cfg.loop_of(from)).take_while(|&at| !loops[at].contains(to) && !loops[at].contains(top)).last()
    }

    fn exits_only_to(&self, index: usize, target: BlockId) -> bool {
        let natural = &self.cfg.loops[index];
        let successors = natural.blocks.iter().flat_map(|&block| &self.cfg.successors[block]);
        successors.copied().all(|to| natural.contains(to) || to == target || self.is_dead_end(to))
    }

    /// The condition under which the end of `from` jumps to `to`.
    fn branch_condition(&mut self, from: BlockId, to: BlockId) -> Option<Polynomial> {
        let terminator = self.cfg.blocks[from].terminator()?;
        let target = self.cfg.blocks[to];
        match terminator.opcode()? {
            Opcode::LLVMBr => {
                let successors = terminator.successors();
                if successors.iter().all(|&successor| successor == target) {
                    return Some(Polynomial::from(1));
                }
                let condition = self.value_at(terminator.branch_condition()?, from).value;
                Some(if successors[0] == target { condition } else { self.space.not(&condition) })
            }
            Opcode::LLVMSwitch => {
                let (value, _) = self.signed_at(terminator.operand(0), from);
                let mut here = Polynomial::from(0);
                let mut any = Polynomial::from(0);
                for (case, destination) in terminator.switch_cases() {
                    let equal = self.space.zero(&(&value - &Polynomial::from(case.as_int()?)));
                    any = &any + &equal;
                    if destination == target {
                        here = &here + &equal;
                    }
                }
                if terminator.successors()[0] == target {
                    here = &here + &self.space.not(&any);
                }
                Some(here)
            }
            Opcode::LLVMInvoke => (terminator.successors()[0] == target).then(|| Polynomial::from(1)),
            _ => None,
        }
    }

    /// What is known to be non-negative whenever `block` runs: the branch conditions that dominate it.
    pub(crate) fn facts_at(&mut self, block: BlockId) -> Facts {
        if let Some(facts) = self.facts.get(&block) {
            return facts.clone();
        }
        let Some(above) = self.cfg.immediate_dominator(block) else {
            return Facts::none();
        };
        let mut facts = self.facts_at(above);
        if self.cfg.predecessors[block] == [above]
            && let Some(condition) = self.branch_condition(above, block)
        {
            facts = self.space.assume(&facts, &condition);
        }
        self.assume_shared_iterations(block, &mut facts);
        if self.provisional.is_empty() {
            self.facts.insert(block, facts.clone());
        }
        facts
    }

    /// In the body of a worksharing loop the iteration number is below the trip count.
    fn assume_shared_iterations(&mut self, block: BlockId, facts: &mut Facts) {
        let Some(index) = self.cfg.loop_of(block).filter(|&index| self.cfg.loops[index].header != block) else { return };
        let header = self.cfg.blocks[self.cfg.loops[index].header];
        let is_shared = header.phis().any(|phi| self.known_phis.get(&phi) == Some(&KnownPhi::IterationNumber));
        if is_shared && let Some(Trips::Exactly(count)) = self.trips[index].clone() {
            let number = self.iteration(index);
            facts.assume_nonneg(&(&count - &number) - &Polynomial::from(1));
        }
    }

    fn header_phi(&mut self, value: Value, bits: u32, index: usize) -> Lowered {
        match self.known_phis.get(&value).cloned() {
            Some(KnownPhi::IterationNumber) => {
                let number = self.iteration(index);
                let mut lowered = self.residue(number, bits, Guarantees::default());
                // The runtime hands out numbers from 0 to the trip count less one, which the variable's type holds.
                lowered.signed = true;
                lowered.unsigned = true;
                return lowered;
            }
            Some(KnownPhi::ChunkStart) => return self.opaque(bits, "chunk start", Varies::No),
            None => {}
        }
        let cfg = self.cfg;
        let natural = &cfg.loops[index];
        let (mut starts, mut nexts) = (Vec::new(), Vec::new());
        for (incoming, from) in value.incoming() {
            match cfg.id(from) {
                Some(from) if natural.contains(from) => nexts.push((incoming, from)),
                Some(from) => starts.push((incoming, from)),
                None => {}
            }
        }
        let ([(start, entry)], [(next, latch)]) = (&starts[..], &nexts[..]) else {
            return self.unknown(value, bits);
        };
        let (start, entry, next, latch) = (*start, *entry, *next, *latch);
        let start = self.value_at(start, entry);
        if let Some(closed) = self.induction(value, bits, index, &start, next, latch) {
            return closed;
        }
        self.varying(value, bits, index, &start, next, latch)
    }

    /// The closed form `start + step * number` of a header phi, if it has one.
    fn induction(&mut self, phi: Value, bits: u32, index: usize, start: &Lowered, next: Value, latch: BlockId) -> Option<Lowered> {
        // Suppose the phi is an exact signed value, and see what one iteration makes of it.
        let (placeholder, stepped) = self.with_provisional(phi, bits, Varies::No, |this, placeholder| {
            let stepped = this.value_at(next, latch);
            (placeholder, stepped)
        });
        let atom = placeholder.value.as_atom()?;
        let step = &stepped.value - &placeholder.value;
        if self.space.depends_on(&step, |at| at == atom) || self.varies_in(&step, index) {
            return None;
        }
        let number = self.iteration(index);
        let advance = self.space.product(&step, &number)?;
        let mut closed = self.residue(&start.value + &advance, bits, start.rests_on.and(stepped.rests_on));
        // By induction: exact at the start, and every step stays so: by its mark, or because it is a step by one from below a bound.
        let bound = self.steps_by_one(phi, next).then(|| self.bound_signedness(phi, index)).flatten();
        closed.signed |= start.signed && (bound == Some(Signedness::Signed) || (stepped.signed && self.is_marked_chain(next, phi)));
        closed.unsigned |= start.unsigned && bound == Some(Signedness::Unsigned);
        Some(closed)
    }

    /// Whether `next` is reached from the phi by operations that are all marked `nsw`.
    fn is_marked_chain(&self, next: Value, phi: Value) -> bool {
        let mut at = next;
        for _ in 0..8 {
            if at == phi {
                return true;
            }
            if !matches!(at.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub)) || !at.has_nsw() {
                return false;
            }
            at = at.operand(0);
        }
        false
    }

    /// Whether `next` is the phi plus one.
    fn steps_by_one(&self, phi: Value, next: Value) -> bool {
        let is = |a: u32, b: u32| next.operand(a) == phi && next.operand(b).as_int() == Some(1);
        next.is(Opcode::LLVMAdd) && (is(0, 1) || is(1, 0))
    }

    /// The signedness of a header test `phi < bound` that guards the loop's body.
    fn bound_signedness(&self, phi: Value, index: usize) -> Option<Signedness> {
        let natural = &self.cfg.loops[index];
        let terminator = self.cfg.blocks[natural.header].terminator()?;
        let condition = terminator.branch_condition().filter(|condition| condition.is(Opcode::LLVMICmp))?;
        let stays = natural.contains(self.cfg.id(terminator.successors()[0])?);
        let predicate = if stays { condition.int_predicate() } else { inverse(condition.int_predicate()) };
        let on_left = condition.operand(0) == phi;
        if !on_left && condition.operand(1) != phi {
            return None;
        }
        use IntPredicate::*;
        match (predicate, on_left) {
            (LLVMIntULT, true) | (LLVMIntUGT, false) => Some(Signedness::Unsigned),
            (LLVMIntSLT, true) | (LLVMIntSGT, false) => Some(Signedness::Signed),
            _ => None,
        }
    }

    /// A header phi without a closed form. If neither its start nor its step differs between threads, its value does not either.
    fn varying(&mut self, phi: Value, bits: u32, index: usize, start: &Lowered, next: Value, latch: BlockId) -> Lowered {
        let name = self.names.get(&phi).cloned().unwrap_or_else(|| "a recurrence".into());
        let (_, stepped) = self.with_provisional(phi, bits, Varies::No, |this, placeholder| {
            let stepped = this.value_at(next, latch);
            (placeholder, stepped)
        });
        let uniform = !self.varies_between_threads(&start.value) && !self.varies_between_threads(&stepped.value);
        let varies = if uniform {
            Varies::WithLoops(BTreeSet::from([self.loop_id(index)]))
        } else {
            Varies::PerThread("it changes from iteration to iteration without a closed form".into())
        };
        self.opaque(bits, &name, varies)
    }

    /// Runs `body` with a stand-in for `phi`, and forgets everything that was lowered meanwhile.
    fn with_provisional<T>(&mut self, phi: Value, bits: u32, varies: Varies, body: impl FnOnce(&mut Self, Lowered) -> T) -> T {
        let placeholder = self.opaque(bits, "provisional", varies);
        self.provisional.push((phi, placeholder.clone()));
        self.cache.insert(phi, placeholder.clone());
        self.provisional_values.insert(phi);
        let result = body(self, placeholder);
        self.provisional.pop();
        for value in self.provisional_values.drain() {
            self.cache.remove(&value);
        }
        for (outer, placeholder) in &self.provisional {
            self.cache.insert(*outer, placeholder.clone());
            self.provisional_values.insert(*outer);
        }
        self.exit_cache.clear();
        result
    }

    /// Whether a value may change during the loop.
    fn varies_in(&mut self, value: &Polynomial, index: usize) -> bool {
        let is_inside = |id: LoopId| self.cfg.loop_chain(Some(id.0 as usize)).any(|outer| outer == index);
        if self.space.varies_with(value, is_inside) {
            return true;
        }
        let loads: Vec<Value> = self.space.atoms(value).into_iter().filter_map(|atom| self.loads.get(&atom).copied()).collect();
        loads.into_iter().any(|load| !self.is_invariant(load, index))
    }

    /// Whether a load in a loop reads the same value in each iteration, if its address stays the same.
    fn is_invariant(&mut self, load: Value, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        if !self.cfg.id(load.block()).is_some_and(|block| natural.contains(block)) {
            return true;
        }
        let (cfg, copy) = (self.cfg, self.copy);
        *self.invariant_loads.entry((load, index)).or_insert_with(|| {
            let blocks = natural.blocks.iter().map(|&block| cfg.blocks[block]);
            !copy.may_be_written(load, blocks)
        })
    }

    /// Whether a value may differ between threads at equal iteration numbers of the sequential loops, other than by the number of the
    /// parallel iteration.
    fn varies_between_threads(&self, value: &Polynomial) -> bool {
        self.space.varies_per_thread(value)
            || self.space.depends_on(value, |atom| {
                self.space.iteration_loop(atom).is_some_and(|id| self.cfg.loops.get(id.0 as usize).is_some_and(|natural| {
                    self.cfg.blocks[natural.header].phis().any(|phi| matches!(self.known_phis.get(&phi), Some(KnownPhi::IterationNumber)))
                }))
            })
    }

    fn load(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let address = self.value_at(value.operand(0), block);
        let name = self.names.get(&value).cloned();
        let is_pointer = value.ty().is_pointer();
        let private = self.space.atoms(&address.value).into_iter().any(|atom| self.objects.get(&atom) == Some(&ObjectKind::Private));
        if private || value.is_volatile_or_atomic() {
            let reason = if private {
                "it is kept in a local variable in memory"
            } else {
                "it is read from memory that other threads may change"
            };
            return self.opaque(bits, name.as_deref().unwrap_or("a value in memory"), Varies::PerThread(reason.into()));
        }
        let next_epoch = self.epochs.len() as u32;
        let epoch = *self.epochs.entry(value).or_insert(next_epoch);
        let signedness = if is_pointer || bits == 1 { Signedness::Unsigned } else { Signedness::Signed };
        let loaded = self.space.load(address.value, u64::from(bits.div_ceil(8)), epoch, Interval::of_width(bits, signedness));
        let atom = loaded.as_atom().expect("a loaded value is one atom");
        self.loads.insert(atom, value);
        if let Some(name) = name {
            self.space.name_atom(atom, &name);
        }
        if is_pointer {
            self.objects.insert(atom, ObjectKind::Global);
        }
        let mut lowered = self.residue(loaded, bits, address.rests_on);
        lowered.signed |= signedness == Signedness::Signed;
        lowered.unsigned |= signedness == Signedness::Unsigned;
        lowered
    }

    fn call(&mut self, value: Value, bits: u32, block: BlockId) -> Lowered {
        let name = value.callee().map(Value::name).unwrap_or_default();
        let signed = |this: &mut Self, index: usize| this.signed_at(value.operand(index as u32), block);
        if name.starts_with("llvm.smax.") || name.starts_with("llvm.smin.") {
            let op = if name.starts_with("llvm.smax.") { OpaqueOp::Max } else { OpaqueOp::Min };
            let ((a, on_a), (b, on_b)) = (signed(self, 0), signed(self, 1));
            let result = self.space.op(op, vec![a, b]);
            return self.exact_signed(result, bits, on_a.and(on_b));
        }
        if name.starts_with("llvm.umax.") || name.starts_with("llvm.umin.") {
            let op = if name.starts_with("llvm.umax.") { OpaqueOp::Max } else { OpaqueOp::Min };
            let ((a, on_a), (b, on_b)) = (self.unsigned_at(value.operand(0), block), self.unsigned_at(value.operand(1), block));
            let result = self.space.op(op, vec![a, b]);
            return self.exact_unsigned(result, bits, on_a.and(on_b));
        }
        if name.starts_with("llvm.abs.") {
            let (a, on_a) = signed(self, 0);
            let result = self.space.op(OpaqueOp::Max, vec![a.clone(), -&a]);
            return self.exact_unsigned(result, bits, on_a);
        }
        match name.as_str() {
            "__kmpc_get_hardware_num_threads_in_block" => {
                let threads = self.positive_symbol("threads");
                self.exact_signed(threads, bits, Guarantees::default())
            }
            "omp_get_num_threads" | "omp_get_num_teams" | "omp_get_team_num" => self.opaque(bits, &name, Varies::No),
            "" => self.opaque(bits, "a call", Varies::PerThread("it is returned by a function that is called through a pointer".into())),
            _ => {
                let name = crate::ir::demangle(&name);
                self.opaque(bits, &name, Varies::PerThread(format!("it is returned by {name}")))
            }
        }
    }

    /// A value that the algebra does not follow: equal in all threads if it is computed from such values alone.
    fn unknown(&mut self, value: Value, bits: u32) -> Lowered {
        // Names that no variable can have.
        let unnamed = if bits == 1 { "a condition" } else { "a value" };
        let name = self.names.get(&value).cloned().unwrap_or_else(|| unnamed.into());
        let varies = match self.uniform(value, 0) {
            Ok(loops) if loops.is_empty() => Varies::No,
            Ok(loops) => Varies::WithLoops(loops),
            Err(reason) => Varies::PerThread(reason),
        };
        self.opaque(bits, &name, varies)
    }

    /// The loops that a value may change with, if it is equal in all threads; else why it may not be.
    fn uniform(&mut self, value: Value, depth: u32) -> Result<BTreeSet<LoopId>, String> {
        const MAX: u32 = 12;
        if value.is_constant() || value.is_argument() {
            return Ok(BTreeSet::new());
        }
        use Opcode::*;
        let pure = matches!(
            value.opcode(),
            Some(
                LLVMAdd | LLVMSub | LLVMMul | LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFNeg | LLVMFPToSI | LLVMFPToUI | LLVMSIToFP
                    | LLVMUIToFP | LLVMFPExt | LLVMFPTrunc | LLVMFCmp | LLVMICmp | LLVMShl | LLVMLShr | LLVMAShr | LLVMSelect | LLVMTrunc
                    | LLVMSExt | LLVMZExt | LLVMBitCast | LLVMAnd | LLVMOr | LLVMXor | LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem
            )
        );
        if !pure || depth > MAX {
            return Err(match value.opcode() {
                Some(LLVMLoad) => "it is computed from values loaded from memory".into(),
                Some(LLVMPHI) => "it is computed from a value that changes along the way".into(),
                Some(LLVMCall | LLVMInvoke) => "it is computed from a function's result".into(),
                _ => "it is computed in a way that is not followed".into(),
            });
        }
        let mut loops = BTreeSet::new();
        for operand in value.operands() {
            if self.bits(operand).is_some() {
                let lowered = self.lower(operand);
                if self.varies_between_threads(&lowered.value) {
                    return Err("it is computed from the thread's own iteration in a way that is not followed".into());
                }
                loops.extend(self.space.loops_of(&lowered.value));
            } else {
                loops.extend(self.uniform(operand, depth + 1)?);
            }
        }
        Ok(loops)
    }
}

fn inverse(predicate: IntPredicate) -> IntPredicate {
    use IntPredicate::*;
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSLE => LLVMIntSGT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntULE => LLVMIntUGT,
    }
}
