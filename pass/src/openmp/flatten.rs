//! Makes one flat function of a target region.
//!
//! clang spreads a region over several functions: the kernel, the teams' code, the parallel code, each started by a
//! runtime call that passes the captured variables in its own way. [`flatten`] undoes this in a copy: calls that start
//! code become calls of that code and are inlined, from the outside in, so that one function remains in which each
//! construct is a loop between its runtime calls. All shapes, host and device, end in this one form. What runs is
//! untouched: the copy serves the analysis only.

use crate::common::deferred;
use crate::common::reject::{RejectLog, RejectReason};
use crate::common::trace::Tracer;
use crate::openmp::outline::TargetRegion;
use crate::openmp::writes::may_write_through;
use crate::openmp::{self, Call, Outlined, OutlinedArgs};
use ipda_llvm::{Builder, CodePlace, FunctionCopy, MemoryEffects, NoAlias, Session, Type, Value};
use rustc_hash::FxHashMap;

/// Instructions of a flattened region beyond which it is left alone.
const MAX_INSTRUCTIONS: usize = 50_000;

/// As long as variables are in memory, there are about so many times more.
const IN_MEMORY: usize = 3;

/// A region's code in one function, or why there is none, and what was left alone on the way.
pub(crate) struct Flat {
    pub code: Result<FunctionCopy, RejectReason>,
    pub log: RejectLog,
}

/// Makes one function of a region's code.
pub(crate) fn flatten(session: Session, region: &TargetRegion, trace: &Tracer) -> Flat {
    let step = trace.begin("flatten", Some(region));
    let mut log = RejectLog::default();
    let code = in_one(session, region.entry, &mut log);
    match &code {
        Ok(copy) => step.end(format_args!("{} instructions", copy.function().instruction_count())),
        Err(_) => step.end(format_args!("refused")),
    }
    Flat { code, log }
}

/// A copy of the region's entry with all of its code in one function, in canonical form.
fn in_one(session: Session, entry: Value, log: &mut RejectLog) -> Result<FunctionCopy, RejectReason> {
    let mut copy =
        if entry.is_call() { FunctionCopy::around(session, entry) } else { FunctionCopy::new(session, entry) };
    let mut flattening = Flattening { session, chains: Vec::new(), indirect: Vec::new(), instructions: 0, log };
    let chain = flattening.enter(entry, None, CodePlace::NONE);
    flattening.follow_all(&copy, chain)?;
    note_effects(&copy, |call| call.calls(openmp::is_instruction_on_host));
    copy.canonicalise();
    note_effects(&copy, |_| true);
    if copy.function().instruction_count() > MAX_INSTRUCTIONS {
        return Err(RejectReason::TooLarge { limit: MAX_INSTRUCTIONS });
    }
    Ok(copy)
}

/// Tells LLVM's analyses what functions of mathematics touch, of which some are declared like any other function. The code has its form then: what it
/// reads twice, it reads twice; but for what the host has instructions for, so that both sides take one form.
fn note_effects(copy: &FunctionCopy, is_wanted: impl Fn(&Value) -> bool) {
    for call in copy.function().instructions().filter(|value| value.is_call() && is_wanted(value)) {
        let Some(effects) = openmp::effects(call).filter(|effects| effects.is_mathematics) else { continue };
        let results = if effects.results.is_empty() { MemoryEffects::NONE } else { MemoryEffects::WRITES_ARGUMENTS };
        let errno = if effects.sets_errno { MemoryEffects::WRITES_INACCESSIBLE } else { MemoryEffects::NONE };
        call.limit_memory(results | errno);
    }
}

/// A function that code comes from, as an index into [`Flattening::chains`].
type Chain = usize;

struct Link {
    function: Value,
    /// Where the function's own code was inlined.
    outer: Option<Chain>,
    /// The nearest call around it of a function of the user's: the calls of what clang made are no places in the program.
    called: CodePlace,
}

struct Flattening<'a> {
    session: Session,
    chains: Vec<Link>,
    /// Calls through pointers, which may turn out to be functions when variables are no longer in memory.
    indirect: Vec<(Value, Chain)>,
    /// How many instructions were inlined.
    instructions: usize,
    log: &'a mut RejectLog,
}

impl Flattening<'_> {
    fn enter(&mut self, function: Value, outer: Option<Chain>, called: CodePlace) -> Chain {
        self.chains.push(Link { function, outer, called });
        self.chains.len() - 1
    }

    fn is_active(&self, function: Value, chain: Chain) -> bool {
        let mut next = Some(chain);
        while let Some(chain) = next {
            let link = &self.chains[chain];
            if link.function == function {
                return true;
            }
            next = link.outer;
        }
        false
    }

    /// Inlines all that a copy calls and starts.
    fn follow_all(&mut self, copy: &FunctionCopy, chain: Chain) -> Result<(), RejectReason> {
        let outer = std::mem::take(&mut self.indirect);
        let calls = copy.function().instructions().filter(|value| value.is_call()).collect();
        self.follow(copy, calls, chain)?;
        while !self.indirect.is_empty() {
            copy.promote();
            let mut pending: FxHashMap<Value, Chain> = std::mem::take(&mut self.indirect).into_iter().collect();
            let calls: Vec<Value> = copy.function().instructions().filter(|value| value.is_call()).collect();
            for call in calls {
                match pending.remove(&call) {
                    Some(chain) if call.callee().is_some() => self.follow(copy, vec![call], chain)?,
                    Some(_) => self.log.add(RejectReason::IndirectCall, call.location()),
                    None => {}
                }
            }
        }
        self.indirect = outer;
        Ok(())
    }

    /// Inlines what some calls in a copy, which stand in code of the chain's function, call and start.
    fn follow(&mut self, copy: &FunctionCopy, calls: Vec<Value>, chain: Chain) -> Result<(), RejectReason> {
        for call in calls {
            if let Some(value) = deferred::stands_for(call) {
                call.replace_all_uses(value);
                call.erase();
                continue;
            }
            match openmp::decode(call) {
                Ok(Call::Outlined(outlined)) => match self.start_outlined(copy, call, outlined, chain) {
                    Err(reason @ RejectReason::TooLarge { .. }) => return Err(reason),
                    Err(reason) => self.log.add(reason, call.location()),
                    Ok(()) => {}
                },
                Ok(Call::AllocShared { size }) => {
                    // Only memory of known size becomes registers; other calls stay and are opaque.
                    if let Some(bytes) = size.as_int().and_then(|bytes| u64::try_from(bytes).ok()) {
                        let variable = entry_builder(copy).alloca_bytes(size, bytes);
                        call.replace_all_uses(variable);
                        call.erase();
                    }
                }
                Ok(Call::FreeShared) => call.erase(),
                Ok(Call::User(callee)) => {
                    let function = || ipda_llvm::demangle(&callee.name());
                    if callee.is_declaration() {
                        self.log.add(RejectReason::UnknownCall { function: function() }, call.location());
                    } else if !callee.has_definitive_body() {
                        if openmp::effects(call).is_none() {
                            self.log.add(RejectReason::WeakFunction { function: function() }, call.location());
                        }
                    } else if self.is_active(callee, chain) {
                        self.log.add(RejectReason::Recursion { function: function() }, call.location());
                    } else {
                        self.inline_called(copy, call, callee, chain)?;
                    }
                }
                Ok(Call::Indirect) => self.indirect.push((call, chain)),
                Ok(_) => {}
                Err(reason) => self.log.add(reason, call.location()),
            }
        }
        Ok(())
    }

    /// Inlines a function that is called directly.
    fn inline_called(
        &mut self,
        copy: &FunctionCopy,
        call: Value,
        callee: Value,
        chain: Chain,
    ) -> Result<(), RejectReason> {
        let location = call.location();
        let is_made = openmp::is_made_by_compiler(&callee.name());
        let is_promised = !is_made && call.promises_noalias();
        let called = match () {
            () if is_made => self.chains[chain].called,
            // Known when the body is inlined.
            () if is_promised => CodePlace::NONE,
            () => call.place(),
        };
        let inside = self.enter(callee, Some(chain), called);
        let inlined = if is_made {
            // Not a place in the user's program. clang gives variables that threads share to its own code as if each thread had them alone.
            call.set_place(called);
            self.inline(copy, call, callee, NoAlias::Forgotten)?
        } else if is_promised {
            // What the promise says of an access shows when its pointer is no longer in memory.
            let body = FunctionCopy::new(self.session, callee);
            self.follow_all(&body, inside)?;
            body.promote();
            call.set_operand(call.operand_count() - 1, body.function());
            let inlined = self.inline(copy, call, body.function(), NoAlias::Believed)?;
            if inlined.is_none() {
                call.set_operand(call.operand_count() - 1, callee);
            }
            inlined.map(|_| Vec::new())
        } else {
            self.inline(copy, call, callee, NoAlias::Believed)?
        };
        match inlined {
            Some(calls) => self.follow(copy, calls, inside),
            None => {
                let function = ipda_llvm::demangle(&callee.name());
                self.log.add(RejectReason::UnknownCall { function }, location);
                Ok(())
            }
        }
    }

    /// Replaces a call by its callee's body, and returns the calls in that; none where LLVM refuses.
    fn inline(
        &mut self,
        copy: &FunctionCopy,
        call: Value,
        callee: Value,
        noalias: NoAlias,
    ) -> Result<Option<Vec<Value>>, RejectReason> {
        self.instructions += callee.instruction_count();
        if self.instructions > MAX_INSTRUCTIONS * IN_MEMORY {
            return Err(RejectReason::TooLarge { limit: MAX_INSTRUCTIONS });
        }
        Ok(copy.inline(call, noalias))
    }

    /// Replaces a runtime call that starts outlined code by that code, between two marks where it is parallel.
    fn start_outlined(
        &mut self,
        copy: &FunctionCopy,
        call: Value,
        outlined: Outlined,
        chain: Chain,
    ) -> Result<(), RejectReason> {
        let name = || ipda_llvm::demangle(&outlined.body.name());
        if self.is_active(outlined.body, chain) {
            return Err(RejectReason::Recursion { function: name() });
        }
        let called = self.chains[chain].called;
        let inside = self.enter(outlined.body, Some(chain), called);
        let here = Builder::before(call);
        let args = outlined_arguments(copy, call, &here, &outlined)?;
        if outlined.parallel {
            mark(&here, call, Mark::Begin);
        }
        let direct = here.call(outlined.body, &args);
        direct.set_place(called);
        if outlined.parallel {
            mark(&here, call, Mark::End);
        }
        if !call.ty().is_void() {
            call.replace_all_uses(Value::null_of(call.ty()));
        }
        call.erase();
        match self.inline(copy, direct, outlined.body, NoAlias::Forgotten)? {
            Some(calls) => self.follow(copy, calls, inside),
            None => {
                direct.erase();
                Err(RejectReason::ArgumentMismatch)
            }
        }
    }
}

/// What the outlined code of a runtime call is given, before its call.
fn outlined_arguments(
    copy: &FunctionCopy,
    call: Value,
    here: &Builder,
    outlined: &Outlined,
) -> Result<Vec<Value>, RejectReason> {
    let params = outlined.body.params();
    let given = match &outlined.args {
        OutlinedArgs::Direct(args) => args.len(),
        OutlinedArgs::Array { count, .. } => *count,
    };
    if params.len() != given + 2 {
        return Err(RejectReason::ArgumentMismatch);
    }
    // The body's own thread and team number: only runtime calls read them.
    let pointers = match &outlined.args {
        OutlinedArgs::Array { array, count } if params[2..].iter().all(|param| is_pointer_or_number(param.ty())) => {
            call.take_pointers(*array, *count)
        }
        _ => None,
    };
    let number = entry_builder(copy).alloca(call.i32_type());
    let mut args = vec![number, number];
    for (index, &param) in params[2..].iter().enumerate() {
        let mut arg = match &outlined.args {
            OutlinedArgs::Direct(values) => values[index],
            OutlinedArgs::Array { array, .. } => match &pointers {
                Some(pointers) => here.pointer_as(pointers[index], param.ty()),
                None => here.load(param.ty(), here.pointer_slot(*array, index as u64)),
            },
        };
        if arg.ty() != param.ty() {
            return Err(RejectReason::ArgumentMismatch);
        }
        // What one thread writes, another may read: such a variable must not become this thread's register, and after a barrier it does not
        // hold what this thread has stored.
        if outlined.parallel && param.ty().is_pointer() && may_write_through(param) {
            here.let_escape(arg, entry_builder(copy).alloca(arg.ty()));
            arg = here.hide_pointer(arg);
        }
        args.push(arg);
    }
    Ok(args)
}

/// Whether a value of a type may come out of an array of pointers.
fn is_pointer_or_number(ty: Type) -> bool {
    ty.is_generic_pointer() || ty.int_bits().is_some_and(|bits| bits <= 64)
}

fn entry_builder(copy: &FunctionCopy) -> Builder {
    let first = copy.function().first_instruction();
    Builder::before(first.expect("a block has a terminator"))
}

/// An end of what threads do in parallel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Begin,
    End,
}

/// Leaves a call of the same runtime function with no code to start: where parallel execution begins, or ends.
fn mark(builder: &Builder, call: Value, mark: Mark) {
    let callee = call.callee().expect("a runtime call is direct");
    let count = callee.params().len();
    let args: Vec<Value> = call.call_args()[..count].iter().map(|arg| Value::null_of(arg.ty())).collect();
    let mut args = args;
    let tag = if count == 9 { 8 } else { 1 };
    args[tag] = Value::int_of(args[tag].ty(), u64::from(mark == Mark::End));
    builder.call(callee, &args);
}
