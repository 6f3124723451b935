//! Where pointers of the host's code come from: objects are named by where they are allocated (Chase, Wegman and Zadeck, "Analysis of Pointers and
//! Structures", PLDI 1990).
//!
//! An *allocation* is one execution of an instruction that allocates: a call of `malloc` or its like, or a local variable; or a global
//! variable. Pointers that come from different instructions lead to different objects, if both objects are there. From one instruction may
//! come two objects, or one: nothing is said of these.
//!
//! A function that returns what it has allocated itself makes its call an instruction that allocates. Then one object has two names, the call
//! and the instruction inside; which names go together is kept (`inside`).

use super::ground::Ground;
use crate::openmp;
use inkwell::module::Module;
use ipda_llvm::{DataLayout, Opcode, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Where a pointer of a function comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Origin {
    /// What this run of the function has allocated, by this instruction.
    Own(Value),
    /// A global variable that the function names.
    Variable(Value),
    /// What some execution of this instruction, or this variable, is: read from memory.
    Stored(Value),
    /// What a parameter of the function leads to.
    Parameter(Value),
}

/// Where a pointer leads to: so many bytes behind where its origin begins; none where that is not one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Target {
    pub origin: Origin,
    pub offset: Option<i64>,
}

/// The same for all runs of the function: what allocates, and the distance.
pub(super) type Site = (Value, Option<i64>);

/// A write to an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Write {
    /// The first byte, from the object's beginning, and how many.
    pub offset: i64,
    pub bytes: i64,
    pub what: What,
}

/// What is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    Value(Value),
    /// A pointer to memory that the call has allocated.
    Allocated(Value),
    Zeros,
    /// What is found behind a pointer.
    Copy(Value),
}

/// Values that are followed in one module; beyond, nothing is known.
const MAX_STEPS: u32 = 200_000;
/// Calls and loads that a pointer is followed through, one in another.
const MAX_DEPTH: u32 = 48;
/// Origins of one pointer.
const MAX_TARGETS: usize = 64;

/// Functions that return memory of which nobody else knows, or nothing: of C, C++ and OpenMP. What else does is marked `noalias`.
const ALLOCATORS: [&str; 24] = [
    "malloc",
    "calloc",
    "aligned_alloc",
    "memalign",
    "valloc",
    "_Znwm",
    "_Znam",
    "_ZnwmRKSt9nothrow_t",
    "_ZnamRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnamSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "omp_alloc",
    "omp_aligned_alloc",
    "omp_calloc",
    "omp_aligned_calloc",
    "omp_target_alloc",
    "llvm_omp_target_alloc_host",
    "llvm_omp_target_alloc_device",
    "llvm_omp_target_alloc_shared",
    "__kmpc_alloc",
    "__kmpc_aligned_alloc",
    "__kmpc_alloc_shared",
];
/// Those that return new memory, or, as a careless program sees it, that which they are given.
const REALLOCATORS: [&str; 3] = ["realloc", "reallocarray", "omp_realloc"];
/// Intrinsics that return the pointer that they are given.
const SAME: [&str; 3] = ["llvm.launder.invariant.group", "llvm.strip.invariant.group", "llvm.ssa.copy"];

/// What is known of a module's pointers.
pub(super) struct Origins {
    pub layout: DataLayout,
    /// Whether devices may write to variables of the host.
    pub shares_memory: bool,
    /// By calls that allocate, what allocates inside of them.
    pub inside: FxHashMap<Value, Vec<Value>>,
    known: FxHashMap<Value, Option<Rc<[Target]>>>,
    of_parameters: FxHashMap<Value, Option<Rc<[Site]>>>,
    pairs: FxHashMap<[Value; 2], Option<Ground>>,
    callers: FxHashMap<Value, Option<Rc<[Value]>>>,
    pub(super) writes: FxHashMap<Value, Option<Rc<[Write]>>>,
    pub(super) fields: FxHashMap<(Value, i64), Option<Rc<[Site]>>>,
    steps: u32,
    depth: u32,
}

impl Origins {
    pub(super) fn new(module: &Module<'_>) -> Origins {
        Origins {
            layout: DataLayout::of(module),
            shares_memory: openmp::requires_shared_memory(module),
            inside: FxHashMap::default(),
            known: FxHashMap::default(),
            of_parameters: FxHashMap::default(),
            pairs: FxHashMap::default(),
            callers: FxHashMap::default(),
            writes: FxHashMap::default(),
            fields: FxHashMap::default(),
            steps: 0,
            depth: 0,
        }
    }

    /// Why two pointers of one run of a function never lead to common bytes; none where they may.
    pub(super) fn apart(&mut self, a: Value, b: Value) -> Option<Ground> {
        let (of_a, of_b) = (self.of(a)?, self.of(b)?);
        let mut ground = Ground::default();
        for x in of_a.iter() {
            for y in of_b.iter() {
                ground.add(self.two_apart(x.origin, y.origin)?);
            }
        }
        Some(ground)
    }

    fn two_apart(&mut self, a: Origin, b: Origin) -> Option<Ground> {
        use Origin::*;
        match (a, b) {
            (Parameter(a), Parameter(b)) => self.parameters_apart(a, b),
            // What a function is given was there before it allocated anything.
            (Parameter(_), Own(site)) | (Own(site), Parameter(_)) => Some(Ground::of(&[site])),
            // The variable's name is not based on the parameter. See `parameters_apart`.
            (Parameter(parameter), Variable(_)) | (Variable(_), Parameter(parameter)) if parameter.is_noalias() => {
                Some(Ground::of_restrict())
            }
            (Parameter(parameter), Variable(site) | Stored(site))
            | (Variable(site) | Stored(site), Parameter(parameter)) => {
                let sites = self.of_parameter(parameter)?;
                let mut ground = Ground::default();
                for &(other, _) in sites.iter() {
                    ground.add(self.sites_apart(other, site)?);
                }
                Some(ground)
            }
            (Own(a) | Variable(a) | Stored(a), Own(b) | Variable(b) | Stored(b)) => self.sites_apart(a, b),
        }
    }

    fn sites_apart(&self, a: Value, b: Value) -> Option<Ground> {
        let holds = |call: Value, site: Value| self.inside.get(&call).is_some_and(|inside| inside.contains(&site));
        (a != b && !holds(a, b) && !holds(b, a)).then(|| Ground::of(&[a, b]))
    }

    /// Two parameters of one function are apart if one of them is declared `restrict`: while the function runs, what is touched by an address
    /// based on it, and written by anyone, is touched by no address that is not (C, 6.7.3.1). The directive stands in the function, or in one
    /// that it calls, and its launch ends before they do; were the region to run on the host, as it may, the accesses in it would be accesses
    /// of the function. Else they are apart if they are for each of the function's calls.
    fn parameters_apart(&mut self, a: Value, b: Value) -> Option<Ground> {
        let function = a.function_of_argument();
        if a == b || b.function_of_argument() != function {
            return None;
        }
        if a.is_noalias() || b.is_noalias() {
            return Some(Ground::of_restrict());
        }
        let pair = [a.min(b), a.max(b)];
        if let Some(known) = self.pairs.get(&pair) {
            return known.clone();
        }
        // For a function that comes to call itself, nothing is known.
        self.pairs.insert(pair, None);
        let found = self.nested(|this| {
            let (first, second) = (a.argument_number()?, b.argument_number()?);
            let mut ground = Ground::default();
            for call in this.callers(function)?.iter() {
                let args = call.call_args();
                ground.add(this.apart(*args.get(first)?, *args.get(second)?)?);
            }
            Some(ground)
        });
        self.pairs.insert(pair, found.clone());
        found
    }

    /// The calls of a function; none where others than these may call it.
    pub(super) fn callers(&mut self, function: Value) -> Option<Rc<[Value]>> {
        if let Some(known) = self.callers.get(&function) {
            return known.clone();
        }
        let is_call = |user: &Value| {
            user.callee() == Some(function) && user.calls_as_declared() && !user.call_args().contains(&function)
        };
        let users = function.users();
        let found = (function.is_local() && users.iter().all(is_call)).then(|| users.into());
        self.callers.insert(function, found.clone());
        found
    }

    /// Where a pointer comes from, by the function that it is in; none where that is not known. What leads nowhere has no origin.
    pub(super) fn of(&mut self, pointer: Value) -> Option<Rc<[Target]>> {
        if let Some(known) = self.known.get(&pointer) {
            return known.clone();
        }
        // Who needs itself is not known.
        self.known.insert(pointer, None);
        let found = self.nested(|this| this.follow(pointer)).map(Rc::from);
        self.known.insert(pointer, found.clone());
        found
    }

    /// The same for all runs of the function.
    pub(super) fn everywhere(&mut self, pointer: Value) -> Option<Vec<Site>> {
        let mut sites = Vec::new();
        for target in self.of(pointer)?.iter() {
            match target.origin {
                Origin::Own(site) | Origin::Variable(site) | Origin::Stored(site) => sites.push((site, target.offset)),
                Origin::Parameter(parameter) => {
                    let behind = |&(site, offset): &Site| (site, sum(offset, target.offset));
                    sites.extend(self.of_parameter(parameter)?.iter().map(behind));
                }
            }
            if sites.len() > MAX_TARGETS {
                return None;
            }
        }
        Some(sites)
    }

    fn of_parameter(&mut self, parameter: Value) -> Option<Rc<[Site]>> {
        if let Some(known) = self.of_parameters.get(&parameter) {
            return known.clone();
        }
        self.of_parameters.insert(parameter, None);
        let found = self.nested(|this| {
            let number = parameter.argument_number()?;
            let mut sites: Vec<Site> = Vec::new();
            for call in this.callers(parameter.function_of_argument())?.iter() {
                for site in this.everywhere(*call.call_args().get(number)?)? {
                    if !sites.contains(&site) {
                        sites.push(site);
                    }
                }
            }
            (sites.len() <= MAX_TARGETS).then_some(sites)
        });
        let found = found.map(Rc::from);
        self.of_parameters.insert(parameter, found.clone());
        found
    }

    /// Does something one level deeper; none where that is too deep.
    pub(super) fn nested<R>(&mut self, work: impl FnOnce(&mut Origins) -> Option<R>) -> Option<R> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found = work(self);
        self.depth -= 1;
        found
    }

    fn follow(&mut self, pointer: Value) -> Option<Vec<Target>> {
        let mut open = vec![(pointer, Some(0))];
        let mut seen: FxHashMap<Value, Option<i64>> = FxHashMap::default();
        let mut found = Vec::new();
        while let Some((at, offset)) = open.pop() {
            self.steps += 1;
            if self.steps > MAX_STEPS || found.len() > MAX_TARGETS || !at.ty().is_generic_pointer() {
                return None;
            }
            // A pointer that is moved on in a loop has no one distance.
            let offset = match seen.get(&at) {
                Some(&before) if before == offset || before.is_none() => continue,
                Some(_) => None,
                None => offset,
            };
            seen.insert(at, offset);
            let mut add = |origin, behind| {
                let target = Target { origin, offset: sum(offset, behind) };
                if !found.contains(&target) {
                    found.push(target);
                }
            };
            match at.opcode() {
                // No program follows a pointer that leads nowhere.
                _ if at.is_null() || at.is_undefined() => {}
                Some(Opcode::LLVMGetElementPtr) => open.push((at.operand(0), sum(offset, at.constant_step()))),
                Some(Opcode::LLVMBitCast | Opcode::LLVMFreeze) => open.push((at.operand(0), offset)),
                Some(Opcode::LLVMPHI) => open.extend(at.incoming().into_iter().map(|(value, _)| (value, offset))),
                Some(Opcode::LLVMSelect) => open.extend([(at.operand(1), offset), (at.operand(2), offset)]),
                Some(Opcode::LLVMAlloca) => add(Origin::Own(at), Some(0)),
                Some(Opcode::LLVMLoad) => {
                    self.loaded(at)?.into_iter().for_each(|(site, behind)| add(Origin::Stored(site), behind));
                }
                Some(Opcode::LLVMCall | Opcode::LLVMInvoke) => {
                    let Returned { targets, arguments } = self.returned(at)?;
                    targets.into_iter().for_each(|target| add(target.origin, target.offset));
                    open.extend(arguments.into_iter().map(|(value, behind)| (value, sum(offset, behind))));
                }
                _ if at.is_argument() && !at.is_passed_in_memory() => add(Origin::Parameter(at), Some(0)),
                _ if is_variable(at) => add(Origin::Variable(at), Some(0)),
                _ => return None,
            }
        }
        Some(found)
    }

    /// What a call returns.
    fn returned(&mut self, call: Value) -> Option<Returned> {
        let callee = call.callee()?;
        let mut returned = Returned::default();
        if callee.is_declaration() {
            let is_one_of = |names: &[&str]| callee.with_name(|name| names.contains(&name));
            let is_same = callee.with_name(|name| SAME.iter().any(|same| name.starts_with(same)));
            let reallocates = is_one_of(&REALLOCATORS);
            if reallocates || is_same {
                returned.arguments.push((*call.call_args().first()?, if is_same { Some(0) } else { None }));
            }
            if reallocates || allocates(call) {
                returned.targets.push(Target { origin: Origin::Own(call), offset: Some(0) });
            }
            return (!returned.targets.is_empty() || is_same).then_some(returned);
        }
        if !callee.is_only_definition() || !call.calls_as_declared() {
            return None;
        }
        let args = call.call_args();
        let results: Vec<Value> = callee.instructions().filter_map(Value::returned).collect();
        for result in results {
            for target in self.of(result)?.iter() {
                match target.origin {
                    // It is no more when the function has ended.
                    Origin::Own(site) if site.is(Opcode::LLVMAlloca) => return None,
                    Origin::Own(site) => {
                        let further = self.inside.get(&site).cloned().unwrap_or_default();
                        let inside = self.inside.entry(call).or_default();
                        for inner in std::iter::once(site).chain(further) {
                            if !inside.contains(&inner) {
                                inside.push(inner);
                            }
                        }
                        returned.targets.push(Target { origin: Origin::Own(call), ..*target });
                    }
                    Origin::Variable(_) | Origin::Stored(_) => returned.targets.push(*target),
                    Origin::Parameter(parameter) => {
                        let number = parameter.argument_number()?;
                        returned.arguments.push((*args.get(number)?, target.offset));
                    }
                }
            }
        }
        Some(returned)
    }
}

/// What a call returns: of its own, and what it was given.
#[derive(Default)]
struct Returned {
    targets: Vec<Target>,
    arguments: Vec<(Value, Option<i64>)>,
}

/// Whether a call is of one of the functions that return new memory, with nothing in it that leads anywhere.
pub(super) fn is_allocator(call: Value) -> bool {
    call.calls(|name| ALLOCATORS.contains(&name)) && call.callee().is_some_and(Value::is_declaration)
}

/// Whether a call is of a function defined elsewhere that returns memory of which nobody else knows.
fn allocates(call: Value) -> bool {
    is_allocator(call) || call.returns_noalias() && call.callee().is_some_and(Value::is_declaration)
}

/// Whether a global variable is one of its own. Equal constants may be one.
fn is_variable(value: Value) -> bool {
    value.is_global_variable() && value.is_only_definition() && !value.is_thread_local() && !value.is_constant_global()
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}
