//! What a pointer is based on, and which bases can never lead to common bytes.

use super::result::UnitKind;
use crate::analysis::region::Analysis;
use crate::openmp;
use ipda_llvm::{Opcode, Value};
use ipda_symbolic::AtomId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where a pointer comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Base {
    /// A variable of the function's own.
    Local(Value),
    Argument(Value),
    Global(Value),
    /// Read from memory, returned by a function, made from a number.
    Unknown(Value),
}

/// Bases beyond which a pointer is one of unknown base.
const MAX_BASES: usize = 16;

/// The memory of a team of threads, and that of one thread, on NVIDIA's and AMD's devices.
const TEAM_MEMORY: u32 = 3;
const THREAD_MEMORY: u32 = 5;

/// What is found out about bases once.
pub(super) struct Bases {
    pub unit: UnitKind,
    /// Local variables by the symbols of their addresses.
    locals: FxHashMap<AtomId, Value>,
    /// Local variables whose address is written down or handed to code that is not followed.
    escaped: FxHashSet<Value>,
    /// Those in which the runtime leaves which iterations are next.
    of_runtime: FxHashSet<Value>,
    known: FxHashMap<Value, Vec<Base>>,
}

impl Bases {
    pub(super) fn find(analysis: &mut Analysis<'_>, unit: UnitKind) -> Bases {
        let mut bases = Bases {
            unit,
            locals: FxHashMap::default(),
            escaped: FxHashSet::default(),
            of_runtime: FxHashSet::default(),
            known: FxHashMap::default(),
        };
        let cfg = analysis.cfg;
        let locals =
            cfg.blocks.iter().flat_map(|block| block.instructions()).filter(|value| value.is(Opcode::LLVMAlloca));
        for local in locals {
            if escapes(local) {
                bases.escaped.insert(local);
            }
            let casts = local.users().into_iter().filter(|user| user.is(Opcode::LLVMAddrSpaceCast));
            for pointer in std::iter::once(local).chain(casts) {
                if pointer.users().into_iter().any(|user| user.is_call() && openmp::hands_out_iterations(user)) {
                    bases.of_runtime.insert(local);
                }
                bases.locals.extend(analysis.lowering.lower(pointer).value.as_atom().map(|atom| (atom, local)));
            }
        }
        bases
    }

    /// Whatever `pointer` may be based on.
    pub(super) fn of(&mut self, analysis: &mut Analysis<'_>, pointer: Value) -> Vec<Base> {
        if let Some(known) = self.known.get(&pointer) {
            return known.clone();
        }
        let (mut open, mut seen, mut found) = (vec![pointer], FxHashSet::default(), Vec::new());
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if found.len() > MAX_BASES {
                found = vec![Base::Unknown(pointer)];
                break;
            }
            match at.opcode() {
                Some(
                    Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze,
                ) => {
                    open.push(at.operand(0));
                }
                // There and back: the same pointer.
                Some(Opcode::LLVMIntToPtr) if at.operand(0).is(Opcode::LLVMPtrToInt) => {
                    open.push(at.operand(0).operand(0));
                }
                Some(Opcode::LLVMPHI) => open.extend(at.incoming().into_iter().map(|(value, _)| value)),
                Some(Opcode::LLVMSelect) => open.extend([at.operand(1), at.operand(2)]),
                _ => {
                    let base = self.base(analysis, at);
                    if !found.contains(&base) {
                        found.push(base);
                    }
                }
            }
        }
        found.sort_unstable();
        self.known.insert(pointer, found.clone());
        found
    }

    fn base(&self, analysis: &mut Analysis<'_>, value: Value) -> Base {
        match value.opcode() {
            Some(Opcode::LLVMAlloca) => return Base::Local(value),
            // What was stored there by this function is known.
            Some(Opcode::LLVMLoad) => {}
            _ if value.is_argument() => return Base::Argument(value),
            _ if value.is_global_variable() => return Base::Global(value),
            _ => return Base::Unknown(value),
        }
        let address = analysis.lowering.lower(value).value;
        let objects = analysis.objects(&address);
        let [atom] = objects[..] else { return Base::Unknown(value) };
        if !address.coefficient_of(atom).is_some_and(|factor| factor.is_one()) {
            return Base::Unknown(value);
        }
        let local = self.locals.get(&atom).map(|&local| Base::Local(local));
        let argument = || analysis.lowering.argument_of(atom).map(Base::Argument);
        let global = || analysis.lowering.global_of(atom).map(Base::Global);
        local.or_else(argument).or_else(global).unwrap_or(Base::Unknown(value))
    }

    /// The local variable that a symbol is the address of.
    pub(super) fn local(&self, atom: AtomId) -> Option<Value> {
        self.locals.get(&atom).copied()
    }

    /// Whether only the code around shared loops knows of the variables.
    pub(super) fn are_of_runtime(&self, bases: &[Base]) -> bool {
        bases.iter().all(|base| matches!(base, Base::Local(local) if self.of_runtime.contains(local)))
    }

    pub(super) fn has_escaped(&self, local: Value) -> bool {
        self.escaped.contains(&local)
    }

    /// Why pointers on these bases never lead to common bytes; none where they may.
    pub(super) fn apart(&self, a: &[Base], b: &[Base]) -> Option<Apart> {
        let mut reason = Apart::Distinct;
        for &a in a {
            for &b in b {
                reason = reason.max(self.two_apart(a, b)?);
            }
        }
        Some(reason)
    }

    fn two_apart(&self, a: Base, b: Base) -> Option<Apart> {
        use Base::*;
        if a == b {
            return None;
        }
        // The arguments of a function may point to memory of the team; those of a launch not.
        let in_kernel = self.unit != UnitKind::Function;
        match (a, b) {
            // Of the two accesses one writes.
            (Global(constant), _) | (_, Global(constant)) if constant.is_constant_global() => Some(Apart::Distinct),
            (Local(_) | Global(_), Local(_) | Global(_)) | (Local(_), Argument(_)) | (Argument(_), Local(_)) => {
                Some(Apart::Distinct)
            }
            (Local(local), Unknown(_)) | (Unknown(_), Local(local)) if !self.has_escaped(local) => {
                Some(Apart::Distinct)
            }
            (Global(team), Argument(_)) | (Argument(_), Global(team))
                if in_kernel && team.address_space() == TEAM_MEMORY =>
            {
                Some(Apart::Distinct)
            }
            (Argument(argument), Unknown(_)) | (Unknown(_), Argument(argument)) => {
                (argument.is_noalias() && !escapes(argument)).then_some(Apart::Restrict)
            }
            (Argument(a), Argument(b)) if a.is_noalias() || b.is_noalias() => Some(Apart::Restrict),
            (Argument(argument), Global(_)) | (Global(_), Argument(argument)) if argument.is_noalias() => {
                Some(Apart::Restrict)
            }
            _ => apart_by_space(a, b),
        }
    }
}

/// Why two pointers never lead to common bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Apart {
    /// They belong to different variables, allocations or kinds of memory.
    Distinct,
    /// The program says so by `restrict`.
    Restrict,
}

/// Pointers into different kinds of memory of which neither contains the other.
fn apart_by_space(a: Base, b: Base) -> Option<Apart> {
    let space = |base| match base {
        Base::Local(value) | Base::Argument(value) | Base::Global(value) | Base::Unknown(value) => {
            if value.ty().is_pointer() { value.address_space() } else { 0 }
        }
    };
    const GLOBAL_MEMORY: u32 = 1;
    let is_own = |space| matches!(space, GLOBAL_MEMORY | TEAM_MEMORY | THREAD_MEMORY);
    let (a, b) = (space(a), space(b));
    (is_own(a) && is_own(b) && a != b).then_some(Apart::Distinct)
}

/// Whether a variable's address gets to where it is not followed.
fn escapes(local: Value) -> bool {
    let (mut open, mut seen) = (vec![local], FxHashSet::default());
    while let Some(pointer) = open.pop() {
        for user in pointer.users() {
            if !seen.insert((user, pointer)) {
                continue;
            }
            match user.opcode() {
                Some(
                    Opcode::LLVMGetElementPtr
                    | Opcode::LLVMBitCast
                    | Opcode::LLVMAddrSpaceCast
                    | Opcode::LLVMPHI
                    | Opcode::LLVMSelect
                    | Opcode::LLVMFreeze,
                ) => open.push(user),
                Some(Opcode::LLVMPtrToInt) if user.users().iter().all(|next| next.is(Opcode::LLVMIntToPtr)) => {
                    open.extend(user.users());
                }
                Some(Opcode::LLVMLoad | Opcode::LLVMICmp) => {}
                Some(Opcode::LLVMStore) if user.operand(1) == pointer && user.operand(0) != pointer => {}
                Some(Opcode::LLVMAtomicRMW) if user.operand(1) != pointer => {}
                Some(Opcode::LLVMCall) if user.calls(keeps_nothing) || openmp::forgets_pointers(user) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Whether a function forgets the pointers that it is given.
fn keeps_nothing(name: &str) -> bool {
    const PREFIXES: [&str; 7] = [
        "llvm.lifetime.",
        "llvm.memcpy.",
        "llvm.memmove.",
        "llvm.memset.",
        "__kmpc_for_static_",
        "__kmpc_distribute_static_",
        "__kmpc_dispatch_",
    ];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
