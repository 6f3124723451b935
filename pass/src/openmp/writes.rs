//! Whether outlined code may write to a variable that it is given by its address.
//!
//! Asked of functions as clang made them, with variables in memory: the address is followed through local variables that hold it, into
//! called functions, and through the arrays in which the runtime hands it on. What is not understood may write.

use crate::openmp::{self, BlockOperation, Call, Outlined, OutlinedArgs};
use ipda_llvm::{Opcode, Value};
use rustc_hash::FxHashSet;

/// How many values are followed.
const MAX_FOLLOWED: usize = 2_000;

/// How many addresses of addresses are distinguished.
const MAX_LEVEL: u32 = 4;

/// Whether code may write to what a function's parameter points to, or hand it to code that may.
pub(crate) fn may_write_through(param: Value) -> bool {
    let mut search = Search { seen: FxHashSet::default(), next: Vec::new() };
    search.follow(Trace { value: param, level: 0, slot: None });
    while let Some(trace) = search.next.pop() {
        let users = trace.value.users();
        if search.seen.len() > MAX_FOLLOWED || users.into_iter().any(|user| !search.only_reads(trace, user)) {
            return true;
        }
    }
    false
}

/// Functions that combine the copies of one reduction, one calling the other.
const MAX_COMBINERS: usize = 64;

/// A value that may be the address in question (level 0), or the address of memory that may hold a value of the level below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Trace {
    value: Value,
    level: u32,
    /// Which pointer of an array that the value is the start of, where only that one is meant.
    slot: Option<u64>,
}

struct Search {
    seen: FxHashSet<Trace>,
    next: Vec<Trace>,
}

impl Search {
    fn follow(&mut self, trace: Trace) {
        if self.seen.insert(trace) {
            self.next.push(trace);
        }
    }

    /// Follows a value to where a user of it takes it. False where it may be written through, or is lost.
    fn only_reads(&mut self, trace: Trace, user: Value) -> bool {
        let Trace { value, level, slot } = trace;
        match user.opcode() {
            Some(Opcode::LLVMICmp) => true,
            Some(Opcode::LLVMLoad) => {
                if level > 0 {
                    self.follow(Trace { value: user, level: level - 1, slot: None });
                }
                true
            }
            Some(Opcode::LLVMAddrSpaceCast) => {
                self.follow(Trace { value: user, level, slot });
                true
            }
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMPHI | Opcode::LLVMSelect) => {
                self.follow(Trace { value: user, level, slot: None });
                true
            }
            Some(Opcode::LLVMStore) => {
                let (stored, target) = (user.operand(0), user.operand(1));
                (target != value || level > 0) && (stored != value || self.is_kept(user, target, level))
            }
            // Its caller's call was followed when the function was.
            Some(Opcode::LLVMRet) => true,
            Some(Opcode::LLVMCall) => self.call_only_reads(trace, user),
            _ => false,
        }
    }

    /// Follows a value of a level that is stored into a local variable.
    fn is_kept(&mut self, store: Value, target: Value, level: u32) -> bool {
        let Some((variable, slot)) = local_variable(target) else { return false };
        if store.is_volatile_or_atomic() || level == MAX_LEVEL {
            return false;
        }
        self.follow(Trace { value: variable, level: level + 1, slot });
        true
    }

    fn call_only_reads(&mut self, trace: Trace, call: Value) -> bool {
        let Trace { value, level, slot } = trace;
        if call.calls(|name| name.starts_with("llvm.assume")) {
            return true;
        }
        let args = call.call_args();
        let given: Vec<usize> = (0..args.len()).filter(|&index| args[index] == value).collect();
        // The function itself is called, or the value is in an operand bundle.
        if given.is_empty() {
            return false;
        }
        match openmp::decode(call) {
            Ok(Call::Outlined(Outlined { body, args: OutlinedArgs::Array { array, count }, .. })) => {
                const ARRAY: usize = 7;
                let params = body.params();
                if array != value || given != [ARRAY] || level == 0 || params.len() != count + 2 {
                    return false;
                }
                for (at, &param) in params[2..].iter().enumerate() {
                    if slot.is_none_or(|slot| slot == at as u64) {
                        self.follow(Trace { value: param, level: level - 1, slot: None });
                    }
                }
                true
            }
            Ok(Call::Outlined(Outlined { body, args: OutlinedArgs::Direct(direct), .. })) => {
                let params = body.params();
                let first = args.len() - direct.len();
                if params.len() != direct.len() + 2 || given[0] < first {
                    return false;
                }
                for at in given {
                    self.follow(Trace { value: params[at - first + 2], level, slot: None });
                }
                true
            }
            Ok(Call::User(callee)) if callee.has_definitive_body() => {
                let params = callee.params();
                if given.iter().any(|&at| at >= params.len()) {
                    return false;
                }
                for at in given {
                    self.follow(Trace { value: params[at], level, slot: None });
                }
                self.follow_result(call, level)
            }
            Ok(Call::FreeShared) => true,
            Ok(Call::Intrinsic) if openmp::begins_or_ends_life(call) => true,
            _ if openmp::block_operation(call) == Some(BlockOperation::Copy) => {
                let (target, source) = (args[0], args[1]);
                (target != value || level > 0) && (source != value || level == 0 || self.is_copied(target, level))
            }
            // Memory that holds the address may be where the result comes from.
            _ => !call.call_may_write() && (level == 0 || !call.ty().is_pointer()) && self.follow_result(call, level),
        }
    }

    /// Follows the result of a call that is given a value of a level.
    fn follow_result(&mut self, call: Value, level: u32) -> bool {
        if call.ty().is_pointer() {
            for level in 0..=level {
                self.follow(Trace { value: call, level, slot: None });
            }
        }
        true
    }

    /// Follows what memory of a level holds when it is copied into a local variable.
    fn is_copied(&mut self, target: Value, level: u32) -> bool {
        let Some((variable, _)) = local_variable(target) else { return false };
        self.follow(Trace { value: variable, level, slot: None });
        true
    }
}

/// The local variable, or the one that threads may share, that an address lies in, and which pointer of it, where it is a number.
fn local_variable(address: Value) -> Option<(Value, Option<u64>)> {
    match address.opcode()? {
        Opcode::LLVMAlloca => Some((address, Some(0))),
        Opcode::LLVMCall => {
            matches!(openmp::decode(address), Ok(Call::AllocShared { .. })).then_some((address, Some(0)))
        }
        Opcode::LLVMAddrSpaceCast => local_variable(address.operand(0)),
        Opcode::LLVMGetElementPtr => {
            let (variable, start) = local_variable(address.operand(0))?;
            Some((variable, start.filter(|&start| start == 0).and_then(|_| pointer_index(address))))
        }
        _ => None,
    }
}

/// Which pointer of an array of pointers an element's address is the place of.
fn pointer_index(element: Value) -> Option<u64> {
    let index = |at| element.operand(at).as_int().and_then(|index| u64::try_from(index).ok());
    match element.operand_count() {
        3 if element.gep_source().is_array_of_pointers() && index(1) == Some(0) => index(2),
        _ => None,
    }
}

/// Whether a call combines copies of a reduction's variable and does nothing else: the functions that it is given are the compiler's own, for OpenMP's
/// operators. Those that a program declares may do anything.
pub(crate) fn combines_by_operators(call: Value) -> bool {
    if !openmp::combines_copies(call) {
        return false;
    }
    let mut open: Vec<Value> = call.call_args().into_iter().filter(|arg| arg.is_function()).collect();
    let mut seen = FxHashSet::default();
    while let Some(function) = open.pop() {
        if !seen.insert(function) {
            continue;
        }
        // What the runtime's do is known, also where they are in the module.
        if function.with_name(|name| name.starts_with("__kmpc_") || name.starts_with("llvm.")) {
            continue;
        }
        if !function.with_name(openmp::is_of_reduction) || seen.len() > MAX_COMBINERS {
            return false;
        }
        for called in function.instructions().filter(|instruction| instruction.is_call()) {
            match called.callee() {
                Some(callee) => open.push(callee),
                None => return false,
            }
        }
    }
    true
}
