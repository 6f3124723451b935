//! Leaving loops: by which exit, in which iteration, and what a value defined in a loop is behind it.

use super::exit_tests::Precision;
use super::limits::Limit;
use super::{Lowered, Lowering};
use crate::openmp;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::{Atom, AtomId, OpaqueOp, Polynomial};

/// Operations that are followed to where a value comes from.
const MAX_ARITHMETIC_DEPTH: u32 = 8;

/// Exits of a loop beyond which the one by which it is left is not determined.
const MAX_EXITS: usize = 4;

impl Lowering<'_> {
    /// Whether a loop's header can end it before the body has run. Such a header runs once more than the body.
    pub(crate) fn is_tested_first(&self, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        let ends = |&to: &BlockId| !natural.contains(to) && !self.is_dead_end(to);
        !natural.latches.contains(&natural.header) && self.cfg.successors[natural.header].iter().any(ends)
    }

    /// Blocks of a loop with an edge out of it.
    pub(super) fn exits(&self, index: usize) -> Vec<BlockId> {
        let mut blocks: Vec<BlockId> = self.exit_edges(index).map(|(from, _)| from).collect();
        blocks.dedup();
        blocks
    }

    /// The edges out of a loop, other than to where the program ends.
    pub(crate) fn exit_edges(&self, index: usize) -> impl Iterator<Item = (BlockId, BlockId)> {
        let natural = &self.cfg.loops[index];
        let edges = natural.blocks.iter().flat_map(|&from| self.cfg.successors[from].iter().map(move |&to| (from, to)));
        edges.filter(|&(_, to)| !natural.contains(to) && !self.is_dead_end(to))
    }

    /// Whether a block only leads to `unreachable` (a failed assertion, a thrown exception).
    pub(crate) fn is_dead_end(&self, block: BlockId) -> bool {
        self.cfg.blocks[block].terminator().is_some_and(|terminator| terminator.is(Opcode::LLVMUnreachable))
    }

    /// Whether there is one edge out of a loop, those to where the program ends included.
    pub(super) fn has_only_way_out(&self, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        let leaves = |&block: &BlockId| self.cfg.successors[block].iter().filter(|&&to| !natural.contains(to)).count();
        natural.blocks.iter().map(leaves).sum::<usize>() == 1
    }

    /// Whether a loop must end by its only exit: it does nothing that others see, and the language lets the compiler suppose that such loops end.
    pub(super) fn must_end(&self, index: usize) -> bool {
        let natural = &self.cfg.loops[index];
        let [latch] = natural.latches[..] else { return false };
        let is_marked = self.cfg.blocks[latch].terminator().is_some_and(|end| end.must_progress());
        let is_silent = |value: Value| {
            let callee = value.callee().map(Value::name).unwrap_or_default();
            let harmless = ["llvm.dbg.", "llvm.lifetime.", "llvm.assume"].iter().any(|start| callee.starts_with(start));
            match value.opcode() {
                Some(Opcode::LLVMLoad | Opcode::LLVMStore) => !value.is_volatile_or_atomic(),
                Some(Opcode::LLVMCall) => harmless || openmp::computes_a_number(value),
                Some(
                    Opcode::LLVMInvoke
                    | Opcode::LLVMCallBr
                    | Opcode::LLVMFence
                    | Opcode::LLVMAtomicRMW
                    | Opcode::LLVMAtomicCmpXchg,
                ) => false,
                _ => true,
            }
        };
        is_marked
            && self.has_only_way_out(index)
            && natural.blocks.iter().all(|&block| self.cfg.blocks[block].instructions().all(is_silent))
    }

    /// What `source`, which is defined in a loop, is after the loop has ended; `value` in its last iteration.
    pub(super) fn after_loop(&mut self, source: Value, mut value: Lowered, index: usize) -> Lowered {
        if self.is_computed_outside(source, index, 0) || !self.varies_in(&value.value, index) {
            return value;
        }
        let bits = value.bits;
        let lost = |this: &mut Self, reason: &str| {
            let varies = this.varies_after_loop(source, index, reason);
            this.opaque(bits, "a last value", varies)
        };
        if self.is_handed_out(index) {
            return lost(self, "it is the last value of a loop of which each thread has its own part");
        }
        let Some(exit) = self.exit_number(index) else {
            return lost(self, "it is the last value of a loop whose number of iterations is not known");
        };
        let number = self.iteration(index);
        let atom = number.as_atom().expect("an iteration number is one atom");
        value.value = self.in_iteration(&value.value, atom, &exit);
        // What has no closed form depends on when the loop ends.
        if self.varies_in(&value.value, index) && self.varies_between_threads(&exit) {
            return lost(self, "it is the last value of a loop that threads leave at different times");
        }
        value
    }

    /// Whether a value is arithmetic on what is defined outside of a loop alone.
    fn is_computed_outside(&self, value: Value, index: usize, depth: u32) -> bool {
        if !value.is_instruction() {
            return value.is_constant() || value.is_argument();
        }
        let block = self.cfg.id(value.block());
        if block.is_some_and(|block| !self.cfg.loops[index].contains(block)) {
            return true;
        }
        block.is_some()
            && depth < MAX_ARITHMETIC_DEPTH
            && value.is_cast_or_arithmetic()
            // Of what has no value it makes another one each time.
            && !value.is(Opcode::LLVMFreeze)
            && value.operands().all(|operand| self.is_computed_outside(operand, index, depth + 1))
    }

    /// A value as it is in another iteration, given the atom of the iteration number. What is loaded there is loaded by the same instructions.
    pub(super) fn in_iteration(&mut self, value: &Polynomial, number: AtomId, other: &Polynomial) -> Polynomial {
        let moved = self.space.substitute(value, &mut |at| (at == number).then(|| other.clone()));
        for atom in self.space.atoms(&moved) {
            let Atom::Load { epoch, .. } = self.space.atom(atom) else { continue };
            if self.loads.contains_key(&atom) {
                continue;
            }
            let epoch = *epoch;
            let is_same =
                |at: &AtomId| matches!(self.space.atom(*at), Atom::Load { epoch: other, .. } if *other == epoch);
            let Some(known) = self.loads.keys().copied().filter(is_same).min() else { continue };
            self.loads.insert(atom, self.loads[&known]);
            if let Some(kind) = self.objects.get(&known).cloned() {
                self.objects.insert(atom, kind);
            }
        }
        moved
    }

    /// Whether the runtime hands out the loop's iterations or chunks, so that its number is not how often a thread has come by.
    pub(super) fn is_handed_out(&self, index: usize) -> bool {
        self.handed_out.contains(&index)
    }

    /// The number of the iteration in which the loop is left, where that is one number and at least zero.
    fn exit_number(&mut self, index: usize) -> Option<Polynomial> {
        // This finds the range of the iteration number too.
        self.trip_count(index);
        let counts = self.exit_counts(index)?.into_iter().map(|(_, count)| count).collect();
        let facts = self.facts_at(self.cfg.loops[index].header);
        Some(self.space.op_under(OpaqueOp::Min, counts, &facts))
    }

    /// The exits of a loop in the order in which an iteration comes to them, each with how many iterations its test lets pass. None where one
    /// is not known.
    fn exit_counts(&mut self, index: usize) -> Option<Vec<(BlockId, Polynomial)>> {
        let exits = self.exits(index);
        if exits.len() > MAX_EXITS {
            self.met(Limit::LoopExits);
            return None;
        }
        let facts = self.facts_at(self.cfg.loops[index].header);
        let mut counts = Vec::new();
        for exit in exits {
            let stays = self.stays(index, exit).filter(|stays| stays.precision == Precision::Exact)?;
            let count = match self.space.proves_nonneg(&stays.count, &facts) {
                true => stays.count,
                false => self.space.op(OpaqueOp::Max, vec![stays.count, Polynomial::from(0)]),
            };
            counts.push((exit, count));
        }
        Some(counts)
    }

    /// The condition under which a loop, once entered, is left by the exit `from`.
    pub(super) fn left_by(&mut self, index: usize, from: BlockId) -> Option<Polynomial> {
        if self.exit_edges(index).count() == 1 {
            return Some(Polynomial::from(1));
        }
        if self.is_handed_out(index) {
            return None;
        }
        let counts = self.exit_counts(index)?;
        let position = counts.iter().position(|(exit, _)| *exit == from)?;
        let own = counts[position].1.clone();
        let mut condition = Polynomial::from(1);
        for (other, (_, count)) in counts.iter().enumerate() {
            if other == position {
                continue;
            }
            // In one iteration the exit that comes first is taken.
            let later = if other < position { Polynomial::from(1) } else { Polynomial::from(0) };
            let first = self.space.nonneg(&(&(count - &own) - &later));
            condition = self.space.product(&condition, &first)?;
        }
        Some(condition)
    }
}
