//! The machine code of the host's version, loop by loop, as the compiler is about to make it.

use super::{Finished, SourceRegion, in_region, marks, rounded, source_of};
use crate::analyse::Setting;
use crate::ffi::{RawMachineLoop, Str, ipda_machine_code};
use crate::ir::Value;
use crate::outline::TargetRegion;
use inkwell::module::Module;
use ipda_hwdb::cpu_targets;
use ipda_models::report::{HostCode, HostLoop};
use ipda_models::summary::Expression;
use llvm_sys::prelude::LLVMValueRef;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ffi::c_void;

/// Instructions of a region beyond which no machine code is made for a look at it.
const MAX_INSTRUCTIONS: usize = 50_000;
/// The same of a basic block: the time of LLVM's instruction scheduler grows with its square.
const MAX_IN_BLOCK: usize = 2_048;

/// What the shim found of one loop.
#[derive(Clone)]
struct Found {
    function: Value,
    mark: u32,
    instructions: f64,
    loads: f64,
    stores: f64,
    calls: f64,
    cycles: Vec<f64>,
}

/// A region's functions, and what they are compiled for.
struct Part {
    functions: Vec<Value>,
    /// The processor and the features of the first function.
    target: [String; 2],
    unanalysed: Option<String>,
}

impl Part {
    fn of(region: &TargetRegion) -> Part {
        let functions = marks::functions_of(region.entry);
        let first = |name| functions.first().and_then(|function| function.text_attribute(name)).unwrap_or_default();
        let target = [first("target-cpu"), first("target-features")];
        let unanalysed = if functions.iter().any(|function| function.is_not_optimised()) {
            Some("it is compiled without optimisation".into())
        } else if functions.iter().map(|function| function.instruction_count()).sum::<usize>() > MAX_INSTRUCTIONS {
            Some("it has too many instructions".into())
        } else if functions.iter().any(|function| function.largest_block() > MAX_IN_BLOCK) {
            Some("one of its basic blocks has too many instructions".into())
        } else {
            None
        };
        Part { functions, target, unanalysed }
    }

    /// The processor that it is compiled for, then the others.
    fn processors(&self, others: &[String]) -> Vec<String> {
        let mut processors = vec![self.target[0].clone()];
        for name in others {
            if !processors.contains(name) {
                processors.push(name.clone());
            }
        }
        processors
    }
}

/// What the compiler made of the host versions of regions, with the cycles that they take on the processor that they are for and on others.
pub(crate) fn host_codes(
    module: &Module<'_>,
    setting: &Setting<'_>,
    regions: &[&TargetRegion],
    sources: &[SourceRegion],
    others: &[String],
) -> Vec<HostCode> {
    let parts: Vec<Part> = regions.iter().map(|region| Part::of(region)).collect();
    let numbered = marks::Numbered::new(&functions_in(parts.iter().filter(|part| part.unanalysed.is_none())));
    let codes = regions.iter().zip(&parts).zip(machine_code(module, &parts, others)).map(|((region, part), found)| {
        let loops = found.and_then(|found| {
            let source = source_of(sources, &region.symbol);
            in_region(setting, region, source, |finished| joined(finished, &found, &part.processors(others)))
        });
        let (loops, unanalysed) = match loops {
            Ok(loops) => (loops, None),
            Err(reason) => (Vec::new(), Some(reason)),
        };
        let (loops, executions): (Vec<HostLoop>, Vec<Expression>) = loops.into_iter().unzip();
        if let Some(source) = source_of(sources, &region.symbol)
            && let Some(all) = source.expressions.borrow_mut().as_mut()
        {
            all.host_code = executions;
        }
        HostCode { processor: part.target[0].clone(), loops, unanalysed }
    });
    let codes = codes.collect();
    drop(numbered);
    codes
}

/// The functions of regions, of which several can have the same, each once.
fn functions_in<'a>(parts: impl Iterator<Item = &'a Part>) -> Vec<Value> {
    let mut seen = FxHashSet::default();
    parts.flat_map(|part| part.functions.iter().copied()).filter(|function| seen.insert(*function)).collect()
}

/// The loops of each region's machine code, or why they are not known. Code is generated once for all regions with the same target.
fn machine_code(module: &Module<'_>, parts: &[Part], others: &[String]) -> Vec<Result<Vec<Found>, String>> {
    let not_known = |part: &Part| Err(part.unanalysed.clone().unwrap_or_default());
    let mut codes: Vec<Result<Vec<Found>, String>> = parts.iter().map(not_known).collect();
    let mut targets: Vec<&[String; 2]> = Vec::new();
    for part in parts.iter().filter(|part| part.unanalysed.is_none()) {
        if !targets.contains(&&part.target) {
            targets.push(&part.target);
        }
    }
    for target in targets {
        let is_one = |number: &usize| parts[*number].unanalysed.is_none() && parts[*number].target == *target;
        let numbers: Vec<usize> = (0..parts.len()).filter(is_one).collect();
        let all = functions_in(numbers.iter().map(|number| &parts[*number]));
        let together = machine_loops(module, &all, &parts[numbers[0]].processors(others));
        // By the function that they are in: a module of many regions has as many loops.
        let mut of_function: FxHashMap<Value, Vec<usize>> = FxHashMap::default();
        for (at, found) in together.iter().flatten().enumerate() {
            of_function.entry(found.function).or_default().push(at);
        }
        for &number in &numbers {
            let part = &parts[number];
            codes[number] = match &together {
                Ok(found) => {
                    let own = part.functions.iter().filter_map(|function| of_function.get(function));
                    let mut own: Vec<usize> = own.flatten().copied().collect();
                    own.sort_unstable();
                    Ok(own.into_iter().map(|at| found[at].clone()).collect())
                }
                // What one region's code stops must not hide the others.
                Err(_) if numbers.len() > 1 => machine_loops(module, &part.functions, &part.processors(others)),
                Err(reason) => Err(reason.clone()),
            };
        }
    }
    codes
}

/// The machine code of the loops, and how often each runs.
fn joined(finished: &Finished, found: &[Found], processors: &[String]) -> Vec<(HostLoop, Expression)> {
    let of_loop = |(at, entry): (usize, &super::FinishedLoop)| {
        let own = found.iter().filter(|code| if at == 0 { code.mark == 0 } else { Some(code.mark) == entry.number });
        let sum = |of: fn(&Found) -> f64| rounded(own.clone().map(of).sum());
        own.clone().next()?;
        let cycles = processors.iter().enumerate().map(|(nth, name)| {
            let all: f64 = own.clone().map(|code| code.cycles[nth]).sum();
            (name.clone(), rounded(all))
        });
        let told = HostLoop {
            place: entry.place.clone(),
            instructions: sum(|code| code.instructions),
            loads: sum(|code| code.loads),
            stores: sum(|code| code.stores),
            calls: sum(|code| code.calls),
            cycles: cycles.filter(|(_, cycles)| cycles.is_finite()).collect::<BTreeMap<_, _>>(),
        };
        Some((told, entry.executions.clone().unwrap_or_else(|| Err("its expressions are not at hand".into()))))
    };
    finished.loops.iter().enumerate().filter_map(of_loop).collect()
}

fn machine_loops(module: &Module<'_>, functions: &[Value], processors: &[String]) -> Result<Vec<Found>, String> {
    struct Answer<'a> {
        functions: &'a [Value],
        processors: usize,
        found: Vec<Found>,
        failed: Option<String>,
    }
    extern "C" fn each(context: *mut c_void, found: *const RawMachineLoop) {
        // SAFETY: `context` is the answer below; the loop holds a figure for each processor.
        unsafe {
            let (answer, found) = (&mut *context.cast::<Answer>(), &*found);
            answer.found.push(Found {
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
        // SAFETY: `context` is the answer below; the reason lives during the call.
        unsafe { (*context.cast::<Answer>()).failed = Some(reason.to_string()) };
    }
    let raw: Vec<LLVMValueRef> = functions.iter().map(|function| function.raw()).collect();
    let names: Vec<Str> = processors.iter().map(|name| Str::new(name)).collect();
    let mut answer = Answer { functions, processors: names.len(), found: Vec::new(), failed: None };
    // SAFETY: functions of the module; all that is lent lives during the call.
    unsafe {
        ipda_machine_code(
            module.as_mut_ptr(),
            raw.as_ptr(),
            raw.len(),
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
