//! Finds the target regions of a module and makes one flat function of each.
//!
//! clang spreads a region over several functions: the kernel, the teams' code, the parallel code, each started by a
//! runtime call that passes the captured variables in its own way. [`flatten`] undoes this in a copy: calls that start
//! code become calls of that code and are inlined, so that one function remains in which each construct is a loop
//! between its runtime calls. All shapes, host and device, end in this one form. What runs is untouched: the copy
//! serves the analysis only.

use crate::ffi::SessionRef;
use crate::ir::{Annotation, Builder, FunctionCopy, NoAlias, Opcode, Value, nvvm_annotations};
use crate::omp::{self, Call, KernelEnvironment, KernelName, Outlined, OutlinedArgs};
use crate::reject::{RejectLog, RejectReason};
use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::FunctionValue;
use ipda_models::report::RegionKind;

/// Instructions of a flattened region beyond which it is left alone.
const MAX_INSTRUCTIONS: usize = 50_000;

/// A target region or kernel as the module holds it, before anything is known about its content.
pub(crate) struct TargetRegion {
    pub kind: RegionKind,
    pub name: KernelName,
    /// The kernel's name in the module, or what it was before the host version was inlined.
    pub symbol: String,
    /// The kernel (device) or the host version's entry: a function, or the call that starts its code where the function was inlined.
    pub entry: Value,
    /// The mode that the kernel's environment names; none on the host side.
    pub environment: Option<KernelEnvironment>,
    /// Threads of a team in x, y and z, where the code fixes them.
    pub extents: [Option<u32>; 3],
}

impl TargetRegion {
    /// The function that the region is in now.
    pub(crate) fn holder(&self) -> Value {
        if self.entry.is_call() { self.entry.block().function() } else { self.entry }
    }

    /// What tells regions of one line apart, the same on both sides. Kernels stay in the module's order: without debug information their
    /// lines are not known.
    fn order(&self) -> &str {
        match self.kind {
            RegionKind::Target => &self.name.function,
            RegionKind::Kernel => "",
        }
    }
}

/// All target regions and kernels of a module, in source order.
pub(crate) fn find(module: &Module<'_>) -> Vec<TargetRegion> {
    let kernels = Kernels::of(module);
    let mut regions: Vec<TargetRegion> = module
        .get_functions()
        .filter(|function| function.count_basic_blocks() > 0)
        .filter_map(|function| {
            let symbol = function.get_name().to_str().ok()?;
            let entry = Value::of(&function);
            let (kind, name) = kernels.name(entry, symbol)?;
            let environment = module.get_global(&format!("{symbol}_kernel_environment"));
            let environment = environment.and_then(|global| KernelEnvironment::of_global(Value::of(&global)));
            let extents = match kind {
                RegionKind::Target => [None, Some(1), Some(1)],
                RegionKind::Kernel => kernels.extents(entry),
            };
            Some(TargetRegion { kind, name, symbol: symbol.into(), entry, environment, extents })
        })
        .collect();
    regions.extend(inlined(module));
    regions.sort_by(|a, b| (a.name.line, a.name.count, a.order()).cmp(&(b.name.line, b.name.count, b.order())));
    regions
}

/// All functions that the module defines, each as if it were a region.
pub(crate) fn functions(module: &Module<'_>) -> Vec<TargetRegion> {
    let defined = module.get_functions().filter(|function| function.count_basic_blocks() > 0);
    let region = |function: FunctionValue<'_>| {
        let (symbol, entry) = (function.get_name().to_string_lossy().into_owned(), Value::of(&function));
        let line = entry.function_location().map_or(0, |location| location.line);
        let name = KernelName { function: symbol.clone(), line, count: 0 };
        TargetRegion { kind: RegionKind::Kernel, name, symbol, entry, environment: None, extents: [None; 3] }
    };
    defined.map(region).collect()
}

/// Host versions that were inlined where they are called: what is left of them is the call that starts their outlined code.
fn inlined(module: &Module<'_>) -> Vec<TargetRegion> {
    let starts = ["__kmpc_fork_teams", "__kmpc_fork_call"].into_iter().filter_map(|name| module.get_function(name));
    let calls = starts.flat_map(|function| Value::of(&function).users()).filter(|user| user.is_call());
    let mut regions: Vec<TargetRegion> = Vec::new();
    for call in calls {
        let Ok(Call::Outlined(outlined)) = omp::decode(call) else { continue };
        let body = outlined.body.name();
        let Some(symbol) = body.strip_suffix(".omp_outlined") else { continue };
        let symbol = symbol.strip_suffix("_debug__").unwrap_or(symbol);
        let Some(name) = KernelName::parse(symbol) else { continue };
        // In the host version itself, and in what it starts, the function is still there.
        let is_there = module.get_function(symbol).is_some_and(|function| function.count_basic_blocks() > 0);
        let is_own = call.block().function().name().starts_with(symbol);
        if !is_there && !is_own && !regions.iter().any(|region| region.symbol == symbol) {
            regions.push(TargetRegion {
                kind: RegionKind::Target,
                name,
                symbol: symbol.into(),
                entry: call,
                environment: None,
                extents: [None, Some(1), Some(1)],
            });
        }
    }
    regions
}

/// Whether a device module has anything that the host can launch.
pub(crate) fn has_kernels(module: &Module<'_>) -> bool {
    let kernels = Kernels::of(module);
    module.get_functions().any(|function| {
        function.get_name().to_str().is_ok_and(|symbol| kernels.name(Value::of(&function), symbol).is_some())
    })
}

/// The processor that a device module's kernels are compiled for.
pub(crate) fn processor(module: &Module<'_>) -> Option<String> {
    let kernels = Kernels::of(module);
    let is_kernel = |function: &FunctionValue<'_>| {
        function.get_name().to_str().is_ok_and(|symbol| kernels.name(Value::of(function), symbol).is_some())
    };
    let kernel = module.get_functions().find(is_kernel)?;
    let processor = kernel.get_string_attribute(AttributeLoc::Function, "target-cpu")?;
    Some(processor.get_string_value().to_string_lossy().into_owned())
}

/// The functions of a device module that the host can launch.
pub(crate) struct Kernels {
    annotations: Vec<Annotation>,
}

impl Kernels {
    pub(crate) fn of(module: &Module<'_>) -> Kernels {
        Kernels { annotations: nvvm_annotations(module) }
    }

    /// What people know a function by, if it is a target region or a kernel.
    pub(crate) fn name(&self, function: Value, symbol: &str) -> Option<(RegionKind, KernelName)> {
        if let Some(name) = KernelName::parse(symbol) {
            return Some((RegionKind::Target, name));
        }
        let is_annotated = self.annotation(function, "kernel") == Some(1);
        if !is_annotated && !function.is_gpu_kernel() {
            return None;
        }
        let line = function.function_location().map_or(0, |location| location.line);
        Some((RegionKind::Kernel, KernelName { function: symbol.into(), line, count: 0 }))
    }

    fn annotation(&self, function: Value, key: &str) -> Option<i64> {
        let found = self.annotations.iter().find(|annotation| annotation.function == function && annotation.key == key);
        found.map(|annotation| annotation.value)
    }

    /// Threads of a team in x, y and z, where the kernel requires them.
    fn extents(&self, kernel: Value) -> [Option<u32>; 3] {
        let required = kernel.required_team_shape();
        let mut axis = 0;
        ["reqntidx", "reqntidy", "reqntidz"].map(|key| {
            axis += 1;
            let annotated = self.annotation(kernel, key).and_then(|extent| u32::try_from(extent).ok());
            annotated.or(required[axis - 1])
        })
    }
}

/// A function of a device module that the host can launch.
#[derive(Debug, Clone)]
pub struct DeviceKernel {
    /// What it is in the source.
    pub kind: RegionKind,
    /// Its name in the module.
    pub symbol: String,
    /// The function in the source, as reports name it.
    pub function: String,
    /// The directive's line, or the function's.
    pub line: u32,
    /// Threads of a team in x, y and z, where the code fixes them.
    pub required_threads: [Option<u32>; 3],
    /// The most threads of a team, where an annotation of the kernel limits them.
    pub most_threads: Option<u32>,
}

/// The functions of a device module that the host can launch, in source order.
pub fn device_kernels(module: &Module<'_>) -> Vec<DeviceKernel> {
    let kernels = Kernels::of(module);
    let describe = |region: TargetRegion| {
        let limits = ["maxntidx", "maxntidy", "maxntidz"].map(|key| kernels.annotation(region.entry, key));
        let product = limits.iter().flatten().map(|&limit| u32::try_from(limit).unwrap_or(u32::MAX));
        let most = limits.iter().any(Option::is_some).then(|| product.fold(1, u32::saturating_mul));
        let required = if region.kind == RegionKind::Kernel { region.extents } else { [None; 3] };
        DeviceKernel {
            kind: region.kind,
            symbol: region.symbol.clone(),
            function: crate::ir::demangle(&region.name.function),
            line: region.name.line,
            required_threads: required,
            most_threads: most.filter(|_| region.kind == RegionKind::Kernel),
        }
    };
    find(module).into_iter().map(describe).collect()
}

/// A copy of the region's entry with all of its code in one function, in canonical form.
pub(crate) fn flatten(session: SessionRef, entry: Value, log: &mut RejectLog) -> Result<FunctionCopy, RejectReason> {
    let copy = if entry.is_call() { FunctionCopy::around(session, entry) } else { FunctionCopy::new(session, entry) };
    inline_all(session, &copy, &mut vec![entry], log)?;
    copy.canonicalise();
    Ok(copy)
}

fn inline_all(
    session: SessionRef,
    copy: &FunctionCopy,
    active: &mut Vec<Value>,
    log: &mut RejectLog,
) -> Result<(), RejectReason> {
    let callers = active.len();
    unfold_forwarders(copy, active);
    // Argument arrays become visible as stores and loads of single pointers.
    copy.promote();
    let mut inlined = false;
    let calls: Vec<Value> = copy.function().instructions().filter(|value| value.is_call()).collect();
    for call in calls {
        match omp::decode(call) {
            Ok(Call::Outlined(outlined)) => {
                inlined = true;
                if let Err(reason) = start_outlined(session, copy, call, outlined, active, log) {
                    if matches!(reason, RejectReason::TooLarge { .. }) {
                        return Err(reason);
                    }
                    log.add(reason, call.location());
                }
            }
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
                let function = crate::ir::demangle(&callee.name());
                if callee.is_declaration() {
                    log.add(RejectReason::UnknownCall { function }, call.location());
                } else if active.contains(&callee) {
                    log.add(RejectReason::Recursion { function }, call.location());
                } else {
                    inlined = true;
                    inline_body(session, copy, call, callee, active, log)?;
                }
            }
            Ok(Call::Indirect) => log.add(RejectReason::IndirectCall, call.location()),
            Ok(_) => {}
            Err(reason) => log.add(reason, call.location()),
        }
        if copy.function().instructions().take(MAX_INSTRUCTIONS + 1).count() > MAX_INSTRUCTIONS {
            return Err(RejectReason::TooLarge { limit: MAX_INSTRUCTIONS });
        }
    }
    active.truncate(callers);
    // Again, so that what the inlined code does to the parameters shows. The region itself is made canonical at the
    // end.
    if inlined && callers > 1 {
        copy.promote();
    }
    Ok(())
}

/// With debug information, clang puts its own code into functions that others of its functions only call: inlined as they are, since nothing
/// in them needs to be known before.
fn unfold_forwarders(copy: &FunctionCopy, active: &mut Vec<Value>) {
    let is_forwarded = |call: Value| match omp::decode(call) {
        Ok(Call::User(callee)) => omp::is_made_by_compiler(&callee.name()) && !callee.is_declaration(),
        _ => false,
    };
    let calls = |copy: &FunctionCopy| {
        copy.function().instructions().filter(|value| value.is_call()).find(|&call| is_forwarded(call))
    };
    while let Some(call) = calls(copy) {
        let callee = call.callee().expect("a direct call");
        // Not a place in the user's program.
        call.forget_location();
        if active.contains(&callee) || !copy.inline(call, NoAlias::Forgotten) {
            return;
        }
        active.push(callee);
    }
}

fn entry_builder(copy: &FunctionCopy) -> Builder {
    let first = copy.function().blocks()[0].instructions().next();
    Builder::before(first.expect("a block has a terminator"))
}

/// Makes a call of `callee`'s flattened body out of `call` and inlines it.
fn inline_body(
    session: SessionRef,
    copy: &FunctionCopy,
    call: Value,
    callee: Value,
    active: &mut Vec<Value>,
    log: &mut RejectLog,
) -> Result<(), RejectReason> {
    let body = FunctionCopy::new(session, callee);
    active.push(callee);
    let result = inline_all(session, &body, active, log);
    active.pop();
    result?;
    let location = call.location();
    call.set_operand(call.operand_count() - 1, body.function());
    // clang gives variables that threads share to its own code as if each thread had them alone.
    let noalias = if omp::is_made_by_compiler(&callee.name()) { NoAlias::Forgotten } else { NoAlias::Believed };
    if !copy.inline(call, noalias) {
        call.set_operand(call.operand_count() - 1, callee);
        log.add(RejectReason::UnknownCall { function: crate::ir::demangle(&callee.name()) }, location);
    }
    Ok(())
}

/// Replaces a runtime call that starts outlined code by that code, between two marks where it is parallel.
fn start_outlined(
    session: SessionRef,
    copy: &FunctionCopy,
    call: Value,
    outlined: Outlined,
    active: &mut Vec<Value>,
    log: &mut RejectLog,
) -> Result<(), RejectReason> {
    let name = || crate::ir::demangle(&outlined.body.name());
    if active.contains(&outlined.body) {
        return Err(RejectReason::Recursion { function: name() });
    }
    let body = FunctionCopy::new(session, outlined.body);
    active.push(outlined.body);
    let result = inline_all(session, &body, active, log);
    active.pop();
    result?;

    let params = body.function().params();
    let given = match &outlined.args {
        OutlinedArgs::Direct(args) => args.len(),
        OutlinedArgs::Array { count, .. } => *count,
    };
    if params.len() != given + 2 {
        return Err(RejectReason::ArgumentMismatch { function: name() });
    }
    // The body's own thread and team number: only runtime calls read them.
    let here = Builder::before(call);
    let number = entry_builder(copy).alloca(call.i32_type());
    let mut args = vec![number, number];
    for (index, &param) in params[2..].iter().enumerate() {
        let mut arg = match &outlined.args {
            OutlinedArgs::Direct(values) => values[index],
            OutlinedArgs::Array { array, .. } => here.load(param.ty(), here.pointer_slot(*array, index as u64)),
        };
        if arg.ty() != param.ty() {
            return Err(RejectReason::ArgumentMismatch { function: name() });
        }
        // What one thread writes, another may read: such a variable must not become this thread's register, and behind a barrier it does not
        // hold what this thread has stored.
        if outlined.parallel && param.ty().is_pointer() && may_write_through(param, 0) {
            here.let_escape(arg, entry_builder(copy).alloca(arg.ty()));
            arg = here.hide_pointer(arg);
        }
        args.push(arg);
    }
    if outlined.parallel {
        mark(&here, call, true);
    }
    let direct = here.call(body.function(), &args);
    direct.forget_location();
    if outlined.parallel {
        mark(&here, call, false);
    }
    if !call.ty().is_void() {
        call.replace_all_uses(Value::null_of(call.ty()));
    }
    call.erase();
    if !copy.inline(direct, NoAlias::Forgotten) {
        direct.erase();
        return Err(RejectReason::ArgumentMismatch { function: name() });
    }
    Ok(())
}

/// Leaves a call of the same runtime function with no code to start: where parallel execution begins, or ends.
fn mark(builder: &Builder, call: Value, begin: bool) {
    let callee = call.callee().expect("a runtime call is direct");
    let count = callee.params().len();
    let args: Vec<Value> = call.call_args()[..count].iter().map(|arg| Value::null_of(arg.ty())).collect();
    let mut args = args;
    let tag = if count == 9 { 8 } else { 1 };
    args[tag] = Value::int_of(args[tag].ty(), u64::from(!begin));
    builder.call(callee, &args);
}

/// Whether code may write to what `pointer` points to, or hand it to code that may.
fn may_write_through(pointer: Value, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 16;
    depth > MAX_DEPTH
        || pointer.users().into_iter().any(|user| match user.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMICmp) => false,
            Some(Opcode::LLVMGetElementPtr | Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMAddrSpaceCast) => {
                may_write_through(user, depth + 1)
            }
            Some(Opcode::LLVMCall) => !user.callee().is_some_and(|callee| {
                let name = callee.name();
                name.starts_with("llvm.lifetime") || name.starts_with("llvm.assume") || !user.call_may_write()
            }),
            _ => true,
        })
}
