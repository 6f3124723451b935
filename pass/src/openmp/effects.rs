//! What a function does beside computing its result: the one table that all phases ask.
//!
//! Functions of mathematics are listed beside it ([`super::mathematics`]). Of C's other functions LLVM knows. The
//! functions of the program tell by their attributes, which the program wrote, an option stands for, or flattening found of a body
//! that it does not follow ([`body`]).

use super::mathematics::{EXTENSIONS, ResultKind, Row, in_c, is_pure_intrinsic, on_device, row};
use super::names::{begins_or_ends_life, is_runtime_name};
use ipda_llvm::{DataLayout, FunctionCopy, MemoryEffects, Opcode, Session, TypeKind, Value};
use ipda_models::report::{FunctionEffects, KnownBy};
use rustc_hash::FxHashSet;

/// Attributes of functions whose effects an option tells.
const BY_OPTION: &str = "ipda-by-option";

/// So deep are calls followed.
const MAX_CALLS: usize = 8;

/// What a call does beside computing its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effects {
    /// The results that it leaves where arguments lead to.
    pub results: Vec<OutResult>,
    /// What it may read of memory.
    pub reads: Reads,
    /// Whether it may set `errno`, or another variable of C's library.
    pub sets_errno: bool,
    /// Whether it is a function of a library of mathematics.
    pub is_mathematics: bool,
}

/// A result that is left in memory, as the cosine by `sincos`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OutResult {
    /// The argument that leads there.
    pub argument: usize,
    kind: ResultKind,
    /// Whether it is written whatever the arguments are.
    pub always: bool,
}

/// What a function may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Nothing,
    /// What its arguments lead to, as far as that goes.
    Arguments,
    Anything,
}

impl OutResult {
    /// The pointer to it.
    pub(crate) fn pointer(self, call: Value) -> Value {
        call.operand(self.argument as u32)
    }

    /// Its size.
    pub(crate) fn bytes(self, call: Value, layout: DataLayout) -> u64 {
        match self.kind {
            ResultKind::Number => layout.store_size(call.operand(0).ty()),
            ResultKind::Int => 4,
        }
    }
}

/// What is known of a call; none where it may do anything. Calls that the runtime's own table knows are not asked about here.
pub(crate) fn effects(call: Value) -> Option<Effects> {
    if !call.is(Opcode::LLVMCall) {
        return None;
    }
    let callee = call.callee()?;
    callee.with_name(|name| of_mathematics(call, callee, name).or_else(|| as_declared(call, name)))
}

fn of_mathematics(call: Value, callee: Value, name: &str) -> Option<Effects> {
    let is_nothing = call.memory_effects() == MemoryEffects::NONE;
    let of = |row: Row, has_errno: bool| {
        let sets_errno = row.sets_errno && has_errno && !is_nothing;
        let results = results(call, row.results)?;
        Some(Effects { results, reads: Reads::Nothing, sets_errno, is_mathematics: true })
    };
    const NUMBERS_ALONE: Row = Row { sets_errno: false, results: None };
    if is_pure_intrinsic(name) {
        return Some(Effects { results: Vec::new(), reads: Reads::Nothing, sets_errno: false, is_mathematics: true });
    }
    if let Some(name) = on_device(name) {
        // Unlike C's library it has no errno, and what is declared convergent in it, as all device code is, needs no other threads.
        return of(row(name).unwrap_or(NUMBERS_ALONE), false);
    }
    let known = in_c(name).filter(|_| callee.is_declaration())?;
    let is_library = name.starts_with("__") || !EXTENSIONS.contains(&known) || callee.throws_nothing();
    if is_library && !is_unknown_to_compiler(call, name) { of(row(known)?, true) } else { None }
}

/// Whether code is compiled without knowing of a function of C's library.
fn is_unknown_to_compiler(call: Value, name: &str) -> bool {
    let function = call.block().function();
    ["no-builtins".to_owned(), format!("no-builtin-{name}")].iter().any(|text| function.text_attribute(text).is_some())
}

/// Where a call is left with results besides its own; none where it has another form than its name says.
fn results(call: Value, expected: Option<(ResultKind, bool)>) -> Option<Vec<OutResult>> {
    let args = call.call_args();
    if !args.iter().all(|&arg| is_number(arg) || arg.ty().is_pointer()) || !(is_number(call) || call.ty().is_void()) {
        return None;
    }
    let pointers: Vec<usize> = (0..args.len()).filter(|&at| args[at].ty().is_pointer()).collect();
    match expected {
        Some((kind, always)) if !pointers.is_empty() && is_number(*args.first()?) => {
            Some(pointers.into_iter().map(|argument| OutResult { argument, kind, always }).collect())
        }
        None if pointers.is_empty() && is_number(call) => Some(Vec::new()),
        _ => None,
    }
}

fn is_number(value: Value) -> bool {
    use TypeKind::*;
    matches!(
        value.ty().scalar().0.kind(),
        LLVMIntegerTypeKind
            | LLVMHalfTypeKind
            | LLVMBFloatTypeKind
            | LLVMFloatTypeKind
            | LLVMDoubleTypeKind
            | LLVMX86_FP80TypeKind
            | LLVMFP128TypeKind
            | LLVMPPC_FP128TypeKind
    )
}

/// By attributes, or as LLVM knows C's library: all that writes nothing.
fn as_declared(call: Value, name: &str) -> Option<Effects> {
    if name.starts_with("llvm.") || is_runtime_name(name) {
        return None;
    }
    let declared = call.memory_effects();
    let memory = if declared == MemoryEffects::ANY { call.library_effects()? } else { declared };
    if memory.has(MemoryEffects::WRITES) {
        return None;
    }
    let reads = match () {
        () if memory.elsewhere() != MemoryEffects::NONE => Reads::Anything,
        () if memory.has(MemoryEffects::READS_ARGUMENTS) => Reads::Arguments,
        () => Reads::Nothing,
    };
    Some(Effects { results: Vec::new(), reads, sets_errno: false, is_mathematics: false })
}

/// Whether a call's result follows from its arguments alone, which are numbers.
pub(crate) fn is_function_of_numbers(call: Value) -> bool {
    let is_function = |effects: Effects| {
        let is_reported = effects.is_mathematics || call.callee().is_some_and(Value::is_declaration);
        is_reported && effects.results.is_empty() && effects.reads == Reads::Nothing
    };
    effects(call).is_some_and(is_function)
}

/// Whether a call computes its result from its arguments alone, which are numbers, and does nothing else: it may be made more often, or not at all.
pub(crate) fn computes_a_number(call: Value) -> bool {
    is_function_of_numbers(call) && effects(call).is_some_and(|effects| !effects.sets_errno)
}

/// Whether a call forgets the pointers that it is given.
pub(crate) fn forgets_pointers(call: Value) -> bool {
    effects(call).is_some_and(|effects| effects.is_mathematics)
}

/// What the program or an option says of a function that a call leads to, and of which nothing else is known here.
pub(crate) fn reported(call: Value) -> Option<(FunctionEffects, KnownBy)> {
    let callee = call.callee()?;
    let effects = effects(call).filter(|effects| !effects.is_mathematics)?;
    let what = match effects.reads {
        Reads::Nothing => FunctionEffects::Const,
        Reads::Arguments | Reads::Anything => FunctionEffects::Pure,
    };
    let by = match () {
        () if callee.text_attribute(BY_OPTION).is_some() => KnownBy::Option,
        () if callee.has_definitive_body() => KnownBy::Body,
        () if call.memory_effects() != MemoryEffects::ANY => KnownBy::Attribute,
        () => KnownBy::Library,
    };
    // Nothing rests on what was seen, and nothing is missing.
    (what == FunctionEffects::Pure || by != KnownBy::Body).then_some((what, by))
}

/// Declares what options say of functions of other files.
pub(crate) fn declare(functions: impl Iterator<Item = Value>, constant: &[String], pure: &[String]) {
    for function in functions.filter(|function| function.is_declaration()) {
        let name = function.name();
        let source = ipda_llvm::demangle(&name);
        let is_named = |names: &[String]| names.iter().any(|reported| *reported == name || *reported == source);
        if is_named(constant) {
            function.declare_memory(MemoryEffects::NONE, BY_OPTION);
        } else if is_named(pure) {
            function.declare_memory(MemoryEffects::READS, BY_OPTION);
        }
    }
}

/// What a function with a body may touch; what it writes other than its own variables and `errno` as a write. None where not all of it is
/// known, as where it asks which thread it is.
pub(crate) fn body(session: Session, function: Value) -> Option<MemoryEffects> {
    Body { session, active: Vec::new() }.effects(function)
}

struct Body {
    session: Session,
    /// The functions that are looked into, each called by the one before.
    active: Vec<Value>,
}

/// What reading or writing means where an argument leads to, and elsewhere.
const READS: [MemoryEffects; 2] = [MemoryEffects::READS_ARGUMENTS, MemoryEffects::READS];
const WRITES: [MemoryEffects; 2] = [MemoryEffects::WRITES_ARGUMENTS, MemoryEffects::WRITES];

impl Body {
    fn effects(&mut self, function: Value) -> Option<MemoryEffects> {
        if self.active.len() == MAX_CALLS || !function.has_definitive_body() {
            return None;
        }
        self.active.push(function);
        let copy = FunctionCopy::new(self.session, function);
        copy.promote();
        let none = Some(MemoryEffects::NONE);
        let all = copy.function().instructions().map(|instruction| self.of(instruction));
        let found = all.fold(none, |all, one| Some(all? | one?));
        self.active.pop();
        found
    }

    fn of(&mut self, instruction: Value) -> Option<MemoryEffects> {
        use Opcode::*;
        match instruction.opcode()? {
            LLVMLoad | LLVMStore if instruction.is_volatile_or_atomic() => None,
            LLVMLoad => Some(touches(instruction.operand(0), READS)),
            LLVMStore => Some(touches(instruction.operand(1), WRITES)),
            LLVMCall => self.of_call(instruction),
            LLVMInvoke | LLVMCallBr | LLVMResume | LLVMFence | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMVAArg
            | LLVMUnreachable => None,
            _ => Some(MemoryEffects::NONE),
        }
    }

    fn of_call(&mut self, call: Value) -> Option<MemoryEffects> {
        let callee = call.callee()?;
        const ANNOTATIONS: [&str; 3] = ["llvm.assume", "llvm.dbg.", "llvm.experimental.noalias.scope.decl"];
        let is_annotation = |name: &str| ANNOTATIONS.iter().any(|reported| name.starts_with(reported));
        if begins_or_ends_life(call) || callee.with_name(is_annotation) {
            return Some(MemoryEffects::NONE);
        }
        let pointers: Vec<Value> = call.call_args().into_iter().filter(|arg| arg.ty().is_pointer()).collect();
        let through = |effects| pointers.iter().fold(MemoryEffects::NONE, |all, &arg| all | touches(arg, effects));
        if let Some(effects) = effects(call) {
            let results = effects.results.iter().map(|result| touches(result.pointer(call), WRITES));
            let written = results.fold(MemoryEffects::NONE, |all, one| all | one);
            let errno = if effects.sets_errno { MemoryEffects::WRITES_INACCESSIBLE } else { MemoryEffects::NONE };
            let read = match effects.reads {
                Reads::Nothing => MemoryEffects::NONE,
                Reads::Arguments => through(READS),
                Reads::Anything => MemoryEffects::READS,
            };
            return Some(written | errno | read);
        }
        // Given nothing but its own, a function that calls itself does there what it does here.
        let is_same = self.active.last() == Some(&callee);
        if is_same && !(through(READS) | through(WRITES)).has(MemoryEffects::READS_OTHER) {
            return Some(MemoryEffects::NONE);
        }
        if self.active.contains(&callee) {
            return Some(through(READS) | through(WRITES));
        }
        let inside = self.effects(callee)?;
        let read = if inside.has(MemoryEffects::READS_ARGUMENTS) { through(READS) } else { MemoryEffects::NONE };
        let written = if inside.has(MemoryEffects::WRITES_ARGUMENTS) { through(WRITES) } else { MemoryEffects::NONE };
        Some(inside.elsewhere() | read | written)
    }
}

/// What it means to read or write where a pointer leads to: nothing where that is a variable of the function, or for reading, a constant.
fn touches(pointer: Value, [by_argument, elsewhere]: [MemoryEffects; 2]) -> MemoryEffects {
    let (mut open, mut seen, mut all) = (vec![pointer], FxHashSet::default(), MemoryEffects::NONE);
    while let Some(at) = open.pop() {
        if !seen.insert(at) {
            continue;
        }
        match at.opcode() {
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze) => {
                open.push(at.operand(0));
            }
            Some(Opcode::LLVMPHI) => open.extend(at.incoming().into_iter().map(|(value, _)| value)),
            Some(Opcode::LLVMSelect) => open.extend([at.operand(1), at.operand(2)]),
            Some(Opcode::LLVMAlloca) => {}
            _ if at.is_argument() => all = all | by_argument,
            _ if at.is_global_variable() && at.is_constant_global() && elsewhere == MemoryEffects::READS => {}
            _ => all = all | elsewhere,
        }
    }
    all
}
