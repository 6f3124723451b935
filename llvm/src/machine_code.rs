//! What functions are as machine code, loop by loop.

use crate::Value;
use crate::ffi::{self, RawMachineLoop, Str};
use inkwell::module::Module;
use ipda_models::report::CostModel;
use llvm_sys::prelude::LLVMValueRef;
use std::ffi::c_void;

/// One loop, or what lies outside of a function's loops, as if all of it ran once.
#[derive(Debug, Clone)]
pub struct MachineLoop {
    /// The function that it is in.
    pub function: Value,
    /// The number that the loop has under the key; 0 outside of loops.
    pub mark: u32,
    /// Instructions.
    pub instructions: f64,
    /// Those that load.
    pub loads: f64,
    /// Those that store.
    pub stores: f64,
    /// Calls.
    pub calls: f64,
    /// For each processor that was asked for.
    pub cycles: Vec<f64>,
}

/// What each loop of functions, all for one target, takes on which processor: as LLVM's machine-code analyser says of code that is generated for copies of
/// them, or its cost model of their instructions. Loops are identified by the numbers that they have under `key`. `Err`: why there is none.
pub fn machine_loops(
    module: &Module<'_>,
    functions: &[Value],
    key: &str,
    processors: &[String],
    model: CostModel,
) -> Result<Vec<MachineLoop>, String> {
    let raw: Vec<LLVMValueRef> = functions.iter().map(|function| function.raw()).collect();
    let names: Vec<Str> = processors.iter().map(|name| Str::new(name)).collect();
    let mut answer = Answer { functions, processors: names.len(), found: Vec::new(), failed: None };
    // SAFETY: functions of the module; all that is lent lives during the call.
    unsafe {
        let ask = match model {
            CostModel::Mca => ffi::ipda_machine_code,
            CostModel::Tti => ffi::ipda_code_cost,
        };
        ask(
            module.as_mut_ptr(),
            raw.as_ptr(),
            raw.len(),
            Str::new(key),
            names.as_ptr(),
            names.len(),
            (&raw mut answer).cast(),
            each,
            failed,
        );
    }
    answer.failed.map_or(Ok(answer.found), Err)
}

struct Answer<'a> {
    functions: &'a [Value],
    processors: usize,
    found: Vec<MachineLoop>,
    failed: Option<String>,
}

extern "C" fn each(context: *mut c_void, found: *const RawMachineLoop) {
    // SAFETY: `context` is the answer above; the loop holds a figure for each processor.
    unsafe {
        let (answer, found) = (&mut *context.cast::<Answer>(), &*found);
        answer.found.push(MachineLoop {
            function: answer.functions[found.function],
            mark: found.mark,
            instructions: found.instructions,
            loads: found.loads,
            stores: found.stores,
            calls: found.calls,
            cycles: std::slice::from_raw_parts(found.cycles, answer.processors).to_vec(),
        });
    }
}

extern "C" fn failed(context: *mut c_void, reason: Str) {
    // SAFETY: `context` is the answer above; the reason lives during the call.
    unsafe { (*context.cast::<Answer>()).failed = Some(reason.to_string()) };
}
