//! The machine code of the host's version, loop by loop, as the compiler is about to make it.

use super::{Finished, in_region, marks, rounded};
use crate::analyse::Setting;
use crate::ffi::{RawMachineLoop, Str, ipda_machine_code};
use crate::ir::Value;
use crate::outline::TargetRegion;
use inkwell::module::Module;
use ipda_hwdb::cpu_targets;
use ipda_models::report::{HostCode, HostLoop};
use llvm_sys::core::{LLVMGetStringAttributeAtIndex, LLVMGetStringAttributeValue};
use llvm_sys::prelude::LLVMValueRef;
use std::collections::BTreeMap;
use std::ffi::c_void;

/// Instructions of a region beyond which no machine code is made for a look at it.
const MAX_INSTRUCTIONS: usize = 50_000;

/// What the shim found of one loop.
struct Found {
    mark: u32,
    instructions: f64,
    loads: f64,
    stores: f64,
    calls: f64,
    cycles: Vec<f64>,
}

/// What the compiler made of a region's host version, with the cycles that it takes on the processor that it is for and on others.
pub(crate) fn host_code(
    module: &Module<'_>,
    setting: &Setting<'_>,
    region: &TargetRegion,
    others: &[String],
) -> HostCode {
    let functions = marks::functions_of(region.entry);
    let own = functions.first().and_then(|function| attribute(*function, "target-cpu")).unwrap_or_default();
    let blank = |unanalysed| HostCode { processor: own.clone(), loops: Vec::new(), unanalysed };
    if functions.iter().any(|function| function.is_not_optimised()) {
        return blank(Some("it is compiled without optimisation".into()));
    }
    if functions.iter().map(|function| function.instruction_count()).sum::<usize>() > MAX_INSTRUCTIONS {
        return blank(Some("it has too many instructions".into()));
    }
    let mut processors = vec![own.clone()];
    for name in others {
        if !processors.contains(name) {
            processors.push(name.clone());
        }
    }
    let numbered = marks::Numbered::new(&functions);
    let looked_at = in_region(setting, region, |finished| {
        let found = machine_loops(module, &functions, &processors)?;
        Ok::<_, String>(joined(finished, &found, &processors))
    });
    drop(numbered);
    match looked_at.and_then(|loops| loops) {
        Ok(loops) => HostCode { loops, ..blank(None) },
        Err(reason) => blank(Some(reason)),
    }
}

fn joined(finished: &Finished, found: &[Found], processors: &[String]) -> Vec<HostLoop> {
    let of_loop = |(at, entry): (usize, &super::FinishedLoop)| {
        let own = found.iter().filter(|code| if at == 0 { code.mark == 0 } else { Some(code.mark) == entry.number });
        let sum = |of: fn(&Found) -> f64| rounded(own.clone().map(of).sum());
        own.clone().next()?;
        let cycles = processors.iter().enumerate().map(|(nth, name)| {
            let all: f64 = own.clone().map(|code| code.cycles[nth]).sum();
            (name.clone(), rounded(all))
        });
        Some(HostLoop {
            place: entry.place.clone(),
            instructions: sum(|code| code.instructions),
            loads: sum(|code| code.loads),
            stores: sum(|code| code.stores),
            calls: sum(|code| code.calls),
            cycles: cycles.filter(|(_, cycles)| cycles.is_finite()).collect::<BTreeMap<_, _>>(),
        })
    };
    finished.loops.iter().enumerate().filter_map(of_loop).collect()
}

fn machine_loops(module: &Module<'_>, functions: &[Value], processors: &[String]) -> Result<Vec<Found>, String> {
    struct Answer {
        processors: usize,
        found: Vec<Found>,
        failed: Option<String>,
    }
    extern "C" fn each(context: *mut c_void, found: *const RawMachineLoop) {
        // SAFETY: `context` is the answer below; the loop holds a figure for each processor.
        unsafe {
            let (answer, found) = (&mut *context.cast::<Answer>(), &*found);
            answer.found.push(Found {
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
        // SAFETY: `context` is the answer below; the reason lives during the call.
        unsafe { (*context.cast::<Answer>()).failed = Some(reason.to_string()) };
    }
    let functions: Vec<LLVMValueRef> = functions.iter().map(|function| function.raw()).collect();
    let names: Vec<Str> = processors.iter().map(|name| Str::new(name)).collect();
    let mut answer = Answer { processors: names.len(), found: Vec::new(), failed: None };
    // SAFETY: functions of the module; all that is lent lives during the call.
    unsafe {
        ipda_machine_code(
            module.as_mut_ptr(),
            functions.as_ptr(),
            functions.len(),
            Str::new(marks::FINISHED),
            names.as_ptr(),
            names.len(),
            (&raw mut answer).cast(),
            each,
            failed,
        );
    }
    answer.failed.map_or(Ok(answer.found), Err)
}

/// LLVM's names of the processors of a target's architecture that the hardware database has.
pub(crate) fn known_processors(triple: &str) -> Vec<String> {
    let architecture = triple.split('-').next().unwrap_or_default();
    cpu_targets().filter(|cpu| cpu.architecture == architecture).map(|cpu| cpu.processor.to_owned()).collect()
}

/// The text that a function has for an attribute.
fn attribute(function: Value, name: &str) -> Option<String> {
    const FUNCTION: u32 = u32::MAX;
    // SAFETY: a living function; the text belongs to the context.
    unsafe {
        let found = LLVMGetStringAttributeAtIndex(function.raw(), FUNCTION, name.as_ptr().cast(), name.len() as u32);
        if found.is_null() {
            return None;
        }
        let mut length = 0;
        let text = LLVMGetStringAttributeValue(found, &mut length);
        Some(String::from_utf8_lossy(std::slice::from_raw_parts(text.cast(), length as usize)).into_owned())
    }
}
