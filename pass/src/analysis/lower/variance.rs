//! What a value may change with: the iterations of a loop, or the thread that computes it.

use super::limits::Limit;
use super::{Guarantees, KnownPhi, Lowered, Lowering};
use crate::openmp;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{Atom, AtomId, Interval, LoopId, Polynomial, Symbol, Varies};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Operations on values of other types than integers that are followed one after the other.
const MAX_UNIFORM_DEPTH: u32 = 12;

impl Lowering<'_> {
    /// Whether a value may change during the loop.
    pub(crate) fn varies_in(&mut self, value: &Polynomial, index: usize) -> bool {
        let is_inside = |id: LoopId| self.cfg.loop_chain(Some(id.0 as usize)).any(|outer| outer == index);
        if self.space.varies_with(value, is_inside) {
            return true;
        }
        self.has_changing_loads(value, index)
    }

    /// Whether a value may be another one in other iterations of the loop, in which the loops inside of it are at the same iterations.
    pub(crate) fn varies_between_iterations_of(&mut self, value: &Polynomial, index: usize) -> bool {
        let id = self.loop_id(index);
        self.space.varies_with(value, |other| other == id) || self.has_changing_loads(value, index)
    }

    /// Whether a value is made of loads that may read something else in another iteration of the loop, at the same address.
    pub(crate) fn has_changing_loads(&mut self, value: &Polynomial, index: usize) -> bool {
        let loads: Vec<Value> =
            self.space.atoms(value).into_iter().filter_map(|atom| self.loads.get(&atom).copied()).collect();
        loads.into_iter().any(|load| !self.is_invariant(load, index))
    }

    /// A value in which all that memory holds is taken to be the same in all iterations.
    pub(crate) fn without_data(&mut self, value: &Polynomial) -> Polynomial {
        let is_data = |&atom: &AtomId| match self.space.atom(atom) {
            Atom::Load { .. } => true,
            Atom::Symbol(symbol) => matches!(symbol.varies, Varies::Data(_)),
            _ => false,
        };
        let data: Vec<AtomId> = self.space.atoms(value).into_iter().filter(is_data).collect();
        let mut fixed = FxHashMap::default();
        for atom in data {
            let symbol = Symbol { name: "data".into(), range: self.space.atom_range(atom).clone(), varies: Varies::No };
            fixed.insert(atom, self.space.symbol(symbol));
        }
        self.space.substitute(value, &mut |atom| fixed.get(&atom).cloned())
    }

    /// The loops in which a value may change because memory that it is loaded from does.
    pub(super) fn loops_that_change_loads(&mut self, value: &Polynomial) -> Vec<LoopId> {
        let loads: Vec<Value> =
            self.space.atoms(value).iter().filter_map(|atom| self.loads.get(atom).copied()).collect();
        let cfg = self.cfg;
        let mut changing = Vec::new();
        for load in loads {
            let innermost = cfg.id(load.block()).and_then(|block| cfg.loop_of(block));
            for index in cfg.loop_chain(innermost) {
                if !self.is_invariant(load, index) {
                    changing.push(self.loop_id(index));
                }
            }
        }
        changing
    }

    /// Whether a load in a loop reads the same value in each iteration, if its address stays the same.
    pub(super) fn is_invariant(&mut self, load: Value, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        if !self.cfg.id(load.block()).is_some_and(|block| natural.contains(block)) {
            return true;
        }
        let (cfg, copy) = (self.cfg, self.copy);
        *self.invariant_loads.entry((load, index)).or_insert_with(|| {
            let blocks = natural.blocks.iter().map(|&block| cfg.blocks[block]);
            !copy.may_be_written(load, blocks, &[])
        })
    }

    /// Whether a value may differ between threads at equal iteration numbers of the sequential loops, other than by the
    /// number of the parallel iteration.
    pub(super) fn varies_between_threads(&self, value: &Polynomial) -> bool {
        self.space.varies_per_thread(value)
            || self.space.varies_by_thread(value)
            || self.space.depends_on(value, |atom| {
                self.space.iteration_loop(atom).is_some_and(|id| self.is_worksharing(id.0 as usize))
            })
    }

    /// Whether the runtime hands out the iterations of a loop one by one to threads.
    pub(super) fn is_worksharing(&self, index: usize) -> bool {
        self.cfg.loops.get(index).is_some_and(|natural| {
            let mut phis = self.cfg.blocks[natural.header].phis();
            phis.any(|phi| matches!(self.known_phis.get(&phi), Some(KnownPhi::IterationNumber(_))))
        })
    }

    /// A value that the algebra does not follow: equal in all threads if it is computed from such values alone.
    pub(super) fn unknown(&mut self, value: Value, bits: u32) -> Lowered {
        let range = self.value_range(value, bits);
        self.unknown_in(value, bits, range)
    }

    /// A value that the algebra does not follow, but for its range, which is one of signed numbers or of natural ones.
    pub(super) fn unknown_in(&mut self, value: Value, bits: u32, range: Interval) -> Lowered {
        // Names that no variable can have.
        let unnamed = if bits == 1 { "a condition" } else { "a value" };
        let name = self.name_or(value, unnamed);
        let varies = match self.uniform(value, 0) {
            Ok(loops) if loops.is_empty() => Varies::No,
            Ok(loops) => Varies::WithLoops(loops),
            Err(reason) => self.varies_as_computed(value, &reason),
        };
        let from = matches!(varies, Varies::PerThread(_)).then(|| self.rises_with(value)).flatten();
        let symbol = self.space.symbol(Symbol { name, range, varies });
        self.rising.extend(symbol.as_atom().zip(from));
        self.residue(symbol, bits, Guarantees::default())
    }

    /// The loops that a value may change with, if it is equal in all threads; else why it may not be.
    fn uniform(&mut self, value: Value, depth: u32) -> Result<BTreeSet<LoopId>, String> {
        if value.is_constant() || value.is_argument() {
            return Ok(BTreeSet::new());
        }
        if value.is(Opcode::LLVMLoad) {
            return self.uniform_load(value);
        }
        let is_pure_call = openmp::is_function_of_numbers(value);
        if depth > MAX_UNIFORM_DEPTH {
            self.met(Limit::UniformDepth);
        }
        if !(value.opcode().is_some_and(is_pure) || is_pure_call) || depth > MAX_UNIFORM_DEPTH {
            return Err(match value.opcode() {
                Some(Opcode::LLVMPHI) => "it is computed from a value that changes along the way".into(),
                Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => "it is computed from a function's result".into(),
                _ => "it is computed in a way that is not followed".into(),
            });
        }
        let block = if value.is_instruction() { self.cfg.id(value.block()).unwrap_or(0) } else { 0 };
        let mut loops = BTreeSet::new();
        let operands = if is_pure_call { value.call_args() } else { value.operands().collect() };
        for operand in operands {
            if self.bits(operand).is_some() {
                let lowered = self.value_at(operand, block);
                if self.varies_between_threads(&lowered.value) {
                    return Err("it is computed from the thread's own iteration in a way that is not followed".into());
                }
                loops.extend(self.space.loops_of(&lowered.value));
                loops.extend(self.loops_that_change_loads(&lowered.value));
            } else if self.leaves_loops(operand, block) {
                return Err("it is computed from the last value of a loop".into());
            } else {
                loops.extend(self.uniform(operand, depth + 1)?);
            }
        }
        Ok(loops)
    }

    /// The integer with which an integer rises or falls evenly that is rounded from floating point.
    fn rises_with(&mut self, value: Value) -> Option<Value> {
        use Opcode::*;
        let mut at = value;
        for _ in 0..MAX_UNIFORM_DEPTH {
            let operands: Vec<Value> = match at.opcode()? {
                LLVMSIToFP | LLVMUIToFP => return (at != value).then(|| at.operand(0)),
                LLVMFPToSI | LLVMFPToUI if at == value => vec![at.operand(0)],
                LLVMFAdd | LLVMFSub | LLVMFMul => at.operands().collect(),
                // A constant over what changes is a curve.
                LLVMFDiv if self.is_same_for_all(at.operand(1)) => vec![at.operand(0)],
                LLVMFNeg | LLVMFPExt | LLVMFPTrunc => vec![at.operand(0)],
                LLVMCall if at.calls(openmp::keeps_order) => at.call_args(),
                _ => return None,
            };
            let mut varying = operands.into_iter().filter(|operand| !self.is_same_for_all(*operand));
            at = varying.next()?;
            if varying.next().is_some() {
                return None;
            }
        }
        None
    }

    fn is_same_for_all(&mut self, value: Value) -> bool {
        self.uniform(value, 0).is_ok_and(|loops| loops.is_empty())
    }

    /// Whether a loop in which a value is defined has ended in `block`.
    fn leaves_loops(&self, value: Value, block: BlockId) -> bool {
        let definition = if value.is_instruction() { self.cfg.id(value.block()) } else { None };
        let innermost = definition.and_then(|definition| self.cfg.loop_of(definition));
        self.cfg.loop_chain(innermost).any(|index| !self.cfg.loops[index].contains(block))
    }
}

/// Whether an operation gives the same result wherever its operands are the same.
fn is_pure(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
            | LLVMFNeg
            | LLVMFPToSI
            | LLVMFPToUI
            | LLVMSIToFP
            | LLVMUIToFP
            | LLVMFPExt
            | LLVMFPTrunc
            | LLVMFCmp
            | LLVMICmp
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMSelect
            | LLVMTrunc
            | LLVMSExt
            | LLVMZExt
            | LLVMBitCast
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMSDiv
            | LLVMUDiv
            | LLVMSRem
            | LLVMURem
    )
}
