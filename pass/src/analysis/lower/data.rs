//! Values without a closed form that are computed from what memory holds: that is another answer than that nothing is known of them.
//! What a value is computed from is the closure of its operands, of the conditions that choose between definitions, and of those that
//! end loops which it leaves.

use super::limits::Limit;
use super::{KnownPhi, Lowering};
use crate::openmp;
use ipda_llvm::{BlockId, Opcode, Value};
use ipda_symbolic::Varies;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Values that are looked at for one; what has more is not followed.
const MAX_VALUES: usize = 2000;

/// What a value is computed from, beyond constants and the region's arguments.
#[derive(Default)]
struct Closure {
    open: Vec<Value>,
    seen: FxHashSet<Value>,
    /// Local variables whose contents were looked at.
    objects: FxHashSet<Value>,
    /// What values were loaded from, and what was updated atomically for its result.
    loaded: BTreeSet<String>,
    updated: BTreeSet<String>,
    /// Whether something occurs that may differ between threads at one iteration of the sequential loops.
    tells_threads_apart: bool,
}

impl Closure {
    fn push(&mut self, value: Value) {
        if !value.is_constant() && !value.is_argument() && self.seen.insert(value) {
            self.open.push(value);
        }
    }
}

impl Lowering<'_> {
    /// What a value without a closed form varies with: with loops alone, where nothing that it is computed from differs between threads;
    /// with data, where it is computed from values in memory and from numbers that tell iterations and threads apart; else it is unknown
    /// for the given reason.
    pub(super) fn varies_as_computed(&self, value: Value, reason: &str) -> Varies {
        let mut closure = Closure::default();
        closure.push(value);
        let block = if value.is_instruction() { self.cfg.id(value.block()) } else { None };
        self.varies_with_closure(closure, block.and_then(|block| self.cfg.loop_of(block)), reason)
    }

    /// The same of a value in a loop, after the loop has ended.
    pub(super) fn varies_after_loop(&self, value: Value, index: usize, reason: &str) -> Varies {
        if self.is_handed_out(index) {
            return Varies::PerThread(reason.into());
        }
        let mut closure = Closure::default();
        closure.push(value);
        self.exit_edges(index).for_each(|(from, _)| self.follow_condition(from, &mut closure));
        self.varies_with_closure(closure, self.cfg.loops[index].parent, reason)
    }

    /// `innermost`: the loop that the value is in.
    fn varies_with_closure(&self, mut closure: Closure, innermost: Option<usize>, reason: &str) -> Varies {
        while let Some(next) = closure.open.pop() {
            // Each value that is asked about has a closure of its own, so that all together are quadratic.
            let is_left = self.gives_up(1) || self.is_too_large(&closure);
            if is_left || self.follow(next, &mut closure).is_none() {
                return Varies::PerThread(reason.into());
            }
        }
        if !closure.tells_threads_apart {
            let sequential = self.cfg.loop_chain(innermost).filter(|&index| !self.is_handed_out(index));
            return Varies::WithLoops(sequential.map(|index| self.loop_id(index)).collect());
        }
        let list = |what: &str, names: BTreeSet<String>| {
            (!names.is_empty()).then(|| format!("{what} {}", names.into_iter().collect::<Vec<_>>().join(" and ")))
        };
        let sources = [list("values loaded from", closure.loaded), list("atomic updates of", closure.updated)];
        match sources.into_iter().flatten().collect::<Vec<_>>()[..] {
            [] => Varies::PerThread(reason.into()),
            ref sources => Varies::Data(format!("it is computed from {}", sources.join(" and "))),
        }
    }

    fn is_too_large(&self, closure: &Closure) -> bool {
        let is_too_large = closure.seen.len() > MAX_VALUES;
        if is_too_large {
            self.met(Limit::SourceValues);
        }
        is_too_large
    }

    /// Adds what a value is computed from. None where that is not followed.
    fn follow(&self, value: Value, closure: &mut Closure) -> Option<()> {
        if !value.is_instruction() {
            return Some(());
        }
        let block = self.cfg.id(value.block())?;
        use Opcode::*;
        match value.opcode()? {
            LLVMAlloca => closure.tells_threads_apart = true,
            LLVMIntToPtr => {
                closure.tells_threads_apart = true;
                self.follow_operand(value.operand(0), block, closure);
            }
            LLVMPHI => self.follow_phi(value, block, closure)?,
            LLVMLoad => {
                let changes = value.is_volatile_or_atomic() || self.changes_by_turns(value);
                closure.tells_threads_apart |= changes;
                let bases = bases(value.operand(0));
                for &object in bases.iter().filter(|base| base.is(LLVMAlloca)) {
                    closure.tells_threads_apart = true;
                    self.follow_contents(object, block, closure)?;
                }
                if !bases.iter().all(|base| base.is(LLVMAlloca)) && (changes || self.moves(value.operand(0))) {
                    closure.loaded.insert(self.source_name(value.operand(0)));
                }
                self.follow_operand(value.operand(0), block, closure);
            }
            LLVMAtomicRMW | LLVMAtomicCmpXchg => {
                closure.tells_threads_apart = true;
                closure.updated.insert(self.source_name(value.operand(0)));
            }
            LLVMCall | LLVMInvoke => {
                let name = value.callee()?.name();
                if openmp::tells_numbers(&name) {
                    closure.tells_threads_apart = true;
                } else if openmp::is_function_of_numbers(value) {
                    value.call_args().into_iter().for_each(|arg| self.follow_operand(arg, block, closure));
                } else {
                    return None;
                }
            }
            _ => value.operands().for_each(|operand| self.follow_operand(operand, block, closure)),
        }
        Some(())
    }

    /// An operand as it is seen from `block`: when loops in between have ended decides which of its values that is.
    fn follow_operand(&self, operand: Value, block: BlockId, closure: &mut Closure) {
        closure.push(operand);
        if !operand.is_instruction() {
            return;
        }
        let Some(definition) = self.cfg.id(operand.block()) else { return };
        for index in self.cfg.loop_chain(self.cfg.loop_of(definition)) {
            if self.cfg.loops[index].contains(block) {
                break;
            }
            for (from, _) in self.exit_edges(index) {
                self.follow_condition(from, closure);
            }
        }
    }

    fn follow_phi(&self, value: Value, block: BlockId, closure: &mut Closure) -> Option<()> {
        match self.known_phis.get(&value) {
            Some(KnownPhi::IterationNumber(_)) => {
                closure.tells_threads_apart = true;
                return Some(());
            }
            Some(KnownPhi::ChunkStart) => return Some(()),
            None => {}
        }
        let incoming = value.incoming();
        match self.cfg.loops.iter().position(|natural| natural.header == block) {
            // What was before depends on which iterations came to this thread.
            Some(index) if self.is_handed_out(index) => return None,
            // With several ways to go on, which one was taken decides, too.
            Some(_) => closure.tells_threads_apart |= incoming.len() != 2,
            None => {
                let top = self.cfg.immediate_dominator(block)?;
                if self.gives_up((top..block).count()) {
                    return None;
                }
                (top..block)
                    .filter(|&between| self.cfg.dominates(top, between))
                    .for_each(|between| self.follow_condition(between, closure));
            }
        }
        for (incoming, from) in incoming {
            if let Some(from) = self.cfg.id(from) {
                self.follow_operand(incoming, from, closure);
            }
        }
        Some(())
    }

    fn follow_condition(&self, block: BlockId, closure: &mut Closure) {
        let terminator = self.cfg.blocks[block].terminator();
        if let Some(condition) = terminator.and_then(Value::branch_condition) {
            self.follow_operand(condition, block, closure);
        }
    }

    /// The variable of this thread that a pointer leads into.
    pub(super) fn local_object(&self, pointer: Value) -> Option<Value> {
        let mut at = pointer;
        loop {
            match at.opcode()? {
                Opcode::LLVMAlloca => return Some(at),
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => at = at.operand(0),
                _ => return None,
            }
        }
    }

    /// All that is stored to a local variable, and what decides whether and where, as it is read in `reader`. None where others may
    /// write to it.
    fn follow_contents(&self, object: Value, reader: BlockId, closure: &mut Closure) -> Option<()> {
        if !closure.objects.insert(object) {
            return Some(());
        }
        let (mut pointers, mut seen) = (vec![object], FxHashSet::default());
        while let Some(pointer) = pointers.pop() {
            for user in pointer.users() {
                if !seen.insert(user) {
                    continue;
                }
                let Some(block) = self.cfg.id(user.block()) else { continue };
                match user.opcode()? {
                    Opcode::LLVMLoad | Opcode::LLVMICmp => {}
                    Opcode::LLVMGetElementPtr
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMAddrSpaceCast
                    | Opcode::LLVMPHI
                    | Opcode::LLVMSelect => {
                        self.follow_operand(user, block, closure);
                        pointers.push(user);
                    }
                    Opcode::LLVMStore if user.operand(1) == pointer && !user.is_volatile_or_atomic() => {
                        self.follow_operand(user.operand(0), block, closure);
                        // What decides about the store, but not about the reader as well.
                        std::iter::successors(self.cfg.immediate_dominator(block), |&at| {
                            self.cfg.immediate_dominator(at)
                        })
                        .take_while(|&above| !self.cfg.dominates(above, reader))
                        .for_each(|above| self.follow_condition(above, closure));
                    }
                    Opcode::LLVMCall => self.follow_call_on_local(user, pointer, block, closure)?,
                    _ => return None,
                }
            }
        }
        Some(())
    }

    fn follow_call_on_local(&self, call: Value, pointer: Value, block: BlockId, closure: &mut Closure) -> Option<()> {
        let name = call.callee()?.name();
        if name.starts_with("llvm.lifetime.") {
            return Some(());
        }
        let args = call.call_args();
        if name.starts_with("llvm.memset.") {
            self.follow_operand(args[1], block, closure);
            return Some(());
        }
        if !name.starts_with("llvm.memcpy.") && !name.starts_with("llvm.memmove.") {
            let effects = openmp::effects(call).filter(|effects| effects.is_mathematics)?;
            if effects.results.iter().any(|result| result.pointer(call) == pointer) {
                args.into_iter()
                    .filter(|arg| !arg.ty().is_pointer())
                    .for_each(|arg| self.follow_operand(arg, block, closure));
            }
            return Some(());
        }
        if args[0] == pointer {
            if let Some(source) = self.local_object(args[1]) {
                self.follow_contents(source, block, closure)?;
            } else if self.moves(args[1]) {
                closure.loaded.insert(self.source_name(args[1]));
            }
            self.follow_operand(args[1], block, closure);
        }
        Some(())
    }

    /// Whether an address may change from iteration to iteration: what is read from a fixed place is no more data than an argument.
    fn moves(&self, address: Value) -> bool {
        let mut closure = Closure::default();
        closure.push(address);
        while let Some(next) = closure.open.pop() {
            if matches!(next.opcode(), Some(Opcode::LLVMPHI | Opcode::LLVMCall)) || self.is_too_large(&closure) {
                return true;
            }
            if next.is_instruction() {
                next.operands().for_each(|operand| closure.push(operand));
            }
        }
        false
    }

    /// What a person would call the memory behind a pointer.
    pub(super) fn source_name(&self, pointer: Value) -> String {
        let (mut at, mut through) = (pointer, String::new());
        loop {
            if let Some(name) = self.names.get(&at).or_else(|| self.argument_names.get(&at)) {
                return format!("{name}{through}");
            }
            if at.is_global_variable() {
                let kind = if at.is_constant_global() { "the constant table " } else { "" };
                return format!("{kind}{}{through}", at.name());
            }
            match at.opcode() {
                Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast) => {}
                Some(Opcode::LLVMLoad) => through.push_str("[]"),
                _ => return "memory".into(),
            }
            at = at.operand(0);
        }
    }
}

/// Whether a pointer may lead into memory that not all threads share.
pub(super) fn may_be_local(pointer: Value) -> bool {
    let is_shared = |base: Value| base.is_constant() || base.is_argument() || base.is(Opcode::LLVMLoad);
    !bases(pointer).into_iter().all(is_shared)
}

/// Whether a pointer leads into variables of this thread.
pub(super) fn is_local(pointer: Value) -> bool {
    bases(pointer).into_iter().all(|base| base.is(Opcode::LLVMAlloca))
}

/// Whether a pointer leads into variables that a parallel region's threads share: flattening has marked them with a volatile store of the
/// address.
pub(crate) fn is_shared_variable(pointer: Value) -> bool {
    let is_mark = |user: &Value, base: Value| user.is(Opcode::LLVMStore) && user.operand(0) == base;
    bases(pointer).into_iter().all(|base| {
        base.is(Opcode::LLVMAlloca)
            && base.users().iter().any(|user| is_mark(user, base) && user.is_volatile_or_atomic())
    })
}

/// The values that a pointer is made from by adding offsets and by choosing.
pub(super) fn bases(pointer: Value) -> Vec<Value> {
    let (mut open, mut seen, mut bases) = (vec![pointer], FxHashSet::default(), Vec::new());
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        match at.opcode() {
            Some(
                Opcode::LLVMGetElementPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMFreeze,
            ) => open.push(at.operand(0)),
            Some(Opcode::LLVMPHI) => open.extend(at.incoming().into_iter().map(|(value, _)| value)),
            Some(Opcode::LLVMSelect) => open.extend([at.operand(1), at.operand(2)]),
            _ => bases.push(at),
        }
    }
    bases
}
