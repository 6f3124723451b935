//! From IR values to exact algebra: each integer or pointer of a flattened region as a polynomial over atoms.
//!
//! Values defined under conditions are sums of definition times path condition (gated single assignment, [`control`]);
//! header phis that step by a fixed amount are affine in the loop's iteration number ([`recurrence`]); everything else
//! is an atom with a reason.

mod arithmetic;
mod bits;
mod closed_form;
mod control;
mod exact;
mod exit_tests;
mod exits;
mod guards;
mod inputs;
mod intrinsics;
mod memory;
mod predicate;
mod recurrence;
mod trips;
mod variance;

pub(crate) use exact::{Guarantees, Lowered};
pub(crate) use memory::ObjectKind;
pub(crate) use recurrence::KnownPhi;

use crate::cfg::{BlockId, Cfg};
use crate::ir::{DataLayout, FunctionCopy, Opcode, TypeKind, Value};
use crate::omp;
use ipda_symbolic::{AtomId, Facts, Interval, LoopId, Polynomial, Space, Symbol, TripCount, Varies};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lowers the values of one flattened function.
pub(crate) struct Lowering<'a> {
    pub space: Space,
    pub cfg: &'a Cfg,
    layout: DataLayout,
    names: FxHashMap<Value, String>,
    argument_names: FxHashMap<Value, String>,
    known_phis: FxHashMap<Value, KnownPhi>,
    /// Loops whose iterations or chunks the runtime hands out.
    handed_out: FxHashSet<usize>,
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
    trips: Vec<Option<TripCount>>,
    facts: FxHashMap<BlockId, Facts>,
    /// Loops whose trip counts are right because the loops must end.
    loops_that_must_end: FxHashSet<usize>,
    /// Loops whose trip counts are right because pointers stay in their objects.
    loops_in_objects: FxHashSet<usize>,
    edge_conditions: FxHashMap<(BlockId, BlockId), Polynomial>,
    objects: FxHashMap<AtomId, ObjectKind>,
    /// Pointer arguments by their symbols.
    arguments: FxHashMap<AtomId, Value>,
    /// Whether what one thread writes another may read without a race (critical sections, locks).
    threads_take_turns: bool,
    copy: &'a FunctionCopy,
    depth: u32,
}

/// Nested operands beyond which a value becomes an atom of its own.
const MAX_DEPTH: u32 = 400;

impl<'a> Lowering<'a> {
    /// `names`: source variables by value. `known_phis`: what the runtime calls tell about header phis. `handed_out`: the
    /// loops over what the runtime hands out.
    pub(crate) fn new(
        copy: &'a FunctionCopy,
        cfg: &'a Cfg,
        layout: DataLayout,
        names: FxHashMap<Value, String>,
        arguments: &[Value],
        known_phis: FxHashMap<Value, KnownPhi>,
        handed_out: FxHashSet<usize>,
    ) -> Lowering<'a> {
        let argument_names = arguments.iter().enumerate().map(|(index, &arg)| (arg, format!("arg{index}"))).collect();
        Lowering {
            space: Space::new(),
            cfg,
            layout,
            names,
            argument_names,
            known_phis,
            handed_out,
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
            loops_that_must_end: FxHashSet::default(),
            loops_in_objects: FxHashSet::default(),
            edge_conditions: FxHashMap::default(),
            objects: FxHashMap::default(),
            arguments: FxHashMap::default(),
            threads_take_turns: copy.function().instructions().any(omp::lets_threads_take_turns),
            copy,
            depth: 0,
        }
    }

    /// The loop's name in the algebra.
    fn loop_id(&self, index: usize) -> LoopId {
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
    fn positive_symbol(&mut self, name: &str) -> Polynomial {
        self.space.symbol(Symbol { name: name.into(), range: Interval::at_least(1), varies: Varies::No })
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
            let internal = value.is_function()
                || omp::is_runtime_name(&name)
                || name.starts_with("__omp_rtl")
                || name.starts_with('.');
            return self.pointer(&name, bits, if internal { ObjectKind::Private } else { ObjectKind::Global });
        }
        match value.opcode() {
            Some(opcode) => self.instruction(value, opcode, bits),
            None => self.unknown(value, bits),
        }
    }

    fn instruction(&mut self, value: Value, opcode: Opcode, bits: u32) -> Lowered {
        // A constant expression stands everywhere; it has no loop to be left.
        let block = if value.is_instruction() { self.cfg.id(value.block()).unwrap_or(0) } else { 0 };
        use Opcode::*;
        match opcode {
            LLVMAdd | LLVMSub | LLVMMul => self.arithmetic(value, opcode, bits, block),
            LLVMShl | LLVMLShr | LLVMAShr => self.shift(value, opcode, bits, block),
            LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem => self.division(value, opcode, bits, block),
            LLVMAnd | LLVMOr | LLVMXor => self.bitwise(value, opcode, bits, block),
            LLVMTrunc => self.truncate(value, bits, block),
            LLVMZExt | LLVMSExt => self.extend(value, opcode, bits, block),
            LLVMAddrSpaceCast if !matches!(value.operand(0).address_space(), 0 | 1) => {
                self.pointer("a local", bits, ObjectKind::Private)
            }
            LLVMBitCast | LLVMAddrSpaceCast | LLVMFreeze | LLVMIntToPtr | LLVMPtrToInt => {
                match self.bits(value.operand(0)) {
                    Some(from) if from == bits => self.value_at(value.operand(0), block),
                    _ => self.unknown(value, bits),
                }
            }
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
            LLVMExtractValue => self.checked_part(value, bits, block).unwrap_or_else(|| self.unknown(value, bits)),
            _ => self.unknown(value, bits),
        }
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
            // It may rest on a stand-in that is in force.
            self.provisional_reads += u64::from(!self.provisional.is_empty());
            return cached.clone();
        }
        let mut result = lowered;
        for index in left {
            result = self.after_loop(result, index);
        }
        self.exit_cache.insert((value, use_loop), result.clone());
        result
    }

    /// The source variable that holds a value, or other words for it.
    fn name_or(&self, value: Value, unnamed: &str) -> String {
        self.names.get(&value).map_or(unnamed, String::as_str).to_string()
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
}
