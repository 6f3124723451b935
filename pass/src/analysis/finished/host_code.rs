//! What the host's version costs, loop by loop, as the compiler is about to make it: by the machine code that it generates for this, or by LLVM's cost
//! model.

use super::{Finished, SourceRegion, in_region, marks, rounded, source_of};
use crate::analysis::region::Setting;
use crate::openmp::outline::TargetRegion;
use inkwell::module::Module;
use ipda_hwdb::cpu_targets;
use ipda_llvm::{MachineLoop, Value, machine_loops};
use ipda_models::report::{CostModel, HostCode, HostLoop};
use ipda_models::summary::Expression;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Instructions of a region beyond which its code is not looked at.
const MAX_INSTRUCTIONS: usize = 50_000;
/// The same of a basic block: where machine code is generated, the time of LLVM's instruction scheduler grows with its square.
const MAX_IN_BLOCK: usize = 2_048;

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
    model: CostModel,
) -> Vec<HostCode> {
    let parts: Vec<Part> = regions.iter().map(|region| Part::of(region)).collect();
    let numbered = marks::Numbered::new(&functions_in(parts.iter().filter(|part| part.unanalysed.is_none())));
    let step = setting.trace.begin(model.name(), None);
    let found = machine_code(module, &parts, others, model);
    step.end(format_args!("{} of {} regions", found.iter().filter(|code| code.is_ok()).count(), parts.len()));
    let codes = regions.iter().zip(&parts).zip(found).map(|((region, part), found)| {
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
        HostCode { processor: part.target[0].clone(), model, loops, unanalysed }
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
fn machine_code(
    module: &Module<'_>,
    parts: &[Part],
    others: &[String],
    model: CostModel,
) -> Vec<Result<Vec<MachineLoop>, String>> {
    let not_known = |part: &Part| Err(part.unanalysed.clone().unwrap_or_default());
    let mut codes: Vec<Result<Vec<MachineLoop>, String>> = parts.iter().map(not_known).collect();
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
        let together = machine_loops(module, &all, marks::FINISHED, &parts[numbers[0]].processors(others), model);
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
                Err(_) if numbers.len() > 1 => {
                    machine_loops(module, &part.functions, marks::FINISHED, &part.processors(others), model)
                }
                Err(reason) => Err(reason.clone()),
            };
        }
    }
    codes
}

/// The machine code of the loops, and how often each runs.
fn joined(finished: &Finished, found: &[MachineLoop], processors: &[String]) -> Vec<(HostLoop, Expression)> {
    let of_loop = |(at, entry): (usize, &super::FinishedLoop)| {
        let own = found.iter().filter(|code| if at == 0 { code.mark == 0 } else { Some(code.mark) == entry.number });
        let sum = |of: fn(&MachineLoop) -> f64| rounded(own.clone().map(of).sum());
        own.clone().next()?;
        let cycles = processors.iter().enumerate().map(|(nth, name)| {
            let all: f64 = own.clone().map(|code| code.cycles[nth]).sum();
            (name.clone(), rounded(all))
        });
        let reported = HostLoop {
            place: entry.place.clone(),
            instructions: sum(|code| code.instructions),
            loads: sum(|code| code.loads),
            stores: sum(|code| code.stores),
            calls: sum(|code| code.calls),
            cycles: cycles.filter(|(_, cycles)| cycles.is_finite()).collect::<BTreeMap<_, _>>(),
        };
        Some((reported, entry.executions.clone().unwrap_or_else(|| Err("its expressions are not at hand".into()))))
    };
    finished.loops.iter().enumerate().filter_map(of_loop).collect()
}

/// LLVM's names of the processors of a target's architecture that the hardware database has.
pub(crate) fn known_processors(triple: &str) -> Vec<String> {
    let architecture = triple.split('-').next().unwrap_or_default();
    cpu_targets().filter(|cpu| cpu.architecture == architecture).map(|cpu| cpu.processor.to_owned()).collect()
}
