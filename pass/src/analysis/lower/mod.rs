//! From IR values to exact algebra: each integer or pointer of a flattened region as a polynomial over atoms.
//!
//! Values defined under conditions are sums of definition times path condition (gated single assignment, [`control`]);
//! header phis that step by a fixed amount are affine in the loop's iteration number ([`recurrence`]); everything else
//! is an atom with a reason.

mod arithmetic;
mod bits;
mod closed_form;
mod control;
mod data;
mod exact;
mod exit_tests;
mod exits;
mod guards;
mod inputs;
mod intrinsics;
mod limits;
mod lowering;
mod members;
mod memo;
mod memory;
mod predicate;
mod ranges;
mod reaching;
mod recurrence;
mod registers;
mod stand_ins;
mod table;
mod threads;
mod trips;
mod turns;
mod value;
mod variance;

pub(crate) use data::is_shared_variable;
use lowering::{ADDRESS_BITS, Epoch, Members};
pub(crate) use lowering::{KnownPhi, Lowering, ObjectKind};
pub(crate) use registers::{EXTENT, TEAMS, Threads, is_thread_register};
pub(crate) use value::{Guarantees, Lowered};

use crate::openmp;
use ipda_llvm::{BlockId, Cfg, DataLayout, FunctionCopy, Opcode, TypeKind, Value};
use ipda_symbolic::{Atom, AtomId, LoopId, OpaqueOp, Polynomial, Space, Varies};
use limits::{Limit, LimitHits};
use memo::{Memo, StandIns};
use rustc_hash::{FxHashMap, FxHashSet};
use turns::Turns;

/// The address spaces of memory on the chip that a team shares, and of a thread's own memory, on NVIDIA's and AMD's devices.
const SHARED_MEMORY: u32 = 3;
pub(crate) const THREAD_MEMORY: u32 = 5;

/// Nested operands beyond which a value becomes an atom of its own.
const MAX_DEPTH: u32 = 400;

/// Terms of a condition by which one of two values is chosen: one test, or its opposite.
const MAX_TERMS_OF_CHOICE: usize = 2;

/// Steps of work that a value takes to be looked at, beside those of the algebra.
const STEPS_OF_VALUE: usize = 16;

impl<'a> Lowering<'a> {
    /// `names`: source variables by value. `known_phis`: what the runtime calls say about header phis. `handed_out`: the
    /// loops over what the runtime hands out.
    pub(crate) fn new(
        copy: &'a FunctionCopy,
        cfg: &'a Cfg,
        layout: DataLayout,
        mut names: FxHashMap<Value, String>,
        arguments: &[Value],
        known_phis: FxHashMap<Value, KnownPhi>,
        handed_out: FxHashSet<usize>,
    ) -> Lowering<'a> {
        inputs::tell_apart(&mut names, arguments);
        let argument_names = arguments.iter().enumerate().map(|(index, &arg)| (arg, format!("arg{index}"))).collect();
        Lowering {
            space: Space::new(),
            cfg,
            layout,
            names,
            members: Members::default(),
            argument_names,
            known_phis,
            handed_out,
            cache: Memo::default(),
            stand_ins: 0,
            rising: Vec::new(),
            rests_on: StandIns::default(),
            captured_scalars: FxHashMap::default(),
            not_negative: FxHashSet::default(),
            loads: FxHashMap::default(),
            epochs: FxHashMap::default(),
            invariant_loads: FxHashMap::default(),
            exits: Memo::default(),
            trips: Memo::default(),
            facts: Memo::default(),
            path_conditions: Memo::default(),
            loops_that_must_end: FxHashSet::default(),
            loops_of_signed_sums: FxHashSet::default(),
            loops_in_objects: FxHashSet::default(),
            supposed_steps: None,
            objects: FxHashMap::default(),
            arguments: FxHashMap::default(),
            threads: Threads::default(),
            globals: FxHashMap::default(),
            turns: Turns::find(cfg),
            assumed: guards::blocks_that_assume(cfg),
            is_deaf_to_overlap: false,
            is_deaf_to_facts: false,
            tests: FxHashSet::default(),
            copy,
            depth: 0,
            limit_hits: LimitHits::default(),
            gave_up_at: None,
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

    /// The address of whatever a call reads that is not followed.
    pub(crate) fn unfollowed_address(&mut self, call: Value) -> Polynomial {
        let name = call.callee().map_or_else(|| "a call".into(), |callee| ipda_llvm::demangle(&callee.name()));
        let varies = Varies::PerThread("its accesses are not followed".into());
        self.opaque(ADDRESS_BITS, &format!("what {name} reads"), varies).value
    }

    /// The polynomial of a value at the place of its definition.
    pub(crate) fn lower(&mut self, value: Value) -> Lowered {
        if let Some((lowered, rests_on)) = self.cache.get(value) {
            self.rest_on(rests_on);
            return lowered;
        }
        let (lowered, rests_on) = self.tracked(|this| {
            if this.gives_up(STEPS_OF_VALUE) {
                return this.given_up(value);
            }
            if this.depth >= MAX_DEPTH {
                this.met(Limit::ValueDepth);
                let bits = this.bits(value).unwrap_or(64);
                return this.opaque(bits, "deep", Varies::PerThread("it is computed in too many steps".into()));
            }
            this.depth += 1;
            let lowered = this.lower_uncached(value);
            this.depth -= 1;
            lowered
        });
        self.note_local_pointer(value, &lowered);
        self.cache.insert(value, lowered.clone(), rests_on);
        lowered
    }

    fn lower_uncached(&mut self, value: Value) -> Lowered {
        let Some(bits) = self.bits(value) else {
            return self.unknown(value, 64);
        };
        if let Some(constant) = value.as_int() {
            return self.number(constant, bits);
        }
        if value.is_null() {
            return self.exact_signed(Polynomial::from(0), bits, Guarantees::default());
        }
        if value.is_argument() {
            return self.argument(value, bits);
        }
        if value.is_global_variable() || value.is_function() {
            let name = value.name();
            let known_as = self.names.get(&value).cloned().unwrap_or_else(|| variable_name(&name));
            let internal = value.is_function()
                || openmp::is_runtime_name(&name)
                || name.starts_with("__omp_rtl")
                || name.starts_with('.');
            let kind = match () {
                () if internal => ObjectKind::Private,
                () if value.address_space() == SHARED_MEMORY => ObjectKind::Shared,
                () => ObjectKind::Global,
            };
            let pointer = self.pointer(&known_as, bits, kind);
            self.globals.extend(pointer.value.as_atom().map(|atom| (atom, value)));
            return pointer;
        }
        match value.opcode() {
            Some(opcode) => self.instruction(value, opcode, bits),
            None => self.unknown(value, bits),
        }
    }

    fn number(&self, value: i64, bits: u32) -> Lowered {
        match bits {
            1 => self.exact_unsigned(Polynomial::from(value & 1), 1, Guarantees::default()),
            _ => self.exact_signed(Polynomial::from(value), bits, Guarantees::default()),
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
            LLVMAddrSpaceCast if value.operand(0).address_space() == THREAD_MEMORY => {
                self.pointer("a local", bits, ObjectKind::Private)
            }
            // Pointers into memory on the chip may be shorter than others; that of a cast is the same place.
            LLVMAddrSpaceCast => {
                let lowered = self.value_at(value.operand(0), block);
                self.residue(lowered.value, bits, lowered.rests_on)
            }
            LLVMBitCast | LLVMFreeze | LLVMIntToPtr | LLVMPtrToInt => match self.bits(value.operand(0)) {
                Some(from) if from == bits => self.value_at(value.operand(0), block),
                _ => self.unknown(value, bits),
            },
            LLVMGetElementPtr => self.element_pointer(value, bits, block),
            LLVMICmp => self.comparison(value, block),
            LLVMSelect => {
                let condition = self.value_at(value.operand(0), block);
                if bits > 1 && self.is_by_test(&condition.value) {
                    return self.unknown(value, bits);
                }
                let facts = self.facts_at(block);
                let other = self.space.not(&condition.value);
                let parts = [(1, condition.value), (2, other)].map(|(way, condition)| {
                    let mut part = self.value_at(value.operand(way), block);
                    // Which way a quotient is rounded, as in a block of its own; not where tests before loops choose, which may be joined of many parts.
                    let is_short = !self.is_deaf_to_overlap && condition.terms().len() <= MAX_TERMS_OF_CHOICE;
                    let rounds = |atom| matches!(self.space.atom(atom), Atom::Op(OpaqueOp::TruncDiv, _));
                    if bits > 1 && is_short && self.space.depends_on(&part.value, rounds) {
                        let facts = self.space.assume(&facts, &condition);
                        part.value = self.space.substitute_under(&part.value, &facts, &mut |_| None);
                    }
                    (condition, part)
                });
                let parts = parts.into();
                let gated = self.gate(parts, bits, &facts).unwrap_or_else(|| self.unknown(value, bits));
                self.unless_by_test(value, gated)
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
        if let Some((known, rests_on)) = self.exits.get((value, use_loop)) {
            self.rest_on(rests_on);
            return known;
        }
        let (result, rests_on) =
            self.tracked(|this| left.into_iter().fold(lowered, |result, index| this.after_loop(value, result, index)));
        // The value itself may rest on more.
        let rests_on = self.cache.get(value).map_or(rests_on, |(_, own)| own.and(rests_on));
        self.exits.insert((value, use_loop), result.clone(), rests_on);
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

impl Lowering<'_> {
    /// The global variable that a symbol stands for.
    pub(crate) fn global_of(&self, atom: AtomId) -> Option<Value> {
        self.globals.get(&atom).copied()
    }

    /// Whether nothing in the loops around a load, other than the given ones, writes what it reads, at any of its addresses.
    pub(crate) fn is_constant_load(&mut self, atom: AtomId, but: &[usize]) -> bool {
        let Some(&load) = self.loads.get(&atom) else { return false };
        let cfg = self.cfg;
        let innermost = cfg.id(load.block()).and_then(|block| cfg.loop_of(block));
        cfg.loop_chain(innermost).all(|index| but.contains(&index) || self.is_invariant(load, index))
    }
}

/// A variable's name in the source: of a mangled one, without what it belongs to.
fn variable_name(symbol: &str) -> String {
    let name = ipda_llvm::demangle(symbol);
    // What is local to a function follows its whole signature.
    name.rsplit_once("::").map_or(name.as_str(), |(_, last)| last).to_string()
}
